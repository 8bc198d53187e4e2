// Saves in table form.
#include <stdlib.h>
#include <string.h>

#include "api/table_scene.h"

// The row of an archetype, both counted from 1.
static const firn_value *row_of(const firn_value *table, uint32_t archetype, uint32_t row)
{
    const firn_value *list = firn_table_get_text(table, "archetypes");
    const firn_value *rows =
        firn_table_get_text(firn_table_get_number(list, archetype), "entities");
    return firn_table_get_number(rows, row);
}

static void fill_north(table_scene *s)
{
    firn_error err;
    firn_world *world = s->z.world;
    const firn_component all[] = {s->z.of[ZOO_POINT], s->z.of[ZOO_SCORE], s->z.of[ZOO_TAG]};
    firn_entity a = zoo_spawn(world, all, 3), gone = zoo_spawn(world, NULL, 0);
    firn_entity b = zoo_spawn(world, all, 3);
    zoo_spawn_one(world, s->z.of[ZOO_TITLE]);
    assert_ok(firn_despawn(world, gone, &err), &err);
    assert_ok(firn_set(world, a, all[0], &(zoo_point){1, 2}, &err), &err);
    assert_ok(firn_set(world, b, all[0], &(zoo_point){3, -4.5f}, &err), &err);
    assert_ok(firn_set(world, b, all[1], &(double){20}, &err), &err);
    assert_ok(firn_world_set_tick(world, 60, &err), &err);
}

static void T1_a_table_is_the_whole_world_as_plain_data(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    fill_north(&s);
    const firn_value *table = table_save(s.z.world, s.doc, NULL);
    const firn_value *data = firn_table_get_text(table, "data");
    assert_tree(firn_table_get_text(table, "version"), "1");
    assert_tree(firn_table_get_text(table, "nextEntityId"), "5");
    assert_tree(firn_table_get_text(table, "entityCount"), "3");
    assert_tree(firn_table_get_text(table, "componentTable"),
                "{{name = \"zoo.Point\"}, {name = \"zoo.Score\"}, {name = \"zoo.Tag\"},"
                " {name = \"zoo.Title\"}}");
    assert_tree(firn_table_get_text(table, "archetypes"),
                "{{columnIndices = {1, 2, 3}, entities = {{1, {x = 1, y = 2}, 0, true},"
                "                                         {3, {x = 3, y = -4.5}, 20, true}}},"
                " {columnIndices = {4}, entities = {{4, \"\"}}}}");
    assert_tree(firn_table_get_number(data, 2), "{key = \"__firn.world\", value = {tick = 60}}");
    assert_int_equal(firn_table_array_count(data), 2);
    assert_int_equal(firn_table_map_count(table), 6);
    table_scene_free(&s);
}

static void a_table_of_version_2_wraps_scalars(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    fill_north(&s);
    const firn_value *table = table_save(s.z.world, s.doc, &(firn_save_options){.wire_version = 2});
    assert_tree(firn_table_get_text(table, "version"), "2");
    assert_tree(row_of(table, 1, 2), "{3, {x = 3, y = -4.5}, {value = 20}, true}");
    assert_tree(row_of(table, 2, 1), "{4, {value = \"\"}}");
    table_scene_free(&s);
}

static void T13_a_struct_is_a_map_by_field_name(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    firn_error err;
    zoo_body body = {.mass = -0.5, .awake = true, .i64 = INT64_MIN, .u64 = UINT64_MAX};
    body.u32 = UINT32_MAX;
    body.i8 = -128;
    body.home = (zoo_point){1, 2};
    body.path[2] = (zoo_point){0.5f, 4};
    body.target = 4194305;
    body.target_number = 7;
    body.doors[1] = true;
    memcpy(body.label, "hut", 3);
    firn_entity entity = zoo_spawn(s.z.world, NULL, 0);
    assert_ok(firn_set(s.z.world, entity, s.z.of[ZOO_BODY], &body, &err), &err);
    assert_tree(
        row_of(table_save(s.z.world, s.doc, NULL), 1, 1),
        "{1, {mass = -0.5, i8 = -128, u16 = 0, awake = true, i64 = -9223372036854775808LL, u8 = 0,"
        "     i16 = 0, i32 = 0, u32 = 4294967295, u64 = 18446744073709551615ULL,"
        "     label = {104, 117, 116, 0, 0, 0, 0}, [\"home.x\"] = 1, [\"home.y\"] = 2,"
        "     [\"path[0].x\"] = 0, [\"path[0].y\"] = 0, [\"path[1].x\"] = 0, [\"path[1].y\"] = 0,"
        "     [\"path[2].x\"] = 0.5, [\"path[2].y\"] = 4, target = 4194305ULL, target_number = 7,"
        "     doors = {false, true, false}}}");
    table_scene_free(&s);
}

