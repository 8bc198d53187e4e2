// Handlers: adding and removing.
#include "api/snapshot_zoo.h"

#include "base/error.h"
#include "plugin/registry.h"

#include <string.h>

static firn_result save_nothing(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)user;
    (void)world;
    (void)out;
    (void)err;
    return FIRN_OK;
}

static void discard_nothing(void *user, firn_world *world, void *prepared)
{
    (void)user;
    (void)world;
    (void)prepared;
}

static firn_handler plain_handler(const char *name)
{
    return (firn_handler){.abi = FIRN_ABI, .name = name, .save = save_nothing};
}

static void expect_refusal(const firn_handler *handler, firn_result result, const char *subject,
                           const char *words)
{
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    assert_int_equal(firn_handler_add(world, handler, &err), result);
    assert_error(&err, result, subject);
    assert_non_null(strstr(err.message, words));
    firn_world_destroy(world);
}

static void T18_a_second_handler_of_a_name_exists(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    firn_handler handler = plain_handler("game.weather");
    assert_ok(firn_handler_add(world, &handler, &err), &err);
    assert_int_equal(firn_handler_add(world, &handler, &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "game.weather");
    firn_world_destroy(world);
}

static void a_removed_handler_makes_room_for_another_of_its_name(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    firn_handler handler = plain_handler("game.weather");
    assert_ok(firn_handler_add(world, &handler, &err), &err);
    assert_ok(firn_handler_remove(world, "game.weather", &err), &err);
    assert_int_equal(firn_handler_remove(world, "game.weather", &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "handler");
    assert_ok(firn_handler_add(world, &handler, &err), &err);
    firn_world_destroy(world);
}

static void a_handler_is_no_handler_without_abi_name_or_function(void **state)
{
    (void)state;
    expect_refusal(NULL, FIRN_INVALID, "handler", "NULL");
    firn_handler handler = plain_handler("game.weather");
    handler.abi = 0;
    expect_refusal(&handler, FIRN_INVALID, "handler", "abi 0");
    handler.abi = FIRN_ABI + 1;
    expect_refusal(&handler, FIRN_VERSION, "handler", "abi 2, this is abi 1");
    handler = plain_handler(NULL);
    expect_refusal(&handler, FIRN_INVALID, "handler name", "NULL");
    handler = plain_handler("");
    expect_refusal(&handler, FIRN_INVALID, "handler name", "empty");
    handler = plain_handler("game.weather");
    handler.save = NULL;
    expect_refusal(&handler, FIRN_INVALID, "game.weather", "no function");
    handler.discard = discard_nothing;
    expect_refusal(&handler, FIRN_INVALID, "game.weather", "discard and no check");
}

static void T8_a_handler_cannot_take_a_reserved_name(void **state)
{
    (void)state;
    static const char *const names[] = {"__tecs.stateStack", "__tecs.", "__firn.world",
                                        "tecs.random"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        firn_handler handler = plain_handler(names[i]);
        expect_refusal(&handler, FIRN_INVALID, names[i], "reserved");
    }
}

static void a_built_in_handler_may_take_one_and_stays(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    firn_handler handler = plain_handler("__tecs.test");
    assert_ok(fr_handler_add(world, &handler, true, &err), &err);
    assert_int_equal(firn_handler_remove(world, "__tecs.test", &err), FIRN_NOT_FOUND);
    assert_int_equal(fr_handler_add(world, &handler, true, &err), FIRN_EXISTS);
    firn_world_destroy(world);
}

static void handlers_have_a_limit_in_which_built_in_ones_do_not_count(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world =
        firn_world_create(&(firn_world_desc){.limits = &(firn_limits){.handlers = 2}}, &err);
    firn_handler builtin = plain_handler("__tecs.test");
    assert_ok(fr_handler_add(world, &builtin, true, &err), &err);
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        firn_handler handler = plain_handler(names[i]);
        firn_result result = firn_handler_add(world, &handler, &err);
        assert_int_equal(result, i < 2 ? FIRN_OK : FIRN_LIMIT);
    }
    assert_error(&err, FIRN_LIMIT, "c");
    firn_world_destroy(world);
}

static void handlers_want_a_world(void **state)
{
    (void)state;
    firn_error err;
    firn_handler handler = plain_handler("a");
    assert_int_equal(firn_handler_add(NULL, &handler, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_handler_remove(NULL, "a", &err), FIRN_INVALID);
    firn_world *world = firn_world_create(NULL, &err);
    assert_int_equal(firn_handler_remove(world, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "name");
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T18_a_second_handler_of_a_name_exists),
        cmocka_unit_test(a_removed_handler_makes_room_for_another_of_its_name),
        cmocka_unit_test(a_handler_is_no_handler_without_abi_name_or_function),
        cmocka_unit_test(T8_a_handler_cannot_take_a_reserved_name),
        cmocka_unit_test(a_built_in_handler_may_take_one_and_stays),
        cmocka_unit_test(handlers_have_a_limit_in_which_built_in_ones_do_not_count),
        cmocka_unit_test(handlers_want_a_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
