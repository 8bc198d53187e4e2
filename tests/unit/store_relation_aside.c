// Links that a load makes aside, and puts in the place of those that are there.
#include "unit/store_relations.h"

#include "store/relation.h"

typedef struct aside {
    firn_component of[KINDS];
    firn_entity e[5];
    fr_component *likes, *owns, *parent;
} aside;

// Three like the first, which is the parent of two.
static aside make_aside(const fixture *f)
{
    aside a;
    register_relations(f, f->world, a.of);
    spawn_bare(f, a.e, 5);
    for (uint32_t i = 1; i < 4; i++) {
        relate_default(f, a.e[i], a.of[LIKES], a.e[0]);
        relate_default(f, a.e[i], a.of[PARENT], a.e[0]);
    }
    a.likes = f->world->components.items[fr_component_index(f->world, a.of[LIKES])];
    a.owns = f->world->components.items[fr_component_index(f->world, a.of[OWNS])];
    a.parent = f->world->components.items[fr_component_index(f->world, a.of[PARENT])];
    return a;
}

static void add_aside(const fixture *f, const aside *a)
{
    assert_true(fr_relations_begin(f->world, 8));
    for (uint32_t i = 4; i-- > 1;) {
        assert_true(fr_relations_add(f->world, a->likes, a->e[i], a->e[0]));
        assert_true(fr_relations_add(f->world, a->parent, a->e[i], a->e[0]));
    }
}

static void expect_sources(const fixture *f, const aside *a, uint32_t kind, uint32_t first,
                           uint32_t second, uint32_t third)
{
    const firn_entity expected[] = {a->e[first], a->e[second], a->e[third]};
    firn_entity out[3];
    assert_int_equal(firn_sources(f->world, a->of[kind], a->e[0], out, 3), 3);
    assert_memory_equal(out, expected, sizeof out);
}

static void T5_links_that_were_made_aside_are_those_after_the_swap(void **state)
{
    fixture *f = *state;
    aside a = make_aside(f);
    add_aside(f, &a);
    expect_sources(f, &a, LIKES, 1, 2, 3); // not yet
    assert_true(fr_relations_order(a.parent, a.e[0], (firn_entity[]){a.e[2], a.e[1], a.e[3]}, 3));
    fr_relations_swap(f->world);
    expect_sources(f, &a, LIKES, 3, 2, 1);
    expect_sources(f, &a, PARENT, 2, 1, 3);
    assert_true(fr_may_be_target(f->world, fr_slot(a.e[0])));
    assert_false(fr_may_be_target(f->world, fr_slot(a.e[1])));
    fr_relations_clear(f->world); // of the old ones
    expect_sources(f, &a, LIKES, 3, 2, 1);
    expect_sources(f, &a, PARENT, 2, 1, 3);
    relate_default(f, a.e[4], a.of[PARENT], a.e[0]);
    assert_true(firn_next_source(f->world, a.of[PARENT], a.e[0], a.e[3]) == a.e[4]);
    assert_int_equal(firn_next_source(f->world, a.of[PARENT], a.e[0], a.e[4]), 0);
    assert_ok(firn_unrelate(f->world, a.e[4], a.of[PARENT], a.e[0], NULL), NULL);
    assert_ok(firn_despawn(f->world, a.e[0], NULL), NULL);
    assert_int_equal(firn_entity_count(f->world), 1);
}

