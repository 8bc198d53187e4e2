/// relation.h (private): relationships in the store. A relation is a component of kind
/// FIRN_RELATION; its edges stand in the rows of their sources, in one of three forms:
///
///     dense          a term (component, slot of the target) and a column for each target
///     sparse, one    the plain term and a column (FIRN_SPARSE | FIRN_EXCLUSIVE)
///     sparse, many   the plain term and a column of fr_edges, which own arrays of edge rows
///
/// An edge row is component->edge_stride bytes and begins with the target's id; that is also a row
/// of the column in the first two forms. The default edge row is component->default_row. An entity
/// has a term exactly while it has an edge of it. What a column has is linked in
/// component->reverse, and the target's bit in world->relations is set: changes of rows that are
/// made by hand (a load) must bring both along, with fr_relations_begin, _add, _swap.
#ifndef FR_RELATION_H
#define FR_RELATION_H

#include "firn/relation.h"
#include "store/world.h"

#include <string.h>

/// A row of a sparse relation with many targets: `count` edge rows in insertion order, never 0 in a
/// row that is in use.
typedef struct fr_edges {
    union {
        uint8_t *rows; ///< at a multiple of component->align
        uint64_t size_on_every_machine;
    };
    uint32_t count;
    uint32_t capacity;
} fr_edges;

static inline bool fr_relation_is_dense(const fr_component *component)
{
    return component->kind == FIRN_RELATION && (component->relation & FIRN_SPARSE) == 0;
}
static inline bool fr_relation_is_sparse(const fr_component *component)
{
    return component->kind == FIRN_RELATION && (component->relation & FIRN_SPARSE) != 0;
}
static inline bool fr_relation_is_exclusive(const fr_component *component)
{
    return (component->relation & FIRN_EXCLUSIVE) != 0;
}
/// Whether frames of a save that have the component lie row by row.
static inline bool fr_relation_is_by_row(const fr_component *component)
{
    return fr_relation_is_sparse(component) || component->kept_sparse;
}
/// Whether rows are fr_edges.
static inline bool fr_relation_is_many(const fr_component *component)
{
    return component->kind == FIRN_RELATION &&
           (component->relation & (FIRN_SPARSE | FIRN_EXCLUSIVE)) == FIRN_SPARSE;
}
/// The term of an edge to `target`.
static inline fr_term fr_relation_term(const fr_component *component, firn_entity target)
{
    return fr_term_make(component->index, fr_relation_is_dense(component) ? fr_slot(target) : 0);
}
/// The target of an edge row.
static inline firn_entity fr_edge_target(const void *edge)
{
    firn_entity target;
    memcpy(&target, edge, sizeof target);
    return target;
}

// ---- rows

/// The edges of a row for one term of a relation: `*count` edge rows, edge_stride bytes apart.
uint8_t *fr_row_edges(const fr_archetype *archetype, uint32_t term, uint32_t row, uint32_t *count);
/// Which edge of a row goes to `target`: its edge row, or NULL.
uint8_t *fr_row_edge(const fr_archetype *archetype, uint32_t row, const fr_component *relation,
                     firn_entity target);
/// The array of a row that has one for the relation.
fr_edges *fr_row_edge_array(const fr_archetype *archetype, uint32_t row,
                            const fr_component *relation);
/// Makes room for `count` edges in all in a row of fr_edges. False: no memory.
bool fr_edges_reserve(const firn_allocator *allocator, const fr_component *relation,
                      fr_edges *edges, uint32_t count);
/// Appends an edge row; there is room.
void fr_edges_append(const fr_component *relation, fr_edges *edges, const void *edge);
/// Removes one of its edges; the others keep their order.
void fr_edges_remove(const fr_component *relation, fr_edges *edges, uint8_t *edge);
/// Frees what `n` rows own; they are then zero.
void fr_edges_free(const firn_allocator *allocator, const fr_component *relation, fr_edges *rows,
                   uint32_t n);
/// Unlinks the edges of a row for every term that `keep` has not (NULL: all of them).
static inline void fr_relations_leave(fr_archetype *archetype, const fr_archetype *keep,
                                      uint32_t row);
/// The same in an archetype that has relations.
void fr_relations_unlink(fr_archetype *archetype, const fr_archetype *keep, uint32_t row);
static inline void fr_relations_leave(fr_archetype *archetype, const fr_archetype *keep,
                                      uint32_t row)
{
    if ((archetype->needs & FR_NEEDS_LINKS) != 0) {
        fr_relations_unlink(archetype, keep, row);
    }
}

// ---- the relations of a world

