// Snapshots that another system wrote (tecs/README.md), through the public headers only.
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/tecs_codecs.h"
#include "golden/tecs_loaded.h"

static json_int_t expected_integer(const json_t *object, const char *key)
{
    const json_t *integer = json_object_get(object, key);
    assert_true(json_is_integer(integer));
    return json_integer_value(integer);
}

static void T13_tecs_files_load_to_exactly_the_expected_values(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        golden_loaded golden = golden_load(&golden_files[i]);
        assert_golden(golden.world, &golden);
        golden_unload(&golden);
    }
}

static void T17_the_prelude_of_a_tecs_file_is_reported(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        golden_loaded golden = golden_load(&golden_files[i]);
        const json_t *expect = json_object_get(golden.expect, "prelude");
        const firn_prelude *prelude = &golden.report.prelude;
        const json_t *table = json_object_get(expect, "componentTable");
        uint32_t version = golden.file->version;
        assert_int_equal(prelude->version,
                         version != 0 ? version : expected_integer(expect, "version"));
        assert_int_equal(prelude->next_slot, expected_integer(expect, "nextEntityId"));
        assert_int_equal(prelude->entity_count, expected_integer(expect, "entityCount"));
        assert_int_equal(prelude->frame_count, expected_integer(expect, "archetypeCount"));
        assert_int_equal(prelude->component_count, json_array_size(table));
        assert_true(golden.report.committed);
        golden_unload(&golden);
    }
}

static void checking_a_tecs_file_needs_no_world(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        golden_loaded golden = golden_load(&golden_files[i]);
        firn_error err = {0};
        firn_prelude prelude;
        firn_result result = firn_image_check(golden.image, golden.size, NULL, &prelude, &err);
        assert_ok(result, &err);
        assert_memory_equal(&prelude, &golden.report.prelude, sizeof prelude);
        golden_unload(&golden);
    }
}

static void the_pipeline_of_a_tecs_file_can_be_read(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        golden_loaded golden = golden_load(&golden_files[i]);
        const void *encoded;
        size_t size;
        firn_error err = {0};
        assert_ok(firn_image_data(golden.image, golden.size, "__tecs.pipeline", NULL, &encoded,
                                  &size, &err),
                  &err);
        firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
        const firn_value *pipeline = firn_value_decode(doc, encoded, size, &err);
        static const char *const members[] = {"fixedAccumulator", "phaseStates"};
        for (uint32_t j = 0; j < FIRN_COUNT(members); j++) {
            char difference[GOLDEN_ROOM];
            if (!golden_is_value(json_object_get(golden.expect, members[j]),
                                 firn_table_get_text(pipeline, members[j]), members[j],
                                 difference)) {
                fail_msg("%s: %s", golden.file->path, difference);
            }
        }
        firn_doc_destroy(doc);
        golden_unload(&golden);
    }
}

static bool holds_integer(const json_t *array, uint64_t integer)
{
    size_t i;
    json_t *item;
    json_array_foreach(array, i, item)
    {
        if ((uint64_t)json_integer_value(item) == integer) {
            return true;
        }
    }
    return false;
}

static void T4_free_slots_are_used_again_before_fresh_ones(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        golden_loaded golden = golden_load(&golden_files[i]);
        const json_t *free_slots = json_object_get(golden.expect, "freeSlots");
        for (size_t j = 0; j < json_array_size(free_slots); j++) {
            firn_entity entity = firn_spawn(golden.world, NULL, 0, NULL);
            assert_true(holds_integer(free_slots, entity & FIRN_SLOT_MAX));
            // The entity that was saved as dead stays dead, whatever its generation was.
            assert_true(entity >> FIRN_SLOT_BITS >= 1);
        }
        firn_entity fresh = firn_spawn(golden.world, NULL, 0, NULL);
        assert_int_equal(fresh, expected_integer(golden.expect, "nextFreshSlot"));
        golden_unload(&golden);
    }
}

static void a_tecs_file_that_is_saved_again_loads_to_the_same_values(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        golden_loaded golden = golden_load(&golden_files[i]);
        firn_error err = {0};
        firn_buffer first = {0};
        firn_buffer second = {0};
        firn_save_options options = {.sparse_edges = golden.file->edges};
        assert_ok(firn_snapshot_save(golden.world, &options, &first, &err), &err);
        firn_world *again = golden_world(golden.file, &err);
        assert_ok(firn_snapshot_load(again, first.data, first.size, NULL, NULL, &err), &err);
        assert_golden(again, &golden);
        assert_ok(firn_snapshot_save(again, &options, &second, &err), &err);
        assert_int_equal(second.size, first.size);
        assert_memory_equal(second.data, first.data, first.size);
        firn_world_destroy(again);
        firn_buffer_free(&first);
        firn_buffer_free(&second);
        golden_unload(&golden);
    }
}

