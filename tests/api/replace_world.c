// Replacement worlds: what they have of the original, and that the original stays as it is.
#include "api/game_world.h"

#include "firn/relation.h"

#include <stdlib.h>
#include <string.h>

// A world of a game with something of everything.
typedef struct town {
    zoo z;
    firn_bus *bus;
    firn_component likes, parent, sword, cache;
    firn_event_kind hit;
    firn_state play, menu;
    firn_phase physics;
    firn_system mover, sleeper;
    firn_query bodies, gone;
    game_log log;
} town;

typedef struct sword {
    int8_t edge;
    bool cursed;
    double weight;
} sword;

static const firn_field sword_fields[] = {
    {.name = "edge",
     .type = FIRN_I8,
     .offset = offsetof(sword, edge),
     .former_names = (const char *const[]){"sharp", "keen", NULL}},
    FIRN_FIELD(sword, cursed, FIRN_BOOL),
    FIRN_FIELD(sword, weight, FIRN_F64),
};

static firn_result move_bodies(void *user, firn_world *world, double dt, firn_error *err)
{
    firn_query query = ((town *)user)->bodies;
    firn_iter it;
    (void)dt;
    firn_iter_begin(world, query, &it);
    while (firn_iter_next(&it)) {
        zoo_point *points = it.columns[0];
        for (uint32_t i = 0; i < it.count; i++)
            points[i].x += 1;
    }
    firn_random *random = firn_random_stream(world, "town", err);
    firn_entity entity = firn_spawn(world, &((town *)user)->z.of[ZOO_SCORE], 1, err);
    double score = firn_random_next(random);
    (void)firn_set(world, entity, ((town *)user)->z.of[ZOO_SCORE], &score, err);
    return firn_iter_end(&it, err);
}

static firn_result never_run(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)user, (void)world, (void)dt;
    err->code = FIRN_REFUSED;
    return FIRN_REFUSED;
}

static void register_parts(town *t)
{
    firn_error err;
    firn_world *world = t->z.world;
    firn_component_desc likes = {.name = "Likes", .kind = FIRN_RELATION};
    firn_component_desc parent = {.name = "Parent",
                                  .kind = FIRN_RELATION,
                                  .relation = FIRN_SPARSE | FIRN_EXCLUSIVE | FIRN_CASCADE};
    firn_component_desc cache = {.name = "Cache", .kind = FIRN_NUMBER, .transient = true};
    t->likes = zoo_register(world, &likes);
    t->parent = zoo_register(world, &parent);
    t->cache = zoo_register(world, &cache);
    const sword blunt = {.edge = 3, .weight = 2.5};
    const firn_component required[] = {t->cache, t->z.of[ZOO_TITLE]};
    firn_component_desc desc = zoo_struct("Sword", sizeof(sword), sword_fields, 3);
    desc.default_row = &blunt;
    desc.required = required;
    desc.required_count = 2;
    desc.former_names = (const char *const[]){"Blade", NULL};
    t->sword = zoo_register(world, &desc);
    t->hit = firn_event_register(world, "Hit", &err);
}

static void add_game(town *t)
{
    firn_error err;
    firn_world *world = t->z.world;
    t->menu = firn_state_create(world, &(firn_state_desc){.name = "menu"}, &err);
    t->play = firn_state_create(world, &(firn_state_desc){.name = "play"}, &err);
    t->physics = firn_phase_add(world, "Physics", firn_phase_find(world, "FixedUpdate"), &err);
    firn_term terms[] = {{.component = t->z.of[ZOO_POINT]},
                         {.component = t->z.of[ZOO_TAG], .kind = FIRN_WITHOUT}};
    t->gone = firn_query_create(world, &(firn_query_desc){.name = "gone"}, &err);
    t->bodies = firn_query_create(
        world, &(firn_query_desc){.name = "bodies", .terms = terms, .term_count = 2}, &err);
    assert_ok(firn_query_destroy(world, t->gone, &err), &err);
    firn_system_desc mover = {
        .name = "mover", .phase = t->physics, .state = t->play, .run = move_bodies, .user = t};
    firn_system_desc sleeper = {.name = "sleeper", .run = never_run};
    firn_system first = firn_system_add(world, &sleeper, &err);
    t->sleeper = firn_system_add(world, &sleeper, &err);
    t->mover = firn_system_add(world, &mover, &err);
    assert_ok(firn_system_remove(world, first, &err), &err);
    assert_ok(firn_system_enable(world, t->sleeper, false, &err), &err);
    assert_ok(firn_world_set_timestep(world, 0.25, &err), &err);
    assert_ok(firn_world_startup(world, &err), &err);
}

