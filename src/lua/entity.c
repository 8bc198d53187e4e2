// entity.c: changes of entities: what the fast functions do where nothing can run Lua, and the core
// functions where something might.
#include "lua/entity.h"

#include "base/error.h"
#include "lua/function.h"
#include "lua/rows.h"
#include "store/entity.h"
#include "store/world.h"

#include <inttypes.h>
#include <string.h>

firn_entity fr_lua_entity_of(double number)
{
    return number >= 1 && number < 0x1p53 && (double)(uint64_t)number == number ? (uint64_t)number
                                                                                : 0;
}

bool fr_lua_take_handed(firn_lua *lua)
{
    bool whole = lua->handed == lua->calls;
    lua->handed = 0;
    return whole;
}

// ---------------------------------------------------------------- spawn

// The arguments, copied, because what is called back may use their place.
typedef struct arguments {
    uint32_t count;
    uint32_t extra_count;
    firn_component components[FR_LUA_ITEMS];
    const void *rows[FR_LUA_ITEMS];
    firn_lua_extra extras[FR_LUA_EXTRAS];
    int32_t shared[FR_LUA_ITEMS]; // rows of tables that several entities get
    bool taken;                   // the rows are those of entities
} arguments;

static void take_components(const firn_lua *lua, uint32_t count, firn_component *out)
{
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (firn_component)lua->components[i];
    }
}

// Puts an edge or a string in.
static firn_result put_extra(firn_world *world, firn_entity entity, const firn_lua_extra *extra,
                             firn_error *err)
{
    firn_component component = (firn_component)extra->component;
    if (firn_component_kind_of(world, component) == FIRN_RELATION) {
        firn_entity target = fr_lua_entity_of(extra->target);
        return firn_relate(world, entity, component, target, extra->row, err);
    }
    return firn_set_string(world, entity, component, extra->row, extra->size, err);
}

// What can be wrong with an edge or a string is found before there is an entity.
static firn_result check_extra(firn_lua *lua, const firn_lua_extra *extra)
{
    const firn_world *world = lua->world;
    firn_component component = (firn_component)extra->component;
    if (firn_component_kind_of(world, component) == FIRN_RELATION) {
        return fr_world_check_alive(world, fr_lua_entity_of(extra->target), &lua->error);
    }
    firn_entity holder = 0;
    if (component == firn_key(world) && extra->size > 0) {
        holder = firn_find_key(world, extra->row, extra->size);
    }
    if (holder != 0) {
        return fr_fail_entity(&lua->error, FIRN_EXISTS, holder, "Key",
                              "entity %" PRIu64 " has the key '%s' already", holder,
                              (const char *)extra->row);
    }
    return FIRN_OK;
}

static firn_result put_extras(void *user, firn_world *world, firn_entity entity, firn_error *err)
{
    arguments *given = user;
    given->taken = true;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; i < given->extra_count && result == FIRN_OK; i++) {
        result = put_extra(world, entity, &given->extras[i], err);
    }
    return result;
}

// Of the tables that `n` entities are to get each gets copies of its own.
static void share_tables(firn_lua *lua, arguments *given, uint32_t n)
{
    for (uint32_t i = 0; i < given->count; i++) {
        uint32_t index = fr_component_index(lua->world, given->components[i]);
        if (given->rows[i] == NULL || index == FR_NO_COMPONENT ||
            lua->world->components.items[index]->hooks.drop != fr_lua_rows_drop) {
            continue;
        }
        memcpy(&given->shared[i], given->rows[i], sizeof given->shared[i]);
        fr_lua_rows_share(lua, &given->shared[i], n);
        given->rows[i] = &given->shared[i];
    }
}

// A spawn with extras.
static firn_result spawn_more(firn_lua *lua, uint32_t n, uint32_t count, uint32_t extra_count,
                              firn_entity *out)
{
    arguments given; // it is large, and most of it is not used
    given.count = count;
    given.extra_count = extra_count;
    given.taken = false;
    take_components(lua, count, given.components);
    memcpy(given.rows, lua->rows, count * sizeof *given.rows);
    memcpy(given.extras, lua->extras, extra_count * sizeof *given.extras);
    uint32_t tables = fr_lua_rows_take(lua);
    if (n > 1 && tables != 0) {
        share_tables(lua, &given, n);
    }
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; i < extra_count && result == FIRN_OK; i++) {
        result = check_extra(lua, &given.extras[i]);
    }
    if (result == FIRN_OK && extra_count > 0) {
        result = fr_spawn_complete(lua->world, given.components, given.rows, count, n, out,
                                   put_extras, &given, &lua->error);
    } else if (result == FIRN_OK) {
        result =
            fr_spawn_rows(lua->world, given.components, given.rows, count, n, out, &lua->error);
        given.taken = result == FIRN_OK && n > 0;
    }
    if (!given.taken) {
        fr_lua_rows_refuse(lua, tables);
    }
    return result;
}

