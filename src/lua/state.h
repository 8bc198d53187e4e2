/// state.h (private): a world as Lua sees it, and the way from firn back into Lua.
///
/// A world is a userdata that holds a fr_lua. Its environment table, `values`, holds every Lua
/// value that belongs to the world: functions of codecs, observers and handlers, rows of table
/// components. The registry knows worlds weakly, so a codec that closes over its world does not
/// keep it alive.
#ifndef FR_LUA_STATE_H
#define FR_LUA_STATE_H

#include "firn/firn.h"
#include "lua/fast.h"

#include <lauxlib.h>
#include <lua.h>

typedef struct fr_lua {
    firn_lua fast;     ///< what the FFI sees, first: the userdata's address is its address
    lua_State *L;      ///< of the core function that runs, or NULL: nothing may call Lua then
    const char *doing; ///< the name of that function, for messages
    uint32_t depth;    ///< core functions that run, inside each other
    bool kept;         ///< values.raised holds, by depth, what callbacks raised
    struct fr_lua_function *forgotten; ///< by firn; the next core function drops them
    const struct observed *observed;   ///< the event that the innermost Lua observer sees, or NULL
    const struct emitted *emitted;     ///< the innermost payload that Lua emits, or NULL
    uint64_t observations;             ///< events that Lua observers saw, ever
    uint32_t callbacks;                ///< Lua functions that a save or load may call
    firn_reader *decoding;             ///< what a codec of Lua reads from, or NULL
    firn_saving *saving;               ///< of the event of a save that is published, or NULL
    firn_loading *loading;             ///< of that of a load
    const firn_prelude *prelude;       ///< of that of the end of a load
    struct fr_lua_function *listeners; ///< for entries of data, until the load ends
    struct fr_lua_saves *manager;      ///< whose core function called into the world last
    struct fr_lua_bus *bus;            ///< that it was made on, or NULL
    struct fr_lua *bus_next;           ///< another world on that
} fr_lua;

// ---------------------------------------------------------------- module

/// The functions that one file adds to the module `firn.core`; each list ends with {NULL, NULL}.
extern const luaL_Reg fr_lua_class_functions[];
extern const luaL_Reg fr_lua_component_functions[];
extern const luaL_Reg fr_lua_entity_functions[];
extern const luaL_Reg fr_lua_error_functions[];
extern const luaL_Reg fr_lua_event_functions[];
extern const luaL_Reg fr_lua_game_functions[];
extern const luaL_Reg fr_lua_persist_functions[];
extern const luaL_Reg fr_lua_query_functions[];
extern const luaL_Reg fr_lua_rows_functions[];
extern const luaL_Reg fr_lua_script_functions[];
extern const luaL_Reg fr_lua_stack_functions[];
extern const luaL_Reg fr_lua_world_functions[];

/// Pushes the values of a world. Inside a body of fr_lua_protect, or where errors may be raised.
void fr_lua_push_values(lua_State *L, const fr_lua *lua);
/// Pushes the table of that name among them, which is made when it is not there yet.
void fr_lua_push_table(lua_State *L, const fr_lua *lua, const char *name);

/// Pushes a userdata of zeros, whose metatable is of that name and has `collect` as its __gc.
void *fr_lua_push_object(lua_State *L, size_t size, const char *type, lua_CFunction collect);
/// The same of what begins with a fr_lua: it has values, and is known as with fr_lua_register.
void *fr_lua_push_owner(lua_State *L, size_t size, const char *type, lua_CFunction collect);
/// Makes known that *lua lies in the userdata on top of the stack, whose environment are its
/// values.
void fr_lua_register(lua_State *L, const fr_lua *lua);
/// The world of the Lua object at a stack index (not counted from the top), or NULL: it is none, or
/// has been destroyed.
fr_lua *fr_lua_world_at(lua_State *L, int index);

// ---------------------------------------------------------------- calls into firn

/// The world at stack index 1; raises a Lua error when it is none or destroyed.
fr_lua *fr_lua_check(lua_State *L);

/// A core function that calls into firn does so between fr_lua_begin and fr_lua_end, with its
/// arguments checked before; nothing in between may raise.
typedef struct fr_lua_call {
    fr_lua *lua;
    lua_State *L;
    const char *doing;
    lua_State *outer_L; ///< of the core function around this one, which a callback came from
    const char *outer_doing;
} fr_lua_call;

