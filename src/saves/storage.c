#include "saves/storage.h"

#include "base/error.h"

void firn_storage_close(firn_storage *storage)
{
    if (storage == NULL) {
        return;
    }
    if (storage->destroy != NULL) {
        storage->destroy(storage->user);
    }
    *storage = (firn_storage){.abi = 0};
}

firn_result fr_storage_expect(const char *name, firn_revision expected, firn_revision current,
                              firn_error *err)
{
    if (expected == FIRN_REVISION_ANY || expected == current) {
        return FIRN_OK;
    }
    if (expected == FIRN_REVISION_NONE) {
        return fr_fail(err, FIRN_EXISTS, name, "%s: is there already", name);
    }
    if (current == FIRN_REVISION_NONE) {
        return fr_fail(err, FIRN_NOT_FOUND, name, "%s: is not there any more", name);
    }
    return fr_fail(err, FIRN_CONFLICT, name, "%s: was changed by somebody else", name);
}

firn_result fr_storage_missing(const char *name, firn_generation generation, firn_error *err)
{
    return fr_fail(err, FIRN_NOT_FOUND, name, "%s: there is no %s of that name", name,
                   generation == FIRN_BACKUP ? "backup" : "entry");
}
