// saves_scene.c: levels that the game goes to, and scenes that it tells of.
#include "lua/entity.h"
#include "lua/saves.h"

// The numbers of the list at a stack index, in a userdata that is left on the stack: entities and
// local ids are both uint64_t. What is none becomes 0, which firn refuses.
static uint64_t *push_ids(lua_State *L, int list, uint32_t *count)
{
    luaL_checktype(L, list, LUA_TTABLE);
    *count = (uint32_t)lua_objlen(L, list);
    uint64_t *ids = lua_newuserdata(L, (*count + 1) * sizeof *ids);
    for (uint32_t i = 0; i < *count; i++) {
        lua_rawgeti(L, list, (int)i + 1);
        ids[i] = fr_lua_entity_of(lua_tonumber(L, -1));
        lua_pop(L, 1);
    }
    return ids;
}

// saves_scene(manager, name, {local, ...}, {entity, ...}), of the same length
static int saves_scene(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "scene");
    const char *name = fr_lua_text(L, 2, "scene", "name");
    uint32_t count;
    const uint64_t *locals = push_ids(L, 3, &count);
    const firn_entity *entities = push_ids(L, 4, &count);
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "scene", &call);
    fr_lua_saves_end(&call, firn_saves_scene(manager->saves, name, entities, locals, count, &err),
                     &err);
    return 0;
}

// saves_scene_name(manager) -> name, or nil
static int saves_scene_name(lua_State *L)
{
    const fr_lua_saves *manager = fr_lua_saves_check(L, "sceneName");
    lua_pushstring(L, firn_saves_scene_name(manager->saves));
    return 1;
}

// An id, or nil for 0.
static int push_id(lua_State *L, uint64_t id)
{
    if (id == 0) {
        lua_pushnil(L);
    } else {
        lua_pushnumber(L, (lua_Number)id);
    }
    return 1;
}

// saves_scene_entity(manager, local) -> entity, or nil
static int saves_scene_entity(lua_State *L)
{
    const fr_lua_saves *manager = fr_lua_saves_check(L, "sceneEntity");
    uint64_t local = fr_lua_entity_of(luaL_checknumber(L, 2));
    return push_id(L, firn_saves_scene_entity(manager->saves, local));
}

// saves_scene_local(manager, entity) -> local, or nil
static int saves_scene_local(lua_State *L)
{
    const fr_lua_saves *manager = fr_lua_saves_check(L, "sceneLocal");
    firn_entity entity = fr_lua_entity_of(luaL_checknumber(L, 2));
    return push_id(L, firn_saves_scene_local(manager->saves, entity));
}

// saves_leave(manager)
static int saves_leave(lua_State *L)
{
    fr_lua_saves *manager = fr_lua_saves_check(L, "leave");
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, "leave", &call);
    fr_lua_saves_end(&call, firn_saves_leave(manager->saves, &err), &err);
    return 0;
}

// saves_enter(manager, level, request): now, or at the end of the tick
static int saves_enter(lua_State *L)
{
    bool request = lua_toboolean(L, 3);
    const char *doing = request ? "requestEnter" : "enter";
    fr_lua_saves *manager = fr_lua_saves_check(L, doing);
    const char *level = fr_lua_text(L, 2, doing, "level");
    firn_error err;
    fr_lua_saves_call call;
    fr_lua_saves_begin(L, manager, doing, &call);
    firn_result result = request ? firn_saves_request_enter(manager->saves, level, &err)
                                 : firn_saves_enter(manager->saves, level, &err);
    fr_lua_saves_end(&call, result, &err);
    return 0;
}

const luaL_Reg fr_lua_saves_scene_functions[] = {
    {"saves_enter", saves_enter},
    {"saves_leave", saves_leave},
    {"saves_scene", saves_scene},
    {"saves_scene_entity", saves_scene_entity},
    {"saves_scene_local", saves_scene_local},
    {"saves_scene_name", saves_scene_name},
    {NULL, NULL},
};
