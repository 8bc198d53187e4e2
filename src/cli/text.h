/// text.h: text that shall not drive the terminal.
#ifndef FR_CLI_TEXT_H
#define FR_CLI_TEXT_H

#include "cli/cli.h"

typedef struct fr_cli_character {
    uint32_t code; ///< or the byte that is no UTF-8
    uint32_t size; ///< bytes; 0: no UTF-8
} fr_cli_character;

/// The character at the begin of `size` bytes, at least 1 (RFC 3629).
fr_cli_character fr_cli_character_at(const char *text, size_t size);

typedef void (*fr_cli_write_fn)(fr_cli *cli, const void *bytes, size_t size);

/// Hands text to `write`, escaped as by fr_cli_text but for backslashes: messages, and what
/// firn_value_print gave.
void fr_cli_escape(fr_cli *cli, const char *text, size_t size, fr_cli_write_fn write);

/// A name as messages show it: `""` when it is empty.
const char *fr_cli_shown(const char *name);

/// Milliseconds since 1970 as a date and time: `2023-11-14T22:13:20Z`.
void fr_cli_time_text(int64_t milliseconds, char out[48]);
/// Seconds as hours, minutes and seconds: `12:34:56`.
void fr_cli_play_time_text(double seconds, char out[48]);

#endif
