/// entity.h (private): the changes of structure themselves, as calls outside loops and the queue of
/// deferred ones make them. Components are indices. Each is all or nothing; hooks run, and
/// observers, which may change everything at the end.
#ifndef FR_ENTITY_H
#define FR_ENTITY_H

#include "store/event_change.h"
#include "store/plain.h"
#include "store/relation.h"

/// What new entities get: components, and the rows of those that are given (given.h), or NULL.
typedef struct fr_newcomer {
    const uint32_t *components;
    uint32_t count;
    const void *rows;
} fr_newcomer;

/// Makes `n` alike entities, with what the components require. out: NULL, or n ids.
firn_result fr_entities_make(firn_world *world, const fr_newcomer *newcomer, uint32_t n,
                             firn_entity *out, firn_error *err);
/// The same for ids that are reserved already.
firn_result fr_entities_place(firn_world *world, const fr_newcomer *newcomer,
                              const firn_entity *ids, uint32_t n, firn_error *err);
/// What an entity gets when its rows are there: an edge, a string. `user` is the caller's.
typedef firn_result fr_complete_fn(void *user, firn_world *world, firn_entity entity,
                                   firn_error *err);
/// fr_spawn_rows, and then `complete` for each, before anybody hears of any: what it does is not
/// told by itself. When it fails, they all go again. Inside a loop both wait, and it is told as
/// what it is, behind OnSpawn. out: room for n ids.
firn_result fr_spawn_complete(firn_world *world, const firn_component *components,
                              const void *const *rows, uint32_t count, uint32_t n, firn_entity *out,
                              fr_complete_fn *complete, void *user, firn_error *err);

/// firn_spawn_many with rows, all alike, as firn_spawn_rows takes them; NULL: none.
firn_result fr_spawn_rows(firn_world *world, const firn_component *components,
                          const void *const *rows, uint32_t count, uint32_t n, firn_entity *out,
                          firn_error *err);
/// Ends an entity, which is in this row. It can only fail when somebody listens.
static inline firn_result fr_entity_end(firn_world *world, firn_entity entity,
                                        fr_archetype *archetype, uint32_t row, firn_error *err);
firn_result fr_entity_add(firn_world *world, fr_archetype *archetype, uint32_t row,
                          const uint32_t *components, uint32_t count, firn_error *err);
firn_result fr_entity_remove(firn_world *world, fr_archetype *archetype, uint32_t row,
                             const uint32_t *components, uint32_t count, firn_error *err);
/// Puts a row in, in place or by adding the component, and owns it afterwards: bytes, or a blob.
firn_result fr_entity_set(firn_world *world, fr_archetype *archetype, uint32_t row,
                          uint32_t component, const void *bytes, firn_error *err);

/// Moves an entity to an archetype with what it has and more, or fewer; there is room, and rows
/// that are new are made by default, but for those of `column` (NULL: none), a column of `to`:
/// `bytes`, which stand nowhere in the world. Edges that go are unlinked. False: no memory; never
/// when nothing is new but the column.
static inline bool fr_entity_move(firn_world *world, fr_archetype *from, uint32_t row,
                                  fr_archetype *to, const fr_column *column, const void *bytes);
/// Its first half: makes the rows that are new, but for that of the component `given`. False: no
/// memory.
static inline bool fr_entity_fill(firn_world *world, const fr_archetype *from, fr_archetype *to,
                                  uint32_t given);
/// Its second half, which cannot fail.
void fr_entity_move_filled(firn_world *world, fr_archetype *from, uint32_t row, fr_archetype *to,
                           const fr_column *column, const void *bytes);
/// Moves an entity to an archetype that has fewer terms, and tells of it. After a failure the
/// archetype is removed if one was made since `made_before`, a value of world->archetypes_made.
firn_result fr_entity_reduce(firn_world *world, fr_archetype *archetype, uint32_t row,
                             fr_archetype *to, uint64_t made_before, firn_error *err);
/// Takes a row out whose drop hooks have run: unlinks its edges, frees what it owns.
void fr_entity_take_out(firn_world *world, fr_archetype *archetype, uint32_t row);
/// Removes an archetype, after a failure, if one was made since `made_before`.
void fr_world_unmake(firn_world *world, fr_archetype *archetype, uint64_t made_before);

static inline bool fr_move_is_plain(const fr_archetype *from, const fr_archetype *to)
{
    return fr_archetype_is_plain(from) && fr_archetype_is_plain(to);
}

static inline bool fr_entity_fill(firn_world *world, const fr_archetype *from, fr_archetype *to,
                                  uint32_t given)
{
    // A plain move writes them itself.
    return fr_move_is_plain(from, to) ||
           fr_archetype_fill(&world->allocator, to, from, given, to->count, 1);
}

static inline bool fr_entity_move(firn_world *world, fr_archetype *from, uint32_t row,
                                  fr_archetype *to, const fr_column *column, const void *bytes)
{
    uint32_t given = column == NULL ? FR_NO_COMPONENT : column->component->index;
    bool filled = fr_entity_fill(world, from, to, given);
    if (filled) {
        fr_entity_move_filled(world, from, row, to, column, bytes);
    }
    return filled;
}

/// Closes the hole that a row of a plain archetype left: the last row takes its place.
static inline void fr_entity_close_plain(firn_world *world, fr_archetype *archetype, uint32_t row)
{
    uint32_t last = --archetype->count;
    if (row != last) {
        firn_entity moved = archetype->entities[last];
        archetype->entities[row] = moved;
        uint64_t *record = &world->index.records[fr_slot(moved)];
        *record = fr_record_moved(*record, row);
        fr_plain_copy_row(archetype, row, last);
    }
}

/// fr_entity_end in an archetype that needs something, or heard by somebody.
firn_result fr_entity_end_slow(firn_world *world, firn_entity entity, fr_archetype *archetype,
                               uint32_t row, firn_error *err);
static inline firn_result fr_entity_end(firn_world *world, firn_entity entity,
                                        fr_archetype *archetype, uint32_t row, firn_error *err)
{
    assert(archetype->entities[row] == entity);
    if (archetype->needs != 0 || fr_may_be_target(world, fr_slot(entity)) ||
        fr_heard(world, FR_HEARD(FR_EVENT_DESPAWN) | FR_HEARD_ADDRESSES)) {
        return fr_entity_end_slow(world, entity, archetype, row, err);
    }
    fr_entity_index_release(&world->index, entity);
    fr_entity_close_plain(world, archetype, row);
    return FIRN_OK;
}

#endif
