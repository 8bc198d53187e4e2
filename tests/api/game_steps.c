// Systems and steps.
#include "api/game_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A system that writes its name to a log, and does what it is told besides.
typedef struct worker {
    const char *name;
    game_log *log;
    void (*work)(struct worker *w, firn_world *world);
    firn_result result; // what it returns
    double dt;          // of the last time
    firn_system system;
    firn_query query;
    firn_iter it;
    const firn_buffer *image;
    uint32_t times;
} worker;

static firn_result run_worker(void *user, firn_world *world, double dt, firn_error *err)
{
    worker *w = user;
    game_note(w->log, w->name);
    w->dt = dt;
    w->times++;
    if (w->work != NULL)
        w->work(w, world);
    if (w->result != FIRN_OK) {
        *err = (firn_error){.code = w->result};
        snprintf(err->message, sizeof err->message, "%s does not want to", w->name);
    }
    return w->result;
}

static void employ(worker *w, firn_world *world, const char *phase)
{
    firn_error err;
    firn_system_desc desc = {.name = w->name,
                             .phase = phase != NULL ? firn_phase_find(world, phase) : 0,
                             .run = run_worker,
                             .user = w};
    w->system = firn_system_add(world, &desc, &err);
    assert_ok(w->system != 0 ? FIRN_OK : err.code, &err);
}

static void step(firn_world *world, double dt)
{
    firn_error err;
    assert_ok(firn_world_step(world, dt, &err), &err);
}

static firn_world *world_of_quarters(void)
{
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    assert_true(firn_world_timestep(world) == 1.0 / 60);
    assert_ok(firn_world_set_timestep(world, 0.25, &err), &err);
    return world;
}

static void every_phase_runs_in_its_time(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = world_of_quarters();
    game_log log = {""};
    worker workers[22];
    for (uint32_t i = 22; i-- > 0;) {
        const char *name = firn_phase_name(world, firn_phase_at(world, i));
        workers[i] = (worker){.name = name, .log = &log};
        employ(&workers[i], world, name);
    }
    step(world, 0);
    assert_log(&log, "PreStartup;Startup;PostStartup;Ingress;First;PreUpdate;Update;PostUpdate;"
                     "RenderFirst;PreRender;Render;PostRender;RenderLast;Last;");
    step(world, 0.5);
    assert_log(&log, "Ingress;First;PreUpdate;"
                     "FixedFirst;FixedPreUpdate;FixedUpdate;FixedPostUpdate;FixedLast;"
                     "FixedFirst;FixedPreUpdate;FixedUpdate;FixedPostUpdate;FixedLast;"
                     "Update;PostUpdate;RenderFirst;PreRender;Render;PostRender;RenderLast;Last;");
    assert_true(workers[1].dt == 0 && workers[3].dt == 0.5 && workers[6].dt == 0.25);
    assert_ok(firn_world_shutdown(world, &err), &err);
    assert_log(&log, "PreShutdown;Shutdown;PostShutdown;");
    assert_ok(firn_world_shutdown(world, &err), &err);
    assert_log(&log, "");
    assert_ok(firn_world_startup(world, &err), &err);
    assert_ok(firn_world_startup(world, &err), &err);
    assert_log(&log, "PreStartup;Startup;PostStartup;");
    firn_world_destroy(world);
}

static void S5_the_tick_counts_fixed_steps_and_comes_back_with_the_accumulator(void **state)
{
    (void)state;
    firn_world *world = world_of_quarters(), *other = world_of_quarters();
    step(world, 0.125);
    assert_int_equal(firn_world_tick(world), 0);
    step(world, 0.25);
    assert_int_equal(firn_world_tick(world), 1);
    step(world, 0.5);
    assert_int_equal(firn_world_tick(world), 3);
    assert_true(firn_world_accumulator(world) == 0.125);
    firn_buffer image = zoo_save(world);
    game_restore(other, &image);
    assert_int_equal(firn_world_tick(other), 3);
    assert_true(firn_world_accumulator(other) == 0.125);
    step(other, 0.125);
    assert_int_equal(firn_world_tick(other), 4);
    firn_buffer_free(&image);
    firn_world_destroy(other);
    firn_world_destroy(world);
}

