// Script state in saves and loads.
#include "api/script_game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "firn/replace.h"
#include "support/tree.h"

#define KEY "tecs.sequence"

// One of everything; the numbers are those that the tests below count on.
static void fill_script(script_game *game)
{
    firn_error err;
    assert_ok(firn_clock_add(game->world, "day", &err), &err);
    assert_ok(firn_clock_scale(game->world, "day", 0.5, &err), &err);
    assert_ok(firn_clock_pause(game->world, "day", true, &err), &err);
    script_send_number(game, "bell", 5, 7); // 1
    const firn_timer_desc timer = {.provider = "door",
                                   .step = "ring",
                                   .entity = game->a,
                                   .delay = 2.5,
                                   .period = 1.5,
                                   .clock = "day"};
    assert_true(firn_timer_start(game->world, &timer, &err) != 0); // 2
    script_wait(game, "close", game->b, "bell", 9);                // 3
    script_machine(game, game->a, "walk");                         // 4
    script_machine(game, game->a, "fight");
    uint64_t cursor = script_cursor(game, game->a, "k", NULL); // 5
    assert_ok(firn_cursor_wait(game->world, cursor, "bell", 0, NULL, &err), &err);
    assert_ok(firn_script_listen(game->world, "bell", "door", "open", &err), &err);
}

#define SAVED                                                                                      \
    "{version = 1, number = 5,"                                                                    \
    " clocks = {day = {paused = true, scale = 0.5, since = 0, ticks = 0}},"                        \
    " events = {{number = 1, event = 'bell', due = 5, payload = 7}},"                              \
    " timers = {{number = 2, provider = 'door', step = 'ring', entity = 1, due = 2.5,"             \
    "   period = 1.5, clock = 'day'}},"                                                            \
    " waits = {{number = 3, provider = 'door', step = 'close', entity = 2, event = 'bell',"        \
    "   due = 9}},"                                                                                \
    " machines = {{number = 4, provider = 'guard', step = 'fight', previous = 'walk', entity = 1," \
    "   since = 0, first = true}},"                                                                \
    " cursors = {{number = 5, provider = 'door', step = 'open', entity = 1, key = 'k',"            \
    "   event = 'bell', since = 0, first = true}}}"

// Trees of tests have double quotes.
static const char *quoted(const char *tree, char *out, size_t size)
{
    assert_true(strlen(tree) < size);
    strcpy(out, tree);
    for (char *at = out; (at = strchr(at, '\'')) != NULL;)
        *at = '"';
    return out;
}

static void assert_saved(firn_world *world, const char *tree)
{
    char text[2048];
    assert_entry(world, KEY, quoted(tree, text, sizeof text));
}

// ---------------------------------------------------------------- what a save holds

static void K4_a_save_holds_names_times_and_numbers(void **state)
{
    (void)state;
    firn_error err;
    char text[2048];
    script_game *game = script_game_make(NULL);
    assert_entry(game->world, KEY, NULL);
    fill_script(game);
    assert_saved(game->world, SAVED);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_tree(firn_script_value(game->world, doc, &err), quoted(SAVED, text, sizeof text));
    firn_doc_destroy(doc);
    script_game_free(game);
}

static void what_was_never_made_is_nil(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_int_equal(firn_script_value(game->world, doc, &err)->kind, FIRN_VALUE_NIL);
    assert_null(firn_script_value(game->world, NULL, &err));
    assert_error(&err, FIRN_INVALID, "doc");
    assert_null(firn_script_value(NULL, doc, &err));
    firn_limits limits = {.tree_values = 5};
    firn_doc *small = firn_doc_create(NULL, &limits, &err);
    fill_script(game);
    assert_null(firn_script_value(game->world, small, &err));
    assert_int_equal(err.code, FIRN_LIMIT);
    firn_doc_destroy(small);
    firn_doc_destroy(doc);
    script_game_free(game);
}

