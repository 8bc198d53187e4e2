// State machines and sequence cursors.
#include "api/script_game.h"

#include <string.h>

// ---------------------------------------------------------------- machines

static void K4_a_machine_knows_its_state_the_time_in_it_and_the_one_before(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    uint64_t number = script_machine(game, game->a, "walk");
    assert_string_equal(script_item(game, number).previous, "");
    assert_step(game, "walk@a!;");
    assert_step(game, "walk@a+1;");
    assert_true(script_machine(game, game->a, "fight") == number);
    firn_script_item item = script_item(game, number);
    assert_int_equal(item.kind, FIRN_SCRIPT_MACHINE);
    assert_string_equal(item.step, "fight");
    assert_string_equal(item.previous, "walk");
    assert_int_equal(item.ticks, 0);
    assert_step(game, "fight@a!;");
    script_ticks(game, 2);
    assert_int_equal(script_item(game, number).ticks, 3);
    script_machine(game, game->a, "fight");
    assert_string_equal(script_item(game, number).previous, "fight");
    assert_step(game, "fight@a!;");
    assert_ok(firn_world_set_tick(game->world, 1, &err), &err);
    assert_int_equal(script_item(game, number).ticks, 0);
    script_game_free(game);
}

static void K4_an_entity_has_a_machine_for_each_provider(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    uint64_t guard = script_machine(game, game->a, "walk");
    uint64_t door = firn_machine_set(game->world, game->a, "door", "open", &err);
    uint64_t other = script_machine(game, game->b, "fight");
    script_cursor(game, game->a, NULL, NULL);
    assert_true(firn_machine_find(game->world, game->a, "guard") == guard);
    assert_true(firn_machine_find(game->world, game->a, "door") == door);
    assert_true(firn_machine_find(game->world, game->b, "guard") == other);
    assert_int_equal(firn_machine_find(game->world, game->b, "door"), 0);
    assert_int_equal(firn_machine_find(game->world, game->b, "gate"), 0);
    assert_int_equal(firn_machine_find(game->world, game->b, NULL), 0);
    assert_int_equal(firn_machine_find(NULL, game->b, "door"), 0);
    assert_ok(firn_script_end(game->world, guard, &err), &err);
    assert_int_equal(firn_machine_find(game->world, game->a, "guard"), 0);
    script_game_free(game);
}

static void a_state_in_which_nothing_happens_is_not_called(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    assert_true(firn_machine_set(game->world, game->a, "door", "idle", &err) != 0);
    script_timer(game, "idle", 0, 0, 0);
    assert_step(game, "");
    assert_int_equal(firn_script_list(game->world, FIRN_SCRIPT_NONE, 0, NULL, 0), 1);
    script_game_free(game);
}

static void bad_machines_are_refused(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    firn_world *world = game->world;
    assert_int_equal(firn_machine_set(world, 0, "guard", "walk", &err), 0);
    assert_int_equal(err.code, FIRN_INVALID);
    assert_int_equal(firn_machine_set(world, game->a, "guard", NULL, &err), 0);
    assert_error(&err, FIRN_INVALID, "state");
    assert_int_equal(firn_machine_set(world, game->a, NULL, "walk", &err), 0);
    assert_error(&err, FIRN_INVALID, "provider");
    assert_int_equal(firn_machine_set(NULL, game->a, "guard", "walk", &err), 0);
    assert_ok(firn_despawn(world, game->a, &err), &err);
    assert_int_equal(firn_machine_set(world, game->a, "guard", "walk", &err), 0);
    assert_int_equal(err.code, FIRN_NOT_FOUND);
    script_game_free(game);
}

// ---------------------------------------------------------------- cursors

static firn_result go_on(script_game *game, const firn_step_call *call, firn_error *err)
{
    return firn_cursor_go(game->world, call->number, "close", err);
}

static void T23_a_cursor_runs_its_step_until_it_goes_on(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    game->hook = go_on;
    uint64_t cursor = script_cursor(game, game->a, "intro", NULL);
    firn_script_item item = script_item(game, cursor);
    assert_string_equal(item.provider, "door");
    assert_string_equal(item.step, "open");
    assert_string_equal(item.key, "intro");
    assert_step(game, "open@a/intro!;");
    assert_step(game, "open@a/intro+1;");
    assert_ok(firn_cursor_go(game->world, cursor, "hook", &err), &err);
    assert_step(game, "hook@a/intro!;");
    assert_step(game, "close@a/intro!+1;");
    script_game_free(game);
}

static firn_result end_itself(script_game *game, const firn_step_call *call, firn_error *err)
{
    firn_result result = firn_script_end(game->world, call->number, err);
    assert_string_equal(call->key, "intro");
    return result;
}

static void a_cursor_may_end_itself(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    game->hook = end_itself;
    script_cursor(game, 0, "intro", "hook");
    assert_step(game, "hook/intro!;");
    assert_step(game, "");
    assert_int_equal(firn_cursor_find(game->world, "door", 0, "intro"), 0);
    script_game_free(game);
}

