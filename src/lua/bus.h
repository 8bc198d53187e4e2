/// bus.h (private): buses of events that several Lua worlds share.
#ifndef FR_LUA_BUS_H
#define FR_LUA_BUS_H

#include "lua/state.h"

/// The bus of the Lua object at a stack index; a misuse of `doing` when it is none.
struct fr_lua_bus *fr_lua_bus_at(lua_State *L, int index, const char *doing);
/// The bus of firn, for a world that is made on it.
firn_bus *fr_lua_bus_of(const struct fr_lua_bus *bus);
/// A world that was made on the bus belongs to it, until it leaves: when it has been destroyed.
void fr_lua_bus_join(struct fr_lua_bus *bus, fr_lua *lua);
void fr_lua_bus_leave(fr_lua *lua);

extern const luaL_Reg fr_lua_bus_functions[];

#endif
