// Background saves. A gate in the storage holds them up where a test wants to look.
#include "api/slots_game.h"

#include "unit/os_folder.h"

static void F6_a_background_save_has_the_bytes_of_its_tick_and_is_told_later(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_set_score(game, 1);
    slots_game_request(game, "a");
    slots_game_close_gate(game);
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 0);
    assert_true(firn_saves_writing(game->saves));
    slots_game_set_score(game, 2); // the game goes on
    slots_game_tick(game);
    slots_game_await_put(game);
    assert_int_equal(game->heard_count, 0);
    slots_game_open_gate(game);
    firn_saves_wait(game->saves);
    assert_false(firn_saves_writing(game->saves));
    assert_true(game->put_elsewhere);
    assert_int_equal(game->heard_count, 0);
    assert_ok(firn_saves_tell(game->saves, &err), &err);
    slots_game_assert_heard(game, "saved", "a", FIRN_OK);
    assert_true(slots_game_saved_score(game, "a") == 1);
}

// What a game with or without a background writes in three ticks.
static firn_buffer bytes_of_game(bool background, int compression)
{
    firn_error err;
    slots_game game;
    slots_game_make(&game);
    game.desc.background = background;
    game.desc.compression = compression;
    slots_game_open(&game);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *meta = firn_value_table(doc, &err);
    firn_table_set_text(doc, meta, "title", firn_value_text(doc, "The bridge", &err), &err);
    firn_table_set_text(doc, meta, "thumbnail", firn_value_text(doc, "pixels", &err), &err);
    const firn_section sections[] = {{"mine", "bytes", 5}, {"also", NULL, 0}};
    const firn_saves_write_options options = {
        .meta = meta, .sections = sections, .section_count = 2};
    assert_ok(firn_saves_set_variable(game.saves, "chapter", meta, &err), &err);
    for (int i = 0; i < 3; i++) {
        slots_game_set_score(&game, i);
        assert_ok(firn_saves_request_save(game.saves, "a", &options, &err), &err);
        slots_game_tick(&game);
        firn_saves_wait(game.saves);
    }
    firn_buffer bytes = slots_game_bytes(&game, "a", FIRN_CURRENT);
    firn_doc_destroy(doc);
    slots_game_free(&game);
    return bytes;
}

static void F6_background_saves_are_byte_for_byte_those_of_the_foreground(void **state)
{
    (void)state;
    for (int compression = 0; compression <= firn_save_file_can_compress(); compression++) {
        firn_buffer behind = bytes_of_game(true, compression);
        firn_buffer before = bytes_of_game(false, compression);
        assert_int_equal(behind.size, before.size);
        assert_memory_equal(behind.data, before.data, behind.size);
        firn_buffer_free(&behind);
        firn_buffer_free(&before);
    }
}

// ---- while one runs

static void F6_a_second_save_stays_requested_while_one_runs(void **state)
{
    slots_game *game = *state;
    slots_game_close_gate(game);
    slots_game_set_score(game, 1);
    slots_game_request(game, "a");
    slots_game_tick(game);
    slots_game_set_score(game, 2);
    slots_game_request(game, "b");
    slots_game_tick(game);
    slots_game_set_score(game, 3);
    slots_game_open_gate(game);
    firn_saves_wait(game->saves);
    slots_game_tick(game); // tells of a, begins b
    slots_game_assert_heard(game, "saved", "a", FIRN_OK);
    firn_saves_wait(game->saves);
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "b", FIRN_OK);
    assert_true(slots_game_saved_score(game, "a") == 1);
    assert_true(slots_game_saved_score(game, "b") == 3); // of the tick that began it
}

static void F6_a_second_save_waits_when_it_is_told_to(void **state)
{
    slots_game *game = *state;
    game->desc.second_save = FIRN_SECOND_SAVE_WAITS;
    slots_game_open_again(game);
    slots_game_set_score(game, 1);
    slots_game_request(game, "a");
    slots_game_tick(game);
    slots_game_set_score(game, 2);
    slots_game_request(game, "b");
    slots_game_request(game, "c");
    slots_game_tick(game);
    slots_game_set_score(game, 3);
    firn_saves_wait(game->saves);
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 3);
    assert_string_equal(game->heard[0].slot, "a");
    assert_string_equal(game->heard[1].slot, "b");
    assert_string_equal(game->heard[2].slot, "c");
    assert_true(slots_game_saved_score(game, "b") == 2);
    assert_true(slots_game_saved_score(game, "c") == 2);
}

