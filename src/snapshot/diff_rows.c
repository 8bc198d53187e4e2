// Rows of two images by id: which stand for the same entity, and which of those are not the same
// bytes.
#include "snapshot/diff.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/utf8.h"

// Consecutive rows of a left frame whose entities stand in consecutive rows of a right one.
typedef struct row_run {
    uint32_t frames[2];
    uint32_t rows[2]; // in the frames
    uint32_t count;
} row_run;

static const fr_frame *diff_frame(const fr_diff *diff, int side, uint32_t frame)
{
    return &diff->images[side].image->frames[frame];
}

uint32_t fr_diff_frame_of(const fr_diff_image *side, uint32_t row)
{
    uint32_t low = 0, high = side->image->frame_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (side->first_rows[middle] <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// ---- entities that differ

static firn_result list_entity(fr_diff *diff, firn_entity id, uint32_t left, uint32_t right,
                               firn_error *err)
{
    if (!FR_RESERVE(&diff->allocator, diff->entities, diff->entity_capacity,
                    diff->entity_count + 1)) {
        return fr_fail_memory(err, "differences");
    }
    diff->entities[diff->entity_count++] = (fr_diff_entity){id, {left, right}};
    return FIRN_OK;
}

static bool frame_is_selected(const fr_diff *diff, int side, uint32_t frame)
{
    if (diff->options.components == NULL) {
        return true;
    }
    const fr_diff_image *image = &diff->images[side];
    const fr_frame *columns = &image->image->frames[frame];
    for (uint32_t i = 0; i < columns->column_count; i++) {
        uint32_t entry = image->image->spans[columns->first_column + i].entry;
        if (diff->names[image->names[entry]].selected) {
            return true;
        }
    }
    return false;
}

// ---- columns of two frames

firn_result fr_diff_pair_frames(fr_diff *diff, uint32_t left, uint32_t right, firn_error *err)
{
    if (diff->pairs != NULL && diff->paired[FR_LEFT] == left && diff->paired[FR_RIGHT] == right) {
        return FIRN_OK;
    }
    const fr_frame *frames[2] = {diff_frame(diff, FR_LEFT, left),
                                 diff_frame(diff, FR_RIGHT, right)};
    size_t need = (size_t)frames[FR_LEFT]->column_count + frames[FR_RIGHT]->column_count + 1;
    if (need > diff->pair_room) {
        fr_diff_pair *grown = fr_resize(&diff->allocator, diff->pairs, diff->pair_room, need,
                                        sizeof *grown, sizeof(void *));
        if (grown == NULL) {
            return fr_fail_memory(err, "columns");
        }
        diff->pairs = grown;
        diff->pair_room = need;
    }
    assert(diff->pairs != NULL); // one is needed at least
    uint32_t at[2] = {0, 0};
    diff->pair_count = 0;
    diff->paired[FR_LEFT] = left;
    diff->paired[FR_RIGHT] = right;
    for (;;) {
        uint32_t spans[2] = {FR_NO_COLUMN, FR_NO_COLUMN}, names[2] = {UINT32_MAX, UINT32_MAX};
        for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
            const fr_diff_image *image = &diff->images[side];
            if (at[side] < frames[side]->column_count) {
                spans[side] = image->columns[frames[side]->first_column + at[side]];
                names[side] = image->names[image->image->spans[spans[side]].entry];
            }
        }
        uint32_t name = names[FR_LEFT] < names[FR_RIGHT] ? names[FR_LEFT] : names[FR_RIGHT];
        if (name == UINT32_MAX) {
            return FIRN_OK;
        }
        fr_diff_pair *pair = &diff->pairs[diff->pair_count++];
        *pair = (fr_diff_pair){name, {FR_NO_COLUMN, FR_NO_COLUMN}};
        for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
            if (names[side] == name) {
                pair->spans[side] = spans[side];
                at[side]++;
            }
        }
    }
}

// ---- bytes of a run

static void mark_rows(fr_diff *diff, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        diff->dirty[i / 64] |= UINT64_C(1) << i % 64;
    }
}

