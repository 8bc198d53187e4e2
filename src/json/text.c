#include "json/text.h"

#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "buffer/bytes.h"
#include "value/number.h"

void fr_json_text_begin(fr_json_text *text, firn_buffer *buffer, const firn_limits *limits)
{
    *text = (fr_json_text){.buffer = buffer, .start = buffer->size, .limits = *limits};
}

firn_result fr_json_text_end(fr_json_text *text, firn_error *err)
{
    if (text->error.code == FIRN_OK) {
        return FIRN_OK;
    }
    text->buffer->size = text->start;
    return fr_fail_copy(err, &text->error);
}

void fr_json_text_fail(fr_json_text *text, const firn_error *why)
{
    if (text->error.code == FIRN_OK) {
        text->error = *why;
    }
}

bool fr_json_text_failed(const fr_json_text *text)
{
    return text->error.code != FIRN_OK;
}

// Room for so many bytes; NULL after a failure.
static char *text_space(fr_json_text *text, size_t size)
{
    if (text->error.code != FIRN_OK) {
        return NULL;
    }
    firn_buffer *buffer = text->buffer;
    if (buffer->capacity - buffer->size < size &&
        firn_buffer_reserve(buffer, size, &text->error) != FIRN_OK) {
        return NULL;
    }
    return (char *)buffer->data + buffer->size;
}

// The bytes up to `end` are there.
static void text_filled(fr_json_text *text, const char *end)
{
    text->buffer->size = (size_t)(end - (const char *)text->buffer->data);
}

static void put_piece(fr_json_text *text, const char *bytes, size_t size)
{
    char *at = text_space(text, size);
    if (at != NULL) {
        memcpy(at, bytes, size);
        text_filled(text, at + size);
    }
}

void fr_json_put(fr_json_text *text, const char *bytes)
{
    put_piece(text, bytes, strlen(bytes));
}

// ---- strings

bool fr_json_is_text(const void *bytes, size_t size)
{
    return size == 0 || (memchr(bytes, 0, size) == NULL && fr_utf8_is_valid(bytes, size));
}

bool fr_json_is_key(const void *bytes, size_t size)
{
    return size == 0 || (*(const char *)bytes != '$' && fr_json_is_text(bytes, size));
}

// What one byte becomes; at most 6.
static char *put_escaped(char *at, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";
    static const char short_of[] = "btn?fr"; // from 8 on
    if (byte >= 0x20 && byte != '"' && byte != '\\') {
        *at++ = (char)byte;
        return at;
    }
    *at++ = '\\';
    if (byte >= 0x20) {
        *at++ = (char)byte;
    } else if (byte >= 8 && byte <= 13 && byte != 11) {
        *at++ = short_of[byte - 8];
    } else {
        *at++ = 'u';
        *at++ = '0';
        *at++ = '0';
        *at++ = digits[byte >> 4];
        *at++ = digits[byte & 15];
    }
    return at;
}

void fr_json_put_text(fr_json_text *text, const void *bytes, size_t size)
{
    enum { ESCAPED_AT_ONCE = 4096 };
    const uint8_t *from = bytes;
    fr_json_put(text, "\"");
    for (size_t done = 0; done < size;) {
        size_t n = size - done < ESCAPED_AT_ONCE ? size - done : ESCAPED_AT_ONCE;
        char *at = text_space(text, n * 6);
        if (at == NULL) {
            return;
        }
        for (size_t end = done + n; done < end; done++) {
            at = put_escaped(at, from[done]);
        }
        text_filled(text, at);
    }
    fr_json_put(text, "\"");
}

// Three bytes, or the last one or two, as four digits.
static void put_base64_group(char out[4], const uint8_t *bytes, size_t left)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t group = (uint32_t)bytes[0] << 16;
    group |= left > 1 ? (uint32_t)bytes[1] << 8 : 0;
    group |= left > 2 ? bytes[2] : 0;
    out[0] = digits[group >> 18];
    out[1] = digits[group >> 12 & 63];
    out[2] = (char)(left > 1 ? digits[group >> 6 & 63] : '=');
    out[3] = (char)(left > 2 ? digits[group & 63] : '=');
}

