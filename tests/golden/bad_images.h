/// bad_images.h: what each of the bad images in tests/golden/errors comes to (errors/make.py).
#ifndef TESTS_GOLDEN_BAD_IMAGES_H
#define TESTS_GOLDEN_BAD_IMAGES_H

#include "firn/base.h"

typedef struct bad_image {
    const char *path;    ///< tests/golden/errors/<path>.bin; the folder names what a load comes to
    firn_result check;   ///< of firn_image_check: FIRN_OK where only a world can tell
    uint64_t offset;     ///< of the error of a load
    const char *subject; ///< a part of it
} bad_image;

extern const bad_image bad_images[];
extern const uint32_t bad_image_count;

#endif
