// Loads of saves in table form.
#include <stdio.h>
#include <string.h>

#include "api/table_scene.h"

static void load_table(firn_world *world, const firn_value *table, const firn_load_options *options)
{
    firn_error err;
    firn_load_report report;
    assert_ok(firn_snapshot_load_table(world, table, options, &report, &err), &err);
    firn_load_report_free(&report);
    assert_true(report.committed);
}

// Loads what a text says, between `version` and what it lacks.
static void load_text(table_scene *s, const char *text)
{
    char whole[4096];
    snprintf(whole, sizeof whole, "{version = 1, %s}", text);
    load_table(s->z.world, test_tree(s->doc, whole), NULL);
}

static void assert_value(table_scene *s, firn_entity entity, zoo_kind kind, const char *text)
{
    firn_error err;
    assert_tree(firn_get_value(s->z.world, entity, s->z.of[kind], s->doc, &err), text);
}

static void assert_point(const table_scene *s, firn_entity entity, float x, float y)
{
    const zoo_point *point = firn_get(s->z.world, entity, s->z.of[ZOO_POINT]);
    assert_non_null(point);
    assert_true(point->x == x && point->y == y);
}

static double score(const table_scene *s, firn_entity entity)
{
    const double *row = firn_get(s->z.world, entity, s->z.of[ZOO_SCORE]);
    assert_non_null(row);
    return *row;
}

// ---- the same world

static void N1_a_table_brings_back_the_same_world(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    zoo_fill(&s.z);
    firn_buffer image = zoo_save(s.z.world);
    firn_hash hash = zoo_hash(s.z.world);
    for (uint32_t version = 1; version <= 2; version++) {
        const firn_value *table =
            table_save(s.z.world, s.doc, &(firn_save_options){.wire_version = version});
        zoo fresh = zoo_make(NULL, true);
        load_table(fresh.world, table, NULL);
        assert_saves_as(fresh.world, &image);
        zoo_litter(&fresh);
        load_table(fresh.world, table, NULL);
        assert_saves_as(fresh.world, &image);
        firn_hash again = zoo_hash(fresh.world);
        assert_memory_equal(&again, &hash, sizeof hash);
        firn_world_destroy(fresh.world);
    }
    firn_buffer_free(&image);
    table_scene_free(&s);
}

static void N1_a_table_of_a_world_that_was_loaded_from_one_is_the_same_table(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    zoo_fill(&s.z);
    const firn_value *first = table_save(s.z.world, s.doc, NULL);
    zoo other = zoo_make(NULL, true);
    load_table(other.world, first, NULL);
    const firn_value *second = table_save(other.world, s.doc, NULL);
    assert_true(firn_value_equal(first, second));
    firn_world_destroy(other.world);
    table_scene_free(&s);
}

static void T4_ids_after_a_load_of_a_table_are_those_without_it(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    zoo_fill(&s.z);
    const firn_value *table = table_save(s.z.world, s.doc, NULL);
    zoo other = zoo_make(NULL, false);
    zoo_litter(&other);
    load_table(other.world, table, NULL);
    for (int i = 0; i < 6; i++)
        assert_int_equal(zoo_spawn(other.world, NULL, 0), zoo_spawn(s.z.world, NULL, 0));
    firn_world_destroy(other.world);
    table_scene_free(&s);
}

static void N1_a_loaded_world_does_not_follow_its_table(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    load_text(&s,
              "componentTable = {{name = \"zoo.Bag\"}, {name = \"zoo.Title\"}},"
              "archetypes = {{columnIndices = {1, 2}, entities = {{1, {gold = {5}}, \"abc\"}}}}");
    firn_doc_clear(s.doc);
    test_tree(s.doc, "{\"something\", \"else\", \"in\", \"its\", \"place\"}");
    size_t size;
    assert_value(&s, 1, ZOO_BAG, "{gold = {5}}");
    assert_memory_equal(firn_get_string(s.z.world, 1, s.z.of[ZOO_TITLE], &size), "abc", 3);
    table_scene_free(&s);
}

static void F5_the_limit_on_files_is_not_one_on_tables(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    zoo_fill(&s.z);
    const firn_value *table = table_save(s.z.world, s.doc, NULL);
    firn_limits limits = {.file_bytes = 64};
    load_table(s.z.world, table, &(firn_load_options){.limits = &limits});
    assert_int_equal(firn_entity_count(s.z.world), 9);
    table_scene_free(&s);
}

// ---- by field name

