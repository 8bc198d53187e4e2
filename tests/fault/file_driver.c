// file_driver PATH TEXT COUNT: replaces the file by COUNT times TEXT. Prints the result's name and
// the message; the exit code is the result's number. Faults count between two calls of
// getppid: what is in between is the library's.
#include "base/error.h"
#include "os/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static void print_line(const char *name, const char *message)
{
    struct iovec parts[] = {
        {(void *)(uintptr_t)name, strlen(name)},
        {(void *)(uintptr_t) ": ", 2},
        {(void *)(uintptr_t)message, strlen(message)},
        {(void *)(uintptr_t) "\n", 1},
    };
    if (writev(STDOUT_FILENO, parts, 4) < 0) {
        perror("file_driver");
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fputs("usage: file_driver PATH TEXT COUNT\n", stderr);
        return 64;
    }
    size_t size = strlen(argv[2]), count = strtoul(argv[3], NULL, 10);
    char *bytes = malloc(size * count + 1);
    if (bytes == NULL) {
        return 65;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes + i * size, argv[2], size);
    }
    (void)getppid();
    firn_error err = {0};
    firn_result result = fr_file_replace(NULL, argv[1], bytes, size * count, &err);
    (void)getppid();
    print_line(firn_result_name(result), err.message);
    free(bytes);
    return (int)result;
}
