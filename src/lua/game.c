// game.c: phases, systems and steps, keys and random numbers, for Lua.
#include "firn/game.h"

#include "base/error.h"
#include "builtin/game.h"
#include "lua/function.h"

#include <float.h>
#include <stdio.h>

static int give_handle(lua_State *L, const fr_lua_call *call, uint64_t handle,
                       const firn_error *err)
{
    fr_lua_end(call, handle == 0 ? err->code : FIRN_OK, err);
    lua_pushnumber(L, (lua_Number)handle);
    return 1;
}

// ---------------------------------------------------------------- phases

// The phase whose name stands at a stack index.
static firn_phase phase_argument(lua_State *L, const fr_lua *lua, int index, const char *doing,
                                 const char *argument)
{
    const char *name = fr_lua_text(L, index, doing, argument);
    firn_phase phase = firn_phase_find(lua->fast.world, name);
    if (phase == 0) {
        firn_error err;
        fr_fail(&err, FIRN_NOT_FOUND, name, "no phase is called %s", name);
        fr_lua_raise(L, NULL, doing, &err);
    }
    return phase;
}

static bool bool_argument(lua_State *L, int index, const char *doing, const char *argument)
{
    if (lua_type(L, index) != LUA_TBOOLEAN) {
        fr_lua_misuse(L, doing, "%s: a boolean is wanted, not %s", argument, fr_lua_what(L, index));
    }
    return lua_toboolean(L, index);
}

// phase_add(world, name, after)
static int phase_add(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *name = fr_lua_text(L, 2, "addPhase", "name");
    firn_phase after = phase_argument(L, lua, 3, "addPhase", "after");
    firn_error err = {.code = FIRN_OK};
    fr_lua_call call = fr_lua_begin(L, lua, "addPhase");
    return give_handle(L, &call, firn_phase_add(lua->fast.world, name, after, &err), &err);
}

// phase_enable(world, name, enabled)
static int phase_enable(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_phase phase = phase_argument(L, lua, 2, "enablePhase", "name");
    bool enabled = bool_argument(L, 3, "enablePhase", "enabled");
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "enablePhase");
    fr_lua_end(&call, firn_phase_enable(lua->fast.world, phase, enabled, &err), &err);
    return 0;
}

// phase_enabled(world, name) -> boolean
static int phase_enabled(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    firn_phase phase = phase_argument(L, lua, 2, "phaseEnabled", "name");
    lua_pushboolean(L, firn_phase_enabled(lua->fast.world, phase));
    return 1;
}

// phases(world) -> names
static int phase_names(lua_State *L)
{
    const firn_world *world = fr_lua_check(L)->fast.world;
    uint32_t count = firn_phase_count(world);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushstring(L, firn_phase_name(world, firn_phase_at(world, i)));
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

// ---------------------------------------------------------------- systems

typedef struct system_run {
    const fr_lua_function *function;
    double dt;
} system_run;

// system(dt), in a body of fr_lua_protect
static int run_system_body(lua_State *L)
{
    const system_run *run = lua_touserdata(L, 1);
    fr_lua_function_push(L, run->function);
    lua_pushnumber(L, run->dt);
    lua_call(L, 1, 0);
    return 0;
}

static firn_result run_for_lua(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)world;
    const fr_lua_function *function = user;
    system_run run = {function, dt};
    firn_error why;
    // It may remove itself, and its name with it.
    char what[sizeof why.subject];
    snprintf(what, sizeof what, "%s", function->what);
    firn_result result = fr_lua_protect(function->lua, run_system_body, &run, &why);
    return result == FIRN_OK ? FIRN_OK : fr_fail(err, result, what, "%s: %s", what, why.message);
}

