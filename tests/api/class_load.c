// Entity classes: what a load checks of them, and restore.
#include "api/game_world.h"

#include <stdio.h>
#include <string.h>

// A world with classes whose callbacks write down what they see.
typedef struct den {
    firn_world *world;
    firn_component mood;
    firn_class wolf, sheep;
    game_log log;
    const char *fails; // the class whose restore fails
    firn_entity ends;  // what restore despawns
} den;

static firn_result create_one(void *user, firn_world *world, firn_entity entity, firn_error *err)
{
    den *d = user;
    (void)entity, (void)err;
    game_note(&d->log, "create");
    (void)world;
    return FIRN_OK;
}

static firn_result restore_one(void *user, firn_world *world, firn_entity entity, firn_error *err)
{
    den *d = user;
    char word[64];
    const char *name = firn_class_name(world, firn_class_of(world, entity));
    const double *mood = firn_get(world, entity, d->mood);
    assert_non_null(mood);
    snprintf(word, sizeof word, "%s %.0f", name, *mood);
    game_note(&d->log, word);
    firn_buffer out = {0};
    assert_int_equal(firn_snapshot_save(world, NULL, &out, NULL), FIRN_BUSY);
    if (d->ends != 0 && firn_alive(world, d->ends))
        assert_ok(firn_despawn(world, d->ends, err), err);
    if (d->fails != NULL && strcmp(name, d->fails) == 0) {
        snprintf(err->message, sizeof err->message, "cannot come back");
        err->code = FIRN_REFUSED;
        return FIRN_REFUSED;
    }
    return FIRN_OK;
}

static firn_class add_class(den *d, firn_world *world, const char *name, double mood)
{
    firn_error err;
    const void *rows[] = {&mood};
    firn_class_desc desc = {.name = name,
                            .components = &d->mood,
                            .component_count = 1,
                            .rows = rows,
                            .create = create_one,
                            .restore = restore_one,
                            .user = d};
    firn_class made = firn_class_register(world, &desc, &err);
    if (made == 0)
        fail_msg("no class: %s", err.message);
    return made;
}

// `classes`: 0 to 2 of them.
static void make_den(den *d, test_allocator *memory, int classes)
{
    *d = (den){.world = zoo_empty(memory)};
    d->mood = zoo_register(d->world, &(firn_component_desc){.name = "Mood", .kind = FIRN_NUMBER});
    d->sheep = classes > 0 ? add_class(d, d->world, "Sheep", 1) : 0;
    d->wolf = classes > 1 ? add_class(d, d->world, "Wolf", 2) : 0;
}

static firn_entity spawn_class(firn_world *world, firn_class which)
{
    firn_error err;
    firn_entity entity = firn_class_spawn(world, which, &err);
    if (entity == 0)
        fail_msg("not spawned: %s", err.message);
    return entity;
}

// A save of two sheep, a wolf between them, and an entity of no class.
static firn_buffer save_herd(firn_entity *wolf)
{
    den d;
    make_den(&d, NULL, 2);
    firn_error err;
    spawn_class(d.world, d.sheep);
    *wolf = spawn_class(d.world, d.wolf);
    firn_entity last = spawn_class(d.world, d.sheep);
    double mood = 7;
    assert_ok(firn_set(d.world, last, d.mood, &mood, &err), &err);
    zoo_spawn_one(d.world, d.mood);
    firn_buffer image = zoo_save(d.world);
    firn_world_destroy(d.world);
    return image;
}

// ---------------------------------------------------------------- what a load refuses

static void expect_unknown(firn_result result, const firn_error *err, firn_entity wolf)
{
    assert_int_equal(result, FIRN_UNKNOWN);
    assert_error(err, FIRN_UNKNOWN, "Wolf");
    assert_string_equal(err->subject, "Wolf");
    assert_int_equal(err->entity, wolf);
}

static void S8_a_class_that_is_not_registered_fails_every_load_by_name(void **state)
{
    (void)state;
    firn_error err;
    firn_entity wolf;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_buffer image = save_herd(&wolf);
    den d;
    make_den(&d, &memory, 1);
    zoo_spawn_one(d.world, d.mood);
    firn_buffer before = zoo_save(d.world);
    firn_load_report report;
    firn_merge_report merged;
    firn_load_options lenient = {.skip_unknown = true};
    expect_unknown(firn_snapshot_load(d.world, image.data, image.size, &lenient, &report, &err),
                   &err, wolf);
    assert_false(report.committed);
    firn_load_report_free(&report);
    expect_unknown(firn_snapshot_check(d.world, image.data, image.size, NULL, NULL, &err), &err,
                   wolf);
    expect_unknown(firn_snapshot_merge(d.world, image.data, image.size, NULL, &merged, &err), &err,
                   wolf);
    assert_false(merged.load.committed);
    firn_merge_report_free(&merged);
    assert_null(firn_world_build_from(d.world, image.data, image.size, NULL, NULL, &err));
    expect_unknown(FIRN_UNKNOWN, &err, wolf);
    assert_log(&d.log, "");
    assert_saves_as(d.world, &before);
    firn_buffer_free(&before);
    firn_buffer_free(&image);
    firn_world_destroy(d.world);
    assert_no_leak(&memory);
}

