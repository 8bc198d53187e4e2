#include "support/support.h"

#include "base/alloc.h"

#include <stdalign.h>
#include <string.h>

static const size_t alignments[] = {1, 8, 16, 64, 256, 4096};
#define ALIGNMENT_COUNT (sizeof alignments / sizeof alignments[0])

static void the_default_allocator_aligns_and_keeps_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ALIGNMENT_COUNT; i++) {
        size_t align = alignments[i];
        uint8_t *ptr = fr_alloc(NULL, 10, 10, align);
        assert_non_null(ptr);
        assert_int_equal((uintptr_t)ptr % align, 0);
        memset(ptr, 7, 100);
        ptr = fr_resize(NULL, ptr, 100, 5000, 1, align);
        assert_non_null(ptr);
        assert_int_equal((uintptr_t)ptr % align, 0);
        for (size_t at = 0; at < 100; at++) {
            assert_int_equal(ptr[at], 7);
        }
        ptr = fr_resize(NULL, ptr, 5000, 50, 1, align);
        assert_non_null(ptr);
        assert_int_equal(ptr[49], 7);
        fr_free(NULL, ptr, 50, 1, align);
    }
}

// Of so large a block the system is asked for large pages.
static void a_large_block_keeps_its_bytes_as_it_grows(void **state)
{
    (void)state;
    const size_t sizes[] = {3u << 20, 9u << 20, 5u << 20};
    for (size_t i = 0; i < ALIGNMENT_COUNT; i++) {
        uint8_t *ptr = NULL;
        size_t size = 0;
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            ptr = fr_resize(NULL, ptr, size, sizes[k], 1, alignments[i]);
            assert_non_null(ptr);
            assert_int_equal((uintptr_t)ptr % alignments[i], 0);
            for (size_t at = size; at < sizes[k]; at += 4096) {
                ptr[at] = (uint8_t)(at >> 12);
            }
            size = sizes[k];
            for (size_t at = 0; at < size; at += 4096) {
                assert_true(ptr[at] == (uint8_t)(at >> 12));
            }
        }
        fr_free(NULL, ptr, size, 1, alignments[i]);
    }
}

static void an_allocator_without_resize_is_the_default_one(void **state)
{
    (void)state;
    firn_allocator none = {NULL, NULL};
    void *ptr = fr_alloc(&none, 4, 4, 4);
    assert_non_null(ptr);
    fr_free(&none, ptr, 4, 4, 4);
}

static void every_block_goes_through_the_given_allocator(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    const firn_allocator *allocator = &memory.allocator;
    uint32_t *ptr = fr_alloc(allocator, 3, 4, 4);
    assert_non_null(ptr);
    assert_int_equal(memory.bytes, 12);
    ptr = fr_resize(allocator, ptr, 3, 30, 4, 4);
    assert_non_null(ptr);
    assert_int_equal(memory.blocks, 1);
    assert_int_equal(memory.bytes, 120);
    fr_free(allocator, ptr, 30, 4, 4);
    assert_no_leak(&memory);
    assert_true(memory.peak_bytes >= 120);
}

static void zeroed_memory_is_zero(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    uint8_t *ptr = fr_alloc_zero(&memory.allocator, 25, 4, 64);
    assert_non_null(ptr);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(ptr[i], 0);
    }
    fr_free(&memory.allocator, ptr, 25, 4, 64);
    assert_no_leak(&memory);
}

static void nothing_is_allocated_for_nothing(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    assert_null(fr_alloc(&memory.allocator, 0, 8, 8));
    assert_null(fr_alloc_zero(&memory.allocator, 8, 0, 8));
    assert_null(fr_resize(&memory.allocator, NULL, 0, 0, 8, 8));
    fr_free(&memory.allocator, NULL, 0, 8, 8);
    assert_int_equal(memory.calls, 0);
}

static void a_resize_to_nothing_frees(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    void *ptr = fr_alloc(&memory.allocator, 4, 8, 8);
    assert_non_null(ptr);
    assert_null(fr_resize(&memory.allocator, ptr, 4, 0, 8, 8));
    assert_no_leak(&memory);
}

static void a_size_that_overflows_gives_no_memory(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    assert_null(fr_alloc(&memory.allocator, SIZE_MAX / 4 + 1, 4, 4));
    assert_null(fr_alloc_zero(&memory.allocator, SIZE_MAX, 2, 4));
    uint8_t *ptr = fr_alloc(&memory.allocator, 4, 4, 4);
    assert_non_null(ptr);
    assert_null(fr_resize(&memory.allocator, ptr, 4, SIZE_MAX / 2, 4, 4));
    assert_int_equal(memory.bytes, 16);
    fr_free(&memory.allocator, ptr, 4, 4, 4);
    // Passes the multiplication, but not the rounding up to the alignment.
    assert_null(fr_alloc(NULL, SIZE_MAX - 5, 1, 64));
}

static void a_failed_resize_leaves_the_block(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    uint8_t *ptr = fr_alloc(&memory.allocator, 4, 1, 1);
    assert_non_null(ptr);
    memcpy(ptr, "firn", 4);
    test_allocator_fail_at(&memory, 1, false);
    assert_null(fr_resize(&memory.allocator, ptr, 4, 400, 1, 1));
    assert_true(memory.injected);
    assert_memory_equal(ptr, "firn", 4);
    ptr = fr_resize(&memory.allocator, ptr, 4, 400, 1, 1);
    assert_non_null(ptr);
    fr_free(&memory.allocator, ptr, 400, 1, 1);
    assert_no_leak(&memory);
}

