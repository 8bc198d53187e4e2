// Snapshots as lines of JSON and back: worlds with everything in them.
#include "api/json_lines.h"
#include "api/pack_scene.h"
#include "api/snapshot_zoo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_world_crosses(firn_world *world, const firn_save_options *options,
                                 const char *name)
{
    firn_buffer image = zoo_save_with(world, options);
    assert_crosses(image.data, image.size, name);
    firn_buffer_free(&image);
}

static void S7_a_world_with_every_kind_of_component_comes_back(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    assert_world_crosses(z.world, NULL, "empty");
    zoo_fill(&z);
    assert_world_crosses(z.world, NULL, "zoo");
    const firn_save_options second = {.wire_version = 2};
    assert_world_crosses(z.world, &second, "version 2");
    zoo_litter(&z);
    assert_world_crosses(z.world, NULL, "litter");
    firn_world_destroy(z.world);
}

static void S7_a_world_that_lives_comes_back_at_every_tick(void **state)
{
    (void)state;
    const firn_save_options edges = {.sparse_edges = true};
    for (int32_t seed = 1; seed <= 3; seed++) {
        pack *wolves = pack_make(seed, seed == 2);
        for (int i = 0; i < 12; i++) {
            assert_world_crosses(wolves->world, &edges, "pack");
            pack_ticks(wolves, 5);
        }
        pack_destroy(wolves);
    }
}

static void random_bytes(test_random *random, void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)test_random_u64(random);
}

static void S7_numbers_of_any_bits_in_rows_come_back(void **state)
{
    (void)state;
    test_random random = {11};
    zoo z = zoo_make(NULL, false);
    firn_error err;
    for (int i = 0; i < 300; i++) {
        zoo_body body;
        zoo_point point;
        random_bytes(&random, &body, sizeof body);
        random_bytes(&random, &point, sizeof point);
        body.awake = i & 1;
        for (int k = 0; k < 3; k++)
            body.doors[k] = i >> k & 1;
        if (i % 4 == 0) // not a number, with what is left of its bits
            body.mass = (double)NAN, body.path[1].x = -0.0f;
        if (i == 7) // the float that would read as another one by way of a double
            memcpy(&point.x, &(uint32_t){0x15ae43fd}, 4);
        if (i % 5 == 0)
            memcpy(body.label, "wolf\0\0\0", 7);
        firn_entity entity = zoo_spawn(z.world, z.of, 0);
        assert_ok(firn_set(z.world, entity, z.of[ZOO_BODY], &body, &err), &err);
        assert_ok(firn_set(z.world, entity, z.of[ZOO_POINT], &point, &err), &err);
    }
    assert_world_crosses(z.world, NULL, "bits");
    firn_world_destroy(z.world);
}

static void keep_all(firn_world *world, const void *image, size_t size)
{
    firn_error err;
    const firn_load_options options = {.keep_unknown = true};
    assert_ok(firn_snapshot_load(world, image, size, &options, NULL, &err), &err);
}

static firn_buffer bytes_of_hex(const char *hex)
{
    firn_buffer out = {0};
    size_t size;
    uint8_t *bytes = test_from_hex(hex, &size);
    assert_ok(firn_buffer_append(&out, bytes, size, NULL), NULL);
    free(bytes);
    return out;
}

// A of rows that nobody understands, B of a row with something between its fields, C of rows that
// are nil; the value of a key in a form that firn does not write.
static const char odd_image[] =
    "07 000000000000f03f 07 0000000000000840 07 0000000000000040 07 000000000000f03f "
    "07 0000000000000840 21 41 27 783a7665637c32 21 42 34 783a696e74385f742c793a696e7431365f747c34 "
    "21 43 20 "
    "07 0000000000000840 07 0000000000000040 07 000000000000f03f 07 0000000000000040 "
    "07 0000000000000840 07 0000000000000000 000000000000f03f 0000000000000040 "
    "00ff 6162 01000200 05770600 00 0605000000 "
    "02 2c 5f5f6669726e2e776f726c64 09 01 24 7469636b 07 0000000000000000 "
    "02 24 6d696e65 0a020102 01";

