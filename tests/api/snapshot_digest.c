// The digest of a save, taken as its bytes pass.
#include "api/snapshot_zoo.h"

#include <stdlib.h>
#include <string.h>

static const firn_digest untouched = {1, 2};

static void assert_digest(firn_digest digest, const void *bytes, size_t size)
{
    firn_digest whole = firn_bytes_digest(bytes, size);
    assert_int_equal(digest.low, whole.low);
    assert_int_equal(digest.high, whole.high);
}

static void assert_untouched(firn_digest digest)
{
    assert_int_equal(digest.low, 1);
    assert_int_equal(digest.high, 2);
}

// The save with a digest is the one without, and its digest is that of its bytes.
static void assert_saves_digested(firn_world *world, firn_save_options options)
{
    firn_digest digest = untouched;
    firn_buffer plain = zoo_save_with(world, &options);
    options.digest = &digest;
    firn_buffer image = zoo_save_with(world, &options);
    assert_same_bytes(&image, &plain);
    assert_digest(digest, image.data, image.size);
    firn_buffer_free(&image);
    firn_buffer_free(&plain);
}

// {b = "...", a = {}} in an order that is not canonical; `size` bytes.
static uint8_t *loose_data(uint32_t size)
{
    static const uint8_t head[] = {0x09, 2, 0x21, 'b', 0xff}, tail[] = {0x21, 'a', 0x08};
    uint32_t text = size - (uint32_t)(sizeof head + 4 + sizeof tail), tag = text + 0x20;
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    memcpy(bytes, head, sizeof head);
    for (uint32_t i = 0; i < 4; i++)
        bytes[sizeof head + i] = (uint8_t)(tag >> (8 * i));
    memset(bytes + sizeof head + 4, 'x', text);
    memcpy(bytes + size - sizeof tail, tail, sizeof tail);
    return bytes;
}

static void firn_bytes_digest_is_xxh3_of_128_bits(void **state)
{
    (void)state;
    firn_digest none = firn_bytes_digest(NULL, 0), snow = firn_bytes_digest("snow", 4);
    // As xxh128sum prints them: 99aa06d3014798d86001c324468d497f and
    // b7c2d2200639db749be1d0438ae6c664.
    assert_true(none.high == UINT64_C(0x99aa06d3014798d8));
    assert_true(none.low == UINT64_C(0x6001c324468d497f));
    assert_true(snow.high == UINT64_C(0xb7c2d2200639db74));
    assert_true(snow.low == UINT64_C(0x9be1d0438ae6c664));
}

static void F1_an_empty_world_has_the_digest_of_its_bytes(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    assert_saves_digested(world, (firn_save_options){0});
    firn_world_destroy(world);
}

static void F1_every_kind_of_column_passes_the_digest(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    for (uint32_t version = 1; version <= 2; version++)
        assert_saves_digested(z.world, (firn_save_options){.wire_version = version});
    zoo_litter(&z);
    assert_saves_digested(z.world, (firn_save_options){0});
    firn_world_destroy(z.world);
}

// A long string a row.
static firn_result encode_long(void *user, const firn_rows *rows, firn_writer *out, firn_error *err)
{
    static char text[1500];
    (void)user, (void)err;
    memset(text, 'x', sizeof text);
    for (uint32_t i = 0; i < rows->count; i++)
        firn_write_string(out, text, i + 500);
    return FIRN_OK;
}

static firn_result decode_none(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user, (void)rows, (void)in, (void)err;
    return FIRN_OK;
}

static void F1_what_a_codec_writes_passes_the_digest(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = zoo_desc(ZOO_GAP);
    firn_codec codec = {FIRN_ABI, "long", encode_long, decode_none, NULL};
    desc.codec = &codec;
    firn_component component = zoo_register(world, &desc);
    for (uint32_t count = 0; count < 30; count++) {
        assert_saves_digested(world, (firn_save_options){0});
        zoo_spawn_one(world, component);
    }
    firn_world_destroy(world);
}

