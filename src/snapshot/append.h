/// append.h: a snapshot behind other bytes, as a save file holds it.
#ifndef FR_APPEND_H
#define FR_APPEND_H

#include "snapshot/picks.h"

/// firn_snapshot_save at the end of `out`, which is not cleared. Limits and options->digest are
/// those of the appended bytes alone. Fails like firn_snapshot_save; `out` is then as before.
firn_result fr_snapshot_append(firn_world *world, const firn_save_options *options,
                               firn_buffer *out, firn_error *err);

/// What an appended snapshot may be told besides its options.
typedef struct fr_append {
    /// NULL, or picks what is saved. The image differs from an ordinary one with a filter in this:
    /// edges to entities that are not picked are in it (a whole load drops them); the free list is
    /// that of the world, so that slots of living entities that are not picked are in no list (a
    /// whole load takes them for retired ones); FR_KEY_OUTER. options->filter and the like hold as
    /// well.
    fr_pick_fn pick;
    void *pick_user;
    /// Bytes that the caller appends next: room for them is made along with that for the snapshot.
    size_t behind;
} fr_append;

/// fr_snapshot_append with that.
firn_result fr_snapshot_append_with(firn_world *world, const firn_save_options *options,
                                    const fr_append *append, firn_buffer *out, firn_error *err);

#endif
