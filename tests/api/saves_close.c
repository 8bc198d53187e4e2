// Managers that are closed by those whom they tell.
#include "api/slots_game.h"

#include <string.h>

static void close_and_open(slots_game *game, const char *kind)
{
    (void)kind;
    firn_error err;
    firn_saves *closed = game->saves;
    firn_saves_close(closed);
    assert_int_equal(firn_saves_request_save(closed, "c", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "saves");
    assert_string_equal(err.message, "the manager was closed");
    game->on_event = NULL;
    game->saves = firn_saves_open(game->world, &game->desc, &err); // the world is free for another
    assert_non_null(game->saves);
}

static void an_observer_may_close_the_manager(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "b", 1);
    game->on_event = close_and_open;
    slots_game_set_score(game, 5);
    slots_game_request(game, "a");
    slots_game_request(game, "b");
    slots_game_request_load(game, "a");
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "a", FIRN_OK); // b is saved, and not told
    assert_true(slots_game_saved_score(game, "b") == 5);
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 0); // nothing was loaded
}

static void an_observer_may_close_the_manager_before_a_tick_is_done(void **state)
{
    slots_game *game = *state;
    firn_error err;
    game->desc.autosave_seconds = 2;
    slots_game_write(game, "a", 1);
    for (int tells = 0; tells < 2; tells++) {
        slots_game_open_again(game);
        slots_game_request_load(game, "a");
        slots_game_tick(game);
        game->on_event = close_and_open;
        uint32_t puts = game->puts;
        slots_game_request(game, "b");
        slots_game_request_load(game, "a");
        assert_ok(tells ? firn_saves_tell(game->saves, &err)
                        : firn_saves_end_tick(game->saves, 1, &err),
                  &err);
        slots_game_assert_heard(game, "loaded", "a", FIRN_OK);
        slots_game_tick(game);
        assert_int_equal(game->heard_count, 0);
        assert_int_equal(game->puts, puts); // neither b nor the autosave
    }
}

static void tell_and_close(slots_game *game, const char *kind)
{
    firn_error err;
    firn_saves *saves = game->saves;
    game->on_event = close_and_open;
    assert_ok(firn_saves_tell(saves, &err), &err); // of b, whose observer closes the manager
    assert_string_equal(kind, "saved");
}

static void an_observer_that_is_told_by_an_observer_may_close_the_manager(void **state)
{
    slots_game *game = *state;
    game->on_event = tell_and_close;
    slots_game_request(game, "a");
    slots_game_request(game, "b");
    slots_game_request(game, "c");
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 2);
    assert_string_equal(game->heard[1].slot, "b");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, slots_game_setup, slots_game_teardown)
    const struct CMUnitTest tests[] = {
        TEST(an_observer_may_close_the_manager),
        TEST(an_observer_may_close_the_manager_before_a_tick_is_done),
        TEST(an_observer_that_is_told_by_an_observer_may_close_the_manager),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
