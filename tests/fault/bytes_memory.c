// What bytes can make the library allocate: the bounds of docs/format.md, "Memory".
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/firn_build.h"
#include "golden/firn_worlds.h"

#define FIXED_BYTES (UINT64_C(64) << 10)

// ---------------------------------------------------------------- greedy images

// A name of three bytes, another one for each number below 2^18.
static void add_short_name(image_builder *to, uint32_t number)
{
    char name[3];
    for (int i = 0; i < 3; i++)
        name[i] = (char)(0x30 + (number >> (6 * i) & 0x3f));
    image_add_string(to, name, sizeof name);
}

static void many_components(image_builder *to)
{
    image_add_front(to, 1, 0, 0, 30000);
    for (uint32_t i = 0; i < 30000; i++) {
        add_short_name(to, i);
        image_add_byte(to, 0x00);
    }
    image_add_byte(to, 0x01);
}

// Its entries end after the first, which only the walk over them can see.
static void components_that_are_not_there(image_builder *to)
{
    image_add_front(to, 1, 0, 0, 30000);
    for (uint32_t i = 0; i < 90000; i++)
        image_add_byte(to, 0x01);
}

static void many_fields(image_builder *to)
{
    image_builder text = {0};
    for (uint32_t i = 0; i < 20000; i++) {
        char field[24];
        snprintf(field, sizeof field, "%x:bool,", i);
        image_add_bytes(&text, field, strlen(field));
    }
    text.size--;
    image_add_bytes(&text, "|20000", 6);
    image_add_front(to, 1, 0, 0, 1);
    add_short_name(to, 0);
    image_add_string(to, (const char *)text.bytes, text.size);
    image_add_byte(to, 0x01);
    free(text.bytes);
}

static void many_commas(image_builder *to)
{
    char *commas = malloc(60000);
    assert_non_null(commas);
    memset(commas, ',', 60000);
    image_add_front(to, 1, 0, 0, 1);
    add_short_name(to, 0);
    image_add_string(to, commas, 60000);
    image_add_byte(to, 0x01);
    free(commas);
}

static void many_frames(image_builder *to)
{
    image_add_front(to, 1, 0, 20000, 0);
    for (uint32_t i = 0; i < 20000; i++)
        for (int k = 0; k < 3; k++)
            image_add_number(to, 0);
    image_add_byte(to, 0x01);
}

static void many_columns(image_builder *to)
{
    image_add_front(to, 1, 0, 100, 500);
    for (uint32_t i = 0; i < 500; i++) {
        add_short_name(to, i);
        image_add_byte(to, 0x00);
    }
    for (uint32_t i = 0; i < 100; i++) {
        image_add_number(to, 500);
        image_add_number(to, 0);
        for (uint32_t k = 1; k <= 500; k++)
            image_add_number(to, k);
        image_add_number(to, 0);
    }
    image_add_byte(to, 0x01);
}

static void many_keys(image_builder *to)
{
    image_add_front(to, 1, 0, 0, 0);
    for (uint32_t i = 0; i < 4096; i++) {
        image_add_byte(to, 0x02);
        image_add_byte(to, 0x20);
        image_add_byte(to, 0x00);
    }
    image_add_byte(to, 0x01);
}

// A component Bag of one entity, without its value.
static void add_bag(image_builder *to)
{
    image_add_front(to, 2, 1, 1, 1);
    image_add_text(to, "Bag");
    image_add_byte(to, 0x00);
    image_add_frame(to, 1, 1);
}

// One value of 200,000 elements, written as firn does not: from index 0.
static void one_wide_value(image_builder *to)
{
    add_bag(to);
    image_add_byte(to, 0x0a);
    image_add_byte(to, 0xff);
    image_add_word(to, 200000);
    for (uint32_t i = 0; i < 200000; i++)
        image_add_byte(to, 0x02);
    image_add_byte(to, 0x01);
}

// The same, with a hole in front: every element becomes an entry of the map.
static void one_holed_value(image_builder *to)
{
    add_bag(to);
    image_add_byte(to, 0x0c);
    image_add_byte(to, 0xff);
    image_add_word(to, 200001);
    image_add_byte(to, 0x00);
    for (uint32_t i = 1; i < 200000; i++)
        image_add_byte(to, 0x02);
    image_add_byte(to, 0x01);
}

