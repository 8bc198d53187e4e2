// Frames as pieces: what rows lack columns are taken out, so that in a piece all have all.
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/sort.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/image_rows.h"
#include "snapshot/rewrite.h"

// ---- pieces

static const fr_rewrite_entry *entry_of_span(const fr_rewrite *rewrite, const fr_span *span)
{
    return &rewrite->entries[span->entry];
}

// Room for a piece of so many columns at most.
static bool reserve_piece(fr_rewrite *rewrite, uint32_t columns)
{
    const firn_allocator *allocator = &rewrite->allocator;
    return FR_RESERVE(allocator, rewrite->pieces, rewrite->piece_capacity,
                      rewrite->piece_count + 1) &&
           FR_RESERVE(allocator, rewrite->runs, rewrite->run_capacity,
                      rewrite->run_count + columns) &&
           FR_RESERVE(allocator, rewrite->names, rewrite->name_capacity,
                      rewrite->run_count + columns);
}

static fr_rewrite_piece *begin_piece(fr_rewrite *rewrite, uint32_t rows, const uint8_t *ids)
{
    fr_rewrite_piece *piece = &rewrite->pieces[rewrite->piece_count];
    *piece = (fr_rewrite_piece){.number = rewrite->piece_count++,
                                .rows = rows,
                                .ids = ids,
                                .first_run = rewrite->run_count};
    return piece;
}

static void add_piece_run(fr_rewrite *rewrite, fr_rewrite_piece *piece,
                          const fr_rewrite_entry *entry, const uint8_t *bytes, size_t size)
{
    rewrite->runs[rewrite->run_count++] = (fr_rewrite_run){entry, bytes, size};
    piece->run_count++;
    piece->by_row = piece->by_row || entry->sparse;
}

static bool add_whole_frame(fr_rewrite *rewrite, const fr_frame *frame)
{
    if (!reserve_piece(rewrite, frame->column_count)) {
        return false;
    }
    fr_rewrite_piece *piece = begin_piece(rewrite, frame->rows, frame->ids);
    for (uint32_t i = 0; i < frame->column_count; i++) {
        const fr_span *span = &rewrite->image.spans[frame->first_column + i];
        const fr_rewrite_entry *entry = entry_of_span(rewrite, span);
        if (entry->place != 0) {
            add_piece_run(rewrite, piece, entry, span->bytes, span->size);
        }
    }
    return true;
}

// ---- frames of which some rows lack columns

// What the cells of a column of a part come to, then where the next one goes.
typedef union split_column {
    size_t size;
    uint8_t *at;
} split_column;

// Rows that lack the same columns.
typedef struct split_part {
    uint32_t rows;
    uint8_t *ids; // where the next one goes
} split_part;

typedef struct frame_split {
    fr_rewrite *rewrite;
    const fr_frame *frame;
    uint32_t *part_of; // per row
    split_part *parts;
    uint8_t *has;          // per part: a byte for each column
    split_column *columns; // per part
    fr_map by_hash;        // of the bytes of `has`
    uint32_t count, capacity, has_capacity, column_capacity;
} frame_split;

// Columns of which some row has nothing to write.
static bool is_holed(const fr_rewrite *rewrite, const fr_span *span)
{
    const fr_rewrite_entry *entry = entry_of_span(rewrite, span);
    return entry->place != 0 && (entry->nils_stay ? span->absent : span->nils) > 0;
}

static bool keeps_cell(const fr_rewrite *rewrite, const fr_cell *cell, uint32_t row)
{
    const fr_rewrite_entry *entry = entry_of_span(rewrite, cell->span);
    return entry->place != 0 && fr_span_has(cell->span, row) &&
           (entry->saved->raw || entry->nils_stay ||
            fr_value_tag(cell->at, cell->at + cell->size) != FR_TAG_NIL);
}

static split_column *columns_of_part(const frame_split *split, uint32_t part)
{
    return &split->columns[(size_t)part * split->frame->column_count];
}

