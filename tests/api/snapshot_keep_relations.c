// Relations that a game does not register: kept and saved again byte for byte.
#include "api/snapshot_zoo.h"

#include <string.h>

#define SEEDS     50
#define PEOPLE    40
#define RELATIONS 5

typedef struct bond {
    firn_entity target;
    int32_t strength;
    firn_entity witness;
} bond;

static const firn_field bond_fields[] = {FIRN_FIELD(bond, strength, FIRN_I32),
                                         FIRN_FIELD(bond, witness, FIRN_ENTITY)};

// Some have names that stand in another order than their targets' columns.
static const struct {
    const char *name;
    uint32_t bits;
    bool fields;
} relations[RELATIONS] = {
    {"Likes", FIRN_REVERSE, false},
    {"Likes-", FIRN_EXCLUSIVE | FIRN_CASCADE, true},
    {"Knows", FIRN_SPARSE | FIRN_REVERSE, true},
    {"Rides", FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE, false},
    {"Trades", FIRN_SPARSE | FIRN_EXCLUSIVE, true},
};

static firn_component_desc relation_desc(uint32_t i)
{
    return (firn_component_desc){.name = relations[i].name,
                                 .kind = FIRN_RELATION,
                                 .relation = relations[i].bits,
                                 .size = relations[i].fields ? sizeof(bond) : 0,
                                 .fields = relations[i].fields ? bond_fields : NULL,
                                 .field_count = relations[i].fields ? 2 : 0};
}

typedef struct people {
    firn_world *world;
    firn_component of[RELATIONS];
    firn_component tag, score;
    firn_entity ids[PEOPLE];
} people;

// A world without relations of the game.
static people make_strangers(test_allocator *memory)
{
    people p = {.world = zoo_empty(memory)};
    p.tag = zoo_register(p.world, &(firn_component_desc){.name = "Mark", .kind = FIRN_TAG});
    p.score = zoo_register(p.world, &(firn_component_desc){.name = "Score", .kind = FIRN_NUMBER});
    return p;
}

static void register_relations(people *p, uint32_t first)
{
    for (uint32_t k = 0; k < RELATIONS; k++) {
        uint32_t i = (first + k) % RELATIONS;
        firn_component_desc desc = relation_desc(i);
        p->of[i] = zoo_register(p->world, &desc);
    }
}

static void change_one(people *p, test_random *random)
{
    firn_error err;
    firn_entity *source = &p->ids[test_random_below(random, PEOPLE)];
    firn_entity target = p->ids[test_random_below(random, PEOPLE / 4)];
    uint32_t i = test_random_below(random, RELATIONS + 1);
    if (!firn_alive(p->world, *source)) {
        firn_component components[] = {p->tag, p->score};
        *source = zoo_spawn(p->world, components, test_random_below(random, 3));
    } else if (i == RELATIONS || test_random_below(random, 30) == 0) {
        firn_component component = test_random_below(random, 2) == 0 ? p->tag : p->score;
        if (test_random_below(random, 4) == 0)
            assert_ok(firn_despawn(p->world, *source, &err), &err);
        else if (firn_has(p->world, *source, component))
            assert_ok(firn_remove(p->world, *source, &component, 1, &err), &err);
        else
            assert_ok(firn_add(p->world, *source, &component, 1, &err), &err);
    } else if (test_random_below(random, 4) == 0) {
        assert_ok(firn_unrelate(p->world, *source, p->of[i], target, &err), &err);
    } else if (firn_alive(p->world, target)) {
        bond row = {0, (int32_t)test_random_below(random, 9), target};
        const void *given = relations[i].fields ? &row : NULL;
        assert_ok(firn_relate(p->world, *source, p->of[i], target, given, &err), &err);
    }
}

static people make_people(uint64_t seed)
{
    people p = make_strangers(NULL);
    test_random random = {seed};
    register_relations(&p, 0);
    for (uint32_t i = 0; i < 12 * PEOPLE; i++)
        change_one(&p, &random);
    return p;
}

static firn_buffer save_edges(firn_world *world, bool marked)
{
    const firn_term term = {.component = firn_component_find(world, "Mark")};
    const firn_query_desc filter = {.terms = &term, .term_count = 1};
    return zoo_save_with(
        world, &(firn_save_options){.sparse_edges = true, .filter = marked ? &filter : NULL});
}

static void keep(firn_world *world, const firn_buffer *image)
{
    firn_error err;
    firn_load_options options = {.keep_unknown = true};
    assert_ok(firn_snapshot_load(world, image->data, image->size, &options, NULL, &err), &err);
}

