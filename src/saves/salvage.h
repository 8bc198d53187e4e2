/// salvage.h: a damaged save file, taken apart as far as it goes.
#ifndef FR_SAVE_SALVAGE_H
#define FR_SAVE_SALVAGE_H

#include "base/error.h"
#include "firn/salvage.h"
#include "saves/file.h"

/// A section whose entry in the table could be read.
typedef struct fr_left_section {
    char name[FIRN_SECTION_NAME_MOST + 1];
    bool compressed;
    bool good; ///< `bytes` are whole
    uint64_t size;
    uint64_t stored;
    uint64_t offset; ///< in the file, counted from the front
    firn_digest digest;
    const uint8_t *bytes; ///< NULL: nothing of it is left
    size_t left;          ///< of `bytes`
    uint8_t *expanded;    ///< `size` bytes, or NULL
} fr_left_section;

typedef struct fr_file_salvage {
    const uint8_t *bytes;
    size_t size;
    const firn_salvage_options *options;
    fr_file_settings settings;
    firn_loss_fn each;
    void *user;
    firn_salvage_summary summary;
    firn_save_file *backup; ///< or NULL
    firn_doc *doc;          ///< of the header
    firn_save_header header;
    uint32_t unreadable; ///< entries of the table
    fr_left_section sections[FIRN_SECTIONS_MOST];
    uint32_t count;
    firn_buffer snapshot; ///< what is left of a damaged one
    firn_result result;   ///< the first failure that is none of the bytes
    firn_error error;
} fr_file_salvage;

/// Tells of a loss; `loss` has no texts yet.
void fr_file_tell(fr_file_salvage *job, firn_loss *loss, const char *subject, const char *format,
                  ...) FR_PRINTF(4, 5);
/// Notes a failure that is none of the bytes.
void fr_file_note(fr_file_salvage *job, firn_result result, const firn_error *why);
/// Whether a header is there, or enough of one.
bool fr_file_has_header(fr_file_salvage *job);
/// Takes the header, or what is left of it.
void fr_file_left_header(fr_file_salvage *job);
/// Finds the table of sections, and which of them are whole.
void fr_file_left_sections(fr_file_salvage *job);

#endif
