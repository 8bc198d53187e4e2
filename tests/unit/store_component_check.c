// Whether a world would take a component, asked before it is registered: nothing changes.
#include "unit/store_fixture.h"

#include "firn/snapshot.h"

// What the check says, and that nothing changed.
static firn_result check(fixture *f, const firn_component_desc *desc, bool *adopts, firn_error *err)
{
    firn_buffer before = {0};
    fixture_print(f->world, &before);
    uint64_t blocks = f->memory.blocks;
    uint32_t count = firn_component_count(f->world);
    *adopts = true;
    firn_result result = fr_world_check_component(f->world, desc, adopts, err);
    assert_int_equal(firn_component_count(f->world), count);
    assert_int_equal(f->memory.blocks, blocks);
    assert_world_is(f->world, &before);
    firn_buffer_free(&before);
    return result;
}

// Checks and registers: both say the same.
static void both_refuse(fixture *f, const firn_component_desc *desc, firn_result result,
                        const char *subject)
{
    firn_error err;
    bool adopts;
    assert_int_equal(check(f, desc, &adopts, &err), result);
    assert_error(&err, result, subject);
    firn_error of_register;
    assert_int_equal(firn_component_register(f->world, desc, &of_register), 0);
    assert_int_equal(of_register.code, result);
    assert_string_equal(of_register.subject, err.subject);
    assert_string_equal(of_register.message, err.message);
}

static void a_component_that_would_be_registered_passes(void **state)
{
    fixture *f = *state;
    firn_component required[] = {f->tag, f->number};
    firn_component_desc desc = {
        .name = "New", .kind = FIRN_NUMBER, .required = required, .required_count = 2};
    firn_error err;
    bool adopts;
    for (int i = 0; i < 2; i++) { // a new one, and then one that is there
        assert_ok(check(f, &desc, &adopts, &err), &err);
        assert_false(adopts);
        assert_int_not_equal(firn_component_register(f->world, &desc, &err), 0);
    }
}

static void what_a_registration_refuses_the_check_refuses_too(void **state)
{
    fixture *f = *state;
    firn_component wrong[] = {f->tag, 5};
    both_refuse(f, &(firn_component_desc){.name = "", .kind = FIRN_NUMBER}, FIRN_INVALID, "");
    both_refuse(f, &(firn_component_desc){.name = "Number", .kind = FIRN_BOOLEAN}, FIRN_EXISTS,
                "Number");
    both_refuse(f,
                &(firn_component_desc){
                    .name = "New", .kind = FIRN_TAG, .required = wrong, .required_count = 2},
                FIRN_INVALID, "required");
    both_refuse(f, &(firn_component_desc){.name = "New", .kind = (firn_component_kind)99},
                FIRN_INVALID, "New");
}

// Loads into the world of the fixture what another one has saved of "Later", a number.
static void keep_later(fixture *f)
{
    firn_error err;
    firn_world *other = fixture_world(f);
    firn_component later = firn_component_register(
        other, &(firn_component_desc){.name = "Later", .kind = FIRN_NUMBER}, &err);
    assert_int_not_equal(firn_spawn(other, &later, 1, &err), 0);
    firn_buffer image = {0};
    assert_ok(firn_snapshot_save(other, NULL, &image, &err), &err);
    firn_load_options options = {.keep_unknown = true};
    assert_ok(firn_snapshot_load(f->world, image.data, image.size, &options, NULL, &err), &err);
    firn_buffer_free(&image);
    firn_world_destroy(other);
}

static void F7_rows_that_are_kept_are_told_and_stay_kept(void **state)
{
    fixture *f = *state;
    keep_later(f);
    firn_error err;
    bool adopts;
    firn_component_desc desc = {.name = "Later", .kind = FIRN_NUMBER};
    assert_ok(check(f, &desc, &adopts, &err), &err);
    assert_true(adopts);
    const char *former[] = {"Later", NULL};
    firn_component_desc renamed = {.name = "New", .kind = FIRN_NUMBER, .former_names = former};
    assert_ok(check(f, &renamed, &adopts, &err), &err);
    assert_true(adopts);
    assert_ok(check(f, &(firn_component_desc){.name = "Other", .kind = FIRN_TAG}, &adopts, &err),
              &err);
    assert_false(adopts);
    firn_component later = firn_component_register(f->world, &desc, &err);
    assert_true(firn_has(f->world, 1, later));
}

static void F7_rows_that_are_kept_cannot_be_adopted_inside_a_loop(void **state)
{
    fixture *f = *state;
    keep_later(f);
    firn_error err;
    firn_query query = firn_query_create(f->world, &(firn_query_desc){.name = "all"}, &err);
    firn_iter it;
    firn_iter_begin(f->world, query, &it);
    assert_true(firn_iter_next(&it));
    both_refuse(f, &(firn_component_desc){.name = "Later", .kind = FIRN_NUMBER}, FIRN_BUSY, "");
    bool adopts;
    assert_ok(check(f, &(firn_component_desc){.name = "New", .kind = FIRN_TAG}, &adopts, &err),
              &err);
    assert_ok(firn_iter_end(&it, &err), &err);
}

#define CHECK_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(a_component_that_would_be_registered_passes),
        CHECK_TEST(what_a_registration_refuses_the_check_refuses_too),
        CHECK_TEST(F7_rows_that_are_kept_are_told_and_stay_kept),
        CHECK_TEST(F7_rows_that_are_kept_cannot_be_adopted_inside_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
