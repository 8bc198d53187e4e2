// Autosaves: when they are due, and which slot of their ring they use.
#include "api/slots_game.h"

static void open_with(slots_game *game, double seconds, uint32_t ring)
{
    game->desc.autosave_seconds = seconds;
    game->desc.autosave_ring = ring;
    slots_game_open_again(game);
}

static void assert_saved(slots_game *game, const char *slot)
{
    slots_game_assert_heard(game, "saved", slot, FIRN_OK);
}

static void assert_failed(slots_game *game, const char *slot, firn_result result)
{
    slots_game_assert_heard(game, "save_failed", slot, result);
}

static void K7_an_autosave_is_done_every_n_seconds_of_play(void **state)
{
    slots_game *game = *state;
    open_with(game, 2.5, 1);
    for (int tick = 1; tick <= 10; tick++) {
        slots_game_tick(game);
        bool due = tick == 3 || tick == 5 || tick == 8 || tick == 10;
        assert_int_equal(game->heard_count, due);
        if (due) {
            assert_saved(game, "autosave");
        }
    }
}

static void K7_autosaves_that_were_missed_are_one(void **state)
{
    slots_game *game = *state;
    firn_error err;
    open_with(game, 2, 1);
    assert_ok(firn_saves_end_tick(game->saves, 100, &err), &err);
    assert_saved(game, "autosave");
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 0);
    slots_game_tick(game);
    assert_saved(game, "autosave");
}

static void K7_an_autosave_comes_before_the_requests_of_its_tick(void **state)
{
    slots_game *game = *state;
    firn_error err;
    open_with(game, 1, 1);
    assert_ok(firn_saves_request_save(game->saves, "a", NULL, &err), &err);
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 2);
    assert_string_equal(game->heard[0].slot, "autosave");
    assert_string_equal(game->heard[1].slot, "a");
}

static void a_load_begins_the_time_to_the_next_autosave_anew(void **state)
{
    slots_game *game = *state;
    firn_error err;
    open_with(game, 3, 1);
    slots_game_write(game, "a", 1);
    slots_game_tick(game);
    slots_game_tick(game);
    slots_game_request_load(game, "a");
    assert_ok(firn_saves_end_tick(game->saves, 0, &err), &err);
    slots_game_tick(game);
    slots_game_tick(game);
    assert_string_equal(slots_game_heard(game).kind, "loaded");
    slots_game_tick(game);
    assert_saved(game, "autosave");
}

static void K10_a_ring_uses_its_slots_by_turns_the_oldest_first(void **state)
{
    slots_game *game = *state;
    static const char *const turns[] = {"autosave",   "autosave-2", "autosave-3", "autosave",
                                        "autosave-2", "autosave-3", "autosave"};
    open_with(game, 1, 3);
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        slots_game_set_score(game, (double)i);
        slots_game_tick(game);
        assert_saved(game, turns[i]);
        assert_true(slots_game_saved_score(game, turns[i]) == (double)i);
    }
}

static void saves_of_one_moment_are_replaced_by_revision(void **state)
{
    slots_game *game = *state;
    firn_error err;
    open_with(game, 1, 2);
    for (int i = 0; i < 4; i++) {
        assert_ok(firn_saves_end_tick(game->saves, 1, &err), &err); // the clock stands
        assert_saved(game, i % 2 == 0 ? "autosave" : "autosave-2");
    }
}

static void a_damaged_slot_of_the_ring_is_replaced_first(void **state)
{
    slots_game *game = *state;
    open_with(game, 1, 3);
    for (int i = 0; i < 3; i++) {
        slots_game_tick(game);
        game->heard_count = 0;
    }
    slots_game_put(game, "autosave-2", "damage", 6);
    slots_game_put(game, "autosave-2", "damage", 6);
    slots_game_tick(game);
    assert_saved(game, "autosave-2");
    slots_game_tick(game);
    assert_saved(game, "autosave");
}

static void K13_an_autosave_spares_saves_of_newer_and_other_games(void **state)
{
    slots_game *game = *state;
    open_with(game, 1, 3);
    slots_game_put_header(game, "autosave", "test.slots", 3);
    slots_game_put_header(game, "autosave-2", "test.more", 1);
    slots_game_tick(game);
    assert_saved(game, "autosave-3");
    slots_game_tick(game);
    assert_saved(game, "autosave-3");

    open_with(game, 1, 2);
    slots_game_tick(game);
    assert_string_equal(game->heard[0].subject, "autosave"); // the first that is spared
    assert_failed(game, "autosave", FIRN_NEWER);
}

