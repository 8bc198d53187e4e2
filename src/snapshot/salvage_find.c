// Whose values an image has with a table that has a key twice.
#include "buffer/bytes.h"
#include "snapshot/image_rows.h"
#include "snapshot/salvage.h"
#include "value/check.h"

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
