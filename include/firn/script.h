/// firn/script.h: script state: clocks, events that are due later, timers, waiting handlers, state
/// machines and sequence cursors. It is saved with the world (key `tecs.sequence`), is part of its
/// hash, and goes on where the save stood.
///
/// Behaviour is the running game's: a provider is a name and named steps, each of them a function.
/// State holds names of providers and steps only, so that a save goes on with the game's current
/// code.
///
///     event       is due at a tick; then it calls the listeners and who waits for it
///     timer       calls a step once, or again and again
///     wait        continues at a step when an event comes or a tick has come
///     machine     an entity is in a state, which is a step of a provider; one for each entity and
///                 provider
///     cursor      stands at a step of a sequence, which runs in every fixed step; one for each
///                 provider, entity and key
///
/// Each of them, an item, has a number, which is saved and exact as a double. None is given twice;
/// those given after a save are void after its load, as the ids of entities are. An item of an
/// entity ends with the entity.
///
/// A save holds the items of the entities that it has, and those of no entity. A persisted save
/// (firn/persist.h) has those of all entities that persist, in whichever mode, leaves out those of
/// others, and its load leaves them with their entity, whatever id that gets: they keep their
/// numbers, what is left of their time counts from the tick of the save, and one whose clock the
/// save does not have goes on by the world's ticks. All others are replaced, and clocks. So that
/// numbers of what is saved do not depend on what is not, an item whose entity no persisted save
/// would hold when it is made counts apart, above 2^52, and comes after those of the same tick that
/// do not. Let an entity persist before it gets items. In a world without `persist` none counts
/// apart.
///
/// Time is firn_world_tick, or a clock. Durations are ticks: a number of them that need not be
/// whole, finite, from 0 to 2^53. What is due at a tick runs in the first firn_script_run at that
/// tick or later.
///
/// Order. A run takes what is due when it begins, in the order of the tick at which it was due (of
/// what goes by a clock, and of machines and cursors: this tick), then of the number. What an
/// earlier call of the run has ended, moved or put to sleep does not run any more in it, and what
/// is made during a run waits for the next one. An event calls its listeners in the order in which
/// they were added, then the waits and cursors that waited for it when it began, in the order of
/// their numbers.
///
/// Common failures as in firn/world.h; FIRN_INVALID also: a name that is empty, has control
/// characters or is no UTF-8, a duration. FIRN_LIMIT: a name above 255 bytes; more items than a
/// 32nd of the limit tree_values and 262,144 together, which is 532,480 by default. FIRN_UNKNOWN:
/// no such provider (err->subject: its name) or step (`provider.step`).
#ifndef FIRN_SCRIPT_H
#define FIRN_SCRIPT_H

#include "firn/game.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- behaviour

typedef enum firn_script_kind {
    FIRN_SCRIPT_NONE, ///< of firn_script_list: any
    FIRN_SCRIPT_EVENT,
    FIRN_SCRIPT_TIMER,
    FIRN_SCRIPT_WAIT,
    FIRN_SCRIPT_MACHINE,
    FIRN_SCRIPT_CURSOR
} firn_script_kind;

/// Why a step is called, and for whom. Valid during the call; texts are "" where there is none.
typedef struct firn_step_call {
    firn_script_kind kind; ///< FIRN_SCRIPT_EVENT: the step is a listener
    uint64_t number;       ///< of the item; events, waits and timers that ran out have ended
    const char *provider;
    const char *step;
    firn_entity entity;        ///< of the item; of an event its address; or 0
    const char *key;           ///< of a cursor
    const char *event;         ///< the event that came; "": none, it was the time
    firn_entity address;       ///< of that event
    const firn_value *payload; ///< of that event; NULL: none
    bool first;     ///< of a machine or cursor: it was not called since it came to this step
    uint64_t ticks; ///< of a machine or cursor: since it came to this step
    uint64_t count; ///< of a timer: periods that have passed since the last call, usually 1
    void *tracked;  ///< of a cursor: what it tracked and is done; NULL: nothing, also after a load
} firn_step_call;

/// A step. It may do anything, save and load too; a load ends the run. Loops that it leaves open
/// are closed. A failure does not keep other steps from running; the first one is what
/// firn_script_run returns.
typedef firn_result (*firn_step_fn)(void *user, firn_world *world, const firn_step_call *call,
                                    firn_error *err);

typedef struct firn_step {
    const char *name; ///< unique in its provider; copied
    firn_step_fn run; ///< NULL: nothing is done in it
} firn_step;

typedef struct firn_provider_desc {
    const char *name;       ///< unique; copied
    const firn_step *steps; ///< the first one is where a cursor begins
    uint32_t step_count;    ///< 1 to 4,096
    void *user;             ///< handed to the steps
    uint64_t reserved[4];   ///< must be zero
} firn_provider_desc;

