// The order of what runs, and what a call may do to the rest of its run.
#include "api/script_game.h"

#include <string.h>

static void K4_what_is_due_runs_by_tick_and_then_by_number(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    assert_ok(firn_script_listen(game->world, "bell", "door", "ring", &err), &err);
    script_send(game, "bell", 0, 3);            // 1
    script_timer(game, "open", 0, 2, 0);        // 2
    script_machine(game, game->a, "walk");      // 3
    script_wait(game, "close", 0, NULL, 1);     // 4
    script_cursor(game, game->b, "x", "open");  // 5
    script_timer(game, "close", game->b, 3, 0); // 6
    script_send_number(game, "bell", 0.5, 1);   // 7
    assert_ok(firn_world_set_tick(game->world, 3, &err), &err);
    assert_step(game, "close;ring:bell=1;open;ring:bell;walk@a!+3;open@b/x!+3;close@b;");
    script_game_free(game);
}

static void K4_the_order_is_that_of_the_numbers_whatever_slots_they_have(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    uint64_t first = script_timer(game, "open", 0, 1, 0);
    uint64_t second = script_timer(game, "open", 0, 1, 0);
    script_timer(game, "ring", 0, 1, 0);
    assert_ok(firn_script_end(game->world, first, &err), &err);
    assert_ok(firn_script_end(game->world, second, &err), &err);
    script_timer(game, "close", 0, 1, 0);
    script_timer(game, "open", 0, 1, 0);
    assert_step(game, "");
    assert_step(game, "ring;close;open;");
    script_game_free(game);
}

// ---------------------------------------------------------------- calls that change things

static firn_result end_number(script_game *game, const firn_step_call *call, firn_error *err)
{
    (void)call;
    return firn_script_end(game->world, game->number, err);
}

static void what_an_earlier_call_ended_does_not_run(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    game->hook = end_number;
    script_timer(game, "hook", 0, 0, 0);
    game->number = script_timer(game, "open", 0, 0, 0);
    script_timer(game, "close", 0, 0, 0);
    assert_step(game, "hook;close;");
    script_game_free(game);
}

static firn_result end_entity(script_game *game, const firn_step_call *call, firn_error *err)
{
    (void)call;
    return firn_despawn(game->world, game->a, err);
}

static void what_belongs_to_an_entity_that_ended_does_not_run(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    game->hook = end_entity;
    script_timer(game, "hook", 0, 0, 0);
    uint64_t number = script_timer(game, "open", game->a, 0, 1);
    script_machine(game, game->a, "walk");
    script_cursor(game, game->a, NULL, NULL);
    assert_step(game, "hook;");
    assert_false(script_has(game, number));
    assert_int_equal(firn_machine_find(game->world, game->a, "guard"), 0);
    assert_int_equal(firn_cursor_find(game->world, "door", game->a, NULL), 0);
    assert_int_equal(firn_script_list(game->world, FIRN_SCRIPT_NONE, 0, NULL, 0), 0);
    script_game_free(game);
}

static firn_result make_all(script_game *game, const firn_step_call *call, firn_error *err)
{
    (void)call, (void)err;
    script_timer(game, "open", 0, 0, 0);
    script_send(game, "bell", 0, 0);
    script_wait(game, "close", 0, NULL, 0);
    script_machine(game, game->a, "walk");
    script_cursor(game, 0, NULL, "ring");
    return FIRN_OK;
}

static void what_is_made_during_a_run_waits_for_the_next_one(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    game->hook = make_all;
    assert_ok(firn_script_listen(game->world, "bell", "door", "ring", &err), &err);
    script_timer(game, "hook", 0, 0, 0);
    assert_step(game, "hook;");
    assert_step(game, "open;ring:bell;close;walk@a!+1;ring!+1;");
    script_game_free(game);
}

static firn_result set_state(script_game *game, const firn_step_call *call, firn_error *err)
{
    (void)call;
    return firn_machine_set(game->world, game->a, "guard", "fight", err) != 0 ? FIRN_OK : err->code;
}

static void what_an_earlier_call_moved_waits_for_the_next_run(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    game->hook = set_state;
    script_timer(game, "hook", 0, 1, 0);
    script_machine(game, game->a, "walk");
    assert_step(game, "walk@a!;");
    assert_step(game, "hook;");
    assert_step(game, "fight@a!+1;");
    assert_step(game, "fight@a+2;");
    script_game_free(game);
}

static firn_result wait_again(script_game *game, const firn_step_call *call, firn_error *err)
{
    (void)call, (void)err;
    script_wait(game, "open", 0, "bell", 0);
    return FIRN_OK;
}

static void an_event_wakes_only_who_waited_when_it_began(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    game->hook = wait_again;
    assert_ok(firn_script_listen(game->world, "bell", "door", "hook", &err), &err);
    script_send(game, "bell", 0, 0);
    script_send(game, "bell", 0, 0);
    assert_step(game, "hook:bell;hook:bell;open:bell;");
    script_game_free(game);
}

static void who_was_ended_before_its_turn_is_not_woken(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    game->hook = end_number;
    script_wait(game, "hook", 0, "bell", 0);
    game->number = script_wait(game, "open", 0, "bell", 0);
    script_send(game, "bell", 0, 0);
    assert_step(game, "hook:bell;");
    script_game_free(game);
}

static void a_cursor_that_an_event_woke_runs_once(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    script_send(game, "bell", 0, 1);
    uint64_t cursor = script_cursor(game, 0, NULL, "open");
    assert_ok(firn_cursor_wait(game->world, cursor, "bell", 1, NULL, &err), &err);
    assert_step(game, "");
    assert_step(game, "open:bell!+1;");
    assert_step(game, "open+2;");
    script_game_free(game);
}

