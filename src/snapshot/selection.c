#include "snapshot/selection.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sort.h"
#include "store/relation.h"

// In fr_selection.places until the table is sorted.
#define PLACE_USED     (UINT32_MAX - 1)
#define PLACE_EXCLUDED UINT32_MAX

static bool is_excluded(const uint32_t *places, const fr_component *component)
{
    return places[component->index] == PLACE_EXCLUDED;
}

// ---- runs

static bool add_run(const firn_allocator *allocator, fr_selection *selection,
                    fr_archetype *archetype, uint32_t first, uint32_t count)
{
    if (!FR_RESERVE(allocator, selection->runs, selection->run_capacity,
                    selection->run_count + 1)) {
        return false;
    }
    selection->runs[selection->run_count++] =
        (fr_saved_rows){archetype, first, count, archetype->entities + first};
    selection->entity_count += count;
    return true;
}

static bool select_rows(const firn_world *world, const fr_filter *filter, fr_selection *selection,
                        fr_archetype *archetype)
{
    if (filter == NULL) {
        return archetype->count == 0 ||
               add_run(&world->allocator, selection, archetype, 0, archetype->count);
    }
    uint32_t row = 0, count;
    while ((count = fr_filter_next(filter, archetype, &row)) > 0) {
        if (!add_run(&world->allocator, selection, archetype, row, count)) {
            return false;
        }
        row += count;
    }
    return true;
}

// ---- the order of runs when components are left out

// One run among others, all with the same `places`.
typedef struct ordered_run {
    fr_saved_rows rows;
    const uint32_t *places;
    uint32_t order; // of before
} ordered_run;

// The next term from *at on that is saved, by name; false behind the last.
static bool next_saved(const ordered_run *run, uint32_t *at, fr_component **component,
                       uint32_t *target)
{
    const fr_archetype *archetype = run->rows.archetype;
    for (; *at < archetype->durable_count; ++*at) {
        uint32_t term = archetype->by_name[*at];
        if (!is_excluded(run->places, archetype->components[term])) {
            *component = archetype->components[term];
            *target = (uint32_t)archetype->terms[term];
            ++*at;
            return true;
        }
    }
    return false;
}

// As fr_archetype_compare orders the durable terms, without those that are left out.
static int compare_saved_terms(const ordered_run *a, const ordered_run *b)
{
    uint32_t i = 0, k = 0, left_target, right_target;
    int by_target = 0;
    for (;;) {
        fr_component *left, *right;
        bool more_left = next_saved(a, &i, &left, &left_target);
        bool more_right = next_saved(b, &k, &right, &right_target);
        if (!more_left || !more_right) {
            return more_left != more_right ? (more_left ? 1 : -1) : by_target;
        }
        int by_name = fr_compare_names(left->name, left->name_size, right->name, right->name_size);
        if (by_name != 0) {
            return by_name;
        }
        if (by_target == 0) {
            by_target = (left_target > right_target) - (left_target < right_target);
        }
    }
}

static int compare_ordered_runs(const void *a, const void *b)
{
    const ordered_run *left = a, *right = b;
    int order = compare_saved_terms(left, right);
    return order != 0 ? order : (left->order > right->order) - (left->order < right->order);
}

static bool sort_runs(const firn_allocator *allocator, fr_selection *selection)
{
    uint32_t count = selection->run_count;
    if (count == 0) {
        return true;
    }
    ordered_run *runs = fr_alloc(allocator, count, sizeof *runs, sizeof(void *));
    const ordered_run **order = fr_alloc(allocator, count, sizeof *order, sizeof(void *));
    bool done = runs != NULL && order != NULL;
    for (uint32_t i = 0; done && i < count; i++) {
        runs[i] = (ordered_run){selection->runs[i], selection->places, i};
        order[i] = &runs[i];
    }
    if (done) {
        fr_sort((const void **)order, count, compare_ordered_runs);
    }
    for (uint32_t i = 0; done && i < count; i++) {
        selection->runs[i] = order[i]->rows;
    }
    fr_free(allocator, runs, count, sizeof *runs, sizeof(void *));
    fr_free(allocator, order, count, sizeof *order, sizeof(void *));
    return done;
}

// ---- frames

static void select_component(fr_selection *selection, fr_component *component)
{
    if (!component->transient && selection->places[component->index] == 0) {
        selection->places[component->index] = PLACE_USED;
        selection->components[selection->component_count++] = component;
    }
}

static bool add_columns(const firn_allocator *allocator, fr_selection *selection,
                        fr_selected_frame *frame)
{
    const fr_archetype *archetype = selection->runs[frame->first].archetype;
    if (!FR_RESERVE(allocator, selection->columns, selection->column_capacity,
                    selection->column_count + archetype->durable_count)) {
        return false;
    }
    frame->first_column = selection->column_count;
    for (int tags = 0; tags < 2; tags++) {
        for (uint32_t k = 0; k < archetype->durable_count; k++) {
            fr_component *component = archetype->components[archetype->by_name[k]];
            if ((component->kind == FIRN_TAG) == (tags == 1) &&
                !is_excluded(selection->places, component)) {
                selection->columns[selection->column_count++] = component;
                select_component(selection, component);
            }
        }
    }
    frame->column_count = selection->column_count - frame->first_column;
    return true;
}

