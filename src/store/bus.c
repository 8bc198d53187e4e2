#include "store/bus.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "store/world.h"

#include <stdalign.h>
#include <string.h>

// A handle: serial << 16 | kind, + 1.
#define BUS_KIND_BITS    16
#define BUS_KINDS_MOST   (UINT32_C(1) << BUS_KIND_BITS)
#define BUS_SERIALS_MOST (UINT64_C(1) << (52 - BUS_KIND_BITS))
#define WATCHERS_MOST    1048575u

// ---------------------------------------------------------------- making and ending

firn_bus *firn_bus_create(const firn_allocator *allocator, firn_error *err)
{
    if (fr_allocator_check(allocator, err) != FIRN_OK) {
        return NULL;
    }
    allocator = allocator == NULL ? firn_allocator_default() : allocator;
    firn_bus *bus = fr_alloc_zero(allocator, 1, sizeof *bus, alignof(firn_bus));
    if (bus == NULL) {
        fr_fail_memory(err, "a bus");
        return NULL;
    }
    bus->allocator = *allocator;
    return bus;
}

firn_result firn_bus_destroy(firn_bus *bus, firn_error *err)
{
    if (bus == NULL) {
        return FIRN_OK;
    }
    if (bus->world_count > 0) {
        return fr_fail(err, FIRN_BUSY, "bus", "%u worlds are on the bus, one of them \"%s\"",
                       bus->world_count, bus->worlds[0]->name);
    }
    const firn_allocator allocator = bus->allocator;
    for (uint32_t i = 0; i < bus->kind_count; i++) {
        fr_free_text(&allocator, bus->kinds[i].name);
        FR_ARRAY_FREE(&allocator, bus->kinds[i].watchers, bus->kinds[i].capacity);
    }
    FR_ARRAY_FREE(&allocator, bus->kinds, bus->kind_capacity);
    FR_ARRAY_FREE(&allocator, bus->worlds, bus->world_capacity);
    fr_map_free(&allocator, &bus->names);
    fr_free(&allocator, bus, 1, sizeof *bus, alignof(firn_bus));
    return FIRN_OK;
}

// ---------------------------------------------------------------- kinds

static uint32_t find_bus_kind(const firn_bus *bus, const char *name)
{
    uint64_t hash = fr_hash(name, strlen(name));
    uint32_t cursor = UINT32_MAX, index;
    do {
        index = fr_map_next(&bus->names, hash, &cursor);
    } while (index != FR_MAP_NONE && strcmp(bus->kinds[index].name, name) != 0);
    return index;
}

// What the bus hears of a kind is heard, or is heard no more.
static void listen_for_bus(firn_world *world, uint32_t kind, uint32_t watchers, bool begins)
{
    for (uint32_t i = 0; i < watchers; i++) {
        fr_event_listen(world, kind, begins);
    }
}

static void meet_kinds(firn_world *world)
{
    for (uint32_t i = 0; i < world->events.kind_count; i++) {
        fr_bus_meet_kind(world, i);
    }
}

void fr_bus_meet_kind(firn_world *world, uint32_t kind)
{
    const firn_bus *bus = world->events.bus;
    fr_event_kind *met = &world->events.kinds[kind];
    if (!world->events.attached) {
        return;
    }
    met->on_bus = find_bus_kind(bus, met->name);
    if (met->on_bus != FR_NOT_ON_BUS) {
        listen_for_bus(world, kind, bus->kinds[met->on_bus].live, true);
    }
}

static void part_from_kinds(firn_world *world)
{
    for (uint32_t i = 0; i < world->events.kind_count; i++) {
        fr_event_kind *kind = &world->events.kinds[i];
        if (kind->on_bus != FR_NOT_ON_BUS) {
            listen_for_bus(world, i, world->events.bus->kinds[kind->on_bus].live, false);
            kind->on_bus = FR_NOT_ON_BUS;
        }
    }
}

