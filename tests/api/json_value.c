// Values as JSON and back.
#include "firn/json.h"
#include "support/support.h"
#include "support/tree.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(const firn_value *value)
{
    firn_buffer out = {0};
    firn_error err;
    assert_ok(firn_json_write(value, &out, &err), &err);
    char *text = calloc(1, out.size + 1);
    assert_non_null(text);
    memcpy(text, out.data, out.size);
    firn_buffer_free(&out);
    return text;
}

static firn_doc *new_doc(const firn_limits *limits)
{
    firn_doc *doc = firn_doc_create(NULL, limits, NULL);
    assert_non_null(doc);
    return doc;
}

// The value has this text, and the text this value.
static void assert_text(const firn_value *value, const char *expected)
{
    firn_error err;
    char *text = text_of(value);
    assert_string_equal(text, expected);
    free(text);
    firn_doc *doc = new_doc(NULL);
    const firn_value *again = firn_json_read(doc, expected, strlen(expected), &err);
    if (again == NULL)
        fail_msg("%s: %s", expected, err.message);
    assert_true(firn_value_equal(value, again));
    firn_doc_destroy(doc);
}

static void assert_tree_text(const char *tree, const char *expected)
{
    firn_doc *doc = new_doc(NULL);
    assert_text(test_tree(doc, tree), expected);
    firn_doc_destroy(doc);
}

static void assert_number_text(double number, const char *expected)
{
    const firn_value value = {.kind = FIRN_VALUE_NUMBER, .as.number = number};
    assert_text(&value, expected);
}

static void S7_numbers_have_the_shortest_text_that_reads_back(void **state)
{
    (void)state;
    assert_number_text(0, "0");
    assert_number_text(-0.0, "-0.0");
    assert_number_text(5, "5");
    assert_number_text(-1200, "-1200");
    assert_number_text(0.1, "0.1");
    assert_number_text(1.0 / 3, "0.3333333333333333");
    assert_number_text(123456.789, "123456.789");
    assert_number_text(9007199254740993.0, "9007199254740992");
    assert_number_text(1e16, "10000000000000000");
    assert_number_text(1e17, "1e17");
    assert_number_text(0.00001, "0.00001");
    assert_number_text(0.000001, "1e-6");
    assert_number_text(1.5e-7, "1.5e-7");
    assert_number_text(5e-324, "5e-324");
    assert_number_text(1.7976931348623157e308, "1.7976931348623157e308");
    assert_number_text(2.2250738585072014e-308, "2.2250738585072014e-308");
}

static double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void S7_random_doubles_come_back_with_every_bit(void **state)
{
    (void)state;
    test_random random = {7};
    firn_doc *doc = new_doc(NULL);
    firn_error err;
    for (int i = 0; i < 20000; i++) {
        firn_buffer out = {0};
        firn_value value = {.kind = FIRN_VALUE_NUMBER,
                            .as.number = double_of_bits(test_random_u64(&random))};
        if (i % 3 == 0) // few digits
            value.as.number = test_random_below(&random, 100000) / 1000.0;
        assert_ok(firn_json_write(&value, &out, &err), &err);
        const firn_value *again = firn_json_read(doc, out.data, out.size, &err);
        assert_non_null(again);
        assert_int_equal(again->kind, FIRN_VALUE_NUMBER);
        assert_true(bits_of_double(again->as.number) == bits_of_double(value.as.number));
        firn_buffer_free(&out);
        firn_doc_clear(doc);
    }
    firn_doc_destroy(doc);
}

