// argument.c: arguments of core functions.
#include "lua/state.h"

#include <string.h>

const char *fr_lua_what(lua_State *L, int index)
{
    static const char *const texts[] = {
        [LUA_TNIL] = "nil",
        [LUA_TBOOLEAN] = "a boolean",
        [LUA_TLIGHTUSERDATA] = "a userdata",
        [LUA_TNUMBER] = "a number",
        [LUA_TSTRING] = "a string",
        [LUA_TTABLE] = "a table",
        [LUA_TFUNCTION] = "a function",
        [LUA_TUSERDATA] = "a userdata",
        [LUA_TTHREAD] = "a thread",
    };
    int type = lua_type(L, index);
    return type <= LUA_TNIL ? texts[LUA_TNIL] : type <= LUA_TTHREAD ? texts[type] : "a cdata";
}

void *fr_lua_pointer(lua_State *L, int index)
{
    void *const *pointer = lua_topointer(L, index);
    return pointer != NULL ? *pointer : NULL;
}

bool fr_lua_has(lua_State *L, int index, const char *name)
{
    lua_getfield(L, index, name);
    bool has = !lua_isnil(L, -1);
    lua_pop(L, 1);
    return has;
}

const char *fr_lua_text(lua_State *L, int index, const char *doing, const char *argument)
{
    if (lua_type(L, index) != LUA_TSTRING) {
        fr_lua_misuse(L, doing, "%s: a string is wanted, not %s", argument, fr_lua_what(L, index));
    }
    size_t size;
    const char *text = lua_tolstring(L, index, &size);
    if (strlen(text) != size) {
        fr_lua_misuse(L, doing, "%s has a zero byte in it", argument);
    }
    return text;
}

double fr_lua_number(lua_State *L, int index, const char *doing, const char *argument, double low,
                     double high)
{
    if (lua_type(L, index) != LUA_TNUMBER) {
        fr_lua_misuse(L, doing, "%s: a number is wanted, not %s", argument, fr_lua_what(L, index));
    }
    double number = lua_tonumber(L, index);
    if (!(number >= low && number <= high)) {
        fr_lua_misuse(L, doing, "%s is %f, not between %f and %f", argument, number, low, high);
    }
    return number;
}

double fr_lua_integer(lua_State *L, int index, const char *doing, const char *argument, double low,
                      double high)
{
    double number = fr_lua_number(L, index, doing, argument, low, high);
    if ((double)(int64_t)number != number) {
        fr_lua_misuse(L, doing, "%s is %f, not a whole number", argument, number);
    }
    return number;
}

double fr_lua_number_in(lua_State *L, int table, const char *key)
{
    lua_getfield(L, table, key);
    double number = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return number;
}

bool fr_lua_boolean_in(lua_State *L, int table, const char *key)
{
    lua_getfield(L, table, key);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}
