/// windows.h: names of files as Windows wants them.
#ifndef FR_WINDOWS_H
#define FR_WINDOWS_H

#include "firn/base.h"
#include <wchar.h>

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

#endif
