// saves.c: managers of save games as userdata, and the calls into them.
#include "lua/saves.h"

#include "base/error.h"

#define SAVES_TYPE "firn.Saves"
#define CLOSED     "the saves have been closed"

// ---------------------------------------------------------------- the userdata

void fr_lua_saves_remember(lua_State *L, const fr_lua_saves *manager)
{
    if (manager->closing != 0) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, manager->closing);
        fr_lua_register(L, &manager->own);
        lua_pop(L, 1);
    }
}

static int collect_saves(lua_State *L)
{
    fr_lua_saves *manager = luaL_checkudata(L, 1, SAVES_TYPE);
    firn_saves *saves = manager->saves;
    manager->saves = NULL;
    manager->closed = true;
    if (saves != NULL) {
        // A save that is on its way may still need a Lua storage.
        lua_pushvalue(L, 1);
        manager->closing = luaL_ref(L, LUA_REGISTRYINDEX);
        fr_lua_saves_remember(L, manager);
        fr_lua_call call = fr_lua_begin(L, &manager->own, "close");
        firn_saves_close(saves);
        fr_lua_leave(&call);
        luaL_unref(L, LUA_REGISTRYINDEX, manager->closing);
        manager->closing = 0;
    }
    fr_lua_storage_drop(manager->storage);
    manager->storage = NULL;
    return 0;
}

fr_lua_saves *fr_lua_saves_push(lua_State *L)
{
    return fr_lua_push_owner(L, sizeof(fr_lua_saves), SAVES_TYPE, collect_saves);
}

fr_lua_saves *fr_lua_saves_check(lua_State *L, const char *doing)
{
    fr_lua_saves *manager = luaL_checkudata(L, 1, SAVES_TYPE);
    if (manager->closed) {
        fr_lua_misuse(L, doing, CLOSED);
    }
    if (manager->storing > 0) {
        fr_lua_misuse(L, doing, "a storage may not use the saves that it is of");
    }
    // In a finalizer; a collection in a callback would end the manager, and its world, in the call.
    fr_lua_push_values(L, &manager->own);
    if (lua_isnil(L, -1)) {
        fr_lua_misuse(L, doing, "the saves are collected together with what uses them");
    }
    lua_pop(L, 1);
    return manager;
}

// ---------------------------------------------------------------- calls

// The worlds that a call may run callbacks of are values.entered[fr_lua], until the outermost call
// ends: one that a level brings lives as long, whatever the game does with it.
void fr_lua_saves_enter(lua_State *L, fr_lua_saves *manager, int index)
{
    fr_lua_saves_call *call = manager->call;
    fr_lua *lua = fr_lua_world_at(L, index);
    for (uint32_t i = 0; i < call->world_count; i++) {
        if (call->worlds[i].lua == lua) {
            return;
        }
    }
    if (call->world_count == FR_LUA_SAVES_WORLDS) {
        fr_lua_misuse(L, "enter", "a load enters more than %d worlds", FR_LUA_SAVES_WORLDS);
    }
    lua_pushvalue(L, index);
    fr_lua_push_table(L, &manager->own, "entered");
    lua_pushlightuserdata(L, lua);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 2);
    lua->manager = manager;
    call->worlds[call->world_count] = fr_lua_begin(manager->own.L, lua, manager->own.doing);
    call->world_count++;
}

void fr_lua_saves_push_world(lua_State *L, const fr_lua_saves *manager, const firn_world *world)
{
    fr_lua_push_values(L, &manager->own);
    if (manager->world != NULL && manager->world->fast.world == world) {
        lua_getfield(L, -1, "world");
        lua_replace(L, -2);
        return;
    }
    lua_getfield(L, -1, "entered");
    lua_replace(L, -2);
    const fr_lua_saves_call *call = manager->call;
    for (uint32_t i = 0; call != NULL && i < call->world_count; i++) {
        if (call->worlds[i].lua->fast.world == world) {
            lua_pushlightuserdata(L, call->worlds[i].lua);
            lua_rawget(L, -2);
            lua_replace(L, -2);
            return;
        }
    }
    lua_pop(L, 1);
    lua_pushnil(L);
}

