#include "lua/function.h"

// Pushes a table of the values, made when it is not there yet.
static void push_table_of(lua_State *L, const fr_lua *lua, const char *name)
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

fr_lua_function *fr_lua_function_keep(lua_State *L, fr_lua *lua, int index)
{
    push_table_of(L, lua, "nodes");
    fr_lua_function *function = lua_newuserdata(L, sizeof *function);
    push_table_of(L, lua, "functions");
    lua_pushvalue(L, index);
    *function = (fr_lua_function){lua, luaL_ref(L, -2), NULL};
    lua_pop(L, 1);
    lua_rawseti(L, -2, function->place);
    lua_pop(L, 1);
    return function;
}

void fr_lua_function_push(lua_State *L, const fr_lua_function *function)
{
    push_table_of(L, function->lua, "functions");
    lua_rawgeti(L, -1, function->place);
    lua_replace(L, -2);
}

void fr_lua_function_drop(lua_State *L, fr_lua_function *function)
{
    const fr_lua *lua = function->lua;
    int place = function->place;
    push_table_of(L, lua, "functions");
    luaL_unref(L, -1, place);
    push_table_of(L, lua, "nodes");
    lua_pushnil(L);
    lua_rawseti(L, -2, place);
    lua_pop(L, 2);
}

void fr_lua_function_forget(fr_lua_function *function)
{
    function->next = function->lua->forgotten;
    function->lua->forgotten = function;
}

void fr_lua_function_sweep(lua_State *L, fr_lua *lua)
{
    while (lua->forgotten != NULL) {
        fr_lua_function *function = lua->forgotten;
        lua->forgotten = function->next;
        fr_lua_function_drop(L, function);
    }
}
