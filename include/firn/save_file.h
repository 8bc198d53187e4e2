/// firn/save_file.h: the bytes of a save file, without a world, a slot or a storage: a head that
/// can be read alone, and sections (docs/format.md, "Save files").
///
/// The head holds the header, a map that describes the save, and the table of sections. A section
/// is a name and bytes, as they are or compressed (zstd); the snapshot is the first, and begins at
/// a multiple of 64, as it does in a buffer of its own. Every byte of a file is under an XXH3-128
/// hash of its section or of the head: any change of any byte is noticed. A hash finds damage; it
/// is no signature.
#ifndef FIRN_SAVE_FILE_H
#define FIRN_SAVE_FILE_H

#include "firn/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes of the largest head: reading so many from the front of a file is enough to describe it.
#define FIRN_SAVE_HEAD_MOST 4096
/// Sections of one file, and bytes of the name of one: a-z 0-9 _ - and `.`.
#define FIRN_SECTIONS_MOST     32
#define FIRN_SECTION_NAME_MOST 31
/// The versions that this library writes.
#define FIRN_SAVE_CONTAINER_VERSION 1u ///< of the layout of the bytes
#define FIRN_SAVE_FORMAT_VERSION    1u ///< of what header and sections mean

/// The sections that the library knows. Other names that begin with "firn." are reserved.
#define FIRN_SECTION_CUSTOM    "custom"    ///< an encoded table: fields that before-save hooks gave
#define FIRN_SECTION_VARIABLES "variables" ///< an encoded table: the game's variables
#define FIRN_SECTION_SNAPSHOT  "snapshot"  ///< exactly what firn_snapshot_save gives
#define FIRN_SECTION_PERSIST   "firn.persist" ///< of kind "persisted": what is saved by field
#define FIRN_SECTION_THUMBNAIL "thumbnail"    ///< any bytes: what meta.thumbnail was when written

// ---------------------------------------------------------------- the header

/// What describes a save. Texts belong to whoever fills it in, those of a head that was read to the
/// file; each has at most 255 bytes. Numbers that a header lacks are 0, texts "".
typedef struct firn_save_header {
    uint32_t format_version; ///< `saveFormatVersion`; written as FIRN_SAVE_FORMAT_VERSION
    uint32_t game_version;   ///< `gameVersion`: the game's own version of its saves, 1 or more
    const char *game;        ///< `game`: its id, which is not ""
    const char *engine;      ///< `engineVersion`; NULL or "": written as that of firn
    const char *level;       ///< `level`; "" in a game without levels
    const char *kind;        ///< `kind`: "world" or "persisted"; NULL: "world"
    int64_t timestamp;       ///< `timestamp`: milliseconds since 1970 in UTC, 0 to 2^53 - 1
    uint64_t tick;           ///< `tick`: up to 2^53 - 1, as revision
    double play_time;        ///< `playTime`: seconds played in this line of saves
    uint64_t revision;       ///< `revision`: how many saves this line has, this one counted
    firn_digest parent;      ///< `parent`: identity of the save that this one follows, or zero
    const firn_value *meta;  ///< `meta`: NULL or a table: the game's own, for menus
} firn_save_header;

/// A section of a file.
typedef struct firn_section {
    const char *name;
    const void *bytes; ///< as they are in memory, not compressed; NULL when size is 0
    size_t size;
} firn_section;

// ---------------------------------------------------------------- write

typedef struct firn_save_file_options {
    const firn_limits *limits;       ///< NULL: the defaults
    const firn_allocator *allocator; ///< NULL: the default; for what a call needs meanwhile
    /// 0: sections stay as they are; 1 to 19: zstd of that level, where it makes a section smaller.
    /// FIRN_UNSUPPORTED in a build without zstd. Only for writing.
    int compression;
    uint64_t reserved[4]; ///< must be zero
} firn_save_file_options;

/// Whether this build can compress and read compressed sections.
FIRN_API bool firn_save_file_can_compress(void);

/// Appends a save file to `out`. Whatever order the sections are given in, the file has them in
/// one: snapshot, custom, variables, then the others by name; so equal parts are equal bytes. A
/// string `thumbnail` in header->meta becomes the last section, and is not in the header then.
///
/// FIRN_INVALID: a header without game or level, or with a field that is out of its range
/// (err->subject is the field); a bad name of a section, one that comes twice, `thumbnail` (it
/// comes from meta); custom or variables that are no table in the encoding of firn_value_encode; a
/// snapshot that does not begin like one (no more is looked at). FIRN_LIMIT: the head would be
/// larger than 4,096 bytes (the message says how large); too many sections; a file of more than
/// limits->file_bytes, or sections of more than limits->expanded_bytes. FIRN_UNSUPPORTED;
/// FIRN_NO_MEMORY. `out` is then as before. Bytes of sections do not lie in `out`.
FIRN_API firn_result firn_save_file_write(const firn_save_header *header,
                                          const firn_section *sections, uint32_t count,
                                          const firn_save_file_options *options, firn_buffer *out,
                                          firn_error *err);

