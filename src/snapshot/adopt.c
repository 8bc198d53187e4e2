// Kept rows become those of a component that is registered now: they are written as an image of
// one component, which is loaded behind the rows of the entities that have it.
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "buffer/bytes.h"
#include "buffer/writer.h"
#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "snapshot/order.h"
#include "store/kept.h"

typedef struct adoption {
    firn_world *world;
    fr_component *component;
    uint32_t *entry_of; // per component that is claimed: its 1-based entry of the image
    uint32_t component_count;
    fr_archetype **from; // per frame of the image
    uint32_t from_count;
    uint32_t from_room;
    uint32_t kept_count;
    fr_load load;
} adoption;

// ---- the image

static uint32_t count_claimed(const fr_archetype *archetype)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        count += archetype->components[i]->claimed;
    }
    return count;
}

static uint32_t gather_kept_rows(adoption *work)
{
    const firn_world *world = work->world;
    uint32_t rows = 0;
    for (uint32_t i = 0; i < world->order_count; i++) {
        fr_archetype *archetype = world->archetypes[world->order[i]];
        if (archetype->count > 0 && count_claimed(archetype) > 0) {
            work->from[work->from_count++] = archetype;
            rows += archetype->count;
        }
    }
    return rows;
}

static void write_kept_column(const fr_column *column, uint32_t rows, fr_out *out)
{
    const fr_blob *blobs = (const fr_blob *)(const void *)column->data;
    for (uint32_t row = 0; row < rows; row++) {
        fr_out_bytes(out, fr_blob_bytes(&blobs[row]), blobs[row].size);
    }
}

static void write_kept_frame(const adoption *work, const fr_archetype *archetype, fr_out *out)
{
    fr_out_encoded_number(out, count_claimed(archetype));
    fr_out_encoded_number(out, archetype->count);
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        const fr_component *component = archetype->components[archetype->by_name[i]];
        if (component->claimed) {
            fr_out_encoded_number(out, work->entry_of[component->index]);
        }
    }
    fr_out_encoded_number(out, FR_MODE_COLUMNS);
    for (uint32_t row = 0; row < archetype->count; row++) {
        fr_out_u64(out, fr_bits_f64((double)archetype->entities[row]));
    }
    for (uint32_t i = 0; i < archetype->term_count; i++) {
        const fr_component *component = archetype->components[archetype->by_name[i]];
        if (component->claimed) {
            write_kept_column(fr_archetype_column(archetype, component->index), archetype->count,
                              out);
        }
    }
}

static void write_kept_table(const adoption *work, fr_out *out)
{
    const fr_components *components = &work->world->components;
    uint32_t entry = 0;
    for (uint32_t i = 0; i < work->component_count; i++) {
        const fr_component *kept = components->items[i];
        if (kept->claimed) {
            work->entry_of[i] = ++entry;
            fr_out_encoded_string(out, kept->name, kept->name_size);
            fr_out_encoded_string(out, kept->fingerprint,
                                  kept->kept_raw ? kept->fingerprint_size : 0);
        }
    }
}

static firn_result write_kept_image(const adoption *work, uint32_t rows, firn_buffer *image,
                                    firn_error *err)
{
    firn_buffer order;
    firn_buffer_init(&order, &work->world->allocator);
    firn_result result = fr_order_write_kept(work->world, &order, err);
    if (result != FIRN_OK) {
        firn_buffer_free(&order);
        return result;
    }
    fr_out out;
    fr_out_begin(&out, image, NULL);
    const double head[] = {FR_WIRE_VERSION, work->world->index.next_slot, rows, work->from_count,
                           work->kept_count};
    for (uint32_t i = 0; i < sizeof head / sizeof *head; i++) {
        fr_out_encoded_number(&out, head[i]);
    }
    write_kept_table(work, &out);
    for (uint32_t i = 0; i < work->from_count; i++) {
        write_kept_frame(work, work->from[i], &out);
    }
    if (order.size > 0) {
        fr_out_encoded_bool(&out, true);
        fr_out_encoded_string(&out, FR_KEY_ORDER, strlen(FR_KEY_ORDER));
        fr_out_bytes(&out, order.data, order.size);
    }
    // A fingerprint says now that the column is raw.
    fr_out_encoded_bool(&out, true);
    fr_out_encoded_string(&out, FR_KEY_WORLD, strlen(FR_KEY_WORLD));
    fr_out_u8(&out, FR_TAG_TABLE);
    fr_out_encoded_bool(&out, false);
    firn_buffer_free(&order);
    return fr_out_end(&out, err);
}

