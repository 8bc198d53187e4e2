/// saves.h (private): a manager of saves, and the steps that several files share. It is used by the
/// thread of its world; what a thread of its own packs and puts is apart from it.
#ifndef FR_SAVES_H
#define FR_SAVES_H

#include "firn/event.h"
#include "firn/saves.h"
#include "saves/scene.h"
#include "saves/slots.h"
#include "store/world.h"

/// The variables of a game: a table in a document of its own, which has what was replaced in it as
/// well, until there is so much of that that what lives is copied to a new one.
typedef struct fr_variables {
    firn_doc *doc;
    firn_value *table;
    size_t packed; ///< bytes of the document when it held nothing that was replaced
} fr_variables;

/// The line of saves that is played: each save follows the one that was written or loaded before.
typedef struct fr_save_line {
    double play_time;     ///< seconds
    uint64_t revision;    ///< saves of this line so far
    firn_digest identity; ///< of the last one, or zero
} fr_save_line;

/// A before-save hook.
typedef struct fr_hook {
    firn_save_hook handle;
    firn_before_save_fn fn;
    void *user;
    bool declares; ///< it gives no fields but these
    char **fields;
    uint32_t field_count;
} fr_hook;

struct firn_saves {
    firn_allocator allocator;
    firn_limits limits; ///< resolved
    firn_world *world;  ///< NULL: it was destroyed before the manager
    // What the desc says, with texts of its own.
    char *game;
    char *engine; ///< "": that of firn
    uint32_t version;
    uint32_t max_slots;
    firn_storage storage;       ///< abi 0: none
    firn_levels levels;         ///< functions NULL: none
    firn_migration *migrations; ///< in the order of their versions
    uint32_t migration_count;
    int compression;
    bool scenes;    ///< it is of the kind that saves what persists
    bool persisted; ///< saves hold what persists, not the world
    bool background;
    firn_second_save second_save;
    bool editor;
    bool keep_unknown;
    bool skip_unknown;
    double autosave_seconds; ///< 0: none
    uint32_t autosave_ring;  ///< at least 1
    firn_save_options snapshot;
    int64_t (*now)(void *user);
    void *now_user;
    // What goes on.
    fr_hook *hooks; ///< in the order in which they run
    uint32_t hook_count;
    uint32_t hook_capacity;
    uint64_t hooks_made; ///< ever: the last handle
    bool hooks_run;
    fr_variables variables;
    fr_save_line line;
    fr_requests requests;
    struct fr_worker *worker; ///< NULL: there was no background save yet
    fr_scene scene;           ///< that the game is in
    firn_buffer edited;       ///< in play: the save file of the world as it was edited
    fr_scene edited_scene;    ///< and its scene
    bool playing;             ///< false: an editor outside of play
    bool loading;             ///< a load runs: variables are about to be replaced
    bool closed;              ///< by an observer of its events: it is freed when that is told
    uint32_t tells;           ///< how many calls tell of what is done
    bool entering;            ///< levels.enter runs
    bool left;                ///< the last one left the scene of before
    const char *busy;         ///< NULL, or what of the manager runs, for messages: "a load"
    firn_event_kind saved, save_failed, loaded, entered; ///< of the world
};

// ---------------------------------------------------------------- saves.c

/// Frees what firn_saves_close left.
void fr_saves_free(firn_saves *saves);
/// FIRN_INVALID: saves is NULL or closed, or its world was destroyed.
firn_result fr_saves_check(const firn_saves *saves, firn_error *err);
/// FIRN_BUSY: a call of the manager runs its callbacks; the subject is which.
firn_result fr_saves_check_free(const firn_saves *saves, firn_error *err);
/// What a save or a load checks first: fr_saves_check; FIRN_BUSY outside of play, while another
/// call of the manager runs its callbacks, and inside a step, a loop, a publication or a callback
/// of the world: the message then names `request`, the call that waits for the end of the tick.
firn_result fr_saves_check_ready(const firn_saves *saves, const char *request, firn_error *err);
/// The same, also outside of play. request NULL: no call does it later.
firn_result fr_saves_check_rests(const firn_saves *saves, const char *request, firn_error *err);
/// FIRN_INVALID: no storage, or a bad name of a slot.
firn_result fr_saves_check_slot(const firn_saves *saves, const char *slot, firn_error *err);
/// Binds the manager to a world, which may be the one that it has: registers the events there.
/// FIRN_EXISTS: it has another manager; FIRN_NO_MEMORY: then nothing changed.
firn_result fr_saves_bind(firn_saves *saves, firn_world *world, firn_error *err);
/// `kind` of the headers that it writes.
const char *fr_saves_kind_text(const firn_saves *saves);
/// `kind` of a header.
const char *fr_saves_kind_of(const firn_save_header *header);
/// How the manager loads snapshots.
firn_load_options fr_saves_load_options(const firn_saves *saves);
/// Milliseconds since 1970 in UTC, by the game's clock or the system's.
int64_t fr_saves_now(const firn_saves *saves);
/// The name of the level that the game is in, that of the scene where it has no names of levels, ""
/// where it has neither. Valid as of firn_levels.
const char *fr_saves_level(firn_saves *saves);

