// saves_open.c: opens managers of save games, with what the game gives them: levels, migrations,
// hooks and a clock. firn/saves.lua checks the options and makes them plain.
#include "lua/function.h"
#include "lua/saves.h"
#include "lua/snapshot.h"
#include "lua/value.h"

#include "base/error.h"

#include <string.h>

// ---------------------------------------------------------------- the clock

typedef struct asked_time {
    int64_t time;
} asked_time;

static int now_body(lua_State *L)
{
    asked_time *asked = lua_touserdata(L, 1);
    lua_getfield(L, 2, "now");
    lua_call(L, 0, 1);
    asked->time = (int64_t)fr_lua_integer(L, lua_gettop(L), "option 'now'", "its time", 0, 0x1p53);
    return 0;
}

// Keeps a failure that firn cannot be told of: the value that is returned instead makes firn fail.
static void keep_late(fr_lua_saves *manager, const char *what, const firn_error *err)
{
    if (manager->late.code == FIRN_OK) {
        fr_fail(&manager->late, err->code, "", "%s: %s", what, err->message);
    }
}

static int64_t now_for_lua(void *user)
{
    fr_lua_saves *manager = user;
    asked_time asked = {-1};
    firn_error err;
    if (fr_lua_protect(&manager->own, now_body, &asked, &err) != FIRN_OK) {
        keep_late(manager, "now", &err);
        return -1; // no time that can be saved
    }
    return asked.time;
}

// ---------------------------------------------------------------- levels

typedef struct level_call {
    fr_lua_saves *manager;
    firn_world *world;
    const char *level;
    bool for_restore;
    bool unknown; // there is no such level
    char why[256];
} level_call;

// The name stays values.level, for firn.
static int current_body(lua_State *L)
{
    level_call *asked = lua_touserdata(L, 1);
    lua_getfield(L, 2, "current");
    fr_lua_saves_push_world(L, asked->manager, asked->world);
    lua_call(L, 1, 1);
    if (!lua_isnil(L, -1)) {
        asked->level = fr_lua_text(L, lua_gettop(L), "levels.current", "the name of the level");
    }
    lua_setfield(L, 2, "level");
    return 0;
}

static const char *current_for_lua(void *user, firn_world *world)
{
    // Longer than any name in a save may be.
    static const char nameless[] =
        "................................................................"
        "................................................................"
        "................................................................"
        "................................................................";
    fr_lua_saves *manager = user;
    level_call asked = {.manager = manager, .world = world};
    firn_error err;
    if (fr_lua_protect(&manager->own, current_body, &asked, &err) != FIRN_OK) {
        keep_late(manager, "levels.current", &err);
        return nameless;
    }
    return asked.level;
}

// enter(level, forRestore, world) -> the world of the level (nil: the same one), or false and why
static int enter_body(lua_State *L)
{
    level_call *asked = lua_touserdata(L, 1);
    lua_getfield(L, 2, "enter");
    lua_pushstring(L, asked->level);
    lua_pushboolean(L, asked->for_restore);
    fr_lua_saves_push_world(L, asked->manager, asked->world);
    lua_call(L, 3, 2);
    int entered = lua_gettop(L) - 1;
    if (lua_isnil(L, entered)) {
        return 0;
    }
    if (lua_isboolean(L, entered) && !lua_toboolean(L, entered)) {
        const char *why = lua_tostring(L, -1);
        asked->unknown = true;
        strncpy(asked->why, why != NULL ? why : "there is no such level", sizeof asked->why - 1);
        return 0;
    }
    fr_lua *lua = fr_lua_world_at(L, entered);
    if (lua == NULL) {
        return fr_lua_misuse(L, "levels.enter", "a world is wanted, not %s",
                             lua_istable(L, entered) ? "another table, or one that was destroyed"
                                                     : fr_lua_what(L, entered));
    }
    fr_lua_saves_enter(L, asked->manager, entered);
    asked->world = lua->fast.world;
    return 0;
}

static firn_result enter_for_lua(void *user, const char *level, bool for_restore,
                                 firn_world **world, firn_error *err)
{
    fr_lua_saves *manager = user;
    if (manager->late.code != FIRN_OK) { // of levels.current: nothing has been entered
        fr_fail_copy(err, &manager->late);
        return FIRN_UNKNOWN;
    }
    level_call asked = {
        .manager = manager, .world = *world, .level = level, .for_restore = for_restore};
    firn_error why;
    firn_result result = fr_lua_protect(&manager->own, enter_body, &asked, &why);
    if (result != FIRN_OK) {
        return fr_fail(err, result, level, "levels.enter: %s", why.message);
    }
    if (asked.unknown) {
        return fr_fail(err, FIRN_UNKNOWN, level, "the level \"%.100s\": %.300s", level, asked.why);
    }
    *world = asked.world;
    return FIRN_OK;
}

// ---------------------------------------------------------------- migrations

