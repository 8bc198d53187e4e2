// Growable bytes.
#include <string.h>

#include "firn/value.h"
#include "support/support.h"

static void a_zeroed_buffer_is_empty_and_usable(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer buffer = {0};
    firn_buffer_clear(&buffer);
    assert_ok(firn_buffer_append(&buffer, "abc", 3, &err), &err);
    assert_int_equal(buffer.size, 3);
    assert_memory_equal(buffer.data, "abc", 3);
    firn_buffer_free(&buffer);
    assert_null(buffer.data);
    assert_int_equal(buffer.size + buffer.capacity, 0);
    firn_buffer_free(&buffer);
}

static void appending_keeps_all_bytes_through_growth(void **state)
{
    (void)state;
    test_allocator memory;
    firn_buffer buffer;
    test_allocator_init(&memory);
    firn_buffer_init(&buffer, &memory.allocator);
    for (uint32_t i = 0; i < 20000; i++) {
        uint8_t byte = (uint8_t)(i * 7);
        assert_int_equal(firn_buffer_append(&buffer, &byte, 1, NULL), FIRN_OK);
        assert_int_equal((uintptr_t)buffer.data % 64, 0);
    }
    for (uint32_t i = 0; i < 20000; i++)
        assert_int_equal(buffer.data[i], (uint8_t)(i * 7));
    // Growth is geometric.
    assert_in_range(memory.calls, 2, 40);
    firn_buffer_free(&buffer);
    assert_no_leak(&memory);
}

static void reserve_makes_room_without_changing_size(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer buffer = {0};
    assert_ok(firn_buffer_reserve(&buffer, 0, &err), &err);
    assert_null(buffer.data);
    assert_ok(firn_buffer_reserve(&buffer, 1000, &err), &err);
    assert_int_equal(buffer.size, 0);
    assert_true(buffer.capacity >= 1000);
    const uint8_t *data = buffer.data;
    assert_ok(firn_buffer_reserve(&buffer, 1000, &err), &err);
    assert_ptr_equal(buffer.data, data);
    firn_buffer_free(&buffer);
}

static void clear_keeps_the_memory(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer buffer = {0};
    assert_ok(firn_buffer_append(&buffer, "abc", 3, &err), &err);
    size_t capacity = buffer.capacity;
    firn_buffer_clear(&buffer);
    assert_int_equal(buffer.size, 0);
    assert_int_equal(buffer.capacity, capacity);
    firn_buffer_free(&buffer);
}

static void a_size_that_fits_no_memory_is_a_limit(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer buffer = {0};
    assert_ok(firn_buffer_append(&buffer, "abc", 3, &err), &err);
    assert_int_equal(firn_buffer_reserve(&buffer, SIZE_MAX, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "buffer");
    assert_int_equal(firn_buffer_reserve(&buffer, SIZE_MAX - 3, &err), FIRN_LIMIT);
    assert_int_equal(buffer.size, 3);
    assert_memory_equal(buffer.data, "abc", 3);
    firn_buffer_free(&buffer);
}

static void no_memory_leaves_the_buffer_as_it_was(void **state)
{
    (void)state;
    firn_error err;
    test_allocator memory;
    firn_buffer buffer;
    test_allocator_init(&memory);
    firn_buffer_init(&buffer, &memory.allocator);
    assert_ok(firn_buffer_append(&buffer, "abc", 3, &err), &err);
    test_allocator_fail_at(&memory, 1, true);
    static const uint8_t many[5000];
    assert_int_equal(firn_buffer_append(&buffer, many, sizeof many, &err), FIRN_NO_MEMORY);
    assert_error(&err, FIRN_NO_MEMORY, "buffer");
    assert_int_equal(buffer.size, 3);
    assert_memory_equal(buffer.data, "abc", 3);
    firn_buffer_free(&buffer);
    assert_no_leak(&memory);
}

static void null_is_an_error_or_nothing(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer buffer = {0};
    firn_buffer_init(NULL, NULL);
    firn_buffer_free(NULL);
    firn_buffer_clear(NULL);
    assert_int_equal(firn_buffer_reserve(NULL, 1, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "buffer");
    assert_int_equal(firn_buffer_append(NULL, "a", 1, &err), FIRN_INVALID);
    assert_int_equal(firn_buffer_append(&buffer, NULL, 1, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "bytes");
    assert_ok(firn_buffer_append(&buffer, NULL, 0, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zeroed_buffer_is_empty_and_usable),
        cmocka_unit_test(appending_keeps_all_bytes_through_growth),
        cmocka_unit_test(reserve_makes_room_without_changing_size),
        cmocka_unit_test(clear_keeps_the_memory),
        cmocka_unit_test(a_size_that_fits_no_memory_is_a_limit),
        cmocka_unit_test(no_memory_leaves_the_buffer_as_it_was),
        cmocka_unit_test(null_is_an_error_or_nothing),
    };
    return cmocka_run_group_tests_name("buffer_bytes", tests, NULL, NULL);
}