// One watcher more or less of a kind: the worlds that are attached hear it, or not.
static void tell_worlds(const firn_bus *bus, uint32_t kind, bool begins)
{
    for (uint32_t w = 0; w < bus->world_count; w++) {
        firn_world *world = bus->worlds[w];
        uint32_t index = world->events.attached ? fr_event_kind_named(world, bus->kinds[kind].name)
                                                : FR_MAP_NONE;
        if (index != FR_MAP_NONE) {
            world->events.kinds[index].on_bus = kind;
            fr_event_listen(world, index, begins);
        }
    }
}

static uint32_t add_bus_kind(firn_bus *bus, const char *name)
{
    if (!FR_RESERVE(&bus->allocator, bus->kinds, bus->kind_capacity, bus->kind_count + 1) ||
        !fr_map_reserve(&bus->allocator, &bus->names, 1)) {
        return FR_MAP_NONE;
    }
    size_t size = strlen(name);
    char *copy = fr_copy_text(&bus->allocator, name, size);
    if (copy == NULL) {
        return FR_MAP_NONE;
    }
    bus->kinds[bus->kind_count] = (fr_bus_kind){.name = copy};
    (void)fr_map_add(&bus->allocator, &bus->names, fr_hash(name, size), bus->kind_count);
    return bus->kind_count++;
}

// ---------------------------------------------------------------- observers

static firn_result check_watcher(const firn_bus *bus, const char *event, firn_observer_fn observe,
                                 firn_error *err)
{
    if (bus == NULL || observe == NULL) {
        const char *argument = bus == NULL ? "bus" : "observe";
        return fr_fail(err, FIRN_INVALID, argument, "%s is NULL", argument);
    }
    firn_result result = fr_check_text_name(event, UINT8_MAX, "event name", NULL, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (bus->watcher_count == WATCHERS_MOST || bus->next_serial == BUS_SERIALS_MOST) {
        return fr_fail(err, FIRN_LIMIT, "observers", "a bus has at most %u observers",
                       WATCHERS_MOST);
    }
    if (bus->kind_count == BUS_KINDS_MOST && find_bus_kind(bus, event) == FR_MAP_NONE) {
        return fr_fail(err, FIRN_LIMIT, event, "%s: a bus has at most %u names of events", event,
                       BUS_KINDS_MOST);
    }
    return FIRN_OK;
}

firn_bus_observer firn_bus_observe(firn_bus *bus, const char *event, firn_observer_fn observe,
                                   void *user, firn_error *err)
{
    if (check_watcher(bus, event, observe, err) != FIRN_OK) {
        return 0;
    }
    uint32_t index = find_bus_kind(bus, event);
    index = index == FR_MAP_NONE ? add_bus_kind(bus, event) : index;
    if (index == FR_MAP_NONE ||
        !FR_RESERVE(&bus->allocator, bus->kinds[index].watchers, bus->kinds[index].capacity,
                    bus->kinds[index].count + 1)) {
        fr_fail_memory(err, "an observer");
        return 0;
    }
    fr_bus_kind *kind = &bus->kinds[index];
    uint64_t serial = bus->next_serial++;
    kind->watchers[kind->count++] = (fr_bus_watcher){observe, user, serial};
    kind->live++;
    bus->watcher_count++;
    tell_worlds(bus, index, true);
    return (serial << BUS_KIND_BITS | index) + 1;
}

static void sweep_kind(fr_bus_kind *kind)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < kind->count; i++) {
        if (kind->watchers[i].observe != NULL) {
            kind->watchers[kept++] = kind->watchers[i];
        }
    }
    kind->count = kept;
}

static fr_bus_watcher *find_watcher(const fr_bus_kind *kind, uint64_t serial)
{
    for (uint32_t i = 0; i < kind->count; i++) {
        if (kind->watchers[i].serial == serial && kind->watchers[i].observe != NULL) {
            return &kind->watchers[i];
        }
    }
    return NULL;
}

