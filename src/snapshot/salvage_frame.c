// One frame of a damaged image: how far it goes.
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/salvage.h"
#include "value/check.h"

// Behind a value that cannot be read the next one is looked for within so many bytes.
#define HOLE_MOST ((size_t)1 << 16)

bool fr_salvage_is_id(const fr_salvage *job, double number)
{
    if (!(number >= 1 && number < FR_ID_END) || number != (double)(uint64_t)number) {
        return false;
    }
    uint64_t id = (uint64_t)number;
    uint32_t slot = (uint32_t)(id & FIRN_SLOT_MAX);
    return slot > 0 && slot < job->slots && id >> (FIRN_SLOT_BITS + 31) == 0;
}

static void spend(fr_salvage *job, size_t bytes)
{
    job->budget = bytes < job->budget ? job->budget - bytes : 0;
}

static void place_reader(const fr_salvage *job, size_t offset, fr_in *in)
{
    fr_in_begin(in, job->image.bytes, job->image.size);
    in->at += offset;
}

static firn_result read_left_head(fr_salvage *job, fr_in *in, fr_left_frame *out, firn_error *why)
{
    const firn_limits *limits = &job->image.limits;
    size_t most = fr_in_left(in) / FR_ID_BYTES;
    fr_frame frame;
    firn_result result = fr_image_walk_head(
        &job->image, in, most < limits->entities ? (uint32_t)most : limits->entities, &frame, why);
    *out = (fr_left_frame){.offset = frame.offset,
                           .body = (size_t)fr_in_offset(in),
                           .rows = frame.rows,
                           .said_rows = frame.rows,
                           .said_columns = frame.column_count,
                           .first_span = frame.first_column,
                           .by_row = frame.by_row,
                           .hole_column = FR_NO_COLUMN};
    if (result == FIRN_NO_MEMORY) {
        fr_salvage_no_memory(job);
    }
    return result;
}

bool fr_salvage_goes_on(fr_salvage *job, size_t offset)
{
    fr_in in;
    fr_left_frame frame;
    place_reader(job, offset, &in);
    size_t left = fr_in_left(&in);
    if (left == 0 || *in.at == FR_TAG_FALSE) {
        return left <= 1;
    }
    if (*in.at == FR_TAG_TRUE) {
        const char *key;
        size_t size;
        in.at++;
        return fr_in_encoded_string(&in, "key", UINT32_MAX, &key, &size, NULL) == FIRN_OK;
    }
    uint32_t spans = job->image.span_count;
    bool is_head = read_left_head(job, &in, &frame, NULL) == FIRN_OK;
    job->image.span_count = spans;
    spend(job, (size_t)fr_in_offset(&in) - offset);
    return is_head;
}

// ---- row by row

bool fr_salvage_step_row(fr_salvage *job, const fr_left_frame *frame, fr_in *in, double *id,
                         firn_error *why)
{
    const uint8_t *at = in->at;
    const fr_frame one = {.rows = 1,
                          .column_count = frame->said_columns,
                          .first_column = frame->first_span,
                          .rows_at = (size_t)fr_in_offset(in)};
    fr_in head = *in;
    if (fr_in_encoded_number(&head, "ids", id, why) == FIRN_OK &&
        fr_image_walk_rows(&job->image, in, &one, why) == FIRN_OK) {
        return true;
    }
    in->at = at;
    return false;
}

// Rows that check, one after the other. *doubtful: one has no id.
static uint32_t walk_left_rows(fr_salvage *job, const fr_left_frame *frame, fr_in *in,
                               uint32_t count, bool *doubtful, firn_error *why)
{
    uint32_t row = 0;
    double id;
    while (row < count && fr_salvage_step_row(job, frame, in, &id, why)) {
        *doubtful |= !fr_salvage_is_id(job, id);
        row++;
    }
    return row;
}

// ---- column by column

static bool ids_are_good(const fr_salvage *job, const uint8_t *ids, uint32_t rows)
{
    for (uint32_t row = 0; row < rows; row++) {
        if (!fr_salvage_is_id(job, fr_load_f64(ids + (size_t)row * FR_ID_BYTES))) {
            return false;
        }
    }
    return true;
}

static uint32_t walk_left_values(const fr_salvage *job, fr_in *in, uint32_t count, firn_error *why)
{
    uint32_t row = 0;
    while (row < count && fr_value_check_next(in, &job->image.limits, why)) {
        row++;
    }
    return row;
}

// A whole column. *row: the one whose value fails.
static bool walk_left_column(fr_salvage *job, fr_left_frame *frame, uint32_t column, fr_in *in,
                             uint32_t *row, firn_error *why)
{
    fr_span *span = &job->image.spans[frame->first_span + column];
    const fr_entry *entry = &job->image.entries[span->entry];
    span->offset = (size_t)fr_in_offset(in);
    span->bytes = in->at;
    *row = frame->rows;
    if (!entry->raw) {
        *row = walk_left_values(job, in, frame->rows, why);
    } else {
        uint64_t size = (uint64_t)frame->rows * entry->schema.size;
        size_t bad;
        uint32_t field;
        if (size > fr_in_left(in)) {
            (void)fr_fail_at(why, FIRN_TRUNCATED, span->offset, "column",
                             "a column of %llu bytes, of which %zu are left",
                             (unsigned long long)size, fr_in_left(in));
            return false;
        }
        in->at += size;
        frame->doubtful |=
            !fr_schema_check_rows(&entry->schema, span->bytes, frame->rows, &bad, &field);
    }
    span->size = (size_t)fr_in_offset(in) - span->offset;
    return *row == frame->rows;
}

