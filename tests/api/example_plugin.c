// The physics of examples/05_plugin.c: bodies beside the world, saved by a handler.
#include "physics/physics.h"

#include <string.h>

#include "support/support.h"

// A world with the engine, and an entity without a body.
typedef struct run {
    firn_world *world;
    Physics physics;
    firn_entity stone;
} run;

static void open_run(run *game)
{
    firn_error err = {0};
    memset(game, 0, sizeof *game);
    game->world = firn_world_create(NULL, &err);
    assert_ok(physics_add(game->world, &game->physics, &err), &err);
    game->stone = firn_spawn(game->world, NULL, 0, &err);
}

static firn_entity add_flake(run *game, double height)
{
    firn_error err = {0};
    firn_entity flake = firn_spawn(game->world, NULL, 0, &err);
    assert_ok(physics_add_body(&game->physics, game->world, flake, height, &err), &err);
    return flake;
}

static firn_buffer save_run(run *game)
{
    firn_error err = {0};
    firn_buffer save = {0};
    assert_ok(firn_snapshot_save(game->world, NULL, &save, &err), &err);
    return save;
}

static void load_run(run *game, const firn_buffer *save)
{
    firn_error err = {0};
    assert_ok(firn_snapshot_load(game->world, save->data, save->size, NULL, NULL, &err), &err);
}

static void T20_a_rigid_body_saves_no_value_and_the_physics_handler_does(void **state)
{
    (void)state;
    run first, second;
    open_run(&first);
    firn_entity flake = add_flake(&first, 20);
    physics_step(&first.physics, 0.5);
    firn_buffer save = save_run(&first);
    const firn_prelude expected = {
        .version = 1, .next_slot = 3, .entity_count = 2, .frame_count = 1, .data_count = 2};
    firn_prelude prelude;
    firn_error err = {0};
    assert_ok(firn_image_check(save.data, save.size, NULL, &prelude, &err), &err);
    assert_memory_equal(&prelude, &expected, sizeof prelude); // not one component

    open_run(&second);
    load_run(&second, &save);
    const Body *body = physics_body_of(&second.physics, second.world, flake);
    assert_non_null(body);
    assert_int_equal(body->entity, flake);
    assert_true(body->height == 17.5 && body->speed == 5);
    firn_buffer_free(&save);
    firn_world_destroy(first.world);
    firn_world_destroy(second.world);
}

static void a_query_tells_which_entities_have_a_body_after_a_load(void **state)
{
    (void)state;
    run game;
    open_run(&game);
    firn_entity flakes[2] = {add_flake(&game, 1), add_flake(&game, 2)};
    firn_buffer save = save_run(&game);
    add_flake(&game, 3);
    load_run(&game, &save);
    firn_error err = {0};
    firn_term has_body = {.component = game.physics.rigid_body};
    firn_query_desc desc = {.terms = &has_body, .term_count = 1};
    firn_query query = firn_query_create(game.world, &desc, &err);
    assert_int_equal(firn_query_count(game.world, query), 2);
    assert_int_equal(game.physics.count, 2);
    for (int i = 0; i < 2; i++)
        assert_true(physics_body_of(&game.physics, game.world, flakes[i])->height == i + 1);
    assert_null(physics_body_of(&game.physics, game.world, game.stone));
    firn_buffer_free(&save);
    firn_world_destroy(game.world);
}

static void a_save_without_bodies_leaves_none(void **state)
{
    (void)state;
    run game;
    open_run(&game);
    firn_buffer save = save_run(&game);
    add_flake(&game, 3);
    load_run(&game, &save);
    assert_int_equal(game.physics.count, 0);
    firn_buffer_free(&save);
    firn_world_destroy(game.world);
}

// Bodies as another game might have saved them; `encoded` is the value.
static void assert_engine_refuses(const char *encoded, size_t size)
{
    run game;
    open_run(&game);
    firn_entity flake = add_flake(&game, 5);
    firn_error err = {0};
    firn_world *other = firn_world_create(NULL, &err);
    firn_buffer save = {0};
    firn_data data = {.key = "physics", .encoded = encoded, .encoded_size = size};
    firn_save_options options = {.data = &data, .data_count = 1};
    assert_ok(firn_snapshot_save(other, &options, &save, &err), &err);
    firn_result result = firn_snapshot_load(game.world, save.data, save.size, NULL, NULL, &err);
    assert_int_not_equal(result, FIRN_OK);
    assert_error(&err, result, "physics");
    assert_true(physics_body_of(&game.physics, game.world, flake)->height == 5);
    firn_buffer_free(&save);
    firn_world_destroy(other);
    firn_world_destroy(game.world);
}

static void N12_bodies_that_the_engine_refuses_change_nothing(void **state)
{
    (void)state;
    assert_engine_refuses("\x02", 1);                         // true
    assert_engine_refuses("\x0c\x02\x0c\x02\x02", 5);         // {{true}}
    assert_engine_refuses("\x0c\x02\x0c\x04\x02\x02\x02", 7); // three booleans
    char many[2 + 17] = "\x0c\x12";                           // 17 of them
    memset(many + 2, 0x02, 17);
    assert_engine_refuses(many, sizeof many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T20_a_rigid_body_saves_no_value_and_the_physics_handler_does),
        cmocka_unit_test(a_query_tells_which_entities_have_a_body_after_a_load),
        cmocka_unit_test(a_save_without_bodies_leaves_none),
        cmocka_unit_test(N12_bodies_that_the_engine_refuses_change_nothing),
    };
    return cmocka_run_group_tests_name("example_plugin", tests, NULL, NULL);
}
