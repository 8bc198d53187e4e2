#include "buffer/reader.h"

#include <inttypes.h>

#include "base/error.h"

void fr_in_begin(fr_in *in, const void *bytes, size_t size)
{
    static const uint8_t nothing[1] = {0};
    in->bytes = bytes != NULL ? bytes : nothing;
    in->at = in->bytes;
    in->end = in->bytes + (bytes != NULL ? size : 0);
}

bool fr_in_long_count(fr_in *in, uint32_t *value)
{
    size_t left = fr_in_left(in);
    if (left == 0) {
        return false;
    }
    uint32_t first = *in->at;
    if (first != 0xff) {
        if (left < 2) {
            return false;
        }
        *value = FR_COUNT_TWO + ((first & 0x1f) << 8) + in->at[1];
        in->at += 2;
        return true;
    }
    if (left < FR_COUNT_BYTES_MAX) {
        return false;
    }
    *value = fr_load_u32(in->at + 1);
    in->at += FR_COUNT_BYTES_MAX;
    return true;
}

const char *fr_tag_text(uint32_t tag)
{
    static const char *const texts[FR_TAG_STRING] = {
        [FR_TAG_NIL] = "nil",
        [FR_TAG_FALSE] = "false",
        [FR_TAG_TRUE] = "true",
        [FR_TAG_POINTER_NULL] = "a pointer",
        [FR_TAG_POINTER32] = "a pointer",
        [FR_TAG_POINTER64] = "a pointer",
        [FR_TAG_INT32] = "a number",
        [FR_TAG_NUMBER] = "a number",
        [FR_TAG_METATABLE] = "a metatable of a dictionary",
        [FR_TAG_DICTIONARY] = "a string of a dictionary",
        [FR_TAG_INT64] = "an int64",
        [FR_TAG_UINT64] = "a uint64",
        [FR_TAG_COMPLEX] = "a complex number",
    };
    if (tag >= FR_TAG_STRING) {
        return "a string";
    }
    if (tag >= FR_TAG_TABLE && tag <= FR_TAG_TABLE_LAST) {
        return "a table";
    }
    return texts[tag] != NULL ? texts[tag] : "an unknown tag";
}

static firn_result in_ends_early(const fr_in *in, const char *what, firn_error *err)
{
    return fr_fail_at(err, FIRN_TRUNCATED, fr_in_offset(in), what,
                      "%s ends early: only %zu bytes are left for it", what, fr_in_left(in));
}

firn_result fr_in_encoded_number(fr_in *in, const char *what, double *value, firn_error *err)
{
    fr_in ahead = *in;
    uint32_t tag;
    if (!fr_in_count(&ahead, &tag)) {
        return in_ends_early(in, what, err);
    }
    if (tag == FR_TAG_NUMBER) {
        if (!fr_in_f64(&ahead, value)) {
            return in_ends_early(in, what, err);
        }
    } else if (tag == FR_TAG_INT32) {
        uint32_t word;
        if (!fr_in_u32(&ahead, &word)) {
            return in_ends_early(in, what, err);
        }
        *value = (double)(int32_t)word;
    } else {
        return fr_fail_at(err, FIRN_CORRUPT, fr_in_offset(in), what,
                          "%s is %s (tag 0x%02" PRIx32 "), not a number", what, fr_tag_text(tag),
                          tag);
    }
    *in = ahead;
    return FIRN_OK;
}

firn_result fr_in_encoded_count(fr_in *in, const char *what, uint64_t most, uint64_t *value,
                                firn_error *err)
{
    fr_in ahead = *in;
    double number = 0;
    firn_result result = fr_in_encoded_number(&ahead, what, &number, err);
    if (result != FIRN_OK) {
        return result;
    }
    // The comparison is written so that NaN fails it.
    if (!(number >= 0 && number <= (double)most) || (double)(uint64_t)number != number) {
        return fr_fail_at(err, FIRN_CORRUPT, fr_in_offset(in), what,
                          "%s is %.17g, not an integer of 0..%" PRIu64, what, number, most);
    }
    *value = (uint64_t)number;
    *in = ahead;
    return FIRN_OK;
}

firn_result fr_in_encoded_string(fr_in *in, const char *what, uint64_t most, const char **bytes,
                                 size_t *size, firn_error *err)
{
    fr_in ahead = *in;
    uint32_t tag;
    if (!fr_in_count(&ahead, &tag)) {
        return in_ends_early(in, what, err);
    }
    if (tag < FR_TAG_STRING) {
        return fr_fail_at(err, FIRN_CORRUPT, fr_in_offset(in), what,
                          "%s is %s (tag 0x%02" PRIx32 "), not a string", what, fr_tag_text(tag),
                          tag);
    }
    size_t length = tag - FR_TAG_STRING;
    const uint8_t *text;
    if (!fr_in_bytes(&ahead, length, &text)) {
        return fr_fail_at(err, FIRN_TRUNCATED, fr_in_offset(in), what,
                          "%s is a string of %zu bytes, %zu are left", what, length,
                          fr_in_left(&ahead));
    }
    if (length > most) {
        return fr_fail_at(err, FIRN_LIMIT, fr_in_offset(in), what,
                          "%s is a string of %zu bytes, the limit is %" PRIu64, what, length, most);
    }
    *bytes = (const char *)text;
    *size = length;
    *in = ahead;
    return FIRN_OK;
}
