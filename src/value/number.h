/// number.h: doubles and floats as the shortest decimal text that reads back as the same number.
/// The text has a point, whatever the locale says.
#ifndef FR_NUMBER_H
#define FR_NUMBER_H

#include "firn/base.h"

/// Most bytes of such a text.
#define FR_NUMBER_TEXT_BYTES 32

/// Writes a finite number as JSON and firn_diff have it: `5`, `-0.0`, `0.1`, `1.5e-7`, `1e300`.
/// Returns one past its last byte; nothing stands behind it. An integer below 1e17 has neither
/// point nor exponent.
char *fr_text_put_double(char *at, double value);
/// The same for a float: the text, read as a double and rounded to a float, is the float.
char *fr_text_put_float(char *at, float value);
/// A decimal integer.
char *fr_text_put_uint64(char *at, uint64_t value);
char *fr_text_put_int64(char *at, int64_t value);

#endif
