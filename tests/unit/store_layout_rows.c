// Rows between memory and wire: copies, padding, bools.
#include "support/support.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/layout.h"

static fr_layout make_layout(size_t size, size_t align, const firn_field *fields, uint32_t count)
{
    firn_component_desc desc = {
        .name = "Thing", .size = size, .align = align, .fields = fields, .field_count = count};
    firn_limits limits;
    firn_limits_default(&limits);
    firn_error err;
    fr_layout layout;
    assert_ok(fr_layout_make(firn_allocator_default(), &desc, &limits, &layout, &err), &err);
    return layout;
}

typedef struct padded {
    int8_t a;
    double b;
    bool c[3];
} padded;

static const firn_field padded_fields[] = {
    FIRN_FIELD(padded, a, FIRN_I8),
    FIRN_FIELD(padded, b, FIRN_F64),
    FIRN_FIELD_ARRAY(padded, c, FIRN_BOOL, 3),
};

static fr_layout padded_layout(void)
{
    return make_layout(sizeof(padded), alignof(padded), padded_fields, FIRN_COUNT(padded_fields));
}

static void fill_padded(padded *rows, size_t n, int padding)
{
    memset(rows, padding, n * sizeof *rows);
    for (size_t i = 0; i < n; i++) {
        rows[i].a = (int8_t)i;
        rows[i].b = (double)i / 3;
        for (unsigned k = 0; k < 3; k++) {
            rows[i].c[k] = (i >> k & 1) != 0;
        }
    }
}

static void T12_padding_never_shows_on_the_wire(void **state)
{
    (void)state;
    fr_layout layout = padded_layout();
    enum { N = 1000 };
    static padded rows[N];
    static uint8_t first[N * 24];
    static uint8_t second[N * 24];
    assert_int_equal(layout.wire_size, 24);
    fill_padded(rows, N, 0xaa);
    fr_layout_to_wire(&layout, rows, N, first);
    fill_padded(rows, N, 0x55);
    fr_layout_to_wire(&layout, rows, N, second);
    assert_memory_equal(first, second, sizeof first);
    fr_layout_free(firn_allocator_default(), &layout);
}

static void T12_wire_bytes_are_little_endian_with_zero_holes(void **state)
{
    (void)state;
    fr_layout layout = padded_layout();
    padded row;
    fill_padded(&row, 1, 0xaa);
    row.a = -2;
    row.b = 1.5;
    row.c[1] = true;
    uint8_t wire[24];
    fr_layout_to_wire(&layout, &row, 1, wire);
    static const uint8_t expected[24] = {0xfe, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0,
                                         0,    0, 0xf8, 0x3f, 0, 1, 0, 0, 0, 0, 0, 0};
    assert_memory_equal(wire, expected, sizeof wire);
    fr_layout_free(firn_allocator_default(), &layout);
}

static void T12_padding_in_memory_becomes_zero_whatever_the_wire_holds_there(void **state)
{
    (void)state;
    fr_layout layout = padded_layout();
    uint8_t wire[48];
    memset(wire, 0xff, sizeof wire);
    padded rows[2];
    memset(rows, 0xaa, sizeof rows);
    fr_layout_from_wire(&layout, wire, 2, rows);
    padded expected[2];
    memset(expected, 0, sizeof expected);
    for (unsigned i = 0; i < 2; i++) {
        expected[i].a = -1;
        memset(&expected[i].b, 0xff, sizeof(double));
        memset(expected[i].c, 0xff, 3);
    }
    assert_memory_equal(rows, expected, sizeof rows);
    fr_layout_free(firn_allocator_default(), &layout);
}

