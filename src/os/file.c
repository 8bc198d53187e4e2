#include "os/file.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "firn/file.h"
#include "os/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

firn_result fr_path_fail(firn_error *err, firn_result code, const char *path, const char *reason)
{
    char shown[FR_SHOWN_PATH_SIZE];
    return fr_fail(err, code, path, "%s: %s", fr_printable(shown, sizeof shown, path, strlen(path)),
                   reason);
}

firn_result fr_path_check(const char *path, firn_error *err)
{
    if (path == NULL || path[0] == '\0') {
        return fr_fail(err, FIRN_INVALID, "path", "the path is %s", path ? "empty" : "NULL");
    }
    return FIRN_OK;
}

firn_result fr_file_replace_status(const firn_allocator *allocator, const char *path,
                                   const void *bytes, size_t size, fr_file_status *status,
                                   firn_error *err)
{
    firn_result result = fr_path_check(path, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (bytes == NULL && size > 0) {
        return fr_fail(err, FIRN_INVALID, "bytes", "%zu bytes are given as NULL", size);
    }
    return fr_system_replace(allocator, path, bytes, size, status, err);
}

firn_result fr_file_replace(const firn_allocator *allocator, const char *path, const void *bytes,
                            size_t size, firn_error *err)
{
    return fr_file_replace_status(allocator, path, bytes, size, NULL, err);
}

firn_result fr_file_remove(const firn_allocator *allocator, const char *path, firn_error *err)
{
    firn_result result = fr_path_check(path, err);
    return result == FIRN_OK ? fr_system_remove(allocator, path, err) : result;
}

static firn_result fail_too_large(const char *path, uint64_t size, uint64_t limit, firn_error *err)
{
    char reason[96];
    (void)snprintf(reason, sizeof reason, "%" PRIu64 " bytes are more than the limit of %" PRIu64,
                   size, limit);
    return fr_path_fail(err, FIRN_LIMIT, path, reason);
}

static firn_result grow_output(firn_buffer *out, uint64_t extra, const char *path, firn_error *err)
{
    if (extra > SIZE_MAX - out->size) {
        return fail_too_large(path, extra, SIZE_MAX - out->size, err);
    }
    size_t need = out->size + (size_t)extra;
    bool grown = fr_grow_bytes(&out->allocator, &out->data, &out->capacity, need);
    return grown ? FIRN_OK : fr_fail_memory(err, path);
}

// Reads to the end behind out->size. The file may grow meanwhile, up to the limit.
static firn_result read_to_end(fr_input input, const char *path, uint64_t limit, uint64_t expected,
                               firn_buffer *out, firn_error *err)
{
    uint64_t got = 0;
    size_t count = 1;
    while (count > 0) {
        // One byte more than expected, so that the end can be seen.
        firn_result result = grow_output(out, (got > expected ? got : expected) + 1, path, err);
        if (result != FIRN_OK) {
            return result;
        }
        size_t room = out->capacity - out->size - (size_t)got;
        result = fr_input_read(input, path, out->data + out->size + got,
                               room < FR_TRANSFER_MOST ? room : FR_TRANSFER_MOST, &count, err);
        if (result != FIRN_OK) {
            return result;
        }
        got += count;
        if (got > limit) {
            return fail_too_large(path, got, limit, err);
        }
    }
    if (got < expected) {
        return fr_path_fail(err, FIRN_IO, path, "shrank while it was read");
    }
    out->size += (size_t)got;
    return FIRN_OK;
}

static firn_result read_file(const char *path, bool follow, uint64_t limit, firn_buffer *out,
                             fr_file_status *status, firn_error *err)
{
    firn_result result = fr_path_check(path, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (out == NULL) {
        return fr_fail(err, FIRN_INVALID, "out", "the buffer is NULL");
    }
    fr_input input;
    result = fr_input_open(&out->allocator, path, follow, &input, status, err);
    if (result != FIRN_OK) {
        return result;
    }
    result = status->size > limit ? fail_too_large(path, status->size, limit, err)
                                  : read_to_end(input, path, limit, status->size, out, err);
    fr_input_close(input);
    return result;
}

firn_result fr_file_read(const char *path, uint64_t limit, firn_buffer *out, firn_error *err)
{
    fr_file_status status;
    return read_file(path, true, limit, out, &status, err);
}

firn_result fr_file_read_status(const char *path, uint64_t limit, firn_buffer *out,
                                fr_file_status *status, firn_error *err)
{
    return read_file(path, false, limit, out, status, err);
}

firn_result fr_file_read_head(const firn_allocator *allocator, const char *path, void *bytes,
                              size_t room, size_t *got, fr_file_status *status, firn_error *err)
{
    fr_input input;
    firn_result result = fr_path_check(path, err);
    if (result == FIRN_OK) {
        result = fr_input_open(allocator, path, false, &input, status, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    size_t count = 1;
    for (*got = 0; result == FIRN_OK && count > 0 && *got < room; *got += count) {
        result = fr_input_read(input, path, (char *)bytes + *got, room - *got, &count, err);
        count = result == FIRN_OK ? count : 0;
    }
    fr_input_close(input);
    return result;
}

// ---- public

firn_result firn_file_read(const char *path, uint64_t limit, firn_buffer *out, firn_error *err)
{
    return fr_file_read(path, limit, out, err);
}

firn_result firn_file_replace(const char *path, const void *bytes, size_t size,
                              const firn_allocator *allocator, firn_error *err)
{
    firn_result result = fr_allocator_check(allocator, err);
    return result == FIRN_OK ? fr_file_replace(allocator, path, bytes, size, err) : result;
}