static void fill_town(town *t)
{
    firn_error err;
    firn_world *world = t->z.world;
    zoo_fill(&t->z);
    assert_ok(firn_state_push(world, t->play, &err), &err);
    firn_entity a = zoo_spawn_one(world, t->sword), b = zoo_spawn_one(world, t->z.of[ZOO_POINT]);
    assert_ok(firn_relate(world, a, t->likes, b, NULL, &err), &err);
    assert_ok(firn_relate(world, a, t->parent, b, NULL, &err), &err);
    assert_ok(firn_world_step(world, 1, &err), &err);
}

static void make_town(town *t, test_allocator *memory)
{
    firn_error err;
    *t = (town){.bus = firn_bus_create(NULL, &err)};
    firn_world_desc desc = {
        .name = "town", .bus = t->bus, .allocator = memory == NULL ? NULL : &memory->allocator};
    t->z.world = firn_world_create(&desc, &err);
    assert_non_null(t->z.world);
    for (int kind = 0; kind < ZOO_KINDS; kind++) {
        firn_component_desc component = zoo_desc((zoo_kind)kind);
        t->z.of[kind] = zoo_register(t->z.world, &component);
    }
    register_parts(t);
    add_game(t);
    fill_town(t);
}

static void end_town(town *t)
{
    firn_error err;
    firn_world_destroy(t->z.world);
    assert_ok(firn_bus_destroy(t->bus, &err), &err);
}

static firn_world *build(town *t, const firn_buffer *image)
{
    firn_error err;
    firn_load_report report;
    firn_world *world =
        firn_world_build_from(t->z.world, image->data, image->size, NULL, &report, &err);
    if (world == NULL)
        fail_msg("no replacement: %s", err.message);
    assert_true(report.committed);
    firn_load_report_free(&report);
    return world;
}

// ---------------------------------------------------------------- registrations

static void S9_a_replacement_holds_the_image_and_goes_on_as_the_original(void **state)
{
    (void)state;
    firn_error err;
    test_allocator memory;
    test_allocator_init(&memory);
    town t;
    make_town(&t, &memory);
    firn_buffer image = zoo_save(t.z.world);
    firn_world *world = build(&t, &image);
    assert_saves_as(world, &image);
    for (int i = 0; i < 5; i++) {
        assert_ok(firn_world_step(world, 0.3, &err), &err);
        assert_ok(firn_world_step(t.z.world, 0.3, &err), &err);
    }
    firn_buffer later = zoo_save(t.z.world);
    assert_saves_as(world, &later);
    assert_true(later.size > image.size); // the system spawned in both
    firn_buffer_free(&later);
    // Alone as well.
    firn_buffer last = zoo_save(world);
    firn_bus *bus = t.bus;
    firn_world_destroy(t.z.world);
    zoo_load(world, &image);
    assert_saves_as(world, &image);
    assert_ok(firn_world_step(world, 0.3, &err), &err);
    zoo_load(world, &last);
    firn_world_destroy(world);
    assert_ok(firn_bus_destroy(bus, &err), &err);
    firn_buffer_free(&last);
    firn_buffer_free(&image);
    assert_no_leak(&memory);
}

