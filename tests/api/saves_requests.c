// Requests: saves and loads at the end of a tick, and the events that tell of them.
#include "api/slots_game.h"

#include <math.h>
#include <string.h>

static void K7_a_requested_save_is_done_at_the_end_of_the_tick_and_told(void **state)
{
    slots_game *game = *state;
    slots_game_set_score(game, 1);
    slots_game_request(game, "a");
    assert_false(firn_saves_has(game->saves, "a"));
    slots_game_set_score(game, 2);
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "a", FIRN_OK);
    assert_true(slots_game_saved_score(game, "a") == 2);
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 0);
}

static void K7_a_requested_load_is_done_at_the_end_of_the_tick_and_told_on_the_next(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "a", 1);
    slots_game_set_score(game, 2);
    slots_game_request_load(game, "a");
    assert_true(slots_game_score(game) == 2);
    slots_game_tick(game);
    assert_true(slots_game_score(game) == 1);
    assert_int_equal(game->heard_count, 0);
    slots_game_tick(game);
    slots_game_assert_heard(game, "loaded", "a", FIRN_OK);
}

static void K7_tell_tells_of_a_load_before_the_end_of_the_next_tick(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_write(game, "a", 1);
    slots_game_request_load(game, "a");
    slots_game_tick(game);
    assert_ok(firn_saves_tell(game->saves, &err), &err);
    slots_game_assert_heard(game, "loaded", "a", FIRN_OK);
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 0);
    assert_int_equal(firn_saves_tell(NULL, &err), FIRN_INVALID);
}

static void K7_a_load_request_for_an_empty_slot_says_so_at_once(void **state)
{
    slots_game *game = *state;
    firn_error err;
    assert_int_equal(firn_saves_request_load(game->saves, "a", &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "a");
    slots_game_tick(game);
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 0);
}

// ---- several requests of one tick

static void K7_requests_for_one_slot_are_one_with_the_last_options(void **state)
{
    slots_game *game = *state;
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *meta = firn_value_table(doc, &err);
    firn_table_set_text(doc, meta, "title", firn_value_text(doc, "last", &err), &err);
    const firn_section section = {"mine", "bytes", 5};
    const firn_saves_write_options options = {
        .meta = meta, .sections = &section, .section_count = 1};
    slots_game_request(game, "a");
    slots_game_request(game, "b");
    assert_ok(firn_saves_request_save(game->saves, "a", &options, &err), &err);
    firn_doc_destroy(doc); // what was given is copied
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 2);
    assert_string_equal(game->heard[0].slot, "a");
    assert_string_equal(game->heard[1].slot, "b");
    assert_int_equal(game->puts, 2);

    firn_buffer bytes = slots_game_bytes(game, "a", FIRN_CURRENT);
    firn_save_file *file = firn_save_file_open(bytes.data, bytes.size, NULL, &err);
    const firn_value *saved = firn_save_file_header(file)->meta;
    assert_string_equal(firn_table_get_text(saved, "title")->as.string, "last");
    const void *mine;
    size_t size;
    assert_ok(firn_save_file_section(file, "mine", &mine, &size, &err), &err);
    assert_int_equal(size, 5);
    assert_memory_equal(mine, "bytes", 5);
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
}

static void K7_the_last_of_several_requests_for_one_slot_may_be_the_last_of_all(void **state)
{
    slots_game *game = *state;
    slots_game_request(game, "a");
    slots_game_request(game, "b");
    slots_game_request(game, "b");
    slots_game_request(game, "c");
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 3);
    assert_string_equal(game->heard[0].slot, "a");
    assert_string_equal(game->heard[1].slot, "b");
    assert_string_equal(game->heard[2].slot, "c");
}

