/// game_id.h: what a game may call itself.
#ifndef FR_GAME_ID_H
#define FR_GAME_ID_H

#include "firn/base.h"

/// FIRN_INVALID with the subject `game`, unless the id is 1 to 64 of a-z A-Z 0-9 _ - and `.`, which
/// is neither first nor last.
firn_result fr_game_id_check(const char *game, firn_error *err);

#endif
