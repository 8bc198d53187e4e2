// A manager: its desc, its beginning and end, its world, and when its calls are allowed.
#include "saves/saves.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "builtin/game.h"
#include "firn/persist.h"
#include "os/clock.h"
#include "saves/file.h"
#include "saves/game_id.h"
#include "saves/storage.h"

#include <assert.h>
#include <float.h>
#include <stdalign.h>
#include <string.h>

#define SLOTS_USUAL 20
#define EVENTS      4 // that a manager publishes

// ---------------------------------------------------------------- the desc

static firn_result check_migrations(const firn_saves_desc *desc, firn_error *err)
{
    if (desc->migrations == NULL && desc->migration_count > 0) {
        return fr_fail(err, FIRN_INVALID, "migrations", "migrations is NULL, with a count of %u",
                       desc->migration_count);
    }
    for (uint32_t i = 0; i < desc->migration_count; i++) {
        uint32_t from = desc->migrations[i].from;
        if (from == 0 || from >= desc->version) {
            return fr_fail(err, FIRN_INVALID, "migrations",
                           "a migration begins at version %u: they go from 1 to %u, the game's own",
                           from, desc->version);
        }
        for (uint32_t j = 0; j < i; j++) {
            if (desc->migrations[j].from == from) {
                return fr_fail(err, FIRN_INVALID, "migrations",
                               "two migrations begin at version %u", from);
            }
        }
    }
    return FIRN_OK;
}

static firn_result check_autosaves(const firn_saves_desc *desc, firn_error *err)
{
    if (!(desc->autosave_seconds >= 0 && desc->autosave_seconds <= DBL_MAX)) {
        return fr_fail(err, FIRN_INVALID, "autosave_seconds", "autosave_seconds is %g, not a time",
                       desc->autosave_seconds);
    }
    if (desc->autosave_ring > 1 && desc->autosave_ring - 1 > desc->max_slots) {
        return fr_fail(err, FIRN_INVALID, "autosave_ring",
                       "autosave_ring is %u: all but one count toward the %u slots",
                       desc->autosave_ring, desc->max_slots);
    }
    return FIRN_OK;
}

// As headers have it, in which "" is the name of firn.
static firn_result check_engine(const char *engine, firn_error *err)
{
    firn_error why;
    return engine == NULL || engine[0] == 0 ||
                   fr_check_text_name(engine, FR_SAVE_TEXT_MOST, "engine", NULL, &why) == FIRN_OK
               ? FIRN_OK
               : fr_fail(err, FIRN_INVALID, "engine", "%s", why.message);
}

static firn_result check_options(const firn_saves_desc *desc, firn_error *err)
{
    if (desc->kind != FIRN_SAVES_WORLD && desc->kind != FIRN_SAVES_PERSISTED) {
        return fr_fail(err, FIRN_INVALID, "kind", "kind is %d, not 0 or 1", (int)desc->kind);
    }
    if ((uint32_t)desc->second_save > FIRN_SECOND_SAVE_BUSY) {
        return fr_fail(err, FIRN_INVALID, "second_save", "second_save is %d, not 0 to 2",
                       (int)desc->second_save);
    }
    if (desc->keep_unknown && desc->skip_unknown) {
        return fr_fail(err, FIRN_INVALID, "skip_unknown",
                       "what is unknown cannot be both kept and skipped");
    }
    if (desc->snapshot == NULL) {
        return FIRN_OK;
    }
    if (desc->snapshot->digest != NULL) {
        return fr_fail(err, FIRN_INVALID, "snapshot",
                       "the options of snapshots have a digest, which is the manager's to take");
    }
    return fr_check_reserved(desc->snapshot->reserved, "firn_save_options.reserved", err);
}

static firn_saves_desc with_defaults(const firn_world *world, const firn_saves_desc *desc)
{
    firn_saves_desc out = *desc;
    out.version = desc->version == 0 ? 1 : desc->version;
    out.max_slots = desc->max_slots == 0 ? SLOTS_USUAL : desc->max_slots;
    out.autosave_ring = desc->autosave_ring == 0 ? 1 : desc->autosave_ring;
    out.allocator = desc->allocator == NULL ? &world->allocator : desc->allocator;
    out.limits = desc->limits == NULL ? &world->limits : desc->limits;
    return out;
}

