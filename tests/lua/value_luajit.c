// Random values in both directions between firn and the string.buffer of a real LuaJIT.
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <stdio.h>
#include <string.h>

#include "unit/value_trees.h"

enum { VALUES = 20000 };

static lua_State *lua;
static firn_doc *doc;
static firn_buffer out;

/// Pushes a function of value_luajit.lua, which is the table at index 1.
static void push_function(const char *name)
{
    lua_getfield(lua, 1, name);
}

static void call(int arguments)
{
    if (lua_pcall(lua, arguments, 1, 0) != 0)
        fail_msg("Lua: %s", lua_tostring(lua, -1));
}

static void push_word(const char *maker, double high, uint64_t low)
{
    push_function(maker);
    lua_pushnumber(lua, high);
    lua_pushnumber(lua, (double)low);
    call(2);
}

static void push_tree(const firn_value *value);

static void push_table(const firn_value *value)
{
    uint32_t cursor = 0;
    firn_value key;
    const firn_value *item;
    luaL_checkstack(lua, 10, "a deep tree");
    lua_newtable(lua);
    while ((item = firn_table_next(value, &cursor, &key)) != NULL) {
        push_tree(&key);
        push_tree(item);
        lua_rawset(lua, -3);
    }
}

/// The tree as a Lua value, made through Lua's own API.
static void push_tree(const firn_value *value)
{
    uint64_t word = value->as.uint64;
    switch (value->kind) {
    case FIRN_VALUE_NIL:
        lua_pushnil(lua);
        break;
    case FIRN_VALUE_BOOL:
        lua_pushboolean(lua, value->as.boolean);
        break;
    case FIRN_VALUE_NUMBER:
        lua_pushnumber(lua, value->as.number);
        break;
    case FIRN_VALUE_INT64:
        push_word("int64", (double)(int32_t)(uint32_t)(word >> 32), word & UINT32_MAX);
        break;
    case FIRN_VALUE_UINT64:
        push_word("uint64", (double)(word >> 32), word & UINT32_MAX);
        break;
    case FIRN_VALUE_COMPLEX:
        push_function("complex");
        lua_pushnumber(lua, value->as.complex[0]);
        lua_pushnumber(lua, value->as.complex[1]);
        call(2);
        break;
    case FIRN_VALUE_STRING:
        lua_pushlstring(lua, value->as.string, value->length);
        break;
    case FIRN_VALUE_TABLE:
        push_table(value);
        break;
    }
}

/// The value on top of the stack, encoded by LuaJIT, as a tree; the bytes stay on the stack.
static const firn_value *decode_top(void)
{
    firn_error err;
    size_t size;
    push_function("encode");
    lua_pushvalue(lua, -2);
    call(1);
    const char *bytes = lua_tolstring(lua, -1, &size);
    const firn_value *value = firn_value_decode(doc, bytes, size, &err);
    assert_ok(value != NULL ? FIRN_OK : err.code, &err);
    return value;
}

/// Encodes the tree and pushes what LuaJIT makes of the bytes.
static void push_decoded(const firn_value *value)
{
    firn_buffer_clear(&out);
    test_encode(value, &out);
    push_function("decode");
    lua_pushlstring(lua, (const char *)out.data, out.size);
    call(1);
}

/// The values at these two places of the stack are the same.
static bool same(int a, int b)
{
    push_function("same");
    lua_pushvalue(lua, a);
    lua_pushvalue(lua, b);
    call(2);
    return lua_toboolean(lua, -1);
}

static void values_of_firn_mean_the_same_to_luajit(void **state)
{
    (void)state;
    test_random random = {2024};
    for (int i = 0; i < VALUES; i++) {
        firn_doc_clear(doc);
        const firn_value *value = test_random_value(&random, doc, 4);
        push_decoded(value);
        push_tree(value);
        if (!same(2, 3))
            fail_msg("value %d is another one in LuaJIT", i);
        lua_settop(lua, 2);
        assert_true(firn_value_equal(decode_top(), value));
        lua_settop(lua, 1);
    }
}

static void values_of_luajit_mean_the_same_to_firn(void **state)
{
    (void)state;
    for (int i = 0; i < VALUES; i++) {
        firn_doc_clear(doc);
        push_function("generate");
        lua_pushinteger(lua, i);
        call(1);
        const firn_value *value = decode_top();
        push_tree(value);
        if (!same(2, 4))
            fail_msg("value %d is another one in firn", i);
        lua_settop(lua, 2);
        push_decoded(value);
        if (!same(2, 3))
            fail_msg("value %d does not come back", i);
        lua_settop(lua, 1);
    }
}

static bool open_lua(void)
{
    lua = luaL_newstate();
    if (lua == NULL)
        return false;
    luaL_openlibs(lua);
    if (luaL_dofile(lua, FIRN_TEST_LUA "/value_luajit.lua") == 0)
        return true;
    printf("SKIP value_luajit: %s\n", lua_tostring(lua, -1));
    lua_close(lua);
    return false;
}

int main(void)
{
    if (!open_lua())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_firn_mean_the_same_to_luajit),
        cmocka_unit_test(values_of_luajit_mean_the_same_to_firn),
    };
    doc = firn_doc_create(NULL, NULL, NULL);
    int failed = cmocka_run_group_tests_name("value_luajit", tests, NULL, NULL);
    firn_doc_destroy(doc);
    firn_buffer_free(&out);
    lua_close(lua);
    return failed;
}
