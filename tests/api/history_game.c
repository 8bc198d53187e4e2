#include "api/history_game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct place {
    float x, y;
} place;

typedef struct lamp {
    float glow;    // persists
    float flicker; // does not
} lamp;

// What a scene file has: all is made in this order, with local ids from 1.
typedef struct scene_file {
    const char *name;
    uint32_t scenery, chests;
    bool has_door; // behind the lamp, which every scene has
} scene_file;

static const scene_file scene_files[3] = {
    {"meadow", 5, 2, true}, {"cave", 9, 3, false}, {"tower", 3, 1, true}};

enum { SCENE_MOST = 16 };

const char *history_scene_name(uint32_t scene)
{
    return scene_files[scene].name;
}

uint32_t history_scenery_count(uint32_t scene)
{
    return scene_files[scene].scenery;
}

// ---------------------------------------------------------------- chance, and who there is

static firn_random *stream_of(history *h, const char *name)
{
    firn_random *stream = firn_random_stream(h->world, name, NULL);
    assert_non_null(stream);
    return stream;
}

static firn_random *chance_of(history *h, const char *name)
{
    history_tally *tally = history_tally_of(h);
    return tally->late ? &tally->chance : stream_of(h, name);
}

uint32_t history_draw(history *h, uint32_t bound)
{
    return (uint32_t)firn_random_integer(chance_of(h, "choices"), 0, (int64_t)bound - 1);
}

firn_entity history_keeper(history *h)
{
    firn_entity keeper = firn_find_key(h->world, "keeper", 6);
    assert_int_not_equal(keeper, 0);
    return keeper;
}

history_tally *history_tally_of(history *h)
{
    history_tally *tally = firn_get_mut(h->world, history_keeper(h), h->of[HISTORY_TALLY]);
    assert_non_null(tally);
    return tally;
}

firn_entity history_creature(history *h)
{
    uint32_t count = firn_query_count(h->world, h->creatures);
    uint32_t wanted = count == 0 ? 0 : history_draw(h, count);
    firn_entity found = 0;
    firn_iter it;
    firn_iter_begin(h->world, h->creatures, &it);
    while (found == 0 && firn_iter_next(&it)) {
        if (wanted < it.count)
            found = it.entities[wanted];
        wanted -= it.count;
    }
    assert_ok(firn_iter_end(&it, NULL), NULL);
    return found;
}

firn_value *history_number(history *h, double number)
{
    firn_value *value = firn_value_number(h->doc, number, NULL);
    assert_non_null(value);
    return value;
}

static firn_entity spawn(history *h, const firn_component *kinds, uint32_t count,
                         const firn_persist *persist)
{
    firn_error err;
    firn_entity entity = firn_spawn(h->world, kinds, count, &err);
    assert_ok(entity != 0 ? FIRN_OK : err.code, &err);
    if (persist != NULL)
        assert_ok(firn_persist_set(h->world, entity, persist, &err), &err);
    return entity;
}

firn_entity history_spawn(history *h)
{
    firn_component kinds[8] = {h->of[HISTORY_CREATURE]};
    uint32_t count = 1;
    for (uint32_t kind = HISTORY_PLACE; kind <= HISTORY_GOAL; kind++)
        if (history_draw(h, 3) == 0)
            kinds[count++] = h->of[kind];
    firn_persist persist = {.spawned = true};
    uint32_t number = ++history_tally_of(h)->spawned;
    if (history_draw(h, 2) == 0)
        (void)snprintf(persist.id, sizeof persist.id, "beast-%u", (unsigned)number);
    return spawn(h, kinds, count, &persist);
}

// ---------------------------------------------------------------- systems

static firn_result act(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)world, (void)dt, (void)err;
    history_end_work(user);
    history_play(user);
    return FIRN_OK;
}

static firn_result drift(void *user, firn_world *world, double dt, firn_error *err)
{
    history *h = user;
    const history_tally *tally = history_tally_of(h);
    if (tally->late && tally->dice == 0)
        return FIRN_OK; // there is no wind yet
    firn_random *wind = stream_of(h, "wind");
    firn_iter it;
    firn_iter_begin(world, h->movers, &it);
    while (firn_iter_next(&it)) {
        place *places = it.columns[0];
        for (uint32_t i = 0; i < it.count; i++) {
            places[i].x += (float)(firn_random_next(wind) * dt);
            places[i].y -= (float)dt;
        }
    }
    return firn_iter_end(&it, err);
}

