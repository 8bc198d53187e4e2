/// firn/file.h: whole files in, whole files out, by path: for tools, and for saves that a game
/// keeps without slots. Paths are UTF-8, on Windows too, where they may be longer than 260
/// characters.
#ifndef FIRN_FILE_H
#define FIRN_FILE_H

#include "firn/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a whole file to the end of `out`; a symbolic link is followed. `limit`: the most bytes
/// that it may have. FIRN_INVALID (path NULL, empty or, on Windows, not UTF-8; out NULL);
/// FIRN_NOT_FOUND; FIRN_LIMIT (it is larger, noticed before memory is taken); FIRN_IO (a folder, a
/// device, unreadable, shrunk while it was read); FIRN_NO_MEMORY. err->subject is the path, or the
/// argument that is wrong; the message begins with the path. `out` then keeps its bytes and size.
FIRN_API firn_result firn_file_read(const char *path, uint64_t limit, firn_buffer *out,
                                    firn_error *err);

/// Makes or replaces a file, all or nothing: a crash at any moment leaves the old bytes or the new
/// ones, whole. The new file is written aside (`<path>.<16 hex digits>.firn-tmp`), flushed, and
/// renamed over the old one, which stays as `<path>.bak` where the file system has hard links; it
/// has the old one's permissions. allocator NULL: the default; nothing stays allocated. `bytes` may
/// be NULL when size is 0. FIRN_INVALID (path NULL, empty or, on Windows, not UTF-8; bytes NULL; an
/// allocator without resize); FIRN_NOT_FOUND (no such folder); FIRN_IO (a folder, symbolic link or
/// device in place of the file, a read-only file, a full disk, ...); FIRN_NO_MEMORY: the old file
/// is untouched then. FIRN_NOT_DURABLE: it is replaced, but may not survive a power loss yet.
/// err->subject and the message are as of firn_file_read.
FIRN_API firn_result firn_file_replace(const char *path, const void *bytes, size_t size,
                                       const firn_allocator *allocator, firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
