// Opens a snapshot that Tecs, an entity system for LuaJIT, wrote, and prints its entities.
#include <firn/firn.h>

#include <stdio.h>

typedef struct Vector {
    float x, y;
} Vector;

typedef struct Health {
    int32_t current, max;
} Health;

static const firn_field vector_fields[] = {FIRN_FIELD(Vector, x, FIRN_F32),
                                           FIRN_FIELD(Vector, y, FIRN_F32)};
static const firn_field health_fields[] = {FIRN_FIELD(Health, current, FIRN_I32),
                                           FIRN_FIELD(Health, max, FIRN_I32)};
static const firn_component_desc descs[] = {
    {.name = "Position", .size = sizeof(Vector), .fields = vector_fields, .field_count = 2},
    {.name = "Velocity", .size = sizeof(Vector), .fields = vector_fields, .field_count = 2},
    {.name = "Health", .size = sizeof(Health), .fields = health_fields, .field_count = 2},
};

static void print_component(const firn_world *world, firn_entity entity, firn_component component)
{
    const char *name = firn_component_name(world, component);
    const void *row = firn_get(world, entity, component);
    if (component == firn_component_find(world, "Health")) {
        const Health *health = row;
        printf("  %s %d of %d", name, (int)health->current, (int)health->max);
    } else if (firn_component_kind_of(world, component) == FIRN_STRUCT) {
        const Vector *vector = row;
        printf("  %s %g %g", name, (double)vector->x, (double)vector->y);
    } else {
        printf("  %s", name);
    }
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "tests/golden/tecs/03_dense_ffi.bin";
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    for (uint32_t i = 0; i < FIRN_COUNT(descs); i++) {
        firn_component_register(world, &descs[i], &err);
    }
    firn_load_options options = {.skip_unknown = true};
    firn_load_report report;
    if (firn_snapshot_load_file(world, path, &options, &report, &err) != FIRN_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    printf("version %u, %u entities, %u unknown components\n", report.prelude.version,
           report.prelude.entity_count, report.unknown);
    firn_load_report_free(&report);

    firn_iter it;
    firn_iter_begin(world, firn_query_create(world, &(firn_query_desc){0}, &err), &it);
    while (firn_iter_next(&it)) {
        for (uint32_t i = 0; i < it.count; i++) {
            firn_component components[8];
            uint32_t count = firn_entity_components(world, it.entities[i], components, 8);
            printf("%llu", (unsigned long long)it.entities[i]);
            for (uint32_t j = 0; j < count && j < 8; j++) {
                print_component(world, it.entities[i], components[j]);
            }
            printf("\n");
        }
    }
    firn_iter_end(&it, &err);
    firn_world_destroy(world);
    return 0;
}
// version 2, 5 entities, 0 unknown components
// 3  Health 50 of 100  Position 5 6  Velocity -1 1
// 4  Health -1 of 2147483647  Position 7 8  Velocity 9 10
// 1  Position 1.5 -2.25
// 5  Position 0.1 1e-20
// 2  Position 3 4  Velocity 0.5 0.25
