/// firn/saves.h: save games of a running game: slots, requests, autosaves, levels, migration,
/// variables, background writing. docs/saves.md explains it around one small loop.
///
/// A manager belongs to one world at a time and is used by the thread of that world. It writes save
/// files (firn/save_file.h) and keeps them in a storage (firn/storage.h) under slots. What it
/// publishes are events of the world (firn/event.h) at address 0, registered by it:
///
///     saved         a requested save is in its slot; the payload is a firn_saves_event
///     save_failed   a requested save failed; the payload says why
///     loaded        a requested load is done, or failed; told on the next tick
///     level_entered a requested change of level is done, or failed; told on the next tick
///
/// Observers get the payload, with size 0: no queue keeps it.
#ifndef FIRN_SAVES_H
#define FIRN_SAVES_H

#include "firn/diff.h"
#include "firn/save_file.h"
#include "firn/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_saves firn_saves;

/// Slots that do not count toward max_slots. A ring of autosaves goes on with `autosave-2`, ...,
/// which do count. An autosave goes to the slot of its ring that is empty, or damaged in both
/// generations, or has the oldest save, in this order; never over a save of a newer or another
/// game: then the next one is taken. With none left it is save_failed with what is in the way of
/// the first: FIRN_NEWER, as a rule.
#define FIRN_SLOT_AUTOSAVE  "autosave"
#define FIRN_SLOT_QUICKSAVE "quicksave"

// ---------------------------------------------------------------- open

/// What the game calls its place in the story, and how to go there. Without these callbacks every
/// save has the level "".
typedef struct firn_levels {
    /// The name of the level the game is in; valid until the game enters another one. NULL is "".
    /// Where this is NULL, the level is the scene that was told (firn_saves_scene).
    const char *(*current)(void *user, firn_world *world);
    /// Enters a level: in firn_saves_enter, and, with for_restore true, before a load restores into
    /// it. The level then makes what is not saved (scenery, resources, systems) and spawns no
    /// entity of its own; a change of level that the game has under way (a fade, a loading screen)
    /// is to be dropped. Of a manager of FIRN_SAVES_PERSISTED, whose loads enter only another level
    /// than it is in, or one whose scene is not as it was (firn_saves_scene), it makes its entities
    /// as ever: firn_saves_leave, when the level is there, then its own, then firn_saves_scene.
    /// *world is the manager's; it may be replaced by another world, to which the manager then
    /// binds itself, with its events (observers of the game are the game's to bring along), and
    /// which, restored, takes the place of the old one on the bus that they share
    /// (firn_world_bind); the old one stays the game's to destroy, at the earliest after the call
    /// of firn_saves that runs. FIRN_UNKNOWN: there is no such level; nothing was changed then. Any
    /// other failure, of a load: the manager enters the old level again and restores it, in the
    /// world that it has. Calls of the manager but firn_saves_leave and those of scenes are
    /// FIRN_BUSY meanwhile.
    firn_result (*enter)(void *user, const char *level, bool for_restore, firn_world **world,
                         firn_error *err);
    void *user; ///< handed to both
} firn_levels;

/// One step of migration: from the game's save version `from` to from + 1.
typedef struct firn_migration {
    uint32_t from;
    /// Changes `save`, a copy: the tree of firn_save_file_value, but `snapshot` is in the table
    /// form of firn_snapshot_save_table, and `custom` and `variables` are there in any case. It
    /// leaves a save of the same game; both versions are set by the manager. NULL: this version
    /// needs no change. What it returns fails the load; fill `err` to say why.
    firn_result (*migrate)(void *user, firn_doc *doc, firn_value *save, firn_error *err);
    void *user;
} firn_migration;

/// What a manager saves; its files say so, and it loads no others (FIRN_UNSUPPORTED).
typedef enum firn_saves_kind {
    FIRN_SAVES_WORLD,    ///< the whole world, which a load replaces
    FIRN_SAVES_PERSISTED ///< the entities with the component `persist` (firn/persist.h), which a
                         ///< load puts back into the world as it is; all others keep their state
} firn_saves_kind;

