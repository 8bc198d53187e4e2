// lifecycle.c: what the events of saves and loads let Lua do, while they are published.
#include "lua/function.h"
#include "lua/snapshot.h"
#include "lua/value.h"

void fr_lua_push_prelude(lua_State *L, const firn_prelude *prelude)
{
    lua_createtable(L, 0, 5);
    lua_pushnumber(L, prelude->version);
    lua_setfield(L, -2, "version");
    lua_pushnumber(L, prelude->next_slot);
    lua_setfield(L, -2, "nextEntityId");
    lua_pushnumber(L, prelude->entity_count);
    lua_setfield(L, -2, "entityCount");
    lua_pushnumber(L, prelude->frame_count);
    lua_setfield(L, -2, "archetypeCount");
    if (prelude->components == NULL) {
        return;
    }
    lua_createtable(L, (int)prelude->component_count, 0);
    for (uint32_t i = 0; i < prelude->component_count; i++) {
        lua_createtable(L, 0, 2);
        lua_pushstring(L, prelude->components[i].name);
        lua_setfield(L, -2, "name");
        lua_pushstring(L, prelude->components[i].fingerprint);
        lua_setfield(L, -2, "fingerprint");
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfield(L, -2, "componentTable");
}

// saving_add_data(userdata, key, value)
static int saving_add_data(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    const char *key = fr_lua_text(L, 2, "addData", "key");
    if (lua->saving == NULL) {
        return fr_lua_misuse(L, "addData", "the event is over");
    }
    const firn_buffer *encoded = fr_lua_push_encoded(L, 3, "addData", key);
    firn_error err;
    if (firn_saving_add_encoded(lua->saving, key, encoded->data, encoded->size, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, "addData", &err);
    }
    return 0;
}

// saving_exclude(userdata, component)
static int saving_exclude(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    firn_component component = (firn_component)luaL_checknumber(L, 2);
    if (lua->saving == NULL) {
        return fr_lua_misuse(L, "exclude", "the event is over");
    }
    firn_error err;
    if (firn_saving_exclude(lua->saving, component, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, "exclude", &err);
    }
    return 0;
}

typedef struct heard_data {
    const fr_lua_function *listener;
    const char *key;
    const void *encoded;
    size_t size;
} heard_data;

static int listener_body(lua_State *L)
{
    const heard_data *heard = lua_touserdata(L, 1);
    fr_lua_function_push(L, heard->listener);
    firn_reader reader;
    firn_reader_begin(&reader, heard->encoded, heard->size, NULL);
    fr_lua_read(L, &reader);
    lua_pushstring(L, heard->key);
    lua_call(L, 2, 0);
    return 0;
}

firn_result fr_lua_hear_data(void *user, firn_world *world, const char *key, const void *encoded,
                             size_t size, firn_error *err)
{
    (void)world;
    const fr_lua_function *listener = user;
    heard_data heard = {listener, key, encoded, size};
    return fr_lua_protect(listener->lua, listener_body, &heard, err);
}

// loading_on_data(userdata, key, function(value, key))
static int loading_on_data(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *key = fr_lua_text(L, 2, "onData", "key");
    luaL_checktype(L, 3, LUA_TFUNCTION);
    if (lua->loading == NULL) {
        return fr_lua_misuse(L, "onData", "the event is over");
    }
    fr_lua_function *listener = fr_lua_function_keep(L, lua, 3, "");
    firn_error err;
    if (firn_loading_on_data(lua->loading, key, fr_lua_hear_data, listener, &err) != FIRN_OK) {
        fr_lua_function_drop(L, listener);
        return fr_lua_raise(L, NULL, "onData", &err);
    }
    listener->next = lua->listeners; // the load lets go of them when it ends
    lua->listeners = listener;
    return 0;
}

// loading_prelude(userdata) -> that of the FinishSnapshotLoad that is published
static int loading_prelude(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    if (lua->prelude == NULL) {
        return fr_lua_misuse(L, "prelude", "the event is over");
    }
    fr_lua_push_prelude(L, lua->prelude);
    return 1;
}

const luaL_Reg fr_lua_lifecycle_functions[] = {
    {"loading_on_data", loading_on_data},
    {"loading_prelude", loading_prelude},
    {"saving_add_data", saving_add_data},
    {"saving_exclude", saving_exclude},
    {NULL, NULL},
};
