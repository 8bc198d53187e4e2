// Keys of entities, and unique strings of any component.
#include "api/game_world.h"

#include <stdio.h>
#include <string.h>

static firn_entity spawn_key(firn_world *world, const char *key)
{
    firn_error err;
    firn_entity entity = zoo_spawn(world, NULL, 0);
    assert_ok(firn_set_text(world, entity, firn_key(world), key, &err), &err);
    return entity;
}

static firn_entity find(const firn_world *world, const char *key)
{
    return firn_find_key(world, key, strlen(key));
}

static void T9_a_key_finds_its_entity(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_entity player = spawn_key(world, "player");
    firn_entity boss = spawn_key(world, "boss/1, whose key is longer than a row");
    assert_int_equal(find(world, "player"), player);
    assert_int_equal(find(world, "boss/1, whose key is longer than a row"), boss);
    assert_int_equal(firn_require_key(world, "player", &err), player);
    assert_int_equal(find(world, "play"), 0);
    assert_int_equal(find(world, ""), 0);
    assert_ok(firn_set_string(world, boss, firn_key(world), "a\0b", 3, &err), &err);
    assert_int_equal(firn_find_key(world, "a\0b", 3), boss);
    assert_int_equal(find(world, "boss/1, whose key is longer than a row"), 0);
    assert_string_equal(firn_component_name(world, firn_key(world)), "Key");
    firn_world_destroy(world);
}

static void T9_a_missing_key_is_named(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    assert_int_equal(firn_require_key(world, "boss/2", &err), 0);
    assert_error(&err, FIRN_NOT_FOUND, "boss/2");
    assert_int_equal(firn_require_key(world, NULL, &err), 0);
    assert_error(&err, FIRN_INVALID, "key");
    assert_int_equal(firn_require_key(NULL, "a", &err), 0);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_find_key(NULL, "a", 1), 0);
    assert_int_equal(firn_find_key(world, NULL, 1), 0);
    assert_int_equal(firn_key(NULL), 0);
    firn_world_destroy(world);
}

