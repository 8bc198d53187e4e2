#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "json/import.h"
#include "snapshot/format.h"

firn_result fr_json_import_number(const fr_json_node *object, const char *key, uint64_t most,
                                  uint64_t *out, firn_error *err)
{
    const fr_json_node *node = fr_json_member(object, key);
    if (node == NULL) {
        return fr_json_refuse(object, key, "is missing", err);
    }
    if (!fr_json_read_unsigned(node, most, out)) {
        return fr_fail_at(err, FIRN_CORRUPT, node->offset, key, "%s is no number of 0 to %llu", key,
                          (unsigned long long)most);
    }
    return FIRN_OK;
}

static firn_result read_count(const fr_json_node *line, const char *key, uint32_t *out,
                              firn_error *err)
{
    uint64_t value = 0;
    firn_result result = fr_json_import_number(line, key, UINT32_MAX, &value, err);
    *out = (uint32_t)value;
    return result;
}

// An array of the header.
static firn_result find_array(const fr_json_node *object, const char *key, const fr_json_node **out,
                              firn_error *err)
{
    *out = fr_json_member(object, key);
    if (*out == NULL || (*out)->kind != FR_JSON_ARRAY) {
        return fr_json_refuse(*out != NULL ? *out : object, key, "is missing, or is no array", err);
    }
    return FIRN_OK;
}

// ---- components

// Keeps a text for as long as the import.
static firn_result keep_string(fr_json_import *import, const fr_json_node *node, const char *what,
                               const char **text, uint32_t *size, firn_error *err)
{
    const char *bytes;
    size_t length;
    firn_result result = fr_json_read_string(node, what, &import->scratch, &bytes, &length, err);
    if (result != FIRN_OK) {
        return result;
    }
    *text = (const char *)import->texts.data + import->texts.size;
    *size = (uint32_t)length;
    return firn_buffer_append(&import->texts, bytes, length, err);
}

static firn_result read_component(fr_json_import *import, const fr_json_node *node, fr_entry *entry,
                                  firn_error *err)
{
    const fr_json_node *name = fr_json_member(node, "name");
    const fr_json_node *fingerprint = fr_json_member(node, "fingerprint");
    size_t known = name != NULL ? (fingerprint != NULL ? 2 : 1) : 0;
    *entry = (fr_entry){.offset = (size_t)node->offset, .name = "", .fingerprint = ""};
    if (name == NULL || node->size != known) {
        return fr_json_refuse(node, "components", "one is no {name, fingerprint}", err);
    }
    firn_result result = keep_string(import, name, "name", &entry->name, &entry->name_size, err);
    if (result == FIRN_OK && fingerprint != NULL) {
        result = keep_string(import, fingerprint, "fingerprint", &entry->fingerprint,
                             &entry->fingerprint_size, err);
    }
    if (result == FIRN_OK) {
        result = fr_entry_schema(entry, &import->setting.allocator, &import->setting.limits, err);
    }
    if (result == FIRN_OK && entry->raw != (fingerprint != NULL)) {
        return fr_json_refuse(fingerprint, "fingerprint", "says no row", err);
    }
    return result;
}

static uint32_t find_entry(const fr_json_import *import, const char *name, size_t size)
{
    uint32_t cursor = UINT32_MAX, index;
    while ((index = fr_map_next(&import->names, fr_hash(name, size), &cursor)) != FR_MAP_NONE) {
        const fr_entry *entry = &import->entries[index];
        if (entry->name_size == size && memcmp(entry->name, name, size) == 0) {
            return index;
        }
    }
    return FR_MAP_NONE;
}

static firn_result read_components(fr_json_import *import, const fr_json_node *line,
                                   firn_error *err)
{
    const firn_allocator *allocator = &import->setting.allocator;
    const fr_json_node *list;
    firn_result result = find_array(line, "components", &list, err);
    if (result != FIRN_OK) {
        return result;
    }
    uint32_t count = (uint32_t)list->size; // below the number of nodes
    if (!FR_RESERVE(allocator, import->entries, import->entry_capacity, count) ||
        !fr_map_reserve(allocator, &import->names, count)) {
        return fr_fail_memory(err, "components");
    }
    import->column_of = fr_alloc_zero(allocator, (size_t)import->entry_capacity + 1,
                                      sizeof *import->column_of, sizeof(uint32_t));
    if (import->column_of == NULL) {
        return fr_fail_memory(err, "components");
    }
    const fr_json_node *at = list + 1;
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++, at = fr_json_next(at)) {
        fr_entry *entry = &import->entries[import->entry_count++];
        result = read_component(import, at, entry, err);
        if (result == FIRN_OK && find_entry(import, entry->name, entry->name_size) != FR_MAP_NONE) {
            result = fr_json_refuse(at, "components", "a name is there twice", err);
        }
        if (result == FIRN_OK) {
            (void)fr_map_add(allocator, &import->names, fr_hash(entry->name, entry->name_size), i);
        }
    }
    return result;
}

// ---- frames

