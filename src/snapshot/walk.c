#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/image.h"
#include "store/entity_index.h"
#include "value/check.h"

// Marks a slot as taken; false when it was, or, and *memory, when there is none.
static bool take_slot(fr_image *image, uint32_t slot, bool *memory)
{
    if (image->few_slots) {
        bool taken = fr_map_get(&image->taken_slots, slot) != FR_MAP_NONE;
        *memory = taken || fr_map_add(&image->allocator, &image->taken_slots, slot, 0);
        return !taken && *memory;
    }
    uint8_t bit = (uint8_t)(1u << (slot & 7));
    if (image->slots[slot >> 3] & bit) {
        return false;
    }
    image->slots[slot >> 3] |= bit;
    return true;
}

firn_result fr_image_check_slot(fr_image *image, uint64_t id, uint64_t offset, const char *what,
                                firn_error *err)
{
    uint32_t slot = fr_slot(id);
    firn_result code = FIRN_CORRUPT;
    bool memory = true;
    if (slot == 0 || slot >= image->prelude.next_slot || id >> (FIRN_SLOT_BITS + 31) != 0) {
        fr_fail_at(err, code, offset, what, "id %llu is out of range: the next slot is %u",
                   (unsigned long long)id, image->prelude.next_slot);
    } else if (take_slot(image, slot, &memory)) {
        return FIRN_OK;
    } else if (!memory) {
        return fr_fail_memory(err, "slots");
    } else {
        fr_fail_at(err, code, offset, what, "id %llu: slot %u is there twice",
                   (unsigned long long)id, slot);
    }
    if (err != NULL) {
        err->entity = id;
    }
    return code;
}

firn_result fr_image_check_id(fr_image *image, double number, uint64_t offset, firn_error *err)
{
    if (image->ids_later) {
        return FIRN_OK;
    }
    if (!(number >= 1 && number < FR_ID_END) || number != (double)(uint64_t)number) {
        return fr_fail_at(err, FIRN_CORRUPT, offset, "ids", "%.17g is no entity id", number);
    }
    return fr_image_check_slot(image, (uint64_t)number, offset, "ids", err);
}

// Takes the slots of ids up to one that may be wrong, which fr_image_check_id looks at.
static uint32_t take_good_ids(fr_image *image, const uint8_t *ids, uint32_t rows)
{
    uint8_t *slots = image->slots;
    uint32_t row = 0;
    for (; row < rows; row++) {
        double number = fr_load_f64(ids + (size_t)row * FR_ID_BYTES);
        if (!(number >= 1 && number < FR_ID_END)) {
            break;
        }
        uint64_t id = (uint64_t)(int64_t)number;
        uint32_t slot = fr_slot(id);
        uint8_t bit = (uint8_t)(1u << (slot & 7));
        bool good = (double)(int64_t)id == number && slot > 0 && slot < image->prelude.next_slot;
        if (!good || (slots[slot >> 3] & bit) != 0) {
            break;
        }
        slots[slot >> 3] |= bit;
    }
    return row;
}

static firn_result check_ids(fr_image *image, fr_in *in, fr_frame *frame, firn_error *err)
{
    uint64_t offset = fr_in_offset(in);
    if (!fr_in_bytes(in, (size_t)frame->rows * FR_ID_BYTES, &frame->ids)) {
        return fr_fail_at(err, FIRN_TRUNCATED, offset, "ids",
                          "%u ids need %llu bytes, %zu are left", frame->rows,
                          (unsigned long long)frame->rows * FR_ID_BYTES, fr_in_left(in));
    }
    firn_result result = FIRN_OK;
    bool has_bits = image->slots != NULL && !image->few_slots;
    uint32_t row = has_bits ? take_good_ids(image, frame->ids, frame->rows) : 0;
    for (; result == FIRN_OK && row < frame->rows && !image->ids_later; row++) {
        size_t at = (size_t)row * FR_ID_BYTES;
        result = fr_image_check_id(image, fr_load_f64(frame->ids + at), offset + at, err);
    }
    return result;
}

firn_result fr_image_refuse_bool(const fr_entry *entry, uint32_t field, size_t row, uint64_t offset,
                                 firn_error *err)
{
    char name[256];
    fr_printable(name, sizeof name, entry->name, entry->name_size);
    const fr_schema_field *bad = &entry->schema.fields[field];
    return fr_fail_at(err, FIRN_CORRUPT, offset + bad->offset, name,
                      "%s.%.*s: a bool byte of row %zu is neither 0 nor 1", name,
                      (int)bad->name_size, bad->name, row);
}

