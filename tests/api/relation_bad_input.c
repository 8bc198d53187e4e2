// Wrong descriptions of relations and wrong calls with them: the result, the thing, and that
// nothing changes.
#include "support/support.h"

#include <string.h>

#include "firn/relation.h"

typedef struct weight {
    firn_entity target;
    double amount;
} weight;

/// Longer than what a call copies on its stack.
typedef struct long_edge {
    firn_entity target;
    uint8_t bytes[600];
} long_edge;

typedef struct scene {
    firn_world *world;
    firn_component likes;
    firn_component score;
    firn_entity source;
    firn_entity target;
    firn_entity dead;
    firn_error err;
} scene;

static int set_up(void **state)
{
    static scene s;
    s = (scene){.world = firn_world_create(NULL, NULL)};
    const firn_component_desc likes = {.name = "Likes", .kind = FIRN_RELATION};
    const firn_component_desc score = {.name = "Score", .kind = FIRN_NUMBER};
    s.likes = firn_component_register(s.world, &likes, NULL);
    s.score = firn_component_register(s.world, &score, NULL);
    firn_entity made[3];
    if (firn_spawn_many(s.world, NULL, 0, 3, made, NULL) != FIRN_OK ||
        firn_relate(s.world, made[0], s.likes, made[1], NULL, NULL) != FIRN_OK ||
        firn_despawn(s.world, made[2], NULL) != FIRN_OK) {
        return 1;
    }
    s.source = made[0];
    s.target = made[1];
    s.dead = made[2];
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    scene *s = *state;
    assert_int_equal(firn_entity_count(s->world), 2);
    assert_int_equal(firn_targets(s->world, s->source, s->likes, NULL, 0), 1);
    assert_int_equal(firn_target(s->world, s->source, s->likes), s->target);
    firn_world_destroy(s->world);
    return 0;
}

static void refuse_description(scene *s, const firn_component_desc *desc, firn_result result,
                               const char *subject, const char *message)
{
    uint32_t count = firn_component_count(s->world);
    assert_int_equal(firn_component_register(s->world, desc, &s->err), 0);
    assert_error(&s->err, result, subject);
    assert_non_null(strstr(s->err.message, message));
    assert_int_equal(firn_component_count(s->world), count);
}

static void T5_a_relation_without_a_struct_takes_nothing_of_one(void **state)
{
    scene *s = *state;
    const firn_field fields[] = {FIRN_FIELD(weight, amount, FIRN_F64)};
    const weight row = {0, 1};
    const firn_component_desc list[] = {
        {.name = "R", .kind = FIRN_RELATION, .align = 8},
        {.name = "R", .kind = FIRN_RELATION, .fields = fields, .field_count = 1},
        {.name = "R", .kind = FIRN_RELATION, .default_row = &row},
    };
    for (size_t i = 0; i < FIRN_COUNT(list); i++)
        refuse_description(s, &list[i], FIRN_INVALID, "R", "has the size 0");
}

static void T5_the_struct_of_a_relation_begins_with_its_target(void **state)
{
    scene *s = *state;
    const firn_field inside[] = {{.name = "low", .type = FIRN_U32, .offset = 4}};
    const firn_component_desc small = {.name = "R", .kind = FIRN_RELATION, .size = 4};
    const firn_component_desc covered = {.name = "R",
                                         .kind = FIRN_RELATION,
                                         .size = sizeof(weight),
                                         .fields = inside,
                                         .field_count = 1};
    refuse_description(s, &small, FIRN_INVALID, "R", "the size 4");
    refuse_description(s, &covered, FIRN_INVALID, "R.low", "stands at byte 4");
}

static void T5_the_bits_of_a_relation_are_known_and_only_a_relation_has_them(void **state)
{
    scene *s = *state;
    const firn_component_desc unknown = {
        .name = "R", .kind = FIRN_RELATION, .relation = FIRN_SPARSE | 0x40};
    const firn_component_desc number = {.name = "R", .kind = FIRN_NUMBER, .relation = FIRN_SPARSE};
    refuse_description(s, &unknown, FIRN_INVALID, "R", "0x40");
    refuse_description(s, &number, FIRN_INVALID, "R", "FIRN_NUMBER, which takes no relation");
}