// system_add(world, name or nil, phase or nil, state, function) -> system, its function
static int system_add(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_system_desc desc = {
        .name = lua_isnil(L, 2) ? "" : fr_lua_text(L, 2, "addSystem", "option 'name'"),
        .phase = lua_isnil(L, 3) ? 0 : phase_argument(L, lua, 3, "addSystem", "option 'phase'"),
        .state = (firn_state)luaL_checknumber(L, 4),
        .run = run_for_lua,
    };
    luaL_checktype(L, 5, LUA_TFUNCTION);
    lua_pushfstring(L, "the system \"%s\"", desc.name);
    fr_lua_function *function = fr_lua_function_keep(L, lua, 5, lua_tostring(L, -1));
    desc.user = function;
    firn_error err = {.code = FIRN_OK};
    fr_lua_call call = fr_lua_begin(L, lua, "addSystem");
    firn_system system = firn_system_add(lua->fast.world, &desc, &err);
    fr_lua_leave(&call);
    if (system == 0) {
        fr_lua_function_drop(L, function);
    }
    fr_lua_conclude(&call, system == 0 ? err.code : FIRN_OK, &err);
    lua_pushnumber(L, (lua_Number)system);
    lua_pushlightuserdata(L, function);
    return 2;
}

// system_remove(world, system, its function)
static int system_remove(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_system system = (firn_system)luaL_checknumber(L, 2);
    luaL_checktype(L, 3, LUA_TLIGHTUSERDATA);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "remove");
    fr_lua_end(&call, firn_system_remove(lua->fast.world, system, &err), &err);
    // One that runs is not called again.
    fr_lua_function_drop(L, lua_touserdata(L, 3));
    return 0;
}

// system_enable(world, system, enabled)
static int system_enable(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_system system = (firn_system)luaL_checknumber(L, 2);
    bool enabled = bool_argument(L, 3, "enable", "enabled");
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "enable");
    fr_lua_end(&call, firn_system_enable(lua->fast.world, system, enabled, &err), &err);
    return 0;
}

// system_enabled(world, system) -> boolean
static int system_enabled(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    lua_pushboolean(L, firn_system_enabled(lua->fast.world, (firn_system)luaL_checknumber(L, 2)));
    return 1;
}

// ---------------------------------------------------------------- steps

// step(world, dt)
static int game_step(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    double dt = fr_lua_number(L, 2, "step", "dt", 0, DBL_MAX);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "step");
    fr_lua_end(&call, firn_world_step(lua->fast.world, dt, &err), &err);
    return 0;
}

// run_phase(world, name, dt)
static int game_run_phase(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_phase phase = phase_argument(L, lua, 2, "runPhase", "name");
    double dt = lua_isnoneornil(L, 3) ? 0 : fr_lua_number(L, 3, "runPhase", "dt", 0, DBL_MAX);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "runPhase");
    fr_lua_end(&call, firn_world_run_phase(lua->fast.world, phase, dt, &err), &err);
    return 0;
}

// startup(world)
static int game_startup(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "startup");
    fr_lua_end(&call, firn_world_startup(lua->fast.world, &err), &err);
    return 0;
}

// shutdown(world)
static int game_shutdown(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "shutdown");
    fr_lua_end(&call, firn_world_shutdown(lua->fast.world, &err), &err);
    return 0;
}

// timestep(world[, seconds]) -> seconds
static int game_timestep(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    if (!lua_isnoneornil(L, 2)) {
        double seconds = fr_lua_number(L, 2, "timestep", "seconds", 0, DBL_MAX);
        firn_error err;
        fr_lua_call call = fr_lua_begin(L, lua, "timestep");
        fr_lua_end(&call, firn_world_set_timestep(lua->fast.world, seconds, &err), &err);
    }
    lua_pushnumber(L, firn_world_timestep(lua->fast.world));
    return 1;
}

// tick(world[, tick]) -> tick
static int game_tick(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    if (!lua_isnoneornil(L, 2)) {
        uint64_t tick = (uint64_t)fr_lua_integer(L, 2, "tick", "tick", 0, 0x1p53);
        firn_error err;
        fr_lua_call call = fr_lua_begin(L, lua, "tick");
        fr_lua_end(&call, firn_world_set_tick(lua->fast.world, tick, &err), &err);
    }
    lua_pushnumber(L, (lua_Number)firn_world_tick(lua->fast.world));
    return 1;
}

