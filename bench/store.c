// Scenes of entities, components and queries.
#include "bench.h"

#include <stdlib.h>

// ---------------------------------------------------------------- spawn and despawn

static bool spawn_each(Stage *stage, bool set)
{
    firn_world *world = stage->w1.world;
    W1Part parts[3];
    w1_parts(&stage->w1, stage->entities, 0, parts);
    firn_entity *id = stage->ids;
    for (uint32_t i = 0; i < 3; i++) {
        const W1Part *part = &parts[i];
        for (uint32_t j = 0; j < part->entities; j++, id++) {
            *id = firn_spawn(world, part->components, part->count, &stage->err);
            if (*id == 0) {
                return false;
            }
            if (set) {
                float number = (float)j;
                firn_set(world, *id, stage->w1.position, &(Vector){number, number}, &stage->err);
                firn_set(world, *id, stage->w1.velocity, &(Vector){1, number}, &stage->err);
                firn_set(world, *id, stage->w1.health, &(Health){(int32_t)j, 100}, &stage->err);
            }
        }
    }
    return stage->err.code == FIRN_OK;
}

static bool spawn_one(Stage *stage)
{
    return spawn_each(stage, false);
}

static bool spawn_set(Stage *stage)
{
    return spawn_each(stage, true);
}

// Without components of their own.
static bool spawn_bare(Stage *stage)
{
    for (uint32_t i = 0; i < stage->entities; i++) {
        stage->ids[i] = firn_spawn(stage->w1.world, NULL, 0, &stage->err);
        if (stage->ids[i] == 0) {
            return false;
        }
    }
    return true;
}

static bool make_bare_world(Stage *stage)
{
    return stage_empty_world(stage) && spawn_bare(stage);
}

// A state on top gives its tag to every entity that comes.
static bool make_state_world(Stage *stage)
{
    firn_state_desc desc = {.name = "play"};
    if (!stage_empty_world(stage)) {
        return false;
    }
    firn_state state = firn_state_create(stage->w1.world, &desc, &stage->err);
    return state != 0 && firn_state_push(stage->w1.world, state, &stage->err) == FIRN_OK &&
           spawn_bare(stage);
}

static bool spawn_many(Stage *stage)
{
    W1Part parts[3];
    w1_parts(&stage->w1, stage->entities, 0, parts);
    for (uint32_t i = 0, from = 0; i < 3; from += parts[i++].entities) {
        if (firn_spawn_many(stage->w1.world, parts[i].components, parts[i].count, parts[i].entities,
                            stage->ids + from, &stage->err) != FIRN_OK) {
            return false;
        }
    }
    return true;
}

static bool despawn(Stage *stage)
{
    for (uint32_t i = 0; i < stage->entities; i++) {
        if (firn_despawn(stage->w1.world, stage->ids[i], &stage->err) != FIRN_OK) {
            return false;
        }
    }
    return true;
}

// Backwards, so that the next ids come in order.
static bool despawn_backwards(Stage *stage)
{
    for (uint32_t i = stage->entities; i > 0; i--) {
        if (firn_despawn(stage->w1.world, stage->ids[i - 1], &stage->err) != FIRN_OK) {
            return false;
        }
    }
    return true;
}

static bool make_despawned_world(Stage *stage)
{
    return stage_fill_world(stage) && despawn_backwards(stage);
}

static bool make_cold_world(Stage *stage)
{
    return stage_fill_world(stage) && stage_clear_caches(stage);
}

// ---------------------------------------------------------------- loops

// Both timed loops are this one.
static void move_vectors(Vector *positions, const Vector *velocities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        positions[i].x += velocities[i].x * 0.015625f;
        positions[i].y += velocities[i].y * 0.015625f;
    }
}

static bool make_query(Stage *stage)
{
    stage->bytes = 2 * sizeof(Vector) * (size_t)stage->entities;
    stage->plain = calloc(stage->entities, 2 * sizeof(Vector));
    if (stage->plain == NULL || !stage_fill_world(stage)) {
        return false;
    }
    for (uint32_t i = 0; i < 2 * stage->entities; i++) {
        stage->plain[i] = (Vector){(float)i, (float)(i % 11)};
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
        move_vectors(it.columns[0], it.columns[1], it.count);
    }
    return firn_iter_end(&it, &stage->err) == FIRN_OK;
}

static void iterate_plain(Stage *stage)
{
    move_vectors(stage->plain, stage->plain + stage->entities, stage->entities);
}

