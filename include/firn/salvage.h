/// firn/salvage.h: what still checks out of a damaged snapshot or save file, as a valid one.
///
/// A snapshot has no hash of its own: of bytes that were changed into others that check out as well
/// nothing is noticed here. What cannot be read is left out, with what depends on it, and told.
/// Works on bytes alone, from any thread.
#ifndef FIRN_SALVAGE_H
#define FIRN_SALVAGE_H

#include "firn/image.h"
#include "firn/save_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_loss_kind {
    FIRN_LOSS_BYTES,  ///< bytes that nothing could be made of: offset, size
    FIRN_LOSS_NUMBER, ///< a number of the prelude, which was counted anew; subject: its name
    FIRN_LOSS_NAME,   ///< a component whose name was damaged has a made-up one: subject
    /// Columns of a frame behind a damaged one, or all of a component, which is then not in the
    /// table: `count` entities lack them; subject: the first one.
    FIRN_LOSS_COLUMNS,
    FIRN_LOSS_ENTITY,  ///< an entity: its id, or 0 where that is what was damaged
    FIRN_LOSS_DATA,    ///< an entry of data; subject: its key, where that can be read
    FIRN_LOSS_IDS,     ///< `count` freed ids that do not come again
    FIRN_LOSS_ORDER,   ///< the order of the sources of a target, or `count` of them; subject: the
                       ///< relation
    FIRN_LOSS_HEADER,  ///< a field of the header of a save file; subject: its name
    FIRN_LOSS_SECTION, ///< a section of a save file; subject: its name
    FIRN_LOSS_VALUE    ///< a value of an entity that is kept: its id; subject: the component
} firn_loss_kind;

/// One thing that was lost. What it points to is valid during the call that gets it.
typedef struct firn_loss {
    firn_loss_kind kind;
    /// In the damaged bytes, of a save file in its section where `section` names one;
    /// FIRN_NO_OFFSET: nowhere.
    uint64_t offset;
    uint64_t size; ///< bytes from there on, or 0
    uint64_t count;
    firn_entity entity;  ///< or 0
    const char *section; ///< "" but for a save file
    const char *subject; ///< printable, or ""
    const char *message; ///< one line that says all of it
} firn_loss;

/// Gets what was lost, piece by piece. A result other than FIRN_OK ends the call, which returns it;
/// fill `err` to say why.
typedef firn_result (*firn_loss_fn)(void *user, const firn_loss *loss, firn_error *err);

/// What became of the parts.
typedef struct firn_salvage_summary {
    bool whole;             ///< nothing was lost
    uint64_t losses;        ///< how many were told
    uint64_t bytes_lost;    ///< of the snapshot, those of FIRN_LOSS_BYTES
    uint32_t entities;      ///< in the result
    uint32_t entities_said; ///< in the prelude; 0 where that cannot be read
    uint32_t frames;        ///< in the result
    uint32_t frames_said;
    uint32_t data;          ///< entries of data in the result
    uint32_t sections;      ///< of a save file, in the result
    uint32_t sections_lost; ///< of a save file: gone
    uint32_t from_backup;   ///< of a save file: sections that were taken from the backup
} firn_salvage_summary;

/// Appends a valid image of what checks out to `out`: it passes firn_image_check, and loads where
/// the whole one would.
///
/// The component table must be readable: its names and fingerprints, one behind the other. Numbers
/// of the prelude are counted anew where they are damaged. Frames that check out are kept. Of a
/// frame with one value that cannot be read, the entity of that value is left out; of one that
/// cannot be read on, what stands before is kept: rows, or the columns that are complete; of one
/// whose head is damaged, which alone says what it has, nothing. Then the next place is looked for
/// where a frame, or the data, begins and checks out: all such tries together walk at most four
/// times the image and 64 MiB, what is left then is lost. An id that is there twice is kept once,
/// in its first place. Entries of data that check out are kept; freed ids and orders of sources are
/// those of what is left. Slots of lost entities are retired: an old id never means a new entity.
///
/// Of an image that firn wrote, values of relations that no world takes are left out: those without
/// a target, or in a column of another one; so are columns that none takes, like those of
/// `Likes->0`. What a codec may have made of an edge stays. Where a world refuses what is left
/// otherwise, more than 64 times, nothing is salvaged.
///
/// Columns with a fingerprint are raw; in an image that is not firn's, encoded if fewer bytes are
/// lost then. options->schemas decide, also about damaged fingerprints.
///
/// Fails, with `out` as before: FIRN_NOT_OURS, FIRN_CORRUPT (no table of components, where and why;
/// or nothing is left of it), FIRN_LIMIT, FIRN_INVALID (bytes NULL, options), FIRN_NO_MEMORY, what
/// `each` returned. options, each and summary may be NULL. An image that checks is appended as it
/// is.
FIRN_API firn_result firn_image_salvage(const void *bytes, size_t size,
                                        const firn_image_options *options, firn_loss_fn each,
                                        void *user, firn_buffer *out, firn_salvage_summary *summary,
                                        firn_error *err);

typedef struct firn_salvage_options {
    const firn_limits *limits;        ///< NULL: the defaults
    const firn_allocator *allocator;  ///< NULL: the default; nothing stays allocated after a call
    const firn_image_schema *schemas; ///< as in firn_image_options
    uint32_t schema_count;
    /// NULL, or the bytes of the save before this one (`<path>.bak`): sections that are damaged in
    /// the file are taken from it, whole ones, and so are fields of the header.
    const void *backup;
    size_t backup_size;
    /// Of the result, as in firn_save_file_options; 0: none, or a usual one where the file has
    /// compressed sections.
    int compression;
    uint64_t reserved[4]; ///< must be zero
} firn_salvage_options;

/// Appends a valid save file of what checks out to `out`. Sections whose hash is right are kept; a
/// damaged snapshot is taken from the backup, or goes through firn_image_salvage, a compressed one
/// as far as it expands; other damaged sections are taken from the backup or left out. Of a damaged
/// header each field that can be found is kept. A snapshot from the backup brings the sections of
/// the backup with it that belong to it: `firn.persist`.
///
/// Fails, with `out` as before: FIRN_NOT_OURS, FIRN_CORRUPT (no section is left), FIRN_TRUNCATED
/// (there are no bytes), FIRN_LIMIT, FIRN_VERSION, FIRN_UNSUPPORTED (compressed, and this build has
/// no zstd), FIRN_INVALID, FIRN_NO_MEMORY, what `each` returned. options, each and summary may be
/// NULL. A file that checks is appended as it is.
FIRN_API firn_result firn_save_file_salvage(const void *bytes, size_t size,
                                            const firn_salvage_options *options, firn_loss_fn each,
                                            void *user, firn_buffer *out,
                                            firn_salvage_summary *summary, firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
