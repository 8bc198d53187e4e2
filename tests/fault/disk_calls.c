// The system calls of the os room on the disk of disk.h: with `--wrap=close` the linker gives
// __wrap_close to those who call close, and the system's own as __real_close.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // O_DIRECTORY, F_DUPFD_CLOEXEC, st_mtim
#endif

#include "fault/disk.h"
#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_DESCRIPTOR 100000

// ---- what a call begins with

// Whether the call fails here. errno is set.
static bool call_fails(const char *name)
{
    disk *d = disk_in_use();
    if (d->before != NULL) {
        d->before(d->user);
    }
    d->calls++;
    if (d->fault_at == 0 || d->calls < d->fault_at || (d->calls > d->fault_at && !d->for_ever)) {
        return false;
    }
    d->hit = true;
    d->victim = d->victim == NULL ? name : d->victim;
    if (d->error == 0) {
        longjmp(d->killed, 1);
    }
    errno = d->error;
    return true;
}

static int refuse(int reason)
{
    errno = reason;
    return -1;
}

static int *description_of(int fd)
{
    assert_true(fd >= FIRST_DESCRIPTOR && fd < FIRST_DESCRIPTOR + DISK_OPEN);
    int *number = &disk_in_use()->descriptors[fd - FIRST_DESCRIPTOR];
    assert_true(*number >= 0); // a descriptor that is closed is never used
    return number;
}

static disk_description *opened(int fd)
{
    return &disk_in_use()->descriptions[*description_of(fd)];
}

static disk_node *node_of(int fd)
{
    return &disk_in_use()->nodes[opened(fd)->node];
}

static int free_descriptor(int description)
{
    disk *d = disk_in_use();
    for (int i = 0; i < DISK_OPEN; i++) {
        if (d->descriptors[i] < 0) {
            d->descriptors[i] = description;
            d->descriptions[description].uses++;
            return FIRST_DESCRIPTOR + i;
        }
    }
    fail_msg("%s", "too many descriptors");
    return -1;
}

static int open_node(int node)
{
    disk *d = disk_in_use();
    for (int i = 0; i < DISK_OPEN; i++) {
        if (d->descriptions[i].uses == 0) {
            d->descriptions[i] = (disk_description){.node = node};
            return free_descriptor(i);
        }
    }
    fail_msg("%s", "too many open files");
    return -1;
}

// ---- names

// A path, or a name in an open folder: the folder and its last name.
static disk_node *find_parent(int folder, const char *path, char name[DISK_NAME_SIZE])
{
    disk *d = disk_in_use();
    if (path[0] != '/') {
        assert_true(strlen(path) < DISK_NAME_SIZE && strchr(path, '/') == NULL);
        strcpy(name, path);
        return node_of(folder);
    }
    char parent[256];
    size_t size = strlen(path);
    assert_true(size < sizeof parent);
    strcpy(parent, path);
    while (size > 1 && parent[size - 1] == '/') {
        parent[--size] = 0;
    }
    char *slash = strrchr(parent, '/');
    assert_true(strlen(slash + 1) < DISK_NAME_SIZE);
    strcpy(name, slash + 1);
    *slash = 0;
    int node = disk_find(d, parent);
    return node == DISK_NO_NODE ? NULL : &d->nodes[node];
}

static int find_at(int folder, const char *path)
{
    char name[DISK_NAME_SIZE];
    if (path[0] == '/') {
        return disk_find(disk_in_use(), path);
    }
    const disk_node *parent = find_parent(folder, path, name);
    if (strcmp(name, ".") == 0) {
        return opened(folder)->node;
    }
    for (int i = 0; parent != NULL && i < DISK_NAMES; i++) {
        if (parent->names[i].node != DISK_NO_NODE && strcmp(parent->names[i].name, name) == 0) {
            return parent->names[i].node;
        }
    }
    return DISK_NO_NODE;
}

// ---- open and close

static int disk_open(int folder, const char *path, int flags, mode_t mode)
{
    if (call_fails("openat")) {
        return -1;
    }
    disk *d = disk_in_use();
    int node = find_at(folder, path);
    if (node == DISK_NO_NODE) {
        char name[DISK_NAME_SIZE];
        disk_node *parent = find_parent(folder, path, name);
        if ((flags & O_CREAT) == 0 || parent == NULL) {
            return refuse(ENOENT);
        }
        node = disk_make_node(disk_in_use(), false, mode);
        disk_change_name(parent, name, node);
        return open_node(node);
    }
    if ((flags & O_EXCL) != 0) {
        return refuse(EEXIST);
    }
    if ((flags & O_DIRECTORY) != 0 && !d->nodes[node].folder) {
        return refuse(ENOTDIR);
    }
    return open_node(node);
}

int __wrap_openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return disk_open(folder, path, flags, mode);
}

static int close_descriptor(int fd)
{
    disk *d = disk_in_use();
    int *number = description_of(fd);
    disk_description *description = &d->descriptions[*number];
    if (--description->uses == 0 && d->nodes[description->node].locked == *number) {
        d->nodes[description->node].locked = -1;
    }
    *number = -1;
    return 0;
}

