// A component as a table of comma-separated values (RFC 4180). The first walk finds the columns,
// the second one prints.
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/dump.h"
#include "cli/field.h"

#define CSV_COLUMNS_MOST 10000

// A column of the table: its title, and what the row at hand has in it.
typedef struct csv_column {
    size_t title, title_size; ///< in the titles
    size_t cell, cell_size;   ///< in the cells
    bool is_text;             ///< bytes of the file, not what firn_value_print made
} csv_column;

typedef struct csv_dump {
    fr_cli *cli;
    fr_cli_name name;
    firn_buffer columns; ///< of csv_column
    firn_buffer titles, cells, title;
    size_t next; ///< the column that is likely to come
} csv_dump;

// ---- columns

static csv_column *csv_columns(const csv_dump *dump)
{
    return (csv_column *)(void *)dump->columns.data;
}

static size_t csv_column_count(const csv_dump *dump)
{
    return dump->columns.size / sizeof(csv_column);
}

static bool column_is(const csv_dump *dump, size_t index, const char *title, size_t size)
{
    const csv_column *column = &csv_columns(dump)[index];
    return column->title_size == size &&
           (size == 0 || memcmp(dump->titles.data + column->title, title, size) == 0);
}

// Rows have the same columns, in the same order.
static csv_column *find_csv_column(csv_dump *dump, const char *title, size_t size)
{
    size_t count = csv_column_count(dump);
    for (size_t i = 0; i < count; i++) {
        size_t index = (dump->next + i) % count;
        if (column_is(dump, index, title, size)) {
            dump->next = index + 1;
            return &csv_columns(dump)[index];
        }
    }
    return NULL;
}

static firn_result add_csv_column(csv_dump *dump, const char *title, size_t size, firn_error *err)
{
    if (find_csv_column(dump, title, size) != NULL) {
        return FIRN_OK;
    }
    if (csv_column_count(dump) == CSV_COLUMNS_MOST) {
        *err = (firn_error){.code = FIRN_LIMIT, .offset = FIRN_NO_OFFSET};
        (void)snprintf(err->message, sizeof err->message, "a table of more than %d columns",
                       CSV_COLUMNS_MOST);
        return FIRN_LIMIT;
    }
    const csv_column column = {.title = dump->titles.size, .title_size = size};
    firn_result result = firn_buffer_append(&dump->titles, title, size, err);
    return result == FIRN_OK ? firn_buffer_append(&dump->columns, &column, sizeof column, err)
                             : result;
}

static firn_result add_text_column(csv_dump *dump, const char *title, firn_error *err)
{
    return add_csv_column(dump, title, strlen(title), err);
}

// ---- keys of values

// A text as it is; another key as in `[1]`. It is valid until the next one.
static firn_result title_of(csv_dump *dump, const firn_value *key, const char **title, size_t *size,
                            firn_error *err)
{
    if (key->kind == FIRN_VALUE_STRING) {
        *title = key->as.string;
        *size = key->length;
        return FIRN_OK;
    }
    firn_buffer_clear(&dump->title);
    firn_result result = firn_buffer_append(&dump->title, "[", 1, err);
    if (result == FIRN_OK) {
        result = firn_value_print(key, NULL, &dump->title, err);
    }
    if (result == FIRN_OK) {
        result = firn_buffer_append(&dump->title, "]", 1, err);
    }
    *title = (const char *)dump->title.data;
    *size = dump->title.size;
    return result;
}

static firn_result add_key_columns(csv_dump *dump, const firn_value *table, firn_error *err)
{
    firn_value key;
    uint32_t cursor = 0;
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && firn_table_next(table, &cursor, &key) != NULL) {
        const char *title;
        size_t size;
        result = title_of(dump, &key, &title, &size, err);
        if (result == FIRN_OK) {
            result = add_csv_column(dump, title, size, err);
        }
    }
    return result;
}

// ---- the first walk

// Those that are the same for all rows.
static firn_result add_component_columns(csv_dump *dump, uint32_t index, bool *encoded,
                                         firn_error *err)
{
    firn_image_component component;
    firn_image_field field;
    firn_image_component_at(dump->name.image, index, &component);
    firn_result result = component.target != 0 ? add_text_column(dump, "target", err) : FIRN_OK;
    *encoded = *encoded || !component.raw;
    if (result == FIRN_OK && component.raw && component.field_count == 0) {
        result = add_text_column(dump, "bytes", err);
    }
    for (uint32_t i = 0;
         result == FIRN_OK && firn_image_field_at(dump->name.image, index, i, &field); i++) {
        result = add_csv_column(dump, field.name, field.name_size, err);
    }
    return result;
}

