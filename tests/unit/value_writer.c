// The streaming writer: the bytes of the tree encoder, and a refusal of all that is not canonical.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "value/check.h"
#include "value_trees.h"

static firn_buffer out;
static firn_writer writer;

static int begin(void **state)
{
    (void)state;
    firn_buffer_clear(&out);
    firn_writer_begin(&writer, &out, NULL);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    firn_buffer_free(&out);
    return 0;
}

static void assert_writer_failed(firn_result result, const char *subject, const char *words)
{
    firn_error err;
    firn_write_bool(&writer, true); // does nothing
    assert_int_equal(firn_writer_end(&writer, &err), result);
    assert_error(&err, result, "");
    assert_string_equal(err.subject, subject);
    if (strstr(err.message, words) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", words, err.message);
    assert_int_equal(out.size, 0);
}

static void assert_written(const char *hex)
{
    firn_error err;
    size_t size;
    uint8_t *bytes = test_from_hex(hex, &size);
    assert_ok(firn_writer_end(&writer, &err), &err);
    assert_int_equal(out.size, size);
    assert_memory_equal(out.data, bytes, size);
    free(bytes);
}

static void random_trees_come_to_the_bytes_of_encode(void **state)
{
    (void)state;
    test_random random = {21};
    firn_buffer wanted = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    for (int i = 0; i < 3000; i++) {
        firn_error err;
        firn_doc_clear(doc);
        firn_buffer_clear(&wanted);
        begin(NULL);
        const firn_value *value = test_random_value(&random, doc, 5);
        test_encode(value, &wanted);
        test_write_tree(&writer, value);
        firn_write_value(&writer, value);
        assert_int_equal(writer.written, 2);
        assert_ok(firn_writer_end(&writer, &err), &err);
        assert_int_equal(out.size, 2 * wanted.size);
        assert_memory_equal(out.data, wanted.data, wanted.size);
        assert_memory_equal(out.data + wanted.size, wanted.data, wanted.size);
    }
    firn_buffer_free(&wanted);
    firn_doc_destroy(doc);
}

static void tables_close_themselves_with_the_last_item(void **state)
{
    (void)state;
    firn_write_table(&writer, 2, 1);
    firn_write_table(&writer, 0, 0);
    firn_write_table(&writer, 1, 0);
    firn_write_bool(&writer, true);
    firn_write_text(&writer, "k");
    firn_write_table(&writer, 0, 1);
    firn_write_number(&writer, 5);
    assert_int_equal(writer.written, 0);
    firn_write_int64(&writer, -1);
    assert_int_equal(writer.written, 1);
    firn_write_nil(&writer);
    assert_int_equal(writer.written, 2);
    assert_written("0d0301 08 0c0202 216b 0901 070000000000001440 10ffffffffffffffff 00");
}

static void numbers_are_written_as_doubles_with_one_nan(void **state)
{
    (void)state;
    firn_write_number(&writer, -(double)NAN);
    firn_write_number(&writer, -0.0);
    firn_write_complex(&writer, -(double)NAN, -0.0);
    firn_write_uint64(&writer, 1);
    firn_write_table(&writer, 0, 1);
    firn_write_number(&writer, -0.0);
    firn_write_bool(&writer, false);
    assert_written("07000000000000f87f 070000000000000080 12 000000000000f87f 0000000000000080"
                   "110100000000000000 0901 070000000000000000 01");
}

static void keys_may_be_of_every_kind_that_ascends(void **state)
{
    (void)state;
    firn_write_table(&writer, 1, 7);
    firn_write_bool(&writer, true);
    firn_write_bool(&writer, false);
    firn_write_bool(&writer, true);
    firn_write_bool(&writer, true);
    firn_write_bool(&writer, true);
    for (int i = -1; i < 2; i++) {
        firn_write_number(&writer, i == 1 ? 3 : i);
        firn_write_bool(&writer, true);
    }
    firn_write_text(&writer, "");
    firn_write_bool(&writer, true);
    firn_write_text(&writer, "a");
    firn_write_bool(&writer, true);
    firn_error err;
    assert_ok(firn_writer_end(&writer, &err), &err);
    assert_true(fr_value_is_canonical(out.data, out.size));
}

static void nil_inside_a_table_is_refused(void **state)
{
    (void)state;
    firn_write_table(&writer, 2, 0);
    firn_write_bool(&writer, true);
    firn_write_nil(&writer);
    assert_writer_failed(FIRN_INVALID, "[2]", "nil");
}

static void a_value_that_is_nil_is_refused(void **state)
{
    (void)state;
    firn_write_table(&writer, 0, 1);
    firn_write_text(&writer, "name");
    firn_write_nil(&writer);
    assert_writer_failed(FIRN_INVALID, ".name", "nil");
}

static void keys_that_do_not_ascend_are_refused(void **state)
{
    (void)state;
    firn_write_table(&writer, 0, 2);
    firn_write_text(&writer, "b");
    firn_write_bool(&writer, true);
    firn_write_text(&writer, "a");
    assert_writer_failed(FIRN_INVALID, "", "the key \"a\" comes after \"b\"");
}

static void a_key_that_is_there_twice_is_refused(void **state)
{
    (void)state;
    firn_write_table(&writer, 0, 2);
    firn_write_number(&writer, 0);
    firn_write_bool(&writer, true);
    firn_write_number(&writer, -0.0);
    assert_writer_failed(FIRN_INVALID, "", "the key 0 comes after 0");
}

static void a_number_after_a_string_is_refused(void **state)
{
    (void)state;
    firn_write_table(&writer, 0, 2);
    firn_write_text(&writer, "a");
    firn_write_bool(&writer, true);
    firn_write_number(&writer, 9);
    assert_writer_failed(FIRN_INVALID, "", "the key 9 comes after \"a\"");
}

static void keys_of_the_array_part_are_refused(void **state)
{
    (void)state;
    for (int key = 1; key <= 3; key++) {
        begin(NULL);
        firn_write_table(&writer, 2, 1);
        firn_write_bool(&writer, true);
        firn_write_bool(&writer, true);
        firn_write_number(&writer, key);
        assert_writer_failed(FIRN_INVALID, "", "array part, which has 2");
    }
}

static void what_is_no_key_is_refused(void **state)
{
    (void)state;
    for (int kind = 0; kind < 7; kind++) {
        static const char *const words[] = {"nil",    "NaN",     "a table", "64-bit",
                                            "64-bit", "complex", "a table"};
        firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
        begin(NULL);
        firn_write_table(&writer, 1, 0);
        firn_write_table(&writer, 0, 1);
        switch (kind) {
        case 0:
            firn_write_nil(&writer);
            break;
        case 1:
            firn_write_number(&writer, (double)NAN);
            break;
        case 2:
            firn_write_table(&writer, 0, 0);
            break;
        case 3:
            firn_write_int64(&writer, 1);
            break;
        case 4:
            firn_write_uint64(&writer, 1);
            break;
        case 5:
            firn_write_complex(&writer, 1, 1);
            break;
        default:
            firn_write_value(&writer, firn_value_table(doc, NULL));
            break;
        }
        assert_writer_failed(FIRN_INVALID, "[1]", words[kind]);
        firn_doc_destroy(doc);
    }
}

static void a_table_that_lacks_items_is_refused_at_the_end(void **state)
{
    (void)state;
    firn_write_table(&writer, 0, 1);
    firn_write_text(&writer, "inner");
    firn_write_table(&writer, 3, 0);
    firn_error err;
    assert_int_equal(firn_writer_end(&writer, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, ".inner[1]");
    assert_non_null(strstr(err.message, "lacks 3 of 3 items"));
    assert_int_equal(out.size, 0);
}

static void limits_are_checked_with_the_path(void **state)
{
    (void)state;
    firn_limits limits = {.depth = 2, .string_bytes = 3, .tree_values = 6};
    firn_writer_begin(&writer, &out, &limits);
    firn_write_table(&writer, 1, 0);
    firn_write_text(&writer, "long");
    assert_writer_failed(FIRN_LIMIT, "[1]", "4 bytes, the limit is 3");
    firn_writer_begin(&writer, &out, &limits);
    firn_write_table(&writer, 1, 0);
    firn_write_table(&writer, 1, 0);
    firn_write_table(&writer, 0, 0);
    assert_writer_failed(FIRN_LIMIT, "[1][1]", "more than 2 tables");
    firn_writer_begin(&writer, &out, &limits);
    firn_write_table(&writer, 1, 2);
    firn_write_table(&writer, 1, 0);
    assert_writer_failed(FIRN_LIMIT, "[1]", "more than 6 values");
    firn_writer_begin(&writer, &out, &limits);
    for (int i = 0; i < 3; i++) {
        firn_write_table(&writer, 5, 0);
        for (int j = 0; j < 5; j++)
            firn_write_bool(&writer, true);
    }
    assert_written("0c06 0202020202 0c06 0202020202 0c06 0202020202");
}

static void a_failure_behind_a_boolean_key_has_it_in_the_path(void **state)
{
    (void)state;
    firn_write_table(&writer, 0, 1);
    firn_write_bool(&writer, true);
    firn_write_table(&writer, 2, 0);
    firn_write_bool(&writer, true);
    firn_write_nil(&writer);
    firn_write_text(&writer, NULL); // the first failure stays
    assert_writer_failed(FIRN_INVALID, "[true][2]", "nil");
}

static void T11_a_tree_inside_a_table_fails_with_the_whole_path(void **state)
{
    (void)state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *tree = firn_value_table(doc, NULL);
    firn_table_set_text(doc, tree, "self", tree, NULL);
    firn_write_table(&writer, 0, 1);
    firn_write_text(&writer, "a");
    firn_write_value(&writer, tree);
    firn_error err;
    assert_int_equal(firn_writer_end(&writer, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, ".a.self.self");
    assert_int_equal(out.size, 0);
    firn_doc_destroy(doc);
}

static void wrong_arguments_stick(void **state)
{
    (void)state;
    firn_error err;
    firn_limits limits = {.depth = 200};
    firn_writer_begin(&writer, NULL, NULL);
    firn_write_number(&writer, 1);
    assert_int_equal(firn_writer_end(&writer, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "buffer");
    firn_writer_begin(&writer, &out, &limits);
    firn_write_number(&writer, 1);
    assert_int_equal(firn_writer_end(&writer, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "depth");
    assert_int_equal(firn_writer_end(NULL, &err), FIRN_INVALID);
    begin(NULL);
    firn_write_text(&writer, NULL);
    assert_writer_failed(FIRN_INVALID, "", "NULL");
    begin(NULL);
    firn_write_string(&writer, NULL, 5);
    assert_writer_failed(FIRN_INVALID, "", "5 bytes at NULL");
    begin(NULL);
    firn_write_value(&writer, NULL);
    assert_writer_failed(FIRN_INVALID, "", "NULL");
    begin(NULL);
    firn_write_value(&writer, &(firn_value){.kind = (firn_value_kind)50});
    assert_writer_failed(FIRN_INVALID, "", "50 is no kind");
}

static void a_failure_keeps_what_was_there_before(void **state)
{
    (void)state;
    firn_error err;
    assert_ok(firn_buffer_append(&out, "abc", 3, &err), &err);
    firn_writer_begin(&writer, &out, NULL);
    firn_write_number(&writer, 1);
    firn_write_table(&writer, 1, 0);
    firn_write_nil(&writer);
    assert_int_equal(firn_writer_end(&writer, NULL), FIRN_INVALID);
    assert_int_equal(out.size, 3);
    assert_memory_equal(out.data, "abc", 3);
}

static void a_writer_at_null_does_nothing(void **state)
{
    (void)state;
    firn_value number = {.kind = FIRN_VALUE_NUMBER, .as.number = 1};
    firn_write_nil(NULL);
    firn_write_bool(NULL, true);
    firn_write_number(NULL, 1);
    firn_write_int64(NULL, 1);
    firn_write_uint64(NULL, 1);
    firn_write_complex(NULL, 1, 2);
    firn_write_string(NULL, "firn", 4);
    firn_write_string(NULL, NULL, 4);
    firn_write_text(NULL, "firn");
    firn_write_text(NULL, NULL);
    firn_write_table(NULL, 1, 1);
    firn_write_value(NULL, &number);
    firn_write_value(NULL, NULL);
    firn_writer_begin(NULL, &out, NULL);
    assert_int_equal(out.size, 0);
}

static void nothing_is_written_after_the_end(void **state)
{
    (void)state;
    firn_error err;
    firn_write_text(&writer, "firn");
    assert_ok(firn_writer_end(&writer, &err), &err);
    firn_write_text(&writer, "late");
    firn_write_table(&writer, 0, 0);
    assert_int_equal(writer.written, 1);
    assert_int_equal(out.size, 5);
    assert_int_equal(firn_writer_end(&writer, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "writer");
    assert_non_null(strstr(err.message, "has ended"));
    assert_int_equal(out.size, 5);
    begin(NULL);
    firn_write_bool(&writer, true);
    assert_written("02");
}

static void a_second_end_leaves_what_others_appended(void **state)
{
    (void)state;
    firn_error err;
    firn_write_table(&writer, 1, 0);
    assert_int_equal(firn_writer_end(&writer, &err), FIRN_INVALID);
    assert_ok(firn_buffer_append(&out, "abc", 3, &err), &err);
    assert_int_equal(firn_writer_end(&writer, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "writer");
    assert_int_equal(out.size, 3);
}

static void a_hundred_tables_pass(void **state)
{
    (void)state;
    firn_error err;
    for (int i = 0; i < 99; i++)
        firn_write_table(&writer, 1, 0);
    firn_write_table(&writer, 0, 0);
    assert_ok(firn_writer_end(&writer, &err), &err);
    assert_ok(firn_value_check(out.data, out.size, NULL, NULL, &err), &err);
    begin(NULL);
    for (int i = 0; i < 101; i++)
        firn_write_table(&writer, 1, 0);
    assert_int_equal(firn_writer_end(&writer, &err), FIRN_LIMIT);
}

#define WRITER_TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WRITER_TEST(random_trees_come_to_the_bytes_of_encode),
        WRITER_TEST(tables_close_themselves_with_the_last_item),
        WRITER_TEST(numbers_are_written_as_doubles_with_one_nan),
        WRITER_TEST(keys_may_be_of_every_kind_that_ascends),
        WRITER_TEST(nil_inside_a_table_is_refused),
        WRITER_TEST(a_value_that_is_nil_is_refused),
        WRITER_TEST(keys_that_do_not_ascend_are_refused),
        WRITER_TEST(a_key_that_is_there_twice_is_refused),
        WRITER_TEST(a_number_after_a_string_is_refused),
        WRITER_TEST(keys_of_the_array_part_are_refused),
        WRITER_TEST(what_is_no_key_is_refused),
        WRITER_TEST(a_table_that_lacks_items_is_refused_at_the_end),
        WRITER_TEST(limits_are_checked_with_the_path),
        WRITER_TEST(a_failure_behind_a_boolean_key_has_it_in_the_path),
        WRITER_TEST(T11_a_tree_inside_a_table_fails_with_the_whole_path),
        WRITER_TEST(wrong_arguments_stick),
        WRITER_TEST(a_failure_keeps_what_was_there_before),
        WRITER_TEST(a_writer_at_null_does_nothing),
        WRITER_TEST(nothing_is_written_after_the_end),
        WRITER_TEST(a_second_end_leaves_what_others_appended),
        WRITER_TEST(a_hundred_tables_pass),
    };
    return cmocka_run_group_tests_name("value_writer", tests, NULL, drop);
}
