// peer.c: what the scenes of bench/lua are compared with: the same work in C, called through the
// FFI.
#include "firn/firn.h"

#include <stdlib.h>

#define PEER_API __attribute__((visibility("default")))

typedef struct peer_position {
    float x, y;
} peer_position;

typedef struct peer_velocity {
    float x, y;
} peer_velocity;

typedef struct peer_health {
    int32_t current, max;
} peer_health;

/// A world of C with the components that the scenes have in Lua.
typedef struct peer {
    firn_world *world;
    firn_component components[3];
    firn_query query;
} peer;

PEER_API peer *peer_create(void);
PEER_API void peer_destroy(peer *own);
PEER_API int peer_load(peer *own, const void *image, size_t size);
PEER_API int peer_spawn(peer *own, uint32_t count);
PEER_API void peer_iterate(peer *own, float dt);

peer *peer_create(void)
{
    static const firn_field position[] = {FIRN_FIELD(peer_position, x, FIRN_F32),
                                          FIRN_FIELD(peer_position, y, FIRN_F32)};
    static const firn_field velocity[] = {FIRN_FIELD(peer_velocity, x, FIRN_F32),
                                          FIRN_FIELD(peer_velocity, y, FIRN_F32)};
    static const firn_field health[] = {FIRN_FIELD(peer_health, current, FIRN_I32),
                                        FIRN_FIELD(peer_health, max, FIRN_I32)};
    const firn_component_desc descs[] = {
        {.name = "Position", .size = sizeof(peer_position), .fields = position, .field_count = 2},
        {.name = "Velocity", .size = sizeof(peer_velocity), .fields = velocity, .field_count = 2},
        {.name = "Health", .size = sizeof(peer_health), .fields = health, .field_count = 2},
    };
    peer *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->world = firn_world_create(NULL, NULL);
    for (int i = 0; i < 3; i++) {
        own->components[i] = firn_component_register(own->world, &descs[i], NULL);
    }
    const firn_term terms[] = {{.component = own->components[0]},
                               {.component = own->components[1], .read_only = true}};
    own->query =
        firn_query_create(own->world, &(firn_query_desc){.terms = terms, .term_count = 2}, NULL);
    return own;
}

void peer_destroy(peer *own)
{
    firn_world_destroy(own->world);
    free(own);
}

int peer_load(peer *own, const void *image, size_t size)
{
    return firn_snapshot_load(own->world, image, size, NULL, NULL, NULL) != FIRN_OK;
}

int peer_spawn(peer *own, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        peer_position position = {(float)i, 1};
        peer_velocity velocity = {1, 2};
        peer_health health = {100, 100};
        const void *const rows[] = {&position, &velocity, &health};
        if (firn_spawn_rows(own->world, own->components, rows, 3, NULL) == 0) {
            return 1;
        }
    }
    return 0;
}

void peer_iterate(peer *own, float dt)
{
    firn_iter it;
    firn_iter_begin(own->world, own->query, &it);
    while (firn_iter_next(&it)) {
        peer_position *position = it.columns[0];
        const peer_velocity *velocity = it.columns[1];
        for (uint32_t i = 0; i < it.count; i++) {
            position[i].x += velocity[i].x * dt;
            position[i].y += velocity[i].y * dt;
        }
    }
    firn_iter_end(&it, NULL);
}
