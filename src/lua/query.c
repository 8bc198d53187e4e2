// query.c: queries, and loops over them.
#include "lua/state.h"

#include <string.h>

// query_create(world, name or nil, handles, kinds, targets) -> query. A target of 0: none.
static int query_create(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    lua_settop(L, 5);
    firn_term terms[FIRN_QUERY_TERMS];
    memset(terms, 0, sizeof terms);
    firn_query_desc desc = {
        .name = lua_isnil(L, 2) ? NULL : fr_lua_text(L, 2, "newQuery", "option 'name'"),
        .terms = terms,
        .term_count = (uint32_t)lua_objlen(L, 3),
    };
    if (desc.term_count > FIRN_QUERY_TERMS) {
        fr_lua_misuse(L, "newQuery", "%d components are more than the %d that a query takes",
                      (int)desc.term_count, FIRN_QUERY_TERMS);
    }
    for (uint32_t i = 0; i < desc.term_count; i++) {
        lua_rawgeti(L, 3, (int)i + 1);
        lua_rawgeti(L, 4, (int)i + 1);
        lua_rawgeti(L, 5, (int)i + 1);
        terms[i].component = (firn_component)lua_tonumber(L, -3);
        terms[i].kind = (firn_term_kind)lua_tointeger(L, -2);
        terms[i].target = (firn_entity)lua_tonumber(L, -1);
        lua_pop(L, 3);
    }
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "newQuery");
    firn_query query = firn_query_create(lua->fast.world, &desc, &err);
    fr_lua_end(&call, query != 0 ? FIRN_OK : err.code, &err);
    lua_pushnumber(L, (lua_Number)query);
    return 1;
}

// query_destroy(world, query)
static int query_destroy(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_query query = (firn_query)luaL_checknumber(L, 2);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "destroy");
    fr_lua_end(&call, firn_query_destroy(lua->fast.world, query, &err), &err);
    return 0;
}

// loop_end(world, iter, doing): ends a loop, whose deferred changes may run Lua
static int loop_end(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_iter *it = (firn_iter *)(uintptr_t)lua_topointer(L, 2); // a struct of the FFI
    const char *doing = luaL_checkstring(L, 3);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, doing);
    fr_lua_end(&call, firn_iter_end(it, &err), &err);
    return 0;
}

// thread() -> the coroutine that runs, be it the main one
static int running_thread(lua_State *L)
{
    lua_pushthread(L);
    return 1;
}

// Whether a frame is inside of `for ... in query:each() do` for this loop.
static bool frame_holds(lua_State *thread, lua_Debug *frame, const void *loop)
{
    bool holds = false;
    for (int i = 1; !holds; i++) {
        const char *name = lua_getlocal(thread, frame, i);
        if (name == NULL) {
            break;
        }
        holds = strcmp(name, "(for state)") == 0 && lua_topointer(thread, -1) == loop;
        lua_pop(thread, 1);
    }
    return holds;
}

// loop_lives(thread, loop) -> whether a function of the coroutine is inside of the loop. What was
// compiled without debug information may be.
static int loop_lives(lua_State *L)
{
    lua_State *thread = lua_tothread(L, 1);
    const void *loop = lua_topointer(L, 2);
    bool lives = false;
    // A coroutine that an error ended still has its stack.
    bool ended = thread == NULL ||
                 (thread != L && lua_status(thread) != 0 && lua_status(thread) != LUA_YIELD) ||
                 !lua_checkstack(thread, 1);
    lua_Debug frame;
    for (int level = 0; !ended && !lives && lua_getstack(thread, level, &frame); level++) {
        lua_getinfo(thread, "Sl", &frame);
        bool in_lua = strcmp(frame.what, "C") != 0;
        lives = in_lua && (frame.currentline <= 0 || frame_holds(thread, &frame, loop));
    }
    lua_pushboolean(L, lives);
    return 1;
}

const luaL_Reg fr_lua_query_functions[] = {
    {"loop_end", loop_end},           {"loop_lives", loop_lives}, {"query_create", query_create},
    {"query_destroy", query_destroy}, {"thread", running_thread}, {NULL, NULL},
};
