// Columns that a fingerprint leaves open: raw or encoded (docs/format.md).
#include "firn/firn.h"
#include "golden/firn_build.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static const char world_entry[] = "\x02\x2c__firn.world\x09\x01\x24tick\x06\0\0\0\0";

// One entity with one component, whose column comes next.
static image_builder begin_reading(const char *name, const char *fingerprint)
{
    image_builder image = {0};
    image_add_front(&image, 2, 1, 1, 1);
    image_add_text(&image, name);
    image_add_text(&image, fingerprint);
    image_add_frame(&image, 1, 1);
    return image;
}

static firn_result check_reading(image_builder *image, firn_error *err)
{
    *err = (firn_error){.code = FIRN_OK};
    firn_result result = firn_image_check(image->bytes, image->size, NULL, NULL, err);
    free(image->bytes);
    return result;
}

// A world with the string Text.
static firn_world *make_text_world(firn_component *text)
{
    firn_error err;
    firn_component_desc desc = {.name = "Text", .kind = FIRN_STRING};
    firn_world *world = firn_world_create(NULL, &err);
    assert_non_null(world);
    *text = firn_component_register(world, &desc, &err);
    assert_true(*text != 0);
    return world;
}

static void T13_a_target_of_a_relationship_is_encoded_whatever_its_fingerprint(void **state)
{
    (void)state;
    firn_error err;
    image_builder image = begin_reading("Likes->Ann", "x:float|4");
    image_add_number(&image, 7);
    image_add_byte(&image, 0x01);
    assert_ok(check_reading(&image, &err), &err);
    // No value begins with 3, and a raw row it may not be.
    image = begin_reading("Likes->Ann", "a:int8_t|1");
    image_add_byte(&image, 0x03);
    image_add_byte(&image, 0x01);
    assert_int_equal(check_reading(&image, &err), FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, "Likes->Ann");
}

// First is raw. Of the others one is a string of one byte and the other raw, and it does not say
// which.
static void T13_of_two_readings_the_component_is_named_in_which_they_differ(void **state)
{
    (void)state;
    firn_error err;
    image_builder image = image_make_doubtful();
    assert_int_equal(check_reading(&image, &err), FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "Second");
}

static void T13_in_an_image_of_firn_a_column_with_a_fingerprint_is_raw(void **state)
{
    (void)state;
    for (int ours = 0; ours < 2; ours++) {
        firn_error err;
        firn_component text;
        firn_world *world = make_text_world(&text);
        image_builder image = begin_reading("Text", "n:int32_t|4");
        image_add_text(&image, "a string");
        if (ours)
            image_add_bytes(&image, world_entry, sizeof world_entry - 1);
        image_add_byte(&image, 0x01);
        firn_result result = firn_snapshot_load(world, image.bytes, image.size, NULL, NULL, &err);
        size_t size = 0;
        const char *loaded = firn_get_string(world, 1, text, &size);
        if (ours) {
            assert_int_equal(result, FIRN_CORRUPT);
            assert_int_equal(firn_entity_count(world), 0);
        } else {
            assert_ok(result, &err);
            assert_int_equal(size, 8);
            assert_memory_equal(loaded, "a string", 8);
        }
        free(image.bytes);
        firn_world_destroy(world);
    }
}

static void T13_a_raw_column_of_what_is_no_struct_any_more_is_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_component text;
    firn_world *world = make_text_world(&text);
    image_builder image = begin_reading("Text", "n:int32_t|4");
    image_add_bytes(&image, "\x03\x03\x03\x03\x01", 5); // no value, so the registration is wrong
    assert_int_equal(firn_snapshot_load(world, image.bytes, image.size, NULL, NULL, &err),
                     FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "Text");
    assert_non_null(strstr(err.message, "is a struct in the save"));
    free(image.bytes);
    firn_world_destroy(world);
}

// A spawn that waits has taken its slot: the load drops it, and the slot's next id is another one.
static void N4_an_id_that_waited_at_a_load_does_not_come_again(void **state)
{
    (void)state;
    firn_error err;
    firn_component tag;
    test_allocator memory;
    test_allocator_init(&memory);
    firn_world *world = firn_world_create(&(firn_world_desc){.allocator = &memory.allocator}, &err);
    assert_non_null(world);
    tag = firn_component_register(world, &(firn_component_desc){.name = "Tag", .kind = FIRN_TAG},
                                  &err);
    assert_int_equal(firn_spawn(world, NULL, 0, &err), 1);
    firn_query_desc desc = {.name = "all"};
    firn_query query = firn_query_create(world, &desc, &err);
    firn_iter it;
    firn_iter_begin(world, query, &it);
    assert_true(firn_iter_next(&it));
    assert_int_equal(firn_spawn(world, &tag, 1, &err), 2);
    test_allocator_fail_at(&memory, 1, true);
    assert_int_equal(firn_iter_end(&it, &err), FIRN_NO_MEMORY);
    test_allocator_fail_at(&memory, 0, false);
    assert_int_equal(firn_pending(world), 1);

    image_builder image = {0};
    image_add_front(&image, 3, 0, 0, 0);
    image_add_byte(&image, 0x01);
    assert_ok(firn_snapshot_load(world, image.bytes, image.size, NULL, NULL, &err), &err);
    assert_int_equal(firn_pending(world), 0);
    const firn_entity again = (firn_entity)1 << 22; // one generation more
    assert_int_equal(firn_spawn(world, NULL, 0, &err), 1 + again);
    assert_int_equal(firn_spawn(world, NULL, 0, &err), 2 + again);
    free(image.bytes);
    firn_world_destroy(world);
    assert_no_leak(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T13_a_target_of_a_relationship_is_encoded_whatever_its_fingerprint),
        cmocka_unit_test(T13_of_two_readings_the_component_is_named_in_which_they_differ),
        cmocka_unit_test(T13_in_an_image_of_firn_a_column_with_a_fingerprint_is_raw),
        cmocka_unit_test(T13_a_raw_column_of_what_is_no_struct_any_more_is_refused),
        cmocka_unit_test(N4_an_id_that_waited_at_a_load_does_not_come_again),
    };
    return cmocka_run_group_tests_name("firn_readings", tests, NULL, NULL);
}
