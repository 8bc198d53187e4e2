// The phases of a world.
#include "builtin/game.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"

#include <stdalign.h>
#include <string.h>

#define DEFAULT_TIMESTEP (1.0 / 60.0)

// ---------------------------------------------------------------- making

static fr_phase_group builtin_group(uint32_t index)
{
    if (index <= FR_PHASE_PostStartup) {
        return FR_GROUP_STARTUP;
    }
    if (index < FR_PHASE_FixedFirst) {
        return FR_GROUP_BEFORE;
    }
    if (index <= FR_PHASE_FixedLast) {
        return FR_GROUP_FIXED;
    }
    return index <= FR_PHASE_Last ? FR_GROUP_AFTER : FR_GROUP_SHUTDOWN;
}

static bool add_builtin_phases(const firn_allocator *allocator, fr_pipeline *pipeline)
{
#define PHASE_NAME(name) #name,
    static const char *const names[] = {FIRN_PHASES(PHASE_NAME)};
#undef PHASE_NAME
    if (!FR_RESERVE(allocator, pipeline->phases, pipeline->phase_capacity, FR_BUILTIN_PHASES) ||
        !FR_RESERVE(allocator, pipeline->order, pipeline->order_capacity, FR_BUILTIN_PHASES)) {
        return false;
    }
    for (uint32_t i = 0; i < FR_BUILTIN_PHASES; i++) {
        pipeline->builtin[i] = (fr_phase){.name = names[i], .group = builtin_group(i)};
        pipeline->phases[i] = &pipeline->builtin[i];
        pipeline->order[i] = i;
    }
    pipeline->phase_count = FR_BUILTIN_PHASES;
    pipeline->order_count = FR_BUILTIN_PHASES;
    return true;
}

fr_phase *fr_phase_make(const firn_allocator *allocator, const char *name, size_t size)
{
    fr_phase *phase = fr_alloc_zero(allocator, 1, sizeof *phase, alignof(fr_phase));
    char *own_name = phase == NULL ? NULL : fr_copy_text(allocator, name, size);
    if (own_name == NULL) {
        fr_free(allocator, phase, phase != NULL, sizeof *phase, alignof(fr_phase));
        return NULL;
    }
    phase->name = own_name;
    phase->own_name = own_name;
    phase->group = FR_GROUP_NONE;
    return phase;
}

void fr_phase_free(const firn_allocator *allocator, fr_phase *phase)
{
    for (uint32_t i = 0; i < phase->system_count; i++) {
        fr_system_free(allocator, phase->systems[i]);
    }
    FR_ARRAY_FREE(allocator, phase->systems, phase->system_capacity);
    if (phase->own_name != NULL) {
        fr_free_text(allocator, phase->own_name);
        fr_free(allocator, phase, 1, sizeof *phase, alignof(fr_phase));
    }
}

void fr_pipeline_free(const firn_allocator *allocator, fr_pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->phase_count; i++) {
        fr_phase_free(allocator, pipeline->phases[i]);
    }
    FR_ARRAY_FREE(allocator, pipeline->phases, pipeline->phase_capacity);
    FR_ARRAY_FREE(allocator, pipeline->order, pipeline->order_capacity);
    *pipeline = (fr_pipeline){0};
}

