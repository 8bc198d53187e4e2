/// file.h: whole files in, whole files out. This room alone touches the file system.
///
/// Replacing a file: open the folder; a temporary file in it, made with O_EXCL and O_NOFOLLOW and
/// held by an exclusive flock while it is written; reserve the space; write all of it (short writes
/// and EINTR); give it a time that is later than that of the old file; fsync; close, checking its
/// result; link the old file to a temporary name; rename the new file over it; fsync the folder;
/// rename the link to the backup name. So a crash at any moment leaves the old file or the new one,
/// whole, and the old backup gives way when the new file is in place for good. After a failed fsync
/// nothing is retried and nothing is renamed. Temporary names that no process holds (the flock is
/// free) are what a killed writer left behind; they are removed before a write.
/// Source: POSIX, and the man pages fsync(2), rename(2), flock(2) of Linux.
///
/// On Windows: paths are UTF-8; the temporary file is made with CREATE_NEW and held open without
/// sharing writes; FlushFileBuffers; the link is a hard link; MoveFileExW writes through, so that
/// FIRN_NOT_DURABLE does not occur, and is tried for a second while somebody holds the old file.
#ifndef FR_FILE_H
#define FR_FILE_H

#include "firn/value.h"

/// What the system says of a file.
typedef struct fr_file_status {
    uint64_t number; ///< tells it from other files of its disk, while it lives
    uint64_t size;
    int64_t time; ///< when it was written, nanoseconds since 1970 in UTC
} fr_file_status;

/// Replaces `path` by `size` bytes. The old file stays as `<path>.bak`, unless the file system
/// refuses links, the name is too long for the ending, or the last step fails; after
/// FIRN_NOT_DURABLE the backup is the one before, unless folders can never be flushed here. The new
/// file has the old one's permissions (on Windows those that its folder hands down). Temporary
/// names are `<name>.<hex>.firn-tmp`, with a shortened name where that would be too long. FIRN_OK;
/// FIRN_INVALID (path NULL, empty or, on Windows, not UTF-8; bytes NULL); FIRN_NOT_FOUND (no such
/// folder); FIRN_IO (a folder, symbolic link or device in place of the file, a read-only file, full
/// disk, a folder in place of the backup, ...: the message has path, step and the system's words);
/// FIRN_NOT_DURABLE (renamed, but the fsync of the folder failed); FIRN_NO_MEMORY. After anything
/// but FIRN_OK and FIRN_NOT_DURABLE the old file is untouched and no temporary file is left.
/// err->subject is the path, or the argument that is NULL or empty.
firn_result fr_file_replace(const firn_allocator *allocator, const char *path, const void *bytes,
                            size_t size, firn_error *err);
/// The same; *status, with FIRN_OK and FIRN_NOT_DURABLE, receives what the system says of the new
/// file.
firn_result fr_file_replace_status(const firn_allocator *allocator, const char *path,
                                   const void *bytes, size_t size, fr_file_status *status,
                                   firn_error *err);

/// Reads the whole file to the end of `out`; a symbolic link is followed. FIRN_INVALID (path NULL,
/// empty or, on Windows, not UTF-8; out NULL); FIRN_NOT_FOUND; FIRN_LIMIT (larger than `limit`,
/// noticed before memory is taken); FIRN_IO (a folder, a device, unreadable, shrunk while reading);
/// FIRN_NO_MEMORY. The bytes and the size of `out` are then as before; its capacity may have grown.
firn_result fr_file_read(const char *path, uint64_t limit, firn_buffer *out, firn_error *err);
/// The same, but a symbolic link is FIRN_IO; *status receives what the system says of the file.
firn_result fr_file_read_status(const char *path, uint64_t limit, firn_buffer *out,
                                fr_file_status *status, firn_error *err);
/// Reads the first bytes of a file, at most `room`; *got receives how many. It fails as
/// fr_file_read_status does.
firn_result fr_file_read_head(const firn_allocator *allocator, const char *path, void *bytes,
                              size_t room, size_t *got, fr_file_status *status, firn_error *err);

/// Removes a file that is none of other kinds. FIRN_NOT_FOUND; FIRN_IO; FIRN_NO_MEMORY.
firn_result fr_file_remove(const firn_allocator *allocator, const char *path, firn_error *err);

#endif
