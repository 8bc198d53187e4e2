// A file as text.
#include <inttypes.h>
#include <string.h>

#include "cli/dump.h"
#include "cli/envelope.h"
#include "cli/field.h"

typedef struct text_dump {
    fr_cli *cli;
    const fr_cli_selection *selection;
    firn_buffer text;
} text_dump;

// ---- pieces

static void dump_name(fr_cli *cli, const char *name, size_t size, fr_cli_style style)
{
    fr_cli_style_set(cli, style);
    fr_cli_text(cli, name, size);
    fr_cli_style_set(cli, FR_CLI_PLAIN);
}

static firn_result dump_value(text_dump *dump, const firn_value *value, firn_error *err)
{
    firn_buffer_clear(&dump->text);
    firn_result result = firn_value_print(value, NULL, &dump->text, err);
    if (result == FIRN_OK) {
        fr_cli_json_text(dump->cli, (const char *)dump->text.data, dump->text.size);
    }
    return result;
}

// `  name = "mill"` for each member of a table.
static firn_result dump_members(text_dump *dump, const firn_value *table, firn_error *err)
{
    firn_value key;
    uint32_t cursor = 0;
    const firn_value *item;
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && (item = firn_table_next(table, &cursor, &key)) != NULL) {
        fr_cli_print(dump->cli, "  ");
        dump_name(dump->cli, key.as.string, key.length, FR_CLI_CYAN);
        fr_cli_print(dump->cli, " = ");
        result = dump_value(dump, item, err);
        fr_cli_print(dump->cli, "\n");
    }
    return result;
}

static void dump_title(text_dump *dump, const char *title, const char *name, size_t size)
{
    fr_cli_style_set(dump->cli, FR_CLI_BOLD);
    fr_cli_print(dump->cli, "%s", title);
    fr_cli_text(dump->cli, name, size);
    fr_cli_style_set(dump->cli, FR_CLI_PLAIN);
}

// ---- save files

static firn_result dump_save_header(text_dump *dump, firn_error *err)
{
    fr_cli_tree tree;
    fr_cli_header_tree(dump->cli, dump->selection->source->save, &tree);
    dump_title(dump, "save file", "", 0);
    fr_cli_print(dump->cli, "\n");
    *err = tree.err;
    firn_result result = err->code == FIRN_OK ? dump_members(dump, tree.root, err) : err->code;
    fr_cli_tree_end(&tree);
    return result;
}

static firn_result dump_section(text_dump *dump, const char *name, firn_doc *doc, firn_error *err)
{
    fr_cli_section section;
    const fr_cli_source *source = dump->selection->source;
    firn_result result = fr_cli_section_read(dump->cli, source, name, doc, &section, err);
    if (result != FIRN_OK) {
        return result;
    }
    dump_title(dump, "section ", name, strlen(name));
    if (section.value == &section.text) {
        fr_cli_print(dump->cli, ": %zu bytes\n", section.size);
    } else {
        fr_cli_print(dump->cli, ": ");
        result = dump_value(dump, section.value, err);
        fr_cli_print(dump->cli, "\n");
    }
    firn_doc_clear(doc);
    return result;
}

static firn_result dump_sections(text_dump *dump, firn_error *err)
{
    firn_section_info info;
    fr_cli *cli = dump->cli;
    firn_result result = FIRN_OK;
    firn_doc *doc = firn_doc_create(cli->host->allocator, &cli->limits, err);
    if (doc == NULL) {
        return err->code;
    }
    const firn_save_file *save = dump->selection->source->save;
    for (uint32_t i = 0; result == FIRN_OK && firn_save_file_section_at(save, i, &info); i++) {
        if (strcmp(info.name, FIRN_SECTION_SNAPSHOT) != 0) {
            result = dump_section(dump, info.name, doc, err);
        }
    }
    firn_doc_destroy(doc);
    return result;
}

// ---- snapshots

