/// encode.h: trees to bytes, where more than one place needs it.
#ifndef FR_ENCODE_H
#define FR_ENCODE_H

#include "buffer/bytes.h"
#include "value/path.h"

/// Appends the canonical encoding of `value`, which stands inside `depth` open tables and is one of
/// `*values` counted so far; *values grows by what it holds below itself. `limits` are resolved.
/// On failure `out` is as before and `path`, when not NULL, goes on to the place.
firn_result fr_value_encode_inside(const firn_value *value, uint32_t depth, uint64_t *values,
                                   const firn_limits *limits, firn_buffer *out, fr_path *path,
                                   firn_error *err);

/// Writes a value that takes no more than FR_SCALAR_BYTES_MAX bytes; NULL when it is another one.
static inline uint8_t *fr_put_scalar(uint8_t *at, const firn_value *value)
{
    if (value->kind == FIRN_VALUE_NUMBER) {
        return fr_put_number(at, value->as.number);
    }
    switch (value->kind) {
    case FIRN_VALUE_NIL:
        *at = FR_TAG_NIL;
        return at + 1;
    case FIRN_VALUE_BOOL:
        *at = value->as.boolean ? FR_TAG_TRUE : FR_TAG_FALSE;
        return at + 1;
    case FIRN_VALUE_INT64:
        *at = FR_TAG_INT64;
        fr_store_u64(at + 1, (uint64_t)value->as.int64);
        return at + 9;
    case FIRN_VALUE_UINT64:
        *at = FR_TAG_UINT64;
        fr_store_u64(at + 1, value->as.uint64);
        return at + 9;
    case FIRN_VALUE_COMPLEX:
        *at = FR_TAG_COMPLEX;
        fr_store_u64(at + 1, fr_canonical_bits(value->as.complex[0]));
        fr_store_u64(at + 9, fr_canonical_bits(value->as.complex[1]));
        return at + 17;
    default:
        return NULL;
    }
}

#endif
