// An image added to a world: a load whose rows follow those that are there, under new ids.
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "snapshot/lifecycle.h"
#include "snapshot/load.h"
#include "snapshot/report.h"
#include "store/relation.h"
#include "store/unique.h"

// ---- ids

// What fr_entity_index_take is going to give, one after the other.
typedef struct coming_ids {
    const fr_entity_index *index;
    uint32_t free_slot;
    uint32_t next_slot;
} coming_ids;

static firn_entity next_coming(coming_ids *ids)
{
    uint32_t slot = ids->free_slot;
    if (slot == 0) {
        return fr_entity(ids->next_slot++, 0);
    }
    uint64_t record = ids->index->records[slot];
    ids->free_slot = fr_record_next_free(record);
    return fr_entity(slot, fr_record_generation(record));
}

// Places in the map, in the order of slots.
static void number_slots(const fr_image *image, fr_merge *merge)
{
    for (uint32_t f = 0; f < image->frame_count; f++) {
        for (uint32_t row = 0; row < image->frames[f].rows; row++) {
            merge->places[fr_slot(fr_frame_id(&image->frames[f], row))] = 1;
        }
    }
    uint32_t place = 0;
    for (uint32_t slot = 1; slot < merge->slots; slot++) {
        merge->places[slot] = merge->places[slot] != 0 ? ++place : 0;
    }
    assert(place == merge->count);
}

static void fill_map(const fr_load *load, fr_merge *merge)
{
    const fr_image *image = &load->image;
    const fr_entity_index *index = &load->world->index;
    coming_ids ids = {index, index->free_head, index->next_slot};
    for (uint32_t f = 0; f < image->frame_count; f++) {
        for (uint32_t row = 0; row < image->frames[f].rows; row++) {
            firn_entity saved = fr_frame_id(&image->frames[f], row);
            merge->map[merge->places[fr_slot(saved)] - 1] = (firn_merged){saved, next_coming(&ids)};
        }
    }
}

firn_result fr_merge_choose_ids(fr_load *load, firn_error *err)
{
    firn_world *world = load->world;
    fr_merge *merge = load->merge;
    uint32_t count = load->image.prelude.entity_count;
    firn_result result = fr_entity_index_reserve(&world->allocator, &world->index, count,
                                                 world->limits.entities, err);
    if (result != FIRN_OK || count == 0) {
        return result;
    }
    merge->slots = load->image.prelude.next_slot;
    merge->count = count;
    merge->places =
        fr_alloc_zero(&world->allocator, merge->slots, sizeof *merge->places, sizeof(uint32_t));
    merge->map = fr_alloc(&world->allocator, count, sizeof *merge->map, sizeof(firn_entity));
    if (merge->places == NULL || merge->map == NULL) {
        return fr_fail_memory(err, "ids");
    }
    number_slots(&load->image, merge);
    fill_map(load, merge);
    return FIRN_OK;
}

static const firn_merged *find_merged(const fr_merge *merge, firn_entity saved)
{
    uint32_t slot = fr_slot(saved);
    uint32_t place = slot < merge->slots ? merge->places[slot] : 0;
    return place != 0 && merge->map[place - 1].saved == saved ? &merge->map[place - 1] : NULL;
}

firn_entity fr_merge_find(const fr_merge *merge, firn_entity saved)
{
    const firn_merged *merged = find_merged(merge, saved);
    return merged != NULL ? merged->entity : 0;
}

firn_entity fr_merge_id(fr_merge *merge, firn_entity saved)
{
    firn_entity entity = fr_merge_find(merge, saved);
    merge->dangling += entity == 0 && saved != 0;
    return entity;
}

bool fr_merge_gives(fr_load *load, firn_entity entity, bool *gives)
{
    const firn_allocator *allocator = &load->world->allocator;
    fr_merge *merge = load->merge;
    if (merge->by_new.count == 0 && !fr_map_reserve(allocator, &merge->by_new, merge->count)) {
        return false;
    }
    for (uint32_t i = merge->by_new.count; i < merge->count; i++) {
        (void)fr_map_add(allocator, &merge->by_new, merge->map[i].entity, i);
    }
    *gives = fr_map_get(&merge->by_new, entity) != FR_MAP_NONE;
    return true;
}

firn_entity fr_load_saved_id(const fr_load *load, firn_entity entity)
{
    for (uint32_t i = 0; load->merge != NULL && i < load->merge->count; i++) {
        if (load->merge->map[i].entity == entity) {
            return load->merge->map[i].saved;
        }
    }
    return entity;
}

