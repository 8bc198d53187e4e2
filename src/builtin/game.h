/// game.h (private): the part FR_PART_GAME of a world: its states, phases, systems and random
/// streams. What is saved of it goes through handlers as a game's own would (plugin/registry.h).
#ifndef FR_GAME_H
#define FR_GAME_H

#include "base/array.h"
#include "builtin/script.h"
#include "firn/class.h"
#include "firn/game.h"
#include "firn/plugin.h"
#include "store/bundle.h"
#include "store/world.h"

// ---------------------------------------------------------------- random streams

typedef struct fr_stream {
    firn_random random;
    bool opened; ///< the game has its address; else a save brought it
    bool begun;  ///< it was asked for, or saved; else a load that does not name it started it again
    uint32_t name_size;
    char name[]; ///< any bytes
} fr_stream;

typedef struct fr_streams {
    uint32_t seed;
    bool seeded;       ///< a seed was set, or came with a save
    fr_stream **items; ///< in the order of their names
    uint32_t count;
    uint32_t capacity;
} fr_streams;

// ---------------------------------------------------------------- states

typedef struct fr_state {
    char *name;
    firn_state_desc desc; ///< its name is `name`
    uint32_t tag;         ///< component index
    fr_maker maker;
} fr_state;

typedef struct fr_states {
    fr_state *items; ///< in registration order
    uint32_t count;
    uint32_t capacity;
    uint32_t *stack; ///< indices of items, bottom first
    uint32_t depth;
    uint32_t stack_capacity;
    const char *changing; ///< NULL, or the state whose callback runs
} fr_states;

// ---------------------------------------------------------------- classes

typedef struct fr_class {
    char *name;
    fr_bundle bundle; ///< its last part is Class
    firn_class_fn create;
    firn_class_fn restore;
    void *user;
    fr_maker maker;
} fr_class;

typedef struct fr_classes {
    fr_class *items; ///< in registration order
    uint32_t count;
    uint32_t capacity;
    fr_map names;             ///< hash of name -> index
    firn_component component; ///< Class; 0 before the first class
} fr_classes;

// ---------------------------------------------------------------- phases and systems

typedef struct fr_system {
    firn_system handle;
    char *name;
    firn_system_desc desc;
    fr_maker maker;
    bool enabled;
    bool removed; ///< while a phase runs: swept when none does
} fr_system;

typedef enum fr_phase_group {
    FR_GROUP_STARTUP,
    FR_GROUP_BEFORE, ///< of every step, before the fixed ones
    FR_GROUP_FIXED,
    FR_GROUP_AFTER,
    FR_GROUP_SHUTDOWN,
    FR_GROUP_NONE ///< only known from a save, in which it is disabled
} fr_phase_group;

/// The built-in phases; their index.
enum {
#define FR_PHASE_INDEX(name) FR_PHASE_##name,
    FIRN_PHASES(FR_PHASE_INDEX)
#undef FR_PHASE_INDEX
        FR_BUILTIN_PHASES
};

typedef struct fr_phase {
    const char *name;
    char *own_name; ///< NULL: built in, `name` is constant
    fr_phase_group group;
    fr_maker maker;
    bool disabled;
    bool saved_disabled; ///< what a load that is being checked will make of `disabled`
    bool running;
    fr_system **systems; ///< in the order in which they were added
    uint32_t system_count;
    uint32_t system_capacity;
} fr_phase;

typedef struct fr_pipeline {
    fr_phase builtin[FR_BUILTIN_PHASES];
    fr_phase **phases; ///< by index, which does not change; the built-in ones first
    uint32_t phase_count;
    uint32_t phase_capacity;
    uint32_t *order; ///< indices of those with a group, in the order in which they run
    uint32_t order_count;
    uint32_t order_capacity;
    uint32_t systems_made; ///< ever: the next handle
    uint32_t running;      ///< phases that run, inside each other
    bool sweep;            ///< systems were removed while phases ran
    bool started;
    double timestep;
    double accumulator;
} fr_pipeline;