static void K7_saves_of_a_tick_come_before_its_load(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "a", 1);
    slots_game_set_score(game, 2);
    slots_game_request_load(game, "a");
    slots_game_request(game, "a");
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "a", FIRN_OK);
    assert_true(game->heard[0].score == 2);
    assert_true(slots_game_score(game) == 2); // what was just saved
    slots_game_tick(game);
    slots_game_assert_heard(game, "loaded", "a", FIRN_OK);
}

static void K7_a_slot_that_a_save_is_requested_for_can_be_loaded_in_the_same_tick(void **state)
{
    slots_game *game = *state;
    slots_game_set_score(game, 5);
    slots_game_request(game, "new");
    slots_game_request_load(game, "new");
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "new", FIRN_OK);
    slots_game_tick(game);
    slots_game_assert_heard(game, "loaded", "new", FIRN_OK);
}

static void K7_of_several_loads_of_a_tick_the_last_one_holds(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "a", 1);
    slots_game_write(game, "b", 2);
    slots_game_set_score(game, 3);
    slots_game_request_load(game, "a");
    slots_game_request_load(game, "b");
    slots_game_tick(game);
    assert_true(slots_game_score(game) == 2);
    slots_game_tick(game);
    slots_game_assert_heard(game, "loaded", "b", FIRN_OK);
}

// ---- failures

static void K7_a_save_that_fails_is_told_with_the_reason_and_changes_nothing(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "a", 1);
    game->put_fails = FIRN_IO;
    slots_game_set_score(game, 2);
    slots_game_request(game, "a");
    slots_game_tick(game);
    slots_game_assert_heard(game, "save_failed", "a", FIRN_IO);
    assert_true(slots_game_saved_score(game, "a") == 1);
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 0);
}

static void a_save_that_may_not_survive_a_power_loss_is_saved_and_says_so(void **state)
{
    slots_game *game = *state;
    game->put_fails = FIRN_NOT_DURABLE;
    slots_game_request(game, "a");
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "a", FIRN_NOT_DURABLE);
}

static void K10_a_slot_too_many_is_told_at_the_end_of_the_tick(void **state)
{
    slots_game *game = *state;
    firn_saves_close(game->saves);
    game->desc.max_slots = 1;
    slots_game_open(game);
    slots_game_write(game, "a", 1);
    slots_game_request(game, "b");
    slots_game_tick(game);
    slots_game_assert_heard(game, "save_failed", "b", FIRN_LIMIT);
    slots_game_request(game, "autosave");
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "autosave", FIRN_OK);
}

static void K13_a_requested_save_spares_a_save_of_a_newer_game_unless_it_is_forced(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_put_header(game, "a", "test.slots", 3);
    slots_game_request(game, "a");
    slots_game_tick(game);
    slots_game_assert_heard(game, "save_failed", "a", FIRN_NEWER);
    const firn_saves_write_options force = {.force = true};
    assert_ok(firn_saves_request_save(game->saves, "a", &force, &err), &err);
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "a", FIRN_OK);
}

static void K7_a_load_that_fails_is_told_and_changes_nothing(void **state)
{
    slots_game *game = *state;
    slots_game_put_header(game, "a", "test.more", 1);
    slots_game_set_score(game, 2);
    slots_game_request_load(game, "a");
    slots_game_tick(game);
    assert_true(slots_game_score(game) == 2);
    slots_game_tick(game);
    slots_game_assert_heard(game, "loaded", "a", FIRN_OTHER_GAME);
}

static void K7_a_load_of_a_slot_whose_save_failed_is_told(void **state)
{
    slots_game *game = *state;
    game->put_fails = FIRN_IO;
    slots_game_request(game, "a");
    slots_game_request_load(game, "a");
    slots_game_tick(game);
    slots_game_assert_heard(game, "save_failed", "a", FIRN_IO);
    slots_game_tick(game);
    slots_game_assert_heard(game, "loaded", "a", FIRN_NOT_FOUND);
}

