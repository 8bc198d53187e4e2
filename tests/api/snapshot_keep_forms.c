// What is kept in the other forms of a save, and entries of data for handlers that come later.
#include "api/snapshot_zoo.h"

#include <stdlib.h>
#include <string.h>

static void keep_only(firn_world *world, const firn_buffer *image)
{
    firn_error err;
    firn_load_options options = {.keep_unknown = true};
    assert_ok(firn_snapshot_load(world, image->data, image->size, &options, NULL, &err), &err);
}

// An image of components A and B, of two and three bytes a row that nobody understands: entity 1
// has both, entity 2 has A and a row that looks like no string.
static firn_buffer opaque_image(void)
{
    firn_error err;
    firn_buffer image = {0};
    static const char hex[] =
        "07 000000000000f03f 07 0000000000000840 07 0000000000000040 07 0000000000000040 "
        "07 0000000000000040 21 41 27 783a7665637c32 21 42 27 793a7665637c33 "
        "07 000000000000f03f 07 000000000000f03f 07 000000000000f03f 07 0000000000000000 "
        "0000000000000040 00ff "
        "07 0000000000000040 07 000000000000f03f 07 000000000000f03f 07 0000000000000040 "
        "07 0000000000000000 000000000000f03f 6162 0d0a00 "
        "02 2c 5f5f6669726e2e776f726c64 09 01 24 7469636b 07 0000000000000000 01";
    size_t size;
    uint8_t *bytes = test_from_hex(hex, &size);
    assert_ok(firn_buffer_append(&image, bytes, size, &err), &err);
    free(bytes);
    return image;
}

static void F7_rows_that_nobody_understands_stand_in_the_table_form(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer image = opaque_image();
    firn_world *world = zoo_empty(NULL), *other = zoo_empty(NULL);
    keep_only(world, &image);
    assert_saves_as(world, &image);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = NULL;
    assert_ok(firn_snapshot_save_table(world, NULL, doc, &table, &err), &err);
    const firn_value *entry =
        firn_table_get_number(firn_table_get_text(table, "componentTable"), 2);
    const firn_value *fingerprint = firn_table_get_text(entry, "fingerprint");
    assert_true(fingerprint != NULL && fingerprint->length == 7);
    assert_memory_equal(fingerprint->as.string, "y:vec|3", 7);
    firn_load_options options = {.keep_unknown = true};
    assert_ok(firn_snapshot_load_table(other, table, &options, NULL, &err), &err);
    assert_saves_as(other, &image);
    // Both entities in one archetype, one of them without B.
    firn_value *row = firn_value_table(doc, &err), *rows = firn_value_table(doc, &err);
    const firn_value *frames = firn_table_get_text(table, "archetypes");
    const firn_value *second = firn_table_get_number(frames, 2);
    const firn_value id = {.kind = FIRN_VALUE_NUMBER, .as.number = 2};
    firn_value *raw = firn_value_string(doc, "\0\xff", 2, &err);
    assert_ok(firn_table_push(doc, row, &id, &err), &err);
    assert_ok(firn_table_push(doc, row, raw, &err), &err);
    const firn_value *old = firn_table_get_text(second, "entities");
    assert_ok(firn_table_push(doc, rows, firn_table_get_number(old, 1), &err), &err);
    assert_ok(firn_table_push(doc, rows, row, &err), &err);
    firn_value whole = *second;
    assert_ok(firn_table_set_text(doc, &whole, "entities", rows, &err), &err);
    firn_value *only = firn_value_table(doc, &err);
    assert_ok(firn_table_push(doc, only, &whole, &err), &err);
    assert_ok(firn_table_set_text(doc, table, "archetypes", only, &err), &err);
    assert_ok(firn_snapshot_load_table(other, table, &options, NULL, &err), &err);
    assert_saves_as(other, &image);
    // A string of another size is refused.
    raw->length = 1;
    firn_value *wrong = firn_value_table(doc, &err);
    assert_ok(firn_table_push(doc, wrong, &id, &err), &err);
    assert_ok(firn_table_push(doc, wrong, raw, &err), &err);
    assert_ok(firn_table_push(doc, rows, wrong, &err), &err);
    assert_int_equal(firn_snapshot_load_table(other, table, &options, NULL, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "archetypes[1].entities[3][2]");
    assert_saves_as(other, &image);
    firn_buffer_free(&image);
    firn_doc_destroy(doc);
    firn_world_destroy(world);
    firn_world_destroy(other);
}

static void F7_a_save_of_version_2_wraps_the_scalars_that_are_kept(void **state)
{
    (void)state;
    firn_error err;
    const firn_save_options version_2 = {.wire_version = 2};
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    // A value of a bare number is one of a scalar to who does not know it.
    for (firn_entity id = 1; id <= 12; id++)
        if (firn_alive(z.world, id) && firn_has(z.world, id, z.of[ZOO_BAG]))
            assert_ok(firn_remove(z.world, id, &z.of[ZOO_BAG], 1, &err), &err);
    firn_buffer image = zoo_save(z.world), wrapped = zoo_save_with(z.world, &version_2);
    firn_world *world = zoo_empty(NULL);
    keep_only(world, &image);
    firn_buffer now = zoo_save_with(world, &version_2);
    assert_same_bytes(&now, &wrapped);
    firn_buffer_free(&now);
    // Read back, also what is kept of it, it is the same.
    keep_only(world, &wrapped);
    now = zoo_save_with(world, &version_2);
    assert_same_bytes(&now, &wrapped);
    zoo_load(z.world, &now);
    assert_saves_as(z.world, &image);
    firn_buffer_free(&now);
    firn_buffer_free(&wrapped);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    firn_world_destroy(z.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F7_rows_that_nobody_understands_stand_in_the_table_form),
        cmocka_unit_test(F7_a_save_of_version_2_wraps_the_scalars_that_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
