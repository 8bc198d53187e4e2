#include "fault/storage_disk.h"

#include "base/hash.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_SIZE   ((size_t)1 << 20)
#define CONTENT_SIZE 3900 // eight blocks

const char *const content_names[CONTENTS] = {"nothing", "older", "old", "new", "damaged"};

// ---- memory

static void *take_from_arena(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    arena *memory = user;
    if (new_size == 0) {
        return NULL;
    }
    memory->used = (memory->used + align - 1) / align * align;
    assert_true(memory->used + new_size <= ARENA_SIZE);
    void *made = memory->bytes + memory->used;
    memory->used += new_size;
    if (ptr != NULL) {
        memcpy(made, ptr, old_size < new_size ? old_size : new_size);
    }
    return made;
}

void arena_init(arena *memory)
{
    memory->bytes = aligned_alloc(4096, ARENA_SIZE);
    assert_non_null(memory->bytes);
    memory->used = 0;
    memory->allocator = (firn_allocator){take_from_arena, memory};
}

void arena_free(arena *memory)
{
    free(memory->bytes);
}

// ---- storage

firn_result storage_open(arena *memory, firn_storage *out, firn_error *err)
{
    firn_folder_desc desc = {.path = STORAGE_PATH, .allocator = &memory->allocator};
    return firn_storage_folder(&desc, out, err);
}

// The hash of the rest comes first.
static void fill_content(content what, uint8_t bytes[CONTENT_SIZE])
{
    for (size_t i = 8; i < CONTENT_SIZE; i++) {
        bytes[i] = (uint8_t)((size_t)what * 71 + i * 13 + (i >> 9));
    }
    uint64_t hash = fr_hash(bytes + 8, CONTENT_SIZE - 8) + (what == DAMAGED);
    memcpy(bytes, &hash, 8);
}

firn_result storage_put(const firn_storage *storage, const char *name, firn_revision expected,
                        content what, firn_error *err)
{
    uint8_t bytes[CONTENT_SIZE];
    firn_revision revision;
    fill_content(what, bytes);
    return storage->put(storage->user, name, expected, bytes, sizeof bytes, &revision, err);
}

static content load_generation(const firn_storage *storage, const char *name,
                               firn_generation generation)
{
    uint8_t bytes[CONTENT_SIZE];
    firn_buffer out = {0};
    firn_error err;
    content found = DAMAGED;
    firn_result result = storage->get(storage->user, name, generation, 8192, &out, NULL, &err);
    if (result == FIRN_NOT_FOUND) {
        return NOTHING;
    }
    assert_ok(result, &err);
    for (content what = OLDER; what < DAMAGED; what++) {
        fill_content(what, bytes);
        if (out.size == CONTENT_SIZE && memcmp(out.data, bytes, CONTENT_SIZE) == 0) {
            found = what;
        }
    }
    firn_buffer_free(&out);
    return found;
}

content storage_load(const firn_storage *storage, const char *name)
{
    content found = load_generation(storage, name, FIRN_CURRENT);
    if (found == NOTHING || found == DAMAGED) {
        content backup = load_generation(storage, name, FIRN_BACKUP);
        found = backup == NOTHING ? found : backup;
    }
    return found;
}

// ---- scenarios

static void put_before(arena *memory, const char *name, const content *what, uint32_t count)
{
    firn_storage storage;
    firn_error err;
    assert_ok(storage_open(memory, &storage, &err), &err);
    for (uint32_t i = 0; i < count; i++) {
        assert_ok(storage_put(&storage, name, FIRN_REVISION_ANY, what[i], &err), &err);
    }
    firn_storage_close(&storage);
}

static void prepare_nothing(arena *memory)
{
    (void)memory;
}

static void prepare_old(arena *memory)
{
    put_before(memory, "a", (content[]){OLD}, 1);
}

static void prepare_backup(arena *memory)
{
    put_before(memory, "a", (content[]){OLDER, OLD}, 2);
}

static void prepare_damaged(arena *memory)
{
    put_before(memory, "a", (content[]){OLDER, DAMAGED}, 2);
}

