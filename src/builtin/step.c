// Steps: running the phases.
#include "builtin/game.h"

#include "base/error.h"

#include <float.h>

// Phases that run one after the other for one call of the game.
typedef struct step_run {
    firn_world *world;
    fr_game *game;
    uint32_t loads; // of the game when it began: a load since then ends it
    firn_result result;
    firn_error *err;
} step_run;

static step_run begin_run(firn_world *world, fr_game *game, firn_error *err)
{
    return (step_run){.world = world, .game = game, .loads = game->loads, .err = err};
}

static bool goes_on(const step_run *run)
{
    return run->game->loads == run->loads;
}

// Keeps the first failure.
static void note_system_failure(step_run *run, const fr_system *system, firn_result result,
                                firn_error *why)
{
    if (result == FIRN_OK || run->result != FIRN_OK) {
        return;
    }
    run->result = result;
    if (why->message[0] == '\0') {
        fr_fail(why, result, system->name, "the system \"%s\" failed", system->name);
    }
    fr_error_complete(why, result);
    fr_fail_copy(run->err, why);
}

static void run_system(step_run *run, const fr_system *system, double dt)
{
    firn_error why;
    fr_error_begin(&why);
    firn_result result = system->desc.run(system->desc.user, run->world, dt, &why);
    note_system_failure(run, system, result, &why);
    result = fr_game_close_loops(run->world, "system", system->name, &why);
    note_system_failure(run, system, result, &why);
}

static bool system_runs(const step_run *run, const fr_system *system)
{
    return system->enabled && !system->removed &&
           (system->desc.state == 0 || system->desc.state == firn_state_top(run->world));
}

static void run_phase(step_run *run, fr_phase *phase, double dt)
{
    fr_pipeline *pipeline = &run->game->pipeline;
    // Systems that are added meanwhile come behind these.
    uint32_t count = phase->system_count;
    phase->running = true;
    pipeline->running++;
    for (uint32_t i = 0; i < count && goes_on(run); i++) {
        if (system_runs(run, phase->systems[i])) {
            run_system(run, phase->systems[i], dt);
        }
    }
    pipeline->running--;
    phase->running = false;
    if (pipeline->running == 0 && pipeline->sweep) {
        pipeline->sweep = false;
        fr_systems_sweep(&run->world->allocator, pipeline);
    }
}

static void run_group(step_run *run, fr_phase_group group, double dt)
{
    const fr_pipeline *pipeline = &run->game->pipeline;
    for (uint32_t i = 0; i < pipeline->order_count && goes_on(run); i++) {
        fr_phase *phase = pipeline->phases[pipeline->order[i]];
        if (phase->group == group && !phase->disabled) {
            run_phase(run, phase, dt);
        }
    }
}

static void run_startup(step_run *run)
{
    if (!run->game->pipeline.started) {
        run->game->pipeline.started = true;
        run_group(run, FR_GROUP_STARTUP, 0);
    }
}

static void run_fixed(step_run *run, double dt)
{
    fr_pipeline *pipeline = &run->game->pipeline;
    pipeline->accumulator += dt;
    while (goes_on(run) && pipeline->accumulator >= pipeline->timestep) {
        pipeline->accumulator -= pipeline->timestep;
        run_group(run, FR_GROUP_FIXED, pipeline->timestep);
        if (goes_on(run)) {
            // At the highest number it stays.
            (void)firn_world_set_tick(run->world, firn_world_tick(run->world) + 1, NULL);
        }
    }
}

// What a call does first that runs whole groups.
static firn_result begin_step(firn_world *world, fr_game **game, firn_error *err)
{
    firn_result result = fr_game_settle(world, game, err);
    if (result == FIRN_OK) {
        result = fr_pipeline_check_rests(&(*game)->pipeline, err);
    }
    if (result == FIRN_OK && (*game)->states.changing != NULL) {
        const char *name = (*game)->states.changing;
        result = fr_fail(err, FIRN_BUSY, name, "no step while a callback of the state \"%s\" runs",
                         name);
    }
    return result;
}

