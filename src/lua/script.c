// script.c: script state.
#include "firn/script.h"

#include "base/error.h"
#include "lua/entity.h"
#include "lua/function.h"
#include "lua/snapshot.h"
#include "lua/value.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = {"", "event", "timer", "wait", "machine", "cursor"};

// The text at a stack index, or NULL for nil.
static const char *optional_text(lua_State *L, int index, const char *doing, const char *argument)
{
    return lua_isnoneornil(L, index) ? NULL : fr_lua_text(L, index, doing, argument);
}

// The entity there; nil is 0, none.
static firn_entity optional_entity(lua_State *L, int index)
{
    return lua_isnoneornil(L, index) ? 0 : fr_lua_entity_of(luaL_checknumber(L, index));
}

static int give_number(lua_State *L, const fr_lua_call *call, uint64_t number,
                       const firn_error *err)
{
    fr_lua_end(call, number == 0 ? err->code : FIRN_OK, err);
    lua_pushnumber(L, (lua_Number)number);
    return 1;
}

static int give_found(lua_State *L, uint64_t number)
{
    if (number == 0) {
        return 0;
    }
    lua_pushnumber(L, (lua_Number)number);
    return 1;
}

// ---------------------------------------------------------------- providers

static void give_text(lua_State *L, const char *field, const char *text)
{
    if (text[0] != '\0') {
        lua_pushstring(L, text);
        lua_setfield(L, -2, field);
    }
}

static void give_field(lua_State *L, const char *field, double number)
{
    lua_pushnumber(L, number);
    lua_setfield(L, -2, field);
}

static void give_entity(lua_State *L, const char *field, firn_entity entity)
{
    if (entity != 0) {
        give_field(L, field, (double)entity);
    }
}

static void give_flag(lua_State *L, const char *field, bool flag)
{
    lua_pushboolean(L, flag);
    lua_setfield(L, -2, field);
}

// Of what a cursor tracks the Lua value.
static void push_tracked(lua_State *L, const fr_lua_function *tracked)
{
    if (tracked == NULL) {
        lua_pushnil(L);
    } else {
        fr_lua_function_push(L, tracked);
    }
}

static void push_step_call(lua_State *L, const firn_step_call *call)
{
    lua_createtable(L, 0, 12);
    give_text(L, "kind", kind_names[call->kind]);
    give_field(L, "number", (double)call->number);
    give_text(L, "sequence", call->provider);
    give_text(L, "step", call->step);
    give_text(L, "key", call->key);
    give_text(L, "event", call->event);
    give_entity(L, "entity", call->entity);
    give_entity(L, "address", call->address);
    if (call->kind == FIRN_SCRIPT_MACHINE || call->kind == FIRN_SCRIPT_CURSOR) {
        give_flag(L, "first", call->first);
        give_field(L, "ticks", (double)call->ticks);
    }
    if (call->kind == FIRN_SCRIPT_TIMER) {
        give_field(L, "count", (double)call->count);
    }
    fr_lua_push_value(L, call->payload);
    lua_setfield(L, -2, "payload");
}

typedef struct step_run {
    const fr_lua_function *function;
    const firn_step_call *call;
} step_run;

// function(call), in a body of fr_lua_protect
static int run_step_body(lua_State *L)
{
    const step_run *run = lua_touserdata(L, 1);
    push_tracked(L, run->call->tracked); // before a finalizer may let go of it
    fr_lua_function_push(L, run->function);
    push_step_call(L, run->call);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "tracked");
    lua_call(L, 1, 0);
    return 0;
}

static firn_result run_step_for_lua(void *user, firn_world *world, const firn_step_call *call,
                                    firn_error *err)
{
    (void)world;
    const fr_lua_function *function = user;
    step_run run = {function, call};
    firn_error why;
    char what[sizeof why.subject];
    snprintf(what, sizeof what, "the step \"%s.%s\"", call->provider, call->step);
    firn_result result = fr_lua_protect(function->lua, run_step_body, &run, &why);
    return result == FIRN_OK ? FIRN_OK : fr_fail(err, result, what, "%s: %s", what, why.message);
}

