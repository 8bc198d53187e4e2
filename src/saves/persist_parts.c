#include "saves/persist_parts.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "store/entity.h"
#include "store/schema.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- write

typedef struct parts_writer {
    firn_world *world;
    firn_buffer *out;
    firn_writer to;
    firn_error *err;
} parts_writer;

static void write_leaf(const fr_leaf *leaf, const uint8_t *row, firn_writer *to)
{
    uint32_t size = fr_type_size(leaf->type), count = leaf->count > 0 ? leaf->count : 1;
    const uint8_t *at = row + leaf->memory_offset;
    if (leaf->count > 0) {
        firn_write_table(to, count, 0);
    }
    for (uint32_t i = 0; i < count; i++, at += size) {
        uint8_t wire[8];
        fr_wire_copy(wire, at, size);
        fr_field_write(leaf->type, 0, wire, to);
    }
}

static void write_leaves(const fr_persist_part *part, const uint8_t *row, firn_writer *to)
{
    const fr_layout *layout = &part->component->layout;
    uint32_t first = part->whole ? 0 : part->first_leaf;
    uint32_t count = part->whole ? layout->leaf_count : part->leaf_count;
    firn_write_table(to, 0, count);
    for (uint32_t i = first; i < first + count; i++) {
        firn_write_string(to, layout->leaves[i].name, layout->leaves[i].name_size);
        write_leaf(&layout->leaves[i], row, to);
    }
}

static firn_result write_value_row(parts_writer *w, const void *row)
{
    size_t size;
    const uint8_t *encoded = firn_row_encoded(row, &size);
    firn_doc *doc = firn_doc_create(&w->world->allocator, &w->world->limits, w->err);
    const firn_value *value = doc == NULL ? NULL : firn_value_decode(doc, encoded, size, w->err);
    if (value != NULL) {
        firn_write_value(&w->to, value);
    }
    firn_doc_destroy(doc);
    return value != NULL ? FIRN_OK : fr_fail_memory(w->err, FIRN_SECTION_PERSIST);
}

static firn_result write_coded_row(parts_writer *w, firn_entity entity,
                                   const fr_component *component, const void *row)
{
    firn_rows rows = {w->world,          fr_component_handle(w->world, component->index),
                      &entity,           (void *)row,
                      component->stride, 1};
    firn_error why;
    fr_error_begin(&why);
    fr_world_lock(w->world, component->name);
    firn_result result = component->codec.encode(component->codec.user, &rows, &w->to, &why);
    fr_world_unlock(w->world);
    if (result == FIRN_OK) {
        return FIRN_OK;
    }
    fr_error_complete(&why, result);
    return fr_fail_entity(w->err, result, entity, component->name, "codec %s of %s: %s",
                          component->codec.name, component->name, why.message);
}

static firn_result write_row(parts_writer *w, firn_entity entity, const fr_persist_part *part,
                             const void *row)
{
    const fr_component *component = part->component;
    size_t size;
    switch (component->kind) {
    case FIRN_BOOLEAN:
        firn_write_bool(&w->to, *(const uint8_t *)row != 0);
        return FIRN_OK;
    case FIRN_NUMBER:
        firn_write_number(&w->to, *(const double *)row);
        return FIRN_OK;
    case FIRN_STRING: {
        const char *text = firn_row_string(row, &size);
        firn_write_string(&w->to, text, size);
        return FIRN_OK;
    }
    case FIRN_VALUE:
        return write_value_row(w, row);
    case FIRN_STRUCT:
        if (component->has_codec && part->whole) {
            return write_coded_row(w, entity, component, row);
        }
        write_leaves(part, row, &w->to);
        return FIRN_OK;
    case FIRN_TAG:
    case FIRN_RELATION:
        break;
    }
    firn_write_bool(&w->to, true);
    return FIRN_OK;
}

// {value}, or {} when the entity does not have the component.
static firn_result write_maybe(parts_writer *w, firn_entity entity, const fr_persist_part *part)
{
    firn_component handle = fr_component_handle(w->world, part->component->index);
    bool has = firn_has(w->world, entity, handle);
    firn_write_table(&w->to, has ? 1 : 0, 0);
    return has ? write_row(w, entity, part, firn_get(w->world, entity, handle)) : FIRN_OK;
}

