/// table.h: the table form of a save (docs/format.md) for who has images and no save or load to go
/// with them.
#ifndef FR_TABLE_FORM_H
#define FR_TABLE_FORM_H

#include "firn/snapshot.h"

/// The table form of an image, without a world. Fails as firn_image_check, and with what is above a
/// limit of the document, which is then as it was, as is *out.
firn_result fr_table_of_image(const void *image, size_t size, const firn_limits *limits,
                              const firn_allocator *allocator, firn_doc *doc, firn_value **out,
                              firn_error *err);

/// Appends the image of a table, as firn_snapshot_load_table loads it in this world; it is a form
/// of the table, not what a save would give, and not checked further. Fails as
/// firn_snapshot_load_table does of a table that is none; `out` is then as before.
firn_result fr_image_of_table(const firn_world *world, const firn_value *table,
                              const firn_limits *limits, firn_buffer *out, firn_error *err);

#endif
