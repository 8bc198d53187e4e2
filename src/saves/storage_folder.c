// A storage of files in one folder. Its path has room for any name of a file behind it; the files
// themselves are the business of os/file.h.
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/sort.h"
#include "os/folder.h"
#include "saves/storage.h"

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#define LOCK_NAME      ".firn-lock"
#define NAME_BEGIN     "s_"
#define NAME_END       ".firn"
#define BACKUP_END     ".firn.bak"
#define NAME_ROOM      (1 + sizeof NAME_BEGIN + FIRN_SLOT_NAME_MOST + sizeof BACKUP_END)
#define REVISION_BYTES 4096 // the first bytes of a file are part of its revision

typedef struct folder_storage {
    firn_allocator allocator;
    char *path;
    size_t path_size;
    size_t room; ///< of path
} folder_storage;

// ---- files

// The path of a file; valid until the next one. "" is the folder itself.
static const char *file_path(folder_storage *storage, const char *begin, const char *name,
                             const char *end)
{
    (void)snprintf(storage->path + storage->path_size, storage->room - storage->path_size,
                   "%s%s%s%s", begin[0] == 0 ? "" : "/", begin, name, end);
    return storage->path;
}

static const char *folder_path(folder_storage *storage)
{
    return file_path(storage, "", "", "");
}

static const char *entry_path(folder_storage *storage, const char *name, firn_generation generation)
{
    return file_path(storage, NAME_BEGIN, name, generation == FIRN_CURRENT ? NAME_END : BACKUP_END);
}

static firn_result lock_folder(folder_storage *storage, fr_file_lock *lock, firn_error *err)
{
    return fr_file_lock_take(&storage->allocator, file_path(storage, LOCK_NAME, "", ""), lock, err);
}

static firn_revision make_revision(const fr_file_status *status, const void *bytes, size_t size)
{
    uint64_t words[] = {status->number, status->size, (uint64_t)status->time};
    firn_revision revision = fr_hash_seeded(bytes, size < REVISION_BYTES ? size : REVISION_BYTES,
                                            fr_hash(words, sizeof words));
    bool taken = revision == FIRN_REVISION_NONE || revision == FIRN_REVISION_ANY;
    return taken ? 1 : revision;
}

static int64_t milliseconds(int64_t nanoseconds)
{
    return nanoseconds / 1000000;
}

// The first bytes of a generation, and for the current one its revision, which takes 4 KiB.
static firn_result read_head(folder_storage *storage, const char *name, firn_generation generation,
                             void *bytes, size_t room, size_t *got, firn_stored *stored,
                             firn_error *err)
{
    uint8_t own[REVISION_BYTES];
    bool short_room = generation == FIRN_CURRENT && room < sizeof own;
    fr_file_status status;
    size_t count;
    firn_result result = fr_file_read_head(
        &storage->allocator, entry_path(storage, name, generation), short_room ? own : bytes,
        short_room ? sizeof own : room, &count, &status, err);
    if (result != FIRN_OK) {
        return result == FIRN_NOT_FOUND ? fr_storage_missing(name, generation, err) : result;
    }
    *stored =
        (firn_stored){.name = name, .size = status.size, .modified = milliseconds(status.time)};
    if (generation == FIRN_CURRENT) {
        stored->revision = make_revision(&status, short_room ? own : bytes, count);
    }
    *got = count < room ? count : room;
    if (short_room && bytes != NULL && *got > 0) {
        memcpy(bytes, own, *got);
    }
    return FIRN_OK;
}

// Whether the current generation is the one that is expected. *there: there is one.
static firn_result expect_current(folder_storage *storage, const char *name, firn_revision expected,
                                  bool *there, firn_error *err)
{
    firn_stored stored = {.revision = FIRN_REVISION_NONE};
    firn_error why;
    size_t got;
    uint8_t none;
    firn_result result = read_head(storage, name, FIRN_CURRENT, &none, 0, &got, &stored, &why);
    *there = result != FIRN_NOT_FOUND;
    if (result == FIRN_OK || result == FIRN_NOT_FOUND || expected == FIRN_REVISION_ANY) {
        return fr_storage_expect(name, expected, stored.revision, err);
    }
    return fr_fail_copy(err, &why);
}

