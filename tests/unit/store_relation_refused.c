// What relationships refuse: every refusal names its cause, and changes nothing.
#include "unit/event_journal.h"
#include "unit/store_relations.h"

#include "firn/firn.h"

#include <string.h>

// All of a world that a save holds, which is its edges, rows, order and ids.
static firn_buffer save_all(firn_world *world)
{
    firn_error err;
    firn_buffer image = {0};
    const firn_save_options options = {.sparse_edges = true};
    assert_ok(firn_snapshot_save(world, &options, &image, &err), &err);
    return image;
}

static void assert_saves_the_same(firn_world *world, const firn_buffer *before)
{
    firn_buffer after = save_all(world);
    assert_int_equal(after.size, before->size);
    assert_memory_equal(after.data, before->data, before->size);
    firn_buffer_free(&after);
}

static void assert_says(const firn_error *err, firn_result code, const char *subject,
                        const char *part, firn_entity entity)
{
    assert_error(err, code, subject);
    assert_string_equal(err->subject, subject);
    if (strstr(err->message, part) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", part, err->message);
    }
    assert_true(err->entity == entity);
}

static void T5_a_relate_that_is_refused_names_why_and_changes_nothing(void **state)
{
    (void)state;
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[3];
    register_relations(f, f->world, of);
    spawn_bare(f, e, 3);
    relate_default(f, e[0], of[LIKES], e[1]);
    relate_default(f, e[0], of[PARENT], e[2]);
    const struct {
        firn_entity source;
        firn_component relation;
        firn_entity target;
        firn_result code;
        const char *subject, *part;
        firn_entity entity;
    } cases[] = {
        {0, of[LIKES], e[1], FIRN_INVALID, "entity", "entity is 0", 0},
        {NOBODY, of[LIKES], e[1], FIRN_NOT_FOUND, "entity", "(slot 2, generation 7)", NOBODY},
        {e[0], of[LIKES], 0, FIRN_INVALID, "target", "target is 0", 0},
        {e[0], of[PARENT], NOBODY, FIRN_NOT_FOUND, "entity", "does not live", NOBODY},
        {e[0], f->number, e[1], FIRN_INVALID, "relation", "Number is no relation", 0},
        {e[0], f->tag, e[1], FIRN_INVALID, "relation", "Tag is no relation", 0},
        {e[0], 0, e[1], FIRN_INVALID, "relation", "relation: the component is 0", 0},
        {e[0], f->tag + 4096, e[1], FIRN_INVALID, "relation", "is not a component", 0},
    };
    journal j = {.world = f->world};
    noter n = {.journal = &j, .label = "n"};
    observe(&n, "OnAdd", 0, 0);
    observe(&n, "OnRemove", 0, 0);
    observe(&n, "OnSet", 0, 0);
    firn_buffer before = save_all(f->world);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_error err;
        assert_int_equal(
            firn_relate(f->world, cases[i].source, cases[i].relation, cases[i].target, NULL, &err),
            cases[i].code);
        assert_says(&err, cases[i].code, cases[i].subject, cases[i].part, cases[i].entity);
        assert_int_equal(
            firn_relate(f->world, cases[i].source, cases[i].relation, cases[i].target, NULL, NULL),
            cases[i].code);
    }
    assert_int_equal(firn_relate(NULL, e[0], of[LIKES], e[1], NULL, NULL), FIRN_INVALID);
    assert_saves_the_same(f->world, &before);
    assert_journal(&j, "");
    firn_buffer_free(&before);
    journal_free(&j);
}

static void T5_an_unrelate_that_is_refused_names_why_and_changes_nothing(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[3];
    register_relations(f, f->world, of);
    spawn_bare(f, e, 3);
    relate_default(f, e[0], of[KNOWS], e[1]);
    firn_buffer before = save_all(f->world);
    firn_error err;
    for (int all = 0; all < 2; all++) {
        firn_entity target = all ? 0 : e[1];
        assert_int_equal(firn_unrelate(f->world, NOBODY, of[KNOWS], target, &err), FIRN_NOT_FOUND);
        assert_says(&err, FIRN_NOT_FOUND, "entity", "does not live", NOBODY);
        assert_int_equal(firn_unrelate(f->world, e[0], f->text, target, &err), FIRN_INVALID);
        assert_says(&err, FIRN_INVALID, "relation", "Text is no relation", 0);
        assert_int_equal(firn_unrelate(f->world, e[0], 0, target, &err), FIRN_INVALID);
        assert_says(&err, FIRN_INVALID, "relation", "relation: the component is 0", 0);
    }
    // What is not there is no error.
    assert_ok(firn_unrelate(f->world, e[0], of[KNOWS], e[2], &err), &err);
    assert_ok(firn_unrelate(f->world, e[0], of[KNOWS], NOBODY, &err), &err);
    assert_ok(firn_unrelate(f->world, e[1], of[KNOWS], 0, &err), &err);
    assert_ok(firn_unrelate(f->world, e[0], of[LIKES], e[1], &err), &err);
    assert_saves_the_same(f->world, &before);
    firn_buffer_free(&before);
}