static void F7_what_firn_keeps_for_others_comes_back_with_its_gaps(void **state)
{
    (void)state;
    firn_buffer image = bytes_of_hex(odd_image);
    assert_crosses(image.data, image.size, "odd");
    firn_world *world = zoo_empty(NULL);
    keep_all(world, image.data, image.size);
    assert_world_crosses(world, NULL, "kept");
    firn_buffer lines = json_lines_of(image.data, image.size);
    assert_ok(firn_buffer_append(&lines, "", 1, NULL), NULL);
    assert_non_null(strstr((char *)lines.data, "\"A\":{\"$bytes\":\"AP8=\"},\"B\":{\"x\":1,\"y\":2}"
                                               ",\"C\":null}"));
    assert_non_null(strstr((char *)lines.data, "\"B\":{\"$bytes\":\"BXcGAA==\"}"));
    assert_non_null(strstr((char *)lines.data, "\"value\":{\"$encoded\":\"CgIBAg==\"}"));
    firn_buffer_free(&lines);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

// Names that begin with $ and fields that are not UTF-8.
static const char strange_image[] =
    "07 000000000000f03f 07 0000000000000840 07 0000000000000040 07 000000000000f03f "
    "07 0000000000000040 22 2441 34 ff3a636861725b325d2c793a696e74385f747c33 22 2442 20 "
    "07 0000000000000040 07 0000000000000040 07 000000000000f03f 07 0000000000000040 "
    "07 000000000000f03f "
    "07 000000000000f03f 07 0000000000000840 000001 02 "
    "07 0000000000000040 07 0000000000000040 00 "
    "02 2c 5f5f6669726e2e776f726c64 09 01 24 7469636b 07 0000000000000000 "
    "02 21 ff 00 01";

static void S7_names_that_are_no_keys_of_json_come_back(void **state)
{
    (void)state;
    firn_buffer image = bytes_of_hex(strange_image);
    assert_crosses(image.data, image.size, "strange");
    firn_buffer lines = json_lines_of(image.data, image.size);
    assert_ok(firn_buffer_append(&lines, "", 1, NULL), NULL);
    assert_non_null(strstr((char *)lines.data,
                           "{\"$table\":[[\"$A\",{\"$table\":[[{\"$bytes\":\"/w==\"},\"\"],"
                           "[\"y\",1]]}],[\"$B\",true]]}"));
    assert_non_null(strstr((char *)lines.data, "\"components\":{\"$table\":[[\"$B\",null]]}"));
    firn_buffer_free(&lines);
    firn_buffer_free(&image);
}

// ---- streams

typedef struct counting {
    test_allocator memory;
    uint64_t peak; // of the export, once it runs
    uint64_t bytes, calls, most;
} counting;

static firn_result count_text(void *user, const void *text, size_t size, firn_error *err)
{
    (void)err;
    counting *sum = user;
    assert_true(size > 0 && ((const char *)text)[size - 1] == '\n');
    if (sum->calls++ == 0) // what opening the image takes is freed only at the end
        test_allocator_reset_peak(&sum->memory);
    sum->bytes += size;
    sum->most = size > sum->most ? size : sum->most;
    return FIRN_OK;
}

static counting export_points(uint32_t entities)
{
    counting sum = {0};
    firn_error err;
    zoo z = zoo_make(NULL, false);
    for (uint32_t i = 0; i < entities; i++) {
        zoo_point point = {(float)i, 0.1f};
        firn_entity entity = zoo_spawn(z.world, z.of, 0);
        assert_ok(firn_set(z.world, entity, z.of[ZOO_POINT], &point, &err), &err);
    }
    firn_buffer image = zoo_save(z.world);
    test_allocator_init(&sum.memory);
    const firn_json_options options = {.allocator = &sum.memory.allocator};
    assert_ok(firn_json_export_image(image.data, image.size, &options, count_text, &sum, &err),
              &err);
    assert_no_leak(&sum.memory);
    sum.peak = sum.memory.peak_bytes;
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
    return sum;
}

static void S7_an_export_takes_no_more_memory_for_more_entities(void **state)
{
    (void)state;
    counting few = export_points(4000), many = export_points(40000);
    assert_true(many.bytes > 9 * few.bytes);
    assert_true(many.calls > 9);
    assert_true(many.most < 70000);
    // A bit for each slot, which the check of the image takes.
    assert_true(many.peak <= few.peak + 40000 / 8 + 64);
}

static firn_result refuse_text(void *user, const void *text, size_t size, firn_error *err)
{
    (void)text, (void)size;
    uint32_t *left = user;
    if ((*left)-- > 0)
        return FIRN_OK;
    snprintf(err->subject, sizeof err->subject, "pipe");
    snprintf(err->message, sizeof err->message, "nobody listens");
    return FIRN_IO;
}

static void S7_a_sink_that_fails_ends_the_export_with_its_error(void **state)
{
    (void)state;
    firn_error err;
    uint32_t left = 0;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    assert_int_equal(firn_json_export_image(image.data, image.size, NULL, refuse_text, &left, &err),
                     FIRN_IO);
    assert_error(&err, FIRN_IO, "pipe");
    assert_string_equal(err.message, "nobody listens");
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static void S7_an_import_appends(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world), out = {0};
    firn_buffer lines = json_lines_of(image.data, image.size);
    assert_ok(firn_buffer_append(&out, "front", 5, &err), &err);
    assert_ok(firn_json_import_image(lines.data, lines.size, NULL, &out, &err), &err);
    assert_int_equal(out.size, 5 + image.size);
    assert_memory_equal(out.data, "front", 5);
    assert_memory_equal(out.data + 5, image.data, image.size);
    firn_buffer_free(&out);
    firn_buffer_free(&lines);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

// Tools write some entities, by walking the image themselves.
static void S7_the_line_of_one_entity_is_that_of_the_export(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world), lines = json_lines_of(image.data, image.size);
    firn_buffer made = {0};
    firn_image *open = firn_image_open(image.data, image.size, NULL, &err);
    firn_image_archetype archetype;
    for (uint32_t i = 0; firn_image_archetype_at(open, i, &archetype); i++) {
        firn_image_rows *rows = firn_image_rows_open(open, i, &err);
        assert_int_equal(firn_json_write_entity(rows, &made, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "rows");
        while (firn_image_rows_next(rows)) {
            assert_ok(firn_json_write_entity(rows, &made, &err), &err);
            assert_ok(firn_buffer_append(&made, "\n", 1, &err), &err);
        }
        assert_int_equal(firn_json_write_entity(rows, &made, &err), FIRN_INVALID);
        assert_int_equal(firn_json_write_entity(rows, NULL, &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "out");
        firn_image_rows_close(rows);
    }
    assert_int_equal(firn_json_write_entity(NULL, &made, &err), FIRN_INVALID);
    const uint8_t *entities = memchr(lines.data, '\n', lines.size);
    assert_non_null(entities);
    assert_memory_equal(entities + 1, made.data, made.size);
    firn_image_close(open);
    firn_buffer_free(&made);
    firn_buffer_free(&lines);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

// Opening an image does not look for keys that are there twice: a value with one has no lines.
static const char twice_image[] =
    "07 000000000000f03f 07 0000000000000040 07 000000000000f03f 07 000000000000f03f "
    "07 000000000000f03f 21 41 20 "
    "07 000000000000f03f 07 000000000000f03f 07 000000000000f03f 07 0000000000000000 "
    "000000000000f03f 09022161022161 02 01";

static void S7_a_value_with_a_key_twice_is_corrupt(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = bytes_of_hex(twice_image), out = {0};
    assert_int_equal(firn_json_export_image(image.data, image.size, NULL, json_sink, &out, &err),
                     FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "A");
    assert_int_equal(err.entity, 1);
    firn_image *open = firn_image_open(image.data, image.size, NULL, &err);
    firn_image_rows *rows = firn_image_rows_open(open, 0, &err);
    assert_true(firn_image_rows_next(rows));
    assert_int_equal(firn_json_write_entity(rows, &out, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "A");
    firn_image_rows_close(rows);
    firn_image_close(open);
    assert_int_equal(out.size, 0);
    firn_buffer_free(&image);
    // The same in an entry of data.
    static const char datum[] = "07 000000000000f03f 07 000000000000f03f 07 0000000000000000 "
                                "07 0000000000000000 07 0000000000000000 "
                                "02 2161 09022161022161 02 01";
    image = bytes_of_hex(datum);
    assert_int_equal(firn_json_export_image(image.data, image.size, NULL, json_sink, &out, &err),
                     FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "a");
    firn_buffer_free(&image);
    firn_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S7_a_world_with_every_kind_of_component_comes_back),
        cmocka_unit_test(S7_a_world_that_lives_comes_back_at_every_tick),
        cmocka_unit_test(S7_numbers_of_any_bits_in_rows_come_back),
        cmocka_unit_test(F7_what_firn_keeps_for_others_comes_back_with_its_gaps),
        cmocka_unit_test(S7_names_that_are_no_keys_of_json_come_back),
        cmocka_unit_test(S7_an_export_takes_no_more_memory_for_more_entities),
        cmocka_unit_test(S7_a_sink_that_fails_ends_the_export_with_its_error),
        cmocka_unit_test(S7_an_import_appends),
        cmocka_unit_test(S7_the_line_of_one_entity_is_that_of_the_export),
        cmocka_unit_test(S7_a_value_with_a_key_twice_is_corrupt),
    };
    return firn_json_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
