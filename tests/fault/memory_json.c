// Calls of json.h. What jansson takes is malloc's, and does not fail here.
#include "fault/memory_scene.h"

#include "firn/json.h"
#include "firn/save_file.h"

#include <string.h>

static firn_result is_available(scene *s, firn_error *err)
{
    (void)s, (void)err;
    firn_json_available();
    return FIRN_OK;
}

static firn_result write_value(scene *s, firn_error *err)
{
    firn_buffer out;
    firn_buffer_init(&out, &s->memory.allocator);
    firn_result result = firn_json_write(s->table, &out, err);
    scene_trace(s, out.data, result == FIRN_OK ? out.size : 0);
    assert_true(result == FIRN_OK || out.size == 0);
    firn_buffer_free(&out);
    return result;
}

static firn_result read_value(scene *s, firn_error *err)
{
    static const char text[] =
        "{\"$table\":[[1,{\"a\":[1,null,2,\"x\"]}],[\"b\",{\"$bytes\":\"/w==\"}],"
        "[true,{\"$complex\":[1,2]}],[\"c\",{\"$int64\":\"5\"}],"
        "[\"d\",{\"e\":1,\"f\":2,\"g\":3,\"h\":4,\"i\":5}]]}";
    const firn_value *value = firn_json_read(s->doc, text, sizeof text - 1, err);
    scene_trace_value(s, value);
    return scene_made(value != NULL, err);
}

typedef struct sunk {
    scene *s;
    firn_buffer text; // of the default allocator
} sunk;

static firn_result sink_lines(void *user, const void *text, size_t size, firn_error *err)
{
    sunk *to = user;
    return firn_buffer_append(&to->text, text, size, err);
}

static firn_result export_lines(scene *s, firn_error *err)
{
    const firn_json_options options = {.allocator = &s->memory.allocator};
    const firn_buffer *image = &s->source->image;
    sunk to = {.s = s};
    firn_result result =
        firn_json_export_image(image->data, image->size, &options, sink_lines, &to, err);
    scene_trace(s, to.text.data, result == FIRN_OK ? to.text.size : 0);
    firn_buffer_free(&to.text);
    return result;
}

static firn_result import_lines(scene *s, firn_error *err)
{
    const firn_json_options options = {.allocator = &s->memory.allocator};
    const firn_buffer *image = &s->source->image;
    sunk from = {.s = s};
    firn_buffer out;
    firn_buffer_init(&out, &s->memory.allocator);
    assert_ok(firn_json_export_image(image->data, image->size, NULL, sink_lines, &from, NULL),
              NULL);
    firn_result result =
        firn_json_import_image(from.text.data, from.text.size, &options, &out, err);
    if (result == FIRN_OK)
        assert_same_bytes(&out, image);
    else
        assert_int_equal(out.size, 0);
    firn_buffer_free(&from.text);
    firn_buffer_free(&out);
    return result;
}

// Frames row by row, and keys that no member can have.
static firn_result import_odd_lines(scene *s, firn_error *err)
{
    static const char lines[] =
        "{\"firn\":\"snapshot\",\"format\":1,\"version\":1,\"nextEntityId\":3,\"entities\":2,"
        "\"data\":2,\"components\":[{\"name\":\"$a\",\"fingerprint\":\"$x:char[3],y:int8_t|4\"},"
        "{\"name\":\"b\"}],\"frames\":[{\"rows\":2,\"byRow\":true,\"columns\":[\"$a\",\"b\"]}]}\n"
        "{\"id\":1,\"frame\":0,\"components\":{\"$table\":[[\"b\",{\"x\":[1]}],"
        "[{\"$bytes\":\"JGE=\"},{\"$table\":[[\"$x\",{\"$bytes\":\"AAE=\"}],[\"y\",1]]}]]}}\n"
        "{\"id\":2,\"frame\":0,\"components\":{}}\n"
        "{\"data\":{\"$bytes\":\"/w==\"},\"value\":{\"$encoded\":\"BgEAAAA=\"}}\n"
        "{\"data\":\"__firn.world\",\"value\":{\"tick\":5}}\n";
    const firn_json_options options = {.allocator = &s->memory.allocator};
    firn_buffer out;
    firn_buffer_init(&out, &s->memory.allocator);
    firn_result result = firn_json_import_image(lines, sizeof lines - 1, &options, &out, err);
    scene_trace(s, out.data, out.size);
    assert_true(result == FIRN_OK || out.size == 0);
    firn_buffer_free(&out);
    return result;
}

