// Rows of an image that the library's own components cannot have: looked at before the world
// changes.
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "snapshot/load.h"
#include "value/check.h"

// Rows of one column that are checked.
typedef struct row_checks {
    fr_load *load;
    const fr_span *span;
    const fr_component *component;
    uint8_t *room; // for one row that is made at the swap
} row_checks;

// Where the value of a row stands in the image.
static uint64_t place_of_row(const row_checks *checks, uint32_t row)
{
    const fr_image *image = &checks->load->image;
    const fr_span *span = checks->span;
    const fr_entry *entry = &image->entries[span->entry];
    if (entry->raw) {
        return fr_image_place(image, span, fr_span_place(span, row) * entry->schema.size);
    }
    fr_in in;
    fr_in_begin(&in, span->bytes, span->size);
    (void)fr_value_check_run(&in, row, &image->limits, NULL); // was checked
    return fr_image_place(image, span, (size_t)(in.at - span->bytes));
}

static firn_result refuse_checked_row(const row_checks *checks, const fr_piece *piece, uint32_t row,
                                      const firn_error *why, firn_error *err)
{
    const fr_load *load = checks->load;
    firn_entity entity =
        fr_load_saved_id(load, load->stages[piece->stage].entities[piece->to + row]);
    fr_fail_at(err, why->code, place_of_row(checks, piece->first + row), checks->component->name,
               "entity %llu: %s", (unsigned long long)entity, why->message);
    if (err != NULL) {
        err->entity = entity;
    }
    return why->code;
}

// A row as the swap is going to make it.
static const uint8_t *make_row_early(const row_checks *checks, uint32_t row)
{
    const fr_span *span = checks->span;
    const fr_schema *schema = &checks->load->image.entries[span->entry].schema;
    const fr_layout *layout = &checks->component->layout;
    fr_source *source = &checks->load->sources[span->entry];
    const uint8_t *wire = span->bytes + fr_span_place(span, row) * schema->size;
    assert(checks->room != NULL); // only tags have rows without bytes
    if (source->how == FR_COPY) {
        fr_layout_from_wire(layout, wire, 1, checks->room);
        return checks->room;
    }
    memcpy(checks->room, checks->component->default_row, checks->component->stride);
    fr_migration_apply(&source->migration, schema, layout, wire, 1, checks->room);
    // What changes is counted when the row is made.
    memset(source->migration.changed, 0, layout->leaf_count * sizeof *source->migration.changed);
    return checks->room;
}

static firn_result check_piece(const row_checks *checks, const fr_piece *piece, firn_error *err)
{
    const fr_stage *stage = &checks->load->stages[piece->stage];
    const fr_column *column = fr_archetype_column(stage->archetype, checks->component->index);
    fr_how how = checks->load->sources[checks->span->entry].how;
    bool early = how == FR_COPY || how == FR_MIGRATE;
    // Who has no value, or nil, has not got the component, or the default.
    bool there = column != NULL && fr_span_has(checks->span, piece->first);
    const uint8_t *rows = there ? stage->blocks[column - stage->archetype->columns] : NULL;
    uint32_t count = there ? piece->rows : 0;
    firn_error why;
    for (uint32_t row = 0; row < count; row++) {
        const uint8_t *at = early ? make_row_early(checks, piece->first + row)
                                  : rows + (size_t)(piece->to + row) * checks->component->stride;
        if (checks->component->check(at, &why) != FIRN_OK) {
            return refuse_checked_row(checks, piece, row, &why, err);
        }
    }
    return FIRN_OK;
}

static firn_result check_span(fr_load *load, const fr_span *span, uint32_t first_piece,
                              uint32_t last_piece, firn_error *err)
{
    const fr_component *component = load->sources[span->entry].component;
    const firn_allocator *allocator = &load->world->allocator;
    row_checks checks = {.load = load, .span = span, .component = component};
    checks.room = fr_column_alloc(allocator, component->stride, 1);
    firn_result result = checks.room != NULL ? FIRN_OK : fr_fail_memory(err, component->name);
    for (uint32_t i = first_piece; result == FIRN_OK && i < last_piece; i++) {
        result = check_piece(&checks, &load->pieces[i], err);
    }
    fr_column_free(allocator, checks.room, component->stride, 1);
    return result;
}

firn_result fr_load_check_rows(fr_load *load, const fr_frame *frame, uint32_t first_piece,
                               uint32_t last_piece, firn_error *err)
{
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < frame->column_count; i++) {
        const fr_span *span = &load->image.spans[frame->first_column + i];
        const fr_source *source = &load->sources[span->entry];
        if (source->how != FR_SKIP && source->component->check != NULL) {
            result = check_span(load, span, first_piece, last_piece, err);
        }
    }
    return result;
}
