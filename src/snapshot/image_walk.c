#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "firn/image.h"
#include "snapshot/format.h"
#include "snapshot/image_rows.h"

struct firn_image {
    fr_image image;
    char *texts; ///< names, fingerprints and keys with a 0 behind each: the image points here
    size_t text_size;
    firn_image_component *components; ///< what firn_image_component_at tells of them
};

// ---- texts

// Copies a text behind the others, and lets it point there.
static void keep_text(char **at, const char **text, size_t size)
{
    if (size > 0) {
        memcpy(*at, *text, size);
    }
    (*at)[size] = '\0';
    *text = *at;
    *at += size + 1;
}

static size_t text_bytes(const fr_image *image)
{
    size_t bytes = image->world.name_size + 1;
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        const fr_entry *entry = &image->entries[i];
        bytes += (size_t)entry->name_size + entry->fingerprint_size + 2;
        for (uint32_t k = 0; k < entry->schema.field_count; k++) {
            bytes += (size_t)entry->schema.fields[k].name_size + 1;
        }
    }
    for (uint32_t i = 0; i < image->data_count; i++) {
        bytes += (size_t)image->data[i].key_size + 1;
    }
    return bytes;
}

static bool keep_texts(firn_image *image)
{
    fr_image *parts = &image->image;
    image->text_size = text_bytes(parts);
    image->texts = fr_alloc(&parts->allocator, image->text_size, 1, 1);
    if (image->texts == NULL) {
        return false;
    }
    char *at = image->texts;
    keep_text(&at, &parts->world.name, parts->world.name_size);
    for (uint32_t i = 0; i < parts->prelude.component_count; i++) {
        fr_entry *entry = &parts->entries[i];
        keep_text(&at, &entry->name, entry->name_size);
        keep_text(&at, &entry->fingerprint, entry->fingerprint_size);
        for (uint32_t k = 0; k < entry->schema.field_count; k++) {
            fr_schema_field *field = &entry->schema.fields[k];
            keep_text(&at, &field->name, field->name_size);
        }
    }
    for (uint32_t i = 0; i < parts->data_count; i++) {
        keep_text(&at, &parts->data[i].key, parts->data[i].key_size);
    }
    return true;
}

// ---- what is told of components

// The digits behind the arrow; 0 when they are none.
static firn_entity target_of_name(const char *digits)
{
    uint64_t target = 0;
    for (; *digits >= '0' && *digits <= '9' && target < (uint64_t)FR_ID_END; digits++) {
        target = target * 10 + (uint64_t)(*digits - '0');
    }
    return *digits == '\0' && target < (uint64_t)FR_ID_END ? target : 0;
}

// `Likes->9.0071992505467e+15` does not say the target exactly; the values do.
static firn_entity target_of_values(const fr_image *parts, const fr_entry *entry)
{
    for (uint32_t i = entry->first_column; i != FR_NO_COLUMN; i = parts->spans[i].next) {
        const fr_span *span = &parts->spans[i];
        firn_reader reader;
        firn_reader_begin(&reader, span->bytes, span->size, &parts->limits);
        for (uint32_t row = 0; row < span->rows && !firn_reader_failed(&reader); row++) {
            firn_entity target = fr_read_target(&reader);
            if (target != 0) {
                return target;
            }
        }
    }
    return 0;
}

static void find_relation(const fr_image *parts, const fr_entry *entry, firn_image_component *out)
{
    const char *arrow = strstr(entry->name, FR_ARROW);
    if (arrow == NULL) {
        return;
    }
    out->relation_size = (uint32_t)(arrow - entry->name);
    out->target = target_of_name(arrow + strlen(FR_ARROW));
    if (out->target == 0) {
        out->target = target_of_values(parts, entry);
    }
}

static firn_image_component describe_component(const fr_image *parts, const fr_entry *entry)
{
    firn_image_component out = {.name = entry->name,
                                .fingerprint = entry->fingerprint,
                                .raw = entry->raw,
                                .rows = entry->rows};
    if (entry->raw) {
        out.row_size = entry->schema.size;
        out.field_count = entry->schema.field_count;
    }
    for (uint32_t i = entry->first_column; i != FR_NO_COLUMN; i = parts->spans[i].next) {
        out.columns++;
        out.nils += parts->spans[i].nils;
        out.bytes += parts->spans[i].size;
    }
    find_relation(parts, entry, &out);
    return out;
}

// Once for all: a component may have a column in each of many archetypes.
static bool describe_components(firn_image *image)
{
    const fr_image *parts = &image->image;
    uint32_t count = parts->prelude.component_count;
    image->components =
        fr_alloc(&parts->allocator, (size_t)count + 1, sizeof *image->components, sizeof(void *));
    for (uint32_t i = 0; image->components != NULL && i < count; i++) {
        image->components[i] = describe_component(parts, &parts->entries[i]);
    }
    return image->components != NULL;
}

// ---- open and close

firn_image *firn_image_open(const void *bytes, size_t size, const firn_image_options *options,
                            firn_error *err)
{
    fr_image parts;
    if (fr_image_open_options(&parts, bytes, size, options, err) != FIRN_OK) {
        return NULL;
    }
    firn_image *image = fr_alloc(&parts.allocator, 1, sizeof *image, sizeof(void *));
    if (image == NULL) {
        fr_image_close(&parts);
        fr_fail_memory(err, "image");
        return NULL;
    }
    *image = (firn_image){.image = parts};
    if (!keep_texts(image) || !describe_components(image)) {
        firn_image_close(image);
        fr_fail_memory(err, "names");
        return NULL;
    }
    return image;
}

