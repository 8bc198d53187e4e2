#include "store/event_change.h"

#include "store/relation.h"

static void tell_change(firn_world *world, const firn_event *event)
{
    fr_event_record(world, event);
    // The change is made whatever observers say.
    (void)fr_event_observe(world, event, NULL);
}

void fr_change_end_heard(firn_world *world, uint32_t outer)
{
    // What fails now waits, and whoever changes the world next hears of it.
    (void)fr_publication_end(world, outer, NULL);
}

static firn_event event_of_entities(const firn_world *world, uint32_t kind,
                                    const firn_entity *entities, uint32_t n)
{
    firn_event event = fr_event_of(world, kind);
    event.entities = entities;
    event.count = n;
    return event;
}

static bool has_term(const fr_archetype *archetype, fr_term term)
{
    uint32_t at = fr_terms_place(archetype->terms, archetype->term_count, term);
    return at < archetype->term_count && archetype->terms[at] == term;
}

typedef void (*tell_fn)(firn_world *world, uint32_t kind, const fr_edge_event *edge);

static firn_event event_of_edge(const firn_world *world, uint32_t kind, const fr_edge_event *edge)
{
    firn_event event = event_of_entities(world, kind, edge->source, 1);
    event.component = fr_component_handle(world, edge->relation);
    event.target = edge->target;
    return event;
}

void fr_record_edge(firn_world *world, uint32_t kind, const fr_edge_event *edge)
{
    firn_event event = event_of_edge(world, kind, edge);
    fr_event_record(world, &event);
}

void fr_observe_edge(firn_world *world, uint32_t kind, const fr_edge_event *edge)
{
    firn_event event = event_of_edge(world, kind, edge);
    (void)fr_event_observe(world, &event, NULL);
}

// OnAdd of the terms that `with` has and `without` has not, in the order of their names. All are
// recorded before the first observer runs: room for them was reserved together. The target is that
// of the one term of a relation among them.
static void tell_added(firn_world *world, const firn_entity *entity, firn_entity target,
                       const fr_archetype *with, const fr_archetype *without, tell_fn tell)
{
    for (uint32_t i = 0; i < with->term_count; i++) {
        uint32_t term = with->by_name[i];
        if (!has_term(without, with->terms[term])) {
            const fr_component *component = with->components[term];
            bool relation = component->kind == FIRN_RELATION;
            tell(world, FR_EVENT_ADD,
                 &(fr_edge_event){entity, component->index, relation ? target : 0});
        }
    }
}

// The same of OnRemove, for each edge of the row.
static void tell_removed(firn_world *world, const firn_entity *entity, const fr_archetype *with,
                         const fr_archetype *without, tell_fn tell)
{
    uint32_t row = (uint32_t)(entity - with->entities);
    for (uint32_t i = 0; i < with->term_count; i++) {
        uint32_t term = with->by_name[i];
        const fr_component *component = with->components[term];
        if (has_term(without, with->terms[term])) {
            continue;
        }
        if (component->kind != FIRN_RELATION) {
            tell(world, FR_EVENT_REMOVE, &(fr_edge_event){entity, component->index, 0});
            continue;
        }
        uint32_t count;
        const uint8_t *edge = fr_row_edges(with, term, row, &count);
        for (uint32_t k = 0; k < count; k++, edge += component->edge_stride) {
            tell(world, FR_EVENT_REMOVE,
                 &(fr_edge_event){entity, component->index, fr_edge_target(edge)});
        }
    }
}

uint32_t fr_count_parting_edges(const fr_archetype *archetype, const fr_archetype *to, uint32_t row)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        uint32_t count = 1;
        if (has_term(to, archetype->terms[i])) {
            continue;
        }
        if (archetype->components[i]->kind == FIRN_RELATION) {
            fr_row_edges(archetype, i, row, &count);
        }
        total += count;
    }
    return total;
}

static void tell_related(firn_world *world, const fr_edge_event *edge, const fr_archetype *to,
                         const fr_archetype *from, tell_fn tell)
{
    if (to == from) {
        tell(world, FR_EVENT_ADD, edge);
    } else {
        tell_added(world, edge->source, edge->target, to, from, tell);
    }
}

void fr_record_related(firn_world *world, const fr_edge_event *edge, const fr_archetype *to,
                       const fr_archetype *from)
{
    tell_related(world, edge, to, from, fr_record_edge);
}

void fr_observe_related(firn_world *world, const fr_edge_event *edge, const fr_archetype *to,
                        const fr_archetype *from)
{
    tell_related(world, edge, to, from, fr_observe_edge);
}

void fr_publish_spawn_heard(firn_world *world, const firn_entity *entities, uint32_t n)
{
    uint32_t outer = fr_publication_begin(world, FR_EVENT_SPAWN);
    firn_event event = event_of_entities(world, FR_EVENT_SPAWN, entities, n);
    tell_change(world, &event);
    fr_change_end_heard(world, outer);
}

void fr_publish_add_heard(firn_world *world, const firn_entity *entity,
                          const fr_archetype *archetype, const fr_archetype *from)
{
    uint32_t outer = fr_publication_begin(world, FR_EVENT_ADD);
    tell_added(world, entity, 0, archetype, from, fr_record_edge);
    tell_added(world, entity, 0, archetype, from, fr_observe_edge);
    fr_change_end_heard(world, outer);
}

void fr_publish_set_heard(firn_world *world, const firn_entity *entity, uint32_t component)
{
    uint32_t outer = fr_publication_begin(world, FR_EVENT_SET);
    const fr_edge_event edge = {entity, component, 0};
    fr_record_edge(world, FR_EVENT_SET, &edge);
    fr_observe_edge(world, FR_EVENT_SET, &edge);
    fr_change_end_heard(world, outer);
}

uint32_t fr_publish_remove_heard(firn_world *world, const firn_entity *entity,
                                 const fr_archetype *archetype, const fr_archetype *to)
{
    uint32_t outer = fr_publication_begin(world, FR_EVENT_REMOVE);
    tell_removed(world, entity, archetype, to, fr_record_edge);
    tell_removed(world, entity, archetype, to, fr_observe_edge);
    return outer;
}

void fr_record_despawn(firn_world *world, const firn_entity *entities, uint32_t n)
{
    if (fr_heard(world, FR_HEARD(FR_EVENT_DESPAWN))) {
        firn_event event = event_of_entities(world, FR_EVENT_DESPAWN, entities, n);
        fr_event_record(world, &event);
    }
}

void fr_observe_despawn(firn_world *world, const firn_entity *entities, uint32_t n)
{
    if (fr_heard(world, FR_HEARD(FR_EVENT_DESPAWN))) {
        firn_event event = event_of_entities(world, FR_EVENT_DESPAWN, entities, n);
        (void)fr_event_observe(world, &event, NULL);
    }
    for (uint32_t i = 0; i < n; i++) {
        fr_events_forget(world, entities[i]);
    }
}

uint32_t fr_publish_despawn_heard(firn_world *world, const firn_entity *entities, uint32_t n)
{
    uint32_t outer = fr_publication_begin(world, FR_EVENT_DESPAWN);
    fr_record_despawn(world, entities, n);
    fr_observe_despawn(world, entities, n);
    return outer;
}
