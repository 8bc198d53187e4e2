// Saves into slots: names, limits, revisions, newer games, storages that fail.
#include "api/saves_game.h"

#include <stdio.h>

static saves_game game;

// The storage in memory, of which calls are counted and may fail.
typedef struct faulty {
    firn_storage inner;
    firn_result put, get, head, list; // FIRN_OK: as the inner one does
    bool says_why;
    int calls;
} faulty;
static faulty storage;

static firn_result give(firn_result result, firn_error *err)
{
    if (storage.says_why)
        snprintf(err->message, sizeof err->message, "the cloud is away");
    return result;
}

static firn_result faulty_put(void *user, const char *name, firn_revision expected,
                              const void *bytes, size_t size, firn_revision *revision,
                              firn_error *err)
{
    faulty *f = user;
    f->calls++;
    if (f->put == FIRN_OK || f->put == FIRN_NOT_DURABLE) {
        firn_result result =
            f->inner.put(f->inner.user, name, expected, bytes, size, revision, err);
        return result == FIRN_OK && f->put != FIRN_OK ? give(f->put, err) : result;
    }
    return give(f->put, err);
}

static firn_result faulty_get(void *user, const char *name, firn_generation generation,
                              uint64_t limit, firn_buffer *out, firn_revision *revision,
                              firn_error *err)
{
    faulty *f = user;
    f->calls++;
    return f->get != FIRN_OK
               ? give(f->get, err)
               : f->inner.get(f->inner.user, name, generation, limit, out, revision, err);
}

static firn_result faulty_head(void *user, const char *name, firn_generation generation,
                               void *bytes, size_t room, size_t *got, firn_stored *stored,
                               firn_error *err)
{
    faulty *f = user;
    f->calls++;
    return f->head != FIRN_OK
               ? give(f->head, err)
               : f->inner.head(f->inner.user, name, generation, bytes, room, got, stored, err);
}

static firn_result faulty_list(void *user, firn_stored_fn each, void *each_user, firn_error *err)
{
    faulty *f = user;
    f->calls++;
    return f->list != FIRN_OK ? give(f->list, err)
                              : f->inner.list(f->inner.user, each, each_user, err);
}

static firn_result faulty_remove(void *user, const char *name, firn_revision expected,
                                 firn_error *err)
{
    faulty *f = user;
    f->calls++;
    return f->inner.remove(f->inner.user, name, expected, err);
}

static int make_game(void **state)
{
    saves_game_make(&game);
    storage = (faulty){.inner = game.storage};
    static firn_storage table;
    table = (firn_storage){.abi = FIRN_ABI,
                           .name = "faulty",
                           .put = faulty_put,
                           .get = faulty_get,
                           .head = faulty_head,
                           .list = faulty_list,
                           .remove = faulty_remove,
                           .user = &storage};
    game.desc.storage = &table;
    game.desc.version = 2;
    game.desc.max_slots = 3;
    return saves_game_begin(&game, state);
}

static void write_to(const char *slot)
{
    firn_error err;
    assert_ok(firn_saves_write(game.saves, slot, NULL, &err), &err);
}

static void assert_write_fails(const char *slot, firn_result result, const char *subject)
{
    firn_error err;
    saves_game_state before = saves_game_look(&game);
    assert_int_equal(firn_saves_write(game.saves, slot, NULL, &err), result);
    assert_error(&err, result, subject);
    assert_unchanged(&game, &before);
}

static uint64_t revision_of(const char *slot)
{
    firn_error err;
    firn_buffer bytes = saves_game_slot(&game, slot, FIRN_CURRENT);
    firn_save_file *file = firn_save_file_open(bytes.data, bytes.size, NULL, &err);
    assert_non_null(file);
    uint64_t revision = firn_save_file_header(file)->revision;
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
    return revision;
}

static void S1_a_slot_holds_the_file_and_the_one_before_as_its_backup(void **state)
{
    (void)state;
    firn_error err;
    write_to("a");
    firn_buffer first = saves_game_slot(&game, "a", FIRN_CURRENT);
    assert_ok(firn_world_set_tick(game.z.world, 9, &err), &err);
    write_to("a");
    firn_buffer backup = saves_game_slot(&game, "a", FIRN_BACKUP);
    assert_same_bytes(&backup, &first);
    assert_int_equal(revision_of("a"), 2);
    firn_buffer_free(&first);
    firn_buffer_free(&backup);
}

