/// bundle.h (private): components and the rows that they begin with, from which entities are made,
/// one by one, all at once: whoever hears of one finds it complete.
#ifndef FR_BUNDLE_H
#define FR_BUNDLE_H

#include "store/world.h"

/// Arrays of `count` each.
typedef struct fr_bundle {
    firn_component *components;
    void **rows;    ///< copies of rows of structs, bools and numbers; NULL: the default
    fr_blob *blobs; ///< of strings and values; size 0: the default
    uint32_t count;
} fr_bundle;

/// Room for so many parts, all without a component. False: no memory.
bool fr_bundle_make(const firn_allocator *allocator, uint32_t count, fr_bundle *out);
/// Gives part i its component, and a row or a value or neither. FIRN_INVALID: a component of
/// another world, a relation, one that is in a part before; a row of a string, value or tag, or of
/// a component with a drop hook, whose row only one entity could have; a value of another kind.
/// Else as firn_value_encode.
firn_result fr_bundle_put(firn_world *world, fr_bundle *bundle, uint32_t i,
                          firn_component component, const void *row, const firn_value *value,
                          firn_error *err);
/// The value of part i, which has no component yet.
firn_result fr_bundle_put_value(firn_world *world, fr_bundle *bundle, uint32_t i,
                                const firn_value *value, firn_error *err);
/// A copy for a world with the same components; it can be freed whatever this returns.
bool fr_bundle_copy(const firn_world *world, const fr_bundle *from, fr_bundle *out);
void fr_bundle_free(const firn_world *world, fr_bundle *bundle);
/// Makes an entity, when no loop and no publication is open and nothing waits. OnSpawn is told when
/// it is complete. FIRN_EXISTS: a unique string that another entity has; else as firn_spawn_rows.
firn_result fr_bundle_spawn(firn_world *world, const fr_bundle *bundle, firn_entity *out,
                            firn_error *err);

#endif
