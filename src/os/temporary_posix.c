#include "os/posix.h"

#include "base/hash.h"
#include "os/temporary_posix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

#define TEMPORARY_ENDING      ".firn-tmp"
#define TEMPORARY_DIGITS      16
#define TEMPORARY_SUFFIX_SIZE (1 + TEMPORARY_DIGITS + sizeof TEMPORARY_ENDING - 1)
#define TEMPORARY_ATTEMPTS    64

void fr_temporaries_init(fr_temporaries *temporaries, int folder, const char *name)
{
    long most = fpathconf(folder, _PC_NAME_MAX);
    if (most <= (long)TEMPORARY_SUFFIX_SIZE || most > FR_FILE_NAME_MOST) {
        most = FR_FILE_NAME_MOST;
    }
    size_t size = strlen(name);
    size_t room = (size_t)most - TEMPORARY_SUFFIX_SIZE;
    if (size > room) {
        // Some file systems take UTF-8 only, so a shortened name ends between two characters.
        size = room;
        while (size > 0 && ((unsigned char)name[size] & 0xc0) == 0x80) {
            size--;
        }
    }
    *temporaries = (fr_temporaries){.folder = folder, .name = name, .stem_size = size};
}

static uint64_t temporary_number(void)
{
    uint64_t number;
    if (getentropy(&number, sizeof number) == 0) {
        return number;
    }
    // Without a random source names only have to differ: O_EXCL decides.
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    uint64_t words[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid(),
                        (uint64_t)(uintptr_t)&now};
    return fr_hash(words, sizeof words);
}

void fr_temporary_name(const fr_temporaries *temporaries, char out[FR_FILE_NAME_SIZE])
{
    (void)snprintf(out, FR_FILE_NAME_SIZE, "%.*s.%016" PRIx64 TEMPORARY_ENDING,
                   (int)temporaries->stem_size, temporaries->name, temporary_number());
}

static bool is_temporary_name(const fr_temporaries *temporaries, const char *name)
{
    size_t size = strlen(name);
    if (size < TEMPORARY_SUFFIX_SIZE) {
        return false;
    }
    size_t stem_size = size - TEMPORARY_SUFFIX_SIZE;
    const char *digits = name + stem_size + 1;
    if (name[stem_size] != '.' || strspn(digits, "0123456789abcdef") != TEMPORARY_DIGITS ||
        strcmp(digits + TEMPORARY_DIGITS, TEMPORARY_ENDING) != 0) {
        return false;
    }
    return temporaries->name == NULL ||
           (stem_size == temporaries->stem_size && memcmp(name, temporaries->name, stem_size) == 0);
}

// Whether the new file is ours to write: locked, and still there. `errno` says why not.
static bool hold_temporary(const fr_temporaries *temporaries, int fd, const char *name)
{
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR)) {
        return false;
    }
    struct stat status;
    return fstatat(temporaries->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

int fr_temporary_create(const fr_temporaries *temporaries, mode_t mode, char out[FR_FILE_NAME_SIZE])
{
    for (int attempt = 0; attempt < TEMPORARY_ATTEMPTS; attempt++) {
        fr_temporary_name(temporaries, out);
        int fd = fr_open_at(temporaries->folder, out,
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd >= 0 && hold_temporary(temporaries, fd, out)) {
            return fd;
        }
        int reason = errno;
        if (fd >= 0) {
            (void)unlinkat(temporaries->folder, out, 0);
            (void)close(fd);
        } else if (reason != EEXIST) {
            return -1;
        }
        errno = reason;
    }
    return -1;
}

// A backup link that a killed writer left has such a name as well; its file is not in use then, so
// the lock is free too, and only the extra name goes away.
static void remove_if_stale(const fr_temporaries *temporaries, const char *name)
{
    int fd =
        fr_open_at(temporaries->folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
    if (fd < 0) {
        return;
    }
    struct stat status;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        (void)unlinkat(temporaries->folder, name, 0);
    }
    (void)close(fd);
}

void fr_temporaries_remove_stale(const fr_temporaries *temporaries)
{
    // A descriptor of its own: a duplicate would share its place in the folder with `folder`.
    int fd = fr_open_at(temporaries->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) {
        return;
    }
    DIR *entries = fdopendir(fd);
    if (entries == NULL) {
        (void)close(fd);
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(entries)) != NULL) {
        if (is_temporary_name(temporaries, entry->d_name)) {
            remove_if_stale(temporaries, entry->d_name);
        }
    }
    (void)closedir(entries);
}
