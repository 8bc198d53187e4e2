// Rows in one call: the bytes and the values are those of a call for each key and value.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "value_trees.h"

// Not in canonical order; one name is longer than what is compared in one step.
static const char *const names[] = {"y", "hp", "x", "fourteen_chars", "", "a name that is long"};
enum { NAMES = sizeof names / sizeof *names };

static firn_row_keys keys_of(uint32_t count)
{
    firn_row_keys keys;
    firn_error err;
    assert_ok(firn_row_keys_init(&keys, names, count, &err), &err);
    return keys;
}

static firn_value number_value(double number)
{
    return (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = number};
}

static firn_value random_value(test_random *random, firn_doc *doc)
{
    static char text[300];
    memset(text, 'a', sizeof text);
    switch (test_random_below(random, 20)) {
    case 0:
    case 1:
        return (firn_value){.kind = FIRN_VALUE_NIL};
    case 2:
        return (firn_value){.kind = FIRN_VALUE_BOOL, .as.boolean = true};
    case 3:
        return *firn_value_string(doc, text, test_random_below(random, 20), NULL);
    case 4:
        return *firn_value_string(doc, text, 180 + test_random_below(random, 30), NULL);
    case 5:
        return *test_random_value(random, doc, 2);
    case 6:
        return number_value(test_random_below(random, 2) == 0 ? (double)NAN : -0.0);
    default:
        return number_value(test_random_real(random));
    }
}

static firn_value *tree_of(firn_doc *doc, const firn_value *values, uint32_t count)
{
    firn_value *row = firn_value_table(doc, NULL);
    for (uint32_t i = 0; i < count; i++) {
        assert_ok(firn_table_set_text(doc, row, names[i], &values[i], NULL), NULL);
    }
    return row;
}

static void a_row_has_the_bytes_of_its_tree_and_comes_back(void **state)
{
    (void)state;
    test_random random = {3};
    for (uint32_t round = 0; round < 3000; round++) {
        firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
        uint32_t count = 1 + test_random_below(&random, NAMES);
        firn_row_keys keys = keys_of(count);
        firn_value values[NAMES], again[NAMES];
        for (uint32_t i = 0; i < count; i++)
            values[i] = random_value(&random, doc);
        firn_buffer tree = {0}, out = {0};
        firn_error err;
        test_encode(tree_of(doc, values, count), &tree);
        firn_writer writer;
        firn_writer_begin(&writer, &out, NULL);
        firn_buffer_reserve(&out, test_random_below(&random, 2) * 4000, NULL);
        firn_write_row(&writer, &keys, values);
        assert_ok(firn_writer_end(&writer, &err), &err);
        assert_int_equal(out.size, tree.size);
        assert_memory_equal(out.data, tree.data, out.size);
        // In a block of their own and before other bytes: the end is near or far.
        for (uint32_t behind = 0; behind < 80; behind += 79) {
            uint8_t *bytes = calloc(1, out.size + behind);
            assert_non_null(bytes);
            memcpy(bytes, out.data, out.size);
            firn_reader reader;
            firn_reader_begin(&reader, bytes, out.size + behind, NULL);
            firn_read_row(&reader, &keys, again, doc);
            for (uint32_t i = 0; i < behind; i++)
                firn_read_nil(&reader);
            assert_ok(firn_reader_end(&reader, &err), &err);
            for (uint32_t i = 0; i < count; i++)
                assert_true(firn_value_equal(&values[i], &again[i]));
            free(bytes);
        }
        firn_buffer_free(&tree);
        firn_buffer_free(&out);
        firn_doc_destroy(doc);
    }
}

static void a_long_name_is_written_whatever_length_is_allowed(void **state)
{
    (void)state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_row_keys keys = keys_of(NAMES);
    firn_value values[NAMES];
    for (uint32_t i = 0; i < NAMES; i++)
        values[i] = number_value(i);
    firn_buffer tree = {0}, out = {0};
    firn_error err;
    test_encode(tree_of(doc, values, NAMES), &tree);
    assert_ok(firn_buffer_reserve(&out, 4000, &err), &err);
    const firn_limits limits = {.string_bytes = UINT64_MAX};
    firn_writer writer;
    firn_writer_begin(&writer, &out, &limits);
    firn_write_row(&writer, &keys, values);
    assert_ok(firn_writer_end(&writer, &err), &err);
    assert_int_equal(out.size, tree.size);
    assert_memory_equal(out.data, tree.data, out.size);
    firn_buffer_free(&out);
    firn_buffer_free(&tree);
    firn_doc_destroy(doc);
}

