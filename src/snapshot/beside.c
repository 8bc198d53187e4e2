// A load that keeps others. Everything that may fail is done aside, as in every load; then the rows
// that are governed leave, and those of the image follow the ones that are kept.
#include "base/array.h"
#include "snapshot/beside_load.h"
#include "snapshot/edges.h"
#include "snapshot/kept_data.h"
#include "snapshot/lifecycle.h"
#include "snapshot/report.h"
#include "store/entity.h"

// ---------------------------------------------------------------- the commit, which cannot fail

static void take_rows_out(const fr_beside_load *work)
{
    firn_world *world = work->world;
    fr_archetype *archetype = NULL;
    uint32_t row = 0;
    for (uint32_t i = 0; i < work->leaving.count; i++) {
        (void)fr_world_find(world, work->leaving.items[i], &archetype, &row);
        fr_archetype_run_drops(world, archetype, NULL, row, 1);
    }
    fr_targets_end_drop(world);
    for (uint32_t i = 0; i < work->leaving.count; i++) {
        (void)fr_world_find(world, work->leaving.items[i], &archetype, &row);
        fr_entity_take_out(world, archetype, row);
        world->index.records[fr_slot(work->leaving.items[i])] = FR_SLOT_NONE;
    }
    for (uint32_t i = 0; i < world->relations.ending_count; i++) {
        fr_events_forget(world, world->relations.ending[i]);
    }
    world->index.alive -= work->leaving.count;
    fr_targets_end_commit(world);
}

static void put_rows(fr_beside_load *work)
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
}

static void commit_beside(fr_beside_load *work)
{
    fr_load *load = &work->load;
    take_rows_out(work);
    fr_beside_retire_slots(work);
    fr_renames_commit(work->world, &work->renames);
    fr_beside_put_rows(work, false);
    put_rows(work);
    fr_beside_settle_ids(work);
    fr_order_apply_now(load); // of those that live: slots are known
    fr_load_take_name_and_tick(load);
    fr_load_run_init_hooks(load);
    fr_load_free_stages(load);
    fr_load_keep_beside(load);
    fr_beside_put_rows(work, true);
    fr_beside_free_rows(work, false);
    work->put = true;
}

// ---------------------------------------------------------------- the whole

static firn_result prepare_beside(fr_beside_load *work, const void *image, size_t size,
                                  firn_error *err)
{
    fr_load *load = &work->load;
    firn_result result = fr_load_read(load, image, size, false, err);
    if (result == FIRN_OK) {
        result = fr_beside_sort_out(work, err);
    }
    if (result == FIRN_OK && work->beside->sorted != NULL) {
        result = work->beside->sorted(work->beside->user, &load->image, err);
    }
    if (result == FIRN_OK) {
        result = fr_beside_prepare_ids(work, err);
    }
    if (result == FIRN_OK) {
        result = fr_load_targets(load, err);
    }
    if (result == FIRN_OK) {
        result = fr_load_plan(load, err);
    }
    if (result == FIRN_OK) {
        result = fr_beside_prepare_rows(work, err);
    }
    return result == FIRN_OK ? fr_load_prepare(load, err) : result;
}

static firn_result put_beside(fr_beside_load *work, firn_loading *loading, firn_load_report *report,
                              firn_error *err)
{
    fr_load *load = &work->load;
    commit_beside(work);
    work->ends_prepared = false;
    fr_loading_commit(loading);
    work->world->asked = NULL;
    report->committed = true;
    fr_report_fill(load, false, report);
    if (work->beside->placed != NULL) {
        work->beside->placed(work->beside->user, &load->image);
    }
    loading->brought = load->watched;
    loading->brought_count = load->watched_count;
    const firn_prelude prelude = report->prelude; // the game gets a copy
    firn_result result = fr_loading_deliver(loading, &prelude, err);
    report->kept_data = fr_kept_count(work->world);
    return result;
}

static firn_result load_beside(fr_beside_load *work, const void *image, size_t size,
                               const firn_load_options *options, firn_load_report *report,
                               firn_error *err)
{
    fr_load *load = &work->load;
    firn_loading loading = {.world = work->world};
    const fr_asked asked = {.keeps = fr_beside_keeps,
                            .brings = fr_beside_brings,
                            .takes_part = fr_beside_takes_part,
                            .brings_part = fr_beside_brings_part,
                            .user = work};
    firn_result result = prepare_beside(work, image, size, err);
    if (result == FIRN_OK) {
        result = fr_report_reserve(load, false, report, err);
    }
    if (result == FIRN_OK) {
        work->world->asked = &asked;
        result = fr_loading_begin(&loading, work->world, &load->image, options, err);
    }
    if (result == FIRN_OK) {
        result = put_beside(work, &loading, report, err);
    } else {
        work->world->asked = NULL;
        fr_beside_free_rows(work, true);
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

static void free_beside_load(fr_beside_load *work)
{
    const firn_allocator *allocator = &work->world->allocator;
    fr_load_free(&work->load);
    FR_ARRAY_FREE(allocator, work->leaving.items, work->leaving.room);
    FR_ARRAY_FREE(allocator, work->ending.items, work->ending.room);
    fr_map_free(allocator, &work->governed);
    fr_renames_free(work->world, &work->renames);
}

firn_result fr_snapshot_load_beside(firn_world *world, const void *image, size_t size,
                                    struct fr_beside *beside, const firn_load_options *options,
                                    firn_load_report *report, firn_error *err)
{
    fr_beside_load work = {.world = world, .beside = beside};
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
    free_beside_load(&work);
    return result;
}
