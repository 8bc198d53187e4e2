/// store_model.h: a naive model of a world: entities, rows, order, free slots, changes that wait.
#ifndef STORE_MODEL_H
#define STORE_MODEL_H

#include "unit/store_fixture.h"

enum {
    NAME,
    DISABLED,
    PAUSED,
    WIDE,
    POSITION,
    NUMBER,
    FLAG,
    TEXT,
    VALUE,
    TAG,
    MARK,
    OWNER,
    SELF,
    HUNGRY,
    PASSING,
    COMPONENTS
};

#define MODEL_ENTITIES 256
#define MODEL_SLOTS    1024
#define MODEL_COMMANDS 4096
#define MODEL_QUERIES  6

typedef struct model_entity {
    firn_entity id;
    uint32_t components;         // a bit each
    uint64_t values[COMPONENTS]; // what the row holds, 0 for the default
} model_entity;

typedef enum model_kind {
    MODEL_SPAWN,
    MODEL_DESPAWN,
    MODEL_ADD,
    MODEL_REMOVE,
    MODEL_SET
} model_kind;

typedef struct model_command {
    model_kind kind;
    firn_entity id;
    uint32_t components;
    int component;
    uint64_t value;
} model_command;

typedef struct model_table {
    uint32_t components;
    uint32_t count;
    firn_entity rows[MODEL_ENTITIES];
} model_table;

typedef struct model {
    fixture *f;
    test_random random;
    firn_component handles[COMPONENTS];
    model_entity entities[MODEL_ENTITIES];
    uint32_t count;
    model_table *tables; // in the decided order
    uint32_t table_count;
    uint32_t table_capacity;
    uint32_t free_slots[MODEL_SLOTS]; // a stack
    uint32_t free_count;
    uint32_t generations[MODEL_SLOTS];
    uint32_t next_slot;
    model_command commands[MODEL_COMMANDS];
    uint32_t command_count;
    firn_entity reserved[MODEL_ENTITIES];
    uint32_t reserved_count;
    firn_query queries[MODEL_QUERIES];
} model;

/// Takes the next id as the world should: the slot freed last, else a fresh one.
firn_entity model_take(model *m);
/// Makes one change. Changes of entities that ended do nothing.
void model_apply(model *m, const model_command *command);

#endif
