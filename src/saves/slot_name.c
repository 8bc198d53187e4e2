#include <string.h>

#include "base/error.h"
#include "firn/storage.h"

static bool is_slot_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// What Windows takes for a device in every folder, also with an ending: no file can be named so.
static bool is_device_name(const char *name, size_t size)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        if (strcmp(name, devices[i]) == 0) {
            return true;
        }
    }
    bool is_port = strncmp(name, "com", 3) == 0 || strncmp(name, "lpt", 3) == 0;
    return is_port && size == 4 && name[3] >= '1' && name[3] <= '9';
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
    if (name[size] != 0 || size == 0 || size > FIRN_SLOT_NAME_MOST) {
        return fr_fail(err, FIRN_INVALID, name,
                       "'%.64s' names no slot: a name is 1 to %d of a-z 0-9 _ -", name,
                       FIRN_SLOT_NAME_MOST);
    }
    return is_device_name(name, size)
               ? fr_fail(err, FIRN_INVALID, name,
                         "'%s' names no slot: it is a device of Windows, not a file", name)
               : FIRN_OK;
}