static void prepare_two(arena *memory)
{
    put_before(memory, "b", (content[]){OLDER, OLD}, 2);
    put_before(memory, "a", (content[]){NEW}, 1);
}

static firn_result end_run(firn_storage *storage, firn_result result)
{
    firn_storage_close(storage);
    return result;
}

static firn_result run_put(arena *memory, firn_error *err)
{
    firn_storage storage;
    firn_result result = storage_open(memory, &storage, err);
    return result != FIRN_OK
               ? result
               : end_run(&storage, storage_put(&storage, "a", FIRN_REVISION_ANY, NEW, err));
}

static firn_result run_first_put(arena *memory, firn_error *err)
{
    firn_storage storage;
    firn_result result = storage_open(memory, &storage, err);
    return result != FIRN_OK
               ? result
               : end_run(&storage, storage_put(&storage, "a", FIRN_REVISION_NONE, NEW, err));
}

// As a manager does: it has read what it replaces.
static firn_result run_expected_put(arena *memory, firn_error *err)
{
    firn_storage storage;
    firn_result result = storage_open(memory, &storage, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_stored stored;
    size_t got;
    uint8_t bytes[16];
    result = storage.head(storage.user, "a", FIRN_CURRENT, bytes, 16, &got, &stored, err);
    if (result == FIRN_OK) {
        result = storage_put(&storage, "a", stored.revision, NEW, err);
    }
    return end_run(&storage, result);
}

static firn_result run_remove(arena *memory, firn_error *err)
{
    firn_storage storage;
    firn_result result = storage_open(memory, &storage, err);
    return result != FIRN_OK
               ? result
               : end_run(&storage, storage.remove(storage.user, "a", FIRN_REVISION_ANY, err));
}

static firn_result run_copy(arena *memory, firn_error *err)
{
    firn_storage storage;
    firn_result result = storage_open(memory, &storage, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_buffer out;
    firn_buffer_init(&out, &memory->allocator);
    firn_revision revision;
    result = storage.get(storage.user, "a", FIRN_CURRENT, 8192, &out, NULL, err);
    if (result == FIRN_OK) {
        result =
            storage.put(storage.user, "b", FIRN_REVISION_ANY, out.data, out.size, &revision, err);
    }
    return end_run(&storage, result);
}

const scenario scenarios[] = {
    {"put", prepare_nothing, false, run_put, "a", NOTHING, NEW, NULL, NOTHING},
    {"put where nothing is expected", prepare_nothing, true, run_first_put, "a", NOTHING, NEW, NULL,
     NOTHING},
    {"overwrite", prepare_old, true, run_put, "a", OLD, NEW, NULL, NOTHING},
    {"overwrite again", prepare_backup, false, run_put, "a", OLD, NEW, NULL, NOTHING},
    {"overwrite what is expected", prepare_backup, true, run_expected_put, "a", OLD, NEW, NULL,
     NOTHING},
    {"overwrite what is damaged", prepare_damaged, true, run_put, "a", OLDER, NEW, NULL, NOTHING},
    {"remove", prepare_backup, true, run_remove, "a", OLD, NOTHING, NULL, NOTHING},
    {"remove at once", prepare_backup, false, run_remove, "a", OLD, NOTHING, NULL, NOTHING},
    {"remove without a backup", prepare_old, true, run_remove, "a", OLD, NOTHING, NULL, NOTHING},
    {"copy", prepare_backup, false, run_copy, "b", NOTHING, OLD, "a", OLD},
    {"copy over another", prepare_two, false, run_copy, "b", OLD, NEW, "a", NEW},
};
const uint32_t scenario_count = sizeof scenarios / sizeof *scenarios;

void scenario_prepare(const scenario *s, disk *d, arena *memory)
{
    memory->used = 0;
    disk_format(d);
    disk_use(d);
    s->prepare(memory);
    for (int i = 0; s->settled && i < DISK_NODES; i++) {
        disk_node *node = &d->nodes[i];
        memcpy(node->stored, node->names, sizeof node->stored);
        node->change_count = 0;
    }
    d->calls = 0;
}
