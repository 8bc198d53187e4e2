// Golden files through dump and back, and beside their neighbours.
#include "cli/golden.h"

#include <string.h>

static void assert_undump_gives_all(cli_test *t, const char *file, bool same_bytes)
{
    assert_int_equal(cli_run(t, "dump", file, "--json", NULL), 0);
    cli_put_text(t, "lines", t->out);
    assert_int_equal(cli_run(t, "undump", "lines", "-o", "again", NULL), 0);
    const firn_buffer *again = cli_get(t, "again"), *was = cli_get(t, file);
    if (same_bytes) {
        assert_int_equal(again->size, was->size);
        assert_memory_equal(again->data, was->data, was->size);
    }
    int status = cli_run(t, "diff", file, "again", NULL);
    if (status != 0) {
        fail_msg("%s and what undump made differ: %s%s", file, t->out, t->err);
    }
}

static void return_bytes(cli_test *t, const char *file)
{
    assert_undump_gives_all(t, file, strstr(file, "compressed") == NULL);
}

static void return_content(cli_test *t, const char *file)
{
    assert_undump_gives_all(t, file, false);
}

static void files_of_firn_come_back_byte_for_byte(void **state)
{
    if (!firn_json_available())
        skip();
    assert_in_range(cli_each_golden(*state, "firn", ".bin", return_bytes), 11, 100);
    assert_in_range(cli_each_golden(*state, "saves", ".firn", return_bytes), 5, 100);
    assert_in_range(cli_each_golden(*state, "tool", ".firn", return_bytes), 2, 100);
}

static void files_of_others_come_back_with_their_content(void **state)
{
    if (!firn_json_available())
        skip();
    assert_in_range(cli_each_golden(*state, "tecs", ".bin", return_content), 20, 100);
    assert_in_range(cli_each_golden(*state, "json", ".jsonl", return_content), 4, 100);
}

// All of a few files of both writers, and both versions, stand beside a file.
static void compare_with_others(cli_test *t, const char *file)
{
    static const char *const others[] = {
        "firn/02_kinds.bin", "firn/06_version_2.bin", "firn/10_relations.bin",
        "tecs/08_sparse_exclusive_childof.bin", "tecs/25_row_major_mixed.bin"};
    assert_int_equal(cli_run(t, "diff", file, file, NULL), 0);
    assert_string_equal(t->out, "");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        cli_put_golden(t, others[i]);
        // Files of Tecs may be one in two forms.
        bool differs = strncmp(file, "firn/", 5) == 0 && strcmp(file, others[i]) != 0;
        int status = cli_run(t, "diff", "--all", file, others[i], NULL);
        if (status > 1 || status < (int)differs || (status == 1) != (t->out[0] != 0)) {
            fail_msg("diff %s %s: %d: %s", file, others[i], status, t->err);
        }
    }
}

static void a_file_differs_from_others_and_not_from_itself(void **state)
{
    assert_in_range(cli_each_golden(*state, "firn", ".bin", compare_with_others), 11, 100);
    assert_in_range(cli_each_golden(*state, "tecs", ".bin", compare_with_others), 20, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(files_of_firn_come_back_byte_for_byte),
        cli_unit_test(files_of_others_come_back_with_their_content),
        cli_unit_test(a_file_differs_from_others_and_not_from_itself),
    };
    return cmocka_run_group_tests_name("cli_round_trip", tests, NULL, NULL);
}
