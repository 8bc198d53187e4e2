// load.c: loads, merges and checks for Lua.
#include "lua/function.h"
#include "lua/snapshot.h"
#include "lua/value.h"

#include <string.h>

#define REPORT_TYPE "firn.MergeReport"

// ---------------------------------------------------------------- reports

static int free_report(lua_State *L)
{
    firn_merge_report_free(lua_touserdata(L, 1));
    return 0;
}

// Pushes a report that is freed with its userdata. A load uses the half that is its own.
static firn_merge_report *push_report(lua_State *L)
{
    return fr_lua_push_object(L, sizeof(firn_merge_report), REPORT_TYPE, free_report);
}

static const char *notice_name(firn_notice_kind kind)
{
    static const char *const names[] = {
        [FIRN_NOTICE_UNKNOWN] = "unknown",     [FIRN_NOTICE_TRANSIENT] = "transient",
        [FIRN_NOTICE_FIELD] = "field",         [FIRN_NOTICE_REMOVED] = "removed",
        [FIRN_NOTICE_RENAMED] = "renamed",     [FIRN_NOTICE_TARGET] = "target",
        [FIRN_NOTICE_DISCARDED] = "discarded", [FIRN_NOTICE_KEPT] = "kept",
    };
    return names[kind];
}

static void set_number(lua_State *L, const char *name, double number)
{
    lua_pushnumber(L, number);
    lua_setfield(L, -2, name);
}

void fr_lua_push_load_report(lua_State *L, const firn_load_report *report)
{
    lua_createtable(L, 0, 8);
    lua_pushboolean(L, report->committed);
    lua_setfield(L, -2, "committed");
    set_number(L, "unknown", report->unknown);
    set_number(L, "kept", report->kept);
    set_number(L, "keptData", report->kept_data);
    set_number(L, "changedValues", (double)report->changed_values);
    set_number(L, "discarded", report->discarded);
    lua_createtable(L, (int)report->notice_count, 0);
    for (uint32_t i = 0; i < report->notice_count; i++) {
        const firn_notice *notice = &report->notices[i];
        lua_createtable(L, 0, 4);
        lua_pushstring(L, notice_name(notice->kind));
        lua_setfield(L, -2, "kind");
        lua_pushstring(L, notice->component);
        lua_setfield(L, -2, "component");
        lua_pushstring(L, notice->field);
        lua_setfield(L, -2, "field");
        set_number(L, "count", (double)notice->count);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfield(L, -2, "notices");
}

// ---------------------------------------------------------------- loads

static bool option_flag(lua_State *L, int options, const char *name)
{
    lua_getfield(L, options, name);
    bool flag = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return flag;
}

// What a load and its callback for data have in common.
typedef struct load_call {
    firn_load_options options;
    firn_limits limits;
    fr_lua_function *outer; ///< listeners of a load around this one
} load_call;

// Reads {skipUnknown, keepUnknown, limits, onData} at `index`.
static void read_load_options(lua_State *L, int index, fr_lua *lua, load_call *load)
{
    memset(load, 0, sizeof *load);
    luaL_checktype(L, index, LUA_TTABLE);
    load->options.skip_unknown = option_flag(L, index, "skipUnknown");
    load->options.keep_unknown = option_flag(L, index, "keepUnknown");
    lua_getfield(L, index, "limits");
    if (!lua_isnil(L, -1)) {
        fr_lua_limits(L, lua_gettop(L), "loadSnapshot", &load->limits);
        load->options.limits = &load->limits;
    }
    lua_pop(L, 1);
    fr_lua_function *listener = NULL;
    lua_getfield(L, index, "onData");
    if (!lua_isnil(L, -1)) {
        listener = fr_lua_function_keep(L, lua, lua_gettop(L), "");
        load->options.on_data = fr_lua_hear_data;
        load->options.user = listener;
    }
    lua_pop(L, 1);
    load->outer = lua->listeners;
    lua->listeners = listener;
}

// The end of a load: prelude and report, or the error, which says whether the world is the new one.
static int finish_load(const fr_lua_call *call, const load_call *load, firn_result result,
                       const firn_load_report *report, const firn_error *err)
{
    lua_State *L = call->L;
    fr_lua *lua = call->lua;
    fr_lua_leave(call);
    while (lua->listeners != NULL) {
        fr_lua_function *listener = lua->listeners;
        lua->listeners = listener->next;
        fr_lua_function_drop(L, listener);
    }
    lua->listeners = load->outer;
    bool failed = result == FIRN_OK && fr_lua_push_late(call);
    if (result != FIRN_OK && lua->fast.world != NULL) {
        fr_lua_push_error(L, lua, "loadSnapshot", err);
        failed = true;
    }
    if (failed) {
        lua_pushboolean(L, report->committed);
        lua_setfield(L, -2, "committed");
        return lua_error(L);
    }
    fr_lua_conclude(call, result, err);
    fr_lua_push_prelude(L, &report->prelude);
    fr_lua_push_load_report(L, report);
    return 2;
}

// The bytes at `index`: a string, or nil: what a pointer and a size two places behind lend, copied
// when Lua may run.
static const void *read_image(lua_State *L, int index, const fr_lua *lua, size_t *size)
{
    if (!lua_isnil(L, index)) {
        return luaL_checklstring(L, index, size);
    }
    const void *lent = fr_lua_pointer(L, index + 2);
    *size = (size_t)luaL_checknumber(L, index + 3);
    if (lua->callbacks == 0) {
        return lent;
    }
    firn_error err;
    firn_buffer *copy = fr_lua_push_buffer(L);
    if (firn_buffer_append(copy, lent, *size, &err) != FIRN_OK) {
        fr_lua_raise(L, NULL, "loadSnapshot", &err);
    }
    return copy->data;
}

// load(userdata, bytes or nil, options, pointer, size) -> prelude, report
static int world_load(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    load_call load;
    size_t size;
    const void *image = read_image(L, 2, lua, &size);
    firn_load_report *report = &push_report(L)->load;
    read_load_options(L, 3, lua, &load);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "loadSnapshot");
    firn_result result =
        firn_snapshot_load(lua->fast.world, image, size, &load.options, report, &err);
    return finish_load(&call, &load, result, report, &err);
}

