/// firn/image.h: what is in the bytes of a snapshot, without a world: components, archetypes, rows,
/// values and data. For tools.
///
/// An open image reads the bytes where they lie: they stay, and do not change, until it is closed.
/// Nothing here changes an open image, so that any number of threads may read one, when its
/// allocator can be called by all of them. What a function hands out points into the image or the
/// bytes and is valid until firn_image_close.
#ifndef FIRN_IMAGE_H
#define FIRN_IMAGE_H

#include "firn/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An image that was checked and taken apart.
typedef struct firn_image firn_image;

/// Checks an image as firn_image_check does and takes it apart. NULL on failure, with the errors of
/// firn_image_check. options NULL: the defaults. Besides the bytes it takes memory for columns,
/// names and fields, none for rows.
FIRN_API firn_image *firn_image_open(const void *bytes, size_t size,
                                     const firn_image_options *options, firn_error *err);

/// Frees the image, not the bytes. NULL is allowed.
FIRN_API void firn_image_close(firn_image *image);

/// The whole image.
typedef struct firn_image_info {
    firn_prelude prelude;
    bool by_firn;           ///< written by firn: it has `__firn.world`
    const char *world_name; ///< or ""
    uint64_t tick;          ///< completed steps, or 0
    uint32_t free_count;    ///< freed slots that are used again before fresh ones
    size_t frames_offset;   ///< bytes of the prelude and the component table
    size_t data_offset;     ///< where the data section begins
    size_t size;            ///< bytes of the image
} firn_image_info;

/// Writes to *out. An image of NULL is all zeros, and the name "".
FIRN_API void firn_image_describe(const firn_image *image, firn_image_info *out);

// ---------------------------------------------------------------- components

/// One entry of the component table.
typedef struct firn_image_component {
    const char *name;
    const char *fingerprint; ///< as it stands in the image, or its schema has it, or ""
    /// Bytes of `name` that name the relation when it is `Relation->target`: a column of the
    /// targets of a relationship. Else 0.
    uint32_t relation_size;
    firn_entity target;   ///< of `Relation->target`; else 0
    bool raw;             ///< its columns are raw rows, not encoded values
    uint32_t row_size;    ///< bytes of a raw row; 0 when encoded
    uint32_t field_count; ///< of a raw row; 0 also when the fingerprint is not understood
    uint32_t columns;     ///< archetypes that have it
    uint64_t rows;        ///< entities of those
    uint64_t nils;        ///< of them such whose value is nil
    uint64_t bytes;       ///< of its columns
} firn_image_component;

/// The entry of an index of 0 .. prelude.component_count - 1; false when there is none.
FIRN_API bool firn_image_component_at(const firn_image *image, uint32_t index,
                                      firn_image_component *out);

/// The index of a component by name, zero-terminated; UINT32_MAX when the table has none.
FIRN_API uint32_t firn_image_component_find(const firn_image *image, const char *name);

/// One field of a raw row.
typedef struct firn_image_field {
    const char *name; ///< nested ones are dotted
    size_t name_size; ///< a name in foreign bytes may hold a 0
    firn_type type;
    const char *type_text; ///< as firn writes it in a fingerprint: `float`
    uint32_t count;        ///< 0: one value; n: an array of n
    uint32_t offset;       ///< in the row
    uint32_t size;         ///< bytes of all elements
} firn_image_field;

/// The field of an index of 0 .. field_count - 1 of a component; false when there is none.
FIRN_API bool firn_image_field_at(const firn_image *image, uint32_t component, uint32_t index,
                                  firn_image_field *out);

// ---------------------------------------------------------------- archetypes

/// One frame: entities with the same saved components.
typedef struct firn_image_archetype {
    uint32_t rows;
    uint32_t columns;
    size_t offset; ///< of the frame in the image
    size_t size;   ///< bytes of the frame
} firn_image_archetype;

/// The archetype of an index of 0 .. prelude.frame_count - 1; false when there is none.
FIRN_API bool firn_image_archetype_at(const firn_image *image, uint32_t index,
                                      firn_image_archetype *out);

