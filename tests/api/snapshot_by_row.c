// Frames that lie row by row: every row has columns of its own.
#include "api/snapshot_zoo.h"

#include <string.h>

#include "firn/image.h"

#define ROWS 200

enum { POINT, FLAGS, SCORE, TITLE, BAG, MARK, COLUMNS };

typedef struct by_row_point {
    float x, y;
} by_row_point;

typedef struct by_row_flags {
    uint8_t bits;
    bool up;
} by_row_flags;

typedef struct by_row {
    firn_world *world;
    firn_component of[COLUMNS];
    uint32_t masks[ROWS];
    firn_buffer image;
} by_row;

// ---- the image

static void put(by_row *b, const void *bytes, size_t size)
{
    assert_ok(firn_buffer_append(&b->image, bytes, size, NULL), NULL);
}

static void put_number(by_row *b, double number)
{
    firn_writer writer;
    firn_writer_begin(&writer, &b->image, NULL);
    firn_write_number(&writer, number);
    assert_ok(firn_writer_end(&writer, NULL), NULL);
}

static void put_int32(by_row *b, uint32_t number)
{
    const uint8_t bytes[] = {6, (uint8_t)number, (uint8_t)(number >> 8), 0, 0};
    put(b, bytes, sizeof bytes);
}

static void put_string(by_row *b, const char *text)
{
    uint8_t tag = (uint8_t)(0x20 + strlen(text));
    put(b, &tag, 1);
    put(b, text, strlen(text));
}

static void put_mask(by_row *b, uint32_t row)
{
    if (row % 3 == 0) {
        put_int32(b, b->masks[row]);
    } else if (row % 3 == 1) {
        put_number(b, b->masks[row]);
    } else {
        uint8_t bytes[2 + COLUMNS] = {0x0c, COLUMNS + 1};
        for (uint32_t i = 0; i < COLUMNS; i++)
            bytes[2 + i] = b->masks[row] >> i & 1 ? 2 : 1;
        put(b, bytes, sizeof bytes);
    }
}

// Values of a row of number n: little-endian floats of small whole numbers would need a library, so
// a point is (1, 2) or (2, 1).
static void put_value(by_row *b, uint32_t column, uint32_t n)
{
    static const uint8_t points[2][8] = {{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40},
                                         {0, 0, 0, 0x40, 0, 0, 0x80, 0x3f}};
    const uint8_t flags[2] = {(uint8_t)n, n % 2 == 0};
    switch (column) {
    case POINT:
        put(b, points[n % 2], 8);
        break;
    case FLAGS:
        put(b, flags, 2);
        break;
    case SCORE:
        put_number(b, n);
        break;
    case TITLE:
        put_string(b, n % 2 ? "odd" : "an even row of many bytes");
        break;
    case BAG:
        put(b, "\x09\x01\x21n", 4);
        put_number(b, n);
        break;
    default:
        put(b, n % 2 ? "\x00" : "\x08", 1); // what a tag holds means nothing
        break;
    }
}

static void put_image(by_row *b)
{
    static const char *const names[COLUMNS] = {"Point", "Flags", "Score", "Title", "Bag", "Mark"};
    static const double front[] = {1, ROWS + 1, ROWS, 1, COLUMNS};
    for (uint32_t i = 0; i < FIRN_COUNT(front); i++)
        put_number(b, front[i]);
    for (uint32_t i = 0; i < COLUMNS; i++) {
        put_string(b, names[i]);
        put_string(b, i == POINT   ? "x:float,y:float|8"
                      : i == FLAGS ? "bits:uint8_t,up:bool|2"
                                   : "");
    }
    put_number(b, COLUMNS);
    put_number(b, ROWS);
    for (uint32_t i = 0; i < COLUMNS; i++)
        put_number(b, i + 1);
    put_number(b, 1);
    for (uint32_t row = 0; row < ROWS; row++) {
        if (row % 2 == 0)
            put_int32(b, row + 1);
        else
            put_number(b, row + 1);
        put_mask(b, row);
        for (uint32_t i = 0; i < COLUMNS; i++)
            if (b->masks[row] >> i & 1)
                put_value(b, i, row);
    }
    put(b, "\x01", 1);
}

// ---- the world

static void register_all(by_row *b)
{
    static const firn_field point[] = {FIRN_FIELD(by_row_point, x, FIRN_F32),
                                       FIRN_FIELD(by_row_point, y, FIRN_F32)};
    static const firn_field flags[] = {FIRN_FIELD(by_row_flags, bits, FIRN_U8),
                                       FIRN_FIELD(by_row_flags, up, FIRN_BOOL)};
    const firn_component_desc descs[COLUMNS] = {
        {.name = "Point", .size = sizeof(by_row_point), .fields = point, .field_count = 2},
        {.name = "Flags", .size = sizeof(by_row_flags), .fields = flags, .field_count = 2},
        {.name = "Score", .kind = FIRN_NUMBER},
        {.name = "Title", .kind = FIRN_STRING},
        {.name = "Bag", .kind = FIRN_VALUE},
        {.name = "Mark", .kind = FIRN_TAG},
    };
    firn_error err;
    for (uint32_t i = 0; i < COLUMNS; i++) {
        b->of[i] = firn_component_register(b->world, &descs[i], &err);
        assert_ok(b->of[i] != 0 ? FIRN_OK : err.code, &err);
    }
}