static void dump_count(text_dump *dump, const char *name, uint64_t count)
{
    fr_cli_print(dump->cli, "  ");
    dump_name(dump->cli, name, strlen(name), FR_CLI_CYAN);
    fr_cli_print(dump->cli, " = %" PRIu64 "\n", count);
}

static firn_result dump_image_header(text_dump *dump, firn_error *err)
{
    firn_image_info info;
    fr_cli *cli = dump->cli;
    firn_image_describe(dump->selection->source->opened, &info);
    dump_title(dump, "snapshot", "", 0);
    fr_cli_print(cli, info.by_firn ? " of firn\n" : " of another writer\n");
    dump_count(dump, "version", info.prelude.version);
    dump_count(dump, "entities", info.prelude.entity_count);
    dump_count(dump, "archetypes", info.prelude.frame_count);
    dump_count(dump, "components", info.prelude.component_count);
    dump_count(dump, "data", info.prelude.data_count);
    dump_count(dump, "nextEntityId", info.prelude.next_slot);
    dump_count(dump, "freeIds", info.free_count);
    if (!info.by_firn) {
        return FIRN_OK;
    }
    const firn_value name = {.kind = FIRN_VALUE_STRING,
                             .length = (uint32_t)strlen(info.world_name),
                             .as.string = info.world_name};
    dump_count(dump, "tick", info.tick);
    fr_cli_print(cli, "  ");
    dump_name(cli, "name", 4, FR_CLI_CYAN);
    fr_cli_print(cli, " = ");
    firn_result result = dump_value(dump, &name, err);
    fr_cli_print(cli, "\n");
    return result;
}

static firn_result dump_datum(text_dump *dump, const firn_image_datum *datum, firn_doc *doc,
                              firn_error *err)
{
    fr_cli *cli = dump->cli;
    const firn_value *value = firn_value_decode(doc, datum->encoded, datum->size, err);
    if (value == NULL) {
        return err->code;
    }
    dump_title(dump, "data ", datum->key, datum->key_size);
    fr_cli_print(cli, ": ");
    firn_result result = dump_value(dump, value, err);
    fr_cli_print(cli, "\n");
    firn_doc_clear(doc);
    return result;
}

static fr_cli_status dump_data(text_dump *dump)
{
    firn_error err;
    firn_image_datum datum = {.key = ""};
    fr_cli *cli = dump->cli;
    firn_limits limits = cli->limits;
    limits.tree_values = limits.string_bytes = UINT64_MAX;
    firn_doc *doc = firn_doc_create(cli->host->allocator, &limits, &err);
    firn_result result = doc != NULL ? FIRN_OK : err.code;
    const fr_cli_source *source = dump->selection->source;
    for (uint32_t i = 0; result == FIRN_OK && firn_image_datum_at(source->opened, i, &datum); i++) {
        result = dump_datum(dump, &datum, doc, &err);
    }
    firn_doc_destroy(doc);
    return result == FIRN_OK ? FR_CLI_OK
                             : fr_cli_say(cli, source->path, "data %s: %s", datum.key, err.message);
}

// ---- entities

static firn_result dump_label(text_dump *dump, fr_cli_row *row, firn_error *err)
{
    static const char *const titles[] = {" (key ", " (name "};
    firn_value label;
    fr_cli_label kind = FR_CLI_LABEL_KEY;
    firn_result result = fr_cli_row_label(row, kind, &label, err);
    if (result == FIRN_OK && label.kind == FIRN_VALUE_NIL) {
        kind = FR_CLI_LABEL_NAME;
        result = fr_cli_row_label(row, kind, &label, err);
    }
    if (result == FIRN_OK && label.kind != FIRN_VALUE_NIL) {
        fr_cli_print(dump->cli, "%s", titles[kind]);
        result = dump_value(dump, &label, err);
        fr_cli_print(dump->cli, ")");
    }
    return result;
}

