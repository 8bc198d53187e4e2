// Loads of persisted saves: whether who has the id of a saved entity is that entity.
#include "api/persist_house.h"

#include <stdio.h>
#include <stdlib.h>

static void persist_spawned(house *h, firn_entity entity)
{
    firn_error err;
    assert_ok(firn_persist_set(h->z.world, entity, &(firn_persist){.spawned = true}, &err), &err);
}

// The entity that a load moved, under its new id.
static firn_entity load_and_find(house *h, firn_entity before)
{
    firn_error err;
    firn_saves_loaded loaded;
    firn_entity now = 0;
    assert_ok(house_take(h, &loaded, &err), &err);
    for (uint32_t i = 0; i < loaded.moved_count; i++)
        now = loaded.moved[i].saved == before ? loaded.moved[i].entity : now;
    firn_saves_loaded_free(&loaded);
    return now;
}

static void K14_who_has_the_id_of_a_saved_entity_by_chance_moves(void **state)
{
    house *h = *state;
    firn_error err;
    firn_entity ball = house_spawn(h, 5);
    persist_spawned(h, ball);
    house_save(h);
    house_again(h, 0);
    firn_component child_of = firn_child_of(h->z.world);
    firn_entity leaf = house_spawn(h, 6), dew = house_spawn(h, 7);
    assert_true(leaf == ball);
    assert_ok(firn_relate(h->z.world, dew, child_of, leaf, NULL, &err), &err);
    firn_entity moved = load_and_find(h, leaf);
    assert_true(house_place(h, ball) == 5 && house_place(h, moved) == 6);
    assert_true(firn_target(h->z.world, dew, child_of) == moved);
    // A load that takes it back does not touch what has its id then.
    firn_buffer with_ball = h->file;
    h->file = (firn_buffer){0};
    house_end_of(h, moved);
    house_again(h, 0);
    house_save(h);
    firn_buffer without = h->file;
    h->file = with_ball;
    house_load(h);
    assert_true(house_place(h, ball) == 5);
    h->file = without;
    house_load(h);
    assert_false(firn_alive(h->z.world, ball));
    leaf = house_spawn(h, 6);
    assert_true(leaf == ball);
    h->file = with_ball;
    moved = load_and_find(h, leaf);
    assert_true(house_place(h, ball) == 5 && house_place(h, moved) == 6);
    firn_buffer_free(&without);
}

static void K14_one_that_was_saved_and_persists_no_more_is_itself(void **state)
{
    house *h = *state;
    firn_error err;
    firn_component persist = firn_persist_component(h->z.world),
                   child_of = firn_child_of(h->z.world);
    firn_entity hero = house_spawn(h, 5), sword = house_spawn(h, 6), dog = house_spawn(h, 7);
    persist_spawned(h, hero);
    persist_spawned(h, dog);
    assert_ok(firn_relate(h->z.world, sword, child_of, hero, NULL, &err), &err);
    house_save(h);
    uint32_t count = firn_entity_count(h->z.world);
    for (int i = 0; i < 2; i++) {
        house_put(h, sword, 60);
        house_put(h, dog, 70);
        assert_ok(firn_unrelate(h->z.world, sword, child_of, hero, &err), &err);
        assert_ok(firn_remove(h->z.world, dog, &persist, 1, &err), &err);
        if (i == 1) {
            firn_buffer other = h->file;
            h->file = (firn_buffer){0};
            house_save(h); // in which neither is
            firn_buffer_free(&h->file);
            h->file = other;
        }
        house_load(h);
        assert_int_equal(firn_entity_count(h->z.world), count);
        assert_true(house_place(h, sword) == 6 && house_place(h, dog) == 7);
        assert_true(firn_target(h->z.world, sword, child_of) == hero);
    }
}

static void K2_one_that_is_gone_stays_gone_when_a_new_one_has_its_id(void **state)
{
    house *h = *state;
    firn_entity chest = house_at(h, 9);
    house_end_of(h, chest);
    house_save(h);
    // A newer file places a thing before the chest.
    house_thing *things = h->scenes[0].things;
    things[5] = things[4];
    things[4] = (house_thing){.local = 6, .x = 6};
    for (int i = 0; i < 3; i++) {
        house_again(h, 0);
        assert_true(house_at(h, 6) == chest && house_place(h, house_at(h, 9)) == 9);
        house_load(h);
        assert_true(house_place(h, house_at(h, 6)) == 6);
        assert_true(house_place(h, house_at(h, 9)) == -1);
        assert_true(house_at(h, 9) != house_at(h, 6));
        house_save(h);
    }
}

