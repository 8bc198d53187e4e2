/// posix.h: what the POSIX files of this room share. They include it before everything else, since
/// it says which declarations of the system they need.
#ifndef FR_POSIX_H
#define FR_POSIX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // fallocate, flock, getentropy, st_mtim
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

#include "firn/base.h"
#include <sys/stat.h>
#include <sys/types.h>

#ifdef __APPLE__
#define FR_STAT_TIME(status) ((status)->st_mtimespec)
#else
#define FR_STAT_TIME(status) ((status)->st_mtim)
#endif

/// openat, again after EINTR. -1 with errno.
int fr_open_at(int folder, const char *name, int flags, mode_t mode);

/// Whether the file system has no such call, or not for such files.
bool fr_is_unsupported(int reason);

/// What file.h tells of a file.
struct fr_file_status fr_status_of(const struct stat *status);

/// What stands in place of a regular file, or NULL: "is a folder", "is a symbolic link, which is
/// not followed", "is not a regular file".
const char *fr_not_regular(mode_t mode);

#endif