static void S9_handles_mean_the_same_in_the_replacement(void **state)
{
    (void)state;
    firn_error err;
    town t;
    make_town(&t, NULL);
    firn_buffer image = zoo_save(t.z.world);
    firn_world *world = build(&t, &image);
    assert_int_equal(firn_component_count(world), firn_component_count(t.z.world));
    for (uint32_t i = 0; i < firn_component_count(world); i++) {
        firn_component component = firn_component_at(world, i);
        assert_int_equal(component, firn_component_at(t.z.world, i));
        assert_string_equal(firn_component_name(world, component),
                            firn_component_name(t.z.world, component));
    }
    assert_int_equal(firn_key(world), firn_key(t.z.world));
    assert_int_equal(firn_child_of(world), firn_child_of(t.z.world));
    assert_int_equal(firn_event_find(world, "Hit"), t.hit);
    assert_int_equal(firn_state_find(world, "menu"), t.menu);
    assert_int_equal(firn_state_top(world), t.play);
    assert_int_equal(firn_state_tag(world, t.play), firn_state_tag(t.z.world, t.play));
    assert_int_equal(firn_phase_find(world, "Physics"), t.physics);
    assert_int_equal(firn_phase_count(world), firn_phase_count(t.z.world));
    for (uint32_t i = 0; i < firn_phase_count(world); i++)
        assert_int_equal(firn_phase_at(world, i), firn_phase_at(t.z.world, i));
    assert_true(firn_system_enabled(world, t.mover));
    assert_false(firn_system_enabled(world, t.sleeper));
    assert_true(firn_world_timestep(world) == 0.25);
    assert_int_equal(firn_query_count(world, t.bodies), firn_query_count(t.z.world, t.bodies));
    assert_true(firn_query_count(world, t.bodies) > 0);
    assert_int_equal(firn_query_destroy(world, t.gone, &err), FIRN_NOT_FOUND);
    // What comes next takes the next places.
    firn_component_desc more = {.name = "More", .kind = FIRN_TAG};
    assert_int_equal(zoo_register(world, &more), zoo_register(t.z.world, &more));
    firn_query_desc again = {.name = "again"};
    assert_int_equal(firn_query_create(world, &again, &err),
                     firn_query_create(t.z.world, &again, &err));
    firn_system_desc system = {.run = never_run};
    assert_int_equal(firn_system_add(world, &system, &err),
                     firn_system_add(t.z.world, &system, &err));
    firn_world_destroy(world);
    end_town(&t);
    firn_buffer_free(&image);
}

static void S9_descriptions_of_components_are_those_of_the_original(void **state)
{
    (void)state;
    firn_error err;
    town t;
    make_town(&t, NULL);
    firn_buffer image = zoo_save(t.z.world);
    firn_world *world = build(&t, &image);
    // The same description gives the component that is there; another one is refused.
    for (int kind = 0; kind < ZOO_KINDS; kind++) {
        firn_component_desc desc = zoo_desc((zoo_kind)kind);
        assert_int_equal(zoo_register(world, &desc), t.z.of[kind]);
        desc.transient = true;
        assert_int_equal(firn_component_register(world, &desc, &err), 0);
        assert_error(&err, FIRN_EXISTS, desc.name);
    }
    town other = {.z = {.world = world}};
    memcpy(other.z.of, t.z.of, sizeof t.z.of);
    register_parts(&other);
    assert_int_equal(other.sword, t.sword);
    assert_int_equal(other.likes, t.likes);
    assert_int_equal(other.parent, t.parent);
    firn_entity entity = zoo_spawn_one(world, t.sword);
    const sword *row = firn_get(world, entity, t.sword);
    assert_true(row->edge == 3 && row->weight == 2.5 && !row->cursed);
    assert_true(firn_has(world, entity, t.z.of[ZOO_TITLE]));
    // A former name is a name of saves, and no other component's.
    firn_component_desc blade = {.name = "Blade", .kind = FIRN_TAG};
    assert_int_equal(firn_component_register(world, &blade, &err), 0);
    assert_error(&err, FIRN_INVALID, "Blade");
    firn_world_destroy(world);
    end_town(&t);
    firn_buffer_free(&image);
}

