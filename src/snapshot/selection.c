#include "snapshot/selection.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sort.h"
#include "snapshot/format.h"
#include "snapshot/target.h"
#include "store/relation.h"

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

// ---- rows that are picked

// Where a pick stands.
typedef struct picked_row {
    uint32_t place; // of its archetype, in the order of all
    uint32_t row;
} picked_row;

static int compare_picked_rows(const void *a, const void *b)
{
    const picked_row *left = a, *right = b;
    uint32_t first = left->place, second = right->place;
    if (first == second) {
        first = left->row;
        second = right->row;
    }
    return (first > second) - (first < second);
}

static bool add_picked_row(const firn_world *world, const fr_filter *filter,
                           fr_selection *selection, const picked_row *pick)
{
    fr_archetype *archetype = world->archetypes[world->order[pick->place]];
    uint32_t row = pick->row;
    if (filter != NULL && (fr_filter_next(filter, archetype, &row) == 0 || row != pick->row)) {
        return true;
    }
    fr_saved_rows *last =
        selection->run_count > 0 ? &selection->runs[selection->run_count - 1] : NULL;
    if (last != NULL && last->archetype == archetype && last->first + last->count == row) {
        last->count++;
        selection->entity_count++;
        return true;
    }
    return add_run(&world->allocator, selection, archetype, row, 1);
}

// Picks mostly come in the order of archetypes and rows, and then stand sorted.
static void sort_picked_rows(const firn_world *world, const fr_picks *picks, const uint32_t *places,
                             picked_row *rows, const picked_row **sorted)
{
    for (uint32_t i = 0; i < picks->count; i++) {
        uint64_t record = world->index.records[fr_slot(picks->entities[i])];
        rows[i] = (picked_row){places[fr_record_archetype(record)], fr_record_row(record)};
        sorted[i] = &rows[i];
    }
    fr_sort((const void **)sorted, picks->count, compare_picked_rows);
}

static void place_archetypes(const firn_world *world, uint32_t *places)
{
    for (uint32_t i = 0; i < world->order_count; i++) {
        places[world->order[i]] = i;
    }
}

static bool select_picks(const firn_world *world, const fr_filter *filter, fr_selection *selection)
{
    const firn_allocator *allocator = &world->allocator;
    const uint32_t count = selection->picks->count, archetypes = world->archetype_count;
    if (count == 0) {
        return true;
    }
    picked_row *rows = fr_alloc(allocator, count, sizeof *rows, sizeof(uint32_t));
    const picked_row **sorted = fr_alloc(allocator, count, sizeof *sorted, sizeof(void *));
    uint32_t *places = fr_alloc(allocator, archetypes, sizeof *places, sizeof *places);
    bool done = rows != NULL && sorted != NULL && places != NULL;
    if (done) {
        place_archetypes(world, places);
        sort_picked_rows(world, selection->picks, places, rows, sorted);
    }
    for (uint32_t i = 0; done && i < count; i++) {
        done = add_picked_row(world, filter, selection, sorted[i]);
    }
    fr_free(allocator, places, archetypes, sizeof *places, sizeof *places);
    fr_free(allocator, sorted, count, sizeof *sorted, sizeof(void *));
    fr_free(allocator, rows, count, sizeof *rows, sizeof(uint32_t));
    return done;
}

static bool select_archetypes(const firn_world *world, const fr_filter *filter,
                              fr_selection *selection)
{
    bool done = true;
    for (uint32_t i = 0; done && i < world->order_count; i++) {
        done = select_rows(world, filter, selection, world->archetypes[world->order[i]]);
    }
    return done;
}

// ---- frames

// The place of a name, which is added when it is new. False: no memory.
static bool select_name(const firn_allocator *allocator, fr_selection *selection,
                        fr_component *component, firn_entity target, uint32_t *at)
{
    uint32_t *place = &selection->places[component->index];
    fr_term term = fr_relation_term(component, target);
    if (target == 0 ? *place != 0 : fr_map_get(&selection->targets, term) != FR_MAP_NONE) {
        *at = target == 0 ? *place - 1 : fr_map_get(&selection->targets, term);
        return true;
    }
    *at = selection->name_count;
    if (!FR_RESERVE(allocator, selection->names, selection->name_capacity, *at + 1) ||
        (target != 0 && !fr_map_add(allocator, &selection->targets, term, *at))) {
        return false;
    }
    selection->names[selection->name_count++] = (fr_saved_name){component, target, 0};
    *place = *at + 1;
    return true;
}

