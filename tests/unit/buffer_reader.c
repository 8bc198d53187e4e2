// Checked bytes in: nothing moves when the bytes end early.
#include <stdlib.h>
#include <string.h>

#include "buffer/reader.h"
#include "support/support.h"

static uint8_t *bytes;
static fr_in in;

static void begin_hex(const char *hex)
{
    size_t size;
    free(bytes);
    bytes = test_from_hex(hex, &size);
    fr_in_begin(&in, bytes, size);
}

static int drop(void **state)
{
    (void)state;
    free(bytes);
    bytes = NULL;
    return 0;
}

static void words_are_little_endian_at_any_address(void **state)
{
    (void)state;
    uint8_t u8;
    uint32_t u32;
    double f64;
    begin_hex("ff 04030201 000000000000e0bf");
    assert_true(fr_in_u8(&in, &u8));
    assert_int_equal(u8, 0xff);
    assert_true(fr_in_u32(&in, &u32));
    assert_int_equal(u32, 0x01020304);
    assert_true(fr_in_f64(&in, &f64));
    assert_true(f64 == -0.5);
    assert_int_equal(fr_in_left(&in), 0);
    assert_int_equal(fr_in_offset(&in), 13);
}

static void stores_are_read_back_by_loads(void **state)
{
    (void)state;
    uint8_t words[9] = {0};
    fr_store_u32(words + 1, 0xfedcba98);
    assert_true(fr_load_u32(words + 1) == 0xfedcba98);
    fr_store_u64(words + 1, UINT64_C(0xfedcba9876543210));
    assert_true(fr_load_u64(words + 1) == UINT64_C(0xfedcba9876543210));
    assert_int_equal(words[1], 0x10);
    fr_store_f64(words + 1, 1.5);
    assert_true(fr_load_f64(words + 1) == 1.5);
}

static void a_read_that_does_not_fit_moves_nothing(void **state)
{
    (void)state;
    uint8_t u8 = 7;
    uint32_t u32 = 7;
    double f64 = 7;
    const uint8_t *piece = NULL;
    begin_hex("01 02 03");
    assert_false(fr_in_u32(&in, &u32));
    assert_false(fr_in_f64(&in, &f64));
    assert_false(fr_in_bytes(&in, 4, &piece));
    assert_false(fr_in_bytes(&in, SIZE_MAX, &piece));
    assert_int_equal(fr_in_offset(&in), 0);
    assert_true(u32 == 7 && f64 == 7 && piece == NULL);
    assert_true(fr_in_bytes(&in, 3, &piece));
    assert_ptr_equal(piece, bytes);
    assert_true(fr_in_bytes(&in, 0, &piece));
    assert_false(fr_in_u8(&in, &u8));
    fr_in_begin(&in, NULL, 0);
    assert_false(fr_in_u8(&in, &u8));
}

static void counts_have_three_forms(void **state)
{
    (void)state;
    static const struct {
        const char *hex;
        uint32_t count;
    } forms[] = {{"00", 0},        {"df", 0xdf},         {"e000", 0xe0},
                 {"feff", 0x1fdf}, {"ffe01f0000", 8160}, {"ffffffffff", UINT32_MAX},
                 {"ff00000000", 0}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        uint32_t count;
        begin_hex(forms[i].hex);
        size_t size = fr_in_left(&in);
        assert_true(fr_in_count(&in, &count));
        assert_true(count == forms[i].count);
        assert_int_equal(fr_in_left(&in), 0);
        for (size_t cut = 0; cut < size; cut++) {
            fr_in_begin(&in, bytes, cut);
            assert_false(fr_in_count(&in, &count));
            assert_int_equal(fr_in_offset(&in), 0);
        }
    }
}

static void counts_are_written_in_the_shortest_form(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 0xdf, 0xe0, 0x1fdf, 0x1fe0, 0x10000, UINT32_MAX};
    static const size_t sizes[] = {1, 1, 2, 2, 5, 5, 5};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint8_t written[FR_COUNT_BYTES_MAX];
        uint32_t count;
        size_t size = (size_t)(fr_put_count(written, counts[i]) - written);
        assert_int_equal(size, sizes[i]);
        fr_in_begin(&in, written, size);
        assert_true(fr_in_count(&in, &count));
        assert_true(count == counts[i]);
    }
}

