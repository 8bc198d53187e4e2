#include "base/array.h"
#include "base/error.h"
#include "buffer/bytes.h"
#include "snapshot/edges.h"
#include "value/check.h"

// The columns of a frame that the game takes, and which of them the row at hand lacks.
typedef struct frame_plan {
    fr_load *load;
    uint32_t frame;
    const fr_frame *at;
    fr_term *terms; // of the rows at hand
    uint32_t term_count;
    uint32_t term_capacity;
    fr_in *cursors;  // columns that hold nils: where the row at hand stands
    uint32_t *holed; // the spans of those columns
    bool *absent;    // the row at hand lacks it
    uint32_t holed_count;
    uint32_t holed_capacity, cursor_capacity, absent_capacity;
} frame_plan;

static bool add_term(frame_plan *plan, fr_term term)
{
    if (!FR_RESERVE(&plan->load->world->allocator, plan->terms, plan->term_capacity,
                    plan->term_count + 1)) {
        return false;
    }
    fr_terms_insert(plan->terms, &plan->term_count, term);
    return true;
}

// Whether the rows at hand have an exclusive relation already.
static bool has_other_target(const frame_plan *plan, const fr_source *source)
{
    const fr_component *component = source->component;
    uint32_t at = fr_terms_place(plan->terms, plan->term_count, fr_term_make(component->index, 0));
    return fr_relation_is_exclusive(component) && at < plan->term_count &&
           fr_term_component(plan->terms[at]) == component->index;
}

// A required component comes with its default when it is transient, or when the save does not know
// its name; one that the save knows and the entity lacks was removed by the game.
static bool comes_by_default(const fr_load *load, uint32_t component)
{
    const fr_component *required = load->world->components.items[component];
    return required->transient || load->entry_of[component] == UINT32_MAX;
}

// Rows that become others keep what they have, less what they become.
static bool begin_terms(frame_plan *plan)
{
    plan->term_count = 0;
    if (plan->load->from == NULL) {
        return true;
    }
    const fr_archetype *from = plan->load->from[plan->frame];
    bool added = true;
    for (uint32_t i = 0; added && i < from->term_count; i++) {
        added = from->components[i]->claimed || add_term(plan, from->terms[i]);
    }
    return added;
}

// The terms of the rows at hand: what the frame has, less what is absent, and what that requires.
static firn_result collect_terms(frame_plan *plan, firn_error *err)
{
    fr_load *load = plan->load;
    if (!begin_terms(plan)) {
        return fr_fail_memory(err, "frame");
    }
    uint32_t hole = 0; // the next of `holed`, which is in the order of spans
    for (uint32_t i = 0; i < plan->at->column_count; i++) {
        uint32_t span = plan->at->first_column + i;
        const fr_source *source = &load->sources[load->image.spans[span].entry];
        bool holed = hole < plan->holed_count && plan->holed[hole] == span;
        bool absent = holed && plan->absent[hole];
        hole += holed;
        if (source->how == FR_SKIP || absent) {
            continue;
        }
        const fr_component *component = source->component;
        if (has_other_target(plan, source)) {
            return fr_fail_at(err, FIRN_INVALID, plan->at->offset, component->name,
                              "%s is exclusive, and rows of the save have two targets of it",
                              component->name);
        }
        bool added = add_term(plan, fr_relation_term(component, source->new_target));
        for (uint32_t k = 0; added && k < component->required_count; k++) {
            if (comes_by_default(load, component->required[k])) {
                added = add_term(plan, fr_term_make(component->required[k], 0));
            }
        }
        if (!added) {
            return fr_fail_memory(err, "frame");
        }
    }
    return FIRN_OK;
}

// The stage of the archetype with these sorted terms, which is made when it is not there.
static firn_result find_stage(fr_load *load, const fr_term *terms, uint32_t count, uint32_t *stage,
                              firn_error *err)
{
    firn_world *world = load->world;
    const firn_allocator *allocator = &world->allocator;
    if (!FR_RESERVE(allocator, load->stages, load->stage_capacity, load->stage_count + 1) ||
        !FR_RESERVE(allocator, load->made, load->made_capacity, load->made_count + 1) ||
        !fr_map_reserve(allocator, &load->stage_of, 1)) {
        return fr_fail_memory(err, "frame");
    }
    uint64_t before = world->archetypes_made;
    fr_archetype *archetype = fr_world_archetype(world, terms, count, err);
    if (archetype == NULL) {
        return err->code;
    }
    if (world->archetypes_made > before) {
        load->made[load->made_count++] = archetype->index;
    }
    *stage = fr_map_get(&load->stage_of, archetype->index);
    if (*stage != FR_MAP_NONE) {
        return FIRN_OK;
    }
    // A frame whose columns hold nils can ask for an archetype a row.
    if (load->stage_count == load->image.limits.archetypes) {
        return fr_fail(err, FIRN_LIMIT, "archetypes",
                       "the save has entities of more than %u sets of components: the limit",
                       load->image.limits.archetypes);
    }
    *stage = load->stage_count++;
    load->stages[*stage] = (fr_stage){.archetype = archetype};
    archetype->held = true;
    fr_map_add(allocator, &load->stage_of, archetype->index, *stage);
    return FIRN_OK;
}