// ---------------------------------------------------------------- single entities

static bool make_random_order(Stage *stage)
{
    if (!stage_fill_world(stage)) {
        return false;
    }
    shuffle(stage->ids, stage->entities);
    return true;
}

static bool get(Stage *stage)
{
    double sum = 0;
    for (uint32_t i = 0; i < stage->entities; i++) {
        const Vector *position = firn_get(stage->w1.world, stage->ids[i], stage->w1.position);
        sum += position->x;
    }
    stage->sum += sum;
    return true;
}

static bool set(Stage *stage)
{
    for (uint32_t i = 0; i < stage->entities; i++) {
        if (firn_set(stage->w1.world, stage->ids[i], stage->w1.position, &(Vector){(float)i, 1},
                     &stage->err) != FIRN_OK) {
            return false;
        }
    }
    return true;
}

// A tenth of all: every ninth of those that have no Key.
static firn_result change_tenth(Stage *stage, bool add)
{
    uint32_t without = stage->entities - stage->entities / 10;
    firn_result result = FIRN_OK;
    stage->changes = 0;
    for (uint32_t i = 0; i < without && result == FIRN_OK; i += 9, stage->changes++) {
        firn_world *world = stage->w1.world;
        result = add ? firn_add(world, stage->ids[i], &stage->w1.key, 1, &stage->err)
                     : firn_remove(world, stage->ids[i], &stage->w1.key, 1, &stage->err);
    }
    return result;
}

static bool add_component(Stage *stage)
{
    return change_tenth(stage, true) == FIRN_OK;
}

static bool remove_component(Stage *stage)
{
    return change_tenth(stage, false) == FIRN_OK;
}

static bool make_cold_world_with_more_keys(Stage *stage)
{
    return stage_fill_world(stage) && add_component(stage) && stage_clear_caches(stage);
}

// A scene in a world that did the same before, and one in a world or caches that did not.
#define WARM(name_, about_, setup_, before_, run_)                                                 \
    {                                                                                              \
        .name = name_ "_warm", .about = about_ ", done before", .setup = setup_,                   \
        .before = before_, .run = run_                                                             \
    }
#define COLD(name_, about_, setup_, before_, run_)                                                 \
    {                                                                                              \
        .name = name_ "_cold", .about = about_ ", for the first time", .setup = setup_,            \
        .before = before_, .run = run_                                                             \
    }

const Scene store_scenes[] = {
    WARM("spawn_one", "W1 one by one", stage_fill_world, despawn_backwards, spawn_one),
    COLD("spawn_one", "W1 one by one", NULL, stage_empty_world, spawn_one),
    WARM("spawn_set", "W1 one by one, three rows set", stage_fill_world, despawn_backwards,
         spawn_set),
    COLD("spawn_set", "W1 one by one, three rows set", NULL, stage_empty_world, spawn_set),
    WARM("spawn_many", "W1 at once", stage_fill_world, despawn_backwards, spawn_many),
    COLD("spawn_many", "W1 at once", NULL, stage_empty_world, spawn_many),
    WARM("spawn_bare", "entities without components, one by one", make_bare_world,
         despawn_backwards, spawn_bare),
    WARM("spawn_state", "the same while a state is on top", make_state_world, despawn_backwards,
         spawn_bare),
    {.name = "iterate_warm",
     .about = "position += velocity * dt, beside plain arrays",
     .setup = make_query,
     .run = iterate,
     .plain = iterate_plain},
    COLD("iterate", "position += velocity * dt", make_query, stage_clear_caches, iterate),
    WARM("add", "Key to a tenth", stage_fill_world, remove_component, add_component),
    COLD("add", "Key to a tenth", NULL, make_cold_world, add_component),
    WARM("remove", "Key from a tenth", stage_fill_world, add_component, remove_component),
    COLD("remove", "Key from a tenth", NULL, make_cold_world_with_more_keys, remove_component),
    WARM("get", "Position of entities in a random order", make_random_order, NULL, get),
    COLD("get", "Position of entities in a random order", make_random_order, stage_clear_caches,
         get),
    WARM("set", "Position of entities in order", stage_fill_world, NULL, set),
    COLD("set", "Position of entities in order", stage_fill_world, stage_clear_caches, set),
    WARM("despawn", "all of W1 one by one", make_despawned_world, spawn_many, despawn),
    COLD("despawn", "all of W1 one by one", NULL, make_cold_world, despawn),
};
const uint32_t store_scene_count = FIRN_COUNT(store_scenes);
