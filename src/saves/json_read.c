// The lines of a save file, back.
#include <string.h>

#include "base/error.h"
#include "json/import.h"
#include "saves/file.h"
#include "value/doc.h"

typedef struct section_lines {
    char name[FIRN_SECTION_NAME_MOST + 1];
    firn_buffer bytes;
} section_lines;

typedef struct save_import {
    fr_json_setting setting;
    fr_json_parser parser;
    fr_json_lines lines;
    firn_doc *doc;   // the header lives in it
    firn_doc *value; // of the section at hand
    firn_save_header header;
    firn_value meta;
    section_lines sections[FIRN_SECTIONS_MOST];
    uint32_t count;
} save_import;

// ---- the header

static firn_result read_section_list(save_import *job, const fr_json_node *line, firn_error *err)
{
    const fr_json_node *list = fr_json_member(line, "sections");
    if (list == NULL || list->kind != FR_JSON_ARRAY || list->size > FIRN_SECTIONS_MOST) {
        return fr_json_refuse(list != NULL ? list : line, "sections",
                              "is missing, or is no array of at most 32 names", err);
    }
    const fr_json_node *at = list + 1;
    for (; job->count < list->size; at = fr_json_next(at), job->count++) {
        section_lines *section = &job->sections[job->count];
        firn_buffer_init(&section->bytes, &job->setting.allocator);
        if (at->kind != FR_JSON_STRING || at->size > FIRN_SECTION_NAME_MOST ||
            fr_section_name_size(at->as.string, at->size) != at->size) {
            return fr_json_refuse(at, "sections", "one is no name of a section", err);
        }
        memcpy(section->name, at->as.string, at->size);
    }
    return FIRN_OK;
}

static firn_result read_save_header(save_import *job, const fr_json_node *line, firn_error *err)
{
    const fr_json_node *map = fr_json_member(line, "header");
    firn_result result = fr_json_import_marker(line, "save", err);
    if (result == FIRN_OK && (map == NULL || line->size != 4)) {
        return fr_json_refuse(line, "header", "is missing, or more is there", err);
    }
    firn_value value;
    if (result == FIRN_OK) {
        result = fr_json_value(map, job->doc, &value, err);
    }
    if (result == FIRN_OK) {
        result = fr_file_read_header(&value, FIRN_CORRUPT, &job->header, err);
    }
    return result == FIRN_OK ? read_section_list(job, line, err) : result;
}

// ---- sections

static firn_result read_section_value(save_import *job, const fr_json_node *node, firn_buffer *out,
                                      firn_error *err)
{
    firn_value value;
    firn_doc_clear(job->value);
    firn_result result = fr_json_value(node, job->value, &value, err);
    return result == FIRN_OK ? firn_value_encode(&value, &job->setting.limits, out, err) : result;
}

static firn_result read_section_line(save_import *job, const fr_json_node *line,
                                     section_lines *section, firn_error *err)
{
    const fr_json_node *name = fr_json_member(line, "section");
    const fr_json_node *value = fr_json_member(line, "value");
    const fr_json_node *bytes = fr_json_member(line, "bytes");
    bool named =
        name != NULL && name->kind == FR_JSON_STRING && strcmp(name->as.string, section->name) == 0;
    if (!named || line->size != 2 || (value == NULL && bytes == NULL)) {
        return fr_json_refuse(line, section->name,
                              "its line, {section, value or bytes}, is missing", err);
    }
    return value != NULL ? read_section_value(job, value, &section->bytes, err)
                         : fr_json_read_base64(bytes, &section->bytes, err);
}

// The next line; NULL with err filled.
static const fr_json_node *next_node(save_import *job, const char *what, firn_error *err)
{
    if (!fr_json_lines_next(&job->lines)) {
        fr_fail(err, FIRN_TRUNCATED, what, "behind line %llu the line of %s is missing",
                (unsigned long long)job->lines.line, what);
        return NULL;
    }
    return fr_json_parse(&job->parser, job->lines.bytes, job->lines.size, job->lines.offset, err);
}

static firn_result read_lines(save_import *job, firn_error *err)
{
    const fr_json_node *line = next_node(job, "the header", err);
    firn_result result = line != NULL ? read_save_header(job, line, err) : err->code;
    for (uint32_t i = 0; result == FIRN_OK && i < job->count; i++) {
        section_lines *section = &job->sections[i];
        if (strcmp(section->name, FIRN_SECTION_SNAPSHOT) == 0) {
            continue;
        }
        line = next_node(job, section->name, err);
        result = line != NULL ? read_section_line(job, line, section, err) : err->code;
    }
    return result;
}

