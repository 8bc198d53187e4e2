/// firn/storage.h: where save files are kept: entries of bytes under names, replaced whole. The
/// library brings two storages, a folder and memory; a game can bring its own (a cloud store, a
/// database) and prove it with firn_storage_check.
#ifndef FIRN_STORAGE_H
#define FIRN_STORAGE_H

#include "firn/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- the vtable

/// Bytes of the longest name of an entry, and room for one with its zero.
#define FIRN_SLOT_NAME_MOST 64
#define FIRN_SLOT_NAME_SIZE (FIRN_SLOT_NAME_MOST + 1)

/// Tells two contents of an entry apart. The storage chooses it; it changes with every put, also of
/// equal bytes. It is never one of these two:
typedef uint64_t firn_revision;
#define FIRN_REVISION_NONE UINT64_C(0) ///< there is no such entry
#define FIRN_REVISION_ANY  UINT64_MAX  ///< put, remove: whatever is there

/// A storage keeps the entry of a name and, where it can, the one before it.
typedef enum firn_generation { FIRN_CURRENT, FIRN_BACKUP } firn_generation;

/// What a storage says of an entry without its bytes.
typedef struct firn_stored {
    const char *name;       ///< zero-terminated; valid during the call that hands it out
    uint64_t size;          ///< bytes
    firn_revision revision; ///< of the current generation; list: FIRN_REVISION_ANY where the
                            ///< storage would have to open the entry to tell
    int64_t modified;       ///< when it was put, milliseconds since 1970 in UTC; 0: not known
    bool only_backup;       ///< list: the current generation is gone; size is that of the backup
} firn_stored;

/// Gets each entry of a list. A result other than FIRN_OK ends the list, which returns it. It may
/// not call the storage.
typedef firn_result (*firn_stored_fn)(void *user, const firn_stored *stored, firn_error *err);

/// Bits of firn_storage.flags.
/// The functions may be called on any thread, one call at a time: a background save puts on its own
/// thread. Without it every call comes from the thread of the game. A manager keeps its own calls
/// apart; of two managers that share one storage at most one may save in the background, unless
/// the storage excludes calls itself. Two storages of one folder need no such care.
#define FIRN_STORAGE_ANY_THREAD 1u

/// A storage: a vtable. Names are those of firn_slot_name_check, checked by callers, and a storage
/// must not take one for something else (`-rf` is a name). What a function returns is
/// passed on; fill `err`, which may be NULL, to say why: the message names the entry. No other
/// argument is NULL where nothing is said of it. Every function but destroy must be there. None may
/// call a manager that uses the storage: it may wait for the call that runs.
typedef struct firn_storage {
    uint32_t abi;     ///< FIRN_ABI
    const char *name; ///< for messages; must outlive the use of the storage
    uint32_t flags;   ///< of FIRN_STORAGE_*
    /// Replaces or makes the entry, all or nothing: at any moment, also after a crash, readers find
    /// the old bytes or the new. `expected`: the revision that is replaced, FIRN_REVISION_NONE:
    /// there is none yet, FIRN_REVISION_ANY. *revision receives the new one. FIRN_EXISTS (none was
    /// expected), FIRN_NOT_FOUND (one was), FIRN_CONFLICT (it is another one): nothing changed.
    /// FIRN_NOT_DURABLE: it is replaced, but may not survive a power loss yet; *revision is set.
    /// Anything else: the entry is as it was. After FIRN_OK the backup is what was current, or
    /// what it was before. `bytes` may be NULL when size is 0.
    firn_result (*put)(void *user, const char *name, firn_revision expected, const void *bytes,
                       size_t size, firn_revision *revision, firn_error *err);
    /// Appends the bytes of a generation to `out`. *revision, which may be NULL, receives that of
    /// the current one, and for a backup FIRN_REVISION_NONE. FIRN_NOT_FOUND: there is no such
    /// generation; FIRN_LIMIT: more than `limit` bytes, noticed before memory is taken. On failure
    /// `out` keeps its bytes and size.
    firn_result (*get)(void *user, const char *name, firn_generation generation, uint64_t limit,
                       firn_buffer *out, firn_revision *revision, firn_error *err);
    /// Reads the first bytes of a generation, at most `room`, into `bytes`; *got receives how many,
    /// *stored the rest, with `name` itself as the name and the revision as get gives it. Reads no
    /// more than that, or than 4 KiB. FIRN_NOT_FOUND.
    firn_result (*head)(void *user, const char *name, firn_generation generation, void *bytes,
                        size_t room, size_t *got, firn_stored *stored, firn_error *err);
    /// Calls `each` for every entry, also those with only a backup, in the order of their names
    /// (bytewise). Opens none of them.
    firn_result (*list)(void *user, firn_stored_fn each, void *each_user, firn_error *err);
    /// Removes the entry and its backup. Where that fails half way, the backup is gone first.
    /// `expected` as for put, so that FIRN_REVISION_NONE removes a backup that is alone.
    /// FIRN_NOT_FOUND: there is neither, or a revision was expected and there is no current
    /// generation. FIRN_NOT_DURABLE: it is removed, but may be back after a power loss.
    firn_result (*remove)(void *user, const char *name, firn_revision expected, firn_error *err);
    /// Lets go of everything. May be NULL. Called by firn_storage_close.
    void (*destroy)(void *user);
    void *user; ///< handed to all
} firn_storage;

/// Calls destroy and zeroes *storage. NULL and a zeroed storage are allowed. No firn_saves that
/// uses it may be open.
FIRN_CALLS_BACK FIRN_API void firn_storage_close(firn_storage *storage);

