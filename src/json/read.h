/// read.h: nodes of a parsed line as values, numbers and bytes.
#ifndef FR_JSON_READ_H
#define FR_JSON_READ_H

#include "json/parse.h"

/// Makes the value of a node in `doc`, whose limits apply, and fills *out. FIRN_CORRUPT (a bad tag,
/// a key twice), FIRN_LIMIT, FIRN_NO_MEMORY; err->offset is that of the node.
firn_result fr_json_value(const fr_json_node *node, firn_doc *doc, firn_value *out,
                          firn_error *err);

/// The node behind a tag: the member of an object of one, whose key is `tag`; else NULL.
const fr_json_node *fr_json_tagged(const fr_json_node *node, const char *tag);
/// A number: an integer, a real or a `$number`. False for other nodes. A NaN keeps its bits.
bool fr_json_read_double(const fr_json_node *node, double *out);
/// The same for a field of 4 bytes: another NaN has 8 digits.
bool fr_json_read_float(const fr_json_node *node, float *out);
/// An integer within the range, or a `$uint64`.
bool fr_json_read_signed(const fr_json_node *node, int64_t least, int64_t most, int64_t *out);
bool fr_json_read_unsigned(const fr_json_node *node, uint64_t most, uint64_t *out);
/// Appends what the digits of base64 stand for. FIRN_CORRUPT, FIRN_NO_MEMORY.
firn_result fr_json_read_base64(const fr_json_node *node, firn_buffer *out, firn_error *err);
/// A string, or `$bytes`: where its bytes are; those of `$bytes` are put into `scratch`, which is
/// emptied. FIRN_CORRUPT for other nodes, with `what` in the message.
firn_result fr_json_read_string(const fr_json_node *node, const char *what, firn_buffer *scratch,
                                const char **bytes, size_t *size, firn_error *err);

#endif