static firn_result write_names(parts_writer *w, firn_entity entity, const firn_persist *row)
{
    firn_result result = FIRN_OK;
    fr_persist_part part;
    uint32_t at = 0, count = 0;
    bool by_field = row->mode == FIRN_PERSIST_FIELDS;
    while (by_field && fr_persist_next(w->world, row, entity, &at, &part, &result, w->err)) {
        count++;
    }
    firn_write_table(&w->to, count, 0);
    at = 0;
    while (result == FIRN_OK && by_field &&
           fr_persist_next(w->world, row, entity, &at, &part, &result, w->err)) {
        firn_write_table(&w->to, 2, 0);
        firn_write_string(&w->to, part.name, part.name_size);
        result = write_maybe(w, entity, &part);
    }
    return result;
}

static firn_result write_part(parts_writer *w, firn_entity entity)
{
    char key[FIRN_PERSIST_KEY_SIZE];
    const firn_persist *row = firn_get(w->world, entity, firn_persist_component(w->world));
    const fr_persist_part vars = {.component = fr_persist_find(w->world, FR_VARS_NAME, FIRN_VALUE),
                                  .whole = true};
    fr_persist_write_key(entity, row, key);
    firn_write_table(&w->to, 3, 0);
    firn_write_text(&w->to, key);
    firn_result result = write_names(w, entity, row);
    if (result != FIRN_OK) {
        return result;
    }
    firn_write_table(&w->to, row->no_vars ? 0 : 1, 0);
    return row->no_vars ? FIRN_OK : write_maybe(w, entity, &vars);
}

firn_result fr_parts_write(firn_world *world, const firn_entity *entities, uint32_t count,
                           firn_buffer *out, firn_error *err)
{
    firn_error why = {.code = FIRN_OK};
    parts_writer w = {.world = world, .out = out, .err = &why};
    firn_buffer_clear(out);
    firn_writer_begin(&w.to, out, &world->limits);
    firn_write_table(&w.to, 0, 2);
    firn_write_text(&w.to, "parts");
    firn_write_table(&w.to, count, 0);
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        result = write_part(&w, entities[i]);
    }
    firn_write_text(&w.to, "version");
    firn_write_number(&w.to, 1);
    if (result != FIRN_OK) {
        (void)firn_writer_end(&w.to, NULL);
        return fr_fail_copy(err, &why);
    }
    return firn_writer_end(&w.to, err);
}

// ---------------------------------------------------------------- read

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

static firn_result refuse_part(const parts_reader *r, const fr_part_row *row, const char *why)
{
    return fr_fail_entity(r->err, FIRN_INVALID, row->entity, row->component->name,
                          "the saved value of %s: %s", row->component->name, why);
}

