#include "store/entity.h"

#include "base/alloc.h"
#include "base/error.h"
#include "store/given.h"
#include "store/relation.h"
#include "store/unique.h"

#include <assert.h>
#include <string.h>

// ---------------------------------------------------------------- new rows

void fr_world_unmake(firn_world *world, fr_archetype *archetype, uint64_t made_before)
{
    if (world->archetypes_made > made_before) {
        fr_world_remove_archetype(world, archetype);
    }
}

// The archetype of these components, with room for `n` more rows that are filled but not counted.
static fr_archetype *prepare_rows(firn_world *world, const fr_newcomer *newcomer, uint32_t n,
                                  firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    uint64_t before = world->archetypes_made;
    fr_archetype *archetype =
        fr_world_with(world, world->archetypes[0], newcomer->components, newcomer->count, err);
    if (archetype == NULL) {
        return NULL;
    }
    uint32_t first = archetype->count;
    if (fr_archetype_reserve(allocator, archetype, first + n) &&
        fr_archetype_fill(allocator, archetype, NULL, FR_NO_COMPONENT, first, n)) {
        return archetype;
    }
    fr_world_unmake(world, archetype, before);
    fr_fail_memory(err, "rows of entities");
    return NULL;
}

// The rest of a spawn, which cannot fail: the rows that are given, or made, and counted now.
static void finish_rows(firn_world *world, const fr_newcomer *newcomer, fr_archetype *archetype,
                        uint32_t n)
{
    uint32_t first = archetype->count;
    archetype->count += n;
    if (newcomer->rows != NULL) {
        fr_given_put(newcomer->rows, newcomer->components, newcomer->count, archetype, first, n);
    } else {
        fr_archetype_init_rows(archetype, NULL, FR_NO_COMPONENT, first, n);
    }
    fr_publish_spawn(world, archetype->entities + first, n);
}

