// Source: the pages CommandLineToArgvW, GetConsoleMode, _setmode and BY_HANDLE_FILE_INFORMATION of
// the Windows reference.
#include "cli/system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include <shellapi.h>

#define PATH_UNITS 4096

// Whether it is a console; one that takes UTF-8 and escape sequences from now on.
static bool begin_console(DWORD which)
{
    DWORD mode;
    HANDLE handle = GetStdHandle(which);
    if (!GetConsoleMode(handle, &mode)) {
        return false;
    }
    (void)SetConsoleOutputCP(CP_UTF8);
    return SetConsoleMode(handle,
                          mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

void fr_cli_system_begin(fr_cli_host *host)
{
    CONSOLE_SCREEN_BUFFER_INFO facts;
    (void)_setmode(_fileno(stdin), _O_BINARY);
    (void)_setmode(_fileno(stdout), _O_BINARY);
    (void)_setmode(_fileno(stderr), _O_BINARY);
    host->terminal = begin_console(STD_OUTPUT_HANDLE);
    host->error_terminal = begin_console(STD_ERROR_HANDLE);
    if (GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &facts)) {
        host->width = (uint32_t)(facts.srWindow.Right - facts.srWindow.Left + 1);
    }
}

bool fr_cli_system_is_stream(const char *path)
{
    (void)path;
    return false;
}

// A path of a disk gets the prefix that lifts the limit of 260 units.
static HANDLE open_for_status(const char *path)
{
    static const wchar_t prefix[] = L"\\\\?\\";
    const size_t size = sizeof prefix / sizeof *prefix - 1;
    wchar_t plain[PATH_UNITS], full[PATH_UNITS + sizeof prefix / sizeof *prefix];
    memcpy(full, prefix, sizeof prefix);
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, plain, PATH_UNITS) == 0 ||
        GetFullPathNameW(plain, PATH_UNITS, full + size, NULL) - 1 >= PATH_UNITS - 1) {
        return INVALID_HANDLE_VALUE;
    }
    return CreateFileW(full[size] == L'\\' ? full + size : full, 0,
                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

static bool file_facts(const char *path, BY_HANDLE_FILE_INFORMATION *out)
{
    if (strcmp(path, "-") == 0) {
        return GetFileInformationByHandle(GetStdHandle(STD_INPUT_HANDLE), out) != 0;
    }
    HANDLE file = open_for_status(path);
    bool known = file != INVALID_HANDLE_VALUE && GetFileInformationByHandle(file, out) != 0;
    if (file != INVALID_HANDLE_VALUE) {
        (void)CloseHandle(file);
    }
    return known;
}

bool fr_cli_system_is_same(const char *one, const char *other)
{
    BY_HANDLE_FILE_INFORMATION a, b;
    return file_facts(one, &a) && file_facts(other, &b) &&
           a.dwVolumeSerialNumber == b.dwVolumeSerialNumber &&
           a.nFileIndexHigh == b.nFileIndexHigh && a.nFileIndexLow == b.nFileIndexLow;
}

bool fr_cli_system_is_closed(int reason)
{
    return reason == EPIPE || reason == EINVAL; // as a pipe without a reader is told
}

// Appends an argument as UTF-8. One that is no UTF-16 has U+FFFD in it, and names no file.
static firn_result append_argument(firn_buffer *text, const wchar_t *wide, firn_error *err)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    firn_result result = firn_buffer_reserve(text, (size_t)size, err);
    if (result == FIRN_OK) {
        (void)WideCharToMultiByte(CP_UTF8, 0, wide, -1, (char *)text->data + text->size, size, NULL,
                                  NULL);
        text->size += (size_t)size;
    }
    return result;
}

// The pointers come first in `out`, then the texts.
firn_result fr_cli_system_arguments(firn_buffer *out, int *argc, const char *const **argv,
                                    firn_error *err)
{
    int count;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
    if (wide == NULL) {
        return FIRN_OK; // those of main are as good as it gets
    }
    size_t table = (size_t)count * sizeof(const char *);
    firn_result result = firn_buffer_reserve(out, table, err);
    out->size = result == FIRN_OK ? table : 0;
    for (int i = 0; i < count && result == FIRN_OK; i++) {
        result = append_argument(out, wide[i], err);
    }
    (void)LocalFree(wide);
    if (result != FIRN_OK) {
        return result;
    }
    const char **made = (void *)out->data;
    const char *text = (const char *)out->data + table;
    for (int i = 0; i < count; i++) {
        made[i] = text;
        text += strlen(text) + 1;
    }
    *argc = count;
    *argv = made;
    return FIRN_OK;
}