// What the game that wrote it knows, another one keeps.
static void F7_a_tecs_file_whose_components_nobody_knows_is_saved_byte_for_byte(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        golden_loaded golden = golden_load(&golden_files[i]);
        firn_error err = {0};
        firn_buffer image = {0}, again = {0};
        firn_save_options options = {.sparse_edges = golden.file->edges};
        assert_ok(firn_snapshot_save(golden.world, &options, &image, &err), &err);
        firn_world *world = firn_world_create(NULL, &err);
        for (const char *const *name = golden.file->states; name != NULL && *name != NULL; name++)
            assert_true(firn_state_create(world, &(firn_state_desc){.name = *name}, &err) != 0);
        firn_load_options keep = {.keep_unknown = true};
        assert_ok(firn_snapshot_load(world, image.data, image.size, &keep, NULL, &err), &err);
        assert_ok(firn_snapshot_save(world, NULL, &again, &err), &err);
        assert_int_equal(again.size, image.size);
        assert_memory_equal(again.data, image.data, image.size);
        firn_buffer_free(&again);
        firn_buffer_free(&image);
        firn_world_destroy(world);
        golden_unload(&golden);
    }
}

static void T14_a_tecs_file_keeps_entities_of_transient_components_only(void **state)
{
    (void)state;
    golden_loaded golden = golden_load(golden_find("20_transient_requires"));
    firn_component runtime = firn_component_find(golden.world, "Runtime");
    assert_true(firn_has(golden.world, 1, runtime));
    assert_true(firn_alive(golden.world, 2));
    assert_int_equal(firn_entity_components(golden.world, 2, NULL, 0), 0);
    golden_unload(&golden);
}

// The prefix stands in a block of its own, so that a read behind it is noticed by a sanitizer.
static void assert_prefix_fails(firn_world *world, const golden_loaded *golden, size_t size)
{
    uint8_t *block = malloc(size + 1);
    assert_non_null(block);
    uint8_t *prefix = block + 1; // its end is that of the block
    memcpy(prefix, golden->image, size);
    firn_error err = {0};
    firn_load_report report = {0};
    firn_result result = firn_snapshot_load(world, prefix, size, NULL, &report, &err);
    firn_load_report_free(&report);
    free(block);
    if (result != FIRN_TRUNCATED && result != FIRN_CORRUPT && result != FIRN_NOT_OURS) {
        fail_msg("%s: %zu bytes: %s", golden->file->path, size, firn_result_name(result));
    }
    assert_int_equal(err.code, result);
    assert_true(err.message[0] != 0);
    assert_true(err.offset <= size);
    assert_false(report.committed);
}

static void N12_no_prefix_of_a_tecs_file_loads_or_changes_the_world(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        golden_loaded golden = golden_load(&golden_files[i]);
        firn_spawn(golden.world, NULL, 0, NULL);
        firn_hash before;
        assert_ok(firn_world_hash(golden.world, &before, NULL, NULL, NULL), NULL);
        for (size_t size = 0; size < golden.size; size++) {
            assert_prefix_fails(golden.world, &golden, size);
            firn_hash after;
            assert_ok(firn_world_hash(golden.world, &after, NULL, NULL, NULL), NULL);
            assert_memory_equal(&after, &before, sizeof after);
        }
        golden_unload(&golden);
    }
}

static void a_value_comes_back_as_it_was_saved_without_entries_of_its_default(void **state)
{
    (void)state;
    static const golden_component table = {
        .desc = {.name = "TabMig", .kind = FIRN_VALUE}, .default_key = "c", .default_number = 7};
    golden_file file = *golden_find("23_schema_v1_for_migration");
    firn_error err = {0};
    golden_component components[3] = {file.components[0], file.components[1], table};
    file.components = components;
    size_t size;
    uint8_t *image = golden_image(&file, &size);
    firn_world *world = golden_world(&file, &err);
    assert_ok(firn_snapshot_load(world, image, size, NULL, NULL, &err), &err);

    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_component component = firn_component_find(world, "TabMig");
    const firn_value *held = firn_get_value(world, 3, component, doc, &err);
    json_t *expect = json_pack("{s:i, s:i}", "a", 1, "b", 2);
    char difference[GOLDEN_ROOM] = "";
    if (!golden_is_value(expect, held, "TabMig", difference)) {
        fail_msg("%s", difference);
    }
    json_decref(expect);
    firn_doc_destroy(doc);
    firn_world_destroy(world);
    free(image);
}