double fr_lua_spawn(firn_lua *lua, uint32_t count, uint32_t extras)
{
    firn_entity entity = 0;
    if (extras > 0 || count > FR_LUA_FEW) {
        return spawn_more(lua, 1, count, extras, &entity) == FIRN_OK ? (double)entity : 0;
    }
    firn_component components[FR_LUA_FEW];
    const void *rows[FR_LUA_FEW];
    take_components(lua, count, components);
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = lua->rows[i];
    }
    uint32_t tables = fr_lua_rows_take(lua);
    entity = firn_spawn_rows(lua->world, components, rows, count, &lua->error);
    if (entity == 0) {
        fr_lua_rows_refuse(lua, tables);
    }
    return (double)entity;
}

firn_result fr_lua_spawn_many(firn_lua *lua, uint32_t n, uint32_t count, uint32_t extras,
                              firn_entity *out)
{
    return spawn_more(lua, n, count, extras, out);
}

// ---------------------------------------------------------------- components

firn_result fr_lua_set(firn_lua *lua, double number, uint32_t count)
{
    firn_entity entity = fr_lua_entity_of(number);
    if (count == 0) {
        firn_lua_extra extra = lua->extras[0];
        return put_extra(lua->world, entity, &extra, &lua->error);
    }
    uint32_t tables = fr_lua_rows_take(lua);
    firn_result result =
        firn_set(lua->world, entity, (firn_component)lua->components[0], lua->rows[0], &lua->error);
    if (result != FIRN_OK) {
        fr_lua_rows_refuse(lua, tables);
    }
    return result;
}

firn_result fr_lua_add(firn_lua *lua, double entity, uint32_t count)
{
    firn_component components[FR_LUA_ITEMS];
    take_components(lua, count, components);
    return firn_add(lua->world, fr_lua_entity_of(entity), components, count, &lua->error);
}

firn_result fr_lua_remove(firn_lua *lua, double entity, uint32_t count)
{
    firn_component components[FR_LUA_ITEMS];
    take_components(lua, count, components);
    return firn_remove(lua->world, fr_lua_entity_of(entity), components, count, &lua->error);
}

// init(pointer to the rows, count): a Lua function of component.lua
static int init_body(lua_State *L)
{
    const void *const *call = lua_touserdata(L, 1);
    const firn_rows *rows = call[1];
    fr_lua_function_push(L, call[0]);
    lua_pushlightuserdata(L, rows->data);
    lua_pushnumber(L, rows->count);
    lua_call(L, 2, 0);
    return 0;
}

void fr_lua_init_rows(void *user, const firn_rows *rows)
{
    fr_lua_function *function = user;
    const void *call[2] = {function, rows};
    fr_lua_protect_late(function->lua, init_body, (void *)call, function->what);
}

// ---------------------------------------------------------------- core functions

// Arguments are numbers that firn.lua has checked.
static uint32_t count_at(lua_State *L, int index)
{
    return (uint32_t)luaL_checknumber(L, index);
}

// What a function returns that finds no arguments: Lua hands them over again.
static int again(lua_State *L)
{
    lua_pushnumber(L, FR_LUA_AGAIN);
    return 1;
}

// Numbers that stand as rows are put aside, because what is called back may use their place.
typedef struct kept_numbers {
    double numbers[FR_LUA_ITEMS];
} kept_numbers;

static void keep_numbers(firn_lua *lua, uint32_t count, kept_numbers *kept)
{
    memcpy(kept->numbers, lua->numbers, count * sizeof *kept->numbers);
    for (uint32_t i = 0; i < count; i++) {
        if (lua->rows[i] == &lua->numbers[i]) {
            lua->rows[i] = &kept->numbers[i];
        }
    }
}

