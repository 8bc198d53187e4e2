// A save in table form to an image, and from there to a world.
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "plugin/registry.h"
#include "snapshot/format.h"
#include "snapshot/load.h"
#include "snapshot/table.h"
#include "snapshot/table_image.h"

// ---- component table

static uint32_t find_component_name(const fr_table_image *image, const firn_value *text)
{
    uint64_t hash = fr_hash(text->as.string, text->length);
    uint32_t cursor = UINT32_MAX, index;
    while ((index = fr_map_next(&image->by_name, hash, &cursor)) != FR_MAP_NONE) {
        const fr_table_name *name = &image->names[index];
        if (name->size == text->length && memcmp(name->text, text->as.string, name->size) == 0) {
            break;
        }
    }
    return index;
}

static firn_result add_component_name(fr_table_image *image, const firn_value *text, uint32_t place,
                                      const char *path, uint32_t *index, firn_error *err)
{
    firn_error why;
    firn_result result = fr_check_name(text->as.string, text->length, image->limits.name_bytes,
                                       "component name", &why);
    if (result != FIRN_OK) {
        return fr_table_fail(err, result == FIRN_LIMIT ? FIRN_LIMIT : FIRN_CORRUPT, path, "%s",
                             why.message);
    }
    const firn_allocator *allocator = &image->world->allocator;
    uint64_t hash = fr_hash(text->as.string, text->length);
    *index = image->name_count;
    if (!FR_RESERVE(allocator, image->names, image->name_capacity, image->name_count + 1) ||
        !fr_map_add(allocator, &image->by_name, hash, image->name_count)) {
        return fr_fail_memory(err, "component table");
    }
    bool renamed;
    const fr_component *component =
        fr_load_registered(image->world, text->as.string, text->length, &renamed);
    image->names[image->name_count++] = (fr_table_name){
        .text = text->as.string,
        .size = text->length,
        .place = place,
        .tag = component != NULL && component->kind == FIRN_TAG,
        .edges = component != NULL && component->kind == FIRN_RELATION && !component->has_codec};
    return FIRN_OK;
}

firn_result fr_table_name_index(fr_table_image *image, const firn_value *text, const char *path,
                                uint32_t *index, firn_error *err)
{
    if (text->kind != FIRN_VALUE_STRING) {
        return fr_table_fail(err, FIRN_CORRUPT, path, "the name of a component is no string");
    }
    *index = find_component_name(image, text);
    return *index != FR_MAP_NONE ? FIRN_OK : add_component_name(image, text, 0, path, index, err);
}

// A fingerprint that is not understood, but says how many bytes a row has, is that of raw rows.
static firn_result read_fingerprint(fr_table_image *image, const firn_value *item,
                                    fr_table_name *name, firn_error *err)
{
    const firn_allocator *allocator = &image->world->allocator;
    const firn_value *text = firn_table_get_text(item, "fingerprint");
    if (text == NULL || text->kind != FIRN_VALUE_STRING) {
        return FIRN_OK;
    }
    fr_entry entry = {.name = name->text,
                      .name_size = name->size,
                      .fingerprint = text->as.string,
                      .fingerprint_size = text->length};
    firn_result result = fr_entry_schema(&entry, allocator, &image->limits, err);
    if (result == FIRN_OK && fr_entry_is_opaque(&entry)) {
        name->raw = entry.schema.size;
        name->fingerprint = text;
        name->tag = false;
    }
    fr_schema_free(allocator, &entry.schema);
    if (result == FIRN_LIMIT && err != NULL) {
        err->offset = FIRN_NO_OFFSET;
    }
    return result;
}

static firn_result read_component_table(fr_table_image *image, firn_error *err)
{
    const firn_value *list = firn_table_get_text(image->root, "componentTable");
    uint32_t count;
    firn_result result = fr_table_list(list, "componentTable", &count, err);
    for (uint32_t i = 1; result == FIRN_OK && i <= count; i++) {
        char path[FR_TABLE_PATH_BYTES];
        snprintf(path, sizeof path, "componentTable[%u].name", i);
        const firn_value *item = firn_table_get_number(list, i);
        const firn_value *name = firn_table_get_text(item, "name");
        uint32_t index = 0;
        if (name == NULL || name->kind != FIRN_VALUE_STRING) {
            return fr_table_fail(err, FIRN_CORRUPT, path, "the name of a component is %s",
                                 name == NULL ? "missing" : "no string");
        }
        if (find_component_name(image, name) != FR_MAP_NONE) {
            return fr_table_fail(err, FIRN_CORRUPT, path, "component %s is there twice",
                                 name->as.string);
        }
        result = add_component_name(image, name, i, path, &index, err);
        if (result == FIRN_OK) {
            result = read_fingerprint(image, item, &image->names[index], err);
        }
    }
    return result;
}

