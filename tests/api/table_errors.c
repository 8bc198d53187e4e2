// Saves in table form that are refused: with words about the table, and nothing changes.
#include <stdio.h>
#include <string.h>

#include "api/snapshot_zoo.h"
#include "support/tree.h"

typedef struct scene {
    zoo z;
    firn_doc *doc;
    firn_buffer before;
} scene;

static scene make_scene(void)
{
    scene s = {.z = zoo_make(NULL, false), .doc = firn_doc_create(NULL, NULL, NULL)};
    zoo_fill(&s.z);
    s.before = zoo_save(s.z.world);
    return s;
}

static void free_scene(scene *s)
{
    firn_buffer_free(&s->before);
    firn_doc_destroy(s->doc);
    firn_world_destroy(s->z.world);
}

// What is refused, how, and what the message says.
typedef struct bad_table {
    const char *text;
    firn_result result;
    const char *subject;
    const char *message;
} bad_table;

static void refuse(scene *s, const bad_table *bad, const firn_load_options *options)
{
    firn_error err = {.code = FIRN_OK};
    firn_load_report report;
    const firn_value *table = test_tree(s->doc, bad->text);
    firn_result result = firn_snapshot_load_table(s->z.world, table, options, &report, &err);
    firn_load_report_free(&report);
    if (result != bad->result || strcmp(err.subject, bad->subject) != 0 ||
        strstr(err.message, bad->message) == NULL)
        fail_msg("%s\ngives %s about \"%s\": \"%s\"\nnot %s about \"%s\": \"%s\"", bad->text,
                 firn_result_name(result), err.subject, err.message, firn_result_name(bad->result),
                 bad->subject, bad->message);
    assert_int_equal(err.code, result);
    assert_int_equal(err.offset, FIRN_NO_OFFSET);
    assert_false(report.committed);
    assert_saves_as(s->z.world, &s->before);
}

static void refuse_all(const bad_table *bad, uint32_t count, const firn_load_options *options)
{
    scene s = make_scene();
    for (uint32_t i = 0; i < count; i++)
        refuse(&s, &bad[i], options);
    free_scene(&s);
}

#define REFUSE_ALL(list) refuse_all((list), FIRN_COUNT(list), NULL)

static void N12_a_value_that_is_no_snapshot_table_is_refused(void **state)
{
    (void)state;
    static const bad_table list[] = {
        {"3", FIRN_NOT_OURS, "table", "the value is no table"},
        {"{}", FIRN_NOT_OURS, "version", "version is missing"},
        {"{version = {}}", FIRN_NOT_OURS, "version", "version is no number"},
        {"{version = 0.5}", FIRN_NOT_OURS, "version", "version is no number"},
        {"{version = 3}", FIRN_VERSION, "version", "version 3 is not known: 1 and 2 are"},
        {"{version = 1}", FIRN_CORRUPT, "archetypes", "archetypes: missing"},
        {"{version = 1, archetypes = 3}", FIRN_CORRUPT, "archetypes", "no list"},
        {"{version = 1, archetypes = {a = 1}}", FIRN_CORRUPT, "archetypes", "other keys"},
        {"{version = 1, archetypes = {nil, {}}}", FIRN_CORRUPT, "archetypes", "other keys"},
        {"{version = 1, archetypes = {}, nextEntityId = \"\"}", FIRN_CORRUPT, "nextEntityId",
         "not a whole number"},
        {"{version = 1, archetypes = {}, nextEntityId = 0}", FIRN_CORRUPT, "nextEntityId",
         "slots begin at 1"},
        {"{version = 1, archetypes = {}, entityCount = 2}", FIRN_CORRUPT, "entityCount",
         "the archetypes hold 0 entities"},
    };
    REFUSE_ALL(list);
}

#define BEGIN "{version = 1, componentTable = {{name = \"zoo.Score\"}, {name = \"zoo.Tag\"}}, "

