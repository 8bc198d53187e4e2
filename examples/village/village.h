/// village.h: ten thousand villagers who walk, work, eat, are born and die, the same every time.
#ifndef EXAMPLES_VILLAGE_H
#define EXAMPLES_VILLAGE_H

#include <firn/firn.h>

typedef struct Position {
    float x, y; ///< multiples of 1/4096, so that every sum is exact
} Position;

typedef struct Velocity {
    float x, y; ///< multiples of 1/64 a second
} Velocity;

typedef struct Needs {
    int32_t age;    ///< in steps
    int32_t hunger; ///< steps since the last meal
} Needs;

enum { FARMER, SMITH, GUARD, JOBS };

/// The world, and what the game keeps beside it. Calls of firn leave the last failure in `err`.
typedef struct Village {
    firn_world *world;
    firn_doc *doc;   ///< for values that are read and written on the way
    uint64_t random; ///< the generator's state; saved as `village.rng`
    firn_component position, velocity, needs;
    firn_component inventory;  ///< {food = n, items = {...}}
    firn_component stock;      ///< food that nobody carries: of the entity that is the granary
    firn_component child;      ///< a tag
    firn_component jobs[JOBS]; ///< tags
    firn_query movers, people, granaries;
    firn_error err;
} Village;

/// Makes an empty village: components, queries. False: village->err says why.
bool village_create(Village *village);
void village_destroy(Village *village);

/// Settles it: a granary and `people` villagers.
bool village_settle(Village *village, uint32_t people);

/// One fixed step of 1/64 second.
bool village_step(Village *village);

/// Saves to a file (path NULL: to `out`).
bool village_save(Village *village, const char *path, firn_buffer *out);
/// Replaces the village by the one in a file.
bool village_load(Village *village, const char *path);

/// A new villager of age 0 with a name and an empty inventory; allowed inside a loop.
void village_birth(Village *village, const Position *at);

/// The next random number: 0 .. bound - 1.
uint32_t village_random(Village *village, uint32_t bound);

#endif