static void compare_raw(fr_diff *diff, const row_run *rows, const fr_span *left,
                        const fr_span *right, size_t size)
{
    const uint8_t *a = left->bytes + rows->rows[FR_LEFT] * size;
    const uint8_t *b = right->bytes + rows->rows[FR_RIGHT] * size;
    uint32_t step = size < 4096 ? (uint32_t)(4096 / size) : 1;
    for (uint32_t i = 0; i < rows->count; i += step) {
        uint32_t n = rows->count - i < step ? rows->count - i : step;
        if (memcmp(a + i * size, b + i * size, n * size) == 0) {
            continue;
        }
        for (uint32_t k = i; k < i + n; k++) {
            if (memcmp(a + k * size, b + k * size, size) != 0) {
                mark_rows(diff, k, 1);
            }
        }
    }
}

static bool are_equal_columns(const row_run *rows, const fr_span *left, const fr_span *right)
{
    return rows->count == left->rows && rows->count == right->rows && left->size == right->size &&
           left->presence == NULL && right->presence == NULL &&
           (left->size == 0 || memcmp(left->bytes, right->bytes, left->size) == 0);
}

static firn_result compare_cells(fr_diff *diff, const row_run *rows, const fr_diff_pair *pair,
                                 firn_error *err)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        fr_diff_cell cells[2];
        for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
            if (!fr_diff_find_cell(diff, side, pair->spans[side], rows->rows[side] + i,
                                   &cells[side])) {
                return fr_fail_memory(err, "differences");
            }
        }
        if (!fr_diff_same_bytes(&cells[FR_LEFT], &cells[FR_RIGHT])) {
            mark_rows(diff, i, 1);
        }
    }
    return FIRN_OK;
}

static firn_result compare_column(fr_diff *diff, const row_run *rows, const fr_diff_pair *pair,
                                  firn_error *err)
{
    const fr_diff_name *name = &diff->names[pair->name];
    if (!name->selected) {
        return FIRN_OK;
    }
    if (pair->spans[FR_LEFT] == FR_NO_COLUMN || pair->spans[FR_RIGHT] == FR_NO_COLUMN ||
        !name->same_rows) {
        mark_rows(diff, 0, rows->count);
        return FIRN_OK;
    }
    const fr_span *left = &diff->images[FR_LEFT].image->spans[pair->spans[FR_LEFT]];
    const fr_span *right = &diff->images[FR_RIGHT].image->spans[pair->spans[FR_RIGHT]];
    if (are_equal_columns(rows, left, right)) {
        return FIRN_OK;
    }
    if (name->entries[FR_LEFT]->raw && left->presence == NULL && right->presence == NULL) {
        compare_raw(diff, rows, left, right, name->entries[FR_LEFT]->schema.size);
        return FIRN_OK;
    }
    return compare_cells(diff, rows, pair, err);
}

static firn_result compare_run(fr_diff *diff, const row_run *rows, firn_error *err)
{
    firn_result result =
        fr_diff_pair_frames(diff, rows->frames[FR_LEFT], rows->frames[FR_RIGHT], err);
    memset(diff->dirty, 0, ((size_t)rows->count / 64 + 1) * sizeof *diff->dirty);
    for (uint32_t i = 0; result == FIRN_OK && i < diff->pair_count; i++) {
        result = compare_column(diff, rows, &diff->pairs[i], err);
    }
    uint32_t first[2];
    for (int side = FR_LEFT; side <= FR_RIGHT; side++) {
        first[side] = diff->images[side].first_rows[rows->frames[side]] + rows->rows[side];
    }
    const fr_frame *frame = diff_frame(diff, FR_LEFT, rows->frames[FR_LEFT]);
    for (uint32_t i = 0; result == FIRN_OK && i < rows->count; i++) {
        uint64_t word = diff->dirty[i / 64];
        if (word == 0) {
            i |= 63;
        } else if ((word >> i % 64 & 1) != 0) {
            result = list_entity(diff, fr_frame_id(frame, rows->rows[FR_LEFT] + i),
                                 first[FR_LEFT] + i, first[FR_RIGHT] + i, err);
        }
    }
    return result;
}