static firn_result add_value_columns(csv_dump *dump, fr_cli_row *row, uint32_t column,
                                     firn_error *err)
{
    const firn_value *value = firn_image_rows_value(row->rows, column, row->doc, err);
    if (value == NULL) {
        return err->code;
    }
    return value->kind == FIRN_VALUE_TABLE ? add_key_columns(dump, value, err)
                                           : add_text_column(dump, "value", err);
}

static firn_result add_row_columns(void *user, fr_cli_row *row, firn_error *err)
{
    csv_dump *dump = user;
    firn_image_column at;
    firn_result result = FIRN_OK;
    uint32_t column = fr_cli_row_column(row, &dump->name, 0);
    for (; result == FIRN_OK && column < row->columns;
         column = fr_cli_row_column(row, &dump->name, column + 1)) {
        firn_image_column_at(row->image, row->archetype, column, &at);
        result = at.raw ? FIRN_OK : add_value_columns(dump, row, column, err);
    }
    return result;
}

static fr_cli_status find_columns(csv_dump *dump, fr_cli_selection *selection)
{
    firn_error err;
    bool encoded = false;
    firn_image_component component;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0;
         result == FIRN_OK && firn_image_component_at(dump->name.image, i, &component); i++) {
        if (fr_cli_name_is(&dump->name, i)) {
            result = add_component_columns(dump, i, &encoded, &err);
        }
    }
    if (result != FIRN_OK) {
        return fr_cli_fail(dump->cli, selection->source->path, &err);
    }
    return encoded ? fr_cli_selection_walk(selection, add_row_columns, dump) : FR_CLI_OK;
}

// ---- cells

// The first walk has found the columns of all rows.
static csv_column *begin_cell(csv_dump *dump, const char *title, size_t size, bool is_text)
{
    csv_column *column = find_csv_column(dump, title, size);
    assert(column != NULL);
    column->cell = dump->cells.size;
    column->is_text = is_text;
    return column;
}

static firn_result fill_cell(csv_dump *dump, const char *title, size_t size,
                             const firn_value *value, firn_error *err)
{
    csv_column *column = begin_cell(dump, title, size, value->kind == FIRN_VALUE_STRING);
    firn_result result = FIRN_OK;
    if (column->is_text) {
        result = firn_buffer_append(&dump->cells, value->as.string, value->length, err);
    } else if (value->kind != FIRN_VALUE_NIL) {
        result = firn_value_print(value, NULL, &dump->cells, err);
    }
    column->cell_size = dump->cells.size - column->cell;
    return result;
}

static firn_result fill_keys(csv_dump *dump, const firn_value *table, firn_error *err)
{
    firn_value key;
    uint32_t cursor = 0;
    const firn_value *item;
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && (item = firn_table_next(table, &cursor, &key)) != NULL) {
        const char *title;
        size_t size;
        result = title_of(dump, &key, &title, &size, err);
        if (result == FIRN_OK) {
            result = fill_cell(dump, title, size, item, err);
        }
    }
    return result;
}

static firn_result fill_fields(csv_dump *dump, uint32_t component, const void *bytes,
                               firn_error *err)
{
    firn_image_field field;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0;
         result == FIRN_OK && firn_image_field_at(dump->name.image, component, i, &field); i++) {
        if (field.type == FIRN_CHAR && field.count > 0) {
            const firn_value text = fr_cli_field_value(&field, bytes, 0);
            result = fill_cell(dump, field.name, field.name_size, &text, err);
            continue;
        }
        csv_column *column = begin_cell(dump, field.name, field.name_size, false);
        result = fr_cli_field_print(&field, bytes, &dump->cells, err);
        column->cell_size = dump->cells.size - column->cell;
    }
    return result;
}

