// Relationships: what a target's end tells and ends, however much it is, and edges of many bytes.
#include "support/support.h"

#include "firn/event.h"
#include "firn/relation.h"

#define MANY 100000u

static firn_world *make_world(void)
{
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    assert_non_null(world);
    return world;
}

static firn_entity spawn(firn_world *world)
{
    firn_entity entity = firn_spawn(world, NULL, 0, NULL);
    assert_true(entity != 0);
    return entity;
}

static void relate(firn_world *world, firn_entity source, firn_component relation,
                   firn_entity target)
{
    firn_error err;
    assert_ok(firn_relate(world, source, relation, target, NULL, &err), &err);
}

static void despawn(firn_world *world, firn_entity entity)
{
    firn_error err;
    assert_ok(firn_despawn(world, entity, &err), &err);
}

static firn_queue open_queue(firn_world *world)
{
    firn_error err;
    const firn_event_kind kinds[] = {firn_event_find(world, "OnDespawn"),
                                     firn_event_find(world, "OnRemove")};
    firn_queue queue = firn_queue_open(world, kinds, 2, &err);
    assert_true(queue != 0);
    return queue;
}

// A target ends with its children, and its fans lose an edge. The queue has no room before.
static void expect_end_told(uint32_t children, uint32_t fans)
{
    firn_world *world = make_world();
    const firn_component_desc likes = {.name = "Likes", .kind = FIRN_RELATION};
    firn_component relation = firn_component_register(world, &likes, NULL);
    firn_entity target = spawn(world);
    firn_entity fan = 0;
    for (uint32_t i = 0; i < children; i++)
        relate(world, spawn(world), firn_child_of(world), target);
    for (uint32_t i = 0; i < fans; i++)
        relate(world, fan = spawn(world), relation, target);
    firn_queue queue = open_queue(world);
    despawn(world, target);
    firn_event event;
    assert_true(firn_queue_next(world, queue, &event));
    assert_string_equal(event.name, "OnDespawn");
    assert_int_equal(event.count, children + 1);
    assert_int_equal(event.entities[0], target);
    for (uint32_t i = 0; i < fans; i++) {
        assert_true(firn_queue_next(world, queue, &event));
        assert_string_equal(event.name, "OnRemove");
        assert_int_equal(event.component, relation);
        assert_int_equal(event.target, target);
        assert_int_equal(event.count, 1);
    }
    assert_true(fans == 0 || event.entities[0] == fan);
    assert_false(firn_queue_next(world, queue, &event));
    assert_int_equal(firn_entity_count(world), fans);
    firn_world_destroy(world);
}

static void T5_a_queue_has_room_for_all_that_the_end_of_a_target_tells(void **state)
{
    (void)state;
    for (uint32_t children = 0; children < 12; children++)
        for (uint32_t fans = 0; fans < 12; fans++)
            expect_end_told(children, fans);
}

static void T5_a_target_ends_with_all_of_its_children(void **state)
{
    (void)state;
    firn_world *world = make_world();
    firn_entity parent = spawn(world), other = spawn(world);
    for (uint32_t i = 0; i < MANY; i++)
        relate(world, spawn(world), firn_child_of(world), parent);
    assert_int_equal(firn_sources(world, firn_child_of(world), parent, NULL, 0), MANY);
    despawn(world, parent);
    assert_int_equal(firn_entity_count(world), 1);
    assert_true(firn_alive(world, other));
    firn_world_destroy(world);
}

static void T5_a_chain_of_any_depth_ends_with_its_first(void **state)
{
    (void)state;
    firn_world *world = make_world();
    firn_entity first = spawn(world), last = first;
    for (uint32_t i = 0; i < MANY; i++) {
        firn_entity next = spawn(world);
        relate(world, next, firn_child_of(world), last);
        last = next;
    }
    despawn(world, first);
    assert_int_equal(firn_entity_count(world), 0);
    firn_world_destroy(world);
}

static void T5_a_cycle_ends_as_a_whole(void **state)
{
    (void)state;
    firn_world *world = make_world();
    firn_entity of[4], own = spawn(world);
    for (uint32_t i = 0; i < 4; i++)
        of[i] = spawn(world);
    for (uint32_t i = 0; i < 4; i++)
        relate(world, of[i], firn_child_of(world), of[(i + 1) % 4]);
    relate(world, own, firn_child_of(world), own);
    despawn(world, of[2]);
    assert_int_equal(firn_entity_count(world), 1);
    despawn(world, own);
    assert_int_equal(firn_entity_count(world), 0);
    firn_world_destroy(world);
}

