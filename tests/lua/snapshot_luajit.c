// Snapshots of firn, read by a LuaJIT that knows only the format: reader.lua.
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <stdio.h>
#include <string.h>

#include "golden/firn_worlds.h"
#include "support/support.h"

// The table of reader.lua is at index 1, that of snapshot_expect.lua at index 2.
static lua_State *lua;

/// Saves the world of an image and hands the bytes to a function of snapshot_expect.lua, whose
/// `results` are then on top of the stack.
static void ask(const char *function, const golden_image *image, int results)
{
    firn_error err = {0};
    firn_buffer saved;
    firn_buffer_init(&saved, NULL);
    firn_world *world = golden_image_world(image, &err);
    assert_ok(world != NULL ? golden_image_save(image, world, &saved, &err) : err.code, &err);
    lua_getfield(lua, 2, function);
    lua_pushvalue(lua, 1);
    lua_pushstring(lua, image->name);
    lua_pushlstring(lua, (const char *)saved.data, saved.size);
    firn_buffer_free(&saved);
    firn_world_destroy(world);
    if (lua_pcall(lua, 3, results, 0) != 0)
        fail_msg("%s: %s", image->name, lua_tostring(lua, -1));
}

static void T22_luajit_reads_every_world_that_firn_writes_to_the_same_values(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_image_count; i++) {
        ask("check", &golden_images[i], 1);
        if (!lua_isnil(lua, -1))
            fail_msg("%s: %s", golden_images[i].name, lua_tostring(lua, -1));
        lua_settop(lua, 2);
    }
}

static void the_comparison_notices_every_changed_expectation(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < golden_image_count; i++) {
        ask("unnoticed", &golden_images[i], 2);
        if (lua_tointeger(lua, -2) != 0 || lua_tointeger(lua, -1) == 0)
            fail_msg("%s: %d of %d changes were not noticed", golden_images[i].name,
                     (int)lua_tointeger(lua, -2), (int)lua_tointeger(lua, -1));
        lua_settop(lua, 2);
    }
}

static bool open_lua(void)
{
    lua = luaL_newstate();
    if (lua == NULL)
        return false;
    luaL_openlibs(lua);
    if (luaL_dofile(lua, FIRN_TEST_LUA "/reader.lua") == 0 &&
        luaL_dofile(lua, FIRN_TEST_LUA "/snapshot_expect.lua") == 0)
        return true;
    printf("SKIP snapshot_luajit: %s\n", lua_tostring(lua, -1));
    lua_close(lua);
    return false;
}

int main(void)
{
    if (!open_lua())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T22_luajit_reads_every_world_that_firn_writes_to_the_same_values),
        cmocka_unit_test(the_comparison_notices_every_changed_expectation),
    };
    int failed = cmocka_run_group_tests_name("snapshot_luajit", tests, NULL, NULL);
    lua_close(lua);
    return failed;
}
