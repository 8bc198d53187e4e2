/// row.h: the row at hand of a walk: which components its entity has, and what it is called.
#ifndef FR_CLI_ROW_H
#define FR_CLI_ROW_H

#include "firn/image.h"

/// An entity that a walk stands on.
typedef struct fr_cli_row {
    const firn_image *image;
    uint32_t archetype;
    uint32_t columns;
    firn_image_rows *rows;
    firn_entity entity;
    firn_doc *doc; ///< of values; emptied for each row
} fr_cli_row;

/// A component of an image, or a relation with all its targets.
typedef struct fr_cli_name {
    const firn_image *image;
    const char *text;
    uint32_t size;
    bool known; ///< the image has it
} fr_cli_name;

/// Looks for a component or relation of `size` bytes in an image.
fr_cli_name fr_cli_name_find(const firn_image *image, const char *text, size_t size);
/// Whether it is, or stands for, the component of an index.
bool fr_cli_name_is(const fr_cli_name *name, uint32_t component);

/// The first column of the row, from `first` on, of a component that has this name and that the
/// entity has; row->columns when there is none. A column of values that are all nil is a tag, which
/// they have.
uint32_t fr_cli_row_column(const fr_cli_row *row, const fr_cli_name *name, uint32_t first);
/// Whether the entity has the component of a column.
bool fr_cli_row_has(const fr_cli_row *row, uint32_t column);

typedef enum fr_cli_label { FR_CLI_LABEL_KEY, FR_CLI_LABEL_NAME } fr_cli_label;

/// What the entity is called: its key, the id of its component `persist` or else its Key, or its
/// Name. out: a string, or nil; it is valid until the document is cleared. Fails as
/// firn_image_rows_value.
firn_result fr_cli_row_label(fr_cli_row *row, fr_cli_label label, firn_value *out, firn_error *err);

#endif
