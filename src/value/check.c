#include "value/check.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

const uint8_t fr_scalar_payload[FR_TAG_STRING] = {
    0,
    0,
    0,
    FR_NO_SCALAR, // nil, false, true, pointer
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    4,
    8, // pointers, int32, number
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR, // tables
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR, // tables, dictionaries
    8,
    8,
    16,
    FR_NO_SCALAR, // int64, uint64, complex
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR,
    FR_NO_SCALAR,
};

/// What is still to come in an open table.
struct check_level {
    uint32_t elements;
    uint32_t pairs;
};

static bool check_fail_short(const fr_in *in, const uint8_t *start, const char *what,
                             firn_error *err)
{
    fr_fail_at(err, FIRN_TRUNCATED, (uint64_t)(start - in->bytes), NULL,
               "%s does not fit the %zu bytes left", what, (size_t)(in->end - start));
    return false;
}

firn_result fr_value_refuse_tag(uint32_t tag, uint64_t offset, firn_error *err)
{
    if (tag >= FR_TAG_POINTER_NULL && tag <= FR_TAG_POINTER64) {
        return fr_fail_at(err, FIRN_CORRUPT, offset, NULL,
                          "tag 0x%02" PRIx32 " is a pointer, which no saved value has", tag);
    }
    if (tag == FR_TAG_METATABLE || tag == FR_TAG_DICTIONARY) {
        return fr_fail_at(err, FIRN_CORRUPT, offset, NULL,
                          "tag 0x%02" PRIx32 " is %s, and there is no dictionary", tag,
                          fr_tag_text(tag));
    }
    return fr_fail_at(err, FIRN_CORRUPT, offset, NULL, "tag 0x%02" PRIx32 " is no kind of value",
                      tag);
}

bool fr_value_check_head(fr_in *in, const uint8_t *start, uint32_t tag, uint64_t *values,
                         const firn_limits *limits, firn_table_head *head, firn_error *err)
{
    uint32_t elements = 0;
    uint32_t pairs = 0;
    bool has_elements = tag - FR_TAG_TABLE >= 2;
    bool from_one = tag - FR_TAG_TABLE >= 4;
    if (has_elements && !fr_in_count(in, &elements)) {
        return check_fail_short(in, start, "the count of a table's elements", err);
    }
    if ((tag & 1) != 0 && !fr_in_count(in, &pairs)) {
        return check_fail_short(in, start, "the count of a table's pairs", err);
    }
    // The count from index 1 includes index 0, which is not there.
    if (from_one && elements > 0) {
        elements -= 1;
    }
    uint64_t items = (uint64_t)elements + 2 * (uint64_t)pairs;
    if (items > fr_in_left(in)) {
        fr_fail_at(err, FIRN_TRUNCATED, (uint64_t)(start - in->bytes), NULL,
                   "a table of %" PRIu32 " elements and %" PRIu32 " pairs in %zu bytes", elements,
                   pairs, fr_in_left(in));
        return false;
    }
    if (items > limits->tree_values - *values) {
        fr_fail_at(err, FIRN_LIMIT, (uint64_t)(start - in->bytes), NULL,
                   "more than %" PRIu64 " values in one", limits->tree_values);
        return false;
    }
    *values += items;
    head->array_first = from_one || !has_elements ? 1 : 0;
    head->array_count = elements;
    head->map_count = pairs;
    return true;
}

/// A string behind its tag. `start` is where the tag begins.
static bool check_string(fr_in *in, const uint8_t *start, uint32_t tag, const firn_limits *limits,
                         firn_error *err)
{
    uint32_t length = tag - FR_TAG_STRING;
    if (length > fr_in_left(in)) {
        fr_fail_at(err, FIRN_TRUNCATED, (uint64_t)(start - in->bytes), NULL,
                   "a string of %" PRIu32 " bytes, %zu are left", length, fr_in_left(in));
        return false;
    }
    if (length > limits->string_bytes) {
        fr_fail_at(err, FIRN_LIMIT, (uint64_t)(start - in->bytes), NULL,
                   "a string of %" PRIu32 " bytes, the limit is %" PRIu64, length,
                   limits->string_bytes);
        return false;
    }
    in->at += length;
    return true;
}

