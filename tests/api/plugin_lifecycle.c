// Handlers while a world is saved and loaded.
#include "api/plugin_keeper.h"
#include "plugin/registry.h"

#include <string.h>

// A filled zoo with the keepers north (1), south (2) and east (nothing).
typedef struct scene {
    zoo z;
    keeper_log log;
    keeper keepers[3];
} scene;

static void scene_make(scene *s)
{
    *s = (scene){.z = zoo_make(NULL, false)};
    static const char *const names[] = {"north", "south", "east"};
    for (int i = 0; i < 3; i++) {
        s->keepers[i] = (keeper){.name = names[i], .log = &s->log, .result = FIRN_REFUSED};
        keeper_add(&s->keepers[i], s->z.world);
    }
    s->keepers[0].number = 1;
    s->keepers[1].number = 2;
    zoo_fill(&s->z);
}

static void scene_free(scene *s)
{
    firn_world_destroy(s->z.world);
    for (int i = 0; i < 3; i++)
        assert_int_equal(s->keepers[i].held, 0);
}

static firn_buffer scene_save(scene *s)
{
    firn_buffer image = zoo_save(s->z.world);
    s->log.text[0] = 0;
    return image;
}

static firn_result scene_load(scene *s, const firn_buffer *image, firn_load_report *report,
                              firn_error *err)
{
    s->log.text[0] = 0;
    return firn_snapshot_load(s->z.world, image->data, image->size, NULL, report, err);
}

// A load that fails before the commit: the world and its next save are as before.
static void expect_refused_load(scene *s, const firn_buffer *image, firn_result result,
                                const char *subject, const char *log)
{
    firn_error err;
    firn_load_report report;
    firn_buffer before = scene_save(s);
    firn_hash hash = zoo_hash(s->z.world);
    assert_int_equal(scene_load(s, image, &report, &err), result);
    firn_load_report_free(&report);
    assert_error(&err, result, subject);
    assert_false(report.committed);
    assert_string_equal(s->log.text, log);
    firn_hash after = zoo_hash(s->z.world);
    assert_memory_equal(&hash, &after, sizeof hash);
    assert_saves_as(s->z.world, &before);
    for (int i = 0; i < 3; i++)
        assert_int_equal(s->keepers[i].held, 0);
    firn_buffer_free(&before);
}

// ---- order

static void T18_handlers_run_in_the_order_of_their_registration(void **state)
{
    (void)state;
    firn_error err;
    scene s;
    scene_make(&s);
    firn_buffer image = zoo_save(s.z.world);
    assert_string_equal(s.log.text, "north:save;south:save;east:save;");
    s.keepers[0].number = 7;
    s.keepers[2].number = 8;
    assert_ok(scene_load(&s, &image, NULL, &err), &err);
    assert_string_equal(s.log.text, "north:check;south:check;east:check nothing;"
                                    "north:commit;south:commit;east:commit;"
                                    "north:load 1;south:load 2;"
                                    "north:finish;south:finish;east:finish;");
    assert_true(s.keepers[0].number == 1);
    assert_true(s.keepers[2].number == 0);
    assert_saves_as(s.z.world, &image);
    firn_buffer_free(&image);
    scene_free(&s);
}

static void T18_a_handler_that_writes_nil_or_nothing_has_no_entry(void **state)
{
    (void)state;
    firn_error err;
    scene s;
    scene_make(&s);
    firn_buffer image = zoo_save(s.z.world);
    const void *encoded;
    size_t size;
    assert_ok(firn_image_data(image.data, image.size, "south", NULL, &encoded, &size, &err), &err);
    assert_int_equal(size, 9);
    assert_int_equal(firn_image_data(image.data, image.size, "east", NULL, &encoded, &size, &err),
                     FIRN_NOT_FOUND);
    firn_buffer_free(&image);
    scene_free(&s);
}

static void T18_entries_of_handlers_stand_behind_custom_data_in_their_order(void **state)
{
    (void)state;
    scene s;
    scene_make(&s);
    firn_data data = {.key = "zebra", .encoded = "\x02", .encoded_size = 1};
    firn_buffer image =
        zoo_save_with(s.z.world, &(firn_save_options){.data = &data, .data_count = 1});
    static const char tail[] = "\x02\x25zebra\x02"
                               "\x02\x25north\x07\0\0\0\0\0\0\xf0\x3f"
                               "\x02\x25south\x07\0\0\0\0\0\0\0\x40\x01";
    size_t size = sizeof tail - 1;
    assert_memory_equal(image.data + image.size - size, tail, size);
    firn_buffer_free(&image);
    scene_free(&s);
}