static void S7_what_is_not_finite_is_tagged_and_nan_keeps_its_payload(void **state)
{
    (void)state;
    assert_number_text(INFINITY, "{\"$number\":\"inf\"}");
    assert_number_text(-INFINITY, "{\"$number\":\"-inf\"}");
    assert_number_text(double_of_bits(UINT64_C(0x7ff8000000000000)), "{\"$number\":\"nan\"}");
    assert_number_text(double_of_bits(UINT64_C(0xfff8000000000000)),
                       "{\"$number\":\"fff8000000000000\"}");
    const char *text = "{\"$number\":\"7ff00000deadbeef\"}";
    firn_doc *doc = new_doc(NULL);
    const firn_value *value = firn_json_read(doc, text, strlen(text), NULL);
    assert_non_null(value);
    assert_true(bits_of_double(value->as.number) == UINT64_C(0x7ff00000deadbeef));
    assert_text(value, text);
    firn_doc_destroy(doc);
}

static void S7_numbers_have_a_point_whatever_the_locale_says(void **state)
{
    (void)state;
    // One with a comma, one whose point has two bytes, as far as they are there.
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "ps_AF",
                                        "ps_AF.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (setlocale(LC_NUMERIC, names[i]) != NULL)
            assert_number_text(1.5, "1.5");
    }
    setlocale(LC_NUMERIC, "C");
}

static void S7_64_bit_integers_and_complex_numbers_are_tagged(void **state)
{
    (void)state;
    assert_tree_text("{-5LL, 5ULL}", "[{\"$int64\":\"-5\"},{\"$uint64\":\"5\"}]");
    const firn_value least = {.kind = FIRN_VALUE_INT64, .as.int64 = INT64_MIN};
    assert_text(&least, "{\"$int64\":\"-9223372036854775808\"}");
    const firn_value most = {.kind = FIRN_VALUE_UINT64, .as.uint64 = UINT64_MAX};
    assert_text(&most, "{\"$uint64\":\"18446744073709551615\"}");
    firn_doc *doc = new_doc(NULL);
    assert_text(firn_value_complex(doc, 0.5, -INFINITY, NULL),
                "{\"$complex\":[0.5,{\"$number\":\"-inf\"}]}");
    firn_doc_destroy(doc);
}

static void assert_string_text(const char *bytes, size_t size, const char *expected)
{
    firn_doc *doc = new_doc(NULL);
    assert_text(firn_value_string(doc, bytes, size, NULL), expected);
    firn_doc_destroy(doc);
}

static void S7_strings_are_text_or_bytes(void **state)
{
    (void)state;
    assert_string_text("", 0, "\"\"");
    assert_string_text("caf\xc3\xa9 \xf0\x9f\x90\xba", 10, "\"caf\xc3\xa9 \xf0\x9f\x90\xba\"");
    assert_string_text("\"\\/\b\t\n\f\r\x01\x0b\x1f\x7f", 12,
                       "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0001\\u000b\\u001f\x7f\"");
    assert_string_text("\xff", 1, "{\"$bytes\":\"/w==\"}");
    assert_string_text("\xc0\x80", 2, "{\"$bytes\":\"wIA=\"}");
    assert_string_text("\xed\xa0\x80", 3, "{\"$bytes\":\"7aCA\"}");
    assert_string_text("a\0b", 3, "{\"$bytes\":\"YQBi\"}");
    assert_string_text("$text", 5, "\"$text\"");
}

static void S7_tables_come_back_with_all_their_keys(void **state)
{
    (void)state;
    const firn_value nil = {.kind = FIRN_VALUE_NIL};
    assert_text(&nil, "null");
    assert_tree_text("{}", "{}");
    assert_tree_text("{1, {2, {}}}", "[1,[2,{}]]");
    assert_tree_text("{b = true, a = {c = \"x\"}}", "{\"a\":{\"c\":\"x\"},\"b\":true}");
    assert_tree_text("{1, nil, 3}", "{\"$table\":[[1,1],[3,3]]}");
    assert_tree_text("{1, a = 2}", "{\"$table\":[[1,1],[\"a\",2]]}");
    assert_tree_text("{[0.5] = 1, [true] = 2, [false] = 3, [-0.0] = 4}",
                     "{\"$table\":[[false,3],[true,2],[0,4],[0.5,1]]}");
    assert_tree_text("{[\"$int64\"] = \"5\"}", "{\"$table\":[[\"$int64\",\"5\"]]}");
    assert_tree_text("{a = 1, [\"$b\"] = {[\"\"] = 2}}",
                     "{\"$table\":[[\"$b\",{\"\":2}],[\"a\",1]]}");
    firn_doc *doc = new_doc(NULL);
    firn_value *table = firn_value_table(doc, NULL);
    assert_ok(firn_table_set(doc, table, firn_value_string(doc, "a\0", 2, NULL),
                             firn_value_bool(doc, true, NULL), NULL),
              NULL);
    assert_text(table, "{\"$table\":[[{\"$bytes\":\"YQA=\"},true]]}");
    firn_doc_destroy(doc);
}

