#include "os/windows.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "os/system.h"

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#define PREFIX_ROOM 8 // L"\\\\?\\UNC\\"

firn_result fr_system_fail(firn_error *err, firn_result code, const char *path, const char *step,
                           int number)
{
    wchar_t wide[128];
    char shown[FR_SHOWN_PATH_SIZE], words[3 * 128] = "";
    DWORD units = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS |
                                     FORMAT_MESSAGE_MAX_WIDTH_MASK,
                                 NULL, (DWORD)number, 0, wide, 128, NULL);
    while (units > 0 && (wide[units - 1] == L' ' || wide[units - 1] == L'.')) {
        units--;
    }
    int size =
        WideCharToMultiByte(CP_UTF8, 0, wide, (int)units, words, sizeof words - 1, NULL, NULL);
    if (size <= 0) {
        (void)snprintf(words, sizeof words, "error %d", number);
    }
    return fr_fail(err, code, path, "%s: %s: %s",
                   fr_printable(shown, sizeof shown, path, strlen(path)), step, words);
}

// The path as it is, in UTF-16 with a zero behind it; freed with its units.
static firn_result widen(const firn_allocator *allocator, const char *path, wchar_t **out,
                         size_t *units, firn_error *err)
{
    int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    if (count <= 0) {
        return fr_path_fail(err, FIRN_INVALID, path, "is not UTF-8");
    }
    *units = (size_t)count;
    *out = fr_alloc(allocator, *units, sizeof(wchar_t), alignof(wchar_t));
    if (*out == NULL) {
        return fr_fail_memory(err, path);
    }
    (void)MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, *out, count);
    return FIRN_OK;
}

// Puts the prefix before an absolute path. Devices, such as `nul`, keep theirs.
static void lift_length_limit(fr_wide_path *path)
{
    wchar_t *text = path->text;
    const wchar_t *prefix = L"\\\\?\\";
    size_t dropped = 0;
    if (wcsncmp(text, L"\\\\.\\", 4) == 0 || wcsncmp(text, prefix, 4) == 0) {
        return;
    }
    if (wcsncmp(text, L"\\\\", 2) == 0) { // \\server\share
        prefix = L"\\\\?\\UNC\\";
        dropped = 2;
    }
    size_t size = wcslen(prefix);
    wmemmove(text + size, text + dropped, path->size - dropped + 1);
    wmemcpy(text, prefix, size);
    path->size += size - dropped;
}

firn_result fr_wide_path_make(const firn_allocator *allocator, const char *path, size_t extra,
                              fr_wide_path *out, firn_error *err)
{
    *out = (fr_wide_path){NULL, 0, 0};
    wchar_t *given = NULL;
    size_t units = 0;
    firn_result result = widen(allocator, path, &given, &units, err);
    if (result != FIRN_OK) {
        return result;
    }
    DWORD most = GetFullPathNameW(given, 0, NULL, NULL); // with the zero
    out->room = most + PREFIX_ROOM + extra;
    out->text = fr_alloc(allocator, out->room, sizeof(wchar_t), alignof(wchar_t));
    if (out->text == NULL) {
        result = fr_fail_memory(err, path);
    } else {
        DWORD size = GetFullPathNameW(given, most, out->text, NULL);
        out->size = size;
        if (size == 0 || size >= most) { // or another thread changed the current folder
            result = fr_system_fail(err, FIRN_IO, path, "finding its folder", (int)GetLastError());
            fr_wide_path_free(allocator, out);
        } else {
            lift_length_limit(out);
        }
    }
    fr_free(allocator, given, units, sizeof(wchar_t), alignof(wchar_t));
    return result;
}

void fr_wide_path_free(const firn_allocator *allocator, fr_wide_path *path)
{
    fr_free(allocator, path->text, path->room, sizeof(wchar_t), alignof(wchar_t));
    *path = (fr_wide_path){NULL, 0, 0};
}

firn_result fr_wide_path_text(const firn_allocator *allocator, const wchar_t *path, char **out,
                              firn_error *err)
{
    const char *lead = "";
    if (wcsncmp(path, L"\\\\?\\UNC\\", 8) == 0) {
        path += 8;
        lead = "\\\\";
    } else if (wcsncmp(path, L"\\\\?\\", 4) == 0) {
        path += 4;
    }
    size_t begin = strlen(lead);
    int size = WideCharToMultiByte(CP_UTF8, 0, path, -1, NULL, 0, NULL, NULL);
    *out = size > 0 ? fr_alloc(allocator, begin + (size_t)size, 1, 1) : NULL;
    if (*out == NULL) {
        return fr_fail_memory(err, "path");
    }
    memcpy(*out, lead, begin);
    (void)WideCharToMultiByte(CP_UTF8, 0, path, -1, *out + begin, size, NULL, NULL);
    return FIRN_OK;
}

uint64_t fr_wide_time(FILETIME time)
{
    return (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
}

int64_t fr_plain_time(FILETIME time)
{
    // From 1601 to 1970 it is 11,644,473,600 seconds.
    return ((int64_t)fr_wide_time(time) - INT64_C(116444736000000000)) * 100;
}

bool fr_handle_status(HANDLE file, fr_file_status *out)
{
    BY_HANDLE_FILE_INFORMATION facts;
    if (!GetFileInformationByHandle(file, &facts)) {
        return false;
    }
    *out = (fr_file_status){.number = (uint64_t)facts.nFileIndexHigh << 32 | facts.nFileIndexLow,
                            .size = (uint64_t)facts.nFileSizeHigh << 32 | facts.nFileSizeLow,
                            .time = fr_plain_time(facts.ftLastWriteTime)};
    return true;
}

const char *fr_not_plain(DWORD attributes)
{
    if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
        return "is a symbolic link, which is not followed";
    }
    if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
        return "is a folder";
    }
    return (attributes & FILE_ATTRIBUTE_DEVICE) != 0 ? "is not a regular file" : NULL;
}
