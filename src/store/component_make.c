// A component from its description.
#include "store/component.h"

#include "base/alloc.h"
#include "base/error.h"
#include "store/leaves.h"
#include "store/relation.h"

#include <stdalign.h>
#include <string.h>

// A struct that is saved must mean something to another process.
static firn_result check_pointers(const firn_component_desc *desc, const fr_layout *layout,
                                  firn_error *err)
{
    if (layout->leaf_count == 0 || layout->wire || desc->codec != NULL || desc->transient) {
        return FIRN_OK;
    }
    const fr_leaf *leaf = layout->leaves;
    while (leaf->type != FIRN_POINTER) {
        leaf++;
    }
    char subject[FR_FIELD_SUBJECT_BYTES];
    return fr_fail(err, FIRN_INVALID, fr_field_subject(subject, desc->name, leaf->name),
                   "the field \"%s\" is a pointer, which cannot be saved: the component needs a "
                   "codec, or must be transient",
                   leaf->name);
}

static firn_result copy_former_names(const firn_allocator *allocator,
                                     const firn_component_desc *desc, fr_component *component,
                                     firn_error *err)
{
    uint32_t count = 0;
    while (desc->former_names != NULL && desc->former_names[count] != NULL) {
        count++;
    }
    if (count == 0) {
        return FIRN_OK;
    }
    component->former_names = fr_alloc_zero(allocator, count, sizeof(char *), alignof(char *));
    if (component->former_names == NULL) {
        return fr_fail_memory(err, "former names");
    }
    component->former_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = desc->former_names[i];
        component->former_names[i] = fr_copy_text(allocator, name, strlen(name));
        if (component->former_names[i] == NULL) {
            return fr_fail_memory(err, "former names");
        }
    }
    return FIRN_OK;
}

// Adds an index to a sorted set that has room for it.
static void add_required(fr_component *component, uint32_t index)
{
    uint32_t at = component->required_count;
    while (at > 0 && component->required[at - 1] > index) {
        at--;
    }
    if (at > 0 && component->required[at - 1] == index) {
        return;
    }
    memmove(&component->required[at + 1], &component->required[at],
            (component->required_count - at) * sizeof *component->required);
    component->required[at] = index;
    component->required_count++;
}

static firn_result close_required(const firn_allocator *allocator, const fr_components *components,
                                  const firn_component_desc *desc, const uint32_t *required,
                                  fr_component *component, firn_error *err)
{
    size_t room = 0;
    for (uint32_t i = 0; i < desc->required_count; i++) {
        room += 1 + (size_t)components->items[required[i]]->required_count;
    }
    if (room == 0) {
        return FIRN_OK;
    }
    // No set has more members than there are components.
    room = room < components->count ? room : components->count;
    component->required = fr_alloc(allocator, room, sizeof(uint32_t), alignof(uint32_t));
    if (component->required == NULL) {
        return fr_fail_memory(err, "required components");
    }
    component->required_capacity = (uint32_t)room;
    for (uint32_t i = 0; i < desc->required_count; i++) {
        const fr_component *other = components->items[required[i]];
        add_required(component, other->index);
        for (uint32_t r = 0; r < other->required_count; r++) {
            add_required(component, other->required[r]);
        }
    }
    return FIRN_OK;
}

static void set_edge_shape(fr_component *component)
{
    const fr_layout *layout = &component->layout;
    bool many = (component->relation & (FIRN_SPARSE | FIRN_EXCLUSIVE)) == FIRN_SPARSE;
    component->stride = many ? (uint32_t)sizeof(fr_edges) : component->edge_stride;
    component->align = layout->memory_align > alignof(fr_edges) ? layout->memory_align
                                                                : (uint32_t)alignof(fr_edges);
    component->reverse.listed = (component->relation & FIRN_REVERSE) != 0;
    component->reverse.exclusive = (component->relation & FIRN_EXCLUSIVE) != 0;
    component->new_reverse = component->reverse;
}

