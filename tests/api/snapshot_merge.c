// firn_snapshot_merge: the entities of an image, added to a world under new ids.
#include "api/snapshot_zoo.h"

#include <string.h>

typedef struct squad {
    firn_entity leader;
    int32_t size;
    double scouts[3]; // ids, as Lua holds them
    struct {
        firn_entity home, away[2];
    } camps;
} squad;

static const firn_field camp_fields[] = {
    {.name = "home", .type = FIRN_ENTITY, .offset = 0},
    {.name = "away", .type = FIRN_ENTITY, .offset = sizeof(firn_entity), .count = 2},
};
static const firn_field squad_fields[] = {
    FIRN_FIELD(squad, leader, FIRN_ENTITY),
    FIRN_FIELD(squad, size, FIRN_I32),
    FIRN_FIELD_ARRAY(squad, scouts, FIRN_ENTITY_NUMBER, 3),
    {.name = "camps",
     .type = FIRN_NESTED,
     .offset = offsetof(squad, camps),
     .fields = camp_fields,
     .field_count = 2,
     .size = sizeof(((squad *)0)->camps)},
};

static firn_component register_squad(firn_world *world)
{
    firn_component_desc desc = zoo_struct("Squad", sizeof(squad), squad_fields, 4);
    return zoo_register(world, &desc);
}

static firn_component register_text(firn_world *world, const char *name, bool unique)
{
    firn_component_desc desc = {.name = name, .kind = FIRN_STRING, .unique = unique};
    return zoo_register(world, &desc);
}

static firn_merge_report merge(firn_world *world, const firn_buffer *image)
{
    firn_error err;
    firn_merge_report report;
    assert_ok(firn_snapshot_merge(world, image->data, image->size, NULL, &report, &err), &err);
    assert_true(report.load.committed);
    return report;
}

// The merge fails so and changes nothing.
static firn_error refuse_merge(firn_world *world, const firn_buffer *image, firn_result result)
{
    firn_error err;
    firn_merge_report report;
    firn_buffer before = zoo_save(world);
    assert_int_equal(firn_snapshot_merge(world, image->data, image->size, NULL, &report, &err),
                     result);
    assert_false(report.load.committed);
    assert_null(report.map);
    firn_merge_report_free(&report);
    assert_saves_as(world, &before);
    firn_buffer_free(&before);
    return err;
}

static void F8_a_merge_adds_entities_and_leaves_those_that_are_there(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false), other = zoo_make(NULL, true);
    zoo_fill(&z);
    zoo_litter(&other);
    firn_buffer image = zoo_save(z.world);
    firn_entity old = zoo_spawn_one(other.world, other.of[ZOO_POINT]);
    zoo_point point = {3, 4};
    firn_error err;
    assert_ok(firn_set(other.world, old, other.of[ZOO_POINT], &point, &err), &err);
    uint32_t before = firn_entity_count(other.world);
    firn_merge_report report = merge(other.world, &image);
    assert_int_equal(report.count, firn_entity_count(z.world));
    assert_int_equal(firn_entity_count(other.world), before + report.count);
    assert_memory_equal(firn_get(other.world, old, other.of[ZOO_POINT]), &point, sizeof point);
    for (uint32_t i = 0; i < report.count; i++) {
        const firn_merged *merged = &report.map[i];
        assert_true(i == 0 || (merged->saved & FIRN_SLOT_MAX) > (merged[-1].saved & FIRN_SLOT_MAX));
        assert_true(firn_alive(z.world, merged->saved));
        assert_true(firn_alive(other.world, merged->entity));
        assert_true(merged->entity != old);
        assert_true(firn_merge_find(&report, merged->saved) == merged->entity);
        size_t size = 0, other_size = 0;
        const char *text = firn_get_string(z.world, merged->saved, z.of[ZOO_TITLE], &size);
        const char *now =
            firn_get_string(other.world, merged->entity, other.of[ZOO_TITLE], &other_size);
        assert_true((text == NULL) == (now == NULL) && size == other_size);
        assert_true(size == 0 || memcmp(text, now, size) == 0);
    }
    assert_int_equal(firn_merge_find(&report, FIRN_SLOT_MAX), 0);
    assert_int_equal(firn_merge_find(NULL, 1), 0);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(other.world);
}

