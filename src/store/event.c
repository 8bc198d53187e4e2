#include "store/event.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "store/bus.h"
#include "store/world.h"

#include <assert.h>
#include <string.h>

#define KINDS_MOST        65536u
#define PUBLICATIONS_MOST 64u

// ---------------------------------------------------------------- kinds

static uint32_t find_kind(const fr_events *events, const char *name, size_t size)
{
    uint32_t cursor = UINT32_MAX;
    for (;;) {
        uint32_t index = fr_map_next(&events->names, fr_hash(name, size), &cursor);
        if (index == FR_MAP_NONE || strcmp(events->kinds[index].name, name) == 0) {
            return index;
        }
    }
}

// The index of a new kind; FR_MAP_NONE: no memory.
static uint32_t add_kind(firn_world *world, const char *name, size_t size)
{
    fr_events *events = &world->events;
    uint32_t index = events->kind_count;
    if (!FR_RESERVE(&world->allocator, events->kinds, events->kind_capacity, index + 1) ||
        !fr_map_reserve(&world->allocator, &events->names, 1)) {
        return FR_MAP_NONE;
    }
    char *copy = fr_copy_text(&world->allocator, name, size);
    if (copy == NULL) {
        return FR_MAP_NONE;
    }
    events->kinds[index] = (fr_event_kind){
        .name = copy,
        .on_bus = FR_NOT_ON_BUS,
        .observers = {FR_NO_OBSERVER, FR_NO_OBSERVER},
    };
    (void)fr_map_add(&world->allocator, &events->names, fr_hash(name, size), index); // has room
    events->kind_count++;
    fr_bus_meet_kind(world, index);
    return index;
}

firn_result fr_event_check_kind(const firn_world *world, const char *name, firn_error *err)
{
    size_t size;
    firn_result result = fr_world_check_unlocked(world, err);
    if (result == FIRN_OK) {
        result = fr_check_text_name(name, world->limits.name_bytes, "event name", &size, err);
    }
    if (result == FIRN_OK && world->events.kind_count == KINDS_MOST &&
        find_kind(&world->events, name, size) == FR_MAP_NONE) {
        result = fr_fail(err, FIRN_LIMIT, name, "%s: a world has at most %u kinds of event", name,
                         KINDS_MOST);
    }
    return result;
}

firn_event_kind firn_event_register(firn_world *world, const char *name, firn_error *err)
{
    if (fr_event_check_kind(world, name, err) != FIRN_OK) {
        return 0;
    }
    fr_events *events = &world->events;
    size_t size = strlen(name);
    uint32_t index = find_kind(events, name, size);
    index = index == FR_MAP_NONE ? add_kind(world, name, size) : index;
    if (index == FR_MAP_NONE) {
        fr_fail_memory(err, "a kind of event");
        return 0;
    }
    return events->kind_base + index;
}

// Listeners of the world itself.
static uint32_t own_listeners(const fr_events *events, const fr_event_kind *kind)
{
    return kind->on_bus == FR_NOT_ON_BUS ? kind->listeners
                                         : kind->listeners - events->bus->kinds[kind->on_bus].live;
}

void fr_events_forget_kinds(firn_world *world, uint32_t count)
{
    fr_events *events = &world->events;
    while (events->kind_count > count &&
           own_listeners(events, &events->kinds[events->kind_count - 1]) == 0) {
        uint32_t index = --events->kind_count;
        char *name = events->kinds[index].name;
        fr_map_remove(&events->names, fr_hash(name, strlen(name)), index);
        fr_free_text(&world->allocator, name);
    }
}

uint32_t fr_event_kind_named(const firn_world *world, const char *name)
{
    return find_kind(&world->events, name, strlen(name));
}

firn_event_kind firn_event_find(const firn_world *world, const char *name)
{
    if (world == NULL || name == NULL) {
        return 0;
    }
    uint32_t index = fr_event_kind_named(world, name);
    return index == FR_MAP_NONE ? 0 : world->events.kind_base + index;
}

