// What differs in two worlds, told by entity, component and field.
#include <math.h>
#include <string.h>

#include "api/diff_lines.h"
#include "support/tree.h"

// ---- entities and components

static void F1_equal_worlds_have_no_differences(void **state)
{
    (void)state;
    diff_worlds w = diff_worlds_make();
    assert_differences(&w, NULL, "");
    diff_worlds_free(&w);
}

static void F1_a_difference_names_entity_component_and_field(void **state)
{
    (void)state;
    diff_worlds w = diff_worlds_make();
    zoo_point *point = diff_row(&w.right, DIFF_HERO, w.right.z.of[ZOO_POINT]);
    *point = (zoo_point){1.5f, 0.1f};
    point = diff_row(&w.right, DIFF_POINTS + 41, w.right.z.of[ZOO_POINT]);
    point->y = -41.000004f;
    assert_differences(&w, NULL,
                       "entity 1 (key \"hero\"): zoo.Point.x 0 -> 1.5\n"
                       "entity 1 (key \"hero\"): zoo.Point.y 0 -> 0.1\n"
                       "entity 46: zoo.Point.y -41 -> -41.000004\n");
    diff_worlds_free(&w);
}

static void every_type_of_field_is_told(void **state)
{
    (void)state;
    diff_worlds w = diff_worlds_make();
    zoo_body *body = diff_row(&w.right, DIFF_HERO, w.right.z.of[ZOO_BODY]);
    body->mass = 0.1;
    body->i8 = -128;
    body->u16 = 65535;
    body->awake = true;
    body->i64 = INT64_MIN;
    body->u8 = 255;
    body->i16 = -1;
    body->i32 = INT32_MIN;
    body->u32 = UINT32_MAX;
    body->u64 = UINT64_MAX;
    memcpy(body->label, "a\0\"b", 4);
    body->home.y = 0.3f;
    body->path[1].x = -0.0f;
    body->target = DIFF_BAG;
    body->target_number = DIFF_PARENT;
    body->doors[2] = true;
    assert_differences(&w, (&(firn_diff_options){.entities_only = true}),
                       "entity 1 (key \"hero\"): zoo.Body.mass 0 -> 0.1\n"
                       "entity 1 (key \"hero\"): zoo.Body.i8 0 -> -128\n"
                       "entity 1 (key \"hero\"): zoo.Body.u16 0 -> 65535\n"
                       "entity 1 (key \"hero\"): zoo.Body.awake false -> true\n"
                       "entity 1 (key \"hero\"): zoo.Body.i64 0 -> -9223372036854775808\n"
                       "entity 1 (key \"hero\"): zoo.Body.u8 0 -> 255\n"
                       "entity 1 (key \"hero\"): zoo.Body.i16 0 -> -1\n"
                       "entity 1 (key \"hero\"): zoo.Body.i32 0 -> -2147483648\n"
                       "entity 1 (key \"hero\"): zoo.Body.u32 0 -> 4294967295\n"
                       "entity 1 (key \"hero\"): zoo.Body.u64 0 -> 18446744073709551615\n"
                       "entity 1 (key \"hero\"): zoo.Body.label \"\" -> \"a\\x00\\\"b\"\n"
                       "entity 1 (key \"hero\"): zoo.Body.home.y 0 -> 0.3\n"
                       "entity 1 (key \"hero\"): zoo.Body.path[1].x 0 -> -0.0\n"
                       "entity 1 (key \"hero\"): zoo.Body.target 0 -> 3\n"
                       "entity 1 (key \"hero\"): zoo.Body.target_number 0 -> 2\n"
                       "entity 1 (key \"hero\"): zoo.Body.doors[2] false -> true\n");
    diff_worlds_free(&w);
}

static void values_are_told_by_path(void **state)
{
    (void)state;
    diff_worlds w = diff_worlds_make();
    diff_set_bag(&w.right, DIFF_BAG,
                 "{gold = 12.5, items = {\"rope\", {name = \"key\", [\"two words\"] = 1}}, "
                 "[true] = {1, 2}, [7] = 3ULL}");
    assert_differences(&w, NULL,
                       "entity 3: zoo.Bag[true] nil -> {1, 2}\n"
                       "entity 3: zoo.Bag[7] nil -> 3\n"
                       "entity 3: zoo.Bag.gold 12 -> 12.5\n"
                       "entity 3: zoo.Bag.items[2][\"two words\"] nil -> 1\n"
                       "entity 3: zoo.Bag.items[2].uses 3 -> nil\n"
                       "entity 3: zoo.Bag.items[3] true -> nil\n");
    diff_set_bag(&w.right, DIFF_BAG, "5");
    assert_differences(&w, NULL,
                       "entity 3: zoo.Bag {gold = 12, items = {\"rope\", {name = \"key\", uses = "
                       "3}, true}} -> 5\n");
    diff_worlds_free(&w);
}

