/// last_save.h: what a save of a world leaves for the next one, the part FR_PART_LAST_SAVE: memory,
/// and where nothing but rows came and went since, what it selected. Nothing of it shows in a save.
#ifndef FR_LAST_SAVE_H
#define FR_LAST_SAVE_H

#include "snapshot/selection.h"

/// More than this is not kept for the next save.
#define FR_LAST_SAVE_BYTES ((size_t)1 << 18)

typedef struct fr_last_save {
    fr_selection selection;
    firn_buffer table; ///< the component table of the selection, encoded; empty: not yet
    firn_buffer scratch;
    /// The selection can be repeated while the world has these archetypes and components and no
    /// others, and the same of them have rows: it is of all entities, and nothing of it depends on
    /// the rows themselves, as targets in names do, or can change, as kept components can.
    bool repeatable;
    uint64_t archetypes_made;
    uint32_t components;
} fr_last_save;

/// Made when there is none. NULL: FIRN_NO_MEMORY.
fr_last_save *fr_last_save_of(firn_world *world, firn_error *err);
/// Selects, as fr_select, into last->selection; where the last one can be repeated, only rows are
/// counted.
firn_result fr_last_save_select(fr_last_save *last, const firn_world *world, fr_filter *filter,
                                firn_error *err);
/// The save is over: lets go of memory above FR_LAST_SAVE_BYTES.
void fr_last_save_rest(fr_last_save *last, const firn_world *world);

#endif
