#include "store/query.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "store/relation.h"

#include <assert.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#define QUERIES_MOST         UINT16_MAX
#define QUERY_SLOT(id)       ((uint32_t)((id)&0xffff))
#define QUERY_GENERATION(id) ((uint32_t)((id) >> 16))

// Whether an archetype may have rows for a term: of those with a target each row is looked at.
static bool term_is_there(const fr_query_term *term, const fr_archetype *archetype)
{
    return fr_archetype_term(archetype, term->component) >= 0 &&
           (term->target == 0 || term->kind == FIRN_WITH);
}

bool fr_query_takes_row(const fr_query *query, const fr_archetype *archetype, uint32_t row)
{
    for (uint32_t i = 0; i < query->term_count; i++) {
        const fr_query_term *term = &query->terms[i];
        int32_t at = term->target == 0 ? -1 : fr_archetype_term(archetype, term->component);
        if (term->target == 0) {
            continue;
        }
        bool there =
            at >= 0 && fr_row_edge(archetype, row, archetype->components[at], term->target) != NULL;
        if (there != (term->kind == FIRN_WITH)) {
            return false;
        }
    }
    return true;
}

uint32_t fr_query_next_rows(const fr_query *query, const fr_archetype *archetype, uint32_t *row)
{
    uint32_t first = *row;
    while (first < archetype->count && !fr_query_takes_row(query, archetype, first)) {
        first++;
    }
    uint32_t end = first;
    while (end < archetype->count && fr_query_takes_row(query, archetype, end)) {
        end++;
    }
    *row = first;
    return end - first;
}

bool fr_query_matches(const fr_query *query, const fr_archetype *archetype)
{
    if (archetype->disabled && !query->wants_disabled) {
        return false;
    }
    bool any = !query->has_any;
    for (uint32_t i = 0; i < query->term_count; i++) {
        const fr_query_term *term = &query->terms[i];
        bool there = term_is_there(term, archetype);
        if ((term->kind == FIRN_WITH && !there) || (term->kind == FIRN_WITHOUT && there)) {
            return false;
        }
        any = any || (term->kind == FIRN_ANY && there);
    }
    return any;
}

// ---------------------------------------------------------------- following the archetypes

bool fr_queries_prepare(firn_world *world, const fr_archetype *archetype)
{
    for (uint32_t i = 0; i < world->queries.count; i++) {
        fr_query *query = &world->queries.items[i];
        if (query->used && fr_query_matches(query, archetype) &&
            !FR_RESERVE(&world->allocator, query->matches, query->match_capacity,
                        query->match_count + 1)) {
            return false;
        }
    }
    return true;
}

void fr_queries_enter(firn_world *world, const fr_archetype *archetype)
{
    for (uint32_t i = 0; i < world->queries.count; i++) {
        fr_query *query = &world->queries.items[i];
        if (!query->used || !fr_query_matches(query, archetype)) {
            continue;
        }
        uint32_t at = fr_world_order_place(world, query->matches, query->match_count, archetype);
        memmove(query->matches + at + 1, query->matches + at,
                (query->match_count - at) * sizeof *query->matches);
        query->matches[at] = archetype->index;
        query->match_count++;
    }
}

void fr_queries_leave(firn_world *world, const fr_archetype *archetype)
{
    for (uint32_t i = 0; i < world->queries.count; i++) {
        fr_query *query = &world->queries.items[i];
        if (!query->used || !fr_query_matches(query, archetype)) {
            continue;
        }
        uint32_t at = fr_world_order_place(world, query->matches, query->match_count, archetype);
        assert(query->matches[at] == archetype->index);
        query->match_count--;
        memmove(query->matches + at, query->matches + at + 1,
                (query->match_count - at) * sizeof *query->matches);
    }
}

// ---------------------------------------------------------------- handles

