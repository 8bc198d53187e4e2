// Which archetypes there are: found by their terms, kept in order, and reached from each other by
// edges.
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "store/relation.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

#define ARCHETYPES_MOST (UINT32_C(1) << FR_ARCHETYPE_BITS)

static uint64_t hash_terms(const fr_term *terms, uint32_t count)
{
    return count == 0 ? 0 : fr_hash(terms, count * sizeof *terms);
}

static fr_archetype *find_archetype(const firn_world *world, uint64_t hash, const fr_term *terms,
                                    uint32_t count)
{
    uint32_t cursor = UINT32_MAX;
    uint32_t index = fr_map_next(&world->archetype_keys, hash, &cursor);
    while (index != FR_MAP_NONE) {
        fr_archetype *archetype = world->archetypes[index];
        if (archetype->term_count == count &&
            (count == 0 || memcmp(archetype->terms, terms, count * sizeof *terms) == 0)) {
            return archetype;
        }
        index = fr_map_next(&world->archetype_keys, hash, &cursor);
    }
    return NULL;
}

uint32_t fr_world_order_place(const firn_world *world, const uint32_t *list, uint32_t count,
                              const fr_archetype *archetype)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (fr_archetype_compare(world->archetypes[list[middle]], archetype) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Archetypes that were left empty do not keep new ones out. From the end of the order, so that what
// stays moves least.
static void remove_empty(firn_world *world)
{
    for (uint32_t i = world->order_count; i-- > 0;) {
        fr_archetype *archetype = world->archetypes[world->order[i]];
        if (archetype->count == 0 && !archetype->held) {
            fr_world_remove_archetype(world, archetype);
        }
    }
}

static firn_result check_limits(firn_world *world, uint32_t term_count, firn_error *err)
{
    if (term_count > world->limits.columns) {
        return fr_fail(err, FIRN_LIMIT, "columns",
                       "%u components in one entity are above the limit of %u", term_count,
                       world->limits.columns);
    }
    uint32_t most =
        world->limits.archetypes < ARCHETYPES_MOST ? world->limits.archetypes : ARCHETYPES_MOST;
    if (world->order_count >= most) {
        remove_empty(world);
    }
    if (world->order_count >= most) {
        return fr_fail(err, FIRN_LIMIT, "archetypes",
                       "one more set of components is above the limit of %u archetypes", most);
    }
    return FIRN_OK;
}

static bool prepare_archetype(firn_world *world, const fr_archetype *archetype)
{
    const firn_allocator *allocator = &world->allocator;
    return FR_RESERVE(allocator, world->archetypes, world->archetype_capacity,
                      world->archetype_count + 1) &&
           FR_RESERVE(allocator, world->holes, world->hole_capacity, world->archetype_count + 1) &&
           FR_RESERVE(allocator, world->order, world->order_capacity, world->order_count + 1) &&
           fr_map_reserve(allocator, &world->archetype_keys, 1) &&
           fr_map_reserve(allocator, &world->relations.dense,
                          fr_archetype_dense_terms(archetype)) &&
           fr_queries_prepare(world, archetype);
}

// There is room.
static void enter_dense_terms(firn_world *world, const fr_archetype *archetype)
{
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        if ((uint32_t)archetype->terms[i] != 0) {
            (void)fr_map_add(&world->allocator, &world->relations.dense, archetype->terms[i],
                             archetype->index);
        }
    }
}

static void leave_dense_terms(firn_world *world, const fr_archetype *archetype)
{
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        if ((uint32_t)archetype->terms[i] != 0) {
            fr_map_remove(&world->relations.dense, archetype->terms[i], archetype->index);
        }
    }
}

