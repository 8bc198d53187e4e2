/// beside.h: a load that puts the entities of an image among those of the world: entities that it
/// governs become what the image says, or end; all others are kept as they are.
#ifndef FR_BESIDE_H
#define FR_BESIDE_H

#include "firn/snapshot.h"
#include "snapshot/load.h"

/// A row that an entity is to have, whatever the image says.
typedef struct fr_beside_row {
    firn_entity entity;      ///< as it is called now, or:
    bool saved;              ///< as the image calls it
    fr_component *component; ///< no relation, nothing with strings that nobody shares
    bool keeps;  ///< of an entity of the image, a string or value: it keeps its own if it
                 ///< comes back, else it is to have none; `row` is made by the load
    bool absent; ///< the entity is to lose the component
    bool whole;  ///< else these leaves:
    uint32_t first_leaf;
    uint32_t leaf_count;
    uint8_t *row; ///< made by fr_column_alloc; NULL for a tag
} fr_beside_row;

/// What such a load is about.
struct fr_beside {
    const firn_entity *governed; ///< living entities: those that the image does not have end, with
                                 ///< what ends with them
    uint32_t governed_count;
    /// Living entities, governed ones and others, that the save knows under another id: from
    /// `saved` to `entity`. A governed one whose new id is in the image is restored under it. Of
    /// two that contradict each other the first one holds.
    const firn_merged *renamed;
    uint32_t renamed_count;
    /// Rows of entities that are kept, and of some of the image: those of one stand side by side,
    /// once. Of who does not live they are passed over. What is in place is NULL then.
    fr_beside_row *rows;
    uint32_t row_count;
    /// NULL, or whether a living entity that has the id of one of the image, and is not renamed,
    /// is that one, and restored in place. If not, it ends when it is governed, or else makes room.
    bool (*is_saved)(void *user, firn_entity entity);
    /// NULL, or entities that are kept (slot -> generation) and do not end with what they hang
    /// below: they are rid of it.
    const fr_map *stays;
    /// NULL, both, or what is saved in part: whether a living entity that is kept is, and who has
    /// an id of the save now; 0: nobody. Their script state is that of the save.
    bool (*is_part)(void *user, firn_entity entity);
    firn_entity (*part_of)(void *user, firn_entity saved);
    /// NULL, or called when `moved` is known and who ends is marked (fr_target_ends), before
    /// anything changes. What it returns fails the load.
    firn_result (*sorted)(void *user, const fr_image *image, firn_error *err);
    /// NULL, or called when all is in place, before any callback of the load.
    void (*placed)(void *user, const fr_image *image);
    void *user;
    /// Written: entities that lived and live on under other ids: those above, and ones that were
    /// kept on a slot that is needed. The caller frees them with the world's allocator.
    firn_merged *moved;
    uint32_t moved_count;
    uint32_t moved_room;
};

/// Loads an image. Entities of the image get their ids: those that live are restored in place, the
/// others are made. Rows that are kept stay in front of those that come, in an archetype that has
/// both. One that is kept on a slot of the image, or of one that is renamed, moves to an id above
/// all others. What names an entity that gets another id follows (rename.h). The sources of a
/// target: those that are kept, then those of the image. Ids, free list and the next slot are those
/// of the image for all slots that nobody holds who is kept: slots that entities held whom the
/// image does not have are not given again; name, tick and data as in firn_snapshot_load, whose
/// lifecycle runs. Deferred changes are applied first.
///
/// The cost is that of the image, of what is governed, and of the free lists; of all rows with ids
/// when an entity gets another one.
///
/// Fails as firn_snapshot_load, before anything changes, and with FIRN_EXISTS: an entity that is
/// kept (err->entity) has a unique string of the image; FIRN_CORRUPT (err->subject `ids`): one is
/// renamed to what is no id within the limit of entities.
firn_result fr_snapshot_load_beside(firn_world *world, const void *image, size_t size,
                                    struct fr_beside *beside, const firn_load_options *options,
                                    firn_load_report *report, firn_error *err);

/// Whether an entity lives when such a load is done.
bool fr_beside_lives(const fr_load *load, firn_entity entity);

#endif