void fr_json_put_base64(fr_json_text *text, const uint8_t *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        char *at = text_space(text, 4096);
        if (at == NULL) {
            return;
        }
        for (uint32_t i = 0; i < 4096 / 4 && done < size; i++, at += 4, done += 3) {
            put_base64_group(at, bytes + done, size - done);
        }
        text_filled(text, at);
    }
}

void fr_json_put_bytes(fr_json_text *text, const char *tag, const uint8_t *bytes, size_t size)
{
    fr_json_put(text, "{\"");
    fr_json_put(text, tag);
    fr_json_put(text, "\":\"");
    fr_json_put_base64(text, bytes, size);
    fr_json_put(text, "\"}");
}

void fr_json_put_string(fr_json_text *text, const void *bytes, size_t size)
{
    if (!fr_json_is_text(bytes, size)) {
        fr_json_put_bytes(text, "$bytes", bytes, size);
        return;
    }
    fr_json_put_text(text, bytes, size);
}

// ---- scalars

void fr_json_put_bool(fr_json_text *text, bool value)
{
    fr_json_put(text, value ? "true" : "false");
}

// What is not finite: `plain` is the NaN that needs no digits.
static void put_special(fr_json_text *text, uint64_t bits, int digits, uint64_t plain,
                        uint64_t infinity)
{
    static const char hex[] = "0123456789abcdef";
    char said[17] = {0};
    for (int i = 0; i < digits; i++) {
        said[i] = hex[bits >> (4 * (digits - 1 - i)) & 15];
    }
    uint64_t sign = UINT64_C(1) << (4 * digits - 1);
    fr_json_put(text, "{\"$number\":\"");
    fr_json_put(text, bits == plain               ? "nan"
                      : bits == infinity          ? "inf"
                      : bits == (infinity | sign) ? "-inf"
                                                  : said);
    fr_json_put(text, "\"}");
}

void fr_json_put_number(fr_json_text *text, double value)
{
    uint64_t bits = fr_bits_f64(value), infinity = UINT64_C(0x7ff0000000000000);
    if ((bits & infinity) == infinity) {
        put_special(text, bits, 16, FR_NAN_BITS, infinity);
        return;
    }
    char *at = text_space(text, FR_NUMBER_TEXT_BYTES);
    if (at != NULL) {
        text_filled(text, fr_text_put_double(at, value));
    }
}

void fr_json_put_number_f32(fr_json_text *text, float value)
{
    uint32_t bits, infinity = UINT32_C(0x7f800000);
    memcpy(&bits, &value, sizeof bits);
    if ((bits & infinity) == infinity) {
        put_special(text, bits, 8, UINT32_C(0x7fc00000), infinity);
        return;
    }
    char *at = text_space(text, FR_NUMBER_TEXT_BYTES);
    if (at != NULL) {
        text_filled(text, fr_text_put_float(at, value));
    }
}

void fr_json_put_signed(fr_json_text *text, int64_t value)
{
    char *at = text_space(text, FR_NUMBER_TEXT_BYTES);
    if (at != NULL) {
        text_filled(text, fr_text_put_int64(at, value));
    }
}

void fr_json_put_unsigned(fr_json_text *text, uint64_t value)
{
    bool tagged = value > INT64_MAX;
    fr_json_put(text, tagged ? "{\"$uint64\":\"" : "");
    char *at = text_space(text, FR_NUMBER_TEXT_BYTES);
    if (at != NULL) {
        text_filled(text, fr_text_put_uint64(at, value));
    }
    fr_json_put(text, tagged ? "\"}" : "");
}

// ---- objects

void fr_json_open(fr_json_text *text, bool plain)
{
    fr_json_put(text, plain ? "{" : "{\"$table\":[");
}

void fr_json_open_member(fr_json_text *text, bool plain, bool first, const void *key, size_t size)
{
    fr_json_put(text, first ? "" : ",");
    if (plain) {
        fr_json_put_text(text, key, size);
        fr_json_put(text, ":");
    } else {
        fr_json_put(text, "[");
        fr_json_put_string(text, key, size);
        fr_json_put(text, ",");
    }
}

void fr_json_close_member(fr_json_text *text, bool plain)
{
    fr_json_put(text, plain ? "" : "]");
}

void fr_json_close(fr_json_text *text, bool plain)
{
    fr_json_put(text, plain ? "}" : "]}");
}
