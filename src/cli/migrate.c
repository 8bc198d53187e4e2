#include "cli/check.h"
#include "cli/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// An edit as the command line has it. Where its names end only a file can tell: those of components
// may have dots and equals signs.
typedef struct given_edit {
    const char *option, *value; // as they were written
    firn_edit_kind kind;
} given_edit;

#define EDITS_MOST 256

typedef struct migration {
    fr_cli *cli;
    firn_doc *doc; // of texts
    given_edit given[EDITS_MOST];
    firn_edit edits[EDITS_MOST]; // for the file at hand
    firn_edit_effect effects[EDITS_MOST];
    uint32_t count;
    uint32_t game_version;
    const char *output; // NULL: in place, or nowhere
    bool in_place, strict;
    uint64_t done, all; // steps of the progress
} migration;

// A file with other names.
typedef struct migrated {
    fr_cli_source source;
    fr_cli_source result;
} migrated;

// ---- the command line

static bool renames(const given_edit *edit)
{
    return edit->kind == FIRN_RENAME_COMPONENT || edit->kind == FIRN_RENAME_FIELD;
}

static bool is_of_field(const given_edit *edit)
{
    return edit->kind == FIRN_RENAME_FIELD || edit->kind == FIRN_DROP_FIELD;
}

// Whether the name of the component may end here, in front of a field or a new name.
static bool may_end(const given_edit *edit, const char *end)
{
    const char *rest = end + 1;
    if (end == edit->value || *end != (is_of_field(edit) ? '.' : '=')) {
        return false;
    }
    if (edit->kind == FIRN_RENAME_FIELD) {
        const char *equals = strchr(rest, '=');
        return equals != NULL && equals != rest && equals[1] != '\0';
    }
    return *rest != '\0';
}

// The next place where it may end; NULL: there is none.
static const char *next_end(const given_edit *edit, const char *at)
{
    while (*at != '\0' && !may_end(edit, at)) {
        at++;
    }
    return *at != '\0' ? at : NULL;
}

static bool is_edit(const given_edit *edit)
{
    return edit->kind == FIRN_DROP_COMPONENT ? edit->value[0] != '\0'
                                             : next_end(edit, edit->value) != NULL;
}

static fr_cli_status take_edit(migration *m, const given_edit *edit)
{
    if (!is_edit(edit)) {
        return fr_cli_misuse(m->cli, "--%s takes %s%s, not \"%s\"", edit->option,
                             is_of_field(edit) ? "Component.field" : "a name",
                             renames(edit) ? "=new" : "", edit->value);
    }
    if (m->count == EDITS_MOST) {
        return fr_cli_misuse(m->cli, "there are more than %d edits", EDITS_MOST);
    }
    m->given[m->count++] = *edit;
    return FR_CLI_OK;
}

static fr_cli_status take_edits(migration *m)
{
    static const struct {
        const char *option;
        firn_edit_kind kind;
    } kinds[] = {{"rename-component", FIRN_RENAME_COMPONENT},
                 {"drop-component", FIRN_DROP_COMPONENT},
                 {"rename-field", FIRN_RENAME_FIELD},
                 {"drop-field", FIRN_DROP_FIELD}};
    fr_cli_status status = FR_CLI_OK;
    const char *option, *value;
    uint32_t cursor = 0;
    while (status == FR_CLI_OK && fr_cli_option_next(m->cli, &cursor, &option, &value)) {
        for (size_t i = 0; status == FR_CLI_OK && i < sizeof kinds / sizeof *kinds; i++) {
            if (strcmp(kinds[i].option, option) == 0) {
                status = take_edit(m, &(given_edit){option, value, kinds[i].kind});
            }
        }
    }
    return status;
}

static fr_cli_status take_game_version(migration *m)
{
    uint64_t version = 0;
    if (!fr_cli_count(m->cli, "set-game-version", &version)) {
        return FR_CLI_TROUBLE;
    }
    bool given = fr_cli_value(m->cli, "set-game-version") != NULL;
    if (given && (version == 0 || version > UINT32_MAX)) {
        return fr_cli_misuse(m->cli, "a version of a game is 1 to 4294967295");
    }
    m->game_version = (uint32_t)version;
    return FR_CLI_OK;
}

static const char *last_part(const char *path)
{
    const char *part = path;
    for (const char *at = path; *at != '\0'; at++) {
        part = *at == '/' || *at == '\\' ? at + 1 : part;
    }
    return part;
}