static firn_result add_piece(frame_plan *plan, uint32_t first, uint32_t rows, firn_error *err)
{
    fr_load *load = plan->load;
    uint32_t stage = 0;
    if (rows == 0) {
        return FIRN_OK;
    }
    firn_result result = collect_terms(plan, err);
    if (result == FIRN_OK) {
        result = find_stage(load, plan->terms, plan->term_count, &stage, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (!FR_RESERVE(&load->world->allocator, load->pieces, load->piece_capacity,
                    load->piece_count + 1)) {
        return fr_fail_memory(err, "frame");
    }
    load->pieces[load->piece_count++] =
        (fr_piece){plan->frame, first, rows, stage, load->stages[stage].rows};
    load->stages[stage].rows += rows;
    return FIRN_OK;
}

// Whether rows of a column lack it: those without a value, and, but for tags, those whose value is
// nil.
static bool has_holes(const fr_load *load, const fr_span *span)
{
    switch (load->sources[span->entry].how) {
    case FR_SKIP:
        return false;
    case FR_PRESENCE:
        return span->absent > 0;
    case FR_EDGE:
        return span->nils > 0 || load->sources[span->entry].holed;
    default:
        return span->nils > 0;
    }
}

// Finds the columns whose holes split the frame into pieces.
static firn_result find_holed(frame_plan *plan, firn_error *err)
{
    fr_load *load = plan->load;
    const firn_allocator *allocator = &load->world->allocator;
    plan->holed_count = 0;
    for (uint32_t i = 0; i < plan->at->column_count; i++) {
        const fr_span *span = &load->image.spans[plan->at->first_column + i];
        if (!has_holes(load, span)) {
            continue;
        }
        uint32_t need = plan->holed_count + 1;
        if (!FR_RESERVE(allocator, plan->holed, plan->holed_capacity, need) ||
            !FR_RESERVE(allocator, plan->cursors, plan->cursor_capacity, need) ||
            !FR_RESERVE(allocator, plan->absent, plan->absent_capacity, need)) {
            return fr_fail_memory(err, "frame");
        }
        plan->holed[plan->holed_count] = plan->at->first_column + i;
        fr_in_begin(&plan->cursors[plan->holed_count], span->bytes, span->size);
        plan->absent[plan->holed_count++] = false;
    }
    return FIRN_OK;
}

static bool lacks(const frame_plan *plan, uint32_t hole, uint32_t row)
{
    const fr_span *span = &plan->load->image.spans[plan->holed[hole]];
    if (!fr_span_has(span, row)) {
        return true;
    }
    const fr_in *cursor = &plan->cursors[hole];
    const fr_source *source = &plan->load->sources[span->entry];
    if (span->nils > span->absent && source->how != FR_PRESENCE &&
        fr_value_tag(cursor->at, cursor->end) == FR_TAG_NIL) {
        return true;
    }
    return source->how == FR_EDGE && source->holed &&
           fr_load_lacks_edges(plan->load, span, cursor->at, cursor->end);
}

// Whether `row` lacks other columns than the one before it. `absent` is brought up to date only
// when the rows before were added.
static bool row_differs(const frame_plan *plan, uint32_t row)
{
    for (uint32_t i = 0; i < plan->holed_count; i++) {
        if (plan->absent[i] != lacks(plan, i, row)) {
            return true;
        }
    }
    return false;
}

static firn_result plan_rows(frame_plan *plan, firn_error *err)
{
    const fr_span *spans = plan->load->image.spans;
    uint32_t first = 0;
    for (uint32_t row = 0; row < plan->at->rows; row++) {
        if (row_differs(plan, row)) {
            firn_result result = add_piece(plan, first, row - first, err);
            if (result != FIRN_OK) {
                return result;
            }
            first = row;
            for (uint32_t i = 0; i < plan->holed_count; i++) {
                plan->absent[i] = lacks(plan, i, row);
            }
        }
        for (uint32_t i = 0; i < plan->holed_count; i++) {
            bool raw = plan->load->image.entries[spans[plan->holed[i]].entry].raw;
            if (!raw && !fr_value_check_next(&plan->cursors[i], &plan->load->image.limits, err)) {
                return FIRN_CORRUPT; // was checked: cannot be
            }
        }
    }
    return add_piece(plan, first, plan->at->rows - first, err);
}

firn_result fr_load_plan(fr_load *load, firn_error *err)
{
    const firn_allocator *allocator = &load->world->allocator;
    firn_error why = {.code = FIRN_OK};
    frame_plan plan = {.load = load};
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < load->image.frame_count; i++) {
        plan.frame = i;
        plan.at = &load->image.frames[i];
        result = find_holed(&plan, &why);
        if (result == FIRN_OK && plan.holed_count == 0) {
            result = add_piece(&plan, 0, plan.at->rows, &why);
        } else if (result == FIRN_OK) {
            result = plan_rows(&plan, &why);
        }
    }
    FR_ARRAY_FREE(allocator, plan.terms, plan.term_capacity);
    FR_ARRAY_FREE(allocator, plan.holed, plan.holed_capacity);
    FR_ARRAY_FREE(allocator, plan.cursors, plan.cursor_capacity);
    FR_ARRAY_FREE(allocator, plan.absent, plan.absent_capacity);
    if (result == FIRN_LIMIT) {
        why.offset = plan.at->offset;
    }
    return result == FIRN_OK ? FIRN_OK : fr_fail_copy(err, &why);
}
