// The three events of snapshots, and what their observers may ask for.
#include "api/plugin_keeper.h"

#include <string.h>

// What the observers of a scene do.
typedef struct scene {
    zoo z;
    keeper_log log;
    keeper keeper;
    const char *fails;     // the event whose first observer fails
    firn_component spawns; // what the first observer of each event spawns, or 0
    const char *add_first; // keys that OnSnapshotSave adds
    const char *add_second;
    const char *listens;  // key that StartSnapshotLoad listens to
    firn_result added[2]; // what adding came to
    firn_error err;
} scene;

static void add_keys(scene *s, firn_saving *saving)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    if (s->add_first != NULL)
        s->added[0] =
            firn_saving_add_data(saving, s->add_first, firn_value_bool(doc, true, &err), &s->err);
    firn_doc_destroy(doc);
    // {1} in the int32 form.
    if (s->add_second != NULL)
        s->added[1] =
            firn_saving_add_encoded(saving, s->add_second, "\x0c\x02\x06\x01\0\0\0", 7, &s->err);
}

static firn_result hear_data(void *user, firn_world *world, const char *key, const void *encoded,
                             size_t size, firn_error *err)
{
    scene *s = user;
    (void)world, (void)encoded, (void)size, (void)err;
    keeper_note(&s->log, "first", key);
    return FIRN_OK;
}

static firn_result hear_data_again(void *user, firn_world *world, const char *key,
                                   const void *encoded, size_t size, firn_error *err)
{
    scene *s = user;
    (void)world, (void)encoded, (void)size, (void)err;
    keeper_note(&s->log, "second", key);
    return FIRN_OK;
}

static firn_result hear_option(void *user, firn_world *world, const char *key, const void *encoded,
                               size_t size, firn_error *err)
{
    scene *s = user;
    (void)world, (void)encoded, (void)size, (void)err;
    keeper_note(&s->log, "option", key);
    return FIRN_OK;
}

static void listen_to_key(scene *s, firn_loading *loading)
{
    if (s->listens == NULL)
        return;
    assert_ok(firn_loading_on_data(loading, s->listens, hear_data, s, &s->err), &s->err);
    assert_ok(firn_loading_on_data(loading, s->listens, hear_data_again, s, &s->err), &s->err);
}

static firn_result see(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    scene *s = user;
    keeper_note(&s->log, "see", event->name);
    if (strcmp(event->name, "OnSnapshotSave") == 0)
        add_keys(s, (firn_saving *)event->payload);
    if (strcmp(event->name, "StartSnapshotLoad") == 0)
        listen_to_key(s, (firn_loading *)event->payload);
    if (strcmp(event->name, "FinishSnapshotLoad") == 0) {
        const firn_prelude *prelude = event->payload;
        assert_int_equal(prelude->version, 1);
        assert_int_equal(prelude->entity_count, firn_entity_count(world));
    }
    if (s->spawns != 0)
        zoo_spawn_one(world, s->spawns);
    if (s->fails == NULL || strcmp(s->fails, event->name) != 0)
        return FIRN_OK;
    err->code = FIRN_REFUSED;
    strcpy(err->message, "not at this hour");
    return FIRN_REFUSED;
}

static firn_result see_too(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    scene *s = user;
    (void)world, (void)err;
    keeper_note(&s->log, "see too", event->name);
    return FIRN_OK;
}

static void scene_make(scene *s)
{
    static const char *const events[] = {"OnSnapshotSave", "StartSnapshotLoad",
                                         "FinishSnapshotLoad"};
    firn_error err;
    *s = (scene){.z = zoo_make(NULL, false)};
    zoo_fill(&s->z);
    s->keeper = (keeper){.name = "north", .log = &s->log, .number = 1, .result = FIRN_IO};
    keeper_add(&s->keeper, s->z.world);
    for (int i = 0; i < 3; i++) {
        firn_observer_desc desc = {.event = events[i], .observe = see, .user = s};
        assert_int_not_equal(firn_observe(s->z.world, &desc, &err), 0);
        desc.observe = see_too;
        assert_int_not_equal(firn_observe(s->z.world, &desc, &err), 0);
    }
}

