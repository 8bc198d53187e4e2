// Single slots: has, thumbnail, copy, rename, remove.
#include "api/slots_game.h"

static void assert_same_slots(slots_game *game, const char *a, const char *b)
{
    firn_buffer one = slots_game_bytes(game, a, FIRN_CURRENT);
    firn_buffer two = slots_game_bytes(game, b, FIRN_CURRENT);
    assert_int_equal(one.size, two.size);
    assert_memory_equal(one.data, two.data, one.size);
    firn_buffer_free(&one);
    firn_buffer_free(&two);
}

static void K8_has_says_whether_a_slot_has_a_save_damaged_or_not(void **state)
{
    slots_game *game = *state;
    assert_false(firn_saves_has(game->saves, "a"));
    slots_game_write(game, "a", 1);
    slots_game_put(game, "text", "text", 4);
    assert_true(firn_saves_has(game->saves, "a"));
    assert_true(firn_saves_has(game->saves, "text"));
    assert_false(firn_saves_has(game->saves, "../a"));
    assert_false(firn_saves_has(game->saves, NULL));
    assert_false(firn_saves_has(NULL, "a"));
    game->head_fails = FIRN_IO; // something is there
    assert_true(firn_saves_has(game->saves, "a"));
    firn_saves_close(game->saves);
    game->desc.storage = NULL;
    slots_game_open(game);
    assert_false(firn_saves_has(game->saves, "a"));
}

// ---- thumbnails

static void write_thumbnail(slots_game *game, const char *slot, const char *pixels)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *meta = firn_value_table(doc, &err);
    firn_table_set_text(doc, meta, "thumbnail", firn_value_text(doc, pixels, &err), &err);
    const firn_saves_write_options options = {.meta = meta};
    assert_ok(firn_saves_write(game->saves, slot, &options, &err), &err);
    firn_doc_destroy(doc);
}