/// What becomes of a save that is requested while one runs in the background. Never busy are an
/// autosave that is due then, and requests of one tick, which are done one behind the other: all
/// but the first of them wait with FIRN_SECOND_SAVE_WAITS, or are kept. All wait when a load or a
/// change of level is requested for the same end, since they are of the world before it.
typedef enum firn_second_save {
    FIRN_SECOND_SAVE_KEPT,  ///< it is done at the end of a later tick, of which it then is
    FIRN_SECOND_SAVE_WAITS, ///< the end of its own tick waits for the save that runs
    FIRN_SECOND_SAVE_BUSY   ///< the request is FIRN_BUSY: nothing is requested
} firn_second_save;

typedef struct firn_saves_desc {
    const char *game;            ///< id, as of firn_saves_folder; a save of another one is refused
    const char *engine;          ///< NULL: "firn" and its version; written in headers
    firn_saves_kind kind;        ///< persisted: the components are registered in its worlds
    uint32_t version;            ///< of the game's saves; 0: 1
    uint32_t max_slots;          ///< 0: 20; autosave and quicksave do not count
    const firn_storage *storage; ///< NULL: no slots, only firn_saves_make and firn_saves_take
    const firn_levels *levels;   ///< NULL: none; copied
    const firn_migration *migrations; ///< `migration_count` of them, in any order; copied
    uint32_t migration_count;
    int compression;              ///< as in firn_save_file_options
    bool background;              ///< requested saves are packed and put on a thread of their own
    firn_second_save second_save; ///< requested while one runs there
    bool editor;                  ///< begins outside of play: see firn_saves_play_begin
    double autosave_seconds;      ///< of play between autosaves; 0: none
    uint32_t autosave_ring;       ///< how many slots autosaves use by turns; 0: 1
    bool keep_unknown;            ///< as in firn_load_options, for every load
    bool skip_unknown;
    const firn_save_options *snapshot; ///< NULL, or options of every snapshot (data, filter, ...);
                                       ///< what it points to must outlive the manager; no digest
    const firn_limits *limits;         ///< NULL: the world's; copied
    /// NULL: that of the world. A background save uses it on its own thread: it must then allow
    /// calls from two threads at once, as the default does. Copied.
    const firn_allocator *allocator;
    int64_t (*now)(void *user); ///< NULL: the system's clock; else milliseconds since 1970 in UTC
    void *now_user;
    uint64_t reserved[4]; ///< must be zero
} firn_saves_desc;

/// Opens a manager for a world. Strings are copied; storage is copied and must stay open. Registers
/// the events. NULL on failure: FIRN_INVALID (err->subject is the field; two migrations from one
/// version, or from one that is not below the game's), FIRN_VERSION (a newer storage table),
/// FIRN_EXISTS (the world has a manager), FIRN_UNSUPPORTED (compression in a build without it),
/// FIRN_BUSY (in a hook or codec), FIRN_LIMIT (no more kinds of event), FIRN_NO_MEMORY.
FIRN_API firn_saves *firn_saves_open(firn_world *world, const firn_saves_desc *desc,
                                     firn_error *err);

/// Waits for a background save, then frees the manager. Requests that did not begin are dropped.
/// Best before the world is destroyed: a manager whose world went first can only be closed, listed,
/// asked for variables and bound to another world. Not from a callback while a call of it runs, but
/// for observers of its events: nothing more is told, saved or loaded then, other calls are
/// FIRN_INVALID, and the memory is freed when the call that tells returns. NULL is allowed.
FIRN_API void firn_saves_close(firn_saves *saves);

