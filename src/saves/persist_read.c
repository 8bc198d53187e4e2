// The section of a persisted save on its way in.
#include "saves/persist_parts.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "builtin/script.h"
#include "store/blob.h"

#include <assert.h>
#include <string.h>

// ---------------------------------------------------------------- values

typedef struct parts_reader {
    firn_world *world;
    fr_key_fn find;
    void *user;
    fr_parts *parts;
    firn_error *err;
} parts_reader;

static firn_result refuse_parts(const parts_reader *r)
{
    return fr_fail(r->err, FIRN_CORRUPT, FIRN_SECTION_PERSIST,
                   "the section " FIRN_SECTION_PERSIST " of the save is not one");
}

static const firn_value *array_at(const firn_value *table, uint32_t at)
{
    const firn_value key = {.kind = FIRN_VALUE_NUMBER, .as.number = at};
    return firn_table_get(table, &key);
}

static bool is_table_value(const firn_value *value)
{
    return value != NULL && value->kind == FIRN_VALUE_TABLE;
}

static firn_result refuse_part(const parts_reader *r, const fr_beside_row *row, const char *why)
{
    return fr_fail_entity(r->err, FIRN_INVALID, row->entity, row->component->name,
                          "the saved value of %s: %s", row->component->name, why);
}

// A struct, by its codec or by the names of its fields, over default rows.
static firn_result read_struct(const parts_reader *r, const fr_beside_row *row,
                               const firn_value *value)
{
    const fr_component *component = row->component;
    firn_buffer bytes;
    firn_buffer_init(&bytes, &r->world->allocator);
    firn_result result = firn_value_encode(value, &r->world->limits, &bytes, r->err);
    firn_reader reader;
    firn_error why;
    fr_error_begin(&why);
    firn_reader_begin(&reader, bytes.data, bytes.size, &r->world->limits);
    if (result == FIRN_OK && component->has_codec && row->whole) {
        firn_rows rows = {r->world,          fr_component_handle(r->world, component->index),
                          &row->entity,      row->row,
                          component->stride, 1};
        fr_world_lock(r->world, component->name);
        result = component->codec.decode(component->codec.user, &rows, &reader, &why);
        fr_world_unlock(r->world);
        fr_error_complete(&why, result);
        result = result == FIRN_OK ? FIRN_OK : refuse_part(r, row, why.message);
    } else if (result == FIRN_OK) {
        fr_layout_read_row(&component->layout, &reader, row->row, NULL, NULL);
    }
    if (result == FIRN_OK && firn_reader_failed(&reader)) {
        result = refuse_part(r, row, reader.error.message);
    }
    firn_buffer_free(&bytes);
    return result;
}

static firn_result read_blob(const parts_reader *r, const fr_beside_row *row,
                             const firn_value *value)
{
    firn_buffer bytes;
    fr_blob blob;
    firn_buffer_init(&bytes, &r->world->allocator);
    firn_result result = firn_value_encode(value, &r->world->limits, &bytes, r->err);
    if (result == FIRN_OK &&
        !fr_blob_make(&r->world->allocator, bytes.data, (uint32_t)bytes.size, &blob)) {
        result = fr_fail_memory(r->err, row->component->name);
    }
    if (result == FIRN_OK) {
        fr_blob_free(&r->world->allocator, (fr_blob *)(void *)row->row, 1);
        memcpy(row->row, &blob, sizeof blob);
    }
    firn_buffer_free(&bytes);
    return result;
}

static firn_result read_value(const parts_reader *r, const fr_beside_row *row,
                              const firn_value *value)
{
    static const uint8_t kinds[] = {[FIRN_BOOLEAN] = FIRN_VALUE_BOOL,
                                    [FIRN_NUMBER] = FIRN_VALUE_NUMBER,
                                    [FIRN_STRING] = FIRN_VALUE_STRING};
    firn_component_kind kind = row->component->kind;
    bool scalar = kind == FIRN_BOOLEAN || kind == FIRN_NUMBER || kind == FIRN_STRING;
    assert(row->row != NULL || kind == FIRN_TAG);
    if (scalar && (uint8_t)value->kind != kinds[kind]) {
        return refuse_part(r, row, "it is of another kind");
    }
    assert(row->row != NULL || !scalar); // a scalar has bytes
    switch (kind) {
    case FIRN_BOOLEAN:
        *row->row = value->as.boolean;
        return FIRN_OK;
    case FIRN_NUMBER:
        memcpy(row->row, &value->as.number, sizeof(double));
        return FIRN_OK;
    case FIRN_STRING:
    case FIRN_VALUE:
        return read_blob(r, row, value);
    case FIRN_STRUCT:
        return read_struct(r, row, value);
    case FIRN_TAG:
    case FIRN_RELATION:
        break;
    }
    return FIRN_OK;
}

