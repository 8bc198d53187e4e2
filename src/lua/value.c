// value.c: firn.encode and firn.decode, and what else the files that deal with values share.
#include "lua/value.h"

#include "lua/state.h"
#include "value/doc.h"

#include <stddef.h>
#include <string.h>

#define BUFFER_TYPE "firn.Buffer"
#define BUFFER_KEPT "firn.buffer" // in the registry: the newest buffer, or nil
// A buffer that has grown larger is not kept.
#define KEPT_BYTES_MAX ((size_t)1 << 24)

// ---------------------------------------------------------------- buffers

// A buffer that one function uses at a time: a finalizer may need another one meanwhile.
struct shared_buffer {
    firn_buffer buffer;
    bool in_use; // also after a Lua error in that function; the next one then makes another
};

static int collect_buffer(lua_State *L)
{
    struct shared_buffer *shared = luaL_checkudata(L, 1, BUFFER_TYPE);
    firn_buffer_free(&shared->buffer);
    return 0;
}

firn_buffer *fr_lua_push_buffer(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, BUFFER_KEPT);
    struct shared_buffer *shared = lua_touserdata(L, -1);
    if (shared == NULL || shared->in_use) {
        lua_pop(L, 1);
        shared = lua_newuserdata(L, sizeof *shared);
        memset(shared, 0, sizeof *shared);
        luaL_getmetatable(L, BUFFER_TYPE);
        lua_setmetatable(L, -2);
        lua_pushvalue(L, -1);
        lua_setfield(L, LUA_REGISTRYINDEX, BUFFER_KEPT);
    }
    shared->in_use = true;
    firn_buffer_clear(&shared->buffer);
    return &shared->buffer;
}

void fr_lua_keep_buffer(lua_State *L, int index)
{
    struct shared_buffer *shared = lua_touserdata(L, index);
    if (shared->buffer.capacity > KEPT_BYTES_MAX) {
        firn_buffer_free(&shared->buffer);
    }
    shared->in_use = false;
}

void fr_lua_release_buffer(lua_State *L, int index)
{
    luaL_checkudata(L, index, BUFFER_TYPE);
    fr_lua_keep_buffer(L, index);
}

void fr_lua_open_values(lua_State *L)
{
    luaL_newmetatable(L, BUFFER_TYPE);
    lua_pushcfunction(L, collect_buffer);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "string.buffer");
    if (lua_pcall(L, 1, 1, 0) != 0) {
        luaL_error(L, "firn needs a LuaJIT that has string.buffer");
    }
    lua_getfield(L, -1, "encode");
    lua_setfield(L, LUA_REGISTRYINDEX, FR_LUA_ENCODE);
    lua_getfield(L, -1, "decode");
    lua_setfield(L, LUA_REGISTRYINDEX, FR_LUA_DECODE);
    lua_pop(L, 1);
}

// ---------------------------------------------------------------- limits

struct limit {
    const char *name;
    size_t offset;
    bool wide; // uint64_t, not uint32_t
};

static const struct limit limit_fields[] = {
    {"fileBytes", offsetof(firn_limits, file_bytes), true},
    {"treeValues", offsetof(firn_limits, tree_values), true},
    {"stringBytes", offsetof(firn_limits, string_bytes), true},
    {"depth", offsetof(firn_limits, depth), false},
    {"nameBytes", offsetof(firn_limits, name_bytes), false},
    {"entities", offsetof(firn_limits, entities), false},
    {"components", offsetof(firn_limits, components), false},
    {"tableEntries", offsetof(firn_limits, table_entries), false},
    {"archetypes", offsetof(firn_limits, archetypes), false},
    {"columns", offsetof(firn_limits, columns), false},
    {"dataKeys", offsetof(firn_limits, data_keys), false},
    {"handlers", offsetof(firn_limits, handlers), false},
    {"streams", offsetof(firn_limits, streams), false},
    {"windowLog", offsetof(firn_limits, window_log), false},
    {"expandRatio", offsetof(firn_limits, expand_ratio), false},
    {"expandedBytes", offsetof(firn_limits, expanded_bytes), true},
};

static const struct limit *find_limit(const char *name)
{
    for (size_t i = 0; i < sizeof limit_fields / sizeof *limit_fields; i++) {
        if (strcmp(limit_fields[i].name, name) == 0) {
            return &limit_fields[i];
        }
    }
    return NULL;
}

