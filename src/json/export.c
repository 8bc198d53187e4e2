// A snapshot as lines: the header, one for each entity, one for each entry of data.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/utf8.h"
#include "json/entity.h"
#include "json/image.h"
#include "json/row.h"
#include "value/doc.h"

// The sink gets pieces of about this size.
#define LINES_AT_ONCE ((size_t)1 << 16)

typedef struct exporting {
    const fr_image *image;
    firn_json_sink_fn sink;
    void *user;
    firn_buffer lines;
    fr_json_text text;
    fr_json_entities entities;
    firn_doc *doc; // of the value at hand
    bool *plain;   // per component: the fields of its rows are plain members
    size_t component_room;
} exporting;

// ---- lines

static firn_result flush_lines(exporting *job, size_t most, firn_error *err)
{
    firn_buffer *lines = &job->lines;
    if (lines->size <= most) {
        return FIRN_OK;
    }
    firn_error why;
    fr_error_begin(&why);
    firn_result result = job->sink(job->user, lines->data, lines->size, &why);
    firn_buffer_clear(lines);
    if (result != FIRN_OK) {
        fr_error_complete(&why, result);
        fr_fail_copy(err, &why);
    }
    return result;
}

static void begin_line(exporting *job)
{
    fr_json_text_begin(&job->text, &job->lines, &job->doc->limits);
}

static firn_result end_line(exporting *job, firn_error *err)
{
    fr_json_put(&job->text, "\n");
    return fr_json_text_end(&job->text, err);
}

// ---- the header

static void put_uint_member(fr_json_text *text, const char *key, uint64_t value)
{
    fr_json_put(text, ",\"");
    fr_json_put(text, key);
    fr_json_put(text, "\":");
    fr_json_put_unsigned(text, value);
}

static void list_components(fr_json_text *text, const fr_image *image)
{
    fr_json_put(text, ",\"components\":[");
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        const fr_entry *entry = &image->entries[i];
        fr_json_put(text, i > 0 ? ",{\"name\":" : "{\"name\":");
        fr_json_put_text(text, entry->name, entry->name_size);
        if (entry->raw) { // what firn writes has a fingerprint where a column is raw
            fr_json_put(text, ",\"fingerprint\":");
            fr_json_put_string(text, entry->fingerprint, entry->fingerprint_size);
        }
        fr_json_put(text, "}");
    }
    fr_json_put(text, "]");
}

static void list_frames(fr_json_text *text, const fr_image *image)
{
    fr_json_put(text, ",\"frames\":[");
    for (uint32_t i = 0; i < image->frame_count; i++) {
        const fr_frame *frame = &image->frames[i];
        fr_json_put(text, i > 0 ? ",{\"rows\":" : "{\"rows\":");
        fr_json_put_unsigned(text, frame->rows);
        fr_json_put(text, frame->by_row ? ",\"byRow\":true,\"columns\":[" : ",\"columns\":[");
        for (uint32_t k = 0; k < frame->column_count; k++) {
            const fr_entry *entry = &image->entries[image->spans[frame->first_column + k].entry];
            fr_json_put(text, k > 0 ? "," : "");
            fr_json_put_text(text, entry->name, entry->name_size);
        }
        fr_json_put(text, "]}");
    }
    fr_json_put(text, "]");
}

static firn_result export_header(exporting *job, firn_error *err)
{
    const fr_image *image = job->image;
    fr_json_text *text = &job->text;
    begin_line(job);
    fr_json_put(text, "{\"firn\":\"snapshot\"");
    put_uint_member(text, "format", FR_JSON_FORMAT);
    put_uint_member(text, "version", image->prelude.version);
    put_uint_member(text, "nextEntityId", image->prelude.next_slot);
    put_uint_member(text, "entities", image->prelude.entity_count);
    put_uint_member(text, "data", image->prelude.data_count);
    list_components(text, image);
    list_frames(text, image);
    fr_json_put(text, "}");
    firn_result result = end_line(job, err);
    return result == FIRN_OK ? flush_lines(job, LINES_AT_ONCE, err) : result;
}

// ---- entities

