/// history_game.h: a game of three scenes that does everything that a save has to bring back:
/// entities come, change, are related, carried along and end; timers, events, waits, machines,
/// cursors and clocks run; states and phases change; random streams are drawn from. What it does is
/// drawn, so that a seed is a history: in every second one from a stream of its world, in the
/// others from a generator of the game's own, so that all streams of the world may begin after a
/// save.
#ifndef TEST_HISTORY_GAME_H
#define TEST_HISTORY_GAME_H

#include "firn/firn.h"
#include "support/support.h"

/// A history: what makes one.
typedef struct history_options {
    uint32_t seed;
    firn_saves_kind kind;
    /// With scenery, lamps and a camera that change by what is never saved; what persists does not
    /// depend on them.
    bool moving_scenery;
    uint32_t first_scene; ///< 0 to 2
} history_options;

typedef enum history_kind {
    HISTORY_CREATURE, ///< tag: who is simulated; all of them persist, or are below one who does
    HISTORY_PLACE,    ///< struct of two floats
    HISTORY_ENERGY,   ///< number
    HISTORY_MOOD,     ///< string
    HISTORY_BAG,      ///< value
    HISTORY_BRAVE,    ///< boolean
    HISTORY_AWAKE,    ///< tag
    HISTORY_GOAL,     ///< struct with ids of entities
    HISTORY_TALLY,    ///< struct, of the keeper alone
    HISTORY_LAMP,     ///< struct, of which one field persists
    HISTORY_DOOR,     ///< tag: of whom the variables persist
    HISTORY_SCENERY,  ///< struct: who does not persist
    HISTORY_LIKES,    ///< relation: dense, many targets, sources listed
    HISTORY_FEARS,    ///< relation: dense, exclusive, ends with its target, with a field
    HISTORY_FOLLOWS,  ///< relation: sparse, exclusive, with a field
    HISTORY_KNOWS,    ///< relation: sparse, many targets, sources listed
    HISTORY_RESTS,    ///< relation of creatures to scenery: dense, sources listed
    HISTORY_KINDS
} history_kind;

/// What a game counts, and what its script needs: a row of the keeper, who is carried for ever.
typedef struct history_tally {
    uint32_t spawned;
    uint32_t ended;
    uint32_t rings;
    uint32_t storms;
    uint32_t dawns;
    uint32_t cheers;
    uint32_t dice;       ///< random streams that were begun late
    uint32_t camp_until; ///< tick at which the work is done that the quest tracks; 0: there is none
    double weight;
    bool late;          ///< no stream of the world begins with the history: choices are drawn from
    firn_random chance; ///< this generator
} history_tally;

typedef struct history_goal {
    firn_entity who;
    double before; ///< an entity as a number
    int32_t steps;
} history_goal;

/// Of fears and follows.
typedef struct history_edge {
    firn_entity target;
    double strength;
} history_edge;

typedef struct history_scenery {
    uint32_t number; ///< in its scene, from 1; 0: the camera
    float sway;
    firn_entity seen;
} history_scenery;

/// What the game can do of its own accord, in history_play.c.
#define HISTORY_ACTIONS 28

typedef struct history {
    history_options options;
    firn_world *world;
    firn_saves *saves;
    firn_storage storage; ///< of the manager, in memory
    firn_component of[HISTORY_KINDS];
    firn_query creatures; ///< those of Disabled as well
    firn_query movers, scenery, lamps, doors;
    firn_state states[3]; ///< day, dream (whose entities end with it), menu
    firn_event_kind cheer;
    firn_doc *doc;
    uint32_t scene; ///< that it is in
    uint32_t noise; ///< never saved: moves scenery
    bool tracks;    ///< what cursors track: its address
    uint32_t done[HISTORY_ACTIONS];
} history;

/// A game in its first scene. Failures end the test, here and below.
history *history_make(const history_options *options);
void history_destroy(history *h);

/// A frame of the game: a step of the world of a random length, with none, one or two fixed steps,
/// and the end of a tick of the manager.
void history_tick(history *h);
void history_ticks(history *h, uint32_t count);
/// Goes to a scene, unless it is there.
void history_go(history *h, uint32_t scene);
/// Makes somebody who does not persist, is carried along, and is far above all slots of any save.
firn_entity history_invite(history *h);
/// The name of a scene, and how many pieces of scenery it has.
const char *history_scene_name(uint32_t scene);
uint32_t history_scenery_count(uint32_t scene);

/// A save file of the default allocator.
firn_buffer history_save(history *h);
void history_load(history *h, const void *file, size_t size);

/// 0 .. bound - 1, of a stream of the game.
uint32_t history_draw(history *h, uint32_t bound);
/// The row of the keeper; until entities change.
history_tally *history_tally_of(history *h);
firn_entity history_keeper(history *h);
/// Any creature, or 0.
firn_entity history_creature(history *h);
/// A creature that persists, with some components.
firn_entity history_spawn(history *h);
/// A number, in the document of the game.
firn_value *history_number(history *h, double number);

/// history_play.c: some actions, drawn.
void history_play(history *h);
/// history_script.c: the providers; then the actions of script state.
void history_add_providers(history *h);
void history_timer(history *h, firn_entity creature);
void history_send(history *h, firn_entity creature);
void history_wait(history *h, firn_entity creature);
void history_machine(history *h, firn_entity creature);
void history_quest(history *h, firn_entity creature);
void history_clock(history *h, firn_entity creature);
void history_end_item(history *h, firn_entity creature);
/// The work that cursors track is done, when it is time.
void history_end_work(history *h);

#endif
