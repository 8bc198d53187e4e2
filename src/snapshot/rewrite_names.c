// Names: groups, and lists of names that stand elsewhere.
#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "snapshot/format.h"
#include "snapshot/rewrite.h"

// ---- groups

uint32_t fr_rewrite_group_find(const fr_rewrite *rewrite, const char *name, size_t size)
{
    uint32_t cursor = UINT32_MAX, index;
    while ((index = fr_map_next(&rewrite->group_of, fr_hash(name, size), &cursor)) != FR_MAP_NONE) {
        const fr_rewrite_group *group = &rewrite->groups[index];
        if (group->name_size == size && memcmp(group->name, name, size) == 0) {
            return index;
        }
    }
    return FR_NO_GROUP;
}

uint32_t fr_rewrite_group_make(fr_rewrite *rewrite, const char *name, size_t size)
{
    uint32_t index = fr_rewrite_group_find(rewrite, name, size);
    if (index != FR_NO_GROUP) {
        return index;
    }
    index = rewrite->group_count;
    if (!FR_RESERVE(&rewrite->allocator, rewrite->groups, rewrite->group_capacity, index + 1) ||
        !fr_map_add(&rewrite->allocator, &rewrite->group_of, fr_hash(name, size), index)) {
        return FR_NO_GROUP;
    }
    rewrite->groups[rewrite->group_count++] = (fr_rewrite_group){.name = name,
                                                                 .name_size = (uint32_t)size,
                                                                 .now = name,
                                                                 .now_size = (uint32_t)size,
                                                                 .raw = UINT32_MAX,
                                                                 .first_edit = FR_NO_EDIT,
                                                                 .last_edit = FR_NO_EDIT};
    return index;
}

// ---- names of lists

static bool name_is(const char *text, const char *name, size_t size)
{
    return strlen(text) == size && memcmp(text, name, size) == 0;
}

// Whether some edit says that this is the name of a component.
static bool is_edited(const fr_rewrite *rewrite, const char *name, size_t size)
{
    for (uint32_t i = 0; i < rewrite->edit_count; i++) {
        const firn_edit *edit = &rewrite->edits[i];
        if (name_is(edit->component, name, size) ||
            (edit->kind == FIRN_RENAME_COMPONENT && name_is(edit->to, name, size))) {
            return true;
        }
    }
    return false;
}

// The bytes of a name that name its component: the longest part that is one, else what stands in
// front of the first dot.
static size_t component_of_name(const fr_rewrite *rewrite, const char *name, size_t size)
{
    size_t first = size;
    for (size_t end = size; end > 0; end--) {
        if (end < size && name[end] != '.') {
            continue;
        }
        if (fr_rewrite_group_find(rewrite, name, end) != FR_NO_GROUP ||
            is_edited(rewrite, name, end)) {
            return end;
        }
        first = end;
    }
    return first;
}

firn_result fr_rewrite_note(fr_rewrite *rewrite, const char *name, size_t size, firn_error *err)
{
    size_t component = component_of_name(rewrite, name, size);
    bool made = size == 0 || fr_rewrite_group_make(rewrite, name, component) != FR_NO_GROUP;
    return made ? FIRN_OK : fr_fail_memory(err, "names");
}

bool fr_rewrite_lies_in(const char *name, size_t size, const char *field, size_t field_size)
{
    return size >= field_size && memcmp(name, field, field_size) == 0 &&
           (size == field_size || name[field_size] == '.' || name[field_size] == '[');
}

// Applies one edit to the field of a name, the rest of which begins at `at` of *out. False: it
// goes.
static bool edit_field_of_name(const firn_edit *edit, firn_buffer *out, size_t at, bool *changed,
                               firn_result *result, firn_error *err)
{
    const char *field = (const char *)out->data + at;
    size_t size = out->size - at, edited = strlen(edit->field);
    *changed = out->size > at && fr_rewrite_lies_in(field, size, edit->field, edited);
    if (!*changed) {
        return true;
    }
    if (edit->kind == FIRN_DROP_FIELD) {
        return false;
    }
    size_t to = strlen(edit->to), rest = size - edited;
    *result = firn_buffer_reserve(out, to, err);
    if (*result == FIRN_OK) {
        memmove(out->data + at + to, out->data + at + edited, rest);
        memcpy(out->data + at, edit->to, to);
        out->size = at + to + rest;
    }
    return true;
}