// Another session, whose manager has no levels to enter.
static void again_without_levels(house *h)
{
    firn_error err;
    house_again(h, 0);
    firn_saves_close(h->saves);
    h->desc.levels = NULL;
    h->saves = firn_saves_open(h->z.world, &h->desc, &err);
    assert_non_null(h->saves);
    h->desc.levels = &h->levels;
}

static void K2_one_that_is_gone_is_known_whoever_has_its_ids(void **state)
{
    house *h = *state;
    firn_error err;
    const firn_persist row = {.mode = FIRN_PERSIST_VARS};
    again_without_levels(h);
    firn_entity chest = house_spawn(h, 5), tree = house_spawn(h, 6);
    assert_ok(firn_persist_set(h->z.world, chest, &row, &err), &err);
    const firn_entity then[2] = {chest, tree};
    const uint64_t locals[3] = {9, 7, 6};
    assert_ok(firn_saves_scene(h->saves, "hall", then, locals, 2, &err), &err);
    house_end_of(h, chest);
    house_save(h);
    // A new thing has the id of the chest, the chest that of the tree, the tree a new one.
    again_without_levels(h);
    firn_entity thing = house_spawn(h, 1), again = house_spawn(h, 2), last = house_spawn(h, 3);
    assert_true(thing == chest && again == tree);
    assert_ok(firn_persist_set(h->z.world, again, &row, &err), &err);
    const firn_entity now[3] = {again, last, thing};
    assert_ok(firn_saves_scene(h->saves, "hall", now, locals, 3, &err), &err);
    house_load(h);
    assert_true(house_at(h, 6) == thing && house_place(h, thing) == 1);
    assert_true(house_at(h, 7) == tree && house_place(h, tree) == 3);
    assert_false(firn_alive(h->z.world, house_at(h, 9)));
    assert_int_not_equal(house_at(h, 9), 0);
    // So is the save that follows.
    house_save(h);
    again_without_levels(h);
    const firn_entity once_more[3] = {house_spawn(h, 1), house_spawn(h, 2), house_spawn(h, 3)};
    assert_ok(firn_persist_set(h->z.world, once_more[0], &row, &err), &err);
    assert_ok(firn_saves_scene(h->saves, "hall", once_more, locals, 3, &err), &err);
    house_load(h);
    assert_false(firn_alive(h->z.world, house_at(h, 9)));
    assert_true(house_place(h, house_at(h, 7)) == 2 && house_place(h, house_at(h, 6)) == 3);
}

// Both had one slot, and the save knows neither.
static void K5_two_that_are_dead_are_told_apart_after_a_load(void **state)
{
    house *h = *state;
    firn_error err;
    again_without_levels(h);
    firn_entity kept = house_spawn(h, 1);
    const uint64_t locals[3] = {1, 2, 3};
    assert_ok(firn_saves_scene(h->saves, "hall", &kept, locals, 1, &err), &err);
    house_save(h);
    firn_entity first = house_spawn(h, 2);
    house_end_of(h, first);
    firn_entity second = house_spawn(h, 3);
    house_end_of(h, second);
    assert_true(((first ^ second) & FIRN_SLOT_MAX) == 0 && first != second);
    const firn_entity now[3] = {kept, first, second};
    assert_ok(firn_saves_scene(h->saves, "hall", now, locals, 3, &err), &err);
    house_load(h);
    first = house_at(h, 2);
    second = house_at(h, 3);
    assert_true(first != 0 && second != 0 && first != second);
    assert_false(firn_alive(h->z.world, first) || firn_alive(h->z.world, second));
    assert_true(firn_saves_scene_local(h->saves, first) == 2);
    assert_true(firn_saves_scene_local(h->saves, second) == 3);
    assert_true(house_at(h, 1) == kept && house_place(h, kept) == 1);
}