static firn_result enter_with_9(void *user, const char *level, bool for_restore, firn_world **world,
                                firn_error *err)
{
    (void)level, (void)for_restore, (void)world, (void)err;
    slots_game_set_score(user, 9);
    return FIRN_OK;
}

static void F6_saves_of_a_tick_are_those_of_the_level_that_it_leaves(void **state)
{
    slots_game *game = *state;
    firn_error err;
    const firn_levels levels = {.enter = enter_with_9, .user = game};
    game->desc.levels = &levels;
    slots_game_open_again(game);
    slots_game_set_score(game, 1);
    slots_game_request(game, "a");
    slots_game_request(game, "b"); // would be kept, and of the next level then
    assert_ok(firn_saves_request_enter(game->saves, "cave", &err), &err);
    slots_game_tick(game);
    assert_true(slots_game_score(game) == 9);
    firn_saves_wait(game->saves);
    slots_game_tick(game);
    assert_true(slots_game_saved_score(game, "a") == 1);
    assert_true(slots_game_saved_score(game, "b") == 1);
}

static void F6_a_second_save_is_busy_when_it_is_told_to_be(void **state)
{
    slots_game *game = *state;
    firn_error err;
    game->desc.second_save = FIRN_SECOND_SAVE_BUSY;
    slots_game_open_again(game);
    slots_game_close_gate(game);
    slots_game_set_score(game, 1);
    slots_game_request(game, "a");
    slots_game_request(game, "b"); // nothing runs yet
    slots_game_tick(game);
    slots_game_set_score(game, 2);
    static const char *const others[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(firn_saves_request_save(game->saves, others[i], NULL, &err), FIRN_BUSY);
        assert_error(&err, FIRN_BUSY, "a");
        assert_string_equal(err.message, "a background save to a runs");
    }
    assert_int_equal(firn_saves_request_save(game->saves, "..", NULL, &err), FIRN_INVALID);
    slots_game_open_gate(game);
    for (int i = 0; i < 3; i++) { // b follows, and nothing else
        firn_saves_wait(game->saves);
        slots_game_tick(game);
    }
    assert_int_equal(game->heard_count, 2);
    assert_string_equal(game->heard[0].slot, "a");
    assert_string_equal(game->heard[1].slot, "b");
    assert_int_equal(game->puts, 2);
    assert_true(slots_game_saved_score(game, "a") == 1);
    assert_true(slots_game_saved_score(game, "b") == 2); // of the tick that began it
    slots_game_request(game, "c");
}

static void F6_a_second_save_is_busy_while_an_autosave_runs_and_an_autosave_is_kept(void **state)
{
    slots_game *game = *state;
    firn_error err;
    game->desc.second_save = FIRN_SECOND_SAVE_BUSY;
    game->desc.autosave_seconds = 1;
    game->desc.autosave_ring = 2;
    slots_game_open_again(game);
    slots_game_close_gate(game);
    slots_game_tick(game);
    slots_game_tick(game); // the next one is due while the first runs
    assert_int_equal(firn_saves_request_save(game->saves, "a", NULL, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "autosave");
    slots_game_open_gate(game);
    firn_saves_wait(game->saves);
    assert_ok(firn_saves_end_tick(game->saves, 0, &err), &err);
    slots_game_assert_heard(game, "saved", "autosave", FIRN_OK);
    firn_saves_wait(game->saves);
    assert_ok(firn_saves_tell(game->saves, &err), &err);
    slots_game_assert_heard(game, "saved", "autosave-2", FIRN_OK);
}

static void F6_a_second_save_is_not_busy_in_the_foreground(void **state)
{
    slots_game *game = *state;
    game->desc.background = false;
    game->desc.second_save = FIRN_SECOND_SAVE_BUSY;
    slots_game_open_again(game);
    slots_game_request(game, "a");
    slots_game_request(game, "a");
    slots_game_tick(game);
    slots_game_request(game, "b");
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 2);
}

