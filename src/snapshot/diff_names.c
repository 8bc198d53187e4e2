// The components of two images in one numbering, in the order of names.
#include "snapshot/diff.h"

#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "snapshot/format.h"
#include "store/kept.h"

// ---- which are compared

// A name, or that of the relation in front of an arrow.
static bool entry_is_named(const fr_entry *entry, const char *name)
{
    size_t size = strlen(name);
    if (entry->name_size < size || memcmp(entry->name, name, size) != 0) {
        return false;
    }
    return entry->name_size == size ||
           (fr_target_digits(entry->name, entry->name_size) > 0 &&
            memcmp(entry->name + size, FR_ARROW, strlen(FR_ARROW)) == 0);
}

static bool is_listed(const fr_entry *entry, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (entry_is_named(entry, names[i])) {
            return true;
        }
    }
    return false;
}

static bool is_selected(const firn_diff_options *options, const fr_entry *entry)
{
    return (options->components == NULL ||
            is_listed(entry, options->components, options->component_count)) &&
           !is_listed(entry, options->exclude, options->exclude_count);
}

// ---- what their bytes mean

static bool schemas_match(const fr_schema *a, const fr_schema *b)
{
    if (a->field_count != b->field_count || a->size != b->size) {
        return false;
    }
    for (uint32_t i = 0; i < a->field_count; i++) {
        const fr_schema_field *left = &a->fields[i], *right = &b->fields[i];
        if (left->name_size != right->name_size ||
            memcmp(left->name, right->name, left->name_size) != 0 ||
            fr_type_plain(left->type) != fr_type_plain(right->type) ||
            left->count != right->count || left->offset != right->offset) {
            return false;
        }
    }
    return true;
}

static bool rows_mean_the_same(const fr_entry *a, const fr_entry *b)
{
    if (!a->raw || !b->raw) {
        return a->raw == b->raw;
    }
    if (fr_entry_is_opaque(a) || fr_entry_is_opaque(b)) {
        return a->fingerprint_size == b->fingerprint_size &&
               memcmp(a->fingerprint, b->fingerprint, a->fingerprint_size) == 0;
    }
    return schemas_match(&a->schema, &b->schema);
}

// ---- numbering

static void add_name(fr_diff *diff, const fr_entry *left, const fr_entry *right)
{
    uint32_t number = diff->name_count++;
    diff->names[number] = (fr_diff_name){
        .entries = {left, right},
        .selected = is_selected(&diff->options, left != NULL ? left : right),
        .same_rows = left != NULL && right != NULL && rows_mean_the_same(left, right)};
    for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
        const fr_entry *entry = diff->names[number].entries[side];
        if (entry != NULL) {
            fr_diff_image *image = &diff->images[side];
            image->names[entry - image->image->entries] = number;
        }
    }
}

static void merge_names(fr_diff *diff)
{
    const fr_image *left = diff->images[FR_LEFT].image, *right = diff->images[FR_RIGHT].image;
    uint32_t a = 0, b = 0;
    while (a < left->prelude.component_count || b < right->prelude.component_count) {
        int order = a == left->prelude.component_count ? 1
                    : b == right->prelude.component_count
                        ? -1
                        : fr_compare_entries(left->by_name[a], right->by_name[b]);
        add_name(diff, order <= 0 ? left->by_name[a] : NULL, order >= 0 ? right->by_name[b] : NULL);
        a += order <= 0;
        b += order >= 0;
    }
}

uint32_t fr_diff_name_find(const fr_diff_image *side, const char *name)
{
    const fr_image *image = side->image;
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        const fr_entry *entry = &image->entries[i];
        if (entry->name_size == strlen(name) && memcmp(entry->name, name, entry->name_size) == 0) {
            return side->names[i];
        }
    }
    return FR_NO_COLUMN;
}

// ---- frames

static uint32_t name_of_span(const fr_diff_image *side, uint32_t span)
{
    return side->names[side->image->spans[span].entry];
}

