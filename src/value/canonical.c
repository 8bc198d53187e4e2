#include <string.h>

#include "base/error.h"
#include "value/check.h"
#include "value/stream.h"

/// An open table: what is still to come, and the last key.
struct canonical_level {
    const uint8_t *last_key;
    uint32_t elements;
    uint32_t pairs;
    uint32_t array_count;
};

/// The bytes of an encoded string and their number.
static const uint8_t *encoded_string(const uint8_t *at, uint32_t *size)
{
    if (at[0] < FR_COUNT_TWO) {
        *size = (uint32_t)at[0] - FR_TAG_STRING;
        return at + 1;
    }
    if (at[0] != 0xff) {
        *size = FR_COUNT_TWO + ((at[0] & 0x1fu) << 8) + at[1] - FR_TAG_STRING;
        return at + 2;
    }
    *size = fr_load_u32(at + 1) - FR_TAG_STRING;
    return at + 5;
}

static int encoded_rank(uint8_t tag)
{
    return tag >= FR_TAG_STRING ? 2 : tag == FR_TAG_NUMBER ? 1 : 0;
}

int fr_encoded_key_compare(const uint8_t *a, const uint8_t *b)
{
    int rank = encoded_rank(a[0]);
    if (rank != encoded_rank(b[0])) {
        return rank - encoded_rank(b[0]);
    }
    if (rank == 0) {
        return (int)a[0] - (int)b[0];
    }
    if (rank == 1) {
        double left = fr_load_f64(a + 1);
        double right = fr_load_f64(b + 1);
        return (left > right) - (left < right);
    }
    uint32_t left;
    uint32_t right;
    const uint8_t *left_bytes = encoded_string(a, &left);
    const uint8_t *right_bytes = encoded_string(b, &right);
    int order = memcmp(left_bytes, right_bytes, left < right ? left : right);
    return order != 0 ? order : (left > right) - (left < right);
}

/// A U(n) in its shortest form.
static bool shortest_count(fr_in *in, uint32_t *count)
{
    const uint8_t *start = in->at;
    if (!fr_in_count(in, count)) {
        return false;
    }
    return in->at - start < FR_COUNT_BYTES_MAX || *count >= FR_COUNT_FIVE;
}

static bool is_written_number(const uint8_t *bytes)
{
    uint64_t bits = fr_load_u64(bytes);
    bool is_nan = (bits & (UINT64_MAX >> 1)) > UINT64_C(0x7ff0000000000000);
    return !is_nan || bits == FR_NAN_BITS;
}

/// One value that is neither nil nor a table. The tag is known to be there.
static bool canonical_scalar(fr_in *in)
{
    const uint8_t *start = in->at;
    const uint8_t *payload;
    if (*start >= FR_TAG_STRING) {
        uint32_t tag;
        return shortest_count(in, &tag) && tag >= FR_TAG_STRING &&
               fr_in_bytes(in, tag - FR_TAG_STRING, &payload);
    }
    uint8_t size = fr_scalar_payload[*start];
    if (*start == FR_TAG_NIL || *start == FR_TAG_INT32 || size == FR_NO_SCALAR) {
        return false;
    }
    in->at += 1;
    if (!fr_in_bytes(in, size, &payload)) {
        return false;
    }
    if (*start == FR_TAG_NUMBER) {
        return is_written_number(payload);
    }
    if (*start == FR_TAG_COMPLEX) {
        return is_written_number(payload) && is_written_number(payload + 8);
    }
    return true;
}

static bool canonical_key(fr_in *in, struct canonical_level *level)
{
    const uint8_t *key = in->at;
    if (key == in->end || !canonical_scalar(in)) {
        return false;
    }
    if (*key == FR_TAG_NUMBER) {
        double number = fr_load_f64(key + 1);
        // Not NaN, not -0, and no key that belongs to the array part.
        if (number != number || (number == 0 && fr_load_u64(key + 1) != 0)) {
            return false;
        }
        if (number >= 1 && number <= (double)level->array_count + 1 &&
            number == (double)(uint64_t)number) {
            return false;
        }
    } else if (*key != FR_TAG_FALSE && *key != FR_TAG_TRUE && *key < FR_TAG_STRING) {
        return false;
    }
    bool ascends = level->last_key == NULL || fr_encoded_key_compare(level->last_key, key) < 0;
    level->last_key = key;
    return ascends;
}

static bool canonical_head(fr_in *in, struct canonical_level *level)
{
    uint8_t form = (uint8_t)(*in->at++ - FR_TAG_TABLE);
    *level = (struct canonical_level){0};
    if (form == 2 || form == 3) {
        return false;
    }
    if (form >= 4) {
        if (!shortest_count(in, &level->elements) || level->elements < 2) {
            return false;
        }
        level->elements -= 1;
        level->array_count = level->elements;
    }
    return (form & 1) == 0 || (shortest_count(in, &level->pairs) && level->pairs > 0);
}

bool fr_value_is_canonical(const void *bytes, size_t size)
{
    if (bytes == NULL || size == 0) {
        return false;
    }
    fr_in in;
    fr_in_begin(&in, bytes, size);
    if (*in.at == FR_TAG_NIL) {
        return size == 1;
    }
    struct canonical_level levels[FIRN_DEPTH_MAX + 1];
    struct canonical_level *level = levels;
    *level = (struct canonical_level){.elements = 1};
    for (;;) {
        if (level->elements > 0) {
            level->elements -= 1;
        } else if (level->pairs > 0) {
            level->pairs -= 1;
            if (!canonical_key(&in, level)) {
                return false;
            }
        } else if (level == levels) {
            return in.at == in.end;
        } else {
            level -= 1;
            continue;
        }
        if (in.at == in.end) {
            return false;
        }
        if (*in.at < FR_TAG_TABLE || *in.at > FR_TAG_TABLE_LAST) {
            if (!canonical_scalar(&in)) {
                return false;
            }
        } else if (level == levels + FIRN_DEPTH_MAX || !canonical_head(&in, ++level)) {
            return false;
        }
    }
}

firn_result fr_value_canonicalise(const uint8_t *bytes, size_t size, const firn_limits *limits,
                                  const firn_allocator *allocator, firn_buffer *out,
                                  firn_error *err)
{
    firn_result result = firn_value_check(bytes, size, limits, NULL, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (fr_value_is_canonical(bytes, size)) {
        return firn_buffer_append(out, bytes, size, err);
    }
    firn_error failure;
    firn_doc *doc = firn_doc_create(allocator, limits, &failure);
    firn_value *value = NULL;
    if (doc != NULL) {
        value = firn_value_decode(doc, bytes, size, &failure);
    }
    result = value != NULL ? firn_value_encode(value, limits, out, &failure) : failure.code;
    firn_doc_destroy(doc);
    return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &failure);
}
