// firn_snapshot_merge of what is not registered, of tables, and of unique strings.
#include "api/snapshot_zoo.h"

#include <stdio.h>
#include <string.h>

static firn_buffer zoo_image(void)
{
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_data data = {.key = "mod.a", .encoded = "\x02", .encoded_size = 1};
    firn_buffer image =
        zoo_save_with(z.world, &(firn_save_options){.data = &data, .data_count = 1});
    firn_world_destroy(z.world);
    return image;
}

static const firn_merge_options keeping = {.keep_unknown = true};

static firn_merge_report merge(firn_world *world, const firn_buffer *image)
{
    firn_error err;
    firn_merge_report report;
    assert_ok(firn_snapshot_merge(world, image->data, image->size, &keeping, &report, &err), &err);
    assert_true(report.load.committed);
    return report;
}

static void merge_only(firn_world *world, const firn_buffer *image)
{
    firn_merge_report report = merge(world, image);
    firn_merge_report_free(&report);
}

static firn_error refuse_merge(firn_world *world, const firn_buffer *image, firn_result result)
{
    firn_error err;
    firn_merge_report report;
    firn_buffer before = zoo_save(world);
    assert_int_equal(firn_snapshot_merge(world, image->data, image->size, &keeping, &report, &err),
                     result);
    assert_false(report.load.committed);
    firn_merge_report_free(&report);
    assert_saves_as(world, &before);
    firn_buffer_free(&before);
    return err;
}

static void register_zoo(firn_world *world, firn_component of[ZOO_KINDS])
{
    for (uint32_t i = 0; i < ZOO_KINDS; i++) {
        firn_component_desc desc = zoo_desc((zoo_kind)i);
        of[i] = zoo_register(world, &desc);
    }
}

static firn_buffer image_of_one(const firn_component_desc *desc, const char *text)
{
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_component component = zoo_register(world, desc);
    firn_entity entity = zoo_spawn_one(world, component);
    if (text != NULL)
        assert_ok(firn_set_text(world, entity, component, text, &err), &err);
    firn_buffer image = zoo_save(world);
    firn_world_destroy(world);
    return image;
}

// ---- kept

static void F7_F8_unknown_components_of_the_image_are_kept_on_the_new_entities(void **state)
{
    (void)state;
    firn_buffer image = zoo_image();
    zoo known = zoo_make(NULL, false);
    firn_world *world = zoo_empty(NULL);
    zoo_spawn(known.world, NULL, 0);
    zoo_spawn(world, NULL, 0);
    for (uint32_t times = 0; times < 3; times++) {
        firn_merge_report report = merge(world, &image);
        assert_int_equal(report.load.kept, ZOO_KINDS);
        assert_int_equal(report.load.unknown, 0);
        assert_int_equal(report.load.kept_data, 0);
        zoo_notes notes = zoo_take_notes(&report.load);
        firn_merge_report_free(&report);
        assert_note(&notes, FIRN_NOTICE_KEPT, "zoo.Tag", "", 2);
        merge_only(known.world, &image);
    }
    firn_buffer kept = zoo_save(world);
    firn_component of[ZOO_KINDS];
    register_zoo(world, of);
    // Ids in fields are as they were saved: only what is registered is seen through.
    zoo fresh = zoo_make(NULL, true);
    zoo_load(fresh.world, &kept);
    assert_saves_as(world, &kept);
    for (firn_entity id = 1; id < 40; id++) {
        assert_int_equal(firn_alive(world, id), firn_alive(known.world, id));
        for (uint32_t i = 0; i < ZOO_KINDS; i++)
            assert_int_equal(firn_has(world, id, of[i]), firn_has(known.world, id, known.of[i]));
    }
    firn_buffer_free(&kept);
    firn_buffer_free(&image);
    firn_world_destroy(known.world);
    firn_world_destroy(fresh.world);
    firn_world_destroy(world);
}

