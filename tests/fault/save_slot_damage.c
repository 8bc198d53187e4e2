// A slot whose save of 4 KiB is damaged in every small way: it is noticed, and the backup is
// loaded instead, and that is told.
#include <stdlib.h>
#include <string.h>

#include "firn/firn.h"
#include "support/support.h"

#define SAVE_BYTES 4096

// A storage of one entry: its save, which is damaged, and its backup, which is not.
typedef struct fixture {
    firn_world *world;
    firn_component gold;
    firn_storage storage;
    firn_saves *saves;
    firn_buffer good;
    uint8_t bytes[SAVE_BYTES + 1];
    size_t size;
} fixture;

static fixture f;

static firn_result get_save(void *user, const char *name, firn_generation generation,
                            uint64_t limit, firn_buffer *out, firn_revision *revision,
                            firn_error *err)
{
    (void)user, (void)name, (void)limit, (void)revision;
    return generation == FIRN_CURRENT ? firn_buffer_append(out, f.bytes, f.size, err)
                                      : firn_buffer_append(out, f.good.data, f.good.size, err);
}

static firn_buffer make_save(const char *title)
{
    firn_error err;
    firn_buffer out = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *meta = firn_value_table(doc, &err);
    assert_ok(firn_table_set_text(doc, meta, "title", firn_value_text(doc, title, &err), &err),
              &err);
    const firn_saves_write_options options = {.meta = meta};
    assert_ok(firn_saves_make(f.saves, &options, &out, &err), &err);
    firn_doc_destroy(doc);
    return out;
}

static int make_slot(void **state)
{
    (void)state;
    firn_error err;
    char title[SAVE_BYTES] = "";
    f = (fixture){.size = 0};
    f.world = firn_world_create(NULL, &err);
    const firn_component_desc desc = {.name = "Gold", .kind = FIRN_NUMBER};
    f.gold = firn_component_register(f.world, &desc, &err);
    assert_int_not_equal(firn_spawn(f.world, &f.gold, 1, &err), 0);
    assert_ok(firn_storage_memory(NULL, &f.storage, &err), &err);
    firn_storage storage = f.storage;
    storage.get = get_save;
    const firn_saves_desc saves = {.game = "game", .storage = &storage};
    f.saves = firn_saves_open(f.world, &saves, &err);
    assert_non_null(f.saves);
    firn_buffer small = make_save("");
    memset(title, 'x', SAVE_BYTES - small.size - 100); // it has a parent, and a longer text
    firn_buffer_free(&small);
    f.good = make_save(title);
    assert_in_range(f.good.size, SAVE_BYTES - 128, SAVE_BYTES);
    return 0;
}

static int end_slot(void **state)
{
    (void)state;
    firn_saves_close(f.saves);
    firn_storage_close(&f.storage);
    firn_world_destroy(f.world);
    firn_buffer_free(&f.good);
    return 0;
}

static void assert_backup_used(const char *what, size_t at)
{
    firn_error err = {.code = FIRN_OK};
    firn_saves_loaded loaded;
    if (firn_saves_read(f.saves, "a", &loaded, &err) != FIRN_OK)
        fail_msg("%s at byte %zu: %s", what, at, err.message);
    if (!loaded.from_backup || loaded.damage.code == FIRN_OK || loaded.damage.message[0] == 0)
        fail_msg("%s at byte %zu is not told", what, at);
    firn_saves_loaded_free(&loaded);
}

static void K12_a_save_with_any_bit_flipped_is_loaded_from_its_backup(void **state)
{
    (void)state;
    f.size = f.good.size;
    memcpy(f.bytes, f.good.data, f.size);
    for (size_t i = 0; i < f.size * 8; i++) {
        f.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        assert_backup_used("a flipped bit", i / 8);
        f.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    }
}

static void K12_a_save_that_lost_any_byte_is_loaded_from_its_backup(void **state)
{
    (void)state;
    f.size = f.good.size - 1;
    for (size_t i = 0; i <= f.size; i++) {
        memcpy(f.bytes, f.good.data, i);
        memcpy(f.bytes + i, f.good.data + i + 1, f.size - i);
        assert_backup_used("a removed byte", i);
    }
}

static void K12_a_save_with_any_byte_doubled_is_loaded_from_its_backup(void **state)
{
    (void)state;
    f.size = f.good.size + 1;
    for (size_t i = 0; i + 1 < f.size; i++) {
        memcpy(f.bytes, f.good.data, i + 1);
        memcpy(f.bytes + i + 1, f.good.data + i, f.size - i - 1);
        assert_backup_used("a doubled byte", i);
    }
}

static void K12_a_save_cut_at_any_byte_is_loaded_from_its_backup(void **state)
{
    (void)state;
    memcpy(f.bytes, f.good.data, f.good.size);
    for (f.size = 0; f.size < f.good.size; f.size++)
        assert_backup_used("a cut", f.size);
}

#define SLOT_TEST(test) cmocka_unit_test_setup_teardown(test, make_slot, end_slot)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SLOT_TEST(K12_a_save_with_any_bit_flipped_is_loaded_from_its_backup),
        SLOT_TEST(K12_a_save_that_lost_any_byte_is_loaded_from_its_backup),
        SLOT_TEST(K12_a_save_with_any_byte_doubled_is_loaded_from_its_backup),
        SLOT_TEST(K12_a_save_cut_at_any_byte_is_loaded_from_its_backup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
