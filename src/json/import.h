/// import.h: a snapshot from its lines.
#ifndef FR_JSON_IMPORT_H
#define FR_JSON_IMPORT_H

#include "base/map.h"
#include "json/image.h"
#include "json/row.h"
#include "snapshot/image.h"
#include "snapshot/image_write.h"

typedef struct fr_json_frame {
    uint32_t rows;
    uint32_t first_column; ///< in fr_json_import.columns
    uint32_t column_count;
    bool by_row;
} fr_json_frame;

typedef struct fr_json_import {
    fr_json_setting setting;
    fr_json_parser parser;
    firn_doc *doc; ///< of the value at hand
    firn_buffer *buffer;
    size_t start; ///< of the image in the buffer
    fr_out out;
    fr_row_writer rows;
    uint64_t size;       ///< bytes of the image so far, those aside included
    firn_buffer scratch; ///< of a key, or of bytes on their way

    firn_buffer texts; ///< names and fingerprints; never moves
    fr_entry *entries; ///< the component table
    uint32_t entry_count, entry_capacity;
    fr_map names;        ///< hash of a name -> entry
    uint32_t *column_of; ///< per entry: its column in the frame at hand + 1; 0: it has none
    fr_json_frame *frames;
    uint32_t frame_count, frame_capacity;
    uint32_t *columns; ///< entries of the columns of all frames
    uint32_t column_count, column_capacity;
    uint64_t *seen; ///< per column of the frame at hand: the last line that had it
    uint32_t seen_capacity;

    bool has_header;
    bool has_frame;
    uint32_t entities; ///< lines still to come
    uint32_t data;
    uint32_t frame;      ///< at hand; frame_count behind the last
    uint32_t frame_rows; ///< of it still to come
    uint64_t line;       ///< number of the line at hand, from 1
} fr_json_import;

/// Begins behind the last byte of `buffer`. Whatever comes, fr_json_import_end follows.
/// FIRN_INVALID, FIRN_NO_MEMORY, FIRN_UNSUPPORTED.
firn_result fr_json_import_begin(fr_json_import *import, const firn_json_options *options,
                                 firn_buffer *buffer, firn_error *err);
/// Takes the lines that come next, to the end.
firn_result fr_json_import_lines(fr_json_import *import, fr_json_lines *lines, firn_error *err);
/// After the last line: FIRN_TRUNCATED when lines are missing, the errors of firn_image_check when
/// the lines make no snapshot.
firn_result fr_json_import_finish(fr_json_import *import, firn_error *err);
void fr_json_import_end(fr_json_import *import);

/// The first line of `what`, in the format that is known. FIRN_NOT_OURS, FIRN_CORRUPT,
/// FIRN_VERSION.
firn_result fr_json_import_marker(const fr_json_node *line, const char *what, firn_error *err);
/// The header's content into *import, and the front of the image into its buffer.
firn_result fr_json_import_header(fr_json_import *import, const fr_json_node *line,
                                  firn_error *err);
/// The line of an entity.
firn_result fr_json_import_entity(fr_json_import *import, const fr_json_node *line,
                                  firn_error *err);
/// Goes on to the next frame that has rows, writing the heads of those that have none.
firn_result fr_json_import_frame(fr_json_import *import, firn_error *err);

/// An unsigned number of an object, or FIRN_CORRUPT.
firn_result fr_json_import_number(const fr_json_node *object, const char *key, uint64_t most,
                                  uint64_t *out, firn_error *err);
/// Appends an encoded value, or `$encoded` bytes that are one.
firn_result fr_json_import_value(fr_json_import *import, const fr_json_node *node, const char *what,
                                 firn_buffer *out, firn_error *err);
/// More bytes of the image. FIRN_LIMIT.
firn_result fr_json_import_grow(fr_json_import *import, uint64_t size, firn_error *err);

#endif
