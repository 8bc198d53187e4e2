// Calls of relation.h, and changes of edges that are made in other ways.
#include "fault/memory_scene.h"

#include "firn/relation.h"

enum { LIKES, OWNS, PARENT, KNOWS };

typedef struct likes {
    firn_entity target;
    double weight;
} likes;

static const firn_field likes_fields[] = {FIRN_FIELD(likes, weight, FIRN_F64)};

// Dense and sparse ones, of one target and of many; Owns brings Point along.
static void register_relations(scene *s)
{
    const firn_component_desc descs[] = {
        {.name = "Likes",
         .kind = FIRN_RELATION,
         .size = sizeof(likes),
         .fields = likes_fields,
         .field_count = 1,
         .relation = FIRN_REVERSE},
        {.name = "Owns",
         .kind = FIRN_RELATION,
         .required = &s->z.of[ZOO_POINT],
         .required_count = 1,
         .relation = FIRN_EXCLUSIVE},
        {.name = "Parent",
         .kind = FIRN_RELATION,
         .relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_CASCADE},
        {.name = "Knows",
         .kind = FIRN_RELATION,
         .size = sizeof(likes),
         .fields = likes_fields,
         .field_count = 1,
         .relation = FIRN_SPARSE | FIRN_REVERSE},
    };
    for (uint32_t i = 0; i < 4; i++)
        s->relations[i] = zoo_register(s->z.world, &descs[i]);
}

static firn_result relate(scene *s, uint32_t source, uint32_t kind, uint32_t target,
                          firn_error *err)
{
    const likes row = {0, source + 0.5};
    bool fields = kind == LIKES || kind == KNOWS;
    return firn_relate(s->z.world, s->people[source], s->relations[kind], s->people[target],
                       fields ? &row : NULL, err);
}

static firn_result unrelate(scene *s, uint32_t source, uint32_t kind, firn_entity target,
                            firn_error *err)
{
    return firn_unrelate(s->z.world, s->people[source], s->relations[kind], target, err);
}

static void make_people(scene *s)
{
    register_relations(s);
    for (uint32_t i = 0; i < 6; i++)
        s->people[i] = i % 2 == 0 ? zoo_spawn_one(s->z.world, s->z.of[ZOO_TITLE])
                                  : zoo_spawn(s->z.world, NULL, 0);
}

// The first person is a target of each relation; Parent is a tree and, at the third one, a cycle.
static void relate_people(scene *s)
{
    static const struct {
        uint32_t source, kind, target;
    } edges[] = {{1, LIKES, 0},  {2, LIKES, 0},  {2, LIKES, 1},  {4, OWNS, 0},
                 {1, PARENT, 0}, {2, PARENT, 1}, {0, PARENT, 2}, {3, PARENT, 1},
                 {1, KNOWS, 0},  {1, KNOWS, 2},  {5, KNOWS, 0},  {5, KNOWS, 1},
                 {5, KNOWS, 3},  {5, KNOWS, 5},  {5, LIKES, 0},  {5, OWNS, 0}};
    firn_error err;
    make_people(s);
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        assert_ok(relate(s, edges[i].source, edges[i].kind, edges[i].target, &err), &err);
}

static void hear_people(scene *s)
{
    relate_people(s);
    scene_hear_changes(s);
}

// ---- edges

static firn_result relate_first_dense(scene *s, firn_error *err)
{
    return relate(s, 1, LIKES, 0, err);
}

static firn_result relate_first_required(scene *s, firn_error *err)
{
    return relate(s, 1, OWNS, 0, err);
}

static firn_result relate_first_sparse(scene *s, firn_error *err)
{
    return relate(s, 1, PARENT, 1, err);
}

static firn_result relate_first_of_many(scene *s, firn_error *err)
{
    return relate(s, 1, KNOWS, 0, err);
}

static firn_result relate_second_dense(scene *s, firn_error *err)
{
    return scene_pull(s, relate(s, 1, LIKES, 3, err));
}

static firn_result relate_another_of_many(scene *s, firn_error *err)
{
    return scene_pull(s, relate(s, 5, KNOWS, 2, err));
}

// An edge that is too large for the stack.
typedef struct large_edge {
    firn_entity target;
    double numbers[100];
} large_edge;

static void register_large(scene *s)
{
    static const firn_field fields[] = {FIRN_FIELD_ARRAY(large_edge, numbers, FIRN_F64, 100)};
    const firn_component_desc desc = {.name = "Large",
                                      .kind = FIRN_RELATION,
                                      .size = sizeof(large_edge),
                                      .fields = fields,
                                      .field_count = 1};
    make_people(s);
    s->relations[OWNS] = zoo_register(s->z.world, &desc);
}

