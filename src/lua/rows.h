/// rows.h (private): rows of table components. A row is an int32_t: the number of a table that Lua
/// keeps; 0: the default, which is not made yet; negative: a copy of the table of that number,
/// which is not made yet. What stands in lists is chained by firn_lua_row.next.
#ifndef FR_LUA_ROWS_H
#define FR_LUA_ROWS_H

#include "lua/state.h"

/// What Lua does with numbers is done by one call each: between two steps in Lua a finalizer may
/// run, and use numbers itself. Takes a number that is free; 0: there is no memory, or there are
/// too many.
uint32_t fr_lua_rows_keep(firn_lua *lua);
/// Lists a number, whose table Lua keeps, among those that the call which comes next hands over.
void fr_lua_rows_give(firn_lua *lua, uint32_t number);
/// Frees `done`, whose table Lua keeps no more, or 0. Returns a number that was dropped, or given
/// to a call that came to nothing, for the next such call; 0: there is none.
uint32_t fr_lua_rows_forget(firn_lua *lua, uint32_t done);
/// Puts a number into a row, and lets go of what stood there.
void fr_lua_rows_set(firn_lua *lua, int32_t *row, uint32_t number);
/// The same for a row without a table of its own: when it is not `before` any more, the number is
/// let go. The row is that of `entity`, or where that is 0 `row`.
bool fr_lua_rows_make(firn_lua *lua, double entity, double component, int32_t *row, int32_t before,
                      uint32_t number);
/// Makes the row of a table, which `n` entities are to get, that of a copy for each.
void fr_lua_rows_share(firn_lua *lua, int32_t *row, uint32_t n);
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
