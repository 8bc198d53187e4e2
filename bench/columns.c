// Snapshots of worlds whose entities have one component each.
#include "bench.h"

#include <string.h>

static bool make_component(Stage *stage, const firn_component_desc *desc)
{
    if (!stage_empty_world(stage)) {
        return false;
    }
    stage->component = firn_component_register(stage->w1.world, desc, &stage->err);
    return stage->component != 0 &&
           firn_spawn_many(stage->w1.world, &stage->component, 1, stage->entities, stage->ids,
                           &stage->err) == FIRN_OK;
}

static bool make_column_image(Stage *stage)
{
    if (stage->err.code != FIRN_OK || !stage_save(stage)) {
        return false;
    }
    stage->bytes = stage->image.size;
    return true;
}

static bool make_tags(Stage *stage)
{
    firn_component_desc desc = {.name = "Frozen", .kind = FIRN_TAG};
    return make_component(stage, &desc) && make_column_image(stage);
}

static bool make_numbers(Stage *stage)
{
    firn_component_desc desc = {.name = "Weight", .kind = FIRN_NUMBER};
    if (!make_component(stage, &desc)) {
        return false;
    }
    for (uint32_t i = 0; i < stage->entities; i++) {
        firn_set(stage->w1.world, stage->ids[i], stage->component, &(double){i * 0.37},
                 &stage->err);
    }
    return make_column_image(stage);
}

// ---------------------------------------------------------------- a codec

// What a codec writes as {hp, x, y}.
typedef struct Body {
    double x, y;
    int32_t hp;
} Body;

static const firn_field body_fields[] = {
    FIRN_FIELD(Body, x, FIRN_F64),
    FIRN_FIELD(Body, y, FIRN_F64),
    FIRN_FIELD(Body, hp, FIRN_I32),
};

static firn_result encode_body(void *user, const void *row, firn_writer *out, firn_error *err)
{
    (void)user, (void)err; // the writer keeps what fails
    const Body *body = row;
    firn_write_table(out, 0, 3);
    firn_write_text(out, "hp");
    firn_write_number(out, body->hp);
    firn_write_text(out, "x");
    firn_write_number(out, body->x);
    firn_write_text(out, "y");
    firn_write_number(out, body->y);
    return FIRN_OK;
}

static firn_result decode_body(void *user, void *row, firn_reader *in, firn_error *err)
{
    (void)user, (void)err;
    Body *body = row;
    firn_table_head head = firn_read_table(in);
    for (uint32_t i = 0; i < head.map_count; i++) {
        size_t size;
        const char *key = firn_read_string(in, &size);
        double number = firn_read_number(in);
        if (key == NULL) {
            return FIRN_OK; // and so does the reader
        }
        if (size == 1 && key[0] == 'x') {
            body->x = number;
        } else if (size == 1 && key[0] == 'y') {
            body->y = number;
        } else if (size == 2 && memcmp(key, "hp", 2) == 0) {
            body->hp = (int32_t)number;
        }
    }
    return FIRN_OK;
}

static const firn_row_codec body_codec = {
    .abi = FIRN_ABI, .name = "body", .encode = encode_body, .decode = decode_body};

static bool make_bodies(Stage *stage)
{
    firn_codec codec;
    if (firn_row_codec_adapt(&body_codec, &codec, &stage->err) != FIRN_OK) {
        return false;
    }
    firn_component_desc desc = {.name = "Body",
                                .size = sizeof(Body),
                                .fields = body_fields,
                                .field_count = 3,
                                .codec = &codec};
    if (!make_component(stage, &desc)) {
        return false;
    }
    for (uint32_t i = 0; i < stage->entities; i++) {
        firn_set(stage->w1.world, stage->ids[i], stage->component,
                 &(Body){i * 0.37, i * 0.73, (int32_t)(i % 100)}, &stage->err);
    }
    return make_column_image(stage);
}

#define SAVED_AND_LOADED(name_, about_, setup_)                                                    \
    {.name = "save_" name_,                                                                        \
     .about = about_ ", into a buffer that is used again",                                         \
     .setup = setup_,                                                                              \
     .run = stage_save},                                                                           \
    {                                                                                              \
        .name = "load_" name_, .about = about_ ", into the world that holds it", .setup = setup_,  \
        .run = stage_load                                                                          \
    }

const Scene column_scenes[] = {
    SAVED_AND_LOADED("tag", "a tag an entity", make_tags),
    SAVED_AND_LOADED("number", "a number an entity", make_numbers),
    SAVED_AND_LOADED("codec", "a struct an entity, through a row codec of three fields",
                     make_bodies),
};
const uint32_t column_scene_count = FIRN_COUNT(column_scenes);
