// Calls of salvage.h, of the least that there is: api/salvage_data.c and api/salvage_save.c let
// each allocation of a real salvage fail.
#include "fault/memory_scene.h"

#include "firn/salvage.h"

static const uint8_t empty_image[] =
    "\x06\1\0\0\0\x06\1\0\0\0\x06\0\0\0\0\x06\0\0\0\0\x06\0\0\0\0\1";

static firn_result salvage_image(scene *s, firn_error *err)
{
    firn_image_options options = {.allocator = &s->memory.allocator};
    firn_salvage_summary summary;
    firn_buffer out;
    firn_buffer_init(&out, &s->memory.allocator);
    firn_result result = firn_image_salvage(empty_image, sizeof empty_image - 1, &options, NULL,
                                            NULL, &out, &summary, err);
    scene_trace(s, out.data, out.size);
    firn_buffer_free(&out);
    return result;
}

static void keep_save(scene *s)
{
    firn_error err;
    const firn_save_header header = {.game = "mill", .game_version = 1, .level = ""};
    const firn_section section = {"notes", "text", 4};
    firn_buffer_clear(&s->out);
    assert_ok(firn_save_file_write(&header, &section, 1, NULL, &s->out, &err), &err);
    s->out.data[s->out.size - 1] ^= 1; // a section that the backup has
}

static firn_result salvage_save(scene *s, firn_error *err)
{
    firn_buffer backup = {0}, out;
    assert_ok(firn_buffer_append(&backup, s->out.data, s->out.size, NULL), NULL);
    backup.data[backup.size - 1] ^= 1;
    firn_salvage_options options = {
        .allocator = &s->memory.allocator, .backup = backup.data, .backup_size = backup.size};
    firn_buffer_init(&out, &s->memory.allocator);
    firn_result result =
        firn_save_file_salvage(s->out.data, s->out.size, &options, NULL, NULL, &out, NULL, err);
    scene_trace(s, out.data, out.size);
    firn_buffer_free(&out);
    firn_buffer_free(&backup);
    return result;
}

const memory_case memory_salvage_cases[] = {
    {"firn_save_file_salvage", salvage_save, keep_save, false},
    {"firn_image_salvage", salvage_image, NULL, false},
    {NULL, NULL, NULL, false},
};
