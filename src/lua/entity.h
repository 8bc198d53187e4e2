/// entity.h (private): what the fast and the slow forms of changes share.
#ifndef FR_LUA_ENTITY_H
#define FR_LUA_ENTITY_H

#include "lua/state.h"

/// Components of most calls: more are copied to a larger place.
#define FR_LUA_FEW 16

/// The id in a number of Lua; 0, which lives nowhere, when it is none.
firn_entity fr_lua_entity_of(double number);

/// Whether the arguments that were handed over are still there, for the change that is about to
/// come.
bool fr_lua_take_handed(firn_lua *lua);

/// The functions of fast.h of the same names, whatever they call back. Of what fails, lua->error
/// says why.
double fr_lua_spawn(firn_lua *lua, uint32_t count, uint32_t extras);
firn_result fr_lua_spawn_many(firn_lua *lua, uint32_t n, uint32_t count, uint32_t extras,
                              firn_entity *out);
firn_result fr_lua_set(firn_lua *lua, double entity, uint32_t count);
firn_result fr_lua_add(firn_lua *lua, double entity, uint32_t count);
firn_result fr_lua_remove(firn_lua *lua, double entity, uint32_t count);

/// The init hook of a component whose init is a Lua function; `user` is the fr_lua_function.
void fr_lua_init_rows(void *user, const firn_rows *rows);

#endif
