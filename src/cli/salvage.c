#include "cli/check.h"
#include "cli/tree.h"

#include <inttypes.h>
#include <string.h>

// Losses that are printed; the rest is counted.
#define LOSSES_MOST 200

typedef struct cli_salvage {
    fr_cli *cli;
    const char *output;   // NULL: nowhere
    bool to_output;       // the output is the standard output
    firn_buffer bytes;    // what is damaged
    firn_buffer backup;   // empty: there is none
    bool has_backup;      // there is one, and it is whole
    fr_cli_source result; // what came of it
    firn_salvage_summary summary;
    fr_cli_tree tree; // with --json
    firn_value *losses;
} cli_salvage;

// ---- losses

static const char *loss_name(firn_loss_kind kind)
{
    static const char *const names[] = {"bytes", "number", "name",   "columns", "entity", "data",
                                        "ids",   "order",  "header", "section", "value"};
    return names[kind];
}

static void print_loss(cli_salvage *job, const firn_loss *loss)
{
    fr_cli *cli = job->cli;
    const char *colon = loss->section[0] != '\0' ? ": " : "";
    if (job->summary.losses++ >= LOSSES_MOST) {
        return;
    }
    if (job->to_output) { // where the result goes, too
        fr_cli_say(cli, cli->files[0], "%s%s%s", loss->section, colon, loss->message);
        return;
    }
    fr_cli_print(cli, "%s%s", loss->section, colon);
    fr_cli_text(cli, loss->message, strlen(loss->message));
    fr_cli_print(cli, "\n");
}

static void add_loss(cli_salvage *job, const firn_loss *loss)
{
    fr_cli_tree *tree = &job->tree;
    firn_value *item = fr_cli_tree_table(tree, job->losses, NULL);
    fr_cli_tree_text(tree, item, "kind", loss_name(loss->kind));
    if (loss->section[0] != '\0') {
        fr_cli_tree_text(tree, item, "section", loss->section);
    }
    if (loss->subject[0] != '\0') {
        fr_cli_tree_text(tree, item, "subject", loss->subject);
    }
    if (loss->offset != FIRN_NO_OFFSET) {
        fr_cli_tree_number(tree, item, "offset", (double)loss->offset);
    }
    if (loss->size > 0) {
        fr_cli_tree_number(tree, item, "size", (double)loss->size);
    }
    if (loss->count > 0) {
        fr_cli_tree_number(tree, item, "count", (double)loss->count);
    }
    if (loss->entity != 0) {
        fr_cli_tree_number(tree, item, "entity", (double)loss->entity);
    }
    fr_cli_tree_text(tree, item, "message", loss->message);
}

static firn_result take_loss(void *user, const firn_loss *loss, firn_error *err)
{
    cli_salvage *job = user;
    if (job->losses == NULL) {
        print_loss(job, loss);
        return FIRN_OK;
    }
    add_loss(job, loss);
    *err = job->tree.err;
    return job->tree.err.code;
}

// ---- salvage

// Reads `FILE.bak`, as replacing a file leaves it.
static firn_result read_behind(cli_salvage *job, firn_buffer *name, firn_error *err)
{
    const fr_cli *cli = job->cli;
    firn_result result = fr_cli_bak_name(cli->files[0], name, err);
    return result == FIRN_OK ? cli->host->read(cli->host->user, (const char *)name->data,
                                               cli->limits.file_bytes, &job->backup, err)
                             : result;
}

// The backup is of use when it is whole.
static fr_cli_status read_bak_file(cli_salvage *job)
{
    fr_cli *cli = job->cli;
    bool wanted = fr_cli_value(cli, "backup") != NULL;
    firn_error err = {.code = FIRN_OK};
    if (strcmp(cli->files[0], "-") == 0) {
        return wanted ? fr_cli_misuse(cli, "the standard input has no backup") : FR_CLI_OK;
    }
    firn_buffer name;
    firn_buffer_init(&name, cli->host->allocator);
    const firn_save_file_options options = fr_cli_save_options(cli);
    firn_save_file *file =
        read_behind(job, &name, &err) == FIRN_OK
            ? firn_save_file_open(job->backup.data, job->backup.size, &options, &err)
            : NULL;
    job->has_backup = file != NULL;
    firn_save_file_close(file);
    fr_cli_status status = FR_CLI_OK;
    if (err.code == FIRN_NO_MEMORY || (wanted && !job->has_backup)) {
        bool named = err.code != FIRN_NO_MEMORY; // else the name may have no end
        status = fr_cli_fail(cli, named ? (const char *)name.data : cli->files[0], &err);
    }
    firn_buffer_free(&name);
    return status;
}

