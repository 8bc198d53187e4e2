// Images taken apart without a world.
#include <stdlib.h>
#include <string.h>

#include "api/snapshot_zoo.h"
#include "support/tree.h"

typedef struct opened {
    firn_buffer bytes;
    firn_image *image;
    firn_doc *doc;
} opened;

static opened open_bytes(firn_buffer bytes)
{
    firn_error err;
    opened o = {.bytes = bytes, .doc = firn_doc_create(NULL, NULL, NULL)};
    o.image = firn_image_open(bytes.data, bytes.size, NULL, &err);
    if (o.image == NULL)
        fail_msg("not opened: %s", err.message);
    return o;
}

static opened open_hex(const char *hex)
{
    firn_error err;
    firn_buffer bytes = {0};
    size_t size;
    uint8_t *from = test_from_hex(hex, &size);
    assert_ok(firn_buffer_append(&bytes, from, size, &err), &err);
    free(from);
    return open_bytes(bytes);
}

static void close_bytes(opened *o)
{
    firn_image_close(o->image);
    firn_doc_destroy(o->doc);
    firn_buffer_free(&o->bytes);
}

static opened open_zoo(void)
{
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_data data = {.key = "level", .encoded = "\x02", .encoded_size = 1};
    opened o =
        open_bytes(zoo_save_with(z.world, &(firn_save_options){.data = &data, .data_count = 1}));
    firn_world_destroy(z.world);
    return o;
}

// ---- the whole

static void N1_an_image_is_described_without_a_world(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = firn_world_create(&(firn_world_desc){.name = "north"}, &err);
    firn_entity gone = zoo_spawn(world, NULL, 0);
    zoo_spawn(world, NULL, 0);
    assert_ok(firn_despawn(world, gone, &err), &err);
    assert_ok(firn_world_set_tick(world, 60, &err), &err);
    opened o = open_bytes(zoo_save(world));
    firn_world_destroy(world);
    firn_image_info info;
    firn_image_describe(o.image, &info);
    assert_string_equal(info.world_name, "north");
    assert_true(info.by_firn);
    assert_int_equal(info.tick, 60);
    assert_int_equal(info.free_count, 1);
    assert_int_equal(info.prelude.entity_count, 1);
    assert_int_equal(info.prelude.next_slot, 3);
    assert_int_equal(info.size, o.bytes.size);
    close_bytes(&o);
}

static void every_byte_of_an_image_is_of_one_part(void **state)
{
    (void)state;
    opened o = open_zoo();
    firn_image_info info;
    firn_image_archetype archetype;
    firn_image_describe(o.image, &info);
    size_t at = info.frames_offset;
    for (uint32_t i = 0; i < info.prelude.frame_count; i++) {
        assert_true(firn_image_archetype_at(o.image, i, &archetype));
        assert_int_equal(archetype.offset, at);
        at += archetype.size;
    }
    assert_int_equal(at, info.data_offset);
    assert_true(info.data_offset < info.size);
    close_bytes(&o);
}

// ---- components

static void the_component_table_has_names_fields_and_sums(void **state)
{
    (void)state;
    opened o = open_zoo();
    uint32_t index = firn_image_component_find(o.image, "zoo.Gap");
    firn_image_component gap;
    assert_true(firn_image_component_at(o.image, index, &gap));
    assert_string_equal(gap.name, "zoo.Gap");
    assert_string_equal(gap.fingerprint, "a:int32_t,b:int16_t|8");
    assert_true(gap.raw && gap.row_size == 8 && gap.field_count == 2);
    assert_true(gap.rows == 3 && gap.bytes == 24 && gap.nils == 0);
    firn_image_field field;
    assert_true(firn_image_field_at(o.image, index, 1, &field));
    assert_string_equal(field.name, "b");
    assert_string_equal(field.type_text, "int16_t");
    assert_true(field.type == FIRN_I16 && field.count == 0 && field.offset == 4 && field.size == 2);
    assert_false(firn_image_field_at(o.image, index, 2, &field));
    assert_false(firn_image_field_at(o.image, UINT32_MAX, 0, &field));
    assert_false(firn_image_field_at(o.image, index, 0, NULL));
    assert_false(firn_image_field_at(NULL, index, 0, &field));

    index = firn_image_component_find(o.image, "zoo.Score");
    assert_true(firn_image_component_at(o.image, index, &gap));
    assert_false(gap.raw);
    assert_string_equal(gap.fingerprint, "");
    assert_true(gap.row_size == 0 && gap.field_count == 0);
    assert_false(firn_image_field_at(o.image, index, 0, &field));
    assert_int_equal(firn_image_component_find(o.image, "zoo"), UINT32_MAX);
    assert_int_equal(firn_image_component_find(o.image, "zoo.Zebra"), UINT32_MAX);
    close_bytes(&o);
}

