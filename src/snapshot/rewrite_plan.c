// What the edits make of the names.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "snapshot/format.h"
#include "snapshot/rewrite.h"

// The group that has a name now, or NULL.
static fr_rewrite_group *group_now(const fr_rewrite *rewrite, const char *name)
{
    size_t size = strlen(name);
    for (uint32_t i = 0; i < rewrite->group_count; i++) {
        fr_rewrite_group *group = &rewrite->groups[i];
        if (!group->dropped && group->now_size == size && memcmp(group->now, name, size) == 0) {
            return group;
        }
    }
    return NULL;
}

static void note_edit(fr_rewrite *rewrite, fr_rewrite_group *group, uint32_t edit)
{
    if (group->first_edit == FR_NO_EDIT) {
        group->first_edit = edit;
    } else {
        rewrite->edit_next[group->last_edit] = edit;
    }
    group->last_edit = edit;
}

// ---- components

static firn_result plan_component(fr_rewrite *rewrite, fr_rewrite_group *group, uint32_t index,
                                  firn_error *err)
{
    const firn_edit *edit = &rewrite->edits[index];
    if (edit->kind == FIRN_DROP_COMPONENT) {
        group->dropped = true;
    } else if (group_now(rewrite, edit->to) != NULL) {
        return fr_fail(err, FIRN_EXISTS, edit->to,
                       "%s cannot be called %s: there is a component of that name", edit->component,
                       edit->to);
    } else {
        group->now = edit->to;
        group->now_size = (uint32_t)strlen(edit->to);
    }
    rewrite->effects[index].found = true;
    rewrite->effects[index].rows += group->rows;
    return FIRN_OK;
}

// ---- fields of raw rows

static void free_fields(fr_rewrite *rewrite, fr_rewrite_group *group)
{
    for (uint32_t i = 0; i < group->field_count; i++) {
        fr_free_text(&rewrite->allocator, group->fields[i].name);
    }
    FR_ARRAY_FREE(&rewrite->allocator, group->fields, group->field_capacity);
}

// The fields of the schema, so that they can change.
static bool take_raw_fields(fr_rewrite *rewrite, fr_rewrite_group *group, const fr_schema *schema)
{
    const firn_allocator *allocator = &rewrite->allocator;
    if (group->has_fields) {
        return true;
    }
    if (!FR_RESERVE(allocator, group->fields, group->field_capacity, schema->field_count)) {
        return false;
    }
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const fr_schema_field *field = &schema->fields[i];
        char *name = fr_copy_text(allocator, field->name, field->name_size);
        if (name == NULL) {
            return false;
        }
        group->fields[group->field_count++] = (fr_rewrite_field){i, field->name_size, name};
    }
    group->has_fields = true;
    return true;
}

// Whether a field that stays would be one with the new name, or one inside the other.
static bool is_field_taken(const fr_rewrite_group *group, const firn_edit *edit)
{
    size_t size = strlen(edit->field), to = strlen(edit->to);
    for (uint32_t i = 0; i < group->field_count; i++) {
        const fr_rewrite_field *field = &group->fields[i];
        bool moves = fr_rewrite_lies_in(field->name, field->name_size, edit->field, size);
        if (!moves && (fr_rewrite_lies_in(field->name, field->name_size, edit->to, to) ||
                       fr_rewrite_lies_in(edit->to, to, field->name, field->name_size))) {
            return true;
        }
    }
    return false;
}

static bool rename_raw_field(const fr_rewrite *rewrite, fr_rewrite_field *field,
                             const firn_edit *edit)
{
    size_t size = strlen(edit->field), to = strlen(edit->to), rest = field->name_size - size;
    char *name = fr_alloc(&rewrite->allocator, to + rest + 1, 1, 1);
    if (name == NULL) {
        return false;
    }
    memcpy(name, edit->to, to);
    memcpy(name + to, field->name + size, rest);
    name[to + rest] = '\0';
    fr_free_text(&rewrite->allocator, field->name);
    field->name = name;
    field->name_size = (uint32_t)(to + rest);
    return true;
}

static firn_result refuse_field_edit(const firn_edit *edit, firn_result code, const char *field,
                                     const char *why, firn_error *err)
{
    char name[256];
    (void)snprintf(name, sizeof name, "%s.%s", edit->component, field);
    return fr_fail(err, code, name, "%s %s", name, why);
}

