/// system.h: what each operating system brings to file.c. Files named posix are for POSIX systems,
/// those named windows for Windows.
#ifndef FR_SYSTEM_H
#define FR_SYSTEM_H

#include "os/file.h"

/// A message shows this much of a path; it leaves room for the step and the system's words.
#define FR_SHOWN_PATH_SIZE 256
/// One read or write moves at most this much; Linux stops at 2 GiB, other systems refuse more.
#define FR_TRANSFER_MOST ((size_t)1 << 30)

/// "path: reason", with the path as the subject. Returns code. Of file.c.
firn_result fr_path_fail(firn_error *err, firn_result code, const char *path, const char *reason);

/// "path: step: the system's words for `number`", with the path as the subject. Returns code.
firn_result fr_system_fail(firn_error *err, firn_result code, const char *path, const char *step,
                           int number);

/// FIRN_INVALID: a path that is NULL or empty. Of file.c.
firn_result fr_path_check(const char *path, firn_error *err);

/// fr_file_replace_status, once its arguments are known to be there; status may be NULL.
firn_result fr_system_replace(const firn_allocator *allocator, const char *path, const void *bytes,
                              size_t size, fr_file_status *status, firn_error *err);
/// fr_file_remove, as well.
firn_result fr_system_remove(const firn_allocator *allocator, const char *path, firn_error *err);

/// A file that is open for reading.
typedef intptr_t fr_input;

/// Opens a regular file, also by way of a symbolic link if told to follow, and tells its status;
/// the allocator is for what the name needs. Errors as those of fr_file_read; nothing is then open.
firn_result fr_input_open(const firn_allocator *allocator, const char *path, bool follow,
                          fr_input *input, fr_file_status *status, firn_error *err);
/// Reads up to `room` bytes, at least 1: *got is 0 at the end of the file only.
firn_result fr_input_read(fr_input input, const char *path, void *out, size_t room, size_t *got,
                          firn_error *err);
void fr_input_close(fr_input input);

#endif
