/// json_lines.h: snapshots as lines of JSON, for tests.
#ifndef TEST_JSON_LINES_H
#define TEST_JSON_LINES_H

#include "firn/json.h"
#include "support/support.h"

/// A sink that appends to the firn_buffer `user`.
firn_result json_sink(void *user, const void *text, size_t size, firn_error *err);

/// The lines of an image, which must succeed; freed with firn_buffer_free.
firn_buffer json_lines_of(const void *image, size_t size);
/// The image of lines, which must succeed.
firn_buffer json_image_of(const void *text, size_t size);

/// The image has lines, and they are those of the image byte for byte.
#define assert_crosses(image, size, name)                                                          \
    json_assert_crosses((image), (size), (name), __FILE__, __LINE__)
void json_assert_crosses(const void *image, size_t size, const char *name, const char *file,
                         int line);

#endif
