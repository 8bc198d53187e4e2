// Codecs: rows that point into what this run of the game has loaded are saved by name, and find
// their places again in a run that loaded other things in another order.
#include "codecs/codecs.h"

#include <stdio.h>
#include <string.h>

// Each run has its own.
static const char *const first_images[] = {"fox.png", "den.png", NULL};
static const char *const second_images[] = {"tree.png", "den.png", "fox.png", NULL};
static const char *const sounds[] = {"rain.ogg", NULL}, *const groups[] = {"weather", NULL};
static const Cycle first_cycles[] = {{"fox", "run", 4, 0.1f}, {0}};
static const Cycle second_cycles[] = {{"fox", "sit", 2, 1}, {"fox", "run", 8, 0.1f}, {0}};
static const Font first_fonts[] = {{"serif", 0.5f}, {0}}, second_fonts[] = {{0}};

typedef struct Game {
    firn_world *world;
    firn_component sprite, animation, sound, text;
} Game;

static Game open_game(Assets *assets)
{
    Game game = {.world = firn_world_create(NULL, NULL)};
    assets_open(assets, NULL);
    game.sprite = sprite_register(game.world, assets, NULL);
    game.animation = animation_register(game.world, assets, NULL);
    game.sound = sound_register(game.world, assets, NULL);
    game.text = text_register(game.world, assets, NULL);
    return game;
}

static void print_fox(const Game *game, firn_entity fox)
{
    const Sprite *sprite = firn_get(game->world, fox, game->sprite);
    const Animation *animation = firn_get(game->world, fox, game->animation);
    const Sound *sound = firn_get(game->world, fox, game->sound);
    const Text *text = firn_get(game->world, fox, game->text);
    printf("image %d, cycle %d at %.1f s, frame %d, voice %d, \"%s\" %s\n", sprite->image,
           animation->cycle, (double)animation->seconds, animation->frame, sound->voice, text->text,
           text->layout != NULL ? "laid out" : "without a layout");
}

static firn_entity spawn_fox(const Game *game, Assets *assets)
{
    Text text = {.text = "a fox", .font = "serif", .size = 12};
    text_lay_out(assets, &text);
    firn_entity fox = firn_spawn(game->world, NULL, 0, NULL);
    firn_set(game->world, fox, game->sprite, &(Sprite){0, 1}, NULL);
    firn_set(game->world, fox, game->animation, &(Animation){0, 0.5f, 1}, NULL);
    firn_set(game->world, fox, game->sound, &(Sound){0, 0, 0.5f, mixer_play(assets)}, NULL);
    firn_set(game->world, fox, game->text, &text, NULL);
    return fox;
}

int main(void)
{
    Assets first = {first_images, sounds, groups, first_cycles, first_fonts, NULL, 0, 0};
    Assets second = {second_images, sounds, groups, second_cycles, second_fonts, NULL, 6, 0};
    Game one = open_game(&first), two = open_game(&second);
    firn_entity fox = spawn_fox(&one, &first);
    print_fox(&one, fox);

    firn_buffer save = {0};
    firn_snapshot_save(one.world, NULL, &save, NULL);
    firn_snapshot_load(two.world, save.data, save.size, NULL, NULL, NULL);
    print_fox(&two, fox);

    firn_buffer_free(&save);
    firn_world_destroy(one.world);
    firn_world_destroy(two.world);
    assets_close(&first);
    assets_close(&second);
    return 0;
}
// image 0, cycle 0 at 0.5 s, frame 1, voice 1, "a fox" laid out
// image 2, cycle 1 at 0.2 s, frame 0, voice 7, "a fox" without a layout
