// Loaded before the C library: every write moves at most 7 bytes, every third one is interrupted
// before it moves any, and with FIRN_TEST_NO_FALLOCATE the file system has no reservations. At the
// end the counts go to stderr.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define SHORT_WRITE 7

static unsigned write_calls, short_writes, interrupted_writes, refused_reservations;

ssize_t write(int fd, const void *bytes, size_t size)
{
    if (write_calls++ % 3 == 1) {
        interrupted_writes++;
        errno = EINTR;
        return -1;
    }
    if (size > SHORT_WRITE) {
        short_writes++;
        size = SHORT_WRITE;
    }
    return syscall(SYS_write, fd, bytes, size);
}

static int shim_fallocate(int fd, int mode, off_t offset, off_t size)
{
    if (getenv("FIRN_TEST_NO_FALLOCATE") != NULL) {
        refused_reservations++;
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)syscall(SYS_fallocate, fd, mode, offset, size);
}

int fallocate(int fd, int mode, off_t offset, off_t size)
{
    return shim_fallocate(fd, mode, offset, size);
}

int fallocate64(int fd, int mode, off64_t offset, off64_t size)
{
    return shim_fallocate(fd, mode, offset, size);
}

// With writev, so that a tracer sees no write but the library's.
__attribute__((destructor)) static void print_counts(void)
{
    char line[96];
    int length = snprintf(line, sizeof line, "short=%u interrupted=%u refused=%u\n", short_writes,
                          interrupted_writes, refused_reservations);
    struct iovec part = {line, (size_t)length};
    if (writev(STDERR_FILENO, &part, 1) < 0) {
        _exit(66);
    }
}