static void K5_an_entity_made_anew_has_not_the_variables_of_who_had_its_id(void **state)
{
    house *h = *state;
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    again_without_levels(h);
    firn_entity ids[2] = {house_spawn(h, 1), house_spawn(h, 2)};
    const uint64_t locals[2] = {1, 2};
    assert_ok(firn_persist_set(h->z.world, ids[0], &(firn_persist){.no_vars = true}, &err), &err);
    assert_ok(firn_saves_scene(h->saves, "hall", ids, locals, 2, &err), &err);
    house_save(h);
    // The second thing of the scene has the id of the first, which is dead.
    again_without_levels(h);
    firn_entity second = house_spawn(h, 20), first = house_spawn(h, 10);
    assert_true(second == ids[0]);
    house_end_of(h, first);
    const firn_value *value = firn_value_number(doc, 7, &err);
    assert_ok(firn_vars_set(h->z.world, second, "n", value, &err), &err);
    const firn_entity now[2] = {first, second};
    assert_ok(firn_saves_scene(h->saves, "hall", now, locals, 2, &err), &err);
    house_load(h);
    assert_true(house_at(h, 1) == ids[0] && house_place(h, ids[0]) == 1);
    assert_null(firn_vars_get(h->z.world, ids[0], "n", doc, &err));
    assert_true(house_at(h, 2) == ids[1] && house_place(h, ids[1]) == 20);
    assert_non_null(firn_vars_get(h->z.world, ids[1], "n", doc, &err));
    firn_doc_destroy(doc);
}

static firn_result count_event(void *user, firn_world *world, const firn_event *event,
                               firn_error *err)
{
    (void)world, (void)event, (void)err;
    ++*(int *)user;
    return FIRN_OK;
}

// A spawned one of another session with the id of a saved one, and another key.
static void assert_stranger_goes(house *h, const char *then, const char *now)
{
    firn_error err;
    firn_persist row = {.spawned = true, .no_vars = true};
    (void)snprintf(row.id, sizeof row.id, "%s", then);
    house_again(h, 0);
    firn_entity crate = house_spawn(h, 5);
    assert_ok(firn_persist_set(h->z.world, crate, &row, &err), &err);
    firn_buffer_free(&h->file);
    house_save(h);
    house_again(h, 0);
    firn_entity ball = house_spawn(h, 6);
    assert_true(ball == crate);
    (void)snprintf(row.id, sizeof row.id, "%s", now);
    assert_ok(firn_persist_set(h->z.world, ball, &row, &err), &err);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    const firn_value *value = firn_value_number(doc, 7, &err);
    assert_ok(firn_vars_set(h->z.world, ball, "n", value, &err), &err);
    int sets = 0;
    const firn_observer_desc desc = {
        .event = "OnSet", .address = ball, .observe = count_event, .user = &sets};
    assert_int_not_equal(firn_observe(h->z.world, &desc, &err), 0);
    house_load(h);
    assert_true(house_place(h, crate) == 5);
    assert_null(firn_vars_get(h->z.world, crate, "n", doc, &err));
    sets = 0;
    house_put(h, crate, 9);
    assert_int_equal(sets, 0);
    firn_doc_destroy(doc);
}

static void K5_a_spawned_one_with_another_key_is_not_who_had_its_id(void **state)
{
    house *h = *state;
    assert_stranger_goes(h, "crate", "ball");
    assert_stranger_goes(h, "crate", "");
    assert_stranger_goes(h, "", "ball");
}

// Another session: a spawned one with a key, a purse below it, and a coin in that, or persisting by
// itself.
static firn_entity make_chest(house *h, const char *key, bool apart)
{
    firn_error err;
    house_again(h, 0);
    firn_entity chest = house_spawn(h, 5), purse = house_spawn(h, 5), coin = house_spawn(h, 6);
    firn_persist row = {.spawned = true};
    (void)snprintf(row.id, sizeof row.id, "%s", key);
    assert_ok(firn_persist_set(h->z.world, chest, &row, &err), &err);
    row = (firn_persist){.id = "coin", .spawned = true};
    firn_component child_of = firn_child_of(h->z.world);
    assert_ok(firn_relate(h->z.world, purse, child_of, chest, NULL, &err), &err);
    assert_ok(apart ? firn_persist_set(h->z.world, coin, &row, &err)
                    : firn_relate(h->z.world, coin, child_of, purse, NULL, &err),
              &err);
    return coin;
}

