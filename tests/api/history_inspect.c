// Random histories of a game of three scenes: what an inspection of a save says on the way, and
// that right after a load nothing differs.
#include <string.h>

#include "api/history_game.h"

#define HISTORIES 24

// Compares the slot with the game; the lines are freed by the caller.
static firn_inspection look(history *h, firn_buffer *text)
{
    firn_error err;
    firn_inspection is;
    firn_buffer_clear(text);
    assert_ok(firn_saves_inspect_text(h->saves, "a", NULL, text, &is, &err), &err);
    return is;
}

static void assert_same(history *h, const char *when)
{
    firn_buffer text = {0};
    firn_inspection is = look(h, &text);
    if (!is.same)
        fail_msg("seed %u, %s:\n%.*s", (unsigned)h->options.seed, when, (int)text.size,
                 (const char *)text.data);
    assert_int_equal(is.changed_entities + is.missing_entities + is.extra_entities, 0);
    firn_buffer_free(&text);
}

// An inspection changes nothing: the next save is the one that would have been without it.
static void look_on(history *h)
{
    firn_buffer text = {0}, before = history_save(h);
    firn_inspection is = look(h, &text);
    firn_buffer after = history_save(h);
    assert_true(!is.same && is.differences > 0); // time has passed, by random steps
    assert_int_equal(before.size, after.size);
    firn_buffer_free(&text);
    firn_buffer_free(&before);
    firn_buffer_free(&after);
}

static void play_history(uint32_t seed, firn_saves_kind kind, bool moving_scenery)
{
    firn_error err;
    const history_options options = {
        .seed = seed, .kind = kind, .moving_scenery = moving_scenery, .first_scene = seed % 3};
    history *h = history_make(&options);
    history_ticks(h, 3 + seed * 7 % 60);
    assert_ok(firn_saves_write(h->saves, "a", NULL, &err), &err);
    assert_same(h, "right after the save");
    for (uint32_t i = 0; i < 5; i++) {
        history_ticks(h, 1 + seed % 7);
        look_on(h);
    }
    assert_ok(firn_saves_read(h->saves, "a", NULL, &err), &err);
    assert_same(h, "right after a load");
    history_go(h, (h->scene + 1) % 3);
    history_ticks(h, seed % 5);
    look_on(h);
    history_go(h, (h->scene + 1 + seed % 2) % 3);
    look_on(h);
    assert_ok(firn_saves_read(h->saves, "a", NULL, &err), &err);
    assert_same(h, "right after a load from another scene");
    history_destroy(h);
}

static void K9_right_after_a_load_of_a_whole_world_nothing_differs(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < HISTORIES; seed++)
        play_history(seed, FIRN_SAVES_WORLD, seed % 2 == 1);
}

static void K9_right_after_a_load_of_what_persists_nothing_differs(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < HISTORIES; seed++)
        play_history(seed, FIRN_SAVES_PERSISTED, seed % 2 == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K9_right_after_a_load_of_a_whole_world_nothing_differs),
        cmocka_unit_test(K9_right_after_a_load_of_what_persists_nothing_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
