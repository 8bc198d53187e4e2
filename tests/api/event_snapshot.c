// Events, observers and queues across saves and loads.
#include "api/snapshot_zoo.h"

#include <string.h>

// What observers saw, and what they try.
typedef struct watch {
    firn_world *world;
    const firn_buffer *image;
    uint32_t calls;
    firn_entity last; // the first entity of the last event
} watch;

static firn_result count_event(void *user, firn_world *world, const firn_event *event,
                               firn_error *err)
{
    watch *w = user;
    (void)world, (void)err;
    w->calls++;
    w->last = event->count == 0 ? 0 : event->entities[0];
    return FIRN_OK;
}

static firn_observer observe(watch *w, const char *event, firn_entity address,
                             firn_observer_fn observer)
{
    firn_error err;
    firn_observer_desc desc = {.event = event, .address = address, .observe = observer, .user = w};
    firn_observer made = firn_observe(w->world, &desc, &err);
    assert_int_not_equal(made, 0);
    return made;
}

static const char *const changes[] = {"OnSpawn", "OnDespawn", "OnAdd", "OnRemove", "OnSet"};

static firn_queue queue_of_changes(firn_world *world)
{
    firn_error err;
    firn_event_kind kinds[5];
    for (int i = 0; i < 5; i++)
        kinds[i] = firn_event_find(world, changes[i]);
    firn_queue queue = firn_queue_open(world, kinds, 5, &err);
    assert_int_not_equal(queue, 0);
    return queue;
}

// ---- what is kept

