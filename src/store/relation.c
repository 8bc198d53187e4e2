#include "store/relation.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"

#include <assert.h>

// ---------------------------------------------------------------- rows

uint8_t *fr_row_edges(const fr_archetype *archetype, uint32_t term, uint32_t row, uint32_t *count)
{
    const fr_component *relation = archetype->components[term];
    const fr_place *first = fr_archetype_place(archetype, relation->index);
    const fr_column *column = first->column + (term - (uint32_t)first->term);
    uint8_t *bytes = column->data + (size_t)row * column->stride;
    *count = 1;
    if (fr_relation_is_many(relation)) {
        const fr_edges *edges = (const fr_edges *)(const void *)bytes;
        *count = edges->count;
        return edges->rows;
    }
    return bytes;
}

fr_edges *fr_row_edge_array(const fr_archetype *archetype, uint32_t row,
                            const fr_component *relation)
{
    const fr_column *column = fr_archetype_column(archetype, relation->index);
    return (fr_edges *)(void *)column->data + row;
}

uint8_t *fr_row_edge(const fr_archetype *archetype, uint32_t row, const fr_component *relation,
                     firn_entity target)
{
    fr_term term = fr_relation_term(relation, target);
    const fr_column *column = fr_archetype_term_column(archetype, term);
    if (column == NULL) {
        return NULL;
    }
    uint8_t *edge = column->data + (size_t)row * column->stride;
    uint32_t count = 1;
    if (fr_relation_is_many(relation)) {
        const fr_edges *edges = (const fr_edges *)(const void *)edge;
        edge = edges->rows;
        count = edges->count;
    }
    for (uint32_t i = 0; i < count; i++, edge += relation->edge_stride) {
        if (fr_edge_target(edge) == target) {
            return edge;
        }
    }
    return NULL;
}

bool fr_edges_reserve(const firn_allocator *allocator, const fr_component *relation,
                      fr_edges *edges, uint32_t count)
{
    if (count <= edges->capacity) {
        return true;
    }
    uint32_t capacity = (uint32_t)fr_next_capacity(edges->capacity, count, 2);
    uint8_t *rows = fr_resize(allocator, edges->rows, edges->capacity, capacity,
                              relation->edge_stride, relation->align);
    if (rows == NULL) {
        return false;
    }
    edges->rows = rows;
    edges->capacity = capacity;
    return true;
}

void fr_edges_append(const fr_component *relation, fr_edges *edges, const void *edge)
{
    assert(edges->count < edges->capacity);
    memcpy(edges->rows + (size_t)edges->count * relation->edge_stride, edge, relation->edge_stride);
    edges->count++;
}

void fr_edges_remove(const fr_component *relation, fr_edges *edges, uint8_t *edge)
{
    size_t stride = relation->edge_stride;
    uint8_t *end = edges->rows + edges->count * stride;
    memmove(edge, edge + stride, (size_t)(end - edge) - stride);
    edges->count--;
}

void fr_edges_free(const firn_allocator *allocator, const fr_component *relation, fr_edges *rows,
                   uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        fr_free(allocator, rows[i].rows, rows[i].capacity, relation->edge_stride, relation->align);
        rows[i] = (fr_edges){.count = 0};
    }
}

void fr_relations_unlink(fr_archetype *archetype, const fr_archetype *keep, uint32_t row)
{
    firn_entity source = archetype->entities[row];
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        fr_component *relation = archetype->components[i];
        if (relation->kind != FIRN_RELATION ||
            (keep != NULL && fr_archetype_term_column(keep, archetype->terms[i]) != NULL)) {
            continue;
        }
        uint32_t count;
        const uint8_t *edge = fr_row_edges(archetype, i, row, &count);
        for (uint32_t k = 0; k < count; k++, edge += relation->edge_stride) {
            fr_reverse_remove(&relation->reverse, source, fr_edge_target(edge));
        }
    }
}

// ---------------------------------------------------------------- the relations of a world

bool fr_relations_reserve(firn_world *world)
{
    fr_relations *relations = &world->relations;
    return FR_RESERVE(&world->allocator, relations->items, relations->capacity,
                      relations->count + 1);
}

void fr_relations_enter(firn_world *world, fr_component *relation)
{
    fr_relations *relations = &world->relations;
    uint32_t at = relations->count++;
    while (at > 0 &&
           fr_compare_names(relations->items[at - 1]->name, relations->items[at - 1]->name_size,
                            relation->name, relation->name_size) > 0) {
        relations->items[at] = relations->items[at - 1];
        at--;
    }
    relations->items[at] = relation;
}