// ---- rows

// The rows of all archetypes, read in each way there is, are the same.
static void rows_values_and_readers_agree(void **state)
{
    (void)state;
    opened o = open_zoo();
    firn_error err;
    firn_image_archetype archetype;
    uint32_t values = 0;
    for (uint32_t i = 0; firn_image_archetype_at(o.image, i, &archetype); i++) {
        firn_image_rows *rows = firn_image_rows_open(o.image, i, &err);
        assert_non_null(rows);
        for (uint32_t row = 0; firn_image_rows_next(rows); row++) {
            firn_entity entity;
            assert_int_equal(firn_image_entities(o.image, i, row, &entity, 1), 1);
            assert_int_equal(firn_image_rows_entity(rows), entity);
            for (uint32_t k = 0; k < archetype.columns; k++, values++) {
                const firn_value *a = firn_image_rows_value(rows, k, o.doc, &err);
                const firn_value *b = firn_image_value(o.image, i, k, row, o.doc, &err);
                assert_true(a != NULL && firn_value_equal(a, b));
            }
        }
        firn_image_rows_close(rows);
    }
    assert_true(values > 20);
    close_bytes(&o);
}

static void a_reader_gives_the_values_of_a_column(void **state)
{
    (void)state;
    opened o = open_zoo();
    firn_error err;
    firn_image_archetype archetype;
    firn_image_column column;
    uint32_t read = 0;
    for (uint32_t i = 0; firn_image_archetype_at(o.image, i, &archetype); i++) {
        for (uint32_t k = 0; firn_image_column_at(o.image, i, k, &column); k++) {
            firn_reader reader;
            if (column.raw) {
                firn_image_reader(o.image, i, k, &reader, &err);
                assert_error(&err, FIRN_INVALID, "zoo.");
                continue;
            }
            assert_ok(firn_image_reader(o.image, i, k, &reader, &err), &err);
            for (uint32_t row = 0; row < column.rows; row++, read++) {
                const firn_value *a = firn_read_value(&reader, o.doc);
                const firn_value *b = firn_image_value(o.image, i, k, row, o.doc, &err);
                assert_true(a != NULL && firn_value_equal(a, b));
            }
            assert_ok(firn_reader_end(&reader, &err), &err);
        }
    }
    assert_true(read > 5);
    close_bytes(&o);
}

static void a_raw_row_is_a_table_by_field_name(void **state)
{
    (void)state;
    opened o = open_zoo();
    firn_error err;
    uint32_t archetype, row;
    firn_image_column column;
    assert_true(firn_image_find(o.image, 4194311, &archetype, &row) ||
                firn_image_find(o.image, 5, &archetype, &row));
    for (uint32_t k = 0; firn_image_column_at(o.image, archetype, k, &column); k++) {
        firn_image_component component;
        assert_true(firn_image_component_at(o.image, column.component, &component));
        const firn_value *value = firn_image_value(o.image, archetype, k, row, o.doc, &err);
        if (strcmp(component.name, "zoo.Gap") == 0)
            assert_tree(value, "{a = 4, b = -1}");
        if (strcmp(component.name, "zoo.Point") == 0)
            assert_tree(value, "{x = 4.25, y = -0}");
    }
    close_bytes(&o);
}