static void T13_fields_of_a_table_map_by_name(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    load_text(&s, "componentTable = {{name = \"zoo.Point\"}, {name = \"zoo.Body\"}},"
                  "archetypes = {{columnIndices = {1, 2}, entities = {"
                  "  {1, {y = 2, gone = 7}, {home = {x = 3}, [\"path[1].y\"] = 4, label = \"hut\","
                  "                          i64 = -5LL, doors = {true}}}}}}");
    assert_point(&s, 1, 0, 2);
    const zoo_body *body = firn_get(s.z.world, 1, s.z.of[ZOO_BODY]);
    assert_true(body->home.x == 3 && body->path[1].y == 4 && body->i64 == -5);
    assert_memory_equal(body->label, "hut\0\0\0", 7);
    assert_true(body->doors[0] && !body->doors[1]);
    table_scene_free(&s);
}

static void T13_a_changed_value_of_a_table_is_counted(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    const firn_value *table =
        test_tree(s.doc, "{version = 1, componentTable = {{name = \"zoo.Gap\"}},"
                         " archetypes = {{columnIndices = {1},"
                         "                entities = {{1, {a = 1, b = 70000, c = 1}}}}}}");
    firn_error err;
    firn_load_report report;
    assert_ok(firn_snapshot_load_table(s.z.world, table, NULL, &report, &err), &err);
    zoo_notes notes = zoo_take_notes(&report);
    assert_note(&notes, FIRN_NOTICE_FIELD, "zoo.Gap", "b", 1);
    assert_note(&notes, FIRN_NOTICE_REMOVED, "zoo.Gap", "", 1);
    table_scene_free(&s);
}

// ---- codecs

static firn_result refuse_encode(void *user, const firn_rows *rows, firn_writer *out,
                                 firn_error *err)
{
    (void)user;
    (void)err;
    for (uint32_t i = 0; i < rows->count; i++)
        firn_write_text(out, "never read");
    return FIRN_OK;
}

static firn_result count_decode(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)err;
    zoo_gap *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++, ++*(uint32_t *)user) {
        firn_table_head head = firn_read_table(in);
        for (uint32_t k = 0; k < head.map_count; k++) {
            firn_read_skip(in);
            row[i].a += (int32_t)firn_read_number(in);
        }
    }
    return FIRN_OK;
}

static void T13_the_table_form_always_calls_the_codec(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    uint32_t decoded = 0;
    firn_codec codec = {FIRN_ABI, "sum", refuse_encode, count_decode, &decoded};
    firn_component_desc desc = zoo_desc(ZOO_GAP);
    desc.name = "Sum";
    desc.codec = &codec;
    firn_component sum = zoo_register(s.z.world, &desc);
    load_text(&s, "componentTable = {{name = \"Sum\"}},"
                  "archetypes = {{columnIndices = {1}, entities = {{1, {a = 3, b = 4}}, {2},"
                  "                                                {3, {a = 1}}}}}");
    assert_int_equal(decoded, 2);
    assert_int_equal(((const zoo_gap *)firn_get(s.z.world, 1, sum))->a, 7);
    assert_false(firn_has(s.z.world, 2, sum));
    table_scene_free(&s);
}

// ---- forms

static void T13_a_hole_is_a_component_that_is_not_there(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    load_text(&s, "componentTable = {{name = \"zoo.Tag\"}, {name = \"zoo.Score\"}},"
                  "archetypes = {{columnIndices = {1, 2}, entities = {"
                  "  {1, true, 1}, {2, nil, 2}, {3, true}, {4}, {5, true, 5}}}}");
    static const char has_tag[] = "10101", has_score[] = "11001";
    for (firn_entity i = 1; i <= 5; i++) {
        assert_int_equal(firn_has(s.z.world, i, s.z.of[ZOO_TAG]), has_tag[i - 1] == '1');
        assert_int_equal(firn_has(s.z.world, i, s.z.of[ZOO_SCORE]), has_score[i - 1] == '1');
    }
    assert_true(score(&s, 5) == 5);
    table_scene_free(&s);
}

static void T22_scalars_of_a_table_may_be_wrapped(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    load_text(&s, "componentTable = {{name = \"zoo.Score\"}, {name = \"zoo.Title\"},"
                  "                  {name = \"zoo.Flag\"}, {name = \"zoo.Bag\"}},"
                  "archetypes = {{columnIndices = {1, 2, 3, 4}, entities = {"
                  "  {1, {value = 4}, {value = \"king\"}, {value = true}, {value = 3}},"
                  "  {2, 5, \"queen\", false, {}}}}}");
    assert_true(score(&s, 1) == 4 && score(&s, 2) == 5);
    assert_value(&s, 1, ZOO_TITLE, "\"king\"");
    assert_value(&s, 2, ZOO_TITLE, "\"queen\"");
    assert_value(&s, 1, ZOO_BAG, "{value = 3}");
    assert_true(*(const bool *)firn_get(s.z.world, 1, s.z.of[ZOO_FLAG]));
    table_scene_free(&s);
}

