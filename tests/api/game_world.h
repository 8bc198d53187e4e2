/// game_world.h: what the tests of firn/game.h share.
#ifndef TEST_GAME_WORLD_H
#define TEST_GAME_WORLD_H

#include "api/snapshot_zoo.h"

/// An image without entities and with one entry in its data section; NULL: with none. The value is
/// a tree as text (support/tree.h). Bytes of the default allocator.
firn_buffer game_image(const char *key, const char *tree);
/// Loads an image, which must succeed.
void game_restore(firn_world *world, const firn_buffer *image);
/// Loads a game_image; the error says what failed.
firn_result game_load(firn_world *world, const char *key, const char *tree, firn_error *err);
/// Such an image is refused, and the world is then as before. The message contains `part`.
#define assert_refused(world, key, tree, result, part)                                             \
    game_assert_refused((world), (key), (tree), (result), (part), __FILE__, __LINE__)
void game_assert_refused(firn_world *world, const char *key, const char *tree, firn_result result,
                         const char *part, const char *file, int line);
/// The entry of a save of the world is this tree; NULL: there is none.
#define assert_entry(world, key, tree) game_assert_entry((world), (key), (tree), __FILE__, __LINE__)
void game_assert_entry(firn_world *world, const char *key, const char *tree, const char *file,
                       int line);

/// A text that callbacks write to, `word;` each.
typedef struct game_log {
    char text[512];
} game_log;
void game_note(game_log *log, const char *word);
/// The log holds this, and is empty afterwards.
#define assert_log(log, words) game_assert_log((log), (words), __FILE__, __LINE__)
void game_assert_log(game_log *log, const char *words, const char *file, int line);

#endif