// ---- the functions of the vtable

static firn_result replace_entry(folder_storage *storage, const char *name, firn_revision expected,
                                 const void *bytes, size_t size, firn_revision *revision,
                                 firn_error *err)
{
    bool there;
    fr_file_status status;
    firn_result result = FIRN_OK;
    if (expected != FIRN_REVISION_ANY) {
        result = expect_current(storage, name, expected, &there, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    result = fr_file_replace_status(&storage->allocator, entry_path(storage, name, FIRN_CURRENT),
                                    bytes, size, &status, err);
    if (result == FIRN_OK || result == FIRN_NOT_DURABLE) {
        *revision = make_revision(&status, bytes, size);
    }
    return result;
}

static firn_result put_folder(void *user, const char *name, firn_revision expected,
                              const void *bytes, size_t size, firn_revision *revision,
                              firn_error *err)
{
    folder_storage *storage = user;
    fr_file_lock lock;
    firn_result result = firn_slot_name_check(name, err);
    if (result == FIRN_OK) { // somebody may have removed it while the game runs
        result = fr_folder_make(&storage->allocator, folder_path(storage), err);
    }
    if (result == FIRN_OK) {
        result = lock_folder(storage, &lock, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    result = replace_entry(storage, name, expected, bytes, size, revision, err);
    fr_file_lock_drop(lock);
    return result;
}

static firn_result get_folder(void *user, const char *name, firn_generation generation,
                              uint64_t limit, firn_buffer *out, firn_revision *revision,
                              firn_error *err)
{
    folder_storage *storage = user;
    size_t before = out->size;
    fr_file_status status;
    firn_result result = firn_slot_name_check(name, err);
    if (result != FIRN_OK) {
        return result;
    }
    result = fr_file_read_status(entry_path(storage, name, generation), limit, out, &status, err);
    if (result != FIRN_OK) {
        return result == FIRN_NOT_FOUND ? fr_storage_missing(name, generation, err) : result;
    }
    if (revision != NULL) {
        *revision = generation == FIRN_CURRENT
                        ? make_revision(&status, out->data + before, out->size - before)
                        : FIRN_REVISION_NONE;
    }
    return FIRN_OK;
}

static firn_result head_folder(void *user, const char *name, firn_generation generation,
                               void *bytes, size_t room, size_t *got, firn_stored *stored,
                               firn_error *err)
{
    firn_result result = firn_slot_name_check(name, err);
    return result == FIRN_OK ? read_head(user, name, generation, bytes, room, got, stored, err)
                             : result;
}

static firn_result remove_files(folder_storage *storage, const char *name, bool there,
                                firn_error *why)
{
    const firn_allocator *allocator = &storage->allocator;
    firn_result result = fr_file_remove(allocator, entry_path(storage, name, FIRN_BACKUP), why);
    if (result == FIRN_NOT_FOUND && !there) {
        return fr_storage_missing(name, FIRN_CURRENT, why);
    }
    // Were the backup to come back after a power loss, without the file, it would be the entry.
    if (result == FIRN_OK && there) {
        result = fr_folder_flush(allocator, folder_path(storage), why);
        result = result == FIRN_NOT_DURABLE ? FIRN_OK : result;
    }
    if (there && (result == FIRN_OK || result == FIRN_NOT_FOUND)) {
        result = fr_file_remove(allocator, entry_path(storage, name, FIRN_CURRENT), why);
    }
    if (result == FIRN_OK && fr_folder_flush(allocator, folder_path(storage), why) != FIRN_OK) {
        result = why->code = FIRN_NOT_DURABLE;
    }
    return result;
}

static firn_result remove_folder(void *user, const char *name, firn_revision expected,
                                 firn_error *err)
{
    folder_storage *storage = user;
    fr_file_lock lock;
    firn_error why;
    firn_result result = firn_slot_name_check(name, &why);
    if (result == FIRN_OK) {
        result = lock_folder(storage, &lock, &why);
        if (result == FIRN_NOT_FOUND) { // the folder
            result = fr_storage_missing(name, FIRN_CURRENT, &why);
        }
    }
    if (result != FIRN_OK) {
        return fr_fail_copy(err, &why);
    }
    bool there;
    result = expect_current(storage, name, expected, &there, &why);
    if (result == FIRN_OK) {
        result = remove_files(storage, name, there, &why);
    }
    fr_file_lock_drop(lock);
    return result == FIRN_OK ? result : fr_fail_copy(err, &why);
}

// ---- listing

typedef struct listed_file {
    char name[FIRN_SLOT_NAME_SIZE]; ///< of the entry
    bool backup;
    uint64_t size;
    int64_t time;
} listed_file;

typedef struct folder_listing {
    const firn_allocator *allocator;
    listed_file *files;
    uint32_t count, capacity;
} folder_listing;

// Reads the name of an entry from that of a file. false: a file of somebody else.
static bool read_file_name(const char *file, listed_file *out)
{
    const char *name = file + sizeof NAME_BEGIN - 1, *end = strchr(name, '.');
    size_t size = end == NULL ? 0 : (size_t)(end - name);
    if (size == 0 || size > FIRN_SLOT_NAME_MOST) {
        return false;
    }
    memcpy(out->name, name, size);
    out->name[size] = 0;
    out->backup = strcmp(end, BACKUP_END) == 0;
    return (out->backup || strcmp(end, NAME_END) == 0) &&
           firn_slot_name_check(out->name, NULL) == FIRN_OK;
}

static firn_result add_listed(void *user, const fr_folder_item *item, firn_error *err)
{
    folder_listing *listing = user;
    listed_file file = {.size = item->size, .time = item->time};
    if (!read_file_name(item->name, &file)) {
        return FIRN_OK;
    }
    if (!FR_RESERVE(listing->allocator, listing->files, listing->capacity, listing->count + 1)) {
        return fr_fail_memory(err, "list");
    }
    listing->files[listing->count++] = file;
    return FIRN_OK;
}

static int compare_listed(const void *a, const void *b)
{
    const listed_file *one = a, *two = b;
    int order = strcmp(one->name, two->name);
    return order != 0 ? order : (int)one->backup - (int)two->backup;
}

// Tells each entry once: by its file where there is one, which is sorted before the backup.
static firn_result tell_listed(const folder_listing *listing, firn_stored_fn each, void *each_user,
                               firn_error *err)
{
    const void **sorted =
        fr_alloc(listing->allocator, listing->count, sizeof *sorted, alignof(const void *));
    if (sorted == NULL) {
        return fr_fail_memory(err, "list");
    }
    for (uint32_t i = 0; i < listing->count; i++) {
        sorted[i] = &listing->files[i];
    }
    fr_sort(sorted, listing->count, compare_listed);
    firn_result result = FIRN_OK;
    const char *last = "";
    for (uint32_t i = 0; i < listing->count && result == FIRN_OK; i++) {
        const listed_file *file = sorted[i];
        if (strcmp(file->name, last) != 0) {
            firn_stored stored = {.name = file->name,
                                  .size = file->size,
                                  .revision = file->backup ? FIRN_REVISION_NONE : FIRN_REVISION_ANY,
                                  .modified = milliseconds(file->time),
                                  .only_backup = file->backup};
            result = each(each_user, &stored, err);
        }
        last = file->name;
    }
    fr_free(listing->allocator, sorted, listing->count, sizeof *sorted, alignof(const void *));
    return result;
}

static firn_result list_folder(void *user, firn_stored_fn each, void *each_user, firn_error *err)
{
    folder_storage *storage = user;
    folder_listing listing = {.allocator = &storage->allocator};
    // A file that is replaced while a folder is read may not be seen at all. Where this user may
    // not lock, others may not write.
    fr_file_lock lock;
    bool locked = lock_folder(storage, &lock, NULL) == FIRN_OK;
    firn_result result = fr_folder_list(&storage->allocator, folder_path(storage), NAME_BEGIN,
                                        add_listed, &listing, err);
    if (locked) {
        fr_file_lock_drop(lock);
    }
    if (result == FIRN_OK && listing.count > 0) {
        result = tell_listed(&listing, each, each_user, err);
    }
    FR_ARRAY_FREE(&storage->allocator, listing.files, listing.capacity);
    return result;
}

// ---- opening

static void destroy_folder(void *user)
{
    folder_storage *storage = user;
    firn_allocator allocator = storage->allocator;
    fr_free(&allocator, storage->path, storage->room, 1, 1);
    fr_free(&allocator, storage, 1, sizeof *storage, alignof(folder_storage));
}

static folder_storage *make_storage(const firn_allocator *allocator, const char *path)
{
    folder_storage *storage = fr_alloc(allocator, 1, sizeof *storage, alignof(folder_storage));
    if (storage == NULL) {
        return NULL;
    }
    *storage = (folder_storage){.allocator = *allocator, .path_size = strlen(path)};
    if (fr_add_size(storage->path_size, NAME_ROOM, &storage->room)) {
        storage->path = fr_alloc(allocator, storage->room, 1, 1);
    }
    if (storage->path == NULL) {
        fr_free(allocator, storage, 1, sizeof *storage, alignof(folder_storage));
        return NULL;
    }
    memcpy(storage->path, path, storage->path_size);
    return storage;
}

// Removes what killed writers left, where this user may.
static void clean_folder(folder_storage *storage)
{
    fr_file_lock lock;
    if (lock_folder(storage, &lock, NULL) == FIRN_OK) {
        fr_folder_clean(&storage->allocator, folder_path(storage));
        fr_file_lock_drop(lock);
    }
}

static firn_result open_folder_storage(const firn_allocator *allocator, const char *path,
                                       firn_storage *out, firn_error *err)
{
    char *absolute;
    firn_result result = fr_path_absolute(allocator, path, &absolute, err);
    if (result != FIRN_OK) {
        return result;
    }
    folder_storage *storage = NULL;
    result = fr_folder_make(allocator, absolute, err);
    if (result == FIRN_OK) {
        storage = make_storage(allocator, absolute);
    }
    fr_free_text(allocator, absolute);
    if (result != FIRN_OK) {
        return result;
    }
    if (storage == NULL) {
        return fr_fail_memory(err, "storage");
    }
    clean_folder(storage);
    *out = (firn_storage){.abi = FIRN_ABI,
                          .name = "folder",
                          .flags = FIRN_STORAGE_ANY_THREAD,
                          .put = put_folder,
                          .get = get_folder,
                          .head = head_folder,
                          .list = list_folder,
                          .remove = remove_folder,
                          .destroy = destroy_folder,
                          .user = storage};
    return FIRN_OK;
}

static firn_result check_desc(const firn_folder_desc *desc, const firn_storage *out,
                              firn_error *err)
{
    if (desc == NULL || out == NULL) {
        return fr_fail(err, FIRN_INVALID, desc == NULL ? "desc" : "out", "%s is NULL",
                       desc == NULL ? "desc" : "out");
    }
    firn_result result = fr_check_reserved(desc->reserved, "firn_folder_desc", err);
    if (result == FIRN_OK) {
        result = fr_allocator_check(desc->allocator, err);
    }
    if (result == FIRN_OK && (desc->path == NULL) == (desc->game == NULL)) {
        result = fr_fail(err, FIRN_INVALID, "path", "%s are given: one says where the folder is",
                         desc->path == NULL ? "neither path nor game" : "both path and game");
    }
    return result;
}

firn_result firn_storage_folder(const firn_folder_desc *desc, firn_storage *out, firn_error *err)
{
    firn_result result = check_desc(desc, out, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_allocator allocator =
        *(desc->allocator != NULL ? desc->allocator : firn_allocator_default());
    if (desc->path != NULL) {
        return open_folder_storage(&allocator, desc->path, out, err);
    }
    firn_buffer path;
    firn_buffer_init(&path, &allocator);
    result = firn_saves_folder(desc->game, &path, err);
    if (result == FIRN_OK) {
        result = open_folder_storage(&allocator, (const char *)path.data, out, err);
    }
    firn_buffer_free(&path);
    return result;
}