// The table at `index` as a tree, in a document on the stack.
static const firn_value *push_tree(lua_State *L, int index, const char *doing)
{
    firn_doc *doc = fr_lua_push_doc(L, doing);
    firn_error err;
    const firn_value *table = fr_lua_to_value(L, index, doc, &err);
    if (table == NULL) {
        fr_lua_raise(L, NULL, doing, &err);
    }
    return table;
}

// load_table(userdata, table, options) -> prelude, report
static int world_load_table(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    luaL_checktype(L, 2, LUA_TTABLE);
    load_call load;
    const firn_value *table = push_tree(L, 2, "loadSnapshot");
    firn_load_report *report = &push_report(L)->load;
    read_load_options(L, 3, lua, &load);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "loadSnapshot");
    firn_result result =
        firn_snapshot_load_table(lua->fast.world, table, &load.options, report, &err);
    return finish_load(&call, &load, result, report, &err);
}

void fr_lua_push_moved(lua_State *L, const firn_merged *map, uint32_t count)
{
    lua_createtable(L, 0, (int)count);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushnumber(L, (lua_Number)map[i].saved);
        lua_pushnumber(L, (lua_Number)map[i].entity);
        lua_rawset(L, -3);
    }
}

// merge(userdata, bytes or nil or table, options, pointer, size) -> {[saved id] = id}, report
static int world_merge(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    luaL_checktype(L, 3, LUA_TTABLE);
    firn_limits limits;
    firn_merge_options options = {.skip_unknown = option_flag(L, 3, "skipUnknown"),
                                  .keep_unknown = option_flag(L, 3, "keepUnknown")};
    lua_getfield(L, 3, "limits");
    if (!lua_isnil(L, -1)) {
        fr_lua_limits(L, lua_gettop(L), "mergeSnapshot", &limits);
        options.limits = &limits;
    }
    bool is_table = lua_istable(L, 2);
    size_t size = 0;
    const firn_value *table = is_table ? push_tree(L, 2, "mergeSnapshot") : NULL;
    const void *image = is_table ? NULL : read_image(L, 2, lua, &size);
    firn_merge_report *report = push_report(L);
    firn_world *world = lua->fast.world;
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "mergeSnapshot");
    firn_result result = is_table ? firn_snapshot_merge_table(world, table, &options, report, &err)
                                  : firn_snapshot_merge(world, image, size, &options, report, &err);
    fr_lua_end(&call, result, &err);
    fr_lua_push_moved(L, report->map, report->count);
    fr_lua_push_load_report(L, &report->load);
    set_number(L, "dangling", (double)report->dangling);
    return 2;
}

// image_check(bytes, limits) -> prelude
static int image_check(lua_State *L)
{
    size_t size;
    const char *bytes = luaL_checklstring(L, 1, &size);
    firn_limits limits;
    fr_lua_limits(L, 2, "checkSnapshot", &limits);
    firn_image_options options = {.limits = &limits};
    firn_prelude prelude;
    firn_error err;
    if (firn_image_check(bytes, size, &options, &prelude, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, "checkSnapshot", &err);
    }
    fr_lua_push_prelude(L, &prelude);
    return 1;
}

const luaL_Reg fr_lua_load_functions[] = {
    {"load", world_load},   {"load_table", world_load_table},
    {"merge", world_merge}, {"image_check", image_check},
    {NULL, NULL},
};