// ---------------------------------------------------------------- read

/// One entry of the table of sections.
typedef struct firn_section_info {
    const char *name; ///< zero-terminated
    bool compressed;
    uint64_t size;      ///< bytes in memory
    uint64_t stored;    ///< bytes in the file
    uint64_t offset;    ///< of its first byte in the file
    firn_digest digest; ///< of the bytes in the file
} firn_section_info;

/// A head that was read, or a whole file that was checked. Everything that it hands out is valid
/// until it is closed.
typedef struct firn_save_file firn_save_file;

/// Reads a head from the first `size` bytes of a file, of which FIRN_SAVE_HEAD_MOST are always
/// enough; the rest may be missing. It has no section bytes to hand out, and does not need `bytes`
/// afterwards. Keys of the header that are not known are ignored. NULL on failure: FIRN_NOT_OURS
/// (no save file; the message says what it looks like: a bare snapshot, text); FIRN_TRUNCATED (also
/// an empty file); FIRN_CORRUPT (err->offset says where, err->subject what; a file that went
/// through a transfer as text, or has only zeros, is told apart); FIRN_VERSION (a container or
/// format version that this library does not know); FIRN_LIMIT (a value in the header);
/// FIRN_INVALID (bytes NULL, options); FIRN_NO_MEMORY.
FIRN_API firn_save_file *firn_save_file_read_head(const void *bytes, size_t size,
                                                  const firn_save_file_options *options,
                                                  firn_error *err);

/// Checks a whole file: every hash, sizes, names, that nothing stands before, between or behind.
/// `bytes` stay, and do not change, until it is closed. Fails as firn_save_file_read_head does, and
/// with FIRN_TRUNCATED (err->subject `file`: it was cut), FIRN_CORRUPT (`file`: bytes were added;
/// or the section whose bytes are not what they were), FIRN_LIMIT (more bytes than
/// limits->file_bytes; sections that say that they expand to more than limits allow). Nothing is
/// expanded yet.
FIRN_API firn_save_file *firn_save_file_open(const void *bytes, size_t size,
                                             const firn_save_file_options *options,
                                             firn_error *err);

/// NULL is allowed.
FIRN_API void firn_save_file_close(firn_save_file *file);

/// The header. Its texts and meta live in the file. NULL gives NULL.
FIRN_API const firn_save_header *firn_save_file_header(const firn_save_file *file);
/// Identity of the save: the hash of its head, which holds those of its sections.
FIRN_API firn_digest firn_save_file_identity(const firn_save_file *file);
/// Bytes of the whole file, as its head says.
FIRN_API uint64_t firn_save_file_size(const firn_save_file *file);
FIRN_API uint32_t firn_save_file_section_count(const firn_save_file *file);
/// The section of an index of 0 .. count - 1; false when there is none.
FIRN_API bool firn_save_file_section_at(const firn_save_file *file, uint32_t index,
                                        firn_section_info *out);
/// The bytes of a section: in the file itself, or, compressed, expanded once and kept with the
/// file. FIRN_NOT_FOUND: no such section, err->subject is its name. FIRN_INVALID: only the head was
/// read. FIRN_CORRUPT (it does not expand to what the table says; no more than that is ever
/// written), FIRN_LIMIT (limits->window_log), FIRN_UNSUPPORTED (compressed, and this build has no
/// zstd), FIRN_NO_MEMORY. *bytes and *size are then as before.
FIRN_API firn_result firn_save_file_section(firn_save_file *file, const char *name,
                                            const void **bytes, size_t *size, firn_error *err);

/// The envelope as a tree in `doc`: the header's fields under their names (`parent` as 32 hex
/// digits or ""), `custom`, `variables` (tables), `snapshot` (its bytes, a string), `thumbnail` (a
/// string, inside `meta`) and `sections` (name to bytes, the game's own and `firn.persist`).
/// Sections that the file does not have are not in the tree. NULL with the errors of
/// firn_save_file_section, FIRN_CORRUPT (`custom` or `variables` is no table), and FIRN_LIMIT: the
/// limits of the document hold, so that a snapshot of more than their string_bytes takes a document
/// with higher ones.
FIRN_API firn_value *firn_save_file_value(firn_save_file *file, firn_doc *doc, firn_error *err);

/// Appends the save file of such a tree to `out`; what firn_save_file_value gave comes back byte
/// for byte when firn wrote the file and the options are those that it was written with. Numbers
/// may be of any number kind. FIRN_INVALID names what is missing (saveFormatVersion, game,
/// gameVersion, level), of a wrong kind, like `custom`, or not known; FIRN_VERSION: another
/// saveFormatVersion; else as firn_save_file_write.
FIRN_API firn_result firn_save_file_from_value(const firn_value *value,
                                               const firn_save_file_options *options,
                                               firn_buffer *out, firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