static void a_slot_that_cannot_be_read_is_not_empty(void **state)
{
    slots_game *game = *state;
    firn_error err;
    game->head_fails = FIRN_IO;
    slots_game_request_load(game, "a");
    game->head_fails = FIRN_NO_MEMORY;
    assert_int_equal(firn_saves_request_load(game->saves, "a", &err), FIRN_NO_MEMORY);
}

static void a_wrong_request_is_refused_at_once(void **state)
{
    slots_game *game = *state;
    firn_error err;
    const firn_value number = {.kind = FIRN_VALUE_NUMBER};
    const firn_saves_write_options bad_meta = {.meta = &number};
    const firn_section sections[][2] = {
        {{"snapshot", "x", 1}}, {{"Map", "x", 1}}, {{"a", "x", 1}, {"a", "y", 1}}};
    assert_int_equal(firn_saves_request_save(game->saves, "A", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "A");
    assert_int_equal(firn_saves_request_load(game->saves, "A", &err), FIRN_INVALID);
    assert_int_equal(firn_saves_request_save(game->saves, "a", &bad_meta, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "meta");
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t count = sections[i][1].name != NULL ? 2 : 1;
        const firn_saves_write_options bad = {.sections = sections[i], .section_count = count};
        assert_int_equal(firn_saves_request_save(game->saves, "a", &bad, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, sections[i][0].name);
    }
    assert_int_equal(firn_saves_request_save(NULL, "a", NULL, &err), FIRN_INVALID);
    assert_int_equal(firn_saves_request_load(NULL, "a", &err), FIRN_INVALID);

    // Too deep to be kept.
    firn_limits limits = {.depth = 1};
    firn_saves_close(game->saves);
    game->desc.limits = &limits;
    slots_game_open(game);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *meta = firn_value_table(doc, &err);
    firn_table_set_text(doc, meta, "deep", firn_value_table(doc, &err), &err);
    const firn_saves_write_options deep = {.meta = meta};
    assert_int_equal(firn_saves_request_save(game->saves, "a", &deep, &err), FIRN_LIMIT);
    firn_doc_destroy(doc);

    slots_game_tick(game);
    assert_int_equal(game->heard_count, 0);
    firn_saves_close(game->saves);
    game->desc.storage = NULL;
    slots_game_open(game);
    assert_int_equal(firn_saves_request_save(game->saves, "a", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "storage");
    assert_int_equal(firn_saves_request_load(game->saves, "a", &err), FIRN_INVALID);
}

// ---- the tick

static void a_tick_takes_a_time(void **state)
{
    slots_game *game = *state;
    firn_error err;
    assert_int_equal(firn_saves_end_tick(game->saves, -1, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "seconds");
    assert_int_equal(firn_saves_end_tick(game->saves, (double)NAN, &err), FIRN_INVALID);
    assert_int_equal(firn_saves_end_tick(game->saves, (double)INFINITY, &err), FIRN_INVALID);
    assert_int_equal(firn_saves_end_tick(NULL, 1, &err), FIRN_INVALID);
    assert_ok(firn_saves_end_tick(game->saves, 0.25, &err), &err);
    assert_ok(firn_saves_end_tick(game->saves, 0, &err), &err);
    assert_ok(firn_saves_end_tick(game->saves, 1.5, &err), &err);
    assert_true(firn_saves_play_time(game->saves) == 1.75);
}

static void K6_play_time_goes_on_in_the_line_of_saves(void **state)
{
    slots_game *game = *state;
    slots_game_tick(game);
    slots_game_tick(game);
    slots_game_write(game, "a", 1);
    slots_game_tick(game);
    assert_true(firn_saves_play_time(game->saves) == 3);
    slots_game_request_load(game, "a");
    slots_game_tick(game);
    assert_true(firn_saves_play_time(game->saves) == 2);
    slots_game_tick(game);
    assert_true(firn_saves_play_time(game->saves) == 3);
}

typedef struct step_test {
    slots_game *game;
    firn_result save, load, end;
} step_test;

static firn_result ask_in_step(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)world, (void)dt, (void)err;
    step_test *test = user;
    firn_error why;
    test->save = firn_saves_write(test->game->saves, "direct", NULL, &why);
    assert_non_null(strstr(why.message, "firn_saves_request_save"));
    test->load = firn_saves_read(test->game->saves, "a", NULL, &why);
    assert_non_null(strstr(why.message, "firn_saves_request_load"));
    test->end = firn_saves_end_tick(test->game->saves, 1, &why);
    slots_game_request(test->game, "b");
    slots_game_set_score(test->game, 7); // behind the request
    return FIRN_OK;
}

static void S5_K7_a_save_asked_for_inside_a_step_is_taken_at_its_end(void **state)
{
    slots_game *game = *state;
    firn_error err;
    step_test test = {.game = game};
    slots_game_write(game, "a", 1);
    const firn_system_desc system = {.name = "asks", .run = ask_in_step, .user = &test};
    assert_true(firn_system_add(game->world, &system, &err) != 0);
    assert_ok(firn_world_step(game->world, 0.1, &err), &err);
    assert_int_equal(test.save, FIRN_BUSY);
    assert_int_equal(test.load, FIRN_BUSY);
    assert_int_equal(test.end, FIRN_BUSY);
    assert_false(firn_saves_has(game->saves, "b"));
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "b", FIRN_OK);
    assert_true(slots_game_saved_score(game, "b") == 7);
}

static void the_end_of_a_tick_waits_for_loops_to_end(void **state)
{
    slots_game *game = *state;
    firn_error err;
    const firn_term term = {.component = game->score};
    const firn_query_desc desc = {.terms = &term, .term_count = 1};
    firn_query query = firn_query_create(game->world, &desc, &err);
    firn_iter it;
    slots_game_request(game, "a");
    firn_iter_begin(game->world, query, &it);
    assert_int_equal(firn_saves_end_tick(game->saves, 1, &err), FIRN_BUSY);
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_true(firn_saves_play_time(game->saves) == 0);
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "a", FIRN_OK);
}

// ---- observers

static void save_again(slots_game *game, const char *kind)
{
    (void)kind;
    if (game->heard_count < 3) {
        slots_game_request(game, "again");
    }
}

static void K7_what_an_observer_asks_for_is_done_at_the_next_end(void **state)
{
    slots_game *game = *state;
    game->on_event = save_again;
    slots_game_request(game, "a");
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 1);
    assert_false(firn_saves_has(game->saves, "again"));
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 2);
    assert_string_equal(game->heard[1].slot, "again");
}