static void encoded_numbers_and_strings_are_read(void **state)
{
    (void)state;
    firn_error err;
    double number;
    uint64_t count;
    const char *text;
    size_t size;
    begin_hex(
        "07000000000000e03f 0605000000 07000000000000f03f 22 6869 ff07000000 000000000000f0bf");
    assert_ok(fr_in_encoded_number(&in, "half", &number, &err), &err);
    assert_true(number == 0.5);
    assert_ok(fr_in_encoded_count(&in, "count", 5, &count, &err), &err);
    assert_int_equal(count, 5);
    assert_ok(fr_in_encoded_count(&in, "count", 1, &count, &err), &err);
    assert_int_equal(count, 1);
    assert_ok(fr_in_encoded_string(&in, "name", 2, &text, &size, &err), &err);
    assert_int_equal(size, 2);
    assert_memory_equal(text, "hi", 2);
    assert_ok(fr_in_encoded_number(&in, "minus one", &number, &err), &err);
    assert_true(number == -1);
    assert_int_equal(fr_in_left(&in), 0);
}

static void wrong_prelude_values_are_errors_with_the_offset(void **state)
{
    (void)state;
    static const struct {
        const char *hex;
        char kind; ///< n number, c count to 10, s string to 3 bytes
        firn_result result;
        const char *words;
    } cases[] = {
        {"", 'n', FIRN_TRUNCATED, "thing"},
        {"07000000", 'n', FIRN_TRUNCATED, "thing"},
        {"060000", 'n', FIRN_TRUNCATED, "thing"},
        {"2161", 'n', FIRN_CORRUPT, "a string (tag 0x21), not a number"},
        {"13", 'n', FIRN_CORRUPT, "an unknown tag (tag 0x13)"},
        {"07000000000000e03f", 'c', FIRN_CORRUPT, "0.5, not an integer of 0..10"},
        {"06ffffffff", 'c', FIRN_CORRUPT, "-1, not an integer"},
        {"060b000000", 'c', FIRN_CORRUPT, "11, not an integer"},
        {"07000000000000f87f", 'c', FIRN_CORRUPT, "nan"},
        {"07000000000000f07f", 'c', FIRN_CORRUPT, "inf"},
        {"08", 'c', FIRN_CORRUPT, "a table"},
        {"", 's', FIRN_TRUNCATED, "thing"},
        {"22 61", 's', FIRN_TRUNCATED, "2 bytes, 1 are left"},
        {"ffffffffff 61", 's', FIRN_TRUNCATED, "4294967263 bytes"},
        {"24 61616161", 's', FIRN_LIMIT, "4 bytes, the limit is 3"},
        {"02", 's', FIRN_CORRUPT, "true (tag 0x02), not a string"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_error err;
        double number;
        uint64_t count;
        const char *text;
        size_t size;
        char hex[64] = "0101 ";
        strcat(hex, cases[i].hex);
        begin_hex(hex);
        in.at += 2;
        if (cases[i].kind == 'n')
            fr_in_encoded_number(&in, "thing", &number, &err);
        else if (cases[i].kind == 'c')
            fr_in_encoded_count(&in, "thing", 10, &count, &err);
        else
            fr_in_encoded_string(&in, "thing", 3, &text, &size, &err);
        assert_error(&err, cases[i].result, "thing");
        if (strstr(err.message, cases[i].words) == NULL)
            fail_msg("\"%s\" is not in \"%s\"", cases[i].words, err.message);
        assert_int_equal(err.offset, 2);
        assert_int_equal(fr_in_offset(&in), 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_little_endian_at_any_address),
        cmocka_unit_test(stores_are_read_back_by_loads),
        cmocka_unit_test(a_read_that_does_not_fit_moves_nothing),
        cmocka_unit_test(counts_have_three_forms),
        cmocka_unit_test(counts_are_written_in_the_shortest_form),
        cmocka_unit_test(encoded_numbers_and_strings_are_read),
        cmocka_unit_test(wrong_prelude_values_are_errors_with_the_offset),
    };
    return cmocka_run_group_tests_name("buffer_reader", tests, NULL, drop);
}