// Closed also where it fails.
int __wrap_close(int fd)
{
    bool fails = call_fails("close");
    int reason = errno;
    (void)close_descriptor(fd);
    errno = reason;
    return fails ? -1 : 0;
}

int __real_fcntl(int fd, int command, ...);

// What counts the lines that a program runs is linked into it, and locks its own files.
int __wrap_fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (fd < FIRST_DESCRIPTOR) {
        return __real_fcntl(fd, command, argument);
    }
    if (call_fails("fcntl")) {
        return -1;
    }
    return command == F_DUPFD_CLOEXEC ? free_descriptor(*description_of(fd)) : 0;
}

int __wrap_flock(int fd, int operation)
{
    if (call_fails("flock")) {
        return -1;
    }
    disk_node *node = node_of(fd);
    if (node->locked >= 0 && node->locked != *description_of(fd)) {
        assert_true((operation & LOCK_NB) != 0); // nobody would ever unlock it
        return refuse(EWOULDBLOCK);
    }
    node->locked = *description_of(fd);
    return 0;
}

// ---- what the system says of a file

static int tell_status(int node, struct stat *out)
{
    disk *d = disk_in_use();
    if (node == DISK_NO_NODE) {
        return refuse(ENOENT);
    }
    memset(out, 0, sizeof *out);
    out->st_ino = (ino_t)(node + 1);
    out->st_mode = d->nodes[node].mode | (d->nodes[node].folder ? S_IFDIR : S_IFREG);
    out->st_size = d->nodes[node].folder ? 0 : (off_t)disk_contents(d, node)->size;
    out->st_mtim = d->nodes[node].time;
    return 0;
}

int __wrap_fstat(int fd, struct stat *out)
{
    return call_fails("fstat") ? -1 : tell_status(opened(fd)->node, out);
}

int __wrap_fstatat(int folder, const char *path, struct stat *out, int flags)
{
    assert_int_equal(flags, AT_SYMLINK_NOFOLLOW);
    return call_fails("fstatat") ? -1 : tell_status(find_at(folder, path), out);
}

int __wrap_stat(const char *path, struct stat *out)
{
    return call_fails("stat") ? -1 : tell_status(disk_find(disk_in_use(), path), out);
}

int __wrap_faccessat(int folder, const char *path, int mode, int flags)
{
    assert_true(find_at(folder, path) != DISK_NO_NODE && mode == W_OK && flags == AT_EACCESS);
    return call_fails("faccessat") ? -1 : 0;
}

int __wrap_fchmod(int fd, mode_t mode)
{
    if (call_fails("fchmod")) {
        return -1;
    }
    node_of(fd)->mode = mode;
    return 0;
}

int __wrap_futimens(int fd, const struct timespec times[2])
{
    if (call_fails("futimens")) {
        return -1;
    }
    node_of(fd)->time = times[1];
    return 0;
}

// ---- bytes

// The version that a write makes: a new one, while there is room for it.
static disk_version *next_version(disk_node *node)
{
    if (node->version_count < DISK_VERSIONS) {
        node->versions[node->version_count] = node->versions[node->version_count - 1];
        node->version_count++;
    }
    return &node->versions[node->version_count - 1];
}

int __wrap_fallocate(int fd, int mode, off_t offset, off_t size)
{
    if (call_fails("fallocate")) {
        return -1;
    }
    assert_true(mode == 0 && offset == 0 && size <= DISK_FILE_MOST);
    next_version(node_of(fd))->size = (size_t)size;
    return 0;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    disk *d = disk_in_use();
    if (call_fails("write")) {
        return -1;
    }
    if (d->write_most > 0 && d->calls % 3 == 0) {
        return refuse(EINTR);
    }
    disk_description *description = opened(fd);
    size = d->write_most > 0 && size > d->write_most ? d->write_most : size;
    assert_true(description->at + size <= DISK_FILE_MOST);
    disk_version *version = next_version(node_of(fd));
    memcpy(version->bytes + description->at, bytes, size);
    description->at += size;
    version->size = version->size > description->at ? version->size : description->at;
    return (ssize_t)size;
}

ssize_t __wrap_read(int fd, void *bytes, size_t room)
{
    if (call_fails("read")) {
        return -1;
    }
    disk_description *description = opened(fd);
    const disk_version *contents = disk_contents(disk_in_use(), description->node);
    size_t left = contents->size - description->at, size = room < left ? room : left;
    memcpy(bytes, contents->bytes + description->at, size);
    description->at += size;
    return (ssize_t)size;
}

int __wrap_fsync(int fd)
{
    if (call_fails("fsync")) {
        return -1;
    }
    disk_node *node = node_of(fd);
    if (disk_in_use()->lies) {
        return 0;
    }
    if (node->folder) {
        memcpy(node->stored, node->names, sizeof node->stored);
        node->change_count = 0;
        if (disk_in_use()->flushes_no_folders) {
            return refuse(EINVAL);
        }
    } else {
        node->versions[0] = node->versions[node->version_count - 1];
        node->version_count = 1;
    }
    return 0;
}