static void N12_a_component_table_that_is_wrong_is_refused(void **state)
{
    (void)state;
    static const bad_table list[] = {
        {"{version = 1, archetypes = {}, componentTable = {{}}}", FIRN_CORRUPT,
         "componentTable[1].name", "the name of a component is missing"},
        {"{version = 1, archetypes = {}, componentTable = {{name = 7}}}", FIRN_CORRUPT,
         "componentTable[1].name", "no string"},
        {"{version = 1, archetypes = {}, componentTable = {{name = \"a\"}, {name = \"\"}}}",
         FIRN_CORRUPT, "componentTable[2].name", "component name is empty"},
        {"{version = 1, archetypes = {}, componentTable = {{name = \"a\"}, {name = \"a\"}}}",
         FIRN_CORRUPT, "componentTable[2].name", "component a is there twice"},
        {"{version = 1, archetypes = {}, componentTable = {a = 1}}", FIRN_CORRUPT, "componentTable",
         "other keys"},
        {"{version = 1, archetypes = {}, componentTable = {{name = \"zoo.Tag\"}, {name = \"b\"}}}",
         FIRN_UNKNOWN, "b", "componentTable[2]: component b is not registered"},
        {"{version = 1, archetypes = {{components = {\"b\"}, entities = {}}}}", FIRN_UNKNOWN, "b",
         "component b is not registered"},
    };
    REFUSE_ALL(list);
}

static void N12_an_archetype_that_is_wrong_is_refused(void **state)
{
    (void)state;
    static const bad_table list[] = {
        {BEGIN "archetypes = {{}}}", FIRN_CORRUPT, "archetypes[1]", "entities is missing"},
        {BEGIN "archetypes = {{entities = {}}}}", FIRN_CORRUPT, "archetypes[1]",
         "columnIndices is missing"},
        {BEGIN "archetypes = {7}}", FIRN_CORRUPT, "archetypes[1]", "entities is missing"},
        {BEGIN "archetypes = {{columnIndices = {3}, entities = {}}}}", FIRN_CORRUPT,
         "archetypes[1].columnIndices[1]", "no index of componentTable"},
        {BEGIN "archetypes = {{columnIndices = {1, 0}, entities = {}}}}", FIRN_CORRUPT,
         "archetypes[1].columnIndices[2]", "no index of componentTable"},
        {BEGIN "archetypes = {{columnIndices = {1, 1}, entities = {}}}}", FIRN_CORRUPT,
         "archetypes[1].columnIndices[2]", "an archetype has zoo.Score twice"},
        {BEGIN "archetypes = {{columnIndices = {}, entities = {[3] = {1}}}}}", FIRN_CORRUPT,
         "archetypes[1].entities", "other keys"},
        {BEGIN "archetypes = {{components = {7}, entities = {}}}}", FIRN_CORRUPT,
         "archetypes[1].components[1]", "the name of a component is no string"},
        {BEGIN "archetypes = {{components = {\"a\", \"a\"}, entities = {}}}}", FIRN_CORRUPT,
         "archetypes[1].components[2]", "an archetype has a twice"},
    };
    REFUSE_ALL(list);
}

#define ROWS(columns) BEGIN "archetypes = {{columnIndices = {" columns "}, entities = {"
#define RECORDS       BEGIN "archetypes = {{components = {\"zoo.Score\"}, entities = {"

