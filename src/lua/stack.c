// stack.c: states and their stack, for Lua.
#include "firn/game.h"

#include "base/error.h"
#include "lua/function.h"

#include <stdio.h>

// ---------------------------------------------------------------- policies

// The names are those of the options; the numbers are what the Lua function of a state gets.
#define POLICIES(X) X(enter, 1) X(exit, 2) X(pause, 3) X(resume, 4)

typedef struct policy_call {
    const fr_lua_function *function;
    int policy;
} policy_call;

// state(policy), in a body of fr_lua_protect
static int call_policy_body(lua_State *L)
{
    const policy_call *call = lua_touserdata(L, 1);
    fr_lua_function_push(L, call->function);
    lua_pushinteger(L, call->policy);
    lua_call(L, 1, 0);
    return 0;
}

static void call_policy(fr_lua_function *function, int policy, const char *name)
{
    policy_call call = {function, policy};
    char what[384];
    snprintf(what, sizeof what, "%s of %s", name, function->what);
    fr_lua_protect_late(function->lua, call_policy_body, &call, what);
}

#define POLICY_FUNCTION(name, number)                                                              \
    static void name##_for_lua(void *user, firn_world *world)                                      \
    {                                                                                              \
        (void)world;                                                                               \
        call_policy(user, number, #name);                                                          \
    }
POLICIES(POLICY_FUNCTION)
#undef POLICY_FUNCTION

// Whether the list at index 4 asks for a policy.
static bool has_policy(lua_State *L, int policy)
{
    lua_rawgeti(L, 4, policy);
    bool has = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return has;
}

// state_create(world, name, despawnOnPop, {has enter, exit, pause, resume}, function) -> state
static int state_create(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_state_desc desc = {
        .name = fr_lua_text(L, 2, "createState", "name"),
        .despawn_on_pop = lua_toboolean(L, 3),
    };
    luaL_checktype(L, 4, LUA_TTABLE);
    luaL_checktype(L, 5, LUA_TFUNCTION);
#define POLICY_SET(policy, number) desc.policy = has_policy(L, number) ? policy##_for_lua : NULL;
    POLICIES(POLICY_SET)
#undef POLICY_SET
    lua_pushfstring(L, "the state \"%s\"", desc.name);
    fr_lua_function *function = fr_lua_function_keep(L, lua, 5, lua_tostring(L, -1));
    desc.user = function;
    firn_error err = {.code = FIRN_OK};
    fr_lua_call call = fr_lua_begin(L, lua, "createState");
    firn_state state = firn_state_create(lua->fast.world, &desc, &err);
    fr_lua_leave(&call);
    if (state == 0) {
        fr_lua_function_drop(L, function);
    }
    fr_lua_conclude(&call, state == 0 ? err.code : FIRN_OK, &err);
    lua_pushnumber(L, (lua_Number)state);
    return 1;
}

// ---------------------------------------------------------------- reading

// state_find(world, name, doing) -> state
static int state_find(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    const char *doing = luaL_checkstring(L, 3);
    const char *name = fr_lua_text(L, 2, doing, "state");
    firn_state state = firn_state_find(lua->fast.world, name);
    if (state == 0) {
        firn_error err;
        fr_fail(&err, FIRN_NOT_FOUND, name, "no state is called %s", name);
        fr_lua_raise(L, NULL, doing, &err);
    }
    lua_pushnumber(L, (lua_Number)state);
    return 1;
}

// state_about(world, state) -> name, handle of its tag, name of its tag
static int state_about(lua_State *L)
{
    const firn_world *world = fr_lua_check(L)->fast.world;
    firn_state state = (firn_state)luaL_checknumber(L, 2);
    firn_component tag = firn_state_tag(world, state);
    lua_pushstring(L, firn_state_name(world, state));
    lua_pushnumber(L, (lua_Number)tag);
    lua_pushstring(L, firn_component_name(world, tag));
    return 3;
}

// states(world) -> the stack, bottom first
static int state_stack(lua_State *L)
{
    const firn_world *world = fr_lua_check(L)->fast.world;
    uint32_t depth = firn_state_depth(world);
    lua_createtable(L, (int)depth, 0);
    for (uint32_t i = 0; i < depth; i++) {
        lua_pushnumber(L, (lua_Number)firn_state_at(world, i));
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

// state_top(world) -> state, or 0
static int state_top(lua_State *L)
{
    lua_pushnumber(L, (lua_Number)firn_state_top(fr_lua_check(L)->fast.world));
    return 1;
}

// ---------------------------------------------------------------- changing

// state_push(world, state)
static int state_push(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_state state = (firn_state)luaL_checknumber(L, 2);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "pushState");
    fr_lua_end(&call, firn_state_push(lua->fast.world, state, &err), &err);
    return 0;
}

// state_pop(world)
static int state_pop(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "popState");
    fr_lua_end(&call, firn_state_pop(lua->fast.world, &err), &err);
    return 0;
}

// state_switch(world, state)
static int state_switch(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_state state = (firn_state)luaL_checknumber(L, 2);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "switchState");
    fr_lua_end(&call, firn_state_switch(lua->fast.world, state, &err), &err);
    return 0;
}

const luaL_Reg fr_lua_stack_functions[] = {
    {"state_about", state_about}, {"state_create", state_create}, {"state_find", state_find},
    {"state_pop", state_pop},     {"state_push", state_push},     {"state_switch", state_switch},
    {"state_top", state_top},     {"states", state_stack},        {NULL, NULL},
};
