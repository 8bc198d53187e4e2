// state.c: from firn back into Lua, without a Lua error ever passing through firn.
#include "lua/state.h"

#include "base/error.h"

fr_lua_call fr_lua_begin(lua_State *L, fr_lua *lua, const char *doing)
{
    fr_lua_call call = {lua, L, lua->L, lua->doing};
    lua->L = L;
    lua->doing = doing;
    return call;
}

void fr_lua_leave(const fr_lua_call *call)
{
    call->lua->L = call->outer_L;
    call->lua->doing = call->outer_doing;
}

void fr_lua_end(const fr_lua_call *call, firn_result result, const firn_error *err)
{
    const char *doing = call->lua->doing;
    fr_lua_leave(call);
    if (result != FIRN_OK) {
        fr_lua_raise(call->L, call->lua, doing, err);
    }
}

// ---------------------------------------------------------------- callbacks

typedef struct protected_body {
    const fr_lua *lua;
    lua_CFunction body;
    void *data;
} protected_body;

// What was raised becomes {value, traceback}, while the stack that raised it still stands.
static int add_traceback(lua_State *L)
{
    lua_createtable(L, 2, 0);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, 1);
    luaL_traceback(L, L, NULL, 1);
    lua_rawseti(L, -2, 2);
    return 1;
}

// Keeps what was raised, {value, traceback} on top, as the cause, unless there is an earlier one.
static void keep_cause(lua_State *L, int values)
{
    lua_getfield(L, values, "raised");
    bool first = lua_isnil(L, -1);
    lua_pop(L, 1);
    if (first) {
        lua_rawgeti(L, -1, 1);
        lua_setfield(L, values, "raised");
        lua_rawgeti(L, -1, 2);
        lua_setfield(L, values, "traceback");
    }
}

// Runs the body; when it raises, keeps the cause and raises its text instead.
static int run_body(lua_State *L)
{
    const protected_body *body = lua_touserdata(L, 1);
    lua_settop(L, 0);
    fr_lua_push_values(L, body->lua);
    lua_pushcfunction(L, add_traceback);
    lua_pushcfunction(L, body->body);
    lua_pushlightuserdata(L, body->data);
    lua_pushvalue(L, 1);
    if (lua_pcall(L, 2, 0, 2) == 0) {
        return 0;
    }
    if (lua_istable(L, -1)) {
        keep_cause(L, 1);
        lua_rawgeti(L, -1, 1);
    }
    if (lua_isstring(L, -1) || luaL_callmeta(L, -1, "__tostring")) {
        return lua_error(L);
    }
    return luaL_error(L, "a %s was raised", luaL_typename(L, -1));
}

firn_result fr_lua_protect(fr_lua *lua, lua_CFunction body, void *data, firn_error *err)
{
    lua_State *L = lua->L;
    if (L == NULL) {
        return fr_fail(err, FIRN_BUSY, "", "Lua cannot be called from here");
    }
    protected_body run = {lua, body, data};
    int top = lua_gettop(L);
    if (lua_cpcall(L, run_body, &run) == 0) {
        return FIRN_OK;
    }
    const char *text = lua_tostring(L, -1); // a string: nothing is converted
    fr_fail(err, FIRN_REFUSED, "", "%s", text != NULL ? text : "an error without a text");
    lua_settop(L, top);
    return FIRN_REFUSED;
}
