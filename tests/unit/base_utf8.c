#include "support/support.h"

#include "base/utf8.h"

#include <string.h>

static void valid_sequences_are_accepted(void **state)
{
    (void)state;
    firn_error err;
    static const char *const texts[] = {
        "firn",
        "\x20\x7e",
        "\xc2\xa0",
        "\xdf\xbf",
        "\xe0\xa0\x80",
        "\xed\x9f\xbf",
        "\xee\x80\x80",
        "\xef\xbf\xbf",
        "\xf0\x90\x80\x80",
        "\xf4\x8f\xbf\xbf",
        "a\xc3\xa9\xe9\x9b\xaa\xf0\x9f\x8f\x94z",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_ok(fr_check_text_name(texts[i], 255, "name", NULL, &err), &err);
    }
}

static void invalid_sequences_are_refused(void **state)
{
    (void)state;
    firn_error err;
    static const char *const texts[] = {
        // Continuation bytes alone.
        "\x80",
        "\xbf",
        // Longer than needed.
        "\xc0\x80",
        "\xc1\xbf",
        "\xe0\x80\x80",
        "\xe0\x9f\xbf",
        "\xf0\x80\x80\x80",
        "\xf0\x8f\xbf\xbf",
        // Surrogates.
        "\xed\xa0\x80",
        "\xed\xbf\xbf",
        // Above U+10FFFF.
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xff",
        // Ended early.
        "\xc3",
        "\xe9\x9b",
        "\xf0\x9f\x8f",
        // Continued by something else.
        "\xc3z",
        "\xe9\x9bz",
        "\xf0\x9f\x8fz",
        "\xf0\x9fzz",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(fr_check_text_name(texts[i], 255, "name", NULL, &err), FIRN_INVALID);
        assert_non_null(strstr(err.message, "not UTF-8"));
    }
}

// Whether the bytes are UTF-8 without control characters. Decodes by arithmetic where the library
// looks at byte ranges.
static bool decodes(const uint8_t *b, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = b[at] < 0x80           ? 1
                        : (b[at] >> 5) == 0x06 ? 2
                        : (b[at] >> 4) == 0x0e ? 3
                        : (b[at] >> 3) == 0x1e ? 4
                                               : 0;
        if (length == 0 || length > size - at) {
            return false;
        }
        uint32_t code = length == 1 ? b[at] : b[at] & (0x7fu >> length);
        for (size_t i = 1; i < length; i++) {
            if ((b[at + i] >> 6) != 2) {
                return false;
            }
            code = code << 6 | (b[at + i] & 0x3fu);
        }
        static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
        if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
            return false;
        }
        if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
            return false;
        }
        at += length;
    }
    return true;
}

static void names_are_those_of_a_decoder(void **state)
{
    (void)state;
    static const uint8_t edges[] = {0x1f, 0x20, 0x7e, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                    0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
                                    0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xff};
    test_random random = {3};
    uint32_t valid = 0;
    for (uint32_t round = 0; round < 200000; round++) {
        uint8_t bytes[6];
        size_t size = 1 + test_random_below(&random, sizeof bytes);
        for (size_t i = 0; i < size; i++) {
            bytes[i] = edges[test_random_below(&random, sizeof edges)];
        }
        bool expected = decodes(bytes, size);
        valid += expected;
        firn_result result = fr_check_name((const char *)bytes, size, 255, "name", NULL);
        assert_int_equal(result, expected ? FIRN_OK : FIRN_INVALID);
    }
    assert_true(valid > 1000);
}

static void good_names_pass(void **state)
{
    (void)state;
    firn_error err;
    size_t size;
    assert_ok(fr_check_name("Position", 8, 8, "component name", &err), &err);
    assert_ok(fr_check_text_name("\xe9\x9b\xaa.x y", 255, "field name", &size, &err), &err);
    assert_int_equal(size, 7);
    assert_ok(fr_check_text_name("x", 255, "field name", NULL, NULL), NULL);
}

