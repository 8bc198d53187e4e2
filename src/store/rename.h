/// rename.h (private): entities get other ids and stay what they are: rows, edges from and to them,
/// strings that nobody shares, observers at their address, and every field of type FIRN_ENTITY or
/// FIRN_ENTITY_NUMBER that names them. What values, queued events and the game itself hold stays.
#ifndef FR_RENAME_H
#define FR_RENAME_H

#include "store/relation.h"

typedef struct fr_rename {
    firn_entity from; ///< lives
    firn_entity to;   ///< a slot above all that are in use, which nobody has
} fr_rename;

typedef struct fr_renames {
    fr_rename *items;
    uint32_t count;
    uint32_t capacity;
    fr_map by_slot; ///< slot of `from` -> place in items
    // Rows of sources of dense relations move.
    struct fr_rename_move *moves;
    uint32_t move_count;
    uint32_t move_capacity;
} fr_renames;

/// False: no memory.
bool fr_renames_add(const firn_world *world, fr_renames *renames, firn_entity from, firn_entity to);
/// Makes room for everything; records of the new slots are the caller's. After
/// fr_targets_end_prepare, if anything ends. FIRN_NO_MEMORY, FIRN_LIMIT.
firn_result fr_renames_prepare(firn_world *world, fr_renames *renames, firn_error *err);
/// Cannot fail. Slots of `from` are then in no list.
void fr_renames_commit(firn_world *world, fr_renames *renames);
/// Instead of commit: removes the archetypes that were made.
void fr_renames_cancel(firn_world *world, fr_renames *renames);
void fr_renames_free(const firn_world *world, fr_renames *renames);

#endif
