// Clocks of script state.
#include "api/script_game.h"

#include <math.h>
#include <stdio.h>

static void add_clock(script_game *game, const char *name)
{
    firn_error err;
    assert_ok(firn_clock_add(game->world, name, &err), &err);
}

static firn_clock read_of(script_game *game, const char *name)
{
    firn_error err;
    firn_clock clock = {0};
    assert_ok(firn_clock_read(game->world, name, &clock, &err), &err);
    return clock;
}

static void scale_clock(script_game *game, const char *name, double scale)
{
    firn_error err;
    assert_ok(firn_clock_scale(game->world, name, scale, &err), &err);
}

static void pause_clock(script_game *game, const char *name, bool paused)
{
    firn_error err;
    assert_ok(firn_clock_pause(game->world, name, paused, &err), &err);
}

static void K4_a_clock_begins_at_0_and_follows_the_ticks(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    script_ticks(game, 5);
    add_clock(game, "day");
    assert_true(read_of(game, "day").ticks == 0);
    script_ticks(game, 7);
    assert_ok(firn_world_set_timestep(game->world, 0.25, &err), &err);
    firn_clock day = read_of(game, "day");
    assert_true(day.ticks == 7 && day.seconds == 1.75 && day.scale == 1 && !day.paused);
    script_game_free(game);
}

static void K4_a_clock_is_scaled_and_stands_still_while_it_is_paused(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    add_clock(game, "day");
    script_ticks(game, 4);
    scale_clock(game, "day", 0.5);
    script_ticks(game, 4);
    assert_true(read_of(game, "day").ticks == 6);
    pause_clock(game, "day", true);
    script_ticks(game, 10);
    assert_true(read_of(game, "day").ticks == 6 && read_of(game, "day").paused);
    scale_clock(game, "day", 3);
    script_ticks(game, 10);
    assert_true(read_of(game, "day").ticks == 6);
    pause_clock(game, "day", false);
    script_ticks(game, 2);
    assert_true(read_of(game, "day").ticks == 12);
    script_game_free(game);
}

static void K4_nothing_adds_up_in_a_clock(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    add_clock(game, "slow");
    scale_clock(game, "slow", 0.1);
    assert_ok(firn_world_set_tick(game->world, 1000003, &err), &err);
    assert_true(read_of(game, "slow").ticks == 0.1 * 1000003);
    script_game_free(game);
}

static void a_clock_is_set(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    add_clock(game, "day");
    script_ticks(game, 3);
    assert_ok(firn_clock_set(game->world, "day", 100.5, &err), &err);
    script_ticks(game, 2);
    assert_true(read_of(game, "day").ticks == 102.5);
    assert_ok(firn_clock_set(game->world, "day", -0.0, &err), &err);
    assert_false(signbit(read_of(game, "day").ticks));
    scale_clock(game, "day", -0.0);
    assert_false(signbit(read_of(game, "day").scale));
    script_game_free(game);
}

static void a_clock_stands_still_until_the_tick_has_come_again(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    script_ticks(game, 10);
    add_clock(game, "day");
    assert_ok(firn_world_set_tick(game->world, 8, &err), &err);
    assert_true(read_of(game, "day").ticks == 0);
    script_ticks(game, 3);
    assert_true(read_of(game, "day").ticks == 1);
    script_game_free(game);
}

