/// check.h: what verify looks at in a file beyond what opening it has checked.
#ifndef FR_CLI_CHECK_H
#define FR_CLI_CHECK_H

#include "cli/cli.h"

/// Where bytes stand in the snapshot; `otherwise` for those of a column that lies row by row, which
/// are made aside.
size_t fr_cli_place(const fr_cli_source *source, const void *bytes, size_t otherwise);
/// Decodes every encoded value of an open snapshot, which finds keys that a table has twice, and
/// checks what firn keeps there itself. FIRN_CORRUPT, FIRN_LIMIT, FIRN_INVALID, FIRN_NO_MEMORY;
/// err->offset is in the snapshot. It is a step of fr_cli_progress.
firn_result fr_cli_check_image(fr_cli *cli, const fr_cli_source *source, firn_error *err);
/// Expands every section of an open save file and decodes those that hold tables. Also
/// FIRN_UNSUPPORTED; err->offset is in the file, or none.
firn_result fr_cli_check_sections(const fr_cli *cli, const fr_cli_source *source, firn_error *err);
/// All of it for bytes that were made: fr_cli_source_take, then the two above. The snapshot is then
/// open.
firn_result fr_cli_check_made(fr_cli *cli, fr_cli_source *made, firn_error *err);

// ---- of check_own.c

/// Checks an entry of data whose value begins at `place` of the snapshot, if it is one that firn
/// reads: states, phases, random streams, script state, the order of relationships. What only a
/// game knows (its states, its providers of script state) is taken as it is.
firn_result fr_cli_check_entry(const fr_cli *cli, const firn_image_datum *datum,
                               const firn_value *value, size_t place, firn_error *err);

// ---- of check_any.c

/// Tries a snapshot of firn in a world that has what every game has (Name, Key, ChildOf) and the
/// relations that the snapshot shows, if it holds any of those: fails as a load does. What a codec
/// may have written of an edge is taken as it is, and the rest tried without that relation.
firn_result fr_cli_check_any(const fr_cli *cli, const fr_cli_source *source, firn_error *err);

#endif
