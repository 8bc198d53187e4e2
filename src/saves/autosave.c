// Puts the saves that were asked for: autosaves in a slot of their ring.
#include "saves/saves.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// A slot of the ring.
typedef struct ring_slot {
    char name[FIRN_SLOT_NAME_SIZE];
    bool empty;
    bool unreadable;
    int64_t timestamp;
    uint64_t revision;
} ring_slot;

// Whether a is to be replaced before b: empty ones, then those that nobody can load, then the
// oldest.
static bool goes_before(const ring_slot *a, const ring_slot *b)
{
    if (a->empty != b->empty) {
        return a->empty;
    }
    if (a->unreadable != b->unreadable) {
        return a->unreadable;
    }
    if (a->timestamp != b->timestamp) {
        return a->timestamp < b->timestamp;
    }
    return a->revision < b->revision;
}

// FIRN_OK: an autosave may replace it; or why not.
static firn_result check_replaceable(const firn_saves *saves, const char *slot,
                                     const fr_slot_look *look, firn_error *err)
{
    if (look->file == NULL && look->error.code == FIRN_VERSION) {
        return fr_fail(err, FIRN_NEWER, slot, "%s holds a save of a newer game: %.300s", slot,
                       look->error.message);
    }
    if (look->file == NULL) {
        return fr_is_damage(look->error.code) ? FIRN_OK : fr_fail_copy(err, &look->error);
    }
    const firn_save_header *header = firn_save_file_header(look->file);
    if (fr_header_is_newer(saves, header) || fr_header_is_foreign(saves, header)) {
        return fr_fail(err, FIRN_NEWER, slot, "%s holds a save of version %" PRIu32 " of %.100s",
                       slot, header->game_version, header->game);
    }
    return FIRN_OK;
}

// Looks at a slot of the ring. *spared: FIRN_OK, or why it is not replaced, as *why, which may be
// NULL, says.
static firn_result look_at_ring_slot(const firn_saves *saves, ring_slot *slot, firn_result *spared,
                                     firn_error *why, firn_error *err)
{
    fr_slot_look look;
    *spared = FIRN_OK;
    firn_result result = fr_slot_look_at(saves, slot->name, &look, err);
    if (result == FIRN_NOT_FOUND) {
        slot->empty = true;
        return FIRN_OK;
    }
    if (result != FIRN_OK) {
        return result;
    }
    const firn_save_header *header = firn_save_file_header(look.file);
    slot->unreadable = header == NULL;
    slot->timestamp = header != NULL ? header->timestamp : 0;
    slot->revision = header != NULL ? header->revision : 0;
    *spared = check_replaceable(saves, slot->name, &look, why);
    firn_save_file_close(look.file);
    return FIRN_OK;
}

static firn_result add_ring_slot(firn_buffer *slots, const ring_slot *slot, firn_error *err)
{
    firn_result result = firn_buffer_append(slots, slot, sizeof *slot, err);
    if (result != FIRN_OK) {
        return result;
    }
    ring_slot *all = (ring_slot *)(void *)slots->data;
    size_t at = slots->size / sizeof *all - 1;
    for (; at > 0 && goes_before(slot, &all[at - 1]); at--) {
        all[at] = all[at - 1];
    }
    all[at] = *slot;
    return FIRN_OK;
}

// Those that may be replaced, in their order. When there is none, the reason of the first is told.
static firn_result collect_ring(const firn_saves *saves, firn_buffer *slots, firn_error *err)
{
    firn_error why;
    why.code = FIRN_OK;
    for (uint64_t i = 1; i <= saves->autosave_ring; i++) {
        ring_slot slot = {.name = FIRN_SLOT_AUTOSAVE};
        firn_result spared;
        if (i > 1) {
            (void)snprintf(slot.name, sizeof slot.name, FIRN_SLOT_AUTOSAVE "-%" PRIu64, i);
        }
        firn_error *reason = why.code == FIRN_OK ? &why : NULL;
        firn_result result = look_at_ring_slot(saves, &slot, &spared, reason, err);
        if (result == FIRN_OK && spared == FIRN_OK) {
            result = add_ring_slot(slots, &slot, err);
        }
        if (result != FIRN_OK) {
            return result;
        }
    }
    return slots->size > 0 ? FIRN_OK : fr_fail_copy(err, &why);
}

static firn_result put_checked(const firn_saves *saves, const char *slot, bool force,
                               const firn_buffer *file, firn_error *err)
{
    firn_revision expected;
    firn_result result = fr_slot_expect(saves, slot, force, &expected, err);
    return result == FIRN_OK ? fr_slot_put(saves, slot, expected, file->data, file->size, err)
                             : result;
}

// The first slot that takes the file gets it. When none does, the reason of the first is told.
static firn_result put_in_first(const firn_saves *saves, const ring_slot *all, size_t count,
                                const firn_buffer *file, char slot[FIRN_SLOT_NAME_SIZE],
                                firn_error *err)
{
    firn_result told = FIRN_OK;
    for (size_t i = 0; i < count; i++) {
        firn_error why;
        firn_result result = put_checked(saves, all[i].name, false, file, &why);
        bool blocked = result == FIRN_LIMIT || result == FIRN_NEWER;
        if (i == 0 || !blocked) {
            memcpy(slot, all[i].name, FIRN_SLOT_NAME_SIZE);
            told = result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
        }
        if (!blocked) {
            break;
        }
    }
    return told;
}

static firn_result put_in_ring(const firn_saves *saves, const firn_buffer *file,
                               char slot[FIRN_SLOT_NAME_SIZE], firn_error *err)
{
    firn_buffer slots;
    firn_buffer_init(&slots, &saves->allocator);
    firn_result result = collect_ring(saves, &slots, err);
    if (result == FIRN_OK) {
        const ring_slot *all = (const ring_slot *)(void *)slots.data;
        result = put_in_first(saves, all, slots.size / sizeof *all, file, slot, err);
    }
    firn_buffer_free(&slots);
    return result;
}

firn_result fr_request_put(const firn_saves *saves, fr_request *request, const firn_buffer *file,
                           firn_error *err)
{
    return request->autosave ? put_in_ring(saves, file, request->slot, err)
                             : put_checked(saves, request->slot, request->options.force, file, err);
}
