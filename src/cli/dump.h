/// dump.h: the forms in which dump shows a file.
#ifndef FR_CLI_DUMP_H
#define FR_CLI_DUMP_H

#include "cli/selection.h"

/// As text: of everything the header, sections and data too.
fr_cli_status fr_cli_dump_text(fr_cli *cli, fr_cli_selection *selection);
/// As JSON Lines: of everything what undump reads.
fr_cli_status fr_cli_dump_json(fr_cli *cli, fr_cli_selection *selection);
/// A component as a table.
fr_cli_status fr_cli_dump_csv(fr_cli *cli, fr_cli_selection *selection, const char *component);

#endif
