#include "api/pack_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

enum { CROWD = 60 };

typedef struct place {
    float x, y;
} place;

typedef struct fear {
    firn_entity target;
    double how_much;
} fear;

typedef struct trail {
    firn_entity target;
    int32_t steps;
} trail;

// ---------------------------------------------------------------- chance

static uint32_t chance(pack *wolves, const char *stream, uint32_t bound)
{
    firn_random *random = firn_random_stream(wolves->world, stream, NULL);
    assert_non_null(random);
    return (uint32_t)firn_random_integer(random, 0, bound - 1);
}

// Any entity that the query finds, or 0.
static firn_entity any(pack *wolves, firn_query query)
{
    uint32_t count = firn_query_count(wolves->world, query);
    if (count == 0)
        return 0;
    uint32_t wanted = chance(wolves, "who", count);
    firn_entity found = 0;
    firn_iter it;
    firn_iter_begin(wolves->world, query, &it);
    while (found == 0 && firn_iter_next(&it)) {
        if (wanted < it.count)
            found = it.entities[wanted];
        wanted -= it.count;
    }
    assert_ok(firn_iter_end(&it, NULL), NULL);
    return found;
}

// ---------------------------------------------------------------- what a wolf does

static void be_born(pack *wolves)
{
    firn_error err = {0};
    firn_component kinds[4];
    uint32_t count = 0;
    for (uint32_t kind = PACK_POSITION; kind <= PACK_AWAKE; kind++) {
        if (chance(wolves, "life", 3) != 0)
            kinds[count++] = wolves->of[kind];
    }
    firn_entity pup = firn_spawn(wolves->world, kinds, count, &err);
    assert_ok(pup != 0 ? FIRN_OK : err.code, &err);
}

static void relate(pack *wolves, firn_entity wolf)
{
    firn_error err = {0};
    firn_world *world = wolves->world;
    firn_entity other = any(wolves, wolves->everyone);
    firn_result result = FIRN_OK;
    switch (chance(wolves, "life", 6)) {
    case 0:
        // Not under itself: an older one is the parent.
        if (other < wolf)
            result = firn_relate(world, wolf, wolves->child_of, other, NULL, &err);
        break;
    case 1:
        result = firn_relate(world, wolf, wolves->of[PACK_LIKES], other, NULL, &err);
        break;
    case 2: {
        fear row = {.how_much = chance(wolves, "life", 9)};
        result = firn_relate(world, wolf, wolves->of[PACK_FEARS], other, &row, &err);
        break;
    }
    case 3: {
        trail row = {.steps = (int32_t)chance(wolves, "life", 9)};
        result = firn_relate(world, wolf, wolves->of[PACK_FOLLOWS], other, &row, &err);
        break;
    }
    case 4:
        result = firn_relate(world, wolf, wolves->of[PACK_KNOWS], other, NULL, &err);
        break;
    default: {
        firn_component kind = wolves->of[PACK_LIKES + chance(wolves, "life", 4)];
        firn_entity target = chance(wolves, "life", 2) == 0 ? 0 : other;
        result = firn_unrelate(world, wolf, kind, target, &err);
    }
    }
    assert_ok(result, &err);
}

// `keys`: whether the wolf may get a key, which another one may have.
static void change(pack *wolves, firn_entity wolf, bool keys)
{
    firn_error err = {0};
    firn_world *world = wolves->world;
    firn_component kind = wolves->of[chance(wolves, "life", 4)];
    char key[16];
    firn_result result = FIRN_OK;
    switch (chance(wolves, "life", 5)) {
    case 0:
        result = firn_add(world, wolf, &kind, 1, &err);
        break;
    case 1:
        result = firn_remove(world, wolf, &kind, 1, &err);
        break;
    case 2: {
        firn_doc_clear(wolves->doc);
        firn_value *howl = firn_value_table(wolves->doc, &err);
        const firn_value *pitch = firn_value_number(wolves->doc, chance(wolves, "life", 100), &err);
        assert_ok(firn_table_set_text(wolves->doc, howl, "pitch", pitch, &err), &err);
        result = firn_set_value(world, wolf, wolves->of[PACK_HOWL], howl, &err);
        break;
    }
    case 3:
        if (!keys)
            break;
        snprintf(key, sizeof key, "wolf %u", (unsigned)chance(wolves, "life", 20));
        result = firn_set_text(world, wolf, firn_key(world), key, &err);
        result = result == FIRN_EXISTS ? FIRN_OK : result;
        break;
    default:
        result = firn_despawn(world, wolf, &err);
    }
    assert_ok(result, &err);
}

// ---------------------------------------------------------------- systems

static firn_result start(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)world, (void)dt, (void)err;
    for (int i = 0; i < 12; i++)
        be_born(user);
    return FIRN_OK;
}

static firn_result move(void *user, firn_world *world, double dt, firn_error *err)
{
    pack *wolves = user;
    firn_random *wind = firn_random_stream(world, "wind", err);
    firn_iter it;
    firn_iter_begin(world, wolves->movers, &it);
    while (firn_iter_next(&it)) {
        place *places = it.columns[0];
        double *energies = it.columns[1];
        for (uint32_t i = 0; i < it.count; i++) {
            places[i].x += (float)(firn_random_next(wind) * dt);
            places[i].y += (float)(firn_random_range(wind, -1, 1) * dt);
            energies[i] -= dt;
        }
    }
    return firn_iter_end(&it, err);
}

