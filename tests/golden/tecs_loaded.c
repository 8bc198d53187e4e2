#include "golden/tecs_loaded.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/support.h"

static json_t *read_expectation(const golden_file *file)
{
    char path[512];
    snprintf(path, sizeof path, FIRN_TEST_DATA "/tecs/%s.expect.json", file->expect);
    json_error_t error;
    json_t *expect = json_load_file(path, JSON_ALLOW_NUL, &error);
    if (expect == NULL) {
        fail_msg("%s: %s", path, error.text);
    }
    return expect;
}

uint8_t *golden_image(const golden_file *file, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, FIRN_TEST_DATA "/tecs/%s.bin", file->path);
    return test_read_file(path, size);
}

golden_loaded golden_load(const golden_file *file)
{
    golden_loaded golden = {.file = file};
    firn_error err = {0};
    golden.image = golden_image(file, &golden.size);
    golden.expect = read_expectation(file);
    golden.world = golden_world(file, &err);
    if (golden.world == NULL) {
        fail_msg("%s: %s", file->path, err.message);
    }
    firn_result result =
        firn_snapshot_load(golden.world, golden.image, golden.size, NULL, &golden.report, &err);
    if (result != FIRN_OK) {
        fail_msg("%s: %s: %s", file->path, firn_result_name(result), err.message);
    }
    firn_load_report_free(&golden.report);
    return golden;
}

void golden_unload(golden_loaded *golden)
{
    firn_world_destroy(golden->world);
    json_decref(golden->expect);
    free(golden->image);
}

void assert_golden(const firn_world *world, const golden_loaded *golden)
{
    char difference[GOLDEN_ROOM];
    if (!golden_holds(world, golden->file, golden->expect, difference)) {
        fail_msg("%s: %s", golden->file->path, difference);
    }
}
