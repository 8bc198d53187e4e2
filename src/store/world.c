#include "store/world.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "store/bus.h"
#include "store/relation.h"

#include <assert.h>
#include <inttypes.h>
#include <stdalign.h>
#include <string.h>

#define TICK_MOST (UINT64_C(1) << 53)

// ---------------------------------------------------------------- making and ending

static firn_result check_world_desc(const firn_world_desc *desc, firn_limits *limits,
                                    firn_error *err)
{
    firn_result result = fr_check_reserved(desc->reserved, "firn_world_desc", err);
    if (result == FIRN_OK) {
        result = fr_limits_resolve(desc->limits, limits, err);
    }
    if (result == FIRN_OK) {
        result = fr_allocator_check(desc->allocator, err);
    }
    if (result == FIRN_OK && desc->name != NULL && desc->name[0] != 0) {
        result = fr_check_text_name(desc->name, limits->name_bytes, "world name", NULL, err);
    }
    return result;
}

// Handles of two worlds differ in their upper bits, which come from where the worlds are:
// multiplied (Fibonacci hashing), since worlds may stand a large power of two apart.
static void put_handle_bases(firn_world *world)
{
    uint64_t place = (uint64_t)((uintptr_t)world / FR_CACHE_LINE);
    uint64_t mixed = place * UINT64_C(0x9e3779b97f4a7c15);
    world->component_base = mixed >> 32 << 20 | 1;
    world->query_base = mixed >> 43 << 32 | 1;
}

static firn_result add_builtin(firn_world *world, const char *name, firn_component_kind kind,
                               uint32_t *index, firn_error *err)
{
    firn_component_desc desc = {.name = name, .kind = kind};
    fr_component *component;
    firn_result result = fr_components_add(&world->allocator, &world->components, &world->limits,
                                           &desc, NULL, &component, err);
    if (result == FIRN_OK) {
        *index = component->index;
    }
    return result;
}

static firn_result fill_world(firn_world *world, const firn_world_desc *desc, firn_error *err)
{
    const char *name = desc->name == NULL ? "" : desc->name;
    world->name = fr_copy_text(&world->allocator, name, strlen(name));
    if (world->name == NULL) {
        return fr_fail_memory(err, "a world");
    }
    firn_result result = add_builtin(world, "Name", FIRN_STRING, &world->builtin_name, err);
    if (result == FIRN_OK) {
        result = add_builtin(world, "Disabled", FIRN_TAG, &world->builtin_disabled, err);
    }
    if (result == FIRN_OK) {
        result = add_builtin(world, "Paused", FIRN_TAG, &world->builtin_paused, err);
    }
    if (result == FIRN_OK && fr_world_archetype(world, NULL, 0, err) == NULL) {
        result = FIRN_NO_MEMORY;
    }
    if (result == FIRN_OK) {
        result = fr_events_init(world, err);
    }
    if (result == FIRN_OK && desc->bus != NULL && !fr_bus_join(desc->bus, world)) {
        result = fr_fail_memory(err, "a world");
    }
    return result;
}

firn_world *fr_world_make(const firn_world_desc *desc, firn_error *err)
{
    const firn_world_desc defaults = {0};
    desc = desc == NULL ? &defaults : desc;
    firn_limits limits;
    if (check_world_desc(desc, &limits, err) != FIRN_OK) {
        return NULL;
    }
    const firn_allocator *allocator =
        desc->allocator == NULL ? firn_allocator_default() : desc->allocator;
    firn_world *world = fr_alloc_zero(allocator, 1, sizeof *world, FR_CACHE_LINE);
    if (world == NULL) {
        fr_fail_memory(err, "a world");
        return NULL;
    }
    world->allocator = *allocator;
    world->limits = limits;
    world->spawn_tag = FR_NO_COMPONENT;
    world->edge_epoch = 1;
    fr_entity_index_init(&world->index);
    firn_buffer_init(&world->scratch, &world->allocator);
    firn_buffer_init(&world->kept_order, &world->allocator);
    put_handle_bases(world);
    if (fill_world(world, desc, err) != FIRN_OK) {
        firn_world_destroy(world);
        return NULL;
    }
    return world;
}

