/// script.h (private): the script state of a world, in its game part. What a save holds of it is an
/// fr_script_state, which a load makes aside and then puts in place.
#ifndef FR_SCRIPT_H
#define FR_SCRIPT_H

#include "base/map.h"
#include "firn/script.h"
#include "store/maker.h"

#define FR_SCRIPT_NAMES_MOST UINT32_C(4096) ///< providers, steps of one, clocks
#define FR_SCRIPT_NAME_BYTES 255
#define FR_SCRIPT_TICKS_MOST 9007199254740992.0
#define FR_SCRIPT_SCALE_MOST 1000000.0
#define FR_NO_STEP           UINT32_MAX
/// Above it are the numbers of items of entities that no persisted save holds.
#define FR_SCRIPT_APART (UINT64_C(1) << 52)

typedef struct fr_provider {
    char *name;
    firn_step *steps; ///< their names are copies
    uint32_t step_count;
    void *user;
    fr_maker maker;
} fr_provider;

typedef struct fr_listener_step {
    char *event;
    uint32_t provider;
    uint32_t step;
} fr_listener_step;

typedef struct fr_clock {
    char *name;
    double base;     ///< its time at `anchor`
    double scale;    ///< also while it is paused
    uint64_t anchor; ///< tick of the world
    bool paused;
    uint32_t users; ///< items that go by it
} fr_clock;

typedef struct fr_item {
    uint64_t number; ///< 0: the slot is free
    firn_entity entity;
    firn_script_kind kind;
    uint32_t provider;
    uint32_t step;     ///< of a free slot the next one
    uint32_t previous; ///< of a machine, or FR_NO_STEP
    uint64_t since;    ///< of a machine or cursor: the tick at which it came to its step, modulo
                       ///< 2^64: a load may have taken it back to before the first one
    double due;
    double period;
    fr_clock *clock;     ///< NULL: the world's ticks
    char *key;           ///< of a cursor
    char *event;         ///< of an event its name; else what is waited for, or NULL
    firn_buffer payload; ///< of an event: encoded; empty: none
    uint64_t kept;       ///< while a load puts it beside those of the save: its number before
    uint64_t run;        ///< of a machine or cursor: the run that has called or moved it last
    void *tracked;
    void (*drop)(void *tracked);
    bool timed;
    bool first;
    bool pending;
} fr_item;

typedef struct fr_script_state {
    uint64_t made;  ///< the number given last; 0: none ever was
    uint64_t apart; ///< the same of entities that no persisted save holds, less FR_SCRIPT_APART
    uint64_t apart_kept; ///< not saved: given before a load that kept some of them
    fr_item *items;
    uint32_t slot_count;
    uint32_t capacity;
    uint32_t free_slot; ///< FR_NO_STEP: none
    uint32_t item_count;
    fr_map numbers;    ///< number -> slot
    fr_map named;      ///< hash of a machine's or cursor's name -> slot
    fr_map awaited;    ///< hash of an event -> slots of what waits for it
    fr_clock **clocks; ///< in the order of their names
    uint32_t clock_count;
    uint32_t clock_capacity;
} fr_script_state;

/// What is due in a run.
typedef struct fr_due {
    uint64_t tick;
    uint64_t number;
    uint32_t slot;
} fr_due;

typedef struct fr_script {
    fr_provider **providers; ///< in registration order
    uint32_t provider_count;
    uint32_t provider_capacity;
    fr_listener_step *listeners;
    uint32_t listener_count;
    uint32_t listener_capacity;
    fr_script_state state;
    bool running;
    uint64_t runs; ///< ever: the number of the one that runs
    fr_due *due;   ///< of the run
    uint32_t due_capacity;
    const fr_due **due_order;
    uint32_t due_order_capacity;
    uint64_t *woken; ///< of the event that is delivered
    uint32_t woken_capacity;
    firn_doc *payloads; ///< of the event that is delivered
} fr_script;

