// What becomes of handlers and plugins in a replacement world.
#include "api/game_world.h"

#include <stdlib.h>
#include <string.h>

// What install of the plugin registers: a game may keep it in one place for all worlds, for the
// handles mean the same.
typedef struct weather {
    game_log log;
    firn_component wind;
    firn_event_kind gust;
    firn_state storm;
    firn_phase drift;
    firn_system blow, calm;
    firn_query windy;
    firn_query queries[3]; // the last one is windy
    uint32_t installs, destroys, worlds;
    firn_result answer; // of install, from the second time on
    bool idle;          // install registers nothing from the second time on
} weather;

// A handler that notes its name when it loads.
typedef struct noting {
    game_log *log;
    const char *name;
} noting;

static firn_result note_load(void *user, firn_world *world, firn_reader *in, firn_error *err)
{
    noting *n = user;
    (void)world, (void)err;
    (void)firn_read_number(in);
    game_note(n->log, n->name);
    return FIRN_OK;
}

static firn_result write_one(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)user, (void)world, (void)err;
    firn_write_number(out, 1);
    return FIRN_OK;
}

static firn_handler noting_handler(noting *n)
{
    return (firn_handler){
        .abi = FIRN_ABI, .name = n->name, .save = write_one, .load = note_load, .user = n};
}

static firn_result encode_wind(void *user, const firn_rows *rows, firn_writer *out, firn_error *err)
{
    (void)user;
    const double *wind = rows->data;
    for (uint32_t i = 0; i < rows->count; i++) {
        if (wind[i] < 0) {
            err->code = FIRN_REFUSED;
            return FIRN_REFUSED;
        }
        firn_write_number(out, wind[i]);
    }
    return FIRN_OK;
}

static firn_result decode_wind(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user, (void)err;
    double *wind = rows->data;
    for (uint32_t i = 0; i < rows->count; i++)
        wind[i] = firn_read_number(in);
    return FIRN_OK;
}

static firn_result run_noting(void *user, firn_world *world, double dt, firn_error *err)
{
    weather *w = user;
    (void)dt, (void)err;
    game_note(&w->log, firn_resource_get(world, "weather.air"));
    return FIRN_OK;
}

static void enter_storm(void *user, firn_world *world)
{
    weather *w = user;
    (void)world;
    game_note(&w->log, "storm");
}

static firn_result install_weather(void *user, firn_world *world, firn_error *err)
{
    weather *w = user;
    w->installs++;
    if (w->installs > 1 && w->answer != FIRN_OK)
        return w->answer;
    if (w->installs > 1 && w->idle)
        return FIRN_OK;
    w->worlds++;
    assert_ok(firn_resource_set(world, "weather.air", w->worlds == 1 ? "one" : "two", NULL, err),
              err);
    w->gust = firn_event_register(world, "Gust", err);
    w->storm = firn_state_create(
        world, &(firn_state_desc){.name = "storm", .enter = enter_storm, .user = w}, err);
    w->drift = firn_phase_add(world, "Drift", firn_phase_find(world, "Update"), err);
    firn_system_desc blow = {.name = "blow", .phase = w->drift, .run = run_noting, .user = w};
    w->blow = firn_system_add(world, &blow, err);
    w->calm = firn_system_add(world, &blow, err); // two of one name
    firn_component name = firn_name(world);
    firn_term terms[] = {{.component = name}, {.component = firn_paused(world)}};
    firn_term read[] = {{.component = name, .read_only = true}, terms[1]};
    firn_query_desc windy[] = {{.name = "calm", .terms = terms, .term_count = 2},
                               {.name = "windy", .terms = read, .term_count = 2},
                               {.name = "windy", .terms = terms, .term_count = 2}};
    for (uint32_t i = 0; i < 3; i++) { // in another order in the second world
        uint32_t which = w->worlds == 1 ? i : 2 - i;
        w->queries[which] = firn_query_create(world, &windy[which], err);
    }
    w->windy = w->queries[2];
    bool all = w->gust && w->storm && w->drift && w->blow && w->calm && w->windy;
    return all ? FIRN_OK : err->code;
}

