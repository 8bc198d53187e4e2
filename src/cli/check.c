#include "cli/check.h"

#include <stdio.h>
#include <string.h>

// The message begins with what it is about.
static void blame(const char *what, firn_error *err)
{
    const firn_error why = *err;
    (void)snprintf(err->subject, sizeof err->subject, "%s", what);
    (void)snprintf(err->message, sizeof err->message, "%.128s: %.380s", what, why.message);
}

// ---- values

// Rows that are decoded before the document is emptied.
#define ROWS_AT_ONCE 1024

size_t fr_cli_place(const fr_cli_source *source, const void *bytes, size_t otherwise)
{
    const uint8_t *at = bytes, *image = source->image;
    bool inside = at >= image && at < image + source->image_size;
    return inside ? (size_t)(at - image) : otherwise;
}

static firn_result check_values_of_column(fr_cli *cli, const fr_cli_source *source,
                                          uint32_t archetype, uint32_t index, firn_doc *doc,
                                          firn_error *err)
{
    firn_image_archetype frame;
    firn_image_column column;
    firn_reader reader;
    (void)firn_image_archetype_at(source->opened, archetype, &frame);
    (void)firn_image_column_at(source->opened, archetype, index, &column);
    uint64_t start = fr_cli_place(source, column.bytes, (size_t)frame.offset);
    firn_result result = firn_image_reader(source->opened, archetype, index, &reader, err);
    for (uint32_t row = 0; row < column.rows && result == FIRN_OK; row++) {
        if (row % ROWS_AT_ONCE == 0) {
            firn_doc_clear(doc);
            fr_cli_progress_part(cli, start + (uint64_t)column.size * row / column.rows,
                                 source->image_size);
        }
        if (firn_read_kind(&reader) != FIRN_VALUE_TABLE) {
            firn_read_skip(&reader);
        } else if (firn_read_value(&reader, doc) == NULL) {
            firn_image_component component = {0};
            (void)firn_image_component_at(source->opened, column.component, &component);
            result = firn_reader_end(&reader, err);
            blame(component.name, err);
            if (fr_cli_place(source, column.bytes, SIZE_MAX) == SIZE_MAX) {
                err->offset = frame.offset;
            }
        }
    }
    return result;
}

// Values of one byte, as those of tags, hold nothing.
static bool needs_look(const firn_image_column *column)
{
    return !column->raw && column->size > column->rows;
}

static firn_result check_values(fr_cli *cli, const fr_cli_source *source, firn_doc *doc,
                                firn_error *err)
{
    firn_image_archetype archetype;
    firn_image_column column;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; firn_image_archetype_at(source->opened, i, &archetype); i++) {
        for (uint32_t k = 0; firn_image_column_at(source->opened, i, k, &column); k++) {
            result =
                needs_look(&column) ? check_values_of_column(cli, source, i, k, doc, err) : FIRN_OK;
            if (result != FIRN_OK) {
                return result;
            }
        }
    }
    return result;
}

// ---- data

static firn_result check_one_datum(const fr_cli *cli, const fr_cli_source *source,
                                   const firn_image_datum *datum, firn_doc *doc, firn_error *err)
{
    size_t place = fr_cli_place(source, datum->encoded, 0);
    firn_doc_clear(doc);
    const firn_value *value = firn_value_decode(doc, datum->encoded, datum->size, err);
    if (value == NULL) {
        blame(datum->key, err);
        err->offset += place;
        return err->code;
    }
    return fr_cli_check_entry(cli, datum, value, place, err);
}

static firn_result check_each_datum(const fr_cli *cli, const fr_cli_source *source, firn_doc *doc,
                                    firn_error *err)
{
    firn_image_datum datum;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && firn_image_datum_at(source->opened, i, &datum); i++) {
        result = check_one_datum(cli, source, &datum, doc, err);
    }
    return result;
}

firn_result fr_cli_check_image(fr_cli *cli, const fr_cli_source *source, firn_error *err)
{
    firn_doc *doc = firn_doc_create(cli->host->allocator, &cli->limits, err);
    if (doc == NULL) {
        return err->code;
    }
    firn_result result = check_values(cli, source, doc, err);
    if (result == FIRN_OK) {
        result = check_each_datum(cli, source, doc, err);
    }
    firn_doc_destroy(doc);
    return result;
}

// ---- sections

static bool holds_table(const char *section)
{
    return strcmp(section, FIRN_SECTION_CUSTOM) == 0 ||
           strcmp(section, FIRN_SECTION_VARIABLES) == 0 ||
           strcmp(section, FIRN_SECTION_PERSIST) == 0;
}

static firn_result check_table(const fr_cli *cli, const firn_section_info *info, const void *bytes,
                               size_t size, firn_error *err)
{
    firn_doc *doc = firn_doc_create(cli->host->allocator, &cli->limits, err);
    if (doc == NULL) {
        return err->code;
    }
    firn_result result = FIRN_OK;
    const firn_value *value = firn_value_decode(doc, bytes, size, err);
    if (value == NULL) {
        result = err->code;
    } else if (value->kind != FIRN_VALUE_TABLE) {
        *err = (firn_error){.code = FIRN_CORRUPT, .message = "it is no table"};
        result = FIRN_CORRUPT;
    }
    if (result != FIRN_OK) {
        blame(info->name, err);
        // A place in bytes that are compressed is none in the file.
        err->offset = info->compressed ? FIRN_NO_OFFSET : info->offset + err->offset;
    }
    firn_doc_destroy(doc);
    return result;
}

firn_result fr_cli_check_sections(const fr_cli *cli, const fr_cli_source *source, firn_error *err)
{
    firn_section_info info;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && firn_save_file_section_at(source->save, i, &info);
         i++) {
        const void *bytes;
        size_t size;
        result = firn_save_file_section(source->save, info.name, &bytes, &size, err);
        if (result == FIRN_OK && holds_table(info.name)) {
            result = check_table(cli, &info, bytes, size, err);
        }
    }
    return result;
}

// ---- all of it

firn_result fr_cli_check_made(fr_cli *cli, fr_cli_source *made, firn_error *err)
{
    const firn_image_options options = fr_cli_image_options(cli);
    firn_result result = fr_cli_source_take(cli, made, err);
    if (result == FIRN_OK && made->save != NULL) {
        result = fr_cli_check_sections(cli, made, err);
    }
    if (result == FIRN_OK && made->image != NULL) {
        made->opened = firn_image_open(made->image, made->image_size, &options, err);
        result = made->opened != NULL ? fr_cli_check_image(cli, made, err) : err->code;
    }
    return result;
}