// All drop hooks run before the first string goes, for a hook may read other entities.
static void end_entities(firn_world *world)
{
    fr_commands_free(world);
    for (uint32_t i = 0; i < world->order_count; i++) {
        fr_archetype *archetype = world->archetypes[world->order[i]];
        fr_archetype_run_drops(world, archetype, NULL, 0, archetype->count);
    }
    for (uint32_t i = 0; i < world->order_count; i++) {
        fr_archetype *archetype = world->archetypes[world->order[i]];
        fr_archetype_free_blobs(&world->allocator, archetype, NULL, 0, archetype->count);
        archetype->count = 0;
    }
    fr_entity_index_free(&world->allocator, &world->index);
    fr_entity_index_init(&world->index);
}

void firn_world_destroy(firn_world *world)
{
    if (world == NULL) {
        return;
    }
    const firn_allocator allocator = world->allocator;
    end_entities(world);
    for (uint32_t i = FR_PART_COUNT; i-- > 0;) {
        if (world->parts[i].destroy != NULL) {
            world->parts[i].destroy(world, world->parts[i].data);
        }
    }
    for (uint32_t i = 0; i < world->order_count; i++) {
        fr_archetype_destroy(&allocator, world->archetypes[world->order[i]]);
    }
    fr_resources_free(world);
    FR_ARRAY_FREE(&allocator, world->archetypes, world->archetype_capacity);
    FR_ARRAY_FREE(&allocator, world->holes, world->hole_capacity);
    FR_ARRAY_FREE(&allocator, world->order, world->order_capacity);
    fr_map_free(&allocator, &world->archetype_keys);
    fr_queries_free(world);
    fr_relations_free(world);
    fr_components_free(&allocator, &world->components);
    fr_events_free(world);
    FR_ARRAY_FREE(&allocator, world->spare_records, world->spare_capacity);
    FR_ARRAY_FREE(&allocator, world->scratch_terms, world->scratch_term_capacity);
    FR_ARRAY_FREE(&allocator, world->scratch_components, world->scratch_component_capacity);
    firn_buffer_free(&world->scratch);
    firn_buffer_free(&world->kept_order);
    fr_free_text(&allocator, world->name);
    fr_free(&allocator, world, 1, sizeof *world, FR_CACHE_LINE);
}

// ---------------------------------------------------------------- facts

const char *firn_world_name(const firn_world *world)
{
    return world == NULL ? "" : world->name;
}

uint64_t firn_world_tick(const firn_world *world)
{
    return world == NULL ? 0 : world->tick;
}

