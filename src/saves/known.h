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
/// Makes room for so many more. False: no memory.
bool fr_known_reserve(const firn_allocator *allocator, fr_known *known, uint32_t more);
/// Adds one, once; there is room for it.
void fr_known_add(fr_known *known, firn_entity entity);
/// Forgets those that do not live.
void fr_known_drop_dead(fr_known *known, const firn_world *world);
/// A copy. False: no memory; *out is then untouched.
bool fr_known_copy(const firn_allocator *allocator, const fr_known *known, fr_known *out);

#endif
