// Scenes of save files: the world W1 in them.
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// In the working directory; gone when the scene ends.
#define FOLDER "firn_bench.saves"

static bool open_saves(Stage *stage, bool background)
{
    const firn_saves_desc desc = {.game = "firn.bench",
                                  .storage = stage->storage.abi == 0 ? NULL : &stage->storage,
                                  .background = background};
    if (!stage_fill_world(stage)) {
        return false;
    }
    stage->saves = firn_saves_open(stage->w1.world, &desc, &stage->err);
    return stage->saves != NULL;
}

static bool make(Stage *stage)
{
    firn_buffer_clear(&stage->image);
    return firn_saves_make(stage->saves, NULL, &stage->image, &stage->err) == FIRN_OK;
}

static bool make_save(Stage *stage)
{
    if (!open_saves(stage, false) || !make(stage)) {
        return false;
    }
    stage->bytes = stage->image.size;
    return true;
}

static bool take(Stage *stage)
{
    return firn_saves_take(stage->saves, stage->image.data, stage->image.size, NULL, &stage->err) ==
           FIRN_OK;
}

static void end_saves(Stage *stage)
{
    firn_saves_close(stage->saves);
    firn_storage_close(&stage->storage);
}

// ---------------------------------------------------------------- the pause of a background save

static firn_result pass_failure(void *user, firn_world *world, const firn_event *event,
                                firn_error *err)
{
    (void)user;
    (void)world;
    const firn_saves_event *failed = event->payload;
    *err = *failed->error;
    return failed->result;
}

// The save of before, if there is one, is done, and did not fail.
static bool rest(Stage *stage)
{
    firn_saves_wait(stage->saves);
    return firn_saves_tell(stage->saves, &stage->err) == FIRN_OK;
}

static bool save_behind(Stage *stage)
{
    return firn_saves_request_save(stage->saves, "a", NULL, &stage->err) == FIRN_OK &&
           firn_saves_end_tick(stage->saves, 0, &stage->err) == FIRN_OK;
}

static bool make_background(Stage *stage)
{
    const firn_observer_desc failed = {.event = "save_failed", .observe = pass_failure};
    if (firn_storage_memory(NULL, &stage->storage, &stage->err) != FIRN_OK ||
        !open_saves(stage, true) || firn_observe(stage->w1.world, &failed, &stage->err) == 0 ||
        !make(stage)) {
        return false;
    }
    stage->bytes = stage->image.size;
    return true;
}

// ---------------------------------------------------------------- files

static bool make_folder(Stage *stage)
{
    const firn_folder_desc desc = {.path = FOLDER};
    return firn_storage_folder(&desc, &stage->storage, &stage->err) == FIRN_OK && make_save(stage);
}

static bool write_file(Stage *stage)
{
    return firn_saves_write(stage->saves, "a", NULL, &stage->err) == FIRN_OK;
}

static void end_if(bool failed, const char *what)
{
    if (failed) {
        perror(what);
        exit(1);
    }
}

