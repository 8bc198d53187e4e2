// The calls of file.h on Windows. A temporary file is open until the rename is done, and nobody
// else may then open it for writing: that is what the lock is on POSIX systems. Source: the pages
// CreateFileW, MoveFileExW and FlushFileBuffers of the Windows API reference.
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "os/system.h"
#include "os/windows.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#define ENDING_UNITS   26 // a dot, 16 digits, ".firn-tmp"
#define NAME_MOST      255
#define FRESH_ATTEMPTS 64
#define ATTEMPTS       10 // with waits of 2, 4, 8, ... ms between: one second in all

// ---- replacing

typedef struct wide_replacement {
    const firn_allocator *allocator;
    const char *path;
    fr_wide_path target;
    size_t folder; ///< units up to the name
    size_t stem;   ///< units that names of temporaries begin with
    bool replaces; ///< there is an old file
    bool keeps;    ///< it becomes the backup
    uint64_t time; ///< when it was written, as Windows counts
    wchar_t *name; ///< room for another path of the folder
    wchar_t *temporary;
    HANDLE file; ///< the temporary
} wide_replacement;

static firn_result fail_last(const wide_replacement *replacement, const char *step, firn_error *err)
{
    return fr_system_fail(err, FIRN_IO, replacement->path, step, (int)GetLastError());
}

static firn_result begin_replacement(wide_replacement *replacement, firn_error *err)
{
    const char *path = replacement->path;
    char last = path[strlen(path) - 1];
    if (last == '/' || last == '\\') {
        return fr_path_fail(err, FIRN_IO, path, "ends in a slash, which names a folder");
    }
    // Three paths in one block: the target and two others.
    fr_wide_path *target = &replacement->target;
    firn_result result = fr_wide_path_make(replacement->allocator, path, ENDING_UNITS, target, err);
    if (result != FIRN_OK) {
        return result;
    }
    size_t room = target->size + ENDING_UNITS + 1;
    replacement->name =
        fr_alloc(replacement->allocator, 2 * room, sizeof(wchar_t), alignof(wchar_t));
    if (replacement->name == NULL) {
        return fr_fail_memory(err, path);
    }
    replacement->temporary = replacement->name + room;
    const wchar_t *slash = wcsrchr(target->text, L'\\');
    replacement->folder = slash == NULL ? 0 : (size_t)(slash - target->text) + 1;
    size_t stem = target->size;
    if (stem - replacement->folder > NAME_MOST - ENDING_UNITS) {
        stem = replacement->folder + NAME_MOST - ENDING_UNITS;
        if ((target->text[stem] & 0xfc00) == 0xdc00) { // not between the halves of a character
            stem--;
        }
    }
    replacement->stem = stem;
    return FIRN_OK;
}

static void end_replacement(wide_replacement *replacement)
{
    size_t room = replacement->target.size + ENDING_UNITS + 1;
    fr_free(replacement->allocator, replacement->name, 2 * room, sizeof(wchar_t), alignof(wchar_t));
    fr_wide_path_free(replacement->allocator, &replacement->target);
}

// Whether there is a file, which may be replaced.
static firn_result check_target(wide_replacement *replacement, firn_error *err)
{
    const char *path = replacement->path;
    WIN32_FILE_ATTRIBUTE_DATA old;
    if (!GetFileAttributesExW(replacement->target.text, GetFileExInfoStandard, &old)) {
        DWORD reason = GetLastError();
        if (reason == ERROR_PATH_NOT_FOUND) {
            return fr_system_fail(err, FIRN_NOT_FOUND, path, "opening its folder", (int)reason);
        }
        return reason == ERROR_FILE_NOT_FOUND ? FIRN_OK
                                              : fail_last(replacement, "looking at the file", err);
    }
    const char *other = fr_not_plain(old.dwFileAttributes);
    if (other != NULL) {
        return fr_path_fail(err, FIRN_IO, path, other);
    }
    if ((old.dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0) {
        return fr_path_fail(err, FIRN_IO, path, "is read-only: nobody may write it");
    }
    replacement->replaces = true;
    replacement->time = fr_wide_time(old.ftLastWriteTime);
    return FIRN_OK;
}

// Makes the target's path that of its backup, and back. Its block has room for the ending.
static void name_backup(wide_replacement *replacement, bool backup)
{
    fr_wide_path *target = &replacement->target;
    wcscpy(target->text + target->size, backup ? L".bak" : L"");
}

// The backup is moved into place when the new file is there already: what would stand in its way is
// found now. Where a name has no room for the ending there is no backup.
static firn_result check_target_backup(wide_replacement *replacement, firn_error *err)
{
    if (!replacement->replaces || replacement->target.size - replacement->folder + 4 > NAME_MOST) {
        return FIRN_OK;
    }
    name_backup(replacement, true);
    DWORD attributes = GetFileAttributesW(replacement->target.text);
    name_backup(replacement, false);
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
        return fr_path_fail(err, FIRN_IO, replacement->path, "its backup is a folder");
    }
    replacement->keeps = true;
    return FIRN_OK;
}