static void assert_reads_as(const char *text, const char *tree)
{
    firn_doc *doc = new_doc(NULL);
    firn_error err;
    const firn_value *value = firn_json_read(doc, text, strlen(text), &err);
    if (value == NULL)
        fail_msg("%s: %s", text, err.message);
    assert_tree(value, tree);
    firn_doc_destroy(doc);
}

static void S7_json_of_others_is_read(void **state)
{
    (void)state;
    assert_reads_as(" [ 1 , 2.50 , 1E2 ] \n", "{1, 2.5, 100}");
    assert_reads_as("[]", "{}");
    assert_reads_as("null", "nil");
    assert_reads_as("[null, 2, null]", "{nil, 2}");
    assert_reads_as("{\"a\": null, \"b\": \"\\u00e9\\/\\ud83d\\udc3a\"}",
                    "{b = \"\xc3\xa9/\xf0\x9f\x90\xba\"}");
    assert_reads_as("9007199254740993", "9007199254740992");
    assert_reads_as("{\"$table\": [[1, null], [\"a\", 2]]}", "{a = 2}");
}

static void assert_refused(const char *text, firn_result code, uint64_t offset)
{
    firn_doc *doc = new_doc(NULL);
    const firn_value *before = test_tree(doc, "{1, a = 2}");
    firn_error err = {0};
    if (firn_json_read(doc, text, strlen(text), &err) != NULL)
        fail_msg("%s is read", text);
    if (err.code != code || err.offset != offset)
        fail_msg("%s: %s at %llu: %s", text, firn_result_name(err.code),
                 (unsigned long long)err.offset, err.message);
    assert_error(&err, code, "");
    assert_tree(before, "{1, a = 2}");
    firn_doc_destroy(doc);
}