// ---- providers

/// UINT32_MAX: none.
uint32_t fr_provider_named(const fr_script *script, const char *name, size_t size);
uint32_t fr_step_named(const fr_provider *provider, const char *name, size_t size);
/// Both for a call of the game; FIRN_INVALID, FIRN_UNKNOWN.
firn_result fr_script_find_step(const fr_script *script, const char *provider, const char *step,
                                uint32_t *provider_index, uint32_t *step_index, firn_error *err);
bool fr_script_copy(const firn_allocator *allocator, fr_script *to, const fr_script *from);

// ---- state

/// `name` is that of a key, event or clock in an argument called `argument`.
firn_result fr_script_check_name(const char *name, const char *argument, firn_error *err);
/// FIRN_INVALID: not a number of ticks.
firn_result fr_script_check_ticks(double ticks, const char *argument, firn_error *err);

/// Whether its entity lives, if it is one of an entity.
bool fr_item_lives(const firn_world *world, const fr_item *item);
/// The item of that number, or NULL: it has ended, or its entity has.
fr_item *fr_item_of(const firn_world *world, const fr_script_state *state, uint64_t number);
/// Makes room for one more item. FIRN_NO_MEMORY, FIRN_LIMIT.
firn_result fr_item_reserve(const firn_world *world, fr_script_state *state, firn_error *err);
/// Puts an item, whose number is set, where room was made; its texts are the state's from here on.
void fr_item_put(const firn_allocator *allocator, fr_script_state *state, const fr_item *item);
/// Takes an item out and frees what it owns; the drop of what it tracks is called.
void fr_item_remove(const firn_allocator *allocator, fr_script_state *state, fr_item *item);
/// A copy of its key or event in *out, NULL of NULL; false: no memory.
bool fr_item_copy_name(const firn_allocator *allocator, const char *name, char **out);
/// What the item owns, for one that is in no state.
void fr_item_free_texts(const firn_allocator *allocator, fr_item *item);
/// The machine or cursor of that name; key NULL: a machine.
fr_item *fr_item_named(const firn_world *world, const fr_script_state *state, uint32_t provider,
                       firn_entity entity, const char *key);
/// The same, of an entity that need not live.
fr_item *fr_item_with_name(const fr_script_state *state, uint32_t provider, firn_entity entity,
                           const char *key);
/// Makes it wait for `event` (NULL: none), which becomes its own; there is room in `awaited`.
void fr_item_await(const firn_allocator *allocator, fr_script_state *state, fr_item *item,
                   char *event);
/// Makes it due at a time of a clock (NULL: the world's ticks), or (timed false) at none.
void fr_item_set_time(fr_item *item, bool timed, fr_clock *clock, double due);
/// Lets go of what it tracks.
void fr_item_let_go(fr_item *item);
/// Takes out what belongs to entities that have ended.
void fr_items_sweep(const firn_world *world, fr_script_state *state);
uint64_t fr_script_hash(const char *text);
void fr_script_state_free(const firn_allocator *allocator, fr_script_state *state);
void fr_script_free(const firn_allocator *allocator, fr_script *script);

/// Ticks since a machine or cursor came to its step.
uint64_t fr_item_ticks(const firn_world *world, const fr_item *item);

/// Sorted by number: pointers to the items that live, with their entities, and are of the save that
/// runs, if one does. *items is allocated with
/// room for state->item_count, freed by the caller; FIRN_NO_MEMORY.
firn_result fr_items_sorted(const firn_world *world, const fr_script_state *state,
                            const fr_item ***items, uint32_t *count, firn_error *err);

// ---- numbers, and what a load keeps