static void a_missing_or_empty_name_is_invalid(void **state)
{
    (void)state;
    firn_error err;
    size_t size = 9;
    assert_int_equal(fr_check_name(NULL, 0, 255, "component name", &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "component name");
    assert_int_equal(fr_check_text_name(NULL, 255, "component name", &size, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "component name");
    assert_int_equal(size, 0);
    assert_int_equal(fr_check_text_name("", 255, "field name", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "field name");
    assert_non_null(strstr(err.message, "empty"));
}

static void a_name_longer_than_the_limit_says_both_numbers(void **state)
{
    (void)state;
    char name[301];
    memset(name, 'n', 300);
    name[300] = 0;
    firn_error err;
    assert_int_equal(fr_check_text_name(name, 255, "component name", NULL, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "nnn...");
    assert_non_null(strstr(err.message, "300 bytes"));
    assert_non_null(strstr(err.message, "255"));
}

static void a_control_character_in_a_name_is_shown(void **state)
{
    (void)state;
    firn_error err;
    assert_int_equal(fr_check_name("ab\ncd", 5, 255, "name", &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "ab\\x0acd");
    assert_non_null(strstr(err.message, "U+000A at byte 2"));
    assert_int_equal(fr_check_name("\x7f", 1, 255, "name", &err), FIRN_INVALID);
    assert_int_equal(fr_check_name("a\0b", 3, 255, "name", &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "a\\x00b");
    assert_int_equal(fr_check_name("a\xc2\x85", 3, 255, "name", &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "a\\xc2\\x85");
    assert_non_null(strstr(err.message, "U+0085 at byte 1"));
    assert_int_equal(fr_check_name("\xc2\x9f", 2, 255, "name", &err), FIRN_INVALID);
    assert_ok(fr_check_name("\xc2\xa0", 2, 255, "name", &err), &err);
}

static void a_name_that_is_not_utf8_says_at_which_byte(void **state)
{
    (void)state;
    firn_error err;
    assert_int_equal(fr_check_text_name("h\xc3\xa9\xff", 255, "name", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "h\xc3\xa9\\xff");
    assert_non_null(strstr(err.message, "byte 3"));
}

static void what_cannot_be_printed_is_escaped(void **state)
{
    (void)state;
    char out[64];
    assert_string_equal(fr_printable(out, sizeof out, "a\0\x1b\x7f", 4), "a\\x00\\x1b\\x7f");
    assert_string_equal(fr_printable(out, sizeof out, "\xc3\xa9\xc3", 3), "\xc3\xa9\\xc3");
    assert_string_equal(fr_printable(out, sizeof out, "\xc2\x9b", 2), "\\xc2\\x9b");
    assert_string_equal(fr_printable(out, sizeof out, "\xc2\xa0", 2), "\xc2\xa0");
    assert_string_equal(fr_printable(out, sizeof out, NULL, 0), "");
}

static void text_that_does_not_fit_ends_in_dots(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "untouched", "", ".", "..", "...", "a...", "ab...", "abc...", "abcdefg", "abcdefg",
    };
    for (size_t capacity = 0; capacity < sizeof expected / sizeof expected[0]; capacity++) {
        char out[16] = "untouched";
        assert_ptr_equal(fr_printable(out, capacity, "abcdefg", 7), out);
        assert_string_equal(out, expected[capacity]);
    }
}

static void any_bytes_become_valid_text_that_fits(void **state)
{
    (void)state;
    test_random random = {4};
    for (uint32_t round = 0; round < 20000; round++) {
        uint8_t bytes[24];
        char out[32];
        memset(out, '#', sizeof out);
        size_t size = test_random_below(&random, sizeof bytes + 1);
        size_t capacity = 1 + test_random_below(&random, sizeof out - 1);
        for (size_t i = 0; i < size; i++) {
            bytes[i] = (uint8_t)(test_random_u64(&random) >> test_random_below(&random, 8));
        }
        fr_printable(out, capacity, bytes, size);
        assert_non_null(memchr(out, 0, capacity));
        assert_true(decodes((const uint8_t *)out, strlen(out)));
        assert_int_equal(out[capacity], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_sequences_are_accepted),
        cmocka_unit_test(invalid_sequences_are_refused),
        cmocka_unit_test(names_are_those_of_a_decoder),
        cmocka_unit_test(good_names_pass),
        cmocka_unit_test(a_missing_or_empty_name_is_invalid),
        cmocka_unit_test(a_name_longer_than_the_limit_says_both_numbers),
        cmocka_unit_test(a_control_character_in_a_name_is_shown),
        cmocka_unit_test(a_name_that_is_not_utf8_says_at_which_byte),
        cmocka_unit_test(what_cannot_be_printed_is_escaped),
        cmocka_unit_test(text_that_does_not_fit_ends_in_dots),
        cmocka_unit_test(any_bytes_become_valid_text_that_fits),
    };
    return cmocka_run_group_tests_name("base/utf8", tests, NULL, NULL);
}
