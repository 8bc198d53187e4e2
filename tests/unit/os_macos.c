// The branches for macOS: where the data of the user is, and what it takes there that bytes are on
// the disk.
#include "unit/macos/system.h"
#include "unit/os_folder.h"

#include "base/alloc.h"
#include "os/folder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

bool macos_has_full_sync = true;
int macos_full_syncs = 0;

#undef fcntl
int macos_fcntl(int fd, int command, ...)
{
    if (command == F_FULLFSYNC) {
        macos_full_syncs++;
        errno = ENOTSUP;
        return macos_has_full_sync ? fsync(fd) : -1;
    }
    va_list more;
    va_start(more, command);
    int argument = va_arg(more, int);
    va_end(more);
    return fcntl(fd, command, argument);
}

static void K12_saves_are_in_the_application_support_of_the_user(void **state)
{
    (void)state;
    const firn_allocator *allocator = firn_allocator_default();
    firn_error err;
    char *path = NULL;
    (void)setenv("HOME", "/Users/ann", 1);
    (void)setenv("XDG_DATA_HOME", "/data", 1);
    assert_ok(fr_data_folder(allocator, &path, &err), &err);
    assert_string_equal(path, "/Users/ann/Library/Application Support");
    fr_free_text(allocator, path);
    (void)unsetenv("HOME");
    assert_int_equal(fr_data_folder(allocator, &path, &err), FIRN_NOT_FOUND);
    assert_string_equal(err.subject, "HOME");
}

static void a_replaced_file_is_flushed_to_the_disk_itself(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    macos_full_syncs = 0;
    assert_ok(os_replace(folder, "slot", "one", &err), &err);
    assert_int_equal(macos_full_syncs, 1);
    assert_file(folder, "slot", "one");
}

static void a_file_system_without_a_full_flush_has_a_plain_one(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    macos_has_full_sync = false;
    assert_ok(os_replace(folder, "slot", "one", &err), &err);
    assert_ok(os_replace(folder, "slot", "two", &err), &err);
    macos_has_full_sync = true;
    assert_file(folder, "slot", "two");
    assert_file(folder, "slot.bak", "one");
}

static void a_folder_is_listed_and_its_files_have_times(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    assert_ok(os_replace(folder, "slot", "one", &err), &err);
    fr_file_status status = {0};
    firn_buffer out = {0};
    assert_ok(fr_file_read_status(os_folder_path(folder, "slot"), 100, &out, &status, &err), &err);
    assert_int_equal(out.size, 3);
    assert_true(status.time > 0);
    firn_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K12_saves_are_in_the_application_support_of_the_user),
        os_test(a_replaced_file_is_flushed_to_the_disk_itself),
        os_test(a_file_system_without_a_full_flush_has_a_plain_one),
        os_test(a_folder_is_listed_and_its_files_have_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
