/// utf8.h: names. A name is 1..limit bytes of valid UTF-8 (RFC 3629: shortest form, no surrogates)
/// without control characters (U+0000..U+001F, U+007F..U+009F).
#ifndef FR_UTF8_H
#define FR_UTF8_H

#include "firn/base.h"

/// FIRN_INVALID (empty, control character, not UTF-8 with the byte's index) or FIRN_LIMIT (too
/// long), with `what` ("component name") in the message and the name, shortened, as the subject.
/// name NULL is FIRN_INVALID.
firn_result fr_check_name(const char *name, size_t size, uint32_t limit, const char *what,
                          firn_error *err);
/// The same for a zero-terminated name; *size receives its length (NULL allowed).
firn_result fr_check_text_name(const char *name, uint32_t limit, const char *what, size_t *size,
                               firn_error *err);
/// Whether the bytes are valid UTF-8, control characters and all.
bool fr_utf8_is_valid(const void *bytes, size_t size);
/// Writes the character at `bytes`, of which there are `left`, as it shall be shown to out[0..3]:
/// what is not printable UTF-8 becomes \xNN; *shown receives the number of bytes written. Returns
/// the number of bytes read.
size_t fr_show_character(char out[4], size_t *shown, const uint8_t *bytes, size_t left);
/// Fits any bytes into `capacity` as printable, zero-terminated text: what is not printable UTF-8
/// becomes \xNN, what does not fit ends in "...". Returns out.
char *fr_printable(char *out, size_t capacity, const void *bytes, size_t size);

#endif
