/// print.h: values as text for people, and what lines of differences are made of.
#ifndef FR_PRINT_H
#define FR_PRINT_H

#include "firn/value.h"

/// Text that is being appended to `out`. The first failure stays.
typedef struct fr_print {
    firn_buffer *out;
    firn_error *err;
    firn_result result;
    bool floats; ///< numbers are floats
    bool brief;  ///< long strings and tables are cut
} fr_print;

void fr_print_bytes(fr_print *to, const void *bytes, size_t size);
void fr_print_text(fr_print *to, const char *text);
void fr_print_id(fr_print *to, firn_entity entity);
/// A string, in quotes, from the byte `first` on.
void fr_print_string(fr_print *to, const firn_value *value, uint32_t first);
void fr_print_value(fr_print *to, const firn_value *value);

#endif