// A frame has few columns, and firn writes most of them in order.
static void sort_columns(const fr_diff_image *side, uint32_t *columns, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t span = columns[i], at = i;
        uint32_t name = name_of_span(side, span);
        for (; at > 0 && name_of_span(side, columns[at - 1]) > name; at--) {
            columns[at] = columns[at - 1];
        }
        columns[at] = span;
    }
}

static bool alloc_side(const fr_diff *diff, fr_diff_image *side)
{
    const fr_image *image = side->image;
    const firn_allocator *allocator = &diff->allocator;
    size_t entries = (size_t)image->prelude.component_count + 1;
    size_t frames = (size_t)image->frame_count + 1, spans = (size_t)image->span_count + 1;
    side->names = fr_alloc(allocator, entries, sizeof *side->names, sizeof(void *));
    side->first_rows = fr_alloc(allocator, frames, sizeof *side->first_rows, sizeof(void *));
    side->columns = fr_alloc(allocator, spans, sizeof *side->columns, sizeof(void *));
    side->cursors = fr_alloc_zero(allocator, spans, sizeof *side->cursors, sizeof(void *));
    return side->names != NULL && side->first_rows != NULL && side->columns != NULL &&
           side->cursors != NULL;
}

static void number_rows(fr_diff_image *side)
{
    const fr_image *image = side->image;
    uint32_t row = 0;
    for (uint32_t i = 0; i < image->frame_count; i++) {
        const fr_frame *frame = &image->frames[i];
        side->first_rows[i] = row;
        row += frame->rows;
        uint32_t *columns = side->columns + frame->first_column;
        for (uint32_t k = 0; k < frame->column_count; k++) {
            columns[k] = frame->first_column + k;
        }
        sort_columns(side, columns, frame->column_count);
    }
    side->first_rows[image->frame_count] = row;
}

firn_result fr_diff_names_make(fr_diff *diff, firn_error *err)
{
    diff->name_room = 1;
    for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
        if (!alloc_side(diff, &diff->images[side])) {
            return fr_fail_memory(err, "components");
        }
        diff->name_room += diff->images[side].image->prelude.component_count;
    }
    diff->names = fr_alloc(&diff->allocator, diff->name_room, sizeof *diff->names, sizeof(void *));
    if (diff->names == NULL) {
        return fr_fail_memory(err, "components");
    }
    merge_names(diff);
    for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
        fr_diff_image *image = &diff->images[side];
        number_rows(image);
        image->key = fr_diff_name_find(image, "Key");
        image->title = fr_diff_name_find(image, "Name");
        image->persist = fr_diff_name_find(image, "persist");
    }
    return FIRN_OK;
}

static void free_side(const fr_diff *diff, fr_diff_image *side)
{
    const fr_image *image = side->image;
    const firn_allocator *allocator = &diff->allocator;
    size_t entries = (size_t)image->prelude.component_count + 1;
    size_t frames = (size_t)image->frame_count + 1, spans = (size_t)image->span_count + 1;
    for (uint32_t i = 0; side->cursors != NULL && i < image->span_count; i++) {
        fr_free(allocator, side->cursors[i].marks, (size_t)image->spans[i].rows / FR_MARK_ROWS + 1,
                sizeof(size_t), sizeof(void *));
    }
    fr_free(allocator, side->names, entries, sizeof *side->names, sizeof(void *));
    fr_free(allocator, side->first_rows, frames, sizeof *side->first_rows, sizeof(void *));
    fr_free(allocator, side->columns, spans, sizeof *side->columns, sizeof(void *));
    fr_free(allocator, side->cursors, spans, sizeof *side->cursors, sizeof(void *));
}

void fr_diff_names_free(fr_diff *diff)
{
    for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
        free_side(diff, &diff->images[side]);
    }
    fr_free(&diff->allocator, diff->names, diff->name_room, sizeof *diff->names, sizeof(void *));
}
