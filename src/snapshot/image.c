#include "snapshot/image.h"

#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "store/kept.h"

static firn_result read_version(fr_image *image, fr_in *in, firn_error *err)
{
    if (fr_in_left(in) == 0) {
        return fr_fail_at(err, FIRN_TRUNCATED, 0, "image", "the image is empty");
    }
    if (*in->at != FR_TAG_NUMBER && *in->at != FR_TAG_INT32) {
        return fr_fail_at(err, FIRN_NOT_OURS, 0, "version",
                          "byte 0x%02x begins no version number: not a snapshot", *in->at);
    }
    double version;
    firn_result result = fr_in_encoded_number(in, "version", &version, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (version != FR_WIRE_VERSION && version != FR_WIRE_VERSION_2) {
        return fr_fail_at(err, FIRN_VERSION, 0, "version",
                          "version %.17g is not known: 1 and 2 are", version);
    }
    image->prelude.version = (uint32_t)version;
    return FIRN_OK;
}

// One count of the prelude: at most `most` (corrupt above), then at most `limit`, and what it
// counts, of at least `least` bytes each, must fit behind it.
static firn_result read_prelude_count(fr_in *in, const char *what, uint64_t most, uint32_t limit,
                                      size_t least, uint32_t *out, firn_error *err)
{
    uint64_t offset = fr_in_offset(in);
    uint64_t value;
    firn_result result = fr_in_encoded_count(in, what, most, &value, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (value > limit) {
        return fr_fail_at(err, FIRN_LIMIT, offset, what, "%s %llu is above the limit %u", what,
                          (unsigned long long)value, limit);
    }
    if (value * least > fr_in_left(in)) {
        return fr_fail_at(err, FIRN_TRUNCATED, offset, what,
                          "%s %llu cannot fit in the %zu bytes left", what,
                          (unsigned long long)value, fr_in_left(in));
    }
    *out = (uint32_t)value;
    return FIRN_OK;
}

static firn_result read_counts(fr_image *image, fr_in *in, firn_error *err)
{
    firn_prelude *prelude = &image->prelude;
    const firn_limits *limits = &image->limits;
    uint64_t offset = fr_in_offset(in);
    firn_result result = read_prelude_count(in, "nextEntityId", (uint64_t)FIRN_SLOT_MAX + 1,
                                            limits->entities + 1, 0, &prelude->next_slot, err);
    if (result == FIRN_OK && prelude->next_slot == 0) {
        return fr_fail_at(err, FIRN_CORRUPT, offset, "nextEntityId",
                          "nextEntityId is 0: slots begin at 1");
    }
    if (result == FIRN_OK) {
        result = read_prelude_count(in, "entityCount", prelude->next_slot - 1, limits->entities,
                                    FR_ID_BYTES, &prelude->entity_count, err);
    }
    if (result == FIRN_OK) {
        result = read_prelude_count(in, "archetypeCount", UINT32_MAX, limits->archetypes,
                                    FR_FRAME_BYTES_MIN, &prelude->frame_count, err);
    }
    if (result == FIRN_OK) {
        result = read_prelude_count(in, "componentCount", UINT32_MAX, limits->table_entries,
                                    FR_ENTRY_BYTES_MIN, &prelude->component_count, err);
    }
    return result;
}

size_t fr_name_relation(const char *name, size_t size)
{
    size_t arrow = sizeof FR_ARROW - 1;
    for (size_t at = size; at >= arrow; at--) {
        if (memcmp(name + at - arrow, FR_ARROW, arrow) == 0) {
            return at - arrow;
        }
    }
    return size;
}

bool fr_name_has_arrow(const char *name, size_t size)
{
    return fr_name_relation(name, size) < size;
}

// `...|40` says 40 even where the fields are not understood: enough to step over a column.
static bool size_of_fingerprint(const char *text, size_t size, uint32_t *out)
{
    size_t bar = size;
    while (bar > 0 && text[bar - 1] != '|') {
        bar--;
    }
    uint64_t value = 0;
    if (bar == 0 || bar == size || size - bar > 9) {
        return false;
    }
    for (size_t i = bar; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *out = (uint32_t)value;
    return value > 0;
}

firn_result fr_entry_schema(fr_entry *entry, const firn_allocator *allocator,
                            const firn_limits *limits, firn_error *err)
{
    if (entry->fingerprint_size == 0 || fr_name_has_arrow(entry->name, entry->name_size)) {
        return FIRN_OK;
    }
    firn_error why;
    char name[256];
    fr_error_begin(&why);
    fr_printable(name, sizeof name, entry->name, entry->name_size);
    firn_result result = fr_schema_parse(allocator, entry->fingerprint, entry->fingerprint_size,
                                         name, limits, &entry->schema, &why);
    if (result == FIRN_OK) {
        entry->raw = entry->doubtful = true;
        return FIRN_OK;
    }
    entry->schema = (fr_schema){0};
    if (result == FIRN_NO_MEMORY) {
        return fr_fail_copy(err, &why);
    }
    if (result == FIRN_LIMIT) {
        return fr_fail_at(err, result, entry->offset, why.subject, "%s", why.message);
    }
    uint32_t size;
    entry->raw = entry->doubtful =
        size_of_fingerprint(entry->fingerprint, entry->fingerprint_size, &size);
    if (entry->raw) {
        entry->schema.size = size;
    }
    return FIRN_OK;
}

static firn_result read_entry(fr_image *image, fr_in *in, fr_entry *entry, firn_error *err)
{
    *entry = (fr_entry){.first_column = FR_NO_COLUMN,
                        .last_column = FR_NO_COLUMN,
                        .offset = (size_t)fr_in_offset(in)};
    size_t size;
    firn_result result =
        fr_in_encoded_string(in, "component name", UINT32_MAX, &entry->name, &size, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_error why;
    result = fr_check_name(entry->name, size, image->limits.name_bytes, "component name", &why);
    if (result != FIRN_OK) {
        return fr_fail_at(err, result == FIRN_LIMIT ? FIRN_LIMIT : FIRN_CORRUPT, entry->offset,
                          why.subject, "%s", why.message);
    }
    entry->name_size = (uint32_t)size;
    if (fr_in_left(in) > 0 && *in->at == FR_TAG_NIL) {
        in->at++;
        return FIRN_OK;
    }
    // A struct of many fields has a long one: no string of the game's.
    result = fr_in_encoded_string(in, "fingerprint", UINT32_MAX, &entry->fingerprint, &size, err);
    entry->fingerprint_size = (uint32_t)size;
    return result == FIRN_OK ? fr_entry_schema(entry, &image->allocator, &image->limits, err)
                             : result;
}

int fr_compare_entries(const void *a, const void *b)
{
    const fr_entry *left = a, *right = b;
    uint32_t left_digits = fr_target_digits(left->name, left->name_size);
    uint32_t right_digits = fr_target_digits(right->name, right->name_size);
    uint32_t left_size = left->name_size - left_digits - (left_digits > 0 ? 2 : 0);
    uint32_t right_size = right->name_size - right_digits - (right_digits > 0 ? 2 : 0);
    int order = fr_compare_names(left->name, left_size, right->name, right_size);
    if (order != 0 || left_digits != right_digits) {
        return order != 0 ? order : (left_digits > right_digits) - (left_digits < right_digits);
    }
    return fr_compare_names(left->name, left->name_size, right->name, right->name_size);
}

firn_result fr_image_sort_table(fr_image *image, firn_error *err)
{
    uint32_t count = image->prelude.component_count;
    if (count == 0) {
        return FIRN_OK;
    }
    image->by_name = fr_alloc(&image->allocator, count, sizeof *image->by_name, sizeof(void *));
    if (image->by_name == NULL) {
        return fr_fail_memory(err, "component table");
    }
    for (uint32_t i = 0; i < count; i++) {
        image->by_name[i] = &image->entries[i];
    }
    fr_sort((const void **)image->by_name, count, fr_compare_entries);
    for (uint32_t i = 1; i < count; i++) {
        const fr_entry *entry = image->by_name[i];
        if (fr_compare_entries(image->by_name[i - 1], entry) != 0) {
            continue;
        }
        char name[256];
        fr_printable(name, sizeof name, entry->name, entry->name_size);
        return fr_fail_at(err, FIRN_CORRUPT, entry->offset, name,
                          "component %s stands in the table twice", name);
    }
    return FIRN_OK;
}

static firn_result read_table(fr_image *image, fr_in *in, firn_error *err)
{
    uint32_t count = image->prelude.component_count;
    if (!FR_RESERVE(&image->allocator, image->entries, image->entry_capacity, count)) {
        return fr_fail_memory(err, "component table");
    }
    for (uint32_t i = 0; i < count; i++) {
        image->entries[i] = (fr_entry){0};
    }
    for (uint32_t i = 0; i < count; i++) {
        firn_result result = read_entry(image, in, &image->entries[i], err);
        if (result != FIRN_OK) {
            return result;
        }
    }
    image->frames_at = (size_t)fr_in_offset(in);
    return fr_image_sort_table(image, err);
}

static firn_result read_front(fr_image *image, firn_error *err)
{
    if (image->bytes == NULL) {
        return fr_fail(err, FIRN_INVALID, "image", "image is NULL");
    }
    if (image->size > image->limits.file_bytes) {
        return fr_fail(err, FIRN_LIMIT, "image", "the image has %zu bytes, above the limit %llu",
                       image->size, (unsigned long long)image->limits.file_bytes);
    }
    fr_in in;
    fr_in_begin(&in, image->bytes, image->size);
    firn_result result = read_version(image, &in, err);
    if (result == FIRN_OK) {
        result = read_counts(image, &in, err);
    }
    if (result == FIRN_OK) {
        result = read_table(image, &in, err);
    }
    if (result != FIRN_OK || image->ids_later) {
        return result;
    }
    return fr_image_make_slots(image, err);
}

firn_result fr_image_make_slots(fr_image *image, firn_error *err)
{
    image->slot_bytes = (size_t)image->prelude.next_slot / 8 + 1;
    image->few_slots = image->slot_bytes > image->size / 8;
    if (!image->few_slots) {
        image->slots = fr_alloc(&image->allocator, image->slot_bytes, 1, sizeof(uint64_t));
    }
    bool memory = image->few_slots ? fr_map_reserve(&image->allocator, &image->taken_slots,
                                                    image->prelude.entity_count)
                                   : image->slots != NULL;
    return memory ? FIRN_OK : fr_fail_memory(err, "slots");
}

// What the callers of an image know of it.
typedef struct image_opening {
    const firn_limits *limits;
    const firn_allocator *allocator;
    bool ids_later;
    fr_image_hint hint;
    void *user;
    const firn_image_schema *schemas;
    uint32_t schema_count;
} image_opening;

// *changed: the schemas say something else than the image.
static firn_result open_parts(fr_image *image, const void *bytes, size_t size,
                              const image_opening *how, bool *changed, firn_error *err)
{
    *image = (fr_image){.bytes = bytes,
                        .size = size,
                        .ids_later = how->ids_later,
                        .allocator = how->allocator ? *how->allocator : *firn_allocator_default()};
    *changed = false;
    firn_result result = fr_limits_resolve(how->limits, &image->limits, err);
    if (result == FIRN_OK) {
        result = read_front(image, err);
    }
    if (result == FIRN_OK) {
        result = fr_image_give_schemas(image, how->schemas, how->schema_count, changed, err);
    }
    if (result == FIRN_OK) {
        result = fr_image_find_reading(image, how->hint, how->user, err);
    }
    for (uint32_t i = 0; result == FIRN_OK && i < image->frame_count; i++) {
        if (image->frames[i].by_row) {
            result = fr_image_make_columns(image, &image->frames[i], err);
        }
    }
    if (result != FIRN_OK) {
        fr_image_close(image);
    }
    return result;
}

firn_result fr_image_open(fr_image *image, const void *bytes, size_t size,
                          const firn_limits *limits, const firn_allocator *allocator,
                          bool ids_later, fr_image_hint hint, void *user, firn_error *err)
{
    const image_opening how = {limits, allocator, ids_later, hint, user, NULL, 0};
    bool changed;
    return open_parts(image, bytes, size, &how, &changed, err);
}

// An image of firn says itself how it is read, and that goes before what the schemas say. `given`
// is what opening with them came to.
static firn_result prefer_own(fr_image *image, firn_result given, const void *bytes, size_t size,
                              const image_opening *how, firn_error *err)
{
    image_opening plain = *how;
    plain.schema_count = 0;
    fr_image own;
    bool changed;
    firn_result result = open_parts(&own, bytes, size, &plain, &changed, NULL);
    if (result == FIRN_NO_MEMORY || (result == FIRN_OK && own.world.ours)) {
        if (given == FIRN_OK) {
            fr_image_close(image);
        }
        *image = own;
        return result == FIRN_OK ? FIRN_OK : fr_fail_memory(err, "image");
    }
    if (result == FIRN_OK) {
        fr_image_close(&own);
    }
    return given;
}

firn_result fr_image_open_options(fr_image *image, const void *bytes, size_t size,
                                  const firn_image_options *options, firn_error *err)
{
    const firn_image_options defaults = {0};
    if (options == NULL) {
        options = &defaults;
    }
    firn_result result = fr_check_reserved(options->reserved, "firn_image_options.reserved", err);
    if (result == FIRN_OK) {
        result = fr_allocator_check(options->allocator, err);
    }
    if (result == FIRN_OK) {
        result = fr_schemas_check(options, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    const image_opening how = {.limits = options->limits,
                               .allocator = options->allocator,
                               .schemas = options->schemas,
                               .schema_count = options->schema_count};
    bool changed;
    result = open_parts(image, bytes, size, &how, &changed, err);
    bool maybe_own =
        changed && result != FIRN_NO_MEMORY && (result != FIRN_OK || image->world.ours);
    return maybe_own ? prefer_own(image, result, bytes, size, &how, err) : result;
}

void fr_image_close(fr_image *image)
{
    const firn_allocator *allocator = &image->allocator;
    uint32_t count = image->entry_capacity > 0 ? image->prelude.component_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        fr_schema_free(allocator, &image->entries[i].schema);
    }
    for (uint32_t i = 0; i < image->frame_count; i++) {
        fr_free(allocator, image->frames[i].aside, image->frames[i].aside_size, 1,
                sizeof(uint64_t));
    }
    fr_free(allocator, image->by_name, image->prelude.component_count, sizeof *image->by_name,
            sizeof(void *));
    fr_free(allocator, image->slots, image->slot_bytes, 1, sizeof(uint64_t));
    fr_map_free(allocator, &image->taken_slots);
    FR_ARRAY_FREE(allocator, image->entries, image->entry_capacity);
    FR_ARRAY_FREE(allocator, image->frames, image->frame_capacity);
    FR_ARRAY_FREE(allocator, image->spans, image->span_capacity);
    FR_ARRAY_FREE(allocator, image->data, image->data_capacity);
    *image = (fr_image){0};
}

firn_result firn_image_check(const void *bytes, size_t size, const firn_image_options *options,
                             firn_prelude *prelude, firn_error *err)
{
    fr_image image;
    firn_result result = fr_image_open_options(&image, bytes, size, options, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (prelude != NULL) {
        *prelude = image.prelude;
    }
    fr_image_close(&image);
    return FIRN_OK;
}

firn_result firn_image_data(const void *bytes, size_t size, const char *key,
                            const firn_image_options *options, const void **encoded,
                            size_t *encoded_size, firn_error *err)
{
    if (key == NULL || encoded == NULL || encoded_size == NULL) {
        return fr_fail(err, FIRN_INVALID, key ? (encoded ? "encoded_size" : "encoded") : "key",
                       "%s is NULL", key ? (encoded ? "encoded_size" : "encoded") : "key");
    }
    fr_image image;
    firn_result result = fr_image_open_options(&image, bytes, size, options, err);
    if (result != FIRN_OK) {
        return result;
    }
    result = FIRN_NOT_FOUND;
    for (uint32_t i = 0; result == FIRN_NOT_FOUND && i < image.data_count; i++) {
        const fr_datum *datum = &image.data[i];
        if (datum->key_size != strlen(key) || memcmp(datum->key, key, datum->key_size) != 0) {
            continue;
        }
        *encoded = image.bytes + datum->offset;
        *encoded_size = datum->size;
        result = FIRN_OK;
    }
    fr_image_close(&image);
    if (result != FIRN_OK) {
        fr_fail(err, result, key, "the image has no data %s", key);
    }
    return result;
}
