/// text.h: text that shall not drive the terminal.
#ifndef FR_CLI_TEXT_H
#define FR_CLI_TEXT_H

#include "cli/cli.h"

typedef void (*fr_cli_write_fn)(fr_cli *cli, const void *bytes, size_t size);

/// Hands text to `write`, escaped as by fr_cli_text but for backslashes: messages, and what
/// firn_value_print gave.
void fr_cli_escape(fr_cli *cli, const char *text, size_t size, fr_cli_write_fn write);

#endif