static void T23_a_cursor_is_found_by_provider_entity_and_key(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    firn_world *world = game->world;
    uint64_t plain = script_cursor(game, game->a, NULL, NULL);
    uint64_t keyed = script_cursor(game, game->a, "k", NULL);
    uint64_t other = script_cursor(game, 0, "k", NULL);
    assert_true(firn_cursor_find(world, "door", game->a, "") == plain);
    assert_true(firn_cursor_find(world, "door", game->a, NULL) == plain);
    assert_true(firn_cursor_find(world, "door", game->a, "k") == keyed);
    assert_true(firn_cursor_find(world, "door", 0, "k") == other);
    assert_int_equal(firn_cursor_find(world, "guard", 0, "k"), 0);
    assert_int_equal(firn_cursor_find(world, NULL, 0, "k"), 0);
    assert_int_equal(firn_cursor_find(NULL, "door", 0, "k"), 0);
    assert_int_equal(firn_cursor_start(world, "door", game->a, "k", NULL, &err), 0);
    assert_error(&err, FIRN_EXISTS, "door");
    assert_int_equal(err.entity, game->a);
    script_game_free(game);
}

static void T23_a_cursor_waits_for_time_or_an_event(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    uint64_t cursor = script_cursor(game, game->a, NULL, NULL);
    assert_ok(firn_cursor_wait(game->world, cursor, NULL, 2, NULL, &err), &err);
    assert_true(script_item(game, cursor).timed);
    assert_step(game, "");
    assert_step(game, "");
    assert_step(game, "open@a!+2;");
    assert_ok(firn_cursor_wait(game->world, cursor, "bell", 0, NULL, &err), &err);
    assert_ok(firn_cursor_wait(game->world, cursor, "knock", 0, NULL, &err), &err);
    script_send(game, "bell", 0, 0);
    assert_step(game, "");
    script_send(game, "knock", game->a, 0);
    assert_step(game, "open@a:knock+4;");
    assert_step(game, "open@a+5;");
    script_game_free(game);
}

static void a_cursor_waits_by_a_clock(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    assert_ok(firn_clock_add(game->world, "day", &err), &err);
    assert_ok(firn_clock_pause(game->world, "day", true, &err), &err);
    uint64_t cursor = script_cursor(game, 0, NULL, NULL);
    assert_ok(firn_cursor_wait(game->world, cursor, "bell", 2, "day", &err), &err);
    assert_int_equal(firn_clock_remove(game->world, "day", &err), FIRN_BUSY);
    assert_step(game, "");
    assert_ok(firn_clock_set(game->world, "day", 2, &err), &err);
    assert_step(game, "open!+1;");
    assert_ok(firn_clock_remove(game->world, "day", &err), &err);
    script_game_free(game);
}

// ---------------------------------------------------------------- tracking

static int dropped;

static void count_drop(void *tracked)
{
    dropped += *(int *)tracked;
}

static void track(script_game *game, uint64_t cursor, int *what)
{
    firn_error err;
    assert_ok(firn_cursor_track(game->world, cursor, what, count_drop, &err), &err);
}

static void T23_a_cursor_is_pending_until_what_it_tracks_is_done(void **state)
{
    (void)state;
    firn_error err;
    int request = 1;
    script_game *game = script_game_make(NULL);
    uint64_t cursor = script_cursor(game, game->a, NULL, NULL);
    assert_false(firn_cursor_is_pending(game->world, cursor));
    track(game, cursor, &request);
    assert_true(firn_cursor_is_pending(game->world, cursor));
    assert_true(script_item(game, cursor).pending);
    script_send(game, "bell", 0, 0);
    assert_step(game, "");
    assert_ok(firn_cursor_done(game->world, cursor, &request, &err), &err);
    assert_false(firn_cursor_is_pending(game->world, cursor));
    assert_ptr_equal(firn_cursor_tracked(game->world, cursor), &request);
    assert_step(game, "open@a!+1*;");
    assert_ok(firn_cursor_go(game->world, cursor, "close", &err), &err);
    assert_null(firn_cursor_tracked(game->world, cursor));
    assert_step(game, "close@a!;");
    script_game_free(game);
}

