#include "bench.h"

#include <stdio.h>

static const firn_field vector_fields[] = {
    FIRN_FIELD(Vector, x, FIRN_F32),
    FIRN_FIELD(Vector, y, FIRN_F32),
};
static const firn_field health_fields[] = {
    FIRN_FIELD(Health, current, FIRN_I32),
    FIRN_FIELD(Health, max, FIRN_I32),
};
static const firn_field key_fields[] = {FIRN_FIELD(Key, key, FIRN_U64)};

bool w1_create(W1 *w1, const firn_allocator *allocator, firn_error *err)
{
    const firn_component_desc descs[] = {
        {.name = "Position", .size = sizeof(Vector), .fields = vector_fields, .field_count = 2},
        {.name = "Velocity", .size = sizeof(Vector), .fields = vector_fields, .field_count = 2},
        {.name = "Health", .size = sizeof(Health), .fields = health_fields, .field_count = 2},
        {.name = "Marked", .kind = FIRN_TAG},
        {.name = "Serial", .size = sizeof(Key), .fields = key_fields, .field_count = 1},
    };
    firn_component *const components[] = {&w1->position, &w1->velocity, &w1->health, &w1->marked,
                                          &w1->key};
    w1->world = firn_world_create(&(firn_world_desc){.allocator = allocator}, err);
    for (uint32_t i = 0; w1->world != NULL && i < FIRN_COUNT(descs); i++) {
        *components[i] = firn_component_register(w1->world, &descs[i], err);
        if (*components[i] == 0) {
            w1_destroy(w1);
        }
    }
    return w1->world != NULL;
}

void w1_destroy(W1 *w1)
{
    firn_world_destroy(w1->world);
    w1->world = NULL;
}

static uint32_t keyed(uint32_t entities)
{
    return entities / 10;
}

void w1_parts(const W1 *w1, uint32_t entities, unsigned kind, W1Part parts[3])
{
    uint32_t marked = entities / 2 - keyed(entities);
    const uint32_t counts[] = {entities - marked - keyed(entities), marked, keyed(entities)};
    for (uint32_t i = 0; i < 3; i++) {
        parts[i] = (W1Part){
            {w1->position, w1->velocity, w1->health, w1->marked, w1->key, firn_name(w1->world)},
            3 + i,
            counts[i],
        };
    }
    if ((kind & W1_NAMED) != 0) {
        parts[2].count++;
    }
}

uint64_t w1_payload(uint32_t entities)
{
    return (2 * sizeof(Vector) + sizeof(Health)) * (uint64_t)entities +
           sizeof(Key) * (uint64_t)keyed(entities);
}

void shuffle(firn_entity *ids, uint32_t count)
{
    uint64_t state = 88172645463325252; // xorshift64
    for (uint32_t i = count; i > 1; i--) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        uint32_t j = (uint32_t)(state % i);
        firn_entity id = ids[i - 1];
        ids[i - 1] = ids[j];
        ids[j] = id;
    }
}

// Ends as many entities in a random order, so that those to come get their slots in it.
static bool shuffle_slots(W1 *w1, uint32_t entities, firn_entity *ids, firn_error *err)
{
    if (firn_spawn_many(w1->world, NULL, 0, entities, ids, err) != FIRN_OK) {
        return false;
    }
    shuffle(ids, entities);
    for (uint32_t i = 0; i < entities; i++) {
        if (firn_despawn(w1->world, ids[i], err) != FIRN_OK) {
            return false;
        }
    }
    return true;
}

// Numbers that differ from row to row, so that no copy is cheaper than the real one.
static bool set_numbers(W1 *w1, firn_error *err)
{
    firn_term terms[] = {
        {.component = w1->position}, {.component = w1->velocity}, {.component = w1->health}};
    firn_query_desc desc = {.name = "fill", .terms = terms, .term_count = 3};
    firn_query query = firn_query_create(w1->world, &desc, err);
    firn_iter it;
    firn_iter_begin(w1->world, query, &it);
    while (firn_iter_next(&it)) {
        Vector *positions = it.columns[0];
        Vector *velocities = it.columns[1];
        Health *healths = it.columns[2];
        for (uint32_t i = 0; i < it.count; i++) {
            positions[i] = (Vector){(float)i, (float)(i % 1000)};
            velocities[i] = (Vector){(float)(i % 7), (float)(i % 11)};
            healths[i] = (Health){(int32_t)(i % 100), 100};
        }
    }
    return firn_iter_end(&it, err) == FIRN_OK &&
           firn_query_destroy(w1->world, query, err) == FIRN_OK;
}

static bool set_names(W1 *w1, const firn_entity *ids, uint32_t count, firn_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "villager %lu", (unsigned long)i);
        if (firn_set_text(w1->world, ids[i], firn_name(w1->world), name, err) != FIRN_OK) {
            return false;
        }
    }
    return true;
}

bool w1_fill(W1 *w1, uint32_t entities, unsigned kind, firn_entity *ids, firn_error *err)
{
    if ((kind & W1_SHUFFLED) != 0 && !shuffle_slots(w1, entities, ids, err)) {
        return false;
    }
    W1Part parts[3];
    w1_parts(w1, entities, kind, parts);
    for (uint32_t i = 0, from = 0; i < 3; from += parts[i++].entities) {
        if (firn_spawn_many(w1->world, parts[i].components, parts[i].count, parts[i].entities,
                            ids + from, err) != FIRN_OK) {
            return false;
        }
    }
    uint32_t named = (kind & W1_NAMED) != 0 ? parts[2].entities : 0;
    return set_numbers(w1, err) && set_names(w1, ids + (entities - named), named, err);
}
