// The format, pinned: images that firn wrote once, and that it must write and read for ever.
// `firn_images --write` writes them anew, for a new world in firn_worlds.c.
#include "support/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/firn_worlds.h"

static uint8_t *read_golden_image(const golden_image *image, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, FIRN_TEST_DATA "/firn/%s.bin", image->name);
    return test_read_file(path, size);
}

static firn_world *make_golden_world(const golden_image *image)
{
    firn_error err = {0};
    firn_world *world = golden_image_world(image, &err);
    if (world == NULL)
        fail_msg("%s: %s", image->name, err.message);
    return world;
}

static void assert_golden_bytes(const golden_image *image, firn_world *world)
{
    firn_error err = {0};
    firn_buffer saved;
    firn_buffer_init(&saved, NULL);
    assert_ok(golden_image_save(image, world, &saved, &err), &err);
    size_t size;
    uint8_t *expected = read_golden_image(image, &size);
    if (saved.size != size || memcmp(saved.data, expected, size) != 0)
        fail_msg("%s: other bytes are written: %zu of them, not %zu", image->name, saved.size,
                 size);
    free(expected);
    firn_buffer_free(&saved);
}

static void F4_golden_worlds_are_saved_as_the_same_bytes_on_every_machine(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_image_count; i++) {
        firn_world *world = make_golden_world(&golden_images[i]);
        assert_golden_bytes(&golden_images[i], world);
        firn_world_destroy(world);
    }
}

static void T1_golden_images_load_and_are_saved_as_the_same_bytes(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_image_count; i++) {
        const golden_image *image = &golden_images[i];
        size_t size;
        uint8_t *bytes = read_golden_image(image, &size);
        firn_error err = {0};
        firn_load_report report;
        firn_world *world = golden_firn_world(NULL, NULL, &err);
        assert_non_null(world);
        assert_ok(firn_image_check(bytes, size, NULL, NULL, &err), &err);
        assert_ok(firn_snapshot_load(world, bytes, size, NULL, &report, &err), &err);
        firn_load_report_free(&report);
        assert_true(report.committed);
        assert_golden_bytes(image, world);
        firn_world_destroy(world);
        free(bytes);
    }
}

static void assert_same_hash(const char *name, const firn_hash *hash, const firn_hash *expected)
{
    if (memcmp(hash, expected, sizeof *hash) != 0)
        fail_msg("%s: the hash is {0x%016" PRIx64 ", 0x%016" PRIx64 ", 0x%016" PRIx64
                 ", 0x%016" PRIx64 "}",
                 name, hash->total, hash->ids, hash->entities, hash->world);
}

static void F4_hashes_of_golden_worlds_are_the_same_numbers_on_every_machine(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_image_count; i++) {
        firn_world *world = make_golden_world(&golden_images[i]);
        firn_hash hash;
        assert_ok(firn_world_hash(world, &hash, NULL, NULL, NULL), NULL);
        assert_same_hash(golden_images[i].name, &hash, &golden_images[i].hash);
        firn_world_destroy(world);
    }
}

// In version 2 scalars are other bytes: all but the total are equal there, too.
static void F1_hashes_of_golden_images_are_those_of_their_worlds(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_image_count; i++) {
        size_t size;
        uint8_t *bytes = read_golden_image(&golden_images[i], &size);
        firn_hash hash, expected = golden_images[i].hash;
        firn_error err = {0};
        assert_ok(firn_image_hash(bytes, size, NULL, &hash, NULL, NULL, &err), &err);
        if (golden_images[i].wire_version == 2)
            expected.total = golden_images[i].version2_hash;
        assert_same_hash(golden_images[i].name, &hash, &expected);
        free(bytes);
    }
}

static void T4_the_golden_free_list_gives_the_next_ids(void **state)
{
    (void)state;
    firn_error err = {0};
    const golden_image *image = &golden_images[3];
    size_t size;
    uint8_t *bytes = read_golden_image(image, &size);
    firn_world *saved = make_golden_world(image), *loaded = golden_firn_world(NULL, NULL, &err);
    assert_ok(firn_snapshot_load(loaded, bytes, size, NULL, NULL, &err), &err);
    uint32_t reused = 0;
    for (int i = 0; i < 6; i++) {
        firn_entity entity = firn_spawn(loaded, NULL, 0, &err);
        assert_int_equal(entity, firn_spawn(saved, NULL, 0, &err));
        assert_int_not_equal(entity & FIRN_SLOT_MAX, 1); // retired
        reused += (entity & FIRN_SLOT_MAX) <= 9;
    }
    assert_int_equal(reused, 3);
    firn_world_destroy(saved);
    firn_world_destroy(loaded);
    free(bytes);
}

