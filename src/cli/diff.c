// What is not the same in two files. One walk counts the differences and keeps the first lines; a
// second one prints more, where somebody asks for them.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/difference.h"
#include "cli/envelope.h"
#include "cli/persisted.h"
#include "cli/row.h"
#include "cli/tally.h"
#include "cli/text.h"

// What is more than so many lines begins with a summary.
#define SCREEN_LINES 40
// Files that have fewer bytes are compared before anybody sees a bar.
#define BAR_BYTES (UINT64_C(1) << 20)

typedef enum diff_walk {
    DIFF_COUNT, ///< counts, and keeps lines
    DIFF_PRINT, ///< prints them
    DIFF_BOTH   ///< counts, and prints
} diff_walk;

typedef struct diff_job {
    fr_cli *cli;
    fr_cli_source left, right;
    firn_diff_options options;
    firn_buffer components, exclude; ///< names, for the options
    uint64_t limit;                  ///< lines
    bool json;
    diff_walk walk;
    bool around;     ///< what is told is of the save file around the snapshot
    uint64_t listed; ///< lines of this walk
    uint32_t slot;   ///< the last one that this walk has seen
    uint32_t slots;  ///< one more than files have
    fr_cli_tally tally;
    firn_buffer lines;
} diff_job;

// ---- lines

static bool is_listed_line(const diff_job *job)
{
    return job->listed < job->limit && (job->walk != DIFF_COUNT || job->listed < SCREEN_LINES);
}

static firn_result list_line(diff_job *job, const firn_difference *difference, firn_error *err)
{
    fr_cli *cli = job->cli;
    if (job->walk != DIFF_COUNT) {
        firn_buffer_clear(&job->lines);
    }
    firn_result result = job->json
                             ? fr_cli_difference_json(difference, job->around, &job->lines, err)
                             : fr_cli_difference_text(difference, job->around, &job->lines, err);
    if (result == FIRN_OK && job->walk != DIFF_COUNT) {
        fr_cli_json_text(cli, (const char *)job->lines.data, job->lines.size);
    }
    job->listed++;
    return result;
}

// Entities come by id, which has the slot in its low bits.
static void show_how_far(diff_job *job, firn_entity entity)
{
    uint32_t slot = (uint32_t)(entity & (((firn_entity)1 << FIRN_SLOT_BITS) - 1));
    job->slot = slot > job->slot ? slot : job->slot;
    fr_cli_progress_part(job->cli, job->slot, job->slots);
}

static firn_result hear_in_files(void *user, const firn_difference *difference, firn_error *err)
{
    diff_job *job = user;
    if (fr_cli_closed(job->cli)) {
        return FIRN_REFUSED;
    }
    show_how_far(job, difference->entity);
    firn_result result = job->walk != DIFF_PRINT
                             ? fr_cli_tally_add(&job->tally, difference, job->around, err)
                             : FIRN_OK;
    return result == FIRN_OK && is_listed_line(job) ? list_line(job, difference, err) : result;
}

// Members of the header of a save file.
static firn_result hear_save_header(void *user, const firn_difference *difference, firn_error *err)
{
    firn_difference header = *difference;
    header.kind = FIRN_DIFFERENCE_HEADER;
    header.component = "";
    return hear_in_files(user, &header, err);
}

// ---- save files

static firn_result diff_headers(diff_job *job, firn_error *err)
{
    fr_cli_tree left, right;
    fr_cli_header_tree(job->cli, job->left.save, &left);
    fr_cli_header_tree(job->cli, job->right.save, &right);
    *err = left.err.code != FIRN_OK ? left.err : right.err;
    firn_result result = err->code;
    if (result == FIRN_OK) {
        result = firn_diff_values("header", left.root, right.root, &job->options, hear_save_header,
                                  job, NULL, err);
    }
    fr_cli_tree_end(&left);
    fr_cli_tree_end(&right);
    return result;
}

static bool save_has_section(const firn_save_file *save, const char *name)
{
    firn_section_info info;
    for (uint32_t i = 0; firn_save_file_section_at(save, i, &info); i++) {
        if (strcmp(info.name, name) == 0) {
            return true;
        }
    }
    return false;
}