// provider_add(world, name, names of steps, {[name] = it does something}, function)
static int provider_add(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *doing = "addSequence";
    firn_provider_desc desc = {.name = fr_lua_text(L, 2, doing, "name")};
    luaL_checktype(L, 3, LUA_TTABLE);
    luaL_checktype(L, 4, LUA_TTABLE);
    luaL_checktype(L, 5, LUA_TFUNCTION);
    desc.step_count = (uint32_t)lua_objlen(L, 3);
    firn_step *steps = lua_newuserdata(L, (desc.step_count + 1) * sizeof *steps);
    for (uint32_t i = 0; i < desc.step_count; i++) {
        lua_rawgeti(L, 3, (int)i + 1); // the table keeps it
        steps[i].name = fr_lua_text(L, -1, doing, "a step");
        lua_rawget(L, 4);
        steps[i].run = lua_toboolean(L, -1) ? run_step_for_lua : NULL;
        lua_pop(L, 1);
    }
    lua_pushfstring(L, "the sequence \"%s\"", desc.name);
    fr_lua_function *function = fr_lua_function_keep(L, lua, 5, lua_tostring(L, -1));
    desc.steps = steps;
    desc.user = function;
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, doing);
    firn_result result = firn_provider_add(lua->fast.world, &desc, &err);
    fr_lua_leave(&call);
    if (result != FIRN_OK) {
        fr_lua_function_drop(L, function);
    }
    fr_lua_conclude(&call, result, &err);
    return 0;
}

// script_listen(world, event, provider, step)
static int script_listen(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *doing = "listen";
    const char *event = fr_lua_text(L, 2, doing, "event");
    const char *provider = fr_lua_text(L, 3, doing, "sequence");
    const char *step = fr_lua_text(L, 4, doing, "step");
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, doing);
    fr_lua_end(&call, firn_script_listen(lua->fast.world, event, provider, step, &err), &err);
    return 0;
}

// script_run(world)
static int script_run_now(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "runScript");
    fr_lua_end(&call, firn_script_run(lua->fast.world, &err), &err);
    return 0;
}

// script_ticks(world, seconds) -> ticks
static int script_ticks(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    double seconds = fr_lua_number(L, 2, "ticksOf", "seconds", 0, DBL_MAX);
    lua_pushnumber(L, firn_script_ticks(lua->fast.world, seconds));
    return 1;
}

// ---------------------------------------------------------------- clocks

// clock_add(world, name)
static int clock_add(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *name = fr_lua_text(L, 2, "addClock", "name");
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "addClock");
    fr_lua_end(&call, firn_clock_add(lua->fast.world, name, &err), &err);
    return 0;
}

// clock_remove(world, name)
static int clock_remove(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *name = fr_lua_text(L, 2, "removeClock", "name");
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "removeClock");
    fr_lua_end(&call, firn_clock_remove(lua->fast.world, name, &err), &err);
    return 0;
}

// clock_change(world, name, scale or nil, paused or nil, ticks or nil)
static int clock_change(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_world *world = lua->fast.world;
    const char *name = fr_lua_text(L, 2, "setClock", "name");
    const char *doing = "setClock";
    double scale = 0, ticks = 0;
    if (!lua_isnil(L, 3)) {
        scale = fr_lua_number(L, 3, doing, "option 'scale'", 0, 1e6);
    }
    if (!lua_isnil(L, 5)) {
        ticks = fr_lua_number(L, 5, doing, "option 'ticks'", 0, 0x1p53);
    }
    firn_error err;
    firn_clock clock;
    fr_lua_call call = fr_lua_begin(L, lua, doing);
    firn_result result = firn_clock_read(world, name, &clock, &err);
    if (result == FIRN_OK && !lua_isnil(L, 3)) {
        result = firn_clock_scale(world, name, scale, &err);
    }
    if (result == FIRN_OK && !lua_isnil(L, 5)) {
        result = firn_clock_set(world, name, ticks, &err);
    }
    if (result == FIRN_OK && !lua_isnil(L, 4)) {
        result = firn_clock_pause(world, name, lua_toboolean(L, 4), &err);
    }
    fr_lua_end(&call, result, &err);
    return 0;
}

