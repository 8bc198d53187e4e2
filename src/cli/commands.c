#include "cli/cli.h"

const fr_cli_command *const fr_cli_commands[] = {
    &fr_cli_diff,   &fr_cli_dump,    &fr_cli_hash,   &fr_cli_help,
    &fr_cli_info,   &fr_cli_migrate, &fr_cli_report, &fr_cli_salvage,
    &fr_cli_schema, &fr_cli_undump,  &fr_cli_verify, NULL,
};