static void F7_F8_what_the_world_keeps_stays_beside_what_a_merge_brings(void **state)
{
    (void)state;
    firn_error err;
    firn_component_desc label = {.name = "Label", .kind = FIRN_STRING};
    firn_buffer zoo_bytes = zoo_image(), one = image_of_one(&label, "here");
    firn_world *world = zoo_empty(NULL);
    firn_load_options options = {.keep_unknown = true};
    assert_ok(firn_snapshot_load(world, zoo_bytes.data, zoo_bytes.size, &options, NULL, &err),
              &err);
    firn_merge_report report = merge(world, &one);
    firn_entity now = report.map[0].entity;
    firn_merge_report_free(&report);
    firn_buffer both = zoo_save(world);
    const void *encoded;
    size_t size;
    assert_ok(firn_image_data(both.data, both.size, "mod.a", NULL, &encoded, &size, &err), &err);
    zoo z = zoo_make(NULL, false);
    firn_component here = zoo_register(z.world, &label);
    zoo_load(z.world, &both);
    assert_memory_equal(firn_get_string(z.world, now, here, &size), "here", 4);
    const zoo_point *point = firn_get(z.world, 1, z.of[ZOO_POINT]);
    assert_true(point != NULL && point->x == 0.25f);
    firn_buffer_free(&zoo_bytes);
    firn_buffer_free(&one);
    firn_buffer_free(&both);
    firn_world_destroy(z.world);
    firn_world_destroy(world);
}

static void F7_F8_what_is_kept_in_another_form_is_refused_while_it_has_rows(void **state)
{
    (void)state;
    firn_error err;
    static const firn_field wide[] = {{.name = "x", .type = FIRN_F64, .offset = 0}};
    const firn_component_desc forms[] = {zoo_struct("Form", sizeof(zoo_point), zoo_point_fields, 2),
                                         zoo_struct("Form", 8, wide, 1),
                                         {.name = "Form", .kind = FIRN_NUMBER}};
    firn_buffer images[FIRN_COUNT(forms)];
    for (uint32_t i = 0; i < FIRN_COUNT(forms); i++)
        images[i] = image_of_one(&forms[i], NULL);
    firn_world *world = zoo_empty(NULL);
    for (uint32_t i = 0; i < FIRN_COUNT(forms); i++) {
        firn_merge_report report = merge(world, &images[i]);
        firn_entity now = report.map[0].entity;
        firn_merge_report_free(&report);
        for (uint32_t k = 0; k < FIRN_COUNT(forms); k++) {
            if (k == i)
                continue;
            err = refuse_merge(world, &images[k], FIRN_INVALID);
            assert_error(&err, FIRN_INVALID, "Form");
        }
        // Without rows it gives way to the next form.
        assert_ok(firn_despawn(world, now, &err), &err);
    }
    merge_only(world, &images[0]);
    firn_buffer now = zoo_save(world);
    assert_ok(firn_image_check(now.data, now.size, NULL, NULL, &err), &err);
    firn_buffer_free(&now);
    for (uint32_t i = 0; i < FIRN_COUNT(forms); i++)
        firn_buffer_free(&images[i]);
    firn_world_destroy(world);
}