static firn_result diff_section(diff_job *job, const char *name, firn_doc *doc, firn_error *err)
{
    fr_cli_section left = {.value = NULL}, right = {.value = NULL};
    firn_result result = FIRN_OK;
    if (save_has_section(job->left.save, name)) {
        result = fr_cli_section_read(job->cli, &job->left, name, doc, &left, err);
    }
    if (result == FIRN_OK && save_has_section(job->right.save, name)) {
        result = fr_cli_section_read(job->cli, &job->right, name, doc, &right, err);
    }
    if (result == FIRN_OK && strcmp(name, FIRN_SECTION_PERSIST) == 0) {
        result = fr_cli_diff_persisted(left.value, right.value, &job->options, doc, hear_in_files,
                                       job, err);
    } else if (result == FIRN_OK) {
        result = firn_diff_values(name, left.value, right.value, &job->options, hear_in_files, job,
                                  NULL, err);
    }
    firn_doc_clear(doc);
    return result;
}

// Components may be in what is saved by field, and in the snapshot, which is compared as such.
static bool is_compared_section(const diff_job *job, const char *name)
{
    return strcmp(name, FIRN_SECTION_SNAPSHOT) != 0 &&
           (job->options.component_count == 0 || strcmp(name, FIRN_SECTION_PERSIST) == 0);
}

// Those of the left, then those that only the right has.
static firn_result diff_sections(diff_job *job, firn_error *err)
{
    firn_section_info info;
    fr_cli *cli = job->cli;
    firn_result result = FIRN_OK;
    firn_doc *doc = firn_doc_create(cli->host->allocator, &cli->limits, err);
    if (doc == NULL) {
        return err->code;
    }
    const firn_save_file *saves[2] = {job->left.save, job->right.save};
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; result == FIRN_OK && firn_save_file_section_at(saves[side], i, &info);
             i++) {
            bool told = side == 1 && save_has_section(saves[0], info.name);
            if (!told && is_compared_section(job, info.name)) {
                result = diff_section(job, info.name, doc, err);
            }
        }
    }
    firn_doc_destroy(doc);
    return result;
}

// A save file may lack the snapshot.
static firn_result tell_snapshot(diff_job *job, firn_error *err)
{
    bool in_left = job->left.opened != NULL;
    const fr_cli_source *source = in_left ? &job->left : &job->right;
    const firn_value bytes = {.kind = FIRN_VALUE_NUMBER, .as.number = (double)source->image_size};
    const firn_difference difference = {.kind = FIRN_DIFFERENCE_HEADER,
                                        .key = "",
                                        .name = "",
                                        .component = "",
                                        .path = "snapshot.bytes",
                                        .in_left = in_left,
                                        .in_right = !in_left,
                                        .left = in_left ? &bytes : NULL,
                                        .right = in_left ? NULL : &bytes};
    return hear_in_files(job, &difference, err);
}

static firn_result diff_around(diff_job *job, firn_error *err)
{
    bool both = job->left.save != NULL && job->right.save != NULL;
    bool whole = job->options.component_count == 0;
    job->around = true;
    firn_result result = both && whole ? diff_headers(job, err) : FIRN_OK;
    if (result == FIRN_OK && both) {
        result = diff_sections(job, err);
    }
    if (result == FIRN_OK && (job->left.opened == NULL) != (job->right.opened == NULL)) {
        result = tell_snapshot(job, err);
    }
    job->around = false;
    return result;
}

static bool walk_differences(diff_job *job, diff_walk walk)
{
    firn_error err;
    const firn_diff_side left = {.image = job->left.opened}, right = {.image = job->right.opened};
    job->walk = walk;
    job->listed = 0;
    job->slot = 0;
    firn_result result = diff_around(job, &err);
    if (result == FIRN_OK && left.image != NULL && right.image != NULL) {
        result = firn_diff(&left, &right, &job->options, hear_in_files, job, NULL, &err);
    }
    if (result != FIRN_OK && !fr_cli_closed(job->cli)) {
        fr_cli_say(job->cli, job->left.path, "compared with %s: %s", job->right.path, err.message);
    }
    return result == FIRN_OK;
}

// ---- output

static uint32_t slots_of(const fr_cli_source *source)
{
    firn_image_info info = {.by_firn = false};
    firn_image_describe(source->opened, &info);
    return info.prelude.next_slot;
}

