#include "snapshot/picks.h"

#include "base/array.h"
#include "store/relation.h"

bool fr_picks_reserve(const firn_world *world, fr_picks *picks, uint32_t more)
{
    const firn_allocator *allocator = &world->allocator;
    return FR_RESERVE(allocator, picks->entities, picks->capacity, picks->count + more) &&
           fr_map_reserve(allocator, &picks->numbers, more);
}

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

bool fr_picks_add_tree(const firn_world *world, fr_picks *picks, firn_component relation,
                       firn_entity root)
{
    uint32_t index = fr_component_index(world, relation);
    const fr_reverse *reverse = &world->components.items[index]->reverse;
    fr_picks tree = {.count = 0};
    bool memory = fr_picks_add(world, &tree, root);
    for (uint32_t i = 0; memory && i < tree.count; i++) {
        firn_entity parent = tree.entities[i], child = fr_reverse_first(reverse, fr_slot(parent));
        for (; memory && child != 0; child = fr_reverse_next(reverse, child, parent)) {
            memory = fr_picks_add(world, &tree, child);
        }
    }
    for (uint32_t i = 0; memory && i < tree.count; i++) {
        memory = fr_picks_add(world, picks, tree.entities[i]);
    }
    fr_picks_free(world, &tree);
    return memory;
}

void fr_picks_free(const firn_world *world, fr_picks *picks)
{
    FR_ARRAY_FREE(&world->allocator, picks->entities, picks->capacity);
    fr_map_free(&world->allocator, &picks->numbers);
    fr_map_free(&world->allocator, &picks->parts);
    *picks = (fr_picks){.count = 0};
}
