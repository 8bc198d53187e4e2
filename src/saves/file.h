/// file.h: a save file under construction, section by section, in a buffer. The head, whose size is
/// known as soon as the sections have names, gets its room first and its bytes last, so that each
/// section is written where it stays. The bytes: docs/format.md, "Save files".
#ifndef FR_FILE_SAVE_H
#define FR_FILE_SAVE_H

#include "firn/save_file.h"

#define FR_SAVE_MAGIC       "\211FIR\r\n\032\n"
#define FR_SAVE_MAGIC_BYTES 8
/// Before the header: magic, container version, head size, file size, header bytes, section count.
#define FR_SAVE_FIXED_BYTES 32
#define FR_HEAD_VERSION     8
#define FR_HEAD_SIZE        12
#define FR_HEAD_FILE        16
#define FR_HEAD_HEADER      24
#define FR_HEAD_COUNT       28
/// An entry of the table: size of the name, name, codec, zero, size, stored, digest.
#define FR_SAVE_ENTRY_BYTES 72
#define FR_ENTRY_CODEC      32
#define FR_ENTRY_ZERO       36
#define FR_ENTRY_SIZE       40
#define FR_ENTRY_STORED     48
#define FR_ENTRY_DIGEST     56
/// At the end of the head.
#define FR_SAVE_DIGEST_BYTES 16
/// The head ends, and the first section, the snapshot, begins at a multiple of it, as buffers do:
/// the snapshot lies on cache lines as it does in a buffer of its own.
#define FR_SAVE_ALIGN 64u
/// Versions of the container that there can ever be begin at 1 and end here.
#define FR_SAVE_CONTAINER_MOST 255u
#define FR_SAVE_CODEC_NONE     0u
#define FR_SAVE_CODEC_ZSTD     1u
#define FR_SAVE_TEXT_MOST      255u               ///< bytes of a text of a header
#define FR_SAVE_INTEGER_END    9007199254740992.0 ///< 2^53: numbers of a header end there

/// The options of a call, resolved.
typedef struct fr_file_settings {
    firn_limits limits;
    firn_allocator allocator;
    int compression;
} fr_file_settings;

/// options NULL: the defaults. FIRN_INVALID, FIRN_UNSUPPORTED (compression in a build without).
firn_result fr_file_settings_make(fr_file_settings *out, const firn_save_file_options *options,
                                  firn_error *err);

// ---- write

/// A file under construction at the end of `out`. It owns no memory: after a failure, which leaves
/// `out` as it was before fr_file_begin, there is nothing to free.
typedef struct fr_file_out {
    firn_buffer *out;
    fr_file_settings settings;
    firn_value thumbnail; ///< a string that becomes the last section, or nil
    size_t start;         ///< of the file in the buffer
    size_t header_bytes;
    size_t head_bytes;
    size_t opened;     ///< where the bytes of the open section begin in the buffer
    uint64_t expanded; ///< bytes of the sections so far, as they are in memory
    uint32_t count;    ///< sections, the thumbnail included
    uint32_t done;     ///< sections that are written
} fr_file_out;

/// Sorts pointers to sections in the order in which a file has them: snapshot, custom, variables,
/// then the game's own by name.
void fr_file_sort_sections(const firn_section **sections, uint32_t count);

/// Begins a file of `count` sections with these names, which are in the order of
/// fr_file_sort_sections. The thumbnail of header->meta comes as one more by itself: its bytes, and
/// the names, stay until the end. Fails as firn_save_file_write.
firn_result fr_file_begin(fr_file_out *file, const firn_save_header *header,
                          const char *const *names, uint32_t count,
                          const firn_save_file_options *options, firn_buffer *out, firn_error *err);

/// The next section: its bytes are copied, and hashed block by block while they are hot, or
/// compressed.
firn_result fr_file_section(fr_file_out *file, const void *bytes, size_t size, firn_error *err);

