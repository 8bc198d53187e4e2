// Relations that are registered in another way than they were saved: read, or refused by name.
#include "api/snapshot_zoo.h"

#include <string.h>

#include "firn/relation.h"

#define MANY (FIRN_SPARSE | FIRN_REVERSE)
#define ONE  (FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE)

typedef struct knows {
    firn_entity target;
    double since;
} knows;

typedef struct game {
    firn_world *world;
    firn_component knows, mark;
    firn_entity people[4]; // of which the last has no mark
} game;

static game open_game(uint32_t relation)
{
    static const firn_field fields[] = {FIRN_FIELD(knows, since, FIRN_F64)};
    const firn_component_desc desc = {.name = "Knows",
                                      .kind = FIRN_RELATION,
                                      .size = sizeof(knows),
                                      .fields = fields,
                                      .field_count = 1,
                                      .relation = relation};
    const firn_component_desc mark = {.name = "Mark", .kind = FIRN_TAG};
    game g = {.world = zoo_empty(NULL)};
    g.knows = zoo_register(g.world, &desc);
    g.mark = zoo_register(g.world, &mark);
    return g;
}

static game open_game_with_people(uint32_t relation)
{
    game g = open_game(relation);
    for (uint32_t i = 0; i < 4; i++)
        g.people[i] = zoo_spawn(g.world, &g.mark, i < 3);
    return g;
}

static void meet(const game *g, uint32_t source, uint32_t target, double since)
{
    firn_error err;
    assert_ok(firn_relate(g->world, g->people[source], g->knows, g->people[target],
                          &(knows){.since = since}, &err),
              &err);
}

static firn_buffer save_and_close(game *g, bool marked_only)
{
    const firn_term marked = {.component = g->mark};
    const firn_query_desc filter = {.terms = &marked, .term_count = 1};
    firn_buffer image =
        zoo_save_with(g->world, &(firn_save_options){.sparse_edges = true,
                                                     .filter = marked_only ? &filter : NULL});
    firn_world_destroy(g->world);
    g->world = NULL;
    return image;
}

// A fresh world, in which the relation is another one; the ids stay known.
static void reopen(game *g, uint32_t relation)
{
    game fresh = open_game(relation);
    g->world = fresh.world;
    g->knows = fresh.knows;
    g->mark = fresh.mark;
}

static void expect_known(const game *g, uint32_t source, uint32_t target, double since)
{
    const knows *row = firn_related(g->world, g->people[source], g->knows, g->people[target]);
    assert_non_null(row);
    assert_int_equal(row->target, g->people[target]);
    assert_true(row->since == since);
    assert_int_equal(firn_first_source(g->world, g->knows, g->people[target]), g->people[source]);
}

