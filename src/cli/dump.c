#include "cli/dump.h"

#include <string.h>

// ---- JSON

typedef struct json_dump {
    fr_cli *cli;
    firn_buffer line;
} json_dump;

static firn_result send_json(void *user, const void *text, size_t size, firn_error *err)
{
    fr_cli *cli = user;
    (void)err;
    fr_cli_json_text(cli, text, size);
    return fr_cli_closed(cli) ? FIRN_REFUSED : FIRN_OK;
}

static firn_result send_entity(void *user, fr_cli_row *row, firn_error *err)
{
    json_dump *dump = user;
    firn_buffer_clear(&dump->line);
    firn_result result = firn_json_write_entity(row->rows, &dump->line, err);
    if (result == FIRN_OK) {
        result = firn_buffer_append(&dump->line, "\n", 1, err);
    }
    if (result == FIRN_OK) {
        fr_cli_json_text(dump->cli, (const char *)dump->line.data, dump->line.size);
    }
    return result;
}

static fr_cli_status dump_all_json(fr_cli *cli, const fr_cli_source *source)
{
    firn_error err;
    const firn_json_options options = fr_cli_json_options(cli);
    const firn_buffer *bytes = &source->bytes;
    firn_result result =
        source->save != NULL
            ? firn_json_export_save(bytes->data, bytes->size, &options, send_json, cli, &err)
            : firn_json_export_image(bytes->data, bytes->size, &options, send_json, cli, &err);
    if (result == FIRN_OK || fr_cli_closed(cli)) {
        return FR_CLI_OK;
    }
    return fr_cli_fail(cli, source->path, &err);
}

fr_cli_status fr_cli_dump_json(fr_cli *cli, fr_cli_selection *selection)
{
    if (selection->all) {
        return dump_all_json(cli, selection->source);
    }
    json_dump dump = {.cli = cli};
    firn_buffer_init(&dump.line, cli->host->allocator);
    fr_cli_status status = fr_cli_selection_walk(selection, send_entity, &dump);
    firn_buffer_free(&dump.line);
    return status;
}

// ---- the command

static fr_cli_status dump_source(fr_cli *cli, const fr_cli_source *source)
{
    fr_cli_selection selection;
    fr_cli_status status = FR_CLI_TROUBLE;
    const char *component = fr_cli_value(cli, "csv");
    if (fr_cli_selection_begin(cli, source, &selection)) {
        status = fr_cli_value(cli, "json") != NULL ? fr_cli_dump_json(cli, &selection)
                 : component != NULL               ? fr_cli_dump_csv(cli, &selection, component)
                                                   : fr_cli_dump_text(cli, &selection);
    }
    fr_cli_selection_end(&selection);
    return status;
}

static fr_cli_status run_dump(fr_cli *cli)
{
    if (!fr_cli_not_both(cli, "json", "csv")) {
        return FR_CLI_TROUBLE;
    }
    fr_cli_source source;
    fr_cli_status status = FR_CLI_TROUBLE;
    if (fr_cli_open_whole(cli, cli->files[0], &source)) {
        status = dump_source(cli, &source);
    }
    fr_cli_close(&source);
    return status;
}

static const fr_cli_option dump_options[] = {
    {"entity", 'e', "ID|KEY", "only this entity; many times"},
    {"component", 'c', "NAME", "only this component; many times"},
    {"where", 'w', "EXPR", "only where it holds: 'Health.current < 10'"},
    {"json", 0, NULL, "lines of JSON, which undump makes a file again"},
    {"csv", 0, "NAME", "a component as comma-separated values"},
};

const fr_cli_command fr_cli_dump = {
    .name = "dump",
    .files = "FILE",
    .summary = "all that is in a file, as text, JSON or a table",
    .help = "Prints what the file is, every entity with its components, and the data. With\n"
            "--entity, --component or --where only entities, and of them those that all of\n"
            "these choose.\n"
            "\n"
            "An expression compares with < <= > >= == !=, and joins with and, or, not, ( ):\n"
            "    Health.current < 10 and not has(Boss)\n"
            "    key == \"player\" or name == \"Ann\" or id == 17\n"
            "    Inventory.items[1].name == \"rope\"\n"
            "has(NAME) asks for a component, or a relation to anybody. A component or field\n"
            "alone holds when it is there and not false. A comparison with what an entity\n"
            "lacks does not hold, but with nil. Elements of a struct count from 0, those of\n"
            "a value from 1. Names with other characters stand in backquotes: `Likes->17`.\n"
            "\n"
            "--json of a whole file loses nothing: undump makes it again. With --entity,\n"
            "--component or --where there are only the lines of entities, with all of their\n"
            "components. --csv has a column for each field, or each key that a value has,\n"
            "after the id.\n",
    .options = dump_options,
    .option_count = sizeof dump_options / sizeof *dump_options,
    .least_files = 1,
    .most_files = 1,
    .run = run_dump,
};
