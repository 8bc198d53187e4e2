/// registry.h: what a world knows of handlers, named codecs and plugins: the part FR_PART_PLUGINS,
/// made when the first of them is added.
#ifndef FR_REGISTRY_H
#define FR_REGISTRY_H

#include "store/world.h"

/// Keys of the data section that are not the game's.
#define FR_PREFIX_TECS "__tecs."
#define FR_PREFIX_FIRN "__firn."
#define FR_KEY_RANDOM  "tecs.random"

/// Built-in handlers have these and FR_KEY_RANDOM.
#define FR_KEY_STATES   "__tecs.stateStack"
#define FR_KEY_PIPELINE "__tecs.pipeline"

typedef struct fr_handler {
    firn_handler table; ///< its name is the registry's own copy
    uint32_t name_size;
    bool builtin;
} fr_handler;

typedef struct fr_registry {
    fr_handler *handlers; ///< in registration order, built-in ones first
    uint32_t handler_count;
    uint32_t handler_capacity;
    uint32_t builtin_count;
} fr_registry;

/// The world's registry, or NULL when nothing was ever added.
const fr_registry *fr_registry_of(const firn_world *world);

/// Whether a key of the data section is one of the game's own.
bool fr_key_is_custom(const char *key, size_t size);

/// firn_handler_add. A built-in handler may have a reserved name; it is saved before firn's other
/// entries and is part of the world's hash. Its check gets the last entry of its key.
firn_result fr_handler_add(firn_world *world, const firn_handler *handler, bool builtin,
                           firn_error *err);

/// What every vtable begins with: FIRN_INVALID (abi 0, a bad name), FIRN_VERSION, FIRN_LIMIT.
/// `what` is the kind of table, for messages.
firn_result fr_check_vtable(const char *what, uint32_t abi, const char *name, uint32_t name_bytes,
                            firn_error *err);

#endif
