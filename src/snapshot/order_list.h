/// order_list.h: one list of sources, of those of FR_KEY_ORDER and FR_KEY_OUTER.
#ifndef FR_ORDER_LIST_H
#define FR_ORDER_LIST_H

#include "firn/value.h"

/// Relation, target, and the ids of its sources.
typedef struct fr_order_list {
    const char *name;
    size_t name_size;
    double target;
    firn_buffer *sources; ///< where they are read to
} fr_order_list;

/// Reads the list that comes. NULL, or why it is none. *err: FIRN_NO_MEMORY.
const char *fr_order_read_list(firn_reader *reader, fr_order_list *list, firn_error *err);

#endif
