// The archetypes of a table as frames of an image.
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/table_image.h"
#include "store/entity_index.h"

// An archetype of the table.
typedef struct table_archetype {
    fr_table_image *image;
    uint32_t index; // 1-based
    const firn_value *entities;
    uint32_t rows;
    bool by_name; // rows are {id = ..., values = {name = value}}
} table_archetype;

static const char *row_path(const table_archetype *at, uint32_t row, char path[FR_TABLE_PATH_BYTES])
{
    snprintf(path, FR_TABLE_PATH_BYTES, "archetypes[%u].entities[%u]", at->index, row);
    return path;
}

static const firn_value *table_row(const table_archetype *at, uint32_t row)
{
    return firn_table_get_number(at->entities, row);
}

static const firn_value *table_id(const table_archetype *at, uint32_t row)
{
    const firn_value *value = table_row(at, row);
    return at->by_name ? firn_table_get_text(value, "id") : firn_table_get_number(value, 1);
}

// The value of a column in a row, or NULL.
static const firn_value *table_cell(const table_archetype *at, uint32_t row,
                                    const fr_table_column *column)
{
    if (!at->by_name) {
        return firn_table_get_number(table_row(at, row), column->position);
    }
    const fr_table_name *name = &at->image->names[column->name];
    const firn_value key = {
        .kind = FIRN_VALUE_STRING, .length = name->size, .as.string = name->text};
    return firn_table_get(firn_table_get_text(table_row(at, row), "values"), &key);
}

// Whether no row of a frame may lack a column: a tag, or raw rows.
static bool has_no_holes(const table_archetype *at, const fr_table_column *column)
{
    const fr_table_name *name = &at->image->names[column->name];
    return name->tag || name->raw > 0;
}

static bool row_has_column(const table_archetype *at, uint32_t row, const fr_table_column *column)
{
    bool named_tag = column->named && at->image->names[column->name].tag;
    return named_tag || table_cell(at, row, column) != NULL;
}

// ---- columns

static firn_result add_column(table_archetype *at, uint32_t name, bool named, firn_error *err)
{
    fr_table_image *image = at->image;
    if (!FR_RESERVE(&image->world->allocator, image->columns, image->column_capacity,
                    image->column_count + 1)) {
        return fr_fail_memory(err, "columns");
    }
    image->names[name].archetype = at->index;
    image->names[name].column = image->column_count;
    image->columns[image->column_count] =
        (fr_table_column){.name = name, .position = image->column_count + 2, .named = named};
    image->column_count++;
    return FIRN_OK;
}

static firn_result refuse_twice(const table_archetype *at, const char *path, uint32_t name,
                                firn_error *err)
{
    char shown[256];
    const fr_table_name *twice = &at->image->names[name];
    return fr_table_fail(err, FIRN_CORRUPT, path, "an archetype has %s twice",
                         fr_printable(shown, sizeof shown, twice->text, twice->size));
}

static firn_result read_indices(table_archetype *at, const firn_value *list, firn_error *err)
{
    char path[FR_TABLE_PATH_BYTES];
    uint32_t count;
    snprintf(path, sizeof path, "archetypes[%u].columnIndices", at->index);
    firn_result result = fr_table_list(list, path, &count, err);
    for (uint32_t i = 1; result == FIRN_OK && i <= count; i++) {
        uint64_t index = 0;
        snprintf(path, sizeof path, "archetypes[%u].columnIndices[%u]", at->index, i);
        if (!fr_table_number(firn_table_get_number(list, i), &index) || index == 0 ||
            index > at->image->name_count || at->image->names[index - 1].place == 0) {
            return fr_table_fail(err, FIRN_CORRUPT, path, "no index of componentTable");
        }
        if (at->image->names[index - 1].archetype == at->index) {
            return refuse_twice(at, path, (uint32_t)index - 1, err);
        }
        result = add_column(at, (uint32_t)index - 1, false, err);
    }
    return result;
}

