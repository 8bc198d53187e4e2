// A save file as lines: its header, its sections, its snapshot.
#include <string.h>

#include "base/error.h"
#include "firn/json.h"
#include "json/image.h"
#include "json/text.h"
#include "saves/file.h"
#include "value/doc.h"

typedef struct save_export {
    firn_save_file *file;
    firn_doc *doc;
    firn_buffer line;
    fr_json_text text;
    firn_json_sink_fn sink;
    void *user;
} save_export;

static firn_result send_line(save_export *job, firn_error *err)
{
    firn_error why;
    fr_json_put(&job->text, "}\n");
    firn_result result = fr_json_text_end(&job->text, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_error_begin(&why);
    result = job->sink(job->user, job->line.data, job->line.size, &why);
    firn_buffer_clear(&job->line);
    if (result != FIRN_OK) {
        fr_error_complete(&why, result);
        fr_fail_copy(err, &why);
    }
    return result;
}

static firn_result export_save_header(save_export *job, firn_error *err)
{
    firn_buffer encoded;
    firn_buffer_init(&encoded, &job->line.allocator);
    firn_result result =
        fr_file_write_header(firn_save_file_header(job->file), &job->doc->limits, &encoded, err);
    if (result == FIRN_OK) {
        fr_json_text *text = &job->text;
        fr_json_text_begin(text, &job->line, &job->doc->limits);
        fr_json_put(text, "{\"firn\":\"save\",\"format\":");
        fr_json_put_unsigned(text, FR_JSON_FORMAT);
        fr_json_put(text, ",\"header\":");
        fr_json_put_encoded(text, encoded.data, encoded.size, job->doc);
        fr_json_put(text, ",\"sections\":[");
        firn_section_info info;
        for (uint32_t i = 0; firn_save_file_section_at(job->file, i, &info); i++) {
            fr_json_put(text, i > 0 ? "," : "");
            fr_json_put_text(text, info.name, strlen(info.name));
        }
        fr_json_put(text, "]");
        result = send_line(job, err);
    }
    firn_buffer_free(&encoded);
    return result;
}

static firn_result export_section(save_export *job, const char *name, firn_error *err)
{
    const void *bytes = NULL;
    size_t size = 0;
    firn_result result = firn_save_file_section(job->file, name, &bytes, &size, err);
    if (result != FIRN_OK) {
        return result;
    }
    fr_json_text *text = &job->text;
    fr_json_text_begin(text, &job->line, &job->doc->limits);
    fr_json_put(text, "{\"section\":");
    fr_json_put_text(text, name, strlen(name));
    if (fr_is_encoded_table(bytes, size)) {
        fr_json_put(text, ",\"value\":");
        fr_json_put_encoded(text, bytes, size, job->doc);
    } else {
        fr_json_put(text, ",\"bytes\":\"");
        fr_json_put_base64(text, bytes, size);
        fr_json_put(text, "\"");
    }
    return send_line(job, err);
}

static firn_result export_sections(save_export *job, const firn_json_options *options,
                                   firn_error *err)
{
    firn_section_info info;
    bool has_snapshot = false;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && firn_save_file_section_at(job->file, i, &info); i++) {
        if (strcmp(info.name, FIRN_SECTION_SNAPSHOT) == 0) {
            has_snapshot = true;
        } else {
            result = export_section(job, info.name, err);
        }
    }
    const void *image = NULL;
    size_t size = 0;
    if (result == FIRN_OK && has_snapshot) {
        result = firn_save_file_section(job->file, FIRN_SECTION_SNAPSHOT, &image, &size, err);
    }
    return result == FIRN_OK && has_snapshot
               ? firn_json_export_image(image, size, options, job->sink, job->user, err)
               : result;
}

static firn_result export_save(save_export *job, const firn_json_options *options,
                               const firn_limits *limits, firn_error *err)
{
    job->doc = firn_doc_create(&job->line.allocator, limits, err);
    if (job->doc == NULL) {
        return FIRN_NO_MEMORY;
    }
    firn_result result = export_save_header(job, err);
    return result == FIRN_OK ? export_sections(job, options, err) : result;
}

firn_result firn_json_export_save(const void *bytes, size_t size, const firn_json_options *options,
                                  firn_json_sink_fn sink, void *user, firn_error *err)
{
    fr_json_setting setting;
    firn_result result = fr_json_resolve(options, &setting, err);
    if (result == FIRN_OK && sink == NULL) {
        result = fr_fail(err, FIRN_INVALID, "sink", "sink is NULL");
    }
    if (result != FIRN_OK) {
        return result;
    }
    firn_error why;
    const firn_save_file_options file_options = {.limits = &setting.limits,
                                                 .allocator = &setting.allocator};
    save_export job = {
        .file = firn_save_file_open(bytes, size, &file_options, &why), .sink = sink, .user = user};
    if (job.file == NULL) {
        return fr_fail_copy(err, &why);
    }
    firn_buffer_init(&job.line, &setting.allocator);
    result = export_save(&job, options, &setting.limits, err);
    firn_doc_destroy(job.doc);
    firn_buffer_free(&job.line);
    firn_save_file_close(job.file);
    return result;
}
