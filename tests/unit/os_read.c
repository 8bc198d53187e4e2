#include "unit/os_folder.h"

#include "base/alloc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_LIMIT UINT64_MAX

// A buffer that already holds "head".
static void begin_with_head(firn_buffer *out, const firn_allocator *allocator)
{
    *out = (firn_buffer){.size = 4, .capacity = 4, .allocator = *allocator};
    out->data = fr_alloc(allocator, out->capacity, 1, FR_CACHE_LINE);
    assert_non_null(out->data);
    memcpy(out->data, "head", 4);
}

static void drop_bytes(firn_buffer *out)
{
    fr_free(&out->allocator, out->data, out->capacity, 1, FR_CACHE_LINE);
}

static void assert_bytes(const firn_buffer *out, const char *text)
{
    assert_int_equal(out->size, strlen(text));
    assert_true(out->size <= out->capacity);
    assert_memory_equal(out->data, text, out->size);
}

// ---- what it does

static void read_gives_the_whole_file(void **state)
{
    const os_folder *folder = *state;
    firn_buffer out = {0};
    firn_error err;
    os_folder_put(folder, "a.firn", "some bytes");
    assert_ok(fr_file_read(os_folder_path(folder, "a.firn"), NO_LIMIT, &out, &err), &err);
    assert_bytes(&out, "some bytes");
    assert_int_equal((uintptr_t)out.data % FR_CACHE_LINE, 0);
    drop_bytes(&out);
}

static void read_appends_to_what_the_buffer_holds(void **state)
{
    const os_folder *folder = *state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_buffer out;
    firn_error err;
    begin_with_head(&out, &memory.allocator);
    os_folder_put(folder, "a.firn", " and tail");
    assert_ok(fr_file_read(os_folder_path(folder, "a.firn"), NO_LIMIT, &out, &err), &err);
    assert_bytes(&out, "head and tail");
    drop_bytes(&out);
    assert_no_leak(&memory);
}

static void read_takes_an_empty_file(void **state)
{
    const os_folder *folder = *state;
    firn_buffer out = {0};
    firn_error err;
    os_folder_put(folder, "a.firn", "");
    assert_ok(fr_file_read(os_folder_path(folder, "a.firn"), 0, &out, &err), &err);
    assert_int_equal(out.size, 0);
    drop_bytes(&out);
}

static void read_takes_a_file_as_large_as_the_limit(void **state)
{
    const os_folder *folder = *state;
    firn_buffer out = {0};
    firn_error err;
    os_folder_put(folder, "a.firn", "12345");
    assert_ok(fr_file_read(os_folder_path(folder, "a.firn"), 5, &out, &err), &err);
    assert_bytes(&out, "12345");
    drop_bytes(&out);
}

static void read_follows_a_symbolic_link(void **state)
{
    const os_folder *folder = *state;
    firn_buffer out = {0};
    firn_error err;
    os_folder_put(folder, "elsewhere", "some bytes");
    assert_int_equal(symlink("elsewhere", os_folder_path(folder, "a.firn")), 0);
    assert_ok(fr_file_read(os_folder_path(folder, "a.firn"), NO_LIMIT, &out, &err), &err);
    assert_bytes(&out, "some bytes");
    drop_bytes(&out);
}

static void a_read_into_a_warm_buffer_takes_no_memory(void **state)
{
    const os_folder *folder = *state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_buffer out = {.allocator = memory.allocator};
    firn_error err;
    os_folder_put(folder, "a.firn", "some bytes");
    assert_ok(fr_file_read(os_folder_path(folder, "a.firn"), NO_LIMIT, &out, &err), &err);
    uint64_t calls = memory.calls;
    out.size = 0;
    assert_ok(fr_file_read(os_folder_path(folder, "a.firn"), NO_LIMIT, &out, &err), &err);
    assert_bytes(&out, "some bytes");
    assert_int_equal(memory.calls, calls);
    drop_bytes(&out);
    assert_no_leak(&memory);
}

// ---- files that change meanwhile: the allocator is called between fstat and the first read

typedef struct meddler {
    test_allocator memory;
    const char *path;
    off_t size; // what the file is made to be, once
} meddler;

static void *meddling_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    meddler *self = user;
    if (new_size > 0 && self->size >= 0) {
        assert_int_equal(truncate(self->path, self->size), 0);
        self->size = -1;
    }
    return self->memory.allocator.resize(self->memory.allocator.user, ptr, old_size, new_size,
                                         align);
}

