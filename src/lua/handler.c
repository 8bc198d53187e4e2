// handler.c: snapshot handlers whose functions are Lua's.
#include "lua/entity.h"
#include "lua/function.h"
#include "lua/snapshot.h"
#include "lua/value.h"

// ---------------------------------------------------------------- callbacks

// What one callback hands to the body that runs in Lua.
typedef struct handler_call {
    const fr_lua_function *functions; // a table {save, load, finish, check}
    firn_writer *out;
    firn_reader *in;
    const char *reads; // the function that gets what `in` reads
    const firn_prelude *prelude;
} handler_call;

// Pushes a function of the handler.
static void push_function(lua_State *L, const handler_call *call, const char *name)
{
    fr_lua_function_push(L, call->functions);
    lua_getfield(L, -1, name);
    lua_replace(L, -2);
}

static int handler_save_body(lua_State *L)
{
    const handler_call *call = lua_touserdata(L, 1);
    push_function(L, call, "save");
    lua_call(L, 0, 1);
    if (!lua_isnil(L, -1)) {
        fr_lua_write(L, lua_gettop(L), call->out);
    }
    return 0;
}

// check(value or nil), load(value)
static int handler_read_body(lua_State *L)
{
    const handler_call *call = lua_touserdata(L, 1);
    push_function(L, call, call->reads);
    if (call->in == NULL) {
        lua_pushnil(L);
    } else {
        fr_lua_read(L, call->in);
    }
    lua_call(L, 1, 0);
    return 0;
}

static int handler_finish_body(lua_State *L)
{
    const handler_call *call = lua_touserdata(L, 1);
    push_function(L, call, "finish");
    fr_lua_push_prelude(L, call->prelude);
    lua_call(L, 1, 0);
    return 0;
}

static firn_result handler_save(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)world;
    handler_call call = {.functions = user, .out = out};
    return fr_lua_protect(call.functions->lua, handler_save_body, &call, err);
}

static firn_result handler_check(void *user, firn_world *world, firn_reader *in, void **prepared,
                                 firn_error *err)
{
    (void)world;
    (void)prepared;
    handler_call call = {.functions = user, .in = in, .reads = "check"};
    return fr_lua_protect(call.functions->lua, handler_read_body, &call, err);
}

static firn_result handler_load(void *user, firn_world *world, firn_reader *in, firn_error *err)
{
    (void)world;
    handler_call call = {.functions = user, .in = in, .reads = "load"};
    return fr_lua_protect(call.functions->lua, handler_read_body, &call, err);
}

static firn_result handler_finish(void *user, firn_world *world, const firn_prelude *prelude,
                                  firn_error *err)
{
    (void)world;
    handler_call call = {.functions = user, .prelude = prelude};
    return fr_lua_protect(call.functions->lua, handler_finish_body, &call, err);
}

// ---------------------------------------------------------------- registration

// handler_add(userdata, name, {save, load, finish, check}) -> what handler_remove takes
static int handler_add(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *name = fr_lua_text(L, 2, "addSnapshotHandler", "option 'name'");
    luaL_checktype(L, 3, LUA_TTABLE);
    fr_lua_function *functions = fr_lua_function_keep(L, lua, 3, "");
    firn_handler handler = {
        .abi = FIRN_ABI,
        .name = name,
        .save = fr_lua_has(L, 3, "save") ? handler_save : NULL,
        .check = fr_lua_has(L, 3, "check") ? handler_check : NULL,
        .load = fr_lua_has(L, 3, "load") ? handler_load : NULL,
        .finish = fr_lua_has(L, 3, "finish") ? handler_finish : NULL,
        .user = functions,
    };
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "addSnapshotHandler");
    firn_result result = firn_handler_add(lua->fast.world, &handler, &err);
    fr_lua_leave(&call);
    if (result == FIRN_OK) {
        lua->callbacks++;
    } else {
        fr_lua_function_drop(L, functions);
    }
    fr_lua_conclude(&call, result, &err);
    lua_pushlightuserdata(L, functions);
    return 1;
}

// handler_remove(userdata, name, what handler_add gave)
static int handler_remove(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *name = fr_lua_text(L, 2, "removeSnapshotHandler", "name");
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "removeSnapshotHandler");
    fr_lua_end(&call, firn_handler_remove(lua->fast.world, name, &err), &err);
    fr_lua_function *functions = lua_touserdata(L, 3);
    if (functions != NULL) { // or somebody else's
        lua->callbacks--;
        fr_lua_function_drop(L, functions);
    }
    return 0;
}

// save_has(world, entity) -> whether the save that runs has it
static int handler_save_has(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    firn_entity entity = fr_lua_entity_of(luaL_checknumber(L, 2));
    lua_pushboolean(L, firn_save_has(lua->fast.world, entity));
    return 1;
}

// load_keeps(world, entity) -> the id that it has after the load that runs, or nil
static int handler_load_keeps(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    firn_entity entity = firn_load_keeps(lua->fast.world, fr_lua_entity_of(luaL_checknumber(L, 2)));
    if (entity == 0) {
        return 0;
    }
    lua_pushnumber(L, (lua_Number)entity);
    return 1;
}

const luaL_Reg fr_lua_handler_functions[] = {
    {"handler_add", handler_add},
    {"handler_remove", handler_remove},
    {"load_keeps", handler_load_keeps},
    {"save_has", handler_save_has},
    {NULL, NULL},
};
