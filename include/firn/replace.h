/// firn/replace.h: a second world, built from an image with everything that the first one has
/// registered, which stays as it is.
#ifndef FIRN_REPLACE_H
#define FIRN_REPLACE_H

#include "firn/bus.h"
#include "firn/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes a world like the original and loads an image into it, as firn_snapshot_load does. It has
///
/// - the allocator and the limits of the original, and its bus, from which it is detached until
///   firn_world_attach or firn_world_bind;
/// - the components with their hooks, codecs and defaults, kinds of event, queries, states, phases
///   and systems (enabled as they are now), classes (firn/class.h) and the timestep, in the same
///   places: handles of all of these mean the same in both worlds;
/// - the handlers and plugins, in the same order. A plugin is added as by firn_plugin_add: with its
///   observers, and its install runs for the new world. What install registers there under the name
///   that it had, or as the same query, is what was copied, with the same handle and what install
///   says now. Its destroy runs at the end of each world that it was added to.
///
/// Not carried over: observers (but those of plugins' tables), queues, resources, deferred changes,
/// what a load of the original kept. Startup phases count as run if they have run there. Entities,
/// name, tick, states on the stack, disabled phases and random streams are those of the image.
///
/// Both worlds hand the same `user` pointers to callbacks: what belongs to one world is found
/// through the world that they get, as a resource that install sets. Whoever lets go of something
/// in a plugin's destroy does so once for each world.
///
/// NULL on failure, and then nothing of the new world is left: FIRN_BUSY (inside a hook or codec of
/// the original, a save, load or install), FIRN_NO_MEMORY, what firn_plugin_add and
/// firn_snapshot_load give. report->committed is then false. The original is only read, by this
/// function; loops and publications may be open in it. image, options and report as for
/// firn_snapshot_load. The new world is destroyed as any other, before or after the original.
FIRN_CALLS_BACK FIRN_API firn_world *
firn_world_build_from(firn_world *original, const void *image, size_t size,
                      const firn_load_options *options, firn_load_report *report, firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
