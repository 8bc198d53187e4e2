/// saves_game.h: a small game with a manager of saves, for the tests of saves: the world of the
/// zoo, a storage in memory, a clock that stands, levels that note who enters them.
#ifndef TEST_SAVES_GAME_H
#define TEST_SAVES_GAME_H

#include "api/snapshot_zoo.h"

#define SAVES_GAME_NOW INT64_C(1700000000123)

typedef struct saves_game {
    test_allocator memory; ///< of the worlds and the manager
    zoo z;
    firn_storage storage; ///< in memory
    firn_saves_desc desc; ///< for the manager; to be changed before it is opened
    firn_levels levels;   ///< for desc.levels
    firn_saves *saves;
    // Levels.
    char level[64];           ///< where the game is
    char trace[512];          ///< what was called: "enter cave; "
    int entered;              ///< times
    int fail_enter;           ///< the time that fails, from 1; 0: none
    bool fail_enter_for_ever; ///< and all after it
    firn_result enter_result; ///< of one that fails
    firn_world *next_world;   ///< NULL, or what enter gives
    int gives_none;           ///< times that enter gives no world at all
} saves_game;

/// A game whose manager is not open yet, so that desc may change. `levels` are ready, and not in
/// desc.
void saves_game_make(saves_game *game);
/// Opens the manager.
void saves_game_open(saves_game *game);
/// Closes and opens the manager: another session of the same game.
void saves_game_open_again(saves_game *game);
void saves_game_end(saves_game *game);
/// The end of a setup, and the teardown, as cmocka wants them: opens the manager of a game that
/// becomes the state; ends it.
int saves_game_begin(saves_game *game, void **state);
int saves_game_teardown(void **state);

/// The file that firn_saves_make gives; of the default allocator.
firn_buffer saves_game_file(saves_game *game);
/// The bytes of a generation of a slot; of the default allocator.
firn_buffer saves_game_slot(saves_game *game, const char *slot, firn_generation generation);
/// Puts bytes into a slot, whatever is there.
void saves_game_put(saves_game *game, const char *slot, const firn_buffer *bytes);
/// Writes another file in place of `file`: with this header and the same sections. It is freed.
firn_buffer saves_game_with_header(firn_buffer *file, void (*change)(firn_save_header *header));
void saves_game_set(saves_game *game, const char *name, double number);
/// The number of a variable, -1 when there is none.
double saves_game_get(const saves_game *game, const char *name);

/// What of a game a failed call must not change.
typedef struct saves_game_state {
    firn_world *world;
    firn_hash hash;
    firn_buffer variables;
    firn_buffer slot; ///< of the slot "a", or empty
    firn_buffer backup;
    double play_time;
    char level[64];
} saves_game_state;
saves_game_state saves_game_look(saves_game *game);
/// Everything is as it was then; frees the state.
#define assert_unchanged(game, state) saves_game_assert((game), (state), __FILE__, __LINE__)
void saves_game_assert(saves_game *game, saves_game_state *state, const char *file, int line);

#endif
