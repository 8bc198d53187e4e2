// Clocks. The time of one is worked out when it is read: nothing runs, and nothing adds up.
#include "builtin/game.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

// ---------------------------------------------------------------- finding

// Where the clock stands, or would stand.
static uint32_t clock_place(const fr_script_state *state, const char *name, size_t size,
                            bool *there)
{
    uint32_t first = 0;
    uint32_t behind = state->clock_count;
    *there = false;
    while (first < behind && !*there) {
        uint32_t middle = first + (behind - first) / 2;
        const char *other = state->clocks[middle]->name;
        int order = fr_compare_names(other, strlen(other), name, size);
        *there = order == 0;
        if (order >= 0) {
            behind = middle;
        } else {
            first = middle + 1;
        }
    }
    return behind;
}

fr_clock *fr_clock_named(const fr_script_state *state, const char *name)
{
    bool there;
    uint32_t place = clock_place(state, name, strlen(name), &there);
    return there ? state->clocks[place] : NULL;
}

static firn_result fail_no_clock(const char *name, firn_error *err)
{
    return fr_fail(err, FIRN_NOT_FOUND, name, "there is no clock \"%s\"", name);
}

firn_result fr_script_find_clock(const fr_script_state *state, const char *name, fr_clock **clock,
                                 firn_error *err)
{
    *clock = NULL;
    if (name == NULL) {
        return FIRN_OK;
    }
    *clock = fr_clock_named(state, name);
    return *clock != NULL ? FIRN_OK : fail_no_clock(name, err);
}

// ---------------------------------------------------------------- reading

double fr_clock_ticks(const fr_clock *clock, uint64_t tick)
{
    uint64_t passed = clock->paused || tick < clock->anchor ? 0 : tick - clock->anchor;
    return clock->base + clock->scale * (double)passed;
}

double fr_script_now(const firn_world *world, const fr_clock *clock)
{
    return clock == NULL ? (double)world->tick : fr_clock_ticks(clock, world->tick);
}

firn_result firn_clock_read(const firn_world *world, const char *name, firn_clock *out,
                            firn_error *err)
{
    const fr_game *game = fr_game_of(world);
    if (game == NULL || name == NULL || out == NULL) {
        const char *argument = game == NULL ? "world" : name == NULL ? "name" : "out";
        return fr_fail(err, FIRN_INVALID, argument, "%s is NULL", argument);
    }
    const fr_clock *clock = fr_clock_named(&game->script.state, name);
    if (clock == NULL) {
        return fail_no_clock(name, err);
    }
    double ticks = fr_clock_ticks(clock, world->tick);
    *out = (firn_clock){
        .ticks = ticks,
        .seconds = ticks * game->pipeline.timestep,
        .scale = clock->scale,
        .paused = clock->paused,
    };
    return FIRN_OK;
}

uint32_t firn_clock_count(const firn_world *world)
{
    const fr_game *game = fr_game_of(world);
    return game == NULL ? 0 : game->script.state.clock_count;
}

const char *firn_clock_name(const firn_world *world, uint32_t place)
{
    return place < firn_clock_count(world) ? fr_game_of(world)->script.state.clocks[place]->name
                                           : "";
}

// ---------------------------------------------------------------- making

fr_clock *fr_clock_make(const firn_allocator *allocator, fr_script_state *state, const char *name,
                        size_t size, firn_error *err)
{
    fr_clock *clock = NULL;
    if (FR_RESERVE(allocator, state->clocks, state->clock_capacity, state->clock_count + 1)) {
        clock = fr_alloc_zero(allocator, 1, sizeof *clock, alignof(fr_clock));
    }
    if (clock != NULL) {
        clock->name = fr_copy_text(allocator, name, size);
    }
    if (clock == NULL || clock->name == NULL) {
        fr_free(allocator, clock, 1, sizeof *clock, alignof(fr_clock));
        fr_fail_memory(err, "a clock");
        return NULL;
    }
    clock->scale = 1;
    bool there;
    uint32_t place = clock_place(state, name, size, &there);
    memmove(&state->clocks[place + 1], &state->clocks[place],
            (state->clock_count - place) * sizeof(fr_clock *));
    state->clocks[place] = clock;
    state->clock_count++;
    return clock;
}

