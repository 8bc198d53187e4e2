/// event_change.h (private): the five events of changes of structure. When nobody listens, each of
/// these is one test. Room is reserved before the change; `entity` and `entities` point into the id
/// column of an archetype, where they stay until the publication ends.
#ifndef FR_EVENT_CHANGE_H
#define FR_EVENT_CHANGE_H

#include "store/world.h"

/// Whether somebody listens to one of these built-in events (FR_HEARD bits).
static inline bool fr_heard(const firn_world *world, uint32_t events)
{
    return (world->events_heard & events) != 0;
}

/// fr_event_reserve when somebody listens to the event, an FR_EVENT index.
static inline firn_result fr_change_reserve(firn_world *world, uint32_t event, uint32_t records,
                                            uint32_t entities, firn_error *err)
{
    return fr_heard(world, FR_HEARD(event))
               ? fr_event_reserve(world, FR_HEARD(event), records, entities, err)
               : FIRN_OK;
}

// ---- behind the change: it is published as a whole

void fr_publish_spawn_heard(firn_world *world, const firn_entity *entities, uint32_t n);
void fr_publish_add_heard(firn_world *world, const firn_entity *entity,
                          const fr_archetype *archetype, const fr_archetype *from);
void fr_publish_set_heard(firn_world *world, const firn_entity *entity, uint32_t component);

/// OnSpawn of entities that are there now.
static inline void fr_publish_spawn(firn_world *world, const firn_entity *entities, uint32_t n)
{
    if (fr_heard(world, FR_HEARD(FR_EVENT_SPAWN))) {
        fr_publish_spawn_heard(world, entities, n);
    }
}
/// OnAdd of every term that the entity's archetype has and `from`, where it was, has not.
static inline void fr_publish_add(firn_world *world, const firn_entity *entity,
                                  const fr_archetype *archetype, const fr_archetype *from)
{
    if (fr_heard(world, FR_HEARD(FR_EVENT_ADD))) {
        fr_publish_add_heard(world, entity, archetype, from);
    }
}
/// OnSet of a component of an entity.
static inline void fr_publish_set(firn_world *world, const firn_entity *entity, uint32_t component)
{
    if (fr_heard(world, FR_HEARD(FR_EVENT_SET))) {
        fr_publish_set_heard(world, entity, component);
    }
}

// ---- before the change: what they return is for fr_change_end behind it

#define FR_UNHEARD UINT32_MAX

uint32_t fr_publish_remove_heard(firn_world *world, const firn_entity *entity,
                                 const fr_archetype *archetype, const fr_archetype *to);
uint32_t fr_publish_despawn_heard(firn_world *world, const firn_entity *entities, uint32_t n);
void fr_change_end_heard(firn_world *world, uint32_t outer);

/// OnRemove of every term that the entity's archetype has and `to` has not.
static inline uint32_t fr_publish_remove(firn_world *world, const firn_entity *entity,
                                         const fr_archetype *archetype, const fr_archetype *to)
{
    return fr_heard(world, FR_HEARD(FR_EVENT_REMOVE))
               ? fr_publish_remove_heard(world, entity, archetype, to)
               : FR_UNHEARD;
}
/// OnDespawn of entities, whose observers go.
static inline uint32_t fr_publish_despawn(firn_world *world, const firn_entity *entities,
                                          uint32_t n)
{
    return fr_heard(world, FR_HEARD(FR_EVENT_DESPAWN) | FR_HEARD_ADDRESSES)
               ? fr_publish_despawn_heard(world, entities, n)
               : FR_UNHEARD;
}
/// How many edges and terms of a row `to` has not: events of their removal.
uint32_t fr_count_parting_edges(const fr_archetype *archetype, const fr_archetype *to,
                                uint32_t row);

// ---- relationships: room is reserved for all events of a change, they are recorded when it begins

/// One event of an edge.
typedef struct fr_edge_event {
    const firn_entity *source;
    uint32_t relation; ///< component index
    firn_entity target;
} fr_edge_event;

/// OnDespawn, where it is heard; the observers of the entities go.
void fr_record_despawn(firn_world *world, const firn_entity *entities, uint32_t n);
void fr_observe_despawn(firn_world *world, const firn_entity *entities, uint32_t n);
void fr_record_edge(firn_world *world, uint32_t kind, const fr_edge_event *edge);
void fr_observe_edge(firn_world *world, uint32_t kind, const fr_edge_event *edge);
/// OnAdd of the terms that `to` has and `from` has not, of which one is that of the edge; of the
/// edge alone when they are the same archetype.
void fr_record_related(firn_world *world, const fr_edge_event *edge, const fr_archetype *to,
                       const fr_archetype *from);
void fr_observe_related(firn_world *world, const fr_edge_event *edge, const fr_archetype *to,
                        const fr_archetype *from);
static inline void fr_change_end(firn_world *world, uint32_t outer)
{
    if (outer != FR_UNHEARD) {
        fr_change_end_heard(world, outer);
    }
}

#endif