/// The world that the manager is bound to: after a load perhaps another one than before.
FIRN_API firn_world *firn_saves_world(const firn_saves *saves);
/// Binds the manager to another world, for a game that goes to a level in a world of its own
/// without a load; also after the world that it had was destroyed. Its events are registered there;
/// observers, and the bus (firn_world_bind), are the game's to bring along. Variables, the line of
/// saves, hooks and requests stay; the scene is forgotten. FIRN_INVALID (NULL), FIRN_EXISTS (the
/// world has another manager), FIRN_BUSY (in a hook or codec of that world, while a load or a
/// callback of the manager runs), FIRN_LIMIT (no more kinds of event), FIRN_NO_MEMORY: nothing
/// changed.
FIRN_API firn_result firn_saves_bind(firn_saves *saves, firn_world *world, firn_error *err);
/// Seconds played in this line of saves.
FIRN_API double firn_saves_play_time(const firn_saves *saves);

// ---------------------------------------------------------------- save

typedef struct firn_saves_write_options {
    const firn_value *meta;       ///< NULL or a table for menus; copied where it is kept. A string
                                  ///< `thumbnail` in it becomes a section.
    const firn_section *sections; ///< the game's own; names not reserved by firn/save_file.h
    uint32_t section_count;       ///< at most 29, 28 if persisted; with a thumbnail one less
    bool force;                   ///< also over a save of a newer game
    uint64_t reserved[4];         ///< must be zero
} firn_saves_write_options;

/// Gives fields for `custom`: sets them in `fields`, a table in `doc`. The world is to be read only
/// in spirit: what the hook changes is saved. Anything but FIRN_OK fails the save; fill `err`.
typedef firn_result (*firn_before_save_fn)(void *user, firn_saves *saves, firn_doc *doc,
                                           firn_value *fields, firn_error *err);

/// A hook; 0 is none.
typedef uint64_t firn_save_hook;

/// Adds a hook; hooks run in this order at every save, before anything is captured; one that is
/// added by a hook waits for the next save. `fields`: NULL, or the names that it sets, ended by
/// NULL: FIRN_EXISTS when another hook declared one of them (err->subject: the field), and a save
/// fails with FIRN_INVALID when it sets others. Fields that come from two hooks, or that another
/// hook declared, fail the save with FIRN_EXISTS. 0 also with FIRN_INVALID, FIRN_NO_MEMORY.
FIRN_API firn_save_hook firn_saves_before_save(firn_saves *saves, const char *const *fields,
                                               firn_before_save_fn fn, void *user, firn_error *err);
/// FIRN_NOT_FOUND: removed before. FIRN_BUSY: while hooks run.
FIRN_API firn_result firn_saves_remove_hook(firn_saves *saves, firn_save_hook hook,
                                            firn_error *err);

/// Makes a save file of the world as it is, without a slot, at the end of `out`: hooks, header,
/// snapshot, custom, variables, sections. FIRN_BUSY: inside a step, a loop or a callback (use
/// firn_saves_request_save, the message says), or outside of play; what a hook returned; else as
/// firn_snapshot_save and firn_save_file_write. `out` and the line of saves are then as before.
FIRN_CALLS_BACK FIRN_API firn_result firn_saves_make(firn_saves *saves,
                                                     const firn_saves_write_options *options,
                                                     firn_buffer *out, firn_error *err);

/// firn_saves_make into a slot, at once. FIRN_INVALID (a bad name, before anything is read; no
/// storage), FIRN_LIMIT (a new slot would be one too many), FIRN_NEWER (the slot holds a save of a
/// newer game or library, or its backup is one and the save is damaged or gone, and options->force
/// is false), FIRN_CONFLICT or FIRN_EXISTS (somebody else changed the slot meanwhile), FIRN_BUSY
/// also while a background save runs, and what the storage returns. The slot and the line of saves
/// are then as they were, but for FIRN_NOT_DURABLE: the save is there, and may not survive a power
/// loss yet.
FIRN_CALLS_BACK FIRN_API firn_result firn_saves_write(firn_saves *saves, const char *slot,
                                                      const firn_saves_write_options *options,
                                                      firn_error *err);

// ---------------------------------------------------------------- load