static void S8_the_table_form_is_refused_in_the_same_way(void **state)
{
    (void)state;
    firn_error err;
    den rich, d;
    make_den(&rich, NULL, 2);
    firn_entity wolf = spawn_class(rich.world, rich.wolf);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table;
    assert_ok(firn_snapshot_save_table(rich.world, NULL, doc, &table, &err), &err);
    make_den(&d, NULL, 1);
    firn_buffer before = zoo_save(d.world);
    expect_unknown(firn_snapshot_load_table(d.world, table, NULL, NULL, &err), &err, wolf);
    expect_unknown(firn_snapshot_check_table(d.world, table, NULL, NULL, &err), &err, wolf);
    expect_unknown(firn_snapshot_merge_table(d.world, table, NULL, NULL, &err), &err, wolf);
    assert_saves_as(d.world, &before);
    add_class(&d, d.world, "Wolf", 3);
    assert_ok(firn_snapshot_load_table(d.world, table, NULL, NULL, &err), &err);
    assert_log(&d.log, "Wolf 2;"); // the saved row, not that of the class
    firn_buffer_free(&before);
    firn_doc_destroy(doc);
    firn_world_destroy(rich.world);
    firn_world_destroy(d.world);
}

static void expect_missing(firn_world *world, const firn_buffer *image, const char *name)
{
    firn_error err;
    assert_int_equal(firn_snapshot_load(world, image->data, image->size, NULL, NULL, &err),
                     FIRN_UNKNOWN);
    assert_string_equal(err.subject, name);
    assert_int_equal(firn_snapshot_check(world, image->data, image->size, NULL, NULL, &err),
                     FIRN_UNKNOWN);
    assert_string_equal(err.subject, name);
}

static void S8_T6_a_component_or_a_state_that_is_not_registered_fails_a_load_by_name(void **state)
{
    (void)state;
    firn_error err;
    den d;
    make_den(&d, NULL, 1);
    firn_state play = firn_state_create(d.world, &(firn_state_desc){.name = "play"}, &err);
    assert_ok(firn_state_push(d.world, play, &err), &err);
    spawn_class(d.world, d.sheep);
    firn_buffer image = zoo_save(d.world);
    // No state.
    den other;
    make_den(&other, NULL, 1);
    firn_buffer before = zoo_save(other.world);
    expect_missing(other.world, &image, "play");
    assert_saves_as(other.world, &before);
    firn_buffer_free(&before);
    // No component.
    firn_world *bare = zoo_empty(NULL);
    before = zoo_save(bare);
    firn_state_create(bare, &(firn_state_desc){.name = "play"}, &err);
    firn_class_register(bare, &(firn_class_desc){.name = "Sheep"}, &err);
    expect_missing(bare, &image, "Mood");
    assert_saves_as(bare, &before);
    // No class at all: it is the component Class that is missing.
    zoo_register(bare, &(firn_component_desc){.name = "Mood", .kind = FIRN_NUMBER});
    firn_world *classless = zoo_empty(NULL);
    zoo_register(classless, &(firn_component_desc){.name = "Mood", .kind = FIRN_NUMBER});
    firn_state_create(classless, &(firn_state_desc){.name = "play"}, &err);
    expect_missing(classless, &image, "Class");
    assert_ok(firn_snapshot_load(bare, image.data, image.size, NULL, NULL, &err), &err);
    firn_buffer_free(&before);
    firn_buffer_free(&image);
    firn_world_destroy(classless);
    firn_world_destroy(bare);
    firn_world_destroy(other.world);
    firn_world_destroy(d.world);
}

static void S8_an_empty_class_is_none(void **state)
{
    (void)state;
    firn_error err;
    den d;
    make_den(&d, NULL, 1);
    firn_entity entity = zoo_spawn_one(d.world, firn_class_component(d.world));
    assert_int_equal(firn_class_of(d.world, entity), 0);
    firn_buffer image = zoo_save(d.world);
    assert_ok(firn_snapshot_load(d.world, image.data, image.size, NULL, NULL, &err), &err);
    assert_log(&d.log, "");
    firn_buffer_free(&image);
    firn_world_destroy(d.world);
}