static void an_entity_is_found_by_its_whole_id(void **state)
{
    (void)state;
    opened o = open_zoo();
    uint32_t archetype, row;
    firn_entity entity;
    assert_true(firn_image_find(o.image, 8, &archetype, &row));
    assert_int_equal(firn_image_entities(o.image, archetype, row, &entity, 1), 1);
    assert_int_equal(entity, 8);
    assert_true(firn_image_find(o.image, 8, NULL, NULL));
    assert_false(firn_image_find(o.image, 8 + 4194304, &archetype, &row));
    assert_false(firn_image_find(o.image, 0, &archetype, &row));
    close_bytes(&o);
}

// ---- data

static void data_comes_in_the_order_of_the_image(void **state)
{
    (void)state;
    opened o = open_zoo();
    firn_image_datum datum;
    firn_image_info info;
    firn_image_describe(o.image, &info);
    uint32_t last = info.prelude.data_count - 1;
    assert_true(firn_image_datum_at(o.image, last, &datum));
    assert_string_equal(datum.key, "level");
    assert_true(datum.key_size == 5 && datum.size == 1 && datum.custom);
    assert_int_equal(*(const uint8_t *)datum.encoded, 2);
    assert_true(firn_image_datum_at(o.image, 0, &datum));
    assert_false(datum.custom);
    assert_false(firn_image_datum_at(o.image, last + 1, &datum));
    close_bytes(&o);
}

// ---- relationships

// One entity, 2, whose column has the given name; its value is {target = 9007199250546693}.
#define RELATED(name)                                                                              \
    "07000000000000f03f 070000000000000840 07000000000000f03f 07000000000000f03f"                  \
    "07000000000000f03f " name " 20"                                                               \
    "07000000000000f03f 07000000000000f03f 07000000000000f03f 070000000000000000"                  \
    "0000000000000040 0901 26746172676574 070500c0ffffff3f43 01"

static void assert_related(const char *hex, const char *name, firn_entity target)
{
    opened o = open_hex(hex);
    firn_image_component component;
    assert_true(firn_image_component_at(o.image, 0, &component));
    assert_int_equal(component.relation_size, strlen(name));
    assert_memory_equal(component.name, name, strlen(name));
    assert_true(component.target == target);
    close_bytes(&o);
}

static void T5_a_column_of_a_relationship_names_relation_and_target(void **state)
{
    (void)state;
    // "Likes->12"
    assert_related(RELATED("29 4c696b65732d3e3132"), "Likes", 12);
    // "Likes->9.0071992505467e+15": the value says which
    assert_related(RELATED("3a 4c696b65732d3e392e30303731393932353035343637652b3135"), "Likes",
                   9007199250546693);
    // "Likes"
    assert_related(RELATED("25 4c696b6573"), "", 0);
}

static void T5_the_target_of_a_relationship_is_that_of_a_value_that_has_one(void **state)
{
    (void)state;
    // "Likes->?": nil, 3, {true, [0.5] = 1, target = true}, {b = 1, target = 7}
    assert_related("07000000000000f03f 070000000000001440 070000000000001040 07000000000000f03f"
                   "07000000000000f03f 28 4c696b65732d3e3f 20"
                   "07000000000000f03f 070000000000001040 07000000000000f03f 070000000000000000"
                   "000000000000f03f 0000000000000040 0000000000000840 0000000000001040"
                   "00 0603000000 0d02020207000000000000e03f 0601000000 26746172676574 02"
                   "0902 2162 0601000000 26746172676574 0607000000 01",
                   "Likes", 7);
    // "Likes->": {target = 0.5}
    assert_related("07000000000000f03f 070000000000000840 07000000000000f03f 07000000000000f03f"
                   "07000000000000f03f 27 4c696b65732d3e 20"
                   "07000000000000f03f 07000000000000f03f 07000000000000f03f 070000000000000000"
                   "0000000000000040 0901 26746172676574 07000000000000e03f 01",
                   "Likes", 0);
}

