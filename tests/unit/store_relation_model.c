// Relationships against a naive model of edges: 50,000 random changes, some of them deferred.
#include "support/support.h"

#include "firn/firn.h"

#include <string.h>

#define MOST      48
#define RELATIONS 7
#define STEPS     50000

static const uint32_t forms[RELATIONS] = {
    0,
    FIRN_EXCLUSIVE | FIRN_REVERSE,
    FIRN_SPARSE,
    FIRN_SPARSE | FIRN_REVERSE,
    FIRN_SPARSE | FIRN_EXCLUSIVE,
    FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_CASCADE,
    FIRN_SPARSE | FIRN_CASCADE,
};

typedef struct edge_row {
    firn_entity target;
    double weight;
} edge_row;

typedef struct model_edge {
    firn_entity source;
    edge_row row;
} model_edge;

// The edges of each relation in the order in which they came.
typedef struct model {
    firn_world *world;
    firn_component relations[RELATIONS];
    firn_component owned;
    firn_entity entities[MOST];
    uint32_t count;
    model_edge edges[RELATIONS][MOST * MOST];
    uint32_t edge_count[RELATIONS];
    uint64_t random;
} model;

static uint32_t below(model *m, uint32_t n)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(m->random >> 33) % n;
}

static void forget_edge(model *m, uint32_t r, uint32_t at)
{
    m->edge_count[r]--;
    memmove(&m->edges[r][at], &m->edges[r][at + 1],
            (m->edge_count[r] - at) * sizeof m->edges[r][0]);
}

static void model_unrelate(model *m, uint32_t r, firn_entity source, firn_entity target)
{
    for (uint32_t i = m->edge_count[r]; i-- > 0;) {
        const model_edge *edge = &m->edges[r][i];
        if (edge->source == source && (target == 0 || edge->row.target == target)) {
            forget_edge(m, r, i);
        }
    }
}

static void model_relate(model *m, uint32_t r, firn_entity source, const edge_row *row)
{
    for (uint32_t i = 0; i < m->edge_count[r]; i++) {
        model_edge *edge = &m->edges[r][i];
        if (edge->source == source && edge->row.target == row->target) {
            edge->row = *row;
            return;
        }
    }
    if ((forms[r] & FIRN_EXCLUSIVE) != 0) {
        model_unrelate(m, r, source, 0);
    }
    m->edges[r][m->edge_count[r]++] = (model_edge){source, *row};
}

static void model_despawn(model *m, firn_entity entity)
{
    firn_entity ending[MOST] = {entity};
    uint32_t count = 1;
    for (uint32_t e = 0; e < count; e++) {
        for (uint32_t r = 0; r < RELATIONS; r++) {
            for (uint32_t i = 0; i < m->edge_count[r]; i++) {
                const model_edge *edge = &m->edges[r][i];
                bool known = (forms[r] & FIRN_CASCADE) == 0 || edge->row.target != ending[e];
                for (uint32_t k = 0; k < count; k++) {
                    known = known || ending[k] == edge->source;
                }
                if (!known) {
                    ending[count++] = edge->source;
                }
            }
        }
    }
    for (uint32_t e = 0; e < count; e++) {
        for (uint32_t r = 0; r < RELATIONS; r++) {
            for (uint32_t i = m->edge_count[r]; i-- > 0;) {
                if (m->edges[r][i].source == ending[e] || m->edges[r][i].row.target == ending[e]) {
                    forget_edge(m, r, i);
                }
            }
        }
        for (uint32_t i = 0; i < m->count; i++) {
            if (m->entities[i] == ending[e]) {
                m->entities[i] = m->entities[--m->count];
            }
        }
    }
}

static void step(model *m)
{
    firn_error err;
    uint32_t what = below(m, 100);
    uint32_t r = below(m, RELATIONS);
    if (m->count < 2 || (what < 12 && m->count < MOST)) {
        m->entities[m->count++] = firn_spawn(m->world, &m->owned, below(m, 2), &err);
        assert_int_not_equal(m->entities[m->count - 1], 0);
        return;
    }
    firn_entity source = m->entities[below(m, m->count)];
    firn_entity target = m->entities[below(m, m->count)];
    edge_row row = {target, below(m, 1000)};
    if (what < 16) {
        assert_ok(firn_despawn(m->world, source, &err), &err);
        model_despawn(m, source);
    } else if (what < 70) {
        assert_ok(firn_relate(m->world, source, m->relations[r], target, &row, &err), &err);
        model_relate(m, r, source, &row);
    } else if (what < 90) {
        assert_ok(firn_unrelate(m->world, source, m->relations[r], target, &err), &err);
        model_unrelate(m, r, source, target);
    } else if (what < 95) {
        assert_ok(firn_remove(m->world, source, &m->relations[r], 1, &err), &err);
        model_unrelate(m, r, source, 0);
    } else {
        firn_result result = below(m, 2) != 0 ? firn_add(m->world, source, &m->owned, 1, &err)
                                              : firn_remove(m->world, source, &m->owned, 1, &err);
        assert_ok(result, &err);
    }
}

static void steps_in_a_loop(model *m)
{
    firn_error err;
    firn_iter it;
    firn_query query = firn_query_create(m->world, &(firn_query_desc){.name = "loop"}, &err);
    firn_iter_begin(m->world, query, &it);
    for (uint32_t n = below(m, 12); n > 0; n--) {
        step(m);
    }
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_ok(firn_query_destroy(m->world, query, &err), &err);
}

