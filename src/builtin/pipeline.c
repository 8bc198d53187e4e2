// What is saved of the phases: the entry __tecs.pipeline.
#include "builtin/entry.h"
#include "builtin/game.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "plugin/registry.h"

#include <float.h>
#include <stdalign.h>
#include <string.h>

// Files of version 2 count 21 phases: Ingress came later.
#define PHASES_OF_VERSION_2 (FR_BUILTIN_PHASES - 1)

// ---------------------------------------------------------------- saving

static uint32_t count_disabled(const fr_pipeline *pipeline)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pipeline->phase_count; i++) {
        count += pipeline->phases[i]->disabled;
    }
    return count;
}

static int compare_phase_names(const char *a, const char *b)
{
    return fr_compare_names(a, strlen(a), b, strlen(b));
}

// The disabled phase whose name comes next.
static const char *next_disabled(const fr_pipeline *pipeline, const char *last)
{
    const char *next = NULL;
    for (uint32_t i = 0; i < pipeline->phase_count; i++) {
        const fr_phase *phase = pipeline->phases[i];
        if (phase->disabled && (last == NULL || compare_phase_names(phase->name, last) > 0) &&
            (next == NULL || compare_phase_names(phase->name, next) < 0)) {
            next = phase->name;
        }
    }
    return next;
}

// An absent entry says that all are enabled and the accumulator is 0.
static bool pipeline_rests(const void *user)
{
    const fr_game *game = user;
    return game->pipeline.accumulator == 0 && count_disabled(&game->pipeline) == 0;
}

static firn_result save_pipeline(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)world, (void)err; // the writer keeps what fails
    const fr_game *game = user;
    const fr_pipeline *pipeline = &game->pipeline;
    uint32_t disabled = count_disabled(pipeline);
    firn_write_table(out, 0, 3);
    firn_write_text(out, "disabledPhases");
    firn_write_table(out, 0, disabled);
    const char *name = NULL;
    for (uint32_t i = 0; i < disabled; i++) {
        name = next_disabled(pipeline, name);
        firn_write_text(out, name);
        firn_write_bool(out, true);
    }
    firn_write_text(out, "fixedAccumulator");
    firn_write_number(out, pipeline->accumulator);
    firn_write_text(out, "phaseStates");
    firn_write_table(out, pipeline->order_count, 0);
    for (uint32_t i = 0; i < pipeline->order_count; i++) {
        firn_write_bool(out, !pipeline->phases[pipeline->order[i]]->disabled);
    }
    return FIRN_OK;
}

// ---------------------------------------------------------------- loading

// What a save says; the flags of known phases are their saved_disabled.
typedef struct saved_pipeline {
    double accumulator;
    fr_phase **added; // phases that only the save knows: they are disabled in it
    uint32_t added_count;
    uint32_t added_capacity;
} saved_pipeline;

// Any time that a world can have. How many steps it is depends on the timestep, which is not saved.
static firn_result read_accumulator(const fr_game_entry *entry, double *accumulator,
                                    firn_error *err)
{
    const firn_value *value = firn_table_get_text(entry->value, "fixedAccumulator");
    if (value == NULL || value->kind != FIRN_VALUE_NUMBER) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err, "fixedAccumulator is not a number");
    }
    double seconds = value->as.number;
    if (!(seconds >= 0 && seconds <= DBL_MAX)) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err, "fixedAccumulator is %g, not a finite time",
                             seconds);
    }
    *accumulator = seconds + 0.0; // -0 is 0
    return FIRN_OK;
}

