/// beside_load.h: the steps of a load that keeps others (beside.h), in the order in which they are
/// taken. What fails is undone by the caller.
#ifndef FR_BESIDE_LOAD_H
#define FR_BESIDE_LOAD_H

#include "snapshot/beside.h"
#include "store/rename.h"

/// A list of ids.
typedef struct fr_ids {
    firn_entity *items;
    uint32_t count;
    uint32_t room;
} fr_ids;

typedef struct fr_beside_load {
    firn_world *world;
    struct fr_beside *beside;
    fr_load load;
    fr_map governed;    ///< slot -> place in beside->governed
    fr_renames renames; ///< those that are asked for, then those that make room
    fr_ids leaving;     ///< living entities whose rows leave: they come back
    fr_ids ending;      ///< governed ones that do not come back
    bool ends_prepared;
    bool put;                    ///< rows, ids and renames are in place
    uint32_t slots;              ///< after the load, at most
    struct fr_late_entity *late; ///< who has rows that are put in last
    uint32_t late_count;
    uint32_t late_room;
} fr_beside_load;

/// Finds out who comes, which living entities come back, who ends, and who moves. FIRN_CORRUPT,
/// FIRN_LIMIT, FIRN_NO_MEMORY.
firn_result fr_beside_sort_out(fr_beside_load *work, firn_error *err);
/// What handlers ask (fr_asked) of a load that was sorted out: who is kept, until it is told to the
/// game; who comes.
firn_entity fr_beside_keeps(const void *work, firn_entity entity);
bool fr_beside_brings(const void *work, firn_entity entity);
bool fr_beside_takes_part(const void *work, firn_entity entity);
firn_entity fr_beside_brings_part(const void *work, firn_entity saved);
/// Records for all slots. FIRN_NO_MEMORY.
firn_result fr_beside_prepare_ids(fr_beside_load *work, firn_error *err);
/// Makes room for the rows that entities are to have besides, when the image is laid out.
/// FIRN_LIMIT, FIRN_NO_MEMORY.
firn_result fr_beside_prepare_rows(fr_beside_load *work, firn_error *err);
/// Puts in those of entities of the image (saved), or of those that are kept: they move before the
/// rows of the image come, which then stay in their order. Cannot fail.
void fr_beside_put_rows(fr_beside_load *work, bool saved);
/// Forgets them; `failed`: archetypes that were made for them go.
void fr_beside_free_rows(fr_beside_load *work, bool failed);
/// Free slots are none any more, before others come to them, also to new ones. Cannot fail.
void fr_beside_retire_slots(const fr_beside_load *work);
/// Next slot and free list, when all rows are in place. Cannot fail.
void fr_beside_settle_ids(const fr_beside_load *work);

#endif
