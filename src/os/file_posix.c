#include "os/posix.h"

#include "base/alloc.h"
#include "base/error.h"
#include "os/system.h"
#include "os/temporary_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BACKUP_ENDING ".bak"

// ---- replacing

typedef struct file_replacement {
    const char *path;
    const char *name; ///< the last component, inside path
    int folder;
    bool replaces;        ///< there is an old file
    mode_t mode;          ///< its permissions
    struct timespec time; ///< when it was written
    bool keeps;           ///< it becomes the backup
    char backup[FR_FILE_NAME_SIZE + sizeof BACKUP_ENDING];
    fr_temporaries temporaries;
} file_replacement;

// The folder that holds the file: what is before the last slash, or ".".
static firn_result open_folder(file_replacement *replacement, const firn_allocator *allocator,
                               firn_error *err)
{
    const char *path = replacement->path;
    const char *slash = strrchr(path, '/');
    replacement->name = slash == NULL ? path : slash + 1;
    if (replacement->name[0] == '\0') {
        return fr_path_fail(err, FIRN_IO, path, "ends in '/', which names a folder");
    }
    if (strlen(replacement->name) > FR_FILE_NAME_MOST) {
        return fr_system_fail(err, FIRN_IO, path, "naming the file", ENAMETOOLONG);
    }

    const char *text = slash == NULL ? "." : path;
    size_t size = slash == NULL || slash == path ? 1 : (size_t)(slash - path);
    char *folder = fr_copy_text(allocator, text, size);
    if (folder == NULL) {
        return fr_fail_memory(err, path);
    }
    replacement->folder = fr_open_at(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    int reason = errno;
    fr_free_text(allocator, folder);
    if (replacement->folder < 0) {
        return fr_system_fail(err, reason == ENOENT ? FIRN_NOT_FOUND : FIRN_IO, path,
                              "opening its folder", reason);
    }
    fr_temporaries_init(&replacement->temporaries, replacement->folder, replacement->name);
    return FIRN_OK;
}

// A rename would replace anything that the folder's permissions allow. What stands there must be a
// regular file that its own permissions let us write.
static firn_result check_old_file(file_replacement *replacement, firn_error *err)
{
    const char *path = replacement->path;
    struct stat old;
    if (fstatat(replacement->folder, replacement->name, &old, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT) {
            return fr_system_fail(err, FIRN_IO, path, "looking at the file", errno);
        }
        replacement->replaces = false;
        return FIRN_OK;
    }
    const char *other = fr_not_regular(old.st_mode);
    if (other != NULL) {
        return fr_path_fail(err, FIRN_IO, path, other);
    }
    if ((old.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0) {
        return fr_path_fail(err, FIRN_IO, path, "is read-only: nobody may write it");
    }
    if (faccessat(replacement->folder, replacement->name, W_OK, AT_EACCESS) != 0) {
        return fr_system_fail(err, FIRN_IO, path, "is read-only", errno);
    }
    replacement->replaces = true;
    replacement->mode = old.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    replacement->time = FR_STAT_TIME(&old);
    return FIRN_OK;
}

// The backup is renamed into place when the new file is there already: what would stand in its way
// is found now.
static firn_result check_old_backup(file_replacement *replacement, firn_error *err)
{
    if (!replacement->replaces ||
        strlen(replacement->name) + sizeof BACKUP_ENDING - 1 > FR_FILE_NAME_MOST) {
        return FIRN_OK;
    }
    (void)snprintf(replacement->backup, sizeof replacement->backup, "%s" BACKUP_ENDING,
                   replacement->name);
    struct stat old;
    int failed = fstatat(replacement->folder, replacement->backup, &old, AT_SYMLINK_NOFOLLOW);
    if (failed != 0 && errno != ENOENT && errno != ENAMETOOLONG) {
        return fr_system_fail(err, FIRN_IO, replacement->path, "looking at its backup", errno);
    }
    if (failed == 0 && S_ISDIR(old.st_mode)) {
        return fr_path_fail(err, FIRN_IO, replacement->path, "its backup is a folder");
    }
    replacement->keeps = failed == 0 || errno == ENOENT;
    return FIRN_OK;
}

// Whether the file can hold `size` bytes, as far as the system can tell. A reservation that is not
// possible here, or was interrupted, is no failure: the writes will tell.
static bool reserve_space(int fd, size_t size)
{
#if defined(__linux__)
    // Not posix_fallocate: where the file system has no reservations, glibc writes every block.
    return size == 0 || fallocate(fd, 0, 0, (off_t)size) == 0 || errno == EOPNOTSUPP ||
           errno == ENOSYS || errno == EINVAL || errno == EINTR;
#else
    (void)fd;
    (void)size;
    return true;
#endif
}

static bool write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size < FR_TRANSFER_MOST ? size : FR_TRANSFER_MOST);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            errno = written < 0 ? errno : EIO;
            return false;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

// Down to the disk itself. Never called again after a failure: the system may have dropped the
// pages that it could not write, and would then report success.
static bool flush_to_disk(int fd)
{
#ifdef F_FULLFSYNC
    if (fcntl(fd, F_FULLFSYNC) == 0) {
        return true;
    }
#endif
    return fsync(fd) == 0;
}

// Two contents of a file never have the same time, where the file system keeps it finely enough.
// What refuses times has its own.
static void set_later_time(const file_replacement *replacement, int fd)
{
    struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = 0}};
    struct timespec *now = &times[1];
    const struct timespec *old = &replacement->time;
    if (clock_gettime(CLOCK_REALTIME, now) != 0) {
        return;
    }
    if (replacement->replaces && (now->tv_sec < old->tv_sec ||
                                  (now->tv_sec == old->tv_sec && now->tv_nsec <= old->tv_nsec))) {
        bool carries = old->tv_nsec == 999999999;
        now->tv_sec = old->tv_sec + carries;
        now->tv_nsec = carries ? 0 : old->tv_nsec + 1;
    }
    (void)futimens(fd, times);
}

