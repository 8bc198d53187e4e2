/// filter.h: which entities a save holds: what firn_save_options and observers of
/// OnSnapshotSave ask for.
#ifndef FR_FILTER_H
#define FR_FILTER_H

#include "firn/snapshot.h"
#include "store/world.h"

typedef struct fr_filter {
    fr_query query; ///< without a term it takes every archetype
    bool by_layer;
    uint32_t layers;           ///< a bit each
    const fr_component *layer; ///< the component that has a layer, or NULL: no entity has one
    const fr_leaf *layer_leaf;
    uint32_t *excluded; ///< component indices, in any order: no entity with one is saved
    uint32_t excluded_count;
    uint32_t excluded_capacity;
} fr_filter;

/// FIRN_INVALID (options.filter as firn_query_create; layers, exclude), FIRN_NO_MEMORY. To be freed
/// either way.
firn_result fr_filter_begin(fr_filter *filter, firn_world *world, const firn_save_options *options,
                            firn_error *err);
void fr_filter_free(const firn_allocator *allocator, fr_filter *filter);
/// Leaves out the entities that have a component; false: no memory.
bool fr_filter_exclude(const firn_allocator *allocator, fr_filter *filter, uint32_t component);
/// Finds what has a layer. FIRN_INVALID: Transform2D has none that is a number.
firn_result fr_filter_find_layer(fr_filter *filter, const firn_world *world, firn_error *err);
/// Whether nothing is left out.
bool fr_filter_takes_all(const fr_filter *filter);
/// The next rows of an archetype that are saved, from *row on: *row becomes the first of them.
/// Returns how many; 0 at the end.
uint32_t fr_filter_next(const fr_filter *filter, const fr_archetype *archetype, uint32_t *row);

#endif
