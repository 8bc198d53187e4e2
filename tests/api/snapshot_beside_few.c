// A load beside entities that are kept, of few entities: limits, strings that nobody shares, and
// rows that some are given.
#include "api/snapshot_zoo.h"
#include "base/array.h"
#include "snapshot/append.h"
#include "snapshot/beside.h"
#include "store/archetype.h"

// A world with room for few, some of which are picked.
typedef struct few {
    test_allocator memory;
    firn_world *world;
    firn_component likes, seen;
    const firn_entity *picked;
    uint32_t count;
    struct fr_beside beside;
} few;

static void begin_few(few *f, uint32_t most)
{
    firn_error err;
    *f = (few){.count = 0};
    test_allocator_init(&f->memory);
    const firn_limits limits = {.entities = most};
    const firn_component_desc likes = {.name = "Likes", .kind = FIRN_RELATION};
    const firn_component_desc seen = {.name = "Seen", .kind = FIRN_TAG};
    f->world = firn_world_create(
        &(firn_world_desc){.allocator = &f->memory.allocator, .limits = &limits}, &err);
    assert_non_null(f->world);
    f->likes = zoo_register(f->world, &likes);
    f->seen = zoo_register(f->world, &seen);
}

static void end_few(few *f)
{
    FR_ARRAY_FREE(&f->memory.allocator, f->beside.moved, f->beside.moved_room);
    firn_world_destroy(f->world);
    assert_no_leak(&f->memory);
}

static firn_result pick_twice(void *user, firn_world *world, fr_picks *picks, firn_error *err)
{
    (void)err;
    const few *f = user;
    for (uint32_t i = 0; i < f->count * 2; i++)
        assert_true(fr_picks_add(world, picks, f->picked[i % f->count]));
    return FIRN_OK;
}

static firn_buffer save_few(few *f, const firn_entity *entities, uint32_t count)
{
    firn_error err;
    firn_buffer image = {0};
    f->picked = entities;
    f->count = count;
    assert_ok(fr_snapshot_append_with(
                  f->world, NULL, &(fr_append){.pick = pick_twice, .pick_user = f}, &image, &err),
              &err);
    return image;
}

static firn_result load_few(few *f, const firn_buffer *image, const firn_entity *governed,
                            uint32_t count, firn_error *err)
{
    const firn_load_options options = {0};
    firn_load_report report;
    f->beside.governed = governed;
    f->beside.governed_count = count;
    firn_result result = fr_snapshot_load_beside(f->world, image->data, image->size, &f->beside,
                                                 &options, &report, err);
    firn_load_report_free(&report);
    return result;
}

// ---- limits

