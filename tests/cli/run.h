/// run.h: the tool in this process, on files in memory.
#ifndef TEST_CLI_RUN_H
#define TEST_CLI_RUN_H

#include "cli/cli.h"
#include "support/support.h"

#define CLI_FILES 64

typedef struct cli_file {
    char name[128];
    firn_buffer bytes; ///< of the default allocator
} cli_file;

typedef struct cli_test {
    fr_cli_host host;      ///< change its terminals, colors, width as a test needs them
    test_allocator memory; ///< what the tool allocates from; a leak ends the test
    cli_file files[CLI_FILES];
    uint32_t file_count;
    uint64_t output_most; ///< the pipe is closed behind so many bytes of output
    bool output_full;     ///< it is a disk that is full instead
    const char *out;      ///< what the last run printed, zero-terminated
    const char *err;      ///< what it said on the standard error
    firn_buffer streams[2];
} cli_test;

/// cmocka's setup and teardown: *state is a cli_test.
int cli_setup(void **state);
int cli_teardown(void **state);

#define cli_unit_test(function) cmocka_unit_test_setup_teardown(function, cli_setup, cli_teardown)

/// Makes or replaces a file. "-" is the standard input, which can be read once.
void cli_put(cli_test *t, const char *name, const void *bytes, size_t size);
void cli_put_text(cli_test *t, const char *name, const char *text);
/// The same of tests/golden/NAME, under NAME.
void cli_put_golden(cli_test *t, const char *name);
/// Removes every file.
void cli_forget(cli_test *t);
/// The bytes of a file; ends the test when there is none.
const firn_buffer *cli_get(const cli_test *t, const char *name);
bool cli_has(const cli_test *t, const char *name);

/// Runs `firn` with the words, ended by NULL, and returns the exit status. out and err are then
/// what it wrote. Ends the test when the tool leaks.
int cli_run(cli_test *t, ...);
int cli_run_words(cli_test *t, int count, const char *const *words);

/// Runs it again and again; each time another call for memory fails, with all that follow. Each run
/// says so, until one has all it takes, which comes to what one with memory does: no 2.
void cli_run_without_memory(cli_test *t, int count, const char *const *words);

/// The text contains `part`; prints it when not.
#define assert_says(text, part) cli_assert_says((text), (part), __FILE__, __LINE__)
void cli_assert_says(const char *text, const char *part, const char *file, int line);

#endif