static void K10_a_bad_name_is_refused_by_every_call_before_the_storage_is_asked(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "../x",
        "CON",
        "nul",
        "a.",
        "Slot",
        "sl\xc3\xb6t",
        "a b",
        NULL,
        "abcdefghijklmnopqrstuvwxyz0123456789_-abcdefghijklmnopqrstuvwxyz0"};
    firn_error err;
    firn_buffer out = {0};
    firn_saves *saves = game.saves;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(firn_saves_write(saves, bad[i], NULL, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, bad[i] == NULL ? "slot" : "");
        assert_int_equal(firn_saves_read(saves, bad[i], NULL, &err), FIRN_INVALID);
        assert_int_equal(firn_saves_request_save(saves, bad[i], NULL, &err), FIRN_INVALID);
        assert_int_equal(firn_saves_request_load(saves, bad[i], &err), FIRN_INVALID);
        assert_int_equal(firn_saves_copy(saves, bad[i], "b", true, &err), FIRN_INVALID);
        assert_int_equal(firn_saves_copy(saves, "b", bad[i], true, &err), FIRN_INVALID);
        assert_int_equal(firn_saves_rename(saves, bad[i], "b", true, &err), FIRN_INVALID);
        assert_int_equal(firn_saves_rename(saves, "b", bad[i], true, &err), FIRN_INVALID);
        assert_int_equal(firn_saves_remove(saves, bad[i], &err), FIRN_INVALID);
        assert_int_equal(firn_saves_thumbnail(saves, bad[i], &out, &err), FIRN_INVALID);
        assert_null(firn_saves_inspect(saves, bad[i], NULL, doc, NULL, &err));
        assert_error(&err, FIRN_INVALID, bad[i] == NULL ? "slot" : "");
        assert_int_equal(firn_saves_inspect_text(saves, bad[i], NULL, &out, NULL, &err),
                         FIRN_INVALID);
        assert_false(firn_saves_has(saves, bad[i]));
    }
    firn_doc_destroy(doc);
    assert_int_equal(storage.calls, 0);
}

static void K11_a_new_slot_above_the_limit_is_refused(void **state)
{
    (void)state;
    write_to("x");
    write_to("y");
    write_to("autosave");
    write_to("quicksave");
    write_to("autosave-2");
    assert_write_fails("a", FIRN_LIMIT, "a");
    write_to("y");
    write_to("autosave");
}

static void K10_autosave_and_quicksave_do_not_count(void **state)
{
    (void)state;
    write_to("x");
    write_to("y");
    write_to("z");
    write_to("autosave");
    write_to("quicksave");
    assert_write_fails("autosave-2", FIRN_LIMIT, "autosave-2");
}

static void be_newer(firn_save_header *header)
{
    header->game_version = 3;
}

static void K13_a_save_of_a_newer_game_is_only_replaced_with_force(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer bytes = saves_game_file(&game);
    bytes = saves_game_with_header(&bytes, be_newer);
    saves_game_put(&game, "a", &bytes);
    firn_buffer_free(&bytes);
    assert_write_fails("a", FIRN_NEWER, "a");
    const firn_saves_write_options options = {.force = true};
    assert_ok(firn_saves_write(game.saves, "a", &options, &err), &err);
}

static void K13_a_newer_save_behind_a_damaged_one_is_only_replaced_with_force(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer bytes = saves_game_file(&game), damage = {0};
    bytes = saves_game_with_header(&bytes, be_newer);
    assert_ok(firn_buffer_append(&damage, "damage", 6, &err), &err);
    saves_game_put(&game, "a", &bytes);
    saves_game_put(&game, "a", &damage);
    firn_buffer_free(&damage);
    firn_buffer_free(&bytes);
    assert_write_fails("a", FIRN_NEWER, "a");
    const firn_saves_write_options options = {.force = true};
    assert_ok(firn_saves_write(game.saves, "a", &options, &err), &err);
}

static void K13_a_save_of_a_newer_library_is_only_replaced_with_force(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer bytes = saves_game_file(&game);
    bytes.data[8] = 2;    // the version of the container
    bytes.data[16] ^= 64; // which has another head
    saves_game_put(&game, "a", &bytes);
    firn_buffer_free(&bytes);
    assert_write_fails("a", FIRN_NEWER, "a");
    const firn_saves_write_options options = {.force = true};
    assert_ok(firn_saves_write(game.saves, "a", &options, &err), &err);
}

static void a_damaged_save_is_replaced(void **state)
{
    (void)state;
    firn_buffer bytes = {0};
    firn_error err;
    assert_ok(firn_buffer_append(&bytes, "not a save at all", 17, &err), &err);
    saves_game_put(&game, "a", &bytes);
    firn_buffer_free(&bytes);
    write_to("a");
    assert_int_equal(revision_of("a"), 1);
}

// Somebody else puts something into the slot while the hooks of the save run.
static firn_result interfere(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                             firn_error *err)
{
    (void)user, (void)saves, (void)doc, (void)fields;
    firn_revision revision;
    return game.storage.put(game.storage.user, "a", FIRN_REVISION_ANY, "theirs", 6, &revision, err);
}

