// One slot: what its head says, and what a menu does with it.
#include "saves/draft.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

static firn_result keep_name(void *user, const firn_stored *stored, firn_error *err)
{
    char name[FIRN_SLOT_NAME_SIZE] = {0};
    firn_result result = firn_slot_name_check(stored->name, err);
    if (result == FIRN_OK) {
        memcpy(name, stored->name, strlen(stored->name));
        result = firn_buffer_append(user, name, sizeof name, err);
    }
    return result;
}

firn_result fr_slot_names(const firn_saves *saves, firn_buffer *out, firn_error *err)
{
    size_t before = out->size;
    firn_result result = fr_slot_list(saves, keep_name, out, err);
    if (result != FIRN_OK) {
        out->size = before;
    }
    return result;
}

firn_result fr_slot_find(const firn_saves *saves, const char *slot, firn_error *err)
{
    uint8_t bytes[FIRN_SAVE_HEAD_MOST];
    size_t got;
    firn_stored stored;
    firn_result result = fr_slot_head(saves, slot, FIRN_CURRENT, bytes, &got, &stored, err);
    if (result == FIRN_NOT_FOUND) {
        result = fr_slot_head(saves, slot, FIRN_BACKUP, bytes, &got, &stored, err);
    }
    return result != FIRN_NOT_FOUND
               ? result
               : fr_fail(err, FIRN_NOT_FOUND, slot, "the slot %s is empty", slot);
}

// ---------------------------------------------------------------- heads

bool fr_header_is_newer(const firn_saves *saves, const firn_save_header *header)
{
    return header->game_version > saves->version;
}

bool fr_header_is_foreign(const firn_saves *saves, const firn_save_header *header)
{
    return strcmp(header->game, saves->game) != 0;
}

// The head of a generation. *file is set as well when the rest of the file is not as long as the
// head says, which is a failure.
static firn_result read_generation(const firn_saves *saves, const char *slot,
                                   firn_generation generation, fr_slot_look *out, firn_error *err)
{
    uint8_t bytes[FIRN_SAVE_HEAD_MOST];
    size_t got;
    firn_stored stored;
    firn_result result = fr_slot_head(saves, slot, generation, bytes, &got, &stored, err);
    if (result != FIRN_OK) {
        return result;
    }
    const firn_save_file_options options = fr_saves_file_options(saves);
    if (generation == FIRN_CURRENT) {
        out->revision = stored.revision;
    }
    out->size = stored.size;
    out->file = firn_save_file_read_head(bytes, got, &options, err);
    if (out->file == NULL) {
        return err->code;
    }
    uint64_t said = firn_save_file_size(out->file);
    if (said != stored.size) {
        return fr_fail(err, said > stored.size ? FIRN_TRUNCATED : FIRN_CORRUPT, slot,
                       "%s: the save has %" PRIu64 " bytes, and its head says %" PRIu64, slot,
                       stored.size, said);
    }
    return FIRN_OK;
}

// The current generation is damaged, out->error says how: what the backup has to say.
static firn_result read_backup(const firn_saves *saves, const char *slot, fr_slot_look *out,
                               firn_error *err)
{
    firn_error why;
    fr_slot_look backup = {.file = NULL};
    firn_result result = read_generation(saves, slot, FIRN_BACKUP, &backup, &why);
    bool alone = out->error.code == FIRN_NOT_FOUND; // there is no other generation
    if (result == FIRN_NO_MEMORY || (result == FIRN_NOT_FOUND && alone)) {
        firn_save_file_close(out->file);
        out->file = NULL;
        return fr_fail_copy(err, &why);
    }
    if (result == FIRN_OK || alone) {
        firn_save_file_close(out->file);
        out->file = backup.file;
        out->size = backup.size;
        out->from_backup = result == FIRN_OK;
        if (result != FIRN_OK) {
            out->error = why;
        }
    } else {
        firn_save_file_close(backup.file);
    }
    return FIRN_OK;
}

firn_result fr_slot_look_at(const firn_saves *saves, const char *slot, fr_slot_look *out,
                            firn_error *err)
{
    *out = (fr_slot_look){.revision = FIRN_REVISION_NONE};
    firn_result result = read_generation(saves, slot, FIRN_CURRENT, out, &out->error);
    if (result == FIRN_NO_MEMORY) {
        return fr_fail_copy(err, &out->error);
    }
    return fr_is_damage(result) ? read_backup(saves, slot, out, err) : FIRN_OK;
}

bool firn_saves_has(firn_saves *saves, const char *slot)
{
    return saves != NULL && fr_saves_check_slot(saves, slot, NULL) == FIRN_OK &&
           fr_slot_find(saves, slot, NULL) != FIRN_NOT_FOUND;
}

// ---------------------------------------------------------------- whole saves