static void destroy_weather(void *user, firn_world *world)
{
    weather *w = user;
    assert_non_null(world);
    w->destroys++;
}

static firn_result hear_gust(void *user, firn_world *world, const firn_event *event,
                             firn_error *err)
{
    weather *w = user;
    (void)world, (void)event, (void)err;
    game_note(&w->log, "gust");
    return FIRN_OK;
}

// A world with the handlers h1, weather.own of the plugin, and h2.
typedef struct place {
    weather w;
    firn_world *world;
    noting notes[3];
    firn_component wind;
} place;

static void make_place(place *p, test_allocator *memory)
{
    firn_error err;
    *p = (place){.w = {.answer = FIRN_OK}};
    p->world = zoo_empty(memory);
    static const char *const names[] = {"h1", "weather.own", "h2"};
    firn_handler handlers[3];
    for (int i = 0; i < 3; i++) {
        p->notes[i] = (noting){&p->w.log, names[i]};
        handlers[i] = noting_handler(&p->notes[i]);
    }
    assert_ok(firn_handler_add(p->world, &handlers[0], &err), &err);
    const firn_codec codec = {FIRN_ABI, "weather.wind", encode_wind, decode_wind, NULL};
    const firn_observer_desc gust = {.event = "Gust", .observe = hear_gust, .user = &p->w};
    firn_plugin plugin = {
        .abi = FIRN_ABI,
        .name = "weather",
        .codecs = (const firn_codec *const[]){&codec, NULL},
        .handlers = (const firn_handler *const[]){&handlers[1], NULL},
        .events = (const char *const[]){"Gust", NULL},
        .observers = (const firn_observer_desc *const[]){&gust, &gust, NULL},
        .install = install_weather,
        .destroy = destroy_weather,
        .user = &p->w,
    };
    assert_ok(firn_plugin_add(p->world, &plugin, &err), &err);
    assert_ok(firn_handler_add(p->world, &handlers[2], &err), &err);
    static const firn_field fields[] = {{.name = "force", .type = FIRN_F64}};
    firn_component_desc wind = zoo_struct("Wind", sizeof(double), fields, 1);
    wind.codec = firn_codec_find(p->world, "weather.wind");
    assert_non_null(wind.codec);
    p->wind = zoo_register(p->world, &wind);
    p->w.log.text[0] = 0;
}

static void S9_install_runs_for_the_replacement_and_registers_the_same(void **state)
{
    (void)state;
    firn_error err;
    test_allocator memory;
    test_allocator_init(&memory);
    place p;
    make_place(&p, &memory);
    weather before = p.w;
    firn_component name = firn_name(p.world);
    zoo_spawn_one(p.world, name);
    assert_ok(firn_system_enable(p.world, p.w.calm, false, &err), &err);
    firn_buffer image = zoo_save(p.world);
    firn_world *world = firn_world_build_from(p.world, image.data, image.size, NULL, NULL, &err);
    assert_non_null(world);
    assert_log(&p.w.log, "h1;weather.own;h2;");
    assert_int_equal(p.w.installs, 2);
    assert_true(p.w.gust == before.gust && p.w.storm == before.storm && p.w.drift == before.drift &&
                p.w.blow == before.blow && p.w.calm == before.calm && p.w.windy == before.windy);
    assert_memory_equal(p.w.queries, before.queries, sizeof before.queries);
    // Each world has its own resource, and the systems of both run once, where they are enabled.
    assert_ok(firn_world_step(p.world, 0, &err), &err);
    assert_log(&p.w.log, "one;");
    assert_ok(firn_world_step(world, 0, &err), &err);
    assert_log(&p.w.log, "two;");
    assert_ok(firn_state_push(world, p.w.storm, &err), &err);
    assert_log(&p.w.log, "storm;");
    // The observers of the plugin are there, twice.
    assert_ok(firn_emit(world, p.w.gust, 0, NULL, 0, &err), &err);
    assert_log(&p.w.log, "gust;gust;");
    // What it registers later is new.
    firn_query_desc windy = {.name = "windy"};
    assert_int_not_equal(firn_query_create(world, &windy, &err), p.w.windy);
    assert_int_equal(firn_state_create(world, &(firn_state_desc){.name = "storm"}, &err), 0);
    assert_error(&err, FIRN_EXISTS, "storm");
    assert_int_equal(firn_phase_add(world, "Drift", p.w.drift, &err), 0);
    assert_error(&err, FIRN_EXISTS, "Drift");
    firn_world_destroy(world);
    assert_int_equal(p.w.destroys, 1);
    firn_world_destroy(p.world);
    assert_int_equal(p.w.destroys, 2);
    firn_buffer_free(&image);
    assert_no_leak(&memory);
}