static void K10_an_autosave_that_no_slot_takes_tells_of_the_first(void **state)
{
    slots_game *game = *state;
    game->desc.max_slots = 2;
    open_with(game, 1, 3);
    slots_game_put_header(game, "autosave", "test.slots", 3);
    slots_game_write(game, "a", 1);
    slots_game_write(game, "b", 1);
    slots_game_tick(game);
    assert_string_equal(game->heard[0].subject, "autosave-2");
    assert_failed(game, "autosave-2", FIRN_LIMIT);
}

static void S4_an_autosave_spares_what_a_newer_library_wrote(void **state)
{
    slots_game *game = *state;
    open_with(game, 1, 1);
    slots_game_tick(game);
    assert_saved(game, "autosave");
    firn_buffer bytes = slots_game_bytes(game, "autosave", FIRN_CURRENT);
    bytes.data[8] = 9;    // the container's version
    bytes.data[16] ^= 64; // which has another head
    slots_game_put(game, "autosave", bytes.data, bytes.size);
    slots_game_tick(game);
    assert_failed(game, "autosave", FIRN_NEWER);
    firn_buffer_free(&bytes);
}

static void K10_a_ring_goes_on_with_what_it_has_when_there_are_slots_enough(void **state)
{
    slots_game *game = *state;
    game->desc.max_slots = 3;
    open_with(game, 1, 3);
    slots_game_write(game, "a", 1);
    slots_game_write(game, "b", 1);
    slots_game_write(game, "c", 1);
    slots_game_tick(game);
    assert_saved(game, "autosave"); // which does not count
    slots_game_tick(game);
    assert_saved(game, "autosave");
}

static void K7_an_autosave_that_fails_is_told_and_tried_again_when_the_next_is_due(void **state)
{
    slots_game *game = *state;
    open_with(game, 2, 1);
    game->put_fails = FIRN_IO;
    slots_game_tick(game);
    slots_game_tick(game);
    assert_failed(game, "autosave", FIRN_IO);
    game->put_fails = FIRN_OK;
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 0);
    slots_game_tick(game);
    assert_saved(game, "autosave");
}

static void an_autosave_leaves_what_cannot_be_read(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "autosave", 1);
    open_with(game, 1, 1);
    game->head_fails = FIRN_IO;
    slots_game_tick(game);
    assert_failed(game, "autosave", FIRN_IO);
    assert_true(slots_game_saved_score(game, "autosave") == 1);
}

static firn_result refuse(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                          firn_error *err)
{
    (void)user, (void)saves, (void)doc, (void)fields, (void)err;
    return FIRN_REFUSED;
}

static void an_autosave_fails_with_its_hooks_and_its_storage(void **state)
{
    slots_game *game = *state;
    firn_error err;
    open_with(game, 1, 1);
    game->head_fails = FIRN_NO_MEMORY;
    slots_game_tick(game);
    assert_failed(game, "autosave", FIRN_NO_MEMORY);
    game->head_fails = FIRN_OK;
    assert_true(firn_saves_before_save(game->saves, NULL, refuse, NULL, &err) != 0);
    slots_game_tick(game);
    assert_failed(game, "autosave", FIRN_REFUSED);
    assert_false(firn_saves_has(game->saves, "autosave"));
}

static void K7_there_are_no_autosaves_without_a_time_or_a_storage(void **state)
{
    slots_game *game = *state;
    slots_game_tick(game);
    game->desc.storage = NULL;
    open_with(game, 1, 1);
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 0);
    assert_int_equal(game->puts, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, slots_game_setup, slots_game_teardown)
    const struct CMUnitTest tests[] = {
        TEST(K7_an_autosave_is_done_every_n_seconds_of_play),
        TEST(K7_autosaves_that_were_missed_are_one),
        TEST(K7_an_autosave_comes_before_the_requests_of_its_tick),
        TEST(a_load_begins_the_time_to_the_next_autosave_anew),
        TEST(K10_a_ring_uses_its_slots_by_turns_the_oldest_first),
        TEST(saves_of_one_moment_are_replaced_by_revision),
        TEST(a_damaged_slot_of_the_ring_is_replaced_first),
        TEST(K13_an_autosave_spares_saves_of_newer_and_other_games),
        TEST(S4_an_autosave_spares_what_a_newer_library_wrote),
        TEST(K10_an_autosave_that_no_slot_takes_tells_of_the_first),
        TEST(K10_a_ring_goes_on_with_what_it_has_when_there_are_slots_enough),
        TEST(K7_an_autosave_that_fails_is_told_and_tried_again_when_the_next_is_due),
        TEST(an_autosave_leaves_what_cannot_be_read),
        TEST(an_autosave_fails_with_its_hooks_and_its_storage),
        TEST(K7_there_are_no_autosaves_without_a_time_or_a_storage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
