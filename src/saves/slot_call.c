// The storage's functions, called for the manager.
#include "base/error.h"
#include "saves/saves.h"

static const firn_storage *begin_slot_call(const firn_saves *saves, firn_error *why)
{
    fr_error_begin(why);
    fr_saves_lock_storage(saves);
    return &saves->storage;
}

// `what`: the slot, or what else the call is about.
static firn_result end_slot_call(const firn_saves *saves, firn_result result, const char *what,
                                 firn_error *why, firn_error *err)
{
    fr_saves_unlock_storage(saves);
    if (result != FIRN_OK && why->message[0] == 0) {
        return fr_fail(err, result, what, "%s: the storage %.64s says: %s", what,
                       saves->storage.name, firn_result_text(result));
    }
    if (result != FIRN_OK) {
        fr_error_complete(why, result);
        fr_fail_copy(err, why);
    }
    return result;
}

firn_result fr_slot_put(const firn_saves *saves, const char *slot, firn_revision expected,
                        const void *bytes, size_t size, firn_error *err)
{
    firn_revision revision = FIRN_REVISION_NONE;
    firn_error why;
    const firn_storage *storage = begin_slot_call(saves, &why);
    firn_result result = storage->put(storage->user, slot, expected, bytes, size, &revision, &why);
    return end_slot_call(saves, result, slot, &why, err);
}

firn_result fr_slot_get(const firn_saves *saves, const char *slot, firn_generation generation,
                        firn_buffer *out, firn_revision *revision, firn_error *err)
{
    firn_error why;
    firn_revision own = FIRN_REVISION_NONE;
    const firn_storage *storage = begin_slot_call(saves, &why);
    firn_result result =
        storage->get(storage->user, slot, generation, saves->limits.file_bytes, out, &own, &why);
    if (revision != NULL) {
        *revision = own;
    }
    return end_slot_call(saves, result, slot, &why, err);
}

firn_result fr_slot_head(const firn_saves *saves, const char *slot, firn_generation generation,
                         uint8_t bytes[FIRN_SAVE_HEAD_MOST], size_t *got, firn_stored *stored,
                         firn_error *err)
{
    firn_error why;
    *got = 0;
    *stored = (firn_stored){.name = slot};
    const firn_storage *storage = begin_slot_call(saves, &why);
    firn_result result = storage->head(storage->user, slot, generation, bytes, FIRN_SAVE_HEAD_MOST,
                                       got, stored, &why);
    if (result == FIRN_OK && *got > FIRN_SAVE_HEAD_MOST) { // of a storage that lies
        result =
            fr_fail(&why, FIRN_IO, slot, "%s: the storage %.64s gave %zu bytes for a head of %d",
                    slot, storage->name, *got, FIRN_SAVE_HEAD_MOST);
    }
    return end_slot_call(saves, result, slot, &why, err);
}

firn_result fr_slot_list(const firn_saves *saves, firn_stored_fn each, void *user, firn_error *err)
{
    firn_error why;
    const firn_storage *storage = begin_slot_call(saves, &why);
    firn_result result = storage->list(storage->user, each, user, &why);
    return end_slot_call(saves, result, "slots", &why, err);
}

firn_result fr_slot_remove(const firn_saves *saves, const char *slot, firn_revision expected,
                           firn_error *err)
{
    firn_error why;
    const firn_storage *storage = begin_slot_call(saves, &why);
    firn_result result = storage->remove(storage->user, slot, expected, &why);
    return end_slot_call(saves, result, slot, &why, err);
}