// Also without the option sparse_edges.
static void F7_unknown_relations_are_kept_and_saved_byte_for_byte(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        people p = make_people(seed), q = make_strangers(NULL);
        firn_buffer image = save_edges(p.world, seed % 4 == 0);
        for (uint32_t times = 0; times < 2; times++) {
            keep(q.world, &image);
            assert_saves_as(q.world, &image);
        }
        firn_world_destroy(q.world);
        // Nor does it need to know anything else.
        firn_world *world = zoo_empty(NULL);
        keep(world, &image);
        assert_saves_as(world, &image);
        firn_world_destroy(world);
        firn_buffer_free(&image);
        firn_world_destroy(p.world);
    }
}

// Sources whose order is another than that of their rows.
static people make_ordered(firn_entity ids[5], uint32_t relation)
{
    firn_error err;
    people p = make_strangers(NULL);
    register_relations(&p, 0);
    assert_ok(firn_spawn_many(p.world, NULL, 0, 5, ids, &err), &err);
    for (uint32_t i = 1; i < 5; i++)
        assert_ok(firn_relate(p.world, ids[i], p.of[relation], ids[0], NULL, &err), &err);
    assert_ok(firn_unrelate(p.world, ids[1], p.of[relation], 0, &err), &err);
    return p;
}

static void F7_the_order_of_kept_sources_is_that_of_the_living(void **state)
{
    (void)state;
    for (uint32_t relation = 0; relation < 4; relation++) {
        firn_error err;
        firn_entity ids[5], sources[4];
        people p = make_ordered(ids, relation), q = make_strangers(NULL);
        firn_buffer image = save_edges(p.world, false);
        keep(q.world, &image);
        assert_ok(firn_despawn(q.world, ids[2], &err), &err);
        firn_entity early = zoo_spawn(q.world, NULL, 0);
        assert_true(early != ids[2]);
        firn_buffer later = zoo_save(q.world);
        zoo_load(p.world, &later);
        assert_int_equal(firn_sources(p.world, p.of[relation], ids[0], sources, 4), 2);
        assert_true(sources[0] == ids[3] && sources[1] == ids[4]);
        firn_buffer_free(&later);
        assert_ok(firn_despawn(q.world, ids[0], &err), &err);
        later = zoo_save(q.world);
        zoo_load(p.world, &later);
        assert_int_equal(firn_sources(p.world, p.of[relation], ids[0], sources, 4), 0);
        firn_buffer_free(&later);
        firn_buffer_free(&image);
        firn_world_destroy(p.world);
        firn_world_destroy(q.world);
    }
}

static void F7_a_load_that_keeps_nothing_forgets_the_order_of_kept_sources(void **state)
{
    (void)state;
    firn_entity ids[5];
    people p = make_ordered(ids, 2), q = make_strangers(NULL);
    firn_buffer empty = zoo_save(q.world), image = save_edges(p.world, false);
    keep(q.world, &image);
    zoo_load(q.world, &empty);
    assert_saves_as(q.world, &empty);
    firn_buffer_free(&empty);
    firn_buffer_free(&image);
    firn_world_destroy(p.world);
    firn_world_destroy(q.world);
}

// ---- registered later

static bool holds(const firn_entity *entities, uint32_t count, firn_entity entity)
{
    for (uint32_t i = 0; i < count; i++)
        if (entities[i] == entity)
            return true;
    return false;
}

static void assert_same_edges(const people *a, const people *b, bool ordered)
{
    firn_entity left[PEOPLE], right[PEOPLE];
    for (uint32_t k = 0; k < PEOPLE; k++) {
        const firn_entity id = a->ids[k];
        assert_true(b->ids[k] == id && firn_alive(a->world, id) == firn_alive(b->world, id));
        for (uint32_t i = 0; i < RELATIONS; i++) {
            uint32_t n = firn_targets(a->world, id, a->of[i], left, PEOPLE);
            assert_int_equal(n, firn_targets(b->world, id, b->of[i], right, PEOPLE));
            for (uint32_t e = 0; e < n; e++) {
                const bond *row = firn_related(a->world, id, a->of[i], left[e]);
                const bond *other = firn_related(b->world, id, b->of[i], right[e]);
                assert_true(left[e] == right[e]);
                assert_memory_equal(row, other, relations[i].fields ? sizeof *row : sizeof(*left));
            }
            n = firn_sources(a->world, a->of[i], id, left, PEOPLE);
            assert_int_equal(n, firn_sources(b->world, b->of[i], id, right, PEOPLE));
            for (uint32_t e = 0; e < n; e++)
                assert_true(holds(right, n, left[e]));
            if (ordered && (relations[i].bits & (FIRN_REVERSE | FIRN_CASCADE)) != 0)
                assert_memory_equal(left, right, n * sizeof *left);
        }
    }
}

