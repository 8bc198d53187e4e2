// Rows of structs as tables by field name.
#include "support/support.h"

#include <math.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "store/schema.h"

typedef struct point {
    float x;
    float y;
} point;

static const firn_field point_fields[] = {
    FIRN_FIELD(point, x, FIRN_F32),
    FIRN_FIELD(point, y, FIRN_F32),
};

static const char *const hp_was[] = {"health", NULL};
static const char *const home_was[] = {"house", NULL};

typedef struct unit {
    int32_t hp;
    bool alive;
    char tag[4];
    int16_t slots[3];
    int64_t big;
    firn_entity owner;
    point home;
    point path[2];
} unit;

static const firn_field unit_fields[] = {
    {.name = "hp", .type = FIRN_I32, .offset = offsetof(unit, hp), .former_names = hp_was},
    FIRN_FIELD(unit, alive, FIRN_BOOL),
    FIRN_FIELD_ARRAY(unit, tag, FIRN_CHAR, 4),
    FIRN_FIELD_ARRAY(unit, slots, FIRN_I16, 3),
    FIRN_FIELD(unit, big, FIRN_I64),
    FIRN_FIELD(unit, owner, FIRN_ENTITY),
    {.name = "home",
     .type = FIRN_NESTED,
     .offset = offsetof(unit, home),
     .fields = point_fields,
     .field_count = 2,
     .size = sizeof(point),
     .former_names = home_was},
    {.name = "path",
     .type = FIRN_NESTED,
     .offset = offsetof(unit, path),
     .count = 2,
     .fields = point_fields,
     .field_count = 2,
     .size = sizeof(point)},
};

enum { LEAF_HP, LEAF_ALIVE, LEAF_TAG, LEAF_SLOTS, LEAF_BIG, LEAF_OWNER, LEAF_COUNT = 12 };

typedef struct row_fixture {
    fr_layout layout;
    firn_doc *doc;
    firn_value *table;
    unit row;
    uint64_t changed[LEAF_COUNT];
    uint64_t removed;
    firn_error err;
} row_fixture;

static const unit default_unit = {
    .hp = 100, .alive = true, .tag = "abc", .slots = {1, 2, 3}, .big = 7, .home = {1, 2}};

static int set_up(void **state)
{
    row_fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    firn_component_desc desc = {.name = "Unit",
                                .size = sizeof(unit),
                                .align = alignof(unit),
                                .fields = unit_fields,
                                .field_count = FIRN_COUNT(unit_fields)};
    firn_limits limits;
    firn_limits_default(&limits);
    assert_ok(fr_layout_make(firn_allocator_default(), &desc, &limits, &f->layout, &f->err),
              &f->err);
    assert_int_equal(f->layout.leaf_count, LEAF_COUNT);
    f->doc = firn_doc_create(NULL, NULL, &f->err);
    f->table = firn_value_table(f->doc, &f->err);
    f->row = default_unit;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    row_fixture *f = *state;
    fr_layout_free(firn_allocator_default(), &f->layout);
    firn_doc_destroy(f->doc);
    free(f);
    return 0;
}

static firn_value *number(row_fixture *f, double value)
{
    return firn_value_number(f->doc, value, NULL);
}

static firn_value *table(row_fixture *f)
{
    return firn_value_table(f->doc, NULL);
}

static firn_value *text(row_fixture *f, const char *value)
{
    return firn_value_text(f->doc, value, NULL);
}

static void set(row_fixture *f, firn_value *in, const char *key, const firn_value *item)
{
    assert_ok(firn_table_set_text(f->doc, in, key, item, &f->err), &f->err);
}

static void set_at(row_fixture *f, firn_value *in, double key, const firn_value *item)
{
    assert_ok(firn_table_set(f->doc, in, number(f, key), item, &f->err), &f->err);
}

static firn_result read_bytes(row_fixture *f, const uint8_t *bytes, size_t size)
{
    firn_reader reader;
    firn_reader_begin(&reader, bytes, size, NULL);
    fr_layout_read_row(&f->layout, &reader, &f->row, f->changed, &f->removed);
    return firn_reader_end(&reader, &f->err);
}

