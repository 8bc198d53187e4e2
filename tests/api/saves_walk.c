// Play of any kind in an editor: saves, loads, requests, levels that fail, levels in other worlds.
// It ends in the world as it was edited, and the world of the manager is the one on the bus.
#include "api/snapshot_zoo.h"

#include <stdio.h>
#include <string.h>

#define WORLDS 3
#define ROUNDS 60

typedef struct fixture {
    test_random random;
    firn_bus *bus;
    firn_world *worlds[WORLDS];
    firn_storage storage;
    firn_saves *saves;
    char level[8];
    bool fails;       // a level may be closed
    uint32_t tries;   // of stops that failed
    firn_world *rang; // what the bus heard
} fixture;

static fixture f;

static uint32_t below(uint32_t bound)
{
    return test_random_below(&f.random, bound);
}

static const char *current_level(void *user, firn_world *world)
{
    (void)user, (void)world;
    return f.level;
}

static firn_result enter_level(void *user, const char *level, bool for_restore, firn_world **world,
                               firn_error *err)
{
    (void)user, (void)for_restore, (void)err;
    if (f.fails && below(3) == 0)
        return FIRN_IO;
    if (below(2) == 0)
        *world = f.worlds[below(WORLDS)];
    snprintf(f.level, sizeof f.level, "%s", level);
    return FIRN_OK;
}

static firn_result hear_ring(void *user, firn_world *world, const firn_event *event,
                             firn_error *err)
{
    (void)user, (void)event, (void)err;
    f.rang = world;
    return FIRN_OK;
}

static firn_world *make_world(void)
{
    firn_error err;
    const firn_component_desc gold = {.name = "Gold", .kind = FIRN_NUMBER};
    firn_world *world = firn_world_create(&(firn_world_desc){.bus = f.bus}, &err);
    assert_non_null(world);
    assert_int_not_equal(firn_component_register(world, &gold, &err), 0);
    assert_int_not_equal(firn_event_register(world, "ring", &err), 0);
    return world;
}

static void make_walk(bool background)
{
    firn_error err;
    f = (fixture){.random = {7}, .level = "l0"};
    f.bus = firn_bus_create(NULL, &err);
    assert_int_not_equal(firn_bus_observe(f.bus, "ring", hear_ring, NULL, &err), 0);
    for (int i = 0; i < WORLDS; i++) {
        f.worlds[i] = make_world();
        if (i > 0)
            assert_ok(firn_world_detach(f.worlds[i], &err), &err);
    }
    assert_ok(firn_storage_memory(NULL, &f.storage, &err), &err);
    const firn_levels levels = {current_level, enter_level, NULL};
    const firn_saves_desc desc = {.game = "walk",
                                  .storage = &f.storage,
                                  .levels = &levels,
                                  .background = background,
                                  .editor = true,
                                  .autosave_seconds = 3,
                                  .autosave_ring = 2};
    f.saves = firn_saves_open(f.worlds[0], &desc, &err);
    assert_non_null(f.saves);
}

static void end_walk(void)
{
    firn_saves_close(f.saves);
    firn_storage_close(&f.storage);
    for (int i = 0; i < WORLDS; i++)
        firn_world_destroy(f.worlds[i]);
    assert_int_equal(firn_bus_destroy(f.bus, NULL), FIRN_OK);
}

static void change_world(void)
{
    firn_error err;
    firn_world *world = firn_saves_world(f.saves);
    firn_component gold = firn_component_find(world, "Gold");
    for (uint32_t i = below(5); i > 0; i--) {
        firn_entity entity = firn_spawn(world, &gold, 1, &err);
        assert_int_not_equal(entity, 0);
        *(double *)firn_get_mut(world, entity, gold) = below(100);
        if (below(4) == 0)
            assert_ok(firn_despawn(world, entity, &err), &err);
    }
    assert_ok(firn_world_set_tick(world, below(1000), &err), &err);
}

// What fails here may fail: a slot is empty, a level is closed, a save runs.
static void play_a_little(void)
{
    const firn_value number = {.kind = FIRN_VALUE_NUMBER, .as.number = 1};
    f.fails = true;
    switch (below(8)) {
    case 0:
        change_world();
        break;
    case 1:
        (void)firn_saves_write(f.saves, "a", NULL, NULL);
        break;
    case 2:
        (void)firn_saves_read(f.saves, "a", NULL, NULL);
        break;
    case 3:
        (void)firn_saves_request_save(f.saves, "b", NULL, NULL);
        break;
    case 4:
        (void)firn_saves_request_load(f.saves, "b", NULL);
        break;
    case 5:
        (void)firn_saves_end_tick(f.saves, 1, NULL);
        break;
    case 6:
        snprintf(f.level, sizeof f.level, "l%u", (unsigned)below(3));
        break;
    default:
        (void)firn_saves_set_variable(f.saves, "played", &number, NULL);
    }
}

static void stop_in_the_end(void)
{
    while (firn_saves_play_stop(f.saves, NULL) != FIRN_OK) {
        assert_true(firn_saves_playing(f.saves));
        f.tries++;
    }
    assert_false(firn_saves_playing(f.saves));
}

static void assert_only_this_world_is_on_the_bus(void)
{
    firn_error err;
    firn_world *world = firn_saves_world(f.saves);
    f.rang = NULL;
    assert_ok(firn_emit(world, firn_event_register(world, "ring", &err), 0, NULL, 0, &err), &err);
    assert_ptr_equal(f.rang, world);
    for (int i = 0; i < WORLDS; i++)
        assert_int_equal(firn_world_attached(f.worlds[i]), f.worlds[i] == world);
}

static void walk(bool background)
{
    firn_error err;
    make_walk(background);
    for (int round = 0; round < ROUNDS; round++) {
        change_world();
        assert_ok(firn_saves_play_begin(f.saves, &err), &err);
        const firn_hash before = zoo_hash(firn_saves_world(f.saves));
        char level[sizeof f.level];
        memcpy(level, f.level, sizeof level);
        for (uint32_t i = below(12); i > 0; i--)
            play_a_little();
        stop_in_the_end();
        const firn_hash after = zoo_hash(firn_saves_world(f.saves));
        assert_memory_equal(&after, &before, sizeof after);
        assert_string_equal(f.level, level);
        assert_true(firn_saves_play_time(f.saves) == 0);
        assert_null(firn_saves_variable(f.saves, "played"));
        assert_only_this_world_is_on_the_bus();
    }
    end_walk();
}

static void K17_play_of_any_kind_ends_in_the_edited_world(void **state)
{
    (void)state;
    walk(false);
    assert_true(f.tries > 0); // it is always the same walk
}

static void K17_F6_play_with_background_saves_ends_in_the_edited_world(void **state)
{
    (void)state;
    walk(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K17_play_of_any_kind_ends_in_the_edited_world),
        cmocka_unit_test(K17_F6_play_with_background_saves_ends_in_the_edited_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
