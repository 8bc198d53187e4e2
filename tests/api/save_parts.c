#include "api/save_parts.h"

#include <stdlib.h>
#include <string.h>

#include "buffer/bytes.h"
#include "firn/game.h"
#include "saves/file.h"

firn_save_header parts_header(void)
{
    return (firn_save_header){
        .format_version = FIRN_SAVE_FORMAT_VERSION,
        .game_version = 3,
        .game = "mill",
        .engine = "grist 1.5",
        .level = "kitchen",
        .kind = "world",
        .timestamp = INT64_C(1700000000123),
        .tick = 36000,
        .play_time = 600.25,
        .revision = 7,
        .parent = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)},
    };
}

firn_buffer parts_snapshot(void)
{
    firn_error err;
    firn_buffer image = {0};
    firn_world *world = firn_world_create(NULL, &err);
    assert_non_null(world);
    firn_component_desc desc = {.name = "mill.Flour", .kind = FIRN_TAG};
    firn_component flour = firn_component_register(world, &desc, &err);
    assert_true(flour != 0);
    assert_true(firn_spawn(world, &flour, 1, &err) != 0);
    assert_ok(firn_snapshot_save(world, NULL, &image, &err), &err);
    firn_world_destroy(world);
    return image;
}

firn_buffer parts_encoded(const char *tree)
{
    firn_error err;
    firn_buffer out = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_non_null(doc);
    assert_ok(firn_value_encode(test_tree(doc, tree), NULL, &out, &err), &err);
    firn_doc_destroy(doc);
    return out;
}

firn_buffer parts_write(const firn_save_header *header, const firn_section *sections,
                        uint32_t count, const firn_save_file_options *options)
{
    firn_error err;
    firn_buffer out = {0};
    assert_ok(firn_save_file_write(header, sections, count, options, &out, &err), &err);
    return out;
}

firn_buffer parts_full_save(const firn_save_file_options *options)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_non_null(doc);
    firn_save_header header = parts_header();
    header.meta = test_tree(doc, "{\"first\", title = \"The kitchen\", thumbnail = \"PNG bytes\"}");
    firn_buffer custom = parts_encoded("{mood = \"calm\", [1] = 5}");
    firn_buffer variables = parts_encoded("{coins = 12, visited = {\"mill\", \"barn\"}}");
    firn_buffer snapshot = parts_snapshot();
    firn_section sections[] = {
        {"replay", "left right left", 15},
        {FIRN_SECTION_SNAPSHOT, snapshot.data, snapshot.size},
        {"map.png", "", 0},
        {FIRN_SECTION_VARIABLES, variables.data, variables.size},
        {FIRN_SECTION_CUSTOM, custom.data, custom.size},
    };
    firn_buffer save = parts_write(&header, sections, 5, options);
    firn_buffer_free(&custom);
    firn_buffer_free(&variables);
    firn_buffer_free(&snapshot);
    firn_doc_destroy(doc);
    return save;
}

firn_save_file *parts_open(const firn_buffer *save)
{
    firn_error err = {.code = FIRN_OK};
    firn_save_file *file = firn_save_file_open(save->data, save->size, NULL, &err);
    assert_ok(file != NULL ? FIRN_OK : err.code, &err);
    assert_non_null(file);
    return file;
}

void parts_assert_refused(const void *bytes, size_t size, const firn_save_file_options *options,
                          firn_result result, const char *subject, const char *message)
{
    firn_error err;
    // Exactly as many bytes as there are, so that a sanitizer sees a read behind them.
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    if (size > 0)
        memcpy(copy, bytes, size);
    firn_save_file *file = firn_save_file_open(copy, size, options, &err);
    if (file != NULL)
        fail_msg("the file was not refused: %s %s", subject, message);
    assert_error(&err, result, subject);
    if (strstr(err.message, message) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.message, message);
    free(copy);
}

void parts_assert_section(firn_save_file *file, const char *name, const void *bytes, size_t size)
{
    firn_error err;
    const void *found = NULL;
    size_t found_size = 0;
    assert_ok(firn_save_file_section(file, name, &found, &found_size, &err), &err);
    assert_int_equal(found_size, size);
    if (size > 0)
        assert_memory_equal(found, bytes, size);
}

void parts_seal(uint8_t *file)
{
    uint32_t head = fr_load_u32(file + FR_HEAD_SIZE);
    assert_in_range(head, FR_SAVE_DIGEST_BYTES, FIRN_SAVE_HEAD_MOST);
    uint8_t *digest = file + head - FR_SAVE_DIGEST_BYTES;
    fr_put_digest(digest, firn_bytes_digest(file, head - FR_SAVE_DIGEST_BYTES));
}