static void clocks_are_listed_in_the_order_of_their_names(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    const char *names[] = {"day", "boss", "zoo", "day2", "arena"};
    const char *sorted[] = {"arena", "boss", "day2", "zoo"};
    for (int i = 0; i < 5; i++)
        add_clock(game, names[i]);
    assert_ok(firn_clock_remove(game->world, "day", &err), &err);
    assert_int_equal(firn_clock_count(game->world), 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(firn_clock_name(game->world, i), sorted[i]);
    assert_string_equal(firn_clock_name(game->world, 4), "");
    assert_int_equal(firn_clock_count(NULL), 0);
    script_game_free(game);
}

static void a_clock_that_an_item_goes_by_cannot_be_removed(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    add_clock(game, "day");
    const firn_timer_desc desc = {
        .provider = "door", .step = "open", .entity = game->a, .delay = 3, .clock = "day"};
    assert_true(firn_timer_start(game->world, &desc, &err) != 0);
    assert_int_equal(firn_clock_remove(game->world, "day", &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "day");
    assert_ok(firn_despawn(game->world, game->a, &err), &err);
    assert_ok(firn_clock_remove(game->world, "day", &err), &err);
    script_game_free(game);
}

static void a_timer_goes_by_a_clock(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    add_clock(game, "day");
    scale_clock(game, "day", 0.5);
    const firn_timer_desc desc = {
        .provider = "door", .step = "open", .delay = 1, .period = 1, .clock = "day"};
    uint64_t number = firn_timer_start(game->world, &desc, &err);
    assert_string_equal(script_item(game, number).clock, "day");
    assert_step(game, "");
    assert_step(game, "");
    assert_step(game, "open;");
    pause_clock(game, "day", true);
    assert_step(game, "");
    assert_step(game, "");
    pause_clock(game, "day", false);
    scale_clock(game, "day", 3);
    assert_step(game, "");
    assert_step(game, "open#3;");
    script_game_free(game);
}

static void bad_clocks_are_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_clock clock;
    script_game *game = script_game_make(NULL);
    firn_world *world = game->world;
    add_clock(game, "day");
    assert_int_equal(firn_clock_add(world, "day", &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "day");
    assert_int_equal(firn_clock_add(world, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "name");
    assert_int_equal(firn_clock_add(world, "", &err), FIRN_INVALID);
    assert_int_equal(firn_clock_add(world, "a\nb", &err), FIRN_INVALID);
    assert_int_equal(firn_clock_add(NULL, "day", &err), FIRN_INVALID);
    assert_int_equal(firn_clock_remove(world, "night", &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "night");
    assert_int_equal(firn_clock_remove(world, NULL, &err), FIRN_INVALID);
    assert_int_equal(firn_clock_pause(world, "night", true, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_clock_set(world, "night", 1, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_clock_scale(world, "night", 1, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_clock_read(world, "night", &clock, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_clock_read(world, NULL, &clock, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "name");
    assert_int_equal(firn_clock_read(world, "day", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_int_equal(firn_clock_read(NULL, "day", &clock, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    const double scales[] = {-1, 1000001, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(firn_clock_scale(world, "day", scales[i], &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "scale");
    }
    const double ticks[] = {-1, 1e16, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(firn_clock_set(world, "day", ticks[i], &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "ticks");
    }
    assert_true(read_of(game, "day").ticks == 0 && read_of(game, "day").scale == 1);
    script_game_free(game);
}

static void the_clocks_are_counted(void **state)
{
    (void)state;
    firn_error err;
    char name[16];
    script_game *game = script_game_make(NULL);
    for (int i = 0; i < 4096; i++) {
        snprintf(name, sizeof name, "c%05d", i);
        add_clock(game, name);
    }
    assert_int_equal(firn_clock_add(game->world, "more", &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "more");
    script_game_free(game);
}

static void seconds_become_whole_ticks(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    assert_ok(firn_world_set_timestep(game->world, 1.0 / 60, &err), &err);
    assert_true(firn_script_ticks(game->world, 0.5) == 30);
    assert_true(firn_script_ticks(game->world, 1.0 / 60) == 1);
    assert_true(firn_script_ticks(game->world, 0.001) == 0);
    assert_true(firn_script_ticks(game->world, -1) == 0);
    assert_true(firn_script_ticks(game->world, NAN) == 0);
    assert_true(firn_script_ticks(game->world, INFINITY) == 9007199254740992.0);
    script_game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K4_a_clock_begins_at_0_and_follows_the_ticks),
        cmocka_unit_test(K4_a_clock_is_scaled_and_stands_still_while_it_is_paused),
        cmocka_unit_test(K4_nothing_adds_up_in_a_clock),
        cmocka_unit_test(a_clock_is_set),
        cmocka_unit_test(a_clock_stands_still_until_the_tick_has_come_again),
        cmocka_unit_test(clocks_are_listed_in_the_order_of_their_names),
        cmocka_unit_test(a_clock_that_an_item_goes_by_cannot_be_removed),
        cmocka_unit_test(a_timer_goes_by_a_clock),
        cmocka_unit_test(bad_clocks_are_refused),
        cmocka_unit_test(the_clocks_are_counted),
        cmocka_unit_test(seconds_become_whole_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
