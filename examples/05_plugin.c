// A plugin: a physics engine beside the world. Its handler saves the bodies with the world, and a
// load gives each back to its entity.
#include "physics/physics.h"

#include <stdio.h>

static void print_bodies(const Physics *physics, const firn_world *world, const firn_entity *snow)
{
    for (int i = 0; i < 2; i++) {
        const Body *body = physics_body_of(physics, world, snow[i]);
        printf("body %d at %.2f, falling %.1f a second\n", (int)(body - physics->bodies),
               body->height, body->speed);
    }
}

int main(void)
{
    firn_error err;
    Physics physics = {0}, again = {0};
    firn_world *world = firn_world_create(NULL, &err);
    physics_add(world, &physics, &err);
    firn_entity snow[2];
    for (int i = 0; i < 2; i++) {
        snow[i] = firn_spawn(world, NULL, 0, &err);
        physics_add_body(&physics, world, snow[i], 20 + i, &err);
    }
    physics_step(&physics, 0.5);
    print_bodies(&physics, world, snow);
    firn_buffer save = {0};
    firn_snapshot_save(world, NULL, &save, &err);
    firn_world_destroy(world);

    world = firn_world_create(NULL, &err);
    physics_add(world, &again, &err);
    if (firn_snapshot_load(world, save.data, save.size, NULL, NULL, &err) != FIRN_OK) {
        printf("%s\n", err.message);
    }
    print_bodies(&again, world, snow);
    physics_step(&again, 0.5);
    print_bodies(&again, world, snow);

    // What the engine refuses changes nothing, neither in the world nor beside it.
    firn_world *other = firn_world_create(NULL, &err);
    firn_data data = {.key = "physics", .encoded = "\x02", .encoded_size = 1}; // true
    firn_snapshot_save(other, &(firn_save_options){.data = &data, .data_count = 1}, &save, &err);
    if (firn_snapshot_load(world, save.data, save.size, NULL, NULL, &err) != FIRN_OK) {
        printf("%s\n", err.message);
    }
    print_bodies(&again, world, snow);
    firn_world_destroy(other);
    firn_buffer_free(&save);
    firn_world_destroy(world);
    return 0;
}
// body 0 at 17.50, falling 5.0 a second
// body 1 at 18.50, falling 5.0 a second
// body 0 at 17.50, falling 5.0 a second
// body 1 at 18.50, falling 5.0 a second
// body 0 at 12.50, falling 10.0 a second
// body 1 at 13.50, falling 10.0 a second
// handler physics: a table was expected, not true
// body 0 at 12.50, falling 10.0 a second
// body 1 at 13.50, falling 10.0 a second