// `{x = 1, home.y = 2}`, of a row whose fields are not known its bytes.
static firn_result dump_row(text_dump *dump, const fr_cli_row *row, uint32_t component,
                            uint32_t column, firn_error *err)
{
    size_t size;
    firn_image_field field;
    fr_cli *cli = dump->cli;
    const void *bytes = firn_image_rows_bytes(row->rows, column, &size);
    if (!firn_image_field_at(row->image, component, 0, &field)) {
        const firn_value text = {
            .kind = FIRN_VALUE_STRING, .length = (uint32_t)size, .as.string = bytes};
        return dump_value(dump, &text, err);
    }
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && firn_image_field_at(row->image, component, i, &field);
         i++) {
        fr_cli_print(cli, i > 0 ? ", " : "{");
        fr_cli_text(cli, field.name, field.name_size);
        firn_buffer_clear(&dump->text);
        result = fr_cli_field_print(&field, bytes, &dump->text, err);
        fr_cli_print(cli, " = ");
        fr_cli_json_text(cli, (const char *)dump->text.data, dump->text.size);
    }
    fr_cli_print(cli, "}");
    return result;
}

static firn_result dump_component(text_dump *dump, fr_cli_row *row, uint32_t column,
                                  firn_error *err)
{
    firn_image_column at;
    firn_image_component component;
    fr_cli *cli = dump->cli;
    firn_image_column_at(row->image, row->archetype, column, &at);
    if (!fr_cli_row_has(row, column) || !fr_cli_selection_shows(dump->selection, at.component)) {
        return FIRN_OK;
    }
    firn_image_component_at(row->image, at.component, &component);
    fr_cli_print(cli, "  ");
    dump_name(cli, component.name, strlen(component.name), FR_CLI_CYAN);
    firn_result result = FIRN_OK;
    if (at.raw) {
        fr_cli_print(cli, " ");
        result = dump_row(dump, row, at.component, column, err);
    } else if (at.nils < at.rows) {
        const firn_value *value = firn_image_rows_value(row->rows, column, row->doc, err);
        fr_cli_print(cli, " ");
        result = value != NULL ? dump_value(dump, value, err) : err->code;
    }
    fr_cli_print(cli, "\n");
    return result;
}

static firn_result dump_entity(void *user, fr_cli_row *row, firn_error *err)
{
    text_dump *dump = user;
    fr_cli *cli = dump->cli;
    fr_cli_style_set(cli, FR_CLI_BOLD);
    fr_cli_print(cli, "entity %" PRIu64, row->entity);
    fr_cli_style_set(cli, FR_CLI_PLAIN);
    firn_result result = dump_label(dump, row, err);
    fr_cli_print(cli, "\n");
    for (uint32_t i = 0; result == FIRN_OK && i < row->columns; i++) {
        result = dump_component(dump, row, i, err);
    }
    return result;
}

// ---- the whole

static bool dump_front(text_dump *dump)
{
    firn_error err;
    firn_result result = FIRN_OK;
    const fr_cli_source *source = dump->selection->source;
    if (source->save != NULL) {
        result = dump_save_header(dump, &err);
    }
    if (result == FIRN_OK && source->save != NULL) {
        result = dump_sections(dump, &err);
    }
    if (result == FIRN_OK && source->opened != NULL) {
        result = dump_image_header(dump, &err);
    }
    if (result != FIRN_OK) {
        fr_cli_fail(dump->cli, source->path, &err);
    }
    return result == FIRN_OK;
}

fr_cli_status fr_cli_dump_text(fr_cli *cli, fr_cli_selection *selection)
{
    text_dump dump = {.cli = cli, .selection = selection};
    firn_buffer_init(&dump.text, cli->host->allocator);
    fr_cli_status status = FR_CLI_OK;
    if (selection->all && !dump_front(&dump)) {
        status = FR_CLI_TROUBLE;
    }
    if (status == FR_CLI_OK) {
        status = fr_cli_selection_walk(selection, dump_entity, &dump);
    }
    if (status == FR_CLI_OK && selection->all) {
        status = dump_data(&dump);
    }
    firn_buffer_free(&dump.text);
    return status;
}