// A component of the library may not have every row.
static firn_result check_made_row(const parts_reader *r, const fr_beside_row *row)
{
    fr_row_check_fn check = row->component->check;
    firn_error why;
    return check == NULL || check(row->row, &why) == FIRN_OK ? FIRN_OK
                                                             : refuse_part(r, row, why.message);
}

// Behind the rows so far, not among them yet. NULL: no memory.
static fr_beside_row *new_row(const parts_reader *r)
{
    fr_parts *parts = r->parts;
    bool room = FR_RESERVE(&r->world->allocator, parts->rows, parts->capacity, parts->count + 1);
    return room ? &parts->rows[parts->count] : NULL;
}

static firn_result add_row(const parts_reader *r, firn_entity entity, const fr_persist_part *part,
                           const firn_value *maybe)
{
    const firn_allocator *allocator = &r->world->allocator;
    const firn_value *value = array_at(maybe, 1);
    if (value == NULL && !part->whole) {
        return FIRN_OK;
    }
    fr_beside_row *row = new_row(r);
    if (row == NULL) {
        return fr_fail_memory(r->err, part->component->name);
    }
    *row = (fr_beside_row){.entity = entity,
                           .component = part->component,
                           .absent = value == NULL,
                           .whole = part->whole,
                           .first_leaf = part->first_leaf,
                           .leaf_count = part->leaf_count};
    uint32_t stride = part->component->stride;
    if (value != NULL && stride > 0) {
        row->row = fr_column_alloc(allocator, stride, 1);
        if (row->row == NULL || !fr_component_fill(allocator, part->component, row->row, 1)) {
            fr_column_free(allocator, row->row, stride, 1);
            return fr_fail_memory(r->err, part->component->name);
        }
    }
    r->parts->count++;
    firn_result result = value == NULL ? FIRN_OK : read_value(r, row, value);
    return result == FIRN_OK && value != NULL ? check_made_row(r, row) : result;
}

// A name as the save has it, in a row of its own, so that it is resolved as every other.
static firn_result read_named_part(const parts_reader *r, firn_entity entity,
                                   const firn_value *pair)
{
    const firn_value *name = array_at(pair, 1), *maybe = array_at(pair, 2);
    firn_persist row = {.mode = FIRN_PERSIST_FIELDS};
    if (!is_table_value(pair) || name == NULL || name->kind != FIRN_VALUE_STRING ||
        !is_table_value(maybe) || name->length >= sizeof row.fields) {
        return refuse_parts(r);
    }
    memcpy(row.fields, name->as.string, name->length);
    firn_result result;
    fr_persist_part part;
    uint32_t at = 0;
    bool good = fr_persist_next(r->world, &row, entity, &at, &part, &result, NULL);
    return good && part.component != NULL ? add_row(r, entity, &part, maybe) : FIRN_OK;
}

// One entity has its rows side by side.
static firn_result note_seen(const parts_reader *r, fr_map *seen, firn_entity entity)
{
    if (fr_map_get(seen, fr_slot(entity)) != FR_MAP_NONE) {
        return refuse_parts(r);
    }
    return fr_map_add(&r->world->allocator, seen, fr_slot(entity), fr_generation(entity))
               ? FIRN_OK
               : fr_fail_memory(r->err, "keys");
}

// A whole number that can be an id; 0: it is none.
static firn_entity id_of_value(const firn_value *value)
{
    double number = value != NULL && value->kind == FIRN_VALUE_NUMBER ? value->as.number : 0;
    bool is_id = number >= 1 && number < 9007199254740992.0 && number == (double)(uint64_t)number;
    return is_id ? (firn_entity)number : 0;
}

