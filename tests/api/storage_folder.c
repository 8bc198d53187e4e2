// The storage in a folder, as far as storage_check does not see it: its files, what stands in their
// place, other processes, and where it is.
#include "unit/os_folder.h"

#include "firn/storage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANY FIRN_REVISION_ANY

static firn_storage open_storage(const os_folder *folder)
{
    firn_error err;
    firn_storage storage;
    firn_folder_desc desc = {.path = folder->path};
    assert_ok(firn_storage_folder(&desc, &storage, &err), &err);
    return storage;
}

static firn_result put_text(const firn_storage *storage, const char *name, firn_revision expected,
                            const char *text, firn_revision *revision, firn_error *err)
{
    return storage->put(storage->user, name, expected, text, strlen(text), revision, err);
}

static firn_revision put_good(const firn_storage *storage, const char *name, const char *text)
{
    firn_error err;
    firn_revision revision;
    assert_ok(put_text(storage, name, ANY, text, &revision, &err), &err);
    return revision;
}

static firn_result get_size(const firn_storage *storage, const char *name, size_t *size,
                            firn_error *err)
{
    firn_buffer out = {0};
    firn_result result =
        storage->get(storage->user, name, FIRN_CURRENT, UINT64_MAX, &out, NULL, err);
    *size = out.size;
    firn_buffer_free(&out);
    return result;
}

// ---- files

static void an_entry_is_a_file_and_its_backup(void **state)
{
    const os_folder *folder = *state;
    firn_storage storage = open_storage(folder);
    put_good(&storage, "none", "one");
    assert_file(folder, "s_none.firn", "one");
    assert_entries(folder, 2); // and the lock
    put_good(&storage, "none", "two");
    assert_file(folder, "s_none.firn", "two");
    assert_file(folder, "s_none.firn.bak", "one");
    assert_file(folder, ".firn-lock", "");
    assert_entries(folder, 3);
    assert_ok(storage.remove(storage.user, "none", ANY, NULL), NULL);
    assert_entries(folder, 1);
    firn_storage_close(&storage);
}

