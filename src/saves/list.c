// Lists of slots for menus: heads only.
#include "saves/saves.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"

#include <stdalign.h>
#include <string.h>

// A slot and the file that its header lives in.
typedef struct listed_slot {
    firn_slot slot;
    firn_save_file *file;
} listed_slot;

// Newest first; those without a head behind them, by name.
static int compare_shown(const void *first, const void *second)
{
    const firn_slot *a = &((const listed_slot *)first)->slot;
    const firn_slot *b = &((const listed_slot *)second)->slot;
    if (a->header != NULL && b->header != NULL) {
        if (a->header->timestamp != b->header->timestamp) {
            return a->header->timestamp > b->header->timestamp ? -1 : 1;
        }
        if (a->header->revision != b->header->revision) {
            return a->header->revision > b->header->revision ? -1 : 1;
        }
    } else if ((a->header == NULL) != (b->header == NULL)) {
        return a->header != NULL ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

static bool has_section(const firn_save_file *file, const char *name)
{
    firn_section_info info;
    for (uint32_t i = 0; firn_save_file_section_at(file, i, &info); i++) {
        if (strcmp(info.name, name) == 0) {
            return true;
        }
    }
    return false;
}

static firn_result look_at_slot(firn_saves *saves, const char *name, listed_slot *out,
                                firn_error *err)
{
    fr_slot_look head;
    firn_result result = fr_slot_look_at(saves, name, &head, err);
    if (result != FIRN_OK) {
        return result;
    }
    const firn_save_header *header = firn_save_file_header(head.file);
    *out = (listed_slot){.slot = {.size = head.size,
                                  .header = header,
                                  .from_backup = head.from_backup,
                                  .error = head.error},
                         .file = head.file};
    memcpy(out->slot.name, name, sizeof out->slot.name);
    if (header != NULL) {
        out->slot.newer = fr_header_is_newer(saves, header);
        out->slot.other_game = fr_header_is_foreign(saves, header);
        out->slot.has_thumbnail = has_section(head.file, FIRN_SECTION_THUMBNAIL);
    }
    return FIRN_OK;
}

static void close_listed(listed_slot *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        firn_save_file_close(slots[i].file);
    }
}

// Looks at each name and sorts. *count: how many of them are still there.
static firn_result look_at_slots(firn_saves *saves, const firn_buffer *names, listed_slot *slots,
                                 const void **order, uint32_t *count, firn_error *err)
{
    *count = 0;
    for (size_t at = 0; at < names->size; at += FIRN_SLOT_NAME_SIZE) {
        firn_result result =
            look_at_slot(saves, (const char *)names->data + at, &slots[*count], err);
        if (result == FIRN_OK) {
            order[*count] = &slots[*count];
            ++*count;
        } else if (result != FIRN_NOT_FOUND) { // somebody removed it meanwhile
            close_listed(slots, *count);
            return result;
        }
    }
    fr_sort(order, *count, compare_shown);
    return FIRN_OK;
}

// The block of a list: its slots, then the files that their headers live in.
static firn_result fill_list(firn_slot_list *list, const void *const *order, uint32_t count,
                             firn_error *err)
{
    size_t each = sizeof(firn_slot) + sizeof(firn_save_file *);
    void *block = fr_alloc(&list->allocator, count, each, alignof(max_align_t));
    if (block == NULL) {
        return fr_fail_memory(err, "a list of slots");
    }
    list->slots = block;
    list->count = count;
    list->memory = block;
    list->memory_size = count * each;
    firn_save_file **files = (firn_save_file **)(void *)(list->slots + count);
    for (uint32_t i = 0; i < count; i++) {
        const listed_slot *from = order[i];
        list->slots[i] = from->slot;
        files[i] = from->file;
    }
    return FIRN_OK;
}

static firn_result make_list(firn_saves *saves, const firn_buffer *names, firn_slot_list *list,
                             firn_error *err)
{
    size_t most = names->size / FIRN_SLOT_NAME_SIZE;
    if (most == 0) {
        return FIRN_OK;
    }
    size_t each = sizeof(listed_slot) + sizeof(void *);
    listed_slot *slots = fr_alloc(&saves->allocator, most, each, alignof(max_align_t));
    if (slots == NULL) {
        return fr_fail_memory(err, "a list of slots");
    }
    const void **order = (const void **)(void *)(slots + most);
    uint32_t count;
    firn_result result = look_at_slots(saves, names, slots, order, &count, err);
    if (result == FIRN_OK && count > 0) {
        result = fill_list(list, order, count, err);
        if (result != FIRN_OK) {
            close_listed(slots, count);
        }
    }
    fr_free(&saves->allocator, slots, most, each, alignof(max_align_t));
    return result;
}

firn_result firn_saves_list(firn_saves *saves, firn_slot_list *out, firn_error *err)
{
    if (out == NULL) {
        return fr_fail(err, FIRN_INVALID, "out", "out is NULL");
    }
    *out = (firn_slot_list){.count = 0};
    if (saves == NULL) {
        return fr_fail(err, FIRN_INVALID, "saves", "saves is NULL");
    }
    out->allocator = saves->allocator;
    if (saves->storage.abi == 0) {
        return fr_fail(err, FIRN_INVALID, "storage", "the manager has no storage");
    }
    firn_buffer names;
    firn_buffer_init(&names, &saves->allocator);
    firn_result result = fr_slot_names(saves, &names, err);
    if (result == FIRN_OK) {
        result = make_list(saves, &names, out, err);
    }
    firn_buffer_free(&names);
    return result;
}

void firn_slot_list_free(firn_slot_list *list)
{
    if (list == NULL) {
        return;
    }
    if (list->memory != NULL) {
        firn_save_file **files = (firn_save_file **)(void *)(list->slots + list->count);
        for (uint32_t i = 0; i < list->count; i++) {
            firn_save_file_close(files[i]);
        }
        fr_free(&list->allocator, list->memory, list->memory_size, 1, alignof(max_align_t));
    }
    *list = (firn_slot_list){.count = 0};
}

// As far as its head says.
static bool can_load(const firn_saves *saves, const firn_slot *slot)
{
    const firn_save_header *header = slot->header;
    bool whole = slot->error.code == FIRN_OK || slot->from_backup;
    return header != NULL && whole && !slot->newer && !slot->other_game &&
           strcmp(fr_saves_kind_of(header), fr_saves_kind_text(saves)) == 0;
}

firn_result firn_saves_newest(firn_saves *saves, char slot[FIRN_SLOT_NAME_SIZE], firn_error *err)
{
    if (slot == NULL) {
        return fr_fail(err, FIRN_INVALID, "slot", "slot is NULL");
    }
    firn_slot_list list;
    firn_result result = firn_saves_list(saves, &list, err);
    if (result != FIRN_OK) {
        return result;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        const firn_slot *at = &list.slots[i];
        if (can_load(saves, at)) {
            memcpy(slot, at->name, FIRN_SLOT_NAME_SIZE);
            firn_slot_list_free(&list);
            return FIRN_OK;
        }
    }
    result = fr_fail(err, FIRN_NOT_FOUND, "slot", "none of %u slots can be loaded", list.count);
    firn_slot_list_free(&list);
    return result;
}