static firn_result check_saves_desc(const firn_world *world, const firn_saves_desc *desc,
                                    fr_file_settings *settings, firn_error *err)
{
    const firn_save_file_options options = {
        .limits = desc->limits, .allocator = desc->allocator, .compression = desc->compression};
    firn_result result = fr_check_reserved(desc->reserved, "firn_saves_desc.reserved", err);
    if (result == FIRN_OK) {
        result = fr_game_id_check(desc->game, err);
    }
    if (result == FIRN_OK && desc->storage != NULL) {
        result = fr_storage_check_table(desc->storage, world->limits.name_bytes, err);
    }
    if (result == FIRN_OK) {
        result = check_migrations(desc, err);
    }
    if (result == FIRN_OK) {
        result = check_autosaves(desc, err);
    }
    if (result == FIRN_OK) {
        result = check_engine(desc->engine, err);
    }
    if (result == FIRN_OK) {
        result = check_options(desc, err);
    }
    return result == FIRN_OK ? fr_file_settings_make(settings, &options, err) : result;
}

// There are few of them, and qsort of the C library may call malloc.
static void put_migration(firn_migration *sorted, uint32_t count, firn_migration migration)
{
    while (count > 0 && sorted[count - 1].from > migration.from) {
        sorted[count] = sorted[count - 1];
        count--;
    }
    sorted[count] = migration;
}

static bool copy_migrations(firn_saves *saves, const firn_saves_desc *desc)
{
    if (desc->migration_count == 0) {
        return true;
    }
    saves->migrations = fr_alloc(&saves->allocator, desc->migration_count,
                                 sizeof *saves->migrations, alignof(firn_migration));
    if (saves->migrations == NULL) {
        return false;
    }
    saves->migration_count = desc->migration_count;
    for (uint32_t i = 0; i < desc->migration_count; i++) {
        put_migration(saves->migrations, i, desc->migrations[i]);
    }
    return true;
}

static void copy_options(firn_saves *saves, const firn_saves_desc *desc)
{
    saves->version = desc->version;
    saves->scenes = desc->kind == FIRN_SAVES_PERSISTED;
    saves->persisted = saves->scenes;
    saves->max_slots = desc->max_slots;
    saves->compression = desc->compression;
    saves->background = desc->background;
    saves->second_save = desc->second_save;
    saves->editor = desc->editor;
    saves->keep_unknown = desc->keep_unknown;
    saves->skip_unknown = desc->skip_unknown;
    saves->autosave_seconds = desc->autosave_seconds;
    saves->autosave_ring = desc->autosave_ring;
    saves->now = desc->now;
    saves->now_user = desc->now_user;
    saves->playing = !desc->editor;
    if (desc->storage != NULL) {
        saves->storage = *desc->storage;
    }
    if (desc->levels != NULL) {
        saves->levels = *desc->levels;
    }
    if (desc->snapshot != NULL) {
        saves->snapshot = *desc->snapshot;
    }
}

// ---------------------------------------------------------------- beginning and end

// The world ends before its manager, which is left with what needs no world.
static void forget_world(firn_world *world, void *data)
{
    (void)world;
    firn_saves *saves = data;
    saves->world = NULL;
}

static firn_result register_events(firn_world *world, firn_event_kind kinds[EVENTS],
                                   firn_error *err)
{
    static const char *const names[EVENTS] = {"saved", "save_failed", "loaded", "level_entered"};
    firn_error why;
    uint32_t before = world->events.kind_count;
    for (uint32_t i = 0; i < EVENTS; i++) {
        kinds[i] = firn_event_register(world, names[i], &why);
        if (kinds[i] == 0) {
            fr_events_forget_kinds(world, before);
            return fr_fail_copy(err, &why);
        }
    }
    return FIRN_OK;
}