static void F6_changes_of_slots_are_busy_while_a_save_runs(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_write(game, "a", 1);
    slots_game_close_gate(game);
    slots_game_request(game, "b");
    slots_game_tick(game);
    assert_int_equal(firn_saves_write(game->saves, "c", NULL, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "background");
    assert_int_equal(firn_saves_copy(game->saves, "a", "c", true, &err), FIRN_BUSY);
    assert_int_equal(firn_saves_rename(game->saves, "a", "c", true, &err), FIRN_BUSY);
    assert_int_equal(firn_saves_remove(game->saves, "a", &err), FIRN_BUSY);
    slots_game_open_gate(game);
    firn_slot_list list; // which takes its turn at the storage
    assert_ok(firn_saves_list(game->saves, &list, &err), &err);
    firn_slot_list_free(&list);
    assert_true(firn_saves_has(game->saves, "a"));
    firn_saves_wait(game->saves);
    assert_ok(firn_saves_remove(game->saves, "a", &err), &err);
}

static void K7_a_load_waits_for_the_save_of_its_slot(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_set_score(game, 1);
    slots_game_request(game, "a");
    slots_game_close_gate(game);
    slots_game_tick(game);
    slots_game_await_put(game);
    // It is not in the storage yet, and no empty slot any more.
    slots_game_request_load(game, "a");
    slots_game_open_gate(game);
    assert_int_equal(firn_saves_request_load(game->saves, "b", &err), FIRN_NOT_FOUND);
    slots_game_request(game, "b");
    slots_game_set_score(game, 2);
    slots_game_tick(game);
    assert_true(slots_game_score(game) == 1);
    assert_true(slots_game_saved_score(game, "b") == 2);
    slots_game_tick(game);
    assert_int_equal(game->heard_count, 3);
    assert_string_equal(game->heard[0].kind, "saved");
    assert_string_equal(game->heard[1].slot, "b");
    assert_string_equal(game->heard[2].kind, "loaded");
}

static void a_direct_load_waits_for_the_save_that_runs(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_set_score(game, 1);
    slots_game_request(game, "a");
    slots_game_tick(game);
    slots_game_set_score(game, 2);
    assert_ok(firn_saves_read(game->saves, "a", NULL, &err), &err);
    assert_true(slots_game_score(game) == 1);
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "a", FIRN_OK);
}

static void a_save_at_once_goes_on_from_the_one_that_is_done_and_not_told(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_request(game, "a");
    slots_game_tick(game);
    while (firn_saves_writing(game->saves)) {
    }
    assert_ok(firn_saves_write(game->saves, "b", NULL, &err), &err);
    firn_buffer a = slots_game_bytes(game, "a", FIRN_CURRENT);
    firn_buffer b = slots_game_bytes(game, "b", FIRN_CURRENT);
    firn_save_file *one = firn_save_file_open(a.data, a.size, NULL, &err);
    firn_save_file *two = firn_save_file_open(b.data, b.size, NULL, &err);
    firn_digest identity = firn_save_file_identity(one);
    assert_int_equal(firn_save_file_header(two)->revision, 2);
    assert_memory_equal(&firn_save_file_header(two)->parent, &identity, sizeof identity);
    firn_save_file_close(one);
    firn_save_file_close(two);
    firn_buffer_free(&a);
    firn_buffer_free(&b);
}

// ---- storages that want the game's thread

static void F6_a_storage_of_one_thread_is_called_on_that_of_the_game(void **state)
{
    slots_game *game = *state;
    game->storage.flags = 0;
    slots_game_open_again(game);
    slots_game_set_score(game, 1);
    slots_game_request(game, "a");
    slots_game_tick(game);
    slots_game_set_score(game, 2);
    assert_int_equal(game->puts, 0);
    assert_true(firn_saves_writing(game->saves));
    firn_error err;
    assert_ok(firn_saves_tell(game->saves, &err), &err); // which calls no storage
    assert_int_equal(game->puts, 0);
    while (game->heard_count == 0) { // until it is packed
        slots_game_tick(game);
    }
    slots_game_assert_heard(game, "saved", "a", FIRN_OK);
    assert_int_equal(game->puts, 1);
    assert_false(game->put_elsewhere);
    assert_true(slots_game_saved_score(game, "a") == 1);
}

