// Edges that come, change and go.
#include "base/alloc.h"
#include "base/error.h"
#include "store/entity.h"

#include <assert.h>

// ---------------------------------------------------------------- one edge more

// An edge on its way.
typedef struct relating {
    firn_world *world;
    fr_component *relation;
    firn_entity source;
    firn_entity target;
    firn_entity old; // the target that it replaces, or 0
    const uint8_t *edge;
    firn_error *err;
} relating;

// What is told about an edge: of the two archetypes the second has it.
static firn_result reserve_events(const relating *r, const fr_archetype *from,
                                  const fr_archetype *to)
{
    uint32_t kinds = FR_HEARD(FR_EVENT_ADD) | (r->old != 0 ? FR_HEARD(FR_EVENT_REMOVE) : 0u);
    if (!fr_heard(r->world, kinds)) {
        return FIRN_OK;
    }
    uint32_t records = to->term_count - from->term_count + 2;
    return fr_event_reserve(r->world, kinds, records, 1, r->err);
}

// `entity` points into the id column of `from`.
static uint32_t tell_before(const relating *r, const firn_entity *entity, const fr_archetype *from,
                            const fr_archetype *to)
{
    firn_world *world = r->world;
    const fr_edge_event goes = {entity, r->relation->index, r->old};
    const fr_edge_event comes = {entity, r->relation->index, r->target};
    bool removes = r->old != 0 && fr_heard(world, FR_HEARD(FR_EVENT_REMOVE));
    bool adds = fr_heard(world, FR_HEARD(FR_EVENT_ADD));
    if (!removes && !adds) {
        return FR_UNHEARD;
    }
    uint32_t outer =
        fr_publication_begin(world, removes ? (uint32_t)FR_EVENT_REMOVE : (uint32_t)FR_EVENT_ADD);
    if (removes) {
        fr_record_edge(world, FR_EVENT_REMOVE, &goes);
    }
    if (adds) {
        fr_record_related(world, &comes, to, from);
    }
    if (removes) {
        fr_observe_edge(world, FR_EVENT_REMOVE, &goes);
    }
    return outer;
}

static void tell_after(const relating *r, uint32_t outer, const firn_entity *entity,
                       const fr_archetype *from, const fr_archetype *to)
{
    const fr_edge_event comes = {entity, r->relation->index, r->target};
    if (outer != FR_UNHEARD) {
        fr_observe_related(r->world, &comes, to, from);
        fr_change_end(r->world, outer);
    }
}

static firn_result reset_row(const relating *r, const fr_archetype *archetype, uint32_t row,
                             uint8_t *edge)
{
    const fr_edge_event set = {archetype->entities + row, r->relation->index, r->target};
    firn_result result = fr_change_reserve(r->world, FR_EVENT_SET, 1, 1, r->err);
    if (result != FIRN_OK) {
        return result;
    }
    memcpy(edge, r->edge, r->relation->edge_stride);
    if (fr_heard(r->world, FR_HEARD(FR_EVENT_SET))) {
        uint32_t outer = fr_publication_begin(r->world, FR_EVENT_SET);
        fr_record_edge(r->world, FR_EVENT_SET, &set);
        fr_observe_edge(r->world, FR_EVENT_SET, &set);
        fr_change_end(r->world, outer);
    }
    return FIRN_OK;
}

// The source has the term of a sparse relation: it stays where it is.
static firn_result relate_in_place(relating *r, fr_archetype *archetype, uint32_t row,
                                   fr_column *column)
{
    const firn_allocator *allocator = &r->world->allocator;
    uint8_t *place = column->data + (size_t)row * column->stride;
    fr_edges *edges = fr_relation_is_many(r->relation) ? (fr_edges *)(void *)place : NULL;
    r->old = edges == NULL ? fr_edge_target(place) : 0;
    firn_result result = reserve_events(r, archetype, archetype);
    if (result != FIRN_OK) {
        return result;
    }
    if (edges != NULL && !fr_edges_reserve(allocator, r->relation, edges, edges->count + 1)) {
        return fr_fail_memory(r->err, "an edge");
    }
    const firn_entity *entity = archetype->entities + row;
    uint32_t outer = tell_before(r, entity, archetype, archetype);
    if (edges != NULL) {
        fr_edges_append(r->relation, edges, r->edge);
    } else {
        fr_reverse_remove(&r->relation->reverse, r->source, r->old);
        memcpy(place, r->edge, r->relation->edge_stride);
    }
    fr_relation_link(r->world, r->relation, r->source, r->target);
    tell_after(r, outer, entity, archetype, archetype);
    return FIRN_OK;
}