static void N12_a_row_that_is_wrong_is_refused(void **state)
{
    (void)state;
    static const bad_table list[] = {
        {ROWS("1") "{1, 2}, 3}}}}", FIRN_CORRUPT, "archetypes[1].entities[2]",
         "the row is no table"},
        {ROWS("1") "{1, 2}, {}}}}}", FIRN_CORRUPT, "archetypes[1].entities[2]",
         "the row has no id"},
        {ROWS("1") "{1.5}}}}}", FIRN_CORRUPT, "archetypes[1].entities[1]",
         "the id is no whole number"},
        {ROWS("1") "{\"1a\"}}}}}", FIRN_CORRUPT, "archetypes[1].entities[1]", "no whole number"},
        {ROWS("1") "{\"\"}}}}}", FIRN_CORRUPT, "archetypes[1].entities[1]", "no whole number"},
        {ROWS("1") "{-1LL}}}}}", FIRN_CORRUPT, "archetypes[1].entities[1]", "no whole number"},
        {ROWS("1") "{9007199254740992}}}}}", FIRN_CORRUPT, "archetypes[1].entities[1]",
         "no whole number"},
        {ROWS("1") "{\"99999999999999999999\"}}}}}", FIRN_CORRUPT, "archetypes[1].entities[1]",
         "no whole number"},
        {ROWS("1") "{1, 2}, {2, 3, 4}}}}}", FIRN_CORRUPT, "archetypes[1].entities[2]",
         "values beside those of its 1 columns"},
        {ROWS("1") "{1, 2, x = 4}}}}}", FIRN_CORRUPT, "archetypes[1].entities[1]",
         "values beside those of its 1 columns"},
        {ROWS("1") "{0}}}}, nextEntityId = 2}", FIRN_CORRUPT, "archetypes[1].entities[1]", "0"},
        {ROWS("1") "{1}, {2}, {4}, {4194306}}}}, nextEntityId = 5}", FIRN_CORRUPT,
         "archetypes[1].entities[4]", "id 4194306: slot 2 is there twice"},
        {ROWS("1") "{1}, {7}}}}, nextEntityId = 5}", FIRN_CORRUPT, "archetypes[1].entities[2]",
         "id 7 is out of range: the next slot is 5"},
        {RECORDS "{id = 1}, {}}}}}", FIRN_CORRUPT, "archetypes[1].entities[2]",
         "the row has no id"},
        {RECORDS "{id = 1, values = 3}}}}}", FIRN_CORRUPT, "archetypes[1].entities[1]",
         "values is no table"},
        {RECORDS "{id = 1, values = {3}}}}}}", FIRN_CORRUPT, "archetypes[1].entities[1]",
         "the name of a component is no string"},
        {RECORDS "{id = 1}, {id = 3}, {id = 1}}}}}", FIRN_CORRUPT, "archetypes[1].entities[3]",
         "id 1: slot 1 is there twice"},
        {RECORDS "{id = 2}, {id = 2}, {id = 1}}}}}", FIRN_CORRUPT, "nextEntityId",
         "3, too low for 3 entities"},
    };
    REFUSE_ALL(list);
}

static void N12_a_value_that_a_component_cannot_hold_is_named_with_its_entity(void **state)
{
    (void)state;
    static const bad_table list[] = {
        {ROWS("2, 1") "{1, true, 2}, {3, true, \"x\"}, {2, true, 3}}}}}", FIRN_INVALID,
         "archetypes[1].entities[2][3]",
         "archetypes[1].entities[2][3]: zoo.Score of entity 3: the saved value is no number"},
        {ROWS("2, 1") "{1, true, 2}, {2, nil, 3}, {3, nil, {}}}}}}", FIRN_INVALID,
         "archetypes[1].entities[3][3]", "zoo.Score of entity 3"},
        {RECORDS "{id = 4, values = {[\"zoo.Score\"] = 1}},"
                 "{id = 5, values = {[\"zoo.Score\"] = true}}}}}}",
         FIRN_INVALID, "archetypes[1].entities[2].values.zoo.Score", "zoo.Score of entity 5"},
        {"{version = 1, componentTable = {{name = \"zoo.Point\"}}, archetypes = {"
         "{columnIndices = {}, entities = {{1}}},"
         "{columnIndices = {1}, entities = {{2, {x = 1}}, {3, {y = {z = 1}}}, {4, {y = \"1\"}}}}}}",
         FIRN_INVALID, "archetypes[2].entities[3][2]",
         "zoo.Point of entity 4: the field \"y\" is a string, not a number"},
        {"{version = 1, componentTable = {{name = \"zoo.Point\"}}, archetypes = {"
         "{columnIndices = {1}, entities = {{2, 7}}}}}",
         FIRN_INVALID, "archetypes[1].entities[1][2]", "the row is a number, not a table"},
    };
    REFUSE_ALL(list);
    scene s = make_scene();
    firn_error err;
    firn_snapshot_load_table(s.z.world, test_tree(s.doc, list[0].text), NULL, NULL, &err);
    assert_int_equal(err.entity, 3);
    free_scene(&s);
}

