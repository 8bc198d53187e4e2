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
#include "store/field_names.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FR_BIG_ENDIAN 1
#else
#define FR_BIG_ENDIAN 0
#endif

/// One leaf field. `count` 0: one value.
typedef struct fr_leaf {
    char *name; ///< full dotted name, owned
    uint32_t name_size;
    firn_type type;
    uint32_t count;
    uint32_t memory_offset;
    uint32_t wire_offset;
    /// Full dotted former names, also through the former names of the structs around it; owned.
    char **former_names;
    uint32_t former_count;
} fr_leaf;

/// Bytes that are copied together: elements that stand side by side in memory and on the wire.
typedef struct fr_run {
    uint32_t memory_offset;
    uint32_t wire_offset;
    uint32_t size;  ///< bytes of one element: what is swapped on big-endian machines; on others a
                    ///< run is one element, whatever fields it spans
    uint32_t count; ///< elements
} fr_run;

/// Bytes of a row that no field covers.
typedef struct fr_hole {
    uint32_t offset;
    uint32_t size;
} fr_hole;

typedef struct fr_layout {
    fr_leaf *leaves;
    uint32_t leaf_count;
    fr_run *runs;
    uint32_t run_count;
    fr_hole *memory_holes;
    uint32_t memory_hole_count;
    fr_hole *wire_holes;
    uint32_t wire_hole_count;
    uint32_t *bools; ///< leaves that hold bools
    uint32_t bool_count;
    fr_field_names names; ///< of the leaves, current and former, sorted
    uint32_t memory_size;
    uint32_t memory_align;
    uint32_t wire_size;
    bool same_shape; ///< every field stands at the same place in memory and on the wire, in rows of
                     ///< the same size and byte order: they differ in holes at most
    bool direct;     ///< rows are equal in memory and on the wire, and have no holes
    bool wire;       ///< no field is a pointer: rows can cross raw. Else there are no wire offsets,
                     ///< runs or holes
    char *fingerprint; ///< `x:float,y:float|8`; "" when not `wire`
} fr_layout;

/// Makes the layout of a FIRN_STRUCT description whose name is valid. FIRN_INVALID with the subject
/// `Component.field`: a bad field name, a duplicate, an unknown type, a field that overlaps
/// another, leaves the struct or is misaligned; bad size or align; nesting deeper than 16.
/// FIRN_NO_MEMORY.
firn_result fr_layout_make(const firn_allocator *allocator, const firn_component_desc *desc,
                           const firn_limits *limits, fr_layout *out, firn_error *err);
/// Lists the names of the leaves in layout->names, which is empty; sorted where none stands twice.
/// False: no memory.
bool fr_layout_index_names(const firn_allocator *allocator, fr_layout *layout);
void fr_layout_free(const firn_allocator *allocator, fr_layout *layout);
/// Same fields, former names, offsets and sizes.
bool fr_layout_equal(const fr_layout *a, const fr_layout *b);

/// `n` rows to wire bytes (n * wire_size), holes zero. Only for layouts that are `wire`, as the
/// two below.
void fr_layout_to_wire(const fr_layout *layout, const void *rows, size_t n, uint8_t *wire);
/// Wire bytes to `n` rows; padding in memory becomes zero.
void fr_layout_from_wire(const fr_layout *layout, const uint8_t *wire, size_t n, void *rows);
/// Whether every bool byte of `n` rows in memory is 0 or 1. False: *row and *leaf say where.
bool fr_layout_check_rows(const fr_layout *layout, const void *rows, size_t n, size_t *row,
                          uint32_t *leaf);

/// The first row with a byte other than 0 and 1 among `count` bytes that begin at `bytes` and at
/// every `stride` behind; n when there is none.
size_t fr_rows_find_bad_bool(const uint8_t *bytes, size_t stride, uint32_t count, size_t n);
/// Copies `size` bytes from each of n places to n others that do not overlap.
void fr_rows_copy(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride,
                  size_t size, size_t n);
/// Copies one number of `size` bytes between memory order and wire order.
void fr_wire_copy(uint8_t *to, const uint8_t *from, uint32_t size);

/// Bytes of one element of a type; 0 for FIRN_POINTER and FIRN_NESTED.
uint32_t fr_type_size(firn_type type);
/// Text of a type as it stands in a fingerprint.
const char *fr_type_text(firn_type type);
/// The number type behind a type: FIRN_CHAR is FIRN_I8, FIRN_ENTITY FIRN_U64, FIRN_ENTITY_NUMBER
/// FIRN_F64.
firn_type fr_type_plain(firn_type type);

#endif
