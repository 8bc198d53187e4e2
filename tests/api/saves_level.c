// Loads that enter a level: their order, and the way back from a failure at each step.
#include "api/saves_game.h"

#include <stdio.h>
#include <string.h>

static saves_game game;

static int make_game(void **state)
{
    saves_game_make(&game);
    game.desc.levels = &game.levels;
    return saves_game_begin(&game, state);
}

// A save of the level "cave"; the game is then at "start" with another world and other variables.
static firn_buffer save_of_cave(void)
{
    snprintf(game.level, sizeof game.level, "cave");
    saves_game_set(&game, "chapter", 2);
    firn_buffer bytes = saves_game_file(&game);
    snprintf(game.level, sizeof game.level, "start");
    saves_game_set(&game, "chapter", 1);
    zoo_litter(&game.z);
    return bytes;
}

static void assert_goes_back(const firn_buffer *bytes, firn_result result, const char *message)
{
    firn_error err;
    saves_game_state before = saves_game_look(&game);
    firn_saves_loaded loaded;
    assert_int_equal(firn_saves_take(game.saves, bytes->data, bytes->size, &loaded, &err), result);
    assert_error(&err, result, "");
    assert_non_null(strstr(err.message, message));
    assert_true(loaded.went_back);
    assert_false(loaded.report.committed);
    assert_ptr_equal(loaded.world, before.world);
    assert_string_equal(firn_save_file_header(loaded.envelope)->level, "cave");
    firn_saves_loaded_free(&loaded);
    assert_unchanged(&game, &before);
    assert_string_equal(game.trace, "enter cave; enter start; ");
    // Nothing is left over: the next load works.
    game.fail_enter = 0;
    assert_ok(firn_world_set_tick(game.z.world, 1, &err), &err);
    firn_buffer now = saves_game_file(&game);
    assert_ok(firn_saves_take(game.saves, now.data, now.size, NULL, &err), &err);
    firn_buffer_free(&now);
}

// ---------------------------------------------------------------- the order

static void S3_a_load_enters_the_level_and_restores_into_it(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_save(game.z.world), bytes = save_of_cave();
    firn_saves_loaded loaded;
    assert_ok(firn_saves_take(game.saves, bytes.data, bytes.size, &loaded, &err), &err);
    assert_string_equal(game.trace, "enter cave; ");
    assert_string_equal(game.level, "cave");
    assert_saves_as(game.z.world, &image);
    assert_true(saves_game_get(&game, "chapter") == 2);
    assert_ptr_equal(loaded.world, game.z.world);
    assert_false(loaded.went_back);
    firn_saves_loaded_free(&loaded);
    firn_buffer_free(&bytes);
    firn_buffer_free(&image);
}

static void S3_the_manager_binds_to_the_world_that_the_level_brings(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_save(game.z.world), bytes = save_of_cave();
    firn_world *old = game.z.world, *next = zoo_make(&game.memory, true).world;
    game.next_world = next;
    firn_saves_loaded loaded;
    assert_ok(firn_saves_take(game.saves, bytes.data, bytes.size, &loaded, &err), &err);
    assert_ptr_equal(loaded.world, next);
    assert_ptr_equal(firn_saves_world(game.saves), next);
    assert_saves_as(next, &image);
    assert_int_not_equal(firn_event_find(next, "saved"), 0);
    assert_int_not_equal(firn_event_find(next, "loaded"), 0);
    // The old one is free: it may have a manager of its own, or end.
    firn_saves *other = firn_saves_open(old, &game.desc, &err);
    assert_non_null(other);
    firn_saves_close(other);
    assert_null(firn_saves_open(next, &game.desc, &err));
    assert_error(&err, FIRN_EXISTS, "");
    firn_world_destroy(old);
    game.next_world = NULL;
    game.z.world = next;
    firn_buffer again = saves_game_file(&game);
    firn_buffer_free(&again);
    firn_saves_loaded_free(&loaded);
    firn_buffer_free(&bytes);
    firn_buffer_free(&image);
}

static uint32_t created;

static void count_created(void *user, const firn_rows *rows)
{
    (void)user;
    created += rows->count;
}

static void S3_a_restore_runs_no_create_hooks(void **state)
{
    (void)state;
    firn_error err;
    const firn_component_desc desc = {.name = "zoo.Made",
                                      .kind = FIRN_STRUCT,
                                      .size = sizeof(zoo_point),
                                      .fields = zoo_point_fields,
                                      .field_count = 2,
                                      .hooks = {.init = count_created}};
    created = 0;
    firn_component made = zoo_register(game.z.world, &desc);
    zoo_spawn_one(game.z.world, made);
    assert_int_equal(created, 1);
    firn_buffer bytes = save_of_cave();
    assert_ok(firn_saves_take(game.saves, bytes.data, bytes.size, NULL, &err), &err);
    assert_int_equal(created, 1);
    firn_buffer_free(&bytes);
}

