#include "store/bundle.h"

#include "base/alloc.h"
#include "base/error.h"
#include "store/entity.h"
#include "store/unique.h"

#include <stdalign.h>
#include <string.h>

// ---------------------------------------------------------------- making

bool fr_bundle_make(const firn_allocator *allocator, uint32_t count, fr_bundle *out)
{
    *out = (fr_bundle){.count = count};
    out->components =
        fr_alloc_zero(allocator, count, sizeof *out->components, alignof(firn_component));
    out->rows = fr_alloc_zero(allocator, count, sizeof *out->rows, alignof(void *));
    out->blobs = fr_alloc_zero(allocator, count, sizeof *out->blobs, alignof(fr_blob));
    return out->components != NULL && out->rows != NULL && out->blobs != NULL;
}

static const fr_component *component_of_part(const firn_world *world, const fr_bundle *bundle,
                                             uint32_t i)
{
    return world->components.items[fr_component_index(world, bundle->components[i])];
}

void fr_bundle_free(const firn_world *world, fr_bundle *bundle)
{
    const firn_allocator *allocator = &world->allocator;
    for (uint32_t i = 0; i < bundle->count; i++) {
        if (bundle->rows != NULL && bundle->rows[i] != NULL) {
            const fr_component *component = component_of_part(world, bundle, i);
            fr_free(allocator, bundle->rows[i], component->stride, 1, component->align);
        }
    }
    if (bundle->blobs != NULL) {
        fr_blob_free(allocator, bundle->blobs, bundle->count);
    }
    fr_free(allocator, bundle->components, bundle->count, sizeof *bundle->components,
            alignof(firn_component));
    fr_free(allocator, bundle->rows, bundle->count, sizeof *bundle->rows, alignof(void *));
    fr_free(allocator, bundle->blobs, bundle->count, sizeof *bundle->blobs, alignof(fr_blob));
    *bundle = (fr_bundle){.count = 0};
}

static firn_result check_part(const firn_world *world, const fr_bundle *bundle, uint32_t i,
                              const fr_component *component, firn_error *err)
{
    for (uint32_t k = 0; k < i; k++) {
        if (bundle->components[k] == bundle->components[i]) {
            return fr_fail(err, FIRN_INVALID, component->name, "parts %u and %u are %s both", k, i,
                           component->name);
        }
    }
    return fr_world_check_plain(world, &component->index, 1, err);
}

static firn_result put_part_row(const firn_world *world, fr_bundle *bundle, uint32_t i,
                                const fr_component *component, const void *row, firn_error *err)
{
    firn_component_kind kind = component->kind;
    if (kind != FIRN_STRUCT && kind != FIRN_BOOLEAN && kind != FIRN_NUMBER) {
        return fr_fail(err, FIRN_INVALID, component->name,
                       "rows[%u] is not NULL and %s takes no row", i, component->name);
    }
    if (component->hooks.drop != NULL) {
        return fr_fail(err, FIRN_INVALID, component->name,
                       "%s has a drop hook: entities cannot share its row", component->name);
    }
    bundle->rows[i] = fr_alloc(&world->allocator, component->stride, 1, component->align);
    if (bundle->rows[i] == NULL) {
        return fr_fail_memory(err, component->name);
    }
    memcpy(bundle->rows[i], row, component->stride);
    return FIRN_OK;
}

firn_result fr_bundle_put_value(firn_world *world, fr_bundle *bundle, uint32_t i,
                                const firn_value *value, firn_error *err)
{
    firn_buffer encoded;
    firn_buffer_init(&encoded, &world->allocator);
    firn_result result = firn_value_encode(value, &world->limits, &encoded, err);
    if (result == FIRN_OK && encoded.size > UINT32_MAX) {
        result =
            fr_fail(err, FIRN_LIMIT, "value", "a value of %zu bytes is too large", encoded.size);
    }
    if (result == FIRN_OK &&
        !fr_blob_make(&world->allocator, encoded.data, (uint32_t)encoded.size, &bundle->blobs[i])) {
        result = fr_fail_memory(err, "a value");
    }
    firn_buffer_free(&encoded);
    return result;
}

static firn_result put_part_value(firn_world *world, fr_bundle *bundle, uint32_t i,
                                  const fr_component *component, const firn_value *value,
                                  firn_error *err)
{
    bool fits = component->kind == FIRN_STRING  ? value->kind == FIRN_VALUE_STRING
                : component->kind == FIRN_VALUE ? value->kind != FIRN_VALUE_NIL
                                                : false;
    if (!fits) {
        return fr_fail(err, FIRN_INVALID, component->name, "values[%u] is none that %s can hold", i,
                       component->name);
    }
    firn_error why;
    firn_result result = fr_bundle_put_value(world, bundle, i, value, &why);
    return result == FIRN_OK
               ? FIRN_OK
               : fr_fail(err, result, component->name, "%s: %s", component->name, why.message);
}