static void S7_what_is_wrong_is_corrupt_where_it_stands(void **state)
{
    (void)state;
    assert_refused("", FIRN_TRUNCATED, 0);
    assert_refused("[1, 2", FIRN_TRUNCATED, 5);
    assert_refused("[1, x]", FIRN_CORRUPT, 5);
    assert_refused("[1] 2", FIRN_CORRUPT, 5);
    assert_refused("{\"a\": 1, \"a\": 2}", FIRN_CORRUPT, 12);
    assert_refused("[1, {\"$int64\": \"x\"}]", FIRN_CORRUPT, 15);
    assert_refused("[1, {\"$int64\": 5}]", FIRN_CORRUPT, 15);
    assert_refused("[\"\\\"]\", {\"$int64\": \"9223372036854775808\"}]", FIRN_CORRUPT, 19);
    assert_refused("{\"$uint64\": \"-1\"}", FIRN_CORRUPT, 12);
    assert_refused("{\"$uint64\": \"18446744073709551616\"}", FIRN_CORRUPT, 12);
    assert_refused("{\"$uint64\": \"\"}", FIRN_CORRUPT, 12);
    assert_refused("{\"$number\": \"Nan\"}", FIRN_CORRUPT, 12);
    assert_refused("{\"$number\": \"7ff80000000000000\"}", FIRN_CORRUPT, 12);
    assert_refused("{\"$complex\": [1]}", FIRN_CORRUPT, 13);
    assert_refused("{\"$complex\": [1, \"x\"]}", FIRN_CORRUPT, 13);
    assert_refused("{\"$bytes\": \"YQ=\"}", FIRN_CORRUPT, 11);
    assert_refused("{\"$bytes\": \"YR==\"}", FIRN_CORRUPT, 11);
    assert_refused("{\"$bytes\": \"Y=Q=\"}", FIRN_CORRUPT, 11);
    assert_refused("{\"$bytes\": \"YQ==YQ==\"}", FIRN_CORRUPT, 11);
    assert_refused("{\"$bytes\": 5}", FIRN_CORRUPT, 11);
    assert_refused("{\"$unknown\": 5}", FIRN_CORRUPT, 13);
    assert_refused("{\"a\": 1, \"$int64\": \"5\"}", FIRN_CORRUPT, 19);
    assert_refused("{\"$table\": {}}", FIRN_CORRUPT, 11);
    assert_refused("{\"$table\": [[1]]}", FIRN_CORRUPT, 12);
    assert_refused("{\"$table\": [[1, 2, 3]]}", FIRN_CORRUPT, 12);
    assert_refused("{\"$table\": [[1, 2], [1, 3]]}", FIRN_CORRUPT, 20);
    assert_refused("{\"$table\": [[0, 2], [-0.0, 3]]}", FIRN_CORRUPT, 20);
    assert_refused("{\"$table\": [[{\"$number\": \"nan\"}, 3]]}", FIRN_CORRUPT, 12);
    assert_refused("{\"$table\": [[{}, 3]]}", FIRN_CORRUPT, 12);
    assert_refused("9223372036854775808", FIRN_CORRUPT, 19);
    assert_refused("1e999", FIRN_CORRUPT, 5);
    assert_refused("\"\xff\"", FIRN_CORRUPT, 1);
}

static void assert_limit(const char *text, const firn_limits *limits, uint64_t offset)
{
    firn_doc *doc = new_doc(limits);
    firn_error err = {0};
    assert_null(firn_json_read(doc, text, strlen(text), &err));
    assert_error(&err, FIRN_LIMIT, "");
    assert_int_equal(err.offset, offset);
    firn_doc_destroy(doc);
}

static void S7_limits_hold_for_text(void **state)
{
    (void)state;
    assert_limit("[[[1]]]", &(firn_limits){.depth = 2}, 2);
    assert_limit("{\"$table\":[[1,{\"$table\":[[1,[1]]]}]]}", &(firn_limits){.depth = 2}, 28);
    assert_limit("[1,2,3]", &(firn_limits){.tree_values = 3}, 0);
    assert_limit("[1,\"abcd\"]", &(firn_limits){.string_bytes = 3}, 3);
    assert_limit("{\"abcd\":1}", &(firn_limits){.string_bytes = 3}, 8);
    assert_limit("{\"$bytes\":\"YWFhYWFh\"}", &(firn_limits){.string_bytes = 3}, 10);
}

static char *nested(const char *open, const char *close, int depth)
{
    size_t one = strlen(open), other = strlen(close);
    char *text = calloc((size_t)depth + 1, one + other), *at = text;
    assert_non_null(text);
    for (int i = 0; i < depth; i++, at += one)
        memcpy(at, open, one);
    for (int i = 0; i < depth; i++, at += other)
        memcpy(at, close, other);
    return text;
}