bool fr_event_kind_of(const firn_world *world, firn_event_kind handle, uint32_t *index,
                      firn_error *err)
{
    uint64_t id = handle - world->events.kind_base;
    if (id >= world->events.kind_count) {
        fr_fail(err, FIRN_INVALID, "kind", handle == 0 ? "kind is 0" : "kind is not of this world");
        return false;
    }
    *index = (uint32_t)id;
    return true;
}

void fr_event_listen(firn_world *world, uint32_t kind, bool begins)
{
    uint32_t *listeners = &world->events.kinds[kind].listeners;
    *listeners += begins ? 1 : UINT32_MAX;
    if (kind < FR_EVENT_BUILTIN) {
        uint32_t others = world->events_heard & ~FR_HEARD(kind);
        world->events_heard = others | (*listeners > 0 ? FR_HEARD(kind) : 0);
    }
}

// ---------------------------------------------------------------- beginning and end

firn_result fr_events_init(firn_world *world, firn_error *err)
{
    static const char *const names[] = {
#define FR_EVENT_NAME(name, text) text,
        FR_EVENTS(FR_EVENT_NAME)
#undef FR_EVENT_NAME
    };
    fr_events *events = &world->events;
    events->free_observer = FR_NO_OBSERVER;
    events->removed_observer = FR_NO_OBSERVER;
    events->free_address = FR_NO_OBSERVER;
    // Tags of 21 bits that differ from that of queries and from each other.
    events->kind_base = world->query_base ^ UINT64_C(0x0aaaaa) << 32;
    events->observer_base = world->query_base ^ UINT64_C(0x155555) << 32;
    events->queue_base = world->query_base ^ UINT64_C(0x0f0f0f) << 32;
    for (uint32_t i = 0; i < FR_EVENT_BUILTIN; i++) {
        if (add_kind(world, names[i], strlen(names[i])) == FR_MAP_NONE) {
            return fr_fail_memory(err, "a world");
        }
    }
    return FIRN_OK;
}

void fr_events_free(firn_world *world)
{
    const firn_allocator *allocator = &world->allocator;
    fr_events *events = &world->events;
    fr_bus_leave(world);
    fr_event_queues_free(world);
    for (uint32_t i = 0; i < events->kind_count; i++) {
        fr_free_text(allocator, events->kinds[i].name);
    }
    FR_ARRAY_FREE(allocator, events->kinds, events->kind_capacity);
    FR_ARRAY_FREE(allocator, events->observers, events->observer_capacity);
    FR_ARRAY_FREE(allocator, events->addresses, events->address_capacity);
    fr_map_free(allocator, &events->names);
    fr_map_free(allocator, &events->places);
    *events = (fr_events){0};
}

// ---------------------------------------------------------------- publication

firn_result fr_event_busy(const firn_world *world, firn_error *err)
{
    const char *name = world->events.kinds[world->events.published].name;
    return fr_fail(err, FIRN_BUSY, name, "%s is being published", name);
}

static firn_result check_depth(const firn_world *world, uint32_t kind, firn_error *err)
{
    const firn_bus *bus = world->events.attached ? world->events.bus : NULL;
    if (world->events.depth < PUBLICATIONS_MOST &&
        (bus == NULL || bus->depth < PUBLICATIONS_MOST)) {
        return FIRN_OK;
    }
    const char *name = world->events.kinds[kind].name;
    return fr_fail(err, FIRN_LIMIT, name, "%s: %u publications inside each other are open", name,
                   PUBLICATIONS_MOST);
}

firn_result fr_event_reserve(firn_world *world, uint32_t kinds, uint32_t records, uint32_t entities,
                             firn_error *err)
{
    uint32_t kind = 0;
    while ((kinds >> kind & 1) == 0) {
        kind++;
    }
    firn_result result = check_depth(world, kind, err);
    return result != FIRN_OK ? result
                             : fr_event_queues_reserve(world, kinds, records, entities, err);
}

