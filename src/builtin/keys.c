// The component Key: names by which a game finds its entities again.
#include "builtin/game.h"

#include "base/error.h"
#include "store/unique.h"

#include <string.h>

firn_result fr_keys_install(firn_world *world, fr_game *game, firn_error *err)
{
    const firn_component_desc desc = {.name = "Key", .kind = FIRN_STRING, .unique = true};
    firn_error why;
    game->key = firn_component_register(world, &desc, &why);
    return game->key != 0 ? FIRN_OK : fr_fail_copy(err, &why);
}

firn_component firn_key(const firn_world *world)
{
    const fr_game *game = fr_game_of(world);
    return game == NULL ? 0 : game->key;
}

firn_entity firn_find_key(const firn_world *world, const void *key, size_t size)
{
    const fr_game *game = fr_game_of(world);
    if (game == NULL || key == NULL) {
        return 0;
    }
    uint32_t index = fr_component_index(world, game->key);
    return fr_unique_find(world, world->components.items[index], key, size);
}

firn_entity firn_require_key(const firn_world *world, const char *key, firn_error *err)
{
    if (world == NULL || key == NULL) {
        const char *argument = world == NULL ? "world" : "key";
        fr_fail(err, FIRN_INVALID, argument, "%s is NULL", argument);
        return 0;
    }
    firn_entity entity = firn_find_key(world, key, strlen(key));
    if (entity == 0) {
        fr_fail(err, FIRN_NOT_FOUND, key, "no entity has the key \"%s\"", key);
    }
    return entity;
}
