// Truncations of every golden file through every command: an answer or a message, never a crash.
// About 50 places of each file are tried, times the number in the variable FIRN_BYTES; from 3 on
// all of them.
#include "cli/golden.h"

#include "cli/every.h"

#include <stdlib.h>
#include <string.h>

static size_t step_of(size_t size)
{
    const char *text = getenv("FIRN_BYTES");
    double factor = text != NULL ? strtod(text, NULL) : 1;
    double step = factor >= 3 ? 1 : (double)size / (50 * factor);
    return step > 1 ? (size_t)step : 1;
}

static void run_cut(cli_test *t, const every_command *command, size_t size)
{
    const char *words[EVERY_WORDS + 1];
    int count = every_words(command, "cut", words);
    int status = cli_run_words(t, count, words);
    bool refused = status == 2 || (status == 1 && strcmp(words[1], "verify") == 0);
    bool must_be = strcmp(words[1], "verify") == 0 || strcmp(words[1], "info") == 0 ||
                   strcmp(words[1], "hash") == 0;
    if ((must_be && !refused) || (status == 2 && t->err[0] == '\0')) {
        fail_msg("%s of the first %zu bytes: %d, %s", words[1], size, status, t->err);
    }
}

static void cut_everywhere(cli_test *t, const char *file)
{
    firn_error err;
    firn_buffer whole = {0};
    const firn_buffer *bytes = cli_get(t, file);
    assert_ok(firn_buffer_append(&whole, bytes->data, bytes->size, &err), &err);
    cli_put(t, "other", whole.data, whole.size);
    cli_put_text(t, "game", every_schema);
    size_t step = step_of(whole.size);
    // A text without its last line end is whole.
    bool lines = whole.size > 0 && whole.data[0] == '{';
    for (size_t size = 0; size + lines < whole.size; size += step) {
        cli_put(t, "cut", whole.data, size);
        for (uint32_t i = 0; i < every_command_count; i++) {
            if (!every_commands[i].json || firn_json_available()) {
                run_cut(t, &every_commands[i], size);
            }
        }
    }
    firn_buffer_free(&whole);
}

static void truncated_snapshots_of_firn_are_refused(void **state)
{
    assert_in_range(cli_each_golden(*state, "firn", ".bin", cut_everywhere), 11, 100);
}

static void truncated_snapshots_of_tecs_are_refused(void **state)
{
    assert_in_range(cli_each_golden(*state, "tecs", ".bin", cut_everywhere), 20, 100);
}

static void truncated_save_files_are_refused(void **state)
{
    assert_in_range(cli_each_golden(*state, "saves", ".firn", cut_everywhere), 5, 100);
}

static void truncated_json_lines_are_refused(void **state)
{
    uint32_t files = cli_each_golden(*state, "json", ".jsonl", cut_everywhere);
    assert_in_range(files, firn_json_available() ? 4 : 0, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(truncated_snapshots_of_firn_are_refused),
        cli_unit_test(truncated_snapshots_of_tecs_are_refused),
        cli_unit_test(truncated_save_files_are_refused),
        cli_unit_test(truncated_json_lines_are_refused),
    };
    return cmocka_run_group_tests_name("cli_truncate", tests, NULL, NULL);
}
