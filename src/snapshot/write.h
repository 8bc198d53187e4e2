/// write.h: columns and data to bytes. Used by the save, and, with a digest in place of a buffer,
/// by the world hash, so that both see the same bytes.
#ifndef FR_WRITE_H
#define FR_WRITE_H

#include "buffer/writer.h"
#include "firn/snapshot.h"
#include "snapshot/lifecycle.h"
#include "snapshot/selection.h"

/// What the steps of one save share.
typedef struct fr_save {
    firn_world *world;
    firn_saving *saving; ///< NULL for a hash
    uint32_t wire_version;
    const fr_selection *selection;
    firn_buffer *scratch; ///< rows on their way to a digest
    fr_out out;
} fr_save;

/// One column, as it stands on the wire when the frame lies column by column.
firn_result fr_write_column(fr_save *save, const fr_saved_rows *run, const fr_saved_name *name,
                            firn_error *err);
/// The column of a relation without a codec, whose first row is at `rows`.
firn_result fr_write_edges(fr_save *save, const fr_saved_rows *run, const fr_component *relation,
                           const uint8_t *rows, firn_error *err);
/// The rows of a frame, row by row.
firn_result fr_write_rows(fr_save *save, const fr_selected_frame *frame, firn_error *err);
/// Room for `size` bytes: in the buffer, or, for a digest alone, in the scratch buffer. NULL after
/// a failure.
uint8_t *fr_write_space(fr_save *save, size_t size);
/// The bytes that fr_write_space gave room for are there.
void fr_write_filled(fr_save *save, size_t size);
/// Rows of a column are prepared this many bytes at a time.
#define FR_WRITE_CHUNK ((size_t)1 << 14)
/// The ids as doubles.
firn_result fr_write_ids(fr_save *save, const fr_saved_rows *run, firn_error *err);
/// The ids that the free slots give next, from the top of the free list: 8 bytes each, at most
/// `most` from *slot on; *slot becomes the slot that follows. Returns how many.
uint32_t fr_write_free(fr_save *save, uint32_t *slot, uint32_t most);
/// The data section: firn's own entries, then the game's.
firn_result fr_write_data(fr_save *save, firn_error *err);

#endif
