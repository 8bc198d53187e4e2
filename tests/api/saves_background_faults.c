// Background saves that fail, and the memory that they take.
#include "api/slots_game.h"

#include <errno.h>
#include <stdlib.h>

// How many threads start until one does not, or -1: all do. The linker wraps pthread_create.
static int threads_left = -1;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*fn)(void *),
                          void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*fn)(void *),
                          void *user);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*fn)(void *),
                          void *user)
{
    if (threads_left >= 0 && threads_left-- == 0) {
        return EAGAIN;
    }
    return __real_pthread_create(thread, with, fn, user);
}

static uint64_t revision_of(slots_game *game, const char *slot)
{
    firn_error err;
    firn_buffer bytes = slots_game_bytes(game, slot, FIRN_CURRENT);
    firn_save_file *file = firn_save_file_open(bytes.data, bytes.size, NULL, &err);
    uint64_t revision = firn_save_file_header(file)->revision;
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
    return revision;
}

static void F6_a_failure_is_told_as_save_failed_and_changes_nothing(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "a", 1);
    game->put_fails = FIRN_IO;
    slots_game_set_score(game, 2);
    slots_game_save_behind(game, "a");
    slots_game_assert_heard(game, "save_failed", "a", FIRN_IO);
    assert_true(slots_game_saved_score(game, "a") == 1);
    game->put_fails = FIRN_NOT_DURABLE;
    slots_game_save_behind(game, "a");
    slots_game_assert_heard(game, "saved", "a", FIRN_NOT_DURABLE);
    assert_int_equal(revision_of(game, "a"), 2);
    game->put_fails = FIRN_OK;
    slots_game_put_header(game, "b", "test.slots", 3);
    slots_game_save_behind(game, "b");
    slots_game_assert_heard(game, "save_failed", "b", FIRN_NEWER);
}

static firn_result refuse(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                          firn_error *err)
{
    (void)user, (void)saves, (void)doc, (void)fields, (void)err;
    return FIRN_REFUSED;
}

static void F6_a_capture_that_fails_is_told_at_the_end_of_its_tick(void **state)
{
    slots_game *game = *state;
    firn_error err;
    firn_save_hook hook = firn_saves_before_save(game->saves, NULL, refuse, NULL, &err);
    assert_true(hook != 0);
    slots_game_request(game, "a");
    slots_game_tick(game);
    slots_game_assert_heard(game, "save_failed", "a", FIRN_REFUSED);
    assert_ok(firn_saves_remove_hook(game->saves, hook, &err), &err);
    slots_game_save_behind(game, "a");
    slots_game_assert_heard(game, "saved", "a", FIRN_OK);
}

static firn_result refuse_second(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                                 firn_error *err)
{
    (void)saves, (void)doc, (void)fields, (void)err;
    int *calls = user;
    return ++*calls == 2 ? FIRN_REFUSED : FIRN_OK;
}

static void F6_what_fails_in_a_tick_is_told_before_what_was_done_behind_it(void **state)
{
    slots_game *game = *state;
    firn_error err;
    int calls = 0;
    game->desc.second_save = FIRN_SECOND_SAVE_WAITS;
    slots_game_open_again(game);
    assert_true(firn_saves_before_save(game->saves, NULL, refuse_second, &calls, &err) != 0);
    slots_game_request(game, "a");
    slots_game_request(game, "b"); // waits for a
    slots_game_tick(game);
    slots_game_assert_heard(game, "save_failed", "b", FIRN_REFUSED);
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "a", FIRN_OK);
}

static void F6_a_thread_that_does_not_start_fails_the_save_and_is_tried_again(void **state)
{
    slots_game *game = *state;
    threads_left = 0;
    slots_game_request(game, "a");
    slots_game_tick(game);
    slots_game_assert_heard(game, "save_failed", "a", FIRN_NO_MEMORY);
    assert_false(firn_saves_writing(game->saves));
    slots_game_save_behind(game, "a");
    slots_game_assert_heard(game, "saved", "a", FIRN_OK);
}