static by_row make_by_row(uint32_t always)
{
    by_row b = {.world = firn_world_create(NULL, NULL)};
    test_random random = {7};
    assert_non_null(b.world);
    register_all(&b);
    firn_buffer_init(&b.image, NULL);
    for (uint32_t i = 0; i < ROWS; i++)
        b.masks[i] = always | test_random_below(&random, 1u << COLUMNS);
    put_image(&b);
    return b;
}

static void free_by_row(by_row *b)
{
    firn_world_destroy(b->world);
    firn_buffer_free(&b->image);
}

static void assert_row(const by_row *b, uint32_t row)
{
    firn_entity entity = row + 1;
    assert_true(firn_alive(b->world, entity));
    for (uint32_t i = 0; i < COLUMNS; i++)
        assert_int_equal(firn_has(b->world, entity, b->of[i]), b->masks[row] >> i & 1);
    const by_row_point *point = firn_get(b->world, entity, b->of[POINT]);
    if (point != NULL) {
        assert_true(point->x == (row % 2 ? 2 : 1));
        assert_true(point->y == (row % 2 ? 1 : 2));
    }
    const by_row_flags *flags = firn_get(b->world, entity, b->of[FLAGS]);
    if (flags != NULL) {
        assert_int_equal(flags->bits, (uint8_t)row);
        assert_int_equal(flags->up, row % 2 == 0);
    }
    const double *score = firn_get(b->world, entity, b->of[SCORE]);
    if (score != NULL)
        assert_true(*score == row);
    const void *title = firn_get(b->world, entity, b->of[TITLE]);
    size_t size = 0;
    if (title != NULL) {
        assert_non_null(firn_row_string(title, &size));
        assert_int_equal(size, row % 2 ? 3 : 25);
    }
}

static void assert_all_rows(by_row *b)
{
    firn_error err;
    assert_ok(firn_snapshot_load(b->world, b->image.data, b->image.size, NULL, NULL, &err), &err);
    assert_int_equal(firn_entity_count(b->world), ROWS);
    for (uint32_t row = 0; row < ROWS; row++)
        assert_row(b, row);
}

// ---- tests

static void T21_each_row_has_the_columns_of_its_mask(void **state)
{
    (void)state;
    by_row b = make_by_row(0);
    assert_all_rows(&b);
    free_by_row(&b);
}

static void T21_rows_that_have_all_columns_stay_together(void **state)
{
    (void)state;
    by_row b = make_by_row((1u << COLUMNS) - 1);
    assert_all_rows(&b);
    free_by_row(&b);
}

static void T21_a_walk_shows_the_values_of_rows(void **state)
{
    (void)state;
    by_row b = make_by_row(0);
    firn_error err;
    firn_image *image = firn_image_open(b.image.data, b.image.size, NULL, &err);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    assert_non_null(image);
    firn_image_rows *rows = firn_image_rows_open(image, 0, &err);
    assert_non_null(rows);
    for (uint32_t row = 0; row < ROWS; row++) {
        assert_true(firn_image_rows_next(rows));
        assert_int_equal(firn_image_rows_entity(rows), row + 1);
        for (uint32_t i = 0; i < COLUMNS; i++) {
            const firn_value *walked = firn_image_rows_value(rows, i, doc, &err);
            const firn_value *found = firn_image_value(image, 0, i, row, doc, &err);
            bool there = (b.masks[row] >> i & 1) != 0;
            assert_true(firn_value_equal(walked, found));
            if (i != MARK)
                assert_int_equal((walked->kind != FIRN_VALUE_NIL), there);
        }
    }
    assert_false(firn_image_rows_next(rows));
    firn_image_rows_close(rows);
    firn_image_close(image);
    firn_doc_destroy(doc);
    free_by_row(&b);
}

// The costliest rows: an id and a mask of 5 bytes each, and 52 columns that no row has.
static void T21_rows_take_no_more_than_8_times_their_bytes(void **state)
{
    (void)state;
    enum { LIES = 20000, NAMES = 52 };
    by_row b = {.world = NULL};
    test_allocator memory;
    test_allocator_init(&memory);
    firn_buffer_init(&b.image, NULL);
    const double front[] = {1, LIES + 1, LIES, 1, NAMES};
    for (uint32_t i = 0; i < FIRN_COUNT(front); i++)
        put_number(&b, front[i]);
    for (uint32_t i = 0; i < NAMES; i++) {
        char name[] = {(char)('a' + i / 26), (char)('a' + i % 26), 0};
        put_string(&b, name);
        put_string(&b, "");
    }
    put_number(&b, NAMES);
    put_number(&b, LIES);
    for (uint32_t i = 0; i < NAMES; i++)
        put_number(&b, i + 1);
    put_number(&b, 1);
    for (uint32_t row = 0; row < LIES; row++) {
        put_int32(&b, row + 1);
        put_int32(&b, 0);
    }
    put(&b, "\x01", 1);
    firn_error err;
    const firn_image_options options = {.allocator = &memory.allocator};
    assert_ok(firn_image_check(b.image.data, b.image.size, &options, NULL, &err), &err);
    assert_true(memory.peak_bytes < b.image.size * 8 + 65536);
    assert_no_leak(&memory);
    firn_buffer_free(&b.image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T21_each_row_has_the_columns_of_its_mask),
        cmocka_unit_test(T21_rows_that_have_all_columns_stay_together),
        cmocka_unit_test(T21_a_walk_shows_the_values_of_rows),
        cmocka_unit_test(T21_rows_take_no_more_than_8_times_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