// ---- where an entity stands on the right

static firn_result make_slots(fr_diff *diff, firn_error *err)
{
    const fr_diff_image *side = &diff->images[FR_RIGHT];
    diff->slot_room = (size_t)side->image->prelude.next_slot + 1;
    diff->slots =
        fr_alloc_zero(&diff->allocator, diff->slot_room, sizeof *diff->slots, sizeof(void *));
    if (diff->slots == NULL) {
        return fr_fail_memory(err, "slots");
    }
    for (uint32_t f = 0; f < side->image->frame_count; f++) {
        const fr_frame *frame = &side->image->frames[f];
        for (uint32_t i = 0; i < frame->rows; i++) {
            uint64_t slot = fr_frame_id(frame, i) & FIRN_SLOT_MAX;
            diff->slots[slot] = side->first_rows[f] + i + 1;
        }
    }
    return FIRN_OK;
}

static bool row_holds(const fr_diff *diff, uint32_t row, firn_entity id)
{
    const fr_diff_image *side = &diff->images[FR_RIGHT];
    if (row >= side->first_rows[side->image->frame_count]) {
        return false;
    }
    uint32_t frame = fr_diff_frame_of(side, row);
    return fr_frame_id(&side->image->frames[frame], row - side->first_rows[frame]) == id;
}

// What an entity of the left image is called on the right; 0: nobody is that entity.
static firn_entity right_id(const fr_diff *diff, firn_entity id)
{
    if (diff->renamed == NULL) {
        return id;
    }
    uint32_t at = fr_map_get(&diff->renamed_left, id);
    if (at != FR_MAP_NONE) {
        return diff->renamed[at].entity;
    }
    return fr_map_get(&diff->renamed_right, id) == FR_MAP_NONE ? id : 0;
}

// The row of an entity on the right, which most often is the one that is guessed.
static firn_result find_right(fr_diff *diff, firn_entity left, uint32_t guess, uint32_t *row,
                              firn_error *err)
{
    firn_entity id = right_id(diff, left);
    *row = guess;
    if (row_holds(diff, guess, id)) {
        return FIRN_OK;
    }
    firn_result result = diff->slots == NULL ? make_slots(diff, err) : FIRN_OK;
    uint64_t slot = id & FIRN_SLOT_MAX;
    *row = FR_NO_ROW;
    if (result == FIRN_OK && slot < diff->slot_room && diff->slots[slot] > 0 &&
        row_holds(diff, diff->slots[slot] - 1, id)) {
        *row = diff->slots[slot] - 1;
    }
    return result;
}

// ---- order

// Two frames with the same columns hold the entities of both in another order: tells so, once.
static firn_result tell_order(fr_diff *diff, uint32_t frame, firn_entity entity, firn_error *err)
{
    const fr_diff_image *side = &diff->images[FR_LEFT];
    const fr_frame *columns = &side->image->frames[frame];
    fr_diff_begin(diff, FIRN_DIFFERENCE_ORDER, "", 0);
    diff->at.entity = entity;
    for (uint32_t i = 0; i < columns->column_count; i++) {
        uint32_t span = side->columns[columns->first_column + i];
        const fr_entry *entry = &side->image->entries[side->image->spans[span].entry];
        char name[256];
        fr_path_text(&diff->path, i > 0 ? ", " : "");
        fr_path_text(&diff->path, fr_printable(name, sizeof name, entry->name, entry->name_size));
    }
    return fr_diff_tell_both(diff, err);
}

// ---- frames

// The right frame that has the columns of a left one; UINT32_MAX: none.
typedef struct frame_twins {
    fr_map map;
} frame_twins;

