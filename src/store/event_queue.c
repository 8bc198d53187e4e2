// Queues of events that wait to be pulled: records in growing blocks.
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "store/world.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

#define QUEUES_MOST  4096u
#define RECORD_ALIGN 16u // of records and payloads: that of any type

// One event: this head, `count` ids, and at the next multiple of RECORD_ALIGN the payload.
typedef struct record_head {
    uint64_t size; // to the next head, a multiple of RECORD_ALIGN
    firn_entity address;
    firn_component component;
    firn_entity target;
    uint64_t payload_size;
    uint32_t kind;
    uint32_t count;
} record_head;

static uint64_t record_payload_at(uint64_t count)
{
    uint64_t end = sizeof(record_head) + count * sizeof(firn_entity);
    return (end + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
}

// SIZE_MAX when it is too large.
static size_t record_size(uint32_t count, size_t payload)
{
    uint64_t before = record_payload_at(count);
    if (payload > SIZE_MAX / 2 || before > SIZE_MAX / 4) {
        return SIZE_MAX;
    }
    return (size_t)before + (payload + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
}

// ---------------------------------------------------------------- handles

static fr_event_queue *queue_of(const firn_world *world, firn_queue handle, firn_error *err)
{
    uint64_t id = handle - world->events.queue_base;
    uint32_t slot = (uint32_t)(id & 0xffff);
    if (id >> 32 != 0 || slot >= world->events.queue_count) {
        fr_fail(err, FIRN_INVALID, "queue",
                handle == 0 ? "queue is 0" : "queue is not of this world");
        return NULL;
    }
    fr_event_queue *queue = &world->events.queues[slot];
    if (!queue->used || queue->generation != id >> 16) {
        fr_fail(err, FIRN_NOT_FOUND, "queue", "queue %u was closed before", slot + 1);
        return NULL;
    }
    return queue;
}

// The first slot that is free; a slot at its last generation retires.
static uint32_t free_queue_slot(const fr_events *events)
{
    uint32_t slot = 0;
    while (slot < events->queue_count &&
           (events->queues[slot].used || events->queues[slot].generation == UINT16_MAX)) {
        slot++;
    }
    return slot;
}

// ---------------------------------------------------------------- opening and closing

static bool queue_hears(const fr_event_queue *queue, uint32_t kind)
{
    return kind / 64 < queue->heard_words && (queue->heard[kind / 64] >> kind % 64 & 1) != 0;
}

static void listen_for_queue(firn_world *world, const fr_event_queue *queue, bool begins)
{
    for (uint32_t kind = 0; kind < queue->heard_words * 64; kind++) {
        if (queue_hears(queue, kind)) {
            fr_event_listen(world, kind, begins);
        }
    }
}

static firn_result check_kinds(const firn_world *world, const firn_event_kind *kinds,
                               uint32_t count, firn_error *err)
{
    uint32_t unused;
    if (kinds == NULL || count == 0) {
        return fr_fail(err, FIRN_INVALID, "kinds", kinds == NULL ? "kinds is NULL" : "count is 0");
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!fr_event_kind_of(world, kinds[i], &unused, NULL)) {
            return fr_fail(err, FIRN_INVALID, "kinds", "kinds[%u] is not a kind of this world", i);
        }
    }
    return FIRN_OK;
}

static uint64_t *make_heard(const firn_world *world, const firn_event_kind *kinds, uint32_t count,
                            uint32_t words)
{
    uint64_t *heard = fr_alloc_zero(&world->allocator, words, sizeof *heard, alignof(uint64_t));
    for (uint32_t i = 0; heard != NULL && i < count; i++) {
        uint64_t kind = kinds[i] - world->events.kind_base;
        heard[kind / 64] |= UINT64_C(1) << kind % 64;
    }
    return heard;
}

firn_queue firn_queue_open(firn_world *world, const firn_event_kind *kinds, uint32_t count,
                           firn_error *err)
{
    if (fr_world_check_unlocked(world, err) != FIRN_OK ||
        check_kinds(world, kinds, count, err) != FIRN_OK) {
        return 0;
    }
    fr_events *events = &world->events;
    uint32_t slot = free_queue_slot(events);
    if (slot >= QUEUES_MOST) {
        fr_fail(err, FIRN_LIMIT, "queues", "a world has at most %u queues", QUEUES_MOST);
        return 0;
    }
    uint32_t words = (events->kind_count + 63) / 64;
    uint64_t *heard = NULL;
    if (FR_RESERVE(&world->allocator, events->queues, events->queue_capacity, slot + 1)) {
        heard = make_heard(world, kinds, count, words);
    }
    if (heard == NULL) {
        fr_fail_memory(err, "a queue of events");
        return 0;
    }
    fr_event_queue *queue = &events->queues[slot];
    uint32_t generation = slot == events->queue_count ? 0 : queue->generation;
    events->queue_count += slot == events->queue_count;
    *queue = (fr_event_queue){true, generation, heard, words, {0}, {0}};
    listen_for_queue(world, queue, true);
    return events->queue_base + ((uint64_t)generation << 16 | slot);
}

static void free_records(const firn_allocator *allocator, const fr_records *records)
{
    fr_free(allocator, records->bytes, records->capacity, 1, FR_CACHE_LINE);
}

static void free_queue(const firn_allocator *allocator, fr_event_queue *queue)
{
    free_records(allocator, &queue->pushed);
    free_records(allocator, &queue->pulled);
    fr_free(allocator, queue->heard, queue->heard_words, sizeof *queue->heard, alignof(uint64_t));
    *queue = (fr_event_queue){.generation = queue->generation + 1};
}

firn_result firn_queue_close(firn_world *world, firn_queue handle, firn_error *err)
{
    firn_result result = fr_world_check_unlocked(world, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_error why;
    fr_event_queue *queue = queue_of(world, handle, &why);
    if (queue == NULL) {
        return fr_fail_copy(err, &why);
    }
    listen_for_queue(world, queue, false);
    free_queue(&world->allocator, queue);
    return FIRN_OK;
}

void fr_event_queues_free(firn_world *world)
{
    fr_events *events = &world->events;
    for (uint32_t i = 0; i < events->queue_count; i++) {
        free_queue(&world->allocator, &events->queues[i]);
    }
    FR_ARRAY_FREE(&world->allocator, events->queues, events->queue_capacity);
}

// ---------------------------------------------------------------- pushing

static bool reserve_records(const firn_allocator *allocator, fr_records *records, uint32_t count,
                            size_t size)
{
    size_t all, need;
    return fr_multiply_size(count, size, &all) && fr_add_size(records->size, all, &need) &&
           fr_grow_bytes(allocator, &records->bytes, &records->capacity, need);
}

firn_result fr_event_queues_reserve(firn_world *world, uint32_t kinds, uint32_t records,
                                    uint32_t entities, firn_error *err)
{
    for (uint32_t i = 0; i < world->events.queue_count; i++) {
        fr_event_queue *queue = &world->events.queues[i];
        // The built-in kinds stand in the first word.
        if (queue->used && (queue->heard[0] & kinds) != 0 &&
            !reserve_records(&world->allocator, &queue->pushed, records,
                             record_size(entities, 0))) {
            return fr_fail_memory(err, "a queue of events");
        }
    }
    return FIRN_OK;
}

firn_result fr_event_queues_reserve_payload(firn_world *world, uint32_t kind, uint32_t entities,
                                            size_t size, firn_error *err)
{
    for (uint32_t i = 0; i < world->events.queue_count; i++) {
        fr_event_queue *queue = &world->events.queues[i];
        if (queue_hears(queue, kind) &&
            !reserve_records(&world->allocator, &queue->pushed, 1, record_size(entities, size))) {
            return fr_fail_memory(err, "a queue of events");
        }
    }
    return FIRN_OK;
}

static void push_record(fr_records *records, uint32_t kind, const firn_event *event)
{
    size_t size = record_size(event->count, event->size);
    assert(size <= records->capacity - records->size);
    uint8_t *place = records->bytes + records->size;
    record_head *head = (record_head *)(void *)place;
    *head = (record_head){
        .size = size,
        .address = event->address,
        .component = event->component,
        .target = event->target,
        .payload_size = event->size,
        .kind = kind,
        .count = event->count,
    };
    if (event->count > 0) {
        memcpy(head + 1, event->entities, event->count * sizeof *event->entities);
    }
    if (event->size > 0) {
        memcpy(place + record_payload_at(event->count), event->payload, event->size);
    }
    records->size += size;
}

void fr_event_record(firn_world *world, const firn_event *event)
{
    uint32_t kind = (uint32_t)(event->kind - world->events.kind_base);
    for (uint32_t i = 0; i < world->events.queue_count; i++) {
        fr_event_queue *queue = &world->events.queues[i];
        if (queue_hears(queue, kind)) {
            push_record(&queue->pushed, kind, event);
        }
    }
}

// ---------------------------------------------------------------- pulling

static void read_record(const firn_world *world, uint8_t *place, firn_event *out)
{
    const record_head *head = (const record_head *)(void *)place;
    *out = fr_event_of(world, head->kind);
    out->address = head->address;
    out->component = head->component;
    out->target = head->target;
    out->entities = head->count == 0 ? NULL : (const firn_entity *)(const void *)(head + 1);
    out->count = head->count;
    out->payload = head->payload_size == 0 ? NULL : place + record_payload_at(head->count);
    out->size = (size_t)head->payload_size;
}

bool firn_queue_next(firn_world *world, firn_queue handle, firn_event *out)
{
    fr_event_queue *queue = world == NULL ? NULL : queue_of(world, handle, NULL);
    if (queue == NULL || out == NULL) {
        return false;
    }
    if (queue->pulled.first == queue->pulled.size) {
        fr_records emptied = queue->pulled;
        emptied.first = emptied.size = 0;
        queue->pulled = queue->pushed;
        queue->pushed = emptied;
    }
    fr_records *records = &queue->pulled;
    if (records->first == records->size) {
        return false;
    }
    uint8_t *place = records->bytes + records->first;
    read_record(world, place, out);
    records->first += (size_t)((const record_head *)(void *)place)->size;
    return true;
}
