#include "store/layout.h"

#include "base/alloc.h"
#include "base/error.h"
#include "store/leaves.h"

#include <assert.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

// What making a layout carries.
typedef struct layout_making {
    const firn_allocator *allocator;
    const firn_component_desc *desc;
    const firn_limits *limits;
    firn_error *err;
    fr_layout *layout;
    uint8_t *covered; // a bit for each byte of a row in memory
} layout_making;

static size_t covered_bytes(const fr_layout *layout)
{
    return ((size_t)layout->memory_size + 7) / 8;
}

static bool is_covered(const layout_making *making, uint32_t byte)
{
    return (making->covered[byte / 8] >> (byte % 8) & 1) != 0;
}

static firn_result fail_leaf(const layout_making *making, firn_result code, const char *name,
                             const char *message)
{
    char subject[FR_FIELD_SUBJECT_BYTES];
    fr_field_subject(subject, making->desc->name, name);
    return fr_fail(making->err, code, subject, "%s", message);
}

static firn_result fail_overlap(const layout_making *making, const fr_leaf *leaf)
{
    const fr_leaf *other = making->layout->leaves;
    while (other->memory_offset + fr_leaf_size(other) <= leaf->memory_offset ||
           leaf->memory_offset + fr_leaf_size(leaf) <= other->memory_offset) {
        other++;
    }
    char message[400];
    snprintf(message, sizeof message,
             "the field at offset %" PRIu32 " overlaps \"%s\", %" PRIu32
             " bytes at offset %" PRIu32,
             leaf->memory_offset, other->name, fr_leaf_size(other), other->memory_offset);
    return fail_leaf(making, FIRN_INVALID, leaf->name, message);
}

// Marks the bytes of every leaf, each of which may have one owner.
static firn_result cover_leaves(const layout_making *making)
{
    const fr_layout *layout = making->layout;
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        const fr_leaf *leaf = &layout->leaves[i];
        uint32_t end = leaf->memory_offset + fr_leaf_size(leaf);
        assert(end <= layout->memory_size);
        for (uint32_t at = leaf->memory_offset; at < end; at++) {
            if (is_covered(making, at)) {
                return fail_overlap(making, leaf);
            }
            making->covered[at / 8] = (uint8_t)(making->covered[at / 8] | 1u << at % 8);
        }
    }
    return FIRN_OK;
}

static bool list_names(const firn_allocator *allocator, fr_layout *layout)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        count += 1 + layout->leaves[i].former_count;
    }
    if (!fr_field_names_alloc(allocator, &layout->names, count)) {
        return false;
    }
    fr_field_name *item = layout->names.items;
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        const fr_leaf *leaf = &layout->leaves[i];
        *item++ = (fr_field_name){leaf->name, leaf->name_size, i, false};
        for (uint32_t f = 0; f < leaf->former_count; f++) {
            const char *former = leaf->former_names[f];
            *item++ = (fr_field_name){former, (uint32_t)strlen(former), i, true};
        }
    }
    return true;
}

bool fr_layout_index_names(const firn_allocator *allocator, fr_layout *layout)
{
    const fr_field_name *a;
    const fr_field_name *b;
    if (!list_names(allocator, layout)) {
        return false;
    }
    (void)fr_field_names_sort(&layout->names, &a, &b);
    return true;
}

static firn_result make_names(const layout_making *making)
{
    fr_layout *layout = making->layout;
    if (!list_names(making->allocator, layout)) {
        return fr_fail_memory(making->err, "field names");
    }
    const fr_field_name *a;
    const fr_field_name *b;
    if (fr_field_names_sort(&layout->names, &a, &b)) {
        return FIRN_OK;
    }
    const fr_field_name *blamed = a->former ? a : b;
    char message[400];
    snprintf(message, sizeof message,
             blamed->former
                 ? "the former name \"%.*s\" is the name or a former name of another field too"
                 : "the name \"%.*s\" stands twice",
             (int)blamed->size, blamed->bytes);
    return fail_leaf(making, FIRN_INVALID, layout->leaves[blamed->field].name, message);
}

static bool has_pointer(const fr_layout *layout)
{
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        if (layout->leaves[i].type == FIRN_POINTER) {
            return true;
        }
    }
    return false;
}

static firn_result make_bools(const layout_making *making)
{
    fr_layout *layout = making->layout;
    uint32_t count = 0;
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        count += layout->leaves[i].type == FIRN_BOOL;
    }
    if (count == 0) {
        return FIRN_OK;
    }
    layout->bools = fr_alloc(making->allocator, count, sizeof *layout->bools, alignof(uint32_t));
    if (layout->bools == NULL) {
        return fr_fail_memory(making->err, "fields");
    }
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        if (layout->leaves[i].type == FIRN_BOOL) {
            layout->bools[layout->bool_count++] = i;
        }
    }
    return FIRN_OK;
}

