#include "os/posix.h"

#include "base/error.h"
#include "base/utf8.h"
#include "os/system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static const char *system_words(int number, char *out, size_t capacity)
{
#if defined(__GLIBC__)
    return strerror_r(number, out, capacity);
#else
    return strerror_r(number, out, capacity) == 0 ? out : "unknown error";
#endif
}

firn_result fr_system_fail(firn_error *err, firn_result code, const char *path, const char *step,
                           int number)
{
    char shown[FR_SHOWN_PATH_SIZE], words[128];
    return fr_fail(err, code, path, "%s: %s: %s",
                   fr_printable(shown, sizeof shown, path, strlen(path)), step,
                   system_words(number, words, sizeof words));
}

int fr_open_at(int folder, const char *name, int flags, mode_t mode)
{
    int fd;
    do {
        fd = openat(folder, name, flags, mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

bool fr_is_unsupported(int reason)
{
    // NOLINTNEXTLINE(misc-redundant-expression): one number on Linux, two elsewhere
    return reason == EOPNOTSUPP || reason == ENOTSUP || reason == ENOSYS || reason == EINVAL;
}

fr_file_status fr_status_of(const struct stat *status)
{
    struct timespec time = FR_STAT_TIME(status);
    return (fr_file_status){.number = (uint64_t)status->st_ino,
                            .size = (uint64_t)status->st_size,
                            .time = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec};
}

const char *fr_not_regular(mode_t mode)
{
    if (S_ISDIR(mode)) {
        return "is a folder";
    }
    if (S_ISLNK(mode)) {
        return "is a symbolic link, which is not followed";
    }
    return S_ISREG(mode) ? NULL : "is not a regular file";
}
