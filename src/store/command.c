#include "store/command.h"

#include "base/alloc.h"
#include "base/error.h"
#include "store/entity.h"
#include "store/given.h"

#include <assert.h>
#include <string.h>

// One change: this head, `n` ids, `component_count` indices, and for a set the row, for a spawn the
// rows that are given (given.h), if any.
typedef struct command_head {
    uint64_t size; // to the next head, a multiple of 8
    uint64_t row_at;
    uint32_t kind;
    uint32_t n;
    uint32_t component_count;
    uint32_t row_size;
} command_head;

static firn_entity *command_ids(command_head *head)
{
    return (firn_entity *)(void *)(head + 1);
}

static uint32_t *command_components(command_head *head)
{
    return (uint32_t *)(void *)(command_ids(head) + head->n);
}

static void *command_row(command_head *head)
{
    return (uint8_t *)head + head->row_at;
}

static command_head *first_command(const fr_commands *queue)
{
    return (command_head *)(void *)(queue->bytes + queue->first);
}

static uint64_t round_up(uint64_t size, uint64_t align)
{
    return (size + align - 1) & ~(align - 1);
}

// ---------------------------------------------------------------- appending

// Makes room for a command behind the last one and fills its head; push_end makes it count.
static command_head *push_begin(firn_world *world, fr_command_kind kind, uint32_t n,
                                uint32_t component_count, uint32_t row_size, uint32_t row_align)
{
    fr_commands *queue = &world->commands;
    uint64_t row_place = round_up(queue->size + sizeof(command_head) + (uint64_t)n * 8 +
                                      (uint64_t)component_count * 4,
                                  row_align);
    uint64_t end = round_up(row_place + row_size, 8);
    if (end > SIZE_MAX / 2) {
        return NULL;
    }
    if (end > queue->capacity) {
        size_t capacity = fr_next_capacity(queue->capacity, (size_t)end, 4096);
        uint8_t *bytes =
            fr_resize(&world->allocator, queue->bytes, queue->capacity, capacity, 1, FR_CACHE_LINE);
        if (bytes == NULL) {
            return NULL;
        }
        queue->bytes = bytes;
        queue->capacity = capacity;
    }
    command_head *head = (command_head *)(void *)(queue->bytes + queue->size);
    *head = (command_head){
        .size = end - queue->size,
        .row_at = row_place - queue->size,
        .kind = kind,
        .n = n,
        .component_count = component_count,
        .row_size = row_size,
    };
    return head;
}

static void push_end(firn_world *world, const command_head *head)
{
    world->commands.size += (size_t)head->size;
    world->commands.count++;
}

static uint64_t removal_key(firn_entity entity, uint32_t component)
{
    return (uint64_t)fr_slot(entity) << 32 | component;
}

bool fr_commands_removes(const firn_world *world, firn_entity entity, uint32_t component)
{
    const fr_map *removed = &world->commands.removed;
    return removed->count > 0 && fr_map_get(removed, removal_key(entity, component)) != FR_MAP_NONE;
}

static void note_removals(firn_world *world, firn_entity entity, const uint32_t *components,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!fr_commands_removes(world, entity, components[i])) {
            // Cannot fail: there is room.
            (void)fr_map_add(&world->allocator, &world->commands.removed,
                             removal_key(entity, components[i]), 0);
        }
    }
}

firn_result fr_commands_push(firn_world *world, fr_command_kind kind, firn_entity entity,
                             const uint32_t *components, uint32_t component_count, const void *row,
                             firn_error *err)
{
    uint32_t row_size = 0;
    uint32_t row_align = 1;
    if (kind == FR_COMMAND_SET) {
        row_size = world->components.items[components[0]]->stride;
        row_align = world->components.items[components[0]]->align;
    }
    if (kind == FR_COMMAND_REMOVE &&
        !fr_map_reserve(&world->allocator, &world->commands.removed, component_count)) {
        return fr_fail_memory(err, "a deferred change");
    }
    command_head *head = push_begin(world, kind, 1, component_count, row_size, row_align);
    if (head == NULL) {
        return fr_fail_memory(err, "a deferred change");
    }
    command_ids(head)[0] = entity;
    if (component_count > 0) {
        memcpy(command_components(head), components, component_count * sizeof *components);
    }
    if (row_size > 0) {
        memcpy(command_row(head), row, row_size);
    }
    if (kind == FR_COMMAND_REMOVE) {
        note_removals(world, entity, components, component_count);
    }
    push_end(world, head);
    return FIRN_OK;
}