static bool check_scalar(fr_in *in, const uint8_t *start, uint32_t tag, const firn_limits *limits,
                         firn_error *err)
{
    if (tag >= FR_TAG_STRING) {
        return check_string(in, start, tag, limits, err);
    }
    size_t payload = fr_scalar_payload[tag];
    if (payload == FR_NO_SCALAR) {
        fr_value_refuse_tag(tag, (uint64_t)(start - in->bytes), err);
        return false;
    }
    if (payload > fr_in_left(in)) {
        return check_fail_short(in, start, fr_tag_text(tag), err);
    }
    in->at += payload;
    return true;
}

bool fr_value_check_key(fr_in *in, const firn_limits *limits, firn_error *err)
{
    fr_in ahead = *in;
    uint32_t tag;
    if (!fr_in_count(&ahead, &tag)) {
        return check_fail_short(in, in->at, "a key", err);
    }
    bool is_key = tag == FR_TAG_FALSE || tag == FR_TAG_TRUE || tag == FR_TAG_INT32 ||
                  tag == FR_TAG_NUMBER || tag >= FR_TAG_STRING;
    if (!is_key) {
        bool is_value = fr_scalar_payload[tag] != FR_NO_SCALAR ||
                        (tag >= FR_TAG_TABLE && tag <= FR_TAG_TABLE_LAST);
        if (is_value) {
            fr_fail_at(err, FIRN_CORRUPT, fr_in_offset(in), NULL, "a table key is %s",
                       fr_tag_text(tag));
        } else {
            fr_value_refuse_tag(tag, fr_in_offset(in), err);
        }
        return false;
    }
    if (!check_scalar(&ahead, in->at, tag, limits, err)) {
        return false;
    }
    if (tag == FR_TAG_NUMBER) {
        double number = fr_load_f64(ahead.at - 8);
        if (number != number) {
            fr_fail_at(err, FIRN_CORRUPT, fr_in_offset(in), NULL, "a table key is NaN");
            return false;
        }
    }
    in->at = ahead.at;
    return true;
}

/// One value, or the head of one table; *head says what the table holds, all zero for others.
static bool check_item(fr_in *in, uint32_t depth, uint64_t *values, const firn_limits *limits,
                       firn_table_head *head, firn_error *err)
{
    const uint8_t *start = in->at;
    uint32_t tag;
    if (!fr_in_count(in, &tag)) {
        return check_fail_short(in, start, "a value", err);
    }
    if (tag < FR_TAG_TABLE || tag > FR_TAG_TABLE_LAST) {
        return check_scalar(in, start, tag, limits, err);
    }
    if (depth >= limits->depth) {
        fr_fail_at(err, FIRN_LIMIT, (uint64_t)(start - in->bytes), NULL,
                   "more than %" PRIu32 " tables inside each other", limits->depth);
        return false;
    }
    return fr_value_check_head(in, start, tag, values, limits, head, err);
}

/// Passes over elements that are scalars or short strings; stops at the first that is not, or is
/// wrong.
static void skip_elements(fr_in *in, struct check_level *level, uint8_t string_end)
{
    const uint8_t *at = in->at;
    uint32_t left = level->elements;
    for (; left > 0; left--) {
        if (in->end - at >= 9 && *at == FR_TAG_NUMBER) {
            at += 9; // a row of numbers: no length has to be known before the next one is looked at
            continue;
        }
        size_t length = fr_simple_length(at, in->end, string_end);
        if (length == 0) {
            break;
        }
        at += length;
    }
    in->at = at;
    level->elements = left;
}

/// Passes over pairs of a short string and a scalar or short string.
static void skip_pairs(fr_in *in, struct check_level *level, uint8_t string_end)
{
    const uint8_t *at = in->at;
    uint32_t left = level->pairs;
    for (; left > 0 && at != in->end && *at >= FR_TAG_STRING; left--) {
        size_t key = fr_simple_length(at, in->end, string_end);
        size_t value = key > 0 ? fr_simple_length(at + key, in->end, string_end) : 0;
        if (value == 0) {
            break;
        }
        at += key + value;
    }
    in->at = at;
    level->pairs = left;
}

