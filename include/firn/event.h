/// firn/event.h: events: what happens in a world, told to observers at once and to queues for
/// later.
///
/// An event has a kind and an address: an entity, or 0 for the world as a whole. Changes of the
/// store publish five kinds, snapshots three, and a game registers its own and emits them:
///
///     OnSpawn             entities are there, with what they were spawned with (no OnAdd for that)
///     OnDespawn           entities are about to end; their rows are still there (no OnRemove)
///     OnAdd               event->component was added, by firn_add, by a firn_set that adds, or
///                         because another component requires it; its row is there
///     OnRemove            event->component is about to be removed; its row is still there
///     OnSet               the row of event->component, which was there before, was set by
///                         firn_set or one like it (not through firn_get_mut or a query)
///     OnSnapshotSave      firn/snapshot.h
///     StartSnapshotLoad
///     FinishSnapshotLoad
///
/// A change that waits for the end of a loop publishes when it is applied. A change of several
/// components publishes an event for each, in the order of their names, transient ones behind the
/// others. A load publishes no event for the entities that it replaces or brings.
///
/// Publication. The queues take the event first. Then run the observers of address 0, which see
/// the events of every address, and then those at the address of the event: for a change, at each
/// of its entities. Each group runs in the order of registration. While an observer runs, changes
/// of structure are deferred as inside a query loop; the end of the outermost publication, when no
/// loop is open, applies them behind those that wait. One that fails there stays queued, and
/// firn_flush tries again: the change that was observed has been made, so it does not fail for it.
/// A save, a load and firn_flush inside a publication are FIRN_BUSY: err->subject is the name of
/// the event. Publications inside each other, 64 deep, are FIRN_LIMIT for the set or emit that
/// would be the next.
///
/// Nothing of this is saved. A load keeps kinds, queues with what they hold, and the observers of
/// address 0; it removes those at entities.
#ifndef FIRN_EVENT_H
#define FIRN_EVENT_H

#include "firn/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A kind of event, an observer, a queue of one world; 0 is none. Exact as a double.
typedef uint64_t firn_event_kind;
typedef uint64_t firn_observer;
typedef uint64_t firn_queue;

/// One event. Valid while the observer runs, or until the next call on the queue.
typedef struct firn_event {
    const char *name; ///< of its kind; valid as long as the world
    firn_event_kind kind;
    firn_entity address;         ///< where it was emitted; of a change: the entity of the observer,
                                 ///< or 0 for observers of address 0 and in a queue
    firn_component component;    ///< OnAdd, OnRemove, OnSet; else 0
    firn_entity target;          ///< the same, of a relationship; else 0
    const firn_entity *entities; ///< `count` ids: those that changed, or the address, if it is one
    uint32_t count;              ///< 0: emitted at address 0
    const void *payload;         ///< what the emitter gave; in a queue a copy of `size` bytes,
                                 ///< aligned for any type; NULL when size is 0 there
    size_t size;
} firn_event;

/// Sees an event. A result other than FIRN_OK, with *err filled (it is never NULL), is what
/// firn_emit, or the save or load, returns; the other observers run all the same. Of the five
/// events of changes the result is ignored.
typedef firn_result (*firn_observer_fn)(void *user, firn_world *world, const firn_event *event,
                                        firn_error *err);

// ---------------------------------------------------------------- kinds

/// Registers a kind of event of the game's own. The same name gives the same kind, also that of a
/// built-in one. 0: FIRN_INVALID or FIRN_LIMIT (a bad name), FIRN_LIMIT (more than 65,536 kinds).
FIRN_API firn_event_kind firn_event_register(firn_world *world, const char *name, firn_error *err);

/// The kind of that name, or 0.
FIRN_API firn_event_kind firn_event_find(const firn_world *world, const char *name);

// ---------------------------------------------------------------- observers

typedef struct firn_observer_desc {
    const char *event;        ///< the name of a kind
    firn_entity address;      ///< a living entity, or 0: every address
    firn_component component; ///< OnAdd, OnRemove, OnSet: of this one only; 0: of any
    firn_observer_fn observe;
    void *user;           ///< handed to observe
    uint64_t reserved[4]; ///< must be zero
} firn_observer_desc;

/// Adds an observer; it sees the events that are published from then on. An observer at an entity
/// goes with it. 0: FIRN_NOT_FOUND (no such kind: err->subject is its name; a dead entity),
/// FIRN_INVALID (a component with a kind that has none), FIRN_LIMIT (more than 1,048,575).
FIRN_API firn_observer firn_observe(firn_world *world, const firn_observer_desc *desc,
                                    firn_error *err);

/// Removes an observer: from here on it is not called again, not even for an event that is being
/// published. FIRN_NOT_FOUND: removed before, also with its entity or by a load.
FIRN_API firn_result firn_unobserve(firn_world *world, firn_observer observer, firn_error *err);

/// Publishes an event of the game's own kind, inside a loop too. `payload` is handed on as it is;
/// size 0 lets it point to anything, which no queue keeps. Returns the result of the first observer
/// that failed, else that of applying what observers deferred. Before anything is published:
/// FIRN_INVALID (a built-in kind; a payload of NULL with a size), FIRN_NOT_FOUND (the address does
/// not live), FIRN_LIMIT, FIRN_NO_MEMORY (a queue has no room), and what a waiting change fails
/// with, as for every change.
FIRN_CALLS_BACK FIRN_API firn_result firn_emit(firn_world *world, firn_event_kind kind,
                                               firn_entity address, const void *payload,
                                               size_t size, firn_error *err);

// ---------------------------------------------------------------- queues

/// Opens a queue that keeps the events of these kinds, of every address, in the order in which they
/// happened, until they are pulled. One that nobody pulls from grows. When it cannot grow, the
/// change or emit fails with FIRN_NO_MEMORY and has not happened. The events of a run of entities
/// are one event. 0: FIRN_INVALID (no kinds), FIRN_LIMIT (more than 4,096 queues).
FIRN_API firn_queue firn_queue_open(firn_world *world, const firn_event_kind *kinds, uint32_t count,
                                    firn_error *err);

/// FIRN_NOT_FOUND: closed before.
FIRN_API firn_result firn_queue_close(firn_world *world, firn_queue queue, firn_error *err);

/// Pulls the next event into *out; false: there is none. What it points to stays until the next
/// call on this queue, whatever happens in the world; entities may have ended meanwhile.
FIRN_API bool firn_queue_next(firn_world *world, firn_queue queue, firn_event *out);

#ifdef __cplusplus
}
#endif

#endif
