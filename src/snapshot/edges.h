/// edges.h: relationships of an image on their way into a world.
#ifndef FR_EDGES_H
#define FR_EDGES_H

#include "snapshot/load.h"
#include "store/relation.h"

/// Reads the decimal digits of a target. False when they are none as firn writes them.
bool fr_target_in_name(const char *digits, size_t size, firn_entity *target);
/// The target of an entry whose name ends in these digits. Digits with an exponent, which say a
/// large target inexactly, stand for the target of the values, when that prints so. 0: none.
firn_entity fr_target_of_entry(const fr_image *image, const fr_entry *entry, const char *digits,
                               size_t size);

/// The edges in a value of a sparse relation: {edges = {edge, ...}}, or one edge alone.
typedef struct fr_edge_walk {
    firn_reader reader;
    uint32_t left;
    const uint8_t *alone; ///< the value is itself the edge
    size_t alone_size;
} fr_edge_walk;

/// Begins a walk over the edges in a value.
void fr_edges_begin(fr_edge_walk *walk, const fr_image *image, const uint8_t *bytes, size_t size);
/// The next edge; false behind the last.
bool fr_edges_next(fr_edge_walk *walk, const uint8_t **bytes, size_t *size);
/// Whether a value is one of a sparse relation: {target = id, ...} or {edges = {those, ...}}.
bool fr_holds_edges(const fr_image *image, const uint8_t *bytes, size_t size);
/// Finds the relationships whose target is not in the save, and counts them: columns of a target
/// are then skipped, other sources say which rows lack their component. FIRN_NO_MEMORY.
firn_result fr_load_targets(fr_load *load, firn_error *err);
/// Whether no edge is left in a value, which begins at `at`. Only before the index is made.
bool fr_load_lacks_edges(const fr_load *load, const fr_span *span, const uint8_t *at,
                         const uint8_t *end);

/// Rows of a column of a relation and the values that they are made of.
typedef struct fr_edge_rows {
    fr_load *load;
    fr_source *source;
    const fr_component *relation;
    const char *name; ///< in the save
    const firn_entity *entities;
    uint8_t *rows;
    uint32_t count;
    fr_in in;
    uint64_t base; ///< what is added to offsets in `in`
} fr_edge_rows;

/// Makes the rows. FIRN_CORRUPT (no target, or another than the column's), FIRN_INVALID,
/// FIRN_NO_MEMORY.
firn_result fr_load_edge_rows(fr_edge_rows *rows, firn_error *err);
/// The same of rows that a codec made: checks their targets, which in a merge become those of the
/// world.
firn_result fr_load_check_targets(fr_edge_rows *rows, firn_error *err);
/// What tells an edge from all others.
static inline uint64_t fr_load_edge_key(const fr_component *relation, firn_entity source,
                                        firn_entity target)
{
    return (uint64_t)relation->index << (2 * FIRN_SLOT_BITS) |
           (uint64_t)fr_slot(source) << FIRN_SLOT_BITS | fr_slot(target);
}
/// Takes back what a merge linked.
void fr_load_unlink(fr_load *load);
/// Links all edges of the stages aside, or, in a merge, to those that are there. FIRN_NO_MEMORY;
/// FIRN_CORRUPT: an order that does not fit.
firn_result fr_load_link(fr_load *load, firn_error *err);

#endif