/// What a load did. It owns memory: free it with firn_saves_loaded_free.
typedef struct firn_saves_loaded {
    firn_world *world;        ///< the manager's world now
    firn_save_file *envelope; ///< the save, as migrated; NULL when it failed before that was known.
                              ///< It lies in `bytes`, or in those that firn_saves_take was given
    firn_load_report report;  ///< of the snapshot
    bool from_backup;         ///< the current generation was damaged, `damage` says how
    firn_error damage;
    uint32_t migrated_from; ///< the game version that the save had, or 0: it needed no migration
    bool went_back; ///< the load failed when the game had changed, which is what it was again
    /// Of a persisted save, `moved_count` of them: entities that lived and got another id (`saved`
    /// is the one of before): the save has it for their key, or for their place in the scene, or
    /// needs the slot of one that was kept. What names them in rows followed, in values
    /// (FIRN_VALUE) and elsewhere it did not.
    const firn_merged *moved;
    uint32_t moved_count;
    /// Of a persisted save of a scene: local ids that the save has, and the scene as it is now has
    /// not; and those that are new in it. Both in ascending order. A missing one that was saved
    /// whole is made from the save, and is of the scene, so that a later file may have it again; a
    /// new one stays, also with `persist`. Where the file gave the key of one that was saved whole
    /// to another entity, which has no place in the save, that is the saved one, and the one at its
    /// place counts as new.
    const uint64_t *scene_missing;
    const uint64_t *scene_new;
    uint32_t scene_missing_count;
    uint32_t scene_new_count;
    firn_buffer bytes; ///< or empty
    // ---- the library's
    firn_allocator allocator;
    uint32_t moved_room;
    uint32_t missing_room;
    uint32_t new_room;
} firn_saves_loaded;

/// Frees what *loaded points to and zeroes it. NULL and a zeroed one are allowed.
FIRN_API void firn_saves_loaded_free(firn_saves_loaded *loaded);

/// Loads a save file from bytes: checks all of it (file, game, version, migration, maps, image
/// against the registrations of the world), enters its level, binds, restores. Before the level is
/// entered a failure changes nothing: FIRN_OTHER_GAME, FIRN_NEWER, FIRN_NOT_FOUND (a version
/// without a migration; err->subject is the version), what a migration returned (err->subject is
/// its version) or FIRN_INVALID (what it left is no save), FIRN_UNSUPPORTED (a kind of save that
/// this library cannot load), FIRN_UNKNOWN (level, component, class, state), FIRN_BUSY as
/// firn_saves_make, and as firn_save_file_open and firn_snapshot_load.
///
/// So that a later failure changes nothing either, the running world is saved to memory first
/// (unless nothing can fail later: no level to enter, no class, no handler with load or finish, no
/// observer of loads), with OnSnapshotSave and handlers as in every save; what that returns fails
/// the load (a hook is what keeps a game from being saved). That is so for a persisted save as
/// well, since what is called may change entities that the load keeps: it costs a snapshot of the
/// whole world, however little is loaded. A failure afterwards enters the old level again and
/// restores it: the world, but for transient components, variables and play time are those from
/// before the call; should that fail too, the message says so and both errors, and entities are
/// those from before as far as they can be loaded.
///
/// After success variables, play time and the line of saves are those of the save. `bytes` must
/// stay, and not change, until *loaded is freed. loaded NULL is allowed; what it held before is not
/// freed; it is to be freed after a failure too.
FIRN_CALLS_BACK FIRN_API firn_result firn_saves_take(firn_saves *saves, const void *bytes,
                                                     size_t size, firn_saves_loaded *loaded,
                                                     firn_error *err);

/// firn_saves_take of a slot, at once. When the current generation is damaged (FIRN_NOT_OURS,
/// FIRN_TRUNCATED, FIRN_CORRUPT) or gone, the backup is loaded and loaded->from_backup says so;
/// when that is of no use either, the error is that of the current one. Also FIRN_NOT_FOUND (an
/// empty slot), FIRN_INVALID (a bad name, before anything is read; no storage), what the storage
/// returns.
FIRN_CALLS_BACK FIRN_API firn_result firn_saves_read(firn_saves *saves, const char *slot,
                                                     firn_saves_loaded *loaded, firn_error *err);

