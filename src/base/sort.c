#include "base/sort.h"

#include <string.h>

int fr_compare_names(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    if (order != 0) {
        return order;
    }
    return a_size < b_size ? -1 : a_size > b_size;
}

static bool pointers_in_order(const void **items, size_t count, fr_compare compare)
{
    for (size_t i = 1; i < count; i++) {
        if (compare(items[i - 1], items[i]) > 0) {
            return false;
        }
    }
    return true;
}

static void sift_down(const void **items, size_t root, size_t count, fr_compare compare)
{
    const void *item = items[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && compare(items[child], items[child + 1]) < 0) {
            child++;
        }
        if (compare(item, items[child]) >= 0) {
            break;
        }
        items[root] = items[child];
    }
    items[root] = item;
}

void fr_sort(const void **items, size_t count, fr_compare compare)
{
    if (count < 2 || pointers_in_order(items, count, compare)) {
        return;
    }
    for (size_t i = count / 2; i > 0; i--) {
        sift_down(items, i - 1, count, compare);
    }
    for (size_t last = count - 1; last > 0; last--) {
        const void *largest = items[0];
        items[0] = items[last];
        items[last] = largest;
        sift_down(items, 0, last, compare);
    }
}
