/// field_names.h: the names of fields, current and former, sorted bytewise: the order in which a
/// row is written as a table, and the index by which a name finds its field.
#ifndef FR_FIELD_NAMES_H
#define FR_FIELD_NAMES_H

#include "firn/base.h"

typedef struct fr_field_name {
    const char *bytes; ///< not zero-terminated, not owned
    uint32_t size;
    uint32_t field; ///< index of the field
    bool former;    ///< a name that the field had before
} fr_field_name;

typedef struct fr_field_names {
    fr_field_name *items;         ///< in the order in which they were filled in
    const fr_field_name **sorted; ///< bytewise, a name before the longer ones that begin with it
    uint32_t count;
} fr_field_names;

/// Makes room for `count` names, count > 0, which the caller fills in. False: no memory.
bool fr_field_names_alloc(const firn_allocator *allocator, fr_field_names *names, uint32_t count);
void fr_field_names_free(const firn_allocator *allocator, fr_field_names *names);
/// Sorts the items that were filled in. False when a name stands twice: *a and *b are the two.
bool fr_field_names_sort(fr_field_names *names, const fr_field_name **a, const fr_field_name **b);
/// The item of that name in sorted names, or NULL.
const fr_field_name *fr_field_names_find(const fr_field_names *names, const char *bytes,
                                         size_t size);
/// Whether one of the sorted names is longer than `bytes`, begins with them, and goes on with
/// `next`.
bool fr_field_names_continue(const fr_field_names *names, const char *bytes, size_t size,
                             char next);

#endif
