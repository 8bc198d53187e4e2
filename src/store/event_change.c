#include "store/event_change.h"

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

static firn_event event_of_term(const firn_world *world, uint32_t kind, const firn_entity *entity,
                                fr_term term)
{
    firn_event event = event_of_entities(world, kind, entity, 1);
    event.component = fr_component_handle(world, fr_term_component(term));
    return event;
}

// The events of the terms that `with` has and `without` has not, in the order of their names. All
// are recorded before the first observer runs: room for them was reserved together.
static void tell_terms(firn_world *world, uint32_t kind, const firn_entity *entity,
                       const fr_archetype *with, const fr_archetype *without)
{
    for (uint32_t i = 0; i < 2 * with->term_count; i++) {
        bool first = i < with->term_count;
        fr_term term = with->terms[with->by_name[first ? i : i - with->term_count]];
        if (has_term(without, term)) {
            continue;
        }
        firn_event event = event_of_term(world, kind, entity, term);
        if (first) {
            fr_event_record(world, &event);
        } else {
            (void)fr_event_observe(world, &event, NULL);
        }
    }
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
    tell_terms(world, FR_EVENT_ADD, entity, archetype, from);
    fr_change_end_heard(world, outer);
}

void fr_publish_set_heard(firn_world *world, const firn_entity *entity, uint32_t component)
{
    uint32_t outer = fr_publication_begin(world, FR_EVENT_SET);
    firn_event event = event_of_term(world, FR_EVENT_SET, entity, fr_term_make(component, 0));
    tell_change(world, &event);
    fr_change_end_heard(world, outer);
}

uint32_t fr_publish_remove_heard(firn_world *world, const firn_entity *entity,
                                 const fr_archetype *archetype, const fr_archetype *to)
{
    uint32_t outer = fr_publication_begin(world, FR_EVENT_REMOVE);
    tell_terms(world, FR_EVENT_REMOVE, entity, archetype, to);
    return outer;
}

uint32_t fr_publish_despawn_heard(firn_world *world, const firn_entity *entity)
{
    uint32_t outer = fr_publication_begin(world, FR_EVENT_DESPAWN);
    if (fr_heard(world, FR_HEARD(FR_EVENT_DESPAWN))) {
        firn_event event = event_of_entities(world, FR_EVENT_DESPAWN, entity, 1);
        tell_change(world, &event);
    }
    fr_events_forget(world, *entity);
    return outer;
}