static void N1_the_record_form_loads(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    load_text(&s, "nextEntityId = 4, archetypes = {"
                  "{components = {\"zoo.Point\", \"zoo.Tag\", \"zoo.Title\"}, entities = {"
                  "  {id = 1, values = {[\"zoo.Point\"] = {x = 1, y = 2}}},"
                  "  {id = 3, values = {[\"zoo.Title\"] = \"a\", [\"zoo.Score\"] = 9}}}},"
                  "{components = {}, entities = {{id = 2}}}}");
    assert_int_equal(firn_entity_count(s.z.world), 3);
    assert_point(&s, 1, 1, 2);
    assert_true(firn_has(s.z.world, 1, s.z.of[ZOO_TAG]));
    assert_true(firn_has(s.z.world, 3, s.z.of[ZOO_TAG]));
    assert_false(firn_has(s.z.world, 1, s.z.of[ZOO_TITLE]));
    assert_false(firn_has(s.z.world, 3, s.z.of[ZOO_POINT]));
    assert_value(&s, 3, ZOO_TITLE, "\"a\"");
    assert_true(score(&s, 3) == 9);
    assert_int_equal(firn_entity_components(s.z.world, 2, NULL, 0), 0);
    table_scene_free(&s);
}

static void T4_ids_of_a_table_may_be_text(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    load_text(&s, "nextEntityId = \"8\", archetypes = {"
                  "{columnIndices = {}, entities = {{\"9007199250546693\"}, {2LL}, {3ULL}}},"
                  "{components = {}, entities = {{id = \"4194311\"}}}}");
    static const firn_entity all[] = {9007199250546693, 2, 3, 4194311};
    for (int i = 0; i < 4; i++)
        assert_true(firn_alive(s.z.world, all[i]));
    table_scene_free(&s);
}

static void a_table_without_its_counts_and_data_loads(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    load_text(&s, "archetypes = {{columnIndices = {}, entities = {{4194310}, {2}}}}");
    assert_int_equal(firn_entity_count(s.z.world), 2);
    firn_entity next[5];
    for (int i = 0; i < 5; i++)
        next[i] = zoo_spawn(s.z.world, NULL, 0);
    // Slots 1, 3, 4 and 5 were free, 7 is the next.
    assert_int_equal(next[4], 7);
    table_scene_free(&s);
}

static void a_component_of_the_table_that_no_entity_has_was_removed(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    firn_component_desc desc = {.name = "Owner", .kind = FIRN_TAG, .required_count = 1};
    desc.required = &s.z.of[ZOO_SCORE];
    firn_component owner = zoo_register(s.z.world, &desc);
    load_text(&s, "componentTable = {{name = \"Owner\"}},"
                  "archetypes = {{columnIndices = {1}, entities = {{1, true}}}}");
    assert_true(firn_has(s.z.world, 1, owner) && firn_has(s.z.world, 1, s.z.of[ZOO_SCORE]));
    load_text(&s, "componentTable = {{name = \"Owner\"}, {name = \"zoo.Score\"}},"
                  "archetypes = {{columnIndices = {1}, entities = {{1, true}}}}");
    assert_true(firn_has(s.z.world, 1, owner));
    assert_false(firn_has(s.z.world, 1, s.z.of[ZOO_SCORE]));
    table_scene_free(&s);
}

// ---- data

typedef struct heard {
    table_scene *s;
    char text[256];
} heard;

static firn_result hear_data(void *user, firn_world *world, const char *key, const void *encoded,
                             size_t size, firn_error *err)
{
    heard *all = user;
    (void)world;
    (void)err;
    size_t length = strlen(all->text);
    snprintf(all->text + length, sizeof all->text - length, "%s:%02x:%zu ", key,
             *(const uint8_t *)encoded, size);
    firn_doc_clear(all->s->doc); // the table is not looked at any more
    return strcmp(key, "bad") == 0 ? FIRN_REFUSED : FIRN_OK;
}

static void append_datum(firn_doc *doc, firn_value *table, const char *text)
{
    firn_error err;
    const firn_value *list = firn_table_get_text(table, "data");
    firn_value copy = *list;
    assert_ok(firn_table_push(doc, &copy, test_tree(doc, text), &err), &err);
}

static void T1_a_data_entry_that_was_appended_reaches_on_data(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    heard all = {.s = &s};
    firn_value *table = table_save(s.z.world, s.doc, NULL);
    append_datum(s.doc, table, "{key = \"mygame.migrated\", value = true}");
    append_datum(s.doc, table, "{key = \"mygame.migrated\"}");
    load_table(s.z.world, table, &(firn_load_options){.on_data = hear_data, .user = &all});
    assert_string_equal(all.text, "mygame.migrated:02:1 mygame.migrated:00:1 ");
    table_scene_free(&s);
}

