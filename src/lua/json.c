// json.c: values and save files as JSON and back.
#include "firn/json.h"

#include "lua/saves.h"
#include "lua/snapshot.h"
#include "lua/value.h"

// json_write(value) -> text
static int json_write(lua_State *L)
{
    if (lua_isnone(L, 1)) {
        return fr_lua_misuse(L, "toJson", "there is no value");
    }
    lua_settop(L, 1);
    firn_error err;
    const firn_value *value = fr_lua_to_value(L, 1, fr_lua_push_doc(L, "toJson"), &err);
    firn_buffer *out = fr_lua_push_buffer(L);
    if (value == NULL || firn_json_write(value, out, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, "toJson", &err);
    }
    lua_pushlstring(L, (const char *)out->data, out->size);
    fr_lua_keep_buffer(L, -2);
    return 1;
}

// json_read(text) -> value
static int json_read(lua_State *L)
{
    size_t size;
    const char *text = luaL_checklstring(L, 1, &size);
    firn_error err;
    const firn_value *value = firn_json_read(fr_lua_push_doc(L, "fromJson"), text, size, &err);
    if (value == NULL) {
        return fr_lua_raise(L, NULL, "fromJson", &err);
    }
    fr_lua_push_value(L, value);
    return 1;
}

static firn_result gather_json(void *user, const void *text, size_t size, firn_error *err)
{
    return firn_buffer_append(user, text, size, err);
}

// json_export_save(bytes) -> lines of JSON
static int json_export_save(lua_State *L)
{
    size_t size;
    const char *bytes = luaL_checklstring(L, 1, &size);
    firn_error err;
    firn_buffer *out = fr_lua_push_buffer(L);
    if (firn_json_export_save(bytes, size, NULL, gather_json, out, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, "toJson", &err);
    }
    lua_pushlstring(L, (const char *)out->data, out->size);
    fr_lua_keep_buffer(L, -2);
    return 1;
}

// json_import_save(text, compression) -> bytes
static int json_import_save(lua_State *L)
{
    size_t size;
    const char *text = luaL_checklstring(L, 1, &size);
    firn_json_options options = {.compression = (int)fr_lua_integer(
                                     L, 2, "fromJson", "option 'compression'", -1, INT16_MAX)};
    firn_error err;
    firn_buffer *out = fr_lua_push_buffer(L);
    if (firn_json_import_save(text, size, &options, out, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, "fromJson", &err);
    }
    lua_pushlstring(L, (const char *)out->data, out->size);
    fr_lua_keep_buffer(L, -2);
    return 1;
}

const luaL_Reg fr_lua_json_functions[] = {
    {"json_export_save", json_export_save},
    {"json_import_save", json_import_save},
    {"json_read", json_read},
    {"json_write", json_write},
    {NULL, NULL},
};
