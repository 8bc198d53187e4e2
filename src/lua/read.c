// read.c: bytes and trees to Lua values.
#include "lua/value.h"

#include "value/stream.h"

#include <stdio.h>

void fr_lua_push_cdata(lua_State *L, const uint8_t *bytes)
{
    lua_getfield(L, LUA_REGISTRYINDEX, FR_LUA_DECODE);
    lua_pushlstring(L, (const char *)bytes, *bytes == FR_TAG_COMPLEX ? 17 : 9);
    lua_call(L, 1, 1);
}

static void push_word(lua_State *L, uint8_t tag, uint64_t word)
{
    uint8_t bytes[9] = {tag};
    fr_store_u64(bytes + 1, word);
    fr_lua_push_cdata(L, bytes);
}

static void push_complex(lua_State *L, double re, double im)
{
    uint8_t bytes[17] = {FR_TAG_COMPLEX};
    fr_store_f64(bytes + 1, re);
    fr_store_f64(bytes + 9, im);
    fr_lua_push_cdata(L, bytes);
}

// ---------------------------------------------------------------- bytes

static void read_lua_item(lua_State *L, firn_reader *in, uint64_t owed);

static void read_lua_complex(lua_State *L, firn_reader *in)
{
    double re;
    double im;
    firn_read_complex(in, &re, &im);
    push_complex(L, re, im);
}

static void read_lua_string(lua_State *L, firn_reader *in)
{
    size_t size;
    const char *text = firn_read_string(in, &size);
    lua_pushlstring(L, text != NULL ? text : "", size);
}

// The key on top of the stack has a value in the table already.
static bool is_there(lua_State *L, int table)
{
    lua_pushvalue(L, -1);
    lua_rawget(L, table);
    bool there = !lua_isnil(L, -1);
    lua_pop(L, 1);
    return there;
}

static void refuse_second_key(lua_State *L, firn_reader *in, const uint8_t *at)
{
    firn_value key = {.kind = FIRN_VALUE_NUMBER, .as.number = lua_tonumber(L, -2)};
    if (lua_type(L, -2) == LUA_TBOOLEAN) {
        key = (firn_value){.kind = FIRN_VALUE_BOOL, .as.boolean = lua_toboolean(L, -2)};
    } else if (lua_type(L, -2) == LUA_TSTRING) {
        size_t size;
        key.kind = FIRN_VALUE_STRING;
        key.as.string = lua_tolstring(L, -2, &size);
        key.length = (uint32_t)size;
    }
    char text[96];
    char message[128];
    snprintf(message, sizeof message, "the key %s is there twice",
             fr_key_text(text, sizeof text, &key));
    fr_reader_corrupt(in, at, message);
}

static bool short_keys_ascend(const uint8_t *last, const uint8_t *key)
{
    return *last > FR_TAG_STRING && *last<FR_COUNT_TWO && * key> FR_TAG_STRING &&
           *key < FR_COUNT_TWO && fr_encoded_key_compare(last, key) < 0;
}

// Names that ascend are never there twice; others are looked up.
static void read_lua_pairs(lua_State *L, firn_reader *in, int table, uint32_t count, uint64_t owed)
{
    const uint8_t *last = NULL;
    bool ascending = true;
    for (uint32_t left = count; left > 0; left--) {
        const uint8_t *key = in->at;
        read_lua_item(L, in, 0);
        if (firn_reader_failed(in)) {
            return;
        }
        ascending = ascending &&
                    (last != NULL ? short_keys_ascend(last, key) : lua_type(L, -1) == LUA_TSTRING);
        last = key;
        bool twice = !ascending && is_there(L, table);
        read_lua_item(L, in, owed + 2 * (uint64_t)(left - 1));
        if (!firn_reader_failed(in) && twice && !lua_isnil(L, -1)) {
            refuse_second_key(L, in, key);
        }
        if (firn_reader_failed(in)) {
            return;
        }
        if (lua_isnil(L, -1)) {
            lua_pop(L, 2);
        } else {
            lua_rawset(L, table);
        }
    }
}

