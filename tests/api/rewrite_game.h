/// rewrite_game.h: a game whose components and fields can be renamed and dropped in two ways: in
/// the bytes of a save, and by a load into a world that registers the new names with the old ones
/// as former names.
#ifndef TEST_REWRITE_GAME_H
#define TEST_REWRITE_GAME_H

#include "firn/firn.h"
#include "support/support.h"

typedef enum rewrite_kind {
    GAME_PLACE,
    GAME_BODY,
    GAME_ALIVE,
    GAME_SCORE,
    GAME_TITLE,
    GAME_BAG,
    GAME_BOSS,
    GAME_SMALL, ///< a tag
    GAME_LIKES, ///< dense
    GAME_OWNS,  ///< sparse, exclusive
    GAME_KNOWS, ///< sparse, of many targets
    GAME_KINDS
} rewrite_kind;

#define GAME_FIELDS 7
#define GAME_NAME   32

typedef struct game_name {
    const char *was; ///< NULL: there is none
    char now[GAME_NAME];
    bool dropped;
    const char *former[2];
} game_name;

/// What everything is called.
typedef struct game_names {
    game_name components[GAME_KINDS];
    game_name fields[GAME_KINDS][GAME_FIELDS];
} game_names;

typedef struct game_world {
    firn_world *world;
    firn_component of[GAME_KINDS]; ///< 0: dropped
} game_world;

/// The names that the game begins with.
void game_names_begin(game_names *names);
/// A world that registers what is called so.
game_world game_make(game_names *names);
/// Entities with a bit of everything, and edges; the same of one seed.
void game_fill(const game_world *game, uint64_t seed, uint32_t entities);
/// A save with all edges.
firn_buffer game_save(firn_world *world);
/// What a load of the image into a world of these names, and a save of that, gives.
firn_buffer game_expect(game_names *names, const firn_buffer *image);

/// Does an edit to the names. False: it would be one that finds nothing, or what is there already.
bool game_edit(game_names *names, const firn_edit *edit);

/// firn_image_rewrite that must succeed.
firn_buffer game_rewrite(const firn_buffer *image, const firn_edit *edits, uint32_t count);

#endif