static void names_keys_and_scalars_are_told(void **state)
{
    (void)state;
    firn_error err;
    diff_worlds w = diff_worlds_make();
    firn_world *right = w.right.world;
    double score = 1e300;
    assert_ok(firn_set_text(right, DIFF_HERO, firn_key(right), "villain", &err), &err);
    assert_ok(firn_set_text(right, DIFF_PARENT, firn_name(right), "Bea", &err), &err);
    assert_ok(firn_set(right, DIFF_PARENT, w.right.z.of[ZOO_SCORE], &score, &err), &err);
    assert_differences(&w, NULL,
                       "entity 1 (key \"hero\"): Key \"hero\" -> \"villain\"\n"
                       "entity 2 (name \"Ann\"): Name \"Ann\" -> \"Bea\"\n"
                       "entity 2 (name \"Ann\"): zoo.Score 0 -> 1e300\n");
    diff_worlds_free(&w);
}

static void tags_and_components_are_added_and_removed(void **state)
{
    (void)state;
    firn_error err;
    diff_worlds w = diff_worlds_make();
    firn_world *right = w.right.world;
    firn_component disabled = firn_disabled(right), tag = w.right.z.of[ZOO_TAG];
    assert_ok(firn_add(right, DIFF_HERO, &disabled, 1, &err), &err);
    assert_ok(firn_remove(right, DIFF_HERO, &w.right.z.of[ZOO_GAP], 1, &err), &err);
    assert_ok(firn_remove(right, DIFF_FRIEND, &tag, 1, &err), &err);
    assert_ok(firn_add(right, DIFF_POINTS + 7, &w.right.z.of[ZOO_BODY], 1, &err), &err);
    assert_differences(&w, (&(firn_diff_options){.entities_only = true}),
                       "entity 1 (key \"hero\"): Disabled only right\n"
                       "entity 1 (key \"hero\"): zoo.Gap only left\n"
                       "entity 4: zoo.Tag only left\n"
                       "entity 12: zoo.Body only right\n");
    diff_worlds_free(&w);
}

static void parents_and_targets_are_told(void **state)
{
    (void)state;
    firn_error err;
    diff_worlds w = diff_worlds_make();
    firn_world *right = w.right.world;
    assert_ok(firn_relate(right, DIFF_BAG, firn_child_of(right), DIFF_HERO, NULL, &err), &err);
    assert_ok(firn_unrelate(right, DIFF_FRIEND, w.right.likes, DIFF_HERO, &err), &err);
    assert_ok(firn_relate(right, DIFF_FRIEND, w.right.likes, DIFF_PARENT, NULL, &err), &err);
    assert_ok(firn_relate(right, DIFF_FRIEND, w.right.owns, DIFF_POINTS, NULL, &err), &err);
    assert_differences(&w, (&(firn_diff_options){.entities_only = true}),
                       "entity 3: ChildOf.target 2 -> 1\n"
                       "entity 4: Likes->1 only left\n"
                       "entity 4: Likes->2 only right\n"
                       "entity 4: Owns.edges[2] nil -> {target = 5}\n");
    diff_worlds_free(&w);
}

static void entities_of_one_side_are_told(void **state)
{
    (void)state;
    firn_error err;
    diff_worlds w = diff_worlds_make();
    assert_ok(firn_despawn(w.left.world, DIFF_POINTS + 3, &err), &err);
    assert_ok(firn_despawn(w.right.world, DIFF_HERO, &err), &err);
    firn_entity again = zoo_spawn_one(w.right.world, w.right.z.of[ZOO_TAG]);
    assert_int_equal(again, DIFF_HERO + (UINT64_C(1) << FIRN_SLOT_BITS));
    assert_differences(&w, (&(firn_diff_options){.entities_only = true}),
                       "entity 1 (key \"hero\"): only left\n"
                       "entity 4: Likes->1 only left\n"
                       "entity 8: only right\n"
                       "entity 4194305: only right\n");
    diff_worlds_free(&w);
}

// ---- what is not of an entity

