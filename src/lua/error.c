// error.c: errors of firn as errors of Lua.
#include "base/error.h"
#include "lua/state.h"

#include <stdarg.h>
#include <string.h>

#define ERROR_TYPE "firn.Error"

#define HOME "firn.home" // in the registry: how the sources of the binding begin

// Whether a chunk belongs to the binding: firn.lua, or a file of the folder firn beside it.
static bool is_own_source(lua_State *L, const char *source)
{
    lua_getfield(L, LUA_REGISTRYINDEX, HOME);
    size_t length = 0;
    const char *home = lua_tolstring(L, -1, &length);
    bool own = home != NULL && strncmp(source, home, length) == 0 &&
               (source[length] == '.' || source[length] == '/' || source[length] == '\\');
    lua_pop(L, 1);
    return own;
}

// Pushes "file:line: " of the innermost function that is neither C nor part of the binding, or "".
static void push_place(lua_State *L)
{
    lua_Debug frame;
    for (int level = 1; lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Sl", &frame);
        if (frame.currentline > 0 && !is_own_source(L, frame.source)) {
            lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
            return;
        }
    }
    lua_pushliteral(L, "");
}

int fr_lua_misuse(lua_State *L, const char *doing, const char *format, ...)
{
    va_list arguments;
    push_place(L);
    lua_pushfstring(L, "%s: ", doing);
    va_start(arguments, format);
    lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    lua_concat(L, 3);
    return lua_error(L);
}

// misuse(doing, message)
static int raise_misuse(lua_State *L)
{
    const char *doing = luaL_checkstring(L, 1);
    return fr_lua_misuse(L, doing, "%s", luaL_checkstring(L, 2));
}

// home(source): tells how the sources of the binding begin, "@/usr/share/lua/5.1/firn"
static int set_home(lua_State *L)
{
    luaL_checkstring(L, 1);
    lua_settop(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, HOME);
    return 0;
}

void fr_lua_push_error(lua_State *L, fr_lua *lua, const char *doing, const firn_error *err)
{
    lua_createtable(L, 0, 8);
    lua_pushstring(L, firn_result_name(err->code));
    lua_setfield(L, -2, "result");
    lua_pushstring(L, err->message);
    lua_setfield(L, -2, "message");
    lua_pushstring(L, err->subject);
    lua_setfield(L, -2, "subject");
    if (err->entity != 0) {
        lua_pushnumber(L, (lua_Number)err->entity);
        lua_setfield(L, -2, "entity");
    }
    if (err->offset != FIRN_NO_OFFSET) {
        lua_pushnumber(L, (lua_Number)err->offset);
        lua_setfield(L, -2, "offset");
    }
    push_place(L);
    lua_pushfstring(L, "%s: ", doing);
    lua_concat(L, 2);
    lua_setfield(L, -2, "where");
    if (lua != NULL) {
        fr_lua_take_cause(L, lua);
        if (lua_istable(L, -1)) {
            lua_rawgeti(L, -1, 1);
            lua_setfield(L, -3, "cause");
            lua_rawgeti(L, -1, 2);
            lua_setfield(L, -3, "traceback");
        }
        lua_pop(L, 1);
    }
    luaL_getmetatable(L, ERROR_TYPE);
    lua_setmetatable(L, -2);
}

int fr_lua_raise(lua_State *L, fr_lua *lua, const char *doing, const firn_error *err)
{
    fr_lua_push_error(L, lua, doing, err);
    return lua_error(L);
}

void fr_lua_push_text(lua_State *L)
{
    bool own = false;
    if (lua_getmetatable(L, -1)) {
        luaL_getmetatable(L, ERROR_TYPE);
        own = lua_rawequal(L, -1, -2);
        lua_pop(L, 2);
    }
    if (own) {
        lua_getfield(L, -1, "where");
        lua_getfield(L, -2, "message");
        lua_concat(L, 2);
    } else if (lua_isstring(L, -1)) {
        lua_pushvalue(L, -1);
        lua_tostring(L, -1); // of a number
    } else if (!luaL_callmeta(L, -1, "__tostring") || !lua_isstring(L, -1)) {
        lua_pushfstring(L, "%s was raised", fr_lua_what(L, -1));
    }
}

// tostring(e): "program.lua:3: loadSnapshot: the message", and below it what a callback raised.
static int error_tostring(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_getfield(L, 1, "where");
    lua_getfield(L, 1, "message");
    lua_concat(L, 2);
    lua_getfield(L, 1, "traceback");
    if (lua_isstring(L, -1)) {
        lua_pushliteral(L, "\n");
        lua_insert(L, -2);
        lua_concat(L, 3);
    } else {
        lua_pop(L, 1);
    }
    return 1;
}

static int error_concat(lua_State *L)
{
    for (int i = 1; i <= 2; i++) {
        if (luaL_callmeta(L, i, "__tostring")) {
            lua_replace(L, i);
        }
    }
    lua_concat(L, 2);
    return 1;
}

// raise(userdata, doing): raises what the fast function that was called last failed with.
static int error_raise(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    return fr_lua_raise(L, lua, luaL_checkstring(L, 2), &lua->fast.error);
}

void fr_lua_open_errors(lua_State *L)
{
    luaL_newmetatable(L, ERROR_TYPE);
    lua_pushcfunction(L, error_tostring);
    lua_setfield(L, -2, "__tostring");
    lua_pushcfunction(L, error_concat);
    lua_setfield(L, -2, "__concat");
    lua_pop(L, 1);
}

const luaL_Reg fr_lua_error_functions[] = {
    {"home", set_home},
    {"misuse", raise_misuse},
    {"raise", error_raise},
    {NULL, NULL},
};
