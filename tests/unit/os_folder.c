#include "unit/os_folder.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534

// The folder and every path that was asked for.
typedef struct folder_state {
    os_folder folder;
    char *paths[64];
    size_t path_count;
} folder_state;

int os_folder_setup(void **state)
{
    folder_state *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return -1;
    }
    const char *parent = getenv("TMPDIR");
    (void)snprintf(made->folder.path, sizeof made->folder.path, "%s/firn-os-XXXXXX",
                   parent != NULL && parent[0] != '\0' ? parent : "/tmp");
    if (mkdtemp(made->folder.path) == NULL) {
        free(made);
        return -1;
    }
    *state = made;
    return 0;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

int os_folder_teardown(void **state)
{
    folder_state *made = *state;
    (void)chmod(made->folder.path, 0700);
    int failed = nftw(made->folder.path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    for (size_t i = 0; i < made->path_count; i++) {
        free(made->paths[i]);
    }
    free(made);
    return failed;
}

const char *os_folder_path(const os_folder *folder, const char *name)
{
    folder_state *made = (folder_state *)(uintptr_t)folder;
    size_t size = strlen(folder->path) + 1 + strlen(name) + 1;
    char *path = malloc(size);
    assert_non_null(path);
    assert_true(made->path_count < sizeof made->paths / sizeof made->paths[0]);
    (void)snprintf(path, size, "%s/%s", folder->path, name);
    made->paths[made->path_count++] = path;
    return path;
}

void os_folder_put(const os_folder *folder, const char *name, const char *text)
{
    FILE *file = fopen(os_folder_path(folder, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

void os_assert_file(const os_folder *folder, const char *name, const char *text, const char *file,
                    int line)
{
    size_t size = 0;
    uint8_t *bytes = test_read_file(os_folder_path(folder, name), &size);
    if (size != strlen(text) || memcmp(bytes, text, size) != 0) {
        print_error("%s holds \"%s\", not \"%s\"\n", name, (const char *)bytes, text);
        free(bytes);
        _fail(file, line);
        return;
    }
    free(bytes);
}

bool os_folder_has(const os_folder *folder, const char *name)
{
    struct stat status;
    return lstat(os_folder_path(folder, name), &status) == 0;
}

static int count_entries(const char *path)
{
    DIR *entries = opendir(path);
    assert_non_null(entries);
    int count = -2;
    while (readdir(entries) != NULL) {
        count++;
    }
    assert_int_equal(closedir(entries), 0);
    return count;
}

int os_folder_entries(const os_folder *folder)
{
    return count_entries(folder->path);
}

firn_result os_replace(const os_folder *folder, const char *name, const char *text, firn_error *err)
{
    return fr_file_replace(NULL, os_folder_path(folder, name), text, strlen(text), err);
}

bool os_leave_root(const os_folder *folder)
{
    if (geteuid() != 0) {
        return true;
    }
    struct stat status;
    assert_int_equal(stat(folder->path, &status), 0);
    assert_int_equal(chmod(folder->path, status.st_mode | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH),
                     0);
    assert_int_equal(seteuid(NOBODY), 0);
    if (access(folder->path, F_OK) != 0 || stat(folder->path, &status) != 0) {
        os_back_to_root();
        return false;
    }
    return true;
}

void os_back_to_root(void)
{
    if (getuid() == 0) {
        assert_int_equal(seteuid(0), 0);
    }
}

int os_open_descriptors(void)
{
    return count_entries("/proc/self/fd");
}
