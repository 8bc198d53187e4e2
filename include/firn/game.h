/// firn/game.h: what a game hangs on a world beside entities: named resources, entity keys, random
/// streams, states, phases, systems and steps. Common failures as in firn/world.h.
#ifndef FIRN_GAME_H
#define FIRN_GAME_H

#include "firn/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- resources

/// Hangs a pointer of the game on the world: never saved, the same after a load. A name that is
/// there gets the new pointer, and what it held is destroyed unless it is the same pointer.
/// `destroy` (NULL: nothing to do) gets the pointer when it is replaced or removed, or when the
/// world is destroyed: after all drop hooks, the one set last first, and without using the world.
/// Allowed at any time, from hooks too.
FIRN_CALLS_BACK FIRN_API firn_result firn_resource_set(firn_world *world, const char *name,
                                                       void *pointer,
                                                       void (*destroy)(void *pointer),
                                                       firn_error *err);

/// The pointer, or NULL.
FIRN_API void *firn_resource_get(const firn_world *world, const char *name);

/// Removes and destroys it. FIRN_NOT_FOUND.
FIRN_CALLS_BACK FIRN_API firn_result firn_resource_remove(firn_world *world, const char *name,
                                                          firn_error *err);

// ---------------------------------------------------------------- keys

/// The built-in component Key: a unique string (firn_component_desc.unique) by which a game finds
/// an entity again, after a load too.
FIRN_API firn_component firn_key(const firn_world *world);
/// The entity with this key, or 0. Takes as long for any number of entities.
FIRN_API firn_entity firn_find_key(const firn_world *world, const void *key, size_t size);
/// The entity with this key, or 0 with FIRN_NOT_FOUND, which names the key.
FIRN_API firn_entity firn_require_key(const firn_world *world, const char *key, firn_error *err);

// ---------------------------------------------------------------- random numbers

/// A generator: xoshiro128** (Blackman and Vigna), seeded by a SplitMix32 mix. The same numbers on
/// every machine. `words` may be copied and stored; all zero is not a state.
typedef struct firn_random {
    uint32_t words[4];
} firn_random;

/// Starts a generator of the game's own.
FIRN_API void firn_random_start(firn_random *random, int32_t seed);
/// 0 <= x < 1, a multiple of 2^-32. 0 for NULL, here and below `low`.
FIRN_API double firn_random_next(firn_random *random);
/// low .. high, both included; low when high is not above it. One draw.
FIRN_API int64_t firn_random_integer(firn_random *random, int64_t low, int64_t high);
/// low + next * (high - low). One draw.
FIRN_API double firn_random_range(firn_random *random, double low, double high);

/// The world's own streams are saved with it (key `tecs.random`) and go on where the save stood.
/// Sets the world's seed, 0x5EED1234 at first, and starts all its streams again.
FIRN_API firn_result firn_random_seed(firn_world *world, int32_t seed, firn_error *err);
FIRN_API int32_t firn_random_seed_of(const firn_world *world);

/// The world's stream of that name, begun from the name and the world's seed. The same pointer as
/// long as the world lives; a load continues the saved stream in it, or, where the save has no such
/// stream, starts it again from the saved seed: it is in later saves when it was asked for again or
/// drawn from. A save of a world that nobody had seeded or drawn from makes it such a world again;
/// one that another library wrote, without any random state, changes nothing.
/// FIRN_BUSY: a stream that is not there yet, from a hook or codec. FIRN_LIMIT: above the limit of
/// streams.
FIRN_API firn_random *firn_random_stream(firn_world *world, const char *name, firn_error *err);

// ---------------------------------------------------------------- states

/// A state of one world; 0 is none. Exact as a double, as all handles below.
typedef uint64_t firn_state;

/// What happens at a change; each function may be NULL. They may spawn, change, despawn and load,
/// but not change the stack (FIRN_BUSY). A load calls none of them.
typedef struct firn_state_desc {
    const char *name;                              ///< unique; what a save calls it. Copied.
    void (*enter)(void *user, firn_world *world);  ///< it was put on top
    void (*exit)(void *user, firn_world *world);   ///< it is about to leave the stack
    void (*pause)(void *user, firn_world *world);  ///< another one is about to stand on top of it
    void (*resume)(void *user, firn_world *world); ///< it is on top again
    bool despawn_on_pop;                           ///< its entities end when it leaves the stack
    void *user;
    uint64_t reserved[4]; ///< must be zero
} firn_state_desc;