static void F7_relations_that_are_registered_later_are_those_of_a_load(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        people p = make_people(seed), q = make_strangers(NULL), loaded = make_strangers(NULL);
        firn_buffer image = save_edges(p.world, false);
        register_relations(&loaded, 0);
        zoo_load(loaded.world, &image);
        keep(q.world, &image);
        register_relations(&q, (uint32_t)seed);
        memcpy(loaded.ids, p.ids, sizeof p.ids);
        memcpy(q.ids, p.ids, sizeof p.ids);
        assert_same_edges(&loaded, &q, true);
        firn_hash expected = zoo_hash(loaded.world), hash = zoo_hash(q.world);
        assert_memory_equal(&hash, &expected, sizeof hash);
        firn_buffer again = save_edges(q.world, false);
        assert_same_bytes(&again, &image);
        // And they live on as those do.
        test_random random = {seed}, same = {seed};
        for (uint32_t i = 0; i < PEOPLE; i++) {
            change_one(&loaded, &random);
            change_one(&q, &same);
        }
        assert_same_edges(&loaded, &q, true);
        firn_buffer_free(&again);
        firn_buffer_free(&image);
        firn_world_destroy(loaded.world);
        firn_world_destroy(q.world);
        firn_world_destroy(p.world);
    }
}

// Rows that lose their last edge follow those of their new archetype, in which sources then stand.
static void F7_edges_to_what_the_save_does_not_have_are_dropped_then(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        people p = make_people(seed), q = make_strangers(NULL), loaded = make_strangers(NULL);
        firn_buffer image = save_edges(p.world, true);
        register_relations(&loaded, 0);
        zoo_load(loaded.world, &image);
        keep(q.world, &image);
        register_relations(&q, (uint32_t)seed);
        memcpy(loaded.ids, p.ids, sizeof p.ids);
        memcpy(q.ids, p.ids, sizeof p.ids);
        assert_same_edges(&loaded, &q, false);
        firn_buffer_free(&image);
        firn_world_destroy(loaded.world);
        firn_world_destroy(q.world);
        firn_world_destroy(p.world);
    }
}

static void F7_edges_to_entities_that_ended_while_they_were_kept_are_dropped(void **state)
{
    (void)state;
    for (uint32_t relation = 0; relation < RELATIONS; relation++) {
        firn_error err;
        firn_entity ids[5];
        people p = make_ordered(ids, relation), q = make_strangers(NULL);
        firn_buffer image = save_edges(p.world, false);
        keep(q.world, &image);
        assert_ok(firn_despawn(q.world, ids[0], &err), &err);
        register_relations(&q, relation);
        for (uint32_t i = 1; i < 5; i++) {
            assert_true(firn_alive(q.world, ids[i]));
            assert_false(firn_has(q.world, ids[i], q.of[relation]));
            assert_ok(firn_relate(q.world, ids[i], q.of[relation], ids[1], NULL, &err), &err);
        }
        assert_int_equal(firn_sources(q.world, q.of[relation], ids[1], NULL, 0), 4);
        firn_buffer_free(&image);
        firn_world_destroy(q.world);
        firn_world_destroy(p.world);
    }
}

static void F7_a_relation_that_does_not_fit_is_refused_and_its_rows_are_kept(void **state)
{
    (void)state;
    people p = make_people(3), q = make_strangers(NULL);
    firn_buffer image = save_edges(p.world, false);
    keep(q.world, &image);
    const struct {
        const char *name;
        uint32_t bits;
        firn_component_kind kind;
        bool transient;
    } wrong[] = {{"Likes", FIRN_SPARSE, FIRN_RELATION, false},
                 {"Likes", FIRN_EXCLUSIVE, FIRN_RELATION, false},
                 {"Likes", 0, FIRN_RELATION, true},
                 {"Rides", 0, FIRN_RELATION, false},
                 {"Knows", FIRN_SPARSE | FIRN_EXCLUSIVE, FIRN_RELATION, false},
                 {"Knows", 0, FIRN_NUMBER, false}};
    for (uint32_t i = 0; i < FIRN_COUNT(wrong); i++) {
        firn_error err;
        firn_component_desc desc = {.name = wrong[i].name,
                                    .kind = wrong[i].kind,
                                    .relation = wrong[i].bits,
                                    .transient = wrong[i].transient};
        assert_int_equal(firn_component_register(q.world, &desc, &err), 0);
        assert_error(&err, FIRN_INVALID, wrong[i].name);
        assert_saves_as(q.world, &image);
    }
    register_relations(&q, 0);
    firn_buffer again = save_edges(q.world, false);
    assert_same_bytes(&again, &image);
    firn_buffer_free(&again);
    firn_buffer_free(&image);
    firn_world_destroy(q.world);
    firn_world_destroy(p.world);
}