// An entry that is there twice, as other writers do, is loaded each time; the last one is checked.
static void T18_a_handler_loads_each_entry_of_a_key_that_a_file_repeats(void **state)
{
    (void)state;
    firn_error err;
    scene s;
    scene_make(&s);
    firn_buffer image = scene_save(&s);
    image.size--; // the end of the data section
    assert_ok(firn_buffer_append(&image, "\x02\x25north\x07\0\0\0\0\0\0\x08\x40\x01", 17, &err),
              &err);
    assert_ok(scene_load(&s, &image, NULL, &err), &err);
    assert_non_null(strstr(s.log.text, "north:load 1;north:load 3;south:load 2;"));
    assert_true(s.keepers[0].number == 3);
    firn_buffer_free(&image);
    scene_free(&s);
}

// ---- before the commit

static void N12_a_check_that_refuses_leaves_the_world_as_it_was(void **state)
{
    (void)state;
    scene s;
    scene_make(&s);
    firn_buffer image = scene_save(&s);
    zoo_litter(&s.z);
    s.keepers[2].fails = "check nothing";
    expect_refused_load(&s, &image, FIRN_REFUSED, "east",
                        "north:check;south:check;east:check nothing;south:discard;north:discard;");
    s.keepers[2].fails = NULL;
    s.keepers[0].fails = "check";
    s.keepers[0].result = FIRN_CORRUPT;
    s.keepers[0].silent = true;
    expect_refused_load(&s, &image, FIRN_CORRUPT, "north", "north:check;");
    firn_buffer_free(&image);
    scene_free(&s);
}

static void N12_an_entry_of_another_kind_than_a_check_reads_is_refused(void **state)
{
    (void)state;
    firn_error err;
    scene s;
    scene_make(&s);
    firn_buffer image = scene_save(&s);
    image.size--;
    uint64_t offset = image.size + 7;
    assert_ok(firn_buffer_append(&image, "\x02\x25south\x02\x01", 9, &err), &err);
    expect_refused_load(&s, &image, FIRN_CORRUPT, "south",
                        "north:check;south:check;south:discard;north:discard;");
    assert_int_equal(scene_load(&s, &image, NULL, &err), FIRN_CORRUPT);
    assert_int_equal(err.offset, offset);
    firn_buffer_free(&image);
    scene_free(&s);
}

static void N12_handlers_do_not_hear_of_an_image_that_is_wrong(void **state)
{
    (void)state;
    scene s;
    scene_make(&s);
    firn_buffer image = scene_save(&s);
    image.size--;
    expect_refused_load(&s, &image, FIRN_TRUNCATED, "", "");
    firn_buffer_free(&image);
    scene_free(&s);
}

// What a handler tries inside the first half of a load.
static firn_result change_inside(void *user, firn_world *world, firn_reader *in, void **prepared,
                                 firn_error *err)
{
    firn_error why;
    firn_buffer out = {0};
    uint32_t *tries = user;
    (void)in, (void)prepared, (void)err;
    assert_int_equal(firn_spawn(world, NULL, 0, &why), 0);
    assert_error(&why, FIRN_BUSY, "game.test");
    assert_int_equal(firn_snapshot_save(world, NULL, &out, &why), FIRN_BUSY);
    assert_int_equal(firn_snapshot_load(world, "", 0, NULL, NULL, &why), FIRN_BUSY);
    assert_int_equal(firn_handler_remove(world, "game.test", &why), FIRN_BUSY);
    ++*tries;
    return FIRN_OK;
}

static firn_result save_inside(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)out;
    return change_inside(user, world, NULL, NULL, err);
}

static void commit_inside(void *user, firn_world *world, void *prepared)
{
    (void)prepared;
    (void)change_inside(user, world, NULL, NULL, NULL);
}