// ---------------------------------------------------------------- levels and scenes

/// Tells a manager of FIRN_SAVES_PERSISTED which scene the game is in, in place of the one before:
/// the entities that its scene file places, and their ids in that file, 1 to 2^53 - 1, `n` of both,
/// in any order. All is copied. One that does not live counts as destroyed.
///
/// A save has the name and the ids. A load of one of another scene, or of this one with other ids
/// or with one that is saved by field and has ended since, which only its scene makes again, enters
/// the level of the save first (firn_levels.enter tells its scene before it returns; without levels
/// another scene is FIRN_UNKNOWN, other ids are set in place, and who has ended is passed over),
/// then gives each entity of the scene the id that it had: whoever else holds one moves. Those with
/// `persist` that were dead in the save end, in this load and, as later saves have them too, in all
/// that follow. Which have `persist` is asked here and at every save: one that gets it later and
/// ends before a save is not known to have had it.
///
/// Ids in a row are cheap: entities that are spawned in the order of their local ids cost nothing.
///
/// FIRN_INVALID (a bad name; NULL; a local id out of range or twice; no entity, or one twice),
/// FIRN_UNSUPPORTED (a manager of whole worlds), FIRN_LIMIT, FIRN_BUSY (a load or a callback of the
/// manager runs that is not firn_levels.enter), FIRN_NO_MEMORY: the scene of before stays.
FIRN_API firn_result firn_saves_scene(firn_saves *saves, const char *name,
                                      const firn_entity *entities, const uint64_t *locals,
                                      uint32_t n, firn_error *err);
/// The name that was told, valid until the next change of scene or close; NULL: none.
FIRN_API const char *firn_saves_scene_name(const firn_saves *saves);
/// The entity that the scene file calls `local`, dead or alive, under its id of now; 0: none.
FIRN_API firn_entity firn_saves_scene_entity(const firn_saves *saves, uint64_t local);
/// The id of an entity, dead or alive, in the scene file; 0: it is not of the scene.
FIRN_API uint64_t firn_saves_scene_local(const firn_saves *saves, firn_entity entity);

/// Leaves the scene: every entity ends, but those with Carry (firn/persist.h) and what is below
/// them (ChildOf), which lose their relationships to those that end; then no scene is told. What a
/// level does first when it is entered, when it knows that it is there. Deferred changes are
/// applied before. FIRN_INVALID, FIRN_BUSY (inside a loop, step or callback other than
/// firn_levels.enter), FIRN_NO_MEMORY: nothing changed, but for those deferred changes.
FIRN_CALLS_BACK FIRN_API firn_result firn_saves_leave(firn_saves *saves, firn_error *err);

/// Goes to a level: firn_levels.enter with for_restore false, then binds to the world that it gave.
/// The level that the game is in is entered anew. FIRN_INVALID (a bad name, no levels), FIRN_BUSY
/// as firn_saves_make; what enter returns: after FIRN_UNKNOWN nothing changed, after any other the
/// game is as enter left it; then as firn_saves_bind.
FIRN_CALLS_BACK FIRN_API firn_result firn_saves_enter(firn_saves *saves, const char *level,
                                                      firn_error *err);
/// Asks for it at the end of this tick, after saves; the last request of a tick holds, and a load
/// that is done meanwhile, or at the same end of a tick, drops it. What comes of it is told as
/// level_entered, with the level as `slot`. FIRN_INVALID (a bad name, no levels), FIRN_BUSY
/// (outside of play), FIRN_NO_MEMORY. Allowed anywhere.
FIRN_API firn_result firn_saves_request_enter(firn_saves *saves, const char *level,
                                              firn_error *err);

// ---------------------------------------------------------------- inspect

typedef struct firn_inspect_options {
    bool all;             ///< entities that are the same are listed as well; those of a manager of
                          ///< FIRN_SAVES_PERSISTED are in any case
    double tolerance;     ///< as in firn_diff_options
    uint64_t reserved[4]; ///< must be zero
} firn_inspect_options;

