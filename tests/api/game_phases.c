// Phases, and what is saved of them.
#include "api/game_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PIPELINE "__tecs.pipeline"

static firn_phase phase_of(firn_world *world, const char *name)
{
    firn_phase phase = firn_phase_find(world, name);
    if (phase == 0)
        fail_msg("no phase %s", name);
    return phase;
}

static firn_phase add_after(firn_world *world, const char *name, const char *after)
{
    firn_error err;
    firn_phase phase = firn_phase_add(world, name, phase_of(world, after), &err);
    assert_ok(phase != 0 ? FIRN_OK : err.code, &err);
    return phase;
}

static void enable(firn_world *world, const char *name, bool enabled)
{
    firn_error err;
    assert_ok(firn_phase_enable(world, phase_of(world, name), enabled, &err), &err);
}

static bool is_enabled(firn_world *world, const char *name)
{
    return firn_phase_enabled(world, phase_of(world, name));
}

static void T7_the_built_in_phases_stand_in_their_order(void **state)
{
    (void)state;
    static const char *const names[] = {
#define PHASE_TEXT(name) #name,
        FIRN_PHASES(PHASE_TEXT)
#undef PHASE_TEXT
    };
    firn_world *world = zoo_empty(NULL);
    assert_int_equal(firn_phase_count(world), 22);
    for (uint32_t i = 0; i < 22; i++) {
        firn_phase phase = firn_phase_at(world, i);
        assert_string_equal(firn_phase_name(world, phase), names[i]);
        assert_int_equal(firn_phase_find(world, names[i]), phase);
        assert_true(firn_phase_enabled(world, phase));
    }
    assert_string_equal(names[3], "Ingress");
    assert_int_equal(firn_phase_at(world, 22), 0);
    firn_world_destroy(world);
}

static void a_phase_of_the_game_stands_right_behind_another(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    firn_phase early = add_after(world, "game.Early", "First");
    firn_phase earlier = add_after(world, "game.Earlier", "First");
    assert_int_equal(firn_phase_count(world), 24);
    assert_int_equal(firn_phase_at(world, 4), phase_of(world, "First"));
    assert_int_equal(firn_phase_at(world, 5), earlier);
    assert_int_equal(firn_phase_at(world, 6), early);
    assert_int_equal(firn_phase_at(world, 7), phase_of(world, "PreUpdate"));
    firn_world_destroy(world);
}

static void T7_a_world_at_rest_saves_no_pipeline(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    add_after(world, "game.Early", "First");
    assert_entry(world, PIPELINE, NULL);
    enable(world, "Update", false);
    enable(world, "Update", true);
    assert_entry(world, PIPELINE, NULL);
    firn_world_destroy(world);
}

static void T7_the_entry_has_names_time_and_positions(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    assert_ok(firn_world_set_timestep(world, 1, &err), &err);
    assert_ok(firn_world_step(world, 0.25, &err), &err);
    add_after(world, "game.Late", "Last");
    enable(world, "game.Late", false);
    enable(world, "Ingress", false);
    assert_entry(world, PIPELINE,
                 "{disabledPhases = {Ingress = true, [\"game.Late\"] = true},"
                 " fixedAccumulator = 0.25, phaseStates = {true, true, true, false, true, true,"
                 " true, true, true, true, true, true, true, true, true, true, true, true, true,"
                 " false, true, true, true}}");
    firn_world_destroy(world);
}

static void T7_flags_and_accumulator_come_back(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL), *other = zoo_empty(NULL);
    add_after(world, "game.Late", "Last");
    enable(world, "game.Late", false);
    enable(world, "FixedUpdate", false);
    assert_ok(firn_world_step(world, 0.01, &err), &err);
    firn_buffer image = zoo_save(world);
    add_after(other, "game.Late", "First"); // names win over positions
    enable(other, "Render", false);
    game_restore(other, &image);
    assert_true(firn_world_accumulator(other) == 0.01);
    assert_false(is_enabled(other, "game.Late"));
    assert_false(is_enabled(other, "FixedUpdate"));
    assert_true(is_enabled(other, "Render"));
    assert_ok(game_load(other, NULL, NULL, &err), &err);
    assert_true(firn_world_accumulator(other) == 0);
    assert_true(is_enabled(other, "FixedUpdate"));
    firn_buffer_free(&image);
    firn_world_destroy(other);
    firn_world_destroy(world);
}