static void a_slot_that_somebody_else_changed_meanwhile_is_a_conflict(void **state)
{
    (void)state;
    firn_error err;
    write_to("a");
    assert_int_not_equal(firn_saves_before_save(game.saves, NULL, interfere, NULL, &err), 0);
    assert_int_equal(firn_saves_write(game.saves, "a", NULL, &err), FIRN_CONFLICT);
    assert_error(&err, FIRN_CONFLICT, "a");
    firn_buffer bytes = saves_game_slot(&game, "a", FIRN_CURRENT);
    assert_int_equal(bytes.size, 6);
    firn_buffer_free(&bytes);
}

static void a_new_slot_that_somebody_else_made_meanwhile_exists(void **state)
{
    (void)state;
    firn_error err;
    assert_int_not_equal(firn_saves_before_save(game.saves, NULL, interfere, NULL, &err), 0);
    assert_int_equal(firn_saves_write(game.saves, "a", NULL, &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "a");
}

static void what_the_storage_returns_is_returned_and_the_line_stays(void **state)
{
    (void)state;
    write_to("a");
    for (int says = 0; says < 2; says++) {
        storage.says_why = says != 0;
        storage.put = FIRN_IO;
        assert_write_fails("a", FIRN_IO, says != 0 ? "" : "a");
        storage.put = FIRN_OK;
        storage.head = FIRN_IO;
        assert_write_fails("a", FIRN_IO, says != 0 ? "" : "a");
        storage.head = FIRN_OK;
        storage.list = FIRN_IO;
        assert_write_fails("b", FIRN_IO, says != 0 ? "" : "slots");
        storage.list = FIRN_OK;
    }
    write_to("a");
    assert_int_equal(revision_of("a"), 2);
}

static void a_save_that_may_not_be_durable_is_saved_all_the_same(void **state)
{
    (void)state;
    firn_error err;
    storage.put = FIRN_NOT_DURABLE;
    storage.says_why = true;
    assert_int_equal(firn_saves_write(game.saves, "a", NULL, &err), FIRN_NOT_DURABLE);
    assert_string_equal(err.message, "the cloud is away");
    storage.put = FIRN_OK;
    assert_int_equal(revision_of("a"), 1);
    write_to("a");
    assert_int_equal(revision_of("a"), 2);
}

static void a_slot_of_which_only_the_backup_is_left_is_no_new_one(void **state)
{
    (void)state;
    write_to("x");
    write_to("y");
    write_to("z");
    // A storage that lists an entry whose current generation is gone.
    storage.head = FIRN_NOT_FOUND;
    firn_error err;
    assert_int_equal(firn_saves_write(game.saves, "z", NULL, &err), FIRN_EXISTS);
    storage.head = FIRN_OK;
}

static void a_manager_without_a_storage_has_no_slots(void **state)
{
    (void)state;
    firn_error err;
    game.desc.storage = NULL;
    saves_game_open_again(&game);
    assert_int_equal(firn_saves_write(game.saves, "a", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "storage");
    assert_int_equal(firn_saves_read(game.saves, "a", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "storage");
    assert_int_equal(firn_saves_write(NULL, "a", NULL, &err), FIRN_INVALID);
    assert_int_equal(firn_saves_read(NULL, "a", NULL, &err), FIRN_INVALID);
}

static void bad_options_are_refused_before_anything_is_read(void **state)
{
    (void)state;
    firn_error err;
    const firn_value number = {.kind = FIRN_VALUE_NUMBER};
    const firn_saves_write_options options = {.meta = &number};
    assert_int_equal(firn_saves_write(game.saves, "a", &options, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "meta");
    assert_int_equal(storage.calls, 0);
}

#define GAME_TEST(test) cmocka_unit_test_setup_teardown(test, make_game, saves_game_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        GAME_TEST(S1_a_slot_holds_the_file_and_the_one_before_as_its_backup),
        GAME_TEST(K10_a_bad_name_is_refused_by_every_call_before_the_storage_is_asked),
        GAME_TEST(K11_a_new_slot_above_the_limit_is_refused),
        GAME_TEST(K10_autosave_and_quicksave_do_not_count),
        GAME_TEST(K13_a_save_of_a_newer_game_is_only_replaced_with_force),
        GAME_TEST(K13_a_newer_save_behind_a_damaged_one_is_only_replaced_with_force),
        GAME_TEST(K13_a_save_of_a_newer_library_is_only_replaced_with_force),
        GAME_TEST(a_damaged_save_is_replaced),
        GAME_TEST(a_slot_that_somebody_else_changed_meanwhile_is_a_conflict),
        GAME_TEST(a_new_slot_that_somebody_else_made_meanwhile_exists),
        GAME_TEST(what_the_storage_returns_is_returned_and_the_line_stays),
        GAME_TEST(a_save_that_may_not_be_durable_is_saved_all_the_same),
        GAME_TEST(a_slot_of_which_only_the_backup_is_left_is_no_new_one),
        GAME_TEST(a_manager_without_a_storage_has_no_slots),
        GAME_TEST(bad_options_are_refused_before_anything_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
