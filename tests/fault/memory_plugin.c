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

static firn_result ask_who_is_kept(scene *s, firn_error *err)
{
    (void)err;
    assert_false(firn_save_has(s->z.world, 0));
    assert_int_equal(firn_load_keeps(s->z.world, 1), 0);
    return FIRN_OK;
}

// ---- what observers of saves and loads ask for

static firn_result observe_save(void *user, firn_world *world, const firn_event *event,
                                firn_error *err)
{
    scene *s = user;
    firn_saving *saving = (firn_saving *)event->payload;
    (void)world;
    firn_result result = firn_saving_add_data(saving, "added", s->table, err);
    if (result != FIRN_OK)
        return result;
    result = firn_saving_exclude(saving, s->z.of[ZOO_TAG], err);
    if (result != FIRN_OK)
        return result;
    // {b = 1, a = {}} in an order that is not canonical.
    static const uint8_t loose[] = {0x09, 2, 0x21, 'b', 6, 1, 0, 0, 0, 0x21, 'a', 0x08};
    return firn_saving_add_encoded(saving, "encoded", loose, sizeof loose, err);
}

static void add_save_observer(scene *s)
{
    firn_error err;
    firn_observer_desc desc = {.event = "OnSnapshotSave", .observe = observe_save, .user = s};
    assert_int_not_equal(firn_observe(s->z.world, &desc, &err), 0);
    add_handler(s);
}

static firn_result save(scene *s, firn_error *err)
{
    firn_buffer image;
    firn_buffer_init(&image, &s->memory.allocator);
    firn_result result = firn_snapshot_save(s->z.world, NULL, &image, err);
    if (result == FIRN_OK)
        scene_trace(s, image.data, image.size);
    else
        assert_int_equal(image.size, 0);
    firn_buffer_free(&image);
    return result;
}

static firn_result hear_data(void *user, firn_world *world, const char *key, const void *encoded,
                             size_t size, firn_error *err)
{
    scene *s = user;
    (void)world, (void)key, (void)encoded, (void)size, (void)err;
    s->told++;
    return FIRN_OK;
}

// What fails after the commit has changed the world: it is tried again at once.
static firn_result observe_load(void *user, firn_world *world, const firn_event *event,
                                firn_error *err)
{
    scene *s = user;
    firn_loading *loading = (firn_loading *)event->payload;
    (void)world;
    firn_result result = firn_loading_on_data(loading, "second", hear_data, s, err);
    if (result != FIRN_OK) {
        assert_int_equal(result, FIRN_NO_MEMORY);
        test_allocator_fail_at(&s->memory, 0, false);
        s->memory.injected = true;
        result = firn_loading_on_data(loading, "second", hear_data, s, err);
    }
    return result;
}

static void add_load_observer(scene *s)
{
    firn_error err;
    firn_observer_desc desc = {.event = "StartSnapshotLoad", .observe = observe_load, .user = s};
    assert_int_not_equal(firn_observe(s->z.world, &desc, &err), 0);
    add_handler(s);
}

static firn_result load(scene *s, firn_error *err)
{
    const firn_buffer *image = &s->source->image;
    firn_load_options options = {.skip_unknown = true};
    return firn_snapshot_load(s->z.world, image->data, image->size, &options, NULL, err);
}

const memory_case memory_plugin_cases[] = {
    {"firn_handler_add", handler_add, NULL, false},
    {"firn_handler_remove", handler_remove, add_handler, true},
    {"firn_plugin_add", plugin_add, NULL, false},
    {"firn_plugin_remove", plugin_remove, add_plugin, true},
    {"firn_saving_add_data firn_saving_add_encoded firn_saving_exclude", save, add_save_observer,
     false},
    {"firn_loading_on_data", load, add_load_observer, false},
    {"firn_codec_find", codec_find, add_plugin, true},
    {"firn_save_has firn_load_keeps", ask_who_is_kept, NULL, true},
    {NULL, NULL, NULL, false},
};