static firn_result check_raw_column(const fr_entry *entry, fr_in *in, uint32_t rows,
                                    firn_error *err)
{
    uint64_t offset = fr_in_offset(in);
    uint64_t size = (uint64_t)rows * entry->schema.size;
    const uint8_t *wire;
    if (size > fr_in_left(in) || !fr_in_bytes(in, (size_t)size, &wire)) {
        char name[256];
        fr_printable(name, sizeof name, entry->name, entry->name_size);
        return fr_fail_at(err, FIRN_TRUNCATED, offset, name,
                          "column %s has %llu bytes, only %zu are left", name,
                          (unsigned long long)size, fr_in_left(in));
    }
    size_t row;
    uint32_t field;
    if (fr_schema_check_rows(&entry->schema, wire, rows, &row, &field)) {
        return FIRN_OK;
    }
    return fr_image_refuse_bool(entry, field, row, offset + row * entry->schema.size, err);
}

// Steps over the `true` of tags, eight at a time; returns how many.
static uint32_t skip_trues(fr_in *in, uint32_t rows)
{
    const uint64_t trues = UINT64_C(0x0101010101010101) * FR_TAG_TRUE;
    uint32_t skipped = 0;
    while (rows - skipped >= 8 && fr_in_left(in) >= 8 && fr_load_u64(in->at) == trues) {
        in->at += 8;
        skipped += 8;
    }
    return skipped;
}

static firn_result check_encoded_column(fr_image *image, const fr_entry *entry, fr_in *in,
                                        fr_span *span, firn_error *err)
{
    firn_error why = {.code = FIRN_OK};
    uint8_t string_end = fr_short_string_end(&image->limits);
    uint32_t row = skip_trues(in, span->rows);
    const uint8_t *at = in->at;
    for (; row < span->rows; row++) {
        size_t length = fr_simple_length(at, in->end, string_end);
        if (length > 0) {
            span->nils += *at == FR_TAG_NIL;
            at += length;
            continue;
        }
        in->at = at;
        if (!fr_value_check_next(in, &image->limits, &why)) {
            break;
        }
        span->nils += fr_value_tag(at, in->end) == FR_TAG_NIL;
        row += fr_value_skip_alike(in, at, span->rows - 1 - row);
        at = in->at;
    }
    in->at = at;
    if (row >= span->rows) {
        return FIRN_OK;
    }
    char name[256];
    fr_printable(name, sizeof name, entry->name, entry->name_size);
    return fr_fail_at(err, why.code, why.offset, name, "column %s, row %u: %s", name, row,
                      why.message);
}

static firn_result check_column(fr_image *image, fr_in *in, fr_span *span, firn_error *err)
{
    const fr_entry *entry = &image->entries[span->entry];
    span->offset = (size_t)fr_in_offset(in);
    span->bytes = in->at;
    firn_result result = entry->raw ? check_raw_column(entry, in, span->rows, err)
                                    : check_encoded_column(image, entry, in, span, err);
    span->size = (size_t)fr_in_offset(in) - span->offset;
    return result;
}

// The indices of a frame's columns: each entry at most once.
static firn_result read_columns(fr_image *image, fr_in *in, const fr_frame *frame, firn_error *err)
{
    for (uint32_t i = 0; i < frame->column_count; i++) {
        uint64_t offset = fr_in_offset(in), index;
        firn_result result =
            fr_in_encoded_count(in, "component index", image->prelude.component_count, &index, err);
        if (result != FIRN_OK) {
            return result;
        }
        if (index == 0) {
            return fr_fail_at(err, FIRN_CORRUPT, offset, "component index",
                              "component index 0: they begin at 1");
        }
        fr_entry *entry = &image->entries[index - 1];
        uint32_t place = frame->first_column + i;
        uint32_t last = entry->last_column;
        // The entry's last column lies in this frame exactly when the frame names it twice. What a
        // frame left that failed is no such column.
        if (last != FR_NO_COLUMN && last >= frame->first_column && last < place &&
            image->spans[last].entry == index - 1) {
            char name[256];
            fr_printable(name, sizeof name, entry->name, entry->name_size);
            return fr_fail_at(err, FIRN_CORRUPT, offset, name, "a frame has %s twice", name);
        }
        image->spans[place] =
            (fr_span){.entry = (uint32_t)index - 1, .next = FR_NO_COLUMN, .rows = frame->rows};
        if (entry->last_column == FR_NO_COLUMN) {
            entry->first_column = place;
        } else {
            image->spans[entry->last_column].next = place;
        }
        entry->last_column = place;
        entry->rows += frame->rows;
    }
    return FIRN_OK;
}