static void T12_nan_and_negative_zero_cross_bit_for_bit(void **state)
{
    (void)state;
    fr_layout layout = padded_layout();
    padded row;
    padded back;
    fill_padded(&row, 1, 0);
    static const uint64_t patterns[] = {UINT64_C(0x7ff0000000000001), UINT64_C(0x8000000000000000),
                                        UINT64_C(0xfff8000000abcdef)};
    for (size_t i = 0; i < FIRN_COUNT(patterns); i++) {
        uint8_t wire[24];
        memcpy(&row.b, &patterns[i], 8);
        fr_layout_to_wire(&layout, &row, 1, wire);
        fr_layout_from_wire(&layout, wire, 1, &back);
        assert_memory_equal(&back.b, &patterns[i], 8);
    }
    fr_layout_free(firn_allocator_default(), &layout);
}

static void no_rows_are_no_work(void **state)
{
    (void)state;
    fr_layout layout = padded_layout();
    fr_layout_to_wire(&layout, NULL, 0, NULL);
    fr_layout_from_wire(&layout, NULL, 0, NULL);
    size_t row;
    uint32_t leaf;
    assert_true(fr_layout_check_rows(&layout, NULL, 0, &row, &leaf));
    fr_layout_free(firn_allocator_default(), &layout);
}

static void bad_bools_are_found_in_memory(void **state)
{
    (void)state;
    fr_layout layout = padded_layout();
    enum { N = 50 };
    static padded rows[N];
    fill_padded(rows, N, 0xaa);
    size_t row = 99;
    uint32_t leaf = 99;
    assert_true(fr_layout_check_rows(&layout, rows, N, &row, &leaf));
    ((uint8_t *)&rows[42])[offsetof(padded, c) + 2] = 2;
    assert_false(fr_layout_check_rows(&layout, rows, N, &row, &leaf));
    assert_int_equal(row, 42);
    assert_int_equal(leaf, 2);
    fr_layout_free(firn_allocator_default(), &layout);
}

// ---------------------------------------------------------------- random layouts

enum { RANDOM_FIELDS = 12, RANDOM_ROWS = 40, RANDOM_BYTES = 1024 };

// A struct whose fields stand in another order in memory than they are declared in, with gaps.
typedef struct random_struct {
    firn_field fields[RANDOM_FIELDS];
    char names[RANDOM_FIELDS][16];
    uint32_t count;
    size_t size;
    size_t align;
} random_struct;

static void make_random_struct(test_random *random, random_struct *made)
{
    memset(made, 0, sizeof *made);
    made->count = 1 + test_random_below(random, RANDOM_FIELDS);
    made->align = (size_t)1 << test_random_below(random, 7);
    bool tight = test_random_below(random, 2) == 0;
    bool in_order = test_random_below(random, 2) == 0;
    for (uint32_t i = 0; i < made->count; i++) {
        snprintf(made->names[i], sizeof made->names[i], "f%u", i);
        firn_field *field = &made->fields[i];
        field->name = made->names[i];
        field->type = (firn_type)(FIRN_BOOL + test_random_below(random, FIRN_ENTITY_NUMBER));
        field->count = test_random_below(random, 3) == 0 ? 1 + test_random_below(random, 5) : 0;
        size_t type_size = fr_type_size(field->type);
        size_t align = type_size < made->align ? type_size : made->align;
        size_t offset = made->size + (tight ? 0 : test_random_below(random, 10));
        field->offset = (offset + align - 1) / align * align;
        made->size = field->offset + type_size * (field->count == 0 ? 1 : field->count);
    }
    made->size = (made->size + made->align - 1) / made->align * made->align;
    for (uint32_t i = made->count; !in_order && i > 1; i--) {
        uint32_t other = test_random_below(random, i);
        firn_field swapped = made->fields[i - 1];
        made->fields[i - 1] = made->fields[other];
        made->fields[other] = swapped;
    }
}

// The definition of a wire row, one byte at a time.
static void reference_to_wire(const fr_layout *layout, const uint8_t *row, uint8_t *wire)
{
    memset(wire, 0, layout->wire_size);
    size_t end = 0;
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        const fr_leaf *leaf = &layout->leaves[i];
        uint32_t size = fr_type_size(leaf->type);
        while (end % size != 0) {
            end++;
        }
        for (uint32_t e = 0; e < (leaf->count == 0 ? 1 : leaf->count); e++) {
            for (uint32_t b = 0; b < size; b++) {
                uint32_t from = FR_BIG_ENDIAN ? size - 1 - b : b;
                wire[end++] = row[leaf->memory_offset + e * size + from];
            }
        }
    }
}