static firn_result read_component_names(table_archetype *at, const firn_value *list,
                                        firn_error *err)
{
    char path[FR_TABLE_PATH_BYTES];
    uint32_t count;
    snprintf(path, sizeof path, "archetypes[%u].components", at->index);
    firn_result result = fr_table_list(list, path, &count, err);
    for (uint32_t i = 1; result == FIRN_OK && i <= count; i++) {
        uint32_t name = 0;
        snprintf(path, sizeof path, "archetypes[%u].components[%u]", at->index, i);
        result = fr_table_name_index(at->image, firn_table_get_number(list, i), path, &name, err);
        if (result == FIRN_OK && at->image->names[name].archetype == at->index) {
            return refuse_twice(at, path, name, err);
        }
        if (result == FIRN_OK) {
            result = add_column(at, name, true, err);
        }
    }
    return result;
}

// Values under names that `components` lacks are columns, too.
static firn_result read_value_names(table_archetype *at, uint32_t row, firn_error *err)
{
    char path[FR_TABLE_PATH_BYTES];
    const firn_value *values = firn_table_get_text(table_row(at, row), "values");
    row_path(at, row, path);
    if (values != NULL && values->kind != FIRN_VALUE_TABLE) {
        return fr_table_fail(err, FIRN_CORRUPT, path, "values is no table");
    }
    uint32_t cursor = 0;
    firn_value key;
    while (firn_table_next(values, &cursor, &key) != NULL) {
        uint32_t name;
        firn_result result = fr_table_name_index(at->image, &key, path, &name, err);
        if (result == FIRN_OK && at->image->names[name].archetype != at->index) {
            result = add_column(at, name, false, err);
        }
        if (result != FIRN_OK) {
            return result;
        }
    }
    return FIRN_OK;
}

// ---- rows

// A positional row holds its id, values of columns, and nothing else.
static firn_result check_positions(const table_archetype *at, uint32_t row, firn_error *err)
{
    const firn_value *value = table_row(at, row);
    uint64_t there = 1;
    for (uint32_t i = 0; i < at->image->column_count; i++) {
        there += firn_table_get_number(value, i + 2.0) != NULL;
    }
    uint64_t items = (uint64_t)firn_table_array_count(value) + firn_table_map_count(value);
    if (items == there) {
        return FIRN_OK;
    }
    char path[FR_TABLE_PATH_BYTES];
    return fr_table_fail(err, FIRN_CORRUPT, row_path(at, row, path),
                         "the row has values beside those of its %u columns",
                         at->image->column_count);
}

static firn_result check_row(table_archetype *at, uint32_t row, firn_error *err)
{
    char path[FR_TABLE_PATH_BYTES];
    const firn_value *value = table_row(at, row), *id = table_id(at, row);
    uint64_t number;
    if (value->kind != FIRN_VALUE_TABLE) {
        return fr_table_fail(err, FIRN_CORRUPT, row_path(at, row, path), "the row is no table");
    }
    if (id == NULL || !fr_table_number(id, &number)) {
        return fr_table_fail(err, FIRN_CORRUPT, row_path(at, row, path), "%s",
                             id == NULL ? "the row has no id" : "the id is no whole number");
    }
    uint32_t slot = fr_slot(number);
    if (slot > at->image->last_slot) {
        at->image->last_slot = slot;
    }
    return at->by_name ? read_value_names(at, row, err) : check_positions(at, row, err);
}

// ---- frames

static firn_result mark_part(const table_archetype *at, fr_mark_kind kind, uint32_t first,
                             uint32_t rows, const fr_table_column *column, firn_error *err)
{
    fr_table_mark mark = {.kind = kind, .index = at->index, .first = first, .rows = rows};
    if (column != NULL) {
        mark.name = column->name;
        mark.position = at->by_name ? 0 : column->position;
    }
    return fr_table_mark_here(at->image, mark, err);
}

