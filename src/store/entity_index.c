#include "store/entity_index.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"

void fr_entity_index_init(fr_entity_index *index)
{
    *index = (fr_entity_index){.next_slot = 1};
}

void fr_entity_index_free(const firn_allocator *allocator, fr_entity_index *index)
{
    FR_ARRAY_FREE(allocator, index->records, index->capacity);
    fr_entity_index_init(index);
}

firn_result fr_entity_index_reserve(const firn_allocator *allocator, fr_entity_index *index,
                                    uint32_t n, uint32_t most, firn_error *err)
{
    if (index->alive > most || n > most - index->alive) {
        return fr_fail(err, FIRN_LIMIT, "entities",
                       "%u entities live, %u more are above the limit of %u", index->alive, n,
                       most);
    }
    uint32_t fresh = n > index->free_count ? n - index->free_count : 0;
    // Not above the limit either, so that a save has no slot that a load would refuse.
    if (fresh > 0 && index->next_slot - 1 + (uint64_t)fresh > most) {
        return fr_fail(err, FIRN_LIMIT, "entities",
                       "no slots for %u entities: all are in use or retired", n);
    }
    uint32_t need = index->next_slot + fresh;
    if (need <= index->capacity) {
        return FIRN_OK;
    }
    bool first = index->capacity == 0;
    if (!FR_RESERVE(allocator, index->records, index->capacity, need)) {
        return fr_fail_memory(err, "the entity index");
    }
    if (first) {
        index->records[0] = 0;
    }
    return FIRN_OK;
}

void fr_entity_index_take_many(fr_entity_index *index, uint32_t archetype, uint32_t row,
                               firn_entity *ids, uint32_t n)
{
    uint32_t i = 0;
    for (; i < n && index->free_head != 0; i++) {
        ids[i] = fr_entity_index_take(index);
        index->records[fr_slot(ids[i])] = fr_record_of(ids[i], archetype, row + i);
    }
    uint32_t fresh = index->next_slot - i;
    for (; i < n; i++) {
        ids[i] = fr_entity(fresh + i, 0);
        index->records[fresh + i] = fr_record_of(ids[i], archetype, row + i);
        index->next_slot++;
        index->alive++;
    }
}
