#include "saves/game_id.h"

#include "base/error.h"
#include "base/utf8.h"

#include <string.h>

#define GAME_ID_MOST 64

static bool is_id_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

firn_result fr_game_id_check(const char *game, firn_error *err)
{
    if (game == NULL) {
        return fr_fail(err, FIRN_INVALID, "game", "the id of the game is NULL");
    }
    size_t size = 0;
    while (size <= GAME_ID_MOST && is_id_character(game[size])) {
        size++;
    }
    if (game[size] == 0 && size > 0 && size <= GAME_ID_MOST && game[0] != '.' &&
        game[size - 1] != '.') {
        return FIRN_OK;
    }
    char shown[GAME_ID_MOST + 16];
    return fr_fail(err, FIRN_INVALID, "game",
                   "'%s' is no id of a game: an id is 1 to %d of a-z A-Z 0-9 _ - and . inside",
                   fr_printable(shown, sizeof shown, game, strlen(game)), GAME_ID_MOST);
}
