/// slots.h (private): what a manager reads of its slots, and what waits for the end of a tick.
#ifndef FR_SLOTS_H
#define FR_SLOTS_H

#include "firn/saves.h"

// ---------------------------------------------------------------- slot.c

/// The head of the save in a slot.
typedef struct fr_slot_look {
    firn_save_file *file;   ///< NULL: it cannot be read; closed by the caller
    uint64_t size;          ///< bytes of the file that it is of
    firn_revision revision; ///< of the current generation, or FIRN_REVISION_NONE
    bool from_backup;       ///< the current generation is damaged; `error` says how
    firn_error error;       ///< code FIRN_OK while all is well
} fr_slot_look;

/// Reads it, at most 4 KiB of each generation. FIRN_NOT_FOUND (there is no generation),
/// FIRN_NO_MEMORY; what else is wrong is told in out->error.
firn_result fr_slot_look_at(const firn_saves *saves, const char *slot, fr_slot_look *out,
                            firn_error *err);
/// Whether a save is of a newer game, or of another one.
bool fr_header_is_newer(const firn_saves *saves, const firn_save_header *header);
bool fr_header_is_foreign(const firn_saves *saves, const firn_save_header *header);

/// Appends the names of all slots to `out`, FIRN_SLOT_NAME_SIZE bytes each, with zeros behind. As
/// the storage; `out` is then as before.
firn_result fr_slot_names(const firn_saves *saves, firn_buffer *out, firn_error *err);
/// FIRN_NOT_FOUND: the slot is empty. As the storage.
firn_result fr_slot_find(const firn_saves *saves, const char *slot, firn_error *err);
// ---------------------------------------------------------------- read.c

/// Whether what came of reading a generation is damage, for which the backup stands in.
bool fr_is_damage(firn_result result);
/// Gets the bytes of a generation and checks them: loaded->bytes and loaded->envelope, or nothing.
/// revision NULL: not wanted.
firn_result fr_slot_open_generation(const firn_saves *saves, const char *slot,
                                    firn_generation generation, firn_saves_loaded *loaded,
                                    firn_revision *revision, firn_error *err);
/// The current generation, or, where that is damaged, the backup. The error is that of the current
/// one, also when the backup is of no use either.
firn_result fr_slot_open(const firn_saves *saves, const char *slot, firn_saves_loaded *loaded,
                         firn_error *err);

// ---------------------------------------------------------------- request.c

/// A save or a load that waits for the end of a tick, and then to be told. It is used again.
typedef struct fr_request {
    struct fr_request *next;
    char slot[FIRN_SLOT_NAME_SIZE];
    bool load;
    bool enter;                       ///< of a level, whose name is in `bytes`
    bool autosave;                    ///< the slot is chosen when it is put
    bool due;                         ///< asked for before the end of the tick that runs
    bool later;                       ///< told by the next call only
    firn_saves_write_options options; ///< of a save; what they point to is the request's
    firn_doc *doc;                    ///< of options.meta; NULL: never had one
    firn_buffer bytes;                ///< of options.sections, whatever they point to included;
                                      ///< or the name of a level
    firn_result result;
    firn_error error;
    firn_saves_loaded loaded; ///< what a load did
} fr_request;

/// Requests in their order.
typedef struct fr_request_list {
    fr_request *first, *last;
} fr_request_list;

typedef struct fr_requests {
    fr_request_list saves; ///< to be done
    fr_request *load;      ///< to be done after them, or NULL
    fr_request *enter;     ///< to be done last, or NULL; a load that is done drops it
    fr_request_list done;  ///< to be told
    fr_request *spare;     ///< linked by next
    double played;         ///< seconds since the last autosave was due
} fr_requests;

/// Puts a request that came to `result` among those to be told. `why` has a failure.
void fr_request_done(firn_saves *saves, fr_request *request, firn_result result,
                     const firn_error *why);
/// Drops a change of level that waits.
void fr_requests_drop_enter(firn_saves *saves);
/// Drops what waits to be done, and loads and changes of level that wait to be told.
void fr_requests_drop(firn_saves *saves);
/// Frees everything.
void fr_requests_free(firn_saves *saves);

// ---------------------------------------------------------------- autosave.c

/// Puts a file in the slot of a request. That of an autosave, which is written to request->slot, is
/// the next one of the ring: an empty one, or the one with the oldest save; saves of newer and
/// other games, and of formats that are not known, stay. FIRN_NEWER, FIRN_LIMIT; FIRN_NO_MEMORY; as
/// the storage. Any thread, one at a time.
firn_result fr_request_put(const firn_saves *saves, fr_request *request, const firn_buffer *file,
                           firn_error *err);

// ---------------------------------------------------------------- worker.c

/// Captures the save of a request; a thread of the manager's packs it and puts it in its slot. No
/// other one runs. What comes of it is told as fr_request_done, later. FIRN_NO_MEMORY, also without
/// a thread; as firn_saves_make: the request is then still the caller's.
firn_result fr_worker_begin(firn_saves *saves, fr_request *request, firn_error *err);
/// Collects a save that is done. puts: and puts one that is packed, where the storage wants that to
/// be done by this thread.
void fr_worker_look(firn_saves *saves, bool puts);
/// Waits for the save that runs, and collects it.
void fr_worker_finish(firn_saves *saves);
/// The slot to which a save runs, "autosave" for any of its ring; NULL: none runs.
const char *fr_worker_slot(firn_saves *saves);
/// Whether the save that runs, or is not collected yet, goes to this slot.
bool fr_worker_writes(const firn_saves *saves, const char *slot);
/// Waits, ends the thread and frees everything.
void fr_worker_free(firn_saves *saves);
/// Keeps the other thread from calling the storage.
void fr_saves_lock_storage(const firn_saves *saves);
void fr_saves_unlock_storage(const firn_saves *saves);

#endif