fr_query *fr_query_of(const firn_world *world, firn_query handle, firn_error *err)
{
    if (handle == 0) {
        fr_fail(err, FIRN_INVALID, "query", "query is 0");
        return NULL;
    }
    uint64_t id = handle - world->query_base;
    if (id >= UINT64_C(1) << 32 || QUERY_SLOT(id) >= world->queries.count) {
        fr_fail(err, FIRN_INVALID, "query", "query is not one of this world");
        return NULL;
    }
    fr_query *query = &world->queries.items[QUERY_SLOT(id)];
    if (!query->used || query->generation != QUERY_GENERATION(id)) {
        fr_fail(err, FIRN_NOT_FOUND, "query", "query %u was destroyed before",
                (unsigned)(QUERY_SLOT(id) + 1));
        return NULL;
    }
    return query;
}

const char *fr_query_name(const firn_world *world, firn_query handle)
{
    const fr_query *query = fr_query_of(world, handle, NULL);
    return query == NULL ? "" : query->name;
}

firn_result fr_query_busy(const firn_world *world, firn_query handle, firn_error *err)
{
    char label[sizeof err->subject];
    const char *name = fr_query_name(world, handle);
    if (name[0] != 0) {
        snprintf(label, sizeof label, "%s", name);
    } else {
        unsigned number = (unsigned)QUERY_SLOT(handle - world->query_base) + 1;
        snprintf(label, sizeof label, "query %u", number);
    }
    return fr_fail(err, FIRN_BUSY, label, "a loop over the query %s is open", label);
}

// ---------------------------------------------------------------- making

static firn_result check_term_target(const firn_world *world, const firn_term *term,
                                     const fr_component *component, uint32_t i, firn_error *err)
{
    if (component->kind != FIRN_RELATION) {
        return fr_fail(err, FIRN_INVALID, component->name,
                       "term %u has a target, and %s is no relation", i, component->name);
    }
    if (term->kind != FIRN_WITH && term->kind != FIRN_WITHOUT) {
        return fr_fail(err, FIRN_INVALID, component->name,
                       "term %u has a target, so it must be FIRN_WITH or FIRN_WITHOUT", i);
    }
    return fr_world_check_alive(world, term->target, err);
}

static firn_result check_term(const firn_world *world, const firn_query_desc *desc, uint32_t i,
                              firn_error *err)
{
    const firn_term *term = &desc->terms[i];
    fr_component *component = fr_component_of(world, term->component, "terms", err);
    if (component == NULL) {
        return FIRN_INVALID;
    }
    if ((unsigned)term->kind > FIRN_OPTIONAL) {
        return fr_fail(err, FIRN_INVALID, component->name, "term %u: %d is not a kind of term", i,
                       (int)term->kind);
    }
    if (term->target != 0) {
        firn_result result = check_term_target(world, term, component, i, err);
        if (result != FIRN_OK) {
            return result;
        }
    }
    for (uint32_t k = 0; k < i; k++) {
        if (desc->terms[k].component == term->component && desc->terms[k].target == term->target) {
            return fr_fail(err, FIRN_INVALID, component->name,
                           "terms %u and %u name the same component %s", k, i, component->name);
        }
    }
    return FIRN_OK;
}

