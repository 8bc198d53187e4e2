#include "store/component.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"

#include <inttypes.h>
#include <string.h>

static bool has_former_name(const fr_component *component, const char *name, size_t size)
{
    for (uint32_t i = 0; i < component->former_count; i++) {
        const char *former = component->former_names[i];
        if (strlen(former) == size && memcmp(former, name, size) == 0) {
            return true;
        }
    }
    return false;
}

fr_component *fr_components_find(const fr_components *components, const char *name, size_t size)
{
    uint64_t hash = fr_hash(name, size);
    uint32_t cursor = UINT32_MAX;
    for (;;) {
        uint32_t index = fr_map_next(&components->names, hash, &cursor);
        if (index == FR_MAP_NONE) {
            return NULL;
        }
        fr_component *component = components->items[index];
        if (component->name_size == size && memcmp(component->name, name, size) == 0) {
            return component;
        }
    }
}

fr_component *fr_components_find_former(const fr_components *components, const char *name,
                                        size_t size)
{
    uint64_t hash = fr_hash(name, size);
    uint32_t cursor = UINT32_MAX;
    for (;;) {
        uint32_t index = fr_map_next(&components->former_names, hash, &cursor);
        if (index == FR_MAP_NONE) {
            return NULL;
        }
        if (has_former_name(components->items[index], name, size)) {
            return components->items[index];
        }
    }
}

// A name means one component, in files of any age.
static firn_result check_names_are_free(const fr_components *components, const fr_component *added,
                                        firn_error *err)
{
    const fr_component *other =
        fr_components_find_former(components, added->name, added->name_size);
    if (other != NULL) {
        return fr_fail(err, FIRN_INVALID, added->name,
                       "the name \"%s\" is a former name of the component \"%s\"", added->name,
                       other->name);
    }
    for (uint32_t i = 0; i < added->former_count; i++) {
        const char *former = added->former_names[i];
        size_t size = strlen(former);
        other = fr_components_find(components, former, size);
        bool current = other != NULL;
        if (!current) {
            other = fr_components_find_former(components, former, size);
        }
        if (other != NULL) {
            return fr_fail(
                err, FIRN_INVALID, added->name,
                "the former name \"%s\" of the component \"%s\" is %s \"%s\"", former, added->name,
                current ? "the component" : "a former name of the component", other->name);
        }
    }
    return FIRN_OK;
}

bool fr_components_reserve(const firn_allocator *allocator, fr_components *components,
                           uint32_t former_count)
{
    return FR_RESERVE(allocator, components->items, components->capacity, components->count + 1) &&
           fr_map_reserve(allocator, &components->names, 1) &&
           fr_map_reserve(allocator, &components->former_names, former_count);
}

static firn_result append_component(const firn_allocator *allocator, fr_components *components,
                                    fr_component *added, firn_error *err)
{
    if (!fr_components_reserve(allocator, components, added->former_count)) {
        return fr_fail_memory(err, "a component");
    }
    fr_components_put(allocator, components, added);
    return FIRN_OK;
}

void fr_components_put(const firn_allocator *allocator, fr_components *components,
                       fr_component *added)
{
    added->index = components->count;
    components->items[components->count++] = added;
    // There is room: these cannot fail.
    fr_map_add(allocator, &components->names, fr_hash(added->name, added->name_size), added->index);
    for (uint32_t i = 0; i < added->former_count; i++) {
        const char *former = added->former_names[i];
        fr_map_add(allocator, &components->former_names, fr_hash(former, strlen(former)),
                   added->index);
    }
}

static firn_result check_new_component(const fr_components *components, const firn_limits *limits,
                                       const fr_component *added, firn_error *err)
{
    if (components->count - components->kept_count >= limits->components) {
        return fr_fail(err, FIRN_LIMIT, added->name,
                       "the component \"%s\" would be one more than the %" PRIu32 " allowed",
                       added->name, limits->components);
    }
    return check_names_are_free(components, added, err);
}

// FIRN_EXISTS when they are not the same.
static firn_result check_same_component(const fr_component *there, const fr_component *made,
                                        firn_error *err)
{
    const char *difference = fr_component_difference(there, made);
    return difference == NULL ? FIRN_OK
                              : fr_fail(err, FIRN_EXISTS, made->name,
                                        "the component \"%s\" is registered already, with %s",
                                        made->name, difference);
}