// clock_read(world, name) -> {ticks, seconds, scale, paused}, or nil
static int clock_read(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    firn_clock clock;
    const char *name = fr_lua_text(L, 2, "clock", "name");
    if (firn_clock_read(lua->fast.world, name, &clock, NULL) != FIRN_OK) {
        return 0;
    }
    lua_createtable(L, 0, 4);
    give_field(L, "ticks", clock.ticks);
    give_field(L, "seconds", clock.seconds);
    give_field(L, "scale", clock.scale);
    give_flag(L, "paused", clock.paused);
    return 1;
}

// clock_names(world) -> names
static int clock_names(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    uint32_t count = firn_clock_count(lua->fast.world);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        char name[256]; // a copy: a finalizer may remove the clock
        snprintf(name, sizeof name, "%s", firn_clock_name(lua->fast.world, i));
        lua_pushstring(L, name);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

// ---------------------------------------------------------------- events, timers, waits

// script_send(world, event, entity or nil, delay, payload) -> number
static int script_send(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *event = fr_lua_text(L, 2, "send", "event");
    firn_entity address = optional_entity(L, 3);
    double delay = luaL_checknumber(L, 4);
    const firn_value *payload = NULL;
    firn_error err = {.code = FIRN_OK};
    if (!lua_isnil(L, 5)) {
        payload = fr_lua_to_value(L, 5, fr_lua_push_doc(L, "send"), &err);
        if (payload == NULL) {
            return fr_lua_raise(L, NULL, "send", &err);
        }
    }
    fr_lua_call call = fr_lua_begin(L, lua, "send");
    uint64_t number = firn_script_send(lua->fast.world, event, address, delay, payload, &err);
    return give_number(L, &call, number, &err);
}

// timer_start(world, provider, step, entity or nil, delay, period, clock or nil) -> number
static int timer_start(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *doing = "startTimer";
    const firn_timer_desc desc = {
        .provider = fr_lua_text(L, 2, doing, "option 'sequence'"),
        .step = fr_lua_text(L, 3, doing, "option 'step'"),
        .entity = optional_entity(L, 4),
        .delay = luaL_checknumber(L, 5),
        .period = luaL_checknumber(L, 6),
        .clock = optional_text(L, 7, doing, "option 'clock'"),
    };
    firn_error err = {.code = FIRN_OK};
    fr_lua_call call = fr_lua_begin(L, lua, doing);
    return give_number(L, &call, firn_timer_start(lua->fast.world, &desc, &err), &err);
}

// wait_start(world, provider, step, entity or nil, event or nil, delay, clock or nil) -> number
static int wait_start(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *doing = "startWait";
    const firn_wait_desc desc = {
        .provider = fr_lua_text(L, 2, doing, "option 'sequence'"),
        .step = fr_lua_text(L, 3, doing, "option 'step'"),
        .entity = optional_entity(L, 4),
        .event = optional_text(L, 5, doing, "option 'event'"),
        .delay = luaL_checknumber(L, 6),
        .clock = optional_text(L, 7, doing, "option 'clock'"),
    };
    firn_error err = {.code = FIRN_OK};
    fr_lua_call call = fr_lua_begin(L, lua, doing);
    return give_number(L, &call, firn_wait_start(lua->fast.world, &desc, &err), &err);
}

// ---------------------------------------------------------------- machines and cursors

// machine_set(world, entity, provider, state) -> number
static int machine_set(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *doing = "setMachine";
    firn_entity entity = optional_entity(L, 2);
    const char *provider = fr_lua_text(L, 3, doing, "sequence");
    const char *state = fr_lua_text(L, 4, doing, "state");
    firn_error err = {.code = FIRN_OK};
    fr_lua_call call = fr_lua_begin(L, lua, doing);
    uint64_t number = firn_machine_set(lua->fast.world, entity, provider, state, &err);
    return give_number(L, &call, number, &err);
}

// machine_find(world, entity, provider) -> number or nil
static int machine_find(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    const char *provider = fr_lua_text(L, 3, "machine", "sequence");
    return give_found(L, firn_machine_find(lua->fast.world, optional_entity(L, 2), provider));
}

// cursor_start(world, provider, entity or nil, key or nil, step or nil) -> number
static int cursor_start(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    const char *doing = "startCursor";
    const char *provider = fr_lua_text(L, 2, doing, "option 'sequence'");
    firn_entity entity = optional_entity(L, 3);
    const char *key = optional_text(L, 4, doing, "option 'key'");
    const char *step = optional_text(L, 5, doing, "option 'step'");
    firn_error err = {.code = FIRN_OK};
    fr_lua_call call = fr_lua_begin(L, lua, doing);
    uint64_t number = firn_cursor_start(lua->fast.world, provider, entity, key, step, &err);
    return give_number(L, &call, number, &err);
}

// cursor_find(world, provider, entity or nil, key or nil) -> number or nil
static int cursor_find(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    const char *provider = fr_lua_text(L, 2, "cursor", "sequence");
    const char *key = optional_text(L, 4, "cursor", "key");
    return give_found(L, firn_cursor_find(lua->fast.world, provider, optional_entity(L, 3), key));
}

// cursor_go(world, number, step)
static int cursor_go(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    uint64_t number = (uint64_t)luaL_checknumber(L, 2);
    const char *step = fr_lua_text(L, 3, "go", "step");
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "go");
    fr_lua_end(&call, firn_cursor_go(lua->fast.world, number, step, &err), &err);
    return 0;
}