static void states_phases_and_random_streams_are_told(void **state)
{
    (void)state;
    firn_error err;
    diff_worlds w = diff_worlds_make();
    firn_world *left = w.left.world, *right = w.right.world;
    assert_ok(firn_state_push(left, firn_state_find(left, "menu"), &err), &err);
    assert_ok(firn_state_push(right, firn_state_find(right, "play"), &err), &err);
    assert_ok(firn_state_push(right, firn_state_find(right, "menu"), &err), &err);
    assert_ok(firn_phase_enable(left, firn_phase_find(left, "Render"), false, &err), &err);
    assert_ok(firn_phase_enable(right, firn_phase_find(right, "Update"), false, &err), &err);
    assert_ok(firn_random_seed(left, 7, &err), &err);
    assert_ok(firn_random_seed(right, 8, &err), &err);
    assert_ok(firn_world_set_tick(right, 60, &err), &err);
    assert_differences(&w, NULL,
                       "header: tick 0 -> 60\n"
                       "phases: disabledPhases.Render true -> nil\n"
                       "phases: disabledPhases.Update nil -> true\n"
                       "phases: phaseStates[12] true -> false\n"
                       "phases: phaseStates[16] false -> true\n"
                       "states: [1] \"menu\" -> \"play\"\n"
                       "states: [2] nil -> \"menu\"\n"
                       "random: seed 7 -> 8\n");
    diff_worlds_free(&w);
}

static void ids_that_come_next_are_told(void **state)
{
    (void)state;
    firn_error err;
    diff_worlds w = diff_worlds_make();
    zoo_spawn(w.right.world, NULL, 0);
    assert_ok(firn_despawn(w.left.world, DIFF_POINTS + 10, &err), &err);
    assert_ok(firn_despawn(w.left.world, DIFF_POINTS + 20, &err), &err);
    assert_ok(firn_despawn(w.right.world, DIFF_POINTS + 20, &err), &err);
    assert_ok(firn_despawn(w.right.world, DIFF_POINTS + 10, &err), &err);
    assert_differences(&w, NULL,
                       "header: nextEntityId 105 -> 106\n"
                       "header: freeIds[1] 4194329 -> 4194319\n"
                       "order: the entities of {zoo.Point, zoo.Title}, first 16\n"
                       "entity 105: only right\n");
    assert_ok(firn_despawn(w.right.world, DIFF_POINTS + 30, &err), &err);
    assert_differences(&w, (&(firn_diff_options){.limit = 2}),
                       "header: nextEntityId 105 -> 106\n"
                       "header: freeIds 2 -> 3\n"
                       "and 4 more\n");
    diff_worlds_free(&w);
}

static void the_order_of_sources_is_told(void **state)
{
    (void)state;
    firn_error err;
    diff_worlds w = diff_worlds_make();
    for (int i = 0; i < 2; i++) {
        const diff_world *world = i ? &w.right : &w.left;
        firn_entity first = DIFF_POINTS + (i ? 2 : 1), second = DIFF_POINTS + (i ? 1 : 2);
        firn_component child = firn_child_of(world->world);
        for (firn_entity k = DIFF_POINTS + 1; k < DIFF_POINTS + 3; k++)
            assert_ok(firn_relate(world->world, k, child, DIFF_HERO, NULL, &err), &err);
        assert_ok(firn_relate(world->world, first, child, DIFF_PARENT, NULL, &err), &err);
        assert_ok(firn_relate(world->world, second, child, DIFF_PARENT, NULL, &err), &err);
    }
    assert_differences(&w, NULL, "order: the sources of ChildOf -> 2\n");
    diff_worlds_free(&w);
}

// ---- floating point

static void F1_floats_are_compared_bit_for_bit(void **state)
{
    (void)state;
    diff_worlds w = diff_worlds_make();
    zoo_body *left = diff_row(&w.left, DIFF_HERO, w.left.z.of[ZOO_BODY]);
    zoo_body *right = diff_row(&w.right, DIFF_HERO, w.right.z.of[ZOO_BODY]);
    left->mass = right->mass = NAN;
    left->home.x = right->home.x = NAN;
    left->home.y = 0.0f;
    right->home.y = -0.0f;
    left->path[0].x = INFINITY;
    right->path[0].x = -INFINITY;
    assert_differences(&w, NULL,
                       "entity 1 (key \"hero\"): zoo.Body.home.y 0 -> -0.0\n"
                       "entity 1 (key \"hero\"): zoo.Body.path[0].x inf -> -inf\n");
    uint32_t bits = UINT32_C(0xff800001); // a NaN that signals
    memcpy(&right->home.x, &bits, sizeof bits);
    uint64_t wide = UINT64_C(0x7ff8000000000001);
    memcpy(&right->mass, &wide, sizeof wide);
    right->home.y = 0.0f;
    right->path[0].x = INFINITY;
    assert_differences(&w, NULL,
                       "entity 1 (key \"hero\"): zoo.Body.mass nan -> nan(0x7ff8000000000001)\n"
                       "entity 1 (key \"hero\"): zoo.Body.home.x nan -> nan(0xff800001)\n");
    diff_worlds_free(&w);
}

