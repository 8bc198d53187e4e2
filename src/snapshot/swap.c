#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "snapshot/edges.h"
#include "store/kept.h"
#include "store/relation.h"
#include "store/unique.h"

// The replaced rows: their drop hooks run before the new rows are in place, and all of them before
// the first string goes, for a hook may read other entities.
static void drop_old_rows(fr_load *load)
{
    firn_world *world = load->world;
    for (uint32_t i = 0; i < world->order_count; i++) {
        fr_archetype *archetype = world->archetypes[world->order[i]];
        fr_archetype_run_drops(world, archetype, NULL, 0, archetype->count);
    }
    fr_unique_forget(world);
    for (uint32_t i = 0; i < world->order_count; i++) {
        fr_archetype *archetype = world->archetypes[world->order[i]];
        fr_archetype_free_blobs(&world->allocator, archetype, NULL, 0, archetype->count);
        archetype->count = 0;
    }
}

bool fr_load_brings(const fr_load *load, const fr_component *component)
{
    uint32_t entry = load->entry_of[component->index];
    return entry != UINT32_MAX && load->sources[entry].how != FR_SKIP;
}

static void install_blocks(fr_load *load, fr_stage *stage)
{
    const firn_allocator *allocator = &load->world->allocator;
    fr_archetype *archetype = stage->archetype;
    fr_column_free(allocator, archetype->spare_entities, sizeof(firn_entity),
                   archetype->spare_capacity);
    archetype->spare_entities = archetype->entities;
    archetype->spare_capacity = archetype->capacity;
    archetype->entities = stage->entities;
    stage->entities = NULL;
    for (uint32_t i = 0; i < archetype->column_count; i++) {
        fr_column *column = &archetype->columns[i];
        if (stage->blocks[i] == NULL) {
            // Made in the live block: from the image's bytes below, or from defaults, which own
            // nothing.
            if (!fr_load_brings(load, column->component)) {
                fr_component_fill(allocator, column->component, column->data, stage->rows);
            }
            continue;
        }
        fr_column_free(allocator, column->data, column->component->stride, archetype->capacity);
        column->data = stage->blocks[i];
        stage->blocks[i] = NULL;
    }
    archetype->capacity = stage->capacity;
    archetype->count = stage->rows;
}

// Rows that are made from the image's raw bytes, or from defaults, where they stay. Cannot fail:
// the bytes were checked, and default rows of structs own nothing.
static void make_rows(fr_load *load, const fr_piece *piece, const fr_span *span)
{
    fr_source *source = &load->sources[span->entry];
    if ((source->how != FR_COPY && source->how != FR_MIGRATE) || !fr_span_has(span, piece->first)) {
        return;
    }
    const fr_component *component = source->component;
    const fr_schema *schema = &load->image.entries[span->entry].schema;
    const fr_stage *stage = &load->stages[piece->stage];
    const fr_column *column = fr_archetype_column(stage->archetype, component->index);
    assert(column != NULL); // only tags have none
    uint8_t *rows = column->data + ((size_t)stage->first + piece->to) * component->stride;
    const uint8_t *wire = span->bytes + fr_span_place(span, piece->first) * schema->size;
    if (source->how == FR_COPY) {
        fr_layout_from_wire(&component->layout, wire, piece->rows, rows);
        return;
    }
    fr_component_fill(&load->world->allocator, component, rows, piece->rows);
    fr_migration_apply(&source->migration, schema, &component->layout, wire, piece->rows, rows);
}

void fr_load_make_raw_rows(fr_load *load)
{
    for (uint32_t i = 0; i < load->piece_count; i++) {
        const fr_piece *piece = &load->pieces[i];
        const fr_frame *frame = &load->image.frames[piece->frame];
        for (uint32_t k = 0; k < frame->column_count; k++) {
            make_rows(load, piece, &load->image.spans[frame->first_column + k]);
        }
    }
}

// Rows that `required` brought are new: their init hooks run when everything is in place.
void fr_load_run_init_hooks(const fr_load *load)
{
    for (uint32_t s = 0; s < load->stage_count; s++) {
        const fr_stage *stage = &load->stages[s];
        fr_archetype *archetype = stage->archetype;
        for (uint32_t t = 0; t < archetype->term_count; t++) {
            const fr_component *component = archetype->components[t];
            if (component->hooks.init != NULL && !fr_load_brings(load, component)) {
                fr_world_run_hook(load->world, component->hooks.init, component, archetype,
                                  stage->first, stage->rows);
            }
        }
    }
}

static void swap_index(fr_load *load)
{
    firn_world *world = load->world;
    world->spare_records = world->index.records;
    world->spare_capacity = world->index.capacity;
    world->index = load->index;
    fr_entity_index_init(&load->index);
}

static void swap_kept_order(fr_load *load)
{
    firn_buffer old = load->world->kept_order;
    load->world->kept_order = load->kept_order;
    load->kept_order = old;
}

void fr_load_take_name_and_tick(fr_load *load)
{
    firn_world *world = load->world;
    world->tick = load->image.world.tick;
    if (load->name == NULL) {
        return;
    }
    fr_free_text(&world->allocator, world->name);
    world->name = load->name;
    load->name = NULL;
}

