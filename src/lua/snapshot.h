/// snapshot.h (private): what saves, loads and handlers have in common.
#ifndef FR_LUA_SNAPSHOT_H
#define FR_LUA_SNAPSHOT_H

#include "lua/state.h"

/// Pushes an empty document that is freed with its userdata.
firn_doc *fr_lua_push_doc(lua_State *L, const char *doing);
/// The same with limits, NULL for the usual ones.
firn_doc *fr_lua_push_limited_doc(lua_State *L, const firn_limits *limits, const char *doing);
/// Pushes a buffer with the encoded value at `index`; raises what is wrong with it, as `key` of
/// `doing`.
firn_buffer *fr_lua_push_encoded(lua_State *L, int index, const char *doing, const char *key);

/// A firn_data_fn whose `user` is a fr_lua_function: function(value, key).
firn_result fr_lua_hear_data(void *user, firn_world *world, const char *key, const void *encoded,
                             size_t size, firn_error *err);

/// Reads the options of a save at `index`, a plain table or nil; what they point to stays on the
/// stack.
firn_save_options fr_lua_save_options(lua_State *L, int index, const char *doing);

/// Pushes {committed, unknown, kept, keptData, changedValues, discarded, notices}.
void fr_lua_push_load_report(lua_State *L, const firn_load_report *report);
/// Pushes {[id of before] = id now}.
void fr_lua_push_moved(lua_State *L, const firn_merged *map, uint32_t count);
/// Pushes {version, nextEntityId, entityCount, archetypeCount, componentTable}.
void fr_lua_push_prelude(lua_State *L, const firn_prelude *prelude);

extern const luaL_Reg fr_lua_save_functions[];
extern const luaL_Reg fr_lua_load_functions[];
extern const luaL_Reg fr_lua_handler_functions[];
extern const luaL_Reg fr_lua_lifecycle_functions[];

#endif