static void K4_a_save_has_nothing_of_entities_that_ended(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    fill_script(game);
    assert_ok(firn_despawn(game->world, game->a, &err), &err);
    assert_saved(game->world,
                 "{version = 1, number = 5,"
                 " clocks = {day = {paused = true, scale = 0.5, since = 0, ticks = 0}},"
                 " events = {{number = 1, event = 'bell', due = 5, payload = 7}},"
                 " waits = {{number = 3, provider = 'door', step = 'close', entity = 2,"
                 "   event = 'bell', due = 9}}}");
    script_reload(game);
    script_game_free(game);
}

static void K4_script_state_is_part_of_the_hash(void **state)
{
    (void)state;
    firn_error err;
    firn_hash one, two, of_image;
    script_game *game = script_game_make(NULL);
    assert_ok(firn_world_hash(game->world, &one, NULL, NULL, &err), &err);
    fill_script(game);
    assert_ok(firn_world_hash(game->world, &two, NULL, NULL, &err), &err);
    assert_true(one.world != two.world && one.entities == two.entities && one.ids == two.ids);
    firn_buffer image = zoo_save(game->world);
    assert_ok(firn_image_hash(image.data, image.size, NULL, &of_image, NULL, NULL, &err), &err);
    assert_memory_equal(&of_image, &two, sizeof two);
    firn_buffer_free(&image);
    script_game_free(game);
}

// ---------------------------------------------------------------- loading

static void K4_a_load_restores_script_state_and_it_goes_on(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    fill_script(game);
    script_game *other = script_game_make(NULL);
    assert_ok(firn_script_listen(other->world, "bell", "door", "open", &err), &err);
    script_timer(other, "fail", 0, 0, 1);
    assert_ok(firn_clock_add(other->world, "night", &err), &err);
    firn_buffer image = zoo_save(game->world);
    game_restore(other->world, &image);
    assert_saves_as(other->world, &image);
    assert_int_equal(firn_clock_count(other->world), 1);
    assert_true(firn_cursor_find(other->world, "door", other->a, "k") == 5);
    assert_true(firn_machine_find(other->world, other->a, "guard") == 4);
    script_ticks(other, 5);
    other->log.text[0] = '\0';
    assert_ok(firn_clock_pause(other->world, "day", false, &err), &err);
    assert_step(other, "open:bell=7;close@b:bell=7;open@a/k:bell=7!+5;fight@a+5;");
    assert_true(script_timer(other, "ring", 0, 100, 0) == 6);
    firn_buffer_free(&image);
    script_game_free(game);
    script_game_free(other);
}

static void a_save_without_script_state_empties_it(void **state)
{
    (void)state;
    script_game *game = script_game_make(NULL);
    firn_buffer image = zoo_save(game->world);
    fill_script(game);
    game_restore(game->world, &image);
    assert_saves_as(game->world, &image);
    assert_int_equal(firn_clock_count(game->world), 0);
    assert_true(script_timer(game, "ring", 0, 0, 0) == 1);
    assert_step(game, "ring;");
    firn_buffer_free(&image);
    script_game_free(game);
}

static void what_tecs_itself_wrote_is_stepped_over(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    fill_script(game);
    assert_ok(game_load(game->world, KEY, "{{\"intro\", 4, \"door\"}}", &err), &err);
    assert_entry(game->world, KEY, NULL);
    script_game_free(game);
}

static void the_table_form_and_a_check_have_it_too(void **state)
{
    (void)state;
    firn_error err;
    script_game *game = script_game_make(NULL);
    fill_script(game);
    firn_buffer image = zoo_save(game->world);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table;
    assert_ok(firn_snapshot_save_table(game->world, NULL, doc, &table, &err), &err);
    script_ticks(game, 20);
    firn_buffer later = zoo_save(game->world);
    assert_ok(firn_snapshot_check(game->world, image.data, image.size, NULL, NULL, &err), &err);
    assert_saves_as(game->world, &later);
    assert_ok(firn_snapshot_load_table(game->world, table, NULL, NULL, &err), &err);
    assert_saves_as(game->world, &image);
    firn_doc_destroy(doc);
    firn_buffer_free(&later);
    firn_buffer_free(&image);
    script_game_free(game);
}