static void a_tolerance_is_of_numbers_alone(void **state)
{
    (void)state;
    diff_worlds w = diff_worlds_make();
    zoo_body *left = diff_row(&w.left, DIFF_HERO, w.left.z.of[ZOO_BODY]);
    zoo_body *right = diff_row(&w.right, DIFF_HERO, w.right.z.of[ZOO_BODY]);
    left->mass = 1;
    right->mass = 1.25;
    right->home = (zoo_point){-0.0f, 0.26f};
    right->i32 = 1;
    left->path[0].x = NAN;
    uint32_t bits = UINT32_C(0xffc00001);
    memcpy(&right->path[0].x, &bits, sizeof bits);
    right->path[0].y = NAN;
    left->path[1].x = right->path[1].x = INFINITY;
    diff_set_bag(&w.right, DIFF_BAG,
                 "{gold = 12.1, items = {\"rope\", {name = \"key\", uses = 4}, "
                 "true}}");
    assert_differences(&w, (&(firn_diff_options){.tolerance = 0.25}),
                       "entity 1 (key \"hero\"): zoo.Body.i32 0 -> 1\n"
                       "entity 1 (key \"hero\"): zoo.Body.home.y 0 -> 0.26\n"
                       "entity 1 (key \"hero\"): zoo.Body.path[0].y 0 -> nan\n"
                       "entity 3: zoo.Bag.items[2].uses 3 -> 4\n");
    diff_worlds_free(&w);
}

// ---- what is chosen

static void a_component_can_be_chosen(void **state)
{
    (void)state;
    firn_error err;
    diff_worlds w = diff_worlds_make();
    firn_world *right = w.right.world;
    zoo_point *point = diff_row(&w.right, DIFF_HERO, w.right.z.of[ZOO_POINT]);
    point->x = 1;
    double score = 4;
    assert_ok(firn_set(right, DIFF_PARENT, w.right.z.of[ZOO_SCORE], &score, &err), &err);
    assert_ok(firn_relate(right, DIFF_FRIEND, w.right.likes, DIFF_PARENT, NULL, &err), &err);
    assert_ok(firn_despawn(right, DIFF_BAG, &err), &err);
    assert_ok(firn_despawn(w.left.world, DIFF_POINTS + 50, &err), &err);
    assert_ok(firn_world_set_tick(right, 60, &err), &err);
    const char *const scores[] = {"zoo.Score"}, *const likes[] = {"Likes"};
    assert_differences(&w, (&(firn_diff_options){.components = scores, .component_count = 1}),
                       "entity 2 (name \"Ann\"): zoo.Score 0 -> 4\n"
                       "entity 3: only left\n");
    assert_differences(&w, (&(firn_diff_options){.components = likes, .component_count = 1}),
                       "entity 4: Likes->2 only right\n");
    assert_differences(&w, (&(firn_diff_options){.components = likes, .component_count = 0}), "");
    const char *const most[] = {"zoo.Score", "Likes", "Owns", "ChildOf"};
    assert_differences(
        &w, (&(firn_diff_options){.exclude = most, .exclude_count = 4, .entities_only = true}),
        "entity 1 (key \"hero\"): zoo.Point.x 0 -> 1\n"
        "entity 3: only left\n"
        "entity 55: only right\n");
    diff_worlds_free(&w);
}

static void a_limit_counts_the_rest(void **state)
{
    (void)state;
    diff_worlds w = diff_worlds_make();
    for (uint32_t i = 0; i < 100; i++) {
        zoo_point *point = diff_row(&w.right, DIFF_POINTS + i, w.right.z.of[ZOO_POINT]);
        point->x += 0.5f;
    }
    assert_differences(&w, (&(firn_diff_options){.limit = 1}),
                       "entity 5: zoo.Point.x 0 -> 0.5\nand 99 more\n");
    diff_worlds_free(&w);
}

