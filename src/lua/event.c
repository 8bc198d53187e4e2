// event.c: Lua observers, emitted payloads, and queues.
#include "lua/function.h"

#include "base/error.h"
#include "base/utf8.h"
#include "lua/value.h"
#include "store/world.h"

#define ID_MOST 0x1p53

// ---------------------------------------------------------------- kinds

// event_register(world, name) -> kind
static int event_register(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *name = fr_lua_text(L, 2, "newEvent", "name");
    firn_error err = {.code = FIRN_OK};
    fr_lua_call call = fr_lua_begin(L, lua, "newEvent");
    firn_event_kind kind = firn_event_register(lua->fast.world, name, &err);
    fr_lua_end(&call, kind == 0 ? err.code : FIRN_OK, &err);
    lua_pushnumber(L, (lua_Number)kind);
    return 1;
}

// event_find(world, name, doing) -> kind
static int event_find(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    const char *doing = luaL_checkstring(L, 3);
    const char *name = fr_lua_text(L, 2, doing, "event");
    firn_event_kind kind = firn_event_find(lua->fast.world, name);
    if (kind == 0) {
        firn_error err;
        fr_fail(&err, FIRN_NOT_FOUND, name, "no kind of event is called %s", name);
        fr_lua_raise(L, NULL, doing, &err);
    }
    lua_pushnumber(L, (lua_Number)kind);
    return 1;
}

// event_check(world or nil, name): raises when the world, or one of the usual limits, cannot have a
// kind of that name.
static int event_check(lua_State *L)
{
    const firn_world *world = lua_isnil(L, 1) ? NULL : fr_lua_check(L)->fast.world;
    const char *name = fr_lua_text(L, 2, "newEvent", "name");
    firn_limits limits;
    firn_limits_default(&limits);
    firn_error err;
    firn_result result =
        world != NULL ? fr_event_check_kind(world, name, &err)
                      : fr_check_text_name(name, limits.name_bytes, "event name", NULL, &err);
    return result == FIRN_OK ? 0 : fr_lua_raise(L, NULL, "newEvent", &err);
}

// ---------------------------------------------------------------- observers

// An event while a Lua observer sees it.
typedef struct observed {
    const firn_event *event;
    const fr_lua_function *observer;
    const fr_lua *lua; // of the world
    uint64_t serial;   // what the observer asks more of the event by
    const struct observed *outer;
} observed;

// A payload that Lua emits: observers get the value itself, which is values.emitted[depth].
typedef struct emitted {
    const void *bytes;
    int depth;
    const struct emitted *outer;
} emitted;

// Pushes payload and bytes of an event.
static void push_payload(lua_State *L, const fr_lua *lua, const firn_event *event)
{
    const emitted *from = lua->emitted;
    while (from != NULL && from->bytes != event->payload) {
        from = from->outer;
    }
    if (from != NULL && event->payload != NULL) {
        lua_getfield(L, 2, "emitted");
        lua_rawgeti(L, -1, from->depth);
        lua_replace(L, -2);
        lua_pushnil(L);
    } else {
        lua_pushnil(L);
        if (event->size > 0) {
            lua_pushlstring(L, event->payload, event->size);
        } else {
            lua_pushnil(L);
        }
    }
}

static void push_handle(lua_State *L, uint64_t handle)
{
    if (handle == 0) {
        lua_pushnil(L);
    } else {
        lua_pushnumber(L, (lua_Number)handle);
    }
}

// observer(address, count, entity, component, target, payload, bytes, serial), in a body of
// fr_lua_protect; one that is not the world's gets the world first. The entity is nil unless there
// is one; a missing component or target is nil.
static int call_observer_body(lua_State *L)
{
    const observed *seen = lua_touserdata(L, 1);
    const firn_event *event = seen->event;
    const fr_lua *lua = seen->lua;
    int before = lua_gettop(L);
    fr_lua_function_push(L, seen->observer);
    if (seen->observer->lua != lua) {
        lua_getfield(L, 2, "object");
    }
    lua_pushnumber(L, (lua_Number)event->address);
    lua_pushnumber(L, event->count);
    push_handle(L, event->count == 1 ? event->entities[0] : 0);
    push_handle(L, event->component);
    push_handle(L, event->target);
    push_payload(L, lua, event);
    lua_pushnumber(L, (lua_Number)seen->serial);
    lua_call(L, lua_gettop(L) - before - 1, 0);
    return 0;
}

