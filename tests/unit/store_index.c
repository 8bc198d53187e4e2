#include "support/support.h"

#include "store/entity_index.h"

typedef struct index_state {
    test_allocator memory;
    fr_entity_index index;
} index_state;

static index_state shared;

static int setup(void **state)
{
    test_allocator_init(&shared.memory);
    fr_entity_index_init(&shared.index);
    *state = &shared;
    return 0;
}

static int teardown(void **state)
{
    index_state *s = *state;
    fr_entity_index_free(&s->memory.allocator, &s->index);
    assert_no_leak(&s->memory);
    return 0;
}

static firn_result reserve(index_state *s, uint32_t n, firn_error *err)
{
    return fr_entity_index_reserve(&s->memory.allocator, &s->index, n, FIRN_SLOT_MAX, err);
}

static firn_entity take(index_state *s)
{
    firn_error err;
    assert_ok(reserve(s, 1, &err), &err);
    return fr_entity_index_take(&s->index);
}

static void T4_ids_are_exact_as_doubles(void **state)
{
    (void)state;
    firn_entity last = fr_entity(FIRN_SLOT_MAX, FIRN_GENERATION_MAX);
    assert_true((firn_entity)(double)last == last);
    assert_int_equal(fr_slot(last), FIRN_SLOT_MAX);
    assert_int_equal(fr_generation(last), FIRN_GENERATION_MAX);
}

static void T4_fresh_slots_rise_from_one_at_generation_zero(void **state)
{
    for (uint32_t slot = 1; slot < 100; slot++) {
        assert_int_equal(take(*state), slot);
    }
}

static void T4_freed_slots_come_back_last_in_first_out(void **state)
{
    index_state *s = *state;
    for (uint32_t i = 0; i < 5; i++) {
        take(s);
    }
    fr_entity_index_release(&s->index, 2);
    fr_entity_index_release(&s->index, 5);
    fr_entity_index_release(&s->index, 3);
    assert_int_equal(s->index.free_count, 3);
    assert_int_equal(s->index.alive, 2);
    assert_int_equal(take(s), fr_entity(3, 1));
    assert_int_equal(take(s), fr_entity(5, 1));
    assert_int_equal(take(s), fr_entity(2, 1));
    assert_int_equal(take(s), 6);
}

static void T4_the_generation_rises_each_time_a_slot_is_freed(void **state)
{
    index_state *s = *state;
    for (uint32_t generation = 0; generation < 50; generation++) {
        firn_entity id = take(s);
        assert_int_equal(id, fr_entity(1, generation));
        fr_entity_index_release(&s->index, id);
    }
}

static void T4_a_slot_freed_at_the_last_generation_retires(void **state)
{
    index_state *s = *state;
    firn_entity id = take(s);
    fr_entity_index_release(&s->index, id);
    s->index.records[1] = fr_record_dead(FIRN_GENERATION_MAX, 0);
    id = take(s);
    assert_int_equal(id, fr_entity(1, FIRN_GENERATION_MAX));
    fr_entity_index_release(&s->index, id);
    assert_int_equal(s->index.free_count, 0);
    assert_int_equal(s->index.free_head, 0);
    assert_int_equal(fr_record_kind(s->index.records[1]), FR_SLOT_NONE);
    assert_int_equal(take(s), 2);
}

static void T4_many_ids_use_the_free_slots_first(void **state)
{
    index_state *s = *state;
    firn_error err;
    for (uint32_t i = 0; i < 4; i++) {
        take(s);
    }
    fr_entity_index_release(&s->index, 1);
    fr_entity_index_release(&s->index, 3);
    firn_entity ids[4];
    assert_ok(reserve(s, 4, &err), &err);
    fr_entity_index_take_many(&s->index, 9, 20, ids, 4);
    const firn_entity expected[] = {fr_entity(3, 1), fr_entity(1, 1), 5, 6};
    assert_memory_equal(ids, expected, sizeof ids);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t record = s->index.records[fr_slot(ids[i])];
        assert_int_equal(fr_record_kind(record), FR_SLOT_ALIVE);
        assert_int_equal(fr_record_archetype(record), 9);
        assert_int_equal(fr_record_row(record), 20 + i);
    }
    assert_int_equal(s->index.alive, 6);
    assert_int_equal(s->index.free_count, 0);
}

