#include "bench.h"

typedef struct Vector {
    float x, y;
} Vector;

typedef struct Health {
    int32_t current, max;
} Health;

typedef struct Key {
    uint64_t key;
} Key;

static const firn_field vector_fields[] = {
    FIRN_FIELD(Vector, x, FIRN_F32),
    FIRN_FIELD(Vector, y, FIRN_F32),
};
static const firn_field health_fields[] = {
    FIRN_FIELD(Health, current, FIRN_I32),
    FIRN_FIELD(Health, max, FIRN_I32),
};
static const firn_field key_fields[] = {FIRN_FIELD(Key, key, FIRN_U64)};

bool w1_create(W1 *w1, firn_error *err)
{
    const firn_component_desc descs[] = {
        {.name = "Position", .size = sizeof(Vector), .fields = vector_fields, .field_count = 2},
        {.name = "Velocity", .size = sizeof(Vector), .fields = vector_fields, .field_count = 2},
        {.name = "Health", .size = sizeof(Health), .fields = health_fields, .field_count = 2},
        {.name = "Marked", .kind = FIRN_TAG},
        {.name = "Key", .size = sizeof(Key), .fields = key_fields, .field_count = 1},
    };
    firn_component *const components[] = {&w1->position, &w1->velocity, &w1->health, &w1->marked,
                                          &w1->key};
    w1->world = firn_world_create(NULL, err);
    for (uint32_t i = 0; w1->world != NULL && i < FIRN_COUNT(descs); i++) {
        *components[i] = firn_component_register(w1->world, &descs[i], err);
        if (*components[i] == 0) {
            w1_destroy(w1);
        }
    }
    return w1->world != NULL;
}

static bool spawn(W1 *w1, uint32_t components, uint32_t entities, firn_error *err)
{
    const firn_component all[] = {w1->position, w1->velocity, w1->health, w1->marked, w1->key};
    return entities == 0 ||
           firn_spawn_many(w1->world, all, components, entities, NULL, err) == FIRN_OK;
}

// Numbers that differ from row to row, so that no copy is cheaper than the real one.
static bool set_numbers(W1 *w1, firn_error *err)
{
    firn_term terms[] = {{.component = w1->position}, {.component = w1->velocity}};
    firn_query_desc desc = {.name = "fill", .terms = terms, .term_count = 2};
    firn_query query = firn_query_create(w1->world, &desc, err);
    firn_iter it;
    firn_iter_begin(w1->world, query, &it);
    while (firn_iter_next(&it)) {
        Vector *positions = it.columns[0];
        Vector *velocities = it.columns[1];
        for (uint32_t i = 0; i < it.count; i++) {
            positions[i] = (Vector){(float)i, (float)(i % 1000)};
            velocities[i] = (Vector){(float)(i % 7), (float)(i % 11)};
        }
    }
    return firn_iter_end(&it, err) == FIRN_OK &&
           firn_query_destroy(w1->world, query, err) == FIRN_OK;
}

bool w1_fill(W1 *w1, uint32_t entities, firn_error *err)
{
    uint32_t keyed = entities / 10;
    uint32_t marked = entities / 2 - keyed;
    return spawn(w1, 3, entities - marked - keyed, err) && spawn(w1, 4, marked, err) &&
           spawn(w1, 5, keyed, err) && set_numbers(w1, err);
}

void w1_destroy(W1 *w1)
{
    firn_world_destroy(w1->world);
    w1->world = NULL;
}