// ---------------------------------------------------------------- the dump in docs/format.md

// The bytes of the block that begins "```hex": two digits each, up to a `;` in every line.
static uint8_t *bytes_of_dump(size_t *size)
{
    size_t length;
    char *text = (char *)test_read_data("../../docs/format.md", &length);
    char *line = strstr(text, "```hex\n");
    assert_non_null(line);
    line += strlen("```hex\n");
    char *hex = malloc(length + 1), *to = hex;
    while (strncmp(line, "```", 3) != 0) {
        size_t digits = strcspn(line, ";\n");
        memcpy(to, line, digits);
        to += digits;
        *to++ = ' ';
        line += strcspn(line, "\n") + 1;
    }
    *to = 0;
    uint8_t *bytes = test_from_hex(hex, size);
    free(hex);
    free(text);
    return bytes;
}

// The world that the documentation describes.
static firn_world *make_documented_world(void)
{
    firn_error err = {0};
    firn_world *world = golden_firn_world(NULL, "north", &err);
    assert_non_null(world);
    firn_component position = firn_component_find(world, "Position");
    firn_component boss = firn_component_find(world, "Boss");
    firn_component score = firn_component_find(world, "Score");
    firn_entity ids[3];
    for (int i = 0; i < 3; i++)
        ids[i] = firn_spawn(world, NULL, 0, &err);
    assert_ok(firn_set(world, ids[0], position, &(golden_point){1, 2}, &err), &err);
    assert_ok(firn_set(world, ids[2], position, &(golden_point){3, 4}, &err), &err);
    assert_ok(firn_set(world, ids[0], score, &(double){10}, &err), &err);
    assert_ok(firn_set(world, ids[2], score, &(double){20}, &err), &err);
    assert_ok(firn_add(world, ids[0], &boss, 1, &err), &err);
    assert_ok(firn_add(world, ids[2], &boss, 1, &err), &err);
    assert_ok(firn_despawn(world, ids[1], &err), &err);
    assert_ok(firn_world_set_tick(world, 60, &err), &err);
    return world;
}

static void the_dump_in_the_documentation_is_what_firn_writes(void **state)
{
    (void)state;
    firn_world *world = make_documented_world();
    firn_error err = {0};
    firn_buffer saved;
    firn_buffer_init(&saved, NULL);
    assert_ok(firn_snapshot_save(world, NULL, &saved, &err), &err);
    size_t size;
    uint8_t *dump = bytes_of_dump(&size);
    assert_int_equal(size, saved.size);
    assert_memory_equal(dump, saved.data, size);
    free(dump);
    firn_buffer_free(&saved);
    firn_world_destroy(world);
}

// ---------------------------------------------------------------- the generator

static int write_golden_image(const golden_image *image)
{
    char path[512];
    firn_error err = {0};
    firn_hash hash, read;
    firn_buffer saved;
    firn_buffer_init(&saved, NULL);
    firn_world *world = golden_image_world(image, &err);
    snprintf(path, sizeof path, FIRN_TEST_DATA "/firn/%s.bin", image->name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || world == NULL || golden_image_save(image, world, &saved, &err) ||
        firn_world_hash(world, &hash, NULL, NULL, &err) ||
        firn_image_hash(saved.data, saved.size, NULL, &read, NULL, NULL, &err) ||
        fwrite(saved.data, 1, saved.size, file) != saved.size || fclose(file) != 0) {
        printf("%s: %s\n", path, err.message);
        return 1;
    }
    printf("%s: %zu bytes\n{0x%016" PRIx64 ", 0x%016" PRIx64 ", 0x%016" PRIx64 ", 0x%016" PRIx64
           "}, image 0x%016" PRIx64 "\n",
           image->name, saved.size, hash.total, hash.ids, hash.entities, hash.world, read.total);
    firn_world_destroy(world);
    firn_buffer_free(&saved);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        for (uint32_t i = 0; i < golden_image_count; i++)
            failed += write_golden_image(&golden_images[i]);
        return failed != 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(F4_golden_worlds_are_saved_as_the_same_bytes_on_every_machine),
        cmocka_unit_test(T1_golden_images_load_and_are_saved_as_the_same_bytes),
        cmocka_unit_test(F4_hashes_of_golden_worlds_are_the_same_numbers_on_every_machine),
        cmocka_unit_test(F1_hashes_of_golden_images_are_those_of_their_worlds),
        cmocka_unit_test(T4_the_golden_free_list_gives_the_next_ids),
        cmocka_unit_test(the_dump_in_the_documentation_is_what_firn_writes),
    };
    return cmocka_run_group_tests_name("firn_images", tests, NULL, NULL);
}