static void systems_run_in_the_order_in_which_they_were_added(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    game_log log = {""};
    worker a = {.name = "a", .log = &log}, b = {.name = "b", .log = &log};
    worker c = {.name = "c", .log = &log};
    employ(&c, world, "Update");
    employ(&a, world, NULL);
    employ(&b, world, "First");
    step(world, 0);
    assert_log(&log, "b;c;a;");
    assert_true(firn_system_enabled(world, c.system));
    assert_ok(firn_system_enable(world, c.system, false, &err), &err);
    assert_false(firn_system_enabled(world, c.system));
    step(world, 0);
    assert_log(&log, "b;a;");
    assert_ok(firn_system_remove(world, b.system, &err), &err);
    assert_false(firn_system_enabled(world, b.system));
    assert_ok(firn_phase_enable(world, firn_phase_find(world, "Update"), false, &err), &err);
    step(world, 0);
    assert_log(&log, "");
    assert_ok(firn_world_run_phase(world, firn_phase_find(world, "Update"), 2, &err), &err);
    assert_log(&log, "a;");
    assert_true(a.dt == 2);
    firn_world_destroy(world);
}

static void a_system_of_a_state_runs_while_that_is_on_top(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    game_log log = {""};
    worker w = {.name = "w", .log = &log};
    firn_state play = firn_state_create(world, &(firn_state_desc){.name = "play"}, &err);
    firn_state menu = firn_state_create(world, &(firn_state_desc){.name = "menu"}, &err);
    firn_system_desc desc = {.run = run_worker, .state = play, .user = &w};
    assert_int_not_equal(firn_system_add(world, &desc, &err), 0);
    step(world, 0);
    assert_log(&log, "");
    assert_ok(firn_state_push(world, play, &err), &err);
    step(world, 0);
    assert_log(&log, "w;");
    assert_ok(firn_state_push(world, menu, &err), &err);
    step(world, 0);
    assert_log(&log, "");
    firn_world_destroy(world);
}

static void remove_itself(worker *w, firn_world *world)
{
    firn_error err;
    assert_ok(firn_system_remove(world, w->system, &err), &err);
    assert_int_equal(firn_system_remove(world, w->system, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "system");
}

static void add_another(worker *w, firn_world *world)
{
    w->work = remove_itself;
    employ(w, world, "Update");
}

static void systems_come_and_go_while_they_run(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    game_log log = {""};
    worker adds = {.name = "adds", .log = &log, .work = add_another};
    worker last = {.name = "last", .log = &log};
    employ(&adds, world, "Update");
    employ(&last, world, "Update");
    step(world, 0); // the one that it adds waits
    assert_log(&log, "adds;last;");
    step(world, 0); // two of one worker: the first one removes the second
    assert_log(&log, "adds;last;");
    adds.work = NULL;
    step(world, 0);
    assert_log(&log, "adds;last;");
    firn_world_destroy(world);
}

static void the_first_failure_is_returned_and_the_others_run(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = world_of_quarters();
    game_log log = {""};
    worker bad = {.name = "bad", .log = &log, .result = FIRN_REFUSED};
    worker worse = {.name = "worse", .log = &log, .result = FIRN_IO};
    worker good = {.name = "good", .log = &log};
    employ(&bad, world, "FixedUpdate");
    employ(&worse, world, "Update");
    employ(&good, world, "Last");
    assert_int_equal(firn_world_step(world, 0.25, &err), FIRN_REFUSED);
    assert_string_equal(err.message, "bad does not want to");
    assert_log(&log, "bad;worse;good;");
    assert_int_equal(firn_world_tick(world), 1);
    firn_world_destroy(world);
}

static firn_result fail_silently(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)user, (void)world, (void)dt, (void)err;
    return FIRN_REFUSED;
}

static void a_system_that_fails_without_a_word_is_named(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_system_desc desc = {.name = "game.quiet", .run = fail_silently};
    assert_int_not_equal(firn_system_add(world, &desc, &err), 0);
    assert_int_equal(firn_world_step(world, 0, &err), FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "game.quiet");
    firn_world_destroy(world);
}

// ---- loops, saves and loads inside