static void T13_a_struct_that_was_saved_encoded_maps_by_field_names(void **state)
{
    (void)state;
    golden_file file = *golden_find("07_custom_codecs");
    golden_component components[5];
    memcpy(components, file.components, sizeof components);
    components[1].desc.codec = NULL; // HalfCustom, {a = ...} in the file
    file.components = components;
    golden_loaded golden = golden_load(&file);
    assert_golden(golden.world, &golden);
    golden_unload(&golden);
}

static void a_codec_that_writes_nil_leaves_its_component_out(void **state)
{
    (void)state;
    golden_loaded golden = golden_load(golden_find("07_custom_codecs"));
    firn_component component = firn_component_find(golden.world, "NilCodec");
    firn_error err = {0};
    assert_ok(firn_set(golden.world, 5, component, &(nil_codec){.v = 1}, &err), &err);
    firn_buffer saved = {0};
    assert_ok(firn_snapshot_save(golden.world, NULL, &saved, &err), &err);
    assert_ok(firn_snapshot_load(golden.world, saved.data, saved.size, NULL, NULL, &err), &err);
    assert_true(firn_alive(golden.world, 5));
    assert_false(firn_has(golden.world, 5, component));
    firn_buffer_free(&saved);
    golden_unload(&golden);
}

static void a_codec_that_refuses_a_value_fails_the_load_and_changes_nothing(void **state)
{
    (void)state;
    golden_loaded golden = golden_load(golden_find("07_custom_codecs"));
    firn_hash before;
    firn_hash after;
    assert_ok(firn_world_hash(golden.world, &before, NULL, NULL, NULL), NULL);
    for (size_t i = 0; i + 8 <= golden.size; i++) {
        if (memcmp(golden.image + i, "rock.png", 8) == 0) {
            golden.image[i] = 'm';
        }
    }
    firn_error err = {0};
    firn_result result =
        firn_snapshot_load(golden.world, golden.image, golden.size, NULL, NULL, &err);
    assert_int_not_equal(result, FIRN_OK);
    assert_non_null(strstr(err.message, "no image has that name"));
    assert_ok(firn_world_hash(golden.world, &after, NULL, NULL, NULL), NULL);
    assert_memory_equal(&after, &before, sizeof after);
    golden_unload(&golden);
}

// ---- The comparison itself: every single change of an expectation must be noticed.

typedef struct mutator {
    const golden_loaded *golden;
    uint32_t tried;
} mutator;

static void assert_noticed(mutator *run)
{
    char difference[GOLDEN_ROOM] = "";
    run->tried++;
    if (golden_holds(run->golden->world, run->golden->file, run->golden->expect, difference)) {
        char *expect = json_dumps(json_object_get(run->golden->expect, "entities"), 0);
        fail_msg("%s: not noticed: %s", run->golden->file->path, expect);
    }
    assert_true(difference[0] != 0);
}

// Another sign for a zero, another last bit for what is none.
static double other_real(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    bits ^= real == 0 ? UINT64_C(1) << 63 : 1;
    memcpy(&real, &bits, sizeof bits);
    return real;
}

// The file as a processor with 32-bit integers in registers writes it: numbers that are such one
// have tag 06. No text and no id of file 12 has a byte 07 in it.
static uint8_t *with_tag_06(const uint8_t *image, size_t size, size_t *out_size)
{
    uint8_t *out = malloc(size);
    assert_non_null(out);
    *out_size = 0;
    for (size_t i = 0; i < size; i++) {
        uint64_t bits = 0;
        double number;
        for (size_t k = 8; image[i] == 0x07 && k > 0; k--) {
            assert_true(i + k < size);
            bits = bits << 8 | image[i + k];
        }
        memcpy(&number, &bits, sizeof number);
        if (image[i] != 0x07 || number >= 2147483648.0) {
            out[(*out_size)++] = image[i];
            continue;
        }
        out[(*out_size)++] = 0x06;
        for (size_t k = 0; k < 4; k++) {
            out[(*out_size)++] = (uint8_t)((uint32_t)number >> 8 * k);
        }
        i += 8;
    }
    return out;
}

static void T22_a_target_of_16_digits_loads_from_the_files_of_both_processors(void **state)
{
    (void)state;
    golden_loaded golden = golden_load(golden_find("12_large_target_name"));
    size_t size;
    uint8_t *other = with_tag_06(golden.image, golden.size, &size);
    assert_true(size < golden.size && other[0] == 0x06);
    for (int i = 0; i < 2; i++) {
        firn_component likes = firn_component_find(golden.world, "Likes");
        assert_true(firn_target(golden.world, 6, likes) == UINT64_C(9007199250546693));
        assert_true(firn_alive(golden.world, UINT64_C(9007199250546693)));
        assert_int_equal(firn_sources(golden.world, likes, UINT64_C(9007199250546693), NULL, 0), 1);
        assert_golden(golden.world, &golden);
        firn_error err;
        firn_world_destroy(golden.world);
        golden.world = golden_world(golden.file, &err);
        assert_non_null(golden.world);
        assert_ok(firn_snapshot_load(golden.world, other, size, NULL, NULL, &err), &err);
    }
    free(other);
    golden_unload(&golden);
}

