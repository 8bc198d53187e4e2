/// firn/storage.h: where save files are kept: entries of bytes under names, replaced whole.
#ifndef FIRN_STORAGE_H
#define FIRN_STORAGE_H

#include "firn/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes of the longest name of an entry, and room for one with its zero.
#define FIRN_SLOT_NAME_MOST 64
#define FIRN_SLOT_NAME_SIZE (FIRN_SLOT_NAME_MOST + 1)

/// FIRN_INVALID with the name as its subject, unless it is 1 to 64 of a-z 0-9 _ -.
FIRN_API firn_result firn_slot_name_check(const char *name, firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