static void save_and_load_again(slots_game *game, const char *kind)
{
    if (strcmp(kind, "loaded") == 0 && game->heard_count == 1) {
        slots_game_request(game, "a"); // one for a is about to be done in this end
        slots_game_request_load(game, "a");
        slots_game_set_score(game, 9);
    }
}

static void K7_what_an_observer_of_a_load_asks_for_waits_as_well(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "a", 1);
    game->on_event = save_and_load_again;
    slots_game_request_load(game, "a");
    slots_game_tick(game);
    slots_game_request(game, "a");
    slots_game_tick(game);
    // Loaded was told; the save from before it is done, those of its observer wait.
    assert_int_equal(game->heard_count, 2);
    assert_string_equal(game->heard[0].kind, "loaded");
    assert_string_equal(game->heard[1].kind, "saved");
    assert_int_equal(game->puts, 2);
    slots_game_tick(game);
    assert_int_equal(game->puts, 3);
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 4);
    assert_string_equal(game->heard[3].kind, "loaded");
}

static void what_an_observer_returns_is_returned_and_all_is_done(void **state)
{
    slots_game *game = *state;
    firn_error err;
    game->observer_result = FIRN_REFUSED;
    slots_game_request(game, "a");
    slots_game_request(game, "b");
    slots_game_request_load(game, "a");
    assert_int_equal(firn_saves_end_tick(game->saves, 1, &err), FIRN_REFUSED);
    assert_int_equal(err.code, FIRN_REFUSED);
    assert_int_equal(game->heard_count, 2);
    assert_true(firn_saves_has(game->saves, "b"));
    assert_int_equal(firn_saves_end_tick(game->saves, 1, &err), FIRN_REFUSED);
    assert_int_equal(game->heard_count, 3);
    assert_string_equal(game->heard[2].kind, "loaded");
}

