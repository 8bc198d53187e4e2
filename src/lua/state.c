// state.c: from firn back into Lua, without a Lua error ever passing through firn.
#include "lua/state.h"

#include "base/error.h"
#include "lua/function.h"

// What callbacks raised is kept by the depth of the core function that they ran in, as
// values.raised = {[depth] = {value, traceback, text, what, next}}: `what` only of a late failure,
// `next` what was raised after it.

// Forgets what an earlier call at this depth left behind, because nobody raised it.
static void forget_causes(lua_State *L, fr_lua *lua)
{
    fr_lua_push_values(L, lua);
    if (lua->depth == 0) {
        lua_pushnil(L);
        lua_setfield(L, -2, "raised");
        lua->kept = false;
    } else {
        lua_getfield(L, -1, "raised");
        if (lua_istable(L, -1)) {
            lua_pushnil(L);
            lua_rawseti(L, -2, (int)lua->depth + 1);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

fr_lua_call fr_lua_begin(lua_State *L, fr_lua *lua, const char *doing)
{
    if (lua->kept) {
        forget_causes(L, lua);
    }
    if (lua->forgotten != NULL) {
        fr_lua_function_sweep(L, lua);
    }
    fr_lua_call call = {lua, L, doing, lua->L, lua->doing};
    lua->L = L;
    lua->doing = doing;
    lua->depth++;
    return call;
}

void fr_lua_leave(const fr_lua_call *call)
{
    call->lua->L = call->outer_L;
    call->lua->doing = call->outer_doing;
    call->lua->depth--;
}

void fr_lua_push_cause(lua_State *L, const fr_lua *lua)
{
    fr_lua_push_values(L, lua);
    lua_getfield(L, -1, "raised");
    lua_replace(L, -2);
    if (lua_istable(L, -1)) {
        lua_rawgeti(L, -1, (int)lua->depth + 1);
        lua_replace(L, -2);
    }
}

void fr_lua_take_cause(lua_State *L, fr_lua *lua)
{
    if (!lua->kept) {
        lua_pushnil(L);
        return;
    }
    fr_lua_push_cause(L, lua);
    forget_causes(L, lua);
}

bool fr_lua_push_late(const fr_lua_call *call)
{
    if (!call->lua->kept) {
        return false;
    }
    lua_State *L = call->L;
    int top = lua_gettop(L);
    fr_lua_push_cause(L, call->lua);
    if (lua_istable(L, -1)) {
        lua_rawgeti(L, -1, 3);
        lua_rawgeti(L, -2, 4);
        if (lua_isstring(L, -1)) {
            firn_error late;
            fr_fail(&late, FIRN_REFUSED, "", "%s: %s", lua_tostring(L, -1), lua_tostring(L, -2));
            fr_lua_push_error(L, call->lua, call->doing, &late);
            return true;
        }
    }
    lua_settop(L, top);
    return false;
}

void fr_lua_conclude(const fr_lua_call *call, firn_result result, const firn_error *err)
{
    if (result != FIRN_OK && call->lua->fast.world == NULL) {
        // By a finalizer, between the check of the arguments and the call.
        fr_lua_misuse(call->L, call->doing, "the world has been destroyed");
    }
    if (result != FIRN_OK) {
        fr_lua_raise(call->L, call->lua, call->doing, err);
    }
    if (fr_lua_push_late(call)) {
        lua_error(call->L);
    }
}

void fr_lua_end(const fr_lua_call *call, firn_result result, const firn_error *err)
{
    fr_lua_leave(call);
    fr_lua_conclude(call, result, err);
}

// ---------------------------------------------------------------- callbacks

typedef struct protected_body {
    fr_lua *lua;
    lua_CFunction body;
    void *data;
    const char *what; // NULL: its failure is that of the core function
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

// Behind the cause on top, which is popped, and those that follow it.
static void append_cause(lua_State *L, int pair)
{
    for (int i = 0; i < FR_LUA_CAUSES; i++) {
        lua_rawgeti(L, -1, FR_LUA_CAUSE_NEXT);
        if (lua_isnil(L, -1)) {
            lua_pop(L, 1);
            lua_pushvalue(L, pair);
            lua_rawseti(L, -2, FR_LUA_CAUSE_NEXT);
            break;
        }
        lua_replace(L, -2);
    }
    lua_pop(L, 1);
}

// Keeps what was raised as the cause, unless there is an earlier one; a failure that fails the call
// comes before one that does not. {value, traceback} stands at `pair`, the text of the value on
// top.
static void keep_cause(lua_State *L, int pair, const protected_body *body)
{
    fr_lua *lua = body->lua;
    int depth = (int)lua->depth;
    lua_pushvalue(L, -1);
    lua_rawseti(L, pair, 3);
    lua_pushstring(L, body->what);
    lua_rawseti(L, pair, 4);
    fr_lua_push_table(L, lua, "raised");
    lua->kept = true;
    lua_rawgeti(L, -1, depth);
    bool first = lua_isnil(L, -1);
    if (!first && body->what == NULL) {
        lua_rawgeti(L, -1, 4);
        first = lua_isstring(L, -1);
        lua_pop(L, 1);
    }
    if (first) {
        lua_rawseti(L, pair, FR_LUA_CAUSE_NEXT);
        lua_pushvalue(L, pair);
        lua_rawseti(L, -2, depth);
    } else {
        append_cause(L, pair);
    }
    lua_pop(L, 1);
}

static int text_body(lua_State *L)
{
    fr_lua_push_text(L);
    return 1;
}

// Pushes the text of what was raised, whose own conversion may raise.
static void push_raised_text(lua_State *L, int pair)
{
    lua_pushcfunction(L, text_body);
    lua_rawgeti(L, pair, 1);
    if (lua_pcall(L, 1, 1, 0) != 0) {
        lua_pop(L, 1);
        lua_rawgeti(L, pair, 1);
        lua_pushfstring(L, "%s was raised", fr_lua_what(L, -1));
        lua_replace(L, -2);
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
    if (!lua_istable(L, -1)) {
        return lua_error(L); // no memory: nothing was made of it
    }
    int pair = lua_gettop(L);
    push_raised_text(L, pair);
    keep_cause(L, pair, body);
    return lua_error(L);
}

static firn_result run_protected(protected_body *body, firn_error *err)
{
    lua_State *L = body->lua->L;
    if (L == NULL) {
        return fr_fail(err, FIRN_BUSY, "", "Lua cannot be called from here");
    }
    int top = lua_gettop(L);
    if (lua_cpcall(L, run_body, body) == 0) {
        return FIRN_OK;
    }
    const char *text = lua_tostring(L, -1); // a string: nothing is converted
    fr_fail(err, FIRN_REFUSED, "", "%s", text != NULL ? text : "an error without a text");
    lua_settop(L, top);
    return FIRN_REFUSED;
}

firn_result fr_lua_protect(fr_lua *lua, lua_CFunction body, void *data, firn_error *err)
{
    protected_body run = {lua, body, data, NULL};
    return run_protected(&run, err);
}

void fr_lua_protect_late(fr_lua *lua, lua_CFunction body, void *data, const char *what)
{
    protected_body run = {lua, body, data, what};
    (void)run_protected(&run, NULL);
}