firn_result fr_lua_observe_event(fr_lua *lua, const fr_lua_function *observer,
                                 const firn_event *event, firn_error *err)
{
    static const char *const whats[] = {
#define OBSERVER_OF(name, text) "an observer of " text,
        FR_EVENTS(OBSERVER_OF)
#undef OBSERVER_OF
    };
    firn_saving *outer_saving = lua->saving;
    firn_loading *outer_loading = lua->loading;
    observed seen = {event, observer, lua, ++lua->observations, lua->observed};
    lua->observed = &seen;
    uint64_t kind = event->kind - lua->fast.world->events.kind_base;
    if (kind == FR_EVENT_SAVE) {
        lua->saving = (firn_saving *)(uintptr_t)event->payload;
    } else if (kind == FR_EVENT_LOAD_START) {
        lua->loading = (firn_loading *)(uintptr_t)event->payload;
    } else if (kind == FR_EVENT_LOAD_FINISH) {
        lua->prelude = event->payload;
    }
    firn_result result = FIRN_OK;
    if (kind <= FR_EVENT_SET) {
        fr_lua_protect_late(lua, call_observer_body, &seen, whats[kind]);
    } else {
        firn_error why;
        result = fr_lua_protect(lua, call_observer_body, &seen, &why);
        if (result != FIRN_OK) {
            fr_fail(err, result, event->name, "an observer of %s: %s", event->name, why.message);
        }
    }
    lua->observed = seen.outer;
    lua->saving = outer_saving;
    lua->loading = outer_loading;
    lua->prelude = NULL;
    return result;
}

// The observer may end while it runs.
static firn_result observe_for_lua(void *user, firn_world *world, const firn_event *event,
                                   firn_error *err)
{
    (void)world;
    const fr_lua_function *observer = user;
    return fr_lua_observe_event(observer->lua, observer, event, err);
}

static void forget_observer(void *user)
{
    fr_lua_function *observer = user;
    observer->lua->callbacks--;
    fr_lua_function_forget(observer);
}

// observe(world, event, address, component or 0, function) -> observer
static int event_observe(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_observer_desc desc = {
        .event = fr_lua_text(L, 2, "observe", "event"),
        .address = (firn_entity)fr_lua_integer(L, 3, "observe", "address", 0, ID_MOST),
        .component = (firn_component)luaL_checknumber(L, 4),
        .observe = observe_for_lua,
    };
    luaL_checktype(L, 5, LUA_TFUNCTION);
    fr_lua_function *observer = fr_lua_function_keep(L, lua, 5, "");
    desc.user = observer;
    firn_error err = {.code = FIRN_OK};
    fr_lua_call call = fr_lua_begin(L, lua, "observe");
    firn_observer handle = fr_observe(lua->fast.world, &desc, forget_observer, &err);
    fr_lua_leave(&call);
    if (handle == 0) {
        fr_lua_function_drop(L, observer);
    } else {
        lua->callbacks++;
    }
    fr_lua_conclude(&call, handle == 0 ? err.code : FIRN_OK, &err);
    lua_pushnumber(L, (lua_Number)handle);
    return 1;
}

// unobserve(world, observer)
static int event_unobserve(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_observer handle = (firn_observer)luaL_checknumber(L, 2);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "unobserve");
    firn_result result = firn_unobserve(lua->fast.world, handle, &err);
    fr_lua_leave(&call);
    fr_lua_function_sweep(L, lua);
    fr_lua_conclude(&call, result, &err);
    return 0;
}