// `owed` items are still to come in the tables around this one, each of them a byte at least. Only
// a table whose own items fit the bytes besides is made at its size.
static void read_lua_table(lua_State *L, firn_reader *in, uint64_t owed)
{
    firn_table_head head = firn_read_table(in);
    uint64_t items = head.array_count + 2 * (uint64_t)head.map_count;
    bool fits = items + owed <= (uint64_t)(in->end - in->at);
    lua_createtable(L, fits ? (int)(head.array_count) : 0, fits ? (int)head.map_count : 0);
    if (firn_reader_failed(in)) {
        return;
    }
    luaL_checkstack(L, 8, "a table to decode is too deep");
    int table = lua_gettop(L);
    uint64_t after = owed + items;
    for (uint32_t i = 0; i < head.array_count; i++) {
        after -= 1;
        read_lua_item(L, in, after);
        if (firn_reader_failed(in)) {
            return;
        }
        if (lua_isnil(L, -1)) {
            lua_pop(L, 1);
        } else {
            lua_rawseti(L, table, (int)(head.array_first + i));
        }
    }
    read_lua_pairs(L, in, table, head.map_count, owed);
}

// Pushes an item; after a failure there may be more on the stack.
static void read_lua_item(lua_State *L, firn_reader *in, uint64_t owed)
{
    switch (firn_read_kind(in)) {
    case FIRN_VALUE_NUMBER:
        lua_pushnumber(L, firn_read_number(in));
        break;
    case FIRN_VALUE_STRING:
        read_lua_string(L, in);
        break;
    case FIRN_VALUE_TABLE:
        read_lua_table(L, in, owed);
        break;
    case FIRN_VALUE_BOOL:
        lua_pushboolean(L, firn_read_bool(in));
        break;
    case FIRN_VALUE_INT64:
        push_word(L, FR_TAG_INT64, (uint64_t)firn_read_int64(in));
        break;
    case FIRN_VALUE_UINT64:
        push_word(L, FR_TAG_UINT64, firn_read_uint64(in));
        break;
    case FIRN_VALUE_COMPLEX:
        read_lua_complex(L, in);
        break;
    case FIRN_VALUE_NIL:
        firn_read_nil(in); // or what no value begins with
        lua_pushnil(L);
        break;
    }
}

void fr_lua_read(lua_State *L, firn_reader *in)
{
    int top = lua_gettop(L);
    luaL_checkstack(L, 8, "a value to decode");
    read_lua_item(L, in, 0);
    if (firn_reader_failed(in)) {
        lua_settop(L, top);
        lua_pushnil(L);
    }
}

// ---------------------------------------------------------------- trees

static void push_table(lua_State *L, const firn_value *value)
{
    luaL_checkstack(L, 8, "a tree is too deep");
    lua_createtable(L, (int)firn_table_array_count(value), (int)firn_table_map_count(value));
    uint32_t cursor = 0;
    firn_value key;
    const firn_value *item;
    while ((item = firn_table_next(value, &cursor, &key)) != NULL) {
        fr_lua_push_value(L, &key);
        fr_lua_push_value(L, item);
        lua_rawset(L, -3);
    }
}

void fr_lua_push_value(lua_State *L, const firn_value *value)
{
    luaL_checkstack(L, 4, "a tree");
    switch (value != NULL ? value->kind : FIRN_VALUE_NIL) {
    case FIRN_VALUE_NIL:
        lua_pushnil(L);
        break;
    case FIRN_VALUE_BOOL:
        lua_pushboolean(L, value->as.boolean);
        break;
    case FIRN_VALUE_NUMBER:
        lua_pushnumber(L, value->as.number);
        break;
    case FIRN_VALUE_INT64:
        push_word(L, FR_TAG_INT64, (uint64_t)value->as.int64);
        break;
    case FIRN_VALUE_UINT64:
        push_word(L, FR_TAG_UINT64, value->as.uint64);
        break;
    case FIRN_VALUE_COMPLEX:
        push_complex(L, value->as.complex[0], value->as.complex[1]);
        break;
    case FIRN_VALUE_STRING:
        lua_pushlstring(L, value->as.string, value->length);
        break;
    case FIRN_VALUE_TABLE:
        push_table(L, value);
        break;
    }
}