// Gives every leaf its place on the wire.
static firn_result place_on_wire(const layout_making *making)
{
    fr_layout *layout = making->layout;
    uint64_t end = 0;
    uint32_t widest = 1;
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        fr_leaf *leaf = &layout->leaves[i];
        uint32_t align = fr_type_size(leaf->type);
        end = (end + align - 1) / align * align;
        leaf->wire_offset = (uint32_t)end;
        end += fr_leaf_size(leaf);
        widest = align > widest ? align : widest;
    }
    end = (end + widest - 1) / widest * widest;
    if (end > making->limits->string_bytes || end > UINT32_MAX) {
        return fr_fail(making->err, FIRN_LIMIT, making->desc->name,
                       "a saved row of the component \"%s\" has %" PRIu64
                       " bytes, more than the limit string_bytes, %" PRIu64,
                       making->desc->name, end, making->limits->string_bytes);
    }
    layout->wire_size = (uint32_t)end;
    return FIRN_OK;
}

// Whether a leaf stands right behind a run in memory and on the wire, and may be copied with it.
static bool run_takes(const fr_run *run, const fr_leaf *leaf)
{
    uint32_t bytes = run->size * run->count;
    return run->memory_offset + bytes == leaf->memory_offset &&
           run->wire_offset + bytes == leaf->wire_offset &&
           (!FR_BIG_ENDIAN || run->size == fr_type_size(leaf->type));
}

// Writes the runs of a layout to `runs` (NULL: only counts them) and returns how many they are.
static uint32_t find_runs(const fr_layout *layout, fr_run *runs)
{
    uint32_t count = 0;
    fr_run run = {0, 0, 0, 0};
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        const fr_leaf *leaf = &layout->leaves[i];
        uint32_t size = fr_type_size(leaf->type);
        uint32_t elements = fr_leaf_size(leaf) / size;
        if (count > 0 && run_takes(&run, leaf)) {
            if (FR_BIG_ENDIAN) {
                run.count += elements;
            } else {
                run.size += size * elements;
            }
        } else {
            count++;
            run = (fr_run){leaf->memory_offset, leaf->wire_offset, size, elements};
            if (!FR_BIG_ENDIAN) {
                run.size *= elements;
                run.count = 1;
            }
        }
        if (runs != NULL) {
            runs[count - 1] = run;
        }
    }
    return count;
}

static uint32_t find_wire_holes(const fr_layout *layout, fr_hole *holes)
{
    uint32_t count = 0;
    uint32_t end = 0;
    for (uint32_t i = 0; i <= layout->leaf_count; i++) {
        bool last = i == layout->leaf_count;
        uint32_t next = last ? layout->wire_size : layout->leaves[i].wire_offset;
        if (next > end) {
            if (holes != NULL) {
                holes[count] = (fr_hole){end, next - end};
            }
            count++;
        }
        end = last ? next : next + fr_leaf_size(&layout->leaves[i]);
    }
    return count;
}

static uint32_t find_memory_holes(const layout_making *making, fr_hole *holes)
{
    uint32_t count = 0;
    uint32_t size = making->layout->memory_size;
    for (uint32_t at = 0; at < size; at++) {
        if (is_covered(making, at)) {
            continue;
        }
        uint32_t begin = at;
        while (at < size && !is_covered(making, at)) {
            at++;
        }
        if (holes != NULL) {
            holes[count] = (fr_hole){begin, at - begin};
        }
        count++;
    }
    return count;
}

static bool has_same_shape(const fr_layout *layout)
{
    bool same = layout->memory_size == layout->wire_size;
    for (uint32_t i = 0; i < layout->leaf_count && same; i++) {
        const fr_leaf *leaf = &layout->leaves[i];
        same = leaf->memory_offset == leaf->wire_offset &&
               (!FR_BIG_ENDIAN || fr_type_size(leaf->type) == 1);
    }
    return same;
}

// Allocates `need` holes, when there are any, and sets *count.
static bool alloc_holes(const layout_making *making, fr_hole **holes, uint32_t *count,
                        uint32_t need)
{
    if (need > 0) {
        *holes = fr_alloc(making->allocator, need, sizeof(fr_hole), alignof(fr_hole));
        *count = *holes == NULL ? 0 : need;
    }
    return *count == need;
}

static firn_result make_plan(const layout_making *making)
{
    fr_layout *layout = making->layout;
    firn_result result = place_on_wire(making);
    if (result != FIRN_OK) {
        return result;
    }
    uint32_t runs = find_runs(layout, NULL);
    layout->runs = fr_alloc(making->allocator, runs, sizeof(fr_run), alignof(fr_run));
    layout->run_count = layout->runs == NULL ? 0 : runs;
    if (layout->runs == NULL ||
        !alloc_holes(making, &layout->wire_holes, &layout->wire_hole_count,
                     find_wire_holes(layout, NULL)) ||
        !alloc_holes(making, &layout->memory_holes, &layout->memory_hole_count,
                     find_memory_holes(making, NULL))) {
        return fr_fail_memory(making->err, "a layout");
    }
    find_runs(layout, layout->runs);
    find_wire_holes(layout, layout->wire_holes);
    find_memory_holes(making, layout->memory_holes);
    layout->same_shape = has_same_shape(layout);
    layout->direct = layout->same_shape && layout->wire_hole_count == 0;
    return FIRN_OK;
}

