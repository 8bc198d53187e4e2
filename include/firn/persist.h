/// firn/persist.h: which entities a persisted save holds, and how much of each; variables of
/// entities.
///
/// Three components of the library, registered together:
///
///     persist   a firn_persist: the entity is saved; a zeroed one saves all of it
///     Vars      a FIRN_VALUE: variables of one entity, a map by name: no save or load takes
///               another value
///     Carry     a tag: the entity, and what is below it, survive firn_saves_leave. It has nothing
///               to do with saves: what is carried keeps running, also when a load enters another
///               level; what persists is put back, carried or not.
///
/// An entity without `persist` that has the very id of a saved one is that one when its place in
/// the scene says so (firn_saves_scene), or when a save or a load of the session held it; it is
/// then restored. Else it came to the id by chance, is kept, and gets another.
///
/// What belongs to code (systems, observers, codecs, defaults) never comes from a save.
///
/// Common failures as in firn/world.h.
#ifndef FIRN_PERSIST_H
#define FIRN_PERSIST_H

#include "firn/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How much of an entity is saved; in each mode its script state (firn/script.h), too.
typedef enum firn_persist_mode {
    FIRN_PERSIST_ALL,    ///< name, tags, enabled or not, parent, and every component: a load
                         ///< removes what the entity has gained since
    FIRN_PERSIST_FIELDS, ///< what `fields` names
    FIRN_PERSIST_VARS    ///< its variables only
} firn_persist_mode;

#define FIRN_PERSIST_ID_SIZE     64
#define FIRN_PERSIST_FIELDS_SIZE 192

/// A row of the component `persist`.
typedef struct firn_persist {
    /// What saves call the entity; "": its entity id, as `#12`, which is the same in every session
    /// for what a scene file places. To be set where an entity can come back with another id: a
    /// load gives who has it then the id that is saved. Does not begin with `#`.
    char id[FIRN_PERSIST_ID_SIZE];
    /// For FIRN_PERSIST_FIELDS: names like `Light` (the whole component) or `Body.velocity` (a
    /// field, with all that is in it), with blanks between them. No relations, and no components
    /// whose strings are unique.
    char fields[FIRN_PERSIST_FIELDS_SIZE];
    uint8_t mode; ///< a firn_persist_mode
    bool no_vars; ///< its variables are not saved: a load leaves them as they are, and what it
                  ///< makes again has none
    /// It was made while the game ran, by no scene file: a load makes it again when it is missing,
    /// with its children, and removes one that was spawned after the save. For FIRN_PERSIST_ALL
    /// alone.
    bool spawned;
} firn_persist;

/// Registers the three components; again, it does nothing. Returns `persist`, or 0: FIRN_EXISTS
/// (the game has another component under one of the names), as firn_component_register.
FIRN_CALLS_BACK FIRN_API firn_component firn_persist_register(firn_world *world, firn_error *err);

/// The components; 0 before they are registered.
FIRN_API firn_component firn_persist_component(const firn_world *world);
FIRN_API firn_component firn_vars_component(const firn_world *world);
FIRN_API firn_component firn_carry_component(const firn_world *world);

/// Sets the component `persist` as firn_set does, and checks the row before: FIRN_INVALID
/// (err->entity is the entity) when a text has no end or is no UTF-8 (err->subject `id`, `fields`),
/// the id begins with `#`, mode is none, spawned goes with another mode than FIRN_PERSIST_ALL
/// (`mode`, `spawned`), or `fields` names a field that its component does not have, a relation, or
/// a component that is transient or unique, or a part of `persist` (err->subject is the name). A
/// component that is not registered yet is no failure here; a save checks it again. FIRN_NOT_FOUND:
/// the components are not registered.
///
/// A row that came another way (firn_set, firn_get_mut) is checked by saves. All of them, and all
/// loads, refuse one that is bad in itself; the names, which a newer game may not have any more,
/// are looked up by saves of what persists alone.
FIRN_CALLS_BACK FIRN_API firn_result firn_persist_set(firn_world *world, firn_entity entity,
                                                      const firn_persist *row, firn_error *err);

/// What a save checks of the row of an entity: as firn_persist_set, and that every component is
/// registered. An entity without the component is FIRN_NOT_FOUND.
FIRN_API firn_result firn_persist_check(const firn_world *world, firn_entity entity,
                                        firn_error *err);

/// Bytes of the longest key, its 0 included.
#define FIRN_PERSIST_KEY_SIZE FIRN_PERSIST_ID_SIZE
/// Writes the key of an entity to `out`: its id, or `#` and its entity id. "" when it has no
/// `persist` or its id has no end.
FIRN_API void firn_persist_key(const firn_world *world, firn_entity entity,
                               char out[FIRN_PERSIST_KEY_SIZE]);

// ---------------------------------------------------------------- variables of an entity

/// Sets a variable to a copy of `value`; NULL and nil remove it. The first one adds Vars.
/// FIRN_INVALID (a name that is NULL or ""; Vars is no map), FIRN_NOT_FOUND (a dead entity; the
/// components are not registered), FIRN_BUSY (the first one inside a loop), else as firn_set_value.
FIRN_CALLS_BACK FIRN_API firn_result firn_vars_set(firn_world *world, firn_entity entity,
                                                   const char *name, const firn_value *value,
                                                   firn_error *err);

/// A copy of a variable in `doc`. NULL: FIRN_NOT_FOUND (no such variable), FIRN_INVALID, else as
/// firn_value_decode. All of them at once: firn_get_value of Vars.
FIRN_API firn_value *firn_vars_get(const firn_world *world, firn_entity entity, const char *name,
                                   firn_doc *doc, firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