static void N12_data_that_is_wrong_is_refused(void **state)
{
    (void)state;
    static const bad_table list[] = {
        {BEGIN "archetypes = {}, data = 3}", FIRN_CORRUPT, "data", "no list"},
        {BEGIN "archetypes = {}, data = {3}}", FIRN_CORRUPT, "data[1]", "key is missing"},
        {BEGIN "archetypes = {}, data = {{key = 3}}}", FIRN_CORRUPT, "data[1]", "key is no string"},
        {BEGIN "archetypes = {}, data = {{key = \"a\", value = 1},"
               "{key = \"__firn.world\", value = {tick = -1}}}}",
         FIRN_CORRUPT, "__firn.world", "data[2]: __firn.world has a tick that is no count"},
        {ROWS("1") "{1}, {2}}}}, nextEntityId = 3, data = {{key = \"__firn.free\", value = 3}}}",
         FIRN_CORRUPT, "__firn.free", "data[1]: __firn.free is not an array"},
    };
    REFUSE_ALL(list);
}

#define STATES(stack) BEGIN "archetypes = {}, states = " stack "}"
#define PHASES(items) BEGIN "archetypes = {}, pipeline = {" items "}}"
#define RANDOM(items)                                                                              \
    BEGIN "archetypes = {}, data = {{key = \"tecs.random\", value = {" items "}}}}"

static void N12_what_every_game_has_is_refused_with_its_key(void **state)
{
    (void)state;
    static const bad_table list[] = {
        {STATES("3"), FIRN_CORRUPT, "__tecs.stateStack", "states: __tecs.stateStack is not a "},
        {STATES("{day = true}"), FIRN_CORRUPT, "__tecs.stateStack", "the stack is not a list"},
        {STATES("{3}"), FIRN_CORRUPT, "__tecs.stateStack", "a state is not the string"},
        {STATES("{\"dusk\"}"), FIRN_UNKNOWN, "dusk", "the state \"dusk\" of the save is not"},
        {PHASES("fixedAccumulator = -1, phaseStates = {}"), FIRN_CORRUPT, "__tecs.pipeline",
         "pipeline: __tecs.pipeline: fixedAccumulator is -1, not a finite time"},
        {PHASES("fixedAccumulator = 0"), FIRN_CORRUPT, "__tecs.pipeline", "not a list"},
        {PHASES("fixedAccumulator = 0, phaseStates = {true}"), FIRN_CORRUPT, "__tecs.pipeline",
         "phaseStates has 1 phases"},
        {PHASES("fixedAccumulator = 0, disabledPhases = {Update = 1}"), FIRN_CORRUPT,
         "__tecs.pipeline", "disabledPhases is not a table of name = boolean"},
        {RANDOM("seed = 0.5, streams = {}"), FIRN_CORRUPT, "tecs.random", "the seed is not a "},
        {RANDOM("seed = 1"), FIRN_CORRUPT, "tecs.random", "streams is not a table of names"},
        {RANDOM("seed = 1, streams = {loot = {1, 2, 3}}"), FIRN_CORRUPT, "tecs.random",
         "data[1]: tecs.random: stream loot is not 4 words of 32 bits"},
    };
    REFUSE_ALL(list);
}

static void F5_values_of_a_table_above_a_limit_are_named(void **state)
{
    (void)state;
    firn_limits limits = {.string_bytes = 4, .depth = 2, .columns = 1, .entities = 4};
    firn_load_options options = {.limits = &limits};
    static const bad_table list[] = {
        {"{version = 1, componentTable = {{name = \"zoo.Title\"}}, archetypes = {"
         "{columnIndices = {1}, entities = {{1, \"short\"}}}}}",
         FIRN_LIMIT, "archetypes[1].entities[1][2]", "zoo.Title of entity 1: a string of 5 bytes"},
        {"{version = 1, archetypes = {{components = {}, entities = {"
         "{id = 2, values = {[\"zoo.Bag\"] = {a = {b = {}}}}}}}}}",
         FIRN_LIMIT, "archetypes[1].entities[1].values.zoo.Bag.a.b", "zoo.Bag of entity 2"},
        {ROWS("1, 2") "{1, 2, true}}}}}", FIRN_LIMIT, "archetypes[1]", "2 columns"},
        {ROWS("") "{1}, {2}, {3}, {4}, {5}}}}}", FIRN_LIMIT, "nextEntityId", "above the limit"},
        {BEGIN "archetypes = {}, data = {{key = \"a\", value = {{{}}}}}}", FIRN_LIMIT, "a",
         "data[1].value[1][1]: data a: "},
    };
    refuse_all(list, FIRN_COUNT(list), &options);
}