// The limit with its name at index -2 and its value on top of the stack.
static void take_limit(lua_State *L, const char *doing, firn_limits *limits)
{
    if (lua_type(L, -2) != LUA_TSTRING) {
        fr_lua_misuse(L, doing, "the name of a limit is a %s", luaL_typename(L, -2));
    }
    const char *name = lua_tostring(L, -2);
    const struct limit *limit = find_limit(name);
    if (limit == NULL) {
        fr_lua_misuse(L, doing, "unknown limit '%s'", name);
        return;
    }
    double value = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
    double most = limit->wide ? 0x1p53 : UINT32_MAX;
    if (!(value >= 1 && value <= most) || value != (double)(uint64_t)value) {
        lua_pushvalue(L, -1);
        const char *text = lua_tostring(L, -1);
        fr_lua_misuse(L, doing, "the limit '%s' is %s, not a whole number from 1 on", name,
                      text != NULL ? text : luaL_typename(L, -2));
    }
    uint8_t *field = (uint8_t *)limits + limit->offset;
    uint64_t wide = (uint64_t)value;
    uint32_t narrow = (uint32_t)wide;
    memcpy(field, limit->wide ? (void *)&wide : (void *)&narrow,
           limit->wide ? sizeof wide : sizeof narrow);
}

void fr_lua_limits(lua_State *L, int index, const char *doing, firn_limits *limits)
{
    memset(limits, 0, sizeof *limits);
    if (lua_isnoneornil(L, index)) {
        return;
    }
    if (lua_type(L, index) == LUA_TSTRING && strcmp(lua_tostring(L, index), "untrusted") == 0) {
        firn_limits_untrusted(limits);
        return;
    }
    if (!lua_istable(L, index)) {
        fr_lua_misuse(L, doing, "limits is a %s, not a table", luaL_typename(L, index));
    }
    luaL_checkstack(L, 4, doing);
    lua_pushvalue(L, index);
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        take_limit(L, doing, limits);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

// ---------------------------------------------------------------- trees

const firn_value *fr_lua_to_value(lua_State *L, int index, firn_doc *doc, firn_error *err)
{
    int top = lua_gettop(L);
    lua_pushvalue(L, index);
    firn_buffer *buffer = fr_lua_push_buffer(L);
    firn_writer writer;
    firn_writer_begin(&writer, buffer, &doc->limits);
    fr_lua_write(L, top + 1, &writer);
    const firn_value *value = NULL;
    if (firn_writer_end(&writer, err) == FIRN_OK) {
        value = firn_value_decode(doc, buffer->data, buffer->size, err);
    }
    fr_lua_keep_buffer(L, top + 2);
    lua_settop(L, top);
    return value;
}

// ---------------------------------------------------------------- encode and decode

// encode(value, limits or nil) -> string
static int value_encode(lua_State *L)
{
    firn_limits limits;
    firn_writer writer;
    firn_error err;
    if (lua_isnone(L, 1)) {
        return fr_lua_misuse(L, "encode", "there is no value");
    }
    fr_lua_limits(L, 2, "encode", &limits);
    lua_settop(L, 1);
    firn_buffer *buffer = fr_lua_push_buffer(L);
    firn_writer_begin(&writer, buffer, &limits);
    fr_lua_write(L, 1, &writer);
    if (firn_writer_end(&writer, &err) != FIRN_OK) {
        fr_lua_keep_buffer(L, 2);
        return fr_lua_raise(L, NULL, "encode", &err);
    }
    lua_pushlstring(L, (const char *)buffer->data, buffer->size);
    fr_lua_keep_buffer(L, 2);
    return 1;
}

// Lets string.buffer decode the string at index 1, which is faster than the C API; false: read it
// here, and find out what is wrong. It never sees bytes that have not been checked.
static bool decode_by_buffer(lua_State *L, const char *bytes, size_t size,
                             const firn_limits *limits)
{
    if (firn_value_check(bytes, size, limits, NULL, NULL) != FIRN_OK) {
        return false;
    }
    lua_getfield(L, LUA_REGISTRYINDEX, FR_LUA_DECODE);
    lua_pushvalue(L, 1);
    if (lua_pcall(L, 1, 1, 0) != 0) {
        lua_pop(L, 1);
        return false;
    }
    return true;
}

// decode(string, limits or nil) -> value
static int value_decode(lua_State *L)
{
    firn_limits limits;
    firn_reader reader;
    firn_error err;
    size_t size;
    if (lua_type(L, 1) != LUA_TSTRING) {
        return fr_lua_misuse(L, "decode", "bytes is %s, not a string or a string.buffer",
                             fr_lua_what(L, 1));
    }
    const char *bytes = lua_tolstring(L, 1, &size);
    fr_lua_limits(L, 2, "decode", &limits);
    if (decode_by_buffer(L, bytes, size, &limits)) {
        return 1;
    }
    firn_reader_begin(&reader, bytes, size, &limits);
    fr_lua_read(L, &reader);
    if (firn_reader_end(&reader, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, "decode", &err);
    }
    return 1;
}

const luaL_Reg fr_lua_value_functions[] = {
    {"decode", value_decode},
    {"encode", value_encode},
    {NULL, NULL},
};