static void set_shape(fr_component *component)
{
    switch (component->kind) {
    case FIRN_STRUCT:
        component->stride = component->layout.memory_size;
        component->align = component->layout.memory_align;
        break;
    case FIRN_BOOLEAN:
        component->stride = sizeof(bool);
        component->align = alignof(bool);
        break;
    case FIRN_NUMBER:
        component->stride = sizeof(double);
        component->align = alignof(double);
        break;
    case FIRN_STRING:
    case FIRN_VALUE:
        component->stride = sizeof(fr_blob);
        component->align = alignof(fr_blob);
        break;
    case FIRN_TAG:
        component->align = 1;
        break;
    case FIRN_RELATION:
        set_edge_shape(component);
        break;
    }
}

// Makes what the component owns; it can be destroyed whatever this returns.
static firn_result make_component_parts(const firn_allocator *allocator,
                                        const fr_components *components, const firn_limits *limits,
                                        const firn_component_desc *desc, const uint32_t *required,
                                        fr_component *component, firn_error *err)
{
    component->name_size = (uint32_t)strlen(desc->name);
    component->name = fr_copy_text(allocator, desc->name, component->name_size);
    if (component->name == NULL) {
        return fr_fail_memory(err, "a component name");
    }
    firn_result result = FIRN_OK;
    if (desc->kind == FIRN_RELATION) {
        component->edge_stride =
            desc->size == 0 ? (uint32_t)sizeof(firn_entity) : (uint32_t)desc->size;
    }
    if (desc->kind == FIRN_STRUCT || desc->field_count > 0 || desc->size > sizeof(firn_entity)) {
        result = fr_layout_make(allocator, desc, limits, &component->layout, err);
        if (result == FIRN_OK) {
            result = check_pointers(desc, &component->layout, err);
        }
    }
    set_shape(component);
    if (result == FIRN_OK) {
        result = fr_component_make_default(allocator, desc, limits, component, err);
    }
    if (result == FIRN_OK) {
        result = copy_former_names(allocator, desc, component, err);
    }
    if (result == FIRN_OK) {
        result = close_required(allocator, components, desc, required, component, err);
    }
    return result;
}

firn_result fr_component_make(const firn_allocator *allocator, const fr_components *components,
                              const firn_limits *limits, const firn_component_desc *desc,
                              const uint32_t *required, fr_component **out, firn_error *err)
{
    firn_result result = fr_component_check(components, limits, desc, required, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_component *made = fr_alloc_zero(allocator, 1, sizeof *made, alignof(fr_component));
    if (made == NULL) {
        return fr_fail_memory(err, "a component");
    }
    made->kind = desc->kind;
    made->transient = desc->transient;
    made->unique = desc->unique;
    made->relation = desc->relation;
    if ((made->relation & FIRN_CASCADE) != 0) {
        made->relation |= FIRN_REVERSE;
    }
    made->has_codec = desc->codec != NULL;
    made->raw = desc->kind == FIRN_STRUCT && !made->has_codec && !made->transient;
    made->hooks = desc->hooks;
    if (made->has_codec) {
        made->codec = *desc->codec;
    }
    result = make_component_parts(allocator, components, limits, desc, required, made, err);
    if (result != FIRN_OK) {
        fr_component_destroy(allocator, made);
        return result;
    }
    *out = made;
    return FIRN_OK;
}

void fr_component_destroy(const firn_allocator *allocator, fr_component *component)
{
    if (component->default_row != NULL) {
        if (component->kind == FIRN_STRING || component->kind == FIRN_VALUE) {
            fr_blob_free(allocator, component->default_row, 1);
        }
        fr_free(allocator, component->default_row, fr_component_default_size(component), 1,
                component->align);
    }
    fr_reverse_free(allocator, &component->reverse);
    fr_reverse_free(allocator, &component->new_reverse);
    fr_map_free(allocator, &component->keys);
    fr_map_free(allocator, &component->new_keys);
    fr_layout_free(allocator, &component->layout);
    fr_free_text(allocator, component->name);
    fr_free(allocator, component->fingerprint, (size_t)component->fingerprint_size + 1, 1, 1);
    for (uint32_t i = 0; i < component->former_count; i++) {
        fr_free_text(allocator, component->former_names[i]);
    }
    fr_free(allocator, component->former_names, component->former_count, sizeof(char *),
            alignof(char *));
    fr_free(allocator, component->required, component->required_capacity, sizeof(uint32_t),
            alignof(uint32_t));
    fr_free(allocator, component, 1, sizeof *component, alignof(fr_component));
}
