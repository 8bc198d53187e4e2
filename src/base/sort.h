/// sort.h: sorting pointers without memory and without a bad case (heapsort).
#ifndef FR_SORT_H
#define FR_SORT_H

#include "firn/base.h"

/// <0, 0, >0 as strcmp.
typedef int (*fr_compare)(const void *a, const void *b);

/// Sorts `count` pointers. Not stable: make ties impossible or harmless. Items in order already
/// cost one pass.
void fr_sort(const void **items, size_t count, fr_compare compare);

/// Compares names bytewise, a shorter one first: the order of everything that firn orders by name.
int fr_compare_names(const char *a, size_t a_size, const char *b, size_t b_size);

#endif