// The files are open, which is half of it. Lines that are printed may go to a pager: no bar is
// drawn into them.
static void begin_bar(diff_job *job)
{
    uint32_t left = slots_of(&job->left), right = slots_of(&job->right);
    job->slots = left > right ? left : right;
    if (!job->json && job->left.bytes.size + job->right.bytes.size >= BAR_BYTES) {
        fr_cli_progress(job->cli, 1, 2);
    }
}

static void say_how_many_more(const diff_job *job)
{
    if (job->listed < job->tally.total) {
        fr_cli_print(job->cli, "and %" PRIu64 " more\n", job->tally.total - job->listed);
    }
}

static bool print_text(diff_job *job)
{
    fr_cli *cli = job->cli;
    bool much = job->tally.total > SCREEN_LINES;
    if (much) {
        fr_cli_tally_print(cli, &job->tally);
    }
    if (much && job->limit > SCREEN_LINES) {
        if (!walk_differences(job, DIFF_PRINT)) {
            return false;
        }
    } else {
        fr_cli_json_text(cli, (const char *)job->lines.data, job->lines.size);
    }
    say_how_many_more(job);
    return true;
}

static fr_cli_status print_json_summary(diff_job *job)
{
    fr_cli_tree tree;
    const fr_cli_tally *tally = &job->tally;
    fr_cli_tree_begin(job->cli, &tree);
    fr_cli_tree_text(&tree, tree.root, "kind", "summary");
    fr_cli_tree_bool(&tree, tree.root, "same", tally->total == 0);
    fr_cli_tree_number(&tree, tree.root, "differences", (double)tally->total);
    fr_cli_tree_number(&tree, tree.root, "listed", (double)job->listed);
    fr_cli_tree_number(&tree, tree.root, "changedEntities", (double)tally->entities);
    fr_cli_tally_tree(tally, &tree, fr_cli_tree_table(&tree, tree.root, "counts"));
    fr_cli_status status = tree.err.code == FIRN_OK ? fr_cli_json(job->cli, tree.root)
                                                    : fr_cli_fail(job->cli, NULL, &tree.err);
    fr_cli_tree_end(&tree);
    return status;
}

static fr_cli_status compare_files(diff_job *job)
{
    begin_bar(job);
    bool done = walk_differences(job, job->json ? DIFF_BOTH : DIFF_COUNT);
    fr_cli_progress(job->cli, 2, 2);
    if (done && job->json) {
        done = print_json_summary(job) == FR_CLI_OK;
    } else if (done) {
        done = print_text(job);
    }
    return !done ? FR_CLI_TROUBLE : job->tally.total > 0 ? FR_CLI_FOUND : FR_CLI_OK;
}

// ---- options

static bool take_tolerance(diff_job *job)
{
    const char *text = fr_cli_value(job->cli, "tolerance");
    if (text == NULL) {
        return true;
    }
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end != 0 || !(number >= 0) || number - number != 0) {
        fr_cli_misuse(job->cli, "--tolerance takes a number from 0 on, not \"%s\"", text);
        return false;
    }
    job->options.tolerance = number;
    return true;
}

static bool take_names(diff_job *job, const char *option, firn_buffer *names)
{
    firn_error err;
    const char *name;
    for (uint32_t cursor = 0; fr_cli_value_next(job->cli, option, &cursor, &name);) {
        if (firn_buffer_append(names, &name, sizeof name, &err) != FIRN_OK) {
            fr_cli_fail(job->cli, NULL, &err);
            return false;
        }
    }
    return true;
}

// Of a relation all targets are left out.
static bool leaves_out(const char *exclude, const char *component)
{
    size_t size = strlen(exclude);
    const char *rest = component + size;
    return strncmp(component, exclude, size) == 0 && (*rest == 0 || strncmp(rest, "->", 2) == 0);
}

static bool check_choice(diff_job *job)
{
    const firn_diff_options *options = &job->options;
    for (uint32_t i = 0; i < options->component_count; i++) {
        for (uint32_t k = 0; k < options->exclude_count; k++) {
            if (leaves_out(options->exclude[k], options->components[i])) {
                fr_cli_misuse(job->cli, "--component %s is left out by --exclude %s",
                              fr_cli_shown(options->components[i]),
                              fr_cli_shown(options->exclude[k]));
                return false;
            }
        }
    }
    return true;
}

