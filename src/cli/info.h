/// info.h: what `firn info` finds out.
#ifndef FR_CLI_INFO_H
#define FR_CLI_INFO_H

#include "cli/tree.h"

/// Begins the tree of a source, whose snapshot is open if it has one: `{file, format, size, save =
/// {...}, snapshot = {...}}`. tree->err says what failed.
void fr_cli_info_tree(fr_cli *cli, const fr_cli_source *source, fr_cli_tree *tree);
/// Prints the tree for people. FR_CLI_TROUBLE: no memory, which has been said.
fr_cli_status fr_cli_info_text(fr_cli *cli, const firn_value *root);

#endif
