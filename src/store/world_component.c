// The components of a world: handles, registration, names.
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "store/kept.h"
#include "store/relation.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

firn_component fr_component_handle(const firn_world *world, uint32_t index)
{
    return world->component_base + index;
}

// `place` is "", or "[n]" where the argument is a list.
static firn_result fail_handle(const char *argument, const char *place, firn_component handle,
                               firn_error *err)
{
    if (handle == 0) {
        return fr_fail(err, FIRN_INVALID, argument, "%s%s: the component is 0", argument, place);
    }
    return fr_fail(err, FIRN_INVALID, argument,
                   "%s%s: %" PRIu64 " is not a component of this world", argument, place, handle);
}

fr_component *fr_component_of(const firn_world *world, firn_component handle, const char *argument,
                              firn_error *err)
{
    uint32_t index = fr_component_index(world, handle);
    if (index != FR_NO_COMPONENT) {
        return world->components.items[index];
    }
    fail_handle(argument, "", handle, err);
    return NULL;
}

firn_result fr_world_resolve_slow(firn_world *world, const firn_component *handles, uint32_t count,
                                  const char *argument, firn_error *err)
{
    if (count > 0 && handles == NULL) {
        return fr_fail(err, FIRN_INVALID, argument, "%s is NULL and its count is %u", argument,
                       count);
    }
    if (!FR_RESERVE(&world->allocator, world->scratch_components, world->scratch_component_capacity,
                    count)) {
        return fr_fail_memory(err, "a list of components");
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = fr_component_index(world, handles[i]);
        if (index == FR_NO_COMPONENT) {
            char place[16];
            snprintf(place, sizeof place, "[%" PRIu32 "]", i);
            return fail_handle(argument, place, handles[i], err);
        }
        world->scratch_components[i] = index;
    }
    return FIRN_OK;
}

firn_component fr_world_register(firn_world *world, const firn_component_desc *desc,
                                 fr_row_check_fn check, firn_error *err)
{
    if (fr_world_check_unlocked(world, err) != FIRN_OK) {
        return 0;
    }
    if (desc == NULL) {
        fr_fail(err, FIRN_INVALID, "desc", "desc is NULL");
        return 0;
    }
    if (fr_world_resolve(world, desc->required, desc->required_count, "required", err) != FIRN_OK) {
        return 0;
    }
    fr_term *terms;
    uint32_t count;
    uint32_t capacity;
    if (fr_world_close_terms(world, world->scratch_components, desc->required_count, &terms, &count,
                             &capacity, err) != FIRN_OK) {
        return 0;
    }
    // The closed set replaces the one that was given.
    fr_component *component = NULL;
    uint32_t before = world->components.count;
    if (fr_relations_reserve(world) && FR_RESERVE(&world->allocator, world->scratch_components,
                                                  world->scratch_component_capacity, count)) {
        for (uint32_t i = 0; i < count; i++) {
            world->scratch_components[i] = fr_term_component(terms[i]);
        }
        firn_component_desc closed = *desc;
        closed.required_count = count;
        fr_kept_register(world, &closed, world->scratch_components, check, &component, err);
    } else {
        fr_fail_memory(err, "a list of components");
    }
    fr_free(&world->allocator, terms, capacity, sizeof *terms, alignof(max_align_t));
    if (component != NULL && world->components.count > before && component->kind == FIRN_RELATION) {
        fr_relations_enter(world, component);
    }
    return component == NULL ? 0 : fr_component_handle(world, component->index);
}

firn_component firn_component_register(firn_world *world, const firn_component_desc *desc,
                                       firn_error *err)
{
    return fr_world_register(world, desc, NULL, err);
}

firn_result fr_world_check_component(firn_world *world, const firn_component_desc *desc,
                                     bool *adopts, firn_error *err)
{
    *adopts = false;
    firn_result result = fr_world_check_unlocked(world, err);
    if (result == FIRN_OK) {
        result = fr_world_resolve(world, desc->required, desc->required_count, "required", err);
    }
    return result == FIRN_OK ? fr_kept_check(world, desc, world->scratch_components, adopts, err)
                             : result;
}

firn_component firn_component_find(const firn_world *world, const char *name)
{
    if (world == NULL || name == NULL) {
        return 0;
    }
    const fr_component *component = fr_components_find(&world->components, name, strlen(name));
    return component == NULL ? 0 : fr_component_handle(world, component->index);
}

static const fr_component *component_or_null(const firn_world *world, firn_component handle)
{
    if (world == NULL) {
        return NULL;
    }
    uint32_t index = fr_component_index(world, handle);
    return index == FR_NO_COMPONENT ? NULL : world->components.items[index];
}

const char *firn_component_name(const firn_world *world, firn_component handle)
{
    const fr_component *component = component_or_null(world, handle);
    return component == NULL ? "" : component->name;
}

firn_component_kind firn_component_kind_of(const firn_world *world, firn_component handle)
{
    const fr_component *component = component_or_null(world, handle);
    return component == NULL ? FIRN_TAG : component->kind;
}

uint32_t firn_component_count(const firn_world *world)
{
    return world == NULL ? 0 : world->components.count - world->components.kept_count;
}

firn_component firn_component_at(const firn_world *world, uint32_t index)
{
    if (index >= firn_component_count(world)) {
        return 0;
    }
    uint32_t at = index;
    for (uint32_t i = 0; world->components.kept_count > 0 && i <= at; i++) {
        at += world->components.items[i]->kept;
    }
    return fr_component_handle(world, at);
}

firn_component firn_name(const firn_world *world)
{
    return world == NULL ? 0 : fr_component_handle(world, world->builtin_name);
}

firn_component firn_disabled(const firn_world *world)
{
    return world == NULL ? 0 : fr_component_handle(world, world->builtin_disabled);
}

firn_component firn_paused(const firn_world *world)
{
    return world == NULL ? 0 : fr_component_handle(world, world->builtin_paused);
}
