/// rows.h (private): rows of table components. A row is an int32_t: the number of a table that Lua
/// keeps; 0: the default, which is not made yet; negative: a copy of the table of that number,
/// which is not made yet. What stands in lists is chained by firn_lua_row.next.
#ifndef FR_LUA_ROWS_H
#define FR_LUA_ROWS_H

#include "lua/state.h"

/// Adds some numbers to those that are free; false: there is no memory, or there are too many.
bool fr_lua_rows_add(firn_lua *lua);
/// Frees what the numbers need, when the world has ended.
void fr_lua_rows_free(firn_lua *lua);

/// The drop hook of table components, with the firn_lua as its user: the numbers are listed as
/// dropped. Lua is not called: firn/tables.lua looks for them at the next call.
void fr_lua_rows_drop(void *user, const firn_rows *rows);

/// A change takes over what the call hands over, before anything else can run; when firn refuses
/// it, what was taken goes back.
uint32_t fr_lua_rows_take(firn_lua *lua);
void fr_lua_rows_refuse(firn_lua *lua, uint32_t given);

#endif
