/// system.h: what each operating system brings to file.c. Files named posix are for POSIX systems,
/// those named windows for Windows.
#ifndef FR_SYSTEM_H
#define FR_SYSTEM_H

#include "firn/base.h"

/// A message shows this much of a path; it leaves room for the step and the system's words.
#define FR_SHOWN_PATH_SIZE 256
/// One read or write moves at most this much; Linux stops at 2 GiB, other systems refuse more.
#define FR_TRANSFER_MOST ((size_t)1 << 30)

/// "path: reason", with the path as the subject. Returns code. Of file.c.
firn_result fr_path_fail(firn_error *err, firn_result code, const char *path, const char *reason);

/// "path: step: the system's words for `number`", with the path as the subject. Returns code.
firn_result fr_system_fail(firn_error *err, firn_result code, const char *path, const char *step,
                           int number);

/// fr_file_replace, once its arguments are known to be there.
firn_result fr_system_replace(const firn_allocator *allocator, const char *path, const void *bytes,
                              size_t size, firn_error *err);

/// A file that is open for reading.
typedef intptr_t fr_input;

/// Opens a regular file and tells its size; the allocator is for what the name needs. Errors as
/// those of fr_file_read; nothing is then open.
firn_result fr_input_open(const firn_allocator *allocator, const char *path, fr_input *input,
                          uint64_t *size, firn_error *err);
/// Reads up to `room` bytes, at least 1: *got is 0 at the end of the file only.
firn_result fr_input_read(fr_input input, const char *path, void *out, size_t room, size_t *got,
                          firn_error *err);
void fr_input_close(fr_input input);

#endif
