// windows_driver FOLDER: saves and loads files on Windows, in FOLDER, which it makes and empties.
// The golden worlds have the same bytes and hashes as everywhere, and the calls of os/file.h keep
// their contract. Prints each test; the exit code is the number of checks that failed.
#include "firn/firn.h"
#include "golden/firn_worlds.h"
#include "os/file.h"
#include "os/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define STALE "a.firn.0123456789abcdef.firn-tmp"

typedef struct driver {
    const char *folder;
    char path[1024];
    firn_error err;
    int failed;
} driver;

#define CHECK(d, condition) check((d), (condition), #condition, __LINE__)

static void check(driver *d, bool good, const char *condition, int line)
{
    if (!good) {
        printf("driver.c:%d: %s; the last error: %s\n", line, condition, d->err.message);
        d->failed++;
    }
}

// The path of a name in the folder, valid until the next one.
static const char *path_of(driver *d, const char *name)
{
    (void)snprintf(d->path, sizeof d->path, "%s/%s", d->folder, name);
    return d->path;
}

static firn_result put(driver *d, const char *name, const char *text)
{
    return fr_file_replace(NULL, path_of(d, name), text, strlen(text), &d->err);
}

static bool holds_bytes(driver *d, const char *path, const void *bytes, size_t size)
{
    firn_buffer read;
    firn_buffer_init(&read, NULL);
    bool equal = fr_file_read(path, UINT64_MAX, &read, &d->err) == FIRN_OK && read.size == size &&
                 (size == 0 || memcmp(read.data, bytes, size) == 0);
    firn_buffer_free(&read);
    return equal;
}

static bool holds(driver *d, const char *name, const char *text)
{
    return holds_bytes(d, path_of(d, name), text, strlen(text));
}

