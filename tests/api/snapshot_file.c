// Snapshots in files. The file contract itself is tested in tests/unit/os_*.c.
#include "unit/os_folder.h"

#include "api/snapshot_zoo.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void assert_holds(const os_folder *folder, const char *name, const firn_buffer *image)
{
    firn_buffer file = {0};
    file.data = test_read_file(os_folder_path(folder, name), &file.size);
    assert_same_bytes(&file, image);
    free(file.data);
}

// A folder with an older save in it, and a world that went on.
typedef struct saved {
    const os_folder *folder;
    zoo z;
    firn_buffer old;
} saved;

static saved saved_make(void **state)
{
    firn_error err;
    saved s = {.folder = *state, .z = zoo_make(NULL, false)};
    zoo_fill(&s.z);
    assert_ok(firn_snapshot_save_file(s.z.world, os_folder_path(s.folder, "a.firn"), NULL, &err),
              &err);
    s.old = zoo_save(s.z.world);
    zoo_litter(&s.z);
    return s;
}

static void saved_free(saved *s)
{
    firn_buffer_free(&s->old);
    firn_world_destroy(s->z.world);
}

static void T1_a_file_holds_the_bytes_of_the_buffer_and_the_old_one_stays(void **state)
{
    saved s = saved_make(state);
    firn_error err;
    firn_data data = {.key = "k", .encoded = "\x02", .encoded_size = 1};
    firn_save_options options = {.data = &data, .data_count = 1, .wire_version = 2};
    assert_holds(s.folder, "a.firn", &s.old);
    assert_entries(s.folder, 1);
    assert_ok(
        firn_snapshot_save_file(s.z.world, os_folder_path(s.folder, "a.firn"), &options, &err),
        &err);
    firn_buffer image = zoo_save_with(s.z.world, &options);
    assert_holds(s.folder, "a.firn", &image);
    assert_holds(s.folder, "a.firn.bak", &s.old);
    assert_entries(s.folder, 2);
    firn_buffer_free(&image);
    saved_free(&s);
}

static void T17_a_file_loads_in_place_and_reports(void **state)
{
    saved s = saved_make(state);
    firn_error err;
    firn_load_report report;
    assert_ok(
        firn_snapshot_load_file(s.z.world, os_folder_path(s.folder, "a.firn"), NULL, &report, &err),
        &err);
    firn_load_report_free(&report);
    assert_true(report.committed);
    assert_int_equal(report.prelude.entity_count, 9);
    assert_saves_as(s.z.world, &s.old);
    saved_free(&s);
}