// Rows that have a component by turns: a piece of the load each.
static void many_nils(image_builder *to)
{
    image_add_front(to, 20001, 20000, 1, 1);
    image_add_text(to, "Bag");
    image_add_byte(to, 0x00);
    image_add_frame(to, 1, 20000);
    for (uint32_t i = 0; i < 20000; i++)
        image_add_byte(to, i % 2 == 0 ? 0x00 : 0x02);
    image_add_byte(to, 0x01);
}

static void many_slots(image_builder *to)
{
    image_add_front(to, FIRN_SLOT_MAX + 1, 0, 0, 0);
    image_add_byte(to, 0x01);
}

typedef struct greedy_image {
    const char *name;
    void (*build)(image_builder *to);
    uint32_t slots;
    uint32_t column_bytes; ///< of a load: ids and rows
    uint32_t value_bytes;  ///< of its largest value that is not canonical
} greedy_image;

static const greedy_image greedy_images[] = {
    {"many components", many_components, 1, 0, 0},
    {"components that are not there", components_that_are_not_there, 1, 0, 0},
    {"many fields", many_fields, 1, 0, 0},
    {"many commas", many_commas, 1, 0, 0},
    {"many frames", many_frames, 1, 0, 0},
    {"many columns", many_columns, 1, 0, 0},
    {"many data keys", many_keys, 1, 0, 0},
    {"one wide value", one_wide_value, 2, 24, 200006},
    {"one holed value", one_holed_value, 2, 24, 200006},
    {"many nils", many_nils, 20001, 20000 * 24, 0},
    {"many slots", many_slots, FIRN_SLOT_MAX + 1, 0, 0},
};

// ---------------------------------------------------------------- measuring

static uint64_t peak_of_check(const void *bytes, size_t size)
{
    test_allocator memory;
    test_allocator_init(&memory);
    firn_image_options options = {.allocator = &memory.allocator};
    (void)firn_image_check(bytes, size, &options, NULL, NULL);
    assert_no_leak(&memory);
    return memory.peak_bytes;
}

// Beyond the world, which holds nothing.
static uint64_t peak_of_load(const void *bytes, size_t size)
{
    test_allocator memory;
    test_allocator_init(&memory);
    firn_world *world = golden_firn_world(&memory.allocator, NULL, NULL);
    assert_non_null(world);
    uint64_t before = memory.bytes;
    test_allocator_reset_peak(&memory);
    firn_load_options options = {.skip_unknown = true};
    (void)firn_snapshot_load(world, bytes, size, &options, NULL, NULL);
    uint64_t peak = memory.peak_bytes - before;
    firn_world_destroy(world);
    assert_no_leak(&memory);
    return peak;
}

static void assert_within(const char *name, const char *call, uint64_t peak, uint64_t bound)
{
    if (peak > bound)
        fail_msg("%s: %s takes %llu bytes, the bound is %llu", name, call, (unsigned long long)peak,
                 (unsigned long long)bound);
}

static void T17_no_image_makes_a_check_take_more_than_the_bound(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIRN_COUNT(greedy_images); i++) {
        const greedy_image *greedy = &greedy_images[i];
        image_builder image = {0};
        greedy->build(&image);
        uint64_t peak = peak_of_check(image.bytes, image.size);
        assert_within(greedy->name, "firn_image_check", peak,
                      FIXED_BYTES + 36 * (uint64_t)image.size + greedy->slots / 8);
        free(image.bytes);
    }
}

static void T17_no_image_makes_a_load_take_more_than_the_bound(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIRN_COUNT(greedy_images); i++) {
        const greedy_image *greedy = &greedy_images[i];
        image_builder image = {0};
        greedy->build(&image);
        uint64_t peak = peak_of_load(image.bytes, image.size);
        assert_within(greedy->name, "firn_snapshot_load", peak,
                      FIXED_BYTES + 64 * (uint64_t)image.size + greedy->slots / 8 +
                          8 * (uint64_t)greedy->slots + greedy->column_bytes +
                          128 * (uint64_t)greedy->value_bytes);
        free(image.bytes);
    }
}

// ---------------------------------------------------------------- images as games have them

// 20,000 entities; returns the bytes of their ids and rows.
static uint64_t fill_village(firn_world *world)
{
    firn_error err = {0};
    static const char *const names[] = {"Position", "Score", "Title", "Bag", "Boss"};
    firn_component components[FIRN_COUNT(names)];
    for (size_t i = 0; i < FIRN_COUNT(names); i++)
        components[i] = firn_component_find(world, names[i]);
    enum { VILLAGERS = 20000 };
    firn_entity *ids = malloc(VILLAGERS * sizeof *ids);
    assert_non_null(ids);
    assert_ok(firn_spawn_many(world, components, FIRN_COUNT(names), VILLAGERS, ids, &err), &err);
    for (uint32_t i = 0; i < VILLAGERS; i++) {
        char title[64];
        snprintf(title, sizeof title, "villager %u of the snow", i);
        assert_ok(firn_set_text(world, ids[i], components[2], title, &err), &err);
    }
    free(ids);
    return VILLAGERS *
           (sizeof(firn_entity) + sizeof(golden_point) + sizeof(double) + 2 * FIRN_ROW_SIZE);
}