static void T9_two_entities_never_have_one_key(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_entity player = spawn_key(world, "player"), other = spawn_key(world, "other");
    firn_entity bare = zoo_spawn(world, NULL, 0);
    firn_buffer before = zoo_save(world);
    assert_int_equal(firn_set_text(world, other, firn_key(world), "player", &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "Key");
    assert_int_equal(err.entity, player);
    assert_int_equal(firn_set_text(world, bare, firn_key(world), "player", &err), FIRN_EXISTS);
    assert_saves_as(world, &before);
    assert_int_equal(find(world, "player"), player);
    assert_int_equal(find(world, "other"), other);
    // Its own again is no second one.
    assert_ok(firn_set_text(world, player, firn_key(world), "player", &err), &err);
    assert_int_equal(find(world, "player"), player);
    firn_buffer_free(&before);
    firn_world_destroy(world);
}

static void a_key_is_free_again_when_its_entity_lets_go_of_it(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_component key = firn_key(world);
    firn_component score =
        zoo_register(world, &(firn_component_desc){.name = "Score", .kind = FIRN_NUMBER});
    firn_entity a = spawn_key(world, "key");
    assert_ok(firn_set_text(world, a, key, "another", &err), &err);
    firn_entity b = spawn_key(world, "key");
    assert_ok(firn_remove(world, b, &key, 1, &err), &err);
    firn_entity c = spawn_key(world, "key");
    assert_ok(firn_add(world, c, &score, 1, &err), &err); // moves it
    assert_int_equal(find(world, "key"), c);
    assert_ok(firn_despawn(world, c, &err), &err);
    assert_int_equal(find(world, "key"), 0);
    firn_entity d = spawn_key(world, "key");
    assert_int_equal(find(world, "key"), d);
    assert_int_equal(find(world, "another"), a);
    firn_world_destroy(world);
}

static void the_empty_key_is_none(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_component key = firn_key(world);
    firn_entity entities[3];
    assert_ok(firn_spawn_many(world, &key, 1, 3, entities, &err), &err);
    assert_ok(firn_set_text(world, entities[0], key, "a", &err), &err);
    assert_ok(firn_set_text(world, entities[0], key, "", &err), &err);
    assert_int_equal(find(world, ""), 0);
    assert_int_equal(find(world, "a"), 0);
    firn_world_destroy(world);
}

// ---- inside loops

static void a_deferred_key_that_is_taken_is_dropped_and_told(void **state)
{
    (void)state;
    firn_error err;
    firn_iter it;
    firn_world *world = zoo_empty(NULL);
    firn_component key = firn_key(world);
    firn_entity player = spawn_key(world, "player");
    firn_query all = firn_query_create(world, &(firn_query_desc){.name = "all"}, &err);
    firn_iter_begin(world, all, &it);
    firn_entity first = zoo_spawn(world, NULL, 0), second = zoo_spawn(world, NULL, 0);
    assert_int_equal(firn_set_text(world, player, key, "player", &err), FIRN_OK);
    assert_ok(firn_set_text(world, first, key, "player", &err), &err);
    assert_ok(firn_set_text(world, second, key, "a key of its own that is long", &err), &err);
    assert_int_equal(firn_iter_end(&it, &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "Key");
    assert_int_equal(err.entity, player);
    assert_int_equal(firn_pending(world), 0);
    assert_false(firn_has(world, first, key));
    assert_int_equal(find(world, "a key of its own that is long"), second);
    assert_ok(firn_flush(world, &err), &err);
    firn_world_destroy(world);
}

static void a_key_passes_on_inside_a_loop(void **state)
{
    (void)state;
    firn_error err;
    firn_iter it;
    firn_world *world = zoo_empty(NULL);
    firn_component key = firn_key(world);
    firn_entity old = spawn_key(world, "king");
    firn_query all = firn_query_create(world, &(firn_query_desc){.name = "all"}, &err);
    firn_iter_begin(world, all, &it);
    firn_entity new = zoo_spawn(world, NULL, 0);
    assert_ok(firn_despawn(world, old, &err), &err);
    assert_ok(firn_set_text(world, new, key, "king", &err), &err);
    assert_int_equal(find(world, "king"), old);
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_int_equal(find(world, "king"), new);
    firn_world_destroy(world);
}

// ---- saves

static void T9_the_index_is_rebuilt_by_a_load(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL), *other = zoo_empty(NULL);
    firn_entity entities[200];
    char name[32];
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "entity number %d", i);
        entities[i] = spawn_key(world, name);
    }
    spawn_key(other, "somebody else");
    spawn_key(other, "entity number 7");
    firn_buffer image = zoo_save(world);
    for (int round = 0; round < 2; round++) {
        game_restore(other, &image);
        for (int i = 0; i < 200; i++) {
            snprintf(name, sizeof name, "entity number %d", i);
            assert_int_equal(find(other, name), entities[i]);
        }
        assert_int_equal(find(other, "somebody else"), 0);
        spawn_key(other, "later");
    }
    assert_saves_as(world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(other);
    firn_world_destroy(world);
}

// An image in which two entities have the same key: the letters of one are changed.
static firn_buffer doubled_image(const char *a, const char *b)
{
    firn_world *world = zoo_empty(NULL);
    spawn_key(world, "first");
    spawn_key(world, a);
    spawn_key(world, b);
    firn_buffer image = zoo_save(world);
    size_t size = strlen(b);
    for (size_t at = 0; at + size <= image.size; at++)
        if (memcmp(image.data + at, b, size) == 0)
            memcpy(image.data + at, a, size);
    firn_world_destroy(world);
    return image;
}

static void T9_a_save_with_one_key_twice_is_refused_before_anything_changes(void **state)
{
    (void)state;
    firn_error err;
    static const char *const pairs[][2] = {
        {"a", "b"}, {"keys that are longer than a row, 1", "keys that are longer than a row, 2"}};
    for (int i = 0; i < 2; i++) {
        firn_buffer image = doubled_image(pairs[i][0], pairs[i][1]);
        firn_world *world = zoo_empty(NULL);
        firn_entity kept = spawn_key(world, "kept");
        firn_buffer before = zoo_save(world);
        assert_int_equal(firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err),
                         FIRN_CORRUPT);
        assert_error(&err, FIRN_CORRUPT, "Key");
        assert_int_equal(err.entity, 3);
        assert_saves_as(world, &before);
        assert_int_equal(find(world, "kept"), kept);
        assert_int_equal(find(world, pairs[i][0]), 0);
        firn_buffer_free(&before);
        firn_buffer_free(&image);
        firn_world_destroy(world);
    }
}