// Applies the edits of fields to a name, of which the component is there already.
static firn_result edit_fields_of_name(fr_rewrite *rewrite, const fr_rewrite_group *group,
                                       firn_buffer *out, firn_error *err)
{
    firn_result result = FIRN_OK;
    size_t at = (size_t)group->now_size + 1;
    for (uint32_t i = group->first_edit; result == FIRN_OK && i != FR_NO_EDIT;
         i = rewrite->edit_next[i]) {
        const firn_edit *edit = &rewrite->edits[i];
        bool of_field = edit->kind == FIRN_RENAME_FIELD || edit->kind == FIRN_DROP_FIELD;
        bool changed = !of_field;
        bool stays = !of_field || edit_field_of_name(edit, out, at, &changed, &result, err);
        rewrite->effects[i].names += changed;
        rewrite->effects[i].found |= changed;
        if (!stays) {
            firn_buffer_clear(out);
            return FIRN_OK;
        }
    }
    return result;
}

firn_result fr_rewrite_name(fr_rewrite *rewrite, const char *name, size_t size, firn_buffer *out,
                            uint32_t *group, firn_error *err)
{
    size_t component = component_of_name(rewrite, name, size);
    *group = fr_rewrite_group_find(rewrite, name, component);
    firn_buffer_clear(out);
    assert(*group != FR_NO_GROUP); // it was noted
    const fr_rewrite_group *now = &rewrite->groups[*group];
    firn_result result = FIRN_OK;
    if (!now->dropped) {
        result = firn_buffer_append(out, now->now, now->now_size, err);
    }
    if (result == FIRN_OK && !now->dropped) {
        result = firn_buffer_append(out, name + component, size - component, err);
    }
    if (result == FIRN_OK) {
        result = edit_fields_of_name(rewrite, now, out, err);
    }
    return result;
}

// The next name of a list, from *at on; false at the end.
static bool next_name(const char *text, size_t size, size_t *at, const char **name, size_t *length)
{
    while (*at < size && text[*at] == ' ') {
        ++*at;
    }
    *name = text + *at;
    while (*at < size && text[*at] != ' ' && text[*at] != '\0') {
        ++*at;
    }
    *length = (size_t)(text + *at - *name);
    return *length > 0;
}

firn_result fr_rewrite_list(fr_rewrite *rewrite, const char *text, size_t size, firn_buffer *out,
                            firn_error *err)
{
    firn_buffer one;
    firn_buffer_init(&one, &rewrite->allocator);
    firn_buffer_clear(out);
    firn_result result = FIRN_OK;
    const char *name;
    size_t at = 0, length;
    while (result == FIRN_OK && next_name(text, size, &at, &name, &length)) {
        uint32_t group;
        result = fr_rewrite_name(rewrite, name, length, &one, &group, err);
        if (result == FIRN_OK && one.size > 0 && out->size > 0) {
            result = firn_buffer_append(out, " ", 1, err);
        }
        if (result == FIRN_OK) {
            result = firn_buffer_append(out, one.data, one.size, err);
        }
    }
    firn_buffer_free(&one);
    return result;
}

// ---- lists in rows

static firn_result note_list(fr_rewrite *rewrite, const char *text, size_t size, firn_error *err)
{
    firn_result result = FIRN_OK;
    const char *name;
    size_t at = 0, length;
    while (result == FIRN_OK && next_name(text, size, &at, &name, &length)) {
        result = fr_rewrite_note(rewrite, name, length, err);
    }
    return result;
}

static firn_result note_rows(fr_rewrite *rewrite, const fr_rewrite_entry *entry, firn_error *err)
{
    const fr_image *image = &rewrite->image;
    firn_result result = FIRN_OK;
    for (uint32_t i = entry->saved->first_column; i != FR_NO_COLUMN; i = image->spans[i].next) {
        const fr_span *span = &image->spans[i];
        const char *text = (const char *)span->bytes + entry->list_from;
        for (size_t at = 0; result == FIRN_OK && at < span->size; at += entry->saved->schema.size) {
            result = note_list(rewrite, text + at, entry->list_size, err);
        }
    }
    return result;
}

firn_result fr_rewrite_lists(fr_rewrite *rewrite, const char *component, const char *field,
                             firn_error *err)
{
    uint32_t group = fr_rewrite_group_find(rewrite, component, strlen(component));
    uint32_t raw = group == FR_NO_GROUP ? UINT32_MAX : rewrite->groups[group].raw;
    if (raw == UINT32_MAX) {
        return FIRN_OK;
    }
    fr_rewrite_entry *entry = &rewrite->entries[raw];
    const fr_schema *schema = &entry->saved->schema;
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const fr_schema_field *at = &schema->fields[i];
        if (at->type == FIRN_CHAR && at->count > 0 && at->name_size == strlen(field) &&
            memcmp(at->name, field, at->name_size) == 0) {
            entry->list_from = at->offset;
            entry->list_size = at->count;
        }
    }
    return entry->list_size > 0 ? note_rows(rewrite, entry, err) : FIRN_OK;
}
