/// known.h (private): the entities that saves and loads of the manager held. Who has the id of one
/// of them is that entity, whether it persists now or not; who has it otherwise came to it by
/// chance.
#ifndef FR_KNOWN_H
#define FR_KNOWN_H

#include "base/map.h"
#include "firn/world.h"

typedef struct fr_known {
    firn_entity *ids;
    uint32_t count;
    uint32_t room;
    fr_map places; ///< id -> place in `ids`
} fr_known;

void fr_known_free(const firn_allocator *allocator, fr_known *known);
bool fr_known_has(const fr_known *known, firn_entity entity);
/// Adds one, once. False: no memory.
bool fr_known_add(const firn_allocator *allocator, fr_known *known, firn_entity entity);
/// Adds those of another list that live, and are not about to end with a load. False: no memory;
/// some are added.
bool fr_known_add_living(const firn_allocator *allocator, fr_known *known, const fr_known *from,
                         const firn_world *world);

#endif