static void a_summary_counts_each_kind(void **state)
{
    (void)state;
    firn_error err;
    diff_worlds w = diff_worlds_make();
    firn_world *right = w.right.world;
    zoo_point *point = diff_row(&w.right, DIFF_HERO, w.right.z.of[ZOO_POINT]);
    *point = (zoo_point){1, 2};
    assert_ok(firn_add(right, DIFF_BAG, &w.right.z.of[ZOO_TAG], 1, &err), &err);
    assert_ok(firn_despawn(right, DIFF_POINTS + 99, &err), &err);
    zoo_spawn(right, NULL, 0);
    zoo_spawn(right, NULL, 0);
    assert_ok(firn_random_seed(right, 8, &err), &err);
    const firn_diff_side sides[] = {{.world = w.left.world}, {.world = right}};
    firn_diff_summary is = {0};
    assert_ok(firn_diff(&sides[0], &sides[1], NULL, NULL, NULL, &is, &err), &err);
    const firn_diff_summary is_to_be = {.differences = 8,
                                        .header = 1,
                                        .left_entities = 1,
                                        .right_entities = 2,
                                        .changed_entities = 2,
                                        .components = 1,
                                        .fields = 2,
                                        .data = 1};
    assert_memory_equal(&is, &is_to_be, sizeof is);
    diff_worlds_free(&w);
}

// ---- as a tree

static void a_tree_holds_the_values(void **state)
{
    (void)state;
    firn_error err;
    diff_worlds w = diff_worlds_make();
    firn_world *right = w.right.world;
    zoo_point *point = diff_row(&w.right, DIFF_HERO, w.right.z.of[ZOO_POINT]);
    point->x = 1.5f;
    assert_ok(firn_add(right, DIFF_HERO, &w.right.z.of[ZOO_TAG], 1, &err), &err);
    assert_ok(firn_remove(right, DIFF_HERO, &w.right.z.of[ZOO_GAP], 1, &err), &err);
    assert_ok(firn_set_text(right, DIFF_PARENT, firn_name(right), "Bea", &err), &err);
    assert_ok(firn_despawn(right, DIFF_BAG, &err), &err);
    assert_ok(firn_random_seed(right, 8, &err), &err);
    const firn_diff_side sides[] = {{.world = w.left.world}, {.world = right}};
    const char *const exclude[] = {"Owns"};
    firn_diff_options options = {.exclude = exclude, .exclude_count = 1};
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *tree = firn_diff_value(&sides[0], &sides[1], &options, doc, NULL, &err);
    assert_tree(tree, "{data = {{key = \"tecs.random\", only = \"right\", right = {seed = 8, "
                      "streams = {}}}}, differences = 7, entities = {{changes = {{component = "
                      "\"zoo.Gap\", field = \"zoo.Gap\", left = {a = 0, b = 0}, only = \"left\"}, "
                      "{component = \"zoo.Point\", field = \"zoo.Point.x\", left = 0, path = "
                      "\"x\", right = 1.5}, {component = \"zoo.Tag\", field = \"zoo.Tag\", only = "
                      "\"right\", right = true}}, id = 1, key = \"hero\"}, {changes = {{component "
                      "= \"Name\", field = \"Name\", left = \"Ann\", right = \"Bea\"}}, id = 2, "
                      "name = \"Ann\"}, {id = 3, only = \"left\"}}, header = {{left = 0, path = "
                      "\"freeIds\", right = 1}}, listed = 7, order = {}, same = false, schemas = "
                      "{}}");
    firn_doc_destroy(doc);
    diff_worlds_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F1_equal_worlds_have_no_differences),
        cmocka_unit_test(F1_a_difference_names_entity_component_and_field),
        cmocka_unit_test(every_type_of_field_is_told),
        cmocka_unit_test(values_are_told_by_path),
        cmocka_unit_test(names_keys_and_scalars_are_told),
        cmocka_unit_test(tags_and_components_are_added_and_removed),
        cmocka_unit_test(parents_and_targets_are_told),
        cmocka_unit_test(entities_of_one_side_are_told),
        cmocka_unit_test(states_phases_and_random_streams_are_told),
        cmocka_unit_test(ids_that_come_next_are_told),
        cmocka_unit_test(the_order_of_sources_is_told),
        cmocka_unit_test(F1_floats_are_compared_bit_for_bit),
        cmocka_unit_test(a_tolerance_is_of_numbers_alone),
        cmocka_unit_test(a_component_can_be_chosen),
        cmocka_unit_test(a_limit_counts_the_rest),
        cmocka_unit_test(a_summary_counts_each_kind),
        cmocka_unit_test(a_tree_holds_the_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
