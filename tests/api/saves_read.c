// Loads of slots: damage, backups, storages that fail.
#include "api/saves_game.h"

#include <stdio.h>

static saves_game game;
static firn_storage failing;      // the game's, but for get
static firn_result get_result;    // of the current generation, when it fails
static firn_result backup_result; // of the backup

static firn_result failing_get(void *user, const char *name, firn_generation generation,
                               uint64_t limit, firn_buffer *out, firn_revision *revision,
                               firn_error *err)
{
    firn_result result = generation == FIRN_CURRENT ? get_result : backup_result;
    return result != FIRN_OK ? result
                             : game.storage.get(user, name, generation, limit, out, revision, err);
}

static int make_game(void **state)
{
    saves_game_make(&game);
    failing = game.storage;
    failing.get = failing_get;
    failing.destroy = NULL;
    get_result = backup_result = FIRN_OK;
    game.desc.storage = &failing;
    return saves_game_begin(&game, state);
}

// The slot "a" with chapter 1 in the backup and 2 in the current generation; the game is at 3.
static void have_two_generations(void)
{
    firn_error err;
    for (int chapter = 1; chapter < 3; chapter++) {
        saves_game_set(&game, "chapter", chapter);
        assert_ok(firn_saves_write(game.saves, "a", NULL, &err), &err);
    }
    saves_game_set(&game, "chapter", 3);
}

// Changes a byte of the current generation, and leaves the backup as it is.
static void replace_current(const void *bytes, size_t size)
{
    firn_error err;
    firn_buffer backup = saves_game_slot(&game, "a", FIRN_BACKUP);
    const firn_buffer current = {.data = (uint8_t *)(uintptr_t)bytes, .size = size};
    assert_ok(game.storage.remove(game.storage.user, "a", FIRN_REVISION_ANY, &err), &err);
    saves_game_put(&game, "a", &backup);
    saves_game_put(&game, "a", &current);
    firn_buffer_free(&backup);
}

static void a_slot_is_read(void **state)
{
    (void)state;
    firn_error err;
    have_two_generations();
    firn_saves_loaded loaded;
    assert_ok(firn_saves_read(game.saves, "a", &loaded, &err), &err);
    assert_true(saves_game_get(&game, "chapter") == 2);
    assert_false(loaded.from_backup);
    assert_int_equal(loaded.damage.code, FIRN_OK);
    assert_int_equal(firn_save_file_header(loaded.envelope)->revision, 2);
    firn_saves_loaded_free(&loaded);
    assert_ok(firn_saves_read(game.saves, "a", NULL, &err), &err);
}

