/// order.h: the order of the sources of each target, where a relation lists them (FIRN_REVERSE) and
/// it is not the order in which frames and rows give them: the data entry FR_KEY_ORDER.
#ifndef FR_ORDER_H
#define FR_ORDER_H

#include "snapshot/load.h"
#include "snapshot/write.h"

/// Appends the value of the entry to *out, or nothing when no list needs one. FIRN_NO_MEMORY.
firn_result fr_order_write(const fr_save *save, firn_buffer *out, firn_error *err);
/// The same for FR_KEY_OUTER, of entities that were picked.
firn_result fr_order_write_outer(const fr_save *save, firn_buffer *out, firn_error *err);
/// The same of the relations that are kept and of all entities alone.
firn_result fr_order_write_kept(const firn_world *world, firn_buffer *out, firn_error *err);
/// Forgets what is kept for relations that are registered now.
void fr_order_forget_registered(firn_world *world);
/// Puts the lists that were linked aside into the order of the image. FIRN_CORRUPT, FIRN_NO_MEMORY.
firn_result fr_order_apply(fr_load *load, firn_error *err);

#endif
