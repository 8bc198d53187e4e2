// A component of another world, with everything that it owns copied.
#include "store/component.h"

#include "base/alloc.h"
#include "store/leaves.h"

#include <stdalign.h>
#include <string.h>

// A copy of an array; *good becomes false when there is no memory for it.
static void *copy_items(const firn_allocator *allocator, const void *items, size_t count,
                        size_t size, size_t align, bool *good)
{
    if (count == 0 || !*good) {
        return NULL;
    }
    void *copy = fr_alloc(allocator, count, size, align);
    *good = copy != NULL;
    return *good ? memcpy(copy, items, count * size) : NULL;
}

static char *copy_text(const firn_allocator *allocator, const char *text, bool *good)
{
    char *copy = *good ? fr_copy_text(allocator, text, strlen(text)) : NULL;
    *good = copy != NULL;
    return copy;
}

// Zeroed where it stops, so that it can be freed.
static char **copy_texts(const firn_allocator *allocator, char *const *texts, uint32_t count,
                         bool *good)
{
    if (count == 0 || !*good) {
        return NULL;
    }
    char **copies = fr_alloc_zero(allocator, count, sizeof(char *), alignof(char *));
    *good = copies != NULL;
    for (uint32_t i = 0; *good && i < count; i++) {
        copies[i] = copy_text(allocator, texts[i], good);
    }
    return copies;
}

static fr_leaf *copy_leaves(const firn_allocator *allocator, const fr_leaf *leaves, uint32_t count,
                            bool *good)
{
    if (count == 0 || !*good) {
        return NULL;
    }
    fr_leaf *copies = fr_alloc_zero(allocator, count, sizeof *copies, alignof(fr_leaf));
    *good = copies != NULL;
    for (uint32_t i = 0; *good && i < count; i++) {
        copies[i] = leaves[i];
        copies[i].former_names = NULL;
        copies[i].name = copy_text(allocator, leaves[i].name, good);
        copies[i].former_names =
            copy_texts(allocator, leaves[i].former_names, leaves[i].former_count, good);
    }
    return copies;
}

static bool copy_layout(const firn_allocator *allocator, const fr_layout *from, fr_layout *to)
{
    bool good = true;
    *to = *from;
    to->names = (fr_field_names){NULL, NULL, 0};
    to->leaves = copy_leaves(allocator, from->leaves, from->leaf_count, &good);
    to->runs =
        copy_items(allocator, from->runs, from->run_count, sizeof(fr_run), alignof(fr_run), &good);
    to->memory_holes = copy_items(allocator, from->memory_holes, from->memory_hole_count,
                                  sizeof(fr_hole), alignof(fr_hole), &good);
    to->wire_holes = copy_items(allocator, from->wire_holes, from->wire_hole_count, sizeof(fr_hole),
                                alignof(fr_hole), &good);
    to->bools = copy_items(allocator, from->bools, from->bool_count, sizeof(uint32_t),
                           alignof(uint32_t), &good);
    to->fingerprint =
        from->fingerprint == NULL ? NULL : copy_text(allocator, from->fingerprint, &good);
    return good && (from->leaf_count == 0 || fr_layout_index_names(allocator, to));
}

static bool copy_default(const firn_allocator *allocator, const fr_component *from,
                         fr_component *to)
{
    bool good = true;
    uint32_t size = fr_component_default_size(from);
    if (from->kind != FIRN_STRING && from->kind != FIRN_VALUE) {
        to->default_row = copy_items(allocator, from->default_row, size, 1, from->align, &good);
        return good;
    }
    // A blob of zeros owns nothing.
    to->default_row = fr_alloc_zero(allocator, size, 1, from->align);
    const fr_blob *blob = from->default_row;
    return to->default_row != NULL &&
           fr_blob_make(allocator, fr_blob_bytes(blob), blob->size, to->default_row);
}

static bool copy_parts(const firn_allocator *allocator, const fr_component *from, fr_component *to)
{
    bool good = true;
    to->name = copy_text(allocator, from->name, &good);
    to->former_names = copy_texts(allocator, from->former_names, from->former_count, &good);
    to->former_count = to->former_names == NULL ? 0 : from->former_count;
    to->required = copy_items(allocator, from->required, from->required_count, sizeof(uint32_t),
                              alignof(uint32_t), &good);
    return good && copy_layout(allocator, &from->layout, &to->layout) &&
           copy_default(allocator, from, to);
}

fr_component *fr_component_copy(const firn_allocator *allocator, const fr_component *from)
{
    fr_component *made = fr_alloc_zero(allocator, 1, sizeof *made, alignof(fr_component));
    if (made == NULL) {
        return NULL;
    }
    *made = (fr_component){
        .name_size = from->name_size,
        .kind = from->kind,
        .transient = from->transient,
        .has_codec = from->has_codec,
        .unique = from->unique,
        .raw = from->raw,
        .stride = from->stride,
        .align = from->align,
        .relation = from->relation,
        .edge_stride = from->edge_stride,
        .default_zero = from->default_zero,
        .codec = from->codec,
        .hooks = from->hooks,
        .check = from->check,
        .required_count = from->required_count,
        .required_capacity = from->required_count,
    };
    made->reverse.listed = from->reverse.listed;
    made->reverse.exclusive = from->reverse.exclusive;
    made->new_reverse = made->reverse;
    if (!copy_parts(allocator, from, made)) {
        fr_component_destroy(allocator, made);
        return NULL;
    }
    return made;
}