static firn_result fill_cells(csv_dump *dump, fr_cli_row *row, uint32_t column, firn_error *err)
{
    firn_image_column at;
    firn_image_component component;
    size_t size;
    firn_image_column_at(row->image, row->archetype, column, &at);
    firn_image_component_at(row->image, at.component, &component);
    const void *bytes = firn_image_rows_bytes(row->rows, column, &size);
    firn_result result = FIRN_OK;
    if (component.target != 0) {
        const firn_value target = {.kind = FIRN_VALUE_UINT64, .as.uint64 = component.target};
        result = fill_cell(dump, "target", 6, &target, err);
    }
    if (result != FIRN_OK || (at.raw && component.field_count > 0)) {
        return result == FIRN_OK ? fill_fields(dump, at.component, bytes, err) : result;
    }
    if (at.raw) {
        const firn_value text = {
            .kind = FIRN_VALUE_STRING, .length = (uint32_t)size, .as.string = bytes};
        return fill_cell(dump, "bytes", 5, &text, err);
    }
    const firn_value *value = firn_image_rows_value(row->rows, column, row->doc, err);
    if (value == NULL) {
        return err->code;
    }
    return value->kind == FIRN_VALUE_TABLE ? fill_keys(dump, value, err)
                                           : fill_cell(dump, "value", 5, value, err);
}

// ---- lines

// Line ends are escaped as everything that drives a terminal, so that a row is a line.
static void print_csv(fr_cli *cli, const char *text, size_t size, bool is_text)
{
    void (*print)(fr_cli *, const char *, size_t) = is_text ? fr_cli_text : fr_cli_json_text;
    bool quoted = size > 0 && (memchr(text, ',', size) != NULL || memchr(text, '"', size) != NULL ||
                               text[0] == ' ' || text[size - 1] == ' ');
    if (!quoted) {
        print(cli, text, size);
        return;
    }
    fr_cli_print(cli, "\"");
    for (const char *quote; (quote = memchr(text, '"', size)) != NULL;) {
        size_t before = (size_t)(quote - text) + 1;
        print(cli, text, before);
        fr_cli_print(cli, "\"");
        text += before;
        size -= before;
    }
    print(cli, text, size);
    fr_cli_print(cli, "\"");
}

static void print_titles(const csv_dump *dump)
{
    fr_cli_print(dump->cli, "id");
    for (size_t i = 0; i < csv_column_count(dump); i++) {
        const csv_column *column = &csv_columns(dump)[i];
        fr_cli_print(dump->cli, ",");
        print_csv(dump->cli, (const char *)dump->titles.data + column->title, column->title_size,
                  true);
    }
    fr_cli_print(dump->cli, "\n");
}

static void print_cells(csv_dump *dump, firn_entity entity)
{
    fr_cli_print(dump->cli, "%" PRIu64, entity);
    for (size_t i = 0; i < csv_column_count(dump); i++) {
        csv_column *column = &csv_columns(dump)[i];
        fr_cli_print(dump->cli, ",");
        if (column->cell_size > 0) {
            print_csv(dump->cli, (const char *)dump->cells.data + column->cell, column->cell_size,
                      column->is_text);
            column->cell_size = 0;
        }
    }
    fr_cli_print(dump->cli, "\n");
}

// An entity has as many rows as edges of a relation.
static firn_result print_rows(void *user, fr_cli_row *row, firn_error *err)
{
    csv_dump *dump = user;
    uint32_t column = fr_cli_row_column(row, &dump->name, 0);
    for (; column < row->columns; column = fr_cli_row_column(row, &dump->name, column + 1)) {
        firn_buffer_clear(&dump->cells);
        dump->next = 0;
        firn_result result = fill_cells(dump, row, column, err);
        if (result != FIRN_OK) {
            return result;
        }
        print_cells(dump, row->entity);
    }
    return FIRN_OK;
}

fr_cli_status fr_cli_dump_csv(fr_cli *cli, fr_cli_selection *selection, const char *component)
{
    csv_dump dump = {.cli = cli};
    if (!fr_cli_selection_find(selection, component, &dump.name)) {
        return FR_CLI_TROUBLE;
    }
    firn_buffer *const buffers[] = {&dump.columns, &dump.titles, &dump.cells, &dump.title};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        firn_buffer_init(buffers[i], cli->host->allocator);
    }
    fr_cli_status status = find_columns(&dump, selection);
    if (status == FR_CLI_OK) {
        print_titles(&dump);
        status = fr_cli_selection_walk(selection, print_rows, &dump);
    }
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        firn_buffer_free(buffers[i]);
    }
    return status;
}
