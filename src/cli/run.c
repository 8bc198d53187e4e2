#include "cli/help.h"
#include "cli/schema_file.h"

#include <inttypes.h>
#include <string.h>

static bool is_one_of(const char *word, const char *one, const char *other)
{
    return strcmp(word, one) == 0 || strcmp(word, other) == 0;
}

static fr_cli_status print_version(fr_cli *cli)
{
    uint32_t version = firn_version();
    fr_cli_print(cli, "firn %" PRIu32 ".%" PRIu32 ".%" PRIu32 "\n", version / 1000000,
                 version / 1000 % 1000, version % 1000);
    return FR_CLI_OK;
}

static fr_cli_status run_words(fr_cli *cli, int count, const char *const *words)
{
    fr_cli_status status;
    if (count == 0) {
        return fr_cli_misuse(cli, "which command?");
    }
    if (is_one_of(words[0], "--help", "-h")) {
        fr_cli_print_overview(cli);
        return FR_CLI_OK;
    }
    if (is_one_of(words[0], "--version", "-V")) {
        return print_version(cli);
    }
    const fr_cli_command *command = fr_cli_command_of(cli, words[0]);
    if (command == NULL) {
        return FR_CLI_TROUBLE;
    }
    cli->command = command;
    if (!fr_cli_parse(cli, count - 1, words + 1, &status)) {
        return status;
    }
    return fr_cli_schemas_read(cli) ? command->run(cli) : FR_CLI_TROUBLE;
}

int fr_cli_run(int argc, const char *const *argv, const fr_cli_host *host)
{
    fr_cli cli;
    memset(&cli, 0, sizeof cli);
    cli.host = host;
    firn_buffer_init(&cli.given, host->allocator);
    firn_buffer_init(&cli.paths, host->allocator);
    firn_buffer_init(&cli.schema_text, host->allocator);
    firn_buffer_init(&cli.schemas, host->allocator);
    fr_cli_status status =
        argc > 0 ? run_words(&cli, argc - 1, argv + 1) : run_words(&cli, 0, argv);
    fr_cli_flush(&cli);
    if (cli.closed) {
        // What was found out did not arrive.
        status = FR_CLI_TROUBLE;
        if (cli.unwritten.code != FIRN_OK) {
            fr_cli_fail(&cli, NULL, &cli.unwritten);
        }
    }
    firn_buffer_free(&cli.given);
    firn_buffer_free(&cli.paths);
    firn_buffer_free(&cli.schema_text);
    firn_buffer_free(&cli.schemas);
    firn_world_destroy(cli.game);
    return (int)status;
}