static void F7_a_relation_finds_its_rows_under_a_former_name(void **state)
{
    (void)state;
    static const char *const names[] = {"Likes", NULL};
    people p = make_people(5), q = make_strangers(NULL);
    firn_buffer image = save_edges(p.world, false);
    keep(q.world, &image);
    firn_component_desc desc = relation_desc(0);
    desc.name = "Loves";
    desc.former_names = names;
    firn_component loves = zoo_register(q.world, &desc);
    uint32_t edges = 0;
    for (uint32_t i = 0; i < PEOPLE; i++) {
        uint32_t n = firn_targets(p.world, p.ids[i], p.of[0], NULL, 0);
        assert_int_equal(firn_targets(q.world, p.ids[i], loves, NULL, 0), n);
        edges += n;
    }
    assert_true(edges > 0);
    firn_buffer_free(&image);
    firn_world_destroy(q.world);
    firn_world_destroy(p.world);
}

// No game of today makes such a name.
static void F7_a_relation_does_not_find_the_rows_of_a_name_with_two_arrows(void **state)
{
    (void)state;
    people p = make_strangers(NULL), q = make_strangers(NULL);
    firn_component_desc desc = {.name = "Likes..a..b", .kind = FIRN_NUMBER};
    firn_component component = zoo_register(p.world, &desc);
    firn_entity entity = zoo_spawn(p.world, &component, 1);
    firn_buffer image = save_edges(p.world, false);
    for (size_t at = 0; at + 2 <= image.size; at++) {
        if (memcmp(image.data + at, "..", 2) == 0)
            memcpy(image.data + at, "->", 2);
    }
    keep(q.world, &image);
    desc = relation_desc(0);
    assert_false(firn_has(q.world, entity, zoo_register(q.world, &desc)));
    assert_saves_as(q.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(q.world);
    firn_world_destroy(p.world);
}

static void F7_kept_relations_stay_when_there_is_no_memory_for_their_edges(void **state)
{
    (void)state;
    people p = make_people(7);
    firn_buffer image = save_edges(p.world, false);
    for (uint32_t i = 0; i < RELATIONS; i++) {
        bool done = false;
        test_allocator memory;
        test_allocator_init(&memory);
        people q = make_strangers(&memory);
        keep(q.world, &image);
        for (uint64_t call = 1; !done; call++) {
            firn_error err;
            firn_component_desc desc = relation_desc(i);
            test_allocator_fail_at(&memory, call, call % 2 == 0);
            done = firn_component_register(q.world, &desc, &err) != 0;
            test_allocator_fail_at(&memory, 0, false);
            if (!done) {
                assert_int_equal(err.code, FIRN_NO_MEMORY);
                assert_saves_as(q.world, &image);
            }
        }
        firn_buffer again = save_edges(q.world, false);
        assert_same_bytes(&again, &image);
        firn_buffer_free(&again);
        firn_world_destroy(q.world);
        assert_no_leak(&memory);
    }
    firn_buffer_free(&image);
    firn_world_destroy(p.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F7_unknown_relations_are_kept_and_saved_byte_for_byte),
        cmocka_unit_test(F7_the_order_of_kept_sources_is_that_of_the_living),
        cmocka_unit_test(F7_a_load_that_keeps_nothing_forgets_the_order_of_kept_sources),
        cmocka_unit_test(F7_relations_that_are_registered_later_are_those_of_a_load),
        cmocka_unit_test(F7_edges_to_what_the_save_does_not_have_are_dropped_then),
        cmocka_unit_test(F7_edges_to_entities_that_ended_while_they_were_kept_are_dropped),
        cmocka_unit_test(F7_a_relation_that_does_not_fit_is_refused_and_its_rows_are_kept),
        cmocka_unit_test(F7_a_relation_finds_its_rows_under_a_former_name),
        cmocka_unit_test(F7_a_relation_does_not_find_the_rows_of_a_name_with_two_arrows),
        cmocka_unit_test(F7_kept_relations_stay_when_there_is_no_memory_for_their_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