// A file of JSON becomes bytes first.
static firn_result take_json_file(cli_salvage *job, firn_error *err)
{
    if (!fr_cli_is_json(&job->bytes)) {
        return FIRN_OK;
    }
    fr_cli_source source = {.path = job->cli->files[0], .bytes = job->bytes};
    firn_buffer_init(&job->bytes, job->cli->host->allocator);
    firn_result result = fr_cli_source_take(job->cli, &source, err);
    if (result == FIRN_OK) {
        result = firn_buffer_append(&job->bytes, source.bytes.data, source.bytes.size, err);
    }
    fr_cli_close(&source);
    return result;
}

static firn_result salvage_bytes(cli_salvage *job, firn_error *err)
{
    const fr_cli *cli = job->cli;
    const firn_image_options image = fr_cli_image_options(cli);
    firn_salvage_options options = {.limits = image.limits,
                                    .allocator = image.allocator,
                                    .schemas = image.schemas,
                                    .schema_count = image.schema_count};
    if (fr_cli_value(cli, "backup") != NULL) {
        options.backup = job->backup.data;
        options.backup_size = job->backup.size;
    }
    firn_buffer *out = &job->result.bytes;
    firn_salvage_summary summary = {0};
    if (job->bytes.size == 0) {
        return firn_save_file_salvage("", 0, &options, NULL, NULL, out, NULL, err);
    }
    firn_result result = firn_save_file_salvage(job->bytes.data, job->bytes.size, &options,
                                                take_loss, job, out, &summary, err);
    if (result == FIRN_NOT_OURS) {
        result = firn_image_salvage(job->bytes.data, job->bytes.size, &image, take_loss, job, out,
                                    &summary, err);
    }
    job->summary = summary;
    return result;
}

// As verify does.
static firn_result check_as_verify(cli_salvage *job, firn_error *err)
{
    firn_result result = fr_cli_check_made(job->cli, &job->result, err);
    return result == FIRN_OK && job->result.opened != NULL
               ? fr_cli_check_any(job->cli, &job->result, err)
               : result;
}

// ---- what it says

// What is there of what is said; that may be what is damaged.
static void print_part(fr_cli *cli, const char *what, uint32_t there, uint32_t said)
{
    fr_cli_print(cli, "%s%" PRIu32, what, there);
    if (said >= there) {
        fr_cli_print(cli, " of %" PRIu32, said);
    }
}

static void print_counts(cli_salvage *job)
{
    fr_cli *cli = job->cli;
    const firn_salvage_summary *summary = &job->summary;
    if (summary->losses > LOSSES_MOST) {
        fr_cli_print(cli, "and %" PRIu64 " losses more\n", summary->losses - LOSSES_MOST);
    }
    if (summary->whole) {
        fr_cli_print(cli, "nothing is lost\n");
        return;
    }
    if (summary->frames_said > 0 || summary->frames > 0) {
        print_part(cli, "entities ", summary->entities, summary->entities_said);
        print_part(cli, ", archetypes ", summary->frames, summary->frames_said);
        fr_cli_print(cli, ", data keys %" PRIu32 ", bytes lost %" PRIu64 "\n", summary->data,
                     summary->bytes_lost);
    }
    if (job->result.save != NULL) {
        fr_cli_print(cli, "sections %" PRIu32 " of %" PRIu32, summary->sections,
                     summary->sections + summary->sections_lost);
        fr_cli_print(cli, summary->from_backup > 0 ? ", %" PRIu32 " from the backup\n" : "\n",
                     summary->from_backup);
    }
    if (job->has_backup && fr_cli_value(cli, "backup") == NULL) {
        fr_cli_print(cli, "a backup is there: --backup takes what is damaged from it\n");
    }
}

static fr_cli_status print_as_tree(cli_salvage *job)
{
    fr_cli_tree *tree = &job->tree;
    const firn_salvage_summary *summary = &job->summary;
    fr_cli_tree_bool(tree, tree->root, "whole", summary->whole);
    fr_cli_tree_number(tree, tree->root, "entities", summary->entities);
    fr_cli_tree_number(tree, tree->root, "entitiesSaid", summary->entities_said);
    fr_cli_tree_number(tree, tree->root, "archetypes", summary->frames);
    fr_cli_tree_number(tree, tree->root, "archetypesSaid", summary->frames_said);
    fr_cli_tree_number(tree, tree->root, "dataKeys", summary->data);
    fr_cli_tree_number(tree, tree->root, "bytesLost", (double)summary->bytes_lost);
    fr_cli_tree_number(tree, tree->root, "sections", summary->sections);
    fr_cli_tree_number(tree, tree->root, "sectionsLost", summary->sections_lost);
    fr_cli_tree_number(tree, tree->root, "fromBackup", summary->from_backup);
    return tree->err.code == FIRN_OK ? fr_cli_json(job->cli, tree->root)
                                     : fr_cli_fail(job->cli, NULL, &tree->err);
}

