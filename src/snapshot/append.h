/// append.h: a snapshot behind other bytes, as a save file holds it.
#ifndef FR_APPEND_H
#define FR_APPEND_H

#include "firn/snapshot.h"

/// firn_snapshot_save at the end of `out`, which is not cleared. Limits and options->digest are
/// those of the appended bytes alone. Fails like firn_snapshot_save; `out` is then as before.
firn_result fr_snapshot_append(firn_world *world, const firn_save_options *options,
                               firn_buffer *out, firn_error *err);

#endif