// ---- the end

// Rows made aside that the load does not need after all.
static void drop_aside(const fr_load *load, fr_stage *stage)
{
    const firn_allocator *allocator = &load->world->allocator;
    const fr_archetype *archetype = stage->archetype;
    for (uint32_t i = 0; stage->blocks != NULL && i < archetype->column_count; i++) {
        const fr_component *component = archetype->columns[i].component;
        if (stage->blocks[i] == NULL) {
            continue;
        }
        if (component->kind == FIRN_STRING || component->kind == FIRN_VALUE) {
            fr_blob_free(allocator, stage->blocks[i], stage->rows);
        } else if (fr_relation_is_many(component)) {
            fr_edges_free(allocator, component, stage->blocks[i], stage->rows);
        } else if (component->hooks.drop != NULL && stage->filled[i] > 0) {
            firn_rows rows = {load->world,       fr_component_handle(load->world, component->index),
                              stage->entities,   stage->blocks[i],
                              component->stride, stage->filled[i]};
            fr_world_lock(load->world, component->name);
            component->hooks.drop(component->hooks.user, &rows);
            fr_world_unlock(load->world);
        }
        fr_column_free(allocator, stage->blocks[i], component->stride, stage->capacity);
    }
    fr_column_free(allocator, stage->entities, sizeof(firn_entity), stage->capacity);
}

static void free_stage(const fr_load *load, fr_stage *stage)
{
    const firn_allocator *allocator = &load->world->allocator;
    uint32_t columns = stage->archetype->column_count;
    stage->archetype->held = false;
    drop_aside(load, stage);
    fr_free(allocator, stage->blocks, columns, sizeof *stage->blocks, sizeof(void *));
    fr_free(allocator, stage->filled, columns, sizeof *stage->filled, sizeof(void *));
}

static void free_sources(fr_load *load)
{
    const firn_allocator *allocator = &load->world->allocator;
    uint32_t count = load->image.prelude.component_count;
    for (uint32_t i = 0; load->sources != NULL && i < count; i++) {
        fr_source *source = &load->sources[i];
        if (source->how == FR_MIGRATE) {
            fr_migration_free(allocator, &load->image.entries[i].schema, &source->component->layout,
                              &source->migration);
        }
        if (source->changed != NULL) {
            fr_free(allocator, source->changed, source->component->layout.leaf_count,
                    sizeof *source->changed, sizeof(uint64_t));
        }
    }
    fr_free(allocator, load->sources, (size_t)count + 1, sizeof *load->sources, sizeof(void *));
    fr_free(allocator, load->entry_of, (size_t)load->component_count + 1, sizeof *load->entry_of,
            sizeof(void *));
}

void fr_load_free_stages(fr_load *load)
{
    for (uint32_t i = 0; i < load->stage_count; i++) {
        free_stage(load, &load->stages[i]);
    }
    load->stage_count = 0;
}

void fr_load_swap(fr_load *load)
{
    load->discarded = fr_commands_discard(load->world);
    fr_events_clear_addresses(load->world);
    drop_old_rows(load);
    fr_unique_swap(load->world);
    for (uint32_t i = 0; i < load->stage_count; i++) {
        install_blocks(load, &load->stages[i]);
    }
    fr_load_make_raw_rows(load);
    fr_relations_swap(load->world);
    swap_index(load);
    swap_kept_order(load);
    fr_load_take_name_and_tick(load);
    fr_load_run_init_hooks(load);
    // Before the game hears of it: it may load again and remove their archetypes then.
    fr_load_free_stages(load);
    fr_kept_settle(load->world, FR_KEPT_REPLACED);
}

void fr_load_withdraw(fr_load *load)
{
    firn_world *world = load->world;
    fr_load_unlink(load);
    fr_load_free_stages(load);
    while (load->made_count > 0) {
        fr_world_remove_archetype(world, world->archetypes[load->made[--load->made_count]]);
    }
    fr_kept_settle(world, FR_KEPT_NOTHING);
}

void fr_load_free(fr_load *load)
{
    const firn_allocator *allocator = &load->world->allocator;
    fr_load_free_stages(load);
    free_sources(load);
    fr_map_free(allocator, &load->stage_of);
    fr_map_free(allocator, &load->entry_of_target);
    fr_map_free(allocator, &load->comes);
    fr_map_free(allocator, &load->returns);
    fr_map_free(allocator, &load->edges);
    FR_ARRAY_FREE(allocator, load->stages, load->stage_capacity);
    FR_ARRAY_FREE(allocator, load->pieces, load->piece_capacity);
    FR_ARRAY_FREE(allocator, load->made, load->made_capacity);
    fr_free(allocator, load->watched, load->watched_room, sizeof *load->watched,
            sizeof(firn_entity));
    fr_free_text(allocator, load->name);
    fr_blob_pool_end(&load->blobs);
    firn_buffer_free(&load->scratch);
    firn_buffer_free(&load->kept_order);
    fr_image_close(&load->image);
}
