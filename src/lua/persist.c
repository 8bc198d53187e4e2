// persist.c: the components of persisted saves, and variables of entities.
#include "firn/persist.h"

#include "lua/entity.h"
#include "lua/snapshot.h"
#include "lua/value.h"
#include "saves/persist.h"

// persist_register(world, doing) -> the handles of persist, Vars, Carry
static int persist_register(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *doing = luaL_checkstring(L, 2);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, doing);
    firn_component persist = firn_persist_register(lua->fast.world, &err);
    fr_lua_end(&call, persist == 0 ? err.code : FIRN_OK, &err);
    lua_pushnumber(L, (lua_Number)persist);
    lua_pushnumber(L, (lua_Number)firn_vars_component(lua->fast.world));
    lua_pushnumber(L, (lua_Number)firn_carry_component(lua->fast.world));
    return 3;
}

// persist_check_row(world, pointer to a row): raises what firn_persist_set would say of it
static int persist_check_row(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    firn_error err;
    if (fr_persist_check_row(lua->fast.world, 0, fr_lua_pointer(L, 2), false, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, "persist", &err);
    }
    return 0;
}

// persist_check(world, entity): raises what a save would say of its row
static int persist_check(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    firn_entity entity = fr_lua_entity_of(luaL_checknumber(L, 2));
    firn_error err;
    if (firn_persist_check(lua->fast.world, entity, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, "checkPersist", &err);
    }
    return 0;
}

// persist_key(world, entity) -> its key, or nil
static int persist_key(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    char key[FIRN_PERSIST_KEY_SIZE];
    firn_persist_key(lua->fast.world, fr_lua_entity_of(luaL_checknumber(L, 2)), key);
    lua_pushstring(L, key[0] != '\0' ? key : NULL);
    return 1;
}

// ---------------------------------------------------------------- variables

// Pushes a document for what the world may hold.
static firn_doc *push_vars_doc(lua_State *L, const fr_lua *lua, const char *doing)
{
    const firn_limits limits = *firn_world_limits(lua->fast.world); // a finalizer may end it
    return fr_lua_push_limited_doc(L, &limits, doing);
}

// vars_get(world, entity, name) -> its value, or nil
static int vars_get(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    firn_entity entity = fr_lua_entity_of(luaL_checknumber(L, 2));
    const char *name = fr_lua_text(L, 3, "variable", "name");
    firn_doc *doc = push_vars_doc(L, lua, "variable");
    firn_error err;
    const firn_value *value = firn_vars_get(lua->fast.world, entity, name, doc, &err);
    if (value == NULL && err.code != FIRN_NOT_FOUND) {
        return fr_lua_raise(L, NULL, "variable", &err);
    }
    fr_lua_push_value(L, value);
    return 1;
}

// vars_all(world, entity) -> {[name] = value}, or nil
static int vars_all(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    firn_entity entity = fr_lua_entity_of(luaL_checknumber(L, 2));
    firn_doc *doc = push_vars_doc(L, lua, "variables");
    const firn_world *world = lua->fast.world; // a finalizer may have destroyed it
    firn_component vars = firn_vars_component(world);
    firn_error err;
    if (!firn_has(world, entity, vars)) {
        return 0;
    }
    const firn_value *value = firn_get_value(world, entity, vars, doc, &err);
    if (value == NULL) {
        return fr_lua_raise(L, NULL, "variables", &err);
    }
    fr_lua_push_value(L, value);
    return 1;
}

// vars_set(world, entity, name, value, doing): nil removes it
static int vars_set(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_entity entity = fr_lua_entity_of(luaL_checknumber(L, 2));
    const char *doing = luaL_checkstring(L, 5);
    const char *name = fr_lua_text(L, 3, doing, "name");
    firn_error err;
    const firn_value *value = NULL;
    if (!lua_isnil(L, 4)) {
        value = fr_lua_to_value(L, 4, push_vars_doc(L, lua, doing), &err);
        if (value == NULL) {
            return fr_lua_raise(L, NULL, doing, &err);
        }
    }
    fr_lua_call call = fr_lua_begin(L, lua, doing);
    firn_result result = firn_vars_set(lua->fast.world, entity, name, value, &err);
    fr_lua_end(&call, result, &err);
    return 0;
}

const luaL_Reg fr_lua_persist_functions[] = {
    {"persist_check", persist_check}, {"persist_check_row", persist_check_row},
    {"persist_key", persist_key},     {"persist_register", persist_register},
    {"vars_all", vars_all},           {"vars_get", vars_get},
    {"vars_set", vars_set},           {NULL, NULL},
};
