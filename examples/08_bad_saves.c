// Saves that must not load, and what firn says to each. The world stays as it was.
#include <firn/firn.h>

#include <stdio.h>
#include <string.h>

static void try_load(firn_world *world, const firn_buffer *save, size_t size)
{
    firn_error err;
    if (firn_snapshot_load(world, save->data, size, NULL, NULL, &err) == FIRN_OK) {
        printf("FIRN_OK\n");
    } else if (err.offset == FIRN_NO_OFFSET) {
        printf("%s %s: %s\n", firn_result_name(err.code), err.subject, err.message);
    } else {
        printf("%s at byte %llu: %s\n", firn_result_name(err.code), (unsigned long long)err.offset,
               err.message);
    }
}

static firn_result refuse(void *user, firn_world *world, const char *key, const void *encoded,
                          size_t size, firn_error *err)
{
    (void)user, (void)world, (void)key, (void)encoded, (void)size;
    snprintf(err->message, sizeof err->message, "there is no such season");
    return err->code = FIRN_REFUSED;
}

// One entity with the tag Hungry, and the custom data {season = true}.
static void make_save(firn_buffer *save)
{
    firn_world *world = firn_world_create(NULL, NULL);
    firn_component_desc desc = {.name = "Hungry", .kind = FIRN_TAG};
    firn_component hungry = firn_component_register(world, &desc, NULL);
    firn_spawn(world, &hungry, 1, NULL);
    firn_data data = {.key = "season", .encoded = "\x02", .encoded_size = 1};
    firn_snapshot_save(world, &(firn_save_options){.data = &data, .data_count = 1}, save, NULL);
    firn_world_destroy(world);
}

int main(void)
{
    firn_buffer save = {0};
    make_save(&save);
    firn_world *world = firn_world_create(NULL, NULL);
    try_load(world, &save, save.size); // Hungry is not registered

    firn_component_desc desc = {.name = "Hungry", .kind = FIRN_TAG};
    firn_component_register(world, &desc, NULL);
    try_load(world, &save, save.size);
    try_load(world, &save, save.size - 1);

    firn_error err;
    firn_load_options options = {.on_data = refuse};
    firn_snapshot_load(world, save.data, save.size, &options, NULL, &err);
    printf("%s %s: %s\n", firn_result_name(err.code), err.subject, err.message);

    firn_buffer_append(&save, "", 1, NULL);
    try_load(world, &save, save.size);
    memcpy(save.data, "\x06\x63\x00\x00\x00", 5); // the number 99, where the version stands
    try_load(world, &save, save.size);
    memcpy(save.data, "fox", 3);
    try_load(world, &save, save.size);
    firn_buffer_free(&save);
    firn_world_destroy(world);
    return 0;
}
// FIRN_UNKNOWN at byte 45: component Hungry is not registered
// FIRN_OK
// FIRN_TRUNCATED at byte 137: the data section has no end: the image ends early
// FIRN_REFUSED season: data season: there is no such season
// FIRN_CORRUPT at byte 138: 1 bytes follow the end of the data section
// FIRN_VERSION at byte 0: version 99 is not known: 1 and 2 are
// FIRN_NOT_OURS at byte 0: byte 0x66 begins no version number: not a snapshot
