// Values as text for people.
#include <stdio.h>
#include <string.h>

#include "value_trees.h"

typedef struct printed {
    firn_doc *doc;
    firn_buffer out;
} printed;

static int setup(void **state)
{
    static printed p;
    p = (printed){.doc = firn_doc_create(NULL, NULL, NULL)};
    *state = &p;
    return p.doc != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    printed *p = *state;
    firn_doc_destroy(p->doc);
    firn_buffer_free(&p->out);
    return 0;
}

static void assert_prints(printed *p, const firn_value *value, const firn_print_options *options,
                          const char *wanted)
{
    firn_error err;
    firn_buffer_clear(&p->out);
    assert_ok(firn_value_print(value, options, &p->out, &err), &err);
    assert_ok(firn_buffer_append(&p->out, "", 1, &err), &err);
    assert_string_equal((char *)p->out.data, wanted);
}

static firn_value *string_of(printed *p, const char *bytes, size_t size)
{
    return firn_value_string(p->doc, bytes, size, NULL);
}

static void scalars_are_what_one_would_write(void **state)
{
    printed *p = *state;
    assert_prints(p, firn_value_nil(p->doc, NULL), NULL, "nil");
    assert_prints(p, firn_value_bool(p->doc, true, NULL), NULL, "true");
    assert_prints(p, firn_value_bool(p->doc, false, NULL), NULL, "false");
    assert_prints(p, firn_value_number(p->doc, 0.1, NULL), NULL, "0.1");
    assert_prints(p, firn_value_number(p->doc, -0.0, NULL), NULL, "-0.0");
    assert_prints(p, firn_value_number(p->doc, 1e300 * 1e10, NULL), NULL, "inf");
    assert_prints(p, firn_value_number(p->doc, -1e300 * 1e10, NULL), NULL, "-inf");
    assert_prints(p, firn_value_int64(p->doc, INT64_MIN, NULL), NULL, "-9223372036854775808");
    assert_prints(p, firn_value_uint64(p->doc, UINT64_MAX, NULL), NULL, "18446744073709551615");
    assert_prints(p, firn_value_complex(p->doc, 1, -2.5, NULL), NULL, "complex(1, -2.5)");
}

static void a_float_has_the_digits_of_a_float(void **state)
{
    printed *p = *state;
    const firn_print_options floats = {.floats = true};
    const firn_value *value = firn_value_number(p->doc, (double)0.1f, NULL);
    assert_prints(p, value, &floats, "0.1");
    assert_prints(p, value, NULL, "0.10000000149011612");
}

static void a_nan_that_is_not_the_usual_one_shows_its_bits(void **state)
{
    printed *p = *state;
    const firn_print_options floats = {.floats = true};
    const uint64_t bits[] = {UINT64_C(0x7ff8000000000000), UINT64_C(0x7ff8000020000000)};
    firn_value values[2] = {{.kind = FIRN_VALUE_NUMBER}, {.kind = FIRN_VALUE_NUMBER}};
    memcpy(&values[0].as.number, &bits[0], sizeof bits[0]);
    memcpy(&values[1].as.number, &bits[1], sizeof bits[1]);
    assert_prints(p, &values[0], NULL, "nan");
    assert_prints(p, &values[1], NULL, "nan(0x7ff8000020000000)");
    assert_prints(p, &values[1], &floats, "nan(0x7fc00001)");
}

static void bytes_that_are_not_printable_never_leave_a_string(void **state)
{
    printed *p = *state;
    assert_prints(p, string_of(p, "a\033[2J\n\0\xff\xc3\xa9", 10), NULL,
                  "\"a\\x1b[2J\\x0a\\x00\\xff\xc3\xa9\"");
    assert_prints(p, string_of(p, "say \"no\" \\ yes", 14), NULL, "\"say \\\"no\\\" \\\\ yes\"");
    assert_prints(p, string_of(p, "", 0), NULL, "\"\"");
}

static void elements_come_before_keys(void **state)
{
    printed *p = *state;
    firn_value *table = firn_value_table(p->doc, NULL);
    assert_prints(p, table, NULL, "{}");
    firn_value *inner = firn_value_table(p->doc, NULL);
    firn_table_set(p->doc, inner, firn_value_number(p->doc, 0.5, NULL), string_of(p, "x", 1), NULL);
    firn_table_push(p->doc, table, firn_value_number(p->doc, 7, NULL), NULL);
    firn_table_set_text(p->doc, table, "name", string_of(p, "Ann", 3), NULL);
    firn_table_set_text(p->doc, table, "two words", inner, NULL);
    firn_table_set(p->doc, table, firn_value_bool(p->doc, true, NULL),
                   firn_value_int64(p->doc, -1, NULL), NULL);
    assert_prints(p, table, NULL,
                  "{7, [true] = -1, name = \"Ann\", [\"two words\"] = {[0.5] = \"x\"}}");
}

static void long_values_are_cut_in_brief_only(void **state)
{
    printed *p = *state;
    const firn_print_options brief = {.brief = true};
    char text[101], wanted[128];
    memset(text, 'a', 100);
    snprintf(wanted, sizeof wanted, "\"%.76s...\"", text);
    assert_prints(p, string_of(p, text, 100), &brief, wanted);
    snprintf(wanted, sizeof wanted, "\"%.79s\"", text);
    assert_prints(p, string_of(p, text, 79), &brief, wanted);
    snprintf(wanted, sizeof wanted, "\"%.100s\"", text);
    assert_prints(p, string_of(p, text, 100), NULL, wanted);

    firn_value *table = firn_value_table(p->doc, NULL);
    for (int i = 0; i < 100; i++)
        firn_table_push(p->doc, table, firn_value_number(p->doc, 10, NULL), NULL);
    firn_error err;
    firn_buffer_clear(&p->out);
    assert_ok(firn_value_print(table, &brief, &p->out, &err), &err);
    assert_true(p->out.size < 180);
    assert_memory_equal(p->out.data + p->out.size - 10, ", 10, ...}", 10);
    firn_buffer_clear(&p->out);
    assert_ok(firn_value_print(table, NULL, &p->out, &err), &err);
    assert_int_equal(p->out.size, 400);
}

static void a_table_inside_itself_ends(void **state)
{
    printed *p = *state;
    firn_value *table = firn_value_table(p->doc, NULL);
    firn_table_push(p->doc, table, table, NULL);
    firn_error err;
    firn_buffer_clear(&p->out);
    assert_ok(firn_value_print(table, NULL, &p->out, &err), &err);
    assert_memory_equal(p->out.data + 99, "{{...}}", 7);
}

static void wrong_arguments_are_told(void **state)
{
    printed *p = *state;
    firn_error err;
    const firn_value *nil = firn_value_nil(p->doc, NULL);
    assert_int_equal(firn_value_print(NULL, NULL, &p->out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "value");
    assert_int_equal(firn_value_print(nil, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    const firn_print_options options = {.reserved = {1}};
    assert_int_equal(firn_value_print(nil, &options, &p->out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "firn_print_options.reserved");
    assert_int_equal(p->out.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scalars_are_what_one_would_write, setup, teardown),
        cmocka_unit_test_setup_teardown(a_float_has_the_digits_of_a_float, setup, teardown),
        cmocka_unit_test_setup_teardown(a_nan_that_is_not_the_usual_one_shows_its_bits, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(bytes_that_are_not_printable_never_leave_a_string, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(elements_come_before_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(long_values_are_cut_in_brief_only, setup, teardown),
        cmocka_unit_test_setup_teardown(a_table_inside_itself_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_arguments_are_told, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