firn_result fr_commands_push_edge(firn_world *world, fr_command_kind kind, firn_entity source,
                                  uint32_t relation, firn_entity target, const void *edge,
                                  firn_error *err)
{
    const fr_component *component = world->components.items[relation];
    uint32_t size = edge == NULL ? 0 : component->edge_stride;
    command_head *head = push_begin(world, kind, 2, 1, size, component->align);
    if (head == NULL) {
        return fr_fail_memory(err, "a deferred change");
    }
    command_ids(head)[0] = source;
    command_ids(head)[1] = target;
    command_components(head)[0] = relation;
    if (size > 0) {
        memcpy(command_row(head), edge, size);
    }
    push_end(world, head);
    return FIRN_OK;
}

firn_result fr_commands_push_spawn(firn_world *world, const uint32_t *components,
                                   uint32_t component_count, const void *const *rows,
                                   uint32_t given, uint32_t n, firn_entity *out, firn_error *err)
{
    uint64_t rows_size = fr_given_size(world, components, rows, given, component_count);
    firn_result result =
        fr_entity_index_reserve(&world->allocator, &world->index, n, world->limits.entities, err);
    if (result != FIRN_OK) {
        return result;
    }
    command_head *head = NULL;
    if (rows_size <= UINT32_MAX) {
        head = push_begin(world, FR_COMMAND_SPAWN, n, component_count, (uint32_t)rows_size,
                          rows_size == 0 ? 1 : FR_CACHE_LINE);
    }
    if (head == NULL) {
        return fr_fail_memory(err, "a deferred change");
    }
    firn_entity *ids = command_ids(head);
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = fr_entity_index_take(&world->index);
    }
    if (component_count > 0) {
        memcpy(command_components(head), components, component_count * sizeof *components);
    }
    if (rows_size > 0) {
        fr_given_pack(world, components, rows, given, component_count, command_row(head));
    }
    if (out != NULL) {
        memcpy(out, ids, n * sizeof *ids);
    }
    push_end(world, head);
    return FIRN_OK;
}