static void a_save_that_fails_leaves_the_old_file(void **state)
{
    saved s = saved_make(state);
    firn_error err;
    const char *path = os_folder_path(s.folder, "a.firn");
    firn_entity entity = zoo_spawn_one(s.z.world, s.z.of[ZOO_FLAG]);
    memset(firn_get_mut(s.z.world, entity, s.z.of[ZOO_FLAG]), 2, 1);
    assert_int_equal(firn_snapshot_save_file(s.z.world, path, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "zoo.Flag");
    assert_int_equal(
        firn_snapshot_save_file(s.z.world, path, &(firn_save_options){.wire_version = 9}, &err),
        FIRN_INVALID);
    assert_holds(s.folder, "a.firn", &s.old);
    assert_entries(s.folder, 1);
    saved_free(&s);
}

static void a_save_into_a_missing_folder_a_folder_or_beneath_a_file_is_refused(void **state)
{
    saved s = saved_make(state);
    firn_error err;
    const char *path = os_folder_path(s.folder, "missing/a.firn");
    assert_int_equal(firn_snapshot_save_file(s.z.world, path, NULL, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "missing/a.firn");
    assert_int_equal(firn_snapshot_save_file(s.z.world, s.folder->path, NULL, &err), FIRN_IO);
    assert_error(&err, FIRN_IO, s.folder->path);
    path = os_folder_path(s.folder, "a.firn/b");
    firn_result result = firn_snapshot_save_file(s.z.world, path, NULL, &err);
    assert_true(result == FIRN_IO || result == FIRN_NOT_FOUND);
    assert_error(&err, result, "a.firn/b");
    assert_holds(s.folder, "a.firn", &s.old);
    assert_entries(s.folder, 1);
    saved_free(&s);
}

static void a_save_into_a_read_only_folder_is_refused(void **state)
{
    saved s = saved_make(state);
    firn_error err;
    const char *path = os_folder_path(s.folder, "a.firn");
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(chmod(s.folder->path, 0555), 0);
    bool left = os_leave_root(s.folder);
    firn_result result = left ? firn_snapshot_save_file(s.z.world, path, NULL, &err) : FIRN_OK;
    os_back_to_root();
    if (left) {
        assert_int_equal(result, FIRN_IO);
        assert_error(&err, FIRN_IO, "a.firn");
        assert_holds(s.folder, "a.firn", &s.old);
    }
    saved_free(&s);
    if (!left)
        skip();
}

// A file that cannot be loaded, by what stands in it.
static void expect_no_load(const saved *s, const char *name, firn_result result)
{
    firn_error err;
    firn_load_report report;
    memset(&report, 0xff, sizeof report);
    const char *path = os_folder_path(s->folder, name);
    firn_buffer before = zoo_save(s->z.world);
    assert_int_equal(firn_snapshot_load_file(s->z.world, path, NULL, &report, &err), result);
    firn_load_report_free(&report);
    assert_error(&err, result, "");
    assert_string_not_equal(err.subject, "");
    assert_false(report.committed);
    assert_saves_as(s->z.world, &before);
    firn_buffer_free(&before);
}

static void N12_a_file_that_cannot_be_loaded_leaves_the_world(void **state)
{
    saved s = saved_make(state);
    os_folder_put(s.folder, "empty", "");
    os_folder_put(s.folder, "text", "what is this?");
    os_folder_put(s.folder, "short", "\x07");
    assert_int_equal(mkdir(os_folder_path(s.folder, "folder"), 0777), 0);
    expect_no_load(&s, "missing", FIRN_NOT_FOUND);
    expect_no_load(&s, "missing/missing", FIRN_NOT_FOUND);
    expect_no_load(&s, "folder", FIRN_IO);
    expect_no_load(&s, "empty", FIRN_TRUNCATED);
    expect_no_load(&s, "text", FIRN_NOT_OURS);
    expect_no_load(&s, "short", FIRN_TRUNCATED);
    saved_free(&s);
}

static void F5_a_file_above_the_limit_is_not_read(void **state)
{
    saved s = saved_make(state);
    firn_error err;
    const char *path = os_folder_path(s.folder, "a.firn");
    firn_limits limits = {.file_bytes = s.old.size - 1};
    firn_load_options options = {.limits = &limits};
    assert_int_equal(firn_snapshot_load_file(s.z.world, path, &options, NULL, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "a.firn");
    const firn_limits bad = {.reserved = {1}};
    const firn_load_options no_options = {.limits = &bad};
    assert_int_equal(firn_snapshot_load_file(s.z.world, path, &no_options, NULL, &err),
                     FIRN_INVALID);
    assert_non_null(strstr(err.message, "reserved[0]"));
    limits.file_bytes++;
    assert_ok(firn_snapshot_load_file(s.z.world, path, &options, NULL, &err), &err);
    saved_free(&s);
}

static void file_calls_with_wrong_arguments_are_refused(void **state)
{
    saved s = saved_make(state);
    firn_error err;
    firn_world *world = s.z.world;
    const char *path = os_folder_path(s.folder, "a.firn");
    firn_load_options options = {.reserved = {0, 1}};
#define REFUSED(call, argument)                                                                    \
    assert_int_equal((call), FIRN_INVALID);                                                        \
    assert_error(&err, FIRN_INVALID, (argument))
    REFUSED(firn_snapshot_save_file(NULL, path, NULL, &err), "world");
    REFUSED(firn_snapshot_save_file(world, NULL, NULL, &err), "path");
    REFUSED(firn_snapshot_save_file(world, "", NULL, &err), "path");
    REFUSED(firn_snapshot_load_file(NULL, path, NULL, NULL, &err), "world");
    REFUSED(firn_snapshot_load_file(world, NULL, NULL, NULL, &err), "path");
    REFUSED(firn_snapshot_load_file(world, "", NULL, NULL, &err), "path");
    REFUSED(firn_snapshot_load_file(world, path, &options, NULL, &err), "reserved");
#undef REFUSED
    assert_holds(s.folder, "a.firn", &s.old);
    saved_free(&s);
}

static void file_calls_inside_a_loop_are_busy(void **state)
{
    saved s = saved_make(state);
    firn_error err;
    firn_query_desc all = {.name = "the open one"};
    firn_query query = firn_query_create(s.z.world, &all, &err);
    firn_iter it;
    const char *path = os_folder_path(s.folder, "a.firn");
    firn_iter_begin(s.z.world, query, &it);
    assert_int_equal(firn_snapshot_save_file(s.z.world, path, NULL, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "the open one");
    assert_int_equal(firn_snapshot_load_file(s.z.world, path, NULL, NULL, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "the open one");
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_holds(s.folder, "a.firn", &s.old);
    saved_free(&s);
}

static void F1_a_file_has_the_digest_of_its_bytes(void **state)
{
    saved s = saved_make(state);
    firn_error err;
    firn_digest digest = {1, 2};
    firn_save_options options = {.digest = &digest};
    const char *missing = os_folder_path(s.folder, "none/a.firn");
    assert_int_equal(firn_snapshot_save_file(s.z.world, missing, &options, NULL), FIRN_NOT_FOUND);
    assert_true(digest.low == 1 && digest.high == 2);
    const char *path = os_folder_path(s.folder, "a.firn");
    assert_ok(firn_snapshot_save_file(s.z.world, path, &options, &err), &err);
    firn_buffer image = zoo_save(s.z.world);
    assert_holds(s.folder, "a.firn", &image);
    firn_digest wanted = firn_bytes_digest(image.data, image.size);
    assert_true(digest.low == wanted.low && digest.high == wanted.high);
    firn_buffer_free(&image);
    saved_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        os_test(T1_a_file_holds_the_bytes_of_the_buffer_and_the_old_one_stays),
        os_test(T17_a_file_loads_in_place_and_reports),
        os_test(a_save_that_fails_leaves_the_old_file),
        os_test(a_save_into_a_missing_folder_a_folder_or_beneath_a_file_is_refused),
        os_test(a_save_into_a_read_only_folder_is_refused),
        os_test(N12_a_file_that_cannot_be_loaded_leaves_the_world),
        os_test(F5_a_file_above_the_limit_is_not_read),
        os_test(F1_a_file_has_the_digest_of_its_bytes),
        os_test(file_calls_with_wrong_arguments_are_refused),
        os_test(file_calls_inside_a_loop_are_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
