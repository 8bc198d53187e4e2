// saves_slot.c: slots, menus and variables.
#include "lua/saves.h"
#include "lua/snapshot.h"
#include "lua/value.h"

#include "saves/saves.h"

// ---------------------------------------------------------------- lists

static int free_slot_list(lua_State *L)
{
    firn_slot_list_free(lua_touserdata(L, 1));
    return 0;
}

static void set_flag(lua_State *L, const char *name, bool flag)
{
    lua_pushboolean(L, flag);
    lua_setfield(L, -2, name);
}

static void push_slot(lua_State *L, const firn_slot *slot)
{
    if (slot->header != NULL) {
        fr_lua_push_header(L, slot->header);
    } else {
        lua_createtable(L, 0, 8);
    }
    lua_pushstring(L, slot->name);
    lua_setfield(L, -2, "name");
    lua_pushnumber(L, (lua_Number)slot->size);
    lua_setfield(L, -2, "size");
    set_flag(L, "newer", slot->newer);
    set_flag(L, "otherGame", slot->other_game);
    set_flag(L, "hasThumbnail", slot->has_thumbnail);
    set_flag(L, "fromBackup", slot->from_backup);
    if (slot->error.code != FIRN_OK) {
        fr_lua_push_error(L, NULL, "list", &slot->error);
        lua_setfield(L, -2, "error");
    }
}

// saves_list(manager) -> {{name, ...}, ...}
static int saves_list(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "list");
    firn_slot_list *list = fr_lua_push_object(L, sizeof *list, "firn.SlotList", free_slot_list);
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "list", &call);
    fr_lua_saves_end(&call, firn_saves_list(manager->saves, list, &err), &err);
    lua_createtable(L, (int)list->count, 0);
    for (uint32_t i = 0; i < list->count; i++) {
        push_slot(L, &list->slots[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

// saves_has(manager, slot)
static int saves_has(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "has");
    const char *slot = luaL_checkstring(L, 2);
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "has", &call);
    bool has = firn_saves_has(manager->saves, slot);
    fr_lua_saves_end(&call, FIRN_OK, NULL);
    lua_pushboolean(L, has);
    return 1;
}

// saves_newest(manager) -> slot or nil
static int saves_newest(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "newest");
    char slot[FIRN_SLOT_NAME_SIZE];
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "newest", &call);
    firn_result result = firn_saves_newest(manager->saves, slot, &err);
    bool none = result == FIRN_NOT_FOUND;
    fr_lua_saves_end(&call, none ? FIRN_OK : result, &err);
    lua_pushstring(L, none ? NULL : slot);
    return 1;
}

// saves_thumbnail(manager, slot) -> bytes or nil
static int saves_thumbnail(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "thumbnail");
    const char *slot = luaL_checkstring(L, 2);
    firn_buffer *out = fr_lua_push_buffer(L);
    int kept = lua_gettop(L);
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "thumbnail", &call);
    firn_result result = firn_saves_thumbnail(manager->saves, slot, out, &err);
    bool none = result == FIRN_NOT_FOUND;
    fr_lua_saves_end(&call, none ? FIRN_OK : result, &err);
    if (none) {
        lua_pushnil(L);
    } else {
        lua_pushlstring(L, (const char *)out->data, out->size);
    }
    fr_lua_keep_buffer(L, kept);
    return 1;
}

// saves_copy(manager, from, to, replace, rename)
static int saves_copy(lua_State *L)
{
    bool rename = lua_toboolean(L, 5);
    const char *doing = rename ? "rename" : "copy";
    fr_lua_saves *manager = fr_lua_saves_check(L, doing);
    const char *from = luaL_checkstring(L, 2);
    const char *to = luaL_checkstring(L, 3);
    bool replace = lua_toboolean(L, 4);
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, doing, &call);
    firn_result result = rename ? firn_saves_rename(manager->saves, from, to, replace, &err)
                                : firn_saves_copy(manager->saves, from, to, replace, &err);
    fr_lua_saves_end(&call, result, &err);
    return 0;
}

// saves_remove(manager, slot)
static int saves_remove(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "remove");
    const char *slot = luaL_checkstring(L, 2);
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "remove", &call);
    fr_lua_saves_end(&call, firn_saves_remove(manager->saves, slot, &err), &err);
    return 0;
}

// ---------------------------------------------------------------- variables

// saves_set_variable(manager, name, value, doing): nil removes it
static int saves_set_variable(lua_State *L)
{
    const char *doing = luaL_checkstring(L, 4);
    fr_lua_saves *manager = fr_lua_saves_check(L, doing);
    const char *name = fr_lua_text(L, 2, doing, "name");
    firn_error err;
    const firn_value *value = NULL;
    if (!lua_isnil(L, 3)) {
        value = fr_lua_to_value(L, 3, fr_lua_push_doc(L, doing), &err);
        if (value == NULL) {
            return fr_lua_raise(L, NULL, doing, &err);
        }
    }
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, doing, &call);
    fr_lua_saves_end(&call, firn_saves_set_variable(manager->saves, name, value, &err), &err);
    return 0;
}

// Pushes a copy of a value of the manager's, which the buffer at stack index `copy` brings:
// finalizers that run meanwhile may set variables, load or close.
static void push_kept_value(lua_State *L, const fr_lua_saves *manager, const firn_value *value,
                            firn_buffer *buffer, int copy, const char *doing)
{
    const firn_limits limits = manager->saves->limits;
    firn_reader reader;
    firn_error err;
    if (value == NULL) {
        lua_pushnil(L);
        return;
    }
    if (firn_value_encode(value, &limits, buffer, &err) != FIRN_OK) {
        fr_lua_raise(L, NULL, doing, &err);
    }
    firn_reader_begin(&reader, buffer->data, buffer->size, &limits);
    fr_lua_read(L, &reader);
    if (firn_reader_end(&reader, &err) != FIRN_OK) {
        fr_lua_raise(L, NULL, doing, &err);
    }
    fr_lua_keep_buffer(L, copy);
}

// saves_variable(manager, name) -> value
static int saves_variable(lua_State *L)
{
    const char *name = fr_lua_text(L, 2, "variable", "name");
    firn_buffer *buffer = fr_lua_push_buffer(L);
    int copy = lua_gettop(L);
    const fr_lua_saves *manager = fr_lua_saves_check(L, "variable");
    const firn_value *value = firn_saves_variable(manager->saves, name);
    push_kept_value(L, manager, value, buffer, copy, "variable");
    return 1;
}

// saves_variables(manager) -> {[name] = value}
static int saves_variables(lua_State *L)
{
    firn_buffer *buffer = fr_lua_push_buffer(L);
    int copy = lua_gettop(L);
    const fr_lua_saves *manager = fr_lua_saves_check(L, "variables");
    const firn_value *value = firn_saves_variables(manager->saves);
    push_kept_value(L, manager, value, buffer, copy, "variables");
    return 1;
}

const luaL_Reg fr_lua_saves_slot_functions[] = {
    {"saves_copy", saves_copy},           {"saves_has", saves_has},
    {"saves_list", saves_list},           {"saves_newest", saves_newest},
    {"saves_remove", saves_remove},       {"saves_set_variable", saves_set_variable},
    {"saves_thumbnail", saves_thumbnail}, {"saves_variable", saves_variable},
    {"saves_variables", saves_variables}, {NULL, NULL},
};