// Places of components that a load keeps are none that a game sees; the others stay where they are.
static void S9_what_the_original_keeps_takes_no_handle_away(void **state)
{
    (void)state;
    firn_error err;
    town rich;
    make_town(&rich, NULL);
    firn_buffer image = zoo_save(rich.z.world);
    firn_world *original = zoo_empty(NULL);
    firn_state play = firn_state_create(original, &(firn_state_desc){.name = "play"}, &err);
    firn_state_create(original, &(firn_state_desc){.name = "menu"}, &err);
    firn_load_options keep = {.keep_unknown = true};
    assert_ok(firn_snapshot_load(original, image.data, image.size, &keep, NULL, &err), &err);
    firn_component_desc late = {.name = "Late", .kind = FIRN_NUMBER};
    firn_component added = zoo_register(original, &late);
    firn_world *world = firn_world_build_from(original, image.data, image.size, &keep, NULL, &err);
    assert_non_null(world);
    assert_int_equal(firn_component_find(world, "Late"), added);
    assert_int_equal(firn_state_find(world, "play"), play);
    assert_int_equal(firn_component_count(world), firn_component_count(original));
    assert_saves_as(world, &image); // the kept rows are those of the image
    firn_world_destroy(world);
    assert_null(firn_world_build_from(original, image.data, image.size, NULL, NULL, &err));
    assert_error(&err, FIRN_UNKNOWN, "");
    // Also when it keeps nothing any more.
    firn_world *plain = zoo_empty(NULL);
    firn_buffer bare = zoo_save(plain);
    firn_world_destroy(plain);
    zoo_load(original, &bare);
    world = firn_world_build_from(original, bare.data, bare.size, NULL, NULL, &err);
    assert_non_null(world);
    assert_int_equal(firn_component_find(world, "Late"), added);
    firn_component_desc title = zoo_desc(ZOO_TITLE);
    firn_component own = zoo_register(world, &title);
    assert_int_equal(own, zoo_register(original, &title));
    zoo_spawn_one(world, own);
    assert_int_equal(firn_component_count(world), firn_component_count(original));
    firn_buffer saved = zoo_save(world);
    zoo_load(world, &saved);
    assert_saves_as(world, &saved);
    firn_world_destroy(world);
    firn_buffer_free(&saved);
    firn_buffer_free(&bare);
    firn_world_destroy(original);
    end_town(&rich);
    firn_buffer_free(&image);
}

// ---------------------------------------------------------------- events

typedef struct hearing {
    game_log *log;
    const char *word;
    firn_world *world; // the only one that it may hear
} hearing;

static firn_result hear_it(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    hearing *h = user;
    (void)err;
    if (h->world != NULL)
        assert_ptr_equal(h->world, world);
    game_note(h->log, h->word);
    if (event->name[0] != 'H')
        game_note(h->log, event->name);
    return FIRN_OK;
}

static void S9_a_replacement_is_heard_by_nobody_until_it_is_attached(void **state)
{
    (void)state;
    firn_error err;
    town t;
    make_town(&t, NULL);
    firn_buffer image = zoo_save(t.z.world);
    game_log log = {""};
    hearing own = {&log, "own", t.z.world}, bus = {&log, "bus", NULL};
    static const char *const names[] = {"Hit", "StartSnapshotLoad", "FinishSnapshotLoad",
                                        "OnSnapshotSave"};
    for (int i = 0; i < 4; i++) {
        firn_observer_desc desc = {.event = names[i], .observe = hear_it, .user = &own};
        assert_int_not_equal(firn_observe(t.z.world, &desc, &err), 0);
        assert_int_not_equal(firn_bus_observe(t.bus, names[i], hear_it, &bus, &err), 0);
    }
    firn_world *world = build(&t, &image);
    assert_ptr_equal(firn_world_bus(world), t.bus);
    assert_false(firn_world_attached(world));
    assert_true(firn_world_attached(t.z.world));
    assert_ok(firn_emit(world, t.hit, 0, NULL, 0, &err), &err);
    assert_log(&log, "");
    assert_ok(firn_emit(t.z.world, t.hit, 0, NULL, 0, &err), &err);
    assert_log(&log, "own;bus;");
    assert_ok(firn_world_bind(t.z.world, world, &err), &err);
    assert_ok(firn_emit(world, t.hit, 0, NULL, 0, &err), &err);
    assert_log(&log, "bus;");
    assert_ok(firn_emit(t.z.world, t.hit, 0, NULL, 0, &err), &err);
    assert_log(&log, "own;");
    zoo_load(world, &image);
    assert_log(&log, "bus;StartSnapshotLoad;bus;FinishSnapshotLoad;");
    // Handles of observers are no handles of the other world.
    firn_observer_desc desc = {.event = "Hit", .observe = hear_it, .user = &own};
    firn_observer of_original = firn_observe(t.z.world, &desc, &err);
    desc.event = "OnSpawn";
    firn_observe(world, &desc, &err);
    assert_int_equal(firn_unobserve(world, of_original, &err), FIRN_INVALID);
    firn_world_destroy(world);
    end_town(&t);
    firn_buffer_free(&image);
}

