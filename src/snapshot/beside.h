/// beside.h: a load that puts the entities of an image among those of the world: entities that it
/// governs become what the image says, or end; all others are kept as they are.
#ifndef FR_BESIDE_H
#define FR_BESIDE_H

#include "firn/snapshot.h"
#include "snapshot/load.h"

/// What such a load is about.
struct fr_beside {
    const firn_entity *governed; ///< living entities: those that the image does not have end, with
                                 ///< what ends with them
    uint32_t governed_count;
    /// NULL, or called when the rows are in place, before any callback of the load. A failure does
    /// not undo the load, and is returned by it.
    firn_result (*placed)(void *user, firn_world *world, firn_error *err);
    void *user;
    /// Written: entities that were kept and moved to other ids, for the image needs their slots.
    /// The caller frees them with the world's allocator.
    firn_merged *moved;
    uint32_t moved_count;
    uint32_t moved_room;
};

/// Loads an image. Entities of the image get their ids: those that live are restored in place, the
/// others are made. Rows that are kept stay in front of those that come, in an archetype that has
/// both. One that is kept on a slot of the image moves to an id above all others, and what names it
/// follows (rename.h). The sources of a target: those that are kept, then those of the image. Ids,
/// free list and the next slot are those of the image for all slots that nobody holds who is kept;
/// name, tick and data as in firn_snapshot_load, whose lifecycle runs. Deferred changes are applied
/// first.
///
/// The cost is that of the image, of what is governed, and of the free lists.
///
/// Fails as firn_snapshot_load, before anything changes, and with FIRN_EXISTS: an entity that is
/// kept (err->entity) has a unique string of the image.
firn_result fr_snapshot_load_beside(firn_world *world, const void *image, size_t size,
                                    struct fr_beside *beside, const firn_load_options *options,
                                    firn_load_report *report, firn_error *err);

/// Whether an entity lives when such a load is done.
bool fr_beside_lives(const fr_load *load, firn_entity entity);

#endif
