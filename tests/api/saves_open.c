// Managers: what they are opened with, their world, their end.
#include "api/snapshot_zoo.h"

#include <math.h>
#include <string.h>

static firn_result storage_put(void *user, const char *name, firn_revision expected,
                               const void *bytes, size_t size, firn_revision *revision,
                               firn_error *err)
{
    (void)user, (void)name, (void)expected, (void)bytes, (void)size, (void)revision, (void)err;
    return FIRN_IO;
}

static firn_result storage_get(void *user, const char *name, firn_generation generation,
                               uint64_t limit, firn_buffer *out, firn_revision *revision,
                               firn_error *err)
{
    (void)user, (void)name, (void)generation, (void)limit, (void)out, (void)revision, (void)err;
    return FIRN_IO;
}

static firn_result storage_head(void *user, const char *name, firn_generation generation,
                                void *bytes, size_t room, size_t *got, firn_stored *stored,
                                firn_error *err)
{
    (void)user, (void)name, (void)generation, (void)bytes, (void)room, (void)got, (void)stored;
    (void)err;
    return FIRN_IO;
}

static firn_result storage_list(void *user, firn_stored_fn each, void *each_user, firn_error *err)
{
    (void)user, (void)each, (void)each_user, (void)err;
    return FIRN_IO;
}

static firn_result storage_remove(void *user, const char *name, firn_revision expected,
                                  firn_error *err)
{
    (void)user, (void)name, (void)expected, (void)err;
    return FIRN_IO;
}

static firn_storage whole_storage(void)
{
    return (firn_storage){.abi = FIRN_ABI,
                          .name = "refusing",
                          .put = storage_put,
                          .get = storage_get,
                          .head = storage_head,
                          .list = storage_list,
                          .remove = storage_remove};
}

// What stands in the way of opening, and how the desc gets it.
static firn_world *the_world;

static void assert_refused(const firn_saves_desc *desc, firn_result result, const char *subject)
{
    firn_error err;
    assert_null(firn_saves_open(the_world, desc, &err));
    assert_error(&err, result, subject);
}

static int make_world(void **state)
{
    (void)state;
    the_world = firn_world_create(NULL, NULL);
    return the_world == NULL;
}

static int end_world(void **state)
{
    (void)state;
    firn_world_destroy(the_world);
    return 0;
}

static void a_manager_takes_a_world_and_a_game(void **state)
{
    (void)state;
    const firn_saves_desc desc = {.game = "org.example.Game-1_b"};
    firn_error err;
    firn_saves *saves = firn_saves_open(the_world, &desc, &err);
    assert_non_null(saves);
    assert_ptr_equal(firn_saves_world(saves), the_world);
    assert_true(firn_saves_play_time(saves) == 0);
    firn_saves_close(saves);
    firn_saves_close(NULL);
    assert_null(firn_saves_world(NULL));
    assert_true(firn_saves_play_time(NULL) == 0);
    assert_null(firn_saves_open(NULL, &desc, &err));
    assert_error(&err, FIRN_INVALID, "world");
    assert_refused(NULL, FIRN_INVALID, "desc");
}

static void a_second_manager_of_a_world_exists(void **state)
{
    (void)state;
    const firn_saves_desc desc = {.game = "game"};
    firn_saves *saves = firn_saves_open(the_world, &desc, NULL);
    assert_non_null(saves);
    assert_refused(&desc, FIRN_EXISTS, "");
    firn_saves_close(saves);
    saves = firn_saves_open(the_world, &desc, NULL);
    assert_non_null(saves);
    firn_saves_close(saves);
}

static void a_manager_registers_its_events(void **state)
{
    (void)state;
    firn_world *world = firn_world_create(NULL, NULL);
    const firn_saves_desc desc = {.game = "game"};
    assert_int_equal(firn_event_find(world, "saved"), 0);
    firn_saves *saves = firn_saves_open(world, &desc, NULL);
    assert_int_not_equal(firn_event_find(world, "saved"), 0);
    assert_int_not_equal(firn_event_find(world, "save_failed"), 0);
    assert_int_not_equal(firn_event_find(world, "loaded"), 0);
    firn_saves_close(saves);
    firn_world_destroy(world);
}

static void a_manager_whose_world_was_destroyed_can_still_be_closed(void **state)
{
    (void)state;
    firn_world *world = firn_world_create(NULL, NULL);
    const firn_saves_desc desc = {.game = "game"};
    firn_saves *saves = firn_saves_open(world, &desc, NULL);
    firn_world_destroy(world);
    assert_null(firn_saves_world(saves));
    firn_error err;
    assert_int_equal(firn_saves_set_variable(saves, "x", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    firn_saves_close(saves);
}

static void a_bad_id_of_a_game_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        NULL,  "",
        ".a",  "a.",
        "a/b", "a b",
        "g\n", "\xc3\xb6",
        "..",  "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789_-x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const firn_saves_desc desc = {.game = bad[i]};
        assert_refused(&desc, FIRN_INVALID, "game");
    }
}

