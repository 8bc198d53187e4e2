// Whole files by path. The file contract itself is tested in tests/unit/os_*.c.
#include "unit/os_folder.h"

#include "firn/file.h"

#include <string.h>

static void a_file_is_replaced_and_read_back(void **state)
{
    const os_folder *folder = *state;
    const char *path = os_folder_path(folder, "a.firn");
    firn_buffer out = {0};
    firn_error err;
    assert_ok(firn_file_replace(path, "old", 3, NULL, &err), &err);
    assert_ok(firn_file_replace(path, "newer", 5, NULL, &err), &err);
    assert_ok(firn_file_read(path, 5, &out, &err), &err);
    assert_int_equal(out.size, 5);
    assert_memory_equal(out.data, "newer", 5);
    assert_file(folder, "a.firn.bak", "old");
    assert_entries(folder, 2);
    firn_buffer_free(&out);
}

static void a_file_above_the_limit_is_not_read(void **state)
{
    const os_folder *folder = *state;
    firn_buffer out = {0};
    firn_error err;
    os_folder_put(folder, "a.firn", "12345");
    assert_int_equal(firn_file_read(os_folder_path(folder, "a.firn"), 4, &out, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "a.firn");
    assert_int_equal(out.capacity, 0);
}

static void wrong_arguments_are_named(void **state)
{
    const os_folder *folder = *state;
    const char *path = os_folder_path(folder, "a.firn");
    firn_buffer out = {0};
    firn_error err;
    assert_int_equal(firn_file_read(NULL, 9, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "path");
    assert_int_equal(firn_file_read(path, 9, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_int_equal(firn_file_replace("", "x", 1, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "path");
    assert_int_equal(firn_file_replace(path, NULL, 1, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "bytes");
    assert_int_equal(firn_file_replace(path, "x", 1, &(firn_allocator){0}, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "allocator");
    assert_entries(folder, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        os_test(a_file_is_replaced_and_read_back),
        os_test(a_file_above_the_limit_is_not_read),
        os_test(wrong_arguments_are_named),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
