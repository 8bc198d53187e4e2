#include "saves/persist_parts.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "builtin/script.h"
#include "store/entity.h"
#include "store/schema.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- write

typedef struct parts_writer {
    firn_world *world;
    const fr_root *roots;
    uint32_t root_count;
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
    for (uint32_t i = 0; i < layout->names.count; i++) {
        const fr_field_name *name = layout->names.sorted[i];
        if (!name->former && name->field >= first && name->field < first + count) {
            firn_write_string(to, name->bytes, name->size);
            write_leaf(&layout->leaves[name->field], row, to);
        }
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

static firn_result write_part(parts_writer *w, const fr_root *root)
{
    char key[FIRN_PERSIST_KEY_SIZE];
    firn_entity entity = root->entity;
    const firn_persist *row = root->row;
    const fr_persist_part vars = {.component = fr_persist_find(w->world, FR_VARS_NAME, FIRN_VALUE),
                                  .whole = true};
    fr_persist_write_key(entity, row, key);
    firn_write_table(&w->to, 4, 0);
    firn_write_text(&w->to, key);
    firn_result result = write_names(w, entity, row);
    if (result != FIRN_OK) {
        return result;
    }
    firn_write_table(&w->to, row->no_vars ? 0 : 1, 0);
    result = row->no_vars ? FIRN_OK : write_maybe(w, entity, &vars);
    firn_write_number(&w->to, (double)entity);
    return result;
}

static bool is_part(const firn_persist *row)
{
    return row->mode != FIRN_PERSIST_ALL;
}

static bool has_own_key(const firn_persist *row)
{
    return !is_part(row) && row->id[0] != '\0';
}

static bool keeps_vars(const firn_persist *row)
{
    return !is_part(row) && row->no_vars;
}

static uint32_t count_roots(const parts_writer *w, bool (*is)(const firn_persist *row))
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->root_count; i++) {
        count += is(w->roots[i].row);
    }
    return count;
}

static void write_keys(parts_writer *w)
{
    firn_write_text(&w->to, "keys");
    firn_write_table(&w->to, 2 * count_roots(w, has_own_key), 0);
    for (uint32_t i = 0; i < w->root_count; i++) {
        const firn_persist *row = w->roots[i].row;
        if (has_own_key(row)) {
            firn_write_text(&w->to, row->id);
            firn_write_number(&w->to, (double)w->roots[i].entity);
        }
    }
}

static void write_no_vars(parts_writer *w)
{
    firn_write_text(&w->to, "no_vars");
    firn_write_table(&w->to, count_roots(w, keeps_vars), 0);
    for (uint32_t i = 0; i < w->root_count; i++) {
        if (keeps_vars(w->roots[i].row)) {
            firn_write_number(&w->to, (double)w->roots[i].entity);
        }
    }
}

static firn_result write_parts(parts_writer *w)
{
    firn_result result = FIRN_OK;
    firn_write_text(&w->to, "parts");
    firn_write_table(&w->to, count_roots(w, is_part), 0);
    for (uint32_t i = 0; result == FIRN_OK && i < w->root_count; i++) {
        result = is_part(w->roots[i].row) ? write_part(w, &w->roots[i]) : FIRN_OK;
    }
    return result;
}

firn_result fr_parts_write(firn_world *world, const fr_scene *scene, const fr_root *roots,
                           uint32_t count, firn_buffer *out, firn_error *err)
{
    bool has_scene = scene->name != NULL;
    firn_error why = {.code = FIRN_OK};
    parts_writer w = {.world = world, .roots = roots, .root_count = count, .out = out, .err = &why};
    firn_buffer_clear(out);
    firn_writer_begin(&w.to, out, &world->limits);
    uint64_t apart = fr_script_apart(world);
    firn_write_table(&w.to, 0, (has_scene ? 7u : 4u) + (apart > 0));
    if (apart > 0) {
        firn_write_text(&w.to, "apart");
        firn_write_number(&w.to, (double)apart);
    }
    if (has_scene) {
        fr_scene_write_ids(scene, world, &w.to);
    }
    write_keys(&w);
    write_no_vars(&w);
    firn_result result = write_parts(&w);
    if (result == FIRN_OK && has_scene) {
        firn_write_text(&w.to, "scene");
        firn_write_text(&w.to, scene->name);
    }
    firn_write_text(&w.to, "version");
    firn_write_number(&w.to, 1);
    if (result != FIRN_OK) {
        (void)firn_writer_end(&w.to, NULL);
        return fr_fail_copy(err, &why);
    }
    return firn_writer_end(&w.to, err);
}
