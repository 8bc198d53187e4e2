#include <string.h>

#include "base/error.h"
#include "json/parse.h"

void fr_json_lines_begin(fr_json_lines *lines, const void *text, size_t size)
{
    *lines = (fr_json_lines){.text = text};
    if (size > 0) {
        lines->at = text;
        lines->end = lines->at + size;
    }
}

static bool is_blank_line(const fr_json_lines *lines)
{
    for (size_t i = 0; i < lines->size; i++) {
        if (strchr(" \t\r", lines->bytes[i]) == NULL) {
            return false;
        }
    }
    return true;
}

bool fr_json_lines_next(fr_json_lines *lines)
{
    while (lines->at < lines->end) {
        const char *stop = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
        lines->line++;
        lines->bytes = lines->at;
        lines->size = (size_t)((stop != NULL ? stop : lines->end) - lines->at);
        lines->offset = (uint64_t)(lines->at - lines->text);
        lines->at = stop != NULL ? stop + 1 : lines->end;
        if (!is_blank_line(lines)) {
            return true;
        }
    }
    return false;
}

firn_result fr_json_lines_fail(const fr_json_lines *lines, const firn_error *why, firn_error *err)
{
    uint64_t offset = why->offset != FIRN_NO_OFFSET ? why->offset : lines->offset;
    return fr_fail_at(err, why->code, offset, why->subject, "line %llu: %s",
                      (unsigned long long)lines->line, why->message);
}
