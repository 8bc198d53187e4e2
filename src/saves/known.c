// The entities that saves and loads of the manager held.
#include "saves/known.h"

#include "base/array.h"
#include "store/relation.h"

void fr_known_free(const firn_allocator *allocator, fr_known *known)
{
    FR_ARRAY_FREE(allocator, known->ids, known->room);
    fr_map_free(allocator, &known->places);
    *known = (fr_known){.ids = NULL};
}

bool fr_known_has(const fr_known *known, firn_entity entity)
{
    return fr_map_get(&known->places, entity) != FR_MAP_NONE;
}

bool fr_known_add(const firn_allocator *allocator, fr_known *known, firn_entity entity)
{
    if (fr_known_has(known, entity)) {
        return true;
    }
    if (!FR_RESERVE(allocator, known->ids, known->room, known->count + 1) ||
        !fr_map_add(allocator, &known->places, entity, known->count)) {
        return false;
    }
    known->ids[known->count++] = entity;
    return true;
}

bool fr_known_add_living(const firn_allocator *allocator, fr_known *known, const fr_known *from,
                         const firn_world *world)
{
    bool memory = true;
    for (uint32_t i = 0; memory && i < from->count; i++) {
        firn_entity entity = from->ids[i];
        bool lives = firn_alive(world, entity) && !fr_target_ends(world, entity);
        memory = !lives || fr_known_add(allocator, known, entity);
    }
    return memory;
}