static void T5_a_relation_is_neither_added_nor_set_without_a_target(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[2];
    firn_error err;
    register_relations(f, f->world, of);
    spawn_bare(f, e, 2);
    relate_default(f, e[0], of[LIKES], e[1]);
    firn_buffer before = save_all(f->world);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *number = firn_value_number(doc, 1, &err);
    firn_component with_tag[] = {f->tag, of[OWNS]};
    assert_int_equal(firn_spawn(f->world, with_tag, 2, &err), 0);
    assert_says(&err, FIRN_INVALID, "Owns", "needs a target: use firn_relate", 0);
    assert_int_equal(firn_add(f->world, e[1], with_tag, 2, &err), FIRN_INVALID);
    assert_says(&err, FIRN_INVALID, "Owns", "needs a target: use firn_relate", 0);
    assert_int_equal(firn_set(f->world, e[0], of[LIKES], &(likes){0, 1}, &err), FIRN_INVALID);
    assert_says(&err, FIRN_INVALID, "Likes", "use firn_relate", 0);
    assert_int_equal(firn_set_text(f->world, e[0], of[LIKES], "much", &err), FIRN_INVALID);
    assert_says(&err, FIRN_INVALID, "Likes", "is a relation, not a string", 0);
    assert_int_equal(firn_set_value(f->world, e[0], of[LIKES], number, &err), FIRN_INVALID);
    assert_says(&err, FIRN_INVALID, "Likes", "is a relation, not a value", 0);
    assert_null(firn_get_value(f->world, e[0], of[LIKES], doc, &err));
    assert_says(&err, FIRN_INVALID, "Likes", "is a relation and has no value", 0);
    assert_saves_the_same(f->world, &before);
    firn_doc_destroy(doc);
    firn_buffer_free(&before);
}

static void T5_a_relation_of_a_wrong_description_is_not_registered(void **state)
{
    fixture *f = *state;
    static const firn_field at_target[] = {{.name = "target", .type = FIRN_ENTITY}};
    static const firn_field behind[] = {FIRN_FIELD(likes, weight, FIRN_F64)};
    static const likes row = {0};
    firn_component of[KINDS];
    register_relations(f, f->world, of);
    const firn_hooks hooks = {.user = f, .drop = (void (*)(void *, const firn_rows *))1};
    const struct {
        firn_component_desc desc;
        firn_result code;
        const char *subject, *part;
    } cases[] = {
        {{.relation = 16}, FIRN_INVALID, "New", "unknown bits in relation: 0x10"},
        {{.size = 4}, FIRN_INVALID, "New", "has the size 4: its struct begins with a firn_entity"},
        {{.fields = behind, .field_count = 1}, FIRN_INVALID, "New", "has the size 0"},
        {{.align = 8}, FIRN_INVALID, "New", "has the size 0"},
        {{.default_row = &row}, FIRN_INVALID, "New", "has the size 0"},
        {{.size = sizeof row, .fields = at_target, .field_count = 1},
         FIRN_INVALID,
         "New.target",
         "stands at byte 0, where the target is"},
        {{.hooks = hooks}, FIRN_INVALID, "New", "hooks"},
        {{.unique = true}, FIRN_INVALID, "New", "unique"},
        {{.required = &of[LIKES], .required_count = 1}, FIRN_INVALID, "New", "requires Likes"},
        {{.name = "Knows"}, FIRN_EXISTS, "Knows", "another kind of relation"},
        {{.name = "Knows", .relation = FIRN_SPARSE | FIRN_REVERSE | FIRN_CASCADE},
         FIRN_EXISTS,
         "Knows",
         "another kind of relation"},
    };
    uint32_t count = firn_component_count(f->world);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_error err;
        firn_component_desc desc = cases[i].desc;
        desc.kind = FIRN_RELATION;
        desc.name = desc.name == NULL ? "New" : desc.name;
        assert_int_equal(firn_component_register(f->world, &desc, &err), 0);
        assert_says(&err, cases[i].code, cases[i].subject, cases[i].part, 0);
    }
    assert_int_equal(firn_component_count(f->world), count);
    // FIRN_CASCADE includes FIRN_REVERSE: the same description, said in another way.
    const firn_component_desc parent = {.name = "Parent",
                                        .kind = FIRN_RELATION,
                                        .relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_REVERSE |
                                                    FIRN_CASCADE};
    assert_int_equal(firn_component_register(f->world, &parent, NULL), of[PARENT]);
}

