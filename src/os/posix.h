/// posix.h: what the POSIX files of this room share. They include it before everything else, since
/// it says which declarations of the system they need.
#ifndef FR_POSIX_H
#define FR_POSIX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // fallocate, flock, getentropy
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "firn/base.h"
#include <sys/types.h>

/// openat, again after EINTR. -1 with errno.
int fr_open_at(int folder, const char *name, int flags, mode_t mode);

#endif