static void the_key_is_reserved(void **state)
{
    (void)state;
    firn_error err;
    firn_buffer out = {0};
    script_game *game = script_game_make(NULL);
    const firn_value value = {.kind = FIRN_VALUE_NUMBER};
    const firn_data data = {.key = KEY, .value = &value};
    const firn_save_options options = {.data = &data, .data_count = 1};
    assert_int_equal(firn_snapshot_save(game->world, &options, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, KEY);
    firn_buffer_free(&out);
    script_game_free(game);
}

// A world that has the provider p with one step.
static firn_world *limited_world(uint32_t tree_values)
{
    firn_error err;
    const firn_limits limits = {.tree_values = tree_values};
    firn_world *world = firn_world_create(&(firn_world_desc){.limits = &limits}, &err);
    const firn_step step = {"only", NULL};
    const firn_provider_desc desc = {.name = "p", .steps = &step, .step_count = 1};
    assert_ok(firn_provider_add(world, &desc, &err), &err);
    return world;
}

static void no_more_items_than_a_save_can_hold(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = limited_world(1);
    assert_ok(firn_clock_add(world, "c", &err), &err);
    firn_timer_desc timer = {
        .provider = "p", .step = "only", .delay = 5, .period = 2, .clock = "c"};
    timer.entity = firn_spawn(world, NULL, 0, &err);
    for (int i = 0; i < 8192; i++)
        assert_true(firn_timer_start(world, &timer, &err) != 0);
    assert_int_equal(firn_timer_start(world, &timer, &err), 0);
    assert_error(&err, FIRN_LIMIT, "script");
    firn_buffer image = zoo_save(world);
    game_restore(world, &image);
    assert_saves_as(world, &image);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void a_save_with_too_many_values_is_refused(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = limited_world(1000);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *payload = firn_value_table(doc, &err);
    for (int i = 0; i < 990; i++)
        assert_ok(firn_table_push(doc, payload, firn_value_number(doc, i, &err), &err), &err);
    for (int i = 0; i < 250; i++)
        assert_true(firn_script_send(world, "bell", 0, 5, payload, &err) != 0);
    firn_buffer image = zoo_save(world);
    game_restore(world, &image);
    for (int i = 0; i < 50; i++)
        assert_true(firn_script_send(world, "bell", 0, 5, payload, &err) != 0);
    assert_int_equal(firn_snapshot_save(world, NULL, &image, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, KEY);
    firn_doc_destroy(doc);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

// ---------------------------------------------------------------- damage

#define DAMAGED(list, item) "{version = 1, number = 9, " list " = {" item "}}"
#define STEP                "provider = 'door', step = 'ring'"

typedef struct damage {
    const char *tree;
    firn_result result;
    const char *subject;
    const char *part;
} damage;

static const damage damages[] = {
    {"{version = 2, number = 1}", FIRN_VERSION, KEY, "version"},
    {"{version = '1'}", FIRN_VERSION, KEY, "version"},
    {"{number = 1}", FIRN_VERSION, KEY, "version"},
    {"{version = 1, number = -1}", FIRN_CORRUPT, KEY, "number"},
    {"{version = 1, number = 0.5}", FIRN_CORRUPT, KEY, "number"},
    {"{version = 1, number = 4503599627370497}", FIRN_CORRUPT, KEY, "number"},
    {"{version = 1, apart = -1}", FIRN_CORRUPT, KEY, "apart"},
    {"{version = 1, apart = 4503599627370496}", FIRN_CORRUPT, KEY, "apart"},
    {"{version = 1, number = 1, apart = 1, timers = {{number = 4503599627370498}}}", FIRN_CORRUPT,
     KEY, "timers[1].number"},
    {"{version = 1, clocks = 5}", FIRN_CORRUPT, KEY, "clocks"},
    {"{version = 1, clocks = {{}}}", FIRN_CORRUPT, KEY, "clocks"},
    {"{version = 1, clocks = {[0.5] = {}}}", FIRN_CORRUPT, KEY, "no name"},
    {"{version = 1, clocks = {[''] = {}}}", FIRN_CORRUPT, KEY, "no name"},
    {"{version = 1, clocks = {day = 5}}", FIRN_CORRUPT, KEY, "day"},
    {"{version = 1, clocks = {day = {scale = -1}}}", FIRN_CORRUPT, KEY, "day"},
    {"{version = 1, clocks = {day = {scale = 1000001}}}", FIRN_CORRUPT, KEY, "day"},
    {"{version = 1, clocks = {day = {ticks = -1}}}", FIRN_CORRUPT, KEY, "day"},
    {"{version = 1, clocks = {day = {since = 0.5}}}", FIRN_CORRUPT, KEY, "day"},
    {"{version = 1, clocks = {day = {paused = 1}}}", FIRN_CORRUPT, KEY, "day"},
    {"{version = 1, timers = 5}", FIRN_CORRUPT, KEY, "timers is not a list"},
    {"{version = 1, timers = {x = 5}}", FIRN_CORRUPT, KEY, "timers is not a list"},
    {DAMAGED("timers", "5"), FIRN_CORRUPT, KEY, "timers[1] is not a table"},
    {DAMAGED("timers", "{" STEP ", due = 1}"), FIRN_CORRUPT, KEY, "timers[1].number"},
    {DAMAGED("timers", "{" STEP ", due = 1, number = 10}"), FIRN_CORRUPT, KEY, "number"},
    {DAMAGED("timers", "{" STEP ", due = 1, number = 0.5}"), FIRN_CORRUPT, KEY, "number"},
    {DAMAGED("timers", "{" STEP ", due = 1, number = 1}, {" STEP ", due = 1, number = 1}"),
     FIRN_CORRUPT, KEY, "timers[2].number is not its own"},
    {DAMAGED("timers", "{" STEP ", due = 1, number = 1, entity = -1}"), FIRN_CORRUPT, KEY,
     "entity"},
    {DAMAGED("timers", "{step = 'ring', due = 1, number = 1}"), FIRN_CORRUPT, KEY, "provider"},
    {DAMAGED("timers", "{provider = 4, step = 'ring', due = 1, number = 1}"), FIRN_CORRUPT, KEY,
     "provider"},
    {DAMAGED("timers", "{provider = 'door', due = 1, number = 1}"), FIRN_CORRUPT, KEY, "step"},
    {DAMAGED("timers", "{provider = 'gate', step = 'ring', due = 1, number = 1}"), FIRN_UNKNOWN,
     "gate", "timers[1]"},
    {DAMAGED("timers", "{provider = 'door', step = 'burn', due = 1, number = 1}"), FIRN_UNKNOWN,
     "door.burn", "timers[1]"},
    {DAMAGED("timers", "{" STEP ", number = 1}"), FIRN_CORRUPT, KEY, "due"},
    {DAMAGED("timers", "{" STEP ", number = 1, due = -1}"), FIRN_CORRUPT, KEY, "due"},
    {DAMAGED("timers", "{" STEP ", number = 1, due = 'x'}"), FIRN_CORRUPT, KEY, "due"},
    {DAMAGED("timers", "{" STEP ", number = 1, due = 1, period = -2}"), FIRN_INVALID, KEY,
     "timers[1].period"},
    {DAMAGED("timers", "{" STEP ", number = 1, due = 1, clock = 4}"), FIRN_CORRUPT, KEY, "clock"},
    {DAMAGED("timers", "{" STEP ", number = 1, due = 1, clock = 'night'}"), FIRN_UNKNOWN, "night",
     "timers[1]"},
    {DAMAGED("events", "{number = 1, due = 1}"), FIRN_CORRUPT, KEY, "events[1].event"},
    {DAMAGED("events", "{number = 1, event = 'bell'}"), FIRN_CORRUPT, KEY, "due"},
    {DAMAGED("events", "{number = 1, event = {}, due = 1}"), FIRN_CORRUPT, KEY, "event"},
    {DAMAGED("waits", "{number = 1, " STEP "}"), FIRN_CORRUPT, KEY, "waits[1].due"},
    {DAMAGED("machines", "{number = 1, provider = 'guard', step = 'walk'}"), FIRN_CORRUPT, KEY,
     "machines[1].entity"},
    {DAMAGED("machines", "{number = 1, provider = 'guard', step = 'burn', entity = 1}"),
     FIRN_UNKNOWN, "guard.burn", "machines[1]"},
    {DAMAGED("machines",
             "{number = 1, provider = 'guard', step = 'walk', previous = 'burn', entity = 1}"),
     FIRN_UNKNOWN, "guard.burn", "machines[1]"},
    {DAMAGED("machines",
             "{number = 1, provider = 'guard', step = 'walk', previous = 5, entity = 1}"),
     FIRN_CORRUPT, KEY, "previous"},
    {DAMAGED("machines",
             "{number = 1, provider = 'guard', step = 'walk', since = 0.5, entity = 1}"),
     FIRN_CORRUPT, KEY, "since"},
    {DAMAGED("machines", "{number = 1, provider = 'guard', step = 'walk', entity = 1}, "
                         "{number = 2, provider = 'guard', step = 'walk', entity = 1}"),
     FIRN_CORRUPT, KEY, "machines[2].provider is not its own"},
    {DAMAGED("cursors", "{number = 1, " STEP "}"), FIRN_CORRUPT, KEY, "cursors[1].key"},
    {DAMAGED("cursors", "{number = 1, " STEP ", key = 5}"), FIRN_CORRUPT, KEY, "key"},
    {DAMAGED("cursors", "{number = 1, " STEP ", key = '', first = 1}"), FIRN_CORRUPT, KEY, "first"},
    {DAMAGED("cursors", "{number = 1, " STEP ", key = ''}, {number = 2, " STEP ", key = ''}"),
     FIRN_CORRUPT, KEY, "cursors[2].provider is not its own"},
    {DAMAGED("cursors", "{number = 1, provider = 'gate', step = 'x', key = ''}"), FIRN_UNKNOWN,
     "gate", "cursors[1]"},
    {DAMAGED("cursors", "{number = 1, provider = 'door', step = 'x', key = ''}"), FIRN_UNKNOWN,
     "door.x", "cursors[1]"},
};

static void T23_bad_script_state_is_refused_before_anything_changes(void **state)
{
    (void)state;
    firn_error err;
    char text[2048];
    script_game *game = script_game_make(NULL);
    fill_script(game);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const damage *bad = &damages[i];
        quoted(bad->tree, text, sizeof text);
        assert_refused(game->world, KEY, text, bad->result, bad->part);
        (void)game_load(game->world, KEY, text, &err);
        assert_error(&err, bad->result, bad->subject);
        assert_string_equal(err.subject, bad->subject);
    }
    assert_refused(game->world, KEY, "5", FIRN_CORRUPT, "table");
    script_game_free(game);
}

static void no_more_clocks_than_a_world_has(void **state)
{
    (void)state;
    char *text = malloc(65536);
    assert_non_null(text);
    script_game *game = script_game_make(NULL);
    char *at = text + sprintf(text, "{version = 1, clocks = {");
    for (int i = 0; i < 4097; i++)
        at += sprintf(at, "c%d = {}, ", i);
    strcpy(at, "}}");
    assert_refused(game->world, KEY, text, FIRN_LIMIT, "4097 clocks");
    free(text);
    script_game_free(game);
}

static void what_a_kind_does_not_have_is_not_looked_at(void **state)
{
    (void)state;
    firn_error err;
    char text[2048];
    script_game *game = script_game_make(NULL);
    const char *tree =
        "{version = 1, number = 9,"
        " timers = {{" STEP ", number = 4, due = -0.0, event = 5, key = 5, payload = 5}},"
        " events = {{number = 3, event = 'bell', due = 1, clock = 'night', step = 5}},"
        " waits = {{" STEP ", number = 2, event = 'bell', clock = 'night', period = 5}},"
        " cursors = {{" STEP ", number = 1, key = '', previous = 'ring'}}, other = 5}";
    assert_ok(game_load(game->world, KEY, quoted(tree, text, sizeof text), &err), &err);
    assert_saved(game->world,
                 "{version = 1, number = 9, timers = {{" STEP ", number = 4, due = 0}},"
                 " events = {{number = 3, event = 'bell', due = 1}},"
                 " waits = {{" STEP ", number = 2, event = 'bell'}},"
                 " cursors = {{" STEP ", number = 1, key = '', since = 0}}}");
    script_game_free(game);
}

static void a_payload_above_the_limits_of_the_world_is_refused(void **state)
{
    (void)state;
    firn_error err;
    const firn_limits limits = {.depth = 3};
    firn_world *world = firn_world_create(&(firn_world_desc){.limits = &limits}, &err);
    assert_refused(world, KEY,
                   "{version = 1, number = 1, events = {{number = 1, event = \"bell\", due = 1,"
                   " payload = {{{{}}}}}}}",
                   FIRN_LIMIT, "events[1].payload");
    firn_world_destroy(world);
}

// ---------------------------------------------------------------- replacement worlds

// The third time with other steps.
static firn_result install_lift(void *user, firn_world *world, firn_error *err)
{
    const firn_step steps[] = {{"up", NULL}, {"down", NULL}};
    firn_provider_desc desc = {.name = "lift", .steps = steps, .step_count = 2};
    desc.step_count -= ++*(int *)user == 3;
    firn_result result = firn_provider_add(world, &desc, err);
    return result == FIRN_OK ? firn_script_listen(world, "bell", "lift", "up", err) : result;
}

static void K4_a_replacement_world_has_the_providers_and_listeners(void **state)
{
    (void)state;
    firn_error err;
    int installs = 0;
    script_game *game = script_game_make(NULL);
    const firn_plugin plugin = {
        .abi = FIRN_ABI, .name = "lifts", .install = install_lift, .user = &installs};
    assert_ok(firn_plugin_add(game->world, &plugin, &err), &err);
    fill_script(game);
    firn_buffer image = zoo_save(game->world);
    firn_world *world =
        firn_world_build_from(game->world, image.data, image.size, NULL, NULL, &err);
    assert_non_null(world);
    assert_saves_as(world, &image);
    assert_true(firn_machine_set(world, game->b, "lift", "down", &err) != 0);
    for (int i = 0; i < 6; i++)
        assert_ok(firn_world_step(world, 1, &err), &err);
    assert_non_null(strstr(game->log.text, "open:bell=7;close@b:bell=7;"));
    assert_saves_as(game->world, &image);
    assert_null(firn_world_build_from(world, image.data, image.size, NULL, NULL, &err));
    assert_error(&err, FIRN_EXISTS, "lifts");
    firn_world_destroy(world);
    firn_buffer_free(&image);
    script_game_free(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K4_a_save_holds_names_times_and_numbers),
        cmocka_unit_test(what_was_never_made_is_nil),
        cmocka_unit_test(K4_a_save_has_nothing_of_entities_that_ended),
        cmocka_unit_test(K4_script_state_is_part_of_the_hash),
        cmocka_unit_test(K4_a_load_restores_script_state_and_it_goes_on),
        cmocka_unit_test(a_save_without_script_state_empties_it),
        cmocka_unit_test(what_tecs_itself_wrote_is_stepped_over),
        cmocka_unit_test(the_table_form_and_a_check_have_it_too),
        cmocka_unit_test(the_key_is_reserved),
        cmocka_unit_test(no_more_items_than_a_save_can_hold),
        cmocka_unit_test(a_save_with_too_many_values_is_refused),
        cmocka_unit_test(T23_bad_script_state_is_refused_before_anything_changes),
        cmocka_unit_test(no_more_clocks_than_a_world_has),
        cmocka_unit_test(what_a_kind_does_not_have_is_not_looked_at),
        cmocka_unit_test(a_payload_above_the_limits_of_the_world_is_refused),
        cmocka_unit_test(K4_a_replacement_world_has_the_providers_and_listeners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