// ---------------------------------------------------------------- failures

static void a_failure_does_not_keep_others_from_running(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    script_timer(game, "fail", 0, 0, 0);
    script_timer(game, "fail", game->a, 0, 0);
    script_timer(game, "open", 0, 0, 0);
    assert_int_equal(script_step(game, &err), FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "jammed");
    assert_log(&game->log, "fail;fail@a;open;");
    assert_step(game, "");
    script_game_free(game);
}

static firn_result say_nothing(script_game *game, const firn_step_call *call, firn_error *err)
{
    (void)game, (void)call, (void)err;
    return FIRN_CONFLICT;
}

static void a_failure_that_says_nothing_is_named(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    game->hook = say_nothing;
    script_timer(game, "hook", 0, 0, 0);
    assert_int_equal(firn_script_run(game->world, &err), FIRN_CONFLICT);
    assert_error(&err, FIRN_CONFLICT, "door.hook");
    script_game_free(game);
}

static firn_result run_inside(script_game *game, const firn_step_call *call, firn_error *err)
{
    (void)call;
    return firn_script_run(game->world, err);
}

static void runs_do_not_stand_inside_each_other(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    game->hook = run_inside;
    script_timer(game, "hook", 0, 0, 0);
    assert_int_equal(firn_script_run(game->world, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "script");
    assert_log(&game->log, "hook;");
    assert_ok(firn_script_run(game->world, &err), &err);
    script_game_free(game);
}

static firn_result leave_loop(script_game *game, const firn_step_call *call, firn_error *err)
{
    (void)call;
    static firn_iter it;
    firn_query query = firn_query_create(game->world, &(firn_query_desc){.name = "all"}, err);
    firn_iter_begin(game->world, query, &it);
    return firn_iter_next(&it) ? FIRN_OK : FIRN_CORRUPT;
}

static void a_loop_that_a_step_leaves_open_is_closed(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    game->hook = leave_loop;
    script_timer(game, "hook", 0, 0, 0);
    assert_ok(firn_script_run(game->world, &err), &err);
    assert_true(zoo_spawn(game->world, NULL, 0) != 0);
    assert_ok(firn_script_run(game->world, &err), &err);
    firn_query query = firn_query_create(game->world, &(firn_query_desc){.name = "some"}, &err);
    firn_iter it;
    firn_iter_begin(game->world, query, &it);
    assert_int_equal(firn_script_run(game->world, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "some");
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_int_equal(firn_script_run(NULL, &err), FIRN_INVALID);
    script_game_free(game);
}

static firn_result load_number(script_game *game, const firn_step_call *call, firn_error *err)
{
    (void)call;
    return firn_snapshot_load(game->world, game->out.data, game->out.size, NULL, NULL, err);
}

static void K4_a_load_ends_the_run(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    assert_ok(firn_script_listen(game->world, "bell", "door", "hook", &err), &err);
    assert_ok(firn_script_listen(game->world, "bell", "door", "open", &err), &err);
    script_timer(game, "ring", 0, 1, 0);
    game->out = zoo_save(game->world);
    script_timer(game, "close", 0, 1, 0);
    script_wait(game, "close", 0, "bell", 0);
    script_send(game, "bell", 0, 0);
    game->hook = load_number;
    assert_step(game, "hook:bell;");
    assert_saves_as(game->world, &game->out);
    assert_step(game, "");
    assert_step(game, "ring;");
    script_cursor(game, 0, "long", "hook");
    assert_step(game, "hook/long!;");
    assert_saves_as(game->world, &game->out);
    script_wait(game, "hook", 0, "knock", 0);
    script_wait(game, "open", 0, "knock", 0);
    script_send(game, "knock", 0, 0);
    assert_step(game, "hook:knock;");
    script_game_free(game);
}

static void a_system_runs_it_in_a_phase_of_choice(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    script_machine(game, game->a, "walk");
    assert_true(firn_script_system(game->world, firn_phase_find(game->world, "Update"), &err) != 0);
    assert_step(game, "walk@a!;walk@a+1;");
    assert_int_equal(firn_script_system(game->world, 12345, &err), 0);
    assert_error(&err, FIRN_INVALID, "phase");
    assert_int_equal(firn_script_system(NULL, 0, &err), 0);
    script_game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K4_what_is_due_runs_by_tick_and_then_by_number),
        cmocka_unit_test(K4_the_order_is_that_of_the_numbers_whatever_slots_they_have),
        cmocka_unit_test(what_an_earlier_call_ended_does_not_run),
        cmocka_unit_test(what_belongs_to_an_entity_that_ended_does_not_run),
        cmocka_unit_test(what_is_made_during_a_run_waits_for_the_next_one),
        cmocka_unit_test(what_an_earlier_call_moved_waits_for_the_next_run),
        cmocka_unit_test(an_event_wakes_only_who_waited_when_it_began),
        cmocka_unit_test(who_was_ended_before_its_turn_is_not_woken),
        cmocka_unit_test(a_cursor_that_an_event_woke_runs_once),
        cmocka_unit_test(a_failure_does_not_keep_others_from_running),
        cmocka_unit_test(a_failure_that_says_nothing_is_named),
        cmocka_unit_test(runs_do_not_stand_inside_each_other),
        cmocka_unit_test(a_loop_that_a_step_leaves_open_is_closed),
        cmocka_unit_test(K4_a_load_ends_the_run),
        cmocka_unit_test(a_system_runs_it_in_a_phase_of_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
