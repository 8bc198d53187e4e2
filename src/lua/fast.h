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

/// The most components that one call takes.
enum { FR_LUA_ITEMS = 512 };

/// What a world shows to the FFI.
typedef struct firn_lua {
    firn_world *world;          ///< NULL: destroyed
    const uint32_t *open_loops; ///< loops and publications that are open
    const uint32_t *pending;    ///< changes that wait
    firn_error error;           ///< of the fast function that failed last
    uint8_t *bytes; ///< memory that a save may fill, the image of a load; or what a save
    size_t size;    ///< wrote elsewhere, until the next one
    // The arguments of the call that comes next: components, and a row of each or NULL.
    double components[FR_LUA_ITEMS];
    const void *rows[FR_LUA_ITEMS];
    double numbers[FR_LUA_ITEMS]; ///< rows of numbers and booleans
} firn_lua;

/// The functions. Entities come as numbers and are checked.
typedef struct firn_lua_api {
    uint32_t (*version)(void);
    bool (*alive)(const firn_lua *lua, double entity);
    bool (*has)(const firn_lua *lua, double entity, double component);
    const void *(*get)(const firn_lua *lua, double entity, double component);
    void *(*get_mut)(firn_lua *lua, double entity, double component);
    /// The entity of the first `count` arguments; 0: failed, see lua->error; or FR_LUA_SLOW.
    double (*spawn)(firn_lua *lua, uint32_t count);
    /// 0, FR_LUA_SLOW, or what failed, see lua->error; so do all that return int.
    int (*despawn)(firn_lua *lua, double entity);
    // Generators: of the world's streams, and of the game's own.
    void (*random_start)(firn_random *random, double seed);
    double (*random_next)(firn_random *random);
    double (*random_integer)(firn_random *random, double low, double high);
    double (*random_range)(firn_random *random, double low, double high);
} firn_lua_api;

#ifndef FIRN_CDEF
extern const firn_lua_api fr_lua_api;
#endif

#endif