// spawn(world, count, extras) -> entity, or FR_LUA_AGAIN
static int entity_spawn(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    uint32_t count = count_at(L, 2);
    uint32_t extras = count_at(L, 3);
    if (!fr_lua_take_handed(&lua->fast)) {
        return again(L);
    }
    kept_numbers kept;
    keep_numbers(&lua->fast, count, &kept);
    fr_lua_call call = fr_lua_begin(L, lua, "spawn");
    double entity = fr_lua_spawn(&lua->fast, count, extras);
    firn_error err = lua->fast.error;
    fr_lua_end(&call, entity != 0 ? FIRN_OK : err.code, &err);
    lua_pushnumber(L, entity);
    return 1;
}

// spawn_many(world, n, count, extras, out) -> nothing, or FR_LUA_AGAIN
static int entity_spawn_many(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    uint32_t n = count_at(L, 2);
    uint32_t count = count_at(L, 3);
    uint32_t extras = count_at(L, 4);
    firn_entity *out = (firn_entity *)(uintptr_t)lua_topointer(L, 5); // an array of the FFI
    if (!fr_lua_take_handed(&lua->fast)) {
        return again(L);
    }
    kept_numbers kept;
    keep_numbers(&lua->fast, count, &kept);
    fr_lua_call call = fr_lua_begin(L, lua, "spawnMany");
    firn_result result = fr_lua_spawn_many(&lua->fast, n, count, extras, out);
    firn_error err = lua->fast.error;
    fr_lua_end(&call, result, &err);
    return 0;
}

// despawn(world, entity)
static int entity_despawn(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_entity entity = fr_lua_entity_of(luaL_checknumber(L, 2));
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "despawn");
    fr_lua_end(&call, firn_despawn(lua->fast.world, entity, &err), &err);
    return 0;
}

// change(world, entity, count) -> nothing, or FR_LUA_AGAIN: set, add, remove
static int entity_change(lua_State *L, const char *doing,
                         firn_result (*change)(firn_lua *, double, uint32_t))
{
    fr_lua *lua = fr_lua_check(L);
    double entity = luaL_checknumber(L, 2);
    uint32_t count = count_at(L, 3);
    if (!fr_lua_take_handed(&lua->fast)) {
        return again(L);
    }
    kept_numbers kept;
    keep_numbers(&lua->fast, count, &kept);
    fr_lua_call call = fr_lua_begin(L, lua, doing);
    firn_result result = change(&lua->fast, entity, count);
    firn_error err = lua->fast.error;
    fr_lua_end(&call, result, &err);
    return 0;
}

static int entity_set(lua_State *L)
{
    return entity_change(L, luaL_checkstring(L, 4), fr_lua_set); // or relate
}

static int entity_add(lua_State *L)
{
    return entity_change(L, "add", fr_lua_add);
}

static int entity_remove(lua_State *L)
{
    return entity_change(L, "remove", fr_lua_remove);
}

// unrelate(world, source, relation, target)
static int entity_unrelate(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_entity source = fr_lua_entity_of(luaL_checknumber(L, 2));
    firn_component relation = (firn_component)luaL_checknumber(L, 3);
    firn_entity target = fr_lua_entity_of(luaL_checknumber(L, 4));
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "unrelate");
    fr_lua_end(&call, firn_unrelate(lua->fast.world, source, relation, target, &err), &err);
    return 0;
}

// components(world, entity) -> handles
static int entity_components(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    firn_entity entity = fr_lua_entity_of(luaL_checknumber(L, 2));
    uint32_t count = firn_entity_components(lua->fast.world, entity, NULL, 0);
    firn_component *components = lua_newuserdata(L, (count + 1) * sizeof *components);
    firn_entity_components(lua->fast.world, entity, components, count);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushnumber(L, (lua_Number)components[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

// flush(world): applies the changes that wait
static int entity_flush(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "flush");
    fr_lua_end(&call, firn_flush(lua->fast.world, &err), &err);
    return 0;
}

// discard(world) -> changes that were forgotten
static int entity_discard(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    fr_lua_call call = fr_lua_begin(L, lua, "discard");
    uint32_t count = firn_discard(lua->fast.world);
    fr_lua_end(&call, FIRN_OK, NULL);
    lua_pushnumber(L, count);
    return 1;
}

const luaL_Reg fr_lua_entity_functions[] = {
    {"add", entity_add},
    {"components", entity_components},
    {"despawn", entity_despawn},
    {"discard", entity_discard},
    {"flush", entity_flush},
    {"remove", entity_remove},
    {"set", entity_set},
    {"spawn", entity_spawn},
    {"spawn_many", entity_spawn_many},
    {"unrelate", entity_unrelate},
    {NULL, NULL},
};