// Pushes an array of ids.
static void push_entities(lua_State *L, const firn_event *event)
{
    int count = event->count > INT32_MAX ? INT32_MAX : (int)event->count;
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        lua_pushnumber(L, (lua_Number)event->entities[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

const firn_event *fr_lua_observed(const fr_lua *lua)
{
    return lua->observed != NULL ? lua->observed->event : NULL;
}

// event_entities(world, serial) -> ids of an event that an observer sees, or nil
static int event_entities(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    double serial = luaL_checknumber(L, 2);
    for (const observed *seen = lua->observed; seen != NULL; seen = seen->outer) {
        if ((double)seen->serial == serial) {
            push_entities(L, seen->event);
            return 1;
        }
    }
    return 0;
}

// ---------------------------------------------------------------- emit

// Encodes the value at index 4. Leaves the buffer on the stack.
static firn_buffer *encode_payload(lua_State *L, const fr_lua *lua)
{
    firn_error err;
    firn_writer out;
    firn_buffer *buffer = fr_lua_push_buffer(L);
    firn_writer_begin(&out, buffer, firn_world_limits(lua->fast.world));
    fr_lua_write(L, 4, &out);
    if (firn_writer_end(&out, &err) != FIRN_OK) {
        firn_error why;
        fr_fail(&why, err.code, err.subject, "payload%s%s", err.subject[0] == 0 ? ": " : "",
                err.message);
        fr_lua_raise(L, NULL, "emit", &why);
    }
    return buffer;
}

// Makes values.emitted[depth] the value at index 4, or nil.
static void keep_emitted(lua_State *L, const fr_lua *lua, int depth, bool on)
{
    fr_lua_push_table(L, lua, "emitted");
    if (on) {
        lua_pushvalue(L, 4);
    } else {
        lua_pushnil(L);
    }
    lua_rawseti(L, -2, depth);
    lua_pop(L, 1);
}

static int emit_nothing(lua_State *L, fr_lua *lua, firn_event_kind kind, firn_entity address)
{
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "emit");
    fr_lua_end(&call, firn_emit(lua->fast.world, kind, address, NULL, 0, &err), &err);
    return 0;
}

// emit(world, kind, address, payload)
static int event_emit(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_event_kind kind = (firn_event_kind)luaL_checknumber(L, 2);
    firn_entity address = (firn_entity)fr_lua_integer(L, 3, "emit", "address", 0, ID_MOST);
    lua_settop(L, 4);
    if (lua_isnil(L, 4)) {
        return emit_nothing(L, lua, kind, address);
    }
    const firn_buffer *buffer = encode_payload(L, lua);
    emitted own = {
        .bytes = buffer->data,
        .depth = lua->emitted == NULL ? 1 : lua->emitted->depth + 1,
        .outer = lua->emitted,
    };
    keep_emitted(L, lua, own.depth, true);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "emit");
    lua->emitted = &own;
    firn_result result =
        firn_emit(lua->fast.world, kind, address, buffer->data, buffer->size, &err);
    lua->emitted = own.outer;
    fr_lua_leave(&call);
    keep_emitted(L, lua, own.depth, false);
    fr_lua_keep_buffer(L, 5);
    fr_lua_conclude(&call, result, &err);
    return 0;
}

// ---------------------------------------------------------------- queues

#define KINDS_OF_A_QUEUE 64

// queue_open(world, {kind, ...}) -> queue
static int queue_open(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_event_kind kinds[KINDS_OF_A_QUEUE];
    luaL_checktype(L, 2, LUA_TTABLE);
    size_t count = lua_objlen(L, 2);
    if (count > KINDS_OF_A_QUEUE) {
        fr_lua_misuse(L, "newQueue", "%d kinds of event are above %d", (int)count,
                      KINDS_OF_A_QUEUE);
    }
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 2, (int)i + 1);
        kinds[i] = (firn_event_kind)luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    firn_error err = {.code = FIRN_OK};
    fr_lua_call call = fr_lua_begin(L, lua, "newQueue");
    firn_queue queue = firn_queue_open(lua->fast.world, kinds, (uint32_t)count, &err);
    fr_lua_end(&call, queue == 0 ? err.code : FIRN_OK, &err);
    lua_pushnumber(L, (lua_Number)queue);
    return 1;
}

// Pushes the value that the payload of an event encodes, or nil, and its bytes.
static void push_pulled_payload(lua_State *L, const firn_world *world, const firn_event *event)
{
    if (event->size == 0) {
        lua_pushnil(L);
        lua_pushnil(L);
        return;
    }
    firn_reader in;
    firn_reader_begin(&in, event->payload, event->size, firn_world_limits(world));
    fr_lua_read(L, &in);
    // The game's C code may have emitted anything.
    if (firn_reader_end(&in, NULL) != FIRN_OK) {
        lua_pop(L, 1);
        lua_pushnil(L);
    }
    lua_pushlstring(L, event->payload, event->size);
}

// queue_next(world, queue) -> nothing, or name, address, count, entity or ids, component, target,
// payload, bytes
static int queue_next(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    firn_event event;
    if (!firn_queue_next(lua->fast.world, (firn_queue)luaL_checknumber(L, 2), &event)) {
        return 0;
    }
    lua_pushstring(L, event.name);
    lua_pushnumber(L, (lua_Number)event.address);
    lua_pushnumber(L, event.count);
    if (event.count > 1) {
        push_entities(L, &event);
    } else {
        push_handle(L, event.count == 1 ? event.entities[0] : 0);
    }
    push_handle(L, event.component);
    push_handle(L, event.target);
    push_pulled_payload(L, lua->fast.world, &event);
    return 8;
}

// queue_close(world, queue)
static int queue_close(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_queue queue = (firn_queue)luaL_checknumber(L, 2);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "close");
    fr_lua_end(&call, firn_queue_close(lua->fast.world, queue, &err), &err);
    return 0;
}

const luaL_Reg fr_lua_event_functions[] = {
    {"emit", event_emit},
    {"event_check", event_check},
    {"event_entities", event_entities},
    {"event_find", event_find},
    {"event_register", event_register},
    {"observe", event_observe},
    {"queue_close", queue_close},
    {"queue_next", queue_next},
    {"queue_open", queue_open},
    {"unobserve", event_unobserve},
    {NULL, NULL},
};
