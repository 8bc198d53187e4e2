#include "cli/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void write_error(fr_cli *cli, const void *bytes, size_t size)
{
    // A message that nobody can get is no reason to fail.
    (void)cli->host->write(cli->host->user, true, bytes, size, NULL);
}

static void write_error_text(fr_cli *cli, const char *text)
{
    fr_cli_escape(cli, text, strlen(text), write_error);
}

void fr_cli_progress_clear(fr_cli *cli)
{
    if (cli->shown > 0) {
        write_error(cli, "\r\33[K", 4);
        cli->shown = 0;
    }
}

// Messages of the library about a path begin with it.
static const char *without_path(const char *message, const char *file)
{
    size_t size = strlen(file);
    bool repeats = strncmp(message, file, size) == 0 && strncmp(message + size, ": ", 2) == 0;
    return repeats ? message + size + 2 : message;
}

static void complain(fr_cli *cli, const char *file, const char *message)
{
    fr_cli_flush(cli);
    fr_cli_progress_clear(cli);
    write_error(cli, "firn: ", 6);
    if (file != NULL) {
        write_error_text(cli, strcmp(file, "-") == 0 ? "standard input" : fr_cli_shown(file));
        write_error(cli, ": ", 2);
        message = without_path(message, file);
    }
    write_error_text(cli, message);
    write_error(cli, "\n", 1);
}

fr_cli_status fr_cli_fail(fr_cli *cli, const char *file, const firn_error *err)
{
    char place[32] = "", message[sizeof err->message + sizeof place];
    if (err->offset != FIRN_NO_OFFSET) {
        (void)snprintf(place, sizeof place, " (byte %" PRIu64 ")", err->offset);
    }
    (void)snprintf(message, sizeof message, "%s%s", err->message, place);
    complain(cli, file, message);
    return FR_CLI_TROUBLE;
}

fr_cli_status fr_cli_say(fr_cli *cli, const char *file, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    complain(cli, file, message);
    return FR_CLI_TROUBLE;
}

fr_cli_status fr_cli_misuse(fr_cli *cli, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    complain(cli, NULL, message);
    write_error_text(cli, "try: firn ");
    if (cli->command != NULL) {
        write_error_text(cli, cli->command->name);
        write_error_text(cli, " ");
    }
    write_error_text(cli, "--help");
    write_error(cli, "\n", 1);
    return FR_CLI_TROUBLE;
}

static void show_bar(fr_cli *cli, double fraction)
{
    char bar[64];
    uint32_t percent = (uint32_t)(fraction * 100);
    if (cli->host->error_terminal && percent + 1 != cli->shown) {
        uint32_t full = percent * 40 / 100;
        (void)snprintf(bar, sizeof bar, "\r[%.*s%*s] %3" PRIu32 "%%", (int)full,
                       "########################################", (int)(40 - full), "", percent);
        fr_cli_flush(cli);
        write_error(cli, bar, strlen(bar));
        cli->shown = percent + 1;
    }
}

void fr_cli_progress(fr_cli *cli, uint64_t done, uint64_t all)
{
    cli->step = done;
    cli->steps = all;
    if (done >= all) {
        fr_cli_progress_clear(cli);
    } else {
        show_bar(cli, (double)done / (double)all);
    }
}

void fr_cli_progress_part(fr_cli *cli, uint64_t part, uint64_t parts)
{
    if (cli->step < cli->steps && part < parts) {
        double done = (double)cli->step + (double)part / (double)parts;
        show_bar(cli, done / (double)cli->steps);
    }
}