/// Registers a provider. All that a save names must be registered before it is loaded. FIRN_EXISTS:
/// the name is taken. FIRN_INVALID: two steps of one name; FIRN_LIMIT: more than 4,096 providers.
FIRN_API firn_result firn_provider_add(firn_world *world, const firn_provider_desc *desc,
                                       firn_error *err);

/// Lets a step hear all events of that name, of every address. Not saved. Again, it does nothing.
FIRN_API firn_result firn_script_listen(firn_world *world, const char *event, const char *provider,
                                        const char *step, firn_error *err);

// ---------------------------------------------------------------- running

/// Runs what is due: to be called once in every fixed step. FIRN_NO_MEMORY also: an event for which
/// there is no memory stays due, and the others run. FIRN_BUSY: inside a loop, a publication
/// or another run, from a hook or a callback of a save or load.
FIRN_CALLS_BACK FIRN_API firn_result firn_script_run(firn_world *world, firn_error *err);

/// Adds a system that does it; phase 0: FixedFirst. Fails as firn_system_add.
FIRN_API firn_system firn_script_system(firn_world *world, firn_phase phase, firn_error *err);

/// Seconds as ticks of the world's timestep, to the nearest whole number; 0 for what is negative or
/// no number, at most 2^53.
FIRN_API double firn_script_ticks(const firn_world *world, double seconds);

// ---------------------------------------------------------------- clocks

/// A clock as it reads now: time in ticks is that of its last change and scale times the ticks
/// since. It is worked out from whole numbers of ticks, and nothing adds up, so that it is the same
/// in a replay. It stands still while firn_world_tick is below that of its last change.
typedef struct firn_clock {
    double ticks;
    double seconds; ///< ticks times the world's timestep
    double scale;
    bool paused;
} firn_clock;

/// Makes a clock that runs from 0 at scale 1. A load replaces all clocks by the saved ones.
/// FIRN_EXISTS. FIRN_LIMIT: more than 4,096.
FIRN_API firn_result firn_clock_add(firn_world *world, const char *name, firn_error *err);
/// FIRN_NOT_FOUND (here and below: no such clock, err->subject is its name). FIRN_BUSY: an item
/// goes by it.
FIRN_API firn_result firn_clock_remove(firn_world *world, const char *name, firn_error *err);
/// Ticks of the clock for each tick of the world: 0 to 1,000,000.
FIRN_API firn_result firn_clock_scale(firn_world *world, const char *name, double scale,
                                      firn_error *err);
FIRN_API firn_result firn_clock_pause(firn_world *world, const char *name, bool paused,
                                      firn_error *err);
/// Sets its time, a number of ticks as a duration is one.
FIRN_API firn_result firn_clock_set(firn_world *world, const char *name, double ticks,
                                    firn_error *err);
FIRN_API firn_result firn_clock_read(const firn_world *world, const char *name, firn_clock *out,
                                     firn_error *err);
/// Clocks; the name of the one at 0 .. count - 1, in the order of names, or "". Valid until clocks
/// are added or removed, or a load.
FIRN_API uint32_t firn_clock_count(const firn_world *world);
FIRN_API const char *firn_clock_name(const firn_world *world, uint32_t place);

// ---------------------------------------------------------------- events, timers, waits

/// Queues an event for `address` (0: the world as a whole), due in so many ticks; 0: in the next
/// run. `payload` (NULL: none) is copied; err->subject is the path of what cannot be encoded, as in
/// firn_value_encode. When it is due, the listeners are called, then who waits: all waits and
/// cursors of no entity, those of the entity, or for address 0 those of all entities. An event at
/// an entity ends with it. Returns its number, or 0.
FIRN_API uint64_t firn_script_send(firn_world *world, const char *event, firn_entity address,
                                   double delay, const firn_value *payload, firn_error *err);

typedef struct firn_timer_desc {
    const char *provider; ///< what is called
    const char *step;
    firn_entity entity;   ///< 0: of the world
    double delay;         ///< ticks to the first call; 0: in the next run
    double period;        ///< ticks from call to call; 0: once
    const char *clock;    ///< NULL: the world's ticks
    uint64_t reserved[4]; ///< must be zero
} firn_timer_desc;

/// Starts a timer; returns its number, or 0. One that missed calls, because the clock leapt, makes
/// one for all of them (firn_step_call.count). FIRN_INVALID: a negative period.
FIRN_API uint64_t firn_timer_start(firn_world *world, const firn_timer_desc *desc, firn_error *err);

typedef struct firn_wait_desc {
    const char *provider; ///< where it continues
    const char *step;
    firn_entity entity;   ///< 0: of the world
    const char *event;    ///< NULL: it waits for the time only
    double delay;         ///< ticks; with an event: at most so many; 0 with an event: for ever
    const char *clock;    ///< NULL: the world's ticks
    uint64_t reserved[4]; ///< must be zero
} firn_wait_desc;

/// Waits; returns the number, or 0. It ends just before its step is called.
FIRN_API uint64_t firn_wait_start(firn_world *world, const firn_wait_desc *desc, firn_error *err);