static void enter_archetype(firn_world *world, fr_archetype *archetype, uint64_t hash)
{
    uint32_t index =
        world->hole_count > 0 ? world->holes[--world->hole_count] : world->archetype_count++;
    archetype->index = index;
    world->archetypes[index] = archetype;
    uint32_t at = fr_world_order_place(world, world->order, world->order_count, archetype);
    memmove(world->order + at + 1, world->order + at,
            (world->order_count - at) * sizeof *world->order);
    world->order[at] = index;
    world->order_count++;
    world->archetypes_made++;
    bool added = fr_map_add(&world->allocator, &world->archetype_keys, hash, index);
    assert(added);
    (void)added;
    enter_dense_terms(world, archetype);
    fr_queries_enter(world, archetype);
}

fr_archetype *fr_world_archetype(firn_world *world, const fr_term *terms, uint32_t count,
                                 firn_error *err)
{
    uint64_t hash = hash_terms(terms, count);
    fr_archetype *archetype = find_archetype(world, hash, terms, count);
    if (archetype != NULL || check_limits(world, count, err) != FIRN_OK) {
        return archetype;
    }
    archetype = fr_archetype_create(&world->allocator, &world->components, terms, count);
    if (archetype == NULL) {
        fr_fail_memory(err, "an archetype");
        return NULL;
    }
    archetype->world = world;
    archetype->edge_epoch = world->edge_epoch;
    archetype->disabled = fr_archetype_term(archetype, world->builtin_disabled) >= 0;
    if (!prepare_archetype(world, archetype)) {
        fr_archetype_destroy(&world->allocator, archetype);
        fr_fail_memory(err, "an archetype");
        return NULL;
    }
    enter_archetype(world, archetype, hash);
    return archetype;
}

void fr_world_remove_archetype(firn_world *world, fr_archetype *archetype)
{
    assert(archetype->count == 0);
    if (archetype->index == 0) {
        return;
    }
    fr_queries_leave(world, archetype);
    leave_dense_terms(world, archetype);
    uint32_t at = fr_world_order_place(world, world->order, world->order_count, archetype);
    assert(world->order[at] == archetype->index);
    world->order_count--;
    memmove(world->order + at, world->order + at + 1,
            (world->order_count - at) * sizeof *world->order);
    fr_map_remove(&world->archetype_keys, hash_terms(archetype->terms, archetype->term_count),
                  archetype->index);
    world->archetypes[archetype->index] = NULL;
    world->holes[world->hole_count++] = archetype->index;
    fr_archetype_destroy(&world->allocator, archetype);
    // Edges and steps may lead to it.
    world->edge_epoch++;
}

// ---------------------------------------------------------------- sets of terms

// How many terms the components and what they require come to, at most.
static uint32_t closed_bound(const firn_world *world, const uint32_t *components, uint32_t count)
{
    uint64_t bound = 0;
    for (uint32_t i = 0; i < count; i++) {
        bound += 1 + (uint64_t)world->components.items[components[i]]->required_count;
    }
    return bound < world->components.count ? (uint32_t)bound : world->components.count;
}

static void insert_closed(const firn_world *world, const uint32_t *components, uint32_t count,
                          fr_term *terms, uint32_t *term_count)
{
    for (uint32_t i = 0; i < count; i++) {
        const fr_component *component = world->components.items[components[i]];
        fr_terms_insert(terms, term_count, fr_term_make(component->index, 0));
        for (uint32_t k = 0; k < component->required_count; k++) {
            fr_terms_insert(terms, term_count, fr_term_make(component->required[k], 0));
        }
    }
}

firn_result fr_world_close_terms(firn_world *world, const uint32_t *components, uint32_t count,
                                 fr_term **terms, uint32_t *term_count, uint32_t *capacity,
                                 firn_error *err)
{
    *terms = NULL;
    *term_count = 0;
    *capacity = closed_bound(world, components, count);
    if (*capacity == 0) {
        return FIRN_OK;
    }
    *terms = fr_alloc(&world->allocator, *capacity, sizeof **terms, alignof(max_align_t));
    if (*terms == NULL) {
        *capacity = 0;
        return fr_fail_memory(err, "a set of components");
    }
    insert_closed(world, components, count, *terms, term_count);
    return FIRN_OK;
}