// cursor_wait(world, number, event or nil, delay, clock or nil)
static int cursor_wait(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    uint64_t number = (uint64_t)luaL_checknumber(L, 2);
    const char *event = optional_text(L, 3, "wait", "option 'event'");
    double delay = luaL_checknumber(L, 4);
    const char *clock = optional_text(L, 5, "wait", "option 'clock'");
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "wait");
    firn_result result = firn_cursor_wait(lua->fast.world, number, event, delay, clock, &err);
    fr_lua_end(&call, result, &err);
    return 0;
}

static void drop_tracked(void *tracked)
{
    fr_lua_function_forget(tracked);
}

// cursor_track(world, number, value)
static int cursor_track(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    uint64_t number = (uint64_t)luaL_checknumber(L, 2);
    fr_lua_function *tracked = fr_lua_function_keep(L, lua, 3, "");
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "track");
    firn_result result = firn_cursor_track(lua->fast.world, number, tracked, drop_tracked, &err);
    fr_lua_leave(&call);
    if (result != FIRN_OK) {
        fr_lua_function_drop(L, tracked);
    }
    fr_lua_conclude(&call, result, &err);
    return 0;
}

// cursor_tracked(world, number) -> value or nil
static int cursor_tracked(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    push_tracked(L, firn_cursor_tracked(lua->fast.world, (uint64_t)luaL_checknumber(L, 2)));
    return 1;
}

// cursor_pending(world, number) -> boolean
static int cursor_pending(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    uint64_t number = (uint64_t)luaL_checknumber(L, 2);
    lua_pushboolean(L, firn_cursor_is_pending(lua->fast.world, number));
    return 1;
}

// cursor_done(world, number, value) -> whether it was what the cursor tracks
static int cursor_done(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    uint64_t number = (uint64_t)luaL_checknumber(L, 2);
    const void *tracked = firn_cursor_tracked(lua->fast.world, number);
    push_tracked(L, tracked);
    bool done = tracked != NULL && lua_rawequal(L, 3, -1) &&
                firn_cursor_done(lua->fast.world, number, tracked, NULL) == FIRN_OK;
    lua_pushboolean(L, done);
    return 1;
}

// ---------------------------------------------------------------- looking

