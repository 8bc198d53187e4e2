// A storage in memory: its entries in the order of their names.
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "os/clock.h"
#include "saves/storage.h"

#include <inttypes.h>
#include <stdalign.h>
#include <string.h>

typedef struct memory_bytes {
    bool there;
    uint8_t *data; ///< NULL when there are none
    size_t size;
    int64_t modified;
} memory_bytes;

typedef struct memory_entry {
    char name[FIRN_SLOT_NAME_SIZE];
    firn_revision revision;
    memory_bytes kept[2]; ///< by generation
} memory_entry;

typedef struct memory_storage {
    firn_allocator allocator;
    memory_entry *entries;
    uint32_t count, capacity;
    firn_revision last; ///< the revision that was given last
} memory_storage;

// The place of the entry, or where it would be.
static uint32_t place_of_name(const memory_storage *storage, const char *name, bool *found)
{
    uint32_t low = 0, high = storage->count;
    *found = false;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(name, storage->entries[middle].name);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order > 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// NULL with FIRN_NOT_FOUND.
static memory_entry *find_generation(const memory_storage *storage, const char *name,
                                     firn_generation generation, firn_error *err)
{
    bool found;
    uint32_t place = place_of_name(storage, name, &found);
    if (!found || !storage->entries[place].kept[generation].there) {
        fr_storage_missing(name, generation, err);
        return NULL;
    }
    return &storage->entries[place];
}

static void free_kept(const memory_storage *storage, memory_bytes *bytes)
{
    fr_free(&storage->allocator, bytes->data, bytes->size, 1, 1);
    *bytes = (memory_bytes){.there = false};
}

// Makes room for an entry that is not there.
static memory_entry *open_entry(memory_storage *storage, uint32_t place, const char *name)
{
    memory_entry *entry = storage->entries + place;
    memmove(entry + 1, entry, (storage->count - place) * sizeof *entry);
    storage->count++;
    *entry = (memory_entry){.revision = FIRN_REVISION_NONE};
    memcpy(entry->name, name, strlen(name) + 1);
    return entry;
}

static firn_result put_memory(void *user, const char *name, firn_revision expected,
                              const void *bytes, size_t size, firn_revision *revision,
                              firn_error *err)
{
    memory_storage *storage = user;
    firn_result result = firn_slot_name_check(name, err);
    if (result != FIRN_OK) {
        return result;
    }
    bool found;
    uint32_t place = place_of_name(storage, name, &found);
    result = fr_storage_expect(name, expected,
                               found ? storage->entries[place].revision : FIRN_REVISION_NONE, err);
    if (result != FIRN_OK) {
        return result;
    }
    memory_bytes copy = {.there = true, .size = size, .modified = fr_clock_now()};
    if (size > 0) {
        copy.data = fr_alloc(&storage->allocator, size, 1, 1);
        if (copy.data == NULL) {
            return fr_fail_memory(err, name);
        }
        memcpy(copy.data, bytes, size);
    }
    if (!found &&
        !FR_RESERVE(&storage->allocator, storage->entries, storage->capacity, storage->count + 1)) {
        free_kept(storage, &copy);
        return fr_fail_memory(err, name);
    }
    memory_entry *entry = found ? storage->entries + place : open_entry(storage, place, name);
    free_kept(storage, &entry->kept[FIRN_BACKUP]);
    entry->kept[FIRN_BACKUP] = entry->kept[FIRN_CURRENT];
    entry->kept[FIRN_CURRENT] = copy;
    entry->revision = ++storage->last;
    *revision = entry->revision;
    return FIRN_OK;
}

static firn_revision revision_of(const memory_entry *entry, firn_generation generation)
{
    return generation == FIRN_CURRENT ? entry->revision : FIRN_REVISION_NONE;
}

static firn_result get_memory(void *user, const char *name, firn_generation generation,
                              uint64_t limit, firn_buffer *out, firn_revision *revision,
                              firn_error *err)
{
    memory_storage *storage = user;
    memory_entry *entry = find_generation(storage, name, generation, err);
    if (entry == NULL) {
        return FIRN_NOT_FOUND;
    }
    const memory_bytes *bytes = &entry->kept[generation];
    if (bytes->size > limit) {
        return fr_fail(err, FIRN_LIMIT, name, "%s: %zu bytes are more than the limit of %" PRIu64,
                       name, bytes->size, limit);
    }
    firn_result result = firn_buffer_append(out, bytes->data, bytes->size, err);
    if (result == FIRN_OK && revision != NULL) {
        *revision = revision_of(entry, generation);
    }
    return result;
}

static firn_result head_memory(void *user, const char *name, firn_generation generation,
                               void *bytes, size_t room, size_t *got, firn_stored *stored,
                               firn_error *err)
{
    memory_storage *storage = user;
    memory_entry *entry = find_generation(storage, name, generation, err);
    if (entry == NULL) {
        return FIRN_NOT_FOUND;
    }
    const memory_bytes *kept = &entry->kept[generation];
    *got = kept->size < room ? kept->size : room;
    if (*got > 0) {
        memcpy(bytes, kept->data, *got);
    }
    *stored = (firn_stored){.name = name,
                            .size = kept->size,
                            .revision = revision_of(entry, generation),
                            .modified = kept->modified};
    return FIRN_OK;
}

static firn_result list_memory(void *user, firn_stored_fn each, void *each_user, firn_error *err)
{
    memory_storage *storage = user;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; i < storage->count && result == FIRN_OK; i++) {
        const memory_entry *entry = &storage->entries[i];
        firn_stored stored = {.name = entry->name,
                              .size = entry->kept[FIRN_CURRENT].size,
                              .revision = entry->revision,
                              .modified = entry->kept[FIRN_CURRENT].modified};
        result = each(each_user, &stored, err);
    }
    return result;
}