static void K6_a_thumbnail_is_read_by_itself(void **state)
{
    slots_game *game = *state;
    firn_error err;
    firn_buffer out;
    firn_buffer_init(&out, NULL);
    write_thumbnail(game, "a", "pixels");
    assert_ok(firn_buffer_append(&out, "before ", 7, &err), &err);
    assert_ok(firn_saves_thumbnail(game->saves, "a", &out, &err), &err);
    assert_int_equal(out.size, 13);
    assert_memory_equal(out.data, "before pixels", 13);

    slots_game_write(game, "without", 1);
    assert_int_equal(firn_saves_thumbnail(game->saves, "without", &out, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "without");
    assert_int_equal(firn_saves_thumbnail(game->saves, "nobody", &out, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "nobody");
    assert_int_equal(firn_saves_thumbnail(game->saves, "A", &out, &err), FIRN_INVALID);
    assert_int_equal(firn_saves_thumbnail(game->saves, "a", NULL, &err), FIRN_INVALID);
    assert_int_equal(firn_saves_thumbnail(NULL, "a", &out, &err), FIRN_INVALID);
    assert_int_equal(out.size, 13);
    firn_buffer_free(&out);
}

static void K6_the_thumbnail_of_a_damaged_save_is_that_of_its_backup(void **state)
{
    slots_game *game = *state;
    firn_error err;
    firn_buffer out;
    firn_buffer_init(&out, NULL);
    write_thumbnail(game, "a", "pixels");
    write_thumbnail(game, "b", "others");
    firn_buffer bytes = slots_game_bytes(game, "b", FIRN_CURRENT);
    bytes.data[bytes.size - 1] ^= 1;
    slots_game_put(game, "a", bytes.data, bytes.size);
    assert_ok(firn_saves_thumbnail(game->saves, "a", &out, &err), &err);
    assert_memory_equal(out.data, "pixels", 6);

    slots_game_put(game, "a", bytes.data, bytes.size); // both generations
    assert_int_equal(firn_saves_thumbnail(game->saves, "a", &out, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "thumbnail");
    assert_int_equal(out.size, 6);
    firn_buffer_free(&bytes);
    firn_buffer_free(&out);
}

// ---- copies

static void K8_a_copy_is_the_same_byte_for_byte(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_write(game, "a", 1);
    assert_ok(firn_saves_copy(game->saves, "a", "b", false, &err), &err);
    assert_same_slots(game, "a", "b");

    slots_game_write(game, "a", 2);
    assert_int_equal(firn_saves_copy(game->saves, "a", "b", false, &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "b");
    assert_true(slots_game_saved_score(game, "b") == 1);
    assert_ok(firn_saves_copy(game->saves, "a", "b", true, &err), &err);
    assert_true(slots_game_saved_score(game, "b") == 2);
}

static void K8_what_cannot_be_copied_says_why(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_write(game, "a", 1);
    assert_int_equal(firn_saves_copy(game->saves, "nobody", "b", false, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "nobody");
    assert_int_equal(firn_saves_copy(game->saves, "a", "a", true, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "a");
    assert_int_equal(firn_saves_copy(game->saves, "a", "B", true, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "B");
    assert_int_equal(firn_saves_copy(game->saves, "A", "b", true, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "A");
    assert_int_equal(firn_saves_copy(NULL, "a", "b", true, &err), FIRN_INVALID);
    game->put_fails = FIRN_IO;
    assert_int_equal(firn_saves_copy(game->saves, "a", "b", true, &err), FIRN_IO);
    assert_false(firn_saves_has(game->saves, "b"));
    game->head_fails = FIRN_NO_MEMORY;
    assert_int_equal(firn_saves_copy(game->saves, "a", "b", true, &err), FIRN_NO_MEMORY);
    game->list_fails = FIRN_IO;
    assert_int_equal(firn_saves_copy(game->saves, "a", "b", true, &err), FIRN_IO);
}

static void K8_a_damaged_save_is_not_copied(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_write(game, "a", 1);
    firn_buffer bytes = slots_game_bytes(game, "a", FIRN_CURRENT);
    bytes.data[bytes.size - 1] ^= 1;
    slots_game_put(game, "a", bytes.data, bytes.size);
    assert_int_equal(firn_saves_copy(game->saves, "a", "b", false, &err), FIRN_CORRUPT);
    assert_false(firn_saves_has(game->saves, "b"));
    assert_int_equal(firn_saves_rename(game->saves, "a", "b", false, &err), FIRN_CORRUPT);
    assert_true(firn_saves_has(game->saves, "a"));
    firn_buffer_free(&bytes);
}

static void K10_a_copy_is_no_slot_too_many(void **state)
{
    slots_game *game = *state;
    firn_error err;
    firn_saves_close(game->saves);
    game->desc.max_slots = 2;
    slots_game_open(game);
    slots_game_write(game, "a", 1);
    slots_game_write(game, "b", 2);
    assert_int_equal(firn_saves_copy(game->saves, "a", "c", false, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "c");
    assert_ok(firn_saves_copy(game->saves, "a", "quicksave", false, &err), &err);
    assert_ok(firn_saves_copy(game->saves, "a", "b", true, &err), &err);
    assert_ok(firn_saves_rename(game->saves, "a", "c", false, &err), &err);
    assert_int_equal(firn_saves_rename(game->saves, "quicksave", "d", false, &err), FIRN_LIMIT);
}

static void K10_more_slots_than_the_limit_are_still_replaced_and_renamed(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_write(game, "a", 1);
    slots_game_write(game, "b", 2);
    slots_game_write(game, "c", 3);
    firn_saves_close(game->saves);
    game->desc.max_slots = 2;
    slots_game_open(game);
    assert_ok(firn_saves_copy(game->saves, "a", "b", true, &err), &err);
    assert_true(slots_game_saved_score(game, "b") == 1);
    assert_ok(firn_saves_rename(game->saves, "a", "d", false, &err), &err);
    assert_int_equal(firn_saves_copy(game->saves, "d", "a", false, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "a");
}

// ---- renames and removals

static void K8_a_rename_moves_a_save(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_write(game, "a", 1);
    slots_game_write(game, "b", 2);
    assert_int_equal(firn_saves_rename(game->saves, "a", "b", false, &err), FIRN_EXISTS);
    assert_true(firn_saves_has(game->saves, "a"));
    assert_ok(firn_saves_rename(game->saves, "a", "b", true, &err), &err);
    assert_false(firn_saves_has(game->saves, "a"));
    assert_true(slots_game_saved_score(game, "b") == 1);
    assert_ok(firn_saves_rename(game->saves, "b", "c", false, &err), &err);
    assert_true(slots_game_saved_score(game, "c") == 1);
}

static void K8_a_rename_whose_copy_may_not_survive_leaves_both(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_write(game, "a", 1);
    game->put_fails = FIRN_NOT_DURABLE;
    assert_int_equal(firn_saves_rename(game->saves, "a", "b", false, &err), FIRN_NOT_DURABLE);
    assert_same_slots(game, "a", "b");
}

static void K8_a_removed_slot_is_gone_with_its_backup(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_write(game, "a", 1);
    slots_game_write(game, "a", 2);
    assert_ok(firn_saves_remove(game->saves, "a", &err), &err);
    assert_false(firn_saves_has(game->saves, "a"));
    assert_int_equal(firn_saves_remove(game->saves, "a", &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "a");
    assert_int_equal(firn_saves_remove(game->saves, "", &err), FIRN_INVALID);
    assert_int_equal(firn_saves_remove(NULL, "a", &err), FIRN_INVALID);
}

// ---- while a save runs

static firn_result change_slots(void *user, firn_saves *saves, firn_doc *doc, firn_value *fields,
                                firn_error *err)
{
    (void)doc, (void)fields, (void)err;
    slots_game *game = user;
    firn_error why;
    assert_int_equal(firn_saves_remove(saves, "a", &why), FIRN_BUSY);
    assert_int_equal(firn_saves_copy(saves, "a", "b", true, &why), FIRN_BUSY);
    assert_int_equal(firn_saves_rename(saves, "a", "b", true, &why), FIRN_BUSY);
    assert_true(firn_saves_has(saves, "a"));
    game->heard_count = 7;
    return FIRN_OK;
}

static void a_hook_of_a_save_cannot_change_slots(void **state)
{
    slots_game *game = *state;
    firn_error err;
    slots_game_write(game, "a", 1);
    assert_true(firn_saves_before_save(game->saves, NULL, change_slots, game, &err) != 0);
    slots_game_write(game, "a", 2);
    assert_int_equal(game->heard_count, 7);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, slots_game_setup, slots_game_teardown)
    const struct CMUnitTest tests[] = {
        TEST(K8_has_says_whether_a_slot_has_a_save_damaged_or_not),
        TEST(K6_a_thumbnail_is_read_by_itself),
        TEST(K6_the_thumbnail_of_a_damaged_save_is_that_of_its_backup),
        TEST(K8_a_copy_is_the_same_byte_for_byte),
        TEST(K8_what_cannot_be_copied_says_why),
        TEST(K8_a_damaged_save_is_not_copied),
        TEST(K10_a_copy_is_no_slot_too_many),
        TEST(K10_more_slots_than_the_limit_are_still_replaced_and_renamed),
        TEST(K8_a_rename_moves_a_save),
        TEST(K8_a_rename_whose_copy_may_not_survive_leaves_both),
        TEST(K8_a_removed_slot_is_gone_with_its_backup),
        TEST(a_hook_of_a_save_cannot_change_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
