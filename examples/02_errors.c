// Provokes what can go wrong, and prints what firn says to it.
#include <firn/firn.h>

#include <stdio.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

static const firn_field fields[] = {FIRN_FIELD(Position, x, FIRN_F32)};

static void *no_memory(void *user, void *ptr, size_t old_size, size_t new_size, size_t align)
{
    (void)user, (void)ptr, (void)old_size, (void)new_size, (void)align;
    return NULL;
}

static firn_result refuse(void *user, firn_world *world, const char *key, const void *encoded,
                          size_t size, firn_error *err)
{
    (void)user, (void)world, (void)encoded, (void)size;
    snprintf(err->subject, sizeof err->subject, "%s", key);
    snprintf(err->message, sizeof err->message, "the game does not know the season");
    return err->code = FIRN_REFUSED;
}

static void say(const firn_error *err)
{
    printf("%s: %s\n", firn_result_name(err->code), err->message);
}

static void provoke_in_a_world(firn_world *world, firn_component position, firn_buffer *save)
{
    firn_error err;
    firn_component_desc wider = {.name = "Position", .size = 16, .fields = fields,
                                 .field_count = 1};
    firn_component_desc wrong = {.name = "Speed", .size = 2, .align = 1, .fields = fields,
                                 .field_count = 1};
    firn_component_register(world, &wrong, &err), say(&err);
    firn_despawn(world, 4711, &err), say(&err);
    firn_component_register(world, &wider, &err), say(&err);
    firn_spawn(world, &position, 1, &err), say(&err); // limits.entities is 1

    firn_iter it;
    firn_query_desc all = {.name = "all"};
    firn_iter_begin(world, firn_query_create(world, &all, &err), &it);
    firn_snapshot_save(world, NULL, save, &err), say(&err);
    firn_iter_end(&it, &err);
    firn_snapshot_save_file(world, "/", NULL, &err), say(&err);

    firn_data season = {.key = "season", .encoded = "\x02", .encoded_size = 1};
    firn_save_options options = {.data = &season, .data_count = 1};
    firn_snapshot_save(world, &options, save, &err);
    firn_load_options refusing = {.on_data = refuse};
    firn_snapshot_load(world, save->data, save->size, &refusing, NULL, &err), say(&err);
}

static void provoke_with_bytes(firn_buffer *save)
{
    firn_error err;
    firn_world *empty = firn_world_create(NULL, &err);
    firn_snapshot_load(empty, "fox", 3, NULL, NULL, &err), say(&err);
    firn_snapshot_load(empty, save->data, save->size - 1, NULL, NULL, &err), say(&err);
    firn_snapshot_load(empty, save->data, save->size, NULL, NULL, &err), say(&err);
    firn_buffer_append(save, "", 1, &err); // a byte behind the end
    firn_snapshot_load(empty, save->data, save->size, NULL, NULL, &err), say(&err);
    memcpy(save->data, "\x06\x63\x00\x00\x00", 5); // version 99
    firn_snapshot_load(empty, save->data, save->size, NULL, NULL, &err), say(&err);
    firn_world_destroy(empty);
}

int main(void)
{
    firn_error err;
    firn_allocator none = {.resize = no_memory};
    firn_world_create(&(firn_world_desc){.allocator = &none}, &err), say(&err);

    firn_limits limits = {.entities = 1};
    firn_world *world = firn_world_create(&(firn_world_desc){.limits = &limits}, &err);
    firn_component_desc desc = {.name = "Position", .size = sizeof(Position), .fields = fields,
                                .field_count = 1};
    firn_component position = firn_component_register(world, &desc, &err);
    firn_spawn(world, &position, 1, &err);
    firn_buffer save = {0};
    provoke_in_a_world(world, position, &save);
    provoke_with_bytes(&save);
    firn_buffer_free(&save);
    firn_world_destroy(world);
    return 0;
}
