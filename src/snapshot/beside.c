// A load that keeps others. Everything that may fail is done aside, as in every load; then the rows
// that are governed leave, and those of the image follow the ones that are kept.
#include "snapshot/beside.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "snapshot/edges.h"
#include "snapshot/kept_data.h"
#include "snapshot/lifecycle.h"
#include "snapshot/order.h"
#include "snapshot/report.h"
#include "store/entity.h"
#include "store/rename.h"

// One such load.
typedef struct beside_load {
    firn_world *world;
    struct fr_beside *beside;
    fr_load load;
    firn_entity *leaving; // living entities whose rows leave: they come back
    uint32_t leaving_count;
    uint32_t leaving_room;
    firn_entity *ending; // governed ones that do not come back
    uint32_t ending_count;
    uint32_t ending_room;
    bool ends_prepared;
    firn_entity *freed; // the slots that are free now, or will be, with the ids that they give next
    uint32_t freed_count;
    uint32_t freed_room;
    fr_map saved_free; // slots of the free list of the image
    uint32_t slots;    // after the load, at most
    fr_renames renames;
} beside_load;

// ---------------------------------------------------------------- who comes, stays and goes

bool fr_beside_lives(const fr_load *load, firn_entity entity)
{
    uint32_t generation = fr_map_get(&load->comes, fr_slot(entity));
    if (generation != FR_MAP_NONE) {
        return generation == fr_generation(entity);
    }
    return fr_world_check_alive(load->world, entity, NULL) == FIRN_OK &&
           !fr_target_ends(load->world, entity);
}

static firn_result note_who_comes(beside_load *work, firn_error *err)
{
    fr_load *load = &work->load;
    const firn_allocator *allocator = &work->world->allocator;
    const fr_image *image = &load->image;
    bool memory = fr_map_reserve(allocator, &load->comes, image->prelude.entity_count);
    for (uint32_t f = 0; memory && f < image->frame_count; f++) {
        for (uint32_t row = 0; memory && row < image->frames[f].rows; row++) {
            firn_entity id = fr_frame_id(&image->frames[f], row);
            (void)fr_map_add(allocator, &load->comes, fr_slot(id), fr_generation(id));
            if (firn_alive(work->world, id)) {
                memory = FR_RESERVE(allocator, work->leaving, work->leaving_room,
                                    work->leaving_count + 1);
                if (memory) {
                    work->leaving[work->leaving_count++] = id;
                }
            }
        }
    }
    return memory ? FIRN_OK : fr_fail_memory(err, "ids");
}

static firn_result note_who_ends(beside_load *work, firn_error *err)
{
    const firn_allocator *allocator = &work->world->allocator;
    const struct fr_beside *beside = work->beside;
    for (uint32_t i = 0; i < beside->governed_count; i++) {
        firn_entity entity = beside->governed[i];
        assert(firn_alive(work->world, entity));
        if (fr_map_get(&work->load.comes, fr_slot(entity)) == fr_generation(entity)) {
            continue;
        }
        if (!FR_RESERVE(allocator, work->ending, work->ending_room, work->ending_count + 1)) {
            return fr_fail_memory(err, "ids");
        }
        work->ending[work->ending_count++] = entity;
    }
    firn_result result = fr_targets_end_prepare(work->world, work->ending, work->ending_count,
                                                &work->load.comes, err);
    work->ends_prepared = result == FIRN_OK;
    return result;
}

// The id of the entity that lives in a slot; 0: none does.
static firn_entity holder_of(const firn_world *world, uint32_t slot)
{
    uint64_t record = slot < world->index.next_slot ? world->index.records[slot] : 0;
    if (fr_record_kind(record) != FR_SLOT_ALIVE) {
        return 0;
    }
    return world->archetypes[fr_record_archetype(record)]->entities[fr_record_row(record)];
}