static firn_result export_row(exporting *job, const fr_rows *rows, bool plain, firn_error *err)
{
    firn_error why;
    begin_line(job);
    fr_json_put_entity(&job->entities, rows, plain);
    firn_result result = end_line(job, &why);
    return result == FIRN_OK ? flush_lines(job, LINES_AT_ONCE, err)
                             : fr_json_refuse_entity(&job->entities, rows, &why, err);
}

static firn_result export_frame(exporting *job, uint32_t index, firn_error *err)
{
    const fr_frame *frame = &job->image->frames[index];
    bool plain = fr_json_frame_is_plain(job->image, frame);
    fr_rows rows;
    firn_result result = fr_rows_begin(&rows, job->image, frame, err);
    if (result != FIRN_OK) {
        return result;
    }
    while (result == FIRN_OK && fr_rows_next(&rows)) {
        result = export_row(job, &rows, plain, err);
    }
    fr_rows_end(&rows);
    return result;
}

// ---- data

static firn_result export_datum(exporting *job, const fr_datum *datum, firn_error *err)
{
    begin_line(job);
    fr_json_put(&job->text, "{\"data\":");
    fr_json_put_string(&job->text, datum->key, datum->key_size);
    fr_json_put(&job->text, ",\"value\":");
    fr_json_put_stored(&job->entities, job->image->bytes + datum->offset, datum->size);
    fr_json_put(&job->text, "}");
    firn_error why;
    firn_result result = end_line(job, &why);
    if (result == FIRN_OK) {
        return flush_lines(job, LINES_AT_ONCE, err);
    }
    char key[256];
    fr_printable(key, sizeof key, datum->key, datum->key_size);
    return fr_fail(err, result, key, "data %s: %s", key, why.message);
}

// ---- all of it

static firn_result begin_export(exporting *job, firn_error *err)
{
    const fr_image *image = job->image;
    const firn_allocator *allocator = &image->allocator;
    firn_buffer_init(&job->lines, allocator);
    // The values were checked: what firn and its built-in parts save is not held to the limits.
    firn_limits wide;
    fr_limits_wide(&image->limits, &wide);
    job->doc = firn_doc_create(allocator, &wide, err);
    if (job->doc == NULL) {
        return FIRN_NO_MEMORY;
    }
    job->component_room = (size_t)image->prelude.component_count + 1;
    job->plain = fr_alloc_zero(allocator, job->component_room, sizeof *job->plain, 1);
    if (job->plain == NULL) {
        return fr_fail_memory(err, "components");
    }
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        job->plain[i] = fr_json_row_is_plain(&image->entries[i].schema);
    }
    job->entities = (fr_json_entities){
        .image = image, .text = &job->text, .doc = job->doc, .plain = job->plain};
    return FIRN_OK;
}

static void end_export(exporting *job)
{
    fr_free(&job->image->allocator, job->plain, job->component_room, sizeof *job->plain, 1);
    firn_doc_destroy(job->doc);
    firn_buffer_free(&job->lines);
}

static firn_result export_lines(exporting *job, firn_error *err)
{
    const fr_image *image = job->image;
    firn_result result = export_header(job, err);
    for (uint32_t i = 0; result == FIRN_OK && i < image->frame_count; i++) {
        result = export_frame(job, i, err);
    }
    for (uint32_t i = 0; result == FIRN_OK && i < image->data_count; i++) {
        result = export_datum(job, &image->data[i], err);
    }
    return result == FIRN_OK ? flush_lines(job, 0, err) : result;
}

firn_result firn_json_export_image(const void *image, size_t size, const firn_json_options *options,
                                   firn_json_sink_fn sink, void *user, firn_error *err)
{
    fr_json_setting setting;
    firn_result result = fr_json_resolve(options, &setting, err);
    if (result == FIRN_OK && sink == NULL) {
        result = fr_fail(err, FIRN_INVALID, "sink", "sink is NULL");
    }
    fr_image parts;
    if (result == FIRN_OK) {
        firn_image_options opening = {.limits = &setting.limits, .allocator = &setting.allocator};
        if (options != NULL) {
            opening.schemas = options->schemas;
            opening.schema_count = options->schema_count;
        }
        result = fr_image_open_options(&parts, image, size, &opening, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    exporting job = {.image = &parts, .sink = sink, .user = user};
    result = begin_export(&job, err);
    if (result == FIRN_OK) {
        result = export_lines(&job, err);
    }
    end_export(&job);
    fr_image_close(&parts);
    return result;
}
