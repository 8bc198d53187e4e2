// Calls of storage.h.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // setenv
#endif

#include "fault/memory_scene.h"

#include "firn/storage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static firn_result check_name(scene *s, firn_error *err)
{
    (void)s;
    return firn_slot_name_check("autosave", err);
}

static firn_result trace_entry(void *user, const firn_stored *stored, firn_error *err)
{
    (void)err;
    scene *s = user;
    scene_trace(s, stored->name, strlen(stored->name));
    scene_trace(s, &stored->size, sizeof stored->size);
    return FIRN_OK;
}

// Every function of a storage, which is closed at the end.
static firn_result use_storage(scene *s, const firn_storage *storage, firn_error *err)
{
    firn_revision revision, none = FIRN_REVISION_NONE;
    firn_buffer out;
    firn_stored stored;
    uint8_t head[4];
    size_t got = 0;
    firn_buffer_init(&out, &s->memory.allocator);
    firn_result result = storage->put(storage->user, "a", none, "one", 3, &revision, err);
    if (result == FIRN_OK)
        result = storage->put(storage->user, "a", revision, "two", 3, &revision, err);
    if (result == FIRN_OK)
        result = storage->put(storage->user, "b", none, "three", 5, &revision, err);
    if (result == FIRN_OK)
        result = storage->get(storage->user, "a", FIRN_BACKUP, 3, &out, NULL, err);
    if (result == FIRN_OK)
        result = storage->head(storage->user, "a", FIRN_CURRENT, head, 4, &got, &stored, err);
    if (result == FIRN_OK)
        result = storage->list(storage->user, trace_entry, s, err);
    if (result == FIRN_OK)
        result = storage->remove(storage->user, "b", revision, err);
    if (result == FIRN_OK) {
        scene_trace(s, out.data, out.size);
        scene_trace(s, head, got);
    }
    firn_buffer_free(&out);
    return result;
}

static firn_result use_memory(scene *s, firn_error *err)
{
    firn_storage storage;
    firn_result result = firn_storage_memory(&s->memory.allocator, &storage, err);
    if (result == FIRN_OK) {
        result = use_storage(s, &storage, err);
        firn_storage_close(&storage);
    }
    return result;
}

// A folder that is made and removed again.
static firn_result use_folder(scene *s, firn_error *err)
{
    static const char *const files[] = {".firn-lock", "s_a.firn", "s_a.firn.bak", "s_b.firn"};
    char path[200], file[240];
    (void)snprintf(path, sizeof path, "%s/saves", s->source->folder);
    firn_storage storage;
    firn_folder_desc desc = {.path = path, .allocator = &s->memory.allocator};
    firn_result result = firn_storage_folder(&desc, &storage, err);
    if (result == FIRN_OK) {
        result = use_storage(s, &storage, err);
        firn_storage_close(&storage);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)snprintf(file, sizeof file, "%s/%s", path, files[i]);
        (void)unlink(file);
    }
    (void)rmdir(path);
    return result;
}

static void set_data_folder(scene *s)
{
    (void)s;
    assert_int_equal(setenv("XDG_DATA_HOME", "/data", 1), 0);
}

static firn_result name_folder(scene *s, firn_error *err)
{
    firn_buffer_free(&s->out);
    firn_result result = firn_saves_folder("game", &s->out, err);
    if (result == FIRN_OK)
        scene_trace(s, s->out.data, s->out.size);
    return result;
}

// It takes memory of its own, the default allocator's, and lets the storage take some.
static firn_result check_conformance(scene *s, firn_error *err)
{
    firn_storage storage;
    uint32_t failures = 99;
    firn_result result = firn_storage_memory(NULL, &storage, err);
    if (result == FIRN_OK)
        result = firn_storage_check(&storage, NULL, NULL, &failures, err);
    scene_trace(s, &failures, sizeof failures);
    firn_storage_close(&storage);
    return result;
}

const memory_case memory_storage_cases[] = {
    {"firn_slot_name_check", check_name, NULL, true},
    {"firn_storage_memory firn_storage_close", use_memory, NULL, false},
    {"firn_storage_folder firn_storage_close", use_folder, NULL, false},
    {"firn_saves_folder", name_folder, set_data_folder, false},
    {"firn_storage_check", check_conformance, NULL, true},
    {NULL, NULL, NULL, false},
};
