// Every golden file of every dialect through every command that reads one.
#include "cli/golden.h"

#include "cli/every.h"

#include <string.h>

static void run_command(cli_test *t, const every_command *command, const char *file)
{
    const char *words[EVERY_WORDS + 1];
    int count = every_words(command, file, words);
    int status = cli_run_words(t, count, words);
    if (command->needs_snapshot && cli_has_no_snapshot(file)) {
        assert_int_equal(status, 2);
        assert_says(t->err, ": the save has no snapshot\n");
    } else if (status == 2 && command->refuses != NULL) {
        assert_says(t->err, command->refuses);
    } else if (status != 0 && (status != 1 || !command->finds)) {
        fail_msg("%s %s: %d: %s", words[1], file, status, t->err);
    }
}

static void run_every_command(cli_test *t, const char *file)
{
    cli_put_golden(t, "firn/03_structs.bin");
    cli_put(t, "other", cli_get(t, "firn/03_structs.bin")->data,
            cli_get(t, "firn/03_structs.bin")->size);
    cli_put_text(t, "game", every_schema);
    for (uint32_t i = 0; i < every_command_count; i++) {
        if (!every_commands[i].json || firn_json_available()) {
            run_command(t, &every_commands[i], file);
        }
    }
}

static void snapshots_of_firn_are_read(void **state)
{
    assert_in_range(cli_each_golden(*state, "firn", ".bin", run_every_command), 11, 100);
}

static void snapshots_of_tecs_are_read(void **state)
{
    assert_in_range(cli_each_golden(*state, "tecs", ".bin", run_every_command), 20, 100);
}

static void save_files_are_read(void **state)
{
    assert_in_range(cli_each_golden(*state, "saves", ".firn", run_every_command), 5, 100);
}

static void json_lines_are_read(void **state)
{
    uint32_t files = cli_each_golden(*state, "json", ".jsonl", run_every_command);
    assert_in_range(files, firn_json_available() ? 4 : 0, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(snapshots_of_firn_are_read),
        cli_unit_test(snapshots_of_tecs_are_read),
        cli_unit_test(save_files_are_read),
        cli_unit_test(json_lines_are_read),
    };
    return cmocka_run_group_tests_name("cli_golden", tests, NULL, NULL);
}