static void F7_F8_a_tag_that_has_other_values_elsewhere_is_none(void **state)
{
    (void)state;
    firn_error err;
    firn_component_desc flag = {.name = "Zeal", .kind = FIRN_BOOLEAN};
    firn_component_desc last = {.name = "Last", .kind = FIRN_TAG};
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_component both[] = {zoo_register(source, &flag), zoo_register(source, &last)};
    firn_entity entity = zoo_spawn(source, both, 2);
    bool on = true, off = false;
    assert_ok(firn_set(source, entity, both[0], &on, &err), &err);
    firn_buffer with = zoo_save(source);
    assert_ok(firn_set(source, entity, both[0], &off, &err), &err);
    firn_buffer without = zoo_save(source);
    // In both orders the frame is one that a world which knows it writes.
    for (uint32_t i = 0; i < 2; i++) {
        merge_only(world, i == 0 ? &with : &without);
        merge_only(world, i == 0 ? &without : &with);
        firn_buffer kept = zoo_save(world);
        zoo_load(source, &kept);
        assert_saves_as(source, &kept);
        firn_buffer_free(&kept);
        firn_world_destroy(world);
        world = zoo_empty(NULL);
    }
    firn_buffer_free(&with);
    firn_buffer_free(&without);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

static void F7_F8_targets_of_an_unknown_relation_are_refused(void **state)
{
    (void)state;
    const struct {
        uint32_t bits;
        const char *subject;
    } kinds[] = {{0, "Likes->1"}, {FIRN_SPARSE | FIRN_EXCLUSIVE, "Likes"}, {FIRN_SPARSE, "Likes"}};
    for (uint32_t i = 0; i < FIRN_COUNT(kinds); i++) {
        firn_error err;
        firn_component_desc likes = {
            .name = "Likes", .kind = FIRN_RELATION, .relation = kinds[i].bits};
        firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
        firn_component relation = zoo_register(source, &likes);
        firn_entity entity = zoo_spawn(source, NULL, 0);
        assert_ok(firn_relate(source, entity, relation, entity, NULL, &err), &err);
        firn_buffer image = zoo_save_with(source, &(firn_save_options){.sparse_edges = true});
        err = refuse_merge(world, &image, FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, kinds[i].subject);
        zoo_register(world, &likes);
        merge_only(world, &image);
        firn_buffer_free(&image);
        firn_world_destroy(source);
        firn_world_destroy(world);
    }
}

static void F7_F8_a_merge_does_not_keep_and_skip_both(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_image();
    firn_world *world = zoo_empty(NULL);
    const firn_merge_options both = {.skip_unknown = true, .keep_unknown = true};
    assert_int_equal(firn_snapshot_merge(world, image.data, image.size, &both, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "keep_unknown");
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

// ---- tables

static void F8_a_table_is_merged_as_its_image_is(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = zoo_image();
    zoo z = zoo_make(NULL, false), by_table = zoo_make(NULL, false);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = NULL;
    zoo_load(z.world, &image);
    zoo_load(by_table.world, &image);
    assert_ok(firn_snapshot_save_table(z.world, NULL, doc, &table, &err), &err);
    firn_merge_report report, told;
    assert_ok(firn_snapshot_merge_table(by_table.world, table, NULL, &told, &err), &err);
    report = merge(z.world, &image);
    assert_int_equal(told.count, report.count);
    assert_memory_equal(told.map, report.map, told.count * sizeof *told.map);
    firn_buffer now = zoo_save(z.world);
    assert_saves_as(by_table.world, &now);
    firn_merge_report_free(&told);
    firn_merge_report_free(&report);
    // Without registrations.
    firn_world *world = zoo_empty(NULL);
    assert_int_equal(firn_snapshot_merge_table(world, table, NULL, NULL, &err), FIRN_UNKNOWN);
    assert_ok(firn_snapshot_merge_table(world, table, &keeping, NULL, &err), &err);
    assert_int_equal(firn_entity_count(world), told.count);
    firn_buffer_free(&now);
    firn_buffer_free(&image);
    firn_doc_destroy(doc);
    firn_world_destroy(world);
    firn_world_destroy(z.world);
    firn_world_destroy(by_table.world);
}

static void F8_a_table_that_is_wrong_merges_nothing(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer before = zoo_save(z.world);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = NULL;
    assert_ok(firn_snapshot_save_table(z.world, NULL, doc, &table, &err), &err);
    assert_int_equal(firn_snapshot_merge_table(NULL, table, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_snapshot_merge_table(z.world, NULL, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "table");
    const firn_value *frames = firn_table_get_text(table, "archetypes");
    const firn_value *rows = firn_table_get_text(firn_table_get_number(frames, 2), "entities");
    firn_value *row = (firn_value *)firn_table_get_number(rows, 1);
    const firn_value one = {.kind = FIRN_VALUE_NUMBER, .as.number = 1.5};
    assert_ok(firn_table_set(doc, row, &(firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = 1},
                             &one, &err),
              &err);
    assert_int_equal(firn_snapshot_merge_table(z.world, table, NULL, NULL, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "archetypes[2].entities[1]");
    assert_saves_as(z.world, &before);
    firn_buffer_free(&before);
    firn_doc_destroy(doc);
    firn_world_destroy(z.world);
}

// ---- unique strings

static const firn_component_desc unique_label = {
    .name = "Label", .kind = FIRN_STRING, .unique = true};

static void F8_unique_strings_are_found_and_freed_after_a_merge(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = image_of_one(&unique_label, "a label that is not short");
    firn_world *world = zoo_empty(NULL);
    firn_component label = zoo_register(world, &unique_label);
    firn_merge_report report = merge(world, &image);
    firn_entity merged = report.map[0].entity, other = zoo_spawn(world, NULL, 0);
    firn_merge_report_free(&report);
    err = refuse_merge(world, &image, FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "Label");
    assert_true(err.entity == merged);
    assert_int_equal(firn_set_text(world, other, label, "a label that is not short", &err),
                     FIRN_EXISTS);
    assert_true(err.entity == merged);
    assert_ok(firn_set_text(world, merged, label, "another", &err), &err);
    assert_ok(firn_set_text(world, other, label, "a label that is not short", &err), &err);
    err = refuse_merge(world, &image, FIRN_EXISTS);
    assert_true(err.entity == other);
    assert_ok(firn_despawn(world, other, &err), &err);
    merge_only(world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F8_merged_entities_are_found_by_their_keys(void **state)
{
    (void)state;
    firn_error err;
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_entity ids[20];
    char text[20];
    for (uint32_t i = 0; i < 20; i++) {
        ids[i] = zoo_spawn_one(source, i % 3 == 0 ? firn_paused(source) : firn_key(source));
        snprintf(text, sizeof text, "door %u", i);
        assert_ok(firn_set_text(source, ids[i], firn_key(source), text, &err), &err);
    }
    firn_buffer image = zoo_save(source);
    firn_entity own = zoo_spawn(world, NULL, 0);
    assert_ok(firn_set_text(world, own, firn_key(world), "door", &err), &err);
    firn_merge_report report = merge(world, &image);
    for (uint32_t i = 0; i < 20; i++) {
        int size = snprintf(text, sizeof text, "door %u", i);
        assert_true(firn_find_key(world, text, (size_t)size) == firn_merge_find(&report, ids[i]));
    }
    assert_true(firn_find_key(world, "door", 4) == own);
    assert_ok(firn_despawn(world, firn_merge_find(&report, ids[5]), &err), &err);
    assert_int_equal(firn_find_key(world, "door 5", 6), 0);
    firn_merge_report_free(&report);
    err = refuse_merge(world, &image, FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "Key");
    firn_buffer_free(&image);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

static void F8_strings_that_are_kept_twice_are_found_when_they_become_unique(void **state)
{
    (void)state;
    firn_error err;
    firn_component_desc plain = unique_label;
    plain.unique = false;
    firn_buffer image = image_of_one(&plain, "same");
    firn_world *world = zoo_empty(NULL);
    firn_merge_report report = merge(world, &image);
    firn_entity first = report.map[0].entity;
    firn_merge_report_free(&report);
    report = merge(world, &image);
    firn_entity second = report.map[0].entity;
    firn_merge_report_free(&report);
    firn_buffer before = zoo_save(world);
    assert_int_equal(firn_component_register(world, &unique_label, &err), 0);
    assert_error(&err, FIRN_INVALID, "Label");
    assert_true(err.entity == second);
    assert_non_null(strstr(err.message, "\"same\""));
    assert_saves_as(world, &before);
    assert_ok(firn_despawn(world, first, &err), &err);
    firn_component label = zoo_register(world, &unique_label);
    assert_int_equal(firn_set_text(world, zoo_spawn(world, NULL, 0), label, "same", &err),
                     FIRN_EXISTS);
    assert_true(err.entity == second);
    err = refuse_merge(world, &image, FIRN_EXISTS);
    assert_true(err.entity == second);
    firn_buffer_free(&before);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F7_F8_unknown_components_of_the_image_are_kept_on_the_new_entities),
        cmocka_unit_test(F7_F8_what_the_world_keeps_stays_beside_what_a_merge_brings),
        cmocka_unit_test(F7_F8_what_is_kept_in_another_form_is_refused_while_it_has_rows),
        cmocka_unit_test(F7_F8_a_tag_that_has_other_values_elsewhere_is_none),
        cmocka_unit_test(F7_F8_targets_of_an_unknown_relation_are_refused),
        cmocka_unit_test(F7_F8_a_merge_does_not_keep_and_skip_both),
        cmocka_unit_test(F8_a_table_is_merged_as_its_image_is),
        cmocka_unit_test(F8_a_table_that_is_wrong_merges_nothing),
        cmocka_unit_test(F8_unique_strings_are_found_and_freed_after_a_merge),
        cmocka_unit_test(F8_merged_entities_are_found_by_their_keys),
        cmocka_unit_test(F8_strings_that_are_kept_twice_are_found_when_they_become_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
