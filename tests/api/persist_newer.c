// Loads of persisted saves in a newer game, which saves other entities, or others of them whole.
#include "api/persist_house.h"
#include "api/persist_section.h"

#include <string.h>

static void forget_and_load(house *h, uint32_t spare)
{
    house_again(h, spare);
    house_load(h);
}

static void K14_a_scene_entity_that_persists_only_in_a_newer_game_stays(void **state)
{
    house *h = *state;
    house_save(h);
    for (uint32_t round = 0; round < 4; round++) {
        h->scenes[0].things[0].persist = round % 2 == 0 ? "" : "bush";
        forget_and_load(h, round < 2 ? 0 : 5);
        assert_true(house_place(h, house_at(h, 1)) == 1);
    }
    house_save(h);
    house_put(h, house_at(h, 1), 10);
    house_load(h);
    assert_true(house_place(h, house_at(h, 1)) == 1);
}

static void K14_a_scene_entity_that_persists_since_the_save_stays_and_is_not_gone(void **state)
{
    house *h = *state;
    firn_error err;
    const firn_persist row = {.id = "bush"};
    house_save(h);
    assert_ok(firn_persist_set(h->z.world, house_at(h, 1), &row, &err), &err);
    house_put(h, house_at(h, 1), 10);
    house_load(h);
    assert_true(house_place(h, house_at(h, 1)) == 10);
    house_save(h);
    forget_and_load(h, 0);
    assert_true(house_place(h, house_at(h, 1)) == 10);
}

static void K14_scenery_that_a_spawned_entity_took_after_the_save_stays(void **state)
{
    house *h = *state;
    firn_error err;
    firn_entity hero = house_spawn(h, 5), vase = house_at(h, 1);
    firn_component child_of = firn_child_of(h->z.world);
    assert_ok(firn_persist_set(h->z.world, hero, &(firn_persist){.spawned = true}, &err), &err);
    house_save(h);
    assert_ok(firn_relate(h->z.world, vase, child_of, hero, NULL, &err), &err);
    house_put(h, hero, 50);
    house_put(h, vase, 10);
    house_load(h);
    assert_true(house_place(h, hero) == 5 && house_place(h, vase) == 10);
    assert_true(firn_target(h->z.world, vase, child_of) == hero);
}

static void K1_a_scene_entity_that_was_saved_by_field_is_there_when_it_is_saved_whole(void **state)
{
    house *h = *state;
    house_put(h, house_at(h, 3), 30);
    house_save(h);
    house_thing *lamp = &h->scenes[0].things[2];
    lamp->mode = FIRN_PERSIST_ALL;
    lamp->fields = NULL;
    forget_and_load(h, 0);
    assert_true(house_place(h, house_at(h, 3)) == 30);
}

// The game itself makes it, in no scene.
static firn_entity make_player(house *h, firn_persist_mode mode, float x)
{
    firn_error err;
    firn_persist row = {.id = "player", .fields = "zoo.Point", .mode = (uint8_t)mode};
    firn_entity player = house_spawn(h, x);
    assert_ok(firn_persist_set(h->z.world, player, &row, &err), &err);
    return player;
}

static void K1_one_of_no_scene_that_was_saved_by_field_is_there_too(void **state)
{
    house *h = *state;
    make_player(h, FIRN_PERSIST_FIELDS, 50);
    house_save(h);
    house_again(h, 3);
    firn_entity player = make_player(h, FIRN_PERSIST_ALL, 5);
    house_load(h);
    assert_int_equal(h->entered, 1);
    assert_false(firn_alive(h->z.world, player)); // it is not carried
    player = make_player(h, FIRN_PERSIST_ALL, 5);
    house_load(h);
    assert_int_equal(h->entered, 1);
    assert_true(house_place(h, player) == 50);
}

static void K14_who_has_key_and_id_of_a_saved_entity_is_it_under_another_local_id(void **state)
{
    house *h = *state;
    h->scenes[0].things[4].persist = "chest";
    house_again(h, 0);
    house_put(h, house_at(h, 9), 90);
    house_save(h);
    for (uint32_t round = 0; round < 2; round++) {
        h->scenes[0].things[4].local = 10 + round;
        forget_and_load(h, 3 * round);
        assert_true(house_place(h, house_at(h, 10 + round)) == 90);
        assert_int_equal(firn_entity_count(h->z.world), 5);
    }
    house_save(h);
}

static void K2_one_that_is_gone_stays_gone_when_a_scene_file_has_it_again(void **state)
{
    house *h = *state;
    house_thing *chest = &h->scenes[0].things[4];
    house_end_of(h, house_at(h, 9));
    house_save(h);
    chest->local = 0;
    forget_and_load(h, 0);
    house_save(h);
    house_load(h);
    house_save(h);
    chest->local = 9;
    forget_and_load(h, 0);
    assert_true(house_place(h, house_at(h, 9)) == -1);
}

static void K5_one_that_a_scene_file_lost_and_has_again_is_there_once(void **state)
{
    house *h = *state;
    house_thing *chest = &h->scenes[0].things[4];
    house_put(h, house_at(h, 9), 90);
    house_save(h);
    chest->local = 0;
    forget_and_load(h, 0);
    firn_entity made = house_at(h, 9);
    assert_true(house_place(h, made) == 90 && firn_saves_scene_local(h->saves, made) == 9);
    house_save(h);
    chest->local = 9;
    forget_and_load(h, 3);
    assert_true(house_place(h, house_at(h, 9)) == 90);
    assert_int_equal(firn_entity_count(h->z.world), 5);
}

