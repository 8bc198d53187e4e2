// diff.c: comparisons of images, and of a slot with the game. firn/diff.lua makes worlds images.
#include "firn/diff.h"

#include "lua/saves.h"
#include "lua/snapshot.h"
#include "lua/value.h"

// Pushes options[name], a list of texts, as an array that the stack keeps; NULL when it is nil.
static const char *const *push_names(lua_State *L, int options, const char *name, uint32_t *count)
{
    *count = 0;
    lua_getfield(L, options, name);
    if (lua_isnil(L, -1)) {
        return NULL;
    }
    size_t length = lua_objlen(L, -1);
    const char **names = lua_newuserdata(L, (length + 1) * sizeof *names);
    for (; *count < length; ++*count) {
        lua_rawgeti(L, -2, (int)*count + 1);
        names[*count] = lua_tostring(L, -1); // the list has it as long
        lua_pop(L, 1);
    }
    return names;
}

// Documents of differences hold what images may hold.
static firn_doc *push_wide_doc(lua_State *L, const char *doing)
{
    const firn_limits wide = {.tree_values = UINT64_MAX, .string_bytes = UINT32_MAX};
    return fr_lua_push_limited_doc(L, &wide, doing);
}

// diff(left, right, options, text) -> tree or lines: of two strings of bytes
static int diff_images(lua_State *L)
{
    firn_diff_side sides[2] = {{.world = NULL}, {.world = NULL}};
    for (int i = 0; i < 2; i++) {
        sides[i].bytes = luaL_checklstring(L, i + 1, &sides[i].size);
    }
    luaL_checktype(L, 3, LUA_TTABLE);
    bool text = lua_toboolean(L, 4);
    lua_settop(L, 3);
    lua_getfield(L, 3, "limits");
    firn_limits limits;
    fr_lua_limits(L, 4, "diff", &limits);
    firn_diff_options options = {.limits = &limits};
    options.components = push_names(L, 3, "components", &options.component_count);
    options.exclude = push_names(L, 3, "exclude", &options.exclude_count);
    options.tolerance = fr_lua_number_in(L, 3, "tolerance");
    options.limit = (uint64_t)fr_lua_number_in(L, 3, "limit");
    options.entities_only = fr_lua_boolean_in(L, 3, "entitiesOnly");
    firn_buffer *lines = fr_lua_push_buffer(L);
    int kept = lua_gettop(L);
    firn_doc *doc = push_wide_doc(L, "diff");
    const firn_value *tree = NULL;
    firn_error err = {.code = FIRN_OK};
    if (text) {
        firn_diff_text(&sides[0], &sides[1], &options, lines, NULL, &err);
    } else {
        tree = firn_diff_value(&sides[0], &sides[1], &options, doc, NULL, &err);
    }
    if (err.code != FIRN_OK) {
        return fr_lua_raise(L, NULL, "diff", &err);
    }
    if (text) {
        lua_pushlstring(L, lines->size > 0 ? (const char *)lines->data : "", lines->size);
    } else {
        fr_lua_push_value(L, tree);
    }
    fr_lua_keep_buffer(L, kept);
    return 1;
}

// saves_inspect(manager, slot, options, text) -> tree or lines
static int saves_inspect(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "inspect");
    const char *slot = luaL_checkstring(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    bool text = lua_toboolean(L, 4);
    const firn_inspect_options options = {.all = fr_lua_boolean_in(L, 3, "all"),
                                          .tolerance = fr_lua_number_in(L, 3, "tolerance")};
    firn_buffer *lines = fr_lua_push_buffer(L);
    int kept = lua_gettop(L);
    firn_doc *doc = push_wide_doc(L, "inspect");
    const firn_value *tree = NULL;
    firn_error err = {.code = FIRN_OK};
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "inspect", &call);
    if (text) {
        firn_saves_inspect_text(manager->saves, slot, &options, lines, NULL, &err);
    } else {
        tree = firn_saves_inspect(manager->saves, slot, &options, doc, NULL, &err);
    }
    fr_lua_saves_end(&call, err.code, &err);
    if (text) {
        lua_pushlstring(L, lines->size > 0 ? (const char *)lines->data : "", lines->size);
    } else {
        fr_lua_push_value(L, tree);
    }
    fr_lua_keep_buffer(L, kept);
    return 1;
}

const luaL_Reg fr_lua_diff_functions[] = {
    {"diff", diff_images},
    {"saves_inspect", saves_inspect},
    {NULL, NULL},
};
