/// disk.h: a file system in memory, below "/disk", that fails, kills and loses power on demand. A
/// program linked with the calls of disk_calls.c in place of those of the system (ld --wrap) runs
/// the library on it; other paths and descriptors are the system's as ever.
///
/// What POSIX lets a power loss leave, it leaves: until a file is fsynced, any of its blocks of 512
/// bytes may be that of any write so far or of none, and its size any that it had; until a folder
/// is fsynced, any of the changes of its names may have reached the disk, in any order, each whole.
#ifndef TEST_DISK_H
#define TEST_DISK_H

#include <dirent.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define DISK_ROOT      "/disk"
#define DISK_BLOCK     512
#define DISK_FILE_MOST 4096
#define DISK_VERSIONS  6
#define DISK_NODES     16
#define DISK_NAMES     12
#define DISK_NAME_SIZE 48
#define DISK_CHANGES   10
#define DISK_OPEN      16
#define DISK_NO_NODE   (-1)

typedef struct disk_name {
    char name[DISK_NAME_SIZE];
    int node; ///< DISK_NO_NODE: no such name
} disk_name;

/// A change of a folder: one name, or the two of a rename, with the nodes that they have after it.
typedef struct disk_change {
    disk_name names[2];
    int count;
} disk_change;

typedef struct disk_version {
    size_t size;
    uint8_t bytes[DISK_FILE_MOST]; ///< zeros behind size
} disk_version;

/// A file or a folder.
typedef struct disk_node {
    bool used, folder;
    mode_t mode;
    struct timespec time;
    int locked;                           ///< the description that holds the lock, or -1
    disk_version versions[DISK_VERSIONS]; ///< the first is on the disk, the last is what is read
    int version_count;
    disk_name names[DISK_NAMES];       ///< of a folder, as they are read
    disk_name stored[DISK_NAMES];      ///< as they are on the disk
    disk_change changes[DISK_CHANGES]; ///< what lies between
    int change_count;
} disk_node;

/// An open file; several descriptors may be of one.
typedef struct disk_description {
    int uses, node;
    size_t at;
} disk_description;

typedef struct disk_stream {
    bool used;
    int fd, next;
    struct dirent entry;
} disk_stream;

typedef struct disk {
    disk_node nodes[DISK_NODES]; ///< the first is the root
    disk_description descriptions[DISK_OPEN];
    int descriptors[DISK_OPEN]; ///< their descriptions, or -1
    disk_stream streams[2];
    uint64_t ticks; ///< of its clock, and of its source of random names

    uint64_t calls;    ///< system calls so far
    uint64_t fault_at; ///< the call that fails, or is not reached any more; 0: none
    bool for_ever;     ///< and those after it
    int error;         ///< how it fails; 0: the process is killed, by a jump to `killed`
    jmp_buf killed;
    bool hit;           ///< that call came
    const char *victim; ///< its name
    size_t write_most;  ///< 0, or what a write moves at most; every third one moves none: EINTR
    bool lies;          ///< fsync does nothing, and says that it did
    bool flushes_no_folders;    ///< it says EINVAL, and that is all
    void (*before)(void *user); ///< NULL, or called before each call
    void *user;
} disk;

/// An empty disk without faults.
void disk_format(disk *d);
/// The disk that is below "/disk" from now on; NULL for none.
void disk_use(disk *d);
disk *disk_in_use(void);

/// Ends all that runs on it: its descriptors and locks.
void disk_end_processes(disk *d);
int disk_open_descriptors(const disk *d);

/// The node of a path, or DISK_NO_NODE.
int disk_find(const disk *d, const char *path);
const disk_version *disk_contents(const disk *d, int node);
/// The names of a folder that end in `ending`.
int disk_count_names(const disk *d, const char *folder, const char *ending);

/// A new file or folder, without a name.
int disk_make_node(disk *d, bool folder, mode_t mode);
/// Changes one name, or two at once; DISK_NO_NODE removes it.
void disk_change_names(disk_node *folder, const disk_change *change);
void disk_change_name(disk_node *folder, const char *name, int node);

/// Calls `each` with every disk that a power loss now can leave, formatted anew but for that, until
/// it gives false. One may come more than once.
void disk_lose_power(const disk *d, bool (*each)(void *user, disk *left), void *user);
/// Equal for equal names and contents.
uint64_t disk_hash(const disk *d);

#endif