// The part of rows that have these columns. FR_MAP_NONE: no memory.
static uint32_t find_split_part(frame_split *split, const uint8_t *has)
{
    const firn_allocator *allocator = &split->rewrite->allocator;
    uint32_t columns = split->frame->column_count, cursor = UINT32_MAX, part;
    uint64_t hash = fr_hash(has, columns);
    while ((part = fr_map_next(&split->by_hash, hash, &cursor)) != FR_MAP_NONE) {
        if (memcmp(split->has + (size_t)part * columns, has, columns) == 0) {
            return part;
        }
    }
    part = split->count;
    size_t cells = ((size_t)part + 1) * columns;
    if (cells > UINT32_MAX ||
        !FR_RESERVE(allocator, split->has, split->has_capacity, (uint32_t)cells) ||
        !FR_RESERVE(allocator, split->columns, split->column_capacity, (uint32_t)cells) ||
        !FR_RESERVE(allocator, split->parts, split->capacity, part + 1) ||
        !fr_map_add(allocator, &split->by_hash, hash, part)) {
        return FR_MAP_NONE;
    }
    memcpy(split->has + cells - columns, has, columns);
    split->parts[split->count++] = (split_part){.rows = 0};
    for (uint32_t i = 0; i < columns; i++) {
        columns_of_part(split, part)[i].size = 0;
    }
    return part;
}

// Which part each row belongs to, and what the columns of the parts come to. *bytes: of all.
static bool measure_parts(frame_split *split, fr_rows *rows, uint8_t *has, size_t *bytes)
{
    uint32_t columns = split->frame->column_count;
    *bytes = (size_t)split->frame->rows * FR_ID_BYTES;
    for (uint32_t row = 0; fr_rows_next(rows); row++) {
        for (uint32_t i = 0; i < columns; i++) {
            has[i] = keeps_cell(split->rewrite, &rows->cells[i], row);
        }
        uint32_t part = find_split_part(split, has);
        if (part == FR_MAP_NONE) {
            return false;
        }
        split->part_of[row] = part;
        split->parts[part].rows++;
        for (uint32_t i = 0; i < columns; i++) {
            size_t size = has[i] ? rows->cells[i].size : 0;
            columns_of_part(split, part)[i].size += size;
            *bytes += size;
        }
    }
    return true;
}

// Gives ids and columns of the parts their places in a block, and makes pieces of them.
static bool place_parts(frame_split *split, uint8_t *block)
{
    fr_rewrite *rewrite = split->rewrite;
    uint32_t columns = split->frame->column_count;
    for (uint32_t part = 0; part < split->count; part++) {
        if (!reserve_piece(rewrite, columns)) {
            return false;
        }
        split->parts[part].ids = block;
        fr_rewrite_piece *piece = begin_piece(rewrite, split->parts[part].rows, block);
        block += (size_t)split->parts[part].rows * FR_ID_BYTES;
        for (uint32_t i = 0; i < columns; i++) {
            const fr_span *span = &rewrite->image.spans[split->frame->first_column + i];
            split_column *column = &columns_of_part(split, part)[i];
            size_t size = column->size;
            if (split->has[(size_t)part * columns + i] != 0) {
                add_piece_run(rewrite, piece, entry_of_span(rewrite, span), block, size);
            }
            column->at = block;
            block += size;
        }
    }
    return true;
}

static void fill_parts(frame_split *split, fr_rows *rows)
{
    uint32_t columns = split->frame->column_count;
    assert(split->parts != NULL);
    for (uint32_t row = 0; fr_rows_next(rows); row++) {
        uint32_t part = split->part_of[row];
        memcpy(split->parts[part].ids, split->frame->ids + (size_t)row * FR_ID_BYTES, FR_ID_BYTES);
        split->parts[part].ids += FR_ID_BYTES;
        for (uint32_t i = 0; i < columns; i++) {
            split_column *column = &columns_of_part(split, part)[i];
            if (split->has[(size_t)part * columns + i] != 0) {
                memcpy(column->at, rows->cells[i].at, rows->cells[i].size);
                column->at += rows->cells[i].size;
            }
        }
    }
}

static firn_result add_block(fr_rewrite *rewrite, size_t size, firn_error *err)
{
    const firn_allocator *allocator = &rewrite->allocator;
    if (!FR_RESERVE(allocator, rewrite->blocks, rewrite->block_capacity,
                    rewrite->block_count + 1)) {
        return fr_fail_memory(err, "rows");
    }
    uint8_t *bytes = fr_alloc(allocator, size, 1, sizeof(uint64_t));
    if (bytes == NULL) {
        return fr_fail_memory(err, "rows");
    }
    rewrite->blocks[rewrite->block_count++] = (fr_rewrite_block){bytes, size};
    return FIRN_OK;
}

