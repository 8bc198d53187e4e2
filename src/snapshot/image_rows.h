/// image_rows.h: the rows of a frame one after the other, and their values as trees. Stands behind
/// the image walk and the table form.
#ifndef FR_IMAGE_ROWS_H
#define FR_IMAGE_ROWS_H

#include "firn/image.h"
#include "snapshot/image.h"

/// The row at hand in one column.
typedef struct fr_cell {
    const uint8_t *at;
    const uint8_t *end; ///< of the column
    size_t size;        ///< of the row; 0 when the entity lacks it
    const fr_span *span;
} fr_cell;

typedef struct fr_rows {
    const fr_image *image;
    const fr_frame *frame;
    fr_cell *cells;      ///< per column
    uint32_t stepped;    ///< the row at hand is this one less 1
    firn_buffer scratch; ///< raw rows on their way to a tree
} fr_rows;

/// Begins before the first row; `frame` is one of the image's. FIRN_NO_MEMORY.
firn_result fr_rows_begin(fr_rows *rows, const fr_image *image, const fr_frame *frame,
                          firn_error *err);
void fr_rows_end(fr_rows *rows);
/// Steps to the next row; false behind the last.
bool fr_rows_next(fr_rows *rows);
/// Whether a row is at hand.
bool fr_rows_inside(const fr_rows *rows);
/// The value of a column, as firn_image_value gives it.
firn_value *fr_rows_value(fr_rows *rows, uint32_t column, firn_doc *doc, firn_error *err);

/// The row of a column as a tree. `bytes` hold the row alone. Fails as firn_image_value does.
firn_value *fr_row_tree(const fr_image *image, uint32_t entry, const uint8_t *bytes, size_t size,
                        firn_buffer *scratch, firn_doc *doc, firn_error *err);
/// Bytes of the encoded value at `at`, which was checked: where the bytes changed since, it ends
/// early.
size_t fr_value_length(const fr_image *image, const uint8_t *at, const uint8_t *end);
/// A walk over the values of an encoded entry that was checked, archetype by archetype.
typedef struct fr_value_walk {
    const fr_image *image;
    const fr_frame *frame; ///< of the value at hand
    const uint8_t *at;     ///< the value at hand
    const uint8_t *end;    ///< of its column
    size_t size;           ///< of the value at hand
    uint32_t span;         ///< of the value at hand, or FR_NO_COLUMN
    uint32_t stepped;      ///< its row is this one less 1
} fr_value_walk;

/// Begins before the first value.
void fr_values_begin(fr_value_walk *walk, const fr_image *image, const fr_entry *entry);
/// Steps to the next value; false behind the last.
bool fr_values_next(fr_value_walk *walk);
/// The entity of the value at hand.
firn_entity fr_values_entity(const fr_value_walk *walk);

/// Reads one value of a relationship: its `target`, or 0 when it has none.
firn_entity fr_read_target(firn_reader *reader);

/// The parts of an open image.
const fr_image *fr_image_of(const firn_image *image);
/// What a walk over an open image walks with.
const fr_rows *fr_image_rows_of(const firn_image_rows *rows);
/// A column, or NULL.
const fr_span *fr_image_span(const firn_image *image, uint32_t archetype, uint32_t column);

#endif
