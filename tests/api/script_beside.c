// Script state of entities that a persisted save does not hold: it is not saved, and goes on.
#include "api/persist_room.h"

#include <string.h>

#define APART 4503599627370496.0 // numbers above it are of those that are not saved

static uint32_t calls;
static const void *call_tracked;

static firn_result count_call(void *user, firn_world *world, const firn_step_call *call,
                              firn_error *err)
{
    (void)user, (void)world, (void)err;
    calls++;
    call_tracked = call->tracked;
    return FIRN_OK;
}

static const firn_step steps[] = {{"fly", count_call}, {"rest", NULL}};

static void add_bird(firn_world *world)
{
    firn_error err;
    const firn_provider_desc desc = {.name = "bird", .steps = steps, .step_count = 2};
    assert_ok(firn_provider_add(world, &desc, &err), &err);
    calls = 0;
    call_tracked = NULL;
}

static void set_tick(firn_world *world, uint64_t tick)
{
    firn_error err;
    assert_ok(firn_world_set_tick(world, tick, &err), &err);
}

static uint64_t start_timer(firn_world *world, firn_entity entity, double delay, const char *clock)
{
    firn_error err;
    const firn_timer_desc desc = {
        .provider = "bird", .step = "fly", .entity = entity, .delay = delay, .clock = clock};
    uint64_t number = firn_timer_start(world, &desc, &err);
    assert_ok(number != 0 ? FIRN_OK : err.code, &err);
    return number;
}

static firn_script_item item_of(const firn_world *world, uint64_t number)
{
    firn_error err;
    firn_script_item item = {0};
    assert_ok(firn_script_read(world, number, &item, &err), &err);
    return item;
}

static uint32_t count_items(const firn_world *world, firn_entity entity)
{
    return firn_script_list(world, FIRN_SCRIPT_NONE, entity, NULL, 0);
}

static uint64_t only_item(const firn_world *world, firn_entity entity)
{
    uint64_t number = 0;
    assert_int_equal(firn_script_list(world, FIRN_SCRIPT_NONE, entity, &number, 1), 1);
    return number;
}

// One of each kind.
static void start_all(firn_world *world, firn_entity entity)
{
    firn_error err;
    start_timer(world, entity, 9, NULL);
    assert_true(firn_script_send(world, "rain", entity, 9, NULL, &err) != 0);
    const firn_wait_desc wait = {
        .provider = "bird", .step = "fly", .entity = entity, .event = "worm"};
    assert_true(firn_wait_start(world, &wait, &err) != 0);
    assert_true(firn_machine_set(world, entity, "bird", "rest", &err) != 0);
    assert_true(firn_cursor_start(world, "bird", entity, "song", "rest", &err) != 0);
}

// ---------------------------------------------------------------- what is saved

static void K4_what_belongs_to_an_entity_that_is_not_saved_falls_to_nobody(void **state)
{
    room *r = *state;
    firn_error err;
    add_bird(r->z.world);
    start_all(r->z.world, r->scenery);
    start_all(r->z.world, r->player);
    uint64_t of_world = start_timer(r->z.world, 0, 3, NULL);
    room_save(r);

    // Another session, where the id of the scenery is that of something else.
    test_allocator memory;
    test_allocator_init(&memory);
    zoo z = zoo_make(&memory, false);
    firn_world *world = z.world;
    firn_saves *saves = firn_saves_open(world, &r->desc, &err);
    add_bird(world);
    firn_entity bush = zoo_spawn_one(world, z.of[ZOO_POINT]);
    assert_true(bush == r->scenery);
    firn_entity player = zoo_spawn_one(world, z.of[ZOO_POINT]);
    assert_ok(firn_persist_set(world, player, &(firn_persist){.id = "player"}, &err), &err);
    assert_ok(firn_saves_take(saves, r->file.data, r->file.size, NULL, &err), &err);
    assert_true(firn_alive(world, bush));
    assert_int_equal(count_items(world, bush), 0);
    assert_int_equal(count_items(world, r->player), 5);
    assert_true(item_of(world, of_world).due == 3);
    firn_saves_close(saves);
    firn_world_destroy(world);
}

static void K4_a_save_with_a_filter_leaves_out_what_it_leaves_out(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    add_bird(world);
    start_all(world, r->scenery);
    start_all(world, r->door);
    const firn_term term = {.component = r->persist, .kind = FIRN_WITH};
    const firn_query_desc filter = {.terms = &term, .term_count = 1};
    firn_buffer image = zoo_save_with(world, &(firn_save_options){.filter = &filter});
    assert_ok(firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err), &err);
    assert_int_equal(count_items(world, 0), 5);
    assert_int_equal(count_items(world, r->door), 5);
    firn_buffer_free(&image);
}

