/// every.h: the command lines with which golden files, their truncations and what the fuzzer makes
/// of them go through the tool.
#ifndef TEST_CLI_EVERY_H
#define TEST_CLI_EVERY_H

#include <stdbool.h>
#include <stdint.h>

#define EVERY_WORDS 8

typedef struct every_command {
    const char *words[EVERY_WORDS]; ///< "@": the file, "other": another one, "game": every_schema
    bool json;                      ///< only in builds that have it
    bool needs_snapshot;            ///< a save file without one is refused
    bool finds;                     ///< the status of a good file may be 1
    bool binary;                    ///< prints the bytes of a file, not text
    const char *refuses;            ///< what it may say of a good file, with the status 2
} every_command;

extern const every_command every_commands[];
extern const uint32_t every_command_count;

/// A schema file with a line of every sort.
extern const char every_schema[];

/// The words of a command line, `firn` first, with `file` for "@". Returns how many.
int every_words(const every_command *command, const char *file, const char *words[EVERY_WORDS + 1]);

#endif
