// argument.c: arguments of core functions.
#include "lua/state.h"

#include <string.h>

const char *fr_lua_text(lua_State *L, int index, const char *doing, const char *argument)
{
    if (lua_type(L, index) != LUA_TSTRING) {
        fr_lua_misuse(L, doing, "%s: a string is wanted, not a %s", argument,
                      luaL_typename(L, index));
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
        fr_lua_misuse(L, doing, "%s: a number is wanted, not a %s", argument,
                      luaL_typename(L, index));
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
