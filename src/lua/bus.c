// bus.c: buses of events, whose observers are Lua's.
#include "lua/bus.h"

#include "base/alloc.h"
#include "base/error.h"
#include "firn/bus.h"
#include "lua/function.h"

#include <stdalign.h>

#define BUS_TYPE "firn.Bus"

// A bus, which its Lua object and the worlds on it share: the last of them ends it, in whatever
// order they go.
typedef struct fr_lua_bus {
    firn_bus *bus;
    uint32_t users;
    fr_lua *worlds; // by fr_lua.bus_next
} fr_lua_bus;

// The userdata: its environment keeps the observers, and each world on the bus keeps the userdata.
typedef struct bus_object {
    fr_lua own; // first: what observers belong to
    fr_lua_bus *shared;
} bus_object;

// ---------------------------------------------------------------- lifetimes

static void drop_bus(fr_lua_bus *shared)
{
    if (shared != NULL && --shared->users == 0) {
        (void)firn_bus_destroy(shared->bus, NULL);
        fr_free(firn_allocator_default(), shared, 1, sizeof *shared, alignof(fr_lua_bus));
    }
}

static int collect_bus(lua_State *L)
{
    bus_object *object = luaL_checkudata(L, 1, BUS_TYPE);
    drop_bus(object->shared);
    object->shared = NULL;
    return 0;
}

struct fr_lua_bus *fr_lua_bus_at(lua_State *L, int index, const char *doing)
{
    const bus_object *object = luaL_checkudata(L, index, BUS_TYPE);
    if (object->shared == NULL) {
        fr_lua_misuse(L, doing, "the bus has ended");
    }
    return object->shared;
}

firn_bus *fr_lua_bus_of(const struct fr_lua_bus *bus)
{
    return bus->bus;
}

void fr_lua_bus_join(struct fr_lua_bus *bus, fr_lua *lua)
{
    bus->users++;
    lua->callbacks++; // whatever its observers listen to
    lua->bus = bus;
    lua->bus_next = bus->worlds;
    bus->worlds = lua;
}

void fr_lua_bus_leave(fr_lua *lua)
{
    fr_lua_bus *bus = lua->bus;
    if (bus == NULL) {
        return;
    }
    fr_lua **place = &bus->worlds;
    while (*place != lua) {
        place = &(*place)->bus_next;
    }
    *place = lua->bus_next;
    lua->bus = NULL;
    drop_bus(bus);
}

// bus_create() -> userdata
static int bus_create(lua_State *L)
{
    firn_error err;
    bus_object *object = fr_lua_push_owner(L, sizeof *object, BUS_TYPE, collect_bus);
    fr_lua_bus *shared =
        fr_alloc_zero(firn_allocator_default(), 1, sizeof *shared, alignof(fr_lua_bus));
    if (shared == NULL) {
        fr_fail_memory(&err, "a bus");
        return fr_lua_raise(L, NULL, "newBus", &err);
    }
    shared->users = 1;
    object->shared = shared;
    shared->bus = firn_bus_create(NULL, &err);
    return shared->bus != NULL ? 1 : fr_lua_raise(L, NULL, "newBus", &err);
}

// ---------------------------------------------------------------- observers

static firn_result observe_on_bus(void *user, firn_world *world, const firn_event *event,
                                  firn_error *err)
{
    const fr_lua_function *observer = user;
    const bus_object *object = (const bus_object *)(const void *)observer->lua;
    fr_lua *lua = object->shared->worlds;
    while (lua != NULL && lua->fast.world != world) {
        lua = lua->bus_next;
    }
    return lua == NULL ? FIRN_OK : fr_lua_observe_event(lua, observer, event, err);
}

// bus_observe(bus, event, function) -> observer, what bus_unobserve takes. function(Lua world,
// address, ...), as of observe.
static int bus_observe(lua_State *L)
{
    const fr_lua_bus *shared = fr_lua_bus_at(L, 1, "observe");
    bus_object *object = lua_touserdata(L, 1);
    const char *name = fr_lua_text(L, 2, "observe", "event");
    luaL_checktype(L, 3, LUA_TFUNCTION);
    fr_lua_function *observer = fr_lua_function_keep(L, &object->own, 3, "");
    firn_error err;
    firn_bus_observer handle = firn_bus_observe(shared->bus, name, observe_on_bus, observer, &err);
    if (handle == 0) {
        fr_lua_function_drop(L, observer);
        return fr_lua_raise(L, NULL, "observe", &err);
    }
    lua_pushnumber(L, (lua_Number)handle);
    lua_pushlightuserdata(L, observer);
    return 2;
}

// bus_unobserve(bus, observer, what bus_observe gave). Its function stays while the bus lives when
// it may be running.
static int bus_unobserve(lua_State *L)
{
    const fr_lua_bus *shared = fr_lua_bus_at(L, 1, "unobserve");
    firn_bus_observer handle = (firn_bus_observer)luaL_checknumber(L, 2);
    firn_error err;
    if (firn_bus_unobserve(shared->bus, handle, &err) != FIRN_OK) {
        return fr_lua_raise(L, NULL, "unobserve", &err);
    }
    bool runs = false;
    for (const fr_lua *lua = shared->worlds; lua != NULL; lua = lua->bus_next) {
        runs = runs || lua->observed != NULL;
    }
    if (!runs && lua_islightuserdata(L, 3)) {
        fr_lua_function_drop(L, lua_touserdata(L, 3));
    }
    return 0;
}

// ---------------------------------------------------------------- worlds

// world_object(world, Lua world): what observers of a bus are told.
static int world_object(lua_State *L)
{
    fr_lua_push_values(L, fr_lua_check(L));
    lua_pushvalue(L, 2);
    lua_setfield(L, -2, "object");
    return 0;
}

// world_attach(world, attach): to its bus, or from it
static int world_attach(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    bool attach = lua_toboolean(L, 2);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, attach ? "attach" : "detach");
    fr_lua_end(&call,
               attach ? firn_world_attach(lua->fast.world, &err)
                      : firn_world_detach(lua->fast.world, &err),
               &err);
    return 0;
}

// world_attached(world)
static int world_attached(lua_State *L)
{
    lua_pushboolean(L, firn_world_attached(fr_lua_check(L)->fast.world));
    return 1;
}

// world_bind(world, Lua world that takes its place)
static int world_bind(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const fr_lua *replacement = fr_lua_world_at(L, 2);
    if (replacement == NULL) {
        return fr_lua_misuse(L, "bind", "a world is wanted, and one that lives");
    }
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "bind");
    fr_lua_end(&call, firn_world_bind(lua->fast.world, replacement->fast.world, &err), &err);
    return 0;
}

const luaL_Reg fr_lua_bus_functions[] = {
    {"bus_create", bus_create},         {"bus_observe", bus_observe},
    {"bus_unobserve", bus_unobserve},   {"world_attach", world_attach},
    {"world_attached", world_attached}, {"world_bind", world_bind},
    {"world_object", world_object},     {NULL, NULL},
};