static firn_result fail_encode(void *user, const firn_rows *rows, firn_writer *out, firn_error *err)
{
    (void)user;
    (void)err;
    for (uint32_t i = 0; i < rows->count; i++)
        firn_write_nil(out);
    return FIRN_OK;
}

// Refuses the value 7 by itself, 8 through the reader, and 9 with an entity that the table lacks.
static firn_result fail_decode(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user;
    for (uint32_t i = 0; i < rows->count; i++) {
        double number = firn_read_number(in);
        if (number == 8)
            firn_reader_refuse(in, "eight");
        if (number == 7) {
            *err = (firn_error){.code = FIRN_REFUSED,
                                .entity = rows->entities[i],
                                .message = "no image is called 7"};
            return FIRN_REFUSED;
        }
        if (number == 9) {
            *err = (firn_error){.code = FIRN_REFUSED, .entity = 1000, .message = "1000 has it"};
            return FIRN_REFUSED;
        }
    }
    return FIRN_OK;
}

static void N6_a_codec_that_refuses_a_value_of_a_table_names_component_and_entity(void **state)
{
    (void)state;
    scene s = make_scene();
    firn_codec codec = {FIRN_ABI, "sprite", fail_encode, fail_decode, NULL};
    firn_component_desc desc = zoo_desc(ZOO_GAP);
    desc.name = "Sprite";
    desc.codec = &codec;
    zoo_register(s.z.world, &desc);
    static const bad_table list[] = {
        {"{version = 1, componentTable = {{name = \"Sprite\"}}, archetypes = {"
         "{columnIndices = {1}, entities = {{3, 1}, {4, 7}}}}}",
         FIRN_REFUSED, "archetypes[1].entities[2][2]",
         "archetypes[1].entities[2][2]: codec sprite of Sprite: no image is called 7"},
        {"{version = 1, componentTable = {{name = \"Sprite\"}}, archetypes = {"
         "{columnIndices = {1}, entities = {{3, 1}, {4, 2}, {5, 8}, {6, 2}}}}}",
         FIRN_REFUSED, "archetypes[1].entities[3][2]", "codec sprite of Sprite: eight"},
        {"{version = 1, componentTable = {{name = \"Sprite\"}}, archetypes = {"
         "{columnIndices = {1}, entities = {{3, 1}, {4, 2}, {5, 9}, {6, 2}}}}}",
         FIRN_REFUSED, "archetypes[1].entities[3][2]", "codec sprite of Sprite: 1000 has it"},
    };
    for (uint32_t i = 0; i < FIRN_COUNT(list); i++)
        refuse(&s, &list[i], NULL);
    free_scene(&s);
}

static void T9_a_unique_string_that_two_rows_of_a_table_have_names_a_row(void **state)
{
    (void)state;
    scene s = make_scene();
    zoo_register(s.z.world,
                 &(firn_component_desc){.name = "Callsign", .kind = FIRN_STRING, .unique = true});
    static const bad_table bad = {
        "{version = 1, componentTable = {{name = \"Callsign\"}}, archetypes = {"
        "{columnIndices = {1}, entities = {{3, \"a\"}, {4, \"b\"}, {5, \"a\"}}}}}",
        FIRN_CORRUPT, "archetypes[1].entities[3]",
        "archetypes[1].entities[3]: the entities in slots 3 and 5 have the Callsign \"a\" both"};
    refuse(&s, &bad, NULL);
    free_scene(&s);
}

