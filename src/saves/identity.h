/// identity.h: whether who has the id of a saved entity is that entity, to loads and inspections.
#ifndef FR_IDENTITY_H
#define FR_IDENTITY_H

#include "saves/saves.h"

/// What tells of it besides the world.
typedef struct fr_identity {
    const firn_saves *saves;
    const fr_scene *scene; ///< of the save, and the one that the game is in; its name NULL: none
    const fr_map *same;    ///< slots of those with key and id of the save
    const fr_map *named;   ///< ids of the save whose key is a name
    /// Slots of those asked of so far that do not persist -> whether what they hang below was
    /// spawned and is one of the save. Begins empty; to be freed, with the allocator of the
    /// manager.
    fr_map *below;
} fr_identity;

/// Whether a living entity whose id one of the save has, and that is not known to be another one
/// of the save, is that one. Over all of them it takes time in proportion to their number, however
/// deep they hang; without memory for `below` it takes longer.
bool fr_identity_is_that(const fr_identity *identity, firn_entity entity);

#endif
