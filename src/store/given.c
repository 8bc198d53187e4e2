#include "store/given.h"

#include "base/error.h"

#include <string.h>

firn_result fr_given_check(const firn_world *world, const uint32_t *components,
                           const void *const *rows, uint32_t given, firn_error *err)
{
    for (uint32_t i = 0; rows != NULL && i < given; i++) {
        const fr_component *component = world->components.items[components[i]];
        firn_component_kind kind = component->kind;
        if (rows[i] == NULL) {
            continue;
        }
        if (kind != FIRN_STRUCT && kind != FIRN_BOOLEAN && kind != FIRN_NUMBER) {
            return fr_fail(err, FIRN_INVALID, component->name,
                           "rows[%u] is not NULL and %s takes no row", i, component->name);
        }
        for (uint32_t j = 0; j < given; j++) {
            if (j != i && components[j] == components[i]) {
                return fr_fail(err, FIRN_INVALID, component->name,
                               "%s has a row and is there twice", component->name);
            }
        }
    }
    return FIRN_OK;
}

// Where the next row stands, when the block has `size` bytes so far.
static uint64_t place_row(const fr_component *component, uint64_t size)
{
    uint64_t align = component->align;
    return (size + align - 1) & ~(align - 1);
}

uint64_t fr_given_size(const firn_world *world, const uint32_t *components, const void *const *rows,
                       uint32_t given, uint32_t count)
{
    uint64_t head = (uint64_t)count * sizeof(uint64_t);
    uint64_t size = head;
    for (uint32_t i = 0; rows != NULL && i < given; i++) {
        if (rows[i] != NULL) {
            const fr_component *component = world->components.items[components[i]];
            size = place_row(component, size) + component->stride;
        }
    }
    return size == head ? 0 : size;
}

void fr_given_pack(const firn_world *world, const uint32_t *components, const void *const *rows,
                   uint32_t given, uint32_t count, void *block)
{
    uint64_t *places = block;
    uint64_t size = (uint64_t)count * sizeof *places;
    for (uint32_t i = 0; i < count; i++) {
        places[i] = 0;
        if (i < given && rows[i] != NULL) {
            const fr_component *component = world->components.items[components[i]];
            places[i] = place_row(component, size);
            size = places[i] + component->stride;
            memcpy((uint8_t *)block + places[i], rows[i], component->stride);
        }
    }
}

// The row of a component of a block, or NULL.
static const uint8_t *given_row(const void *block, const uint32_t *components, uint32_t count,
                                uint32_t component)
{
    const uint64_t *places = block;
    for (uint32_t i = 0; i < count; i++) {
        if (components[i] == component && places[i] != 0) {
            return (const uint8_t *)block + places[i];
        }
    }
    return NULL;
}

void fr_given_put(const void *block, const uint32_t *components, uint32_t count,
                  fr_archetype *archetype, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < archetype->column_count; i++) {
        const fr_column *column = &archetype->columns[i];
        const uint8_t *row = given_row(block, components, count, column->component->index);
        for (uint32_t at = first; row != NULL && at < first + n; at++) {
            memcpy(column->data + (size_t)at * column->stride, row, column->stride);
        }
    }
    bool init = (archetype->needs & FR_NEEDS_INIT) != 0;
    for (uint32_t i = 0; init && i < archetype->term_count; i++) {
        const fr_component *component = archetype->components[i];
        if (component->hooks.init != NULL &&
            given_row(block, components, count, component->index) == NULL) {
            fr_world_run_hook(archetype->world, component->hooks.init, component, archetype, first,
                              n);
        }
    }
}

void fr_given_drop(const firn_world *world, const uint32_t *components, uint32_t count, void *block,
                   const firn_entity *entities, uint32_t n)
{
    const uint64_t *places = block;
    for (uint32_t i = 0; i < count; i++) {
        const fr_component *component = world->components.items[components[i]];
        if (places[i] == 0 || component->hooks.drop == NULL) {
            continue;
        }
        for (uint32_t at = 0; at < n; at++) {
            firn_rows rows = {
                .world = world,
                .component = fr_component_handle(world, component->index),
                .entities = entities + at,
                .data = (uint8_t *)block + places[i],
                .size = component->stride,
                .count = 1,
            };
            fr_world_run_hook_on(component->hooks.drop, component, &rows);
        }
    }
}
