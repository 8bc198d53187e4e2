#include "lua/function.h"

#include <string.h>

fr_lua_function *fr_lua_function_keep(lua_State *L, fr_lua *lua, int index, const char *what)
{
    fr_lua_push_table(L, lua, "nodes");
    size_t size = strlen(what) + 1;
    fr_lua_function *function = lua_newuserdata(L, sizeof *function + size);
    memcpy(function->what, what, size);
    fr_lua_push_table(L, lua, "functions");
    lua_pushvalue(L, index);
    function->lua = lua;
    function->place = luaL_ref(L, -2);
    function->next = NULL;
    lua_pop(L, 1);
    lua_rawseti(L, -2, function->place);
    lua_pop(L, 1);
    return function;
}

void fr_lua_function_push(lua_State *L, const fr_lua_function *function)
{
    fr_lua_push_table(L, function->lua, "functions");
    lua_rawgeti(L, -1, function->place);
    lua_replace(L, -2);
}

void fr_lua_function_drop(lua_State *L, fr_lua_function *function)
{
    const fr_lua *lua = function->lua;
    int place = function->place;
    fr_lua_push_table(L, lua, "functions");
    luaL_unref(L, -1, place);
    fr_lua_push_table(L, lua, "nodes");
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
