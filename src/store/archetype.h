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

/// What the rows of a component need beyond copying.
enum fr_column_needs {
    FR_NEEDS_INIT = 1,   ///< has an init hook
    FR_NEEDS_DROP = 2,   ///< has a drop hook
    FR_NEEDS_MOVE = 4,   ///< has a move hook
    FR_NEEDS_FREE = 8,   ///< rows are blobs
    FR_NEEDS_CALL = 16,  ///< rows are larger than FR_PLAIN_BYTES: worth a call of memcpy
    FR_NEEDS_LINKS = 32, ///< rows are edges of a relation, which are linked
    FR_NEEDS_EDGES = 64, ///< rows own arrays of them
    FR_NEEDS_MANY = 128  ///< a row may have several edges
};
#define FR_PLAIN_BYTES 64
/// What plain rows may need (plain.h): it is not about their bytes.
#define FR_NEEDS_OF_PLAIN ((uint32_t)FR_NEEDS_LINKS | (uint32_t)FR_NEEDS_MANY)

/// Where a term stands, or would stand, in a sorted array.
uint32_t fr_terms_place(const fr_term *terms, uint32_t count, fr_term term);
/// Inserts a term that is not there yet; there is room for it.
void fr_terms_insert(fr_term *terms, uint32_t *count, fr_term term);

typedef struct fr_column {
    uint8_t *data;
    uint8_t *grown; ///< the larger block while the archetype grows
    fr_component *component;
    fr_term key;
    uint32_t stride;
    uint32_t needs;
} fr_column;

/// Where a plain component is: a place of a small hash table in the archetype.
typedef struct fr_place {
    uint32_t component; ///< UINT32_MAX: empty
    int32_t term;       ///< -1: empty
    fr_column *column;  ///< NULL: empty, or a tag
} fr_place;

typedef struct fr_archetype {
    // One cache line of what single entities need.
    firn_entity *entities; ///< [capacity]
    fr_column *columns;
    fr_place *places; ///< [place_mask + 1], linear probing from the component's index
    uint32_t place_mask;
    uint32_t index; ///< in the world's archetypes; stands in entity records
    uint32_t count;
    uint32_t capacity;
    uint32_t column_count;
    uint32_t term_count;
    uint32_t needs;    ///< of all terms, tags included
    bool disabled;     ///< has the component Disabled
    bool held;         ///< somebody is about to fill it: it is not removed although it is empty
    uint32_t incoming; ///< rows that are about to come when a target ends
    fr_term *terms;    ///< sorted

    fr_component **components; ///< per term
    /// Term indices: durable ones in the order of their names, then transient ones in theirs.
    uint32_t *by_name;
    uint32_t durable_count;
    firn_entity *spare_entities; ///< the ids of before the last load, room for the next; or NULL
    uint32_t spare_capacity;
    firn_world *world;   ///< locked while hooks run; NULL outside a world
    uint32_t edge_epoch; ///< edges of another epoch than the world's are stale
    fr_map edges_add;    ///< component index -> archetype index with it and all it requires
    fr_map edges_remove; ///< component index -> archetype index without it
} fr_archetype;

/// Makes an archetype without rows. NULL: no memory.
fr_archetype *fr_archetype_create(const firn_allocator *allocator, const fr_components *components,
                                  const fr_term *terms, uint32_t count);
/// Frees it; rows must have been dropped.
void fr_archetype_destroy(const firn_allocator *allocator, fr_archetype *archetype);
/// Makes room for `rows` rows in all. All columns grow, or none (false). Blocks move, with move
/// hooks, which lock archetype->world.
bool fr_archetype_reserve(const firn_allocator *allocator, fr_archetype *archetype, uint32_t rows);
/// The column of a component, or NULL. Tags have none: fr_archetype_term tells whether it is there.
static inline fr_column *fr_archetype_column(const fr_archetype *archetype, uint32_t component);
/// How many of its terms are of dense relations: the places of the targets.
uint32_t fr_archetype_dense_terms(const fr_archetype *archetype);
/// The index of a plain component's term, or -1; of a relation the first.
static inline int32_t fr_archetype_term(const fr_archetype *archetype, uint32_t component);
/// The column of exactly this term of a relation, or NULL.
fr_column *fr_archetype_term_column(const fr_archetype *archetype, fr_term term);
/// Both; an empty place when it is not there.
static inline const fr_place *fr_archetype_place(const fr_archetype *archetype, uint32_t component);
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

/// Calls the drop hooks of rows [first, first + n) of every column and tag that `keep` has not
/// (NULL: of all), with `world` locked. Hooks may still read the strings and values of these rows.
void fr_archetype_run_drops(const firn_world *world, fr_archetype *archetype,
                            const fr_archetype *keep, uint32_t first, uint32_t n);
/// Frees the blobs of the same rows; they are then zero, which reads as no bytes. Who drops rows of
/// several archetypes runs all hooks first.
void fr_archetype_free_blobs(const firn_allocator *allocator, fr_archetype *archetype,
                             const fr_archetype *keep, uint32_t first, uint32_t n);
/// Takes a row out whose values were moved or dropped: the last row takes its place (move hooks).
/// Returns the id that moved to `row`, or 0 when it was the last. Does not touch the index.
firn_entity fr_archetype_take_out(fr_archetype *archetype, uint32_t row);

/// Writes default rows to [first, first + n), for which there is room, in the columns that are not
/// in `base` (NULL: in all) and are not of the component `given` (FR_NO_COMPONENT: none). False: no
/// memory, and nothing is owned by the rows.
bool fr_archetype_fill(const firn_allocator *allocator, fr_archetype *archetype,
                       const fr_archetype *base, uint32_t given, uint32_t first, uint32_t n);
/// Moves the columns that both have from a row of `from` to a row of `to` that is not in use yet.
void fr_archetype_move_common(fr_archetype *from, uint32_t row, fr_archetype *to, uint32_t to_row);
/// Calls the init hooks of rows [first, first + n) for what `base` has not (NULL: for all), except
/// for the component `given`.
void fr_archetype_init_rows(fr_archetype *archetype, const fr_archetype *base, uint32_t given,
                            uint32_t first, uint32_t n);
#define FR_NO_COMPONENT UINT32_MAX

static inline const fr_place *fr_archetype_place(const fr_archetype *archetype, uint32_t component)
{
    for (uint32_t at = component;; at++) {
        const fr_place *place = &archetype->places[at & archetype->place_mask];
        if (place->component == component || place->component == FR_NO_COMPONENT) {
            return place;
        }
    }
}

static inline int32_t fr_archetype_term(const fr_archetype *archetype, uint32_t component)
{
    return fr_archetype_place(archetype, component)->term;
}

static inline fr_column *fr_archetype_column(const fr_archetype *archetype, uint32_t component)
{
    return fr_archetype_place(archetype, component)->column;
}

/// Whether its rows are only copied, besides that edges are linked.
static inline bool fr_archetype_is_plain(const fr_archetype *archetype)
{
    return (archetype->needs & ~FR_NEEDS_OF_PLAIN) == 0;
}

/// The component of by_name[at]; NULL behind the last.
static inline fr_component *fr_archetype_named(const fr_archetype *archetype, uint32_t at)
{
    return at < archetype->term_count ? archetype->components[archetype->by_name[at]] : NULL;
}

#endif
