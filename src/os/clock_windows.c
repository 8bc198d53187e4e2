#include "os/clock.h"

#include <windows.h>

// Between 1601, where the file times of Windows begin, and 1970.
#define MILLISECONDS_TO_1970 INT64_C(11644473600000)

int64_t fr_clock_now(void)
{
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    uint64_t ticks = (uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime; // of 100 ns
    return (int64_t)(ticks / 10000) - MILLISECONDS_TO_1970;
}