bool fr_value_check_inside(fr_in *in, uint32_t depth, uint64_t *values, const firn_limits *limits,
                           firn_error *err)
{
    uint8_t string_end = fr_short_string_end(limits);
    const uint8_t *start = in->at;
    struct check_level levels[FIRN_DEPTH_MAX + 1];
    struct check_level *level = levels;
    *level = (struct check_level){1, 0};
    for (;;) {
        skip_elements(in, level, string_end);
        if (level->elements > 0) {
            level->elements -= 1;
        } else {
            skip_pairs(in, level, string_end);
            if (level->pairs > 0) {
                level->pairs -= 1;
                if (!fr_value_check_key(in, limits, err)) {
                    break;
                }
            } else if (level == levels) {
                return true;
            } else {
                level -= 1;
                continue;
            }
        }
        firn_table_head head = {0};
        if (!check_item(in, depth + (uint32_t)(level - levels), values, limits, &head, err)) {
            break;
        }
        if ((head.array_count | head.map_count) != 0) {
            level += 1;
            *level = (struct check_level){head.array_count, head.map_count};
        }
    }
    in->at = start;
    return false;
}

bool fr_value_check_next(fr_in *in, const firn_limits *limits, firn_error *err)
{
    uint64_t values = 1;
    return fr_value_check_inside(in, 0, &values, limits, err);
}

// Longer tables are not worth it.
#define ALIKE_BYTES 256

// Makes a mask of the table that fills `size` bytes, 0 where its numbers have their words; false:
// there is more in it than pairs of a short string and a number.
static bool mask_numbers(const uint8_t *table, size_t size, uint8_t mask[ALIKE_BYTES])
{
    if (size > ALIKE_BYTES || table[0] != FR_TAG_TABLE + 1 || table[1] == 0) {
        return false;
    }
    memset(mask, 0xff, size);
    const uint8_t *at = table + 2;
    while (at < table + size && *at >= FR_TAG_STRING && *at < FR_COUNT_TWO) {
        const uint8_t *value = at + *at - FR_TAG_STRING + 1;
        if (*value != FR_TAG_NUMBER) {
            return false;
        }
        memset(mask + (value - table) + 1, 0, sizeof(double));
        at = value + 1 + sizeof(double);
    }
    return at == table + size;
}

// Whether two values of at least 8 bytes are equal where the mask is not 0.
static bool is_alike(const uint8_t *a, const uint8_t *b, const uint8_t *mask, size_t size)
{
    uint64_t differing = 0;
    for (size_t at = 0; at + 8 < size; at += 8) {
        differing |= (fr_load_u64(a + at) ^ fr_load_u64(b + at)) & fr_load_u64(mask + at);
    }
    size_t last = size - 8;
    differing |= (fr_load_u64(a + last) ^ fr_load_u64(b + last)) & fr_load_u64(mask + last);
    return differing == 0;
}

uint32_t fr_value_skip_alike(fr_in *in, const uint8_t *before, uint32_t most)
{
    uint8_t mask[ALIKE_BYTES];
    size_t size = (size_t)(in->at - before);
    uint32_t count = 0;
    if (most == 0 || !mask_numbers(before, size, mask)) {
        return 0;
    }
    while (count < most && fr_in_left(in) >= size && is_alike(before, in->at, mask, size)) {
        in->at += size;
        count++;
    }
    return count;
}

bool fr_value_check_run(fr_in *in, uint32_t count, const firn_limits *limits, firn_error *err)
{
    uint8_t string_end = fr_short_string_end(limits);
    const uint8_t *at = in->at;
    for (uint32_t i = 0; i < count; i++) {
        size_t length = fr_simple_length(at, in->end, string_end);
        if (length > 0) {
            at += length;
            continue;
        }
        in->at = at;
        if (!fr_value_check_next(in, limits, err)) {
            return false;
        }
        i += fr_value_skip_alike(in, at, count - 1 - i);
        at = in->at;
    }
    in->at = at;
    return true;
}

firn_result firn_value_check(const void *bytes, size_t size, const firn_limits *limits,
                             size_t *used, firn_error *err)
{
    if (bytes == NULL && size > 0) {
        return fr_fail(err, FIRN_INVALID, "bytes", "%zu bytes at NULL", size);
    }
    firn_limits bounds;
    firn_result result = fr_limits_resolve(limits, &bounds, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_error failure;
    fr_in in;
    fr_in_begin(&in, bytes, size);
    if (err == NULL) {
        err = &failure;
    }
    if (!fr_value_check_next(&in, &bounds, err)) {
        return err->code;
    }
    if (used != NULL) {
        *used = (size_t)fr_in_offset(&in);
    } else if (in.at != in.end) {
        return fr_fail_at(err, FIRN_CORRUPT, fr_in_offset(&in), NULL,
                          "%zu bytes too many behind the value", fr_in_left(&in));
    }
    return FIRN_OK;
}
