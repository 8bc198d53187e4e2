#include "support/support.h"

#include "base/array.h"

typedef struct points {
    uint32_t *items;
    uint32_t count;
    uint32_t capacity;
} points;

static void an_array_grows_and_keeps_its_items(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    points p = {NULL, 0, 0};
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(FR_RESERVE(&memory.allocator, p.items, p.capacity, p.count + 1));
        assert_true(p.capacity > p.count);
        p.items[p.count++] = i;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(p.items[i], i);
    }
    assert_true(memory.calls < 40);
    FR_ARRAY_FREE(&memory.allocator, p.items, p.capacity);
    assert_no_leak(&memory);
}

static void room_that_is_there_is_not_made_again(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    points p = {NULL, 0, 0};
    assert_true(FR_RESERVE(&memory.allocator, p.items, p.capacity, 0));
    assert_null(p.items);
    assert_true(FR_RESERVE(&memory.allocator, p.items, p.capacity, 10));
    uint32_t *items = p.items;
    assert_true(FR_RESERVE(&memory.allocator, p.items, p.capacity, 7));
    assert_ptr_equal(p.items, items);
    assert_int_equal(memory.calls, 1);
    FR_ARRAY_FREE(&memory.allocator, p.items, p.capacity);
    FR_ARRAY_FREE(&memory.allocator, (uint32_t *)NULL, 0);
    assert_no_leak(&memory);
}

static void a_failed_growth_changes_nothing(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    points p = {NULL, 0, 0};
    assert_true(FR_RESERVE(&memory.allocator, p.items, p.capacity, 4));
    points before = p;
    test_allocator_fail_at(&memory, 1, true);
    assert_false(FR_RESERVE(&memory.allocator, p.items, p.capacity, before.capacity + 1));
    assert_ptr_equal(p.items, before.items);
    assert_int_equal(p.capacity, before.capacity);
    FR_ARRAY_FREE(&memory.allocator, p.items, p.capacity);
    assert_no_leak(&memory);
}

// Gives the same few bytes for everything, so that sizes near the end of 32 bits can be asked for.
static void *pretend_resize(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    (void)ptr;
    (void)old_size;
    (void)new_size;
    (void)align;
    return user;
}

static void capacities_stop_at_32_bits(void **state)
{
    (void)state;
    max_align_t place;
    firn_allocator pretend = {pretend_resize, &place};
    uint8_t *items = NULL;
    uint32_t capacity = 0;
    assert_true(FR_RESERVE(&pretend, items, capacity, UINT32_MAX - 1));
    assert_true(capacity == UINT32_MAX - 1);
    assert_true(FR_RESERVE(&pretend, items, capacity, UINT32_MAX));
    assert_true(capacity == UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_grows_and_keeps_its_items),
        cmocka_unit_test(room_that_is_there_is_not_made_again),
        cmocka_unit_test(a_failed_growth_changes_nothing),
        cmocka_unit_test(capacities_stop_at_32_bits),
    };
    return cmocka_run_group_tests_name("base/array", tests, NULL, NULL);
}
