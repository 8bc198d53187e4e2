// Deferred changes.
#include "unit/store_fixture.h"

#include <string.h>

static firn_query named_query(fixture *f, const char *name)
{
    firn_error err;
    firn_query query = firn_query_create(f->world, &(firn_query_desc){.name = name}, &err);
    assert_int_not_equal(query, 0);
    return query;
}

static void begin(fixture *f, firn_iter *it)
{
    firn_iter_begin(f->world, named_query(f, "everything"), it);
}

static void end(firn_iter *it)
{
    firn_error err;
    assert_ok(firn_iter_end(it, &err), &err);
}

static float x_of(fixture *f, firn_entity entity)
{
    const position *row = firn_get(f->world, entity, f->position);
    assert_non_null(row);
    return row->x;
}

static void a_spawn_inside_a_loop_appears_at_its_end(void **state)
{
    fixture *f = *state;
    firn_iter it;
    begin(f, &it);
    firn_entity entity = firn_spawn(f->world, &f->position, 1, NULL);
    assert_int_not_equal(entity, 0);
    assert_true(firn_alive(f->world, entity));
    assert_int_equal(firn_entity_count(f->world), 1);
    assert_false(firn_has(f->world, entity, f->position));
    assert_null(firn_get(f->world, entity, f->position));
    assert_int_equal(firn_pending(f->world), 1);
    assert_false(firn_iter_next(&it));
    end(&it);
    assert_int_equal(firn_pending(f->world), 0);
    assert_true(x_of(f, entity) == 1);
    assert_int_equal(firn_entity_count(f->world), 1);
}

static void many_spawned_inside_a_loop_stand_in_consecutive_rows(void **state)
{
    fixture *f = *state;
    firn_iter it;
    firn_entity ids[20];
    begin(f, &it);
    assert_int_equal(firn_spawn_many(f->world, &f->owner, 1, 20, ids, NULL), FIRN_OK);
    assert_int_equal(firn_pending(f->world), 1);
    end(&it);
    assert_int_equal(f->init_calls, 1);
    assert_int_equal(f->init_rows, 20);
    const owner *rows = firn_get(f->world, ids[0], f->owner);
    for (uint32_t i = 0; i < 20; i++) {
        assert_ptr_equal(firn_get(f->world, ids[i], f->owner), rows + i);
    }
}

static void a_despawn_inside_a_loop_leaves_the_entity_until_its_end(void **state)
{
    fixture *f = *state;
    firn_entity entity = firn_spawn(f->world, &f->position, 1, NULL);
    firn_iter it;
    begin(f, &it);
    assert_int_equal(firn_despawn(f->world, entity, NULL), FIRN_OK);
    assert_true(firn_alive(f->world, entity));
    assert_true(x_of(f, entity) == 1);
    end(&it);
    assert_false(firn_alive(f->world, entity));
}

static void a_set_of_what_is_there_is_seen_inside_the_loop(void **state)
{
    fixture *f = *state;
    firn_entity entity = firn_spawn(f->world, &f->position, 1, NULL);
    firn_iter it;
    begin(f, &it);
    assert_int_equal(firn_set(f->world, entity, f->position, &(position){7, 7}, NULL), FIRN_OK);
    assert_true(x_of(f, entity) == 7);
    assert_int_equal(firn_pending(f->world), 0);
    end(&it);
    assert_true(x_of(f, entity) == 7);
}

static void a_set_behind_a_removal_waits_for_it(void **state)
{
    fixture *f = *state;
    firn_entity entity = firn_spawn(f->world, &f->position, 1, NULL);
    firn_iter it;
    begin(f, &it);
    assert_int_equal(firn_remove(f->world, entity, &f->position, 1, NULL), FIRN_OK);
    assert_int_equal(firn_set(f->world, entity, f->position, &(position){7, 7}, NULL), FIRN_OK);
    assert_true(x_of(f, entity) == 1);
    assert_int_equal(firn_pending(f->world), 2);
    end(&it);
    assert_true(x_of(f, entity) == 7);
}

static void a_removal_behind_a_set_takes_the_component_away(void **state)
{
    fixture *f = *state;
    firn_entity entity = firn_spawn(f->world, &f->owner, 1, NULL);
    firn_iter it;
    begin(f, &it);
    owner row = {fixture_take_resource(f)};
    assert_int_equal(firn_set(f->world, entity, f->owner, &row, NULL), FIRN_OK);
    assert_int_equal(firn_remove(f->world, entity, &f->owner, 1, NULL), FIRN_OK);
    end(&it);
    assert_false(firn_has(f->world, entity, f->owner));
    assert_int_equal(f->owned_count, 0);
}

