// Calls that must fail, and what firn says to each. Nothing changes when one does.
#include <firn/firn.h>

#include <stdio.h>

typedef struct Position {
    float x, y;
} Position;

static const firn_field fields[] = {
    FIRN_FIELD(Position, x, FIRN_F32),
    FIRN_FIELD(Position, y, FIRN_F32),
};

static void *no_memory(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    (void)user, (void)ptr, (void)old_size, (void)new_size, (void)align;
    return NULL;
}

static void say(const firn_error *err)
{
    printf("%s %s: %s\n", firn_result_name(err->code), err->subject, err->message);
}

int main(void)
{
    firn_allocator none = {.resize = no_memory};
    firn_error err;
    firn_world_create(&(firn_world_desc){.allocator = &none}, &err), say(&err);

    firn_limits limits = {.entities = 1};
    firn_world *world = firn_world_create(&(firn_world_desc){.limits = &limits}, &err);
    firn_component_desc desc = {
        .name = "Position", .size = sizeof(Position), .fields = fields, .field_count = 2};
    firn_component position = firn_component_register(world, &desc, &err);
    firn_spawn(world, &position, 1, &err);

    firn_component_desc narrow = {.name = "Speed", .size = 4, .fields = fields, .field_count = 2};
    firn_component_register(world, &narrow, &err), say(&err);
    firn_component_desc other = {
        .name = "Position", .size = sizeof(Position), .fields = fields, .field_count = 1};
    firn_component_register(world, &other, &err), say(&err);
    firn_despawn(world, 4711, &err), say(&err);
    firn_spawn(world, &position, 1, &err), say(&err);

    firn_buffer save = {0};
    firn_query all = firn_query_create(world, &(firn_query_desc){.name = "all"}, &err);
    firn_iter it;
    firn_iter_begin(world, all, &it);
    firn_snapshot_save(world, NULL, &save, &err), say(&err);
    firn_iter_end(&it, &err);

    firn_data data = {.key = "__firn.x", .encoded = "\x02", .encoded_size = 1};
    firn_save_options options = {.data = &data, .data_count = 1};
    firn_snapshot_save(world, &options, &save, &err), say(&err);
    firn_snapshot_save_file(world, "no/such/folder", NULL, &err), say(&err);
    firn_snapshot_save_file(world, "/", NULL, &err), say(&err);
    firn_buffer_free(&save);
    firn_world_destroy(world);
    return 0;
}
// FIRN_NO_MEMORY a world: no memory for a world
// FIRN_INVALID Speed.y: the field (offset 4, 1 of 4 bytes) leaves its struct of 4 bytes
// FIRN_EXISTS Position: the component "Position" is registered already, with another layout
// FIRN_NOT_FOUND entity: entity 4711 (slot 4711, generation 0) does not live
// FIRN_LIMIT entities: 1 entities live, 1 more are above the limit of 1
// FIRN_BUSY all: a loop over the query all is open
// FIRN_INVALID __firn.x: data key __firn.x is reserved: __tecs.*, __firn.*, tecs.random and tecs.sequence are
// FIRN_NOT_FOUND no/such/folder: no/such/folder: opening its folder: No such file or directory
// FIRN_IO /: /: ends in '/', which names a folder
