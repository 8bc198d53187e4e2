// Text, numbers and coordinates of a page.
#include "cli/html.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/text.h"

static void append_html(fr_html *html, const void *bytes, size_t size)
{
    if (html->result == FIRN_OK) {
        html->result = firn_buffer_append(html->out, bytes, size, html->err);
    }
}

void fr_html_put(fr_html *html, const char *markup)
{
    append_html(html, markup, strlen(markup));
}

// ---- characters

// One character of a text as it is shown.
typedef struct html_character {
    size_t bytes;    // that it takes in the text
    char markup[16]; // that shows it
    double width;    // of a font of size 1, rather too wide
} html_character;

// Characters that show nothing, or move what stands around them; and those that are none.
static bool is_unseen(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0xa0) || code == 0xad || code == 0x61c ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code & 0xfffe) == 0xfffe ||
           (code >= 0xfdd0 && code <= 0xfdef) || code >= 0xe0000;
}

static const char *entity_of_character(uint32_t code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\n':
        return "\\n";
    case '\t':
        return "\\t";
    default:
        return NULL;
    }
}

static double width_of_character(uint32_t code)
{
    if (code >= 0x80 || strchr("mwMW@%", (int)code) != NULL) {
        return 1.05;
    }
    if (strchr("ijlft.,:;'|!()[] ", (int)code) != NULL) {
        return 0.4;
    }
    return code >= 'A' && code <= 'Z' ? 0.74 : 0.65;
}

// `text` has at least one byte.
static html_character show_character(const char *text, size_t size)
{
    fr_cli_character c = fr_cli_character_at(text, size);
    html_character shown = {.bytes = c.size > 0 ? c.size : 1};
    const char *entity = entity_of_character(c.code);
    if (c.size == 0) {
        snprintf(shown.markup, sizeof shown.markup, "\\x%02" PRIx32, c.code);
        shown.width = 4 * 0.65;
    } else if (entity != NULL) {
        snprintf(shown.markup, sizeof shown.markup, "%s", entity);
        shown.width = 2 * 0.65;
    } else if (is_unseen(c.code)) {
        snprintf(shown.markup, sizeof shown.markup, "\\u{%" PRIx32 "}", c.code);
        shown.width = 8 * 0.65;
    } else {
        memcpy(shown.markup, text, shown.bytes);
        shown.width = width_of_character(c.code);
    }
    return shown;
}

void fr_html_text(fr_html *html, const char *text, size_t size)
{
    fr_html_cut(html, text, size, UINT32_MAX);
}

void fr_html_name(fr_html *html, const char *text)
{
    fr_html_text(html, text, strlen(text));
}

void fr_html_cut(fr_html *html, const char *text, size_t size, uint32_t most)
{
    for (size_t at = 0; at < size; most--) {
        if (most == 0) {
            fr_html_put(html, "\u2026");
            return;
        }
        html_character shown = show_character(text + at, size - at);
        fr_html_put(html, shown.markup);
        at += shown.bytes;
    }
}

void fr_html_fit(fr_html *html, const char *text, size_t bytes, double width, double size)
{
    double used = 0, room = width / size;
    uint32_t fit = 0, fit_with_ellipsis = 0;
    size_t at = 0;
    while (at < bytes) {
        html_character shown = show_character(text + at, bytes - at);
        used += shown.width;
        if (used > room) {
            break;
        }
        fit++;
        fit_with_ellipsis = used + 1.05 <= room ? fit : fit_with_ellipsis;
        at += shown.bytes;
    }
    if (at == bytes) {
        fr_html_text(html, text, bytes);
    } else if (fit_with_ellipsis >= 3) {
        fr_html_cut(html, text, bytes, fit_with_ellipsis);
    }
}

// ---- numbers

void fr_html_count(fr_html *html, uint64_t number)
{
    char digits[32];
    char *at = digits + sizeof digits - 1;
    *at = '\0';
    for (int i = 0; number > 0 || i == 0; i++) {
        if (i > 0 && i % 3 == 0) {
            *--at = ',';
        }
        *--at = (char)('0' + number % 10);
        number /= 10;
    }
    fr_html_put(html, at);
}

// Tenths as a number with one digit behind the point.
static void put_tenths(fr_html *html, uint64_t tenths)
{
    char digit[3] = {'.', (char)('0' + tenths % 10), '\0'};
    fr_html_count(html, tenths / 10);
    fr_html_put(html, digit);
}

void fr_html_bytes(fr_html *html, uint64_t bytes)
{
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};
    uint64_t unit = 1;
    uint32_t power = 0;
    while (bytes / unit >= 1000) {
        unit *= 1000;
        power++;
    }
    uint64_t whole = bytes / unit, rest = bytes % unit;
    if (power == 0 || whole >= 100) {
        fr_html_count(html, whole + (rest >= unit - rest));
    } else {
        put_tenths(html, whole * 10 + (rest + unit / 20) / (unit / 10));
    }
    fr_html_put(html, units[power]);
}

void fr_html_tenths(fr_html *html, double number)
{
    put_tenths(html, (uint64_t)(number * 10 + 0.5));
}

void fr_html_share(fr_html *html, uint64_t part, uint64_t whole)
{
    double share = whole == 0 ? 0 : (double)part / (double)whole;
    fr_html_tenths(html, share * 100);
    fr_html_put(html, " %");
}

void fr_html_real(fr_html *html, double number)
{
    char text[48], plain[48];
    if (!(number - number == 0)) {
        fr_html_put(html, number > 0 ? "inf" : number < 0 ? "-inf" : "NaN");
        return;
    }
    snprintf(text, sizeof text, "%.6g", number);
    char *to = plain;
    for (const char *from = text; *from != '\0'; from++) {
        if (strchr("+-0123456789e", *from) != NULL) {
            *to++ = *from;
        } else if (to == plain || to[-1] != '.') { // a point, in the locale's way
            *to++ = '.';
        }
    }
    *to = '\0';
    fr_html_put(html, plain);
}

void fr_html_place(fr_html *html, double place)
{
    char text[32];
    unsigned tenths = (unsigned)(place * 10 + 0.5);
    snprintf(text, sizeof text, tenths % 10 == 0 ? "%u" : "%u.%u", tenths / 10, tenths % 10);
    fr_html_put(html, text);
}

void fr_html_place_of(fr_html *html, const char *attribute, double place)
{
    fr_html_put(html, " ");
    fr_html_put(html, attribute);
    fr_html_put(html, "=\"");
    fr_html_place(html, place);
    fr_html_put(html, "\"");
}

void fr_html_digest(fr_html *html, firn_digest digest)
{
    char text[33];
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, digest.high, digest.low);
    fr_html_put(html, text);
}
