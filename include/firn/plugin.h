/// firn/plugin.h: vtables through which a game extends firn. They are a promise of their own: `abi`
/// comes first and is FIRN_ABI, tables are copied at registration and grow only at their end.
#ifndef FIRN_PLUGIN_H
#define FIRN_PLUGIN_H

#include "firn/event.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_prelude firn_prelude; // firn/snapshot.h
typedef struct firn_handler firn_handler;

/// The version of the vtables. 0 is refused, so that a zeroed table is noticed.
#define FIRN_ABI 1u

/// How the rows of a struct component are saved when its bytes mean nothing elsewhere: handles
/// become names, pointers become what they point to. Both functions see registrations and ids; the
/// world is locked while they run, may only be read, and holds no entity of the load yet. The rows
/// of a relation begin with the target, which the codec writes and reads as well: a load refuses
/// rows that it leaves without.
struct firn_codec {
    uint32_t abi;     ///< FIRN_ABI
    const char *name; ///< for messages; not copied, must outlive the world
    /// Writes exactly rows->count values, in row order; nil leaves the component out of that
    /// entity. Anything but FIRN_OK fails the save; fill `err` to say why: the message is passed on
    /// behind the names of codec and component, or alone when err->subject is the component, as
    /// that of decode. Must not be NULL.
    firn_result (*encode)(void *user, const firn_rows *rows, firn_writer *out, firn_error *err);
    /// Reads exactly rows->count values, none of them nil, into rows->data, which holds default
    /// rows. Anything but FIRN_OK fails the load before the world changes: what was decoded so far
    /// is dropped by the drop hook, so the function must leave rows that it did not finish as they
    /// were, or complete. A failure that names no entity in `err` is that of the value that was
    /// read last, or of that which could not be read. A save without a codec gives tables by field
    /// name. Must not be NULL.
    firn_result (*decode)(void *user, firn_rows *rows, firn_reader *in, firn_error *err);
    void *user; ///< handed to both
};

/// A codec of one row at a time, for components that are few or simple.
typedef struct firn_row_codec {
    uint32_t abi;     ///< FIRN_ABI
    const char *name; ///< as in firn_codec
    /// Writes exactly one value; nil leaves the component out of the entity. Not NULL.
    firn_result (*encode)(void *user, const void *row, firn_writer *out, firn_error *err);
    /// Reads exactly one value, not nil, into a default row. Not NULL.
    firn_result (*decode)(void *user, void *row, firn_reader *in, firn_error *err);
    void *user; ///< handed to both
} firn_row_codec;

/// Makes *out the codec that calls `row_codec` for each row, in order; a failure names the entity.
/// `row_codec` must outlive every world that uses *out. FIRN_INVALID: NULL arguments, an abi of 0,
/// no name or function; FIRN_VERSION: a newer abi. *out is then unchanged.
FIRN_API firn_result firn_row_codec_adapt(const firn_row_codec *row_codec, firn_codec *out,
                                          firn_error *err);

// ---------------------------------------------------------------- handlers

/// What a game keeps beside its entities, as one entry of the data section. Each function may be
/// NULL, but not all of them. What they return is returned by the save or load; fill `err` to say
/// why. A handler is called for every save and load of its world.
struct firn_handler {
    uint32_t abi;     ///< FIRN_ABI
    const char *name; ///< the key of its entry; copied. Reserved are `__tecs.*`, `__firn.*`,
                      ///< `tecs.random` and `tecs.sequence`
    /// Writes one value; nothing or nil makes no entry. The world is locked, and may only be read:
    /// no row is written through firn_get_mut either. Of entities, what firn_save_has has.
    firn_result (*save)(void *user, firn_world *world, firn_writer *out, firn_error *err);
    /// Before anything changes: reads the entry (in NULL: the save has none), refuses it, or leaves
    /// in *prepared (NULL at first) what commit needs. The world is locked and is the old one,
    /// which may only be read: a row that is written through firn_get_mut stays so when the load
    /// fails. It need not read everything; a reader that failed is a failure.
    firn_result (*check)(void *user, firn_world *world, firn_reader *in, void **prepared,
                         firn_error *err);
    /// The load succeeded: takes over what check prepared. Cannot fail. The entities are restored,
    /// the world is locked.
    void (*commit)(void *user, firn_world *world, void *prepared);
    /// The load failed after check succeeded, or was none but firn_snapshot_check: lets go of what
    /// it prepared. The world is locked.
    void (*discard)(void *user, firn_world *world, void *prepared);
    /// After commit: reads the entry; not called when the save has none. May change the world.
    firn_result (*load)(void *user, firn_world *world, firn_reader *in, firn_error *err);
    /// After every handler's load. May change the world.
    firn_result (*finish)(void *user, firn_world *world, const firn_prelude *prelude,
                          firn_error *err);
    void *user; ///< handed to all
};

