/// entity.h (private): what the fast and the slow forms of changes share.
#ifndef FR_LUA_ENTITY_H
#define FR_LUA_ENTITY_H

#include "lua/state.h"

/// The id in a number of Lua; 0, which lives nowhere, when it is none.
firn_entity fr_lua_entity_of(double number);

/// Makes an entity of the arguments in *lua. 0: lua->error says why.
double fr_lua_spawn(firn_lua *lua, uint32_t count);

#endif
