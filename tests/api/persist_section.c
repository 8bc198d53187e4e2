#include "api/persist_section.h"

#include <string.h>

#include "support/support.h"

// Takes a file that has one section, or the other, otherwise.
static firn_result take_with(firn_saves *saves, const firn_buffer *file, const char *name,
                             const void *bytes, size_t size, firn_error *err)
{
    firn_save_file *opened = firn_save_file_open(file->data, file->size, NULL, err);
    firn_section sections[] = {{.name = FIRN_SECTION_SNAPSHOT}, {.name = FIRN_SECTION_PERSIST}};
    for (int i = 0; i < 2; i++) {
        firn_section *section = &sections[i];
        assert_ok(
            firn_save_file_section(opened, section->name, &section->bytes, &section->size, err),
            err);
        if (strcmp(section->name, name) == 0)
            *section = (firn_section){section->name, bytes, size};
    }
    firn_buffer other = {0};
    assert_ok(firn_save_file_write(firn_save_file_header(opened), sections, 2, NULL, &other, err),
              err);
    firn_result result = firn_saves_take(saves, other.data, other.size, NULL, err);
    firn_save_file_close(opened);
    firn_buffer_free(&other);
    return result;
}

firn_result take_with_section(firn_saves *saves, const firn_buffer *file, const void *section,
                              size_t size, firn_error *err)
{
    return take_with(saves, file, FIRN_SECTION_PERSIST, section, size, err);
}

firn_result take_with_image(firn_saves *saves, const firn_buffer *file, const void *image,
                            size_t size, firn_error *err)
{
    return take_with(saves, file, FIRN_SECTION_SNAPSHOT, image, size, err);
}
