#include "unit/os_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    return status.st_mode & 07777;
}

// ---- what it does

static void replace_makes_a_new_file(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    assert_ok(os_replace(folder, "a.firn", "new", &err), &err);
    assert_file(folder, "a.firn", "new");
    assert_entries(folder, 1);
}

static void replace_keeps_the_old_file_as_the_backup(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    os_folder_put(folder, "a.firn", "old");
    assert_ok(os_replace(folder, "a.firn", "new", &err), &err);
    assert_file(folder, "a.firn", "new");
    assert_file(folder, "a.firn.bak", "old");
    assert_entries(folder, 2);
}

static void replace_replaces_an_older_backup(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    os_folder_put(folder, "a.firn.bak", "older");
    os_folder_put(folder, "a.firn", "old");
    assert_ok(os_replace(folder, "a.firn", "new", &err), &err);
    assert_file(folder, "a.firn.bak", "old");
    assert_entries(folder, 2);
}

// What a crash between the backup and the rename leaves: then a rename of the link does nothing.
static void replace_takes_a_backup_that_is_the_old_file_itself(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    os_folder_put(folder, "a.firn", "old");
    assert_int_equal(link(os_folder_path(folder, "a.firn"), os_folder_path(folder, "a.firn.bak")),
                     0);
    assert_ok(os_replace(folder, "a.firn", "new", &err), &err);
    assert_file(folder, "a.firn", "new");
    assert_file(folder, "a.firn.bak", "old");
    assert_entries(folder, 2);
}

static void replace_writes_an_empty_file(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    assert_ok(fr_file_replace(NULL, os_folder_path(folder, "a.firn"), NULL, 0, &err), &err);
    assert_file(folder, "a.firn", "");
}

static void replace_writes_several_megabytes(void **state)
{
    const os_folder *folder = *state;
    size_t size = (size_t)5 * 1024 * 1024 + 3, got = 0;
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    test_random random = {7};
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)test_random_below(&random, 256);
    }
    firn_error err;
    assert_ok(fr_file_replace(NULL, os_folder_path(folder, "a.firn"), bytes, size, &err), &err);
    uint8_t *back = test_read_file(os_folder_path(folder, "a.firn"), &got);
    assert_int_equal(got, size);
    assert_memory_equal(back, bytes, size);
    free(back);
    free(bytes);
}

static void replace_takes_a_path_without_a_folder(void **state)
{
    const os_folder *folder = *state;
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder->path), 0);
    firn_error err = {0};
    firn_result result = fr_file_replace(NULL, "a.firn", "new", 3, &err);
    assert_int_equal(chdir(before), 0);
    assert_ok(result, &err);
    assert_file(folder, "a.firn", "new");
}

static void replace_gives_the_new_file_the_permissions_of_the_old_one(void **state)
{
    const os_folder *folder = *state;
    firn_error err = {0};
    os_folder_put(folder, "a.firn", "old");
    assert_int_equal(chmod(os_folder_path(folder, "a.firn"), 0646), 0);
    mode_t before = umask(077);
    firn_result result = os_replace(folder, "a.firn", "new", &err);
    umask(before);
    assert_ok(result, &err);
    assert_int_equal(mode_of(os_folder_path(folder, "a.firn")), 0646);
}

static void replace_makes_a_new_file_as_the_umask_wants(void **state)
{
    const os_folder *folder = *state;
    firn_error err = {0};
    mode_t before = umask(027);
    firn_result result = os_replace(folder, "a.firn", "new", &err);
    umask(before);
    assert_ok(result, &err);
    assert_int_equal(mode_of(os_folder_path(folder, "a.firn")), 0640);
}

static void replace_takes_the_longest_name_but_then_keeps_no_backup(void **state)
{
    const os_folder *folder = *state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    firn_error err;
    assert_ok(os_replace(folder, name, "old", &err), &err);
    assert_ok(os_replace(folder, name, "new", &err), &err);
    assert_file(folder, name, "new");
    assert_entries(folder, 1);
}

static void replace_works_without_an_error_record_and_success_does_not_touch_one(void **state)
{
    const os_folder *folder = *state;
    firn_error err, before;
    memset(&before, 0x5a, sizeof before);
    err = before;
    assert_int_equal(os_replace(folder, "a.firn", "new", NULL), FIRN_OK);
    assert_int_equal(os_replace(folder, "a.firn", "new", &err), FIRN_OK);
    assert_memory_equal(&err, &before, sizeof err);
    assert_int_equal(os_replace(folder, "missing/a.firn", "new", NULL), FIRN_NOT_FOUND);
}

// ---- what it refuses

