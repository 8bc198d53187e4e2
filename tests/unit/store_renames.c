#include "unit/store_renames.h"

#include "base/array.h"

#include <string.h>

// Records up to the last new slot.
static bool reserve_new_records(firn_world *world, const fr_renames *renames, uint32_t *next)
{
    fr_entity_index *index = &world->index;
    *next = index->next_slot;
    for (uint32_t i = 0; i < renames->count; i++) {
        uint32_t slot = fr_slot(renames->items[i].to);
        *next = slot >= *next ? slot + 1 : *next;
    }
    if (!FR_RESERVE(&world->allocator, index->records, index->capacity, *next)) {
        return false;
    }
    memset(index->records + index->next_slot, 0,
           (*next - index->next_slot) * sizeof *index->records);
    return true;
}

// A slot follows another one in the free list; 0: the head, the end.
static void link_free(fr_entity_index *index, uint32_t before, uint32_t slot)
{
    if (before == 0) {
        index->free_head = slot;
    } else {
        uint32_t generation = fr_record_generation(index->records[before]);
        index->records[before] = fr_record_dead(generation, slot);
    }
}

// The free list without the new slots, and with those that come in between at its end.
static void leave_free_list(fr_entity_index *index, const fr_renames *renames, uint32_t next)
{
    uint32_t last = 0, slot = index->free_head;
    while (slot != 0) {
        uint32_t following = fr_record_next_free(index->records[slot]);
        if (fr_map_get(&renames->to_slot, slot) == FR_MAP_NONE) {
            link_free(index, last, slot);
            last = slot;
        } else {
            index->free_count--;
        }
        slot = following;
    }
    for (; index->next_slot < next; index->next_slot++) {
        slot = index->next_slot;
        if (fr_map_get(&renames->to_slot, slot) == FR_MAP_NONE) {
            index->records[slot] = fr_record_dead(0, 0);
            link_free(index, last, slot);
            last = slot;
            index->free_count++;
        }
    }
    link_free(index, last, 0);
}

static void free_old_slots(fr_entity_index *index, const fr_renames *renames)
{
    for (uint32_t i = 0; i < renames->count; i++) {
        firn_entity from = renames->items[i].from;
        if (fr_map_get(&renames->to_slot, fr_slot(from)) == FR_MAP_NONE) {
            index->alive++; // nobody ends
            fr_entity_index_release(index, from);
        }
    }
}

firn_result renames_run(firn_world *world, fr_renames *renames, firn_error *err)
{
    uint32_t next = 0;
    if (!reserve_new_records(world, renames, &next)) {
        return FIRN_NO_MEMORY;
    }
    firn_result result = fr_renames_prepare(world, renames, err);
    if (result != FIRN_OK) {
        fr_renames_cancel(world, renames);
        return result;
    }
    leave_free_list(&world->index, renames, next);
    fr_renames_commit(world, renames);
    free_old_slots(&world->index, renames);
    return FIRN_OK;
}
