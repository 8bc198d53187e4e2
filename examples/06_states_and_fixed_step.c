// States, phases and fixed steps: snow falls in a storm, which is saved and goes on elsewhere.
#include <firn/firn.h>

#include <stdio.h>

// One flake more in every fixed step, somewhere.
static firn_result snow(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)user, (void)dt;
    firn_component height = firn_component_find(world, "Height");
    firn_random *weather = firn_random_stream(world, "weather", err);
    double start = firn_random_range(weather, 10, 20);
    firn_entity flake = firn_spawn(world, &height, 1, err); // has the tag of the state on top
    return flake != 0 ? firn_set(world, flake, height, &start, err) : err->code;
}

static void calm_down(void *user, firn_world *world)
{
    (void)user;
    printf("the storm ends after %u flakes\n", firn_entity_count(world));
}

// What is registered is the same in every process; what happens is in the save.
static firn_world *make_world(void)
{
    firn_world *world = firn_world_create(NULL, NULL);
    firn_component_desc height = {.name = "Height", .kind = FIRN_NUMBER};
    firn_component_register(world, &height, NULL);
    firn_state_create(world, &(firn_state_desc){.name = "calm"}, NULL);
    firn_state_desc storm = {.name = "storm", .exit = calm_down, .despawn_on_pop = true};
    firn_system_desc system = {.name = "snow",
                               .phase = firn_phase_find(world, "FixedUpdate"),
                               .state = firn_state_create(world, &storm, NULL),
                               .run = snow};
    firn_system_add(world, &system, NULL);
    firn_world_set_timestep(world, 0.25, NULL);
    return world;
}

static void run(firn_world *world, int frames)
{
    for (int i = 0; i < frames; i++) {
        firn_world_step(world, 0.1, NULL);
    }
    firn_random next = *firn_random_stream(world, "weather", NULL); // a copy: nothing is drawn
    printf("tick %2d, %.2f s to spare, %2u flakes, next draw %.6f\n", (int)firn_world_tick(world),
           firn_world_accumulator(world), firn_entity_count(world), firn_random_next(&next));
}

int main(void)
{
    firn_world *world = make_world();
    firn_state_push(world, firn_state_find(world, "calm"), NULL);
    run(world, 10);
    firn_state_push(world, firn_state_find(world, "storm"), NULL);
    run(world, 31);
    firn_buffer save = {0};
    firn_snapshot_save(world, NULL, &save, NULL);
    run(world, 31);

    firn_world *other = make_world();
    firn_snapshot_load(other, save.data, save.size, NULL, NULL, NULL);
    printf("loaded: %s\n", firn_state_name(other, firn_state_top(other)));
    run(other, 31);
    firn_state_pop(other, NULL);
    run(other, 10);
    firn_buffer_free(&save);
    firn_world_destroy(other);
    firn_world_destroy(world);
    return 0;
}
// tick  4, 0.00 s to spare,  0 flakes, next draw 0.100957
// tick 16, 0.10 s to spare, 12 flakes, next draw 0.741174
// tick 28, 0.20 s to spare, 24 flakes, next draw 0.276635
// loaded: storm
// tick 28, 0.20 s to spare, 24 flakes, next draw 0.276635
// the storm ends after 24 flakes
// tick 32, 0.20 s to spare,  0 flakes, next draw 0.276635
