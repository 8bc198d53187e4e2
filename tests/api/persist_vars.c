// Variables of entities.
#include "api/snapshot_zoo.h"

typedef struct fixture {
    test_allocator memory;
    zoo z;
    firn_entity entity;
    firn_doc *doc;
} fixture;

static int make_fixture(void **state)
{
    static fixture f;
    test_allocator_init(&f.memory);
    f.z = zoo_make(&f.memory, false);
    f.entity = zoo_spawn_one(f.z.world, f.z.of[ZOO_POINT]);
    f.doc = firn_doc_create(NULL, NULL, NULL);
    *state = &f;
    return f.doc == NULL || firn_persist_register(f.z.world, NULL) == 0;
}

static int end_fixture(void **state)
{
    fixture *f = *state;
    firn_world_destroy(f->z.world);
    firn_doc_destroy(f->doc);
    assert_no_leak(&f->memory);
    return 0;
}

static void set_number(const fixture *f, const char *name, double number)
{
    firn_error err;
    const firn_value value = {.kind = FIRN_VALUE_NUMBER, .as.number = number};
    assert_ok(firn_vars_set(f->z.world, f->entity, name, &value, &err), &err);
}

static double number_of(const fixture *f, const char *name)
{
    const firn_value *value = firn_vars_get(f->z.world, f->entity, name, f->doc, NULL);
    return value == NULL ? -1 : value->as.number;
}

static void a_variable_is_what_it_was_set_to(void **state)
{
    fixture *f = *state;
    set_number(f, "keys", 3);
    set_number(f, "mood", 0.1);
    set_number(f, "keys", 4);
    assert_true(number_of(f, "keys") == 4);
    assert_true(number_of(f, "mood") == 0.1);
}

static void a_variable_is_any_value(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_value *table = firn_value_table(f->doc, NULL);
    assert_ok(firn_table_set_text(f->doc, table, "name", firn_value_text(f->doc, "Bo", NULL), &err),
              &err);
    assert_ok(firn_vars_set(f->z.world, f->entity, "friend", table, &err), &err);
    const firn_value *got = firn_vars_get(f->z.world, f->entity, "friend", f->doc, &err);
    assert_non_null(got);
    assert_memory_equal(firn_table_get_text(got, "name")->as.string, "Bo", 2);
}

static void a_variable_that_is_not_there_is_not_found(void **state)
{
    fixture *f = *state;
    firn_error err;
    assert_null(firn_vars_get(f->z.world, f->entity, "keys", f->doc, &err));
    assert_error(&err, FIRN_NOT_FOUND, "keys");
    set_number(f, "keys", 1);
    assert_null(firn_vars_get(f->z.world, f->entity, "key", f->doc, &err));
    assert_error(&err, FIRN_NOT_FOUND, "key");
    assert_true(err.entity == f->entity);
}

static void nil_removes_a_variable(void **state)
{
    fixture *f = *state;
    firn_error err;
    assert_ok(firn_vars_set(f->z.world, f->entity, "keys", NULL, &err), &err);
    assert_false(firn_has(f->z.world, f->entity, firn_vars_component(f->z.world)));
    set_number(f, "keys", 1);
    set_number(f, "mood", 2);
    assert_ok(firn_vars_set(f->z.world, f->entity, "keys", NULL, &err), &err);
    assert_true(number_of(f, "keys") == -1);
    assert_true(number_of(f, "mood") == 2);
}

