/// row.h: raw rows as objects by field name, and back.
#ifndef FR_JSON_ROW_H
#define FR_JSON_ROW_H

#include "json/read.h"
#include "json/text.h"
#include "store/schema.h"

/// Whether all names of fields may be keys of members.
bool fr_json_row_is_plain(const fr_schema *schema);
/// Whether the bytes between and behind the fields of a row are zero.
bool fr_json_row_has_no_gaps(const fr_schema *schema, const uint8_t *row);
/// Writes a row of a schema with fields: an array of chars as text where it is text with zeros
/// behind it, 64-bit integers as integers, floats with as few digits as a float needs.
void fr_json_put_row(fr_json_text *text, const fr_schema *schema, bool plain, const uint8_t *row);
/// Appends the row that an object by field name says, all fields of it, or `$bytes`. FIRN_CORRUPT
/// with the subject `component`, FIRN_NO_MEMORY.
firn_result fr_json_read_row(const fr_json_node *node, const fr_schema *schema,
                             const char *component, firn_buffer *out, firn_error *err);

/// The members of an object, or the pairs of a `$table`, one after the other.
typedef struct fr_json_members {
    const fr_json_node *at;
    const fr_json_node *end;
    bool pairs;
    firn_buffer *scratch; ///< for keys that are `$bytes`
    const char *key;      ///< of the member at hand; until the next one
    size_t key_size;
    const fr_json_node *node; ///< its value
} fr_json_members;

/// FIRN_CORRUPT when the node is neither.
firn_result fr_json_members_begin(fr_json_members *members, const fr_json_node *node,
                                  const char *what, firn_buffer *scratch, firn_error *err);
/// Steps to the next member; false at the end, or with *result for a pair that is none.
bool fr_json_members_next(fr_json_members *members, firn_result *result, firn_error *err);

#endif
