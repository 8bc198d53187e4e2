// The tool on a real system: files, standard streams, terminals.
#include "cli/system.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static firn_result fail_stream(firn_result code, const char *what, int reason, firn_error *err)
{
    if (err != NULL) {
        *err = (firn_error){.code = code, .offset = FIRN_NO_OFFSET};
        (void)snprintf(err->message, sizeof err->message, "%s: %s", what, strerror(reason));
    }
    return code;
}

static firn_result write_stream(void *user, bool error, const void *bytes, size_t size,
                                firn_error *err)
{
    (void)user;
    FILE *file = error ? stderr : stdout;
    errno = 0;
    if (fwrite(bytes, 1, size, file) == size && fflush(file) == 0) {
        return FIRN_OK;
    }
    int reason = errno;
    firn_result code = fr_cli_system_is_closed(reason) ? FIRN_NOT_FOUND : FIRN_IO;
    return fail_stream(code, "writing the output", reason, err);
}

static firn_result fail_too_long(const char *path, uint64_t limit, firn_error *err)
{
    *err = (firn_error){.code = FIRN_LIMIT, .offset = FIRN_NO_OFFSET};
    (void)snprintf(err->message, sizeof err->message,
                   "%.300s: more bytes than the limit of %" PRIu64, path, limit);
    return FIRN_LIMIT;
}

// To its end; `out` may hold some of it after a failure.
static firn_result read_open(FILE *file, const char *path, uint64_t limit, firn_buffer *out,
                             firn_error *err)
{
    size_t got = 1;
    for (uint64_t all = 0; got > 0; all += got) {
        if (all > limit) {
            return fail_too_long(path, limit, err);
        }
        firn_result result = firn_buffer_reserve(out, 65536, err);
        if (result != FIRN_OK) {
            return result;
        }
        got = fread(out->data + out->size, 1, 65536, file);
        out->size += got;
    }
    return ferror(file) ? fail_stream(FIRN_IO, path, errno, err) : FIRN_OK;
}

static firn_result read_stream(const char *path, uint64_t limit, firn_buffer *out, firn_error *err)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail_stream(FIRN_IO, path, errno, err);
    }
    firn_result result = read_open(file, path, limit, out, err);
    (void)fclose(file);
    return result;
}

static firn_result read_path(void *user, const char *path, uint64_t limit, firn_buffer *out,
                             firn_error *err)
{
    (void)user;
    if (strcmp(path, "-") == 0) {
        return read_open(stdin, path, limit, out, err);
    }
    return fr_cli_system_is_stream(path) ? read_stream(path, limit, out, err)
                                         : firn_file_read(path, limit, out, err);
}

static firn_result replace_path(void *user, const char *path, const void *bytes, size_t size,
                                firn_error *err)
{
    (void)user;
    return firn_file_replace(path, bytes, size, NULL, err);
}

static bool is_same_path(void *user, const char *one, const char *other)
{
    (void)user;
    return fr_cli_system_is_same(one, other);
}

int main(int argc, char **argv)
{
    fr_cli_host host = {
        .write = write_stream, .read = read_path, .replace = replace_path, .same = is_same_path};
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    bool dumb = terminal != NULL && strcmp(terminal, "dumb") == 0;
    host.no_color = dumb || (no_color != NULL && no_color[0] != '\0');
    fr_cli_system_begin(&host);
    host.error_terminal = host.error_terminal && !dumb; // a bar is drawn with codes, too
    firn_error err;
    firn_buffer memory = {0};
    const char *const *words = (const char *const *)argv;
    int status = FR_CLI_TROUBLE;
    if (fr_cli_system_arguments(&memory, &argc, &words, &err) == FIRN_OK) {
        status = fr_cli_run(argc, words, &host);
    } else {
        (void)fprintf(stderr, "firn: %s\n", err.message);
    }
    firn_buffer_free(&memory);
    return status;
}
