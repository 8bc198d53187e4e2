/// kept.h (private): components that no game registered, kept as a save had them, so that they
/// follow their entities and are saved again. A row is a blob of the bytes that the save had for
/// the entity: an encoded value, or a raw row. They are FIRN_VALUE components in archetypes, but
/// have no name that a game could find, no handle that it gets, and no place in its counts.
#ifndef FR_KEPT_H
#define FR_KEPT_H

#include "store/world.h"

/// What a save says of such a component.
typedef struct fr_kept_desc {
    const char *name;
    uint32_t name_size;
    uint32_t fingerprint_size;
    const char *fingerprint; ///< "" where it says nothing
    uint32_t raw;            ///< bytes of a raw row; 0: encoded
    bool tag;
    bool sparse;  ///< a sparse relation
    bool wrapped; ///< version 2
} fr_kept_desc;

/// How many digits of a target stand behind an arrow at the end of a name, as in `Likes->5`.
uint32_t fr_target_digits(const char *name, uint32_t size);
/// The kept component of exactly this description that is not claimed, or NULL.
fr_component *fr_kept_find(const fr_components *components, const fr_kept_desc *desc);
/// One that no save names and nothing claims is made into it, looked for from *next on; else a new
/// one is made. No rows change. NULL: no memory.
fr_component *fr_kept_make(firn_world *world, const fr_kept_desc *desc, uint32_t *next);
/// An empty one that no save names, as the last component. NULL: no memory.
fr_component *fr_kept_add_blank(const firn_allocator *allocator, fr_components *components);
/// The one that the next save names so, or NULL.
fr_component *fr_kept_listed(const fr_components *components, const char *name, size_t size);

/// How a load ended.
typedef enum fr_kept_end {
    FR_KEPT_NOTHING,  ///< it failed
    FR_KEPT_REPLACED, ///< the world's kept components are those that are claimed
    FR_KEPT_ADDED     ///< so are they, in place of others of their names, which have no rows
} fr_kept_end;
/// Ends a load. The empty archetypes of kept components that the world has no more go. None is
/// claimed afterwards. Cannot fail.
void fr_kept_settle(firn_world *world, fr_kept_end end);
/// Whether an entity has it.
bool fr_kept_has_rows(const firn_world *world, const fr_component *kept);

/// Registers a component as fr_components_add does, with a check of its rows or NULL. What is kept
/// under its name, or a former one, becomes its rows, with all targets of a relation, or it is not
/// registered: FIRN_BUSY (loops, publications), FIRN_INVALID (the rows are none of it, or are kept
/// under two of its names), and as a load.
firn_result fr_kept_register(firn_world *world, const firn_component_desc *desc,
                             const uint32_t *required, fr_row_check_fn check, fr_component **out,
                             firn_error *err);
/// The error that it would give, but of memory and of rows that are none of the component; *adopts:
/// there are rows. The name must not be NULL. Nothing changes.
firn_result fr_kept_check(firn_world *world, const firn_component_desc *desc,
                          const uint32_t *required, bool *adopts, firn_error *err);

#endif
