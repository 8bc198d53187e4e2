// Payloads of scalars and tags as the four dialects write them, in images made by hand.
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "firn/firn.h"
#include "golden/firn_build.h"

typedef struct kinds {
    firn_world *world;
    firn_component number, flag, text, tag, bag;
} kinds;

static firn_component add_kind(firn_world *world, const char *name, firn_component_kind kind)
{
    firn_error err = {0};
    firn_component_desc desc = {.name = name, .kind = kind};
    firn_component component = firn_component_register(world, &desc, &err);
    assert_true(component != 0);
    return component;
}

static kinds make_kinds(void)
{
    kinds k = {.world = firn_world_create(NULL, NULL)};
    k.number = add_kind(k.world, "Number", FIRN_NUMBER);
    k.flag = add_kind(k.world, "Flag", FIRN_BOOLEAN);
    k.text = add_kind(k.world, "Text", FIRN_STRING);
    k.tag = add_kind(k.world, "Mark", FIRN_TAG);
    k.bag = add_kind(k.world, "Bag", FIRN_VALUE);
    return k;
}

// One column of `rows` values, given as hex. A version of 2 is the second number of the bytes.
static firn_result load_column(const kinds *k, uint32_t version, const char *name, uint32_t rows,
                               const char *hex, firn_error *err)
{
    image_builder image = {0};
    size_t size;
    uint8_t *values = test_from_hex(hex, &size);
    image_add_front(&image, rows + 1, rows, 1, 1);
    assert_int_equal(image.bytes[1], 1);
    image.bytes[1] = (uint8_t)version;
    image_add_text(&image, name);
    image_add_byte(&image, 0x00); // the fingerprint of the port
    image_add_frame(&image, 1, rows);
    image_add_bytes(&image, values, size);
    image_add_byte(&image, 0x01);
    firn_result result = firn_snapshot_load(k->world, image.bytes, image.size, NULL, NULL, err);
    free(values);
    free(image.bytes);
    return result;
}

static void load_good(const kinds *k, uint32_t version, const char *name, uint32_t rows,
                      const char *hex)
{
    firn_error err = {0};
    assert_ok(load_column(k, version, name, rows, hex, &err), &err);
}

#define VALUE "25 76616c7565 " // "value"
#define FIVE  "06 05000000 "   // 5

// {value = 5} in every valid encoding, and 5.
#define FIVES                                                                                      \
    FIVE "07 0000000000001440 "                                                                    \
         "09 01 " VALUE FIVE "09 ff01000000 " VALUE FIVE "ff09000000 01 " VALUE FIVE               \
         "0b 00 01 " VALUE FIVE "0d 01 01 " VALUE FIVE "09 01 ff25000000 76616c7565 " FIVE
#define FIVES_COUNT 8

static void T22_a_scalar_is_bare_or_wrapped_in_both_versions(void **state)
{
    (void)state;
    kinds k = make_kinds();
    for (uint32_t version = 1; version <= 2; version++) {
        load_good(&k, version, "Number", FIVES_COUNT, FIVES);
        for (firn_entity entity = 1; entity <= FIVES_COUNT; entity++) {
            const double *number = firn_get(k.world, entity, k.number);
            assert_true(number != NULL && *number == 5);
        }
        load_good(&k, version, "Flag", 3, "02 0901 " VALUE "02 0901 " VALUE "01");
        assert_true(*(const bool *)firn_get(k.world, 1, k.flag));
        assert_true(*(const bool *)firn_get(k.world, 2, k.flag));
        assert_false(*(const bool *)firn_get(k.world, 3, k.flag));
        size_t size;
        load_good(&k, version, "Text", 2, "2161 0901 " VALUE "2162");
        assert_memory_equal(firn_get_string(k.world, 1, k.text, &size), "a", 1);
        assert_memory_equal(firn_get_string(k.world, 2, k.text, &size), "b", 1);
    }
    firn_world_destroy(k.world);
}