static void levels_without_a_current_have_no_name(void **state)
{
    (void)state;
    firn_error err;
    firn_levels enter_only = {.enter = game.levels.enter, .user = &game};
    game.desc.levels = &enter_only;
    saves_game_open_again(&game);
    firn_buffer bytes = saves_game_file(&game);
    assert_ok(firn_saves_take(game.saves, bytes.data, bytes.size, NULL, &err), &err);
    assert_string_equal(game.trace, "enter ; ");
    firn_buffer_free(&bytes);
}

// ---------------------------------------------------------------- failures

static const char *save_in_current(void *user, firn_world *world)
{
    (void)user, (void)world;
    firn_error err;
    firn_buffer bytes = {0};
    assert_int_equal(firn_saves_make(game.saves, NULL, &bytes, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "");
    assert_int_equal(firn_saves_write(game.saves, "a", NULL, &err), FIRN_BUSY);
    assert_int_equal(firn_saves_remove(game.saves, "a", &err), FIRN_BUSY);
    return "start";
}

static void a_call_of_the_manager_inside_of_current_is_busy(void **state)
{
    (void)state;
    game.levels.current = save_in_current;
    saves_game_open_again(&game);
    firn_buffer bytes = saves_game_file(&game);
    firn_buffer_free(&bytes);
}

static void an_unknown_level_changes_nothing(void **state)
{
    (void)state;
    firn_error err;
    snprintf(game.level, sizeof game.level, "nowhere");
    firn_buffer bytes = saves_game_file(&game);
    snprintf(game.level, sizeof game.level, "start");
    zoo_litter(&game.z);
    saves_game_state before = saves_game_look(&game);
    firn_saves_loaded loaded;
    assert_int_equal(firn_saves_take(game.saves, bytes.data, bytes.size, &loaded, &err),
                     FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "nowhere");
    assert_non_null(strstr(err.message, "the level \"nowhere\" cannot be entered"));
    assert_false(loaded.went_back);
    firn_saves_loaded_free(&loaded);
    assert_unchanged(&game, &before);
    assert_string_equal(game.trace, "enter nowhere; ");
    firn_buffer_free(&bytes);
}

static void S3_a_level_that_fails_is_left_again(void **state)
{
    (void)state;
    firn_buffer bytes = save_of_cave();
    game.fail_enter = 1;
    assert_goes_back(&bytes, FIRN_IO, "the level cave is closed");
    firn_buffer_free(&bytes);
}

static void S3_a_level_without_a_world_is_left_again(void **state)
{
    (void)state;
    firn_buffer bytes = save_of_cave();
    game.gives_none = 1;
    assert_goes_back(&bytes, FIRN_INVALID, "the level \"cave\" has no world");
    firn_buffer_free(&bytes);
}

static void S3_a_world_that_has_a_manager_is_left_again(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer bytes = save_of_cave();
    zoo other = zoo_make(&game.memory, true);
    firn_saves *taken = firn_saves_open(other.world, &game.desc, &err);
    game.next_world = other.world;
    saves_game_state before = saves_game_look(&game);
    firn_saves_loaded loaded;
    assert_int_equal(firn_saves_take(game.saves, bytes.data, bytes.size, &loaded, &err),
                     FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "");
    assert_true(loaded.went_back);
    firn_saves_loaded_free(&loaded);
    assert_unchanged(&game, &before);
    game.next_world = other.world;
    firn_saves_close(taken);
    firn_buffer_free(&bytes);
}

static void S3_a_world_that_lacks_a_component_is_left_again(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer bytes = save_of_cave();
    saves_game_state before = saves_game_look(&game);
    game.next_world = zoo_empty(&game.memory);
    firn_saves_loaded loaded;
    assert_int_equal(firn_saves_take(game.saves, bytes.data, bytes.size, &loaded, &err),
                     FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "zoo.");
    assert_true(loaded.went_back);
    assert_ptr_equal(loaded.world, game.z.world);
    firn_saves_loaded_free(&loaded);
    assert_unchanged(&game, &before);
    assert_string_equal(game.trace, "enter cave; enter start; ");
    firn_buffer_free(&bytes);
}

// ---- handlers

typedef struct failing {
    int checks, loads;
    int fail_check; // the call that fails, from 1
    int fail_load;
    int fail_finish;
    int finishes;
    bool for_ever;
} failing;

static firn_result at(int *calls, int fails, bool for_ever, const char *what, firn_error *err)
{
    ++*calls;
    if (fails == 0 || *calls < fails || (*calls > fails && !for_ever))
        return FIRN_OK;
    snprintf(err->message, sizeof err->message, "%s refused", what);
    return FIRN_REFUSED;
}

static firn_result save_one(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)user, (void)world, (void)err;
    firn_write_number(out, 1);
    return FIRN_OK;
}

