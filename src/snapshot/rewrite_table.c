// The component table that is written, and the layout of raw rows.
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "snapshot/rewrite.h"

// ---- raw rows

// Bytes that lie behind those of the last step on both sides belong to it.
static bool add_step(const fr_rewrite *rewrite, fr_rewrite_entry *entry, fr_rewrite_step step)
{
    fr_rewrite_step *last = entry->step_count > 0 ? &entry->steps[entry->step_count - 1] : NULL;
    if (last != NULL && last->from + last->size == step.from && last->to + last->size == step.to) {
        last->size += step.size;
        return true;
    }
    if (!FR_RESERVE(&rewrite->allocator, entry->steps, entry->step_capacity,
                    entry->step_count + 1)) {
        return false;
    }
    assert(entry->steps != NULL);
    entry->steps[entry->step_count++] = step;
    return true;
}

static bool add_field_text(firn_buffer *texts, const char *name, size_t name_size,
                           const fr_schema_field *field, bool first)
{
    char type[48];
    int size = field->count > 0
                   ? snprintf(type, sizeof type, ":%s[%u]", fr_type_text(field->type), field->count)
                   : snprintf(type, sizeof type, ":%s", fr_type_text(field->type));
    return (first || firn_buffer_append(texts, ",", 1, NULL) == FIRN_OK) &&
           firn_buffer_append(texts, name, name_size, NULL) == FIRN_OK &&
           firn_buffer_append(texts, type, (size_t)size, NULL) == FIRN_OK;
}

// Where the fields that stay lie, one behind the other at their natural places.
static bool lay_out_fields(fr_rewrite *rewrite, fr_rewrite_entry *entry)
{
    const fr_rewrite_group *group = &rewrite->groups[entry->group];
    const fr_schema *schema = &entry->saved->schema;
    uint32_t count = group->has_fields ? group->field_count : schema->field_count;
    uint32_t end = 0, widest = 1, list = entry->list_size;
    entry->list_size = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t source = group->has_fields ? group->fields[i].source : i;
        const fr_schema_field *field = &schema->fields[source];
        uint32_t element = fr_type_size(field->type);
        uint32_t size = element * (field->count > 0 ? field->count : 1);
        uint32_t to = (end + element - 1) / element * element;
        const char *name = group->has_fields ? group->fields[i].name : field->name;
        size_t name_size = group->has_fields ? group->fields[i].name_size : field->name_size;
        if (!add_step(rewrite, entry, (fr_rewrite_step){field->offset, to, size}) ||
            !add_field_text(&rewrite->texts, name, name_size, field, i == 0)) {
            return false;
        }
        if (list > 0 && field->offset == entry->list_from) {
            entry->list_to = to;
            entry->list_size = list;
        }
        end = to + size;
        widest = element > widest ? element : widest;
    }
    entry->row_size = (end + widest - 1) / widest * widest;
    char size[16];
    int digits = snprintf(size, sizeof size, "|%u", entry->row_size);
    return firn_buffer_append(&rewrite->texts, size, (size_t)digits, NULL) == FIRN_OK;
}

static firn_result lay_out_rows(fr_rewrite *rewrite, fr_rewrite_entry *entry, firn_error *err)
{
    const fr_entry *saved = entry->saved;
    size_t at = rewrite->texts.size;
    if (saved->schema.field_count > 0) {
        if (!lay_out_fields(rewrite, entry)) {
            return fr_fail_memory(err, "component table");
        }
        entry->fingerprint_size = (uint32_t)(rewrite->texts.size - at);
        entry->fingerprint_at = at;
        return FIRN_OK;
    }
    entry->row_size = saved->schema.size;
    bool memory = add_step(rewrite, entry, (fr_rewrite_step){0, 0, saved->schema.size}) &&
                  firn_buffer_append(&rewrite->texts, saved->fingerprint, saved->fingerprint_size,
                                     NULL) == FIRN_OK;
    entry->fingerprint_at = at;
    entry->fingerprint_size = saved->fingerprint_size;
    return memory ? FIRN_OK : fr_fail_memory(err, "component table");
}