// ---------------------------------------------------------------- what goes on

static void K14_what_belongs_to_kept_entities_goes_on_from_now(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    add_bird(world);
    assert_ok(firn_clock_add(world, "day", &err), &err);
    set_tick(world, 100);
    uint64_t saved = start_timer(world, r->player, 7, NULL);
    room_save(r);
    set_tick(world, 1000);
    assert_ok(firn_script_end(world, saved, &err), &err);
    uint64_t lost = start_timer(world, r->door, 4, NULL);
    uint64_t lost_of_world = start_timer(world, 0, 4, NULL);
    uint64_t timer = start_timer(world, r->scenery, 5, NULL);
    uint64_t daily = start_timer(world, r->scenery, 6, "day");
    uint64_t machine = firn_machine_set(world, r->scenery, "bird", "rest", &err);
    uint64_t cursor = firn_cursor_start(world, "bird", r->scenery, "song", "rest", &err);
    set_tick(world, 1400); // longer than the world is old after the load
    uint64_t event = firn_script_send(world, "rain", r->scenery, 2.5, NULL, &err);
    room_load(r);
    assert_int_equal(firn_world_tick(world), 100);
    assert_true(item_of(world, saved).due == 107);
    assert_int_equal(firn_script_read(world, lost, &(firn_script_item){0}, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_script_read(world, lost_of_world, &(firn_script_item){0}, &err),
                     FIRN_NOT_FOUND);
    assert_true(item_of(world, timer).due == 0); // it was due long ago
    assert_true(item_of(world, event).due == 102.5);
    assert_string_equal(item_of(world, daily).clock, "day");
    assert_true(item_of(world, daily).due == 0);
    assert_int_equal(item_of(world, machine).ticks, 400);
    assert_int_equal(item_of(world, cursor).ticks, 400);
    assert_int_equal(firn_machine_find(world, r->scenery, "bird"), machine);
    assert_int_equal(firn_cursor_find(world, "bird", r->scenery, "song"), cursor);

    // A save of all of it holds times of before the first tick.
    firn_buffer image = zoo_save(world);
    set_tick(world, 7);
    assert_ok(firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err), &err);
    assert_int_equal(item_of(world, machine).ticks, 400);
    firn_buffer_free(&image);
    assert_ok(firn_script_run(world, &err), &err);
    assert_int_equal(calls, 2);
}

static void K14_what_goes_by_a_clock_keeps_what_is_left(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    add_bird(world);
    assert_ok(firn_clock_add(world, "day", &err), &err);
    set_tick(world, 50);
    room_save(r);
    set_tick(world, 60);
    assert_ok(firn_clock_add(world, "night", &err), &err);
    uint64_t daily = start_timer(world, r->scenery, 6, "day");
    uint64_t nightly = start_timer(world, r->scenery, 7, "night");
    room_load(r);
    assert_true(item_of(world, daily).due == 56);
    // The save has no such clock: it goes by the ticks of the world.
    assert_string_equal(item_of(world, nightly).clock, "");
    assert_true(item_of(world, nightly).due == 57);
    assert_int_equal(firn_clock_count(world), 1);
}

static uint32_t dropped;

static void drop_tracked(void *tracked)
{
    (void)tracked;
    dropped++;
}

static void K14_a_kept_cursor_goes_on_tracking(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    add_bird(world);
    int flight = 0, fight = 0;
    dropped = 0;
    room_save(r);
    uint64_t cursor = firn_cursor_start(world, "bird", r->scenery, NULL, NULL, &err);
    assert_ok(firn_cursor_track(world, cursor, &flight, drop_tracked, &err), &err);
    uint64_t other = firn_cursor_start(world, "bird", r->player, NULL, NULL, &err);
    assert_ok(firn_cursor_track(world, other, &fight, drop_tracked, &err), &err);
    room_load(r);
    assert_int_equal(dropped, 1);
    assert_true(firn_cursor_is_pending(world, cursor));
    assert_ptr_equal(firn_cursor_tracked(world, cursor), &flight);
    assert_ok(firn_cursor_done(world, cursor, &flight, &err), &err);
    assert_ok(firn_script_run(world, &err), &err);
    assert_ptr_equal(call_tracked, &flight);
    assert_int_equal(dropped, 1);
    assert_ok(firn_script_end(world, cursor, &err), &err);
    assert_int_equal(dropped, 2);
}

