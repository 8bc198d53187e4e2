/// given.h (private): the rows that a spawn gives, in one block: for each component where its row
/// stands, 0 for one by default, then the rows, aligned as in columns. The block is aligned to
/// FR_CACHE_LINE. Components are indices.
#ifndef FR_GIVEN_H
#define FR_GIVEN_H

#include "store/world.h"

/// FIRN_INVALID: a row of a kind of component that takes none, or of one that is listed twice. Of
/// `count` components the first `given` have an entry in rows; rows NULL: none.
firn_result fr_given_check(const firn_world *world, const uint32_t *components,
                           const void *const *rows, uint32_t given, firn_error *err);
/// Bytes of the block; 0 when no row is given.
uint64_t fr_given_size(const firn_world *world, const uint32_t *components, const void *const *rows,
                       uint32_t given, uint32_t count);
/// Copies the rows into a block of that size.
void fr_given_pack(const firn_world *world, const uint32_t *components, const void *const *rows,
                   uint32_t given, uint32_t count, void *block);
/// Copies them over each of the rows [first, first + n) of an archetype, and runs the init hooks of
/// its other components.
void fr_given_put(const void *block, const uint32_t *components, uint32_t count,
                  fr_archetype *archetype, uint32_t first, uint32_t n);
/// Runs the drop hooks of rows that never reached their `n` entities.
void fr_given_drop(const firn_world *world, const uint32_t *components, uint32_t count, void *block,
                   const firn_entity *entities, uint32_t n);

#endif
