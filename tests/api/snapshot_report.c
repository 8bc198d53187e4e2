// What a load tells: the component table, and what it left out or changed.
#include "api/snapshot_zoo.h"

#include <string.h>

// The zoo's own, and Name, Disabled and Paused.
#define ZOO_SAVED (ZOO_KINDS + 3)

static const firn_saved_component *saved_named(const firn_prelude *prelude, const char *name)
{
    for (uint32_t i = 0; i < prelude->component_count; i++)
        if (strcmp(prelude->components[i].name, name) == 0)
            return &prelude->components[i];
    fail_msg("%s is not in the component table", name);
    return NULL;
}

static void T15_a_report_has_the_component_table_of_the_save(void **state)
{
    (void)state;
    firn_error err;
    firn_load_report report;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    assert_ok(firn_snapshot_load(z.world, image.data, image.size, NULL, &report, &err), &err);
    assert_int_equal(report.prelude.component_count, ZOO_SAVED);
    assert_string_equal(saved_named(&report.prelude, "zoo.Point")->fingerprint,
                        "x:float,y:float|8");
    assert_string_equal(saved_named(&report.prelude, "zoo.Title")->fingerprint, "");
    assert_int_equal(report.notice_count, 0);
    firn_load_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void F7_a_report_outlives_the_world_and_the_image(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_error err;
    firn_load_report report;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    firn_world *world = zoo_empty(&memory);
    firn_load_options options = {.skip_unknown = true};
    assert_ok(firn_snapshot_load(world, image.data, image.size, &options, &report, &err), &err);
    memset(image.data, 0xff, image.size);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    assert_int_equal(report.unknown, ZOO_KINDS);
    assert_int_equal(report.notice_count, ZOO_KINDS);
    for (uint32_t i = 0; i < report.notice_count; i++) {
        assert_int_equal(report.notices[i].kind, FIRN_NOTICE_UNKNOWN);
        assert_memory_equal(report.notices[i].component, "zoo.", 4);
        assert_string_equal(report.notices[i].field, "");
    }
    assert_true(memory.blocks > 0);
    firn_load_report_free(&report);
    assert_null(report.notices);
    assert_int_equal(report.unknown, ZOO_KINDS);
    assert_no_leak(&memory);
    firn_load_report_free(&report); // once more is no matter
    firn_world_destroy(z.world);
}

static void a_report_of_what_is_no_image_says_nothing(void **state)
{
    (void)state;
    firn_error err;
    firn_load_report report;
    firn_world *world = zoo_empty(NULL);
    assert_int_equal(firn_snapshot_load(world, "nothing", 7, NULL, &report, &err), FIRN_NOT_OURS);
    assert_null(report.notices);
    assert_null(report.prelude.components);
    assert_int_equal(report.notice_count, 0);
    assert_false(report.committed);
    firn_load_report_free(&report);
    firn_world_destroy(world);
}

static void a_check_of_an_image_gives_no_component_table(void **state)
{
    (void)state;
    firn_error err;
    firn_prelude prelude;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    assert_ok(firn_image_check(image.data, image.size, NULL, &prelude, &err), &err);
    assert_int_equal(prelude.component_count, ZOO_SAVED);
    assert_null(prelude.components);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

// ---- what callbacks see of it

static firn_result keep_prelude(void *user, firn_world *world, const firn_prelude *prelude,
                                firn_error *err)
{
    firn_prelude *kept = user;
    (void)world, (void)err;
    *kept = *prelude;
    assert_string_equal(prelude->components[0].name, "Disabled");
    ((firn_prelude *)prelude)->component_count = 0; // has no effect
    return FIRN_OK;
}

static void T15_a_finish_gets_a_copy_of_the_prelude(void **state)
{
    (void)state;
    firn_error err;
    firn_load_report report;
    firn_prelude kept = {0};
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    firn_handler handler = {
        .abi = FIRN_ABI, .name = "keeper", .finish = keep_prelude, .user = &kept};
    assert_ok(firn_handler_add(z.world, &handler, &err), &err);
    assert_ok(firn_snapshot_load(z.world, image.data, image.size, NULL, &report, &err), &err);
    assert_int_equal(report.prelude.component_count, ZOO_SAVED);
    assert_memory_equal(&kept, &report.prelude, sizeof kept);
    firn_load_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T15_a_report_has_the_component_table_of_the_save),
        cmocka_unit_test(F7_a_report_outlives_the_world_and_the_image),
        cmocka_unit_test(a_report_of_what_is_no_image_says_nothing),
        cmocka_unit_test(a_check_of_an_image_gives_no_component_table),
        cmocka_unit_test(T15_a_finish_gets_a_copy_of_the_prelude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
