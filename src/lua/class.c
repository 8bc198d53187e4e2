// class.c: entity classes whose callbacks are Lua's.
#include "firn/class.h"

#include "base/error.h"
#include "lua/entity.h"
#include "lua/function.h"

// ---------------------------------------------------------------- callbacks

typedef struct class_call {
    const fr_lua_function *functions; // a table {create, restore}
    const char *function;
    firn_entity entity;
} class_call;

static int class_body(lua_State *L)
{
    const class_call *call = lua_touserdata(L, 1);
    fr_lua_function_push(L, call->functions);
    lua_getfield(L, -1, call->function);
    lua_pushnumber(L, (lua_Number)call->entity);
    lua_call(L, 1, 0);
    return 0;
}

static firn_result call_class(const fr_lua_function *functions, const char *function,
                              firn_entity entity, firn_error *err)
{
    class_call call = {functions, function, entity};
    firn_error why;
    firn_result result = fr_lua_protect(functions->lua, class_body, &call, &why);
    return result == FIRN_OK ? FIRN_OK
                             : fr_fail_entity(err, result, entity, functions->what, "%s: %s",
                                              function, why.message);
}

static firn_result create_for_lua(void *user, firn_world *world, firn_entity entity,
                                  firn_error *err)
{
    (void)world;
    return call_class(user, "create", entity, err);
}

static firn_result restore_for_lua(void *user, firn_world *world, firn_entity entity,
                                   firn_error *err)
{
    (void)world;
    return call_class(user, "restore", entity, err);
}

// ---------------------------------------------------------------- functions

// The components, rows and texts of a class, in the order in which they were handed over.
typedef struct class_parts {
    firn_component components[FR_LUA_ITEMS + FR_LUA_EXTRAS];
    const void *rows[FR_LUA_ITEMS + FR_LUA_EXTRAS];
    const firn_value *values[FR_LUA_ITEMS + FR_LUA_EXTRAS];
    firn_value texts[FR_LUA_EXTRAS];
} class_parts;

static void read_class_parts(const firn_lua *lua, uint32_t count, uint32_t extras, class_parts *to)
{
    for (uint32_t i = 0; i < count; i++) {
        to->components[i] = (firn_component)lua->components[i];
        to->rows[i] = lua->rows[i];
        to->values[i] = NULL;
    }
    for (uint32_t i = 0; i < extras; i++) {
        const firn_lua_extra *extra = &lua->extras[i];
        bool text = extra->target == 0; // else an edge, which is refused
        to->texts[i] = (firn_value){.kind = FIRN_VALUE_STRING, .length = (uint32_t)extra->size};
        to->texts[i].as.string = extra->row;
        to->components[count + i] = (firn_component)extra->component;
        to->rows[count + i] = NULL;
        to->values[count + i] = text ? &to->texts[i] : NULL;
    }
}

// class_register(world, name, count, extras, {create, restore}) -> whether what was handed over is
// still there, so that it is done
static int class_register(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *name = fr_lua_text(L, 2, "newClass", "option 'name'");
    uint32_t count = (uint32_t)luaL_checknumber(L, 3);
    uint32_t extras = (uint32_t)luaL_checknumber(L, 4);
    luaL_checktype(L, 5, LUA_TTABLE);
    fr_lua_function *functions = fr_lua_function_keep(L, lua, 5, name);
    class_parts parts;
    firn_class_desc desc = {
        .name = name,
        .components = parts.components,
        .component_count = count + extras,
        .rows = parts.rows,
        .values = parts.values,
        .create = fr_lua_has(L, 5, "create") ? create_for_lua : NULL,
        .restore = fr_lua_has(L, 5, "restore") ? restore_for_lua : NULL,
        .user = functions,
    };
    if (!fr_lua_take_handed(&lua->fast)) {
        fr_lua_function_drop(L, functions);
        lua_pushboolean(L, false);
        return 1;
    }
    read_class_parts(&lua->fast, count, extras, &parts);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "newClass");
    firn_class made = firn_class_register(lua->fast.world, &desc, &err);
    fr_lua_leave(&call);
    if (made == 0) {
        fr_lua_function_drop(L, functions);
    } else {
        lua->callbacks++;
    }
    fr_lua_conclude(&call, made == 0 ? err.code : FIRN_OK, &err);
    lua_pushboolean(L, true);
    return 1;
}

// class_spawn(world, name) -> entity
static int class_spawn(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *name = fr_lua_text(L, 2, "spawnClass", "name");
    firn_class spawned = firn_class_find(lua->fast.world, name);
    firn_error err;
    if (spawned == 0) {
        fr_fail(&err, FIRN_UNKNOWN, name, "there is no class '%.200s'", name);
        return fr_lua_raise(L, NULL, "spawnClass", &err);
    }
    fr_lua_call call = fr_lua_begin(L, lua, "spawnClass");
    firn_entity entity = firn_class_spawn(lua->fast.world, spawned, &err);
    fr_lua_end(&call, entity == 0 ? err.code : FIRN_OK, &err);
    lua_pushnumber(L, (lua_Number)entity);
    return 1;
}

// class_of(world, entity) -> the name of its class, or nil
static int class_of(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    const firn_world *world = lua->fast.world;
    firn_class of = firn_class_of(world, fr_lua_entity_of(luaL_checknumber(L, 2)));
    lua_pushstring(L, of != 0 ? firn_class_name(world, of) : NULL);
    return 1;
}

const luaL_Reg fr_lua_class_functions[] = {
    {"class_of", class_of},
    {"class_register", class_register},
    {"class_spawn", class_spawn},
    {NULL, NULL},
};