static void strings_and_values_wait_with_their_bytes(void **state)
{
    fixture *f = *state;
    firn_entity entity = firn_spawn(f->world, NULL, 0, NULL);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_iter it;
    begin(f, &it);
    char text[] = "a name that does not fit in sixteen bytes";
    assert_int_equal(firn_set_text(f->world, entity, firn_name(f->world), text, NULL), FIRN_OK);
    memset(text, '?', sizeof text - 1);
    assert_int_equal(firn_set_value(f->world, entity, f->value,
                                    firn_value_text(doc, "another long string", NULL), NULL),
                     FIRN_OK);
    end(&it);
    size_t size;
    const char *name = firn_get_string(f->world, entity, firn_name(f->world), &size);
    assert_int_equal(size, 41);
    assert_memory_equal(name, "a name that does not fit in sixteen bytes", 41);
    const firn_value *value = firn_get_value(f->world, entity, f->value, doc, NULL);
    assert_string_equal(value->as.string, "another long string");
    firn_doc_destroy(doc);
}

static void changes_of_a_reserved_entity_follow_its_spawn(void **state)
{
    fixture *f = *state;
    firn_iter it;
    begin(f, &it);
    firn_entity entity = firn_spawn(f->world, &f->tag, 1, NULL);
    firn_entity other = firn_spawn(f->world, &f->position, 1, NULL);
    firn_set(f->world, entity, f->position, &(position){3, 4}, NULL);
    firn_remove(f->world, entity, &f->tag, 1, NULL);
    firn_add(f->world, entity, &f->number, 1, NULL);
    firn_despawn(f->world, other, NULL);
    end(&it);
    assert_true(x_of(f, entity) == 3);
    assert_false(firn_has(f->world, entity, f->tag));
    assert_true(firn_has(f->world, entity, f->number));
    assert_false(firn_alive(f->world, other));
}

static void changes_of_an_entity_that_ended_are_dropped_with_their_rows(void **state)
{
    fixture *f = *state;
    firn_entity entity = firn_spawn(f->world, NULL, 0, NULL);
    firn_iter it;
    begin(f, &it);
    firn_despawn(f->world, entity, NULL);
    owner row = {fixture_take_resource(f)};
    assert_int_equal(firn_set(f->world, entity, f->owner, &row, NULL), FIRN_OK);
    assert_int_equal(firn_set_text(f->world, entity, f->text, "as long as a block", NULL), FIRN_OK);
    assert_int_equal(firn_despawn(f->world, entity, NULL), FIRN_OK);
    end(&it);
    assert_int_equal(f->drop_rows, 1);
    assert_int_equal(f->owned_count, 0);
    assert_int_equal(firn_entity_count(f->world), 0);
}