/// FIRN_INVALID with the name as its subject, unless it is 1 to 64 of a-z 0-9 _ -, and no device of
/// Windows, which could not be the name of a file there: con, prn, aux, nul, com1 to com9, lpt1 to
/// lpt9.
FIRN_API firn_result firn_slot_name_check(const char *name, firn_error *err);

// ---------------------------------------------------------------- a folder

typedef struct firn_folder_desc {
    const char *path; ///< UTF-8; made when it is not there, with the folders above it. NULL: the
                      ///< folder that firn_saves_folder gives for `game`
    const char *game; ///< for path NULL
    const firn_allocator *allocator; ///< NULL: the default; copied
    uint64_t reserved[4];            ///< must be zero
} firn_folder_desc;

/// A storage of files in one folder. It works on any thread.
///
/// Names: an entry is `s_<name>.firn`, the one before it `s_<name>.firn.bak`; what has other names
/// is left alone. `*.<16 hex digits>.firn-tmp` are files that are being written, and what killed
/// writers left of them: removed here, and at a put of the entry. A folder, a symbolic link or a
/// device of an entry's name is listed, and FIRN_IO with its own message in every call but list
/// (remove removes a link). A file is as it was put, and may be copied, moved and given to others.
///
/// Replacing: the new file is written aside and flushed, then renamed over the old one, and the
/// folder is flushed; a crash at any moment leaves the old or the new one whole. Only then the old
/// one becomes the backup. Where the file system has no hard links, or the flush of the folder
/// failed (FIRN_NOT_DURABLE), the backup stays what it was. Removing flushes the folder behind
/// each of the two files. A new file has the permissions of the old one, folders that are made are
/// for this user alone.
///
/// Several processes, and several storages of one, may use a folder: put, remove and list hold a
/// lock on the file `.firn-lock` in it and wait for each other. The revision is a hash of what the
/// file system says of the file (its number, size and time) and of its first 4 KiB; put makes the
/// time later than that of the file before. Programs that replace a file without the lock, such as
/// a synchronizing cloud, are noticed by the revision, unless that happens between its check and
/// the rename.
///
/// File systems: one that keeps what fsync returned for, and in which a rename is atomic, as ext4,
/// XFS, Btrfs, APFS and NTFS. Where folders cannot be flushed at all every put is FIRN_NOT_DURABLE.
/// Without locks (some network file systems) processes do not exclude
/// each other. With times of whole seconds (FAT) a put of equal bytes in the same second may keep
/// its revision.
///
/// A relative path is taken from the current folder now. FIRN_INVALID (path and game NULL or both
/// given, a bad game id, a path that is not UTF-8 on Windows); FIRN_NOT_FOUND (as of
/// firn_saves_folder); FIRN_IO; FIRN_NO_MEMORY; *out is then unchanged. Without the right to write,
/// it can be opened and read.
FIRN_API firn_result firn_storage_folder(const firn_folder_desc *desc, firn_storage *out,
                                         firn_error *err);

/// Appends the folder of a game's saves, UTF-8 and zero-terminated (the zero is not counted in
/// out->size), to `out`; makes nothing. `game`: 1 to 64 of a-z A-Z 0-9 _ - and . (not first or
/// last). `<data folder>/<game>/saves`, where
/// the data folder is `$XDG_DATA_HOME`, or `~/.local/share`, on Linux and other systems (XDG Base
/// Directory Specification; a relative value is ignored, as it says); `~/Library/Application
/// Support` on macOS; FOLDERID_RoamingAppData on Windows. FIRN_INVALID: a bad id; FIRN_NOT_FOUND:
/// the system names no such folder; FIRN_NO_MEMORY.
FIRN_API firn_result firn_saves_folder(const char *game, firn_buffer *out, firn_error *err);

// ---------------------------------------------------------------- memory

/// A storage in memory, with backups, gone when it is closed. For tests, editors and servers. It
/// works on any thread. allocator NULL: the default; else it is copied. What a put replaces is
/// freed; get gives bytes of their own. FIRN_INVALID: out NULL, an allocator without resize;
/// FIRN_NO_MEMORY. *out is then unchanged.
FIRN_API firn_result firn_storage_memory(const firn_allocator *allocator, firn_storage *out,
                                         firn_error *err);

// ---------------------------------------------------------------- conformance

/// Gets the outcome of each check: its name, a sentence; FIRN_OK, or what came of it (FIRN_CORRUPT
/// where a call succeeded and should not have, or gave something wrong); and for a failure one line
/// that says what was expected and what came, else "".
typedef void (*firn_storage_report_fn)(void *user, const char *check, firn_result result,
                                       const char *message);

/// Checks that a storage does what this header says: names, revisions, conflicts, backups, limits,
/// heads, lists, order, removal, sizes from 0 bytes to 1 MiB, that failures change nothing. What a
/// crash leaves is not checked. The names of its entries begin with `firn-check-`, and they are
/// removed afterwards; others are not touched, and nobody else may use the storage. *failures
/// receives how many checks failed; `report` may be NULL. FIRN_OK: all were run; FIRN_INVALID:
/// storage or failures NULL, an incomplete vtable; FIRN_VERSION; FIRN_EXISTS: an entry of such a
/// name is there; FIRN_NO_MEMORY; what list returns.
FIRN_CALLS_BACK FIRN_API firn_result firn_storage_check(const firn_storage *storage,
                                                        firn_storage_report_fn report, void *user,
                                                        uint32_t *failures, firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
