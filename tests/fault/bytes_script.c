// Damaged images with script state.
#include "fault/bytes_damage.h"
#include "support/support.h"

#include <stdio.h>

static firn_world *make_world(void)
{
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    assert_non_null(world);
    static const firn_step steps[] = {{"a", NULL}, {"b", NULL}};
    const firn_provider_desc desc = {.name = "p", .steps = steps, .step_count = 2};
    assert_ok(firn_provider_add(world, &desc, &err), &err);
    return world;
}

static void fill_world(firn_world *world, uint32_t times)
{
    firn_error err;
    assert_ok(firn_clock_add(world, "c", &err), &err);
    assert_ok(firn_clock_pause(world, "c", true, &err), &err);
    for (uint32_t i = 0; i < times; i++) {
        firn_entity entity = firn_spawn(world, NULL, 0, &err);
        const firn_timer_desc timer = {
            .provider = "p", .step = "b", .entity = entity, .delay = i, .period = 2, .clock = "c"};
        const firn_wait_desc wait = {.provider = "p", .step = "a", .event = "e", .delay = i};
        const firn_value payload = {.kind = FIRN_VALUE_BOOL, .as.boolean = true};
        assert_true(firn_timer_start(world, &timer, &err) != 0);
        assert_true(firn_wait_start(world, &wait, &err) != 0);
        assert_true(firn_machine_set(world, entity, "p", "a", &err) != 0);
        assert_true(firn_machine_set(world, entity, "p", "b", &err) != 0);
        assert_true(firn_cursor_start(world, "p", entity, "k", NULL, &err) != 0);
        assert_true(firn_script_send(world, "e", entity, i, &payload, &err) != 0);
    }
}

static void begin_script(damage_case *damage, uint32_t i)
{
    firn_error err;
    firn_buffer image = {0};
    firn_world *full = make_world();
    fill_world(full, i + 1);
    assert_ok(firn_snapshot_save(full, NULL, &image, &err), &err);
    damage_begin(damage, "script", image.data, image.size, make_world(), make_world());
    firn_buffer_free(&image);
    firn_world_destroy(full);
}

static void T23_no_prefix_of_script_state_loads(void **state)
{
    (void)state;
    damage_prefixes_of_all(begin_script, 3);
}

static void T23_changed_script_state_is_refused_or_loads_whole(void **state)
{
    (void)state;
    damage_changes_of_all(begin_script, 3, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T23_no_prefix_of_script_state_loads),
        cmocka_unit_test(T23_changed_script_state_is_refused_or_loads_whole),
    };
    return cmocka_run_group_tests_name("bytes_script", tests, NULL, NULL);
}