uint32_t fr_phase_named(const fr_pipeline *pipeline, const char *name, size_t size)
{
    for (uint32_t i = 0; i < pipeline->phase_count; i++) {
        const char *other = pipeline->phases[i]->name;
        if (strlen(other) == size && memcmp(other, name, size) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

// ---------------------------------------------------------------- phases

firn_result fr_pipeline_check_rests(const fr_pipeline *pipeline, firn_error *err)
{
    for (uint32_t i = 0; pipeline->running > 0 && i < pipeline->order_count; i++) {
        const fr_phase *phase = pipeline->phases[pipeline->order[i]];
        if (phase->running) {
            return fr_fail(err, FIRN_BUSY, phase->name, "not allowed while the phase %s runs",
                           phase->name);
        }
    }
    return FIRN_OK;
}

static uint32_t phase_index(const fr_game *game, firn_phase phase)
{
    if (game == NULL || phase - game->phase_base >= game->pipeline.phase_count) {
        return UINT32_MAX;
    }
    uint32_t index = (uint32_t)(phase - game->phase_base);
    return game->pipeline.phases[index]->group == FR_GROUP_NONE ? UINT32_MAX : index;
}

uint32_t fr_phase_of(const fr_game *game, firn_phase phase, const char *argument, firn_error *err)
{
    uint32_t index = phase_index(game, phase);
    if (index == UINT32_MAX) {
        fr_fail(err, FIRN_INVALID, argument, "%s: %llu is not a phase of this world", argument,
                (unsigned long long)phase);
    }
    return index;
}

static uint32_t order_place(const fr_pipeline *pipeline, uint32_t index)
{
    uint32_t place = 0;
    while (pipeline->order[place] != index) {
        place++;
    }
    return place;
}

// Puts a phase behind another one; there is room in the order.
static void place_phase(fr_pipeline *pipeline, uint32_t index, uint32_t after)
{
    uint32_t place = order_place(pipeline, after) + 1;
    memmove(&pipeline->order[place + 1], &pipeline->order[place],
            (pipeline->order_count - place) * sizeof *pipeline->order);
    pipeline->order[place] = index;
    pipeline->order_count++;
    pipeline->phases[index]->group = pipeline->phases[after]->group;
}

// A new phase without a group.
static uint32_t add_phase(firn_world *world, fr_pipeline *pipeline, const char *name,
                          firn_error *err)
{
    if (pipeline->phase_count >= FR_PHASES_MOST) {
        fr_fail(err, FIRN_LIMIT, name, "phase %s: there are %u already, the most allowed", name,
                pipeline->phase_count);
        return UINT32_MAX;
    }
    fr_phase *phase = NULL;
    if (FR_RESERVE(&world->allocator, pipeline->phases, pipeline->phase_capacity,
                   pipeline->phase_count + 1)) {
        phase = fr_phase_make(&world->allocator, name, strlen(name));
    }
    if (phase == NULL) {
        fr_fail_memory(err, "a phase");
        return UINT32_MAX;
    }
    pipeline->phases[pipeline->phase_count] = phase;
    return pipeline->phase_count++;
}

firn_phase firn_phase_add(firn_world *world, const char *name, firn_phase after, firn_error *err)
{
    fr_game *game;
    size_t size;
    if (fr_game_enter(world, &game, err) != FIRN_OK ||
        fr_pipeline_check_rests(&game->pipeline, err) != FIRN_OK ||
        fr_check_text_name(name, world->limits.name_bytes, "phase name", &size, err) != FIRN_OK) {
        return 0;
    }
    fr_pipeline *pipeline = &game->pipeline;
    uint32_t behind = fr_phase_of(game, after, "after", err);
    if (behind == UINT32_MAX) {
        return 0;
    }
    uint32_t index = fr_phase_named(pipeline, name, size);
    if (index != UINT32_MAX && fr_maker_waits(pipeline->phases[index]->maker, world->installer)) {
        pipeline->phases[index]->maker.vacant = false;
        return game->phase_base + index;
    }
    if (index != UINT32_MAX && pipeline->phases[index]->group != FR_GROUP_NONE) {
        fr_fail(err, FIRN_EXISTS, name, "the phase \"%s\" is there already", name);
        return 0;
    }
    if (!FR_RESERVE(&world->allocator, pipeline->order, pipeline->order_capacity,
                    pipeline->order_count + 1)) {
        fr_fail_memory(err, "a phase");
        return 0;
    }
    if (index == UINT32_MAX) {
        index = add_phase(world, pipeline, name, err);
    }
    if (index == UINT32_MAX) {
        return 0;
    }
    place_phase(pipeline, index, behind);
    pipeline->phases[index]->maker.installer = world->installer;
    return game->phase_base + index;
}

firn_phase firn_phase_find(const firn_world *world, const char *name)
{
    const fr_game *game = fr_game_of(world);
    if (game == NULL || name == NULL) {
        return 0;
    }
    uint32_t index = fr_phase_named(&game->pipeline, name, strlen(name));
    if (index == UINT32_MAX || game->pipeline.phases[index]->group == FR_GROUP_NONE) {
        return 0;
    }
    return game->phase_base + index;
}

const char *firn_phase_name(const firn_world *world, firn_phase phase)
{
    const fr_game *game = fr_game_of(world);
    uint32_t index = phase_index(game, phase);
    return index == UINT32_MAX ? "" : game->pipeline.phases[index]->name;
}

uint32_t firn_phase_count(const firn_world *world)
{
    const fr_game *game = fr_game_of(world);
    return game == NULL ? 0 : game->pipeline.order_count;
}

firn_phase firn_phase_at(const firn_world *world, uint32_t place)
{
    const fr_game *game = fr_game_of(world);
    if (game == NULL || place >= game->pipeline.order_count) {
        return 0;
    }
    return game->phase_base + game->pipeline.order[place];
}

firn_result firn_phase_enable(firn_world *world, firn_phase phase, bool enabled, firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_enter(world, &game, err);
    if (result != FIRN_OK) {
        return result;
    }
    uint32_t index = fr_phase_of(game, phase, "phase", err);
    if (index == UINT32_MAX) {
        return FIRN_INVALID;
    }
    game->pipeline.phases[index]->disabled = !enabled;
    return FIRN_OK;
}

bool firn_phase_enabled(const firn_world *world, firn_phase phase)
{
    const fr_game *game = fr_game_of(world);
    uint32_t index = phase_index(game, phase);
    return index != UINT32_MAX && !game->pipeline.phases[index]->disabled;
}

// ---------------------------------------------------------------- the part of a world

firn_result fr_pipeline_install(firn_world *world, fr_game *game, firn_error *err)
{
    game->pipeline.timestep = DEFAULT_TIMESTEP;
    if (!add_builtin_phases(&world->allocator, &game->pipeline)) {
        return fr_fail_memory(err, "a world");
    }
    return fr_pipeline_add_handler(world, game, err);
}
