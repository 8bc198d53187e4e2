// Relationships of every kind in the forms of a save: transient ones, long rows, merges, tables,
// codecs.
#include "api/snapshot_zoo.h"

#include <stdio.h>
#include <string.h>

#include "firn/relation.h"

enum { LIKES, OWNS, PARENT, KNOWS, KINDS };

typedef struct likes {
    firn_entity target;
    float weight;
} likes;

typedef struct scene {
    firn_world *world;
    firn_component of[KINDS];
    firn_entity people[5];
} scene;

static scene make_scene(void)
{
    static const firn_field fields[] = {FIRN_FIELD(likes, weight, FIRN_F32)};
    const firn_component_desc descs[KINDS] = {
        {.name = "Likes",
         .kind = FIRN_RELATION,
         .size = sizeof(likes),
         .fields = fields,
         .field_count = 1,
         .relation = FIRN_REVERSE},
        {.name = "Owns", .kind = FIRN_RELATION, .relation = FIRN_EXCLUSIVE},
        {.name = "Parent",
         .kind = FIRN_RELATION,
         .relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_CASCADE},
        {.name = "Knows",
         .kind = FIRN_RELATION,
         .size = sizeof(likes),
         .fields = fields,
         .field_count = 1,
         .relation = FIRN_SPARSE | FIRN_REVERSE},
    };
    scene s = {.world = zoo_empty(NULL)};
    for (uint32_t i = 0; i < KINDS; i++)
        s.of[i] = zoo_register(s.world, &descs[i]);
    return s;
}

static void relate(const scene *s, uint32_t source, uint32_t kind, uint32_t target, float weight)
{
    firn_error err;
    const likes row = {.weight = weight};
    bool fields = kind == LIKES || kind == KNOWS;
    assert_ok(firn_relate(s->world, s->people[source], s->of[kind], s->people[target],
                          fields ? &row : NULL, &err),
              &err);
}

// The first likes two, owns, has a parent and knows two; the third is the child of its child.
static scene make_filled(void)
{
    scene s = make_scene();
    for (uint32_t i = 0; i < 5; i++)
        s.people[i] = zoo_spawn(s.world, NULL, 0);
    relate(&s, 0, LIKES, 1, 1.5f);
    relate(&s, 0, LIKES, 3, 2.5f);
    relate(&s, 4, LIKES, 1, 3.5f);
    relate(&s, 0, OWNS, 4, 0);
    relate(&s, 0, PARENT, 1, 0);
    relate(&s, 2, PARENT, 0, 0);
    relate(&s, 0, KNOWS, 3, 4.5f);
    relate(&s, 0, KNOWS, 0, 5.5f);
    return s;
}

static float weight_of(const scene *s, uint32_t source, uint32_t kind, uint32_t target)
{
    const likes *row = firn_related(s->world, s->people[source], s->of[kind], s->people[target]);
    assert_non_null(row);
    assert_true(row->target == s->people[target]);
    return row->weight;
}

// The world holds what make_filled made, under the ids in s->people.
static void expect_filled(const scene *s)
{
    firn_entity out[5];
    const firn_entity *people = s->people;
    assert_true(weight_of(s, 0, LIKES, 1) == 1.5f);
    assert_true(weight_of(s, 0, LIKES, 3) == 2.5f);
    assert_true(weight_of(s, 4, LIKES, 1) == 3.5f);
    assert_int_equal(firn_targets(s->world, people[0], s->of[LIKES], NULL, 0), 2);
    assert_int_equal(firn_sources(s->world, s->of[LIKES], people[1], out, 5), 2);
    assert_true((out[0] == people[0] && out[1] == people[4]) ||
                (out[0] == people[4] && out[1] == people[0]));
    assert_true(firn_target(s->world, people[0], s->of[OWNS]) == people[4]);
    assert_true(firn_target(s->world, people[0], s->of[PARENT]) == people[1]);
    assert_true(firn_first_source(s->world, s->of[PARENT], people[0]) == people[2]);
    assert_int_equal(firn_targets(s->world, people[0], s->of[KNOWS], out, 5), 2);
    assert_true(out[0] == people[3] && out[1] == people[0]);
    assert_true(weight_of(s, 0, KNOWS, 3) == 4.5f);
    assert_true(weight_of(s, 0, KNOWS, 0) == 5.5f);
    for (uint32_t kind = 0; kind < KINDS; kind++)
        assert_false(firn_has(s->world, people[3], s->of[kind]));
}

static const firn_save_options with_edges = {.sparse_edges = true};

// ---- merges