// ---- folders

int __wrap_mkdir(const char *path, mode_t mode)
{
    char name[DISK_NAME_SIZE];
    if (call_fails("mkdir")) {
        return -1;
    }
    if (disk_find(disk_in_use(), path) != DISK_NO_NODE) {
        return refuse(EEXIST);
    }
    disk_node *parent = find_parent(-1, path, name);
    if (parent == NULL) {
        return refuse(ENOENT);
    }
    disk_change_name(parent, name, disk_make_node(disk_in_use(), true, mode));
    return 0;
}

int __wrap_rmdir(const char *path)
{
    char name[DISK_NAME_SIZE];
    if (call_fails("rmdir")) {
        return -1;
    }
    disk_change_name(find_parent(-1, path, name), name, DISK_NO_NODE);
    return 0;
}

int __wrap_linkat(int folder, const char *from, int other, const char *to, int flags)
{
    assert_true(other == folder && flags == 0);
    if (call_fails("linkat")) {
        return -1;
    }
    int node = find_at(folder, from);
    if (node == DISK_NO_NODE || find_at(folder, to) != DISK_NO_NODE) {
        return refuse(node == DISK_NO_NODE ? ENOENT : EEXIST);
    }
    disk_change_name(node_of(folder), to, node);
    return 0;
}

int __wrap_renameat(int folder, const char *from, int other, const char *to)
{
    assert_int_equal(other, folder);
    if (call_fails("renameat")) {
        return -1;
    }
    disk_change change = {.count = 2};
    strcpy(change.names[0].name, from);
    strcpy(change.names[1].name, to);
    change.names[0].node = DISK_NO_NODE;
    change.names[1].node = find_at(folder, from);
    if (change.names[1].node == DISK_NO_NODE) {
        return refuse(ENOENT);
    }
    if (find_at(folder, to) != change.names[1].node) {
        disk_change_names(node_of(folder), &change);
    }
    return 0;
}

static int remove_name(int folder, const char *path)
{
    char name[DISK_NAME_SIZE];
    if (call_fails("unlink")) {
        return -1;
    }
    int node = find_at(folder, path);
    if (node == DISK_NO_NODE) {
        return refuse(ENOENT);
    }
    if (disk_in_use()->nodes[node].folder) {
        return refuse(EISDIR);
    }
    disk_change_name(find_parent(folder, path, name), name, DISK_NO_NODE);
    return 0;
}

int __wrap_unlinkat(int folder, const char *path, int flags)
{
    assert_int_equal(flags, 0);
    return remove_name(folder, path);
}

int __wrap_unlink(const char *path)
{
    return remove_name(-1, path);
}

// ---- streams of folders

static disk_stream *stream_of(DIR *entries)
{
    return (disk_stream *)(void *)entries;
}

DIR *__wrap_fdopendir(int fd)
{
    if (call_fails("fdopendir")) {
        return NULL;
    }
    disk_stream *stream = disk_in_use()->streams;
    while (stream->used) {
        stream++;
    }
    *stream = (disk_stream){.used = true, .fd = fd};
    return (DIR *)(void *)stream;
}

struct dirent *__wrap_readdir(DIR *entries)
{
    disk_stream *stream = stream_of(entries);
    if (call_fails("readdir")) {
        return NULL;
    }
    const disk_node *node = node_of(stream->fd);
    while (stream->next < DISK_NAMES) {
        const disk_name *name = &node->names[stream->next++];
        if (name->node != DISK_NO_NODE) {
            strcpy(stream->entry.d_name, name->name);
            return &stream->entry;
        }
    }
    return NULL;
}

int __wrap_closedir(DIR *entries)
{
    disk_stream *stream = stream_of(entries);
    stream->used = false;
    return __wrap_close(stream->fd);
}

int __wrap_dirfd(DIR *entries)
{
    disk_stream *stream = stream_of(entries);
    return stream->fd;
}

// ---- numbers

int __wrap_getentropy(void *bytes, size_t size)
{
    if (call_fails("getentropy")) {
        return -1;
    }
    uint64_t number = disk_in_use()->ticks++;
    memcpy(bytes, &number, size < sizeof number ? size : sizeof number);
    return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    assert_int_equal(clock, CLOCK_REALTIME);
    if (call_fails("clock_gettime")) {
        return -1;
    }
    *out = (struct timespec){.tv_sec = (time_t)(1800000000 + disk_in_use()->ticks++)};
    return 0;
}

// What glibc calls them where off_t has 64 bits.
#define NAMED_64(type, name, ...)                                                                  \
    type __wrap_##name##64(__VA_ARGS__) __attribute__((alias("__wrap_" #name)))
NAMED_64(int, openat, int, const char *, int, ...);
NAMED_64(int, fcntl, int, int, ...);
NAMED_64(int, fstat, int, struct stat *);
NAMED_64(int, fstatat, int, const char *, struct stat *, int);
NAMED_64(int, stat, const char *, struct stat *);
NAMED_64(int, fallocate, int, int, off_t, off_t);
NAMED_64(struct dirent *, readdir, DIR *);
