// Calls of firn/game.h without a world, with handles of nothing and inside a hook.
#include "support/support.h"

#include "firn/game.h"

static void a_call_without_a_world_names_the_world(void **state)
{
    (void)state;
    firn_error err;
    const firn_state_desc desc = {.name = "day"};
    const firn_system_desc system = {.name = "system"};
#define assert_no_world(call)                                                                      \
    do {                                                                                           \
        err = (firn_error){.code = FIRN_OK};                                                       \
        (void)(call);                                                                              \
        assert_error(&err, FIRN_INVALID, "world");                                                 \
    } while (0)
    assert_no_world(firn_random_seed(NULL, 1, &err));
    assert_no_world(firn_random_stream(NULL, "loot", &err));
    assert_no_world(firn_state_create(NULL, &desc, &err));
    assert_no_world(firn_state_push(NULL, 1, &err));
    assert_no_world(firn_state_pop(NULL, &err));
    assert_no_world(firn_state_switch(NULL, 1, &err));
    assert_no_world(firn_phase_add(NULL, "Thaw", 1, &err));
    assert_no_world(firn_phase_enable(NULL, 1, true, &err));
    assert_no_world(firn_system_add(NULL, &system, &err));
    assert_no_world(firn_system_enable(NULL, 1, true, &err));
    assert_no_world(firn_system_remove(NULL, 1, &err));
    assert_no_world(firn_world_set_timestep(NULL, 1, &err));
    assert_no_world(firn_world_set_accumulator(NULL, 1, &err));
    assert_no_world(firn_world_step(NULL, 1, &err));
    assert_no_world(firn_world_run_phase(NULL, 1, 1, &err));
    assert_no_world(firn_world_startup(NULL, &err));
    assert_no_world(firn_world_shutdown(NULL, &err));
}

static void what_asks_no_world_finds_nothing(void **state)
{
    (void)state;
    assert_int_equal(firn_random_seed_of(NULL), 0);
    assert_int_equal(firn_state_find(NULL, "day"), 0);
    assert_string_equal(firn_state_name(NULL, 1), "");
    assert_int_equal(firn_state_tag(NULL, 1), 0);
    assert_int_equal(firn_state_top(NULL), 0);
    assert_int_equal(firn_state_depth(NULL), 0);
    assert_int_equal(firn_phase_find(NULL, "Update"), 0);
    assert_string_equal(firn_phase_name(NULL, 1), "");
    assert_int_equal(firn_phase_count(NULL), 0);
    assert_int_equal(firn_phase_at(NULL, 0), 0);
    assert_false(firn_phase_enabled(NULL, 1));
    assert_false(firn_system_enabled(NULL, 1));
    assert_true(firn_world_accumulator(NULL) == 0);
}

static void a_handle_of_nothing_is_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = firn_world_create(NULL, NULL);
    assert_int_equal(firn_state_push(world, 12345, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "state");
    assert_int_equal(firn_phase_enable(world, 12345, false, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "phase");
    assert_int_equal(firn_world_run_phase(world, 12345, 1, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "phase");
    assert_int_equal(firn_phase_find(world, NULL), 0);
    firn_world_destroy(world);
}

typedef struct hook {
    firn_world *world;
    uint32_t calls;
} hook;

// Nothing of the game changes while a hook runs.
static void call_all(void *user, const firn_rows *rows)
{
    (void)rows;
    hook *h = user;
    firn_error err;
    firn_phase update = firn_phase_find(h->world, "Update");
    firn_state day = firn_state_find(h->world, "day");
    h->calls++;
    assert_null(firn_random_stream(h->world, "new", &err));
    assert_int_equal(err.code, FIRN_BUSY);
    assert_non_null(firn_random_stream(h->world, "old", &err));
    assert_int_equal(firn_random_seed(h->world, 2, &err), FIRN_BUSY);
    assert_int_equal(firn_state_push(h->world, day, &err), FIRN_BUSY);
    assert_int_equal(firn_state_pop(h->world, &err), FIRN_BUSY);
    assert_int_equal(firn_state_switch(h->world, day, &err), FIRN_BUSY);
    assert_int_equal(firn_phase_enable(h->world, update, false, &err), FIRN_BUSY);
    assert_int_equal(firn_world_set_timestep(h->world, 1, &err), FIRN_BUSY);
    assert_int_equal(firn_world_set_accumulator(h->world, 1, &err), FIRN_BUSY);
    assert_int_equal(firn_world_step(h->world, 1, &err), FIRN_BUSY);
}

static void the_game_stands_while_a_hook_runs(void **state)
{
    (void)state;
    firn_error err;
    hook h = {.world = firn_world_create(NULL, NULL)};
    const firn_state_desc day = {.name = "day"};
    const firn_component_desc hooked = {
        .name = "Hooked", .kind = FIRN_TAG, .hooks = {.init = call_all, .user = &h}};
    firn_component tag = firn_component_register(h.world, &hooked, &err);
    firn_state state_day = firn_state_create(h.world, &day, &err);
    assert_ok(firn_state_push(h.world, state_day, &err), &err);
    assert_non_null(firn_random_stream(h.world, "old", &err));
    int32_t seed = firn_random_seed_of(h.world);
    assert_true(firn_spawn(h.world, &tag, 1, &err) != 0);
    assert_int_equal(h.calls, 1);
    assert_int_equal(firn_state_depth(h.world), 1);
    assert_int_equal(firn_random_seed_of(h.world), seed);
    assert_true(firn_phase_enabled(h.world, firn_phase_find(h.world, "Update")));
    firn_world_destroy(h.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_without_a_world_names_the_world),
        cmocka_unit_test(what_asks_no_world_finds_nothing),
        cmocka_unit_test(a_handle_of_nothing_is_refused),
        cmocka_unit_test(the_game_stands_while_a_hook_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