static firn_result prepare_adoption(adoption *work, const firn_buffer *image, firn_error *err)
{
    fr_load *load = &work->load;
    firn_result result = fr_load_read(load, image->data, image->size, false, err);
    if (result == FIRN_OK && work->component->transient) {
        return fr_fail(err, FIRN_INVALID, work->component->name,
                       "rows of %s are kept, and it is transient", work->component->name);
    }
    load->from = work->from;
    if (result == FIRN_OK) {
        result = fr_load_targets(load, err);
    }
    if (result == FIRN_OK) {
        result = fr_load_plan(load, err);
    }
    return result == FIRN_OK ? fr_load_prepare(load, err) : result;
}

// ---- the commit, which cannot fail

static bool has_column(const fr_archetype *archetype, fr_term key)
{
    uint32_t at = fr_terms_place(archetype->terms, archetype->term_count, key);
    return at < archetype->term_count && archetype->terms[at] == key;
}

// The rows of a column of the stage that piece and source archetype do not share.
static void put_new_rows(adoption *work, const fr_piece *piece, fr_stage *stage, uint32_t i)
{
    const fr_column *column = &stage->archetype->columns[i];
    size_t stride = column->stride;
    uint8_t *rows = column->data + ((size_t)stage->first + piece->to) * stride;
    if (stage->blocks[i] != NULL) {
        uint8_t *made = (uint8_t *)stage->blocks[i] + piece->to * stride;
        fr_world_move_rows(work->world, column->component, rows, made, piece->rows);
    } else if (!fr_load_brings(&work->load, column->component)) {
        fr_component_fill(&work->world->allocator, column->component, rows, piece->rows);
    }
}

// Both have the column: defaults that were made aside are not needed.
static void forget_made_rows(adoption *work, const fr_piece *piece, fr_stage *stage, uint32_t i)
{
    const fr_column *column = &stage->archetype->columns[i];
    if (stage->blocks[i] != NULL && (column->needs & FR_NEEDS_FREE) != 0) {
        fr_blob *made = (fr_blob *)stage->blocks[i] + piece->to;
        fr_blob_free(&work->world->allocator, made, piece->rows);
    }
}

static void move_piece(adoption *work, const fr_piece *piece)
{
    firn_world *world = work->world;
    fr_stage *stage = &work->load.stages[piece->stage];
    fr_archetype *from = work->from[piece->frame], *to = stage->archetype;
    uint32_t first = stage->first + piece->to;
    for (uint32_t i = 0; i < to->column_count; i++) {
        if (has_column(from, to->columns[i].key)) {
            forget_made_rows(work, piece, stage, i);
        } else {
            put_new_rows(work, piece, stage, i);
        }
    }
    for (uint32_t row = 0; row < piece->rows; row++) {
        firn_entity entity = from->entities[piece->first + row];
        fr_archetype_move_common(from, piece->first + row, to, first + row);
        to->entities[first + row] = entity;
        world->index.records[fr_slot(entity)] = fr_record_of(entity, to->index, first + row);
    }
}

// Nothing of what was kept is needed any more.
static void empty_archetype(const adoption *work, fr_archetype *from)
{
    for (uint32_t i = 0; i < from->column_count; i++) {
        fr_column *column = &from->columns[i];
        if (column->component->claimed) {
            fr_blob_free(&work->world->allocator, (fr_blob *)(void *)column->data, from->count);
        }
    }
    from->count = 0;
}

