// Loops over the archetypes that match a query.
#include "base/error.h"
#include "store/relation.h"

#include <string.h>

void firn_iter_begin(firn_world *world, firn_query handle, firn_iter *it)
{
    if (it == NULL) {
        return;
    }
    *it = (firn_iter){.open = true};
    if (world == NULL) {
        fr_fail(&it->error, FIRN_INVALID, "world", "world is NULL");
        return;
    }
    fr_query *query = fr_query_of(world, handle, &it->error);
    if (query == NULL) {
        return;
    }
    it->world = world;
    it->query = handle;
    it->epoch = world->loop_epoch;
    query->open++;
    world->open_loops++;
    world->loop_query = handle;
}

// Part of an archetype: rows that match a query with targets. Rows of several edges have no column.
static void put_part(firn_iter *it, const fr_query *query, const fr_archetype *archetype,
                     uint32_t first, uint32_t count)
{
    it->entities = archetype->entities + first;
    it->count = count;
    for (uint32_t i = 0; i < query->term_count; i++) {
        const fr_query_term *term = &query->terms[i];
        const fr_place *place = fr_archetype_place(archetype, term->component);
        const fr_column *column = place->column;
        it->present[i] = place->term >= 0 && term->kind != FIRN_WITHOUT;
        if (column != NULL && term->target != 0) {
            const fr_component *relation = column->component;
            column = fr_archetype_term_column(archetype, fr_relation_term(relation, term->target));
        }
        bool rows = it->present[i] && column != NULL && (column->needs & FR_NEEDS_EDGES) == 0;
        it->columns[i] = rows ? column->data + (size_t)first * column->stride : NULL;
    }
}

static void put_step(firn_iter *it, const fr_query *query, const fr_archetype *archetype)
{
    it->entities = archetype->entities;
    it->count = archetype->count;
    for (uint32_t i = 0; i < query->term_count; i++) {
        const fr_place *place = fr_archetype_place(archetype, query->terms[i].component);
        it->present[i] = place->term >= 0;
        bool rows = place->column != NULL && (place->column->needs & FR_NEEDS_EDGES) == 0;
        it->columns[i] = rows ? place->column->data : NULL;
    }
}

static bool next_part(firn_iter *it, const fr_query *query, const fr_archetype *archetype)
{
    uint32_t first = it->row;
    uint32_t count = fr_query_next_rows(query, archetype, &first);
    if (count > 0) {
        put_part(it, query, archetype, first, count);
        it->row = first + count;
    }
    return count > 0;
}

bool firn_iter_next(firn_iter *it)
{
    if (it == NULL || !it->open || it->world == NULL) {
        return false;
    }
    const firn_world *world = it->world;
    const fr_query *query = fr_query_of(world, it->query, NULL);
    while (query != NULL && it->epoch == world->loop_epoch && it->position < query->match_count) {
        const fr_archetype *archetype = world->archetypes[query->matches[it->position]];
        if (query->has_target && next_part(it, query, archetype)) {
            return true;
        }
        it->position++;
        it->row = 0;
        if (!query->has_target && archetype->count > 0) {
            put_step(it, query, archetype);
            return true;
        }
    }
    it->entities = NULL;
    it->count = 0;
    memset(it->columns, 0, sizeof it->columns);
    memset(it->present, 0, sizeof it->present);
    return false;
}

// A query with an open loop, when the innermost one ended before.
static firn_query some_open_query(const firn_world *world)
{
    for (uint32_t i = 0; i < world->queries.count; i++) {
        if (world->queries.items[i].open > 0) {
            return world->query_base + ((uint64_t)world->queries.items[i].generation << 16 | i);
        }
    }
    return 0;
}

firn_result firn_iter_end(firn_iter *it, firn_error *err)
{
    if (it == NULL) {
        return fr_fail(err, FIRN_INVALID, "it", "it is NULL");
    }
    if (!it->open) {
        return fr_fail(err, FIRN_INVALID, "it", "the loop was never begun, or has ended");
    }
    it->open = false;
    if (it->world == NULL) {
        return fr_fail_copy(err, &it->error);
    }
    firn_world *world = it->world;
    fr_query *query = fr_query_of(world, it->query, NULL);
    if (query == NULL || query->open == 0 || it->epoch != world->loop_epoch) {
        return fr_fail(err, FIRN_INVALID, "it", "the loop has ended");
    }
    query->open--;
    world->open_loops--;
    if (query->open == 0 && world->loop_query == it->query) {
        world->loop_query = some_open_query(world);
    }
    // A loop of a hook changes nothing: what waits is applied by whoever runs the hook.
    if (world->open_loops > 0 || world->locked_by != NULL) {
        return FIRN_OK;
    }
    return fr_commands_apply(world, err);
}

firn_result fr_world_close_loops(firn_world *world, firn_error *err)
{
    for (uint32_t i = 0; i < world->queries.count; i++) {
        world->queries.items[i].open = 0;
    }
    world->open_loops = 0;
    world->loop_epoch++;
    world->loop_query = 0;
    return fr_world_settle(world, err);
}
