/// history_runs.h: runs of the history game, and whether another one goes on as they did.
#ifndef TEST_HISTORY_RUNS_H
#define TEST_HISTORY_RUNS_H

#include "api/history_game.h"

/// What a game is like after a tick.
typedef struct history_mark {
    firn_hash world;
    firn_digest save; ///< of its next save, which follows the one of the tick before
} history_mark;

/// A run without a load: `before` ticks, a save, HISTORY_AFTER ticks with a mark behind each.
#define HISTORY_AFTER 20
typedef struct history_run {
    history_options options;
    uint32_t before;
    firn_buffer save;
    history_mark marks[HISTORY_AFTER];
} history_run;

/// The run of a seed, and the game at its end.
history *history_run_make(history_run *run, const history_options *options);
/// Loads the save of a run into a game and goes on: everything that persists is at every tick as in
/// the run, and without moving scenery so is all the rest. Else prints seed, tick and what differs,
/// with `how` it came there, and ends the test.
void history_run_again(const history_run *run, history *h, const char *how);

/// Prints what differs in two saves, but for the line of saves that they are in; returns whether
/// anything does.
bool history_differs(const firn_buffer *wanted, const firn_buffer *found);
/// Two games are the same in all that their saves hold, but for the slots that are free: in the
/// second one somebody has a slot whom no save holds. Else prints what differs and ends the test.
void history_compare_beside(history *wanted, history *found);
/// Prints what differs in two games, which are in the same state if nothing does.
void history_explain(history *wanted, history *found);

/// A number of an environment variable, else `usual`.
uint32_t history_count(const char *name, uint32_t usual);

#endif