// ---- a value that cannot be read

// Whether the frame goes on at `in`, behind the row of a column, to its end.
static bool frame_ends_well(fr_salvage *job, fr_left_frame *frame, uint32_t column, uint32_t row,
                            fr_in *in)
{
    uint32_t left = frame->rows - row - 1;
    bool doubtful = false;
    if (frame->by_row) {
        return walk_left_rows(job, frame, in, left, &doubtful, NULL) == left && !doubtful;
    }
    bool good = walk_left_values(job, in, left, NULL) == left;
    for (uint32_t i = column + 1; good && i < frame->said_columns; i++) {
        uint32_t at;
        good = walk_left_column(job, frame, i, in, &at, NULL);
    }
    return good;
}

static bool find_hole_end(fr_salvage *job, fr_left_frame *frame, uint32_t column, uint32_t row,
                          size_t hole, fr_in *in)
{
    bool was_doubtful = frame->doubtful;
    size_t most = job->image.size - hole < HOLE_MOST ? job->image.size - hole : HOLE_MOST;
    for (size_t size = 1; size <= most && job->budget > 0; size++) {
        place_reader(job, hole + size, in);
        bool good = frame_ends_well(job, frame, column, row, in) && frame->doubtful == was_doubtful;
        size_t end = (size_t)fr_in_offset(in);
        spend(job, end - hole - size + 1);
        frame->doubtful = was_doubtful;
        if (good && fr_salvage_goes_on(job, end)) {
            frame->hole_column = column;
            frame->hole_row = row;
            frame->hole = hole;
            frame->hole_size = size;
            return true;
        }
    }
    return false;
}

// The column that could not be read to its end lies there up to its hole, and from it on.
static void measure_column(fr_salvage *job, const fr_left_frame *frame, uint32_t column)
{
    const fr_image *image = &job->image;
    fr_span *span = &image->spans[frame->first_span + column];
    bool last = column + 1 == frame->said_columns;
    span->size = (last ? frame->end : span[1].offset) - span->offset;
}

// ---- all of it

static fr_left look_at_rows(fr_salvage *job, fr_left_frame *frame, fr_in *in, bool strict,
                            firn_error *why)
{
    uint32_t good = walk_left_rows(job, frame, in, frame->rows, &frame->doubtful, why);
    frame->columns = frame->said_columns;
    if (good == frame->rows) {
        return FR_LEFT_WHOLE;
    }
    size_t hole = (size_t)fr_in_offset(in);
    if (strict || frame->doubtful) {
        return FR_LEFT_NONE;
    }
    if (find_hole_end(job, frame, 0, good, hole, in)) {
        return FR_LEFT_WHOLE;
    }
    place_reader(job, hole, in);
    frame->rows = good;
    return good > 0 ? FR_LEFT_PART : FR_LEFT_NONE;
}

static fr_left look_at_columns(fr_salvage *job, fr_left_frame *frame, fr_in *in, bool strict,
                               firn_error *why)
{
    const uint8_t *ids;
    if (!fr_in_bytes(in, (size_t)frame->rows * FR_ID_BYTES, &ids)) {
        (void)fr_fail_at(why, FIRN_TRUNCATED, fr_in_offset(in), "ids", "%u ids, and %zu bytes left",
                         frame->rows, fr_in_left(in));
        return FR_LEFT_NONE;
    }
    frame->doubtful = !ids_are_good(job, ids, frame->rows);
    if (strict && frame->doubtful) {
        return FR_LEFT_NONE;
    }
    uint32_t row = 0;
    while (frame->columns < frame->said_columns &&
           walk_left_column(job, frame, frame->columns, in, &row, why)) {
        frame->columns++;
    }
    if (frame->columns == frame->said_columns) {
        return FR_LEFT_WHOLE;
    }
    // Looking on may move the spans.
    const fr_span span = job->image.spans[frame->first_span + frame->columns];
    size_t hole = (size_t)fr_in_offset(in);
    if (strict || frame->doubtful) {
        return FR_LEFT_NONE;
    }
    if (!job->image.entries[span.entry].raw &&
        find_hole_end(job, frame, frame->columns, row, hole, in)) {
        uint32_t column = frame->columns;
        frame->columns = frame->said_columns;
        frame->end = (size_t)fr_in_offset(in);
        measure_column(job, frame, column);
        return FR_LEFT_WHOLE;
    }
    place_reader(job, span.offset, in);
    return frame->columns > 0 ? FR_LEFT_PART : FR_LEFT_NONE;
}

fr_left fr_salvage_frame(fr_salvage *job, size_t offset, bool strict, fr_left_frame *out,
                         size_t *end, firn_error *why)
{
    fr_in in;
    uint32_t spans = job->image.span_count;
    place_reader(job, offset, &in);
    fr_left left = FR_LEFT_NONE;
    if (read_left_head(job, &in, out, why) == FIRN_OK && (!strict || out->rows > 0)) {
        left = out->by_row ? look_at_rows(job, out, &in, strict, why)
                           : look_at_columns(job, out, &in, strict, why);
    }
    out->end = *end = (size_t)fr_in_offset(&in);
    spend(job, *end - offset + 1);
    if (left == FR_LEFT_NONE || (strict && out->doubtful)) {
        job->image.span_count = spans;
        return FR_LEFT_NONE;
    }
    return left;
}
