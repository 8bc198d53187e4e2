#include "api/json_lines.h"

#include <string.h>

firn_result json_sink(void *user, const void *text, size_t size, firn_error *err)
{
    return firn_buffer_append(user, text, size, err);
}

firn_buffer json_lines_of(const void *image, size_t size)
{
    firn_buffer lines = {0};
    firn_error err;
    assert_ok(firn_json_export_image(image, size, NULL, json_sink, &lines, &err), &err);
    return lines;
}

firn_buffer json_image_of(const void *text, size_t size)
{
    firn_buffer image = {0};
    firn_error err;
    assert_ok(firn_json_import_image(text, size, NULL, &image, &err), &err);
    return image;
}

void json_assert_crosses(const void *image, size_t size, const char *name, const char *file,
                         int line)
{
    firn_buffer lines = json_lines_of(image, size);
    firn_buffer again = json_image_of(lines.data, lines.size);
    if (again.size != size || memcmp(again.data, image, size) != 0) {
        print_error("%s: %zu bytes came back as other %zu\n%.*s\n", name, size, again.size,
                    (int)(lines.size < 4000 ? lines.size : 4000), (const char *)lines.data);
        _fail(file, line);
    }
    firn_buffer_free(&lines);
    firn_buffer_free(&again);
}