static void end_again(slots_game *game, const char *kind)
{
    (void)kind;
    firn_error err;
    assert_int_equal(firn_saves_end_tick(game->saves, 1, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "saved");
}

static void an_observer_cannot_end_the_tick(void **state)
{
    slots_game *game = *state;
    game->on_event = end_again;
    slots_game_request(game, "a");
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "a", FIRN_OK);
}

static void requests_that_did_not_begin_end_with_the_manager(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "a", 1);
    slots_game_request_load(game, "a");
    slots_game_tick(game); // told never
    slots_game_request(game, "b");
    slots_game_request_load(game, "a");
    firn_saves_close(game->saves);
    game->saves = NULL;
}

static void a_manager_without_its_world_ends_no_tick(void **state)
{
    slots_game *game = *state;
    firn_error err;
    firn_world_destroy(game->world);
    game->world = NULL;
    assert_int_equal(firn_saves_end_tick(game->saves, 1, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_saves_tell(game->saves, &err), FIRN_INVALID);
    assert_int_equal(firn_saves_request_save(game->saves, "a", NULL, &err), FIRN_INVALID);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, slots_game_setup, slots_game_teardown)
    const struct CMUnitTest tests[] = {
        TEST(K7_a_requested_save_is_done_at_the_end_of_the_tick_and_told),
        TEST(K7_a_requested_load_is_done_at_the_end_of_the_tick_and_told_on_the_next),
        TEST(K7_tell_tells_of_a_load_before_the_end_of_the_next_tick),
        TEST(K7_a_load_request_for_an_empty_slot_says_so_at_once),
        TEST(K7_requests_for_one_slot_are_one_with_the_last_options),
        TEST(K7_the_last_of_several_requests_for_one_slot_may_be_the_last_of_all),
        TEST(K7_saves_of_a_tick_come_before_its_load),
        TEST(K7_a_slot_that_a_save_is_requested_for_can_be_loaded_in_the_same_tick),
        TEST(K7_of_several_loads_of_a_tick_the_last_one_holds),
        TEST(K7_a_save_that_fails_is_told_with_the_reason_and_changes_nothing),
        TEST(a_save_that_may_not_survive_a_power_loss_is_saved_and_says_so),
        TEST(K10_a_slot_too_many_is_told_at_the_end_of_the_tick),
        TEST(K13_a_requested_save_spares_a_save_of_a_newer_game_unless_it_is_forced),
        TEST(K7_a_load_that_fails_is_told_and_changes_nothing),
        TEST(K7_a_load_of_a_slot_whose_save_failed_is_told),
        TEST(a_slot_that_cannot_be_read_is_not_empty),
        TEST(a_wrong_request_is_refused_at_once),
        TEST(a_tick_takes_a_time),
        TEST(K6_play_time_goes_on_in_the_line_of_saves),
        TEST(S5_K7_a_save_asked_for_inside_a_step_is_taken_at_its_end),
        TEST(the_end_of_a_tick_waits_for_loops_to_end),
        TEST(K7_what_an_observer_asks_for_is_done_at_the_next_end),
        TEST(K7_what_an_observer_of_a_load_asks_for_waits_as_well),
        TEST(what_an_observer_returns_is_returned_and_all_is_done),
        TEST(an_observer_cannot_end_the_tick),
        TEST(requests_that_did_not_begin_end_with_the_manager),
        TEST(a_manager_without_its_world_ends_no_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
