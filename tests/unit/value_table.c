// Tables of trees: array part and map part, growth, removal, order, equality.
#include <math.h>
#include <string.h>

#include "value_trees.h"

static firn_doc *doc;
static firn_error err;

static int make_doc(void **state)
{
    (void)state;
    doc = firn_doc_create(NULL, NULL, &err);
    return doc == NULL;
}

static int drop_doc(void **state)
{
    (void)state;
    firn_doc_destroy(doc);
    return 0;
}

static firn_value *number(double value)
{
    return firn_value_number(doc, value, NULL);
}

static void set_number(firn_value *table, double key, const firn_value *item)
{
    assert_ok(firn_table_set(doc, table, number(key), item, &err), &err);
}

static void a_value_takes_sixteen_bytes(void **state)
{
    (void)state;
    assert_int_equal(sizeof(firn_value), 16);
}

static void makers_keep_what_they_are_given(void **state)
{
    (void)state;
    assert_int_equal(firn_value_nil(doc, NULL)->kind, FIRN_VALUE_NIL);
    assert_true(firn_value_bool(doc, true, NULL)->as.boolean);
    assert_true(number(-0.5)->as.number == -0.5);
    assert_true(firn_value_int64(doc, INT64_MIN, NULL)->as.int64 == INT64_MIN);
    assert_true(firn_value_uint64(doc, UINT64_MAX, NULL)->as.uint64 == UINT64_MAX);
    firn_value *complex = firn_value_complex(doc, 1, -2, NULL);
    assert_true(complex->as.complex[0] == 1 && complex->as.complex[1] == -2);
    firn_value *string = firn_value_string(doc, "a\0b", 3, NULL);
    assert_int_equal(string->length, 3);
    assert_memory_equal(string->as.string, "a\0b", 4);
    assert_int_equal(firn_value_string(doc, NULL, 0, NULL)->length, 0);
    assert_string_equal(firn_value_text(doc, "text", NULL)->as.string, "text");
    assert_int_equal(firn_table_array_count(firn_value_table(doc, NULL)), 0);
}