// The ids of what was merged, in the place of those in the image.
static void take_merged(scene *s, const firn_merge_report *report)
{
    for (uint32_t i = 0; i < 5; i++) {
        firn_entity merged = firn_merge_find(report, s->people[i]);
        assert_true(merged != 0 && merged != s->people[i]);
        s->people[i] = merged;
    }
}

static scene merge_twice(scene *running)
{
    *running = make_filled();
    scene merged = *running;
    firn_buffer image = zoo_save_with(running->world, &with_edges);
    firn_merge_report report;
    firn_error err;
    assert_ok(firn_snapshot_merge(running->world, image.data, image.size, NULL, &report, &err),
              &err);
    assert_int_equal(report.dangling, 0);
    take_merged(&merged, &report);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    return merged;
}

static void F8_T5_targets_of_every_kind_follow_a_merge(void **state)
{
    (void)state;
    scene running, merged = merge_twice(&running);
    expect_filled(&running);
    expect_filled(&merged);
    // And so does what a save of both holds.
    firn_buffer image = zoo_save_with(running.world, &with_edges);
    scene fresh = make_scene();
    zoo_load(fresh.world, &image);
    memcpy(fresh.people, merged.people, sizeof fresh.people);
    expect_filled(&fresh);
    firn_buffer_free(&image);
    firn_world_destroy(fresh.world);
    firn_world_destroy(running.world);
}

static void F8_T5_the_end_of_a_merged_target_ends_merged_sources_alone(void **state)
{
    (void)state;
    scene running, merged = merge_twice(&running);
    assert_ok(firn_despawn(running.world, merged.people[1], NULL), NULL);
    static const bool lives[] = {false, false, false, true, true};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(firn_alive(running.world, merged.people[i]), lives[i]);
    assert_false(firn_has(running.world, merged.people[4], running.of[LIKES]));
    expect_filled(&running);
    firn_world_destroy(running.world);
}

static void F8_T5_a_merged_relationship_to_what_was_left_out_is_dropped_and_counted(void **state)
{
    (void)state;
    scene s = make_filled();
    const firn_component marks =
        zoo_register(s.world, &(firn_component_desc){.name = "Mark", .kind = FIRN_TAG});
    firn_error err;
    assert_ok(firn_add(s.world, s.people[1], &marks, 1, &err), &err);
    assert_ok(firn_add(s.world, s.people[3], &marks, 1, &err), &err);
    const firn_term term = {.component = marks, .kind = FIRN_WITHOUT};
    const firn_query_desc unmarked = {.terms = &term, .term_count = 1};
    firn_buffer image =
        zoo_save_with(s.world, &(firn_save_options){.sparse_edges = true, .filter = &unmarked});
    firn_merge_report report;
    assert_ok(firn_snapshot_merge(s.world, image.data, image.size, NULL, &report, &err), &err);
    uint64_t dropped = 0;
    for (uint32_t i = 0; i < report.load.notice_count; i++)
        if (report.load.notices[i].kind == FIRN_NOTICE_TARGET)
            dropped += report.load.notices[i].count;
    assert_int_equal(dropped, 5); // three of Likes, one of Parent, one of Knows
    firn_entity first = firn_merge_find(&report, s.people[0]);
    assert_false(firn_has(s.world, first, s.of[LIKES]));
    assert_false(firn_has(s.world, first, s.of[PARENT]));
    assert_int_equal(firn_targets(s.world, first, s.of[KNOWS], NULL, 0), 1);
    assert_true(firn_target(s.world, first, s.of[KNOWS]) == first);
    assert_int_equal(firn_sources(s.world, s.of[LIKES], s.people[1], NULL, 0), 2);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(s.world);
}

// ---- what is saved

