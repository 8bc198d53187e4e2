// Calls of bus.h, replace.h and class.h.
#include "fault/memory_scene.h"

#include <string.h>

static firn_result hear_bus(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    (void)world, (void)err;
    scene_trace(user, event->entities, event->count * sizeof *event->entities);
    return FIRN_OK;
}

// ---- a bus and its worlds

static firn_result bus_life(scene *s, firn_error *err)
{
    firn_bus *bus = firn_bus_create(&s->memory.allocator, err);
    if (bus == NULL)
        return err->code;
    firn_bus_observer observer = firn_bus_observe(bus, "OnSpawn", hear_bus, s, err);
    firn_result result = scene_made(observer != 0, err);
    assert_ok(firn_bus_destroy(bus, NULL), NULL);
    return result;
}

// The world shares the allocator with the bus.
static firn_result bus_world(scene *s, firn_error *err)
{
    firn_bus *bus = firn_bus_create(&s->memory.allocator, err);
    if (bus == NULL)
        return err->code;
    firn_world_desc desc = {.allocator = &s->memory.allocator, .bus = bus};
    firn_world *world = firn_world_create(&desc, err);
    firn_result result = scene_made(world != NULL, err);
    if (result == FIRN_OK && firn_bus_observe(bus, "Hit", hear_bus, s, err) == 0)
        result = err->code;
    if (result == FIRN_OK && firn_event_register(world, "Hit", err) == 0)
        result = err->code;
    firn_world_destroy(world);
    assert_ok(firn_bus_destroy(bus, NULL), NULL);
    return result;
}

static firn_result attach_and_detach(scene *s, firn_error *err)
{
    uint64_t calls = s->memory.calls;
    firn_bus *bus = firn_bus_create(NULL, err);
    assert_non_null(bus);
    firn_bus_observer observer = firn_bus_observe(bus, "OnSpawn", hear_bus, s, err);
    firn_world *world = firn_world_create(&(firn_world_desc){.bus = bus}, err);
    assert_ok(firn_world_detach(world, err), err);
    assert_ok(firn_world_attach(world, err), err);
    assert_ok(firn_world_bind(world, world, err), err);
    assert_true(firn_world_attached(world) && firn_world_bus(world) == bus);
    assert_ok(firn_bus_unobserve(bus, observer, err), err);
    firn_world_destroy(world);
    assert_ok(firn_bus_destroy(bus, err), err);
    assert_int_equal(s->memory.calls, calls);
    return FIRN_OK;
}

// ---- replacements

static firn_result run_nothing(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)user, (void)world, (void)dt, (void)err;
    return FIRN_OK;
}

static firn_result write_nothing(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)user, (void)world, (void)out, (void)err;
    return FIRN_OK;
}

// All of it is made again in the replacement.
static firn_result install(void *user, firn_world *world, firn_error *err)
{
    (void)user;
    firn_state state = firn_state_create(world, &(firn_state_desc){.name = "storm"}, err);
    if (state == 0)
        return err->code;
    firn_phase phase = firn_phase_add(world, "Drift", firn_phase_find(world, "Update"), err);
    if (phase == 0)
        return err->code;
    firn_system_desc system = {.name = "blow", .phase = phase, .run = run_nothing};
    if (firn_system_add(world, &system, err) == 0)
        return err->code;
    if (firn_query_create(world, &(firn_query_desc){.name = "windy"}, err) == 0)
        return err->code;
    return firn_resource_set(world, "air", world, NULL, err);
}

static firn_result encode_same(void *user, const firn_rows *rows, firn_writer *out, firn_error *err)
{
    (void)user, (void)err;
    for (uint32_t i = 0; i < rows->count; i++)
        firn_write_number(out, 1);
    return FIRN_OK;
}

static firn_result decode_same(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user, (void)err;
    for (uint32_t i = 0; i < rows->count; i++)
        (void)firn_read_number(in);
    return FIRN_OK;
}

static void make_rich(scene *s)
{
    firn_error err;
    firn_world *world = s->z.world;
    const firn_handler own = {.abi = FIRN_ABI, .name = "own", .save = write_nothing};
    const firn_handler other = {.abi = FIRN_ABI, .name = "other", .save = write_nothing};
    const firn_codec codec = {FIRN_ABI, "same", encode_same, decode_same, NULL};
    const firn_observer_desc spawns = {.event = "OnSpawn", .observe = hear_bus, .user = s};
    const firn_plugin plugin = {
        .abi = FIRN_ABI,
        .name = "weather",
        .codecs = (const firn_codec *const[]){&codec, NULL},
        .handlers = (const firn_handler *const[]){&own, NULL},
        .observers = (const firn_observer_desc *const[]){&spawns, NULL},
        .install = install,
    };
    assert_ok(firn_plugin_add(world, &plugin, &err), &err);
    assert_ok(firn_handler_add(world, &other, &err), &err);
    static const char *const former[] = {"power", NULL};
    static const firn_field fields[] = {
        {.name = "force", .type = FIRN_F64, .former_names = former}};
    firn_component_desc wind = zoo_struct("Wind", sizeof(double), fields, 1);
    wind.codec = firn_codec_find(world, "same");
    wind.former_names = (const char *const[]){"Breeze", NULL};
    zoo_register(world, &wind);
    firn_component_desc likes = {.name = "Likes", .kind = FIRN_RELATION};
    zoo_register(world, &likes);
    assert_int_not_equal(firn_event_register(world, "Hit", &err), 0);
    firn_term terms[] = {{.component = s->z.of[ZOO_POINT]}};
    firn_query_desc query = {.name = "points", .terms = terms, .term_count = 1};
    assert_int_not_equal(firn_query_create(world, &query, &err), 0);
}

