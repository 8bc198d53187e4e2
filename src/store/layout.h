/// layout.h: a struct in memory against its row on the wire.
///
/// The wire row is the leaf fields in declared order (nested ones by dotted name, an element of an
/// array of structs as `name[i]`), little-endian, each at its natural offset (aligned to its own
/// size, 8 for 64-bit types on every machine), holes zero, the size rounded up to the largest
/// field. A plan says how rows cross: one memcpy when memory equals wire and has no holes, else
/// runs of bytes field by field.
#ifndef FR_LAYOUT_H
#define FR_LAYOUT_H

#include "firn/world.h"

/// One leaf field. `count` 0: one value.
typedef struct fr_leaf {
    char *name; ///< full dotted name, owned
    uint32_t name_size;
    firn_type type;
    uint32_t count;
    uint32_t memory_offset;
    uint32_t wire_offset;
    char **
        former_names; ///< full dotted former names (a nested struct's former names combined), owned
    uint32_t former_count;
} fr_leaf;

/// A run of equal elements that is copied together.
typedef struct fr_run {
    uint32_t memory_offset;
    uint32_t wire_offset;
    uint32_t size;  ///< bytes of one element: what is swapped on big-endian machines
    uint32_t count; ///< elements
} fr_run;

typedef struct fr_layout {
    fr_leaf *leaves;
    uint32_t leaf_count;
    fr_run *runs; ///< neighbours that are adjacent in both are one run on little-endian machines
    uint32_t run_count;
    uint32_t *bools; ///< leaves that hold bools
    uint32_t bool_count;
    uint32_t memory_size;
    uint32_t memory_align;
    uint32_t wire_size;
    bool direct;       ///< rows are equal in memory and on the wire, and have no holes
    bool wire;         ///< has fields, none of them a pointer: rows can cross raw
    char *fingerprint; ///< `x:float,y:float|8`; "" when not `wire`
} fr_layout;

/// Makes the layout of a FIRN_STRUCT description whose name is valid. FIRN_INVALID with the subject
/// `Component.field`: a bad field name, a duplicate, an unknown type, a field that overlaps
/// another, leaves the struct or is misaligned; bad size or align; nesting deeper than 16.
/// FIRN_NO_MEMORY.
firn_result fr_layout_make(const firn_allocator *allocator, const firn_component_desc *desc,
                           const firn_limits *limits, fr_layout *out, firn_error *err);
void fr_layout_free(const firn_allocator *allocator, fr_layout *layout);
/// Same fields, offsets and sizes.
bool fr_layout_equal(const fr_layout *a, const fr_layout *b);

/// `n` rows to wire bytes (n * wire_size), holes zero.
void fr_layout_to_wire(const fr_layout *layout, const void *rows, size_t n, uint8_t *wire);
/// Wire bytes to `n` rows; padding in memory becomes zero.
void fr_layout_from_wire(const fr_layout *layout, const uint8_t *wire, size_t n, void *rows);
/// Whether every bool byte is 0 or 1, in memory or on the wire. False: *row and *leaf say where.
bool fr_layout_check_rows(const fr_layout *layout, const void *rows, size_t n, size_t *row,
                          uint32_t *leaf);

/// Bytes of one element of a type; 0 for FIRN_POINTER and FIRN_NESTED.
uint32_t fr_type_size(firn_type type);
/// Text of a type as it stands in a fingerprint.
const char *fr_type_text(firn_type type);

#endif