/// Registers a state and the tag `<name>State`, which entities get that are spawned while the state
/// is on top. All states of a save must be registered before it is loaded. FIRN_EXISTS: the name is
/// taken, or that of the tag by a component of another kind.
FIRN_API firn_state firn_state_create(firn_world *world, const firn_state_desc *desc,
                                      firn_error *err);
/// The state of that name, or 0; name ("") and tag (0) of a state.
FIRN_API firn_state firn_state_find(const firn_world *world, const char *name);
FIRN_API const char *firn_state_name(const firn_world *world, firn_state state);
FIRN_API firn_component firn_state_tag(const firn_world *world, firn_state state);

/// Puts a state on top: pause of the one below, then enter. A state may stand on the stack more
/// than once. FIRN_BUSY: inside a loop or a callback of a state. FIRN_LIMIT: above 1,024.
FIRN_CALLS_BACK FIRN_API firn_result firn_state_push(firn_world *world, firn_state state,
                                                     firn_error *err);
/// Takes the top off: exit; then, with despawn_on_pop and no second one of it on the stack, its
/// entities end; then resume of the one below. FIRN_NOT_FOUND: the stack is empty.
FIRN_CALLS_BACK FIRN_API firn_result firn_state_pop(firn_world *world, firn_error *err);
/// Puts a state in the place of the top, which leaves as with firn_state_pop; what is below neither
/// resumes nor pauses. On an empty stack the same as firn_state_push.
FIRN_CALLS_BACK FIRN_API firn_result firn_state_switch(firn_world *world, firn_state state,
                                                       firn_error *err);

/// The state on top, or 0; how many there are; the one at 0 (the bottom) .. depth - 1, or 0.
FIRN_API firn_state firn_state_top(const firn_world *world);
FIRN_API uint32_t firn_state_depth(const firn_world *world);
FIRN_API firn_state firn_state_at(const firn_world *world, uint32_t place);

// ---------------------------------------------------------------- phases

/// A phase of one world; 0 is none.
typedef uint64_t firn_phase;

/// The built-in phases in the order in which they run. Up to PostStartup: once, before the first
/// step. Ingress to Last: in every step, FixedFirst to FixedLast among them as often as a timestep
/// has passed. From PreShutdown on: by firn_world_shutdown.
#define FIRN_PHASES(X)                                                                             \
    X(PreStartup)                                                                                  \
    X(Startup)                                                                                     \
    X(PostStartup)                                                                                 \
    X(Ingress)                                                                                     \
    X(First)                                                                                       \
    X(PreUpdate)                                                                                   \
    X(FixedFirst)                                                                                  \
    X(FixedPreUpdate)                                                                              \
    X(FixedUpdate)                                                                                 \
    X(FixedPostUpdate)                                                                             \
    X(FixedLast)                                                                                   \
    X(Update)                                                                                      \
    X(PostUpdate)                                                                                  \
    X(RenderFirst)                                                                                 \
    X(PreRender)                                                                                   \
    X(Render)                                                                                      \
    X(PostRender)                                                                                  \
    X(RenderLast)                                                                                  \
    X(Last)                                                                                        \
    X(PreShutdown)                                                                                 \
    X(Shutdown)                                                                                    \
    X(PostShutdown)

/// Adds a phase right behind another one, in whose group it runs. FIRN_EXISTS. FIRN_BUSY: while a
/// phase runs. FIRN_LIMIT: above 1,024 phases.
FIRN_API firn_phase firn_phase_add(firn_world *world, const char *name, firn_phase after,
                                   firn_error *err);
/// The phase of that name, or 0; the name of a phase, or "".
FIRN_API firn_phase firn_phase_find(const firn_world *world, const char *name);
FIRN_API const char *firn_phase_name(const firn_world *world, firn_phase phase);
/// Phases; those are firn_phase_at(world, 0 .. count-1), in the order in which they run.
FIRN_API uint32_t firn_phase_count(const firn_world *world);
FIRN_API firn_phase firn_phase_at(const firn_world *world, uint32_t place);

