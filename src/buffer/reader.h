/// reader.h: checked bytes in. No read leaves the bytes. A read that would, moves nothing: the
/// position is then the offset of what does not fit, which is the offset that errors carry.
#ifndef FR_READER_H
#define FR_READER_H

#include "buffer/bytes.h"
#include "firn/value.h"

/// A place in bytes. `end` is one past the last readable byte.
typedef struct fr_in {
    const uint8_t *bytes; ///< the start, for offsets
    const uint8_t *at;
    const uint8_t *end;
} fr_in;

/// bytes may be NULL when size is 0.
void fr_in_begin(fr_in *in, const void *bytes, size_t size);

static inline size_t fr_in_left(const fr_in *in)
{
    return (size_t)(in->end - in->at);
}

static inline uint64_t fr_in_offset(const fr_in *in)
{
    return (uint64_t)(in->at - in->bytes);
}

/// Each of these returns false, and moves nothing, when the bytes end before it does.
static inline bool fr_in_bytes(fr_in *in, size_t size, const uint8_t **bytes)
{
    if (fr_in_left(in) < size) {
        return false;
    }
    *bytes = in->at;
    in->at += size;
    return true;
}

static inline bool fr_in_u8(fr_in *in, uint8_t *value)
{
    if (in->at == in->end) {
        return false;
    }
    *value = *in->at++;
    return true;
}

static inline bool fr_in_u32(fr_in *in, uint32_t *value)
{
    const uint8_t *bytes;
    if (!fr_in_bytes(in, 4, &bytes)) {
        return false;
    }
    *value = fr_load_u32(bytes);
    return true;
}

static inline bool fr_in_f64(fr_in *in, double *value)
{
    const uint8_t *bytes;
    if (!fr_in_bytes(in, 8, &bytes)) {
        return false;
    }
    *value = fr_load_f64(bytes);
    return true;
}

/// fr_in_count when the first byte is none or not below 0xe0.
bool fr_in_long_count(fr_in *in, uint32_t *value);

/// U(n): minimal or not.
static inline bool fr_in_count(fr_in *in, uint32_t *value)
{
    if (in->at != in->end && *in->at < FR_COUNT_TWO) {
        *value = *in->at++;
        return true;
    }
    return fr_in_long_count(in, value);
}

/// What a tag stands for, for messages: "nil", "a number", "a string", ... A static string.
const char *fr_tag_text(uint32_t tag);

/// One encoded number (double or int32 form) or string, as preludes are made of. On failure the
/// position stays and err has `what` as its subject: FIRN_TRUNCATED, or FIRN_CORRUPT for another
/// kind.
firn_result fr_in_encoded_number(fr_in *in, const char *what, double *value, firn_error *err);
/// A number that is integral and within 0..most, which is at most 2^53.
firn_result fr_in_encoded_count(fr_in *in, const char *what, uint64_t most, uint64_t *value,
                                firn_error *err);
/// *bytes points into the input. A string longer than `most` is FIRN_LIMIT.
firn_result fr_in_encoded_string(fr_in *in, const char *what, uint64_t most, const char **bytes,
                                 size_t *size, firn_error *err);

#endif
