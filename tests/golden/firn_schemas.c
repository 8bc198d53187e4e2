// Schemas that the caller gives: how columns are read where the bytes do not say it.
#include "firn/firn.h"
#include "golden/firn_build.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#define POSITION "x:float,y:float|8"

// Two entities with two floats, of which the image says nothing.
static image_builder make_bare(void)
{
    image_builder image = {0};
    image_add_front(&image, 3, 2, 1, 1);
    image_add_text(&image, "Position");
    image_add_text(&image, "");
    image_add_frame(&image, 1, 2);
    image_add_bytes(&image, "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40", 16);
    image_add_byte(&image, 0x01);
    return image;
}

static firn_image_options with_schema(const firn_image_schema *schema)
{
    return (firn_image_options){.schemas = schema, .schema_count = 1};
}

static void assert_reading(const image_builder *image, const firn_image_schema *schema,
                           bool second_is_raw)
{
    firn_error err;
    firn_image_options options = with_schema(schema);
    firn_image *open = firn_image_open(image->bytes, image->size, &options, &err);
    assert_non_null(open);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_image_component second, third;
    assert_true(firn_image_component_at(open, 1, &second));
    assert_true(firn_image_component_at(open, 2, &third));
    assert_int_equal(second.raw, second_is_raw);
    assert_int_equal(third.raw, !second_is_raw);
    const firn_value *value = firn_image_value(open, 0, second_is_raw ? 2 : 1, 0, doc, &err);
    assert_non_null(value);
    assert_int_equal(value->kind, FIRN_VALUE_STRING);
    assert_string_equal(value->as.string, second_is_raw ? "\x03" : "!");
    firn_hash hash;
    assert_ok(firn_image_hash(image->bytes, image->size, &options, &hash, NULL, NULL, &err), &err);
    firn_doc_destroy(doc);
    firn_image_close(open);
}

static void T13_a_schema_decides_between_two_readings(void **state)
{
    (void)state;
    firn_error err;
    image_builder image = image_make_doubtful();
    assert_int_equal(firn_image_check(image.bytes, image.size, NULL, NULL, &err), FIRN_UNKNOWN);
    assert_reading(&image, &(firn_image_schema){"Second", "b:int8_t|1"}, true);
    assert_reading(&image, &(firn_image_schema){"Second", NULL}, false);
    assert_reading(&image, &(firn_image_schema){"Third", ""}, true);
    assert_reading(&image, &(firn_image_schema){"Third", "other:uint8_t|1"}, false);
    free(image.bytes);
}

static void T13_a_schema_reads_raw_rows_that_have_no_fingerprint(void **state)
{
    (void)state;
    firn_error err;
    image_builder image = make_bare();
    const firn_image_schema schema = {"Position", POSITION};
    firn_image_options options = with_schema(&schema);
    assert_int_equal(firn_image_check(image.bytes, image.size, NULL, NULL, &err), FIRN_CORRUPT);
    firn_image *open = firn_image_open(image.bytes, image.size, &options, &err);
    assert_non_null(open);
    firn_image_component component;
    firn_image_field field;
    assert_true(firn_image_component_at(open, 0, &component));
    assert_string_equal(component.fingerprint, POSITION);
    assert_int_equal(component.row_size, 8);
    assert_true(firn_image_field_at(open, 0, 1, &field));
    assert_string_equal(field.name, "y");
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    const firn_value *row = firn_image_value(open, 0, 0, 1, doc, &err);
    assert_non_null(row);
    assert_true(firn_table_get_text(row, "y")->as.number == 4);
    firn_doc_destroy(doc);
    firn_image_close(open);
    free(image.bytes);
}

static firn_result append_text(void *user, const void *text, size_t size, firn_error *err)
{
    return firn_buffer_append(user, text, size, err);
}

