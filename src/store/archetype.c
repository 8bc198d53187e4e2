#include "store/archetype.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "store/relation.h"

#include <assert.h>
#include <string.h>

// An archetype is one block: the struct, then its arrays, each at a multiple of 8.
typedef struct archetype_block {
    size_t size;
    size_t terms;
    size_t components;
    size_t columns;
    size_t places;
    size_t by_name;
} archetype_block;

// At most half full, so that a probe ends soon.
static uint32_t places_for(uint32_t term_count)
{
    uint32_t places = 2;
    while (places < 2 * term_count) {
        places *= 2;
    }
    return places;
}

static size_t block_append(archetype_block *block, size_t count, size_t size)
{
    size_t at = (block->size + 7) & ~(size_t)7;
    block->size = at + count * size;
    return at;
}

static archetype_block block_of(uint32_t term_count, uint32_t column_count)
{
    archetype_block block = {.size = sizeof(fr_archetype)};
    block.terms = block_append(&block, term_count, sizeof(fr_term));
    block.columns = block_append(&block, column_count, sizeof(fr_column));
    block.components = block_append(&block, term_count, sizeof(fr_component *));
    block.places = block_append(&block, places_for(term_count), sizeof(fr_place));
    block.by_name = block_append(&block, term_count, sizeof(uint32_t));
    return block;
}

static uint32_t needs_of(const fr_component *component)
{
    uint32_t needs = 0;
    if (component->kind == FIRN_STRING || component->kind == FIRN_VALUE) {
        return FR_NEEDS_FREE;
    }
    if (component->stride > FR_PLAIN_BYTES) {
        needs |= FR_NEEDS_CALL;
    }
    if (component->kind == FIRN_RELATION) {
        return needs | FR_NEEDS_LINKS | (fr_relation_is_many(component) ? FR_NEEDS_EDGES : 0u) |
               (fr_relation_is_exclusive(component) ? 0u : FR_NEEDS_MANY);
    }
    if (component->hooks.init != NULL) {
        needs |= FR_NEEDS_INIT;
    }
    if (component->hooks.drop != NULL) {
        needs |= FR_NEEDS_DROP;
    }
    if (component->hooks.move != NULL && component->stride > 0) {
        needs |= FR_NEEDS_MOVE;
    }
    return needs;
}

static void put_place(fr_archetype *archetype, fr_place place)
{
    uint32_t at = place.component;
    while (archetype->places[at & archetype->place_mask].component != FR_NO_COMPONENT) {
        at++;
    }
    archetype->places[at & archetype->place_mask] = place;
}

static void put_terms(fr_archetype *archetype, const fr_components *components,
                      const fr_term *terms)
{
    for (uint32_t i = 0; i <= archetype->place_mask; i++) {
        archetype->places[i] = (fr_place){FR_NO_COMPONENT, -1, NULL};
    }
    fr_column *next = archetype->columns;
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        fr_component *component = components->items[fr_term_component(terms[i])];
        uint32_t needs = needs_of(component);
        archetype->terms[i] = terms[i];
        archetype->components[i] = component;
        archetype->durable_count += !component->transient;
        archetype->needs |= needs;
        fr_column *column = component->stride > 0 ? next++ : NULL;
        if (column != NULL) {
            *column = (fr_column){
                .component = component,
                .key = terms[i],
                .stride = component->stride,
                .needs = needs,
            };
        }
        put_place(archetype, (fr_place){component->index, (int32_t)i, column});
    }
}

// Compares names, those of kept targets (`Likes->5`) without them. Otherwise of one name are only
// what is kept and what takes its place, while both are there.
static int compare_components(const fr_component *a, const fr_component *b)
{
    int order = fr_compare_names(a->name, a->name_size - a->kept_suffix, b->name,
                                 b->name_size - b->kept_suffix);
    bool targets = a->kept_target != 0 && b->kept_target != 0;
    return order != 0 || targets ? order : (a->index > b->index) - (a->index < b->index);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

// Compares the targets of two terms whose components compare equal: by their slots. Kept ones are
// components of their own, and two may have a slot.
static int compare_term_targets(const fr_archetype *a, uint32_t a_term, const fr_archetype *b,
                                uint32_t b_term)
{
    const fr_component *left = a->components[a_term], *right = b->components[b_term];
    if (left->kept_target == 0) {
        return compare_numbers((uint32_t)a->terms[a_term], (uint32_t)b->terms[b_term]);
    }
    int order = compare_numbers(fr_slot(left->kept_target), fr_slot(right->kept_target));
    if (order == 0) {
        order = compare_numbers(left->kept_target, right->kept_target);
    }
    return order != 0 ? order : compare_numbers(left->index, right->index);
}

static int compare_terms(const fr_archetype *archetype, uint32_t a, uint32_t b)
{
    const fr_component *left = archetype->components[a];
    const fr_component *right = archetype->components[b];
    if (left->transient != right->transient) {
        return left->transient ? 1 : -1;
    }
    int order = left == right ? 0 : compare_components(left, right);
    return order != 0 ? order : compare_term_targets(archetype, a, archetype, b);
}

static void sort_by_name(fr_archetype *archetype)
{
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        uint32_t at = i;
        while (at > 0 && compare_terms(archetype, archetype->by_name[at - 1], i) > 0) {
            archetype->by_name[at] = archetype->by_name[at - 1];
            at--;
        }
        archetype->by_name[at] = i;
    }
}