void firn_image_close(firn_image *image)
{
    if (image == NULL) {
        return;
    }
    const firn_allocator allocator = image->image.allocator;
    const uint32_t count = image->image.prelude.component_count;
    fr_free(&allocator, image->components, (size_t)count + 1, sizeof *image->components,
            sizeof(void *));
    fr_free(&allocator, image->texts, image->text_size, 1, 1);
    fr_image_close(&image->image);
    fr_free(&allocator, image, 1, sizeof *image, sizeof(void *));
}

const fr_image *fr_image_of(const firn_image *image)
{
    return &image->image;
}

void firn_image_describe(const firn_image *image, firn_image_info *out)
{
    if (out == NULL) {
        return;
    }
    *out = (firn_image_info){.world_name = ""};
    if (image == NULL) {
        return;
    }
    const fr_image *parts = &image->image;
    *out = (firn_image_info){.prelude = parts->prelude,
                             .by_firn = parts->world.ours,
                             .world_name = parts->world.name,
                             .tick = parts->world.tick,
                             .free_count = parts->world.free_count,
                             .frames_offset = parts->frames_at,
                             .data_offset = parts->data_at,
                             .size = parts->size};
}

// ---- components

bool firn_image_component_at(const firn_image *image, uint32_t index, firn_image_component *out)
{
    if (image == NULL || out == NULL || index >= image->image.prelude.component_count) {
        return false;
    }
    *out = image->components[index];
    return true;
}

uint32_t firn_image_component_find(const firn_image *image, const char *name)
{
    if (image == NULL || name == NULL) {
        return UINT32_MAX;
    }
    const fr_entry *entry = fr_image_entry(&image->image, name, strlen(name));
    return entry != NULL ? (uint32_t)(entry - image->image.entries) : UINT32_MAX;
}

bool firn_image_field_at(const firn_image *image, uint32_t component, uint32_t index,
                         firn_image_field *out)
{
    if (image == NULL || out == NULL || component >= image->image.prelude.component_count) {
        return false;
    }
    const fr_entry *entry = &image->image.entries[component];
    if (!entry->raw || index >= entry->schema.field_count) {
        return false;
    }
    const fr_schema_field *field = &entry->schema.fields[index];
    *out = (firn_image_field){.name = field->name,
                              .name_size = field->name_size,
                              .type = field->type,
                              .type_text = fr_type_text(field->type),
                              .count = field->count,
                              .offset = field->offset,
                              .size = fr_type_size(field->type) *
                                      (field->count > 0 ? field->count : 1)};
    return true;
}

// ---- archetypes

static const fr_frame *frame_at(const firn_image *image, uint32_t index)
{
    bool there = image != NULL && index < image->image.frame_count;
    return there ? &image->image.frames[index] : NULL;
}

bool firn_image_archetype_at(const firn_image *image, uint32_t index, firn_image_archetype *out)
{
    const fr_frame *frame = frame_at(image, index);
    if (frame == NULL || out == NULL) {
        return false;
    }
    bool last = index + 1 == image->image.frame_count;
    size_t end = last ? image->image.data_at : frame[1].offset;
    *out = (firn_image_archetype){.rows = frame->rows,
                                  .columns = frame->column_count,
                                  .offset = frame->offset,
                                  .size = end - frame->offset};
    return true;
}

uint32_t firn_image_entities(const firn_image *image, uint32_t archetype, uint32_t first,
                             firn_entity *out, uint32_t room)
{
    const fr_frame *frame = frame_at(image, archetype);
    if (frame == NULL || out == NULL || first >= frame->rows) {
        return 0;
    }
    uint32_t count = frame->rows - first < room ? frame->rows - first : room;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = fr_frame_id(frame, first + i);
    }
    return count;
}

bool firn_image_find(const firn_image *image, firn_entity entity, uint32_t *archetype,
                     uint32_t *row)
{
    const fr_frame *frame;
    for (uint32_t i = 0; (frame = frame_at(image, i)) != NULL; i++) {
        for (uint32_t k = 0; k < frame->rows; k++) {
            if (fr_frame_id(frame, k) != entity) {
                continue;
            }
            if (archetype != NULL) {
                *archetype = i;
            }
            if (row != NULL) {
                *row = k;
            }
            return true;
        }
    }
    return false;
}

const fr_span *fr_image_span(const firn_image *image, uint32_t archetype, uint32_t column)
{
    const fr_frame *frame = frame_at(image, archetype);
    bool there = frame != NULL && column < frame->column_count;
    return there ? &image->image.spans[frame->first_column + column] : NULL;
}

bool firn_image_column_at(const firn_image *image, uint32_t archetype, uint32_t index,
                          firn_image_column *out)
{
    const fr_span *span = fr_image_span(image, archetype, index);
    if (span == NULL || out == NULL) {
        return false;
    }
    *out = (firn_image_column){.component = span->entry,
                               .raw = image->image.entries[span->entry].raw,
                               .rows = span->rows,
                               .nils = span->nils,
                               .bytes = span->bytes,
                               .size = span->size};
    return true;
}

// ---- data

bool firn_image_datum_at(const firn_image *image, uint32_t index, firn_image_datum *out)
{
    if (image == NULL || out == NULL || index >= image->image.data_count) {
        return false;
    }
    const fr_datum *datum = &image->image.data[index];
    *out = (firn_image_datum){.key = datum->key,
                              .key_size = datum->key_size,
                              .encoded = image->image.bytes + datum->offset,
                              .size = datum->size,
                              .custom = fr_key_is_custom(datum->key, datum->key_size)};
    return true;
}