// Files of other names are not looked at, which would take long where there are many.
static bool is_that_file(const fr_cli *cli, const char *one, const char *other)
{
    return strcmp(last_part(one), last_part(other)) == 0 &&
           cli->host->same(cli->host->user, one, other);
}

static fr_cli_status check_replaced(fr_cli *cli, uint32_t index, const char *bak)
{
    const char *path = cli->files[index];
    if (strcmp(path, "-") == 0) {
        return fr_cli_misuse(cli, "the standard input is not to be replaced");
    }
    for (uint32_t i = 0; i < cli->file_count; i++) {
        if (i < index && is_that_file(cli, cli->files[i], path)) {
            return fr_cli_misuse(cli, "%s and %s are one file", cli->files[i], path);
        }
        if (is_that_file(cli, cli->files[i], bak)) {
            return fr_cli_misuse(cli, "what is in %s would become %s, which is to be migrated",
                                 path, cli->files[i]);
        }
    }
    return FR_CLI_OK;
}

// In place a file is replaced once, and what it was stays as FILE.bak: neither is another one of
// the files.
static fr_cli_status check_in_place(fr_cli *cli)
{
    fr_cli_status status = FR_CLI_OK;
    for (uint32_t i = 0; status == FR_CLI_OK && i < cli->file_count; i++) {
        firn_error err;
        firn_buffer bak;
        firn_buffer_init(&bak, cli->host->allocator);
        status = fr_cli_bak_name(cli->files[i], &bak, &err) == FIRN_OK
                     ? check_replaced(cli, i, (const char *)bak.data)
                     : fr_cli_fail(cli, NULL, &err);
        firn_buffer_free(&bak);
    }
    return status;
}

// Where the results go: to one place.
static fr_cli_status take_output(migration *m)
{
    fr_cli *cli = m->cli;
    bool dry_run = fr_cli_value(cli, "dry-run") != NULL;
    m->output = fr_cli_value(cli, "output");
    m->in_place = fr_cli_value(cli, "in-place") != NULL;
    m->strict = fr_cli_value(cli, "strict") != NULL;
    if ((m->output != NULL) + m->in_place + dry_run != 1) {
        return fr_cli_misuse(cli, "migrate takes one of --output, --in-place and --dry-run");
    }
    if (m->output != NULL && cli->file_count != 1) {
        return fr_cli_misuse(cli, "--output is for one file");
    }
    return m->in_place ? check_in_place(cli) : FR_CLI_OK;
}

// ---- names

static bool is_named(const char *name, size_t name_size, const char *text, size_t size)
{
    return name_size == size && memcmp(name, text, size) == 0;
}