// The load fails, and leaves the world as it was.
static void expect_refused(uint32_t relation, const firn_buffer *image, const char *subject,
                           firn_entity entity, const char *why)
{
    game g = open_game_with_people(relation);
    firn_buffer before = zoo_save(g.world);
    firn_error err;
    assert_int_equal(firn_snapshot_load(g.world, image->data, image->size, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, subject);
    assert_int_equal(err.entity, entity);
    assert_non_null(strstr(err.message, why));
    assert_saves_as(g.world, &before);
    firn_buffer_free(&before);
    firn_world_destroy(g.world);
}

// ---- sparse, of many targets and of one

static void T13_T5_a_list_of_one_edge_is_read_by_a_relation_that_is_exclusive_now(void **state)
{
    (void)state;
    game g = open_game_with_people(MANY);
    meet(&g, 0, 1, 1.5);
    meet(&g, 2, 0, 2.5);
    firn_buffer image = save_and_close(&g, false);
    reopen(&g, ONE);
    firn_load_report report = zoo_load(g.world, &image);
    assert_int_equal(report.notice_count, 0);
    expect_known(&g, 0, 1, 1.5);
    expect_known(&g, 2, 0, 2.5);
    assert_int_equal(firn_targets(g.world, g.people[0], g.knows, NULL, 0), 1);
    firn_buffer again = zoo_save(g.world); // no list any more: no option is needed
    zoo_load(g.world, &again);
    expect_known(&g, 2, 0, 2.5);
    firn_buffer_free(&image);
    firn_buffer_free(&again);
    firn_world_destroy(g.world);
}

static void T13_T5_of_several_edges_the_one_whose_target_was_saved_is_read(void **state)
{
    (void)state;
    game g = open_game_with_people(MANY);
    meet(&g, 0, 3, 1.5); // the fourth is not saved
    meet(&g, 0, 2, 2.5);
    meet(&g, 1, 3, 3.5);
    firn_buffer image = save_and_close(&g, true);
    reopen(&g, ONE);
    firn_load_report report;
    firn_error err;
    assert_ok(firn_snapshot_load(g.world, image.data, image.size, NULL, &report, &err), &err);
    zoo_notes notes = zoo_take_notes(&report);
    assert_note(&notes, FIRN_NOTICE_TARGET, "Knows", "", 2);
    expect_known(&g, 0, 2, 2.5);
    assert_false(firn_has(g.world, g.people[1], g.knows));
    firn_buffer_free(&image);
    firn_world_destroy(g.world);
}

static void T13_T5_a_list_of_several_edges_is_refused_by_an_exclusive_relation(void **state)
{
    (void)state;
    game g = open_game_with_people(MANY);
    meet(&g, 2, 1, 1);
    meet(&g, 1, 0, 1);
    meet(&g, 1, 2, 1);
    firn_entity source = g.people[1];
    firn_buffer image = save_and_close(&g, false);
    expect_refused(ONE, &image, "Knows", source, "two targets");
    firn_buffer_free(&image);
}

static void T13_T5_a_merge_reads_a_list_of_one_edge_too(void **state)
{
    (void)state;
    game g = open_game_with_people(MANY);
    meet(&g, 2, 1, 4.5);
    firn_buffer image = save_and_close(&g, false);
    g = open_game_with_people(ONE);
    meet(&g, 0, 1, 5.5);
    firn_error err;
    firn_merge_report report;
    assert_ok(firn_snapshot_merge(g.world, image.data, image.size, NULL, &report, &err), &err);
    firn_entity source = firn_merge_find(&report, g.people[2]);
    const knows *row = firn_get(g.world, source, g.knows);
    assert_non_null(row);
    assert_int_equal(row->target, firn_merge_find(&report, g.people[1]));
    assert_true(row->since == 4.5);
    expect_known(&g, 0, 1, 5.5);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(g.world);
}

static void T13_T5_one_edge_is_read_by_a_relation_of_many_targets(void **state)
{
    (void)state;
    game g = open_game_with_people(ONE);
    meet(&g, 0, 1, 1.5);
    firn_buffer image = save_and_close(&g, false);
    reopen(&g, MANY);
    zoo_load(g.world, &image);
    expect_known(&g, 0, 1, 1.5);
    meet(&g, 0, 2, 2.5);
    assert_int_equal(firn_targets(g.world, g.people[0], g.knows, NULL, 0), 2);
    firn_buffer_free(&image);
    firn_world_destroy(g.world);
}

// ---- dense

static void T13_T5_columns_of_one_target_are_read_by_an_exclusive_relation(void **state)
{
    (void)state;
    game g = open_game_with_people(FIRN_REVERSE);
    meet(&g, 0, 1, 1.5);
    meet(&g, 0, 3, 2.5); // not saved
    meet(&g, 1, 2, 3.5);
    firn_buffer image = save_and_close(&g, true);
    reopen(&g, FIRN_EXCLUSIVE | FIRN_REVERSE);
    zoo_load(g.world, &image);
    expect_known(&g, 0, 1, 1.5);
    expect_known(&g, 1, 2, 3.5);
    assert_int_equal(firn_targets(g.world, g.people[0], g.knows, NULL, 0), 1);
    firn_buffer_free(&image);
    firn_world_destroy(g.world);
}

static void T13_T5_columns_of_two_targets_are_refused_by_an_exclusive_relation(void **state)
{
    (void)state;
    game g = open_game_with_people(0);
    meet(&g, 0, 1, 1);
    meet(&g, 0, 2, 1);
    firn_buffer image = save_and_close(&g, false);
    expect_refused(FIRN_EXCLUSIVE, &image, "Knows", 0, "two targets");
    firn_buffer_free(&image);
}

static void T13_T5_a_dense_relation_and_a_sparse_one_do_not_read_each_other(void **state)
{
    (void)state;
    game g = open_game_with_people(0);
    meet(&g, 0, 1, 1);
    firn_buffer image = save_and_close(&g, false);
    expect_refused(ONE, &image, "Knows->", 0, "dense relation in the save");
    expect_refused(MANY, &image, "Knows->", 0, "dense relation in the save");
    firn_buffer_free(&image);
    g = open_game_with_people(ONE);
    meet(&g, 0, 1, 1);
    image = save_and_close(&g, false);
    expect_refused(0, &image, "Knows", 0, "sparse relation in the save");
    firn_buffer_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T13_T5_a_list_of_one_edge_is_read_by_a_relation_that_is_exclusive_now),
        cmocka_unit_test(T13_T5_of_several_edges_the_one_whose_target_was_saved_is_read),
        cmocka_unit_test(T13_T5_a_list_of_several_edges_is_refused_by_an_exclusive_relation),
        cmocka_unit_test(T13_T5_a_merge_reads_a_list_of_one_edge_too),
        cmocka_unit_test(T13_T5_one_edge_is_read_by_a_relation_of_many_targets),
        cmocka_unit_test(T13_T5_columns_of_one_target_are_read_by_an_exclusive_relation),
        cmocka_unit_test(T13_T5_columns_of_two_targets_are_refused_by_an_exclusive_relation),
        cmocka_unit_test(T13_T5_a_dense_relation_and_a_sparse_one_do_not_read_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
