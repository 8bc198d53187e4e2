// world.c: worlds as userdata, and their end.
#include "lua/bus.h"
#include "lua/rows.h"
#include "lua/value.h"

#include "store/world.h"

#include <string.h>

#define WORLD_TYPE  "firn.World"
#define WORLD_TABLE "firn.worlds" // in the registry: fr_lua -> its userdata, weakly

// ---------------------------------------------------------------- the userdata

static void push_worlds(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, WORLD_TABLE);
    if (lua_istable(L, -1)) {
        return;
    }
    lua_pop(L, 1);
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, WORLD_TABLE);
}

void fr_lua_push_values(lua_State *L, const fr_lua *lua)
{
    push_worlds(L);
    lua_pushlightuserdata(L, (void *)(uintptr_t)lua);
    lua_rawget(L, -2);
    lua_getfenv(L, -1);
    lua_replace(L, -3);
    lua_pop(L, 1);
}

void fr_lua_push_table(lua_State *L, const fr_lua *lua, const char *name)
{
    fr_lua_push_values(L, lua);
    lua_getfield(L, -1, name);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, name);
    }
    lua_replace(L, -2);
}

fr_lua *fr_lua_check(lua_State *L)
{
    fr_lua *lua = luaL_checkudata(L, 1, WORLD_TYPE);
    if (lua->fast.world == NULL) {
        fr_lua_misuse(L, "world", "it has been destroyed");
    }
    return lua;
}

void fr_lua_register(lua_State *L, const fr_lua *lua)
{
    lua_pushvalue(L, -1);
    push_worlds(L);
    lua_pushlightuserdata(L, (void *)(uintptr_t)lua);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 2);
}

void *fr_lua_push_object(lua_State *L, size_t size, const char *type, lua_CFunction collect)
{
    void *object = lua_newuserdata(L, size);
    memset(object, 0, size);
    if (luaL_newmetatable(L, type)) {
        lua_pushcfunction(L, collect);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    return object;
}

void *fr_lua_push_owner(lua_State *L, size_t size, const char *type, lua_CFunction collect)
{
    void *object = fr_lua_push_object(L, size, type, collect);
    lua_newtable(L);
    lua_setfenv(L, -2);
    fr_lua_register(L, object);
    return object;
}

fr_lua *fr_lua_world_at(lua_State *L, int index)
{
    fr_lua *lua = NULL;
    if (lua_istable(L, index)) {
        lua_pushliteral(L, "core");
        lua_rawget(L, index);
        luaL_getmetatable(L, WORLD_TYPE);
        if (lua_getmetatable(L, -2)) {
            lua = lua_rawequal(L, -1, -2) ? lua_touserdata(L, -3) : NULL;
            lua_pop(L, 1);
        }
        lua_pop(L, 2);
    }
    return lua != NULL && lua->fast.world != NULL ? lua : NULL;
}

static int collect_world(lua_State *L)
{
    fr_lua *lua = luaL_checkudata(L, 1, WORLD_TYPE);
    firn_world *world = lua->fast.world;
    lua->fast.world = NULL;
    firn_world_destroy(world);
    fr_lua_bus_leave(lua);
    fr_lua_rows_free(&lua->fast);
    return 0;
}

// ---------------------------------------------------------------- create and destroy

// create(name or nil, limits or nil, bus or nil) -> userdata
static int world_create(lua_State *L)
{
    firn_world_desc desc = {0};
    desc.name = lua_isnoneornil(L, 1) ? NULL : fr_lua_text(L, 1, "newWorld", "option 'name'");
    firn_limits limits;
    fr_lua_limits(L, 2, "newWorld", &limits);
    desc.limits = &limits;
    struct fr_lua_bus *bus = lua_isnoneornil(L, 3) ? NULL : fr_lua_bus_at(L, 3, "newWorld");
    desc.bus = bus != NULL ? fr_lua_bus_of(bus) : NULL;
    firn_error err;
    fr_lua *lua = fr_lua_push_owner(L, sizeof *lua, WORLD_TYPE, collect_world);
    firn_world *world = firn_world_create(&desc, &err);
    if (world == NULL) {
        return fr_lua_raise(L, NULL, "newWorld", &err);
    }
    lua->fast.world = world;
    if (bus != NULL) {
        fr_lua_bus_join(bus, lua);
        lua_getfenv(L, -1);
        lua_pushvalue(L, 3);
        lua_setfield(L, -2, "bus");
        lua_pop(L, 1);
    }
    lua->fast.open_loops = &world->open_loops;
    lua->fast.pending = &world->commands.count;
    return 1;
}

// pointer(userdata) -> the firn_lua, for the FFI; valid as long as the userdata
static int world_pointer(lua_State *L)
{
    lua_pushlightuserdata(L, &fr_lua_check(L)->fast);
    return 1;
}

// name(userdata) -> name
static int world_name(lua_State *L)
{
    lua_pushstring(L, firn_world_name(fr_lua_check(L)->fast.world));
    return 1;
}

// destroy(userdata)
static int world_destroy(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    if (lua->L != NULL) {
        return fr_lua_misuse(L, "destroy", "the world is in use by %s", lua->doing);
    }
    return collect_world(L);
}

const luaL_Reg fr_lua_world_functions[] = {
    {"create", world_create},
    {"destroy", world_destroy},
    {"name", world_name},
    {"pointer", world_pointer},
    {NULL, NULL},
};