fr_archetype *fr_archetype_create(const firn_allocator *allocator, const fr_components *components,
                                  const fr_term *terms, uint32_t count)
{
    uint32_t column_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        column_count += components->items[fr_term_component(terms[i])]->stride > 0;
    }
    archetype_block block = block_of(count, column_count);
    uint8_t *bytes = fr_alloc(allocator, block.size, 1, FR_CACHE_LINE);
    if (bytes == NULL) {
        return NULL;
    }
    fr_archetype *archetype = (fr_archetype *)(void *)bytes;
    *archetype = (fr_archetype){
        .term_count = count,
        .column_count = column_count,
        .place_mask = places_for(count) - 1,
        .terms = (fr_term *)(void *)(bytes + block.terms),
        .columns = (fr_column *)(void *)(bytes + block.columns),
        .components = (fr_component **)(void *)(bytes + block.components),
        .places = (fr_place *)(void *)(bytes + block.places),
        .by_name = (uint32_t *)(void *)(bytes + block.by_name),
    };
    put_terms(archetype, components, terms);
    sort_by_name(archetype);
    return archetype;
}

void fr_archetype_destroy(const firn_allocator *allocator, fr_archetype *archetype)
{
    for (uint32_t i = 0; i < archetype->column_count; i++) {
        fr_column *column = &archetype->columns[i];
        fr_column_free(allocator, column->data, column->stride, archetype->capacity);
    }
    fr_column_free(allocator, archetype->entities, sizeof(firn_entity), archetype->capacity);
    fr_column_free(allocator, archetype->spare_entities, sizeof(firn_entity),
                   archetype->spare_capacity);
    fr_map_free(allocator, &archetype->edges_add);
    fr_map_free(allocator, &archetype->edges_remove);
    archetype_block block = block_of(archetype->term_count, archetype->column_count);
    fr_free(allocator, archetype, block.size, 1, FR_CACHE_LINE);
}

// Compares the names of by_name[first, ...) up to the ends; a list that is the beginning of the
// other comes first.
static int compare_name_lists(const fr_archetype *a, uint32_t a_first, uint32_t a_end,
                              const fr_archetype *b, uint32_t b_first, uint32_t b_end)
{
    uint32_t a_count = a_end - a_first;
    uint32_t b_count = b_end - b_first;
    for (uint32_t i = 0; i < a_count && i < b_count; i++) {
        const fr_component *left = fr_archetype_named(a, a_first + i);
        const fr_component *right = fr_archetype_named(b, b_first + i);
        assert(left != NULL && right != NULL);
        int order = left == right ? 0 : compare_components(left, right);
        if (order != 0) {
            return order;
        }
    }
    return (a_count > b_count) - (a_count < b_count);
}

// Compares the targets of two lists of equal names.
static int compare_targets(const fr_archetype *a, const fr_archetype *b, uint32_t first,
                           uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        int order = compare_term_targets(a, a->by_name[i], b, b->by_name[i]);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

int fr_archetype_compare(const fr_archetype *a, const fr_archetype *b)
{
    int order = compare_name_lists(a, 0, a->durable_count, b, 0, b->durable_count);
    if (order == 0) {
        order = compare_targets(a, b, 0, a->durable_count);
    }
    if (order == 0) {
        order = compare_name_lists(a, a->durable_count, a->term_count, b, b->durable_count,
                                   b->term_count);
    }
    if (order == 0) {
        order = compare_targets(a, b, a->durable_count, a->term_count);
    }
    return order;
}

bool fr_archetype_same_durable(const fr_archetype *a, const fr_archetype *b)
{
    return compare_name_lists(a, 0, a->durable_count, b, 0, b->durable_count) == 0 &&
           compare_targets(a, b, 0, a->durable_count) == 0;
}

// ---------------------------------------------------------------- sets of terms

uint32_t fr_archetype_dense_terms(const fr_archetype *archetype)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        count += (uint32_t)archetype->terms[i] != 0;
    }
    return count;
}

fr_column *fr_archetype_term_column(const fr_archetype *archetype, fr_term term)
{
    uint32_t at = fr_terms_place(archetype->terms, archetype->term_count, term);
    if (at == archetype->term_count || archetype->terms[at] != term) {
        return NULL;
    }
    // The terms of a relation stand side by side, and so do their columns.
    const fr_place *first = fr_archetype_place(archetype, fr_term_component(term));
    return first->column + (at - (uint32_t)first->term);
}

uint32_t fr_terms_place(const fr_term *terms, uint32_t count, fr_term term)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (terms[middle] < term) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void fr_terms_insert(fr_term *terms, uint32_t *count, fr_term term)
{
    uint32_t at = fr_terms_place(terms, *count, term);
    if (at < *count && terms[at] == term) {
        return;
    }
    memmove(terms + at + 1, terms + at, (*count - at) * sizeof *terms);
    terms[at] = term;
    ++*count;
}