// ---- codecs

static firn_result write_odd(void *user, const firn_rows *rows, firn_writer *out, firn_error *err)
{
    (void)user;
    (void)err;
    const zoo_gap *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (row[i].a % 2 == 0)
            firn_write_nil(out);
        else
            firn_write_number(out, row[i].a);
    }
    return FIRN_OK;
}

static firn_result read_odd(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user;
    (void)err;
    zoo_gap *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++)
        row[i].a = (int32_t)firn_read_number(in);
    return FIRN_OK;
}

static void N6_a_value_that_a_codec_leaves_out_is_a_hole(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    firn_error err;
    firn_codec codec = {FIRN_ABI, "odd", write_odd, read_odd, NULL};
    firn_component_desc desc = zoo_desc(ZOO_GAP);
    desc.name = "Odd";
    desc.codec = &codec;
    firn_component both[] = {zoo_register(s.z.world, &desc), s.z.of[ZOO_SCORE]};
    for (int32_t i = 0; i < 3; i++) {
        firn_entity entity = zoo_spawn(s.z.world, both, 2);
        assert_ok(firn_set(s.z.world, entity, both[0], &(zoo_gap){i, 0}, &err), &err);
    }
    const firn_value *table = table_save(s.z.world, s.doc, NULL);
    assert_tree(row_of(table, 1, 1), "{1, nil, 0}");
    assert_tree(row_of(table, 1, 2), "{2, 1, 0}");
    assert_tree(row_of(table, 1, 3), "{3, nil, 0}");
    table_scene_free(&s);
}

// ---- options

static void T16_a_table_holds_custom_data(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    const firn_value *level = test_tree(s.doc, "{name = \"cave\", rooms = {1, 2}}");
    firn_data data[] = {{.key = "level", .value = level}, {.key = "empty", .encoded = "", 1}};
    const firn_value *table =
        table_save(s.z.world, s.doc, &(firn_save_options){.data = data, .data_count = 2});
    assert_tree(firn_table_get_text(table, "data"),
                "{{key = \"__firn.world\", value = {tick = 0}}, {key = \"empty\"},"
                " {key = \"level\", value = {name = \"cave\", rooms = {1, 2}}}}");
    assert_tree(firn_table_get_text(table, "archetypes"), "{}");
    table_scene_free(&s);
}

// The world that a binary save with the same options brings back, as a table.
static const firn_value *table_of_image(table_scene *s, const firn_save_options *options)
{
    firn_error err;
    firn_value *table = NULL;
    zoo other = zoo_make(NULL, false);
    firn_buffer image = zoo_save_with(s->z.world, options);
    firn_load_report report = zoo_load(other.world, &image);
    firn_load_report_free(&report);
    assert_ok(firn_snapshot_save_table(other.world, NULL, s->doc, &table, &err), &err);
    firn_buffer_free(&image);
    firn_world_destroy(other.world);
    return table;
}

static void T16_a_table_holds_what_a_binary_save_with_the_same_options_holds(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    zoo_fill(&s.z);
    const firn_term term = {.component = s.z.of[ZOO_POINT]};
    const firn_query_desc points = {.terms = &term, .term_count = 1};
    const firn_save_options all[] = {
        {.wire_version = 1},
        {.filter = &points},
        {.exclude = &s.z.of[ZOO_BODY], .exclude_count = 1},
    };
    static const double entities[] = {9, 5, 6};
    static const uint32_t components[] = {11, 8, 9};
    for (uint32_t i = 0; i < FIRN_COUNT(all); i++) {
        const firn_value *table = table_save(s.z.world, s.doc, &all[i]);
        assert_true(firn_value_equal(table, table_of_image(&s, &all[i])));
        assert_true(firn_table_get_text(table, "entityCount")->as.number == entities[i]);
        const firn_value *names = firn_table_get_text(table, "componentTable");
        assert_int_equal(firn_table_array_count(names), components[i]);
    }
    table_scene_free(&s);
}