static firn_result build_from(scene *s, firn_error *err)
{
    firn_load_options options = {.skip_unknown = true};
    firn_load_report report;
    const firn_buffer *image = &s->source->image;
    firn_world *world =
        firn_world_build_from(s->z.world, image->data, image->size, &options, &report, err);
    assert_int_equal(world != NULL, report.committed);
    firn_load_report_free(&report);
    firn_result result = scene_made(world != NULL, err);
    if (result == FIRN_OK) {
        uint32_t count = firn_entity_count(world);
        scene_trace(s, &count, sizeof count);
    }
    firn_world_destroy(world);
    return result;
}

// ---- classes

static firn_result do_nothing(void *user, firn_world *world, firn_entity entity, firn_error *err)
{
    (void)user, (void)world, (void)entity, (void)err;
    return FIRN_OK;
}

static firn_result register_class(scene *s, firn_error *err)
{
    const firn_component parts[] = {s->z.of[ZOO_POINT], s->z.of[ZOO_TITLE], s->z.of[ZOO_TAG]};
    const zoo_point point = {1, 2};
    const void *rows[] = {&point, NULL, NULL};
    const firn_value title = {
        .kind = FIRN_VALUE_STRING, .length = 33, .as.string = "a title of more than twelve bytes"};
    const firn_value *values[] = {NULL, &title, NULL};
    firn_class_desc desc = {.name = "a class with a name",
                            .components = parts,
                            .component_count = 3,
                            .rows = rows,
                            .values = values,
                            .create = do_nothing,
                            .restore = do_nothing};
    return scene_made(firn_class_register(s->z.world, &desc, err) != 0, err);
}

static void add_class(scene *s)
{
    firn_error err;
    assert_ok(register_class(s, &err), &err);
}

// With a string that only one entity may have.
static void add_heard_class(scene *s)
{
    firn_error err;
    const firn_component key = firn_key(s->z.world);
    const firn_value king = {.kind = FIRN_VALUE_STRING, .length = 4, .as.string = "king"};
    const firn_value *values[] = {&king};
    firn_class_desc desc = {
        .name = "a class with a name", .components = &key, .component_count = 1, .values = values};
    assert_int_not_equal(firn_class_register(s->z.world, &desc, &err), 0);
    scene_hear_changes(s);
}

static firn_result spawn_class(scene *s, firn_error *err)
{
    firn_world *world = s->z.world;
    firn_class found = firn_class_find(world, "a class with a name");
    firn_entity entity = firn_class_spawn(world, found, err);
    if (entity != 0) {
        assert_int_equal(firn_class_of(world, entity), found);
        assert_true(firn_has(world, entity, firn_class_component(world)));
        scene_trace(s, firn_class_name(world, found), 5);
    }
    return scene_made(entity != 0, err);
}

static firn_result spawn_class_heard(scene *s, firn_error *err)
{
    return scene_pull(s, spawn_class(s, err));
}

// The classes of the image are those of the world that loads it.
static void keep_classes(scene *s)
{
    firn_error err;
    add_class(s);
    for (int i = 0; i < 3; i++)
        assert_ok(spawn_class(s, &err), &err);
    assert_ok(firn_snapshot_save(s->z.world, NULL, &s->out, &err), &err);
    firn_buffer_clear(&s->trace);
}

static firn_result load_classes(scene *s, firn_error *err)
{
    return firn_snapshot_load(s->z.world, s->out.data, s->out.size, NULL, NULL, err);
}

static firn_result merge_classes(scene *s, firn_error *err)
{
    return firn_snapshot_merge(s->z.world, s->out.data, s->out.size, NULL, NULL, err);
}

static firn_result build_with_classes(scene *s, firn_error *err)
{
    firn_world *world =
        firn_world_build_from(s->z.world, s->out.data, s->out.size, NULL, NULL, err);
    firn_world_destroy(world);
    return scene_made(world != NULL, err);
}

const memory_case memory_replace_cases[] = {
    {"firn_bus_create firn_bus_destroy firn_bus_observe", bus_life, NULL, false},
    {"firn_bus_observe firn_world_create", bus_world, NULL, false},
    {"firn_world_attach firn_world_detach firn_world_bind firn_world_attached firn_world_bus "
     "firn_bus_unobserve",
     attach_and_detach, NULL, true},
    {"firn_world_build_from", build_from, make_rich, false},
    {"firn_world_build_from", build_with_classes, keep_classes, false},
    {"firn_class_register", register_class, NULL, false},
    {"firn_class_spawn firn_class_find firn_class_name firn_class_of firn_class_component",
     spawn_class, add_class, false},
    {"firn_class_spawn", spawn_class_heard, add_heard_class, false},
    {"firn_snapshot_load", load_classes, keep_classes, false},
    {"firn_snapshot_merge", merge_classes, keep_classes, false},
    {NULL, NULL, NULL, false},
};