static void F6_waiting_puts_what_a_storage_of_one_thread_gets(void **state)
{
    slots_game *game = *state;
    game->storage.flags = 0;
    slots_game_open_again(game);
    slots_game_request(game, "a");
    slots_game_tick(game);
    firn_saves_wait(game->saves);
    assert_int_equal(game->puts, 1);
    assert_false(game->put_elsewhere);
    slots_game_tick(game);
    slots_game_assert_heard(game, "saved", "a", FIRN_OK);
    firn_saves_wait(NULL);
    assert_false(firn_saves_writing(NULL));
}

static void F6_closing_waits_for_the_save_that_runs(void **state)
{
    slots_game *game = *state;
    for (uint32_t flags = 0; flags <= FIRN_STORAGE_ANY_THREAD; flags++) {
        game->storage.flags = flags;
        slots_game_open_again(game);
        slots_game_set_score(game, flags + 1);
        slots_game_request(game, "a");
        slots_game_request(game, "b"); // never begins
        slots_game_tick(game);
        firn_saves_close(game->saves);
        game->saves = NULL;
        assert_true(slots_game_saved_score(game, "a") == flags + 1);
    }
}

static firn_result refuse_first(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                                firn_error *err)
{
    (void)saves, (void)doc, (void)fields, (void)err;
    int *calls = user;
    return ++*calls == 1 ? FIRN_REFUSED : FIRN_OK;
}

static void close_it(slots_game *game, const char *kind)
{
    (void)kind;
    assert_true(firn_saves_writing(game->saves));
    slots_game_open_gate(game);
    firn_saves_close(game->saves);
    game->saves = NULL;
    assert_int_equal(game->puts, 1);
}

static void F6_an_observer_that_closes_the_manager_waits_for_the_save_that_runs(void **state)
{
    slots_game *game = *state;
    firn_error err;
    int calls = 0;
    assert_true(firn_saves_before_save(game->saves, NULL, refuse_first, &calls, &err) != 0);
    slots_game_close_gate(game);
    slots_game_request(game, "a"); // fails, and is told when the next one is on its way
    slots_game_request(game, "b");
    game->on_event = close_it;
    slots_game_tick(game);
    slots_game_assert_heard(game, "save_failed", "a", FIRN_REFUSED);
    assert_null(game->saves);
}

static void a_manager_can_be_closed_behind_its_world_while_a_save_runs(void **state)
{
    slots_game *game = *state;
    slots_game_request(game, "a");
    slots_game_tick(game);
    firn_world_destroy(game->world);
    game->world = NULL;
    firn_saves_close(game->saves);
    game->saves = NULL;
    assert_int_equal(game->puts, 1);
}

// ---- the storages of the library

// Saves run while the game looks at its slots.
static void look_while_saving(slots_game *game, const firn_storage *storage)
{
    firn_error err;
    firn_saves_close(game->saves);
    game->desc.storage = storage;
    slots_game_open(game);
    for (int i = 0; i < 20; i++) {
        firn_slot_list list;
        slots_game_request(game, i % 2 == 0 ? "a" : "b");
        slots_game_set_score(game, i);
        slots_game_tick(game);
        assert_ok(firn_saves_list(game->saves, &list, &err), &err);
        firn_slot_list_free(&list);
        (void)firn_saves_has(game->saves, "b");
    }
    firn_saves_wait(game->saves);
    assert_ok(firn_saves_read(game->saves, "a", NULL, &err), &err);
    firn_saves_close(game->saves);
    game->saves = NULL;
}

static void F6_a_storage_in_memory_is_read_while_it_is_put_into(void **state)
{
    slots_game *game = *state;
    look_while_saving(game, &game->kept);
}