static firn_result refuse_cell_value(const table_archetype *at, uint32_t row,
                                     const fr_table_column *column, const firn_error *why,
                                     firn_error *err)
{
    char path[FR_TABLE_PATH_BYTES], name[256];
    const fr_table_name *component = &at->image->names[column->name];
    fr_printable(name, sizeof name, component->text, component->size);
    uint64_t id = 0;
    fr_table_number(table_id(at, row), &id);
    if (at->by_name) {
        snprintf(path, sizeof path, "archetypes[%u].entities[%u].values.%s%s", at->index, row, name,
                 why->subject);
    } else {
        snprintf(path, sizeof path, "archetypes[%u].entities[%u][%u]%s", at->index, row,
                 column->position, why->subject);
    }
    fr_table_fail(err, why->code, path, "%s of entity %llu: %s", name, (unsigned long long)id,
                  why->message);
    if (err != NULL) {
        err->entity = id;
    }
    return why->code;
}

// The table of an old save, or true, as a cell of positional rows must hold something.
static firn_result check_tag_cell(const table_archetype *at, uint32_t row,
                                  const fr_table_column *column, firn_error *err)
{
    const firn_value *value = table_cell(at, row, column);
    if (value == NULL || value->kind == FIRN_VALUE_NIL || value->kind == FIRN_VALUE_TABLE ||
        (value->kind == FIRN_VALUE_BOOL && value->as.boolean)) {
        return FIRN_OK;
    }
    firn_error why;
    fr_fail(&why, FIRN_INVALID, "", "the saved value of a tag is neither true nor a table");
    return refuse_cell_value(at, row, column, &why, err);
}

static firn_result write_raw_cells(const table_archetype *at, uint32_t first, uint32_t last,
                                   const fr_table_column *column, firn_error *err)
{
    fr_table_image *image = at->image;
    uint32_t size = image->names[column->name].raw;
    for (uint32_t row = first; row < last; row++) {
        const firn_value *value = table_cell(at, row, column);
        if (value->kind != FIRN_VALUE_STRING || value->length != size) {
            firn_error why;
            fr_fail(&why, FIRN_CORRUPT, "", "the row is no string of %u bytes", size);
            return refuse_cell_value(at, row, column, &why, err);
        }
        fr_out_bytes(&image->out, value->as.string, size);
    }
    return fr_out_end(&image->out, err);
}

static firn_result write_cells(const table_archetype *at, uint32_t first, uint32_t last,
                               const fr_table_column *column, firn_error *err)
{
    fr_table_image *image = at->image;
    bool tag = image->names[column->name].tag;
    firn_result result = mark_part(at, FR_MARK_COLUMN, first, last - first, column, err);
    if (result == FIRN_OK && image->names[column->name].raw > 0) {
        return write_raw_cells(at, first, last, column, err);
    }
    for (uint32_t row = first; result == FIRN_OK && row < last; row++) {
        firn_error why;
        const firn_value *value = tag ? NULL : table_cell(at, row, column);
        if (value == NULL) {
            fr_out_u8(&image->out, tag ? FR_TAG_TRUE : FR_TAG_NIL);
            result = tag ? check_tag_cell(at, row, column, err) : FIRN_OK;
            result = result == FIRN_OK ? fr_out_end(&image->out, err) : result;
            continue;
        }
        result = image->names[column->name].edges
                     ? fr_table_encode_edges(image, value, &why)
                     : firn_value_encode(value, &image->limits, &image->bytes, &why);
        if (result == FIRN_NO_MEMORY) {
            fr_fail_copy(err, &why);
        } else if (result != FIRN_OK) {
            refuse_cell_value(at, row, column, &why, err);
        }
    }
    return result;
}

