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

const memory_case memory_salvage_cases[] = {
    {"firn_image_salvage", salvage_image, NULL, false},
    {NULL, NULL, NULL, false},
};