static firn_result check_one(void *user, firn_world *world, firn_reader *in, void **prepared,
                             firn_error *err)
{
    failing *f = user;
    (void)world, (void)prepared;
    (void)firn_read_number(in);
    return at(&f->checks, f->fail_check, f->for_ever, "check", err);
}

static firn_result load_one(void *user, firn_world *world, firn_reader *in, firn_error *err)
{
    failing *f = user;
    (void)world;
    (void)firn_read_number(in);
    return at(&f->loads, f->fail_load, f->for_ever, "load", err);
}

static firn_result finish_one(void *user, firn_world *world, const firn_prelude *prelude,
                              firn_error *err)
{
    failing *f = user;
    (void)world, (void)prelude;
    return at(&f->finishes, f->fail_finish, f->for_ever, "finish", err);
}

static void add_failing(failing *f)
{
    firn_error err;
    const firn_handler handler = {.abi = FIRN_ABI,
                                  .name = "failing",
                                  .save = save_one,
                                  .check = check_one,
                                  .load = load_one,
                                  .finish = finish_one,
                                  .user = f};
    assert_ok(firn_handler_add(game.z.world, &handler, &err), &err);
}

static void S3_what_the_check_of_a_handler_refuses_happens_before_the_level(void **state)
{
    (void)state;
    firn_error err;
    failing f = {.fail_check = 1};
    add_failing(&f);
    firn_buffer bytes = save_of_cave();
    saves_game_state before = saves_game_look(&game);
    assert_int_equal(firn_saves_take(game.saves, bytes.data, bytes.size, NULL, &err), FIRN_REFUSED);
    assert_unchanged(&game, &before);
    assert_string_equal(game.trace, "");
    firn_buffer_free(&bytes);
}

static void S3_a_check_that_refuses_behind_the_level_goes_back(void **state)
{
    (void)state;
    failing f = {.fail_check = 2};
    add_failing(&f);
    firn_buffer bytes = save_of_cave();
    assert_goes_back(&bytes, FIRN_REFUSED, "check refused");
    firn_buffer_free(&bytes);
}

static void S3_a_load_of_a_handler_that_fails_goes_back(void **state)
{
    (void)state;
    failing f = {.fail_load = 1};
    add_failing(&f);
    firn_buffer bytes = save_of_cave();
    assert_goes_back(&bytes, FIRN_REFUSED, "load refused");
    firn_buffer_free(&bytes);
}

static void S3_a_finish_of_a_handler_that_fails_goes_back(void **state)
{
    (void)state;
    failing f = {.fail_finish = 1};
    add_failing(&f);
    firn_buffer bytes = save_of_cave();
    assert_goes_back(&bytes, FIRN_REFUSED, "finish refused");
    firn_buffer_free(&bytes);
}

static int observed;

static firn_result fail_once(void *user, firn_world *world, const firn_event *event,
                             firn_error *err)
{
    (void)user, (void)world, (void)event;
    return at(&observed, 1, false, "observer", err);
}

static void add_failing_observer(const char *event)
{
    firn_error err;
    observed = 0;
    const firn_observer_desc desc = {.event = event, .observe = fail_once};
    assert_int_not_equal(firn_observe(game.z.world, &desc, &err), 0);
}

static void S3_an_observer_of_the_load_that_fails_goes_back(void **state)
{
    (void)state;
    firn_buffer bytes = save_of_cave();
    add_failing_observer("FinishSnapshotLoad");
    assert_goes_back(&bytes, FIRN_REFUSED, "observer refused");
    firn_buffer_free(&bytes);
}

static void S3_a_world_that_cannot_be_kept_is_not_left(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer bytes = save_of_cave();
    saves_game_state before = saves_game_look(&game);
    add_failing_observer("OnSnapshotSave");
    assert_int_equal(firn_saves_take(game.saves, bytes.data, bytes.size, NULL, &err), FIRN_REFUSED);
    assert_unchanged(&game, &before);
    assert_string_equal(game.trace, "");
    firn_buffer_free(&bytes);
}

