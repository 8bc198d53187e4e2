// Frames with a sparse relation, row by row. Columns are prepared as they stand in frames column by
// column, a few rows at a time, and then dealt out to the rows.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "snapshot/format.h"
#include "snapshot/image_rows.h"
#include "snapshot/target.h"
#include "snapshot/write.h"
#include "store/relation.h"
#include "value/check.h"

// Rows of the columns that are prepared together. Codecs get whole runs.
#define ROWS_AT_ONCE 256

// One column on its way to the rows.
typedef struct cell_column {
    const fr_saved_name *name;
    size_t fixed; // bytes of each value; 0: they differ
    firn_buffer bytes;
    fr_in in;             // at the value of the next row
    const uint8_t *edges; // of the run, when a codec writes them and entities are left out; or NULL
} cell_column;

typedef struct row_writer {
    fr_save *save;
    cell_column *columns;
    uint32_t count;
} row_writer;

// Bytes of every value of a column, when they are the same.
static size_t fixed_size(const fr_save *save, const fr_component *component)
{
    if (component->has_codec || save->wire_version == FR_WIRE_VERSION_2) {
        return 0;
    }
    switch (component->kind) {
    case FIRN_BOOLEAN:
    case FIRN_TAG:
        return 1;
    case FIRN_NUMBER:
        return 9;
    case FIRN_RELATION:
        return component->layout.leaf_count > 0 || fr_relation_is_many(component) ? 0
                                                                                  : FR_TARGET_BYTES;
    default:
        return 0;
    }
}

static firn_result begin_rows(row_writer *rows, fr_save *save, const fr_selected_frame *frame,
                              firn_error *err)
{
    *rows = (row_writer){.save = save, .count = frame->column_count};
    rows->columns = fr_alloc_zero(&save->world->allocator, frame->column_count,
                                  sizeof *rows->columns, sizeof(void *));
    if (rows->columns == NULL) {
        return fr_fail_memory(err, "rows");
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        cell_column *column = &rows->columns[i];
        column->name = fr_selected_column(save->selection, frame, i);
        const fr_component *component = column->name->component;
        column->fixed = component->raw    ? component->layout.wire_size
                        : component->kept ? component->kept_raw
                                          : fixed_size(save, component);
        firn_buffer_init(&column->bytes, &save->world->allocator);
    }
    return FIRN_OK;
}

static void end_rows(row_writer *rows)
{
    for (uint32_t i = 0; rows->columns != NULL && i < rows->count; i++) {
        firn_buffer_free(&rows->columns[i].bytes);
    }
    fr_free(&rows->save->world->allocator, rows->columns, rows->count, sizeof *rows->columns,
            sizeof(void *));
}

// The values of rows of a column into its own buffer.
static firn_result prepare_column(row_writer *rows, cell_column *column, const fr_saved_rows *run,
                                  firn_error *err)
{
    fr_save *save = rows->save;
    firn_result result = fr_out_end(&save->out, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_out out = save->out;
    firn_buffer_clear(&column->bytes);
    fr_out_begin(&save->out, &column->bytes, NULL);
    result = fr_write_column(save, run, column->name, err);
    save->out = out;
    fr_in_begin(&column->in, column->bytes.data, column->bytes.size);
    return result;
}

// The columns whose codec is called once a run, or all the others.
static firn_result prepare_columns(row_writer *rows, bool codecs, const fr_saved_rows *run,
                                   firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < rows->count; i++) {
        if (rows->columns[i].name->component->has_codec == codecs) {
            result = prepare_column(rows, &rows->columns[i], run, err);
        }
    }
    return result;
}

static size_t next_size(const cell_column *column, const firn_limits *limits)
{
    const fr_in *in = &column->in;
    size_t size = column->fixed;
    if (size == 0) {
        size = fr_simple_length(in->at, in->end, fr_short_string_end(limits));
    }
    if (size == 0) {
        fr_in value = *in;
        (void)fr_value_check_next(&value, limits, NULL); // was written within the limits
        size = (size_t)(value.at - in->at);
    }
    return size;
}