static void T5_a_new_target_replaces_the_one_of_an_exclusive_relation(void **state)
{
    (void)state;
    firn_world *world = make_world();
    firn_component child_of = firn_child_of(world);
    firn_entity child = spawn(world), old = spawn(world), now = spawn(world);
    relate(world, child, child_of, old);
    relate(world, child, child_of, now);
    assert_int_equal(firn_target(world, child, child_of), now);
    assert_null(firn_related(world, child, child_of, old));
    assert_int_equal(firn_first_source(world, child_of, old), 0);
    despawn(world, old);
    assert_true(firn_alive(world, child));
    despawn(world, now);
    assert_false(firn_alive(world, child));
    firn_world_destroy(world);
}

/// Longer than what a call copies on its stack.
typedef struct long_edge {
    firn_entity target;
    uint8_t bytes[600];
} long_edge;

static void T5_a_number_has_no_bits_and_a_world_of_null_no_edges(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = make_world();
    const firn_component_desc desc = {
        .name = "Score", .kind = FIRN_NUMBER, .relation = FIRN_SPARSE};
    assert_int_equal(firn_component_register(world, &desc, &err), 0);
    assert_error(&err, FIRN_INVALID, "Score");
    assert_int_equal(firn_unrelate(NULL, 1, firn_child_of(world), 2, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    firn_world_destroy(world);
}

static void T5_an_edge_of_many_bytes_is_copied_before_its_column_moves(void **state)
{
    (void)state;
    const firn_field fields[] = {FIRN_FIELD_ARRAY(long_edge, bytes, FIRN_U8, 600)};
    const firn_component_desc desc = {.name = "Long",
                                      .kind = FIRN_RELATION,
                                      .size = sizeof(long_edge),
                                      .fields = fields,
                                      .field_count = 1};
    firn_error err;
    firn_world *world = make_world();
    firn_component relation = firn_component_register(world, &desc, &err);
    firn_entity source = spawn(world), target = spawn(world);
    long_edge edge = {0};
    for (uint32_t i = 0; i < sizeof edge.bytes; i++)
        edge.bytes[i] = (uint8_t)(i * 7);
    assert_ok(firn_relate(world, source, relation, target, &edge, &err), &err);
    const long_edge *row = firn_related(world, source, relation, target);
    assert_non_null(row);
    // The row that is given stands in the column that grows.
    assert_ok(firn_relate(world, target, relation, target, row, &err), &err);
    row = firn_related(world, target, relation, target);
    assert_int_equal(row->target, target);
    assert_memory_equal(row->bytes, edge.bytes, sizeof edge.bytes);
    firn_world_destroy(world);
}

static void T5_a_relation_is_not_added_without_a_target_inside_a_loop(void **state)
{
    (void)state;
    const firn_component_desc desc = {.name = "Likes", .kind = FIRN_RELATION};
    firn_error err;
    firn_iter it;
    firn_world *world = make_world();
    firn_component likes = firn_component_register(world, &desc, &err);
    firn_entity target = spawn(world);
    firn_iter_begin(world, firn_query_create(world, &(firn_query_desc){0}, &err), &it);
    assert_int_equal(firn_add(world, target, &likes, 1, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Likes");
    assert_int_equal(firn_spawn_many(world, &likes, 1, 2, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Likes");
    assert_int_equal(firn_pending(world), 0);
    assert_ok(firn_iter_end(&it, &err), &err);
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T5_a_number_has_no_bits_and_a_world_of_null_no_edges),
        cmocka_unit_test(T5_an_edge_of_many_bytes_is_copied_before_its_column_moves),
        cmocka_unit_test(T5_a_relation_is_not_added_without_a_target_inside_a_loop),
        cmocka_unit_test(T5_a_queue_has_room_for_all_that_the_end_of_a_target_tells),
        cmocka_unit_test(T5_a_target_ends_with_all_of_its_children),
        cmocka_unit_test(T5_a_chain_of_any_depth_ends_with_its_first),
        cmocka_unit_test(T5_a_cycle_ends_as_a_whole),
        cmocka_unit_test(T5_a_new_target_replaces_the_one_of_an_exclusive_relation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
