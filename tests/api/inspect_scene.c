// Persisted saves compared with the running game: scenes, their keys and places.
#include "api/inspect_game.h"

#include <string.h>

static inspect_game *game;

// An entity of the scene, made anew where others lived before.
static firn_entity place_again(firn_entity old, const firn_component *component, uint32_t mode)
{
    firn_error err;
    assert_ok(firn_despawn(game->world, old, &err), &err);
    firn_entity entity = zoo_spawn(game->world, component, component ? 1 : 0);
    inspect_persist(game, entity, (firn_persist){.mode = (uint8_t)mode});
    return entity;
}

static void tell_scene(firn_entity chest, firn_entity sign)
{
    firn_error err;
    const firn_entity entities[] = {chest, sign};
    const uint64_t locals[] = {10, 20};
    assert_ok(firn_saves_scene(game->saves, "room", entities, locals, 2, &err), &err);
}

// A newer scene file has two more entities that persist, whole and by field.
static void K9_K5_what_a_scene_file_has_besides_is_no_difference(void **state)
{
    game = *state;
    firn_error err;
    tell_scene(CHEST, SIGN);
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    firn_entity whole = zoo_spawn_one(game->world, game->z.of[ZOO_POINT]);
    firn_entity partial = zoo_spawn_one(game->world, game->z.of[ZOO_POINT]);
    inspect_persist(game, whole, (firn_persist){.id = "bell"});
    inspect_persist(
        game, partial,
        (firn_persist){.id = "rope", .mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point"});
    assert_int_equal(assert_inspected(game, NULL,
                                      "entity 2 (key \"player\"): same\n"
                                      "entity 3: same\n"
                                      "entity 6: same\n"
                                      "entity 7: same\n"
                                      "entity 8 (key \"bell\"): extra\n"
                                      "entity 5: same\n"
                                      "entity (key \"lamp\"): same\n"
                                      "entity (key \"rope\"): extra\n")
                         .extra_entities,
                     2);
    const firn_entity entities[] = {CHEST, SIGN, whole, partial};
    const uint64_t locals[] = {10, 20, 30, 40};
    assert_ok(firn_saves_scene(game->saves, "room", entities, locals, 4, &err), &err);
    assert_true(assert_inspected(game, NULL, ALL_ARE_SAME).same);
    inspect_load(game);
    assert_true(assert_inspected(game, NULL, ALL_ARE_SAME).same);
    assert_true(firn_alive(game->world, whole) && firn_alive(game->world, partial));
}

static void K9_K5_a_scene_that_was_entered_with_other_ids_is_the_same(void **state)
{
    game = *state;
    firn_error err;
    tell_scene(CHEST, SIGN);
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    assert_inspected(game, NULL, ALL_ARE_SAME);
    firn_entity chest = place_again(CHEST, &game->z.of[ZOO_TITLE], FIRN_PERSIST_ALL);
    firn_entity sign = place_again(SIGN, NULL, FIRN_PERSIST_VARS);
    inspect_set_var(game, sign, "read", "2");
    tell_scene(chest, sign);
    assert_inspected(game, NULL, ALL_ARE_SAME);
    inspect_set_var(game, sign, "read", "3");
    assert_ok(firn_set_text(game->world, chest, game->z.of[ZOO_TITLE], "box", &err), &err);
    firn_entity third = zoo_spawn(game->world, NULL, 0);
    inspect_persist(game, third, (firn_persist){.mode = FIRN_PERSIST_VARS});
    assert_inspected(game, NULL,
                     "entity 2 (key \"player\"): same\n"
                     "entity 3: zoo.Title \"\" -> \"box\"\n"
                     "entity 6: same\n"
                     "entity 7: same\n"
                     "entity 5: Vars.read 2 -> 3\n"
                     "entity (key \"lamp\"): same\n"
                     "entity 8: extra\n");
    assert_ok(firn_despawn(game->world, third, &err), &err);
    inspect_load(game);
    assert_inspected(game, NULL, ALL_ARE_SAME);
}

// The two of a scene stand in each other's place.
static void K9_entities_of_a_scene_that_changed_places_are_told_apart(void **state)
{
    game = *state;
    firn_error err;
    inspect_persist(game, CHEST, (firn_persist){.mode = FIRN_PERSIST_VARS});
    inspect_set_var(game, CHEST, "full", "true");
    tell_scene(CHEST, SIGN);
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    tell_scene(CHEST, SCENERY);
    assert_inspected(game, NULL,
                     "entity 2 (key \"player\"): same\n"
                     "entity 6: same\n"
                     "entity 7: same\n"
                     "entity 5: missing\n"
                     "entity 3: same\n"
                     "entity (key \"lamp\"): same\n"
                     "entity 5: extra\n");
}

// Chest and sign were gone; the scene has them again, as it makes them.
static void K9_K2_what_was_gone_in_the_save_is_extra(void **state)
{
    game = *state;
    firn_error err;
    tell_scene(CHEST, SIGN);
    assert_ok(firn_despawn(game->world, CHEST, &err), &err);
    assert_ok(firn_despawn(game->world, SIGN, &err), &err);
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    firn_entity chest = zoo_spawn_one(game->world, game->z.of[ZOO_TITLE]);
    firn_entity sign = zoo_spawn(game->world, NULL, 0);
    inspect_persist(game, chest, (firn_persist){.id = "chest"});
    inspect_persist(game, sign, (firn_persist){.id = "sign", .mode = FIRN_PERSIST_VARS});
    tell_scene(chest, sign);
    assert_int_equal(assert_inspected(game, NULL,
                                      "entity 2 (key \"player\"): same\n"
                                      "entity 6: same\n"
                                      "entity 7: same\n"
                                      "entity 4194309 (key \"chest\"): extra\n"
                                      "entity (key \"lamp\"): same\n"
                                      "entity (key \"sign\"): extra\n")
                         .extra_entities,
                     2);
    // A newer file gives the key of the lamp, which the save has by field, to the chest.
    assert_ok(firn_despawn(game->world, LAMP, &err), &err);
    inspect_persist(game, chest, (firn_persist){.id = "lamp"});
    assert_int_equal(assert_inspected(game, NULL,
                                      "entity 2 (key \"player\"): same\n"
                                      "entity 6: same\n"
                                      "entity 7: same\n"
                                      "entity (key \"lamp\"): zoo.Score only saved\n"
                                      "entity (key \"lamp\"): zoo.Body.home only saved\n"
                                      "entity (key \"sign\"): extra\n")
                         .extra_entities,
                     1);
    inspect_load(game);
    assert_true(firn_alive(game->world, firn_saves_scene_entity(game->saves, 10)));
    assert_false(firn_alive(game->world, firn_saves_scene_entity(game->saves, 20)));
}

// ---- ids that are given again

// The place 20 of the scene is an entity that is made now, and saved in "a". Then its id is given
// again: the game is where it was before.
static firn_entity save_bell_and_go_back(firn_persist row, bool ends)
{
    firn_error err;
    assert_ok(firn_saves_write(game->saves, "before", NULL, &err), &err);
    firn_entity bell = zoo_spawn_one(game->world, game->z.of[ZOO_POINT]);
    inspect_persist(game, bell, row);
    tell_scene(CHEST, bell);
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    assert_ok(firn_despawn(game->world, bell, &err), &err);
    if (ends)
        assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    assert_ok(firn_saves_read(game->saves, "before", NULL, &err), &err);
    return bell;
}

static firn_entity spawn_with_id(firn_entity id, firn_persist row)
{
    firn_entity entity = zoo_spawn_one(game->world, game->z.of[ZOO_POINT]);
    assert_int_equal(entity, id);
    inspect_persist(game, entity, row);
    return entity;
}

static void assert_new_one_is_spared(firn_persist row)
{
    firn_error err;
    firn_entity bell = save_bell_and_go_back((firn_persist){.no_vars = false}, true);
    firn_entity other = spawn_with_id(bell, row);
    firn_entity again = spawn_with_id(bell + 1, (firn_persist){.no_vars = false});
    const firn_entity entities[] = {CHEST, again, other};
    const uint64_t locals[] = {10, 20, 30};
    assert_ok(firn_saves_scene(game->saves, "room", entities, locals, 3, &err), &err);
    inspect_load(game);
    assert_false(firn_alive(game->world, again));
    assert_int_equal(firn_saves_scene_local(game->saves, bell), 30);
    assert_true(assert_inspected(game, NULL, ALL_ARE_SAME).same);
}

static void K9_K5_what_a_scene_file_has_besides_may_have_the_id_of_one_that_is_gone(void **state)
{
    game = *state;
    assert_new_one_is_spared((firn_persist){.no_vars = false});
}

static void K9_K5_so_may_what_it_has_by_field(void **state)
{
    game = *state;
    assert_new_one_is_spared((firn_persist){.mode = FIRN_PERSIST_VARS});
}

static void K9_one_with_the_id_that_another_has_in_the_save_is_told_besides_it(void **state)
{
    game = *state;
    firn_entity bell = save_bell_and_go_back((firn_persist){.no_vars = false}, false);
    spawn_with_id(bell, (firn_persist){.spawned = true});
    tell_scene(CHEST, spawn_with_id(bell + 1, (firn_persist){.no_vars = false}));
    firn_inspection is = assert_inspected(game, NULL,
                                          "entity 2 (key \"player\"): same\n"
                                          "entity 3: same\n"
                                          "entity 6: same\n"
                                          "entity 7: same\n"
                                          "entity 8: extra\n"
                                          "entity 8: same\n"
                                          "entity 5: same\n"
                                          "entity (key \"lamp\"): same\n");
    assert_true(is.same_entities == 7 && is.extra_entities == 1);
}

// The scene of now has no such place.
static void K9_a_part_with_the_id_of_a_place_of_the_save_is_another(void **state)
{
    game = *state;
    firn_error err;
    firn_entity bell = save_bell_and_go_back((firn_persist){.mode = FIRN_PERSIST_VARS}, false);
    spawn_with_id(bell, (firn_persist){.mode = FIRN_PERSIST_VARS});
    inspect_set_var(game, bell, "rung", "2");
    const firn_entity chest = CHEST;
    const uint64_t local = 10;
    assert_ok(firn_saves_scene(game->saves, "room", &chest, &local, 1, &err), &err);
    for (uint32_t round = 0; round < 2; round++) {
        assert_inspected(game, NULL,
                         "entity 2 (key \"player\"): same\n"
                         "entity 3: same\n"
                         "entity 6: same\n"
                         "entity 7: same\n"
                         "entity 5: same\n"
                         "entity (key \"lamp\"): same\n"
                         "entity 8: missing\n"
                         "entity 8: extra\n");
        inspect_load(game);
    }
}

// ---- keys that others have

static firn_result count_call(void *user, firn_world *world, const firn_event *event,
                              firn_error *err)
{
    (void)world, (void)event, (void)err;
    ++*(int *)user;
    return FIRN_OK;
}

// Another session has a ball with the id of the crate. An inspection does not make it known: a load
// drops who listens to it.
static void K9_a_spawned_one_with_another_key_is_told_besides_the_saved_one(void **state)
{
    game = *state;
    firn_error err;
    assert_ok(firn_saves_write(game->saves, "before", NULL, &err), &err);
    firn_entity crate = zoo_spawn_one(game->world, game->z.of[ZOO_POINT]);
    inspect_persist(game, crate, (firn_persist){.id = "crate", .spawned = true});
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    assert_ok(firn_saves_read(game->saves, "before", NULL, &err), &err);
    inspect_open_again(game);
    spawn_with_id(crate, (firn_persist){.id = "ball", .spawned = true});
    int sets = 0;
    const firn_observer_desc desc = {
        .event = "OnSet", .address = crate, .observe = count_call, .user = &sets};
    assert_int_not_equal(firn_observe(game->world, &desc, &err), 0);
    firn_inspection is = assert_inspected(game, NULL,
                                          "entity 2 (key \"player\"): same\n"
                                          "entity 3: same\n"
                                          "entity 6: same\n"
                                          "entity 7: same\n"
                                          "entity 8 (key \"crate\"): missing\n"
                                          "entity 8 (key \"ball\"): extra\n"
                                          "entity 5: same\n"
                                          "entity (key \"lamp\"): same\n"
                                          "variables: gold 3 -> nil\n");
    assert_true(is.missing_entities == 1 && is.extra_entities == 1 && is.same_entities == 6);
    inspect_load(game);
    inspect_set(game, crate, ZOO_POINT, 1);
    assert_int_equal(sets, 0);
}

// ---- another scene

static void K9_who_is_left_in_another_scene_is_not_who_has_its_id(void **state)
{
    game = *state;
    firn_error err;
    tell_scene(CHEST, SIGN);
    firn_component carry = firn_carry_component(game->world);
    assert_ok(firn_add(game->world, SUMMONED, &carry, 1, &err), &err);
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    const firn_entity entities[] = {CHEST, SIGN};
    const uint64_t locals[] = {10, 20};
    assert_ok(firn_saves_scene(game->saves, "hall", entities, locals, 2, &err), &err);
    assert_inspected(game, NULL,
                     "header: level \"room\" -> \"hall\"\n"
                     "entity 2 (key \"player\"): same\n"
                     "entity 3: missing\n"
                     "entity 3: extra\n"
                     "entity 6: same\n"
                     "entity 7: same\n"
                     "entity 5: missing\n"
                     "entity (key \"lamp\"): same\n"
                     "entity 5: extra\n");
}

// It ends: none of them is looked for from each one below.
static void K9_who_hangs_deep_below_one_that_is_carried_stays_with_it(void **state)
{
    game = *state;
    firn_error err;
    firn_component carry = firn_carry_component(game->world);
    firn_entity above = SUMMONED;
    tell_scene(CHEST, SIGN);
    assert_ok(firn_add(game->world, SUMMONED, &carry, 1, &err), &err);
    for (int i = 0; i < 30000; i++) {
        firn_entity below = zoo_spawn_one(game->world, game->z.of[ZOO_POINT]);
        firn_component child_of = firn_child_of(game->world);
        assert_ok(firn_relate(game->world, below, child_of, above, NULL, &err), &err);
        above = below;
    }
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    const firn_entity entities[] = {CHEST, SIGN};
    const uint64_t locals[] = {10, 20};
    assert_ok(firn_saves_scene(game->saves, "hall", entities, locals, 2, &err), &err);
    firn_buffer text = {0};
    firn_inspection is;
    assert_ok(firn_saves_inspect_text(game->saves, "a", NULL, &text, &is, &err), &err);
    assert_true(is.same_entities == 30004 && is.missing_entities == 2 && is.extra_entities == 2);
    firn_buffer_free(&text);
}

// ---- script state

static uint64_t start_timer(firn_entity entity)
{
    firn_error err;
    const firn_timer_desc desc = {
        .provider = "candle", .step = "glow", .entity = entity, .delay = 9};
    uint64_t number = firn_timer_start(game->world, &desc, &err);
    assert_ok(number != 0 ? FIRN_OK : err.code, &err);
    return number;
}

// The lamp of now has the key of the one that was saved.
static void K9_K4_script_state_of_a_part_is_the_same_under_another_id(void **state)
{
    game = *state;
    firn_error err;
    static const firn_step step = {"glow", NULL};
    const firn_provider_desc desc = {.name = "candle", .steps = &step, .step_count = 1};
    assert_ok(firn_provider_add(game->world, &desc, &err), &err);
    firn_component persist = firn_persist_component(game->world);
    const firn_persist row = *(const firn_persist *)firn_get(game->world, LAMP, persist);
    uint64_t timer = start_timer(LAMP);
    assert_ok(firn_saves_write(game->saves, "a", NULL, &err), &err);
    assert_ok(firn_despawn(game->world, LAMP, &err), &err);
    const firn_component parts[] = {game->z.of[ZOO_SCORE], game->z.of[ZOO_BODY]};
    firn_entity lamp = zoo_spawn(game->world, parts, 2);
    inspect_persist(game, lamp, row);
    inspect_load(game);
    firn_script_item item;
    assert_ok(firn_script_read(game->world, timer, &item, &err), &err);
    assert_true(item.entity == lamp && lamp != LAMP);
    assert_true(assert_inspected(game, NULL, ALL_ARE_SAME).same);
    // Another's is a difference.
    firn_buffer text = {0};
    firn_inspection is;
    assert_ok(firn_script_end(game->world, timer, &err), &err);
    start_timer(PLAYER);
    assert_ok(firn_saves_inspect_text(game->saves, "a", NULL, &text, &is, &err), &err);
    assert_ok(firn_buffer_append(&text, "", 1, &err), &err);
    if (strstr((const char *)text.data, "timers[1].entity 4 -> 2\n") == NULL)
        fail_msg("%s", (const char *)text.data);
    firn_buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PERSISTED(K9_K5_what_a_scene_file_has_besides_is_no_difference),
        PERSISTED(K9_K5_a_scene_that_was_entered_with_other_ids_is_the_same),
        PERSISTED(K9_entities_of_a_scene_that_changed_places_are_told_apart),
        PERSISTED(K9_K2_what_was_gone_in_the_save_is_extra),
        PERSISTED(K9_K5_what_a_scene_file_has_besides_may_have_the_id_of_one_that_is_gone),
        PERSISTED(K9_K5_so_may_what_it_has_by_field),
        PERSISTED(K9_one_with_the_id_that_another_has_in_the_save_is_told_besides_it),
        PERSISTED(K9_a_part_with_the_id_of_a_place_of_the_save_is_another),
        PERSISTED(K9_a_spawned_one_with_another_key_is_told_besides_the_saved_one),
        PERSISTED(K9_who_is_left_in_another_scene_is_not_who_has_its_id),
        PERSISTED(K9_who_hangs_deep_below_one_that_is_carried_stays_with_it),
        PERSISTED(K9_K4_script_state_of_a_part_is_the_same_under_another_id),
    };
    return cmocka_run_group_tests_name("inspect_scene", tests, NULL, NULL);
}
