// A load beside entities that are kept, in a world with room for few.
#include "api/snapshot_zoo.h"
#include "base/array.h"
#include "snapshot/append.h"
#include "snapshot/beside.h"

static firn_result pick_all(void *user, firn_world *world, fr_picks *picks, firn_error *err)
{
    (void)err;
    const firn_entity *entities = user;
    for (uint32_t i = 0; i < 4; i++)
        assert_true(fr_picks_add(world, picks, entities[i % 3]));
    return FIRN_OK;
}

static void K14_who_would_move_above_the_limit_of_entities_fails_the_load(void **state)
{
    (void)state;
    firn_error err;
    const firn_limits limits = {.entities = 3};
    const firn_world_desc desc = {.limits = &limits};
    firn_world *world = firn_world_create(&desc, &err);
    firn_entity all[3];
    assert_ok(firn_spawn_many(world, NULL, 0, 3, all, &err), &err);
    firn_buffer image = {0};
    assert_ok(fr_snapshot_append_with(world, NULL, &(fr_append){.pick = pick_all, .pick_user = all},
                                      &image, &err),
              &err);
    assert_ok(firn_despawn(world, all[1], &err), &err);
    zoo_spawn(world, NULL, 0);
    firn_buffer before = zoo_save(world);
    const firn_load_options options = {0};
    firn_load_report report;
    struct fr_beside beside = {.governed = all, .governed_count = 1};
    assert_int_equal(
        fr_snapshot_load_beside(world, image.data, image.size, &beside, &options, &report, &err),
        FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "entities");
    firn_load_report_free(&report);
    assert_saves_as(world, &before);
    firn_iter it;
    const firn_query_desc every = {.term_count = 0};
    firn_query query = firn_query_create(world, &every, &err);
    firn_iter_begin(world, query, &it);
    assert_int_equal(
        fr_snapshot_load_beside(world, image.data, image.size, &beside, &options, &report, &err),
        FIRN_BUSY);
    assert_ok(firn_iter_end(&it, &err), &err);
    FR_ARRAY_FREE(firn_allocator_default(), beside.moved, beside.moved_room);
    firn_buffer_free(&before);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K14_who_would_move_above_the_limit_of_entities_fails_the_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
