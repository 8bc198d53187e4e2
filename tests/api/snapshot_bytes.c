// What a save writes, byte for byte, and what it refuses to write.
#include "api/snapshot_zoo.h"

#include <stdlib.h>
#include <string.h>

static void assert_image(const firn_buffer *image, const char *hex)
{
    firn_buffer expected = {0};
    expected.data = test_from_hex(hex, &expected.size);
    assert_same_bytes(image, &expected);
    free(expected.data);
}

// Encoded numbers, as they stand in images.
#define N0 "07 00*8 "
#define N1 "07 00*6 f03f "
#define N2 "07 00*7 40 "
#define N3 "07 00*6 0840 "

static void T12_an_empty_world_is_five_numbers_and_its_tick(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_buffer image = zoo_save(world);
    assert_image(&image, N1 N1 N0 N0 N0
                 // true, "__firn.world", {tick = 0}, false
                 "02 2c 5f5f6669726e2e776f726c64 09 01 24 7469636b " N0 "01");
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void T12_a_raw_column_is_its_rows_without_padding_bytes(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    firn_error err;
    zoo_gap gap;
    memset(&gap, 0xaa, sizeof gap);
    gap.a = 0x01020304;
    gap.b = -2;
    for (int i = 0; i < 2; i++) {
        firn_entity entity = zoo_spawn_one(z.world, z.of[ZOO_TAG]);
        assert_ok(firn_set(z.world, entity, z.of[ZOO_GAP], &gap, &err), &err);
    }
    firn_buffer image = zoo_save(z.world);
    assert_image(&image, N1 N3 N2 N1 N2
                 // "zoo.Gap", "a:int32_t,b:int16_t|8"; "zoo.Tag", ""
                 "27 7a6f6f2e476170 35 613a696e7433325f742c623a696e7431365f747c38 "
                 "27 7a6f6f2e546167 20 "
                 // 2 columns, 2 entities, components 1 and 2, column by column
                 N2 N2 N1 N2 N0
                 // ids 1 and 2
                 "00*6 f03f 00*7 40 "
                 "04030201 feff 0000 04030201 feff 0000 "
                 "02 02 "
                 "02 2c 5f5f6669726e2e776f726c64 09 01 24 7469636b " N0 "01");
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void T5_scalars_are_written_as_they_are_and_in_version_2_as_tables(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    firn_error err;
    firn_entity entity = zoo_spawn_one(z.world, z.of[ZOO_FLAG]);
    double score = 2;
    assert_ok(firn_set(z.world, entity, z.of[ZOO_SCORE], &score, &err), &err);
    assert_ok(firn_set_text(z.world, entity, z.of[ZOO_TITLE], "ab", &err), &err);
#define TABLE                                                                                      \
    N2 N1 N1 N3 "28 7a6f6f2e466c6167 20 29 7a6f6f2e53636f7265 20 29 7a6f6f2e5469746c65 20 " N3 N1  \
        N1 N2 N3 N0 "00*6 f03f "
#define END "02 2c 5f5f6669726e2e776f726c64 09 01 24 7469636b " N0 "01"
    firn_buffer image = zoo_save(z.world);
    assert_image(&image, N1 TABLE "01 " N2 "22 6162 " END);
    firn_buffer second = zoo_save_with(z.world, &(firn_save_options){.wire_version = 2});
#define VALUE "09 01 25 76616c7565 "
    assert_image(&second, N2 TABLE VALUE "01 " VALUE N2 VALUE "22 6162 " END);
    zoo other = zoo_make(NULL, true);
    zoo_load(other.world, &second);
    assert_saves_as(other.world, &image);
    firn_buffer_free(&image);
    firn_buffer_free(&second);
    firn_world_destroy(z.world);
    firn_world_destroy(other.world);
}

static void T17_a_whole_world_written_as_version_2_loads_back(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false), other = zoo_make(NULL, true);
    zoo_fill(&z);
    zoo_litter(&other);
    firn_buffer image = zoo_save(z.world);
    firn_buffer second = zoo_save_with(z.world, &(firn_save_options){.wire_version = 2});
    firn_load_report report = zoo_load(other.world, &second);
    assert_int_equal(report.prelude.version, 2);
    assert_saves_as(other.world, &image);
    firn_buffer_free(&image);
    firn_buffer_free(&second);
    firn_world_destroy(z.world);
    firn_world_destroy(other.world);
}

// A bag that looks like a scalar of version 2 stays the table that it is.
static void T17_a_value_of_one_key_value_is_not_unwrapped(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *bag = firn_value_table(doc, &err);
    assert_ok(firn_table_set_text(doc, bag, "value", firn_value_number(doc, 5, &err), &err), &err);
    firn_entity entity = zoo_spawn(z.world, NULL, 0);
    assert_ok(firn_set_value(z.world, entity, z.of[ZOO_BAG], bag, &err), &err);
    firn_buffer second = zoo_save_with(z.world, &(firn_save_options){.wire_version = 2});
    zoo_load(z.world, &second);
    firn_value *back = firn_get_value(z.world, entity, z.of[ZOO_BAG], doc, &err);
    assert_true(firn_value_equal(back, bag));
    firn_buffer_free(&second);
    firn_doc_destroy(doc);
    firn_world_destroy(z.world);
}

static void T2_the_output_is_reset_and_its_memory_used_again(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_buffer fresh = zoo_save(z.world), used = {0};
    assert_ok(firn_buffer_reserve(&used, 1 << 16, &err), &err);
    assert_ok(firn_buffer_append(&used, "what was here before", 20, &err), &err);
    const uint8_t *data = used.data;
    for (int i = 0; i < 3; i++) {
        assert_ok(firn_snapshot_save(z.world, NULL, &used, &err), &err);
        assert_same_bytes(&used, &fresh);
        assert_ptr_equal(used.data, data);
    }
    firn_buffer_free(&fresh);
    firn_buffer_free(&used);
    firn_world_destroy(z.world);
}

static void T1_deferred_changes_that_wait_are_in_the_save(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    zoo z = zoo_make(&memory, false), plain = zoo_make(NULL, false);
    firn_error err;
    firn_query_desc all = {.name = "all"};
    zoo_spawn(z.world, NULL, 0);
    zoo_spawn(plain.world, NULL, 0);
    firn_query query = firn_query_create(z.world, &all, &err);
    firn_iter it;
    firn_iter_begin(z.world, query, &it);
    zoo_spawn_one(z.world, z.of[ZOO_TITLE]);
    test_allocator_fail_at(&memory, 1, true);
    assert_int_equal(firn_iter_end(&it, &err), FIRN_NO_MEMORY);
    test_allocator_fail_at(&memory, 0, false);
    assert_int_equal(firn_pending(z.world), 1);
    zoo_spawn_one(plain.world, plain.of[ZOO_TITLE]);
    firn_buffer image = zoo_save(plain.world);
    assert_saves_as(z.world, &image);
    assert_int_equal(firn_pending(z.world), 0);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    firn_world_destroy(plain.world);
    assert_no_leak(&memory);
}

static void a_save_inside_a_loop_is_busy_and_names_the_query(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_query_desc all = {.name = "the open one"};
    firn_query query = firn_query_create(z.world, &all, &err);
    firn_buffer before = zoo_save(z.world), out = zoo_save(z.world);
    firn_load_report report;
    firn_hash hash;
    firn_iter it;
    firn_iter_begin(z.world, query, &it);
    assert_true(firn_iter_next(&it));
    assert_int_equal(firn_snapshot_save(z.world, NULL, &out, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "the open one");
    assert_int_equal(out.size, 0);
    assert_int_equal(firn_snapshot_load(z.world, before.data, before.size, NULL, &report, &err),
                     FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "the open one");
    assert_false(report.committed);
    assert_int_equal(firn_world_hash(z.world, &hash, NULL, NULL, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "the open one");
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_saves_as(z.world, &before);
    firn_buffer_free(&before);
    firn_buffer_free(&out);
    firn_world_destroy(z.world);
}

// ---- what cannot be saved

static void expect_refusal(zoo *z, const firn_save_options *options, firn_result result,
                           const char *subject)
{
    firn_error err;
    firn_buffer out = {0};
    assert_ok(firn_buffer_append(&out, "old", 3, &err), &err);
    assert_int_equal(firn_snapshot_save(z->world, options, &out, &err), result);
    assert_error(&err, result, subject);
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
}

static void T12_a_bool_byte_of_neither_0_nor_1_fails_the_save(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_buffer out = {0};
    firn_buffer before = zoo_save(z.world);
    firn_entity entity = zoo_spawn_one(z.world, z.of[ZOO_BODY]);
    zoo_body *body = firn_get_mut(z.world, entity, z.of[ZOO_BODY]);
    memset((char *)body + offsetof(zoo_body, doors) + 1, 2, 1);
    assert_int_equal(firn_snapshot_save(z.world, NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "zoo.Body");
    assert_int_equal(err.entity, entity);
    assert_non_null(strstr(err.message, "zoo.Body.doors"));
    assert_int_equal(out.size, 0);
    firn_hash hash;
    assert_int_equal(firn_world_hash(z.world, &hash, NULL, NULL, &err), FIRN_INVALID);
    memset((char *)firn_get_mut(z.world, entity, z.of[ZOO_BODY]) + offsetof(zoo_body, doors) + 1, 1,
           1);
    assert_ok(firn_snapshot_save(z.world, NULL, &out, &err), &err);

    entity = zoo_spawn_one(z.world, z.of[ZOO_FLAG]);
    memset(firn_get_mut(z.world, entity, z.of[ZOO_FLAG]), 7, 1);
    assert_int_equal(firn_snapshot_save(z.world, NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "zoo.Flag");
    assert_int_equal(err.entity, entity);
    firn_buffer_free(&out);
    firn_buffer_free(&before);
    firn_world_destroy(z.world);
}

static void T11_a_table_inside_itself_is_refused_with_component_and_path(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *bag = firn_value_table(doc, &err), *inner = firn_value_table(doc, &err);
    assert_ok(firn_table_set_text(doc, bag, "inner", inner, &err), &err);
    assert_ok(firn_table_set_text(doc, inner, "outer", bag, &err), &err);
    firn_buffer before = zoo_save(z.world);
    firn_entity entity = 4;
    assert_int_equal(firn_set_value(z.world, entity, z.of[ZOO_BAG], bag, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "zoo.Bag.inner.outer");
    assert_int_equal(err.entity, entity);
    assert_saves_as(z.world, &before);
    firn_data data = {.key = "loop", .value = bag};
    expect_refusal(&z, &(firn_save_options){.data = &data, .data_count = 1}, FIRN_LIMIT, "loop");
    firn_doc_destroy(doc);
    firn_buffer_free(&before);
    firn_world_destroy(z.world);
}

static firn_result encode_deep(void *user, const firn_rows *rows, firn_writer *out, firn_error *err)
{
    (void)user;
    (void)err;
    for (uint32_t i = 0; i < rows->count; i++) {
        firn_write_table(out, 0, 1);
        firn_write_text(out, "deep");
        for (int depth = 0; i == 2 && depth < FIRN_DEPTH_MAX; depth++)
            firn_write_table(out, 1, 0);
        firn_write_bool(out, true);
    }
    return FIRN_OK;
}

static firn_result decode_none(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user;
    (void)rows;
    return firn_reader_end(in, err);
}

static void T11_a_value_too_deep_is_told_with_component_entity_and_path(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = zoo_desc(ZOO_GAP);
    firn_codec codec = {FIRN_ABI, "depths", encode_deep, decode_none, NULL};
    desc.codec = &codec;
    firn_component component = zoo_register(world, &desc);
    for (int i = 0; i < 4; i++)
        zoo_spawn_one(world, component);
    assert_int_equal(firn_snapshot_save(world, NULL, &out, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "zoo.Gap");
    assert_int_equal(err.entity, 3);
    assert_non_null(
        strstr(err.message, "codec depths of zoo.Gap, value 3 of entity 3 at .deep[1]"));
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
    firn_world_destroy(world);
}

static void a_save_with_wrong_arguments_is_refused(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_buffer out = {0};
    assert_int_equal(firn_snapshot_save(NULL, NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_snapshot_save(z.world, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_int_equal(firn_snapshot_save(NULL, NULL, NULL, NULL), FIRN_INVALID);
    expect_refusal(&z, &(firn_save_options){.wire_version = 3}, FIRN_INVALID, "wire_version");
    for (int i = 0; i < 3; i++) {
        firn_save_options options = {0};
        options.reserved[i] = 1;
        expect_refusal(&z, &options, FIRN_INVALID, "firn_save_options.reserved");
    }
    expect_refusal(&z, &(firn_save_options){.data_count = 1}, FIRN_INVALID, "data");
    firn_data empty = {.key = "key"};
    expect_refusal(&z, &(firn_save_options){.data = &empty, .data_count = 1}, FIRN_INVALID, "key");
    firn_data nameless = {.encoded = "\x00", .encoded_size = 1};
    expect_refusal(&z, &(firn_save_options){.data = &nameless, .data_count = 1}, FIRN_INVALID,
                   "data key");
    firn_world_destroy(z.world);
}

static void a_hash_with_wrong_arguments_is_refused(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    firn_error err;
    firn_hash hash;
    assert_int_equal(firn_world_hash(NULL, &hash, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_world_hash(z.world, NULL, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    firn_buffer image = zoo_save(z.world);
    assert_int_equal(firn_image_hash(image.data, image.size, NULL, NULL, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "out");
    assert_int_equal(firn_image_hash(NULL, 9, NULL, &hash, NULL, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "image");
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T12_an_empty_world_is_five_numbers_and_its_tick),
        cmocka_unit_test(T12_a_raw_column_is_its_rows_without_padding_bytes),
        cmocka_unit_test(T5_scalars_are_written_as_they_are_and_in_version_2_as_tables),
        cmocka_unit_test(T17_a_whole_world_written_as_version_2_loads_back),
        cmocka_unit_test(T17_a_value_of_one_key_value_is_not_unwrapped),
        cmocka_unit_test(T2_the_output_is_reset_and_its_memory_used_again),
        cmocka_unit_test(T1_deferred_changes_that_wait_are_in_the_save),
        cmocka_unit_test(a_save_inside_a_loop_is_busy_and_names_the_query),
        cmocka_unit_test(T12_a_bool_byte_of_neither_0_nor_1_fails_the_save),
        cmocka_unit_test(T11_a_table_inside_itself_is_refused_with_component_and_path),
        cmocka_unit_test(T11_a_value_too_deep_is_told_with_component_entity_and_path),
        cmocka_unit_test(a_save_with_wrong_arguments_is_refused),
        cmocka_unit_test(a_hash_with_wrong_arguments_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