// ---- the snapshot, and the file

static section_lines *find_section_lines(save_import *job, const char *name)
{
    for (uint32_t i = 0; i < job->count; i++) {
        if (strcmp(job->sections[i].name, name) == 0) {
            return &job->sections[i];
        }
    }
    return NULL;
}

static firn_result read_snapshot_lines(save_import *job, firn_error *err)
{
    section_lines *section = find_section_lines(job, FIRN_SECTION_SNAPSHOT);
    if (section == NULL) {
        if (fr_json_lines_next(&job->lines)) {
            return fr_fail_at(err, FIRN_CORRUPT, job->lines.offset, "lines",
                              "line %llu follows the last section, and there is no snapshot",
                              (unsigned long long)job->lines.line);
        }
        return FIRN_OK;
    }
    const firn_json_options options = {.limits = &job->setting.limits,
                                       .allocator = &job->setting.allocator};
    fr_json_import import;
    firn_result result = fr_json_import_begin(&import, &options, &section->bytes, err);
    if (result == FIRN_OK) {
        result = fr_json_import_lines(&import, &job->lines, err);
    }
    if (result == FIRN_OK) {
        result = fr_json_import_finish(&import, err);
    }
    fr_json_import_end(&import);
    return result;
}

static firn_result write_save(save_import *job, const firn_json_options *options, firn_buffer *out,
                              firn_error *err)
{
    const firn_save_file_options file_options = {.limits = &job->setting.limits,
                                                 .allocator = &job->setting.allocator,
                                                 .compression =
                                                     options != NULL ? options->compression : 0};
    firn_section sections[FIRN_SECTIONS_MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < job->count; i++) {
        const section_lines *section = &job->sections[i];
        if (strcmp(section->name, FIRN_SECTION_THUMBNAIL) == 0) {
            firn_result result = fr_file_put_thumbnail(
                job->doc, &job->header, &job->meta, section->bytes.data, section->bytes.size, err);
            if (result != FIRN_OK) {
                return result;
            }
            continue;
        }
        sections[count++] = (firn_section){section->name, section->bytes.data, section->bytes.size};
    }
    return firn_save_file_write(&job->header, sections, count, &file_options, out, err);
}

static firn_result import_save(save_import *job, const firn_json_options *options, firn_buffer *out,
                               firn_error *err)
{
    const firn_allocator *allocator = &job->setting.allocator;
    job->doc = firn_doc_create(allocator, &job->setting.limits, err);
    if (job->doc == NULL) {
        return FIRN_NO_MEMORY;
    }
    job->value = firn_doc_create(allocator, &job->setting.limits, err);
    if (job->value == NULL) {
        return FIRN_NO_MEMORY;
    }
    firn_error why;
    firn_result result = read_lines(job, &why);
    if (result != FIRN_OK) {
        return fr_json_lines_fail(&job->lines, &why, err);
    }
    result = read_snapshot_lines(job, err);
    return result == FIRN_OK ? write_save(job, options, out, err) : result;
}

firn_result firn_json_import_save(const void *text, size_t size, const firn_json_options *options,
                                  firn_buffer *out, firn_error *err)
{
    save_import job = {.count = 0};
    firn_error why;
    firn_result result = fr_json_resolve(options, &job.setting, err);
    if (result == FIRN_OK && ((text == NULL && size > 0) || out == NULL)) {
        result =
            fr_fail(err, FIRN_INVALID, out ? "text" : "out", "%s is NULL", out ? "text" : "out");
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_json_parser_begin(&job.parser, &job.setting.allocator, &job.setting.limits);
    fr_json_lines_begin(&job.lines, text, size);
    result = import_save(&job, options, out, &why);
    for (uint32_t i = 0; i < FIRN_SECTIONS_MOST; i++) {
        firn_buffer_free(&job.sections[i].bytes);
    }
    firn_doc_destroy(job.doc);
    firn_doc_destroy(job.value);
    fr_json_parser_end(&job.parser);
    return result == FIRN_OK ? result : fr_fail_copy(err, &why);
}
