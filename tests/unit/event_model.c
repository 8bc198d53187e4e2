#include "unit/event_model.h"

#include <string.h>

static void apply_all(model *m);

model_entity *model_find(model *m, firn_entity id)
{
    for (uint32_t i = 0; i < m->entity_count; i++) {
        if (m->entities[i].id == id) {
            return &m->entities[i];
        }
    }
    return NULL;
}

static model_entity *find_placed(model *m, firn_entity id)
{
    model_entity *entity = model_find(m, id);
    return entity != NULL && entity->placed ? entity : NULL;
}

static uint32_t with_required(uint32_t components)
{
    return (components >> MARK & 1) != 0 ? components | 1u << TAG : components;
}

// ---------------------------------------------------------------- publishing

static firn_event model_event(const model *m, int kind, const firn_entity *ids, uint32_t n)
{
    return (firn_event){.name = m->names[kind], .entities = n == 0 ? NULL : ids, .count = n};
}

static void record(model *m, int kind, const firn_event *event)
{
    for (int i = 0; i < MODEL_QUEUES; i++) {
        model_queue *queue = &m->queues[i];
        if ((queue->kinds >> kind & 1) == 0) {
            continue;
        }
        assert_true(queue->count < 1000);
        journal_write(&m->scratch, "q", event);
        queue->texts[(queue->first + queue->count++) % 1000] = m->scratch.text;
        m->scratch.text = (firn_buffer){0};
    }
}

static void tell_at(model *m, int kind, int component, firn_entity address, uint32_t known,
                    const firn_event *event)
{
    for (uint32_t i = 0; i < known; i++) {
        const model_observer *o = &m->observers[i];
        if (!o->gone && o->kind == kind && o->address == address &&
            (o->component < 0 || o->component == component)) {
            m->observe(m->user, i, event);
        }
    }
}

static void tell(model *m, int kind, int component, const firn_event *event)
{
    uint32_t known = m->observer_count;
    tell_at(m, kind, component, 0, known, event);
    for (uint32_t i = 0; i < event->count; i++) {
        firn_event here = *event;
        here.address = event->entities[i];
        here.entities = &event->entities[i];
        here.count = 1;
        tell_at(m, kind, component, event->entities[i], known, &here);
    }
}

static void end_publication(model *m)
{
    m->open--;
    if (m->open == 0 && !m->applying) {
        apply_all(m);
    }
}

// OnAdd, OnRemove or OnSet of these components, inside a publication.
static void tell_components(model *m, int kind, firn_entity id, uint32_t components)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < COMPONENTS; i++) {
            if ((components >> i & 1) == 0) {
                continue;
            }
            firn_event event = model_event(m, kind, &id, 1);
            event.component = m->handles[i];
            if (pass == 0) {
                record(m, kind, &event);
            } else {
                tell(m, kind, i, &event);
            }
        }
    }
}

// ---------------------------------------------------------------- changes

static void place(model *m, const model_command *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        model_entity *entity = model_find(m, c->ids[i]);
        entity->placed = true;
        entity->components = with_required(c->components);
    }
    firn_event event = model_event(m, SPAWN, c->ids, c->n);
    m->open++;
    record(m, SPAWN, &event);
    tell(m, SPAWN, -1, &event);
    end_publication(m);
}

static void end(model *m, firn_entity id)
{
    firn_event event = model_event(m, DESPAWN, &id, 1);
    m->open++;
    record(m, DESPAWN, &event);
    tell(m, DESPAWN, -1, &event);
    for (uint32_t i = 0; i < m->observer_count; i++) {
        m->observers[i].gone = m->observers[i].gone || m->observers[i].address == id;
    }
    model_entity *entity = model_find(m, id);
    *entity = m->entities[--m->entity_count];
    m->generations[fr_slot(id)]++;
    m->free_slots[m->free_count++] = fr_slot(id);
    end_publication(m);
}

static void add(model *m, firn_entity id, uint32_t components)
{
    model_entity *entity = find_placed(m, id);
    uint32_t added = with_required(components) & ~entity->components;
    entity->components |= added;
    if (added != 0) {
        m->open++;
        tell_components(m, ADD, id, added);
        end_publication(m);
    }
}

static void take_away(model *m, firn_entity id, uint32_t components)
{
    uint32_t gone = components & find_placed(m, id)->components;
    if (gone != 0) {
        m->open++;
        tell_components(m, REMOVE, id, gone);
        find_placed(m, id)->components &= ~gone;
        end_publication(m);
    }
}