// Changes inside a loop, applied at its end.
static firn_result wander(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)dt;
    history *h = user;
    firn_iter it;
    firn_iter_begin(world, h->movers, &it);
    while (firn_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            uint32_t what = history_draw(h, 40);
            firn_component kind = h->of[what % 2 == 0 ? HISTORY_AWAKE : HISTORY_BRAVE];
            firn_result result = FIRN_OK;
            if (what < 2)
                result = firn_add(world, it.entities[i], &kind, 1, err);
            else if (what < 4)
                result = firn_remove(world, it.entities[i], &kind, 1, err);
            else if (what == 4)
                result = firn_relate(world, it.entities[i], h->of[HISTORY_KNOWS], it.entities[0],
                                     NULL, err);
            assert_ok(result, err);
        }
    }
    return firn_iter_end(&it, err);
}

// By what no save has: no call of this and none of that process is the same.
static firn_result sway(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)dt;
    history *h = user;
    if (!h->options.moving_scenery)
        return FIRN_OK;
    firn_iter it;
    firn_iter_begin(world, h->scenery, &it);
    while (firn_iter_next(&it)) {
        history_scenery *rows = it.columns[0];
        for (uint32_t i = 0; i < it.count; i++) {
            rows[i].sway += (float)++h->noise;
            rows[i].seen = h->noise % 2 == 0 ? history_keeper(h) : it.entities[i];
        }
    }
    firn_result result = firn_iter_end(&it, err);
    firn_iter_begin(world, h->lamps, &it);
    while (firn_iter_next(&it))
        ((lamp *)it.columns[0])->flicker = (float)++h->noise;
    return result == FIRN_OK ? firn_iter_end(&it, err) : result;
}

// Only while a dream is on top; who comes ends with it.
static firn_result dream(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)dt, (void)err;
    history *h = user;
    if (firn_query_count(world, h->creatures) < 12)
        (void)history_spawn(h);
    return FIRN_OK;
}

static firn_result howl(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)world, (void)err;
    history_tally_of(user)->weight += dt;
    return FIRN_OK;
}

static firn_result count_ends(void *user, firn_world *world, const firn_event *event,
                              firn_error *err)
{
    (void)world, (void)err;
    history_tally_of(user)->ended += event->count;
    return FIRN_OK;
}

static firn_result hear_cheer(void *user, firn_world *world, const firn_event *event,
                              firn_error *err)
{
    history *h = user;
    history_tally_of(h)->cheers++;
    return firn_add(world, event->address, &h->of[HISTORY_AWAKE], 1, err);
}

static void add_system(history *h, const char *phase, firn_state state,
                       firn_result (*run)(void *, firn_world *, double, firn_error *))
{
    firn_error err;
    const firn_system_desc desc = {
        .phase = firn_phase_find(h->world, phase), .state = state, .run = run, .user = h};
    assert_int_not_equal(firn_system_add(h->world, &desc, &err), 0);
}

static void add_observer(history *h, const char *event, firn_observer_fn observe)
{
    firn_error err;
    const firn_observer_desc desc = {.event = event, .observe = observe, .user = h};
    assert_int_not_equal(firn_observe(h->world, &desc, &err), 0);
}

static void add_behaviour(history *h)
{
    static const char *const names[3] = {"day", "dream", "menu"};
    firn_error err;
    for (int i = 0; i < 3; i++) {
        const firn_state_desc desc = {.name = names[i], .despawn_on_pop = i == 1};
        h->states[i] = firn_state_create(h->world, &desc, &err);
        assert_int_not_equal(h->states[i], 0);
    }
    firn_phase update = firn_phase_find(h->world, "Update");
    assert_int_not_equal(firn_phase_add(h->world, "Howling", update, &err), 0);
    history_add_providers(h);
    add_system(h, "FixedUpdate", 0, act);
    add_system(h, "FixedUpdate", h->states[1], dream);
    add_system(h, "FixedPostUpdate", 0, wander);
    add_system(h, "Update", 0, drift);
    add_system(h, "Howling", 0, howl);
    add_system(h, "Last", 0, sway);
    h->cheer = firn_event_register(h->world, "cheer", &err);
    add_observer(h, "cheer", hear_cheer);
    add_observer(h, "OnDespawn", count_ends);
}

