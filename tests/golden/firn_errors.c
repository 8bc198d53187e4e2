// Bad images (errors/make.py): what each of them comes to, and that nothing changes.
#include "support/support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/firn_worlds.h"

// The folder names what a load comes to.
typedef struct bad_folder {
    const char *name;
    firn_result result;
} bad_folder;

static const bad_folder bad_folders[] = {
    {"corrupt", FIRN_CORRUPT},   {"invalid", FIRN_INVALID}, {"limit", FIRN_LIMIT},
    {"not_ours", FIRN_NOT_OURS}, {"refused", FIRN_REFUSED}, {"truncated", FIRN_TRUNCATED},
    {"unknown", FIRN_UNKNOWN},   {"version", FIRN_VERSION},
};

typedef struct bad_image {
    const char *path;
    firn_result check; ///< of firn_image_check: FIRN_OK where only a world can tell
    uint64_t offset;
    const char *subject; ///< a part of it
} bad_image;

static const bad_image bad_images[] = {
    {"corrupt/accumulator_infinite", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/accumulator_is_a_string", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/accumulator_is_missing", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/accumulator_nan", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/accumulator_negative", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/bool_byte_2", FIRN_CORRUPT, 130, "Types"},
    {"corrupt/bool_byte_255_in_an_array", FIRN_CORRUPT, 118, "Types"},
    {"corrupt/codec_value", FIRN_OK, 97, "Handle"},
    {"corrupt/column_index_0", FIRN_CORRUPT, 90, "component index"},
    {"corrupt/column_index_out_of_range", FIRN_CORRUPT, 90, "component index"},
    {"corrupt/column_twice", FIRN_CORRUPT, 105, "Position"},
    {"corrupt/component_twice", FIRN_CORRUPT, 72, "Position"},
    {"corrupt/data_key_is_a_number", FIRN_CORRUPT, 171, "data key"},
    {"corrupt/data_marker", FIRN_CORRUPT, 170, "data"},
    {"corrupt/data_pointer", FIRN_CORRUPT, 179, "weather"},
    {"corrupt/dictionary", FIRN_CORRUPT, 94, "Bag"},
    {"corrupt/disabled_phase_is_a_number", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/disabled_phase_is_a_place", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/disabled_phase_not_utf8", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/disabled_phase_twice", FIRN_OK, 214, "__tecs.pipeline"},
    {"corrupt/disabled_phase_without_a_name", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/disabled_phases_are_a_string", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/edges_are_a_number", FIRN_OK, 96, "Knows"},
    {"corrupt/entity_count_fraction", FIRN_CORRUPT, 18, "entityCount"},
    {"corrupt/entity_count_is_a_string", FIRN_CORRUPT, 18, "entityCount"},
    {"corrupt/entity_count_negative", FIRN_CORRUPT, 18, "entityCount"},
    {"corrupt/fingerprint_field_twice", FIRN_OK, 45, "Position"},
    {"corrupt/fingerprint_is_a_number", FIRN_CORRUPT, 54, "fingerprint"},
    {"corrupt/fingerprint_size", FIRN_OK, 45, "Position"},
    {"corrupt/fingerprint_type", FIRN_OK, 45, "Position"},
    {"corrupt/frame_count_nan", FIRN_CORRUPT, 27, "archetypeCount"},
    {"corrupt/frames_hold_fewer", FIRN_CORRUPT, 140, "entityCount"},
    {"corrupt/frames_hold_more", FIRN_CORRUPT, 81, "frame entityCount"},
    {"corrupt/free_from_0", FIRN_CORRUPT, 153, "__firn.free"},
    {"corrupt/free_generation", FIRN_CORRUPT, 153, "__firn.free"},
    {"corrupt/free_map", FIRN_CORRUPT, 153, "__firn.free"},
    {"corrupt/free_number", FIRN_CORRUPT, 153, "__firn.free"},
    {"corrupt/free_odd_length", FIRN_CORRUPT, 153, "__firn.free"},
    {"corrupt/free_slot_0", FIRN_CORRUPT, 153, "__firn.free"},
    {"corrupt/free_slot_alive", FIRN_CORRUPT, 153, "__firn.free"},
    {"corrupt/free_slot_out_of_range", FIRN_CORRUPT, 153, "__firn.free"},
    {"corrupt/free_slot_twice", FIRN_CORRUPT, 153, "__firn.free"},
    {"corrupt/free_string", FIRN_CORRUPT, 153, "__firn.free"},
    {"corrupt/free_twice", FIRN_CORRUPT, 168, "__firn.free"},
    {"corrupt/generation_too_large", FIRN_CORRUPT, 116, "ids"},
    {"corrupt/id_0", FIRN_CORRUPT, 108, "ids"},
    {"corrupt/id_fraction", FIRN_CORRUPT, 116, "ids"},
    {"corrupt/id_infinite", FIRN_CORRUPT, 116, "ids"},
    {"corrupt/id_nan", FIRN_CORRUPT, 116, "ids"},
    {"corrupt/id_negative", FIRN_CORRUPT, 108, "ids"},
    {"corrupt/id_twice", FIRN_CORRUPT, 116, "ids"},
    {"corrupt/image_twice", FIRN_CORRUPT, 171, "image"},
    {"corrupt/key_nan", FIRN_CORRUPT, 96, "Bag"},
    {"corrupt/key_nil", FIRN_CORRUPT, 96, "Bag"},
    {"corrupt/key_of_far_frames", FIRN_OK, 45, "Key"},
    {"corrupt/key_of_two_entities", FIRN_OK, 45, "Key"},
    {"corrupt/key_of_two_frames", FIRN_OK, 45, "Key"},
    {"corrupt/key_table", FIRN_CORRUPT, 96, "Bag"},
    {"corrupt/key_twice", FIRN_OK, 94, "Bag"},
    {"corrupt/metatable", FIRN_CORRUPT, 94, "Bag"},
    {"corrupt/mode_2", FIRN_CORRUPT, 99, "frame mode"},
    {"corrupt/mode_is_true", FIRN_CORRUPT, 99, "frame mode"},
    {"corrupt/more_columns_than_components", FIRN_CORRUPT, 72, "frame columnCount"},
    {"corrupt/more_entities_than_slots", FIRN_CORRUPT, 18, "entityCount"},
    {"corrupt/name_control", FIRN_CORRUPT, 45, "Posi\\x0ation"},
    {"corrupt/name_empty", FIRN_CORRUPT, 45, "component name"},
    {"corrupt/name_is_a_number", FIRN_CORRUPT, 45, "component name"},
    {"corrupt/name_not_utf8", FIRN_CORRUPT, 45, "Posi\\xfftion"},
    {"corrupt/named_phase_is_a_number", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/next_slot_0", FIRN_CORRUPT, 9, "nextEntityId"},
    {"corrupt/next_slot_above_all", FIRN_CORRUPT, 9, "nextEntityId"},
    {"corrupt/no_such_tag", FIRN_CORRUPT, 94, "Bag"},
    {"corrupt/order_is_a_map", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_is_a_number", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_list_is_a_map", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_list_is_a_string", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_list_without_a_target", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_of_others", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_of_too_few", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_of_too_many", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_piece_is_a_number", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_piece_of_15_bytes", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_relation_is_a_number", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_source_twice", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_target_0", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_target_fraction", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_target_is_a_string", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_target_without_sources", FIRN_OK, 235, "__firn.order"},
    {"corrupt/order_twice", FIRN_CORRUPT, 251, "__firn.order"},
    {"corrupt/outer_twice", FIRN_CORRUPT, 200, "__firn.outer"},
    {"corrupt/phase_is_a_number", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/phases_are_a_map", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/phases_are_a_number", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/phases_are_missing", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/phases_of_no_version", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/pipeline_is_a_string", FIRN_OK, 187, "__tecs.pipeline"},
    {"corrupt/pointer_32", FIRN_CORRUPT, 94, "Bag"},
    {"corrupt/pointer_64", FIRN_CORRUPT, 94, "Bag"},
    {"corrupt/pointer_null", FIRN_CORRUPT, 94, "Bag"},
    {"corrupt/random_is_a_number", FIRN_OK, 183, "tecs.random"},
    {"corrupt/relation_is_a_number", FIRN_OK, 97, "Trusts"},
    {"corrupt/relation_of_the_target_0", FIRN_OK, 45, "Likes->0"},
    {"corrupt/relation_target_0", FIRN_OK, 97, "Trusts"},
    {"corrupt/relation_target_fraction", FIRN_OK, 97, "Trusts"},
    {"corrupt/relation_target_is_a_string", FIRN_OK, 97, "Trusts"},
    {"corrupt/relation_target_twice", FIRN_OK, 124, "Knows"},
    {"corrupt/relation_target_twice_among_many", FIRN_OK, 1138, "Knows"},
    {"corrupt/relation_target_twice_behind_others", FIRN_OK, 137, "Knows"},
    {"corrupt/relation_to_another_target", FIRN_OK, 107, "Likes->1"},
    {"corrupt/relation_without_a_target", FIRN_OK, 97, "Trusts"},
    {"corrupt/row_bool_byte_2", FIRN_CORRUPT, 133, "Types"},
    {"corrupt/row_columns", FIRN_CORRUPT, 805, "frame mode"},
    {"corrupt/row_id_fraction", FIRN_CORRUPT, 134, "ids"},
    {"corrupt/row_id_is_a_string", FIRN_CORRUPT, 134, "ids"},
    {"corrupt/row_id_twice", FIRN_CORRUPT, 134, "ids"},
    {"corrupt/row_mask_fraction", FIRN_CORRUPT, 143, "row mask"},
    {"corrupt/row_mask_nan", FIRN_CORRUPT, 143, "row mask"},
    {"corrupt/row_mask_negative", FIRN_CORRUPT, 143, "row mask"},
    {"corrupt/row_mask_of_numbers", FIRN_CORRUPT, 143, "row mask"},
    {"corrupt/row_mask_of_too_few_booleans", FIRN_CORRUPT, 143, "row mask"},
    {"corrupt/row_mask_of_too_many_booleans", FIRN_CORRUPT, 143, "row mask"},
    {"corrupt/row_mask_too_large", FIRN_CORRUPT, 143, "row mask"},
    {"corrupt/row_mask_with_names", FIRN_CORRUPT, 143, "row mask"},
    {"corrupt/row_pointer", FIRN_CORRUPT, 104, "Bag"},
    {"corrupt/seed_above_32_bits", FIRN_OK, 183, "tecs.random"},
    {"corrupt/seed_below_32_bits", FIRN_OK, 183, "tecs.random"},
    {"corrupt/seed_fraction", FIRN_OK, 183, "tecs.random"},
    {"corrupt/seed_is_a_string", FIRN_OK, 183, "tecs.random"},
    {"corrupt/seed_is_missing", FIRN_OK, 183, "tecs.random"},
    {"corrupt/seed_nan", FIRN_OK, 183, "tecs.random"},
    {"corrupt/slot_0_of_generation_1", FIRN_CORRUPT, 116, "ids"},
    {"corrupt/slot_out_of_range", FIRN_CORRUPT, 116, "ids"},
    {"corrupt/slot_twice", FIRN_CORRUPT, 116, "ids"},
    {"corrupt/state_is_a_number", FIRN_OK, 189, "__tecs.stateStack"},
    {"corrupt/state_is_nil", FIRN_OK, 189, "__tecs.stateStack"},
    {"corrupt/states_are_a_map", FIRN_OK, 189, "__tecs.stateStack"},
    {"corrupt/states_are_a_number", FIRN_OK, 189, "__tecs.stateStack"},
    {"corrupt/stream_is_a_number", FIRN_OK, 183, "tecs.random"},
    {"corrupt/stream_name_is_a_boolean", FIRN_OK, 183, "tecs.random"},
    {"corrupt/stream_of_3_words", FIRN_OK, 183, "tecs.random"},
    {"corrupt/stream_of_5_words", FIRN_OK, 183, "tecs.random"},
    {"corrupt/stream_twice", FIRN_OK, 252, "tecs.random"},
    {"corrupt/stream_with_names", FIRN_OK, 183, "tecs.random"},
    {"corrupt/stream_word_above_32_bits", FIRN_OK, 183, "tecs.random"},
    {"corrupt/stream_word_fraction", FIRN_OK, 183, "tecs.random"},
    {"corrupt/stream_word_is_a_string", FIRN_OK, 183, "tecs.random"},
    {"corrupt/streams_are_a_list", FIRN_OK, 183, "tecs.random"},
    {"corrupt/streams_are_a_number", FIRN_OK, 183, "tecs.random"},
    {"corrupt/streams_are_missing", FIRN_OK, 183, "tecs.random"},
    {"corrupt/trailing_bytes", FIRN_CORRUPT, 171, "image"},
    {"corrupt/world_is_a_number", FIRN_CORRUPT, 154, "__firn.world"},
    {"corrupt/world_is_an_array", FIRN_CORRUPT, 154, "__firn.world"},
    {"corrupt/world_name_control", FIRN_CORRUPT, 154, "__firn.world"},
    {"corrupt/world_name_is_a_number", FIRN_CORRUPT, 154, "__firn.world"},
    {"corrupt/world_name_not_utf8", FIRN_CORRUPT, 154, "__firn.world"},
    {"corrupt/world_name_too_long", FIRN_CORRUPT, 154, "__firn.world"},
    {"corrupt/world_tick_above_2_53", FIRN_CORRUPT, 154, "__firn.world"},
    {"corrupt/world_tick_fraction", FIRN_CORRUPT, 154, "__firn.world"},
    {"corrupt/world_tick_is_a_string", FIRN_CORRUPT, 154, "__firn.world"},
    {"corrupt/world_tick_nan", FIRN_CORRUPT, 154, "__firn.world"},
    {"corrupt/world_tick_negative", FIRN_CORRUPT, 154, "__firn.world"},
    {"corrupt/world_twice", FIRN_CORRUPT, 184, "__firn.world"},
    {"invalid/bool_is_a_number", FIRN_OK, 96, "Alive"},
    {"invalid/component_is_a_relation", FIRN_OK, 45, "Score->1"},
    {"invalid/number_is_a_string", FIRN_OK, 96, "Score"},
    {"invalid/number_is_an_int64", FIRN_OK, 96, "Score"},
    {"invalid/relation_field_is_a_string", FIRN_OK, 106, "Trusts"},
    {"invalid/relation_is_raw", FIRN_OK, 45, "Trusts"},
    {"invalid/row_number_is_a_string", FIRN_OK, 211, "Score"},
    {"invalid/string_is_a_bool", FIRN_OK, 96, "Title"},
    {"invalid/string_is_a_bool_in_the_long_form", FIRN_OK, 96, "Title"},
    {"invalid/struct_field_is_a_string", FIRN_OK, 103, "Position"},
    {"invalid/struct_is_a_number", FIRN_OK, 99, "Position"},
    {"invalid/tag_is_a_struct", FIRN_OK, 45, "Boss"},
    {"invalid/wrapped_bool_is_nil", FIRN_OK, 96, "Alive"},
    {"limit/columns", FIRN_LIMIT, 3123, "frame columnCount"},
    {"limit/data_keys", FIRN_LIMIT, 16555, "data"},
    {"limit/depth_101_in_a_column", FIRN_LIMIT, 294, "Bag"},
    {"limit/depth_101_in_data", FIRN_LIMIT, 376, "deep"},
    {"limit/frames", FIRN_LIMIT, 27, "archetypeCount"},
    {"limit/name_of_256_bytes", FIRN_LIMIT, 45, "nnnn"},
    {"limit/own_entries", FIRN_LIMIT, 899, "data"},
    {"limit/phases", FIRN_OK, 187, "__tecs.pipeline"},
    {"limit/states", FIRN_OK, 189, "__tecs.stateStack"},
    {"limit/states_in_a_tree", FIRN_OK, 189, "__tecs.stateStack"},
    {"limit/stream_name_of_256_bytes", FIRN_OK, 183, "tecs.random"},
    {"not_ours/string", FIRN_NOT_OURS, 0, "version"},
    {"not_ours/text", FIRN_NOT_OURS, 0, "version"},
    {"refused/by_a_codec", FIRN_OK, 97, "Handle"},
    {"truncated/bomb_array_in_a_column", FIRN_TRUNCATED, 94, "Bag"},
    {"truncated/bomb_array_in_data", FIRN_TRUNCATED, 176, "bomb"},
    {"truncated/bomb_nested_in_a_column", FIRN_TRUNCATED, 94, "Bag"},
    {"truncated/bomb_nested_in_data", FIRN_TRUNCATED, 176, "bomb"},
    {"truncated/bomb_pairs_in_a_column", FIRN_TRUNCATED, 94, "Bag"},
    {"truncated/bomb_pairs_in_data", FIRN_TRUNCATED, 176, "bomb"},
    {"truncated/components_beyond_the_bytes", FIRN_TRUNCATED, 36, "componentCount"},
    {"truncated/data_value", FIRN_TRUNCATED, 149, "weather"},
    {"truncated/empty", FIRN_TRUNCATED, 0, "image"},
    {"truncated/encoded_column", FIRN_TRUNCATED, 96, "Score"},
    {"truncated/entities_beyond_the_bytes", FIRN_TRUNCATED, 18, "entityCount"},
    {"truncated/frames_beyond_the_bytes", FIRN_TRUNCATED, 27, "archetypeCount"},
    {"truncated/ids", FIRN_TRUNCATED, 108, "ids"},
    {"truncated/name", FIRN_TRUNCATED, 45, "component name"},
    {"truncated/no_end", FIRN_TRUNCATED, 170, "data"},
    {"truncated/raw_column", FIRN_TRUNCATED, 124, "Position"},
    {"truncated/row_boolean_mask", FIRN_TRUNCATED, 143, "row mask"},
    {"truncated/row_encoded", FIRN_TRUNCATED, 185, "Score"},
    {"truncated/row_id", FIRN_TRUNCATED, 134, "ids"},
    {"truncated/row_mask", FIRN_TRUNCATED, 143, "row mask"},
    {"truncated/row_raw", FIRN_TRUNCATED, 152, "Position"},
    {"truncated/string_column", FIRN_TRUNCATED, 96, "Title"},
    {"truncated/version", FIRN_TRUNCATED, 0, "version"},
    {"unknown/component", FIRN_OK, 45, "Positron"},
    {"unknown/components", FIRN_OK, 72, "Lost"},
    {"unknown/state", FIRN_OK, 189, "dusk"},
    {"unknown/two_readings", FIRN_UNKNOWN, 45, "A"},
    {"version/version_0", FIRN_VERSION, 0, "version"},
    {"version/version_1_5", FIRN_VERSION, 0, "version"},
    {"version/version_3", FIRN_VERSION, 0, "version"},
    {"version/version_3_as_int32", FIRN_VERSION, 0, "version"},
    {"version/version_nan", FIRN_VERSION, 0, "version"},
};

// A world with an entity of every kind, its hash and its bytes.
typedef struct kept_world {
    firn_world *world;
    firn_hash hash;
    firn_buffer bytes;
} kept_world;

static void make_kept_world(kept_world *kept)
{
    firn_error err = {0};
    kept->world = golden_image_world(&golden_images[1], &err);
    assert_non_null(kept->world);
    firn_buffer_init(&kept->bytes, NULL);
    assert_ok(firn_world_hash(kept->world, &kept->hash, NULL, NULL, &err), &err);
    assert_ok(firn_snapshot_save(kept->world, NULL, &kept->bytes, &err), &err);
}

static void assert_kept(const kept_world *kept, const char *path)
{
    firn_hash hash;
    firn_buffer bytes;
    firn_buffer_init(&bytes, NULL);
    assert_ok(firn_world_hash(kept->world, &hash, NULL, NULL, NULL), NULL);
    assert_ok(firn_snapshot_save(kept->world, NULL, &bytes, NULL), NULL);
    if (memcmp(&hash, &kept->hash, sizeof hash) != 0 || bytes.size != kept->bytes.size ||
        memcmp(bytes.data, kept->bytes.data, bytes.size) != 0)
        fail_msg("%s changed the world", path);
    firn_buffer_free(&bytes);
}

static void free_kept_world(kept_world *kept)
{
    firn_world_destroy(kept->world);
    firn_buffer_free(&kept->bytes);
}

// The bytes in a block of exactly their size, so that a read behind them is noticed.
static uint8_t *read_bad_image(const char *path, size_t *size)
{
    char file[512];
    snprintf(file, sizeof file, FIRN_TEST_DATA "/errors/%s.bin", path);
    uint8_t *read = test_read_file(file, size);
    uint8_t *exact = malloc(*size + (*size == 0));
    assert_non_null(exact);
    memcpy(exact, read, *size);
    free(read);
    return exact;
}

static firn_result result_of_folder(const char *path)
{
    for (size_t i = 0; i < FIRN_COUNT(bad_folders); i++)
        if (strncmp(path, bad_folders[i].name, strcspn(path, "/")) == 0)
            return bad_folders[i].result;
    fail_msg("%s lies in a folder that is no result", path);
    return FIRN_OK;
}

static void assert_refused(const bad_image *bad, const char *call, firn_result result,
                           firn_result expected, const firn_error *err)
{
    if (result != expected || err->code != expected || err->offset != bad->offset)
        fail_msg("%s: %s gives %s at %llu, not %s at %llu: %s", bad->path, call,
                 firn_result_name(result), (unsigned long long)err->offset,
                 firn_result_name(expected), (unsigned long long)bad->offset, err->message);
    assert_error(err, expected, bad->subject);
}

static void bad_images_are_refused_with_the_place_and_the_thing(void **state)
{
    (void)state;
    kept_world kept;
    make_kept_world(&kept);
    for (size_t i = 0; i < FIRN_COUNT(bad_images); i++) {
        const bad_image *bad = &bad_images[i];
        size_t size;
        uint8_t *bytes = read_bad_image(bad->path, &size);
        firn_error err = {0};
        firn_load_report report;
        firn_result result = firn_image_check(bytes, size, NULL, NULL, &err);
        if (bad->check == FIRN_OK)
            assert_ok(result, &err);
        else
            assert_refused(bad, "firn_image_check", result, bad->check, &err);
        err = (firn_error){0};
        result = firn_snapshot_load(kept.world, bytes, size, NULL, &report, &err);
        firn_load_report_free(&report);
        assert_refused(bad, "firn_snapshot_load", result, result_of_folder(bad->path), &err);
        assert_false(report.committed);
        assert_kept(&kept, bad->path);
        free(bytes);
    }
    free_kept_world(&kept);
}

// An entry that no merge looks into.
static bool is_of_the_game(const bad_image *bad)
{
    static const char *const keys[] = {"__tecs.", "tecs.random", "dusk"};
    bool found = false;
    for (size_t i = 0; i < FIRN_COUNT(keys); i++)
        found = found || strncmp(bad->subject, keys[i], strlen(keys[i])) == 0;
    return found && bad->check == FIRN_OK;
}

static void bad_images_are_not_merged_but_for_what_a_merge_leaves_out(void **state)
{
    (void)state;
    kept_world kept;
    make_kept_world(&kept);
    for (size_t i = 0; i < FIRN_COUNT(bad_images); i++) {
        const bad_image *bad = &bad_images[i];
        size_t size;
        uint8_t *bytes = read_bad_image(bad->path, &size);
        firn_error err = {0};
        firn_merge_report report;
        if (is_of_the_game(bad)) {
            firn_world *world = golden_image_world(&golden_images[1], &err);
            assert_ok(firn_snapshot_merge(world, bytes, size, NULL, &report, &err), &err);
            firn_world_destroy(world);
        } else {
            firn_result result = firn_snapshot_merge(kept.world, bytes, size, NULL, &report, &err);
            assert_refused(bad, "firn_snapshot_merge", result, result_of_folder(bad->path), &err);
            assert_false(report.load.committed);
            assert_kept(&kept, bad->path);
        }
        firn_merge_report_free(&report);
        free(bytes);
    }
    free_kept_world(&kept);
}

static void an_image_that_cannot_be_checked_cannot_be_hashed_or_searched(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIRN_COUNT(bad_images); i++) {
        const bad_image *bad = &bad_images[i];
        size_t size, value_size;
        const void *value;
        uint8_t *bytes = read_bad_image(bad->path, &size);
        firn_error err = {0};
        firn_hash hash;
        if (bad->check != FIRN_OK) {
            firn_result result = firn_image_hash(bytes, size, NULL, &hash, NULL, NULL, &err);
            assert_refused(bad, "firn_image_hash", result, bad->check, &err);
            err = (firn_error){0};
            result = firn_image_data(bytes, size, "__firn.world", NULL, &value, &value_size, &err);
            assert_refused(bad, "firn_image_data", result, bad->check, &err);
        }
        free(bytes);
    }
}

static bool is_listed(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%.*s", folder, (int)(strlen(name) - strlen(".bin")), name);
    for (size_t i = 0; i < FIRN_COUNT(bad_images); i++)
        if (strcmp(bad_images[i].path, path) == 0)
            return true;
    return false;
}

static void every_result_has_bad_images_and_every_one_is_listed(void **state)
{
    (void)state;
    size_t files = 0;
    for (size_t i = 0; i < FIRN_COUNT(bad_folders); i++) {
        char path[512];
        snprintf(path, sizeof path, FIRN_TEST_DATA "/errors/%s", bad_folders[i].name);
        DIR *folder = opendir(path);
        assert_non_null(folder);
        size_t before = files;
        for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
            if (strstr(entry->d_name, ".bin") == NULL)
                continue;
            if (!is_listed(bad_folders[i].name, entry->d_name))
                fail_msg("%s/%s is not listed", bad_folders[i].name, entry->d_name);
            files++;
        }
        closedir(folder);
        assert_true(files > before);
    }
    assert_int_equal(files, FIRN_COUNT(bad_images));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_images_are_refused_with_the_place_and_the_thing),
        cmocka_unit_test(bad_images_are_not_merged_but_for_what_a_merge_leaves_out),
        cmocka_unit_test(an_image_that_cannot_be_checked_cannot_be_hashed_or_searched),
        cmocka_unit_test(every_result_has_bad_images_and_every_one_is_listed),
    };
    return cmocka_run_group_tests_name("firn_errors", tests, NULL, NULL);
}