// Names win over positions, which differ between builds.
static firn_result read_positions(fr_pipeline *pipeline, const fr_game_entry *entry, bool named,
                                  firn_error *err)
{
    const firn_value *states = firn_table_get_text(entry->value, "phaseStates");
    uint32_t count = firn_table_array_count(states);
    if ((states == NULL && !named) || (states != NULL && states->kind != FIRN_VALUE_TABLE) ||
        firn_table_map_count(states) > 0) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err, "phaseStates is not a list");
    }
    if (!named && count != FR_BUILTIN_PHASES && count != PHASES_OF_VERSION_2) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err,
                             "phaseStates has %u phases, not %d or %d, and there are no names",
                             count, PHASES_OF_VERSION_2, FR_BUILTIN_PHASES);
    }
    for (uint32_t i = 0; i < count; i++) {
        const firn_value *value = firn_table_get_number(states, i + 1.0);
        if (value->kind != FIRN_VALUE_BOOL) {
            return fr_entry_fail(entry, FIRN_CORRUPT, err, "phase %u is not a boolean", i + 1);
        }
        if (!named) {
            bool later = count == PHASES_OF_VERSION_2 && i >= FR_PHASE_Ingress;
            pipeline->builtin[i + later].saved_disabled = !value->as.boolean;
        }
    }
    return FIRN_OK;
}

static firn_result add_unknown_phase(const firn_world *world, saved_pipeline *saved,
                                     const firn_value *name, firn_error *err)
{
    if (!FR_RESERVE(&world->allocator, saved->added, saved->added_capacity,
                    saved->added_count + 1)) {
        return fr_fail_memory(err, "a phase");
    }
    fr_phase *phase = fr_phase_make(&world->allocator, name->as.string, name->length);
    if (phase == NULL) {
        return fr_fail_memory(err, "a phase");
    }
    phase->disabled = true;
    saved->added[saved->added_count++] = phase;
    return FIRN_OK;
}

static firn_result read_name(fr_pipeline *pipeline, const fr_game_entry *entry,
                             saved_pipeline *saved, const firn_value *name, const firn_value *value,
                             firn_error *err)
{
    if (name->kind != FIRN_VALUE_STRING || value->kind != FIRN_VALUE_BOOL) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err,
                             "disabledPhases is not a table of name = boolean");
    }
    firn_error why;
    firn_result result = fr_check_name(name->as.string, name->length, 255, "phase name", &why);
    if (result != FIRN_OK) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err, "disabledPhases: %s", why.message);
    }
    if (!value->as.boolean) {
        return FIRN_OK;
    }
    uint32_t index = fr_phase_named(pipeline, name->as.string, name->length);
    if (index == UINT32_MAX) {
        return add_unknown_phase(entry->world, saved, name, err);
    }
    pipeline->phases[index]->saved_disabled = true;
    return FIRN_OK;
}

static firn_result read_names(fr_pipeline *pipeline, const fr_game_entry *entry,
                              saved_pipeline *saved, const firn_value *names, firn_error *err)
{
    if (names == NULL) {
        return FIRN_OK;
    }
    if (names->kind != FIRN_VALUE_TABLE) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err, "disabledPhases is not a table");
    }
    uint32_t cursor = 0;
    firn_value name;
    const firn_value *value;
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && (value = firn_table_next(names, &cursor, &name)) != NULL) {
        result = read_name(pipeline, entry, saved, &name, value, err);
    }
    return result;
}

// A phase of a save before this one that nobody added and that is disabled no more.
static bool is_forgotten(const fr_phase *phase)
{
    return phase->group == FR_GROUP_NONE && !phase->saved_disabled;
}

// Room for the phases that only the save knows, so that commit cannot fail.
static firn_result reserve_phases(fr_pipeline *pipeline, const fr_game_entry *entry,
                                  const saved_pipeline *saved, firn_error *err)
{
    uint32_t need = pipeline->phase_count + saved->added_count;
    uint32_t forgotten = 0;
    for (uint32_t i = 0; i < pipeline->phase_count; i++) {
        forgotten += is_forgotten(pipeline->phases[i]);
    }
    if (need - forgotten > FR_PHASES_MOST) {
        return fr_entry_fail(entry, FIRN_LIMIT, err, "%u phases are above the limit %u",
                             need - forgotten, FR_PHASES_MOST);
    }
    const firn_allocator *allocator = &entry->world->allocator;
    return FR_RESERVE(allocator, pipeline->phases, pipeline->phase_capacity, need)
               ? FIRN_OK
               : fr_fail_memory(err, "phases");
}

