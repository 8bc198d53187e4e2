// Lists of slots for menus.
#include "api/slots_game.h"

#include "buffer/bytes.h"
#include "saves/file.h"

#include <string.h>

static firn_slot_list list_of(slots_game *game)
{
    firn_error err;
    firn_slot_list list;
    assert_ok(firn_saves_list(game->saves, &list, &err), &err);
    return list;
}

static void K8_a_list_has_every_slot_newest_first(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "b", 1);
    slots_game_write(game, "quicksave", 2);
    slots_game_write(game, "a", 3);
    slots_game_write(game, "b", 4);
    firn_slot_list list = list_of(game);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.slots[0].name, "b");
    assert_string_equal(list.slots[1].name, "a");
    assert_string_equal(list.slots[2].name, "quicksave");
    assert_int_equal(list.slots[0].header->timestamp, 1000000 + 4000);
    firn_slot_list_free(&list);
    assert_int_equal(list.count, 0);
    firn_slot_list_free(&list);
    firn_slot_list_free(NULL);
}

static void saves_of_one_moment_are_listed_by_revision_then_name(void **state)
{
    slots_game *game = *state;
    slots_game_put_header(game, "y", "test.slots", 1);
    slots_game_put_header(game, "x", "test.slots", 1);
    firn_error err;
    assert_ok(firn_saves_write(game->saves, "z", NULL, &err), &err);
    firn_slot_list list = list_of(game);
    assert_string_equal(list.slots[0].name, "z");
    assert_string_equal(list.slots[1].name, "x");
    assert_string_equal(list.slots[2].name, "y");
    firn_slot_list_free(&list);
}

static const char *current_level(void *user, firn_world *world)
{
    (void)user;
    (void)world;
    return "cave";
}

static void K6_a_list_says_what_the_headers_say_and_reads_no_world(void **state)
{
    slots_game *game = *state;
    firn_error err;
    firn_saves_close(game->saves);
    game->desc.levels = &(firn_levels){.current = current_level};
    slots_game_open(game);
    slots_game_tick(game);
    slots_game_tick(game);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *meta = firn_value_table(doc, &err);
    firn_table_set_text(doc, meta, "title", firn_value_text(doc, "The bridge", &err), &err);
    firn_table_set_text(doc, meta, "thumbnail", firn_value_text(doc, "pixels", &err), &err);
    const firn_saves_write_options options = {.meta = meta};
    assert_ok(firn_saves_write(game->saves, "one", &options, &err), &err);
    firn_doc_destroy(doc);

    game->gets = 0;
    firn_slot_list list = list_of(game);
    assert_int_equal(game->gets, 0);
    const firn_slot *slot = &list.slots[0];
    assert_string_equal(slot->header->level, "cave");
    assert_true(slot->header->play_time == 2);
    assert_string_equal(firn_table_get_text(slot->header->meta, "title")->as.string, "The bridge");
    assert_true(slot->has_thumbnail);
    assert_false(slot->newer || slot->other_game || slot->from_backup);
    assert_int_equal(slot->error.code, FIRN_OK);
    firn_buffer bytes = slots_game_bytes(game, "one", FIRN_CURRENT);
    assert_int_equal(slot->size, bytes.size);
    firn_buffer_free(&bytes);
    firn_slot_list_free(&list);
}

static void K8_no_slots_are_an_empty_list(void **state)
{
    slots_game *game = *state;
    firn_slot_list list = list_of(game);
    assert_int_equal(list.count, 0);
    assert_null(list.memory);
    firn_slot_list_free(&list);
}

// ---- damage

static void S4_K8_damaged_slots_are_listed_last_with_their_error(void **state)
{
    slots_game *game = *state;
    slots_game_put(game, "text", "this is no save, but text", 25);
    slots_game_put(game, "empty", "", 0);
    slots_game_write(game, "whole", 1);
    firn_slot_list list = list_of(game);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.slots[0].name, "whole");
    assert_string_equal(list.slots[1].name, "empty");
    assert_null(list.slots[1].header);
    assert_error(&list.slots[1].error, FIRN_TRUNCATED, "");
    assert_string_equal(list.slots[2].name, "text");
    assert_null(list.slots[2].header);
    assert_int_equal(list.slots[2].size, 25);
    assert_error(&list.slots[2].error, FIRN_NOT_OURS, "");
    firn_slot_list_free(&list);
}