static void T17_a_village_is_checked_and_loaded_within_four_times_its_bytes(void **state)
{
    (void)state;
    firn_world *world = golden_firn_world(NULL, NULL, NULL);
    uint64_t columns = fill_village(world);
    firn_buffer image;
    firn_buffer_init(&image, NULL);
    assert_ok(firn_snapshot_save(world, NULL, &image, NULL), NULL);
    uint64_t slots = firn_entity_count(world) + 1;
    uint64_t bound = FIXED_BYTES + 4 * (uint64_t)image.size + slots / 8;
    assert_within("village", "firn_image_check", peak_of_check(image.data, image.size), bound);
    assert_within("village", "firn_snapshot_load", peak_of_load(image.data, image.size),
                  bound + columns + 8 * slots);
    // The same for a load that fails at the last byte.
    image.data[image.size - 1] = 0x00;
    assert_within("village", "a failing load", peak_of_load(image.data, image.size),
                  bound + columns + 8 * slots);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void T17_golden_images_are_loaded_within_four_times_their_bytes(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_image_count; i++) {
        char path[512];
        size_t size;
        snprintf(path, sizeof path, FIRN_TEST_DATA "/firn/%s.bin", golden_images[i].name);
        uint8_t *bytes = test_read_file(path, &size);
        assert_within(path, "firn_image_check", peak_of_check(bytes, size), FIXED_BYTES + 4 * size);
        assert_within(path, "firn_snapshot_load", peak_of_load(bytes, size),
                      FIXED_BYTES + 4 * size);
        free(bytes);
    }
}

// ---------------------------------------------------------------- bombs

static const char *const bombs[] = {
    "0a ffffffff 07",
    "09 ff00000004",
    "0aff00000004 0aff00000004 0aff00000004 0aff00000004 0aff00000004 07",
};

static void a_bomb_is_refused_as_a_value_before_it_takes_4_KiB(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIRN_COUNT(bombs); i++) {
        size_t size;
        uint8_t *bytes = test_from_hex(bombs[i], &size);
        test_allocator memory;
        test_allocator_init(&memory);
        firn_error err = {0};
        firn_doc *doc = firn_doc_create(&memory.allocator, NULL, &err);
        uint64_t before = memory.bytes;
        test_allocator_reset_peak(&memory);
        assert_null(firn_value_decode(doc, bytes, size, &err));
        assert_int_equal(err.code, FIRN_TRUNCATED);
        assert_true(memory.peak_bytes - before < 4096);
        firn_doc_destroy(doc);
        assert_no_leak(&memory);
        free(bytes);
    }
}

static void a_bomb_in_an_image_is_refused_before_it_takes_4_KiB(void **state)
{
    (void)state;
    static const char *const files[] = {
        "bomb_array_in_a_column", "bomb_pairs_in_a_column", "bomb_nested_in_a_column",
        "bomb_array_in_data",     "bomb_pairs_in_data",     "bomb_nested_in_data",
    };
    for (size_t i = 0; i < FIRN_COUNT(files); i++) {
        char path[512];
        size_t size;
        snprintf(path, sizeof path, FIRN_TEST_DATA "/errors/truncated/%s.bin", files[i]);
        uint8_t *bytes = test_read_file(path, &size);
        assert_true(peak_of_check(bytes, size) < 4096);
        assert_true(peak_of_load(bytes, size) < 4096);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T17_no_image_makes_a_check_take_more_than_the_bound),
        cmocka_unit_test(T17_no_image_makes_a_load_take_more_than_the_bound),
        cmocka_unit_test(T17_a_village_is_checked_and_loaded_within_four_times_its_bytes),
        cmocka_unit_test(T17_golden_images_are_loaded_within_four_times_their_bytes),
        cmocka_unit_test(a_bomb_is_refused_as_a_value_before_it_takes_4_KiB),
        cmocka_unit_test(a_bomb_in_an_image_is_refused_before_it_takes_4_KiB),
    };
    return cmocka_run_group_tests_name("bytes_memory", tests, NULL, NULL);
}
