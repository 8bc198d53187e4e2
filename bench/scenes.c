#include "bench.h"

#include <string.h>

typedef struct Vector {
    float x, y;
} Vector;

static bool make_world(Stage *stage)
{
    return w1_create(&stage->w1, &stage->err) && w1_fill(&stage->w1, stage->entities, &stage->err);
}

static bool make_empty_world(Stage *stage)
{
    w1_destroy(&stage->w1);
    return w1_create(&stage->w1, &stage->err);
}

static bool save(Stage *stage)
{
    return firn_snapshot_save(stage->w1.world, NULL, &stage->image, &stage->err) == FIRN_OK;
}

static bool load(Stage *stage)
{
    return firn_snapshot_load(stage->w1.world, stage->image.data, stage->image.size, NULL, NULL,
                              &stage->err) == FIRN_OK;
}

static bool make_image(Stage *stage)
{
    if (!make_world(stage) || !save(stage)) {
        return false;
    }
    stage->bytes = stage->image.size;
    return true;
}

static bool make_loaded_world(Stage *stage)
{
    return make_image(stage) && load(stage);
}

static bool spawn_one(Stage *stage)
{
    const W1 *w1 = &stage->w1;
    const firn_component components[] = {w1->position, w1->velocity, w1->health};
    for (uint32_t i = 0; i < stage->entities; i++) {
        if (firn_spawn(w1->world, components, 3, &stage->err) == 0) {
            return false;
        }
    }
    return true;
}

static bool spawn_many(Stage *stage)
{
    const W1 *w1 = &stage->w1;
    const firn_component components[] = {w1->position, w1->velocity, w1->health};
    return firn_spawn_many(w1->world, components, 3, stage->entities, NULL, &stage->err) == FIRN_OK;
}

static bool make_query(Stage *stage)
{
    stage->bytes = 2 * sizeof(Vector) * (size_t)stage->entities;
    if (!make_world(stage)) {
        return false;
    }
    firn_term terms[] = {
        {.component = stage->w1.position},
        {.component = stage->w1.velocity, .read_only = true},
    };
    firn_query_desc desc = {.name = "movers", .terms = terms, .term_count = 2};
    stage->movers = firn_query_create(stage->w1.world, &desc, &stage->err);
    return stage->movers != 0;
}

static bool iterate(Stage *stage)
{
    firn_iter it;
    firn_iter_begin(stage->w1.world, stage->movers, &it);
    while (firn_iter_next(&it)) {
        Vector *positions = it.columns[0];
        const Vector *velocities = it.columns[1];
        for (uint32_t i = 0; i < it.count; i++) {
            positions[i].x += velocities[i].x;
            positions[i].y += velocities[i].y;
        }
    }
    return firn_iter_end(&it, &stage->err) == FIRN_OK;
}

// {name = "...", food = n, items = {n, n + 1}}
static firn_value *make_item(Stage *stage, double number)
{
    firn_doc *doc = stage->doc;
    firn_error *err = &stage->err;
    firn_value *item = firn_value_table(doc, err);
    firn_value *items = firn_value_table(doc, err);
    firn_table_push(doc, items, firn_value_number(doc, number, err), err);
    firn_table_push(doc, items, firn_value_number(doc, number + 1, err), err);
    firn_table_set_text(doc, item, "food", firn_value_number(doc, number, err), err);
    firn_table_set_text(doc, item, "items", items, err);
    firn_table_set_text(doc, item, "name", firn_value_text(doc, "a villager", err), err);
    return item;
}

static bool encode(Stage *stage)
{
    firn_buffer_clear(&stage->image);
    return firn_value_encode(stage->tree, NULL, &stage->image, &stage->err) == FIRN_OK;
}

static bool make_tree(Stage *stage)
{
    stage->doc = firn_doc_create(NULL, NULL, &stage->err);
    stage->tree = firn_value_table(stage->doc, &stage->err);
    for (uint32_t i = 0; i < stage->entities && stage->err.code == FIRN_OK; i++) {
        firn_value *item = make_item(stage, i);
        firn_table_push(stage->doc, stage->tree, item, &stage->err);
    }
    if (stage->err.code != FIRN_OK || !encode(stage)) {
        return false;
    }
    stage->bytes = stage->image.size;
    return true;
}

static bool clear_doc(Stage *stage)
{
    firn_doc_clear(stage->doc);
    return true;
}

static bool decode(Stage *stage)
{
    stage->tree = firn_value_decode(stage->doc, stage->image.data, stage->image.size, &stage->err);
    return stage->tree != NULL;
}

const Scene scenes[] = {
    {"save", "W1 into a buffer that is used again", make_image, NULL, save},
    {"load_warm", "W1 into the world that holds it", make_loaded_world, NULL, load},
    {"load_cold", "W1 into a fresh world", make_image, make_empty_world, load},
    {"spawn_one", "entities of three components, one by one", NULL, make_empty_world, spawn_one},
    {"spawn_many", "entities of three components at once", NULL, make_empty_world, spawn_many},
    {"iterate", "W1, position += velocity", make_query, NULL, iterate},
    {"encode", "a tree of small tables to bytes", make_tree, NULL, encode},
    {"decode", "and back to a tree", make_tree, clear_doc, decode},
};
const uint32_t scene_count = FIRN_COUNT(scenes);

const Scene *scene_find(const char *name)
{
    for (uint32_t i = 0; i < scene_count; i++) {
        if (strcmp(scenes[i].name, name) == 0) {
            return &scenes[i];
        }
    }
    return NULL;
}
