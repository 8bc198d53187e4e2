// What the check refuses, with which words, at which byte, and at what cost.
#include <stdlib.h>
#include <string.h>

#include "value/check.h"
#include "value_trees.h"

static firn_result check_hex(const char *hex, const firn_limits *limits, firn_error *err)
{
    size_t size;
    uint8_t *bytes = test_from_hex(hex, &size);
    firn_result result = firn_value_check(bytes, size, limits, NULL, err);
    free(bytes);
    return result;
}

static void assert_refused(const char *hex, firn_result result, uint64_t offset, const char *words)
{
    firn_error err;
    assert_int_equal(check_hex(hex, NULL, &err), result);
    assert_error(&err, result, "");
    if (strstr(err.message, words) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", words, err.message);
    assert_int_equal(err.offset, offset);
}

static void bombs_are_refused_before_memory_is_taken(void **state)
{
    (void)state;
    static const char *const bombs[] = {
        "0affffffff 07", "0a ffffffffff 07", "09 ff00000004", "0b ffffffffff ffffffffff",
        "0affffffff 0affffffff 0affffffff 0affffffff 0affffffff",
        "0affffffffff 0affffffffff 0affffffffff 0affffffffff 0affffffffff",
        // Each count alone would fit the bytes.
        "0a60 0a5e 0a5c 0a5a 0a58 00*80", "ffffffffff 61", "0901 ffffffffff"};
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        test_allocator memory;
        firn_error err;
        size_t size;
        uint8_t *bytes = test_from_hex(bombs[i], &size);
        test_allocator_init(&memory);
        firn_doc *doc = firn_doc_create(&memory.allocator, NULL, &err);
        assert_null(firn_value_decode(doc, bytes, size, &err));
        assert_error(&err, FIRN_TRUNCATED, "");
        assert_true(err.offset < size);
        assert_in_range(memory.peak_bytes, 1, 4095);
        firn_doc_destroy(doc);
        assert_no_leak(&memory);
        free(bytes);
    }
}

static void each_kind_of_bad_tag_has_its_words(void **state)
{
    (void)state;
    assert_refused("03", FIRN_CORRUPT, 0, "pointer");
    assert_refused("0400000000", FIRN_CORRUPT, 0, "tag 0x04 is a pointer");
    assert_refused("0c02 050000000000000000", FIRN_CORRUPT, 2, "pointer");
    assert_refused("0e0008", FIRN_CORRUPT, 0, "metatable");
    assert_refused("0f00", FIRN_CORRUPT, 0, "dictionary");
    assert_refused("0c02 13", FIRN_CORRUPT, 2, "tag 0x13 is no kind of value");
    assert_refused("ff1f000000", FIRN_CORRUPT, 0, "tag 0x1f is no kind of value");
}

static void keys_are_booleans_numbers_and_strings(void **state)
{
    (void)state;
    firn_error err;
    assert_ok(check_hex("0905 01 01 02 01 0605000000 01 07000000000000e03f 01 2161 01", NULL, &err),
              &err);
    assert_refused("0901 00 01", FIRN_CORRUPT, 2, "a table key is nil");
    assert_refused("0901 07000000000000f8ff 01", FIRN_CORRUPT, 2, "a table key is NaN");
    assert_refused("0901 100000000000000000 01", FIRN_CORRUPT, 2, "a table key is an int64");
    assert_refused("0901 110000000000000000 01", FIRN_CORRUPT, 2, "a table key is a uint64");
    assert_refused("0901 12 00*16 01", FIRN_CORRUPT, 2, "a table key is a complex");
    assert_refused("0901 08 01", FIRN_CORRUPT, 2, "a table key is a table");
    assert_refused("0901 0f00 01", FIRN_CORRUPT, 2, "dictionary");
}

static void bytes_behind_the_value_are_refused_unless_asked_for(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x22, 'h', 'i', 0x02, 0x02};
    size_t used = 0;
    firn_error err;
    assert_int_equal(firn_value_check(bytes, 5, NULL, NULL, &err), FIRN_CORRUPT);
    assert_int_equal(err.offset, 3);
    assert_ok(firn_value_check(bytes, 5, NULL, &used, &err), &err);
    assert_int_equal(used, 3);
}