// The row of the new term: the edge itself, or an array of it, which is then the row's.
static bool make_edge_row(const relating *r, fr_edges *made, const void **row)
{
    *row = r->edge;
    if (!fr_relation_is_many(r->relation)) {
        return true;
    }
    if (!fr_edges_reserve(&r->world->allocator, r->relation, made, 1)) {
        return false;
    }
    fr_edges_append(r->relation, made, r->edge);
    *row = made;
    return true;
}

static firn_result relate_by_move(relating *r, fr_archetype *from, uint32_t row, fr_archetype *to)
{
    firn_world *world = r->world;
    fr_edges made = {.count = 0};
    const void *bytes;
    firn_result result = reserve_events(r, from, to);
    if (result != FIRN_OK) {
        return result;
    }
    // A publication may not come between what can fail and the change: rows that are new by
    // requirement are tried out first.
    if (!make_edge_row(r, &made, &bytes) ||
        !fr_archetype_reserve(&world->allocator, to, to->count + 1) ||
        !fr_entity_fill(world, from, to, r->relation->index)) {
        fr_edges_free(&world->allocator, r->relation, &made, 1);
        return fr_fail_memory(r->err, "the row of an entity");
    }
    uint32_t outer = tell_before(r, from->entities + row, from, to);
    const fr_column *column =
        fr_archetype_term_column(to, fr_relation_term(r->relation, r->target));
    fr_entity_move_filled(world, from, row, to, column, bytes);
    fr_relation_link(world, r->relation, r->source, r->target);
    tell_after(r, outer, to->entities + to->count - 1, from, to);
    return FIRN_OK;
}

firn_result fr_entity_relate(firn_world *world, fr_archetype *archetype, uint32_t row,
                             fr_component *relation, const void *edge, firn_error *err)
{
    relating r = {
        .world = world,
        .relation = relation,
        .source = archetype->entities[row],
        .target = fr_edge_target(edge),
        .edge = edge,
        .err = err,
    };
    uint8_t *there = fr_row_edge(archetype, row, relation, r.target);
    if (there != NULL) {
        return reset_row(&r, archetype, row, there);
    }
    if (!fr_relation_reserve(world, relation, r.source, r.target)) {
        return fr_fail_memory(err, "an edge");
    }
    fr_column *column = fr_archetype_column(archetype, relation->index);
    if (column != NULL && !fr_relation_is_dense(relation)) {
        return relate_in_place(&r, archetype, row, column);
    }
    if (column != NULL && fr_relation_is_exclusive(relation)) {
        r.old = fr_edge_target(column->data + (size_t)row * column->stride);
    }
    uint64_t before = world->archetypes_made;
    firn_error why;
    fr_archetype *to =
        fr_world_with_term(world, archetype, fr_relation_term(relation, r.target), &why);
    if (to == NULL) {
        return fr_fail_copy(err, &why);
    }
    firn_result result = relate_by_move(&r, archetype, row, to);
    if (result != FIRN_OK) {
        fr_world_unmake(world, to, before);
    }
    return result;
}

// ---------------------------------------------------------------- one edge less

// One of several edges of a row of fr_edges.
static firn_result remove_one(firn_world *world, const fr_archetype *archetype, uint32_t row,
                              fr_component *relation, uint8_t *edge, firn_error *err)
{
    firn_entity target = fr_edge_target(edge);
    const fr_edge_event goes = {archetype->entities + row, relation->index, target};
    firn_result result = fr_change_reserve(world, FR_EVENT_REMOVE, 1, 1, err);
    if (result != FIRN_OK) {
        return result;
    }
    uint32_t outer = FR_UNHEARD;
    if (fr_heard(world, FR_HEARD(FR_EVENT_REMOVE))) {
        outer = fr_publication_begin(world, FR_EVENT_REMOVE);
        fr_record_edge(world, FR_EVENT_REMOVE, &goes);
        fr_observe_edge(world, FR_EVENT_REMOVE, &goes);
    }
    fr_edges *edges = fr_row_edge_array(archetype, row, relation);
    fr_reverse_remove(&relation->reverse, archetype->entities[row], target);
    fr_edges_remove(relation, edges, edge);
    fr_change_end(world, outer);
    return FIRN_OK;
}

