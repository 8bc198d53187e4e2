// Targets of relationships in saves in table form, as decimal digits: what JSON makes of ids.
#include "api/snapshot_zoo.h"

#include <stdio.h>

#include "support/tree.h"

typedef struct trust {
    firn_entity target;
    double amount;
} trust;

static const firn_field trust_fields[] = {FIRN_FIELD(trust, amount, FIRN_F64)};

typedef struct scene {
    firn_world *world;
    firn_doc *doc;
    firn_component likes, trusts, knows;
} scene;

static firn_component add_relation(firn_world *world, const char *name, uint32_t bits, bool fields)
{
    firn_component_desc desc = {.name = name, .kind = FIRN_RELATION, .relation = bits};
    if (fields) {
        desc.size = sizeof(trust);
        desc.fields = trust_fields;
        desc.field_count = 1;
    }
    return zoo_register(world, &desc);
}

static scene make_scene(test_allocator *memory)
{
    scene s = {.world = zoo_empty(memory), .doc = firn_doc_create(NULL, NULL, NULL)};
    s.likes = add_relation(s.world, "Likes", 0, false);
    s.trusts = add_relation(s.world, "Trusts", FIRN_EXCLUSIVE | FIRN_SPARSE, true);
    s.knows = add_relation(s.world, "Knows", FIRN_SPARSE, true);
    return s;
}

static void free_scene(scene *s)
{
    firn_doc_destroy(s->doc);
    firn_world_destroy(s->world);
}

static firn_result load_rows_within(scene *s, const char *columns, const char *rows,
                                    const firn_limits *limits, firn_error *err)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{version = 1, nextEntityId = 4, componentTable = {{name = \"Likes->3\"},"
             " {name = \"Trusts\"}, {name = \"Knows\"}, {name = \"ChildOf\"}},"
             " archetypes = {{columnIndices = {%s}, entities = {%s}},"
             " {columnIndices = {}, entities = {{2}, {3}}}}}",
             columns, rows);
    const firn_load_options options = {.limits = limits};
    return firn_snapshot_load_table(s->world, test_tree(s->doc, text), &options, NULL, err);
}

static firn_result load_rows(scene *s, const char *columns, const char *rows, firn_error *err)
{
    return load_rows_within(s, columns, rows, NULL, err);
}

#define GOOD                                                                                       \
    "1, 2, 3, 4", "{1, {target = \"3\"}, {target = \"2\", amount = 5},"                            \
                  " {edges = {{target = \"2\", amount = 7}, {target = 3}}}, {target = \"3\"}}"

static void N12_targets_of_a_table_may_be_digits(void **state)
{
    (void)state;
    scene s = make_scene(NULL);
    firn_error err;
    assert_ok(load_rows(&s, GOOD, &err), &err);
    assert_non_null(firn_related(s.world, 1, s.likes, 3));
    assert_int_equal(firn_target(s.world, 1, s.trusts), 2);
    assert_true(((const trust *)firn_related(s.world, 1, s.trusts, 2))->amount == 5);
    assert_true(((const trust *)firn_related(s.world, 1, s.knows, 2))->amount == 7);
    assert_non_null(firn_related(s.world, 1, s.knows, 3));
    assert_int_equal(firn_target(s.world, 1, firn_child_of(s.world)), 3);
    free_scene(&s);
}

static void N12_other_strings_are_no_targets(void **state)
{
    (void)state;
    static const struct {
        const char *columns, *row, *path;
    } bad[] = {
        {"1", "{1, {target = \"2\"}}", "archetypes[1].entities[1][2]"}, // not that of the column
        {"2", "{1, {target = \"2x\"}}", "archetypes[1].entities[1][2]"},
        {"2", "{1, {target = \"\"}}", "archetypes[1].entities[1][2]"},
        {"2", "{1, {target = \"-2\"}}", "archetypes[1].entities[1][2]"},
        {"2", "{1, {target = \"9007199254740992\"}}", "archetypes[1].entities[1][2]"},
        {"3", "{1, {edges = {{target = \"2\"}, {target = \"two\"}}}}",
         "archetypes[1].entities[1][2]"},
        {"3", "{1, {edges = {{target = \"2\"}, {target = 2}}}}", "archetypes[1].entities[1][2]"},
    };
    scene s = make_scene(NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_error err;
        if (load_rows(&s, bad[i].columns, bad[i].row, &err) != FIRN_CORRUPT)
            fail_msg("%s is not corrupt", bad[i].row);
        assert_error(&err, FIRN_CORRUPT, bad[i].path);
        assert_int_equal(firn_entity_count(s.world), 0);
    }
    free_scene(&s);
}

static void N12_a_relationship_with_digits_keeps_to_the_limits(void **state)
{
    (void)state;
    const firn_limits limits = {.string_bytes = 20};
    scene s = make_scene(NULL);
    firn_error err;
    load_rows_within(&s, "2", "{1, {target = \"2\", amount = \"more than twenty bytes\"}}", &limits,
                     &err);
    assert_error(&err, FIRN_LIMIT, "archetypes[1].entities[1][2].amount");
    assert_int_equal(firn_entity_count(s.world), 0);
    free_scene(&s);
}

static void N12_digits_that_take_memory_fail_like_anything(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    bool injected = true;
    for (uint64_t call = 1; injected; call++) {
        firn_error err;
        scene s = make_scene(&memory);
        test_allocator_fail_at(&memory, call, false);
        firn_result result = load_rows(&s, GOOD, &err);
        injected = memory.injected;
        // Some of what is asked for is done without when it is not there.
        assert_true(result == FIRN_OK || (injected && result == FIRN_NO_MEMORY));
        assert_int_equal(firn_entity_count(s.world), result == FIRN_OK ? 3 : 0);
        test_allocator_fail_at(&memory, 0, false);
        free_scene(&s);
        assert_no_leak(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(N12_targets_of_a_table_may_be_digits),
        cmocka_unit_test(N12_other_strings_are_no_targets),
        cmocka_unit_test(N12_a_relationship_with_digits_keeps_to_the_limits),
        cmocka_unit_test(N12_digits_that_take_memory_fail_like_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