firn_result fr_world_check_plain(const firn_world *world, const uint32_t *components,
                                 uint32_t count, firn_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const fr_component *component = world->components.items[components[i]];
        if (component->kind == FIRN_RELATION) {
            return fr_fail(err, FIRN_INVALID, component->name,
                           "%s is a relation, which needs a target: use firn_relate",
                           component->name);
        }
    }
    return FIRN_OK;
}

static fr_archetype *make_with(firn_world *world, const fr_archetype *from,
                               const uint32_t *components, uint32_t count, firn_error *err)
{
    uint32_t term_count = from->term_count;
    uint32_t bound = term_count + closed_bound(world, components, count);
    if (fr_world_check_plain(world, components, count, err) != FIRN_OK) {
        return NULL;
    }
    if (!FR_RESERVE(&world->allocator, world->scratch_terms, world->scratch_term_capacity, bound)) {
        fr_fail_memory(err, "a set of components");
        return NULL;
    }
    if (term_count > 0) {
        memcpy(world->scratch_terms, from->terms, term_count * sizeof *from->terms);
    }
    insert_closed(world, components, count, world->scratch_terms, &term_count);
    return fr_world_archetype(world, world->scratch_terms, term_count, err);
}

// Removes all terms from `first` to `last`.
static void remove_terms(fr_term *terms, uint32_t *count, fr_term first, fr_term last)
{
    uint32_t at = fr_terms_place(terms, *count, first);
    uint32_t end = at;
    while (end < *count && terms[end] <= last) {
        end++;
    }
    if (end > at) { // an empty set has no terms to point at
        memmove(terms + at, terms + end, (*count - end) * sizeof *terms);
        *count -= end - at;
    }
}

static fr_archetype *make_without(firn_world *world, const fr_archetype *from,
                                  const uint32_t *components, uint32_t count, firn_error *err)
{
    uint32_t term_count = from->term_count;
    if (!FR_RESERVE(&world->allocator, world->scratch_terms, world->scratch_term_capacity,
                    term_count)) {
        fr_fail_memory(err, "a set of components");
        return NULL;
    }
    fr_term *terms = world->scratch_terms;
    if (term_count > 0) {
        memcpy(terms, from->terms, term_count * sizeof *terms);
    }
    for (uint32_t i = 0; i < count; i++) {
        remove_terms(terms, &term_count, fr_term_make(components[i], 0),
                     fr_term_make(components[i], UINT32_MAX));
    }
    return fr_world_archetype(world, terms, term_count, err);
}

// ---------------------------------------------------------------- edges and steps

static fr_archetype *make_step(firn_world *world, const fr_archetype *from, bool add,
                               const uint32_t *components, uint32_t count, firn_error *err)
{
    return add ? make_with(world, from, components, count, err)
               : make_without(world, from, components, count, err);
}

static void forget_stale_edges(const firn_world *world, fr_archetype *from)
{
    if (from->edge_epoch != world->edge_epoch) {
        fr_map_clear(&from->edges_add);
        fr_map_clear(&from->edges_remove);
        from->edge_epoch = world->edge_epoch;
    }
}

static fr_archetype *follow_edge(firn_world *world, fr_archetype *from, bool add,
                                 uint32_t component, firn_error *err)
{
    forget_stale_edges(world, from);
    fr_map *edges = add ? &from->edges_add : &from->edges_remove;
    uint32_t index = fr_map_get(edges, component);
    if (index != FR_MAP_NONE) {
        return world->archetypes[index];
    }
    fr_archetype *to = make_step(world, from, add, &component, 1, err);
    if (to != NULL) {
        // Without memory the edge is looked up again the next time.
        (void)fr_map_add(&world->allocator, edges, component, to->index);
    }
    return to;
}

static void remember_step(firn_world *world, const fr_archetype *from, bool add,
                          const uint32_t *components, uint32_t count, const fr_archetype *to)
{
    fr_step *step = &world->steps[fr_step_place(from, add, components, count)];
    *step = (fr_step){.epoch = world->edge_epoch,
                      .add = add,
                      .from = from->index,
                      .to = to->index,
                      .count = count};
    if (count > 0) {
        memcpy(step->components, components, count * sizeof *components);
    }
}

