/// firn/bus.h: a bus of events that several worlds share: what happens in any world that is
/// attached to it is told to the observers of the bus as well.
///
/// A world is made on a bus (firn_world_desc.bus) and belongs to it until it is destroyed. While it
/// is attached, each event that it publishes goes to its own queues and observers, and then to the
/// observers of the bus: those that the event's name has there, in the order of registration, with
/// the world as the argument, whatever the address. The rules are those of observers of a world
/// (firn/event.h): changes of structure are deferred while they run, a failure is what firn_emit
/// returns, and publications inside each other are at most 64 deep, those of all worlds of the bus
/// counted as well. A world that is not attached tells only its own.
///
/// A bus and its worlds are used by one thread at a time.
#ifndef FIRN_BUS_H
#define FIRN_BUS_H

#include "firn/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An observer of one bus; 0 is none. Exact as a double.
typedef uint64_t firn_bus_observer;

/// Makes a bus without observers. allocator NULL: firn_allocator_default(); copied. NULL:
/// FIRN_NO_MEMORY, FIRN_INVALID.
FIRN_API firn_bus *firn_bus_create(const firn_allocator *allocator, firn_error *err);

/// Frees the bus; observers hear nothing of it. NULL is allowed. FIRN_BUSY: a world is on it,
/// attached or not; its worlds are destroyed first.
FIRN_API firn_result firn_bus_destroy(firn_bus *bus, firn_error *err);

/// Adds an observer of all events of that name, those of kinds that no world has registered yet
/// included; it sees the events that are published from then on. 0: FIRN_INVALID (NULL; a bad
/// name), FIRN_LIMIT (a long name, more than 65,536 names or 1,048,575 observers), FIRN_NO_MEMORY.
FIRN_API firn_bus_observer firn_bus_observe(firn_bus *bus, const char *event,
                                            firn_observer_fn observe, void *user, firn_error *err);

/// Removes an observer: from here on it is not called again, not even for an event that is being
/// published. FIRN_NOT_FOUND: removed before, or none of this bus.
FIRN_API firn_result firn_bus_unobserve(firn_bus *bus, firn_bus_observer observer, firn_error *err);

/// The bus that a world was made on, or NULL.
FIRN_API firn_bus *firn_world_bus(const firn_world *world);

/// Whether a world tells its events to its bus. A world that firn_world_create made on a bus is
/// attached, one of firn_world_build_from (firn/replace.h) is not.
FIRN_API bool firn_world_attached(const firn_world *world);

/// Attaches a world to its bus; one that is attached stays so. Allowed in loops and observers: an
/// event that is being published does not reach the bus any more. FIRN_INVALID: it has no bus
/// (err->subject is the world's name, or "world" when that is empty). FIRN_BUSY: from a hook or
/// codec.
FIRN_API firn_result firn_world_attach(firn_world *world, firn_error *err);

/// Detaches a world, also in the middle of an event; one that is not attached, or has no bus, stays
/// as it is. FIRN_BUSY: from a hook or codec.
FIRN_API firn_result firn_world_detach(firn_world *world, firn_error *err);

/// Detaches `old` (NULL: none) and attaches `replacement` in one call: both or, on failure,
/// neither. Fails as firn_world_attach of the replacement and firn_world_detach of the old one.
FIRN_API firn_result firn_world_bind(firn_world *old, firn_world *replacement, firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
