// Loads of images made by hand: what other writers may do, and what a load must keep to.
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "golden/firn_build.h"
#include "golden/firn_worlds.h"

typedef struct one_float {
    float x;
} one_float;

static const firn_field one_float_fields[] = {FIRN_FIELD(one_float, x, FIRN_F32)};

static firn_world *make_load_world(void)
{
    firn_error err = {0};
    firn_world *world = golden_firn_world(NULL, NULL, &err);
    assert_non_null(world);
    return world;
}

static firn_component register_float(firn_world *world, const char *name,
                                     const char *const *former_names)
{
    firn_error err = {0};
    firn_component component =
        firn_component_register(world,
                                &(firn_component_desc){.name = name,
                                                       .kind = FIRN_STRUCT,
                                                       .size = sizeof(one_float),
                                                       .fields = one_float_fields,
                                                       .field_count = 1,
                                                       .former_names = former_names},
                                &err);
    assert_true(component != 0);
    return component;
}

static void assert_loads(firn_world *world, const image_builder *image)
{
    firn_error err = {0};
    assert_ok(firn_snapshot_load(world, image->bytes, image->size, NULL, NULL, &err), &err);
}

// Ten components with a fingerprint, of which the last is encoded all the same.
static image_builder make_doubtful_image(void)
{
    image_builder image = {0};
    image_add_front(&image, 2, 1, 1, 10);
    for (char name[] = "S0"; name[1] < '9'; name[1]++) {
        image_add_text(&image, name);
        image_add_text(&image, "x:float|4");
    }
    image_add_text(&image, "Handle");
    image_add_text(&image, "number:int32_t|4");
    image_add_frame(&image, 10, 1);
    for (uint32_t i = 0; i < 9; i++)
        image_add_word(&image, i);
    image_add_text(&image, "handle 7");
    image_add_byte(&image, 0x01);
    return image;
}

static void T13_registrations_find_an_encoded_column_among_many_fingerprints(void **state)
{
    (void)state;
    firn_world *world = make_load_world();
    image_builder image = make_doubtful_image();
    for (char name[] = "S0"; name[1] < '9'; name[1]++)
        register_float(world, name, NULL);
    assert_loads(world, &image);
    const golden_handle *handle = firn_get(world, 1, firn_component_find(world, "Handle"));
    assert_non_null(handle);
    assert_int_equal(handle->number, 7);
    firn_world_destroy(world);
    free(image.bytes);
}