// Whoever is kept on a slot of the image moves behind all slots.
static firn_result note_who_moves(beside_load *work, firn_error *err)
{
    const fr_image *image = &work->load.image;
    for (uint32_t f = 0; f < image->frame_count; f++) {
        for (uint32_t row = 0; row < image->frames[f].rows; row++) {
            firn_entity id = fr_frame_id(&image->frames[f], row);
            firn_entity holder = holder_of(work->world, fr_slot(id));
            if (holder == 0 || holder == id || fr_target_ends(work->world, holder)) {
                continue;
            }
            if (!fr_renames_add(work->world, &work->renames, holder, fr_entity(work->slots, 0))) {
                return fr_fail_memory(err, "ids");
            }
            work->slots++;
        }
    }
    uint32_t most = work->world->limits.entities;
    if (work->renames.count > 0 && work->slots - 1 > most) {
        return fr_fail(err, FIRN_LIMIT, "entities",
                       "no slots for %u entities that are kept: the limit is %u",
                       work->renames.count, most);
    }
    return fr_renames_prepare(work->world, &work->renames, err);
}

static firn_result tell_who_moves(beside_load *work, firn_error *err)
{
    struct fr_beside *beside = work->beside;
    uint32_t count = work->renames.count;
    if (!FR_RESERVE(&work->world->allocator, beside->moved, beside->moved_room, count)) {
        return fr_fail_memory(err, "ids");
    }
    for (uint32_t i = 0; i < count; i++) {
        beside->moved[i] = (firn_merged){work->renames.items[i].from, work->renames.items[i].to};
    }
    beside->moved_count = count;
    return FIRN_OK;
}

// ---------------------------------------------------------------- ids

static bool add_freed(beside_load *work, uint32_t slot, uint32_t generation)
{
    if (!FR_RESERVE(&work->world->allocator, work->freed, work->freed_room,
                    work->freed_count + 1)) {
        return false;
    }
    work->freed[work->freed_count++] = fr_entity(slot, generation);
    return true;
}

// What is free now, from the top down, then what is going to be.
static bool note_free_slots(beside_load *work)
{
    const firn_world *world = work->world;
    bool memory = true;
    for (uint32_t slot = world->index.free_head; memory && slot != 0;) {
        uint64_t record = world->index.records[slot];
        memory = add_freed(work, slot, fr_record_generation(record));
        slot = fr_record_next_free(record);
    }
    for (uint32_t i = 0; memory && i < world->relations.ending_count; i++) {
        firn_entity entity = world->relations.ending[i];
        // A slot of the last generation retires.
        memory = fr_generation(entity) == FIRN_GENERATION_MAX ||
                 add_freed(work, fr_slot(entity), fr_generation(entity) + 1);
    }
    return memory;
}

static bool note_saved_free(beside_load *work)
{
    const fr_image *image = &work->load.image;
    const firn_allocator *allocator = &work->world->allocator;
    bool memory = fr_map_reserve(allocator, &work->saved_free, image->world.free_count);
    if (!memory || !image->world.has_free) {
        return memory;
    }
    fr_free_walk walk;
    fr_free_begin(&walk, image);
    uint64_t id;
    while (memory && fr_free_next(&walk, &id)) {
        memory = fr_map_add(allocator, &work->saved_free, fr_slot(id), fr_generation(id));
    }
    return memory;
}

// Records up to the next slot, which is within the limit of entities, and all lists that are needed
// to make the free list.
static firn_result prepare_ids(beside_load *work, firn_error *err)
{
    fr_entity_index *index = &work->world->index;
    uint32_t before = index->capacity;
    if (!FR_RESERVE(&work->world->allocator, index->records, index->capacity, work->slots) ||
        !note_free_slots(work) || !note_saved_free(work)) {
        return fr_fail_memory(err, "the entity index");
    }
    // Slots that were never used here; record 0 never is.
    uint32_t first = before == 0 ? 0 : index->next_slot;
    memset(index->records + first, 0, (work->slots - first) * sizeof *index->records);
    return FIRN_OK;
}

static bool lives_in_slot(const fr_entity_index *index, uint32_t slot)
{
    fr_slot_kind kind = fr_record_kind(index->records[slot]);
    return kind == FR_SLOT_ALIVE || kind == FR_SLOT_RESERVED;
}

