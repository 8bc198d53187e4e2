// Calls of game.h.
#include "fault/memory_scene.h"

#include <string.h>

// ---- resources

static void count_destroy(void *pointer)
{
    ++*(uint32_t *)pointer;
}

static firn_result resource_set(scene *s, firn_error *err)
{
    return firn_resource_set(s->z.world, "game.audio", &s->told, NULL, err);
}

static void set_resources(scene *s)
{
    firn_error err;
    for (int i = 0; i < 5; i++) {
        const char *names[] = {"a", "b", "c", "game.audio", "d"};
        assert_ok(firn_resource_set(s->z.world, names[i], &s->told, count_destroy, &err), &err);
    }
}

static firn_result resource_again(scene *s, firn_error *err)
{
    static int other;
    firn_result result = firn_resource_set(s->z.world, "game.audio", &other, NULL, err);
    bool found = firn_resource_get(s->z.world, "game.audio") == &other;
    scene_trace(s, &found, 1);
    return result != FIRN_OK ? result : firn_resource_remove(s->z.world, "game.audio", err);
}

// ---- keys

static firn_result set_key(scene *s, firn_error *err)
{
    return firn_set_text(s->z.world, s->entity, firn_key(s->z.world), "a key that is long", err);
}

static void give_key(scene *s)
{
    firn_error err;
    assert_ok(set_key(s, &err), &err);
}

static firn_result set_other_key(scene *s, firn_error *err)
{
    return firn_set_text(s->z.world, s->entity, firn_key(s->z.world), "another key, long too", err);
}

static firn_result find_key(scene *s, firn_error *err)
{
    firn_world *world = s->z.world;
    bool found = firn_find_key(world, "a key that is long", 18) == s->entity;
    scene_trace(s, &found, 1);
    return scene_made(firn_require_key(world, "a key that is long", err) == s->entity, err);
}

static void save_keys(scene *s)
{
    firn_error err;
    give_key(s);
    assert_ok(firn_set_text(s->z.world, s->other, firn_key(s->z.world), "other", &err), &err);
    assert_ok(firn_snapshot_save(s->z.world, NULL, &s->out, &err), &err);
    assert_ok(firn_despawn(s->z.world, s->entity, &err), &err);
}

static firn_result load_keys(scene *s, firn_error *err)
{
    firn_result result = firn_snapshot_load(s->z.world, s->out.data, s->out.size, NULL, NULL, err);
    return result != FIRN_OK ? result : find_key(s, err);
}

// ---- random numbers

static firn_result random_plain(scene *s, firn_error *err)
{
    (void)err;
    firn_random random;
    firn_random_start(&random, 12345);
    double drawn[] = {firn_random_next(&random), firn_random_range(&random, -1, 1),
                      (double)firn_random_integer(&random, 1, 6)};
    scene_trace(s, drawn, sizeof drawn);
    return FIRN_OK;
}

static firn_result random_stream(scene *s, firn_error *err)
{
    firn_random *stream = firn_random_stream(s->z.world, "game.loot", err);
    if (stream == NULL)
        return err->code;
    scene_trace(s, stream, sizeof *stream);
    return FIRN_OK;
}

static void open_streams(scene *s)
{
    firn_error err;
    const char *names[] = {"one", "two", "three", "four", "five"};
    for (int i = 0; i < 5; i++)
        assert_non_null(firn_random_stream(s->z.world, names[i], &err));
}

static firn_result random_seed(scene *s, firn_error *err)
{
    firn_result result = firn_random_seed(s->z.world, 42, err);
    int32_t seed = firn_random_seed_of(s->z.world);
    scene_trace(s, &seed, sizeof seed);
    return result;
}

// ---- states

static firn_result state_create(scene *s, firn_error *err)
{
    firn_state_desc desc = {.name = "menu", .despawn_on_pop = true};
    return scene_made(firn_state_create(s->z.world, &desc, err) != 0, err);
}

