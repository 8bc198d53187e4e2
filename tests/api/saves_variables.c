// Variables of a game: state that belongs to no entity.
#include "api/snapshot_zoo.h"

#include <string.h>

typedef struct fixture {
    test_allocator memory;
    firn_world *world;
    firn_saves *saves;
    firn_doc *doc;
} fixture;

static int make_fixture(void **state)
{
    static fixture f;
    test_allocator_init(&f.memory);
    const firn_limits limits = {.depth = 4, .string_bytes = 1000};
    const firn_saves_desc desc = {
        .game = "game", .allocator = &f.memory.allocator, .limits = &limits};
    f.world = firn_world_create(NULL, NULL);
    f.saves = firn_saves_open(f.world, &desc, NULL);
    f.doc = firn_doc_create(NULL, NULL, NULL);
    *state = &f;
    return f.saves == NULL || f.doc == NULL;
}

static int end_fixture(void **state)
{
    fixture *f = *state;
    firn_saves_close(f->saves);
    firn_world_destroy(f->world);
    firn_doc_destroy(f->doc);
    assert_no_leak(&f->memory);
    return 0;
}

static void set_number(fixture *f, const char *name, double number)
{
    firn_error err;
    const firn_value value = {.kind = FIRN_VALUE_NUMBER, .as.number = number};
    assert_ok(firn_saves_set_variable(f->saves, name, &value, &err), &err);
}

static void K3_a_variable_is_what_it_was_set_to(void **state)
{
    fixture *f = *state;
    assert_null(firn_saves_variable(f->saves, "chapter"));
    assert_int_equal(firn_table_map_count(firn_saves_variables(f->saves)), 0);
    set_number(f, "chapter", 3);
    set_number(f, "door", 1);
    set_number(f, "chapter", 4);
    assert_true(firn_saves_variable(f->saves, "chapter")->as.number == 4);
    const firn_value *all = firn_saves_variables(f->saves);
    assert_int_equal(firn_table_map_count(all), 2);
    assert_true(firn_table_get_text(all, "door")->as.number == 1);
}

static void K3_a_variable_is_a_copy_of_any_value(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_value *list = firn_value_table(f->doc, &err);
    firn_value *item = firn_value_int64(f->doc, INT64_MIN, &err);
    assert_ok(firn_table_push(f->doc, list, item, &err), &err);
    assert_ok(firn_saves_set_variable(f->saves, "quests", list, &err), &err);
    item->as.int64 = 0;
    assert_ok(firn_table_push(f->doc, list, item, &err), &err);
    const firn_value *kept = firn_saves_variable(f->saves, "quests");
    assert_int_equal(firn_table_array_count(kept), 1);
    assert_true(firn_table_get_number(kept, 1)->as.int64 == INT64_MIN);
}

static void K3_nil_removes_a_variable(void **state)
{
    fixture *f = *state;
    firn_error err;
    const firn_value nil = {.kind = FIRN_VALUE_NIL};
    set_number(f, "a", 1);
    set_number(f, "b", 2);
    assert_ok(firn_saves_set_variable(f->saves, "a", NULL, &err), &err);
    assert_ok(firn_saves_set_variable(f->saves, "b", &nil, &err), &err);
    assert_ok(firn_saves_set_variable(f->saves, "never", NULL, &err), &err);
    assert_int_equal(firn_table_map_count(firn_saves_variables(f->saves)), 0);
}

static void a_variable_without_a_name_is_refused(void **state)
{
    fixture *f = *state;
    firn_error err;
    assert_int_equal(firn_saves_set_variable(f->saves, "", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "name");
    assert_int_equal(firn_saves_set_variable(f->saves, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "name");
    assert_int_equal(firn_saves_set_variable(NULL, "a", NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "saves");
    assert_null(firn_saves_variable(f->saves, NULL));
    assert_null(firn_saves_variable(NULL, "a"));
    assert_null(firn_saves_variables(NULL));
}

static void a_variable_above_a_limit_of_saves_changes_nothing(void **state)
{
    fixture *f = *state;
    firn_error err;
    set_number(f, "deep", 1);
    firn_value *inner = firn_value_table(f->doc, &err);
    for (int i = 0; i < 3; i++) {
        firn_value *outer = firn_value_table(f->doc, &err);
        assert_ok(firn_table_push(f->doc, outer, inner, &err), &err);
        inner = outer;
    }
    assert_int_equal(firn_saves_set_variable(f->saves, "deep", inner, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "deep");
    assert_non_null(strstr(err.message, "the variable deep: more than"));
    assert_true(firn_saves_variable(f->saves, "deep")->as.number == 1);
    const firn_value *less = firn_table_get_number(inner, 1);
    assert_ok(firn_saves_set_variable(f->saves, "deep", less, &err), &err);
    char text[1002];
    memset(text, 'x', sizeof text);
    const firn_value *string = firn_value_string(f->doc, text, 1001, &err);
    assert_int_equal(firn_saves_set_variable(f->saves, "long", string, &err), FIRN_LIMIT);
    assert_null(firn_saves_variable(f->saves, "long"));
}

static void K3_a_variable_that_is_set_again_and_again_does_not_fill_the_memory(void **state)
{
    fixture *f = *state;
    firn_error err;
    char text[1000];
    memset(text, 'x', sizeof text);
    const firn_value *string = firn_value_string(f->doc, text, sizeof text, &err);
    set_number(f, "stays", 7);
    for (int i = 0; i < 5000; i++) {
        assert_ok(firn_saves_set_variable(f->saves, "changes", string, &err), &err);
    }
    assert_true(f->memory.bytes < 100000);
    assert_int_equal(firn_saves_variable(f->saves, "changes")->length, sizeof text);
    assert_true(firn_saves_variable(f->saves, "stays")->as.number == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(K3_a_variable_is_what_it_was_set_to, make_fixture,
                                        end_fixture),
        cmocka_unit_test_setup_teardown(K3_a_variable_is_a_copy_of_any_value, make_fixture,
                                        end_fixture),
        cmocka_unit_test_setup_teardown(K3_nil_removes_a_variable, make_fixture, end_fixture),
        cmocka_unit_test_setup_teardown(a_variable_without_a_name_is_refused, make_fixture,
                                        end_fixture),
        cmocka_unit_test_setup_teardown(a_variable_above_a_limit_of_saves_changes_nothing,
                                        make_fixture, end_fixture),
        cmocka_unit_test_setup_teardown(
            K3_a_variable_that_is_set_again_and_again_does_not_fill_the_memory, make_fixture,
            end_fixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
