// Plugins: all or nothing, and away again.
#include "api/plugin_keeper.h"

#include <string.h>

// ---- a plugin with everything

typedef struct coat {
    int32_t dirt;
} coat;

static const firn_field coat_fields[] = {FIRN_FIELD(coat, dirt, FIRN_I32)};

static firn_result encode_coat(void *user, const firn_rows *rows, firn_writer *out, firn_error *err)
{
    (void)user, (void)err;
    const coat *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++)
        firn_write_number(out, row[i].dirt + 0.5);
    return FIRN_OK;
}

static firn_result decode_coat(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user, (void)err;
    coat *row = rows->data;
    for (uint32_t i = 0; i < rows->count; i++)
        row[i].dirt = (int32_t)firn_read_number(in);
    return FIRN_OK;
}

// What the plugin is made of, and what happens to it.
typedef struct parts {
    keeper_log log;
    keeper keepers[2];
    firn_codec codec;
    const firn_codec *codecs[2];
    firn_handler handler[2];
    const firn_handler *handlers[3];
    firn_observer_desc observer[2];
    const firn_observer_desc *observers[3];
    const char *events[3];
    firn_plugin plugin;
    firn_result answer; // of install
    firn_world *world;  // that destroy saw
} parts;

static firn_result observe_parts(void *user, firn_world *world, const firn_event *event,
                                 firn_error *err)
{
    (void)world, (void)err;
    keeper_note(user, "seen", event->name);
    return FIRN_OK;
}

// Neither what is listed nor anything else can be added or removed by handlers of its own.
static firn_result install_parts(void *user, firn_world *world, firn_error *err)
{
    parts *p = user;
    firn_error why;
    keeper_note(&p->log, "plugin", "install");
    assert_null(firn_codec_find(world, "coat"));
    assert_int_not_equal(firn_event_find(world, "Dirty"), 0);
    assert_int_equal(firn_handler_add(world, &p->handler[0], &why), FIRN_BUSY);
    assert_error(&why, FIRN_BUSY, "wardrobe");
    assert_int_equal(firn_plugin_add(world, &p->plugin, &why), FIRN_BUSY);
    if (p->answer != FIRN_OK) {
        err->code = p->answer;
        strcpy(err->message, "no hooks on this wall");
    }
    return p->answer;
}

static void destroy_parts(void *user, firn_world *world)
{
    parts *p = user;
    keeper_note(&p->log, "plugin", "destroy");
    p->world = world;
    assert_int_equal(firn_entity_count(world), 0);
}

static void parts_make(parts *p)
{
    *p = (parts){.answer = FIRN_OK};
    for (int i = 0; i < 2; i++) {
        p->keepers[i] = (keeper){.name = i == 0 ? "north" : "south", .log = &p->log, .number = 1};
        p->handler[i] = keeper_handler(&p->keepers[i]);
        p->handlers[i] = &p->handler[i];
        p->observer[i] = (firn_observer_desc){
            .event = i == 0 ? "Dirty" : "Clean", .observe = observe_parts, .user = &p->log};
        p->observers[i] = &p->observer[i];
        p->events[i] = i == 0 ? "Dirty" : "Clean";
    }
    p->codec = (firn_codec){FIRN_ABI, "coat", encode_coat, decode_coat, p};
    p->codecs[0] = &p->codec;
    p->plugin =
        (firn_plugin){FIRN_ABI,      "wardrobe",    p->codecs, p->handlers, p->events, p->observers,
                      install_parts, destroy_parts, p};
}

static firn_component register_coat(firn_world *world, const firn_codec *codec)
{
    firn_component_desc desc = zoo_struct("Coat", sizeof(coat), coat_fields, 1);
    desc.codec = codec;
    return zoo_register(world, &desc);
}

// Nothing of the plugin is in the world.
static void expect_absent(parts *p, firn_world *world)
{
    firn_error err;
    assert_null(firn_codec_find(world, "coat"));
    assert_int_equal(firn_event_find(world, "Dirty"), 0);
    assert_int_equal(firn_event_find(world, "Clean"), 0);
    assert_int_equal(firn_plugin_remove(world, "wardrobe", &err), FIRN_NOT_FOUND);
    p->log.text[0] = 0;
    zoo_spawn(world, NULL, 0);
    firn_buffer image = zoo_save(world);
    assert_string_equal(p->log.text, "");
    firn_buffer_free(&image);
}

// ---- adding

