#include "support/support.h"

#include "base/map.h"

static void an_empty_map_has_nothing(void **state)
{
    (void)state;
    fr_map map = {NULL, 0, 0};
    uint32_t cursor = UINT32_MAX;
    assert_int_equal(fr_map_get(&map, 7), FR_MAP_NONE);
    assert_int_equal(fr_map_next(&map, 7, &cursor), FR_MAP_NONE);
    assert_false(fr_map_remove(&map, 7, 1));
    fr_map_clear(&map);
    fr_map_free(NULL, &map);
}

static void what_was_added_is_found_and_what_was_removed_is_not(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    fr_map map = {NULL, 0, 0};
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(fr_map_add(&memory.allocator, &map, (uint64_t)i << 32, i));
    }
    assert_int_equal(map.count, 1000);
    for (uint32_t i = 0; i < 1000; i += 2) {
        assert_true(fr_map_remove(&map, (uint64_t)i << 32, i));
        assert_false(fr_map_remove(&map, (uint64_t)i << 32, i));
    }
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t expected = i % 2 == 0 ? FR_MAP_NONE : i;
        assert_int_equal(fr_map_get(&map, (uint64_t)i << 32), expected);
    }
    assert_int_equal(map.count, 500);
    fr_map_free(&memory.allocator, &map);
    assert_null(map.entries);
    assert_no_leak(&memory);
}

static void values_of_one_key_come_in_the_order_they_were_added(void **state)
{
    (void)state;
    // Many keys, so that some runs wrap around the end of the table, and growth in between.
    for (uint64_t key = 0; key < 200; key++) {
        fr_map map = {NULL, 0, 0};
        for (uint32_t i = 0; i < 20; i++) {
            assert_true(fr_map_add(NULL, &map, key, i));
        }
        for (uint32_t i = 0; i < 20; i += 3) {
            assert_true(fr_map_remove(&map, key, i));
        }
        uint32_t cursor = UINT32_MAX;
        for (uint32_t i = 0; i < 20; i++) {
            if (i % 3 != 0) {
                assert_int_equal(fr_map_next(&map, key, &cursor), i);
            }
        }
        assert_int_equal(fr_map_next(&map, key, &cursor), FR_MAP_NONE);
        assert_false(fr_map_remove(&map, key, 0));
        fr_map_free(NULL, &map);
    }
}

static void reserved_room_lets_as_many_additions_succeed_without_memory(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    fr_map map = {NULL, 0, 0};
    for (uint32_t extra = 1; extra < 100; extra++) {
        uint32_t before = map.count;
        assert_true(fr_map_reserve(&memory.allocator, &map, extra));
        assert_int_equal(map.count, before);
        test_allocator_fail_at(&memory, 1, true);
        for (uint32_t i = 0; i < extra; i++) {
            assert_true(fr_map_add(&memory.allocator, &map, extra, i));
        }
        assert_false(memory.injected);
        test_allocator_fail_at(&memory, 0, false);
    }
    fr_map_free(&memory.allocator, &map);
    assert_no_leak(&memory);
}

static void a_map_without_memory_stays_as_it_was(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    fr_map map = {NULL, 0, 0};
    test_allocator_fail_at(&memory, 1, false);
    assert_false(fr_map_add(&memory.allocator, &map, 1, 1));
    assert_null(map.entries);
    for (uint32_t i = 0; i < 50; i++) {
        assert_true(fr_map_add(&memory.allocator, &map, i, i));
    }
    fr_map before = map;
    test_allocator_fail_at(&memory, 1, true);
    assert_false(fr_map_reserve(&memory.allocator, &map, 1000));
    assert_ptr_equal(map.entries, before.entries);
    assert_int_equal(map.count, 50);
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(fr_map_get(&map, i), i);
    }
    fr_map_free(&memory.allocator, &map);
    assert_no_leak(&memory);
}

static void room_that_no_map_can_have_is_refused(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    fr_map map = {NULL, 0, 0};
    assert_false(fr_map_reserve(&memory.allocator, &map, UINT32_MAX));
    assert_int_equal(memory.calls, 0);
    assert_true(fr_map_reserve(&memory.allocator, &map, 0));
    assert_null(map.entries);
}

static void a_cleared_map_is_empty_and_keeps_its_memory(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    fr_map map = {NULL, 0, 0};
    for (uint32_t i = 0; i < 40; i++) {
        assert_true(fr_map_add(&memory.allocator, &map, i, i));
    }
    uint32_t capacity = map.capacity;
    fr_map_clear(&map);
    assert_int_equal(map.count, 0);
    assert_int_equal(map.capacity, capacity);
    for (uint32_t i = 0; i < 40; i++) {
        assert_int_equal(fr_map_get(&map, i), FR_MAP_NONE);
    }
    assert_true(fr_map_add(&memory.allocator, &map, 3, 4));
    assert_int_equal(fr_map_get(&map, 3), 4);
    fr_map_free(&memory.allocator, &map);
    assert_no_leak(&memory);
}

// The model of a map: a list of pairs in the order they were added.
typedef struct pair_list {
    struct {
        uint64_t key;
        uint32_t value;
    } pairs[64];
    uint32_t count;
} pair_list;

static bool pairs_remove(pair_list *list, uint64_t key, uint32_t value)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->pairs[i].key == key && list->pairs[i].value == value) {
            list->count--;
            for (; i < list->count; i++) {
                list->pairs[i] = list->pairs[i + 1];
            }
            return true;
        }
    }
    return false;
}

static void assert_same(const fr_map *map, const pair_list *list, uint64_t key)
{
    uint32_t cursor = UINT32_MAX;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->pairs[i].key == key) {
            assert_int_equal(fr_map_next(map, key, &cursor), list->pairs[i].value);
        }
    }
    assert_int_equal(fr_map_next(map, key, &cursor), FR_MAP_NONE);
}

static void a_map_behaves_like_a_list_of_pairs(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    test_random random = {2};
    for (uint32_t round = 0; round < 100; round++) {
        fr_map map = {NULL, 0, 0};
        pair_list list = {.count = 0};
        uint64_t salt = test_random_u64(&random);
        for (uint32_t step = 0; step < 400; step++) {
            uint64_t key = salt + test_random_below(&random, 12);
            uint32_t value = test_random_below(&random, 6);
            if (test_random_below(&random, 2) == 0) {
                assert_int_equal(fr_map_remove(&map, key, value), pairs_remove(&list, key, value));
            } else if (list.count < 64) {
                assert_true(fr_map_add(&memory.allocator, &map, key, value));
                list.pairs[list.count].key = key;
                list.pairs[list.count++].value = value;
            }
            assert_int_equal(map.count, list.count);
            for (uint64_t k = 0; k < 12; k++) {
                assert_same(&map, &list, salt + k);
            }
        }
        fr_map_free(&memory.allocator, &map);
    }
    assert_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_has_nothing),
        cmocka_unit_test(what_was_added_is_found_and_what_was_removed_is_not),
        cmocka_unit_test(values_of_one_key_come_in_the_order_they_were_added),
        cmocka_unit_test(reserved_room_lets_as_many_additions_succeed_without_memory),
        cmocka_unit_test(a_map_without_memory_stays_as_it_was),
        cmocka_unit_test(room_that_no_map_can_have_is_refused),
        cmocka_unit_test(a_cleared_map_is_empty_and_keeps_its_memory),
        cmocka_unit_test(a_map_behaves_like_a_list_of_pairs),
    };
    return cmocka_run_group_tests_name("base/map", tests, NULL, NULL);
}
