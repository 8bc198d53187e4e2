// Scenes of worlds and their bytes.
#include "bench.h"

#include <stdio.h>

// In the working directory; gone when the scene ends.
#define SAVE_PATH "firn_bench.save"

static bool save_digest(Stage *stage)
{
    firn_digest digest;
    firn_save_options options = {.digest = &digest};
    return firn_snapshot_save(stage->w1.world, &options, &stage->image, &stage->err) == FIRN_OK;
}

static bool new_world(Stage *stage)
{
    w1_destroy(&stage->w1);
    return w1_create(&stage->w1, NULL, &stage->err);
}

static bool make_image(Stage *stage)
{
    if (!stage_fill_world(stage) || !stage_save(stage)) {
        return false;
    }
    stage->bytes = stage->image.size;
    return true;
}

static bool hash(Stage *stage)
{
    firn_hash out;
    return firn_world_hash(stage->w1.world, &out, NULL, NULL, &stage->err) == FIRN_OK;
}

static bool check(Stage *stage)
{
    return firn_image_check(stage->image.data, stage->image.size, NULL, NULL, &stage->err) ==
           FIRN_OK;
}

static bool save_file(Stage *stage)
{
    return firn_snapshot_save_file(stage->w1.world, SAVE_PATH, NULL, &stage->err) == FIRN_OK;
}

static bool load_file(Stage *stage)
{
    return firn_snapshot_load_file(stage->w1.world, SAVE_PATH, NULL, NULL, &stage->err) == FIRN_OK;
}

static bool make_file(Stage *stage)
{
    return make_image(stage) && save_file(stage);
}

static void remove_file(Stage *stage)
{
    (void)stage;
    remove(SAVE_PATH);
    remove(SAVE_PATH ".bak");
}

// An image, and a world without entities that is counted.
static bool make_counted_world(Stage *stage)
{
    if (!make_image(stage)) {
        return false;
    }
    w1_destroy(&stage->w1);
    memory_count(&stage->memory);
    return w1_create(&stage->w1, &stage->memory.allocator, &stage->err);
}

static bool spawn_parts(Stage *stage)
{
    W1Part parts[3];
    w1_parts(&stage->w1, stage->entities, 0, parts);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < parts[i].entities; j++) {
            if (firn_spawn(stage->w1.world, parts[i].components, parts[i].count, &stage->err) ==
                0) {
                return false;
            }
        }
    }
    return true;
}

static bool load_twice(Stage *stage)
{
    return stage_load(stage) && stage_load(stage);
}

// In order and shuffled, without names and with them.
#define IN_FOUR_WORLDS(name, about, setup, before, run)                                            \
    {name, about, 0, setup, before, run, NULL, false, NULL}, {name "_shuffled",                    \
                                                              about ", ids shuffled",              \
                                                              W1_SHUFFLED,                         \
                                                              setup,                               \
                                                              before,                              \
                                                              run,                                 \
                                                              NULL,                                \
                                                              false,                               \
                                                              NULL},                               \
        {name "_named", about ", W1n", W1_NAMED, setup, before, run, NULL, false, NULL},           \
    {                                                                                              \
        name "_named_shuffled", about ", W1n, ids shuffled", W1_NAMED | W1_SHUFFLED, setup,        \
            before, run, NULL, false, NULL                                                         \
    }

const Scene snapshot_scenes[] = {
    IN_FOUR_WORLDS("save", "W1 into a buffer that is used again", make_image, NULL, stage_save),
    {.name = "save_digest",
     .about = "the same with the XXH3 of its bytes",
     .setup = make_image,
     .run = save_digest},
    IN_FOUR_WORLDS("load_warm", "W1 into the world that holds it", make_image, NULL, stage_load),
    IN_FOUR_WORLDS("load_cold", "W1 into a new world in fresh memory", make_image,
                   stage_empty_world, stage_load),
    {.name = "load_new",
     .about = "W1 into a new world in memory of a destroyed one",
     .setup = make_image,
     .before = new_world,
     .run = stage_load},
    IN_FOUR_WORLDS("hash", "the hash of W1", make_image, NULL, hash),
    IN_FOUR_WORLDS("check", "the image of W1 without a world", make_image, NULL, check),
    {.name = "save_file",
     .about = "W1 into a file that is there, synced",
     .setup = make_file,
     .run = save_file,
     .end = remove_file},
    {.name = "load_file",
     .about = "W1 from a file into the world that holds it",
     .setup = make_file,
     .run = load_file,
     .end = remove_file},
    {.name = "memory_spawn",
     .about = "bytes beyond the rows of W1, spawned one by one",
     .setup = make_counted_world,
     .run = spawn_parts,
     .memory = true},
    {.name = "memory_load",
     .about = "bytes beyond the rows of W1, loaded into a new world",
     .setup = make_counted_world,
     .run = stage_load,
     .memory = true},
    {.name = "memory_load_again",
     .about = "bytes beyond the rows of W1, loaded for the second time",
     .setup = make_counted_world,
     .run = load_twice,
     .memory = true},
};
const uint32_t snapshot_scene_count = FIRN_COUNT(snapshot_scenes);
