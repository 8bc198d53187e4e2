// Providers, events, timers and waits of script state.
#include "api/script_game.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- events

static void listen(script_game *game, const char *event, const char *step)
{
    firn_error err;
    assert_ok(firn_script_listen(game->world, event, "door", step, &err), &err);
}

static void K4_an_event_reaches_the_listeners_at_its_tick(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    listen(game, "bell", "ring");
    listen(game, "bell", "open");
    listen(game, "bell", "ring"); // it does already
    script_send_number(game, "bell", 2, 7.5);
    script_send(game, "bell", game->a, 0);
    script_send(game, "knock", 0, 0);
    assert_step(game, "ring@a:bell;open@a:bell;");
    assert_step(game, "");
    assert_step(game, "ring:bell=7.5;open:bell=7.5;");
    assert_step(game, "");
    script_game_free(game);
}

static void K4_a_payload_is_any_value_and_a_copy(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    listen(game, "bell", "ring");
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = firn_value_table(doc, &err);
    assert_true(firn_script_send(game->world, "bell", 0, 0, table, &err) != 0);
    assert_true(firn_script_send(game->world, "bell", 0, 0, firn_value_nil(doc, &err), &err) != 0);
    firn_doc_destroy(doc);
    assert_step(game, "ring:bell=?;ring:bell;");
    script_game_free(game);
}

static void an_event_at_an_entity_ends_with_it(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    listen(game, "bell", "ring");
    uint64_t number = script_send(game, "bell", game->a, 0);
    script_send(game, "bell", game->b, 0);
    assert_ok(firn_despawn(game->world, game->a, &err), &err);
    assert_false(script_has(game, number));
    assert_step(game, "ring@b:bell;");
    script_game_free(game);
}

static void a_payload_that_no_save_can_hold_is_refused(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *value = firn_value_number(doc, 1, &err);
    for (int i = 0; i < 97; i++) {
        firn_value *outer = firn_value_table(doc, &err);
        assert_ok(firn_table_push(doc, outer, value, &err), &err);
        value = outer;
    }
    assert_true(firn_script_send(game->world, "bell", 0, 5, value, &err) != 0);
    script_reload(game);
    firn_value *outer = firn_value_table(doc, &err);
    assert_ok(firn_table_push(doc, outer, value, &err), &err);
    assert_int_equal(firn_script_send(game->world, "bell", 0, 5, outer, &err), 0);
    assert_error(&err, FIRN_LIMIT, "[1]");
    firn_doc_destroy(doc);
    script_game_free(game);
}

static firn_result listen_more(script_game *game, const firn_step_call *call, firn_error *err)
{
    (void)call;
    return firn_script_listen(game->world, "bell", "door", "close", err);
}

static void an_event_hears_no_listener_that_comes_during_it(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    game->hook = listen_more;
    listen(game, "bell", "hook");
    script_send(game, "bell", 0, 0);
    script_send(game, "bell", 0, 0);
    assert_step(game, "hook:bell;hook:bell;close:bell;");
    script_game_free(game);
}

// ---------------------------------------------------------------- timers

static void K4_a_timer_runs_once_or_again_and_again(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    uint64_t once = script_timer(game, "open", game->a, 1, 0);
    uint64_t often = script_timer(game, "ring", 0, 0, 2);
    assert_true(script_item(game, often).period == 2 && script_item(game, often).timed);
    assert_step(game, "ring;");
    assert_step(game, "open@a;");
    assert_false(script_has(game, once));
    assert_step(game, "ring;");
    assert_step(game, "");
    assert_true(script_item(game, often).due == 4);
    script_game_free(game);
}

