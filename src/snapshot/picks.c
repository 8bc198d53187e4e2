#include "snapshot/picks.h"

#include "base/array.h"

bool fr_picks_add(const firn_world *world, fr_picks *picks, firn_entity entity)
{
    const firn_allocator *allocator = &world->allocator;
    if (fr_picks_have(picks, fr_slot(entity))) {
        return true;
    }
    if (!FR_RESERVE(allocator, picks->entities, picks->capacity, picks->count + 1) ||
        !fr_map_add(allocator, &picks->numbers, fr_slot(entity), picks->count)) {
        return false;
    }
    picks->entities[picks->count++] = entity;
    return true;
}

void fr_picks_free(const firn_world *world, fr_picks *picks)
{
    FR_ARRAY_FREE(&world->allocator, picks->entities, picks->capacity);
    fr_map_free(&world->allocator, &picks->numbers);
    *picks = (fr_picks){.count = 0};
}