// ---- refused

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    opened o = open_zoo();
    firn_error err;
    firn_reader reader;
    firn_entity entity;
    firn_image_archetype archetype;
    firn_image_column column;
    assert_null(firn_image_value(o.image, 0, 99, 0, o.doc, &err));
    assert_error(&err, FIRN_INVALID, "column");
    assert_null(firn_image_value(NULL, 0, 0, 0, o.doc, &err));
    uint32_t i = 0;
    while (!firn_image_column_at(o.image, i, 0, &column))
        i++;
    assert_null(firn_image_value(o.image, i, 0, column.rows, o.doc, &err));
    assert_error(&err, FIRN_INVALID, "row");
    firn_image_reader(o.image, 99, 0, &reader, &err);
    assert_error(&err, FIRN_INVALID, "column");
    firn_image_reader(o.image, i, 0, NULL, &err);
    assert_error(&err, FIRN_INVALID, "out");
    assert_null(firn_image_rows_open(o.image, 99, &err));
    assert_error(&err, FIRN_INVALID, "archetype");
    assert_null(firn_image_rows_open(NULL, 0, &err));
    assert_error(&err, FIRN_INVALID, "image");
    assert_int_equal(firn_image_entities(o.image, 99, 0, &entity, 1), 0);
    assert_int_equal(firn_image_entities(o.image, 0, 99, &entity, 1), 0);
    assert_false(firn_image_archetype_at(o.image, 99, &archetype));
    assert_int_equal(firn_image_component_find(NULL, "x"), UINT32_MAX);
    firn_image_info info = {.size = 7};
    firn_image_describe(NULL, &info);
    firn_image_describe(o.image, NULL);
    assert_int_equal(info.size, 0);
    assert_string_equal(info.world_name, "");
    firn_image_close(NULL);
    firn_image_rows_close(NULL);
    close_bytes(&o);
}

static void a_walk_has_no_row_before_the_first_and_behind_the_last(void **state)
{
    (void)state;
    opened o = open_zoo();
    firn_error err;
    size_t size;
    firn_image_rows *rows = firn_image_rows_open(o.image, 0, &err);
    assert_int_equal(firn_image_rows_entity(rows), 0);
    assert_null(firn_image_rows_bytes(rows, 0, &size));
    while (firn_image_rows_next(rows))
        assert_int_not_equal(firn_image_rows_entity(rows), 0);
    assert_false(firn_image_rows_next(rows));
    assert_int_equal(firn_image_rows_entity(rows), 0);
    assert_null(firn_image_rows_value(rows, 0, o.doc, &err));
    assert_error(&err, FIRN_INVALID, "column");
    firn_image_rows_close(rows);
    close_bytes(&o);
}

static void a_raw_row_whose_fingerprint_is_not_understood_has_no_fields(void **state)
{
    (void)state;
    // "Spin", "q:quat|8", one entity.
    opened o =
        open_hex("07000000000000f03f 070000000000000040 07000000000000f03f 07000000000000f03f"
                 "07000000000000f03f 24 5370696e 28 713a717561747c38"
                 "07000000000000f03f 07000000000000f03f 07000000000000f03f 070000000000000000"
                 "000000000000f03f 0102030405060708 01");
    firn_error err;
    firn_image_component spin;
    assert_true(firn_image_component_at(o.image, 0, &spin));
    assert_true(spin.raw && spin.row_size == 8 && spin.field_count == 0);
    assert_string_equal(spin.fingerprint, "q:quat|8");
    assert_null(firn_image_value(o.image, 0, 0, 0, o.doc, &err));
    assert_error(&err, FIRN_INVALID, "Spin");
    close_bytes(&o);
}