static void a_head_that_is_damaged_is_listed_from_the_backup(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "a", 1);
    firn_buffer backup = slots_game_bytes(game, "a", FIRN_CURRENT);
    slots_game_put(game, "a", "damage", 6);
    firn_slot_list list = list_of(game);
    assert_true(list.slots[0].from_backup);
    assert_non_null(list.slots[0].header);
    assert_int_equal(list.slots[0].size, backup.size);
    assert_error(&list.slots[0].error, FIRN_NOT_OURS, "");
    firn_slot_list_free(&list);

    // Both.
    slots_game_put(game, "a", "more", 4);
    list = list_of(game);
    assert_false(list.slots[0].from_backup);
    assert_null(list.slots[0].header);
    assert_int_equal(list.slots[0].size, 4);
    firn_slot_list_free(&list);
    firn_buffer_free(&backup);
}

static void a_file_that_is_shorter_or_longer_than_its_head_says_is_damaged(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_write(game, "a", 1);
    firn_buffer bytes = slots_game_bytes(game, "a", FIRN_CURRENT);
    slots_game_put(game, "cut", bytes.data, bytes.size - 1);
    assert_ok(firn_buffer_append(&bytes, "x", 1, &err), &err);
    slots_game_put(game, "more", bytes.data, bytes.size);
    firn_slot_list list = list_of(game);
    assert_string_equal(list.slots[1].name, "cut");
    assert_non_null(list.slots[1].header);
    assert_error(&list.slots[1].error, FIRN_TRUNCATED, "cut");
    assert_string_equal(list.slots[2].name, "more");
    assert_error(&list.slots[2].error, FIRN_CORRUPT, "more");
    firn_slot_list_free(&list);
    firn_buffer_free(&bytes);
}

static void a_save_cut_short_is_listed_from_the_backup(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "a", 1);
    slots_game_write(game, "b", 2);
    firn_buffer bytes = slots_game_bytes(game, "b", FIRN_CURRENT);
    slots_game_put(game, "a", bytes.data, bytes.size - 1);
    firn_buffer_free(&bytes);
    firn_slot_list list = list_of(game);
    assert_string_equal(list.slots[1].name, "a");
    assert_true(list.slots[1].from_backup);
    assert_int_equal(list.slots[1].header->revision, 1);
    assert_error(&list.slots[1].error, FIRN_TRUNCATED, "a");
    firn_slot_list_free(&list);
}

static void a_slot_with_only_a_backup_is_listed_with_it(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "a", 1);
    slots_game_write(game, "a", 2);
    game->current_gone = true;
    assert_true(firn_saves_has(game->saves, "a"));
    firn_slot_list list = list_of(game);
    assert_true(list.slots[0].from_backup);
    assert_int_equal(list.slots[0].header->revision, 1);
    assert_error(&list.slots[0].error, FIRN_NOT_FOUND, "");
    firn_slot_list_free(&list);

    slots_game_put(game, "a", "damage", 6);
    slots_game_put(game, "a", "", 0);
    list = list_of(game);
    assert_null(list.slots[0].header);
    assert_false(list.slots[0].from_backup);
    assert_int_equal(list.slots[0].size, 6);
    assert_error(&list.slots[0].error, FIRN_NOT_OURS, ""); // that of the backup
    firn_slot_list_free(&list);
}

// ---- whose they are

static void K13_saves_of_newer_and_other_games_are_listed_and_flagged(void **state)
{
    slots_game *game = *state;
    slots_game_put_header(game, "newer", "test.slots", 3);
    slots_game_put_header(game, "older", "test.slots", 1);
    slots_game_put_header(game, "other", "test.more", 1);
    firn_slot_list list = list_of(game);
    assert_true(list.slots[0].newer && !list.slots[0].other_game);
    assert_false(list.slots[1].newer || list.slots[1].other_game);
    assert_true(list.slots[2].other_game && !list.slots[2].newer);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(list.slots[i].error.code, FIRN_OK);
    }
    firn_slot_list_free(&list);
}

// ---- 200 slots of 50 MB, which the storage only pretends

#define MANY      200
#define MANY_SIZE (UINT64_C(50) << 20)

typedef struct pretender {
    firn_buffer head;
    uint64_t read[MANY];
} pretender;

static firn_result pretended_head(void *user, const char *name, firn_generation generation,
                                  void *bytes, size_t room, size_t *got, firn_stored *stored,
                                  firn_error *err)
{
    (void)generation, (void)err;
    pretender *it = user;
    unsigned index = (unsigned)(name[1] - '0') * 100 + (unsigned)(name[2] - '0') * 10 +
                     (unsigned)(name[3] - '0');
    // All that is asked for comes: what lies behind the head are bytes of the sections.
    memset(bytes, 0xee, room);
    memcpy(bytes, it->head.data, it->head.size < room ? it->head.size : room);
    *got = room;
    it->read[index] += room;
    *stored = (firn_stored){.name = name, .size = MANY_SIZE, .revision = 1};
    return FIRN_OK;
}

