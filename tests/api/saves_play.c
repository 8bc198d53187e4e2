// Play mode of editors.
#include "api/slots_game.h"

#include <stdlib.h>
#include <string.h>

static int setup_editor(void **state)
{
    slots_game *game = malloc(sizeof *game);
    assert_non_null(game);
    slots_game_make(game);
    game->desc.editor = true;
    slots_game_open(game);
    *state = game;
    return 0;
}

static void begin(slots_game *game)
{
    firn_error err;
    assert_ok(firn_saves_play_begin(game->saves, &err), &err);
}

static void stop(slots_game *game)
{
    firn_error err;
    assert_ok(firn_saves_play_stop(game->saves, &err), &err);
}

static firn_hash hash_of(slots_game *game)
{
    firn_error err;
    firn_hash hash;
    assert_ok(firn_world_hash(firn_saves_world(game->saves), &hash, NULL, NULL, &err), &err);
    return hash;
}

static void assert_same_hash(firn_hash a, firn_hash b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

// What happens in play.
static void play(slots_game *game)
{
    firn_error err;
    const firn_value chapter = {.kind = FIRN_VALUE_NUMBER, .as.number = 3};
    slots_game_set_score(game, 77);
    assert_true(firn_spawn(game->world, &game->score, 1, &err) != 0);
    assert_ok(firn_saves_set_variable(game->saves, "chapter", &chapter, &err), &err);
    slots_game_tick(game);
}

static void K17_saves_and_loads_are_refused_outside_of_play(void **state)
{
    slots_game *game = *state;
    firn_error err;
    firn_buffer bytes;
    firn_buffer_init(&bytes, NULL);
    assert_false(firn_saves_playing(game->saves));
    slots_game_put_header(game, "a", "test.slots", 2);
    assert_int_equal(firn_saves_write(game->saves, "b", NULL, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "play");
    assert_int_equal(firn_saves_make(game->saves, NULL, &bytes, &err), FIRN_BUSY);
    assert_int_equal(firn_saves_read(game->saves, "a", NULL, &err), FIRN_BUSY);
    assert_int_equal(firn_saves_take(game->saves, "x", 1, NULL, &err), FIRN_BUSY);
    assert_int_equal(firn_saves_request_save(game->saves, "b", NULL, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "play");
    assert_int_equal(firn_saves_request_load(game->saves, "a", &err), FIRN_BUSY);
    assert_int_equal(game->puts, 0);
    firn_buffer_free(&bytes);
}

static void K17_lists_copies_and_removals_work_outside_of_play(void **state)
{
    slots_game *game = *state;
    firn_error err;
    firn_slot_list list;
    slots_game_put_header(game, "a", "test.slots", 2);
    assert_true(firn_saves_has(game->saves, "a"));
    assert_ok(firn_saves_list(game->saves, &list, &err), &err);
    assert_int_equal(list.count, 1);
    firn_slot_list_free(&list);
    assert_ok(firn_saves_copy(game->saves, "a", "b", false, &err), &err);
    assert_ok(firn_saves_rename(game->saves, "b", "c", false, &err), &err);
    assert_ok(firn_saves_remove(game->saves, "a", &err), &err);
    assert_false(firn_saves_has(game->saves, "a"));
}

static void K17_stopping_brings_the_edited_world_back_exactly(void **state)
{
    slots_game *game = *state;
    slots_game_set_score(game, 5);
    firn_hash edited = hash_of(game);
    begin(game);
    assert_true(firn_saves_playing(game->saves));
    play(game);
    stop(game);
    assert_false(firn_saves_playing(game->saves));
    assert_same_hash(hash_of(game), edited);
    assert_true(slots_game_score(game) == 5);

    begin(game); // and again
    play(game);
    stop(game);
    assert_same_hash(hash_of(game), edited);
}

static void K17_stopping_clears_variables_requests_and_play_time(void **state)
{
    slots_game *game = *state;
    firn_error err;
    begin(game);
    play(game);
    slots_game_write(game, "a", 1);
    slots_game_request_load(game, "a");
    slots_game_tick(game); // the load waits to be told
    slots_game_request_load(game, "a");
    assert_ok(firn_saves_request_save(game->saves, "b", NULL, &err), &err);
    assert_true(firn_saves_play_time(game->saves) > 0);
    stop(game);
    assert_true(firn_saves_play_time(game->saves) == 0);
    assert_null(firn_saves_variable(game->saves, "chapter"));
    slots_game_tick(game);
    begin(game);
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 0);
    assert_false(firn_saves_has(game->saves, "b"));
    slots_game_write(game, "c", 1); // begins a line of its own
    firn_slot_list list;
    assert_ok(firn_saves_list(game->saves, &list, &err), &err);
    assert_string_equal(list.slots[0].name, "c");
    assert_int_equal(list.slots[0].header->revision, 1);
    firn_slot_list_free(&list);
}

static void K17_outside_of_play_no_time_passes(void **state)
{
    slots_game *game = *state;
    firn_saves_close(game->saves);
    game->desc.autosave_seconds = 2;
    slots_game_open(game);
    for (int i = 0; i < 5; i++) {
        slots_game_tick(game);
    }
    assert_true(firn_saves_play_time(game->saves) == 0);
    begin(game);
    slots_game_tick(game);
    assert_int_equal(game->puts, 0);
    slots_game_tick(game);
    assert_int_equal(game->puts, 1);
    assert_string_equal(slots_game_heard(game).slot, "autosave");
}

static void K17_a_background_save_is_done_before_play_stops(void **state)
{
    slots_game *game = *state;
    firn_error err;
    firn_saves_close(game->saves);
    game->desc.background = true;
    slots_game_open(game);
    begin(game);
    slots_game_set_score(game, 6);
    assert_ok(firn_saves_request_save(game->saves, "a", NULL, &err), &err);
    slots_game_tick(game);
    stop(game);
    assert_false(firn_saves_writing(game->saves));
    slots_game_tick(game); // outside of play it is told as well
    assert_string_equal(slots_game_heard(game).kind, "saved");
    assert_true(slots_game_saved_score(game, "a") == 6);
}

static void K17_play_begins_and_stops_once_in_an_editor(void **state)
{
    slots_game *game = *state;
    firn_error err;
    assert_int_equal(firn_saves_play_stop(game->saves, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "play");
    begin(game);
    assert_int_equal(firn_saves_play_begin(game->saves, &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "play");
    assert_int_equal(firn_saves_play_begin(NULL, &err), FIRN_INVALID);
    assert_int_equal(firn_saves_play_stop(NULL, &err), FIRN_INVALID);
    assert_false(firn_saves_playing(NULL));

    firn_saves_close(game->saves);
    game->desc.editor = false;
    slots_game_open(game);
    assert_true(firn_saves_playing(game->saves));
    assert_int_equal(firn_saves_play_begin(game->saves, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "editor");
    assert_int_equal(firn_saves_play_stop(game->saves, &err), FIRN_INVALID);
}

static firn_result switch_in_step(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)world, (void)dt, (void)err;
    slots_game *game = user;
    firn_error why;
    firn_result result = firn_saves_playing(game->saves) ? firn_saves_play_stop(game->saves, &why)
                                                         : firn_saves_play_begin(game->saves, &why);
    assert_int_equal(result, FIRN_BUSY);
    game->heard_count++;
    return FIRN_OK;
}

static void K17_play_begins_and_stops_between_steps(void **state)
{
    slots_game *game = *state;
    firn_error err;
    const firn_system_desc system = {.name = "switches", .run = switch_in_step, .user = game};
    assert_true(firn_system_add(game->world, &system, &err) != 0);
    assert_ok(firn_world_step(game->world, 0.1, &err), &err);
    begin(game);
    assert_ok(firn_world_step(game->world, 0.1, &err), &err);
    assert_int_equal(game->heard_count, 2);
}

// ---- failures

static firn_result refuse_load(void *user, firn_world *world, const firn_event *event,
                               firn_error *err)
{
    (void)user, (void)world, (void)event, (void)err;
    return FIRN_REFUSED;
}

static void K17_a_stop_that_fails_lets_play_go_on(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_set_score(game, 5);
    firn_hash edited = hash_of(game);
    begin(game);
    play(game);
    firn_hash played = hash_of(game);
    const firn_observer_desc refuses = {.event = "FinishSnapshotLoad", .observe = refuse_load};
    firn_observer observer = firn_observe(game->world, &refuses, &err);
    assert_int_equal(firn_saves_play_stop(game->saves, &err), FIRN_REFUSED);
    assert_true(firn_saves_playing(game->saves));
    assert_same_hash(hash_of(game), played);
    assert_non_null(firn_saves_variable(game->saves, "chapter"));
    assert_true(firn_saves_play_time(game->saves) == 1);
    assert_ok(firn_unobserve(game->world, observer, &err), &err);
    stop(game);
    assert_same_hash(hash_of(game), edited);
}

static void K17_a_begin_that_fails_is_no_play(void **state)
{
    slots_game *game = *state;
    firn_error err;
    const firn_observer_desc refuses = {.event = "OnSnapshotSave", .observe = refuse_load};
    assert_true(firn_observe(game->world, &refuses, &err) != 0);
    assert_int_equal(firn_saves_play_begin(game->saves, &err), FIRN_REFUSED);
    assert_false(firn_saves_playing(game->saves));
}

// ---- levels

typedef struct level_test {
    slots_game *game;
    const char *now;
    int entered;
} level_test;

static const char *current_level(void *user, firn_world *world)
{
    (void)world;
    return ((level_test *)user)->now;
}

static firn_result enter_level(void *user, const char *level, bool for_restore, firn_world **world,
                               firn_error *err)
{
    (void)err;
    level_test *test = user;
    assert_true(for_restore);
    test->entered++;
    test->now = strcmp(level, "cave") == 0 ? "cave" : "hut";
    *world = test->game->world;
    return FIRN_OK;
}

static void open_with_levels(slots_game *game, level_test *test)
{
    firn_saves_close(game->saves);
    const firn_levels levels = {current_level, enter_level, test};
    game->desc.levels = &levels;
    slots_game_open(game);
    game->desc.levels = NULL;
}

static void K17_stopping_in_the_edited_level_enters_none(void **state)
{
    slots_game *game = *state;
    level_test test = {.game = game, .now = "hut"};
    open_with_levels(game, &test);
    firn_hash edited = hash_of(game);
    begin(game);
    play(game);
    stop(game);
    assert_int_equal(test.entered, 0);
    assert_same_hash(hash_of(game), edited);
}

static void K17_stopping_in_another_level_enters_the_edited_one(void **state)
{
    slots_game *game = *state;
    level_test test = {.game = game, .now = "hut"};
    open_with_levels(game, &test);
    firn_hash edited = hash_of(game);
    begin(game);
    play(game);
    test.now = "cave";
    stop(game);
    assert_int_equal(test.entered, 1);
    assert_string_equal(test.now, "hut");
    assert_same_hash(hash_of(game), edited);
    // Loads enter levels as before.
    begin(game);
    slots_game_write(game, "a", 1);
    firn_error err;
    assert_ok(firn_saves_read(game->saves, "a", NULL, &err), &err);
    assert_int_equal(test.entered, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_editor, slots_game_teardown)
    const struct CMUnitTest tests[] = {
        TEST(K17_saves_and_loads_are_refused_outside_of_play),
        TEST(K17_lists_copies_and_removals_work_outside_of_play),
        TEST(K17_stopping_brings_the_edited_world_back_exactly),
        TEST(K17_stopping_clears_variables_requests_and_play_time),
        TEST(K17_outside_of_play_no_time_passes),
        TEST(K17_a_background_save_is_done_before_play_stops),
        TEST(K17_play_begins_and_stops_once_in_an_editor),
        TEST(K17_play_begins_and_stops_between_steps),
        TEST(K17_a_stop_that_fails_lets_play_go_on),
        TEST(K17_a_begin_that_fails_is_no_play),
        TEST(K17_stopping_in_the_edited_level_enters_none),
        TEST(K17_stopping_in_another_level_enters_the_edited_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
