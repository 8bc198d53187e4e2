/// storage_disk.h: what is done to a storage on the disk of disk.h, and what is found there after
/// an accident. The bytes of an entry say whether they are whole, as those of a save file do.
#ifndef TEST_STORAGE_DISK_H
#define TEST_STORAGE_DISK_H

#include "fault/disk.h"
#include "firn/storage.h"

#define STORAGE_PATH DISK_ROOT "/saves"

/// What an entry was put with.
typedef enum content { NOTHING, OLDER, OLD, NEW, DAMAGED, CONTENTS } content;
extern const char *const content_names[CONTENTS];

/// Memory that is given back as a whole: a killed process frees nothing.
typedef struct arena {
    firn_allocator allocator;
    uint8_t *bytes;
    size_t used;
} arena;
void arena_init(arena *memory);
void arena_free(arena *memory);

/// Opens the storage of the disk in use.
firn_result storage_open(arena *memory, firn_storage *out, firn_error *err);
/// Puts these contents, DAMAGED ones too.
firn_result storage_put(const firn_storage *storage, const char *name, firn_revision expected,
                        content what, firn_error *err);
/// What a game would load: the entry, or the backup where it is damaged or not there. A failed call
/// ends the test.
content storage_load(const firn_storage *storage, const char *name);

/// Something that is done to a disk, in one process.
typedef struct scenario {
    const char *name;
    void (*prepare)(arena *memory); ///< by a process before
    bool settled;                   ///< what it did is on the disk for good
    /// Opens the storage, and closes it when it was opened. *changed: an entry was.
    firn_result (*run)(arena *memory, firn_error *err);
    const char *entry; ///< that is changed
    content before;    ///< what it loads as before, and
    content after;     ///< when the call has returned
    const char *other; ///< NULL, or one that always loads as
    content stays;
} scenario;

extern const scenario scenarios[];
extern const uint32_t scenario_count;

/// Formats the disk and lets the scenario prepare it; it is in use then.
void scenario_prepare(const scenario *s, disk *d, arena *memory);

#endif