// ---- names

// The name of an entry as it is now, among the texts.
static bool name_entry(fr_rewrite *rewrite, fr_rewrite_entry *entry)
{
    const fr_rewrite_group *group = &rewrite->groups[entry->group];
    char digits[32];
    const char *suffix = entry->saved->name + group->name_size;
    size_t size = entry->saved->name_size - group->name_size;
    if (entry->target != 0) {
        size = (size_t)snprintf(digits, sizeof digits, FR_ARROW "%llu",
                                (unsigned long long)entry->target);
        suffix = digits;
    }
    entry->name_at = rewrite->texts.size;
    entry->name_size = group->now_size + (uint32_t)size;
    entry->base_size = entry->target != 0 ? group->now_size : entry->name_size;
    return firn_buffer_append(&rewrite->texts, group->now, group->now_size, NULL) == FIRN_OK &&
           firn_buffer_append(&rewrite->texts, suffix, size, NULL) == FIRN_OK;
}

static firn_result make_entry(fr_rewrite *rewrite, fr_rewrite_entry *entry, firn_error *err)
{
    if (!name_entry(rewrite, entry)) {
        return fr_fail_memory(err, "component table");
    }
    if (entry->name_size > rewrite->limits.name_bytes) {
        const fr_rewrite_group *group = &rewrite->groups[entry->group];
        char name[256];
        fr_printable(name, sizeof name, group->now, group->now_size);
        return fr_fail(err, FIRN_LIMIT, name,
                       "%s and a target make a name of %u bytes, above the limit %u", name,
                       entry->name_size, rewrite->limits.name_bytes);
    }
    return entry->saved->raw ? lay_out_rows(rewrite, entry, err) : FIRN_OK;
}

// ---- order

static int compare_bases(const fr_rewrite_entry *a, const fr_rewrite_entry *b)
{
    return fr_compare_names(a->name, a->base_size, b->name, b->base_size);
}

static int compare_table(const void *a, const void *b)
{
    const fr_rewrite_entry *left = a, *right = b;
    int order = compare_bases(left, right);
    return order != 0 ? order : (left->target > right->target) - (left->target < right->target);
}

static firn_result sort_written_table(fr_rewrite *rewrite, firn_error *err)
{
    fr_sort((const void **)rewrite->table, rewrite->table_count, compare_table);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < rewrite->table_count; i++) {
        const fr_rewrite_entry *before = i > 0 ? rewrite->table[i - 1] : NULL;
        fr_rewrite_entry *entry = &rewrite->entries[rewrite->table[i] - rewrite->entries];
        if (before != NULL && compare_table(before, entry) == 0) {
            char name[256];
            fr_printable(name, sizeof name, entry->name, entry->name_size);
            return fr_fail_at(err, FIRN_EXISTS, entry->saved->offset, name,
                              "two components would be called %s", name);
        }
        rank += before != NULL && compare_bases(before, entry) != 0;
        entry->rank = rank;
        entry->place = i + 1;
    }
    return FIRN_OK;
}

firn_result fr_rewrite_table(fr_rewrite *rewrite, firn_error *err)
{
    uint32_t count = rewrite->image.prelude.component_count;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        fr_rewrite_entry *entry = &rewrite->entries[i];
        if (!rewrite->groups[entry->group].dropped) {
            rewrite->table[rewrite->table_count++] = entry;
            result = make_entry(rewrite, entry, err);
        }
    }
    for (uint32_t i = 0; result == FIRN_OK && i < rewrite->table_count; i++) {
        fr_rewrite_entry *entry = &rewrite->entries[rewrite->table[i] - rewrite->entries];
        entry->name = (const char *)rewrite->texts.data + entry->name_at;
        entry->fingerprint = (const char *)rewrite->texts.data + entry->fingerprint_at;
    }
    return result == FIRN_OK ? sort_written_table(rewrite, err) : result;
}

// ---- what the image has

