#include "snapshot/image_rows.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "snapshot/format.h"
#include "value/check.h"
#include "value/doc.h"

struct firn_image_rows {
    fr_rows rows;
};

// ---- values

firn_value *fr_row_tree(const fr_image *image, uint32_t entry_index, const uint8_t *bytes,
                        size_t size, firn_buffer *scratch, firn_doc *doc, firn_error *err)
{
    const fr_entry *entry = &image->entries[entry_index];
    if (!entry->raw) {
        return firn_value_decode(doc, bytes, size, err);
    }
    if (entry->schema.field_count == 0) {
        fr_fail_at(err, FIRN_INVALID, entry->offset, entry->name,
                   "the fingerprint of %s is not understood: its rows have no fields", entry->name);
        return NULL;
    }
    firn_writer writer;
    firn_buffer_clear(scratch);
    firn_writer_begin(&writer, scratch, doc != NULL ? &doc->limits : NULL);
    fr_schema_write_row(&entry->schema, bytes, &writer);
    if (firn_writer_end(&writer, err) != FIRN_OK) {
        return NULL;
    }
    return firn_value_decode(doc, scratch->data, scratch->size, err);
}

firn_entity fr_read_target(firn_reader *reader)
{
    double target = 0;
    if (firn_read_kind(reader) != FIRN_VALUE_TABLE) {
        firn_read_skip(reader);
        return 0;
    }
    firn_table_head head = firn_read_table(reader);
    for (uint32_t i = 0; i < head.array_count; i++) {
        firn_read_skip(reader);
    }
    for (uint32_t i = 0; i < head.map_count && !firn_reader_failed(reader); i++) {
        size_t size = 0;
        const char *key = NULL;
        if (firn_read_kind(reader) == FIRN_VALUE_STRING) {
            key = firn_read_string(reader, &size);
        } else {
            firn_read_skip(reader);
        }
        bool is_target = key != NULL && size == 6 && memcmp(key, "target", 6) == 0;
        if (is_target && firn_read_kind(reader) == FIRN_VALUE_NUMBER) {
            target = firn_read_number(reader);
        } else {
            firn_read_skip(reader);
        }
    }
    bool is_id = target >= 1 && target < FR_ID_END && target == (double)(uint64_t)target;
    return is_id ? (firn_entity)target : 0;
}

firn_result firn_image_reader(const firn_image *image, uint32_t archetype, uint32_t column,
                              firn_reader *out, firn_error *err)
{
    const fr_span *span = fr_image_span(image, archetype, column);
    if (span == NULL || out == NULL) {
        const char *what = out == NULL ? "out" : "column";
        return fr_fail(err, FIRN_INVALID, what, "archetype %u, column %u: %s", archetype, column,
                       out == NULL ? "out is NULL" : "there is no such column");
    }
    const fr_image *parts = fr_image_of(image);
    const fr_entry *entry = &parts->entries[span->entry];
    if (entry->raw) {
        return fr_fail(err, FIRN_INVALID, entry->name, "the column of %s is raw: it has no values",
                       entry->name);
    }
    firn_reader_begin(out, span->bytes, span->size, &parts->limits);
    out->base = span->offset;
    return FIRN_OK;
}

firn_value *firn_image_value(const firn_image *image, uint32_t archetype, uint32_t column,
                             uint32_t row, firn_doc *doc, firn_error *err)
{
    const fr_span *span = fr_image_span(image, archetype, column);
    if (span == NULL || row >= span->rows) {
        fr_fail(err, FIRN_INVALID, span == NULL ? "column" : "row",
                "archetype %u, column %u, row %u: there is no such %s", archetype, column, row,
                span == NULL ? "column" : "row");
        return NULL;
    }
    const fr_image *parts = fr_image_of(image);
    const fr_schema *schema = &parts->entries[span->entry].schema;
    if (!fr_span_has(span, row)) {
        return firn_value_nil(doc, err);
    }
    firn_buffer scratch;
    firn_buffer_init(&scratch, &parts->allocator);
    fr_in in;
    fr_in_begin(&in, span->bytes, span->size);
    const uint8_t *at = in.at + fr_span_place(span, row) * schema->size;
    size_t size = schema->size;
    if (!parts->entries[span->entry].raw) {
        if (!fr_value_check_run(&in, row, &parts->limits, err)) {
            return NULL;
        }
        at = in.at;
        if (!fr_value_check_next(&in, &parts->limits, err)) {
            return NULL;
        }
        size = (size_t)(in.at - at);
    }
    firn_value *value = fr_row_tree(parts, span->entry, at, size, &scratch, doc, err);
    firn_buffer_free(&scratch);
    return value;
}

// ---- rows

firn_result fr_rows_begin(fr_rows *rows, const fr_image *image, const fr_frame *frame,
                          firn_error *err)
{
    *rows = (fr_rows){.image = image, .frame = frame};
    firn_buffer_init(&rows->scratch, &image->allocator);
    if (frame->column_count == 0) {
        return FIRN_OK;
    }
    rows->cells =
        fr_alloc(&image->allocator, frame->column_count, sizeof *rows->cells, sizeof(void *));
    if (rows->cells == NULL) {
        return fr_fail_memory(err, "rows");
    }
    for (uint32_t i = 0; i < frame->column_count; i++) {
        const fr_span *span = &image->spans[frame->first_column + i];
        rows->cells[i] =
            (fr_cell){.at = span->bytes, .end = span->bytes + span->size, .span = span};
    }
    return FIRN_OK;
}

void fr_rows_end(fr_rows *rows)
{
    fr_free(&rows->image->allocator, rows->cells, rows->frame->column_count, sizeof *rows->cells,
            sizeof(void *));
    firn_buffer_free(&rows->scratch);
}

