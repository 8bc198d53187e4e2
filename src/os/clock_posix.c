#include "os/posix.h"

#include "os/clock.h"

#include <time.h>

int64_t fr_clock_now(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
