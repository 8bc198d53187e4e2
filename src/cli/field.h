/// field.h: the fields of raw rows, as values that take no memory.
#ifndef FR_CLI_FIELD_H
#define FR_CLI_FIELD_H

#include "firn/image.h"

/// Values in a field: 1, the count of an array, and of an array of char 1, its text.
uint32_t fr_cli_field_elements(const firn_image_field *field);
/// One of them, as firn_image_value has it, but for a NaN, which keeps its bits. A text points into
/// the row, and ends before the zeros at its end.
firn_value fr_cli_field_value(const firn_image_field *field, const void *row, uint32_t element);
/// Appends a whole field as firn_value_print does; an array is `{1, 2}`.
firn_result fr_cli_field_print(const firn_image_field *field, const void *row, firn_buffer *out,
                               firn_error *err);

#endif
