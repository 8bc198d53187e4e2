/// persist.h (private): rows of the component `persist`, taken apart.
#ifndef FR_PERSIST_H
#define FR_PERSIST_H

#include "firn/persist.h"
#include "store/world.h"

#define FR_PERSIST_NAME "persist"
#define FR_VARS_NAME    "Vars"
#define FR_CARRY_NAME   "Carry"

/// An entity with the component, whose row is checked and stays where it is.
typedef struct fr_root {
    firn_entity entity;
    const firn_persist *row;
} fr_root;

/// One name of a list of fields.
typedef struct fr_persist_part {
    const char *name; ///< in the row, not zero-terminated
    uint32_t name_size;
    fr_component *component; ///< NULL: not registered
    bool whole;              ///< all of the component; else leaves of its layout:
    uint32_t first_leaf;
    uint32_t leaf_count;
} fr_persist_part;

/// The component of that name when it is the library's own: of this kind. NULL: there is none.
fr_component *fr_persist_find(const firn_world *world, const char *name, firn_component_kind kind);

/// The next name of a list, from *at on, which begins at 0 and moves behind it. False at the end,
/// and when the name is none that may stand there: *result is then FIRN_INVALID. The list was
/// checked to have an end.
bool fr_persist_next(const firn_world *world, const firn_persist *row, firn_entity entity,
                     uint32_t *at, fr_persist_part *out, firn_result *result, firn_error *err);

/// What firn_persist_set checks; `complete`: what a save checks.
firn_result fr_persist_check_row(const firn_world *world, firn_entity entity,
                                 const firn_persist *row, bool complete, firn_error *err);

/// An fr_row_check_fn of Vars: a row is a map, or nil, which is an empty one.
firn_result fr_vars_check_row(const void *row, firn_error *err);

/// The key of an entity with a checked row.
void fr_persist_write_key(firn_entity entity, const firn_persist *row,
                          char out[FIRN_PERSIST_KEY_SIZE]);

#endif
