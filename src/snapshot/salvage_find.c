// Whose values an image has that no world can have.
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/image_rows.h"
#include "snapshot/salvage.h"
#include "value/check.h"

// ---- by offset

static firn_entity find_in_rows(fr_image *image, const fr_frame *frame, size_t offset)
{
    fr_in in;
    fr_in_begin(&in, image->bytes, image->size);
    in.at += frame->rows_at;
    for (uint32_t row = 0; row < frame->rows; row++) {
        const fr_frame one = {.rows = 1,
                              .column_count = frame->column_count,
                              .first_column = frame->first_column,
                              .rows_at = (size_t)fr_in_offset(&in)};
        if (fr_image_walk_rows(image, &in, &one, NULL) != FIRN_OK || offset < one.rows_at) {
            break;
        }
        if (offset < fr_in_offset(&in)) {
            return fr_frame_id(frame, row);
        }
    }
    return 0;
}

static firn_entity find_in_column(const fr_image *image, const fr_frame *frame, const fr_span *span,
                                  size_t offset)
{
    const fr_entry *entry = &image->entries[span->entry];
    size_t left = offset - span->offset;
    if (entry->raw) {
        return fr_frame_id(frame, (uint32_t)(left / entry->schema.size));
    }
    const uint8_t *at = span->bytes, *end = at + span->size;
    uint32_t row = 0;
    for (size_t size; (size = fr_value_length(image, at, end)) <= left; row++) {
        at += size;
        left -= size;
    }
    return fr_frame_id(frame, row);
}

static firn_entity find_in_frame(fr_image *image, const fr_frame *frame, size_t offset)
{
    if (frame->by_row) {
        return find_in_rows(image, frame, offset);
    }
    for (uint32_t i = 0; i < frame->column_count; i++) {
        const fr_span *span = &image->spans[frame->first_column + i];
        if (offset >= span->offset && offset - span->offset < span->size) {
            return find_in_column(image, frame, span, offset);
        }
    }
    return 0;
}

firn_entity fr_salvage_entity_at(fr_image *image, uint64_t offset)
{
    for (uint32_t i = 0; i < image->frame_count; i++) {
        uint64_t end = i + 1 < image->frame_count ? image->frames[i + 1].offset : image->data_at;
        if (offset >= image->frames[i].offset && offset < end) {
            return find_in_frame(image, &image->frames[i], (size_t)offset);
        }
    }
    return 0;
}

// ---- tables with a key twice

bool fr_value_is_sound(const uint8_t *bytes, size_t size, const firn_limits *limits,
                       const firn_allocator *allocator, bool *memory)
{
    if (fr_value_is_canonical(bytes, size)) {
        return true;
    }
    firn_buffer scratch;
    firn_limits wide;
    fr_limits_wide(limits, &wide);
    firn_buffer_init(&scratch, allocator);
    firn_result result = fr_value_canonicalise(bytes, size, &wide, allocator, &scratch, NULL);
    firn_buffer_free(&scratch);
    *memory = *memory && result != FIRN_NO_MEMORY;
    return result == FIRN_OK;
}

static bool note_unsound(const fr_image *image, const fr_frame *frame, const fr_span *span,
                         fr_map *ids)
{
    bool memory = true;
    const uint8_t *at = span->bytes, *end = at + span->size;
    uint8_t string_end = fr_short_string_end(&image->limits);
    for (uint32_t row = 0; memory && row < frame->rows; row++) {
        size_t size = fr_simple_length(at, end, string_end);
        if (size == 0) {
            size = fr_value_length(image, at, end);
            firn_entity id = fr_frame_id(frame, row);
            bool sound = fr_value_is_sound(at, size, &image->limits, &image->allocator, &memory) ||
                         fr_map_get(ids, id) != FR_MAP_NONE;
            memory = memory && (sound || fr_map_add(&image->allocator, ids, id, 0));
        }
        at += size;
    }
    return memory;
}

bool fr_salvage_note_unsound(const fr_image *image, fr_map *ids)
{
    bool memory = true;
    for (uint32_t i = 0; i < image->frame_count; i++) {
        const fr_frame *frame = &image->frames[i];
        for (uint32_t k = 0; memory && k < frame->column_count; k++) {
            const fr_span *span = &image->spans[frame->first_column + k];
            memory = image->entries[span->entry].raw || note_unsound(image, frame, span, ids);
        }
    }
    return memory;
}