static void every_form_of_a_table_is_read(void **state)
{
    (void)state;
    static const char *const forms[] = {"08",
                                        "0900",
                                        "0a00",
                                        "0b0000",
                                        "0c00",
                                        "0c01",
                                        "0d0000",
                                        "0d0100",
                                        "0a02 00 02",
                                        "0c03 0002",
                                        "0a01 00",
                                        "0b0101 02 2161 02",
                                        "0c e000 02*223",
                                        "ff08000000",
                                        "0cff03000000 02 02",
                                        "09ff01000000 ff21000000 61 ff02000000"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        firn_error err;
        assert_ok(check_hex(forms[i], NULL, &err), &err);
    }
}

static void a_lower_limit_refuses_what_is_above_it(void **state)
{
    (void)state;
    firn_error err;
    firn_limits limits = {.string_bytes = 3};
    assert_ok(check_hex("23 616161", &limits, &err), &err);
    assert_int_equal(check_hex("0c02 24 61616161", &limits, &err), FIRN_LIMIT);
    assert_int_equal(err.offset, 2);
    assert_int_equal(check_hex("0901 24 61616161 02", &limits, &err), FIRN_LIMIT);
    limits = (firn_limits){.string_bytes = 300};
    assert_ok(check_hex("e06c 61*300", &limits, &err), &err);
    assert_int_equal(check_hex("e06d 61*301", &limits, &err), FIRN_LIMIT);
    limits = (firn_limits){.depth = 2};
    assert_ok(check_hex("0c02 0c02 02", &limits, &err), &err);
    assert_ok(check_hex("0c03 0c02 02 0c02 02", &limits, &err), &err);
    assert_int_equal(check_hex("0c02 0c02 08", &limits, &err), FIRN_LIMIT);
    assert_int_equal(err.offset, 4);
    limits = (firn_limits){.tree_values = 4};
    assert_ok(check_hex("0c02 0901 2161 02", &limits, &err), &err);
    assert_int_equal(check_hex("0c03 0901 2161 02 02", &limits, &err), FIRN_LIMIT);
    assert_int_equal(err.offset, 2);
}

static void limits_that_are_not_allowed_are_named(void **state)
{
    (void)state;
    firn_error err;
    firn_limits limits = {.depth = 101};
    assert_int_equal(check_hex("02", &limits, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "depth");
    assert_null(firn_doc_create(NULL, &limits, &err));
    assert_error(&err, FIRN_INVALID, "depth");
}

static void no_bytes_and_null_are_errors(void **state)
{
    (void)state;
    firn_error err;
    assert_int_equal(firn_value_check(NULL, 0, NULL, NULL, &err), FIRN_TRUNCATED);
    assert_int_equal(err.offset, 0);
    assert_int_equal(firn_value_check(NULL, 1, NULL, NULL, &err), FIRN_INVALID);
    assert_int_equal(firn_value_check("", 0, NULL, NULL, NULL), FIRN_TRUNCATED);
    assert_null(firn_value_decode(NULL, "\2", 1, &err));
    assert_error(&err, FIRN_INVALID, "doc");
}

static void a_run_of_values_stops_at_the_one_that_fails(void **state)
{
    (void)state;
    size_t size;
    firn_error err;
    firn_limits limits;
    firn_limits_default(&limits);
    uint8_t *bytes =
        test_from_hex("02 07000000000000f03f 22 6869 0901 2178 00 e000 61*192 13", &size);
    fr_in in;
    fr_in_begin(&in, bytes, size);
    assert_true(fr_value_check_run(&in, 5, &limits, &err));
    assert_int_equal(fr_in_left(&in), 1);
    fr_in_begin(&in, bytes, size);
    assert_false(fr_value_check_run(&in, 6, &limits, &err));
    assert_error(&err, FIRN_CORRUPT, "");
    assert_int_equal(err.offset, size - 1);
    assert_int_equal(fr_in_left(&in), 1);
    free(bytes);
}

static void the_tree_values_of_each_value_in_a_run_count_apart(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x0c, 3, 1, 1, 0x0c, 3, 2, 2, 0x0c, 3, 1, 2};
    firn_error err;
    firn_limits limits;
    firn_limits_default(&limits);
    limits.tree_values = 3;
    fr_in in;
    fr_in_begin(&in, bytes, sizeof bytes);
    assert_true(fr_value_check_run(&in, 3, &limits, &err));
}

