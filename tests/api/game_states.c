// The stack of states.
#include "api/game_world.h"

#include <string.h>

// A world with the states menu, play and pause; each callback writes `state.what` to the log.
typedef struct stage {
    firn_world *world;
    game_log log;
    struct actor {
        struct stage *stage;
        const char *name;
        firn_state state;
        void (*act)(struct actor *actor); // NULL, or what enter and exit do besides
        firn_result result;               // of what they did
        firn_entity spawned;
    } actors[3];
} stage;

typedef struct actor actor;

static void note_actor(actor *a, const char *what)
{
    char word[64] = "";
    strcat(strcat(strcat(word, a->name), "."), what);
    game_note(&a->stage->log, word);
}

static void on_enter(void *user, firn_world *world)
{
    actor *a = user;
    assert_ptr_equal(world, a->stage->world);
    note_actor(a, "enter");
    if (a->act != NULL)
        a->act(a);
}

static void on_exit(void *user, firn_world *world)
{
    actor *a = user;
    (void)world;
    note_actor(a, "exit");
    if (a->act != NULL)
        a->act(a);
}

static void on_pause(void *user, firn_world *world)
{
    (void)world;
    note_actor(user, "pause");
}

static void on_resume(void *user, firn_world *world)
{
    (void)world;
    note_actor(user, "resume");
}

enum { MENU, PLAY, PAUSE };

static void make_stage(stage *s)
{
    firn_error err;
    static const char *const names[] = {"menu", "play", "pause"};
    *s = (stage){.world = zoo_empty(NULL)};
    for (int i = 0; i < 3; i++) {
        s->actors[i] = (actor){.stage = s, .name = names[i]};
        firn_state_desc desc = {.name = names[i],
                                .enter = on_enter,
                                .exit = on_exit,
                                .pause = on_pause,
                                .resume = on_resume,
                                .despawn_on_pop = i == PLAY,
                                .user = &s->actors[i]};
        s->actors[i].state = firn_state_create(s->world, &desc, &err);
        assert_ok(s->actors[i].state != 0 ? FIRN_OK : err.code, &err);
    }
}

static void push(stage *s, int i)
{
    firn_error err;
    assert_ok(firn_state_push(s->world, s->actors[i].state, &err), &err);
}

static void pop(stage *s)
{
    firn_error err;
    assert_ok(firn_state_pop(s->world, &err), &err);
}

static firn_component tag_of(const stage *s, int i)
{
    return firn_state_tag(s->world, s->actors[i].state);
}

// ---- policies

static void policies_run_in_the_order_of_a_change(void **state)
{
    (void)state;
    stage s;
    firn_error err;
    make_stage(&s);
    push(&s, MENU);
    assert_log(&s.log, "menu.enter;");
    push(&s, PLAY);
    assert_log(&s.log, "menu.pause;play.enter;");
    assert_int_equal(firn_state_top(s.world), s.actors[PLAY].state);
    assert_ok(firn_state_switch(s.world, s.actors[PAUSE].state, &err), &err);
    assert_log(&s.log, "play.exit;pause.enter;");
    assert_int_equal(firn_state_depth(s.world), 2);
    assert_int_equal(firn_state_at(s.world, 0), s.actors[MENU].state);
    assert_int_equal(firn_state_at(s.world, 1), s.actors[PAUSE].state);
    assert_int_equal(firn_state_at(s.world, 2), 0);
    pop(&s);
    assert_log(&s.log, "pause.exit;menu.resume;");
    pop(&s);
    assert_log(&s.log, "menu.exit;");
    assert_int_equal(firn_state_top(s.world), 0);
    assert_int_equal(firn_state_pop(s.world, &err), FIRN_NOT_FOUND);
    assert_error(&err, FIRN_NOT_FOUND, "state");
    assert_ok(firn_state_switch(s.world, s.actors[MENU].state, &err), &err);
    assert_log(&s.log, "menu.enter;");
    firn_world_destroy(s.world);
}