static bool is_data(const fr_component *component)
{
    return component->kind != FIRN_TAG && !component->kept_tag && !fr_relation_is_by_row(component);
}

// The target of a term of an archetype that has rows; 0 when it is no dense relation.
static firn_entity target_of_term(const fr_archetype *archetype, uint32_t term)
{
    if ((uint32_t)archetype->terms[term] == 0) {
        return 0;
    }
    return fr_edge_target(fr_archetype_term_column(archetype, archetype->terms[term])->data);
}

// The target that the name says, or 0.
static firn_entity saved_target(const fr_saved_name *name)
{
    return name->target != 0 ? name->target : name->component->kept_target;
}

static int compare_relation_names(const fr_component *a, const fr_component *b)
{
    return fr_compare_names(a->name, a->name_size - a->kept_suffix, b->name,
                            b->name_size - b->kept_suffix);
}

int fr_compare_saved_names(const void *a, const void *b)
{
    const fr_saved_name *left = a, *right = b;
    int order = compare_relation_names(left->component, right->component);
    firn_entity left_target = saved_target(left), right_target = saved_target(right);
    return order != 0 ? order : (left_target > right_target) - (left_target < right_target);
}

// The targets of a relation stand by their slots in an archetype, and by their ids in a save.
static void insert_column(fr_selection *selection, uint32_t first, uint32_t at)
{
    uint32_t place = selection->column_count++;
    const fr_saved_name *names = selection->names;
    while (place > first && saved_target(&names[at]) != 0 &&
           saved_target(&names[selection->columns[place - 1]]) != 0 &&
           fr_compare_saved_names(&names[selection->columns[place - 1]], &names[at]) > 0) {
        selection->columns[place] = selection->columns[place - 1];
        place--;
    }
    selection->columns[place] = at;
}

// Raw columns and ids are most of most images: room for them at once spares moving what is written.
static size_t least_row_bytes(const fr_selection *selection, const fr_selected_frame *frame)
{
    size_t bytes = frame->by_row ? FR_ROW_BYTES : FR_ID_BYTES;
    for (uint32_t i = 0; i < frame->column_count; i++) {
        const fr_component *component = fr_selected_column(selection, frame, i)->component;
        bytes += component->raw ? component->layout.wire_size : component->kind == FIRN_TAG;
        bytes += component->kind == FIRN_RELATION ? FR_TARGET_BYTES : 0;
    }
    return bytes;
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
    for (int group = 0; group < 2; group++) {
        for (uint32_t k = 0; k < archetype->durable_count; k++) {
            uint32_t term = archetype->by_name[k], at;
            fr_component *component = archetype->components[term];
            if (is_data(component) != (group == 0)) {
                continue;
            }
            if (!select_name(allocator, selection, component, target_of_term(archetype, term),
                             &at)) {
                return false;
            }
            insert_column(selection, frame->first_column, at);
            frame->by_row |= fr_relation_is_by_row(component);
        }
    }
    frame->column_count = selection->column_count - frame->first_column;
    frame->row_bytes = least_row_bytes(selection, frame);
    return true;
}

static bool same_frame(const fr_saved_rows *a, const fr_saved_rows *b)
{
    return a->archetype == b->archetype || fr_archetype_same_durable(a->archetype, b->archetype);
}