typedef struct fr_game {
    fr_streams streams;
    fr_states states;
    fr_pipeline pipeline;
    fr_classes classes;
    fr_script script;
    uint32_t loads;     ///< ever: who runs callbacks notices that one of them loaded
    firn_component key; ///< the component Key
    firn_component child_of;
    uint64_t state_base; ///< the handle of state 0; others follow
    uint64_t phase_base;
    uint64_t system_base;
    uint64_t class_base;
} fr_game;

/// firn_world_create; with an original, whose handles those of the new world are to equal.
firn_world *fr_world_assemble(const firn_world_desc *desc, const firn_world *original,
                              firn_error *err);
/// States, phases, systems and classes of the original for a world that has none but what is built
/// in, and the components already. FIRN_NO_MEMORY: the world is to be destroyed.
firn_result fr_game_copy(firn_world *world, const firn_world *original, firn_error *err);

/// The game part, or NULL: world is NULL or about to end.
fr_game *fr_game_of(const firn_world *world);
/// The same in *game; FIRN_INVALID for NULL, FIRN_BUSY when a hook or codec runs.
firn_result fr_game_enter(firn_world *world, fr_game **game, firn_error *err);
/// What a call does first that runs callbacks: no hook, load or loop is open (FIRN_BUSY), deferred
/// changes are applied.
firn_result fr_game_settle(firn_world *world, fr_game **game, firn_error *err);
/// Closes the loops that a callback left open; debug builds say whose: `what` "system", its name.
/// What applying the deferred changes came to is returned.
firn_result fr_game_close_loops(firn_world *world, const char *what, const char *name,
                                firn_error *err);

/// Each makes its part, with its handler; fr_*_free frees it, also half made.
firn_result fr_keys_install(firn_world *world, fr_game *game, firn_error *err);
firn_result fr_streams_install(firn_world *world, fr_streams *streams, firn_error *err);
firn_result fr_states_install(firn_world *world, fr_game *game, firn_error *err);
firn_result fr_pipeline_install(firn_world *world, fr_game *game, firn_error *err);
void fr_streams_free(const firn_allocator *allocator, fr_streams *streams);
void fr_states_free(const firn_allocator *allocator, fr_states *states);
void fr_pipeline_free(const firn_allocator *allocator, fr_pipeline *pipeline);

/// The classes of another world, whose components the world has already. False: no memory, and the
/// world is to be destroyed.
bool fr_classes_copy(firn_world *world, const fr_classes *from);
void fr_classes_free(const firn_world *world, fr_classes *classes);

/// Index of a state or phase; UINT32_MAX with FIRN_INVALID, naming `argument`, when it is none of
/// this world.
uint32_t fr_state_of(const fr_game *game, firn_state state, firn_error *err);
uint32_t fr_phase_of(const fr_game *game, firn_phase phase, const char *argument, firn_error *err);
/// FIRN_BUSY, naming the phase, while one runs.
firn_result fr_pipeline_check_rests(const fr_pipeline *pipeline, firn_error *err);

/// A phase without a group. NULL: no memory.
fr_phase *fr_phase_make(const firn_allocator *allocator, const char *name, size_t size);
void fr_phase_free(const firn_allocator *allocator, fr_phase *phase);
/// The index of the phase of that name, one without a group included; UINT32_MAX: none.
uint32_t fr_phase_named(const fr_pipeline *pipeline, const char *name, size_t size);
firn_result fr_pipeline_add_handler(firn_world *world, fr_game *game, firn_error *err);

/// Frees the systems that were removed while phases ran.
void fr_systems_sweep(const firn_allocator *allocator, fr_pipeline *pipeline);
/// A system that is in no phase and has no handle yet. NULL: no memory.
fr_system *fr_system_make(const firn_allocator *allocator, const firn_system_desc *desc);
void fr_system_free(const firn_allocator *allocator, fr_system *system);

#define FR_STATES_MOST 1024u
#define FR_PHASES_MOST 1024u
#define FR_FIXED_MOST  65536u ///< fixed steps at once

#endif