firn_result fr_components_check(const firn_allocator *allocator, const fr_components *components,
                                const firn_limits *limits, const firn_component_desc *desc,
                                const uint32_t *required, firn_error *err)
{
    fr_component *made;
    firn_result result =
        fr_component_make(allocator, components, limits, desc, required, &made, err);
    if (result != FIRN_OK) {
        return result;
    }
    const fr_component *there = fr_components_find(components, made->name, made->name_size);
    result = there == NULL ? check_new_component(components, limits, made, err)
                           : check_same_component(there, made, err);
    fr_component_destroy(allocator, made);
    return result;
}

firn_result fr_components_add(const firn_allocator *allocator, fr_components *components,
                              const firn_limits *limits, const firn_component_desc *desc,
                              const uint32_t *required, fr_component **out, firn_error *err)
{
    fr_component *made;
    firn_result result =
        fr_component_make(allocator, components, limits, desc, required, &made, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_component *there = fr_components_find(components, made->name, made->name_size);
    if (there == NULL) {
        result = check_new_component(components, limits, made, err);
        if (result == FIRN_OK) {
            result = append_component(allocator, components, made, err);
        }
        if (result == FIRN_OK) {
            *out = made;
            return FIRN_OK;
        }
    } else {
        result = check_same_component(there, made, err);
        *out = result == FIRN_OK ? there : *out;
    }
    fr_component_destroy(allocator, made);
    return result;
}

void fr_components_drop_last(const firn_allocator *allocator, fr_components *components)
{
    fr_component *last = components->items[--components->count];
    fr_map_remove(&components->names, fr_hash(last->name, last->name_size), last->index);
    for (uint32_t i = 0; i < last->former_count; i++) {
        const char *former = last->former_names[i];
        fr_map_remove(&components->former_names, fr_hash(former, strlen(former)), last->index);
    }
    fr_component_destroy(allocator, last);
}

void fr_components_free(const firn_allocator *allocator, fr_components *components)
{
    for (uint32_t i = 0; i < components->count; i++) {
        fr_component_destroy(allocator, components->items[i]);
    }
    FR_ARRAY_FREE(allocator, components->items, components->capacity);
    fr_map_free(allocator, &components->names);
    fr_map_free(allocator, &components->former_names);
    fr_map_free(allocator, &components->kept);
    memset(components, 0, sizeof *components);
}

// ---------------------------------------------------------------- rows

static bool fill_blobs(const firn_allocator *allocator, const fr_blob *blob, fr_blob *rows,
                       size_t n)
{
    const uint8_t *bytes = fr_blob_bytes(blob);
    for (size_t i = 0; i < n; i++) {
        if (!fr_blob_make(allocator, bytes, blob->size, &rows[i])) {
            fr_blob_free(allocator, rows, i);
            return false;
        }
    }
    return true;
}

bool fr_component_fill(const firn_allocator *allocator, const fr_component *component, void *rows,
                       size_t n)
{
    size_t total = n * component->stride;
    if (total == 0) {
        return true;
    }
    if (component->kind == FIRN_STRING || component->kind == FIRN_VALUE) {
        const fr_blob *blob = component->default_row;
        if (blob->size > FR_BLOB_INLINE) {
            return fill_blobs(allocator, blob, rows, n);
        }
    }
    if (component->default_zero) {
        memset(rows, 0, total);
        return true;
    }
    // Each copy doubles what is there.
    uint8_t *bytes = rows;
    size_t done = component->stride;
    memcpy(bytes, component->default_row, done);
    while (done < total) {
        size_t size = total - done < done ? total - done : done;
        memcpy(bytes + done, bytes, size);
        done += size;
    }
    return true;
}

void fr_component_move(const fr_component *component, void *to, void *from, uint32_t n)
{
    if (n == 0 || component->stride == 0) {
        return;
    }
    if (component->hooks.move != NULL) {
        component->hooks.move(component->hooks.user, to, from, n);
    } else {
        memcpy(to, from, (size_t)n * component->stride);
    }
}
