/// persist_room.h: a small game with a manager of persisted saves.
#ifndef TEST_PERSIST_ROOM_H
#define TEST_PERSIST_ROOM_H

#include "api/snapshot_zoo.h"

/// A room with a player, a door and scenery.
typedef struct room {
    test_allocator memory;
    zoo z;
    firn_saves_desc desc;
    firn_saves *saves;
    firn_component persist;
    firn_entity scenery, player, door;
    firn_buffer file;
} room;

/// Of cmocka: makes a room whose player and door persist, as whole entities, and ends it.
int room_make(void **state);
int room_end(void **state);
#define IN_ROOM(test) cmocka_unit_test_setup_teardown(test, room_make, room_end)

/// firn_persist_set that must succeed.
void room_persist(room *r, firn_entity entity, firn_persist row);
/// Sets zoo.Point of an entity; -1: it has none.
void room_place(room *r, firn_entity entity, float x);
float room_place_of(const room *r, firn_entity entity);
/// An entity with zoo.Point.
firn_entity room_spawn(room *r, float x);
/// A save into r->file, and back, which must succeed.
void room_save(room *r);
void room_load(room *r);

#endif