// Reads `value` into the row.
static firn_result read_row(row_fixture *f, const firn_value *value)
{
    firn_buffer buffer;
    firn_buffer_init(&buffer, NULL);
    assert_ok(firn_value_encode(value, NULL, &buffer, &f->err), &f->err);
    firn_result result = read_bytes(f, buffer.data, buffer.size);
    firn_buffer_free(&buffer);
    return result;
}

static void assert_read(row_fixture *f)
{
    assert_ok(read_row(f, f->table), &f->err);
}

static void T13_a_table_is_read_by_field_name(void **state)
{
    row_fixture *f = *state;
    set(f, f->table, "hp", number(f, 55));
    set(f, f->table, "alive", firn_value_bool(f->doc, false, NULL));
    set(f, f->table, "big", firn_value_int64(f->doc, INT64_MIN, NULL));
    set(f, f->table, "owner", firn_value_uint64(f->doc, 12345678901, NULL));
    assert_read(f);
    assert_int_equal(f->row.hp, 55);
    assert_false(f->row.alive);
    assert_true(f->row.big == INT64_MIN);
    assert_true(f->row.owner == 12345678901);
    assert_int_equal(f->row.slots[2], 3);
    assert_int_equal(f->removed, 0);
}

static void T13_an_empty_table_leaves_the_default_row(void **state)
{
    row_fixture *f = *state;
    assert_read(f);
    assert_memory_equal(&f->row, &default_unit, sizeof default_unit);
}

static void T13_keys_that_are_no_field_are_counted(void **state)
{
    row_fixture *f = *state;
    firn_value *inner = table(f);
    set(f, inner, "x", number(f, 1));
    set(f, f->table, "gone", number(f, 1));
    set(f, f->table, "deep", inner);
    set_at(f, f->table, 1, number(f, 1));
    set_at(f, f->table, -4, number(f, 1));
    assert_ok(
        firn_table_set(f->doc, f->table, firn_value_bool(f->doc, true, NULL), number(f, 1), NULL),
        NULL);
    assert_read(f);
    assert_int_equal(f->removed, 5);
    assert_memory_equal(&f->row, &default_unit, sizeof default_unit);
}

static void T13_values_are_converted_and_changes_counted(void **state)
{
    row_fixture *f = *state;
    firn_value *slots = table(f);
    firn_table_push(f->doc, slots, number(f, 70000), NULL);
    firn_table_push(f->doc, slots, number(f, 1.5), NULL);
    firn_table_push(f->doc, slots, firn_value_bool(f->doc, true, NULL), NULL);
    set(f, f->table, "slots", slots);
    set(f, f->table, "hp", number(f, (double)NAN));
    set(f, f->table, "alive", number(f, 3));
    assert_read(f);
    assert_int_equal(f->row.slots[0], (int16_t)70000);
    assert_int_equal(f->row.slots[1], 1);
    assert_int_equal(f->row.slots[2], 1);
    assert_int_equal(f->row.hp, 0);
    assert_true(f->row.alive);
    assert_int_equal(f->changed[LEAF_SLOTS], 2);
    assert_int_equal(f->changed[LEAF_HP], 1);
    assert_int_equal(f->changed[LEAF_ALIVE], 1);
}

static void T13_nested_structs_are_read_flat_and_nested(void **state)
{
    row_fixture *f = *state;
    firn_value *home = table(f);
    firn_value *path = table(f);
    firn_value *second = table(f);
    set(f, home, "x", number(f, 10));
    set(f, f->table, "home", home);
    set(f, f->table, "home.y", number(f, 11));
    firn_table_push(f->doc, path, table(f), NULL);
    set(f, second, "y", number(f, 12));
    firn_table_push(f->doc, path, second, NULL);
    set(f, f->table, "path", path);
    set(f, f->table, "path[0].x", number(f, 13));
    assert_read(f);
    assert_true(f->row.home.x == 10 && f->row.home.y == 11);
    assert_true(f->row.path[1].y == 12 && f->row.path[0].x == 13);
    assert_int_equal(f->removed, 0);
}