static bool make_frames(const firn_allocator *allocator, fr_selection *selection)
{
    fr_selected_frame *last = NULL;
    for (uint32_t i = 0; i < selection->run_count; i++) {
        const fr_saved_rows *run = &selection->runs[i];
        if (last == NULL || !same_frame(&selection->runs[last->first], run)) {
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

bool fr_selection_has(const fr_selection *selection, const fr_component *component)
{
    return selection->places[component->index] != 0;
}

const char *fr_saved_name_text(const fr_saved_name *name, char out[FR_SAVED_NAME_BYTES],
                               size_t *size)
{
    *size = name->component->name_size;
    if (name->target == 0) {
        return name->component->name;
    }
    *size = (size_t)snprintf(out, FR_SAVED_NAME_BYTES, "%s" FR_ARROW "%llu", name->component->name,
                             (unsigned long long)name->target);
    return out;
}

// What a selected component requires and no entity has was removed by the game. The table names it
// all the same: what a save does not know by name comes back with its default.
static bool select_required(const firn_world *world, fr_selection *selection)
{
    // Closed sets: what is selected here requires nothing new.
    uint32_t used = selection->name_count, at;
    for (uint32_t i = 0; i < used; i++) {
        const fr_component *component = selection->names[i].component;
        for (uint32_t k = 0; k < component->required_count; k++) {
            fr_component *required = world->components.items[component->required[k]];
            if (!required->transient &&
                !select_name(&world->allocator, selection, required, 0, &at)) {
                return false;
            }
        }
    }
    return true;
}

// What is kept is named whether it has rows or not, as in the save that it is from.
static bool select_listed(const firn_world *world, fr_selection *selection)
{
    const fr_components *components = &world->components;
    uint32_t at;
    for (uint32_t i = 0; components->kept_count > 0 && i < components->count; i++) {
        if (components->items[i]->listed &&
            !select_name(&world->allocator, selection, components->items[i], 0, &at)) {
            return false;
        }
    }
    return true;
}

static bool make_table(const firn_world *world, fr_selection *selection)
{
    if (!select_required(world, selection) || !select_listed(world, selection)) {
        return false;
    }
    if (!FR_RESERVE(&world->allocator, selection->table, selection->table_capacity,
                    selection->name_count + 1)) {
        return false;
    }
    for (uint32_t i = 0; i < selection->name_count; i++) {
        selection->table[i] = &selection->names[i];
    }
    fr_sort((const void **)selection->table, selection->name_count, fr_compare_saved_names);
    for (uint32_t i = 0; i < selection->name_count; i++) {
        selection->names[selection->table[i] - selection->names].place = i + 1;
    }
    return true;
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

static void forget_kept(const firn_world *world, fr_selection *selection)
{
    fr_free(&world->allocator, selection->kept, selection->kept_bytes, 1, 1);
    selection->kept = NULL;
}

static void clear_selection(const firn_world *world, fr_selection *selection)
{
    selection->run_count = 0;
    selection->frame_count = 0;
    selection->column_count = 0;
    selection->name_count = 0;
    selection->entity_count = 0;
    fr_map_clear(&selection->targets);
    forget_kept(world, selection);
}

static bool fill_selection(const firn_world *world, const fr_filter *filter,
                           fr_selection *selection)
{
    const firn_allocator *allocator = &world->allocator;
    uint32_t components = world->components.count + 1;
    if (!FR_RESERVE(allocator, selection->places, selection->place_capacity, components)) {
        return false;
    }
    memset(selection->places, 0, components * sizeof *selection->places);
    if (!(selection->picks != NULL ? select_picks(world, filter, selection)
                                   : select_archetypes(world, filter, selection)) ||
        !make_frames(allocator, selection) || !make_table(world, selection)) {
        return false;
    }
    return selection->picks != NULL || selection->entity_count == world->index.alive ||
           note_kept(world, selection);
}

firn_result fr_select(const firn_world *world, fr_filter *filter, const fr_picks *picks,
                      fr_selection *out, firn_error *err)
{
    clear_selection(world, out);
    out->picks = picks;
    firn_result result = filter != NULL ? fr_filter_find_layer(filter, world, err) : FIRN_OK;
    if (result == FIRN_OK && !fill_selection(world, filter, out)) {
        result = fr_fail_memory(err, "selection");
    }
    return result;
}

size_t fr_selection_bytes(const fr_selection *selection)
{
    return selection->run_capacity * sizeof *selection->runs +
           selection->frame_capacity * sizeof *selection->frames +
           selection->column_capacity * sizeof *selection->columns +
           selection->name_capacity * sizeof *selection->names +
           selection->table_capacity * sizeof *selection->table +
           selection->place_capacity * sizeof *selection->places +
           selection->targets.capacity * sizeof(uint64_t[2]) +
           (selection->kept != NULL ? selection->kept_bytes : 0);
}

void fr_selection_free(const firn_world *world, fr_selection *selection)
{
    const firn_allocator *allocator = &world->allocator;
    FR_ARRAY_FREE(allocator, selection->runs, selection->run_capacity);
    FR_ARRAY_FREE(allocator, selection->frames, selection->frame_capacity);
    FR_ARRAY_FREE(allocator, selection->columns, selection->column_capacity);
    FR_ARRAY_FREE(allocator, selection->names, selection->name_capacity);
    FR_ARRAY_FREE(allocator, selection->table, selection->table_capacity);
    FR_ARRAY_FREE(allocator, selection->places, selection->place_capacity);
    fr_map_free(allocator, &selection->targets);
    forget_kept(world, selection);
    *selection = (fr_selection){.run_count = 0};
}