static void T7_a_phase_that_only_the_save_knows_stays_disabled_for_when_it_is_added(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    const char *tree = "{fixedAccumulator = 0, phaseStates = {},"
                       " disabledPhases = {[\"mod.A\"] = true, [\"mod.B\"] = true, Gone = false}}";
    assert_ok(game_load(world, PIPELINE, tree, &err), &err);
    assert_int_equal(firn_phase_find(world, "mod.A"), 0);
    assert_int_equal(firn_phase_count(world), 22);
    firn_buffer image = zoo_save(world);
    game_restore(world, &image);
    assert_saves_as(world, &image);
    firn_buffer_free(&image);
    assert_false(firn_phase_enabled(world, add_after(world, "mod.A", "First")));
    // Another save knows others: the first are forgotten.
    tree = "{fixedAccumulator = 0, disabledPhases = {[\"mod.C\"] = true, [\"mod.D\"] = true}}";
    assert_ok(game_load(world, PIPELINE, tree, &err), &err);
    assert_true(is_enabled(world, "mod.A"));
    assert_true(firn_phase_enabled(world, add_after(world, "mod.B", "First")));
    assert_false(firn_phase_enabled(world, add_after(world, "mod.D", "First")));
    assert_int_equal(firn_phase_count(world), 25);
    firn_world_destroy(world);
}

// A list of booleans of which the one at `off` is false.
static const char *positions(char *text, size_t room, uint32_t count, uint32_t off)
{
    size_t size = (size_t)snprintf(text, room, "{fixedAccumulator = 0.5, phaseStates = {");
    for (uint32_t i = 0; i < count; i++)
        size += (size_t)snprintf(text + size, room - size, "%s,", i == off ? "false" : "true");
    snprintf(text + size, room - size, "}}");
    return text;
}

static void T7_positions_of_21_and_of_22_phases_are_read(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    char text[512];
    for (uint32_t count = 21; count <= 22; count++) {
        for (uint32_t off = 0; off < count; off++) {
            const char *tree = positions(text, sizeof text, count, off);
            assert_ok(game_load(world, PIPELINE, tree, &err), &err);
            uint32_t place = off + (count == 21 && off >= 3);
            for (uint32_t i = 0; i < 22; i++)
                assert_int_equal(firn_phase_enabled(world, firn_phase_at(world, i)), i != place);
        }
    }
    assert_refused(world, PIPELINE, positions(text, sizeof text, 20, 0), FIRN_CORRUPT, "20 phases");
    assert_refused(world, PIPELINE, positions(text, sizeof text, 23, 0), FIRN_CORRUPT, "23 phases");
    assert_refused(world, PIPELINE, positions(text, sizeof text, 0, 0), FIRN_CORRUPT, "0 phases");
    firn_world_destroy(world);
}

