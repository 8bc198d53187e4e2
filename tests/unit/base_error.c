#include "support/support.h"

#include "base/error.h"

#include <string.h>

static void every_result_has_its_pinned_number_name_and_text(void **state)
{
    (void)state;
    static const struct {
        firn_result result;
        int number;
        const char *name;
    } pinned[] = {
        {FIRN_OK, 0, "FIRN_OK"},
        {FIRN_NO_MEMORY, 1, "FIRN_NO_MEMORY"},
        {FIRN_IO, 2, "FIRN_IO"},
        {FIRN_NOT_DURABLE, 3, "FIRN_NOT_DURABLE"},
        {FIRN_INVALID, 10, "FIRN_INVALID"},
        {FIRN_NOT_FOUND, 11, "FIRN_NOT_FOUND"},
        {FIRN_EXISTS, 12, "FIRN_EXISTS"},
        {FIRN_BUSY, 13, "FIRN_BUSY"},
        {FIRN_NOT_OURS, 20, "FIRN_NOT_OURS"},
        {FIRN_TRUNCATED, 21, "FIRN_TRUNCATED"},
        {FIRN_CORRUPT, 22, "FIRN_CORRUPT"},
        {FIRN_VERSION, 23, "FIRN_VERSION"},
        {FIRN_NEWER, 24, "FIRN_NEWER"},
        {FIRN_LIMIT, 25, "FIRN_LIMIT"},
        {FIRN_UNKNOWN, 26, "FIRN_UNKNOWN"},
        {FIRN_REFUSED, 30, "FIRN_REFUSED"},
    };
    for (size_t i = 0; i < sizeof pinned / sizeof pinned[0]; i++) {
        assert_int_equal(pinned[i].result, pinned[i].number);
        assert_string_equal(firn_result_name(pinned[i].result), pinned[i].name);
        const char *text = firn_result_text(pinned[i].result);
        assert_true(strlen(text) > 0);
        assert_string_not_equal(text, "unknown result");
    }
}

static void an_unknown_result_has_a_name_too(void **state)
{
    (void)state;
    assert_string_equal(firn_result_name((firn_result)19), "FIRN_?");
    assert_string_equal(firn_result_text((firn_result)19), "unknown result");
}

static void the_version_is_that_of_the_header(void **state)
{
    (void)state;
    assert_int_equal(firn_version(),
                     FIRN_VERSION_MAJOR * 1000000 + FIRN_VERSION_MINOR * 1000 + FIRN_VERSION_PATCH);
}

static void a_failure_fills_every_field(void **state)
{
    (void)state;
    firn_error err;
    memset(&err, 0xa5, sizeof err);
    assert_int_equal(fr_fail(&err, FIRN_INVALID, "hp", "hp is %d", -1), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "hp");
    assert_string_equal(err.message, "hp is -1");
    assert_true(err.offset == FIRN_NO_OFFSET);
    assert_int_equal(err.entity, 0);

    assert_int_equal(fr_fail_at(&err, FIRN_CORRUPT, 17, NULL, "bad"), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "");
    assert_string_equal(err.subject, "");
    assert_int_equal(err.offset, 17);
    assert_int_equal(err.entity, 0);

    assert_int_equal(fr_fail_entity(&err, FIRN_NOT_FOUND, 42, "entity", "dead"), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "entity");
    assert_int_equal(err.entity, 42);
    assert_true(err.offset == FIRN_NO_OFFSET);

    assert_int_equal(fr_fail_memory(&err, "the archetype"), FIRN_NO_MEMORY);
    assert_error(&err, FIRN_NO_MEMORY, "the archetype");
}

static void a_failure_without_a_record_returns_its_code(void **state)
{
    (void)state;
    firn_error from = {.code = FIRN_BUSY};
    assert_int_equal(fr_fail(NULL, FIRN_INVALID, "x", "x"), FIRN_INVALID);
    assert_int_equal(fr_fail_at(NULL, FIRN_CORRUPT, 1, "x", "x"), FIRN_CORRUPT);
    assert_int_equal(fr_fail_entity(NULL, FIRN_NOT_FOUND, 1, "x", "x"), FIRN_NOT_FOUND);
    assert_int_equal(fr_fail_memory(NULL, "x"), FIRN_NO_MEMORY);
    assert_int_equal(fr_fail_copy(NULL, &from), FIRN_BUSY);
}