size_t fr_value_length(const fr_image *image, const uint8_t *at, const uint8_t *end)
{
    size_t size = fr_simple_length(at, end, fr_short_string_end(&image->limits));
    if (size == 0) {
        fr_in in;
        fr_in_begin(&in, at, (size_t)(end - at));
        fr_value_check_next(&in, &image->limits, NULL);
        size = (size_t)fr_in_offset(&in);
    }
    return size;
}

static void enter_span(fr_value_walk *walk)
{
    walk->stepped = 0;
    walk->size = 0;
    if (walk->span == FR_NO_COLUMN) {
        return;
    }
    const fr_span *span = &walk->image->spans[walk->span];
    walk->at = span->bytes;
    walk->end = span->bytes + span->size;
    while (walk->span >= walk->frame->first_column + walk->frame->column_count) {
        walk->frame++;
    }
}

void fr_values_begin(fr_value_walk *walk, const fr_image *image, const fr_entry *entry)
{
    *walk = (fr_value_walk){.image = image, .frame = image->frames, .span = entry->first_column};
    enter_span(walk);
}

bool fr_values_next(fr_value_walk *walk)
{
    while (walk->span != FR_NO_COLUMN && walk->stepped == walk->image->spans[walk->span].rows) {
        walk->span = walk->image->spans[walk->span].next;
        enter_span(walk);
    }
    if (walk->span == FR_NO_COLUMN) {
        return false;
    }
    walk->stepped++;
    walk->at += walk->size;
    walk->size = fr_value_length(walk->image, walk->at, walk->end);
    return true;
}

firn_entity fr_values_entity(const fr_value_walk *walk)
{
    return fr_frame_id(walk->frame, walk->stepped - 1);
}

// The next row of a column.
static void step_cell(const fr_image *image, uint32_t row, fr_cell *cell)
{
    const fr_entry *entry = &image->entries[cell->span->entry];
    cell->at += cell->size;
    if (entry->raw) {
        cell->size = fr_span_has(cell->span, row) ? entry->schema.size : 0;
        return;
    }
    cell->size = fr_value_length(image, cell->at, cell->end);
}

bool fr_rows_next(fr_rows *rows)
{
    if (rows->stepped >= rows->frame->rows) {
        rows->stepped = rows->frame->rows + 1;
        return false;
    }
    rows->stepped++;
    for (uint32_t i = 0; i < rows->frame->column_count; i++) {
        step_cell(rows->image, rows->stepped - 1, &rows->cells[i]);
    }
    return true;
}

bool fr_rows_inside(const fr_rows *rows)
{
    return rows->stepped > 0 && rows->stepped <= rows->frame->rows;
}

firn_value *fr_rows_value(fr_rows *rows, uint32_t column, firn_doc *doc, firn_error *err)
{
    const fr_cell *cell = &rows->cells[column];
    if (cell->size == 0) {
        return firn_value_nil(doc, err);
    }
    return fr_row_tree(rows->image, cell->span->entry, cell->at, cell->size, &rows->scratch, doc,
                       err);
}

firn_image_rows *firn_image_rows_open(const firn_image *image, uint32_t archetype, firn_error *err)
{
    firn_image_archetype there;
    if (!firn_image_archetype_at(image, archetype, &there)) {
        fr_fail(err, FIRN_INVALID, image == NULL ? "image" : "archetype", "%s",
                image == NULL ? "image is NULL" : "there is no such archetype");
        return NULL;
    }
    const fr_image *parts = fr_image_of(image);
    firn_image_rows *rows = fr_alloc(&parts->allocator, 1, sizeof *rows, sizeof(void *));
    if (rows == NULL) {
        fr_fail_memory(err, "rows");
        return NULL;
    }
    if (fr_rows_begin(&rows->rows, parts, &parts->frames[archetype], err) != FIRN_OK) {
        fr_free(&parts->allocator, rows, 1, sizeof *rows, sizeof(void *));
        return NULL;
    }
    return rows;
}

const fr_rows *fr_image_rows_of(const firn_image_rows *rows)
{
    return &rows->rows;
}

void firn_image_rows_close(firn_image_rows *rows)
{
    if (rows == NULL) {
        return;
    }
    const firn_allocator *allocator = &rows->rows.image->allocator;
    fr_rows_end(&rows->rows);
    fr_free(allocator, rows, 1, sizeof *rows, sizeof(void *));
}

bool firn_image_rows_next(firn_image_rows *rows)
{
    return rows != NULL && fr_rows_next(&rows->rows);
}

firn_entity firn_image_rows_entity(const firn_image_rows *rows)
{
    if (rows == NULL || !fr_rows_inside(&rows->rows)) {
        return 0;
    }
    return fr_frame_id(rows->rows.frame, rows->rows.stepped - 1);
}

// Whether a column of the row at hand is there.
static bool has_cell(const firn_image_rows *rows, uint32_t column)
{
    return rows != NULL && fr_rows_inside(&rows->rows) && column < rows->rows.frame->column_count;
}

const void *firn_image_rows_bytes(const firn_image_rows *rows, uint32_t column, size_t *size)
{
    bool there = has_cell(rows, column);
    if (size != NULL) {
        *size = there ? rows->rows.cells[column].size : 0;
    }
    return there && rows->rows.cells[column].size > 0 ? rows->rows.cells[column].at : NULL;
}

firn_value *firn_image_rows_value(firn_image_rows *rows, uint32_t column, firn_doc *doc,
                                  firn_error *err)
{
    if (!has_cell(rows, column)) {
        fr_fail(err, FIRN_INVALID, "column", "column %u: there is no such column, or no row",
                column);
        return NULL;
    }
    return fr_rows_value(&rows->rows, column, doc, err);
}
