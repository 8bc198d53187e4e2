/// store_relations.h: relations of all forms in the world of a fixture.
#ifndef STORE_RELATIONS_H
#define STORE_RELATIONS_H

#include "unit/store_fixture.h"

#include "firn/relation.h"

enum { LIKES, OWNS, PARENT, KNOWS, KINDS };

typedef struct likes {
    firn_entity target;
    double weight;
} likes;

/// An id that never lives: the slot of the second entity, of a generation to come.
#define NOBODY ((firn_entity)7 << FIRN_SLOT_BITS | 2)

/// Likes: dense, lists sources, has a weight of 0.5 by default. Owns: dense, exclusive, lists none,
/// brings Mark, and so Tag, along. Parent: sparse, exclusive, cascades. Knows: sparse, of many
/// targets, lists sources.
void register_relations(const fixture *f, firn_world *world, firn_component of[KINDS]);
/// firn_relate with the default row, which must succeed.
void relate_default(const fixture *f, firn_entity source, firn_component relation,
                    firn_entity target);
/// Entities without components.
void spawn_bare(const fixture *f, firn_entity *out, uint32_t count);

#endif
