#include "unit/os_folder.h"

#include "os/temporary_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STALE "a.firn.0123456789abcdef.firn-tmp"

static void a_write_removes_what_a_killed_writer_left(void **state)
{
    const os_folder *folder = *state;
    os_folder_put(folder, STALE, "half");
    os_folder_put(folder, "a.firn.fedcba9876543210.firn-tmp", "");
    assert_ok(os_replace(folder, "a.firn", "new", NULL), NULL);
    assert_file(folder, "a.firn", "new");
    assert_entries(folder, 1);
}

static void a_write_leaves_a_temporary_file_that_is_locked(void **state)
{
    const os_folder *folder = *state;
    os_folder_put(folder, STALE, "another writer's");
    int fd = open(os_folder_path(folder, STALE), O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_ok(os_replace(folder, "a.firn", "new", NULL), NULL);
    assert_file(folder, STALE, "another writer's");
    assert_int_equal(close(fd), 0);
    assert_ok(os_replace(folder, "a.firn", "newer", NULL), NULL);
    assert_false(os_folder_has(folder, STALE));
}

static void a_write_leaves_files_of_other_names(void **state)
{
    const os_folder *folder = *state;
    static const char *const names[] = {
        "b.firn.0123456789abcdef.firn-tmp",   // of another file
        "a.firn.b.0123456789abcdef.firn-tmp", // of another file
        "a.firn.0123456789abcde.firn-tmp",    // a digit less
        "a.firn.0123456789abcdef0.firn-tmp",  // a digit more
        "a.firn.0123456789ABCDEF.firn-tmp",   // other digits
        "a.firn.0123456789abcdeg.firn-tmp",   // no digit
        "a.firn.0123456789abcdef.firn-tmp2",  // another ending
        "a.firn_0123456789abcdef.firn-tmp",   // no dot
        "a.firn.firn-tmp",                    // no digits
        "xa.firn.0123456789abcdef.firn-tmp",  // another beginning
    };
    size_t count = sizeof names / sizeof names[0];
    for (size_t i = 0; i < count; i++) {
        os_folder_put(folder, names[i], "mine");
    }
    assert_ok(os_replace(folder, "a.firn", "new", NULL), NULL);
    for (size_t i = 0; i < count; i++) {
        assert_file(folder, names[i], "mine");
    }
    assert_entries(folder, (int)count + 1);
}

static void a_write_leaves_what_is_no_regular_file(void **state)
{
    const os_folder *folder = *state;
    os_folder_put(folder, "elsewhere", "mine");
    assert_int_equal(mkdir(os_folder_path(folder, "a.firn.0000000000000000.firn-tmp"), 0777), 0);
    assert_int_equal(mkfifo(os_folder_path(folder, "a.firn.1111111111111111.firn-tmp"), 0666), 0);
    assert_int_equal(
        symlink("elsewhere", os_folder_path(folder, "a.firn.2222222222222222.firn-tmp")), 0);
    assert_ok(os_replace(folder, "a.firn", "new", NULL), NULL);
    assert_file(folder, "elsewhere", "mine");
    assert_entries(folder, 5);
}

// A killed writer can leave a second name of the old file, which was to become the backup.
static void a_write_removes_a_backup_link_that_a_killed_writer_left(void **state)
{
    const os_folder *folder = *state;
    os_folder_put(folder, "a.firn", "old");
    assert_int_equal(link(os_folder_path(folder, "a.firn"), os_folder_path(folder, STALE)), 0);
    assert_ok(os_replace(folder, "a.firn", "new", NULL), NULL);
    assert_file(folder, "a.firn", "new");
    assert_file(folder, "a.firn.bak", "old");
    assert_entries(folder, 2);
}

static void a_temporary_file_is_locked_private_and_closed_on_exec(void **state)
{
    const os_folder *folder = *state;
    int open_folder = open(folder->path, O_RDONLY | O_DIRECTORY);
    assert_true(open_folder >= 0);
    fr_temporaries temporaries;
    fr_temporaries_init(&temporaries, open_folder, "a.firn");
    char name[FR_FILE_NAME_SIZE];
    int fd = fr_temporary_create(&temporaries, 0600, name);
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);

    int other = open(os_folder_path(folder, name), O_RDWR);
    assert_true(other >= 0);
    struct stat status;
    assert_int_equal(fstat(other, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    fr_temporaries_remove_stale(&temporaries);
    assert_true(os_folder_has(folder, name));
    close(other);
    close(fd);
    fr_temporaries_remove_stale(&temporaries);
    assert_false(os_folder_has(folder, name));
    close(open_folder);
}

static void temporary_names_differ_and_carry_the_name_of_the_file(void **state)
{
    (void)state;
    fr_temporaries temporaries;
    fr_temporaries_init(&temporaries, -1, "a.firn");
    char one[FR_FILE_NAME_SIZE], two[FR_FILE_NAME_SIZE];
    fr_temporary_name(&temporaries, one);
    fr_temporary_name(&temporaries, two);
    assert_string_not_equal(one, two);
    assert_int_equal(strlen(one), strlen(STALE));
    assert_memory_equal(one, "a.firn.", 7);
    assert_string_equal(one + strlen(one) - 9, ".firn-tmp");
}

// 26 bytes of 255 go to the dot, the digits and the ending: 229 remain, which would cut the last of
// these 85 characters of three bytes into two.
static void a_long_name_is_shortened_between_two_characters(void **state)
{
    const os_folder *folder = *state;
    char name[256] = "";
    for (size_t i = 0; i < 85; i++) {
        memcpy(name + 3 * i, "\xe2\x9d\x84", 3);
    }
    fr_temporaries temporaries;
    fr_temporaries_init(&temporaries, -1, name);
    assert_int_equal(temporaries.stem_size, 228);
    char temporary[FR_FILE_NAME_SIZE];
    fr_temporary_name(&temporaries, temporary);
    assert_int_equal(strlen(temporary), 228 + 26);
    assert_memory_equal(temporary, name, 228);

    os_folder_put(folder, temporary, "half");
    assert_ok(os_replace(folder, name, "new", NULL), NULL);
    assert_file(folder, name, "new");
    assert_entries(folder, 1);
}

static int write_often(const os_folder *folder, const char *text, int times)
{
    for (int i = 0; i < times; i++) {
        firn_error err;
        if (os_replace(folder, "a.firn", text, &err) != FIRN_OK) {
            print_error("%s\n", err.message);
            return 1;
        }
    }
    return 0;
}

static void writers_in_several_processes_do_not_disturb_each_other(void **state)
{
    const os_folder *folder = *state;
    static const char *const texts[] = {"one", "two", "three"};
    pid_t writers[3];
    for (size_t i = 0; i < 3; i++) {
        writers[i] = fork();
        assert_true(writers[i] >= 0);
        if (writers[i] == 0) {
            _exit(write_often(folder, texts[i], 60));
        }
    }
    for (size_t i = 0; i < 3; i++) {
        int status = -1;
        assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
        assert_int_equal(status, 0);
    }
    size_t size = 0;
    uint8_t *last = test_read_file(os_folder_path(folder, "a.firn"), &size);
    const char *text = (const char *)last;
    assert_true(strcmp(text, "one") == 0 || strcmp(text, "two") == 0 || strcmp(text, "three") == 0);
    free(last);
    assert_true(os_folder_has(folder, "a.firn.bak"));
    assert_entries(folder, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        os_test(a_write_removes_what_a_killed_writer_left),
        os_test(a_write_leaves_a_temporary_file_that_is_locked),
        os_test(a_write_leaves_files_of_other_names),
        os_test(a_write_leaves_what_is_no_regular_file),
        os_test(a_write_removes_a_backup_link_that_a_killed_writer_left),
        os_test(a_temporary_file_is_locked_private_and_closed_on_exec),
        os_test(temporary_names_differ_and_carry_the_name_of_the_file),
        os_test(a_long_name_is_shortened_between_two_characters),
        os_test(writers_in_several_processes_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests_name("os_temporary", tests, NULL, NULL);
}
