/// help.h: what the tables of commands and options say, as text.
#ifndef FR_CLI_HELP_H
#define FR_CLI_HELP_H

#include "cli/cli.h"

/// The help of a command.
void fr_cli_print_help(fr_cli *cli, const fr_cli_command *command);
/// All commands.
void fr_cli_print_overview(fr_cli *cli);
/// The command of a name. NULL: there is none, which has been said.
const fr_cli_command *fr_cli_command_of(fr_cli *cli, const char *name);

#endif