static void an_empty_slot_is_not_found(void **state)
{
    (void)state;
    firn_error err;
    saves_game_state before = saves_game_look(&game);
    firn_saves_loaded loaded;
    assert_int_equal(firn_saves_read(game.saves, "a", &loaded, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "a");
    assert_null(loaded.envelope);
    assert_ptr_equal(loaded.world, game.z.world);
    assert_unchanged(&game, &before);
}

// Every kind of damage: the backup is loaded, and what was wrong is told.
static void K12_a_damaged_save_is_loaded_from_its_backup_and_that_is_told(void **state)
{
    (void)state;
    firn_error err;
    have_two_generations();
    firn_buffer good = saves_game_slot(&game, "a", FIRN_CURRENT);
    firn_buffer flipped = {0};
    assert_ok(firn_buffer_append(&flipped, good.data, good.size, &err), &err);
    flipped.data[good.size - 5] ^= 4;
    const struct {
        const void *bytes;
        size_t size;
        firn_result damage;
    } cases[] = {{"", 0, FIRN_TRUNCATED},
                 {"this is no save, but a text of some length", 42, FIRN_NOT_OURS},
                 {good.data, good.size - 1, FIRN_TRUNCATED},
                 {good.data, 40, FIRN_TRUNCATED},
                 {flipped.data, flipped.size, FIRN_CORRUPT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        replace_current(cases[i].bytes, cases[i].size);
        firn_saves_loaded loaded;
        assert_ok(firn_saves_read(game.saves, "a", &loaded, &err), &err);
        assert_true(saves_game_get(&game, "chapter") == 1);
        assert_true(loaded.from_backup);
        assert_int_equal(loaded.damage.code, cases[i].damage);
        assert_true(loaded.damage.message[0] != 0);
        assert_int_equal(firn_save_file_header(loaded.envelope)->revision, 1);
        firn_saves_loaded_free(&loaded);
    }
    firn_buffer_free(&flipped);
    firn_buffer_free(&good);
}

static void K12_a_save_whose_current_generation_is_gone_is_loaded_from_its_backup(void **state)
{
    (void)state;
    firn_error err;
    have_two_generations();
    get_result = FIRN_NOT_FOUND;
    firn_saves_loaded loaded;
    assert_ok(firn_saves_read(game.saves, "a", &loaded, &err), &err);
    assert_true(loaded.from_backup);
    assert_int_equal(loaded.damage.code, FIRN_NOT_FOUND);
    firn_saves_loaded_free(&loaded);
}

static void K12_the_error_is_that_of_the_current_generation_when_both_are_damaged(void **state)
{
    (void)state;
    firn_error err;
    have_two_generations();
    const firn_buffer text = {.data = (uint8_t *)(uintptr_t) "neither is a save file", .size = 22};
    saves_game_put(&game, "a", &text);
    saves_game_put(&game, "a", &(firn_buffer){.size = 0});
    saves_game_state before = saves_game_look(&game);
    firn_saves_loaded loaded;
    assert_int_equal(firn_saves_read(game.saves, "a", &loaded, &err), FIRN_TRUNCATED);
    assert_error(&err, FIRN_TRUNCATED, "");
    assert_false(loaded.from_backup);
    assert_null(loaded.envelope);
    assert_unchanged(&game, &before);
}

static void a_damaged_save_without_a_backup_is_its_own_error(void **state)
{
    (void)state;
    firn_error err;
    const firn_buffer text = {.data = (uint8_t *)(uintptr_t) "this is no save file", .size = 20};
    saves_game_put(&game, "a", &text);
    saves_game_state before = saves_game_look(&game);
    assert_int_equal(firn_saves_read(game.saves, "a", NULL, &err), FIRN_NOT_OURS);
    assert_error(&err, FIRN_NOT_OURS, "");
    assert_unchanged(&game, &before);
}

static void what_is_no_damage_is_no_reason_to_take_the_backup(void **state)
{
    (void)state;
    firn_error err;
    have_two_generations();
    saves_game_state before = saves_game_look(&game);
    get_result = FIRN_IO; // a folder in its place, or no right to read it
    assert_int_equal(firn_saves_read(game.saves, "a", NULL, &err), FIRN_IO);
    assert_error(&err, FIRN_IO, "");
    get_result = FIRN_LIMIT;
    assert_int_equal(firn_saves_read(game.saves, "a", NULL, &err), FIRN_LIMIT);
    assert_unchanged(&game, &before);
}

static void a_backup_that_cannot_be_read_leaves_the_error_of_the_current(void **state)
{
    (void)state;
    firn_error err;
    have_two_generations();
    get_result = FIRN_NOT_FOUND;
    backup_result = FIRN_IO;
    assert_int_equal(firn_saves_read(game.saves, "a", NULL, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "");
}

static void be_newer(firn_save_header *header)
{
    header->game_version = 2;
}

static void K13_a_newer_save_is_refused_whatever_its_backup_is(void **state)
{
    (void)state;
    firn_error err;
    have_two_generations();
    firn_buffer bytes = saves_game_slot(&game, "a", FIRN_CURRENT);
    bytes = saves_game_with_header(&bytes, be_newer);
    saves_game_put(&game, "a", &bytes);
    saves_game_state before = saves_game_look(&game);
    firn_saves_loaded loaded;
    assert_int_equal(firn_saves_read(game.saves, "a", &loaded, &err), FIRN_NEWER);
    assert_error(&err, FIRN_NEWER, "gameVersion");
    assert_false(loaded.from_backup);
    assert_int_equal(firn_save_file_header(loaded.envelope)->game_version, 2);
    firn_saves_loaded_free(&loaded);
    assert_unchanged(&game, &before);
    firn_buffer_free(&bytes);
}

static void a_save_above_the_limit_of_files_is_refused(void **state)
{
    (void)state;
    firn_error err;
    have_two_generations();
    const firn_limits limits = {.file_bytes = 1000};
    game.desc.limits = &limits;
    saves_game_open_again(&game);
    saves_game_state before = saves_game_look(&game);
    assert_int_equal(firn_saves_read(game.saves, "a", NULL, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "a");
    assert_unchanged(&game, &before);
}

static void K11_compressed_saves_are_written_and_read(void **state)
{
    (void)state;
    firn_error err;
    if (!firn_save_file_can_compress()) {
        game.desc.compression = 3;
        firn_saves_close(game.saves);
        game.saves = firn_saves_open(game.z.world, &game.desc, &err);
        assert_null(game.saves);
        assert_error(&err, FIRN_UNSUPPORTED, "compression");
        return;
    }
    firn_buffer image = zoo_save(game.z.world);
    assert_ok(firn_saves_write(game.saves, "plain", NULL, &err), &err);
    game.desc.compression = 3;
    saves_game_open_again(&game);
    assert_ok(firn_saves_write(game.saves, "a", NULL, &err), &err);
    firn_buffer small = saves_game_slot(&game, "a", FIRN_CURRENT);
    firn_buffer plain = saves_game_slot(&game, "plain", FIRN_CURRENT);
    assert_true(small.size < plain.size);
    zoo_litter(&game.z);
    assert_ok(firn_saves_read(game.saves, "a", NULL, &err), &err);
    assert_saves_as(game.z.world, &image);
    firn_buffer_free(&plain);
    firn_buffer_free(&small);
    firn_buffer_free(&image);
}

#define GAME_TEST(test) cmocka_unit_test_setup_teardown(test, make_game, saves_game_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        GAME_TEST(a_slot_is_read),
        GAME_TEST(an_empty_slot_is_not_found),
        GAME_TEST(K12_a_damaged_save_is_loaded_from_its_backup_and_that_is_told),
        GAME_TEST(K12_a_save_whose_current_generation_is_gone_is_loaded_from_its_backup),
        GAME_TEST(K12_the_error_is_that_of_the_current_generation_when_both_are_damaged),
        GAME_TEST(a_damaged_save_without_a_backup_is_its_own_error),
        GAME_TEST(what_is_no_damage_is_no_reason_to_take_the_backup),
        GAME_TEST(a_backup_that_cannot_be_read_leaves_the_error_of_the_current),
        GAME_TEST(K13_a_newer_save_is_refused_whatever_its_backup_is),
        GAME_TEST(a_save_above_the_limit_of_files_is_refused),
        GAME_TEST(K11_compressed_saves_are_written_and_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