static void F6_a_folder_is_read_while_it_is_put_into(void **state)
{
    slots_game *game = *state;
    firn_error err;
    void *folder;
    firn_storage storage;
    assert_int_equal(os_folder_setup(&folder), 0);
    const firn_folder_desc desc = {.path = ((os_folder *)folder)->path};
    assert_ok(firn_storage_folder(&desc, &storage, &err), &err);
    look_while_saving(game, &storage);
    firn_storage_close(&storage);
    assert_int_equal(os_folder_teardown(&folder), 0);
}

// ---- autosaves

static void F6_autosaves_in_the_background_choose_their_slot_there(void **state)
{
    slots_game *game = *state;
    game->desc.autosave_seconds = 2;
    game->desc.autosave_ring = 2;
    slots_game_open_again(game);
    static const char *const turns[] = {"autosave", "autosave-2", "autosave"};
    for (int i = 0; i < 3; i++) {
        slots_game_tick(game);
        slots_game_tick(game);
        firn_saves_wait(game->saves);
        assert_ok(firn_saves_tell(game->saves, NULL), NULL);
        slots_game_assert_heard(game, "saved", turns[i], FIRN_OK);
    }
}

static void F6_an_autosave_that_waits_for_a_save_is_not_asked_for_twice(void **state)
{
    slots_game *game = *state;
    game->desc.autosave_seconds = 1;
    slots_game_open_again(game);
    slots_game_close_gate(game);
    slots_game_tick(game);
    for (int i = 0; i < 5; i++) {
        slots_game_tick(game); // the first of them asks for another one
    }
    slots_game_open_gate(game);
    firn_saves_wait(game->saves);
    firn_error err;
    assert_ok(firn_saves_end_tick(game->saves, 0, &err), &err);
    slots_game_assert_heard(game, "saved", "autosave", FIRN_OK);
    firn_saves_wait(game->saves);
    assert_int_equal(game->puts, 2);
    assert_ok(firn_saves_end_tick(game->saves, 0, &err), &err);
    slots_game_assert_heard(game, "saved", "autosave", FIRN_OK);
    firn_saves_wait(game->saves);
    assert_int_equal(game->puts, 2);
}

int main(void)
{
#define TEST(name)                                                                                 \
    cmocka_unit_test_setup_teardown(name, slots_game_setup_background, slots_game_teardown)
    const struct CMUnitTest tests[] = {
        TEST(F6_a_background_save_has_the_bytes_of_its_tick_and_is_told_later),
        cmocka_unit_test(F6_background_saves_are_byte_for_byte_those_of_the_foreground),
        TEST(F6_a_second_save_stays_requested_while_one_runs),
        TEST(F6_a_second_save_waits_when_it_is_told_to),
        TEST(F6_saves_of_a_tick_are_those_of_the_level_that_it_leaves),
        TEST(F6_a_second_save_is_busy_when_it_is_told_to_be),
        TEST(F6_a_second_save_is_busy_while_an_autosave_runs_and_an_autosave_is_kept),
        TEST(F6_a_second_save_is_not_busy_in_the_foreground),
        TEST(F6_changes_of_slots_are_busy_while_a_save_runs),
        TEST(K7_a_load_waits_for_the_save_of_its_slot),
        TEST(a_direct_load_waits_for_the_save_that_runs),
        TEST(a_save_at_once_goes_on_from_the_one_that_is_done_and_not_told),
        TEST(F6_a_storage_of_one_thread_is_called_on_that_of_the_game),
        TEST(F6_waiting_puts_what_a_storage_of_one_thread_gets),
        TEST(F6_closing_waits_for_the_save_that_runs),
        TEST(F6_an_observer_that_closes_the_manager_waits_for_the_save_that_runs),
        TEST(a_manager_can_be_closed_behind_its_world_while_a_save_runs),
        TEST(F6_a_storage_in_memory_is_read_while_it_is_put_into),
        TEST(F6_a_folder_is_read_while_it_is_put_into),
        TEST(F6_autosaves_in_the_background_choose_their_slot_there),
        TEST(F6_an_autosave_that_waits_for_a_save_is_not_asked_for_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