// ---------------------------------------------------------------- level.c

/// FIRN_INVALID: `level` is no name, or there are no levels to enter.
firn_result fr_level_check(const firn_saves *saves, const char *level, firn_error *err);
/// Picks the entities that firn_saves_leave leaves: who is carried, and what is below. False: no
/// memory.
bool fr_carried_pick(const firn_world *world, fr_picks *out);
/// levels.enter, which there is; *world, of the manager before, is what the level gives. The error
/// says what it left unsaid.
firn_result fr_level_enter(firn_saves *saves, const char *name, bool for_restore,
                           firn_world **world, firn_error *err);
/// Binds the manager to what a level gave, and looks at the scene that it told. FIRN_INVALID: no
/// world; as fr_saves_bind.
firn_result fr_level_bind(firn_saves *saves, const char *name, firn_world *world, firn_error *err);
/// A world takes the place of another one, NULL when that was destroyed, on the bus of both.
void fr_level_take_bus(firn_world *before, firn_world *world);

// ---------------------------------------------------------------- slot_call.c

/// The calls of the manager's storage; what the game's own storage leaves unsaid of a failure is
/// filled in. A background save and the game's thread call by turns. revision NULL: not wanted.
firn_result fr_slot_put(const firn_saves *saves, const char *slot, firn_revision expected,
                        const void *bytes, size_t size, firn_error *err);
firn_result fr_slot_get(const firn_saves *saves, const char *slot, firn_generation generation,
                        firn_buffer *out, firn_revision *revision, firn_error *err);
firn_result fr_slot_head(const firn_saves *saves, const char *slot, firn_generation generation,
                         uint8_t bytes[FIRN_SAVE_HEAD_MOST], size_t *got, firn_stored *stored,
                         firn_error *err);
firn_result fr_slot_list(const firn_saves *saves, firn_stored_fn each, void *user, firn_error *err);
firn_result fr_slot_remove(const firn_saves *saves, const char *slot, firn_revision expected,
                           firn_error *err);

// ---------------------------------------------------------------- write.c

/// Whether a slot counts toward max_slots.
bool fr_slot_counts(const char *slot);
/// FIRN_LIMIT: the slot, which may be there, would be one too many. leaving: NULL, or a slot that
/// goes for it. As the storage.
firn_result fr_slot_check_room(const firn_saves *saves, const char *slot, const char *leaving,
                               firn_error *err);
/// What a save into a slot finds there: *expected is for the put. FIRN_LIMIT (a new slot would be
/// one too many); FIRN_NEWER (it holds a save of a newer game, and force is false); what the
/// storage returns.
firn_result fr_slot_expect(const firn_saves *saves, const char *slot, bool force,
                           firn_revision *expected, firn_error *err);

// ---------------------------------------------------------------- hook.c

/// Runs the hooks and appends what they give, an encoded map. *doc, where they give it, is made
/// when it is NULL, else cleared; destroyed by the caller. What a hook returned; FIRN_INVALID
/// (a field that was not declared, or whose name is no text); FIRN_EXISTS (two give the same
/// field); as firn_value_encode.
firn_result fr_hooks_collect(firn_saves *saves, firn_doc **doc, firn_buffer *out, firn_error *err);
void fr_hooks_free(firn_saves *saves);

// ---------------------------------------------------------------- variables.c

/// No variables at all. FIRN_NO_MEMORY.
firn_result fr_variables_make(const firn_saves *saves, fr_variables *out, firn_error *err);
void fr_variables_free(fr_variables *variables);
/// Those of an encoded map, as a save has them. As firn_value_decode, and FIRN_CORRUPT when it is
/// no map by name; *out is then untouched.
firn_result fr_variables_read(const firn_saves *saves, const void *bytes, size_t size,
                              fr_variables *out, firn_error *err);
/// Appends the encoded map. As firn_value_encode.
firn_result fr_variables_write(const firn_saves *saves, firn_buffer *out, firn_error *err);

#endif
