/// firn/relation.h: relationships: components that say something about an entity and another one.
///
/// A relation is a component of kind FIRN_RELATION. An entity (the source) has an edge of it to
/// each of its targets, and an edge has a row: `firn_entity target`, then the fields that the
/// relation declares. How edges are kept, and what a target's end does, are the bits of
/// firn_component_desc.relation:
///
///     FIRN_SPARSE      a change of target does not move the entity to another archetype, and
///                      entities of different targets stand side by side. Without it each target
///                      makes an archetype of its own, whose rows a query finds at once: right for
///                      few targets.
///     FIRN_EXCLUSIVE   at most one target: a new one replaces the old
///     FIRN_REVERSE     the sources of a target are listed, in the order in which they came
///     FIRN_CASCADE     the sources of a target end with it; includes FIRN_REVERSE
///
/// Without FIRN_CASCADE the edges to a target that ends are removed. An entity may be its own
/// target. The world's ChildOf is sparse, exclusive and cascades.
///
/// An edge is told to observers as OnAdd, OnSet and OnRemove with event->target; a new target of an
/// exclusive relation as OnRemove of the old one and OnAdd of the new one. When a target ends,
/// OnDespawn comes first, once for all that end with it (the target, its sources, theirs, level by
/// level), then OnRemove of every other edge that goes.
///
/// Inside a loop every change of an edge waits for its end.
#ifndef FIRN_RELATION_H
#define FIRN_RELATION_H

#include "firn/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The built-in relation ChildOf: sparse, exclusive, with FIRN_REVERSE and FIRN_CASCADE. No fields.
FIRN_API firn_component firn_child_of(const firn_world *world);

/// Adds an edge, or sets the row of the one that is there. row: the struct of the relation, whose
/// target is ignored; NULL: its default, which a relation of no fields always takes. The first edge
/// brings what the relation requires. FIRN_NOT_FOUND: the source or the target does not live
/// (err->entity). FIRN_INVALID: no relation.
FIRN_CALLS_BACK FIRN_API firn_result firn_relate(firn_world *world, firn_entity source,
                                                 firn_component relation, firn_entity target,
                                                 const void *row, firn_error *err);
/// Removes an edge, or with target 0 all of the relation. One that is not there is no error, nor is
/// a target that does not live.
FIRN_CALLS_BACK FIRN_API firn_result firn_unrelate(firn_world *world, firn_entity source,
                                                   firn_component relation, firn_entity target,
                                                   firn_error *err);

/// The row of an edge, which begins with its target (do not write that); NULL when it is not there.
FIRN_API const void *firn_related(const firn_world *world, firn_entity source,
                                  firn_component relation, firn_entity target);
FIRN_API void *firn_related_mut(firn_world *world, firn_entity source, firn_component relation,
                                firn_entity target);

/// The first target of an entity, or 0.
FIRN_API firn_entity firn_target(const firn_world *world, firn_entity source,
                                 firn_component relation);
/// Writes at most `room` targets of an entity and returns how many there are. Of a sparse relation
/// in the order in which they came, else by their slots.
FIRN_API uint32_t firn_targets(const firn_world *world, firn_entity source, firn_component relation,
                               firn_entity *out, uint32_t room);

/// Writes at most `room` sources of a target and returns how many there are. With FIRN_REVERSE in
/// the order in which they came; else in the order of rows, and all rows of the relation are
/// looked at.
FIRN_API uint32_t firn_sources(const firn_world *world, firn_component relation, firn_entity target,
                               firn_entity *out, uint32_t room);
/// Walks the sources of a target of a relation with FIRN_REVERSE: the first one, and the one behind
/// `source`; 0 at the end, and without FIRN_REVERSE. An edge that goes ends the walk that stands on
/// it.
FIRN_API firn_entity firn_first_source(const firn_world *world, firn_component relation,
                                       firn_entity target);
FIRN_API firn_entity firn_next_source(const firn_world *world, firn_component relation,
                                      firn_entity target, firn_entity source);

#ifdef __cplusplus
}
#endif

#endif
