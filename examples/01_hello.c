// A world with one moving entity, saved to bytes, and woken up again in another world.
#include <firn/firn.h>

#include <stdio.h>

typedef struct Position {
    float x, y;
} Position;

static const firn_field position_fields[] = {
    FIRN_FIELD(Position, x, FIRN_F32),
    FIRN_FIELD(Position, y, FIRN_F32),
};
static const firn_component_desc position_desc = {.name = "Position",
                                                  .kind = FIRN_STRUCT,
                                                  .size = sizeof(Position),
                                                  .fields = position_fields,
                                                  .field_count = FIRN_COUNT(position_fields)};

int main(void)
{
    firn_error err;
    firn_world *world = firn_world_create(NULL, &err);
    firn_component position = firn_component_register(world, &position_desc, &err);
    firn_entity fox = firn_spawn(world, &position, 1, &err);
    firn_set_text(world, fox, firn_name(world), "fox", &err);

    firn_query movers = firn_query_create(
        world, &(firn_query_desc){.terms = &(firn_term){.component = position}, .term_count = 1},
        &err);
    firn_iter it;
    firn_iter_begin(world, movers, &it);
    while (firn_iter_next(&it)) {
        Position *positions = it.columns[0];
        for (uint32_t i = 0; i < it.count; i++) {
            positions[i].x += 1.5f;
        }
    }
    firn_iter_end(&it, &err);

    firn_buffer save = {0};
    firn_snapshot_save(world, NULL, &save, &err);
    firn_world_destroy(world);

    world = firn_world_create(NULL, &err);
    position = firn_component_register(world, &position_desc, &err);
    if (firn_snapshot_load(world, save.data, save.size, NULL, NULL, &err) != FIRN_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    const Position *at = firn_get(world, fox, position);
    size_t length;
    const char *name = firn_get_string(world, fox, firn_name(world), &length);
    printf("%.*s is at %.1f, %.1f\n", (int)length, name, (double)at->x, (double)at->y);
    firn_buffer_free(&save);
    firn_world_destroy(world);
    return 0;
}
// fox is at 1.5, 0.0