static void K14_who_would_move_above_the_limit_of_entities_fails_the_load(void **state)
{
    (void)state;
    firn_error err;
    few f;
    begin_few(&f, 3);
    firn_entity all[3];
    assert_ok(firn_spawn_many(f.world, NULL, 0, 3, all, &err), &err);
    firn_buffer image = save_few(&f, all, 3);
    assert_ok(firn_despawn(f.world, all[1], &err), &err);
    zoo_spawn(f.world, NULL, 0);
    firn_buffer before = zoo_save(f.world);
    assert_int_equal(load_few(&f, &image, all, 1, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "entities");
    assert_saves_as(f.world, &before);
    firn_iter it;
    const firn_query_desc every = {.term_count = 0};
    firn_query query = firn_query_create(f.world, &every, &err);
    firn_iter_begin(f.world, query, &it);
    assert_int_equal(load_few(&f, &image, all, 1, &err), FIRN_BUSY);
    assert_ok(firn_iter_end(&it, &err), &err);
    firn_buffer_free(&before);
    firn_buffer_free(&image);
    end_few(&f);
}

// ---- strings that nobody shares

static void K14_one_who_comes_has_the_string_of_one_who_ends(void **state)
{
    (void)state;
    firn_error err;
    few f;
    begin_few(&f, 0);
    firn_entity first = zoo_spawn(f.world, NULL, 0);
    assert_ok(firn_set_text(f.world, first, firn_key(f.world), "door", &err), &err);
    firn_buffer image = save_few(&f, &first, 1);
    assert_ok(firn_despawn(f.world, first, &err), &err);
    zoo_spawn(f.world, NULL, 0); // on its slot: it moves
    firn_entity second = zoo_spawn(f.world, NULL, 0);
    assert_ok(firn_set_text(f.world, second, firn_key(f.world), "door", &err), &err);
    assert_ok(load_few(&f, &image, &second, 1, &err), &err);
    assert_false(firn_alive(f.world, second));
    assert_int_equal(firn_find_key(f.world, "door", 4), first);
    assert_int_equal(f.beside.moved_count, 1);
    firn_buffer_free(&image);
    end_few(&f);
}

static void K14_one_who_comes_with_the_string_of_one_who_is_kept_fails_the_load(void **state)
{
    (void)state;
    firn_error err;
    few f;
    begin_few(&f, 0);
    firn_entity first = zoo_spawn(f.world, NULL, 0);
    assert_ok(firn_set_text(f.world, first, firn_key(f.world), "door", &err), &err);
    firn_buffer image = save_few(&f, &first, 1);
    assert_ok(firn_despawn(f.world, first, &err), &err);
    firn_entity kept = zoo_spawn(f.world, NULL, 0), second = zoo_spawn(f.world, NULL, 0);
    assert_ok(firn_set_text(f.world, kept, firn_key(f.world), "door", &err), &err);
    firn_buffer before = zoo_save(f.world);
    assert_int_equal(load_few(&f, &image, &second, 1, &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "Key");
    assert_int_equal(err.entity, kept);
    assert_saves_as(f.world, &before);
    assert_int_equal(firn_find_key(f.world, "door", 4), kept);
    firn_buffer_free(&before);
    firn_buffer_free(&image);
    end_few(&f);
}

// ---- rows

static void assert_nothing_held(const firn_world *world)
{
    for (uint32_t i = 0; i < world->order_count; i++)
        assert_false(world->archetypes[world->order[i]]->held);
}

// All but the last like one who ends: they lose that, and all get what they are given. Each
// allocation fails by turns.
static void K14_those_that_lose_an_edge_get_their_rows_where_they_are_then(void **state)
{
    (void)state;
    firn_error err;
    few f;
    begin_few(&f, 0);
    firn_buffer image = save_few(&f, NULL, 0);
    firn_entity target = zoo_spawn(f.world, NULL, 0), fans[4];
    assert_ok(firn_spawn_many(f.world, NULL, 0, 4, fans, &err), &err);
    fr_component *seen = fr_component_of(f.world, f.seen, "component", &err);
    fr_beside_row rows[4];
    for (uint32_t i = 0; i < 4; i++) {
        assert_ok(firn_relate(f.world, fans[i], f.likes, i < 3 ? target : fans[0], NULL, &err),
                  &err);
        rows[i] = (fr_beside_row){.entity = fans[i], .component = seen, .whole = true};
    }
    f.beside.rows = rows;
    f.beside.row_count = 4;
    firn_buffer before = zoo_save(f.world);
    firn_result result = FIRN_NO_MEMORY;
    uint64_t call = 0;
    while (result == FIRN_NO_MEMORY) {
        test_allocator_fail_at(&f.memory, ++call, false);
        result = load_few(&f, &image, &target, 1, &err);
        test_allocator_fail_at(&f.memory, 0, false);
        assert_nothing_held(f.world);
        if (result == FIRN_NO_MEMORY)
            assert_saves_as(f.world, &before);
    }
    assert_ok(result, &err);
    assert_true(call > 5);
    assert_false(firn_alive(f.world, target));
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(firn_has(f.world, fans[i], f.seen));
        assert_int_equal(firn_target(f.world, fans[i], f.likes), i < 3 ? 0 : fans[0]);
    }
    firn_buffer_free(&before);
    firn_buffer_free(&image);
    end_few(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K14_who_would_move_above_the_limit_of_entities_fails_the_load),
        cmocka_unit_test(K14_one_who_comes_has_the_string_of_one_who_ends),
        cmocka_unit_test(K14_one_who_comes_with_the_string_of_one_who_is_kept_fails_the_load),
        cmocka_unit_test(K14_those_that_lose_an_edge_get_their_rows_where_they_are_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
