// One difference as a line.
#include <string.h>

#include "api/diff_lines.h"
#include "support/tree.h"

static void assert_line(const firn_difference *difference, const char *text)
{
    firn_error err;
    firn_buffer out = {0};
    assert_ok(firn_difference_text(difference, &out, &err), &err);
    assert_ok(firn_buffer_append(&out, "", 1, &err), &err);
    assert_string_equal((const char *)out.data, text);
    firn_buffer_free(&out);
}

// A difference of two values of data.
static void assert_values(const char *left, const char *right, const char *text)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_difference difference = {.kind = FIRN_DIFFERENCE_DATA,
                                  .key = "",
                                  .name = "",
                                  .component = "k",
                                  .path = "",
                                  .in_left = true,
                                  .in_right = true,
                                  .left = test_tree(doc, left),
                                  .right = test_tree(doc, right)};
    assert_line(&difference, text);
    firn_doc_destroy(doc);
}

static void a_key_goes_before_a_name(void **state)
{
    (void)state;
    firn_difference gone = {.kind = FIRN_DIFFERENCE_ENTITY,
                            .entity = UINT64_C(9007199254740991),
                            .key = "player",
                            .name = "Ann",
                            .component = "",
                            .path = "",
                            .in_left = true};
    assert_line(&gone, "entity 9007199254740991 (key \"player\"): only left");
    gone.key = "";
    assert_line(&gone, "entity 9007199254740991 (name \"Ann\"): only left");
    gone.name = "the \"wolf\"): a";
    assert_line(&gone, "entity 9007199254740991 (name \"the \\\"wolf\\\"): a\"): only left");
}

static void long_strings_are_shown_where_they_differ(void **state)
{
    (void)state;
    assert_values("\"once upon a time there was a king\"", "\"once upon a time there was a queen\"",
                  "data \"k\": \"...ere was a king\" -> \"...ere was a queen\"");
    assert_values("\"abcdefghijklmnopqrstuvwxyz\"", "\"abcdefghijklmnopqrstuvwxyz!\"",
                  "data \"k\": \"...qrstuvwxyz\" -> \"...qrstuvwxyz!\"");
    char text[300], line[512];
    memset(text, 'x', sizeof text);
    text[0] = '"';
    text[298] = '"';
    text[299] = 0;
    memset(line, 'x', sizeof line);
    memcpy(line, "data \"k\": \"", 11);
    strcpy(line + 11 + 76, "...\" -> 1");
    assert_values(text, "1", line);
}

static void large_tables_are_cut(void **state)
{
    (void)state;
    assert_values(
        "{\"a longer text to fill it\", \"a longer text to fill it\", \"a longer text to "
        "fill it\", \"a longer text to fill it\", \"a longer text to fill it\", \"a longer "
        "text to fill it\", \"never seen\"}",
        "{[\"not one\"] = {}, [2.5] = {b = 1}}",
        "data \"k\": {\"a longer text to fill it\", \"a longer text to fill it\", \"a "
        "longer text to fill it\", \"a longer text to fill it\", \"a longer text to fill "
        "it\", \"a longer text to fill it\", ...} -> {[2.5] = {b = 1}, [\"not one\"] = "
        "{}}");
}

static void a_table_inside_itself_ends(void **state)
{
    (void)state;
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = firn_value_table(doc, &err);
    assert_ok(firn_table_push(doc, table, table, &err), &err);
    firn_difference difference = {.kind = FIRN_DIFFERENCE_DATA,
                                  .key = "",
                                  .name = "",
                                  .component = "k",
                                  .path = "",
                                  .in_left = true,
                                  .left = table};
    char line[256] = "data \"k\": ";
    for (int i = 0; i < 100; i++)
        strcat(line, "{");
    strcat(line, "{...}");
    for (int i = 0; i < 100; i++)
        strcat(line, "}");
    assert_line(&difference, strcat(line, " -> nil"));
    firn_doc_destroy(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_goes_before_a_name),
        cmocka_unit_test(long_strings_are_shown_where_they_differ),
        cmocka_unit_test(large_tables_are_cut),
        cmocka_unit_test(a_table_inside_itself_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