// What the game set itself may be no map by name.
static void keys_that_are_no_names_are_passed_over(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_component vars = firn_vars_component(f->z.world);
    firn_value *table = firn_value_table(f->doc, NULL);
    for (int i = 1; i <= 2; i++) {
        const firn_value key = {.kind = FIRN_VALUE_NUMBER, .as.number = i};
        assert_ok(firn_table_set(f->doc, table, &key, &key, &err), &err);
    }
    const firn_value half = {.kind = FIRN_VALUE_NUMBER, .as.number = 0.5};
    assert_ok(firn_table_set(f->doc, table, &half, &half, &err), &err);
    assert_ok(firn_set_value(f->z.world, f->entity, vars, table, &err), &err);
    set_number(f, "keys", 7);
    assert_true(number_of(f, "keys") == 7);
    assert_ok(firn_set_value(f->z.world, f->entity, vars, &half, &err), &err);
    assert_null(firn_vars_get(f->z.world, f->entity, "keys", f->doc, &err));
    assert_int_equal(firn_vars_set(f->z.world, f->entity, "keys", &half, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Vars");
    assert_true(err.entity == f->entity);
}

static void the_first_variable_waits_for_the_end_of_a_loop(void **state)
{
    fixture *f = *state;
    firn_error err;
    const firn_value one = {.kind = FIRN_VALUE_NUMBER, .as.number = 1};
    const firn_term term = {.component = f->z.of[ZOO_POINT]};
    const firn_query_desc desc = {.terms = &term, .term_count = 1};
    firn_query query = firn_query_create(f->z.world, &desc, &err);
    firn_iter it;
    firn_iter_begin(f->z.world, query, &it);
    assert_true(firn_iter_next(&it));
    assert_int_equal(firn_vars_set(f->z.world, f->entity, "keys", &one, &err), FIRN_BUSY);
    assert_ok(firn_iter_end(&it, &err), &err);
    set_number(f, "keys", 5);
    firn_iter_begin(f->z.world, query, &it);
    assert_ok(firn_vars_set(f->z.world, f->entity, "keys", &one, &err), &err);
    assert_true(number_of(f, "keys") == 1);
    assert_ok(firn_iter_end(&it, &err), &err);
}

static void K1_variables_are_saved_with_their_entity(void **state)
{
    fixture *f = *state;
    set_number(f, "keys", 0.1);
    firn_buffer image = zoo_save(f->z.world);
    set_number(f, "keys", 9);
    set_number(f, "more", 9);
    zoo_load(f->z.world, &image);
    assert_true(number_of(f, "keys") == 0.1);
    assert_true(number_of(f, "more") == -1);
    firn_buffer_free(&image);
}

static void wrong_arguments_are_told(void **state)
{
    fixture *f = *state;
    firn_error err;
    const firn_value one = {.kind = FIRN_VALUE_NUMBER, .as.number = 1};
    assert_int_equal(firn_vars_set(NULL, f->entity, "keys", &one, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_vars_set(f->z.world, f->entity, "", &one, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "name");
    assert_null(firn_vars_get(f->z.world, f->entity, NULL, f->doc, &err));
    assert_error(&err, FIRN_INVALID, "name");
    assert_int_equal(firn_vars_set(f->z.world, 99999, "keys", &one, &err), FIRN_NOT_FOUND);
    firn_world *world = zoo_empty(NULL);
    assert_int_equal(firn_vars_set(world, 1, "keys", &one, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "Vars");
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_variable_is_what_it_was_set_to, make_fixture,
                                        end_fixture),
        cmocka_unit_test_setup_teardown(a_variable_is_any_value, make_fixture, end_fixture),
        cmocka_unit_test_setup_teardown(a_variable_that_is_not_there_is_not_found, make_fixture,
                                        end_fixture),
        cmocka_unit_test_setup_teardown(nil_removes_a_variable, make_fixture, end_fixture),
        cmocka_unit_test_setup_teardown(keys_that_are_no_names_are_passed_over, make_fixture,
                                        end_fixture),
        cmocka_unit_test_setup_teardown(the_first_variable_waits_for_the_end_of_a_loop,
                                        make_fixture, end_fixture),
        cmocka_unit_test_setup_teardown(K1_variables_are_saved_with_their_entity, make_fixture,
                                        end_fixture),
        cmocka_unit_test_setup_teardown(wrong_arguments_are_told, make_fixture, end_fixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
