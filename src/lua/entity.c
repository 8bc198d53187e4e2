// entity.c: changes of entities that may run Lua: the fast functions of the same names gave up.
#include "lua/entity.h"

firn_entity fr_lua_entity_of(double number)
{
    return number >= 1 && number < 0x1p53 && (double)(uint64_t)number == number ? (uint64_t)number
                                                                                : 0;
}

double fr_lua_spawn(firn_lua *lua, uint32_t count)
{
    firn_component components[FR_LUA_ITEMS];
    const void *rows[FR_LUA_ITEMS];
    for (uint32_t i = 0; i < count; i++) {
        components[i] = (firn_component)lua->components[i];
        rows[i] = lua->rows[i];
    }
    firn_entity entity = firn_spawn(lua->world, components, count, &lua->error);
    for (uint32_t i = 0; entity != 0 && i < count; i++) {
        if (rows[i] != NULL) {
            firn_set(lua->world, entity, components[i], rows[i], &lua->error);
        }
    }
    return (double)entity;
}

// spawn(userdata, count) -> id
static int entity_spawn(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    uint32_t count = (uint32_t)luaL_checkinteger(L, 2);
    fr_lua_call call = fr_lua_begin(L, lua, "spawn");
    double entity = fr_lua_spawn(&lua->fast, count);
    fr_lua_end(&call, entity != 0 ? FIRN_OK : lua->fast.error.code, &lua->fast.error);
    lua_pushnumber(L, entity);
    return 1;
}

// despawn(userdata, entity)
static int entity_despawn(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_entity entity = fr_lua_entity_of(luaL_checknumber(L, 2));
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "despawn");
    fr_lua_end(&call, firn_despawn(lua->fast.world, entity, &err), &err);
    return 0;
}

const luaL_Reg fr_lua_entity_functions[] = {
    {"despawn", entity_despawn},
    {"spawn", entity_spawn},
    {NULL, NULL},
};