static void T10_a_load_keeps_observers_of_address_0_and_removes_those_at_entities(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    firn_entity entity = zoo_spawn_one(z.world, z.of[ZOO_POINT]);
    firn_buffer image = zoo_save(z.world);
    watch all = {.world = z.world}, at = {.world = z.world};
    firn_event_kind hit = firn_event_register(z.world, "Hit", &err);
    observe(&all, "Hit", 0, count_event);
    firn_observer gone = observe(&at, "Hit", entity, count_event);
    zoo_load(z.world, &image);
    assert_true(firn_alive(z.world, entity));
    assert_int_equal(firn_event_find(z.world, "Hit"), hit);
    assert_ok(firn_emit(z.world, hit, entity, NULL, 0, &err), &err);
    assert_int_equal(all.calls, 1);
    assert_int_equal(at.calls, 0);
    assert_int_equal(firn_unobserve(z.world, gone, &err), FIRN_NOT_FOUND);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void T10_a_load_that_fails_keeps_the_observers_at_entities(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    firn_entity entity = zoo_spawn_one(z.world, z.of[ZOO_POINT]);
    firn_buffer image = zoo_save(z.world);
    watch at = {.world = z.world};
    firn_event_kind hit = firn_event_register(z.world, "Hit", &err);
    observe(&at, "Hit", entity, count_event);
    assert_int_equal(firn_snapshot_load(z.world, image.data, image.size - 1, NULL, NULL, &err),
                     FIRN_TRUNCATED);
    assert_ok(firn_emit(z.world, hit, entity, NULL, 0, &err), &err);
    assert_int_equal(at.calls, 1);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void T10_a_load_tells_nothing_of_entities_that_go_or_come(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false), other = zoo_make(NULL, false);
    zoo_fill(&z);
    zoo_litter(&other);
    zoo_spawn_one(other.world, other.of[ZOO_POINT]);
    firn_buffer image = zoo_save(z.world);
    watch w = {.world = other.world};
    firn_queue queue = queue_of_changes(other.world);
    for (int i = 0; i < 5; i++)
        observe(&w, changes[i], 0, count_event);
    zoo_load(other.world, &image);
    firn_event event;
    assert_int_equal(w.calls, 0);
    assert_false(firn_queue_next(other.world, queue, &event));
    firn_entity entity = zoo_spawn_one(other.world, other.of[ZOO_POINT]);
    assert_int_equal(w.calls, 1);
    assert_int_equal(w.last, entity);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(other.world);
}

static void T10_a_queue_keeps_over_a_load_what_happened_before(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    firn_buffer image = zoo_save(z.world);
    firn_queue queue = queue_of_changes(z.world);
    firn_entity before = zoo_spawn_one(z.world, z.of[ZOO_POINT]);
    zoo_load(z.world, &image);
    assert_false(firn_alive(z.world, before));
    firn_event event;
    assert_true(firn_queue_next(z.world, queue, &event));
    assert_string_equal(event.name, "OnSpawn");
    assert_int_equal(event.entities[0], before);
    assert_false(firn_queue_next(z.world, queue, &event));
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void T10_events_observers_and_queues_are_never_saved(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    firn_hash hash = zoo_hash(z.world);
    watch w = {.world = z.world};
    firn_event_kind hit = firn_event_register(z.world, "Hit", &err);
    observe(&w, "Hit", 0, count_event);
    firn_queue queue = firn_queue_open(z.world, &hit, 1, &err);
    assert_ok(firn_emit(z.world, hit, 0, "hard", 4, &err), &err);
    assert_saves_as(z.world, &image);
    firn_hash now = zoo_hash(z.world);
    assert_memory_equal(&now, &hash, sizeof now);
    assert_int_not_equal(queue, 0);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

// ---- what is refused

static firn_result try_snapshots(void *user, firn_world *world, const firn_event *event,
                                 firn_error *err)
{
    watch *w = user;
    firn_buffer out = {0};
    firn_hash hash;
    w->calls++;
    assert_int_equal(firn_snapshot_save(world, NULL, &out, err), FIRN_BUSY);
    assert_error(err, FIRN_BUSY, event->name);
    assert_int_equal(firn_snapshot_load(world, w->image->data, w->image->size, NULL, NULL, err),
                     FIRN_BUSY);
    assert_error(err, FIRN_BUSY, event->name);
    assert_int_equal(firn_snapshot_save_file(world, "never", NULL, err), FIRN_BUSY);
    assert_error(err, FIRN_BUSY, event->name);
    assert_int_equal(firn_world_hash(world, &hash, NULL, NULL, err), FIRN_BUSY);
    assert_error(err, FIRN_BUSY, event->name);
    assert_int_equal(firn_flush(world, err), FIRN_BUSY);
    assert_error(err, FIRN_BUSY, event->name);
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
    return FIRN_OK;
}

static void N4_a_save_or_load_inside_the_event_of_a_change_names_the_event(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    firn_buffer image = zoo_save(z.world);
    watch w = {.world = z.world, .image = &image};
    for (int i = 0; i < 5; i++)
        observe(&w, changes[i], 0, try_snapshots);
    firn_entity entity = zoo_spawn_one(z.world, z.of[ZOO_POINT]);
    assert_ok(firn_set(z.world, entity, z.of[ZOO_POINT], &(zoo_point){1, 2}, &err), &err);
    assert_ok(firn_add(z.world, entity, &z.of[ZOO_TAG], 1, &err), &err);
    assert_ok(firn_remove(z.world, entity, &z.of[ZOO_TAG], 1, &err), &err);
    assert_ok(firn_despawn(z.world, entity, &err), &err);
    assert_int_equal(w.calls, 5);
    zoo_load(z.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void N4_a_set_inside_a_loop_names_its_event_and_behind_it_the_query(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    firn_entity entity = zoo_spawn_one(z.world, z.of[ZOO_POINT]);
    firn_buffer image = zoo_save(z.world);
    watch w = {.world = z.world, .image = &image};
    observe(&w, "OnSet", 0, try_snapshots);
    firn_query query = firn_query_create(z.world, &(firn_query_desc){.name = "movers"}, &err);
    firn_iter it;
    firn_iter_begin(z.world, query, &it);
    assert_ok(firn_set(z.world, entity, z.of[ZOO_POINT], &(zoo_point){1, 2}, &err), &err);
    assert_int_equal(w.calls, 1);
    assert_int_equal(firn_snapshot_load(z.world, image.data, image.size, NULL, NULL, &err),
                     FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "movers");
    assert_ok(firn_iter_end(&it, &err), &err);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T10_a_load_keeps_observers_of_address_0_and_removes_those_at_entities),
        cmocka_unit_test(T10_a_load_that_fails_keeps_the_observers_at_entities),
        cmocka_unit_test(T10_a_load_tells_nothing_of_entities_that_go_or_come),
        cmocka_unit_test(T10_a_queue_keeps_over_a_load_what_happened_before),
        cmocka_unit_test(T10_events_observers_and_queues_are_never_saved),
        cmocka_unit_test(N4_a_save_or_load_inside_the_event_of_a_change_names_the_event),
        cmocka_unit_test(N4_a_set_inside_a_loop_names_its_event_and_behind_it_the_query),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
