/// unique.h: components whose strings no two entities share. The index of such a component maps the
/// hash of a string to the slot of its entity; the string itself stands in the row. The empty
/// string is none: any number of entities may have it, and it is not in the index.
#ifndef FR_UNIQUE_H
#define FR_UNIQUE_H

#include "store/world.h"

/// The entity with this string, or 0.
firn_entity fr_unique_find(const firn_world *world, const fr_component *component,
                           const char *bytes, size_t size);

/// Makes room for the string of a row that `entity` is about to get. FIRN_EXISTS when another one
/// has it (err->entity), FIRN_NO_MEMORY.
firn_result fr_unique_reserve(firn_world *world, fr_component *component, firn_entity entity,
                              const fr_blob *row, firn_error *err);
/// The entity has the row now; there is room.
void fr_unique_enter(fr_component *component, firn_entity entity, const fr_blob *row);
/// `n` rows and their entities are about to go.
void fr_unique_leave(fr_component *component, const firn_entity *entities, const fr_blob *rows,
                     uint32_t n);

/// What a load does: a new index of rows that are made aside, component->new_keys.
/// `fr_unique_row(user, slot)` gives the row of an entity of it that was added.
typedef const fr_blob *(*fr_unique_row)(void *user, uint32_t slot);
/// Begins an index with room for `n` strings. False: no memory.
bool fr_unique_begin(const firn_allocator *allocator, fr_component *component, uint32_t n);
/// Adds a row. The slot of another entity that has its string, or 0.
uint32_t fr_unique_add(fr_component *component, firn_entity entity, const fr_blob *row,
                       fr_unique_row find_row, void *user);
/// The old entities are about to go: forgets them at once.
void fr_unique_forget(firn_world *world);
/// The new indexes are those of the world; its memory is that of the next new ones.
void fr_unique_swap(firn_world *world);

#endif