static firn_result read_mode(fr_in *in, fr_frame *frame, firn_error *err)
{
    uint64_t offset = fr_in_offset(in), mode;
    firn_result result = fr_in_encoded_count(in, "frame mode", UINT32_MAX, &mode, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (mode != FR_MODE_COLUMNS && mode != FR_MODE_ROWS) {
        return fr_fail_at(err, FIRN_CORRUPT, offset, "frame mode", "frame mode %llu is not 0 or 1",
                          (unsigned long long)mode);
    }
    frame->by_row = mode == FR_MODE_ROWS;
    if (frame->by_row && frame->column_count > FR_MASK_COLUMNS) {
        return fr_fail_at(err, FIRN_CORRUPT, offset, "frame mode",
                          "a frame of %u columns lies row by row: at most %d can",
                          frame->column_count, FR_MASK_COLUMNS);
    }
    return FIRN_OK;
}

firn_result fr_image_walk_head(fr_image *image, fr_in *in, uint32_t rows_left, fr_frame *frame,
                               firn_error *err)
{
    *frame = (fr_frame){.offset = (size_t)fr_in_offset(in), .first_column = image->span_count};
    uint64_t columns, rows;
    firn_result result =
        fr_in_encoded_count(in, "frame columnCount", image->prelude.component_count, &columns, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (columns > image->limits.columns) {
        return fr_fail_at(err, FIRN_LIMIT, frame->offset, "frame columnCount",
                          "a frame of %llu columns is above the limit %u",
                          (unsigned long long)columns, image->limits.columns);
    }
    result = fr_in_encoded_count(in, "frame entityCount", rows_left, &rows, err);
    if (result != FIRN_OK) {
        return result;
    }
    frame->column_count = (uint32_t)columns;
    frame->rows = (uint32_t)rows;
    if (!FR_RESERVE(&image->allocator, image->spans, image->span_capacity,
                    image->span_count + frame->column_count)) {
        return fr_fail_memory(err, "frame columns");
    }
    result = read_columns(image, in, frame, err);
    if (result == FIRN_OK) {
        result = read_mode(in, frame, err);
    }
    if (result == FIRN_OK) {
        image->span_count += frame->column_count;
    }
    return result;
}

// What a frame column by column holds.
static firn_result check_columns(fr_image *image, fr_in *in, fr_frame *frame, firn_error *err)
{
    firn_result result = check_ids(image, in, frame, err);
    for (uint32_t i = 0; result == FIRN_OK && i < frame->column_count; i++) {
        result = check_column(image, in, &image->spans[frame->first_column + i], err);
    }
    return result;
}

static firn_result read_frame(fr_image *image, fr_in *in, uint32_t *rows_left, firn_error *err)
{
    if (!FR_RESERVE(&image->allocator, image->frames, image->frame_capacity,
                    image->frame_count + 1)) {
        return fr_fail_memory(err, "frames");
    }
    fr_frame *frame = &image->frames[image->frame_count];
    firn_result result = fr_image_walk_head(image, in, *rows_left, frame, err);
    if (result == FIRN_OK && frame->by_row) {
        frame->rows_at = (size_t)fr_in_offset(in);
        result = fr_image_walk_rows(image, in, frame, err);
    } else if (result == FIRN_OK) {
        result = check_columns(image, in, frame, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    image->frame_count++;
    *rows_left -= frame->rows;
    return FIRN_OK;
}

static void reset_walk(fr_image *image)
{
    image->frame_count = image->span_count = image->data_count = 0;
    image->world = (fr_image_world){0};
    if (image->slots != NULL) {
        memset(image->slots, 0, image->slot_bytes);
    }
    fr_map_clear(&image->taken_slots);
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        fr_entry *entry = &image->entries[i];
        entry->first_column = entry->last_column = FR_NO_COLUMN;
        entry->rows = 0;
    }
}

// The free list against the ids: every slot at most once, generations in range.
static firn_result check_free_list(fr_image *image, firn_error *err)
{
    if (!image->world.has_free || image->ids_later) {
        return FIRN_OK;
    }
    fr_free_walk walk;
    fr_free_begin(&walk, image);
    uint64_t id;
    while (fr_free_next(&walk, &id)) {
        firn_result result =
            fr_image_check_slot(image, id, image->world.free_value, FR_KEY_FREE, err);
        if (result != FIRN_OK) {
            return result;
        }
        image->world.free_count++;
    }
    if (!walk.failed) {
        return FIRN_OK;
    }
    return fr_fail_at(err, FIRN_CORRUPT, image->world.free_value, FR_KEY_FREE,
                      FR_KEY_FREE " is not an array of strings of 8-byte ids");
}

firn_result fr_image_walk(fr_image *image, size_t *reached, firn_error *err)
{
    reset_walk(image);
    fr_in in;
    fr_in_begin(&in, image->bytes, image->size);
    in.at += image->frames_at;
    uint32_t rows_left = image->prelude.entity_count;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < image->prelude.frame_count; i++) {
        result = read_frame(image, &in, &rows_left, err);
    }
    if (result == FIRN_OK && rows_left > 0) {
        result = fr_fail_at(err, FIRN_CORRUPT, fr_in_offset(&in), "entityCount",
                            "the frames hold %u entities, the prelude says %u",
                            image->prelude.entity_count - rows_left, image->prelude.entity_count);
    }
    image->data_at = (size_t)fr_in_offset(&in);
    if (result == FIRN_OK) {
        result = fr_image_walk_data(image, &in, err);
    }
    if (result == FIRN_OK) {
        result = check_free_list(image, err);
    }
    image->prelude.data_count = image->data_count;
    *reached = (size_t)fr_in_offset(&in);
    return result;
}