// The free list under construction, from the top down.
typedef struct free_list {
    fr_entity_index *index;
    uint32_t last; // 0: none yet
} free_list;

static void append_free(free_list *list, firn_entity id)
{
    fr_entity_index *index = list->index;
    uint32_t slot = fr_slot(id);
    index->records[slot] = fr_record_dead(fr_generation(id), 0);
    if (list->last == 0) {
        index->free_head = slot;
    } else {
        uint32_t generation = fr_record_generation(index->records[list->last]);
        index->records[list->last] = fr_record_dead(generation, slot);
    }
    list->last = slot;
    index->free_count++;
}

// The next slot is the saved one, or behind the last that is held by an entity that was kept.
static void settle_next_slot(const beside_load *work, uint32_t saved)
{
    fr_entity_index *index = &work->world->index;
    uint32_t next = work->slots;
    while (next > saved && !lives_in_slot(index, next - 1)) {
        next--;
    }
    index->next_slot = next;
}

// The saved free list; then slots that are fresh in the save; then those that lived in it, and do
// not now.
static void settle_free_list(const beside_load *work)
{
    fr_entity_index *index = &work->world->index;
    const fr_image *image = &work->load.image;
    uint32_t saved = image->prelude.next_slot;
    free_list list = {.index = index};
    settle_next_slot(work, saved);
    index->free_head = 0;
    index->free_count = 0;
    if (image->world.has_free) {
        fr_free_walk walk;
        fr_free_begin(&walk, image);
        uint64_t id;
        while (fr_free_next(&walk, &id)) {
            if (!lives_in_slot(index, fr_slot(id))) {
                append_free(&list, id);
            }
        }
    }
    for (uint32_t slot = saved; slot < index->next_slot; slot++) {
        if (!lives_in_slot(index, slot)) {
            append_free(&list, fr_entity(slot, 0));
        }
    }
    for (uint32_t i = 0; i < work->freed_count; i++) {
        uint32_t slot = fr_slot(work->freed[i]);
        if (slot < saved && !lives_in_slot(index, slot) &&
            fr_map_get(&work->saved_free, slot) == FR_MAP_NONE) {
            append_free(&list, work->freed[i]);
        }
    }
}

// ---------------------------------------------------------------- the commit, which cannot fail

static void take_rows_out(const beside_load *work)
{
    firn_world *world = work->world;
    fr_archetype *archetype = NULL;
    uint32_t row = 0;
    for (uint32_t i = 0; i < work->leaving_count; i++) {
        (void)fr_world_find(world, work->leaving[i], &archetype, &row);
        fr_archetype_run_drops(world, archetype, NULL, row, 1);
    }
    fr_targets_end_drop(world);
    for (uint32_t i = 0; i < work->leaving_count; i++) {
        (void)fr_world_find(world, work->leaving[i], &archetype, &row);
        fr_entity_take_out(world, archetype, row);
        world->index.records[fr_slot(work->leaving[i])] = FR_SLOT_NONE;
    }
    for (uint32_t i = 0; i < world->relations.ending_count; i++) {
        fr_events_forget(world, world->relations.ending[i]);
    }
    world->index.alive -= work->leaving_count;
    fr_targets_end_commit(world);
}

static void put_rows(beside_load *work)
{
    fr_load *load = &work->load;
    for (uint32_t i = 0; i < load->stage_count; i++) {
        load->stages[i].first = load->stages[i].archetype->count;
    }
    fr_load_link_now(load);
    for (uint32_t i = 0; i < load->stage_count; i++) {
        fr_load_append_stage(load, &load->stages[i]);
    }
    work->world->index.alive += load->image.prelude.entity_count;
    fr_load_make_raw_rows(load);
    fr_order_apply_now(load);
}