/// What an inspection came to.
typedef struct firn_inspection {
    bool same; ///< nothing differs
    uint64_t same_entities;
    uint64_t changed_entities;
    uint64_t missing_entities; ///< in the save, and not in the world, or saved by field and not
                               ///< persisting any more: no load would know them
    uint64_t extra_entities;   ///< in the world, and not in the save
    uint64_t differences;      ///< of all kinds
    bool from_backup;          ///< as in firn_saves_loaded
    firn_error damage;
    uint32_t migrated_from;
} firn_inspection;

/// Compares the save of a slot with the game as it is now: what would a load change? Of a manager
/// of FIRN_SAVES_WORLD every entity, of one of FIRN_SAVES_PERSISTED those that persist, as much of
/// each as is saved: one that was saved whole is compared whole, and one that was saved by field by
/// the fields that the save has, however it persists now, if at all; the variables of the game;
/// states, phases, random streams, data of handlers (timers and queued events are among it); tick,
/// level, order. Not `custom` and sections of the game. Who persists in the scene that the save is
/// of, and is not in it, is no difference: a newer scene file has it besides
/// (firn_saves_loaded.scene_new), and a load leaves it. Right after a load nothing differs, unless
/// code that runs at loads changed something, the components have other fields than in the save,
/// the scene file lost what is saved by field (scene_missing), what is saved by field persists no
/// more, or something of no scene does since the save (a load leaves both), or what is saved was
/// related to an entity without `persist` that is no more.
///
/// The tree, in `doc`, is that of firn_diff_value with `saved` and `now` for `left` and `right`.
/// Each entity has a `status`: `"same"`, `"changed"` (then `changes` are the fields, with both
/// values), `"missing"` or `"extra"`; `variables` is a list as `data` is; `same`, `unchanged`,
/// `changed`, `missing` and `extra` say how many. An entity of which fields or variables alone
/// persist has no id but its key. One that the save knows under another id, by its key or its place
/// in the scene, is told of under that; one that has the id of a saved one, and is another to a
/// load, is `"extra"`, and the saved one `"missing"`. Ids in values are compared as they are, but
/// for those of the entities that script state belongs to.
///
/// Nothing is changed, and no hook runs; the world is captured as for a save, with OnSnapshotSave
/// and handlers, migrations run on copies. The slot is read as by firn_saves_read, backup and all.
/// NULL on failure: as firn_saves_read before anything changes, firn_snapshot_save,
/// firn_diff_value. options NULL: the defaults. out NULL is allowed; a failure leaves it as it was.
FIRN_CALLS_BACK FIRN_API firn_value *firn_saves_inspect(firn_saves *saves, const char *slot,
                                                        const firn_inspect_options *options,
                                                        firn_doc *doc, firn_inspection *out,
                                                        firn_error *err);
/// The same as lines at the end of `text`, which is as before when it fails: `entity 17 (key
/// "player"): Position.x 1.5 -> 1.25`, `entity 18 (key "door"): same`, `variables: gold 3 -> 4`.
FIRN_CALLS_BACK FIRN_API firn_result firn_saves_inspect_text(firn_saves *saves, const char *slot,
                                                             const firn_inspect_options *options,
                                                             firn_buffer *text,
                                                             firn_inspection *out, firn_error *err);

// ---------------------------------------------------------------- slots and menus

/// One slot of a list.
typedef struct firn_slot {
    char name[FIRN_SLOT_NAME_SIZE];
    uint64_t size;                  ///< bytes of the file
    const firn_save_header *header; ///< NULL: no head can be read; `error` says why
    bool newer;                     ///< a save of a newer game: it can be listed, not loaded
    bool other_game;                ///< a save of another game
    bool has_thumbnail;
    bool from_backup; ///< head and size are those of the backup: the current one is damaged
    firn_error error; ///< code FIRN_OK while all is well, else what is wrong with the current one;
                      ///< only heads are looked at, and whether files are as long as they say
} firn_slot;

