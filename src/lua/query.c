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

// Whether nothing says what a function does: it was compiled without debug information, or stands
// below a finalizer or an error handler.
static bool is_opaque(lua_State *thread, lua_Debug *frame)
{
    lua_getinfo(thread, "l", frame);
    if (frame->currentline > 0) {
        return false;
    }
    lua_getinfo(thread, "S", frame);
    return strcmp(frame->what, "C") != 0;
}

// Whether local `i` of a frame is what `for ... in query:each() do` keeps this loop in; *more is
// whether there is such a local.
static bool local_holds(lua_State *thread, lua_Debug *frame, int i, const void *loop, bool *more)
{
    const char *name = lua_getlocal(thread, frame, i);
    *more = name != NULL;
    if (name == NULL) {
        return false;
    }
    bool holds = lua_topointer(thread, -1) == loop && strcmp(name, "(for state)") == 0;
    lua_pop(thread, 1);
    return holds;
}

// The place among the locals of its function where a loop stands; 0: no function is inside of it;
// -1: one may be. `hint` is where it stood before, or 0.
static int find_loop(lua_State *thread, int first_level, int hint, const void *loop)
{
    lua_Debug frame;
    bool more = true;
    for (int level = first_level; hint > 0 && lua_getstack(thread, level, &frame); level++) {
        if (local_holds(thread, &frame, hint, loop, &more)) {
            return hint;
        }
    }
    for (int level = first_level; lua_getstack(thread, level, &frame); level++) {
        more = true;
        for (int i = 1; more; i++) {
            if (local_holds(thread, &frame, i, loop, &more)) {
                return i;
            }
        }
        if (is_opaque(thread, &frame)) {
            return -1;
        }
    }
    return 0;
}

// loop_lives(thread, loop, hint) -> nil when no function of the coroutine is inside of the loop;
// else a hint for the next time
static int loop_lives(lua_State *L)
{
    lua_State *thread = lua_tothread(L, 1);
    const void *loop = lua_topointer(L, 2);
    int hint = (int)lua_tointeger(L, 3);
    // A coroutine that an error ended still has its stack.
    bool ended = thread == NULL ||
                 (thread != L && lua_status(thread) != 0 && lua_status(thread) != LUA_YIELD) ||
                 !lua_checkstack(thread, 1);
    int place = ended ? 0 : find_loop(thread, thread == L, hint, loop);
    if (place == 0) {
        lua_pushnil(L);
    } else {
        lua_pushinteger(L, place > 0 ? place : 0);
    }
    return 1;
}

const luaL_Reg fr_lua_query_functions[] = {
    {"loop_end", loop_end},           {"loop_lives", loop_lives}, {"query_create", query_create},
    {"query_destroy", query_destroy}, {"thread", running_thread}, {NULL, NULL},
};
