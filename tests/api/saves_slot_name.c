// The names of slots.
#include "support/support.h"

#include "firn/storage.h"

#include <stdio.h>
#include <string.h>

static void K10_a_name_is_1_to_64_of_lower_case_digits_underscore_and_minus(void **state)
{
    (void)state;
    static const char *const good[] = {
        "a",         "autosave",
        "quicksave", "slot_1",
        "-rf",       "_",
        "nul1",      "cons",
        "com",       "com0",
        "com10",     "lpt1-",
        "0",         "abcdefghijklmnopqrstuvwxyz0123456789_-abcdefghijklmnopqrstuvwxyz"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        firn_error err;
        assert_ok(firn_slot_name_check(good[i], &err), &err);
    }
}

static void K10_any_other_name_is_refused_and_named(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",    "../x",
        "CON", "a.",
        "A",   "a/b",
        "a b", "sch\xc3\xb6n",
        "a:b", "abcdefghijklmnopqrstuvwxyz0123456789_-abcdefghijklmnopqrstuvwxyz0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_error err;
        assert_int_equal(firn_slot_name_check(bad[i], &err), FIRN_INVALID);
        assert_string_equal(err.subject, bad[i]);
        assert_non_null(strstr(err.message, "1 to 64 of a-z 0-9 _ -"));
    }
    assert_int_equal(firn_slot_name_check(NULL, NULL), FIRN_INVALID);
}

static void K10_a_device_of_windows_is_refused_and_named(void **state)
{
    (void)state;
    static const char *const devices[] = {"con", "prn", "aux", "nul"};
    char name[8];
    for (int i = 0; i < 4 + 2 * 9; i++) {
        firn_error err;
        if (i < 4)
            snprintf(name, sizeof name, "%s", devices[i]);
        else
            snprintf(name, sizeof name, "%s%d", i % 2 == 0 ? "com" : "lpt", (i - 4) / 2 + 1);
        assert_int_equal(firn_slot_name_check(name, &err), FIRN_INVALID);
        assert_string_equal(err.subject, name);
        assert_non_null(strstr(err.message, "device"));
    }
    assert_string_equal(name, "lpt9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K10_a_name_is_1_to_64_of_lower_case_digits_underscore_and_minus),
        cmocka_unit_test(K10_any_other_name_is_refused_and_named),
        cmocka_unit_test(K10_a_device_of_windows_is_refused_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
