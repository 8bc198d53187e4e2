#include "json/import.h"

#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "value/doc.h"

firn_result fr_json_import_begin(fr_json_import *import, const firn_json_options *options,
                                 firn_buffer *buffer, firn_error *err)
{
    *import = (fr_json_import){.buffer = buffer, .start = buffer != NULL ? buffer->size : 0};
    firn_result result = fr_json_resolve(options, &import->setting, err);
    if (result == FIRN_OK && buffer == NULL) {
        result = fr_fail(err, FIRN_INVALID, "out", "out is NULL");
    }
    if (result != FIRN_OK) {
        return result;
    }
    const firn_allocator *allocator = &import->setting.allocator;
    fr_json_parser_begin(&import->parser, allocator, &import->setting.limits);
    fr_out_begin(&import->out, buffer, NULL);
    fr_row_writer_begin(&import->rows, &import->out, allocator);
    firn_buffer_init(&import->scratch, allocator);
    firn_buffer_init(&import->texts, allocator);
    import->doc = firn_doc_create(allocator, &import->setting.limits, err);
    return import->doc != NULL ? FIRN_OK : FIRN_NO_MEMORY;
}

void fr_json_import_end(fr_json_import *import)
{
    const firn_allocator *allocator = &import->setting.allocator;
    if (import->rows.out == NULL) { // did not begin
        return;
    }
    for (uint32_t i = 0; i < import->entry_count; i++) {
        fr_schema_free(allocator, &import->entries[i].schema);
    }
    fr_free(allocator, import->column_of, (size_t)import->entry_capacity + 1,
            sizeof *import->column_of, sizeof(uint32_t));
    FR_ARRAY_FREE(allocator, import->entries, import->entry_capacity);
    FR_ARRAY_FREE(allocator, import->frames, import->frame_capacity);
    FR_ARRAY_FREE(allocator, import->columns, import->column_capacity);
    FR_ARRAY_FREE(allocator, import->seen, import->seen_capacity);
    fr_map_free(allocator, &import->names);
    fr_row_writer_end(&import->rows);
    firn_buffer_free(&import->texts);
    firn_buffer_free(&import->scratch);
    firn_doc_destroy(import->doc);
    fr_json_parser_end(&import->parser);
}

// ---- lines

static firn_result import_datum(fr_json_import *import, const fr_json_node *line, firn_error *err)
{
    const fr_json_node *key = fr_json_member(line, "data"), *value = fr_json_member(line, "value");
    const char *bytes;
    size_t size;
    if (key == NULL || value == NULL || line->size != 2) {
        return fr_json_refuse(line, "data", "is no {data, value}", err);
    }
    firn_result result = fr_json_read_string(key, "data", &import->scratch, &bytes, &size, err);
    if (result != FIRN_OK) {
        return result;
    }
    char name[256];
    fr_printable(name, sizeof name, bytes, size);
    // What firn and its built-in parts save is not held to the limits.
    if (fr_key_is_custom(bytes, size)) {
        import->doc->limits = import->setting.limits;
    } else {
        fr_limits_wide(&import->setting.limits, &import->doc->limits);
    }
    fr_write_data_key(&import->out, bytes, size);
    result = fr_out_end(&import->out, err);
    return result == FIRN_OK ? fr_json_import_value(import, value, name, import->buffer, err)
                             : result;
}

static firn_result import_line(fr_json_import *import, const fr_json_lines *lines, firn_error *err)
{
    const fr_json_node *line =
        fr_json_parse(&import->parser, lines->bytes, lines->size, lines->offset, err);
    if (line == NULL) {
        return err->code;
    }
    if (!import->has_header) {
        // Names and fingerprints are not longer than the line that has them.
        firn_result result = firn_buffer_reserve(&import->texts, lines->size, err);
        if (result == FIRN_OK) {
            result = fr_json_import_header(import, line, err);
        }
        return result == FIRN_OK ? fr_json_import_frame(import, err) : result;
    }
    if (import->entities > 0) {
        import->entities--;
        return fr_json_import_entity(import, line, err);
    }
    if (import->data > 0) {
        import->data--;
        return import_datum(import, line, err);
    }
    return fr_json_refuse(line, "line", "follows the last one that the header says", err);
}

firn_result fr_json_import_lines(fr_json_import *import, fr_json_lines *lines, firn_error *err)
{
    while (fr_json_lines_next(lines)) {
        firn_error why;
        import->line = lines->line;
        if (import_line(import, lines, &why) != FIRN_OK) {
            return fr_json_lines_fail(lines, &why, err);
        }
    }
    return FIRN_OK;
}

// ---- the end

static firn_result check_lines(const fr_json_import *import, firn_error *err)
{
    if (!import->has_header) {
        return fr_fail(err, FIRN_TRUNCATED, "lines", "there is no line: a snapshot has a header");
    }
    if (import->entities > 0 || import->data > 0) {
        return fr_fail(err, FIRN_TRUNCATED, "lines",
                       "behind line %llu, lines of %u entities and %u entries of data are missing",
                       (unsigned long long)import->line, import->entities, import->data);
    }
    if (import->has_frame) {
        return fr_fail(err, FIRN_CORRUPT, "frames",
                       "the frames of the header have more rows than there are entities");
    }
    return FIRN_OK;
}

// Whether what was written is a snapshot.
static firn_result check_image_of_lines(const fr_json_import *import, firn_error *err)
{
    firn_error why;
    const firn_image_options options = {.limits = &import->setting.limits,
                                        .allocator = &import->setting.allocator};
    firn_result result =
        firn_image_check(import->buffer->data + import->start, import->buffer->size - import->start,
                         &options, NULL, &why);
    if (result != FIRN_OK) {
        fr_fail_entity(err, result, why.entity, why.subject, "the lines make no snapshot: %s",
                       why.message);
    }
    return result;
}

firn_result fr_json_import_finish(fr_json_import *import, firn_error *err)
{
    firn_result result = check_lines(import, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_write_data_end(&import->out);
    result = fr_out_end(&import->out, err);
    return result == FIRN_OK ? check_image_of_lines(import, err) : result;
}

firn_result firn_json_import_image(const void *text, size_t size, const firn_json_options *options,
                                   firn_buffer *out, firn_error *err)
{
    if (text == NULL && size > 0) {
        return fr_fail(err, FIRN_INVALID, "text", "text is NULL");
    }
    fr_json_import import;
    firn_result result = fr_json_import_begin(&import, options, out, err);
    if (result == FIRN_OK) {
        fr_json_lines lines;
        fr_json_lines_begin(&lines, text, size);
        result = fr_json_import_lines(&import, &lines, err);
    }
    if (result == FIRN_OK) {
        result = fr_json_import_finish(&import, err);
    }
    if (result != FIRN_OK && out != NULL) {
        out->size = import.start;
    }
    fr_json_import_end(&import);
    return result;
}