static firn_result relate_large(scene *s, firn_error *err)
{
    const large_edge edge = {.numbers = {1, 2}};
    return firn_relate(s->z.world, s->people[0], s->relations[OWNS], s->people[1], &edge, err);
}

static firn_result set_edge(scene *s, firn_error *err)
{
    const likes row = {0, 99};
    return scene_pull(
        s, firn_relate(s->z.world, s->people[5], s->relations[KNOWS], s->people[1], &row, err));
}

static firn_result replace_dense(scene *s, firn_error *err)
{
    return scene_pull(s, relate(s, 4, OWNS, 3, err));
}

static firn_result replace_sparse(scene *s, firn_error *err)
{
    return scene_pull(s, relate(s, 3, PARENT, 5, err));
}

static firn_result unrelate_dense(scene *s, firn_error *err)
{
    return scene_pull(s, unrelate(s, 2, LIKES, s->people[0], err));
}

static firn_result unrelate_all_dense(scene *s, firn_error *err)
{
    return scene_pull(s, unrelate(s, 2, LIKES, 0, err));
}

static firn_result unrelate_sparse(scene *s, firn_error *err)
{
    return scene_pull(s, unrelate(s, 3, PARENT, s->people[1], err));
}

static firn_result unrelate_one_of_many(scene *s, firn_error *err)
{
    return scene_pull(s, unrelate(s, 5, KNOWS, s->people[1], err));
}

static firn_result unrelate_all_of_many(scene *s, firn_error *err)
{
    return scene_pull(s, unrelate(s, 5, KNOWS, 0, err));
}

static firn_result remove_relations(scene *s, firn_error *err)
{
    return scene_pull(s, firn_remove(s->z.world, s->people[5], s->relations, 4, err));
}

static firn_result read_edges(scene *s, firn_error *err)
{
    firn_world *world = s->z.world;
    firn_entity out[6];
    const firn_component knows = s->relations[KNOWS];
    (void)err;
    assert_int_not_equal(firn_child_of(world), 0);
    assert_int_equal(firn_target(world, s->people[4], s->relations[OWNS]), s->people[0]);
    assert_int_equal(firn_targets(world, s->people[5], knows, out, 6), 4);
    assert_int_equal(firn_sources(world, s->relations[OWNS], s->people[0], out, 6), 2);
    assert_int_equal(firn_first_source(world, knows, s->people[0]), s->people[1]);
    assert_int_equal(firn_next_source(world, knows, s->people[0], s->people[1]), s->people[5]);
    assert_ptr_equal(firn_related(world, s->people[5], knows, s->people[3]),
                     firn_related_mut(world, s->people[5], knows, s->people[3]));
    return FIRN_OK;
}

// ---- other calls

static firn_result register_relation(scene *s, firn_error *err)
{
    const firn_component_desc desc = {.name = "a relation with a name",
                                      .kind = FIRN_RELATION,
                                      .size = sizeof(likes),
                                      .fields = likes_fields,
                                      .field_count = 1,
                                      .relation = FIRN_SPARSE | FIRN_CASCADE};
    return scene_made(firn_component_register(s->z.world, &desc, err) != 0, err);
}

static firn_result query_target(scene *s, firn_error *err)
{
    const firn_term term = {.component = s->relations[KNOWS], .target = s->people[0]};
    const firn_query_desc desc = {.name = "those who know", .terms = &term, .term_count = 1};
    firn_query query = firn_query_create(s->z.world, &desc, err);
    if (query != 0)
        assert_int_equal(firn_query_count(s->z.world, query), 2);
    return scene_made(query != 0, err);
}

static firn_result despawn_with_sources(scene *s, firn_error *err)
{
    return scene_pull(s, firn_despawn(s->z.world, s->people[0], err));
}

static firn_result despawn_source(scene *s, firn_error *err)
{
    return scene_pull(s, firn_despawn(s->z.world, s->people[5], err));
}

static firn_result despawn_unheard(scene *s, firn_error *err)
{
    return firn_despawn(s->z.world, s->people[0], err);
}

// ---- snapshots

static firn_result save_people(scene *s, firn_error *err)
{
    const firn_save_options options = {.sparse_edges = true};
    return firn_snapshot_save(s->z.world, &options, &s->out, err);
}

