// Slots after a load that keeps others.
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "snapshot/beside_load.h"

// ---------------------------------------------------------------- prepare

firn_result fr_beside_prepare_ids(fr_beside_load *work, firn_error *err)
{
    fr_entity_index *index = &work->world->index;
    uint32_t before = index->capacity;
    if (!FR_RESERVE(&work->world->allocator, index->records, index->capacity, work->slots)) {
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

void fr_beside_retire_slots(const fr_beside_load *work)
{
    fr_entity_index *index = &work->world->index;
    for (uint32_t slot = index->free_head; slot != 0;) {
        uint32_t next = fr_record_next_free(index->records[slot]);
        index->records[slot] = FR_SLOT_NONE;
        slot = next;
    }
    index->free_head = 0;
    index->free_count = 0;
    index->next_slot = work->slots; // of all that is there until ids are settled
}

// The saved free list, then slots that are fresh in the save and below one that is held. Other
// slots that nobody holds belonged to entities that the save does not have: the run that was saved
// would not give them, and nor does this one.
void fr_beside_settle_ids(const fr_beside_load *work)
{
    fr_entity_index *index = &work->world->index;
    const fr_image *image = &work->load.image;
    uint32_t saved = image->prelude.next_slot;
    free_list list = {.index = index};
    settle_next_slot(work, saved);
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
    for (uint32_t slot = saved; slot < index->next_slot; slot++) {
        if (!lives_in_slot(index, slot)) {
            append_free(&list, fr_entity(slot, 0));
        }
    }
}
