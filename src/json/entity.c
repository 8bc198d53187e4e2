#include "json/entity.h"

#include "base/error.h"
#include "base/utf8.h"
#include "json/image.h"
#include "json/json.h"
#include "json/row.h"
#include "value/check.h"

void fr_json_put_stored(fr_json_entities *lines, const uint8_t *bytes, size_t size)
{
    if (lines->image->world.ours && !fr_value_is_canonical(bytes, size)) {
        fr_json_put_bytes(lines->text, "$encoded", bytes, size);
    } else {
        fr_json_put_encoded(lines->text, bytes, size, lines->doc);
    }
}

static void put_cell(fr_json_entities *lines, const fr_cell *cell)
{
    const fr_entry *entry = lines->at;
    const fr_schema *schema = &entry->schema;
    if (!entry->raw) {
        fr_json_put_stored(lines, cell->at, cell->size);
        return;
    }
    // What firn keeps for others may have something in its gaps.
    bool whole = schema->field_count == 0 ||
                 (lines->image->world.ours && !fr_json_row_has_no_gaps(schema, cell->at));
    if (whole) {
        fr_json_put_bytes(lines->text, "$bytes", cell->at, cell->size);
        return;
    }
    bool plain =
        lines->plain != NULL ? lines->plain[cell->span->entry] : fr_json_row_is_plain(schema);
    fr_json_put_row(lines->text, schema, plain, cell->at);
}

bool fr_json_frame_is_plain(const fr_image *image, const fr_frame *frame)
{
    for (uint32_t i = 0; i < frame->column_count; i++) {
        const fr_entry *entry = &image->entries[image->spans[frame->first_column + i].entry];
        if (!fr_json_is_key(entry->name, entry->name_size)) {
            return false;
        }
    }
    return true;
}

firn_entity fr_json_entity_at(const fr_rows *rows)
{
    return fr_frame_id(rows->frame, rows->stepped - 1);
}

void fr_json_put_entity(fr_json_entities *lines, const fr_rows *rows, bool plain)
{
    fr_json_text *text = lines->text;
    bool first = true;
    lines->at = NULL;
    fr_json_put(text, "{\"id\":");
    fr_json_put_unsigned(text, fr_json_entity_at(rows));
    fr_json_put(text, ",\"frame\":");
    fr_json_put_unsigned(text, (uint64_t)(rows->frame - lines->image->frames));
    fr_json_put(text, ",\"components\":");
    fr_json_open(text, plain);
    for (uint32_t i = 0; i < rows->frame->column_count && !fr_json_text_failed(text); i++) {
        const fr_cell *cell = &rows->cells[i];
        if (!fr_span_has(cell->span, rows->stepped - 1)) {
            continue;
        }
        lines->at = &lines->image->entries[cell->span->entry];
        fr_json_open_member(text, plain, first, lines->at->name, lines->at->name_size);
        put_cell(lines, cell);
        fr_json_close_member(text, plain);
        first = false;
    }
    fr_json_close(text, plain);
    fr_json_put(text, "}");
}

firn_result fr_json_refuse_entity(const fr_json_entities *lines, const fr_rows *rows,
                                  const firn_error *why, firn_error *err)
{
    char name[256] = "";
    firn_entity entity = fr_json_entity_at(rows);
    if (lines->at != NULL) {
        fr_printable(name, sizeof name, lines->at->name, lines->at->name_size);
    }
    return fr_fail_entity(err, why->code, entity, name, "entity %llu%s%s: %s",
                          (unsigned long long)entity, *name ? ": " : "", name, why->message);
}

static firn_result write_entity(const fr_rows *rows, firn_buffer *out, firn_error *err)
{
    firn_limits wide;
    fr_limits_wide(&rows->image->limits, &wide);
    firn_doc *doc = firn_doc_create(&rows->image->allocator, &wide, err);
    if (doc == NULL) {
        return FIRN_NO_MEMORY;
    }
    firn_error why;
    fr_json_text text;
    fr_json_entities lines = {.image = rows->image, .text = &text, .doc = doc};
    fr_json_text_begin(&text, out, &wide);
    fr_json_put_entity(&lines, rows, fr_json_frame_is_plain(rows->image, rows->frame));
    firn_result result = fr_json_text_end(&text, &why);
    firn_doc_destroy(doc);
    return result == FIRN_OK ? result : fr_json_refuse_entity(&lines, rows, &why, err);
}

firn_result firn_json_write_entity(const firn_image_rows *rows, firn_buffer *out, firn_error *err)
{
    firn_result result = fr_json_supported(err);
    if (result != FIRN_OK) {
        return result;
    }
    if (rows == NULL || out == NULL) {
        return fr_fail(err, FIRN_INVALID, rows ? "out" : "rows", "%s is NULL",
                       rows ? "out" : "rows");
    }
    if (!fr_rows_inside(fr_image_rows_of(rows))) {
        return fr_fail(err, FIRN_INVALID, "rows", "no row is at hand");
    }
    return write_entity(fr_image_rows_of(rows), out, err);
}
