/// os_folder.h: an empty folder of its own for each test of the os room, and what stands in it.
#ifndef TEST_OS_FOLDER_H
#define TEST_OS_FOLDER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mkdtemp, flock, seteuid
#endif

#include "os/file.h"
#include "support/support.h"

#include <limits.h>

typedef struct os_folder {
    char path[PATH_MAX];
} os_folder;

/// cmocka's setup and teardown: *state is an os_folder.
int os_folder_setup(void **state);
int os_folder_teardown(void **state);

#define os_test(function)                                                                          \
    cmocka_unit_test_setup_teardown(function, os_folder_setup, os_folder_teardown)

/// `<folder>/<name>`, valid until the folder is torn down; ends the test when that is too long.
const char *os_folder_path(const os_folder *folder, const char *name);
/// Makes a file, without the code under test.
void os_folder_put(const os_folder *folder, const char *name, const char *text);
/// The file is there and holds exactly `text`.
#define assert_file(folder, name, text) os_assert_file((folder), (name), (text), __FILE__, __LINE__)
void os_assert_file(const os_folder *folder, const char *name, const char *text, const char *file,
                    int line);
/// Whether something stands under the name; symbolic links are not followed.
bool os_folder_has(const os_folder *folder, const char *name);
/// The entries of the folder, without "." and "..".
#define assert_entries(folder, count) assert_int_equal(os_folder_entries(folder), (count))
int os_folder_entries(const os_folder *folder);

/// fr_file_replace by `text`, with the default allocator.
firn_result os_replace(const os_folder *folder, const char *name, const char *text,
                       firn_error *err);

/// Root may do anything, so a test of permissions runs as somebody else. false: that user does not
/// even reach the folder.
bool os_leave_root(const os_folder *folder);
void os_back_to_root(void);

/// Open descriptors of this process.
int os_open_descriptors(void);

#endif
