// What of the game is captured to be compared with a save: of an entity that a load would change in
// place, what the save has of it, however it persists now.
#include "base/alloc.h"
#include "base/error.h"
#include "saves/inspect.h"
#include "saves/persist.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

typedef struct fr_inspect_row {
    firn_persist row;
    struct fr_inspect_row *next;
} fr_inspect_row;

// Who persists now, on the way to what is captured.
typedef struct inspect_picking {
    fr_inspect *inspect;
    fr_persisted *persisted;
    fr_picks *picks;
    fr_map roots; // slot -> place in persisted->roots
    fr_map parts; // slots of those that the save has by field
    firn_error *err;
} inspect_picking;

static fr_root *root_of(const inspect_picking *picking, firn_entity entity)
{
    uint32_t at = fr_map_get(&picking->roots, fr_slot(entity));
    return at != FR_MAP_NONE ? &picking->persisted->roots[at] : NULL;
}

// A row for an entity, with its id. NULL: no memory.
static firn_persist *add_inspect_row(inspect_picking *picking, fr_root *root)
{
    fr_inspect *inspect = picking->inspect;
    fr_inspect_row *added =
        fr_alloc_zero(&inspect->saves->allocator, 1, sizeof *added, alignof(fr_inspect_row));
    if (added == NULL) {
        fr_fail_memory(picking->err, "rows");
        return NULL;
    }
    added->next = inspect->rows;
    inspect->rows = added;
    memcpy(added->row.id, root->row->id, sizeof added->row.id);
    root->row = &added->row;
    return &added->row;
}

void fr_inspect_rows_free(fr_inspect *inspect)
{
    while (inspect->rows != NULL) {
        fr_inspect_row *row = inspect->rows;
        inspect->rows = row->next;
        fr_free(&inspect->saves->allocator, row, 1, sizeof *row, alignof(fr_inspect_row));
    }
}

// ---------------------------------------------------------------- what is saved by field

// Adds a name of the save to a row, unless a load would pass it over.
static void add_saved_name(const inspect_picking *picking, firn_persist *row,
                           const firn_value *name)
{
    const firn_world *world = picking->inspect->saves->world;
    size_t used = strlen(row->fields), at_name = used > 0 ? used + 1 : 0;
    firn_persist alone = {.mode = FIRN_PERSIST_FIELDS};
    if (name == NULL || name->kind != FIRN_VALUE_STRING ||
        at_name + name->length >= sizeof row->fields) {
        return;
    }
    memcpy(alone.fields, name->as.string, name->length);
    firn_result result;
    fr_persist_part part;
    uint32_t at = 0;
    if (fr_persist_next(world, &alone, 0, &at, &part, &result, NULL) && part.component != NULL &&
        part.name_size == name->length) {
        row->fields[used] = ' ';
        memcpy(row->fields + at_name, name->as.string, name->length);
    }
}

// The last one takes its place.
static void unpick(const firn_world *world, fr_picks *picks, firn_entity entity)
{
    uint32_t at = fr_map_get(&picks->numbers, fr_slot(entity));
    assert(at != FR_MAP_NONE);
    firn_entity last = picks->entities[--picks->count];
    (void)fr_map_remove(&picks->numbers, fr_slot(entity), at);
    if (last != entity) {
        picks->entities[at] = last;
        (void)fr_map_remove(&picks->numbers, fr_slot(last), picks->count);
        (void)fr_map_add(&world->allocator, &picks->numbers, fr_slot(last), at); // there is room
    }
}

static firn_result pick_part(inspect_picking *picking, firn_entity entity, const firn_value *names,
                             const firn_value *vars)
{
    const firn_world *world = picking->inspect->saves->world;
    fr_picks *picks = picking->picks;
    fr_root *root = root_of(picking, entity);
    assert(root != NULL); // who has a key is one
    bool was_whole = root->row->mode == FIRN_PERSIST_ALL;
    firn_persist *row = add_inspect_row(picking, root);
    if (row == NULL) {
        return FIRN_NO_MEMORY;
    }
    row->mode = FIRN_PERSIST_FIELDS;
    row->no_vars = firn_table_array_count(vars) == 0;
    for (uint32_t i = 1; i <= firn_table_array_count(names); i++) {
        add_saved_name(picking, row, firn_table_get_number(firn_table_get_number(names, i), 1));
    }
    if (!fr_map_add(&picking->inspect->saves->allocator, &picking->parts, fr_slot(entity), 0) ||
        (was_whole && !fr_map_add(&world->allocator, &picks->parts, fr_slot(entity), 0))) {
        return fr_fail_memory(picking->err, "entities");
    }
    if (was_whole) {
        unpick(world, picks, entity);
    }
    return FIRN_OK;
}

static firn_result pick_parts(inspect_picking *picking)
{
    const firn_value *key, *names, *vars;
    firn_result result = FIRN_OK;
    for (uint32_t i = 1;
         result == FIRN_OK && fr_inspect_part_at(picking->inspect, i, &key, &names, &vars); i++) {
        firn_entity entity = fr_inspect_of_key(picking->inspect, picking->persisted, key);
        result = entity != 0 ? pick_part(picking, entity, names, vars) : FIRN_OK;
    }
    return result;
}

// ---------------------------------------------------------------- what is saved whole

static firn_result pick_whole(inspect_picking *picking, firn_entity entity)
{
    const firn_world *world = picking->inspect->saves->world;
    fr_root *root = root_of(picking, entity);
    bool both = fr_map_get(&picking->parts, fr_slot(entity)) != FR_MAP_NONE; // below a spawned one
    if (root != NULL && !both && root->row->mode != FIRN_PERSIST_ALL) {
        if (add_inspect_row(picking, root) == NULL) {
            return FIRN_NO_MEMORY;
        }
        (void)fr_map_remove(&picking->picks->parts, fr_slot(entity), 0);
    }
    return fr_picks_add(world, picking->picks, entity) ? FIRN_OK
                                                       : fr_fail_memory(picking->err, "entities");
}

static firn_result pick_wholes(inspect_picking *picking)
{
    const fr_inspect *inspect = picking->inspect;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < inspect->id_count; i++) {
        firn_entity entity = fr_inspect_entity_of(inspect, inspect->ids[i]);
        result = entity != 0 ? pick_whole(picking, entity) : FIRN_OK;
    }
    return result;
}

firn_result fr_inspect_pick(void *user, fr_persisted *persisted, fr_picks *picks, firn_error *err)
{
    inspect_picking picking = {.inspect = user, .persisted = persisted, .picks = picks, .err = err};
    const firn_allocator *allocator = &picking.inspect->saves->allocator;
    bool memory = true;
    for (uint32_t i = 0; memory && i < persisted->count; i++) {
        memory = fr_map_add(allocator, &picking.roots, fr_slot(persisted->roots[i].entity), i);
    }
    firn_result result =
        memory ? fr_inspect_ids(picking.inspect, persisted, err) : fr_fail_memory(err, "entities");
    if (result == FIRN_OK) {
        result = pick_parts(&picking);
    }
    if (result == FIRN_OK) {
        result = pick_wholes(&picking);
    }
    fr_map_free(allocator, &picking.roots);
    fr_map_free(allocator, &picking.parts);
    return result;
}