static void replace_refuses_a_path_that_is_NULL_or_empty(void **state)
{
    (void)state;
    firn_error err;
    assert_int_equal(fr_file_replace(NULL, NULL, "new", 3, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "path");
    assert_non_null(strstr(err.message, "NULL"));
    assert_int_equal(fr_file_replace(NULL, "", "new", 3, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "path");
    assert_non_null(strstr(err.message, "empty"));
}

static void replace_refuses_bytes_that_are_NULL(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    const char *path = os_folder_path(folder, "a.firn");
    assert_int_equal(fr_file_replace(NULL, path, NULL, 3, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "bytes");
    assert_entries(folder, 0);
}

static void replace_finds_no_folder(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    assert_int_equal(os_replace(folder, "missing/a.firn", "new", &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "missing/a.firn");
    assert_non_null(strstr(err.message, "missing/a.firn: opening its folder: No such file"));
    assert_entries(folder, 0);
}

static void replace_refuses_a_file_in_place_of_the_folder(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    os_folder_put(folder, "file", "old");
    assert_int_equal(os_replace(folder, "file/a.firn", "new", &err), FIRN_IO);
    assert_error(&err, FIRN_IO, "file/a.firn");
    assert_file(folder, "file", "old");
}

static void replace_refuses_a_folder_in_place_of_the_file(void **state)
{
    const os_folder *folder = *state;
    assert_int_equal(mkdir(os_folder_path(folder, "a.firn"), 0777), 0);
    static const char *const names[] = {"a.firn", "a.firn/", "a.firn/.", "a.firn/.."};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        firn_error err;
        assert_int_equal(os_replace(folder, names[i], "new", &err), FIRN_IO);
        assert_error(&err, FIRN_IO, names[i]);
        assert_non_null(strstr(err.message, "folder"));
        assert_entries(folder, 1);
    }
}

static void replace_refuses_a_symbolic_link_and_leaves_its_target_alone(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    os_folder_put(folder, "elsewhere", "old");
    assert_int_equal(symlink("elsewhere", os_folder_path(folder, "a.firn")), 0);
    assert_int_equal(os_replace(folder, "a.firn", "new", &err), FIRN_IO);
    assert_error(&err, FIRN_IO, "a.firn");
    assert_non_null(strstr(err.message, "symbolic link"));
    assert_file(folder, "elsewhere", "old");
    assert_entries(folder, 2);
}

static void replace_refuses_a_fifo(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    assert_int_equal(mkfifo(os_folder_path(folder, "a.firn"), 0666), 0);
    assert_int_equal(os_replace(folder, "a.firn", "new", &err), FIRN_IO);
    assert_error(&err, FIRN_IO, "a.firn");
    assert_non_null(strstr(err.message, "not a regular file"));
    assert_entries(folder, 1);
}

static void replace_refuses_a_read_only_file_even_for_root(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    os_folder_put(folder, "a.firn", "old");
    assert_int_equal(chmod(os_folder_path(folder, "a.firn"), 0444), 0);
    assert_int_equal(os_replace(folder, "a.firn", "new", &err), FIRN_IO);
    assert_error(&err, FIRN_IO, "a.firn");
    assert_non_null(strstr(err.message, "read-only"));
    assert_file(folder, "a.firn", "old");
    assert_entries(folder, 1);
}

// Somebody may write it: root, or else the file's group, but not who asks.
static void replace_refuses_a_file_that_this_user_may_not_write(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    os_folder_put(folder, "a.firn", "old");
    assert_int_equal(chmod(os_folder_path(folder, "a.firn"), geteuid() == 0 ? 0644 : 0464), 0);
    assert_int_equal(chmod(folder->path, 0777), 0);
    if (!os_leave_root(folder)) {
        skip();
    }
    firn_result result = os_replace(folder, "a.firn", "new", &err);
    os_back_to_root();
    assert_int_equal(result, FIRN_IO);
    assert_error(&err, FIRN_IO, "a.firn");
    assert_non_null(strstr(err.message, "read-only: Permission denied"));
    assert_file(folder, "a.firn", "old");
    assert_entries(folder, 1);
}

static void replace_refuses_a_read_only_folder(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    os_folder_put(folder, "a.firn", "old");
    assert_int_equal(chmod(os_folder_path(folder, "a.firn"), 0666), 0);
    assert_int_equal(chmod(folder->path, 0555), 0);
    if (!os_leave_root(folder)) {
        skip();
    }
    firn_result result = os_replace(folder, "a.firn", "new", &err);
    os_back_to_root();
    assert_int_equal(result, FIRN_IO);
    assert_error(&err, FIRN_IO, "a.firn");
    assert_non_null(strstr(err.message, "making a temporary file beside it: Permission denied"));
    assert_file(folder, "a.firn", "old");
    assert_entries(folder, 1);
}

static void replace_refuses_a_name_that_is_too_long(void **state)
{
    const os_folder *folder = *state;
    char name[257];
    memset(name, 'n', 256);
    name[256] = '\0';
    firn_error err;
    assert_int_equal(os_replace(folder, name, "new", &err), FIRN_IO);
    assert_error(&err, FIRN_IO, "firn-os-");
    assert_non_null(strstr(err.message, "naming the file: File name too long"));
    assert_entries(folder, 0);
}

static void replace_refuses_a_backup_name_that_is_a_folder(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    os_folder_put(folder, "a.firn", "old");
    assert_int_equal(mkdir(os_folder_path(folder, "a.firn.bak"), 0777), 0);
    assert_int_equal(os_replace(folder, "a.firn", "new", &err), FIRN_IO);
    assert_error(&err, FIRN_IO, "a.firn");
    assert_non_null(strstr(err.message, "backup"));
    assert_file(folder, "a.firn", "old");
    assert_entries(folder, 2);
}

static void a_message_about_a_long_path_still_names_the_step(void **state)
{
    const os_folder *folder = *state;
    char name[1200];
    for (size_t i = 0; i < sizeof name; i++) {
        name[i] = i % 100 == 0 ? '/' : 'p';
    }
    name[sizeof name - 1] = '\0';
    firn_error err;
    assert_int_equal(os_replace(folder, name, "new", &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "firn-os-");
    assert_non_null(strstr(err.message, "opening its folder: No such file"));
}

static void a_message_shows_a_path_with_a_line_end_on_one_line(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    assert_int_equal(os_replace(folder, "two\nlines/a.firn", "new", &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "two\\x0alines/a.firn");
}

static void replace_without_memory_changes_nothing(void **state)
{
    const os_folder *folder = *state;
    const char *path = os_folder_path(folder, "a.firn");
    os_folder_put(folder, "a.firn", "old");
    test_allocator memory;
    test_allocator_init(&memory);
    uint64_t failures = 0;
    for (;;) {
        firn_error err;
        test_allocator_fail_at(&memory, failures + 1, false);
        firn_result result = fr_file_replace(&memory.allocator, path, "new", 3, &err);
        assert_no_leak(&memory);
        if (!memory.injected) {
            assert_ok(result, &err);
            break;
        }
        assert_int_equal(result, FIRN_NO_MEMORY);
        assert_error(&err, FIRN_NO_MEMORY, "a.firn");
        assert_file(folder, "a.firn", "old");
        assert_entries(folder, 1);
        failures++;
    }
    assert_true(failures > 0);
    assert_file(folder, "a.firn", "new");
}

static void replace_leaves_no_descriptor_open(void **state)
{
    const os_folder *folder = *state;
    int before = os_open_descriptors();
    assert_int_equal(mkdir(os_folder_path(folder, "b"), 0777), 0);
    assert_int_equal(mkdir(os_folder_path(folder, "c.bak"), 0777), 0);
    os_folder_put(folder, "a.0123456789abcdef.firn-tmp", "stale");
    os_folder_put(folder, "c", "old");
    assert_int_equal(os_replace(folder, "a", "new", NULL), FIRN_OK);
    assert_int_equal(os_replace(folder, "a", "newer", NULL), FIRN_OK);
    assert_int_equal(os_replace(folder, "b", "new", NULL), FIRN_IO);
    assert_int_equal(os_replace(folder, "c", "new", NULL), FIRN_IO);
    assert_int_equal(os_open_descriptors(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        os_test(replace_makes_a_new_file),
        os_test(replace_keeps_the_old_file_as_the_backup),
        os_test(replace_replaces_an_older_backup),
        os_test(replace_takes_a_backup_that_is_the_old_file_itself),
        os_test(replace_writes_an_empty_file),
        os_test(replace_writes_several_megabytes),
        os_test(replace_takes_a_path_without_a_folder),
        os_test(replace_gives_the_new_file_the_permissions_of_the_old_one),
        os_test(replace_makes_a_new_file_as_the_umask_wants),
        os_test(replace_takes_the_longest_name_but_then_keeps_no_backup),
        os_test(replace_works_without_an_error_record_and_success_does_not_touch_one),
        os_test(replace_refuses_a_path_that_is_NULL_or_empty),
        os_test(replace_refuses_bytes_that_are_NULL),
        os_test(replace_finds_no_folder),
        os_test(replace_refuses_a_file_in_place_of_the_folder),
        os_test(replace_refuses_a_folder_in_place_of_the_file),
        os_test(replace_refuses_a_symbolic_link_and_leaves_its_target_alone),
        os_test(replace_refuses_a_fifo),
        os_test(replace_refuses_a_read_only_file_even_for_root),
        os_test(replace_refuses_a_file_that_this_user_may_not_write),
        os_test(replace_refuses_a_read_only_folder),
        os_test(replace_refuses_a_name_that_is_too_long),
        os_test(replace_refuses_a_backup_name_that_is_a_folder),
        os_test(a_message_about_a_long_path_still_names_the_step),
        os_test(a_message_shows_a_path_with_a_line_end_on_one_line),
        os_test(replace_without_memory_changes_nothing),
        os_test(replace_leaves_no_descriptor_open),
    };
    return cmocka_run_group_tests_name("os_replace", tests, NULL, NULL);
}
