/// folder.h: folders: made, listed, cleaned, flushed and locked; and the one of a user's data.
/// Paths are UTF-8, and on POSIX systems any bytes. What the system refuses is FIRN_IO with path,
/// step and the system's words.
#ifndef FR_FOLDER_H
#define FR_FOLDER_H

#include "os/file.h"

/// Makes a folder that is not there, and those above it, for this user alone (as the XDG Base
/// Directory Specification wants), each flushed to the disk. FIRN_OK also when it is there.
/// FIRN_INVALID (path NULL, empty, not UTF-8 on Windows); FIRN_IO (a file in its place, ...);
/// FIRN_NO_MEMORY.
firn_result fr_folder_make(const firn_allocator *allocator, const char *path, firn_error *err);

/// One file, folder or whatever of a folder. Symbolic links are not followed.
typedef struct fr_folder_item {
    const char *name; ///< valid during the call
    uint64_t size;    ///< 0 for what is no regular file
    int64_t time;     ///< when it was written, nanoseconds since 1970 in UTC
} fr_folder_item;

typedef firn_result (*fr_folder_item_fn)(void *user, const fr_folder_item *item, firn_error *err);

/// Calls `each` for what has a name that begins with `prefix`, in any order, and opens nothing of
/// it. Another result than FIRN_OK ends the list, which returns it. FIRN_IO; FIRN_NO_MEMORY.
firn_result fr_folder_list(const firn_allocator *allocator, const char *path, const char *prefix,
                           fr_folder_item_fn each, void *user, firn_error *err);

/// Removes the temporary files of file.h, of all names, that nobody holds. What cannot be removed
/// stays: that is no failure.
void fr_folder_clean(const firn_allocator *allocator, const char *path);

/// Writes what was removed from a folder through to the disk; on Windows the system does so in time
/// and in order. FIRN_NOT_DURABLE: this file system cannot; FIRN_IO; FIRN_NO_MEMORY.
firn_result fr_folder_flush(const firn_allocator *allocator, const char *path, firn_error *err);

/// A lock that one at a time holds, of all threads and processes.
typedef intptr_t fr_file_lock;

/// Makes the file, where it is not there, and waits for its lock. A file system without locks
/// gives none, which is no failure. FIRN_NOT_FOUND: no such folder; FIRN_IO; FIRN_NO_MEMORY.
firn_result fr_file_lock_take(const firn_allocator *allocator, const char *path, fr_file_lock *lock,
                              firn_error *err);
void fr_file_lock_drop(fr_file_lock lock);

/// The path that a relative one means now; freed with fr_free_text. Errors as those of
/// fr_folder_make.
firn_result fr_path_absolute(const firn_allocator *allocator, const char *path, char **out,
                             firn_error *err);

/// Where programs keep the data of this user: $XDG_DATA_HOME or $HOME/.local/share, on macOS
/// $HOME/Library/Application Support, on Windows FOLDERID_RoamingAppData; freed with fr_free_text.
/// It need not be there. FIRN_NOT_FOUND: the system names none; FIRN_NO_MEMORY.
firn_result fr_data_folder(const firn_allocator *allocator, char **out, firn_error *err);

#endif