// accumulator(world[, seconds]) -> seconds
static int game_accumulator(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    if (!lua_isnoneornil(L, 2)) {
        double seconds = fr_lua_number(L, 2, "accumulator", "seconds", 0, DBL_MAX);
        firn_error err;
        fr_lua_call call = fr_lua_begin(L, lua, "accumulator");
        fr_lua_end(&call, firn_world_set_accumulator(lua->fast.world, seconds, &err), &err);
    }
    lua_pushnumber(L, firn_world_accumulator(lua->fast.world));
    return 1;
}

// ---------------------------------------------------------------- keys

// find_key(world, key, doing) -> entity or nil
static int key_find(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    const char *doing = luaL_checkstring(L, 3);
    if (lua_type(L, 2) != LUA_TSTRING) {
        fr_lua_misuse(L, doing, "key: a string is wanted, not %s", fr_lua_what(L, 2));
    }
    size_t size;
    const char *key = lua_tolstring(L, 2, &size);
    firn_entity entity = firn_find_key(lua->fast.world, key, size);
    if (entity == 0) {
        return 0;
    }
    lua_pushnumber(L, (lua_Number)entity);
    return 1;
}

// require_key(world, key) -> entity
static int key_require(lua_State *L)
{
    lua_settop(L, 2);
    lua_pushliteral(L, "requireKey");
    if (key_find(L) == 0) {
        firn_error err;
        const char *key = lua_tostring(L, 2);
        fr_fail(&err, FIRN_NOT_FOUND, key, "no entity has the key \"%s\"", key);
        fr_lua_raise(L, NULL, "requireKey", &err);
    }
    return 1;
}

// ---------------------------------------------------------------- random numbers

// A whole number of 32 bits, signed or not.
static int32_t seed_argument(lua_State *L, int index, const char *doing)
{
    double seed = fr_lua_integer(L, index, doing, "seed", INT32_MIN, UINT32_MAX);
    return (int32_t)(seed > INT32_MAX ? seed - 4294967296.0 : seed);
}

// seed(world[, seed]) -> seed
static int random_seed(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    if (!lua_isnoneornil(L, 2)) {
        int32_t seed = seed_argument(L, 2, "seed");
        firn_error err;
        fr_lua_call call = fr_lua_begin(L, lua, "seed");
        fr_lua_end(&call, firn_random_seed(lua->fast.world, seed, &err), &err);
    }
    lua_pushnumber(L, firn_random_seed_of(lua->fast.world));
    return 1;
}

// random_stream(world, name) -> firn_random *, valid as long as the world
static int random_stream(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *name = fr_lua_text(L, 2, "random", "name");
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "random");
    firn_random *random = firn_random_stream(lua->fast.world, name, &err);
    fr_lua_end(&call, random == NULL ? err.code : FIRN_OK, &err);
    lua_pushlightuserdata(L, random);
    return 1;
}

// game_take_start(world, Lua world): the startup phases have run where they have run there.
static int game_take_start(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    const fr_lua *original = fr_lua_world_at(L, 2);
    if (original != NULL) {
        bool started = fr_game_of(original->fast.world)->pipeline.started;
        fr_game_of(lua->fast.world)->pipeline.started = started;
    }
    return 0;
}

const luaL_Reg fr_lua_game_functions[] = {
    {"accumulator", game_accumulator},
    {"find_key", key_find},
    {"game_take_start", game_take_start},
    {"phase_add", phase_add},
    {"phase_enable", phase_enable},
    {"phase_enabled", phase_enabled},
    {"phases", phase_names},
    {"random_stream", random_stream},
    {"require_key", key_require},
    {"run_phase", game_run_phase},
    {"seed", random_seed},
    {"shutdown", game_shutdown},
    {"startup", game_startup},
    {"step", game_step},
    {"system_add", system_add},
    {"system_enable", system_enable},
    {"system_enabled", system_enabled},
    {"system_remove", system_remove},
    {"tick", game_tick},
    {"timestep", game_timestep},
    {NULL, NULL},
};