// ---------------------------------------------------------------- restore

static firn_result note_handler(void *user, firn_world *world, firn_reader *in, firn_error *err)
{
    (void)world, (void)err;
    if (in != NULL)
        (void)firn_read_number(in);
    game_note(user, "handler");
    return FIRN_OK;
}

static firn_result save_handler(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)user, (void)world, (void)err;
    firn_write_number(out, 1);
    return FIRN_OK;
}

static firn_result finish_handler(void *user, firn_world *world, const firn_prelude *prelude,
                                  firn_error *err)
{
    (void)world, (void)prelude, (void)err;
    game_note(user, "finish");
    return FIRN_OK;
}

static firn_result note_data(void *user, firn_world *world, const char *key, const void *encoded,
                             size_t size, firn_error *err)
{
    (void)world, (void)encoded, (void)size, (void)err;
    game_note(user, key);
    return FIRN_OK;
}

static firn_result note_event(void *user, firn_world *world, const firn_event *event,
                              firn_error *err)
{
    (void)world, (void)err;
    game_note(user, event->name);
    return FIRN_OK;
}

static void S8_restore_runs_for_what_a_load_brings_and_create_does_not(void **state)
{
    (void)state;
    firn_error err;
    den d;
    make_den(&d, NULL, 2);
    firn_handler handler = {.abi = FIRN_ABI,
                            .name = "h",
                            .save = save_handler,
                            .load = note_handler,
                            .finish = finish_handler,
                            .user = &d.log};
    assert_ok(firn_handler_add(d.world, &handler, &err), &err);
    static const char *const names[] = {"OnSpawn", "OnSet", "StartSnapshotLoad",
                                        "FinishSnapshotLoad"};
    spawn_class(d.world, d.sheep);
    spawn_class(d.world, d.wolf);
    for (int i = 0; i < 4; i++)
        firn_observe(
            d.world,
            &(firn_observer_desc){.event = names[i], .observe = note_event, .user = &d.log}, &err);
    assert_log(&d.log, "create;create;");
    firn_data data = {.key = "mod", .encoded = "\x02", .encoded_size = 1};
    firn_buffer image =
        zoo_save_with(d.world, &(firn_save_options){.data = &data, .data_count = 1});
    firn_load_options options = {.on_data = note_data, .user = &d.log};
    assert_ok(firn_snapshot_load(d.world, image.data, image.size, &options, NULL, &err), &err);
    assert_log(&d.log, "StartSnapshotLoad;handler;Sheep 1;Wolf 2;mod;h;finish;FinishSnapshotLoad;");
    firn_buffer_free(&image);
    firn_world_destroy(d.world);
}