/// Whether the entity in a slot may be a target, or an archetype may have a term with it.
static inline bool fr_may_be_target(const firn_world *world, uint32_t slot)
{
    return slot / 32 < world->relations.target_words &&
           (world->relations.targets[slot / 32] >> slot % 32 & 1) != 0;
}
/// Makes room so that fr_relations_enter cannot fail. False: no memory.
bool fr_relations_reserve(firn_world *world);
/// A relation was registered.
void fr_relations_enter(firn_world *world, fr_component *relation);
void fr_relations_free(firn_world *world);

/// Makes room to link an edge. False: no memory.
bool fr_relation_reserve(firn_world *world, fr_component *relation, firn_entity source,
                         firn_entity target);
/// The same of the last of `n` edges, of this relation or others, for which there was no room
/// before.
bool fr_relation_reserve_more(firn_world *world, fr_component *relation, firn_entity source,
                              firn_entity target, uint32_t n);
/// Room for the bit of a target in a slot. False: no memory.
bool fr_relations_reserve_target(firn_world *world, uint32_t slot);
/// Links an edge that stands in its row; there is room.
void fr_relation_link(firn_world *world, fr_component *relation, firn_entity source,
                      firn_entity target);

// ---- loads: everything linked anew, aside

/// Nothing is linked aside any more.
void fr_relations_clear(firn_world *world);
/// Begins an empty set of links aside, with room for targets in slots below `slots`. What an
/// earlier load left there goes. False: no memory.
bool fr_relations_begin(firn_world *world, uint32_t slots);
/// Links an edge aside, behind the other sources of its target; one edge once. False: no memory.
bool fr_relations_add(firn_world *world, fr_component *relation, firn_entity source,
                      firn_entity target);
/// Puts the sources of a target that were linked aside into this order. False: they are not exactly
/// those, each once, or the relation lists none.
bool fr_relations_order(fr_component *relation, firn_entity target, const firn_entity *sources,
                        uint32_t count);
/// What stands aside is what is linked; the old links go. The old rows are gone by now. Empty
/// archetypes of dense targets are removed: those of the load have their rows.
void fr_relations_swap(firn_world *world);

// ---- changes (relation_change.c, relation_end.c): all or nothing

/// fr_relations.marks: an entity that ends; one that loses edges.
enum { FR_MARK_ENDS = 1, FR_MARK_PARTS = 2 };

/// Adds an edge, or sets its row. `edge` is an edge row with its target, outside all columns; the
/// target lives.
firn_result fr_entity_relate(firn_world *world, fr_archetype *archetype, uint32_t row,
                             fr_component *relation, const void *edge, firn_error *err);
/// Removes an edge, which need not be there.
firn_result fr_entity_unrelate(firn_world *world, fr_archetype *archetype, uint32_t row,
                               fr_component *relation, firn_entity target, firn_error *err);
/// Ends an entity that may be a target, and what ends with it.
firn_result fr_target_end(firn_world *world, firn_entity entity, firn_error *err);
/// Ends several entities, which live, each once, and what ends with them but those of `stays` (slot
/// -> generation; NULL: none), which lose their edges to what ends.
firn_result fr_targets_end(firn_world *world, const firn_entity *entities, uint32_t count,
                           const fr_map *stays, firn_error *err);
void fr_target_end_free(firn_world *world);

// ---- the ends of several at once, in steps (a load that keeps others). Nobody is told.

/// Finds out what ends with these entities, which live, and where those go that lose edges; makes
/// room there, in archetypes that are held. `comes` (slot -> generation): who is there afterwards;
/// those end with none, and lose nothing. `stays`: as in fr_targets_end. FIRN_NO_MEMORY,
/// FIRN_LIMIT: nothing changed; else commit or cancel follows.
firn_result fr_targets_end_prepare(firn_world *world, const firn_entity *entities, uint32_t count,
                                   const fr_map *comes, const fr_map *stays, firn_error *err);
/// Between the steps: whether an entity that lives is one of those that end.
static inline bool fr_target_ends(const firn_world *world, firn_entity entity)
{
    return fr_slot(entity) < world->relations.mark_capacity &&
           world->relations.marks[fr_slot(entity)] == FR_MARK_ENDS;
}
/// The archetype that an entity, which does not end and is in `home`, has when it lost its edges.
fr_archetype *fr_targets_end_home(const firn_world *world, firn_entity entity, fr_archetype *home);
/// Runs the drop hooks of all that end.
void fr_targets_end_drop(firn_world *world);
/// They end. Rows of who comes are out of their archetypes; those that others are about to come to
/// are held.
void fr_targets_end_commit(firn_world *world);
void fr_targets_end_cancel(firn_world *world);

#endif