static firn_result check_time(double time, const char *name, firn_error *err)
{
    if (time >= 0 && time <= DBL_MAX) {
        return FIRN_OK;
    }
    return fr_fail(err, FIRN_INVALID, name, "%s is %g, not a finite time", name, time);
}

// A load may bring more time than the timestep of this world is for.
static firn_result check_steps(const fr_pipeline *pipeline, double dt, firn_error *err)
{
    double seconds = pipeline->accumulator + dt;
    if (seconds / pipeline->timestep <= FR_FIXED_MOST) {
        return FIRN_OK;
    }
    return fr_fail(err, FIRN_LIMIT, "dt",
                   "%g seconds, of which %g waited before, are more than %u steps of %g seconds; "
                   "firn_world_set_accumulator drops what waits",
                   seconds, pipeline->accumulator, FR_FIXED_MOST, pipeline->timestep);
}

firn_result firn_world_step(firn_world *world, double dt, firn_error *err)
{
    fr_game *game;
    firn_result result = begin_step(world, &game, err);
    if (result == FIRN_OK) {
        result = check_time(dt, "dt", err);
    }
    if (result == FIRN_OK) {
        result = check_steps(&game->pipeline, dt, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    step_run run = begin_run(world, game, err);
    run_startup(&run);
    run_group(&run, FR_GROUP_BEFORE, dt);
    if (goes_on(&run)) {
        run_fixed(&run, dt);
    }
    run_group(&run, FR_GROUP_AFTER, dt);
    return run.result;
}

firn_result firn_world_run_phase(firn_world *world, firn_phase phase, double dt, firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_settle(world, &game, err);
    if (result == FIRN_OK) {
        result = check_time(dt, "dt", err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    uint32_t index = fr_phase_of(game, phase, "phase", err);
    if (index == UINT32_MAX) {
        return FIRN_INVALID;
    }
    fr_phase *found = game->pipeline.phases[index];
    if (found->running) {
        return fr_fail(err, FIRN_BUSY, found->name, "the phase %s runs already", found->name);
    }
    step_run run = begin_run(world, game, err);
    run_phase(&run, found, dt);
    return run.result;
}

firn_result firn_world_startup(firn_world *world, firn_error *err)
{
    fr_game *game;
    firn_result result = begin_step(world, &game, err);
    if (result != FIRN_OK) {
        return result;
    }
    step_run run = begin_run(world, game, err);
    run_startup(&run);
    return run.result;
}

firn_result firn_world_shutdown(firn_world *world, firn_error *err)
{
    fr_game *game;
    firn_result result = begin_step(world, &game, err);
    if (result != FIRN_OK || !game->pipeline.started) {
        return result;
    }
    step_run run = begin_run(world, game, err);
    game->pipeline.started = false;
    run_group(&run, FR_GROUP_SHUTDOWN, 0);
    return run.result;
}

// ---------------------------------------------------------------- times

firn_result firn_world_set_timestep(firn_world *world, double seconds, firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_enter(world, &game, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (!(seconds > 0 && seconds <= DBL_MAX)) {
        return fr_fail(err, FIRN_INVALID, "seconds", "seconds is %g, not a finite time above 0",
                       seconds);
    }
    game->pipeline.timestep = seconds;
    return FIRN_OK;
}

double firn_world_timestep(const firn_world *world)
{
    const fr_game *game = fr_game_of(world);
    return game == NULL ? 0 : game->pipeline.timestep;
}

double firn_world_accumulator(const firn_world *world)
{
    const fr_game *game = fr_game_of(world);
    return game == NULL ? 0 : game->pipeline.accumulator;
}

firn_result firn_world_set_accumulator(firn_world *world, double seconds, firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_enter(world, &game, err);
    if (result == FIRN_OK) {
        result = check_time(seconds, "seconds", err);
    }
    if (result == FIRN_OK) {
        result = fr_pipeline_check_rests(&game->pipeline, err);
    }
    if (result == FIRN_OK) {
        game->pipeline.accumulator = seconds + 0.0; // -0 is 0
    }
    return result;
}
