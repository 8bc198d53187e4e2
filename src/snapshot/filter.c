#include "snapshot/filter.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "store/schema.h"

#define LAYER_COMPONENT "Transform2D"
#define LAYER_FIELD     "layer"
#define LAYERS          32

static firn_result read_layers(fr_filter *filter, const firn_save_options *options, firn_error *err)
{
    if (options->layers == NULL) {
        return options->layer_count == 0
                   ? FIRN_OK
                   : fr_fail(err, FIRN_INVALID, "layers", "layers is NULL, layer_count is %u",
                             options->layer_count);
    }
    filter->by_layer = true;
    for (uint32_t i = 0; i < options->layer_count; i++) {
        double layer = options->layers[i];
        if (!(layer >= 0 && layer < LAYERS) || layer != (double)(uint32_t)layer) {
            return fr_fail(err, FIRN_INVALID, "layers",
                           "layers[%u] is %.17g, and a layer is an integer from 0 to 31", i, layer);
        }
        filter->layers |= UINT32_C(1) << (uint32_t)layer;
    }
    return FIRN_OK;
}

static firn_result read_excluded(fr_filter *filter, const firn_world *world,
                                 const firn_save_options *options, firn_error *err)
{
    if (options->exclude_count > 0 && options->exclude == NULL) {
        return fr_fail(err, FIRN_INVALID, "exclude", "exclude is NULL, exclude_count is %u",
                       options->exclude_count);
    }
    for (uint32_t i = 0; i < options->exclude_count; i++) {
        const fr_component *component = fr_component_of(world, options->exclude[i], "exclude", err);
        if (component == NULL) {
            return FIRN_INVALID;
        }
        if (!fr_filter_exclude(&world->allocator, filter, component->index)) {
            return fr_fail_memory(err, "exclude");
        }
    }
    return FIRN_OK;
}

firn_result fr_filter_begin(fr_filter *filter, firn_world *world, const firn_save_options *options,
                            firn_error *err)
{
    *filter = (fr_filter){.query = {.wants_disabled = true}};
    firn_result result = read_layers(filter, options, err);
    if (result == FIRN_OK) {
        result = read_excluded(filter, world, options, err);
    }
    if (result == FIRN_OK && options->filter != NULL) {
        result = fr_query_make(world, options->filter, &filter->query, err);
    }
    return result;
}

void fr_filter_free(const firn_allocator *allocator, fr_filter *filter)
{
    fr_query_unmake(allocator, &filter->query);
    FR_ARRAY_FREE(allocator, filter->excluded, filter->excluded_capacity);
    *filter = (fr_filter){.by_layer = false};
}

bool fr_filter_exclude(const firn_allocator *allocator, fr_filter *filter, uint32_t component)
{
    if (!FR_RESERVE(allocator, filter->excluded, filter->excluded_capacity,
                    filter->excluded_count + 1)) {
        return false;
    }
    filter->excluded[filter->excluded_count++] = component;
    return true;
}

bool fr_filter_takes_all(const fr_filter *filter)
{
    return filter->query.term_count == 0 && filter->query.wants_disabled && !filter->by_layer &&
           filter->excluded_count == 0;
}

// ---- layers

static bool holds_number(const fr_leaf *leaf)
{
    return leaf->count == 0 && leaf->type != FIRN_BOOL && leaf->type != FIRN_POINTER;
}

firn_result fr_filter_find_layer(fr_filter *filter, const firn_world *world, firn_error *err)
{
    if (!filter->by_layer) {
        return FIRN_OK;
    }
    const fr_component *component =
        fr_components_find(&world->components, LAYER_COMPONENT, strlen(LAYER_COMPONENT));
    filter->layer = component;
    for (uint32_t i = 0; component != NULL && i < component->layout.leaf_count; i++) {
        const fr_leaf *leaf = &component->layout.leaves[i];
        if (strcmp(leaf->name, LAYER_FIELD) == 0 && holds_number(leaf)) {
            filter->layer_leaf = leaf;
            return FIRN_OK;
        }
    }
    return component == NULL
               ? FIRN_OK
               : fr_fail(err, FIRN_INVALID, LAYER_COMPONENT "." LAYER_FIELD,
                         LAYER_COMPONENT " has no number " LAYER_FIELD ", which layers asks for");
}

static bool is_on_layer(const fr_filter *filter, const uint8_t *row)
{
    double layer = 0;
    const fr_leaf *leaf = filter->layer_leaf;
    fr_convert(leaf->type, row + leaf->memory_offset, FIRN_F64, &layer);
    return layer >= 0 && layer < LAYERS && layer == (double)(uint32_t)layer &&
           (filter->layers >> (uint32_t)layer & 1) != 0;
}

// Row by row, in one pass: a run of the query may be many runs of layers.
static bool takes_row(const fr_filter *filter, const fr_archetype *archetype,
                      const fr_column *layers, uint32_t row)
{
    return (layers == NULL || is_on_layer(filter, layers->data + (size_t)row * layers->stride)) &&
           fr_query_takes_row(&filter->query, archetype, row);
}

static bool has_excluded(const fr_filter *filter, const fr_archetype *archetype)
{
    for (uint32_t i = 0; i < filter->excluded_count; i++) {
        for (uint32_t term = 0; term < archetype->term_count; term++) {
            if (archetype->components[term]->index == filter->excluded[i]) {
                return true;
            }
        }
    }
    return false;
}

uint32_t fr_filter_next(const fr_filter *filter, const fr_archetype *archetype, uint32_t *row)
{
    if (*row >= archetype->count || !fr_query_matches(&filter->query, archetype) ||
        has_excluded(filter, archetype)) {
        return 0;
    }
    const fr_column *layers =
        filter->layer != NULL ? fr_archetype_column(archetype, filter->layer->index) : NULL;
    if (layers == NULL && !filter->query.has_target) {
        return archetype->count - *row;
    }
    uint32_t first = *row;
    while (first < archetype->count && !takes_row(filter, archetype, layers, first)) {
        first++;
    }
    uint32_t end = first;
    while (end < archetype->count && takes_row(filter, archetype, layers, end)) {
        end++;
    }
    *row = first;
    return end - first;
}
