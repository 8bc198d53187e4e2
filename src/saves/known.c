// The entities that saves and loads of the manager held.
#include "saves/known.h"

#include "base/array.h"

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

bool fr_known_reserve(const firn_allocator *allocator, fr_known *known, uint32_t more)
{
    return FR_RESERVE(allocator, known->ids, known->room, known->count + more) &&
           fr_map_reserve(allocator, &known->places, more);
}

void fr_known_add(fr_known *known, firn_entity entity)
{
    if (!fr_known_has(known, entity)) {
        (void)fr_map_add(NULL, &known->places, entity, known->count);
        known->ids[known->count++] = entity;
    }
}

void fr_known_drop_dead(fr_known *known, const firn_world *world)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < known->count; i++) {
        if (firn_alive(world, known->ids[i])) {
            known->ids[count++] = known->ids[i];
        }
    }
    if (count == known->count) {
        return;
    }
    known->count = count;
    fr_map_clear(&known->places);
    for (uint32_t i = 0; i < count; i++) {
        (void)fr_map_add(NULL, &known->places, known->ids[i], i);
    }
}

bool fr_known_copy(const firn_allocator *allocator, const fr_known *known, fr_known *out)
{
    fr_known copy = {.ids = NULL};
    if (!fr_known_reserve(allocator, &copy, known->count)) {
        fr_known_free(allocator, &copy);
        return false;
    }
    for (uint32_t i = 0; i < known->count; i++) {
        fr_known_add(&copy, known->ids[i]);
    }
    *out = copy;
    return true;
}