// ---- data

static firn_result write_entry(fr_table_image *image, const firn_value *key,
                               const firn_value *value, const char *path, fr_table_mark mark,
                               firn_error *err)
{
    // What firn adds is not held to the game's limits.
    const firn_limits *limits = &image->limits;
    firn_limits own;
    firn_limits_default(&own);
    if (!fr_key_is_custom(key->as.string, key->length)) {
        limits = &own;
    }
    const firn_value nil = {.kind = FIRN_VALUE_NIL};
    mark.kind = FR_MARK_DATUM;
    firn_result result = fr_table_mark_here(image, mark, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_error why;
    fr_out_encoded_bool(&image->out, true);
    result = fr_out_end(&image->out, &why);
    if (result == FIRN_OK) {
        result = firn_value_encode(key, &own, &image->bytes, &why);
    }
    if (result == FIRN_OK) {
        result = firn_value_encode(value != NULL ? value : &nil, limits, &image->bytes, &why);
    }
    if (result == FIRN_OK || result == FIRN_NO_MEMORY) {
        return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
    }
    char shown[256];
    fr_printable(shown, sizeof shown, key->as.string, key->length);
    return fr_fail(err, result, shown, "%s.value%s: data %s: %s", path, why.subject, shown,
                   why.message);
}

// What stands beside `data` in the record form.
static firn_result write_beside(fr_table_image *image, const char *name, const char *key,
                                uint32_t what, firn_error *err)
{
    const firn_value *value = firn_table_get_text(image->root, name);
    const firn_value text = {
        .kind = FIRN_VALUE_STRING, .length = (uint32_t)strlen(key), .as.string = key};
    if (value == NULL) {
        return FIRN_OK;
    }
    return write_entry(image, &text, value, name, (fr_table_mark){.name = what}, err);
}

static firn_result write_data_entries(fr_table_image *image, firn_error *err)
{
    firn_result result = write_beside(image, "states", FR_KEY_STATES, FR_MARK_STATES, err);
    if (result == FIRN_OK) {
        result = write_beside(image, "pipeline", FR_KEY_PIPELINE, FR_MARK_PIPELINE, err);
    }
    uint32_t count = 0;
    const firn_value *list = firn_table_get_text(image->root, "data");
    if (result == FIRN_OK) {
        result = fr_table_list(list, "data", &count, err);
    }
    for (uint32_t i = 1; result == FIRN_OK && i <= count; i++) {
        char path[FR_TABLE_PATH_BYTES];
        snprintf(path, sizeof path, "data[%u]", i);
        const firn_value *entry = firn_table_get_number(list, i);
        const firn_value *key = firn_table_get_text(entry, "key");
        if (key == NULL || key->kind != FIRN_VALUE_STRING) {
            return fr_table_fail(err, FIRN_CORRUPT, path, "key is %s",
                                 key == NULL ? "missing" : "no string");
        }
        result = write_entry(image, key, firn_table_get_text(entry, "value"), path,
                             (fr_table_mark){.index = i, .name = FR_MARK_DATA}, err);
    }
    fr_out_encoded_bool(&image->out, false);
    return result == FIRN_OK ? fr_out_end(&image->out, err) : result;
}

// ---- prelude

static firn_result read_table_version(const firn_value *root, uint64_t *version, firn_error *err)
{
    const firn_value *value = firn_table_get_text(root, "version");
    if (root->kind != FIRN_VALUE_TABLE || value == NULL) {
        return fr_fail(err, FIRN_NOT_OURS, root->kind == FIRN_VALUE_TABLE ? "version" : "table",
                       root->kind == FIRN_VALUE_TABLE ? "version is missing: not a snapshot"
                                                      : "the value is no table: not a snapshot");
    }
    if (!fr_table_number(value, version)) {
        return fr_fail(err, FIRN_NOT_OURS, "version", "version is no number: not a snapshot");
    }
    if (*version != FR_WIRE_VERSION && *version != FR_WIRE_VERSION_2) {
        return fr_fail(err, FIRN_VERSION, "version", "version %llu is not known: 1 and 2 are",
                       (unsigned long long)*version);
    }
    return FIRN_OK;
}

// A number of the root that may be missing.
static firn_result read_root_number(const firn_value *root, const char *name, uint64_t missing,
                                    uint64_t *number, firn_error *err)
{
    const firn_value *value = firn_table_get_text(root, name);
    *number = missing;
    if (value == NULL || fr_table_number(value, number)) {
        return FIRN_OK;
    }
    return fr_table_fail(err, FIRN_CORRUPT, name, "not a whole number");
}

static firn_result write_front_names(fr_table_image *image, fr_out *front, firn_error *err)
{
    for (uint32_t i = 0; i < image->name_count; i++) {
        const fr_table_name *name = &image->names[i];
        const firn_value *fingerprint = name->fingerprint;
        fr_out_encoded_string(front, name->text, name->size);
        fr_out_encoded_string(front, fingerprint != NULL ? fingerprint->as.string : "",
                              fingerprint != NULL ? fingerprint->length : 0);
    }
    return fr_out_end(front, err);
}

// The names as they stand in the image: the tree is not looked at any more.
static void move_names(fr_table_image *image, size_t at)
{
    for (uint32_t i = 0; i < image->name_count; i++) {
        fr_table_name *name = &image->names[i];
        fr_in in;
        size_t size;
        const char *fingerprint;
        name->offset = at;
        fr_in_begin(&in, image->bytes.data + at, image->bytes.size - at);
        fr_in_encoded_string(&in, "component name", UINT32_MAX, &name->text, &size, NULL);
        fr_in_encoded_string(&in, "fingerprint", UINT32_MAX, &fingerprint, &size, NULL);
        at += (size_t)fr_in_offset(&in);
    }
}

// Puts the bytes of `front` before those that are there, which the marks follow.
static firn_result put_in_front(fr_table_image *image, const firn_buffer *front, firn_error *err)
{
    firn_result result = firn_buffer_reserve(&image->bytes, front->size, err);
    if (result != FIRN_OK) {
        return result;
    }
    memmove(image->bytes.data + front->size, image->bytes.data, image->bytes.size);
    memcpy(image->bytes.data, front->data, front->size);
    image->bytes.size += front->size;
    for (uint32_t i = 0; i < image->mark_count; i++) {
        image->marks[i].offset += front->size;
    }
    return FIRN_OK;
}

static firn_result write_front(fr_table_image *image, uint64_t version, firn_error *err)
{
    uint64_t next_slot = 0, entity_count = 0;
    firn_result result = read_root_number(image->root, "nextEntityId",
                                          (uint64_t)image->last_slot + 1, &next_slot, err);
    if (result == FIRN_OK) {
        result =
            read_root_number(image->root, "entityCount", image->entity_count, &entity_count, err);
    }
    if (result == FIRN_OK && entity_count != image->entity_count) {
        result = fr_table_fail(
            err, FIRN_CORRUPT, "entityCount", "%llu, and the archetypes hold %llu entities",
            (unsigned long long)entity_count, (unsigned long long)image->entity_count);
    }
    if (result == FIRN_OK && next_slot > 0 && entity_count >= next_slot) {
        result = fr_table_fail(err, FIRN_CORRUPT, "nextEntityId", "%llu, too low for %llu entities",
                               (unsigned long long)next_slot, (unsigned long long)entity_count);
    }
    if (result != FIRN_OK) {
        return result;
    }
    firn_buffer front;
    fr_out out;
    firn_buffer_init(&front, &image->world->allocator);
    fr_out_begin(&out, &front, NULL);
    const uint64_t numbers[] = {version, next_slot, entity_count, image->frame_count,
                                image->name_count};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        fr_out_encoded_number(&out, (double)numbers[i]);
    }
    size_t names_at = front.size;
    result = write_front_names(image, &out, err);
    if (result == FIRN_OK) {
        result = put_in_front(image, &front, err);
    }
    if (result == FIRN_OK) {
        move_names(image, names_at);
    }
    firn_buffer_free(&front);
    return result;
}