static firn_result write_frame_head(const table_archetype *at, uint32_t first, uint32_t last,
                                    firn_error *err)
{
    fr_table_image *image = at->image;
    uint32_t columns = 0;
    firn_result result = mark_part(at, FR_MARK_ARCHETYPE, first, last - first, NULL, err);
    for (uint32_t i = 0; i < image->column_count; i++) {
        columns += !image->columns[i].absent;
    }
    fr_out_encoded_number(&image->out, columns);
    fr_out_encoded_number(&image->out, last - first);
    for (uint32_t i = 0; i < image->column_count; i++) {
        if (!image->columns[i].absent) {
            fr_out_encoded_number(&image->out, image->columns[i].name + 1.0);
        }
    }
    fr_out_encoded_number(&image->out, FR_MODE_COLUMNS);
    if (result == FIRN_OK) {
        result = mark_part(at, FR_MARK_IDS, first, last - first, NULL, err);
    }
    for (uint32_t row = first; row < last; row++) {
        uint64_t id = 0;
        fr_table_number(table_id(at, row), &id);
        fr_out_u64(&image->out, fr_bits_f64((double)id));
    }
    return result == FIRN_OK ? fr_out_end(&image->out, err) : result;
}

static firn_result write_rows(const table_archetype *at, uint32_t first, uint32_t last,
                              firn_error *err)
{
    fr_table_image *image = at->image;
    firn_result result = write_frame_head(at, first, last, err);
    for (uint32_t i = 0; result == FIRN_OK && i < image->column_count; i++) {
        if (!image->columns[i].absent) {
            result = write_cells(at, first, last, &image->columns[i], err);
        }
    }
    image->frame_count++;
    image->entity_count += last - first;
    return result;
}

// The first row behind `first` that has other columns of those without holes: the rows up to there
// are a frame.
static uint32_t end_of_run(const table_archetype *at, uint32_t first)
{
    fr_table_image *image = at->image;
    bool splits = false;
    for (uint32_t i = 0; i < image->column_count; i++) {
        fr_table_column *column = &image->columns[i];
        bool whole = has_no_holes(at, column);
        column->absent = whole && !row_has_column(at, first, column);
        splits |= whole;
    }
    for (uint32_t row = first + 1; splits && row <= at->rows; row++) {
        for (uint32_t i = 0; i < image->column_count; i++) {
            const fr_table_column *column = &image->columns[i];
            if (has_no_holes(at, column) && column->absent == row_has_column(at, row, column)) {
                return row;
            }
        }
    }
    return at->rows + 1;
}

// ---- archetypes

static firn_result read_archetype(table_archetype *at, const firn_value *archetype, firn_error *err)
{
    char path[FR_TABLE_PATH_BYTES];
    snprintf(path, sizeof path, "archetypes[%u]", at->index);
    const firn_value *indices = firn_table_get_text(archetype, "columnIndices");
    const firn_value *components = firn_table_get_text(archetype, "components");
    at->entities = firn_table_get_text(archetype, "entities");
    at->by_name = indices == NULL;
    at->image->column_count = 0;
    if (at->entities == NULL || (indices == NULL && components == NULL)) {
        return fr_table_fail(err, FIRN_CORRUPT, path, "%s is missing",
                             at->entities == NULL ? "entities" : "columnIndices");
    }
    firn_result result =
        at->by_name ? read_component_names(at, components, err) : read_indices(at, indices, err);
    snprintf(path, sizeof path, "archetypes[%u].entities", at->index);
    if (result == FIRN_OK) {
        result = fr_table_list(at->entities, path, &at->rows, err);
    }
    for (uint32_t row = 1; result == FIRN_OK && row <= at->rows; row++) {
        result = check_row(at, row, err);
    }
    return result;
}

firn_result fr_table_write_archetypes(fr_table_image *image, firn_error *err)
{
    const firn_value *list = firn_table_get_text(image->root, "archetypes");
    uint32_t count;
    if (list == NULL) {
        return fr_table_fail(err, FIRN_CORRUPT, "archetypes", "missing");
    }
    firn_result result = fr_table_list(list, "archetypes", &count, err);
    for (uint32_t i = 1; result == FIRN_OK && i <= count; i++) {
        table_archetype at = {.image = image, .index = i};
        result = read_archetype(&at, firn_table_get_number(list, i), err);
        for (uint32_t first = 1; result == FIRN_OK && first <= at.rows;) {
            uint32_t last = end_of_run(&at, first);
            result = write_rows(&at, first, last, err);
            first = last;
        }
    }
    return result;
}
