// Slots after a load that keeps others.
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sort.h"
#include "snapshot/beside_load.h"

// ---------------------------------------------------------------- prepare

static bool add_freed(fr_beside_load *work, uint32_t slot, uint32_t generation)
{
    fr_ids *freed = &work->freed;
    if (!FR_RESERVE(&work->world->allocator, freed->items, freed->room, freed->count + 1)) {
        return false;
    }
    freed->items[freed->count++] = fr_entity(slot, generation);
    return true;
}

// A slot of the last generation retires.
static bool add_left_id(fr_beside_load *work, firn_entity entity)
{
    return fr_generation(entity) == FIRN_GENERATION_MAX ||
           add_freed(work, fr_slot(entity), fr_generation(entity) + 1);
}

// What is free now, from the top down, then what is going to be.
static bool note_free_slots(fr_beside_load *work)
{
    const firn_world *world = work->world;
    bool memory = true;
    for (uint32_t slot = world->index.free_head; memory && slot != 0;) {
        uint64_t record = world->index.records[slot];
        memory = add_freed(work, slot, fr_record_generation(record));
        slot = fr_record_next_free(record);
    }
    for (uint32_t i = 0; memory && i < world->relations.ending_count; i++) {
        memory = add_left_id(work, world->relations.ending[i]);
    }
    for (uint32_t i = 0; memory && i < work->renames.count; i++) {
        firn_entity from = work->renames.items[i].from;
        memory = fr_target_ends(world, from) || add_left_id(work, from);
    }
    return memory;
}

static bool note_saved_free(fr_beside_load *work)
{
    const fr_image *image = &work->load.image;
    const firn_allocator *allocator = &work->world->allocator;
    bool memory = fr_map_reserve(allocator, &work->saved_free, image->world.free_count);
    if (!memory || !image->world.has_free) {
        return memory;
    }
    fr_free_walk walk;
    fr_free_begin(&walk, image);
    uint64_t id;
    while (memory && fr_free_next(&walk, &id)) {
        memory = fr_map_add(allocator, &work->saved_free, fr_slot(id), fr_generation(id));
    }
    return memory;
}

static int compare_freed(const void *a, const void *b)
{
    uint32_t left = fr_slot(*(const firn_entity *)a), right = fr_slot(*(const firn_entity *)b);
    return (left > right) - (left < right);
}

// Slots that are fresh in the image are used in their order.
static bool sort_slots_above(fr_beside_load *work)
{
    const firn_allocator *allocator = &work->world->allocator;
    const fr_ids *freed = &work->freed;
    uint32_t saved = work->load.image.prelude.next_slot, count = 0;
    for (uint32_t i = 0; i < freed->count; i++) {
        count += fr_slot(freed->items[i]) >= saved;
    }
    if (count == 0) {
        return true;
    }
    const void **sorted = fr_alloc(allocator, count, sizeof *sorted, sizeof(void *));
    fr_ids *above = &work->above;
    bool memory = sorted != NULL && FR_RESERVE(allocator, above->items, above->room, count);
    for (uint32_t i = 0, at = 0; memory && i < freed->count; i++) {
        if (fr_slot(freed->items[i]) >= saved) {
            sorted[at++] = &freed->items[i];
        }
    }
    if (memory) {
        fr_sort(sorted, count, compare_freed);
    }
    for (; memory && above->count < count; above->count++) {
        above->items[above->count] = *(const firn_entity *)sorted[above->count];
    }
    fr_free(allocator, sorted, count, sizeof *sorted, sizeof(void *));
    return memory;
}

firn_result fr_beside_prepare_ids(fr_beside_load *work, firn_error *err)
{
    fr_entity_index *index = &work->world->index;
    uint32_t before = index->capacity;
    if (!FR_RESERVE(&work->world->allocator, index->records, index->capacity, work->slots) ||
        !note_free_slots(work) || !sort_slots_above(work) || !note_saved_free(work)) {
        return fr_fail_memory(err, "the entity index");
    }
    // Slots that were never used here; record 0 never is.
    uint32_t first = before == 0 ? 0 : index->next_slot;
    memset(index->records + first, 0, (work->slots - first) * sizeof *index->records);
    return FIRN_OK;
}

// ---------------------------------------------------------------- commit

static bool lives_in_slot(const fr_entity_index *index, uint32_t slot)
{
    fr_slot_kind kind = fr_record_kind(index->records[slot]);
    return kind == FR_SLOT_ALIVE || kind == FR_SLOT_RESERVED;
}

// The free list under construction, from the top down.
typedef struct free_list {
    fr_entity_index *index;
    uint32_t last; // 0: none yet
} free_list;

static void append_free(free_list *list, firn_entity id)
{
    fr_entity_index *index = list->index;
    uint32_t slot = fr_slot(id);
    index->records[slot] = fr_record_dead(fr_generation(id), 0);
    if (list->last == 0) {
        index->free_head = slot;
    } else {
        uint32_t generation = fr_record_generation(index->records[list->last]);
        index->records[list->last] = fr_record_dead(generation, slot);
    }
    list->last = slot;
    index->free_count++;
}

// The next slot is the saved one, or behind the last that is held by an entity that was kept.
static void settle_next_slot(const fr_beside_load *work, uint32_t saved)
{
    fr_entity_index *index = &work->world->index;
    uint32_t next = work->slots;
    while (next > saved && !lives_in_slot(index, next - 1)) {
        next--;
    }
    index->next_slot = next;
}

// Slots that are fresh in the save: those that were in use here, then those that were not.
static void append_slots_above(const fr_beside_load *work, free_list *list, uint32_t unused)
{
    const fr_entity_index *index = list->index;
    for (uint32_t i = 0; i < work->above.count; i++) {
        uint32_t slot = fr_slot(work->above.items[i]);
        if (slot < index->next_slot && !lives_in_slot(index, slot)) {
            append_free(list, fr_entity(slot, 0));
        }
    }
    for (uint32_t slot = unused; slot < index->next_slot; slot++) {
        if (!lives_in_slot(index, slot)) {
            append_free(list, fr_entity(slot, 0));
        }
    }
}

// The saved free list; then slots that are fresh in the save; then those that lived in it, and do
// not now.
void fr_beside_settle_ids(const fr_beside_load *work)
{
    fr_entity_index *index = &work->world->index;
    const fr_image *image = &work->load.image;
    uint32_t saved = image->prelude.next_slot, used = index->next_slot;
    free_list list = {.index = index};
    settle_next_slot(work, saved);
    index->free_head = 0;
    index->free_count = 0;
    if (image->world.has_free) {
        fr_free_walk walk;
        fr_free_begin(&walk, image);
        uint64_t id;
        while (fr_free_next(&walk, &id)) {
            if (!lives_in_slot(index, fr_slot(id))) {
                append_free(&list, id);
            }
        }
    }
    append_slots_above(work, &list, saved > used ? saved : used);
    for (uint32_t i = 0; i < work->freed.count; i++) {
        uint32_t slot = fr_slot(work->freed.items[i]);
        if (slot < saved && !lives_in_slot(index, slot) &&
            fr_map_get(&work->saved_free, slot) == FR_MAP_NONE) {
            append_free(&list, work->freed.items[i]);
        }
    }
}
