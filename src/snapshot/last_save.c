#include "snapshot/last_save.h"

#include "base/alloc.h"
#include "base/error.h"

// ---- the part

static void destroy_last_save(firn_world *world, void *data)
{
    fr_last_save *last = data;
    fr_selection_free(world, &last->selection);
    firn_buffer_free(&last->table);
    firn_buffer_free(&last->scratch);
    fr_free(&world->allocator, last, 1, sizeof *last, sizeof(void *));
}

fr_last_save *fr_last_save_of(firn_world *world, firn_error *err)
{
    fr_part *part = &world->parts[FR_PART_LAST_SAVE];
    if (part->data != NULL) {
        return part->data;
    }
    fr_last_save *made = fr_alloc_zero(&world->allocator, 1, sizeof *made, sizeof(void *));
    if (made == NULL) {
        fr_fail_memory(err, "selection");
        return NULL;
    }
    firn_buffer_init(&made->table, &world->allocator);
    firn_buffer_init(&made->scratch, &world->allocator);
    *part = (fr_part){made, destroy_last_save};
    return made;
}

// ---- selecting

static bool is_repeatable(const firn_world *world, const fr_filter *filter,
                          const fr_selection *selection)
{
    return fr_filter_takes_all(filter) && world->components.kept_count == 0 &&
           selection->targets.count == 0;
}

// The rows of every archetype that was selected, if those are the ones that have rows now. An
// address stands for its archetype: none was made since.
static bool repeat_runs(const firn_world *world, fr_selection *selection)
{
    uint32_t run = 0, entities = 0;
    for (uint32_t i = 0; i < world->order_count; i++) {
        fr_archetype *archetype = world->archetypes[world->order[i]];
        if (archetype->count == 0) {
            continue;
        }
        if (run == selection->run_count || selection->runs[run].archetype != archetype) {
            return false;
        }
        selection->runs[run].count = archetype->count;
        selection->runs[run].entities = archetype->entities;
        entities += archetype->count;
        run++;
    }
    selection->entity_count = entities;
    return run == selection->run_count;
}

static void count_frames(fr_selection *selection)
{
    for (uint32_t f = 0; f < selection->frame_count; f++) {
        fr_selected_frame *frame = &selection->frames[f];
        frame->rows = 0;
        for (uint32_t i = 0; i < frame->count; i++) {
            frame->rows += selection->runs[frame->first + i].count;
        }
    }
}

static bool repeat_selection(const fr_last_save *last, const firn_world *world,
                             const fr_filter *filter, fr_selection *selection)
{
    if (!last->repeatable || last->archetypes_made != world->archetypes_made ||
        last->components != world->components.count || !repeat_runs(world, selection) ||
        !is_repeatable(world, filter, selection)) {
        return false;
    }
    count_frames(selection);
    return true;
}

firn_result fr_last_save_select(fr_last_save *last, const firn_world *world, fr_filter *filter,
                                firn_error *err)
{
    if (repeat_selection(last, world, filter, &last->selection)) {
        return FIRN_OK;
    }
    last->repeatable = false;
    firn_buffer_clear(&last->table);
    firn_result result = fr_select(world, filter, NULL, &last->selection, err);
    if (result == FIRN_OK) {
        last->repeatable = is_repeatable(world, filter, &last->selection);
        last->archetypes_made = world->archetypes_made;
        last->components = world->components.count;
    }
    return result;
}

void fr_last_save_rest(fr_last_save *last, const firn_world *world)
{
    size_t bytes = fr_selection_bytes(&last->selection) + last->table.capacity;
    if (bytes > FR_LAST_SAVE_BYTES) {
        fr_selection_free(world, &last->selection);
        firn_buffer_free(&last->table);
        last->repeatable = false;
    }
    if (last->scratch.capacity > FR_LAST_SAVE_BYTES) {
        firn_buffer_free(&last->scratch);
    }
}
