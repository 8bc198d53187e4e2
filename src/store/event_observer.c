// Observers: chains in the order of registration, one per kind for address 0 and one per entity.
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "store/bus.h"
#include "store/world.h"

#include <assert.h>

#define OBSERVER_BITS             20
#define OBSERVERS_MOST            ((UINT32_C(1) << OBSERVER_BITS) - 1)
#define OBSERVER_GENERATIONS_MOST 0xfffu

// ---------------------------------------------------------------- chains

static void chain_append(fr_events *events, fr_chain *chain, uint32_t slot)
{
    events->observers[slot].previous = chain->last;
    events->observers[slot].next = FR_NO_OBSERVER;
    if (chain->last == FR_NO_OBSERVER) {
        chain->first = slot;
    } else {
        events->observers[chain->last].next = slot;
    }
    chain->last = slot;
}

static void chain_take(fr_events *events, fr_chain *chain, uint32_t slot)
{
    const fr_observer *observer = &events->observers[slot];
    if (observer->previous == FR_NO_OBSERVER) {
        chain->first = observer->next;
    } else {
        events->observers[observer->previous].next = observer->next;
    }
    if (observer->next == FR_NO_OBSERVER) {
        chain->last = observer->previous;
    } else {
        events->observers[observer->next].previous = observer->previous;
    }
}

// The chain at an entity, made when there is none; room was reserved.
static fr_chain *chain_at(firn_world *world, firn_entity entity)
{
    fr_events *events = &world->events;
    uint32_t place = fr_map_get(&events->places, entity);
    if (place == FR_MAP_NONE) {
        place = events->free_address;
        if (place == FR_NO_OBSERVER) {
            place = events->address_count++;
        } else {
            events->free_address = events->addresses[place].observers.first;
        }
        events->addresses[place] = (fr_address){entity, {FR_NO_OBSERVER, FR_NO_OBSERVER}};
        (void)fr_map_add(&world->allocator, &events->places, entity, place);
        world->events_heard |= FR_HEARD_ADDRESSES;
    }
    return &events->addresses[place].observers;
}

static void leave_address(firn_world *world, uint32_t slot)
{
    fr_events *events = &world->events;
    firn_entity entity = events->observers[slot].address;
    uint32_t place = fr_map_get(&events->places, entity);
    fr_address *address = &events->addresses[place];
    chain_take(events, &address->observers, slot);
    if (address->observers.first != FR_NO_OBSERVER) {
        return;
    }
    fr_map_remove(&events->places, entity, place);
    address->observers.first = events->free_address;
    events->free_address = place;
    if (events->places.count == 0) {
        world->events_heard &= ~FR_HEARD_ADDRESSES;
    }
}

// ---------------------------------------------------------------- coming