static void T5_a_term_with_a_wrong_target_makes_no_query(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[2];
    register_relations(f, f->world, of);
    spawn_bare(f, e, 2);
    const struct {
        firn_term first, second;
        firn_result code;
        const char *subject, *part;
        firn_entity entity;
    } cases[] = {
        {{.component = f->number, .target = e[0]},
         {of[LIKES], FIRN_WITH, false, 0},
         FIRN_INVALID,
         "Number",
         "term 0 has a target, and Number is no relation",
         0},
        {{of[LIKES], FIRN_WITH, false, 0},
         {of[KNOWS], FIRN_ANY, false, e[0]},
         FIRN_INVALID,
         "Knows",
         "term 1 has a target, so it must be FIRN_WITH or FIRN_WITHOUT",
         0},
        {{of[LIKES], FIRN_OPTIONAL, false, e[0]},
         {of[LIKES], FIRN_WITH, false, 0},
         FIRN_INVALID,
         "Likes",
         "term 0 has a target, so it must be",
         0},
        {{of[LIKES], FIRN_WITH, false, 0},
         {of[LIKES], FIRN_WITH, false, NOBODY},
         FIRN_NOT_FOUND,
         "entity",
         "does not live",
         NOBODY},
        {{of[LIKES], FIRN_WITH, false, e[0]},
         {of[LIKES], FIRN_WITHOUT, false, e[0]},
         FIRN_INVALID,
         "Likes",
         "terms 0 and 1 name the same component Likes",
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_error err;
        const firn_term terms[] = {cases[i].first, cases[i].second};
        const firn_query_desc desc = {.terms = terms, .term_count = 2};
        assert_int_equal(firn_query_create(f->world, &desc, &err), 0);
        assert_says(&err, cases[i].code, cases[i].subject, cases[i].part, cases[i].entity);
    }
}

static void T5_what_is_no_edge_reads_as_none(void **state)
{
    fixture *f = *state;
    firn_component of[KINDS];
    firn_entity e[2], out[2] = {99, 99};
    register_relations(f, f->world, of);
    spawn_bare(f, e, 2);
    for (uint32_t i = 0; i < KINDS; i++)
        relate_default(f, e[0], of[i], e[1]);
    const firn_component others[] = {0, f->number, f->tag, of[KINDS - 1] + 1000};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_null(firn_related(f->world, e[0], others[i], e[1]));
        assert_int_equal(firn_target(f->world, e[0], others[i]), 0);
        assert_int_equal(firn_targets(f->world, e[0], others[i], out, 2), 0);
        assert_int_equal(firn_sources(f->world, others[i], e[1], out, 2), 0);
        assert_int_equal(firn_first_source(f->world, others[i], e[1]), 0);
        assert_int_equal(firn_next_source(f->world, others[i], e[1], e[0]), 0);
    }
    for (uint32_t i = 0; i < KINDS; i++) {
        assert_null(firn_related_mut(f->world, NOBODY, of[i], e[1]));
        assert_null(firn_related(f->world, e[0], of[i], NOBODY));
        assert_null(firn_related(f->world, e[0], of[i], e[0]));
        assert_null(firn_related(NULL, e[0], of[i], e[1]));
        assert_int_equal(firn_target(f->world, NOBODY, of[i]), 0);
        assert_int_equal(firn_sources(f->world, of[i], NOBODY, out, 2), 0);
        assert_int_equal(firn_first_source(f->world, of[i], NOBODY), 0);
        assert_int_equal(firn_next_source(f->world, of[i], e[1], e[1]), 0);
    }
    assert_true(out[0] == 99 && out[1] == 99);
    assert_int_equal(firn_targets(f->world, e[0], of[KNOWS], out, 0), 1);
    assert_int_equal(firn_sources(f->world, of[OWNS], e[1], out, 0), 1);
    assert_true(out[0] == 99);
    // Owns lists none: there is nothing to walk.
    assert_int_equal(firn_first_source(f->world, of[OWNS], e[1]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(T5_a_relate_that_is_refused_names_why_and_changes_nothing),
        FIXTURE_TEST(T5_an_unrelate_that_is_refused_names_why_and_changes_nothing),
        FIXTURE_TEST(T5_a_relation_is_neither_added_nor_set_without_a_target),
        FIXTURE_TEST(T5_a_relation_of_a_wrong_description_is_not_registered),
        FIXTURE_TEST(T5_a_term_with_a_wrong_target_makes_no_query),
        FIXTURE_TEST(T5_what_is_no_edge_reads_as_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
