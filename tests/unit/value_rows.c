// Rows of one document share their lists of keys as long as they come in the same order. Nobody may
// see that: every row is like one that is alone in its document.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value_trees.h"

// Lengths around what is compared in one step, and two that begin alike.
static const char *const names[] = {"id",
                                    "x",
                                    "y",
                                    "hp",
                                    "",
                                    "a",
                                    "ab",
                                    "position",
                                    "seven_7",
                                    "fifteen_letters",
                                    "positions",
                                    "sixteen_letters_",
                                    "a name that is longer than that",
                                    "a name that is longer still"};
enum { NAMES = sizeof names / sizeof *names };

static void set_key(firn_doc *doc, firn_value *row, uint32_t key, const firn_value *item)
{
    const firn_value *number;
    switch (key) {
    case NAMES:
        assert_ok(firn_table_set(doc, row, firn_value_bool(doc, true, NULL), item, NULL), NULL);
        break;
    case NAMES + 1:
    case NAMES + 2:
    case NAMES + 3: // 1, 2 and 3 are elements, or will be
        number = firn_value_number(doc, key - NAMES, NULL);
        assert_ok(firn_table_set(doc, row, number, item, NULL), NULL);
        break;
    default:
        assert_ok(firn_table_set_text(doc, row, names[key], item, NULL), NULL);
    }
}

// Sets and removes some of a few keys, mostly in the same order.
static firn_value *make_row(test_random random, firn_doc *doc)
{
    firn_value *row = firn_value_table(doc, NULL);
    uint32_t first = test_random_below(&random, 3) * 4;
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t key = first + i;
        if (test_random_below(&random, 8) == 0)
            key = test_random_below(&random, NAMES + 4);
        double number = test_random_real(&random);
        const firn_value *item = firn_value_number(doc, number, NULL);
        switch (test_random_below(&random, 12)) {
        case 0:
            item = firn_value_nil(doc, NULL);
            break;
        case 1:
            item = firn_value_text(doc, "text", NULL);
            break;
        case 2:
            item = firn_value_table(doc, NULL);
            break;
        case 3: // an optional key
            continue;
        default:
            break;
        }
        set_key(doc, row, key, item);
    }
    return row;
}

static void encode_alone(test_random random, firn_buffer *out)
{
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    test_encode(make_row(random, doc), out);
    firn_doc_destroy(doc);
}

static void assert_same_bytes(const firn_value *value, const firn_buffer *expected)
{
    firn_buffer bytes = {0};
    test_encode(value, &bytes);
    assert_int_equal(bytes.size, expected->size);
    assert_memory_equal(bytes.data, expected->data, bytes.size);
    firn_buffer_free(&bytes);
}

// Every entry is found, and the walk meets as many as there are.
static void assert_walk(const firn_value *row)
{
    uint32_t seen = 0;
    uint32_t cursor = 0;
    firn_value key;
    const firn_value *item;
    while ((item = firn_table_next(row, &cursor, &key)) != NULL) {
        assert_ptr_equal(firn_table_get(row, &key), item);
        seen += 1;
    }
    assert_int_equal(seen, firn_table_array_count(row) + firn_table_map_count(row));
}

static void rows_of_one_document_are_like_rows_alone(void **state)
{
    (void)state;
    enum { ROWS = 400 };
    static firn_value *rows[ROWS];
    for (uint64_t round = 0; round < 12; round++) {
        firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
        firn_value *list = firn_value_table(doc, NULL);
        firn_buffer whole = {0};
        for (uint64_t i = 0; i < ROWS; i++) {
            rows[i] = make_row((test_random){round * ROWS + i}, doc);
            assert_ok(firn_table_push(doc, list, rows[i], NULL), NULL);
        }
        for (uint64_t i = 0; i < ROWS; i++) {
            firn_buffer alone = {0};
            encode_alone((test_random){round * ROWS + i}, &alone);
            assert_same_bytes(rows[i], &alone);
            assert_walk(rows[i]);
            firn_buffer_free(&alone);
        }
        test_encode(list, &whole);
        firn_doc *other = firn_doc_create(NULL, NULL, NULL);
        const firn_value *again = firn_value_decode(other, whole.data, whole.size, NULL);
        assert_true(firn_value_equal(list, again));
        assert_same_bytes(again, &whole);
        firn_buffer_free(&whole);
        firn_doc_destroy(other);
        firn_doc_destroy(doc);
    }
}

// ---- rows as other programs write them

static const firn_value *decode_hex(firn_doc *doc, const char *hex, firn_error *err)
{
    size_t size;
    uint8_t *bytes = test_from_hex(hex, &size);
    const firn_value *value = firn_value_decode(doc, bytes, size, err);
    free(bytes);
    return value;
}

#define ONE "07 00*6 f0 3f"
#define TWO "07 00*7 40"

