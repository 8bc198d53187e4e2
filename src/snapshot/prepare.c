#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "buffer/bytes.h"
#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "value/check.h"

// ---- rows

static fr_how how_of_column(const fr_load *load, const fr_stage *stage, uint32_t column,
                            uint32_t *entry)
{
    const fr_component *component = stage->archetype->columns[column].component;
    *entry = fr_relation_is_dense(component)
                 ? fr_map_get(&load->entry_of_target, stage->archetype->columns[column].key)
                 : load->entry_of[component->index];
    return *entry == UINT32_MAX ? FR_SKIP : load->sources[*entry].how;
}

// Whether a column is made aside: what may fail, or does not fit the live block.
static bool is_made_aside(const fr_load *load, const fr_stage *stage, uint32_t column)
{
    uint32_t entry;
    fr_how how = how_of_column(load, stage, column, &entry);
    const fr_component *component = stage->archetype->columns[column].component;
    if (!load->appends && stage->capacity != stage->archetype->capacity) {
        return true;
    }
    if (how == FR_SKIP) {
        return component->kind == FIRN_STRING || component->kind == FIRN_VALUE;
    }
    return how != FR_COPY && how != FR_MIGRATE;
}

static bool make_block(const fr_load *load, fr_stage *stage, uint32_t column)
{
    const fr_component *component = stage->archetype->columns[column].component;
    void *block = fr_column_alloc(&load->world->allocator, component->stride, stage->capacity);
    if (block == NULL) {
        return false;
    }
    stage->blocks[column] = block;
    // Empty blobs and edges own nothing: a load that fails half way can free them all.
    if (component->kind == FIRN_STRING || component->kind == FIRN_VALUE ||
        fr_relation_is_many(component)) {
        memset(block, 0, (size_t)component->stride * stage->rows);
    }
    return true;
}

// A stage replaces the rows of its archetype, or follows them.
static bool size_stage(const fr_load *load, fr_stage *stage)
{
    fr_archetype *archetype = stage->archetype;
    if (load->appends) {
        stage->first = archetype->count;
        stage->capacity = stage->rows;
        return fr_archetype_reserve(&load->world->allocator, archetype,
                                    archetype->count + archetype->incoming + stage->rows);
    }
    stage->capacity = archetype->capacity >= stage->rows
                          ? archetype->capacity
                          : (uint32_t)fr_next_capacity(0, stage->rows, stage->rows);
    return true;
}

static firn_result make_stage(fr_load *load, fr_stage *stage, firn_error *err)
{
    const firn_allocator *allocator = &load->world->allocator;
    fr_archetype *archetype = stage->archetype;
    if (!size_stage(load, stage)) {
        return fr_fail_memory(err, "rows");
    }
    if (archetype->spare_capacity == stage->capacity) {
        stage->entities = archetype->spare_entities;
        archetype->spare_entities = NULL;
        archetype->spare_capacity = 0;
    } else {
        stage->entities = fr_column_alloc(allocator, sizeof(firn_entity), stage->capacity);
    }
    if (stage->entities == NULL) {
        return fr_fail_memory(err, "ids");
    }
    if (archetype->column_count == 0) {
        return FIRN_OK;
    }
    stage->blocks =
        fr_alloc_zero(allocator, archetype->column_count, sizeof *stage->blocks, sizeof(void *));
    stage->filled =
        fr_alloc_zero(allocator, archetype->column_count, sizeof *stage->filled, sizeof(void *));
    if (stage->blocks == NULL || stage->filled == NULL) {
        return fr_fail_memory(err, "columns");
    }
    for (uint32_t i = 0; i < archetype->column_count; i++) {
        if (is_made_aside(load, stage, i) && !make_block(load, stage, i)) {
            return fr_fail_memory(err, archetype->columns[i].component->name);
        }
    }
    return FIRN_OK;
}

// Columns that the save does not have: default rows. They fill what is aside; live blocks are
// filled at the swap.
static firn_result fill_defaults(fr_load *load, fr_stage *stage, firn_error *err)
{
    for (uint32_t i = 0; i < stage->archetype->column_count; i++) {
        uint32_t entry;
        const fr_component *component = stage->archetype->columns[i].component;
        if (stage->blocks[i] == NULL || how_of_column(load, stage, i, &entry) != FR_SKIP) {
            continue;
        }
        if (!fr_component_fill(&load->world->allocator, component, stage->blocks[i], stage->rows)) {
            return fr_fail_memory(err, component->name);
        }
    }
    return FIRN_OK;
}

// The column that a source goes to; false when the archetype has none.
static bool find_source_column(const fr_archetype *archetype, const fr_source *source,
                               uint32_t *column)
{
    const fr_component *component = source->component;
    const fr_column *found =
        component->kind == FIRN_RELATION
            ? fr_archetype_term_column(archetype, fr_relation_term(component, source->new_target))
            : fr_archetype_column(archetype, component->index);
    *column = found != NULL ? (uint32_t)(found - archetype->columns) : 0;
    return found != NULL;
}