// The lines have the schema, and give an image that needs none.
static void S7_T13_what_a_schema_reads_is_exported_and_compared_with_it(void **state)
{
    (void)state;
    firn_error err;
    if (!firn_json_available()) {
        skip();
    }
    image_builder image = make_bare();
    const firn_image_schema schema = {"Position", POSITION};
    firn_json_options json = {.schemas = &schema, .schema_count = 1};
    firn_buffer lines = {0}, again = {0};
    assert_int_equal(
        firn_json_export_image(image.bytes, image.size, NULL, append_text, &lines, &err),
        FIRN_CORRUPT);
    assert_ok(firn_json_export_image(image.bytes, image.size, &json, append_text, &lines, &err),
              &err);
    assert_ok(firn_json_import_image(lines.data, lines.size, NULL, &again, &err), &err);
    firn_image_options options = with_schema(&schema);
    firn_image *open = firn_image_open(image.bytes, image.size, &options, &err);
    firn_diff_side left = {.image = open}, right = {.bytes = again.data, .size = again.size};
    firn_diff_summary summary;
    assert_ok(firn_diff(&left, &right, NULL, NULL, NULL, &summary, &err), &err);
    assert_int_equal(summary.differences, 0);
    firn_image_close(open);
    firn_buffer_free(&lines);
    firn_buffer_free(&again);
    free(image.bytes);
}