firn_result fr_saves_bind(firn_saves *saves, firn_world *world, firn_error *err)
{
    firn_error why;
    fr_part *part = &world->parts[FR_PART_SAVES];
    if (part->data != NULL && part->data != saves) {
        return fr_fail(err, FIRN_EXISTS, world->name, "the world \"%s\" has a manager of saves",
                       world->name);
    }
    firn_event_kind kinds[EVENTS] = {0};
    uint32_t before = world->events.kind_count;
    firn_result result = register_events(world, kinds, err);
    if (result == FIRN_OK && saves->persisted && firn_persist_register(world, &why) == 0) {
        fr_events_forget_kinds(world, before);
        result = fr_fail_copy(err, &why);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (saves->world != NULL) {
        saves->world->parts[FR_PART_SAVES] = (fr_part){0};
    }
    *part = (fr_part){saves, forget_world};
    saves->world = world;
    saves->saved = kinds[0];
    saves->save_failed = kinds[1];
    saves->loaded = kinds[2];
    saves->entered = kinds[3];
    return FIRN_OK;
}

static firn_result fill_saves(firn_saves *saves, firn_world *world, const firn_saves_desc *desc,
                              firn_error *err)
{
    const char *engine = desc->engine == NULL ? "" : desc->engine;
    copy_options(saves, desc);
    saves->game = fr_copy_text(&saves->allocator, desc->game, strlen(desc->game));
    saves->engine = fr_copy_text(&saves->allocator, engine, strlen(engine));
    if (saves->game == NULL || saves->engine == NULL || !copy_migrations(saves, desc)) {
        return fr_fail_memory(err, "a manager of saves");
    }
    firn_result result = fr_variables_make(saves, &saves->variables, err);
    return result == FIRN_OK ? fr_saves_bind(saves, world, err) : result;
}

firn_saves *firn_saves_open(firn_world *world, const firn_saves_desc *desc, firn_error *err)
{
    if (world == NULL || desc == NULL) {
        const char *what = world == NULL ? "world" : "desc";
        fr_fail(err, FIRN_INVALID, what, "%s is NULL", what);
        return NULL;
    }
    fr_file_settings settings;
    const firn_saves_desc resolved = with_defaults(world, desc);
    if (check_saves_desc(world, &resolved, &settings, err) != FIRN_OK ||
        fr_world_check_unlocked(world, err) != FIRN_OK) {
        return NULL;
    }
    firn_saves *saves = fr_alloc_zero(&settings.allocator, 1, sizeof *saves, alignof(firn_saves));
    if (saves == NULL) {
        fr_fail_memory(err, "a manager of saves");
        return NULL;
    }
    saves->allocator = settings.allocator;
    saves->limits = settings.limits;
    firn_buffer_init(&saves->edited, &saves->allocator);
    if (fill_saves(saves, world, &resolved, err) != FIRN_OK) {
        firn_saves_close(saves);
        return NULL;
    }
    return saves;
}

void firn_saves_close(firn_saves *saves)
{
    if (saves == NULL) {
        return;
    }
    assert(saves->busy == NULL);
    fr_worker_free(saves);
    fr_requests_drop(saves);
    if (saves->world != NULL) {
        saves->world->parts[FR_PART_SAVES] = (fr_part){0};
    }
    saves->world = NULL;
    saves->closed = true;
    if (saves->tells == 0) {
        fr_saves_free(saves);
    }
}

void fr_saves_free(firn_saves *saves)
{
    fr_requests_free(saves);
    const firn_allocator allocator = saves->allocator;
    firn_buffer_free(&saves->edited);
    fr_scene_free(&allocator, &saves->edited_scene);
    fr_scene_free(&allocator, &saves->scene);
    fr_hooks_free(saves);
    fr_variables_free(&saves->variables);
    fr_free(&allocator, saves->migrations, saves->migration_count, sizeof *saves->migrations,
            alignof(firn_migration));
    fr_free_text(&allocator, saves->engine);
    fr_free_text(&allocator, saves->game);
    fr_free(&allocator, saves, 1, sizeof *saves, alignof(firn_saves));
}

firn_world *firn_saves_world(const firn_saves *saves)
{
    return saves == NULL ? NULL : saves->world;
}

firn_result firn_saves_bind(firn_saves *saves, firn_world *world, firn_error *err)
{
    if (saves == NULL || world == NULL) {
        const char *what = saves == NULL ? "saves" : "world";
        return fr_fail(err, FIRN_INVALID, what, "%s is NULL", what);
    }
    firn_result result = fr_saves_check_free(saves, err);
    if (result == FIRN_OK) {
        result = fr_world_check_unlocked(world, err);
    }
    bool leaves = world != saves->world;
    if (result == FIRN_OK) {
        result = fr_saves_bind(saves, world, err);
    }
    if (result == FIRN_OK && leaves) {
        fr_scene_free(&saves->allocator, &saves->scene);
    }
    return result;
}

double firn_saves_play_time(const firn_saves *saves)
{
    return saves == NULL ? 0 : saves->line.play_time;
}

const char *fr_saves_kind_text(const firn_saves *saves)
{
    return saves->persisted ? "persisted" : "world";
}

const char *fr_saves_kind_of(const firn_save_header *header)
{
    return header->kind == NULL ? "world" : header->kind;
}

firn_load_options fr_saves_load_options(const firn_saves *saves)
{
    return (firn_load_options){.keep_unknown = saves->keep_unknown,
                               .skip_unknown = saves->skip_unknown,
                               .limits = &saves->limits};
}

int64_t fr_saves_now(const firn_saves *saves)
{
    return saves->now != NULL ? saves->now(saves->now_user) : fr_clock_now();
}

const char *fr_saves_level(firn_saves *saves)
{
    const firn_levels *levels = &saves->levels;
    const char *before = saves->busy;
    if (levels->current == NULL) {
        return saves->scene.name == NULL ? "" : saves->scene.name;
    }
    saves->busy = before != NULL ? before : "firn_levels.current";
    const char *level = levels->current(levels->user, saves->world);
    saves->busy = before;
    return level == NULL ? "" : level;
}

// ---------------------------------------------------------------- when calls are allowed

firn_result fr_saves_check(const firn_saves *saves, firn_error *err)
{
    if (saves == NULL) {
        return fr_fail(err, FIRN_INVALID, "saves", "saves is NULL");
    }
    if (saves->closed) {
        return fr_fail(err, FIRN_INVALID, "saves", "the manager was closed");
    }
    return saves->world != NULL
               ? FIRN_OK
               : fr_fail(err, FIRN_INVALID, "world", "the world of the manager was destroyed");
}

firn_result fr_saves_check_free(const firn_saves *saves, firn_error *err)
{
    return saves->busy == NULL ? FIRN_OK
                               : fr_fail(err, FIRN_BUSY, saves->busy, "%s runs", saves->busy);
}

// FIRN_BUSY inside a step, a loop, a publication or a callback.
static firn_result check_world_rests(const firn_world *world, firn_error *err)
{
    const fr_game *game = fr_game_of(world);
    firn_result result = fr_world_check_idle(world, err);
    if (result == FIRN_OK) {
        result = fr_world_check_closed(world, err);
    }
    if (result == FIRN_OK && game != NULL) {
        result = fr_pipeline_check_rests(&game->pipeline, err);
    }
    if (result == FIRN_OK && game != NULL && game->states.changing != NULL) {
        const char *name = game->states.changing;
        return fr_fail(err, FIRN_BUSY, name, "a callback of the state \"%.200s\" runs", name);
    }
    return result;
}

firn_result fr_saves_check_ready(const firn_saves *saves, const char *request, firn_error *err)
{
    firn_result result = fr_saves_check(saves, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (!saves->playing) {
        return fr_fail(err, FIRN_BUSY, "play", "the editor is outside of play");
    }
    return fr_saves_check_rests(saves, request, err);
}

firn_result fr_saves_check_rests(const firn_saves *saves, const char *request, firn_error *err)
{
    firn_error why;
    firn_result result = fr_saves_check_free(saves, &why);
    if (result == FIRN_OK) {
        result = check_world_rests(saves->world, &why);
    }
    if (result == FIRN_OK) {
        return FIRN_OK;
    }
    return request == NULL
               ? fr_fail_copy(err, &why)
               : fr_fail(err, result, why.subject, "%.300s; %s does it at the end of the tick",
                         why.message, request);
}

firn_result fr_saves_check_slot(const firn_saves *saves, const char *slot, firn_error *err)
{
    firn_result result = firn_slot_name_check(slot, err);
    if (result == FIRN_OK && saves->storage.abi == 0) {
        result = fr_fail(err, FIRN_INVALID, "storage", "the manager has no storage");
    }
    return result;
}
