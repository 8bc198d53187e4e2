// Levels that the game enters: what is carried, requests, and what a load makes of both.
#include "api/persist_house.h"

#include <string.h>

static void house_carry(house *h, firn_entity entity)
{
    firn_error err;
    firn_component carry = firn_carry_component(h->z.world);
    assert_ok(firn_add(h->z.world, entity, &carry, 1, &err), &err);
}

static void house_parent(house *h, firn_entity child, firn_entity parent)
{
    firn_error err;
    assert_ok(firn_relate(h->z.world, child, firn_child_of(h->z.world), parent, NULL, &err), &err);
}

// ---- leaving

static void K5_entering_a_level_ends_all_that_is_not_carried(void **state)
{
    house *h = *state;
    firn_entity ball = house_spawn(h, 5), old = house_at(h, 2);
    house_enter(h, "cellar");
    assert_false(firn_alive(h->z.world, ball) || firn_alive(h->z.world, old));
    assert_int_equal(firn_entity_count(h->z.world), 3);
    assert_string_equal(firn_saves_scene_name(h->saves), "cellar");
    house_enter(h, "cellar");
    assert_int_equal(firn_entity_count(h->z.world), 3);
    assert_true(house_place(h, house_at(h, 5)) == 15);
}

static void K16_a_carried_entity_and_its_children_survive(void **state)
{
    house *h = *state;
    firn_error err;
    firn_component child_of = firn_child_of(h->z.world);
    const firn_component_desc desc = {.name = "Likes", .kind = FIRN_RELATION};
    firn_component likes = zoo_register(h->z.world, &desc);
    firn_entity hero = house_spawn(h, 5), bag = house_spawn(h, 6), coin = house_spawn(h, 7);
    house_parent(h, bag, hero);
    house_parent(h, coin, bag);
    house_parent(h, hero, house_at(h, 1)); // which ends
    assert_ok(firn_relate(h->z.world, coin, likes, house_at(h, 2), NULL, &err), &err);
    assert_ok(firn_relate(h->z.world, coin, likes, hero, NULL, &err), &err);
    house_carry(h, hero);
    house_enter(h, "cellar");
    assert_true(house_place(h, hero) == 5 && house_place(h, bag) == 6 && house_place(h, coin) == 7);
    assert_int_equal(firn_entity_count(h->z.world), 6);
    assert_int_equal(firn_target(h->z.world, hero, child_of), 0);
    assert_true(firn_target(h->z.world, bag, child_of) == hero);
    assert_true(firn_target(h->z.world, coin, child_of) == bag);
    assert_true(firn_target(h->z.world, coin, likes) == hero);
    assert_int_equal(firn_sources(h->z.world, likes, hero, NULL, 0), 1);
}

static firn_result count_ends(void *user, firn_world *world, const firn_event *event,
                              firn_error *err)
{
    (void)world, (void)err;
    *(uint32_t *)user += event->count;
    return FIRN_OK;
}

static void K16_observers_hear_of_all_that_ends(void **state)
{
    house *h = *state;
    firn_error err;
    uint32_t ended = 0;
    const firn_observer_desc desc = {.event = "OnDespawn", .observe = count_ends, .user = &ended};
    assert_int_not_equal(firn_observe(h->z.world, &desc, &err), 0);
    firn_entity hero = house_spawn(h, 5);
    house_carry(h, hero);
    assert_ok(firn_saves_leave(h->saves, &err), &err);
    assert_int_equal(ended, 5);
    assert_int_equal(firn_entity_count(h->z.world), 1);
    assert_null(firn_saves_scene_name(h->saves));
    assert_ok(firn_saves_leave(h->saves, &err), &err);
    assert_int_equal(ended, 5);
}

static void K5_leaving_inside_a_loop_is_busy(void **state)
{
    house *h = *state;
    firn_error err;
    const firn_query_desc desc = {.name = "all"};
    firn_query query = firn_query_create(h->z.world, &desc, &err);
    firn_iter it;
    firn_iter_begin(h->z.world, query, &it);
    assert_true(firn_iter_next(&it));
    assert_int_equal(firn_saves_leave(h->saves, &err), FIRN_BUSY);
    assert_int_equal(firn_saves_enter(h->saves, "cellar", &err), FIRN_BUSY);
    assert_non_null(strstr(err.message, "firn_saves_request_enter"));
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_int_equal(firn_saves_leave(NULL, &err), FIRN_INVALID);
    assert_int_equal(firn_entity_count(h->z.world), 5);
}

// ---- entering