static void T5_sets_of_links_aside_follow_each_other(void **state)
{
    fixture *f = *state;
    aside a = make_aside(f);
    fr_component *knows = f->world->components.items[fr_component_index(f->world, a.of[KNOWS])];
    uint64_t bytes = 0;
    for (uint32_t i = 1; i < 5; i++)
        relate_default(f, a.e[i], a.of[KNOWS], a.e[0]);
    // A link that is free, in what is cleared below.
    assert_ok(firn_unrelate(f->world, a.e[4], a.of[KNOWS], a.e[0], NULL), NULL);
    relate_default(f, a.e[4], a.of[KNOWS], a.e[0]);
    assert_ok(firn_unrelate(f->world, a.e[2], a.of[KNOWS], a.e[0], NULL), NULL);
    for (uint32_t round = 0; round < 50; round++) {
        static const uint32_t orders[2][3] = {{4, 1, 3}, {1, 3, 4}};
        const uint32_t *order = orders[round % 2];
        add_aside(f, &a);
        for (uint32_t i = 0; i < 3; i++)
            assert_true(fr_relations_add(f->world, knows, a.e[order[i]], a.e[0]));
        fr_relations_swap(f->world);
        expect_sources(f, &a, KNOWS, order[0], order[1], order[2]);
        bytes = round <= 1 ? f->memory.bytes : bytes;
        assert_true(f->memory.bytes == bytes);
    }
}

static void T5_an_order_holds_exactly_the_sources_that_were_linked(void **state)
{
    fixture *f = *state;
    aside a = make_aside(f);
    const firn_entity *e = a.e;
    const struct {
        firn_entity target, sources[4];
        uint32_t count;
    } wrong[] = {
        {e[0], {e[1], e[2]}, 2},             // one is missing
        {e[0], {e[1], e[2], e[3], e[4]}, 4}, // one too many
        {e[0], {e[1], e[2], e[2]}, 3},       // one twice
        {e[0], {e[1], e[2], e[4]}, 3},       // one that is none
        {e[0], {e[1], e[2], 999999}, 3},
        {e[0], {e[1], e[2], 0}, 3},
        {e[0], {e[1], e[2], NOBODY + 2}, 3}, // the fourth of another generation
        {e[0], {0}, 0},
        {e[1], {e[1]}, 1}, // no target
        {999999, {e[1]}, 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fr_component *const relations[] = {a.likes, a.parent};
        for (uint32_t k = 0; k < 2; k++) {
            add_aside(f, &a);
            assert_false(fr_relations_order(relations[k], wrong[i].target, wrong[i].sources,
                                            wrong[i].count));
        }
    }
    assert_true(fr_relations_begin(f->world, 8));
    assert_true(fr_relations_add(f->world, a.owns, e[1], e[0]));
    assert_false(fr_relations_order(a.owns, e[0], &e[1], 1)); // lists none
    fr_relations_clear(f->world);
    expect_sources(f, &a, LIKES, 1, 2, 3);
    expect_sources(f, &a, PARENT, 1, 2, 3);
}

static void T5_links_aside_without_memory_leave_those_that_are_there(void **state)
{
    fixture *f = *state;
    aside a = make_aside(f);
    const uint32_t far = 100000; // a slot for which nothing has room yet
    uint64_t call = 1;
    for (bool done = false; !done; call++) {
        test_allocator_fail_at(&f->memory, call, false);
        done = fr_relations_begin(f->world, far) &&
               fr_relations_add(f->world, a.likes, a.e[1], far) &&
               fr_relations_add(f->world, a.parent, far, a.e[0]) &&
               fr_relations_add(f->world, a.owns, a.e[1], far + 1);
        assert_true(done != f->memory.injected);
        test_allocator_fail_at(&f->memory, 0, false);
        expect_sources(f, &a, LIKES, 1, 2, 3);
        expect_sources(f, &a, PARENT, 1, 2, 3);
        fr_relations_clear(f->world);
    }
    assert_true(call > 5);
    add_aside(f, &a); // what failed left nothing behind
    fr_relations_swap(f->world);
    expect_sources(f, &a, LIKES, 3, 2, 1);
    assert_int_equal(fr_reverse_count(&a.likes->reverse, far), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(T5_links_that_were_made_aside_are_those_after_the_swap),
        FIXTURE_TEST(T5_sets_of_links_aside_follow_each_other),
        FIXTURE_TEST(T5_an_order_holds_exactly_the_sources_that_were_linked),
        FIXTURE_TEST(T5_links_aside_without_memory_leave_those_that_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