// Changes inside a loop, applied at its end.
static firn_result live(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)dt;
    pack *wolves = user;
    firn_iter it;
    firn_iter_begin(world, wolves->everyone, &it);
    while (firn_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            uint32_t what = chance(wolves, "life", 30);
            if (what < 3 && firn_alive(world, it.entities[i]))
                relate(wolves, it.entities[i]);
            else if (what == 3)
                change(wolves, it.entities[i], false);
        }
    }
    return firn_iter_end(&it, err);
}

// Changes outside of loops.
static firn_result meet(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)dt, (void)err;
    pack *wolves = user;
    for (uint32_t i = chance(wolves, "life", 4); i > 0; i--) {
        firn_entity wolf = any(wolves, wolves->everyone);
        if (wolf == 0 || firn_entity_count(world) < CROWD / 4)
            be_born(wolves);
        else if (i % 2 == 0 || firn_entity_count(world) > CROWD)
            change(wolves, wolf, true);
        else
            relate(wolves, wolf);
    }
    return FIRN_OK;
}

// Only while the night is on top.
static firn_result sleep_at_night(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)dt;
    pack *wolves = user;
    firn_entity wolf = any(wolves, wolves->everyone);
    be_born(wolves);
    return wolf != 0 ? firn_remove(world, wolf, &wolves->of[PACK_AWAKE], 1, err) : FIRN_OK;
}

// Only while the hunt is on top; who joins it ends with it.
static firn_result join_the_hunt(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)world, (void)dt, (void)err;
    be_born(user);
    return FIRN_OK;
}

static firn_result turn(void *user, firn_world *world, double dt, firn_error *err)
{
    (void)dt;
    static const char *const phases[] = {"FixedPostUpdate", "Update", "Howling", "PostUpdate"};
    pack *wolves = user;
    firn_state state = wolves->states[chance(wolves, "mood", 3)];
    firn_phase phase = firn_phase_find(world, phases[chance(wolves, "mood", 4)]);
    switch (chance(wolves, "mood", 7)) {
    case 0:
        return firn_state_depth(world) < 4 ? firn_state_push(world, state, err) : FIRN_OK;
    case 1:
        return firn_state_depth(world) > 0 ? firn_state_pop(world, err) : FIRN_OK;
    case 2:
        return firn_state_switch(world, state, err);
    case 3:
        return firn_phase_enable(world, phase, !firn_phase_enabled(world, phase), err);
    case 4: // a stream that begins late
        return firn_random_stream(world, "late", err) != NULL && chance(wolves, "late", 2) == 0
                   ? firn_phase_enable(world, phase, true, err)
                   : FIRN_OK;
    default:
        return FIRN_OK;
    }
}

// The last wolf of a pack that ends leaves a trace now and then.
static firn_result mourn(void *user, firn_world *world, const firn_event *event, firn_error *err)
{
    pack *wolves = user;
    if (event->count == 0 || firn_entity_count(world) > CROWD || chance(wolves, "ghosts", 5) != 0)
        return FIRN_OK;
    firn_entity ghost = firn_spawn(world, &wolves->of[PACK_POSITION], 1, err);
    return firn_set(world, ghost, wolves->of[PACK_ENERGY], &(double){event->count}, err);
}

// ---------------------------------------------------------------- the world

static const firn_field place_fields[] = {
    FIRN_FIELD(place, x, FIRN_F32),
    FIRN_FIELD(place, y, FIRN_F32),
};
static const firn_field fear_fields[] = {FIRN_FIELD(fear, how_much, FIRN_F64)};
static const firn_field trail_fields[] = {FIRN_FIELD(trail, steps, FIRN_I32)};
static const double full_of_energy = 3;

#define FIELDS_OF(T, fields_)                                                                      \
    .size = sizeof(T), .fields = (fields_), .field_count = FIRN_COUNT(fields_)

static const firn_component_desc kinds[PACK_KINDS] = {
    [PACK_POSITION] = {.name = "Position", .kind = FIRN_STRUCT, FIELDS_OF(place, place_fields)},
    [PACK_ENERGY] = {.name = "Energy", .kind = FIRN_NUMBER, .default_row = &full_of_energy},
    [PACK_HOWL] = {.name = "Howl", .kind = FIRN_VALUE},
    [PACK_AWAKE] = {.name = "Awake", .kind = FIRN_TAG},
    [PACK_LIKES] = {.name = "Likes", .kind = FIRN_RELATION, .relation = FIRN_REVERSE},
    [PACK_FEARS] = {.name = "Fears",
                    .kind = FIRN_RELATION,
                    .relation = FIRN_EXCLUSIVE | FIRN_CASCADE,
                    FIELDS_OF(fear, fear_fields)},
    [PACK_FOLLOWS] = {.name = "Follows",
                      .kind = FIRN_RELATION,
                      .relation = FIRN_SPARSE | FIRN_EXCLUSIVE,
                      FIELDS_OF(trail, trail_fields)},
    [PACK_KNOWS] = {.name = "Knows", .kind = FIRN_RELATION, .relation = FIRN_SPARSE | FIRN_REVERSE},
};