static void F8_rows_that_are_there_keep_their_order(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    firn_entity ids[5];
    assert_ok(firn_spawn_many(z.world, &z.of[ZOO_SCORE], 1, 5, ids, &err), &err);
    firn_buffer image = zoo_save(z.world);
    firn_merge_report report = merge(z.world, &image);
    firn_term term = {.component = z.of[ZOO_SCORE]};
    firn_query query =
        firn_query_create(z.world, &(firn_query_desc){.terms = &term, .term_count = 1}, &err);
    firn_iter it;
    firn_iter_begin(z.world, query, &it);
    assert_true(firn_iter_next(&it));
    assert_int_equal(it.count, 10);
    assert_memory_equal(it.entities, ids, sizeof ids);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(it.entities[5 + i] == firn_merge_find(&report, ids[i]));
    assert_ok(firn_iter_end(&it, &err), &err);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void F8_new_ids_are_those_that_spawns_would_give(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL), *source = zoo_empty(NULL);
    zoo_spawn(source, NULL, 0);
    zoo_spawn(source, NULL, 0);
    firn_entity first = zoo_spawn(world, NULL, 0);
    zoo_spawn(world, NULL, 0);
    assert_ok(firn_despawn(world, first, &err), &err);
    firn_buffer image = zoo_save(source);
    firn_merge_report report = merge(world, &image);
    assert_int_equal(report.map[0].entity, first + FIRN_SLOT_MAX + 1);
    assert_int_equal(report.map[1].entity, 3);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

static void F8_entity_fields_follow_also_in_arrays_and_nested_structs(void **state)
{
    (void)state;
    firn_error err;
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_component squads = register_squad(source);
    firn_entity ids[3];
    assert_ok(firn_spawn_many(source, &squads, 1, 3, ids, &err), &err);
    squad row = {.leader = ids[2],
                 .size = 7,
                 .scouts = {(double)ids[0], 0, (double)ids[1]},
                 .camps = {ids[1], {0, ids[0]}}};
    assert_ok(firn_set(source, ids[0], squads, &row, &err), &err);
    firn_buffer image = zoo_save(source);
    firn_component here = register_squad(world);
    zoo_spawn_one(world, here);
    firn_merge_report report = merge(world, &image);
    firn_entity now[3];
    for (uint32_t i = 0; i < 3; i++)
        now[i] = firn_merge_find(&report, ids[i]);
    const squad *merged = firn_get(world, now[0], here);
    assert_true(merged->leader == now[2] && merged->size == 7);
    assert_true(merged->scouts[0] == (double)now[0] && merged->scouts[1] == 0);
    assert_true(merged->scouts[2] == (double)now[1] && merged->camps.home == now[1]);
    assert_true(merged->camps.away[0] == 0 && merged->camps.away[1] == now[0]);
    assert_int_equal(report.dangling, 0);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

static void F8_entity_fields_follow_a_migration(void **state)
{
    (void)state;
    firn_error err;
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_component squads = register_squad(source);
    firn_entity id = zoo_spawn_one(source, squads);
    squad row = {.leader = id, .size = 300};
    assert_ok(firn_set(source, id, squads, &row, &err), &err);
    firn_buffer image = zoo_save(source);
    static const firn_field fields[] = {
        {.name = "size", .type = FIRN_I8, .offset = 0},
        {.name = "leader", .type = FIRN_ENTITY, .offset = 8},
    };
    firn_component_desc desc = zoo_struct("Squad", 16, fields, 2);
    firn_component here = zoo_register(world, &desc);
    zoo_spawn_one(world, here);
    firn_merge_report report = merge(world, &image);
    const uint8_t *merged = firn_get(world, report.map[0].entity, here);
    assert_memory_equal(merged + 8, &report.map[0].entity, sizeof(firn_entity));
    assert_int_equal(report.load.changed_values, 1);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

static void F8_references_to_what_the_image_has_not_become_0_and_are_counted(void **state)
{
    (void)state;
    firn_error err;
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_component squads = register_squad(source);
    firn_entity gone = zoo_spawn(source, NULL, 0), id = zoo_spawn_one(source, squads);
    squad row = {.leader = gone, .scouts = {1.5, 0, -1}, .camps = {UINT64_MAX, {id, 0}}};
    assert_ok(firn_set(source, id, squads, &row, &err), &err);
    assert_ok(firn_despawn(source, gone, &err), &err);
    zoo_spawn(source, NULL, 0); // in the slot of the one that is gone
    firn_buffer image = zoo_save(source);
    firn_component here = register_squad(world);
    firn_merge_report report = merge(world, &image);
    firn_entity now = firn_merge_find(&report, id);
    const squad *merged = firn_get(world, now, here);
    const squad expected = {.camps = {0, {now, 0}}};
    assert_memory_equal(merged, &expected, sizeof expected);
    assert_int_equal(report.dangling, 4);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

// ---- codecs

typedef struct watch {
    firn_entity target;
} watch;

static firn_result encode_watch(void *user, const void *row, firn_writer *out, firn_error *err)
{
    (void)user, (void)err;
    firn_write_number(out, (double)((const watch *)row)->target);
    return FIRN_OK;
}

static firn_result decode_watch(void *user, void *row, firn_reader *in, firn_error *err)
{
    bool *refuses = user;
    (void)err;
    ((watch *)row)->target = firn_reader_entity(in, (firn_entity)firn_read_number(in));
    if (*refuses)
        firn_reader_refuse(in, "not today");
    return FIRN_OK;
}

static const firn_field watch_fields[] = {FIRN_FIELD(watch, target, FIRN_ENTITY)};

static firn_component register_watch(firn_world *world, bool *refuses)
{
    firn_error err;
    firn_codec codec;
    firn_row_codec *rows = test_calloc(1, sizeof *rows);
    *rows = (firn_row_codec){FIRN_ABI, "watch", encode_watch, decode_watch, refuses};
    assert_ok(firn_row_codec_adapt(rows, &codec, &err), &err);
    assert_ok(firn_resource_set(world, "codec", rows, NULL, &err), &err);
    firn_component_desc desc = zoo_struct("Watch", sizeof(watch), watch_fields, 1);
    desc.codec = &codec;
    return zoo_register(world, &desc);
}

static void end_watch_world(firn_world *world)
{
    void *rows = firn_resource_get(world, "codec");
    firn_world_destroy(world);
    test_free(rows);
}

static void F8_ids_inside_codecs_follow_through_the_codec(void **state)
{
    (void)state;
    firn_error err;
    bool refuses = false;
    firn_world *world = zoo_empty(NULL);
    firn_component watches = register_watch(world, &refuses);
    firn_entity gone = zoo_spawn(world, NULL, 0);
    firn_entity a = zoo_spawn_one(world, watches), b = zoo_spawn_one(world, watches);
    assert_ok(firn_set(world, a, watches, &(watch){b}, &err), &err);
    assert_ok(firn_set(world, b, watches, &(watch){gone}, &err), &err);
    assert_ok(firn_despawn(world, gone, &err), &err);
    firn_buffer image = zoo_save(world);
    firn_merge_report report = merge(world, &image);
    const watch *of_a = firn_get(world, firn_merge_find(&report, a), watches);
    const watch *of_b = firn_get(world, firn_merge_find(&report, b), watches);
    assert_true(of_a->target == firn_merge_find(&report, b) && of_b->target == 0);
    assert_int_equal(report.dangling, 1);
    firn_merge_report_free(&report);
    // A load gives ids as they were saved.
    zoo_load(world, &image);
    assert_true(((const watch *)firn_get(world, a, watches))->target == b);
    assert_true(((const watch *)firn_get(world, b, watches))->target == gone);
    // Failures speak of the image's ids.
    refuses = true;
    err = refuse_merge(world, &image, FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "Watch");
    assert_true(err.entity == a);
    firn_buffer_free(&image);
    end_watch_world(world);
}

// ---- what a merge refuses, and what it leaves alone

static void F8_a_unique_string_that_the_world_has_is_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_component key = firn_key(source);
    assert_ok(firn_set_text(source, zoo_spawn(source, NULL, 0), key, "door", &err), &err);
    assert_ok(firn_set_text(source, zoo_spawn(source, NULL, 0), key, "hero", &err), &err);
    firn_entity hero = zoo_spawn(world, NULL, 0);
    assert_ok(firn_set_text(world, hero, firn_key(world), "hero", &err), &err);
    firn_buffer image = zoo_save(source);
    err = refuse_merge(world, &image, FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "Key");
    assert_non_null(strstr(err.message, "\"hero\""));
    assert_true(err.entity == hero);
    assert_int_equal(firn_find_key(world, "door", 4), 0);
    assert_ok(firn_despawn(world, hero, &err), &err);
    firn_merge_report report = merge(world, &image);
    assert_true(firn_find_key(world, "hero", 4) == report.map[1].entity);
    assert_true(firn_find_key(world, "door", 4) == report.map[0].entity);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

static void F8_a_unique_string_that_the_image_has_twice_is_corrupt(void **state)
{
    (void)state;
    firn_error err;
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_component label = register_text(source, "Label", false);
    firn_component both[] = {label, firn_paused(source)};
    firn_entity ids[4];
    assert_ok(firn_spawn_many(source, both, 1, 2, ids, &err), &err);
    assert_ok(firn_spawn_many(source, both, 2, 2, ids + 2, &err), &err);
    const char *const texts[] = {"a", "", "b", "a"};
    for (uint32_t i = 0; i < 4; i++)
        assert_ok(firn_set_text(source, ids[i], label, texts[i], &err), &err);
    firn_buffer image = zoo_save(source);
    firn_component here = register_text(world, "Label", true);
    zoo_spawn_one(world, here);
    err = refuse_merge(world, &image, FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "Label");
    assert_true(err.entity == ids[3]);
    assert_non_null(strstr(err.message, "slots 1 and 4"));
    firn_buffer_free(&image);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

static firn_result count_event(void *user, firn_world *world, const firn_event *event,
                               firn_error *err)
{
    (void)world, (void)event, (void)err;
    ++*(uint32_t *)user;
    return FIRN_OK;
}

static firn_result count_entry(void *user, firn_world *world, firn_reader *in, firn_error *err)
{
    (void)world, (void)err;
    firn_read_skip(in);
    ++*(uint32_t *)user;
    return FIRN_OK;
}

static void F8_a_merge_applies_no_data_and_tells_nobody(void **state)
{
    (void)state;
    firn_error err;
    uint32_t told = 0;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_data data = {.key = "counter", .encoded = "\x02", .encoded_size = 1};
    firn_buffer image =
        zoo_save_with(z.world, &(firn_save_options){.data = &data, .data_count = 1});
    assert_ok(firn_world_set_tick(z.world, 900, &err), &err);
    firn_handler handler = {.abi = FIRN_ABI, .name = "counter", .load = count_entry, .user = &told};
    assert_ok(firn_handler_add(z.world, &handler, &err), &err);
    const char *const events[] = {"OnSpawn", "OnAdd", "StartSnapshotLoad", "FinishSnapshotLoad"};
    for (uint32_t i = 0; i < FIRN_COUNT(events); i++) {
        firn_observer_desc desc = {.event = events[i], .observe = count_event, .user = &told};
        assert_true(firn_observe(z.world, &desc, &err) != 0);
    }
    firn_merge_report report = merge(z.world, &image);
    assert_int_equal(told, 0);
    assert_int_equal(firn_world_tick(z.world), 900);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void F8_unknown_components_are_refused_or_skipped(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    firn_world *world = zoo_empty(NULL);
    err = refuse_merge(world, &image, FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "zoo.");
    firn_merge_options options = {.skip_unknown = true};
    firn_merge_report report;
    assert_ok(firn_snapshot_merge(world, image.data, image.size, &options, &report, &err), &err);
    assert_int_equal(report.load.unknown, ZOO_KINDS);
    assert_int_equal(firn_entity_count(world), firn_entity_count(z.world));
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(world);
}

static void F8_a_merge_of_more_than_the_world_may_have_is_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_limits limits;
    firn_limits_default(&limits);
    limits.entities = 5;
    firn_world *world = firn_world_create(&(firn_world_desc){.limits = &limits}, &err);
    assert_ok(firn_spawn_many(world, NULL, 0, 3, NULL, &err), &err);
    firn_buffer image = zoo_save(world);
    err = refuse_merge(world, &image, FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "entities");
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void F8_wrong_arguments_and_bytes_are_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    zoo_spawn(world, NULL, 0);
    firn_buffer image = zoo_save(world);
    assert_int_equal(firn_snapshot_merge(NULL, image.data, image.size, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_snapshot_merge(world, NULL, 0, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "image");
    firn_merge_options options = {.reserved = {1}};
    assert_int_equal(firn_snapshot_merge(world, image.data, image.size, &options, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "reserved");
    image.size--;
    err = refuse_merge(world, &image, FIRN_TRUNCATED);
    assert_error(&err, FIRN_TRUNCATED, "data");
    assert_int_equal(firn_reader_entity(NULL, 7), 7);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

// ---- required components

static void count_init(void *user, const firn_rows *rows)
{
    *(uint32_t *)user += rows->count;
}

static void F8_what_components_require_comes_with_its_default(void **state)
{
    (void)state;
    uint32_t made = 0;
    firn_error err;
    firn_world *source = zoo_empty(NULL), *world = zoo_empty(NULL);
    firn_component_desc tag = {.name = "Owner", .kind = FIRN_TAG};
    zoo_spawn_one(source, zoo_register(source, &tag));
    zoo_spawn_one(source, firn_component_find(source, "Owner"));
    firn_buffer image = zoo_save(source);
    zoo_point start = {1, 2};
    firn_component_desc point = zoo_desc(ZOO_POINT);
    point.default_row = &start;
    point.hooks = (firn_hooks){.init = count_init, .user = &made};
    firn_component required[] = {zoo_register(world, &point), register_text(world, "Label", false)};
    tag.required = required;
    tag.required_count = 2;
    firn_component owner = zoo_register(world, &tag);
    zoo_spawn_one(world, owner);
    assert_int_equal(made, 1);
    firn_merge_report report = merge(world, &image);
    assert_int_equal(made, 3);
    for (uint32_t i = 0; i < 2; i++) {
        const zoo_point *row = firn_get(world, report.map[i].entity, required[0]);
        assert_memory_equal(row, &start, sizeof start);
        size_t size = 1;
        assert_non_null(firn_get_string(world, report.map[i].entity, required[1], &size));
        assert_int_equal(size, 0);
    }
    assert_ok(firn_despawn(world, report.map[0].entity, &err), &err);
    firn_merge_report_free(&report);
    firn_buffer_free(&image);
    firn_world_destroy(source);
    firn_world_destroy(world);
}

static void F8_a_world_with_merged_entities_saves_and_loads_exactly(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false), fresh = zoo_make(NULL, true);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    for (uint32_t i = 0; i < 3; i++) {
        firn_merge_report report = merge(z.world, &image);
        firn_merge_report_free(&report);
    }
    firn_buffer merged = zoo_save(z.world);
    zoo_load(fresh.world, &merged);
    assert_saves_as(fresh.world, &merged);
    firn_buffer_free(&image);
    firn_buffer_free(&merged);
    firn_world_destroy(z.world);
    firn_world_destroy(fresh.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F8_a_merge_adds_entities_and_leaves_those_that_are_there),
        cmocka_unit_test(F8_rows_that_are_there_keep_their_order),
        cmocka_unit_test(F8_new_ids_are_those_that_spawns_would_give),
        cmocka_unit_test(F8_entity_fields_follow_also_in_arrays_and_nested_structs),
        cmocka_unit_test(F8_entity_fields_follow_a_migration),
        cmocka_unit_test(F8_references_to_what_the_image_has_not_become_0_and_are_counted),
        cmocka_unit_test(F8_ids_inside_codecs_follow_through_the_codec),
        cmocka_unit_test(F8_a_unique_string_that_the_world_has_is_refused),
        cmocka_unit_test(F8_a_unique_string_that_the_image_has_twice_is_corrupt),
        cmocka_unit_test(F8_a_merge_applies_no_data_and_tells_nobody),
        cmocka_unit_test(F8_unknown_components_are_refused_or_skipped),
        cmocka_unit_test(F8_a_merge_of_more_than_the_world_may_have_is_refused),
        cmocka_unit_test(F8_wrong_arguments_and_bytes_are_refused),
        cmocka_unit_test(F8_what_components_require_comes_with_its_default),
        cmocka_unit_test(F8_a_world_with_merged_entities_saves_and_loads_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
