// The golden images as lines of JSON. `json_images --write` writes the golden lines anew.
#include "api/json_lines.h"
#include "golden/firn_worlds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *read_image(const char *folder, const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, FIRN_TEST_DATA "/%s/%s.bin", folder, name);
    return test_read_file(path, size);
}

static void S7_golden_images_of_firn_come_back_byte_for_byte(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_image_count; i++) {
        size_t size;
        uint8_t *image = read_image("firn", golden_images[i].name, &size);
        assert_crosses(image, size, golden_images[i].name);
        free(image);
    }
}

static const char *const tecs_names[] = {"01_empty_world",
                                         "02_bare_entities",
                                         "03_dense_ffi",
                                         "04_ffi_all_types",
                                         "05_table_components",
                                         "06_scalars_and_tags",
                                         "07_custom_codecs",
                                         "08_sparse_exclusive_childof",
                                         "10_dense_ffi_relationship",
                                         "12_large_target_name",
                                         "13_states",
                                         "14_pipeline",
                                         "15_custom_data",
                                         "16_random_streams",
                                         "18_filter_and_exclude",
                                         "19_disabled_paused",
                                         "20_transient_requires",
                                         "21_entity_keys",
                                         "23_schema_v1_for_migration",
                                         "25_row_major_mixed",
                                         "S_int32tags_03_dense_ffi",
                                         "S_int32tags_08_sparse_exclusive_childof",
                                         "S_int32tags_13_states",
                                         "S_nupp_v1_basic",
                                         "S_old_version1_boolmask_25",
                                         "S_version1_03_dense_ffi",
                                         "S_version1_13_states",
                                         "S_version1_25_row_major_mixed"};

static void assert_same_parts(const uint8_t *image, size_t size, const firn_buffer *other)
{
    firn_hash a, b;
    assert_ok(firn_image_hash(image, size, NULL, &a, NULL, NULL, NULL), NULL);
    assert_ok(firn_image_hash(other->data, other->size, NULL, &b, NULL, NULL, NULL), NULL);
    assert_true(a.ids == b.ids && a.entities == b.entities);
    if (size == other->size && memcmp(image, other->data, size) == 0)
        assert_true(a.total == b.total);
}

// What comes back has the same lines, so the same frames, rows and values, and is in the form of
// firn: it comes back byte for byte from then on.
static void S7_golden_images_of_tecs_come_back_with_all_that_is_in_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tecs_names / sizeof *tecs_names; i++) {
        size_t size;
        uint8_t *image = read_image("tecs", tecs_names[i], &size);
        firn_buffer lines = json_lines_of(image, size);
        firn_buffer again = json_image_of(lines.data, lines.size);
        firn_buffer lines_again = json_lines_of(again.data, again.size);
        if (lines.size != lines_again.size || memcmp(lines.data, lines_again.data, lines.size) != 0)
            fail_msg("%s has other lines when it comes back", tecs_names[i]);
        assert_same_parts(image, size, &again);
        assert_crosses(again.data, again.size, tecs_names[i]);
        firn_buffer_free(&lines);
        firn_buffer_free(&again);
        firn_buffer_free(&lines_again);
        free(image);
    }
}

// Two images that have all kinds of lines, written down.
static const struct {
    const char *folder, *name;
} written[] = {{"firn", "03_structs"},
               {"firn", "07_values"},
               {"firn", "10_relations"},
               {"tecs", "25_row_major_mixed"}};

static void lines_path(char path[512], size_t i)
{
    snprintf(path, 512, FIRN_TEST_DATA "/json/%s_%s.jsonl", written[i].folder, written[i].name);
}

static void S7_golden_lines_stay_as_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        char path[512];
        size_t size, text_size;
        lines_path(path, i);
        uint8_t *image = read_image(written[i].folder, written[i].name, &size);
        uint8_t *text = test_read_file(path, &text_size);
        firn_buffer lines = json_lines_of(image, size);
        if (lines.size != text_size || memcmp(lines.data, text, text_size) != 0)
            fail_msg("%s has other lines now:\n%.*s", written[i].name, (int)lines.size,
                     (const char *)lines.data);
        firn_buffer_free(&lines);
        free(image);
        free(text);
    }
}

// The block of a document that begins so, up to its end; freed with free.
static char *block_of(const char *document, const char *begin)
{
    char path[512];
    size_t size;
    snprintf(path, sizeof path, FIRN_TEST_DATA "/../../docs/%s", document);
    char *text = (char *)test_read_file(path, &size), *at = strstr(text, begin);
    assert_non_null(at);
    at += strcspn(at, "\n") + 1;
    char *end = strstr(at, "```");
    assert_non_null(end);
    size_t length = (size_t)(end - at);
    memmove(text, at, length);
    text[length] = 0;
    return text;
}

static void S7_the_documented_lines_are_those_of_the_documented_bytes(void **state)
{
    (void)state;
    char *dump = block_of("format.md", "```hex"), *to = dump;
    for (const char *line = dump; *line != 0; line += strcspn(line, "\n") + 1) {
        size_t digits = strcspn(line, ";\n");
        memmove(to, line, digits);
        to += digits;
    }
    *to = 0;
    size_t size;
    uint8_t *image = test_from_hex(dump, &size);
    char *expected = block_of("json.md", "```json");
    firn_buffer lines = json_lines_of(image, size);
    assert_int_equal(lines.size, strlen(expected));
    assert_memory_equal(lines.data, expected, lines.size);
    firn_buffer_free(&lines);
    free(expected);
    free(dump);
    free(image);
}

static int write_lines(void)
{
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        char path[512];
        size_t size;
        lines_path(path, i);
        uint8_t *image = read_image(written[i].folder, written[i].name, &size);
        firn_buffer lines = json_lines_of(image, size);
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(lines.data, 1, lines.size, file) != lines.size ||
            fclose(file) != 0)
            return 1;
        firn_buffer_free(&lines);
        free(image);
    }
    return 0;
}

int main(int count, char **words)
{
    if (!firn_json_available())
        return 0;
    if (count > 1 && strcmp(words[1], "--write") == 0)
        return write_lines();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S7_golden_images_of_firn_come_back_byte_for_byte),
        cmocka_unit_test(S7_golden_images_of_tecs_come_back_with_all_that_is_in_them),
        cmocka_unit_test(S7_the_documented_lines_are_those_of_the_documented_bytes),
        cmocka_unit_test(S7_golden_lines_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
