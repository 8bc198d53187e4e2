#include <string.h>

#include "base/error.h"
#include "buffer/bytes.h"
#include "json/read.h"

const fr_json_node *fr_json_tagged(const fr_json_node *node, const char *tag)
{
    bool one = node->kind == FR_JSON_OBJECT && node->size == 1;
    return one && fr_json_key_is(node + 1, tag) ? node + 1 : NULL;
}

static bool string_is(const fr_json_node *node, const char *text)
{
    size_t size = strlen(text);
    return node->size == size && memcmp(node->as.string, text, size) == 0;
}

// Exactly `count` hex digits.
static bool read_hex(const fr_json_node *node, size_t count, uint64_t *out)
{
    static const char digits[] = "0123456789abcdef";
    *out = 0;
    for (size_t i = 0; i < node->size; i++) {
        const char *digit = memchr(digits, node->as.string[i], 16);
        if (digit == NULL || i == count) {
            return false;
        }
        *out = *out << 4 | (uint64_t)(digit - digits);
    }
    return node->size == count;
}

// What a `$number` says, of so many hex digits.
static bool read_special(const fr_json_node *node, size_t digits, uint64_t nan, uint64_t infinity,
                         uint64_t *bits)
{
    const fr_json_node *said = fr_json_tagged(node, "$number");
    if (said == NULL || said->kind != FR_JSON_STRING) {
        return false;
    }
    if (string_is(said, "nan")) {
        *bits = nan;
    } else if (string_is(said, "inf")) {
        *bits = infinity;
    } else if (string_is(said, "-inf")) {
        *bits = infinity | UINT64_C(1) << (4 * digits - 1);
    } else {
        return read_hex(said, digits, bits);
    }
    return true;
}

bool fr_json_read_double(const fr_json_node *node, double *out)
{
    uint64_t bits;
    if (node->kind == FR_JSON_INTEGER) {
        *out = (double)node->as.integer;
        return true;
    }
    if (node->kind == FR_JSON_REAL) {
        *out = node->as.real;
        return true;
    }
    if (!read_special(node, 16, FR_NAN_BITS, UINT64_C(0x7ff0000000000000), &bits)) {
        return false;
    }
    memcpy(out, &bits, sizeof *out);
    return true;
}

bool fr_json_read_float(const fr_json_node *node, float *out)
{
    if (node->kind == FR_JSON_INTEGER || node->kind == FR_JSON_REAL) {
        double value = node->kind == FR_JSON_REAL ? node->as.real : (double)node->as.integer;
        *out = (float)value;
        return *out - *out == 0; // one that is too large for a float is none
    }
    uint64_t bits;
    if (!read_special(node, 8, UINT32_C(0x7fc00000), UINT32_C(0x7f800000), &bits)) {
        return false;
    }
    uint32_t word = (uint32_t)bits;
    memcpy(out, &word, sizeof *out);
    return true;
}

// Decimal digits, all of the string from `at` on.
static bool read_decimal(const fr_json_node *node, size_t at, uint64_t most, uint64_t *out)
{
    *out = 0;
    for (size_t i = at; i < node->size; i++) {
        char c = node->as.string[i];
        uint64_t digit = (uint64_t)(c - '0');
        if (c < '0' || c > '9' || *out > (most - digit) / 10) {
            return false;
        }
        *out = *out * 10 + digit;
    }
    return node->size > at;
}

bool fr_json_read_signed(const fr_json_node *node, int64_t least, int64_t most, int64_t *out)
{
    const fr_json_node *said = fr_json_tagged(node, "$int64");
    if (said != NULL && said->kind == FR_JSON_STRING) {
        bool negative = said->size > 0 && *said->as.string == '-';
        uint64_t size;
        if (!read_decimal(said, negative, (uint64_t)INT64_MAX + negative, &size)) {
            return false;
        }
        *out = negative ? (int64_t)(0 - size) : (int64_t)size;
    } else if (node->kind == FR_JSON_INTEGER) {
        *out = node->as.integer;
    } else {
        return false;
    }
    return *out >= least && *out <= most;
}

bool fr_json_read_unsigned(const fr_json_node *node, uint64_t most, uint64_t *out)
{
    const fr_json_node *said = fr_json_tagged(node, "$uint64");
    if (said != NULL && said->kind == FR_JSON_STRING) {
        return read_decimal(said, 0, UINT64_MAX, out) && *out <= most;
    }
    if (node->kind != FR_JSON_INTEGER || node->as.integer < 0) {
        return false;
    }
    *out = (uint64_t)node->as.integer;
    return *out <= most;
}

// ---- bytes

// The value of a digit of base64; 64 for what is none.
static uint32_t base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return (uint32_t)(c - 'A');
    }
    if (c >= 'a' && c <= 'z') {
        return (uint32_t)(c - 'a') + 26;
    }
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0') + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

// Four digits, the last one or two of which may be `=` in the last group. Returns the bytes, 0 when
// they are none.
static size_t read_base64_group(const char *from, bool last, uint8_t out[3])
{
    size_t padding = last && from[3] == '=' ? (from[2] == '=' ? 2 : 1) : 0;
    uint32_t group = 0, unused = padding == 2 ? 0xffff : padding == 1 ? 0xff : 0;
    for (size_t i = 0; i < 4; i++) {
        uint32_t digit = i < 4 - padding ? base64_digit(from[i]) : 0;
        if (digit == 64) {
            return 0;
        }
        group = group << 6 | digit;
    }
    out[0] = (uint8_t)(group >> 16);
    out[1] = (uint8_t)(group >> 8);
    out[2] = (uint8_t)group;
    return (group & unused) == 0 ? 3 - padding : 0; // one text for each row of bytes
}

firn_result fr_json_read_base64(const fr_json_node *node, firn_buffer *out, firn_error *err)
{
    if (node->kind != FR_JSON_STRING || node->size % 4 != 0) {
        return fr_json_refuse(node, "", "is no base64", err);
    }
    size_t start = out->size;
    firn_result result = firn_buffer_reserve(out, node->size / 4 * 3, err);
    for (size_t i = 0; result == FIRN_OK && i < node->size; i += 4) {
        uint8_t bytes[3];
        size_t size = read_base64_group(node->as.string + i, i + 4 == node->size, bytes);
        if (size == 0) {
            out->size = start;
            return fr_json_refuse(node, "", "is no base64", err);
        }
        memcpy(out->data + out->size, bytes, size);
        out->size += size;
    }
    return result;
}

firn_result fr_json_read_string(const fr_json_node *node, const char *what, firn_buffer *scratch,
                                const char **bytes, size_t *size, firn_error *err)
{
    const fr_json_node *tagged = fr_json_tagged(node, "$bytes");
    if (node->kind == FR_JSON_STRING) {
        *bytes = node->as.string;
        *size = node->size;
        return FIRN_OK;
    }
    if (tagged == NULL) {
        return fr_json_refuse(node, what, "is no string", err);
    }
    firn_buffer_clear(scratch);
    firn_result result = fr_json_read_base64(tagged, scratch, err);
    *bytes = scratch->data != NULL ? (const char *)scratch->data : "";
    *size = scratch->size;
    return result;
}
