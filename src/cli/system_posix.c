#define _GNU_SOURCE       // fileno, struct winsize
#define _FILE_OFFSET_BITS 64

#include "cli/system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

void fr_cli_system_begin(fr_cli_host *host)
{
    struct winsize size;
    host->terminal = isatty(STDOUT_FILENO) == 1;
    host->error_terminal = isatty(STDERR_FILENO) == 1;
    if (host->terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        host->width = size.ws_col;
    }
}

bool fr_cli_system_is_stream(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool status_of_path(const char *path, struct stat *out)
{
    return (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, out) : stat(path, out)) == 0;
}

bool fr_cli_system_is_same(const char *one, const char *other)
{
    struct stat a, b;
    return status_of_path(one, &a) && status_of_path(other, &b) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

bool fr_cli_system_is_closed(int reason)
{
    return reason == EPIPE;
}

firn_result fr_cli_system_arguments(firn_buffer *out, int *argc, const char *const **argv,
                                    firn_error *err)
{
    (void)out;
    (void)argc;
    (void)argv;
    (void)err;
    return FIRN_OK; // they are bytes, as paths are
}