// ---- components of the game

static void a_component_of_the_game_may_be_unique(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = {.name = "Callsign", .kind = FIRN_STRING, .unique = true};
    firn_component callsign = zoo_register(world, &desc);
    assert_int_equal(zoo_register(world, &desc), callsign);
    firn_entity a = spawn_key(world, "a"), b = spawn_key(world, "b");
    assert_ok(firn_set_text(world, a, callsign, "b", &err), &err);
    assert_int_equal(firn_set_text(world, b, callsign, "b", &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "Callsign");
    desc.unique = false;
    assert_int_equal(firn_component_register(world, &desc, &err), 0);
    assert_error(&err, FIRN_EXISTS, "Callsign");
    firn_world_destroy(world);
}

static void only_strings_are_unique(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = {.name = "Callsign", .kind = FIRN_VALUE, .unique = true};
    assert_int_equal(firn_component_register(world, &desc, &err), 0);
    assert_error(&err, FIRN_INVALID, "Callsign");
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    desc.kind = FIRN_STRING;
    desc.default_value = firn_value_text(doc, "nobody", &err);
    assert_int_equal(firn_component_register(world, &desc, &err), 0);
    assert_error(&err, FIRN_INVALID, "Callsign");
    desc.default_value = firn_value_text(doc, "", &err);
    assert_int_not_equal(firn_component_register(world, &desc, &err), 0);
    firn_doc_destroy(doc);
    firn_world_destroy(world);
}

// ---- a model

#define MODEL_KEYS  40
#define MODEL_STEPS 4000

static void T9_a_thousand_changes_keep_the_index_right(void **state)
{
    (void)state;
    firn_error err;
    test_random random = {77};
    firn_world *world = zoo_empty(NULL);
    firn_component key = firn_key(world);
    firn_entity holders[MODEL_KEYS] = {0};
    char names[MODEL_KEYS][32];
    for (int i = 0; i < MODEL_KEYS; i++)
        snprintf(names[i], sizeof names[i], i % 2 ? "key %d" : "a much longer key, %d", i);
    for (int step = 0; step < MODEL_STEPS; step++) {
        uint32_t k = test_random_below(&random, MODEL_KEYS);
        uint32_t other = test_random_below(&random, MODEL_KEYS);
        switch (test_random_below(&random, 4)) {
        case 0: // a new entity
            if (holders[k] == 0)
                holders[k] = spawn_key(world, names[k]);
            break;
        case 1: // the end of one
            if (holders[k] != 0)
                assert_ok(firn_despawn(world, holders[k], &err), &err);
            holders[k] = 0;
            break;
        case 2: // it gets another key, or must not
            if (holders[k] == 0 || k == other)
                break;
            firn_result result = firn_set_text(world, holders[k], key, names[other], &err);
            assert_int_equal(result, holders[other] == 0 ? FIRN_OK : FIRN_EXISTS);
            if (result == FIRN_OK) {
                holders[other] = holders[k];
                holders[k] = 0;
            } else {
                assert_int_equal(err.entity, holders[other]);
            }
            break;
        default: // it lets go
            if (holders[k] != 0)
                assert_ok(firn_remove(world, holders[k], &key, 1, &err), &err);
            holders[k] = 0;
            break;
        }
        assert_int_equal(find(world, names[k]), holders[k]);
        assert_int_equal(find(world, names[other]), holders[other]);
    }
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T9_a_key_finds_its_entity),
        cmocka_unit_test(T9_a_missing_key_is_named),
        cmocka_unit_test(T9_two_entities_never_have_one_key),
        cmocka_unit_test(a_key_is_free_again_when_its_entity_lets_go_of_it),
        cmocka_unit_test(the_empty_key_is_none),
        cmocka_unit_test(a_deferred_key_that_is_taken_is_dropped_and_told),
        cmocka_unit_test(a_key_passes_on_inside_a_loop),
        cmocka_unit_test(T9_the_index_is_rebuilt_by_a_load),
        cmocka_unit_test(T9_a_save_with_one_key_twice_is_refused_before_anything_changes),
        cmocka_unit_test(a_component_of_the_game_may_be_unique),
        cmocka_unit_test(only_strings_are_unique),
        cmocka_unit_test(T9_a_thousand_changes_keep_the_index_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