// A struct, by its codec or by the names of its fields, over default rows.
static firn_result read_struct(const parts_reader *r, const fr_part_row *row,
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

static firn_result read_blob(const parts_reader *r, const fr_part_row *row, const firn_value *value)
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

static firn_result read_value(const parts_reader *r, const fr_part_row *row,
                              const firn_value *value)
{
    static const uint8_t kinds[] = {[FIRN_BOOLEAN] = FIRN_VALUE_BOOL,
                                    [FIRN_NUMBER] = FIRN_VALUE_NUMBER,
                                    [FIRN_STRING] = FIRN_VALUE_STRING};
    firn_component_kind kind = row->component->kind;
    bool scalar = kind == FIRN_BOOLEAN || kind == FIRN_NUMBER || kind == FIRN_STRING;
    if (scalar && (uint8_t)value->kind != kinds[kind]) {
        return refuse_part(r, row, "it is of another kind");
    }
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

static firn_result add_row(const parts_reader *r, firn_entity entity, const fr_persist_part *part,
                           const firn_value *maybe)
{
    const firn_allocator *allocator = &r->world->allocator;
    const firn_value *value = array_at(maybe, 1);
    fr_parts *parts = r->parts;
    if (value == NULL && !part->whole) {
        return FIRN_OK;
    }
    if (!FR_RESERVE(allocator, parts->rows, parts->capacity, parts->count + 1)) {
        return fr_fail_memory(r->err, part->component->name);
    }
    fr_part_row *row = &parts->rows[parts->count];
    *row = (fr_part_row){.entity = entity,
                         .component = part->component,
                         .absent = value == NULL,
                         .whole = part->whole,
                         .first_leaf = part->first_leaf,
                         .leaf_count = part->leaf_count};
    uint32_t stride = part->component->stride;
    if (value != NULL && stride > 0) {
        row->row = fr_column_alloc(allocator, stride, 1);
        if (row->row == NULL) {
            return fr_fail_memory(r->err, part->component->name);
        }
        if (!fr_component_fill(allocator, part->component, row->row, 1)) {
            fr_column_free(allocator, row->row, stride, 1);
            return fr_fail_memory(r->err, part->component->name);
        }
    }
    parts->count++;
    return value == NULL ? FIRN_OK : read_value(r, row, value);
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

static firn_result read_part(const parts_reader *r, const firn_value *part)
{
    const firn_value *key = array_at(part, 1), *names = array_at(part, 2),
                     *vars = array_at(part, 3);
    if (!is_table_value(part) || key == NULL || key->kind != FIRN_VALUE_STRING ||
        !is_table_value(names) || !is_table_value(vars)) {
        return refuse_parts(r);
    }
    firn_entity entity = r->find(r->user, key->as.string, key->length);
    firn_result result = FIRN_OK;
    for (uint32_t i = 1; entity != 0 && result == FIRN_OK && array_at(names, i) != NULL; i++) {
        result = read_named_part(r, entity, array_at(names, i));
    }
    const firn_value *maybe = array_at(vars, 1);
    if (result != FIRN_OK || entity == 0 || maybe == NULL) {
        return result;
    }
    const fr_persist_part own = {.component = fr_persist_find(r->world, FR_VARS_NAME, FIRN_VALUE),
                                 .whole = true};
    return is_table_value(maybe) ? add_row(r, entity, &own, maybe) : refuse_parts(r);
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
    const firn_value *parts = firn_table_get_text(table, "parts");
    if (result == FIRN_OK && !is_table_value(parts)) {
        result = refuse_parts(&r);
    }
    for (uint32_t i = 1; result == FIRN_OK && array_at(parts, i) != NULL; i++) {
        result = read_part(&r, array_at(parts, i));
    }
    firn_doc_destroy(doc);
    return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
}

// ---------------------------------------------------------------- apply

// Some leaves of a row that is there.
static void put_leaves(const fr_part_row *part, uint8_t *now)
{
    const fr_leaf *leaf = part->component->layout.leaves + part->first_leaf;
    for (uint32_t i = 0; i < part->leaf_count; i++, leaf++) {
        uint32_t count = leaf->count > 0 ? leaf->count : 1;
        memcpy(now + leaf->memory_offset, part->row + leaf->memory_offset,
               (size_t)count * fr_type_size(leaf->type));
    }
}

static firn_result apply_row(firn_world *world, fr_part_row *part, firn_error *err)
{
    fr_archetype *archetype;
    uint32_t row, index = part->component->index;
    if (!fr_world_find(world, part->entity, &archetype, &row)) {
        return FIRN_OK;
    }
    bool has = fr_archetype_term(archetype, index) >= 0;
    if (part->absent) {
        return has ? fr_entity_remove(world, archetype, row, &index, 1, err) : FIRN_OK;
    }
    if (part->row == NULL) {
        return has ? FIRN_OK : fr_entity_add(world, archetype, row, &index, 1, err);
    }
    if (has && !part->whole) {
        put_leaves(part, firn_get_mut(world, part->entity, fr_component_handle(world, index)));
        return FIRN_OK;
    }
    firn_result result = fr_entity_set(world, archetype, row, index, part->row, err);
    if (result == FIRN_OK) { // what the row owns is the world's
        fr_column_free(&world->allocator, part->row, part->component->stride, 1);
        part->row = NULL;
        part->entity = 0;
    }
    return result;
}

firn_result fr_parts_apply(firn_world *world, fr_parts *parts, firn_error *err)
{
    firn_result result = FIRN_OK;
    uint32_t heard = world->events_heard;
    world->events_heard = 0;
    for (uint32_t i = 0; result == FIRN_OK && i < parts->count; i++) {
        result = apply_row(world, &parts->rows[i], err);
    }
    world->events_heard = heard;
    return result;
}

static void drop_part(firn_world *world, const fr_part_row *part)
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
    *parts = (fr_parts){.count = 0};
}