// ---------------------------------------------------------------- scenes

// States on top are no part of a scene: it is the same in every game.
static void drop_state_tags(history *h, firn_entity entity)
{
    firn_error err;
    firn_component tags[3];
    for (int i = 0; i < 3; i++)
        tags[i] = firn_state_tag(h->world, h->states[i]);
    assert_ok(firn_remove(h->world, entity, tags, 3, &err), &err);
}

static firn_entity make_scenery(history *h, uint32_t number)
{
    firn_error err;
    const history_scenery row = {.number = number, .sway = (float)number};
    firn_entity entity = spawn(h, &h->of[HISTORY_SCENERY], 1, NULL);
    assert_ok(firn_set(h->world, entity, h->of[HISTORY_SCENERY], &row, &err), &err);
    return entity;
}

firn_entity history_invite(history *h)
{
    firn_error err;
    firn_entity many[80];
    const firn_component guest[2] = {h->of[HISTORY_SCENERY], firn_carry_component(h->world)};
    assert_ok(firn_spawn_many(h->world, NULL, 0, 80, many, &err), &err);
    assert_ok(firn_add(h->world, many[79], guest, 2, &err), &err);
    for (int i = 0; i < 79; i++)
        assert_ok(firn_despawn(h->world, many[i], &err), &err);
    drop_state_tags(h, many[79]);
    return many[79];
}

static uint32_t make_entities(history *h, const scene_file *file, firn_entity *out)
{
    const firn_component chest[2] = {h->of[HISTORY_CREATURE], h->of[HISTORY_ENERGY]};
    const firn_persist whole = {.mode = FIRN_PERSIST_ALL};
    const firn_persist glow = {
        .id = "lamp", .mode = FIRN_PERSIST_FIELDS, .fields = "lamp.glow", .no_vars = true};
    const firn_persist vars = {.mode = FIRN_PERSIST_VARS};
    uint32_t count = 0;
    for (uint32_t i = 0; i < file->scenery; i++)
        out[count++] = make_scenery(h, i + 1);
    for (uint32_t i = 0; i < file->chests; i++)
        out[count++] = spawn(h, chest, 2, &whole);
    out[count++] = spawn(h, &h->of[HISTORY_LAMP], 1, &glow);
    if (file->has_door)
        out[count++] = spawn(h, &h->of[HISTORY_DOOR], 1, &vars);
    for (uint32_t i = 0; i < count; i++)
        drop_state_tags(h, out[i]);
    return count;
}

static const char *current_level(void *user, firn_world *world)
{
    (void)world;
    return scene_files[((history *)user)->scene].name;
}

static firn_result enter_level(void *user, const char *level, bool for_restore, firn_world **world,
                               firn_error *err)
{
    history *h = user;
    uint32_t scene = 0;
    firn_entity entities[SCENE_MOST];
    uint64_t locals[SCENE_MOST];
    (void)world;
    while (scene < 3 && strcmp(scene_files[scene].name, level) != 0)
        scene++;
    if (scene == 3)
        return FIRN_UNKNOWN;
    h->scene = scene;
    if (h->options.kind == FIRN_SAVES_WORLD && for_restore)
        return FIRN_OK; // all of it is in the save
    firn_result result = firn_saves_leave(h->saves, err);
    if (result != FIRN_OK)
        return result;
    uint32_t count = make_entities(h, &scene_files[scene], entities);
    for (uint32_t i = 0; i < count; i++)
        locals[i] = i + 1;
    return h->options.kind == FIRN_SAVES_WORLD
               ? FIRN_OK
               : firn_saves_scene(h->saves, level, entities, locals, count, err);
}

void history_go(history *h, uint32_t scene)
{
    firn_error err;
    if (h->scene != scene)
        assert_ok(firn_saves_enter(h->saves, scene_files[scene].name, &err), &err);
}

// ---------------------------------------------------------------- the world

#define FIELDS_OF(T, fields_)                                                                      \
    .size = sizeof(T), .fields = (fields_), .field_count = FIRN_COUNT(fields_)

