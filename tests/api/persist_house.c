#include "api/persist_house.h"

#include <string.h>

static const house_scene house_scenes[HOUSE_SCENES] = {
    {"hall",
     {{.local = 1, .x = 1},
      {.local = 2, .x = 2, .persist = ""},
      {.local = 3, .x = 3, .persist = "lamp", .mode = FIRN_PERSIST_FIELDS, .fields = "zoo.Point"},
      {.local = 4, .x = 4, .parent = 2},
      {.local = 9, .x = 9, .persist = ""}}},
    {"cellar",
     {{.local = 1, .x = 11, .persist = ""},
      {.local = 2, .x = 12},
      {.local = 5, .x = 15, .persist = "", .parent = 1}}},
    {"attic", {{.local = 7, .x = 27}}},
};

// ---- levels

static const char *house_level(void *user, firn_world *world)
{
    (void)world;
    return ((house *)user)->level;
}

static firn_result make_thing(house *h, firn_world *world, const house_thing *thing,
                              firn_entity entity, firn_entity parent, firn_error *err)
{
    const zoo_point point = {thing->x, 0};
    firn_result result = firn_set(world, entity, h->z.of[ZOO_POINT], &point, err);
    if (result == FIRN_OK && thing->persist != NULL) {
        firn_persist row = {.mode = (uint8_t)thing->mode};
        strcpy(row.id, thing->persist);
        strcpy(row.fields, thing->fields == NULL ? "" : thing->fields);
        result = firn_persist_set(world, entity, &row, err);
    }
    return result == FIRN_OK && parent != 0
               ? firn_relate(world, entity, firn_child_of(world), parent, NULL, err)
               : result;
}

static firn_result make_scene(house *h, firn_world *world, const house_scene *scene,
                              firn_error *err)
{
    firn_entity entities[HOUSE_THINGS];
    uint64_t locals[HOUSE_THINGS];
    uint32_t count = 0;
    while (count < HOUSE_THINGS && scene->things[count].local != 0)
        count++;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        uint32_t at = h->backwards ? count - 1 - i : i;
        locals[at] = scene->things[at].local;
        entities[at] = firn_spawn(world, NULL, 0, err);
        result = entities[at] == 0 ? err->code : FIRN_OK;
    }
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        firn_entity parent = 0;
        for (uint32_t k = 0; k < count; k++)
            parent = scene->things[i].parent == locals[k] ? entities[k] : parent;
        result = make_thing(h, world, &scene->things[i], entities[i], parent, err);
    }
    return result == FIRN_OK && !h->tells_nothing
               ? firn_saves_scene(h->saves, scene->name, entities, locals, count, err)
               : result;
}

static firn_result house_go(void *user, const char *level, bool for_restore, firn_world **world,
                            firn_error *err)
{
    house *h = user;
    const house_scene *scene = NULL;
    for (int i = 0; i < HOUSE_SCENES; i++)
        if (h->scenes[i].name != NULL && strcmp(h->scenes[i].name, level) == 0)
            scene = &h->scenes[i];
    if (scene == NULL)
        return FIRN_UNKNOWN;
    h->restores = for_restore;
    h->entered++;
    firn_result result = firn_saves_leave(h->saves, err);
    if (result == FIRN_OK)
        result = make_scene(h, *world, scene, err);
    if (result == FIRN_OK) {
        result = h->fails;
        h->fails = h->fails_for_ever ? h->fails : FIRN_OK;
    }
    if (result == FIRN_OK)
        strcpy(h->level, level);
    return result;
}

// ---- sessions

static void open_house(house *h, uint32_t spare)
{
    firn_error err;
    firn_entity made[16];
    h->z = zoo_make(&h->memory, false);
    h->saves = firn_saves_open(h->z.world, &h->desc, &err);
    assert_non_null(h->saves);
    for (uint32_t i = 0; i < spare; i++)
        made[i] = house_spawn(h, 0);
    for (uint32_t i = spare; i-- > 0;)
        house_end_of(h, made[i]);
    house_enter(h, "hall");
    h->entered = 0;
}

int house_make(void **state)
{
    static house h;
    memset(&h, 0, sizeof h);
    test_allocator_init(&h.memory);
    memcpy(h.scenes, house_scenes, sizeof h.scenes);
    h.levels = (firn_levels){house_level, house_go, &h};
    h.desc = (firn_saves_desc){.game = "house", .kind = FIRN_SAVES_PERSISTED, .levels = &h.levels};
    open_house(&h, 0);
    *state = &h;
    return 0;
}

static void close_house(house *h)
{
    firn_saves_close(h->saves);
    firn_world_destroy(h->z.world);
}

int house_end(void **state)
{
    house *h = *state;
    firn_buffer_free(&h->file);
    close_house(h);
    firn_storage_close(&h->storage);
    assert_no_leak(&h->memory);
    return 0;
}

void house_again(house *h, uint32_t spare)
{
    close_house(h);
    h->level[0] = 0;
    open_house(h, spare);
}

void house_enter(house *h, const char *level)
{
    firn_error err;
    assert_ok(firn_saves_enter(h->saves, level, &err), &err);
    assert_false(h->restores);
}

// ---- entities

firn_entity house_at(const house *h, uint64_t local)
{
    return firn_saves_scene_entity(h->saves, local);
}

float house_place(const house *h, firn_entity entity)
{
    const zoo_point *point = firn_get(h->z.world, entity, h->z.of[ZOO_POINT]);
    return point == NULL ? -1 : point->x;
}

void house_put(house *h, firn_entity entity, float x)
{
    firn_error err;
    const zoo_point point = {x, 0};
    assert_ok(firn_set(h->z.world, entity, h->z.of[ZOO_POINT], &point, &err), &err);
}

firn_entity house_spawn(house *h, float x)
{
    firn_entity entity = zoo_spawn_one(h->z.world, h->z.of[ZOO_POINT]);
    house_put(h, entity, x);
    return entity;
}

void house_end_of(house *h, firn_entity entity)
{
    firn_error err;
    assert_ok(firn_despawn(h->z.world, entity, &err), &err);
}

void house_save(house *h)
{
    firn_error err;
    firn_buffer_clear(&h->file);
    assert_ok(firn_saves_make(h->saves, NULL, &h->file, &err), &err);
}

firn_result house_take(house *h, firn_saves_loaded *loaded, firn_error *err)
{
    return firn_saves_take(h->saves, h->file.data, h->file.size, loaded, err);
}

void house_load(house *h)
{
    firn_error err;
    assert_ok(house_take(h, NULL, &err), &err);
}