static firn_result remove_memory(void *user, const char *name, firn_revision expected,
                                 firn_error *err)
{
    memory_storage *storage = user;
    memory_entry *entry = find_generation(storage, name, FIRN_CURRENT, err);
    if (entry == NULL) {
        return FIRN_NOT_FOUND;
    }
    firn_result result = fr_storage_expect(name, expected, entry->revision, err);
    if (result != FIRN_OK) {
        return result;
    }
    free_kept(storage, &entry->kept[FIRN_CURRENT]);
    free_kept(storage, &entry->kept[FIRN_BACKUP]);
    storage->count--;
    size_t place = (size_t)(entry - storage->entries);
    memmove(entry, entry + 1, (storage->count - place) * sizeof *entry);
    return FIRN_OK;
}

static void destroy_memory(void *user)
{
    memory_storage *storage = user;
    firn_allocator allocator = storage->allocator;
    for (uint32_t i = 0; i < storage->count; i++) {
        free_kept(storage, &storage->entries[i].kept[FIRN_CURRENT]);
        free_kept(storage, &storage->entries[i].kept[FIRN_BACKUP]);
    }
    FR_ARRAY_FREE(&allocator, storage->entries, storage->capacity);
    fr_free(&allocator, storage, 1, sizeof *storage, alignof(memory_storage));
}

firn_result firn_storage_memory(const firn_allocator *allocator, firn_storage *out, firn_error *err)
{
    firn_result result = fr_allocator_check(allocator, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (out == NULL) {
        return fr_fail(err, FIRN_INVALID, "out", "there is no place for the storage");
    }
    memory_storage *storage = fr_alloc(allocator, 1, sizeof *storage, alignof(memory_storage));
    if (storage == NULL) {
        return fr_fail_memory(err, "storage");
    }
    *storage =
        (memory_storage){.allocator = *(allocator != NULL ? allocator : firn_allocator_default())};
    *out = (firn_storage){.abi = FIRN_ABI,
                          .name = "memory",
                          .flags = FIRN_STORAGE_ANY_THREAD,
                          .put = put_memory,
                          .get = get_memory,
                          .head = head_memory,
                          .list = list_memory,
                          .remove = remove_memory,
                          .destroy = destroy_memory,
                          .user = storage};
    return FIRN_OK;
}