/// How many numbers count apart: a persisted save has it beside what it has of script state, which
/// does not depend on others.
uint64_t fr_script_apart(const firn_world *world);
void fr_script_set_apart(firn_world *world, uint64_t apart);
/// A number that is given next to an item of an entity, or of none.
uint64_t fr_script_give_number(const firn_world *world, fr_script_state *state, firn_entity entity);
/// Puts copies of the items `now` of entities that the load keeps into the state of a save, under
/// the ids that they get. FIRN_NO_MEMORY, FIRN_LIMIT.
firn_result fr_script_keep(const firn_world *world, const fr_script_state *now, fr_script_state *to,
                           firn_error *err);
/// The load is done, and the state the world's: they go on from the present tick, and have what
/// they tracked in the state of before.
void fr_script_place_kept(const firn_world *world, fr_script_state *state, fr_script_state *before);

// ---- clocks

fr_clock *fr_clock_named(const fr_script_state *state, const char *name);
/// Adds a clock at 0; NULL: FIRN_NO_MEMORY.
fr_clock *fr_clock_make(const firn_allocator *allocator, fr_script_state *state, const char *name,
                        size_t size, firn_error *err);
double fr_clock_ticks(const fr_clock *clock, uint64_t tick);
/// The time that an item goes by: of `clock`, or of the world (NULL).
double fr_script_now(const firn_world *world, const fr_clock *clock);
/// The clock of a call of the game, NULL for NULL in *clock; FIRN_NOT_FOUND.
firn_result fr_script_find_clock(const fr_script_state *state, const char *name, fr_clock **clock,
                                 firn_error *err);

// ---- calls of the game

/// Adds an item: copies `key` and `event` (each may be NULL), gives it the next number. Its payload
/// is the state's afterwards, or freed. 0: FIRN_NO_MEMORY, FIRN_LIMIT.
uint64_t fr_script_start(firn_world *world, fr_item *item, const char *key, const char *event,
                         firn_error *err);
/// What a delay comes to: at which time of which clock; FIRN_INVALID, FIRN_NOT_FOUND.
firn_result fr_script_time(const firn_world *world, const char *clock, double delay, fr_clock **out,
                           double *due, firn_error *err);
/// Ascending, without memory and without a bad case.
void fr_sort_numbers(uint64_t *numbers, uint32_t count);
/// The item comes to a step now.
void fr_item_come_to(const firn_world *world, fr_item *item, uint32_t step);
/// Encodes a value that an event carries, within the limits of the game and those of a save.
firn_result fr_script_encode(const firn_world *world, const firn_value *value, firn_buffer *out,
                             firn_error *err);

// ---- parts

struct fr_game;
firn_result fr_script_install(firn_world *world, struct fr_game *game, firn_error *err);
/// Whether there is nothing to save.
bool fr_script_rests(const fr_script *script);
/// Writes the state as one value.
firn_result fr_script_write(const firn_world *world, const fr_script *script, firn_writer *out,
                            firn_error *err);

/// Keys of an item in a save.
#define FR_SCRIPT_FIELDS(X)                                                                        \
    X(clock)                                                                                       \
    X(due)                                                                                         \
    X(entity)                                                                                      \
    X(event)                                                                                       \
    X(first)                                                                                       \
    X(key)                                                                                         \
    X(number)                                                                                      \
    X(payload)                                                                                     \
    X(period)                                                                                      \
    X(previous)                                                                                    \
    X(provider)                                                                                    \
    X(since)                                                                                       \
    X(step)
enum {
#define FR_SCRIPT_FIELD(name) FR_SCRIPT_##name,
    FR_SCRIPT_FIELDS(FR_SCRIPT_FIELD)
#undef FR_SCRIPT_FIELD
        FR_SCRIPT_FIELD_COUNT
};

#define FR_SCRIPT_VERSION 1.0
/// Values that a save may hold of it: those that a value of the game may, and its own. As many
/// items as have room in it for sure, but for what events carry.
#define FR_SCRIPT_VALUES(limits) ((limits)->tree_values + UINT64_C(262144))
#define FR_SCRIPT_ITEMS(limits)  (FR_SCRIPT_VALUES(limits) / 32)

#endif
