/// array.h: growing arrays. An array is three fields of its owner: pointer, count, capacity.
#ifndef FR_ARRAY_H
#define FR_ARRAY_H

#include "firn/base.h"

/// Makes room for at least `need` items of `size` bytes. `field` is the address of the owner's
/// pointer, of any pointer type (it is read and written with memcpy); it and *capacity change
/// together, or not at all (false: no memory). Alignment is that of max_align_t.
static inline bool fr_array_reserve(const firn_allocator *allocator, void *field,
                                    uint32_t *capacity, uint32_t need, size_t size);
/// The same when there is not room enough.
bool fr_array_grow(const firn_allocator *allocator, void *field, uint32_t *capacity, uint32_t need,
                   size_t size);
void fr_array_free(const firn_allocator *allocator, void *items, uint32_t capacity, size_t size);

static inline bool fr_array_reserve(const firn_allocator *allocator, void *field,
                                    uint32_t *capacity, uint32_t need, size_t size)
{
    return need <= *capacity || fr_array_grow(allocator, field, capacity, need, size);
}

/// `FR_RESERVE(allocator, owner->things, owner->thing_capacity, need)`
#define FR_RESERVE(allocator, items, capacity, need)                                               \
    fr_array_reserve((allocator), &(items), &(capacity), (need), sizeof *(items))
#define FR_ARRAY_FREE(allocator, items, capacity)                                                  \
    fr_array_free((allocator), (items), (capacity), sizeof *(items))

#endif