static void a_plugin_brings_its_codecs_handlers_events_and_observers(void **state)
{
    (void)state;
    firn_error err;
    parts p;
    parts_make(&p);
    firn_world *world = zoo_empty(NULL);
    assert_ok(firn_plugin_add(world, &p.plugin, &err), &err);
    assert_string_equal(p.log.text, "plugin:install;");
    p.log.text[0] = 0;
    assert_ok(firn_emit(world, firn_event_find(world, "Dirty"), 0, NULL, 0, &err), &err);
    firn_component coat_component = register_coat(world, firn_codec_find(world, "coat"));
    firn_entity entity = zoo_spawn_one(world, coat_component);
    ((coat *)firn_get_mut(world, entity, coat_component))->dirt = 7;
    firn_buffer image = zoo_save(world);
    assert_string_equal(p.log.text, "seen:Dirty;north:save;south:save;");
    zoo_load(world, &image);
    assert_int_equal(((const coat *)firn_get(world, entity, coat_component))->dirt, 7);
    firn_buffer_free(&image);
    firn_world_destroy(world);
}

static void a_plugin_is_copied(void **state)
{
    (void)state;
    firn_error err;
    parts p;
    parts_make(&p);
    char name[] = "coat", plugin_name[] = "wardrobe", handler_name[] = "north";
    p.codec.name = name;
    p.plugin.name = plugin_name;
    p.handler[0].name = handler_name;
    firn_world *world = zoo_empty(NULL);
    assert_ok(firn_plugin_add(world, &p.plugin, &err), &err);
    name[0] = plugin_name[0] = handler_name[0] = 'X';
    p.codec.encode = NULL;
    p.plugin.destroy = NULL;
    p.handler[0].save = NULL;
    assert_non_null(firn_codec_find(world, "coat"));
    assert_ptr_equal(firn_codec_find(world, "coat")->encode, encode_coat);
    assert_int_equal(firn_handler_remove(world, "north", &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "north");
    p.log.text[0] = 0;
    firn_world_destroy(world);
    assert_string_equal(p.log.text, "plugin:destroy;");
}

static void an_empty_plugin_is_a_plugin(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    firn_plugin plugin = {.abi = FIRN_ABI, .name = "empty"};
    assert_ok(firn_plugin_add(world, &plugin, &err), &err);
    assert_int_equal(firn_plugin_add(world, &plugin, &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "empty");
    assert_ok(firn_plugin_remove(world, "empty", &err), &err);
    firn_world_destroy(world);
}

// ---- refusals

static void expect_refused_plugin(parts *p, firn_result result, const char *subject,
                                  const char *words)
{
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    assert_int_equal(firn_plugin_add(world, &p->plugin, &err), result);
    assert_error(&err, result, subject);
    assert_non_null(strstr(err.message, words));
    expect_absent(p, world);
    assert_null(p->world);
    firn_world_destroy(world);
    parts_make(p);
}

static void a_plugin_with_a_bad_table_is_refused_whole(void **state)
{
    (void)state;
    parts p;
    parts_make(&p);
    p.plugin.abi = 0;
    expect_refused_plugin(&p, FIRN_INVALID, "plugin", "abi 0");
    p.plugin.abi = FIRN_ABI + 1;
    expect_refused_plugin(&p, FIRN_VERSION, "plugin", "abi 2, this is abi 1");
    p.plugin.name = NULL;
    expect_refused_plugin(&p, FIRN_INVALID, "plugin name", "NULL");
    p.codec.abi = 0;
    expect_refused_plugin(&p, FIRN_INVALID, "codec", "abi 0");
    p.codec.decode = NULL;
    expect_refused_plugin(&p, FIRN_INVALID, "coat", "NULL for decode");
    p.codec.encode = NULL;
    expect_refused_plugin(&p, FIRN_INVALID, "coat", "NULL for encode");
    p.codec.name = "";
    expect_refused_plugin(&p, FIRN_INVALID, "codec name", "empty");
    const firn_codec *twice[] = {&p.codec, &p.codec, NULL};
    p.plugin.codecs = twice;
    expect_refused_plugin(&p, FIRN_EXISTS, "coat", "already");
    p.handler[1].abi = 7;
    expect_refused_plugin(&p, FIRN_VERSION, "handler", "abi 7");
    p.handler[1].name = "tecs.random";
    expect_refused_plugin(&p, FIRN_INVALID, "tecs.random", "reserved");
    p.handler[1].name = "north";
    expect_refused_plugin(&p, FIRN_EXISTS, "north", "twice");
    p.events[1] = "";
    expect_refused_plugin(&p, FIRN_INVALID, "event name", "empty");
    p.observer[1].event = "Nothing";
    expect_refused_plugin(&p, FIRN_NOT_FOUND, "Nothing", "");
    p.observer[1].observe = NULL;
    expect_refused_plugin(&p, FIRN_INVALID, "observe", "NULL");
}

static void a_plugin_whose_install_refuses_leaves_nothing(void **state)
{
    (void)state;
    parts p;
    parts_make(&p);
    p.answer = FIRN_REFUSED;
    expect_refused_plugin(&p, FIRN_REFUSED, "wardrobe", "plugin wardrobe: no hooks on this wall");
}

static void a_plugin_of_names_that_are_taken_is_refused_whole(void **state)
{
    (void)state;
    firn_error err;
    parts p, q;
    parts_make(&p);
    parts_make(&q);
    firn_world *world = zoo_empty(NULL);
    assert_ok(firn_plugin_add(world, &p.plugin, &err), &err);
    assert_int_equal(firn_plugin_add(world, &q.plugin, &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "wardrobe");
    q.plugin.name = "cupboard";
    assert_int_equal(firn_plugin_add(world, &q.plugin, &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "coat");
    q.codec.name = "hat";
    assert_int_equal(firn_plugin_add(world, &q.plugin, &err), FIRN_EXISTS);
    assert_error(&err, FIRN_EXISTS, "north");
    assert_null(firn_codec_find(world, "hat"));
    assert_int_equal(firn_handler_add(world, &q.handler[0], &err), FIRN_EXISTS);
    firn_world_destroy(world);
}

static void the_handlers_of_a_plugin_have_the_limit_of_all(void **state)
{
    (void)state;
    firn_error err;
    parts p;
    parts_make(&p);
    firn_world *world =
        firn_world_create(&(firn_world_desc){.limits = &(firn_limits){.handlers = 1}}, &err);
    assert_int_equal(firn_plugin_add(world, &p.plugin, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "south");
    expect_absent(&p, world);
    p.handlers[1] = NULL;
    assert_ok(firn_plugin_add(world, &p.plugin, &err), &err);
    firn_world_destroy(world);
}

static void plugins_want_a_world_and_a_name(void **state)
{
    (void)state;
    firn_error err;
    firn_world *world = zoo_empty(NULL);
    assert_int_equal(firn_plugin_add(NULL, &(firn_plugin){.abi = 1}, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "world");
    assert_int_equal(firn_plugin_add(world, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "plugin");
    assert_int_equal(firn_plugin_remove(NULL, "a", &err), FIRN_INVALID);
    assert_int_equal(firn_plugin_remove(world, NULL, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, "name");
    assert_null(firn_codec_find(NULL, "a"));
    assert_null(firn_codec_find(world, NULL));
    firn_world_destroy(world);
}

// ---- removing

static void a_removed_plugin_leaves_only_its_kinds_of_event(void **state)
{
    (void)state;
    firn_error err;
    parts p;
    parts_make(&p);
    firn_world *world = zoo_empty(NULL);
    keeper west = {.name = "west", .log = &p.log, .number = 1};
    assert_ok(firn_plugin_add(world, &p.plugin, &err), &err);
    keeper_add(&west, world);
    p.log.text[0] = 0;
    assert_ok(firn_plugin_remove(world, "wardrobe", &err), &err);
    assert_string_equal(p.log.text, "plugin:destroy;");
    assert_int_not_equal(firn_event_find(world, "Dirty"), 0);
    assert_null(firn_codec_find(world, "coat"));
    p.log.text[0] = 0;
    zoo_spawn(world, NULL, 0);
    firn_buffer image = zoo_save(world);
    assert_string_equal(p.log.text, "west:save;");
    // It may come back.
    assert_ok(firn_plugin_add(world, &p.plugin, &err), &err);
    p.world = NULL;
    firn_world_destroy(world);
    assert_non_null(p.world);
    firn_buffer_free(&image);
}

static void a_plugin_stays_while_a_component_uses_its_codec(void **state)
{
    (void)state;
    firn_error err;
    for (int direct = 0; direct < 2; direct++) {
        parts p;
        parts_make(&p);
        firn_world *world = zoo_empty(NULL);
        assert_ok(firn_plugin_add(world, &p.plugin, &err), &err);
        register_coat(world, direct ? &p.codec : firn_codec_find(world, "coat"));
        assert_int_equal(firn_plugin_remove(world, "wardrobe", &err), FIRN_BUSY);
        assert_error(&err, FIRN_BUSY, "Coat");
        assert_non_null(firn_codec_find(world, "coat"));
        firn_world_destroy(world);
    }
}

static void a_plugin_goes_while_a_component_uses_the_like_codec_of_another(void **state)
{
    (void)state;
    firn_error err;
    parts p;
    parts_make(&p);
    firn_codec alike = p.codec;
    alike.name = "cloak";
    const firn_codec *codecs[] = {&alike, NULL};
    const firn_plugin other = {.abi = FIRN_ABI, .name = "chest", .codecs = codecs};
    firn_world *world = zoo_empty(NULL);
    assert_ok(firn_plugin_add(world, &p.plugin, &err), &err);
    assert_ok(firn_plugin_add(world, &other, &err), &err);
    register_coat(world, firn_codec_find(world, "cloak"));
    assert_ok(firn_plugin_remove(world, "wardrobe", &err), &err);
    assert_int_equal(firn_plugin_remove(world, "chest", &err), FIRN_BUSY);
    assert_error(&err, FIRN_BUSY, "Coat");
    firn_world_destroy(world);
}

static void observers_that_went_with_their_entities_are_no_matter(void **state)
{
    (void)state;
    firn_error err;
    parts p;
    parts_make(&p);
    firn_world *world = zoo_empty(NULL);
    firn_entity entity = zoo_spawn(world, NULL, 0);
    p.observer[0].address = entity;
    assert_ok(firn_plugin_add(world, &p.plugin, &err), &err);
    assert_ok(firn_despawn(world, entity, &err), &err);
    assert_ok(firn_plugin_remove(world, "wardrobe", &err), &err);
    firn_world_destroy(world);
}

// ---- the end of a world

static void drop_coats(void *user, const firn_rows *rows)
{
    (void)rows;
    keeper_note(user, "coat", "drop");
}

static void destroy_first(void *user, firn_world *world)
{
    firn_error err;
    keeper_note(user, "first", "destroy");
    assert_int_equal(firn_entity_count(world), 0);
    assert_int_equal(firn_spawn(world, NULL, 0, &err), 0);
    assert_error(&err, FIRN_BUSY, "first");
}

static void destroy_second(void *user, firn_world *world)
{
    (void)world;
    keeper_note(user, "second", "destroy");
}

static void the_end_of_a_world_drops_rows_and_then_destroys_plugins_backwards(void **state)
{
    (void)state;
    firn_error err;
    keeper_log log = {""};
    firn_world *world = zoo_empty(NULL);
    firn_plugin first = {.abi = FIRN_ABI, .name = "first", .destroy = destroy_first, .user = &log};
    firn_plugin second = {
        .abi = FIRN_ABI, .name = "second", .destroy = destroy_second, .user = &log};
    assert_ok(firn_plugin_add(world, &first, &err), &err);
    assert_ok(firn_plugin_add(world, &second, &err), &err);
    firn_component_desc desc = zoo_struct("Coat", sizeof(coat), coat_fields, 1);
    desc.hooks = (firn_hooks){.drop = drop_coats, .user = &log};
    zoo_spawn_one(world, zoo_register(world, &desc));
    firn_world_destroy(world);
    assert_string_equal(log.text, "coat:drop;second:destroy;first:destroy;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plugin_brings_its_codecs_handlers_events_and_observers),
        cmocka_unit_test(a_plugin_is_copied),
        cmocka_unit_test(an_empty_plugin_is_a_plugin),
        cmocka_unit_test(a_plugin_with_a_bad_table_is_refused_whole),
        cmocka_unit_test(a_plugin_whose_install_refuses_leaves_nothing),
        cmocka_unit_test(a_plugin_of_names_that_are_taken_is_refused_whole),
        cmocka_unit_test(the_handlers_of_a_plugin_have_the_limit_of_all),
        cmocka_unit_test(plugins_want_a_world_and_a_name),
        cmocka_unit_test(a_removed_plugin_leaves_only_its_kinds_of_event),
        cmocka_unit_test(a_plugin_stays_while_a_component_uses_its_codec),
        cmocka_unit_test(a_plugin_goes_while_a_component_uses_the_like_codec_of_another),
        cmocka_unit_test(observers_that_went_with_their_entities_are_no_matter),
        cmocka_unit_test(the_end_of_a_world_drops_rows_and_then_destroys_plugins_backwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
