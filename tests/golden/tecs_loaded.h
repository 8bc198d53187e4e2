/// A file of tests/golden/tecs, loaded. Failures end the test.
#ifndef TESTS_GOLDEN_TECS_LOADED_H
#define TESTS_GOLDEN_TECS_LOADED_H

#include "golden/tecs_expect.h"

/// One file of golden_files: its bytes, its expectation, and a world that it was loaded into.
typedef struct golden_loaded {
    const golden_file *file;
    uint8_t *image;
    size_t size;
    json_t *expect;
    firn_world *world;
    firn_load_report report;
} golden_loaded;

golden_loaded golden_load(const golden_file *file);
void golden_unload(golden_loaded *golden);

/// The bytes of a file; freed with free.
uint8_t *golden_image(const golden_file *file, size_t *size);

/// The world holds exactly what is expected of the file.
void assert_golden(const firn_world *world, const golden_loaded *golden);

#endif
