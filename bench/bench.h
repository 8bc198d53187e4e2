/// bench.h: named scenes, each a piece of work that is timed over and over beside a memcpy of as
/// many bytes as it moves.
#ifndef BENCH_H
#define BENCH_H

#include <firn/firn.h>

/// What a run of the program does.
typedef struct Options {
    const char *scene; ///< NULL: all
    uint32_t entities;
    uint32_t repeat;
    bool csv;
    bool list;
} Options;

/// Reads the command line. False, with a line on stderr, when it is wrong.
bool options_parse(int argc, char **argv, Options *out);

/// Position and Velocity of W1.
typedef struct Vector {
    float x, y;
} Vector;

typedef struct Health {
    int32_t current, max;
} Health;

typedef struct Key {
    uint64_t key;
} Key;

/// How a world W1 is filled.
typedef enum W1Kind {
    W1_SHUFFLED = 1, ///< rows are not in the order of their ids
    W1_NAMED = 2     ///< W1n: every tenth entity has a name
} W1Kind;

/// The world W1: Position, Velocity and Health; every second entity has the tag Marked, every tenth
/// the component Key as well: three archetypes.
typedef struct W1 {
    firn_world *world;
    firn_component position, velocity, health, marked, key;
} W1;

/// Entities with the same `count` first components of `components`.
typedef struct W1Part {
    firn_component components[6];
    uint32_t count;
    uint32_t entities;
} W1Part;

/// Makes the world with its components and no entity. allocator NULL: the default.
bool w1_create(W1 *w1, const firn_allocator *allocator, firn_error *err);
void w1_destroy(W1 *w1);
/// The three parts of a world of so many entities. `kind`: W1Kind, added up.
void w1_parts(const W1 *w1, uint32_t entities, unsigned kind, W1Part parts[3]);
/// Makes the entities and gives their rows numbers. ids: room for all, in the order of rows.
bool w1_fill(W1 *w1, uint32_t entities, unsigned kind, firn_entity *ids, firn_error *err);
/// Bytes of the rows of a world without names.
uint64_t w1_payload(uint32_t entities);

/// Into a random order, the same in every run.
void shuffle(firn_entity *ids, uint32_t count);

/// Counts what lives in memory.
typedef struct Memory {
    firn_allocator allocator;
    uint64_t live; ///< bytes
} Memory;

/// The default allocator, counted. *memory may not move afterwards.
void memory_count(Memory *memory);
/// Gives memory that nobody uses back to the system, where the C library can.
void memory_trim(void);

/// What a scene works with. Every buffer lives as long as the scene.
typedef struct Stage {
    uint32_t entities;
    unsigned kind;    ///< of the scene
    uint32_t changes; ///< what a run does so many times; a time is divided by it
    W1 w1;
    firn_component component; ///< what the scene is about, beside those of w1
    firn_entity *ids;         ///< of all entities
    firn_query movers;
    Vector *plain;     ///< positions, then velocities
    firn_buffer image; ///< what is loaded, decoded, or was written last
    firn_buffer cache; ///< what fills the caches
    firn_doc *doc;
    firn_value *tree;
    size_t bytes; ///< that one run moves; 0: no memcpy beside it
    Memory memory;
    firn_storage storage;
    firn_saves *saves;
    W1 whole; ///< a world that is saved whole, beside one that is not
    firn_saves *whole_saves;
    firn_buffer whole_file;
    double sum; ///< of what was read, so that reading is not left out
    firn_error err;
} Stage;

/// A scene. Only `run` and `plain` are timed. All but `run` may be NULL; without `before`, a run
/// that is not timed comes right before the one that is.
typedef struct Scene {
    const char *name;
    const char *about;
    unsigned kind;                ///< W1Kind, added up
    bool (*setup)(Stage *stage);  ///< once
    bool (*before)(Stage *stage); ///< before each run
    bool (*run)(Stage *stage);
    void (*plain)(Stage *stage); ///< the same work on plain arrays, timed beside it
    bool memory;                 ///< not a time: what lives in memory after setup and one run
    void (*end)(Stage *stage);   ///< once
} Scene;

extern const Scene snapshot_scenes[], column_scenes[], store_scenes[], relation_scenes[],
    value_scenes[], save_scenes[], tool_scenes[];
extern const uint32_t snapshot_scene_count, column_scene_count, store_scene_count,
    relation_scene_count, value_scene_count, save_scene_count, tool_scene_count;

/// Scene 0, 1, 2 ...; NULL behind the last.
const Scene *scene_at(uint32_t index);
/// Whether a name asks for a scene: its own name, or, when no scene is called so, what its name
/// begins with: `spawn_one` asks for `spawn_one_warm` and `spawn_one_cold`. NULL asks for all.
bool scene_is_asked(const Scene *scene, const char *name);

/// Runs a scene and prints its rows. False, with a line on stderr, when a call failed.
bool perform(const Options *options, const Scene *scene);

/// A world of the scene's kind in place of the last one; its ids in stage->ids.
bool stage_fill_world(Stage *stage);
/// The same without entities, in memory fresh from the system.
bool stage_empty_world(Stage *stage);
/// Puts what the caches hold out of them.
bool stage_clear_caches(Stage *stage);
/// The world into the image.
bool stage_save(Stage *stage);
/// The image into the world.
bool stage_load(Stage *stage);

#endif
