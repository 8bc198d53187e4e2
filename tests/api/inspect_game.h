/// inspect_game.h: a small game whose slot "a" is inspected: what persists, variables, timers.
#ifndef TEST_INSPECT_GAME_H
#define TEST_INSPECT_GAME_H

#include "api/snapshot_zoo.h"

typedef struct inspect_game {
    test_allocator memory;
    zoo z;
    firn_world *world; ///< that of the zoo
    firn_storage storage;
    firn_saves_desc desc;
    firn_saves *saves;
    double timer; ///< what a handler saves
} inspect_game;

/// Ids of its entities.
enum { SCENERY = 1, PLAYER, CHEST, LAMP, SIGN, SUMMONED, CHILD };

/// What an inspection of the persisted game says right after its save.
#define ALL_ARE_SAME                                                                               \
    "entity 2 (key \"player\"): same\n"                                                            \
    "entity 3: same\n"                                                                             \
    "entity 6: same\n"                                                                             \
    "entity 7: same\n"                                                                             \
    "entity 5: same\n"                                                                             \
    "entity (key \"lamp\"): same\n"

/// Of cmocka: a game of either kind, saved in "a", and its end.
int inspect_make_world(void **state);
int inspect_make_persisted(void **state);
int inspect_end(void **state);
#define OF_WORLD(test)  cmocka_unit_test_setup_teardown(test, inspect_make_world, inspect_end)
#define PERSISTED(test) cmocka_unit_test_setup_teardown(test, inspect_make_persisted, inspect_end)
/// Closes the manager and opens it as the desc says now.
void inspect_open_again(inspect_game *game);

void inspect_persist(inspect_game *game, firn_entity entity, firn_persist row);
/// zoo.Point of an entity becomes {number, -number}, or another component the number.
void inspect_set(inspect_game *game, firn_entity entity, zoo_kind kind, double number);
/// A variable of an entity, and one of the game, become a tree (support/tree.h); NULL: it goes.
void inspect_set_var(inspect_game *game, firn_entity entity, const char *name, const char *tree);
void inspect_set_variable(inspect_game *game, const char *name, const char *tree);
/// Loads the slot.
void inspect_load(inspect_game *game);

/// An inspection of the slot gives these lines, a tree with as many, and changes nothing.
#define assert_inspected(game, options, lines)                                                     \
    inspect_assert((game), (options), (lines), __FILE__, __LINE__)
firn_inspection inspect_assert(inspect_game *game, const firn_inspect_options *options,
                               const char *lines, const char *file, int line);
/// The inspection of a slot is refused.
void inspect_refused(inspect_game *game, const char *slot, const firn_inspect_options *options,
                     firn_result result, const char *subject);

#endif
