/// script_game.h: a game whose steps write down that they were called, for the tests of
/// firn/script.h.
#ifndef TEST_SCRIPT_GAME_H
#define TEST_SCRIPT_GAME_H

#include "api/game_world.h"

/// A world with a timestep of 1, in which script state runs in FixedFirst, the entities `a` and
/// `b`, and the providers
///
///     door     open, close, ring: note the call
///              fail: notes it and fails with FIRN_REFUSED, subject "jammed"
///              hook: notes it and calls `hook`
///              idle: does nothing
///     guard    walk, fight: note the call
///
/// A note is the name of the step, then where there is one: `@a` or `@b` for the entity, `/key`,
/// `:event`, `=payload` (a number, or `?`), `!` for the first call, `+ticks` when above 0, `#count`
/// when above 1, `*` when something tracked is done.
typedef struct script_game {
    firn_world *world;
    firn_entity a, b;
    game_log log;
    firn_result (*hook)(struct script_game *game, const firn_step_call *call, firn_error *err);
    uint64_t number; ///< for hooks
    firn_buffer out; ///< for hooks
} script_game;

/// memory NULL: the default allocator.
script_game *script_game_make(test_allocator *memory);
void script_game_free(script_game *game);
/// Adds the two providers to a world, whose calls go to the log of the game.
void script_game_add(script_game *game, firn_world *world);

/// Steps so many ticks, which must succeed.
void script_ticks(script_game *game, uint32_t count);
/// One step; what it came to.
firn_result script_step(script_game *game, firn_error *err);
/// Steps once; the notes of it are these.
#define assert_step(game, notes) script_assert_step((game), (notes), __FILE__, __LINE__)
void script_assert_step(script_game *game, const char *notes, const char *file, int line);

/// Makers that must succeed; they return the number.
uint64_t script_send(script_game *game, const char *event, firn_entity address, double delay);
/// With a number as the payload.
uint64_t script_send_number(script_game *game, const char *event, double delay, double payload);
/// A timer of door.
uint64_t script_timer(script_game *game, const char *step, firn_entity entity, double delay,
                      double period);
/// A wait of door.
uint64_t script_wait(script_game *game, const char *step, firn_entity entity, const char *event,
                     double delay);
uint64_t script_machine(script_game *game, firn_entity entity, const char *state);
/// A cursor of door.
uint64_t script_cursor(script_game *game, firn_entity entity, const char *key, const char *step);
firn_script_item script_item(script_game *game, uint64_t number);
/// The item is there, or not.
bool script_has(script_game *game, uint64_t number);

/// Saves, and loads it into the same world.
void script_reload(script_game *game);

#endif
