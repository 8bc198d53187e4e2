#include "api/persist_section.h"

#include "support/support.h"

firn_result take_with_section(firn_saves *saves, const firn_buffer *file, const void *section,
                              size_t size, firn_error *err)
{
    firn_save_file *opened = firn_save_file_open(file->data, file->size, NULL, err);
    const void *image;
    size_t image_size;
    assert_ok(firn_save_file_section(opened, FIRN_SECTION_SNAPSHOT, &image, &image_size, err), err);
    const firn_section sections[] = {{FIRN_SECTION_SNAPSHOT, image, image_size},
                                     {FIRN_SECTION_PERSIST, section, size}};
    firn_buffer bytes = {0};
    assert_ok(firn_save_file_write(firn_save_file_header(opened), sections, 2, NULL, &bytes, err),
              err);
    firn_result result = firn_saves_take(saves, bytes.data, bytes.size, NULL, err);
    firn_save_file_close(opened);
    firn_buffer_free(&bytes);
    return result;
}
