/// golden.h: every golden file, for tests of the tool.
#ifndef TEST_CLI_GOLDEN_H
#define TEST_CLI_GOLDEN_H

#include "cli/run.h"

/// Calls `each` with every file in tests/golden/FOLDER that ends so and that this build can read;
/// its bytes are then the file of this name. Returns how many there were.
uint32_t cli_each_golden(cli_test *t, const char *folder, const char *ending,
                         void (*each)(cli_test *t, const char *file));
/// Whether it is a save file without a snapshot.
bool cli_has_no_snapshot(const char *file);

#endif
