// The format of save files, pinned: files that firn wrote once, and that it must read, and, where
// they are not compressed, write for ever. `firn_save_files --write` writes them anew.
#include "golden/firn_saves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "firn/image.h"
#include "firn/saves.h"
#include "support/support.h"
#include "support/tree.h"

static bool is_readable(const golden_save *save)
{
    return save->compression == 0 || firn_save_file_can_compress();
}

static firn_save_file *open_golden(const golden_save *save, uint8_t *bytes, size_t size)
{
    firn_error err;
    firn_save_file *file = firn_save_file_open(bytes, size, NULL, &err);
    if (file == NULL)
        fail_msg("%s: %s", save->name, err.message);
    return file;
}

static void assert_golden_header(const golden_save *save, const firn_save_header *header)
{
    const firn_save_header *expected = &save->header;
    assert_int_equal(header->format_version, 1);
    assert_int_equal(header->game_version, expected->game_version);
    assert_string_equal(header->game, expected->game);
    assert_string_equal(header->engine, expected->engine);
    assert_string_equal(header->level, expected->level);
    assert_string_equal(header->kind, expected->kind != NULL ? expected->kind : "world");
    assert_true(header->timestamp == expected->timestamp);
    assert_true(header->tick == expected->tick);
    assert_true(header->play_time == expected->play_time);
    assert_true(header->revision == expected->revision);
    assert_true(header->parent.low == expected->parent.low);
    assert_true(header->parent.high == expected->parent.high);
    if (save->meta != NULL)
        assert_tree(header->meta, save->meta);
    else
        assert_int_equal(header->meta != NULL, save->thumbnail > 0);
}

static void assert_golden_section(const golden_save *save, firn_save_file *file,
                                  const firn_section_info *info)
{
    firn_error err;
    const void *bytes;
    size_t size;
    if (info->compressed && !firn_save_file_can_compress()) {
        assert_int_equal(firn_save_file_section(file, info->name, &bytes, &size, &err),
                         FIRN_UNSUPPORTED);
        return;
    }
    firn_buffer expected = golden_save_section(save, info->name);
    assert_ok(firn_save_file_section(file, info->name, &bytes, &size, &err), &err);
    if (size != expected.size || (size > 0 && memcmp(bytes, expected.data, size) != 0))
        fail_msg("%s: the section %s is another one", save->name, info->name);
    if (strcmp(info->name, FIRN_SECTION_SNAPSHOT) == 0)
        assert_ok(firn_image_check(bytes, size, NULL, NULL, &err), &err);
    firn_buffer_free(&expected);
}

static void S1_golden_saves_are_read(void **state)
{
    (void)state;
    uint32_t compressed = 0;
    for (uint32_t i = 0; i < golden_save_count; i++) {
        const golden_save *save = &golden_saves[i];
        size_t size;
        uint8_t *bytes = golden_save_read(save, &size);
        firn_save_file *file = open_golden(save, bytes, size);
        assert_golden_header(save, firn_save_file_header(file));
        firn_section_info info;
        for (uint32_t k = 0; firn_save_file_section_at(file, k, &info); k++) {
            compressed += info.compressed;
            assert_golden_section(save, file, &info);
        }
        firn_save_file_close(file);
        free(bytes);
    }
    assert_int_equal(compressed, 4); // of the last one all but `noise`
}

static void S1_golden_saves_are_written_as_the_same_bytes_on_every_machine(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_save_count; i++) {
        const golden_save *save = &golden_saves[i];
        if (save->compression > 0)
            continue;
        firn_error err;
        firn_buffer out = {0};
        size_t size;
        uint8_t *expected = golden_save_read(save, &size);
        assert_ok(golden_save_write(save, &out, &err), &err);
        if (out.size != size || memcmp(out.data, expected, size) != 0)
            fail_msg("%s: other bytes are written: %zu of them, not %zu", save->name, out.size,
                     size);
        firn_buffer_free(&out);
        free(expected);
    }
}

static void S7_golden_saves_come_back_from_their_trees(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_save_count; i++) {
        const golden_save *save = &golden_saves[i];
        if (!is_readable(save))
            continue;
        firn_error err;
        size_t size;
        uint8_t *bytes = golden_save_read(save, &size);
        firn_save_file *file = open_golden(save, bytes, size);
        firn_doc *doc = firn_doc_create(NULL, NULL, &err);
        firn_value *tree = firn_save_file_value(file, doc, &err);
        assert_non_null(tree);
        assert_int_equal(firn_table_get_text(tree, "custom") != NULL, save->custom != NULL);
        if (save->custom != NULL)
            assert_tree(firn_table_get_text(tree, "custom"), save->custom);
        if (save->variables != NULL)
            assert_tree(firn_table_get_text(tree, "variables"), save->variables);
        firn_buffer again = {0};
        assert_ok(firn_save_file_from_value(tree, NULL, &again, &err), &err);
        if (save->compression == 0) {
            assert_int_equal(again.size, size);
            assert_memory_equal(again.data, bytes, size);
        }
        firn_buffer_free(&again);
        firn_doc_destroy(doc);
        firn_save_file_close(file);
        free(bytes);
    }
}

