// Save slots: what a player's saves survive, and what is said of those that cannot be loaded.
#include <firn/firn.h>

#include <stdio.h>

static firn_saves *open_game(const char *game, uint32_t version, const firn_storage *storage)
{
    firn_saves_desc desc = {.game = game, .version = version, .storage = storage};
    return firn_saves_open(firn_world_create(NULL, NULL), &desc, NULL);
}

static void close_game(firn_saves *saves)
{
    firn_world *world = firn_saves_world(saves);
    firn_saves_close(saves);
    firn_world_destroy(world);
}

static void try_read(firn_saves *saves, const char *slot)
{
    firn_error err;
    firn_saves_loaded loaded = {0};
    if (firn_saves_read(saves, slot, &loaded, &err) != FIRN_OK) {
        printf("%s %s: %s\n", firn_result_name(err.code), err.subject, err.message);
    } else {
        printf("loaded tick %d%s\n", (int)firn_world_tick(loaded.world),
               loaded.from_backup ? " from the backup" : "");
    }
    firn_saves_loaded_free(&loaded);
}

static void save(firn_saves *saves, uint64_t tick)
{
    firn_world_set_tick(firn_saves_world(saves), tick, NULL);
    firn_saves_write(saves, "slot-1", NULL, NULL);
}

// A byte of the file changes, as on a bad disk.
static void damage(const firn_storage *storage)
{
    firn_buffer file = {0};
    storage->get(storage->user, "slot-1", FIRN_CURRENT, UINT64_MAX, &file, NULL, NULL);
    file.data[file.size - 1] ^= 1;
    firn_revision revision;
    storage->put(storage->user, "slot-1", FIRN_REVISION_ANY, file.data, file.size, &revision, NULL);
    firn_buffer_free(&file);
}

int main(void)
{
    firn_storage storage;
    firn_storage_memory(NULL, &storage, NULL); // a game: firn_storage_folder
    firn_saves *saves = open_game("fox", 1, &storage);
    try_read(saves, "slot-1");
    save(saves, 10);
    save(saves, 20);
    try_read(saves, "slot-1");
    damage(&storage);
    try_read(saves, "slot-1");
    save(saves, 30);
    firn_saves *hare = open_game("hare", 1, &storage);
    try_read(hare, "slot-1");
    close_game(hare);
    firn_saves *newer = open_game("fox", 2, &storage);
    try_read(newer, "slot-1");
    save(newer, 40);
    close_game(newer);
    try_read(saves, "slot-1");
    try_read(saves, "../slot-1");
    close_game(saves);
    firn_storage_close(&storage);
    return 0;
}
// FIRN_NOT_FOUND slot-1: slot-1: there is no entry of that name
// loaded tick 20
// loaded tick 20 from the backup
// FIRN_OTHER_GAME fox: the save is of the game fox, and this one is hare
// FIRN_NOT_FOUND 1: version 1 to 2: there is no migration from version 1
// FIRN_NEWER gameVersion: the save is of version 2 of the game, and this one is version 1
// FIRN_INVALID ../slot-1: '../slot-1' names no slot: a name is 1 to 64 of a-z 0-9 _ -
