// A save into a slot.
#include "base/error.h"
#include "saves/draft.h"

#include <string.h>

bool fr_slot_counts(const char *slot)
{
    return strcmp(slot, FIRN_SLOT_AUTOSAVE) != 0 && strcmp(slot, FIRN_SLOT_QUICKSAVE) != 0;
}

typedef struct slot_count {
    const char *slot;
    uint32_t others; // that count
    bool found;
} slot_count;

static firn_result count_slot(void *user, const firn_stored *stored, firn_error *err)
{
    (void)err;
    slot_count *count = user;
    if (strcmp(stored->name, count->slot) == 0) {
        count->found = true;
    } else if (fr_slot_counts(stored->name)) {
        count->others++;
    }
    return FIRN_OK;
}

firn_result fr_slot_check_room(const firn_saves *saves, const char *slot, const char *leaving,
                               firn_error *err)
{
    if (!fr_slot_counts(slot) || (leaving != NULL && fr_slot_counts(leaving))) {
        return FIRN_OK;
    }
    slot_count count = {.slot = slot};
    firn_result result = fr_slot_list(saves, count_slot, &count, err);
    if (result == FIRN_OK && !count.found && count.others >= saves->max_slots) {
        return fr_fail(err, FIRN_LIMIT, slot, "%s would be one slot more than the %u allowed", slot,
                       saves->max_slots);
    }
    return result;
}

// FIRN_NEWER: these are the first bytes of a save of a newer game or library. *damaged: nobody can
// read them.
static firn_result check_not_newer(const firn_saves *saves, const char *slot, const uint8_t *bytes,
                                   size_t size, bool *damaged, firn_error *err)
{
    const firn_save_file_options options = fr_saves_file_options(saves);
    firn_error why;
    firn_save_file *head = firn_save_file_read_head(bytes, size, &options, &why);
    *damaged = head == NULL;
    if (head == NULL) {
        if (why.code == FIRN_VERSION) {
            return fr_fail(err, FIRN_NEWER, slot, "%s holds a save of a newer game: %.300s", slot,
                           why.message);
        }
        return why.code == FIRN_NO_MEMORY ? fr_fail_copy(err, &why) : FIRN_OK;
    }
    uint32_t version = firn_save_file_header(head)->game_version;
    firn_save_file_close(head);
    return version <= saves->version
               ? FIRN_OK
               : fr_fail(err, FIRN_NEWER, slot,
                         "%s holds a save of version %u of the game, and this one is version %u",
                         slot, version, saves->version);
}

// The current generation is of no use: the save is in the backup, if at all, which the next puts
// would replace.
static firn_result check_backup_not_newer(const firn_saves *saves, const char *slot,
                                          firn_error *err)
{
    uint8_t bytes[FIRN_SAVE_HEAD_MOST];
    size_t size;
    firn_stored stored;
    bool damaged;
    firn_result result = fr_slot_head(saves, slot, FIRN_BACKUP, bytes, &size, &stored, NULL);
    return result == FIRN_OK ? check_not_newer(saves, slot, bytes, size, &damaged, err) : FIRN_OK;
}

firn_result fr_slot_expect(const firn_saves *saves, const char *slot, bool force,
                           firn_revision *expected, firn_error *err)
{
    uint8_t bytes[FIRN_SAVE_HEAD_MOST];
    size_t size;
    firn_stored stored = {.name = slot};
    firn_error why;
    firn_result result = fr_slot_head(saves, slot, FIRN_CURRENT, bytes, &size, &stored, &why);
    bool damaged = result == FIRN_NOT_FOUND;
    *expected = damaged ? FIRN_REVISION_NONE : stored.revision;
    if (damaged) {
        result = fr_slot_check_room(saves, slot, NULL, err);
    } else if (result != FIRN_OK) {
        return fr_fail_copy(err, &why);
    } else if (!force) {
        result = check_not_newer(saves, slot, bytes, size, &damaged, err);
    }
    return result == FIRN_OK && damaged && !force ? check_backup_not_newer(saves, slot, err)
                                                  : result;
}

static firn_result check_write(firn_saves *saves, const char *slot,
                               const firn_saves_write_options *options, firn_revision *expected,
                               firn_error *err)
{
    firn_result result = fr_saves_check(saves, err);
    if (result == FIRN_OK) {
        result = fr_saves_check_slot(saves, slot, err);
    }
    if (result == FIRN_OK) {
        result = fr_saves_check_ready(saves, "firn_saves_request_save", err);
    }
    if (result == FIRN_OK && firn_saves_writing(saves)) {
        result = fr_fail(err, FIRN_BUSY, "a background save",
                         "a background save runs; firn_saves_request_save waits for it");
    }
    if (result == FIRN_OK) {
        result = fr_draft_check_options(saves, options, err);
    }
    bool force = options != NULL && options->force;
    return result == FIRN_OK ? fr_slot_expect(saves, slot, force, expected, err) : result;
}

firn_result firn_saves_write(firn_saves *saves, const char *slot,
                             const firn_saves_write_options *options, firn_error *err)
{
    firn_revision expected = FIRN_REVISION_NONE;
    firn_result result = check_write(saves, slot, options, &expected, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_draft draft;
    firn_buffer bytes;
    firn_digest identity;
    firn_buffer_init(&bytes, &saves->allocator);
    fr_draft_init(&draft, saves);
    result = fr_draft_make(&draft, options, err);
    if (result == FIRN_OK) {
        result = fr_draft_write(&draft, &bytes, &identity, err);
    }
    if (result == FIRN_OK) {
        result = fr_slot_put(saves, slot, expected, bytes.data, bytes.size, err);
        if (result == FIRN_OK || result == FIRN_NOT_DURABLE) {
            fr_draft_saved(&draft, identity);
        }
    }
    fr_draft_free(&draft);
    firn_buffer_free(&bytes);
    return result;
}
