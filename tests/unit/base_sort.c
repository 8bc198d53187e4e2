#include "support/support.h"

#include "base/sort.h"

#include <stdlib.h>

static int compare_numbers(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

#define NUMBER_COUNT 300

// Sorts the numbers through pointers and compares with qsort of the numbers themselves.
static void assert_sorts(uint32_t *numbers, size_t count)
{
    const void *items[NUMBER_COUNT];
    uint32_t expected[NUMBER_COUNT];
    for (size_t i = 0; i < count; i++) {
        items[i] = &numbers[i];
        expected[i] = numbers[i];
    }
    if (count > 0) {
        qsort(expected, count, sizeof expected[0], compare_numbers);
    }
    fr_sort(items, count, compare_numbers);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(*(const uint32_t *)items[i], expected[i]);
    }
}

static void any_order_of_any_length_is_sorted(void **state)
{
    (void)state;
    test_random random = {5};
    uint32_t numbers[NUMBER_COUNT];
    for (size_t count = 0; count <= NUMBER_COUNT; count++) {
        for (uint32_t kinds = 2; kinds < 2000; kinds *= 9) {
            for (size_t i = 0; i < count; i++) {
                numbers[i] = test_random_below(&random, kinds);
            }
            assert_sorts(numbers, count);
        }
    }
}

static void rising_and_falling_orders_are_sorted(void **state)
{
    (void)state;
    uint32_t numbers[NUMBER_COUNT];
    for (uint32_t i = 0; i < NUMBER_COUNT; i++) {
        numbers[i] = i;
    }
    assert_sorts(numbers, NUMBER_COUNT);
    for (uint32_t i = 0; i < NUMBER_COUNT; i++) {
        numbers[i] = NUMBER_COUNT - i;
    }
    assert_sorts(numbers, NUMBER_COUNT);
}

static void names_are_ordered_bytewise_and_shorter_first(void **state)
{
    (void)state;
    assert_int_equal(fr_compare_names("snow", 4, "snow", 4), 0);
    assert_true(fr_compare_names("snow", 4, "snowfall", 8) < 0);
    assert_true(fr_compare_names("snowfall", 8, "snow", 4) > 0);
    assert_true(fr_compare_names("b", 1, "abc", 3) > 0);
    assert_true(fr_compare_names("z", 1, "\xc3\xa9", 2) < 0);
    assert_true(fr_compare_names("a\0b", 3, "a\0c", 3) < 0);
    assert_true(fr_compare_names("", 0, "a", 1) < 0);
    assert_int_equal(fr_compare_names("", 0, "", 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_of_any_length_is_sorted),
        cmocka_unit_test(rising_and_falling_orders_are_sorted),
        cmocka_unit_test(names_are_ordered_bytewise_and_shorter_first),
    };
    return cmocka_run_group_tests_name("base/sort", tests, NULL, NULL);
}