// A leaf that differs from `leaf` by as little as its kind allows.
static json_t *other_leaf(const json_t *leaf)
{
    switch (json_typeof(leaf)) {
    case JSON_INTEGER:
        return json_integer(json_integer_value(leaf) + 1);
    case JSON_REAL:
        return json_real(other_real(json_real_value(leaf)));
    case JSON_STRING:
        return json_sprintf("%s1", json_string_value(leaf));
    case JSON_TRUE:
        return json_false();
    case JSON_FALSE:
        return json_true();
    default:
        return NULL;
    }
}

static void mutate_each(json_t *tree, mutator *run);

static void mutate_members(json_t *object, mutator *run)
{
    json_object_set_new(object, "another", json_true());
    assert_noticed(run);
    json_object_del(object, "another");
    const char *key;
    json_t *item;
    json_object_foreach(object, key, item)
    {
        json_t *other = other_leaf(item);
        if (other == NULL) {
            mutate_each(item, run);
            continue;
        }
        json_incref(item);
        json_object_set_new(object, key, other);
        assert_noticed(run);
        json_object_set_new(object, key, item);
    }
}

static void mutate_elements(json_t *array, mutator *run)
{
    json_array_append_new(array, json_true());
    assert_noticed(run);
    json_array_remove(array, json_array_size(array) - 1);
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_t *item = json_array_get(array, i);
        json_t *other = other_leaf(item);
        if (other == NULL) {
            mutate_each(item, run);
            continue;
        }
        json_incref(item);
        json_array_set_new(array, i, other);
        assert_noticed(run);
        json_array_set_new(array, i, item);
    }
}

static void mutate_each(json_t *tree, mutator *run)
{
    if (json_is_object(tree)) {
        mutate_members(tree, run);
    } else if (json_is_array(tree)) {
        mutate_elements(tree, run);
    }
}

static void the_comparison_notices_every_changed_expectation(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_file_count; i++) {
        golden_loaded golden = golden_load(&golden_files[i]);
        json_t *entities = json_object_get(golden.expect, "entities");
        mutator run = {&golden, 0};
        for (size_t j = 0; j < json_array_size(entities); j++) {
            json_t *entity = json_array_get(entities, j);
            mutate_each(json_object_get(entity, "components"), &run);
            json_t *id = json_incref(json_object_get(entity, "id"));
            json_object_set_new(entity, "id", json_integer(json_integer_value(id) + 4096));
            assert_noticed(&run);
            json_object_set_new(entity, "id", id);
        }
        json_array_append_new(entities, json_object());
        assert_noticed(&run);
        json_array_remove(entities, json_array_size(entities) - 1);
        assert_true(run.tried >= 1 + 2 * json_array_size(entities));
        assert_golden(golden.world, &golden);
        golden_unload(&golden);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T13_tecs_files_load_to_exactly_the_expected_values),
        cmocka_unit_test(T17_the_prelude_of_a_tecs_file_is_reported),
        cmocka_unit_test(checking_a_tecs_file_needs_no_world),
        cmocka_unit_test(the_pipeline_of_a_tecs_file_can_be_read),
        cmocka_unit_test(T4_free_slots_are_used_again_before_fresh_ones),
        cmocka_unit_test(a_tecs_file_that_is_saved_again_loads_to_the_same_values),
        cmocka_unit_test(F7_a_tecs_file_whose_components_nobody_knows_is_saved_byte_for_byte),
        cmocka_unit_test(T14_a_tecs_file_keeps_entities_of_transient_components_only),
        cmocka_unit_test(N12_no_prefix_of_a_tecs_file_loads_or_changes_the_world),
        cmocka_unit_test(a_value_comes_back_as_it_was_saved_without_entries_of_its_default),
        cmocka_unit_test(T13_a_struct_that_was_saved_encoded_maps_by_field_names),
        cmocka_unit_test(a_codec_that_writes_nil_leaves_its_component_out),
        cmocka_unit_test(a_codec_that_refuses_a_value_fails_the_load_and_changes_nothing),
        cmocka_unit_test(T22_a_target_of_16_digits_loads_from_the_files_of_both_processors),
        cmocka_unit_test(the_comparison_notices_every_changed_expectation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