void fr_relations_free(firn_world *world)
{
    fr_relations *relations = &world->relations;
    const firn_allocator *allocator = &world->allocator;
    FR_ARRAY_FREE(allocator, relations->items, relations->capacity);
    FR_ARRAY_FREE(allocator, relations->targets, relations->target_words);
    FR_ARRAY_FREE(allocator, relations->new_targets, relations->new_target_words);
    fr_map_free(allocator, &relations->dense);
    fr_target_end_free(world);
}

// ---------------------------------------------------------------- links

// Room for a bit per slot up to `slot`; new bits are 0.
static bool reserve_bits(const firn_allocator *allocator, uint32_t **words, uint32_t *count,
                         uint32_t slot)
{
    uint32_t old = *count;
    if (!FR_RESERVE(allocator, *words, *count, slot / 32 + 1)) {
        return false;
    }
    if (*count > old) {
        memset(*words + old, 0, (*count - old) * sizeof **words);
    }
    return true;
}

bool fr_relations_reserve_target(firn_world *world, uint32_t slot)
{
    fr_relations *relations = &world->relations;
    return reserve_bits(&world->allocator, &relations->targets, &relations->target_words, slot);
}

bool fr_relation_reserve_more(firn_world *world, fr_component *relation, firn_entity source,
                              firn_entity target, uint32_t n)
{
    return fr_relations_reserve_target(world, fr_slot(target)) &&
           fr_reverse_reserve_more(&world->allocator, &relation->reverse, source, target, n);
}

bool fr_relation_reserve(firn_world *world, fr_component *relation, firn_entity source,
                         firn_entity target)
{
    return fr_relation_reserve_more(world, relation, source, target, 1);
}

void fr_relation_link(firn_world *world, fr_component *relation, firn_entity source,
                      firn_entity target)
{
    uint32_t slot = fr_slot(target);
    fr_reverse_add(&relation->reverse, source, target);
    world->relations.targets[slot / 32] |= UINT32_C(1) << slot % 32;
}

// ---------------------------------------------------------------- loads

void fr_relations_clear(firn_world *world)
{
    fr_relations *relations = &world->relations;
    for (uint32_t i = 0; i < relations->count; i++) {
        fr_reverse_clear(&relations->items[i]->new_reverse);
    }
    if (relations->new_target_words > 0) {
        memset(relations->new_targets, 0, relations->new_target_words * sizeof(uint32_t));
    }
}

bool fr_relations_begin(firn_world *world, uint32_t slots)
{
    fr_relations *relations = &world->relations;
    fr_relations_clear(world);
    return reserve_bits(&world->allocator, &relations->new_targets, &relations->new_target_words,
                        slots);
}

bool fr_relations_add(firn_world *world, fr_component *relation, firn_entity source,
                      firn_entity target)
{
    fr_relations *relations = &world->relations;
    uint32_t slot = fr_slot(target);
    if (!reserve_bits(&world->allocator, &relations->new_targets, &relations->new_target_words,
                      slot) ||
        !fr_reverse_reserve(&world->allocator, &relation->new_reverse, source, target)) {
        return false;
    }
    fr_reverse_add(&relation->new_reverse, source, target);
    relations->new_targets[slot / 32] |= UINT32_C(1) << slot % 32;
    return true;
}

bool fr_relations_order(fr_component *relation, firn_entity target, const firn_entity *sources,
                        uint32_t count)
{
    return fr_reverse_order(&relation->new_reverse, target, sources, count);
}

static void remove_empty_dense(firn_world *world)
{
    for (uint32_t i = world->order_count; i-- > 0;) {
        fr_archetype *archetype = world->archetypes[world->order[i]];
        if (archetype->count == 0 && fr_archetype_dense_terms(archetype) > 0) {
            fr_world_remove_archetype(world, archetype);
        }
    }
}

void fr_relations_swap(firn_world *world)
{
    fr_relations *relations = &world->relations;
    for (uint32_t i = 0; i < relations->count; i++) {
        fr_component *relation = relations->items[i];
        fr_reverse old = relation->reverse;
        relation->reverse = relation->new_reverse;
        relation->new_reverse = old;
    }
    uint32_t *old_targets = relations->targets;
    uint32_t old_words = relations->target_words;
    relations->targets = relations->new_targets;
    relations->target_words = relations->new_target_words;
    relations->new_targets = old_targets;
    relations->new_target_words = old_words;
    remove_empty_dense(world);
}
