// component.c: registering components that firn/component.lua describes.
#include "base/error.h"
#include "lua/entity.h"
#include "lua/function.h"
#include "store/world.h"

#include <string.h>

// ---------------------------------------------------------------- reading a description

// The table has been made by component.lua: what stands in it is of the right type, or missing. A
// string stays in the table; NULL when it is missing.
static const char *text_in(lua_State *L, int table, const char *key)
{
    lua_getfield(L, table, key);
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text;
}

// The list under `key` ended by NULL, in a userdata that is left on the stack; NULL and nil when it
// is missing.
static const char *const *texts_in(lua_State *L, int table, const char *key)
{
    lua_getfield(L, table, key);
    if (lua_isnil(L, -1)) {
        return NULL;
    }
    int list = lua_gettop(L);
    size_t count = lua_objlen(L, list);
    const char **texts = lua_newuserdata(L, (count + 1) * sizeof *texts);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (int)i + 1);
        texts[i] = lua_tostring(L, -1);
        lua_pop(L, 1);
    }
    texts[count] = NULL;
    return texts;
}

// The fields under `key`, in userdata that are left on the stack.
static const firn_field *fields_in(lua_State *L, int table, uint32_t *field_count)
{
    luaL_checkstack(L, 8, "too many nested structs");
    lua_getfield(L, table, "fields");
    *field_count = 0;
    if (lua_isnil(L, -1)) {
        return NULL;
    }
    int list = lua_gettop(L);
    uint32_t count = (uint32_t)lua_objlen(L, list);
    firn_field *fields = lua_newuserdata(L, (count + 1) * sizeof *fields);
    memset(fields, 0, (count + 1) * sizeof *fields);
    for (uint32_t i = 0; i < count; i++) {
        lua_rawgeti(L, list, (int)i + 1);
        int entry = lua_gettop(L);
        fields[i].name = text_in(L, entry, "name");
        fields[i].type = (firn_type)fr_lua_number_in(L, entry, "type");
        fields[i].offset = (size_t)fr_lua_number_in(L, entry, "offset");
        fields[i].count = (uint32_t)fr_lua_number_in(L, entry, "count");
        fields[i].size = (size_t)fr_lua_number_in(L, entry, "size");
        fields[i].former_names = texts_in(L, entry, "formerNames");
        fields[i].fields = fields_in(L, entry, &fields[i].field_count);
        lua_remove(L, entry);
        luaL_checkstack(L, 8, "too many fields");
    }
    *field_count = count;
    return fields;
}

static const firn_component *required_in(lua_State *L, int table, uint32_t *count)
{
    lua_getfield(L, table, "required");
    *count = (uint32_t)lua_objlen(L, -1);
    int list = lua_gettop(L);
    firn_component *required = lua_newuserdata(L, (*count + 1) * sizeof *required);
    for (uint32_t i = 0; i < *count; i++) {
        lua_rawgeti(L, list, (int)i + 1);
        required[i] = (firn_component)lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    return required;
}

// ---------------------------------------------------------------- core functions

// A description, and the functions of Lua that it calls; NULL: none.
typedef struct described {
    firn_component_desc desc;
    firn_value text; ///< the default of a FIRN_STRING
    firn_codec codec;
    fr_lua_function *init;
} described;

// Reads the arguments of register below; what they become points into `to` and is on the stack.
static void read_description(lua_State *L, fr_lua *lua, described *to)
{
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 3);
    memset(to, 0, sizeof *to);
    firn_component_desc desc = {
        .name = text_in(L, 2, "name"),
        .kind = (firn_component_kind)fr_lua_number_in(L, 2, "kind"),
        .size = (size_t)fr_lua_number_in(L, 2, "size"),
        .align = (size_t)fr_lua_number_in(L, 2, "align"),
        .transient = fr_lua_boolean_in(L, 2, "transient"),
        .unique = fr_lua_boolean_in(L, 2, "unique"),
        .relation = (uint32_t)fr_lua_number_in(L, 2, "relation"),
    };
    desc.required = required_in(L, 2, &desc.required_count);
    desc.former_names = texts_in(L, 2, "formerNames");
    desc.fields = fields_in(L, 2, &desc.field_count);
    lua_getfield(L, 2, "default");
    size_t size;
    const char *bytes = lua_tolstring(L, -1, &size);
    to->text = (firn_value){.kind = FIRN_VALUE_STRING, .length = (uint32_t)size};
    to->text.as.string = bytes;
    if (desc.kind == FIRN_STRING) {
        desc.default_value = bytes == NULL ? NULL : &to->text;
    } else {
        desc.default_row = bytes;
    }
    fr_lua_codec_of(L, lua, 3, &desc, &to->codec);
    lua_getfield(L, 2, "initRows");
    if (!lua_isnil(L, -1)) {
        lua_pushfstring(L, "init of %s", desc.name);
        to->init = fr_lua_function_keep(L, lua, lua_gettop(L) - 1, lua_tostring(L, -1));
        desc.hooks.init = fr_lua_init_rows;
        desc.hooks.user = to->init;
    }
    to->desc = desc;
}

