#include "base/utf8.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

// Whether a control character begins here, in valid UTF-8: terminals obey those above 0x7f too.
static bool is_control(const uint8_t *bytes)
{
    return bytes[0] < 0x20 || bytes[0] == 0x7f || (bytes[0] == 0xc2 && bytes[1] < 0xa0);
}

// Bytes of the character that begins here, 1..4, or 0 when it is not valid. Source: the Unicode
// Standard, table 3-7 (well-formed byte sequences).
static size_t utf8_step(const uint8_t *bytes, size_t left)
{
    uint8_t lead = bytes[0];
    if (lead < 0x80) {
        return 1;
    }
    size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead < 0xc2 || lead > 0xf4 || left < length) {
        return 0;
    }
    // The second byte excludes longer forms, surrogates and numbers above U+10FFFF.
    uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (bytes[1] < low || bytes[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return length;
}

// The index of the first byte that is not part of valid UTF-8; size when there is none.
static size_t utf8_valid_prefix(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        size_t step = utf8_step(bytes + at, size - at);
        if (step == 0) {
            break;
        }
        at += step;
    }
    return at;
}

bool fr_utf8_is_valid(const void *bytes, size_t size)
{
    return utf8_valid_prefix(bytes, size) == size;
}

firn_result fr_check_name(const char *name, size_t size, uint32_t limit, const char *what,
                          firn_error *err)
{
    if (name == NULL) {
        return fr_fail(err, FIRN_INVALID, what, "the %s is NULL", what);
    }
    if (size == 0) {
        return fr_fail(err, FIRN_INVALID, what, "the %s is empty", what);
    }
    char shown[64];
    if (size > limit) {
        fr_printable(shown, sizeof shown, name, size);
        return fr_fail(err, FIRN_LIMIT, shown,
                       "the %s \"%s\" has %zu bytes, more than the %" PRIu32 " allowed", what,
                       shown, size, limit);
    }
    const uint8_t *bytes = (const uint8_t *)name;
    size_t valid = utf8_valid_prefix(bytes, size);
    for (size_t i = 0; i < valid; i++) {
        if (is_control(bytes + i)) {
            fr_printable(shown, sizeof shown, name, size);
            return fr_fail(err, FIRN_INVALID, shown,
                           "the %s \"%s\" has the control character U+%04X at byte %zu", what,
                           shown, (unsigned)(bytes[i] == 0xc2 ? bytes[i + 1] : bytes[i]), i);
        }
    }
    if (valid < size) {
        fr_printable(shown, sizeof shown, name, size);
        return fr_fail(err, FIRN_INVALID, shown, "the %s \"%s\" is not UTF-8 at byte %zu", what,
                       shown, valid);
    }
    return FIRN_OK;
}

firn_result fr_check_text_name(const char *name, uint32_t limit, const char *what, size_t *size,
                               firn_error *err)
{
    size_t length = name == NULL ? 0 : strlen(name);
    if (size != NULL) {
        *size = length;
    }
    return fr_check_name(name, length, limit, what, err);
}

size_t fr_show_character(char out[4], size_t *shown, const uint8_t *bytes, size_t left)
{
    size_t step = utf8_step(bytes, left);
    if (step > 0 && !is_control(bytes)) {
        memcpy(out, bytes, step);
        *shown = step;
        return step;
    }
    static const char digits[] = "0123456789abcdef";
    out[0] = '\\';
    out[1] = 'x';
    out[2] = digits[bytes[0] >> 4];
    out[3] = digits[bytes[0] & 15];
    *shown = 4;
    return 1;
}

char *fr_printable(char *out, size_t capacity, const void *bytes, size_t size)
{
    if (capacity == 0) {
        return out;
    }
    const uint8_t *from = bytes;
    size_t end = 0;
    size_t cut = 0; // the last place where "..." still fits
    for (size_t at = 0; at < size;) {
        char piece[4];
        size_t shown;
        at += fr_show_character(piece, &shown, from + at, size - at);
        if (shown >= capacity - end) {
            size_t dots = capacity - 1 < 3 ? capacity - 1 : 3;
            memcpy(out + cut, "...", dots);
            end = cut + dots;
            break;
        }
        memcpy(out + end, piece, shown);
        end += shown;
        if (end + 3 < capacity) {
            cut = end;
        }
    }
    out[end] = 0;
    return out;
}
