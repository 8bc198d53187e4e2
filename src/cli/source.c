#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

firn_image_options fr_cli_image_options(const fr_cli *cli)
{
    return (firn_image_options){.limits = &cli->limits,
                                .allocator = cli->host->allocator,
                                .schemas = (const void *)cli->schemas.data,
                                .schema_count =
                                    (uint32_t)(cli->schemas.size / sizeof(firn_image_schema))};
}

firn_save_file_options fr_cli_save_options(const fr_cli *cli)
{
    return (firn_save_file_options){.limits = &cli->limits, .allocator = cli->host->allocator};
}

firn_json_options fr_cli_json_options(const fr_cli *cli)
{
    const firn_image_options image = fr_cli_image_options(cli);
    return (firn_json_options){.limits = image.limits,
                               .allocator = image.allocator,
                               .schemas = image.schemas,
                               .schema_count = image.schema_count};
}

static bool is_blank_byte(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

bool fr_cli_is_json(const firn_buffer *bytes)
{
    size_t at = 0;
    while (at < bytes->size && is_blank_byte(bytes->data[at])) {
        at++;
    }
    return at < bytes->size && (bytes->data[at] == '{' || bytes->data[at] == '[') &&
           memchr(bytes->data, 0, bytes->size) == NULL;
}

// The first line of an export says what it is.
static bool is_export(const firn_buffer *text)
{
    static const char member[] = "\"firn\"";
    const size_t size = sizeof member - 1;
    size_t at = 0;
    while (is_blank_byte(text->data[at])) {
        at++;
    }
    for (; at + size <= text->size && text->data[at] != '\n'; at++) {
        if (memcmp(text->data + at, member, size) == 0) {
            return true;
        }
    }
    return false;
}

// The text becomes the bytes that it stands for.
static firn_result take_json(const fr_cli *cli, fr_cli_source *source, firn_error *err)
{
    firn_buffer text = source->bytes;
    const firn_json_options options = fr_cli_json_options(cli);
    if (!is_export(&text)) {
        *err = (firn_error){.code = FIRN_NOT_OURS,
                            .message = "looks like JSON, but is not what dump --json writes"};
        return FIRN_NOT_OURS;
    }
    firn_buffer_init(&source->bytes, cli->host->allocator);
    source->json = true;
    firn_result result =
        firn_json_import_image(text.data, text.size, &options, &source->bytes, err);
    if (result == FIRN_NOT_OURS) {
        result = firn_json_import_save(text.data, text.size, &options, &source->bytes, err);
    }
    firn_buffer_free(&text);
    return result;
}

// The snapshot in a save file.
static firn_result take_snapshot(fr_cli_source *source, firn_error *err)
{
    firn_section_info info;
    source->kind = FR_CLI_SAVE;
    for (uint32_t i = 0; firn_save_file_section_at(source->save, i, &info); i++) {
        if (strcmp(info.name, FIRN_SECTION_SNAPSHOT) == 0) {
            source->image_offset = info.compressed || source->json ? FIRN_NO_OFFSET : info.offset;
        }
    }
    firn_result result = firn_save_file_section(source->save, FIRN_SECTION_SNAPSHOT, &source->image,
                                                &source->image_size, err);
    return result == FIRN_NOT_FOUND ? FIRN_OK : result; // it may have none
}

// A save file says that it is one; what does not is a snapshot, or nothing.
static firn_result recognise(const fr_cli *cli, fr_cli_source *source, firn_error *err)
{
    const firn_save_file_options options = fr_cli_save_options(cli);
    source->save = firn_save_file_open(source->bytes.data, source->bytes.size, &options, err);
    if (source->save != NULL) {
        return take_snapshot(source, err);
    }
    if (err->code != FIRN_NOT_OURS) {
        return err->code;
    }
    source->image = source->bytes.data;
    source->image_size = source->bytes.size;
    source->image_offset = source->json ? FIRN_NO_OFFSET : 0;
    return FIRN_OK;
}

firn_result fr_cli_source_take(fr_cli *cli, fr_cli_source *source, firn_error *err)
{
    firn_result result = FIRN_OK;
    if (fr_cli_is_json(&source->bytes)) {
        result = take_json(cli, source, err);
    }
    if (result == FIRN_OK) {
        result = recognise(cli, source, err);
    }
    if (result != FIRN_OK) {
        fr_cli_close(source);
    }
    return result;
}

firn_result fr_cli_source_open(fr_cli *cli, const char *path, fr_cli_source *out, firn_error *err)
{
    *out = (fr_cli_source){.path = path};
    firn_buffer_init(&out->bytes, cli->host->allocator);
    firn_result result =
        cli->host->read(cli->host->user, path, cli->limits.file_bytes, &out->bytes, err);
    if (result != FIRN_OK) {
        fr_cli_close(out);
        return result;
    }
    return fr_cli_source_take(cli, out, err);
}

bool fr_cli_open(fr_cli *cli, const char *path, fr_cli_source *out)
{
    firn_error err;
    if (fr_cli_source_open(cli, path, out, &err) == FIRN_OK) {
        return true;
    }
    fr_cli_fail(cli, path, &err);
    return false;
}

void fr_cli_locate(const fr_cli_source *source, firn_error *err)
{
    if (err->offset == FIRN_NO_OFFSET) {
        return;
    }
    if (source->image_offset != FIRN_NO_OFFSET) {
        err->offset += source->image_offset;
        return;
    }
    size_t size = strlen(err->message);
    (void)snprintf(err->message + size, sizeof err->message - size,
                   " (byte %" PRIu64 " of the snapshot)", err->offset);
    err->offset = FIRN_NO_OFFSET;
}

bool fr_cli_open_image(fr_cli *cli, fr_cli_source *source)
{
    firn_error err;
    const firn_image_options options = fr_cli_image_options(cli);
    if (source->image == NULL) {
        fr_cli_say(cli, source->path, "the save has no snapshot");
        return false;
    }
    source->opened = firn_image_open(source->image, source->image_size, &options, &err);
    if (source->opened == NULL) {
        fr_cli_locate(source, &err);
        fr_cli_fail(cli, source->path, &err);
    }
    return source->opened != NULL;
}

bool fr_cli_open_whole(fr_cli *cli, const char *path, fr_cli_source *out)
{
    return fr_cli_open(cli, path, out) && (out->image == NULL || fr_cli_open_image(cli, out));
}

void fr_cli_close(fr_cli_source *source)
{
    firn_image_close(source->opened);
    firn_save_file_close(source->save);
    firn_buffer_free(&source->bytes);
    *source = (fr_cli_source){.path = source->path};
}