static bool take_options(diff_job *job)
{
    fr_cli *cli = job->cli;
    job->json = fr_cli_value(cli, "json") != NULL;
    if (!fr_cli_not_both(cli, "all", "limit")) {
        return false;
    }
    bool all = fr_cli_value(cli, "all") != NULL || job->json;
    job->limit = all ? UINT64_MAX : SCREEN_LINES;
    if (!fr_cli_count(cli, "limit", &job->limit) || !take_tolerance(job) ||
        !take_names(job, "component", &job->components) ||
        !take_names(job, "exclude", &job->exclude)) {
        return false;
    }
    firn_diff_options *options = &job->options;
    options->limits = &cli->limits;
    options->allocator = cli->host->allocator;
    options->components = (const char *const *)(const void *)job->components.data;
    options->component_count = (uint32_t)(job->components.size / sizeof(char *));
    options->exclude = (const char *const *)(const void *)job->exclude.data;
    options->exclude_count = (uint32_t)(job->exclude.size / sizeof(char *));
    return check_choice(job);
}

static firn_result look_for_component(diff_job *job, const char *name, bool *out, firn_error *err)
{
    firn_result result = FIRN_OK;
    const fr_cli_source *const sources[2] = {&job->left, &job->right};
    *out = false;
    for (int side = 0; result == FIRN_OK && !*out && side < 2; side++) {
        *out = fr_cli_name_find(sources[side]->opened, name, strlen(name)).known;
        if (!*out) {
            result = fr_cli_persisted_has(job->cli, sources[side], name, out, err);
        }
    }
    return result;
}

// A name that is written wrong shall not look like one that was compared, or left out.
static bool check_components(diff_job *job)
{
    const char *option, *name;
    for (uint32_t cursor = 0; fr_cli_option_next(job->cli, &cursor, &option, &name);) {
        firn_error err;
        bool found = strcmp(option, "component") != 0 && strcmp(option, "exclude") != 0;
        if (!found && look_for_component(job, name, &found, &err) != FIRN_OK) {
            fr_cli_fail(job->cli, NULL, &err);
            return false;
        }
        if (!found) {
            fr_cli_say(job->cli, NULL, "neither file has a component %s", fr_cli_shown(name));
            return false;
        }
    }
    return true;
}

static fr_cli_status run_diff(fr_cli *cli)
{
    diff_job job = {.cli = cli};
    fr_cli_status status = FR_CLI_TROUBLE;
    firn_buffer_init(&job.components, cli->host->allocator);
    firn_buffer_init(&job.exclude, cli->host->allocator);
    firn_buffer_init(&job.lines, cli->host->allocator);
    fr_cli_tally_begin(cli, &job.tally);
    if (take_options(&job) && fr_cli_open_whole(cli, cli->files[0], &job.left) &&
        fr_cli_open_whole(cli, cli->files[1], &job.right) && check_components(&job)) {
        status = compare_files(&job);
    }
    fr_cli_close(&job.left);
    fr_cli_close(&job.right);
    fr_cli_tally_end(&job.tally);
    firn_buffer_free(&job.lines);
    firn_buffer_free(&job.components);
    firn_buffer_free(&job.exclude);
    return status;
}

static const fr_cli_option diff_options[] = {
    {"component", 'c', "NAME", "compare only this component; many times"},
    {"exclude", 'x', "NAME", "leave this component out; many times"},
    {"tolerance", 't', "X", "floats that are at most X apart are the same"},
    {"limit", 'n', "N", "list at most N differences (40)"},
    {"all", 'a', NULL, "list all of them, without a limit"},
    {"json", 0, NULL, "a line of JSON for each difference, then the counts"},
};

const fr_cli_command fr_cli_diff = {
    .name = "diff",
    .files = "A B",
    .summary = "what is not the same in two files",
    .help = "Names entity, component and field with both values; then states, phases,\n"
            "random streams, data, the header, and of two save files what they hold\n"
            "besides. More than 40 differences begin with a summary by component.\n"
            "\n"
            "The exit status is 0 when the files hold the same, 1 when they do not, 2 when\n"
            "one cannot be read. Entities are compared by id, numbers bit for bit: -0.0 is\n"
            "not 0.0. Of a save file and a snapshot the snapshots are compared. Sections\n"
            "that are compressed are the same as others.\n",
    .options = diff_options,
    .option_count = sizeof diff_options / sizeof *diff_options,
    .least_files = 2,
    .most_files = 2,
    .run = run_diff,
};
