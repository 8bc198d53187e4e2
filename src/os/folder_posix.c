#include "os/posix.h"

#include "base/alloc.h"
#include "base/error.h"
#include "os/folder.h"
#include "os/system.h"
#include "os/temporary_posix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

// ---- making

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool flush_folder(const char *path)
{
    int fd = fr_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) {
        return false;
    }
    bool flushed = fsync(fd) == 0;
    int reason = errno;
    (void)close(fd);
    errno = reason;
    return flushed;
}

// Makes the folder that `part`, the path up to some slash or its end, names; `size` is its length.
// A folder that may be gone after a power loss is taken away again, so that the next try flushes;
// but not where that can never be done.
static const char *make_one_folder(char *part, size_t size)
{
    if (is_folder(part)) {
        return NULL;
    }
    if (mkdir(part, S_IRWXU) != 0) {
        return errno == EEXIST && is_folder(part) ? NULL : "making the folder";
    }
    size_t above = size;
    while (above > 0 && part[above - 1] != '/') {
        above--;
    }
    char kept = part[above];
    part[above] = 0;
    bool flushed = flush_folder(above > 0 ? part : ".");
    part[above] = kept;
    if (!flushed && !fr_is_unsupported(errno) && errno != EACCES) {
        int reason = errno;
        (void)rmdir(part);
        errno = reason;
        return "fsync of the folder above it";
    }
    return NULL;
}

firn_result fr_folder_make(const firn_allocator *allocator, const char *path, firn_error *err)
{
    firn_result result = fr_path_check(path, err);
    if (result != FIRN_OK || is_folder(path)) {
        return result;
    }
    size_t size = strlen(path);
    char *part = fr_copy_text(allocator, path, size);
    if (part == NULL) {
        return fr_fail_memory(err, path);
    }
    const char *failed = NULL;
    for (size_t i = 1; i <= size && failed == NULL; i++) {
        if (path[i] == '/' || path[i] == 0) {
            part[i] = 0;
            if (part[i - 1] != '/') {
                failed = make_one_folder(part, i);
            }
            part[i] = path[i];
        }
    }
    int reason = errno;
    fr_free_text(allocator, part);
    return failed == NULL ? FIRN_OK : fr_system_fail(err, FIRN_IO, path, failed, reason);
}

// ---- listing

static DIR *open_entries(const char *path)
{
    int fd = fr_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && entries == NULL) {
        int reason = errno;
        (void)close(fd);
        errno = reason;
    }
    return entries;
}

firn_result fr_folder_list(const firn_allocator *allocator, const char *path, const char *prefix,
                           fr_folder_item_fn each, void *user, firn_error *err)
{
    (void)allocator;
    DIR *entries = open_entries(path);
    if (entries == NULL) {
        return fr_system_fail(err, FIRN_IO, path, "opening the folder", errno);
    }
    firn_result result = FIRN_OK;
    while (result == FIRN_OK) {
        errno = 0;
        const struct dirent *entry = readdir(entries);
        if (entry == NULL) {
            if (errno != 0) {
                result = fr_system_fail(err, FIRN_IO, path, "reading the folder", errno);
            }
            break;
        }
        struct stat status;
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) {
            continue;
        }
        if (fstatat(dirfd(entries), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
            fr_file_status file = fr_status_of(&status);
            fr_folder_item item = {.name = entry->d_name, .size = file.size, .time = file.time};
            item.size = S_ISREG(status.st_mode) ? item.size : 0;
            result = each(user, &item, err);
        } else if (errno != ENOENT) { // which is removed meanwhile
            result = fr_system_fail(err, FIRN_IO, path, "looking at its files", errno);
        }
    }
    (void)closedir(entries);
    return result;
}

void fr_folder_clean(const firn_allocator *allocator, const char *path)
{
    (void)allocator;
    int fd = fr_open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd >= 0) {
        fr_temporaries all = {.folder = fd, .name = NULL};
        fr_temporaries_remove_stale(&all);
        (void)close(fd);
    }
}

firn_result fr_folder_flush(const firn_allocator *allocator, const char *path, firn_error *err)
{
    (void)allocator;
    if (flush_folder(path)) {
        return FIRN_OK;
    }
    return fr_system_fail(err, fr_is_unsupported(errno) ? FIRN_NOT_DURABLE : FIRN_IO, path,
                          "fsync of the folder", errno);
}

// ---- locks

firn_result fr_file_lock_take(const firn_allocator *allocator, const char *path, fr_file_lock *lock,
                              firn_error *err)
{
    (void)allocator;
    int fd = fr_open_at(AT_FDCWD, path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                        S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH);
    if (fd < 0) {
        return fr_system_fail(err, errno == ENOENT ? FIRN_NOT_FOUND : FIRN_IO, path,
                              "opening the lock", errno);
    }
    int failed;
    do {
        failed = flock(fd, LOCK_EX);
    } while (failed != 0 && errno == EINTR);
    if (failed != 0 && !fr_is_unsupported(errno) && errno != ENOLCK) {
        firn_result result = fr_system_fail(err, FIRN_IO, path, "locking", errno);
        (void)close(fd);
        return result;
    }
    *lock = fd;
    return FIRN_OK;
}

void fr_file_lock_drop(fr_file_lock lock)
{
    (void)close((int)lock); // nobody else has the descriptor
}

// ---- names

static char *join_path(const firn_allocator *allocator, const char *folder, const char *name)
{
    size_t first = strlen(folder), second = strlen(name), size;
    char *joined = NULL;
    if (fr_add_size(first + 2, second, &size)) {
        joined = fr_alloc(allocator, size, 1, 1);
    }
    if (joined != NULL) {
        (void)snprintf(joined, size, "%s/%s", folder, name);
    }
    return joined;
}

firn_result fr_path_absolute(const firn_allocator *allocator, const char *path, char **out,
                             firn_error *err)
{
    firn_result result = fr_path_check(path, err);
    if (result != FIRN_OK) {
        return result;
    }
    char *made = NULL;
    if (path[0] == '/') {
        made = fr_copy_text(allocator, path, strlen(path));
    } else {
        char folder[4096];
        if (getcwd(folder, sizeof folder) == NULL) {
            return fr_system_fail(err, FIRN_IO, path, "finding the current folder", errno);
        }
        made = join_path(allocator, folder, path);
    }
    if (made == NULL) {
        return fr_fail_memory(err, path);
    }
    *out = made;
    return FIRN_OK;
}

// A variable of the environment that is an absolute path; the specification has others ignored.
static const char *folder_variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] == '/' ? value : NULL;
}

firn_result fr_data_folder(const firn_allocator *allocator, char **out, firn_error *err)
{
    const char *home = folder_variable("HOME");
#ifdef __APPLE__
    const char *data = NULL, *below = "Library/Application Support";
#else
    const char *data = folder_variable("XDG_DATA_HOME"), *below = ".local/share";
#endif
    if (data == NULL && home == NULL) {
        return fr_fail(err, FIRN_NOT_FOUND, "HOME",
                       "HOME names no folder: there is no place for the data of the user");
    }
    char *made = data != NULL ? fr_copy_text(allocator, data, strlen(data))
                              : join_path(allocator, home, below);
    if (made == NULL) {
        return fr_fail_memory(err, "data folder");
    }
    *out = made;
    return FIRN_OK;
}
