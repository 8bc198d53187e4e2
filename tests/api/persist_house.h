/// persist_house.h: a game of several scenes with a manager of persisted saves. A scene file is a
/// list of things, which tests may change.
#ifndef TEST_PERSIST_HOUSE_H
#define TEST_PERSIST_HOUSE_H

#include "api/snapshot_zoo.h"

/// What a scene file has of an entity.
typedef struct house_thing {
    uint64_t local;
    float x;             ///< of zoo.Point
    const char *persist; ///< NULL: none; else its id, may be ""
    firn_persist_mode mode;
    const char *fields;
    uint64_t parent; ///< local, or 0
} house_thing;

#define HOUSE_THINGS 8
typedef struct house_scene {
    const char *name; ///< of the scene and its level
    house_thing things[HOUSE_THINGS];
} house_scene;

#define HOUSE_SCENES 3
typedef struct house {
    test_allocator memory;
    zoo z;
    firn_saves_desc desc;
    firn_levels levels;
    firn_storage storage;
    firn_saves *saves;
    house_scene scenes[HOUSE_SCENES]; ///< hall, cellar, attic
    bool backwards;                   ///< entities are made from the last one on
    bool tells_nothing;               ///< enter does not tell the scene
    firn_result fails;                ///< of enter, when its entities are made
    bool fails_for_ever;              ///< also the next time
    bool restores;                    ///< the last enter was for a load
    int entered;                      ///< times
    char level[16];                   ///< that the game is in
    firn_buffer file;
} house;

/// Of cmocka: a house whose hall was entered, and its end.
int house_make(void **state);
int house_end(void **state);
#define IN_HOUSE(test) cmocka_unit_test_setup_teardown(test, house_make, house_end)

/// Another session: a new world and manager, with `spare` entities made and ended before the hall
/// is entered, so that its ids are others.
void house_again(house *h, uint32_t spare);
/// firn_saves_enter that must succeed.
void house_enter(house *h, const char *level);
/// The entity that the scene calls so; where it is, -1: it is dead, or has no zoo.Point.
firn_entity house_at(const house *h, uint64_t local);
float house_place(const house *h, firn_entity entity);
void house_put(house *h, firn_entity entity, float x);
firn_entity house_spawn(house *h, float x);
void house_end_of(house *h, firn_entity entity);
/// firn_saves_take of h->file.
firn_result house_take(house *h, firn_saves_loaded *loaded, firn_error *err);
/// A save into h->file, and back, which must succeed.
void house_save(house *h);
void house_load(house *h);

#endif
