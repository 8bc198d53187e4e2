/// query.h (private): cached queries. A query keeps the indices of its matching archetypes in the
/// decided order; the world offers it every new archetype and takes removed ones out.
#ifndef FR_QUERY_H
#define FR_QUERY_H

#include "store/archetype.h"
#include "store/maker.h"

typedef struct fr_query_term {
    uint32_t component;
    firn_term_kind kind;
    bool read_only;
    firn_entity target; ///< 0: any
} fr_query_term;

typedef struct fr_query {
    bool used;
    uint16_t generation; ///< rises when destroyed; a slot at the last one retires
    fr_maker maker;
    uint32_t next_free; ///< of a free slot: the one that is reused after it, + 1; 0: none
    char *name;
    fr_query_term *terms;
    uint32_t term_count;
    bool wants_disabled; ///< a term names Disabled
    bool has_any;
    bool has_target;   ///< a term names one: rows of a matching archetype may not match
    uint32_t open;     ///< loops over it
    uint32_t *matches; ///< archetype indices in the decided order
    uint32_t match_count;
    uint32_t match_capacity;
} fr_query;

typedef struct fr_queries {
    fr_query *items;
    uint32_t count;
    uint32_t capacity;
    uint32_t free_head; ///< the slot that is reused next, + 1; 0: none
} fr_queries;

/// Makes room in every query that matches so that fr_queries_enter cannot fail; false: no memory.
bool fr_queries_prepare(firn_world *world, const fr_archetype *archetype);
/// Adds a new archetype to the queries that match it.
void fr_queries_enter(firn_world *world, const fr_archetype *archetype);
void fr_queries_leave(firn_world *world, const fr_archetype *archetype);
void fr_queries_free(firn_world *world);
/// The queries of another world, with the same handles. False: no memory.
bool fr_queries_copy(firn_world *world, const firn_world *original);
/// A query on its own, which follows no archetypes and makes no exception for Disabled. Fails as
/// firn_query_create; *out is then unchanged. A zeroed one matches every archetype but disabled
/// ones.
firn_result fr_query_make(firn_world *world, const firn_query_desc *desc, fr_query *out,
                          firn_error *err);
void fr_query_unmake(const firn_allocator *allocator, fr_query *query);
bool fr_query_matches(const fr_query *query, const fr_archetype *archetype);
/// Whether a row of a matching archetype matches: where terms name targets, not all do.
bool fr_query_takes_row(const fr_query *query, const fr_archetype *archetype, uint32_t row);
/// The next rows of a matching archetype that match, at *row or behind it: *row is then the first,
/// and how many stand together is returned; 0 at the end.
uint32_t fr_query_next_rows(const fr_query *query, const fr_archetype *archetype, uint32_t *row);
/// The name of a query for messages; "" when it has none.
const char *fr_query_name(const firn_world *world, firn_query query);
/// The query, or NULL: FIRN_INVALID (0, of another world), FIRN_NOT_FOUND (destroyed).
fr_query *fr_query_of(const firn_world *world, firn_query handle, firn_error *err);
/// FIRN_BUSY: a loop over the query is open. The subject is its name, or `query 3` without one.
firn_result fr_query_busy(const firn_world *world, firn_query query, firn_error *err);

#endif
