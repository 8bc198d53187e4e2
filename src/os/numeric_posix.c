#include "os/posix.h"

#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include "base/error.h"
#include "os/numeric.h"

firn_result fr_numeric_enter(fr_numeric *numeric, firn_error *err)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        return fr_fail_memory(err, "locale");
    }
    *numeric = (fr_numeric){.before = (void *)uselocale(plain), .made = (void *)plain};
    return FIRN_OK;
}

void fr_numeric_leave(const fr_numeric *numeric)
{
    uselocale((locale_t)numeric->before);
    freelocale((locale_t)numeric->made);
}