static void rows_with_keys_in_another_order_are_read(void **state)
{
    (void)state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *rows = decode_hex(doc,
                                        "0c 04 09 02 21 79 " ONE " 21 78 " TWO " 09 02 21 79 " TWO
                                        " 21 78 " ONE " 09 02 21 79 " ONE " 21 78 " ONE,
                                        NULL);
    assert_int_equal(firn_table_array_count(rows), 3);
    static const double xs[] = {2, 1, 1}, ys[] = {1, 2, 1};
    for (uint32_t i = 0; i < 3; i++) {
        const firn_value *row = firn_table_get_number(rows, i + 1);
        assert_true(firn_table_get_text(row, "x")->as.number == xs[i]);
        assert_true(firn_table_get_text(row, "y")->as.number == ys[i]);
        uint32_t cursor = 0;
        firn_value key;
        assert_true(firn_table_next(row, &cursor, &key)->as.number == xs[i]);
        assert_string_equal(key.as.string, "x");
    }
    firn_doc_destroy(doc);
}

static void a_key_that_a_later_row_repeats_is_refused_at_its_place(void **state)
{
    (void)state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_error err;
    assert_null(decode_hex(doc,
                           "0c 04 09 02 21 78 " ONE " 21 79 " TWO " 09 02 21 78 " ONE " 21 78 " TWO
                           " 09 02 21 78 " ONE " 21 79 " TWO,
                           &err));
    assert_error(&err, FIRN_CORRUPT, "");
    assert_int_equal(err.offset, 2 + 24 + 2 + 11);
    assert_string_equal(err.message, "the key \"x\" is there twice");
    firn_doc_destroy(doc);
}

static void a_table_whose_keys_all_became_elements_lends_none(void **state)
{
    (void)state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    for (char c = 'a'; c <= 'z'; c++) {
        // The keys 2 and 1, then rows of one letter.
        char hex[256];
        snprintf(hex, sizeof hex,
                 "0c 04 09 02 " TWO " 02 " ONE " 02 09 01 21 %02x " ONE " 09 01 21 %02x " TWO, c,
                 c);
        const firn_value *rows = decode_hex(doc, hex, NULL);
        assert_non_null(rows);
        assert_int_equal(firn_table_array_count(firn_table_get_number(rows, 1)), 2);
        const firn_value *last = firn_table_get_number(rows, 3);
        assert_true(firn_table_get_text(last, (char[]){c, 0})->as.number == 2);
    }
    firn_doc_destroy(doc);
}

static void a_number_key_that_continues_the_array_of_a_later_row_moves_to_it(void **state)
{
    (void)state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    // {x, [2]} four times, the third time with an element 1 before them.
    const firn_value *rows =
        decode_hex(doc,
                   "0c 05 09 02 21 78 " ONE " " TWO " 02 09 02 21 78 " ONE " " TWO
                   " 02 0d 02 02 01 21 78 " ONE " " TWO " 02 09 02 21 78 " ONE " " TWO " 02",
                   NULL);
    assert_non_null(rows);
    assert_int_equal(firn_table_map_count(firn_table_get_number(rows, 2)), 2);
    const firn_value *third = firn_table_get_number(rows, 3);
    assert_int_equal(firn_table_array_count(third), 2);
    assert_int_equal(firn_table_map_count(third), 1);
    assert_walk(third);
    firn_doc_destroy(doc);
}

static void a_nil_in_a_later_row_is_no_entry(void **state)
{
    (void)state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *rows =
        decode_hex(doc,
                   "0c 04 09 02 21 78 " ONE " 21 79 " TWO " 09 02 21 78 00 21 79 " TWO
                   " 09 02 21 78 " ONE " 21 79 00",
                   NULL);
    assert_non_null(rows);
    const firn_value *second = firn_table_get_number(rows, 2);
    assert_int_equal(firn_table_map_count(second), 1);
    assert_null(firn_table_get_text(second, "x"));
    assert_true(firn_table_get_text(second, "y")->as.number == 2);
    const firn_value *third = firn_table_get_number(rows, 3);
    assert_int_equal(firn_table_map_count(third), 1);
    assert_null(firn_table_get_text(third, "y"));
    firn_doc_destroy(doc);
}

static void a_failed_decode_leaves_no_keys_behind(void **state)
{
    (void)state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *row = firn_value_table(doc, NULL);
    const firn_value *one = firn_value_number(doc, 1, NULL);
    assert_ok(firn_table_set_text(doc, row, "x", one, NULL), NULL);
    for (uint32_t i = 0; i < 3; i++) {
        firn_error err;
        assert_null(decode_hex(
            doc, "0c 04 09 02 21 78 " ONE " 21 79 " TWO " 09 02 21 78 " ONE " 21 79 " TWO " 1f",
            &err));
        assert_error(&err, FIRN_CORRUPT, "");
        firn_value *other = firn_value_table(doc, NULL);
        assert_ok(firn_table_set_text(doc, other, "x", one, NULL), NULL);
        assert_ok(firn_table_set_text(doc, other, "y", one, NULL), NULL);
        assert_walk(other);
        assert_walk(row);
    }
    firn_doc_destroy(doc);
}

