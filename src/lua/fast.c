// fast.c: what the FFI calls. Nothing here runs Lua.
#include "lua/entity.h"

#include "store/world.h"

static bool fast_alive(const firn_lua *lua, double entity)
{
    return firn_alive(lua->world, fr_lua_entity_of(entity));
}

static bool fast_has(const firn_lua *lua, double entity, double component)
{
    return firn_has(lua->world, fr_lua_entity_of(entity), (firn_component)component);
}

static const void *fast_get(const firn_lua *lua, double entity, double component)
{
    return firn_get(lua->world, fr_lua_entity_of(entity), (firn_component)component);
}

static void *fast_get_mut(firn_lua *lua, double entity, double component)
{
    return firn_get_mut(lua->world, fr_lua_entity_of(entity), (firn_component)component);
}

// Whether a change might run Lua: somebody listens, or other changes come first.
static bool is_slow(const firn_world *world)
{
    return world->events_heard != 0 || world->locked_by != NULL ||
           (world->open_loops == 0 && world->commands.count != 0);
}

static double fast_spawn(firn_lua *lua, uint32_t count)
{
    return is_slow(lua->world) ? FR_LUA_SLOW : fr_lua_spawn(lua, count);
}

static int fast_despawn(firn_lua *lua, double entity)
{
    return is_slow(lua->world)
               ? FR_LUA_SLOW
               : (int)firn_despawn(lua->world, fr_lua_entity_of(entity), &lua->error);
}

static void fast_random_start(firn_random *random, double seed)
{
    firn_random_start(random, (int32_t)seed);
}

static double fast_random_integer(firn_random *random, double low, double high)
{
    return (double)firn_random_integer(random, (int64_t)low, (int64_t)high);
}

const firn_lua_api fr_lua_api = {
    .version = firn_version,
    .alive = fast_alive,
    .has = fast_has,
    .get = fast_get,
    .get_mut = fast_get_mut,
    .spawn = fast_spawn,
    .despawn = fast_despawn,
    .random_start = fast_random_start,
    .random_next = firn_random_next,
    .random_integer = fast_random_integer,
    .random_range = firn_random_range,
};
