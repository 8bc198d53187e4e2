/// saves.h (private): managers of save games as Lua sees them.
///
/// A manager is a userdata that holds a fr_lua_saves. What the game's functions for it raise is
/// kept as for a world, by a fr_lua of its own, which has no world: the manager may outlive one,
/// and a load may bring another. Its environment table holds these functions, and the Lua world it
/// is bound to.
#ifndef FR_LUA_SAVES_H
#define FR_LUA_SAVES_H

#include "firn/saves.h"
#include "lua/state.h"

struct fr_lua_storage;

typedef struct fr_lua_saves {
    fr_lua own;                     ///< for callbacks that are the manager's, first
    firn_saves *saves;              ///< NULL once it is closed, and of what only checks a storage
    fr_lua *world;                  ///< of values.world, the Lua world it is bound to; NULL: closed
    struct fr_lua_storage *storage; ///< one of firn's, shared with its Lua object, or NULL
    struct fr_lua_saves_call *call; ///< the innermost core function that runs, or NULL
    uint32_t storing;               ///< functions of a Lua storage that run
    bool closed;                    ///< by the game or the collector
    int closing;                    ///< 0, or its place in the registry while it is collected
    bool waits;      ///< values.waiting has causes of what is told by the next endTick or tell
    firn_error late; ///< of a callback that cannot fail, or FIRN_OK
    firn_save_options snapshot; ///< options of every snapshot; values.snapshot keeps the rest
} fr_lua_saves;

/// A core function of a manager, and the worlds whose callbacks it may run: the one that the
/// manager was bound to, and those that levels brought meanwhile.
#define FR_LUA_SAVES_WORLDS 4
typedef struct fr_lua_saves_call {
    fr_lua_saves *manager;
    fr_lua_call own;
    fr_lua_call worlds[FR_LUA_SAVES_WORLDS];
    uint32_t world_count;
    struct fr_lua_saves_call *outer;
} fr_lua_saves_call;

// ---------------------------------------------------------------- saves.c

/// Pushes a userdata without a manager, with an environment of its own.
fr_lua_saves *fr_lua_saves_push(lua_State *L);
/// The weak table of the registry forgets what is finalized with every collection. Of a manager
/// that is collected, this is called before each callback; nothing happens for others.
void fr_lua_saves_remember(lua_State *L, const fr_lua_saves *manager);
/// The manager at stack index 1, which is open; a misuse of `doing` otherwise.
fr_lua_saves *fr_lua_saves_check(lua_State *L, const char *doing);

/// A core function of a manager calls firn between these two, as with fr_lua_begin and fr_lua_end.
/// The first one raises a misuse when a finalizer has closed the manager since it was checked.
void fr_lua_saves_begin(lua_State *L, fr_lua_saves *manager, const char *doing,
                        fr_lua_saves_call *call);
void fr_lua_saves_end(fr_lua_saves_call *call, firn_result result, const firn_error *err);
/// The two halves of the end. The first one raises nothing, and leaves a value on the stack: what
/// keeps the worlds of the call until the core function returns.
void fr_lua_saves_leave(fr_lua_saves_call *call);
void fr_lua_saves_conclude(const fr_lua_saves_call *call, firn_result result,
                           const firn_error *err);
/// Pushes the error object of a call that failed.
void fr_lua_saves_push_error(const fr_lua_saves_call *call, const firn_error *err);
/// In a callback of a manager, under fr_lua_protect: the world may be called back from now on, too.
/// The Lua world stands at `index`.
void fr_lua_saves_enter(lua_State *L, fr_lua_saves *manager, int index);
/// Pushes the Lua world of a call, or nil.
void fr_lua_saves_push_world(lua_State *L, const fr_lua_saves *manager, const firn_world *world);

extern const luaL_Reg fr_lua_saves_functions[];

// ---------------------------------------------------------------- saves_open.c

extern const luaL_Reg fr_lua_saves_open_functions[];

// ---------------------------------------------------------------- saves_load.c

/// Pushes the envelope of a whole file as a table; raises, as `doing`, what is wrong with it.
void fr_lua_push_envelope(lua_State *L, firn_save_file *file, const char *doing);
/// Pushes the fields of a header; `size` is that of the file.
void fr_lua_push_header(lua_State *L, const firn_save_header *header);

extern const luaL_Reg fr_lua_saves_load_functions[];

// ---------------------------------------------------------------- saves_scene.c

extern const luaL_Reg fr_lua_saves_scene_functions[];

// ---------------------------------------------------------------- diff.c

extern const luaL_Reg fr_lua_diff_functions[];

// ---------------------------------------------------------------- json.c

extern const luaL_Reg fr_lua_json_functions[];

// ---------------------------------------------------------------- saves_slot.c

extern const luaL_Reg fr_lua_saves_slot_functions[];

// ---------------------------------------------------------------- saves_storage.c

/// Fills *storage from the value at `index`: a storage of firn's, whose share the manager takes, or
/// the adapter of a Lua storage, {name, put, get, head, list, remove}, which the values of the
/// manager keep.
void fr_lua_storage_take(lua_State *L, int index, fr_lua_saves *manager, firn_storage *storage);
/// Lets go of the share.
void fr_lua_storage_drop(struct fr_lua_storage *storage);

extern const luaL_Reg fr_lua_saves_storage_functions[];

#endif
