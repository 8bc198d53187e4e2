// Calls of plugin.h.
#include "fault/memory_scene.h"

static firn_result save_nothing(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)user;
    (void)world;
    (void)out;
    (void)err;
    return FIRN_OK;
}

static firn_result handler_add(scene *s, firn_error *err)
{
    firn_handler handler = {.abi = FIRN_ABI, .name = "game.handler", .save = save_nothing};
    return firn_handler_add(s->z.world, &handler, err);
}

static void add_handler(scene *s)
{
    firn_error err;
    assert_ok(handler_add(s, &err), &err);
}

static firn_result handler_remove(scene *s, firn_error *err)
{
    return firn_handler_remove(s->z.world, "game.handler", err);
}

const memory_case memory_plugin_cases[] = {
    {"firn_handler_add", handler_add, NULL, false},
    {"firn_handler_remove", handler_remove, add_handler, true},
    {NULL, NULL, NULL, false},
};