// script_read(world, number) -> table or nil
static int script_read(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    firn_script_item item;
    uint64_t number = (uint64_t)luaL_checknumber(L, 2);
    if (firn_script_read(lua->fast.world, number, &item, NULL) != FIRN_OK) {
        return 0;
    }
    // Copies: a finalizer may end it.
    const char *const fields[] = {"sequence", "step", "previous", "key", "event", "clock"};
    const char *const found[] = {item.provider, item.step,  item.previous,
                                 item.key,      item.event, item.clock};
    char texts[6][256];
    for (int i = 0; i < 6; i++) {
        snprintf(texts[i], sizeof texts[i], "%s", found[i]);
    }
    lua_createtable(L, 0, 12);
    give_text(L, "kind", kind_names[item.kind]);
    give_field(L, "number", (double)item.number);
    give_entity(L, "entity", item.entity);
    for (int i = 0; i < 6; i++) {
        give_text(L, fields[i], texts[i]);
    }
    if (item.timed) {
        give_field(L, "due", item.due);
    }
    if (item.period > 0) {
        give_field(L, "period", item.period);
    }
    if (item.kind == FIRN_SCRIPT_MACHINE || item.kind == FIRN_SCRIPT_CURSOR) {
        give_field(L, "ticks", (double)item.ticks);
    }
    if (item.kind == FIRN_SCRIPT_CURSOR) {
        give_flag(L, "pending", item.pending);
    }
    return 1;
}

// script_end(world, number, doing)
static int script_end(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    uint64_t number = (uint64_t)luaL_checknumber(L, 2);
    const char *doing = luaL_checkstring(L, 3);
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, doing);
    fr_lua_end(&call, firn_script_end(lua->fast.world, number, &err), &err);
    return 0;
}

// script_list(world, kind or nil, entity or nil) -> numbers
static int script_list(lua_State *L)
{
    const fr_lua *lua = fr_lua_check(L);
    const char *kind = optional_text(L, 2, "scriptItems", "option 'kind'");
    firn_entity entity = optional_entity(L, 3);
    firn_script_kind which = FIRN_SCRIPT_NONE;
    while (kind != NULL && which <= FIRN_SCRIPT_CURSOR && strcmp(kind_names[which], kind) != 0) {
        which++;
    }
    if (which > FIRN_SCRIPT_CURSOR) {
        return fr_lua_misuse(L, "scriptItems",
                             "option 'kind': it is \"event\", \"timer\", \"wait\", \"machine\" or "
                             "\"cursor\", not '%s'",
                             kind);
    }
    uint32_t count = firn_script_list(lua->fast.world, which, entity, NULL, 0);
    uint64_t *numbers = lua_newuserdata(L, ((size_t)count + 1) * sizeof *numbers);
    lua_createtable(L, (int)count, 0);
    // A finalizer may have made more of them.
    uint32_t now = firn_script_list(lua->fast.world, which, entity, numbers, count);
    for (uint32_t i = 0; i < count && i < now; i++) {
        lua_pushnumber(L, (lua_Number)numbers[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

// script_value(world) -> what a save holds, or nil
static int script_value(lua_State *L)
{
    fr_lua *lua = fr_lua_check(L);
    firn_doc *doc = fr_lua_push_doc(L, "scriptState");
    firn_error err;
    fr_lua_call call = fr_lua_begin(L, lua, "scriptState");
    const firn_value *value = firn_script_value(lua->fast.world, doc, &err);
    fr_lua_end(&call, value == NULL ? err.code : FIRN_OK, &err);
    fr_lua_push_value(L, value);
    return 1;
}

const luaL_Reg fr_lua_script_functions[] = {
    {"clock_add", clock_add},
    {"clock_change", clock_change},
    {"clock_names", clock_names},
    {"clock_read", clock_read},
    {"clock_remove", clock_remove},
    {"cursor_done", cursor_done},
    {"cursor_find", cursor_find},
    {"cursor_go", cursor_go},
    {"cursor_pending", cursor_pending},
    {"cursor_start", cursor_start},
    {"cursor_track", cursor_track},
    {"cursor_tracked", cursor_tracked},
    {"cursor_wait", cursor_wait},
    {"machine_find", machine_find},
    {"machine_set", machine_set},
    {"provider_add", provider_add},
    {"script_end", script_end},
    {"script_listen", script_listen},
    {"script_list", script_list},
    {"script_read", script_read},
    {"script_run", script_run_now},
    {"script_send", script_send},
    {"script_ticks", script_ticks},
    {"script_value", script_value},
    {"timer_start", timer_start},
    {"wait_start", wait_start},
    {NULL, NULL},
};
