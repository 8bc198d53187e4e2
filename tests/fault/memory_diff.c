// Calls of diff.h.
#include "fault/memory_scene.h"

#include <string.h>

static firn_diff_options in_memory(scene *s)
{
    return (firn_diff_options){.allocator = &s->memory.allocator};
}

static firn_result count(scene *s, const firn_diff_side *left, const firn_diff_side *right,
                         firn_error *err)
{
    firn_diff_options options = in_memory(s);
    firn_diff_summary summary = {0};
    firn_result result = firn_diff(left, right, &options, NULL, NULL, &summary, err);
    if (result == FIRN_OK)
        scene_trace(s, &summary, sizeof summary);
    else
        assert_true(summary.differences == 0);
    return result;
}

// What a save of the world changes in itself does not show.
static firn_result compare_world(scene *s, firn_error *err)
{
    firn_diff_side image = {.bytes = s->source->image.data, .size = s->source->image.size};
    return count(s, &image, &(firn_diff_side){.world = s->z.world}, err);
}

// Rows in other archetypes and places, labels, data.
static void keep_other_image(scene *s)
{
    firn_error err;
    firn_data data = {.key = "level", .encoded = "\x02", .encoded_size = 1};
    firn_save_options options = {.data = &data, .data_count = 1, .sparse_edges = true};
    assert_ok(firn_set_text(s->z.world, s->other, firn_name(s->z.world), "other", &err), &err);
    assert_ok(firn_set_text(s->z.world, s->other, firn_key(s->z.world), "key", &err), &err);
    assert_ok(firn_add(s->z.world, s->other, s->z.of, 3, &err), &err);
    assert_ok(firn_despawn(s->z.world, s->entity, &err), &err);
    zoo_litter(&s->z);
    assert_ok(firn_snapshot_save(s->z.world, &options, &s->out, &err), &err);
}

static firn_diff_side source_image(const scene *s)
{
    return (firn_diff_side){.bytes = s->source->image.data, .size = s->source->image.size};
}

static firn_diff_side other_image(const scene *s)
{
    return (firn_diff_side){.bytes = s->out.data, .size = s->out.size};
}

static firn_result compare_images(scene *s, firn_error *err)
{
    firn_diff_side left = source_image(s), right = other_image(s);
    return count(s, &left, &right, err);
}

static firn_result diff_text(scene *s, firn_error *err)
{
    firn_buffer out;
    firn_buffer_init(&out, &s->memory.allocator);
    firn_diff_side left = source_image(s), right = other_image(s);
    firn_diff_options options = in_memory(s);
    options.limit = 100;
    firn_result result = firn_diff_text(&left, &right, &options, &out, NULL, err);
    scene_trace(s, out.data, out.size);
    assert_int_equal(result == FIRN_OK, out.size > 0);
    firn_buffer_free(&out);
    return result;
}

static firn_result diff_tree(scene *s, firn_error *err)
{
    firn_diff_side left = source_image(s), right = other_image(s);
    firn_diff_options options = in_memory(s);
    firn_value *tree = firn_diff_value(&left, &right, &options, s->doc, NULL, err);
    scene_trace_value(s, tree);
    return scene_made(tree != NULL, err);
}

static firn_result difference_text(scene *s, firn_error *err)
{
    firn_buffer out;
    firn_buffer_init(&out, &s->memory.allocator);
    firn_difference difference = {.kind = FIRN_DIFFERENCE_COMPONENT,
                                  .entity = 17,
                                  .key = "a key",
                                  .name = "",
                                  .component = "Position",
                                  .path = "",
                                  .in_left = true};
    firn_result result = firn_difference_text(&difference, &out, err);
    scene_trace(s, out.data, out.size);
    assert_int_equal(result == FIRN_OK, out.size > 0);
    firn_buffer_free(&out);
    return result;
}

const memory_case memory_diff_cases[] = {
    {"firn_diff", compare_world, NULL, false},
    {"firn_diff", compare_images, keep_other_image, false},
    {"firn_diff_text", diff_text, keep_other_image, false},
    {"firn_diff_value", diff_tree, keep_other_image, false},
    {"firn_difference_text", difference_text, NULL, false},
    {NULL, NULL, NULL, false},
};
