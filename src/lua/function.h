/// function.h (private): Lua functions that firn calls back: what stands behind its `void *user`.
#ifndef FR_LUA_FUNCTION_H
#define FR_LUA_FUNCTION_H

#include "lua/state.h"

/// A Lua function that is kept, in the values of its world, until it is dropped or the world ends.
typedef struct fr_lua_function {
    fr_lua *lua;
    int place;                    ///< in values.functions, and of this struct in values.nodes
    struct fr_lua_function *next; ///< of those that are forgotten
    char what[];                  ///< for messages: "the system move"
} fr_lua_function;

/// Keeps the value at a stack index. Raises when there is no memory.
fr_lua_function *fr_lua_function_keep(lua_State *L, fr_lua *lua, int index, const char *what);
/// Pushes it, in a body of fr_lua_protect.
void fr_lua_function_push(lua_State *L, const fr_lua_function *function);
/// Lets go of it, and of *function.
void fr_lua_function_drop(lua_State *L, fr_lua_function *function);
/// The same where Lua cannot be used: the next core function drops it. It is not called again.
void fr_lua_function_forget(fr_lua_function *function);
/// Drops those that are forgotten.
void fr_lua_function_sweep(lua_State *L, fr_lua *lua);

#endif