static void create_states(scene *s)
{
    firn_error err;
    assert_ok(state_create(s, &err), &err);
    firn_state_desc desc = {.name = "play"};
    assert_int_not_equal(firn_state_create(s->z.world, &desc, &err), 0);
}

static firn_result state_push(scene *s, firn_error *err)
{
    firn_state state = firn_state_find(s->z.world, "play");
    return firn_state_push(s->z.world, state, err);
}

static void push_states(scene *s)
{
    firn_error err;
    create_states(s);
    assert_ok(state_push(s, &err), &err);
    assert_ok(firn_state_push(s->z.world, firn_state_find(s->z.world, "menu"), &err), &err);
    firn_component tag = firn_state_tag(s->z.world, firn_state_top(s->z.world));
    zoo_spawn_one(s->z.world, tag);
    zoo_spawn_one(s->z.world, tag);
}

static firn_result state_reads(scene *s, firn_error *err)
{
    (void)err;
    firn_world *world = s->z.world;
    firn_state play = firn_state_find(world, "play");
    uint64_t numbers[] = {
        firn_state_depth(world),
        firn_state_at(world, 0) == play,
        firn_state_top(world) == firn_state_find(world, "menu"),
        firn_state_tag(world, play) == firn_component_find(world, "playState"),
        strlen(firn_state_name(world, play)),
    };
    scene_trace(s, numbers, sizeof numbers);
    return FIRN_OK;
}

static firn_result state_pop(scene *s, firn_error *err)
{
    return firn_state_pop(s->z.world, err);
}

static firn_result state_switch(scene *s, firn_error *err)
{
    return firn_state_switch(s->z.world, firn_state_find(s->z.world, "play"), err);
}

// ---- phases and systems

static firn_result phase_add(scene *s, firn_error *err)
{
    firn_phase after = firn_phase_find(s->z.world, "Update");
    return scene_made(firn_phase_add(s->z.world, "game.Physics", after, err) != 0, err);
}

static firn_result phase_reads(scene *s, firn_error *err)
{
    firn_world *world = s->z.world;
    firn_phase update = firn_phase_find(world, "Update");
    firn_result result = firn_phase_enable(world, update, false, err);
    uint64_t numbers[] = {
        firn_phase_count(world),
        firn_phase_at(world, 11) == update,
        firn_phase_enabled(world, update),
        strlen(firn_phase_name(world, update)),
    };
    scene_trace(s, numbers, sizeof numbers);
    return result;
}

static firn_result count_run(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)world;
    (void)dt;
    (void)err;
    ++*(uint32_t *)user;
    return FIRN_OK;
}

static firn_system add_system(scene *s, const char *phase, firn_error *err)
{
    firn_system_desc desc = {.name = "game.count",
                             .phase = firn_phase_find(s->z.world, phase),
                             .run = count_run,
                             .user = &s->told};
    return firn_system_add(s->z.world, &desc, err);
}

static firn_result system_add(scene *s, firn_error *err)
{
    return scene_made(add_system(s, "Update", err) != 0, err);
}

static void add_systems(scene *s)
{
    firn_error err;
    const char *phases[] = {"Startup", "FixedUpdate", "Update", "Shutdown"};
    for (int i = 0; i < 4; i++)
        s->system = add_system(s, phases[i], &err);
}

static firn_result system_change(scene *s, firn_error *err)
{
    firn_result result = firn_system_enable(s->z.world, s->system, false, err);
    bool enabled = firn_system_enabled(s->z.world, s->system);
    scene_trace(s, &enabled, 1);
    return result != FIRN_OK ? result : firn_system_remove(s->z.world, s->system, err);
}

