// Calls of save_file.h.
#include "fault/memory_scene.h"

#include <string.h>

#include "firn/save_file.h"

static firn_save_file_options with_memory(scene *s, int compression)
{
    return (firn_save_file_options){
        .allocator = &s->memory.allocator,
        .compression = firn_save_file_can_compress() ? compression : 0,
    };
}

static const uint8_t *long_section(void)
{
    static uint8_t bytes[140000]; // longer than a block that is hashed by itself
    memset(bytes, 'x', sizeof bytes);
    return bytes;
}

static firn_result write_save(scene *s, int compression, firn_error *err)
{
    firn_save_header header = {.game = "mill", .game_version = 1, .level = "kitchen"};
    header.meta = s->table;
    firn_section sections[] = {
        {"long", long_section(), 140000},
        {FIRN_SECTION_SNAPSHOT, s->source->image.data, s->source->image.size},
        {FIRN_SECTION_CUSTOM, "\x08", 1},
    };
    firn_save_file_options options = with_memory(s, compression);
    return firn_save_file_write(&header, sections, 3, &options, &s->out, err);
}

static firn_result write_plain(scene *s, firn_error *err)
{
    return write_save(s, 0, err);
}

static firn_result write_compressed(scene *s, firn_error *err)
{
    return write_save(s, 3, err);
}

// The output holds a save, and the document the thumbnail that it was made with.
static void keep_save(scene *s)
{
    firn_error err;
    firn_buffer_clear(&s->out);
    s->table = firn_value_table(s->doc, &err);
    firn_value *picture = firn_value_text(s->doc, "picture", &err);
    assert_ok(firn_table_set_text(s->doc, s->table, "thumbnail", picture, &err), &err);
    assert_ok(write_save(s, 3, &err), &err);
}

// ---- read

static firn_result open_save(scene *s, firn_error *err)
{
    firn_save_file_options options = with_memory(s, 0);
    firn_save_file *file = firn_save_file_open(s->out.data, s->out.size, &options, err);
    if (file == NULL)
        return err->code;
    firn_digest identity = firn_save_file_identity(file);
    firn_section_info info;
    assert_true(firn_save_file_section_at(file, 0, &info));
    assert_int_equal(firn_save_file_section_count(file), 4);
    assert_int_equal(firn_save_file_size(file), s->out.size);
    assert_string_equal(firn_save_file_header(file)->level, "kitchen");
    scene_trace(s, &identity, sizeof identity);
    firn_save_file_close(file);
    return FIRN_OK;
}

static firn_result read_head(scene *s, firn_error *err)
{
    firn_save_file_options options = with_memory(s, 0);
    size_t size = s->out.size < FIRN_SAVE_HEAD_MOST ? s->out.size : FIRN_SAVE_HEAD_MOST;
    firn_save_file *file = firn_save_file_read_head(s->out.data, size, &options, err);
    firn_save_file_close(file);
    return scene_made(file != NULL, err);
}

static firn_result expand_section(scene *s, firn_error *err)
{
    firn_save_file_options options = with_memory(s, 0);
    firn_save_file *file = firn_save_file_open(s->out.data, s->out.size, &options, err);
    if (file == NULL)
        return err->code;
    const void *bytes = NULL;
    size_t size = 0;
    firn_result result = firn_save_file_section(file, "long", &bytes, &size, err);
    if (result == FIRN_OK)
        scene_trace(s, bytes, size);
    else
        assert_null(bytes);
    firn_save_file_close(file);
    return result;
}

static firn_result save_to_tree(scene *s, firn_error *err)
{
    firn_save_file_options options = with_memory(s, 0);
    firn_save_file *file = firn_save_file_open(s->out.data, s->out.size, &options, err);
    if (file == NULL)
        return err->code;
    firn_value *tree = firn_save_file_value(file, s->doc, err);
    if (tree != NULL)
        scene_trace_value(s, tree);
    firn_save_file_close(file);
    return scene_made(tree != NULL, err);
}

static void keep_tree(scene *s)
{
    firn_error err;
    keep_save(s);
    firn_save_file *file = firn_save_file_open(s->out.data, s->out.size, NULL, &err);
    assert_non_null(file);
    s->table = firn_save_file_value(file, s->doc, &err);
    assert_non_null(s->table);
    firn_save_file_close(file);
}

static firn_result tree_to_save(scene *s, firn_error *err)
{
    firn_save_file_options options = with_memory(s, 3);
    return firn_save_file_from_value(s->table, &options, &s->out, err);
}

static firn_result can_compress(scene *s, firn_error *err)
{
    (void)s, (void)err;
    firn_save_file_can_compress();
    return FIRN_OK;
}

const memory_case memory_save_file_cases[] = {
    {"firn_save_file_can_compress", can_compress, NULL, true},
    {"firn_save_file_write", write_plain, NULL, false},
    {"firn_save_file_write", write_compressed, keep_save, false},
    {"firn_save_file_open firn_save_file_close firn_save_file_header firn_save_file_identity "
     "firn_save_file_size firn_save_file_section_count firn_save_file_section_at",
     open_save, keep_save, false},
    {"firn_save_file_read_head", read_head, keep_save, false},
    {"firn_save_file_section", expand_section, keep_save, false},
    {"firn_save_file_value", save_to_tree, keep_save, false},
    {"firn_save_file_from_value", tree_to_save, keep_tree, false},
    {NULL, NULL, NULL, false},
};
