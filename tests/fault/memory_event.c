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

static firn_result pull_all(scene *s, firn_error *err)
{
    (void)err;
    return scene_pull(s, FIRN_OK);
}

// ---- emitting

static firn_result emit(scene *s, firn_error *err)
{
    static const char payload[200] = {7};
    return scene_pull(s, firn_emit(s->z.world, kind_of(s, "Hit"), s->entity, payload, 200, err));
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

// ---- changes that a queue hears

static firn_result spawn_heard(scene *s, firn_error *err)
{
    firn_component components[] = {s->owner, s->z.of[ZOO_BAG]};
    return scene_pull(s, firn_spawn_many(s->z.world, components, 2, 20, NULL, err));
}

static firn_result despawn_heard(scene *s, firn_error *err)
{
    return scene_pull(s, firn_despawn(s->z.world, s->entity, err));
}

static firn_result add_heard(scene *s, firn_error *err)
{
    firn_component components[] = {s->owner, s->z.of[ZOO_BODY], s->z.of[ZOO_TITLE]};
    return scene_pull(s, firn_add(s->z.world, s->other, components, 3, err));
}

static firn_result remove_heard(scene *s, firn_error *err)
{
    firn_component components[] = {s->z.of[ZOO_TITLE], s->z.of[ZOO_POINT]};
    return scene_pull(s, firn_remove(s->z.world, s->entity, components, 2, err));
}

static firn_result set_heard(scene *s, firn_error *err)
{
    const zoo_point point = {8, 9};
    return scene_pull(s, firn_set(s->z.world, s->entity, s->z.of[ZOO_POINT], &point, err));
}

static firn_result set_string_heard(scene *s, firn_error *err)
{
    return scene_pull(s, firn_set_text(s->z.world, s->entity, s->z.of[ZOO_TITLE],
                                       "another text that is longer than some", err));
}

static firn_result set_value_heard(scene *s, firn_error *err)
{
    return scene_pull(s, firn_set_value(s->z.world, s->other, s->z.of[ZOO_BAG], s->table, err));
}

static const char first_key[] = "the key of an entity", second_key[] = "another key of it";

static firn_entity find_key(const scene *s, const char *key)
{
    return firn_find_key(s->z.world, key, strlen(key));
}

static void set_first_key(scene *s)
{
    firn_error err;
    firn_world *world = s->z.world;
    assert_ok(firn_set_text(world, s->entity, firn_key(world), first_key, &err), &err);
    hear_everything(s);
}

static firn_result set_key_heard(scene *s, firn_error *err)
{
    firn_world *world = s->z.world;
    firn_result result = firn_set_text(world, s->entity, firn_key(world), second_key, err);
    assert_int_equal(find_key(s, first_key), result == FIRN_OK ? 0 : s->entity);
    assert_int_equal(find_key(s, second_key), result == FIRN_OK ? s->entity : 0);
    return scene_pull(s, result);
}

static void defer_heard(scene *s)
{
    firn_error err;
    firn_component point = s->z.of[ZOO_POINT], title = s->z.of[ZOO_TITLE];
    hear_everything(s);
    scene_open_loop(s);
    assert_int_not_equal(firn_spawn(s->z.world, &point, 1, &err), 0);
    assert_ok(firn_add(s->z.world, s->other, &s->owner, 1, &err), &err);
    assert_ok(firn_remove(s->z.world, s->entity, &title, 1, &err), &err);
    assert_ok(firn_set_text(s->z.world, s->entity, title, "set behind a removal", &err), &err);
    assert_ok(firn_despawn(s->z.world, s->other, &err), &err);
}

static firn_result end_loop_heard(scene *s, firn_error *err)
{
    return scene_pull(s, scene_end_loop(s, err));
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
    {"firn_spawn_many", spawn_heard, hear_everything, false},
    {"firn_despawn", despawn_heard, hear_everything, false},
    {"firn_add", add_heard, hear_everything, false},
    {"firn_remove", remove_heard, hear_everything, false},
    {"firn_set", set_heard, hear_everything, false},
    {"firn_set_text", set_string_heard, hear_everything, false},
    {"firn_set_value", set_value_heard, hear_everything, false},
    {"firn_set_text", set_key_heard, set_first_key, false},
    {"firn_iter_end firn_flush", end_loop_heard, defer_heard, false},
    {NULL, NULL, NULL, false},
};
