#include <string.h>

#include "base/error.h"
#include "firn/storage.h"

static bool is_slot_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

firn_result firn_slot_name_check(const char *name, firn_error *err)
{
    if (name == NULL) {
        return fr_fail(err, FIRN_INVALID, "slot", "the name of the slot is NULL");
    }
    size_t size = 0;
    while (size <= FIRN_SLOT_NAME_MOST && is_slot_character(name[size])) {
        size++;
    }
    if (name[size] == 0 && size > 0 && size <= FIRN_SLOT_NAME_MOST) {
        return FIRN_OK;
    }
    return fr_fail(err, FIRN_INVALID, name,
                   "'%.64s' names no slot: a name is 1 to %d of a-z 0-9 _ -", name,
                   FIRN_SLOT_NAME_MOST);
}