/// The bytes that these sections, and the thumbnail, take in a file that does not compress; 0 where
/// it does, or where limits forbid them: no room is made then for what will fail.
size_t fr_file_room(const fr_file_out *file, const firn_section *const *sections, uint32_t count);
/// The next sections, one behind the other, in room that is made at once.
firn_result fr_file_sections(fr_file_out *file, const firn_section *const *sections, uint32_t count,
                             firn_error *err);

/// Opens the next section instead: the caller appends its bytes to the buffer that is returned,
/// which is that of the file.
firn_buffer *fr_file_open_section(fr_file_out *file);
/// Closes it. digest: that of the appended bytes, or NULL: it is taken here.
firn_result fr_file_close_section(fr_file_out *file, const firn_digest *digest, firn_error *err);

/// After the last section: writes the thumbnail and the head. identity NULL: it is not wanted.
firn_result fr_file_end(fr_file_out *file, firn_digest *identity, firn_error *err);

/// Gives up: the buffer is as before fr_file_begin.
void fr_file_cancel(fr_file_out *file);

// ---- header

/// FIRN_INVALID naming the field that no header may have so.
firn_result fr_file_check_header(const firn_save_header *header, firn_error *err);
/// Writes a header, checked before, as a map; `meta` without the string `thumbnail`.
firn_result fr_file_write_header(const firn_save_header *header, const firn_limits *limits,
                                 firn_buffer *out, firn_error *err);
/// Reads a header from a map; its texts and meta are those of the map. Keys that are not known are
/// ignored. A failure is `code`, or FIRN_VERSION for a format that is not known, and says the key.
firn_result fr_file_read_header(const firn_value *map, firn_result code, firn_save_header *out,
                                firn_error *err);
/// Puts the bytes of the section back into the meta that it was taken from, which lives in `doc`:
/// *meta becomes it. FIRN_CORRUPT: there is no meta. FIRN_LIMIT, FIRN_NO_MEMORY.
firn_result fr_file_put_thumbnail(firn_doc *doc, firn_save_header *header, firn_value *meta,
                                  const void *bytes, size_t size, firn_error *err);
/// A copy of meta in a document. NULL: FIRN_NO_MEMORY, FIRN_LIMIT.
firn_value *fr_file_copy_meta(const firn_value *meta, const firn_allocator *allocator,
                              firn_doc *doc, firn_error *err);
/// meta.thumbnail when it is a string, else nil.
firn_value fr_file_thumbnail(const firn_save_header *header);

// ---- parts

/// What a file takes memory with.
const firn_allocator *fr_file_allocator(const firn_save_file *file);
/// The length of the name of a section, 1 to FIRN_SECTION_NAME_MOST of a-z 0-9 _ - `.`; 0: it is
/// none.
size_t fr_section_name_size(const char *name, size_t most);
/// FIRN_INVALID: it is none that firn_save_file_write may be given.
firn_result fr_section_name_check(const char *name, firn_error *err);

/// Bytes of a head that holds so many before its hash.
size_t fr_head_bytes(size_t used);

/// The 16 bytes of a digest in canonical form, and back.
void fr_put_digest(uint8_t *at, firn_digest digest);
firn_digest fr_get_digest(const uint8_t *at);
/// 32 hex digits and a zero; of a digest of zeros, which means none, the zero alone.
#define FR_DIGEST_TEXT_BYTES 33
void fr_digest_text(char out[FR_DIGEST_TEXT_BYTES], firn_digest digest);
/// False: not 32 lower-case hex digits.
bool fr_digest_from_text(const char *text, size_t size, firn_digest *out);

/// Whether bytes are one table as firn encodes it, which comes back as the same bytes.
bool fr_is_encoded_table(const uint8_t *bytes, size_t size);
/// Whether bytes begin like a snapshot.
bool fr_file_is_snapshot(const void *bytes, size_t size);
/// FIRN_NOT_OURS or FIRN_CORRUPT: why bytes that do not begin with the magic are no save file.
firn_result fr_file_refuse(const uint8_t *bytes, size_t size, firn_error *err);

#endif