// What no save that survives a power loss can do without, of the same bytes.
static void write_plainly(Stage *stage)
{
    int file = open(FOLDER "/plain.tmp", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    end_if(file < 0, "open");
    const uint8_t *bytes = stage->image.data;
    for (size_t done = 0; done < stage->image.size;) {
        ssize_t count = write(file, bytes + done, stage->image.size - done);
        end_if(count < 0, "write");
        done += (size_t)count;
    }
    end_if(fsync(file) != 0 || close(file) != 0, "fsync");
    end_if(rename(FOLDER "/plain.tmp", FOLDER "/plain") != 0, "rename");
    int folder = open(FOLDER, O_RDONLY);
    end_if(folder < 0 || fsync(folder) != 0 || close(folder) != 0, "fsync of the folder");
}

static void remove_folder(Stage *stage)
{
    end_saves(stage);
    static const char *const names[] = {"s_a.firn", "s_a.firn.bak", ".firn-lock", "plain"};
    for (size_t i = 0; i < FIRN_COUNT(names); i++) {
        char path[64];
        (void)snprintf(path, sizeof path, FOLDER "/%s", names[i]);
        (void)remove(path);
    }
    (void)remove(FOLDER);
}

// ---------------------------------------------------------------- few entities of many

#define PERSISTED 100

// Spread over the world.
static bool mark_persisted(Stage *stage)
{
    uint32_t count = stage->entities < PERSISTED ? stage->entities : PERSISTED;
    const firn_component persist = firn_persist_component(stage->w1.world);
    for (uint32_t i = 0; i < count; i++) {
        firn_entity entity = stage->ids[(size_t)i * stage->entities / count];
        if (firn_add(stage->w1.world, entity, &persist, 1, &stage->err) != FIRN_OK) {
            return false;
        }
    }
    stage->changes = count;
    return true;
}

// The world twice: one whose marked entities are saved, and one that is saved whole.
static bool make_persisted(Stage *stage)
{
    const firn_saves_desc desc = {.game = "firn.bench", .kind = FIRN_SAVES_PERSISTED};
    const firn_saves_desc whole = {.game = "firn.bench"};
    if (!w1_create(&stage->whole, NULL, &stage->err) ||
        !w1_fill(&stage->whole, stage->entities, stage->kind, stage->ids, &stage->err) ||
        !stage_fill_world(stage)) {
        return false;
    }
    stage->saves = firn_saves_open(stage->w1.world, &desc, &stage->err);
    stage->whole_saves = firn_saves_open(stage->whole.world, &whole, &stage->err);
    return stage->saves != NULL && stage->whole_saves != NULL && mark_persisted(stage) &&
           make(stage) &&
           firn_saves_make(stage->whole_saves, NULL, &stage->whole_file, &stage->err) == FIRN_OK;
}

static void make_whole(Stage *stage)
{
    firn_buffer_clear(&stage->whole_file);
    if (firn_saves_make(stage->whole_saves, NULL, &stage->whole_file, &stage->err) != FIRN_OK) {
        fprintf(stderr, "firn_bench: %s\n", stage->err.message);
        exit(1);
    }
}

static void take_whole(Stage *stage)
{
    if (firn_saves_take(stage->whole_saves, stage->whole_file.data, stage->whole_file.size, NULL,
                        &stage->err) != FIRN_OK) {
        fprintf(stderr, "firn_bench: %s\n", stage->err.message);
        exit(1);
    }
}

static void end_persisted(Stage *stage)
{
    firn_saves_close(stage->saves);
    firn_saves_close(stage->whole_saves);
}

const Scene save_scenes[] = {
    {.name = "saves_make",
     .about = "a save file of W1, with hashes, into a buffer that is used again",
     .setup = make_save,
     .run = make,
     .end = end_saves},
    {.name = "saves_take",
     .about = "a save file of W1, verified, into the world that holds it",
     .setup = make_save,
     .run = take,
     .end = end_saves},
    {.name = "saves_pause",
     .about = "the end of a tick that begins a background save of W1",
     .setup = make_background,
     .before = rest,
     .run = save_behind,
     .end = end_saves},
    {.name = "saves_make_100",
     .about = "a save of 100 persisted entities of W1; plain: one of the whole world",
     .setup = make_persisted,
     .run = make,
     .plain = make_whole,
     .end = end_persisted},
    {.name = "saves_take_100",
     .about = "its load, into the world that goes on; plain: that of a save of the whole world",
     .setup = make_persisted,
     .run = take,
     .plain = take_whole,
     .end = end_persisted},
    {.name = "saves_file",
     .about = "W1 into a slot of a folder, synced; plain: write, fsync, rename, fsync",
     .setup = make_folder,
     .run = write_file,
     .plain = write_plainly,
     .end = remove_folder},
};
const uint32_t save_scene_count = FIRN_COUNT(save_scenes);
