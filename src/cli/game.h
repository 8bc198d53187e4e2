/// game.h: the game that a schema file describes: a world with its components and states, in which
/// verify tries files.
#ifndef FR_CLI_GAME_H
#define FR_CLI_GAME_H

#include "cli/cli.h"

/// A component of the game.
typedef struct fr_cli_registration {
    const char *name;
    firn_component_kind kind;
    const char *fingerprint; ///< FIRN_STRUCT: of a row; FIRN_RELATION: of what stands behind the
                             ///< target, or NULL
    uint32_t relation;       ///< firn_relation_bits
} fr_cli_registration;

/// Whether a component is among the first `own` of a world.
bool fr_cli_is_own(const firn_world *world, uint32_t own, firn_component component);

/// Makes cli->game, which has what every world has. FIRN_NO_MEMORY.
firn_result fr_cli_game_begin(fr_cli *cli, firn_error *err);
/// Adds a component, or nothing for one that every world has. FIRN_INVALID: what it says is wrong;
/// FIRN_EXISTS: there is one of the name and another kind; FIRN_LIMIT, FIRN_NO_MEMORY. One of kind
/// FIRN_VALUE is only looked at.
firn_result fr_cli_game_add(fr_cli *cli, const fr_cli_registration *says, firn_error *err);
/// Adds what cli->schemas names and the game lacks, which is encoded: as values, whatever the game
/// makes of them. The tag of a state is there by then. FIRN_LIMIT, FIRN_NO_MEMORY.
firn_result fr_cli_game_add_encoded(fr_cli *cli, firn_error *err);
firn_result fr_cli_game_add_state(fr_cli *cli, const char *name, firn_error *err);

/// Whether the game would take a snapshot: fails as a load does, with its offset. What the game is
/// not said to have is taken, unless cli->complete: then such a component or state is FIRN_INVALID.
firn_result fr_cli_game_check(const fr_cli *cli, const fr_cli_source *source, firn_error *err);

#endif