static void T7_what_is_no_pipeline_is_refused_before_anything_changes(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    enable(world, "Update", false);
    static const struct {
        const char *tree;
        firn_result result;
        const char *part;
    } bad[] = {
        {"true", FIRN_CORRUPT, "not a table"},
        {"{disabledPhases = {}}", FIRN_CORRUPT, "fixedAccumulator is not a number"},
        {"{fixedAccumulator = true, disabledPhases = {}}", FIRN_CORRUPT,
         "fixedAccumulator is not a number"},
        {"{fixedAccumulator = -0.5, disabledPhases = {}}", FIRN_CORRUPT, "not a finite time"},
        {"{fixedAccumulator = 0}", FIRN_CORRUPT, "phaseStates is not a list"},
        {"{fixedAccumulator = 0, phaseStates = 1}", FIRN_CORRUPT, "phaseStates is not a list"},
        {"{fixedAccumulator = 0, phaseStates = {Update = true}}", FIRN_CORRUPT,
         "phaseStates is not a list"},
        {"{fixedAccumulator = 0, phaseStates = {true, 1}, disabledPhases = {}}", FIRN_CORRUPT,
         "phase 2 is not a boolean"},
        {"{fixedAccumulator = 0, disabledPhases = 5}", FIRN_CORRUPT, "not a table"},
        {"{fixedAccumulator = 0, disabledPhases = {\"Update\"}}", FIRN_CORRUPT, "name = boolean"},
        {"{fixedAccumulator = 0, disabledPhases = {Update = 1}}", FIRN_CORRUPT, "name = boolean"},
        {"{fixedAccumulator = 0, disabledPhases = {[\"\"] = true}}", FIRN_CORRUPT, "name"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(world, PIPELINE, bad[i].tree, bad[i].result, bad[i].part);
    firn_world_destroy(world);
}

static void T7_a_time_that_is_no_number_is_refused(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    firn_world *world = zoo_empty(NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        firn_error err;
        const char *tree = "{fixedAccumulator = 0.75, disabledPhases = {}}";
        firn_buffer image = game_image(PIPELINE, tree);
        const uint8_t was[] = {0, 0, 0, 0, 0, 0, 0xe8, 0x3f}; // 0.75
        size_t at = 0;
        while (at + 8 < image.size && memcmp(image.data + at, was, 8) != 0)
            at++;
        uint64_t bits;
        memcpy(&bits, &bad[i], 8);
        for (int b = 0; b < 8; b++)
            image.data[at + (size_t)b] = (uint8_t)(bits >> (8 * b));
        assert_int_equal(firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err),
                         FIRN_CORRUPT);
        assert_error(&err, FIRN_CORRUPT, PIPELINE);
        assert_true(firn_world_accumulator(world) == 0);
        firn_buffer_free(&image);
    }
    firn_world_destroy(world);
}

static void T7_a_phase_named_twice_is_refused_under_the_name_of_the_entry(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    const char *tree = "{fixedAccumulator = 0, disabledPhases = {first = true, fires = true}}";
    firn_buffer image = game_image(PIPELINE, tree);
    size_t at = 0;
    while (at + 5 < image.size && memcmp(image.data + at, "fires", 5) != 0)
        at++;
    memcpy(image.data + at, "first", 5);
    assert_int_equal(firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err),
                     FIRN_CORRUPT);
    assert_error(&err, FIRN_CORRUPT, PIPELINE);
    assert_true(err.offset > at && err.offset < image.size);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void phases_have_limits(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL), *other = zoo_empty(NULL);
    firn_phase update = phase_of(world, "Update");
    assert_int_equal(firn_phase_add(world, "Render", update, &err), 0);
    assert_error(&err, FIRN_EXISTS, "Render");
    assert_int_equal(firn_phase_add(world, "game.A", 0, &err), 0);
    assert_error(&err, FIRN_INVALID, "after");
    assert_int_equal(firn_phase_add(world, "game.A", phase_of(other, "Update"), &err), 0);
    assert_error(&err, FIRN_INVALID, "after");
    assert_int_equal(firn_phase_add(world, NULL, update, &err), 0);
    assert_error(&err, FIRN_INVALID, "");
    assert_int_equal(firn_phase_enable(world, 17, false, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "phase");
    assert_string_equal(firn_phase_name(world, 17), "");
    assert_false(firn_phase_enabled(world, 17));
    for (uint32_t i = 22; i < 1024; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%u", i);
        add_after(world, name, "Update");
    }
    assert_int_equal(firn_phase_add(world, "one more", update, &err), 0);
    assert_error(&err, FIRN_LIMIT, "one more");
    assert_refused(world, PIPELINE,
                   "{fixedAccumulator = 0, disabledPhases = {[\"one more\"] = true}}", FIRN_LIMIT,
                   "1025 phases");
    firn_world_destroy(other);
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T7_the_built_in_phases_stand_in_their_order),
        cmocka_unit_test(a_phase_of_the_game_stands_right_behind_another),
        cmocka_unit_test(T7_a_world_at_rest_saves_no_pipeline),
        cmocka_unit_test(T7_the_entry_has_names_time_and_positions),
        cmocka_unit_test(T7_flags_and_accumulator_come_back),
        cmocka_unit_test(T7_a_phase_that_only_the_save_knows_stays_disabled_for_when_it_is_added),
        cmocka_unit_test(T7_positions_of_21_and_of_22_phases_are_read),
        cmocka_unit_test(T7_what_is_no_pipeline_is_refused_before_anything_changes),
        cmocka_unit_test(T7_a_time_that_is_no_number_is_refused),
        cmocka_unit_test(T7_a_phase_named_twice_is_refused_under_the_name_of_the_entry),
        cmocka_unit_test(phases_have_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
