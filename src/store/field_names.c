#include "store/field_names.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <stdalign.h>
#include <string.h>

bool fr_field_names_alloc(const firn_allocator *allocator, fr_field_names *names, uint32_t count)
{
    fr_field_names made = {NULL, NULL, count};
    made.items = fr_alloc(allocator, count, sizeof *made.items, alignof(fr_field_name));
    made.sorted = fr_alloc(allocator, count, sizeof *made.sorted, alignof(fr_field_name *));
    if (made.items == NULL || made.sorted == NULL) {
        fr_field_names_free(allocator, &made);
        return false;
    }
    *names = made;
    return true;
}

void fr_field_names_free(const firn_allocator *allocator, fr_field_names *names)
{
    fr_free(allocator, names->items, names->count, sizeof *names->items, alignof(fr_field_name));
    fr_free(allocator, names->sorted, names->count, sizeof *names->sorted,
            alignof(fr_field_name *));
    *names = (fr_field_names){NULL, NULL, 0};
}

static int compare_field_names(const void *a, const void *b)
{
    const fr_field_name *left = a;
    const fr_field_name *right = b;
    return fr_compare_names(left->bytes, left->size, right->bytes, right->size);
}

bool fr_field_names_sort(fr_field_names *names, const fr_field_name **a, const fr_field_name **b)
{
    for (uint32_t i = 0; i < names->count; i++) {
        names->sorted[i] = &names->items[i];
    }
    fr_sort((const void **)names->sorted, names->count, compare_field_names);
    for (uint32_t i = 1; i < names->count; i++) {
        if (compare_field_names(names->sorted[i - 1], names->sorted[i]) == 0) {
            *a = names->sorted[i - 1];
            *b = names->sorted[i];
            return false;
        }
    }
    return true;
}

// The index of the first name that is not before `bytes`.
static uint32_t name_lower_bound(const fr_field_names *names, const char *bytes, size_t size)
{
    uint32_t low = 0;
    uint32_t high = names->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const fr_field_name *name = names->sorted[middle];
        if (fr_compare_names(name->bytes, name->size, bytes, size) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const fr_field_name *fr_field_names_find(const fr_field_names *names, const char *bytes,
                                         size_t size)
{
    uint32_t at = name_lower_bound(names, bytes, size);
    if (at == names->count) {
        return NULL;
    }
    const fr_field_name *name = names->sorted[at];
    return name->size == size && memcmp(name->bytes, bytes, size) == 0 ? name : NULL;
}

bool fr_field_names_continue(const fr_field_names *names, const char *bytes, size_t size, char next)
{
    // Names that begin with `bytes` stand together, but not only those that go on with `next`.
    for (uint32_t at = name_lower_bound(names, bytes, size); at < names->count; at++) {
        const fr_field_name *name = names->sorted[at];
        if (name->size < size || memcmp(name->bytes, bytes, size) != 0) {
            return false;
        }
        if (name->size > size && name->bytes[size] == next) {
            return true;
        }
    }
    return false;
}