static bool same_frame(const fr_selection *selection, const fr_saved_rows *a,
                       const fr_saved_rows *b)
{
    if (a->archetype == b->archetype) {
        return true;
    }
    if (!selection->reduced) {
        return fr_archetype_same_durable(a->archetype, b->archetype);
    }
    const ordered_run left = {*a, selection->places, 0}, right = {*b, selection->places, 0};
    return compare_saved_terms(&left, &right) == 0;
}

static bool make_frames(const firn_allocator *allocator, fr_selection *selection)
{
    fr_selected_frame *last = NULL;
    for (uint32_t i = 0; i < selection->run_count; i++) {
        const fr_saved_rows *run = &selection->runs[i];
        if (last == NULL || !same_frame(selection, &selection->runs[last->first], run)) {
            if (!FR_RESERVE(allocator, selection->frames, selection->frame_capacity,
                            selection->frame_count + 1)) {
                return false;
            }
            last = &selection->frames[selection->frame_count++];
            *last = (fr_selected_frame){.first = i};
            if (!add_columns(allocator, selection, last)) {
                return false;
            }
        }
        last->count++;
        last->rows += run->count;
    }
    return true;
}

// ---- the component table

static int compare_selected(const void *a, const void *b)
{
    const fr_component *left = a, *right = b;
    return fr_compare_names(left->name, left->name_size, right->name, right->name_size);
}

// What a selected component requires and no entity has was removed by the game. The table names it
// all the same: what a save does not know by name comes back with its default.
static void select_required(const firn_world *world, fr_selection *selection)
{
    // Closed sets: what is selected here requires nothing new.
    uint32_t used = selection->component_count;
    for (uint32_t i = 0; i < used; i++) {
        const fr_component *component = selection->components[i];
        for (uint32_t k = 0; k < component->required_count; k++) {
            select_component(selection, world->components.items[component->required[k]]);
        }
    }
}

static void place_components(const firn_world *world, fr_selection *selection)
{
    select_required(world, selection);
    fr_sort((const void **)selection->components, selection->component_count, compare_selected);
    for (uint32_t i = 0; i < selection->component_count; i++) {
        selection->places[selection->components[i]->index] = i + 1;
    }
}

// ---- the whole

static bool note_kept(const firn_world *world, fr_selection *selection)
{
    selection->kept_bytes = (size_t)world->index.next_slot / 8 + 1;
    selection->kept = fr_alloc_zero(&world->allocator, selection->kept_bytes, 1, 1);
    for (uint32_t i = 0; selection->kept != NULL && i < selection->run_count; i++) {
        const fr_saved_rows *run = &selection->runs[i];
        for (uint32_t k = 0; k < run->count; k++) {
            uint32_t slot = fr_slot(run->entities[k]);
            selection->kept[slot / 8] |= (uint8_t)(1u << (slot % 8));
        }
    }
    return selection->kept != NULL;
}

static bool fill_selection(const firn_world *world, const fr_filter *filter,
                           fr_selection *selection)
{
    const firn_allocator *allocator = &world->allocator;
    selection->component_room = world->components.count + 1;
    selection->components = fr_alloc(allocator, selection->component_room,
                                     sizeof *selection->components, sizeof(void *));
    selection->places = fr_alloc_zero(allocator, selection->component_room,
                                      sizeof *selection->places, sizeof(void *));
    if (selection->components == NULL || selection->places == NULL) {
        return false;
    }
    uint32_t excluded = filter != NULL ? filter->excluded_count : 0;
    selection->reduced = excluded > 0;
    for (uint32_t i = 0; i < excluded; i++) {
        selection->places[filter->excluded[i]] = PLACE_EXCLUDED;
    }
    for (uint32_t i = 0; i < world->order_count; i++) {
        if (!select_rows(world, filter, selection, world->archetypes[world->order[i]])) {
            return false;
        }
    }
    if ((selection->reduced && !sort_runs(allocator, selection)) ||
        !make_frames(allocator, selection)) {
        return false;
    }
    place_components(world, selection);
    return selection->entity_count == world->index.alive || note_kept(world, selection);
}

firn_result fr_select(const firn_world *world, fr_filter *filter, fr_selection *out,
                      firn_error *err)
{
    *out = (fr_selection){.run_count = 0};
    firn_result result = fr_relations_check_saved(world, err);
    if (result == FIRN_OK && filter != NULL) {
        result = fr_filter_find_layer(filter, world, err);
    }
    if (result == FIRN_OK && !fill_selection(world, filter, out)) {
        result = fr_fail_memory(err, "selection");
    }
    if (result != FIRN_OK) {
        fr_selection_free(world, out);
    }
    return result;
}

void fr_selection_free(const firn_world *world, fr_selection *selection)
{
    const firn_allocator *allocator = &world->allocator;
    FR_ARRAY_FREE(allocator, selection->runs, selection->run_capacity);
    FR_ARRAY_FREE(allocator, selection->frames, selection->frame_capacity);
    FR_ARRAY_FREE(allocator, selection->columns, selection->column_capacity);
    fr_free(allocator, selection->components, selection->component_room,
            sizeof *selection->components, sizeof(void *));
    fr_free(allocator, selection->places, selection->component_room, sizeof *selection->places,
            sizeof(void *));
    fr_free(allocator, selection->kept, selection->kept_bytes, 1, 1);
    *selection = (fr_selection){.run_count = 0};
}
