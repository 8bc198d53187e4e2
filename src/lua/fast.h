/// fast.h (private): what firn.lua calls through the FFI, as one table of functions. None of them
/// ever runs Lua: one that might returns FR_LUA_SLOW, and the core function of the same name does
/// it. LuaJIT reads this file without its comments, see cdef.lua.
#ifndef FR_LUA_FAST_H
#define FR_LUA_FAST_H

#ifndef FIRN_CDEF
#include "firn/firn.h"
#endif

/// Not a firn_result: the change has not been made, because an observer or a hook might run Lua.
enum { FR_LUA_SLOW = -1 };

/// What a world shows to the FFI.
typedef struct firn_lua {
    firn_world *world;          ///< NULL: destroyed
    const uint32_t *open_loops; ///< loops and publications that are open
    const uint32_t *pending;    ///< changes that wait
    firn_error error;           ///< of the fast function that failed last
    uint8_t *bytes; ///< memory that a save may fill, the image of a load; or what a save
    size_t size;    ///< wrote elsewhere, until the next one
} firn_lua;

/// The functions. Entities come as numbers and are checked.
typedef struct firn_lua_api {
    uint32_t (*version)(void);
    bool (*alive)(const firn_lua *lua, double entity);
} firn_lua_api;

#ifndef FIRN_CDEF
extern const firn_lua_api fr_lua_api;
#endif

#endif