// The part of a name that names the relation, or all of it.
static size_t base_of_name(const char *name, size_t size)
{
    size_t base = size, arrows = 0;
    for (size_t i = 0; i + 1 < size; i++) {
        if (memcmp(name + i, FR_ARROW, 2) == 0) {
            base = i;
            arrows++;
        }
    }
    return arrows == 1 && base > 0 ? base : size;
}

static uint64_t rows_of_entry(const fr_rewrite_entry *entry, const fr_image *image)
{
    uint64_t rows = entry->saved->rows;
    for (uint32_t i = entry->saved->first_column; i != FR_NO_COLUMN; i = image->spans[i].next) {
        rows -= entry->nils_stay ? image->spans[i].absent : image->spans[i].nils;
    }
    return rows;
}

// Some writers have nil for a tag: what is nil everywhere may be one.
static bool nils_may_be_tags(const fr_image *image, const fr_entry *saved)
{
    uint64_t nils = 0;
    for (uint32_t i = saved->first_column; i != FR_NO_COLUMN; i = image->spans[i].next) {
        nils += image->spans[i].nils;
    }
    return !saved->raw && nils == saved->rows;
}

static bool describe_saved(fr_rewrite *rewrite, uint32_t index, const fr_form *form)
{
    const fr_image *image = &rewrite->image;
    const fr_entry *saved = &image->entries[index];
    fr_rewrite_entry *entry = &rewrite->entries[index];
    size_t base = base_of_name(saved->name, saved->name_size);
    *entry = (fr_rewrite_entry){.saved = saved,
                                .group = fr_rewrite_group_make(rewrite, saved->name, base),
                                .last = form->tag || form->sparse,
                                .sparse = form->sparse,
                                .nils_stay = nils_may_be_tags(image, saved)};
    if (entry->group == FR_NO_GROUP) {
        return false;
    }
    fr_rewrite_group *group = &rewrite->groups[entry->group];
    if (base < saved->name_size) {
        size_t digits = base + strlen(FR_ARROW);
        entry->target =
            fr_target_of_entry(image, saved, saved->name + digits, saved->name_size - digits);
    }
    group->relation = group->relation || base < saved->name_size || form->sparse;
    group->raw = saved->raw ? index : group->raw;
    group->rows += rows_of_entry(entry, image);
    return true;
}

static bool describe_all(fr_rewrite *rewrite, fr_form *forms)
{
    uint32_t count = rewrite->image.prelude.component_count;
    for (uint32_t i = 0; i < count; i++) {
        forms[i] = (fr_form){.known = false};
    }
    fr_forms_find(&rewrite->image, forms);
    bool memory = true;
    for (uint32_t i = 0; memory && i < count; i++) {
        memory = describe_saved(rewrite, i, &forms[i]);
    }
    return memory;
}

firn_result fr_rewrite_describe(fr_rewrite *rewrite, firn_error *err)
{
    const firn_allocator *allocator = &rewrite->allocator;
    size_t count = (size_t)rewrite->image.prelude.component_count + 1;
    fr_form *forms = fr_alloc(allocator, count, sizeof *forms, 1);
    rewrite->entries = fr_alloc_zero(allocator, count, sizeof *rewrite->entries, sizeof(void *));
    rewrite->table = fr_alloc(allocator, count, sizeof *rewrite->table, sizeof(void *));
    bool memory = forms != NULL && rewrite->entries != NULL && rewrite->table != NULL &&
                  describe_all(rewrite, forms);
    fr_free(allocator, forms, count, sizeof *forms, 1);
    return memory ? FIRN_OK : fr_fail_memory(err, "component table");
}

void fr_rewrite_forget_table(fr_rewrite *rewrite)
{
    const firn_allocator *allocator = &rewrite->allocator;
    size_t count = (size_t)rewrite->image.prelude.component_count + 1;
    for (uint32_t i = 0; rewrite->entries != NULL && i + 1 < count; i++) {
        FR_ARRAY_FREE(allocator, rewrite->entries[i].steps, rewrite->entries[i].step_capacity);
    }
    fr_free(allocator, rewrite->table, count, sizeof *rewrite->table, sizeof(void *));
    fr_free(allocator, rewrite->entries, count, sizeof *rewrite->entries, sizeof(void *));
}