typedef struct value_call {
    const fr_lua_function *function;
    firn_doc *doc;
    firn_value *value; // what the function is given, and what it leaves
    firn_result result;
    firn_error err;
} value_call;

// The value at `index` becomes *call->value.
static void take_value(lua_State *L, int index, value_call *call)
{
    const firn_value *value = fr_lua_to_value(L, index, call->doc, &call->err);
    if (value == NULL) {
        call->result = call->err.code;
    } else {
        *call->value = *value;
    }
}

static int migrate_body(lua_State *L)
{
    value_call *call = lua_touserdata(L, 1);
    luaL_checkstack(L, 8, "migration");
    fr_lua_function_push(L, call->function);
    fr_lua_push_value(L, call->value);
    lua_pushvalue(L, -1);
    lua_insert(L, -3);
    lua_call(L, 1, 1);
    if (lua_isnil(L, -1)) { // it was changed in place
        lua_pop(L, 1);
    }
    take_value(L, lua_gettop(L), call);
    return 0;
}

static firn_result migrate_for_lua(void *user, firn_doc *doc, firn_value *save, firn_error *err)
{
    const fr_lua_function *function = user;
    value_call call = {.function = function, .doc = doc, .value = save};
    firn_result result = fr_lua_protect(function->lua, migrate_body, &call, err);
    return result == FIRN_OK && call.result != FIRN_OK ? fr_fail_copy(err, &call.err) : result;
}

// ---------------------------------------------------------------- hooks

static int before_save_body(lua_State *L)
{
    value_call *call = lua_touserdata(L, 1);
    fr_lua_function_push(L, call->function);
    lua_call(L, 0, 1);
    if (lua_istable(L, -1)) {
        take_value(L, lua_gettop(L), call);
    } else if (!lua_isnil(L, -1)) {
        fr_lua_misuse(L, "onBeforeSave", "a hook returns a table of fields or nil, not %s",
                      fr_lua_what(L, -1));
    }
    return 0;
}

static firn_result before_save_for_lua(void *user, firn_saves *saves, firn_doc *doc,
                                       firn_value *fields, firn_error *err)
{
    (void)saves;
    const fr_lua_function *function = user;
    value_call call = {.function = function, .doc = doc, .value = fields};
    firn_result result = fr_lua_protect(function->lua, before_save_body, &call, err);
    return result == FIRN_OK && call.result != FIRN_OK ? fr_fail_copy(err, &call.err) : result;
}

// saves_add_hook(manager, function, {field, ...} or nil) -> hook, what saves_remove_hook takes
static int saves_add_hook(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "onBeforeSave");
    luaL_checktype(L, 2, LUA_TFUNCTION);
    const char **fields = NULL;
    if (!lua_isnoneornil(L, 3)) {
        size_t count = lua_objlen(L, 3);
        fields = lua_newuserdata(L, (count + 1) * sizeof *fields);
        for (size_t i = 0; i < count; i++) {
            lua_rawgeti(L, 3, (int)i + 1);
            fields[i] = fr_lua_text(L, lua_gettop(L), "onBeforeSave", "a field");
            lua_pop(L, 1); // the table keeps it
        }
        fields[count] = NULL;
    }
    fr_lua_function *function = fr_lua_function_keep(L, &manager->own, 2, "");
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "onBeforeSave", &call);
    firn_save_hook hook =
        firn_saves_before_save(manager->saves, fields, before_save_for_lua, function, &err);
    fr_lua_saves_leave(&call);
    if (hook == 0) {
        fr_lua_function_drop(L, function);
    }
    fr_lua_saves_conclude(&call, hook == 0 ? err.code : FIRN_OK, &err);
    lua_pushnumber(L, (lua_Number)hook);
    lua_pushlightuserdata(L, function);
    return 2;
}

// saves_remove_hook(manager, hook, what saves_add_hook gave)
static int saves_remove_hook(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "onBeforeSave");
    firn_save_hook hook = (firn_save_hook)luaL_checknumber(L, 2);
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "onBeforeSave", &call);
    firn_result result = firn_saves_remove_hook(manager->saves, hook, &err);
    fr_lua_saves_leave(&call);
    if (result == FIRN_OK) {
        fr_lua_function_drop(L, lua_touserdata(L, 3));
    }
    fr_lua_saves_conclude(&call, result, &err);
    return 0;
}

// ---------------------------------------------------------------- open

#define OPTIONS 3 // the stack index of the plain options

// Whether options[name] is given; it is on top of the stack then.
static bool push_option(lua_State *L, const char *name)
{
    lua_getfield(L, OPTIONS, name);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        return false;
    }
    return true;
}

static const char *text_option(lua_State *L, const char *name)
{
    return push_option(L, name) ? fr_lua_text(L, -1, "open", name) : NULL;
}

// A whole number of options, or 0.
static uint32_t count_option(lua_State *L, const char *name)
{
    uint32_t value = 0;
    if (push_option(L, name)) {
        value = (uint32_t)fr_lua_integer(L, -1, "open", name, 0, UINT32_MAX);
        lua_pop(L, 1);
    }
    return value;
}