static void S3_both_errors_are_told_when_the_way_back_fails_too(void **state)
{
    (void)state;
    firn_error err;
    failing f = {.fail_load = 1, .for_ever = true};
    add_failing(&f);
    firn_buffer bytes = save_of_cave();
    firn_saves_loaded loaded;
    assert_int_equal(firn_saves_take(game.saves, bytes.data, bytes.size, &loaded, &err),
                     FIRN_REFUSED);
    assert_string_equal(err.message,
                        "handler failing: load refused; going back to the level \"start\" "
                        "failed too: handler failing: load refused");
    assert_false(loaded.went_back);
    firn_saves_loaded_free(&loaded);
    f.fail_load = 0;
    game.fail_enter = game.entered + 1;
    game.fail_enter_for_ever = true;
    assert_int_equal(firn_saves_take(game.saves, bytes.data, bytes.size, &loaded, &err), FIRN_IO);
    assert_string_equal(err.message, "the level cave is closed; going back to the level \"start\" "
                                     "failed too: the level start is closed");
    firn_saves_loaded_free(&loaded);
    firn_buffer_free(&bytes);
}

// ---- without levels

static void S3_without_levels_a_load_that_fails_late_is_taken_back_too(void **state)
{
    (void)state;
    firn_error err;
    game.desc.levels = NULL;
    saves_game_open_again(&game);
    failing f = {.fail_load = 1};
    add_failing(&f);
    firn_buffer bytes = save_of_cave();
    saves_game_state before = saves_game_look(&game);
    firn_saves_loaded loaded;
    assert_int_equal(firn_saves_take(game.saves, bytes.data, bytes.size, &loaded, &err),
                     FIRN_REFUSED);
    assert_true(loaded.went_back);
    firn_saves_loaded_free(&loaded);
    assert_unchanged(&game, &before);
    f.fail_load = 0;
    f.fail_check = f.checks + 1;
    before = saves_game_look(&game);
    assert_int_equal(firn_saves_take(game.saves, bytes.data, bytes.size, &loaded, &err),
                     FIRN_REFUSED);
    assert_false(loaded.went_back);
    firn_saves_loaded_free(&loaded);
    assert_unchanged(&game, &before);
    firn_buffer_free(&bytes);
}

static void what_the_filter_of_saves_leaves_out_comes_back_too(void **state)
{
    (void)state;
    const firn_component excluded[] = {game.z.of[ZOO_BAG]};
    const firn_save_options options = {.exclude = excluded, .exclude_count = 1};
    game.desc.snapshot = &options;
    saves_game_open_again(&game);
    failing f = {.fail_load = 1};
    add_failing(&f);
    firn_buffer bytes = save_of_cave();
    assert_goes_back(&bytes, FIRN_REFUSED, "load refused");
    firn_buffer_free(&bytes);
}

#define GAME_TEST(test) cmocka_unit_test_setup_teardown(test, make_game, saves_game_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        GAME_TEST(S3_a_load_enters_the_level_and_restores_into_it),
        GAME_TEST(S3_the_manager_binds_to_the_world_that_the_level_brings),
        GAME_TEST(S3_a_restore_runs_no_create_hooks),
        GAME_TEST(levels_without_a_current_have_no_name),
        GAME_TEST(a_call_of_the_manager_inside_of_current_is_busy),
        GAME_TEST(an_unknown_level_changes_nothing),
        GAME_TEST(S3_a_level_that_fails_is_left_again),
        GAME_TEST(S3_a_level_without_a_world_is_left_again),
        GAME_TEST(S3_a_world_that_has_a_manager_is_left_again),
        GAME_TEST(S3_a_world_that_lacks_a_component_is_left_again),
        GAME_TEST(S3_what_the_check_of_a_handler_refuses_happens_before_the_level),
        GAME_TEST(S3_a_check_that_refuses_behind_the_level_goes_back),
        GAME_TEST(S3_a_load_of_a_handler_that_fails_goes_back),
        GAME_TEST(S3_a_finish_of_a_handler_that_fails_goes_back),
        GAME_TEST(S3_an_observer_of_the_load_that_fails_goes_back),
        GAME_TEST(S3_a_world_that_cannot_be_kept_is_not_left),
        GAME_TEST(S3_both_errors_are_told_when_the_way_back_fails_too),
        GAME_TEST(S3_without_levels_a_load_that_fails_late_is_taken_back_too),
        GAME_TEST(what_the_filter_of_saves_leaves_out_comes_back_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