static void K11_options_out_of_range_are_refused_by_their_name(void **state)
{
    (void)state;
    firn_digest digest;
    const firn_save_options with_digest = {.digest = &digest};
    const firn_save_options reserved = {.reserved = {1}};
    const firn_limits limits = {.depth = 101};
    const firn_allocator allocator = {0};
    char long_text[257] = {0};
    memset(long_text, 'x', 256);
    const struct {
        firn_saves_desc desc;
        const char *subject;
    } bad[] = {
        {{.game = "g", .engine = long_text}, "engine"},
        {{.game = "g", .engine = "\xff"}, "engine"},
        {{.game = "g", .compression = 20}, "compression"},
        {{.game = "g", .compression = -1}, "compression"},
        {{.game = "g", .autosave_seconds = -1}, "autosave_seconds"},
        {{.game = "g", .autosave_seconds = NAN}, "autosave_seconds"},
        {{.game = "g", .autosave_seconds = INFINITY}, "autosave_seconds"},
        {{.game = "g", .max_slots = 2, .autosave_ring = 4}, "autosave_ring"},
        {{.game = "g", .second_save = (firn_second_save)3}, "second_save"},
        {{.game = "g", .keep_unknown = true, .skip_unknown = true}, "skip_unknown"},
        {{.game = "g", .snapshot = &with_digest}, "snapshot"},
        {{.game = "g", .snapshot = &reserved}, "reserved"},
        {{.game = "g", .limits = &limits}, "depth"},
        {{.game = "g", .allocator = &allocator}, "allocator"},
        {{.game = "g", .reserved = {0, 0, 0, 1}}, "reserved"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_error err;
        assert_null(firn_saves_open(the_world, &bad[i].desc, &err));
        assert_error(&err, err.code, bad[i].subject);
        assert_int_equal(err.code, FIRN_INVALID);
    }
}

static void K13_migrations_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const firn_migration twice[] = {{.from = 2}, {.from = 1}, {.from = 2}};
    const firn_migration zero[] = {{.from = 0}};
    const firn_migration beyond[] = {{.from = 1}, {.from = 4}};
    const struct {
        const firn_migration *migrations;
        uint32_t count;
        const char *text;
    } bad[] = {{twice, 3, "two migrations begin at version 2"},
               {zero, 1, "begins at version 0"},
               {beyond, 2, "begins at version 4"},
               {NULL, 1, "migrations is NULL"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const firn_saves_desc desc = {.game = "g",
                                      .version = 4,
                                      .migrations = bad[i].migrations,
                                      .migration_count = bad[i].count};
        firn_error err;
        assert_null(firn_saves_open(the_world, &desc, &err));
        assert_error(&err, FIRN_INVALID, "migrations");
        assert_non_null(strstr(err.message, bad[i].text));
    }
}

static void a_storage_that_lacks_a_function_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        firn_storage storage = whole_storage();
        switch (i) {
        case 0:
            storage.put = NULL;
            break;
        case 1:
            storage.get = NULL;
            break;
        case 2:
            storage.head = NULL;
            break;
        case 3:
            storage.list = NULL;
            break;
        case 4:
            storage.remove = NULL;
            break;
        case 5:
            storage.abi = 0;
            break;
        case 6:
            storage.abi = FIRN_ABI + 1;
            break;
        default:
            storage.name = NULL;
        }
        const firn_saves_desc desc = {.game = "g", .storage = &storage};
        firn_error err;
        assert_null(firn_saves_open(the_world, &desc, &err));
        assert_int_equal(err.code, i == 6 ? FIRN_VERSION : FIRN_INVALID);
    }
    firn_storage storage = whole_storage();
    const firn_saves_desc desc = {.game = "g", .storage = &storage};
    firn_saves *saves = firn_saves_open(the_world, &desc, NULL);
    assert_non_null(saves);
    firn_saves_close(saves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_manager_takes_a_world_and_a_game),
        cmocka_unit_test(a_second_manager_of_a_world_exists),
        cmocka_unit_test(a_manager_registers_its_events),
        cmocka_unit_test(a_manager_whose_world_was_destroyed_can_still_be_closed),
        cmocka_unit_test(a_bad_id_of_a_game_is_refused),
        cmocka_unit_test(K11_options_out_of_range_are_refused_by_their_name),
        cmocka_unit_test(K13_migrations_that_make_no_sense_are_refused),
        cmocka_unit_test(a_storage_that_lacks_a_function_is_refused),
    };
    return cmocka_run_group_tests(tests, make_world, end_world);
}
