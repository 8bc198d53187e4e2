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

// One value in a column of values differs.
static void keep_other_title(scene *s)
{
    firn_error err;
    const firn_save_options options = {.sparse_edges = true};
    assert_ok(firn_add(s->z.world, s->other, &s->z.of[ZOO_TITLE], 1, &err), &err);
    assert_ok(firn_set_text(s->z.world, s->other, s->z.of[ZOO_TITLE], "one", &err), &err);
    assert_ok(firn_snapshot_save(s->z.world, &options, &s->out, &err), &err);
    assert_ok(firn_set_text(s->z.world, s->other, s->z.of[ZOO_TITLE], "another", &err), &err);
}

static firn_result compare_title(scene *s, firn_error *err)
{
    firn_diff_side left = other_image(s);
    return count(s, &left, &(firn_diff_side){.world = s->z.world}, err);
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

static firn_result hear_nothing(void *user, const firn_difference *difference, firn_error *err)
{
    (void)difference;
    (void)err;
    ++*(uint32_t *)user;
    return FIRN_OK;
}

static firn_result diff_values(scene *s, firn_error *err)
{
    firn_diff_summary summary = {0};
    firn_result result =
        firn_diff_values("data", s->table, NULL, NULL, hear_nothing, &s->told, &summary, err);
    scene_trace(s, &summary, sizeof summary);
    return result;
}

// ---- saves

static int64_t no_clock(void *user)
{
    (void)user;
    return 1;
}

// What persists was changed since, by field and as a whole; each persists the other way now.
static void have_changed_saves(scene *s)
{
    firn_error err;
    assert_ok(firn_storage_memory(&s->memory.allocator, &s->storage, &err), &err);
    const firn_saves_desc desc = {
        .game = "game", .kind = FIRN_SAVES_PERSISTED, .storage = &s->storage, .now = no_clock};
    const firn_persist by_field = {.mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point zoo.Title"};
    const firn_persist whole = {.id = "other"};
    const firn_component point = s->z.of[ZOO_POINT];
    s->saves = firn_saves_open(s->z.world, &desc, &err);
    assert_non_null(s->saves);
    assert_ok(firn_add(s->z.world, s->other, &point, 1, &err), &err);
    assert_ok(firn_persist_set(s->z.world, s->entity, &by_field, &err), &err);
    assert_ok(firn_persist_set(s->z.world, s->other, &whole, &err), &err);
    assert_ok(firn_saves_write(s->saves, "a", NULL, &err), &err);
    ((zoo_point *)firn_get_mut(s->z.world, s->entity, point))->x += 1;
    assert_ok(firn_persist_set(s->z.world, s->entity, &(firn_persist){.spawned = true}, &err),
              &err);
    assert_ok(firn_despawn(s->z.world, s->other, &err), &err);
    zoo_spawn(s->z.world, NULL, 0);
    firn_entity again = zoo_spawn_one(s->z.world, point);
    const firn_persist in_part = {.id = "other", .mode = FIRN_PERSIST_VARS};
    assert_ok(firn_persist_set(s->z.world, again, &in_part, &err), &err);
    firn_entity more = zoo_spawn_one(s->z.world, point);
    assert_ok(firn_persist_set(s->z.world, more, &(firn_persist){.id = "more"}, &err), &err);
    assert_ok(firn_saves_set_variable(s->saves, "bag", s->table, &err), &err);
}

// The game is in another scene than the save, with one that is carried.
static void have_saves_elsewhere(scene *s)
{
    firn_error err;
    have_changed_saves(s);
    firn_component carry = firn_carry_component(s->z.world);
    assert_ok(firn_saves_scene(s->saves, "yard", NULL, NULL, 0, &err), &err);
    assert_ok(firn_add(s->z.world, s->entity, &carry, 1, &err), &err);
    assert_ok(firn_saves_write(s->saves, "a", NULL, &err), &err);
    assert_ok(firn_saves_scene(s->saves, "hall", NULL, NULL, 0, &err), &err);
}

static firn_result inspect_tree(scene *s, firn_error *err)
{
    firn_inspection is = {.differences = 0};
    const firn_value *tree = firn_saves_inspect(s->saves, "a", NULL, s->doc, &is, err);
    scene_trace_value(s, tree);
    assert_int_equal(tree != NULL, is.differences > 0);
    return scene_made(tree != NULL, err);
}

static firn_result inspect_text(scene *s, firn_error *err)
{
    firn_buffer out;
    firn_buffer_init(&out, &s->memory.allocator);
    firn_result result = firn_saves_inspect_text(s->saves, "a", NULL, &out, NULL, err);
    scene_trace(s, out.data, out.size);
    firn_buffer_free(&out);
    return result;
}

const memory_case memory_diff_cases[] = {
    {"firn_diff", compare_world, NULL, false},
    {"firn_diff", compare_images, keep_other_image, false},
    {"firn_diff", compare_title, keep_other_title, false},
    {"firn_diff_text", diff_text, keep_other_image, false},
    {"firn_diff_value", diff_tree, keep_other_image, false},
    {"firn_difference_text", difference_text, NULL, false},
    {"firn_diff_values", diff_values, NULL, true},
    {"firn_saves_inspect", inspect_tree, have_changed_saves, false},
    {"firn_saves_inspect", inspect_tree, have_saves_elsewhere, false},
    {"firn_saves_inspect_text", inspect_text, have_changed_saves, false},
    {NULL, NULL, NULL, false},
};