static void scene_free(scene *s)
{
    firn_world_destroy(s->z.world);
    assert_int_equal(s->keeper.held, 0);
}

static firn_result scene_load(scene *s, const firn_buffer *image, const firn_load_options *options,
                              firn_load_report *report, firn_error *err)
{
    s->log.text[0] = 0;
    return firn_snapshot_load(s->z.world, image->data, image->size, options, report, err);
}

// ---- order

static void T15_the_events_of_a_save_and_a_load_stand_around_the_handlers(void **state)
{
    (void)state;
    firn_error err;
    scene s;
    scene_make(&s);
    s.listens = s.add_first = "k";
    firn_buffer image = zoo_save(s.z.world);
    assert_string_equal(s.log.text, "see:OnSnapshotSave;see too:OnSnapshotSave;north:save;");
    firn_load_options options = {.on_data = hear_option, .user = &s};
    assert_ok(scene_load(&s, &image, &options, NULL, &err), &err);
    assert_string_equal(s.log.text, "north:check;north:commit;"
                                    "see:StartSnapshotLoad;see too:StartSnapshotLoad;"
                                    "north:load 1;"
                                    "option:k;first:k;second:k;option:north;"
                                    "north:finish;"
                                    "see:FinishSnapshotLoad;see too:FinishSnapshotLoad;");
    firn_buffer_free(&image);
    scene_free(&s);
}

static void T15_listeners_hear_of_their_key_and_of_one_load(void **state)
{
    (void)state;
    firn_error err;
    scene s;
    scene_make(&s);
    s.add_first = "a";
    s.add_second = "b";
    s.listens = "b";
    firn_buffer image = zoo_save(s.z.world);
    assert_ok(scene_load(&s, &image, NULL, NULL, &err), &err);
    assert_non_null(strstr(s.log.text, "first:b;second:b;"));
    assert_null(strstr(s.log.text, ":a;"));
    s.listens = NULL;
    assert_ok(scene_load(&s, &image, NULL, NULL, &err), &err);
    assert_null(strstr(s.log.text, ":b;"));
    firn_buffer_free(&image);
    scene_free(&s);
}

// Files of others may have such keys; no listener can ask for one.
static void T15_a_key_with_a_0_in_it_is_not_the_key_before_the_0(void **state)
{
    (void)state;
    firn_error err;
    scene s;
    scene_make(&s);
    s.add_first = "a";
    s.add_second = "a.b";
    s.listens = "a";
    firn_buffer image = zoo_save(s.z.world);
    uint8_t *key = image.data;
    while (memcmp(key, "a.b", 3) != 0)
        key++;
    key[1] = 0;
    assert_ok(scene_load(&s, &image, NULL, NULL, &err), &err);
    char *first = strstr(s.log.text, "first:a;second:a;");
    assert_non_null(first);
    assert_null(strstr(first + 1, "first:"));
    firn_buffer_free(&image);
    scene_free(&s);
}

// ---- what is added

static void T15_data_that_observers_add_stands_between_custom_data_and_handlers(void **state)
{
    (void)state;
    scene s;
    scene_make(&s);
    s.add_first = "b";
    s.add_second = "a";
    firn_data data = {.key = "c", .encoded = "\x02", .encoded_size = 1};
    firn_buffer image =
        zoo_save_with(s.z.world, &(firn_save_options){.data = &data, .data_count = 1});
    static const char tail[] = "\x02\x21"
                               "c\x02"
                               "\x02\x21"
                               "b\x02"
                               "\x02\x21"
                               "a\x0c\x02\x07\0\0\0\0\0\0\xf0\x3f"
                               "\x02\x25north\x07\0\0\0\0\0\0\xf0\x3f\x01";
    size_t size = sizeof tail - 1;
    assert_memory_equal(image.data + image.size - size, tail, size);
    firn_buffer_free(&image);
    scene_free(&s);
}

