// What an image has that opening it does not look at: tables with a key twice, and edges in columns
// of another target.
#include "buffer/bytes.h"
#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "snapshot/image_rows.h"
#include "snapshot/salvage.h"
#include "snapshot/target.h"
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

// ---- targets

static bool is_key_of_edge(const char *key, size_t size)
{
    return (size == 6 && memcmp(key, "target", 6) == 0) ||
           (size == 5 && memcmp(key, "edges", 5) == 0);
}

bool fr_salvage_is_edge(const uint8_t *bytes, size_t size, const firn_limits *limits)
{
    firn_reader reader;
    firn_reader_begin(&reader, bytes, size, limits);
    if (firn_read_kind(&reader) != FIRN_VALUE_TABLE) {
        return false;
    }
    firn_table_head head = firn_read_table(&reader);
    for (uint32_t i = 0; i < head.array_count; i++) {
        firn_read_skip(&reader);
    }
    for (uint32_t i = 0; i < head.map_count && !firn_reader_failed(&reader); i++) {
        size_t length = 0;
        bool is_text = firn_read_kind(&reader) == FIRN_VALUE_STRING;
        const char *key = is_text ? firn_read_string(&reader, &length) : NULL;
        if (key != NULL && is_key_of_edge(key, length)) {
            return true;
        }
        if (!is_text) {
            firn_read_skip(&reader);
        }
        firn_read_skip(&reader);
    }
    return false;
}

// Whether a value is an edge to another target.
static bool is_elsewhere(const fr_image *image, const uint8_t *at, size_t size, firn_entity target)
{
    if (*at == FR_TAG_NIL) {
        return false;
    }
    if (fr_is_target(at, at + size)) {
        return fr_target_number(at) != (double)target;
    }
    firn_reader reader;
    firn_reader_begin(&reader, at, size, &image->limits);
    return fr_read_target(&reader) != target && fr_salvage_is_edge(at, size, &image->limits);
}

static bool note_elsewhere(const fr_image *image, const fr_entry *entry, firn_entity target,
                           uint32_t place, fr_salvage_avoid *avoid)
{
    bool memory = true;
    fr_value_walk walk;
    fr_values_begin(&walk, image, entry);
    while (memory && fr_values_next(&walk)) {
        memory = !is_elsewhere(image, walk.at, walk.size, target) ||
                 fr_map_add(&image->allocator, &avoid->values, fr_values_entity(&walk), place);
    }
    return memory;
}

static uint32_t next_place(const fr_salvage_avoid *avoid, uint32_t place)
{
    do {
        place++;
    } while (fr_map_get(&avoid->columns, place) != FR_MAP_NONE);
    return place;
}

uint32_t fr_salvage_place(const fr_salvage_avoid *avoid, uint32_t entry)
{
    uint32_t place = next_place(avoid, UINT32_MAX);
    for (uint32_t i = 0; i < entry; i++) {
        place = next_place(avoid, place);
    }
    return place;
}

bool fr_salvage_note_targets(const fr_image *image, fr_salvage_avoid *avoid)
{
    bool memory = true;
    uint32_t place = UINT32_MAX;
    for (uint32_t i = 0; memory && i < image->prelude.component_count; i++) {
        const fr_entry *entry = &image->entries[i];
        size_t size = fr_name_relation(entry->name, entry->name_size);
        place = next_place(avoid, place);
        if (size == entry->name_size || entry->rows == 0) {
            continue;
        }
        size_t digits = size + sizeof FR_ARROW - 1;
        firn_entity target =
            fr_target_of_entry(image, entry, entry->name + digits, entry->name_size - digits);
        memory = target != 0 ? note_elsewhere(image, entry, target, place, avoid)
                             : fr_map_add(&image->allocator, &avoid->columns, place, 0);
    }
    return memory;
}