firn_result fr_bundle_put(firn_world *world, fr_bundle *bundle, uint32_t i, firn_component handle,
                          const void *row, const firn_value *value, firn_error *err)
{
    const fr_component *component = fr_component_of(world, handle, "components", err);
    if (component == NULL) {
        return FIRN_INVALID;
    }
    bundle->components[i] = handle;
    firn_result result = check_part(world, bundle, i, component, err);
    if (result == FIRN_OK && row != NULL) {
        result = put_part_row(world, bundle, i, component, row, err);
    }
    if (result == FIRN_OK && value != NULL) {
        result = put_part_value(world, bundle, i, component, value, err);
    }
    return result;
}

static bool copy_blobs(const firn_allocator *allocator, const fr_blob *from, uint32_t count,
                       fr_blob *to)
{
    for (uint32_t i = 0; i < count; i++) {
        if (from[i].size > 0 &&
            !fr_blob_make(allocator, fr_blob_bytes(&from[i]), from[i].size, &to[i])) {
            return false;
        }
    }
    return true;
}

bool fr_bundle_copy(const firn_world *world, const fr_bundle *from, fr_bundle *out)
{
    const firn_allocator *allocator = &world->allocator;
    if (!fr_bundle_make(allocator, from->count, out) ||
        !copy_blobs(allocator, from->blobs, from->count, out->blobs)) {
        return false;
    }
    memcpy(out->components, from->components, from->count * sizeof *out->components);
    for (uint32_t i = 0; i < from->count; i++) {
        if (from->rows[i] != NULL && put_part_row(world, out, i, component_of_part(world, out, i),
                                                  from->rows[i], NULL) != FIRN_OK) {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------- spawning

static firn_result reserve_unique(firn_world *world, const fr_bundle *bundle, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < bundle->count; i++) {
        uint32_t index = fr_component_index(world, bundle->components[i]);
        fr_component *component = world->components.items[index];
        if (component->unique && bundle->blobs[i].size > 0) {
            result = fr_unique_reserve(world, component, 0, &bundle->blobs[i], err);
        }
    }
    return result;
}

// The strings and values take the places of the defaults.
static void put_blobs(firn_world *world, const fr_bundle *bundle, fr_blob *blobs,
                      fr_archetype *archetype, uint32_t row)
{
    for (uint32_t i = 0; i < bundle->count; i++) {
        if (blobs[i].size == 0) {
            continue;
        }
        uint32_t index = fr_component_index(world, bundle->components[i]);
        fr_component *component = world->components.items[index];
        const fr_column *column = fr_archetype_column(archetype, index);
        fr_blob *place = (fr_blob *)(void *)column->data + row;
        fr_blob_free(&world->allocator, place, 1);
        *place = blobs[i];
        blobs[i] = (fr_blob){.size = 0};
        if (component->unique) {
            fr_unique_enter(component, archetype->entities[row], place);
        }
    }
}

typedef struct bundle_values {
    const fr_bundle *bundle;
    fr_blob *blobs; // which the entity takes over
} bundle_values;

static firn_result put_values(void *user, firn_world *world, firn_entity entity, firn_error *err)
{
    (void)err;
    const bundle_values *values = user;
    fr_archetype *archetype;
    uint32_t row;
    if (fr_world_find(world, entity, &archetype, &row)) {
        put_blobs(world, values->bundle, values->blobs, archetype, row);
    }
    return FIRN_OK;
}

static firn_result spawn_with(firn_world *world, const fr_bundle *bundle, fr_blob *blobs,
                              firn_entity *out, firn_error *err)
{
    firn_result result = reserve_unique(world, bundle, err);
    bundle_values values = {bundle, blobs};
    return result != FIRN_OK
               ? result
               : fr_spawn_complete(world, bundle->components, (const void *const *)bundle->rows,
                                   bundle->count, 1, out, put_values, &values, err);
}

firn_result fr_bundle_spawn(firn_world *world, const fr_bundle *bundle, firn_entity *out,
                            firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    fr_blob *blobs = fr_alloc_zero(allocator, bundle->count, sizeof *blobs, alignof(fr_blob));
    if (blobs == NULL) {
        return fr_fail_memory(err, "an entity");
    }
    firn_result result = copy_blobs(allocator, bundle->blobs, bundle->count, blobs)
                             ? spawn_with(world, bundle, blobs, out, err)
                             : fr_fail_memory(err, "an entity");
    fr_blob_free(allocator, blobs, bundle->count);
    fr_free(allocator, blobs, bundle->count, sizeof *blobs, alignof(fr_blob));
    return result;
}