static void S9_codecs_of_a_plugin_live_as_long_as_the_replacement(void **state)
{
    (void)state;
    firn_error err;
    test_allocator memory;
    test_allocator_init(&memory);
    place p;
    make_place(&p, &memory);
    firn_buffer image = zoo_save(p.world);
    firn_world *world = firn_world_build_from(p.world, image.data, image.size, NULL, NULL, &err);
    assert_non_null(world);
    firn_world_destroy(p.world);
    assert_ptr_not_equal(firn_codec_find(world, "weather.wind"), NULL);
    assert_int_equal(firn_plugin_remove(world, "weather", &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "Wind");
    firn_entity entity = zoo_spawn_one(world, p.wind);
    double bad = -1;
    assert_ok(firn_set(world, entity, p.wind, &bad, &err), &err);
    firn_buffer out = {0};
    assert_int_equal(firn_snapshot_save(world, NULL, &out, &err), FIRN_REFUSED);
    assert_non_null(strstr(err.message, "weather.wind"));
    firn_buffer_free(&out);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    assert_no_leak(&memory);
}

static void S9_an_install_that_refuses_leaves_no_replacement(void **state)
{
    (void)state;
    firn_error err;
    test_allocator memory;
    test_allocator_init(&memory);
    place p;
    make_place(&p, &memory);
    firn_buffer image = zoo_save(p.world);
    p.w.answer = FIRN_REFUSED;
    assert_null(firn_world_build_from(p.world, image.data, image.size, NULL, NULL, &err));
    assert_error(&err, FIRN_REFUSED, "weather");
    assert_int_equal(p.w.destroys, 0); // it was not installed
    assert_saves_as(p.world, &image);
    firn_world_destroy(p.world);
    firn_buffer_free(&image);
    assert_no_leak(&memory);
}

static void S9_what_install_registers_no_more_is_there_as_it_was(void **state)
{
    (void)state;
    firn_error err;
    place p;
    make_place(&p, NULL);
    firn_buffer image = zoo_save(p.world);
    p.w.idle = true;
    firn_load_options keep = {.keep_unknown = true};
    firn_world *world = firn_world_build_from(p.world, image.data, image.size, &keep, NULL, &err);
    assert_non_null(world);
    assert_int_equal(firn_state_find(world, "storm"), p.w.storm);
    assert_int_equal(firn_phase_find(world, "Drift"), p.w.drift);
    assert_true(firn_system_enabled(world, p.w.blow));
    assert_int_equal(firn_query_count(world, p.w.windy), 0);
    firn_world_destroy(world);
    firn_world_destroy(p.world);
    firn_buffer_free(&image);
}

static void S9_what_a_removed_plugin_left_is_the_games(void **state)
{
    (void)state;
    firn_error err;
    weather w = {.answer = FIRN_OK};
    firn_world *original = zoo_empty(NULL);
    firn_plugin plugin = {
        .abi = FIRN_ABI, .name = "weather", .install = install_weather, .user = &w};
    assert_ok(firn_plugin_add(original, &plugin, &err), &err);
    assert_ok(firn_plugin_remove(original, "weather", &err), &err);
    firn_buffer image = zoo_save(original);
    firn_world *world = firn_world_build_from(original, image.data, image.size, NULL, NULL, &err);
    assert_non_null(world);
    assert_int_equal(w.installs, 1);
    assert_int_equal(firn_state_find(world, "storm"), w.storm);
    // Added again it is another one, and does not take over what is the game's.
    assert_int_equal(firn_plugin_add(world, &plugin, &err), FIRN_EXISTS);
    firn_world_destroy(world);
    firn_world_destroy(original);
    firn_buffer_free(&image);
}

static void S9_an_observer_of_a_plugin_at_an_entity_is_not_carried_over(void **state)
{
    (void)state;
    firn_error err;
    weather w = {.answer = FIRN_OK};
    firn_world *original = zoo_empty(NULL);
    firn_entity entity = zoo_spawn(original, NULL, 0);
    const firn_observer_desc at = {
        .event = "Gust", .address = entity, .observe = hear_gust, .user = &w};
    const firn_observer_desc all = {.event = "Gust", .observe = hear_gust, .user = &w};
    firn_plugin plugin = {
        .abi = FIRN_ABI,
        .name = "weather",
        .events = (const char *const[]){"Gust", NULL},
        .observers = (const firn_observer_desc *const[]){&at, &all, NULL},
    };
    assert_ok(firn_plugin_add(original, &plugin, &err), &err);
    firn_event_kind gust = firn_event_find(original, "Gust");
    firn_buffer image = zoo_save(original);
    firn_world *world = firn_world_build_from(original, image.data, image.size, NULL, NULL, &err);
    assert_non_null(world);
    assert_ok(firn_emit(world, gust, entity, NULL, 0, &err), &err);
    assert_log(&w.log, "gust;");
    assert_ok(firn_emit(original, gust, entity, NULL, 0, &err), &err);
    assert_log(&w.log, "gust;gust;");
    firn_world_destroy(world);
    firn_world_destroy(original);
    firn_buffer_free(&image);
}

// A plugin that fails takes its kinds of event with it, also those that a bus listens to.
static firn_result refuse_install(void *user, firn_world *world, firn_error *err)
{
    (void)user, (void)world, (void)err;
    return FIRN_REFUSED;
}

static void S9_a_kind_that_only_a_bus_hears_goes_with_a_plugin_that_failed(void **state)
{
    (void)state;
    firn_error err;
    weather w = {.answer = FIRN_OK};
    firn_bus *bus = firn_bus_create(NULL, &err);
    assert_int_not_equal(firn_bus_observe(bus, "Gust", hear_gust, &w, &err), 0);
    firn_world *world = firn_world_create(&(firn_world_desc){.bus = bus}, &err);
    firn_plugin plugin = {.abi = FIRN_ABI,
                          .name = "weather",
                          .events = (const char *const[]){"Gust", NULL},
                          .install = refuse_install};
    assert_int_equal(firn_plugin_add(world, &plugin, &err), FIRN_REFUSED);
    assert_int_equal(firn_event_find(world, "Gust"), 0);
    firn_event_kind gust = firn_event_register(world, "Gust", &err);
    assert_ok(firn_emit(world, gust, 0, NULL, 0, &err), &err);
    assert_log(&w.log, "gust;");
    firn_world_destroy(world);
    assert_ok(firn_bus_destroy(bus, &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S9_install_runs_for_the_replacement_and_registers_the_same),
        cmocka_unit_test(S9_codecs_of_a_plugin_live_as_long_as_the_replacement),
        cmocka_unit_test(S9_an_install_that_refuses_leaves_no_replacement),
        cmocka_unit_test(S9_what_install_registers_no_more_is_there_as_it_was),
        cmocka_unit_test(S9_what_a_removed_plugin_left_is_the_games),
        cmocka_unit_test(S9_an_observer_of_a_plugin_at_an_entity_is_not_carried_over),
        cmocka_unit_test(S9_a_kind_that_only_a_bus_hears_goes_with_a_plugin_that_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
