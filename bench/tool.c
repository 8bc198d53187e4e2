// Scenes of the tool, called in process, on save files of W1.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"

// In the working directory; gone when the scene ends.
#define SAVE_FILE  "firn_bench.firn"
#define OTHER_FILE "firn_bench.other.firn"

// ---------------------------------------------------------------- the tool

static firn_result drop_text(void *user, bool error, const void *bytes, size_t size,
                             firn_error *err)
{
    (void)user, (void)err;
    return !error || fwrite(bytes, 1, size, stderr) == size ? FIRN_OK : FIRN_IO;
}

static firn_result read_file(void *user, const char *path, uint64_t limit, firn_buffer *out,
                             firn_error *err)
{
    (void)user;
    return firn_file_read(path, limit, out, err);
}

// Whether the tool ends with this status.
static bool run_tool(int status, int count, const char *const *words)
{
    const fr_cli_host host = {.write = drop_text, .read = read_file};
    return fr_cli_run(count, words, &host) == status;
}

static bool make_save_file(Stage *stage, const char *path)
{
    const firn_saves_desc desc = {.game = "firn.bench"};
    firn_saves *saves = firn_saves_open(stage->w1.world, &desc, &stage->err);
    firn_buffer_clear(&stage->image);
    bool made =
        saves != NULL && firn_saves_make(saves, NULL, &stage->image, &stage->err) == FIRN_OK &&
        firn_file_replace(path, stage->image.data, stage->image.size, NULL, &stage->err) == FIRN_OK;
    firn_saves_close(saves);
    stage->bytes = stage->image.size;
    return made;
}

// What a program must do that only wants to know whether the bytes are those that were written.
static void read_and_hash(Stage *stage, const char *path)
{
    firn_buffer file = {0};
    if (firn_file_read(path, UINT64_MAX, &file, &stage->err) != FIRN_OK) {
        fprintf(stderr, "firn_bench: %s\n", stage->err.message);
        exit(1);
    }
    stage->sum += (double)firn_bytes_digest(file.data, file.size).low;
    firn_buffer_free(&file);
}

// ---------------------------------------------------------------- verify

static bool make_verified(Stage *stage)
{
    return stage_fill_world(stage) && make_save_file(stage, SAVE_FILE);
}

static bool verify(Stage *stage)
{
    (void)stage;
    const char *const words[] = {"firn", "verify", SAVE_FILE};
    return run_tool(0, 3, words);
}

static void read_and_hash_one(Stage *stage)
{
    read_and_hash(stage, SAVE_FILE);
}

static void remove_save_file(Stage *stage)
{
    (void)stage;
    remove(SAVE_FILE);
    remove(SAVE_FILE ".bak");
}

// ---------------------------------------------------------------- diff

// Two saves that differ in three fields.
static bool make_two(Stage *stage)
{
    if (!make_verified(stage)) {
        return false;
    }
    const uint32_t last = stage->entities - 1;
    const firn_entity changed[] = {stage->ids[0], stage->ids[last / 2], stage->ids[last]};
    for (uint32_t i = 0; i < FIRN_COUNT(changed); i++) {
        Vector *position = firn_get_mut(stage->w1.world, changed[i], stage->w1.position);
        position->x += 0.5f;
    }
    return make_save_file(stage, OTHER_FILE);
}

static bool diff(Stage *stage)
{
    (void)stage;
    const char *const words[] = {"firn", "diff", SAVE_FILE, OTHER_FILE};
    return run_tool(1, 4, words);
}

static void read_and_hash_both(Stage *stage)
{
    read_and_hash(stage, SAVE_FILE);
    read_and_hash(stage, OTHER_FILE);
}

static void remove_both(Stage *stage)
{
    remove_save_file(stage);
    remove(OTHER_FILE);
    remove(OTHER_FILE ".bak");
}

const Scene tool_scenes[] = {
    {.name = "tool_verify",
     .about = "firn verify of a save file of W1; plain: read and hash it",
     .setup = make_verified,
     .run = verify,
     .plain = read_and_hash_one,
     .end = remove_save_file},
    {.name = "tool_diff",
     .about =
         "firn diff of two save files of W1 that differ in 3 fields; plain: read and hash both",
     .setup = make_two,
     .run = diff,
     .plain = read_and_hash_both,
     .end = remove_both},
};
const uint32_t tool_scene_count = FIRN_COUNT(tool_scenes);
