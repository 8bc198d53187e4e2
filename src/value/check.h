/// check.h: walking encoded values in place. Nothing here allocates, recurses or believes a count
/// that the bytes left cannot hold. `limits` are resolved ones (fr_limits_resolve): no field is 0.
#ifndef FR_CHECK_H
#define FR_CHECK_H

#include "buffer/reader.h"

/// Checks one value and moves behind it. On failure the position stays and err is like that of
/// firn_value_check, with offsets from in->bytes.
bool fr_value_check_next(fr_in *in, const firn_limits *limits, firn_error *err);

/// Checks `count` values in a row, as columns hold them, each within the limits. On failure the
/// position is at the value that failed.
bool fr_value_check_run(fr_in *in, uint32_t count, const firn_limits *limits, firn_error *err);

/// Steps over values, at most `most`, that are like the one before them, which begins at `before`
/// and was checked: they differ in the words of numbers alone, so they are valid like it. Rows of
/// the same fields are; of others, none are passed over. Returns how many.
uint32_t fr_value_skip_alike(fr_in *in, const uint8_t *before, uint32_t most);

/// Checks one value that stands inside `depth` open tables and is one of `*values` counted so far.
/// `*values` grows by what it holds below itself.
bool fr_value_check_inside(fr_in *in, uint32_t depth, uint64_t *values, const firn_limits *limits,
                           firn_error *err);

/// Checks one table key: a boolean, a number that is not NaN or a string. FIRN_CORRUPT for others.
bool fr_value_check_key(fr_in *in, const firn_limits *limits, firn_error *err);

/// Reads the counts behind a table's tag, FR_TAG_TABLE..FR_TAG_TABLE_LAST. `start` is where the
/// table begins, for errors. Every element and key and value needs a byte: more than are left is
/// FIRN_TRUNCATED. Adds them to *values: more than the limit is FIRN_LIMIT.
bool fr_value_check_head(fr_in *in, const uint8_t *start, uint32_t tag, uint64_t *values,
                         const firn_limits *limits, firn_table_head *head, firn_error *err);

/// FIRN_CORRUPT for a tag that no value begins with, in words that say why.
firn_result fr_value_refuse_tag(uint32_t tag, uint64_t offset, firn_error *err);

/// True when the bytes are exactly one value in the encoding that firn writes. Any bytes may be
/// given; allocates nothing. Limits are not looked at, except for FIRN_DEPTH_MAX.
bool fr_value_is_canonical(const void *bytes, size_t size);

/// Appends the canonical encoding of the value that fills `bytes`. Takes memory only when they are
/// not canonical already. Fails like firn_value_decode, with offsets from `bytes`; `out` is then
/// as before.
firn_result fr_value_canonicalise(const uint8_t *bytes, size_t size, const firn_limits *limits,
                                  const firn_allocator *allocator, firn_buffer *out,
                                  firn_error *err);

/// Bytes behind each tag below FR_TAG_STRING that is a whole value by itself; FR_NO_SCALAR for
/// others.
#define FR_NO_SCALAR 0xff
extern const uint8_t fr_scalar_payload[FR_TAG_STRING];

/// The first tag, as one byte, that is no short string within the limit.
static inline uint8_t fr_short_string_end(const firn_limits *limits)
{
    uint64_t most = limits->string_bytes;
    return (uint8_t)(most >= FR_COUNT_TWO - FR_TAG_STRING ? FR_COUNT_TWO
                                                          : FR_TAG_STRING + most + 1);
}

/// The whole length of a value with a one-byte tag that is a scalar or a short string; 0 when the
/// value is something else or does not end before `end`.
static inline size_t fr_simple_length(const uint8_t *at, const uint8_t *end, uint8_t string_end)
{
    size_t left = (size_t)(end - at);
    if (left == 0) {
        return 0;
    }
    uint8_t tag = *at;
    size_t length;
    if (tag >= FR_TAG_STRING) {
        if (tag >= string_end) {
            return 0;
        }
        length = (size_t)tag - FR_TAG_STRING + 1;
    } else {
        if (fr_scalar_payload[tag] == FR_NO_SCALAR) {
            return 0;
        }
        length = (size_t)fr_scalar_payload[tag] + 1;
    }
    return length <= left ? length : 0;
}

#endif
