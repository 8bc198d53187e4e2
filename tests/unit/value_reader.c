// The streaming reader: every kind, sticky failures with offsets, trees in the middle.
#include <stdlib.h>
#include <string.h>

#include "value/stream.h"
#include "value_trees.h"

static uint8_t *bytes;
static firn_reader reader;

static void begin_hex(const char *hex, const firn_limits *limits)
{
    size_t size;
    free(bytes);
    bytes = test_from_hex(hex, &size);
    firn_reader_begin(&reader, bytes, size, limits);
}

static int drop(void **state)
{
    (void)state;
    free(bytes);
    bytes = NULL;
    return 0;
}

static void assert_reader_failed(firn_result result, uint64_t offset, const char *words)
{
    firn_error err;
    assert_true(firn_reader_failed(&reader));
    assert_int_equal(firn_read_kind(&reader), FIRN_VALUE_NIL);
    assert_true(firn_read_number(&reader) == 0);
    assert_int_equal(firn_reader_end(&reader, &err), result);
    assert_error(&err, result, "");
    assert_int_equal(err.offset, offset);
    if (strstr(err.message, words) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", words, err.message);
}

static void assert_all_read(void)
{
    firn_error err;
    assert_ok(firn_reader_end(&reader, &err), &err);
}

static void every_kind_is_read(void **state)
{
    (void)state;
    double re;
    double im;
    size_t size;
    begin_hex("00 01 02 0605000000 07000000000000e0bf 10ffffffffffffffff 11ffffffffffffffff"
              "12000000000000f03f00000000000000c0 23610062 e000 61*192",
              NULL);
    assert_int_equal(firn_read_kind(&reader), FIRN_VALUE_NIL);
    firn_read_nil(&reader);
    assert_int_equal(firn_read_kind(&reader), FIRN_VALUE_BOOL);
    assert_false(firn_read_bool(&reader));
    assert_true(firn_read_bool(&reader));
    assert_int_equal(firn_read_kind(&reader), FIRN_VALUE_NUMBER);
    assert_true(firn_read_number(&reader) == 5);
    assert_true(firn_read_number(&reader) == -0.5);
    assert_int_equal(firn_read_kind(&reader), FIRN_VALUE_INT64);
    assert_true(firn_read_int64(&reader) == -1);
    assert_int_equal(firn_read_kind(&reader), FIRN_VALUE_UINT64);
    assert_true(firn_read_uint64(&reader) == UINT64_MAX);
    assert_int_equal(firn_read_kind(&reader), FIRN_VALUE_COMPLEX);
    firn_read_complex(&reader, &re, &im);
    assert_true(re == 1 && im == -2);
    assert_int_equal(firn_read_kind(&reader), FIRN_VALUE_STRING);
    assert_memory_equal(firn_read_string(&reader, &size), "a\0b", 3);
    assert_int_equal(size, 3);
    assert_non_null(firn_read_string(&reader, &size));
    assert_int_equal(size, 192);
    assert_int_equal(reader.finished, 10);
    assert_int_equal(firn_read_kind(&reader), FIRN_VALUE_NIL);
    assert_all_read();
}

static void tables_tell_what_they_hold(void **state)
{
    (void)state;
    begin_hex("0d0301 02 00 216b 0a01 02 0b0101 01 2161 08 0c01", NULL);
    firn_table_head head = firn_read_table(&reader);
    assert_int_equal(head.array_first, 1);
    assert_int_equal(head.array_count, 2);
    assert_int_equal(head.map_count, 1);
    assert_true(firn_read_bool(&reader));
    firn_read_nil(&reader);
    assert_non_null(firn_read_string(&reader, NULL));
    head = firn_read_table(&reader);
    assert_int_equal(head.array_first, 0);
    assert_int_equal(head.array_count, 1);
    assert_int_equal(reader.finished, 0);
    assert_true(firn_read_bool(&reader));
    assert_int_equal(reader.finished, 1);
    head = firn_read_table(&reader);
    assert_int_equal(head.array_first, 0);
    assert_int_equal(head.map_count, 1);
    assert_false(firn_read_bool(&reader));
    assert_non_null(firn_read_string(&reader, NULL));
    head = firn_read_table(&reader);
    assert_int_equal(head.array_count + head.map_count, 0);
    head = firn_read_table(&reader);
    assert_int_equal(head.array_count + head.map_count, 0);
    assert_int_equal(reader.finished, 3);
    assert_all_read();
}

static void another_kind_is_corrupt(void **state)
{
    (void)state;
    double part;
    begin_hex("02 2161", NULL);
    firn_read_bool(&reader);
    firn_read_number(&reader);
    assert_reader_failed(FIRN_CORRUPT, 1, "a number was expected, not a string");
    begin_hex("07000000000000f03f", NULL);
    assert_null(firn_read_string(&reader, NULL));
    assert_reader_failed(FIRN_CORRUPT, 0, "a string was expected, not a number");
    begin_hex("02", NULL);
    firn_read_table(&reader);
    assert_reader_failed(FIRN_CORRUPT, 0, "a table was expected, not true");
    begin_hex("110000000000000000", NULL);
    assert_true(firn_read_int64(&reader) == 0);
    assert_reader_failed(FIRN_CORRUPT, 0, "an int64 was expected, not a uint64");
    begin_hex("08", NULL);
    firn_read_complex(&reader, &part, NULL);
    assert_reader_failed(FIRN_CORRUPT, 0, "a complex number was expected, not a table");
    begin_hex("20", NULL);
    assert_false(firn_read_bool(&reader));
    assert_reader_failed(FIRN_CORRUPT, 0, "a boolean was expected, not a string");
    begin_hex("13", NULL);
    firn_read_nil(&reader);
    assert_reader_failed(FIRN_CORRUPT, 0, "tag 0x13 is no kind of value");
}

static void keys_of_other_kinds_are_corrupt(void **state)
{
    (void)state;
    begin_hex("0901 07000000000000f87f 01", NULL);
    firn_read_table(&reader);
    firn_read_number(&reader);
    assert_reader_failed(FIRN_CORRUPT, 2, "a table key is NaN");
    begin_hex("0901 00 01", NULL);
    firn_read_table(&reader);
    firn_read_nil(&reader);
    assert_reader_failed(FIRN_CORRUPT, 2, "a table key is nil");
    begin_hex("0901 08 01", NULL);
    firn_read_table(&reader);
    firn_read_table(&reader);
    assert_reader_failed(FIRN_CORRUPT, 2, "a table key is a table");
    begin_hex("0901 08 01", NULL);
    firn_read_table(&reader);
    firn_read_skip(&reader);
    assert_reader_failed(FIRN_CORRUPT, 2, "a table key is a table");
}

static void a_tree_at_a_place_of_a_key_is_a_key(void **state)
{
    (void)state;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    begin_hex("0901 00 02", NULL);
    firn_read_table(&reader);
    assert_null(firn_read_value(&reader, doc));
    assert_reader_failed(FIRN_CORRUPT, 2, "key");
    begin_hex("0901 2161 02", NULL);
    firn_read_table(&reader);
    const firn_value *key = firn_read_value(&reader, doc);
    assert_non_null(key);
    assert_int_equal(key->kind, FIRN_VALUE_STRING);
    assert_true(firn_read_bool(&reader));
    assert_all_read();
    firn_doc_destroy(doc);
}

static void missing_bytes_are_truncated(void **state)
{
    (void)state;
    begin_hex("", NULL);
    assert_false(firn_read_bool(&reader));
    assert_reader_failed(FIRN_TRUNCATED, 0, "a boolean does not fit");
    begin_hex("0c03 07000000000000f03f 0700", NULL);
    firn_read_table(&reader);
    firn_read_number(&reader);
    firn_read_number(&reader);
    assert_reader_failed(FIRN_TRUNCATED, 11, "a number does not fit the 2 bytes left");
    begin_hex("0a ffffffffff", NULL);
    firn_read_table(&reader);
    assert_reader_failed(FIRN_TRUNCATED, 0, "4294967295 elements");
    begin_hex("0c03 2161", NULL);
    firn_read_table(&reader);
    firn_read_skip(&reader);
    firn_error err;
    assert_int_equal(firn_reader_end(&reader, &err), FIRN_TRUNCATED);
    assert_int_equal(err.offset, 4);
}

static void bytes_left_over_are_corrupt(void **state)
{
    (void)state;
    firn_error err;
    begin_hex("02 02", NULL);
    firn_read_bool(&reader);
    assert_int_equal(firn_reader_end(&reader, &err), FIRN_CORRUPT);
    assert_int_equal(err.offset, 1);
}

static void limits_hold(void **state)
{
    (void)state;
    firn_limits limits = {.depth = 1, .string_bytes = 2, .tree_values = 3};
    begin_hex("0c02 23616161", &limits);
    firn_read_table(&reader);
    assert_null(firn_read_string(&reader, NULL));
    assert_reader_failed(FIRN_LIMIT, 2, "3 bytes, the limit is 2");
    begin_hex("0c02 08", &limits);
    firn_read_table(&reader);
    firn_read_table(&reader);
    assert_reader_failed(FIRN_LIMIT, 2, "more than 1 tables");
    begin_hex("0c02 08", &limits);
    firn_read_table(&reader);
    firn_read_skip(&reader);
    assert_reader_failed(FIRN_LIMIT, 2, "more than 1 tables");
    begin_hex("0c03 01 01 0c04 02 02 02", &limits);
    firn_read_skip(&reader);
    firn_read_table(&reader);
    assert_reader_failed(FIRN_LIMIT, 4, "more than 3 values");
}

static void a_tree_is_read_in_the_middle(void **state)
{
    (void)state;
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    begin_hex("0c04 02 0902 2161 01 2162 0c02 02 0605000000", NULL);
    firn_read_table(&reader);
    firn_read_bool(&reader);
    const firn_value *tree = firn_read_value(&reader, doc);
    assert_int_equal(firn_table_array_count(firn_table_get_text(tree, "b")), 1);
    assert_true(firn_read_number(&reader) == 5);
    assert_all_read();
    begin_hex("0901 2161 02", NULL);
    firn_read_table(&reader);
    assert_string_equal(firn_read_value(&reader, doc)->as.string, "a");
    assert_true(firn_read_value(&reader, doc)->as.boolean);
    assert_all_read();
    begin_hex("0c02 0902 2161 01 2161 02", NULL);
    firn_read_table(&reader);
    assert_null(firn_read_value(&reader, doc));
    assert_reader_failed(FIRN_CORRUPT, 7, "\"a\" is there twice");
    begin_hex("02", NULL);
    assert_null(firn_read_value(&reader, NULL));
    assert_true(firn_reader_failed(&reader));
    assert_int_equal(firn_reader_end(&reader, &err), FIRN_INVALID);
    firn_doc_destroy(doc);
}

static void the_limits_of_the_document_hold_for_a_tree(void **state)
{
    (void)state;
    firn_limits limits = {.depth = 1, .string_bytes = 2, .tree_values = 3};
    firn_doc *doc = firn_doc_create(NULL, &limits, NULL);
    begin_hex("0c02 0c03 01 01", NULL);
    firn_read_table(&reader);
    assert_non_null(firn_read_value(&reader, doc));
    assert_all_read();
    begin_hex("0c02 0c02 08", NULL);
    firn_read_table(&reader);
    assert_null(firn_read_value(&reader, doc));
    assert_reader_failed(FIRN_LIMIT, 4, "tables inside each other");
    begin_hex("0c02 0c04 01 01 01", NULL);
    firn_read_table(&reader);
    assert_null(firn_read_value(&reader, doc));
    assert_reader_failed(FIRN_LIMIT, 2, "values in one");
    begin_hex("23616161", NULL);
    assert_null(firn_read_value(&reader, doc));
    assert_reader_failed(FIRN_LIMIT, 0, "the limit is 2");
    firn_doc_destroy(doc);
}

static void a_codec_can_refuse_a_value(void **state)
{
    (void)state;
    begin_hex("02 02", NULL);
    firn_read_bool(&reader);
    firn_reader_refuse(&reader, "hp is negative");
    firn_reader_refuse(&reader, "too late");
    assert_reader_failed(FIRN_REFUSED, 0, "hp is negative");
    assert_int_equal(reader.finished, 0);
    begin_hex("02", NULL);
    firn_reader_refuse(&reader, NULL);
    assert_reader_failed(FIRN_REFUSED, 0, "refused");
}

static void a_value_is_refused_where_it_was_read_or_looked_at(void **state)
{
    (void)state;
    begin_hex("02 0c03 02 02 01", NULL);
    firn_read_bool(&reader);
    assert_int_equal(firn_read_kind(&reader), FIRN_VALUE_TABLE);
    firn_reader_refuse(&reader, "no tables");
    assert_reader_failed(FIRN_REFUSED, 1, "no tables");
    assert_int_equal(reader.finished, 1);
    begin_hex("02 0c03 02 02 01", NULL);
    firn_read_bool(&reader);
    firn_read_table(&reader);
    firn_read_bool(&reader);
    firn_reader_refuse(&reader, "the second");
    assert_reader_failed(FIRN_REFUSED, 4, "the second");
    assert_int_equal(reader.finished, 1);
    begin_hex("02 0c03 02 02 01", NULL);
    firn_read_bool(&reader);
    firn_read_table(&reader);
    firn_read_bool(&reader);
    firn_read_bool(&reader);
    firn_reader_refuse(&reader, "both");
    assert_reader_failed(FIRN_REFUSED, 1, "both");
    assert_int_equal(reader.finished, 1);
}

static void offsets_count_from_the_start_of_the_whole(void **state)
{
    (void)state;
    static const uint8_t part[] = {0x0c, 2, 0x13};
    static const uint8_t bomb[] = {0x0a, 0xff, 0xff, 0xff, 0xff, 0xff};
    firn_error err;
    fr_reader_begin_at(&reader, part, sizeof part, 1000, NULL);
    firn_read_table(&reader);
    firn_read_number(&reader);
    assert_int_equal(firn_reader_end(&reader, &err), FIRN_CORRUPT);
    assert_int_equal(err.offset, 1002);
    fr_reader_begin_at(&reader, part, sizeof part, 1000, NULL);
    firn_read_skip(&reader);
    assert_int_equal(firn_reader_end(&reader, &err), FIRN_CORRUPT);
    assert_int_equal(err.offset, 1002);
    fr_reader_begin_at(&reader, bomb, sizeof bomb, 1000, NULL);
    firn_read_table(&reader);
    assert_int_equal(firn_reader_end(&reader, &err), FIRN_TRUNCATED);
    assert_int_equal(err.offset, 1000);
}

static void wrong_arguments_stick(void **state)
{
    (void)state;
    firn_error err;
    firn_limits limits = {.depth = 200};
    firn_reader_begin(&reader, NULL, 3, NULL);
    assert_false(firn_read_bool(&reader));
    assert_int_equal(firn_reader_end(&reader, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "bytes");
    firn_reader_begin(&reader, "\2", 1, &limits);
    assert_false(firn_read_bool(&reader));
    assert_int_equal(firn_reader_end(&reader, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "depth");
    assert_int_equal(firn_reader_end(NULL, &err), FIRN_INVALID);
    firn_reader_begin(&reader, NULL, 0, NULL);
    assert_all_read();
}

static void a_reader_at_null_reads_zeros(void **state)
{
    (void)state;
    double re = 7;
    double im = 7;
    size_t size = 7;
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_reader_begin(NULL, "\2", 1, NULL);
    assert_true(firn_reader_failed(NULL));
    firn_reader_refuse(NULL, "why");
    assert_int_equal(firn_read_kind(NULL), FIRN_VALUE_NIL);
    firn_read_nil(NULL);
    assert_false(firn_read_bool(NULL));
    assert_true(firn_read_number(NULL) == 0);
    assert_true(firn_read_int64(NULL) == 0);
    assert_true(firn_read_uint64(NULL) == 0);
    firn_read_complex(NULL, &re, &im);
    assert_true(re == 0 && im == 0);
    assert_null(firn_read_string(NULL, &size));
    assert_int_equal(size, 0);
    assert_null(firn_read_string(NULL, NULL));
    firn_table_head head = firn_read_table(NULL);
    assert_true(head.array_first == 0 && head.array_count == 0 && head.map_count == 0);
    firn_read_skip(NULL);
    assert_null(firn_read_value(NULL, doc));
    firn_doc_destroy(doc);
}

static void what_the_writer_writes_is_read_back(void **state)
{
    (void)state;
    test_random random = {31};
    firn_buffer out = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    for (int i = 0; i < 2000; i++) {
        firn_doc_clear(doc);
        firn_buffer_clear(&out);
        const firn_value *value = test_random_value(&random, doc, 4);
        test_encode(value, &out);
        test_encode(value, &out);
        firn_reader_begin(&reader, out.data, out.size, NULL);
        assert_true(firn_value_equal(test_read_tree(&reader, doc), value));
        assert_true(firn_value_equal(firn_read_value(&reader, doc), value));
        assert_all_read();
    }
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_read),
        cmocka_unit_test(tables_tell_what_they_hold),
        cmocka_unit_test(another_kind_is_corrupt),
        cmocka_unit_test(keys_of_other_kinds_are_corrupt),
        cmocka_unit_test(a_tree_at_a_place_of_a_key_is_a_key),
        cmocka_unit_test(missing_bytes_are_truncated),
        cmocka_unit_test(bytes_left_over_are_corrupt),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(a_tree_is_read_in_the_middle),
        cmocka_unit_test(the_limits_of_the_document_hold_for_a_tree),
        cmocka_unit_test(a_codec_can_refuse_a_value),
        cmocka_unit_test(a_value_is_refused_where_it_was_read_or_looked_at),
        cmocka_unit_test(offsets_count_from_the_start_of_the_whole),
        cmocka_unit_test(wrong_arguments_stick),
        cmocka_unit_test(a_reader_at_null_reads_zeros),
        cmocka_unit_test(what_the_writer_writes_is_read_back),
    };
    return cmocka_run_group_tests_name("value_reader", tests, NULL, drop);
}