firn_result firn_world_set_tick(firn_world *world, uint64_t tick, firn_error *err)
{
    firn_result result = fr_world_check_unlocked(world, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (tick > TICK_MOST) {
        return fr_fail(err, FIRN_INVALID, "tick", "tick is %" PRIu64 ", above 2^53", tick);
    }
    world->tick = tick;
    return FIRN_OK;
}

uint32_t firn_entity_count(const firn_world *world)
{
    return world == NULL ? 0 : world->index.alive;
}

const firn_limits *firn_world_limits(const firn_world *world)
{
    return world == NULL ? NULL : &world->limits;
}

// ---------------------------------------------------------------- when changes are allowed

firn_result fr_world_check_unlocked(const firn_world *world, firn_error *err)
{
    if (world == NULL) {
        return fr_fail(err, FIRN_INVALID, "world", "world is NULL");
    }
    if (world->locked_by != NULL) {
        return fr_fail(err, FIRN_BUSY, world->locked_by,
                       "the world cannot change while a callback of %s runs", world->locked_by);
    }
    return FIRN_OK;
}

firn_result fr_world_check_idle(const firn_world *world, firn_error *err)
{
    firn_result result = fr_world_check_unlocked(world, err);
    if (result == FIRN_OK && world->dispatch != NULL) {
        return fr_fail(err, FIRN_BUSY, world->dispatch, "not allowed while %s runs",
                       world->dispatch);
    }
    return result;
}

firn_result fr_world_check_closed(const firn_world *world, firn_error *err)
{
    firn_result result = fr_world_check_unlocked(world, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (world->events.depth > 0) {
        return fr_event_busy(world, err);
    }
    return world->open_loops == 0 ? FIRN_OK : fr_query_busy(world, world->loop_query, err);
}

firn_result fr_world_settle(firn_world *world, firn_error *err)
{
    firn_result result = fr_world_check_closed(world, err);
    return result == FIRN_OK ? fr_commands_apply(world, err) : result;
}

firn_result fr_world_enter_slow(firn_world *world, bool *deferred, firn_error *err)
{
    firn_result result = fr_world_check_unlocked(world, err);
    *deferred = result == FIRN_OK && world->open_loops > 0;
    if (result == FIRN_OK && !*deferred && world->commands.count > 0) {
        result = fr_commands_apply(world, err);
    }
    return result;
}

void fr_world_lock(firn_world *world, const char *component)
{
    if (world->locks++ == 0) {
        world->locked_by = component;
    }
}

void fr_world_unlock(firn_world *world)
{
    assert(world->locks > 0);
    if (--world->locks == 0) {
        world->locked_by = NULL;
    }
}

// ---------------------------------------------------------------- hooks

void fr_world_run_hook_on(void (*hook)(void *, const firn_rows *), const fr_component *component,
                          const firn_rows *rows)
{
    // Hooks get the world as const; the lock is firn's own business.
    firn_world *world = (firn_world *)rows->world;
    fr_world_lock(world, component->name);
    hook(component->hooks.user, rows);
    fr_world_unlock(world);
}

void fr_world_run_hook(const firn_world *world, void (*hook)(void *, const firn_rows *),
                       const fr_component *component, fr_archetype *archetype, uint32_t first,
                       uint32_t n)
{
    const fr_column *column = fr_archetype_column(archetype, component->index);
    firn_rows rows = {
        .world = world,
        .component = fr_component_handle(world, component->index),
        .entities = archetype->entities + first,
        .data = column == NULL ? NULL : column->data + (size_t)first * column->stride,
        .size = component->stride,
        .count = n,
    };
    fr_world_run_hook_on(hook, component, &rows);
}

void fr_world_move_rows(firn_world *world, const fr_component *component, void *to, void *from,
                        uint32_t n)
{
    if (world == NULL) {
        fr_component_move(component, to, from, n);
        return;
    }
    fr_world_lock(world, component->name);
    fr_component_move(component, to, from, n);
    fr_world_unlock(world);
}

// ---------------------------------------------------------------- finding

firn_result fr_world_fail_dead(firn_entity entity, firn_error *err)
{
    if (entity == 0) {
        return fr_fail(err, FIRN_INVALID, "entity", "entity is 0");
    }
    return fr_fail_entity(err, FIRN_NOT_FOUND, entity, "entity",
                          "entity %" PRIu64 " (slot %u, generation %" PRIu64 ") does not live",
                          entity, fr_slot(entity), entity >> FIRN_SLOT_BITS);
}

bool firn_alive(const firn_world *world, firn_entity entity)
{
    fr_archetype *archetype;
    uint32_t row;
    if (world == NULL) {
        return false;
    }
    if (fr_world_find(world, entity, &archetype, &row)) {
        return true;
    }
    uint32_t slot = fr_slot(entity);
    if (slot == 0 || slot >= world->index.next_slot) {
        return false;
    }
    uint64_t record = world->index.records[slot];
    return fr_record_kind(record) == FR_SLOT_RESERVED &&
           fr_entity(slot, fr_record_generation(record)) == entity;
}

firn_result fr_world_check_alive(const firn_world *world, firn_entity entity, firn_error *err)
{
    return firn_alive(world, entity) ? FIRN_OK : fr_world_fail_dead(entity, err);
}