// Whether a component has this name, in the file or by an edit before.
static bool is_component(const migration *m, const firn_image *image, uint32_t edit,
                         const char *text, size_t size)
{
    firn_image_component component;
    for (uint32_t i = 0; firn_image_component_at(image, i, &component); i++) {
        size_t name =
            component.relation_size > 0 ? component.relation_size : strlen(component.name);
        if (is_named(component.name, name, text, size)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < edit; i++) {
        bool renamed = m->edits[i].kind == FIRN_RENAME_COMPONENT;
        if (renamed && is_named(m->edits[i].to, strlen(m->edits[i].to), text, size)) {
            return true;
        }
    }
    return false;
}

// Where the name of the component ends: behind the longest part that is one, else as soon as it
// may.
static const char *component_end(const migration *m, const firn_image *image, uint32_t edit)
{
    const given_edit *given = &m->given[edit];
    const char *end = next_end(given, given->value);
    for (const char *at = end; at != NULL; at = next_end(given, at + 1)) {
        if (is_component(m, image, edit, given->value, (size_t)(at - given->value))) {
            end = at;
        }
    }
    return end;
}

static const char *keep_word(migration *m, const char *begin, const char *end, firn_error *err)
{
    const firn_value *kept = firn_value_string(m->doc, begin, (size_t)(end - begin), err);
    return kept != NULL ? kept->as.string : NULL;
}

static firn_result resolve_edit(migration *m, const firn_image *image, uint32_t index,
                                firn_error *err)
{
    const given_edit *given = &m->given[index];
    firn_edit *edit = &m->edits[index];
    *edit = (firn_edit){.kind = given->kind, .component = given->value};
    if (given->kind == FIRN_DROP_COMPONENT) {
        return FIRN_OK;
    }
    const char *end = component_end(m, image, index);
    edit->component = keep_word(m, given->value, end, err);
    if (given->kind == FIRN_RENAME_COMPONENT) {
        edit->to = end + 1;
    } else {
        const char *equals = given->kind == FIRN_RENAME_FIELD ? strchr(end, '=') : NULL;
        edit->to = equals != NULL ? equals + 1 : NULL;
        edit->field = equals != NULL ? keep_word(m, end + 1, equals, err) : end + 1;
        if (edit->field == NULL) {
            return err->code;
        }
    }
    return edit->component != NULL ? FIRN_OK : err->code;
}

// The edits, as they are for this file.
static firn_result resolve_edits(migration *m, const firn_image *image, firn_error *err)
{
    firn_result result = FIRN_OK;
    firn_doc_clear(m->doc);
    for (uint32_t i = 0; result == FIRN_OK && i < m->count; i++) {
        result = resolve_edit(m, image, i, err);
    }
    return result;
}

// ---- one file

static firn_result rewrite_source(migration *m, migrated *file, firn_error *err)
{
    const fr_cli *cli = m->cli;
    const fr_cli_source *source = &file->source;
    const firn_image_options reading = fr_cli_image_options(cli);
    const firn_rewrite_options options = {.edits = m->edits,
                                          .edit_count = m->count,
                                          .strict = m->strict,
                                          .game_version = m->game_version,
                                          .limits = reading.limits,
                                          .allocator = reading.allocator,
                                          .schemas = reading.schemas,
                                          .schema_count = reading.schema_count};
    firn_buffer *out = &file->result.bytes;
    return source->save != NULL ? firn_save_file_rewrite(source->bytes.data, source->bytes.size,
                                                         &options, out, m->effects, err)
                                : firn_image_rewrite(source->bytes.data, source->bytes.size,
                                                     &options, out, m->effects, err);
}

// Looks at the result as verify does.
static firn_result check_migrated(migration *m, migrated *file, firn_error *err)
{
    fr_cli_source *result = &file->result;
    firn_result good = fr_cli_check_made(m->cli, result, err);
    return good == FIRN_OK && result->image != NULL ? fr_cli_check_any(m->cli, result, err) : good;
}

static firn_result migrate_source(migration *m, migrated *file, firn_error *err)
{
    fr_cli_source *source = &file->source;
    const firn_image_options options = fr_cli_image_options(m->cli);
    if (source->image != NULL) {
        source->opened = firn_image_open(source->image, source->image_size, &options, err);
        if (source->opened == NULL) {
            fr_cli_locate(source, err);
            return err->code;
        }
    }
    firn_result result = resolve_edits(m, source->opened, err);
    if (result == FIRN_OK) {
        result = rewrite_source(m, file, err);
    }
    if (result == FIRN_OK) {
        result = check_migrated(m, file, err);
    }
    if (result != FIRN_OK) {
        err->offset = FIRN_NO_OFFSET; // in a part of the file, or in the result
    }
    return result;
}

// The library counts edits; who wrote options knows them by these.
static void tell_unmigrated(const migration *m, const char *path, const firn_error *err)
{
    static const char begin[] = "edit ";
    const size_t size = sizeof begin - 1;
    char *rest = NULL;
    bool counts = strncmp(err->message, begin, size) == 0;
    unsigned long index = counts ? strtoul(err->message + size, &rest, 10) : m->count;
    if (index < m->count && strncmp(rest, ": ", 2) == 0) {
        const given_edit *edit = &m->given[index];
        fr_cli_misuse(m->cli, "--%s %.100s%s%s", edit->option, edit->value,
                      strlen(edit->value) > 100 ? "..." : "", rest);
    } else {
        fr_cli_fail(m->cli, path, err);
    }
}

static void close_migrated(migrated *file)
{
    fr_cli_close(&file->source);
    fr_cli_close(&file->result);
}

// Reads a file and makes what it becomes. false: it failed, which has been said.
static bool migrate_file(migration *m, const char *path, migrated *file)
{
    fr_cli *cli = m->cli;
    firn_error err;
    file->result = (fr_cli_source){.path = path};
    firn_buffer_init(&file->result.bytes, cli->host->allocator);
    bool good = fr_cli_open(cli, path, &file->source);
    if (good && m->in_place && file->source.json) {
        fr_cli_say(cli, path, "is JSON, which is not replaced by bytes: use --output");
        good = false;
    }
    if (good && migrate_source(m, file, &err) != FIRN_OK) {
        tell_unmigrated(m, path, &err);
        good = false;
    }
    fr_cli_progress(cli, ++m->done, m->all);
    if (!good) {
        close_migrated(file);
    }
    return good;
}

// ---- what it says

static bool is_unchanged(const migrated *file)
{
    const firn_buffer *before = &file->source.bytes, *after = &file->result.bytes;
    return !file->source.json && before->size == after->size && before->data != NULL &&
           after->data != NULL && memcmp(before->data, after->data, after->size) == 0;
}

static void print_escaped(fr_cli *cli, const char *text)
{
    fr_cli_text(cli, text, strlen(text));
}

static void print_edit(fr_cli *cli, const firn_edit *edit)
{
    fr_cli_print(cli, "%s %s ", edit->to != NULL ? "rename" : "drop",
                 edit->field != NULL ? "field" : "component");
    print_escaped(cli, edit->component);
    if (edit->field != NULL) {
        fr_cli_print(cli, ".");
        print_escaped(cli, edit->field);
    }
    if (edit->to != NULL) {
        fr_cli_print(cli, " to ");
        print_escaped(cli, edit->to);
    }
}

static void print_migrated(const migration *m, const migrated *file)
{
    fr_cli *cli = m->cli;
    print_escaped(cli, file->source.path);
    if (is_unchanged(file)) {
        fr_cli_print(cli, ": unchanged\n");
    } else {
        fr_cli_print(cli, ": %zu bytes, %s %zu\n", file->source.bytes.size,
                     m->in_place || m->output != NULL ? "now" : "would be",
                     file->result.bytes.size);
    }
    if (m->count > 0) {
        fr_cli_print(cli, "       rows       names  edit\n");
    }
    for (uint32_t i = 0; i < m->count; i++) {
        const firn_edit_effect *effect = &m->effects[i];
        if (effect->found) {
            fr_cli_print(cli, "%11" PRIu64 " %11" PRIu64 "  ", effect->rows, effect->names);
        } else {
            fr_cli_print(cli, "%11s %11s  ", "-", "-");
        }
        print_edit(cli, &m->edits[i]);
        fr_cli_print(cli, "%s\n", effect->found ? "" : ": not there");
    }
}

static void add_edit_to_tree(fr_cli_tree *tree, firn_value *list, const firn_edit *edit,
                             const firn_edit_effect *effect)
{
    static const char *const kinds[] = {"renameComponent", "dropComponent", "renameField",
                                        "dropField"};
    firn_value *item = fr_cli_tree_table(tree, list, NULL);
    fr_cli_tree_text(tree, item, "edit", kinds[edit->kind]);
    fr_cli_tree_text(tree, item, "component", edit->component);
    if (edit->field != NULL) {
        fr_cli_tree_text(tree, item, "field", edit->field);
    }
    if (edit->to != NULL) {
        fr_cli_tree_text(tree, item, "to", edit->to);
    }
    fr_cli_tree_bool(tree, item, "found", effect->found);
    fr_cli_tree_number(tree, item, "rows", (double)effect->rows);
    fr_cli_tree_number(tree, item, "names", (double)effect->names);
}

static fr_cli_status print_as_json_line(const migration *m, const migrated *file)
{
    fr_cli_tree tree;
    fr_cli_tree_begin(m->cli, &tree);
    fr_cli_tree_text(&tree, tree.root, "file", file->source.path);
    fr_cli_tree_bool(&tree, tree.root, "changed", !is_unchanged(file));
    fr_cli_tree_number(&tree, tree.root, "before", (double)file->source.bytes.size);
    fr_cli_tree_number(&tree, tree.root, "after", (double)file->result.bytes.size);
    firn_value *list = fr_cli_tree_table(&tree, tree.root, "edits");
    for (uint32_t i = 0; i < m->count; i++) {
        add_edit_to_tree(&tree, list, &m->edits[i], &m->effects[i]);
    }
    fr_cli_status status = tree.err.code == FIRN_OK ? fr_cli_json(m->cli, tree.root)
                                                    : fr_cli_fail(m->cli, NULL, &tree.err);
    fr_cli_tree_end(&tree);
    return status;
}

// ---- the whole

// Writes the result where it belongs, and says what became of the file.
static fr_cli_status finish_file(const migration *m, const migrated *file)
{
    const firn_buffer *bytes = &file->result.bytes;
    bool writes = m->in_place ? !is_unchanged(file) : m->output != NULL;
    fr_cli_status status = FR_CLI_OK;
    if (writes) {
        const char *path = m->in_place ? file->source.path : m->output;
        status = fr_cli_save(m->cli, path, bytes->data, bytes->size);
    }
    if (status != FR_CLI_OK || (m->output != NULL && strcmp(m->output, "-") == 0)) {
        return status;
    }
    if (fr_cli_value(m->cli, "json") != NULL) {
        return print_as_json_line(m, file);
    }
    print_migrated(m, file);
    return FR_CLI_OK;
}

// In place there is a first round, which only looks: no file is replaced before all are known to be
// good.
static fr_cli_status migrate_all(migration *m, bool only_look)
{
    fr_cli *cli = m->cli;
    fr_cli_status worst = FR_CLI_OK;
    for (uint32_t i = 0; i < cli->file_count && !fr_cli_closed(cli); i++) {
        migrated file;
        if (!migrate_file(m, cli->files[i], &file)) {
            worst = FR_CLI_TROUBLE;
            continue;
        }
        if (!only_look && finish_file(m, &file) != FR_CLI_OK) {
            worst = FR_CLI_TROUBLE;
        }
        close_migrated(&file);
    }
    return worst;
}

static fr_cli_status run_migration(migration *m)
{
    fr_cli_status status = take_output(m);
    if (status == FR_CLI_OK) {
        status = take_game_version(m);
    }
    if (status == FR_CLI_OK) {
        status = take_edits(m);
    }
    if (status != FR_CLI_OK) {
        return status;
    }
    m->all = (uint64_t)m->cli->file_count * (m->in_place ? 2 : 1);
    if (m->in_place && migrate_all(m, true) != FR_CLI_OK) {
        return fr_cli_say(m->cli, NULL, "no file was replaced");
    }
    return migrate_all(m, false);
}

static fr_cli_status run_migrate(fr_cli *cli)
{
    firn_error err;
    firn_buffer memory;
    firn_buffer_init(&memory, cli->host->allocator);
    firn_doc *doc = firn_doc_create(cli->host->allocator, NULL, &err);
    fr_cli_status status = FR_CLI_TROUBLE;
    if (doc == NULL || firn_buffer_reserve(&memory, sizeof(migration), &err) != FIRN_OK) {
        fr_cli_fail(cli, NULL, &err);
    } else {
        migration *m = (void *)memory.data;
        *m = (migration){.cli = cli, .doc = doc};
        status = run_migration(m);
    }
    firn_doc_destroy(doc);
    firn_buffer_free(&memory);
    return status;
}

static const fr_cli_option migrate_options[] = {
    {"rename-component", 0, "OLD=NEW", "components, and relations with all targets"},
    {"drop-component", 0, "NAME", "from all entities"},
    {"rename-field", 0, "COMPONENT.OLD=NEW", "fields; nested ones have dotted names"},
    {"drop-field", 0, "COMPONENT.FIELD", "from all rows"},
    {"set-game-version", 0, "N", "the version of the game in a save file"},
    {"output", 'o', "OUT", "write the result to OUT; - is the standard output"},
    {"in-place", 'i', NULL, "replace the files; the old ones stay as FILE.bak"},
    {"dry-run", 'n', NULL, "only say what would change"},
    {"strict", 0, NULL, "an edit that finds nothing is an error"},
    {"json", 0, NULL, "a line of JSON for each file"},
};

const fr_cli_command fr_cli_migrate = {
    .name = "migrate",
    .files = "FILE...",
    .summary = "renames or drops components and fields",
    .help = "Writes snapshots and save files again with other names. The edits are made in\n"
            "the order in which they are given, each about the names that those before it\n"
            "leave. A name that is there already is not given to something else.\n"
            "\n"
            "Names follow in the component table, in columns of targets, in the order of\n"
            "sources, in the lists of `persist` components, and, of persisted saves, in the\n"
            "section firn.persist. What the game keeps itself, as custom data and variables,\n"
            "stays as it is.\n"
            "\n"
            "Files of other writers come out as firn writes them, also without an edit. All\n"
            "files are migrated once to see that they can be, and the results checked as\n"
            "verify does, before the first is replaced.\n",
    .options = migrate_options,
    .option_count = sizeof migrate_options / sizeof *migrate_options,
    .least_files = 1,
    .most_files = UINT32_MAX,
    .run = run_migrate,
};