fr_lua_call fr_lua_begin(lua_State *L, fr_lua *lua, const char *doing);
/// Back from firn. Raises the error object when the call failed: with the Lua error that made a
/// callback fail as its cause. So it does when the call went well, but not a callback that
/// fr_lua_protect_late ran.
void fr_lua_end(const fr_lua_call *call, firn_result result, const firn_error *err);
/// The two halves of fr_lua_end, for functions that have something to free in between: the first
/// one raises nothing.
void fr_lua_leave(const fr_lua_call *call);
void fr_lua_conclude(const fr_lua_call *call, firn_result result, const firn_error *err);
/// Pushes the error object of what a callback of fr_lua_protect_late raised, when one did, behind
/// what it was made of.
bool fr_lua_push_late(const fr_lua_call *call);

/// Tells an event of the world to an observer that is not the world's own: a function that gets the
/// Lua world, which is values.object, and then what observers of the world get (event.c).
firn_result fr_lua_observe_event(fr_lua *lua, const struct fr_lua_function *observer,
                                 const firn_event *event, firn_error *err);

/// The event that a Lua observer of the world sees, or NULL.
const firn_event *fr_lua_observed(const fr_lua *lua);

// ---------------------------------------------------------------- errors

/// Raises *err as an error object of `doing`, with what callbacks raised in the core function that
/// was left last as its cause (lua NULL: none).
int fr_lua_raise(lua_State *L, fr_lua *lua, const char *doing, const firn_error *err);
/// Pushes that error object.
void fr_lua_push_error(lua_State *L, fr_lua *lua, const char *doing, const firn_error *err);
/// Pushes, and forgets, what the callbacks of the core function raised that was left last: {value,
/// traceback, text, what}, or nil.
void fr_lua_take_cause(lua_State *L, fr_lua *lua);
/// Pushes them and forgets nothing; those that were raised after them follow, each as
/// [FR_LUA_CAUSE_NEXT] of the one before, so many at most.
void fr_lua_push_cause(lua_State *L, const fr_lua *lua);
#define FR_LUA_CAUSE_NEXT 5
#define FR_LUA_CAUSES     16
/// Pushes one line of text for the error value on top.
void fr_lua_push_text(lua_State *L);
/// "a table", "nil": the type of the value at a stack index, in a sentence.
const char *fr_lua_what(lua_State *L, int index);
/// The pointer of the FFI at a stack index; NULL for nil.
void *fr_lua_pointer(lua_State *L, int index);
/// Whether the table at a stack index has a value of that name.
bool fr_lua_has(lua_State *L, int index, const char *name);
/// The text at a stack index, without a zero in it; else a misuse of `doing` that names `argument`.
const char *fr_lua_text(lua_State *L, int index, const char *doing, const char *argument);
/// The number there, at least `low` and at most `high`; and one without a fraction, whose bounds
/// are those of int64_t or narrower.
double fr_lua_number(lua_State *L, int index, const char *doing, const char *argument, double low,
                     double high);
double fr_lua_integer(lua_State *L, int index, const char *doing, const char *argument, double low,
                      double high);

/// What stands in a table that a file in Lua has made and checked; 0 and false where it is missing.
double fr_lua_number_in(lua_State *L, int table, const char *key);
bool fr_lua_boolean_in(lua_State *L, int table, const char *key);

/// Raises a string, `doing: message`, with the place in the program that called the binding.
int fr_lua_misuse(lua_State *L, const char *doing, const char *format, ...);

/// Makes the error metatable; once, by luaopen.
void fr_lua_open_errors(lua_State *L);

// ---------------------------------------------------------------- components

/// Adds the codec, which is made in *codec, and hooks to a description, from the table at a stack
/// index, or nil (codec.c). May raise; codec->user is a fr_lua_function. Leaves the stack as it
/// was.
void fr_lua_codec_of(lua_State *L, fr_lua *lua, int index, firn_component_desc *desc,
                     firn_codec *codec);

// ---------------------------------------------------------------- callbacks

/// Runs body(L) for a callback of firn, so that no Lua error reaches firn. The body finds `data` as
/// a light userdata at index 1 and the world's values at index 2. When it raises, the error is kept
/// as the cause, *err becomes FIRN_REFUSED with its text, and FIRN_REFUSED is returned.
firn_result fr_lua_protect(fr_lua *lua, lua_CFunction body, void *data, firn_error *err);

/// The same for callbacks whose failure firn does not want to know, as of observers of changes:
/// the core function that runs raises it in the end, as one of `what` ("an observer of OnSet").
void fr_lua_protect_late(fr_lua *lua, lua_CFunction body, void *data, const char *what);

#endif
