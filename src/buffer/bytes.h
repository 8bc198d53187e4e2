/// bytes.h: the words of the wire: little-endian numbers at any address, the count U(n), and the
/// tags of encoded values (docs/format.md, "Values").
#ifndef FR_BYTES_H
#define FR_BYTES_H

#include <string.h>

#include "firn/base.h"

/// Tags below FR_TAG_STRING; the tag of a string is FR_TAG_STRING + its length.
enum fr_tag {
    FR_TAG_NIL = 0x00,
    FR_TAG_FALSE = 0x01,
    FR_TAG_TRUE = 0x02,
    FR_TAG_POINTER_NULL = 0x03, ///< 03..05: light userdata, never in a save
    FR_TAG_POINTER32 = 0x04,
    FR_TAG_POINTER64 = 0x05,
    FR_TAG_INT32 = 0x06,
    FR_TAG_NUMBER = 0x07,
    FR_TAG_TABLE = 0x08, ///< + 1 with pairs, + 2 elements from index 0, + 4 elements from index 1
    FR_TAG_TABLE_LAST = 0x0d,
    FR_TAG_METATABLE = 0x0e, ///< 0e and 0f: places in dictionaries, which a save has none of
    FR_TAG_DICTIONARY = 0x0f,
    FR_TAG_INT64 = 0x10,
    FR_TAG_UINT64 = 0x11,
    FR_TAG_COMPLEX = 0x12,
    FR_TAG_STRING = 0x20
};

/// The first U(n) that takes two bytes, and the first that takes five.
#define FR_COUNT_TWO  UINT32_C(0xe0)
#define FR_COUNT_FIVE UINT32_C(0x1fe0)
/// Most bytes of a U(n), and of an encoded value that is neither a string nor a table.
#define FR_COUNT_BYTES_MAX  5
#define FR_SCALAR_BYTES_MAX 17
/// The longest string whose tag still is a U(n).
#define FR_STRING_BYTES_MAX (UINT32_MAX - FR_TAG_STRING)

/// The one NaN that firn writes.
#define FR_NAN_BITS UINT64_C(0x7ff8000000000000)

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FR_LITTLE_32(word) __builtin_bswap32(word)
#define FR_LITTLE_64(word) __builtin_bswap64(word)
#else
#define FR_LITTLE_32(word) (word)
#define FR_LITTLE_64(word) (word)
#endif

static inline uint32_t fr_load_u32(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return FR_LITTLE_32(word);
}

static inline uint64_t fr_load_u64(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return FR_LITTLE_64(word);
}

static inline double fr_load_f64(const uint8_t *bytes)
{
    uint64_t word = fr_load_u64(bytes);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline void fr_store_u32(uint8_t *bytes, uint32_t value)
{
    uint32_t word = FR_LITTLE_32(value);
    memcpy(bytes, &word, sizeof word);
}

static inline void fr_store_u64(uint8_t *bytes, uint64_t value)
{
    uint64_t word = FR_LITTLE_64(value);
    memcpy(bytes, &word, sizeof word);
}

/// The 64 bits of a double as they are.
static inline uint64_t fr_bits_f64(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static inline void fr_store_f64(uint8_t *bytes, double value)
{
    fr_store_u64(bytes, fr_bits_f64(value));
}

/// The 64 bits of a double as firn writes them: every NaN is the same.
static inline uint64_t fr_canonical_bits(double value)
{
    return value != value ? FR_NAN_BITS : fr_bits_f64(value);
}

/// How many zeros bytes begin with.
static inline size_t fr_leading_zeros(const uint8_t *bytes, size_t size)
{
    size_t count = 0;
    while (count < size && bytes[count] == 0) {
        count++;
    }
    return count;
}

/// The shortest U(n); returns one past its last byte. Needs FR_COUNT_BYTES_MAX bytes of room.
static inline uint8_t *fr_put_count(uint8_t *at, uint32_t count)
{
    if (count < FR_COUNT_TWO) {
        *at = (uint8_t)count;
        return at + 1;
    }
    if (count < FR_COUNT_FIVE) {
        uint32_t rest = count - FR_COUNT_TWO;
        at[0] = (uint8_t)(FR_COUNT_TWO | (rest >> 8));
        at[1] = (uint8_t)rest;
        return at + 2;
    }
    at[0] = 0xff;
    fr_store_u32(at + 1, count);
    return at + 5;
}

/// An encoded number of 9 bytes; returns one past its last byte.
static inline uint8_t *fr_put_number(uint8_t *at, double value)
{
    at[0] = FR_TAG_NUMBER;
    fr_store_u64(at + 1, fr_canonical_bits(value));
    return at + 9;
}

#endif
