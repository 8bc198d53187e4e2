#include "cli/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

fr_cli_character fr_cli_character_at(const char *text, size_t size)
{
    const uint8_t *at = (const uint8_t *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t count = at[0] < 0x80 ? 1 : at[0] < 0xc0 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (count < 2) {
        return (fr_cli_character){at[0], count};
    }
    if (count > size || at[0] > 0xf4) {
        return (fr_cli_character){at[0], 0};
    }
    uint32_t code = at[0] & (0x7fu >> count);
    for (uint32_t i = 1; i < count; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return (fr_cli_character){at[0], 0};
        }
        code = code << 6 | (at[i] & 0x3f);
    }
    bool wrong = code < least[count] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000);
    return (fr_cli_character){wrong ? at[0] : code, wrong ? 0 : count};
}

// Control characters, line separators, marks of writing direction (Unicode Bidi_Control).
static bool drives_terminal(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
           (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

// What a character is shown as; out[0] is 0 for as it is. Paths of Windows have backslashes.
static void escape_message(fr_cli_character c, char out[16])
{
    out[0] = '\0';
    if (c.size == 0) {
        (void)snprintf(out, 16, "\\x%02" PRIx32, c.code);
    } else if (c.code == '\n') {
        (void)snprintf(out, 16, "\\n");
    } else if (drives_terminal(c.code)) {
        (void)snprintf(out, 16, "\\u{%" PRIx32 "}", c.code);
    }
}

static void escape_text(fr_cli_character c, char out[16])
{
    escape_message(c, out);
    if (c.code == '\\') {
        (void)snprintf(out, 16, "\\\\");
    }
}

// In JSON only strings have such characters, and bytes are UTF-8.
static void escape_json(fr_cli_character c, char out[16])
{
    out[0] = '\0';
    if (c.code >= 0x7f && drives_terminal(c.code)) {
        (void)snprintf(out, 16, "\\u%04" PRIx32, c.code);
    }
}

// Hands pieces of the text, some of them escaped, to `write`.
static void write_escaped(fr_cli *cli, const char *text, size_t size,
                          void (*escape)(fr_cli_character c, char out[16]), fr_cli_write_fn write)
{
    char escaped[16];
    size_t plain = 0; // where the bytes begin that are written as they are
    for (size_t at = 0; at < size;) {
        fr_cli_character c = fr_cli_character_at(text + at, size - at);
        size_t step = c.size > 0 ? c.size : 1;
        escape(c, escaped);
        if (escaped[0] != '\0') {
            write(cli, text + plain, at - plain);
            write(cli, escaped, strlen(escaped));
            plain = at + step;
        }
        at += step;
    }
    if (plain < size) { // text may be NULL where it has no bytes
        write(cli, text + plain, size - plain);
    }
}

void fr_cli_text(fr_cli *cli, const char *text, size_t size)
{
    write_escaped(cli, text, size, escape_text, fr_cli_write);
}

void fr_cli_escape(fr_cli *cli, const char *text, size_t size, fr_cli_write_fn write)
{
    write_escaped(cli, text, size, escape_message, write);
}

void fr_cli_json_text(fr_cli *cli, const char *text, size_t size)
{
    write_escaped(cli, text, size, escape_json, fr_cli_write);
}

const char *fr_cli_shown(const char *name)
{
    return name[0] != '\0' ? name : "\"\"";
}

fr_cli_status fr_cli_json(fr_cli *cli, const firn_value *value)
{
    firn_error err;
    firn_buffer line;
    firn_buffer_init(&line, cli->host->allocator);
    firn_result result = firn_json_write(value, &line, &err);
    if (result == FIRN_OK) {
        fr_cli_json_text(cli, (const char *)line.data, line.size);
        fr_cli_write(cli, "\n", 1);
    } else {
        fr_cli_fail(cli, NULL, &err);
    }
    firn_buffer_free(&line);
    return result == FIRN_OK ? FR_CLI_OK : FR_CLI_TROUBLE;
}

// ---- times

// Source of the date: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms",
// civil_from_days.
void fr_cli_time_text(int64_t milliseconds, char out[48])
{
    int64_t seconds = milliseconds / 1000, days = seconds / 86400 + 719468;
    int64_t era = days / 146097, day = days % 146097; // timestamps are not negative
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int64_t of_year = day - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;
    int64_t of_month = of_year - (153 * month + 2) / 5 + 1;
    month += month < 10 ? 3 : -9;
    (void)snprintf(out, 48,
                   "%04" PRId64 "-%02" PRId64 "-%02" PRId64 "T%02" PRId64 ":%02" PRId64
                   ":%02" PRId64 "Z",
                   year + era * 400 + (month <= 2), month, of_month, seconds / 3600 % 24,
                   seconds / 60 % 60, seconds % 60);
}

void fr_cli_play_time_text(double seconds, char out[48])
{
    if (seconds < 3600e6) {
        uint64_t whole = (uint64_t)seconds;
        (void)snprintf(out, 48, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, whole / 3600,
                       whole / 60 % 60, whole % 60);
    } else {
        (void)snprintf(out, 48, "%g s", seconds);
    }
}
