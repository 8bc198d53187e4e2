// The rows of an archetype: growing, filling, moving, dropping.
#include "base/alloc.h"
#include "store/relation.h"
#include "store/unique.h"

#include <assert.h>
#include <string.h>

void *fr_column_alloc(const firn_allocator *allocator, uint32_t stride, uint32_t capacity)
{
    if (stride == 0 || capacity == 0) {
        return NULL;
    }
    return fr_alloc(allocator, capacity, stride, FR_CACHE_LINE);
}

void fr_column_free(const firn_allocator *allocator, void *data, uint32_t stride, uint32_t capacity)
{
    fr_free(allocator, data, capacity, stride, FR_CACHE_LINE);
}

// ---------------------------------------------------------------- moving

static void move_column_rows(const fr_archetype *archetype, const fr_column *column, void *to,
                             void *from, uint32_t n)
{
    if ((column->needs & FR_NEEDS_MOVE) != 0) {
        fr_world_move_rows(archetype->world, column->component, to, from, n);
    } else {
        memcpy(to, from, (size_t)n * column->stride);
    }
}

// One row that has no move hook, of the usual sizes without a call.
static void copy_row(uint8_t *to, const uint8_t *from, uint32_t stride)
{
    switch (stride) {
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    case 12:
        memcpy(to, from, 12);
        break;
    case 16:
        memcpy(to, from, 16);
        break;
    default:
        memcpy(to, from, stride);
        break;
    }
}

static void move_row(const fr_archetype *archetype, const fr_column *column, uint8_t *to,
                     uint8_t *from)
{
    if ((column->needs & FR_NEEDS_MOVE) != 0) {
        fr_world_move_rows(archetype->world, column->component, to, from, 1);
    } else {
        copy_row(to, from, column->stride);
    }
}

static uint8_t *row_of(const fr_column *column, uint32_t row)
{
    return column->data + (size_t)row * column->stride;
}

// ---------------------------------------------------------------- growing

static void free_grown(const firn_allocator *allocator, fr_archetype *archetype, uint32_t end,
                       uint32_t capacity)
{
    for (uint32_t i = 0; i < end; i++) {
        fr_column *column = &archetype->columns[i];
        fr_column_free(allocator, column->grown, column->stride, capacity);
    }
}

static bool alloc_grown(const firn_allocator *allocator, fr_archetype *archetype, uint32_t capacity)
{
    for (uint32_t i = 0; i < archetype->column_count; i++) {
        fr_column *column = &archetype->columns[i];
        column->grown = fr_column_alloc(allocator, column->stride, capacity);
        if (column->grown == NULL) {
            free_grown(allocator, archetype, i, capacity);
            return false;
        }
    }
    return true;
}

bool fr_archetype_reserve(const firn_allocator *allocator, fr_archetype *archetype, uint32_t rows)
{
    if (rows <= archetype->capacity) {
        return true;
    }
    uint32_t capacity = (uint32_t)fr_next_capacity(archetype->capacity, rows, 16);
    if (!alloc_grown(allocator, archetype, capacity)) {
        return false;
    }
    firn_entity *entities = fr_column_alloc(allocator, sizeof *entities, capacity);
    if (entities == NULL) {
        free_grown(allocator, archetype, archetype->column_count, capacity);
        return false;
    }
    uint32_t count = archetype->count;
    for (uint32_t i = 0; i < archetype->column_count; i++) {
        fr_column *column = &archetype->columns[i];
        if (count > 0) {
            move_column_rows(archetype, column, column->grown, column->data, count);
        }
        fr_column_free(allocator, column->data, column->stride, archetype->capacity);
        column->data = column->grown;
    }
    if (count > 0) {
        memcpy(entities, archetype->entities, count * sizeof *entities);
    }
    fr_column_free(allocator, archetype->entities, sizeof *entities, archetype->capacity);
    archetype->entities = entities;
    archetype->capacity = capacity;
    return true;
}

// ---------------------------------------------------------------- going

// Whether a sorted list of terms has `key`; *at walks along with rising keys. NULL: never.
static bool walk_terms(const fr_archetype *archetype, fr_term key, uint32_t *at)
{
    if (archetype == NULL) {
        return false;
    }
    while (*at < archetype->term_count && archetype->terms[*at] < key) {
        ++*at;
    }
    return *at < archetype->term_count && archetype->terms[*at] == key;
}