// What script state of the save calls an entity; NULL: the save has none of it.
static firn_result note_scripted(const parts_reader *r, firn_entity entity, const firn_value *id)
{
    const firn_allocator *allocator = &r->world->allocator;
    fr_parts *parts = r->parts;
    if (id == NULL) {
        return FIRN_OK;
    }
    firn_entity saved = id_of_value(id);
    if (saved == 0 || fr_map_get(&parts->scripted_ids, saved) != FR_MAP_NONE) {
        return refuse_parts(r);
    }
    if (!FR_RESERVE(allocator, parts->scripted, parts->scripted_room, parts->scripted_count + 1) ||
        !fr_map_add(allocator, &parts->scripted_slots, fr_slot(entity), parts->scripted_count) ||
        !fr_map_add(allocator, &parts->scripted_ids, saved, parts->scripted_count)) {
        return fr_fail_memory(r->err, "keys");
    }
    parts->scripted[parts->scripted_count++] = entity;
    return FIRN_OK;
}

static firn_result read_part(const parts_reader *r, const firn_value *part)
{
    const firn_value *key = array_at(part, 1), *names = array_at(part, 2),
                     *vars = array_at(part, 3);
    if (!is_table_value(part) || key == NULL || key->kind != FIRN_VALUE_STRING ||
        !is_table_value(names) || !is_table_value(vars)) {
        return refuse_parts(r);
    }
    firn_entity entity = r->find(r->user, key->as.string, key->length);
    if (entity == 0) {
        return FIRN_OK;
    }
    firn_result result = note_seen(r, &r->parts->by_field, entity);
    if (result == FIRN_OK) {
        result = note_scripted(r, entity, array_at(part, 4));
    }
    for (uint32_t i = 1; result == FIRN_OK && array_at(names, i) != NULL; i++) {
        result = read_named_part(r, entity, array_at(names, i));
    }
    const firn_value *maybe = array_at(vars, 1);
    if (result != FIRN_OK || maybe == NULL) {
        return result;
    }
    const fr_persist_part own = {.component = fr_persist_find(r->world, FR_VARS_NAME, FIRN_VALUE),
                                 .whole = true};
    return is_table_value(maybe) ? add_row(r, entity, &own, maybe) : refuse_parts(r);
}

// ---------------------------------------------------------------- who is saved whole

static firn_result read_key(const parts_reader *r, const firn_value *key, const firn_value *id)
{
    fr_parts *parts = r->parts;
    firn_entity saved = id_of_value(id);
    if (key->kind != FIRN_VALUE_STRING || saved == 0) {
        return refuse_parts(r);
    }
    if (!fr_map_add(&r->world->allocator, &parts->named, saved, 0)) {
        return fr_fail_memory(r->err, "keys");
    }
    firn_entity now = r->find(r->user, key->as.string, key->length);
    if (now == 0) {
        return FIRN_OK;
    }
    if (!FR_RESERVE(&r->world->allocator, parts->keyed, parts->keyed_room,
                    parts->keyed_count + 1)) {
        return fr_fail_memory(r->err, "keys");
    }
    parts->keyed[parts->keyed_count++] = (firn_merged){.saved = now, .entity = saved};
    return FIRN_OK;
}

static firn_result read_keys(const parts_reader *r, const firn_value *keys)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 1; result == FIRN_OK && array_at(keys, i) != NULL; i += 2) {
        result = read_key(r, array_at(keys, i), array_at(keys, i + 1));
    }
    return result;
}

// Its variables are then those that it has now, or none.
static firn_result keep_vars(const parts_reader *r, firn_entity saved)
{
    fr_beside_row *row = new_row(r);
    if (row == NULL) {
        return fr_fail_memory(r->err, FR_VARS_NAME);
    }
    *row = (fr_beside_row){.entity = saved,
                           .saved = true,
                           .component = fr_persist_find(r->world, FR_VARS_NAME, FIRN_VALUE),
                           .keeps = true,
                           .absent = true,
                           .whole = true};
    r->parts->count++;
    return FIRN_OK;
}

