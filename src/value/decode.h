/// decode.h: bytes to trees, where more than one place needs it.
#ifndef FR_DECODE_H
#define FR_DECODE_H

#include "buffer/reader.h"
#include "value/doc.h"

/// Builds the value at in->at, which fr_value_check_inside accepted, and moves behind it. NULL with
/// FIRN_CORRUPT (a key that is there twice) or FIRN_NO_MEMORY; position and document are then as
/// before.
firn_value *fr_value_build(fr_in *in, firn_doc *doc, firn_error *err);

#endif