static void free_blocks(adoption *work)
{
    for (uint32_t s = 0; s < work->load.stage_count; s++) {
        fr_stage *stage = &work->load.stages[s];
        for (uint32_t i = 0; i < stage->archetype->column_count; i++) {
            fr_column_free(&work->world->allocator, stage->blocks[i],
                           stage->archetype->columns[i].stride, stage->capacity);
            stage->blocks[i] = NULL;
        }
        stage->archetype->count += stage->rows;
    }
}

static void finish_piece(adoption *work, const fr_piece *piece)
{
    const fr_stage *stage = &work->load.stages[piece->stage];
    fr_archetype *to = stage->archetype;
    fr_component *component = work->component;
    uint32_t first = stage->first + piece->to;
    if (component->unique) {
        const fr_column *column = fr_archetype_column(to, component->index);
        fr_load_enter_unique(component, to->entities + first,
                             column->data + (size_t)first * column->stride, piece->rows);
    }
    fr_archetype_init_rows(to, work->from[piece->frame], component->index, first, piece->rows);
}

static void commit_adoption(adoption *work)
{
    fr_load *load = &work->load;
    for (uint32_t i = 0; i < load->piece_count; i++) {
        move_piece(work, &load->pieces[i]);
    }
    for (uint32_t i = 0; i < work->from_count; i++) {
        empty_archetype(work, work->from[i]);
    }
    free_blocks(work);
    fr_load_make_raw_rows(load);
    for (uint32_t i = 0; i < load->piece_count; i++) {
        finish_piece(work, &load->pieces[i]);
    }
    fr_load_free_stages(load);
    fr_order_forget_registered(work->world);
}

// ---- the whole

// The image is none of the caller's: what is wrong with it is that the component is another one.
static firn_result refuse_adoption(const adoption *work, const firn_error *why, firn_error *err)
{
    firn_result code = why->code == FIRN_CORRUPT ? FIRN_INVALID : why->code;
    if (code == FIRN_NO_MEMORY) {
        return fr_fail_copy(err, why);
    }
    return fr_fail_entity(err, code, why->entity, work->component->name, "what is kept of %s: %s",
                          work->component->name, why->message);
}

static firn_result adopt_rows_of(adoption *work, firn_error *err)
{
    firn_buffer image;
    firn_buffer_init(&image, &work->world->allocator);
    firn_error why = {.code = FIRN_OK};
    firn_result result = write_kept_image(work, gather_kept_rows(work), &image, &why);
    if (result == FIRN_OK) {
        result = prepare_adoption(work, &image, &why);
    }
    if (result == FIRN_OK) {
        commit_adoption(work);
    } else {
        fr_load_withdraw(&work->load);
        result = refuse_adoption(work, &why, err);
    }
    fr_load_free(&work->load);
    firn_buffer_free(&image);
    return result;
}

static bool make_adoption_room(adoption *work)
{
    const firn_allocator *allocator = &work->world->allocator;
    work->from = fr_alloc(allocator, work->from_room, sizeof *work->from, sizeof(void *));
    work->entry_of =
        fr_alloc(allocator, work->component_count, sizeof *work->entry_of, sizeof(uint32_t));
    for (uint32_t i = 0; i < work->component_count; i++) {
        work->kept_count += work->world->components.items[i]->claimed;
    }
    return work->from != NULL && work->entry_of != NULL;
}

firn_result fr_adopt_kept(firn_world *world, fr_component *component, firn_error *err)
{
    const firn_load_options options = {0};
    adoption work = {.world = world,
                     .component = component,
                     .component_count = world->components.count,
                     .from_room = world->order_count};
    fr_load_begin(&work.load, world, true, &options);
    work.load.appends = true;
    firn_result result = make_adoption_room(&work) ? adopt_rows_of(&work, err)
                                                   : fr_fail_memory(err, component->name);
    fr_free(&world->allocator, work.from, work.from_room, sizeof *work.from, sizeof(void *));
    fr_free(&world->allocator, work.entry_of, work.component_count, sizeof *work.entry_of,
            sizeof(uint32_t));
    return result;
}