static void expect_not_added(scene *s, const char *first, const char *second, firn_result result,
                             const char *subject)
{
    firn_data data = {.key = "mine", .encoded = "\x02", .encoded_size = 1};
    s->add_first = first;
    s->add_second = second;
    firn_buffer image =
        zoo_save_with(s->z.world, &(firn_save_options){.data = &data, .data_count = 1});
    assert_int_equal(s->added[second != NULL], result);
    assert_error(&s->err, result, subject);
    firn_buffer_free(&image);
}

static void T8_observers_cannot_add_what_custom_data_could_not_be(void **state)
{
    (void)state;
    scene s;
    scene_make(&s);
    expect_not_added(&s, "__tecs.stateStack", NULL, FIRN_INVALID, "__tecs.stateStack");
    expect_not_added(&s, NULL, "tecs.random", FIRN_INVALID, "tecs.random");
    expect_not_added(&s, "", NULL, FIRN_INVALID, "data key");
    expect_not_added(&s, "mine", NULL, FIRN_INVALID, "mine");
    expect_not_added(&s, "a", "a", FIRN_INVALID, "a");
    firn_error err;
    firn_buffer out = {0};
    s.add_first = "north"; // the handler's
    s.add_second = NULL;
    assert_int_equal(firn_snapshot_save(s.z.world, NULL, &out, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "north");
    firn_buffer_free(&out);
    scene_free(&s);
}

static firn_result add_bad_values(void *user, firn_world *world, const firn_event *event,
                                  firn_error *err)
{
    firn_saving *saving = (firn_saving *)event->payload;
    firn_error why;
    (void)user, (void)world, (void)err;
    assert_int_equal(firn_saving_add_encoded(saving, "k", "\x07", 1, &why), FIRN_TRUNCATED);
    assert_error(&why, FIRN_TRUNCATED, "k");
    assert_int_equal(firn_saving_add_encoded(saving, "k", NULL, 0, &why), FIRN_INVALID);
    assert_error(&why, FIRN_INVALID, "encoded");
    assert_int_equal(firn_saving_add_data(saving, "k", NULL, &why), FIRN_INVALID);
    assert_error(&why, FIRN_INVALID, "value");
    assert_int_equal(firn_saving_add_encoded(NULL, "k", "\x02", 1, &why), FIRN_INVALID);
    assert_error(&why, FIRN_INVALID, "saving");
    return firn_saving_add_encoded(saving, "k", "\x02", 1, &why); // the key is free still
}

static void T8_a_value_that_is_none_is_not_added(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    firn_observer_desc desc = {.event = "OnSnapshotSave", .observe = add_bad_values};
    assert_int_not_equal(firn_observe(z.world, &desc, &err), 0);
    firn_buffer image = zoo_save(z.world);
    const void *encoded;
    size_t size;
    assert_ok(firn_image_data(image.data, image.size, "k", NULL, &encoded, &size, &err), &err);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

// ---- changes

static void T15_changes_of_observers_of_a_save_are_saved(void **state)
{
    (void)state;
    firn_error err;
    firn_prelude prelude;
    scene s;
    scene_make(&s);
    s.spawns = s.z.of[ZOO_TITLE];
    uint32_t count = firn_entity_count(s.z.world);
    firn_buffer image = zoo_save(s.z.world);
    assert_int_equal(firn_entity_count(s.z.world), count + 1);
    assert_ok(firn_image_check(image.data, image.size, NULL, &prelude, &err), &err);
    assert_int_equal(prelude.entity_count, count + 1);
    firn_buffer_free(&image);
    scene_free(&s);
}

static firn_result spawn_inside(void *user, firn_world *world, const firn_event *event,
                                firn_error *err)
{
    (void)event;
    uint32_t count = firn_entity_count(world);
    firn_entity made = firn_spawn(world, user, 1, err);
    assert_false(firn_has(world, made, *(firn_component *)user)); // waits
    assert_int_equal(firn_entity_count(world), count + 1);        // reserved
    return made != 0 ? FIRN_OK : err->code;
}

static void N11_an_entity_that_an_observer_of_a_load_spawns_is_there_afterwards(void **state)
{
    (void)state;
    static const char *const events[] = {"StartSnapshotLoad", "FinishSnapshotLoad"};
    for (int i = 0; i < 2; i++) {
        firn_error err;
        zoo z = zoo_make(NULL, false);
        zoo_fill(&z);
        firn_buffer image = zoo_save(z.world);
        uint32_t count = firn_entity_count(z.world);
        firn_observer_desc desc = {
            .event = events[i], .observe = spawn_inside, .user = &z.of[ZOO_TITLE]};
        assert_int_not_equal(firn_observe(z.world, &desc, &err), 0);
        zoo_load(z.world, &image);
        assert_int_equal(firn_entity_count(z.world), count + 1);
        assert_int_equal(firn_pending(z.world), 0);
        firn_buffer_free(&image);
        firn_world_destroy(z.world);
    }
}

// ---- failures

static void T15_an_observer_that_fails_fails_the_save(void **state)
{
    (void)state;
    firn_error err;
    scene s;
    scene_make(&s);
    firn_buffer image = zoo_save(s.z.world), out = {0};
    firn_hash hash = zoo_hash(s.z.world);
    s.fails = "OnSnapshotSave";
    s.log.text[0] = 0;
    assert_int_equal(firn_snapshot_save(s.z.world, NULL, &out, &err), FIRN_REFUSED);
    assert_error(&err, FIRN_REFUSED, "OnSnapshotSave");
    assert_non_null(strstr(err.message, "not at this hour"));
    assert_int_equal(out.size, 0);
    assert_string_equal(s.log.text, "see:OnSnapshotSave;see too:OnSnapshotSave;");
    s.fails = NULL;
    firn_hash after = zoo_hash(s.z.world);
    assert_memory_equal(&hash, &after, sizeof hash);
    assert_saves_as(s.z.world, &image);
    firn_buffer_free(&image);
    firn_buffer_free(&out);
    scene_free(&s);
}

static void T15_an_observer_of_a_load_that_fails_leaves_the_loaded_world_and_all_run(void **state)
{
    (void)state;
    static const char *const events[] = {"StartSnapshotLoad", "FinishSnapshotLoad"};
    for (int i = 0; i < 2; i++) {
        firn_error err;
        firn_load_report report;
        scene s;
        scene_make(&s);
        firn_buffer image = zoo_save(s.z.world);
        zoo_litter(&s.z);
        s.fails = events[i];
        s.keeper.fails = i == 0 ? "finish" : NULL; // after the first failure
        assert_int_equal(scene_load(&s, &image, NULL, &report, &err), FIRN_REFUSED);
        firn_load_report_free(&report);
        assert_error(&err, FIRN_REFUSED, events[i]);
        assert_true(report.committed);
        assert_non_null(strstr(s.log.text, "see too:FinishSnapshotLoad;"));
        assert_saves_as(s.z.world, &image);
        firn_buffer_free(&image);
        scene_free(&s);
    }
}

static firn_result save_and_load_inside(void *user, firn_world *world, const firn_event *event,
                                        firn_error *err)
{
    firn_buffer out = {0};
    firn_error why;
    (void)err;
    assert_int_equal(firn_snapshot_save(world, NULL, &out, &why), FIRN_BUSY);
    assert_error(&why, FIRN_BUSY, event->name);
    assert_int_equal(firn_snapshot_load(world, "", 0, NULL, NULL, &why), FIRN_BUSY);
    assert_error(&why, FIRN_BUSY, event->name);
    ++*(uint32_t *)user;
    return FIRN_OK;
}

static void N4_a_save_or_load_inside_a_publication_is_refused(void **state)
{
    (void)state;
    static const char *const events[] = {"OnSnapshotSave", "StartSnapshotLoad",
                                         "FinishSnapshotLoad", "Game"};
    firn_error err;
    uint32_t tries = 0;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_event_kind game = firn_event_register(z.world, "Game", &err);
    for (int i = 0; i < 4; i++) {
        firn_observer_desc desc = {
            .event = events[i], .observe = save_and_load_inside, .user = &tries};
        assert_int_not_equal(firn_observe(z.world, &desc, &err), 0);
    }
    assert_ok(firn_emit(z.world, game, 0, NULL, 0, &err), &err);
    firn_buffer image = zoo_save(z.world);
    zoo_load(z.world, &image);
    assert_int_equal(tries, 4);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

static firn_result listen_badly(void *user, firn_world *world, const firn_event *event,
                                firn_error *err)
{
    firn_loading *loading = (firn_loading *)event->payload;
    firn_error why;
    (void)world, (void)err;
    assert_int_equal(firn_loading_on_data(NULL, "k", hear_data, NULL, &why), FIRN_INVALID);
    assert_error(&why, FIRN_INVALID, "loading");
    assert_int_equal(firn_loading_on_data(loading, "k", NULL, NULL, &why), FIRN_INVALID);
    assert_error(&why, FIRN_INVALID, "listen");
    assert_int_equal(firn_loading_on_data(loading, NULL, hear_data, NULL, &why), FIRN_INVALID);
    assert_error(&why, FIRN_INVALID, "data key");
    assert_int_equal(firn_loading_on_data(loading, "__firn.world", hear_data, NULL, &why),
                     FIRN_INVALID);
    assert_error(&why, FIRN_INVALID, "__firn.world");
    *(firn_loading **)user = loading;
    return FIRN_OK;
}

static firn_result listen_late(void *user, firn_world *world, const firn_prelude *prelude,
                               firn_error *err)
{
    firn_loading **loading = user;
    firn_error why;
    (void)world, (void)prelude, (void)err;
    assert_int_equal(firn_loading_on_data(*loading, "k", hear_data, NULL, &why), FIRN_INVALID);
    assert_error(&why, FIRN_INVALID, "loading");
    *loading = NULL;
    return FIRN_OK;
}

static void T15_listeners_are_taken_while_the_load_starts(void **state)
{
    (void)state;
    firn_error err;
    firn_loading *loading = NULL;
    zoo z = zoo_make(NULL, false);
    firn_observer_desc desc = {
        .event = "StartSnapshotLoad", .observe = listen_badly, .user = &loading};
    assert_int_not_equal(firn_observe(z.world, &desc, &err), 0);
    firn_handler handler = {
        .abi = FIRN_ABI, .name = "late", .finish = listen_late, .user = &loading};
    assert_ok(firn_handler_add(z.world, &handler, &err), &err);
    firn_buffer image = zoo_save(z.world);
    zoo_load(z.world, &image);
    assert_null(loading);
    firn_buffer_free(&image);
    firn_world_destroy(z.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T15_the_events_of_a_save_and_a_load_stand_around_the_handlers),
        cmocka_unit_test(T15_listeners_hear_of_their_key_and_of_one_load),
        cmocka_unit_test(T15_a_key_with_a_0_in_it_is_not_the_key_before_the_0),
        cmocka_unit_test(T15_data_that_observers_add_stands_between_custom_data_and_handlers),
        cmocka_unit_test(T8_observers_cannot_add_what_custom_data_could_not_be),
        cmocka_unit_test(T8_a_value_that_is_none_is_not_added),
        cmocka_unit_test(T15_changes_of_observers_of_a_save_are_saved),
        cmocka_unit_test(N11_an_entity_that_an_observer_of_a_load_spawns_is_there_afterwards),
        cmocka_unit_test(T15_an_observer_that_fails_fails_the_save),
        cmocka_unit_test(T15_an_observer_of_a_load_that_fails_leaves_the_loaded_world_and_all_run),
        cmocka_unit_test(N4_a_save_or_load_inside_a_publication_is_refused),
        cmocka_unit_test(T15_listeners_are_taken_while_the_load_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
