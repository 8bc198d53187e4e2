#include <inttypes.h>

#include "base/error.h"
#include "saves/file.h"

static firn_result check_sections(const firn_section *sections, uint32_t count, firn_error *err)
{
    if (count > FIRN_SECTIONS_MOST) {
        return fr_fail(err, FIRN_LIMIT, "sections",
                       "%" PRIu32 " sections are more than the %d of a file", count,
                       FIRN_SECTIONS_MOST);
    }
    if (sections == NULL && count > 0) {
        return fr_fail(err, FIRN_INVALID, "sections", "%" PRIu32 " sections at NULL", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (sections[i].name == NULL) {
            return fr_fail(err, FIRN_INVALID, "sections", "section %" PRIu32 " has no name", i);
        }
    }
    return FIRN_OK;
}

firn_result firn_save_file_write(const firn_save_header *header, const firn_section *sections,
                                 uint32_t count, const firn_save_file_options *options,
                                 firn_buffer *out, firn_error *err)
{
    firn_result result = check_sections(sections, count, err);
    if (result != FIRN_OK) {
        return result;
    }
    const firn_section *sorted[FIRN_SECTIONS_MOST];
    const char *names[FIRN_SECTIONS_MOST];
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = &sections[i];
    }
    fr_file_sort_sections(sorted, count);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = sorted[i]->name;
    }
    fr_file_out file;
    result = fr_file_begin(&file, header, names, count, options, out, err);
    if (result == FIRN_OK) {
        result = fr_file_sections(&file, sorted, count, err);
    }
    return result == FIRN_OK ? fr_file_end(&file, NULL, err) : result;
}