firn_result fr_entities_make(firn_world *world, const fr_newcomer *newcomer, uint32_t n,
                             firn_entity *out, firn_error *err)
{
    firn_error local;
    firn_result result =
        fr_entity_index_reserve(&world->allocator, &world->index, n, world->limits.entities, err);
    if (result == FIRN_OK) {
        result = fr_change_reserve(world, FR_EVENT_SPAWN, 1, n, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_archetype *archetype = prepare_rows(world, newcomer, n, &local);
    if (archetype == NULL) {
        return fr_fail_copy(err, &local);
    }
    uint32_t first = archetype->count;
    firn_entity *ids = archetype->entities + first;
    fr_entity_index_take_many(&world->index, archetype->index, first, ids, n);
    if (out != NULL) {
        memcpy(out, ids, n * sizeof *ids);
    }
    finish_rows(world, newcomer, archetype, n);
    return FIRN_OK;
}

firn_result fr_entities_place(firn_world *world, const fr_newcomer *newcomer,
                              const firn_entity *ids, uint32_t n, firn_error *err)
{
    firn_error local;
    firn_result result = fr_change_reserve(world, FR_EVENT_SPAWN, 1, n, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_archetype *archetype = prepare_rows(world, newcomer, n, &local);
    if (archetype == NULL) {
        return fr_fail_copy(err, &local);
    }
    uint32_t first = archetype->count;
    memcpy(archetype->entities + first, ids, n * sizeof *ids);
    for (uint32_t i = 0; i < n; i++) {
        world->index.records[fr_slot(ids[i])] = fr_record_of(ids[i], archetype->index, first + i);
    }
    finish_rows(world, newcomer, archetype, n);
    return FIRN_OK;
}

// ---------------------------------------------------------------- rows that go or move

// Closes the hole that a row left whose values were moved or dropped.
static inline void close_row(firn_world *world, fr_archetype *archetype, uint32_t row)
{
    if (fr_archetype_is_plain(archetype)) {
        fr_entity_close_plain(world, archetype, row);
        return;
    }
    firn_entity moved = fr_archetype_take_out(archetype, row);
    if (moved != 0) {
        uint64_t *record = &world->index.records[fr_slot(moved)];
        *record = fr_record_moved(*record, row);
    }
}

void fr_entity_take_out(firn_world *world, fr_archetype *archetype, uint32_t row)
{
    fr_relations_leave(archetype, NULL, row);
    fr_archetype_free_blobs(&world->allocator, archetype, NULL, row, 1);
    close_row(world, archetype, row);
}

firn_result fr_entity_end_slow(firn_world *world, firn_entity entity, fr_archetype *archetype,
                               uint32_t row, firn_error *err)
{
    if (fr_may_be_target(world, fr_slot(entity))) {
        return fr_target_end(world, entity, err);
    }
    firn_result result = fr_change_reserve(world, FR_EVENT_DESPAWN, 1, 1, err);
    if (result != FIRN_OK) {
        return result;
    }
    uint32_t outer = fr_publish_despawn(world, archetype->entities + row, 1);
    fr_archetype_run_drops(world, archetype, NULL, row, 1);
    fr_entity_take_out(world, archetype, row);
    fr_entity_index_release(&world->index, entity);
    fr_change_end(world, outer);
    return FIRN_OK;
}

void fr_entity_move_filled(firn_world *world, fr_archetype *from, uint32_t row, fr_archetype *to,
                           const fr_column *column, const void *bytes)
{
    bool plain = fr_move_is_plain(from, to);
    uint32_t to_row = to->count;
    if (plain) {
        fr_relations_leave(from, to, row);
        fr_plain_move(from, row, to, to_row);
    } else {
        fr_archetype_run_drops(world, from, to, row, 1);
        fr_relations_leave(from, to, row);
        fr_archetype_free_blobs(&world->allocator, from, to, row, 1);
        fr_archetype_move_common(from, row, to, to_row);
    }
    if (column != NULL) {
        memcpy(column->data + (size_t)to_row * column->stride, bytes, column->stride);
    }
    firn_entity entity = from->entities[row];
    to->entities[to_row] = entity;
    to->count++;
    world->index.records[fr_slot(entity)] = fr_record_of(entity, to->index, to_row);
    close_row(world, from, row);
    if (!plain) {
        uint32_t given = column == NULL ? FR_NO_COMPONENT : column->component->index;
        fr_archetype_init_rows(to, from, given, to_row, 1);
    }
}

// change_archetype to more components, or fewer, when somebody listens.
static firn_result change_heard(firn_world *world, uint32_t event, fr_archetype *from, uint32_t row,
                                fr_archetype *to, uint64_t made_before, firn_error *err)
{
    if (to == from) {
        return FIRN_OK;
    }
    bool adds = event == FR_EVENT_ADD;
    uint32_t terms =
        adds ? to->term_count - from->term_count : fr_count_parting_edges(from, to, row);
    firn_result result = fr_event_reserve(world, FR_HEARD(event), terms, 1, err);
    bool moved = false;
    if (result == FIRN_OK && fr_archetype_reserve(&world->allocator, to, to->count + 1)) {
        const firn_entity *entity = from->entities + row;
        uint32_t outer = adds ? FR_UNHEARD : fr_publish_remove(world, entity, from, to);
        moved = fr_entity_move(world, from, row, to, NULL, NULL);
        assert(moved || adds); // else no row is new
        fr_change_end(world, outer);
    }
    if (!moved) {
        fr_world_unmake(world, to, made_before);
        return result != FIRN_OK ? result : fr_fail_memory(err, "the row of an entity");
    }
    if (adds) {
        fr_publish_add(world, to->entities + to->count - 1, to, from);
    }
    return FIRN_OK;
}

// Moves an entity to the archetype that a change led to, with rows by default for what is new.
static firn_result change_archetype(firn_world *world, fr_archetype *from, uint32_t row,
                                    fr_archetype *to, uint64_t made_before, firn_error *err)
{
    if (to == from || (fr_archetype_reserve(&world->allocator, to, to->count + 1) &&
                       fr_entity_move(world, from, row, to, NULL, NULL))) {
        return FIRN_OK;
    }
    fr_world_unmake(world, to, made_before);
    return fr_fail_memory(err, "the row of an entity");
}

firn_result fr_entity_add(firn_world *world, fr_archetype *archetype, uint32_t row,
                          const uint32_t *components, uint32_t count, firn_error *err)
{
    firn_error why;
    uint64_t before = world->archetypes_made;
    fr_archetype *to = fr_world_with(world, archetype, components, count, &why);
    if (to == NULL) {
        return fr_fail_copy(err, &why);
    }
    if (fr_heard(world, FR_HEARD(FR_EVENT_ADD))) {
        return change_heard(world, FR_EVENT_ADD, archetype, row, to, before, err);
    }
    return change_archetype(world, archetype, row, to, before, err);
}

firn_result fr_entity_remove(firn_world *world, fr_archetype *archetype, uint32_t row,
                             const uint32_t *components, uint32_t count, firn_error *err)
{
    firn_error why;
    uint64_t before = world->archetypes_made;
    fr_archetype *to = fr_world_without(world, archetype, components, count, &why);
    return to == NULL ? fr_fail_copy(err, &why)
                      : fr_entity_reduce(world, archetype, row, to, before, err);
}

firn_result fr_entity_reduce(firn_world *world, fr_archetype *archetype, uint32_t row,
                             fr_archetype *to, uint64_t made_before, firn_error *err)
{
    if (fr_heard(world, FR_HEARD(FR_EVENT_REMOVE))) {
        return change_heard(world, FR_EVENT_REMOVE, archetype, row, to, made_before, err);
    }
    return change_archetype(world, archetype, row, to, made_before, err);
}

// ---------------------------------------------------------------- rows that are given

static void overwrite_row(firn_world *world, fr_archetype *archetype, uint32_t row,
                          const fr_column *column, const void *bytes)
{
    uint8_t *place = column->data + (size_t)row * column->stride;
    if (place == bytes) {
        return;
    }
    const fr_component *component = column->component;
    if ((column->needs & FR_NEEDS_DROP) != 0) {
        fr_world_run_hook(world, component->hooks.drop, component, archetype, row, 1);
    } else if ((column->needs & FR_NEEDS_FREE) != 0) {
        fr_blob_free(&world->allocator, (fr_blob *)(void *)place, 1);
    }
    memcpy(place, bytes, column->stride);
}

static firn_result overwrite_heard(firn_world *world, fr_archetype *archetype, uint32_t row,
                                   const fr_column *column, const void *bytes, firn_error *err)
{
    firn_result result = fr_event_reserve(world, FR_HEARD(FR_EVENT_SET), 1, 1, err);
    if (result == FIRN_OK) {
        overwrite_row(world, archetype, row, column, bytes);
        fr_publish_set(world, archetype->entities + row, column->component->index);
    }
    return result;
}

#define GIVEN_ON_STACK 256

// Adds a component with a row that is given. The bytes may stand in a column that has to grow: they
// are copied aside first then.
static bool add_given(firn_world *world, fr_archetype *from, uint32_t row, fr_archetype *to,
                      uint32_t component, const void *bytes)
{
    const firn_allocator *allocator = &world->allocator;
    const fr_column *column = fr_archetype_column(to, component);
    if (to->count < to->capacity) {
        return fr_entity_move(world, from, row, to, column, bytes);
    }
    uint32_t stride = world->components.items[component]->stride;
    uint8_t small[GIVEN_ON_STACK];
    uint8_t *aside = small;
    if (stride > sizeof small) {
        aside = fr_alloc(allocator, stride, 1, 1);
        if (aside == NULL) {
            return false;
        }
    }
    memcpy(aside, bytes, stride);
    bool moved = fr_archetype_reserve(allocator, to, to->count + 1) &&
                 fr_entity_move(world, from, row, to, column, aside);
    if (aside != small) {
        fr_free(allocator, aside, stride, 1, 1);
    }
    return moved;
}

static firn_result set_row(firn_world *world, fr_archetype *archetype, uint32_t row,
                           uint32_t component, const void *bytes, firn_error *err)
{
    const fr_column *column = fr_archetype_column(archetype, component);
    if (column != NULL) {
        if (fr_heard(world, FR_HEARD(FR_EVENT_SET))) {
            return overwrite_heard(world, archetype, row, column, bytes, err);
        }
        overwrite_row(world, archetype, row, column, bytes);
        return FIRN_OK;
    }
    firn_error local;
    uint64_t before = world->archetypes_made;
    fr_archetype *to = fr_world_with(world, archetype, &component, 1, &local);
    if (to == NULL) {
        return fr_fail_copy(err, &local);
    }
    firn_result result =
        fr_change_reserve(world, FR_EVENT_ADD, to->term_count - archetype->term_count, 1, err);
    if (result == FIRN_OK && add_given(world, archetype, row, to, component, bytes)) {
        fr_publish_add(world, to->entities + to->count - 1, to, archetype);
        return FIRN_OK;
    }
    fr_world_unmake(world, to, before);
    return result != FIRN_OK ? result : fr_fail_memory(err, "the row of an entity");
}

// The index is right before anybody hears of the change.
static firn_result set_unique(firn_world *world, fr_archetype *archetype, uint32_t row,
                              fr_component *component, const fr_blob *bytes, firn_error *err)
{
    const fr_column *column = fr_archetype_column(archetype, component->index);
    const fr_blob *old = column == NULL ? NULL : (const fr_blob *)(const void *)column->data + row;
    firn_entity entity = archetype->entities[row];
    firn_result result = fr_unique_reserve(world, component, entity, bytes, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (old != NULL) {
        fr_unique_leave(component, &entity, old, 1);
    }
    fr_unique_enter(component, entity, bytes);
    result = set_row(world, archetype, row, component->index, bytes, err);
    if (result != FIRN_OK) {
        fr_unique_leave(component, &entity, bytes, 1);
    }
    if (result != FIRN_OK && old != NULL) {
        fr_unique_enter(component, entity, old);
    }
    return result;
}

firn_result fr_entity_set(firn_world *world, fr_archetype *archetype, uint32_t row,
                          uint32_t component, const void *bytes, firn_error *err)
{
    fr_component *given = world->components.items[component];
    return given->unique ? set_unique(world, archetype, row, given, bytes, err)
                         : set_row(world, archetype, row, component, bytes, err);
}