static void records_hold_the_largest_numbers(void **state)
{
    (void)state;
    uint32_t archetype = (1u << FR_ARCHETYPE_BITS) - 1;
    uint64_t record = fr_record_alive(archetype, FIRN_SLOT_MAX);
    assert_int_equal(fr_record_kind(record), FR_SLOT_ALIVE);
    assert_int_equal(fr_record_archetype(record), archetype);
    assert_int_equal(fr_record_row(record), FIRN_SLOT_MAX);
    assert_int_equal(fr_record_mark(record), 0);
    const uint32_t most = (1u << 22) - 2;
    record = fr_record_of(fr_entity(FIRN_SLOT_MAX, most), archetype, FIRN_SLOT_MAX);
    assert_int_equal(fr_record_archetype(record), archetype);
    assert_int_equal(fr_record_mark(record), most + 1);
    record = fr_record_of(fr_entity(FIRN_SLOT_MAX, most + 1), archetype, FIRN_SLOT_MAX);
    assert_int_equal(record, fr_record_alive(archetype, FIRN_SLOT_MAX));
    record = fr_record_dead(FIRN_GENERATION_MAX, FIRN_SLOT_MAX);
    assert_int_equal(fr_record_kind(record), FR_SLOT_DEAD);
    assert_int_equal(fr_record_generation(record), FIRN_GENERATION_MAX);
    assert_int_equal(fr_record_next_free(record), FIRN_SLOT_MAX);
    record = fr_record_reserved(FIRN_GENERATION_MAX);
    assert_int_equal(fr_record_kind(record), FR_SLOT_RESERVED);
    assert_int_equal(fr_record_generation(record), FIRN_GENERATION_MAX);
}

static void more_entities_than_the_limit_are_refused(void **state)
{
    index_state *s = *state;
    firn_error err;
    for (uint32_t i = 0; i < 3; i++) {
        take(s);
    }
    const firn_allocator *allocator = &s->memory.allocator;
    assert_ok(fr_entity_index_reserve(allocator, &s->index, 2, 5, &err), &err);
    assert_int_equal(fr_entity_index_reserve(allocator, &s->index, 3, 5, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "entities");
    assert_int_equal(fr_entity_index_reserve(allocator, &s->index, UINT32_MAX, 5, &err),
                     FIRN_LIMIT);
    assert_int_equal(fr_entity_index_reserve(allocator, &s->index, 1, 2, &err), FIRN_LIMIT);
}

static void slots_that_are_all_used_or_retired_are_a_limit(void **state)
{
    index_state *s = *state;
    firn_error err;
    s->index.next_slot = FIRN_SLOT_MAX;
    assert_int_equal(reserve(s, 2, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "entities");
    assert_null(s->index.records);
    s->index.next_slot = FIRN_SLOT_MAX + 1;
    assert_int_equal(reserve(s, 1, &err), FIRN_LIMIT);
    s->index.next_slot = 1;
}

static void without_memory_reserving_changes_nothing(void **state)
{
    index_state *s = *state;
    firn_error err;
    take(s);
    fr_entity_index before = s->index;
    test_allocator_fail_at(&s->memory, 1, true);
    assert_int_equal(reserve(s, 1000, &err), FIRN_NO_MEMORY);
    assert_error(&err, FIRN_NO_MEMORY, "index");
    test_allocator_fail_at(&s->memory, 0, false);
    assert_memory_equal(&s->index, &before, sizeof before);
}

#define INDEX_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        INDEX_TEST(T4_ids_are_exact_as_doubles),
        INDEX_TEST(T4_fresh_slots_rise_from_one_at_generation_zero),
        INDEX_TEST(T4_freed_slots_come_back_last_in_first_out),
        INDEX_TEST(T4_the_generation_rises_each_time_a_slot_is_freed),
        INDEX_TEST(T4_a_slot_freed_at_the_last_generation_retires),
        INDEX_TEST(T4_many_ids_use_the_free_slots_first),
        INDEX_TEST(records_hold_the_largest_numbers),
        INDEX_TEST(more_entities_than_the_limit_are_refused),
        INDEX_TEST(slots_that_are_all_used_or_retired_are_a_limit),
        INDEX_TEST(without_memory_reserving_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
