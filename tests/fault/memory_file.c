// Calls of file.h.
#include "fault/memory_scene.h"

#include "firn/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static firn_result read_file(scene *s, firn_error *err)
{
    firn_buffer out;
    firn_buffer_init(&out, &s->memory.allocator);
    firn_result result = firn_file_read(s->path, UINT64_MAX, &out, err);
    if (result == FIRN_OK)
        scene_trace(s, out.data, out.size);
    else
        assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
    return result;
}

static firn_result replace_file(scene *s, firn_error *err)
{
    char path[200], backup[210];
    (void)snprintf(path, sizeof path, "%s/replaced", s->source->folder);
    (void)snprintf(backup, sizeof backup, "%s.bak", path);
    firn_result result = firn_file_replace(path, "old", 3, NULL, err);
    if (result == FIRN_OK)
        result = firn_file_replace(path, "new", 3, &s->memory.allocator, err);
    size_t size;
    uint8_t *bytes = test_read_file(path, &size);
    assert_string_equal((const char *)bytes, result == FIRN_OK ? "new" : "old");
    free(bytes);
    (void)unlink(path);
    (void)unlink(backup);
    return result;
}

const memory_case memory_file_cases[] = {
    {"firn_file_read", read_file, NULL, false},
    {"firn_file_replace", replace_file, NULL, false},
    {NULL, NULL, NULL, false},
};
