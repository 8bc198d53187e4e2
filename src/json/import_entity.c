#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "json/import.h"
#include "snapshot/format.h"
#include "snapshot/target.h"
#include "value/doc.h"
#include "value/encode.h"

firn_result fr_json_import_grow(fr_json_import *import, uint64_t size, firn_error *err)
{
    uint64_t most = import->setting.limits.file_bytes;
    if (size > most - import->size) {
        return fr_fail(err, FIRN_LIMIT, "image", "the snapshot is larger than the limit %llu",
                       (unsigned long long)most);
    }
    import->size += size;
    return FIRN_OK;
}

// ---- values

// Exactly one value, whose bytes are kept.
static firn_result take_encoded(fr_json_import *import, const fr_json_node *node, firn_buffer *out,
                                firn_error *err)
{
    firn_buffer_clear(&import->scratch);
    firn_result result = fr_json_read_base64(node, &import->scratch, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_error why;
    result = firn_value_check(import->scratch.data, import->scratch.size, &import->doc->limits,
                              NULL, &why);
    if (result != FIRN_OK) {
        return fr_fail_at(err, result, node->offset, "$encoded", "byte %llu: %s",
                          (unsigned long long)why.offset, why.message);
    }
    return firn_buffer_append(out, import->scratch.data, import->scratch.size, err);
}

// What is no table; false for others.
static bool take_scalar(const fr_json_node *node, firn_buffer *out, firn_result *result,
                        firn_error *err)
{
    firn_value value = {.kind = FIRN_VALUE_NUMBER};
    uint8_t bytes[FR_TARGET_BYTES], *end;
    const fr_json_node *target = fr_json_tagged(node, "target");
    if (node->kind == FR_JSON_INTEGER) {
        value.as.number = (double)node->as.integer;
    } else if (node->kind == FR_JSON_REAL) {
        value.as.number = node->as.real;
    } else if (node->kind == FR_JSON_BOOL) {
        value = (firn_value){.kind = FIRN_VALUE_BOOL, .as.boolean = node->as.boolean};
    } else if (node->kind == FR_JSON_NULL) {
        value.kind = FIRN_VALUE_NIL;
    } else if (target == NULL || target->kind != FR_JSON_INTEGER) {
        return false;
    }
    end = target != NULL ? fr_put_target(bytes, (double)target->as.integer)
                         : fr_put_scalar(bytes, &value);
    *result = firn_buffer_append(out, bytes, (size_t)(end - bytes), err);
    return true;
}

firn_result fr_json_import_value(fr_json_import *import, const fr_json_node *node, const char *what,
                                 firn_buffer *out, firn_error *err)
{
    const fr_json_node *encoded = fr_json_tagged(node, "$encoded");
    firn_result result = FIRN_OK;
    size_t before = out->size;
    firn_value value;
    firn_error why;
    if (encoded != NULL) {
        result = take_encoded(import, encoded, out, &why);
    } else if (!take_scalar(node, out, &result, &why)) {
        firn_doc_clear(import->doc);
        result = fr_json_value(node, import->doc, &value, &why);
        if (result == FIRN_OK) {
            result = firn_value_encode(&value, &import->doc->limits, out, &why);
        }
    }
    if (result == FIRN_OK) {
        return fr_json_import_grow(import, out->size - before, err);
    }
    return fr_fail_at(err, result, why.offset != FIRN_NO_OFFSET ? why.offset : node->offset, what,
                      "%s: %s", what, why.message);
}

// ---- frames

static firn_result write_head(fr_json_import *import, const fr_json_frame *frame, firn_error *err)
{
    fr_write_frame_head(&import->out, frame->column_count, frame->rows);
    for (uint32_t i = 0; i < frame->column_count; i++) {
        fr_write_frame_number(&import->out, import->columns[frame->first_column + i] + 1);
    }
    fr_write_frame_number(&import->out, frame->by_row ? FR_MODE_ROWS : FR_MODE_COLUMNS);
    return fr_out_end(&import->out, err);
}

// Lets the components of a frame know their columns, or forget them.
static void mark_columns(fr_json_import *import, const fr_json_frame *frame, bool there)
{
    for (uint32_t i = 0; i < frame->column_count; i++) {
        import->column_of[import->columns[frame->first_column + i]] = there ? i + 1 : 0;
    }
}

firn_result fr_json_import_frame(fr_json_import *import, firn_error *err)
{
    if (import->has_frame) {
        mark_columns(import, &import->frames[import->frame++], false);
        import->has_frame = false;
    }
    firn_result result = FIRN_OK;
    for (; result == FIRN_OK && import->frame < import->frame_count; import->frame++) {
        const fr_json_frame *frame = &import->frames[import->frame];
        result = write_head(import, frame, err);
        if (result != FIRN_OK || frame->rows == 0) {
            continue;
        }
        if (!FR_RESERVE(&import->setting.allocator, import->seen, import->seen_capacity,
                        frame->column_count)) {
            return fr_fail_memory(err, "columns");
        }
        for (uint32_t i = 0; i < frame->column_count; i++) {
            import->seen[i] = 0;
        }
        mark_columns(import, frame, true);
        import->has_frame = true;
        import->frame_rows = frame->rows;
        return fr_row_writer_frame(&import->rows, frame->column_count, frame->rows, frame->by_row,
                                   err);
    }
    return result;
}

// ---- entities

// The column of a member: mostly the next one.
static bool column_of_member(const fr_json_import *import, const fr_json_frame *frame,
                             const fr_json_members *members, uint32_t next, uint32_t *column)
{
    if (next < frame->column_count) {
        const fr_entry *entry = &import->entries[import->columns[frame->first_column + next]];
        if (entry->name_size == members->key_size &&
            memcmp(entry->name, members->key, members->key_size) == 0) {
            *column = next;
            return true;
        }
    }
    uint32_t cursor = UINT32_MAX, index;
    uint64_t hash = fr_hash(members->key, members->key_size);
    while ((index = fr_map_next(&import->names, hash, &cursor)) != FR_MAP_NONE) {
        const fr_entry *entry = &import->entries[index];
        if (entry->name_size == members->key_size && import->column_of[index] != 0 &&
            memcmp(entry->name, members->key, members->key_size) == 0) {
            *column = import->column_of[index] - 1;
            return true;
        }
    }
    return false;
}

static firn_result read_cell(fr_json_import *import, const fr_json_node *node, uint32_t column,
                             const fr_json_frame *frame, firn_error *err)
{
    const fr_entry *entry = &import->entries[import->columns[frame->first_column + column]];
    char name[256];
    fr_printable(name, sizeof name, entry->name, entry->name_size);
    firn_buffer *cell = fr_row_writer_cell(&import->rows, column);
    if (!entry->raw) {
        return fr_json_import_value(import, node, name, cell, err);
    }
    firn_result result = fr_json_import_grow(import, entry->schema.size, err);
    return result == FIRN_OK ? fr_json_read_row(node, &entry->schema, name, cell, err) : result;
}

static firn_result read_cells(fr_json_import *import, const fr_json_node *components,
                              const fr_json_frame *frame, firn_error *err)
{
    fr_json_members members;
    firn_result result =
        fr_json_members_begin(&members, components, "components", &import->scratch, err);
    uint32_t count = 0, column = 0;
    for (; result == FIRN_OK && fr_json_members_next(&members, &result, err); count++) {
        bool found = column_of_member(import, frame, &members, count, &column);
        if (!found || import->seen[column] == import->line) {
            char name[256];
            fr_printable(name, sizeof name, members.key, members.key_size);
            return fr_fail_at(err, FIRN_CORRUPT, members.node->offset, name, "%s is %s", name,
                              found ? "there twice" : "no column of the frame");
        }
        import->seen[column] = import->line;
        result = read_cell(import, members.node, column, frame, err);
    }
    if (result == FIRN_OK && !frame->by_row && count < frame->column_count) {
        return fr_json_refuse(components, "components", "one of the frame is missing", err);
    }
    return result;
}

firn_result fr_json_import_entity(fr_json_import *import, const fr_json_node *line, firn_error *err)
{
    uint64_t id = 0, index = 0;
    const fr_json_node *components = fr_json_member(line, "components");
    firn_result result = fr_json_import_number(line, "id", (uint64_t)FR_ID_END - 1, &id, err);
    if (result == FIRN_OK) {
        result = fr_json_import_number(line, "frame", UINT32_MAX, &index, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (components == NULL || line->size != 3) {
        return fr_json_refuse(line, "entity", "is no {id, frame, components}", err);
    }
    if (!import->has_frame || index != import->frame) {
        return fr_json_refuse(line, "frame", "is not the one that comes next", err);
    }
    const fr_json_frame *frame = &import->frames[index];
    result = fr_json_import_grow(import, FR_ID_BYTES + (frame->by_row ? 10 : 0), err);
    if (result == FIRN_OK) {
        result = fr_row_writer_row(&import->rows, id, err);
    }
    if (result == FIRN_OK) {
        result = read_cells(import, components, frame, err);
    }
    if (result == FIRN_OK) {
        result = fr_row_writer_close(&import->rows, err);
    }
    if (result == FIRN_OK && --import->frame_rows == 0) {
        result = fr_json_import_frame(import, err);
    }
    return result;
}
