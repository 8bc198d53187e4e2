/// storage.h: what the storages of this room share.
#ifndef FR_STORAGE_H
#define FR_STORAGE_H

#include "firn/storage.h"

/// FIRN_INVALID (abi 0, a bad name, a function that is not there), FIRN_VERSION.
firn_result fr_storage_check_table(const firn_storage *storage, uint32_t name_bytes,
                                   firn_error *err);

/// Whether `expected` allows a change of an entry whose current generation has the revision
/// `current`, FIRN_REVISION_NONE when there is none: FIRN_OK, FIRN_EXISTS, FIRN_NOT_FOUND or
/// FIRN_CONFLICT with the entry as the subject.
firn_result fr_storage_expect(const char *name, firn_revision expected, firn_revision current,
                              firn_error *err);

/// FIRN_NOT_FOUND: there is no such generation of the entry.
firn_result fr_storage_missing(const char *name, firn_generation generation, firn_error *err);

#endif
