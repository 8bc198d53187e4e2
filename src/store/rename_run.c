// Entities that get other ids, in one call.
#include "base/array.h"
#include "base/error.h"
#include "store/rename.h"

#include <inttypes.h>
#include <string.h>

static firn_result check_new_id(const firn_world *world, const fr_renames *renames, uint32_t at,
                                firn_error *err)
{
    const fr_rename *rename = &renames->items[at];
    uint32_t slot = fr_slot(rename->to);
    if (slot == 0 || rename->to >> FIRN_SLOT_BITS > FIRN_GENERATION_MAX) {
        return fr_fail_entity(err, FIRN_INVALID, rename->to, "to",
                              "%" PRIu64 " is the id of no entity", rename->to);
    }
    if (slot > world->limits.entities) {
        return fr_fail(err, FIRN_LIMIT, "entities", "the slot %u is above the limit of %u", slot,
                       world->limits.entities);
    }
    uint64_t record = slot < world->index.next_slot ? world->index.records[slot] : 0;
    fr_slot_kind kind = fr_record_kind(record);
    bool taken = (kind == FR_SLOT_ALIVE || kind == FR_SLOT_RESERVED) &&
                 fr_map_get(&renames->by_slot, slot) == FR_MAP_NONE;
    if (taken || fr_map_get(&renames->to_slot, slot) != at) {
        return fr_fail_entity(err, FIRN_EXISTS, rename->to, "to",
                              "the slot of entity %" PRIu64 " is that of another one", rename->to);
    }
    return FIRN_OK;
}

static firn_result check_pair(const firn_world *world, const fr_renames *renames, uint32_t at,
                              firn_error *err)
{
    const fr_rename *rename = &renames->items[at];
    firn_result result = fr_world_check_alive(world, rename->from, err);
    if (result != FIRN_OK) {
        return result;
    }
    return fr_map_get(&renames->by_slot, fr_slot(rename->from)) == at
               ? check_new_id(world, renames, at, err)
               : fr_fail_entity(err, FIRN_INVALID, rename->from, "from",
                                "the entity %" PRIu64 " gets two ids", rename->from);
}

// Records up to the last new slot.
static firn_result reserve_new_records(firn_world *world, const fr_renames *renames, uint32_t *next,
                                       firn_error *err)
{
    fr_entity_index *index = &world->index;
    *next = index->next_slot;
    for (uint32_t i = 0; i < renames->count; i++) {
        uint32_t slot = fr_slot(renames->items[i].to);
        *next = slot >= *next ? slot + 1 : *next;
    }
    if (!FR_RESERVE(&world->allocator, index->records, index->capacity, *next)) {
        return fr_fail_memory(err, "the entity index");
    }
    memset(index->records + index->next_slot, 0,
           (*next - index->next_slot) * sizeof *index->records);
    return FIRN_OK;
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

firn_result fr_renames_run(firn_world *world, fr_renames *renames, firn_error *err)
{
    firn_result result = FIRN_OK;
    uint32_t next = 0;
    for (uint32_t i = 0; result == FIRN_OK && i < renames->count; i++) {
        result = check_pair(world, renames, i, err);
    }
    if (result == FIRN_OK) {
        result = reserve_new_records(world, renames, &next, err);
    }
    if (result == FIRN_OK) {
        result = fr_renames_prepare(world, renames, err);
    }
    if (result != FIRN_OK) {
        fr_renames_cancel(world, renames);
        return result;
    }
    leave_free_list(&world->index, renames, next);
    fr_renames_commit(world, renames);
    free_old_slots(&world->index, renames);
    return FIRN_OK;
}