static void dead_entities_and_wrong_arguments_are_reported_inside_the_loop(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_entity dead = firn_spawn(f->world, NULL, 0, NULL);
    firn_despawn(f->world, dead, NULL);
    firn_iter it;
    begin(f, &it);
    assert_int_equal(firn_despawn(f->world, dead, &err), FIRN_NOT_FOUND);
    assert_int_equal(err.entity, dead);
    assert_int_equal(firn_add(f->world, dead, &f->tag, 1, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_set(f->world, dead, f->number, &(double){1}, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_spawn(f->world, &(firn_component){77}, 1, &err), 0);
    assert_error(&err, FIRN_INVALID, "components");
    assert_int_equal(firn_pending(f->world), 0);
    end(&it);
}

static void only_the_outermost_loop_applies(void **state)
{
    fixture *f = *state;
    firn_entity entity = firn_spawn(f->world, NULL, 0, NULL);
    firn_iter outer;
    firn_iter inner;
    begin(f, &outer);
    begin(f, &inner);
    firn_add(f->world, entity, &f->tag, 1, NULL);
    end(&inner);
    assert_false(firn_has(f->world, entity, f->tag));
    end(&outer);
    assert_true(firn_has(f->world, entity, f->tag));
}

static void a_flush_inside_a_loop_names_the_innermost_query(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_iter outer;
    firn_iter inner;
    firn_iter_begin(f->world, named_query(f, NULL), &outer);
    assert_int_equal(firn_flush(f->world, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "query 1");
    firn_iter_begin(f->world, named_query(f, "movers"), &inner);
    assert_int_equal(firn_flush(f->world, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "movers");
    end(&inner);
    assert_int_equal(firn_flush(f->world, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "query 1");
    end(&outer);
    assert_ok(firn_flush(f->world, &err), &err);
}

// A world whose entities hold at most two components, so that a third one fails at the end.
static firn_world *narrow_world(fixture *f, firn_component components[3])
{
    firn_limits limits = {.columns = 2};
    firn_world_desc desc = {.allocator = &f->memory.allocator, .limits = &limits};
    firn_world *world = firn_world_create(&desc, NULL);
    const char *const names[] = {"One", "Two", "Three"};
    for (int i = 0; i < 3; i++) {
        firn_component_desc tag = {.name = names[i], .kind = FIRN_TAG};
        components[i] = firn_component_register(world, &tag, NULL);
    }
    return world;
}

static void a_change_that_fails_stays_queued_with_all_behind_it(void **state)
{
    firn_error err;
    firn_component tags[3];
    firn_world *world = narrow_world(*state, tags);
    firn_entity entity = firn_spawn(world, tags, 2, NULL);
    firn_entity other = firn_spawn(world, NULL, 0, NULL);
    firn_query query = firn_query_create(world, &(firn_query_desc){0}, NULL);
    firn_iter it;
    firn_iter_begin(world, query, &it);
    firn_add(world, other, &tags[0], 1, NULL);
    firn_add(world, entity, &tags[2], 1, NULL);
    firn_add(world, other, &tags[1], 1, NULL);
    assert_int_equal(firn_iter_end(&it, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "columns");
    assert_true(firn_has(world, other, tags[0]));
    assert_false(firn_has(world, other, tags[1]));
    assert_int_equal(firn_pending(world), 2);
    // Changes outside loops come behind those that wait, and fail like them.
    assert_int_equal(firn_despawn(world, entity, &err), FIRN_LIMIT);
    assert_int_equal(firn_spawn(world, NULL, 0, &err), 0);
    assert_error(&err, FIRN_LIMIT, "columns");
    assert_int_equal(firn_flush(world, &err), FIRN_LIMIT);
    assert_int_equal(firn_entity_count(world), 2);
    assert_int_equal(firn_discard(world), 2);
    assert_ok(firn_despawn(world, entity, &err), &err);
    assert_false(firn_has(world, other, tags[1]));
    firn_world_destroy(world);
}

static void a_flush_tries_again_what_had_no_memory(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_entity entity = firn_spawn(f->world, NULL, 0, NULL);
    firn_iter it;
    begin(f, &it);
    firn_set(f->world, entity, f->position, &(position){8, 8}, NULL);
    firn_entity later = firn_spawn(f->world, &f->number, 1, NULL);
    test_allocator_fail_at(&f->memory, 1, true);
    assert_int_equal(firn_iter_end(&it, &err), FIRN_NO_MEMORY);
    assert_int_equal(firn_pending(f->world), 2);
    assert_true(firn_alive(f->world, later));
    assert_int_equal(firn_despawn(f->world, later, &err), FIRN_NO_MEMORY);
    test_allocator_fail_at(&f->memory, 0, false);
    assert_ok(firn_flush(f->world, &err), &err);
    assert_true(x_of(f, entity) == 8);
    assert_true(firn_has(f->world, later, f->number));
}

static void ending_an_entity_applies_what_waits_first(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_entity entity = firn_spawn(f->world, NULL, 0, NULL);
    firn_iter it;
    begin(f, &it);
    firn_set(f->world, entity, f->position, &(position){8, 8}, NULL);
    firn_entity later = firn_spawn(f->world, &f->number, 1, NULL);
    test_allocator_fail_at(&f->memory, 1, true);
    assert_int_equal(firn_iter_end(&it, NULL), FIRN_NO_MEMORY);
    test_allocator_fail_at(&f->memory, 0, false);
    assert_ok(firn_despawn(f->world, later, &err), &err);
    assert_int_equal(firn_pending(f->world), 0);
    assert_false(firn_alive(f->world, later));
    assert_true(x_of(f, entity) == 8);
}

static void discarding_frees_reserved_ids_and_drops_rows(void **state)
{
    fixture *f = *state;
    firn_entity entity = firn_spawn(f->world, NULL, 0, NULL);
    firn_iter it;
    begin(f, &it);
    firn_entity ids[3];
    firn_spawn_many(f->world, &f->owner, 1, 3, ids, NULL);
    owner row = {fixture_take_resource(f)};
    firn_set(f->world, entity, f->owner, &row, NULL);
    firn_set_text(f->world, entity, f->text, "bytes that live in a block", NULL);
    assert_int_equal(firn_discard(f->world), 0);
    test_allocator_fail_at(&f->memory, 1, true);
    assert_int_equal(firn_iter_end(&it, NULL), FIRN_NO_MEMORY);
    test_allocator_fail_at(&f->memory, 0, false);
    assert_int_equal(firn_discard(f->world), 3);
    assert_int_equal(firn_pending(f->world), 0);
    assert_int_equal(f->owned_count, 0);
    assert_int_equal(firn_entity_count(f->world), 1);
    for (uint32_t i = 0; i < 3; i++) {
        assert_false(firn_alive(f->world, ids[i]));
        // The slots come back in the same order, one generation on.
        assert_int_equal(firn_spawn(f->world, NULL, 0, NULL),
                         ids[i] + (UINT64_C(1) << FIRN_SLOT_BITS));
    }
}

static void a_world_may_end_with_open_loops_and_changes_that_wait(void **state)
{
    fixture *f = *state;
    firn_world *world = fixture_world(f);
    firn_entity entity = firn_spawn(world, &f->text, 1, NULL);
    firn_query query = firn_query_create(world, &(firn_query_desc){0}, NULL);
    firn_iter it;
    firn_iter_begin(world, query, &it);
    assert_true(firn_iter_next(&it));
    firn_spawn(world, &f->owner, 1, NULL);
    owner row = {fixture_take_resource(f)};
    firn_set(world, entity, f->owner, &row, NULL);
    firn_world_destroy(world);
    assert_int_equal(f->owned_count, 0);
    fixture_register(f, f->world);
}

static void a_waiting_row_is_aligned_for_its_hooks(void **state)
{
    fixture *f = *state;
    firn_iter it;
    firn_entity entity = firn_spawn(f->world, NULL, 0, NULL);
    begin(f, &it);
    firn_add(f->world, entity, &f->tag, 1, NULL);
    firn_set(f->world, entity, f->wide, &(wide){.value = 6}, NULL);
    firn_set(f->world, entity, f->wide, &(wide){.value = 7}, NULL);
    end(&it);
    const wide *row = firn_get(f->world, entity, f->wide);
    assert_int_equal((uintptr_t)row % 64, 0);
    assert_true(row->value == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(a_spawn_inside_a_loop_appears_at_its_end),
        FIXTURE_TEST(many_spawned_inside_a_loop_stand_in_consecutive_rows),
        FIXTURE_TEST(a_despawn_inside_a_loop_leaves_the_entity_until_its_end),
        FIXTURE_TEST(a_set_of_what_is_there_is_seen_inside_the_loop),
        FIXTURE_TEST(a_set_behind_a_removal_waits_for_it),
        FIXTURE_TEST(a_removal_behind_a_set_takes_the_component_away),
        FIXTURE_TEST(strings_and_values_wait_with_their_bytes),
        FIXTURE_TEST(changes_of_a_reserved_entity_follow_its_spawn),
        FIXTURE_TEST(changes_of_an_entity_that_ended_are_dropped_with_their_rows),
        FIXTURE_TEST(dead_entities_and_wrong_arguments_are_reported_inside_the_loop),
        FIXTURE_TEST(only_the_outermost_loop_applies),
        FIXTURE_TEST(a_flush_inside_a_loop_names_the_innermost_query),
        FIXTURE_TEST(a_change_that_fails_stays_queued_with_all_behind_it),
        FIXTURE_TEST(a_flush_tries_again_what_had_no_memory),
        FIXTURE_TEST(ending_an_entity_applies_what_waits_first),
        FIXTURE_TEST(discarding_frees_reserved_ids_and_drops_rows),
        FIXTURE_TEST(a_world_may_end_with_open_loops_and_changes_that_wait),
        FIXTURE_TEST(a_waiting_row_is_aligned_for_its_hooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
