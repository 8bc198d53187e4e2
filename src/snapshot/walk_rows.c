// Frames that lie row by row: checked where they lie, then turned into columns aside.
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/image.h"
#include "snapshot/target.h"
#include "store/plain.h"
#include "value/check.h"

// ---- id and mask of a row

// As nearly all are written: the tag, then the number itself.
static inline firn_result read_number(fr_in *in, const char *what, double *number, firn_error *err)
{
    if (fr_in_left(in) >= 9 && *in->at == FR_TAG_NUMBER) {
        *number = fr_load_f64(in->at + 1);
        in->at += 9;
        return FIRN_OK;
    }
    return fr_in_encoded_number(in, what, number, err);
}

static firn_result refuse_mask(uint64_t offset, const char *why, uint32_t columns, firn_error *err)
{
    return fr_fail_at(err, FIRN_CORRUPT, offset, "row mask", "%s, and the frame has %u columns",
                      why, columns);
}

// The mask of the oldest saves: a boolean for each column.
static firn_result read_boolean_mask(const fr_image *image, fr_in *in, uint32_t columns,
                                     uint64_t *mask, firn_error *err)
{
    uint64_t offset = fr_in_offset(in);
    firn_reader reader;
    firn_reader_begin(&reader, in->at, fr_in_left(in), &image->limits);
    reader.base = offset;
    firn_table_head head = firn_read_table(&reader);
    if (firn_reader_failed(&reader)) {
        return fr_fail_at(err, reader.error.code, reader.error.offset, "row mask", "the mask: %s",
                          reader.error.message);
    }
    if (head.array_count != columns || head.map_count != 0 ||
        (columns > 0 && head.array_first != 1)) {
        return refuse_mask(offset, "the mask has not one boolean for each column", columns, err);
    }
    *mask = 0;
    for (uint32_t i = 0; i < columns; i++) {
        if (firn_read_kind(&reader) != FIRN_VALUE_BOOL) {
            return refuse_mask(offset, "the mask holds something else than booleans", columns, err);
        }
        *mask |= (uint64_t)firn_read_bool(&reader) << i;
    }
    in->at = reader.at;
    return FIRN_OK;
}

static firn_result read_mask(const fr_image *image, fr_in *in, uint32_t columns, uint64_t *mask,
                             firn_error *err)
{
    uint64_t offset = fr_in_offset(in);
    if (fr_in_left(in) > 0 && *in->at >= FR_TAG_TABLE && *in->at <= FR_TAG_TABLE_LAST) {
        return read_boolean_mask(image, in, columns, mask, err);
    }
    double number;
    firn_result result = read_number(in, "row mask", &number, err);
    if (result != FIRN_OK) {
        return result;
    }
    // Signed, which is the shorter conversion on most machines.
    int64_t end = INT64_C(1) << columns;
    if (!(number >= 0 && number < (double)end) || number != (double)(int64_t)number) {
        char why[64];
        snprintf(why, sizeof why, "mask %.17g has bits that are no column's", number);
        return refuse_mask(offset, why, columns, err);
    }
    *mask = (uint64_t)(int64_t)number;
    return FIRN_OK;
}

// ---- check

// What the rows of a frame share while they are walked.
typedef struct row_walk {
    fr_image *image;
    fr_span *spans;
    uint32_t columns;
    uint32_t row;
    uint8_t string_end;
    bool targets; // `{target = number}` is within the limits
} row_walk;

static firn_result check_raw_cell(const row_walk *walk, const fr_entry *entry, fr_in *in,
                                  firn_error *err)
{
    uint64_t offset = fr_in_offset(in);
    const uint8_t *wire;
    if (!fr_in_bytes(in, entry->schema.size, &wire)) {
        char name[256];
        fr_printable(name, sizeof name, entry->name, entry->name_size);
        return fr_fail_at(err, FIRN_TRUNCATED, offset, name,
                          "row %u of %s has %u bytes, only %zu are left", walk->row, name,
                          entry->schema.size, fr_in_left(in));
    }
    size_t unused;
    uint32_t field;
    if (!entry->schema.has_bools ||
        fr_schema_check_rows(&entry->schema, wire, 1, &unused, &field)) {
        return FIRN_OK;
    }
    return fr_image_refuse_bool(entry, field, walk->row, offset, err);
}

static firn_result check_encoded_cell(const row_walk *walk, const fr_entry *entry, fr_in *in,
                                      uint32_t *nils, firn_error *err)
{
    if (walk->targets && fr_is_target(in->at, in->end)) {
        in->at += FR_TARGET_BYTES;
        return FIRN_OK;
    }
    const uint8_t *at = in->at;
    size_t length = fr_simple_length(at, in->end, walk->string_end);
    firn_error why;
    if (length > 0) {
        in->at += length;
    } else if (!fr_value_check_next(in, &walk->image->limits, &why)) {
        char name[256];
        fr_printable(name, sizeof name, entry->name, entry->name_size);
        return fr_fail_at(err, why.code, why.offset, name, "column %s, row %u: %s", name, walk->row,
                          why.message);
    }
    *nils += fr_value_tag(at, in->end) == FR_TAG_NIL;
    return FIRN_OK;
}