void fr_lua_saves_begin(lua_State *L, fr_lua_saves *manager, const char *doing,
                        fr_lua_saves_call *call)
{
    call->manager = manager;
    call->world_count = 0;
    call->outer = manager->call;
    if (call->outer == NULL) {
        manager->late.code = FIRN_OK;
    }
    call->own = fr_lua_begin(L, &manager->own, doing);
    if (manager->closed) {
        fr_lua_leave(&call->own);
        fr_lua_misuse(L, doing, CLOSED);
    }
    manager->call = call; // finalizers can neither close it now nor bind it to another world
    fr_lua *world = manager->world;
    if (world != NULL && world->fast.world != NULL) {
        world->manager = manager;
        call->worlds[call->world_count++] = fr_lua_begin(L, world, doing);
    }
}

// The world that the manager is bound to now is the one of its Lua object.
static void follow_world(const fr_lua_saves_call *call)
{
    fr_lua_saves *manager = call->manager;
    lua_State *L = call->own.L;
    const firn_world *bound = firn_saves_world(manager->saves);
    for (uint32_t i = 0; i < call->world_count; i++) {
        fr_lua *lua = call->worlds[i].lua;
        if (bound != NULL && lua->fast.world == bound && lua != manager->world) {
            fr_lua_push_values(L, &manager->own);
            lua_getfield(L, -1, "entered");
            lua_pushlightuserdata(L, lua);
            lua_rawget(L, -2);
            lua_setfield(L, -3, "world");
            lua_pop(L, 2);
            manager->world = lua;
        }
    }
}

void fr_lua_saves_leave(fr_lua_saves_call *call)
{
    fr_lua_saves *manager = call->manager;
    lua_State *L = call->own.L;
    if (manager->saves != NULL) {
        follow_world(call);
    }
    for (uint32_t i = call->world_count; i > 0; i--) {
        fr_lua_leave(&call->worlds[i - 1]);
    }
    fr_lua_leave(&call->own);
    manager->call = call->outer;
    if (call->outer == NULL) {
        fr_lua_push_values(L, &manager->own);
        lua_getfield(L, -1, "entered");
        lua_pushnil(L);
        lua_setfield(L, -3, "entered");
        lua_replace(L, -2);
    }
}

// Whose callback raised: the manager's own, or that of the world that was entered last.
static fr_lua *who_raised(const fr_lua_saves_call *call)
{
    fr_lua *lua = &call->manager->own;
    for (uint32_t i = call->world_count; !lua->kept && i > 0; i--) {
        lua = call->worlds[i - 1].lua;
    }
    return lua;
}

void fr_lua_saves_push_error(const fr_lua_saves_call *call, const firn_error *err)
{
    fr_lua_saves *manager = call->manager;
    firn_error late = manager->late;
    manager->late.code = FIRN_OK;
    fr_lua_push_error(call->own.L, who_raised(call), call->own.doing,
                      late.code != FIRN_OK ? &late : err);
}

void fr_lua_saves_conclude(const fr_lua_saves_call *call, firn_result result, const firn_error *err)
{
    if (result != FIRN_OK || call->manager->late.code != FIRN_OK) {
        fr_lua_saves_push_error(call, err);
        lua_error(call->own.L);
    }
    for (uint32_t i = 0; i < call->world_count; i++) {
        fr_lua_conclude(&call->worlds[i], FIRN_OK, NULL); // what observers of changes raised
    }
}

void fr_lua_saves_end(fr_lua_saves_call *call, firn_result result, const firn_error *err)
{
    fr_lua_saves_leave(call);
    fr_lua_saves_conclude(call, result, err);
}

// ---------------------------------------------------------------- functions

// saves_close(manager)
static int saves_close(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "close");
    if (manager->call != NULL) {
        return fr_lua_misuse(L, "close", "the saves are in use by %s", manager->own.doing);
    }
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "close", &call);
    firn_saves_close(manager->saves);
    manager->saves = NULL;
    manager->closed = true;
    fr_lua_saves_leave(&call);
    manager->world = NULL;
    lua_newtable(L); // what the game gave goes
    lua_setfenv(L, 1);
    fr_lua_storage_drop(manager->storage);
    manager->storage = NULL;
    return 0;
}

// saves_world(manager) -> the Lua world that it is bound to
static int saves_world(lua_State *L)
{
    const fr_lua_saves *manager = fr_lua_saves_check(L, "world");
    const firn_world *world = firn_saves_world(manager->saves);
    fr_lua_saves_push_world(L, manager, world);
    return 1;
}

