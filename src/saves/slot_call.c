// The storage's functions, called for the manager.
#include "base/error.h"
#include "saves/saves.h"

static firn_result end_slot_call(firn_result result, firn_error *why, firn_error *err)
{
    if (result != FIRN_OK) {
        fr_error_complete(why, result);
        fr_fail_copy(err, why);
    }
    return result;
}

firn_result fr_slot_put(const firn_saves *saves, const char *slot, firn_revision expected,
                        const void *bytes, size_t size, firn_error *err)
{
    const firn_storage *storage = &saves->storage;
    firn_revision revision = FIRN_REVISION_NONE;
    firn_error why;
    fr_error_begin(&why);
    return end_slot_call(storage->put(storage->user, slot, expected, bytes, size, &revision, &why),
                         &why, err);
}

firn_result fr_slot_get(const firn_saves *saves, const char *slot, firn_generation generation,
                        firn_buffer *out, firn_error *err)
{
    const firn_storage *storage = &saves->storage;
    firn_error why;
    fr_error_begin(&why);
    return end_slot_call(
        storage->get(storage->user, slot, generation, saves->limits.file_bytes, out, NULL, &why),
        &why, err);
}

firn_result fr_slot_head(const firn_saves *saves, const char *slot, firn_generation generation,
                         uint8_t bytes[FIRN_SAVE_HEAD_MOST], size_t *got, firn_stored *stored,
                         firn_error *err)
{
    const firn_storage *storage = &saves->storage;
    firn_error why;
    fr_error_begin(&why);
    *got = 0;
    return end_slot_call(storage->head(storage->user, slot, generation, bytes, FIRN_SAVE_HEAD_MOST,
                                       got, stored, &why),
                         &why, err);
}

firn_result fr_slot_list(const firn_saves *saves, firn_stored_fn each, void *user, firn_error *err)
{
    const firn_storage *storage = &saves->storage;
    firn_error why;
    fr_error_begin(&why);
    return end_slot_call(storage->list(storage->user, each, user, &why), &why, err);
}