static void T13_arrays_may_begin_at_1_or_at_0(void **state)
{
    row_fixture *f = *state;
    firn_value *slots = table(f);
    set_at(f, slots, 0, number(f, 20));
    set_at(f, slots, 1, number(f, 21));
    set_at(f, slots, 2, number(f, 22));
    set(f, f->table, "slots", slots);
    assert_read(f);
    static const int16_t from_zero[3] = {20, 21, 22};
    assert_memory_equal(f->row.slots, from_zero, sizeof from_zero);
    set_at(f, slots, 0, firn_value_nil(f->doc, NULL));
    set_at(f, slots, 3, number(f, 23));
    assert_read(f);
    static const int16_t from_one[3] = {21, 22, 23};
    assert_memory_equal(f->row.slots, from_one, sizeof from_one);
}

static void T13_arrays_in_the_forms_that_only_luajit_writes_are_read(void **state)
{
    row_fixture *f = *state;
    // {slots = {[0] = nil, 5, nil}}: an array from index 0 whose first element is nil.
    size_t size;
    uint8_t *bytes = test_from_hex("09 01 25 736c6f7473 0a 03 00 06 05000000 00", &size);
    assert_ok(read_bytes(f, bytes, size), &f->err);
    assert_int_equal(f->row.slots[0], 5);
    assert_int_equal(f->row.slots[1], 2);
    free(bytes);
    // {slots = {[0] = 6, 7}}.
    bytes = test_from_hex("09 01 25 736c6f7473 0a 02 06 06000000 06 07000000", &size);
    assert_ok(read_bytes(f, bytes, size), &f->err);
    assert_int_equal(f->row.slots[0], 6);
    assert_int_equal(f->row.slots[1], 7);
    free(bytes);
    // {slots = {[2] = 9, [0] = 8}}: pairs in an order of chance.
    bytes = test_from_hex("09 01 25 736c6f7473 09 02 06 02000000 06 09000000 06 00000000 "
                          "06 08000000",
                          &size);
    assert_ok(read_bytes(f, bytes, size), &f->err);
    assert_int_equal(f->row.slots[0], 8);
    assert_int_equal(f->row.slots[1], 7);
    assert_int_equal(f->row.slots[2], 9);
    free(bytes);
}

static void T13_elements_beyond_an_array_are_left_out(void **state)
{
    row_fixture *f = *state;
    firn_value *slots = table(f);
    for (unsigned i = 0; i < 6; i++) {
        firn_table_push(f->doc, slots, number(f, 30 + i), NULL);
    }
    set_at(f, slots, 1e9, number(f, 1));
    set_at(f, slots, -1, number(f, 1));
    set_at(f, slots, 1.5, number(f, 1));
    set(f, slots, "x", number(f, 1));
    set(f, f->table, "slots", slots);
    assert_read(f);
    static const int16_t expected[3] = {30, 31, 32};
    assert_memory_equal(f->row.slots, expected, sizeof expected);
    assert_int_equal(f->row.big, 7);
}

// Reads rows as structs with one field from here on.
static void make_layout_of(row_fixture *f, firn_field field, size_t size)
{
    const firn_component_desc desc = {
        .name = "Small", .size = size, .fields = &field, .field_count = 1};
    firn_limits limits;
    firn_limits_default(&limits);
    fr_layout_free(firn_allocator_default(), &f->layout);
    assert_ok(fr_layout_make(firn_allocator_default(), &desc, &limits, &f->layout, &f->err),
              &f->err);
}

static void T13_a_pointer_is_not_read(void **state)
{
    row_fixture *f = *state;
    make_layout_of(f, (firn_field){.name = "link", .type = FIRN_POINTER}, sizeof(void *));
    set(f, f->table, "link", number(f, 55));
    assert_read(f);
    assert_memory_equal(&f->row, &default_unit, sizeof default_unit);
    assert_int_equal(f->removed, 1);
}