static void K5_a_level_that_there_is_not_changes_nothing(void **state)
{
    house *h = *state;
    firn_error err;
    firn_hash before = zoo_hash(h->z.world);
    assert_int_equal(firn_saves_enter(h->saves, "moon", &err), FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "moon");
    assert_int_equal(firn_saves_enter(h->saves, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "level");
    assert_int_equal(firn_saves_enter(h->saves, "a\nb", &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "level");
    assert_int_equal(firn_saves_request_enter(h->saves, NULL, &err), FIRN_INVALID);
    assert_int_equal(firn_saves_enter(NULL, "moon", &err), FIRN_INVALID);
    assert_int_equal(firn_saves_request_enter(NULL, "moon", &err), FIRN_INVALID);
    assert_true(zoo_hash(h->z.world).total == before.total);
    assert_string_equal(firn_saves_scene_name(h->saves), "hall");
    firn_saves_close(h->saves);
    h->desc.levels = NULL;
    h->saves = firn_saves_open(h->z.world, &h->desc, &err);
    assert_int_equal(firn_saves_enter(h->saves, "hall", &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "levels");
}

static firn_result enter_another_world(void *user, const char *level, bool for_restore,
                                       firn_world **world, firn_error *err)
{
    house *h = user;
    (void)for_restore;
    assert_int_equal(firn_saves_remove(h->saves, "a", err), FIRN_BUSY);
    if (strcmp(level, "none") == 0) {
        *world = NULL;
        return FIRN_OK;
    }
    zoo next = zoo_make(&h->memory, false);
    firn_entity one = zoo_spawn_one(next.world, next.of[ZOO_POINT]);
    const uint64_t local = 1;
    *world = next.world;
    return firn_saves_scene(h->saves, level, &one, &local, 1, err);
}

static void K5_a_level_may_bring_another_world(void **state)
{
    house *h = *state;
    firn_error err;
    firn_world *before = h->z.world;
    const firn_levels levels = {.enter = enter_another_world, .user = h};
    firn_saves_close(h->saves);
    h->desc.levels = &levels;
    h->saves = firn_saves_open(before, &h->desc, &err);
    assert_int_equal(firn_saves_enter(h->saves, "none", &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "none");
    assert_ok(firn_saves_enter(h->saves, "moon", &err), &err);
    h->z.world = firn_saves_world(h->saves);
    assert_ptr_not_equal(h->z.world, before);
    firn_world_destroy(before);
    assert_true(firn_alive(h->z.world, house_at(h, 1)));
    // Without a name of levels that of the scene is the level.
    house_save(h);
    firn_save_file *file = firn_save_file_open(h->file.data, h->file.size, NULL, &err);
    assert_string_equal(firn_save_file_header(file)->level, "moon");
    firn_save_file_close(file);
    // Bound to another world by the game, the manager knows no scene.
    firn_world *third = zoo_make(&h->memory, false).world;
    assert_ok(firn_saves_bind(h->saves, third, &err), &err);
    assert_null(firn_saves_scene_name(h->saves));
    firn_world_destroy(h->z.world);
    h->z.world = third;
}

// ---- requests

typedef struct heard_level {
    int count;
    firn_result result;
    char level[16];
} heard_level;

static firn_result hear_level(void *user, firn_world *world, const firn_event *event,
                              firn_error *err)
{
    (void)world, (void)err;
    heard_level *heard = user;
    const firn_saves_event *what = event->payload;
    heard->count++;
    heard->result = what->result;
    assert_true((what->error == NULL) == (what->result == FIRN_OK));
    strcpy(heard->level, what->slot);
    return FIRN_OK;
}

static void house_hear(house *h, heard_level *heard)
{
    firn_error err;
    const firn_observer_desc desc = {
        .event = "level_entered", .observe = hear_level, .user = heard};
    assert_int_not_equal(firn_observe(h->z.world, &desc, &err), 0);
}

static void K5_a_requested_level_is_entered_at_the_end_of_the_tick(void **state)
{
    house *h = *state;
    firn_error err;
    heard_level heard = {0};
    house_hear(h, &heard);
    assert_ok(firn_saves_request_enter(h->saves, "attic", &err), &err);
    assert_ok(firn_saves_request_enter(h->saves, "cellar", &err), &err);
    assert_string_equal(h->level, "hall");
    assert_ok(firn_saves_end_tick(h->saves, 0, &err), &err);
    assert_string_equal(h->level, "cellar");
    assert_int_equal(h->entered, 1);
    assert_int_equal(heard.count, 0);
    assert_ok(firn_saves_tell(h->saves, &err), &err);
    assert_int_equal(heard.count, 1);
    assert_string_equal(heard.level, "cellar");
    assert_int_equal(heard.result, FIRN_OK);
    assert_ok(firn_saves_request_enter(h->saves, "moon", &err), &err);
    assert_ok(firn_saves_end_tick(h->saves, 0, &err), &err);
    assert_ok(firn_saves_end_tick(h->saves, 0, &err), &err);
    assert_int_equal(heard.count, 2);
    assert_string_equal(heard.level, "moon");
    assert_int_equal(heard.result, FIRN_UNKNOWN);
    assert_string_equal(h->level, "cellar");
}

static void open_slots(house *h)
{
    firn_error err;
    assert_ok(firn_storage_memory(&h->memory.allocator, &h->storage, &err), &err);
    firn_saves_close(h->saves);
    h->desc.storage = &h->storage;
    h->saves = firn_saves_open(h->z.world, &h->desc, &err);
    assert_non_null(h->saves);
    house_enter(h, "hall");
    h->entered = 0;
}

static void K5_a_load_drops_a_change_of_level_under_way(void **state)
{
    house *h = *state;
    firn_error err;
    heard_level heard = {0};
    open_slots(h);
    house_hear(h, &heard);
    assert_ok(firn_saves_write(h->saves, "a", NULL, &err), &err);
    house_save(h);
    // One of the same tick.
    assert_ok(firn_saves_request_enter(h->saves, "cellar", &err), &err);
    assert_ok(firn_saves_request_load(h->saves, "a", &err), &err);
    assert_ok(firn_saves_end_tick(h->saves, 0, &err), &err);
    assert_string_equal(h->level, "hall");
    // One that waits while a load is made at once.
    assert_ok(firn_saves_request_enter(h->saves, "cellar", &err), &err);
    house_load(h);
    assert_ok(firn_saves_end_tick(h->saves, 0, &err), &err);
    assert_ok(firn_saves_end_tick(h->saves, 0, &err), &err);
    assert_string_equal(h->level, "hall");
    assert_int_equal(h->entered, 0);
    assert_int_equal(heard.count, 0);
    // A load that fails drops nothing.
    assert_ok(firn_saves_request_load(h->saves, "a", &err), &err);
    assert_ok(firn_saves_request_enter(h->saves, "cellar", &err), &err);
    assert_ok(firn_saves_remove(h->saves, "a", &err), &err);
    assert_ok(firn_saves_end_tick(h->saves, 0, &err), &err);
    assert_string_equal(h->level, "cellar");
    // What waits goes with its manager.
    assert_ok(firn_saves_request_enter(h->saves, "hall", &err), &err);
}

// ---- loads

static void K16_what_is_carried_keeps_running_through_a_load_of_another_scene(void **state)
{
    house *h = *state;
    house_save(h);
    house_enter(h, "cellar");
    firn_entity radio = house_spawn(h, 5), dial = house_spawn(h, 6);
    house_parent(h, dial, radio);
    house_carry(h, radio);
    house_put(h, radio, 50);
    house_load(h);
    assert_string_equal(h->level, "hall");
    assert_true(house_place(h, house_at(h, 2)) == 2);
    // Either may have had a slot of the hall: it was told then.
    uint32_t found = 0;
    for (uint32_t slot = 1; slot < 20; slot++)
        for (uint64_t generation = 0; generation < 3; generation++) {
            float place = house_place(h, generation << FIRN_SLOT_BITS | slot);
            found += place == 50 || place == 6;
        }
    assert_int_equal(found, 2);
    assert_int_equal(firn_entity_count(h->z.world), 7);
}

static void K16_persist_is_not_carry(void **state)
{
    house *h = *state;
    firn_error err;
    firn_entity hero = house_spawn(h, 5), dog = house_spawn(h, 6), ghost = house_spawn(h, 7);
    assert_ok(firn_persist_set(h->z.world, hero, &(firn_persist){.id = "hero"}, &err), &err);
    assert_ok(firn_persist_set(h->z.world, dog, &(firn_persist){.spawned = true}, &err), &err);
    house_carry(h, hero);
    house_carry(h, ghost);
    house_save(h);
    house_put(h, hero, 50);
    house_put(h, ghost, 70);
    house_enter(h, "cellar");
    // What persists and is not carried ends with its scene; what is carried keeps running.
    assert_false(firn_alive(h->z.world, dog));
    assert_true(house_place(h, hero) == 50 && house_place(h, ghost) == 70);
    house_load(h);
    // What persists is as in the save; what is only carried is as it was.
    assert_true(house_place(h, hero) == 5 && house_place(h, dog) == 6);
    assert_true(house_place(h, ghost) == 70);
    // In another session nobody is carried: hero and dog are made from the save, the ghost not.
    house_again(h, 0);
    house_load(h);
    assert_true(house_place(h, hero) == 5 && house_place(h, dog) == 6);
    assert_false(firn_alive(h->z.world, ghost));
}

static void K16_a_carried_scene_entity_is_one_of_no_scene_and_comes_back_as_itself(void **state)
{
    house *h = *state;
    firn_entity chest = house_at(h, 9);
    house_carry(h, chest);
    house_save(h);
    house_put(h, chest, 90);
    house_enter(h, "cellar");
    assert_int_equal(firn_saves_scene_local(h->saves, chest), 0);
    assert_true(house_place(h, chest) == 90);
    house_load(h);
    // The hall made it once more; the one of the save is the one that was carried.
    assert_true(house_place(h, chest) == 9);
    assert_int_equal(firn_entity_count(h->z.world), 5);
    assert_true(house_at(h, 2) != 0 && house_place(h, house_at(h, 2)) == 2);
}

static void K5_a_scene_entity_gets_its_id_from_one_who_persists_and_was_carried(void **state)
{
    house *h = *state;
    firn_error err;
    h->scenes[2].things[0].persist = "door";
    h->scenes[2].things[0].mode = FIRN_PERSIST_FIELDS;
    h->scenes[2].things[0].fields = "zoo.Point";
    // The attic is made on a slot of its own, as everything else is carried.
    const uint64_t locals[5] = {1, 2, 3, 4, 9};
    for (int i = 0; i < 5; i++)
        house_carry(h, house_at(h, locals[i]));
    house_enter(h, "attic");
    firn_entity door = house_at(h, 7);
    house_put(h, door, 70);
    house_save(h);
    house_again(h, 0);
    firn_entity ball = house_spawn(h, 5);
    assert_true(ball == door);
    assert_ok(firn_persist_set(h->z.world, ball, &(firn_persist){.spawned = true}, &err), &err);
    house_carry(h, ball);
    house_load(h);
    assert_true(house_at(h, 7) == door && house_place(h, door) == 70);
    assert_true(firn_has(h->z.world, door, firn_persist_component(h->z.world)));
    assert_false(
        ((const firn_persist *)firn_get(h->z.world, door, firn_persist_component(h->z.world)))
            ->spawned);
}

// ---- play mode

static void K5_the_end_of_play_is_in_the_scene_that_was_edited(void **state)
{
    house *h = *state;
    firn_error err;
    firn_saves_close(h->saves);
    h->desc.editor = true;
    h->saves = firn_saves_open(h->z.world, &h->desc, &err);
    firn_entity one = house_at(h, 1);
    assert_int_equal(firn_saves_enter(h->saves, "hall", &err), FIRN_BUSY);
    assert_int_equal(firn_saves_request_enter(h->saves, "hall", &err), FIRN_BUSY);
    one = house_spawn(h, 5);
    const uint64_t local = 77;
    assert_ok(firn_saves_scene(h->saves, "hall", &one, &local, 1, &err), &err);
    for (int i = 0; i < 2; i++) {
        assert_ok(firn_saves_play_begin(h->saves, &err), &err);
        house_enter(h, "cellar");
        assert_ok(firn_saves_request_enter(h->saves, "hall", &err), &err);
        assert_ok(firn_saves_play_stop(h->saves, &err), &err);
        assert_string_equal(h->level, "hall");
        assert_string_equal(firn_saves_scene_name(h->saves), "hall");
        assert_true(house_at(h, 77) == one && house_place(h, one) == 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HOUSE(K5_entering_a_level_ends_all_that_is_not_carried),
        IN_HOUSE(K16_a_carried_entity_and_its_children_survive),
        IN_HOUSE(K16_observers_hear_of_all_that_ends),
        IN_HOUSE(K5_leaving_inside_a_loop_is_busy),
        IN_HOUSE(K5_a_level_that_there_is_not_changes_nothing),
        IN_HOUSE(K5_a_level_may_bring_another_world),
        IN_HOUSE(K5_a_requested_level_is_entered_at_the_end_of_the_tick),
        IN_HOUSE(K5_a_load_drops_a_change_of_level_under_way),
        IN_HOUSE(K16_what_is_carried_keeps_running_through_a_load_of_another_scene),
        IN_HOUSE(K16_persist_is_not_carry),
        IN_HOUSE(K16_a_carried_scene_entity_is_one_of_no_scene_and_comes_back_as_itself),
        IN_HOUSE(K5_a_scene_entity_gets_its_id_from_one_who_persists_and_was_carried),
        IN_HOUSE(K5_the_end_of_play_is_in_the_scene_that_was_edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
