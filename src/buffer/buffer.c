#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "firn/value.h"

void firn_buffer_init(firn_buffer *buffer, const firn_allocator *allocator)
{
    if (buffer == NULL) {
        return;
    }
    memset(buffer, 0, sizeof *buffer);
    if (allocator != NULL) {
        buffer->allocator = *allocator;
    }
}

void firn_buffer_free(firn_buffer *buffer)
{
    if (buffer == NULL) {
        return;
    }
    fr_free(&buffer->allocator, buffer->data, buffer->capacity, 1, FR_CACHE_LINE);
    buffer->data = NULL;
    buffer->size = 0;
    buffer->capacity = 0;
}

void firn_buffer_clear(firn_buffer *buffer)
{
    if (buffer != NULL) {
        buffer->size = 0;
    }
}

firn_result firn_buffer_reserve(firn_buffer *buffer, size_t extra, firn_error *err)
{
    if (buffer == NULL) {
        return fr_fail(err, FIRN_INVALID, "buffer", "the buffer is NULL");
    }
    if (extra <= buffer->capacity - buffer->size) {
        return FIRN_OK;
    }
    size_t need;
    if (!fr_add_size(buffer->size, extra, &need) || need > SIZE_MAX / 2) {
        return fr_fail(err, FIRN_LIMIT, "buffer", "a buffer of %zu bytes cannot grow by %zu",
                       buffer->size, extra);
    }
    bool grown = fr_grow_bytes(&buffer->allocator, &buffer->data, &buffer->capacity, need);
    return grown ? FIRN_OK : fr_fail_memory(err, "buffer");
}

firn_result firn_buffer_append(firn_buffer *buffer, const void *bytes, size_t size, firn_error *err)
{
    if (bytes == NULL && size > 0) {
        return fr_fail(err, FIRN_INVALID, "bytes", "%zu bytes at NULL", size);
    }
    firn_result result = firn_buffer_reserve(buffer, size, err);
    if (result != FIRN_OK || size == 0) {
        return result;
    }
    memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += size;
    return FIRN_OK;
}