static void T5_a_relation_is_registered_again_with_its_own_bits_alone(void **state)
{
    scene *s = *state;
    const firn_component_desc again = {.name = "Likes", .kind = FIRN_RELATION};
    const firn_component_desc other = {
        .name = "Likes", .kind = FIRN_RELATION, .relation = FIRN_EXCLUSIVE};
    assert_int_equal(firn_component_register(s->world, &again, &s->err), s->likes);
    refuse_description(s, &other, FIRN_EXISTS, "Likes", "another kind of relation");
}

static void T5_no_component_requires_a_relation(void **state)
{
    scene *s = *state;
    const firn_component_desc desc = {
        .name = "R", .kind = FIRN_TAG, .required = &s->likes, .required_count = 1};
    refuse_description(s, &desc, FIRN_INVALID, "R", "requires Likes, a relation");
}

static void T5_a_call_of_a_relation_names_the_argument_that_is_wrong(void **state)
{
    scene *s = *state;
    firn_error *err = &s->err;
    assert_int_equal(firn_relate(NULL, 1, s->likes, 2, NULL, err), FIRN_INVALID);
    assert_error(err, FIRN_INVALID, "world");
    assert_int_equal(firn_unrelate(NULL, 1, s->likes, 2, err), FIRN_INVALID);
    assert_error(err, FIRN_INVALID, "world");
    assert_int_equal(firn_relate(s->world, s->source, s->score, s->target, NULL, err),
                     FIRN_INVALID);
    assert_error(err, FIRN_INVALID, "relation");
    assert_int_equal(firn_unrelate(s->world, s->source, s->score, s->target, err), FIRN_INVALID);
    assert_error(err, FIRN_INVALID, "relation");
    assert_int_equal(firn_relate(s->world, s->source, s->likes, 0, NULL, err), FIRN_INVALID);
    assert_error(err, FIRN_INVALID, "target");
}

static void T5_a_dead_source_or_target_is_not_found(void **state)
{
    scene *s = *state;
    firn_error *err = &s->err;
    assert_int_equal(firn_relate(s->world, s->dead, s->likes, s->target, NULL, err),
                     FIRN_NOT_FOUND);
    assert_int_equal(err->entity, s->dead);
    assert_int_equal(firn_relate(s->world, s->source, s->likes, s->dead, NULL, err),
                     FIRN_NOT_FOUND);
    assert_int_equal(err->entity, s->dead);
    assert_int_equal(firn_unrelate(s->world, s->dead, s->likes, s->target, err), FIRN_NOT_FOUND);
    assert_int_equal(err->entity, s->dead);
}

static void T5_what_has_no_target_has_none_to_read(void **state)
{
    scene *s = *state;
    firn_entity out[1];
    assert_int_equal(firn_targets(NULL, s->source, s->likes, out, 1), 0);
    assert_int_equal(firn_targets(s->world, s->dead, s->likes, out, 1), 0);
    assert_int_equal(firn_target(s->world, s->dead, s->likes), 0);
    assert_null(firn_related(s->world, s->source, s->score, s->target));
}

static void T5_a_relation_is_not_set_or_added_without_a_target(void **state)
{
    scene *s = *state;
    firn_error *err = &s->err;
    const firn_value value = {.kind = FIRN_VALUE_BOOL};
    assert_int_equal(firn_set(s->world, s->source, s->likes, &s->target, err), FIRN_INVALID);
    assert_error(err, FIRN_INVALID, "Likes");
    assert_int_equal(firn_set_value(s->world, s->source, s->likes, &value, err), FIRN_INVALID);
    assert_error(err, FIRN_INVALID, "Likes");
    assert_non_null(strstr(err->message, "relation"));
    assert_int_equal(firn_add(s->world, s->target, &s->likes, 1, err), FIRN_INVALID);
    assert_error(err, FIRN_INVALID, "Likes");
    assert_int_equal(firn_spawn(s->world, &s->likes, 1, err), 0);
    assert_error(err, FIRN_INVALID, "Likes");
    assert_int_equal(firn_spawn_many(s->world, &s->likes, 1, 2, NULL, err), FIRN_INVALID);
    assert_error(err, FIRN_INVALID, "Likes");
}