// ---- the image

firn_result fr_table_image_make(fr_table_image *image, const firn_world *world,
                                const firn_limits *limits, const firn_value *table, firn_error *err)
{
    *image = (fr_table_image){.world = world, .root = table, .limits = *limits};
    firn_buffer_init(&image->bytes, &world->allocator);
    fr_out_begin(&image->out, &image->bytes, NULL);
    uint64_t version = 0;
    firn_result result = read_table_version(table, &version, err);
    if (result == FIRN_OK) {
        result = read_component_table(image, err);
    }
    if (result == FIRN_OK) {
        result = fr_table_write_archetypes(image, err);
    }
    if (result == FIRN_OK) {
        result = write_data_entries(image, err);
    }
    return result == FIRN_OK ? write_front(image, version, err) : result;
}

void fr_table_image_free(fr_table_image *image)
{
    const firn_allocator *allocator = &image->world->allocator;
    FR_ARRAY_FREE(allocator, image->names, image->name_capacity);
    FR_ARRAY_FREE(allocator, image->marks, image->mark_capacity);
    FR_ARRAY_FREE(allocator, image->columns, image->column_capacity);
    fr_map_free(allocator, &image->by_name);
    firn_buffer_free(&image->bytes);
}

firn_result fr_image_of_table(const firn_world *world, const firn_value *table,
                              const firn_limits *limits, firn_buffer *out, firn_error *err)
{
    fr_table_image image;
    firn_result result = fr_table_image_make(&image, world, limits, table, err);
    if (result == FIRN_OK) {
        result = firn_buffer_append(out, image.bytes.data, image.bytes.size, err);
    }
    fr_table_image_free(&image);
    return result;
}

