// A load of a slot, from its backup where the save is damaged.
#include "base/error.h"
#include "saves/draft.h"
#include "saves/take.h"

bool fr_is_damage(firn_result result)
{
    return result == FIRN_NOT_FOUND || result == FIRN_NOT_OURS || result == FIRN_TRUNCATED ||
           result == FIRN_CORRUPT;
}

firn_result fr_slot_open_generation(const firn_saves *saves, const char *slot,
                                    firn_generation generation, firn_saves_loaded *loaded,
                                    firn_revision *revision, firn_error *err)
{
    firn_buffer bytes;
    firn_buffer_init(&bytes, &saves->allocator);
    firn_error why;
    firn_result result = fr_slot_get(saves, slot, generation, &bytes, revision, &why);
    if (result == FIRN_OK) {
        const firn_save_file_options options = fr_saves_file_options(saves);
        loaded->envelope = firn_save_file_open(bytes.data, bytes.size, &options, &why);
        result = loaded->envelope == NULL ? why.code : FIRN_OK;
    }
    if (result != FIRN_OK) {
        firn_buffer_free(&bytes);
        return fr_fail_copy(err, &why);
    }
    loaded->bytes = bytes;
    return FIRN_OK;
}

firn_result fr_slot_open(const firn_saves *saves, const char *slot, firn_saves_loaded *loaded,
                         firn_error *err)
{
    firn_error why;
    firn_result result = fr_slot_open_generation(saves, slot, FIRN_CURRENT, loaded, NULL, &why);
    if (result == FIRN_OK) {
        return FIRN_OK;
    }
    if (!fr_is_damage(result)) {
        return fr_fail_copy(err, &why);
    }
    firn_error backup;
    result = fr_slot_open_generation(saves, slot, FIRN_BACKUP, loaded, NULL, &backup);
    if (result != FIRN_OK) {
        return fr_fail_copy(err, result == FIRN_NO_MEMORY ? &backup : &why);
    }
    loaded->from_backup = true;
    loaded->damage = why;
    return FIRN_OK;
}

static firn_result check_read(const firn_saves *saves, const char *slot, firn_error *err)
{
    firn_result result = fr_saves_check(saves, err);
    if (result == FIRN_OK) {
        result = fr_saves_check_slot(saves, slot, err);
    }
    return result == FIRN_OK ? fr_take_check(saves, err) : result;
}

firn_result firn_saves_read(firn_saves *saves, const char *slot, firn_saves_loaded *loaded,
                            firn_error *err)
{
    firn_saves_loaded own = {0};
    firn_saves_loaded *told = loaded != NULL ? loaded : &own;
    *told = (firn_saves_loaded){.world = firn_saves_world(saves)};
    firn_result result = check_read(saves, slot, err);
    if (result == FIRN_OK) {
        fr_worker_finish(saves);
        result = fr_slot_open(saves, slot, told, err);
    }
    if (result == FIRN_OK) {
        result = fr_take_file(saves, told, err);
    }
    if (loaded == NULL) {
        firn_saves_loaded_free(&own);
    }
    return result;
}