// ---- the whole

static fr_cli_status finish_salvage(cli_salvage *job)
{
    fr_cli_status status = FR_CLI_OK;
    if (job->output != NULL) {
        const firn_buffer *bytes = &job->result.bytes;
        status = fr_cli_save(job->cli, job->output, bytes->data, bytes->size);
    }
    if (status == FR_CLI_OK && !job->to_output) {
        if (job->losses != NULL) {
            status = print_as_tree(job);
        } else {
            print_counts(job);
        }
    }
    return status != FR_CLI_OK || job->summary.whole ? status : FR_CLI_FOUND;
}

static fr_cli_status salvage_file(cli_salvage *job)
{
    fr_cli *cli = job->cli;
    const fr_cli_host *host = cli->host;
    const char *path = cli->files[0];
    firn_error err;
    if (host->read(host->user, path, cli->limits.file_bytes, &job->bytes, &err) != FIRN_OK) {
        return fr_cli_fail(cli, path, &err);
    }
    fr_cli_status status = read_bak_file(job);
    if (status != FR_CLI_OK) {
        return status;
    }
    if (take_json_file(job, &err) != FIRN_OK || salvage_bytes(job, &err) != FIRN_OK ||
        check_as_verify(job, &err) != FIRN_OK) {
        fr_cli_fail(cli, path, &err);
        return fr_cli_say(cli, path, "nothing was written");
    }
    return finish_salvage(job);
}

static fr_cli_status run_salvage(fr_cli *cli)
{
    cli_salvage job = {.cli = cli, .output = fr_cli_value(cli, "output")};
    bool dry_run = fr_cli_value(cli, "dry-run") != NULL;
    if ((job.output != NULL) == dry_run) {
        return fr_cli_misuse(cli, "salvage takes one of --output and --dry-run");
    }
    const firn_allocator *allocator = cli->host->allocator;
    job.to_output = job.output != NULL && strcmp(job.output, "-") == 0;
    if (job.to_output && fr_cli_value(cli, "json") != NULL) {
        return fr_cli_misuse(cli, "--json and --output - both write to the standard output");
    }
    job.result.path = cli->files[0];
    firn_buffer_init(&job.bytes, allocator);
    firn_buffer_init(&job.backup, allocator);
    firn_buffer_init(&job.result.bytes, allocator);
    fr_cli_tree_begin(cli, &job.tree);
    if (fr_cli_value(cli, "json") != NULL) {
        fr_cli_tree_text(&job.tree, job.tree.root, "file", cli->files[0]);
        job.losses = fr_cli_tree_table(&job.tree, job.tree.root, "losses");
    }
    fr_cli_status status =
        job.tree.err.code == FIRN_OK ? salvage_file(&job) : fr_cli_fail(cli, NULL, &job.tree.err);
    fr_cli_tree_end(&job.tree);
    fr_cli_close(&job.result);
    firn_buffer_free(&job.backup);
    firn_buffer_free(&job.bytes);
    return status;
}

static const fr_cli_option salvage_options[] = {
    {"output", 'o', "OUT", "write the result to OUT; - is the standard output"},
    {"backup", 'b', NULL, "take damaged sections of a save file from FILE.bak"},
    {"dry-run", 'n', NULL, "only say what would be lost"},
    {"json", 0, NULL, "one line of JSON"},
};

const fr_cli_command fr_cli_salvage = {
    .name = "salvage",
    .files = "FILE",
    .summary = "makes a whole file of what checks out of a damaged one",
    .help = "Of a save file the sections whose hash is right are kept, and each field of\n"
            "the header that can be found. Of a damaged snapshot the archetypes that check\n"
            "out are kept; one value that cannot be read costs its entity, and behind what\n"
            "cannot be read on the next place that makes sense is looked for. Freed ids and\n"
            "orders of relationships follow.\n"
            "\n"
            "With --backup, sections that are damaged are taken from FILE.bak, which is the\n"
            "save before this one: whole, but older.\n"
            "\n"
            "What is lost is said, beside `--output -` on the standard error, and the result\n"
            "is checked before it is written. OUT is another file: a damaged FILE stays as it\n"
            "is. The exit status is 0 when nothing is lost, 1 when something is, and 2 when\n"
            "nothing can be saved.\n",
    .options = salvage_options,
    .option_count = sizeof salvage_options / sizeof *salvage_options,
    .least_files = 1,
    .most_files = 1,
    .run = run_salvage,
};