/// The list. It owns memory: free it with firn_slot_list_free.
typedef struct firn_slot_list {
    firn_slot *slots; ///< newest first, by timestamp, then revision, then name; those without a
                      ///< readable head last, by name
    uint32_t count;
    // ---- the library's
    firn_allocator allocator;
    void *memory;
    size_t memory_size;
} firn_slot_list;

/// Lists every slot, reading at most 4 KiB of each generation. Allowed at any time, also outside of
/// play. FIRN_INVALID (no storage), FIRN_NO_MEMORY, what the storage returns; *out is then empty.
/// A damaged slot is no failure.
FIRN_API firn_result firn_saves_list(firn_saves *saves, firn_slot_list *out, firn_error *err);
FIRN_API void firn_slot_list_free(firn_slot_list *list);

/// Whether a slot has a save, damaged or not. False also for a bad name and without a storage.
FIRN_API bool firn_saves_has(firn_saves *saves, const char *slot);
/// The slot for a Continue button: the newest one that this game can load, by its head; saves of
/// the other kind are none. FIRN_NOT_FOUND: there is none.
FIRN_API firn_result firn_saves_newest(firn_saves *saves, char slot[FIRN_SLOT_NAME_SIZE],
                                       firn_error *err);
/// The bytes of meta.thumbnail at the end of `out`. FIRN_NOT_FOUND: no slot, or it has none; as
/// firn_save_file_open. The current generation is checked whole; where it is damaged, those of the
/// backup.
FIRN_API firn_result firn_saves_thumbnail(firn_saves *saves, const char *slot, firn_buffer *out,
                                          firn_error *err);
/// Copies the save of a slot to another one, byte for byte. FIRN_NOT_FOUND, FIRN_INVALID (a bad
/// name, the same one twice, no storage), FIRN_EXISTS (`to` is taken, and replace is false),
/// FIRN_LIMIT (one slot too many), FIRN_BUSY (a background save, a load or a hook runs); a damaged
/// save is not copied: its error; as the storage (FIRN_CONFLICT: somebody else put one meanwhile).
/// Allowed outside of play, as firn_saves_rename and firn_saves_remove are.
FIRN_API firn_result firn_saves_copy(firn_saves *saves, const char *from, const char *to,
                                     bool replace, firn_error *err);
/// firn_saves_copy, then `from`, which counts as no slot, is removed. A crash in between leaves
/// both, and so does anything but FIRN_OK that follows the copy.
FIRN_API firn_result firn_saves_rename(firn_saves *saves, const char *from, const char *to,
                                       bool replace, firn_error *err);
/// Removes a slot and its backup. FIRN_NOT_FOUND; FIRN_INVALID and FIRN_BUSY as firn_saves_copy; as
/// the storage.
FIRN_API firn_result firn_saves_remove(firn_saves *saves, const char *slot, firn_error *err);

// ---------------------------------------------------------------- requests

/// Payload of saved, save_failed, loaded and level_entered. Valid while the event is published.
typedef struct firn_saves_event {
    const char *slot;                ///< of level_entered: the level
    firn_result result;              ///< FIRN_OK; of saved also FIRN_NOT_DURABLE; or why it failed
    const firn_error *error;         ///< NULL when result is FIRN_OK
    const firn_saves_loaded *loaded; ///< of loaded, also of one that failed; else NULL
} firn_saves_event;

/// Asks for a save at the end of this tick. Several requests of one tick: those for the same slot
/// are one, in the place of the first, with the options of the last; others are done in the order
/// of the requests; all of them before a load. Checked at once: FIRN_INVALID (name, options, no
/// storage), FIRN_LIMIT (meta is too deep or too large, sections), FIRN_BUSY (outside of play; of
/// FIRN_SECOND_SAVE_BUSY: err->subject is the slot to which a background save runs, `autosave` for
/// any of its ring), FIRN_NO_MEMORY. The number of slots is checked at the end of the tick. meta
/// and sections are copied. Allowed anywhere: in systems, loops, observers and hooks.
FIRN_API firn_result firn_saves_request_save(firn_saves *saves, const char *slot,
                                             const firn_saves_write_options *options,
                                             firn_error *err);