// Whether the coin of a session without saves and loads is, to a load, that of the save: who
// listens to it goes on.
static bool coin_stays(house *h, const char *key, bool was_apart)
{
    firn_error err;
    int sets = 0;
    make_chest(h, "chest", was_apart);
    firn_buffer_free(&h->file);
    house_save(h);
    firn_entity coin = make_chest(h, key, false);
    const firn_observer_desc desc = {
        .event = "OnSet", .address = coin, .observe = count_event, .user = &sets};
    assert_int_not_equal(firn_observe(h->z.world, &desc, &err), 0);
    house_put(h, coin, 8);
    house_load(h);
    assert_true(house_place(h, coin) == 6);
    sets = 0;
    house_put(h, coin, 9);
    return sets == 1;
}

static void K14_what_is_below_a_spawned_one_stays_with_it(void **state)
{
    house *h = *state;
    assert_true(coin_stays(h, "chest", false));
    assert_false(coin_stays(h, "box", false));
    assert_false(coin_stays(h, "chest", true));
}

// Scenery that ended made room for a ball; the scene makes it anew, and it cannot have its slot. A
// second load is in the scene that the first one left.
static void K5_a_load_stays_in_a_scene_in_which_an_id_is_taken_by_the_save(void **state)
{
    house *h = *state;
    firn_entity bush = house_at(h, 1);
    house_end_of(h, bush);
    firn_entity ball = house_spawn(h, 5);
    assert_true(ball == bush + (UINT64_C(1) << FIRN_SLOT_BITS));
    persist_spawned(h, ball);
    house_save(h);
    house_again(h, 0);
    firn_entity moved = load_and_find(h, bush);
    assert_true(house_at(h, 1) == moved);
    house_put(h, moved, 10);
    h->entered = 0;
    house_load(h);
    assert_int_equal(h->entered, 0);
    assert_true(house_at(h, 1) == moved && house_place(h, moved) == 10);
    assert_true(house_place(h, ball) == 5);
}

#define CHAIN 30000

static void hang_chain(house *h, firn_entity *chain)
{
    firn_error err;
    firn_component child_of = firn_child_of(h->z.world);
    for (uint32_t i = 0; i < CHAIN; i++) {
        chain[i] = house_spawn(h, (float)i);
        if (i > 0)
            assert_ok(firn_relate(h->z.world, chain[i], child_of, chain[i - 1], NULL, &err), &err);
    }
    persist_spawned(h, chain[0]);
}

// It ends: none of them is looked for from each one below.
static void K14_who_hangs_deep_below_a_spawned_one_is_told_apart_in_time(void **state)
{
    house *h = *state;
    firn_entity *then = calloc(CHAIN, sizeof *then), *now = calloc(CHAIN, sizeof *now);
    assert_true(then != NULL && now != NULL);
    hang_chain(h, then);
    house_save(h);
    house_again(h, 0);
    hang_chain(h, now);
    assert_memory_equal(now, then, CHAIN * sizeof *now);
    for (uint32_t i = 0; i < CHAIN; i++)
        house_put(h, now[i], -5);
    assert_true(load_and_find(h, now[CHAIN - 1]) == 0);
    for (uint32_t i = 0; i < CHAIN; i++)
        assert_true(house_place(h, now[i]) == (float)i);
    free(then);
    free(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_HOUSE(K14_who_has_the_id_of_a_saved_entity_by_chance_moves),
        IN_HOUSE(K14_one_that_was_saved_and_persists_no_more_is_itself),
        IN_HOUSE(K2_one_that_is_gone_stays_gone_when_a_new_one_has_its_id),
        IN_HOUSE(K2_one_that_is_gone_is_known_whoever_has_its_ids),
        IN_HOUSE(K5_two_that_are_dead_are_told_apart_after_a_load),
        IN_HOUSE(K5_an_entity_made_anew_has_not_the_variables_of_who_had_its_id),
        IN_HOUSE(K5_a_spawned_one_with_another_key_is_not_who_had_its_id),
        IN_HOUSE(K14_what_is_below_a_spawned_one_stays_with_it),
        IN_HOUSE(K14_who_hangs_deep_below_a_spawned_one_is_told_apart_in_time),
        IN_HOUSE(K5_a_load_stays_in_a_scene_in_which_an_id_is_taken_by_the_save),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