static void F6_each_allocation_that_fails_fails_the_save_and_changes_nothing(void **state)
{
    slots_game *game = *state;
    firn_error err;
    test_allocator *memory = &game->memory.inner;
    slots_game_write(game, "a", 1);
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        bool injected = true;
        for (uint64_t call = 1; injected; call++) {
            slots_game_open_again(game); // nothing is warm
            assert_ok(firn_saves_read(game->saves, "a", NULL, &err), &err);
            slots_game_set_score(game, 2);
            slots_game_request(game, "a");
            test_allocator_fail_at(memory, call, for_ever != 0);
            slots_game_tick(game);
            firn_saves_wait(game->saves);
            injected = memory->injected;
            test_allocator_fail_at(memory, 0, false);
            game->heard_count = game->heard_count > 0; // that of the end of the tick, or
            slots_game_tick(game);
            if (!injected) {
                break;
            }
            slots_game_assert_heard(game, "save_failed", "a", FIRN_NO_MEMORY);
            assert_true(slots_game_saved_score(game, "a") == 1);
            assert_true(slots_game_score(game) == 2);
            assert_true(call < 1000);
        }
        slots_game_assert_heard(game, "saved", "a", FIRN_OK);
        slots_game_write(game, "a", 1);
    }
}

// ---- memory

#define MANY 20000

static firn_result give_place(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                              firn_error *err)
{
    (void)user, (void)saves;
    return firn_table_set_text(doc, fields, "place", firn_value_text(doc, "bridge", err), err);
}

static void F6_a_warm_save_takes_no_memory_in_its_tick(void **state)
{
    slots_game *game = *state;
    firn_error err;
    firn_entity *ids = malloc(MANY * sizeof *ids);
    assert_non_null(ids);
    assert_ok(firn_spawn_many(game->world, &game->score, 1, MANY, ids, &err), &err);
    free(ids);
    assert_true(firn_saves_before_save(game->saves, NULL, give_place, NULL, &err) != 0);
    test_allocator *memory = &game->memory.inner;
    for (int i = 0; i < 5; i++) { // the first has no parent, and so another size
        test_allocator_reset_peak(memory);
        uint64_t before = memory->bytes;
        game->memory.calls = 0;
        slots_game_save_behind(game, "a");
        slots_game_assert_heard(game, "saved", "a", FIRN_OK);
        if (i > 1) {
            assert_int_equal(game->memory.calls, 0);
            assert_true(memory->bytes == before);
            assert_true(memory->peak_bytes - before < 32 * 1024); // on the other thread
        } else {
            assert_true(memory->bytes > 2 * 8 * MANY); // the snapshot, and the file
        }
    }
}

// zstd takes memory each time that it compresses.
static void F6_a_save_is_compressed_on_the_other_thread(void **state)
{
    slots_game *game = *state;
    if (!firn_save_file_can_compress()) {
        return;
    }
    game->desc.compression = 1;
    slots_game_open_again(game);
    for (int i = 0; i < 3; i++) { // then nothing but the compression takes any
        game->memory.calls = 0;
        slots_game_save_behind(game, "a");
        slots_game_assert_heard(game, "saved", "a", FIRN_OK);
    }
    assert_int_equal(game->memory.calls, 0);
    slots_game_write(game, "a", 1); // which has no other thread
    assert_true(game->memory.calls > 0);
}

int main(void)
{
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, slots_game_setup_background, slots_game_teardown)
    const struct CMUnitTest tests[] = {
        TEST(F6_a_failure_is_told_as_save_failed_and_changes_nothing),
        TEST(F6_a_capture_that_fails_is_told_at_the_end_of_its_tick),
        TEST(F6_what_fails_in_a_tick_is_told_before_what_was_done_behind_it),
        TEST(F6_a_thread_that_does_not_start_fails_the_save_and_is_tried_again),
        TEST(F6_each_allocation_that_fails_fails_the_save_and_changes_nothing),
        TEST(F6_a_warm_save_takes_no_memory_in_its_tick),
        TEST(F6_a_save_is_compressed_on_the_other_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