static void T12_any_layout_crosses_as_its_definition_says(void **state)
{
    (void)state;
    test_random random = {7};
    unsigned direct = 0;
    unsigned same_shape = 0;
    for (unsigned round = 0; round < 2000; round++) {
        random_struct made;
        make_random_struct(&random, &made);
        fr_layout layout = make_layout(made.size, made.align, made.fields, made.count);
        direct += layout.direct;
        same_shape += layout.same_shape && !layout.direct;
        size_t n = 1 + test_random_below(&random, RANDOM_ROWS);
        uint8_t *rows = malloc(n * layout.memory_size);
        uint8_t *back = malloc(n * layout.memory_size);
        uint8_t *wire = malloc(n * layout.wire_size);
        assert_true(rows != NULL && back != NULL && wire != NULL);
        for (size_t i = 0; i < n * layout.memory_size; i++) {
            rows[i] = (uint8_t)test_random_u64(&random);
        }
        memset(wire, 0xcc, n * layout.wire_size);
        memset(back, 0xcc, n * layout.memory_size);
        fr_layout_to_wire(&layout, rows, n, wire);
        fr_layout_from_wire(&layout, wire, n, back);
        for (size_t row = 0; row < n; row++) {
            uint8_t expected[RANDOM_BYTES];
            uint8_t again[RANDOM_BYTES];
            reference_to_wire(&layout, rows + row * layout.memory_size, expected);
            assert_memory_equal(wire + row * layout.wire_size, expected, layout.wire_size);
            reference_to_wire(&layout, back + row * layout.memory_size, again);
            assert_memory_equal(again, expected, layout.wire_size);
        }
        free(rows);
        free(back);
        free(wire);
        fr_layout_free(firn_allocator_default(), &layout);
    }
    // Both fast ways were taken.
    assert_true(FR_BIG_ENDIAN || (direct > 20 && same_shape > 20));
}

static void T12_rows_wider_than_a_block_cross_too(void **state)
{
    (void)state;
    enum { COUNT = 5000, N = 3 };
    typedef struct {
        bool on;
        double values[COUNT];
    } wide;
    const firn_field fields[] = {
        FIRN_FIELD(wide, on, FIRN_BOOL),
        FIRN_FIELD_ARRAY(wide, values, FIRN_F64, COUNT),
    };
    fr_layout layout = make_layout(sizeof(wide), alignof(wide), fields, 2);
    wide *rows = calloc(N, sizeof *rows);
    wide *back = calloc(N, sizeof *back);
    uint8_t *wire = malloc(N * (size_t)layout.wire_size);
    assert_true(rows != NULL && back != NULL && wire != NULL);
    for (unsigned i = 0; i < N; i++) {
        rows[i].on = i != 1;
        rows[i].values[COUNT - 1] = i + 0.5;
    }
    fr_layout_to_wire(&layout, rows, N, wire);
    fr_layout_from_wire(&layout, wire, N, back);
    assert_memory_equal(rows, back, N * sizeof *rows);
    free(rows);
    free(back);
    free(wire);
    fr_layout_free(firn_allocator_default(), &layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T12_padding_never_shows_on_the_wire),
        cmocka_unit_test(T12_wire_bytes_are_little_endian_with_zero_holes),
        cmocka_unit_test(T12_padding_in_memory_becomes_zero_whatever_the_wire_holds_there),
        cmocka_unit_test(T12_nan_and_negative_zero_cross_bit_for_bit),
        cmocka_unit_test(no_rows_are_no_work),
        cmocka_unit_test(bad_bools_are_found_in_memory),
        cmocka_unit_test(T12_any_layout_crosses_as_its_definition_says),
        cmocka_unit_test(T12_rows_wider_than_a_block_cross_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