static void commit_beside(beside_load *work)
{
    fr_load *load = &work->load;
    take_rows_out(work);
    fr_renames_commit(work->world, &work->renames);
    put_rows(work);
    settle_free_list(work);
    fr_load_take_name_and_tick(load);
    fr_load_run_init_hooks(load);
    fr_load_free_stages(load);
    fr_load_keep_beside(load);
}

// ---------------------------------------------------------------- the whole

static firn_result prepare_beside(beside_load *work, const void *image, size_t size,
                                  firn_error *err)
{
    fr_load *load = &work->load;
    firn_result result = fr_load_read(load, image, size, false, err);
    if (result == FIRN_OK) {
        result = note_who_comes(work, err);
    }
    if (result == FIRN_OK) {
        result = note_who_ends(work, err);
    }
    if (result == FIRN_OK) {
        uint32_t now = work->world->index.next_slot, saved = load->image.prelude.next_slot;
        work->slots = now > saved ? now : saved;
        result = note_who_moves(work, err);
    }
    if (result == FIRN_OK) {
        result = tell_who_moves(work, err);
    }
    if (result == FIRN_OK) {
        result = prepare_ids(work, err);
    }
    if (result == FIRN_OK) {
        result = fr_load_targets(load, err);
    }
    if (result == FIRN_OK) {
        result = fr_load_plan(load, err);
    }
    return result == FIRN_OK ? fr_load_prepare(load, err) : result;
}

static firn_result put_beside(beside_load *work, firn_loading *loading, firn_load_report *report,
                              firn_error *err)
{
    fr_load *load = &work->load;
    commit_beside(work);
    work->ends_prepared = false;
    fr_loading_commit(loading);
    report->committed = true;
    fr_report_fill(load, false, report);
    if (work->beside->placed != NULL) {
        loading->failure = work->beside->placed(work->beside->user, work->world, &loading->why);
    }
    loading->brought = load->watched;
    loading->brought_count = load->watched_count;
    const firn_prelude prelude = report->prelude; // the game gets a copy
    firn_result result = fr_loading_deliver(loading, &prelude, err);
    report->kept_data = fr_kept_count(work->world);
    return result;
}

static firn_result load_beside(beside_load *work, const void *image, size_t size,
                               const firn_load_options *options, firn_load_report *report,
                               firn_error *err)
{
    fr_load *load = &work->load;
    firn_loading loading = {.world = work->world};
    firn_result result = prepare_beside(work, image, size, err);
    if (result == FIRN_OK) {
        result = fr_report_reserve(load, false, report, err);
    }
    if (result == FIRN_OK) {
        result = fr_loading_begin(&loading, work->world, &load->image, options, err);
    }
    if (result == FIRN_OK) {
        result = put_beside(work, &loading, report, err);
    } else {
        fr_load_withdraw(load);
        fr_renames_cancel(work->world, &work->renames);
        work->beside->moved_count = 0;
        if (work->ends_prepared) {
            fr_targets_end_cancel(work->world);
        }
        result = fr_load_report_failure(load, result, report, err);
    }
    fr_loading_free(&loading);
    return result;
}

firn_result fr_snapshot_load_beside(firn_world *world, const void *image, size_t size,
                                    struct fr_beside *beside, const firn_load_options *options,
                                    firn_load_report *report, firn_error *err)
{
    const firn_allocator *allocator = &world->allocator;
    beside_load work = {.world = world, .beside = beside};
    *report = (firn_load_report){0};
    firn_result result = fr_load_check(world, image, "image", options, err);
    if (result == FIRN_OK) {
        result = fr_world_settle(world, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_load_begin(&work.load, world, false, options);
    work.load.appends = true;
    work.load.beside = true;
    result = load_beside(&work, image, size, options, report, err);
    fr_load_free(&work.load);
    FR_ARRAY_FREE(allocator, work.leaving, work.leaving_room);
    FR_ARRAY_FREE(allocator, work.ending, work.ending_room);
    FR_ARRAY_FREE(allocator, work.freed, work.freed_room);
    fr_map_free(allocator, &work.saved_free);
    fr_renames_free(world, &work.renames);
    return result;
}
