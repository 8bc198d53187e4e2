/// command.h (private): deferred changes, a queue of records in one growing block, applied in
/// order.
#ifndef FR_COMMAND_H
#define FR_COMMAND_H

#include "firn/world.h"

typedef enum fr_command_kind {
    FR_COMMAND_SPAWN, ///< a reserved id appears with components
    FR_COMMAND_DESPAWN,
    FR_COMMAND_ADD,
    FR_COMMAND_REMOVE,
    FR_COMMAND_SET ///< one component with a row: bytes, or an encoded value
} fr_command_kind;

typedef struct fr_commands {
    uint8_t *bytes; ///< records from `first` to `size`
    size_t size;
    size_t capacity;
    size_t first;
    uint32_t count;
} fr_commands;

/// Appends a command. `ids` holds n entities (n > 1 only for spawns); components are indices; `row`
/// has row_size bytes. All or nothing: FIRN_NO_MEMORY.
firn_result fr_commands_push(firn_world *world, fr_command_kind kind, const firn_entity *ids,
                             uint32_t n, const uint32_t *components, uint32_t component_count,
                             const void *row, uint32_t row_size, firn_error *err);
/// Applies from the front; stops at the first failure, which stays queued with all behind it.
firn_result fr_commands_apply(firn_world *world, firn_error *err);
/// Forgets all; reserved ids are freed, rows that the queue owns are dropped. Returns how many.
uint32_t fr_commands_discard(firn_world *world);
void fr_commands_free(firn_world *world);

#endif