static firn_result write_entities(scene *s, firn_error *err)
{
    const firn_image_options options = {.allocator = &s->memory.allocator};
    const firn_buffer *image = &s->source->image;
    firn_buffer out;
    firn_buffer_init(&out, &s->memory.allocator);
    firn_image *open = firn_image_open(image->data, image->size, &options, err);
    firn_result result = scene_made(open != NULL, err);
    firn_image_archetype archetype;
    for (uint32_t i = 0; result == FIRN_OK && firn_image_archetype_at(open, i, &archetype); i++) {
        firn_image_rows *rows = firn_image_rows_open(open, i, err);
        result = scene_made(rows != NULL, err);
        while (result == FIRN_OK && firn_image_rows_next(rows))
            result = firn_json_write_entity(rows, &out, err);
        firn_image_rows_close(rows);
    }
    scene_trace(s, out.data, result == FIRN_OK ? out.size : 0);
    firn_image_close(open);
    firn_buffer_free(&out);
    return result;
}

// ---- whole saves

static firn_buffer make_save(int compression)
{
    firn_error err;
    firn_buffer save = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *meta = firn_value_table(doc, &err);
    assert_ok(firn_table_set_text(doc, meta, "thumbnail", firn_value_text(doc, "PNG", &err), &err),
              &err);
    static const char zeros[500];
    const firn_save_file_options options = {.compression = compression};
    const firn_save_header header = {.game = "mill", .game_version = 1, .level = "", .meta = meta};
    static const char odd[] =
        "{\"firn\":\"snapshot\",\"format\":1,\"version\":1,\"nextEntityId\":1,"
        "\"entities\":0,\"data\":0,\"components\":[],\"frames\":[]}";
    firn_buffer image = {0};
    assert_ok(firn_json_import_image(odd, sizeof odd - 1, NULL, &image, &err), &err);
    const firn_section sections[] = {{FIRN_SECTION_CUSTOM, "\x0c\x02\x02", 3},
                                     {FIRN_SECTION_SNAPSHOT, image.data, image.size},
                                     {"mine", zeros, sizeof zeros}};
    assert_ok(firn_save_file_write(&header, sections, 3, &options, &save, &err), &err);
    firn_buffer_free(&image);
    firn_doc_destroy(doc);
    return save;
}

static firn_result export_save_of(scene *s, int compression, firn_error *err)
{
    const firn_json_options options = {.allocator = &s->memory.allocator};
    firn_buffer save = make_save(compression);
    sunk to = {.s = s};
    firn_result result =
        firn_json_export_save(save.data, save.size, &options, sink_lines, &to, err);
    scene_trace(s, to.text.data, result == FIRN_OK ? to.text.size : 0);
    firn_buffer_free(&to.text);
    firn_buffer_free(&save);
    return result;
}

static firn_result export_save(scene *s, firn_error *err)
{
    return export_save_of(s, 0, err);
}

static firn_result export_packed_save(scene *s, firn_error *err)
{
    return export_save_of(s, firn_save_file_can_compress() ? 1 : 0, err);
}

static firn_result import_save(scene *s, firn_error *err)
{
    const firn_json_options options = {.allocator = &s->memory.allocator};
    firn_buffer save = make_save(0), out;
    sunk from = {.s = s};
    firn_buffer_init(&out, &s->memory.allocator);
    assert_ok(firn_json_export_save(save.data, save.size, NULL, sink_lines, &from, NULL), NULL);
    firn_result result = firn_json_import_save(from.text.data, from.text.size, &options, &out, err);
    if (result == FIRN_OK)
        assert_same_bytes(&out, &save);
    else
        assert_int_equal(out.size, 0);
    firn_buffer_free(&from.text);
    firn_buffer_free(&save);
    firn_buffer_free(&out);
    return result;
}

const memory_case memory_json_cases[] = {
    {"firn_json_available", is_available, NULL, true},
    {"firn_json_write", write_value, NULL, false},
    {"firn_json_read", read_value, NULL, false},
    {"firn_json_export_image", export_lines, NULL, false},
    {"firn_json_write_entity", write_entities, NULL, false},
    {"firn_json_import_image", import_lines, NULL, false},
    {"firn_json_import_image", import_odd_lines, NULL, false},
    {"firn_json_export_save", export_save, NULL, false},
    {"firn_json_export_save", export_packed_save, NULL, false},
    {"firn_json_import_save", import_save, NULL, false},
    {NULL, NULL, NULL, false},
};