static void leave_loop_open(worker *w, firn_world *world)
{
    firn_iter_begin(world, w->query, &w->it);
    assert_true(firn_iter_next(&w->it));
    firn_error err;
    assert_ok(firn_despawn(world, w->it.entities[0], &err), &err);
}

static void a_loop_that_a_system_leaves_open_is_closed(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    game_log log = {""};
    worker w = {.name = "game.open", .log = &log, .work = leave_loop_open};
    w.query = firn_query_create(world, &(firn_query_desc){.name = "all"}, &err);
    zoo_spawn(world, NULL, 0);
    employ(&w, world, "Update");
    step(world, 0);
    assert_int_equal(firn_entity_count(world), 0);
    assert_int_equal(firn_iter_end(&w.it, &err), FIRN_INVALID);
    assert_ok(firn_query_destroy(world, w.query, &err), &err);
    firn_world_destroy(world);
}

static void save_and_load(worker *w, firn_world *world)
{
    firn_buffer image = zoo_save(world);
    zoo_spawn(world, NULL, 0);
    game_restore(world, &image);
    assert_int_equal(firn_entity_count(world), w->times);
    zoo_spawn(world, NULL, 0);
    firn_buffer_free(&image);
}

static void N4_a_system_saves_and_loads_after_its_loop(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    game_log log = {""};
    worker w = {.name = "w", .log = &log, .work = save_and_load};
    employ(&w, world, "Update");
    zoo_spawn(world, NULL, 0);
    step(world, 0);
    step(world, 0);
    assert_int_equal(firn_entity_count(world), 3);
    firn_world_destroy(world);
}

static void load_image(worker *w, firn_world *world)
{
    if (w->image != NULL)
        game_restore(world, w->image);
    w->image = NULL;
}