// Fills, flushes and closes the temporary file.
static firn_result fill_temporary(const file_replacement *replacement, int fd, const void *bytes,
                                  size_t size, firn_error *err)
{
    // The file was made private: where permissions cannot be set there is less access, never more.
    if (replacement->replaces) {
        (void)fchmod(fd, replacement->mode);
    }
    const char *failed = NULL;
    if (!reserve_space(fd, size)) {
        failed = "reserving space for the new contents";
    } else if (!write_all(fd, bytes, size)) {
        failed = "writing the new contents";
    } else {
        set_later_time(replacement, fd);
        failed = flush_to_disk(fd) ? NULL : "fsync of the new contents";
    }
    int reason = errno;
    // An interrupted close has closed, and the fsync before it has said what there was to say.
    if (close(fd) != 0 && errno != EINTR && failed == NULL) {
        failed = "closing the new contents";
        reason = errno;
    }
    return failed == NULL ? FIRN_OK
                          : fr_system_fail(err, FIRN_IO, replacement->path, failed, reason);
}

static bool refuses_links(int reason)
{
    return fr_is_unsupported(reason) || reason == EPERM || reason == EACCES || reason == EXDEV ||
           reason == EMLINK || reason == ENAMETOOLONG;
}

// A second name for the old file, "" where there is none. ENOENT: somebody removed the old file.
static firn_result link_old_file(const file_replacement *replacement, char link[FR_FILE_NAME_SIZE],
                                 firn_error *err)
{
    int folder = replacement->folder;
    link[0] = 0;
    if (!replacement->keeps) {
        return FIRN_OK;
    }
    fr_temporary_name(&replacement->temporaries, link);
    if (linkat(folder, replacement->name, folder, link, 0) == 0) {
        return FIRN_OK;
    }
    link[0] = 0;
    if (errno == ENOENT || refuses_links(errno)) {
        return FIRN_OK;
    }
    return fr_system_fail(err, FIRN_IO, replacement->path, "keeping the old file as a backup",
                          errno);
}