/// Asks for a load at the end of this tick; the last request of a tick holds. FIRN_NOT_FOUND, at
/// once: the slot is empty, and no save was asked for that is on its way to it. Else as
/// firn_saves_request_save; a background save is no matter: the load waits for it.
FIRN_API firn_result firn_saves_request_load(firn_saves *saves, const char *slot, firn_error *err);

/// The end of a tick, between steps: publishes what the last end left to tell, advances play time
/// by `seconds` (of this tick, 0 or more), saves the autosave that is due and what is requested,
/// publishes saved and save_failed, then loads, or enters a level. loaded, level_entered, and what
/// a background save came to, are published by the next call, or by firn_saves_tell. What an
/// observer asks for meanwhile is done by the next call. A request that fails is no failure of this
/// call: it is published. FIRN_INVALID (seconds), FIRN_BUSY (inside a step, loop or callback:
/// requests wait), FIRN_NO_MEMORY: nothing was done; what an observer of the events returned (the
/// requests are done all the same). Outside of play it only publishes.
FIRN_CALLS_BACK FIRN_API firn_result firn_saves_end_tick(firn_saves *saves, double seconds,
                                                         firn_error *err);

/// Publishes what waits to be told. A game that calls it at the begin of a tick hears of loads
/// before its systems run. FIRN_BUSY: a hook, codec or callback of the manager runs; else as the
/// observers.
FIRN_CALLS_BACK FIRN_API firn_result firn_saves_tell(firn_saves *saves, firn_error *err);

/// Whether a background save runs. It is then packed on a thread of the manager's, and put there as
/// well when the storage allows any thread, or else by the end of a tick. Meanwhile calls that read
/// slots wait for the call of the storage that runs.
FIRN_API bool firn_saves_writing(firn_saves *saves);
/// Waits for the background save. Its outcome is told by the next end of a tick.
FIRN_API void firn_saves_wait(firn_saves *saves);

// ---------------------------------------------------------------- variables

/// State of the game that belongs to no entity: a map by name, saved with every save, replaced by
/// every load. `value` is copied; nil or NULL removes it. FIRN_INVALID (an empty name), FIRN_BUSY
/// (while a load runs), FIRN_LIMIT (no save could hold it), FIRN_NO_MEMORY: nothing changed.
FIRN_API firn_result firn_saves_set_variable(firn_saves *saves, const char *name,
                                             const firn_value *value, firn_error *err);
/// The value, valid until the next change of variables, load or close; NULL: there is none.
FIRN_API const firn_value *firn_saves_variable(const firn_saves *saves, const char *name);
/// All of them, a table, valid as long.
FIRN_API const firn_value *firn_saves_variables(const firn_saves *saves);

// ---------------------------------------------------------------- play mode

/// Begins play in an editor: keeps the world in memory. Outside of play saves, loads and requests
/// are FIRN_BUSY; lists, copies and removals work. FIRN_INVALID: not a manager with desc.editor;
/// FIRN_EXISTS: in play already; FIRN_BUSY: inside a step, a loop or a callback; else as
/// firn_snapshot_save.
FIRN_CALLS_BACK FIRN_API firn_result firn_saves_play_begin(firn_saves *saves, firn_error *err);
/// Ends play: waits for a background save, restores the world exactly (its hash is the one from
/// before; through firn_levels.enter when the level is another one), clears variables, requests and
/// play time. FIRN_INVALID; FIRN_NOT_FOUND: not in play; FIRN_BUSY; else as firn_saves_take, and
/// play goes on.
FIRN_CALLS_BACK FIRN_API firn_result firn_saves_play_stop(firn_saves *saves, firn_error *err);
/// Whether the game is in play: always, without desc.editor.
FIRN_API bool firn_saves_playing(const firn_saves *saves);

#ifdef __cplusplus
}
#endif

#endif