static void T21_a_frame_of_rows_is_walked_like_one_of_columns(void **state)
{
    (void)state;
    // "P", "x:float|4" and "Q"; entity 1 has both, 2 has Q, 3 has P.
    opened o =
        open_hex("07000000000000f03f 070000000000001040 070000000000000840 07000000000000f03f"
                 "070000000000000040 21 50 29 783a666c6f61747c34 21 51 20"
                 "070000000000000040 070000000000000840 07000000000000f03f 070000000000000040"
                 "07000000000000f03f"
                 "0601000000 0603000000 0000803f 2161  0602000000 0602000000 2162"
                 "0603000000 0601000000 00004040 01");
    static const char *const values[2][3] = {{"{x = 1}", "nil", "{x = 3}"},
                                             {"\"a\"", "\"b\"", "nil"}};
    firn_error err;
    firn_image_column column;
    firn_image_rows *rows = firn_image_rows_open(o.image, 0, &err);
    for (uint32_t row = 0; firn_image_rows_next(rows); row++) {
        assert_int_equal(firn_image_rows_entity(rows), row + 1);
        for (uint32_t i = 0; i < 2; i++) {
            assert_tree(firn_image_rows_value(rows, i, o.doc, &err), values[i][row]);
            assert_tree(firn_image_value(o.image, 0, i, row, o.doc, &err), values[i][row]);
        }
    }
    firn_image_rows_close(rows);
    assert_true(firn_image_column_at(o.image, 0, 0, &column));
    assert_true(column.rows == 3 && column.nils == 1 && column.size == 8);
    assert_memory_equal(column.bytes, "\0\0\x80\x3f\0\0\x40\x40", 8);
    assert_true(firn_image_find(o.image, 3, NULL, NULL));
    close_bytes(&o);
}

static void a_value_that_has_a_key_twice_is_no_tree(void **state)
{
    (void)state;
    // "Bag": {a = true, a = true}
    opened o =
        open_hex("07000000000000f03f 070000000000000040 07000000000000f03f 07000000000000f03f"
                 "07000000000000f03f 23 426167 20"
                 "07000000000000f03f 07000000000000f03f 07000000000000f03f 070000000000000000"
                 "000000000000f03f 0902 2161 02 2161 02 01");
    firn_error err;
    assert_null(firn_image_value(o.image, 0, 0, 0, o.doc, &err));
    assert_int_equal(err.code, FIRN_CORRUPT);
    close_bytes(&o);
}

static void an_open_image_takes_little_more_than_a_check(void **state)
{
    (void)state;
    opened o = open_zoo();
    firn_error err;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_image_options options = {.allocator = &memory.allocator};
    assert_ok(firn_image_check(o.bytes.data, o.bytes.size, &options, NULL, &err), &err);
    uint64_t check = memory.peak_bytes;
    firn_image *image = firn_image_open(o.bytes.data, o.bytes.size, &options, &err);
    assert_non_null(image);
    assert_true(memory.peak_bytes <= check + 2 * o.bytes.size + 1024);
    firn_image_close(image);
    assert_no_leak(&memory);
    close_bytes(&o);
}

static void a_damaged_image_is_not_opened(void **state)
{
    (void)state;
    opened o = open_zoo();
    firn_error err;
    for (size_t size = 0; size < o.bytes.size; size++) {
        assert_null(firn_image_open(o.bytes.data, size, NULL, &err));
        assert_int_not_equal(err.code, FIRN_OK);
    }
    firn_image_options options = {.reserved = {0, 1}};
    assert_null(firn_image_open(o.bytes.data, o.bytes.size, &options, &err));
    assert_error(&err, FIRN_INVALID, "reserved");
    close_bytes(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(N1_an_image_is_described_without_a_world),
        cmocka_unit_test(every_byte_of_an_image_is_of_one_part),
        cmocka_unit_test(the_component_table_has_names_fields_and_sums),
        cmocka_unit_test(rows_values_and_readers_agree),
        cmocka_unit_test(a_reader_gives_the_values_of_a_column),
        cmocka_unit_test(a_raw_row_is_a_table_by_field_name),
        cmocka_unit_test(an_entity_is_found_by_its_whole_id),
        cmocka_unit_test(data_comes_in_the_order_of_the_image),
        cmocka_unit_test(T5_a_column_of_a_relationship_names_relation_and_target),
        cmocka_unit_test(T5_the_target_of_a_relationship_is_that_of_a_value_that_has_one),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(a_raw_row_whose_fingerprint_is_not_understood_has_no_fields),
        cmocka_unit_test(T21_a_frame_of_rows_is_walked_like_one_of_columns),
        cmocka_unit_test(a_value_that_has_a_key_twice_is_no_tree),
        cmocka_unit_test(an_open_image_takes_little_more_than_a_check),
        cmocka_unit_test(a_walk_has_no_row_before_the_first_and_behind_the_last),
        cmocka_unit_test(a_damaged_image_is_not_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