static void opening_makes_the_folder_for_this_user_alone(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    firn_storage storage;
    firn_folder_desc desc = {.path = os_folder_path(folder, "a//b/c/")};
    assert_ok(firn_storage_folder(&desc, &storage, &err), &err);
    struct stat status;
    assert_int_equal(stat(os_folder_path(folder, "a/b/c"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    put_good(&storage, "x", "one");
    assert_file(folder, "a/b/c/s_x.firn", "one");
    firn_storage_close(&storage);
}

static void a_relative_path_is_of_the_folder_at_opening(void **state)
{
    const os_folder *folder = *state;
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder->path), 0);
    firn_storage storage;
    firn_error err;
    firn_folder_desc desc = {.path = "saves"};
    firn_result result = firn_storage_folder(&desc, &storage, &err);
    assert_int_equal(chdir(before), 0);
    assert_ok(result, &err);
    put_good(&storage, "x", "one");
    assert_file(folder, "saves/s_x.firn", "one");
    firn_storage_close(&storage);
}

static void a_relative_path_needs_a_current_folder(void **state)
{
    const os_folder *folder = *state;
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    const char *gone = os_folder_path(folder, "gone");
    assert_int_equal(mkdir(gone, 0777), 0);
    assert_int_equal(chdir(gone), 0);
    assert_int_equal(rmdir(gone), 0);
    firn_storage storage;
    firn_error err;
    firn_folder_desc desc = {.path = "saves"};
    firn_result result = firn_storage_folder(&desc, &storage, &err);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(result, FIRN_IO);
    assert_error(&err, FIRN_IO, "saves");
    assert_non_null(strstr(err.message, "finding the current folder"));
}

static void a_name_that_is_none_reaches_no_file(void **state)
{
    const os_folder *folder = *state;
    firn_storage storage = open_storage(folder);
    os_folder_put(folder, "s_x.firn", "mine");
    static const char *const names[] = {"", "../s_x", "x.firn/../s_x", "X", "x y"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        firn_error err;
        firn_stored stored;
        firn_revision revision;
        size_t size;
        assert_int_equal(put_text(&storage, names[i], ANY, "no", &revision, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, names[i]);
        assert_int_equal(get_size(&storage, names[i], &size, &err), FIRN_INVALID);
        assert_int_equal(
            storage.head(storage.user, names[i], FIRN_CURRENT, NULL, 0, &size, &stored, &err),
            FIRN_INVALID);
        assert_int_equal(storage.remove(storage.user, names[i], ANY, &err), FIRN_INVALID);
    }
    assert_entries(folder, 2); // and the lock
    firn_storage_close(&storage);
}

static void a_put_makes_a_folder_that_was_removed_meanwhile(void **state)
{
    const os_folder *folder = *state;
    firn_storage storage;
    firn_folder_desc desc = {.path = os_folder_path(folder, "saves")};
    firn_error err;
    assert_ok(firn_storage_folder(&desc, &storage, &err), &err);
    assert_int_equal(unlink(os_folder_path(folder, "saves/.firn-lock")), 0);
    assert_int_equal(rmdir(os_folder_path(folder, "saves")), 0);
    size_t size;
    assert_int_equal(get_size(&storage, "x", &size, &err), FIRN_NOT_FOUND);
    assert_int_equal(storage.remove(storage.user, "x", ANY, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "x");
    put_good(&storage, "x", "one");
    assert_file(folder, "saves/s_x.firn", "one");
    firn_storage_close(&storage);
}

static void opening_removes_what_killed_writers_left(void **state)
{
    const os_folder *folder = *state;
    os_folder_put(folder, "s_a.firn.0123456789abcdef.firn-tmp", "half");
    os_folder_put(folder, "s_b.firn.fedcba9876543210.firn-tmp", "");
    os_folder_put(folder, "s_c.firn.aaaaaaaaaaaaaaaa.firn-tmp", "held");
    os_folder_put(folder, "mine.firn-tmp", "mine");
    int fd = open(os_folder_path(folder, "s_c.firn.aaaaaaaaaaaaaaaa.firn-tmp"), O_RDWR);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    firn_storage storage = open_storage(folder);
    assert_file(folder, "s_c.firn.aaaaaaaaaaaaaaaa.firn-tmp", "held");
    assert_file(folder, "mine.firn-tmp", "mine");
    assert_entries(folder, 3); // and the lock
    assert_int_equal(close(fd), 0);
    put_good(&storage, "c", "one");
    assert_entries(folder, 3); // which is the entry now
    firn_storage_close(&storage);
}

static void nothing_is_left_open(void **state)
{
    const os_folder *folder = *state;
    int before = os_open_descriptors();
    firn_storage storage = open_storage(folder);
    firn_revision revision;
    size_t size;
    put_good(&storage, "a", "one");
    put_good(&storage, "a", "two");
    assert_int_equal(put_text(&storage, "a", 0, "no", &revision, NULL), FIRN_EXISTS);
    assert_ok(get_size(&storage, "a", &size, NULL), NULL);
    assert_ok(storage.remove(storage.user, "a", ANY, NULL), NULL);
    assert_int_equal(os_open_descriptors(), before);
    firn_storage_close(&storage);
}

// ---- what stands in place of a file

static void assert_refused(const os_folder *folder, const firn_storage *storage, const char *words)
{
    firn_error err;
    firn_stored stored;
    firn_revision revision;
    uint8_t byte;
    size_t size, before = (size_t)os_folder_entries(folder);
    assert_int_equal(get_size(storage, "x", &size, &err), FIRN_IO);
    assert_error(&err, FIRN_IO, "s_x.firn");
    assert_non_null(strstr(err.message, words));
    assert_int_equal(
        storage->head(storage->user, "x", FIRN_CURRENT, &byte, 1, &size, &stored, &err), FIRN_IO);
    assert_non_null(strstr(err.message, words));
    assert_int_equal(put_text(storage, "x", ANY, "no", &revision, &err), FIRN_IO);
    assert_non_null(strstr(err.message, words));
    assert_int_equal(put_text(storage, "x", 77, "no", &revision, &err), FIRN_IO);
    assert_non_null(strstr(err.message, words));
    assert_int_equal(os_folder_entries(folder), before);
}

static firn_result see_x(void *user, const firn_stored *stored, firn_error *err)
{
    (void)err;
    assert_string_equal(stored->name, "x");
    assert_int_equal(stored->size, 0);
    ++*(int *)user;
    return FIRN_OK;
}

static void a_folder_in_place_of_a_file_is_said_to_be_one(void **state)
{
    const os_folder *folder = *state;
    firn_storage storage = open_storage(folder);
    int seen = 0;
    firn_error err;
    assert_int_equal(mkdir(os_folder_path(folder, "s_x.firn"), 0777), 0);
    assert_refused(folder, &storage, "is a folder");
    assert_int_equal(storage.remove(storage.user, "x", ANY, &err), FIRN_IO);
    assert_non_null(strstr(err.message, "is a folder"));
    assert_ok(storage.list(storage.user, see_x, &seen, &err), &err);
    assert_int_equal(seen, 1);
    firn_storage_close(&storage);
}

static void a_symbolic_link_is_not_followed(void **state)
{
    const os_folder *folder = *state;
    firn_storage storage = open_storage(folder);
    os_folder_put(folder, "elsewhere", "mine");
    assert_int_equal(symlink("elsewhere", os_folder_path(folder, "s_x.firn")), 0);
    assert_refused(folder, &storage, "is a symbolic link");
    assert_ok(storage.remove(storage.user, "x", ANY, NULL), NULL);
    assert_file(folder, "elsewhere", "mine");
    firn_storage_close(&storage);
}

static void a_device_is_no_file(void **state)
{
    const os_folder *folder = *state;
    firn_storage storage = open_storage(folder);
    assert_int_equal(mkfifo(os_folder_path(folder, "s_x.firn"), 0666), 0);
    assert_refused(folder, &storage, "is not a regular file");
    firn_storage_close(&storage);
}

static void a_folder_in_place_of_the_backup_is_in_the_way(void **state)
{
    const os_folder *folder = *state;
    firn_storage storage = open_storage(folder);
    firn_revision revision;
    firn_error err;
    put_good(&storage, "x", "one");
    assert_int_equal(mkdir(os_folder_path(folder, "s_x.firn.bak"), 0777), 0);
    assert_int_equal(put_text(&storage, "x", ANY, "two", &revision, &err), FIRN_IO);
    assert_non_null(strstr(err.message, "its backup is a folder"));
    assert_int_equal(storage.remove(storage.user, "x", ANY, &err), FIRN_IO);
    assert_file(folder, "s_x.firn", "one");
    firn_storage_close(&storage);
}

static void an_unreadable_file_is_refused_by_the_system(void **state)
{
    const os_folder *folder = *state;
    os_folder_put(folder, "s_x.firn", "one");
    firn_storage storage = open_storage(folder);
    assert_int_equal(chmod(os_folder_path(folder, "s_x.firn"), 0200), 0);
    if (!os_leave_root(folder)) {
        firn_storage_close(&storage);
        skip();
    }
    firn_error err;
    size_t size;
    firn_result result = get_size(&storage, "x", &size, &err);
    os_back_to_root();
    assert_int_equal(result, FIRN_IO);
    assert_non_null(strstr(err.message, "s_x.firn: opening the file: Permission denied"));
    firn_storage_close(&storage);
}

static void an_empty_file_is_an_empty_entry(void **state)
{
    const os_folder *folder = *state;
    firn_storage storage = open_storage(folder);
    os_folder_put(folder, "s_x.firn", "");
    size_t size = 7;
    firn_error err;
    assert_ok(get_size(&storage, "x", &size, &err), &err);
    assert_int_equal(size, 0);
    firn_storage_close(&storage);
}

static void a_folder_without_rights_can_be_read(void **state)
{
    const os_folder *folder = *state;
    os_folder_put(folder, "s_x.firn", "one");
    assert_int_equal(chmod(folder->path, 0555), 0);
    if (!os_leave_root(folder))
        skip();
    firn_error err, put_err;
    firn_revision revision;
    firn_storage storage;
    firn_folder_desc desc = {.path = folder->path};
    firn_result result = firn_storage_folder(&desc, &storage, &err);
    size_t size = 0;
    firn_result got = result == FIRN_OK ? get_size(&storage, "x", &size, &err) : result;
    firn_result put =
        result == FIRN_OK ? put_text(&storage, "x", ANY, "no", &revision, &put_err) : result;
    os_back_to_root();
    assert_ok(result, &err);
    assert_ok(got, &err);
    assert_int_equal(size, 3);
    assert_int_equal(put, FIRN_IO);
    assert_non_null(strstr(put_err.message, "opening the lock: Permission denied"));
    firn_storage_close(&storage);
}

// ---- lists

typedef struct seen_list {
    char text[512];
} seen_list;

static firn_result see_entry(void *user, const firn_stored *stored, firn_error *err)
{
    (void)err;
    seen_list *seen = user;
    size_t used = strlen(seen->text);
    (void)snprintf(seen->text + used, sizeof seen->text - used, "%s=%llu%s%s ", stored->name,
                   (unsigned long long)stored->size, stored->only_backup ? "!" : "",
                   stored->revision == FIRN_REVISION_NONE ? "0" : "");
    assert_true(stored->modified > INT64_C(1000000000000)); // milliseconds, behind 2001
    return FIRN_OK;
}

static void a_list_has_our_files_alone_and_those_with_only_a_backup(void **state)
{
    const os_folder *folder = *state;
    static const char *const foreign[] = {"s_.firn",  "s_A.firn",   "s_a.firn2",    "s_a",
                                          "a.firn",   "s_a.b.firn", "notes.md",     "s_a.firn.bak~",
                                          "s_a.FIRN", "s_a.b.bak",  "S_a.firn.bak", "s_ .firn"};
    firn_storage storage = open_storage(folder);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        os_folder_put(folder, foreign[i], "mine");
    char name[128];
    memset(name, 'z', sizeof name);
    (void)snprintf(name + 67, sizeof name - 67, ".firn"); // 65 of them
    memcpy(name, "s_", 2);
    os_folder_put(folder, name, "mine");
    put_good(&storage, "b", "four");
    put_good(&storage, "b", "five!");
    put_good(&storage, "-rf", "1");
    os_folder_put(folder, "s_gone.firn.bak", "22");
    seen_list seen = {""};
    firn_error err;
    assert_ok(storage.list(storage.user, see_entry, &seen, &err), &err);
    assert_string_equal(seen.text, "-rf=1 b=5 gone=2!0 ");
    firn_storage_close(&storage);
}

static void an_entry_with_only_a_backup_can_be_read_made_and_removed(void **state)
{
    const os_folder *folder = *state;
    firn_storage storage = open_storage(folder);
    firn_error err;
    firn_revision revision;
    firn_buffer out = {0};
    os_folder_put(folder, "s_x.firn.bak", "old");
    assert_ok(storage.get(storage.user, "x", FIRN_BACKUP, 3, &out, &revision, &err), &err);
    assert_int_equal(revision, FIRN_REVISION_NONE);
    firn_buffer_free(&out);
    assert_int_equal(storage.get(storage.user, "x", FIRN_CURRENT, 3, &out, NULL, &err),
                     FIRN_NOT_FOUND);
    assert_int_equal(storage.remove(storage.user, "x", 77, &err), FIRN_NOT_FOUND);
    assert_ok(put_text(&storage, "x", FIRN_REVISION_NONE, "new", &revision, &err), &err);
    assert_file(folder, "s_x.firn.bak", "old");
    assert_int_equal(unlink(os_folder_path(folder, "s_x.firn")), 0);
    assert_ok(storage.remove(storage.user, "x", FIRN_REVISION_NONE, &err), &err);
    assert_entries(folder, 1);
    firn_storage_close(&storage);
}

// ---- others

static void a_change_behind_its_back_is_a_conflict(void **state)
{
    const os_folder *folder = *state;
    firn_storage one = open_storage(folder), two = open_storage(folder);
    firn_revision mine = put_good(&one, "x", "mine"), revision;
    firn_error err;
    put_good(&two, "x", "your");
    assert_int_equal(put_text(&one, "x", mine, "again", &revision, &err), FIRN_CONFLICT);
    assert_error(&err, FIRN_CONFLICT, "x");
    mine = put_good(&one, "x", "mine");
    os_folder_put(folder, "s_x.firn", "else"); // the same file, without the lock
    assert_int_equal(one.remove(one.user, "x", mine, &err), FIRN_CONFLICT);
    assert_file(folder, "s_x.firn", "else");
    firn_storage_close(&one);
    firn_storage_close(&two);
}

// A clock that was set back does not make a revision that was there before.
static void the_time_of_a_file_never_goes_back(void **state)
{
    const os_folder *folder = *state;
    firn_storage storage = open_storage(folder);
    put_good(&storage, "x", "one");
    const char *path = os_folder_path(folder, "s_x.firn");
    struct timespec future[] = {{.tv_sec = 2000000000, .tv_nsec = 999999999},
                                {.tv_sec = 2000000000, .tv_nsec = 999999999}};
    struct stat status;
    assert_int_equal(utimensat(AT_FDCWD, path, future, 0), 0);
    put_good(&storage, "x", "two");
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_mtime >= 2000000001);
    firn_storage_close(&storage);
}

// Each adds one to a number, as often as it is told, and begins again where another one was faster.
static int count_up(const os_folder *folder, int times)
{
    firn_storage storage = open_storage(folder);
    for (int i = 0; i < times;) {
        firn_buffer out = {0};
        firn_revision revision;
        char text[32] = "";
        if (storage.get(storage.user, "n", FIRN_CURRENT, 31, &out, &revision, NULL) != FIRN_OK)
            return 1;
        memcpy(text, out.data, out.size);
        firn_buffer_free(&out);
        (void)snprintf(text, sizeof text, "%ld", strtol(text, NULL, 10) + 1);
        firn_result result = put_text(&storage, "n", revision, text, &revision, NULL);
        if (result != FIRN_OK && result != FIRN_CONFLICT)
            return 2;
        i += result == FIRN_OK;
    }
    firn_storage_close(&storage);
    return 0;
}

static void processes_that_change_one_entry_lose_nothing(void **state)
{
    const os_folder *folder = *state;
    firn_storage storage = open_storage(folder);
    put_good(&storage, "n", "0");
    pid_t children[3];
    for (int i = 0; i < 3; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(count_up(folder, 20));
    }
    for (int i = 0; i < 3; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_file(folder, "s_n.firn", "60");
    firn_storage_close(&storage);
}

// ---- where it is

static void wrong_arguments_are_named(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    firn_allocator none = {NULL, NULL};
    firn_storage out = {.abi = 7};
    const struct {
        firn_folder_desc desc;
        const char *subject;
    } wrong[] = {
        {{.path = NULL}, "path"},
        {{.path = folder->path, .game = "game"}, "path"},
        {{.path = ""}, "path"},
        {{.game = "a/b"}, "game"},
        {{.path = folder->path, .reserved = {0, 0, 0, 1}}, "firn_folder_desc"},
        {{.path = folder->path, .allocator = &none}, "allocator"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(firn_storage_folder(&wrong[i].desc, &out, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, wrong[i].subject);
    }
    assert_int_equal(firn_storage_folder(NULL, &out, &err), FIRN_INVALID);
    firn_folder_desc desc = {.path = folder->path};
    assert_int_equal(firn_storage_folder(&desc, NULL, &err), FIRN_INVALID);
    os_folder_put(folder, "file", "mine");
    desc.path = os_folder_path(folder, "file/saves");
    assert_int_equal(firn_storage_folder(&desc, &out, &err), FIRN_IO);
    assert_error(&err, FIRN_IO, "file/saves");
    desc.path = os_folder_path(folder, "file");
    assert_int_equal(firn_storage_folder(&desc, &out, &err), FIRN_IO);
    assert_int_equal(out.abi, 7);
}

static void assert_saves_folder(const char *game, const char *path)
{
    firn_error err;
    firn_buffer out = {0};
    assert_ok(firn_buffer_append(&out, ">", 1, &err), &err);
    assert_ok(firn_saves_folder(game, &out, &err), &err);
    assert_string_equal((const char *)out.data + 1, path);
    assert_int_equal(out.size, 1 + strlen(path));
    firn_buffer_free(&out);
}

static void K12_saves_are_in_the_data_folder_of_the_user(void **state)
{
    const os_folder *folder = *state;
    char expected[PATH_MAX + 32];
    firn_error err;
    firn_storage storage;
    (void)setenv("HOME", folder->path, 1);
    (void)setenv("XDG_DATA_HOME", "/data", 1);
    assert_saves_folder("my.game-1_A", "/data/my.game-1_A/saves");
    (void)setenv("XDG_DATA_HOME", "data", 1); // which the specification has ignored
    (void)snprintf(expected, sizeof expected, "%s/.local/share/g/saves", folder->path);
    assert_saves_folder("g", expected);
    (void)unsetenv("XDG_DATA_HOME");
    assert_saves_folder("g", expected);
    firn_folder_desc desc = {.game = "g"};
    assert_ok(firn_storage_folder(&desc, &storage, &err), &err);
    put_good(&storage, "x", "one");
    assert_file(folder, ".local/share/g/saves/s_x.firn", "one");
    firn_storage_close(&storage);

    firn_buffer out = {0};
    (void)unsetenv("HOME");
    assert_int_equal(firn_saves_folder("g", &out, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "HOME");
    assert_int_equal(firn_storage_folder(&desc, &storage, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_saves_folder("g", NULL, &err), FIRN_INVALID);
    assert_int_equal(firn_saves_folder("..", &out, &err), FIRN_INVALID);
    assert_int_equal(out.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        os_test(an_entry_is_a_file_and_its_backup),
        os_test(opening_makes_the_folder_for_this_user_alone),
        os_test(a_relative_path_is_of_the_folder_at_opening),
        os_test(a_relative_path_needs_a_current_folder),
        os_test(a_name_that_is_none_reaches_no_file),
        os_test(a_put_makes_a_folder_that_was_removed_meanwhile),
        os_test(opening_removes_what_killed_writers_left),
        os_test(nothing_is_left_open),
        os_test(a_folder_in_place_of_a_file_is_said_to_be_one),
        os_test(a_symbolic_link_is_not_followed),
        os_test(a_device_is_no_file),
        os_test(a_folder_in_place_of_the_backup_is_in_the_way),
        os_test(an_unreadable_file_is_refused_by_the_system),
        os_test(an_empty_file_is_an_empty_entry),
        os_test(a_folder_without_rights_can_be_read),
        os_test(a_list_has_our_files_alone_and_those_with_only_a_backup),
        os_test(an_entry_with_only_a_backup_can_be_read_made_and_removed),
        os_test(a_change_behind_its_back_is_a_conflict),
        os_test(the_time_of_a_file_never_goes_back),
        os_test(processes_that_change_one_entry_lose_nothing),
        os_test(wrong_arguments_are_named),
        os_test(K12_saves_are_in_the_data_folder_of_the_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