// Raw rows that a codec or a value column wants: as tables by field name.
static firn_result decode_raw_piece(fr_load *load, const fr_span *span, const fr_piece *piece,
                                    uint32_t column, firn_error *err)
{
    const fr_schema *schema = &load->image.entries[span->entry].schema;
    const uint8_t *wire = span->bytes + fr_span_place(span, piece->first) * schema->size;
    if (load->sources[span->entry].how == FR_KEEP_RAW) {
        return fr_load_decode(load, span, &load->stages[piece->stage], column, piece->to,
                              piece->rows, wire, (size_t)piece->rows * schema->size, err);
    }
    firn_writer writer;
    firn_buffer_clear(&load->scratch);
    firn_writer_begin(&writer, &load->scratch, &load->image.limits);
    for (uint32_t row = 0; row < piece->rows; row++) {
        fr_schema_write_row(schema, wire + (size_t)row * schema->size, &writer);
    }
    firn_result result = firn_writer_end(&writer, err);
    if (result != FIRN_OK) {
        return result;
    }
    return fr_load_decode(load, span, &load->stages[piece->stage], column, piece->to, piece->rows,
                          load->scratch.data, load->scratch.size, err);
}

// One column of a frame, piece after piece; the values of rows that lack it are nil.
static firn_result decode_column(fr_load *load, const fr_span *span, uint32_t first_piece,
                                 uint32_t last_piece, firn_error *err)
{
    const fr_source *source = &load->sources[span->entry];
    bool raw = load->image.entries[span->entry].raw;
    fr_in in;
    fr_in_begin(&in, span->bytes, span->size);
    bool whole = last_piece - first_piece == 1; // one piece has all rows of the frame
    for (uint32_t i = first_piece; i < last_piece; i++) {
        const fr_piece *piece = &load->pieces[i];
        fr_stage *stage = &load->stages[piece->stage];
        const uint8_t *bytes = in.at;
        firn_result result = FIRN_OK;
        if (whole) {
            in.at += span->size;
        } else if (!raw && !fr_value_check_run(&in, piece->rows, &load->image.limits, err)) {
            return FIRN_CORRUPT; // was checked: cannot be
        }
        uint32_t column;
        if (!find_source_column(stage->archetype, source, &column)) {
            continue;
        }
        if (raw) {
            result = decode_raw_piece(load, span, piece, column, err);
        } else {
            result = fr_load_decode(load, span, stage, column, piece->to, piece->rows, bytes,
                                    (size_t)(in.at - bytes), err);
        }
        if (result != FIRN_OK) {
            return result;
        }
    }
    return FIRN_OK;
}

static firn_result decode_frame(fr_load *load, const fr_frame *frame, uint32_t first_piece,
                                uint32_t last_piece, firn_error *err)
{
    for (uint32_t i = 0; i < frame->column_count; i++) {
        const fr_span *span = &load->image.spans[frame->first_column + i];
        fr_how how = load->sources[span->entry].how;
        if (how == FR_SKIP || how == FR_COPY || how == FR_MIGRATE) {
            continue;
        }
        firn_result result = how == FR_PRESENCE
                                 ? fr_load_check_tags(load, frame, span, err)
                                 : decode_column(load, span, first_piece, last_piece, err);
        if (result != FIRN_OK) {
            return result;
        }
    }
    return fr_load_check_rows(load, frame, first_piece, last_piece, err);
}

static firn_result copy_name(fr_load *load, firn_error *err)
{
    const fr_image_world *saved = &load->image.world;
    if (!saved->ours) {
        return FIRN_OK;
    }
    load->name =
        fr_copy_text(&load->world->allocator, saved->name ? saved->name : "", saved->name_size);
    return load->name != NULL ? FIRN_OK : fr_fail_memory(err, "world name");
}

firn_result fr_load_prepare(fr_load *load, firn_error *err)
{
    fr_blob_pool_begin(&load->blobs, &load->world->allocator);
    firn_result result = load->appends && !load->beside ? FIRN_OK : copy_name(load, err);
    for (uint32_t i = 0; result == FIRN_OK && i < load->stage_count; i++) {
        result = make_stage(load, &load->stages[i], err);
        if (result == FIRN_OK) {
            result = fill_defaults(load, &load->stages[i], err);
        }
    }
    if (result == FIRN_OK && load->appends) {
        fr_load_place_ids(load);
    } else if (result == FIRN_OK) {
        result = fr_load_index(load, err);
    }
    uint32_t piece = 0;
    for (uint32_t i = 0; result == FIRN_OK && i < load->image.frame_count; i++) {
        uint32_t first = piece;
        while (piece < load->piece_count && load->pieces[piece].frame == i) {
            piece++;
        }
        result = decode_frame(load, &load->image.frames[i], first, piece, err);
    }
    if (result == FIRN_OK) {
        result = fr_load_link(load, err);
    }
    if (result == FIRN_OK) {
        result = fr_load_watch(load, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    return load->appends ? fr_load_unique_appended(load, err) : fr_load_unique(load, err);
}