static void wrong_arguments_have_their_result(void **state)
{
    (void)state;
    firn_value *table = firn_value_table(doc, NULL);
    firn_value *item = number(1);
    assert_null(firn_value_nil(NULL, &err));
    assert_error(&err, FIRN_INVALID, "doc");
    assert_null(firn_value_text(doc, NULL, &err));
    assert_error(&err, FIRN_INVALID, "text");
    assert_null(firn_value_string(doc, NULL, 1, &err));
    assert_error(&err, FIRN_INVALID, "bytes");
    assert_int_equal(firn_table_push(NULL, table, item, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "doc");
    assert_int_equal(firn_table_push(doc, item, item, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "table");
    assert_int_equal(firn_table_push(doc, table, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "item");
    assert_int_equal(firn_table_push(doc, table, firn_value_nil(doc, NULL), &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "item");
    assert_int_equal(firn_table_set_text(doc, table, NULL, item, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "key");
    assert_int_equal(firn_table_set(NULL, table, item, item, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "doc");
    assert_int_equal(firn_table_set(doc, item, item, item, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "table");
    assert_int_equal(firn_table_set_text(doc, NULL, "key", item, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "table");
    assert_int_equal(firn_table_set_text(doc, table, "key", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "item");
    firn_value *bad[] = {NULL,
                         firn_value_nil(doc, NULL),
                         number((double)NAN),
                         table,
                         firn_value_int64(doc, 1, NULL),
                         firn_value_uint64(doc, 1, NULL),
                         firn_value_complex(doc, 1, 1, NULL)};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(firn_table_set(doc, table, bad[i], item, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "key");
        assert_null(firn_table_get(table, bad[i]));
    }
    assert_int_equal(firn_table_array_count(table) + firn_table_map_count(table), 0);
    assert_null(firn_table_get(NULL, item));
    assert_null(firn_table_get(item, item));
    assert_null(firn_table_get_text(table, NULL));
    assert_int_equal(firn_table_array_count(NULL) + firn_table_map_count(item), 0);
    assert_null(firn_table_next(item, &(uint32_t){0}, NULL));
}

static void a_string_above_the_limit_is_refused(void **state)
{
    (void)state;
    firn_limits limits = {.string_bytes = 3};
    firn_doc *small = firn_doc_create(NULL, &limits, NULL);
    firn_value *table = firn_value_table(small, NULL);
    assert_non_null(firn_value_text(small, "abc", &err));
    assert_null(firn_value_text(small, "abcd", &err));
    assert_error(&err, FIRN_LIMIT, "string");
    assert_int_equal(firn_table_set_text(small, table, "abcd", table, NULL), FIRN_LIMIT);
    firn_doc_destroy(small);
}

static void keys_that_continue_the_array_move_to_it(void **state)
{
    (void)state;
    firn_value *table = firn_value_table(doc, NULL);
    for (int key = 40; key >= 2; key--)
        set_number(table, key, number(key * 10));
    assert_int_equal(firn_table_array_count(table), 0);
    assert_int_equal(firn_table_map_count(table), 39);
    assert_ok(firn_table_push(doc, table, number(10), &err), &err);
    assert_int_equal(firn_table_array_count(table), 40);
    assert_int_equal(firn_table_map_count(table), 0);
    for (int key = 1; key <= 40; key++)
        assert_true(firn_table_get_number(table, key)->as.number == key * 10);
}

static void removing_an_element_moves_those_behind_it_out(void **state)
{
    (void)state;
    firn_value *table = firn_value_table(doc, NULL);
    for (int key = 1; key <= 20; key++)
        set_number(table, key, number(key));
    set_number(table, 5, firn_value_nil(doc, NULL));
    assert_int_equal(firn_table_array_count(table), 4);
    assert_int_equal(firn_table_map_count(table), 15);
    assert_null(firn_table_get_number(table, 5));
    assert_true(firn_table_get_number(table, 20)->as.number == 20);
    set_number(table, 5, number(5));
    assert_int_equal(firn_table_array_count(table), 20);
    set_number(table, 20, firn_value_nil(doc, NULL));
    assert_int_equal(firn_table_array_count(table), 19);
    assert_int_equal(firn_table_map_count(table), 0);
}

static void minus_zero_is_the_key_zero(void **state)
{
    (void)state;
    firn_value *table = firn_value_table(doc, NULL);
    uint32_t cursor = 0;
    firn_value key;
    set_number(table, -0.0, number(1));
    set_number(table, 0, number(2));
    assert_int_equal(firn_table_map_count(table), 1);
    assert_true(firn_table_get_number(table, -0.0)->as.number == 2);
    assert_non_null(firn_table_next(table, &cursor, &key));
    assert_false(signbit(key.as.number));
}

static void a_text_key_is_copied(void **state)
{
    (void)state;
    char key[] = "key";
    firn_value *table = firn_value_table(doc, NULL);
    assert_ok(firn_table_set_text(doc, table, key, number(1), &err), &err);
    key[0] = 'X';
    assert_true(firn_table_get_text(table, "key")->as.number == 1);
    assert_null(firn_table_get_text(table, key));
    assert_ok(firn_table_set_text(doc, table, "key", firn_value_nil(doc, NULL), &err), &err);
    assert_null(firn_table_get_text(table, "key"));
    assert_ok(firn_table_set_text(doc, table, "key", firn_value_nil(doc, NULL), &err), &err);
}

static void next_walks_elements_then_keys_in_order(void **state)
{
    (void)state;
    static const char *const texts[] = {"b", "ab", "", "a", "\xff"};
    firn_value *table = firn_value_table(doc, NULL);
    for (size_t i = 0; i < 5; i++)
        assert_ok(firn_table_set_text(doc, table, texts[i], number(1), &err), &err);
    set_number(table, 7, number(1));
    set_number(table, -INFINITY, number(1));
    set_number(table, 1, number(1));
    set_number(table, 0.5, number(1));
    assert_ok(firn_table_set(doc, table, firn_value_bool(doc, true, NULL), number(1), &err), &err);
    assert_ok(firn_table_set(doc, table, firn_value_bool(doc, false, NULL), number(1), &err), &err);
    char walk[100] = "";
    uint32_t cursor = 0;
    firn_value key;
    while (firn_table_next(table, &cursor, &key) != NULL) {
        if (key.kind == FIRN_VALUE_BOOL)
            strcat(walk, key.as.boolean ? "true " : "false ");
        else if (key.kind == FIRN_VALUE_NUMBER)
            strcat(walk, key.as.number < 0   ? "-inf "
                         : key.as.number < 1 ? "half "
                         : key.as.number < 2 ? "one "
                                             : "seven ");
        else
            strcat(strcat(walk, key.as.string), ",");
    }
    assert_string_equal(walk, "one false true -inf half seven ,a,ab,b,\xff,");
    assert_int_equal(cursor, 11);
}

static void a_large_map_finds_every_key_after_growth_sorting_and_removal(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    firn_value *table = firn_value_table(doc, NULL);
    for (int i = 0; i < COUNT; i++)
        set_number(table, ((i * 7919) % COUNT) + 0.5, number(i));
    uint32_t cursor = 0;
    firn_value key;
    for (int i = 0; i < COUNT; i++) {
        assert_non_null(firn_table_next(table, &cursor, &key));
        assert_true(key.as.number == i + 0.5);
    }
    for (int i = 0; i < COUNT; i += 3)
        set_number(table, i + 0.5, firn_value_nil(doc, NULL));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(firn_table_get_number(table, i + 0.5) != NULL, i % 3 != 0);
}

/// What a table should hold: keys 0..MODEL_KEYS - 1, 0 for absent.
enum { MODEL_KEYS = 30 };

static void change_both(test_random *random, firn_value *table, int *model)
{
    uint32_t key = test_random_below(random, MODEL_KEYS);
    int item = (int)test_random_below(random, 3);
    set_number(table, key, item == 0 ? firn_value_nil(doc, NULL) : number(item));
    model[key] = item;
}

static void assert_same_as_model(const firn_value *table, const int *model)
{
    uint32_t elements = 0;
    uint32_t others = 0;
    while (elements + 1 < MODEL_KEYS && model[elements + 1] != 0)
        elements += 1;
    for (uint32_t key = 0; key < MODEL_KEYS; key++) {
        const firn_value *item = firn_table_get_number(table, key);
        assert_int_equal(item != NULL ? (int)item->as.number : 0, model[key]);
        others += model[key] != 0 && (key == 0 || key > elements);
    }
    assert_int_equal(firn_table_array_count(table), elements);
    assert_int_equal(firn_table_map_count(table), others);
}

static void any_history_of_changes_gives_the_bytes_of_a_fresh_table(void **state)
{
    (void)state;
    test_random random = {3};
    firn_buffer out = {0};
    firn_buffer fresh_out = {0};
    for (int round = 0; round < 200; round++) {
        int model[MODEL_KEYS] = {0};
        firn_doc_clear(doc);
        firn_value *table = firn_value_table(doc, NULL);
        firn_value *fresh = firn_value_table(doc, NULL);
        for (int step = 0; step < 60; step++) {
            change_both(&random, table, model);
            assert_same_as_model(table, model);
        }
        for (uint32_t key = 0; key < MODEL_KEYS; key++)
            if (model[key] != 0)
                set_number(fresh, key, number(model[key]));
        assert_true(firn_value_equal(table, fresh));
        firn_buffer_clear(&out);
        firn_buffer_clear(&fresh_out);
        test_encode(table, &out);
        test_encode(fresh, &fresh_out);
        assert_int_equal(out.size, fresh_out.size);
        assert_memory_equal(out.data, fresh_out.data, out.size);
    }
    firn_buffer_free(&out);
    firn_buffer_free(&fresh_out);
}

static void equality_is_by_bits_but_all_nan_are_one(void **state)
{
    (void)state;
    assert_true(firn_value_equal(number((double)NAN), number(-(double)NAN)));
    assert_false(firn_value_equal(number(0), number(-0.0)));
    assert_false(firn_value_equal(number(1), firn_value_int64(doc, 1, NULL)));
    assert_false(firn_value_equal(firn_value_int64(doc, 1, NULL), firn_value_uint64(doc, 1, NULL)));
    assert_true(firn_value_equal(firn_value_complex(doc, (double)NAN, 1, NULL),
                                 firn_value_complex(doc, -(double)NAN, 1, NULL)));
    assert_false(firn_value_equal(firn_value_complex(doc, 0, 1, NULL),
                                  firn_value_complex(doc, -0.0, 1, NULL)));
    assert_false(
        firn_value_equal(firn_value_text(doc, "a", NULL), firn_value_text(doc, "b", NULL)));
    assert_false(firn_value_equal(number(1), NULL));
    assert_true(firn_value_equal(NULL, NULL));
}

static void tables_that_differ_in_one_place_are_not_equal(void **state)
{
    (void)state;
    firn_value *a = firn_value_table(doc, NULL);
    firn_value *b = firn_value_table(doc, NULL);
    for (int key = 0; key < 12; key++) {
        set_number(a, key, number(key));
        set_number(b, 11 - key, number(11 - key));
    }
    assert_true(firn_value_equal(a, b));
    set_number(b, 0, number(-1));
    assert_false(firn_value_equal(a, b));
    set_number(b, 0, firn_value_nil(doc, NULL));
    assert_false(firn_value_equal(a, b));
    set_number(b, -1, number(0));
    assert_false(firn_value_equal(a, b));
}

static void equality_ends_on_tables_inside_themselves(void **state)
{
    (void)state;
    firn_value *a = firn_value_table(doc, NULL);
    firn_value *b = firn_value_table(doc, NULL);
    assert_ok(firn_table_push(doc, a, a, &err), &err);
    assert_ok(firn_table_push(doc, b, b, &err), &err);
    assert_true(firn_value_equal(a, a));
    assert_false(firn_value_equal(a, b));
}

static void a_cleared_document_settles_in_the_memory_it_has(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_doc *own = firn_doc_create(&memory.allocator, NULL, NULL);
    for (int round = 0; round < 6; round++) {
        // After the second round there is one block that holds everything.
        if (round == 3)
            test_allocator_fail_at(&memory, 1, true);
        firn_value *table = firn_value_table(own, NULL);
        for (int i = 0; i < 3000; i++)
            assert_int_equal(
                firn_table_push(own, table, firn_value_text(own, "abcdefgh", NULL), NULL), FIRN_OK);
        firn_doc_clear(own);
    }
    firn_doc_destroy(own);
    firn_doc_destroy(NULL);
    assert_no_leak(&memory);
}

static void a_document_refuses_an_allocator_without_resize(void **state)
{
    (void)state;
    firn_allocator empty = {NULL, NULL};
    assert_null(firn_doc_create(&empty, NULL, &err));
    assert_error(&err, FIRN_INVALID, "allocator");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_refuses_an_allocator_without_resize),
        cmocka_unit_test(a_value_takes_sixteen_bytes),
        cmocka_unit_test(makers_keep_what_they_are_given),
        cmocka_unit_test(wrong_arguments_have_their_result),
        cmocka_unit_test(a_string_above_the_limit_is_refused),
        cmocka_unit_test(keys_that_continue_the_array_move_to_it),
        cmocka_unit_test(removing_an_element_moves_those_behind_it_out),
        cmocka_unit_test(minus_zero_is_the_key_zero),
        cmocka_unit_test(a_text_key_is_copied),
        cmocka_unit_test(next_walks_elements_then_keys_in_order),
        cmocka_unit_test(a_large_map_finds_every_key_after_growth_sorting_and_removal),
        cmocka_unit_test(any_history_of_changes_gives_the_bytes_of_a_fresh_table),
        cmocka_unit_test(equality_is_by_bits_but_all_nan_are_one),
        cmocka_unit_test(tables_that_differ_in_one_place_are_not_equal),
        cmocka_unit_test(equality_ends_on_tables_inside_themselves),
        cmocka_unit_test(a_cleared_document_settles_in_the_memory_it_has),
    };
    return cmocka_run_group_tests_name("value_table", tests, make_doc, drop_doc);
}