static void S8_a_restore_that_fails_is_returned_when_all_have_run(void **state)
{
    (void)state;
    firn_error err;
    firn_entity wolf;
    firn_load_report report;
    firn_buffer image = save_herd(&wolf);
    den d;
    make_den(&d, NULL, 2);
    d.fails = "Wolf";
    assert_int_equal(firn_snapshot_load(d.world, image.data, image.size, NULL, &report, &err),
                     FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "Wolf");
    assert_int_equal(err.entity, wolf);
    assert_string_equal(err.message, "class Wolf: cannot come back");
    assert_true(report.committed);
    firn_load_report_free(&report);
    assert_log(&d.log, "Sheep 1;Wolf 2;Sheep 7;");
    assert_saves_as(d.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(d.world);
}

static void S8_restore_is_not_called_for_what_another_one_ended(void **state)
{
    (void)state;
    firn_error err;
    firn_entity wolf;
    firn_buffer image = save_herd(&wolf);
    den d;
    make_den(&d, NULL, 2);
    d.ends = wolf;
    assert_ok(firn_snapshot_load(d.world, image.data, image.size, NULL, NULL, &err), &err);
    assert_log(&d.log, "Sheep 1;Sheep 7;");
    assert_int_equal(firn_entity_count(d.world), 3);
    firn_buffer_free(&image);
    firn_world_destroy(d.world);
}

static void S8_a_merge_restores_what_it_brings_under_its_new_ids(void **state)
{
    (void)state;
    firn_error err;
    firn_entity wolf;
    firn_merge_report report;
    firn_buffer image = save_herd(&wolf);
    den d;
    make_den(&d, NULL, 2);
    spawn_class(d.world, d.wolf);
    spawn_class(d.world, d.wolf);
    assert_log(&d.log, "create;create;");
    assert_ok(firn_snapshot_merge(d.world, image.data, image.size, NULL, &report, &err), &err);
    assert_log(&d.log, "Sheep 1;Wolf 2;Sheep 7;");
    assert_int_not_equal(firn_merge_find(&report, wolf), wolf);
    assert_int_equal(firn_class_of(d.world, firn_merge_find(&report, wolf)), d.wolf);
    firn_merge_report_free(&report);
    d.fails = "Wolf";
    assert_int_equal(firn_snapshot_merge(d.world, image.data, image.size, NULL, &report, &err),
                     FIRN_REFUSED);
    assert_true(report.load.committed);
    assert_int_equal(err.entity, firn_merge_find(&report, wolf));
    assert_log(&d.log, "Sheep 1;Wolf 2;Sheep 7;");
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(d.world);
}

static void S9_a_replacement_has_the_classes_of_its_original(void **state)
{
    (void)state;
    firn_error err;
    firn_entity wolf;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_buffer image = save_herd(&wolf);
    den d;
    make_den(&d, &memory, 2);
    firn_world *world = firn_world_build_from(d.world, image.data, image.size, NULL, NULL, &err);
    assert_non_null(world);
    assert_log(&d.log, "Sheep 1;Wolf 2;Sheep 7;");
    firn_world_destroy(d.world);
    assert_int_equal(firn_class_find(world, "Wolf"), d.wolf);
    assert_int_equal(firn_class_of(world, wolf), d.wolf);
    firn_entity entity = spawn_class(world, d.sheep);
    assert_true(*(const double *)firn_get(world, entity, d.mood) == 1);
    assert_log(&d.log, "create;");
    assert_int_equal(firn_class_register(world, &(firn_class_desc){.name = "Wolf"}, &err), 0);
    assert_error(&err, FIRN_EXISTS, "Wolf");
    firn_world_destroy(world);
    firn_buffer_free(&image);
    assert_no_leak(&memory);
}

// A plugin whose install registers a class does so for a replacement as well.
typedef struct pack {
    firn_class last;
    uint32_t restored;
    firn_world *world;
} pack;

static firn_result restore_pack(void *user, firn_world *world, firn_entity entity, firn_error *err)
{
    pack *p = user;
    (void)entity, (void)err;
    p->restored++;
    p->world = world;
    return FIRN_OK;
}

static firn_result install_pack(void *user, firn_world *world, firn_error *err)
{
    pack *p = user;
    p->last = firn_class_register(
        world, &(firn_class_desc){.name = "Dog", .restore = restore_pack, .user = p}, err);
    return p->last == 0 ? err->code : FIRN_OK;
}

static void S9_a_class_that_a_plugin_installs_keeps_its_handle(void **state)
{
    (void)state;
    firn_error err;
    pack p = {.last = 0};
    firn_world *original = zoo_empty(NULL);
    firn_plugin plugin = {.abi = FIRN_ABI, .name = "pack", .install = install_pack, .user = &p};
    assert_ok(firn_plugin_add(original, &plugin, &err), &err);
    firn_class dog = p.last;
    spawn_class(original, dog);
    firn_buffer image = zoo_save(original);
    firn_world *world = firn_world_build_from(original, image.data, image.size, NULL, NULL, &err);
    assert_non_null(world);
    assert_int_equal(p.last, dog);
    assert_int_equal(p.restored, 1);
    assert_ptr_equal(p.world, world);
    firn_world_destroy(world);
    firn_world_destroy(original);
    firn_buffer_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S8_a_class_that_is_not_registered_fails_every_load_by_name),
        cmocka_unit_test(S8_the_table_form_is_refused_in_the_same_way),
        cmocka_unit_test(S8_T6_a_component_or_a_state_that_is_not_registered_fails_a_load_by_name),
        cmocka_unit_test(S8_an_empty_class_is_none),
        cmocka_unit_test(S8_restore_runs_for_what_a_load_brings_and_create_does_not),
        cmocka_unit_test(S8_a_restore_that_fails_is_returned_when_all_have_run),
        cmocka_unit_test(S8_restore_is_not_called_for_what_another_one_ended),
        cmocka_unit_test(S8_a_merge_restores_what_it_brings_under_its_new_ids),
        cmocka_unit_test(S9_a_replacement_has_the_classes_of_its_original),
        cmocka_unit_test(S9_a_class_that_a_plugin_installs_keeps_its_handle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
