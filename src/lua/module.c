// module.c: the module firn.core.
#include "firn/lua.h"

#include "lua/bus.h"
#include "lua/saves.h"
#include "lua/snapshot.h"
#include "lua/state.h"
#include "lua/value.h"

#include <luajit.h>

static const luaL_Reg *const module_lists[] = {
    fr_lua_bus_functions,         fr_lua_class_functions,      fr_lua_component_functions,
    fr_lua_entity_functions,      fr_lua_error_functions,      fr_lua_event_functions,
    fr_lua_game_functions,        fr_lua_handler_functions,    fr_lua_json_functions,
    fr_lua_lifecycle_functions,   fr_lua_load_functions,       fr_lua_persist_functions,
    fr_lua_query_functions,       fr_lua_rows_functions,       fr_lua_save_functions,
    fr_lua_saves_functions,       fr_lua_saves_load_functions, fr_lua_saves_open_functions,
    fr_lua_saves_scene_functions, fr_lua_saves_slot_functions, fr_lua_saves_storage_functions,
    fr_lua_script_functions,      fr_lua_stack_functions,      fr_lua_value_functions,
    fr_lua_world_functions,       fr_lua_diff_functions,
};

int luaopen_firn_core(lua_State *L)
{
    lua_getglobal(L, "jit");
    if (!lua_istable(L, -1)) {
        return luaL_error(L, "firn needs LuaJIT 2.1");
    }
    lua_pop(L, 1);
    fr_lua_open_errors(L);
    fr_lua_open_values(L);
    lua_newtable(L);
    for (size_t i = 0; i < sizeof module_lists / sizeof *module_lists; i++) {
        for (const luaL_Reg *entry = module_lists[i]; entry->name != NULL; entry++) {
            lua_pushcfunction(L, entry->func);
            lua_setfield(L, -2, entry->name);
        }
    }
    lua_pushlightuserdata(L, (void *)(uintptr_t)&fr_lua_api);
    lua_setfield(L, -2, "api");
    lua_pushinteger(L, (lua_Integer)firn_version());
    lua_setfield(L, -2, "version");
    return 1;
}
