/// rename.h (private): entities get other ids and stay what they are: rows, edges from and to them,
/// strings that nobody shares, observers at their address, and every field of type FIRN_ENTITY or
/// FIRN_ENTITY_NUMBER that names them. What values, queued events and the game itself hold stays.
///
/// All of them at once: one may get the id, or the slot, that another one has and loses.
#ifndef FR_RENAME_H
#define FR_RENAME_H

#include "store/relation.h"

typedef struct fr_rename {
    firn_entity from;
    firn_entity to;
    // While it is done.
    uint64_t record;
    fr_reverse_head head;
    uint32_t observers;
} fr_rename;

typedef struct fr_renames {
    fr_rename *items;
    uint32_t count;
    uint32_t capacity;
    fr_map by_slot; ///< slot of `from` -> place in items
    fr_map to_slot; ///< slot of `to` -> place in items
    // Rows of sources of dense relations move.
    struct fr_rename_move *moves;
    uint32_t move_count;
    uint32_t move_capacity;
    fr_reverse_edge *edges; ///< of one relation after another
    uint32_t edge_capacity;
} fr_renames;

/// One more; the id that it has already is none. False: no memory.
bool fr_renames_add(const firn_world *world, fr_renames *renames, firn_entity from, firn_entity to);
/// The id that an entity gets, which is its own when it keeps it; and back: who gets an id, 0 when
/// that is nobody, for who had it gets another.
firn_entity fr_renames_new(const fr_renames *renames, firn_entity entity);
firn_entity fr_renames_old(const fr_renames *renames, firn_entity entity);

// ---- in steps: who is renamed may lose its row in between, and comes back later

/// Makes room for everything but records of the new slots. `from` lives, each once; nobody but one
/// that is renamed has the slot of a `to` at the time of the commit. After fr_targets_end_prepare,
/// if anything ends. FIRN_NO_MEMORY, FIRN_LIMIT; cancel follows.
firn_result fr_renames_prepare(firn_world *world, fr_renames *renames, firn_error *err);
/// Between the steps: where the rows of an archetype are after the commit.
fr_archetype *fr_renames_home(const fr_renames *renames, fr_archetype *archetype);
/// Cannot fail. Slots that nobody has any more are in no list.
void fr_renames_commit(firn_world *world, fr_renames *renames);
/// Instead of commit: removes the archetypes that were made.
void fr_renames_cancel(firn_world *world, fr_renames *renames);
void fr_renames_free(const firn_world *world, fr_renames *renames);

#endif
