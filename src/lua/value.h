/// value.h (private): Lua values as encoded values, and back. Metatables are never looked at, and
/// no metamethod runs.
///
/// These functions raise Lua errors when Lua has no memory, so they are called inside a body of
/// fr_lua_protect, or where a Lua error loses nothing: a buffer that is to be freed then is
/// one of fr_lua_push_buffer.
#ifndef FR_LUA_VALUE_H
#define FR_LUA_VALUE_H

#include "firn/firn.h"

#include <lauxlib.h>
#include <lua.h>

/// The functions of the module that encode and decode; ends with {NULL, NULL}.
extern const luaL_Reg fr_lua_value_functions[];

/// Prepares a Lua state for this file; once, by luaopen. Raises when it has no string.buffer.
void fr_lua_open_values(lua_State *L);

/// Writes the value at `index` in the one encoding that firn has for it. What cannot be encoded
/// makes the writer fail as the functions of firn_writer do: FIRN_INVALID for a function, a
/// coroutine, a userdata, another cdata than int64_t, uint64_t and complex, a table inside itself
/// and a key that is none; FIRN_LIMIT. The subject is the path, `.plan[3].callback`, and the
/// message begins with it: `.plan[3].callback is a function`.
void fr_lua_write(lua_State *L, int index, firn_writer *out);

/// Writes the tables of the list on top of the stack, each of them as a row outside of tables.
/// Returns how many it wrote: the one behind them is for fr_lua_write, which knows all shapes.
uint32_t fr_lua_write_rows(lua_State *L, firn_writer *out);

/// Pushes the next value of the reader; nil after a failure of it. Takes no more memory than the
/// bytes that are left can fill.
void fr_lua_read(lua_State *L, firn_reader *in);

/// Pushes a tree, NULL as nil.
void fr_lua_push_value(lua_State *L, const firn_value *value);

/// The value at `index` as a tree in `doc`, whose limits apply; NULL like a writer's failure in
/// fr_lua_write, or FIRN_NO_MEMORY.
const firn_value *fr_lua_to_value(lua_State *L, int index, firn_doc *doc, firn_error *err);

/// Fills *limits with what the value at `index` says: nil for the defaults, "untrusted", or a table
/// like {depth = 10, treeValues = 1000}, whose names are those of firn_limits in camelCase. Raises
/// a misuse of `doing` for anything else.
void fr_lua_limits(lua_State *L, int index, const char *doing, firn_limits *limits);

/// Pushes a userdata with an empty buffer, whose bytes are freed with it. The one of a function
/// that has ended well is used again after fr_lua_keep_buffer, with the userdata at `index`.
firn_buffer *fr_lua_push_buffer(lua_State *L);
void fr_lua_keep_buffer(lua_State *L, int index);
/// The second one for a value that Lua hands back, which is checked.
void fr_lua_release_buffer(lua_State *L, int index);

/// Pushes the cdata for an encoded int64, uint64 or complex: its tag and the 8 or 16 bytes behind.
void fr_lua_push_cdata(lua_State *L, const uint8_t *bytes);

/// Appends the canonical form of a value as string.buffer's encoder wrote it, which stands inside
/// `depth` open tables and is one of `*values` counted so far; `limits` are resolved. False: the
/// value breaks a limit or has a shape that only fr_lua_write knows, and nothing is appended.
bool fr_lua_arrange(const uint8_t *bytes, size_t size, uint32_t depth, uint64_t *values,
                    const firn_limits *limits, firn_buffer *out);

/// The same for the elements of a list of tables, each of them a row of the writer outside of
/// tables. Returns how many went well; those behind are not there.
uint32_t fr_lua_arrange_rows(const uint8_t *bytes, size_t size, firn_writer *out);

/// In the registry: string.buffer's functions, which alone know what a cdata is. The decoder is
/// given bytes that firn has made or checked.
#define FR_LUA_ENCODE "firn.encode"
#define FR_LUA_DECODE "firn.decode"

/// The type of a cdata, which lua.h does not name.
#define FR_LUA_TCDATA 10

#endif
