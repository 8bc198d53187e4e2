/// tally.h: how many differences there are of what.
#ifndef FR_CLI_TALLY_H
#define FR_CLI_TALLY_H

#include "cli/tree.h"

/// Counts by component, and by what else differs. It takes memory for each of those, none for a
/// difference.
typedef struct fr_cli_tally {
    firn_buffer counts; ///< in order
    uint64_t total;
    uint64_t entities; ///< that both have, and that changed
    firn_entity last;  ///< of them
    char last_key[256];
} fr_cli_tally;

void fr_cli_tally_begin(const fr_cli *cli, fr_cli_tally *tally);
void fr_cli_tally_end(fr_cli_tally *tally);
/// Counts a difference; `around`: it is of the save file around the snapshot. FIRN_NO_MEMORY.
firn_result fr_cli_tally_add(fr_cli_tally *tally, const firn_difference *difference, bool around,
                             firn_error *err);
/// Prints a line for each count, those of components by number. It counts nothing after that.
void fr_cli_tally_print(fr_cli *cli, fr_cli_tally *tally);
/// The counts as members of a table.
void fr_cli_tally_tree(const fr_cli_tally *tally, fr_cli_tree *tree, firn_value *table);

#endif