static uint64_t hash_columns(const fr_diff *diff, int side, uint32_t frame)
{
    const fr_diff_image *image = &diff->images[side];
    const fr_frame *columns = &image->image->frames[frame];
    uint64_t hash = columns->column_count;
    for (uint32_t i = 0; i < columns->column_count; i++) {
        uint32_t span = image->columns[columns->first_column + i];
        uint64_t name = image->names[image->image->spans[span].entry];
        hash = (hash ^ name) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

static firn_result find_twin(fr_diff *diff, const frame_twins *all, uint32_t frame, uint32_t *twin,
                             firn_error *err)
{
    uint32_t cursor = UINT32_MAX;
    uint64_t hash = hash_columns(diff, FR_LEFT, frame);
    while ((*twin = fr_map_next(&all->map, hash, &cursor)) != FR_MAP_NONE) {
        firn_result result = fr_diff_pair_frames(diff, frame, *twin, err);
        if (result != FIRN_OK) {
            return result;
        }
        uint32_t columns = diff_frame(diff, FR_LEFT, frame)->column_count;
        if (diff->pair_count == columns &&
            diff_frame(diff, FR_RIGHT, *twin)->column_count == columns) {
            return FIRN_OK;
        }
    }
    return FIRN_OK;
}

static void meet_rows(fr_diff *diff, uint32_t first, uint32_t count)
{
    for (uint32_t row = first; row < first + count; row++) {
        diff->met[row / 64] |= UINT64_C(1) << row % 64;
    }
}

// How many entities from two rows on are the same.
static uint32_t count_run(const fr_diff *diff, const fr_frame *left, uint32_t a,
                          const fr_frame *right, uint32_t b)
{
    uint32_t most = left->rows - a < right->rows - b ? left->rows - a : right->rows - b;
    uint32_t count = 0;
    while (count < most &&
           right_id(diff, fr_frame_id(left, a + count)) == fr_frame_id(right, b + count)) {
        count++;
    }
    return count;
}

static firn_result pair_rows(fr_diff *diff, uint32_t frame, uint32_t twin, firn_error *err)
{
    const fr_diff_image *images = diff->images;
    const fr_frame *left = diff_frame(diff, FR_LEFT, frame);
    uint32_t guess = twin == FR_MAP_NONE ? FR_NO_ROW : images[FR_RIGHT].first_rows[twin];
    uint32_t behind = 0; // the row of the twin behind those that were met in order
    bool ordered = !fr_diff_is_whole(diff) || diff->options.exclude != NULL;
    firn_result result = FIRN_OK;
    for (uint32_t row = 0; result == FIRN_OK && row < left->rows;) {
        uint32_t there;
        firn_entity id = fr_frame_id(left, row);
        result = find_right(diff, id, guess, &there, err);
        if (result == FIRN_OK && there == FR_NO_ROW) {
            if (frame_is_selected(diff, FR_LEFT, frame)) {
                result =
                    list_entity(diff, id, images[FR_LEFT].first_rows[frame] + row, FR_NO_ROW, err);
            }
            row++;
            continue;
        }
        if (result != FIRN_OK) {
            return result;
        }
        uint32_t other = fr_diff_frame_of(&images[FR_RIGHT], there);
        row_run rows = {{frame, other}, {row, there - images[FR_RIGHT].first_rows[other]}, 0};
        rows.count =
            count_run(diff, left, row, diff_frame(diff, FR_RIGHT, other), rows.rows[FR_RIGHT]);
        if (other == twin && rows.rows[FR_RIGHT] < behind && !ordered) {
            ordered = true;
            result = tell_order(diff, frame, id, err);
        }
        behind = other == twin ? rows.rows[FR_RIGHT] + rows.count : behind;
        meet_rows(diff, there, rows.count);
        if (result == FIRN_OK) {
            result = compare_run(diff, &rows, err);
        }
        row += rows.count;
        guess = there + rows.count;
    }
    return result;
}

// ---- all of it

static firn_result list_unmet(fr_diff *diff, firn_error *err)
{
    const fr_diff_image *side = &diff->images[FR_RIGHT];
    firn_result result = FIRN_OK;
    for (uint32_t f = 0; result == FIRN_OK && f < side->image->frame_count; f++) {
        const fr_frame *frame = &side->image->frames[f];
        bool selected = frame_is_selected(diff, FR_RIGHT, f);
        for (uint32_t i = 0; selected && result == FIRN_OK && i < frame->rows; i++) {
            uint32_t row = side->first_rows[f] + i;
            if ((diff->met[row / 64] >> row % 64 & 1) == 0) {
                result = list_entity(diff, fr_frame_id(frame, i), FR_NO_ROW, row, err);
            }
        }
    }
    return result;
}

static int compare_ids(const void *a, const void *b)
{
    const fr_diff_entity *left = a, *right = b;
    return (left->id > right->id) - (left->id < right->id);
}

static firn_result sort_entities(fr_diff *diff, firn_error *err)
{
    uint32_t count = diff->entity_count;
    if (count == 0) {
        return FIRN_OK;
    }
    diff->sorted = fr_alloc(&diff->allocator, count, sizeof *diff->sorted, sizeof(void *));
    if (diff->sorted == NULL) {
        return fr_fail_memory(err, "differences");
    }
    for (uint32_t i = 0; i < count; i++) {
        diff->sorted[i] = &diff->entities[i];
    }
    fr_sort((const void **)diff->sorted, count, compare_ids);
    return FIRN_OK;
}

static firn_result alloc_bits(fr_diff *diff, firn_error *err)
{
    const fr_diff_image *left = &diff->images[FR_LEFT], *right = &diff->images[FR_RIGHT];
    uint32_t most = 0;
    for (uint32_t i = 0; i < left->image->frame_count; i++) {
        most = left->image->frames[i].rows > most ? left->image->frames[i].rows : most;
    }
    diff->met_room = (size_t)right->first_rows[right->image->frame_count] / 64 + 1;
    diff->dirty_room = (size_t)most / 64 + 1;
    const firn_allocator *allocator = &diff->allocator;
    diff->met = fr_alloc_zero(allocator, diff->met_room, sizeof *diff->met, sizeof(uint64_t));
    diff->dirty = fr_alloc_zero(allocator, diff->dirty_room, sizeof *diff->dirty, sizeof(uint64_t));
    return diff->met != NULL && diff->dirty != NULL ? FIRN_OK : fr_fail_memory(err, "rows");
}

static firn_result make_twins(fr_diff *diff, frame_twins *all, firn_error *err)
{
    uint32_t count = diff->images[FR_RIGHT].image->frame_count;
    for (uint32_t i = count; i > 0; i--) {
        if (!fr_map_add(&diff->allocator, &all->map, hash_columns(diff, FR_RIGHT, i - 1), i - 1)) {
            return fr_fail_memory(err, "archetypes");
        }
    }
    return FIRN_OK;
}

firn_result fr_diff_rows(fr_diff *diff, firn_error *err)
{
    frame_twins all = {{0}};
    firn_result result = alloc_bits(diff, err);
    if (result == FIRN_OK) {
        result = make_twins(diff, &all, err);
    }
    uint32_t frames = diff->images[FR_LEFT].image->frame_count;
    for (uint32_t i = 0; result == FIRN_OK && i < frames; i++) {
        uint32_t twin;
        result = find_twin(diff, &all, i, &twin, err);
        if (result == FIRN_OK) {
            result = pair_rows(diff, i, twin, err);
        }
    }
    fr_map_free(&diff->allocator, &all.map);
    if (result == FIRN_OK) {
        result = list_unmet(diff, err);
    }
    return result == FIRN_OK ? sort_entities(diff, err) : result;
}

void fr_diff_rows_free(fr_diff *diff)
{
    const firn_allocator *allocator = &diff->allocator;
    fr_free(allocator, diff->pairs, diff->pair_room, sizeof *diff->pairs, sizeof(void *));
    if (diff->sorted != NULL) {
        fr_free(allocator, diff->sorted, diff->entity_count, sizeof *diff->sorted, sizeof(void *));
    }
    FR_ARRAY_FREE(allocator, diff->entities, diff->entity_capacity);
    fr_free(allocator, diff->slots, diff->slot_room, sizeof *diff->slots, sizeof(void *));
    fr_free(allocator, diff->met, diff->met_room, sizeof *diff->met, sizeof(uint64_t));
    fr_free(allocator, diff->dirty, diff->dirty_room, sizeof *diff->dirty, sizeof(uint64_t));
}