static void a_failure_is_copied_whole(void **state)
{
    (void)state;
    firn_error from;
    firn_error to;
    fr_fail_at(&from, FIRN_TRUNCATED, 8, "frames", "frames end early");
    assert_int_equal(fr_fail_copy(&to, &from), FIRN_TRUNCATED);
    assert_error(&to, FIRN_TRUNCATED, "frames");
    assert_int_equal(to.offset, 8);
    assert_string_equal(to.message, "frames end early");
    assert_int_equal(fr_fail_copy(&to, &to), FIRN_TRUNCATED);
}

static void a_long_message_is_cut_between_characters(void **state)
{
    (void)state;
    char text[2000];
    firn_error err;
    for (size_t start = 0; start < 2; start++) {
        memset(text, 'a', start);
        size_t size = start;
        while (size + 2 < sizeof text) {
            memcpy(text + size, "\xc3\xa9", 2);
            size += 2;
        }
        text[size] = 0;
        fr_fail(&err, FIRN_INVALID, text, "%s", text);
        size_t subject = strlen(err.subject);
        size_t message = strlen(err.message);
        assert_in_range(subject, sizeof err.subject - 3, sizeof err.subject - 1);
        assert_in_range(message, sizeof err.message - 3, sizeof err.message - 1);
        assert_string_equal(err.subject + subject - 5, "\xc3\xa9...");
        assert_string_equal(err.message + message - 5, "\xc3\xa9...");
    }
}

static void a_message_of_exactly_the_capacity_is_not_cut(void **state)
{
    (void)state;
    firn_error err;
    char text[sizeof err.message];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    fr_fail(&err, FIRN_INVALID, NULL, "%s", text);
    assert_string_equal(err.message, text);
}

static void a_message_is_one_line_whatever_it_quotes(void **state)
{
    (void)state;
    firn_error err;
    fr_fail(&err, FIRN_INVALID, "a\nb", "the name \"%s\"", "a\nb\xff");
    assert_error(&err, FIRN_INVALID, "a\\x0ab");
    assert_string_equal(err.message, "the name \"a\\x0ab\\xff\"");
}

static void a_failure_may_quote_the_record_it_fills(void **state)
{
    (void)state;
    firn_error err;
    fr_fail(&err, FIRN_IO, "disk", "is full");
    fr_fail(&err, FIRN_IO, err.subject, "save: %s", err.message);
    assert_error(&err, FIRN_IO, "disk");
    assert_string_equal(err.message, "save: is full");
}

static void a_reserved_word_must_be_zero(void **state)
{
    (void)state;
    firn_error err;
    uint64_t reserved[4] = {0, 0, 0, 0};
    assert_ok(fr_check_reserved(reserved, "firn_world_desc", &err), &err);
    for (unsigned i = 0; i < 4; i++) {
        reserved[i] = 5;
        assert_int_equal(fr_check_reserved(reserved, "firn_world_desc", &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "firn_world_desc");
        assert_non_null(strstr(err.message, "is 5"));
        reserved[i] = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_result_has_its_pinned_number_name_and_text),
        cmocka_unit_test(an_unknown_result_has_a_name_too),
        cmocka_unit_test(the_version_is_that_of_the_header),
        cmocka_unit_test(a_failure_fills_every_field),
        cmocka_unit_test(a_failure_without_a_record_returns_its_code),
        cmocka_unit_test(a_failure_is_copied_whole),
        cmocka_unit_test(a_long_message_is_cut_between_characters),
        cmocka_unit_test(a_message_of_exactly_the_capacity_is_not_cut),
        cmocka_unit_test(a_message_is_one_line_whatever_it_quotes),
        cmocka_unit_test(a_failure_may_quote_the_record_it_fills),
        cmocka_unit_test(a_reserved_word_must_be_zero),
    };
    return cmocka_run_group_tests_name("base/error", tests, NULL, NULL);
}
