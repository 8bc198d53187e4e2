/// clock.h: the time of the day.
#ifndef FR_CLOCK_H
#define FR_CLOCK_H

#include "firn/base.h"

/// Milliseconds since 1970 in UTC, as the system's clock has them, which may be set at any time.
int64_t fr_clock_now(void);

#endif