static void T3_a_table_save_rejects_what_is_about_bytes(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    firn_error err;
    firn_digest digest = {1, 2};
    firn_value *table = NULL;
    firn_save_options options = {.digest = &digest};
    assert_int_equal(firn_snapshot_save_table(s.z.world, &options, s.doc, &table, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "digest");
    assert_null(table);
    assert_int_equal(digest.low, 1);
    table_scene_free(&s);
}

static void a_table_save_names_a_missing_argument(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    firn_error err;
    firn_value *table = NULL;
    firn_snapshot_save_table(NULL, NULL, s.doc, &table, &err);
    assert_error(&err, FIRN_INVALID, "world");
    firn_snapshot_save_table(s.z.world, NULL, NULL, &table, &err);
    assert_error(&err, FIRN_INVALID, "doc");
    firn_snapshot_save_table(s.z.world, NULL, s.doc, NULL, &err);
    assert_error(&err, FIRN_INVALID, "out");
    firn_snapshot_save_table(s.z.world, &(firn_save_options){.wire_version = 3}, s.doc, &table,
                             &err);
    assert_error(&err, FIRN_INVALID, "wire_version");
    assert_int_equal(firn_snapshot_save_table(NULL, NULL, s.doc, &table, NULL), FIRN_INVALID);
    assert_null(table);
    table_scene_free(&s);
}

// ---- the tree is its own

static void N1_later_changes_of_the_world_do_not_show_in_a_table(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    zoo_fill(&s.z);
    const firn_value *table = table_save(s.z.world, s.doc, NULL);
    char *before = test_tree_text(table);
    zoo_litter(&s.z);
    char *littered = test_tree_text(table);
    assert_string_equal(littered, before);
    firn_world_destroy(s.z.world);
    s.z.world = NULL;
    char *after = test_tree_text(table);
    assert_string_equal(after, before);
    free(before);
    free(littered);
    free(after);
    table_scene_free(&s);
}

static void a_table_save_that_fails_leaves_document_and_result_alone(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    firn_error err;
    firn_value *table = test_tree(s.doc, "{1, 2}"), *kept = table;
    firn_entity entity = zoo_spawn_one(s.z.world, s.z.of[ZOO_FLAG]);
    memset(firn_get_mut(s.z.world, entity, s.z.of[ZOO_FLAG]), 7, 1);
    assert_int_equal(firn_snapshot_save_table(s.z.world, NULL, s.doc, &table, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "zoo.Flag");
    assert_ptr_equal(table, kept);
    assert_tree(table, "{1, 2}");
    table_scene_free(&s);
}

static void a_value_above_a_limit_of_the_document_names_component_and_entity(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    firn_error err;
    firn_doc_destroy(s.doc);
    s.doc = firn_doc_create(NULL, &(firn_limits){.string_bytes = 16}, &err);
    firn_entity entity = zoo_spawn_one(s.z.world, s.z.of[ZOO_TITLE]);
    assert_ok(firn_set_text(s.z.world, entity, s.z.of[ZOO_TITLE], "more than 16 bytes", &err),
              &err);
    firn_value *table = NULL;
    assert_int_equal(firn_snapshot_save_table(s.z.world, NULL, s.doc, &table, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "zoo.Title");
    assert_non_null(strstr(err.message, "zoo.Title of entity 1: "));
    assert_int_equal(err.entity, entity);
    assert_null(table);
    table_scene_free(&s);
}

static void data_above_a_limit_of_the_document_is_named(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    firn_error err;
    const firn_value *text = firn_value_text(s.doc, "more than 16 bytes", &err);
    firn_doc *small = firn_doc_create(NULL, &(firn_limits){.string_bytes = 16}, &err);
    firn_data data = {.key = "level", .value = text};
    firn_value *table = NULL;
    assert_int_equal(firn_snapshot_save_table(s.z.world,
                                              &(firn_save_options){.data = &data, .data_count = 1},
                                              small, &table, &err),
                     FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "level");
    assert_int_equal(err.offset, FIRN_NO_OFFSET);
    firn_doc_destroy(small);
    table_scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T1_a_table_is_the_whole_world_as_plain_data),
        cmocka_unit_test(a_table_of_version_2_wraps_scalars),
        cmocka_unit_test(T13_a_struct_is_a_map_by_field_name),
        cmocka_unit_test(N6_a_value_that_a_codec_leaves_out_is_a_hole),
        cmocka_unit_test(T16_a_table_holds_custom_data),
        cmocka_unit_test(T16_a_table_holds_what_a_binary_save_with_the_same_options_holds),
        cmocka_unit_test(T3_a_table_save_rejects_what_is_about_bytes),
        cmocka_unit_test(a_table_save_names_a_missing_argument),
        cmocka_unit_test(N1_later_changes_of_the_world_do_not_show_in_a_table),
        cmocka_unit_test(a_table_save_that_fails_leaves_document_and_result_alone),
        cmocka_unit_test(a_value_above_a_limit_of_the_document_names_component_and_entity),
        cmocka_unit_test(data_above_a_limit_of_the_document_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