// Fields that the edit names become others or go. *count: how many.
static firn_result change_fields(const fr_rewrite *rewrite, fr_rewrite_group *group,
                                 const firn_edit *edit, uint32_t *count, firn_error *err)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < group->field_count; i++) {
        fr_rewrite_field *field = &group->fields[i];
        bool moves =
            fr_rewrite_lies_in(field->name, field->name_size, edit->field, strlen(edit->field));
        *count += moves;
        if (moves && edit->kind == FIRN_DROP_FIELD) {
            fr_free_text(&rewrite->allocator, field->name);
            continue;
        }
        if (moves && !rename_raw_field(rewrite, field, edit)) {
            return fr_fail_memory(err, "fields");
        }
        if (field->name_size > rewrite->limits.name_bytes) {
            return refuse_field_edit(edit, FIRN_LIMIT, edit->to, "makes a name that is too long",
                                     err);
        }
        group->fields[left++] = *field;
    }
    group->field_count = left;
    return FIRN_OK;
}

// A name that is dropped makes room behind it: nothing may fail between.
static firn_result plan_raw_field(fr_rewrite *rewrite, fr_rewrite_group *group, uint32_t index,
                                  firn_error *err)
{
    const firn_edit *edit = &rewrite->edits[index];
    const fr_schema *schema = &rewrite->entries[group->raw].saved->schema;
    uint32_t count = 0;
    if (schema->field_count == 0) {
        return refuse_field_edit(
            edit, FIRN_INVALID, edit->field,
            "cannot be found: the fingerprint of the component is not understood", err);
    }
    if (!take_raw_fields(rewrite, group, schema)) {
        return fr_fail_memory(err, "fields");
    }
    if (edit->kind == FIRN_RENAME_FIELD && is_field_taken(group, edit)) {
        return refuse_field_edit(edit, FIRN_EXISTS, edit->to, "is there already", err);
    }
    firn_result result = change_fields(rewrite, group, edit, &count, err);
    if (result == FIRN_OK && group->field_count == 0) {
        return refuse_field_edit(edit, FIRN_INVALID, edit->field,
                                 "is all that the component has: drop that", err);
    }
    rewrite->effects[index].found |= count > 0;
    rewrite->effects[index].rows += count > 0 ? group->rows : 0;
    return result;
}

// ---- fields

static bool is_edge_key(const char *field)
{
    return fr_rewrite_lies_in(field, strlen(field), "target", 6) ||
           fr_rewrite_lies_in(field, strlen(field), "edges", 5);
}

static firn_result plan_field(fr_rewrite *rewrite, fr_rewrite_group *group, uint32_t index,
                              firn_error *err)
{
    const firn_edit *edit = &rewrite->edits[index];
    bool renames = edit->kind == FIRN_RENAME_FIELD;
    if (group->relation && (is_edge_key(edit->field) || (renames && is_edge_key(edit->to)))) {
        return refuse_field_edit(edit, FIRN_INVALID,
                                 is_edge_key(edit->field) ? edit->field : edit->to,
                                 "is no field: a relation has its targets there", err);
    }
    group->edits_fields = true;
    return group->raw == UINT32_MAX ? FIRN_OK : plan_raw_field(rewrite, group, index, err);
}

firn_result fr_rewrite_plan(fr_rewrite *rewrite, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < rewrite->edit_count; i++) {
        const firn_edit *edit = &rewrite->edits[i];
        fr_rewrite_group *group = group_now(rewrite, edit->component);
        if (group == NULL) {
            continue;
        }
        note_edit(rewrite, group, i);
        bool component = edit->kind == FIRN_RENAME_COMPONENT || edit->kind == FIRN_DROP_COMPONENT;
        result =
            component ? plan_component(rewrite, group, i, err) : plan_field(rewrite, group, i, err);
    }
    return result == FIRN_OK && rewrite->opened ? fr_rewrite_table(rewrite, err) : result;
}

void fr_rewrite_forget_names(fr_rewrite *rewrite)
{
    for (uint32_t i = 0; i < rewrite->group_count; i++) {
        free_fields(rewrite, &rewrite->groups[i]);
    }
    FR_ARRAY_FREE(&rewrite->allocator, rewrite->groups, rewrite->group_capacity);
    fr_map_free(&rewrite->allocator, &rewrite->group_of);
}
