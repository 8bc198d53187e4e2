/// persist_load.h: what a persisted save holds, and its way back.
#ifndef FR_PERSIST_LOAD_H
#define FR_PERSIST_LOAD_H

#include "firn/saves.h"
#include "saves/persist_parts.h"
#include "snapshot/picks.h"

/// The entities that have `persist`.
typedef struct fr_persisted {
    fr_picks roots; ///< all of them
    fr_map keys;    ///< hash of the key -> place in roots
} fr_persisted;

/// An fr_pick_fn whose user is a firn_buffer: picks what is saved whole, and writes the section
/// FIRN_SECTION_PERSIST to the buffer. FIRN_INVALID (firn_persist_check; a spawned one that is not
/// saved whole), FIRN_EXISTS (err->subject: a key that two entities have; err->entity: the second).
firn_result fr_persist_pick(void *section, firn_world *world, fr_picks *picks, firn_error *err);

/// A persisted save on its way in.
typedef struct fr_persist_input {
    const void *image;
    size_t image_size;
    const void *section; ///< FIRN_SECTION_PERSIST
    size_t section_size;
} fr_persist_input;

/// firn_snapshot_load of such a save: only what persists is replaced. Writes loaded->report and
/// loaded->moved. Fails as fr_snapshot_load_beside and fr_parts_read.
firn_result fr_persist_restore(firn_world *world, const fr_persist_input *input,
                               const firn_load_options *options, firn_saves_loaded *loaded,
                               firn_error *err);

#endif