// Whether a value is an edge to an entity that is left out, and does not say so itself: the load
// could not tell, and only the codec would find a target that the save does not have.
static bool hides_left_out(const row_writer *rows, const cell_column *column, uint32_t row,
                           size_t size)
{
    if (column->edges == NULL) {
        return false;
    }
    const uint8_t *edge = column->edges + (size_t)row * column->name->component->stride;
    if (!fr_is_left_out(rows->save->selection, fr_slot(fr_edge_target(edge)))) {
        return false;
    }
    firn_reader reader;
    firn_reader_begin(&reader, column->in.at, size, &rows->save->world->limits);
    return fr_read_target(&reader) == 0;
}

// Writes a row of the run, the next one; there is room. Returns one past its last byte.
static uint8_t *deal_row(row_writer *rows, firn_entity entity, uint32_t row, uint8_t *at)
{
    uint8_t *mask_at = fr_put_number(at, (double)(int64_t)entity);
    uint64_t mask = 0;
    at += FR_ROW_BYTES;
    for (uint32_t i = 0; i < rows->count; i++) {
        cell_column *column = &rows->columns[i];
        size_t size = next_size(column, &rows->save->world->limits);
        // What a codec leaves out has no place in a row.
        if ((!column->name->component->has_codec || *column->in.at != FR_TAG_NIL) &&
            !hides_left_out(rows, column, row, size)) {
            mask |= UINT64_C(1) << i;
            memcpy(at, column->in.at, size);
            at += size;
        }
        column->in.at += size;
    }
    fr_put_number(mask_at, (double)(int64_t)mask);
    return at;
}

// Rows whose columns are prepared, from the `first`th of the run on.
static firn_result deal_rows(row_writer *rows, const fr_saved_rows *part, uint32_t first,
                             firn_error *err)
{
    size_t most = (size_t)part->count * FR_ROW_BYTES;
    for (uint32_t i = 0; i < rows->count; i++) {
        most += fr_in_left(&rows->columns[i].in);
    }
    uint8_t *space = fr_write_space(rows->save, most), *at = space;
    if (space == NULL) {
        return fr_out_end(&rows->save->out, err);
    }
    for (uint32_t i = 0; i < part->count; i++) {
        at = deal_row(rows, part->entities[i], first + i, at);
    }
    fr_write_filled(rows->save, (size_t)(at - space));
    return FIRN_OK;
}

static void find_edges(row_writer *rows, const fr_saved_rows *run)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        cell_column *column = &rows->columns[i];
        const fr_component *component = column->name->component;
        column->edges = NULL;
        if (component->has_codec && fr_relation_is_sparse(component) &&
            rows->save->selection->kept != NULL) {
            const fr_column *edges =
                fr_archetype_term_column(run->archetype, fr_relation_term(component, 0));
            column->edges = edges->data + (size_t)run->first * component->stride;
        }
    }
}

static firn_result write_run(row_writer *rows, const fr_saved_rows *run, firn_error *err)
{
    find_edges(rows, run);
    firn_result result = prepare_columns(rows, true, run, err);
    for (uint32_t row = 0; result == FIRN_OK && row < run->count; row += ROWS_AT_ONCE) {
        uint32_t left = run->count - row;
        const fr_saved_rows part = {run->archetype, run->first + row,
                                    left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE, run->entities + row};
        result = prepare_columns(rows, false, &part, err);
        if (result == FIRN_OK) {
            result = deal_rows(rows, &part, row, err);
        }
    }
    return result;
}

// Why the frame lies row by row.
static const fr_component *sparse_relation_of(const fr_selection *selection,
                                              const fr_selected_frame *frame)
{
    uint32_t column = 0;
    while (!fr_relation_is_by_row(fr_selected_column(selection, frame, column)->component)) {
        column++;
    }
    return fr_selected_column(selection, frame, column)->component;
}

firn_result fr_write_rows(fr_save *save, const fr_selected_frame *frame, firn_error *err)
{
    const fr_selection *selection = save->selection;
    if (frame->column_count > FR_MASK_COLUMNS) {
        return fr_fail(err, FIRN_LIMIT, sparse_relation_of(selection, frame)->name,
                       "entities with a sparse relation have %u saved components: at most %d can "
                       "be saved",
                       frame->column_count, FR_MASK_COLUMNS);
    }
    row_writer rows;
    firn_result result = begin_rows(&rows, save, frame, err);
    for (uint32_t i = 0; result == FIRN_OK && i < frame->count; i++) {
        result = write_run(&rows, &selection->runs[frame->first + i], err);
    }
    end_rows(&rows);
    return result;
}