static void S9_a_replacement_without_a_bus_is_not_attached_and_is_named(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    firn_world *world = firn_world_build_from(z.world, image.data, image.size, NULL, NULL, &err);
    assert_non_null(world);
    assert_null(firn_world_bus(world));
    assert_int_equal(firn_world_attach(world, &err), FIRN_INVALID);
    assert_error(&err, FIRN_INVALID, firn_world_name(z.world));
    firn_world_destroy(world);
    firn_world_destroy(z.world);
    firn_buffer_free(&image);
}

// ---------------------------------------------------------------- failures

static firn_result refuse_data(void *user, firn_world *world, const char *key, const void *encoded,
                               size_t size, firn_error *err)
{
    (void)user, (void)world, (void)key, (void)encoded, (void)size, (void)err;
    return FIRN_REFUSED;
}

static void S9_a_failure_leaves_the_original_and_no_replacement(void **state)
{
    (void)state;
    firn_error err;
    firn_load_report report;
    test_allocator memory;
    test_allocator_init(&memory);
    town t;
    make_town(&t, &memory);
    firn_data data = {.key = "mod", .encoded = "\x02", .encoded_size = 1};
    firn_buffer image =
        zoo_save_with(t.z.world, &(firn_save_options){.data = &data, .data_count = 1});
    firn_buffer before = zoo_save(t.z.world);
    uint64_t blocks = memory.blocks;
    assert_null(firn_world_build_from(t.z.world, image.data, image.size / 2, NULL, &report, &err));
    assert_error(&err, FIRN_TRUNCATED, "");
    assert_false(report.committed);
    firn_load_report_free(&report);
    // What fails when all is loaded leaves no world either.
    firn_load_options options = {.on_data = refuse_data};
    assert_null(firn_world_build_from(t.z.world, image.data, image.size, &options, &report, &err));
    assert_error(&err, FIRN_REFUSED, "mod");
    assert_false(report.committed);
    firn_load_report_free(&report);
    assert_null(firn_world_build_from(t.z.world, NULL, 0, NULL, NULL, &err));
    assert_error(&err, FIRN_INVALID, "image");
    assert_null(firn_world_build_from(NULL, image.data, image.size, NULL, &report, &err));
    assert_error(&err, FIRN_INVALID, "original");
    assert_int_equal(memory.blocks, blocks);
    assert_saves_as(t.z.world, &before);
    firn_buffer_free(&before);
    firn_buffer_free(&image);
    end_town(&t);
    assert_no_leak(&memory);
}

static void S9_the_original_is_bit_for_bit_as_it_was(void **state)
{
    (void)state;
    town t;
    make_town(&t, NULL);
    firn_buffer image = zoo_save(t.z.world);
    zoo_litter(&t.z);
    firn_entity entity = zoo_spawn_one(t.z.world, t.z.of[ZOO_BODY]);
    firn_buffer before = zoo_save(t.z.world);
    firn_hash hash = zoo_hash(t.z.world);
    const void *row = firn_get(t.z.world, entity, t.z.of[ZOO_BODY]);
    firn_world *world = build(&t, &image);
    assert_saves_as(world, &image);
    assert_ptr_equal(firn_get(t.z.world, entity, t.z.of[ZOO_BODY]), row);
    firn_hash now = zoo_hash(t.z.world);
    assert_memory_equal(&now, &hash, sizeof now);
    assert_saves_as(t.z.world, &before);
    firn_world_destroy(world);
    firn_buffer_free(&before);
    firn_buffer_free(&image);
    end_town(&t);
}

// ---------------------------------------------------------------- where it is called

typedef struct calling {
    const firn_buffer *image;
    firn_result result;
    firn_world *made;
} calling;

static void build_in_hook(void *user, const firn_rows *rows)
{
    calling *c = user;
    firn_error err = {.code = FIRN_OK};
    c->made = firn_world_build_from((firn_world *)rows->world, c->image->data, c->image->size, NULL,
                                    NULL, &err);
    c->result = err.code;
}

static firn_result build_in_save(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    calling *c = user;
    (void)out;
    firn_error why = {.code = FIRN_OK};
    (void)err;
    c->made = firn_world_build_from(world, c->image->data, c->image->size, NULL, NULL, &why);
    c->result = why.code;
    return FIRN_OK;
}

