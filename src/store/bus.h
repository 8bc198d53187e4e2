/// bus.h (private): a bus of events. Its kinds are names that somebody observed; each kind of event
/// of a world that is attached knows the kind of the bus that has its name (fr_event_kind.on_bus),
/// and counts its observers among its listeners. Nothing of that takes memory.
#ifndef FR_BUS_H
#define FR_BUS_H

#include "base/map.h"
#include "firn/bus.h"

#define FR_NOT_ON_BUS UINT32_MAX

typedef struct fr_bus_watcher {
    firn_observer_fn observe; ///< NULL: removed while something was told
    void *user;
    uint64_t serial; ///< rises with registration
} fr_bus_watcher;

typedef struct fr_bus_kind {
    char *name;
    fr_bus_watcher *watchers; ///< in the order of registration
    uint32_t count;
    uint32_t capacity;
    uint32_t live; ///< those that are not removed
} fr_bus_kind;

struct firn_bus {
    firn_allocator allocator;
    fr_bus_kind *kinds; ///< they stay until the bus goes
    uint32_t kind_count;
    uint32_t kind_capacity;
    fr_map names;        ///< hash of name -> index
    firn_world **worlds; ///< that were made on it, attached or not
    uint32_t world_count;
    uint32_t world_capacity;
    uint32_t watcher_count;
    uint64_t next_serial;
    uint32_t depth; ///< tellings inside each other
    bool sweep;     ///< watchers were removed meanwhile
};

/// A new world is on the bus, and attached. False: no memory.
bool fr_bus_join(firn_bus *bus, firn_world *world);
/// The world goes, if it is on a bus.
void fr_bus_leave(firn_world *world);
/// A new kind of event of a world, which may be attached, finds its name on the bus.
void fr_bus_meet_kind(firn_world *world, uint32_t kind);
/// A telling begins and ends: watchers stay in their places meanwhile.
void fr_bus_begin(firn_bus *bus);
void fr_bus_end(firn_bus *bus);

#endif
