// The order of the sources of a target, where frames and rows give another one than before. Which
// relations list their sources no image says: the order of all of them is kept.
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/sort.h"
#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "snapshot/image_rows.h"
#include "snapshot/image_write.h"
#include "snapshot/order_list.h"
#include "snapshot/rewrite.h"

// A source of a target.
typedef struct order_item {
    uint32_t group;
    uint32_t name_size; // of the relation, as it is now
    const char *name;
    firn_entity target, source;
    uint64_t before; // its place among the sources of the target
    uint32_t after;  // its row in what is written
    bool outer;      // the target is not in the image
} order_item;

typedef struct order_work {
    fr_rewrite *rewrite;
    order_item *listed; // what the lists of the image say
    uint32_t listed_count, listed_capacity;
    order_item *edges; // what the rows say
    uint32_t edge_count, edge_capacity;
    const order_item **sorted;
    uint32_t sorted_count;
    fr_map by_edge; // hash of an edge -> place in `listed`
    fr_map seen;    // hash of a target that has a list, and has edges -> 0
    fr_map rows;    // id -> its row in what is written
} order_work;

static uint64_t hash_of_edge(uint32_t group, firn_entity target, firn_entity source)
{
    const uint64_t words[] = {group, target, source};
    return fr_hash(words, sizeof words);
}

static order_item make_item(const order_work *work, uint32_t group, firn_entity target,
                            firn_entity source)
{
    const fr_rewrite_group *of = &work->rewrite->groups[group];
    return (order_item){.group = group,
                        .name = of->now,
                        .name_size = of->now_size,
                        .target = target,
                        .source = source};
}

// ---- lists of the image