// Counts the files of the folder, and removes them when told so: by their long paths.
static int count_files(driver *d, bool empty)
{
    wchar_t folder[512], path[1024] = L"\\\\?\\";
    (void)MultiByteToWideChar(CP_UTF8, 0, d->folder, -1, folder, 512);
    size_t size = 4 + GetFullPathNameW(folder, 512, path + 4, NULL);
    wcscpy(path + size, L"\\*");
    WIN32_FIND_DATAW entry;
    HANDLE entries = FindFirstFileW(path, &entry);
    int count = 0;
    for (BOOL more = entries != INVALID_HANDLE_VALUE; more; more = FindNextFileW(entries, &entry)) {
        if ((entry.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0) {
            count++;
            wcscpy(path + size + 1, entry.cFileName);
            CHECK(d, !empty || (SetFileAttributesW(path, FILE_ATTRIBUTE_NORMAL) != 0 &&
                                DeleteFileW(path) != 0));
        }
    }
    (void)FindClose(entries);
    return count;
}

static void a_file_is_made_replaced_and_backed_up(driver *d)
{
    CHECK(d, put(d, "a.firn", "one") == FIRN_OK);
    CHECK(d, holds(d, "a.firn", "one") && count_files(d, false) == 1);
    CHECK(d, put(d, "a.firn", "two") == FIRN_OK && put(d, "a.firn", "") == FIRN_OK);
    CHECK(d, holds(d, "a.firn", "") && holds(d, "a.firn.bak", "two"));
    CHECK(d, count_files(d, false) == 2);
}

static void names_are_UTF_8_and_may_be_long(driver *d)
{
    static const char snow[] = "Schnee-\xe2\x9d\x84-\xf0\x9f\x90\xa7.firn";
    CHECK(d, put(d, snow, "white") == FIRN_OK && holds(d, snow, "white"));
    wchar_t wide[1024];
    (void)MultiByteToWideChar(CP_UTF8, 0, path_of(d, snow), -1, wide, 1024);
    CHECK(d, GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES && DeleteFileW(wide));

    char name[256];
    memset(name, 'n', 250);
    name[250] = 0;
    CHECK(d, put(d, name, "long") == FIRN_OK && put(d, name, "longer") == FIRN_OK);
    CHECK(d, holds(d, name, "longer"));
    CHECK(d, put(d, "\xff.firn", "no") == FIRN_INVALID);
    CHECK(d, strcmp(d->err.message, "windows_driver_files/\\xff.firn: is not UTF-8") == 0);
}

static void what_is_no_file_of_ours_is_refused(driver *d)
{
    firn_buffer read;
    firn_buffer_init(&read, NULL);
    CHECK(d, put(d, "missing/a.firn", "no") == FIRN_NOT_FOUND);
    CHECK(d, fr_file_replace(NULL, d->folder, "no", 2, &d->err) == FIRN_IO);
    CHECK(d, strcmp(d->err.message, "windows_driver_files: is a folder") == 0);
    CHECK(d, put(d, "", "no") == FIRN_IO);
    CHECK(d, fr_file_read(path_of(d, "b.firn"), 9, &read, &d->err) == FIRN_NOT_FOUND);
    CHECK(d, fr_file_read(d->folder, 9, &read, &d->err) == FIRN_IO);
    CHECK(d, fr_file_read("nul", 9, &read, &d->err) == FIRN_IO);
    CHECK(d, put(d, "a.firn", "0123456789") == FIRN_OK);
    CHECK(d, fr_file_read(path_of(d, "a.firn"), 9, &read, &d->err) == FIRN_LIMIT);
    CHECK(d, fr_file_read(path_of(d, "a.firn"), 10, &read, &d->err) == FIRN_OK);
    CHECK(d, read.size == 10);
    firn_buffer_free(&read);

    CHECK(d, SetFileAttributesA(path_of(d, "a.firn"), FILE_ATTRIBUTE_READONLY));
    CHECK(d, put(d, "a.firn", "no") == FIRN_IO && strstr(d->err.message, "read-only") != NULL);
    CHECK(d, holds(d, "a.firn", "0123456789") && count_files(d, false) == 1);
}

static void a_write_removes_stale_temporaries_and_leaves_those_in_use(driver *d)
{
    CHECK(d, put(d, STALE, "half") == FIRN_OK);
    HANDLE writer = CreateFileA(path_of(d, STALE), GENERIC_WRITE,
                                FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_EXISTING, 0, NULL);
    CHECK(d, writer != INVALID_HANDLE_VALUE);
    CHECK(d, put(d, "a.firn", "one") == FIRN_OK && holds(d, STALE, "half"));
    CHECK(d, CloseHandle(writer));
    CHECK(d, put(d, "a.firn.x", "other") == FIRN_OK && count_files(d, false) == 3);
    CHECK(d, put(d, "a.firn", "two") == FIRN_OK && count_files(d, false) == 3); // and the backup
    CHECK(d, !holds(d, STALE, "half") && holds(d, "a.firn.x", "other"));
}

// Somebody who reads without letting others delete holds up the rename: for ever, here.
static void a_file_in_use_is_left_as_it_was(driver *d)
{
    CHECK(d, put(d, "a.firn", "one") == FIRN_OK);
    HANDLE reader = CreateFileA(path_of(d, "a.firn"), GENERIC_READ, FILE_SHARE_READ, NULL,
                                OPEN_EXISTING, 0, NULL);
    CHECK(d, reader != INVALID_HANDLE_VALUE);
    CHECK(d, put(d, "a.firn", "two") == FIRN_IO);
    CHECK(d, strstr(d->err.message, "a.firn: replacing the old file: ") != NULL);
    CHECK(d, CloseHandle(reader));
    CHECK(d, holds(d, "a.firn", "one") && count_files(d, false) == 1);
}

// ---- storages

static void say_check(void *user, const char *name, firn_result result, const char *message)
{
    driver *d = user;
    if (result != FIRN_OK) {
        printf("driver.c: %s: %s\n", name, message);
        d->failed++;
    }
}

static void check_conformance(driver *d, firn_storage *storage)
{
    uint32_t failures = 1;
    CHECK(d, firn_storage_check(storage, say_check, d, &failures, &d->err) == FIRN_OK);
    CHECK(d, failures == 0);
    firn_storage_close(storage);
}

static void storages_conform(driver *d)
{
    firn_storage memory = {.abi = 0};
    CHECK(d, firn_storage_memory(NULL, &memory, &d->err) == FIRN_OK);
    check_conformance(d, &memory);
    firn_storage folder = {.abi = 0};
    firn_folder_desc desc = {.path = path_of(d, "Schnee-\xe2\x9d\x84/tief/\xf0\x9f\x90\xa7")};
    CHECK(d, firn_storage_folder(&desc, &folder, &d->err) == FIRN_OK);
    check_conformance(d, &folder);
    wchar_t wide[1024];
    (void)MultiByteToWideChar(CP_UTF8, 0, desc.path, -1, wide, 1024);
    wcscat(wide, L"/.firn-lock");
    CHECK(d, GetFileAttributesW(wide) != INVALID_FILE_ATTRIBUTES);
}

static firn_result see_stored(void *user, const firn_stored *stored, firn_error *err)
{
    (void)err;
    char *text = user;
    (void)snprintf(text + strlen(text), 256 - strlen(text), "%s=%u%s ", stored->name,
                   (unsigned)stored->size, stored->only_backup ? "!" : "");
    return FIRN_OK;
}

static void a_storage_cleans_its_folder_and_lists_it(driver *d)
{
    CHECK(d, put(d, "s_a.firn.0123456789abcdef.firn-tmp", "half") == FIRN_OK);
    CHECK(d, put(d, "mine.firn-tmp", "mine") == FIRN_OK);
    CHECK(d, put(d, "s_b.firn.bak", "22") == FIRN_OK && put(d, "s_nul2.firn", "333") == FIRN_OK);
    CHECK(d, CreateDirectoryA(path_of(d, "s_c.firn"), NULL));
    firn_storage storage = {.abi = 0};
    firn_folder_desc desc = {.path = d->folder};
    CHECK(d, firn_storage_folder(&desc, &storage, &d->err) == FIRN_OK);
    CHECK(d, count_files(d, false) == 4); // and the lock
    char text[256] = "";
    CHECK(d, storage.list(storage.user, see_stored, text, &d->err) == FIRN_OK);
    CHECK(d, strcmp(text, "b=2! c=0 nul2=3 ") == 0);
    firn_revision revision = 0;
    CHECK(d,
          storage.put(storage.user, "c", FIRN_REVISION_ANY, "1", 1, &revision, &d->err) == FIRN_IO);
    CHECK(d, strstr(d->err.message, "is a folder") != NULL);
    CHECK(d, storage.remove(storage.user, "c", FIRN_REVISION_ANY, &d->err) == FIRN_IO);
    CHECK(d, storage.remove(storage.user, "b", FIRN_REVISION_NONE, &d->err) == FIRN_OK);
    CHECK(d, count_files(d, false) == 3);
    firn_storage_close(&storage);
    CHECK(d, RemoveDirectoryA(path_of(d, "s_c.firn")));
}

static void saves_are_in_the_roaming_data_of_the_user(driver *d)
{
    firn_buffer out;
    firn_buffer_init(&out, NULL);
    CHECK(d, firn_saves_folder("game", &out, &d->err) == FIRN_OK);
    const char *path = (const char *)out.data;
    CHECK(d, path != NULL && strstr(path, ":\\") == path + 1 && path[out.size] == 0);
    CHECK(d, path != NULL && strstr(path, "/game/saves") == path + out.size - 11);
    firn_buffer_free(&out);
}

static void check_golden_image(driver *d, const golden_image *image)
{
    char golden[512];
    (void)snprintf(golden, sizeof golden, FIRN_TEST_DATA "/firn/%s.bin", image->name);
    firn_world *world = golden_firn_world(NULL, NULL, &d->err);
    firn_hash hash;
    firn_buffer saved;
    firn_buffer_init(&saved, NULL);
    CHECK(d, world != NULL);
    CHECK(d, firn_snapshot_load_file(world, golden, NULL, NULL, &d->err) == FIRN_OK);
    CHECK(d, firn_world_hash(world, &hash, NULL, NULL, &d->err) == FIRN_OK);
    CHECK(d, memcmp(&hash, &image->hash, sizeof hash) == 0);
    CHECK(d, golden_image_save(image, world, &saved, &d->err) == FIRN_OK);
    CHECK(d, holds_bytes(d, golden, saved.data, saved.size));

    // By way of a file of our own, which replaces that of the image before.
    const firn_save_options all = {.sparse_edges = true};
    CHECK(d, firn_snapshot_save_file(world, path_of(d, "world.firn"), &all, &d->err) == FIRN_OK);
    firn_world_destroy(world);
    firn_hash again;
    world = golden_firn_world(NULL, NULL, &d->err);
    CHECK(d, firn_snapshot_load_file(world, d->path, NULL, NULL, &d->err) == FIRN_OK);
    CHECK(d, firn_world_hash(world, &again, NULL, NULL, &d->err) == FIRN_OK);
    CHECK(d, memcmp(&hash, &again, sizeof hash) == 0);
    firn_world_destroy(world);
    firn_buffer_free(&saved);
}

static void golden_worlds_have_the_same_bytes_and_hashes(driver *d)
{
    for (uint32_t i = 0; i < golden_image_count; i++) {
        check_golden_image(d, &golden_images[i]);
    }
    CHECK(d, count_files(d, false) == 2);
}

static void check_golden_save(driver *d, const char *name)
{
    char golden[512];
    (void)snprintf(golden, sizeof golden, FIRN_TEST_DATA "/saves/%s.firn", name);
    firn_buffer bytes, again;
    firn_buffer_init(&bytes, NULL);
    firn_buffer_init(&again, NULL);
    CHECK(d, fr_file_read(golden, UINT64_MAX, &bytes, &d->err) == FIRN_OK);
    firn_save_file *file = firn_save_file_open(bytes.data, bytes.size, NULL, &d->err);
    firn_doc *doc = firn_doc_create(NULL, NULL, &d->err);
    firn_value *tree = file != NULL ? firn_save_file_value(file, doc, &d->err) : NULL;
    CHECK(d, firn_save_file_from_value(tree, NULL, &again, &d->err) == FIRN_OK);
    CHECK(d, holds_bytes(d, golden, again.data, again.size));
    firn_doc_destroy(doc);
    firn_save_file_close(file);
    firn_buffer_free(&bytes);
    firn_buffer_free(&again);
}

static void golden_saves_are_read_and_written_as_the_same_bytes(driver *d)
{
    check_golden_save(d, "01_least");
    check_golden_save(d, "02_kitchen");
    check_golden_save(d, "03_persisted");
    check_golden_save(d, "04_thumbnail");
    check_golden_save(d, "05_most");
}

typedef struct ball {
    fr_monitor *monitor;
    int turn, count;
} ball;

static void throw_when(ball *it, int turn)
{
    fr_monitor_lock(it->monitor);
    for (int i = 0; i < 1000; i++) {
        while (it->turn != turn) {
            fr_monitor_wait(it->monitor);
        }
        it->turn = 1 - turn;
        it->count++;
        fr_monitor_wake(it->monitor);
    }
    fr_monitor_unlock(it->monitor);
}

static void throw_back(void *user)
{
    throw_when(user, 1);
}

static void two_threads_take_turns_by_a_monitor(driver *d)
{
    ball it = {.monitor = fr_monitor_create(NULL, "driver", &d->err)};
    fr_thread *thread = fr_thread_start(NULL, "driver", throw_back, &it, &d->err);
    CHECK(d, thread != NULL);
    throw_when(&it, 0);
    fr_thread_join(NULL, thread);
    CHECK(d, it.count == 2000);
    fr_monitor_destroy(NULL, it.monitor);
}

static void a_background_save_is_put_by_its_thread(driver *d)
{
    firn_storage storage;
    CHECK(d, firn_storage_memory(NULL, &storage, &d->err) == FIRN_OK);
    firn_world *world = firn_world_create(NULL, &d->err);
    const firn_saves_desc desc = {.game = "driver", .storage = &storage, .background = true};
    firn_saves *saves = firn_saves_open(world, &desc, &d->err);
    for (int i = 0; i < 20; i++) {
        CHECK(d, firn_saves_request_save(saves, "a", NULL, &d->err) == FIRN_OK);
        CHECK(d, firn_saves_end_tick(saves, 1, &d->err) == FIRN_OK);
    }
    firn_saves_wait(saves);
    CHECK(d, !firn_saves_writing(saves) && firn_saves_has(saves, "a"));
    CHECK(d, firn_saves_read(saves, "a", NULL, &d->err) == FIRN_OK);
    firn_saves_close(saves);
    firn_world_destroy(world);
    firn_storage_close(&storage);
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(driver *d);
    } tests[] = {
#define TEST(name) {#name, name}
        TEST(a_file_is_made_replaced_and_backed_up),
        TEST(names_are_UTF_8_and_may_be_long),
        TEST(what_is_no_file_of_ours_is_refused),
        TEST(a_write_removes_stale_temporaries_and_leaves_those_in_use),
        TEST(a_file_in_use_is_left_as_it_was),
        TEST(two_threads_take_turns_by_a_monitor),
        TEST(a_background_save_is_put_by_its_thread),
        TEST(storages_conform),
        TEST(a_storage_cleans_its_folder_and_lists_it),
        TEST(saves_are_in_the_roaming_data_of_the_user),
        TEST(golden_worlds_have_the_same_bytes_and_hashes),
        TEST(golden_saves_are_read_and_written_as_the_same_bytes),
#undef TEST
    };
    if (count != 2) {
        fputs("usage: windows_driver FOLDER\n", stderr);
        return 64;
    }
    driver d = {.folder = arguments[1]};
    (void)CreateDirectoryA(d.folder, NULL);
    int before = 0;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        (void)count_files(&d, true);
        tests[i].run(&d);
        printf("%s %s\n", d.failed == before ? "ok    " : "FAILED", tests[i].name);
        before = d.failed;
    }
    (void)count_files(&d, true);
    return d.failed;
}