static firn_result read_column(fr_json_import *import, const fr_json_node *node, firn_error *err)
{
    if (node->kind != FR_JSON_STRING) {
        return fr_json_refuse(node, "columns", "one is no name", err);
    }
    uint32_t index = find_entry(import, node->as.string, node->size);
    if (index == FR_MAP_NONE) {
        char name[256];
        fr_printable(name, sizeof name, node->as.string, node->size);
        return fr_fail_at(err, FIRN_CORRUPT, node->offset, name, "%s is none of the components",
                          name);
    }
    import->columns[import->column_count++] = index;
    return FIRN_OK;
}

static firn_result read_frame_object(fr_json_import *import, const fr_json_node *node,
                                     fr_json_frame *frame, firn_error *err)
{
    const fr_json_node *by_row = fr_json_member(node, "byRow"), *list = NULL;
    uint64_t rows = 0;
    *frame = (fr_json_frame){.first_column = import->column_count};
    firn_result result = fr_json_import_number(node, "rows", UINT32_MAX, &rows, err);
    if (result == FIRN_OK) {
        result = find_array(node, "columns", &list, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    frame->rows = (uint32_t)rows;
    frame->column_count = (uint32_t)list->size;
    if (by_row != NULL && by_row->kind != FR_JSON_BOOL) {
        return fr_json_refuse(by_row, "byRow", "is neither true nor false", err);
    }
    frame->by_row = by_row != NULL && by_row->as.boolean;
    if (node->size != (by_row != NULL ? 3u : 2u)) {
        return fr_json_refuse(node, "frames", "one has something else than rows, columns, byRow",
                              err);
    }
    if (frame->by_row && frame->column_count > FR_MASK_COLUMNS) {
        return fr_json_refuse(list, "columns", "a frame row by row has at most 52", err);
    }
    if (!FR_RESERVE(&import->setting.allocator, import->columns, import->column_capacity,
                    import->column_count + frame->column_count)) {
        return fr_fail_memory(err, "columns");
    }
    const fr_json_node *at = list + 1, *end = fr_json_next(list);
    for (; result == FIRN_OK && at < end; at = fr_json_next(at)) {
        result = read_column(import, at, err);
    }
    return result;
}

static firn_result read_frames(fr_json_import *import, const fr_json_node *line, firn_error *err)
{
    const fr_json_node *list;
    firn_result result = find_array(line, "frames", &list, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (!FR_RESERVE(&import->setting.allocator, import->frames, import->frame_capacity,
                    (uint32_t)list->size)) {
        return fr_fail_memory(err, "frames");
    }
    const fr_json_node *at = list + 1, *end = fr_json_next(list);
    for (; result == FIRN_OK && at < end; at = fr_json_next(at)) {
        result = read_frame_object(import, at, &import->frames[import->frame_count++], err);
    }
    return result;
}

// ---- all of it

firn_result fr_json_import_marker(const fr_json_node *line, const char *what, firn_error *err)
{
    const fr_json_node *kind = fr_json_member(line, "firn");
    uint64_t format = 0;
    if (kind == NULL || kind->kind != FR_JSON_STRING || strcmp(kind->as.string, what) != 0) {
        return fr_fail_at(err, FIRN_NOT_OURS, line->offset, "firn",
                          "the first line is no header {\"firn\": \"%s\", ...}", what);
    }
    firn_result result = fr_json_import_number(line, "format", UINT32_MAX, &format, err);
    if (result == FIRN_OK && format != FR_JSON_FORMAT) {
        return fr_fail_at(err, FIRN_VERSION, line->offset, "format",
                          "format %llu is not known: %d is", (unsigned long long)format,
                          FR_JSON_FORMAT);
    }
    return result;
}

static void write_header(fr_json_import *import, const fr_front *front)
{
    fr_write_front(&import->out, front);
    for (uint32_t i = 0; i < import->entry_count; i++) {
        const fr_entry *entry = &import->entries[i];
        fr_write_entry(&import->out, entry->name, entry->name_size, entry->fingerprint,
                       entry->fingerprint_size);
    }
}

firn_result fr_json_import_header(fr_json_import *import, const fr_json_node *line, firn_error *err)
{
    fr_front front = {0};
    firn_result result = fr_json_import_marker(line, "snapshot", err);
    if (result == FIRN_OK) {
        result = read_count(line, "version", &front.wire_version, err);
    }
    if (result == FIRN_OK) {
        result = read_count(line, "nextEntityId", &front.next_slot, err);
    }
    if (result == FIRN_OK) {
        result = read_count(line, "entities", &import->entities, err);
    }
    if (result == FIRN_OK) {
        result = read_count(line, "data", &import->data, err);
    }
    if (result == FIRN_OK) {
        result = read_components(import, line, err);
    }
    if (result == FIRN_OK) {
        result = read_frames(import, line, err);
    }
    if (result == FIRN_OK && line->size != 8) {
        result = fr_json_refuse(line, "header", "has members that are not known", err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    front.entities = import->entities;
    front.frames = import->frame_count;
    front.components = import->entry_count;
    write_header(import, &front);
    import->has_header = true;
    return fr_out_end(&import->out, err);
}