static firn_result pretended_list(void *user, firn_stored_fn each, void *each_user, firn_error *err)
{
    (void)user;
    firn_result result = FIRN_OK;
    for (unsigned i = 0; i < MANY && result == FIRN_OK; i++) {
        const char name[] = {'s', (char)('0' + i / 100), (char)('0' + i / 10 % 10),
                             (char)('0' + i % 10), 0};
        const firn_stored stored = {.name = name, .size = MANY_SIZE, .revision = 1};
        result = each(each_user, &stored, err);
    }
    return result;
}

// The head of a save in `slot`, changed to one whose last section fills 50 MB.
static firn_buffer large_head(slots_game *game, const char *slot)
{
    firn_buffer bytes = slots_game_bytes(game, slot, FIRN_CURRENT);
    uint8_t *at = bytes.data;
    uint32_t size = fr_load_u32(at + FR_HEAD_SIZE), count = fr_load_u32(at + FR_HEAD_COUNT);
    uint8_t *entry = at + FR_SAVE_FIXED_BYTES + fr_load_u32(at + FR_HEAD_HEADER) +
                     (count - 1) * FR_SAVE_ENTRY_BYTES;
    uint64_t more = MANY_SIZE - fr_load_u64(at + FR_HEAD_FILE);
    fr_store_u64(at + FR_HEAD_FILE, MANY_SIZE);
    fr_store_u64(entry + FR_ENTRY_SIZE, fr_load_u64(entry + FR_ENTRY_SIZE) + more);
    fr_store_u64(entry + FR_ENTRY_STORED, fr_load_u64(entry + FR_ENTRY_STORED) + more);
    firn_digest digest = firn_bytes_digest(at, size - FR_SAVE_DIGEST_BYTES);
    fr_put_digest(at + size - FR_SAVE_DIGEST_BYTES, digest);
    bytes.size = size;
    return bytes;
}

static void K6_a_list_of_200_slots_of_50_MB_reads_4_KiB_of_each(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "one", 1);
    pretender it = {.head = large_head(game, "one")};
    firn_saves_close(game->saves);
    game->storage.head = pretended_head;
    game->storage.list = pretended_list;
    game->storage.user = &it;
    slots_game_open(game);
    firn_slot_list list = list_of(game);
    assert_int_equal(list.count, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        assert_int_equal(list.slots[i].error.code, FIRN_OK);
        assert_int_equal(list.slots[i].size, MANY_SIZE);
        assert_int_equal(list.slots[i].header->revision, 1);
        assert_in_range(it.read[i], 1, FIRN_SAVE_HEAD_MOST);
    }
    firn_slot_list_free(&list);
    firn_buffer_free(&it.head);
}

// ---- what fails