static firn_result check_cells(const row_walk *walk, fr_in *in, uint64_t mask, firn_error *err)
{
    for (uint32_t i = 0; i < walk->columns; i++) {
        fr_span *span = &walk->spans[i];
        if ((mask >> i & 1) == 0) {
            span->absent++;
            continue;
        }
        const fr_entry *entry = &walk->image->entries[span->entry];
        const uint8_t *at = in->at;
        firn_result result = entry->raw ? check_raw_cell(walk, entry, in, err)
                                        : check_encoded_cell(walk, entry, in, &span->nils, err);
        if (result != FIRN_OK) {
            return result;
        }
        span->size += (size_t)(in->at - at);
    }
    return FIRN_OK;
}

firn_result fr_image_walk_rows(fr_image *image, fr_in *in, const fr_frame *frame, firn_error *err)
{
    row_walk walk = {.image = image,
                     .spans = image->spans == NULL ? NULL : image->spans + frame->first_column,
                     .columns = frame->column_count,
                     .string_end = fr_short_string_end(&image->limits),
                     .targets = fr_target_allowed(&image->limits)};
    assert(walk.spans != NULL || walk.columns == 0);
    for (uint32_t i = 0; i < walk.columns; i++) {
        walk.spans[i].offset = frame->rows_at;
    }
    firn_result result = FIRN_OK;
    for (; result == FIRN_OK && walk.row < frame->rows; walk.row++) {
        uint64_t offset = fr_in_offset(in), mask = 0;
        double id;
        result = read_number(in, "ids", &id, err);
        if (result == FIRN_OK) {
            result = fr_image_check_id(image, id, offset, err);
        }
        if (result == FIRN_OK) {
            result = read_mask(image, in, walk.columns, &mask, err);
        }
        if (result == FIRN_OK) {
            result = check_cells(&walk, in, mask, err);
        }
    }
    return result;
}

// ---- columns

// A walk over the rows of a frame that was checked.
typedef struct cell_walk {
    const fr_image *image;
    const fr_frame *frame;
    fr_in in;
    uint8_t string_end;
    double id;
    uint64_t mask;
} cell_walk;

static void begin_cells(cell_walk *walk, const fr_image *image, const fr_frame *frame)
{
    *walk = (cell_walk){
        .image = image, .frame = frame, .string_end = fr_short_string_end(&image->limits)};
    fr_in_begin(&walk->in, image->bytes, image->size);
    walk->in.at += frame->rows_at;
}

// False when the bytes are not those that were checked.
static bool next_row(cell_walk *walk)
{
    return read_number(&walk->in, "ids", &walk->id, NULL) == FIRN_OK &&
           read_mask(walk->image, &walk->in, walk->frame->column_count, &walk->mask, NULL) ==
               FIRN_OK;
}

// Steps over a value; returns its size, or 0 when the bytes are not those that were checked.
static inline size_t next_cell(cell_walk *walk, const fr_entry *entry)
{
    fr_in *in = &walk->in;
    const uint8_t *at = in->at;
    size_t size = entry->schema.size;
    if (!entry->raw) {
        size = fr_is_target(at, in->end) ? FR_TARGET_BYTES
                                         : fr_simple_length(at, in->end, walk->string_end);
        if (size == 0) {
            return fr_value_check_next(in, &walk->image->limits, NULL) ? (size_t)(in->at - at) : 0;
        }
    }
    if (size > fr_in_left(in)) {
        return 0;
    }
    in->at += size;
    return size;
}

// A column on its way out of the rows.
typedef struct made_column {
    const fr_entry *entry;
    fr_presence *presence; // NULL: no row lacks it
    uint8_t *at;           // of its next value
    const uint8_t *end;
} made_column;

// Where the columns of a frame lie in one block: presences, ids, columns.
static bool lay_out(const fr_image *image, fr_frame *frame, size_t *presence_size)
{
    size_t words = (size_t)frame->rows / 64 + 1, size = (size_t)frame->rows * FR_ID_BYTES;
    *presence_size = 0;
    for (uint32_t i = 0; i < frame->column_count; i++) {
        fr_span *span = &image->spans[frame->first_column + i];
        span->nils += span->absent;
        if (!image->entries[span->entry].raw) {
            span->size += span->absent; // a nil for each
        }
        *presence_size += span->absent > 0 ? words * sizeof(fr_presence) : 0;
        if (!fr_add_size(size, span->size, &size)) {
            return false;
        }
    }
    return fr_add_size(size, *presence_size + 1, &frame->aside_size); // never 0
}