static void K14_what_belongs_to_one_that_makes_room_follows_it(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    add_bird(world);
    assert_ok(firn_despawn(world, room_spawn(r, 1), &err), &err);
    firn_entity ball = room_spawn(r, 5); // the second one in its slot
    room_persist(r, ball, (firn_persist){.id = "ball", .spawned = true});
    start_timer(world, ball, 3, NULL);
    room_save(r);
    assert_ok(firn_despawn(world, ball, &err), &err);
    firn_saves_close(r->saves); // a world that never gave the id
    firn_world_destroy(world);
    r->z = zoo_make(&r->memory, false);
    world = r->z.world;
    r->saves = firn_saves_open(world, &r->desc, &err);
    add_bird(world);
    firn_entity last = 0;
    while ((last & FIRN_SLOT_MAX) != (ball & FIRN_SLOT_MAX)) {
        last = room_spawn(r, 1);
    }
    start_all(world, last);
    uint64_t machine = firn_machine_find(world, last, "bird");
    firn_saves_loaded loaded = {0};
    assert_ok(firn_saves_take(r->saves, r->file.data, r->file.size, &loaded, &err), &err);
    firn_entity to = 0;
    for (uint32_t i = 0; i < loaded.moved_count; i++) {
        to = loaded.moved[i].saved == last ? loaded.moved[i].entity : to;
    }
    firn_entity moved = item_of(world, machine).entity;
    assert_true(moved == to && room_place_of(r, moved) == 1);
    assert_int_equal(count_items(world, moved), 5);
    assert_int_equal(firn_machine_find(world, moved, "bird"), machine);
    assert_int_equal(firn_machine_find(world, ball, "bird"), 0);
    assert_true(item_of(world, only_item(world, ball)).due == 3);
    assert_true(firn_script_send(world, "worm", moved, 0, NULL, &err) != 0);
    assert_ok(firn_script_run(world, &err), &err);
    assert_int_equal(calls, 1); // the one that waits
    firn_saves_loaded_free(&loaded);
}

static void K14_a_load_that_fails_leaves_script_state_as_it_is(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    add_bird(world);
    start_all(world, r->scenery);
    start_all(world, r->player);
    room_save(r);
    assert_ok(firn_set_text(world, r->scenery, firn_key(world), "k", &err), &err);
    assert_ok(firn_script_end(world, firn_machine_find(world, r->player, "bird"), &err), &err);
    firn_buffer before = zoo_save(world);
    bool done = false;
    for (uint64_t fail = 1; !done; fail++) {
        test_allocator_fail_at(&r->memory, fail, false);
        firn_result result = firn_saves_take(r->saves, r->file.data, r->file.size, NULL, &err);
        test_allocator_fail_at(&r->memory, 0, false);
        done = result == FIRN_OK;
        if (!done) {
            assert_int_equal(result, FIRN_NO_MEMORY);
            assert_saves_as(world, &before);
        }
    }
    assert_int_equal(count_items(world, r->player), 5);
    assert_int_equal(count_items(world, r->scenery), 5);
    firn_buffer_free(&before);
}

// ---------------------------------------------------------------- numbers

static void K15_scenery_does_not_count_in_the_numbers_of_what_persists(void **state)
{
    room *r = *state;
    firn_world *world = r->z.world;
    add_bird(world);
    firn_entity child = room_spawn(r, 1), ball = room_spawn(r, 2);
    firn_error err;
    room_persist(r, ball, (firn_persist){.id = "ball", .spawned = true});
    assert_ok(firn_relate(world, child, firn_child_of(world), ball, NULL, &err), &err);
    assert_int_equal(start_timer(world, r->player, 1, NULL), 1);
    assert_true((double)start_timer(world, r->scenery, 1, NULL) == APART + 1);
    assert_int_equal(start_timer(world, child, 1, NULL), 2);
    assert_true((double)start_timer(world, r->scenery, 1, NULL) == APART + 2);
    room_save(r);
    uint64_t third = start_timer(world, 0, 1, NULL);
    uint64_t later = start_timer(world, r->scenery, 2, NULL);
    room_load(r);
    assert_int_equal(third, 3);
    assert_int_equal(start_timer(world, ball, 1, NULL), third);
    // What is kept keeps its number, and none is given twice.
    assert_true(item_of(world, later).due == 2);
    assert_true((double)start_timer(world, r->scenery, 1, NULL) == APART + 4);
}

