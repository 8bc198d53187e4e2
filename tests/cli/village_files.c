// The files of tests/golden/tool are what village.c makes: `cli_village_files write` makes them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/village.h"

static const struct {
    const char *name;
    village_time time;
    void (*make)(village_time, firn_buffer *);
} files[] = {{"evening.firn", VILLAGE_EVENING, village_save},
             {"morning.firn", VILLAGE_MORNING, village_save},
             {"evening.flock", VILLAGE_EVENING, village_flock},
             {"morning.flock", VILLAGE_MORNING, village_flock}};

static void the_files_are_those_that_are_made(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[512];
        size_t size;
        firn_buffer made = {0};
        snprintf(name, sizeof name, FIRN_TEST_DATA "/tool/%s", files[i].name);
        uint8_t *bytes = test_read_file(name, &size);
        files[i].make(files[i].time, &made);
        assert_int_equal(size, made.size);
        assert_memory_equal(bytes, made.data, size);
        firn_buffer_free(&made);
        free(bytes);
    }
}

static int write_files(void)
{
    int status = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[512];
        firn_buffer made = {0};
        snprintf(path, sizeof path, FIRN_TEST_DATA "/tool/%s", files[i].name);
        files[i].make(files[i].time, &made);
        FILE *to = fopen(path, "wb");
        bool ok = to != NULL && fwrite(made.data, 1, made.size, to) == made.size;
        ok = to != NULL && fclose(to) == 0 && ok;
        status = ok ? status : 1;
        firn_buffer_free(&made);
    }
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "write") == 0)
        return write_files();
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_files_are_those_that_are_made)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