static void N4_the_world_is_locked_in_the_first_half_of_a_handler(void **state)
{
    (void)state;
    firn_error err;
    uint32_t tries = 0;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_handler handler = {.abi = FIRN_ABI,
                            .name = "game.test",
                            .save = save_inside,
                            .check = change_inside,
                            .commit = commit_inside,
                            .user = &tries};
    assert_ok(firn_handler_add(z.world, &handler, &err), &err);
    firn_buffer image = zoo_save(z.world);
    assert_int_equal(tries, 1);
    zoo_load(z.world, &image);
    assert_int_equal(tries, 3);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

// ---- after the commit

static void N12_a_load_or_finish_that_fails_leaves_the_loaded_world_and_all_run(void **state)
{
    (void)state;
    firn_error err;
    firn_load_report report;
    scene s;
    scene_make(&s);
    firn_buffer image = scene_save(&s);
    s.keepers[0].fails = "finish";
    s.keepers[1].fails = "load";
    s.keepers[1].result = FIRN_IO;
    zoo_litter(&s.z);
    assert_int_equal(scene_load(&s, &image, &report, &err), FIRN_IO);
    firn_load_report_free(&report);
    assert_error(&err, FIRN_IO, "south");
    assert_non_null(strstr(err.message, "load says no"));
    assert_true(report.committed);
    assert_non_null(
        strstr(s.log.text, "north:load 1;south:load 2;north:finish;south:finish;east:finish;"));
    assert_saves_as(s.z.world, &image);
    s.keepers[1].fails = NULL;
    assert_int_equal(scene_load(&s, &image, &report, &err), FIRN_REFUSED);
    firn_load_report_free(&report);
    assert_error(&err, FIRN_REFUSED, "north");
    assert_true(report.committed);
    firn_buffer_free(&image);
    scene_free(&s);
}

static void N12_a_load_that_overlooks_a_failed_read_fails(void **state)
{
    (void)state;
    firn_error err;
    firn_load_report report;
    scene s;
    scene_make(&s);
    firn_buffer image = scene_save(&s);
    firn_world *world = zoo_make(NULL, false).world;
    firn_handler handler = keeper_handler(&s.keepers[0]);
    handler.check = NULL;
    handler.commit = NULL;
    handler.discard = NULL;
    assert_ok(firn_handler_add(world, &handler, &err), &err);
    image.size--;
    assert_ok(firn_buffer_append(&image, "\x02\x25north\x02\x01", 9, &err), &err);
    assert_int_equal(firn_snapshot_load(world, image.data, image.size, NULL, &report, &err),
                     FIRN_CORRUPT);
    firn_load_report_free(&report);
    assert_error(&err, FIRN_CORRUPT, "north");
    assert_true(report.committed);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    scene_free(&s);
}

// Leaves a change that waits: the loop ended without memory.
typedef struct stager {
    test_allocator *memory;
    firn_query query;
} stager;

static firn_result stage_a_spawn(void *user, firn_world *world, const firn_prelude *prelude,
                                 firn_error *err)
{
    stager *s = user;
    firn_error why;
    firn_iter it;
    (void)prelude, (void)err;
    firn_iter_begin(world, s->query, &it);
    assert_true(firn_iter_next(&it));
    firn_component name = firn_name(world);
    assert_int_not_equal(firn_spawn(world, &name, 1, &why), 0);
    test_allocator_fail_at(s->memory, 1, true);
    assert_int_equal(firn_iter_end(&it, &why), FIRN_NO_MEMORY);
    test_allocator_fail_at(s->memory, 0, false);
    return FIRN_OK;
}

static void N11_changes_that_a_callback_staged_are_made_before_the_load_returns(void **state)
{
    (void)state;
    firn_error err;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_world *world = zoo_empty(&memory);
    zoo_spawn(world, NULL, 0);
    stager s = {&memory, firn_query_create(world, &(firn_query_desc){.name = "all"}, &err)};
    firn_handler handler = {
        .abi = FIRN_ABI, .name = "game.stager", .finish = stage_a_spawn, .user = &s};
    assert_ok(firn_handler_add(world, &handler, &err), &err);
    firn_buffer image = zoo_save(world);
    zoo_load(world, &image);
    assert_int_equal(firn_pending(world), 0);
    assert_int_equal(firn_entity_count(world), 2);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    assert_no_leak(&memory);
}

static firn_result leave_a_loop_open(void *user, firn_world *world, const firn_prelude *prelude,
                                     firn_error *err)
{
    static firn_iter it;
    stager *s = user;
    (void)prelude, (void)err;
    firn_iter_begin(world, s->query, &it);
    assert_true(firn_iter_next(&it));
    zoo_spawn(world, NULL, 0);
    return FIRN_OK;
}

static void N11_a_loop_that_a_callback_left_open_is_named_and_ends(void **state)
{
    (void)state;
    firn_error err;
    firn_load_report report;
    firn_world *world = zoo_empty(NULL);
    zoo_spawn(world, NULL, 0);
    stager s = {NULL, firn_query_create(world, &(firn_query_desc){.name = "all"}, &err)};
    firn_handler handler = {
        .abi = FIRN_ABI, .name = "game.looper", .finish = leave_a_loop_open, .user = &s};
    assert_ok(firn_handler_add(world, &handler, &err), &err);
    firn_buffer image = zoo_save(world);
    assert_int_equal(firn_snapshot_load(world, image.data, image.size, NULL, &report, &err),
                     FIRN_BUSY);
    firn_load_report_free(&report);
    assert_error(&err, FIRN_BUSY, "all");
    assert_true(report.committed);
    assert_int_equal(firn_pending(world), 0);
    assert_int_equal(firn_entity_count(world), 2);
    assert_ok(firn_query_destroy(world, s.query, &err), &err);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

// ---- saves that fail

static void expect_failed_save(scene *s, const firn_save_options *options, firn_result result,
                               const char *subject, const char *words)
{
    firn_error err;
    firn_buffer out = {0};
    assert_int_equal(firn_snapshot_save(s->z.world, options, &out, &err), result);
    assert_error(&err, result, subject);
    assert_non_null(strstr(err.message, words));
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
}

static void T18_a_save_that_fails_leaves_the_output_empty_and_the_world_as_it_was(void **state)
{
    (void)state;
    scene s;
    scene_make(&s);
    firn_buffer image = scene_save(&s);
    s.keepers[1].fails = "save";
    expect_failed_save(&s, NULL, FIRN_REFUSED, "south", "handler south: save says no");
    assert_string_equal(s.log.text, "north:save;south:save;");
    s.keepers[1].silent = true;
    expect_failed_save(&s, NULL, FIRN_REFUSED, "south", "handler south: a callback refused");
    s.keepers[1].fails = NULL;
    assert_saves_as(s.z.world, &image);
    firn_buffer_free(&image);
    scene_free(&s);
}

static firn_result save_two(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)user, (void)world, (void)err;
    firn_write_nil(out);
    firn_write_nil(out);
    return FIRN_OK;
}

static firn_result save_half(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)user, (void)world, (void)err;
    firn_write_table(out, 1, 0);
    return FIRN_OK;
}

