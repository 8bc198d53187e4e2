#include "snapshot/selection.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"

static int compare_selected(const void *a, const void *b)
{
    const fr_component *left = a, *right = b;
    return fr_compare_names(left->name, left->name_size, right->name, right->name_size);
}

static void select_component(fr_selection *selection, fr_component *component)
{
    if (!component->transient && selection->places[component->index] == 0) {
        selection->places[component->index] = UINT32_MAX;
        selection->components[selection->component_count++] = component;
    }
}

static void select_archetype(fr_selection *selection, fr_archetype *archetype)
{
    fr_selected_frame *last = NULL;
    if (selection->frame_count > 0) {
        last = &selection->frames[selection->frame_count - 1];
    }
    if (last == NULL || !fr_archetype_same_durable(selection->archetypes[last->first], archetype)) {
        last = &selection->frames[selection->frame_count++];
        *last = (fr_selected_frame){.first = selection->archetype_count,
                                    .column_count = archetype->durable_count};
    }
    last->count++;
    last->rows += archetype->count;
    selection->archetypes[selection->archetype_count++] = archetype;
    selection->entity_count += archetype->count;
    for (uint32_t i = 0; i < archetype->durable_count; i++) {
        select_component(selection, archetype->components[archetype->by_name[i]]);
    }
}

// What a selected component requires and no entity has was removed by the game. The table names it
// all the same: what a save does not know by name comes back with its default.
static void select_required(const firn_world *world, fr_selection *selection)
{
    // Closed sets: what is selected here requires nothing new.
    uint32_t used = selection->component_count;
    for (uint32_t i = 0; i < used; i++) {
        const fr_component *component = selection->components[i];
        for (uint32_t k = 0; k < component->required_count; k++) {
            select_component(selection, world->components.items[component->required[k]]);
        }
    }
}

firn_result fr_select(const firn_world *world, fr_selection *out, firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    *out = (fr_selection){.room = world->order_count + 1,
                          .component_room = world->components.count + 1};
    out->archetypes = fr_alloc(allocator, out->room, sizeof *out->archetypes, sizeof(void *));
    out->frames = fr_alloc(allocator, out->room, sizeof *out->frames, sizeof(void *));
    out->components =
        fr_alloc(allocator, out->component_room, sizeof *out->components, sizeof(void *));
    out->places =
        fr_alloc_zero(allocator, out->component_room, sizeof *out->places, sizeof(void *));
    if (!out->archetypes || !out->frames || !out->components || !out->places) {
        fr_selection_free(world, out);
        return fr_fail_memory(err, "selection");
    }
    for (uint32_t i = 0; i < world->order_count; i++) {
        fr_archetype *archetype = world->archetypes[world->order[i]];
        if (archetype->count > 0) {
            select_archetype(out, archetype);
        }
    }
    select_required(world, out);
    fr_sort((const void **)out->components, out->component_count, compare_selected);
    for (uint32_t i = 0; i < out->component_count; i++) {
        out->places[out->components[i]->index] = i + 1;
    }
    return FIRN_OK;
}

void fr_selection_free(const firn_world *world, fr_selection *selection)
{
    const firn_allocator *allocator = &world->allocator;
    fr_free(allocator, selection->archetypes, selection->room, sizeof *selection->archetypes,
            sizeof(void *));
    fr_free(allocator, selection->frames, selection->room, sizeof *selection->frames,
            sizeof(void *));
    fr_free(allocator, selection->components, selection->component_room,
            sizeof *selection->components, sizeof(void *));
    fr_free(allocator, selection->places, selection->component_room, sizeof *selection->places,
            sizeof(void *));
    *selection = (fr_selection){0};
}

fr_component *fr_frame_component(const fr_selection *selection, const fr_selected_frame *frame,
                                 uint32_t i)
{
    const fr_archetype *archetype = selection->archetypes[frame->first];
    for (int tags = 0; tags < 2; tags++) {
        for (uint32_t k = 0; k < archetype->durable_count; k++) {
            fr_component *component = archetype->components[archetype->by_name[k]];
            if ((component->kind == FIRN_TAG) == (tags == 1) && i-- == 0) {
                return component;
            }
        }
    }
    return NULL;
}
