// Every golden file of every dialect through every command that reads one.
#include "cli/run.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define WORDS 6

// The file stands behind the words. json: only in builds that have it.
typedef struct golden_command {
    const char *words[WORDS];
    bool json;
    bool needs_snapshot; ///< saves without one are refused
} golden_command;

static const golden_command golden_commands[] = {
    {{"info"}, false, false},         {{"info", "--json"}, true, false},
    {{"verify"}, false, false},       {{"hash"}, false, true},
    {{"hash", "--json"}, true, true}, {{"report", "-o", "-"}, false, false},
};

static bool has_no_snapshot(const char *file)
{
    return strstr(file, "01_least") != NULL || strstr(file, "04_thumbnail") != NULL;
}

static void run_command(cli_test *t, const golden_command *command, const char *file)
{
    const char *words[WORDS + 2] = {"firn"};
    int count = 1;
    for (; count <= WORDS && command->words[count - 1] != NULL; count++) {
        words[count] = command->words[count - 1];
    }
    words[count++] = file;
    int expected = command->needs_snapshot && has_no_snapshot(file) ? 2 : 0;
    int status = cli_run_words(t, count, words);
    if (status != expected || (status == 0) != (t->out[0] != '\0' && t->err[0] == '\0')) {
        fail_msg("%s %s: %d: %s", words[1], file, status, t->err);
    }
}

static bool can_be_read(const char *file)
{
    bool compressed = strstr(file, "compressed") != NULL;
    bool json = strstr(file, ".jsonl") != NULL;
    return (!compressed || firn_save_file_can_compress()) && (!json || firn_json_available());
}

static bool ends_in(const char *name, const char *ending)
{
    size_t size = strlen(name), end = strlen(ending);
    return size > end && strcmp(name + size - end, ending) == 0;
}

static uint32_t run_folder(cli_test *t, const char *name, const char *ending)
{
    char path[512];
    uint32_t files = 0;
    (void)snprintf(path, sizeof path, FIRN_TEST_DATA "/%s", name);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char file[120];
        (void)snprintf(file, sizeof file, "%.20s/%.90s", name, entry->d_name);
        if (!ends_in(file, ending) || !can_be_read(file)) {
            continue;
        }
        cli_forget(t);
        cli_put_golden(t, file);
        for (size_t i = 0; i < sizeof golden_commands / sizeof *golden_commands; i++) {
            if (!golden_commands[i].json || firn_json_available()) {
                run_command(t, &golden_commands[i], file);
            }
        }
        files++;
    }
    (void)closedir(folder);
    return files;
}

static void snapshots_of_firn_are_read(void **state)
{
    assert_in_range(run_folder(*state, "firn", ".bin"), 11, 100);
}

static void snapshots_of_tecs_are_read(void **state)
{
    assert_in_range(run_folder(*state, "tecs", ".bin"), 20, 100);
}

static void save_files_are_read(void **state)
{
    assert_in_range(run_folder(*state, "saves", ".firn"), 5, 100);
}

static void json_lines_are_read(void **state)
{
    assert_in_range(run_folder(*state, "json", ".jsonl"), firn_json_available() ? 4 : 0, 100);
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
