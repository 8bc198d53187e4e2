/// command.h (private): deferred changes, a queue of records in one growing block, applied in
/// order.
#ifndef FR_COMMAND_H
#define FR_COMMAND_H

#include "base/map.h"
#include "firn/world.h"

typedef enum fr_command_kind {
    FR_COMMAND_SPAWN, ///< reserved ids appear with components, and rows where they are given
    FR_COMMAND_DESPAWN,
    FR_COMMAND_ADD,
    FR_COMMAND_REMOVE,
    FR_COMMAND_SET,    ///< one component with a row: bytes, or a blob
    FR_COMMAND_RELATE, ///< a relation with an edge row
    FR_COMMAND_UNRELATE
} fr_command_kind;

typedef struct fr_commands {
    uint8_t *bytes; ///< records from `first` to `size`; rows in it are aligned as in columns
    size_t size;
    size_t capacity;
    size_t first;
    uint32_t count;
    bool applying;  ///< fr_commands_apply runs: what is appended meanwhile it applies as well
    fr_map removed; ///< entity slot << 32 | component of every removal that may wait
} fr_commands;

/// Appends a change of an entity that lives. Components are indices; a set has one, and `row` is
/// its row (stride bytes), which the queue owns afterwards. All or nothing: FIRN_NO_MEMORY.
firn_result fr_commands_push(firn_world *world, fr_command_kind kind, firn_entity entity,
                             const uint32_t *components, uint32_t component_count, const void *row,
                             firn_error *err);
/// Appends a change of an edge between entities that live; the edge row (NULL for an unrelate) is
/// copied. All or nothing: FIRN_NO_MEMORY.
firn_result fr_commands_push_edge(firn_world *world, fr_command_kind kind, firn_entity source,
                                  uint32_t relation, firn_entity target, const void *edge,
                                  firn_error *err);
/// Reserves `n` ids and appends their spawn, with copies of the rows (NULL: none) of the first
/// `given` components. out: NULL, or n ids. All or nothing: FIRN_LIMIT, FIRN_NO_MEMORY.
firn_result fr_commands_push_spawn(firn_world *world, const uint32_t *components,
                                   uint32_t component_count, const void *const *rows,
                                   uint32_t given, uint32_t n, firn_entity *out, firn_error *err);
/// firn_despawn of a world that is not idle: deferred, or, when no loop is open, at once behind the
/// changes that wait.
firn_result fr_commands_despawn(firn_world *world, firn_entity entity, firn_error *err);
/// Whether a removal of the component from the entity may wait: a set has to wait behind it then.
bool fr_commands_removes(const firn_world *world, firn_entity entity, uint32_t component);
/// Applies from the front; stops at the first failure, which stays queued with all behind it.
firn_result fr_commands_apply(firn_world *world, firn_error *err);
/// Forgets all; reserved ids are freed, rows that the queue owns are dropped. Returns how many.
uint32_t fr_commands_discard(firn_world *world);
void fr_commands_free(firn_world *world);

#endif