static void T13_text_that_ends_early_is_no_text(void **state)
{
    row_fixture *f = *state;
    make_layout_of(f, (firn_field){.name = "tag", .type = FIRN_CHAR, .count = 4}, 4);
    // {tag = "xy..."}, four bytes long.
    size_t size;
    uint8_t *bytes = test_from_hex("09 01 23 746167 24 7879", &size);
    assert_int_equal(read_bytes(f, bytes, size), FIRN_TRUNCATED);
    free(bytes);
    assert_memory_equal(&f->row, &default_unit, sizeof default_unit);
}

static void T13_text_fills_a_char_array(void **state)
{
    row_fixture *f = *state;
    set(f, f->table, "tag", text(f, "z"));
    assert_read(f);
    assert_memory_equal(f->row.tag, "z\0\0\0", 4);
    assert_int_equal(f->changed[LEAF_TAG], 0);
    set(f, f->table, "tag", text(f, "longer"));
    assert_read(f);
    assert_memory_equal(f->row.tag, "long", 4);
    assert_int_equal(f->changed[LEAF_TAG], 1);
}

static void T13_chars_are_read_as_numbers_too(void **state)
{
    row_fixture *f = *state;
    firn_value *tag = table(f);
    firn_table_push(f->doc, tag, number(f, 'q'), NULL);
    set(f, f->table, "tag", tag);
    assert_read(f);
    assert_memory_equal(f->row.tag, "qbc\0", 4);
}

static void F10_former_names_are_read_where_the_current_one_is_absent(void **state)
{
    row_fixture *f = *state;
    firn_value *house = table(f);
    set(f, house, "y", number(f, 40));
    set(f, f->table, "health", number(f, 41));
    set(f, f->table, "house", house);
    set(f, f->table, "house.x", number(f, 42));
    assert_read(f);
    assert_int_equal(f->row.hp, 41);
    assert_true(f->row.home.x == 42 && f->row.home.y == 40);
    assert_int_equal(f->removed, 0);
    set(f, f->table, "hp", number(f, 43));
    assert_read(f);
    assert_int_equal(f->row.hp, 43);
}

static void T13_nil_keeps_the_default(void **state)
{
    row_fixture *f = *state;
    size_t size;
    // {hp = nil}, as a foreign writer may encode it.
    uint8_t *bytes = test_from_hex("09 01 22 6870 00", &size);
    assert_ok(read_bytes(f, bytes, size), &f->err);
    assert_int_equal(f->row.hp, 100);
    free(bytes);
}

static void assert_row_refused(row_fixture *f, const firn_value *value, const char *part)
{
    assert_int_equal(read_row(f, value), FIRN_REFUSED);
    if (strstr(f->err.message, part) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", f->err.message, part);
    }
    assert_int_not_equal(f->err.offset, FIRN_NO_OFFSET);
}

static void T13_a_value_that_is_no_number_is_refused_naming_the_field(void **state)
{
    row_fixture *f = *state;
    set(f, f->table, "hp", text(f, "much"));
    assert_row_refused(f, f->table, "the field \"hp\" is a string, not a number");
    set(f, f->table, "hp", firn_value_complex(f->doc, 1, 2, NULL));
    assert_row_refused(f, f->table, "the field \"hp\" is a complex number");
    set(f, f->table, "hp", number(f, 1));
    firn_value *slots = table(f);
    firn_table_push(f->doc, slots, text(f, "a"), NULL);
    set(f, f->table, "slots", slots);
    assert_row_refused(f, f->table, "the field \"slots\" is a string");
}

static void T13_a_nested_struct_that_is_no_table_is_refused(void **state)
{
    row_fixture *f = *state;
    set(f, f->table, "home", number(f, 3));
    assert_row_refused(f, f->table, "the field \"home\" is a number, not a table");
}

static void T13_a_row_that_is_no_table_is_refused(void **state)
{
    row_fixture *f = *state;
    assert_row_refused(f, number(f, 3), "the row is a number, not a table");
    assert_row_refused(f, firn_value_bool(f->doc, true, NULL), "the row is a boolean");
    assert_row_refused(f, firn_value_int64(f->doc, 3, NULL), "the row is a 64-bit integer");
}

