// Calls of event.h, and changes that are heard.
#include "fault/memory_scene.h"

#include <string.h>

static firn_event_kind kind_of(const scene *s, const char *name)
{
    firn_event_kind kind = firn_event_find(s->z.world, name);
    assert_int_not_equal(kind, 0);
    return kind;
}

static firn_result trace_event(void *user, firn_world *world, const firn_event *event,
                               firn_error *err)
{
    (void)world;
    (void)err;
    scene_trace(user, event->entities, event->count * sizeof *event->entities);
    scene_trace(user, event->payload, event->size);
    return FIRN_OK;
}

static firn_observer observe_scene(scene *s, const char *event, firn_entity address,
                                   firn_observer_fn observe, firn_error *err)
{
    firn_observer_desc desc = {.event = event, .address = address, .observe = observe, .user = s};
    return firn_observe(s->z.world, &desc, err);
}

// ---- kinds, observers, queues

static firn_result register_kind(scene *s, firn_error *err)
{
    static const char name[] = "an event with a name";
    firn_event_kind kind = firn_event_register(s->z.world, name, err);
    return scene_made(kind != 0 && kind == firn_event_find(s->z.world, name), err);
}

static void register_hit(scene *s)
{
    firn_error err;
    assert_int_not_equal(firn_event_register(s->z.world, "Hit", &err), 0);
}

static firn_result observe_all(scene *s, firn_error *err)
{
    s->observer = observe_scene(s, "Hit", 0, trace_event, err);
    return scene_made(s->observer != 0, err);
}

static firn_result observe_one(scene *s, firn_error *err)
{
    s->observer = observe_scene(s, "Hit", s->entity, trace_event, err);
    return scene_made(s->observer != 0, err);
}

static void observe_hit(scene *s)
{
    firn_error err;
    register_hit(s);
    assert_ok(observe_all(s, &err), &err);
    assert_ok(observe_one(s, &err), &err);
}

static firn_result unobserve(scene *s, firn_error *err)
{
    return firn_unobserve(s->z.world, s->observer, err);
}

static firn_result open_queue(scene *s, firn_error *err)
{
    firn_event_kind kinds[] = {kind_of(s, "Hit"),   kind_of(s, "OnSpawn"),  kind_of(s, "OnDespawn"),
                               kind_of(s, "OnAdd"), kind_of(s, "OnRemove"), kind_of(s, "OnSet")};
    s->queue = firn_queue_open(s->z.world, kinds, 6, err);
    return scene_made(s->queue != 0, err);
}

static void hear_everything(scene *s)
{
    firn_error err;
    observe_hit(s);
    assert_ok(open_queue(s, &err), &err);
}

static firn_result close_queue(scene *s, firn_error *err)
{
    return firn_queue_close(s->z.world, s->queue, err);
}

// What a queue holds is part of what a call came to.
static firn_result pull(scene *s, firn_result result)
{
    firn_event event;
    while (result == FIRN_OK && firn_queue_next(s->z.world, s->queue, &event)) {
        scene_trace(s, event.name, strlen(event.name));
        scene_trace(s, event.entities, event.count * sizeof *event.entities);
        scene_trace(s, event.payload, event.size);
    }
    return result;
}

static firn_result pull_all(scene *s, firn_error *err)
{
    (void)err;
    return pull(s, FIRN_OK);
}

// ---- emitting

static firn_result emit(scene *s, firn_error *err)
{
    static const char payload[200] = {7};
    return pull(s, firn_emit(s->z.world, kind_of(s, "Hit"), s->entity, payload, 200, err));
}

static firn_result add_point(void *user, firn_world *world, const firn_event *event,
                             firn_error *err)
{
    scene *s = user;
    (void)event;
    return firn_add(world, s->other, &s->z.of[ZOO_POINT], 1, err);
}

static void observe_with_change(scene *s)
{
    firn_error err;
    hear_everything(s);
    assert_int_not_equal(observe_scene(s, "Hit", 0, add_point, &err), 0);
}

// What was deferred or applied before a failure is so: the world is looked at when all is.
static firn_result emit_with_change(scene *s, firn_error *err)
{
    firn_result result = emit(s, err);
    if (result != FIRN_OK) {
        firn_event event;
        assert_int_equal(result, FIRN_NO_MEMORY);
        test_allocator_fail_at(&s->memory, 0, false);
        firn_buffer_clear(&s->trace);
        while (firn_queue_next(s->z.world, s->queue, &event))
            ;
        result = emit(s, err);
    }
    return result;
}

const memory_case memory_event_cases[] = {
    {"firn_event_register firn_event_find", register_kind, NULL, false},
    {"firn_observe", observe_all, register_hit, false},
    {"firn_observe", observe_one, register_hit, false},
    {"firn_unobserve", unobserve, observe_hit, true},
    {"firn_queue_open", open_queue, register_hit, false},
    {"firn_queue_close", close_queue, hear_everything, true},
    {"firn_queue_next", pull_all, hear_everything, true},
    {"firn_emit", emit, hear_everything, false},
    {"firn_emit", emit, observe_hit, true},
    {"firn_emit", emit_with_change, observe_with_change, false},
    {NULL, NULL, NULL, false},
};
