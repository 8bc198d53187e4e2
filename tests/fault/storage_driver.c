// storage_driver FOLDER put|get|head|list|remove [TEXT]: opens the storage, does that with the
// entry `a` and closes it. Prints the result's name and the message; the exit code is the result's
// number, 70 when a descriptor is left open, 71 when a success gave something wrong. Faults count
// between two calls of getppid: what is in between is the library's.
#include "firn/storage.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int count_descriptors(void)
{
    DIR *entries = opendir("/proc/self/fd");
    int count = 0;
    while (entries != NULL && readdir(entries) != NULL) {
        count++;
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
    return count;
}

// With writev, so that a tracer sees no write but the library's.
static void print_line(const char *name, const char *message)
{
    struct iovec parts[] = {
        {(void *)(uintptr_t)name, strlen(name)},
        {(void *)(uintptr_t) ": ", 2},
        {(void *)(uintptr_t)message, strlen(message)},
        {(void *)(uintptr_t) "\n", 1},
    };
    if (writev(STDOUT_FILENO, parts, 4) < 0) {
        perror("storage_driver");
    }
}

static firn_result count_entry(void *user, const firn_stored *stored, firn_error *err)
{
    (void)err;
    *(int *)user += strcmp(stored->name, "a") == 0 && !stored->only_backup;
    return FIRN_OK;
}

// *good: what was read is what is there.
static firn_result use_entry(const firn_storage *storage, const char *what, const char *text,
                             bool *good, firn_error *err)
{
    size_t size = strlen(text);
    firn_revision revision;
    if (strcmp(what, "put") == 0) {
        return storage->put(storage->user, "a", FIRN_REVISION_ANY, text, size, &revision, err);
    }
    if (strcmp(what, "remove") == 0) {
        return storage->remove(storage->user, "a", FIRN_REVISION_ANY, err);
    }
    firn_result result;
    if (strcmp(what, "list") == 0) {
        int seen = 0;
        result = storage->list(storage->user, count_entry, &seen, err);
        *good = seen == 1;
    } else if (strcmp(what, "head") == 0) {
        firn_stored stored;
        size_t got = 0;
        char bytes[4];
        result = storage->head(storage->user, "a", FIRN_CURRENT, bytes, 4, &got, &stored, err);
        *good = got == 4 && memcmp(bytes, text, 4) == 0 && stored.size == size;
    } else {
        firn_buffer out;
        firn_buffer_init(&out, NULL);
        result = storage->get(storage->user, "a", FIRN_CURRENT, 1000, &out, NULL, err);
        *good = out.size == size && memcmp(out.data, text, size) == 0;
        *good = *good || (result != FIRN_OK && out.size == 0);
        firn_buffer_free(&out);
    }
    return result;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: storage_driver FOLDER put|get|head|list|remove [TEXT]\n", stderr);
        return 64;
    }
    bool good = true;
    int before = count_descriptors();
    firn_error err = {.message = ""};
    firn_storage storage;
    firn_folder_desc desc = {.path = argv[1]};
    (void)getppid();
    firn_result result = firn_storage_folder(&desc, &storage, &err);
    if (result == FIRN_OK) {
        result = use_entry(&storage, argv[2], argc > 3 ? argv[3] : "", &good, &err);
        firn_storage_close(&storage);
    }
    (void)getppid();
    print_line(firn_result_name(result), err.message);
    int code = result == FIRN_OK && !good ? 71 : (int)result;
    return count_descriptors() == before ? code : 100 + code;
}
