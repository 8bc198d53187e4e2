#include "api/persist_room.h"

#include <string.h>

void room_persist(room *r, firn_entity entity, firn_persist row)
{
    firn_error err;
    assert_ok(firn_persist_set(r->z.world, entity, &row, &err), &err);
}

void room_place(room *r, firn_entity entity, float x)
{
    firn_error err;
    const zoo_point point = {x, -x};
    assert_ok(firn_set(r->z.world, entity, r->z.of[ZOO_POINT], &point, &err), &err);
}

float room_place_of(const room *r, firn_entity entity)
{
    const zoo_point *point = firn_get(r->z.world, entity, r->z.of[ZOO_POINT]);
    return point == NULL ? -1 : point->x;
}

int room_make(void **state)
{
    static room r;
    memset(&r, 0, sizeof r);
    test_allocator_init(&r.memory);
    r.z = zoo_make(&r.memory, false);
    r.desc = (firn_saves_desc){.game = "rooms", .kind = FIRN_SAVES_PERSISTED};
    r.saves = firn_saves_open(r.z.world, &r.desc, NULL);
    r.persist = firn_persist_component(r.z.world);
    r.scenery = zoo_spawn_one(r.z.world, r.z.of[ZOO_POINT]);
    r.player = zoo_spawn_one(r.z.world, r.z.of[ZOO_POINT]);
    r.door = zoo_spawn_one(r.z.world, r.z.of[ZOO_POINT]);
    room_persist(&r, r.player, (firn_persist){.id = "player"});
    room_persist(&r, r.door, (firn_persist){.mode = FIRN_PERSIST_ALL});
    room_place(&r, r.scenery, 1);
    room_place(&r, r.player, 2);
    room_place(&r, r.door, 3);
    *state = &r;
    return r.saves == NULL;
}

int room_end(void **state)
{
    room *r = *state;
    firn_buffer_free(&r->file);
    firn_saves_close(r->saves);
    firn_world_destroy(r->z.world);
    assert_no_leak(&r->memory);
    return 0;
}

void room_save(room *r)
{
    firn_error err;
    firn_buffer_clear(&r->file);
    assert_ok(firn_saves_make(r->saves, NULL, &r->file, &err), &err);
}

void room_load(room *r)
{
    firn_error err;
    assert_ok(firn_saves_take(r->saves, r->file.data, r->file.size, NULL, &err), &err);
}

firn_entity room_spawn(room *r, float x)
{
    firn_entity entity = zoo_spawn_one(r->z.world, r->z.of[ZOO_POINT]);
    room_place(r, entity, x);
    return entity;
}