firn_result firn_clock_add(firn_world *world, const char *name, firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_enter(world, &game, err);
    if (result == FIRN_OK) {
        result = fr_script_check_name(name, "name", err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_script_state *state = &game->script.state;
    if (fr_clock_named(state, name) != NULL) {
        return fr_fail(err, FIRN_EXISTS, name, "there is a clock \"%s\" already", name);
    }
    if (state->clock_count >= FR_SCRIPT_NAMES_MOST) {
        return fr_fail(err, FIRN_LIMIT, name, "clock %s: there are %u already, the most allowed",
                       name, state->clock_count);
    }
    fr_clock *clock = fr_clock_make(&world->allocator, state, name, strlen(name), err);
    if (clock == NULL) {
        return FIRN_NO_MEMORY;
    }
    clock->anchor = world->tick;
    return FIRN_OK;
}

// ---------------------------------------------------------------- changing

static firn_result enter_clock(firn_world *world, const char *name, fr_game **game,
                               fr_clock **clock, firn_error *err)
{
    firn_result result = fr_game_enter(world, game, err);
    if (result == FIRN_OK && name == NULL) {
        result = fr_fail(err, FIRN_INVALID, "name", "name is NULL");
    }
    if (result == FIRN_OK) {
        result = fr_script_find_clock(&(*game)->script.state, name, clock, err);
    }
    assert(result != FIRN_OK || *clock != NULL);
    return result;
}

firn_result firn_clock_remove(firn_world *world, const char *name, firn_error *err)
{
    fr_game *game;
    fr_clock *clock;
    firn_result result = enter_clock(world, name, &game, &clock, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (clock->users > 0) {
        fr_items_sweep(world, &game->script.state);
    }
    if (clock->users > 0) {
        return fr_fail(err, FIRN_BUSY, name, "%u items go by the clock \"%s\"", clock->users, name);
    }
    fr_script_state *state = &game->script.state;
    bool there;
    uint32_t place = clock_place(state, name, strlen(name), &there);
    state->clock_count--;
    memmove(&state->clocks[place], &state->clocks[place + 1],
            (state->clock_count - place) * sizeof(fr_clock *));
    fr_free_text(&world->allocator, clock->name);
    fr_free(&world->allocator, clock, 1, sizeof *clock, alignof(fr_clock));
    return FIRN_OK;
}

// What comes now goes on from here.
static void move_anchor(const firn_world *world, fr_clock *clock)
{
    clock->base = fr_clock_ticks(clock, world->tick);
    clock->anchor = world->tick;
}

firn_result firn_clock_scale(firn_world *world, const char *name, double scale, firn_error *err)
{
    fr_game *game;
    fr_clock *clock;
    firn_result result = enter_clock(world, name, &game, &clock, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (!(scale >= 0 && scale <= FR_SCRIPT_SCALE_MOST)) {
        return fr_fail(err, FIRN_INVALID, "scale", "scale is %g, not a number from 0 to %g", scale,
                       FR_SCRIPT_SCALE_MOST);
    }
    move_anchor(world, clock);
    clock->scale = scale + 0.0; // -0 is 0
    return FIRN_OK;
}

firn_result firn_clock_pause(firn_world *world, const char *name, bool paused, firn_error *err)
{
    fr_game *game;
    fr_clock *clock;
    firn_result result = enter_clock(world, name, &game, &clock, err);
    if (result == FIRN_OK) {
        move_anchor(world, clock);
        clock->paused = paused;
    }
    return result;
}

firn_result firn_clock_set(firn_world *world, const char *name, double ticks, firn_error *err)
{
    fr_game *game;
    fr_clock *clock;
    firn_result result = enter_clock(world, name, &game, &clock, err);
    if (result == FIRN_OK) {
        result = fr_script_check_ticks(ticks, "ticks", err);
    }
    if (result == FIRN_OK) {
        clock->base = ticks + 0.0; // -0 is 0
        clock->anchor = world->tick;
    }
    return result;
}