static void T5_T14_a_transient_relation_of_many_targets_needs_no_option(void **state)
{
    (void)state;
    const firn_component_desc desc = {.name = "Sees",
                                      .kind = FIRN_RELATION,
                                      .relation = FIRN_SPARSE | FIRN_CASCADE,
                                      .transient = true};
    firn_world *world = zoo_empty(NULL);
    firn_component sees = zoo_register(world, &desc);
    firn_entity source = zoo_spawn(world, NULL, 0), target = zoo_spawn(world, NULL, 0);
    firn_error err;
    assert_ok(firn_relate(world, source, sees, target, NULL, &err), &err);
    firn_buffer image = zoo_save(world);
    zoo_load(world, &image);
    assert_false(firn_has(world, source, sees));
    assert_int_equal(firn_sources(world, sees, target, NULL, 0), 0);
    assert_ok(firn_despawn(world, target, &err), &err);
    assert_true(firn_alive(world, source));
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void T21_a_row_with_a_sparse_relation_has_at_most_52_saved_components(void **state)
{
    (void)state;
    scene s = make_filled();
    firn_error err;
    for (int i = 0; i < 50; i++) { // beside Likes to two, Owns, Parent, Knows
        char name[16];
        snprintf(name, sizeof name, "tag%02d", i);
        firn_component tag =
            zoo_register(s.world, &(firn_component_desc){.name = name, .kind = FIRN_TAG});
        firn_buffer image = {0};
        assert_ok(firn_add(s.world, s.people[0], &tag, 1, &err), &err);
        firn_result result = firn_snapshot_save(s.world, &with_edges, &image, &err);
        assert_int_equal(result, i < 47 ? FIRN_OK : FIRN_LIMIT);
        if (result == FIRN_OK) {
            zoo_load(s.world, &image);
            expect_filled(&s);
        } else {
            assert_int_equal(image.size, 0);
            assert_non_null(strstr(err.message, "at most 52 can be saved"));
        }
        firn_buffer_free(&image);
    }
    // Without the sparse ones rows are saved column by column.
    const firn_component sparse[] = {s.of[PARENT], s.of[KNOWS]};
    assert_ok(firn_remove(s.world, s.people[0], sparse, 2, &err), &err);
    firn_buffer image = zoo_save(s.world);
    zoo_load(s.world, &image);
    assert_true(firn_target(s.world, s.people[0], s.of[OWNS]) == s.people[4]);
    firn_buffer_free(&image);
    firn_world_destroy(s.world);
}

static void T5_a_name_that_is_too_long_with_its_target_is_refused_by_the_save(void **state)
{
    (void)state;
    for (size_t size = 252; size <= 255; size++) {
        char name[256] = {0};
        memset(name, 'n', size);
        firn_world *world = zoo_empty(NULL);
        firn_component relation =
            zoo_register(world, &(firn_component_desc){.name = name, .kind = FIRN_RELATION});
        firn_entity entity = zoo_spawn(world, NULL, 0);
        firn_error err;
        firn_buffer image = {0};
        assert_ok(firn_relate(world, entity, relation, entity, NULL, &err), &err); // `name->1`
        firn_result result = firn_snapshot_save(world, NULL, &image, &err);
        if (size == 252) {
            assert_ok(result, &err);
            zoo_load(world, &image);
            assert_true(firn_target(world, entity, relation) == entity);
        } else {
            assert_int_equal(result, FIRN_LIMIT);
            assert_error(&err, FIRN_LIMIT, "nnn");
            assert_non_null(strstr(err.message, "more than the 255 allowed"));
            assert_int_equal(image.size, 0);
        }
        firn_buffer_free(&image);
        firn_world_destroy(world);
    }
}

static void T1_T13_relationships_of_every_kind_cross_the_table_form(void **state)
{
    (void)state;
    scene s = make_filled(), fresh = make_scene();
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = NULL;
    assert_int_equal(firn_snapshot_save_table(s.world, NULL, doc, &table, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Knows");
    assert_ok(firn_snapshot_save_table(s.world, &with_edges, doc, &table, &err), &err);
    assert_ok(firn_snapshot_load_table(fresh.world, table, NULL, NULL, &err), &err);
    memcpy(fresh.people, s.people, sizeof fresh.people);
    expect_filled(&fresh);
    firn_buffer a = zoo_save_with(s.world, &with_edges),
                b = zoo_save_with(fresh.world, &with_edges);
    assert_same_bytes(&a, &b);
    firn_buffer_free(&a);
    firn_buffer_free(&b);
    firn_doc_destroy(doc);
    firn_world_destroy(s.world);
    firn_world_destroy(fresh.world);
}

// ---- codecs

typedef struct grip {
    firn_entity target;
    int32_t slot; // of a table that is another one in each process: the name is saved
} grip;

static const char *const grip_names[] = {"hand", "tail", "tooth"};

static firn_result encode_grip(void *user, const firn_rows *rows, firn_writer *out, firn_error *err)
{
    (void)user, (void)err;
    const grip *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (row[i].slot < 0) {
            firn_write_nil(out);
            continue;
        }
        firn_write_table(out, 0, 2);
        firn_write_text(out, "by");
        firn_write_text(out, grip_names[row[i].slot]);
        firn_write_text(out, "target");
        firn_write_number(out, (double)row[i].target);
    }
    return FIRN_OK;
}

static firn_result decode_grip(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    grip *row = rows->data;
    ++*(int *)user;
    for (uint32_t i = 0; i < rows->count; i++) {
        row[i].slot = -1;
        firn_table_head head = firn_read_table(in);
        for (uint32_t k = 0; k < head.map_count; k++) {
            size_t size;
            const char *key = firn_read_string(in, &size);
            if (key != NULL && size == 2) {
                const char *name = firn_read_string(in, &size);
                for (int n = 0; name != NULL && n < 3; n++)
                    if (strlen(grip_names[n]) == size && memcmp(grip_names[n], name, size) == 0)
                        row[i].slot = n;
            } else {
                row[i].target = (firn_entity)firn_read_number(in);
            }
        }
        if (row[i].slot == 2) {
            err->code = FIRN_REFUSED;
            strcpy(err->message, "a tooth holds nothing");
            return FIRN_REFUSED;
        }
    }
    return FIRN_OK;
}

static firn_component register_grip(firn_world *world, int *decoded, uint32_t relation)
{
    static const firn_field fields[] = {FIRN_FIELD(grip, slot, FIRN_I32)};
    const firn_codec codec = {FIRN_ABI, "grip", encode_grip, decode_grip, decoded};
    const firn_component_desc desc = {.name = "Holds",
                                      .kind = FIRN_RELATION,
                                      .size = sizeof(grip),
                                      .fields = fields,
                                      .field_count = 1,
                                      .codec = &codec,
                                      .relation = relation};
    return zoo_register(world, &desc);
}

static void hold(firn_world *world, firn_entity source, firn_component holds, firn_entity target,
                 int32_t slot)
{
    firn_error err;
    assert_ok(firn_relate(world, source, holds, target, &(grip){.slot = slot}, &err), &err);
}

static void expect_grips(uint32_t relation)
{
    int decoded = 0;
    firn_world *world = zoo_empty(NULL), *fresh = zoo_empty(NULL);
    firn_component holds = register_grip(world, &decoded, relation);
    firn_entity e[4];
    for (uint32_t i = 0; i < 4; i++)
        e[i] = zoo_spawn(world, NULL, 0);
    hold(world, e[0], holds, e[3], 1);
    hold(world, e[1], holds, e[3], -1); // not saved
    hold(world, e[2], holds, e[1], 0);
    firn_buffer image = zoo_save(world);
    holds = register_grip(fresh, &decoded, relation);
    zoo_load(fresh, &image);
    assert_true(decoded > 0);
    const grip *row = firn_related(fresh, e[0], holds, e[3]);
    assert_true(row != NULL && row->slot == 1);
    assert_true(firn_target(fresh, e[2], holds) == e[1]);
    assert_false(firn_has(fresh, e[1], holds));
    assert_int_equal(firn_sources(fresh, holds, e[3], NULL, 0), 1);

    // A codec that refuses names relation, entity and reason; nothing has changed.
    holds = firn_component_find(world, "Holds");
    hold(world, e[2], holds, e[1], 2);
    firn_buffer refused = zoo_save(world), before = zoo_save(fresh);
    firn_error err;
    assert_int_equal(firn_snapshot_load(fresh, refused.data, refused.size, NULL, NULL, &err),
                     FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "Holds");
    assert_non_null(strstr(err.message, "a tooth holds nothing"));
    assert_saves_as(fresh, &before);
    firn_buffer_free(&image);
    firn_buffer_free(&refused);
    firn_buffer_free(&before);
    firn_world_destroy(world);
    firn_world_destroy(fresh);
}

static void N6_T5_codecs_of_relationships_are_codecs_like_others(void **state)
{
    (void)state;
    expect_grips(0);
    expect_grips(FIRN_REVERSE);
    expect_grips(FIRN_EXCLUSIVE);
    expect_grips(FIRN_SPARSE | FIRN_EXCLUSIVE);
    expect_grips(FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F8_T5_targets_of_every_kind_follow_a_merge),
        cmocka_unit_test(F8_T5_the_end_of_a_merged_target_ends_merged_sources_alone),
        cmocka_unit_test(F8_T5_a_merged_relationship_to_what_was_left_out_is_dropped_and_counted),
        cmocka_unit_test(T5_T14_a_transient_relation_of_many_targets_needs_no_option),
        cmocka_unit_test(T21_a_row_with_a_sparse_relation_has_at_most_52_saved_components),
        cmocka_unit_test(T5_a_name_that_is_too_long_with_its_target_is_refused_by_the_save),
        cmocka_unit_test(T1_T13_relationships_of_every_kind_cross_the_table_form),
        cmocka_unit_test(N6_T5_codecs_of_relationships_are_codecs_like_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
