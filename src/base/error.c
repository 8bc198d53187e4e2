#include "base/error.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *firn_result_name(firn_result result)
{
    switch (result) {
#define RESULT_NAME(name, number, text)                                                            \
    case FIRN_##name:                                                                              \
        return "FIRN_" #name;
        FIRN_RESULTS(RESULT_NAME)
#undef RESULT_NAME
    }
    return "FIRN_?";
}

const char *firn_result_text(firn_result result)
{
    switch (result) {
#define RESULT_TEXT(name, number, text)                                                            \
    case FIRN_##name:                                                                              \
        return text;
        FIRN_RESULTS(RESULT_TEXT)
#undef RESULT_TEXT
    }
    return "unknown result";
}

static void fill_error(firn_error *err, firn_result code, uint64_t offset, firn_entity entity,
                       const char *subject, const char *format, va_list args) FR_PRINTF(6, 0);

static void fill_error(firn_error *err, firn_result code, uint64_t offset, firn_entity entity,
                       const char *subject, const char *format, va_list args)
{
    // Formatted aside, since subject and arguments may be parts of *err. A little longer than the
    // message, so that fr_printable sees that it was cut.
    char message[sizeof err->message + 4];
    int length = vsnprintf(message, sizeof message, format, args);
    size_t size = length < 0 ? 0 : (size_t)length;
    if (size >= sizeof message) {
        size = sizeof message - 1;
    }
    char shown[sizeof err->subject] = "";
    if (subject != NULL) {
        fr_printable(shown, sizeof shown, subject, strlen(subject));
    }
    err->code = code;
    err->offset = offset;
    err->entity = entity;
    memcpy(err->subject, shown, sizeof shown);
    fr_printable(err->message, sizeof err->message, message, size);
}

firn_result fr_fail(firn_error *err, firn_result code, const char *subject, const char *format, ...)
{
    if (err != NULL) {
        va_list args;
        va_start(args, format);
        fill_error(err, code, FIRN_NO_OFFSET, 0, subject, format, args);
        va_end(args);
    }
    return code;
}

firn_result fr_fail_at(firn_error *err, firn_result code, uint64_t offset, const char *subject,
                       const char *format, ...)
{
    if (err != NULL) {
        va_list args;
        va_start(args, format);
        fill_error(err, code, offset, 0, subject, format, args);
        va_end(args);
    }
    return code;
}

firn_result fr_fail_entity(firn_error *err, firn_result code, firn_entity entity,
                           const char *subject, const char *format, ...)
{
    if (err != NULL) {
        va_list args;
        va_start(args, format);
        fill_error(err, code, FIRN_NO_OFFSET, entity, subject, format, args);
        va_end(args);
    }
    return code;
}

firn_result fr_fail_memory(firn_error *err, const char *what)
{
    return fr_fail(err, FIRN_NO_MEMORY, what, "no memory for %s", what);
}

void fr_error_begin(firn_error *why)
{
    why->code = FIRN_OK;
    why->offset = FIRN_NO_OFFSET;
    why->entity = 0;
    why->subject[0] = '\0';
    why->message[0] = '\0';
}

void fr_error_complete(firn_error *why, firn_result result)
{
    why->code = result;
    if (why->message[0] == '\0') {
        snprintf(why->message, sizeof why->message, "%s", firn_result_text(result));
    }
}

firn_result fr_fail_copy(firn_error *err, const firn_error *from)
{
    if (err != NULL && err != from) {
        *err = *from;
    }
    return from->code;
}

firn_result fr_check_reserved(const uint64_t reserved[4], const char *what, firn_error *err)
{
    for (unsigned i = 0; i < 4; i++) {
        if (reserved[i] != 0) {
            return fr_fail(err, FIRN_INVALID, what,
                           "%s: reserved[%u] is %" PRIu64 " and must be zero", what, i,
                           reserved[i]);
        }
    }
    return FIRN_OK;
}
