// What a world has beside entities, put into a new one: its registrations, in the same places.
#include "store/world_copy.h"

#include "base/alloc.h"
#include "base/error.h"
#include "store/kept.h"
#include "store/relation.h"

#include <string.h>

void fr_world_share_handles(firn_world *world, const firn_world *original)
{
    // Observers and queues are no copies: their handles stay those of the world.
    world->component_base = original->component_base;
    world->query_base = original->query_base;
    world->events.kind_base = original->events.kind_base;
}

static bool copy_component(firn_world *world, const fr_component *from)
{
    const firn_allocator *allocator = &world->allocator;
    fr_components *components = &world->components;
    // A place that a load of the original took for what it keeps: empty, and free for another.
    if (from->kept) {
        return fr_kept_add_blank(allocator, components) != NULL;
    }
    fr_component *copy = fr_component_copy(allocator, from);
    if (copy == NULL) {
        return false;
    }
    if (!fr_relations_reserve(world) ||
        !fr_components_reserve(allocator, components, copy->former_count)) {
        fr_component_destroy(allocator, copy);
        return false;
    }
    fr_components_put(allocator, components, copy);
    if (copy->kind == FIRN_RELATION) {
        fr_relations_enter(world, copy);
    }
    return true;
}

static firn_result copy_event_kinds(firn_world *world, const firn_world *original, firn_error *err)
{
    for (uint32_t i = world->events.kind_count; i < original->events.kind_count; i++) {
        if (firn_event_register(world, original->events.kinds[i].name, err) == 0) {
            return FIRN_NO_MEMORY;
        }
    }
    return FIRN_OK;
}

firn_result fr_world_copy(firn_world *world, const firn_world *original, firn_error *err)
{
    char *name = fr_copy_text(&world->allocator, original->name, strlen(original->name));
    if (name == NULL) {
        return fr_fail_memory(err, "a world");
    }
    fr_free_text(&world->allocator, world->name);
    world->name = name;
    world->persists = original->persists;
    for (uint32_t i = world->components.count; i < original->components.count; i++) {
        if (!copy_component(world, original->components.items[i])) {
            return fr_fail_memory(err, "a component");
        }
    }
    firn_result result = copy_event_kinds(world, original, err);
    if (result == FIRN_OK && !fr_queries_copy(world, original)) {
        result = fr_fail_memory(err, "a query");
    }
    return result;
}