// What becomes of the image of a table.
typedef struct table_use {
    const firn_load_options *options;
    firn_load_report *loaded;  // NULL: it is merged
    firn_merge_report *merged; // else NULL
    bool only_check;           // it is not loaded
} table_use;

static firn_result use_image(firn_world *world, const firn_buffer *bytes, const table_use *use,
                             firn_error *err)
{
    if (use->merged != NULL) {
        return fr_merge_image(world, bytes->data, bytes->size, true, use->options, use->merged,
                              err);
    }
    const fr_load_input input = {bytes->data, bytes->size, true, use->only_check};
    return fr_load_image(world, &input, use->options, use->loaded, err);
}

static firn_result use_table(firn_world *world, const firn_value *table, const table_use *use,
                             firn_error *err)
{
    firn_limits limits;
    firn_result result = fr_load_limits(world, use->options, &limits, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_table_image image;
    result = fr_table_image_make(&image, world, &limits, table, err);
    if (result == FIRN_OK) {
        firn_error why;
        result = use_image(world, &image.bytes, use, &why);
        if (result != FIRN_OK) {
            fr_table_image_explain(&image, &why);
            fr_fail_copy(err, &why);
        }
    }
    fr_table_image_free(&image);
    return result;
}

static firn_result load_table(firn_world *world, const firn_value *table, bool only_check,
                              const firn_load_options *options, firn_load_report *report,
                              firn_error *err)
{
    const firn_load_options defaults = {0};
    firn_load_report own = {0};
    const table_use use = {.options = options != NULL ? options : &defaults,
                           .loaded = report != NULL ? report : &own,
                           .only_check = only_check};
    *use.loaded = (firn_load_report){0};
    firn_result result = fr_load_check(world, table, "table", use.options, err);
    if (result == FIRN_OK) {
        result = use_table(world, table, &use, err);
    }
    if (report == NULL) {
        firn_load_report_free(&own);
    }
    return result;
}

firn_result firn_snapshot_load_table(firn_world *world, const firn_value *table,
                                     const firn_load_options *options, firn_load_report *report,
                                     firn_error *err)
{
    return load_table(world, table, false, options, report, err);
}

firn_result firn_snapshot_check_table(firn_world *world, const firn_value *table,
                                      const firn_load_options *options, firn_load_report *report,
                                      firn_error *err)
{
    return load_table(world, table, true, options, report, err);
}

firn_result firn_snapshot_merge_table(firn_world *world, const firn_value *table,
                                      const firn_merge_options *options, firn_merge_report *report,
                                      firn_error *err)
{
    firn_load_options load;
    firn_merge_report own = {0};
    const table_use use = {.options = &load, .merged = report != NULL ? report : &own};
    *use.merged = (firn_merge_report){0};
    firn_result result = fr_merge_check(world, table, "table", options, &load, err);
    if (result == FIRN_OK) {
        result = use_table(world, table, &use, err);
    }
    if (report == NULL) {
        firn_merge_report_free(&own);
    }
    return result;
}
