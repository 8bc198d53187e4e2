/// event.h (private): kinds of event, observers and queues of a world, and how changes publish.
///
/// A change that is heard (one test of world->events_heard) takes these steps: fr_event_reserve
/// while it may still fail; fr_publication_begin; fr_event_record and fr_event_observe, after the
/// change or, for what goes away, before it; fr_publication_end. Observers run no change of
/// structure themselves, so archetypes and rows stay where they are between begin and end; the end
/// may change everything.
#ifndef FR_EVENT_H
#define FR_EVENT_H

#include "base/map.h"
#include "firn/event.h"

/// The built-in kinds: a kind's index is its place here.
#define FR_EVENTS(X)                                                                               \
    X(SPAWN, "OnSpawn")                                                                            \
    X(DESPAWN, "OnDespawn")                                                                        \
    X(ADD, "OnAdd")                                                                                \
    X(REMOVE, "OnRemove")                                                                          \
    X(SET, "OnSet")                                                                                \
    X(SAVE, "OnSnapshotSave")                                                                      \
    X(LOAD_START, "StartSnapshotLoad")                                                             \
    X(LOAD_FINISH, "FinishSnapshotLoad")

enum fr_event_index {
#define FR_EVENT_INDEX(name, text) FR_EVENT_##name,
    FR_EVENTS(FR_EVENT_INDEX)
#undef FR_EVENT_INDEX
        FR_EVENT_BUILTIN ///< how many
};

/// The bit of a built-in kind in world->events_heard and in the argument of fr_event_reserve.
#define FR_HEARD(index) (UINT32_C(1) << (index))
/// In world->events_heard: there are observers at entities.
#define FR_HEARD_ADDRESSES FR_HEARD(31)

#define FR_NO_OBSERVER UINT32_MAX

/// Observers in the order of their registration, linked through previous and next.
typedef struct fr_chain {
    uint32_t first; ///< slots; FR_NO_OBSERVER: none
    uint32_t last;
} fr_chain;

typedef struct fr_event_kind {
    char *name;
    uint32_t listeners; ///< observers, those of the bus included, and queues
    uint32_t on_bus;    ///< index of the kind of this name there (bus.h), or FR_NOT_ON_BUS
    fr_chain observers; ///< of address 0
} fr_event_kind;

/// Told that an observer is gone; it may use no world.
typedef void (*fr_forget_fn)(void *user);

typedef struct fr_observer {
    firn_observer_fn observe; ///< NULL: free, or removed while something was published
    fr_forget_fn forget;      ///< or NULL
    void *user;
    uint64_t serial; ///< rises with registration
    firn_entity address;
    uint32_t kind;
    uint32_t component; ///< FR_NO_COMPONENT: any
    uint32_t generation;
    uint32_t previous;
    uint32_t next;         ///< of free ones too
    uint32_t next_removed; ///< of those that are removed when nothing is published any more
} fr_observer;

/// The observers at an entity.
typedef struct fr_address {
    firn_entity entity;
    fr_chain observers; ///< of a free place: `first` is the next free one
} fr_address;

/// Records from `first` to `size`.
typedef struct fr_records {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    size_t first;
} fr_records;

typedef struct fr_event_queue {
    bool used;
    uint32_t generation;
    uint64_t *heard; ///< a bit per kind that was registered when the queue was opened
    uint32_t heard_words;
    fr_records pushed; ///< they move when they grow
    fr_records pulled; ///< they stay where they are: `pushed` of before
} fr_event_queue;

typedef struct fr_events {
    firn_bus *bus; ///< that the world was made on, or NULL
    bool attached; ///< to it
    fr_event_kind *kinds;
    uint32_t kind_count;
    uint32_t kind_capacity;
    fr_map names; ///< hash of name -> index
    fr_observer *observers;
    uint32_t observer_count;
    uint32_t observer_capacity;
    uint32_t free_observer;    ///< a slot, or FR_NO_OBSERVER
    uint32_t removed_observer; ///< the same
    uint64_t next_serial;
    fr_address *addresses;
    uint32_t address_count;
    uint32_t address_capacity;
    uint32_t free_address; ///< an index, or FR_NO_OBSERVER
    fr_map places;         ///< entity -> index in addresses
    fr_event_queue *queues;
    uint32_t queue_count;
    uint32_t queue_capacity;
    uint32_t depth;     ///< publications inside each other
    uint32_t published; ///< the kind of the innermost one
    uint64_t kind_base; ///< the handle of kind 0, and so on: of other tags than queries
    uint64_t observer_base;
    uint64_t queue_base;
} fr_events;