// saves_bind(manager, Lua world)
static int saves_bind(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "bind");
    fr_lua *lua = fr_lua_world_at(L, 2);
    if (lua == NULL) {
        return fr_lua_misuse(L, "bind", "a world is wanted, and one that lives");
    }
    if (manager->call != NULL) { // it has made ready to call back another world
        return fr_lua_misuse(L, "bind", "the saves are in use by %s", manager->own.doing);
    }
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "bind", &call);
    firn_result result = firn_saves_bind(manager->saves, lua->fast.world, &err);
    fr_lua_saves_leave(&call);
    if (result == FIRN_OK) {
        fr_lua_push_values(L, &manager->own);
        lua_pushvalue(L, 2);
        lua_setfield(L, -2, "world");
        manager->world = lua;
    }
    fr_lua_saves_conclude(&call, result, &err);
    return 0;
}

// saves_state(manager, doing) -> playing, play time, writing
static int saves_state(lua_State *L)
{
    const fr_lua_saves *manager = fr_lua_saves_check(L, luaL_checkstring(L, 2));
    lua_pushboolean(L, firn_saves_playing(manager->saves));
    lua_pushnumber(L, firn_saves_play_time(manager->saves));
    lua_pushboolean(L, firn_saves_writing(manager->saves));
    return 3;
}

// saves_wait(manager)
static int saves_wait(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "wait");
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "wait", &call);
    firn_saves_wait(manager->saves);
    fr_lua_saves_end(&call, FIRN_OK, NULL);
    return 0;
}

// saves_play(manager, begin)
static int saves_play(lua_State *L)
{
    bool begin = lua_toboolean(L, 2);
    const char *doing = begin ? "playBegin" : "playStop";
    fr_lua_saves *manager = fr_lua_saves_check(L, doing);
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, doing, &call);
    firn_result result = begin ? firn_saves_play_begin(manager->saves, &err)
                               : firn_saves_play_stop(manager->saves, &err);
    fr_lua_saves_end(&call, result, &err);
    return 0;
}

// Appends what was raised in a call that was left to the list on top.
static void list_causes(lua_State *L, const fr_lua *lua)
{
    if (!lua->kept) {
        return;
    }
    int list = lua_gettop(L);
    for (fr_lua_push_cause(L, lua); lua_istable(L, -1);) {
        lua_pushvalue(L, -1);
        lua_rawseti(L, list, (int)lua_objlen(L, list) + 1);
        lua_rawgeti(L, -1, FR_LUA_CAUSE_NEXT);
        lua_replace(L, -2);
    }
    lua_settop(L, list);
}

// Loads and changes of level are told by the next call that tells: what functions of the game
// raised in this one waits for that.
static void keep_untold(const fr_lua_saves_call *call)
{
    fr_lua_saves *manager = call->manager;
    lua_State *L = call->own.L;
    bool any = manager->own.kept;
    for (uint32_t i = 0; i < call->world_count; i++) {
        any = any || call->worlds[i].lua->kept;
    }
    if (!any && !manager->waits) {
        return;
    }
    fr_lua_push_values(L, &manager->own);
    lua_newtable(L);
    list_causes(L, &manager->own);
    for (uint32_t i = 0; i < call->world_count; i++) {
        list_causes(L, call->worlds[i].lua);
    }
    manager->waits = lua_objlen(L, -1) > 0;
    lua_setfield(L, -2, "waiting");
    lua_pop(L, 1);
}

static void end_call_that_tells(fr_lua_saves_call *call, firn_result result, const firn_error *err)
{
    fr_lua_saves_leave(call);
    if (!call->manager->closed) {
        keep_untold(call);
    }
    fr_lua_saves_conclude(call, result, err);
}

// saves_end_tick(manager, seconds)
static int saves_end_tick(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "endTick");
    double seconds = lua_tonumber(L, 2);
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "endTick", &call);
    end_call_that_tells(&call, firn_saves_end_tick(manager->saves, seconds, &err), &err);
    return 0;
}

// saves_tell(manager)
static int saves_tell(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "tell");
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "tell", &call);
    end_call_that_tells(&call, firn_saves_tell(manager->saves, &err), &err);
    return 0;
}

const luaL_Reg fr_lua_saves_functions[] = {
    {"saves_bind", saves_bind}, {"saves_close", saves_close}, {"saves_end_tick", saves_end_tick},
    {"saves_play", saves_play}, {"saves_state", saves_state}, {"saves_tell", saves_tell},
    {"saves_wait", saves_wait}, {"saves_world", saves_world}, {NULL, NULL},
};