static void the_values_of_a_row_stay_where_they_are_when_others_come(void **state)
{
    (void)state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        firn_value *row = firn_value_table(doc, NULL);
        const firn_value *number = firn_value_number(doc, i, NULL);
        assert_ok(firn_table_set_text(doc, row, "x", number, NULL), NULL);
        const firn_value *x = firn_table_get_text(row, "x");
        assert_ok(firn_table_set_text(doc, row, i < 2 ? "hp" : "z", x, NULL), NULL);
        assert_ok(firn_table_set_text(doc, row, "a", number, NULL), NULL);
        assert_true(x->kind == FIRN_VALUE_NUMBER && x->as.number == i);
    }
    firn_doc_destroy(doc);
}

static void a_row_of_more_keys_than_are_shared_has_its_own(void **state)
{
    (void)state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        firn_value *row = firn_value_table(doc, NULL);
        for (uint32_t k = 0; k < 100; k++) {
            char name[16];
            snprintf(name, sizeof name, "key %u", k);
            assert_ok(firn_table_set_text(doc, row, name, firn_value_number(doc, k, NULL), NULL),
                      NULL);
        }
        assert_int_equal(firn_table_map_count(row), 100);
        assert_true(firn_table_get_text(row, "key 77")->as.number == 77);
        assert_walk(row);
    }
    firn_doc_destroy(doc);
}

static void a_key_that_rows_share_is_held_to_the_limit_of_an_encode(void **state)
{
    (void)state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *rows = firn_value_table(doc, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        firn_value *row = firn_value_table(doc, NULL);
        firn_value *number = firn_value_number(doc, i, NULL);
        assert_ok(firn_table_set_text(doc, row, "health", number, NULL), NULL);
        assert_ok(firn_table_push(doc, rows, row, NULL), NULL);
    }
    firn_buffer out = {0};
    firn_error err;
    firn_limits limits = {.string_bytes = 5};
    assert_int_equal(firn_value_encode(rows, &limits, &out, &err), FIRN_LIMIT);
    assert_string_equal(err.subject, "[1].health");
    limits.string_bytes = 6;
    assert_ok(firn_value_encode(rows, &limits, &out, &err), &err);
    assert_ok(firn_value_check(out.data, out.size, &limits, NULL, &err), &err);
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
}

static void rows_of_equal_keys_take_little_more_than_their_values(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_doc *doc = firn_doc_create(&memory.allocator, NULL, NULL);
    firn_doc *other = firn_doc_create(NULL, NULL, NULL);
    firn_value *rows = firn_value_table(other, NULL);
    for (uint32_t i = 0; i < 10000; i++) {
        firn_value *row = firn_value_table(other, NULL);
        for (uint32_t k = 0; k < 4; k++)
            set_key(other, row, k, firn_value_number(other, k, NULL));
        assert_ok(firn_table_push(other, rows, row, NULL), NULL);
    }
    firn_buffer bytes = {0};
    test_encode(rows, &bytes);
    assert_non_null(firn_value_decode(doc, bytes.data, bytes.size, NULL));
    firn_doc_clear(doc); // the largest block stays
    assert_non_null(firn_value_decode(doc, bytes.data, bytes.size, NULL));
    // A row is an element, a table and four values; a document takes twice what it needs.
    assert_true(memory.bytes < 10000 * (16 + 48 + 4 * 16) * 3);
    firn_buffer_free(&bytes);
    firn_doc_destroy(other);
    firn_doc_destroy(doc);
    assert_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_one_document_are_like_rows_alone),
        cmocka_unit_test(rows_with_keys_in_another_order_are_read),
        cmocka_unit_test(a_key_that_a_later_row_repeats_is_refused_at_its_place),
        cmocka_unit_test(a_table_whose_keys_all_became_elements_lends_none),
        cmocka_unit_test(a_number_key_that_continues_the_array_of_a_later_row_moves_to_it),
        cmocka_unit_test(a_nil_in_a_later_row_is_no_entry),
        cmocka_unit_test(a_failed_decode_leaves_no_keys_behind),
        cmocka_unit_test(the_values_of_a_row_stay_where_they_are_when_others_come),
        cmocka_unit_test(a_row_of_more_keys_than_are_shared_has_its_own),
        cmocka_unit_test(a_key_that_rows_share_is_held_to_the_limit_of_an_encode),
        cmocka_unit_test(rows_of_equal_keys_take_little_more_than_their_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
