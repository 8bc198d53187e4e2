#include "saves/storage.h"

#include "base/error.h"
#include "plugin/registry.h"

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

firn_result fr_storage_check_table(const firn_storage *storage, uint32_t name_bytes,
                                   firn_error *err)
{
    firn_result result = fr_check_vtable("storage", storage->abi, storage->name, name_bytes, err);
    if (result != FIRN_OK) {
        return result;
    }
    bool whole = storage->put != NULL && storage->get != NULL && storage->head != NULL &&
                 storage->list != NULL && storage->remove != NULL;
    return whole ? FIRN_OK
                 : fr_fail(err, FIRN_INVALID, "storage", "the storage %s lacks a function",
                           storage->name);
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