static void add_system(pack *wolves, const char *phase, firn_state state,
                       firn_result (*run)(void *, firn_world *, double, firn_error *))
{
    firn_error err = {0};
    firn_system_desc desc = {
        .phase = firn_phase_find(wolves->world, phase), .state = state, .run = run, .user = wolves};
    assert_true(desc.phase != 0);
    assert_ok(firn_system_add(wolves->world, &desc, &err) != 0 ? FIRN_OK : err.code, &err);
}

static void add_states(pack *wolves)
{
    static const char *const names[] = {"day", "night", "hunt"};
    firn_error err = {0};
    for (int i = 0; i < 3; i++) {
        firn_state_desc desc = {.name = names[i], .despawn_on_pop = i == 2};
        wolves->states[i] = firn_state_create(wolves->world, &desc, &err);
        assert_ok(wolves->states[i] != 0 ? FIRN_OK : err.code, &err);
    }
}

static void add_systems(pack *wolves)
{
    firn_error err = {0};
    firn_phase update = firn_phase_find(wolves->world, "Update");
    assert_true(firn_phase_add(wolves->world, "Howling", update, &err) != 0);
    add_system(wolves, "Startup", 0, start);
    add_system(wolves, "FixedUpdate", 0, move);
    add_system(wolves, "FixedPostUpdate", 0, live);
    add_system(wolves, "Update", 0, meet);
    add_system(wolves, "Howling", wolves->states[1], sleep_at_night);
    add_system(wolves, "PostUpdate", wolves->states[2], join_the_hunt);
    add_system(wolves, "Last", 0, turn);
    firn_observer_desc desc = {.event = "OnDespawn", .observe = mourn, .user = wolves};
    assert_true(firn_observe(wolves->world, &desc, &err) != 0);
}

static void add_queries(pack *wolves)
{
    firn_error err = {0};
    firn_term terms[] = {{.component = wolves->of[PACK_POSITION]},
                         {.component = wolves->of[PACK_ENERGY]}};
    firn_query_desc everyone = {.name = "everyone"};
    firn_query_desc movers = {.name = "movers", .terms = terms, .term_count = 2};
    wolves->everyone = firn_query_create(wolves->world, &everyone, &err);
    wolves->movers = firn_query_create(wolves->world, &movers, &err);
    assert_true(wolves->everyone != 0 && wolves->movers != 0);
}

pack *pack_make(int32_t seed, bool backwards)
{
    firn_error err = {0};
    pack *wolves = calloc(1, sizeof *wolves);
    assert_non_null(wolves);
    wolves->world = firn_world_create(NULL, &err);
    wolves->doc = firn_doc_create(NULL, NULL, &err);
    assert_true(wolves->world != NULL && wolves->doc != NULL);
    wolves->child_of = firn_child_of(wolves->world);
    for (uint32_t i = 0; i < PACK_KINDS; i++) {
        uint32_t kind = backwards ? PACK_KINDS - 1 - i : i;
        wolves->of[kind] = firn_component_register(wolves->world, &kinds[kind], &err);
        assert_ok(wolves->of[kind] != 0 ? FIRN_OK : err.code, &err);
    }
    add_queries(wolves);
    add_states(wolves);
    add_systems(wolves);
    assert_ok(firn_random_seed(wolves->world, seed, &err), &err);
    assert_ok(firn_world_startup(wolves->world, &err), &err);
    return wolves;
}

void pack_destroy(pack *wolves)
{
    firn_world_destroy(wolves->world);
    firn_doc_destroy(wolves->doc);
    free(wolves);
}

void pack_tick(pack *wolves)
{
    firn_error err = {0};
    double dt = firn_random_range(firn_random_stream(wolves->world, "time", &err), 0, 0.04);
    assert_ok(firn_world_step(wolves->world, dt, &err), &err);
}

void pack_ticks(pack *wolves, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        pack_tick(wolves);
}

// ---------------------------------------------------------------- saves

static const firn_save_options with_edges = {.sparse_edges = true};

firn_buffer pack_save(pack *wolves)
{
    firn_error err = {0};
    firn_buffer image = {0};
    assert_ok(firn_snapshot_save(wolves->world, &with_edges, &image, &err), &err);
    return image;
}

void pack_load(pack *wolves, const firn_buffer *image)
{
    firn_error err = {0};
    assert_ok(firn_snapshot_load(wolves->world, image->data, image->size, NULL, NULL, &err), &err);
}

void pack_save_file(pack *wolves, const char *path)
{
    firn_error err = {0};
    assert_ok(firn_snapshot_save_file(wolves->world, path, &with_edges, &err), &err);
}

void pack_load_file(pack *wolves, const char *path)
{
    firn_error err = {0};
    assert_ok(firn_snapshot_load_file(wolves->world, path, NULL, NULL, &err), &err);
}