static void T7_a_load_inside_a_step_ends_it(void **state)
{
    (void)state;
    firn_world *world = world_of_quarters();
    game_log log = {""};
    worker fixed = {.name = "fixed", .log = &log, .work = load_image};
    worker more = {.name = "more", .log = &log}, after = {.name = "after", .log = &log};
    employ(&fixed, world, "FixedUpdate");
    employ(&more, world, "FixedUpdate");
    employ(&after, world, "Update");
    step(world, 0.625);
    assert_log(&log, "fixed;more;fixed;more;after;");
    firn_buffer image = zoo_save(world);
    step(world, 0.375);
    log.text[0] = 0;
    fixed.image = &image;
    step(world, 0.5);
    assert_log(&log, "fixed;");
    assert_int_equal(firn_world_tick(world), 2);
    assert_true(firn_world_accumulator(world) == 0.125);
    assert_saves_as(world, &image);
    step(world, 0.125);
    assert_log(&log, "fixed;more;after;");
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

// ---- runs

// Spawns, draws, and ends what was drawn.
static void live(worker *w, firn_world *world)
{
    firn_error err;
    firn_random *random = firn_random_stream(world, "game.life", &err);
    for (int64_t i = firn_random_integer(random, 0, 3); i > 0; i--)
        zoo_spawn(world, NULL, 0);
    firn_entity entities[64];
    uint32_t count = 0;
    firn_iter it;
    for (firn_iter_begin(world, w->query, &it); firn_iter_next(&it);)
        for (uint32_t i = 0; i < it.count && count < 64; i++)
            entities[count++] = it.entities[i];
    assert_ok(firn_iter_end(&it, &err), &err);
    if (count > 5)
        assert_ok(firn_despawn(world, entities[firn_random_integer(random, 0, count - 1)], &err),
                  &err);
    if (firn_random_next(random) < 0.2)
        assert_ok(firn_phase_enable(world, firn_phase_find(world, "PreRender"),
                                    firn_random_next(random) < 0.5, &err),
                  &err);
    if (firn_random_next(random) < 0.3)
        assert_ok(firn_state_push(world, firn_state_find(world, "play"), &err), &err);
    else if (firn_state_depth(world) > 0 && firn_random_next(random) < 0.3)
        assert_ok(firn_state_pop(world, &err), &err);
}

static firn_world *living_world(worker *w, game_log *log)
{
    firn_error err;
    firn_world *world = world_of_quarters();
    *w = (worker){.name = "", .log = log, .work = live};
    w->query = firn_query_create(world, &(firn_query_desc){.name = "all"}, &err);
    firn_state_desc play = {.name = "play", .despawn_on_pop = true};
    assert_int_not_equal(firn_state_create(world, &play, &err), 0);
    employ(w, world, "FixedUpdate");
    return world;
}

static void T19_steps_after_a_load_in_a_fresh_world_are_the_same_steps(void **state)
{
    (void)state;
    firn_error err;
    game_log log = {""};
    worker w, fresh;
    for (int32_t seed = 1; seed <= 10; seed++) {
        firn_world *world = living_world(&w, &log), *other = living_world(&fresh, &log);
        assert_ok(firn_random_seed(world, seed, &err), &err);
        for (int i = 0; i < 30; i++)
            step(world, 0.3125);
        firn_buffer middle = zoo_save(world);
        game_restore(other, &middle);
        for (int i = 0; i < 30; i++) {
            step(world, 0.3125);
            step(other, 0.3125);
            log.text[0] = 0;
        }
        firn_buffer image = zoo_save(world);
        assert_saves_as(other, &image);
        assert_int_equal(firn_world_tick(world), 75);
        firn_buffer_free(&image);
        firn_buffer_free(&middle);
        firn_world_destroy(other);
        firn_world_destroy(world);
    }
}

// ---- what is refused

static void step_inside(worker *w, firn_world *world)
{
    firn_error err;
    (void)w;
    assert_int_equal(firn_world_step(world, 0, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "Update");
    assert_int_equal(firn_world_startup(world, &err), FIRN_BUSY);
    assert_int_equal(firn_world_shutdown(world, &err), FIRN_BUSY);
    firn_phase update = firn_phase_find(world, "Update");
    assert_int_equal(firn_world_run_phase(world, update, 0, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "Update");
    assert_int_equal(firn_phase_add(world, "game.Late", update, &err), 0);
    assert_error(&err, FIRN_BUSY, "Update");
    assert_ok(firn_world_run_phase(world, firn_phase_find(world, "Last"), 0, &err), &err);
}

static void a_step_inside_a_step_is_refused(void **state)
{
    (void)state;
    firn_world *world = zoo_empty(NULL);
    game_log log = {""};
    worker w = {.name = "w", .log = &log, .work = step_inside};
    worker last = {.name = "last", .log = &log};
    employ(&w, world, "Update");
    employ(&last, world, "Last");
    step(world, 0);
    assert_log(&log, "w;last;last;");
    firn_world_destroy(world);
}

static void times_that_are_none_are_refused(void **state)
{
    (void)state;
    static const double bad[] = {-1, NAN, INFINITY, -INFINITY};
    firn_error err;
    firn_world *world = world_of_quarters();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(firn_world_step(world, bad[i], &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "dt");
        assert_int_equal(firn_world_set_timestep(world, bad[i], &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "seconds");
        firn_phase update = firn_phase_find(world, "Update");
        assert_int_equal(firn_world_run_phase(world, update, bad[i], &err), FIRN_INVALID);
    }
    assert_int_equal(firn_world_set_timestep(world, 0, &err), FIRN_INVALID);
    assert_true(firn_world_timestep(world) == 0.25);
    assert_int_equal(firn_world_step(world, 0.25 * 65537, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "dt");
    assert_true(firn_world_accumulator(world) == 0);
    assert_int_equal(firn_world_step(NULL, 0, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    firn_world_destroy(world);
}

static void T7_a_world_loads_every_time_that_a_world_can_save(void **state)
{
    (void)state;
    firn_error err;
    firn_world *slow = zoo_empty(NULL), *fast = zoo_empty(NULL);
    assert_ok(firn_world_set_timestep(slow, 3600, &err), &err);
    step(slow, 1800);
    firn_buffer image = zoo_save(slow);
    assert_ok(firn_world_set_timestep(slow, 0.01, &err), &err);
    game_restore(slow, &image);
    game_restore(fast, &image);
    assert_true(firn_world_accumulator(fast) == 1800);
    assert_int_equal(firn_world_step(fast, 0, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "dt");
    assert_non_null(strstr(err.message, "firn_world_set_accumulator"));
    assert_ok(firn_world_set_accumulator(fast, 0.015, &err), &err);
    step(fast, 0.015);
    assert_int_equal(firn_world_tick(fast), 1);
    firn_buffer_free(&image);
    firn_world_destroy(fast);
    firn_world_destroy(slow);
}

static void set_time(worker *w, firn_world *world)
{
    (void)w;
    firn_error err;
    assert_int_equal(firn_world_set_accumulator(world, 1e9, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "FixedUpdate");
}

static void the_time_that_waits_is_set_between_steps(void **state)
{
    (void)state;
    static const double bad[] = {-1, NAN, INFINITY};
    firn_error err;
    firn_world *world = world_of_quarters();
    game_log log = {""};
    worker w = {.name = "w", .log = &log, .work = set_time};
    employ(&w, world, "FixedUpdate");
    assert_ok(firn_world_set_accumulator(world, 0.25, &err), &err);
    step(world, 0.125);
    assert_int_equal(w.times, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(firn_world_set_accumulator(world, bad[i], &err), FIRN_INVALID);
        assert_error(&err, FIRN_INVALID, "seconds");
    }
    assert_true(firn_world_accumulator(world) == 0.125);
    // More than can be counted is more than a step takes.
    assert_ok(firn_world_set_timestep(world, 1e305, &err), &err);
    assert_ok(firn_world_set_accumulator(world, 1.5e308, &err), &err);
    assert_int_equal(firn_world_step(world, 1.5e308, &err), FIRN_LIMIT);
    firn_world_destroy(world);
}

static void systems_that_are_none_are_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL), *other = zoo_empty(NULL);
    game_log log = {""};
    worker w = {.name = "w", .log = &log};
    employ(&w, other, "Update");
    firn_system_desc desc = {.name = "x"};
    assert_int_equal(firn_system_add(world, &desc, &err), 0);
    assert_error(&err, FIRN_INVALID, "run");
    desc.run = run_worker;
    desc.phase = firn_phase_find(other, "Update");
    assert_int_equal(firn_system_add(world, &desc, &err), 0);
    assert_error(&err, FIRN_INVALID, "phase");
    desc.phase = 0;
    desc.state = 3;
    assert_int_equal(firn_system_add(world, &desc, &err), 0);
    assert_error(&err, FIRN_INVALID, "state");
    desc.state = 0;
    desc.reserved[3] = 1;
    assert_int_equal(firn_system_add(world, &desc, &err), 0);
    assert_error(&err, FIRN_INVALID, "firn_system_desc");
    assert_int_equal(firn_system_add(world, NULL, &err), 0);
    assert_error(&err, FIRN_INVALID, "desc");
    assert_int_equal(firn_system_remove(world, w.system, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "system");
    assert_int_equal(firn_system_enable(world, 0, true, &err), FIRN_INVALID);
    assert_false(firn_system_enabled(world, w.system));
    firn_world_destroy(other);
    firn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_phase_runs_in_its_time),
        cmocka_unit_test(S5_the_tick_counts_fixed_steps_and_comes_back_with_the_accumulator),
        cmocka_unit_test(systems_run_in_the_order_in_which_they_were_added),
        cmocka_unit_test(a_system_of_a_state_runs_while_that_is_on_top),
        cmocka_unit_test(systems_come_and_go_while_they_run),
        cmocka_unit_test(the_first_failure_is_returned_and_the_others_run),
        cmocka_unit_test(a_system_that_fails_without_a_word_is_named),
        cmocka_unit_test(a_loop_that_a_system_leaves_open_is_closed),
        cmocka_unit_test(N4_a_system_saves_and_loads_after_its_loop),
        cmocka_unit_test(T7_a_load_inside_a_step_ends_it),
        cmocka_unit_test(T19_steps_after_a_load_in_a_fresh_world_are_the_same_steps),
        cmocka_unit_test(a_step_inside_a_step_is_refused),
        cmocka_unit_test(times_that_are_none_are_refused),
        cmocka_unit_test(T7_a_world_loads_every_time_that_a_world_can_save),
        cmocka_unit_test(the_time_that_waits_is_set_between_steps),
        cmocka_unit_test(systems_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
