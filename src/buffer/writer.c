#include "buffer/writer.h"

#include <string.h>

#include "base/error.h"
#include "buffer/bytes.h"

void fr_out_begin(fr_out *out, firn_buffer *buffer, fr_digest *digest)
{
    out->buffer = buffer;
    out->digest = digest;
    out->digested = buffer != NULL ? buffer->size : 0;
    out->error.code = FIRN_OK;
}

firn_result fr_out_end(const fr_out *out, firn_error *err)
{
    return out->error.code == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &out->error);
}

void fr_out_flush(fr_out *out)
{
    if (out->digest == NULL || out->buffer == NULL) {
        return;
    }
    const firn_buffer *buffer = out->buffer;
    if (buffer->size > out->digested) { // an empty buffer has no bytes to point at
        fr_digest_update(out->digest, buffer->data + out->digested, buffer->size - out->digested);
        out->digested = buffer->size;
    }
}

static void follow_buffer(fr_out *out)
{
    if (out->digest != NULL && out->buffer->size - out->digested >= FR_OUT_BLOCK) {
        fr_out_flush(out);
    }
}

// Block by block. The digest goes first and calculates while the bytes come from afar; the copy
// then finds them in a near cache.
static void copy_and_digest(fr_out *out, const uint8_t *bytes, size_t size)
{
    firn_buffer *buffer = out->buffer;
    fr_out_flush(out);
    while (size > 0) {
        size_t block = size < FR_OUT_BLOCK ? size : FR_OUT_BLOCK;
        fr_digest_update(out->digest, bytes, block);
        memcpy(buffer->data + buffer->size, bytes, block);
        buffer->size += block;
        bytes += block;
        size -= block;
    }
    out->digested = buffer->size;
}

// Where the next bytes stand if there is room and nobody else is to see them; else NULL.
static inline uint8_t *room_at_end(const fr_out *out, size_t size)
{
    const firn_buffer *buffer = out->buffer;
    bool alone = buffer != NULL && out->digest == NULL && out->error.code == FIRN_OK;
    return alone && size <= buffer->capacity - buffer->size ? buffer->data + buffer->size : NULL;
}

static void write_bytes(fr_out *out, const void *bytes, size_t size)
{
    firn_buffer *buffer = out->buffer;
    if (out->error.code != FIRN_OK || size == 0) {
        return;
    }
    if (buffer == NULL) {
        if (out->digest != NULL) {
            fr_digest_update(out->digest, bytes, size);
        }
        return;
    }
    if (firn_buffer_reserve(buffer, size, &out->error) != FIRN_OK) {
        return;
    }
    if (out->digest != NULL && size >= FR_OUT_BLOCK) {
        copy_and_digest(out, bytes, size);
        return;
    }
    memcpy(buffer->data + buffer->size, bytes, size);
    fr_out_filled(out, size);
}

void fr_out_bytes(fr_out *out, const void *bytes, size_t size)
{
    uint8_t *at = room_at_end(out, size);
    if (at == NULL || size == 0) {
        write_bytes(out, bytes, size);
        return;
    }
    memcpy(at, bytes, size);
    out->buffer->size += size;
}

void fr_out_u8(fr_out *out, uint8_t value)
{
    uint8_t *at = room_at_end(out, 1);
    if (at == NULL) {
        write_bytes(out, &value, 1);
        return;
    }
    *at = value;
    out->buffer->size += 1;
}

void fr_out_u64(fr_out *out, uint64_t value)
{
    uint8_t bytes[8];
    fr_store_u64(bytes, value);
    fr_out_bytes(out, bytes, sizeof bytes);
}

void fr_out_count(fr_out *out, uint32_t value)
{
    uint8_t *at = room_at_end(out, FR_COUNT_BYTES_MAX);
    if (at == NULL) {
        uint8_t bytes[FR_COUNT_BYTES_MAX];
        write_bytes(out, bytes, (size_t)(fr_put_count(bytes, value) - bytes));
        return;
    }
    out->buffer->size += (size_t)(fr_put_count(at, value) - at);
}

uint8_t *fr_out_space(fr_out *out, size_t size)
{
    if (out->error.code != FIRN_OK || out->buffer == NULL) {
        return NULL;
    }
    if (firn_buffer_reserve(out->buffer, size, &out->error) != FIRN_OK) {
        return NULL;
    }
    return out->buffer->data + out->buffer->size;
}

void fr_out_filled(fr_out *out, size_t size)
{
    if (out->error.code != FIRN_OK || out->buffer == NULL) {
        return;
    }
    out->buffer->size += size;
    follow_buffer(out);
}

void fr_out_encoded_bool(fr_out *out, bool value)
{
    fr_out_u8(out, value ? FR_TAG_TRUE : FR_TAG_FALSE);
}

void fr_out_encoded_number(fr_out *out, double value)
{
    uint8_t *at = room_at_end(out, FR_SCALAR_BYTES_MAX);
    if (at == NULL) {
        uint8_t bytes[FR_SCALAR_BYTES_MAX];
        write_bytes(out, bytes, (size_t)(fr_put_number(bytes, value) - bytes));
        return;
    }
    out->buffer->size += (size_t)(fr_put_number(at, value) - at);
}

void fr_out_encoded_string(fr_out *out, const void *bytes, size_t size)
{
    if (out->error.code != FIRN_OK) {
        return;
    }
    if (size > FR_STRING_BYTES_MAX) {
        fr_fail(&out->error, FIRN_LIMIT, NULL, "a string of %zu bytes has no encoding", size);
        return;
    }
    fr_out_count(out, (uint32_t)size + FR_TAG_STRING);
    fr_out_bytes(out, bytes, size);
}