// The output holds all, and the world others: edges that went, and one that came.
static void change_people(scene *s)
{
    firn_error err;
    relate_people(s);
    // The order of the sources is not that of their rows.
    assert_ok(relate(s, 0, KNOWS, 3, &err), &err);
    assert_ok(save_people(s, &err), &err);
    assert_ok(unrelate(s, 5, KNOWS, 0, &err), &err);
    assert_ok(firn_despawn(s->z.world, s->people[3], &err), &err);
    assert_ok(relate(s, 4, LIKES, 5, &err), &err);
}

static firn_result load_people(scene *s, firn_error *err)
{
    firn_result result = firn_snapshot_load(s->z.world, s->out.data, s->out.size, NULL, NULL, err);
    assert_true(result != FIRN_OK ||
                firn_targets(s->z.world, s->people[5], s->relations[KNOWS], NULL, 0) == 4);
    return result;
}

static firn_result merge_people(scene *s, firn_error *err)
{
    firn_merge_report report;
    firn_result result =
        firn_snapshot_merge(s->z.world, s->out.data, s->out.size, NULL, &report, err);
    firn_entity merged = firn_merge_find(&report, s->people[5]);
    assert_true(result != FIRN_OK ||
                firn_targets(s->z.world, merged, s->relations[KNOWS], NULL, 0) == 4);
    firn_merge_report_free(&report);
    return result;
}

// ---- deferred

static void open_loop(scene *s)
{
    relate_people(s);
    scene_open_loop(s);
}

static firn_result defer_relate(scene *s, firn_error *err)
{
    return relate(s, 4, KNOWS, 0, err);
}

static firn_result defer_unrelate(scene *s, firn_error *err)
{
    return unrelate(s, 5, KNOWS, 0, err);
}

static void defer_edges(scene *s)
{
    firn_error err;
    hear_people(s);
    scene_open_loop(s);
    assert_ok(relate(s, 4, KNOWS, 0, &err), &err);
    assert_ok(relate(s, 4, OWNS, 3, &err), &err);
    assert_ok(relate(s, 3, LIKES, 5, &err), &err);
    assert_ok(relate(s, 5, PARENT, 0, &err), &err);
    assert_ok(unrelate(s, 5, KNOWS, 0, &err), &err);
    assert_ok(unrelate(s, 2, LIKES, s->people[0], &err), &err);
    assert_ok(firn_despawn(s->z.world, s->people[0], &err), &err);
    assert_ok(firn_spawn(s->z.world, NULL, 0, &err) != 0 ? FIRN_OK : err.code, &err);
}

static firn_result end_loop(scene *s, firn_error *err)
{
    return scene_pull(s, scene_end_loop(s, err));
}

const memory_case memory_relation_cases[] = {
    {"firn_component_register", register_relation, NULL, false},
    {"firn_relate", relate_first_dense, make_people, false},
    {"firn_relate", relate_first_required, make_people, false},
    {"firn_relate", relate_first_sparse, make_people, false},
    {"firn_relate", relate_first_of_many, make_people, false},
    {"firn_relate", relate_second_dense, hear_people, false},
    {"firn_relate", relate_another_of_many, hear_people, false},
    {"firn_relate", set_edge, hear_people, false},
    {"firn_relate", replace_dense, hear_people, false},
    {"firn_relate", replace_sparse, hear_people, false},
    {"firn_relate", relate_large, register_large, false},
    {"firn_relate", defer_relate, open_loop, false},
    {"firn_unrelate", unrelate_dense, hear_people, false},
    {"firn_unrelate", unrelate_all_dense, hear_people, false},
    {"firn_unrelate", unrelate_sparse, hear_people, false},
    {"firn_unrelate", unrelate_one_of_many, hear_people, false},
    {"firn_unrelate", unrelate_all_of_many, hear_people, false},
    {"firn_unrelate", defer_unrelate, open_loop, false},
    {"firn_remove", remove_relations, hear_people, false},
    {"firn_child_of firn_related firn_related_mut firn_target firn_targets firn_sources "
     "firn_first_source firn_next_source",
     read_edges, relate_people, true},
    {"firn_query_create firn_query_count", query_target, relate_people, false},
    {"firn_despawn", despawn_with_sources, hear_people, false},
    {"firn_despawn", despawn_source, hear_people, false},
    {"firn_despawn", despawn_unheard, relate_people, false},
    {"firn_snapshot_save", save_people, relate_people, false},
    {"firn_snapshot_load", load_people, change_people, false},
    {"firn_snapshot_merge", merge_people, change_people, false},
    {"firn_iter_end firn_flush", end_loop, defer_edges, false},
    {NULL, NULL, NULL, false},
};