static void T13_an_element_that_is_a_table_is_refused(void **state)
{
    row_fixture *f = *state;
    firn_value *slots = table(f);
    firn_table_push(f->doc, slots, table(f), NULL);
    set(f, f->table, "slots", slots);
    assert_row_refused(f, f->table, "the field \"slots\" is a table, not a number");
}

static void T13_a_cut_row_never_reads_behind_its_end(void **state)
{
    row_fixture *f = *state;
    firn_value *home = table(f);
    set(f, home, "x", number(f, 10));
    set(f, f->table, "home", home);
    set(f, f->table, "tag", text(f, "abc"));
    set(f, f->table, "health", number(f, 1));
    firn_buffer buffer;
    firn_buffer_init(&buffer, NULL);
    assert_ok(firn_value_encode(f->table, NULL, &buffer, &f->err), &f->err);
    for (size_t size = 0; size < buffer.size; size++) {
        uint8_t *cut = malloc(size + 1);
        assert_non_null(cut);
        memcpy(cut, buffer.data, size);
        assert_int_not_equal(read_bytes(f, cut, size), FIRN_OK);
        free(cut);
    }
    firn_buffer_free(&buffer);
}

static void T13_damaged_rows_are_refused_or_read_within_the_row(void **state)
{
    row_fixture *f = *state;
    firn_value *home = table(f);
    firn_value *slots = table(f);
    set(f, home, "x", number(f, 10));
    set(f, f->table, "home", home);
    set_at(f, slots, 0, number(f, 20));
    set_at(f, slots, 1, number(f, 21));
    set(f, f->table, "slots", slots);
    set(f, f->table, "tag", text(f, "abc"));
    set(f, f->table, "health", number(f, 1));
    firn_buffer buffer;
    firn_buffer_init(&buffer, NULL);
    assert_ok(firn_value_encode(f->table, NULL, &buffer, &f->err), &f->err);
    uint8_t *bytes = malloc(buffer.size);
    assert_non_null(bytes);
    test_random random = {11};
    unsigned refused = 0;
    for (unsigned round = 0; round < 20000; round++) {
        memcpy(bytes, buffer.data, buffer.size);
        for (unsigned i = 0; i <= round % 3; i++) {
            bytes[test_random_below(&random, (uint32_t)buffer.size)] =
                (uint8_t)test_random_u64(&random);
        }
        refused += read_bytes(f, bytes, buffer.size) != FIRN_OK;
        size_t row;
        uint32_t leaf;
        assert_true(fr_layout_check_rows(&f->layout, &f->row, 1, &row, &leaf));
    }
    assert_true(refused > 1000 && refused < 20000);
    free(bytes);
    firn_buffer_free(&buffer);
}

// Writes a row as one that was saved is written.
static void write_row(row_fixture *f, const unit *row, firn_writer *writer)
{
    fr_schema schema;
    firn_limits limits;
    firn_limits_default(&limits);
    assert_ok(fr_schema_parse(firn_allocator_default(), f->layout.fingerprint,
                              strlen(f->layout.fingerprint), "Unit", &limits, &schema, &f->err),
              &f->err);
    uint8_t *wire = malloc(f->layout.wire_size);
    assert_non_null(wire);
    fr_layout_to_wire(&f->layout, row, 1, wire);
    fr_schema_write_row(&schema, wire, writer);
    fr_schema_free(firn_allocator_default(), &schema);
    free(wire);
}