uint32_t fr_publication_begin(firn_world *world, uint32_t kind)
{
    uint32_t outer = world->events.published;
    world->events.published = kind;
    world->events.depth++;
    world->open_loops++;
    return outer;
}

firn_result fr_publication_end(firn_world *world, uint32_t outer, firn_error *err)
{
    fr_events *events = &world->events;
    assert(events->depth > 0 && world->open_loops > 0);
    events->published = outer;
    events->depth--;
    world->open_loops--;
    if (events->depth == 0) {
        fr_events_sweep(world);
    }
    // What deferred changes defer themselves is applied by who applies them.
    if (world->open_loops > 0 || world->commands.applying) {
        return FIRN_OK;
    }
    return fr_commands_apply(world, err);
}

firn_event fr_event_of(const firn_world *world, uint32_t kind)
{
    return (firn_event){
        .name = world->events.kinds[kind].name,
        .kind = world->events.kind_base + kind,
    };
}

static firn_result publish_to_observers(firn_world *world, uint32_t kind, const firn_event *event,
                                        firn_error *err)
{
    firn_error why;
    uint32_t outer = fr_publication_begin(world, kind);
    firn_result result = fr_event_observe(world, event, err);
    firn_result applied = fr_publication_end(world, outer, &why);
    return result != FIRN_OK || applied == FIRN_OK ? result : fr_fail_copy(err, &why);
}

firn_result fr_event_publish(firn_world *world, uint32_t kind, const void *payload, firn_error *err)
{
    if (world->events.kinds[kind].listeners == 0) {
        return FIRN_OK;
    }
    firn_event event = fr_event_of(world, kind);
    event.payload = payload;
    firn_error why;
    firn_result result = fr_event_queues_reserve(world, FR_HEARD(kind), 1, 0, err);
    if (result == FIRN_OK) {
        fr_event_record(world, &event);
    }
    firn_result published = publish_to_observers(world, kind, &event, &why);
    return result != FIRN_OK || published == FIRN_OK ? result : fr_fail_copy(err, &why);
}

// ---------------------------------------------------------------- events of the game's own

static firn_result check_emit(const firn_world *world, firn_event_kind handle, firn_entity address,
                              const void *payload, size_t size, uint32_t *kind, firn_error *err)
{
    if (!fr_event_kind_of(world, handle, kind, err)) {
        return FIRN_INVALID;
    }
    const char *name = world->events.kinds[*kind].name;
    if (*kind < FR_EVENT_BUILTIN) {
        return fr_fail(err, FIRN_INVALID, name, "%s is built in, and only firn publishes it", name);
    }
    if (payload == NULL && size > 0) {
        return fr_fail(err, FIRN_INVALID, "payload", "payload is NULL and size is %zu", size);
    }
    firn_result result = address == 0 ? FIRN_OK : fr_world_check_alive(world, address, err);
    return result == FIRN_OK ? check_depth(world, *kind, err) : result;
}

firn_result firn_emit(firn_world *world, firn_event_kind handle, firn_entity address,
                      const void *payload, size_t size, firn_error *err)
{
    bool deferred;
    uint32_t kind = 0;
    firn_result result = fr_world_enter(world, &deferred, err);
    if (result == FIRN_OK) {
        result = check_emit(world, handle, address, payload, size, &kind, err);
    }
    if (result != FIRN_OK || world->events.kinds[kind].listeners == 0) {
        return result;
    }
    result = fr_event_queues_reserve_payload(world, kind, address != 0, size, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_event event = fr_event_of(world, kind);
    event.address = address;
    event.entities = address == 0 ? NULL : &address;
    event.count = address != 0;
    event.payload = payload;
    event.size = size;
    fr_event_record(world, &event);
    return publish_to_observers(world, kind, &event, err);
}