static void K15_numbers_apart_go_on_in_another_session(void **state)
{
    room *r = *state;
    firn_error err;
    add_bird(r->z.world);
    firn_entity ball = room_spawn(r, 5);
    uint64_t first = start_timer(r->z.world, ball, 1, NULL); // before it persists
    room_persist(r, ball, (firn_persist){.id = "ball", .spawned = true});
    assert_true((double)first == APART + 1);
    assert_ok(firn_script_end(r->z.world, first, &err), &err);
    room_save(r);
    firn_saves_close(r->saves);
    firn_world_destroy(r->z.world);
    r->z = zoo_make(&r->memory, false);
    r->saves = firn_saves_open(r->z.world, &r->desc, &err);
    add_bird(r->z.world);
    room_load(r);
    firn_entity next = room_spawn(r, 1);
    assert_true((double)start_timer(r->z.world, next, 1, NULL) == APART + 2);
}

static void K15_of_one_number_the_save_has_it(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    add_bird(world);
    uint64_t bird = start_timer(world, r->scenery, 1, NULL);
    uint64_t guard = start_timer(world, r->door, 1, NULL);
    room_persist(r, r->scenery, (firn_persist){.id = "tame"});
    room_save(r); // with a number apart
    room_persist(r, r->scenery, (firn_persist){.id = "tame", .mode = FIRN_PERSIST_VARS});
    assert_ok(firn_remove(world, r->door, &r->persist, 1, &err), &err);
    uint64_t more = start_timer(world, r->player, 1, NULL);
    assert_ok(firn_remove(world, r->player, &r->persist, 1, &err), &err);
    room_load(r);
    // The door and the player are saved whole, whatever they are now.
    assert_true(item_of(world, bird).entity == r->scenery);
    assert_true(item_of(world, guard).entity == r->door);
    assert_int_equal(firn_script_read(world, more, &(firn_script_item){0}, &err), FIRN_NOT_FOUND);
    // One that was counted and is kept, of which the save gives the number again, gets another one.
    firn_entity cat = room_spawn(r, 1);
    room_persist(r, cat, (firn_persist){.id = "cat"});
    uint64_t given = start_timer(world, cat, 4, NULL);
    assert_int_equal(given, guard + 1);
    assert_ok(firn_remove(world, cat, &r->persist, 1, &err), &err);
    room_load(r);
    assert_int_equal(firn_script_read(world, given, &(firn_script_item){0}, &err), FIRN_NOT_FOUND);
    uint64_t number = only_item(world, cat);
    assert_true((double)number > APART && item_of(world, number).due == 4);
    assert_int_equal(start_timer(world, 0, 1, NULL), given);
    // Saved whole after that, with a number above those that were given.
    room_persist(r, cat, (firn_persist){.id = "cat"});
    room_save(r);
    room_load(r);
    assert_int_equal(only_item(world, cat), number);
}

// ---------------------------------------------------------------- nothing is left

static void K4_script_state_of_nobody_is_empty(void **state)
{
    room *r = *state;
    firn_error err;
    firn_world *world = r->z.world;
    add_bird(world);
    room_save(r);
    start_all(world, r->scenery);
    room_load(r);
    assert_int_equal(count_items(world, r->scenery), 5);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_int_equal(firn_script_value(world, doc, &err)->kind, FIRN_VALUE_TABLE);
    // With nobody left it is empty again.
    assert_ok(firn_despawn(world, r->scenery, &err), &err);
    assert_int_equal(firn_script_value(world, doc, &err)->kind, FIRN_VALUE_NIL);
    firn_doc_destroy(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOM(K4_what_belongs_to_an_entity_that_is_not_saved_falls_to_nobody),
        IN_ROOM(K4_a_save_with_a_filter_leaves_out_what_it_leaves_out),
        IN_ROOM(K14_what_belongs_to_kept_entities_goes_on_from_now),
        IN_ROOM(K14_what_goes_by_a_clock_keeps_what_is_left),
        IN_ROOM(K14_a_kept_cursor_goes_on_tracking),
        IN_ROOM(K14_what_belongs_to_one_that_makes_room_follows_it),
        IN_ROOM(K14_a_load_that_fails_leaves_script_state_as_it_is),
        IN_ROOM(K15_scenery_does_not_count_in_the_numbers_of_what_persists),
        IN_ROOM(K15_numbers_apart_go_on_in_another_session),
        IN_ROOM(K15_of_one_number_the_save_has_it),
        IN_ROOM(K4_script_state_of_nobody_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