static void set(model *m, firn_entity id, uint32_t component)
{
    if ((find_placed(m, id)->components & component) == 0) {
        add(m, id, component);
        return;
    }
    m->open++;
    tell_components(m, SET, id, component);
    end_publication(m);
}

static void apply(model *m, const model_command *c)
{
    if (c->kind == SPAWN) {
        place(m, c);
    } else if (find_placed(m, c->ids[0]) == NULL) {
        return;
    } else if (c->kind == DESPAWN) {
        end(m, c->ids[0]);
    } else if (c->kind == ADD) {
        add(m, c->ids[0], c->components);
    } else if (c->kind == REMOVE) {
        take_away(m, c->ids[0], c->components);
    } else {
        set(m, c->ids[0], c->components);
    }
}

static void apply_all(model *m)
{
    m->applying = true;
    while (m->command_count > 0) {
        model_command command = m->commands[0];
        apply(m, &command);
        memmove(m->commands, m->commands + 1, --m->command_count * sizeof *m->commands);
    }
    memset(m->removed, 0, sizeof m->removed);
    m->applying = false;
}

static void change(model *m, const model_command *c)
{
    if (m->open == 0) {
        apply(m, c);
        return;
    }
    assert_true(m->command_count < MODEL_COMMANDS);
    m->commands[m->command_count++] = *c;
    if (c->kind == REMOVE) {
        m->removed[fr_slot(c->ids[0])] |= c->components;
    }
}

// ---------------------------------------------------------------- calls

void model_spawn(model *m, uint32_t components, uint32_t n, firn_entity *ids)
{
    model_command command = {.kind = SPAWN, .components = components, .n = n};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = m->free_count > 0 ? m->free_slots[--m->free_count] : m->next_slot++;
        assert_true(slot < MODEL_SLOTS);
        ids[i] = fr_entity(slot, m->generations[slot]);
        command.ids[i] = ids[i];
        m->entities[m->entity_count++] = (model_entity){.id = ids[i]};
    }
    change(m, &command);
}

static bool change_one(model *m, int kind, firn_entity id, uint32_t components)
{
    if (model_find(m, id) == NULL) {
        return false;
    }
    change(m, &(model_command){.kind = kind, .components = components, .n = 1, .ids = {id}});
    return true;
}

bool model_despawn(model *m, firn_entity id)
{
    return change_one(m, DESPAWN, id, 0);
}

bool model_add(model *m, firn_entity id, uint32_t components)
{
    return change_one(m, ADD, id, components);
}

bool model_remove(model *m, firn_entity id, uint32_t components)
{
    return change_one(m, REMOVE, id, components);
}

bool model_set(model *m, firn_entity id, int component)
{
    const model_entity *entity = find_placed(m, id);
    if (entity != NULL && m->open > 0 && (entity->components >> component & 1) != 0 &&
        (m->removed[fr_slot(id)] >> component & 1) == 0) {
        set(m, id, 1u << component);
        return true;
    }
    return change_one(m, SET, id, 1u << component);
}

bool model_emit(model *m, firn_entity address, const char *payload)
{
    if (address != 0 && model_find(m, address) == NULL) {
        return false;
    }
    firn_event event = model_event(m, HIT, &address, address != 0);
    event.address = address;
    event.payload = payload;
    event.size = strlen(payload);
    m->open++;
    record(m, HIT, &event);
    tell(m, HIT, -1, &event);
    end_publication(m);
    return true;
}

bool model_observe(model *m, int kind, firn_entity address, int component)
{
    if (address != 0 && model_find(m, address) == NULL) {
        return false;
    }
    m->observers[m->observer_count++] = (model_observer){kind, address, component, false};
    return true;
}

bool model_unobserve(model *m, uint32_t observer)
{
    bool there = !m->observers[observer].gone;
    m->observers[observer].gone = true;
    return there;
}

void model_begin_loop(model *m)
{
    m->open++;
}

void model_end_loop(model *m)
{
    end_publication(m);
}

bool model_pull(model *m, int queue, firn_buffer *out)
{
    model_queue *q = &m->queues[queue];
    if (q->count == 0) {
        return false;
    }
    *out = q->texts[q->first];
    q->first = (q->first + 1) % 1000;
    q->count--;
    return true;
}