static firn_result step(scene *s, firn_error *err)
{
    firn_world *world = s->z.world;
    firn_result result = firn_world_set_timestep(world, 0.25, err);
    if (result == FIRN_OK)
        result = firn_world_startup(world, err);
    if (result == FIRN_OK)
        result = firn_world_set_accumulator(world, 0.125, err);
    if (result == FIRN_OK)
        result = firn_world_step(world, 0.5, err);
    if (result == FIRN_OK)
        result = firn_world_run_phase(world, firn_phase_find(world, "Update"), 1, err);
    if (result == FIRN_OK)
        result = firn_world_shutdown(world, err);
    double times[] = {firn_world_timestep(world), firn_world_accumulator(world)};
    scene_trace(s, times, sizeof times);
    return result;
}

// ---- a save that has all of it

static void make_everything(firn_world *world)
{
    firn_error err;
    const char *names[] = {"two", "four", "six"};
    for (int i = 0; i < 3; i++)
        assert_non_null(firn_random_stream(world, names[i], &err));
    firn_state play = firn_state_create(world, &(firn_state_desc){.name = "play"}, &err);
    assert_ok(firn_state_push(world, play, &err), &err);
    firn_phase added = firn_phase_add(world, "game.Late", firn_phase_find(world, "Last"), &err);
    assert_ok(firn_phase_enable(world, added, false, &err), &err);
    assert_ok(firn_world_step(world, 0.01, &err), &err);
}

// Of another world, into one that has other streams and does not know the phase.
static void prepare_load(scene *s)
{
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    make_everything(world);
    assert_ok(firn_snapshot_save(world, NULL, &s->out, &err), &err);
    firn_world_destroy(world);
    push_states(s);
    open_streams(s);
}

static firn_result load_game(scene *s, firn_error *err)
{
    return firn_snapshot_load(s->z.world, s->out.data, s->out.size, NULL, NULL, err);
}

static void prepare_save(scene *s)
{
    make_everything(s->z.world);
}

static firn_result save_game(scene *s, firn_error *err)
{
    return firn_snapshot_save(s->z.world, NULL, &s->out, err);
}

static firn_result hash_game(scene *s, firn_error *err)
{
    firn_hash value;
    firn_result result = firn_world_hash(s->z.world, &value, NULL, NULL, err);
    if (result == FIRN_OK)
        scene_trace(s, &value, sizeof value);
    return result;
}

const memory_case memory_game_cases[] = {
    {"firn_resource_set", resource_set, NULL, false},
    {"firn_resource_set firn_resource_get firn_resource_remove", resource_again, set_resources,
     true},
    {"firn_set_text firn_key", set_key, NULL, false},
    {"firn_set_text", set_other_key, give_key, false},
    {"firn_find_key firn_require_key", find_key, give_key, true},
    {"firn_snapshot_load", load_keys, save_keys, false},
    {"firn_random_start firn_random_next firn_random_range firn_random_integer", random_plain, NULL,
     true},
    {"firn_random_stream", random_stream, open_streams, false},
    {"firn_random_seed firn_random_seed_of", random_seed, open_streams, true},
    {"firn_state_create", state_create, NULL, false},
    {"firn_state_push firn_state_find", state_push, create_states, false},
    {"firn_state_depth firn_state_at firn_state_top firn_state_tag firn_state_name", state_reads,
     push_states, true},
    {"firn_state_pop", state_pop, push_states, true},
    {"firn_state_switch", state_switch, push_states, true},
    {"firn_phase_add firn_phase_find", phase_add, NULL, false},
    {"firn_phase_count firn_phase_at firn_phase_enable firn_phase_enabled firn_phase_name",
     phase_reads, NULL, true},
    {"firn_system_add", system_add, NULL, false},
    {"firn_system_enable firn_system_enabled firn_system_remove", system_change, add_systems, true},
    {"firn_world_step firn_world_run_phase firn_world_startup firn_world_shutdown "
     "firn_world_set_timestep firn_world_timestep firn_world_accumulator "
     "firn_world_set_accumulator",
     step, add_systems, true},
    {"firn_snapshot_load", load_game, prepare_load, false},
    {"firn_snapshot_save", save_game, prepare_save, false},
    {"firn_world_hash", hash_game, prepare_save, false},
    {NULL, NULL, NULL, false},
};
