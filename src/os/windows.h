/// windows.h: names of files as Windows wants them.
#ifndef FR_WINDOWS_H
#define FR_WINDOWS_H

#include "os/file.h"
#include <wchar.h>
#include <windows.h>

/// A path as UTF-16: absolute, with the prefix that lifts the limit of 260 units.
typedef struct fr_wide_path {
    wchar_t *text;
    size_t size; ///< units, without the zero
    size_t room; ///< units of the block
} fr_wide_path;

/// Makes the path that `path`, UTF-8, means now, with room for `extra` more units; freed with
/// fr_wide_path_free. FIRN_INVALID (not UTF-8); FIRN_IO; FIRN_NO_MEMORY; *out is then empty.
firn_result fr_wide_path_make(const firn_allocator *allocator, const char *path, size_t extra,
                              fr_wide_path *out, firn_error *err);
void fr_wide_path_free(const firn_allocator *allocator, fr_wide_path *path);

/// The path as UTF-8, without that prefix; freed with fr_free_text. FIRN_NO_MEMORY.
firn_result fr_wide_path_text(const firn_allocator *allocator, const wchar_t *path, char **out,
                              firn_error *err);

/// Tens of nanoseconds since 1601 in UTC, and the time of file.h that it is.
uint64_t fr_wide_time(FILETIME time);
int64_t fr_plain_time(FILETIME time);
/// What file.h tells of an open file. false with the system's last error.
bool fr_handle_status(HANDLE file, fr_file_status *out);
/// What stands in place of a plain file, or NULL: as fr_not_regular.
const char *fr_not_plain(DWORD attributes);

#endif
