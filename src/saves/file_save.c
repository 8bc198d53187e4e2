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

// Room for all of it at once, where that is no promise that limits forbid.
static firn_result reserve_file(const fr_file_out *file, const firn_section *sections,
                                uint32_t count, firn_error *err)
{
    uint64_t bytes = file->thumbnail.kind == FIRN_VALUE_STRING ? file->thumbnail.length : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sections[i].size > file->settings.limits.file_bytes) {
            return FIRN_OK; // writing it will say so
        }
        bytes += sections[i].size;
    }
    bool at_once = file->settings.compression == 0 && bytes <= file->settings.limits.file_bytes;
    return at_once ? firn_buffer_reserve(file->out, (size_t)bytes, err) : FIRN_OK;
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
    if (result != FIRN_OK) {
        return result;
    }
    result = reserve_file(&file, sections, count, err);
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        result = fr_file_section(&file, sorted[i]->bytes, sorted[i]->size, err);
    }
    if (result != FIRN_OK) {
        fr_file_cancel(&file);
        return result;
    }
    return fr_file_end(&file, NULL, err);
}