static void a_state_without_policies_is_only_a_name(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_state_desc desc = {.name = "credits"};
    firn_state credits = firn_state_create(world, &desc, &err);
    assert_string_equal(firn_state_name(world, credits), "credits");
    assert_int_equal(firn_state_find(world, "credits"), credits);
    assert_ok(firn_state_push(world, credits, &err), &err);
    assert_ok(firn_state_push(world, credits, &err), &err);
    assert_ok(firn_state_pop(world, &err), &err);
    assert_int_equal(firn_state_top(world), credits);
    firn_world_destroy(world);
}

static void push_inside(actor *a)
{
    firn_error err;
    a->result = firn_state_push(a->stage->world, a->stage->actors[MENU].state, &err);
    assert_error(&err, FIRN_BUSY, a->name);
}

static void the_stack_does_not_change_inside_a_policy(void **state)
{
    (void)state;
    stage s;
    make_stage(&s);
    s.actors[PLAY].act = push_inside;
    push(&s, PLAY);
    assert_int_equal(s.actors[PLAY].result, FIRN_BUSY);
    assert_int_equal(firn_state_depth(s.world), 1);
    firn_world_destroy(s.world);
}

static void step_inside(actor *a)
{
    firn_error err;
    a->result = firn_world_step(a->stage->world, 1, &err);
    assert_error(&err, FIRN_BUSY, a->name);
    assert_int_equal(firn_world_startup(a->stage->world, &err), FIRN_BUSY);
    assert_int_equal(firn_world_shutdown(a->stage->world, &err), FIRN_BUSY);
}

static void a_policy_does_not_step(void **state)
{
    (void)state;
    stage s;
    make_stage(&s);
    s.actors[PLAY].act = step_inside;
    push(&s, PLAY);
    assert_int_equal(s.actors[PLAY].result, FIRN_BUSY);
    assert_int_equal(firn_world_tick(s.world), 0);
    firn_world_destroy(s.world);
}

