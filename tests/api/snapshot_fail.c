// Loads that fail change nothing, and limits hold in both directions.
#include "api/snapshot_zoo.h"

#include <stdlib.h>
#include <string.h>

// All that a failed load must leave: the bytes of a save, the hash, a row where it stands, what
// waits, and the ids that come next.
typedef struct still {
    firn_buffer image;
    firn_hash hash;
    const void *row;
    zoo_body body;
    firn_entity entity;
} still;

static still still_take(const zoo *z, firn_entity entity)
{
    still s = {.image = zoo_save(z->world), .hash = zoo_hash(z->world), .entity = entity};
    s.row = firn_get(z->world, entity, z->of[ZOO_BODY]);
    assert_non_null(s.row);
    memcpy(&s.body, s.row, sizeof s.body);
    return s;
}

static void still_check(const still *s, const zoo *z)
{
    assert_ptr_equal(firn_get(z->world, s->entity, z->of[ZOO_BODY]), s->row);
    assert_memory_equal(s->row, &s->body, sizeof s->body);
    firn_hash now = zoo_hash(z->world);
    assert_memory_equal(&now, &s->hash, sizeof now);
    assert_saves_as(z->world, &s->image);
}

static bool still_same_rows(const still *s, const zoo *z)
{
    return firn_get(z->world, s->entity, z->of[ZOO_BODY]) == s->row &&
           memcmp(s->row, &s->body, sizeof s->body) == 0;
}

// A world that is not the saved one, with a row of zoo.Body.
static zoo busy_world(test_allocator *memory, firn_entity *entity)
{
    zoo z = zoo_make(memory, false);
    zoo_litter(&z);
    *entity = zoo_spawn_one(z.world, z.of[ZOO_BODY]);
    return z;
}

static void N12_every_prefix_of_an_image_fails_and_leaves_the_world(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    zoo source = zoo_make(NULL, false);
    zoo_fill(&source);
    firn_buffer image = zoo_save(source.world);
    firn_entity entity;
    zoo z = busy_world(&memory, &entity);
    still before = still_take(&z, entity);
    for (size_t size = 0; size < image.size; size++) {
        firn_error err;
        firn_load_report report;
        uint8_t *prefix = malloc(size + 1);
        assert_non_null(prefix);
        memcpy(prefix, image.data, size);
        firn_result result = firn_snapshot_load(z.world, prefix, size, NULL, &report, &err);
        firn_load_report_free(&report);
        assert_int_equal(result, FIRN_TRUNCATED);
        assert_error(&err, FIRN_TRUNCATED, "");
        assert_true(err.offset <= size);
        assert_string_not_equal(err.subject, "");
        assert_false(report.committed);
        assert_true(still_same_rows(&before, &z));
        free(prefix);
    }
    still_check(&before, &z);
    zoo_load(z.world, &image);
    assert_saves_as(z.world, &image);
    firn_buffer_free(&image);
    firn_buffer_free(&before.image);
    firn_world_destroy(source.world);
    firn_world_destroy(z.world);
    assert_no_leak(&memory);
}

