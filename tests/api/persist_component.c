// The components of persisted saves: which entities are saved, and how much of each.
#include "api/snapshot_zoo.h"

#include <stdio.h>
#include <string.h>

typedef struct fixture {
    test_allocator memory;
    zoo z;
    firn_component persist;
    firn_entity entity;
} fixture;

static int make_fixture(void **state)
{
    static fixture f;
    f = (fixture){.entity = 0};
    test_allocator_init(&f.memory);
    f.z = zoo_make(&f.memory, false);
    f.persist = firn_persist_register(f.z.world, NULL);
    f.entity = zoo_spawn_one(f.z.world, f.z.of[ZOO_BODY]);
    *state = &f;
    return f.persist == 0;
}

static int end_fixture(void **state)
{
    fixture *f = *state;
    firn_world_destroy(f->z.world);
    assert_no_leak(&f->memory);
    return 0;
}

static firn_result set_fields(const fixture *f, const char *fields, firn_error *err)
{
    firn_persist row = {.mode = FIRN_PERSIST_FIELDS};
    strcpy(row.fields, fields);
    return firn_persist_set(f->z.world, f->entity, &row, err);
}

static void refuse_fields(const fixture *f, const char *fields, const char *subject)
{
    firn_error err;
    assert_int_equal(set_fields(f, fields, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, subject);
    assert_true(err.entity == f->entity);
    assert_false(firn_has(f->z.world, f->entity, f->persist));
}

static void K1_a_zeroed_row_is_the_defaults(void **state)
{
    fixture *f = *state;
    firn_error err;
    const firn_persist row = {.mode = 0};
    assert_int_equal(FIRN_PERSIST_ALL, 0);
    assert_ok(firn_persist_set(f->z.world, f->entity, &row, &err), &err);
    assert_ok(firn_persist_check(f->z.world, f->entity, &err), &err);
    const firn_persist *set = firn_get(f->z.world, f->entity, f->persist);
    assert_memory_equal(set, &row, sizeof row);
}

static void K1_an_entity_without_an_id_is_called_by_its_entity_id(void **state)
{
    fixture *f = *state;
    firn_error err;
    char key[FIRN_PERSIST_KEY_SIZE], expected[FIRN_PERSIST_KEY_SIZE];
    firn_persist row = {.mode = 0};
    firn_persist_key(f->z.world, f->entity, key);
    assert_string_equal(key, "");
    assert_ok(firn_persist_set(f->z.world, f->entity, &row, &err), &err);
    firn_persist_key(f->z.world, f->entity, key);
    snprintf(expected, sizeof expected, "#%llu", (unsigned long long)f->entity);
    assert_string_equal(key, expected);
    strcpy(row.id, "player");
    assert_ok(firn_persist_set(f->z.world, f->entity, &row, &err), &err);
    firn_persist_key(f->z.world, f->entity, key);
    assert_string_equal(key, "player");
}

static void K1_fields_are_components_and_fields_of_them(void **state)
{
    fixture *f = *state;
    firn_error err;
    assert_ok(
        set_fields(f,
                   "zoo.Body.mass  zoo.Body.home zoo.Body.home.x zoo.Body.path zoo.Title zoo.Tag ",
                   &err),
        &err);
    assert_ok(firn_persist_check(f->z.world, f->entity, &err), &err);
}

static void K1_a_field_that_does_not_exist_is_refused_by_name(void **state)
{
    fixture *f = *state;
    refuse_fields(f, "zoo.Title zoo.Body.weight", "zoo.Body.weight");
    refuse_fields(f, "zoo.Body.hom", "zoo.Body.hom");
    refuse_fields(f, "zoo.Body.", "zoo.Body.");
    refuse_fields(f, "zoo.Title.x", "zoo.Title.x");
}

static void K1_a_transient_component_and_a_relation_cannot_be_saved_by_field(void **state)
{
    fixture *f = *state;
    const firn_component_desc glow = {.name = "Glow", .kind = FIRN_NUMBER, .transient = true};
    zoo_register(f->z.world, &glow);
    refuse_fields(f, "Glow", "Glow");
    refuse_fields(f, "ChildOf", "ChildOf");
}

static void K1_a_component_that_is_not_known_yet_is_found_missing_by_the_save(void **state)
{
    fixture *f = *state;
    firn_error err;
    assert_ok(set_fields(f, "zoo.Body Later.x", &err), &err);
    assert_int_equal(firn_persist_check(f->z.world, f->entity, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Later.x");
    assert_true(err.entity == f->entity);
    const firn_field x = {.name = "x", .type = FIRN_F32};
    const firn_component_desc later = zoo_struct("Later", sizeof(float), &x, 1);
    zoo_register(f->z.world, &later);
    assert_ok(firn_persist_check(f->z.world, f->entity, &err), &err);
}

static void K1_a_transient_component_is_found_by_the_save_when_it_was_not_known(void **state)
{
    fixture *f = *state;
    firn_error err;
    const firn_saves_desc desc = {.game = "room", .kind = FIRN_SAVES_PERSISTED};
    firn_saves *saves = firn_saves_open(f->z.world, &desc, &err);
    firn_buffer file = {0};
    assert_ok(set_fields(f, "zoo.Body Glow", &err), &err);
    const firn_component_desc glow = {.name = "Glow", .kind = FIRN_NUMBER, .transient = true};
    zoo_register(f->z.world, &glow);
    assert_int_equal(firn_saves_make(saves, NULL, &file, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Glow");
    assert_true(err.entity == f->entity && file.size == 0);
    firn_buffer_free(&file);
    firn_saves_close(saves);
}

static void K1_the_longest_name_of_a_component_wins(void **state)
{
    fixture *f = *state;
    firn_error err;
    const firn_field x = {.name = "x", .type = FIRN_F32};
    const firn_component_desc dotted = zoo_struct("zoo.Body.weight", sizeof(float), &x, 1);
    zoo_register(f->z.world, &dotted);
    assert_ok(set_fields(f, "zoo.Body.weight zoo.Body.weight.x zoo.Body.mass", &err), &err);
}

static void K1_texts_without_an_end_or_that_are_none_are_refused(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_persist row = {.mode = 0};
    memset(row.id, 'x', sizeof row.id);
    assert_int_equal(firn_persist_set(f->z.world, f->entity, &row, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "id");
    assert_ok(firn_set(f->z.world, f->entity, f->persist, &row, &err), &err);
    char key[FIRN_PERSIST_KEY_SIZE] = "old";
    firn_persist_key(f->z.world, f->entity, key);
    assert_string_equal(key, "");
    assert_int_equal(firn_persist_check(f->z.world, f->entity, &err), FIRN_INVALID);
    row = (firn_persist){.id = "\xff"};
    assert_int_equal(firn_persist_set(f->z.world, f->entity, &row, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "id");
    row = (firn_persist){.id = "#12"};
    assert_int_equal(firn_persist_set(f->z.world, f->entity, &row, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "id");
    row = (firn_persist){.mode = 0};
    memset(row.fields, ' ', sizeof row.fields);
    assert_int_equal(firn_persist_set(f->z.world, f->entity, &row, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "fields");
}

static void K1_a_mode_that_is_none_is_refused(void **state)
{
    fixture *f = *state;
    firn_error err;
    const firn_persist row = {.mode = FIRN_PERSIST_VARS + 1};
    assert_int_equal(firn_persist_set(f->z.world, f->entity, &row, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "mode");
    assert_false(firn_has(f->z.world, f->entity, f->persist));
}

static void K1_a_spawned_entity_is_saved_whole_or_refused(void **state)
{
    fixture *f = *state;
    firn_error err;
    for (uint8_t mode = FIRN_PERSIST_FIELDS; mode <= FIRN_PERSIST_VARS; mode++) {
        const firn_persist row = {.mode = mode, .spawned = true};
        assert_int_equal(firn_persist_set(f->z.world, f->entity, &row, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "spawned");
        assert_int_equal(err.entity, f->entity);
    }
}

static void K1_strings_that_are_unique_cannot_be_saved_by_field(void **state)
{
    fixture *f = *state;
    firn_error err;
    firn_persist row = {.mode = FIRN_PERSIST_FIELDS};
    strcpy(row.fields, firn_component_name(f->z.world, firn_key(f->z.world)));
    assert_int_equal(firn_persist_set(f->z.world, f->entity, &row, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, row.fields);
}

static void K1_rows_come_back_from_a_whole_world(void **state)
{
    fixture *f = *state;
    firn_error err;
    const firn_persist row = {.id = "door",
                              .fields = "zoo.Body.mass",
                              .mode = FIRN_PERSIST_ALL,
                              .no_vars = true,
                              .spawned = true};
    assert_ok(firn_persist_set(f->z.world, f->entity, &row, &err), &err);
    firn_buffer image = zoo_save(f->z.world);
    assert_ok(firn_remove(f->z.world, f->entity, &f->persist, 1, &err), &err);
    zoo_load(f->z.world, &image);
    assert_memory_equal(firn_get(f->z.world, f->entity, f->persist), &row, sizeof row);
    firn_buffer_free(&image);
}

static void registering_again_does_nothing(void **state)
{
    fixture *f = *state;
    firn_error err;
    uint32_t count = firn_component_count(f->z.world);
    assert_true(firn_persist_register(f->z.world, &err) == f->persist);
    assert_int_equal(firn_component_count(f->z.world), count);
    assert_true(firn_persist_component(f->z.world) == f->persist);
    assert_string_equal(firn_component_name(f->z.world, firn_vars_component(f->z.world)), "Vars");
    assert_string_equal(firn_component_name(f->z.world, firn_carry_component(f->z.world)), "Carry");
}

static void another_component_of_the_name_is_told_before_anything_is_registered(void **state)
{
    (void)state;
    firn_error err;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_world *world = zoo_empty(&memory);
    const firn_component_desc desc = {.name = "persist", .kind = FIRN_NUMBER};
    firn_component own = zoo_register(world, &desc);
    uint32_t count = firn_component_count(world);
    assert_true(firn_persist_register(world, &err) == 0);
    assert_error(&err, FIRN_EXISTS, "persist");
    assert_int_equal(firn_component_count(world), count);
    assert_true(firn_persist_component(world) == 0);
    assert_true(firn_vars_component(world) == 0);
    assert_true(firn_carry_component(world) == 0);
    firn_entity entity = zoo_spawn_one(world, own);
    const firn_persist row = {.mode = 0};
    assert_int_equal(firn_persist_set(world, entity, &row, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_persist_check(world, entity, &err), FIRN_NOT_FOUND);
    firn_world_destroy(world);
    assert_no_leak(&memory);
}

static void wrong_arguments_are_told(void **state)
{
    fixture *f = *state;
    firn_error err;
    const firn_persist row = {.mode = 0};
    assert_true(firn_persist_register(NULL, &err) == 0);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_persist_set(NULL, f->entity, &row, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_persist_set(f->z.world, f->entity, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "row");
    assert_int_equal(firn_persist_check(NULL, f->entity, &err), FIRN_INVALID);
    assert_int_equal(firn_persist_check(f->z.world, f->entity, &err), FIRN_NOT_FOUND);
    assert_int_equal(firn_persist_set(f->z.world, 99999, &row, &err), FIRN_NOT_FOUND);
    assert_true(firn_persist_component(NULL) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(K1_a_zeroed_row_is_the_defaults, make_fixture, end_fixture),
        cmocka_unit_test_setup_teardown(K1_an_entity_without_an_id_is_called_by_its_entity_id,
                                        make_fixture, end_fixture),
        cmocka_unit_test_setup_teardown(K1_fields_are_components_and_fields_of_them, make_fixture,
                                        end_fixture),
        cmocka_unit_test_setup_teardown(K1_a_field_that_does_not_exist_is_refused_by_name,
                                        make_fixture, end_fixture),
        cmocka_unit_test_setup_teardown(
            K1_a_transient_component_and_a_relation_cannot_be_saved_by_field, make_fixture,
            end_fixture),
        cmocka_unit_test_setup_teardown(
            K1_a_component_that_is_not_known_yet_is_found_missing_by_the_save, make_fixture,
            end_fixture),
        cmocka_unit_test_setup_teardown(
            K1_a_transient_component_is_found_by_the_save_when_it_was_not_known, make_fixture,
            end_fixture),
        cmocka_unit_test_setup_teardown(K1_the_longest_name_of_a_component_wins, make_fixture,
                                        end_fixture),
        cmocka_unit_test_setup_teardown(K1_texts_without_an_end_or_that_are_none_are_refused,
                                        make_fixture, end_fixture),
        cmocka_unit_test_setup_teardown(K1_a_mode_that_is_none_is_refused, make_fixture,
                                        end_fixture),
        cmocka_unit_test_setup_teardown(K1_a_spawned_entity_is_saved_whole_or_refused, make_fixture,
                                        end_fixture),
        cmocka_unit_test_setup_teardown(K1_strings_that_are_unique_cannot_be_saved_by_field,
                                        make_fixture, end_fixture),
        cmocka_unit_test_setup_teardown(K1_rows_come_back_from_a_whole_world, make_fixture,
                                        end_fixture),
        cmocka_unit_test_setup_teardown(registering_again_does_nothing, make_fixture, end_fixture),
        cmocka_unit_test(another_component_of_the_name_is_told_before_anything_is_registered),
        cmocka_unit_test_setup_teardown(wrong_arguments_are_told, make_fixture, end_fixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