static void T18_a_handler_writes_at_most_one_whole_value(void **state)
{
    (void)state;
    firn_error err;
    firn_handler handlers[] = {{.abi = FIRN_ABI, .name = "two", .save = save_two},
                               {.abi = FIRN_ABI, .name = "half", .save = save_half}};
    for (int i = 0; i < 2; i++) {
        scene s;
        scene_make(&s);
        assert_ok(firn_handler_add(s.z.world, &handlers[i], &err), &err);
        expect_failed_save(&s, NULL, FIRN_INVALID, handlers[i].name,
                           i == 0 ? "wrote 2 values" : "");
        scene_free(&s);
    }
}

static void T8_custom_data_under_the_key_of_a_handler_that_saves_is_there_twice(void **state)
{
    (void)state;
    scene s;
    scene_make(&s);
    firn_data data = {.key = "south", .encoded = "\x02", .encoded_size = 1};
    firn_save_options options = {.data = &data, .data_count = 1};
    expect_failed_save(&s, &options, FIRN_INVALID, "south", "twice");
    data.key = "east"; // which saves nothing now
    firn_buffer image = zoo_save_with(s.z.world, &options);
    firn_buffer_free(&image);
    scene_free(&s);
}

static void T8_entries_of_handlers_count_towards_the_limit_of_keys(void **state)
{
    (void)state;
    firn_error err;
    keeper_log log = {""};
    keeper k = {.name = "north", .log = &log, .number = 1};
    firn_world *world =
        firn_world_create(&(firn_world_desc){.limits = &(firn_limits){.data_keys = 1}}, &err);
    keeper_add(&k, world);
    firn_data data = {.key = "k", .encoded = "\x02", .encoded_size = 1};
    firn_save_options options = {.data = &data, .data_count = 1};
    firn_buffer out = {0};
    assert_int_equal(firn_snapshot_save(world, &options, &out, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "north");
    assert_ok(firn_snapshot_save(world, NULL, &out, &err), &err);
    zoo_load(world, &out);
    firn_buffer_free(&out);
    firn_world_destroy(world);
}

// ---- built-in ones

static void the_entry_of_a_built_in_handler_comes_first_and_is_hashed(void **state)
{
    (void)state;
    firn_error err;
    scene s;
    scene_make(&s);
    firn_hash without = zoo_hash(s.z.world);
    keeper k = {.name = "__tecs.test", .log = &s.log, .number = 1};
    firn_handler handler = keeper_handler(&k);
    assert_ok(fr_handler_add(s.z.world, &handler, true, &err), &err);
    s.log.text[0] = 0;
    firn_hash with = zoo_hash(s.z.world);
    assert_string_equal(s.log.text, "__tecs.test:save;");
    assert_int_not_equal(with.world, without.world);
    assert_int_equal(with.ids, without.ids);
    firn_buffer image = scene_save(&s);
    firn_hash of_image;
    assert_ok(firn_image_hash(image.data, image.size, NULL, &of_image, NULL, NULL, &err), &err);
    assert_memory_equal(&with, &of_image, sizeof with);
    assert_ok(scene_load(&s, &image, NULL, &err), &err);
    assert_non_null(strstr(s.log.text, "__tecs.test:check;north:check;"));
    assert_int_equal(k.held, 0);
    firn_buffer_free(&image);
    scene_free(&s);
}

static bool keeper_rests(const void *user)
{
    const keeper *k = user;
    return k->number == 0;
}

static void a_built_in_handler_is_not_asked_to_save_while_it_rests(void **state)
{
    (void)state;
    firn_error err;
    scene s;
    scene_make(&s);
    firn_hash without = zoo_hash(s.z.world);
    keeper k = {.name = "__tecs.test", .log = &s.log};
    firn_handler handler = keeper_handler(&k);
    assert_ok(fr_handler_add_resting(s.z.world, &handler, keeper_rests, NULL, &err), &err);
    s.log.text[0] = 0;
    firn_hash resting = zoo_hash(s.z.world);
    assert_string_equal(s.log.text, "");
    assert_memory_equal(&resting, &without, sizeof without);
    k.number = 1;
    firn_hash with = zoo_hash(s.z.world);
    assert_string_equal(s.log.text, "__tecs.test:save;");
    assert_int_not_equal(with.world, without.world);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T18_handlers_run_in_the_order_of_their_registration),
        cmocka_unit_test(T18_a_handler_that_writes_nil_or_nothing_has_no_entry),
        cmocka_unit_test(T18_entries_of_handlers_stand_behind_custom_data_in_their_order),
        cmocka_unit_test(T18_a_handler_loads_each_entry_of_a_key_that_a_file_repeats),
        cmocka_unit_test(N12_a_check_that_refuses_leaves_the_world_as_it_was),
        cmocka_unit_test(N12_an_entry_of_another_kind_than_a_check_reads_is_refused),
        cmocka_unit_test(N12_handlers_do_not_hear_of_an_image_that_is_wrong),
        cmocka_unit_test(N4_the_world_is_locked_in_the_first_half_of_a_handler),
        cmocka_unit_test(N12_a_load_or_finish_that_fails_leaves_the_loaded_world_and_all_run),
        cmocka_unit_test(N12_a_load_that_overlooks_a_failed_read_fails),
        cmocka_unit_test(N11_changes_that_a_callback_staged_are_made_before_the_load_returns),
        cmocka_unit_test(N11_a_loop_that_a_callback_left_open_is_named_and_ends),
        cmocka_unit_test(T18_a_save_that_fails_leaves_the_output_empty_and_the_world_as_it_was),
        cmocka_unit_test(T18_a_handler_writes_at_most_one_whole_value),
        cmocka_unit_test(T8_custom_data_under_the_key_of_a_handler_that_saves_is_there_twice),
        cmocka_unit_test(T8_entries_of_handlers_count_towards_the_limit_of_keys),
        cmocka_unit_test(the_entry_of_a_built_in_handler_comes_first_and_is_hashed),
        cmocka_unit_test(a_built_in_handler_is_not_asked_to_save_while_it_rests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