static void register_kinds(history *h)
{
    static const firn_field place_fields[] = {FIRN_FIELD(place, x, FIRN_F32),
                                              FIRN_FIELD(place, y, FIRN_F32)};
    static const firn_field lamp_fields[] = {FIRN_FIELD(lamp, glow, FIRN_F32),
                                             FIRN_FIELD(lamp, flicker, FIRN_F32)};
    static const firn_field goal_fields[] = {FIRN_FIELD(history_goal, who, FIRN_ENTITY),
                                             FIRN_FIELD(history_goal, before, FIRN_ENTITY_NUMBER),
                                             FIRN_FIELD(history_goal, steps, FIRN_I32)};
    static const firn_field scenery_fields[] = {FIRN_FIELD(history_scenery, number, FIRN_U32),
                                                FIRN_FIELD(history_scenery, sway, FIRN_F32),
                                                FIRN_FIELD(history_scenery, seen, FIRN_ENTITY)};
    static const firn_field tally_fields[] = {FIRN_FIELD(history_tally, spawned, FIRN_U32),
                                              FIRN_FIELD(history_tally, ended, FIRN_U32),
                                              FIRN_FIELD(history_tally, rings, FIRN_U32),
                                              FIRN_FIELD(history_tally, storms, FIRN_U32),
                                              FIRN_FIELD(history_tally, dawns, FIRN_U32),
                                              FIRN_FIELD(history_tally, cheers, FIRN_U32),
                                              FIRN_FIELD(history_tally, dice, FIRN_U32),
                                              FIRN_FIELD(history_tally, camp_until, FIRN_U32),
                                              FIRN_FIELD(history_tally, weight, FIRN_F64),
                                              FIRN_FIELD(history_tally, late, FIRN_BOOL),
                                              FIRN_FIELD_ARRAY(history_tally, chance, FIRN_U32, 4)};
    static const firn_field edge_fields[] = {FIRN_FIELD(history_edge, strength, FIRN_F64)};
    static const firn_component_desc descs[HISTORY_KINDS] = {
        [HISTORY_CREATURE] = {.name = "creature", .kind = FIRN_TAG},
        [HISTORY_PLACE] = {.name = "place", FIELDS_OF(place, place_fields)},
        [HISTORY_ENERGY] = {.name = "energy", .kind = FIRN_NUMBER},
        [HISTORY_MOOD] = {.name = "mood", .kind = FIRN_STRING},
        [HISTORY_BAG] = {.name = "bag", .kind = FIRN_VALUE},
        [HISTORY_BRAVE] = {.name = "brave", .kind = FIRN_BOOLEAN},
        [HISTORY_AWAKE] = {.name = "awake", .kind = FIRN_TAG},
        [HISTORY_GOAL] = {.name = "goal", FIELDS_OF(history_goal, goal_fields)},
        [HISTORY_TALLY] = {.name = "tally", FIELDS_OF(history_tally, tally_fields)},
        [HISTORY_LAMP] = {.name = "lamp", FIELDS_OF(lamp, lamp_fields)},
        [HISTORY_DOOR] = {.name = "door", .kind = FIRN_TAG},
        [HISTORY_SCENERY] = {.name = "scenery", FIELDS_OF(history_scenery, scenery_fields)},
        [HISTORY_LIKES] = {.name = "likes", .kind = FIRN_RELATION, .relation = FIRN_REVERSE},
        [HISTORY_FEARS] = {.name = "fears",
                           .kind = FIRN_RELATION,
                           .relation = FIRN_EXCLUSIVE | FIRN_CASCADE,
                           FIELDS_OF(history_edge, edge_fields)},
        [HISTORY_FOLLOWS] = {.name = "follows",
                             .kind = FIRN_RELATION,
                             .relation = FIRN_SPARSE | FIRN_EXCLUSIVE,
                             FIELDS_OF(history_edge, edge_fields)},
        [HISTORY_KNOWS] = {.name = "knows",
                           .kind = FIRN_RELATION,
                           .relation = FIRN_SPARSE | FIRN_REVERSE},
        [HISTORY_RESTS] = {.name = "rests", .kind = FIRN_RELATION, .relation = FIRN_REVERSE},
    };
    firn_error err;
    for (uint32_t i = 0; i < HISTORY_KINDS; i++) {
        h->of[i] = firn_component_register(h->world, &descs[i], &err);
        assert_ok(h->of[i] != 0 ? FIRN_OK : err.code, &err);
    }
    assert_int_not_equal(firn_persist_register(h->world, &err), 0);
}

