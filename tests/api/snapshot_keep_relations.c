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
static people make_strangers(void)
{
    people p = {.world = zoo_empty(NULL)};
    p.tag = zoo_register(p.world, &(firn_component_desc){.name = "Mark", .kind = FIRN_TAG});
    p.score = zoo_register(p.world, &(firn_component_desc){.name = "Score", .kind = FIRN_NUMBER});
    return p;
}

static void register_relations(people *p)
{
    for (uint32_t i = 0; i < RELATIONS; i++) {
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
    people p = make_strangers();
    test_random random = {seed};
    register_relations(&p);
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
        people p = make_people(seed), q = make_strangers();
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
    people p = make_strangers();
    register_relations(&p);
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
        people p = make_ordered(ids, relation), q = make_strangers();
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
    people p = make_ordered(ids, 2), q = make_strangers();
    firn_buffer empty = zoo_save(q.world), image = save_edges(p.world, false);
    keep(q.world, &image);
    zoo_load(q.world, &empty);
    assert_saves_as(q.world, &empty);
    firn_buffer_free(&empty);
    firn_buffer_free(&image);
    firn_world_destroy(p.world);
    firn_world_destroy(q.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F7_unknown_relations_are_kept_and_saved_byte_for_byte),
        cmocka_unit_test(F7_the_order_of_kept_sources_is_that_of_the_living),
        cmocka_unit_test(F7_a_load_that_keeps_nothing_forgets_the_order_of_kept_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
