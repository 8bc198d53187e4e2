// A snapshot behind other bytes.
#include "api/snapshot_zoo.h"

#include <string.h>

#include "snapshot/append.h"

static const char before[] = "five bytes, and some more";

static void fill_before(firn_buffer *out)
{
    firn_error err;
    assert_ok(firn_buffer_append(out, before, sizeof before, &err), &err);
}

static void assert_before(const firn_buffer *out)
{
    assert_int_equal(out->size, sizeof before);
    assert_memory_equal(out->data, before, sizeof before);
}

static void an_appended_snapshot_is_the_one_that_stands_alone(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_buffer alone = zoo_save_with(z.world, NULL), out = {0};
    for (uint32_t shift = 0; shift < 9; shift++) {
        firn_buffer_clear(&out);
        fill_before(&out);
        out.size -= shift;
        size_t start = out.size;
        assert_ok(fr_snapshot_append(z.world, NULL, &out, &err), &err);
        assert_int_equal(out.size, start + alone.size);
        assert_memory_equal(out.data, before, start);
        assert_memory_equal(out.data + start, alone.data, alone.size);
    }
    firn_buffer_free(&out);
    firn_buffer_free(&alone);
    firn_world_destroy(z.world);
}

static void F1_the_digest_is_that_of_the_appended_bytes(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_buffer out = {0};
    firn_digest digest;
    fill_before(&out);
    assert_ok(fr_snapshot_append(z.world, &(firn_save_options){.digest = &digest}, &out, &err),
              &err);
    firn_digest whole = firn_bytes_digest(out.data + sizeof before, out.size - sizeof before);
    assert_true(digest.low == whole.low && digest.high == whole.high);
    firn_buffer_free(&out);
    firn_world_destroy(z.world);
}

static void the_limit_of_bytes_is_that_of_the_snapshot_alone(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_buffer alone = zoo_save_with(world, NULL), out = {0};
    firn_world_destroy(world);
    for (uint32_t lower = 0; lower < 2; lower++) {
        firn_limits limits = {.file_bytes = alone.size - lower};
        world = firn_world_create(&(firn_world_desc){.limits = &limits}, &err);
        assert_non_null(world);
        firn_buffer_clear(&out);
        fill_before(&out);
        firn_result result = fr_snapshot_append(world, NULL, &out, &err);
        if (lower > 0) {
            assert_int_equal(result, FIRN_LIMIT);
            assert_error(&err, FIRN_LIMIT, "image");
            assert_before(&out);
        } else {
            assert_ok(result, &err);
        }
        firn_world_destroy(world);
    }
    firn_buffer_free(&out);
    firn_buffer_free(&alone);
}

static void a_failure_leaves_what_was_there_before(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_buffer out = {0};
    fill_before(&out);
    firn_data data = {.key = "key", .encoded = "\x03", .encoded_size = 1};
    firn_save_options options = {.data = &data, .data_count = 1};
    assert_int_equal(fr_snapshot_append(z.world, &options, &out, &err), FIRN_CORRUPT);
    assert_before(&out);
    assert_int_equal(fr_snapshot_append(NULL, NULL, &out, &err), FIRN_INVALID);
    assert_before(&out);
    firn_buffer_free(&out);
    firn_world_destroy(z.world);
}

static void a_save_that_is_not_appended_leaves_nothing_when_it_fails(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_buffer out = {0};
    firn_save_options wrong = {.wire_version = 3};
    fill_before(&out);
    assert_int_equal(firn_snapshot_save(world, &wrong, &out, NULL), FIRN_INVALID);
    assert_int_equal(out.size, 0);
    fill_before(&out);
    assert_int_equal(firn_snapshot_save(NULL, NULL, &out, NULL), FIRN_INVALID);
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
    firn_world_destroy(world);
}

static firn_result pick_every_other(void *user, firn_world *world, fr_picks *picks, firn_error *err)
{
    (void)err;
    const firn_entity *entities = user;
    for (uint32_t i = 0; i < 12; i += 2)
        assert_true(fr_picks_add(world, picks, entities[i]));
    return FIRN_OK;
}

// Those without the tag stand in one archetype, those with it in another.
static void of_those_that_are_picked_the_ones_that_the_filter_leaves_out_are_not_saved(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    const firn_component excluded[] = {z.of[ZOO_TAG]};
    firn_entity all[12];
    firn_buffer out = {0};
    for (uint32_t i = 0; i < 12; i++)
        all[i] = zoo_spawn_one(z.world, i % 3 == 0 ? z.of[ZOO_TAG] : z.of[ZOO_SCORE]);
    const firn_save_options options = {.exclude = excluded, .exclude_count = 1};
    assert_ok(fr_snapshot_append_with(z.world, &options,
                                      &(fr_append){.pick = pick_every_other, .pick_user = all},
                                      &out, &err),
              &err);
    firn_image *image = firn_image_open(out.data, out.size, NULL, &err);
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t archetype, row;
        assert_int_equal(firn_image_find(image, all[i], &archetype, &row),
                         i % 2 == 0 && i % 3 != 0);
    }
    firn_image_close(image);
    firn_buffer_free(&out);
    firn_world_destroy(z.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_appended_snapshot_is_the_one_that_stands_alone),
        cmocka_unit_test(F1_the_digest_is_that_of_the_appended_bytes),
        cmocka_unit_test(the_limit_of_bytes_is_that_of_the_snapshot_alone),
        cmocka_unit_test(a_failure_leaves_what_was_there_before),
        cmocka_unit_test(
            of_those_that_are_picked_the_ones_that_the_filter_leaves_out_are_not_saved),
        cmocka_unit_test(a_save_that_is_not_appended_leaves_nothing_when_it_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