static firn_result read_while_it_becomes(const os_folder *folder, off_t size, uint64_t limit,
                                         firn_buffer *out, meddler *self, firn_error *err)
{
    os_folder_put(folder, "a.firn", "0123456789");
    *self = (meddler){.path = os_folder_path(folder, "a.firn"), .size = size};
    test_allocator_init(&self->memory);
    *out = (firn_buffer){.allocator = {meddling_resize, self}};
    return fr_file_read(self->path, limit, out, err);
}

static void read_gives_all_of_a_file_that_grows_meanwhile(void **state)
{
    meddler self;
    firn_buffer out;
    firn_error err;
    assert_ok(read_while_it_becomes(*state, 5000, 5000, &out, &self, &err), &err);
    assert_int_equal(out.size, 5000);
    assert_memory_equal(out.data, "0123456789\0", 11);
    assert_int_equal(out.data[4999], 0);
    drop_bytes(&out);
    assert_no_leak(&self.memory);
}

static void read_refuses_a_file_that_grows_above_the_limit(void **state)
{
    meddler self;
    firn_buffer out;
    firn_error err;
    assert_int_equal(read_while_it_becomes(*state, 5000, 4999, &out, &self, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "a.firn");
    assert_int_equal(out.size, 0);
    drop_bytes(&out);
    assert_no_leak(&self.memory);
}

static void read_refuses_a_file_that_shrinks_meanwhile(void **state)
{
    meddler self;
    firn_buffer out;
    firn_error err;
    assert_int_equal(read_while_it_becomes(*state, 9, NO_LIMIT, &out, &self, &err), FIRN_IO);
    assert_error(&err, FIRN_IO, "a.firn");
    assert_non_null(strstr(err.message, "shrank"));
    assert_int_equal(out.size, 0);
    drop_bytes(&out);
    assert_no_leak(&self.memory);
}

// ---- what it refuses

// Reads `name` into a buffer that holds "head" and must go on to hold just that.
static void assert_read_fails(const os_folder *folder, const char *name, uint64_t limit,
                              firn_result expected, const char *words)
{
    test_allocator memory;
    test_allocator_init(&memory);
    firn_buffer out;
    firn_error err;
    begin_with_head(&out, &memory.allocator);
    uint64_t calls = memory.calls;
    const char *path = name[0] == '/' ? name : os_folder_path(folder, name);
    assert_int_equal(fr_file_read(path, limit, &out, &err), expected);
    assert_error(&err, expected, name);
    if (strstr(err.message, words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", err.message, words);
    }
    assert_bytes(&out, "head");
    assert_int_equal(memory.calls, calls);
    drop_bytes(&out);
    assert_no_leak(&memory);
}

static void read_refuses_arguments_that_are_NULL_or_empty(void **state)
{
    (void)state;
    firn_buffer out = {0};
    firn_error err;
    assert_int_equal(fr_file_read(NULL, NO_LIMIT, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "path");
    assert_int_equal(fr_file_read("", NO_LIMIT, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "path");
    assert_int_equal(fr_file_read("a.firn", NO_LIMIT, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_null(out.data);
}

static void read_finds_no_file(void **state)
{
    assert_read_fails(*state, "a.firn", NO_LIMIT, FIRN_NOT_FOUND,
                      "a.firn: opening the file: No such");
    assert_read_fails(*state, "missing/a.firn", NO_LIMIT, FIRN_NOT_FOUND, "No such file");
}

static void read_refuses_a_file_above_the_limit_before_it_takes_memory(void **state)
{
    os_folder_put(*state, "a.firn", "123456");
    assert_read_fails(*state, "a.firn", 5, FIRN_LIMIT, "6 bytes are more than the limit of 5");
}

static void read_refuses_a_folder(void **state)
{
    const os_folder *folder = *state;
    assert_int_equal(mkdir(os_folder_path(folder, "a.firn"), 0777), 0);
    assert_read_fails(folder, "a.firn", NO_LIMIT, FIRN_IO, "is a folder");
}

static void read_refuses_a_file_in_place_of_the_folder(void **state)
{
    os_folder_put(*state, "file", "old");
    assert_read_fails(*state, "file/a.firn", NO_LIMIT, FIRN_IO, "Not a directory");
}

static void read_refuses_a_fifo_and_does_not_wait_for_its_writer(void **state)
{
    const os_folder *folder = *state;
    assert_int_equal(mkfifo(os_folder_path(folder, "a.firn"), 0666), 0);
    assert_read_fails(folder, "a.firn", NO_LIMIT, FIRN_IO, "is not a regular file");
}

static void read_refuses_a_device(void **state)
{
    assert_read_fails(*state, "/dev/zero", NO_LIMIT, FIRN_IO, "is not a regular file");
}

static void read_refuses_a_file_that_this_user_may_not_read(void **state)
{
    const os_folder *folder = *state;
    os_folder_put(folder, "a.firn", "secret");
    assert_int_equal(chmod(os_folder_path(folder, "a.firn"), 0), 0);
    if (!os_leave_root(folder)) {
        skip();
    }
    firn_buffer out = {0};
    firn_error err;
    firn_result result = fr_file_read(os_folder_path(folder, "a.firn"), NO_LIMIT, &out, &err);
    os_back_to_root();
    assert_int_equal(result, FIRN_IO);
    assert_error(&err, FIRN_IO, "a.firn");
    assert_non_null(strstr(err.message, "Permission denied"));
    assert_null(out.data);
}

static void read_without_memory_leaves_the_buffer_as_it_was(void **state)
{
    const os_folder *folder = *state;
    test_allocator memory;
    test_allocator_init(&memory);
    os_folder_put(folder, "a.firn", " and tail");
    uint64_t failures = 0;
    for (;;) {
        firn_buffer out;
        firn_error err;
        test_allocator_fail_at(&memory, 0, false);
        begin_with_head(&out, &memory.allocator);
        test_allocator_fail_at(&memory, failures + 1, false);
        firn_result result = fr_file_read(os_folder_path(folder, "a.firn"), NO_LIMIT, &out, &err);
        bool injected = memory.injected;
        assert_bytes(&out, injected ? "head" : "head and tail");
        drop_bytes(&out);
        assert_no_leak(&memory);
        if (!injected) {
            assert_ok(result, &err);
            break;
        }
        assert_int_equal(result, FIRN_NO_MEMORY);
        assert_error(&err, FIRN_NO_MEMORY, "a.firn");
        failures++;
    }
    assert_true(failures > 0);
}

// Linux: the memory of a process is a regular file, and nothing is mapped at its start.
static void a_read_that_fails_is_an_io_error_and_leaves_the_buffer_as_it_was(void **state)
{
    (void)state;
    if (access("/proc/self/mem", R_OK) != 0) {
        skip();
    }
    firn_buffer out;
    firn_error err;
    begin_with_head(&out, firn_allocator_default());
    assert_int_equal(fr_file_read("/proc/self/mem", NO_LIMIT, &out, &err), FIRN_IO);
    assert_error(&err, FIRN_IO, "/proc/self/mem");
    assert_bytes(&out, "head");
    drop_bytes(&out);
}

static void read_leaves_no_descriptor_open(void **state)
{
    const os_folder *folder = *state;
    int before = os_open_descriptors();
    firn_buffer out = {0};
    os_folder_put(folder, "a.firn", "12345");
    assert_int_equal(fr_file_read(os_folder_path(folder, "a.firn"), 5, &out, NULL), FIRN_OK);
    assert_int_equal(fr_file_read(os_folder_path(folder, "a.firn"), 4, &out, NULL), FIRN_LIMIT);
    assert_int_equal(fr_file_read(folder->path, 5, &out, NULL), FIRN_IO);
    assert_int_equal(os_open_descriptors(), before);
    drop_bytes(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        os_test(read_gives_the_whole_file),
        os_test(read_appends_to_what_the_buffer_holds),
        os_test(read_takes_an_empty_file),
        os_test(read_takes_a_file_as_large_as_the_limit),
        os_test(read_follows_a_symbolic_link),
        os_test(a_read_into_a_warm_buffer_takes_no_memory),
        os_test(read_gives_all_of_a_file_that_grows_meanwhile),
        os_test(read_refuses_a_file_that_grows_above_the_limit),
        os_test(read_refuses_a_file_that_shrinks_meanwhile),
        os_test(read_refuses_arguments_that_are_NULL_or_empty),
        os_test(read_finds_no_file),
        os_test(read_refuses_a_file_above_the_limit_before_it_takes_memory),
        os_test(read_refuses_a_folder),
        os_test(read_refuses_a_file_in_place_of_the_folder),
        os_test(read_refuses_a_fifo_and_does_not_wait_for_its_writer),
        os_test(read_refuses_a_device),
        os_test(read_refuses_a_file_that_this_user_may_not_read),
        os_test(read_without_memory_leaves_the_buffer_as_it_was),
        os_test(a_read_that_fails_is_an_io_error_and_leaves_the_buffer_as_it_was),
        os_test(read_leaves_no_descriptor_open),
    };
    return cmocka_run_group_tests_name("os_read", tests, NULL, NULL);
}