firn_result fr_commands_despawn(firn_world *world, firn_entity entity, firn_error *err)
{
    bool deferred;
    firn_result result = fr_world_enter_slow(world, &deferred, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (!deferred) {
        return firn_despawn(world, entity, err);
    }
    result = fr_world_check_alive(world, entity, err);
    return result != FIRN_OK
               ? result
               : fr_commands_push(world, FR_COMMAND_DESPAWN, entity, NULL, 0, NULL, err);
}

// ---------------------------------------------------------------- applying

// A row that never reached its entity.
static void drop_command_row(firn_world *world, command_head *head)
{
    if (head->kind == FR_COMMAND_SPAWN && head->row_size > 0) {
        fr_given_drop(world, command_components(head), head->component_count, command_row(head),
                      command_ids(head), head->n);
    }
    if (head->kind != FR_COMMAND_SET) {
        return;
    }
    const fr_component *component = world->components.items[command_components(head)[0]];
    if (component->kind == FIRN_STRING || component->kind == FIRN_VALUE) {
        fr_blob_free(&world->allocator, command_row(head), 1);
    } else if (component->hooks.drop != NULL) {
        firn_rows rows = {
            .world = world,
            .component = fr_component_handle(world, component->index),
            .entities = command_ids(head),
            .data = command_row(head),
            .size = component->stride,
            .count = 1,
        };
        fr_world_run_hook_on(component->hooks.drop, component, &rows);
    }
}

// A target that an earlier change ended has no edges, and gets none.
static firn_result apply_edge(firn_world *world, command_head *head, fr_archetype *archetype,
                              uint32_t row, firn_error *err)
{
    fr_component *relation = world->components.items[command_components(head)[0]];
    firn_entity target = command_ids(head)[1];
    if (!firn_alive(world, target)) {
        return FIRN_OK;
    }
    return head->kind == FR_COMMAND_RELATE
               ? fr_entity_relate(world, archetype, row, relation, command_row(head), err)
               : fr_entity_unrelate(world, archetype, row, relation, target, err);
}

static firn_result apply_command(firn_world *world, command_head *head, firn_error *err)
{
    const uint32_t *components = command_components(head);
    uint32_t count = head->component_count;
    if (head->kind == FR_COMMAND_SPAWN) {
        const void *rows = head->row_size > 0 ? command_row(head) : NULL;
        return fr_entities_place(world, &(fr_newcomer){components, count, rows}, command_ids(head),
                                 head->n, err);
    }
    fr_archetype *archetype;
    uint32_t row;
    firn_entity entity = command_ids(head)[0];
    if (!fr_world_find(world, entity, &archetype, &row)) {
        // An earlier change ended the entity.
        drop_command_row(world, head);
        return FIRN_OK;
    }
    switch (head->kind) {
    case FR_COMMAND_RELATE:
    case FR_COMMAND_UNRELATE:
        return apply_edge(world, head, archetype, row, err);
    case FR_COMMAND_DESPAWN:
        return fr_entity_end(world, entity, archetype, row, err);
    case FR_COMMAND_ADD:
        return fr_entity_add(world, archetype, row, components, count, err);
    case FR_COMMAND_REMOVE:
        return fr_entity_remove(world, archetype, row, components, count, err);
    default:
        assert(head->kind == FR_COMMAND_SET);
        return fr_entity_set(world, archetype, row, components[0], command_row(head), err);
    }
}

static void pop_command(firn_world *world)
{
    fr_commands *queue = &world->commands;
    queue->first += (size_t)first_command(queue)->size;
    queue->count--;
    if (queue->count == 0) {
        queue->first = 0;
        queue->size = 0;
        if (queue->removed.count > 0) {
            fr_map_clear(&queue->removed);
        }
    }
}

// A string that another entity has would be refused for ever: such a change is dropped, and the
// first one is told when the others are applied.
firn_result fr_commands_apply(firn_world *world, firn_error *err)
{
    firn_result result = FIRN_OK;
    firn_error why;
    firn_error dropped;
    fr_error_begin(&dropped);
    world->commands.applying = true;
    while (world->commands.count > 0 && result == FIRN_OK) {
        result = apply_command(world, first_command(&world->commands), &why);
        if (result == FIRN_EXISTS) {
            drop_command_row(world, first_command(&world->commands));
            dropped = dropped.code == FIRN_OK ? why : dropped;
            result = FIRN_OK;
        }
        if (result == FIRN_OK) {
            pop_command(world);
        }
    }
    world->commands.applying = false;
    if (result != FIRN_OK) {
        return fr_fail_copy(err, &why);
    }
    return dropped.code == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &dropped);
}

// ---------------------------------------------------------------- forgetting

uint32_t fr_commands_discard(firn_world *world)
{
    uint32_t count = world->commands.count;
    while (world->commands.count > 0) {
        command_head *head = first_command(&world->commands);
        drop_command_row(world, head);
        // The last one first, so that the next spawns reuse the slots in the same order.
        for (uint32_t i = head->n; head->kind == FR_COMMAND_SPAWN && i > 0; i--) {
            fr_events_forget(world, command_ids(head)[i - 1]);
            fr_entity_index_release(&world->index, command_ids(head)[i - 1]);
        }
        pop_command(world);
    }
    return count;
}

void fr_commands_free(firn_world *world)
{
    fr_commands *queue = &world->commands;
    fr_commands_discard(world);
    fr_free(&world->allocator, queue->bytes, queue->capacity, 1, FR_CACHE_LINE);
    fr_map_free(&world->allocator, &queue->removed);
    *queue = (fr_commands){0};
}
