/// leaves.h: the leaf fields of a described struct: nested structs and arrays of them taken apart.
#ifndef FR_LEAVES_H
#define FR_LEAVES_H

#include "store/layout.h"

/// Leaves of one struct, former names of one leaf, structs inside each other.
#define FR_LEAVES_MAX       65536
#define FR_FORMER_NAMES_MAX 64
#define FR_NESTING_MAX      16

/// Checks the fields of a FIRN_STRUCT description, and its size and alignment, and makes its
/// leaves, in declared order, without wire offsets. *align receives the alignment of a row. Errors
/// as in fr_layout_make, except those about fields that meet each other (overlaps, equal names).
firn_result fr_leaves_make(const firn_allocator *allocator, const firn_component_desc *desc,
                           const firn_limits *limits, fr_leaf **leaves, uint32_t *count,
                           uint32_t *align, firn_error *err);
void fr_leaves_free(const firn_allocator *allocator, fr_leaf *leaves, uint32_t count);

/// Bytes of one element in memory: also those of a pointer.
uint32_t fr_leaf_element_size(const fr_leaf *leaf);
/// Bytes of the whole leaf in memory.
uint32_t fr_leaf_size(const fr_leaf *leaf);

/// `Component.field`, shortened to what a subject holds. Returns out.
#define FR_FIELD_SUBJECT_BYTES 256
char *fr_field_subject(char out[FR_FIELD_SUBJECT_BYTES], const char *component, const char *field);

#endif
