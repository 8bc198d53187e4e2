/// archetype.h: all entities with the same set of terms, as dense columns.
///
/// A term is 64 bits: component index << 32 | target slot (0 for a plain component). The key is the
/// sorted array of terms. Every column is one block of capacity * stride bytes, aligned to 64; so
/// is the id column. Tags have no column.
#ifndef FR_ARCHETYPE_H
#define FR_ARCHETYPE_H

#include "store/component.h"

typedef uint64_t fr_term;

static inline fr_term fr_term_make(uint32_t component, uint32_t target_slot)
{
    return (uint64_t)component << 32 | target_slot;
}
static inline uint32_t fr_term_component(fr_term term)
{
    return (uint32_t)(term >> 32);
}

typedef struct fr_column {
    uint8_t *data;
    fr_component *component;
    uint32_t term; ///< index in the archetype's terms
} fr_column;

typedef struct fr_archetype {
    uint32_t index; ///< in the world's archetypes; stands in entity records
    uint32_t term_count;
    fr_term *terms;            ///< sorted
    fr_component **components; ///< per term
    int32_t *column_of_term;   ///< per term: its column, or -1
    uint32_t
        *by_name; ///< term indices: durable ones in the order of their names, then transient ones
    uint32_t durable_count;
    uint32_t column_count;
    fr_column *columns;
    firn_entity *entities; ///< [capacity]
    uint32_t count;
    uint32_t capacity;
    bool disabled;    ///< has the component Disabled
    fr_map edges_add; ///< component index -> archetype index, for plain terms
    fr_map edges_remove;
} fr_archetype;

/// Makes an archetype without rows. NULL: no memory.
fr_archetype *fr_archetype_create(const firn_allocator *allocator, const fr_components *components,
                                  const fr_term *terms, uint32_t count);
/// Frees it; rows must have been dropped.
void fr_archetype_destroy(const firn_allocator *allocator, fr_archetype *archetype);
/// Makes room for `rows` rows in all. All columns grow, or none (false). Blocks move, with move
/// hooks.
bool fr_archetype_reserve(const firn_allocator *allocator, fr_archetype *archetype, uint32_t rows);
/// The column of a component, or NULL. Tags have none: fr_archetype_term tells whether it is there.
fr_column *fr_archetype_column(const fr_archetype *archetype, uint32_t component);
/// The index of a plain component's term, or -1.
int32_t fr_archetype_term(const fr_archetype *archetype, uint32_t component);
/// <0, 0, >0: the decided order: names of durable terms one by one, a shorter list first, then
/// targets, then transient names.
int fr_archetype_compare(const fr_archetype *a, const fr_archetype *b);
/// Whether the durable terms are the same: their rows share a frame in a save.
bool fr_archetype_same_durable(const fr_archetype *a, const fr_archetype *b);

/// Allocates and frees a block for a column of `capacity` rows (64-byte aligned; stride 0 gives
/// NULL).
void *fr_column_alloc(const firn_allocator *allocator, uint32_t stride, uint32_t capacity);
void fr_column_free(const firn_allocator *allocator, void *data, uint32_t stride,
                    uint32_t capacity);

/// Calls the drop hooks of rows [first, first + n) of every column and tag, frees blobs; the rows
/// are garbage afterwards. `world` only fills firn_rows; the caller locks it.
void fr_archetype_drop_rows(const firn_allocator *allocator, const firn_world *world,
                            fr_archetype *archetype, uint32_t first, uint32_t n);
/// Takes a row out whose values were moved or dropped: the last row takes its place (move hooks).
/// Returns the id that moved to `row`, or 0 when it was the last. Does not touch the index.
firn_entity fr_archetype_take_out(fr_archetype *archetype, uint32_t row);

#endif
