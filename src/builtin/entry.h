/// entry.h: how a built-in handler reads its entry of a save.
#ifndef FR_ENTRY_H
#define FR_ENTRY_H

#include "base/error.h"
#include "firn/plugin.h"
#include "store/world.h"

/// An entry as a tree.
typedef struct fr_game_entry {
    const firn_world *world;
    const char *key;
    uint64_t place;          ///< of its first byte, for errors
    const firn_value *value; ///< a table
    firn_reader *in;         ///< for firn_reader_entity
} fr_game_entry;

/// What a handler makes of its entry: `saved`, which its commit takes.
typedef struct fr_entry_reading {
    const char *key;
    uint64_t most;     ///< values that the entry may hold: FIRN_LIMIT
    size_t saved_size; ///< allocated as one item of this size and alignment, of zeros
    size_t saved_align;
    firn_result (*read)(void *user, const fr_game_entry *entry, void *saved, firn_error *err);
    /// Of the handler: frees `saved` and what is in it, also when `read` stopped half way.
    void (*discard)(void *user, firn_world *world, void *saved);
} fr_entry_reading;

/// The check of a handler. A save without the entry prepares nothing.
firn_result fr_entry_check(const fr_entry_reading *reading, void *user, firn_world *world,
                           firn_reader *in, void **prepared, firn_error *err);
/// Fails at the entry with its key before the message.
firn_result fr_entry_fail(const fr_game_entry *entry, firn_result code, firn_error *err,
                          const char *format, ...) FR_PRINTF(4, 5);

#endif
