#include "os/numeric.h"

firn_result fr_numeric_enter(fr_numeric *numeric, firn_error *err)
{
    (void)err;
    *numeric = (fr_numeric){0};
    return FIRN_OK;
}

void fr_numeric_leave(const fr_numeric *numeric)
{
    (void)numeric;
}