/// Adds a handler; they run in the order in which they were added. FIRN_EXISTS: the name is taken.
/// FIRN_INVALID: no name or a reserved one, no function, discard without check, abi 0.
/// FIRN_VERSION: a newer abi. FIRN_LIMIT: too many. FIRN_BUSY: while a save or load runs. Entries
/// that a load with keep_unknown kept for it go to its check, commit and load at once; finish is
/// not called. Where check or load fails it is not added and they stay kept, and so do changes that
/// load made: what they returned, and FIRN_BUSY inside a loop or a publication.
FIRN_CALLS_BACK FIRN_API firn_result firn_handler_add(firn_world *world,
                                                      const firn_handler *handler, firn_error *err);

/// Removes a handler. FIRN_NOT_FOUND; FIRN_INVALID: it is a plugin's; FIRN_BUSY as above.
FIRN_API firn_result firn_handler_remove(firn_world *world, const char *name, firn_error *err);

// What a handler keeps for each entity. A save may hold some of the entities only, and a load may
// keep some as they are: a persisted one does (firn/persist.h). The entry then is about those that
// are saved, and the load replaces what belongs to them, to those that end, and to no entity.

/// In the save of a handler: whether the save holds an entity as a whole, which it does not when a
/// filter leaves it out, or when it persists those that the game marked. Elsewhere: whether it
/// lives.
FIRN_API bool firn_save_has(const firn_world *world, firn_entity entity);

/// In the check and commit of a handler, for an entity of before the load: the id that it has
/// afterwards, when the load keeps it as it is; its own, unless it made room for one that is saved.
/// What the handler has of it stays then, under that id. 0: the entity comes from the save or ends,
/// and what the handler had of it goes. Elsewhere, and in loads that replace the world, 0.
FIRN_API firn_entity firn_load_keeps(const firn_world *world, firn_entity entity);

// ---------------------------------------------------------------- plugins

/// Things that come and go together. Each list ends with NULL and may itself be NULL. The tables,
/// their names and that of the plugin are copied.
typedef struct firn_plugin {
    uint32_t abi;                               ///< FIRN_ABI
    const char *name;                           ///< no other plugin of the world has it
    const firn_codec *const *codecs;            ///< to be found with firn_codec_find
    const firn_handler *const *handlers;        ///< as by firn_handler_add
    const char *const *events;                  ///< as by firn_event_register
    const firn_observer_desc *const *observers; ///< as by firn_observe; also of its own events
    /// NULL, or does what else there is to do, when its events and observers are there and before
    /// its codecs and handlers are. Anything but FIRN_OK takes all back; what it did itself to the
    /// world it undoes before. Fill `err` to say why.
    firn_result (*install)(void *user, firn_world *world, firn_error *err);
    /// NULL, or called when the plugin was removed, or at the end of its world: the plugin added
    /// last first, after all drop hooks, with no entities left and the world locked.
    void (*destroy)(void *user, firn_world *world);
    void *user; ///< handed to both
} firn_plugin;

/// Adds a plugin, all of it or nothing. FIRN_EXISTS: a plugin, codec or handler of that name is
/// there. FIRN_INVALID: a table without abi, name or a function that it needs. FIRN_VERSION: a
/// newer abi. FIRN_BUSY: while a save, load or install runs. Else as what its parts are added with,
/// and what install returned. Handlers that refuse what is kept for them come after install: the
/// plugin is then destroyed, as one that is removed.
FIRN_CALLS_BACK FIRN_API firn_result firn_plugin_add(firn_world *world, const firn_plugin *plugin,
                                                     firn_error *err);

/// Removes what firn_plugin_add added, but for the kinds of event, which stay. FIRN_NOT_FOUND;
/// FIRN_BUSY: a component uses one of its codecs (err->subject is the component), and as above.
FIRN_CALLS_BACK FIRN_API firn_result firn_plugin_remove(firn_world *world, const char *name,
                                                        firn_error *err);

/// A plugin's codec, for firn_component_desc.codec, or NULL. Valid until its plugin is removed.
FIRN_API const firn_codec *firn_codec_find(const firn_world *world, const char *name);

#ifdef __cplusplus
}
#endif

#endif