// How many values of these bytes are passed over, behind the first.
static uint32_t skipped_of(const char *hex, uint32_t most)
{
    size_t size;
    firn_limits limits;
    firn_limits_default(&limits);
    uint8_t *bytes = test_from_hex(hex, &size);
    fr_in in;
    fr_in_begin(&in, bytes, size);
    assert_true(fr_value_check_next(&in, &limits, NULL));
    const uint8_t *behind = in.at;
    uint32_t count = fr_value_skip_alike(&in, bytes, most);
    assert_int_equal((size_t)(in.at - behind), count * (size_t)(behind - bytes));
    free(bytes);
    return count;
}

static void tables_that_differ_in_numbers_are_passed_over(void **state)
{
    (void)state;
    static const char rows[] = "0902 2178 07000000000000f03f 226870 070000000000000440"
                               "0902 2178 07000000000000f0ff 226870 070102030405060708"
                               "0902 2178 07000000000000f03f 226870 07000000000000f07f"
                               "0902 2178 07000000000000f03f 226871 070000000000000440";
    assert_int_equal(skipped_of(rows, 9), 2);
    assert_int_equal(skipped_of(rows, 1), 1);
    assert_int_equal(skipped_of(rows, 0), 0);
    assert_int_equal(skipped_of("0901 20 07 0102030405060708 0901 20 07 01020304050607", 9), 0);
    assert_int_equal(skipped_of("0901 20 07 0102030405060708 0901 20 06 0102030405060708", 9), 0);
    assert_int_equal(skipped_of("0901 20 07 0102030405060708 0901 20 07 0102030405060709", 9), 1);
}

static void only_pairs_of_short_names_and_numbers_are_passed_over(void **state)
{
    (void)state;
    assert_int_equal(skipped_of("09012178 0600000000 09012178 0600000000", 9), 0);
    assert_int_equal(skipped_of("0901 01 070000000000000000 0901 01 070000000000000000", 9), 0);
    assert_int_equal(skipped_of("0901 07000000000000f03f 01 0901 07000000000000f03f 01", 9), 0);
    assert_int_equal(skipped_of("0900 0900", 9), 0);
    assert_int_equal(skipped_of("08 08", 9), 0);
    assert_int_equal(skipped_of("0901 e000 61*192 070000000000000000"
                                "0901 e000 61*192 070000000000000000",
                                9),
                     0);
    assert_int_equal(skipped_of("0902 df 61*191 070000000000000000 df 62*191 070000000000000000"
                                "0902 df 61*191 070000000000000000 df 62*191 070000000000000000",
                                9),
                     0);
}

static void a_key_that_is_nan_is_refused_behind_others_that_are_not(void **state)
{
    (void)state;
    assert_refused("0c03 0901 07000000000000f03f 07000000000000f03f"
                   "0901 07000000000000f8ff 07000000000000f03f",
                   FIRN_CORRUPT, 24, "NaN");
    size_t size;
    firn_error err;
    firn_limits limits;
    firn_limits_default(&limits);
    uint8_t *bytes = test_from_hex("0901 07000000000000f03f 07000000000000f03f"
                                   "0901 07000000000000f8ff 07000000000000f03f",
                                   &size);
    fr_in in;
    fr_in_begin(&in, bytes, size);
    assert_false(fr_value_check_run(&in, 2, &limits, &err));
    assert_int_equal(err.offset, 22);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bombs_are_refused_before_memory_is_taken),
        cmocka_unit_test(each_kind_of_bad_tag_has_its_words),
        cmocka_unit_test(keys_are_booleans_numbers_and_strings),
        cmocka_unit_test(bytes_behind_the_value_are_refused_unless_asked_for),
        cmocka_unit_test(every_form_of_a_table_is_read),
        cmocka_unit_test(a_lower_limit_refuses_what_is_above_it),
        cmocka_unit_test(limits_that_are_not_allowed_are_named),
        cmocka_unit_test(no_bytes_and_null_are_errors),
        cmocka_unit_test(a_run_of_values_stops_at_the_one_that_fails),
        cmocka_unit_test(the_tree_values_of_each_value_in_a_run_count_apart),
        cmocka_unit_test(tables_that_differ_in_numbers_are_passed_over),
        cmocka_unit_test(only_pairs_of_short_names_and_numbers_are_passed_over),
        cmocka_unit_test(a_key_that_is_nan_is_refused_behind_others_that_are_not),
    };
    return cmocka_run_group_tests_name("value_check", tests, NULL, NULL);
}
