/// picks.h: entities that are saved one by one, in place of a filter: a save of few entities of a
/// large world, whose cost is that of the few.
#ifndef FR_PICKS_H
#define FR_PICKS_H

#include "firn/snapshot.h"
#include "store/world.h"

typedef struct fr_picks {
    firn_entity *entities; ///< in the order in which they were picked
    uint32_t count;
    uint32_t capacity;
    fr_map numbers; ///< slot -> place in `entities`
    fr_map parts;   ///< slots of living entities that are saved in part, elsewhere
} fr_picks;

/// Room for so many more. False: no memory.
bool fr_picks_reserve(const firn_world *world, fr_picks *picks, uint32_t more);
/// Picks a living entity, once. False: no memory.
bool fr_picks_add(const firn_world *world, fr_picks *picks, firn_entity entity);
/// The same of an entity, its sources by a relation that lists them, theirs, and so on, level by
/// level. False: no memory; some are picked.
bool fr_picks_add_tree(const firn_world *world, fr_picks *picks, firn_component relation,
                       firn_entity root);
/// Whether the entity in a slot is picked.
static inline bool fr_picks_have(const fr_picks *picks, uint32_t slot)
{
    return fr_map_get(&picks->numbers, slot) != FR_MAP_NONE;
}
void fr_picks_free(const firn_world *world, fr_picks *picks);

/// Says what is saved, when the observers of OnSnapshotSave have run. What it returns fails the
/// save.
typedef firn_result (*fr_pick_fn)(void *user, firn_world *world, fr_picks *picks, firn_error *err);

#endif
