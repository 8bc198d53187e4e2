/// macos/system.h: what the os room uses of macOS, in terms of the system at hand, so that its
/// branches for macOS compile and run here. Included before everything else.
#ifndef TEST_MACOS_SYSTEM_H
#define TEST_MACOS_SYSTEM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#define st_mtimespec st_mtim
#define F_FULLFSYNC  51
#define fcntl        macos_fcntl

/// fcntl; F_FULLFSYNC is an fsync, or fails with ENOTSUP where macos_has_full_sync is false.
int macos_fcntl(int fd, int command, ...);

extern bool macos_has_full_sync;
extern int macos_full_syncs; ///< how many there were

#endif
