#include "cli/check.h"
#include "cli/game.h"
#include "cli/tree.h"

#include <string.h>

// How far the files are: reading is one step of each, checking the other.
typedef struct verify_steps {
    uint64_t done, all;
} verify_steps;

// What cannot be checked is not said to be damaged.
static bool is_damage(firn_result result)
{
    return result != FIRN_NO_MEMORY && result != FIRN_IO && result != FIRN_NOT_FOUND &&
           result != FIRN_VERSION && result != FIRN_LIMIT && result != FIRN_UNKNOWN &&
           result != FIRN_UNSUPPORTED;
}

static firn_result check_snapshot(fr_cli *cli, fr_cli_source *source, firn_error *err)
{
    const firn_image_options options = fr_cli_image_options(cli);
    firn_result result = fr_cli_game_check(cli, source, err);
    if (result == FIRN_OK) {
        source->opened = firn_image_open(source->image, source->image_size, &options, err);
        result = source->opened != NULL ? fr_cli_check_image(cli, source, err) : err->code;
    }
    if (result == FIRN_OK) {
        result = fr_cli_check_any(cli, source, err);
    }
    if (result != FIRN_OK) {
        fr_cli_locate(source, err);
    }
    return result;
}

static firn_result verify_file(fr_cli *cli, const char *path, verify_steps *steps, firn_error *err)
{
    fr_cli_source source;
    firn_result result = fr_cli_source_open(cli, path, &source, err);
    fr_cli_progress(cli, ++steps->done, steps->all);
    if (result == FIRN_OK && source.save != NULL) {
        result = fr_cli_check_sections(cli, &source, err);
    }
    if (result == FIRN_OK && source.image != NULL) {
        result = check_snapshot(cli, &source, err);
    }
    fr_cli_close(&source);
    fr_cli_progress(cli, ++steps->done, steps->all);
    return result;
}

static fr_cli_status print_as_json(fr_cli *cli, const char *path, firn_result result,
                                   const firn_error *err)
{
    fr_cli_tree tree;
    fr_cli_tree_begin(cli, &tree);
    fr_cli_tree_text(&tree, tree.root, "file", path);
    fr_cli_tree_text(&tree, tree.root, "result", firn_result_name(result));
    if (result != FIRN_OK) {
        fr_cli_tree_text(&tree, tree.root, "message", err->message);
        fr_cli_tree_text(&tree, tree.root, "subject", err->subject);
    }
    if (result != FIRN_OK && err->offset != FIRN_NO_OFFSET) {
        fr_cli_tree_number(&tree, tree.root, "byte", (double)err->offset);
    }
    fr_cli_status status =
        tree.err.code == FIRN_OK ? fr_cli_json(cli, tree.root) : fr_cli_fail(cli, path, &tree.err);
    fr_cli_tree_end(&tree);
    return status;
}

static fr_cli_status tell_verdict(fr_cli *cli, const char *path, firn_result result,
                                  const firn_error *err)
{
    fr_cli_status status = FR_CLI_OK;
    if (result == FIRN_OK && fr_cli_value(cli, "quiet") != NULL) {
        return FR_CLI_OK;
    }
    if (fr_cli_value(cli, "json") != NULL) {
        status = print_as_json(cli, path, result, err);
    } else if (result != FIRN_OK) {
        fr_cli_fail(cli, path, err);
    } else {
        fr_cli_text(cli, path, strlen(path));
        fr_cli_style_set(cli, FR_CLI_GREEN);
        fr_cli_print(cli, ": ok");
        fr_cli_style_set(cli, FR_CLI_PLAIN);
        fr_cli_write(cli, "\n", 1);
    }
    if (result != FIRN_OK && status == FR_CLI_OK) {
        status = is_damage(result) ? FR_CLI_FOUND : FR_CLI_TROUBLE;
    }
    return status;
}

static fr_cli_status run_verify(fr_cli *cli)
{
    fr_cli_status worst = FR_CLI_OK;
    verify_steps steps = {.all = 2 * (uint64_t)cli->file_count};
    for (uint32_t i = 0; i < cli->file_count && !fr_cli_closed(cli); i++) {
        firn_error err;
        firn_result result = verify_file(cli, cli->files[i], &steps, &err);
        fr_cli_status status = tell_verdict(cli, cli->files[i], result, &err);
        worst = status > worst ? status : worst;
    }
    return worst;
}

static const fr_cli_option verify_options[] = {
    {"quiet", 'q', NULL, "say nothing of files that are good"},
    {"json", 0, NULL, "a line of JSON for each file"},
};

const fr_cli_command fr_cli_verify = {
    .name = "verify",
    .files = "FILE...",
    .summary = "whether files are whole and make sense",
    .help = "Checks all of each file: hashes, sizes, names, ids, counts, every value, and the\n"
            "states, phases, random streams and script state that firn keeps beside entities.\n"
            "It needs no game. What only a game can tell, whether it has these components\n"
            "and states, and of which kinds, a schema file says: --schema, and `firn help\n"
            "schema` about its lines. Codecs are code, and not looked at.\n"
            "\n"
            "Good files are listed; of the others it says what is wrong, and at which byte,\n"
            "on the standard error. The exit status is 0 when all are good, 1 when one is\n"
            "damaged, 2 when one cannot be checked: it cannot be read, is above a limit, of a\n"
            "newer version, or a snapshot whose columns cannot be told without a schema.\n",
    .options = verify_options,
    .option_count = sizeof verify_options / sizeof *verify_options,
    .least_files = 1,
    .most_files = UINT32_MAX,
    .run = run_verify,
};