firn_result firn_bus_unobserve(firn_bus *bus, firn_bus_observer observer, firn_error *err)
{
    if (bus == NULL || observer == 0) {
        const char *argument = bus == NULL ? "bus" : "observer";
        return fr_fail(err, FIRN_INVALID, argument, "%s is %s", argument,
                       bus == NULL ? "NULL" : "0");
    }
    uint32_t index = (uint32_t)(observer - 1) & (BUS_KINDS_MOST - 1);
    fr_bus_kind *kind = index < bus->kind_count ? &bus->kinds[index] : NULL;
    fr_bus_watcher *found =
        kind == NULL ? NULL : find_watcher(kind, (observer - 1) >> BUS_KIND_BITS);
    if (found == NULL) {
        return fr_fail(err, FIRN_NOT_FOUND, "observer",
                       "the observer was removed before, or is none of this bus");
    }
    found->observe = NULL;
    kind->live--;
    bus->watcher_count--;
    tell_worlds(bus, index, false);
    if (bus->depth == 0) {
        sweep_kind(kind);
    } else {
        bus->sweep = true;
    }
    return FIRN_OK;
}

void fr_bus_begin(firn_bus *bus)
{
    bus->depth++;
}

void fr_bus_end(firn_bus *bus)
{
    bus->depth--;
    if (bus->depth > 0 || !bus->sweep) {
        return;
    }
    bus->sweep = false;
    for (uint32_t i = 0; i < bus->kind_count; i++) {
        sweep_kind(&bus->kinds[i]);
    }
}

// ---------------------------------------------------------------- worlds

bool fr_bus_join(firn_bus *bus, firn_world *world)
{
    if (!FR_RESERVE(&bus->allocator, bus->worlds, bus->world_capacity, bus->world_count + 1)) {
        return false;
    }
    bus->worlds[bus->world_count++] = world;
    world->events.bus = bus;
    world->events.attached = true;
    meet_kinds(world);
    return true;
}

void fr_bus_leave(firn_world *world)
{
    firn_bus *bus = world->events.bus;
    if (bus == NULL) {
        return;
    }
    uint32_t place = 0;
    while (bus->worlds[place] != world) {
        place++;
    }
    bus->world_count--;
    memmove(&bus->worlds[place], &bus->worlds[place + 1],
            (bus->world_count - place) * sizeof *bus->worlds);
    world->events.bus = NULL;
    world->events.attached = false;
}

firn_bus *firn_world_bus(const firn_world *world)
{
    return world == NULL ? NULL : world->events.bus;
}

bool firn_world_attached(const firn_world *world)
{
    return world != NULL && world->events.attached;
}

static firn_result check_attach(const firn_world *world, firn_error *err)
{
    firn_result result = fr_world_check_unlocked(world, err);
    if (result == FIRN_OK && world->events.bus == NULL) {
        const char *name = world->name[0] == '\0' ? "world" : world->name;
        return fr_fail(err, FIRN_INVALID, name, "the world \"%s\" was made without a bus",
                       world->name);
    }
    return result;
}

static void attach_world(firn_world *world)
{
    if (!world->events.attached) {
        world->events.attached = true;
        meet_kinds(world);
    }
}

static void detach_world(firn_world *world)
{
    if (world->events.attached) {
        part_from_kinds(world);
        world->events.attached = false;
    }
}

firn_result firn_world_attach(firn_world *world, firn_error *err)
{
    firn_result result = check_attach(world, err);
    if (result == FIRN_OK) {
        attach_world(world);
    }
    return result;
}

firn_result firn_world_detach(firn_world *world, firn_error *err)
{
    firn_result result = fr_world_check_unlocked(world, err);
    if (result == FIRN_OK) {
        detach_world(world);
    }
    return result;
}

firn_result firn_world_bind(firn_world *old, firn_world *replacement, firn_error *err)
{
    if (replacement == NULL) {
        return fr_fail(err, FIRN_INVALID, "replacement", "replacement is NULL");
    }
    firn_result result = check_attach(replacement, err);
    if (result == FIRN_OK && old != NULL) {
        result = fr_world_check_unlocked(old, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (old != NULL) {
        detach_world(old);
    }
    attach_world(replacement);
    return FIRN_OK;
}
