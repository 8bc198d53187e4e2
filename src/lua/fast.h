/// fast.h (private): what firn.lua calls through the FFI, as one table of functions. None of them
/// ever runs Lua: one that might returns FR_LUA_SLOW, and the core function of the same name does
/// it. Each reads its arguments, or what it returns, at once: a finalizer may call firn between any
/// two steps of Lua. LuaJIT reads this file without its comments, see cdef.lua.
#ifndef FR_LUA_FAST_H
#define FR_LUA_FAST_H

#ifndef FIRN_CDEF
#include "firn/firn.h"
#endif

/// Not firn_results. The change has not been made: because an observer or a hook might run Lua; or
/// because its arguments are not there any more, as something called firn meanwhile.
enum { FR_LUA_SLOW = -1, FR_LUA_AGAIN = -2 };

/// The most components that one call takes.
enum { FR_LUA_ITEMS = 512 };

/// The most edges and strings that one call takes.
enum { FR_LUA_EXTRAS = 64 };

/// An edge, or a string: what a spawn sets when the entity is there.
typedef struct firn_lua_extra {
    double component;
    double target;   ///< of an edge
    const void *row; ///< of an edge, or NULL; the bytes of a string
    size_t size;     ///< of a string
} firn_lua_extra;

/// A number that rows of table components hold, see rows.h.
typedef struct firn_lua_row {
    uint32_t next;   ///< in the list where it stands
    uint32_t copies; ///< rows that are copies, not made yet, of its table
} firn_lua_row;

/// What a world shows to the FFI.
typedef struct firn_lua {
    firn_world *world;          ///< NULL: destroyed
    const uint32_t *open_loops; ///< loops and publications that are open
    const uint32_t *pending;    ///< changes that wait
    firn_error error;           ///< of the fast function that failed last
    double calls;               ///< counts them, so that arguments notice a call that comes between
    double handed;              ///< calls, when arguments had been handed over; 0: there are none
    bool found;                 ///< what the function that reads a row says besides
    bool inits;                 ///< a component has a Lua function as its init hook
    firn_lua_row *table_rows;   ///< by number, from 1
    uint32_t table_room;        ///< numbers below it have a place
    uint32_t table_count;       ///< numbers that there are
    uint32_t table_free;        ///< of them, a list of those to use next,
    uint32_t table_dropped;     ///< of those that firn let go of, whose tables are still kept,
    uint32_t table_given;       ///< and of those that the call which comes next hands over
    uint32_t decoded;           ///< rows of the run that Lua decodes which it is done with
    // The arguments of the call that comes next: components, and a row of each or NULL; and edges
    // and strings, which are put in afterwards.
    double components[FR_LUA_ITEMS];
    const void *rows[FR_LUA_ITEMS];
    double numbers[FR_LUA_ITEMS]; ///< rows of numbers and booleans
    firn_lua_extra extras[FR_LUA_EXTRAS];
} firn_lua;

/// The functions. Entities come as numbers and are checked.
typedef struct firn_lua_api {
    uint32_t (*version)(void);
    bool (*alive)(const firn_lua *lua, double entity);
    double (*count)(const firn_lua *lua);
    bool (*has)(const firn_lua *lua, double entity, double component);
    const void *(*get)(const firn_lua *lua, double entity, double component);
    void *(*get_mut)(firn_lua *lua, double entity, double component);
    // The value of a row; lua->found: whether it is there.
    double (*number)(firn_lua *lua, double entity, double component);
    bool (*boolean)(firn_lua *lua, double entity, double component);
    int32_t (*table)(firn_lua *lua, double entity, double component);
    /// Copies the string to `out` where it fits into `room`. Returns its size.
    double (*text)(firn_lua *lua, char *out, double room, double entity, double component);
    double (*row_text)(firn_lua *lua, char *out, double room, const void *row);

    // Changes. Those that return int: 0, FR_LUA_SLOW, FR_LUA_AGAIN, or what failed, see lua->error.
    /// The entity of the first `count` components and `extras` extras, one or the other of which is
    /// not 0 for the calls of one component. 0: failed, see lua->error; or FR_LUA_SLOW or _AGAIN.
    double (*spawn)(firn_lua *lua, uint32_t count, uint32_t extras);
    int (*spawn_many)(firn_lua *lua, uint32_t n, uint32_t count, uint32_t extras, firn_entity *out);
    int (*despawn)(firn_lua *lua, double entity);
    int (*set)(firn_lua *lua, double entity, uint32_t count); ///< count 0: the first extra
    int (*add)(firn_lua *lua, double entity, uint32_t count);
    int (*remove)(firn_lua *lua, double entity, uint32_t count);
    int (*unrelate)(firn_lua *lua, double source, double relation, double target);

    // Numbers of tables, see rows.h.
    uint32_t (*keep_table)(firn_lua *lua);
    void (*give_table)(firn_lua *lua, uint32_t number);
    uint32_t (*forget_table)(firn_lua *lua, uint32_t done);
    void (*set_table)(firn_lua *lua, int32_t *row, uint32_t number);
    bool (*make_table)(firn_lua *lua, double entity, double component, int32_t *row, int32_t before,
                       uint32_t number);

    /// A save without options into `room` bytes: how many they are. FR_LUA_SLOW: it runs Lua, does
    /// not fit or fails; any bytes may have been written then.
    double (*save)(const firn_lua *lua, uint8_t *bytes, double room);

    /// firn_reader_entity for the codec that reads; -1: none does.
    double (*saved_entity)(firn_lua *lua, double saved);

    // Relationships.
    const void *(*related)(const firn_lua *lua, double source, double relation, double target);
    double (*target)(const firn_lua *lua, double source, double relation);
    uint32_t (*targets)(const firn_lua *lua, double source, double relation, firn_entity *out,
                        uint32_t room);
    uint32_t (*sources)(const firn_lua *lua, double target, double relation, firn_entity *out,
                        uint32_t room);

    // Queries.
    double (*query_count)(firn_lua *lua, double query);
    void (*loop_begin)(firn_lua *lua, double query, firn_iter *it);
    bool (*loop_next)(firn_lua *lua, firn_iter *it);
    int (*loop_end)(firn_lua *lua, firn_iter *it);
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