static void S7_text_as_deep_as_it_can_be_is_read_and_not_more(void **state)
{
    (void)state;
    char *text = nested("{\"$table\":[[1,", "]]}", 99);
    memmove(strchr(text, ']') + 2, strchr(text, ']'), strlen(strchr(text, ']')) + 1);
    memcpy(strchr(text, ',') != NULL ? strrchr(text, ',') + 1 : text, "{}", 2);
    firn_doc *doc = new_doc(NULL);
    firn_error err;
    const firn_value *value = firn_json_read(doc, text, strlen(text), &err);
    if (value == NULL)
        fail_msg("%s", err.message);
    char *again = text_of(value); // arrays of one
    assert_int_equal(strlen(again), 2 * 100);
    free(again);
    free(text);
    static const int depths[] = {101, 400, 3000, 200000};
    for (size_t i = 0; i < 4; i++) {
        text = nested("[", "]", depths[i]);
        assert_null(firn_json_read(doc, text, strlen(text), &err));
        assert_error(&err, FIRN_LIMIT, "");
        free(text);
    }
    firn_doc_destroy(doc);
}

// Where many values could be there the text is counted first.
static void S7_more_values_than_may_be_are_not_parsed(void **state)
{
    (void)state;
    size_t size = 2 * 70000;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i += 2)
        memcpy(text + i, "1,", 2);
    text[0] = '[';
    text[1] = ' ';
    text[size - 1] = ']';
    firn_doc *doc = new_doc(&(firn_limits){.tree_values = 10});
    firn_error err;
    assert_null(firn_json_read(doc, text, size, &err));
    assert_error(&err, FIRN_LIMIT, "line");
    firn_doc *small = new_doc(&(firn_limits){.file_bytes = 1000});
    assert_null(firn_json_read(small, text, size, &err));
    assert_error(&err, FIRN_LIMIT, "line");
    firn_doc_destroy(small);
    // Neither is what would take too much memory.
    firn_doc *lean = new_doc(&(firn_limits){.expanded_bytes = 1 << 22});
    assert_null(firn_json_read(lean, text, size, &err));
    assert_error(&err, FIRN_LIMIT, "line");
    assert_non_null(strstr(err.message, "memory"));
    firn_doc_destroy(lean);
    // Commas in strings are no values.
    memset(text, ',', size);
    memcpy(text, "\"\\\"", 3);
    text[size - 1] = '"';
    const firn_value *value = firn_json_read(doc, text, size, &err);
    assert_non_null(value);
    assert_int_equal(value->length, size - 3);
    firn_doc_destroy(doc);
    free(text);
}

