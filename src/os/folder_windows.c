// Source: the pages CreateDirectoryW, FindFirstFileW, LockFileEx and SHGetKnownFolderPath of the
// Windows API reference.
#include "base/alloc.h"
#include "base/error.h"
#include "os/folder.h"
#include "os/system.h"
#include "os/windows.h"

#include <shlobj.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES      (3 * 255 + 1) // of a name of 255 units as UTF-8
#define TEMPORARY_UNITS 26            // a dot, 16 digits, ".firn-tmp"

static firn_result fail_folder(const char *path, const char *step, firn_error *err)
{
    return fr_system_fail(err, FIRN_IO, path, step, (int)GetLastError());
}

static firn_result widen_folder(const firn_allocator *allocator, const char *path, size_t extra,
                                fr_wide_path *out, firn_error *err)
{
    firn_result result = fr_path_check(path, err);
    return result == FIRN_OK ? fr_wide_path_make(allocator, path, extra, out, err) : result;
}

// ---- making

static bool is_wide_folder(const wchar_t *path)
{
    DWORD attributes = GetFileAttributesW(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

firn_result fr_folder_make(const firn_allocator *allocator, const char *path, firn_error *err)
{
    fr_wide_path wide;
    firn_result result = widen_folder(allocator, path, 0, &wide, err);
    if (result != FIRN_OK) {
        return result;
    }
    // Up to the part that is there, or a disk, and down again.
    wchar_t *text = wide.text;
    size_t there = wide.size;
    while (there > 0 && text[there - 1] != L':' && !is_wide_folder(text)) {
        while (there > 0 && text[there] != L'\\') {
            there--;
        }
        text[there] = 0;
    }
    for (size_t i = there; i < wide.size && result == FIRN_OK; i++) {
        if (text[i] == 0) {
            text[i] = L'\\';
            if (!CreateDirectoryW(text, NULL) && !is_wide_folder(text)) {
                result = fail_folder(path, "making the folder", err);
            }
        }
    }
    fr_wide_path_free(allocator, &wide);
    return result;
}

// ---- listing

// Finds `<path>\<pattern>`, which is ASCII and at most 64 units; `folder` keeps the path and has
// room for a name behind its first `*units`, and is freed by the caller also after a failure.
static HANDLE find_first(const firn_allocator *allocator, const char *path, const char *pattern,
                         fr_wide_path *folder, WIN32_FIND_DATAW *found, firn_error *err)
{
    *folder = (fr_wide_path){NULL, 0, 0};
    if (widen_folder(allocator, path, 2 + MAX_PATH, folder, err) != FIRN_OK) {
        return INVALID_HANDLE_VALUE;
    }
    wchar_t *end = folder->text + folder->size;
    if (end[-1] != L'\\') {
        *end++ = L'\\';
        folder->size++;
    }
    while ((*end++ = (wchar_t)*pattern++) != 0) {
    }
    HANDLE entries = FindFirstFileW(folder->text, found);
    if (entries == INVALID_HANDLE_VALUE) {
        (void)fail_folder(path, "opening the folder", err);
    }
    return entries;
}

static firn_result tell_item(const WIN32_FIND_DATAW *found, const char *prefix,
                             fr_folder_item_fn each, void *user, firn_error *err)
{
    char name[NAME_BYTES];
    if (WideCharToMultiByte(CP_UTF8, 0, found->cFileName, -1, name, sizeof name, NULL, NULL) <= 0 ||
        strncmp(name, prefix, strlen(prefix)) != 0) {
        return FIRN_OK;
    }
    fr_folder_item item = {.name = name, .time = fr_plain_time(found->ftLastWriteTime)};
    if (fr_not_plain(found->dwFileAttributes) == NULL) {
        item.size = (uint64_t)found->nFileSizeHigh << 32 | found->nFileSizeLow;
    }
    return each(user, &item, err);
}

firn_result fr_folder_list(const firn_allocator *allocator, const char *path, const char *prefix,
                           fr_folder_item_fn each, void *user, firn_error *err)
{
    fr_wide_path folder;
    WIN32_FIND_DATAW found;
    firn_error why;
    HANDLE entries = find_first(allocator, path, "*", &folder, &found, &why);
    fr_wide_path_free(allocator, &folder);
    if (entries == INVALID_HANDLE_VALUE) {
        return fr_fail_copy(err, &why);
    }
    firn_result result = FIRN_OK;
    BOOL more = TRUE;
    while (more && result == FIRN_OK) {
        result = tell_item(&found, prefix, each, user, err);
        more = FindNextFileW(entries, &found);
    }
    if (result == FIRN_OK && GetLastError() != ERROR_NO_MORE_FILES) {
        result = fail_folder(path, "reading the folder", err);
    }
    (void)FindClose(entries);
    return result;
}

static bool is_any_temporary(const wchar_t *name)
{
    size_t size = wcslen(name);
    const wchar_t *ending = name + size - TEMPORARY_UNITS;
    return size >= TEMPORARY_UNITS && ending[0] == L'.' &&
           wcsspn(ending + 1, L"0123456789abcdef") == 16 && wcscmp(ending + 17, L".firn-tmp") == 0;
}

void fr_folder_clean(const firn_allocator *allocator, const char *path)
{
    fr_wide_path folder;
    WIN32_FIND_DATAW found;
    HANDLE entries = find_first(allocator, path, "*.firn-tmp", &folder, &found, NULL);
    for (BOOL more = entries != INVALID_HANDLE_VALUE; more; more = FindNextFileW(entries, &found)) {
        if (fr_not_plain(found.dwFileAttributes) == NULL && is_any_temporary(found.cFileName)) {
            wcscpy(folder.text + folder.size, found.cFileName);
            // Opening for writing fails while a writer lives.
            HANDLE file = CreateFileW(folder.text, GENERIC_WRITE | DELETE, 0, NULL, OPEN_EXISTING,
                                      FILE_FLAG_DELETE_ON_CLOSE, NULL);
            if (file != INVALID_HANDLE_VALUE) {
                (void)CloseHandle(file);
            }
        }
    }
    if (entries != INVALID_HANDLE_VALUE) {
        (void)FindClose(entries);
    }
    fr_wide_path_free(allocator, &folder);
}

firn_result fr_folder_flush(const firn_allocator *allocator, const char *path, firn_error *err)
{
    (void)allocator;
    (void)path;
    (void)err;
    return FIRN_OK;
}

// ---- locks

firn_result fr_file_lock_take(const firn_allocator *allocator, const char *path, fr_file_lock *lock,
                              firn_error *err)
{
    fr_wide_path wide;
    firn_result result = widen_folder(allocator, path, 0, &wide, err);
    if (result != FIRN_OK) {
        return result;
    }
    HANDLE file = CreateFileW(wide.text, GENERIC_READ | GENERIC_WRITE,
                              FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE) {
        DWORD reason = GetLastError();
        result = fr_system_fail(err, reason == ERROR_PATH_NOT_FOUND ? FIRN_NOT_FOUND : FIRN_IO,
                                path, "opening the lock", (int)reason);
    }
    fr_wide_path_free(allocator, &wide);
    OVERLAPPED start = {.hEvent = NULL};
    if (result == FIRN_OK && !LockFileEx(file, LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &start)) {
        result = fail_folder(path, "locking", err);
        (void)CloseHandle(file);
    }
    if (result == FIRN_OK) {
        *lock = (fr_file_lock)file;
    }
    return result;
}

void fr_file_lock_drop(fr_file_lock lock)
{
    (void)UnlockFile((HANDLE)lock, 0, 0, 1, 0);
    (void)CloseHandle((HANDLE)lock);
}

// ---- names

firn_result fr_path_absolute(const firn_allocator *allocator, const char *path, char **out,
                             firn_error *err)
{
    fr_wide_path wide;
    firn_result result = widen_folder(allocator, path, 0, &wide, err);
    if (result == FIRN_OK) {
        result = fr_wide_path_text(allocator, wide.text, out, err);
        fr_wide_path_free(allocator, &wide);
    }
    return result;
}

firn_result fr_data_folder(const firn_allocator *allocator, char **out, firn_error *err)
{
    static const GUID roaming = {// FOLDERID_RoamingAppData, without a library for it
                                 0x3eb685db,
                                 0x65f9,
                                 0x4cf6,
                                 {0xa0, 0x3a, 0xe3, 0xef, 0x65, 0x72, 0x9f, 0x3d}};
    wchar_t *path = NULL;
    firn_result result;
    if (SHGetKnownFolderPath(&roaming, KF_FLAG_DONT_VERIFY, NULL, &path) == S_OK) {
        result = fr_wide_path_text(allocator, path, out, err);
    } else {
        result = fr_fail(err, FIRN_NOT_FOUND, "FOLDERID_RoamingAppData",
                         "the system names no folder for the data of the user");
    }
    CoTaskMemFree(path);
    return result;
}
