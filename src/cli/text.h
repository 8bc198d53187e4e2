/// text.h: text that shall not drive the terminal.
#ifndef FR_CLI_TEXT_H
#define FR_CLI_TEXT_H

#include "cli/cli.h"

typedef void (*fr_cli_write_fn)(fr_cli *cli, const void *bytes, size_t size);

/// Hands text of a message to `write`, escaped as by fr_cli_text, but for backslashes.
void fr_cli_escape(fr_cli *cli, const char *text, fr_cli_write_fn write);

#endif