static firn_result split_rows(frame_split *split, uint8_t *has, firn_error *err)
{
    fr_rewrite *rewrite = split->rewrite;
    size_t bytes = 0;
    fr_rows rows;
    firn_result result = fr_rows_begin(&rows, &rewrite->image, split->frame, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (!measure_parts(split, &rows, has, &bytes)) {
        result = fr_fail_memory(err, "rows");
    }
    fr_rows_end(&rows);
    if (result == FIRN_OK) {
        result = add_block(rewrite, bytes, err);
    }
    if (result == FIRN_OK && !place_parts(split, rewrite->blocks[rewrite->block_count - 1].bytes)) {
        result = fr_fail_memory(err, "rows");
    }
    if (result == FIRN_OK) {
        result = fr_rows_begin(&rows, &rewrite->image, split->frame, err);
    }
    if (result == FIRN_OK) {
        fill_parts(split, &rows);
        fr_rows_end(&rows);
    }
    return result;
}

static firn_result split_frame(fr_rewrite *rewrite, const fr_frame *frame, firn_error *err)
{
    const firn_allocator *allocator = &rewrite->allocator;
    frame_split split = {.rewrite = rewrite, .frame = frame};
    uint8_t *has = fr_alloc(allocator, frame->column_count, 1, 1);
    split.part_of = fr_alloc(allocator, frame->rows, sizeof *split.part_of, sizeof(uint32_t));
    firn_result result = has != NULL && split.part_of != NULL ? split_rows(&split, has, err)
                                                              : fr_fail_memory(err, "rows");
    fr_free(allocator, has, frame->column_count, 1, 1);
    fr_free(allocator, split.part_of, frame->rows, sizeof *split.part_of, sizeof(uint32_t));
    FR_ARRAY_FREE(allocator, split.has, split.has_capacity);
    FR_ARRAY_FREE(allocator, split.columns, split.column_capacity);
    FR_ARRAY_FREE(allocator, split.parts, split.capacity);
    fr_map_free(allocator, &split.by_hash);
    return result;
}

static firn_result take_frame(fr_rewrite *rewrite, const fr_frame *frame, firn_error *err)
{
    bool holed = false;
    for (uint32_t i = 0; i < frame->column_count; i++) {
        holed = holed || is_holed(rewrite, &rewrite->image.spans[frame->first_column + i]);
    }
    if (frame->rows == 0) {
        return FIRN_OK;
    }
    if (holed) {
        return split_frame(rewrite, frame, err);
    }
    return add_whole_frame(rewrite, frame) ? FIRN_OK : fr_fail_memory(err, "frames");
}

// ---- order

// Data first, then tags and sparse relations, both by name.
static int compare_runs(const void *a, const void *b)
{
    const fr_rewrite_entry *left = ((const fr_rewrite_run *)a)->entry;
    const fr_rewrite_entry *right = ((const fr_rewrite_run *)b)->entry;
    int order = (int)left->last - (int)right->last;
    return order != 0 ? order : (left->place > right->place) - (left->place < right->place);
}

// As the components of an entity are compared: names, and, where they are equal, slots of targets.
static int compare_targets_of(const fr_rewrite_entry *a, const fr_rewrite_entry *b)
{
    uint64_t left = a->target & FIRN_SLOT_MAX, right = b->target & FIRN_SLOT_MAX;
    if (left == right) {
        left = a->target;
        right = b->target;
    }
    return (left > right) - (left < right);
}

static int compare_named(const void *a, const void *b)
{
    const fr_rewrite_entry *left = a, *right = b;
    int order = (left->rank > right->rank) - (left->rank < right->rank);
    return order != 0 ? order : compare_targets_of(left, right);
}

// Puts the columns of a piece in order. `copy` and `pointers` have room for them.
static void sort_runs(fr_rewrite *rewrite, fr_rewrite_piece *piece, fr_rewrite_run *copy,
                      const void **pointers)
{
    if (piece->run_count == 0) { // there may be none at all
        return;
    }
    fr_rewrite_run *runs = &rewrite->runs[piece->first_run];
    const fr_rewrite_entry **names = &rewrite->names[piece->first_run];
    for (uint32_t i = 0; i < piece->run_count; i++) {
        copy[i] = runs[i];
        pointers[i] = &copy[i];
        names[i] = runs[i].entry;
    }
    fr_sort(pointers, piece->run_count, compare_runs);
    for (uint32_t i = 0; i < piece->run_count; i++) {
        runs[i] = *(const fr_rewrite_run *)pointers[i];
    }
    fr_sort((const void **)names, piece->run_count, compare_named);
    piece->runs = runs;
    piece->names = names;
}

static firn_result sort_all_runs(fr_rewrite *rewrite, firn_error *err)
{
    const firn_allocator *allocator = &rewrite->allocator;
    size_t most = 1;
    for (uint32_t i = 0; i < rewrite->piece_count; i++) {
        most = rewrite->pieces[i].run_count > most ? rewrite->pieces[i].run_count : most;
    }
    fr_rewrite_run *copy = fr_alloc(allocator, most, sizeof *copy, sizeof(void *));
    const void **pointers = fr_alloc(allocator, most, sizeof *pointers, sizeof(void *));
    bool memory = copy != NULL && pointers != NULL;
    for (uint32_t i = 0; memory && i < rewrite->piece_count; i++) {
        sort_runs(rewrite, &rewrite->pieces[i], copy, pointers);
    }
    fr_free(allocator, copy, most, sizeof *copy, sizeof(void *));
    fr_free(allocator, pointers, most, sizeof *pointers, sizeof(void *));
    return memory ? FIRN_OK : fr_fail_memory(err, "columns");
}

// Frames stand in the order of the names of their components; targets count behind all names.
static int compare_columns(const fr_rewrite_piece *a, const fr_rewrite_piece *b)
{
    uint32_t count = a->run_count < b->run_count ? a->run_count : b->run_count;
    int order = 0;
    for (uint32_t i = 0; order == 0 && i < count; i++) {
        uint32_t left = a->names[i]->rank, right = b->names[i]->rank;
        order = (left > right) - (left < right);
    }
    if (order == 0) {
        order = (a->run_count > b->run_count) - (a->run_count < b->run_count);
    }
    for (uint32_t i = 0; order == 0 && i < count; i++) {
        order = compare_targets_of(a->names[i], b->names[i]);
    }
    return order;
}

static int compare_pieces(const void *a, const void *b)
{
    const fr_rewrite_piece *left = a, *right = b;
    int order = compare_columns(left, right);
    return order != 0 ? order : (left->number > right->number) - (left->number < right->number);
}

static firn_result sort_pieces(fr_rewrite *rewrite, firn_error *err)
{
    size_t count = rewrite->piece_count;
    if (count == 0) {
        return FIRN_OK;
    }
    rewrite->sorted = fr_alloc(&rewrite->allocator, count, sizeof *rewrite->sorted, sizeof(void *));
    if (rewrite->sorted == NULL) {
        return fr_fail_memory(err, "frames");
    }
    for (uint32_t i = 0; i < count; i++) {
        rewrite->sorted[i] = &rewrite->pieces[i];
    }
    fr_sort((const void **)rewrite->sorted, count, compare_pieces);
    for (uint32_t i = 0; i < count; i++) {
        bool first = i == 0 || compare_columns(rewrite->sorted[i - 1], rewrite->sorted[i]) != 0;
        rewrite->frame_count += first;
        rewrite->pieces[rewrite->sorted[i]->number].first = first;
    }
    return FIRN_OK;
}

// ---- the whole

firn_result fr_rewrite_pieces(fr_rewrite *rewrite, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < rewrite->image.frame_count; i++) {
        result = take_frame(rewrite, &rewrite->image.frames[i], err);
    }
    if (result == FIRN_OK) {
        result = sort_all_runs(rewrite, err);
    }
    return result == FIRN_OK ? sort_pieces(rewrite, err) : result;
}

void fr_rewrite_forget_pieces(fr_rewrite *rewrite)
{
    const firn_allocator *allocator = &rewrite->allocator;
    for (uint32_t i = 0; i < rewrite->block_count; i++) {
        fr_free(allocator, rewrite->blocks[i].bytes, rewrite->blocks[i].size, 1, sizeof(uint64_t));
    }
    FR_ARRAY_FREE(allocator, rewrite->blocks, rewrite->block_capacity);
    fr_free(allocator, rewrite->sorted, rewrite->sorted != NULL ? rewrite->piece_count : 0,
            sizeof *rewrite->sorted, sizeof(void *));
    FR_ARRAY_FREE(allocator, rewrite->pieces, rewrite->piece_capacity);
    FR_ARRAY_FREE(allocator, rewrite->runs, rewrite->run_capacity);
    FR_ARRAY_FREE(allocator, rewrite->names, rewrite->name_capacity);
}
