// Calls of rewrite.h.
#include "fault/memory_scene.h"

#include <stdlib.h>
#include <string.h>

typedef firn_result (*rewrite_fn)(const void *bytes, size_t size,
                                  const firn_rewrite_options *options, firn_buffer *out,
                                  firn_edit_effect *effects, firn_error *err);

// Frames change their places and become one, rows their layout, values their fields.
static firn_result rewrite_bytes(scene *s, rewrite_fn rewrite, const void *bytes, size_t size,
                                 firn_error *err)
{
    static const firn_edit edits[] = {
        {.kind = FIRN_RENAME_COMPONENT, .component = "zoo.Body", .to = "Corpus"},
        {.kind = FIRN_RENAME_FIELD, .component = "Corpus", .field = "home", .to = "base"},
        {.kind = FIRN_DROP_FIELD, .component = "Corpus", .field = "path"},
        {.kind = FIRN_RENAME_FIELD, .component = "zoo.Bag", .field = "a", .to = "b.c"},
        {.kind = FIRN_RENAME_FIELD, .component = "Vars", .field = "gold", .to = "coins"},
        {.kind = FIRN_DROP_COMPONENT, .component = "zoo.Gap"},
        {.kind = FIRN_RENAME_COMPONENT, .component = "zoo.Point", .to = "Point"},
        {.kind = FIRN_RENAME_FIELD, .component = "Likes", .field = "much", .to = "more"},
    };
    firn_buffer out;
    firn_edit_effect effects[8];
    const firn_rewrite_options options = {
        .edits = edits, .edit_count = 8, .allocator = &s->memory.allocator};
    firn_buffer_init(&out, &s->memory.allocator);
    firn_result result = rewrite(bytes, size, &options, &out, effects, err);
    if (result == FIRN_OK)
        scene_trace(s, out.data, out.size);
    else
        assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
    return result;
}

static firn_result rewrite_source(scene *s, firn_error *err)
{
    const firn_buffer *image = &s->source->image;
    return rewrite_bytes(s, firn_image_rewrite, image->data, image->size, err);
}

static firn_result rewrite_kept(scene *s, firn_error *err)
{
    return rewrite_bytes(s, firn_image_rewrite, s->out.data, s->out.size, err);
}

static firn_result rewrite_save(scene *s, firn_error *err)
{
    return rewrite_bytes(s, firn_save_file_rewrite, s->out.data, s->out.size, err);
}

// Edges of a sparse relation, and sources in another order than their rows.
static void keep_edges(scene *s)
{
    firn_error err;
    firn_world *world = s->z.world;
    firn_component likes = zoo_register(
        world, &(firn_component_desc){
                   .name = "Likes", .kind = FIRN_RELATION, .relation = FIRN_SPARSE | FIRN_REVERSE});
    firn_component owns = zoo_register(
        world,
        &(firn_component_desc){.name = "Owns", .kind = FIRN_RELATION, .relation = FIRN_REVERSE});
    firn_entity sources[3] = {zoo_spawn_one(world, s->z.of[ZOO_POINT]),
                              zoo_spawn_one(world, s->z.of[ZOO_GAP]),
                              zoo_spawn_one(world, s->z.of[ZOO_TITLE])};
    for (uint32_t i = 3; i-- > 0;) {
        assert_ok(firn_relate(world, sources[i], likes, s->other, NULL, &err), &err);
        assert_ok(firn_relate(world, sources[i], owns, s->other, NULL, &err), &err);
    }
    const firn_save_options options = {.sparse_edges = true};
    assert_ok(firn_snapshot_save(world, &options, &s->out, &err), &err);
}

// Rows of which some lack a value, and an order of sources of which no row tells.
static void keep_nils(scene *s)
{
    firn_error err;
    size_t size;
    uint8_t *bytes = test_from_hex(
        "07000000000000f03f 070000000000001440 070000000000000840 07000000000000f03f "
        "07000000000000f03f 214e 20 07000000000000f03f 070000000000000840 07000000000000f03f "
        "070000000000000000 000000000000f03f 0000000000000040 0000000000000840 00 0605000000 00 "
        "02 2c5f5f6669726e2e6f72646572 0c02 0c04 2141 07000000000000f03f 280200000000000000 01",
        &size);
    firn_buffer_clear(&s->out);
    assert_ok(firn_buffer_append(&s->out, bytes, size, &err), &err);
    free(bytes);
}

// A save with entities that are saved by field, of one of them no variables, and a
// thumbnail.
static void keep_save(scene *s)
{
    firn_error err;
    static const uint8_t section[] = "\x09\x01\x25parts\x0c\x03\x0c\x04\x24"
                                     "door\x0c\x03"
                                     "\x0c\x03\x29zoo.Point\x0c\x02\x09\x01\x21x\x02"
                                     "\x0c\x03\x27zoo.Gap\x08"
                                     "\x0c\x02\x0c\x02\x09\x01\x24gold\x02"
                                     "\x0c\x04\x24lamp\x08\x08";
    static char pixels[10000]; // more than a document takes at once
    memset(pixels, 'p', sizeof pixels - 1);
    firn_buffer image = zoo_save(s->z.world);
    s->table = firn_value_table(s->doc, &err);
    firn_value *picture = firn_value_text(s->doc, pixels, &err);
    assert_ok(firn_table_set_text(s->doc, s->table, "thumbnail", picture, &err), &err);
    const firn_save_header header = {
        .game = "mill", .game_version = 1, .level = "", .kind = "persisted", .meta = s->table};
    const firn_section sections[] = {{FIRN_SECTION_SNAPSHOT, image.data, image.size},
                                     {FIRN_SECTION_PERSIST, section, sizeof section - 1}};
    const firn_save_file_options options = {.compression = firn_save_file_can_compress() ? 3 : 0};
    firn_buffer_clear(&s->out);
    assert_ok(firn_save_file_write(&header, sections, 2, &options, &s->out, &err), &err);
    firn_buffer_free(&image);
}

const memory_case memory_rewrite_cases[] = {
    {"firn_image_rewrite", rewrite_source, NULL, false},
    {"firn_image_rewrite", rewrite_kept, keep_edges, false},
    {"firn_image_rewrite", rewrite_kept, keep_nils, false},
    {"firn_save_file_rewrite", rewrite_save, keep_save, false},
    {NULL, NULL, NULL, false},
};
