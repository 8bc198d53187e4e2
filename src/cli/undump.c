#include "cli/cli.h"

static fr_cli_status write_undumped(fr_cli *cli, const fr_cli_source *source)
{
    const char *out = fr_cli_value(cli, "output");
    if (!source->json) {
        return fr_cli_say(cli, source->path, "it is no JSON: there is nothing to undo");
    }
    if (out == NULL && cli->host->terminal) {
        return fr_cli_misuse(cli, "bytes are not written to a terminal: -o FILE");
    }
    return fr_cli_save(cli, out, source->bytes.data, source->bytes.size);
}

static fr_cli_status run_undump(fr_cli *cli)
{
    fr_cli_source source;
    fr_cli_status status =
        fr_cli_open(cli, cli->files[0], &source) ? write_undumped(cli, &source) : FR_CLI_TROUBLE;
    fr_cli_close(&source);
    return status;
}

static const fr_cli_option undump_options[] = {
    {"output", 'o', "FILE", "write to FILE, all or nothing (standard output)"},
};

const fr_cli_command fr_cli_undump = {
    .name = "undump",
    .files = "FILE",
    .summary = "make a file of the JSON that dump wrote of it",
    .help = "Reads the lines of `firn dump --json` and writes the snapshot or save file\n"
            "that they stand for. Of a file of firn without compressed sections it is the\n"
            "same bytes. Of others it is the same content: what firn writes of it, and not\n"
            "compressed.\n"
            "\n"
            "Lines may have been changed by hand; what comes of them is checked like any\n"
            "file.\n",
    .options = undump_options,
    .option_count = sizeof undump_options / sizeof *undump_options,
    .least_files = 1,
    .most_files = 1,
    .run = run_undump,
};