static void T13_what_is_written_is_read_back(void **state)
{
    row_fixture *f = *state;
    unit row;
    memset(&row, 0, sizeof row);
    row.hp = -5;
    memcpy(row.tag, "\x80z", 3);
    row.slots[1] = -9;
    row.big = INT64_MAX;
    row.owner = UINT64_C(1) << 40;
    row.home.y = -0.0f;
    row.path[1].x = 0.1f;
    firn_buffer buffer;
    firn_writer writer;
    firn_buffer_init(&buffer, NULL);
    firn_writer_begin(&writer, &buffer, NULL);
    write_row(f, &row, &writer);
    assert_ok(firn_writer_end(&writer, &f->err), &f->err);
    assert_ok(read_bytes(f, buffer.data, buffer.size), &f->err);
    unit expected;
    memset(&expected, 0, sizeof expected);
    expected = row;
    assert_memory_equal(&f->row.tag, &expected.tag, 4);
    assert_memory_equal(&f->row.slots, &expected.slots, sizeof row.slots);
    assert_true(f->row.hp == -5 && f->row.big == INT64_MAX && f->row.owner == row.owner);
    assert_memory_equal(&f->row.home, &expected.home, sizeof row.home);
    assert_memory_equal(&f->row.path, &expected.path, sizeof row.path);
    assert_false(f->row.alive);
    for (unsigned i = 0; i < LEAF_COUNT; i++) {
        assert_int_equal(f->changed[i], 0);
    }
    firn_buffer_free(&buffer);
}

static void T13_a_row_is_written_flat_by_dotted_name(void **state)
{
    row_fixture *f = *state;
    firn_buffer buffer;
    firn_writer writer;
    firn_buffer_init(&buffer, NULL);
    firn_writer_begin(&writer, &buffer, NULL);
    write_row(f, &default_unit, &writer);
    assert_ok(firn_writer_end(&writer, &f->err), &f->err);
    const firn_value *value = firn_value_decode(f->doc, buffer.data, buffer.size, &f->err);
    assert_int_equal(firn_table_map_count(value), LEAF_COUNT);
    assert_true(firn_table_get_text(value, "home.y")->as.number == 2);
    assert_int_equal(firn_table_get_text(value, "big")->kind, FIRN_VALUE_INT64);
    assert_int_equal(firn_table_get_text(value, "owner")->kind, FIRN_VALUE_UINT64);
    assert_int_equal(firn_table_get_text(value, "alive")->kind, FIRN_VALUE_BOOL);
    assert_int_equal(firn_table_array_count(firn_table_get_text(value, "slots")), 3);
    assert_true(firn_table_get_number(firn_table_get_text(value, "tag"), 1)->as.number == 'a');
    firn_buffer_free(&buffer);
}

#define ROW_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW_TEST(T13_a_table_is_read_by_field_name),
        ROW_TEST(T13_an_empty_table_leaves_the_default_row),
        ROW_TEST(T13_keys_that_are_no_field_are_counted),
        ROW_TEST(T13_values_are_converted_and_changes_counted),
        ROW_TEST(T13_nested_structs_are_read_flat_and_nested),
        ROW_TEST(T13_arrays_may_begin_at_1_or_at_0),
        ROW_TEST(T13_arrays_in_the_forms_that_only_luajit_writes_are_read),
        ROW_TEST(T13_elements_beyond_an_array_are_left_out),
        ROW_TEST(T13_a_pointer_is_not_read),
        ROW_TEST(T13_text_that_ends_early_is_no_text),
        ROW_TEST(T13_text_fills_a_char_array),
        ROW_TEST(T13_chars_are_read_as_numbers_too),
        ROW_TEST(F10_former_names_are_read_where_the_current_one_is_absent),
        ROW_TEST(T13_nil_keeps_the_default),
        ROW_TEST(T13_a_value_that_is_no_number_is_refused_naming_the_field),
        ROW_TEST(T13_a_nested_struct_that_is_no_table_is_refused),
        ROW_TEST(T13_a_row_that_is_no_table_is_refused),
        ROW_TEST(T13_an_element_that_is_a_table_is_refused),
        ROW_TEST(T13_a_cut_row_never_reads_behind_its_end),
        ROW_TEST(T13_damaged_rows_are_refused_or_read_within_the_row),
        ROW_TEST(T13_what_is_written_is_read_back),
        ROW_TEST(T13_a_row_is_written_flat_by_dotted_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