static bool add_listed_sources(order_work *work, uint32_t group, const fr_order_list *list,
                               bool outer)
{
    const firn_allocator *allocator = &work->rewrite->allocator;
    const firn_entity *sources = (const firn_entity *)(const void *)list->sources->data;
    uint32_t count = (uint32_t)(list->sources->size / sizeof *sources);
    firn_entity target = (firn_entity)list->target;
    if (!FR_RESERVE(allocator, work->listed, work->listed_capacity, work->listed_count + count) ||
        !fr_map_reserve(allocator, &work->by_edge, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        order_item item = make_item(work, group, target, sources[i]);
        item.before = i;
        item.outer = outer;
        (void)fr_map_add(allocator, &work->by_edge, hash_of_edge(group, target, sources[i]),
                         work->listed_count);
        work->listed[work->listed_count++] = item;
    }
    return true;
}

static firn_result take_order_list(order_work *work, firn_reader *reader, fr_order_list *list,
                                   bool outer, const char **why, firn_error *err)
{
    firn_error memory = {.code = FIRN_OK};
    *why = fr_order_read_list(reader, list, &memory);
    if (memory.code != FIRN_OK) {
        return fr_fail_copy(err, &memory);
    }
    if (*why == NULL && (!(list->target >= 1 && list->target < FR_ID_END) ||
                         list->target != (double)(uint64_t)list->target)) {
        *why = "has a target that is no id";
    }
    if (*why != NULL) {
        return FIRN_CORRUPT;
    }
    uint32_t group = fr_rewrite_group_make(work->rewrite, list->name, list->name_size);
    bool memory_left = group != FR_NO_GROUP && (work->rewrite->groups[group].dropped ||
                                                add_listed_sources(work, group, list, outer));
    return memory_left ? FIRN_OK : fr_fail_memory(err, FR_KEY_ORDER);
}

static firn_result read_order_lists(order_work *work, const char *key, size_t at, size_t size,
                                    firn_error *err)
{
    firn_buffer sources;
    firn_buffer_init(&sources, &work->rewrite->allocator);
    fr_order_list list = {.sources = &sources};
    const char *why = "is no array of lists";
    firn_reader reader;
    firn_reader_begin(&reader, work->rewrite->image.bytes + at, size, NULL);
    firn_table_head head = firn_read_table(&reader);
    bool good = !firn_reader_failed(&reader) && head.map_count == 0;
    firn_result result = good ? FIRN_OK : FIRN_CORRUPT;
    for (uint32_t i = 0; result == FIRN_OK && i < head.array_count; i++) {
        result = take_order_list(work, &reader, &list, strcmp(key, FR_KEY_OUTER) == 0, &why, err);
    }
    firn_buffer_free(&sources);
    return result == FIRN_CORRUPT ? fr_fail_at(err, result, at, key, "%s %s", key, why) : result;
}

// ---- edges of the rows

// Lists of what nobody sees in the rows, as when a codec writes them, stay.
static bool note_seen_target(order_work *work, uint32_t group, firn_entity target)
{
    uint64_t hash = hash_of_edge(group, target, 0);
    return work->listed_count == 0 || fr_map_get(&work->seen, hash) != FR_MAP_NONE ||
           fr_map_add(&work->rewrite->allocator, &work->seen, hash, 0);
}

static bool add_unseen_lists(order_work *work)
{
    for (uint32_t i = 0; i < work->listed_count; i++) {
        order_item item = work->listed[i];
        uint64_t hash = hash_of_edge(item.group, item.target, 0);
        if (fr_map_get(&work->seen, hash) != FR_MAP_NONE) {
            continue;
        }
        if (!FR_RESERVE(&work->rewrite->allocator, work->edges, work->edge_capacity,
                        work->edge_count + 1)) {
            return false;
        }
        item.after = UINT32_MAX - (uint32_t)item.before; // in no order of rows
        work->edges[work->edge_count++] = item;
    }
    return true;
}

static bool add_row_edge(order_work *work, uint32_t group, firn_entity target, firn_entity source)
{
    uint32_t cursor = UINT32_MAX, place;
    order_item item = make_item(work, group, target, source);
    if (!note_seen_target(work, group, target) ||
        !FR_RESERVE(&work->rewrite->allocator, work->edges, work->edge_capacity,
                    work->edge_count + 1)) {
        return false;
    }
    item.before = (UINT64_C(1) << 32) + work->edge_count; // behind those of a list
    item.after = fr_map_get(&work->rows, source);
    item.outer = fr_map_get(&work->rows, target) == FR_MAP_NONE;
    uint64_t hash = hash_of_edge(group, target, source);
    while ((place = fr_map_next(&work->by_edge, hash, &cursor)) != FR_MAP_NONE) {
        const order_item *listed = &work->listed[place];
        if (listed->group == group && listed->target == target && listed->source == source) {
            item.before = listed->before;
        }
    }
    work->edges[work->edge_count++] = item;
    return true;
}

static bool add_edges_of_value(order_work *work, uint32_t group, const uint8_t *bytes, size_t size,
                               firn_entity source)
{
    fr_edge_walk walk;
    size_t edge_size;
    const uint8_t *edge;
    bool memory = true;
    fr_edges_begin(&walk, &work->rewrite->image, bytes, size);
    while (memory && fr_edges_next(&walk, &edge, &edge_size)) {
        firn_reader reader;
        firn_reader_begin(&reader, edge, edge_size, &work->rewrite->limits);
        firn_entity target = fr_read_target(&reader);
        memory = target == 0 || add_row_edge(work, group, target, source);
    }
    return memory;
}

// Whether a column holds edges. Not all writers keep those of sparse relations row by row.
static bool holds_edges(const fr_rewrite *rewrite, const fr_span *span)
{
    const fr_rewrite_entry *entry = &rewrite->entries[span->entry];
    if (entry->place == 0 || entry->saved->raw) {
        return false;
    }
    return entry->target != 0 || entry->sparse ||
           (!entry->last && fr_span_holds_edges(&rewrite->image, span));
}

static bool add_edges_of_column(order_work *work, const fr_frame *frame, const fr_span *span)
{
    const fr_rewrite *rewrite = work->rewrite;
    const fr_rewrite_entry *entry = &rewrite->entries[span->entry];
    const uint8_t *at = span->bytes, *end = span->bytes + span->size;
    bool memory = true;
    for (uint32_t row = 0; memory && row < span->rows; row++) {
        size_t size = fr_value_length(&rewrite->image, at, end);
        firn_entity source = fr_frame_id(frame, row);
        if (fr_value_tag(at, end) == FR_TAG_NIL) {
            at += size;
            continue;
        }
        memory = entry->target != 0 ? add_row_edge(work, entry->group, entry->target, source)
                                    : add_edges_of_value(work, entry->group, at, size, source);
        at += size;
    }
    return memory;
}

static bool add_all_edges(order_work *work)
{
    const fr_rewrite *rewrite = work->rewrite;
    const fr_image *image = &rewrite->image;
    bool memory = fr_map_reserve(&rewrite->allocator, &work->rows, image->prelude.entity_count);
    uint32_t row = 0;
    for (uint32_t i = 0; memory && i < rewrite->piece_count; i++) {
        const fr_rewrite_piece *piece = rewrite->sorted[i];
        for (uint32_t k = 0; memory && k < piece->rows; k++) {
            uint64_t id = (uint64_t)fr_load_f64(piece->ids + (size_t)k * FR_ID_BYTES);
            memory = fr_map_add(&rewrite->allocator, &work->rows, id, row++);
        }
    }
    for (uint32_t i = 0; memory && i < image->frame_count; i++) {
        const fr_frame *frame = &image->frames[i];
        for (uint32_t k = 0; memory && k < frame->column_count; k++) {
            const fr_span *span = &image->spans[frame->first_column + k];
            memory = !holds_edges(rewrite, span) || add_edges_of_column(work, frame, span);
        }
    }
    return memory && add_unseen_lists(work);
}

// ---- write

static int compare_order_lists(const order_item *a, const order_item *b)
{
    int order = (int)a->outer - (int)b->outer;
    if (order == 0) {
        order = fr_compare_names(a->name, a->name_size, b->name, b->name_size);
    }
    return order != 0 ? order : (a->target > b->target) - (a->target < b->target);
}

static int compare_order_items(const void *a, const void *b)
{
    const order_item *left = a, *right = b;
    int order = compare_order_lists(left, right);
    return order != 0 ? order : (left->before > right->before) - (left->before < right->before);
}

// The items of the list that begins at `at`. *needed: it stands in another order than the rows.
static uint32_t measure_list(const order_work *work, uint32_t at, bool moved, bool *needed)
{
    uint32_t count = 1;
    *needed = !moved;
    for (; at + count < work->sorted_count; count++) {
        const order_item *before = work->sorted[at + count - 1], *item = work->sorted[at + count];
        if (compare_order_lists(before, item) != 0) {
            break;
        }
        *needed = *needed || item->after < before->after;
    }
    return count;
}

static void put_order_list(const order_work *work, uint32_t at, uint32_t count)
{
    const uint32_t per_piece = FR_PIECE_BYTES / FR_ID_BYTES;
    const order_item *first = work->sorted[at];
    fr_out *out = &work->rewrite->out;
    fr_out_u8(out, FR_TAG_TABLE + 4);
    fr_out_count(out, 3 + count / per_piece + (count % per_piece != 0));
    fr_out_encoded_string(out, first->name, first->name_size);
    fr_out_encoded_number(out, (double)first->target);
    for (uint32_t i = 0; i < count; i++) {
        if (i % per_piece == 0) {
            uint32_t n = count - i < per_piece ? count - i : per_piece;
            fr_out_count(out, FR_TAG_STRING + n * FR_ID_BYTES);
        }
        fr_out_u64(out, work->sorted[at + i]->source);
    }
}

static void put_order_lists(const order_work *work, bool outer, bool moved)
{
    const char *key = outer ? FR_KEY_OUTER : FR_KEY_ORDER;
    uint32_t lists = 0;
    for (int writes = 0; writes < 2; writes++) {
        if (writes && lists > 0) {
            fr_write_data_key(&work->rewrite->out, key, strlen(key));
            fr_out_u8(&work->rewrite->out, FR_TAG_TABLE + 4);
            fr_out_count(&work->rewrite->out, lists + 1);
        }
        for (uint32_t at = 0, count; at < work->sorted_count; at += count) {
            bool needed;
            count = measure_list(work, at, moved, &needed);
            if (!needed || work->sorted[at]->outer != outer) {
                continue;
            }
            lists += !writes;
            if (writes) {
                put_order_list(work, at, count);
            }
        }
    }
}

static firn_result sort_items(order_work *work, const order_item *items, uint32_t count,
                              firn_error *err)
{
    if (count == 0) {
        return FIRN_OK;
    }
    work->sorted = fr_alloc(&work->rewrite->allocator, count, sizeof *work->sorted, sizeof(void *));
    if (work->sorted == NULL) {
        return fr_fail_memory(err, FR_KEY_ORDER);
    }
    for (uint32_t i = 0; i < count; i++) {
        work->sorted[i] = &items[i];
    }
    work->sorted_count = count;
    fr_sort((const void **)work->sorted, count, compare_order_items);
    return FIRN_OK;
}

// Whether rows stand in another order than in the image.
static bool rows_move(const fr_rewrite *rewrite)
{
    bool moved = rewrite->block_count > 0;
    for (uint32_t i = 0; !moved && i < rewrite->piece_count; i++) {
        moved = rewrite->sorted[i]->number != i;
    }
    return moved;
}

static firn_result make_lists(order_work *work, bool moved, firn_error *err)
{
    const fr_image_world *world = &work->rewrite->image.world;
    firn_result result = FIRN_OK;
    if (world->has_order) {
        result = read_order_lists(work, FR_KEY_ORDER, world->order_value, world->order_size, err);
    }
    if (result == FIRN_OK && world->has_outer) {
        result = read_order_lists(work, FR_KEY_OUTER, world->outer_value, world->outer_size, err);
    }
    if (result == FIRN_OK && moved && !add_all_edges(work)) {
        result = fr_fail_memory(err, FR_KEY_ORDER);
    }
    if (result != FIRN_OK) {
        return result;
    }
    return moved ? sort_items(work, work->edges, work->edge_count, err)
                 : sort_items(work, work->listed, work->listed_count, err);
}

firn_result fr_rewrite_order(fr_rewrite *rewrite, firn_error *err)
{
    const firn_allocator *allocator = &rewrite->allocator;
    bool moved = rows_move(rewrite);
    order_work work = {.rewrite = rewrite};
    firn_result result = make_lists(&work, moved, err);
    if (result == FIRN_OK) {
        put_order_lists(&work, false, moved);
        put_order_lists(&work, true, moved);
        result = fr_out_end(&rewrite->out, err);
    }
    fr_free(allocator, work.sorted, work.sorted_count, sizeof *work.sorted, sizeof(void *));
    FR_ARRAY_FREE(allocator, work.listed, work.listed_capacity);
    FR_ARRAY_FREE(allocator, work.edges, work.edge_capacity);
    fr_map_free(allocator, &work.by_edge);
    fr_map_free(allocator, &work.seen);
    fr_map_free(allocator, &work.rows);
    return result;
}