static void a_list_that_fails_is_empty_and_says_why(void **state)
{
    slots_game *game = *state;
    firn_error err;
    firn_slot_list list;
    slots_game_write(game, "a", 1);
    game->list_fails = FIRN_IO;
    assert_int_equal(firn_saves_list(game->saves, &list, &err), FIRN_IO);
    assert_int_equal(err.code, FIRN_IO);
    assert_int_equal(list.count, 0);
    assert_null(list.slots);
    assert_int_equal(firn_saves_list(NULL, &list, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "saves");
    assert_int_equal(firn_saves_list(game->saves, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");

    firn_saves_close(game->saves);
    game->desc.storage = NULL;
    slots_game_open(game);
    assert_int_equal(firn_saves_list(game->saves, &list, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "storage");
}

static void a_slot_that_cannot_be_read_is_listed_with_the_reason(void **state)
{
    slots_game *game = *state;
    slots_game_write(game, "a", 1);
    game->head_fails = FIRN_IO;
    firn_slot_list list = list_of(game);
    assert_int_equal(list.count, 1);
    assert_null(list.slots[0].header);
    assert_int_equal(list.slots[0].error.code, FIRN_IO);
    firn_slot_list_free(&list);

    // Somebody removed it between the list and the look.
    game->head_fails = FIRN_NOT_FOUND;
    list = list_of(game);
    assert_int_equal(list.count, 0);
    firn_slot_list_free(&list);
}

// A storage of the game's that says that it read more than there was room for.
static firn_result head_of_too_much(void *user, const char *name, firn_generation generation,
                                    void *bytes, size_t room, size_t *got, firn_stored *stored,
                                    firn_error *err)
{
    (void)user, (void)generation, (void)stored, (void)name, (void)err;
    memset(bytes, 0, room);
    *got = room + 1;
    return FIRN_OK;
}

static void a_storage_that_gives_more_than_a_head_is_refused(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_write(game, "a", 1);
    firn_saves_close(game->saves);
    game->storage.head = head_of_too_much;
    slots_game_open(game);
    firn_slot_list list = list_of(game);
    assert_int_equal(list.count, 1);
    assert_null(list.slots[0].header);
    assert_int_equal(list.slots[0].error.code, FIRN_IO);
    assert_non_null(strstr(list.slots[0].error.message, "4097 bytes"));
    firn_slot_list_free(&list);
    assert_int_equal(firn_saves_write(game->saves, "a", NULL, &err), FIRN_IO);
    assert_error(&err, FIRN_IO, "a");
}

// ---- Continue

static void K8_the_newest_slot_that_loads_is_for_a_Continue_button(void **state)
{
    slots_game *game = *state;
    firn_error err;
    char slot[FIRN_SLOT_NAME_SIZE] = "as it was";
    assert_int_equal(firn_saves_newest(game->saves, slot, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "slot");
    assert_string_equal(slot, "as it was");

    slots_game_write(game, "old", 1);
    slots_game_write(game, "new", 2);
    game->clock += 5000;
    slots_game_put_header(game, "newer", "test.slots", 3);
    slots_game_put_header(game, "other", "test.more", 1);
    slots_game_put(game, "text", "text", 4);
    assert_ok(firn_saves_newest(game->saves, slot, &err), &err);
    assert_string_equal(slot, "new");
    assert_int_equal(firn_saves_newest(game->saves, NULL, &err), FIRN_INVALID);
    // A manager of the other kind loads none of them.
    game->desc.kind = FIRN_SAVES_PERSISTED;
    slots_game_open_again(game);
    assert_int_equal(firn_saves_newest(game->saves, slot, &err), FIRN_NOT_FOUND);
    slots_game_write(game, "persisted", 3);
    assert_ok(firn_saves_newest(game->saves, slot, &err), &err);
    assert_string_equal(slot, "persisted");
    game->list_fails = FIRN_IO;
    assert_int_equal(firn_saves_newest(game->saves, slot, &err), FIRN_IO);
}

static void K8_the_newest_slot_may_be_one_whose_backup_loads(void **state)
{
    slots_game *game = *state;
    firn_error err;
    char slot[FIRN_SLOT_NAME_SIZE];
    slots_game_write(game, "b", 1);
    slots_game_write(game, "a", 2);
    slots_game_put(game, "a", "damage", 6);
    firn_buffer bytes = slots_game_bytes(game, "b", FIRN_CURRENT);
    game->clock += 1000;
    slots_game_put(game, "cut", bytes.data, bytes.size - 1);
    firn_buffer_free(&bytes);
    assert_ok(firn_saves_newest(game->saves, slot, &err), &err);
    assert_string_equal(slot, "a");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, slots_game_setup, slots_game_teardown)
    const struct CMUnitTest tests[] = {
        TEST(K8_a_list_has_every_slot_newest_first),
        TEST(saves_of_one_moment_are_listed_by_revision_then_name),
        TEST(K6_a_list_says_what_the_headers_say_and_reads_no_world),
        TEST(K8_no_slots_are_an_empty_list),
        TEST(S4_K8_damaged_slots_are_listed_last_with_their_error),
        TEST(a_head_that_is_damaged_is_listed_from_the_backup),
        TEST(a_file_that_is_shorter_or_longer_than_its_head_says_is_damaged),
        TEST(a_save_cut_short_is_listed_from_the_backup),
        TEST(a_slot_with_only_a_backup_is_listed_with_it),
        TEST(K13_saves_of_newer_and_other_games_are_listed_and_flagged),
        TEST(K6_a_list_of_200_slots_of_50_MB_reads_4_KiB_of_each),
        TEST(a_list_that_fails_is_empty_and_says_why),
        TEST(a_slot_that_cannot_be_read_is_listed_with_the_reason),
        TEST(a_storage_that_gives_more_than_a_head_is_refused),
        TEST(K8_the_newest_slot_that_loads_is_for_a_Continue_button),
        TEST(K8_the_newest_slot_may_be_one_whose_backup_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
