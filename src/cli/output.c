#include "cli/cli.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// What cannot be written once is not tried again.
static void hand_over(fr_cli *cli, const void *bytes, size_t size)
{
    firn_error err = {.code = FIRN_OK};
    if (cli->closed || size == 0) {
        return;
    }
    fr_cli_progress_clear(cli);
    firn_result result = cli->host->write(cli->host->user, false, bytes, size, &err);
    if (result != FIRN_OK) {
        cli->closed = true;
        if (result != FIRN_NOT_FOUND) {
            cli->unwritten = err;
        }
    }
}

void fr_cli_flush(fr_cli *cli)
{
    hand_over(cli, cli->output, cli->waiting);
    cli->waiting = 0;
}

bool fr_cli_closed(const fr_cli *cli)
{
    return cli->closed;
}

void fr_cli_write(fr_cli *cli, const void *bytes, size_t size)
{
    if (size > sizeof cli->output - cli->waiting) {
        fr_cli_flush(cli);
    }
    if (size > sizeof cli->output) {
        hand_over(cli, bytes, size);
    } else if (size > 0) {
        memcpy(cli->output + cli->waiting, bytes, size);
        cli->waiting += size;
    }
}

void fr_cli_print(fr_cli *cli, const char *format, ...)
{
    for (int tries = 0; tries < 2; tries++) {
        size_t room = sizeof cli->output - cli->waiting;
        va_list arguments;
        va_start(arguments, format);
        int size = vsnprintf(cli->output + cli->waiting, room, format, arguments);
        va_end(arguments);
        if (size >= 0 && (size_t)size < room) {
            cli->waiting += (size_t)size;
            return;
        }
        fr_cli_flush(cli);
    }
    assert(false && "a text is longer than fr_cli_print takes");
}

fr_cli_status fr_cli_save(fr_cli *cli, const char *path, const void *bytes, size_t size)
{
    firn_error err;
    if (path == NULL || strcmp(path, "-") == 0) {
        fr_cli_write(cli, bytes, size);
        return FR_CLI_OK;
    }
    firn_result result = cli->host->replace(cli->host->user, path, bytes, size, &err);
    return result == FIRN_OK ? FR_CLI_OK : fr_cli_fail(cli, path, &err);
}

firn_result fr_cli_bak_name(const char *path, firn_buffer *out, firn_error *err)
{
    firn_result result = firn_buffer_append(out, path, strlen(path), err);
    return result == FIRN_OK ? firn_buffer_append(out, ".bak", sizeof ".bak", err) : result;
}

void fr_cli_style_set(fr_cli *cli, fr_cli_style style)
{
    static const char *const codes[] = {"0", "1", "2", "31", "32", "33", "36"};
    if (cli->host->terminal && !cli->host->no_color) {
        fr_cli_print(cli, "\33[%sm", codes[style]);
    }
}