// Of a description that nothing was made of.
static void drop_functions(lua_State *L, const described *from)
{
    if (from->init != NULL) {
        fr_lua_function_drop(L, from->init);
    }
    if (from->desc.codec != NULL) {
        fr_lua_function_drop(L, from->codec.user);
    }
}

// register(userdata, desc, codec or nil) -> handle. desc is what component.lua made: doing, name,
// kind and relation (numbers), size, align, fields, default (the bytes of a row, or the string of a
// FIRN_STRING), required (handles), formerNames, transient, unique; and initRows(pointer, count),
// which is called for rows that are made by default.
static int component_register(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    described read;
    read_description(L, lua, &read);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, text_in(L, 2, "doing"));
    firn_component component = firn_component_register(lua->fast.world, &read.desc, &err);
    fr_lua_leave(&call);
    if (component == 0) {
        drop_functions(L, &read);
    } else {
        lua->callbacks += read.desc.codec != NULL;
        lua->fast.inits = lua->fast.inits || read.init != NULL;
    }
    fr_lua_conclude(&call, component != 0 ? FIRN_OK : err.code, &err);
    lua_pushnumber(L, (lua_Number)component);
    return 1;
}

// check(userdata, desc, codec or nil) -> adopts: raises what register would, and changes nothing.
// adopts: the component would get rows that are kept, which may still be none of it.
static int component_check(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    described read;
    read_description(L, lua, &read);
    bool adopts;
    firn_error err;
    firn_result result = fr_world_check_component(lua->fast.world, &read.desc, &adopts, &err);
    drop_functions(L, &read);
    if (result != FIRN_OK) {
        return fr_lua_raise(L, NULL, text_in(L, 2, "doing"), &err);
    }
    lua_pushboolean(L, adopts);
    return 1;
}

// find(userdata, name) -> handle, or 0
static int component_find(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    firn_component component = firn_component_find(lua->fast.world, luaL_checkstring(L, 2));
    lua_pushnumber(L, (lua_Number)component);
    return 1;
}

// builtins(userdata) -> the handles of Name, EntityKey, Disabled, Paused, ChildOf
static int component_builtins(lua_State *L)
{
    const firn_world *world = fr_lua_check(L)->fast.world;
    lua_pushnumber(L, (lua_Number)firn_name(world));
    lua_pushnumber(L, (lua_Number)firn_key(world));
    lua_pushnumber(L, (lua_Number)firn_disabled(world));
    lua_pushnumber(L, (lua_Number)firn_paused(world));
    lua_pushnumber(L, (lua_Number)firn_child_of(world));
    return 5;
}

const luaL_Reg fr_lua_component_functions[] = {
    {"builtins", component_builtins},
    {"check", component_check},
    {"find", component_find},
    {"register", component_register},
    {NULL, NULL},
};
