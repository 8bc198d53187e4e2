// Calls of storage.h.
#include "fault/memory_scene.h"

#include "firn/storage.h"

#include <string.h>

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

const memory_case memory_storage_cases[] = {
    {"firn_slot_name_check", check_name, NULL, true},
    {"firn_storage_memory firn_storage_close", use_memory, NULL, false},
    {NULL, NULL, NULL, false},
};
