/// decode.h: bytes to trees, where more than one place needs it.
#ifndef FR_DECODE_H
#define FR_DECODE_H

#include "buffer/reader.h"
#include "value/doc.h"

/// Decodes the value at in->at, which stands inside `depth` open tables and is one of `*values`
/// counted so far, and moves behind it; *values grows by what it holds below itself. `limits` are
/// resolved. NULL like firn_value_decode, with offsets from in->bytes; position and document are
/// then as before.
firn_value *fr_value_build(fr_in *in, uint32_t depth, uint64_t *values, const firn_limits *limits,
                           firn_doc *doc, firn_error *err);

#endif
