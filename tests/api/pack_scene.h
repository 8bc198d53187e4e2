/// pack_scene.h: a pack of wolves that does everything a world can remember: entities come and go,
/// are related, end with their parents, get keys, move by random numbers; states are pushed and
/// popped, phases are passed over. All that decides what comes next stands in the world.
#ifndef TEST_PACK_SCENE_H
#define TEST_PACK_SCENE_H

#include "firn/firn.h"

enum {
    PACK_POSITION, ///< struct of two floats
    PACK_ENERGY,   ///< number
    PACK_HOWL,     ///< value
    PACK_AWAKE,    ///< tag
    PACK_LIKES,    ///< relation: dense, many targets
    PACK_FEARS,    ///< relation: dense, exclusive, ends with its target, with a field
    PACK_FOLLOWS,  ///< relation: sparse, exclusive, with a field
    PACK_KNOWS,    ///< relation: sparse, many targets
    PACK_KINDS
};

typedef struct pack {
    firn_world *world;
    firn_component of[PACK_KINDS];
    firn_component child_of;
    firn_query everyone, movers;
    firn_state states[3];
    firn_doc *doc;
} pack;

/// A world with the systems of the pack. `backwards` registers everything that has no order of its
/// own in another one. The world's startup has run. Failures end the test.
pack *pack_make(int32_t seed, bool backwards);
void pack_destroy(pack *wolves);

/// One step of the world, of a random length.
void pack_tick(pack *wolves);
void pack_ticks(pack *wolves, uint32_t count);

/// A save; freed with firn_buffer_free.
firn_buffer pack_save(pack *wolves);
void pack_load(pack *wolves, const firn_buffer *image);
/// The same with files.
void pack_save_file(pack *wolves, const char *path);
void pack_load_file(pack *wolves, const char *path);

#endif