void fr_load_place_ids(fr_load *load)
{
    for (uint32_t i = 0; i < load->piece_count; i++) {
        const fr_piece *piece = &load->pieces[i];
        const fr_frame *frame = &load->image.frames[piece->frame];
        firn_entity *to = load->stages[piece->stage].entities + piece->to;
        for (uint32_t row = 0; row < piece->rows; row++) {
            firn_entity saved = fr_frame_id(frame, piece->first + row);
            to[row] = load->merge != NULL ? find_merged(load->merge, saved)->entity : saved;
        }
    }
    // Ids were checked when the image was opened.
    load->ids_checked = true;
}

// ---- ids in rows

static void follow_id(fr_merge *merge, uint8_t *at)
{
    firn_entity id;
    memcpy(&id, at, sizeof id);
    id = fr_merge_id(merge, id);
    memcpy(at, &id, sizeof id);
}

// What is no id, as NaN or 1.5, is that of no entity.
static void follow_number(fr_merge *merge, uint8_t *at)
{
    double number;
    memcpy(&number, at, sizeof number);
    bool is_id = number >= 0 && number < 9007199254740992.0; // 2^53
    firn_entity id = is_id ? (firn_entity)number : UINT64_MAX;
    if (is_id && (double)(int64_t)id != number) {
        id = UINT64_MAX;
    }
    number = (double)(int64_t)fr_merge_id(merge, id);
    memcpy(at, &number, sizeof number);
}

static void follow_leaf(fr_merge *merge, const fr_leaf *leaf, uint8_t *row)
{
    uint32_t count = leaf->count > 0 ? leaf->count : 1;
    uint8_t *at = row + leaf->memory_offset;
    for (uint32_t i = 0; i < count; i++, at += sizeof(firn_entity)) {
        if (leaf->type == FIRN_ENTITY) {
            follow_id(merge, at);
        } else {
            follow_number(merge, at);
        }
    }
}

static void follow_rows(fr_merge *merge, const fr_component *component, uint8_t *rows,
                        size_t stride, uint32_t count)
{
    const fr_layout *layout = &component->layout;
    for (uint32_t i = 0; i < layout->leaf_count; i++) {
        const fr_leaf *leaf = &layout->leaves[i];
        if (leaf->type != FIRN_ENTITY && leaf->type != FIRN_ENTITY_NUMBER) {
            continue;
        }
        for (uint32_t k = 0; k < count; k++) {
            follow_leaf(merge, leaf, rows + k * stride);
        }
    }
}

static void follow_column(const fr_load *load, const fr_stage *stage, const fr_column *column)
{
    const fr_component *component = column->component;
    uint8_t *rows = column->data + (size_t)stage->first * column->stride;
    if (!fr_relation_is_many(component)) {
        follow_rows(load->merge, component, rows, column->stride, stage->rows);
        return;
    }
    const fr_edges *edges = (const fr_edges *)(const void *)rows;
    for (uint32_t row = 0; row < stage->rows; row++) {
        follow_rows(load->merge, component, edges[row].rows, component->edge_stride,
                    edges[row].count);
    }
}

// Codecs have seen to their rows themselves.
static void follow_ids(const fr_load *load)
{
    for (uint32_t s = 0; s < load->stage_count; s++) {
        const fr_stage *stage = &load->stages[s];
        for (uint32_t i = 0; i < stage->archetype->column_count; i++) {
            const fr_column *column = &stage->archetype->columns[i];
            const fr_component *component = column->component;
            // No other component brings edges along.
            bool brought = component->kind == FIRN_RELATION || fr_load_brings(load, component);
            if (!component->has_codec && brought) {
                follow_column(load, stage, column);
            }
        }
    }
}

// ---- the commit, which cannot fail

void fr_load_enter_unique(fr_component *component, const firn_entity *entities, const uint8_t *rows,
                          uint32_t n)
{
    const fr_blob *blobs = (const fr_blob *)(const void *)rows;
    for (uint32_t row = 0; row < n; row++) {
        fr_unique_enter(component, entities[row], &blobs[row]);
    }
}

static void append_column(fr_load *load, fr_stage *stage, uint32_t i)
{
    const firn_allocator *allocator = &load->world->allocator;
    const fr_column *column = &stage->archetype->columns[i];
    uint8_t *rows = column->data + (size_t)stage->first * column->stride;
    if (stage->blocks[i] != NULL) {
        fr_world_move_rows(load->world, column->component, rows, stage->blocks[i], stage->rows);
        fr_column_free(allocator, stage->blocks[i], column->stride, stage->capacity);
        stage->blocks[i] = NULL;
    } else if (!fr_load_brings(load, column->component)) {
        fr_component_fill(allocator, column->component, rows, stage->rows);
    }
    if (column->component->unique) {
        fr_load_enter_unique(column->component, stage->entities, rows, stage->rows);
    }
}