static void S7_a_tree_that_is_too_deep_or_has_no_end_is_not_written(void **state)
{
    (void)state;
    firn_doc *doc = new_doc(NULL);
    firn_buffer out = {0};
    firn_error err;
    assert_ok(firn_buffer_append(&out, "keep", 4, &err), &err);
    firn_value *table = firn_value_table(doc, NULL);
    assert_ok(firn_table_push(doc, table, table, &err), &err);
    assert_int_equal(firn_json_write(table, &out, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "value");
    firn_value *wide = firn_value_table(doc, NULL);
    for (int i = 0; i < 10; i++)
        assert_ok(firn_table_push(doc, wide, wide, &err), &err);
    assert_ok(firn_table_set_text(doc, wide, "a", wide, &err), &err);
    assert_int_equal(firn_json_write(wide, &out, &err), FIRN_LIMIT);
    // More values than limits allow come before it is too deep.
    const firn_value *one = firn_value_bool(doc, true, NULL);
    firn_value *many = firn_value_table(doc, NULL);
    for (int i = 0; i < 400000; i++)
        assert_ok(firn_table_push(doc, many, i == 0 ? many : one, NULL), NULL);
    assert_int_equal(firn_json_write(many, &out, &err), FIRN_LIMIT);
    assert_non_null(strstr(err.message, "values"));
    assert_int_equal(out.size, 4);
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
}

static void S7_arguments_that_are_null_are_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    const firn_value value = {.kind = FIRN_VALUE_NIL};
    firn_doc *doc = new_doc(NULL);
    assert_int_equal(firn_json_write(NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "value");
    assert_int_equal(firn_json_write(&value, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_null(firn_json_read(NULL, "1", 1, &err));
    assert_error(&err, FIRN_INVALID, "doc");
    assert_null(firn_json_read(doc, NULL, 0, &err));
    assert_error(&err, FIRN_INVALID, "text");
    firn_doc_destroy(doc);
}

// A sample of everything, cut at each byte, and with each byte changed.
static void S7_damaged_text_is_an_error_or_another_value(void **state)
{
    (void)state;
    static const char sample[] =
        "{\"$table\":[[1,{\"a\":[true,null,-0.5e3,\"\\u00e9\\n\",{\"$bytes\":\"/w==\"}]}],"
        "[\"$b\",{\"$complex\":[{\"$number\":\"7ff8000000000001\"},1]}],"
        "[false,[{\"$int64\":\"-5\"},{\"$uint64\":\"5\"},{}]]]}";
    char text[sizeof sample];
    firn_doc *doc = new_doc(NULL);
    size_t size = sizeof sample - 1;
    test_random random = {3};
    for (size_t i = 0; i < size; i++) {
        assert_null(firn_json_read(doc, sample, i, NULL));
        for (int k = 0; k < 30; k++) {
            memcpy(text, sample, sizeof sample);
            uint32_t byte = (uint8_t)text[i];
            byte = k < 8 ? byte ^ 1u << k : test_random_below(&random, 256);
            text[i] = (char)byte;
            firn_error err = {0};
            const firn_value *value = firn_json_read(doc, text, size, &err);
            if (value == NULL)
                assert_true(err.offset <= size);
            else
                free(text_of(value));
            firn_doc_clear(doc);
        }
    }
    firn_doc_destroy(doc);
}

static void S7_a_build_without_json_says_so(void **state)
{
    (void)state;
    firn_error err = {0};
    firn_buffer out = {0};
    firn_doc *doc = new_doc(NULL);
    const firn_value value = {.kind = FIRN_VALUE_NIL};
    const firn_result results[] = {
        firn_json_write(&value, &out, &err),
        firn_json_export_image("", 0, NULL, NULL, NULL, &err),
        firn_json_import_image("", 0, NULL, &out, &err),
        firn_json_write_entity(NULL, &out, &err),
        firn_json_export_save("", 0, NULL, NULL, NULL, &err),
        firn_json_import_save("", 0, NULL, &out, &err),
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        assert_int_equal(results[i], FIRN_UNSUPPORTED);
    err = (firn_error){0};
    assert_null(firn_json_read(doc, "1", 1, &err));
    assert_error(&err, FIRN_UNSUPPORTED, "JSON");
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
}

int main(void)
{
    const struct CMUnitTest without[] = {cmocka_unit_test(S7_a_build_without_json_says_so)};

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S7_numbers_have_the_shortest_text_that_reads_back),
        cmocka_unit_test(S7_random_doubles_come_back_with_every_bit),
        cmocka_unit_test(S7_what_is_not_finite_is_tagged_and_nan_keeps_its_payload),
        cmocka_unit_test(S7_numbers_have_a_point_whatever_the_locale_says),
        cmocka_unit_test(S7_64_bit_integers_and_complex_numbers_are_tagged),
        cmocka_unit_test(S7_strings_are_text_or_bytes),
        cmocka_unit_test(S7_tables_come_back_with_all_their_keys),
        cmocka_unit_test(S7_json_of_others_is_read),
        cmocka_unit_test(S7_what_is_wrong_is_corrupt_where_it_stands),
        cmocka_unit_test(S7_limits_hold_for_text),
        cmocka_unit_test(S7_text_as_deep_as_it_can_be_is_read_and_not_more),
        cmocka_unit_test(S7_more_values_than_may_be_are_not_parsed),
        cmocka_unit_test(S7_a_tree_that_is_too_deep_or_has_no_end_is_not_written),
        cmocka_unit_test(S7_arguments_that_are_null_are_refused),
        cmocka_unit_test(S7_damaged_text_is_an_error_or_another_value),
    };
    return firn_json_available() ? cmocka_run_group_tests(tests, NULL, NULL)
                                 : cmocka_run_group_tests(without, NULL, NULL);
}