static void K2_one_that_a_scene_file_lost_and_that_ended_stays_gone(void **state)
{
    house *h = *state;
    house_thing *chest = &h->scenes[0].things[4];
    house_save(h);
    chest->local = 0;
    forget_and_load(h, 0);
    house_end_of(h, house_at(h, 9));
    house_save(h);
    chest->local = 9;
    forget_and_load(h, 3);
    assert_true(house_place(h, house_at(h, 9)) == -1);
    assert_int_equal(firn_entity_count(h->z.world), 4);
}

// The thing at place 2 is saved as "door", and in the next version something new is called so.
static void K5_who_has_the_key_of_a_saved_entity_is_it_and_who_has_its_place_is_new(void **state)
{
    house *h = *state;
    firn_error err;
    house_thing *things = h->scenes[0].things;
    things[1].persist = "door";
    house_again(h, 0);
    house_put(h, house_at(h, 2), 20);
    house_save(h);
    firn_entity door = house_at(h, 2);
    things[1].persist = "gate";
    things[5] = (house_thing){.local = 10, .x = 5, .persist = "door"};
    for (uint32_t spare = 0; spare < 4; spare++) {
        house_again(h, spare);
        firn_saves_loaded loaded;
        assert_ok(house_take(h, &loaded, &err), &err);
        assert_int_equal(house_at(h, 10), door);
        assert_true(house_place(h, door) == 20 && house_place(h, house_at(h, 2)) == 2);
        assert_int_equal(loaded.scene_new_count, 2);
        assert_int_equal(loaded.scene_new[0], 2);
        assert_int_equal(loaded.scene_new[1], 10);
        firn_saves_loaded_free(&loaded);
    }
    house_put(h, house_at(h, 2), 30);
    house_save(h);
    forget_and_load(h, 5);
    assert_true(house_place(h, house_at(h, 10)) == 20 && house_place(h, house_at(h, 2)) == 30);
}

static void a_snapshot_that_ends_early_is_told_where_keys_and_places_are_at_odds(void **state)
{
    house *h = *state;
    firn_error err;
    const void *image;
    size_t size;
    house_thing *things = h->scenes[0].things;
    things[1].persist = "door";
    house_again(h, 0);
    house_save(h);
    things[1].persist = "gate";
    things[5] = (house_thing){.local = 10, .x = 5, .persist = "door"};
    house_again(h, 0);
    firn_save_file *file = firn_save_file_open(h->file.data, h->file.size, NULL, &err);
    assert_ok(firn_save_file_section(file, FIRN_SECTION_SNAPSHOT, &image, &size, &err), &err);
    assert_int_equal(take_with_image(h->saves, &h->file, image, size - 1, &err), FIRN_TRUNCATED);
    assert_true(house_place(h, house_at(h, 10)) == 5);
    firn_save_file_close(file);
}

// A file with other ids for what it has, and without what had the id of a new entity.
static void K14_who_has_the_id_of_a_saved_scene_entity_by_chance_is_not_that_one(void **state)
{
    house *h = *state;
    firn_error err;
    h->scenes[0].things[4].mode = FIRN_PERSIST_VARS;
    house_again(h, 0);
    firn_entity chest = house_at(h, 9);
    house_save(h);
    h->scenes[0].things[4].local = 0;
    house_again(h, 0);
    firn_entity stranger = house_spawn(h, 50);
    assert_int_equal(stranger, chest);
    assert_ok(firn_persist_set(h->z.world, stranger, &(firn_persist){.spawned = true}, &err), &err);
    house_load(h);
    assert_false(firn_alive(h->z.world, stranger)); // made after the save
    assert_int_equal(firn_entity_count(h->z.world), 4);
}

static void
K2_one_that_ended_for_a_save_without_it_is_of_the_scene_when_a_load_makes_it(void **state)
{
    house *h = *state;
    firn_error err;
    firn_buffer without = {0};
    house_thing *chest = &h->scenes[0].things[4];
    chest->local = 0;
    house_again(h, 0);
    assert_ok(firn_saves_make(h->saves, NULL, &without, &err), &err);
    chest->local = 9;
    house_again(h, 0);
    house_save(h);
    firn_entity id = house_at(h, 9);
    house_end_of(h, id);
    assert_ok(firn_saves_take(h->saves, without.data, without.size, NULL, &err), &err);
    assert_false(firn_alive(h->z.world, house_at(h, 9)));
    house_load(h);
    assert_int_equal(house_at(h, 9), id);
    assert_true(house_place(h, id) == 9);
    firn_buffer_free(&without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HOUSE(K14_a_scene_entity_that_persists_only_in_a_newer_game_stays),
        IN_HOUSE(K14_a_scene_entity_that_persists_since_the_save_stays_and_is_not_gone),
        IN_HOUSE(K14_scenery_that_a_spawned_entity_took_after_the_save_stays),
        IN_HOUSE(K1_a_scene_entity_that_was_saved_by_field_is_there_when_it_is_saved_whole),
        IN_HOUSE(K1_one_of_no_scene_that_was_saved_by_field_is_there_too),
        IN_HOUSE(K14_who_has_key_and_id_of_a_saved_entity_is_it_under_another_local_id),
        IN_HOUSE(K2_one_that_is_gone_stays_gone_when_a_scene_file_has_it_again),
        IN_HOUSE(K5_one_that_a_scene_file_lost_and_has_again_is_there_once),
        IN_HOUSE(K2_one_that_a_scene_file_lost_and_that_ended_stays_gone),
        IN_HOUSE(K5_who_has_the_key_of_a_saved_entity_is_it_and_who_has_its_place_is_new),
        IN_HOUSE(a_snapshot_that_ends_early_is_told_where_keys_and_places_are_at_odds),
        IN_HOUSE(K14_who_has_the_id_of_a_saved_scene_entity_by_chance_is_not_that_one),
        IN_HOUSE(K2_one_that_ended_for_a_save_without_it_is_of_the_scene_when_a_load_makes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