/// Writes the ids of the rows from `first` on, at most `room`, and returns how many.
FIRN_API uint32_t firn_image_entities(const firn_image *image, uint32_t archetype, uint32_t first,
                                      firn_entity *out, uint32_t room);

/// The archetype and row of an entity; false when the image does not hold it. Looks at the ids one
/// after the other.
FIRN_API bool firn_image_find(const firn_image *image, firn_entity entity, uint32_t *archetype,
                              uint32_t *row);

/// One column of an archetype.
typedef struct firn_image_column {
    uint32_t component; ///< its index
    bool raw;
    uint32_t rows;
    uint32_t nils;     ///< rows whose value is nil: they lack the component, unless it is a tag
    const void *bytes; ///< raw: `rows - nils` rows of row_size bytes; else `rows` encoded values
    size_t size;
} firn_image_column;

/// The column of an index of 0 .. columns - 1 of an archetype; false when there is none.
FIRN_API bool firn_image_column_at(const firn_image *image, uint32_t archetype, uint32_t index,
                                   firn_image_column *out);

/// Begins a reader of the values of a column that is not raw, one for each row. FIRN_INVALID: there
/// is no such column, or it is raw.
FIRN_API firn_result firn_image_reader(const firn_image *image, uint32_t archetype, uint32_t column,
                                       firn_reader *out, firn_error *err);

/// The value of one row of a column, in `doc`: of a raw column a table by field name, else the
/// value as it was saved, which may be nil. NULL with FIRN_INVALID (no such row; a raw row whose
/// fingerprint is not understood), FIRN_CORRUPT (a table that has a key twice, which opening does
/// not look for), FIRN_LIMIT (of the document), FIRN_NO_MEMORY. It steps over the values before it:
/// for all rows use firn_image_rows.
FIRN_API firn_value *firn_image_value(const firn_image *image, uint32_t archetype, uint32_t column,
                                      uint32_t row, firn_doc *doc, firn_error *err);

// ---------------------------------------------------------------- rows

/// A walk over the rows of one archetype, from the first to the last. Used by one thread.
typedef struct firn_image_rows firn_image_rows;

/// Begins before the first row. NULL with FIRN_INVALID (no such archetype) or FIRN_NO_MEMORY. The
/// image must outlive it.
FIRN_API firn_image_rows *firn_image_rows_open(const firn_image *image, uint32_t archetype,
                                               firn_error *err);

/// Ends the walk. NULL is allowed.
FIRN_API void firn_image_rows_close(firn_image_rows *rows);

/// Steps to the next row; false behind the last.
FIRN_API bool firn_image_rows_next(firn_image_rows *rows);

/// The entity of the row at hand; 0 before the first and behind the last.
FIRN_API firn_entity firn_image_rows_entity(const firn_image_rows *rows);

/// The bytes of the row at hand in a column: a raw row, or one encoded value. NULL when there is no
/// such row or column, or the column is raw and the entity does not have it.
FIRN_API const void *firn_image_rows_bytes(const firn_image_rows *rows, uint32_t column,
                                           size_t *size);

/// The value of the row at hand in a column, as firn_image_value gives it.
FIRN_API firn_value *firn_image_rows_value(firn_image_rows *rows, uint32_t column, firn_doc *doc,
                                           firn_error *err);

// ---------------------------------------------------------------- data

/// One entry of the data section.
typedef struct firn_image_datum {
    const char *key; ///< zero-terminated; a key in foreign bytes may hold a 0 as well
    size_t key_size;
    const void *encoded; ///< the value
    size_t size;
    bool custom; ///< the game's own: not `__tecs.*`, `__firn.*`, `tecs.random`, `tecs.sequence`
} firn_image_datum;

/// The entry of an index of 0 .. prelude.data_count - 1, in the order of the image; false when
/// there is none.
FIRN_API bool firn_image_datum_at(const firn_image *image, uint32_t index, firn_image_datum *out);

#ifdef __cplusplus
}
#endif

#endif
