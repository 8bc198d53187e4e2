/// registry.h: what a world knows of handlers, named codecs and plugins: the part FR_PART_PLUGINS,
/// made when the first of them is added.
#ifndef FR_REGISTRY_H
#define FR_REGISTRY_H

#include "store/world.h"

/// Keys of the data section that are not the game's.
#define FR_PREFIX_TECS "__tecs."
#define FR_PREFIX_FIRN "__firn."
#define FR_KEY_RANDOM  "tecs.random"
#define FR_KEY_SCRIPT  "tecs.sequence"

/// Built-in handlers have these, FR_KEY_RANDOM and FR_KEY_SCRIPT.
#define FR_KEY_STATES   "__tecs.stateStack"
#define FR_KEY_PIPELINE "__tecs.pipeline"

/// What the tag of a state is called: the state's name and this.
#define FR_STATE_TAG "State"

/// Whether a built-in handler has nothing to save, so that its save need not be asked.
typedef bool (*fr_rests_fn)(const void *user);
/// Lets a built-in handler rest, as it did when an image of firn was saved that has no entry of it.
/// Cannot fail.
typedef void (*fr_rest_fn)(void *user, firn_world *world);

typedef struct fr_handler {
    firn_handler table; ///< its name is the registry's own copy
    uint32_t name_size;
    bool builtin;
    fr_rests_fn rests; ///< NULL, or asked before its save
    fr_rest_fn rest;   ///< NULL: its commit does, of any image without an entry
    const char *owner; ///< the name of its plugin, or NULL
} fr_handler;

typedef struct fr_plugin {
    char *name;
    uint32_t number;    ///< no other plugin of the world ever had it; from 1
    firn_codec *codecs; ///< they stay where they are; their names are copies
    uint32_t codec_count;
    firn_observer *observers;
    uint32_t observer_count;
    firn_result (*install)(void *user, firn_world *world, firn_error *err);
    void (*destroy)(void *user, firn_world *world);
    void *user;
} fr_plugin;

typedef struct fr_registry {
    fr_handler *handlers; ///< in registration order, built-in ones first
    uint32_t handler_count;
    uint32_t handler_capacity;
    uint32_t builtin_count;
    fr_plugin *plugins; ///< in registration order
    uint32_t plugin_count;
    uint32_t plugin_capacity;
    uint32_t plugins_made;  ///< ever, those that failed counted
    const char *installing; ///< NULL, or the plugin whose install runs
} fr_registry;

/// The world's registry, or NULL when nothing was ever added.
const fr_registry *fr_registry_of(const firn_world *world);

/// The same to change, made when it is not there. NULL: FIRN_NO_MEMORY.
fr_registry *fr_registry_need(firn_world *world, firn_error *err);
/// FIRN_BUSY while a hook, codec, save, load or install runs.
firn_result fr_registry_check_idle(const firn_world *world, firn_error *err);

/// Whether a key of the data section is one of the game's own.
bool fr_key_is_custom(const char *key, size_t size);

/// firn_handler_add. A built-in handler may have a reserved name; it is saved before firn's other
/// entries and is part of the world's hash. Its check gets the last entry of its key.
firn_result fr_handler_add(firn_world *world, const firn_handler *handler, bool builtin,
                           firn_error *err);

/// The same of a built-in handler, which is not asked to save while `rests` is true. `rest` may be
/// NULL, and else is called before its commit.
firn_result fr_handler_add_resting(firn_world *world, const firn_handler *handler,
                                   fr_rests_fn rests, fr_rest_fn rest, firn_error *err);

/// Everything that firn_handler_add refuses. `more`: handlers that are to be added before it.
firn_result fr_handler_check(const firn_world *world, const firn_handler *handler, bool builtin,
                             uint32_t more, firn_error *err);
/// A copy of a handler with a name of its own; false: no memory.
bool fr_handler_copy(const firn_allocator *allocator, const firn_handler *handler, fr_handler *out);
void fr_handler_free(const firn_allocator *allocator, fr_handler *handler);
/// Adds a copy, for which there is room.
void fr_handler_put(fr_registry *registry, const fr_handler *handler);
/// Gives handlers that are about to be added the entries that are kept for them: checks, commits,
/// loads. When one fails all entries stay kept. FIRN_BUSY (loops, publications), FIRN_NO_MEMORY,
/// what a handler returned.
firn_result fr_handlers_adopt(firn_world *world, const fr_handler *handlers, uint32_t count,
                              firn_error *err);
/// Removes the handler at a place and frees it.
void fr_handler_take(const firn_allocator *allocator, fr_registry *registry, uint32_t place);

/// The handler of a key, or NULL.
const fr_handler *fr_handler_find(const firn_world *world, const char *name, size_t size);

/// firn_plugin_add of a plugin that may be added, with a number that is its own.
firn_result fr_plugin_add(firn_world *world, const firn_plugin *plugin, uint32_t number,
                          firn_error *err);
/// Gives a new world, which has the components, events and game parts of the original already, its
/// handlers and plugins, in their order. Handlers that a plugin brought come with it: it is added
/// as by firn_plugin_add, with the observers that it still has. Fails as that does: the world is to
/// be destroyed.
firn_result fr_registry_copy(firn_world *world, const firn_world *original, firn_error *err);
/// Frees what a plugin owns. It hears nothing of it.
void fr_plugin_free(const firn_allocator *allocator, fr_plugin *plugin);

/// What every vtable begins with: FIRN_INVALID (abi 0, a bad name), FIRN_VERSION, FIRN_LIMIT.
/// `what` is the kind of table, for messages.
firn_result fr_check_vtable(const char *what, uint32_t abi, const char *name, uint32_t name_bytes,
                            firn_error *err);

#endif
