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

// ---- plugins

static firn_result encode_nothing(void *user, const firn_rows *rows, firn_writer *out,
                                  firn_error *err)
{
    (void)user, (void)err;
    for (uint32_t i = 0; i < rows->count; i++)
        firn_write_nil(out);
    return FIRN_OK;
}

static firn_result decode_nothing(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user, (void)err;
    for (uint32_t i = 0; i < rows->count; i++)
        firn_read_skip(in);
    return FIRN_OK;
}

static firn_result observe_nothing(void *user, firn_world *world, const firn_event *event,
                                   firn_error *err)
{
    (void)user, (void)world, (void)event, (void)err;
    return FIRN_OK;
}

static firn_result plugin_add(scene *s, firn_error *err)
{
    const firn_codec codec = {FIRN_ABI, "nothing", encode_nothing, decode_nothing, NULL};
    const firn_codec *codecs[] = {&codec, NULL};
    const firn_handler handler = {.abi = FIRN_ABI, .name = "game.more", .save = save_nothing};
    const firn_handler *handlers[] = {&handler, NULL};
    const char *events[] = {"One", "Two", NULL};
    const firn_observer_desc observer = {.event = "Two", .observe = observe_nothing};
    const firn_observer_desc *observers[] = {&observer, &observer, NULL};
    const firn_plugin plugin = {.abi = FIRN_ABI,
                                .name = "plugin",
                                .codecs = codecs,
                                .handlers = handlers,
                                .events = events,
                                .observers = observers};
    firn_result result = firn_plugin_add(s->z.world, &plugin, err);
    bool done = result == FIRN_OK;
    assert_int_equal(firn_codec_find(s->z.world, "nothing") != NULL, done);
    assert_int_equal(firn_event_find(s->z.world, "One") != 0, done);
    return result;
}

static void add_plugin(scene *s)
{
    firn_error err;
    assert_ok(plugin_add(s, &err), &err);
}

static firn_result plugin_remove(scene *s, firn_error *err)
{
    return firn_plugin_remove(s->z.world, "plugin", err);
}

static firn_result codec_find(scene *s, firn_error *err)
{
    (void)err;
    assert_non_null(firn_codec_find(s->z.world, "nothing"));
    return FIRN_OK;
}

const memory_case memory_plugin_cases[] = {
    {"firn_handler_add", handler_add, NULL, false},
    {"firn_handler_remove", handler_remove, add_handler, true},
    {"firn_plugin_add", plugin_add, NULL, false},
    {"firn_plugin_remove", plugin_remove, add_plugin, true},
    {"firn_codec_find", codec_find, add_plugin, true},
    {NULL, NULL, NULL, false},
};