// ---------------------------------------------------------------- state machines

/// Puts an entity into a state of a provider, whose step then runs in every run, the next one
/// first; the state that it was in becomes the previous one. Again into the same state: it comes to
/// it anew. Returns the number of the machine, which it keeps, or 0.
FIRN_API uint64_t firn_machine_set(firn_world *world, firn_entity entity, const char *provider,
                                   const char *state, firn_error *err);
/// The machine of an entity, or 0.
FIRN_API uint64_t firn_machine_find(const firn_world *world, firn_entity entity,
                                    const char *provider);

// ---------------------------------------------------------------- sequence cursors

/// Starts a cursor at a step (NULL: the first one). Its step runs in every run until it goes on,
/// waits or ends. `entity` may be 0, `key` NULL for "". Returns its number, or 0. FIRN_EXISTS:
/// provider, entity and key have one.
FIRN_API uint64_t firn_cursor_start(firn_world *world, const char *provider, firn_entity entity,
                                    const char *key, const char *step, firn_error *err);
/// The cursor of provider, entity and key (NULL: ""), or 0.
FIRN_API uint64_t firn_cursor_find(const firn_world *world, const char *provider,
                                   firn_entity entity, const char *key);

/// In the functions below FIRN_NOT_FOUND also means: no cursor has this number. Going, waiting and
/// tracking end each other.

/// Goes on to another step, from the next run on.
FIRN_CALLS_BACK FIRN_API firn_result firn_cursor_go(firn_world *world, uint64_t cursor,
                                                    const char *step, firn_error *err);
/// Its step does not run until the event comes or the time has come, as of firn_wait_desc.
FIRN_CALLS_BACK FIRN_API firn_result firn_cursor_wait(firn_world *world, uint64_t cursor,
                                                      const char *event, double delay,
                                                      const char *clock, firn_error *err);

/// Its step does not run until `tracked`, something of the game under way, is done. It is never
/// saved: the cursor is saved as one that waits for nothing, so that after a load it is not
/// pending, its step runs in the next run, and may send for the work again and track that. `drop`
/// (NULL: nothing to do) gets `tracked` when the cursor lets go of it: it goes on, waits, ends,
/// tracks something else, or is replaced by a load; or when the world is destroyed. It may not use
/// the world.
FIRN_CALLS_BACK FIRN_API firn_result firn_cursor_track(firn_world *world, uint64_t cursor,
                                                       void *tracked, void (*drop)(void *tracked),
                                                       firn_error *err);
/// Whether it tracks something that is not done.
FIRN_API bool firn_cursor_is_pending(const firn_world *world, uint64_t cursor);
/// What it tracks, done or not, or NULL.
FIRN_API void *firn_cursor_tracked(const firn_world *world, uint64_t cursor);
/// `tracked` is done: the cursor's step runs in the next run, with it in firn_step_call.tracked.
/// FIRN_NOT_FOUND also: it is not what the cursor tracks, as after a load; or it was done before.
FIRN_API firn_result firn_cursor_done(firn_world *world, uint64_t cursor, const void *tracked,
                                      firn_error *err);

// ---------------------------------------------------------------- looking

/// An item as it is now. Texts are "" where there is none, and valid until it changes or ends.
typedef struct firn_script_item {
    firn_script_kind kind;
    uint64_t number;
    firn_entity entity;   ///< or 0
    const char *provider; ///< "" of an event
    const char *step;     ///< of a machine its state
    const char *previous; ///< of a machine: the state before this one
    const char *key;      ///< of a cursor
    const char *event;    ///< of an event its name; of a wait or cursor what it waits for
    const char *clock;    ///< that it goes by; "": the world's ticks
    bool timed;           ///< it is due at a time
    double due;           ///< that time, in ticks of the clock
    double period;        ///< of a timer
    uint64_t ticks;       ///< of a machine or cursor: since it came to this step
    bool pending;         ///< of a cursor
} firn_script_item;

/// FIRN_NOT_FOUND: it has ended.
FIRN_API firn_result firn_script_read(const firn_world *world, uint64_t number,
                                      firn_script_item *out, firn_error *err);
/// Ends an item, and lets go of what it tracks. FIRN_NOT_FOUND.
FIRN_CALLS_BACK FIRN_API firn_result firn_script_end(firn_world *world, uint64_t number,
                                                     firn_error *err);
/// The numbers of the items of a kind (FIRN_SCRIPT_NONE: of any) and an entity (0: of any or none),
/// in ascending order: writes the first `room` of them and returns how many there are.
FIRN_API uint32_t firn_script_list(const firn_world *world, firn_script_kind kind,
                                   firn_entity entity, uint64_t *out, uint32_t room);
/// All of it as a save holds it (docs/format.md, `tecs.sequence`), a table in `doc`; nil when
/// nothing was ever made. NULL on failure: FIRN_LIMIT, FIRN_NO_MEMORY.
FIRN_API firn_value *firn_script_value(firn_world *world, firn_doc *doc, firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