static void check_sources(const model *m, uint32_t r, firn_entity target)
{
    firn_entity out[MOST];
    uint32_t count = firn_sources(m->world, m->relations[r], target, out, MOST);
    bool listed = (forms[r] & (FIRN_REVERSE | FIRN_CASCADE)) != 0;
    firn_entity walked = firn_first_source(m->world, m->relations[r], target);
    uint32_t found = 0;
    for (uint32_t i = 0; i < m->edge_count[r]; i++) {
        const model_edge *edge = &m->edges[r][i];
        if (edge->row.target != target) {
            continue;
        }
        const edge_row *row = firn_related(m->world, edge->source, m->relations[r], target);
        assert_non_null(row);
        assert_true(row->target == target && row->weight == edge->row.weight);
        if (listed) {
            assert_int_equal(out[found], edge->source);
            assert_int_equal(walked, edge->source);
            walked = firn_next_source(m->world, m->relations[r], target, walked);
        }
        found++;
    }
    assert_int_equal(walked, 0);
    assert_int_equal(found, count);
}

static void check_targets(const model *m, uint32_t r, firn_entity source)
{
    firn_entity out[MOST];
    uint32_t count = firn_targets(m->world, source, m->relations[r], out, MOST);
    uint32_t found = 0;
    for (uint32_t i = 0; i < m->edge_count[r]; i++) {
        if (m->edges[r][i].source != source) {
            continue;
        }
        if ((forms[r] & FIRN_SPARSE) != 0) {
            assert_int_equal(out[found], m->edges[r][i].row.target);
        }
        found++;
    }
    assert_int_equal(found, count);
    assert_int_equal(firn_has(m->world, source, m->relations[r]), count > 0);
}

static void check_all(const model *m)
{
    assert_int_equal(firn_entity_count(m->world), m->count);
    for (uint32_t i = 0; i < m->count; i++) {
        assert_true(firn_alive(m->world, m->entities[i]));
        for (uint32_t r = 0; r < RELATIONS; r++) {
            check_sources(m, r, m->entities[i]);
            check_targets(m, r, m->entities[i]);
        }
    }
}

static void check_queries(const model *m, uint32_t r, firn_entity target)
{
    firn_error err;
    for (int kind = FIRN_WITH; kind <= FIRN_WITHOUT; kind++) {
        firn_term term = {m->relations[r], (firn_term_kind)kind, true, target};
        firn_query_desc desc = {.terms = &term, .term_count = 1};
        firn_query query = firn_query_create(m->world, &desc, &err);
        assert_int_not_equal(query, 0);
        firn_iter it;
        uint32_t seen = 0;
        firn_iter_begin(m->world, query, &it);
        while (firn_iter_next(&it)) {
            for (uint32_t i = 0; i < it.count; i++, seen++) {
                const edge_row *row =
                    firn_related(m->world, it.entities[i], m->relations[r], target);
                assert_int_equal(row != NULL, kind == FIRN_WITH);
                if (it.columns[0] != NULL) {
                    assert_int_equal(((const edge_row *)it.columns[0])[i].target, target);
                }
            }
        }
        assert_ok(firn_iter_end(&it, &err), &err);
        uint32_t with = firn_sources(m->world, m->relations[r], target, NULL, 0);
        assert_int_equal(seen, kind == FIRN_WITH ? with : m->count - with);
        assert_int_equal(firn_query_count(m->world, query), seen);
        assert_ok(firn_query_destroy(m->world, query, &err), &err);
    }
}

static void begin_model(model *m, test_allocator *memory)
{
    static const firn_field fields[] = {FIRN_FIELD(edge_row, weight, FIRN_F64)};
    static const char *const names[RELATIONS] = {"G", "F", "E", "D", "C", "B", "A"};
    firn_error err;
    *m = (model){.random = 42};
    test_allocator_init(memory);
    m->world = firn_world_create(&(firn_world_desc){.allocator = &memory->allocator}, &err);
    assert_non_null(m->world);
    for (uint32_t r = 0; r < RELATIONS; r++) {
        firn_component_desc desc = {
            .name = names[r],
            .kind = FIRN_RELATION,
            .size = sizeof(edge_row),
            .fields = fields,
            .field_count = 1,
            .relation = forms[r],
        };
        m->relations[r] = firn_component_register(m->world, &desc, &err);
        assert_int_not_equal(m->relations[r], 0);
    }
    m->owned = firn_name(m->world);
}

static void T5_fifty_thousand_changes_of_edges_agree_with_a_naive_model(void **state)
{
    (void)state;
    static model m;
    test_allocator memory;
    begin_model(&m, &memory);
    for (uint32_t i = 0; i < STEPS; i++) {
        if (below(&m, 20) == 0) {
            steps_in_a_loop(&m);
        }
        step(&m);
        if (i % 16 == 0) {
            check_all(&m);
            check_queries(&m, below(&m, RELATIONS), m.entities[below(&m, m.count)]);
        }
    }
    check_all(&m);
    firn_world_destroy(m.world);
    assert_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T5_fifty_thousand_changes_of_edges_agree_with_a_naive_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
