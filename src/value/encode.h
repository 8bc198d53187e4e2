/// encode.h: trees to bytes, where more than one place needs it.
#ifndef FR_ENCODE_H
#define FR_ENCODE_H

#include "value/path.h"

/// Appends the canonical encoding of `value`, which stands inside `depth` open tables and is one of
/// `*values` counted so far; *values grows by what it holds below itself. `limits` are resolved.
/// On failure `out` is as before and `path`, when not NULL, goes on to the place.
firn_result fr_value_encode_inside(const firn_value *value, uint32_t depth, uint64_t *values,
                                   const firn_limits *limits, firn_buffer *out, fr_path *path,
                                   firn_error *err);

#endif
