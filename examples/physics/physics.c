#include "physics.h"

#include <stdlib.h>

// One value: {{entity, height, speed}, ...}
static firn_result physics_save(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)world, (void)err;
    const Physics *physics = user;
    firn_write_table(out, physics->count, 0);
    for (uint32_t i = 0; i < physics->count; i++) {
        firn_write_table(out, 3, 0);
        firn_write_number(out, (double)physics->bodies[i].entity);
        firn_write_number(out, physics->bodies[i].height);
        firn_write_number(out, physics->bodies[i].speed);
    }
    return FIRN_OK;
}

// Before anything changes: reads the bodies aside, or refuses the save.
static firn_result physics_check(void *user, firn_world *world, firn_reader *in, void **prepared,
                                 firn_error *err)
{
    (void)user, (void)world;
    Physics *saved = calloc(1, sizeof *saved);
    if (saved == NULL) {
        return err->code = FIRN_NO_MEMORY;
    }
    saved->count = in != NULL ? firn_read_table(in).array_count : 0;
    if (saved->count > PHYSICS_BODIES) {
        firn_reader_refuse(in, "more bodies than there is room for");
    }
    for (uint32_t i = 0; i < saved->count && !firn_reader_failed(in); i++) {
        if (firn_read_table(in).array_count != 3) {
            firn_reader_refuse(in, "a body is {entity, height, speed}");
        }
        saved->bodies[i].entity = (firn_entity)firn_read_number(in);
        saved->bodies[i].height = firn_read_number(in);
        saved->bodies[i].speed = firn_read_number(in);
    }
    if (in != NULL && firn_reader_failed(in)) {
        free(saved);
        return FIRN_OK; // the load fails, for the reason of the reader
    }
    *prepared = saved;
    return FIRN_OK;
}

static void physics_discard(void *user, firn_world *world, void *prepared)
{
    (void)user, (void)world;
    free(prepared);
}

// The world is the loaded one: so are the bodies.
static void physics_commit(void *user, firn_world *world, void *prepared)
{
    Physics *physics = user;
    firn_component rigid_body = physics->rigid_body;
    *physics = *(const Physics *)prepared;
    physics->rigid_body = rigid_body;
    physics_discard(user, world, prepared);
}

// Bodies and entities find each other again.
static firn_result physics_finish(void *user, firn_world *world, const firn_prelude *prelude,
                                  firn_error *err)
{
    (void)prelude;
    Physics *physics = user;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; i < physics->count && result == FIRN_OK; i++) {
        firn_entity entity = physics->bodies[i].entity;
        result = firn_set(world, entity, physics->rigid_body, &(RigidBody){i}, err);
    }
    return result;
}

static firn_result physics_install(void *user, firn_world *world, firn_error *err)
{
    static const firn_field fields[] = {FIRN_FIELD(RigidBody, body, FIRN_U32)};
    firn_component_desc desc = {.name = "RigidBody",
                                .kind = FIRN_STRUCT,
                                .size = sizeof(RigidBody),
                                .fields = fields,
                                .field_count = 1,
                                .transient = true};
    Physics *physics = user;
    physics->rigid_body = firn_component_register(world, &desc, err);
    return physics->rigid_body != 0 ? FIRN_OK : err->code;
}

firn_result physics_add(firn_world *world, Physics *physics, firn_error *err)
{
    firn_handler handler = {.abi = FIRN_ABI,
                            .name = "physics",
                            .save = physics_save,
                            .check = physics_check,
                            .commit = physics_commit,
                            .discard = physics_discard,
                            .finish = physics_finish,
                            .user = physics};
    firn_plugin plugin = {.abi = FIRN_ABI,
                          .name = "physics",
                          .handlers = (const firn_handler *const[]){&handler, NULL},
                          .install = physics_install,
                          .user = physics};
    return firn_plugin_add(world, &plugin, err);
}

firn_result physics_add_body(Physics *physics, firn_world *world, firn_entity entity, double height,
                             firn_error *err)
{
    RigidBody row = {physics->count};
    if (physics->count == PHYSICS_BODIES) {
        return FIRN_LIMIT;
    }
    firn_result result = firn_set(world, entity, physics->rigid_body, &row, err);
    if (result == FIRN_OK) {
        physics->bodies[physics->count++] = (Body){entity, height, 0};
    }
    return result;
}

void physics_step(Physics *physics, double dt)
{
    for (uint32_t i = 0; i < physics->count; i++) {
        physics->bodies[i].speed += 10 * dt;
        physics->bodies[i].height -= physics->bodies[i].speed * dt;
    }
}

const Body *physics_body_of(const Physics *physics, const firn_world *world, firn_entity entity)
{
    const RigidBody *row = firn_get(world, entity, physics->rigid_body);
    return row != NULL ? &physics->bodies[row->body] : NULL;
}