void fr_load_append_stage(fr_load *load, fr_stage *stage)
{
    firn_world *world = load->world;
    fr_archetype *archetype = stage->archetype;
    for (uint32_t i = 0; i < archetype->column_count; i++) {
        append_column(load, stage, i);
    }
    for (uint32_t row = 0; row < stage->rows; row++) {
        firn_entity entity = stage->entities[row];
        archetype->entities[stage->first + row] = entity;
        world->index.records[fr_slot(entity)] =
            fr_record_of(entity, archetype->index, stage->first + row);
    }
    archetype->count += stage->rows;
}

static void commit_merge(fr_load *load)
{
    for (uint32_t i = 0; i < load->merge->count; i++) {
        // As foreseen, though in another order: each is reserved, and placed below.
        (void)fr_entity_index_take(&load->world->index);
    }
    for (uint32_t i = 0; i < load->stage_count; i++) {
        fr_load_append_stage(load, &load->stages[i]);
    }
    fr_load_make_raw_rows(load);
    follow_ids(load);
    fr_load_run_init_hooks(load);
    fr_load_free_stages(load);
    fr_load_keep_beside(load);
}

// ---- the whole

static firn_result prepare_merge(fr_load *load, const void *bytes, size_t size, firn_error *err)
{
    firn_result result = fr_load_open(load, bytes, size, false, err);
    return result == FIRN_OK ? fr_load_prepare(load, err) : result;
}

firn_result fr_merge_check(firn_world *world, const void *bytes, const char *what,
                           const firn_merge_options *options, firn_load_options *load,
                           firn_error *err)
{
    const firn_merge_options defaults = {0};
    if (options == NULL) {
        options = &defaults;
    }
    *load = (firn_load_options){.skip_unknown = options->skip_unknown,
                                .keep_unknown = options->keep_unknown,
                                .limits = options->limits};
    firn_result result = fr_check_reserved(options->reserved, "firn_merge_options.reserved", err);
    if (result == FIRN_OK) {
        result = fr_load_check(world, bytes, what, load, err);
    }
    return result == FIRN_OK ? fr_world_settle(world, err) : result;
}

static void free_merge(const firn_allocator *allocator, fr_merge *merge)
{
    fr_free(allocator, merge->places, merge->slots, sizeof *merge->places, sizeof(uint32_t));
    fr_free(allocator, merge->map, merge->count, sizeof *merge->map, sizeof(firn_entity));
    fr_map_free(allocator, &merge->by_new);
}

firn_result fr_merge_image(firn_world *world, const void *image, size_t size, bool any_size,
                           const firn_load_options *options, firn_merge_report *report,
                           firn_error *err)
{
    fr_load load;
    fr_merge merge = {0};
    fr_load_begin(&load, world, any_size, options);
    load.appends = true;
    load.merge = &merge;
    firn_result result = prepare_merge(&load, image, size, err);
    if (result == FIRN_OK) {
        result = fr_report_reserve(&load, false, &report->load, err);
    }
    if (result == FIRN_OK) {
        commit_merge(&load);
        report->load.committed = true;
        fr_report_fill(&load, false, &report->load);
        report->map = merge.map;
        report->count = merge.count;
        report->dangling = merge.dangling;
        merge.map = NULL;
        result = fr_merged_restore(world, load.watched, load.watched_count, err);
    } else {
        fr_load_withdraw(&load);
        result = fr_load_report_failure(&load, result, &report->load, err);
    }
    fr_load_free(&load);
    free_merge(&world->allocator, &merge);
    return result;
}

firn_result firn_snapshot_merge(firn_world *world, const void *image, size_t size,
                                const firn_merge_options *options, firn_merge_report *report,
                                firn_error *err)
{
    firn_load_options load;
    firn_merge_report own = {0};
    firn_merge_report *told = report != NULL ? report : &own;
    *told = (firn_merge_report){0};
    firn_result result = fr_merge_check(world, image, "image", options, &load, err);
    if (result == FIRN_OK) {
        result = fr_merge_image(world, image, size, false, &load, told, err);
    }
    if (report == NULL) {
        firn_merge_report_free(&own);
    }
    return result;
}

// ---- the report

void firn_merge_report_free(firn_merge_report *report)
{
    if (report == NULL) {
        return;
    }
    // Who has a map has the memory of a load's report, too.
    fr_free(&report->load.allocator, (firn_merged *)report->map, report->count, sizeof *report->map,
            sizeof(firn_entity));
    report->map = NULL;
    firn_load_report_free(&report->load);
}

firn_entity firn_merge_find(const firn_merge_report *report, firn_entity saved)
{
    uint32_t low = 0, high = report != NULL && report->map != NULL ? report->count : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const firn_merged *merged = &report->map[middle];
        if (merged->saved == saved) {
            return merged->entity;
        }
        if (fr_slot(merged->saved) < fr_slot(saved)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 0;
}
