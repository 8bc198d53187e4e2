/// plugin_keeper.h: a handler that keeps a number and writes down, in a log that several share,
/// what it was called for.
#ifndef TEST_PLUGIN_KEEPER_H
#define TEST_PLUGIN_KEEPER_H

#include "api/snapshot_zoo.h"

typedef struct keeper_log {
    char text[1024]; ///< `name:what;` per call
} keeper_log;

typedef struct keeper {
    const char *name;
    keeper_log *log;
    double number;      ///< saved; 0: nil
    const char *fails;  ///< what it is called for when it fails, or NULL
    firn_result result; ///< then
    bool silent;        ///< then it says nothing
    uint32_t held;      ///< numbers that check made and nobody took or let go of
} keeper;

/// A handler with every function, of which `user` is the keeper.
firn_handler keeper_handler(keeper *k);
/// Adds it to a world.
void keeper_add(keeper *k, firn_world *world);
/// Writes `name:what;` to a log.
void keeper_note(keeper_log *log, const char *name, const char *what);

#endif