// Names only have to differ: CREATE_NEW decides.
static uint64_t fresh_number(void)
{
    LARGE_INTEGER ticks;
    FILETIME now;
    (void)QueryPerformanceCounter(&ticks);
    GetSystemTimeAsFileTime(&now);
    uint64_t words[] = {
        (uint64_t)ticks.QuadPart, (uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime,
        (uint64_t)GetCurrentProcessId() << 32 | GetCurrentThreadId(), (uint64_t)(uintptr_t)&now};
    return fr_hash(words, sizeof words);
}

// Writes `<stem>.<16 digits>.firn-tmp` to `out`.
static void write_fresh_name(const wide_replacement *replacement, wchar_t *out)
{
    char ending[ENDING_UNITS + 1];
    (void)snprintf(ending, sizeof ending, ".%016" PRIx64 ".firn-tmp", fresh_number());
    wmemcpy(out, replacement->target.text, replacement->stem);
    for (size_t i = 0; i <= ENDING_UNITS; i++) {
        out[replacement->stem + i] = (wchar_t)ending[i];
    }
}

static bool is_wide_temporary(const wide_replacement *replacement, const wchar_t *name)
{
    size_t stem = replacement->stem - replacement->folder;
    return wcslen(name) == stem + ENDING_UNITS && name[stem] == L'.' &&
           wcsspn(name + stem + 1, L"0123456789abcdef") == 16 &&
           wcscmp(name + stem + 17, L".firn-tmp") == 0;
}

// Removes what killed writers left behind. Opening for writing fails while a writer lives.
static void remove_stale_files(const wide_replacement *replacement)
{
    wchar_t *name = replacement->name;
    wmemcpy(name, replacement->target.text, replacement->stem);
    wcscpy(name + replacement->stem, L".*.firn-tmp");
    WIN32_FIND_DATAW entry;
    HANDLE entries = FindFirstFileW(name, &entry);
    if (entries == INVALID_HANDLE_VALUE) {
        return;
    }
    do {
        DWORD other = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
        if ((entry.dwFileAttributes & other) == 0 &&
            is_wide_temporary(replacement, entry.cFileName)) {
            wcscpy(name + replacement->folder, entry.cFileName);
            HANDLE file = CreateFileW(name, GENERIC_WRITE | DELETE, 0, NULL, OPEN_EXISTING,
                                      FILE_FLAG_DELETE_ON_CLOSE, NULL);
            if (file != INVALID_HANDLE_VALUE) {
                (void)CloseHandle(file);
            }
        }
    } while (FindNextFileW(entries, &entry));
    (void)FindClose(entries);
}

static firn_result create_temporary(wide_replacement *replacement, firn_error *err)
{
    DWORD reason = ERROR_FILE_EXISTS;
    for (int i = 0; i < FRESH_ATTEMPTS && reason == ERROR_FILE_EXISTS; i++) {
        write_fresh_name(replacement, replacement->temporary);
        replacement->file =
            CreateFileW(replacement->temporary, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE,
                        NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
        if (replacement->file != INVALID_HANDLE_VALUE) {
            return FIRN_OK;
        }
        reason = GetLastError();
    }
    return fr_system_fail(err, reason == ERROR_PATH_NOT_FOUND ? FIRN_NOT_FOUND : FIRN_IO,
                          replacement->path, "making a temporary file beside it", (int)reason);
}

// A reservation that is not possible here is no failure: the writes will tell.
static bool reserve_bytes(HANDLE file, size_t size)
{
    FILE_ALLOCATION_INFO space = {.AllocationSize = {.QuadPart = (LONGLONG)size}};
    return SetFileInformationByHandle(file, FileAllocationInfo, &space, sizeof space) ||
           GetLastError() != ERROR_DISK_FULL;
}

static bool write_all_bytes(HANDLE file, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        DWORD written = 0;
        DWORD part = (DWORD)(size < FR_TRANSFER_MOST ? size : FR_TRANSFER_MOST);
        if (!WriteFile(file, bytes, part, &written, NULL) || written == 0) {
            return false;
        }
        bytes += written;
        size -= written;
    }
    return true;
}

// Two contents of a file never have the same time, where the file system keeps it finely enough.
static void set_time_after(const wide_replacement *replacement)
{
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    uint64_t time = fr_wide_time(now);
    if (replacement->replaces && time <= replacement->time) {
        time = replacement->time + 1;
        now = (FILETIME){.dwLowDateTime = (DWORD)time, .dwHighDateTime = (DWORD)(time >> 32)};
    }
    (void)SetFileTime(replacement->file, NULL, NULL, &now);
}

static firn_result fill_file(const wide_replacement *replacement, const void *bytes, size_t size,
                             firn_error *err)
{
    if (!reserve_bytes(replacement->file, size)) {
        return fail_last(replacement, "reserving space for the new contents", err);
    }
    if (!write_all_bytes(replacement->file, bytes, size)) {
        return fail_last(replacement, "writing the new contents", err);
    }
    set_time_after(replacement);
    if (!FlushFileBuffers(replacement->file)) {
        return fail_last(replacement, "flushing the new contents", err);
    }
    return FIRN_OK;
}

// Whoever has a file open, often a virus scanner, lets go of it soon.
static bool wait_for_others(DWORD reason, int attempt)
{
    if ((reason != ERROR_ACCESS_DENIED && reason != ERROR_SHARING_VIOLATION) ||
        attempt >= ATTEMPTS) {
        return false;
    }
    Sleep(1u << attempt);
    return true;
}

// Whether the old file may be replaced: ERROR_SUCCESS, or the reason of the last attempt.
static DWORD try_target(const wchar_t *target)
{
    DWORD reason = ERROR_SUCCESS;
    for (int i = 0; i == 0 || wait_for_others(reason, i); i++) {
        HANDLE file =
            CreateFileW(target, DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                        NULL, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL);
        if (file != INVALID_HANDLE_VALUE) {
            (void)CloseHandle(file);
            return ERROR_SUCCESS;
        }
        reason = GetLastError();
    }
    return reason;
}

// Renames over what stands there: ERROR_SUCCESS, or the reason of the last attempt.
static DWORD move_over(const wchar_t *from, const wchar_t *to)
{
    DWORD reason = ERROR_SUCCESS;
    for (int i = 0; i == 0 || wait_for_others(reason, i); i++) {
        if (MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) {
            return ERROR_SUCCESS;
        }
        reason = GetLastError();
    }
    return reason;
}

// Makes a second name for the old file, in replacement->name; *linked: there is one. Where there
// are no links there is no backup.
static firn_result link_target(const wide_replacement *replacement, bool *linked, firn_error *err)
{
    const wchar_t *target = replacement->target.text;
    *linked = false;
    if (!replacement->replaces) {
        return FIRN_OK;
    }
    // A name of a file that somebody holds could not be removed again.
    DWORD reason = try_target(target);
    if (reason != ERROR_SUCCESS && reason != ERROR_FILE_NOT_FOUND) {
        return fr_system_fail(err, FIRN_IO, replacement->path, "replacing the old file",
                              (int)reason);
    }
    if (replacement->keeps) {
        write_fresh_name(replacement, replacement->name);
        *linked = CreateHardLinkW(replacement->name, target, NULL) != 0;
    }
    return FIRN_OK;
}

static firn_result move_into_place(wide_replacement *replacement, firn_error *err)
{
    bool linked;
    firn_result result = link_target(replacement, &linked, err);
    if (result != FIRN_OK) {
        return result;
    }
    DWORD reason = move_over(replacement->temporary, replacement->target.text);
    if (reason != ERROR_SUCCESS) {
        result = fr_system_fail(err, FIRN_IO, replacement->path, "renaming the new contents",
                                (int)reason);
    } else if (linked) {
        // The new file is there: a backup that stays the one before is no failure.
        name_backup(replacement, true);
        linked = move_over(replacement->name, replacement->target.text) != ERROR_SUCCESS;
        name_backup(replacement, false);
    }
    if (linked) {
        (void)DeleteFileW(replacement->name);
    }
    return result;
}

static firn_result replace_target(wide_replacement *replacement, const void *bytes, size_t size,
                                  fr_file_status *status, firn_error *err)
{
    firn_result result = check_target(replacement, err);
    if (result == FIRN_OK) {
        result = check_target_backup(replacement, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    remove_stale_files(replacement);
    result = create_temporary(replacement, err);
    if (result != FIRN_OK) {
        return result;
    }
    result = fill_file(replacement, bytes, size, err);
    if (result == FIRN_OK && status != NULL && !fr_handle_status(replacement->file, status)) {
        result = fail_last(replacement, "looking at the new contents", err);
    }
    if (result == FIRN_OK) {
        result = move_into_place(replacement, err);
    }
    (void)CloseHandle(replacement->file);
    if (result != FIRN_OK) {
        (void)DeleteFileW(replacement->temporary);
    }
    return result;
}

firn_result fr_system_replace(const firn_allocator *allocator, const char *path, const void *bytes,
                              size_t size, fr_file_status *status, firn_error *err)
{
    wide_replacement replacement = {.allocator = allocator, .path = path};
    firn_result result = begin_replacement(&replacement, err);
    if (result == FIRN_OK) {
        result = replace_target(&replacement, bytes, size, status, err);
    }
    end_replacement(&replacement);
    return result;
}

// ---- reading

static firn_result check_open_file(HANDLE file, const char *path, fr_file_status *status,
                                   firn_error *err)
{
    BY_HANDLE_FILE_INFORMATION facts;
    if (GetFileType(file) != FILE_TYPE_DISK) {
        return fr_path_fail(err, FIRN_IO, path, "is not a regular file");
    }
    if (!GetFileInformationByHandle(file, &facts) || !fr_handle_status(file, status)) {
        return fr_system_fail(err, FIRN_IO, path, "looking at the file", (int)GetLastError());
    }
    const char *other = fr_not_plain(facts.dwFileAttributes);
    return other == NULL ? FIRN_OK : fr_path_fail(err, FIRN_IO, path, other);
}

firn_result fr_input_open(const firn_allocator *allocator, const char *path, bool follow,
                          fr_input *input, fr_file_status *status, firn_error *err)
{
    fr_wide_path wide;
    firn_result result = fr_wide_path_make(allocator, path, 0, &wide, err);
    if (result != FIRN_OK) {
        return result;
    }
    DWORD attributes = GetFileAttributesW(wide.text);
    HANDLE file = CreateFileW(
        wide.text, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
        OPEN_EXISTING, follow ? FILE_ATTRIBUTE_NORMAL : FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    DWORD reason = GetLastError();
    fr_wide_path_free(allocator, &wide);
    if (file == INVALID_HANDLE_VALUE) {
        if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
            return fr_path_fail(err, FIRN_IO, path, "is a folder");
        }
        bool missing = reason == ERROR_FILE_NOT_FOUND || reason == ERROR_PATH_NOT_FOUND;
        return fr_system_fail(err, missing ? FIRN_NOT_FOUND : FIRN_IO, path, "opening the file",
                              (int)reason);
    }
    result = check_open_file(file, path, status, err);
    if (result != FIRN_OK) {
        (void)CloseHandle(file);
        return result;
    }
    *input = (fr_input)file;
    return FIRN_OK;
}

firn_result fr_input_read(fr_input input, const char *path, void *out, size_t room, size_t *got,
                          firn_error *err)
{
    DWORD count = 0;
    if (!ReadFile((HANDLE)input, out, (DWORD)room, &count, NULL)) {
        return fr_system_fail(err, FIRN_IO, path, "reading", (int)GetLastError());
    }
    *got = count;
    return FIRN_OK;
}

void fr_input_close(fr_input input)
{
    (void)CloseHandle((HANDLE)input);
}

// ---- removing

firn_result fr_system_remove(const firn_allocator *allocator, const char *path, firn_error *err)
{
    fr_wide_path wide;
    firn_result result = fr_wide_path_make(allocator, path, 0, &wide, err);
    if (result != FIRN_OK) {
        return result;
    }
    DWORD attributes = GetFileAttributesW(wide.text), reason = ERROR_SUCCESS;
    for (int i = 0; i == 0 || wait_for_others(reason, i); i++) {
        reason = DeleteFileW(wide.text) ? ERROR_SUCCESS : GetLastError();
    }
    fr_wide_path_free(allocator, &wide);
    if (reason == ERROR_SUCCESS) {
        return FIRN_OK;
    }
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
        return fr_path_fail(err, FIRN_IO, path, "is a folder");
    }
    bool missing = reason == ERROR_FILE_NOT_FOUND || reason == ERROR_PATH_NOT_FOUND;
    return fr_system_fail(err, missing ? FIRN_NOT_FOUND : FIRN_IO, path, "removing the file",
                          (int)reason);
}