static void T22_what_only_looks_like_a_wrapped_scalar_is_none(void **state)
{
    (void)state;
    kinds k = make_kinds();
    static const char *const wrong[] = {
        "08",                             // {}
        "0901 25 56616c7565 " FIVE,       // {Value = 5}
        "0901 26 76616c756573 " FIVE,     // {values = 5}
        "0902 " VALUE FIVE "2161 02",     // {value = 5, a = true}
        "0b 01 01 02 " VALUE FIVE,        // {[0] = true, value = 5}
        "0d 02 01 02 " VALUE FIVE,        // {true, value = 5}
        "0c 02 " FIVE,                    // {5}
        "0901 " VALUE "0901 " VALUE FIVE, // {value = {value = 5}}
        "0901 " VALUE "2135",             // {value = "5"}
        "2135",                           // "5"
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        firn_error err = {0};
        if (load_column(&k, 2, "Number", 1, wrong[i], &err) != FIRN_INVALID)
            fail_msg("%s loads as a number", wrong[i]);
        assert_error(&err, FIRN_INVALID, "Number");
        assert_int_equal(err.entity, 1);
    }
    firn_world_destroy(k.world);
}

static void T22_a_tag_is_true_or_a_table_or_only_stands_there(void **state)
{
    (void)state;
    kinds k = make_kinds();
    for (uint32_t version = 1; version <= 2; version++) {
        // nil, true, {}, {a = 1}
        load_good(&k, version, "Mark", 4, "00 02 08 0901 2161 0601000000");
        for (firn_entity entity = 1; entity <= 4; entity++)
            assert_true(firn_has(k.world, entity, k.tag));
        static const char *const wrong[] = {"01", FIVE, "07 0000000000001440", "21 61", "20"};
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            firn_error err = {0};
            char hex[64];
            snprintf(hex, sizeof hex, "02 08 %s", wrong[i]);
            assert_int_equal(load_column(&k, version, "Mark", 3, hex, &err), FIRN_INVALID);
            assert_error(&err, FIRN_INVALID, "Mark");
            assert_int_equal(err.entity, 3);
        }
    }
    firn_world_destroy(k.world);
}

static void T17_a_table_component_named_value_stays_a_table(void **state)
{
    (void)state;
    kinds k = make_kinds();
    load_good(&k, 2, "Bag", 1, "0901 " VALUE FIVE);
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    const firn_value *bag = firn_get_value(k.world, 1, k.bag, doc, NULL);
    assert_true(firn_table_get_text(bag, "value")->as.number == 5);
    firn_doc_destroy(doc);
    firn_world_destroy(k.world);
}

static void T22_a_nil_scalar_is_a_component_that_is_not_there(void **state)
{
    (void)state;
    kinds k = make_kinds();
    load_good(&k, 1, "Number", 3, FIVE "00 " FIVE);
    assert_true(firn_has(k.world, 1, k.number) && firn_has(k.world, 3, k.number));
    assert_true(firn_alive(k.world, 2));
    assert_false(firn_has(k.world, 2, k.number));
    firn_world_destroy(k.world);
}

static void T22_version_2_is_written_with_wrapped_scalars(void **state)
{
    (void)state;
    kinds k = make_kinds();
    firn_error err = {0};
    firn_buffer image = {0};
    load_good(&k, 1, "Number", 1, FIVE);
    firn_save_options options = {.wire_version = 2};
    assert_ok(firn_snapshot_save(k.world, &options, &image, &err), &err);
    size_t size;
    uint8_t *wanted = test_from_hex("0901 " VALUE "07 0000000000001440", &size);
    uint32_t found = 0;
    for (size_t i = 0; i + size <= image.size; i++)
        found += memcmp(image.data + i, wanted, size) == 0;
    assert_int_equal(found, 1);
    assert_int_equal(image.data[8], 0x40); // the double 2
    assert_ok(firn_snapshot_load(k.world, image.data, image.size, NULL, NULL, &err), &err);
    assert_true(*(const double *)firn_get(k.world, 1, k.number) == 5);
    free(wanted);
    firn_buffer_free(&image);
    firn_world_destroy(k.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T22_a_scalar_is_bare_or_wrapped_in_both_versions),
        cmocka_unit_test(T22_what_only_looks_like_a_wrapped_scalar_is_none),
        cmocka_unit_test(T22_a_tag_is_true_or_a_table_or_only_stands_there),
        cmocka_unit_test(T17_a_table_component_named_value_stays_a_table),
        cmocka_unit_test(T22_a_nil_scalar_is_a_component_that_is_not_there),
        cmocka_unit_test(T22_version_2_is_written_with_wrapped_scalars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
