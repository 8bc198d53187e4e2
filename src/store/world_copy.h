/// world_copy.h (private): a new world gets what another one has registered, so that handles of
/// components, kinds of event and queries mean the same in both.
#ifndef FR_WORLD_COPY_H
#define FR_WORLD_COPY_H

#include "store/world.h"

/// The handles of a world without handles become those of the original.
void fr_world_share_handles(firn_world *world, const firn_world *original);
/// Name, components, kinds of event and queries of a world that has no more than what is built in.
/// The original is only read. FIRN_NO_MEMORY: the world is to be destroyed.
firn_result fr_world_copy(firn_world *world, const firn_world *original, firn_error *err);

#endif
