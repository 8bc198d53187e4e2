/// target.h: `{target = number}` as firn writes it, which is most of what relationships hold: told
/// and read without looking at it key by key.
#ifndef FR_TARGET_H
#define FR_TARGET_H

#include "buffer/bytes.h"

/// A table of one pair, the string `target`, the tag of a number; the number follows.
#define FR_TARGET_HEAD  "\x09\x01\x26target\x07"
#define FR_TARGET_BYTES 18

/// Whether the limits let every such value pass.
static inline bool fr_target_allowed(const firn_limits *limits)
{
    return limits->string_bytes >= 6 && limits->tree_values >= 3;
}

/// Whether the bytes begin with such a value.
static inline bool fr_is_target(const uint8_t *at, const uint8_t *end)
{
    size_t left = (size_t)(end - at), head = sizeof FR_TARGET_HEAD - 1;
    return left >= FR_TARGET_BYTES && memcmp(at, FR_TARGET_HEAD, head) == 0;
}

/// The number of such a value.
static inline double fr_target_number(const uint8_t *at)
{
    return fr_load_f64(at + sizeof FR_TARGET_HEAD - 1);
}

/// Writes such a value; returns one past its last byte.
static inline uint8_t *fr_put_target(uint8_t *at, double target)
{
    size_t head = sizeof FR_TARGET_HEAD - 1;
    memcpy(at, FR_TARGET_HEAD, head);
    fr_store_f64(at + head, target);
    return at + FR_TARGET_BYTES;
}

#endif