static firn_result append_thumbnail(firn_save_file *file, const char *slot, firn_buffer *out,
                                    firn_error *err)
{
    const void *bytes;
    size_t size;
    firn_error why;
    firn_result result = firn_save_file_section(file, FIRN_SECTION_THUMBNAIL, &bytes, &size, &why);
    if (result == FIRN_NOT_FOUND) {
        return fr_fail(err, FIRN_NOT_FOUND, slot, "the save in %s has no thumbnail", slot);
    }
    return result == FIRN_OK ? firn_buffer_append(out, bytes, size, err) : fr_fail_copy(err, &why);
}

firn_result firn_saves_thumbnail(firn_saves *saves, const char *slot, firn_buffer *out,
                                 firn_error *err)
{
    if (saves == NULL || out == NULL) {
        const char *what = saves == NULL ? "saves" : "out";
        return fr_fail(err, FIRN_INVALID, what, "%s is NULL", what);
    }
    firn_result result = fr_saves_check_slot(saves, slot, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_saves_loaded whole = {.world = NULL};
    result = fr_slot_open(saves, slot, &whole, err);
    if (result == FIRN_OK) {
        result = append_thumbnail(whole.envelope, slot, out, err);
    }
    firn_saves_loaded_free(&whole);
    return result;
}

// ---------------------------------------------------------------- copies and removals

// What changes the slots waits for a background save, and for the call that runs.
static firn_result check_slot_change(firn_saves *saves, const char *slot, firn_error *err)
{
    if (saves == NULL) {
        return fr_fail(err, FIRN_INVALID, "saves", "saves is NULL");
    }
    firn_result result = fr_saves_check_free(saves, err);
    if (result == FIRN_OK && firn_saves_writing(saves)) {
        result = fr_fail(err, FIRN_BUSY, "a background save", "a background save runs");
    }
    return result == FIRN_OK ? fr_saves_check_slot(saves, slot, err) : result;
}

// What stands in the slot that a copy goes to: the revision to expect.
static firn_result check_copy_target(const firn_saves *saves, const char *to, bool replace,
                                     firn_revision *expected, firn_error *err)
{
    fr_slot_look head;
    firn_result result = fr_slot_look_at(saves, to, &head, err);
    *expected = FIRN_REVISION_NONE;
    if (result == FIRN_NOT_FOUND) {
        return FIRN_OK;
    }
    if (result != FIRN_OK) {
        return result;
    }
    firn_save_file_close(head.file);
    *expected = head.revision;
    return replace ? FIRN_OK : fr_fail(err, FIRN_EXISTS, to, "there is a save in %s", to);
}

// *revision receives that of what was copied. moves: `from` is about to go.
static firn_result copy_slot(const firn_saves *saves, const char *from, const char *to,
                             bool replace, bool moves, firn_revision *revision, firn_error *err)
{
    firn_saves_loaded whole = {.world = NULL};
    firn_revision expected;
    firn_result result = fr_slot_open_generation(saves, from, FIRN_CURRENT, &whole, revision, err);
    if (result == FIRN_OK) {
        result = fr_slot_check_room(saves, to, moves ? from : NULL, err);
    }
    if (result == FIRN_OK) {
        result = check_copy_target(saves, to, replace, &expected, err);
    }
    if (result == FIRN_OK) {
        result = fr_slot_put(saves, to, expected, whole.bytes.data, whole.bytes.size, err);
    }
    firn_saves_loaded_free(&whole);
    return result;
}

static firn_result check_copy(firn_saves *saves, const char *from, const char *to, firn_error *err)
{
    firn_result result = check_slot_change(saves, from, err);
    if (result == FIRN_OK) {
        result = fr_saves_check_slot(saves, to, err);
    }
    return result == FIRN_OK && strcmp(from, to) == 0
               ? fr_fail(err, FIRN_INVALID, to, "from and to are both %s", to)
               : result;
}

firn_result firn_saves_copy(firn_saves *saves, const char *from, const char *to, bool replace,
                            firn_error *err)
{
    firn_revision revision;
    firn_result result = check_copy(saves, from, to, err);
    return result == FIRN_OK ? copy_slot(saves, from, to, replace, false, &revision, err) : result;
}

firn_result firn_saves_rename(firn_saves *saves, const char *from, const char *to, bool replace,
                              firn_error *err)
{
    firn_revision revision;
    firn_result result = check_copy(saves, from, to, err);
    if (result == FIRN_OK) {
        result = copy_slot(saves, from, to, replace, true, &revision, err);
    }
    if (result != FIRN_OK) { // also when the copy may not survive a power loss
        return result;
    }
    return fr_slot_remove(saves, from, revision, err);
}

firn_result firn_saves_remove(firn_saves *saves, const char *slot, firn_error *err)
{
    firn_result result = check_slot_change(saves, slot, err);
    return result == FIRN_OK ? fr_slot_remove(saves, slot, FIRN_REVISION_ANY, err) : result;
}
