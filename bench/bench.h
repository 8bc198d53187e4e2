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

/// The world W1: Position and Velocity of two floats, Health of two int32; every second entity has
/// the tag Marked, every tenth the component Key of one uint64 as well: three archetypes.
typedef struct W1 {
    firn_world *world;
    firn_component position, velocity, health, marked, key;
} W1;

/// Makes the world with its components and no entity.
bool w1_create(W1 *w1, firn_error *err);
/// Fills it.
bool w1_fill(W1 *w1, uint32_t entities, firn_error *err);
void w1_destroy(W1 *w1);

/// What a scene works with. Every buffer lives as long as the scene.
typedef struct Stage {
    uint32_t entities;
    W1 w1;
    firn_query movers;
    firn_buffer image; ///< what is loaded, decoded, or was written last
    firn_doc *doc;
    firn_value *tree;
    size_t bytes; ///< that one run moves; 0: no memcpy beside it
    firn_error err;
} Stage;

/// A scene. Only `run` is timed; the others may be NULL.
typedef struct Scene {
    const char *name;
    const char *about;
    bool (*setup)(Stage *stage);  ///< once
    bool (*before)(Stage *stage); ///< before each run
    bool (*run)(Stage *stage);
} Scene;

extern const Scene scenes[];
extern const uint32_t scene_count;

/// The scene of that name, or NULL.
const Scene *scene_find(const char *name);

#endif
