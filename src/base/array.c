#include "base/array.h"

#include "base/alloc.h"

#include <stdalign.h>
#include <string.h>

bool fr_array_grow(const firn_allocator *allocator, void *field, uint32_t *capacity, uint32_t need,
                   size_t size)
{
    size_t next = fr_next_capacity(*capacity, need, 8);
    if (next > UINT32_MAX) {
        next = UINT32_MAX;
    }
    void *items;
    memcpy(&items, field, sizeof items);
    items = fr_resize(allocator, items, *capacity, next, size, alignof(max_align_t));
    if (items == NULL) {
        return false;
    }
    memcpy(field, &items, sizeof items);
    *capacity = (uint32_t)next;
    return true;
}

void fr_array_free(const firn_allocator *allocator, void *items, uint32_t capacity, size_t size)
{
    fr_free(allocator, items, capacity, size, alignof(max_align_t));
}
