// Named pointers that hang on a world.
#include "api/game_world.h"

#include <stdio.h>
#include <string.h>

typedef struct thing {
    const char *name;
    game_log *log;
    uint32_t times; // destroyed
} thing;

static void destroy_thing(void *pointer)
{
    thing *t = pointer;
    t->times++;
    game_note(t->log, t->name);
}

static void hang(firn_world *world, const char *name, thing *t)
{
    firn_error err;
    assert_ok(firn_resource_set(world, name, t, destroy_thing, &err), &err);
}

static void T10_resources_are_never_saved_and_the_same_after_a_load(void **state)
{
    (void)state;
    game_log log = {""};
    thing audio = {.name = "audio", .log = &log};
    firn_world *world = zoo_empty(NULL);
    firn_buffer without = zoo_save(world);
    hang(world, "game.audio", &audio);
    assert_saves_as(world, &without);
    game_restore(world, &without);
    assert_ptr_equal(firn_resource_get(world, "game.audio"), &audio);
    assert_int_equal(audio.times, 0);
    firn_world_destroy(world);
    assert_int_equal(audio.times, 1);
    firn_buffer_free(&without);
}

static void T10_the_resource_that_was_set_last_is_destroyed_first(void **state)
{
    (void)state;
    game_log log = {""};
    thing things[] = {{"a", &log, 0}, {"b", &log, 0}, {"c", &log, 0}, {"d", &log, 0}};
    firn_world *world = zoo_empty(NULL);
    for (int i = 0; i < 4; i++)
        hang(world, things[i].name, &things[i]);
    firn_error err;
    assert_ok(firn_resource_remove(world, "b", &err), &err);
    assert_log(&log, "b;");
    assert_null(firn_resource_get(world, "b"));
    thing again = {"a2", &log, 0};
    hang(world, "a", &again); // is the last one now
    assert_log(&log, "a;");
    firn_world_destroy(world);
    assert_log(&log, "a2;d;c;");
}

static void the_same_pointer_again_is_not_destroyed(void **state)
{
    (void)state;
    firn_error err;
    game_log log = {""};
    thing t = {"t", &log, 0};
    firn_world *world = zoo_empty(NULL);
    hang(world, "t", &t);
    hang(world, "t", &t);
    assert_log(&log, "");
    assert_ok(firn_resource_set(world, "t", &t, NULL, &err), &err);
    firn_world_destroy(world);
    assert_log(&log, "");
}

static const char *const many = "resource number %d";

static void there_may_be_many(void **state)
{
    (void)state;
    game_log log = {""};
    thing things[40];
    firn_world *world = zoo_empty(NULL);
    for (int i = 0; i < 40; i++) {
        char name[32];
        things[i] = (thing){"x", &log, 0};
        snprintf(name, sizeof name, many, i);
        hang(world, name, &things[i]);
    }
    assert_ptr_equal(firn_resource_get(world, "resource number 17"), &things[17]);
    assert_null(firn_resource_get(world, "resource number"));
    firn_world_destroy(world);
    for (int i = 0; i < 40; i++)
        assert_int_equal(things[i].times, 1);
}

static void drop_with_resource(void *user, const firn_rows *rows)
{
    bool *seen = user;
    *seen = firn_resource_get(rows->world, "physics") != NULL;
}

static void T10_drop_hooks_still_find_the_resources_of_a_world_that_ends(void **state)
{
    (void)state;
    game_log log = {""};
    thing physics = {"physics", &log, 0};
    bool seen = false;
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = {
        .name = "Body", .kind = FIRN_TAG, .hooks = {.drop = drop_with_resource, .user = &seen}};
    zoo_spawn_one(world, zoo_register(world, &desc));
    hang(world, "physics", &physics);
    firn_world_destroy(world);
    assert_true(seen);
    assert_log(&log, "physics;");
}

static void resources_that_are_none_are_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    assert_int_equal(firn_resource_set(world, "a", NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "pointer");
    assert_int_equal(firn_resource_set(world, "", world, NULL, &err), FIRN_INVALID);
    assert_int_equal(firn_resource_set(world, NULL, world, NULL, &err), FIRN_INVALID);
    assert_int_equal(firn_resource_set(NULL, "a", world, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_resource_remove(world, "a", &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "a");
    assert_int_equal(firn_resource_remove(world, NULL, &err), FIRN_INVALID);
    assert_null(firn_resource_get(world, NULL));
    assert_null(firn_resource_get(NULL, "a"));
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T10_resources_are_never_saved_and_the_same_after_a_load),
        cmocka_unit_test(T10_the_resource_that_was_set_last_is_destroyed_first),
        cmocka_unit_test(the_same_pointer_again_is_not_destroyed),
        cmocka_unit_test(there_may_be_many),
        cmocka_unit_test(T10_drop_hooks_still_find_the_resources_of_a_world_that_ends),
        cmocka_unit_test(resources_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
