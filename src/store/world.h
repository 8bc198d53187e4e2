/// world.h (private): the world's insides, and the steps that several files share. Everything hangs
/// off firn_world; there is no other state.
#ifndef FR_WORLD_H
#define FR_WORLD_H

#include "store/archetype.h"
#include "store/command.h"
#include "store/component.h"
#include "store/entity_index.h"
#include "store/query.h"

struct firn_world {
    firn_allocator allocator;
    firn_limits limits;
    char *name;
    uint64_t tick;
    fr_entity_index index;
    fr_components components;
    fr_archetype **archetypes; ///< by index; NULL where one was removed
    uint32_t archetype_count;  ///< used indices, holes included
    uint32_t archetype_capacity;
    uint32_t *order; ///< the indices of all archetypes in the decided order
    uint32_t order_count;
    uint32_t order_capacity;
    fr_map archetype_keys; ///< hash of terms -> index
    fr_queries queries;
    fr_commands commands;
    uint32_t open_loops;
    firn_query loop_query;   ///< the query of the innermost open loop, for messages
    const char *locked_by;   ///< NULL, or the component whose hook or codec runs
    uint64_t *spare_records; ///< the entity index of before the last load, reused by the next one
    uint32_t spare_capacity;
    uint32_t builtin_name;
    uint32_t builtin_disabled;
    uint32_t builtin_paused;
};

/// Handles: component = tag << 20 | index + 1; query = tag << 32 | slot generation << 16 | slot +
/// 1, with a tag (21 or 32 bits) from the world's address, so that another world's handle is
/// noticed.
firn_component fr_component_handle(const firn_world *world, uint32_t index);
/// The component, or NULL with FIRN_INVALID naming `argument`: 0, of another world, never
/// registered.
fr_component *fr_component_of(const firn_world *world, firn_component handle, const char *argument,
                              firn_error *err);

/// The archetype with exactly these sorted terms: found, or made, entered into the order and
/// offered to the queries. NULL: FIRN_NO_MEMORY or FIRN_LIMIT (archetypes, columns), and nothing
/// changed.
fr_archetype *fr_world_archetype(firn_world *world, const fr_term *terms, uint32_t count,
                                 firn_error *err);
/// Removes an archetype that has no rows: from order, keys, queries and edges.
void fr_world_remove_archetype(firn_world *world, fr_archetype *archetype);
/// The archetype with a plain component more or less (through the edges). Required components are
/// the caller's business.
fr_archetype *fr_world_with(firn_world *world, fr_archetype *from, uint32_t component,
                            firn_error *err);
fr_archetype *fr_world_without(firn_world *world, fr_archetype *from, uint32_t component,
                               firn_error *err);
/// Sorted terms of a set of plain components closed under `required`; *terms is allocated from the
/// world's allocator with room for *capacity terms. NULL is returned in *terms for the empty set.
firn_result fr_world_close_terms(firn_world *world, const uint32_t *components, uint32_t count,
                                 fr_term **terms, uint32_t *term_count, uint32_t *capacity,
                                 firn_error *err);

/// FIRN_BUSY when a hook or codec runs (subject: the component).
firn_result fr_world_check_unlocked(const firn_world *world, firn_error *err);
/// What a call outside loops does first: unlocked, no open loop (FIRN_BUSY with the query's name),
/// deferred changes applied.
firn_result fr_world_settle(firn_world *world, firn_error *err);
/// Locks the world while user code of a component runs, and unlocks it.
void fr_world_lock(firn_world *world, const char *component);
void fr_world_unlock(firn_world *world);
/// Runs a hook over rows of a column (or a tag) of an archetype, with the world locked.
void fr_world_run_hook(const firn_world *world, void (*hook)(void *, const firn_rows *),
                       const fr_component *component, fr_archetype *archetype, uint32_t first,
                       uint32_t n);

/// Finds a living, placed entity. FIRN_NOT_FOUND with the id in err.
firn_result fr_world_locate(const firn_world *world, firn_entity entity, fr_archetype **archetype,
                            uint32_t *row, firn_error *err);

#endif
