// The tool, command by command, over a file: it ends with an answer or a message, and what it
// prints does not drive a terminal. The first byte chooses the command line (tests/cli/every.c),
// the second the call to the allocator that fails (0: none), the third whether hashes of a save
// file are made right first (1); the rest is the file.
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/every.h"

typedef struct fuzz_run {
    const every_command *command;
    uint8_t *bytes;
    size_t size;
    bool said; // something
} fuzz_run;

static firn_result fuzz_write(void *user, bool error, const void *bytes, size_t size,
                              firn_error *err)
{
    (void)err;
    fuzz_run *run = user;
    run->said = run->said || size > 0;
    bool text = error || !run->command->binary;
    FUZZ_CHECK(!text || size == 0 || memchr(bytes, '\33', size) == NULL);
    return FIRN_OK;
}

// "other" is the file with another byte, "game" a schema file.
static firn_result fuzz_read(void *user, const char *path, uint64_t limit, firn_buffer *out,
                             firn_error *err)
{
    fuzz_run *run = user;
    if (strcmp(path, "game") == 0) {
        return firn_buffer_append(out, every_schema, strlen(every_schema), err);
    }
    FUZZ_CHECK(run->size <= limit);
    size_t start = out->size;
    firn_result result = firn_buffer_append(out, run->bytes, run->size, err);
    if (result == FIRN_OK && strcmp(path, "other") == 0 && run->size > 0) {
        out->data[start + run->size * 2 / 3] ^= 1;
    }
    return result;
}

static firn_result fuzz_replace(void *user, const char *path, const void *bytes, size_t size,
                                firn_error *err)
{
    (void)user, (void)err;
    FUZZ_CHECK(path[0] != '\0' && (bytes != NULL || size == 0));
    return FIRN_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4) {
        return -1;
    }
    fuzz_run run = {.command = &every_commands[data[0] % every_command_count], .size = size - 3};
    run.bytes = malloc(run.size);
    if (run.bytes == NULL) {
        return -1;
    }
    memcpy(run.bytes, data + 3, run.size);
    if (data[2] % 2 == 1) {
        fuzz_seal(run.bytes, run.size);
    }
    fuzz_allocator memory;
    fuzz_allocator_init(&memory);
    memory.left = data[1] > 0 ? data[1] - 1u : UINT64_MAX;
    const fr_cli_host host = {.user = &run,
                              .write = fuzz_write,
                              .read = fuzz_read,
                              .replace = fuzz_replace,
                              .allocator = &memory.allocator};
    const char *words[EVERY_WORDS + 1];
    int count = every_words(run.command, "file", words);
    int status = fr_cli_run(count, words, &host);
    FUZZ_CHECK(status >= 0 && status <= 2 && (status != 2 || run.said));
    FUZZ_CHECK(memory.blocks == 0 && memory.bytes == 0);
    free(run.bytes);
    return 0;
}
