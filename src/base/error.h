/// error.h: fills the caller's firn_error. Each function returns the code it was given, so that
/// `return fr_fail(err, FIRN_INVALID, "name", "the name is empty");` reads as one line. err NULL is
/// allowed. Messages are one line, name the thing and say the value.
#ifndef FR_ERROR_H
#define FR_ERROR_H

#include "firn/base.h"

#if defined(__MINGW32__) // where printf alone stands for that of Microsoft
#define FR_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define FR_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define FR_PRINTF(text, first)
#endif

/// `subject` may be NULL for "". The offset becomes FIRN_NO_OFFSET, the entity 0.
firn_result fr_fail(firn_error *err, firn_result code, const char *subject, const char *format, ...)
    FR_PRINTF(4, 5);
/// With a byte offset.
firn_result fr_fail_at(firn_error *err, firn_result code, uint64_t offset, const char *subject,
                       const char *format, ...) FR_PRINTF(5, 6);
/// With an entity.
firn_result fr_fail_entity(firn_error *err, firn_result code, firn_entity entity,
                           const char *subject, const char *format, ...) FR_PRINTF(5, 6);
/// FIRN_NO_MEMORY: `what` could not be allocated. subject is `what`.
firn_result fr_fail_memory(firn_error *err, const char *what);
/// Empties the error that a callback is to fill.
void fr_error_begin(firn_error *why);
/// Completes what a callback that returned `result`, a failure, left in *why: the code is what it
/// returned, and without a message the text of that.
void fr_error_complete(firn_error *why, firn_result result);
/// Copies *from to err.
firn_result fr_fail_copy(firn_error *err, const firn_error *from);

/// Resolves caller limits (NULL or zero fields: defaults) into *out; FIRN_INVALID names a limit
/// that is above the most allowed or a reserved word that is not zero.
firn_result fr_limits_resolve(const firn_limits *limits, firn_limits *out, firn_error *err);
/// Lowers each of *limits to that of *other where it is lower; both are resolved.
void fr_limits_lower(firn_limits *limits, const firn_limits *other);
/// The limits for values that were checked already, or will be: at least the defaults.
void fr_limits_wide(const firn_limits *limits, firn_limits *out);
/// FIRN_INVALID naming `what` unless all four words are zero.
firn_result fr_check_reserved(const uint64_t reserved[4], const char *what, firn_error *err);

#endif
