#include "unit/store_model.h"

#include <stdlib.h>
#include <string.h>

// Durable names in their order, then transient ones.
static const int name_order[COMPONENTS] = {OWNER, DISABLED, FLAG,     HUNGRY,  MARK,
                                           NAME,  NUMBER,   PAUSED,   TAG,     TEXT,
                                           VALUE, WIDE,     POSITION, PASSING, SELF};
#define DURABLE_COUNT 13

static const uint32_t requires[COMPONENTS] = {
    [MARK] = 1u << TAG,
    [HUNGRY] = 1u << NUMBER | 1u << MARK | 1u << TAG | 1u << TEXT,
};

static const uint32_t tags = 1u << DISABLED | 1u << PAUSED | 1u << TAG | 1u << MARK | 1u << PASSING;

static int compare_lists(uint32_t a, uint32_t b, int first, int end)
{
    int i = first;
    int k = first;
    for (;;) {
        while (i < end && (a >> name_order[i] & 1) == 0) {
            i++;
        }
        while (k < end && (b >> name_order[k] & 1) == 0) {
            k++;
        }
        if (i == end || k == end) {
            return (i < end) - (k < end);
        }
        if (i != k) {
            return i < k ? -1 : 1;
        }
        i++;
        k++;
    }
}

static int compare_sets(uint32_t a, uint32_t b)
{
    int order = compare_lists(a, b, 0, DURABLE_COUNT);
    return order != 0 ? order : compare_lists(a, b, DURABLE_COUNT, COMPONENTS);
}

static model_table *model_table_of(model *m, uint32_t components)
{
    uint32_t at = 0;
    for (uint32_t end = m->table_count; at < end;) {
        uint32_t middle = at + (end - at) / 2;
        bool before = compare_sets(m->tables[middle].components, components) < 0;
        at = before ? middle + 1 : at;
        end = before ? end : middle;
    }
    if (at < m->table_count && m->tables[at].components == components) {
        return &m->tables[at];
    }
    if (m->table_count == m->table_capacity) {
        m->table_capacity = 2 * m->table_capacity + 16;
        m->tables = realloc(m->tables, m->table_capacity * sizeof *m->tables);
        assert_non_null(m->tables);
    }
    memmove(m->tables + at + 1, m->tables + at, (m->table_count - at) * sizeof *m->tables);
    m->table_count++;
    m->tables[at] = (model_table){.components = components};
    return &m->tables[at];
}

static model_entity *model_find(model *m, firn_entity id)
{
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->entities[i].id == id) {
            return &m->entities[i];
        }
    }
    return NULL;
}

static void model_leave(model *m, const model_entity *entity)
{
    model_table *table = model_table_of(m, entity->components);
    uint32_t row = 0;
    while (table->rows[row] != entity->id) {
        row++;
    }
    table->rows[row] = table->rows[--table->count];
}

static void model_enter(model *m, const model_entity *entity)
{
    model_table *table = model_table_of(m, entity->components);
    table->rows[table->count++] = entity->id;
}

static uint32_t closed(uint32_t components)
{
    for (int i = 0; i < COMPONENTS; i++) {
        if ((components >> i & 1) != 0) {
            components |= requires[i];
        }
    }
    return components;
}

firn_entity model_take(model *m)
{
    uint32_t slot = m->free_count > 0 ? m->free_slots[--m->free_count] : m->next_slot++;
    assert_true(slot < MODEL_SLOTS);
    return fr_entity(slot, m->generations[slot]);
}

static void model_release(model *m, firn_entity id)
{
    m->generations[fr_slot(id)]++;
    m->free_slots[m->free_count++] = fr_slot(id);
}

static void model_change(model *m, model_entity *entity, uint32_t components)
{
    if (components == entity->components) {
        return;
    }
    model_leave(m, entity);
    for (int i = 0; i < COMPONENTS; i++) {
        if ((components >> i & 1) == 0 || (entity->components >> i & 1) == 0) {
            entity->values[i] = 0;
        }
    }
    entity->components = components;
    model_enter(m, entity);
}

void model_apply(model *m, const model_command *command)
{
    if (command->kind == MODEL_SPAWN) {
        model_entity *entity = &m->entities[m->count++];
        *entity = (model_entity){.id = command->id, .components = closed(command->components)};
        model_enter(m, entity);
        return;
    }
    model_entity *entity = model_find(m, command->id);
    if (entity == NULL) {
        return;
    }
    switch (command->kind) {
    case MODEL_SPAWN:
        break;
    case MODEL_DESPAWN:
        model_leave(m, entity);
        model_release(m, entity->id);
        *entity = m->entities[--m->count];
        break;
    case MODEL_ADD:
        model_change(m, entity, entity->components | closed(command->components));
        break;
    case MODEL_REMOVE:
        model_change(m, entity, entity->components & ~command->components);
        break;
    case MODEL_SET:
        // A set of what is there adds nothing; of a tag it is an add.
        if ((entity->components >> command->component & 1) == 0 ||
            (tags >> command->component & 1) != 0) {
            model_change(m, entity, entity->components | closed(1u << command->component));
        }
        entity->values[command->component] = command->value;
        break;
    }
}
