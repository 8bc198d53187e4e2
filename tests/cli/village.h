/// village.h: two saves of a small game, an evening and the morning after it. As files they stand
/// in tests/golden/tool, for docs/tool.md.
#ifndef TEST_CLI_VILLAGE_H
#define TEST_CLI_VILLAGE_H

#include "cli/run.h"

typedef enum village_time { VILLAGE_EVENING, VILLAGE_MORNING } village_time;

/// The snapshot, or the save file around it, appended to an empty `out`.
void village_image(village_time time, firn_buffer *out);
void village_save(village_time time, firn_buffer *out);
/// The snapshot of 100 sheep that all differ at the two times.
void village_flock(village_time time, firn_buffer *out);

/// The snapshot of so many sheep, the first of which are not where they are in others.
void village_herd(uint32_t count, uint32_t moved, firn_buffer *out);

/// Puts them to the files of a test: `evening.image`, `evening.firn`, the save, `evening.flock`,
/// and those of the morning.
void village_put(cli_test *t);

#endif
