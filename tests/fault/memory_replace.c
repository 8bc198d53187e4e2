// Calls of bus.h.
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

const memory_case memory_replace_cases[] = {
    {"firn_bus_create firn_bus_destroy firn_bus_observe", bus_life, NULL, false},
    {"firn_bus_observe firn_world_create", bus_world, NULL, false},
    {"firn_world_attach firn_world_detach firn_world_bind firn_world_attached firn_world_bus "
     "firn_bus_unobserve",
     attach_and_detach, NULL, true},
    {NULL, NULL, NULL, false},
};