/// Registers the built-in kinds in a zeroed world->events; world->query_base is set. What was made
/// before a failure is freed by fr_events_free.
firn_result fr_events_init(firn_world *world, firn_error *err);
void fr_events_free(firn_world *world);
/// Fails as firn_event_register does, except for a lack of memory.
firn_result fr_event_check_kind(const firn_world *world, const char *name, firn_error *err);
/// The index of the kind of that name, or FR_MAP_NONE.
uint32_t fr_event_kind_named(const firn_world *world, const char *name);
/// The index of a kind; false: FIRN_INVALID.
bool fr_event_kind_of(const firn_world *world, firn_event_kind handle, uint32_t *index,
                      firn_error *err);
/// Forgets the kinds that were registered last, down to `count`, or to one that is heard.
void fr_events_forget_kinds(firn_world *world, uint32_t count);
/// A kind begins or ceases to be heard by one more observer or queue.
void fr_event_listen(firn_world *world, uint32_t kind, bool begins);

/// firn_observe for those whose `user` needs to be let go: `forget` gets it when the observer was
/// removed, in whatever way but by the end of the world.
firn_observer fr_observe(firn_world *world, const firn_observer_desc *desc, fr_forget_fn forget,
                         firn_error *err);
/// What an observer of address 0 was added with; its texts are the world's. False: it was removed,
/// or is at an entity.
bool fr_observer_describe(const firn_world *world, firn_observer handle, firn_observer_desc *out);
/// Removes the observers at an entity that ends, and at all entities.
void fr_events_forget(firn_world *world, firn_entity entity);
/// The observers at an entity that gets another id: takes them from the old one, and puts them to
/// the new one, when all that get another have lost theirs. FR_NO_OBSERVER: there are none.
uint32_t fr_events_leave_id(firn_world *world, firn_entity entity);
void fr_events_enter_id(firn_world *world, uint32_t observers, firn_entity entity);
void fr_events_clear_addresses(firn_world *world);
/// Frees the observers that were removed while something was published.
void fr_events_sweep(firn_world *world);

/// Makes room in each queue that hears one of `kinds` (FR_HEARD bits) for `records` events of
/// `entities` ids each, all of them told without another event between; and tells whether one more
/// publication is allowed: FIRN_NO_MEMORY, FIRN_LIMIT.
firn_result fr_event_reserve(firn_world *world, uint32_t kinds, uint32_t records, uint32_t entities,
                             firn_error *err);
/// A publication: from begin to end changes of structure are deferred. Begin gives what end takes.
uint32_t fr_publication_begin(firn_world *world, uint32_t kind);
/// The end of the outermost one outside loops applies what was deferred, and fails as that does.
firn_result fr_publication_end(firn_world *world, uint32_t outer, firn_error *err);
/// Tells the queues, which have room.
void fr_event_record(firn_world *world, const firn_event *event);
/// Tells the observers, then those of the bus, inside a publication; the first failure. err may not
/// be NULL.
firn_result fr_event_observe(firn_world *world, const firn_event *event, firn_error *err);
/// The event of a kind with nothing in it.
firn_event fr_event_of(const firn_world *world, uint32_t kind);

/// Publishes OnSnapshotSave, StartSnapshotLoad or FinishSnapshotLoad with a payload that no queue
/// keeps. All observers run, also when a queue has no room. The first failure: of a queue, of an
/// observer, of applying what was deferred. Not inside hooks, loops or publications.
firn_result fr_event_publish(firn_world *world, uint32_t kind, const void *payload,
                             firn_error *err);
/// FIRN_BUSY: inside a publication, naming the event.
firn_result fr_event_busy(const firn_world *world, firn_error *err);

// ---- queues (event_queue.c)

/// The part of fr_event_reserve that is theirs, and the same for one event of any kind with `size`
/// bytes of payload.
firn_result fr_event_queues_reserve(firn_world *world, uint32_t kinds, uint32_t records,
                                    uint32_t entities, firn_error *err);
firn_result fr_event_queues_reserve_payload(firn_world *world, uint32_t kind, uint32_t entities,
                                            size_t size, firn_error *err);
void fr_event_queues_free(firn_world *world);

#endif
