// Scenes of persisted saves: whose entity is whose, who is gone, and how a load comes to a scene.
#include "api/persist_house.h"

#include <string.h>

// ---- what is told

static void K5_a_scene_knows_its_entities_by_the_ids_of_its_file(void **state)
{
    house *h = *state;
    assert_string_equal(firn_saves_scene_name(h->saves), "hall");
    assert_true(house_place(h, house_at(h, 9)) == 9);
    assert_int_equal(firn_saves_scene_local(h->saves, house_at(h, 9)), 9);
    assert_int_equal(firn_saves_scene_local(h->saves, house_at(h, 1)), 1);
    assert_int_equal(house_at(h, 5), 0);
    assert_int_equal(house_at(h, 100), 0);
    assert_int_equal(firn_saves_scene_local(h->saves, house_spawn(h, 1)), 0);
    firn_entity lamp = house_at(h, 3);
    house_end_of(h, lamp);
    assert_true(house_at(h, 3) == lamp);
    assert_true(firn_saves_scene_local(h->saves, house_spawn(h, 1)) == 0);
}

static void K5_a_scene_that_is_told_wrong_changes_nothing(void **state)
{
    house *h = *state;
    firn_error err;
    firn_entity two[2] = {house_at(h, 1), house_at(h, 2)};
    const uint64_t locals[2] = {1, 2}, same[2] = {3, 3}, none[2] = {1, 0},
                   large[2] = {1, UINT64_C(1) << 53};
    assert_int_equal(firn_saves_scene(h->saves, "", two, locals, 2, &err), FIRN_INVALID);
    assert_int_equal(firn_saves_scene(h->saves, NULL, two, locals, 2, &err), FIRN_INVALID);
    assert_int_equal(firn_saves_scene(h->saves, "a", two, NULL, 2, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "locals");
    assert_int_equal(firn_saves_scene(h->saves, "a", NULL, locals, 2, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "entities");
    assert_int_equal(firn_saves_scene(h->saves, "a", two, same, 2, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "locals");
    assert_int_equal(firn_saves_scene(h->saves, "a", two, none, 2, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "locals");
    assert_int_equal(firn_saves_scene(h->saves, "a", two, large, 2, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "locals");
    assert_int_equal(firn_saves_scene(h->saves, "a", two, locals, UINT32_MAX, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "entities");
    two[1] = two[0];
    assert_int_equal(firn_saves_scene(h->saves, "a", two, locals, 2, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "entities");
    two[1] = 0;
    assert_int_equal(firn_saves_scene(h->saves, "a", two, locals, 2, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "entities");
    assert_int_equal(firn_saves_scene(NULL, "a", two, locals, 2, &err), FIRN_INVALID);
    assert_string_equal(firn_saves_scene_name(h->saves), "hall");
    assert_true(house_place(h, house_at(h, 9)) == 9);
    assert_null(firn_saves_scene_name(NULL));
    assert_int_equal(firn_saves_scene_entity(NULL, 1), 0);
    assert_int_equal(firn_saves_scene_local(NULL, two[0]), 0);
}

static void K5_a_manager_of_whole_worlds_has_no_scenes(void **state)
{
    house *h = *state;
    firn_error err;
    firn_saves_close(h->saves);
    h->desc.kind = FIRN_SAVES_WORLD;
    h->saves = firn_saves_open(h->z.world, &h->desc, &err);
    assert_int_equal(firn_saves_scene(h->saves, "a", NULL, NULL, 0, &err), FIRN_UNSUPPORTED);
    assert_error(&err, FIRN_UNSUPPORTED, "kind");
}

static void K5_a_scene_may_be_told_in_any_order(void **state)
{
    house *h = *state;
    firn_error err;
    firn_entity entities[4] = {house_at(h, 4), house_at(h, 1), house_at(h, 3), house_at(h, 2)};
    const uint64_t locals[4] = {40, 10, 30, 11};
    assert_ok(firn_saves_scene(h->saves, "a", entities, locals, 4, &err), &err);
    for (int i = 0; i < 4; i++) {
        assert_true(house_at(h, locals[i]) == entities[i]);
        assert_int_equal(firn_saves_scene_local(h->saves, entities[i]), locals[i]);
    }
    assert_ok(firn_saves_scene(h->saves, "b", NULL, NULL, 0, &err), &err);
    assert_int_equal(house_at(h, 10), 0);
    house_save(h);
    house_load(h);
    assert_string_equal(firn_saves_scene_name(h->saves), "b");
}

// ---- who is gone

static void K2_a_scene_entity_that_was_destroyed_stays_destroyed_in_a_new_session(void **state)
{
    house *h = *state;
    house_end_of(h, house_at(h, 3)); // saved by field
    house_end_of(h, house_at(h, 9)); // saved whole
    house_save(h);
    house_again(h, 0);
    assert_true(house_place(h, house_at(h, 3)) == 3);
    house_load(h);
    assert_int_equal(h->entered, 0);
    assert_true(house_place(h, house_at(h, 3)) == -1 && house_place(h, house_at(h, 9)) == -1);
    // Later saves have it too, and those of sessions that never saw it alive.
    for (int i = 0; i < 3; i++) {
        house_save(h);
        house_again(h, (uint32_t)i);
        assert_true(house_place(h, house_at(h, 3)) == 3);
        house_load(h);
        assert_true(house_place(h, house_at(h, 3)) == -1 && house_place(h, house_at(h, 9)) == -1);
        assert_true(house_place(h, house_at(h, 1)) == 1 && house_place(h, house_at(h, 2)) == 2);
    }
}

static void K2_what_is_below_one_that_is_gone_ends_with_it(void **state)
{
    house *h = *state;
    house_end_of(h, house_at(h, 2));
    house_save(h);
    house_again(h, 0);
    assert_true(house_place(h, house_at(h, 4)) == 4);
    house_load(h);
    assert_true(house_place(h, house_at(h, 2)) == -1 && house_place(h, house_at(h, 4)) == -1);
}

// A lamp stood on what is gone in the save, or hangs on what was spawned since.
static void K2_one_that_is_saved_by_field_outlives_what_it_hung_below(void **state)
{
    house *h = *state;
    firn_error err;
    h->scenes[0].things[2].parent = 9;
    house_again(h, 0);
    firn_component child_of = firn_child_of(h->z.world);
    firn_entity lamp = house_at(h, 3);
    assert_ok(firn_unrelate(h->z.world, lamp, child_of, 0, &err), &err);
    house_end_of(h, house_at(h, 9));
    house_put(h, lamp, 30);
    house_save(h);
    house_again(h, 0);
    child_of = firn_child_of(h->z.world);
    for (int i = 0; i < 2; i++) {
        house_load(h);
        lamp = house_at(h, 3);
        assert_true(house_place(h, lamp) == 30 && firn_target(h->z.world, lamp, child_of) == 0);
        firn_entity ball = house_spawn(h, 5);
        assert_ok(firn_persist_set(h->z.world, ball, &(firn_persist){.spawned = true}, &err), &err);
        assert_ok(firn_relate(h->z.world, lamp, child_of, ball, NULL, &err), &err);
        house_put(h, lamp, 31);
    }
    assert_int_equal(h->entered, 0);
}

static void K2_one_that_is_destroyed_after_the_save_comes_back(void **state)
{
    house *h = *state;
    firn_entity chest = house_at(h, 9);
    house_save(h);
    house_end_of(h, chest);
    firn_buffer first = h->file;
    h->file = (firn_buffer){0};
    house_save(h);
    firn_buffer_free(&h->file);
    h->file = first;
    house_load(h);
    assert_true(house_place(h, chest) == 9 && house_at(h, 9) == chest);
    house_save(h);
    house_again(h, 0);
    house_load(h);
    assert_true(house_place(h, house_at(h, 9)) == 9);
}

static void K14_one_that_is_saved_by_field_comes_back_with_its_scene(void **state)
{
    house *h = *state;
    firn_entity lamp = house_at(h, 3);
    house_put(h, lamp, 30);
    house_put(h, house_at(h, 1), 10);
    house_save(h);
    house_end_of(h, lamp);
    house_load(h);
    assert_int_equal(h->entered, 1);
    assert_true(house_at(h, 3) == lamp && house_place(h, lamp) == 30);
    assert_true(house_place(h, house_at(h, 1)) == 1);
    // One that was gone in the save, too, is not waited for.
    house_end_of(h, lamp);
    house_save(h);
    house_put(h, house_at(h, 1), 10);
    house_load(h);
    assert_int_equal(h->entered, 1);
    assert_true(house_place(h, lamp) == -1 && house_place(h, house_at(h, 1)) == 10);
}

static void K2_scenery_that_was_destroyed_is_as_the_scene_makes_it(void **state)
{
    house *h = *state;
    house_end_of(h, house_at(h, 1));
    house_save(h);
    house_load(h);
    assert_true(house_place(h, house_at(h, 1)) == -1);
    house_again(h, 0);
    house_load(h);
    assert_true(house_place(h, house_at(h, 1)) == 1);
}

static void K2_one_that_lost_persist_before_it_was_destroyed_is_not_gone(void **state)
{
    house *h = *state;
    firn_error err;
    firn_component persist = firn_persist_component(h->z.world);
    firn_entity lamp = house_at(h, 3);
    house_save(h);
    assert_ok(firn_remove(h->z.world, lamp, &persist, 1, &err), &err);
    house_save(h);
    house_end_of(h, lamp);
    house_save(h);
    house_again(h, 0);
    house_load(h);
    assert_true(house_place(h, house_at(h, 3)) == 3);
}

// ---- another scene

static void K5_a_save_of_another_scene_enters_it_and_gives_its_entities_their_ids(void **state)
{
    house *h = *state;
    firn_entity ids[10];
    for (uint64_t local = 1; local < 10; local++)
        ids[local] = house_at(h, local);
    house_put(h, ids[2], 20);
    house_put(h, ids[3], 30);
    house_put(h, ids[4], 40);
    house_save(h);
    house_enter(h, "cellar");
    firn_entity loose = house_spawn(h, 5);
    house_load(h);
    assert_int_equal(h->entered, 2);
    assert_true(h->restores);
    assert_string_equal(h->level, "hall");
    assert_string_equal(firn_saves_scene_name(h->saves), "hall");
    assert_false(firn_alive(h->z.world, loose));
    const float places[10] = {0, 1, 20, 30, 4, -1, -1, -1, -1, 9};
    for (uint64_t local = 1; local < 10; local++) {
        assert_true(house_at(h, local) == ids[local]);
        assert_true(house_place(h, ids[local]) == places[local]);
    }
    assert_true(firn_target(h->z.world, ids[4], firn_child_of(h->z.world)) == ids[2]);
    assert_int_equal(firn_entity_count(h->z.world), 5);
}

static void K5_a_save_of_the_same_scene_with_other_ids_enters_it_anew(void **state)
{
    house *h = *state;
    firn_entity lamp = house_at(h, 3), scenery = house_at(h, 1);
    house_put(h, lamp, 30);
    house_save(h);
    for (uint32_t round = 1; round <= 2; round++) {
        h->backwards = round == 2; // every id is that of another one
        house_again(h, 7 - 3 * round);
        assert_true(house_at(h, 3) != lamp || round == 2);
        house_put(h, house_at(h, 1), 10);
        house_load(h);
        assert_int_equal(h->entered, 1);
        assert_true(house_at(h, 3) == lamp && house_at(h, 1) == scenery);
        assert_true(house_place(h, lamp) == 30 && house_place(h, scenery) == 1);
        house_load(h);
        assert_int_equal(h->entered, 1);
    }
}

static void K5_the_entities_whose_ids_changed_are_told(void **state)
{
    house *h = *state;
    firn_error err;
    firn_saves_loaded loaded;
    firn_entity ids[3] = {house_at(h, 1), house_at(h, 2), house_at(h, 4)};
    house_save(h);
    house_again(h, 12);
    assert_ok(house_take(h, &loaded, &err), &err);
    assert_int_equal(loaded.moved_count, 5);
    for (int i = 0; i < 3; i++) {
        bool found = false;
        for (uint32_t k = 0; k < loaded.moved_count; k++)
            found = found || loaded.moved[k].entity == ids[i];
        assert_true(found);
    }
    firn_saves_loaded_free(&loaded);
}

static void K5_without_levels_ids_change_in_place(void **state)
{
    house *h = *state;
    firn_error err;
    firn_entity ids[3] = {house_spawn(h, 1), house_spawn(h, 2), house_spawn(h, 3)};
    const uint64_t locals[3] = {1, 2, 3};
    firn_saves_close(h->saves);
    h->desc.levels = NULL;
    h->saves = firn_saves_open(h->z.world, &h->desc, &err);
    assert_ok(firn_saves_scene(h->saves, "hall", ids, locals, 3, &err), &err);
    house_save(h);
    const firn_entity turned[3] = {ids[1], ids[2], ids[0]};
    assert_ok(firn_saves_scene(h->saves, "hall", turned, locals, 3, &err), &err);
    for (int i = 0; i < 3; i++)
        house_put(h, turned[i], 100 * (float)(i + 1));
    house_load(h);
    for (int i = 0; i < 3; i++) {
        assert_true(house_at(h, locals[i]) == ids[i]);
        assert_true(house_place(h, ids[i]) == 100 * (float)(i + 1));
    }
    assert_ok(firn_saves_scene(h->saves, "elsewhere", ids, locals, 3, &err), &err);
    assert_int_equal(house_take(h, NULL, &err), FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "hall");
    assert_string_equal(firn_saves_scene_name(h->saves), "elsewhere");
}

static void K5_a_scene_file_that_changed_is_told_and_the_rest_loads(void **state)
{
    house *h = *state;
    firn_error err;
    firn_saves_loaded loaded;
    firn_entity chest = house_at(h, 9);
    house_put(h, house_at(h, 2), 20);
    house_put(h, chest, 90);
    house_save(h);
    assert_ok(house_take(h, &loaded, &err), &err);
    assert_int_equal(loaded.scene_missing_count + loaded.scene_new_count, 0);
    firn_saves_loaded_free(&loaded);
    house_scene *hall = &h->scenes[0];
    hall->things[2] = (house_thing){.local = 6, .x = 6};
    hall->things[3] = (house_thing){.local = 7, .x = 7, .persist = "new"};
    hall->things[4] = (house_thing){.local = 12, .x = 12};
    house_again(h, 0);
    assert_ok(house_take(h, &loaded, &err), &err);
    assert_int_equal(loaded.scene_missing_count, 3);
    assert_int_equal(loaded.scene_new_count, 3);
    const uint64_t missing[3] = {3, 4, 9}, added[3] = {6, 7, 12};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(loaded.scene_missing[i], missing[i]);
        assert_int_equal(loaded.scene_new[i], added[i]);
    }
    firn_saves_loaded_free(&loaded);
    assert_true(house_place(h, house_at(h, 2)) == 20);
    assert_true(house_place(h, house_at(h, 6)) == 6);
    // One that was saved whole is made from the save; one that is new stays, and persists.
    assert_true(house_place(h, chest) == 90);
    assert_true(house_place(h, house_at(h, 7)) == 7);
    house_save(h);
    house_end_of(h, house_at(h, 7));
    house_load(h);
    assert_true(house_place(h, house_at(h, 7)) == 7);
}

static void K5_variables_that_are_not_saved_follow_an_entity_whose_id_changes(void **state)
{
    house *h = *state;
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_entity ids[2] = {house_spawn(h, 1), house_spawn(h, 2)};
    const uint64_t locals[2] = {1, 2};
    const firn_persist row = {.no_vars = true};
    firn_saves_close(h->saves);
    h->desc.levels = NULL;
    h->saves = firn_saves_open(h->z.world, &h->desc, &err);
    for (int i = 0; i < 2; i++)
        assert_ok(firn_persist_set(h->z.world, ids[i], &row, &err), &err);
    assert_ok(firn_saves_scene(h->saves, "hall", ids, locals, 2, &err), &err);
    house_save(h);
    // The second local id is now that of the first entity, and the other way round.
    const firn_entity turned[2] = {ids[1], ids[0]};
    assert_ok(firn_saves_scene(h->saves, "hall", turned, locals, 2, &err), &err);
    for (int i = 0; i < 2; i++) {
        const firn_value *value = firn_value_number(doc, 10 * (i + 1), &err);
        assert_ok(firn_vars_set(h->z.world, turned[i], "n", value, &err), &err);
    }
    house_load(h);
    for (int i = 0; i < 2; i++) {
        assert_true(house_at(h, locals[i]) == ids[i]);
        const firn_value *value = firn_vars_get(h->z.world, ids[i], "n", doc, &err);
        assert_true(value != NULL && value->as.number == 10 * (i + 1));
    }
    firn_doc_destroy(doc);
}

static void K14_the_kept_entity_that_moves_is_known_to_the_scene(void **state)
{
    house *h = *state;
    firn_error err;
    firn_saves_loaded loaded;
    // A ball has the slot that the scenery of the hall gets in the next session.
    h->scenes[0].things[4] = (house_thing){0};
    house_again(h, 0);
    firn_entity ball = house_spawn(h, 5);
    assert_ok(firn_persist_set(h->z.world, ball, &(firn_persist){.spawned = true}, &err), &err);
    house_save(h);
    h->scenes[0].things[4] = (house_thing){.local = 5, .x = 55};
    house_again(h, 0);
    firn_entity other = house_at(h, 5);
    assert_true(other == ball);
    assert_ok(house_take(h, &loaded, &err), &err);
    assert_int_equal(loaded.moved_count, 1);
    assert_true(loaded.moved[0].saved == other && loaded.moved[0].entity == house_at(h, 5));
    firn_saves_loaded_free(&loaded);
    assert_true(house_place(h, ball) == 5);
    assert_true(house_place(h, house_at(h, 5)) == 55);
    assert_int_equal(firn_saves_scene_local(h->saves, ball), 0);
    assert_int_equal(firn_saves_scene_local(h->saves, house_at(h, 5)), 5);
}

// A scene without levels, of one entity with the local id 1.
static void tell_one(house *h, firn_entity entity)
{
    firn_error err;
    const uint64_t local = 1;
    if (h->desc.levels != NULL) {
        firn_saves_close(h->saves);
        h->desc.levels = NULL;
        h->saves = firn_saves_open(h->z.world, &h->desc, &err);
    }
    assert_ok(firn_saves_scene(h->saves, "yard", &entity, &local, 1, &err), &err);
}

static firn_entity spawn_persisted(house *h, float x)
{
    firn_error err;
    firn_entity entity = house_spawn(h, x);
    assert_ok(firn_persist_set(h->z.world, entity, &(firn_persist){.spawned = true}, &err), &err);
    return entity;
}

static void K2_one_that_is_gone_is_not_who_has_its_id_of_now_in_the_save(void **state)
{
    house *h = *state;
    firn_entity chest = spawn_persisted(h, 5), ball = spawn_persisted(h, 6);
    tell_one(h, chest);
    house_end_of(h, chest);
    house_save(h);
    tell_one(h, ball); // as it may be in the next session
    house_put(h, ball, 50);
    house_load(h);
    assert_true(house_at(h, 1) == chest && house_place(h, chest) == -1);
    assert_true(house_place(h, ball) == 6);
    assert_int_equal(firn_saves_scene_local(h->saves, ball), 0);
}

static void K14_scenery_that_was_gone_makes_room_for_who_has_its_id_of_now_in_the_save(void **state)
{
    house *h = *state;
    firn_error err;
    firn_saves_loaded loaded;
    firn_component persist = firn_persist_component(h->z.world);
    firn_entity bush = house_spawn(h, 5), chest = spawn_persisted(h, 6);
    tell_one(h, bush);
    house_end_of(h, bush);
    firn_entity ball = spawn_persisted(h, 7);
    assert_true(ball == bush + (UINT64_C(1) << FIRN_SLOT_BITS));
    house_save(h);
    assert_ok(firn_remove(h->z.world, chest, &persist, 1, &err), &err);
    tell_one(h, chest); // it is the bush of the next session
    house_put(h, chest, 50);
    assert_ok(house_take(h, &loaded, &err), &err);
    assert_int_equal(loaded.moved_count, 1);
    assert_true(loaded.moved[0].saved == chest && loaded.moved[0].entity == house_at(h, 1));
    firn_saves_loaded_free(&loaded);
    assert_true(house_place(h, house_at(h, 1)) == 50);
    assert_true(house_place(h, chest) == 6 && house_place(h, ball) == 7);
    assert_true(firn_has(h->z.world, chest, persist));
}

// ---- another world

// The hall is made in a world of its own.
static firn_result enter_new_world(void *user, const char *level, bool for_restore,
                                   firn_world **world, firn_error *err)
{
    house *h = user;
    assert_string_equal(level, "hall");
    assert_true(for_restore);
    h->z = zoo_make(&h->memory, false);
    *world = h->z.world;
    if (firn_persist_register(*world, err) == 0)
        return err->code;
    firn_entity entities[3];
    const uint64_t locals[3] = {1, 2, 3};
    for (int i = 2; i >= 0; i--) {
        entities[i] = house_spawn(h, (float)i);
        if (i > 0)
            assert_ok(firn_persist_set(*world, entities[i], &(firn_persist){.mode = 0}, err), err);
    }
    return firn_saves_scene(h->saves, level, entities, locals, 3, err);
}

static void K5_a_scene_may_be_made_in_another_world(void **state)
{
    house *h = *state;
    firn_error err;
    firn_entity chest = house_at(h, 2);
    house_put(h, chest, 20);
    house_end_of(h, house_at(h, 3));
    house_save(h);
    house_enter(h, "cellar");
    firn_saves_close(h->saves);
    const firn_levels levels = {.enter = enter_new_world, .user = h};
    h->desc.levels = &levels;
    firn_world *before = h->z.world;
    h->saves = firn_saves_open(before, &h->desc, &err);
    house_load(h);
    assert_ptr_equal(firn_saves_world(h->saves), h->z.world);
    assert_ptr_not_equal(h->z.world, before);
    firn_world_destroy(before);
    assert_true(house_at(h, 2) == chest && house_place(h, chest) == 20);
    assert_true(house_place(h, house_at(h, 3)) == -1);
    // It is known who was gone, also to the next save.
    house_save(h);
    h->desc.levels = &h->levels;
    house_again(h, 0);
    house_load(h);
    assert_true(house_place(h, house_at(h, 3)) == -1 && house_place(h, house_at(h, 9)) == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HOUSE(K5_a_scene_knows_its_entities_by_the_ids_of_its_file),
        IN_HOUSE(K5_a_scene_that_is_told_wrong_changes_nothing),
        IN_HOUSE(K5_a_manager_of_whole_worlds_has_no_scenes),
        IN_HOUSE(K5_a_scene_may_be_told_in_any_order),
        IN_HOUSE(K2_a_scene_entity_that_was_destroyed_stays_destroyed_in_a_new_session),
        IN_HOUSE(K2_what_is_below_one_that_is_gone_ends_with_it),
        IN_HOUSE(K2_one_that_is_saved_by_field_outlives_what_it_hung_below),
        IN_HOUSE(K2_one_that_is_destroyed_after_the_save_comes_back),
        IN_HOUSE(K14_one_that_is_saved_by_field_comes_back_with_its_scene),
        IN_HOUSE(K2_scenery_that_was_destroyed_is_as_the_scene_makes_it),
        IN_HOUSE(K2_one_that_lost_persist_before_it_was_destroyed_is_not_gone),
        IN_HOUSE(K5_a_save_of_another_scene_enters_it_and_gives_its_entities_their_ids),
        IN_HOUSE(K5_a_save_of_the_same_scene_with_other_ids_enters_it_anew),
        IN_HOUSE(K5_the_entities_whose_ids_changed_are_told),
        IN_HOUSE(K5_without_levels_ids_change_in_place),
        IN_HOUSE(K5_a_scene_file_that_changed_is_told_and_the_rest_loads),
        IN_HOUSE(K2_one_that_is_gone_is_not_who_has_its_id_of_now_in_the_save),
        IN_HOUSE(K14_scenery_that_was_gone_makes_room_for_who_has_its_id_of_now_in_the_save),
        IN_HOUSE(K5_a_scene_may_be_made_in_another_world),
        IN_HOUSE(K5_variables_that_are_not_saved_follow_an_entity_whose_id_changes),
        IN_HOUSE(K14_the_kept_entity_that_moves_is_known_to_the_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
