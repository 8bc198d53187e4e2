// Systems: what runs in a phase.
#include "builtin/game.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

// ---------------------------------------------------------------- making

static firn_result check_system(const firn_world *world, const fr_game *game,
                                const firn_system_desc *desc, firn_error *err)
{
    if (desc == NULL) {
        return fr_fail(err, FIRN_INVALID, "desc", "desc is NULL");
    }
    firn_result result = fr_check_reserved(desc->reserved, "firn_system_desc", err);
    if (result == FIRN_OK && desc->name != NULL && desc->name[0] != 0) {
        result = fr_check_text_name(desc->name, world->limits.name_bytes, "system name", NULL, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (desc->run == NULL) {
        return fr_fail(err, FIRN_INVALID, "run", "run is NULL");
    }
    if (desc->state != 0 && fr_state_of(game, desc->state, err) == UINT32_MAX) {
        return FIRN_INVALID;
    }
    if (game->pipeline.systems_made == UINT32_MAX) {
        return fr_fail(err, FIRN_LIMIT, "systems", "%u systems were added, the most allowed",
                       game->pipeline.systems_made);
    }
    return FIRN_OK;
}

fr_system *fr_system_make(const firn_allocator *allocator, const firn_system_desc *desc)
{
    const char *name = desc->name == NULL ? "" : desc->name;
    fr_system *system = fr_alloc(allocator, 1, sizeof *system, alignof(fr_system));
    char *own_name = system == NULL ? NULL : fr_copy_text(allocator, name, strlen(name));
    if (own_name == NULL) {
        fr_free(allocator, system, system != NULL, sizeof *system, alignof(fr_system));
        return NULL;
    }
    *system = (fr_system){.name = own_name, .desc = *desc, .enabled = true};
    system->desc.name = own_name;
    return system;
}

void fr_system_free(const firn_allocator *allocator, fr_system *system)
{
    fr_free_text(allocator, system->name);
    fr_free(allocator, system, 1, sizeof *system, alignof(fr_system));
}

// The copy of what a plugin added in another world, which its install adds here.
static fr_system *find_vacant_system(const firn_world *world, const fr_phase *phase,
                                     const firn_system_desc *desc)
{
    const char *name = desc->name == NULL ? "" : desc->name;
    for (uint32_t i = 0; world->installer != 0 && i < phase->system_count; i++) {
        fr_system *system = phase->systems[i];
        if (fr_maker_waits(system->maker, world->installer) && strcmp(system->name, name) == 0) {
            return system;
        }
    }
    return NULL;
}

firn_system firn_system_add(firn_world *world, const firn_system_desc *desc, firn_error *err)
{
    fr_game *game;
    if (fr_game_enter(world, &game, err) != FIRN_OK ||
        check_system(world, game, desc, err) != FIRN_OK) {
        return 0;
    }
    fr_pipeline *pipeline = &game->pipeline;
    uint32_t index = FR_PHASE_Update;
    if (desc->phase != 0 && (index = fr_phase_of(game, desc->phase, "phase", err)) == UINT32_MAX) {
        return 0;
    }
    fr_phase *phase = pipeline->phases[index];
    fr_system *system = find_vacant_system(world, phase, desc);
    if (system != NULL) {
        system->maker.vacant = false;
        system->desc = *desc;
        system->desc.name = system->name;
        return system->handle;
    }
    if (FR_RESERVE(&world->allocator, phase->systems, phase->system_capacity,
                   phase->system_count + 1)) {
        system = fr_system_make(&world->allocator, desc);
    }
    if (system == NULL) {
        fr_fail_memory(err, "a system");
        return 0;
    }
    system->maker.installer = world->installer;
    system->handle = game->system_base + pipeline->systems_made++;
    phase->systems[phase->system_count++] = system;
    return system->handle;
}

// ---------------------------------------------------------------- finding

typedef struct system_place {
    fr_phase *phase;
    uint32_t at;
    fr_system *system; // NULL: there is none
} system_place;

static system_place find_system(const fr_pipeline *pipeline, firn_system handle)
{
    for (uint32_t i = 0; i < pipeline->phase_count; i++) {
        fr_phase *phase = pipeline->phases[i];
        for (uint32_t at = 0; at < phase->system_count; at++) {
            fr_system *system = phase->systems[at];
            if (system->handle == handle && !system->removed) {
                return (system_place){phase, at, system};
            }
        }
    }
    return (system_place){0};
}

static firn_result enter_system(firn_world *world, firn_system handle, fr_game **game,
                                system_place *place, firn_error *err)
{
    firn_result result = fr_game_enter(world, game, err);
    if (result != FIRN_OK) {
        return result;
    }
    *place = find_system(&(*game)->pipeline, handle);
    if (place->system != NULL) {
        return FIRN_OK;
    }
    bool was = handle - (*game)->system_base < (*game)->pipeline.systems_made;
    return fr_fail(err, was ? FIRN_NOT_FOUND : FIRN_INVALID, "system", "the system %llu %s",
                   (unsigned long long)handle,
                   was ? "was removed" : "is not a system of this world");
}

firn_result firn_system_enable(firn_world *world, firn_system handle, bool enabled, firn_error *err)
{
    fr_game *game;
    system_place place;
    firn_result result = enter_system(world, handle, &game, &place, err);
    if (result == FIRN_OK) {
        place.system->enabled = enabled;
    }
    return result;
}

bool firn_system_enabled(const firn_world *world, firn_system handle)
{
    const fr_game *game = fr_game_of(world);
    if (game == NULL) {
        return false;
    }
    system_place place = find_system(&game->pipeline, handle);
    return place.system != NULL && place.system->enabled;
}

// ---------------------------------------------------------------- removing

static void take_out_system(const firn_allocator *allocator, fr_phase *phase, uint32_t at)
{
    fr_system_free(allocator, phase->systems[at]);
    phase->system_count--;
    memmove(&phase->systems[at], &phase->systems[at + 1],
            (phase->system_count - at) * sizeof(fr_system *));
}

void fr_systems_sweep(const firn_allocator *allocator, fr_pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->phase_count; i++) {
        fr_phase *phase = pipeline->phases[i];
        for (uint32_t at = phase->system_count; at-- > 0;) {
            if (phase->systems[at]->removed) {
                take_out_system(allocator, phase, at);
            }
        }
    }
}

firn_result firn_system_remove(firn_world *world, firn_system handle, firn_error *err)
{
    fr_game *game;
    system_place place;
    firn_result result = enter_system(world, handle, &game, &place, err);
    if (result != FIRN_OK) {
        return result;
    }
    assert(place.phase != NULL && place.system != NULL); // it was found
    // While a phase runs, somebody walks the list or runs the system.
    if (game->pipeline.running > 0) {
        place.system->removed = true;
        game->pipeline.sweep = true;
    } else {
        take_out_system(&world->allocator, place.phase, place.at);
    }
    return FIRN_OK;
}