static void an_allocator_that_fails_for_ever_fails_every_call_from_the_nth(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    test_allocator_fail_at(&memory, 2, true);
    void *ptr = fr_alloc(&memory.allocator, 1, 1, 1);
    assert_non_null(ptr);
    assert_null(fr_alloc(&memory.allocator, 1, 1, 1));
    assert_null(fr_alloc_zero(&memory.allocator, 1, 1, 1));
    fr_free(&memory.allocator, ptr, 1, 1, 1);
    assert_no_leak(&memory);
}

static void a_text_copy_ends_in_zero(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    char *copy = fr_copy_text(&memory.allocator, "snowfall", 4);
    assert_non_null(copy);
    assert_string_equal(copy, "snow");
    char *empty = fr_copy_text(&memory.allocator, NULL, 0);
    assert_non_null(empty);
    assert_string_equal(empty, "");
    fr_free_text(&memory.allocator, copy);
    fr_free_text(&memory.allocator, empty);
    fr_free_text(&memory.allocator, NULL);
    assert_no_leak(&memory);
    test_allocator_fail_at(&memory, 1, false);
    assert_null(fr_copy_text(&memory.allocator, "snow", 4));
}

static void sums_and_products_that_do_not_fit_are_noticed(void **state)
{
    (void)state;
    size_t out = 99;
    assert_true(fr_add_size(SIZE_MAX - 1, 1, &out));
    assert_true(out == SIZE_MAX);
    assert_false(fr_add_size(SIZE_MAX, 1, &out));
    assert_false(fr_add_size(1, SIZE_MAX, &out));
    assert_true(fr_multiply_size(SIZE_MAX / 3, 3, &out));
    assert_true(out == SIZE_MAX / 3 * 3);
    assert_true(fr_multiply_size(0, SIZE_MAX, &out));
    assert_int_equal(out, 0);
    assert_true(fr_multiply_size(SIZE_MAX, 0, &out));
    assert_int_equal(out, 0);
    out = 99;
    assert_false(fr_multiply_size(SIZE_MAX / 2 + 1, 2, &out));
    assert_int_equal(out, 99);
}

static void capacities_grow_by_half_and_never_overflow(void **state)
{
    (void)state;
    assert_int_equal(fr_next_capacity(100, 101, 8), 150);
    assert_int_equal(fr_next_capacity(100, 100, 8), 100);
    assert_int_equal(fr_next_capacity(100, 1000, 8), 1000);
    assert_true(fr_next_capacity(SIZE_MAX - 2, SIZE_MAX - 1, 8) == SIZE_MAX - 1);
#ifdef NDEBUG
    assert_int_equal(fr_next_capacity(0, 1, 8), 8);
#else
    assert_int_equal(fr_next_capacity(0, 1, 8), 1);
#endif
}

static void an_allocator_that_is_given_has_a_resize_function(void **state)
{
    (void)state;
    firn_error err;
    firn_allocator empty = {NULL, NULL};
    assert_ok(fr_allocator_check(NULL, &err), &err);
    assert_ok(fr_allocator_check(firn_allocator_default(), &err), &err);
    assert_int_equal(fr_allocator_check(&empty, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "allocator");
}

static void bytes_grow_and_stay_when_there_is_no_memory(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    uint8_t *data = NULL;
    size_t capacity = 0;
    assert_true(fr_grow_bytes(&memory.allocator, &data, &capacity, 0));
    assert_true(data == NULL && capacity == 0);
    assert_true(fr_grow_bytes(&memory.allocator, &data, &capacity, 5));
    assert_true(capacity >= 5);
    assert_int_equal((uintptr_t)data % FR_CACHE_LINE, 0);
    memcpy(data, "firn", 5);
    const uint8_t *before = data;
    size_t held = capacity;
    test_allocator_fail_at(&memory, 1, false);
    assert_false(fr_grow_bytes(&memory.allocator, &data, &capacity, 1000));
    assert_true(data == before && capacity == held);
    assert_true(fr_grow_bytes(&memory.allocator, &data, &capacity, 1000));
    assert_true(capacity >= 1000);
    assert_string_equal((const char *)data, "firn");
    fr_free(&memory.allocator, data, capacity, 1, FR_CACHE_LINE);
    assert_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_allocator_aligns_and_keeps_bytes),
        cmocka_unit_test(a_large_block_keeps_its_bytes_as_it_grows),
        cmocka_unit_test(an_allocator_without_resize_is_the_default_one),
        cmocka_unit_test(every_block_goes_through_the_given_allocator),
        cmocka_unit_test(zeroed_memory_is_zero),
        cmocka_unit_test(nothing_is_allocated_for_nothing),
        cmocka_unit_test(a_resize_to_nothing_frees),
        cmocka_unit_test(a_size_that_overflows_gives_no_memory),
        cmocka_unit_test(a_failed_resize_leaves_the_block),
        cmocka_unit_test(an_allocator_that_fails_for_ever_fails_every_call_from_the_nth),
        cmocka_unit_test(a_text_copy_ends_in_zero),
        cmocka_unit_test(sums_and_products_that_do_not_fit_are_noticed),
        cmocka_unit_test(capacities_grow_by_half_and_never_overflow),
        cmocka_unit_test(an_allocator_that_is_given_has_a_resize_function),
        cmocka_unit_test(bytes_grow_and_stay_when_there_is_no_memory),
    };
    return cmocka_run_group_tests_name("base/alloc", tests, NULL, NULL);
}