// Appends to text that is known to fit; with text NULL only counts.
static size_t put_text(char *text, size_t at, const char *piece, size_t size)
{
    if (text != NULL) {
        memcpy(text + at, piece, size);
    }
    return at + size;
}

// Writes the fingerprint without its final 0, and returns its length.
static size_t put_fingerprint(const fr_layout *layout, char *text)
{
    size_t at = 0;
    char number[16];
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        const fr_leaf *leaf = &layout->leaves[i];
        const char *type = fr_type_text(leaf->type);
        at = put_text(text, at, ",", i > 0);
        at = put_text(text, at, leaf->name, leaf->name_size);
        at = put_text(text, at, ":", 1);
        at = put_text(text, at, type, strlen(type));
        if (leaf->count > 0) {
            int size = snprintf(number, sizeof number, "[%" PRIu32 "]", leaf->count);
            at = put_text(text, at, number, (size_t)size);
        }
    }
    int size = snprintf(number, sizeof number, "|%" PRIu32, layout->wire_size);
    return put_text(text, at, number, (size_t)size);
}

static firn_result make_fingerprint(const layout_making *making)
{
    fr_layout *layout = making->layout;
    size_t size = layout->wire ? put_fingerprint(layout, NULL) : 0;
    if (size > making->limits->string_bytes) {
        return fr_fail(making->err, FIRN_LIMIT, making->desc->name,
                       "the fingerprint of the component \"%s\" has %zu bytes, more than the limit "
                       "string_bytes, %" PRIu64,
                       making->desc->name, size, making->limits->string_bytes);
    }
    layout->fingerprint = fr_alloc(making->allocator, size + 1, 1, 1);
    if (layout->fingerprint == NULL) {
        return fr_fail_memory(making->err, "a fingerprint");
    }
    if (layout->wire) {
        put_fingerprint(layout, layout->fingerprint);
    }
    layout->fingerprint[size] = 0;
    return FIRN_OK;
}

static firn_result make_parts(const layout_making *making)
{
    fr_layout *layout = making->layout;
    firn_result result = cover_leaves(making);
    if (result == FIRN_OK) {
        result = make_names(making);
    }
    if (result == FIRN_OK) {
        result = make_bools(making);
    }
    layout->wire = !has_pointer(layout);
    if (result == FIRN_OK && layout->wire) {
        result = make_plan(making);
    }
    return result == FIRN_OK ? make_fingerprint(making) : result;
}

firn_result fr_layout_make(const firn_allocator *allocator, const firn_component_desc *desc,
                           const firn_limits *limits, fr_layout *out, firn_error *err)
{
    fr_layout layout;
    memset(&layout, 0, sizeof layout);
    firn_result result = fr_leaves_make(allocator, desc, limits, &layout.leaves, &layout.leaf_count,
                                        &layout.memory_align, err);
    if (result != FIRN_OK) {
        return result;
    }
    layout.memory_size = (uint32_t)desc->size;
    layout_making making = {allocator, desc, limits, err, &layout, NULL};
    making.covered = fr_alloc_zero(allocator, covered_bytes(&layout), 1, 1);
    if (making.covered == NULL) {
        fr_layout_free(allocator, &layout);
        return fr_fail_memory(err, "a layout");
    }
    result = make_parts(&making);
    fr_free(allocator, making.covered, covered_bytes(&layout), 1, 1);
    if (result != FIRN_OK) {
        fr_layout_free(allocator, &layout);
        return result;
    }
    *out = layout;
    return FIRN_OK;
}

void fr_layout_free(const firn_allocator *allocator, fr_layout *layout)
{
    fr_leaves_free(allocator, layout->leaves, layout->leaf_count);
    fr_free(allocator, layout->runs, layout->run_count, sizeof(fr_run), alignof(fr_run));
    fr_free(allocator, layout->memory_holes, layout->memory_hole_count, sizeof(fr_hole),
            alignof(fr_hole));
    fr_free(allocator, layout->wire_holes, layout->wire_hole_count, sizeof(fr_hole),
            alignof(fr_hole));
    fr_free(allocator, layout->bools, layout->bool_count, sizeof(uint32_t), alignof(uint32_t));
    fr_field_names_free(allocator, &layout->names);
    fr_free_text(allocator, layout->fingerprint);
    memset(layout, 0, sizeof *layout);
}

static bool leaf_equal(const fr_leaf *a, const fr_leaf *b)
{
    if (strcmp(a->name, b->name) != 0 || a->type != b->type || a->count != b->count ||
        a->memory_offset != b->memory_offset || a->former_count != b->former_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->former_count; i++) {
        if (strcmp(a->former_names[i], b->former_names[i]) != 0) {
            return false;
        }
    }
    return true;
}

bool fr_layout_equal(const fr_layout *a, const fr_layout *b)
{
    if (a->leaf_count != b->leaf_count || a->memory_size != b->memory_size ||
        a->memory_align != b->memory_align) {
        return false;
    }
    for (uint32_t i = 0; i < a->leaf_count; i++) {
        if (!leaf_equal(&a->leaves[i], &b->leaves[i])) {
            return false;
        }
    }
    return true;
}