static void data_that_is_refused_after_the_load_is_named(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    heard all = {.s = &s};
    firn_error err;
    firn_load_report report;
    firn_value *table = table_save(s.z.world, s.doc, NULL);
    append_datum(s.doc, table, "{key = \"bad\", value = 1}");
    append_datum(s.doc, table, "{key = \"good\", value = 1}");
    firn_load_options options = {.on_data = hear_data, .user = &all};
    assert_int_equal(firn_snapshot_load_table(s.z.world, table, &options, &report, &err),
                     FIRN_REFUSED);
    firn_load_report_free(&report);
    assert_error(&err, FIRN_REFUSED, "bad");
    assert_non_null(strstr(err.message, "data[2]: "));
    assert_int_equal(err.offset, FIRN_NO_OFFSET);
    assert_true(report.committed);
    assert_string_equal(all.text, "bad:07:9 good:07:9 ");
    table_scene_free(&s);
}

static firn_result check_gold(void *user, firn_world *world, firn_reader *in, void **prepared,
                              firn_error *err)
{
    (void)world;
    (void)prepared;
    (void)err;
    *(double *)user = in == NULL ? -1 : firn_read_number(in);
    return FIRN_OK;
}

static void T18_a_data_entry_that_was_appended_reaches_its_handler(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    firn_error err;
    double gold = 0;
    firn_handler handler = {.abi = FIRN_ABI, .name = "gold", .check = check_gold, .user = &gold};
    assert_ok(firn_handler_add(s.z.world, &handler, &err), &err);
    firn_value *table = table_save(s.z.world, s.doc, NULL);
    load_table(s.z.world, table, NULL);
    assert_true(gold == -1);
    append_datum(s.doc, table, "{key = \"gold\", value = 12}");
    load_table(s.z.world, table, NULL);
    assert_true(gold == 12);
    table_scene_free(&s);
}

#define FIVE_PHASES "true, true, true, true, true, "

static void T6_states_and_pipeline_of_the_record_form_are_data(void **state)
{
    (void)state;
    table_scene s = table_scene_make();
    firn_error err;
    load_text(&s, "archetypes = {}, states = {}, pipeline = {fixedAccumulator = 0.25, phaseStates ="
                  "{" FIVE_PHASES FIVE_PHASES FIVE_PHASES FIVE_PHASES "false}}");
    firn_value *bad =
        test_tree(s.doc, "{version = 1, archetypes = {}, states = {\"nowhere\"}, pipeline = 3}");
    assert_int_not_equal(firn_snapshot_load_table(s.z.world, bad, NULL, NULL, &err), FIRN_OK);
    assert_non_null(strstr(err.message, "nowhere"));
    assert_int_equal(strncmp(err.message, "states: ", 8), 0);
    bad = test_tree(s.doc, "{version = 1, archetypes = {}, states = {}, pipeline = 3}");
    assert_int_not_equal(firn_snapshot_load_table(s.z.world, bad, NULL, NULL, &err), FIRN_OK);
    assert_int_equal(strncmp(err.message, "pipeline: ", 10), 0);
    table_scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(N1_a_table_brings_back_the_same_world),
        cmocka_unit_test(N1_a_table_of_a_world_that_was_loaded_from_one_is_the_same_table),
        cmocka_unit_test(T4_ids_after_a_load_of_a_table_are_those_without_it),
        cmocka_unit_test(N1_a_loaded_world_does_not_follow_its_table),
        cmocka_unit_test(F5_the_limit_on_files_is_not_one_on_tables),
        cmocka_unit_test(T13_fields_of_a_table_map_by_name),
        cmocka_unit_test(T13_a_changed_value_of_a_table_is_counted),
        cmocka_unit_test(T13_the_table_form_always_calls_the_codec),
        cmocka_unit_test(T13_a_hole_is_a_component_that_is_not_there),
        cmocka_unit_test(T22_scalars_of_a_table_may_be_wrapped),
        cmocka_unit_test(N1_the_record_form_loads),
        cmocka_unit_test(T4_ids_of_a_table_may_be_text),
        cmocka_unit_test(a_table_without_its_counts_and_data_loads),
        cmocka_unit_test(a_component_of_the_table_that_no_entity_has_was_removed),
        cmocka_unit_test(T1_a_data_entry_that_was_appended_reaches_on_data),
        cmocka_unit_test(data_that_is_refused_after_the_load_is_named),
        cmocka_unit_test(T18_a_data_entry_that_was_appended_reaches_its_handler),
        cmocka_unit_test(T6_states_and_pipeline_of_the_record_form_are_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