// Loads a golden save into a world that knows nothing and keeps all: what it saves then is the
// same.
static void assert_golden_save_loads(const golden_save *save, const uint8_t *bytes, size_t size)
{
    firn_error err = {.code = FIRN_OK};
    firn_world *world = firn_world_create(NULL, &err);
    const firn_saves_desc desc = {
        .game = save->header.game, .version = save->header.game_version, .keep_unknown = true};
    firn_saves *saves = firn_saves_open(world, &desc, &err);
    assert_non_null(saves);
    if (firn_saves_take(saves, bytes, size, NULL, &err) != FIRN_OK)
        fail_msg("%s: %s", save->name, err.message);
    assert_non_null(firn_saves_variables(saves));
    if (save->variables != NULL)
        assert_tree(firn_saves_variables(saves), save->variables);
    assert_true(firn_saves_play_time(saves) == save->header.play_time);
    firn_buffer image = golden_save_section(save, FIRN_SECTION_SNAPSHOT), again = {0};
    assert_ok(firn_snapshot_save(world, NULL, &again, &err), &err);
    if (again.size != image.size || memcmp(again.data, image.data, image.size) != 0)
        fail_msg("%s: another world was loaded", save->name);
    firn_buffer_free(&again);
    firn_buffer_free(&image);
    firn_saves_close(saves);
    firn_world_destroy(world);
}

static void S3_golden_saves_are_loaded(void **state)
{
    (void)state;
    uint32_t loaded = 0;
    for (uint32_t i = 0; i < golden_save_count; i++) {
        const golden_save *save = &golden_saves[i];
        const char *kind = save->header.kind;
        if (save->image == NULL || !is_readable(save) ||
            (kind != NULL && strcmp(kind, "world") != 0))
            continue;
        size_t size;
        uint8_t *bytes = golden_save_read(save, &size);
        assert_golden_save_loads(save, bytes, size);
        loaded++;
        free(bytes);
    }
    assert_true(loaded > 1);
}

static void K6_the_largest_golden_head_has_4096_bytes(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = golden_save_read(&golden_saves[4], &size);
    assert_int_equal(bytes[12] | bytes[13] << 8, FIRN_SAVE_HEAD_MOST);
    free(bytes);
}

// The block that begins "```hex save": bytes, and what they are behind a `;`.
static void the_save_in_the_documentation_is_the_least_golden_one(void **state)
{
    (void)state;
    size_t length, size, dump_size;
    char *text = (char *)test_read_data("../../docs/format.md", &length);
    char *line = strstr(text, "```hex save\n");
    assert_non_null(line);
    line += strlen("```hex save\n");
    char *hex = malloc(length + 1), *to = hex;
    assert_non_null(hex);
    while (strncmp(line, "```", 3) != 0) {
        size_t digits = strcspn(line, ";");
        memcpy(to, line, digits);
        to += digits;
        line += strcspn(line, "\n") + 1;
    }
    *to = 0;
    uint8_t *dump = test_from_hex(hex, &dump_size);
    uint8_t *bytes = golden_save_read(&golden_saves[0], &size);
    assert_int_equal(dump_size, size);
    assert_memory_equal(dump, bytes, size);
    free(bytes);
    free(dump);
    free(hex);
    free(text);
}

// ---------------------------------------------------------------- the generator

static int write_golden_saves(void)
{
    for (uint32_t i = 0; i < golden_save_count; i++) {
        const golden_save *save = &golden_saves[i];
        char path[512];
        firn_error err;
        firn_buffer out = {0};
        snprintf(path, sizeof path, FIRN_TEST_DATA "/saves/%s.firn", save->name);
        FILE *to = fopen(path, "wb");
        bool ok = to != NULL && golden_save_write(save, &out, &err) == FIRN_OK &&
                  fwrite(out.data, 1, out.size, to) == out.size;
        if (to != NULL)
            ok = fclose(to) == 0 && ok;
        printf("%s: %zu bytes\n", path, out.size);
        firn_buffer_free(&out);
        if (!ok) {
            fprintf(stderr, "%s could not be written\n", path);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--write") == 0)
        return write_golden_saves();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S1_golden_saves_are_read),
        cmocka_unit_test(S1_golden_saves_are_written_as_the_same_bytes_on_every_machine),
        cmocka_unit_test(S7_golden_saves_come_back_from_their_trees),
        cmocka_unit_test(S3_golden_saves_are_loaded),
        cmocka_unit_test(K6_the_largest_golden_head_has_4096_bytes),
        cmocka_unit_test(the_save_in_the_documentation_is_the_least_golden_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