static firn_query add_query(history *h, firn_component component, firn_component maybe)
{
    const firn_term terms[2] = {{.component = component},
                                {.component = maybe, .kind = FIRN_OPTIONAL}};
    const firn_query_desc desc = {.terms = terms, .term_count = 2};
    firn_query query = firn_query_create(h->world, &desc, NULL);
    assert_int_not_equal(query, 0);
    return query;
}

static void add_queries(history *h)
{
    firn_component disabled = firn_disabled(h->world), creature = h->of[HISTORY_CREATURE];
    h->creatures = add_query(h, creature, disabled);
    h->movers = add_query(h, h->of[HISTORY_PLACE], creature);
    h->scenery = add_query(h, h->of[HISTORY_SCENERY], disabled);
    h->lamps = add_query(h, h->of[HISTORY_LAMP], disabled);
    h->doors = add_query(h, h->of[HISTORY_DOOR], disabled);
}

static int64_t stand_still(void *user)
{
    (void)user;
    return 1700000000000;
}

static void open_saves(history *h)
{
    static const firn_save_options with_edges = {.sparse_edges = true};
    firn_error err;
    const firn_levels levels = {current_level, enter_level, h};
    assert_ok(firn_storage_memory(NULL, &h->storage, &err), &err);
    const firn_saves_desc desc = {.game = "history",
                                  .storage = &h->storage,
                                  .kind = h->options.kind,
                                  .levels = &levels,
                                  .snapshot = &with_edges,
                                  .now = stand_still};
    h->saves = firn_saves_open(h->world, &desc, &err);
    assert_ok(h->saves != NULL ? FIRN_OK : err.code, &err);
}

// Who is there in every scene: the keeper, who persists, and the camera, which does not.
static void spawn_carried(history *h)
{
    firn_error err;
    const firn_component keeper[2] = {h->of[HISTORY_TALLY], firn_carry_component(h->world)};
    const firn_component camera[2] = {h->of[HISTORY_SCENERY], firn_carry_component(h->world)};
    const firn_persist persist = {.id = "keeper", .spawned = true};
    firn_entity entity = spawn(h, keeper, 2, &persist);
    assert_ok(firn_set_text(h->world, entity, firn_key(h->world), "keeper", &err), &err);
    (void)spawn(h, camera, 2, NULL);
}

history *history_make(const history_options *options)
{
    firn_error err;
    history *h = calloc(1, sizeof *h);
    assert_non_null(h);
    h->options = *options;
    h->noise = options->seed;
    h->world = firn_world_create(NULL, &err);
    h->doc = firn_doc_create(NULL, NULL, &err);
    assert_true(h->world != NULL && h->doc != NULL);
    register_kinds(h);
    add_queries(h);
    add_behaviour(h);
    open_saves(h);
    spawn_carried(h);
    history_tally *tally = history_tally_of(h);
    tally->late = options->seed % 2 == 0;
    firn_random_start(&tally->chance, (int32_t)options->seed);
    if (!tally->late)
        assert_ok(firn_random_seed(h->world, (int32_t)options->seed, &err), &err);
    h->scene = (options->first_scene + 1) % 3;
    history_go(h, options->first_scene);
    return h;
}

void history_destroy(history *h)
{
    firn_saves_close(h->saves);
    firn_storage_close(&h->storage);
    firn_world_destroy(h->world);
    firn_doc_destroy(h->doc);
    free(h);
}

// ---------------------------------------------------------------- frames and saves

void history_tick(history *h)
{
    firn_error err;
    double dt = firn_random_range(chance_of(h, "time"), 0, 0.034);
    assert_ok(firn_world_step(h->world, dt, &err), &err);
    assert_ok(firn_saves_end_tick(h->saves, dt, &err), &err);
}

void history_ticks(history *h, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        history_tick(h);
}

firn_buffer history_save(history *h)
{
    firn_error err;
    firn_buffer file = {0};
    assert_ok(firn_saves_make(h->saves, NULL, &file, &err), &err);
    return file;
}

void history_load(history *h, const void *file, size_t size)
{
    firn_error err;
    assert_ok(firn_saves_take(h->saves, file, size, NULL, &err), &err);
}
