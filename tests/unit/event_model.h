/// event_model.h: a naive model of what changes a world and what it publishes. Everything is done
/// in the plainest way: lists are walked, texts are kept.
#ifndef EVENT_MODEL_H
#define EVENT_MODEL_H

#include "unit/event_journal.h"

/// In the decided order: durable names, then transient ones.
enum { FLAG, MARK, NUMBER, TAG, PASSING, COMPONENTS };
#define MODEL_TAGS (1u << MARK | 1u << TAG | 1u << PASSING)

enum { SPAWN, DESPAWN, ADD, REMOVE, SET, HIT, KINDS };

#define MODEL_SLOTS     512
#define MODEL_COMMANDS  512
#define MODEL_OBSERVERS 4000
#define MODEL_QUEUES    2
#define MODEL_MANY      8

typedef struct model_entity {
    firn_entity id;
    bool placed; // or reserved
    uint32_t components;
} model_entity;

typedef struct model_observer {
    int kind;
    firn_entity address;
    int component; // -1: any
    bool gone;
} model_observer;

typedef struct model_command {
    int kind; // SPAWN .. SET
    uint32_t components;
    uint32_t n;
    firn_entity ids[MODEL_MANY];
} model_command;

typedef struct model_queue {
    uint32_t kinds;
    firn_buffer texts[1000];
    uint32_t first, count;
} model_queue;

typedef struct model {
    firn_component handles[COMPONENTS];
    const char *names[KINDS];
    model_entity entities[MODEL_SLOTS];
    uint32_t entity_count;
    uint32_t free_slots[MODEL_SLOTS];
    uint32_t free_count;
    uint32_t generations[MODEL_SLOTS];
    uint32_t next_slot;
    model_command commands[MODEL_COMMANDS]; // the first is at 0
    uint32_t command_count;
    uint32_t removed[MODEL_SLOTS]; // by slot: components whose removal may wait
    bool applying;
    int open; // loops and publications
    model_observer observers[MODEL_OBSERVERS];
    uint32_t observer_count;
    model_queue queues[MODEL_QUEUES];
    /// Called for each observer that sees an event, with its number.
    void (*observe)(void *user, uint32_t observer, const firn_event *event);
    void *user;
    journal scratch;
} model;

/// The calls of firn, with components as bits; false: the entity or observer is not there.
void model_spawn(model *m, uint32_t components, uint32_t n, firn_entity *ids);
bool model_despawn(model *m, firn_entity id);
bool model_add(model *m, firn_entity id, uint32_t components);
bool model_remove(model *m, firn_entity id, uint32_t components);
bool model_set(model *m, firn_entity id, int component);
bool model_emit(model *m, firn_entity address, const char *payload);
bool model_observe(model *m, int kind, firn_entity address, int component);
bool model_unobserve(model *m, uint32_t observer);
void model_begin_loop(model *m);
void model_end_loop(model *m);
model_entity *model_find(model *m, firn_entity id);
/// The text of the next event of a queue, to be freed; false: there is none.
bool model_pull(model *m, int queue, firn_buffer *out);

#endif