/// A disabled phase is passed over. All are enabled at first; which are not is saved (key
/// `__tecs.pipeline`, by name), and a save in which nothing is disabled enables all.
FIRN_API firn_result firn_phase_enable(firn_world *world, firn_phase phase, bool enabled,
                                       firn_error *err);
FIRN_API bool firn_phase_enabled(const firn_world *world, firn_phase phase);

// ---------------------------------------------------------------- systems

/// A system of one world; 0 is none.
typedef uint64_t firn_system;

typedef struct firn_system_desc {
    const char *name; ///< NULL: ""; for messages. Copied.
    firn_phase phase; ///< 0: Update
    firn_state state; ///< 0, or the state that must be on top for it to run
    /// dt is the timestep in Fixed phases, that of firn_world_step in the others, 0 at startup and
    /// shutdown. It may do anything outside a loop, save and load too: a save in a Fixed phase
    /// holds the time as it is then, so that the step under way is not repeated. Loops that it
    /// leaves open are closed (debug builds say so). A failure does not keep the other systems from
    /// running; the first one is returned by the step.
    firn_result (*run)(void *user, firn_world *world, double dt, firn_error *err);
    void *user;
    uint64_t reserved[4]; ///< must be zero
} firn_system_desc;

/// Adds a system at the end of its phase. One that is added while the phase runs waits for the next
/// time.
FIRN_API firn_system firn_system_add(firn_world *world, const firn_system_desc *desc,
                                     firn_error *err);
/// Enabled at first; not saved. FIRN_NOT_FOUND: removed.
FIRN_API firn_result firn_system_enable(firn_world *world, firn_system system, bool enabled,
                                        firn_error *err);
FIRN_API bool firn_system_enabled(const firn_world *world, firn_system system);
/// A system may remove itself and others. FIRN_NOT_FOUND.
FIRN_API firn_result firn_system_remove(firn_world *world, firn_system system, firn_error *err);

// ---------------------------------------------------------------- steps

/// Seconds of a fixed step: finite and above 0; 1/60 at first. Not saved.
FIRN_API firn_result firn_world_set_timestep(firn_world *world, double seconds, firn_error *err);
FIRN_API double firn_world_timestep(const firn_world *world);
/// Time that waits for the next fixed step: saved with the phases.
FIRN_API double firn_world_accumulator(const firn_world *world);
/// Sets it, finite and at least 0: drops time that is more than a game wants to run after.
/// FIRN_BUSY: while a phase runs.
FIRN_API firn_result firn_world_set_accumulator(firn_world *world, double seconds, firn_error *err);

/// Runs the startup phases unless they have run, then the others up to Last. dt joins the
/// accumulator behind PreUpdate; each fixed step takes a timestep from it, runs the Fixed phases
/// and then counts in firn_world_tick. A load inside a step ends it: the saved accumulator and tick
/// stand, and nothing of the step runs any more. FIRN_BUSY: inside a loop, a step or a callback.
/// FIRN_LIMIT: more than 65,536 fixed steps at once, which a saved accumulator and a short timestep
/// may come to: firn_world_set_accumulator is the way out. Else what the first failing system
/// returned.
FIRN_CALLS_BACK FIRN_API firn_result firn_world_step(firn_world *world, double dt, firn_error *err);
/// Runs one phase, enabled or not, also from a system. FIRN_BUSY: it runs already.
FIRN_CALLS_BACK FIRN_API firn_result firn_world_run_phase(firn_world *world, firn_phase phase,
                                                          double dt, firn_error *err);
/// Runs the startup phases unless they have run. A game whose startup spawns calls this before it
/// loads: the first step would else run it after the load.
FIRN_CALLS_BACK FIRN_API firn_result firn_world_startup(firn_world *world, firn_error *err);
/// Runs the shutdown phases when the startup phases have run; these would then run again.
FIRN_CALLS_BACK FIRN_API firn_result firn_world_shutdown(firn_world *world, firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
