/// text.h: JSON text out, to the end of a buffer. The first failure sticks; what comes after it is
/// not written.
///
/// What JSON lacks is an object of one member that begins with `$` (firn/json.h). Members of other
/// objects never begin so: a table with such keys, or with keys that are not text, is written as
/// `{"$table": [[key, value], ...]}`.
#ifndef FR_JSON_TEXT_H
#define FR_JSON_TEXT_H

#include "firn/value.h"

typedef struct fr_json_text {
    firn_buffer *buffer;
    size_t start;       ///< bytes of the buffer when it began
    uint64_t values;    ///< of the tree that is being written
    bool one_nan;       ///< every NaN of a tree is the one that firn encodes
    firn_limits limits; ///< resolved
    firn_error error;   ///< code FIRN_OK while all is well
} fr_json_text;

/// Appends to `buffer`. limits are resolved.
void fr_json_text_begin(fr_json_text *text, firn_buffer *buffer, const firn_limits *limits);
/// The first failure, or FIRN_OK; after a failure the buffer is as it was at begin.
firn_result fr_json_text_end(fr_json_text *text, firn_error *err);
/// Fails like *why, unless something failed before.
void fr_json_text_fail(fr_json_text *text, const firn_error *why);
/// Whether something failed.
bool fr_json_text_failed(const fr_json_text *text);

/// Punctuation, as it stands.
void fr_json_put(fr_json_text *text, const char *bytes);

/// Whether bytes are a JSON string as they are: UTF-8 without a 0.
bool fr_json_is_text(const void *bytes, size_t size);
/// A string that is text, with its quotes and escapes.
void fr_json_put_text(fr_json_text *text, const void *bytes, size_t size);
/// The same, or `{"$bytes": ...}`.
void fr_json_put_string(fr_json_text *text, const void *bytes, size_t size);
/// The digits of base64, without quotes.
void fr_json_put_base64(fr_json_text *text, const uint8_t *bytes, size_t size);
/// `{"<tag>":"<base64>"}`
void fr_json_put_bytes(fr_json_text *text, const char *tag, const uint8_t *bytes, size_t size);
void fr_json_put_bool(fr_json_text *text, bool value);
/// Numbers as they are; those of fields of a row. 64-bit integers above 2^63 - 1 are tagged.
void fr_json_put_number(fr_json_text *text, double value);
void fr_json_put_number_f32(fr_json_text *text, float value);
void fr_json_put_signed(fr_json_text *text, int64_t value);
void fr_json_put_unsigned(fr_json_text *text, uint64_t value);

/// Whether a key may be the key of a member.
bool fr_json_is_key(const void *bytes, size_t size);

/// An object whose keys are known: `plain` when fr_json_is_key is true of all, else a `$table`.
void fr_json_open(fr_json_text *text, bool plain);
/// One member: `first` for the first one. A value follows, then fr_json_close_member.
void fr_json_open_member(fr_json_text *text, bool plain, bool first, const void *key, size_t size);
void fr_json_close_member(fr_json_text *text, bool plain);
void fr_json_close(fr_json_text *text, bool plain);

/// A tree. Deeper than limits->depth, or too many values: FIRN_LIMIT sticks.
void fr_json_put_value(fr_json_text *text, const firn_value *value);
/// One encoded value, canonical or not, that was checked, as one that firn encodes. `doc` is
/// emptied and used.
void fr_json_put_encoded(fr_json_text *text, const uint8_t *bytes, size_t size, firn_doc *doc);

#endif