firn_result fr_entity_unrelate(firn_world *world, fr_archetype *archetype, uint32_t row,
                               fr_component *relation, firn_entity target, firn_error *err)
{
    uint8_t *edge = fr_row_edge(archetype, row, relation, target);
    if (edge == NULL) {
        return FIRN_OK;
    }
    if (fr_relation_is_many(relation) && fr_row_edge_array(archetype, row, relation)->count > 1) {
        return remove_one(world, archetype, row, relation, edge, err);
    }
    uint64_t before = world->archetypes_made;
    firn_error why;
    fr_archetype *to =
        fr_world_without_term(world, archetype, fr_relation_term(relation, target), &why);
    return to == NULL ? fr_fail_copy(err, &why)
                      : fr_entity_reduce(world, archetype, row, to, before, err);
}

// ---------------------------------------------------------------- as a game calls them

#define EDGE_ON_STACK 256

static fr_component *relation_of(const firn_world *world, firn_component handle,
                                 firn_result *result, firn_error *err)
{
    fr_component *relation = fr_component_of(world, handle, "relation", err);
    *result = relation == NULL ? FIRN_INVALID : FIRN_OK;
    if (relation != NULL && relation->kind != FIRN_RELATION) {
        *result = fr_fail(err, FIRN_INVALID, "relation", "%s is no relation", relation->name);
        relation = NULL;
    }
    return relation;
}

static firn_result put_edge(firn_world *world, firn_entity source, fr_component *relation,
                            bool deferred, const void *edge, firn_error *err)
{
    fr_archetype *archetype;
    uint32_t row;
    if (deferred) {
        return fr_commands_push_edge(world, FR_COMMAND_RELATE, source, relation->index,
                                     fr_edge_target(edge), edge, err);
    }
    return fr_world_find(world, source, &archetype, &row)
               ? fr_entity_relate(world, archetype, row, relation, edge, err)
               : fr_world_fail_dead(source, err);
}

// The row is copied aside: it may stand in a column that moves, and its target is not the caller's.
static firn_result relate_copy(firn_world *world, firn_entity source, fr_component *relation,
                               firn_entity target, bool deferred, const void *row, firn_error *err)
{
    uint8_t small[EDGE_ON_STACK];
    uint8_t *edge = small;
    uint32_t size = relation->edge_stride;
    if (size > sizeof small) {
        edge = fr_alloc(&world->allocator, size, 1, 1);
        if (edge == NULL) {
            return fr_fail_memory(err, "an edge");
        }
    }
    memcpy(edge, row == NULL ? relation->default_row : row, size);
    memcpy(edge, &target, sizeof target);
    firn_result result = put_edge(world, source, relation, deferred, edge, err);
    if (edge != small) {
        fr_free(&world->allocator, edge, size, 1, 1);
    }
    return result;
}

firn_result firn_relate(firn_world *world, firn_entity source, firn_component handle,
                        firn_entity target, const void *row, firn_error *err)
{
    bool deferred;
    firn_result result = fr_world_enter(world, &deferred, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_component *relation = relation_of(world, handle, &result, err);
    if (relation == NULL) {
        return result;
    }
    result = fr_world_check_alive(world, source, err);
    if (result == FIRN_OK && target == 0) {
        return fr_fail(err, FIRN_INVALID, "target", "target is 0");
    }
    if (result == FIRN_OK) {
        result = fr_world_check_alive(world, target, err);
    }
    return result == FIRN_OK ? relate_copy(world, source, relation, target, deferred, row, err)
                             : result;
}

firn_result firn_unrelate(firn_world *world, firn_entity source, firn_component handle,
                          firn_entity target, firn_error *err)
{
    bool deferred;
    fr_archetype *archetype;
    uint32_t row;
    firn_result result = fr_world_enter(world, &deferred, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_component *relation = relation_of(world, handle, &result, err);
    if (relation == NULL) {
        return result;
    }
    if (target == 0) {
        return firn_remove(world, source, &handle, 1, err);
    }
    result = fr_world_check_alive(world, source, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (deferred) {
        return fr_commands_push_edge(world, FR_COMMAND_UNRELATE, source, relation->index, target,
                                     NULL, err);
    }
    return fr_world_find(world, source, &archetype, &row)
               ? fr_entity_unrelate(world, archetype, row, relation, target, err)
               : fr_world_fail_dead(source, err);
}