static void T13_more_doubts_than_can_be_tried_are_refused_without_registrations(void **state)
{
    (void)state;
    image_builder image = make_doubtful_image();
    firn_error err = {0};
    assert_int_equal(firn_image_check(image.bytes, image.size, NULL, NULL, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "");
    free(image.bytes);
}

static void T17_a_component_without_rows_leaves_no_doubt_about_the_others(void **state)
{
    (void)state;
    image_builder image = {0};
    image_add_front(&image, 2, 1, 1, 2);
    image_add_text(&image, "Coded");
    image_add_text(&image, "a:int8_t|1");
    image_add_text(&image, "Empty");
    image_add_text(&image, "b:int8_t|1");
    image_add_frame(&image, 1, 1);
    image_add_text(&image, "\x03\x03");
    image_add_byte(&image, 0x01);
    firn_error err = {0};
    assert_ok(firn_image_check(image.bytes, image.size, NULL, NULL, &err), &err);
    free(image.bytes);
}

// Two entities with a Bag: nil in the form of five bytes, and true.
static image_builder make_nil_image(void)
{
    static const uint8_t rows[] = {0xff, 0, 0, 0, 0, 0x02};
    image_builder image = {0};
    image_add_front(&image, 3, 2, 1, 1);
    image_add_text(&image, "Bag");
    image_add_byte(&image, 0x00);
    image_add_frame(&image, 1, 2);
    image_add_bytes(&image, rows, sizeof rows);
    image_add_byte(&image, 0x01);
    return image;
}

static void a_nil_in_its_long_form_leaves_the_component_out(void **state)
{
    (void)state;
    firn_world *world = make_load_world();
    image_builder image = make_nil_image();
    assert_loads(world, &image);
    firn_component bag = firn_component_find(world, "Bag");
    assert_false(firn_has(world, 1, bag));
    assert_true(firn_has(world, 2, bag));
    firn_world_destroy(world);
    free(image.bytes);
}

static void nils_cannot_make_more_archetypes_than_the_limit(void **state)
{
    (void)state;
    firn_world *world = make_load_world();
    image_builder image = make_nil_image();
    firn_limits limits = {.archetypes = 1};
    firn_load_options options = {.limits = &limits};
    firn_error err = {0};
    assert_int_equal(firn_snapshot_load(world, image.bytes, image.size, &options, NULL, &err),
                     FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "archetypes");
    assert_true(err.offset < image.size);
    assert_int_equal(firn_entity_count(world), 0);
    limits.archetypes = 2;
    assert_ok(firn_snapshot_load(world, image.bytes, image.size, &options, NULL, &err), &err);
    firn_world_destroy(world);
    free(image.bytes);
}

// A drop hook that reads the title of another entity.
typedef struct title_reader {
    firn_component title;
    firn_entity titled;
    uint32_t dropped;
    size_t read;
} title_reader;

static void read_title(void *user, const firn_rows *rows)
{
    title_reader *reader = user;
    size_t size = 0;
    reader->dropped += rows->count;
    if (firn_get_string(rows->world, reader->titled, reader->title, &size) != NULL)
        reader->read = size;
}

static void drop_hooks_of_a_load_may_read_the_entities_of_before(void **state)
{
    (void)state;
    firn_world *world = make_load_world();
    firn_error err = {0};
    title_reader reader = {.title = firn_component_find(world, "Title")};
    firn_component zed = firn_component_register(
        world,
        &(firn_component_desc){
            .name = "Zed", .kind = FIRN_TAG, .hooks = {.drop = read_title, .user = &reader}},
        &err);
    static const char text[] = "a title that is longer than what fits into a row";
    reader.titled = firn_spawn(world, NULL, 0, &err);
    assert_ok(firn_set_text(world, reader.titled, reader.title, text, &err), &err);
    assert_true(firn_spawn(world, &zed, 1, &err) != 0);

    image_builder image = make_nil_image();
    assert_loads(world, &image);
    assert_int_equal(reader.dropped, 1);
    assert_int_equal(reader.read, strlen(text));
    firn_world_destroy(world);
    free(image.bytes);
}

static void nothing_is_reported_as_unknown_before_every_name_is_known(void **state)
{
    (void)state;
    firn_world *world = make_load_world();
    static const char *const former[] = {"Old", NULL};
    register_float(world, "New", former);
    image_builder image = {0};
    image_add_front(&image, 1, 0, 0, 3);
    static const char *const names[] = {"New", "Old", "Score"};
    for (size_t i = 0; i < FIRN_COUNT(names); i++) {
        image_add_text(&image, names[i]);
        image_add_byte(&image, 0x00);
    }
    image_add_byte(&image, 0x01);
    firn_load_report report;
    firn_error err = {0};
    firn_result result = firn_snapshot_load(world, image.bytes, image.size, NULL, &report, &err);
    firn_load_report_free(&report);
    assert_int_equal(result, FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "Old");
    assert_int_equal(report.unknown, 0);
    assert_int_equal(report.notice_count, 0);
    firn_world_destroy(world);
    free(image.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T13_registrations_find_an_encoded_column_among_many_fingerprints),
        cmocka_unit_test(T13_more_doubts_than_can_be_tried_are_refused_without_registrations),
        cmocka_unit_test(T17_a_component_without_rows_leaves_no_doubt_about_the_others),
        cmocka_unit_test(a_nil_in_its_long_form_leaves_the_component_out),
        cmocka_unit_test(nils_cannot_make_more_archetypes_than_the_limit),
        cmocka_unit_test(drop_hooks_of_a_load_may_read_the_entities_of_before),
        cmocka_unit_test(nothing_is_reported_as_unknown_before_every_name_is_known),
    };
    return cmocka_run_group_tests_name("firn_loads", tests, NULL, NULL);
}