static void rows_stand_in_tables_like_any_value(void **state)
{
    (void)state;
    firn_row_keys keys = keys_of(3);
    firn_buffer out = {0};
    firn_writer writer;
    firn_writer_begin(&writer, &out, NULL);
    firn_write_table(&writer, 2, 1);
    for (uint32_t i = 0; i < 2; i++) {
        firn_value row[] = {number_value(i), number_value(2), number_value(3)};
        firn_write_row(&writer, &keys, row);
    }
    firn_write_text(&writer, "last");
    firn_value none[3] = {{.kind = FIRN_VALUE_NIL}};
    firn_write_row(&writer, &keys, none);
    assert_int_equal(writer.written, 1);
    assert_ok(firn_writer_end(&writer, NULL), NULL);

    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *tree = firn_value_decode(doc, out.data, out.size, NULL);
    const firn_value *second = firn_table_get_number(tree, 2);
    assert_true(firn_table_get_text(second, "y")->as.number == 1);
    assert_int_equal(firn_table_map_count(second), 3);
    assert_int_equal(firn_table_map_count(firn_table_get_text(tree, "last")), 0);
    firn_doc_destroy(doc);
    firn_buffer_free(&out);
}

static void names_that_cannot_be_prepared_are_refused(void **state)
{
    (void)state;
    firn_row_keys keys;
    firn_error err;
    const char *many[FIRN_ROW_KEYS_MAX + 1] = {NULL};
    const char *twice[] = {"x", "y", "x"};
    assert_int_equal(firn_row_keys_init(NULL, names, 1, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "keys");
    assert_int_equal(firn_row_keys_init(&keys, NULL, 1, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "names");
    assert_int_equal(firn_row_keys_init(&keys, names, 0, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "count");
    assert_int_equal(firn_row_keys_init(&keys, many, FIRN_ROW_KEYS_MAX + 1, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "count");
    assert_int_equal(firn_row_keys_init(&keys, many, 1, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "names");
    assert_int_equal(firn_row_keys_init(&keys, twice, 3, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "x");
}

static firn_result write_error(const firn_limits *limits, const firn_row_keys *keys,
                               const firn_value *values, firn_error *err)
{
    firn_buffer out = {0};
    firn_buffer_reserve(&out, 1000, NULL);
    firn_writer writer;
    firn_writer_begin(&writer, &out, limits);
    firn_write_table(&writer, 0, 1);
    firn_write_text(&writer, "row");
    firn_write_row(&writer, keys, values);
    firn_result result = firn_writer_end(&writer, err);
    firn_buffer_free(&out);
    return result;
}

static void a_row_that_cannot_be_written_says_where(void **state)
{
    (void)state;
    firn_row_keys keys = keys_of(3);
    firn_error err;
    firn_value row[] = {number_value(1), number_value(2), number_value(3)};
    assert_int_equal(write_error(NULL, NULL, row, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, ".row");
    assert_int_equal(write_error(NULL, &keys, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, ".row");
    assert_int_equal(write_error(&(firn_limits){.depth = 1}, &keys, row, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, ".row");
    assert_int_equal(write_error(&(firn_limits){.tree_values = 8}, &keys, row, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, ".row");
    assert_int_equal(write_error(&(firn_limits){.tree_values = 9}, &keys, row, &err), FIRN_OK);
    assert_int_equal(write_error(&(firn_limits){.string_bytes = 1}, &keys, row, &err), FIRN_LIMIT);
    row[2] = (firn_value){.kind = FIRN_VALUE_STRING, .length = 4, .as.string = "text"};
    assert_int_equal(write_error(&(firn_limits){.string_bytes = 3}, &keys, row, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, ".row.x");
    row[2] = (firn_value){.kind = (firn_value_kind)77};
    assert_int_equal(write_error(NULL, &keys, row, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, ".row.x");

    firn_buffer out = {0};
    firn_writer writer;
    firn_writer_begin(&writer, &out, NULL);
    firn_write_table(&writer, 0, 1);
    firn_write_row(&writer, &keys, row);
    assert_int_equal(firn_writer_end(&writer, &err), FIRN_INVALID);
    assert_string_equal(err.message, "a key is a table");
    firn_write_row(NULL, &keys, row);
    firn_buffer_free(&out);
}

// Reads the hex as one row of the first three names. -> the result
static firn_result read_hex(const char *hex, const firn_limits *limits, firn_value row[3],
                            firn_error *err)
{
    size_t size;
    uint8_t *bytes = test_from_hex(hex, &size);
    firn_row_keys keys = keys_of(3);
    firn_reader reader;
    firn_reader_begin(&reader, bytes, size, limits);
    firn_read_row(&reader, &keys, row, NULL);
    firn_result result = firn_reader_end(&reader, err);
    free(bytes);
    return result;
}

#define ONE "07 00*6 f0 3f"
#define TWO "07 00*7 40"

static void a_row_of_other_programs_is_read_by_name(void **state)
{
    (void)state;
    firn_value row[3];
    // Elements, a number key, int32 numbers and the names in another order.
    assert_ok(read_hex("0d 02 05 02 21 78 " TWO
                       " 07 00*8 02 21 7a 08 21 79 06 01 00*3 22 68 70 " ONE,
                       NULL, row, NULL),
              NULL);
    assert_true(row[0].as.number == 1 && row[1].as.number == 1 && row[2].as.number == 2);
    // Some names, and bytes behind the row that begin like a pair.
    assert_int_equal(read_hex("09 01 21 78 " TWO " 21 79 " ONE, NULL, row, NULL), FIRN_CORRUPT);
    assert_true(row[2].as.number == 2);
    assert_int_equal(row[0].kind, FIRN_VALUE_NIL);
    assert_int_equal(row[1].kind, FIRN_VALUE_NIL);
    assert_ok(read_hex("08", NULL, row, NULL), NULL);
    assert_int_equal(row[2].kind, FIRN_VALUE_NIL);
}

static void assert_refused(const char *hex, const firn_limits *limits, firn_result result,
                           uint64_t offset)
{
    firn_value row[3];
    firn_error err;
    assert_int_equal(read_hex(hex, limits, row, &err), result);
    assert_int_equal(err.offset, offset);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(row[i].kind, FIRN_VALUE_NIL);
}

static void a_row_that_is_none_is_refused_at_its_place(void **state)
{
    (void)state;
    assert_refused("02", NULL, FIRN_CORRUPT, 0);
    assert_refused("", NULL, FIRN_TRUNCATED, 0);
    assert_refused("09 02 21 78 " ONE " 21 78 " TWO, NULL, FIRN_CORRUPT, 13);
    assert_refused("09 01 21 78 09 01 21 78 02", NULL, FIRN_CORRUPT, 4); // a table
    assert_refused("09 01 21 78 12 00*16", NULL, FIRN_CORRUPT, 4);       // a complex number
    assert_refused("09 01 21 78 07 00*7", NULL, FIRN_TRUNCATED, 4);
    assert_refused("09 02 22 68 70 " ONE " 21 78 1f 00*30", NULL, FIRN_CORRUPT, 16);
    assert_refused("09 02 22 68 70 " ONE " 21 78 30 61*9", NULL, FIRN_TRUNCATED, 16);
    assert_refused("09 01 21 78 24 61*4 00*40", &(firn_limits){.string_bytes = 3}, FIRN_LIMIT, 4);
    assert_refused("09 01 22 68 70 " ONE " 00*40", &(firn_limits){.string_bytes = 1}, FIRN_LIMIT,
                   2);
    assert_refused("09 01 21 78 " ONE " 00*40", &(firn_limits){.tree_values = 2}, FIRN_LIMIT, 0);
}

static void wrong_arguments_of_a_read_have_their_result(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x08};
    firn_row_keys keys = keys_of(3);
    firn_value row[3] = {{.kind = FIRN_VALUE_TABLE}};
    firn_reader reader;
    firn_error err;
    firn_reader_begin(&reader, bytes, sizeof bytes, NULL);
    firn_read_row(&reader, NULL, row, NULL);
    assert_int_equal(firn_reader_end(&reader, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "keys");
    firn_read_row(&reader, NULL, row, NULL);
    firn_reader_begin(&reader, bytes, sizeof bytes, NULL);
    firn_read_row(&reader, &keys, NULL, NULL);
    assert_int_equal(firn_reader_end(&reader, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "values");
    firn_read_row(&reader, &keys, row, NULL);
    assert_int_equal(row[0].kind, FIRN_VALUE_NIL);
    row[0].kind = FIRN_VALUE_TABLE;
    firn_read_row(NULL, &keys, row, NULL);
    assert_int_equal(row[0].kind, FIRN_VALUE_NIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_the_bytes_of_its_tree_and_comes_back),
        cmocka_unit_test(a_long_name_is_written_whatever_length_is_allowed),
        cmocka_unit_test(rows_stand_in_tables_like_any_value),
        cmocka_unit_test(names_that_cannot_be_prepared_are_refused),
        cmocka_unit_test(a_row_that_cannot_be_written_says_where),
        cmocka_unit_test(a_row_of_other_programs_is_read_by_name),
        cmocka_unit_test(a_row_that_is_none_is_refused_at_its_place),
        cmocka_unit_test(wrong_arguments_of_a_read_have_their_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
