// Events between C and Lua: the module firn.core linked into a program that has observers too.
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "firn/firn.h"
#include "firn/lua.h"
#include "lua/fast.h"
#include "support/support.h"

// A Lua state with a world in the global `world`.
typedef struct pair {
    lua_State *lua;
    firn_world *world;
} pair;

static void run(const pair *p, const char *program)
{
    if (luaL_dostring(p->lua, program) != 0) {
        fail_msg("%s", lua_tostring(p->lua, -1));
    }
}

static int open_pair(void **state)
{
    static pair p;
    p.lua = luaL_newstate();
    luaL_openlibs(p.lua);
    lua_getglobal(p.lua, "package");
    lua_pushliteral(p.lua, FIRN_TEST_LUA_BUILT "/?.lua");
    lua_setfield(p.lua, -2, "path");
    lua_getfield(p.lua, -1, "preload");
    lua_pushcfunction(p.lua, luaopen_firn_core);
    lua_setfield(p.lua, -2, "firn.core");
    lua_settop(p.lua, 0);
    run(&p, "firn = require('firn')\n"
            "world = firn.newWorld()\n"
            "world:newEvent('Hit')\n"
            "world:newEvent('Ping')\n"
            "heard = {}\n"
            "world:observe(0, 'Hit', function(event) heard[#heard + 1] = event end)\n"
            "return require('firn.api').core.pointer(world.core)");
    const firn_lua *shown = lua_touserdata(p.lua, -1);
    p.world = shown->world;
    *state = &p;
    return 0;
}

static int close_pair(void **state)
{
    const pair *p = *state;
    lua_close(p->lua);
    return 0;
}

typedef struct listener {
    int events;
    double damage;
} listener;

static firn_result hear_hit(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    (void)world;
    listener *heard = user;
    heard->events++;
    if (event->payload == NULL) {
        heard->damage = -1;
        return FIRN_OK;
    }
    firn_doc *doc = firn_doc_create(NULL, NULL, err);
    const firn_value *value = firn_value_decode(doc, event->payload, event->size, err);
    const firn_value *damage = firn_table_get_text(value, "damage");
    heard->damage = damage == NULL ? 0 : damage->as.number;
    firn_doc_destroy(doc);
    return FIRN_OK;
}

static void an_observer_of_c_gets_what_lua_emits_as_an_encoded_value(void **state)
{
    const pair *p = *state;
    listener heard = {0, 0};
    const firn_observer_desc desc = {.event = "Hit", .observe = hear_hit, .user = &heard};
    assert_int_not_equal(firn_observe(p->world, &desc, NULL), 0);
    run(p, "world:emit('Hit', 0, {damage = 7})");
    assert_int_equal(heard.events, 1);
    assert_true(heard.damage == 7);
    run(p, "world:emit('Hit', 0)");
    assert_int_equal(heard.events, 2);
    assert_true(heard.damage == -1);
}

static firn_result answer_ping(void *user, firn_world *world, const firn_event *event,
                               firn_error *err)
{
    (void)user;
    const char payload[] = {1, 2, 0, 3};
    return firn_emit(world, firn_event_find(world, "Hit"), event->address, payload, sizeof payload,
                     err);
}

static void an_observer_of_lua_gets_what_c_emits_as_bytes(void **state)
{
    const pair *p = *state;
    const firn_observer_desc desc = {.event = "Ping", .observe = answer_ping};
    assert_int_not_equal(firn_observe(p->world, &desc, NULL), 0);
    run(p, "queue = world:newQueue({'Hit'})\n"
           "world:emit('Ping', 0, 'a payload of its own')\n"
           "assert(#heard == 1 and heard[1].bytes == '\\1\\2\\0\\3' and heard[1].payload == nil)\n"
           "local event = queue:next()\n"
           "assert(event.bytes == '\\1\\2\\0\\3' and event.payload == nil)");
}

static void an_error_of_lua_passes_through_c_to_lua(void **state)
{
    const pair *p = *state;
    const firn_observer_desc desc = {.event = "Ping", .observe = answer_ping};
    assert_int_not_equal(firn_observe(p->world, &desc, NULL), 0);
    run(p, "local raised = {}\n"
           "world:observe(0, 'Hit', function() error(raised) end)\n"
           "local ok, problem = pcall(world.emit, world, 'Ping', 0)\n"
           "assert(not ok and problem.result == 'FIRN_REFUSED')\n"
           "assert(rawequal(problem.cause, raised))");
}

// Nobody knows what else goes on in the Lua state.
static void lua_is_not_called_when_c_alone_uses_the_world(void **state)
{
    const pair *p = *state;
    firn_error err;
    firn_result result = firn_emit(p->world, firn_event_find(p->world, "Hit"), 0, NULL, 0, &err);
    assert_int_equal(result, FIRN_BUSY);
    run(p, "assert(#heard == 0)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_observer_of_c_gets_what_lua_emits_as_an_encoded_value,
                                        open_pair, close_pair),
        cmocka_unit_test_setup_teardown(an_observer_of_lua_gets_what_c_emits_as_bytes, open_pair,
                                        close_pair),
        cmocka_unit_test_setup_teardown(an_error_of_lua_passes_through_c_to_lua, open_pair,
                                        close_pair),
        cmocka_unit_test_setup_teardown(lua_is_not_called_when_c_alone_uses_the_world, open_pair,
                                        close_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