static firn_result check_query_desc(const firn_world *world, const firn_query_desc *desc,
                                    firn_error *err)
{
    if (desc == NULL) {
        return fr_fail(err, FIRN_INVALID, "desc", "desc is NULL");
    }
    firn_result result = fr_check_reserved(desc->reserved, "firn_query_desc", err);
    if (result == FIRN_OK && desc->name != NULL && desc->name[0] != 0) {
        result = fr_check_text_name(desc->name, world->limits.name_bytes, "query name", NULL, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (desc->term_count > FIRN_QUERY_TERMS) {
        return fr_fail(err, FIRN_INVALID, "term_count", "term_count is %u, and at most %d",
                       desc->term_count, FIRN_QUERY_TERMS);
    }
    if (desc->term_count > 0 && desc->terms == NULL) {
        return fr_fail(err, FIRN_INVALID, "terms", "terms is NULL and term_count is %u",
                       desc->term_count);
    }
    for (uint32_t i = 0; i < desc->term_count && result == FIRN_OK; i++) {
        result = check_term(world, desc, i, err);
    }
    return result;
}

static void free_query(const firn_allocator *allocator, fr_query *query)
{
    fr_free_text(allocator, query->name);
    fr_free(allocator, query->terms, query->term_count, sizeof *query->terms, alignof(max_align_t));
    FR_ARRAY_FREE(allocator, query->matches, query->match_capacity);
    *query = (fr_query){.generation = query->generation};
}

static void put_query_terms(const firn_world *world, fr_query *query, const firn_term *terms)
{
    for (uint32_t i = 0; i < query->term_count; i++) {
        uint32_t index = fr_component_index(world, terms[i].component);
        query->terms[i] =
            (fr_query_term){index, terms[i].kind, terms[i].read_only, terms[i].target};
        query->has_target = query->has_target || terms[i].target != 0;
        query->wants_disabled = query->wants_disabled || index == world->builtin_disabled;
        query->has_any = query->has_any || terms[i].kind == FIRN_ANY;
    }
}

// Fills a zeroed query; false: no memory, and what was made is freed by free_query.
static bool fill_query(firn_world *world, fr_query *query, const firn_query_desc *desc)
{
    const firn_allocator *allocator = &world->allocator;
    const char *name = desc->name == NULL ? "" : desc->name;
    query->name = fr_copy_text(allocator, name, strlen(name));
    if (query->name == NULL) {
        return false;
    }
    if (desc->term_count > 0) {
        query->terms =
            fr_alloc(allocator, desc->term_count, sizeof *query->terms, alignof(max_align_t));
        if (query->terms == NULL) {
            return false;
        }
        query->term_count = desc->term_count;
        put_query_terms(world, query, desc->terms);
    }
    return true;
}

static bool fill_matches(firn_world *world, fr_query *query)
{
    const firn_allocator *allocator = &world->allocator;
    for (uint32_t i = 0; i < world->order_count; i++) {
        const fr_archetype *archetype = world->archetypes[world->order[i]];
        if (!fr_query_matches(query, archetype)) {
            continue;
        }
        if (!FR_RESERVE(allocator, query->matches, query->match_capacity, query->match_count + 1)) {
            return false;
        }
        query->matches[query->match_count++] = archetype->index;
    }
    return true;
}

firn_result fr_query_make(firn_world *world, const firn_query_desc *desc, fr_query *out,
                          firn_error *err)
{
    firn_result result = check_query_desc(world, desc, err);
    if (result != FIRN_OK) {
        return result;
    }
    *out = (fr_query){.used = false};
    if (!fill_query(world, out, desc)) {
        free_query(&world->allocator, out);
        return fr_fail_memory(err, "a query");
    }
    out->wants_disabled = true;
    return FIRN_OK;
}

void fr_query_unmake(const firn_allocator *allocator, fr_query *query)
{
    if (query->name != NULL) {
        free_query(allocator, query);
    }
}

static bool is_query_of(const firn_world *world, const fr_query *query, const firn_query_desc *desc)
{
    if (strcmp(query->name, desc->name == NULL ? "" : desc->name) != 0 ||
        query->term_count != desc->term_count) {
        return false;
    }
    for (uint32_t i = 0; i < query->term_count; i++) {
        const fr_query_term *own = &query->terms[i];
        const firn_term *term = &desc->terms[i];
        if (own->component != fr_component_index(world, term->component) ||
            own->kind != term->kind || own->read_only != term->read_only ||
            own->target != term->target) {
            return false;
        }
    }
    return true;
}

static firn_query query_handle(const firn_world *world, uint32_t slot)
{
    return world->query_base + ((uint64_t)world->queries.items[slot].generation << 16 | slot);
}

// The copy of what a plugin made in another world, which its install makes here; 0: there is none.
static firn_query take_vacant_query(firn_world *world, const firn_query_desc *desc)
{
    for (uint32_t slot = 0; world->installer != 0 && slot < world->queries.count; slot++) {
        fr_query *query = &world->queries.items[slot];
        if (fr_maker_waits(query->maker, world->installer) && is_query_of(world, query, desc)) {
            query->maker.vacant = false;
            return query_handle(world, slot);
        }
    }
    return 0;
}

firn_query firn_query_create(firn_world *world, const firn_query_desc *desc, firn_error *err)
{
    if (fr_world_check_unlocked(world, err) != FIRN_OK ||
        check_query_desc(world, desc, err) != FIRN_OK) {
        return 0;
    }
    firn_query vacant = take_vacant_query(world, desc);
    if (vacant != 0) {
        return vacant;
    }
    fr_queries *queries = &world->queries;
    uint32_t slot = queries->free_head > 0 ? queries->free_head - 1 : queries->count;
    if (slot >= QUERIES_MOST) {
        fr_fail(err, FIRN_LIMIT, "queries", "a world has at most %u queries", QUERIES_MOST);
        return 0;
    }
    fr_query query = {0};
    if (!FR_RESERVE(&world->allocator, queries->items, queries->capacity, slot + 1) ||
        !fill_query(world, &query, desc) || !fill_matches(world, &query)) {
        free_query(&world->allocator, &query);
        fr_fail_memory(err, "a query");
        return 0;
    }
    if (slot == queries->count) {
        queries->count++;
    } else {
        query.generation = queries->items[slot].generation;
        queries->free_head = queries->items[slot].next_free;
    }
    query.used = true;
    query.maker.installer = world->installer;
    queries->items[slot] = query;
    return query_handle(world, slot);
}

static bool copy_query(firn_world *world, fr_query *query, const fr_query *from)
{
    const firn_allocator *allocator = &world->allocator;
    *query = (fr_query){.generation = from->generation, .next_free = from->next_free};
    if (!from->used) {
        return true;
    }
    query->name = fr_copy_text(allocator, from->name, strlen(from->name));
    if (query->name == NULL) {
        return false;
    }
    if (from->term_count > 0) {
        query->terms =
            fr_alloc(allocator, from->term_count, sizeof *query->terms, alignof(max_align_t));
        if (query->terms == NULL) {
            return false;
        }
        memcpy(query->terms, from->terms, from->term_count * sizeof *query->terms);
    }
    query->term_count = from->term_count;
    query->wants_disabled = from->wants_disabled;
    query->has_any = from->has_any;
    query->has_target = from->has_target;
    query->maker = fr_maker_copy(from->maker);
    query->used = true;
    return fill_matches(world, query);
}

bool fr_queries_copy(firn_world *world, const firn_world *original)
{
    fr_queries *queries = &world->queries;
    const fr_queries *from = &original->queries;
    if (from->count > 0 &&
        !FR_RESERVE(&world->allocator, queries->items, queries->capacity, from->count)) {
        return false;
    }
    for (uint32_t i = 0; i < from->count; i++) {
        queries->count++;
        if (!copy_query(world, &queries->items[i], &from->items[i])) {
            return false;
        }
    }
    queries->free_head = from->free_head;
    return true;
}

firn_result firn_query_destroy(firn_world *world, firn_query handle, firn_error *err)
{
    firn_result result = fr_world_check_unlocked(world, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_error local;
    fr_query *query = fr_query_of(world, handle, &local);
    if (query == NULL) {
        return fr_fail_copy(err, &local);
    }
    if (query->open > 0) {
        return fr_query_busy(world, handle, err);
    }
    free_query(&world->allocator, query);
    if (++query->generation < UINT16_MAX) {
        fr_queries *queries = &world->queries;
        query->next_free = queries->free_head;
        queries->free_head = (uint32_t)(query - queries->items) + 1;
    }
    return FIRN_OK;
}

static uint32_t count_query_rows(const fr_query *query, const fr_archetype *archetype)
{
    if (!query->has_target) {
        return archetype->count;
    }
    uint32_t total = 0;
    uint32_t n;
    for (uint32_t row = 0; (n = fr_query_next_rows(query, archetype, &row)) > 0; row += n) {
        total += n;
    }
    return total;
}

uint32_t firn_query_count(firn_world *world, firn_query handle)
{
    const fr_query *query = world == NULL ? NULL : fr_query_of(world, handle, NULL);
    uint32_t count = 0;
    for (uint32_t i = 0; query != NULL && i < query->match_count; i++) {
        count += count_query_rows(query, world->archetypes[query->matches[i]]);
    }
    return count;
}

void fr_queries_free(firn_world *world)
{
    for (uint32_t i = 0; i < world->queries.count; i++) {
        free_query(&world->allocator, &world->queries.items[i]);
    }
    FR_ARRAY_FREE(&world->allocator, world->queries.items, world->queries.capacity);
    world->queries = (fr_queries){0};
}