// Returns how many there are.
static uint32_t place_columns(const fr_image *image, fr_frame *frame, size_t presence_size,
                              made_column *columns)
{
    uint32_t count = frame->column_count;
    size_t words = (size_t)frame->rows / 64 + 1;
    uint8_t *presence = frame->aside, *ids = frame->aside + presence_size;
    uint8_t *at = ids + (size_t)frame->rows * FR_ID_BYTES;
    memset(presence, 0, presence_size);
    frame->ids = ids;
    for (uint32_t i = 0; i < count; i++) {
        fr_span *span = &image->spans[frame->first_column + i];
        columns[i] =
            (made_column){.entry = &image->entries[span->entry], .at = at, .end = at + span->size};
        span->bytes = at;
        at += span->size;
        if (span->absent > 0) {
            span->presence = columns[i].presence = (fr_presence *)(void *)presence;
            presence += words * sizeof(fr_presence);
        }
    }
    return count;
}

static bool skip_cell(made_column *column)
{
    bool nil = !column->entry->raw;
    if (column->presence == NULL || (nil && column->at == column->end)) {
        return false;
    }
    if (nil) {
        *column->at++ = FR_TAG_NIL;
    }
    return true;
}

static bool copy_cell(cell_walk *walk, uint32_t row, made_column *column)
{
    const uint8_t *from = walk->in.at;
    size_t size = next_cell(walk, column->entry);
    if (size == 0 || size > (size_t)(column->end - column->at)) {
        return false;
    }
    if (size <= FR_PLAIN_BYTES) {
        fr_plain_copy(column->at, from, (uint32_t)size);
    } else {
        memcpy(column->at, from, size);
    }
    column->at += size;
    if (column->presence != NULL) {
        column->presence[row / 64].bits |= UINT64_C(1) << (row % 64);
    }
    return true;
}

static bool copy_cells(cell_walk *walk, uint32_t row, made_column *columns, uint32_t count)
{
    uint64_t mask = walk->mask;
    for (uint32_t i = 0; i < count; i++, mask >>= 1) {
        bool done = (mask & 1) != 0 ? copy_cell(walk, row, &columns[i]) : skip_cell(&columns[i]);
        if (!done) {
            return false;
        }
    }
    return true;
}

// How many rows come before each word.
static void count_before(fr_presence *presence, uint32_t rows)
{
    uint32_t before = 0;
    for (uint32_t word = 0; word <= rows / 64; word++) {
        presence[word].before = before;
        for (uint64_t bits = presence[word].bits; bits != 0; bits &= bits - 1) {
            before++;
        }
    }
}

firn_result fr_image_make_columns(fr_image *image, fr_frame *frame, firn_error *err)
{
    size_t presence_size;
    made_column columns[FR_MASK_COLUMNS];
    if (!lay_out(image, frame, &presence_size)) {
        return fr_fail_memory(err, "rows");
    }
    frame->aside = fr_alloc(&image->allocator, frame->aside_size, 1, sizeof(uint64_t));
    if (frame->aside == NULL) {
        return fr_fail_memory(err, "rows");
    }
    uint32_t count = place_columns(image, frame, presence_size, columns);
    cell_walk walk;
    begin_cells(&walk, image, frame);
    uint8_t *ids = frame->aside + presence_size;
    for (uint32_t row = 0; row < frame->rows; row++) {
        if (!next_row(&walk) || !copy_cells(&walk, row, columns, count)) {
            return fr_fail_at(err, FIRN_CORRUPT, frame->rows_at, "image",
                              "the image changes while it is read");
        }
        fr_store_f64(ids + (size_t)row * FR_ID_BYTES, walk.id);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (columns[i].presence != NULL) {
            count_before(columns[i].presence, frame->rows);
        }
    }
    return FIRN_OK;
}

uint64_t fr_image_place(const fr_image *image, const fr_span *span, size_t at)
{
    const fr_frame *frame = image->frames;
    while (span < image->spans + frame->first_column ||
           span >= image->spans + frame->first_column + frame->column_count) {
        frame++;
    }
    if (!frame->by_row) {
        return span->offset + at;
    }
    cell_walk walk;
    begin_cells(&walk, image, frame);
    size_t before = 0; // bytes of the column in the rows before
    for (uint32_t row = 0; row < frame->rows && next_row(&walk); row++) {
        for (uint32_t i = 0; i < frame->column_count; i++) {
            const fr_span *other = &image->spans[frame->first_column + i];
            const fr_entry *entry = &image->entries[other->entry];
            bool there = (walk.mask >> i & 1) != 0;
            uint64_t offset = fr_in_offset(&walk.in);
            size_t size = there ? next_cell(&walk, entry) : (entry->raw ? 0 : 1);
            if (other == span && at - before < size) {
                return offset + (there ? at - before : 0);
            }
            before += other == span ? size : 0;
        }
    }
    return frame->rows_at;
}
