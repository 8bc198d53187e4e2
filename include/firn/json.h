/// firn/json.h: values, snapshots and save files as JSON text and back, without loss
/// (docs/json.md). In a build without jansson every function but firn_json_available is
/// FIRN_UNSUPPORTED.
///
/// What JSON has stands as it is; what it lacks is tagged, an object of one member: `{"$int64":
/// "-5"}`, `{"$uint64": "5"}`, `{"$number": "nan"}` (also "inf", "-inf", and 16 hex digits for
/// another NaN), `{"$complex": [re, im]}`, `{"$bytes": "base64"}` (a string that is not UTF-8 or
/// holds a 0), `{"$table": [[key, value], ...]}` (keys that are not text, or begin with `$`).
/// Numbers have as few digits as it takes to read the same double again, and a point whatever the
/// locale says.
///
/// jansson parses the text, a line at a time, with memory of malloc: its allocator is a setting of
/// the process, which is left alone. A line of more than 64 KiB that would take more than
/// limits->expanded_bytes is FIRN_LIMIT before it is parsed. Everything else comes from the
/// allocator given.
#ifndef FIRN_JSON_H
#define FIRN_JSON_H

#include "firn/image.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether this build has JSON.
FIRN_API bool firn_json_available(void);

/// Appends a value as one line of JSON, without a line end. FIRN_LIMIT (deeper or more values than
/// the defaults of firn_limits allow, a table inside itself), FIRN_NO_MEMORY, FIRN_INVALID (value
/// or out is NULL); `out` is then as before.
FIRN_API firn_result firn_json_write(const firn_value *value, firn_buffer *out, firn_error *err);

/// Reads one value from text into `doc`, whose limits apply. An integer is a number, as everything
/// without a tag; a null in an array or object is no entry, as when values are decoded. NULL with
/// FIRN_CORRUPT (no JSON, a bad tag, a duplicate key), FIRN_TRUNCATED (the text ends early),
/// FIRN_LIMIT, FIRN_NO_MEMORY, FIRN_INVALID (doc or text is NULL); err->offset is where. Nothing is
/// left in the document then.
FIRN_API firn_value *firn_json_read(firn_doc *doc, const void *text, size_t size, firn_error *err);

/// Gets text as it is made, some lines at a time; the bytes are valid until it returns. Anything
/// but FIRN_OK ends the call, which returns it and what *err says.
typedef firn_result (*firn_json_sink_fn)(void *user, const void *text, size_t size,
                                         firn_error *err);

/// Zero is the default of each field.
typedef struct firn_json_options {
    const firn_limits *limits;       ///< NULL: the defaults
    const firn_allocator *allocator; ///< NULL: the default
    int compression; ///< of a save file that is imported, as in firn_save_file_options
    const firn_image_schema *schemas; ///< of a snapshot that is exported, as in firn_image_options
    uint32_t schema_count;
    uint64_t reserved[4]; ///< must be zero
} firn_json_options;

/// Writes a snapshot as JSON Lines: a header, then a line for each entity, then one for each entry
/// of data. Streams: beside what firn_image_open takes there is memory for one line and one value.
/// Fails as firn_image_check does, as `sink`, with FIRN_CORRUPT for a value that has a key twice,
/// FIRN_INVALID (sink is NULL) and FIRN_NO_MEMORY.
FIRN_API firn_result firn_json_export_image(const void *image, size_t size,
                                            const firn_json_options *options,
                                            firn_json_sink_fn sink, void *user, firn_error *err);

/// Appends the line of the row at hand of a walk, as firn_json_export_image writes it, without a
/// line end: for tools that write some entities and not others. FIRN_INVALID (rows or out is NULL,
/// no row is at hand), FIRN_CORRUPT (a value has a key twice), FIRN_NO_MEMORY; `out` is then as
/// before.
FIRN_API firn_result firn_json_write_entity(const firn_image_rows *rows, firn_buffer *out,
                                            firn_error *err);

/// Appends the snapshot of such lines to `out`. What firn_json_export_image wrote of a snapshot of
/// firn's own comes back byte for byte; that of another writer comes back with the same components,
/// frames, rows, values and data, encoded as firn does it. Beside the snapshot there is memory for
/// one frame and one line. FIRN_NOT_OURS (the first line is no header), FIRN_VERSION (a format that
/// is not known), FIRN_CORRUPT, FIRN_TRUNCATED (lines are missing), FIRN_LIMIT, FIRN_NO_MEMORY,
/// FIRN_INVALID, and what firn_image_check finds in the result; err->offset is where, the message
/// begins with the number of the line; `out` is then as before.
FIRN_API firn_result firn_json_import_image(const void *text, size_t size,
                                            const firn_json_options *options, firn_buffer *out,
                                            firn_error *err);

/// Writes a whole save file as JSON Lines: a line with its header and the names of its sections, a
/// line for each section that is not the snapshot (a table in firn's encoding as a value, other
/// bytes as base64), then the lines of its snapshot. Memory as for a snapshot, and for the sections
/// that are compressed. Fails as firn_save_file_open, firn_save_file_section and
/// firn_json_export_image.
FIRN_API firn_result firn_json_export_save(const void *bytes, size_t size,
                                           const firn_json_options *options, firn_json_sink_fn sink,
                                           void *user, firn_error *err);

/// Appends the save file of such lines to `out`. What firn_json_export_save wrote of a file without
/// compressed sections comes back byte for byte. Fails as firn_json_import_image and
/// firn_save_file_write; `out` is then as before.
FIRN_API firn_result firn_json_import_save(const void *text, size_t size,
                                           const firn_json_options *options, firn_buffer *out,
                                           firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