static bool flag_option(lua_State *L, const char *name)
{
    lua_getfield(L, OPTIONS, name);
    bool flag = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return flag;
}

// Moves options[name] to the values of the manager, at stack index `values`.
static bool keep_option(lua_State *L, int values, const char *name)
{
    bool given = push_option(L, name);
    if (given) {
        lua_setfield(L, values, name);
    }
    return given;
}

// options.migrations: {{from, function or false}, ...}
static firn_migration *push_migrations(lua_State *L, fr_lua_saves *manager, uint32_t *count)
{
    if (!push_option(L, "migrations")) {
        return NULL;
    }
    int list = lua_gettop(L);
    *count = (uint32_t)lua_objlen(L, list);
    firn_migration *migrations = lua_newuserdata(L, (*count + 1) * sizeof *migrations);
    for (uint32_t i = 0; i < *count; i++) {
        lua_rawgeti(L, list, (int)i + 1);
        lua_rawgeti(L, -1, 1);
        lua_rawgeti(L, -2, 2);
        migrations[i] = (firn_migration){.from = (uint32_t)lua_tonumber(L, -2)};
        if (lua_isfunction(L, -1)) {
            migrations[i].migrate = migrate_for_lua;
            migrations[i].user = fr_lua_function_keep(L, &manager->own, lua_gettop(L), "");
        }
        lua_pop(L, 3);
    }
    return migrations;
}

// Reads options.snapshot; values.snapshot keeps what the options point to.
static const firn_save_options *keep_snapshot(lua_State *L, int values, fr_lua_saves *manager)
{
    if (!push_option(L, "snapshot")) {
        return NULL;
    }
    int from = lua_gettop(L);
    manager->snapshot = fr_lua_save_options(L, from, "open");
    int count = lua_gettop(L) - from;
    lua_createtable(L, count + 1, 0);
    for (int i = 0; i <= count; i++) {
        lua_pushvalue(L, from + i);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, values, "snapshot");
    lua_settop(L, from - 1);
    return &manager->snapshot;
}

static void read_numbers(lua_State *L, firn_saves_desc *desc)
{
    desc->version = count_option(L, "version");
    desc->max_slots = count_option(L, "maxSlots");
    desc->autosave_ring = count_option(L, "autosaveRing");
    if (push_option(L, "compression")) {
        desc->compression = (int)fr_lua_integer(L, -1, "open", "compression", -1, INT16_MAX);
        lua_pop(L, 1);
    }
    if (push_option(L, "autosaveSeconds")) {
        desc->autosave_seconds = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    desc->background = flag_option(L, "background");
    desc->second_save = (firn_second_save)count_option(L, "secondSave");
    desc->editor = flag_option(L, "editor");
    desc->keep_unknown = flag_option(L, "keepUnknown");
    desc->skip_unknown = flag_option(L, "skipUnknown");
}

// saves_open(world, Lua world, options) -> manager
static int saves_open(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    luaL_checktype(L, OPTIONS, LUA_TTABLE);
    luaL_checkstack(L, 60, "open");
    fr_lua_saves *manager = fr_lua_saves_push(L);
    int result = lua_gettop(L);
    lua_getfenv(L, result);
    int values = lua_gettop(L);
    lua_pushvalue(L, 2);
    lua_setfield(L, values, "world");
    manager->world = lua;
    firn_levels levels = {.user = manager};
    firn_storage storage;
    firn_limits limits;
    firn_saves_desc desc = {.game = text_option(L, "game"), .engine = text_option(L, "engine")};
    desc.kind = (firn_saves_kind)count_option(L, "kind");
    read_numbers(L, &desc);
    levels.current = keep_option(L, values, "current") ? current_for_lua : NULL;
    levels.enter = keep_option(L, values, "enter") ? enter_for_lua : NULL;
    desc.levels = &levels;
    desc.migrations = push_migrations(L, manager, &desc.migration_count);
    desc.snapshot = keep_snapshot(L, values, manager);
    if (push_option(L, "limits")) {
        fr_lua_limits(L, lua_gettop(L), "open", &limits);
        desc.limits = &limits;
    }
    if (push_option(L, "storage")) {
        fr_lua_storage_take(L, lua_gettop(L), manager, &storage);
        desc.storage = &storage;
    }
    desc.now = keep_option(L, values, "now") ? now_for_lua : NULL;
    desc.now_user = manager;
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "open", &call);
    manager->saves = firn_saves_open(lua->fast.world, &desc, &err);
    fr_lua_saves_end(&call, manager->saves == NULL ? err.code : FIRN_OK, &err);
    lua_pushvalue(L, result);
    return 1;
}

const luaL_Reg fr_lua_saves_open_functions[] = {
    {"saves_add_hook", saves_add_hook},
    {"saves_open", saves_open},
    {"saves_remove_hook", saves_remove_hook},
    {NULL, NULL},
};