static void a_timer_that_missed_calls_makes_one(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    script_timer(game, "ring", 0, 1, 3);
    assert_ok(firn_world_set_tick(game->world, 8, &err), &err);
    assert_step(game, "ring#3;");
    assert_step(game, "");
    assert_step(game, "ring;");
    assert_ok(firn_world_set_tick(game->world, UINT64_C(1) << 53, &err), &err);
    script_timer(game, "open", 0, 0, 1e-300);
    game->log.text[0] = 0;
    script_ticks(game, 1);
    assert_non_null(strstr(game->log.text, "open"));
    script_game_free(game);
}

static void a_time_between_two_ticks_is_that_of_the_second(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    script_timer(game, "ring", 0, 0.5, 1.5);
    assert_step(game, "");
    assert_step(game, "ring;");
    assert_step(game, "ring;");
    assert_step(game, "");
    assert_step(game, "ring;");
    script_game_free(game);
}

static void a_timer_is_ended(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    uint64_t number = script_timer(game, "ring", 0, 1, 1);
    assert_ok(firn_script_end(game->world, number, &err), &err);
    assert_int_equal(firn_script_end(game->world, number, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "number");
    script_ticks(game, 3);
    assert_log(&game->log, "");
    script_game_free(game);
}

static void K4_a_timer_with_a_negative_period_is_refused(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    const double bad[] = {-1, NAN, INFINITY, 1e16};
    for (int i = 0; i < 4; i++) {
        firn_timer_desc desc = {.provider = "door", .step = "ring", .period = bad[i]};
        assert_int_equal(firn_timer_start(game->world, &desc, &err), 0);
        assert_error(&err, FIRN_INVALID, "period");
        desc = (firn_timer_desc){.provider = "door", .step = "ring", .delay = bad[i]};
        assert_int_equal(firn_timer_start(game->world, &desc, &err), 0);
        assert_error(&err, FIRN_INVALID, "delay");
    }
    assert_int_equal(firn_script_list(game->world, FIRN_SCRIPT_NONE, 0, NULL, 0), 0);
    script_game_free(game);
}

// ---------------------------------------------------------------- waits

static void K4_an_entity_waits_for_a_tick_and_continues_at_a_step(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    uint64_t number = script_wait(game, "open", game->a, NULL, 2);
    script_wait(game, "close", 0, NULL, 0);
    assert_int_equal(script_item(game, number).kind, FIRN_SCRIPT_WAIT);
    assert_step(game, "close;");
    assert_step(game, "");
    assert_step(game, "open@a;");
    assert_false(script_has(game, number));
    script_game_free(game);
}

static void K4_an_entity_waits_for_an_event_and_continues_at_a_step(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    script_wait(game, "open", game->a, "bell", 0);
    script_wait(game, "close", game->b, "bell", 0);
    script_wait(game, "ring", 0, "bell", 0);
    script_wait(game, "ring", game->a, "knock", 0);
    assert_step(game, "");
    script_send_number(game, "bell", 0, 3);
    assert_step(game, "open@a:bell=3;close@b:bell=3;ring:bell=3;");
    script_send(game, "bell", 0, 0);
    assert_step(game, "");
    script_game_free(game);
}

static void an_event_at_an_entity_wakes_who_belongs_to_it_or_to_none(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    script_wait(game, "open", game->a, "bell", 0);
    script_wait(game, "close", game->b, "bell", 0);
    script_wait(game, "ring", 0, "bell", 0);
    script_send(game, "bell", game->b, 0);
    assert_step(game, "close@b:bell;ring:bell;");
    script_send(game, "bell", game->a, 0);
    assert_step(game, "open@a:bell;");
    script_game_free(game);
}

static void a_wait_for_an_event_may_have_an_end(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    script_wait(game, "open", game->a, "bell", 2);
    script_wait(game, "close", game->b, "bell", 2);
    script_send(game, "bell", game->b, 1);
    assert_step(game, "");
    assert_step(game, "close@b:bell;");
    assert_step(game, "open@a;");
    script_game_free(game);
}

// ---------------------------------------------------------------- looking

static void items_are_listed_in_the_order_of_their_numbers(void **state)
{
    (void)state;
    firn_error err;
    uint64_t numbers[32] = {0}, all[32];
    script_game *game = script_game_make(NULL);
    // Slots are used again, so that the order of the numbers is another one.
    for (int i = 0; i < 20; i++)
        all[i] = script_timer(game, "ring", 0, 1, 0);
    for (int i = 0; i < 20; i += 2)
        assert_ok(firn_script_end(game->world, all[i], &err), &err);
    for (int i = 0; i < 10; i++)
        script_wait(game, "open", i % 2 ? game->a : 0, NULL, 1);
    uint32_t count = firn_script_list(game->world, FIRN_SCRIPT_NONE, 0, numbers, 32);
    assert_int_equal(count, 20);
    for (uint32_t i = 0; i + 1 < count; i++)
        assert_true(numbers[i] < numbers[i + 1]);
    for (uint32_t room = 0; room <= count; room++) {
        uint64_t some[32] = {0};
        assert_int_equal(firn_script_list(game->world, FIRN_SCRIPT_NONE, 0, some, room), count);
        assert_memory_equal(some, numbers, room * sizeof *some);
        assert_int_equal(some[room], 0);
    }
    assert_int_equal(firn_script_list(game->world, FIRN_SCRIPT_WAIT, 0, NULL, 0), 10);
    assert_int_equal(firn_script_list(game->world, FIRN_SCRIPT_TIMER, 0, NULL, 9), 10);
    assert_int_equal(firn_script_list(game->world, FIRN_SCRIPT_NONE, game->a, numbers, 32), 5);
    assert_int_equal(script_item(game, numbers[0]).entity, game->a);
    assert_int_equal(firn_script_list(NULL, FIRN_SCRIPT_NONE, 0, numbers, 32), 0);
    script_game_free(game);
}

static void an_item_is_read(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    uint64_t number = script_wait(game, "open", game->a, "bell", 4);
    firn_script_item item = script_item(game, number);
    assert_int_equal(item.entity, game->a);
    assert_string_equal(item.provider, "door");
    assert_string_equal(item.step, "open");
    assert_string_equal(item.event, "bell");
    assert_string_equal(item.key, "");
    assert_string_equal(item.clock, "");
    assert_true(item.timed && item.due == 4);
    item = script_item(game, script_send(game, "bell", 0, 3));
    assert_string_equal(item.provider, "");
    assert_string_equal(item.event, "bell");
    assert_int_equal(firn_script_read(game->world, 99, &item, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "number");
    assert_int_equal(firn_script_read(game->world, number, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_int_equal(firn_script_read(NULL, number, &item, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_script_end(NULL, number, &err), FIRN_INVALID);
    script_game_free(game);
}

// ---------------------------------------------------------------- bad input

static void a_provider_has_a_name_and_steps_of_different_names(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    const firn_step steps[] = {{"one", NULL}, {"two", NULL}, {"one", NULL}, {NULL, NULL}};
    firn_provider_desc desc = {.name = "lift", .steps = steps, .step_count = 3};
    assert_int_equal(firn_provider_add(game->world, &desc, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "one");
    desc.step_count = 4;
    assert_int_equal(firn_provider_add(game->world, &desc, &err), FIRN_INVALID);
    desc = (firn_provider_desc){.name = "lift", .steps = &steps[3], .step_count = 1};
    assert_int_equal(firn_provider_add(game->world, &desc, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "step");
    desc = (firn_provider_desc){.name = "lift", .steps = steps, .step_count = 0};
    assert_int_equal(firn_provider_add(game->world, &desc, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "steps");
    desc = (firn_provider_desc){.name = "lift", .steps = NULL, .step_count = 1};
    assert_int_equal(firn_provider_add(game->world, &desc, &err), FIRN_INVALID);
    desc = (firn_provider_desc){.name = "lift", .steps = steps, .step_count = 4097};
    assert_int_equal(firn_provider_add(game->world, &desc, &err), FIRN_INVALID);
    desc = (firn_provider_desc){.name = "door", .steps = steps, .step_count = 2};
    assert_int_equal(firn_provider_add(game->world, &desc, &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "door");
    desc = (firn_provider_desc){.steps = steps, .step_count = 2};
    assert_int_equal(firn_provider_add(game->world, &desc, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "name");
    desc = (firn_provider_desc){.name = "lift", .steps = steps, .step_count = 2, .reserved = {1}};
    assert_int_equal(firn_provider_add(game->world, &desc, &err), FIRN_INVALID);
    assert_int_equal(firn_provider_add(game->world, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "desc");
    assert_int_equal(firn_provider_add(NULL, &desc, &err), FIRN_INVALID);
    script_game_free(game);
}

static void the_providers_are_counted(void **state)
{
    (void)state;
    firn_error err;
    char name[16];
    const firn_step step = {"only", NULL};
    const firn_provider_desc desc = {.name = name, .steps = &step, .step_count = 1};
    script_game *game = script_game_make(NULL); // with two
    for (int i = 0; i < 4094; i++) {
        snprintf(name, sizeof name, "%d", i);
        assert_ok(firn_provider_add(game->world, &desc, &err), &err);
    }
    strcpy(name, "more");
    assert_int_equal(firn_provider_add(game->world, &desc, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "more");
    script_game_free(game);
}

static void T23_an_unknown_provider_or_step_is_named(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    firn_timer_desc timer = {.provider = "gate", .step = "ring"};
    assert_int_equal(firn_timer_start(game->world, &timer, &err), 0);
    assert_error(&err, FIRN_UNKNOWN, "gate");
    timer = (firn_timer_desc){.provider = "door", .step = "burn"};
    assert_int_equal(firn_timer_start(game->world, &timer, &err), 0);
    assert_error(&err, FIRN_UNKNOWN, "door.burn");
    firn_wait_desc wait = {.provider = "door", .step = "burn", .delay = 1};
    assert_int_equal(firn_wait_start(game->world, &wait, &err), 0);
    assert_error(&err, FIRN_UNKNOWN, "door.burn");
    assert_int_equal(firn_script_listen(game->world, "bell", "door", "burn", &err), FIRN_UNKNOWN);
    assert_int_equal(firn_cursor_start(game->world, "gate", 0, NULL, NULL, &err), 0);
    assert_error(&err, FIRN_UNKNOWN, "gate");
    assert_int_equal(firn_machine_set(game->world, game->a, "door", "burn", &err), 0);
    assert_error(&err, FIRN_UNKNOWN, "door.burn");
    script_game_free(game);
}

static void bad_events_timers_and_waits_are_refused(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    firn_world *world = game->world;
    firn_entity dead = zoo_spawn(world, NULL, 0);
    assert_ok(firn_despawn(world, dead, &err), &err);

    assert_int_equal(firn_script_send(NULL, "bell", 0, 0, NULL, &err), 0);
    assert_int_equal(firn_script_send(world, NULL, 0, 0, NULL, &err), 0);
    assert_error(&err, FIRN_INVALID, "event");
    assert_int_equal(firn_script_send(world, "bell", 0, -1, NULL, &err), 0);
    assert_error(&err, FIRN_INVALID, "delay");
    assert_int_equal(firn_script_send(world, "bell", dead, 0, NULL, &err), 0);
    assert_int_equal(err.code, FIRN_NOT_FOUND);
    assert_int_equal(firn_script_listen(world, NULL, "door", "ring", &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "event");
    assert_int_equal(firn_script_listen(world, "bell", "door", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "step");

    firn_timer_desc timer = {.provider = "door", .step = "ring", .clock = "night"};
    assert_int_equal(firn_timer_start(world, &timer, &err), 0);
    assert_error(&err, FIRN_NOT_FOUND, "night");
    timer = (firn_timer_desc){.provider = "door", .step = "ring", .entity = dead};
    assert_int_equal(firn_timer_start(world, &timer, &err), 0);
    assert_int_equal(err.code, FIRN_NOT_FOUND);
    timer = (firn_timer_desc){.provider = "door"};
    assert_int_equal(firn_timer_start(world, &timer, &err), 0);
    assert_error(&err, FIRN_INVALID, "step");
    timer = (firn_timer_desc){.step = "ring"};
    assert_int_equal(firn_timer_start(world, &timer, &err), 0);
    assert_error(&err, FIRN_INVALID, "provider");
    timer = (firn_timer_desc){.provider = "door", .step = "ring", .reserved = {0, 1}};
    assert_int_equal(firn_timer_start(world, &timer, &err), 0);
    assert_error(&err, FIRN_INVALID, "firn_timer_desc");
    assert_int_equal(firn_timer_start(world, NULL, &err), 0);
    assert_error(&err, FIRN_INVALID, "desc");

    firn_wait_desc wait = {.provider = "door", .step = "ring", .event = ""};
    assert_int_equal(firn_wait_start(world, &wait, &err), 0);
    assert_int_equal(err.code, FIRN_INVALID);
    wait = (firn_wait_desc){.provider = "door", .step = "ring", .entity = dead};
    assert_int_equal(firn_wait_start(world, &wait, &err), 0);
    assert_int_equal(err.code, FIRN_NOT_FOUND);
    wait = (firn_wait_desc){.provider = "door", .step = "ring", .clock = "night", .delay = 1};
    assert_int_equal(firn_wait_start(world, &wait, &err), 0);
    assert_error(&err, FIRN_NOT_FOUND, "night");
    wait = (firn_wait_desc){.provider = "door"};
    assert_int_equal(firn_wait_start(world, &wait, &err), 0);
    assert_error(&err, FIRN_INVALID, "step");
    wait = (firn_wait_desc){.provider = "door", .step = "ring", .reserved = {0, 1}};
    assert_int_equal(firn_wait_start(world, &wait, &err), 0);
    assert_error(&err, FIRN_INVALID, "firn_wait_desc");
    assert_int_equal(firn_wait_start(world, NULL, &err), 0);
    assert_error(&err, FIRN_INVALID, "desc");
    assert_entry(world, "tecs.sequence", NULL);
    script_game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K4_an_event_reaches_the_listeners_at_its_tick),
        cmocka_unit_test(K4_a_payload_is_any_value_and_a_copy),
        cmocka_unit_test(an_event_at_an_entity_ends_with_it),
        cmocka_unit_test(a_payload_that_no_save_can_hold_is_refused),
        cmocka_unit_test(an_event_hears_no_listener_that_comes_during_it),
        cmocka_unit_test(K4_a_timer_runs_once_or_again_and_again),
        cmocka_unit_test(a_timer_that_missed_calls_makes_one),
        cmocka_unit_test(a_time_between_two_ticks_is_that_of_the_second),
        cmocka_unit_test(a_timer_is_ended),
        cmocka_unit_test(K4_a_timer_with_a_negative_period_is_refused),
        cmocka_unit_test(K4_an_entity_waits_for_a_tick_and_continues_at_a_step),
        cmocka_unit_test(K4_an_entity_waits_for_an_event_and_continues_at_a_step),
        cmocka_unit_test(an_event_at_an_entity_wakes_who_belongs_to_it_or_to_none),
        cmocka_unit_test(a_wait_for_an_event_may_have_an_end),
        cmocka_unit_test(items_are_listed_in_the_order_of_their_numbers),
        cmocka_unit_test(an_item_is_read),
        cmocka_unit_test(a_provider_has_a_name_and_steps_of_different_names),
        cmocka_unit_test(the_providers_are_counted),
        cmocka_unit_test(T23_an_unknown_provider_or_step_is_named),
        cmocka_unit_test(bad_events_timers_and_waits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