static void T13_a_schema_that_does_not_fit_is_named_with_its_byte(void **state)
{
    (void)state;
    firn_error err;
    image_builder image = make_bare();
    const firn_image_schema wide = {"Position", "x:double,y:double|16"};
    firn_image_options options = with_schema(&wide);
    assert_int_equal(firn_image_check(image.bytes, image.size, &options, NULL, &err),
                     FIRN_TRUNCATED);
    assert_error(&err, FIRN_TRUNCATED, "Position");
    assert_int_equal(err.offset, image.size - 17);
    assert_non_null(strstr(err.message, "the schema of Position (raw) does not fit"));
    // Too narrow, it goes wrong in what follows.
    const firn_image_schema narrow = {"Position", "x:float|4"};
    options = with_schema(&narrow);
    assert_int_equal(firn_image_check(image.bytes, image.size, &options, NULL, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "Position");
    assert_int_equal(err.offset, image.size - 9);
    free(image.bytes);
}

// The head of the next frame is where it goes wrong.
static void T13_a_schema_is_named_when_the_next_frame_does_not_begin(void **state)
{
    (void)state;
    firn_error err;
    size_t size;
    uint8_t *bytes = test_read_data("tecs/07_custom_codecs.bin", &size);
    const firn_image_schema wide = {"PlainAfter", "b:double,c:double|16"};
    firn_image_options options = with_schema(&wide);
    assert_int_equal(firn_image_check(bytes, size, &options, NULL, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "PlainAfter");
    free(bytes);
}

// What fails before any column of it is no matter of the schema.
static void T13_a_schema_is_not_blamed_for_what_stands_before_its_columns(void **state)
{
    (void)state;
    firn_error err;
    image_builder image = {0};
    image_add_front(&image, 2, 1, 1, 2);
    image_add_text(&image, "First");
    image_add_text(&image, "");
    image_add_text(&image, "Second");
    image_add_text(&image, "");
    image_add_frame(&image, 2, 1);
    image_add_bytes(&image, "\x03\x07\x01", 3); // no value begins with 3
    const firn_image_schema schema = {"Second", "a:int8_t|1"};
    firn_image_options options = with_schema(&schema);
    assert_int_equal(firn_image_check(image.bytes, image.size, &options, NULL, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "First");
    assert_null(strstr(err.message, "schema"));
    free(image.bytes);
}

static void T13_an_image_of_firn_says_itself_how_it_is_read(void **state)
{
    (void)state;
    firn_error err;
    size_t size;
    uint8_t *bytes = test_read_data("firn/03_structs.bin", &size);
    const firn_image_schema encoded = {"Padded", ""}, other = {"Padded", "n:int32_t|4"};
    const firn_image_schema *schemas[] = {&encoded, &other};
    firn_hash plain, hash;
    assert_ok(firn_image_hash(bytes, size, NULL, &plain, NULL, NULL, &err), &err);
    for (int i = 0; i < 2; i++) {
        firn_image_options options = with_schema(schemas[i]);
        assert_ok(firn_image_hash(bytes, size, &options, &hash, NULL, NULL, &err), &err);
        assert_memory_equal(&hash, &plain, sizeof hash);
    }
    // Its own fingerprint damaged, it is read as the schema says.
    uint8_t *at = bytes;
    while (memcmp(at, "small:int8_t", 12) != 0) {
        at++;
    }
    char good[256];
    firn_image *image = firn_image_open(bytes, size, NULL, &err);
    firn_image_component component;
    uint32_t index = firn_image_component_find(image, "Padded");
    assert_true(firn_image_component_at(image, index, &component));
    strcpy(good, component.fingerprint);
    firn_image_close(image);
    // One that fits does not change it, either.
    char renamed[256];
    strcpy(renamed, good);
    renamed[0] = 'S';
    firn_image_options options = with_schema(&(firn_image_schema){"Padded", renamed});
    image = firn_image_open(bytes, size, &options, &err);
    assert_true(firn_image_component_at(image, index, &component));
    assert_string_equal(component.fingerprint, good);
    firn_image_close(image);
    memcpy(strchr((char *)at, '|') + 1, "99", 2);
    assert_int_not_equal(firn_image_check(bytes, size, NULL, NULL, &err), FIRN_OK);
    options = with_schema(&(firn_image_schema){"Padded", good});
    assert_ok(firn_image_hash(bytes, size, &options, &hash, NULL, NULL, &err), &err);
    assert_int_equal(hash.total, plain.total);
    free(bytes);
}

static void assert_refused(const image_builder *image, const firn_image_options *options,
                           const char *subject)
{
    firn_error err = {.code = FIRN_OK};
    assert_int_equal(firn_image_check(image->bytes, image->size, options, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, subject);
}

static void N9_bad_schemas_are_refused(void **state)
{
    (void)state;
    image_builder image = make_bare();
    const firn_image_schema bad[] = {{"Absent", "x:float"},   {"Absent", "x:vec|4"},
                                     {"Absent", "x:float|8"}, {NULL, ""},
                                     {"", "x:float|4"},       {"Likes->5", "x:float|4"}};
    const char *const subjects[] = {"Absent",         "Absent",         "Absent",
                                    "component name", "component name", "Likes->5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_image_options options = with_schema(&bad[i]);
        assert_refused(&image, &options, subjects[i]);
    }
    const firn_image_schema two[] = {{"Position", POSITION}, {"Position", POSITION}};
    firn_image_options options = {.schemas = two, .schema_count = 2};
    assert_refused(&image, &options, "Position");
    options.schemas = NULL;
    assert_refused(&image, &options, "schemas");
    free(image.bytes);
}

static void N12_schemas_without_memory_leak_nothing(void **state)
{
    (void)state;
    size_t size;
    uint8_t *own = test_read_data("firn/03_structs.bin", &size);
    image_builder bare = make_bare();
    const firn_image_schema given[] = {{"Position", POSITION}, {"Padded", ""}};
    for (int i = 0; i < 2; i++) {
        test_allocator memory;
        test_allocator_init(&memory);
        firn_image_options options = {
            .allocator = &memory.allocator, .schemas = given, .schema_count = 2};
        firn_result result = FIRN_NO_MEMORY;
        for (uint64_t call = 1; result != FIRN_OK; call++) {
            firn_error err = {.code = FIRN_OK};
            test_allocator_fail_at(&memory, call, false);
            result = i == 0 ? firn_image_check(bare.bytes, bare.size, &options, NULL, &err)
                            : firn_image_check(own, size, &options, NULL, &err);
            assert_true(result == FIRN_OK || result == FIRN_NO_MEMORY);
            assert_no_leak(&memory);
        }
    }
    free(bare.bytes);
    free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T13_a_schema_decides_between_two_readings),
        cmocka_unit_test(T13_a_schema_reads_raw_rows_that_have_no_fingerprint),
        cmocka_unit_test(S7_T13_what_a_schema_reads_is_exported_and_compared_with_it),
        cmocka_unit_test(T13_a_schema_that_does_not_fit_is_named_with_its_byte),
        cmocka_unit_test(T13_a_schema_is_named_when_the_next_frame_does_not_begin),
        cmocka_unit_test(T13_a_schema_is_not_blamed_for_what_stands_before_its_columns),
        cmocka_unit_test(T13_an_image_of_firn_says_itself_how_it_is_read),
        cmocka_unit_test(N9_bad_schemas_are_refused),
        cmocka_unit_test(N12_schemas_without_memory_leak_nothing),
    };
    return cmocka_run_group_tests_name("firn_schemas", tests, NULL, NULL);
}