static fr_archetype *take_step(firn_world *world, fr_archetype *from, bool add,
                               const uint32_t *components, uint32_t count, firn_error *err)
{
    fr_archetype *to = fr_world_recall(world, from, add, components, count);
    if (to != NULL) {
        return to;
    }
    if (count == 0) {
        to = from;
    } else if (count == 1) {
        to = follow_edge(world, from, add, components[0], err);
    } else {
        to = make_step(world, from, add, components, count, err);
    }
    if (to != NULL && count <= FR_STEP_COMPONENTS) {
        remember_step(world, from, add, components, count, to);
    }
    return to;
}

fr_archetype *fr_world_with(firn_world *world, fr_archetype *from, const uint32_t *components,
                            uint32_t count, firn_error *err)
{
    return take_step(world, from, true, components, count, err);
}

fr_archetype *fr_world_without(firn_world *world, fr_archetype *from, const uint32_t *components,
                               uint32_t count, firn_error *err)
{
    return take_step(world, from, false, components, count, err);
}

// ---------------------------------------------------------------- terms of relations

static fr_archetype *make_with_term(firn_world *world, const fr_archetype *from, fr_term term,
                                    firn_error *err)
{
    uint32_t index = fr_term_component(term);
    uint32_t count = from->term_count;
    uint32_t bound = count + closed_bound(world, &index, 1);
    if (!FR_RESERVE(&world->allocator, world->scratch_terms, world->scratch_term_capacity, bound)) {
        fr_fail_memory(err, "a set of components");
        return NULL;
    }
    fr_term *terms = world->scratch_terms;
    if (count > 0) {
        memcpy(terms, from->terms, count * sizeof *terms);
    }
    const fr_component *relation = world->components.items[index];
    if (fr_relation_is_exclusive(relation)) {
        remove_terms(terms, &count, fr_term_make(index, 0), fr_term_make(index, UINT32_MAX));
    }
    fr_terms_insert(terms, &count, term);
    insert_closed(world, relation->required, relation->required_count, terms, &count);
    return fr_world_archetype(world, terms, count, err);
}

static fr_archetype *make_without_term(firn_world *world, const fr_archetype *from, fr_term term,
                                       firn_error *err)
{
    uint32_t count = from->term_count;
    if (!FR_RESERVE(&world->allocator, world->scratch_terms, world->scratch_term_capacity, count)) {
        fr_fail_memory(err, "a set of components");
        return NULL;
    }
    memcpy(world->scratch_terms, from->terms, count * sizeof *from->terms);
    remove_terms(world->scratch_terms, &count, term, term);
    return fr_world_archetype(world, world->scratch_terms, count, err);
}

// Edges of terms stand among those of components, whose keys are smaller than any of theirs: no
// relation is the component of index 0.
static fr_archetype *follow_term(firn_world *world, fr_archetype *from, bool add, fr_term term,
                                 firn_error *err)
{
    forget_stale_edges(world, from);
    fr_map *edges = add ? &from->edges_add : &from->edges_remove;
    uint32_t index = fr_map_get(edges, term);
    if (index != FR_MAP_NONE) {
        return world->archetypes[index];
    }
    fr_archetype *to =
        add ? make_with_term(world, from, term, err) : make_without_term(world, from, term, err);
    if (to != NULL) {
        // Making one may have removed others.
        forget_stale_edges(world, from);
        (void)fr_map_add(&world->allocator, edges, term, to->index);
    }
    return to;
}

fr_archetype *fr_world_with_term(firn_world *world, fr_archetype *from, fr_term term,
                                 firn_error *err)
{
    return follow_term(world, from, true, term, err);
}

fr_archetype *fr_world_without_term(firn_world *world, fr_archetype *from, fr_term term,
                                    firn_error *err)
{
    return follow_term(world, from, false, term, err);
}