static void F1_custom_data_of_any_size_passes_the_digest(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_non_null(doc);
    for (uint32_t size = 20; size < 40000; size += size / 2) {
        uint8_t *loose = loose_data(size);
        firn_value *tree = firn_value_decode(doc, loose, size, &err);
        assert_non_null(tree);
        firn_data data[] = {{.key = "bytes", .encoded = loose, .encoded_size = size},
                            {.key = "tree", .value = tree}};
        assert_saves_digested(z.world, (firn_save_options){.data = data, .data_count = 2});
        free(loose);
    }
    firn_doc_destroy(doc);
    firn_world_destroy(z.world);
}

// Columns that end before, at and behind the ends of blocks.
static void F1_worlds_of_many_sizes_have_the_digests_of_their_bytes(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    firn_error err;
    firn_component kinds[] = {z.of[ZOO_POINT], z.of[ZOO_SCORE], z.of[ZOO_TITLE], z.of[ZOO_TAG]};
    for (uint32_t i = 0; i < 600; i++) {
        firn_entity entity = zoo_spawn(z.world, kinds, 1 + i % 4);
        zoo_point point = {(float)i, 0.5f};
        assert_ok(firn_set(z.world, entity, z.of[ZOO_POINT], &point, &err), &err);
        if (i < 20 || i % 7 == 0)
            assert_saves_digested(z.world, (firn_save_options){.wire_version = 1 + i % 2});
    }
    firn_entity *ids = malloc(9000 * sizeof *ids);
    assert_non_null(ids);
    assert_ok(firn_spawn_many(z.world, kinds, 4, 9000, ids, &err), &err);
    assert_saves_digested(z.world, (firn_save_options){0});
    free(ids);
    firn_world_destroy(z.world);
}

static void F1_a_buffer_that_is_used_again_gives_the_digest_of_the_new_bytes(void **state)
{
    (void)state;
    zoo z = zoo_make(NULL, false);
    firn_error err;
    firn_buffer image = {0};
    firn_digest digest, first;
    firn_save_options options = {.digest = &digest};
    assert_ok(firn_snapshot_save(z.world, &options, &image, &err), &err);
    first = digest;
    zoo_fill(&z);
    assert_ok(firn_snapshot_save(z.world, &options, &image, &err), &err);
    assert_digest(digest, image.data, image.size);
    assert_true(digest.low != first.low);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static firn_result encode_badly(void *user, const firn_rows *rows, firn_writer *out,
                                firn_error *err)
{
    encode_long(user, rows, out, err);
    return *(const bool *)user ? FIRN_REFUSED : FIRN_OK;
}

static void F1_a_save_that_fails_leaves_the_digest(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_component_desc desc = zoo_desc(ZOO_GAP);
    bool refuse = false;
    firn_codec codec = {FIRN_ABI, "bad", encode_badly, decode_none, &refuse};
    desc.codec = &codec;
    zoo_spawn_one(world, zoo_register(world, &desc));
    firn_buffer image = {0};
    firn_digest digest = untouched;
    firn_save_options options = {.digest = &digest, .wire_version = 3};
    assert_int_equal(firn_snapshot_save(world, &options, &image, NULL), FIRN_INVALID);
    options.wire_version = 1;
    refuse = true;
    assert_int_equal(firn_snapshot_save(world, &options, &image, NULL), FIRN_REFUSED);
    refuse = false;
    // The last that is written.
    firn_data data = {.key = "key", .encoded = "\x03", .encoded_size = 1};
    options.data = &data;
    options.data_count = 1;
    assert_int_equal(firn_snapshot_save(world, &options, &image, NULL), FIRN_CORRUPT);
    assert_untouched(digest);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(firn_bytes_digest_is_xxh3_of_128_bits),
        cmocka_unit_test(F1_an_empty_world_has_the_digest_of_its_bytes),
        cmocka_unit_test(F1_every_kind_of_column_passes_the_digest),
        cmocka_unit_test(F1_what_a_codec_writes_passes_the_digest),
        cmocka_unit_test(F1_custom_data_of_any_size_passes_the_digest),
        cmocka_unit_test(F1_worlds_of_many_sizes_have_the_digests_of_their_bytes),
        cmocka_unit_test(F1_a_buffer_that_is_used_again_gives_the_digest_of_the_new_bytes),
        cmocka_unit_test(F1_a_save_that_fails_leaves_the_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