static void a_loop_keeps_the_stack_as_it_is(void **state)
{
    (void)state;
    stage s;
    firn_error err;
    firn_iter it;
    make_stage(&s);
    firn_query query = firn_query_create(s.world, &(firn_query_desc){.name = "all"}, &err);
    firn_iter_begin(s.world, query, &it);
    assert_int_equal(firn_state_push(s.world, s.actors[MENU].state, &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "all");
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_int_equal(firn_state_depth(s.world), 0);
    firn_world_destroy(s.world);
}

// ---- tags

static void spawn_inside(actor *a)
{
    a->spawned = zoo_spawn(a->stage->world, NULL, 0);
}

static void entities_get_the_tag_of_the_state_on_top(void **state)
{
    (void)state;
    stage s;
    firn_error err;
    make_stage(&s);
    firn_component score =
        zoo_register(s.world, &(firn_component_desc){.name = "Score", .kind = FIRN_NUMBER});
    firn_entity before = zoo_spawn(s.world, NULL, 0);
    push(&s, MENU);
    firn_entity menu = zoo_spawn_one(s.world, score);
    s.actors[PLAY].act = spawn_inside;
    push(&s, PLAY);
    firn_entity many[3];
    assert_ok(firn_spawn_many(s.world, &score, 1, 3, many, &err), &err);
    firn_component own[] = {tag_of(&s, PLAY), score};
    firn_entity twice = zoo_spawn(s.world, own, 2);
    assert_int_equal(firn_entity_components(s.world, before, NULL, 0), 0);
    assert_int_equal(firn_entity_components(s.world, menu, NULL, 0), 2);
    assert_true(firn_has(s.world, menu, tag_of(&s, MENU)));
    assert_true(firn_has(s.world, s.actors[PLAY].spawned, tag_of(&s, PLAY)));
    assert_true(firn_has(s.world, many[2], tag_of(&s, PLAY)));
    assert_false(firn_has(s.world, many[2], tag_of(&s, MENU)));
    assert_int_equal(firn_entity_components(s.world, twice, NULL, 0), 2);
    assert_string_equal(firn_component_name(s.world, tag_of(&s, PLAY)), "playState");
    firn_world_destroy(s.world);
}

static void a_deferred_entity_gets_the_tag_of_the_time_it_was_asked_for(void **state)
{
    (void)state;
    stage s;
    firn_error err;
    firn_iter it;
    make_stage(&s);
    push(&s, MENU);
    firn_query query = firn_query_create(s.world, &(firn_query_desc){.name = "all"}, &err);
    firn_iter_begin(s.world, query, &it);
    firn_entity entity = zoo_spawn(s.world, NULL, 0);
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_true(firn_has(s.world, entity, tag_of(&s, MENU)));
    firn_world_destroy(s.world);
}

static void popping_ends_the_entities_of_a_state_that_wants_it(void **state)
{
    (void)state;
    stage s;
    make_stage(&s);
    push(&s, MENU);
    firn_entity kept = zoo_spawn(s.world, NULL, 0);
    push(&s, PLAY);
    firn_component menu = tag_of(&s, MENU);
    firn_entity ended = zoo_spawn(s.world, NULL, 0);
    firn_entity both = zoo_spawn_one(s.world, menu);
    push(&s, PAUSE);
    firn_entity above = zoo_spawn(s.world, NULL, 0);
    pop(&s);
    assert_true(firn_alive(s.world, above));
    assert_true(firn_alive(s.world, ended));
    s.actors[PLAY].act = spawn_inside; // what exit spawns ends as well
    pop(&s);
    assert_true(firn_alive(s.world, kept));
    assert_true(firn_alive(s.world, above));
    assert_false(firn_alive(s.world, ended));
    assert_false(firn_alive(s.world, both));
    assert_false(firn_alive(s.world, s.actors[PLAY].spawned));
    firn_world_destroy(s.world);
}

static void a_state_that_is_still_on_the_stack_keeps_its_entities(void **state)
{
    (void)state;
    stage s;
    make_stage(&s);
    push(&s, PLAY);
    firn_entity entity = zoo_spawn(s.world, NULL, 0);
    push(&s, PLAY);
    pop(&s);
    assert_true(firn_alive(s.world, entity));
    pop(&s);
    assert_false(firn_alive(s.world, entity));
    firn_world_destroy(s.world);
}

// ---- saves

static void T6_the_whole_stack_comes_back_and_no_policy_runs(void **state)
{
    (void)state;
    stage s, other;
    make_stage(&s);
    push(&s, MENU);
    push(&s, PLAY);
    firn_entity entity = zoo_spawn(s.world, NULL, 0);
    assert_entry(s.world, "__tecs.stateStack", "{\"menu\", \"play\"}");
    firn_buffer image = zoo_save(s.world);
    make_stage(&other);
    push(&other, PAUSE);
    other.log.text[0] = 0;
    game_restore(other.world, &image);
    assert_log(&other.log, "");
    assert_int_equal(firn_state_depth(other.world), 2);
    assert_int_equal(firn_state_top(other.world), other.actors[PLAY].state);
    assert_true(firn_has(other.world, entity, tag_of(&other, PLAY)));
    assert_saves_as(other.world, &image);
    // New entities get the tag of the state that is on top now.
    firn_entity later = zoo_spawn(other.world, NULL, 0);
    assert_true(firn_has(other.world, later, tag_of(&other, PLAY)));
    pop(&other);
    assert_log(&other.log, "play.exit;menu.resume;");
    assert_false(firn_alive(other.world, entity));
    firn_buffer_free(&image);
    firn_world_destroy(other.world);
    firn_world_destroy(s.world);
}

static void T6_a_save_without_a_stack_empties_it(void **state)
{
    (void)state;
    stage s;
    firn_error err;
    make_stage(&s);
    assert_entry(s.world, "__tecs.stateStack", NULL);
    push(&s, MENU);
    assert_ok(game_load(s.world, NULL, NULL, &err), &err);
    assert_int_equal(firn_state_depth(s.world), 0);
    assert_log(&s.log, "menu.enter;");
    firn_entity entity = zoo_spawn(s.world, NULL, 0);
    assert_int_equal(firn_entity_components(s.world, entity, NULL, 0), 0);
    firn_world_destroy(s.world);
}

static void T6_a_state_that_is_not_registered_fails_the_load_and_is_named(void **state)
{
    (void)state;
    stage s;
    firn_error err;
    make_stage(&s);
    push(&s, MENU);
    assert_refused(s.world, "__tecs.stateStack", "{\"menu\", \"shop\"}", FIRN_UNKNOWN, "shop");
    assert_int_equal(game_load(s.world, "__tecs.stateStack", "{\"shop\"}", &err), FIRN_UNKNOWN);
    assert_error(&err, FIRN_UNKNOWN, "shop");
    assert_int_equal(firn_state_top(s.world), s.actors[MENU].state);
    firn_world_destroy(s.world);
}

static void T6_the_tag_of_a_state_that_is_not_registered_names_the_state(void **state)
{
    (void)state;
    stage s;
    firn_error err;
    make_stage(&s);
    push(&s, MENU);
    push(&s, PLAY);
    zoo_spawn(s.world, NULL, 0);
    firn_buffer image = zoo_save(s.world);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = NULL;
    assert_ok(firn_snapshot_save_table(s.world, NULL, doc, &table, &err), &err);
    static const firn_load_options ways[] = {
        {.limits = NULL}, {.skip_unknown = true}, {.keep_unknown = true}};
    firn_world *world = zoo_empty(NULL);
    const firn_state_desc menu = {.name = "menu"};
    assert_int_not_equal(firn_state_create(world, &menu, &err), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(firn_snapshot_load(world, image.data, image.size, &ways[i], NULL, &err),
                         FIRN_UNKNOWN);
        assert_string_equal(err.subject, "play");
        assert_non_null(strstr(err.message, "the state \"play\""));
        assert_int_equal(firn_snapshot_load_table(world, table, &ways[i], NULL, &err),
                         FIRN_UNKNOWN);
        assert_string_equal(err.subject, "play");
    }
    // Of a state that is not on the stack nothing but the tag is known.
    pop(&s);
    firn_buffer_clear(&image);
    firn_component tag = tag_of(&s, PLAY);
    zoo_spawn_one(s.world, tag);
    assert_ok(firn_snapshot_save(s.world, NULL, &image, &err), &err);
    assert_int_equal(firn_snapshot_load(world, image.data, image.size, NULL, NULL, &err),
                     FIRN_UNKNOWN);
    assert_string_equal(err.subject, "playState");
    firn_doc_destroy(doc);
    firn_buffer_free(&image);
    firn_world_destroy(world);
    firn_world_destroy(s.world);
}

static void T6_what_is_no_stack_is_refused_before_anything_changes(void **state)
{
    (void)state;
    stage s;
    make_stage(&s);
    push(&s, MENU);
    zoo_spawn(s.world, NULL, 0);
    assert_refused(s.world, "__tecs.stateStack", "\"menu\"", FIRN_CORRUPT, "not a table");
    assert_refused(s.world, "__tecs.stateStack", "{menu = true}", FIRN_CORRUPT, "not a list");
    assert_refused(s.world, "__tecs.stateStack", "{\"menu\", 3}", FIRN_CORRUPT, "not the string");
    firn_world_destroy(s.world);
}

static void load_inside(actor *a)
{
    firn_error err;
    a->result = game_load(a->stage->world, "__tecs.stateStack", "{\"pause\", \"menu\"}", &err);
}

static void a_load_inside_a_policy_ends_the_change(void **state)
{
    (void)state;
    stage s;
    make_stage(&s);
    s.actors[PLAY].act = load_inside;
    push(&s, MENU);
    push(&s, PLAY);
    assert_ok(s.actors[PLAY].result, NULL);
    assert_log(&s.log, "menu.enter;menu.pause;play.enter;");
    assert_int_equal(firn_state_depth(s.world), 2);
    assert_int_equal(firn_state_at(s.world, 0), s.actors[PAUSE].state);
    s.actors[PLAY].act = NULL;
    push(&s, PLAY);
    s.log.text[0] = 0;
    s.actors[PLAY].act = load_inside;
    pop(&s);
    assert_log(&s.log, "play.exit;");
    assert_int_equal(firn_state_depth(s.world), 2);
    assert_int_equal(firn_state_top(s.world), s.actors[MENU].state);
    firn_world_destroy(s.world);
}

// ---- what is refused

static void states_have_limits(void **state)
{
    (void)state;
    stage s;
    firn_error err;
    make_stage(&s);
    assert_int_equal(firn_state_create(s.world, &(firn_state_desc){.name = "menu"}, &err), 0);
    assert_error(&err, FIRN_EXISTS, "menu");
    assert_int_equal(firn_state_create(s.world, &(firn_state_desc){.name = ""}, &err), 0);
    assert_error(&err, FIRN_INVALID, "");
    assert_int_equal(firn_state_create(s.world, NULL, &err), 0);
    assert_error(&err, FIRN_INVALID, "desc");
    firn_state_desc later = {.name = "later", .reserved = {0, 1, 0, 0}};
    assert_int_equal(firn_state_create(s.world, &later, &err), 0);
    assert_error(&err, FIRN_INVALID, "firn_state_desc");
    zoo_register(s.world, &(firn_component_desc){.name = "shopState", .kind = FIRN_NUMBER});
    assert_int_equal(firn_state_create(s.world, &(firn_state_desc){.name = "shop"}, &err), 0);
    assert_error(&err, FIRN_EXISTS, "shopState");
    assert_int_equal(firn_state_find(s.world, "shop"), 0);
    for (int i = 0; i < 1024; i++)
        push(&s, MENU), s.log.text[0] = 0;
    assert_int_equal(firn_state_push(s.world, s.actors[PLAY].state, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "play");
    firn_world_destroy(s.world);
}

static void handles_of_another_world_are_refused(void **state)
{
    (void)state;
    stage s, other;
    firn_error err;
    make_stage(&s);
    make_stage(&other);
    assert_int_equal(firn_state_push(s.world, other.actors[MENU].state, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "state");
    push(&s, MENU);
    assert_int_equal(firn_state_switch(s.world, 0, &err), FIRN_INVALID);
    assert_string_equal(firn_state_name(s.world, other.actors[MENU].state), "");
    assert_int_equal(firn_state_tag(s.world, tag_of(&s, MENU)), 0);
    assert_int_equal(firn_state_push(NULL, s.actors[MENU].state, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_state_top(NULL), 0);
    assert_int_equal(firn_state_find(s.world, NULL), 0);
    firn_world_destroy(other.world);
    firn_world_destroy(s.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_run_in_the_order_of_a_change),
        cmocka_unit_test(a_state_without_policies_is_only_a_name),
        cmocka_unit_test(the_stack_does_not_change_inside_a_policy),
        cmocka_unit_test(a_policy_does_not_step),
        cmocka_unit_test(a_loop_keeps_the_stack_as_it_is),
        cmocka_unit_test(entities_get_the_tag_of_the_state_on_top),
        cmocka_unit_test(a_deferred_entity_gets_the_tag_of_the_time_it_was_asked_for),
        cmocka_unit_test(popping_ends_the_entities_of_a_state_that_wants_it),
        cmocka_unit_test(a_state_that_is_still_on_the_stack_keeps_its_entities),
        cmocka_unit_test(T6_the_whole_stack_comes_back_and_no_policy_runs),
        cmocka_unit_test(T6_a_save_without_a_stack_empties_it),
        cmocka_unit_test(T6_a_state_that_is_not_registered_fails_the_load_and_is_named),
        cmocka_unit_test(T6_the_tag_of_a_state_that_is_not_registered_names_the_state),
        cmocka_unit_test(T6_what_is_no_stack_is_refused_before_anything_changes),
        cmocka_unit_test(a_load_inside_a_policy_ends_the_change),
        cmocka_unit_test(states_have_limits),
        cmocka_unit_test(handles_of_another_world_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
