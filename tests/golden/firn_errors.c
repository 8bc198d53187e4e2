// Bad images (errors/make.py): what each of them comes to, and that nothing changes.
#include "support/support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/bad_images.h"
#include "golden/firn_worlds.h"

// The folder names what a load comes to.
typedef struct bad_folder {
    const char *name;
    firn_result result;
} bad_folder;

static const bad_folder bad_folders[] = {
    {"corrupt", FIRN_CORRUPT},   {"invalid", FIRN_INVALID}, {"limit", FIRN_LIMIT},
    {"not_ours", FIRN_NOT_OURS}, {"refused", FIRN_REFUSED}, {"truncated", FIRN_TRUNCATED},
    {"unknown", FIRN_UNKNOWN},   {"version", FIRN_VERSION},
};

// A world with an entity of every kind, its hash and its bytes.
typedef struct kept_world {
    firn_world *world;
    firn_hash hash;
    firn_buffer bytes;
} kept_world;

static void make_kept_world(kept_world *kept)
{
    firn_error err = {0};
    kept->world = golden_image_world(&golden_images[1], &err);
    assert_non_null(kept->world);
    firn_buffer_init(&kept->bytes, NULL);
    assert_ok(firn_world_hash(kept->world, &kept->hash, NULL, NULL, &err), &err);
    assert_ok(firn_snapshot_save(kept->world, NULL, &kept->bytes, &err), &err);
}

static void assert_kept(const kept_world *kept, const char *path)
{
    firn_hash hash;
    firn_buffer bytes;
    firn_buffer_init(&bytes, NULL);
    assert_ok(firn_world_hash(kept->world, &hash, NULL, NULL, NULL), NULL);
    assert_ok(firn_snapshot_save(kept->world, NULL, &bytes, NULL), NULL);
    if (memcmp(&hash, &kept->hash, sizeof hash) != 0 || bytes.size != kept->bytes.size ||
        memcmp(bytes.data, kept->bytes.data, bytes.size) != 0)
        fail_msg("%s changed the world", path);
    firn_buffer_free(&bytes);
}

static void free_kept_world(kept_world *kept)
{
    firn_world_destroy(kept->world);
    firn_buffer_free(&kept->bytes);
}

// The bytes in a block of exactly their size, so that a read behind them is noticed.
static uint8_t *read_bad_image(const char *path, size_t *size)
{
    char file[512];
    snprintf(file, sizeof file, FIRN_TEST_DATA "/errors/%s.bin", path);
    uint8_t *read = test_read_file(file, size);
    uint8_t *exact = malloc(*size + (*size == 0));
    assert_non_null(exact);
    memcpy(exact, read, *size);
    free(read);
    return exact;
}

static firn_result result_of_folder(const char *path)
{
    for (size_t i = 0; i < FIRN_COUNT(bad_folders); i++)
        if (strncmp(path, bad_folders[i].name, strcspn(path, "/")) == 0)
            return bad_folders[i].result;
    fail_msg("%s lies in a folder that is no result", path);
    return FIRN_OK;
}

static void assert_refused(const bad_image *bad, const char *call, firn_result result,
                           firn_result expected, const firn_error *err)
{
    if (result != expected || err->code != expected || err->offset != bad->offset)
        fail_msg("%s: %s gives %s at %llu, not %s at %llu: %s", bad->path, call,
                 firn_result_name(result), (unsigned long long)err->offset,
                 firn_result_name(expected), (unsigned long long)bad->offset, err->message);
    assert_error(err, expected, bad->subject);
}

static void bad_images_are_refused_with_the_place_and_the_thing(void **state)
{
    (void)state;
    kept_world kept;
    make_kept_world(&kept);
    for (size_t i = 0; i < bad_image_count; i++) {
        const bad_image *bad = &bad_images[i];
        size_t size;
        uint8_t *bytes = read_bad_image(bad->path, &size);
        firn_error err = {0};
        firn_load_report report;
        firn_result result = firn_image_check(bytes, size, NULL, NULL, &err);
        if (bad->check == FIRN_OK)
            assert_ok(result, &err);
        else
            assert_refused(bad, "firn_image_check", result, bad->check, &err);
        err = (firn_error){0};
        result = firn_snapshot_load(kept.world, bytes, size, NULL, &report, &err);
        firn_load_report_free(&report);
        assert_refused(bad, "firn_snapshot_load", result, result_of_folder(bad->path), &err);
        assert_false(report.committed);
        assert_kept(&kept, bad->path);
        free(bytes);
    }
    free_kept_world(&kept);
}