static void T23_a_cursor_is_saved_without_what_it_tracks_and_resumes(void **state)
{
    (void)state;
    firn_error err;
    int request = 1, again = 10;
    dropped = 0;
    script_game *game = script_game_make(NULL);
    uint64_t cursor = script_cursor(game, game->a, "get", NULL);
    script_ticks(game, 1);
    track(game, cursor, &request);
    script_reload(game);
    assert_int_equal(dropped, 1);
    assert_true(firn_cursor_find(game->world, "door", game->a, "get") == cursor);
    assert_false(firn_cursor_is_pending(game->world, cursor));
    assert_null(firn_cursor_tracked(game->world, cursor));
    assert_step(game, "open@a/get+1;");
    track(game, cursor, &again);
    assert_step(game, "");
    assert_int_equal(firn_cursor_done(game->world, cursor, &request, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "tracked");
    assert_true(firn_cursor_is_pending(game->world, cursor));
    assert_ok(firn_cursor_done(game->world, cursor, &again, &err), &err);
    assert_step(game, "open@a/get+3*;");
    script_game_free(game);
    assert_int_equal(dropped, 11);
}

static void what_is_tracked_is_dropped_when_the_cursor_lets_go_of_it(void **state)
{
    (void)state;
    firn_error err;
    int one = 1, ten = 10, hundred = 100;
    dropped = 0;
    script_game *game = script_game_make(NULL);
    uint64_t cursor = script_cursor(game, game->a, NULL, NULL);
    track(game, cursor, &one);
    track(game, cursor, &one);
    assert_int_equal(dropped, 0);
    track(game, cursor, &ten);
    assert_int_equal(dropped, 1);
    assert_ok(firn_cursor_go(game->world, cursor, "ring", &err), &err);
    assert_int_equal(dropped, 11);
    track(game, cursor, &hundred);
    assert_ok(firn_cursor_wait(game->world, cursor, "bell", 0, NULL, &err), &err);
    assert_int_equal(dropped, 111);
    assert_false(firn_cursor_is_pending(game->world, cursor));
    assert_ok(firn_cursor_track(game->world, cursor, &hundred, NULL, &err), &err);
    assert_string_equal(script_item(game, cursor).event, "");
    track(game, cursor, &one);
    assert_ok(firn_script_end(game->world, cursor, &err), &err);
    assert_int_equal(dropped, 112);
    uint64_t other = script_cursor(game, game->a, NULL, NULL);
    track(game, other, &one);
    assert_ok(firn_despawn(game->world, game->a, &err), &err);
    assert_false(firn_cursor_is_pending(game->world, other));
    script_ticks(game, 1);
    assert_int_equal(dropped, 113);
    script_game_free(game);
}

static void bad_cursors_are_refused(void **state)
{
    (void)state;
    firn_error err;
    int request = 1;
    script_game *game = script_game_make(NULL);
    firn_world *world = game->world;
    firn_entity dead = zoo_spawn(world, NULL, 0);
    assert_ok(firn_despawn(world, dead, &err), &err);
    assert_int_equal(firn_cursor_start(world, "door", dead, NULL, NULL, &err), 0);
    assert_int_equal(err.code, FIRN_NOT_FOUND);
    assert_int_equal(firn_cursor_start(world, "door", 0, "a\nb", NULL, &err), 0);
    assert_int_equal(err.code, FIRN_INVALID);
    assert_int_equal(firn_cursor_start(world, "door", 0, NULL, "", &err), 0);
    assert_int_equal(err.code, FIRN_INVALID);
    assert_int_equal(firn_cursor_start(NULL, "door", 0, NULL, NULL, &err), 0);

    uint64_t cursor = script_cursor(game, 0, NULL, NULL);
    uint64_t timer = script_timer(game, "open", 0, 9, 0);
    assert_int_equal(firn_cursor_go(world, timer, "ring", &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "cursor");
    assert_int_equal(firn_cursor_go(NULL, cursor, "ring", &err), FIRN_INVALID);
    assert_int_equal(firn_cursor_go(world, cursor, "burn", &err), FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "door.burn");
    assert_int_equal(firn_cursor_go(world, cursor, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "step");
    assert_int_equal(firn_cursor_wait(world, 99, NULL, 1, NULL, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_cursor_wait(world, cursor, "", 1, NULL, &err), FIRN_INVALID);
    assert_int_equal(firn_cursor_wait(world, cursor, NULL, -1, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "delay");
    assert_int_equal(firn_cursor_wait(world, cursor, NULL, 1, "night", &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "night");
    assert_int_equal(firn_cursor_track(world, 99, &request, NULL, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_cursor_track(world, cursor, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "tracked");
    assert_int_equal(firn_cursor_done(world, 99, &request, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "cursor");
    assert_int_equal(firn_cursor_done(world, cursor, &request, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "tracked");
    assert_false(firn_cursor_is_pending(world, timer));
    assert_null(firn_cursor_tracked(world, timer));
    assert_false(firn_cursor_is_pending(NULL, cursor));
    script_game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K4_a_machine_knows_its_state_the_time_in_it_and_the_one_before),
        cmocka_unit_test(K4_an_entity_has_a_machine_for_each_provider),
        cmocka_unit_test(a_state_in_which_nothing_happens_is_not_called),
        cmocka_unit_test(bad_machines_are_refused),
        cmocka_unit_test(T23_a_cursor_runs_its_step_until_it_goes_on),
        cmocka_unit_test(a_cursor_may_end_itself),
        cmocka_unit_test(T23_a_cursor_is_found_by_provider_entity_and_key),
        cmocka_unit_test(T23_a_cursor_waits_for_time_or_an_event),
        cmocka_unit_test(a_cursor_waits_by_a_clock),
        cmocka_unit_test(T23_a_cursor_is_pending_until_what_it_tracks_is_done),
        cmocka_unit_test(T23_a_cursor_is_saved_without_what_it_tracks_and_resumes),
        cmocka_unit_test(what_is_tracked_is_dropped_when_the_cursor_lets_go_of_it),
        cmocka_unit_test(bad_cursors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