static firn_result build_in_observer(void *user, firn_world *world, const firn_event *event,
                                     firn_error *err)
{
    calling *c = user;
    (void)event;
    c->made = firn_world_build_from(world, c->image->data, c->image->size, NULL, NULL, err);
    return c->made == NULL ? err->code : FIRN_OK;
}

static void S9_a_world_is_replaced_from_loops_and_observers_but_not_from_hooks(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    zoo_fill(&z);
    firn_buffer image = zoo_save(z.world);
    calling c = {.image = &image};
    firn_component_desc desc = {
        .name = "Hooked", .kind = FIRN_TAG, .hooks = {.init = build_in_hook, .user = &c}};
    zoo_spawn_one(z.world, zoo_register(z.world, &desc));
    assert_null(c.made);
    assert_int_equal(c.result, FIRN_BUSY);
    firn_handler handler = {.abi = FIRN_ABI, .name = "h", .save = build_in_save, .user = &c};
    assert_ok(firn_handler_add(z.world, &handler, &err), &err);
    c.result = FIRN_OK;
    firn_buffer out = zoo_save(z.world);
    firn_buffer_free(&out);
    assert_null(c.made);
    assert_int_equal(c.result, FIRN_BUSY);
    firn_event_kind hit = firn_event_register(z.world, "Hit", &err);
    firn_observer_desc observer = {.event = "Hit", .observe = build_in_observer, .user = &c};
    firn_observe(z.world, &observer, &err);
    firn_query query = firn_query_create(z.world, &(firn_query_desc){.name = "all"}, &err);
    firn_iter it;
    firn_iter_begin(z.world, query, &it);
    assert_true(firn_iter_next(&it));
    assert_ok(firn_emit(z.world, hit, 0, NULL, 0, &err), &err);
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_non_null(c.made);
    assert_int_equal(firn_query_count(c.made, query), firn_query_count(z.world, query) - 1);
    firn_world_destroy(c.made);
    firn_world_destroy(z.world);
    firn_buffer_free(&image);
}

// A system that goes, and has its world replaced in the same step.
typedef struct leaving {
    calling c;
    firn_system itself;
} leaving;

static firn_result leave_and_build(void *user, firn_world *world, double dt, firn_error *err)
{
    leaving *l = user;
    const firn_buffer *image = l->c.image;
    (void)dt;
    assert_ok(firn_system_remove(world, l->itself, err), err);
    l->c.made = firn_world_build_from(world, image->data, image->size, NULL, NULL, err);
    return l->c.made == NULL ? err->code : FIRN_OK;
}

static void S9_a_system_that_has_gone_is_in_no_replacement(void **state)
{
    (void)state;
    firn_error err;
    zoo z = zoo_make(NULL, false);
    firn_buffer image = zoo_save(z.world);
    leaving l = {.c.image = &image};
    firn_system_desc system = {.run = leave_and_build, .user = &l};
    l.itself = firn_system_add(z.world, &system, &err);
    assert_ok(firn_world_step(z.world, 0, &err), &err);
    firn_world *made = l.c.made;
    assert_non_null(made);
    assert_int_equal(firn_system_remove(made, l.itself, &err), FIRN_NOT_FOUND);
    l.c.made = NULL;
    assert_ok(firn_world_step(made, 0, &err), &err);
    assert_null(l.c.made);
    firn_world_destroy(made);
    firn_world_destroy(z.world);
    firn_buffer_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S9_a_replacement_holds_the_image_and_goes_on_as_the_original),
        cmocka_unit_test(S9_handles_mean_the_same_in_the_replacement),
        cmocka_unit_test(S9_descriptions_of_components_are_those_of_the_original),
        cmocka_unit_test(S9_what_the_original_keeps_takes_no_handle_away),
        cmocka_unit_test(S9_a_replacement_is_heard_by_nobody_until_it_is_attached),
        cmocka_unit_test(S9_a_replacement_without_a_bus_is_not_attached_and_is_named),
        cmocka_unit_test(S9_a_failure_leaves_the_original_and_no_replacement),
        cmocka_unit_test(S9_the_original_is_bit_for_bit_as_it_was),
        cmocka_unit_test(S9_a_system_that_has_gone_is_in_no_replacement),
        cmocka_unit_test(S9_a_world_is_replaced_from_loops_and_observers_but_not_from_hooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
