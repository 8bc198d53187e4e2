// Rows that somebody watches (firn_world.watch): looked at before the world changes, and their
// entities told of when it has.
#include "base/alloc.h"
#include "base/error.h"
#include "snapshot/load.h"

static const fr_blob *watched_rows(const fr_load *load, const fr_stage *stage)
{
    const fr_column *column = fr_archetype_column(stage->archetype, load->world->watch.component);
    return column == NULL ? NULL : stage->blocks[column - stage->archetype->columns];
}

static firn_result check_stage(fr_load *load, const fr_stage *stage, firn_error *err)
{
    const fr_blob *rows = watched_rows(load, stage);
    for (uint32_t row = 0; rows != NULL && row < stage->rows; row++) {
        firn_result result = load->world->watch.check(load->world, &rows[row], err);
        if (result != FIRN_OK) {
            if (err != NULL) {
                err->entity = fr_load_saved_id(load, stage->entities[row]);
            }
            return result;
        }
        load->watched[load->watched_count++] = stage->entities[row];
    }
    return FIRN_OK;
}

firn_result fr_load_watch(fr_load *load, firn_error *err)
{
    firn_world *world = load->world;
    uint32_t component = world->watch.component;
    if (world->watch.check == NULL || !fr_load_brings(load, world->components.items[component])) {
        return FIRN_OK;
    }
    for (uint32_t i = 0; i < load->stage_count; i++) {
        load->watched_room +=
            watched_rows(load, &load->stages[i]) == NULL ? 0 : load->stages[i].rows;
    }
    if (load->watched_room > 0) {
        load->watched = fr_alloc(&world->allocator, load->watched_room, sizeof *load->watched,
                                 sizeof(firn_entity));
    }
    bool room = load->watched != NULL || load->watched_room == 0;
    firn_result result = room ? FIRN_OK : fr_fail_memory(err, "entities");
    for (uint32_t i = 0; result == FIRN_OK && i < load->stage_count; i++) {
        result = check_stage(load, &load->stages[i], err);
    }
    return result;
}