static void F5_a_byte_behind_an_image_is_corrupt(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_buffer image = zoo_save(z.world);
    size_t size = image.size;
    assert_ok(firn_buffer_append(&image, "", 1, &err), &err);
    assert_int_equal(firn_snapshot_load(z.world, image.data, image.size, NULL, NULL, &err),
                     FIRN_CORRUPT);
    assert_int_equal(err.offset, size);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

// Any change of a byte gives an error that changes nothing, or an image that loads, and whose world
// saves to something that loads to the same again.
static void F5_changed_bytes_fail_or_load_to_a_world_that_is_sound(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    test_random random = {1};
    zoo source = zoo_make(NULL, false);
    zoo_fill(&source);
    firn_buffer image = zoo_save(source.world);
    firn_entity entity;
    uint32_t loaded = 0, failed = 0;
    for (int i = 0; i < 3000; i++) {
        zoo z = busy_world(&memory, &entity);
        still before = still_take(&z, entity);
        uint8_t *bytes = malloc(image.size);
        assert_non_null(bytes);
        memcpy(bytes, image.data, image.size);
        for (uint32_t k = test_random_below(&random, 3); k < 3; k++)
            bytes[test_random_below(&random, (uint32_t)image.size)] =
                (uint8_t)test_random_u64(&random);
        firn_error err;
        firn_load_report report;
        firn_load_options options = {.skip_unknown = i % 2 == 0};
        firn_result result =
            firn_snapshot_load(z.world, bytes, image.size, &options, &report, &err);
        firn_load_report_free(&report);
        assert_int_equal(result == FIRN_OK, report.committed);
        free(bytes);
        if (result == FIRN_OK) {
            firn_buffer again = zoo_save(z.world);
            zoo_load(z.world, &again);
            assert_saves_as(z.world, &again);
            firn_buffer_free(&again);
            loaded++;
        } else {
            still_check(&before, &z);
            failed++;
        }
        firn_buffer_free(&before.image);
        firn_world_destroy(z.world);
        assert_no_leak(&memory);
    }
    assert_true(loaded > 100 && failed > 100);
    firn_buffer_free(&image);
    firn_world_destroy(source.world);
}

static void N12_changes_that_wait_survive_a_failed_load(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    zoo z = zoo_make(&memory, false), applied = zoo_make(NULL, false);
    firn_error err;
    zoo *both[] = {&z, &applied};
    for (int i = 0; i < 2; i++) {
        firn_query_desc all = {.name = "all"};
        zoo_spawn(both[i]->world, NULL, 0);
        firn_query query = firn_query_create(both[i]->world, &all, &err);
        firn_iter it;
        firn_iter_begin(both[i]->world, query, &it);
        zoo_spawn_one(both[i]->world, both[i]->of[ZOO_TITLE]);
        assert_ok(firn_set_text(both[i]->world, 1, both[i]->of[ZOO_TITLE],
                                "a title that is long enough", &err),
                  &err);
        if (i == 0)
            test_allocator_fail_at(&memory, 1, true);
        firn_iter_end(&it, &err);
    }
    test_allocator_fail_at(&memory, 0, false);
    assert_int_equal(firn_pending(z.world), 2);
    assert_int_equal(firn_snapshot_load(z.world, "\x07 nothing", 9, NULL, NULL, &err),
                     FIRN_VERSION);
    assert_int_equal(firn_snapshot_load(z.world, "\x07", 1, NULL, NULL, &err), FIRN_TRUNCATED);
    assert_int_equal(firn_pending(z.world), 2);
    firn_buffer image = zoo_save(applied.world);
    assert_saves_as(z.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(applied.world);
    assert_no_leak(&memory);
}

static void T17_a_version_that_is_not_known_is_refused(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_buffer image = zoo_save(z.world), before = zoo_save(z.world);
    static const double versions[] = {0, 3, 1.5, -1, 1e300};
    for (int i = 0; i < 5; i++) {
        memcpy(image.data + 1, &versions[i], 8); // tests run on little-endian machines
        assert_int_equal(firn_snapshot_load(z.world, image.data, image.size, NULL, NULL, &err),
                         FIRN_VERSION);
        assert_error(&err, FIRN_VERSION, "version");
        assert_int_equal(firn_image_check(image.data, image.size, NULL, NULL, &err), FIRN_VERSION);
    }
    image.data[0] = 0x02;
    assert_int_equal(firn_snapshot_load(z.world, image.data, image.size, NULL, NULL, &err),
                     FIRN_NOT_OURS);
    assert_int_equal(err.offset, 0);
    assert_saves_as(z.world, &before);
    firn_buffer_free(&image);
    firn_buffer_free(&before);
    firn_world_destroy(z.world);
}

static void a_load_with_wrong_arguments_is_refused(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_buffer image = zoo_save(z.world);
    firn_load_report report;
    memset(&report, 0xff, sizeof report);
    assert_int_equal(firn_snapshot_load(NULL, image.data, image.size, NULL, &report, &err),
                     FIRN_INVALID);
    firn_load_report_free(&report);
    assert_error(&err, FIRN_INVALID, "world");
    assert_false(report.committed);
    assert_int_equal(firn_snapshot_load(z.world, NULL, 0, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "image");
    assert_int_equal(firn_image_check(NULL, 7, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "image");
    assert_int_equal(firn_snapshot_load(z.world, image.data, 0, NULL, NULL, &err), FIRN_TRUNCATED);
    for (int i = 0; i < 4; i++) {
        firn_load_options options = {0};
        options.reserved[i] = UINT64_MAX;
        assert_int_equal(firn_snapshot_load(z.world, image.data, image.size, &options, NULL, &err),
                         FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "firn_load_options.reserved");
        firn_image_options check = {0};
        check.reserved[i] = 1;
        assert_int_equal(firn_image_check(image.data, image.size, &check, NULL, &err),
                         FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "firn_image_options.reserved");
    }
    firn_image_options no_memory = {.allocator = &(firn_allocator){0}};
    assert_int_equal(firn_image_check(image.data, image.size, &no_memory, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "allocator");
    firn_limits limits = {.depth = 101};
    firn_load_options options = {.limits = &limits};
    assert_int_equal(firn_snapshot_load(z.world, image.data, image.size, &options, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "depth");
    assert_saves_as(z.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

// ---- limits when reading

// The image loads under the limits, and not when one of them is one lower.
static void expect_limit(const zoo *z, const firn_buffer *image, size_t place, bool wide,
                         uint64_t enough, const char *subject)
{
    firn_error err;
    firn_load_report report;
    firn_limits limits = {0};
    firn_load_options options = {.limits = &limits};
    firn_image_options check = {.limits = &limits};
    firn_buffer before = zoo_save(z->world);
    for (uint64_t value = enough - 1; value <= enough; value++) {
        uint32_t narrow = (uint32_t)value;
        memcpy((char *)&limits + place, wide ? (const void *)&value : (const void *)&narrow,
               wide ? sizeof value : sizeof narrow);
        firn_result expected = value < enough ? FIRN_LIMIT : FIRN_OK;
        firn_result result = firn_image_check(image->data, image->size, &check, NULL, &err);
        if (result != expected)
            fail_msg("%s: %llu is %s", subject, (unsigned long long)value,
                     firn_result_name(result));
        result = firn_snapshot_load(z->world, image->data, image->size, &options, &report, &err);
        firn_load_report_free(&report);
        assert_int_equal(result, expected);
        if (value < enough) {
            assert_error(&err, FIRN_LIMIT, subject);
            assert_saves_as(z->world, &before);
        }
    }
    firn_buffer_free(&before);
}

static void F5_a_load_keeps_every_limit(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = firn_value_table(doc, &err);
    for (int i = 0; i < 5; i++) { // six tables, and beside them 400 numbers
        firn_value *outer = firn_value_table(doc, &err);
        assert_ok(firn_table_push(doc, outer, table, &err), &err);
        table = outer;
    }
    for (int i = 0; i < 400; i++)
        assert_ok(firn_table_push(doc, table, firn_value_number(doc, i, &err), &err), &err);
    char long_text[501];
    memset(long_text, 't', 500);
    long_text[500] = 0;
    firn_data data[] = {{.key = "deep", .value = table},
                        {.key = "long", .value = firn_value_text(doc, long_text, &err)}};
    firn_buffer image = zoo_save_with(z.world, &(firn_save_options){.data = data, .data_count = 2});
    zoo target = zoo_make(NULL, false);
    zoo_litter(&target);
#define LIMIT(field) offsetof(firn_limits, field), sizeof(((firn_limits *)0)->field) == 8
    expect_limit(&target, &image, LIMIT(file_bytes), image.size, "image");
    expect_limit(&target, &image, LIMIT(tree_values), 406, "deep");
    expect_limit(&target, &image, LIMIT(string_bytes), 500, "long");
    expect_limit(&target, &image, LIMIT(depth), 6, "deep");
    expect_limit(&target, &image, LIMIT(name_bytes), 13, "zoo.Body");
    expect_limit(&target, &image, LIMIT(entities), 12, "nextEntityId");
    expect_limit(&target, &image, LIMIT(table_entries), ZOO_KINDS + 3, "componentCount");
    firn_prelude prelude;
    assert_ok(firn_image_check(image.data, image.size, NULL, &prelude, &err), &err);
    expect_limit(&target, &image, LIMIT(archetypes), prelude.frame_count, "archetypeCount");
    expect_limit(&target, &image, LIMIT(columns), 4, "columnCount");
    expect_limit(&target, &image, LIMIT(data_keys), 2, "data");
#undef LIMIT
    firn_doc_destroy(doc);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(target.world);
}

// ---- limits when writing

static zoo zoo_with(const firn_limits *limits)
{
    firn_error err;
    zoo z = {.world = firn_world_create(&(firn_world_desc){.limits = limits, .name = "w"}, &err)};
    if (z.world == NULL)
        fail_msg("no world: %s", err.message);
    for (int kind = 0; kind < ZOO_KINDS; kind++) {
        firn_component_desc desc = zoo_desc((zoo_kind)kind);
        z.of[kind] = firn_component_register(z.world, &desc, &err);
    }
    return z;
}

static void F5_a_save_above_a_limit_is_refused_and_leaves_the_output_empty(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    firn_limits limits = {.file_bytes = 300};
    zoo z = zoo_with(&limits);
    zoo_spawn(z.world, z.of, 2);
    assert_int_equal(firn_snapshot_save(z.world, NULL, &out, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "image");
    assert_int_equal(out.size, 0);
    firn_world_destroy(z.world);

    limits = (firn_limits){.table_entries = 2};
    z = zoo_with(&limits);
    zoo_spawn(z.world, z.of, 2);
    assert_ok(firn_snapshot_save(z.world, NULL, &out, &err), &err);
    zoo_spawn(z.world, z.of, 3);
    assert_int_equal(firn_snapshot_save(z.world, NULL, &out, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "component table");
    assert_int_equal(out.size, 0);
    firn_world_destroy(z.world);

    limits = (firn_limits){.data_keys = 1, .depth = 2, .tree_values = 9, .string_bytes = 40};
    z = zoo_with(&limits);
    static const struct {
        const char *bytes;
        size_t size;
    } bad[] = {{"\x0c\x02\x0c\x02\x08", 5}, // {{{}}}
               {"\x0c\x0a\x01\x01\x01\x01\x01\x01\x01\x01\x01", 11},
               {"\x49"
                "12345678901234567890123456789012345678901",
                42}};
    for (size_t i = 0; i < 3; i++) {
        firn_data data = {.key = "k", .encoded = bad[i].bytes, .encoded_size = bad[i].size};
        firn_save_options options = {.data = &data, .data_count = 1};
        assert_int_equal(firn_snapshot_save(z.world, &options, &out, &err), FIRN_LIMIT);
        assert_error(&err, FIRN_LIMIT, "k");
        assert_int_equal(out.size, 0);
    }
    firn_data two[] = {{.key = "a", .encoded = "", .encoded_size = 1},
                       {.key = "b", .encoded = "", .encoded_size = 1}};
    firn_save_options options = {.data = two, .data_count = 2};
    assert_int_equal(firn_snapshot_save(z.world, &options, &out, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "data_count");
    firn_world_destroy(z.world);
    firn_buffer_free(&out);
}

static void expect_saves_load(const firn_limits *limits)
{
    firn_error err;
    firn_buffer out = {0};
    zoo z = zoo_with(limits);
    for (int i = 0; i < 2000; i++) // many free slots
        zoo_spawn(z.world, NULL, 0);
    for (int kind = 0; kind < ZOO_KINDS; kind++)
        if (z.of[kind] != 0)
            assert_int_not_equal(firn_spawn(z.world, &z.of[kind], 1, &err), 0);
    for (uint64_t id = 1; id <= 1999; id++)
        assert_ok(firn_despawn(z.world, id, &err), &err);
    assert_ok(firn_snapshot_save(z.world, NULL, &out, &err), &err);
    assert_ok(firn_snapshot_load(z.world, out.data, out.size, NULL, NULL, &err), &err);
    assert_saves_as(z.world, &out);
    firn_buffer_free(&out);
    firn_world_destroy(z.world);
}

// What a world writes it can read, however low its limits are: they are about the game's data.
static void F5_what_a_save_writes_under_low_limits_a_load_reads(void **state)
{
    (void)state;
    expect_saves_load(&(firn_limits){.string_bytes = 16});
    expect_saves_load(&(firn_limits){.string_bytes = 1});
    expect_saves_load(&(firn_limits){.tree_values = 1});
    expect_saves_load(&(firn_limits){.depth = 1});
    expect_saves_load(&(firn_limits){.data_keys = 1});
    expect_saves_load(&(firn_limits){.name_bytes = 9});
    expect_saves_load(&(firn_limits){.columns = 1});
    expect_saves_load(&(firn_limits){.entities = 2008});
    expect_saves_load(&(firn_limits){.archetypes = ZOO_KINDS + 1});
}

// The world's limits hold as well: what a load brings, the world can save and load again.
static void F5_looser_limits_of_a_load_do_not_lift_those_of_the_world(void **state)
{
    (void)state;
    firn_error err;
    zoo rich = zoo_make(NULL, false), poor = zoo_with(&(firn_limits){.string_bytes = 10});
    firn_entity one = zoo_spawn_one(rich.world, rich.of[ZOO_TITLE]);
    assert_ok(firn_set_text(rich.world, one, rich.of[ZOO_TITLE], "eleven char", &err), &err);
    firn_buffer image = zoo_save(rich.world);
    firn_limits loose = {.string_bytes = 1000};
    firn_load_options options = {.limits = &loose};
    assert_int_equal(firn_snapshot_load(poor.world, image.data, image.size, &options, NULL, &err),
                     FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "zoo.Title");
    firn_buffer_free(&image);
    firn_world_destroy(rich.world);
    firn_world_destroy(poor.world);
}

// Sets of components that no entity has any more do not count against the limit.
static void empty_archetypes_keep_no_spawn_and_no_load_out(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_with(&(firn_limits){.archetypes = 4});
    firn_query all = firn_query_create(z.world, &(firn_query_desc){.name = "all"}, &err);
    firn_buffer image = {0};
    for (int round = 0; round < 3; round++)
        for (int kind = 0; kind < ZOO_KINDS; kind++) {
            if (z.of[kind] == 0)
                continue;
            firn_entity entity = zoo_spawn_one(z.world, z.of[kind]);
            if (kind == ZOO_POINT && round == 0)
                image = zoo_save(z.world);
            assert_int_equal(firn_query_count(z.world, all), 1);
            assert_ok(firn_despawn(z.world, entity, &err), &err);
        }
    firn_component sets[3] = {z.of[ZOO_FLAG], z.of[ZOO_SCORE], z.of[ZOO_TITLE]};
    firn_entity kept[3];
    for (uint32_t i = 0; i < 3; i++)
        kept[i] = zoo_spawn(z.world, sets, i + 1);
    assert_int_equal(firn_spawn(z.world, &z.of[ZOO_TAG], 1, &err), 0);
    assert_error(&err, FIRN_LIMIT, "archetypes");
    assert_int_equal(firn_query_count(z.world, all), 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_ok(firn_despawn(z.world, kept[i], &err), &err);
    zoo_load(z.world, &image);
    assert_saves_as(z.world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(N12_every_prefix_of_an_image_fails_and_leaves_the_world),
        cmocka_unit_test(F5_a_byte_behind_an_image_is_corrupt),
        cmocka_unit_test(F5_changed_bytes_fail_or_load_to_a_world_that_is_sound),
        cmocka_unit_test(N12_changes_that_wait_survive_a_failed_load),
        cmocka_unit_test(T17_a_version_that_is_not_known_is_refused),
        cmocka_unit_test(a_load_with_wrong_arguments_is_refused),
        cmocka_unit_test(F5_a_load_keeps_every_limit),
        cmocka_unit_test(F5_a_save_above_a_limit_is_refused_and_leaves_the_output_empty),
        cmocka_unit_test(F5_what_a_save_writes_under_low_limits_a_load_reads),
        cmocka_unit_test(F5_looser_limits_of_a_load_do_not_lift_those_of_the_world),
        cmocka_unit_test(empty_archetypes_keep_no_spawn_and_no_load_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