void fr_archetype_run_drops(const firn_world *world, fr_archetype *archetype,
                            const fr_archetype *keep, uint32_t first, uint32_t n)
{
    if ((archetype->needs & FR_NEEDS_DROP) == 0 || n == 0) {
        return;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        const fr_component *component = archetype->components[i];
        if (component->hooks.drop != NULL && !walk_terms(keep, archetype->terms[i], &at)) {
            fr_world_run_hook(world, component->hooks.drop, component, archetype, first, n);
        }
    }
}

void fr_archetype_free_blobs(const firn_allocator *allocator, fr_archetype *archetype,
                             const fr_archetype *keep, uint32_t first, uint32_t n)
{
    if ((archetype->needs & (FR_NEEDS_FREE | FR_NEEDS_EDGES)) == 0 || n == 0) {
        return;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < archetype->column_count; i++) {
        const fr_column *column = &archetype->columns[i];
        if ((column->needs & FR_NEEDS_FREE) != 0 && !walk_terms(keep, column->key, &at)) {
            fr_blob *blobs = (fr_blob *)(void *)column->data + first;
            if (column->component->unique) {
                fr_unique_leave(column->component, archetype->entities + first, blobs, n);
            }
            fr_blob_free(allocator, blobs, n);
            // A move hook that runs before the row is closed may still look at it.
            memset(blobs, 0, n * sizeof *blobs);
        }
        if ((column->needs & FR_NEEDS_EDGES) != 0 && !walk_terms(keep, column->key, &at)) {
            fr_edges *rows = (fr_edges *)(void *)column->data + first;
            fr_edges_free(allocator, column->component, rows, n);
        }
    }
}

firn_entity fr_archetype_take_out(fr_archetype *archetype, uint32_t row)
{
    assert(row < archetype->count);
    uint32_t last = --archetype->count;
    if (row == last) {
        return 0;
    }
    for (uint32_t i = 0; i < archetype->column_count; i++) {
        const fr_column *column = &archetype->columns[i];
        move_row(archetype, column, row_of(column, row), row_of(column, last));
    }
    archetype->entities[row] = archetype->entities[last];
    return archetype->entities[row];
}

// ---------------------------------------------------------------- one archetype against another

// Frees the blobs that fr_archetype_fill wrote to the columns before `end`.
static void unfill_rows(const firn_allocator *allocator, fr_archetype *archetype,
                        const fr_archetype *base, uint32_t given, uint32_t first, uint32_t n,
                        uint32_t end)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < end; i++) {
        fr_column *column = &archetype->columns[i];
        if ((column->needs & FR_NEEDS_FREE) != 0 && !walk_terms(base, column->key, &at) &&
            column->component->index != given) {
            fr_blob_free(allocator, (fr_blob *)(void *)column->data + first, n);
        }
    }
}

bool fr_archetype_fill(const firn_allocator *allocator, fr_archetype *archetype,
                       const fr_archetype *base, uint32_t given, uint32_t first, uint32_t n)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < archetype->column_count; i++) {
        fr_column *column = &archetype->columns[i];
        if (walk_terms(base, column->key, &at) || column->component->index == given) {
            continue;
        }
        uint8_t *rows = row_of(column, first);
        if (n == 1 && (column->needs & FR_NEEDS_FREE) == 0) {
            copy_row(rows, column->component->default_row, column->stride);
        } else if (!fr_component_fill(allocator, column->component, rows, n)) {
            unfill_rows(allocator, archetype, base, given, first, n, i);
            return false;
        }
    }
    return true;
}

void fr_archetype_move_common(fr_archetype *from, uint32_t row, fr_archetype *to, uint32_t to_row)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < from->column_count; i++) {
        const fr_column *column = &from->columns[i];
        while (at < to->column_count && to->columns[at].key < column->key) {
            at++;
        }
        if (at < to->column_count && to->columns[at].key == column->key) {
            move_row(from, column, row_of(&to->columns[at], to_row), row_of(column, row));
        }
    }
}

void fr_archetype_init_rows(fr_archetype *archetype, const fr_archetype *base, uint32_t given,
                            uint32_t first, uint32_t n)
{
    if ((archetype->needs & FR_NEEDS_INIT) == 0 || n == 0) {
        return;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        const fr_component *component = archetype->components[i];
        if (component->hooks.init != NULL && component->index != given &&
            !walk_terms(base, archetype->terms[i], &at)) {
            fr_world_run_hook(archetype->world, component->hooks.init, component, archetype, first,
                              n);
        }
    }
}
