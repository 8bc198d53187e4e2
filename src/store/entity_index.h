/// entity_index.h: where each entity lives. One 64-bit record a slot:
///
///     bits 0-1  kind: 0 never used or retired, 1 alive, 2 dead, 3 reserved
///     alive     bits 2-23 row, bits 24-41 archetype, bits 42-63 generation + 1, or 0: the
///               generation stands in the id column only, for it is larger or nobody looked
///     dead      bits 2-32 generation that the next entity gets, bits 33-54 next free slot (0: end)
///     reserved  bits 2-32 generation
///
/// Freed slots are reused last in, first out. The generation rises when a slot is freed; a slot
/// that was freed at the last generation is retired: never used again.
#ifndef FR_ENTITY_INDEX_H
#define FR_ENTITY_INDEX_H

#include "firn/base.h"

#include <assert.h>

#define FR_ARCHETYPE_BITS       18
#define FR_ALIVE_GENERATION_BIT (2 + FIRN_SLOT_BITS + FR_ARCHETYPE_BITS)

typedef enum fr_slot_kind {
    FR_SLOT_NONE,
    FR_SLOT_ALIVE,
    FR_SLOT_DEAD,
    FR_SLOT_RESERVED
} fr_slot_kind;

typedef struct fr_entity_index {
    uint64_t *records; ///< [capacity], made by fr_array_reserve; record 0 is never used
    uint32_t capacity;
    uint32_t next_slot; ///< the next slot that was never used; 1 in an empty world
    uint32_t free_head; ///< the slot that is reused next, or 0
    uint32_t free_count;
    uint32_t alive; ///< alive and reserved ones
} fr_entity_index;

static inline uint32_t fr_slot(firn_entity id)
{
    return (uint32_t)(id & FIRN_SLOT_MAX);
}
static inline uint32_t fr_generation(firn_entity id)
{
    return (uint32_t)(id >> FIRN_SLOT_BITS);
}
static inline firn_entity fr_entity(uint32_t slot, uint32_t generation)
{
    return ((uint64_t)generation << FIRN_SLOT_BITS) | slot;
}
static inline uint64_t fr_record_alive(uint32_t archetype, uint32_t row)
{
    return FR_SLOT_ALIVE | (uint64_t)row << 2 | (uint64_t)archetype << 24;
}
/// What the record of a living `id` knows of it, to be added to fr_record_alive: its generation.
static inline uint64_t fr_record_known(firn_entity id)
{
    uint64_t mark = (id >> FIRN_SLOT_BITS) + 1;
    return mark >> (64 - FR_ALIVE_GENERATION_BIT) == 0 ? mark << FR_ALIVE_GENERATION_BIT : 0;
}
static inline uint64_t fr_record_of(firn_entity id, uint32_t archetype, uint32_t row)
{
    return fr_record_alive(archetype, row) | fr_record_known(id);
}
/// An alive record whose entity moved to another row of its archetype.
static inline uint64_t fr_record_moved(uint64_t record, uint32_t row)
{
    return (record & ~((uint64_t)FIRN_SLOT_MAX << 2)) | (uint64_t)row << 2;
}
static inline uint64_t fr_record_dead(uint32_t generation, uint32_t next_free)
{
    return FR_SLOT_DEAD | (uint64_t)generation << 2 | (uint64_t)next_free << 33;
}
static inline uint64_t fr_record_reserved(uint32_t generation)
{
    return FR_SLOT_RESERVED | (uint64_t)generation << 2;
}
static inline fr_slot_kind fr_record_kind(uint64_t record)
{
    return (fr_slot_kind)(record & 3);
}
static inline uint32_t fr_record_row(uint64_t record)
{
    return (uint32_t)(record >> 2) & FIRN_SLOT_MAX;
}
static inline uint32_t fr_record_archetype(uint64_t record)
{
    return (uint32_t)(record >> 24) & ((1u << FR_ARCHETYPE_BITS) - 1);
}
/// An alive one: its generation + 1, or 0: the id column tells it.
static inline uint64_t fr_record_mark(uint64_t record)
{
    return record >> FR_ALIVE_GENERATION_BIT;
}
static inline uint32_t fr_record_generation(uint64_t record) ///< dead and reserved
{
    return (uint32_t)(record >> 2) & FIRN_GENERATION_MAX;
}
static inline uint32_t fr_record_next_free(uint64_t record)
{
    return (uint32_t)(record >> 33) & FIRN_SLOT_MAX;
}

void fr_entity_index_init(fr_entity_index *index);
void fr_entity_index_free(const firn_allocator *allocator, fr_entity_index *index);
/// Makes room so that `n` fr_entity_index_take calls cannot fail. FIRN_LIMIT when more than `most`
/// entities would be alive or all slots are used or retired; FIRN_NO_MEMORY.
firn_result fr_entity_index_reserve(const firn_allocator *allocator, fr_entity_index *index,
                                    uint32_t n, uint32_t most, firn_error *err);
/// The next `n` ids, alive at once in rows row .. row + n - 1 of an archetype. Call
/// fr_entity_index_reserve first.
void fr_entity_index_take_many(fr_entity_index *index, uint32_t archetype, uint32_t row,
                               firn_entity *ids, uint32_t n);

/// Whether fr_entity_index_take can be called once as things are: fr_entity_index_reserve of 1
/// would do nothing.
static inline bool fr_entity_index_has_room(const fr_entity_index *index, uint32_t most)
{
    bool fresh = index->next_slot < index->capacity && index->next_slot <= most;
    return index->alive < most && (index->free_head != 0 || fresh);
}

/// The next id: reuses the free slot on top, else a fresh one. The record becomes reserved; the
/// caller makes it alive. Call fr_entity_index_reserve first.
static inline firn_entity fr_entity_index_take(fr_entity_index *index)
{
    uint32_t slot = index->free_head;
    uint32_t generation = 0;
    if (slot != 0) {
        uint64_t record = index->records[slot];
        assert(fr_record_kind(record) == FR_SLOT_DEAD);
        generation = fr_record_generation(record);
        index->free_head = fr_record_next_free(record);
        index->free_count--;
    } else {
        assert(index->next_slot < index->capacity);
        slot = index->next_slot++;
    }
    index->records[slot] = fr_record_reserved(generation);
    index->alive++;
    return fr_entity(slot, generation);
}

/// Frees an alive or reserved slot whose id is `id`: the generation rises, or the slot retires.
static inline void fr_entity_index_release(fr_entity_index *index, firn_entity id)
{
    uint32_t slot = fr_slot(id);
    uint32_t generation = fr_generation(id);
    assert(slot != 0 && slot < index->next_slot);
    index->alive--;
    if (generation >= FIRN_GENERATION_MAX) {
        index->records[slot] = FR_SLOT_NONE;
        return;
    }
    index->records[slot] = fr_record_dead(generation + 1, index->free_head);
    index->free_head = slot;
    index->free_count++;
}

#endif
