#include "cli/golden.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

bool cli_has_no_snapshot(const char *file)
{
    return strstr(file, "01_least") != NULL || strstr(file, "04_thumbnail") != NULL;
}

static bool can_be_read(const char *file)
{
    bool compressed = strstr(file, "compressed") != NULL;
    bool json = strstr(file, ".jsonl") != NULL;
    return (!compressed || firn_save_file_can_compress()) && (!json || firn_json_available());
}

static bool ends_in(const char *name, const char *ending)
{
    size_t size = strlen(name), end = strlen(ending);
    return size > end && strcmp(name + size - end, ending) == 0;
}

uint32_t cli_each_golden(cli_test *t, const char *folder, const char *ending,
                         void (*each)(cli_test *t, const char *file))
{
    char path[512];
    uint32_t files = 0;
    (void)snprintf(path, sizeof path, FIRN_TEST_DATA "/%s", folder);
    DIR *list = opendir(path);
    assert_non_null(list);
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        char file[120];
        (void)snprintf(file, sizeof file, "%.20s/%.90s", folder, entry->d_name);
        if (ends_in(file, ending) && can_be_read(file)) {
            cli_forget(t);
            cli_put_golden(t, file);
            each(t, file);
            files++;
        }
    }
    (void)closedir(list);
    return files;
}
