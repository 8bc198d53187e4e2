#include "golden/firn_saves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"
#include "support/tree.h"

#define TEN(text) text text text text text text text text text text
#define LONG_TEXT TEN(TEN("a path over the hills, 32 bytes."))

const golden_save golden_saves[] = {
    {
        .name = "01_least",
        .header = {.game = "mill", .game_version = 1, .level = "", .engine = "firn 0.1.0"},
    },
    {
        .name = "02_kitchen",
        .header = {.game = "mill",
                   .game_version = 3,
                   .level = "kitchen",
                   .engine = "grist 1.5",
                   .kind = "world",
                   .timestamp = INT64_C(1700000000123),
                   .tick = 36000,
                   .play_time = 600.25,
                   .revision = 7,
                   .parent = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)}},
        .meta = "{title = \"The kitchen\", difficulty = 2, tags = {\"cold\", \"night\"}}",
        .custom = "{mood = \"calm\", [1] = 5, big = 9007199254740993LL, [true] = {}}",
        .variables = "{coins = 12, door = false, visited = {\"mill\", \"barn\"}}",
        .image = "07_values",
        .sections = {{"map.png", 333, 137, 41}, {"replay", 925, 0, 3}},
        .thumbnail = 500,
    },
    {
        .name = "03_persisted",
        .header = {.game = "mill",
                   .game_version = 4294967295,
                   .level = "d\xc3\xa9p\xc3\xb4t",
                   .engine = "firn 0.1.0",
                   .kind = "persisted",
                   .timestamp = INT64_C(9007199254740991),
                   .tick = UINT64_C(9007199254740991),
                   .play_time = 1e300,
                   .revision = UINT64_C(9007199254740991),
                   .parent = {1, 0}},
        .meta = "{}",
        .custom = "{}",
        .variables = "{}",
        .image = "01_empty",
        .sections = {{"0", 0, 0, 0}, {"_-.a123456789b123456789c1234567", 1, 9, 0}},
    },
    {
        .name = "04_thumbnail",
        .header = {.game = "g", .game_version = 1, .level = "l", .engine = "e"},
        .thumbnail = 3000,
    },
    {
        .name = "05_most",
        .header = {.game = "g", .game_version = 1, .level = "l", .engine = "e"},
        .meta = "{text = \"" LONG_TEXT "\", last = \"" TEN(TEN("xxxxx") "yyyyyyyy") "1234\"}",
        .image = "10_relations",
    },
    {
        .name = "06_compressed",
        .header = {.game = "mill", .game_version = 2, .level = "barn", .engine = "firn 0.1.0"},
        .custom = "{text = \"" LONG_TEXT "\"}",
        .image = "03_structs",
        .sections = {{"noise", 200, 17, 93}, {"zeros", 1048576, 0, 0}},
        .thumbnail = 100000,
        .compression = 19,
    },
};
const uint32_t golden_save_count = sizeof golden_saves / sizeof *golden_saves;
const golden_save *const golden_damage_save = &golden_saves[1];

uint8_t *golden_save_read(const golden_save *save, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, FIRN_TEST_DATA "/saves/%s.firn", save->name);
    return test_read_file(path, size);
}

static void append_golden_bytes(firn_buffer *out, const void *bytes, size_t size)
{
    firn_error err;
    assert_ok(firn_buffer_append(out, bytes, size, &err), &err);
}

static void append_golden_tree(firn_buffer *out, const char *tree)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_ok(firn_value_encode(test_tree(doc, tree), NULL, out, &err), &err);
    firn_doc_destroy(doc);
}

static void append_golden_image(firn_buffer *out, const char *name)
{
    char path[512];
    size_t size;
    snprintf(path, sizeof path, FIRN_TEST_DATA "/firn/%s.bin", name);
    uint8_t *image = test_read_file(path, &size);
    append_golden_bytes(out, image, size);
    free(image);
}

firn_buffer golden_save_section(const golden_save *save, const char *name)
{
    firn_buffer out = {0};
    if (strcmp(name, FIRN_SECTION_CUSTOM) == 0) {
        append_golden_tree(&out, save->custom);
    } else if (strcmp(name, FIRN_SECTION_VARIABLES) == 0) {
        append_golden_tree(&out, save->variables);
    } else if (strcmp(name, FIRN_SECTION_SNAPSHOT) == 0) {
        append_golden_image(&out, save->image);
    } else if (strcmp(name, FIRN_SECTION_THUMBNAIL) == 0) {
        for (uint32_t i = 0; i < save->thumbnail; i++)
            append_golden_bytes(&out, &(uint8_t){(uint8_t)(i * i)}, 1);
    }
    for (const golden_section *own = save->sections; own->name != NULL; own++)
        for (uint32_t i = 0; strcmp(own->name, name) == 0 && i < own->size; i++)
            append_golden_bytes(&out, &(uint8_t){(uint8_t)(own->first + own->step * i)}, 1);
    return out;
}

// The meta of the header, with its thumbnail, in `doc`.
static const firn_value *golden_meta(const golden_save *save, firn_doc *doc)
{
    firn_error err;
    if (save->meta == NULL && save->thumbnail == 0)
        return NULL;
    firn_value *meta = test_tree(doc, save->meta != NULL ? save->meta : "{}");
    if (save->thumbnail > 0) {
        firn_buffer bytes = golden_save_section(save, FIRN_SECTION_THUMBNAIL);
        firn_value *string = firn_value_string(doc, bytes.data, bytes.size, &err);
        assert_ok(firn_table_set_text(doc, meta, FIRN_SECTION_THUMBNAIL, string, &err), &err);
        firn_buffer_free(&bytes);
    }
    return meta;
}

firn_result golden_save_write(const golden_save *save, firn_buffer *out, firn_error *err)
{
    const char *names[8];
    uint32_t count = 0;
    if (save->custom != NULL)
        names[count++] = FIRN_SECTION_CUSTOM;
    if (save->variables != NULL)
        names[count++] = FIRN_SECTION_VARIABLES;
    if (save->image != NULL)
        names[count++] = FIRN_SECTION_SNAPSHOT;
    for (const golden_section *own = save->sections; own->name != NULL; own++)
        names[count++] = own->name;
    firn_buffer bytes[8];
    firn_section sections[8];
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = golden_save_section(save, names[i]);
        sections[i] = (firn_section){names[i], bytes[i].data, bytes[i].size};
    }
    firn_doc *doc = firn_doc_create(NULL, NULL, err);
    assert_non_null(doc);
    firn_save_header header = save->header;
    header.meta = golden_meta(save, doc);
    firn_save_file_options options = {.compression = save->compression};
    firn_result result = firn_save_file_write(&header, sections, count, &options, out, err);
    firn_doc_destroy(doc);
    for (uint32_t i = 0; i < count; i++)
        firn_buffer_free(&bytes[i]);
    return result;
}
