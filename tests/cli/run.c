#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- files

static cli_file *find_file(const cli_test *t, const char *name)
{
    for (uint32_t i = 0; i < t->file_count; i++) {
        if (strcmp(t->files[i].name, name) == 0) {
            return (cli_file *)&t->files[i];
        }
    }
    return NULL;
}

void cli_put(cli_test *t, const char *name, const void *bytes, size_t size)
{
    firn_error err;
    cli_file *file = find_file(t, name);
    if (file == NULL) {
        assert_true(t->file_count < CLI_FILES && strlen(name) < sizeof file->name);
        file = &t->files[t->file_count++];
        memcpy(file->name, name, strlen(name) + 1);
    }
    firn_buffer_free(&file->bytes);
    // Exactly as large, so that a sanitizer sees a read behind the end.
    assert_ok(firn_buffer_append(&file->bytes, bytes, size, &err), &err);
}

void cli_put_text(cli_test *t, const char *name, const char *text)
{
    cli_put(t, name, text, strlen(text));
}

void cli_put_golden(cli_test *t, const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, FIRN_TEST_DATA "/%s", name);
    size_t size;
    uint8_t *bytes = test_read_file(path, &size);
    cli_put(t, name, bytes, size);
    free(bytes);
}

void cli_forget(cli_test *t)
{
    for (uint32_t i = 0; i < t->file_count; i++) {
        firn_buffer_free(&t->files[i].bytes);
    }
    t->file_count = 0;
}

bool cli_has(const cli_test *t, const char *name)
{
    return find_file(t, name) != NULL;
}

const firn_buffer *cli_get(const cli_test *t, const char *name)
{
    const cli_file *file = find_file(t, name);
    if (file == NULL) {
        fail_msg("there is no file %s", name);
    }
    return &file->bytes;
}

// ---- the host

static firn_result fail_file(firn_error *err, firn_result code, const char *path, const char *why)
{
    *err = (firn_error){.code = code, .offset = FIRN_NO_OFFSET};
    (void)snprintf(err->subject, sizeof err->subject, "%s", path);
    (void)snprintf(err->message, sizeof err->message, "%s: %s", path, why);
    return code;
}

static firn_result write_memory(void *user, bool error, const void *bytes, size_t size,
                                firn_error *err)
{
    cli_test *t = user;
    firn_buffer *stream = &t->streams[error];
    if (!error && stream->size + size > t->output_most) {
        return fail_file(err, t->output_full ? FIRN_IO : FIRN_NOT_FOUND, "output",
                         t->output_full ? "no space left" : "a closed pipe");
    }
    assert_int_equal(firn_buffer_append(stream, bytes, size, NULL), FIRN_OK);
    return FIRN_OK;
}

static firn_result read_memory(void *user, const char *path, uint64_t limit, firn_buffer *out,
                               firn_error *err)
{
    cli_test *t = user;
    const cli_file *file = find_file(t, path);
    if (file == NULL) {
        return fail_file(err, FIRN_NOT_FOUND, path, "there is no such file");
    }
    if (file->bytes.size > limit) {
        return fail_file(err, FIRN_LIMIT, path, "it is larger than the limit");
    }
    return firn_buffer_append(out, file->bytes.data, file->bytes.size, err);
}

static firn_result replace_memory(void *user, const char *path, const void *bytes, size_t size,
                                  firn_error *err)
{
    cli_test *t = user;
    if (strchr(path, '/') != NULL) {
        return fail_file(err, FIRN_NOT_FOUND, path, "there is no such folder");
    }
    cli_put(t, path, bytes, size);
    return FIRN_OK;
}

static const char *plain_name(const char *name)
{
    return strncmp(name, "./", 2) == 0 ? name + 2 : name;
}

static bool same_memory(void *user, const char *one, const char *other)
{
    return strcmp(plain_name(one), plain_name(other)) == 0 &&
           find_file(user, plain_name(one)) != NULL;
}

// ---- runs

int cli_setup(void **state)
{
    cli_test *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return -1;
    }
    test_allocator_init(&t->memory);
    t->host = (fr_cli_host){.user = t,
                            .write = write_memory,
                            .read = read_memory,
                            .replace = replace_memory,
                            .same = same_memory,
                            .allocator = &t->memory.allocator};
    t->output_most = UINT64_MAX;
    *state = t;
    return 0;
}

int cli_teardown(void **state)
{
    cli_test *t = *state;
    cli_forget(t);
    firn_buffer_free(&t->streams[0]);
    firn_buffer_free(&t->streams[1]);
    free(t);
    return 0;
}

static const char *text_of(firn_buffer *stream)
{
    assert_int_equal(firn_buffer_append(stream, "", 1, NULL), FIRN_OK);
    stream->size--;
    return (const char *)stream->data;
}

int cli_run_words(cli_test *t, int count, const char *const *words)
{
    firn_buffer_clear(&t->streams[0]);
    firn_buffer_clear(&t->streams[1]);
    int status = fr_cli_run(count, words, &t->host);
    t->out = text_of(&t->streams[0]);
    t->err = text_of(&t->streams[1]);
    assert_no_leak(&t->memory);
    return status;
}

int cli_run(cli_test *t, ...)
{
    const char *words[32] = {"firn"};
    int count = 1;
    va_list list;
    va_start(list, t);
    for (const char *word; (word = va_arg(list, const char *)) != NULL;) {
        assert_true(count < 32);
        words[count++] = word;
    }
    va_end(list);
    return cli_run_words(t, count, words);
}

void cli_run_without_memory(cli_test *t, int count, const char *const *words)
{
    int wanted = cli_run_words(t, count, words);
    assert_int_not_equal(wanted, 2); // which would be all that the runs below come to
    for (uint64_t call = 1;; call++) {
        test_allocator_fail_at(&t->memory, call, true);
        int status = cli_run_words(t, count, words);
        if (!t->memory.injected) {
            assert_int_equal(status, wanted);
            break;
        }
        assert_int_equal(status, 2);
        assert_says(t->err, "memory");
    }
    test_allocator_fail_at(&t->memory, 0, false);
}

void cli_assert_says(const char *text, const char *part, const char *file, int line)
{
    if (strstr(text, part) == NULL) {
        print_error("\"%s\" does not say \"%s\"\n", text, part);
        _fail(file, line);
    }
}