static firn_result read_no_vars(const parts_reader *r, const firn_value *ids)
{
    fr_map seen = {0};
    firn_result result = FIRN_OK;
    for (uint32_t i = 1; result == FIRN_OK && array_at(ids, i) != NULL; i++) {
        firn_entity saved = id_of_value(array_at(ids, i));
        result = saved == 0 ? refuse_parts(r) : note_seen(r, &seen, saved);
        if (result == FIRN_OK) {
            result = keep_vars(r, saved);
        }
    }
    fr_map_free(&r->world->allocator, &seen);
    return result;
}

// ---------------------------------------------------------------- the whole

// A count, or absent.
static bool read_apart(const firn_value *value, uint64_t *out)
{
    double count = value == NULL ? 0 : value->kind == FIRN_VALUE_NUMBER ? value->as.number : -1;
    bool good = count >= 0 && count < (double)FR_SCRIPT_APART && count == (double)(uint64_t)count;
    *out = good ? (uint64_t)count : 0;
    return good;
}

static firn_result read_section(const parts_reader *r, const firn_value *table)
{
    const firn_value *parts = firn_table_get_text(table, "parts");
    const firn_value *keys = firn_table_get_text(table, "keys");
    const firn_value *no_vars = firn_table_get_text(table, "no_vars");
    bool good = is_table_value(parts) && (keys == NULL || is_table_value(keys)) &&
                (no_vars == NULL || is_table_value(no_vars)) &&
                read_apart(firn_table_get_text(table, "apart"), &r->parts->apart);
    firn_result result = good ? FIRN_OK : refuse_parts(r);
    for (uint32_t i = 1; result == FIRN_OK && array_at(parts, i) != NULL; i++) {
        result = read_part(r, array_at(parts, i));
    }
    if (result == FIRN_OK && keys != NULL) {
        result = read_keys(r, keys);
    }
    return result == FIRN_OK && no_vars != NULL ? read_no_vars(r, no_vars) : result;
}

firn_result fr_parts_read(firn_world *world, const void *bytes, size_t size, fr_key_fn find,
                          void *user, fr_parts *out, firn_error *err)
{
    firn_error why;
    const parts_reader r = {world, find, user, out, &why};
    firn_doc *doc = firn_doc_create(&world->allocator, &world->limits, &why);
    const firn_value *table = doc == NULL ? NULL : firn_value_decode(doc, bytes, size, &why);
    firn_result result = table == NULL ? why.code : FIRN_OK;
    if (result == FIRN_TRUNCATED || result == FIRN_CORRUPT) {
        result = refuse_parts(&r);
    }
    if (result == FIRN_OK) {
        result = read_section(&r, table);
    }
    firn_doc_destroy(doc);
    return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
}

static void drop_part(firn_world *world, const fr_beside_row *part)
{
    const fr_component *component = part->component;
    if (component->kind == FIRN_STRING || component->kind == FIRN_VALUE) {
        fr_blob_free(&world->allocator, (fr_blob *)(void *)part->row, 1);
    } else if (component->hooks.drop != NULL) {
        firn_rows rows = {world,
                          fr_component_handle(world, component->index),
                          &part->entity,
                          part->row,
                          component->stride,
                          1};
        fr_world_run_hook_on(component->hooks.drop, component, &rows);
    }
    fr_column_free(&world->allocator, part->row, component->stride, 1);
}

void fr_parts_free(firn_world *world, fr_parts *parts)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        if (parts->rows[i].row != NULL) {
            drop_part(world, &parts->rows[i]);
        }
    }
    FR_ARRAY_FREE(&world->allocator, parts->rows, parts->capacity);
    FR_ARRAY_FREE(&world->allocator, parts->keyed, parts->keyed_room);
    fr_map_free(&world->allocator, &parts->named);
    fr_map_free(&world->allocator, &parts->by_field);
    FR_ARRAY_FREE(&world->allocator, parts->scripted, parts->scripted_room);
    fr_map_free(&world->allocator, &parts->scripted_slots);
    fr_map_free(&world->allocator, &parts->scripted_ids);
    *parts = (fr_parts){.count = 0};
}