static firn_result put_in_place(const file_replacement *replacement, const char *temporary,
                                firn_error *err)
{
    int folder = replacement->folder;
    char link[FR_FILE_NAME_SIZE];
    firn_result result = link_old_file(replacement, link, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (renameat(folder, temporary, folder, replacement->name) != 0) {
        result =
            fr_system_fail(err, FIRN_IO, replacement->path, "renaming the new contents", errno);
    } else {
        int reason = fsync(folder) == 0 ? 0 : errno;
        if (reason != 0) {
            result = fr_system_fail(err, FIRN_NOT_DURABLE, replacement->path, "fsync of its folder",
                                    reason);
        }
        // The new file is there, as surely as can be: a backup that stays the one before, or is
        // removed with the link by a cleaner, is no failure.
        if (link[0] != 0 && (reason == 0 || fr_is_unsupported(reason))) {
            (void)renameat(folder, link, folder, replacement->backup);
        }
    }
    if (link[0] != 0) {
        // A rename between two names of one file succeeds and does nothing: then the link remains.
        (void)unlinkat(folder, link, 0);
    }
    return result;
}

static firn_result replace_in_folder(file_replacement *replacement, const void *bytes, size_t size,
                                     fr_file_status *status, firn_error *err)
{
    firn_result result = check_old_file(replacement, err);
    if (result == FIRN_OK) {
        result = check_old_backup(replacement, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_temporaries_remove_stale(&replacement->temporaries);
    char name[FR_FILE_NAME_SIZE];
    mode_t mode = replacement->replaces ? S_IRUSR | S_IWUSR : 0666;
    int fd = fr_temporary_create(&replacement->temporaries, mode, name);
    if (fd < 0) {
        return fr_system_fail(err, FIRN_IO, replacement->path, "making a temporary file beside it",
                              errno);
    }
    // The duplicate keeps the lock between the close, which is checked, and the rename.
    int lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (lock < 0) {
        result =
            fr_system_fail(err, FIRN_IO, replacement->path, "holding its temporary file", errno);
        (void)close(fd);
    } else {
        result = fill_temporary(replacement, fd, bytes, size, err);
    }
    struct stat filled;
    if (result == FIRN_OK && status != NULL) {
        if (fstat(lock, &filled) != 0) {
            result = fr_system_fail(err, FIRN_IO, replacement->path, "looking at the new contents",
                                    errno);
        } else {
            *status = fr_status_of(&filled);
        }
    }
    if (result == FIRN_OK) {
        result = put_in_place(replacement, name, err);
    }
    if (result != FIRN_OK && result != FIRN_NOT_DURABLE) {
        (void)unlinkat(replacement->folder, name, 0);
    }
    if (lock >= 0) {
        (void)close(lock);
    }
    return result;
}

firn_result fr_system_replace(const firn_allocator *allocator, const char *path, const void *bytes,
                              size_t size, fr_file_status *status, firn_error *err)
{
    file_replacement replacement = {.path = path, .folder = -1};
    firn_result result = open_folder(&replacement, allocator, err);
    if (result != FIRN_OK) {
        return result;
    }
    result = replace_in_folder(&replacement, bytes, size, status, err);
    (void)close(replacement.folder);
    return result;
}

// ---- reading

static firn_result check_readable(int fd, const char *path, fr_file_status *out, firn_error *err)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return fr_system_fail(err, FIRN_IO, path, "looking at the file", errno);
    }
    const char *other = fr_not_regular(status.st_mode);
    if (other != NULL) {
        return fr_path_fail(err, FIRN_IO, path, other);
    }
    *out = fr_status_of(&status);
    return FIRN_OK;
}

firn_result fr_input_open(const firn_allocator *allocator, const char *path, bool follow,
                          fr_input *input, fr_file_status *status, firn_error *err)
{
    (void)allocator;
    // Nonblocking, so that opening a FIFO returns.
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW);
    int fd = fr_open_at(AT_FDCWD, path, flags, 0);
    if (fd < 0) {
        if (!follow && (errno == ELOOP || errno == EMLINK)) {
            return fr_path_fail(err, FIRN_IO, path, fr_not_regular(S_IFLNK));
        }
        return fr_system_fail(err, errno == ENOENT ? FIRN_NOT_FOUND : FIRN_IO, path,
                              "opening the file", errno);
    }
    *input = fd;
    firn_result result = check_readable(fd, path, status, err);
    if (result != FIRN_OK) {
        (void)close(fd);
    }
    return result;
}

firn_result fr_input_read(fr_input input, const char *path, void *out, size_t room, size_t *got,
                          firn_error *err)
{
    ssize_t count;
    do {
        count = read((int)input, out, room);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        return fr_system_fail(err, FIRN_IO, path, "reading", errno);
    }
    *got = (size_t)count;
    return FIRN_OK;
}

void fr_input_close(fr_input input)
{
    (void)close((int)input);
}

// ---- removing

firn_result fr_system_remove(const firn_allocator *allocator, const char *path, firn_error *err)
{
    (void)allocator;
    if (unlink(path) == 0) {
        return FIRN_OK;
    }
    if (errno == EISDIR) {
        return fr_path_fail(err, FIRN_IO, path, fr_not_regular(S_IFDIR));
    }
    return fr_system_fail(err, errno == ENOENT ? FIRN_NOT_FOUND : FIRN_IO, path,
                          "removing the file", errno);
}