static firn_result check_observer_desc(const firn_world *world, const firn_observer_desc *desc,
                                       fr_observer *out, firn_error *err)
{
    if (desc == NULL || desc->event == NULL || desc->observe == NULL) {
        const char *argument = desc == NULL ? "desc" : desc->event == NULL ? "event" : "observe";
        return fr_fail(err, FIRN_INVALID, argument, "%s is NULL", argument);
    }
    firn_result result = fr_check_reserved(desc->reserved, "firn_observer_desc", err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_event_kind kind = firn_event_find(world, desc->event);
    if (!fr_event_kind_of(world, kind, &out->kind, NULL)) {
        return fr_fail(err, FIRN_NOT_FOUND, desc->event, "no kind of event is called %s",
                       desc->event);
    }
    if (desc->component != 0) {
        const fr_component *component = fr_component_of(world, desc->component, "component", err);
        if (component == NULL) {
            return FIRN_INVALID;
        }
        if (out->kind < FR_EVENT_ADD || out->kind > FR_EVENT_SET) {
            return fr_fail(err, FIRN_INVALID, "component", "%s has no component, and %s was asked",
                           desc->event, component->name);
        }
        out->component = component->index;
    }
    return desc->address == 0 ? FIRN_OK : fr_world_check_alive(world, desc->address, err);
}

static firn_result reserve_observer(firn_world *world, firn_entity address, firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    fr_events *events = &world->events;
    if (events->free_observer == FR_NO_OBSERVER && events->observer_count == OBSERVERS_MOST) {
        return fr_fail(err, FIRN_LIMIT, "observers", "a world has at most %u observers",
                       OBSERVERS_MOST);
    }
    bool room = events->free_observer != FR_NO_OBSERVER ||
                FR_RESERVE(allocator, events->observers, events->observer_capacity,
                           events->observer_count + 1);
    if (room && address != 0) {
        room = FR_RESERVE(allocator, events->addresses, events->address_capacity,
                          events->address_count + 1) &&
               fr_map_reserve(allocator, &events->places, 1);
    }
    return room ? FIRN_OK : fr_fail_memory(err, "an observer");
}

static uint32_t take_observer_slot(fr_events *events)
{
    uint32_t slot = events->free_observer;
    if (slot == FR_NO_OBSERVER) {
        slot = events->observer_count++;
        events->observers[slot].generation = 0;
    } else {
        events->free_observer = events->observers[slot].next;
    }
    return slot;
}

firn_observer fr_observe(firn_world *world, const firn_observer_desc *desc, fr_forget_fn forget,
                         firn_error *err)
{
    fr_observer observer = {.component = FR_NO_COMPONENT, .forget = forget};
    if (fr_world_check_unlocked(world, err) != FIRN_OK ||
        check_observer_desc(world, desc, &observer, err) != FIRN_OK ||
        reserve_observer(world, desc->address, err) != FIRN_OK) {
        return 0;
    }
    fr_events *events = &world->events;
    uint32_t slot = take_observer_slot(events);
    observer.observe = desc->observe;
    observer.user = desc->user;
    observer.serial = events->next_serial++;
    observer.address = desc->address;
    observer.generation = events->observers[slot].generation;
    events->observers[slot] = observer;
    chain_append(events,
                 desc->address == 0 ? &events->kinds[observer.kind].observers
                                    : chain_at(world, desc->address),
                 slot);
    fr_event_listen(world, observer.kind, true);
    return events->observer_base + ((uint64_t)observer.generation << OBSERVER_BITS | slot);
}

firn_observer firn_observe(firn_world *world, const firn_observer_desc *desc, firn_error *err)
{
    return fr_observe(world, desc, NULL, err);
}

// ---------------------------------------------------------------- going

// Silences an observer; it stays in its chain while chains may be walked.
static void remove_observer(firn_world *world, uint32_t slot)
{
    fr_events *events = &world->events;
    fr_observer *observer = &events->observers[slot];
    observer->observe = NULL;
    observer->generation++;
    if (observer->forget != NULL) {
        observer->forget(observer->user);
    }
    observer->next_removed = events->removed_observer;
    events->removed_observer = slot;
    fr_event_listen(world, observer->kind, false);
}

void fr_events_sweep(firn_world *world)
{
    fr_events *events = &world->events;
    while (events->removed_observer != FR_NO_OBSERVER) {
        uint32_t slot = events->removed_observer;
        fr_observer *observer = &events->observers[slot];
        events->removed_observer = observer->next_removed;
        if (observer->address == 0) {
            chain_take(events, &events->kinds[observer->kind].observers, slot);
        } else {
            leave_address(world, slot);
        }
        // A slot whose handles are used up retires.
        if (observer->generation <= OBSERVER_GENERATIONS_MOST) {
            observer->next = events->free_observer;
            events->free_observer = slot;
        }
    }
}

static void sweep_unless_publishing(firn_world *world)
{
    if (world->events.depth == 0) {
        fr_events_sweep(world);
    }
}

static const fr_observer *find_observer(const firn_world *world, firn_observer handle,
                                        firn_error *err)
{
    const fr_events *events = &world->events;
    uint64_t id = handle - events->observer_base;
    uint32_t slot = (uint32_t)(id & OBSERVERS_MOST);
    if (id >> 32 != 0 || slot >= events->observer_count) {
        fr_fail(err, FIRN_INVALID, "observer",
                handle == 0 ? "observer is 0" : "observer is not of this world");
        return NULL;
    }
    const fr_observer *observer = &events->observers[slot];
    if (observer->observe == NULL || observer->generation != id >> OBSERVER_BITS) {
        fr_fail(err, FIRN_NOT_FOUND, "observer", "observer %u was removed before", slot + 1);
        return NULL;
    }
    return observer;
}

bool fr_observer_describe(const firn_world *world, firn_observer handle, firn_observer_desc *out)
{
    const fr_observer *observer = find_observer(world, handle, NULL);
    if (observer == NULL || observer->address != 0) {
        return false;
    }
    *out = (firn_observer_desc){
        .event = world->events.kinds[observer->kind].name,
        .component = observer->component == FR_NO_COMPONENT
                         ? 0
                         : fr_component_handle(world, observer->component),
        .observe = observer->observe,
        .user = observer->user,
    };
    return true;
}

firn_result firn_unobserve(firn_world *world, firn_observer handle, firn_error *err)
{
    firn_result result = fr_world_check_unlocked(world, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_error why;
    const fr_observer *observer = find_observer(world, handle, &why);
    if (observer == NULL) {
        return fr_fail_copy(err, &why);
    }
    remove_observer(world, (uint32_t)(observer - world->events.observers));
    sweep_unless_publishing(world);
    return FIRN_OK;
}

static void remove_chain(firn_world *world, const fr_chain *chain)
{
    const fr_events *events = &world->events;
    for (uint32_t slot = chain->first; slot != FR_NO_OBSERVER;
         slot = events->observers[slot].next) {
        if (events->observers[slot].observe != NULL) {
            remove_observer(world, slot);
        }
    }
}

void fr_events_forget(firn_world *world, firn_entity entity)
{
    uint32_t place = fr_map_get(&world->events.places, entity);
    if (place != FR_MAP_NONE) {
        remove_chain(world, &world->events.addresses[place].observers);
        sweep_unless_publishing(world);
    }
}

uint32_t fr_events_leave_id(firn_world *world, firn_entity entity)
{
    uint32_t place = fr_map_get(&world->events.places, entity);
    if (place == FR_MAP_NONE) {
        return FR_NO_OBSERVER;
    }
    fr_map_remove(&world->events.places, entity, place);
    return place;
}

void fr_events_enter_id(firn_world *world, uint32_t observers, firn_entity entity)
{
    fr_events *events = &world->events;
    if (observers == FR_NO_OBSERVER) {
        return;
    }
    // There is room: it was there under another id.
    (void)fr_map_add(NULL, &events->places, entity, observers);
    fr_address *address = &events->addresses[observers];
    address->entity = entity;
    for (uint32_t slot = address->observers.first; slot != FR_NO_OBSERVER;
         slot = events->observers[slot].next) {
        events->observers[slot].address = entity;
    }
}

void fr_events_clear_addresses(firn_world *world)
{
    const fr_events *events = &world->events;
    for (uint32_t slot = 0; slot < events->observer_count; slot++) {
        if (events->observers[slot].observe != NULL && events->observers[slot].address != 0) {
            remove_observer(world, slot);
        }
    }
    sweep_unless_publishing(world);
}

// ---------------------------------------------------------------- running

// An event on its way through chains.
typedef struct telling {
    firn_world *world;
    uint32_t kind;
    uint32_t component;
    uint64_t before; // observers with serials from here on came while it was told
    firn_result result;
    firn_error *err;
} telling;

static void call_observer(telling *t, firn_observer_fn observe, void *user, const firn_event *event)
{
    firn_error why;
    fr_error_begin(&why);
    firn_result result = observe(user, t->world, event, &why);
    if (result == FIRN_OK || t->result != FIRN_OK) {
        return;
    }
    t->result = result;
    if (why.message[0] == '\0') {
        fr_fail_entity(&why, result, why.entity, event->name, "an observer of %s: %s", event->name,
                       firn_result_text(result));
    }
    fr_error_complete(&why, result);
    fr_fail_copy(t->err, &why);
}

// Observers may come and go meanwhile: slots stay what they are, the array may move.
static void tell_chain(telling *t, uint32_t first, const firn_event *event)
{
    const fr_events *events = &t->world->events;
    for (uint32_t slot = first; slot != FR_NO_OBSERVER; slot = events->observers[slot].next) {
        const fr_observer *observer = &events->observers[slot];
        if (observer->serial >= t->before) {
            break;
        }
        if (observer->observe != NULL && observer->kind == t->kind &&
            (observer->component == FR_NO_COMPONENT || observer->component == t->component)) {
            call_observer(t, observer->observe, observer->user, event);
        }
    }
}

// The same of the bus. `before`: observers with serials from here on came while it was told.
static void tell_bus(telling *t, uint64_t before, const firn_event *event)
{
    const fr_events *events = &t->world->events;
    firn_bus *bus = events->bus;
    uint32_t on_bus = events->kinds[t->kind].on_bus;
    if (on_bus == FR_NOT_ON_BUS) {
        return;
    }
    fr_bus_begin(bus);
    for (uint32_t i = 0; i < bus->kinds[on_bus].count && events->attached; i++) {
        const fr_bus_watcher watcher = bus->kinds[on_bus].watchers[i];
        if (watcher.serial >= before) {
            break;
        }
        if (watcher.observe != NULL) {
            call_observer(t, watcher.observe, watcher.user, event);
        }
    }
    fr_bus_end(bus);
}

firn_result fr_event_observe(firn_world *world, const firn_event *event, firn_error *err)
{
    const fr_events *events = &world->events;
    assert(events->depth > 0);
    telling t = {
        .world = world,
        .kind = (uint32_t)(event->kind - events->kind_base),
        .component = fr_component_index(world, event->component),
        .before = events->next_serial,
        .err = err,
    };
    // A world that is attached while this is told was not when it began.
    uint64_t bus_before = events->attached ? events->bus->next_serial : 0;
    tell_chain(&t, events->kinds[t.kind].observers.first, event);
    for (uint32_t i = 0; i < event->count && events->places.count > 0; i++) {
        uint32_t place = fr_map_get(&events->places, event->entities[i]);
        if (place == FR_MAP_NONE) {
            continue;
        }
        firn_event here = *event;
        here.address = event->entities[i];
        here.entities = &event->entities[i];
        here.count = 1;
        tell_chain(&t, events->addresses[place].observers.first, &here);
    }
    tell_bus(&t, bus_before, event);
    return t.result;
}
