// Who belongs to whom, and who is who: relationships and keys, before and after a save.
#include <firn/firn.h>

#include <stdio.h>

// A row of a relationship begins with its target, which firn keeps; its own fields follow.
typedef struct Likes {
    firn_entity target;
    int32_t how_much;
} Likes;

static const firn_field likes_fields[] = {FIRN_FIELD(Likes, how_much, FIRN_I32)};

typedef struct Game {
    firn_world *world;
    firn_component child_of, likes;
} Game;

// ChildOf, whose children end with their parents, is there from the start; so are keys.
static Game open_game(void)
{
    Game game = {.world = firn_world_create(NULL, NULL)};
    firn_component_desc desc = {.name = "Likes", .kind = FIRN_RELATION, .size = sizeof(Likes)};
    desc.fields = likes_fields;
    desc.field_count = FIRN_COUNT(likes_fields);
    desc.relation = FIRN_SPARSE | FIRN_EXCLUSIVE;
    game.child_of = firn_child_of(game.world);
    game.likes = firn_component_register(game.world, &desc, NULL);
    return game;
}

static firn_entity spawn(const Game *game, const char *key, firn_entity parent)
{
    firn_entity entity = firn_spawn(game->world, NULL, 0, NULL);
    firn_set_text(game->world, entity, firn_key(game->world), key, NULL);
    firn_relate(game->world, entity, game->child_of, parent, NULL, NULL); // 0: refused
    return entity;
}

static void print_key(const Game *game, const char *what, firn_entity entity)
{
    size_t size;
    const char *key = firn_get_string(game->world, entity, firn_key(game->world), &size);
    printf("%s %.*s\n", what, (int)size, key);
}

int main(void)
{
    firn_error err;
    firn_buffer save = {0};
    Game game = open_game();
    firn_entity vixen = spawn(&game, "vixen", 0), kit = spawn(&game, "kit", vixen),
                cub = spawn(&game, "cub", vixen);
    firn_relate(game.world, cub, game.likes, kit, &(Likes){.how_much = 7}, &err);
    firn_snapshot_save(game.world, NULL, &save, &err);
    firn_world_destroy(game.world);

    game = open_game();
    firn_snapshot_load(game.world, save.data, save.size, NULL, NULL, &err);
    vixen = firn_require_key(game.world, "vixen", &err);
    firn_entity child = firn_first_source(game.world, game.child_of, vixen);
    for (; child != 0; child = firn_next_source(game.world, game.child_of, vixen, child)) {
        print_key(&game, "the vixen has", child);
    }
    cub = firn_find_key(game.world, "cub", 3);
    const Likes *likes = firn_get(game.world, cub, game.likes);
    print_key(&game, likes->how_much > 5 ? "the cub loves" : "the cub likes", likes->target);

    firn_despawn(game.world, vixen, &err); // and her children with her
    firn_require_key(game.world, "kit", &err);
    printf("%s\n", err.message);
    firn_buffer_free(&save);
    firn_world_destroy(game.world);
    return 0;
}
// the vixen has kit
// the vixen has cub
// the cub loves kit
// no entity has the key "kit"
