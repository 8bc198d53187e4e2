/// numeric.h: numbers with a point. The C library reads and writes numbers as the locale says, and
/// so do libraries on top of it.
#ifndef FR_NUMERIC_H
#define FR_NUMERIC_H

#include "firn/base.h"

/// What is put back.
typedef struct fr_numeric {
    void *before;
    void *made;
} fr_numeric;

/// The calling thread has the locale "C" from here to fr_numeric_leave. FIRN_NO_MEMORY. On Windows
/// nothing changes: the point of its locales is one character.
firn_result fr_numeric_enter(fr_numeric *numeric, firn_error *err);
void fr_numeric_leave(const fr_numeric *numeric);

#endif