static void T5_a_relation_is_not_added_without_a_target_inside_a_loop(void **state)
{
    scene *s = *state;
    firn_iter it;
    firn_iter_begin(s->world, firn_query_create(s->world, &(firn_query_desc){0}, &s->err), &it);
    assert_int_equal(firn_add(s->world, s->target, &s->likes, 1, &s->err), FIRN_INVALID);
    assert_error(&s->err, FIRN_INVALID, "Likes");
    assert_int_equal(firn_spawn_many(s->world, &s->likes, 1, 2, NULL, &s->err), FIRN_INVALID);
    assert_error(&s->err, FIRN_INVALID, "Likes");
    assert_int_equal(firn_pending(s->world), 0);
    assert_ok(firn_iter_end(&it, &s->err), &s->err);
}

static void T5_a_term_with_a_target_is_a_relation_that_is_there_or_not(void **state)
{
    scene *s = *state;
    const firn_term number = {.component = s->score, .target = s->target};
    const firn_term any = {.component = s->likes, .target = s->target, .kind = FIRN_ANY};
    const firn_term dead = {.component = s->likes, .target = s->dead};
    const firn_query_desc descs[] = {
        {.terms = &number, .term_count = 1},
        {.terms = &any, .term_count = 1},
        {.terms = &dead, .term_count = 1},
    };
    assert_int_equal(firn_query_create(s->world, &descs[0], &s->err), 0);
    assert_error(&s->err, FIRN_INVALID, "Score");
    assert_int_equal(firn_query_create(s->world, &descs[1], &s->err), 0);
    assert_error(&s->err, FIRN_INVALID, "Likes");
    assert_int_equal(firn_query_create(s->world, &descs[2], &s->err), 0);
    assert_int_equal(s->err.code, FIRN_NOT_FOUND);
}

static void T5_an_edge_of_many_bytes_is_copied_before_its_column_moves(void **state)
{
    scene *s = *state;
    const firn_field fields[] = {FIRN_FIELD_ARRAY(long_edge, bytes, FIRN_U8, 600)};
    const firn_component_desc desc = {.name = "Long",
                                      .kind = FIRN_RELATION,
                                      .size = sizeof(long_edge),
                                      .fields = fields,
                                      .field_count = 1};
    firn_component relation = firn_component_register(s->world, &desc, &s->err);
    assert_true(relation != 0);
    long_edge edge = {0};
    for (uint32_t i = 0; i < sizeof edge.bytes; i++)
        edge.bytes[i] = (uint8_t)(i * 7);
    assert_ok(firn_relate(s->world, s->source, relation, s->target, &edge, &s->err), &s->err);
    const long_edge *row = firn_related(s->world, s->source, relation, s->target);
    assert_non_null(row);
    // The row that is given stands in the column that grows.
    assert_ok(firn_relate(s->world, s->target, relation, s->target, row, &s->err), &s->err);
    row = firn_related(s->world, s->target, relation, s->target);
    assert_int_equal(row->target, s->target);
    assert_memory_equal(row->bytes, edge.bytes, sizeof edge.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(T5_a_relation_without_a_struct_takes_nothing_of_one),
        TEST(T5_the_struct_of_a_relation_begins_with_its_target),
        TEST(T5_the_bits_of_a_relation_are_known_and_only_a_relation_has_them),
        TEST(T5_a_relation_is_registered_again_with_its_own_bits_alone),
        TEST(T5_no_component_requires_a_relation),
        TEST(T5_a_call_of_a_relation_names_the_argument_that_is_wrong),
        TEST(T5_a_dead_source_or_target_is_not_found),
        TEST(T5_what_has_no_target_has_none_to_read),
        TEST(T5_a_relation_is_not_set_or_added_without_a_target),
        TEST(T5_a_relation_is_not_added_without_a_target_inside_a_loop),
        TEST(T5_a_term_with_a_target_is_a_relation_that_is_there_or_not),
        TEST(T5_an_edge_of_many_bytes_is_copied_before_its_column_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
