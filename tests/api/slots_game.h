/// slots_game.h: a small game with saves: a score, a storage in memory behind one that counts,
/// refuses and holds up, and an ear for the events of the manager.
#ifndef TEST_SLOTS_GAME_H
#define TEST_SLOTS_GAME_H

#include "os/posix.h"

#include "support/support.h"

#include "firn/firn.h"
#include "os/thread.h"

#include <pthread.h>

/// One event of the manager, as it was heard.
typedef struct heard_event {
    char kind[16];
    char slot[FIRN_SLOT_NAME_SIZE];
    firn_result result;
    firn_result error; ///< its code, or FIRN_OK when there is none
    char subject[256]; ///< of the error
    bool loads;        ///< it tells what a load did
    double score;      ///< of the world at that moment
} heard_event;

#define HEARD_MOST 32

/// A memory of two threads: its calls take turns.
typedef struct shared_memory {
    test_allocator inner;
    fr_monitor *turn;
    firn_allocator allocator; ///< hand out its address
    pthread_t thread;         ///< that of the game
    uint64_t calls;           ///< from it that took memory
} shared_memory;

typedef struct slots_game {
    shared_memory memory; ///< of the manager
    firn_world *world;
    firn_component score;
    firn_entity hero;
    firn_storage kept;    ///< where saves are
    firn_storage storage; ///< the one that the manager is given
    firn_saves *saves;
    firn_saves_desc desc;
    int64_t clock; ///< what the manager takes for the time
    bool listens;
    heard_event heard[HEARD_MOST];
    uint32_t heard_count;
    void (*on_event)(struct slots_game *game, const char *kind); ///< NULL, or what an observer does
    firn_result observer_result;
    // What the storage does.
    fr_monitor *gate;
    bool closed;           ///< puts wait at the gate
    bool waits;            ///< one waits there now
    firn_result put_fails; ///< FIRN_OK: they do not
    firn_result list_fails;
    firn_result head_fails;
    bool current_gone; ///< heads and gets find backups only
    uint32_t puts, heads, gets;
    uint64_t head_bytes; ///< read by heads
    size_t most_room;    ///< of one head
    pthread_t thread;    ///< the game's
    bool put_elsewhere;  ///< the last put came from another one
} slots_game;

/// Makes the world, the storages and the desc: game "test.slots", version 2. Not yet the manager.
void slots_game_make(slots_game *game);
void slots_game_open(slots_game *game);
/// Closes and opens the manager: another session of the same game.
void slots_game_open_again(slots_game *game);
/// slots_game_make and slots_game_open, and free, as cmocka wants them.
int slots_game_setup(void **state);
int slots_game_setup_background(void **state); ///< with desc.background
int slots_game_teardown(void **state);
/// Closes the manager and everything else; asserts that no memory is left.
void slots_game_free(slots_game *game);

void slots_game_set_score(slots_game *game, double score);
double slots_game_score(const slots_game *game);
/// The score that the save in a slot has, by a look at its bytes in another world.
double slots_game_saved_score(slots_game *game, const char *slot);
/// Sets the score, moves the clock on by a second, and writes a slot at once.
void slots_game_write(slots_game *game, const char *slot, double score);
/// Ends a tick of a second; it must succeed.
void slots_game_tick(slots_game *game);
/// Asks for a save; it must be allowed.
void slots_game_request(slots_game *game, const char *slot);
/// Asks for a load; the same.
void slots_game_request_load(slots_game *game, const char *slot);
/// A whole background save: asked for, done, told.
void slots_game_save_behind(slots_game *game, const char *slot);
/// The only event since the last call, which forgets it.
heard_event slots_game_heard(slots_game *game);
/// That event is this one, with an error of this result, and tells of a load when it is `loaded`.
void slots_game_assert_heard(slots_game *game, const char *kind, const char *slot,
                             firn_result result);
/// The bytes of a generation; freed by the caller with firn_buffer_free.
firn_buffer slots_game_bytes(slots_game *game, const char *slot, firn_generation generation);
/// Puts bytes in a slot behind the manager's back.
void slots_game_put(slots_game *game, const char *slot, const void *bytes, size_t size);
/// Puts a save whose header says another game or version.
void slots_game_put_header(slots_game *game, const char *slot, const char *id, uint32_t version);
/// Closes the gate for puts; opens it; waits until a put stands at it.
void slots_game_close_gate(slots_game *game);
void slots_game_open_gate(slots_game *game);
void slots_game_await_put(slots_game *game);

#endif