static void T6_an_unknown_component_of_a_table_can_be_skipped(void **state)
{
    (void)state;
    scene s = make_scene();
    firn_error err;
    firn_load_report report;
    firn_load_options options = {.skip_unknown = true};
    const firn_value *table =
        test_tree(s.doc, "{version = 1, componentTable = {{name = \"b\"}, {name = \"zoo.Score\"}},"
                         " archetypes = {{columnIndices = {1, 2}, entities = {{1, {}, 2}}}}}");
    assert_ok(firn_snapshot_load_table(s.z.world, table, &options, &report, &err), &err);
    firn_load_report_free(&report);
    assert_int_equal(report.unknown, 1);
    assert_true(*(const double *)firn_get(s.z.world, 1, s.z.of[ZOO_SCORE]) == 2);
    free_scene(&s);
}

static void a_table_load_names_a_missing_argument(void **state)
{
    (void)state;
    scene s = make_scene();
    firn_error err;
    const firn_value *table = test_tree(s.doc, "{version = 1, archetypes = {}}");
    firn_snapshot_load_table(NULL, table, NULL, NULL, &err);
    assert_error(&err, FIRN_INVALID, "world");
    firn_snapshot_load_table(s.z.world, NULL, NULL, NULL, &err);
    assert_error(&err, FIRN_INVALID, "table");
    firn_load_options options = {.reserved = {1}};
    firn_snapshot_load_table(s.z.world, table, &options, NULL, &err);
    assert_error(&err, FIRN_INVALID, "reserved");
    assert_int_equal(firn_snapshot_load_table(NULL, table, NULL, NULL, NULL), FIRN_INVALID);
    const firn_limits bad = {.reserved = {1}};
    options = (firn_load_options){.limits = &bad};
    assert_int_equal(firn_snapshot_load_table(s.z.world, table, &options, NULL, &err),
                     FIRN_INVALID);
    assert_non_null(strstr(err.message, "reserved[0]"));
    free_scene(&s);
}

static void N4_a_table_is_neither_saved_nor_loaded_inside_a_loop(void **state)
{
    (void)state;
    scene s = make_scene();
    firn_error err;
    firn_value *saved = NULL;
    firn_query_desc desc = {.name = "everything"};
    firn_query query = firn_query_create(s.z.world, &desc, &err);
    const firn_value *table = test_tree(s.doc, "{version = 1, archetypes = {}}");
    firn_iter it;
    firn_iter_begin(s.z.world, query, &it);
    assert_true(firn_iter_next(&it));
    firn_snapshot_load_table(s.z.world, table, NULL, NULL, &err);
    assert_error(&err, FIRN_BUSY, "everything");
    firn_snapshot_save_table(s.z.world, NULL, s.doc, &saved, &err);
    assert_error(&err, FIRN_BUSY, "everything");
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_saves_as(s.z.world, &s.before);
    free_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(N12_a_value_that_is_no_snapshot_table_is_refused),
        cmocka_unit_test(N12_a_component_table_that_is_wrong_is_refused),
        cmocka_unit_test(N12_an_archetype_that_is_wrong_is_refused),
        cmocka_unit_test(N12_a_row_that_is_wrong_is_refused),
        cmocka_unit_test(N12_a_value_that_a_component_cannot_hold_is_named_with_its_entity),
        cmocka_unit_test(N12_data_that_is_wrong_is_refused),
        cmocka_unit_test(N12_what_every_game_has_is_refused_with_its_key),
        cmocka_unit_test(F5_values_of_a_table_above_a_limit_are_named),
        cmocka_unit_test(N6_a_codec_that_refuses_a_value_of_a_table_names_component_and_entity),
        cmocka_unit_test(T9_a_unique_string_that_two_rows_of_a_table_have_names_a_row),
        cmocka_unit_test(T6_an_unknown_component_of_a_table_can_be_skipped),
        cmocka_unit_test(a_table_load_names_a_missing_argument),
        cmocka_unit_test(N4_a_table_is_neither_saved_nor_loaded_inside_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
