// The states, phases, systems, classes and providers of a world, put into a new one in the same
// places.
#include "builtin/game.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static bool copy_states(const firn_allocator *allocator, fr_states *to, const fr_states *from)
{
    if (from->count > 0 && !FR_RESERVE(allocator, to->items, to->capacity, from->count)) {
        return false;
    }
    for (uint32_t i = 0; i < from->count; i++) {
        fr_state state = from->items[i];
        state.name = fr_copy_text(allocator, state.name, strlen(state.name));
        if (state.name == NULL) {
            return false;
        }
        state.desc.name = state.name;
        state.maker = fr_maker_copy(state.maker);
        to->items[to->count++] = state;
    }
    return true;
}

static bool copy_phases(const firn_allocator *allocator, fr_pipeline *to, const fr_pipeline *from)
{
    if (!FR_RESERVE(allocator, to->phases, to->phase_capacity, from->phase_count) ||
        !FR_RESERVE(allocator, to->order, to->order_capacity, from->order_count)) {
        return false;
    }
    for (uint32_t i = FR_BUILTIN_PHASES; i < from->phase_count; i++) {
        const fr_phase *phase = from->phases[i];
        fr_phase *copy = fr_phase_make(allocator, phase->name, strlen(phase->name));
        if (copy == NULL) {
            return false;
        }
        copy->group = phase->group;
        copy->disabled = phase->disabled;
        copy->maker = fr_maker_copy(phase->maker);
        to->phases[to->phase_count++] = copy;
    }
    memcpy(to->order, from->order, from->order_count * sizeof *to->order);
    to->order_count = from->order_count;
    return true;
}

static bool copy_systems(const firn_allocator *allocator, fr_phase *to, const fr_phase *from)
{
    if (from->system_count > 0 &&
        !FR_RESERVE(allocator, to->systems, to->system_capacity, from->system_count)) {
        return false;
    }
    for (uint32_t i = 0; i < from->system_count; i++) {
        const fr_system *system = from->systems[i];
        if (system->removed) {
            continue;
        }
        fr_system *copy = fr_system_make(allocator, &system->desc);
        if (copy == NULL) {
            return false;
        }
        copy->handle = system->handle;
        copy->enabled = system->enabled;
        copy->maker = fr_maker_copy(system->maker);
        to->systems[to->system_count++] = copy;
    }
    return true;
}

firn_result fr_game_copy(firn_world *world, const firn_world *original, firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    fr_game *to = fr_game_of(world);
    const fr_game *from = fr_game_of(original);
    fr_pipeline *pipeline = &to->pipeline;
    bool done = copy_states(allocator, &to->states, &from->states) &&
                copy_phases(allocator, pipeline, &from->pipeline);
    for (uint32_t i = 0; done && i < pipeline->phase_count; i++) {
        done = copy_systems(allocator, pipeline->phases[i], from->pipeline.phases[i]);
    }
    done = done && fr_classes_copy(world, &from->classes) &&
           fr_script_copy(allocator, &to->script, &from->script);
    pipeline->systems_made = from->pipeline.systems_made;
    pipeline->started = from->pipeline.started;
    pipeline->timestep = from->pipeline.timestep;
    return done ? FIRN_OK : fr_fail_memory(err, "a world");
}