// An entry that no merge looks into.
static bool is_of_the_game(const bad_image *bad)
{
    static const char *const keys[] = {"__tecs.", "tecs.random", "dusk"};
    bool found = false;
    for (size_t i = 0; i < FIRN_COUNT(keys); i++)
        found = found || strncmp(bad->subject, keys[i], strlen(keys[i])) == 0;
    return found && bad->check == FIRN_OK;
}

static void bad_images_are_not_merged_but_for_what_a_merge_leaves_out(void **state)
{
    (void)state;
    kept_world kept;
    make_kept_world(&kept);
    for (size_t i = 0; i < bad_image_count; i++) {
        const bad_image *bad = &bad_images[i];
        size_t size;
        uint8_t *bytes = read_bad_image(bad->path, &size);
        firn_error err = {0};
        firn_merge_report report;
        if (is_of_the_game(bad)) {
            firn_world *world = golden_image_world(&golden_images[1], &err);
            assert_ok(firn_snapshot_merge(world, bytes, size, NULL, &report, &err), &err);
            firn_world_destroy(world);
        } else {
            firn_result result = firn_snapshot_merge(kept.world, bytes, size, NULL, &report, &err);
            assert_refused(bad, "firn_snapshot_merge", result, result_of_folder(bad->path), &err);
            assert_false(report.load.committed);
            assert_kept(&kept, bad->path);
        }
        firn_merge_report_free(&report);
        free(bytes);
    }
    free_kept_world(&kept);
}

static void an_image_that_cannot_be_checked_cannot_be_hashed_or_searched(void **state)
{
    (void)state;
    for (size_t i = 0; i < bad_image_count; i++) {
        const bad_image *bad = &bad_images[i];
        size_t size, value_size;
        const void *value;
        uint8_t *bytes = read_bad_image(bad->path, &size);
        firn_error err = {0};
        firn_hash hash;
        if (bad->check != FIRN_OK) {
            firn_result result = firn_image_hash(bytes, size, NULL, &hash, NULL, NULL, &err);
            assert_refused(bad, "firn_image_hash", result, bad->check, &err);
            err = (firn_error){0};
            result = firn_image_data(bytes, size, "__firn.world", NULL, &value, &value_size, &err);
            assert_refused(bad, "firn_image_data", result, bad->check, &err);
        }
        free(bytes);
    }
}

static bool is_listed(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%.*s", folder, (int)(strlen(name) - strlen(".bin")), name);
    for (size_t i = 0; i < bad_image_count; i++)
        if (strcmp(bad_images[i].path, path) == 0)
            return true;
    return false;
}

static void every_result_has_bad_images_and_every_one_is_listed(void **state)
{
    (void)state;
    size_t files = 0;
    for (size_t i = 0; i < FIRN_COUNT(bad_folders); i++) {
        char path[512];
        snprintf(path, sizeof path, FIRN_TEST_DATA "/errors/%s", bad_folders[i].name);
        DIR *folder = opendir(path);
        assert_non_null(folder);
        size_t before = files;
        for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
            if (strstr(entry->d_name, ".bin") == NULL)
                continue;
            if (!is_listed(bad_folders[i].name, entry->d_name))
                fail_msg("%s/%s is not listed", bad_folders[i].name, entry->d_name);
            files++;
        }
        closedir(folder);
        assert_true(files > before);
    }
    assert_int_equal(files, bad_image_count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_images_are_refused_with_the_place_and_the_thing),
        cmocka_unit_test(bad_images_are_not_merged_but_for_what_a_merge_leaves_out),
        cmocka_unit_test(an_image_that_cannot_be_checked_cannot_be_hashed_or_searched),
        cmocka_unit_test(every_result_has_bad_images_and_every_one_is_listed),
    };
    return cmocka_run_group_tests_name("firn_errors", tests, NULL, NULL);
}
