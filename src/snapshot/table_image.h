/// table_image.h: a save in table form, written as an image whose columns are encoded, but for
/// those that are nothing but bytes: so a load of a table is a load of an image. Marks remember
/// which part of the table stands where, so that errors speak of the table.
#ifndef FR_TABLE_IMAGE_H
#define FR_TABLE_IMAGE_H

#include "base/map.h"
#include "buffer/writer.h"
#include "store/world.h"

/// One component of the table.
typedef struct fr_table_name {
    const char *text; ///< in the tree, and in the image when it is complete
    uint32_t size;
    size_t offset;                 ///< in the image when it is complete
    uint32_t place;                ///< 1-based in componentTable; 0: an archetype names it
    bool tag;                      ///< registered as one
    bool edges;                    ///< registered as a relation without a codec
    uint32_t raw;                  ///< bytes of a row that is a string of them; 0: values
    const firn_value *fingerprint; ///< of raw ones
    uint32_t archetype;            ///< the last one that has it, 1-based
    uint32_t column;               ///< its column there
} fr_table_name;

/// One column of the archetype at hand.
typedef struct fr_table_column {
    uint32_t name;
    uint32_t position; ///< of its value in a row, when rows are positional
    bool named;        ///< in `components`: a tag is there without a value
    bool absent;       ///< a tag, or raw, and the rows at hand lack it
} fr_table_column;

typedef enum fr_mark_kind {
    FR_MARK_ARCHETYPE, ///< index: of the archetype
    FR_MARK_IDS,       ///< and `rows` rows from `first` on
    FR_MARK_COLUMN,    ///< and the column of `name`
    FR_MARK_DATUM      ///< index: of the entry; name: what it is a part of
} fr_mark_kind;

/// Entries of the data section come from `data`, `states` or `pipeline`.
enum { FR_MARK_DATA, FR_MARK_STATES, FR_MARK_PIPELINE };

typedef struct fr_table_mark {
    size_t offset; ///< of the part in the image
    fr_mark_kind kind;
    uint32_t index;
    uint32_t first;
    uint32_t rows;
    uint32_t name;
    uint32_t position; ///< 0: by name
} fr_table_mark;

typedef struct fr_table_image {
    const firn_world *world;
    const firn_value *root;
    firn_limits limits;
    firn_buffer bytes; ///< the image
    fr_out out;        ///< to `bytes`
    fr_table_name *names;
    uint32_t name_count;
    uint32_t name_capacity;
    fr_map by_name; ///< hash of text -> index
    fr_table_mark *marks;
    uint32_t mark_count;
    uint32_t mark_capacity;
    fr_table_column *columns; ///< of the archetype at hand
    uint32_t column_count;
    uint32_t column_capacity;
    uint32_t frame_count;
    uint64_t entity_count;
    uint32_t last_slot; ///< the highest of an entity
} fr_table_image;

/// Writes the image of a table. Errors are about the table: FIRN_NOT_OURS (no snapshot),
/// FIRN_VERSION, FIRN_CORRUPT (err->subject is the path), FIRN_LIMIT, FIRN_NO_MEMORY. *image is to
/// be freed in any case.
firn_result fr_table_image_make(fr_table_image *image, const firn_world *world,
                                const firn_limits *limits, const firn_value *table,
                                firn_error *err);
void fr_table_image_free(fr_table_image *image);
/// Makes an error of a load of the image one about the table: the offset becomes a path.
void fr_table_image_explain(const fr_table_image *image, firn_error *err);

/// The archetypes as frames.
firn_result fr_table_write_archetypes(fr_table_image *image, firn_error *err);
/// The index of a component, which is added when it is new.
firn_result fr_table_name_index(fr_table_image *image, const firn_value *text, const char *path,
                                uint32_t *index, firn_error *err);
/// firn_value_encode of what a relation has in a row; targets that are decimal digits become
/// numbers.
firn_result fr_table_encode_edges(fr_table_image *image, const firn_value *value, firn_error *err);
/// Remembers that what is written next is a part of the table. FIRN_NO_MEMORY.
firn_result fr_table_mark_here(fr_table_image *image, fr_table_mark mark, firn_error *err);

#define FR_TABLE_PATH_BYTES 640

/// `text` and what follows are about the place `path`: the subject is the path, and the message
/// begins with it.
firn_result fr_table_fail(firn_error *err, firn_result code, const char *path, const char *format,
                          ...) FR_PRINTF(4, 5);
/// A list of items 1..n; FIRN_CORRUPT when it is no table or has other keys. NULL has no items.
firn_result fr_table_list(const firn_value *list, const char *path, uint32_t *count,
                          firn_error *err);
/// A whole number below 2^53, also as a 64-bit integer or as decimal digits.
bool fr_table_number(const firn_value *value, uint64_t *number);

#endif
