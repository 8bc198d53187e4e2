// Files in the folder of saves that are no save, or not of this game: each has a result of its own
// and a message that names it, and world, files and backups stay.
#include "unit/os_folder.h"

#include "api/saves_game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static saves_game game;

static void open_in(const os_folder *folder)
{
    firn_error err;
    saves_game_make(&game);
    firn_storage_close(&game.storage);
    const firn_folder_desc desc = {.path = folder->path};
    assert_ok(firn_storage_folder(&desc, &game.storage, &err), &err);
    game.desc.version = 2;
    game.desc.levels = &game.levels;
    saves_game_open(&game);
    saves_game_set(&game, "chapter", 1);
}

// The bytes of a file; of the default allocator. Empty: there is none that can be read.
static firn_buffer file_bytes(const os_folder *folder, const char *name)
{
    firn_error err;
    firn_buffer bytes = {0};
    FILE *file = fopen(os_folder_path(folder, name), "rb");
    for (int c; file != NULL && (c = getc(file)) != EOF;) {
        const uint8_t byte = (uint8_t)c;
        assert_ok(firn_buffer_append(&bytes, &byte, 1, &err), &err);
    }
    if (file != NULL)
        fclose(file);
    return bytes;
}

static void write_bytes(const os_folder *folder, const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(os_folder_path(folder, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static firn_error refused(const os_folder *folder, firn_result result)
{
    firn_error err;
    firn_buffer before = file_bytes(folder, "s_a.firn");
    int entries = os_folder_entries(folder);
    saves_game_state state = saves_game_look(&game);
    assert_int_equal(firn_saves_read(game.saves, "a", NULL, &err), result);
    assert_error(&err, result, "");
    assert_unchanged(&game, &state);
    assert_string_equal(game.trace, "");
    assert_int_equal(os_folder_entries(folder), entries);
    firn_buffer after = file_bytes(folder, "s_a.firn");
    assert_same_bytes(&after, &before);
    firn_buffer_free(&before);
    firn_buffer_free(&after);
    return err;
}

static void a_file_that_is_a_folder_is_refused(void **state)
{
    const os_folder *folder = *state;
    open_in(folder);
    assert_int_equal(mkdir(os_folder_path(folder, "s_a.firn"), 0700), 0);
    firn_error err = refused(folder, FIRN_IO);
    assert_non_null(strstr(err.message, "s_a.firn"));
    firn_error why;
    assert_int_not_equal(firn_saves_write(game.saves, "a", NULL, &why), FIRN_OK);
    saves_game_end(&game);
}

static void a_file_that_cannot_be_read_is_refused(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    open_in(folder);
    assert_ok(firn_saves_write(game.saves, "a", NULL, &err), &err);
    assert_int_equal(chmod(os_folder_path(folder, "s_a.firn"), 0), 0);
    if (os_leave_root(folder)) {
        assert_int_equal(firn_saves_read(game.saves, "a", NULL, &err), FIRN_IO);
        os_back_to_root();
        assert_error(&err, FIRN_IO, "");
        assert_non_null(strstr(err.message, "s_a.firn"));
    }
    assert_int_equal(chmod(os_folder_path(folder, "s_a.firn"), 0600), 0);
    assert_ok(firn_saves_read(game.saves, "a", NULL, &err), &err);
    saves_game_end(&game);
}

static void be_of_another_game(firn_save_header *header)
{
    header->game = "other";
}

static void be_newer(firn_save_header *header)
{
    header->game_version = 9;
}

static void be_elsewhere(firn_save_header *header)
{
    header->level = "nowhere";
}

static void each_bad_file_has_a_result_and_a_message_of_its_own(void **state)
{
    const os_folder *folder = *state;
    open_in(folder);
    firn_buffer good = saves_game_file(&game), other = saves_game_file(&game),
                newer = saves_game_file(&game), image = zoo_save(game.z.world);
    other = saves_game_with_header(&other, be_of_another_game);
    newer = saves_game_with_header(&newer, be_newer);
    const struct {
        const void *bytes;
        size_t size;
        firn_result result;
    } cases[] = {
        {"", 0, FIRN_TRUNCATED},
        {"{\"save\": \"a text of somebody else\"}", 34, FIRN_NOT_OURS},
        {image.data, image.size, FIRN_NOT_OURS},
        {other.data, other.size, FIRN_OTHER_GAME},
        {newer.data, newer.size, FIRN_NEWER},
        {good.data, good.size / 2, FIRN_TRUNCATED},
    };
    char messages[6][512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_bytes(folder, "s_a.firn", cases[i].bytes, cases[i].size);
        firn_error err = refused(folder, cases[i].result);
        memcpy(messages[i], err.message, sizeof messages[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(messages[i], messages[j]);
    }
    firn_buffer_free(&good);
    firn_buffer_free(&other);
    firn_buffer_free(&newer);
    firn_buffer_free(&image);
    saves_game_end(&game);
}

// A file that is refused although its backup would load, and one whose backup is as bad.
static void the_backup_of_a_file_that_is_refused_stays(void **state)
{
    const os_folder *folder = *state;
    open_in(folder);
    firn_buffer good = saves_game_file(&game), other = saves_game_file(&game),
                newer = saves_game_file(&game);
    other = saves_game_with_header(&other, be_of_another_game);
    newer = saves_game_with_header(&newer, be_newer);
    const struct {
        const firn_buffer *current, *backup;
        size_t cut;
        firn_result result;
    } cases[] = {
        {&other, &good, 0, FIRN_OTHER_GAME},
        {&newer, &good, 0, FIRN_NEWER},
        {&good, &good, 9, FIRN_TRUNCATED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const firn_buffer *current = cases[i].current, *backup = cases[i].backup;
        write_bytes(folder, "s_a.firn", current->data, current->size - cases[i].cut);
        write_bytes(folder, "s_a.firn.bak", backup->data, backup->size - cases[i].cut);
        (void)refused(folder, cases[i].result);
        firn_buffer after = file_bytes(folder, "s_a.firn.bak");
        assert_int_equal(after.size, backup->size - cases[i].cut);
        assert_memory_equal(after.data, backup->data, after.size);
        firn_buffer_free(&after);
    }
    firn_buffer_free(&good);
    firn_buffer_free(&other);
    firn_buffer_free(&newer);
    saves_game_end(&game);
}

static void a_save_of_a_level_that_is_gone_is_refused(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    open_in(folder);
    firn_buffer bytes = saves_game_file(&game);
    bytes = saves_game_with_header(&bytes, be_elsewhere);
    write_bytes(folder, "s_a.firn", bytes.data, bytes.size);
    saves_game_state before = saves_game_look(&game);
    assert_int_equal(firn_saves_read(game.saves, "a", NULL, &err), FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "");
    assert_unchanged(&game, &before);
    firn_buffer_free(&bytes);
    saves_game_end(&game);
}

static void a_save_that_expands_beyond_the_limits_is_refused(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    open_in(folder);
    if (firn_save_file_can_compress()) {
        const size_t size = (size_t)4 << 20;
        const firn_limits limits = {.expand_ratio = 20};
        uint8_t *map = calloc(size, 1);
        uint32_t noise = 1;
        for (size_t i = 0; i < size; i += 32)
            map[i] = (uint8_t)((noise = noise * 1664525 + 1013904223) >> 24);
        game.desc.limits = &limits;
        saves_game_open_again(&game);
        firn_buffer image = zoo_save(game.z.world), bytes = {0};
        const firn_section sections[] = {{FIRN_SECTION_SNAPSHOT, image.data, image.size},
                                         {"map", map, size}};
        const firn_save_file_options options = {.compression = 1};
        const firn_save_header header = {.game_version = 2, .game = "zoo", .level = "start"};
        assert_ok(firn_save_file_write(&header, sections, 2, &options, &bytes, &err), &err);
        write_bytes(folder, "s_a.firn", bytes.data, bytes.size);
        (void)refused(folder, FIRN_LIMIT);
        assert_true(bytes.size < size / 20);
        firn_buffer_free(&bytes);
        firn_buffer_free(&image);
        free(map);
    }
    saves_game_end(&game);
}

static void a_save_cut_at_any_byte_is_refused(void **state)
{
    const os_folder *folder = *state;
    firn_error err;
    open_in(folder);
    firn_buffer bytes = saves_game_file(&game);
    for (size_t cut = 0; cut < bytes.size; cut++) {
        firn_result result = firn_saves_take(game.saves, bytes.data, cut, NULL, &err);
        assert_true(result == FIRN_TRUNCATED || result == FIRN_CORRUPT);
    }
    assert_string_equal(game.trace, "");
    write_bytes(folder, "s_a.firn", bytes.data, bytes.size - 1);
    (void)refused(folder, FIRN_TRUNCATED);
    firn_buffer_free(&bytes);
    saves_game_end(&game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        os_test(a_file_that_is_a_folder_is_refused),
        os_test(a_file_that_cannot_be_read_is_refused),
        os_test(each_bad_file_has_a_result_and_a_message_of_its_own),
        os_test(the_backup_of_a_file_that_is_refused_stays),
        os_test(a_save_of_a_level_that_is_gone_is_refused),
        os_test(a_save_that_expands_beyond_the_limits_is_refused),
        os_test(a_save_cut_at_any_byte_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