static firn_result read_pipeline(void *user, const fr_game_entry *entry, void *prepared,
                                 firn_error *err)
{
    fr_game *game = user;
    fr_pipeline *pipeline = &game->pipeline;
    saved_pipeline *saved = prepared;
    const firn_value *names = firn_table_get_text(entry->value, "disabledPhases");
    for (uint32_t i = 0; i < pipeline->phase_count; i++) {
        pipeline->phases[i]->saved_disabled = false;
    }
    firn_result result = read_accumulator(entry, &saved->accumulator, err);
    if (result == FIRN_OK) {
        result = read_positions(pipeline, entry, names != NULL, err);
    }
    if (result == FIRN_OK) {
        result = read_names(pipeline, entry, saved, names, err);
    }
    return result == FIRN_OK ? reserve_phases(pipeline, entry, saved, err) : result;
}

static void free_saved(const firn_allocator *allocator, saved_pipeline *saved)
{
    FR_ARRAY_FREE(allocator, saved->added, saved->added_capacity);
    fr_free(allocator, saved, 1, sizeof *saved, alignof(saved_pipeline));
}

static void discard_pipeline(void *user, firn_world *world, void *prepared)
{
    (void)user;
    saved_pipeline *saved = prepared;
    if (saved == NULL) {
        return;
    }
    for (uint32_t i = 0; i < saved->added_count; i++) {
        fr_phase_free(&world->allocator, saved->added[i]);
    }
    free_saved(&world->allocator, saved);
}

static firn_result check_pipeline(void *user, firn_world *world, firn_reader *in, void **prepared,
                                  firn_error *err)
{
    const fr_entry_reading reading = {
        .key = FR_KEY_PIPELINE,
        .most = UINT64_C(4) * FR_PHASES_MOST,
        .saved_size = sizeof(saved_pipeline),
        .saved_align = alignof(saved_pipeline),
        .read = read_pipeline,
        .discard = discard_pipeline,
    };
    return fr_entry_check(&reading, user, world, in, prepared, err);
}

static void take_added(const firn_allocator *allocator, fr_pipeline *pipeline,
                       const saved_pipeline *saved)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < saved->added_count; i++) {
        while (at < pipeline->phase_count && !is_forgotten(pipeline->phases[at])) {
            at++;
        }
        if (at < pipeline->phase_count) {
            fr_phase_free(allocator, pipeline->phases[at]);
            pipeline->phases[at++] = saved->added[i];
        } else {
            pipeline->phases[pipeline->phase_count++] = saved->added[i];
            at = pipeline->phase_count;
        }
    }
}

// A save without an entry enables every phase and sets the accumulator to 0.
static void commit_pipeline(void *user, firn_world *world, void *prepared)
{
    fr_game *game = user;
    fr_pipeline *pipeline = &game->pipeline;
    saved_pipeline *saved = prepared;
    pipeline->accumulator = saved == NULL ? 0 : saved->accumulator;
    for (uint32_t i = 0; i < pipeline->phase_count; i++) {
        fr_phase *phase = pipeline->phases[i];
        phase->disabled = saved != NULL && phase->saved_disabled;
    }
    if (saved != NULL) {
        take_added(&world->allocator, pipeline, saved);
        free_saved(&world->allocator, saved);
    }
}

firn_result fr_pipeline_add_handler(firn_world *world, fr_game *game, firn_error *err)
{
    const firn_handler handler = {
        .abi = FIRN_ABI,
        .name = FR_KEY_PIPELINE,
        .save = save_pipeline,
        .check = check_pipeline,
        .commit = commit_pipeline,
        .discard = discard_pipeline,
        .user = game,
    };
    return fr_handler_add_resting(world, &handler, pipeline_rests, NULL, err);
}
